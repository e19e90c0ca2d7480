//! What threads tell the one that waits for them.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::sync::lock;

/// How long something is waited for awake that another processor is about to do. To go to sleep and be woken takes about as
/// long.
const AWAKE: Duration = Duration::from_micros(50);

/// Looks again and again whether something has happened that another thread does right now, before the caller goes to
/// sleep. `false`: it takes longer than a few dozen microseconds.
///
/// It does not yield: where the processors are busy, who yields waits for much longer than who sleeps and is woken.
pub fn wait_awake(has_happened: impl FnMut() -> bool) -> bool {
    wait_awake_for(AWAKE, has_happened)
}

/// As [`wait_awake`], for so long.
pub fn wait_awake_for(bound: Duration, mut has_happened: impl FnMut() -> bool) -> bool {
    const LOOKS: u32 = 32;
    let start = Instant::now();
    loop {
        for _ in 0..LOOKS {
            if has_happened() {
                return true;
            }
            std::hint::spin_loop();
        }
        if start.elapsed() >= bound {
            return false;
        }
    }
}

/// A queue from many threads to one that waits: nothing is allocated for it but what is in it, and nobody is woken who is
/// awake.
#[derive(Debug)]
pub struct Mailbox<T> {
    state: Mutex<State<T>>,
    /// How many wait in it.
    filled: AtomicUsize,
    changed: Condvar,
}

#[derive(Debug)]
struct State<T> {
    queue: VecDeque<T>,
    is_asleep: bool,
    is_closed: bool,
}

impl<T> Default for Mailbox<T> {
    fn default() -> Self {
        let state = State { queue: VecDeque::new(), is_asleep: false, is_closed: false };
        Self { state: Mutex::new(state), filled: AtomicUsize::new(0), changed: Condvar::new() }
    }
}

impl<T> Mailbox<T> {
    /// Puts something in; `false` where it is closed.
    pub fn send(&self, what: T) -> bool {
        let mut state = lock(&self.state);
        if state.is_closed {
            return false;
        }
        state.queue.push_back(what);
        self.filled.store(state.queue.len(), Ordering::Release);
        let is_asleep = state.is_asleep;
        drop(state);
        if is_asleep {
            self.changed.notify_one();
        }
        true
    }

    /// Nothing more is taken out: what is in it is dropped, and what comes is refused.
    pub fn close(&self) {
        let mut state = lock(&self.state);
        state.is_closed = true;
        let left = std::mem::take(&mut state.queue);
        drop(state);
        drop(left);
    }

    /// Takes the next thing out, when it comes: `None` at the deadline. One thread only may wait.
    pub fn receive(&self, deadline: Option<Instant>) -> Option<T> {
        let mut state = lock(&self.state);
        loop {
            if let Some(what) = state.queue.pop_front() {
                self.filled.store(state.queue.len(), Ordering::Release);
                return Some(what);
            }
            let left = match deadline {
                None => None,
                Some(deadline) => Some(deadline.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())?),
            };
            state.is_asleep = true;
            state = match left {
                None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(left) => self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0,
            };
            state.is_asleep = false;
        }
    }

    /// [`Self::receive`] of what is about to come: it is waited for [awake](wait_awake) for a moment.
    pub fn receive_soon(&self, deadline: Option<Instant>) -> Option<T> {
        wait_awake(|| self.filled.load(Ordering::Acquire) > 0);
        self.receive(deadline)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    use super::{Mailbox, wait_awake};

    #[test]
    fn what_was_sent_is_received_in_order() {
        let mailbox = Mailbox::default();
        assert!(mailbox.send(1) && mailbox.send(2));
        let far = Instant::now().checked_add(Duration::from_secs(60));
        assert_eq!((mailbox.receive(far), mailbox.receive_soon(None)), (Some(1), Some(2)));
        assert_eq!(mailbox.receive(Some(Instant::now() + Duration::from_millis(5))), None);
        assert!(mailbox.send(3));
        mailbox.close();
        assert!(!mailbox.send(4));
        assert_eq!(mailbox.receive(Some(Instant::now())), None);
    }

    #[test]
    fn one_who_sleeps_is_woken() {
        let mailbox = Arc::new(Mailbox::default());
        let sender = mailbox.clone();
        let thread = std::thread::spawn(move || {
            for number in 0..100 {
                if number % 10 == 0 {
                    std::thread::sleep(Duration::from_millis(1));
                }
                assert!(sender.send(number));
            }
        });
        for number in 0..100 {
            let received = if number % 2 == 0 { mailbox.receive(None) } else { mailbox.receive_soon(None) };
            assert_eq!(received, Some(number));
        }
        thread.join().unwrap();
    }

    #[test]
    fn waiting_awake_has_an_end() {
        assert!(wait_awake(|| true));
        assert!(!wait_awake(|| false));
    }
}
