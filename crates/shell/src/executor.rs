//! The exec seam: the one way by which the interpreter starts programs.

use std::fmt;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bstr::BString;
use hookshell_process::{Child, ProcessTree, ResourceLimit};
use hookshell_syntax::Program;
use hookshell_utility::{Args, Environment};
use thiserror::Error;

use crate::command_line::Setup;

/// A simple command after expansion that is neither a function nor a built-in nor a bundled utility.
#[derive(Debug)]
pub struct ExecRequest<'a> {
    /// The command's words; the first is the name as the script has it, and there is always one.
    pub argv: &'a Args,
    /// bash: what `exec -a` gives the program as its own name.
    pub argv0: Option<&'a [u8]>,
    /// The value of PATH to look the name up in (the command's own `PATH=…` assignment included).
    pub path: &'a [u8],
    /// The exported environment, the command's own assignments included.
    pub env: &'a Environment,
    /// The program finds its own path in `_`, as every shell's programs do.
    pub set_underscore: bool,
    /// The logical working directory: absolute.
    pub cwd: &'a Path,
    /// The child's descriptors; it finds standard ones that are missing here closed.
    pub descriptors: ChildDescriptors<'a>,
    /// The file mode creation mask, where the script has set one.
    pub umask: Option<u32>,
    /// The signals that the script ignores, as bits (signal 1 is bit 0): its children ignore them too (XCU 2.12).
    pub ignored_signals: u64,
    /// The resource limits that the script has set (`ulimit`).
    pub limits: &'a [ResourceLimit],
    /// The tree that the child joins.
    pub tree: &'a ProcessTree,
    /// `exec`: the program replaces this process, if the executor can do that. On success it does not return.
    pub replace: bool,
}

/// The descriptors of a child. They are made only for one: what a script in process reads and writes may stay in memory.
#[derive(Clone, Copy)]
pub struct ChildDescriptors<'a>(&'a dyn Fn() -> Result<Vec<(u32, Arc<File>)>, ExecError>);

impl<'a> ChildDescriptors<'a> {
    /// What `make` gives: each number once, with its file.
    pub fn new(make: &'a dyn Fn() -> Result<Vec<(u32, Arc<File>)>, ExecError>) -> Self {
        Self(make)
    }

    /// Each number with its file.
    ///
    /// # Errors
    /// [`ExecError::Refused`] if one cannot be made: no more descriptors, no temporary directory to write to.
    pub fn make(&self) -> Result<Vec<(u32, Arc<File>)>, ExecError> {
        (self.0)()
    }
}

impl fmt::Debug for ChildDescriptors<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChildDescriptors").finish_non_exhaustive()
    }
}

/// What an [`ExecRequest`] has started.
#[derive(Debug)]
pub enum Started {
    /// A child process runs.
    Process(Arc<Child>),
    /// The file is shell source: the interpreter runs it in a fresh state (exported variables only).
    Script(Box<Script>),
}

/// Shell source that is run as a command of its own.
#[derive(Debug, Clone)]
pub struct Script {
    /// `$0`: the path as the command had it, or as it was found.
    pub name: BString,
    /// Its commands.
    pub source: ScriptSource,
    /// `$1` and so on.
    pub args: Vec<BString>,
    /// What the options of its command line make of the shell.
    pub setup: Setup,
    /// Variables that it has besides those of the command (`#!/usr/bin/env -S NAME=VALUE bash`).
    pub assignments: Vec<(Vec<u8>, Vec<u8>)>,
    /// The signals that it finds ignored, as [`ExecRequest::ignored_signals`] has them (`nohup bash FILE`).
    pub ignored_signals: u64,
    /// What `_` is to a program: its path as it was found. Empty where it was not looked for.
    pub started_as: Box<[u8]>,
    /// The source, if it has been read already by the rules of a [plain](Setup::is_plain) shell of the run's dialect and limits.
    pub program: Option<Arc<Program>>,
    /// It is a file without a `#!` line, which bash runs in a copy of itself.
    pub is_bare: bool,
    /// Whose work the interpreter does, where the source was meant for another shell, which is not there. A syntax error
    /// is then no status 2 of that shell's: the command could not be run ([`ExecError::BadInterpreter`]).
    pub stands_in: Option<StandIn>,
}

/// Where the commands of a [`Script`] are.
#[derive(Debug, Clone)]
pub enum ScriptSource {
    /// What a file holds, CRLF line ends and a byte order mark already taken off.
    File(Arc<[u8]>),
    /// A command string (`-c`).
    CommandString(Arc<[u8]>),
    /// What is left of one of the script's own descriptors (`/dev/fd/3`): it is read whole, as a file.
    Descriptor(u32),
    /// Standard input, read command by command: what a command reads of it is not read as a command.
    Stdin,
}

/// The shell that is not there.
#[derive(Debug, Clone)]
pub struct StandIn {
    /// Its name, as the command or the `#!` line has it.
    pub shell: BString,
    /// Where it was looked for, and what to do.
    pub reason: String,
}

/// Starts programs for the interpreter. `hookshell-dispatch` has the real one; policy is a layer over it, and tests
/// have their own.
pub trait Executor: Send + Sync {
    /// Resolves the name, reads what kind of file it is, and starts it. It does not wait.
    ///
    /// # Errors
    /// The command was not started; [`ExecError::status`] is its exit status.
    fn start(&self, request: &ExecRequest<'_>) -> Result<Started, ExecError>;

    /// Where `name` leads (`command -v`, `type`, `hash`): with a slash the file itself, else a look-up in `path`.
    /// `None`: not found, or not something that can be started.
    fn find(&self, name: &[u8], path: &[u8], cwd: &Path) -> Option<PathBuf>;

    /// The same for a copy of this process, of whose other threads there is none: it shares no lock with this one. `None`: the
    /// process cannot be copied.
    fn for_copy(&self) -> Option<Arc<dyn Executor>> {
        None
    }

    /// May shell code from this file be run (`.`), which has these contents? What is run is taken from these bytes.
    ///
    /// # Errors
    /// It may not; the text says why.
    fn may_run(&self, _path: &Path, _contents: &[u8]) -> Result<(), String> {
        Ok(())
    }

    /// Is told that a script which it gave could not be run after all ([`Script::stands_in`]).
    fn failed(&self, _name: &[u8], _error: &ExecError) {}

    /// Every match of `name` in `path`, in order (`type -a`).
    fn find_all(&self, name: &[u8], path: &[u8], cwd: &Path) -> Vec<PathBuf> {
        self.find(name, path, cwd).into_iter().collect()
    }
}

/// Why a command was not started. The text is what follows `NAME: ` in the shell's message.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ExecError {
    /// No such command on PATH.
    #[error("command not found")]
    CommandNotFound,
    /// A path that leads nowhere.
    #[error("No such file or directory")]
    NoSuchFile,
    /// A file that the command names as its operand is not there (`bash script.sh` where the interpreter itself runs it).
    #[error("{file}: No such file or directory")]
    NoSuchOperand {
        /// The file as the command names it.
        file: BString,
    },
    /// A file that the command names as its operand is there, and cannot be run (`bash .`).
    #[error("{file}: {reason}")]
    UnusableOperand {
        /// The file as the command names it.
        file: BString,
        /// Why not.
        reason: String,
    },
    /// A directory.
    #[error("Is a directory")]
    IsDirectory,
    /// No permission to run or read it.
    #[error("Permission denied")]
    PermissionDenied,
    /// Too many levels of symbolic links.
    #[error("Too many levels of symbolic links")]
    SymlinkLoop,
    /// The script's interpreter was not found.
    #[error("{interpreter}: bad interpreter: {reason}")]
    BadInterpreter {
        /// The interpreter as the script names it.
        interpreter: BString,
        /// Where it was looked for, and what to do.
        reason: String,
    },
    /// The `#!` line is not one that can be carried out.
    #[error("{0}")]
    BadShebang(String),
    /// The arguments or the environment are more than the system takes.
    #[error("Argument list too long: {0}")]
    TooLong(String),
    /// The working directory cannot be entered.
    #[error("cannot enter the working directory {path}: {reason}")]
    WorkingDirectory {
        /// The directory.
        path: PathBuf,
        /// The system's reason.
        reason: String,
    },
    /// Refused by a policy, or because it cannot be done safely.
    #[error("{0}")]
    Refused(String),
    /// The file is no program for this system.
    #[error("cannot execute: {0}")]
    NotExecutable(String),
    /// Anything else the system says.
    #[error("{0}")]
    Os(String),
}

impl ExecError {
    /// The exit status of a command that was not started for this reason (XCU 2.8.2): 127 when nothing was found, 126
    /// when something was found that could not be run.
    pub fn status(&self) -> u8 {
        match self {
            Self::CommandNotFound | Self::NoSuchFile | Self::NoSuchOperand { .. } => 127,
            // bash: 127 where the interpreter is missing (ENOENT), 126 for everything else that was found.
            Self::BadInterpreter { .. } => 127,
            _ => 126,
        }
    }
}
