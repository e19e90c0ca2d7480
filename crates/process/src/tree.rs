//! The processes of one hook run.

use std::io;
use std::sync::Arc;

use crate::{Child, SpawnError, SpawnRequest, platform};

/// All processes that one run starts, and what they start in turn: what can be ended as a whole.
///
/// **Isolated, Unix**: one process group for the whole run. The first child leads it, later ones join it. The leader
/// is waited for without being reaped and stays a zombie until [`release`](Self::release), so that the group's number
/// cannot be given to anybody else while we may still kill it. A child that cannot join (the group is gone) leads one of its
/// own, which belongs to the tree too. A process that leaves the group (`setsid`) escapes if it is not our own child.
///
/// **Isolated, Windows**: one job object that dies with its last handle, so also with the host. Processes cannot break away.
///
/// **Inherited**: children stay in the caller's group and at its terminal, and each live child is ended by itself.
///
/// In a host that ignores `SIGCHLD` or waits for all children, a group whose leader is gone is not signalled any more: its
/// number may be somebody else's by then. Its own children are.
///
/// Dropping the tree is [`release`](Self::release): it kills nothing.
#[derive(Debug)]
pub struct ProcessTree {
    inner: platform::Tree,
}

impl ProcessTree {
    /// A tree with a process group or job object of its own.
    #[must_use]
    pub fn isolated() -> Self {
        Self { inner: platform::Tree::new(true) }
    }

    /// A tree in the caller's process group, for `hookshell sh` and `hookshell exec`.
    #[must_use]
    pub fn inherited() -> Self {
        Self { inner: platform::Tree::new(false) }
    }

    /// Starts a program. Returns when it has started (Unix: when its `execve` succeeded).
    ///
    /// Children have default signal dispositions and an empty signal mask; inherited trees reset `SIGPIPE` only, so that `nohup`
    /// holds. Of our descriptors a child gets the request's and no others.
    ///
    /// # Errors
    /// See [`SpawnError`]; after [`kill`](Self::kill) and [`release`](Self::release) always [`SpawnError::Ended`].
    pub fn spawn(&self, request: &SpawnRequest<'_>) -> Result<Arc<Child>, SpawnError> {
        self.inner.spawn(request).map(|child| Arc::new(Child::new(child)))
    }

    /// Asks all processes of the tree to end: `SIGTERM`, and `SIGCONT` for the stopped ones. Further children may be started
    /// (a trap's commands).
    ///
    /// Windows has nothing of the kind for processes without a console: nothing happens there, and the grace that follows is the
    /// processes' own time.
    pub fn terminate(&self) {
        self.inner.terminate();
    }

    /// Ends all processes of the tree at once: `SIGKILL` to the groups and to each child, `TerminateJobObject` with 137. The
    /// children still have to be waited for. Nothing is started any more, and what another thread is just starting is killed as well.
    pub fn kill(&self) {
        self.inner.kill();
    }

    /// The normal end: background processes live on and are no longer ours to kill (Windows: kill-on-close is lifted first).
    ///
    /// Every child that has ended is reaped. For those that live on, one small thread waits until they end, so that a
    /// long-lived host collects no zombies.
    pub fn release(&self) {
        self.inner.release();
    }

    /// How many children have been started and have not ended. Children that ended without being waited for are
    /// looked at, and do not count.
    #[must_use]
    pub fn live_children(&self) -> usize {
        self.inner.live_children()
    }

    /// Sends a signal to one of our children that nobody has seen ending yet.
    ///
    /// Windows: 0 asks whether it lives; HUP, INT, QUIT, ILL, TRAP, ABRT, FPE, KILL, USR1, SEGV, USR2, PIPE, ALRM and
    /// TERM end the process with exit code 128 + signal.
    ///
    /// # Errors
    /// `ESRCH` (Windows: [`io::ErrorKind::NotFound`]) for any other process id, so also for the host's and the system's
    /// other processes; whatever `kill(2)` says.
    pub fn signal(&self, pid: u32, signal: i32) -> io::Result<()> {
        self.inner.signal(pid, signal)
    }
}

impl Drop for ProcessTree {
    fn drop(&mut self) {
        self.inner.release();
    }
}
