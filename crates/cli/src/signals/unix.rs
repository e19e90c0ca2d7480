//! Signals of Unix: handlers write into a socket that the waiting thread reads.

use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
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
    flags: Mutex<Vec<CaughtSignal>>,
}

/// A signal that is caught.
struct CaughtSignal {
    number: i32,
    /// It has come.
    came: Arc<AtomicBool>,
    /// It has come from a terminal, which gives it to the whole group.
    by_terminal: Arc<AtomicBool>,
}

impl Catcher {
    fn register(&self, signal: i32) -> io::Result<()> {
        // Nothing panics under the lock.
        let mut flags = lock(&self.flags);
        let is_ignored = (1..=64).contains(&signal) && self.ignored >> (signal - 1) & 1 != 0;
        if is_ignored || flags.iter().any(|known| known.number == signal) {
            return Ok(());
        }
        let (came, by_terminal) = (Arc::<AtomicBool>::default(), Arc::<AtomicBool>::default());
        hookshell_process::note_signal(signal, came.clone(), by_terminal.clone())?;
        flags.push(CaughtSignal { number: signal, came, by_terminal });
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
        self.take_and(wanted, |signal, _| signal)
    }

    fn settle(&self, handled: u64) {
        let until = Instant::now() + KILL_BOUND;
        let is_open = |signal: &CaughtSignal| {
            ends_run(signal.number) && handled >> (signal.number - 1) & 1 == 0 && signal.came.load(Ordering::Acquire)
        };
        while lock(&self.flags).iter().any(is_open) && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Catcher {
    /// Takes a signal that has come, and does with it what is to be done. Who looks for it meanwhile waits until that is
    /// done: a script would see the end of a child sooner than what the child sent it before.
    fn take_and<T>(&self, wanted: impl Fn(i32) -> bool, act: impl FnOnce(i32, bool) -> T) -> Option<T> {
        let flags = lock(&self.flags);
        let mut wanted = flags.iter().filter(|signal| wanted(signal.number));
        let signal = wanted.find(|signal| signal.came.swap(false, Ordering::AcqRel))?;
        Some(act(signal.number, signal.by_terminal.swap(false, Ordering::AcqRel)))
    }
}

impl Caught {
    pub(super) fn new(ignored: u64) -> io::Result<Self> {
        let caught = Self::of_no_signals(ignored)?;
        caught.begin()?;
        Ok(caught)
    }

    pub(super) fn begin(&self) -> io::Result<()> {
        ENDING.into_iter().try_for_each(|signal| self.catcher.register(signal))
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

    /// The handlers stay, as others may have theirs called by them, and do what the system would.
    pub(super) fn release(self) {
        let flags = lock(&self.catcher.flags);
        for CaughtSignal { number: signal, .. } in flags.iter() {
            // Where that fails the signal stays without effect, as it was until now.
            let _ = signal_hook::flag::register_conditional_default(*signal, Arc::new(AtomicBool::new(true)));
        }
    }

    pub(super) fn as_fd(&self) -> BorrowedFd<'_> {
        self.reader.as_fd()
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
pub(super) fn wait_until(caught: &Caught, deadline: Instant) {
    let left = deadline.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
    // Without the timeout it would wait for ever.
    match caught.reader.set_read_timeout(Some(left)) {
        // All that came at once is one wake-up.
        Ok(()) => drop((&caught.reader).read(&mut [0; 64])),
        Err(_) => std::thread::sleep(left.min(POLL_INTERVAL)),
    }
}

pub(super) fn wait<T>(
    caught: &mut Caught,
    receiver: &Receiver<T>,
    trapped: impl Fn(i32, bool) -> bool,
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
        let mut act = |signal: i32, by_terminal: bool| match trapped(signal, by_terminal) {
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
