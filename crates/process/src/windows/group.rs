//! The process group of one job, which Windows does not have.

use std::io;

/// See [`crate::ProcessGroup`].
#[derive(Debug, Clone)]
pub(crate) struct Group;

impl Group {
    pub(crate) fn close(&self) {}

    pub(crate) fn id(&self) -> Option<u32> {
        None
    }

    pub(crate) fn stopped_by(&self) -> Option<i32> {
        None
    }

    pub(crate) fn signal(&self, _: i32) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}
