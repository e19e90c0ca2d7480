//! Why there was no soak.

use std::io;

use thiserror::Error;

/// Why there was no soak.
#[derive(Debug, Error)]
pub enum Error {
    /// The command line is wrong.
    #[error("{0}")]
    Usage(String),
    /// The system refused something that the soak itself needs.
    #[error("{what}: {source}")]
    System {
        /// What was wanted.
        what: String,
        /// What the system says.
        source: io::Error,
    },
    /// A case file.
    #[error(transparent)]
    Spec(#[from] crate::spec::Error),
    /// The runner could not be made.
    #[error("the runner: {0}")]
    Runner(String),
}

impl Error {
    /// For `map_err`.
    pub(super) fn system(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let what = what.into();
        move |source| Self::System { what, source }
    }
}
