//! What an environment knows of a coprocess (`coproc`, bash) that it has started.

use std::sync::{Arc, Weak};

use hookshell_utility::{FdTable, Stream};

use crate::jobs::Job;

/// A coprocess of this environment. Its descriptors are this environment's alone: subshells and programs do not get them.
#[derive(Debug, Clone)]
pub(crate) struct Coprocess {
    pub(crate) name: Vec<u8>,
    pub(crate) job: Job,
    /// What it was given, while nothing else has taken the numbers.
    pub(crate) descriptors: [(u32, Weak<Stream>); 2],
}

impl Coprocess {
    pub(crate) fn has(&self, fd: u32, stream: &Arc<Stream>) -> bool {
        self.descriptors.iter().any(|(number, own)| *number == fd && std::ptr::eq(own.as_ptr(), Arc::as_ptr(stream)))
    }

    pub(crate) fn is_open(&self, fds: &FdTable) -> bool {
        self.descriptors.iter().any(|(fd, _)| fds.get(*fd).is_some_and(|stream| self.has(*fd, stream)))
    }

    pub(crate) fn close(&self, fds: &mut FdTable) {
        for (fd, _) in &self.descriptors {
            if fds.get(*fd).is_some_and(|stream| self.has(*fd, stream)) {
                fds.replace(*fd, None);
            }
        }
    }
}
