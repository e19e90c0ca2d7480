//! Children that nobody waits for: they outlived their run, and there was no thread to be had that could wait for them.
//!
//! Each would stay a zombie from its end to this process's, so whoever ends another run looks after them.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use super::child::Process;

/// A static because children are the whole process's, whichever run has started them.
static UNREAPED: Mutex<Vec<Process>> = Mutex::new(Vec::new());

/// Are there any? Nearly always there are none, and this is all that is looked at.
static ARE_ANY: AtomicBool = AtomicBool::new(false);

/// Leaves them to whoever comes by.
pub(super) fn leave(children: Vec<Process>) {
    // The lock is held for a moment. In a copy of this process it may be held for ever: what is left there stays.
    if let Ok(mut unreaped) = UNREAPED.try_lock() {
        unreaped.extend(children);
        ARE_ANY.store(!unreaped.is_empty(), Ordering::Release);
    }
}

/// Reaps those that have ended meanwhile.
pub(super) fn reap() {
    if !ARE_ANY.load(Ordering::Acquire) {
        return;
    }
    if let Ok(mut unreaped) = UNREAPED.try_lock() {
        unreaped.retain(Process::is_alive);
        ARE_ANY.store(!unreaped.is_empty(), Ordering::Release);
    }
}

/// In a copy of this process: they are not its children.
pub(super) fn forget() {
    ARE_ANY.store(false, Ordering::Release);
    if let Ok(mut unreaped) = UNREAPED.try_lock() {
        unreaped.clear();
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::{leave, reap};
    use crate::unix::Tree;
    use crate::unix::child::tests::shell;

    #[test]
    #[cfg_attr(miri, ignore = "Miri has no posix_spawn")]
    fn what_was_left_is_reaped_by_who_comes_by() {
        let tree = Tree::new(false);
        let child = shell(&tree, "exit 3");
        leave(vec![child.clone()]);
        let end = Instant::now() + Duration::from_secs(60);
        while child.holds_id() {
            assert!(Instant::now() < end, "it stays a zombie");
            // Another test's release does the same.
            reap();
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}
