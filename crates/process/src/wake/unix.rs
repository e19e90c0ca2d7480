//! What `poll` sees when an interrupt is raised.

use std::io::{PipeReader, PipeWriter};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::{Mutex, OnceLock};

use crate::sync::lock;

/// A pipe whose write end is closed to wake: its read end is then ready for everyone, for good (`POLLHUP`).
#[derive(Debug)]
pub(crate) struct Waker {
    reader: OnceLock<Option<PipeReader>>,
    writer: Mutex<Option<PipeWriter>>,
}

impl Waker {
    pub(crate) fn new() -> Self {
        Self { reader: OnceLock::new(), writer: Mutex::new(None) }
    }

    /// The descriptor to poll for input; made at the first call. `None` when the system has no descriptors left: poll with
    /// a short timeout instead.
    ///
    /// The caller looks at the flag after this call: a raise that came before the pipe existed has closed nothing.
    pub(crate) fn fd(&self) -> Option<BorrowedFd<'_>> {
        let reader = self.reader.get_or_init(|| {
            let (reader, writer) = std::io::pipe().ok()?;
            *lock(&self.writer) = Some(writer);
            Some(reader)
        });
        reader.as_ref().map(AsFd::as_fd)
    }

    pub(crate) fn wake(&self) {
        drop(lock(&self.writer).take());
    }
}

/// Nothing to do on Unix: blocked calls poll the waker.
#[derive(Debug)]
pub(crate) struct BlockedThreads;

impl BlockedThreads {
    pub(crate) fn new() -> Self {
        Self
    }

    pub(crate) fn cancel(&self) {
        let Self = self;
    }
}
