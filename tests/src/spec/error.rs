//! Why the suite could not do what it was asked for.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// Why the suite could not do what it was asked for.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// A file could not be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// A case file is not in the format.
    #[error("{}:{line}: {what}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// What is wrong and what to do.
        what: String,
    },
    /// The command line is wrong.
    #[error("{0}; see tests/spec/README.md")]
    Usage(String),
}

impl Error {
    pub(crate) fn file(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { path, source }
    }
}
