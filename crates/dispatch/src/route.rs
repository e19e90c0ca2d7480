//! Where a command goes.

use std::fmt;
use std::path::PathBuf;

/// Where a command goes: the rows of the dispatch table.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Route {
    /// Shell code: the interpreter runs it, and looks up and starts the programs in it.
    Shell,
    /// A file of shell source: the interpreter runs it. (Also a script for a shell that is not there.)
    ShellSource {
        /// The file.
        path: PathBuf,
    },
    /// A script for an interpreter.
    Interpreter {
        /// The program that is started.
        interpreter: PathBuf,
        /// The scripts between them, in the order of their places among the arguments: the script's interpreter may be a script
        /// itself (a shim of pyenv's), which has an interpreter of its own.
        through: Vec<PathBuf>,
        /// The script.
        script: PathBuf,
    },
    /// A program.
    Binary {
        /// The file.
        path: PathBuf,
    },
    /// A file that cannot be started.
    NotStartable {
        /// Why, in words.
        reason: String,
    },
}

impl Route {
    /// The route's name, for reports: `shell`, `shell-source`, `interpreter`, `binary`, `not-startable`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Shell => "shell",
            Self::ShellSource { .. } => "shell-source",
            Self::Interpreter { .. } => "interpreter",
            Self::Binary { .. } => "binary",
            Self::NotStartable { .. } => "not-startable",
        }
    }

    /// Does the command name a file?
    pub fn is_file(&self) -> bool {
        *self != Self::Shell
    }
}

impl fmt::Display for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shell => f.write_str("in-process shell"),
            Self::ShellSource { path } => write!(f, "in-process shell, fed {}", path.display()),
            Self::Interpreter { interpreter, through, script } => {
                write!(f, "{}", interpreter.display())?;
                through.iter().chain([script]).try_for_each(|script| write!(f, " {}", script.display()))
            }
            Self::Binary { path } => write!(f, "{}, started directly", path.display()),
            Self::NotStartable { reason } => write!(f, "nothing is started: {reason}"),
        }
    }
}
