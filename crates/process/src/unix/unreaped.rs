//! Children that outlived their run.
//!
//! The thread that waits for them waits for one after the other, and may not have been started at all (no thread to be had):
//! a child would stay a zombie for as long as another one lives, or this process. Whoever ends another run looks after them.
//! (A wait for any of them would need a descriptor for each, for as long as it lives.)

use std::sync::{Mutex, MutexGuard};

use super::child::Process;
use crate::sync::lock;

/// A static because children are the whole process's, whichever run has started them.
static UNREAPED: Mutex<Vec<Process>> = Mutex::new(Vec::new());

/// Leaves them to whoever comes by.
pub(super) fn leave(children: &[Process]) {
    lock(&UNREAPED).extend_from_slice(children);
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

    use super::super::child::Process;
    use super::{leave, reap};
    use crate::unix::Tree;
    use crate::unix::child::tests::shell;

    fn assert_is_reaped(child: &Process) {
        let end = Instant::now() + Duration::from_secs(60);
        while child.holds_id() {
            assert!(Instant::now() < end, "it stays a zombie");
            // Another test's release does the same.
            reap();
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri has no posix_spawn")]
    fn what_was_left_is_reaped_by_who_comes_by() {
        let tree = Tree::new(false);
        let child = shell(&tree, "exit 3");
        leave(std::slice::from_ref(&child));
        assert_is_reaped(&child);
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri has no posix_spawn")]
    fn children_are_reaped_while_another_one_of_their_tree_lives() {
        let tree = Tree::new(false);
        let long = shell(&tree, "sleep 600");
        let short: Vec<Process> = (0..8).map(|_| shell(&tree, "sleep 0.05")).collect();
        tree.release();
        short.iter().for_each(assert_is_reaped);
        let _ = long.signal(libc::SIGKILL);
    }
}
