//! The events of a console, of which there are INT alone: a queue and a condition variable.

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
    pub(super) fn new(ignored: u64) -> io::Result<Self> {
        let caught = Self::of_no_signals(ignored)?;
        caught.begin()?;
        Ok(caught)
    }

    /// Catches nothing yet.
    pub(super) fn of_no_signals(_: u64) -> io::Result<Self> {
        Ok(Self(Arc::default()))
    }

    pub(super) fn begin(&self) -> io::Result<()> {
        let of_events = self.0.clone();
        take_console_events(Some(Box::new(move |signal| {
            of_events.state().signals.push_back(signal);
            of_events.changed.notify_all();
            true
        })))
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
pub(super) fn wait_until(caught: &Caught, deadline: Instant) {
    let left = deadline.saturating_duration_since(Instant::now());
    let nothing = |state: &mut State| state.signals.is_empty() && !state.run_has_ended;
    let waited = caught.0.changed.wait_timeout_while(caught.0.state(), left, nothing);
    let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
    state.run_has_ended = false;
}

pub(super) fn wait<T>(
    caught: &mut Caught,
    receiver: &Receiver<T>,
    trapped: impl Fn(i32, bool) -> bool,
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
            // A console gives its events to all its processes.
            if !trapped(signal, true) && pass_on(signal, &mut first, &mut stop) {
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
