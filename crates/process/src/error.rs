//! Why a child could not be started or waited for.

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::PathBuf;

/// The part of a [`SpawnRequest`](crate::SpawnRequest) that an error is about.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SpawnPart {
    /// The program's path.
    Program,
    /// The argument of this index; 0 is `argv[0]`.
    Argument(usize),
    /// All arguments, as the one command line that Windows passes.
    CommandLine,
    /// The environment variable of this name (its name, or its name and value).
    Variable(OsString),
    /// Arguments and environment together.
    ArgumentsAndEnvironment,
    /// The working directory.
    WorkingDirectory,
}

impl fmt::Display for SpawnPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Program => f.write_str("the program's path"),
            Self::Argument(index) => write!(f, "argument {index}"),
            Self::CommandLine => f.write_str("the command line"),
            Self::Variable(name) => write!(f, "the environment variable {}", name.display()),
            Self::ArgumentsAndEnvironment => f.write_str("the argument list and environment"),
            Self::WorkingDirectory => f.write_str("the working directory"),
        }
    }
}

/// Why a program did not start. Nothing runs when one of these comes back.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpawnError {
    /// No such file. On Unix also: the interpreter that the file's first line names does not exist.
    #[error("not found")]
    NotFound,
    /// The file, or a directory on the way to it, may not be executed or searched.
    #[error("permission denied")]
    PermissionDenied,
    /// The program is a directory.
    #[error("is a directory")]
    IsDirectory,
    /// The system does not know the file's format (`ENOEXEC`, `ERROR_BAD_EXE_FORMAT`), or it is for another machine.
    #[error("not an executable that this system can run (exec format error)")]
    ExecFormat,
    /// More than the system takes (`E2BIG`; Windows: a command line or variable above 32,767 UTF-16 units).
    #[error(
        "{what} is too long: {len} of at most {limit} {UNIT}; pass the data through standard input or a file instead"
    )]
    TooLong {
        /// What is too long.
        what: SpawnPart,
        /// The most that the system takes, in bytes (Windows: UTF-16 units), terminator included.
        limit: usize,
        /// What was asked for, in the same unit.
        len: usize,
    },
    /// A NUL inside of it: no system can pass that on.
    #[error("{what} contains a NUL character, which no program can be given")]
    Nul {
        /// What contains it.
        what: SpawnPart,
    },
    /// The working directory cannot be entered. Told apart from a missing program.
    #[error("cannot enter the working directory {path}: {source}", path = .path.display())]
    Cwd {
        /// The directory.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A batch file's argument that cannot be passed through `cmd.exe` without it becoming a command
    /// (BatBadBut, CVE-2024-24576).
    #[error("refused to pass {argument:?} to the batch file {script}: cmd.exe offers no safe way to quote it (BatBadBut, CVE-2024-24576)", script = .script.display())]
    UnsafeBatchArgument {
        /// The batch file.
        script: PathBuf,
        /// The argument, or the script's own name where that is what cannot be quoted.
        argument: OsString,
    },
    /// A descriptor number that a child cannot be given on this system (above 2 on Windows).
    #[error("descriptor {0} cannot be passed to a program on this system")]
    UnsupportedFd(u32),
    /// The tree was killed or released: it starts nothing any more.
    #[error("the run has ended, nothing more is started")]
    Ended,
    /// Anything else that the system said.
    #[error("cannot be started: {0}")]
    Os(#[source] io::Error),
}

#[cfg(windows)]
const UNIT: &str = "characters";
#[cfg(not(windows))]
const UNIT: &str = "bytes";

impl SpawnError {
    /// The exit status that POSIX gives a command that could not be executed (XCU 2.8.2): 127 for one that was not
    /// found, 126 for everything else.
    #[must_use]
    pub fn shell_status(&self) -> u8 {
        match self {
            Self::NotFound => 127,
            _ => 126,
        }
    }
}

/// Why a child's status is not known.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WaitError {
    /// The host process ignores `SIGCHLD`, or reaped our child itself: the child has ended, its status is gone. It is
    /// never reported as 0.
    #[error("the exit status is lost: the host process ignores SIGCHLD or waited for a child that is not its own")]
    StatusLost,
    /// Anything else that the system said.
    #[error("cannot wait for the process: {0}")]
    Os(#[source] io::Error),
}
