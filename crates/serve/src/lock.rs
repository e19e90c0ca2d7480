//! Locks that no panic spoils.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks it. No code of others runs under such a lock, but what wakes somebody.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
