//! The signals that end this process: they become a stop of the run, whose traps still get their turn.
//!
//! The main thread has nothing else to do than to wait for the run and for signals, so no further thread is needed.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use hookshell_shell::{CancelReason, RunToken, SignalSource};

/// How long a run may still take after it was killed: what does not come back then is a call that nothing wakes.
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

/// Passes a signal on to the run. `true`: it was the second, and the run is given up.
fn pass_on(signal: i32, first: &mut Option<i32>, stop: &mut impl FnMut(CancelReason, Stop)) -> bool {
    let reason = if signal == INT { CancelReason::Interrupted } else { CancelReason::Cancelled };
    let is_second = first.is_some();
    first.get_or_insert(signal);
    stop(reason, if is_second { Stop::Kill } else { Stop::Ask });
    is_second
}

/// The signals that this process was started with as ignored, as bits: signal 1 is bit 0.
pub(crate) fn ignored_signals() -> u64 {
    // The Rust runtime ignores SIGPIPE itself.
    hookshell_process::ignored_signals() & !(1 << (PIPE - 1))
}

/// Does the signal, where no trap takes it, end the run?
#[cfg(unix)]
pub(crate) fn ends_run(signal: i32) -> bool {
    ENDING.contains(&signal)
}

/// SIGHUP.
#[cfg(unix)]
const HUP: i32 = 1;

/// SIGPIPE.
const PIPE: i32 = 13;

/// SIGINT.
const INT: i32 = 2;

/// SIGTERM: what a stop is to the interpreter, whichever signal it was.
pub(crate) const TERM: i32 = 15;

/// The exit status that stands for a signal: 128 + its number.
pub(crate) fn signal_status(signal: i32) -> u8 {
    128u8.saturating_add(u8::try_from(signal).unwrap_or(0))
}

/// The signals that end this process, as the system sends them.
#[cfg(unix)]
const ENDING: [i32; 3] = [HUP, INT, TERM];
#[cfg(not(unix))]
const ENDING: [i32; 1] = [INT];

/// Catches INT, TERM and HUP (on Windows the console's events, which stand for them), and waits for a run that gives a `T`.
pub(crate) struct Signals<T> {
    caught: platform::Caught,
    sender: Sender<T>,
    receiver: Receiver<T>,
}

impl<T> Signals<T> {
    /// Begins to catch. A signal that this process was started with as ignored (`nohup`, a background job of a script)
    /// stays ignored.
    pub(crate) fn catch() -> std::io::Result<Self> {
        Self::catch_unless(ignored_signals())
    }

    /// As [`Signals::catch`], where `ignored` is what [`ignored_signals`] gave at the start of the program.
    pub(crate) fn catch_unless(ignored: u64) -> std::io::Result<Self> {
        let (sender, receiver) = channel();
        Ok(Self { caught: platform::Caught::new(ignored)?, sender, receiver })
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
    pub(crate) fn wait_trapping(self, cancel: &RunToken, trapped: impl Fn(i32) -> bool) -> Finished<T> {
        let Self { mut caught, sender, receiver } = self;
        drop(sender);
        let stop = |reason, stop| match stop {
            Stop::Ask => cancel.cancel(reason),
            Stop::Kill => cancel.kill(reason),
        };
        platform::wait(&mut caught, &receiver, trapped, stop)
    }

    /// Waits for the end of a run with this token. The first signal is a request to stop, a second one kills the run.
    pub(crate) fn wait(self, cancel: &RunToken) -> Finished<T> {
        self.wait_trapping(cancel, |_| false)
    }
}

/// The same signals, for a thread that waits for other things too.
pub(crate) struct SignalWait(platform::Caught);

impl SignalWait {
    /// Begins to catch, as [`Signals::catch`] does.
    pub(crate) fn catch() -> std::io::Result<Self> {
        // No others are caught: what 64 questions to the system would take is a part of each hook's time.
        platform::Caught::new(hookshell_process::ignored_signals_of(ENDING)).map(Self)
    }

    /// What ends a wait from another thread.
    pub(crate) fn waker(&self) -> impl Fn() + Send + Sync + use<> {
        let waker = self.0.waker();
        move || waker.wake()
    }

    /// Waits until a signal comes, which it gives, until it is woken, or until the deadline.
    pub(crate) fn wait(&mut self, deadline: Instant) -> Option<i32> {
        platform::wait_until(&mut self.0, deadline);
        self.take()
    }

    /// A signal that has come.
    pub(crate) fn take(&self) -> Option<i32> {
        self.0.source().0.take(u64::MAX)
    }

    /// Catches no more: a signal that comes from now on does what it does to any process.
    pub(crate) fn release(self) {
        self.0.release();
    }
}

#[cfg(unix)]
mod platform {
    use std::io::{self, Read, Write};
    use std::os::unix::net::UnixStream;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::mpsc::{Receiver, TryRecvError};
    use std::sync::{Arc, Mutex};
    use std::time::{Duration, Instant};

    use hookshell_process::sync::lock;
    use hookshell_shell::{CancelReason, SignalSource};

    use super::{ENDING, Finished, KILL_BOUND, PIPE, Stop, ends_run, pass_on};

    /// How often it is looked where a wait cannot end by itself.
    const POLL_INTERVAL: Duration = Duration::from_millis(10);

    /// Has the socket itself: there may be no descriptor left for another end of it.
    pub(super) struct Waker(Arc<Catcher>);

    impl Waker {
        pub(super) fn wake(&self) {
            // Never waits: who reads may be the one who wakes. A full socket wakes as well.
            let _ = (&self.0.writer).write(&[0]);
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
            let mut flags = lock(&self.flags);
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
            if signal != PIPE && !signal_hook::consts::FORBIDDEN.contains(&signal) {
                let _ = self.register(signal);
            }
        }

        fn take(&self, signals: u64) -> Option<i32> {
            let wanted = |signal: i32| (1..=64).contains(&signal) && signals >> (signal - 1) & 1 != 0;
            self.take_and(wanted, |signal| signal)
        }

        fn settle(&self, handled: u64) {
            let until = Instant::now() + KILL_BOUND;
            let is_open = |(signal, flag): &(i32, Arc<AtomicBool>)| {
                ends_run(*signal) && handled >> (signal - 1) & 1 == 0 && flag.load(Ordering::Acquire)
            };
            while lock(&self.flags).iter().any(is_open) && Instant::now() < until {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
    }

    impl Catcher {
        /// Takes a signal that has come, and does with it what is to be done. Who looks for it meanwhile waits until that is
        /// done: a script would see the end of a child sooner than what the child sent it before.
        fn take_and<T>(&self, wanted: impl Fn(i32) -> bool, act: impl FnOnce(i32) -> T) -> Option<T> {
            let flags = lock(&self.flags);
            let mut came = flags.iter().filter(|(signal, _)| wanted(*signal));
            came.find(|(_, flag)| flag.swap(false, Ordering::AcqRel)).map(|(signal, _)| act(*signal))
        }
    }

    impl Caught {
        pub(super) fn new(ignored: u64) -> io::Result<Self> {
            let caught = Self::of_no_signals(ignored)?;
            for signal in ENDING {
                caught.catcher.register(signal)?;
            }
            Ok(caught)
        }

        /// Catches nothing yet.
        pub(super) fn of_no_signals(ignored: u64) -> io::Result<Self> {
            let (reader, writer) = UnixStream::pair()?;
            // A few hundred wake-ups fill the socket. Several hooks that end before the main thread looks are as many, and
            // those that cannot be started are ended by the main thread itself.
            writer.set_nonblocking(true)?;
            let catcher = Catcher { writer, ignored, flags: Mutex::default() };
            Ok(Self { reader, catcher: Arc::new(catcher) })
        }

        /// The handlers stay, as others may have theirs behind the same ones, and do what the system would.
        pub(super) fn release(self) {
            let flags = lock(&self.catcher.flags);
            for (signal, _) in flags.iter() {
                // Where that fails the signal stays without effect, as it was until now.
                let _ = signal_hook::flag::register_conditional_default(*signal, Arc::new(AtomicBool::new(true)));
            }
        }

        pub(super) fn waker(&self) -> Waker {
            Waker(self.catcher.clone())
        }

        pub(super) fn source(&self) -> (Arc<dyn SignalSource>, u64) {
            (self.catcher.clone(), self.catcher.ignored)
        }
    }

    /// What is left to do of a signal.
    enum Act {
        Nothing,
        /// What the system would do.
        Default(i32),
        /// It was the second: the run is given up.
        GiveUp,
    }

    /// Waits until a signal comes, for a wake-up, or for the deadline.
    pub(super) fn wait_until(caught: &mut Caught, deadline: Instant) {
        let left = deadline.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
        // Without the timeout it would wait for ever.
        match caught.reader.set_read_timeout(Some(left)) {
            // All that came at once is one wake-up.
            Ok(()) => drop(caught.reader.read(&mut [0; 64])),
            Err(_) => std::thread::sleep(left.min(POLL_INTERVAL)),
        }
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
            // Within the look itself, for whom it is settled by it.
            let mut act = |signal: i32| match trapped(signal) {
                true => Act::Nothing,
                false if ends_run(signal) && pass_on(signal, &mut first, &mut stop) => Act::GiveUp,
                false if ends_run(signal) => Act::Nothing,
                // The script has reset its trap.
                false => Act::Default(signal),
            };
            let mut is_given_up = false;
            while let Some(act) = caught.catcher.take_and(|_| true, &mut act) {
                match act {
                    Act::Nothing => {}
                    Act::Default(signal) => _ = signal_hook::low_level::emulate_default_handler(signal),
                    Act::GiveUp => {
                        is_given_up = true;
                        break;
                    }
                }
            }
            if is_given_up {
                return Finished { result: receiver.recv_timeout(KILL_BOUND).ok(), signal: first };
            }
        }
    }
}

#[cfg(not(unix))]
mod platform {
    use std::collections::VecDeque;
    use std::io;
    use std::sync::mpsc::{Receiver, TryRecvError};
    use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
    use std::time::Instant;

    use hookshell_process::sync::lock;
    use hookshell_process::take_console_events;
    use hookshell_shell::{CancelReason, SignalSource};

    use super::{Finished, KILL_BOUND, Stop, pass_on};

    /// What has come and is to be looked at.
    #[derive(Default)]
    struct CaughtSignals {
        state: Mutex<State>,
        changed: Condvar,
    }

    #[derive(Default)]
    struct State {
        signals: VecDeque<i32>,
        run_has_ended: bool,
    }

    impl CaughtSignals {
        fn state(&self) -> MutexGuard<'_, State> {
            // Every change is a single call.
            lock(&self.state)
        }
    }

    pub(super) struct Waker(Arc<CaughtSignals>);

    impl Waker {
        pub(super) fn wake(&self) {
            self.0.state().run_has_ended = true;
            self.0.changed.notify_all();
        }
    }

    pub(super) struct Caught(Arc<CaughtSignals>);

    impl Caught {
        pub(super) fn new(_: u64) -> io::Result<Self> {
            let caught = Arc::<CaughtSignals>::default();
            let of_events = caught.clone();
            take_console_events(Some(Box::new(move |signal| {
                of_events.state().signals.push_back(signal);
                of_events.changed.notify_all();
                true
            })))?;
            Ok(Self(caught))
        }

        /// Dropping it does that.
        pub(super) fn release(self) {}

        pub(super) fn waker(&self) -> Waker {
            Waker(self.0.clone())
        }

        pub(super) fn source(&self) -> (Arc<dyn SignalSource>, u64) {
            (self.0.clone(), 0)
        }
    }

    impl Drop for Caught {
        fn drop(&mut self) {
            let _ = take_console_events(None);
        }
    }

    impl SignalSource for CaughtSignals {
        // The console's events are all caught already, and there are no others.
        fn catch(&self, _: i32) {}

        fn take(&self, signals: u64) -> Option<i32> {
            let mut state = self.state();
            let wanted = |signal: &i32| (1..=64).contains(signal) && signals >> (signal - 1) & 1 != 0;
            let at = state.signals.iter().position(wanted)?;
            state.signals.remove(at)
        }
    }

    /// Waits until a signal comes, for a wake-up, or for the deadline.
    pub(super) fn wait_until(caught: &mut Caught, deadline: Instant) {
        let left = deadline.saturating_duration_since(Instant::now());
        let nothing = |state: &mut State| state.signals.is_empty() && !state.run_has_ended;
        let waited = caught.0.changed.wait_timeout_while(caught.0.state(), left, nothing);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        state.run_has_ended = false;
    }

    pub(super) fn wait<T>(
        caught: &mut Caught,
        receiver: &Receiver<T>,
        trapped: impl Fn(i32) -> bool,
        mut stop: impl FnMut(CancelReason, Stop),
    ) -> Finished<T> {
        let mut first = None;
        loop {
            match receiver.try_recv() {
                Ok(result) => return Finished { result: Some(result), signal: first },
                Err(TryRecvError::Disconnected) => return Finished { result: None, signal: first },
                Err(TryRecvError::Empty) => {}
            }
            while let Some(signal) = caught.0.take(u64::MAX) {
                if !trapped(signal) && pass_on(signal, &mut first, &mut stop) {
                    return Finished { result: receiver.recv_timeout(KILL_BOUND).ok(), signal: first };
                }
            }
            let state = caught.0.state();
            let nothing = |state: &mut State| state.signals.is_empty() && !state.run_has_ended;
            let mut state = caught.0.changed.wait_while(state, nothing).unwrap_or_else(PoisonError::into_inner);
            // Of several runs each says so once; the channel tells when all have.
            state.run_has_ended = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_wake_up_never_waits_for_the_reader() {
        let (done, ended) = channel();
        let caught = platform::Caught::of_no_signals(0).unwrap();
        let waker = caught.waker();
        std::thread::spawn(move || {
            // More than any socket holds.
            for _ in 0..1_000_000 {
                waker.wake();
            }
            done.send(())
        });
        assert_eq!(ended.recv_timeout(Duration::from_secs(60)), Ok(()));
        // And who waits is woken, at once and once.
        let mut caught = caught;
        let since = Instant::now();
        platform::wait_until(&mut caught, since + Duration::from_secs(60));
        assert!(since.elapsed() < Duration::from_secs(30));
    }

    #[test]
    fn the_first_signal_asks_and_the_second_kills() {
        let mut first = None;
        let mut seen = Vec::new();
        let mut stop = |reason, stop| seen.push((reason, stop));
        assert!(!pass_on(INT, &mut first, &mut stop));
        assert!(pass_on(15, &mut first, &mut stop));
        assert_eq!(first, Some(INT));
        assert_eq!(seen, [(CancelReason::Interrupted, Stop::Ask), (CancelReason::Cancelled, Stop::Kill)]);
    }
}
