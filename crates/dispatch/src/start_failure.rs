//! Why a program was not started.

use std::fmt;

use bstr::ByteSlice;
use hookshell_shell::ExecError;

/// Why the last program that a run asked for was not started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartFailure {
    /// What kind of reason.
    pub kind: StartFailureKind,
    /// The command's name, as the script has it.
    pub command: String,
    /// The reason, and what to do.
    pub message: String,
    /// The shell's exit status for it: 126 or 127.
    pub status: u8,
}

/// The kinds of [`StartFailure`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum StartFailureKind {
    /// No such command, file or interpreter.
    NotFound,
    /// It was found and cannot be executed.
    NotExecutable,
    /// The system did not start it (arguments too long, no more processes, working directory gone).
    Spawn,
}

impl StartFailure {
    pub(crate) fn new(command: &[u8], error: &ExecError) -> Self {
        Self {
            kind: StartFailureKind::of(error),
            command: command.as_bstr().to_string(),
            message: error.to_string(),
            status: error.status(),
        }
    }
}

impl StartFailureKind {
    fn of(error: &ExecError) -> Self {
        match error {
            ExecError::CommandNotFound
            | ExecError::NoSuchFile
            | ExecError::NoSuchOperand { .. }
            | ExecError::BadInterpreter { .. } => Self::NotFound,
            ExecError::TooLong(_) | ExecError::WorkingDirectory { .. } | ExecError::Os(_) => Self::Spawn,
            _ => Self::NotExecutable,
        }
    }
}

impl fmt::Display for StartFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.command, self.message)
    }
}
