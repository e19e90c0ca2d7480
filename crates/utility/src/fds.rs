//! The table of file descriptors.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::stream::Stream;

/// The streams of descriptors 0, 1, 2 …
type Entries = SmallVec<[Option<Arc<Stream>>; 4]>;

/// The descriptors of one execution environment: any numbers, each leading to a stream. Duplicates of a descriptor
/// share the stream, as they share the open file description in POSIX.
#[derive(Debug, Clone, Default)]
pub struct FdTable {
    /// Shared by the copies of a table until one of them is changed.
    entries: Arc<Entries>,
}

impl FdTable {
    /// The highest number a script may name, as `ulimit -n` would say.
    pub const MAX: u32 = 1023;

    /// A table with standard input, output and error.
    pub fn new(stdin: Arc<Stream>, stdout: Arc<Stream>, stderr: Arc<Stream>) -> Self {
        Self { entries: Arc::new([Some(stdin), Some(stdout), Some(stderr)].into_iter().collect()) }
    }

    /// The stream after `fd`; `None` when it is closed.
    #[inline]
    pub fn get(&self, fd: u32) -> Option<&Arc<Stream>> {
        self.entries.get(fd as usize)?.as_ref()
    }

    /// Makes `fd` lead to `stream` (`None` closes it) and gives what it led to before.
    pub fn replace(&mut self, fd: u32, stream: Option<Arc<Stream>>) -> Option<Arc<Stream>> {
        let index = fd.min(Self::MAX) as usize;
        if index >= self.entries.len() {
            stream.as_ref()?;
        }
        let entries = Arc::make_mut(&mut self.entries);
        if index >= entries.len() {
            entries.resize(index + 1, None);
        }
        std::mem::replace(&mut entries[index], stream)
    }

    /// The lowest closed descriptor from `from` on (bash gives `{var}>` 10 and more).
    pub fn lowest_free(&self, from: u32) -> Option<u32> {
        (from..=Self::MAX).find(|&fd| self.get(fd).is_none())
    }

    /// The open descriptors with their streams, in order.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &Arc<Stream>)> {
        (0u32..).zip(self.entries.iter()).filter_map(|(fd, entry)| entry.as_ref().map(|stream| (fd, stream)))
    }
}
