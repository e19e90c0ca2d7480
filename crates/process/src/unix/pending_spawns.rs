//! The starts of programs that are under way.
//!
//! Until its `execve` a new child has a copy of every descriptor of this process, also of those that are closed here
//! meanwhile. A FIFO has a reader or a writer as long as that, which nobody knows of: who opens the other side then does not wait,
//! and what it writes is lost when the copy goes.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::sync::lock;

/// A static because what it describes, the descriptors of this process, is the process's too.
static STARTS: Starts =
    Starts { state: Mutex::new(State { next: 0, active: Vec::new(), last: None }), ended: Condvar::new() };

/// A start that takes longer (a working directory on a file system that does not answer) is not waited for.
const LONGEST: Duration = Duration::from_secs(2);

struct Starts {
    state: Mutex<State>,
    ended: Condvar,
}

pub(super) struct State {
    next: u64,
    active: Vec<u64>,
    /// When the last one ended.
    last: Option<Instant>,
}

/// A start that is under way, until it is dropped.
pub(super) struct Start(u64);

impl Start {
    /// To be called before the child is made.
    pub(super) fn begin() -> Self {
        let mut state = lock(&STARTS.state);
        let id = state.next;
        state.next += 1;
        state.active.push(id);
        Self(id)
    }
}

impl Drop for Start {
    fn drop(&mut self) {
        let mut state = lock(&STARTS.state);
        state.active.retain(|id| *id != self.0);
        state.last = Some(Instant::now());
        drop(state);
        STARTS.ended.notify_all();
    }
}

/// Keeps the list of starts as it is while the process is copied.
pub(super) struct Held(std::sync::MutexGuard<'static, State>);

impl Held {
    pub(super) fn new() -> Self {
        Self(lock(&STARTS.state))
    }

    /// In the copy: of whoever has begun them only this process's other threads know the end.
    pub(super) fn forget(mut self) {
        self.0.active.clear();
    }
}

/// The system lets the parent continue when the child has its new memory, and closes descriptors a moment later: in microseconds,
/// where the child keeps its processor.
const CLOSING: Duration = Duration::from_millis(10);

/// Waits for the starts that are under way.
pub(crate) fn wait_for_starts() {
    let begun = Instant::now();
    let mut state = lock(&STARTS.state);
    let next = state.next;
    while state.active.iter().any(|id| *id < next) {
        let Some(left) = LONGEST.checked_sub(begun.elapsed()) else { return };
        state = STARTS.ended.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
    }
    let closing = state.last.and_then(|last| CLOSING.checked_sub(last.elapsed()));
    drop(state);
    if let Some(closing) = closing {
        std::thread::sleep(closing);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{TryRecvError, channel};

    use super::{Start, wait_for_starts};

    #[test]
    fn the_starts_before_are_waited_for_and_not_those_after() {
        let start = Start::begin();
        let (sender, receiver) = channel();
        let thread = std::thread::spawn(move || {
            sender.send(()).unwrap();
            wait_for_starts();
            sender.send(()).unwrap();
        });
        receiver.recv().unwrap();
        assert_eq!(receiver.try_recv(), Err(TryRecvError::Empty));
        drop(start);
        receiver.recv().unwrap();
        thread.join().unwrap();
    }
}
