//! One thread that waits for the deadlines of all runs of a dispatcher.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use hookshell_process::start_thread;
use hookshell_process::sync::lock;

/// How long the thread stays without a deadline to wait for.
const IDLE: Duration = Duration::from_secs(3);

/// The thread only hands on what is due; where no other thread can be had, it gives the outcome of a run too.
const STACK: usize = 256 * 1024;

/// What is done at a deadline, on the thread that waits for all of them: it must not block.
type Due = Box<dyn FnOnce() + Send>;

/// The deadlines of runs that continue. Its thread is started with the first one, or when the host says so ([`Deadlines::watch`]), and
/// ends when there has been none for a while, or with this.
#[derive(Default)]
pub(crate) struct Deadlines {
    shared: Arc<Shared>,
    /// The host has not called [`Deadlines::watch`] yet, and will.
    is_watched_later: AtomicBool,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// By time, and in the order in which they were set.
    due: BTreeMap<(Instant, u64), Due>,
    last: u64,
    /// Until when the thread sleeps; `None` if there is no thread.
    sleeps_until: Option<Instant>,
    closed: bool,
}

/// A deadline that was set.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deadline {
    key: (Instant, u64),
}

impl Shared {
    /// The thread: calls what is due, and waits for the next.
    fn wait(&self) {
        let mut state = lock(&self.state);
        loop {
            if state.closed {
                break;
            }
            let now = Instant::now();
            match state.due.first_key_value().map(|(&(at, _), _)| at) {
                Some(at) if at <= now => {
                    if let Some((_, due)) = state.due.pop_first() {
                        drop(state);
                        due();
                        state = lock(&self.state);
                    }
                }
                next => {
                    let until = next.unwrap_or(now + IDLE).min(now + IDLE);
                    state.sleeps_until = Some(until);
                    let (woken, timeout) = self
                        .changed
                        .wait_timeout(state, until.saturating_duration_since(now))
                        .unwrap_or_else(PoisonError::into_inner);
                    state = woken;
                    if timeout.timed_out() && next.is_none() && state.due.is_empty() {
                        break;
                    }
                }
            }
        }
        state.sleeps_until = None;
    }
}

impl Deadlines {
    /// Those of a host that calls [`Deadlines::watch`] soon after it has set one: until then no thread is started for them.
    pub(crate) fn watched_later() -> Self {
        Self { shared: Arc::default(), is_watched_later: AtomicBool::new(true) }
    }

    /// Has the thread wait for the deadlines that are set, and from now on for each that will be. `false`: no thread can be started.
    /// What is due by now was called, and the host is to call this again.
    pub(crate) fn watch(&self) -> bool {
        self.is_watched_later.store(false, Ordering::Release);
        let mut state = lock(&self.shared.state);
        let next = |state: &State| state.due.first_key_value().map(|(&(at, _), _)| at);
        while let Some(at) = next(&state).filter(|_| state.sleeps_until.is_none()) {
            if self.start_thread(&mut state, at).is_ok() {
                return true;
            }
            if at > Instant::now() {
                return false;
            }
            if let Some((_, due)) = state.due.pop_first() {
                drop(state);
                due();
                state = lock(&self.shared.state);
            }
        }
        true
    }

    /// Starts the thread, which gets the lock after this and looks at what is due first. `at`: when the next one is.
    fn start_thread(&self, state: &mut State, at: Instant) -> std::io::Result<()> {
        let shared = self.shared.clone();
        start_thread("hookshell-deadline", STACK, move || shared.wait())?;
        state.sleeps_until = Some(at);
        Ok(())
    }

    /// Has `due` called at a time, if it is not taken back before.
    ///
    /// # Errors
    /// There is no thread that waits, and none can be started.
    pub(crate) fn set(&self, at: Instant, due: impl FnOnce() + Send + 'static) -> std::io::Result<Deadline> {
        let mut state = lock(&self.shared.state);
        if state.sleeps_until.is_none() && !self.is_watched_later.load(Ordering::Acquire) {
            self.start_thread(&mut state, at)?;
        }
        state.last += 1;
        let key = (at, state.last);
        state.due.insert(key, Box::new(due));
        if state.sleeps_until.is_some_and(|until| at < until) {
            self.shared.changed.notify_one();
        }
        Ok(Deadline { key })
    }

    /// Takes a deadline back. One that has come already is nothing to take back.
    pub(crate) fn take_back(&self, deadline: Deadline) {
        let due = lock(&self.shared.state).due.remove(&deadline.key);
        // What it holds may be large: not under the lock.
        drop(due);
    }
}

impl Drop for Deadlines {
    fn drop(&mut self) {
        let mut state = lock(&self.shared.state);
        state.closed = true;
        let due = std::mem::take(&mut state.due);
        drop(state);
        self.shared.changed.notify_one();
        drop(due);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::time::{Duration, Instant};

    use super::Deadlines;

    const SOON: Duration = Duration::from_millis(20);
    const LATE: Duration = Duration::from_secs(60);

    #[test]
    fn deadlines_are_called_in_the_order_of_their_times() {
        let deadlines = Deadlines::default();
        let (sender, called) = channel();
        let now = Instant::now();
        for (name, after) in [("late", 3 * SOON), ("early", SOON), ("middle", 2 * SOON)] {
            let sender = sender.clone();
            deadlines.set(now + after, move || sender.send(name).unwrap_or_default()).unwrap();
        }
        let names: Vec<_> = (0..3).map(|_| called.recv_timeout(LATE).unwrap()).collect();
        assert_eq!(names, ["early", "middle", "late"]);
    }

    #[test]
    fn one_that_was_taken_back_is_not_called() {
        let deadlines = Deadlines::default();
        let (sender, called) = channel();
        let other = sender.clone();
        let now = Instant::now();
        let taken_back = deadlines.set(now + SOON, move || sender.send("taken back").unwrap_or_default()).unwrap();
        deadlines.set(now + 2 * SOON, move || other.send("kept").unwrap_or_default()).unwrap();
        deadlines.take_back(taken_back);
        assert_eq!(called.recv_timeout(LATE), Ok("kept"));
    }

    #[test]
    fn an_earlier_one_wakes_the_thread() {
        let deadlines = Deadlines::default();
        let (sender, called) = channel();
        let other = sender.clone();
        deadlines.set(Instant::now() + LATE, move || sender.send("late").unwrap_or_default()).unwrap();
        std::thread::sleep(SOON);
        deadlines.set(Instant::now() + SOON, move || other.send("early").unwrap_or_default()).unwrap();
        assert_eq!(called.recv_timeout(LATE / 2), Ok("early"));
    }

    #[test]
    fn those_that_are_watched_later_have_no_thread_until_then() {
        let deadlines = Deadlines::watched_later();
        let (sender, called) = channel();
        let other = sender.clone();
        let taken_back = deadlines.set(Instant::now(), move || other.send("taken back").unwrap_or_default()).unwrap();
        assert!(super::lock(&deadlines.shared.state).sleeps_until.is_none());
        deadlines.take_back(taken_back);
        // Nothing is left to wait for.
        assert!(deadlines.watch());
        assert!(super::lock(&deadlines.shared.state).sleeps_until.is_none());
        let deadlines = Deadlines::watched_later();
        let other = sender.clone();
        deadlines.set(Instant::now(), move || other.send("before").unwrap_or_default()).unwrap();
        assert!(called.recv_timeout(2 * SOON).is_err());
        assert!(deadlines.watch());
        assert_eq!(called.recv_timeout(LATE), Ok("before"));
        deadlines.set(Instant::now() + SOON, move || sender.send("after").unwrap_or_default()).unwrap();
        assert_eq!(called.recv_timeout(LATE), Ok("after"));
    }

    #[test]
    fn dropping_them_drops_what_is_not_due() {
        let deadlines = Deadlines::default();
        let (sender, called) = channel::<()>();
        deadlines.set(Instant::now() + LATE, move || drop(sender)).unwrap();
        drop(deadlines);
        assert!(called.recv_timeout(LATE / 2).is_err());
    }
}
