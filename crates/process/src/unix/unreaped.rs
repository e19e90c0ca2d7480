//! Children that nobody waits for: they outlived their run, and there was no thread to be had that could wait for them.
//!
//! Each would stay a zombie from its end to this process's, so whoever ends another run looks after them.

use std::sync::{Mutex, MutexGuard};

use super::child::Process;
use crate::interrupt::lock;

/// A static because children are the whole process's, whichever run has started them.
static UNREAPED: Mutex<Vec<Process>> = Mutex::new(Vec::new());

/// Leaves them to whoever comes by.
pub(super) fn leave(children: Vec<Process>) {
    lock(&UNREAPED).extend(children);
}

/// Reaps those that have ended meanwhile.
pub(super) fn reap() {
    lock(&UNREAPED).retain(Process::is_alive);
}

/// Keeps them as they are while the process is copied.
pub(super) struct Held(MutexGuard<'static, Vec<Process>>);

impl Held {
    pub(super) fn new() -> Self {
        Self(lock(&UNREAPED))
    }

    /// In the copy: they are not its children.
    pub(super) fn forget(mut self) {
        self.0.clear();
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
