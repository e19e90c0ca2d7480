//! The process group of one job.

use std::io;

use crate::platform;

/// A process group within a tree, for a job of a shell with job control (XCU 2.11): made by [`ProcessTree::group`], which
/// ends it with everything else of the tree. The first process that is started in it leads it, others join.
///
/// The leader stays a zombie until [`close`](Self::close), so that others can join when it has ended. From then on it is reaped as any child
/// is; what is left of the group stays within reach: no new process gets a number that is still that of a group (POSIX, Base Definitions,
/// "Process ID").
///
/// Windows has no process groups: there it holds nothing.
///
/// [`ProcessTree::group`]: crate::ProcessTree::group
#[derive(Debug, Clone)]
pub struct ProcessGroup {
    pub(crate) inner: platform::Group,
}

impl ProcessGroup {
    /// Nothing more is started in it.
    pub fn close(&self) {
        self.inner.close();
    }

    /// Its number, which is the id of the process that leads it, or has led it; `None`: nothing was started in it yet.
    #[must_use]
    pub fn id(&self) -> Option<u32> {
        self.inner.id()
    }

    /// The signal that has stopped it: as long as one of our children in it lives, and all that do are stopped.
    #[must_use]
    pub fn stopped_by(&self) -> Option<i32> {
        self.inner.stopped_by()
    }

    /// Sends a signal to all of its processes; 0 asks whether there are any.
    ///
    /// # Errors
    /// `ESRCH` (Windows: [`io::ErrorKind::Unsupported`]) where it has no process any more; whatever `kill(2)` says.
    pub fn signal(&self, signal: i32) -> io::Result<()> {
        self.inner.signal(signal)
    }
}
