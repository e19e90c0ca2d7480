//! The signals that end this process: they become a stop of the run, whose traps still get their turn.
//!
//! The main thread has nothing else to do than to wait for the run and for signals, so no further thread is needed.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
#[cfg(unix)]
use std::time::Duration;

use hookshell_shell::{CancelReason, CancelToken, SignalSource};

/// How long a run may still take after it was killed: what does not come back then is a call that nothing wakes.
#[cfg(unix)]
const KILL_BOUND: Duration = Duration::from_millis(500);

/// How a wait ended.
pub(crate) struct Finished<T> {
    /// What the run gave; `None` when it was given up, or its thread is gone.
    pub(crate) result: Option<T>,
    /// The first signal that came.
    pub(crate) signal: Option<i32>,
}

/// What a signal wants of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(windows, allow(dead_code, reason = "no signal comes there"))]
pub(crate) enum Stop {
    /// To end soon.
    Ask,
    /// To be gone.
    Kill,
}

/// The run's side: tells the waiting thread of its end, also by being dropped.
pub(crate) struct Completion<T> {
    sender: Option<Sender<T>>,
    waker: platform::Waker,
}

impl<T> Completion<T> {
    /// The run has ended.
    pub(crate) fn complete(mut self, result: T) {
        if let Some(sender) = self.sender.take() {
            // The other side may have given up.
            let _ = sender.send(result);
        }
    }
}

impl<T> Drop for Completion<T> {
    fn drop(&mut self) {
        // First the channel closes, then the waiting thread is woken to look at it.
        self.sender = None;
        self.waker.wake();
    }
}

/// Catches INT, TERM and HUP, and waits for a run that gives a `T`.
pub(crate) struct Signals<T> {
    caught: platform::Caught,
    sender: Sender<T>,
    receiver: Receiver<T>,
}

impl<T> Signals<T> {
    /// Begins to catch. A signal that this process was started with as ignored (`nohup`, a background job of a script)
    /// stays ignored.
    pub(crate) fn catch() -> std::io::Result<Self> {
        let (sender, receiver) = channel();
        Ok(Self { caught: platform::Caught::new()?, sender, receiver })
    }

    /// What the run gets.
    pub(crate) fn completion(&self) -> Completion<T> {
        Completion { sender: Some(self.sender.clone()), waker: self.caught.waker() }
    }

    /// What a script's own traps are caught through, and the signals that this process was started with as ignored, as
    /// bits (signal 1 is bit 0).
    pub(crate) fn source(&self) -> (Arc<dyn SignalSource>, u64) {
        self.caught.source()
    }

    /// As [`Signals::wait`]; a signal that `trapped` takes is the script's own business.
    pub(crate) fn wait_trapping(self, cancel: &CancelToken, trapped: impl Fn(i32) -> bool) -> Finished<T> {
        let Self { mut caught, sender, receiver } = self;
        drop(sender);
        let stop = |reason, stop| match stop {
            Stop::Ask => cancel.cancel(reason),
            Stop::Kill => cancel.kill(reason),
        };
        platform::wait(&mut caught, &receiver, trapped, stop)
    }

    /// Waits for the end of a run with this token. The first signal is a request to stop, a second one kills the run.
    pub(crate) fn wait(self, cancel: &CancelToken) -> Finished<T> {
        self.wait_with(|reason, stop| match stop {
            Stop::Ask => cancel.cancel(reason),
            Stop::Kill => cancel.kill(reason),
        })
    }

    /// Waits for the end. `stop` is called for the first signal, and for a second one, after which the run is given up.
    pub(crate) fn wait_with(self, stop: impl FnMut(CancelReason, Stop)) -> Finished<T> {
        let Self { mut caught, sender, receiver } = self;
        // What is left are the completions: the channel closes with the last of them.
        drop(sender);
        platform::wait(&mut caught, &receiver, |_| false, stop)
    }
}

#[cfg(unix)]
mod platform {
    use std::io::{self, Read, Write};
    use std::os::unix::net::UnixStream;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::mpsc::{Receiver, TryRecvError};
    use std::sync::{Arc, Mutex, PoisonError};

    use hookshell_shell::{CancelReason, SignalSource};
    use signal_hook::consts::{SIGHUP, SIGINT, SIGPIPE, SIGTERM};

    use super::{Finished, KILL_BOUND, Stop};

    pub(super) struct Waker(Option<UnixStream>);

    impl Waker {
        pub(super) fn wake(&mut self) {
            if let Some(stream) = &mut self.0 {
                // A full socket wakes as well.
                let _ = stream.write(&[0]);
            }
        }
    }

    pub(super) struct Caught {
        reader: UnixStream,
        catcher: Arc<Catcher>,
    }

    /// Installs the handlers.
    struct Catcher {
        writer: UnixStream,
        ignored: u64,
        /// The signals that are caught: has one come?
        flags: Mutex<Vec<(i32, Arc<AtomicBool>)>>,
    }

    impl Catcher {
        fn register(&self, signal: i32) -> io::Result<()> {
            // Nothing panics under the lock.
            let mut flags = self.flags.lock().unwrap_or_else(PoisonError::into_inner);
            let is_ignored = (1..=64).contains(&signal) && self.ignored >> (signal - 1) & 1 != 0;
            if is_ignored || flags.iter().any(|(known, _)| *known == signal) {
                return Ok(());
            }
            let flag = Arc::new(AtomicBool::new(false));
            signal_hook::flag::register(signal, flag.clone())?;
            flags.push((signal, flag));
            signal_hook::low_level::pipe::register(signal, self.writer.try_clone()?)?;
            Ok(())
        }
    }

    impl SignalSource for Catcher {
        fn catch(&self, signal: i32) {
            // The Rust runtime ignores SIGPIPE, which is virtual here. What cannot be caught (KILL, SEGV) is not.
            if signal != SIGPIPE && !signal_hook::consts::FORBIDDEN.contains(&signal) {
                let _ = self.register(signal);
            }
        }

        fn take(&self, signals: u64) -> Option<i32> {
            let flags = self.flags.lock().unwrap_or_else(PoisonError::into_inner);
            let wanted = |signal: i32| (1..=64).contains(&signal) && signals >> (signal - 1) & 1 != 0;
            let mut came = flags.iter().filter(|(signal, _)| wanted(*signal));
            came.find(|(_, flag)| flag.swap(false, Ordering::AcqRel)).map(|(signal, _)| *signal)
        }
    }

    impl Caught {
        pub(super) fn new() -> io::Result<Self> {
            let (reader, writer) = UnixStream::pair()?;
            let catcher = Catcher { writer, ignored: ignored_signals(), flags: Mutex::default() };
            for signal in [SIGHUP, SIGINT, SIGTERM] {
                catcher.register(signal)?;
            }
            Ok(Self { reader, catcher: Arc::new(catcher) })
        }

        pub(super) fn waker(&self) -> Waker {
            Waker(self.catcher.writer.try_clone().ok())
        }

        pub(super) fn source(&self) -> (Arc<dyn SignalSource>, u64) {
            (self.catcher.clone(), self.catcher.ignored)
        }
    }

    /// The signals that this process was started with as ignored, as bits: signal 1 is bit 0.
    fn ignored_signals() -> u64 {
        // The Rust runtime ignores SIGPIPE itself.
        hookshell_process::ignored_signals() & !(1 << (SIGPIPE - 1))
    }

    pub(super) fn wait<T>(
        caught: &mut Caught,
        receiver: &Receiver<T>,
        trapped: impl Fn(i32) -> bool,
        mut stop: impl FnMut(CancelReason, Stop),
    ) -> Finished<T> {
        let mut first = None;
        loop {
            let mut byte = [0];
            // Interrupted by the very signal; or, which does not happen, closed: then the channel alone is waited for.
            let closed = match caught.reader.read(&mut byte) {
                Ok(count) => count == 0,
                Err(error) => error.kind() != io::ErrorKind::Interrupted,
            };
            match receiver.try_recv() {
                Ok(result) => return Finished { result: Some(result), signal: first },
                Err(TryRecvError::Disconnected) => return Finished { result: None, signal: first },
                Err(TryRecvError::Empty) if closed => {
                    return Finished { result: receiver.recv().ok(), signal: first };
                }
                Err(TryRecvError::Empty) => {}
            }
            while let Some(signal) = caught.catcher.take(u64::MAX) {
                if trapped(signal) {
                    continue;
                }
                let reason = match signal {
                    SIGINT => CancelReason::Interrupted,
                    SIGHUP | SIGTERM => CancelReason::Cancelled,
                    other => {
                        // The script has reset its trap.
                        let _ = signal_hook::low_level::emulate_default_handler(other);
                        continue;
                    }
                };
                if first.is_none() {
                    first = Some(signal);
                    stop(reason, Stop::Ask);
                } else {
                    stop(reason, Stop::Kill);
                    return Finished { result: receiver.recv_timeout(KILL_BOUND).ok(), signal: first };
                }
            }
        }
    }
}

#[cfg(not(unix))]
mod platform {
    use std::io;
    use std::sync::Arc;
    use std::sync::mpsc::Receiver;

    use hookshell_shell::{CancelReason, SignalSource};

    use super::{Finished, Stop};

    /// Windows ends a console's processes itself at Ctrl-C: there is nothing to pass on.
    pub(super) struct Waker;

    impl Waker {
        pub(super) fn wake(&mut self) {}
    }

    pub(super) struct Caught;

    impl Caught {
        pub(super) fn new() -> io::Result<Self> {
            Ok(Self)
        }

        pub(super) fn waker(&self) -> Waker {
            Waker
        }

        pub(super) fn source(&self) -> (Arc<dyn SignalSource>, u64) {
            (Arc::new(NoSignals), 0)
        }
    }

    struct NoSignals;

    impl SignalSource for NoSignals {
        fn catch(&self, _: i32) {}

        fn take(&self, _: u64) -> Option<i32> {
            None
        }
    }

    pub(super) fn wait<T>(
        _: &mut Caught,
        receiver: &Receiver<T>,
        _: impl Fn(i32) -> bool,
        _: impl FnMut(CancelReason, Stop),
    ) -> Finished<T> {
        Finished { result: receiver.recv().ok(), signal: None }
    }
}
