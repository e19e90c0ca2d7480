//! Taking a lock that another thread may have panicked under.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks it, whether or not a thread panicked while it held the lock.
///
/// For data that stays consistent whatever a panicking thread did: each change under such a lock is a few assignments or one call.
pub fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
