//! Where a hook's config stands, and whose it is.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// A place in a config file: `path:line:column`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file, as it was named.
    pub file: Arc<Path>,
    /// The line; the first is 1.
    pub line: usize,
    /// The column in characters; the first is 1.
    pub column: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file.display(), self.line, self.column)
    }
}

/// Who named the file that a hook's config stands in: what a runner's `TrustPolicy` goes by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
#[non_exhaustive]
pub enum Origin {
    /// The host or the user named it for this run, or a program made it.
    #[default]
    Given,
    /// It was found in the user's own directories.
    User,
    /// It was found in the project's directory: whoever wrote the project wrote it.
    Project,
    /// It was found where only an administrator of this machine writes.
    Managed,
}

impl Origin {
    /// One word: `given`, `user`, `project` or `managed`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Given => "given",
            Self::User => "user",
            Self::Project => "project",
            Self::Managed => "managed",
        }
    }

    /// May what a file of this origin says change hooks of the other one: disable, enable, replace or reorder them? An
    /// administrator's file may do so to all, the user's to the user's and the project's, and the project's to its own alone.
    pub fn may_change(self, other: Self) -> bool {
        self.rank() >= other.rank()
    }

    fn rank(self) -> u8 {
        match self {
            Self::Project => 0,
            // Who names a file for a run has the user's rights.
            Self::User | Self::Given => 1,
            Self::Managed => 2,
        }
    }
}
