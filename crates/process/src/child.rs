//! One started child.

use crate::{ChildStatus, Interrupt, WaitError, platform};

/// A child process. Waiting may be done by any number of threads, and again after the end: the status is remembered.
///
/// Dropping it neither kills nor waits; the tree still knows the process and reaps it at its release.
#[derive(Debug)]
pub struct Child {
    inner: platform::Process,
}

impl Child {
    pub(crate) fn new(inner: platform::Process) -> Self {
        Self { inner }
    }

    /// The process id.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.inner.id()
    }

    /// Waits until it has ended.
    ///
    /// # Errors
    /// See [`WaitError`].
    pub fn wait(&self) -> Result<ChildStatus, WaitError> {
        self.inner.wait()
    }

    /// Its status if it has ended already.
    ///
    /// # Errors
    /// See [`WaitError`].
    pub fn try_wait(&self) -> Result<Option<ChildStatus>, WaitError> {
        self.inner.try_wait()
    }

    /// Waits until it has ended (`Some`) or the interrupt is raised (`None`). A child that has ended is `Some` even then.
    ///
    /// Linux waits for a pidfd, Windows for the process handle, without a thread. Where there is no pidfd, a helper thread waits;
    /// if the interrupt comes first it is left behind, and counted by [`Interrupt::abandoned`] until the child ends.
    ///
    /// # Errors
    /// See [`WaitError`].
    pub fn wait_interruptible(&self, interrupt: &Interrupt) -> Result<Option<ChildStatus>, WaitError> {
        match self.inner.try_wait()? {
            Some(status) => Ok(Some(status)),
            None if interrupt.is_raised() => Ok(None),
            None => self.inner.wait_interruptible(interrupt),
        }
    }
}
