//! Reading and writing that an interrupt wakes.

use std::fs::File;
use std::io;

use crate::interrupt::{Interrupt, interrupted};
use crate::{FileKind, platform};

impl Interrupt {
    /// Reads once, as [`std::io::Read::read`] does; 0 is the end of the file. `kind` is [`FileKind::of`] of the file.
    ///
    /// # Errors
    /// What the system says, and [`Interrupted`](crate::Interrupted) when the interrupt was raised before or while waiting. A byte that was
    /// taken from the file is never lost: either it is returned, or it stays.
    pub fn read(&self, file: &File, kind: FileKind, buffer: &mut [u8]) -> io::Result<usize> {
        if self.is_raised() {
            return Err(interrupted());
        }
        platform::read(self, file, kind, buffer)
    }

    /// Writes all of `data`. `kind` is [`FileKind::of`] of the file.
    ///
    /// To a regular file with one system call unless the system takes less (so that `O_APPEND` is one record); to a pipe, up to `PIPE_BUF`
    /// bytes are one piece.
    ///
    /// # Errors
    /// What the system says: [`io::ErrorKind::BrokenPipe`] when nobody reads any more (the thread is expected to block
    /// `SIGPIPE`, see [`block_sigpipe_on_this_thread`](crate::block_sigpipe_on_this_thread)); [`Interrupted`](crate::Interrupted) when the interrupt was raised before or while
    /// waiting: part of the data may have been written.
    pub fn write_all(&self, file: &File, kind: FileKind, data: &[u8]) -> io::Result<()> {
        if self.is_raised() {
            return Err(interrupted());
        }
        platform::write_all(self, file, kind, data)
    }
}
