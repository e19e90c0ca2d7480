//! The process substitutions of a command that is being run.

use std::sync::{Arc, Weak};

use hookshell_utility::Stream;

/// A process substitution of a command that is being run: a pipe, whose end this shell has as a descriptor.
#[derive(Debug, Clone)]
pub(crate) struct Substitution {
    /// The number in its `/dev/fd/N`.
    pub(crate) fd: u32,
    /// `<(list)`: the command reads what the list writes.
    pub(crate) read: bool,
    /// What the descriptor leads to, while it is this substitution's.
    pub(crate) stream: Weak<Stream>,
    /// Where programs have no `/dev/fd`: the file that takes its place for them, once one was started.
    pub(crate) file: Option<Arc<tempfile::TempPath>>,
}
