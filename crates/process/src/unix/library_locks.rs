//! Locks that belong to the process as a whole, inside the C library and other libraries: whether another thread holds one
//! cannot be asked. A copy of the process that is made meanwhile would wait for it for ever.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::sync::lock;

/// A static because those locks are the process's too.
static CALLS: Calls = Calls { active: Mutex::new(0), ended: Condvar::new() };

/// Calls take microseconds, but for a directory service or DNS that does not answer.
const MAX_WAIT: Duration = Duration::from_millis(100);

struct Calls {
    active: Mutex<usize>,
    ended: Condvar,
}

/// A call that may take such a lock, until it is dropped.
struct Call;

impl Drop for Call {
    fn drop(&mut self) {
        let mut active = lock(&CALLS.active);
        *active = active.saturating_sub(1);
        drop(active);
        CALLS.ended.notify_all();
    }
}

/// See [`crate::while_not_copied`].
pub(crate) fn while_not_copied<T>(call: impl FnOnce() -> T) -> T {
    *lock(&CALLS.active) += 1;
    let _call = Call;
    call()
}

/// Nobody holds such a lock, or takes one, while this is there. `None`: somebody does, and for long.
pub(super) fn hold_calls() -> Option<MutexGuard<'static, usize>> {
    let begun = Instant::now();
    let mut active = lock(&CALLS.active);
    while *active > 0 {
        let left = MAX_WAIT.checked_sub(begun.elapsed())?;
        active = CALLS.ended.wait_timeout(active, left).unwrap_or_else(PoisonError::into_inner).0;
    }
    Some(active)
}

#[cfg(test)]
mod tests {
    use super::{hold_calls, while_not_copied};

    #[test]
    fn who_copies_waits_for_calls_and_not_for_ever() {
        assert!(while_not_copied(hold_calls).is_none());
        let held = hold_calls();
        assert!(held.is_some());
        let thread = std::thread::spawn(|| while_not_copied(|| 7));
        drop(held);
        assert_eq!(thread.join().unwrap(), 7);
    }
}
