//! Telling a hook that nobody waits for it any more.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use hookshell_process::sync::lock;

/// Tells that nobody waits any more for what was asked. Clones are the same token.
///
/// ```
/// use hookshell_runner::CancelToken;
///
/// let token = CancelToken::new();
/// let (sender, receiver) = std::sync::mpsc::channel();
/// let _guard = token.on_cancel(move || sender.send("ended").unwrap_or_default());
/// assert!(!token.is_cancelled());
/// token.cancel();
/// assert!(token.is_cancelled());
/// assert_eq!(receiver.recv(), Ok("ended"));
/// ```
#[derive(Clone, Default)]
pub struct CancelToken(Arc<Shared>);

#[derive(Default)]
struct Shared {
    is_cancelled: AtomicBool,
    callbacks: Mutex<Callbacks>,
}

#[derive(Default)]
struct Callbacks {
    next: u64,
    list: Vec<(u64, Box<dyn FnOnce() + Send>)>,
}

impl CancelToken {
    /// A token that is not cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// Cancels what the token is for. Each callback is called once, on this thread; a second cancel does nothing.
    pub fn cancel(&self) {
        let list = {
            let mut callbacks = self.callbacks();
            self.0.is_cancelled.store(true, Ordering::SeqCst);
            std::mem::take(&mut callbacks.list)
        };
        for (_, callback) in list {
            callback();
        }
    }

    /// Was it cancelled?
    pub fn is_cancelled(&self) -> bool {
        self.0.is_cancelled.load(Ordering::SeqCst)
    }

    /// Has this called when it is cancelled: at once where it was, never once the guard is dropped (a call that has
    /// begun is not waited for). The callback should only wake or end something: it must neither block nor panic.
    #[must_use = "the callback is forgotten when the guard is dropped"]
    pub fn on_cancel(&self, callback: impl FnOnce() + Send + 'static) -> CancelGuard {
        let mut callbacks = self.callbacks();
        callbacks.next += 1;
        let number = callbacks.next;
        // Under the lock: a cancel comes either before this look or after the callback is in the list.
        if self.is_cancelled() {
            drop(callbacks);
            callback();
        } else {
            callbacks.list.push((number, Box::new(callback)));
        }
        CancelGuard { token: self.clone(), number }
    }

    fn callbacks(&self) -> MutexGuard<'_, Callbacks> {
        // Every change is one call: nothing is left half-done where a holder panics.
        lock(&self.0.callbacks)
    }
}

impl fmt::Debug for CancelToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CancelToken").field("is_cancelled", &self.is_cancelled()).finish_non_exhaustive()
    }
}

/// Keeps a callback of [`CancelToken::on_cancel`].
#[derive(Debug)]
pub struct CancelGuard {
    token: CancelToken,
    number: u64,
}

impl Drop for CancelGuard {
    fn drop(&mut self) {
        // Dropped after the lock is released: the callback may hold anything.
        let _forgotten = {
            let mut callbacks = self.token.callbacks();
            let at = callbacks.list.iter().position(|(number, _)| *number == self.number);
            at.map(|at| callbacks.list.swap_remove(at))
        };
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::CancelToken;

    #[test]
    fn a_callback_is_called_once_and_not_after_its_guard_is_gone() {
        let count = Arc::new(AtomicU32::new(0));
        let add = |by| {
            let count = Arc::clone(&count);
            move || {
                count.fetch_add(by, Ordering::SeqCst);
            }
        };
        let token = CancelToken::new();
        let _kept = token.on_cancel(add(1));
        drop(token.on_cancel(add(10)));
        token.cancel();
        token.cancel();
        assert_eq!(count.load(Ordering::SeqCst), 1);
        let _late = token.on_cancel(add(100));
        assert_eq!(count.load(Ordering::SeqCst), 101);
    }
}
