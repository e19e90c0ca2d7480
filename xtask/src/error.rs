//! Why a developer command failed.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;

/// Why a developer command failed; `Display` is the line that the developer reads.
#[derive(Debug)]
pub(crate) enum Error {
    /// The command line is wrong; the usage is printed after it.
    Usage(String),
    /// A program could not be started.
    Start { program: String, source: io::Error },
    /// A program ran and failed; it has said why on its own.
    Failed { command: String, status: ExitStatus },
    /// A file could not be read or written.
    File { path: PathBuf, source: io::Error },
    /// A file does not have the form that it must have.
    Malformed { path: PathBuf, line: usize, expected: &'static str },
    /// Something ran and its result is not the expected one.
    Unexpected(String),
    /// Steps of `ci` failed; the summary above names them.
    Steps(Vec<&'static str>),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(what) | Self::Unexpected(what) => f.write_str(what),
            Self::Start { program, source } => write!(f, "cannot start {program}: {source}"),
            Self::Failed { command, status } => write!(f, "{command}: {status}"),
            Self::File { path, source } => write!(f, "{}: {source}", path.display()),
            Self::Malformed { path, line, expected } => {
                write!(f, "{}:{line}: expected {expected}", path.display())
            }
            Self::Steps(names) => write!(f, "failed: {}", names.join(", ")),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Start { source, .. } | Self::File { source, .. } => Some(source),
            _ => None,
        }
    }
}
