//! What kind of thing a file is.

/// What kind of thing a file is, as far as reading and writing it can block. Computed once per file and passed to
/// [`Interrupt`](crate::Interrupt)'s calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FileKind {
    /// A regular file or block device: reads and writes do not wait for anybody.
    Regular,
    /// A directory.
    Directory,
    /// A pipe or FIFO (Windows: a socket as well).
    Pipe,
    /// A socket.
    Socket,
    /// A terminal, the null device or another character device.
    Character,
    /// The system did not say.
    Unknown,
}

impl FileKind {
    /// Whether a read or write of it can wait for somebody else.
    #[must_use]
    pub fn may_block(self) -> bool {
        !matches!(self, Self::Regular | Self::Directory)
    }
}
