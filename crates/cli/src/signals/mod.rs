//! The signals that end this process: they become a stop of the run, whose traps still get their turn.
//!
//! The main thread has nothing else to do than to wait for the run and for signals, so no further thread is needed.

#[cfg(unix)]
mod unix;
#[cfg(not(unix))]
mod windows;

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use hookshell_shell::{CancelReason, RunToken, SignalSource};

#[cfg(unix)]
use self::unix as platform;
#[cfg(not(unix))]
use self::windows as platform;

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

    /// As [`Signals::wait`]; a signal that `trapped` takes is the script's own business. It is told whether a terminal has given the
    /// signal to the whole group.
    pub(crate) fn wait_trapping(self, cancel: &RunToken, trapped: impl Fn(i32, bool) -> bool) -> Finished<T> {
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
        self.wait_trapping(cancel, |_, _| false)
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

    /// Catches nothing until it [begins](Self::begin).
    pub(crate) fn prepare() -> std::io::Result<Self> {
        platform::Caught::of_no_signals(hookshell_process::ignored_signals_of(ENDING)).map(Self)
    }

    /// Begins to catch what was prepared for.
    pub(crate) fn begin(&self) -> std::io::Result<()> {
        self.0.begin()
    }

    /// What ends a wait from another thread.
    pub(crate) fn waker(&self) -> impl Fn() + Send + Sync + use<> {
        let waker = self.0.waker();
        move || waker.wake()
    }

    /// Waits until a signal comes, which it gives, until it is woken, or until the deadline.
    pub(crate) fn wait(&self, deadline: Instant) -> Option<i32> {
        self.wait_until(deadline);
        self.take()
    }

    /// As [`Self::wait`], where the signal is left to be [taken](Self::take).
    pub(crate) fn wait_until(&self, deadline: Instant) {
        platform::wait_until(&self.0, deadline);
    }

    /// Becomes readable when a wait would end.
    #[cfg(unix)]
    pub(crate) fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.0.as_fd()
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
        let since = Instant::now();
        platform::wait_until(&caught, since + Duration::from_secs(60));
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
