//! What a host gives an interpreter, and what it gets back.

use std::path::PathBuf;
use std::sync::Arc;

use bstr::BString;
use hookshell_syntax::{Dialect, SyntaxError};
use hookshell_utility::{Environment, FdTable, RunToken, UtilitySet};

use crate::executor::Executor;
use crate::limits::Limits;
use crate::pool::Pool;

/// What `$$` is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Identity {
    /// The process's own id (`hookshell sh`).
    Process,
    /// A number above 2^22 that the host gives out once: no two runs share `/tmp/x.$$`.
    Virtual(u32),
}

/// The lowest virtual process id: above what Linux gives out (2^22).
pub const FIRST_VIRTUAL_ID: u32 = hookshell_process::VIRTUAL_IDS;

/// What a host gives an interpreter.
#[derive(Clone)]
pub struct ShellConfig {
    /// Starts programs.
    pub executor: Arc<dyn Executor>,
    /// Utilities that run in process.
    pub utilities: Arc<dyn UtilitySet>,
    /// The threads of pipeline stages and background lists.
    pub pool: Pool,
    /// By which the host stops the run.
    pub cancel: RunToken,
    /// The environment.
    pub env: Environment,
    /// The working directory: absolute.
    pub cwd: PathBuf,
    /// Standard input, output and error, and whatever else is open.
    pub fds: FdTable,
    /// `$0`
    pub name: BString,
    /// `$1` and so on.
    pub args: Vec<BString>,
    /// Which language is read.
    pub dialect: Dialect,
    /// What the script may use up.
    pub limits: Limits,
    /// What `$$` is.
    pub identity: Identity,
    /// The script is a command string (`-c`), and `$-` says so.
    pub is_command_string: bool,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exit {
    /// The exit status, 128 + n where a signal ended it.
    pub status: u8,
    /// Why it ended.
    pub cause: ExitCause,
}

/// Why a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExitCause {
    /// The script came to its end, or exited.
    Normal,
    /// A syntax error was reached (status 2).
    SyntaxError(Box<SyntaxError>),
    /// A signal that the script sent to itself, or SIGPIPE.
    Signal(i32),
    /// The host stopped it.
    Cancelled,
    /// The exit status of a child was lost: the host reaps the children of its process or ignores SIGCHLD.
    StatusLost,
    /// A limit was reached; which one, in words. The status is 2. Programs that the run has left behind are the host's to
    /// end ([`RunToken::kill`]); the same shell can run another program.
    LimitExceeded(String),
}
