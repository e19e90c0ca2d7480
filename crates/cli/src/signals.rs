//! The signals that end this process: they become a stop of the run, whose traps still get their turn.
//!
//! The main thread has nothing else to do than to wait for the run and for signals, so no further thread is needed.

use std::sync::mpsc::{Receiver, Sender, channel};
#[cfg(unix)]
use std::time::Duration;

use hookshell_shell::{CancelReason, CancelToken};

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
        platform::wait(&mut caught, &receiver, stop)
    }
}

#[cfg(unix)]
mod platform {
    use std::io::{self, Read, Write};
    use std::os::unix::net::UnixStream;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc::{Receiver, TryRecvError};

    use hookshell_shell::CancelReason;
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

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
        writer: UnixStream,
        /// The last signal that came; 0: none.
        last: Arc<AtomicUsize>,
    }

    impl Caught {
        pub(super) fn new() -> io::Result<Self> {
            let (reader, writer) = UnixStream::pair()?;
            let last = Arc::new(AtomicUsize::new(0));
            let ignored = ignored_signals();
            for signal in [SIGHUP, SIGINT, SIGTERM] {
                if ignored & (1 << (signal - 1)) != 0 {
                    continue;
                }
                signal_hook::flag::register_usize(signal, last.clone(), usize::try_from(signal).unwrap_or(0))?;
                signal_hook::low_level::pipe::register(signal, writer.try_clone()?)?;
            }
            Ok(Self { reader, writer, last })
        }

        pub(super) fn waker(&self) -> Waker {
            Waker(self.writer.try_clone().ok())
        }
    }

    /// The signals that this process was started with as ignored, as bits: signal 1 is bit 0. Linux says it; elsewhere
    /// none is assumed.
    fn ignored_signals() -> u64 {
        let Ok(status) = std::fs::read("/proc/self/status") else {
            return 0;
        };
        let mask = status.split(|byte| *byte == b'\n').find_map(|line| line.strip_prefix(b"SigIgn:\t"));
        mask.and_then(|mask| u64::from_str_radix(std::str::from_utf8(mask).ok()?, 16).ok()).unwrap_or(0)
    }

    pub(super) fn wait<T>(
        caught: &mut Caught,
        receiver: &Receiver<T>,
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
            let signal = i32::try_from(caught.last.swap(0, Ordering::AcqRel)).unwrap_or(0);
            let reason = match signal {
                0 => continue,
                SIGINT => CancelReason::Interrupted,
                _ => CancelReason::Cancelled,
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

#[cfg(not(unix))]
mod platform {
    use std::io;
    use std::sync::mpsc::Receiver;

    use hookshell_shell::CancelReason;

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
    }

    pub(super) fn wait<T>(_: &mut Caught, receiver: &Receiver<T>, _: impl FnMut(CancelReason, Stop)) -> Finished<T> {
        Finished { result: receiver.recv().ok(), signal: None }
    }
}
