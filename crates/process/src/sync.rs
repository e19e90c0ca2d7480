//! Taking a lock.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The data stays consistent whatever a panicking thread did: every critical section here is a few assignments.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
