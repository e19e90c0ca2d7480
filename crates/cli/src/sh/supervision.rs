//! Who runs the script, and who hears the signals of this process meanwhile.

use std::io;
use std::sync::{Arc, OnceLock};

use hookshell_shell::{Pool, RunToken, Shell, SignalSender, SignalSource};

use crate::signals::{Finished, Signals};

/// How the script hears the signals.
pub(super) struct SignalListener {
    source: Arc<dyn SignalSource>,
    ignored: u64,
    traps: Arc<OnceLock<SignalSender>>,
}

impl SignalListener {
    pub(super) fn attach(&self, shell: &mut Shell) {
        let _ = self.traps.set(shell.receive_signals(self.source.clone(), self.ignored));
    }
}

/// Runs the script to its end, or to a second signal.
///
/// # Errors
/// The signals cannot be caught, or no thread can be started for the script.
pub(super) fn run<T: Send + 'static>(
    pool: &Pool,
    cancel: &RunToken,
    script: impl FnOnce(&SignalListener) -> T + Send + 'static,
) -> io::Result<Finished<T>> {
    #[cfg(unix)]
    if let Some(stack) = hookshell_shell::ShellStack::new() {
        return Ok(on_this_thread::run(stack, cancel, script));
    }
    on_another_thread(pool, cancel, script)
}

/// Runs the script on a thread of the pool; this one waits for signals.
fn on_another_thread<T: Send + 'static>(
    pool: &Pool,
    cancel: &RunToken,
    script: impl FnOnce(&SignalListener) -> T + Send + 'static,
) -> io::Result<Finished<T>> {
    let signals = Signals::catch()?;
    let done = signals.completion();
    let (source, ignored) = signals.source();
    let traps = Arc::<OnceLock<SignalSender>>::default();
    let hearing = SignalListener { source, ignored, traps: traps.clone() };
    // Signals are handled on the thread of the script: what a child sends before it ends is there when its end is seen.
    hookshell_process::direct_signals_to_this_thread(false);
    pool.run(move || {
        hookshell_process::direct_signals_to_this_thread(true);
        done.complete(script(&hearing));
    })?;
    Ok(signals
        .wait_trapping(cancel, |signal, by_terminal| traps.get().is_some_and(|traps| traps.send(signal, by_terminal))))
}

/// A script on the thread that started the program. To start another one and to be woken by its end would take a quarter of
/// the time of `hookshell sh -c :` (docs/PERFORMANCE.md).
#[cfg(unix)]
mod on_this_thread {
    use std::convert::Infallible;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::{AtomicI32, Ordering};
    use std::sync::mpsc::channel;
    use std::sync::{Arc, OnceLock};

    use hookshell_shell::{RunToken, ShellStack, SignalSender, SignalSource};

    use super::SignalListener;
    use crate::sh::die_of;
    use crate::signals::{Finished, Signals, ends_run, ignored_signals, signal_status};

    pub(super) fn run<T>(
        stack: ShellStack,
        cancel: &RunToken,
        script: impl FnOnce(&SignalListener) -> T,
    ) -> Finished<T> {
        let traps = Arc::<OnceLock<SignalSender>>::default();
        let signals = Arc::new(LateSignals {
            cancel: cancel.clone(),
            traps: traps.clone(),
            ignored: ignored_signals(),
            caught: OnceLock::new(),
            first: Arc::default(),
        });
        // The system does not end the first process of a container by a signal that it does not catch.
        if std::process::id() == 1 {
            signals.listen();
        }
        let hearing = SignalListener { source: signals.clone(), ignored: signals.ignored, traps };
        let result = catch_unwind(AssertUnwindSafe(|| stack.run(|| script(&hearing)))).ok();
        let first = signals.first.load(Ordering::SeqCst);
        Finished { result, signal: (first != 0).then_some(first) }
    }

    /// The signals of this process, which the system acts on until the script has something that it must not just end with.
    struct LateSignals {
        cancel: RunToken,
        traps: Arc<OnceLock<SignalSender>>,
        ignored: u64,
        /// From then on they are caught; `None` if that failed.
        caught: OnceLock<Option<Arc<dyn SignalSource>>>,
        /// The first that came and that the script does not trap; 0: none.
        first: Arc<AtomicI32>,
    }

    impl LateSignals {
        fn caught(&self) -> Option<&Arc<dyn SignalSource>> {
            self.caught.get_or_init(|| self.catch_all()).as_ref()
        }

        /// Catches them, and starts the thread that hears of them. Where either cannot be done the system continues to act.
        fn catch_all(&self) -> Option<Arc<dyn SignalSource>> {
            let (cancel, traps, first) = (self.cancel.clone(), self.traps.clone(), self.first.clone());
            let (sender, receiver) = channel::<Signals<Infallible>>();
            // Signals are handled on the thread of the script: what a child sends before it ends is there when its end is seen.
            hookshell_process::direct_signals_to_this_thread(false);
            let thread = std::thread::Builder::new().name("hookshell-signals".into()).stack_size(128 * 1024);
            let started = thread.spawn(move || {
                let Ok(signals) = receiver.recv() else { return };
                // The script's end is the process's: nothing is ever said of it here.
                let _never = signals.completion();
                let finished = signals.wait_trapping(&cancel, |signal, by_terminal| {
                    let is_trapped = traps.get().is_some_and(|traps| traps.send(signal, by_terminal));
                    if !is_trapped && ends_run(signal) {
                        let _ = first.compare_exchange(0, signal, Ordering::SeqCst, Ordering::SeqCst);
                    }
                    is_trapped
                });
                if let Some(signal) = finished.signal {
                    // The second signal, and what runs does not come back.
                    die_of(signal);
                    signal_hook::low_level::exit(i32::from(signal_status(signal)));
                }
            });
            hookshell_process::direct_signals_to_this_thread(true);
            started.ok()?;
            let signals = Signals::catch_unless(self.ignored).ok()?;
            let (source, _) = signals.source();
            sender.send(signals).ok()?;
            Some(source)
        }
    }

    impl SignalSource for LateSignals {
        fn listen(&self) {
            self.caught();
        }

        fn catch(&self, signal: i32) {
            if let Some(caught) = self.caught() {
                caught.catch(signal);
            }
        }

        fn take(&self, signals: u64) -> Option<i32> {
            self.caught.get()?.as_ref()?.take(signals)
        }

        fn settle(&self, handled: u64) {
            if let Some(Some(caught)) = self.caught.get() {
                caught.settle(handled);
            }
        }
    }
}
