//! One command to be run, and its outcome.

use std::borrow::Cow;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bstr::BString;
use hookshell_process::Environment;
use hookshell_shell::{BaseEnvironment, FirstLine, MissingShell, OutputSink, ShellScripts};
use hookshell_syntax::{Dialect, SyntaxError};

use crate::code_guard::CodeGuard;
use crate::route::Route;
use crate::shells::ShellUse;
use crate::start_failure::StartFailure;

/// How long a run that was told to stop may continue until it is killed, unless the invocation says otherwise.
const DEFAULT_GRACE: Duration = Duration::from_secs(2);

/// How much of each output is kept, unless the invocation says otherwise.
const DEFAULT_CAPTURE_LIMIT: usize = 16 * 1024 * 1024;

/// A command to be run. [`Invocation::new`] fills in what is usual.
#[derive(Debug, Clone)]
pub struct Invocation {
    /// What is run.
    pub command: Command,
    /// The working directory: absolute.
    pub cwd: PathBuf,
    /// The environment; nothing of the host's is added. It lies over `base_env`.
    pub env: Environment,
    /// What the environment has in common with that of other runs: a run begins quicker where it is the one of another
    /// run, or a clone of it.
    pub base_env: BaseEnvironment,
    /// Standard input.
    pub stdin: Input,
    /// Standard output and error.
    pub output: Output,
    /// Who is told of the first line of standard output while the command runs, where it is collected ([`Output::Capture`]).
    pub first_line: Option<FirstLine>,
    /// After this long it is told to stop, and killed after the grace. `None`: it may take for ever.
    pub timeout: Option<Duration>,
    /// The time between being told to stop and being killed.
    pub grace: Duration,
    /// The language of the command (and of the shell source that it runs).
    pub dialect: Dialect,
    /// `$0` of a command string. The default is `bash`, what `bash -c` has: hooks are written for it, and some look.
    pub name: BString,
    /// What is done about its scripts for a shell that is not there; `None`: what the dispatcher was built with.
    pub missing_shell: Option<MissingShell>,
    /// What runs its scripts for sh, bash, dash, ash or ksh; `None`: what the dispatcher was built with.
    pub shell_scripts: Option<ShellScripts>,
    /// Variables of `env` that no program can be given as they are (too large, a NUL). Shell code and bundled utilities have
    /// them all the same.
    pub unpassable: Option<UnpassableVariables>,
    /// Who watches over the files that it takes code from.
    pub guard: Option<Arc<dyn CodeGuard>>,
    /// Its programs form a process tree of their own, which is killed as a whole. Otherwise they stay in the caller's
    /// process group and at its terminal, as for `hookshell exec`.
    pub isolated: bool,
    /// The process is there for this command alone: `$$` and `$PPID` are the real ones, and a program that `exec` names, or that
    /// the command ends with, takes the process's place (on Unix), as for `hookshell exec`. A host must leave this off.
    pub is_process: bool,
}

/// Variables that no program can be given as they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnpassableVariables {
    /// Their names.
    pub names: Vec<OsString>,
    /// Why no program may be started that does not get them: then the run ends as [`End::UnpassableVariables`], whatever it does after
    /// that. `None`: programs are started without them.
    pub refusal: Option<String>,
}

/// What is run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// A command string in the shell's language.
    Source(Arc<[u8]>),
    /// A file and its arguments, with no shell syntax in between. A path without a separator is relative to the
    /// working directory too: PATH is not searched.
    File {
        /// The file.
        path: BString,
        /// Its arguments.
        args: Vec<BString>,
    },
}

/// Standard input of a run.
#[derive(Debug, Clone)]
pub enum Input {
    /// These bytes, then the end of the file.
    Bytes(Arc<[u8]>),
    /// The end of the file.
    Null,
    /// The process's own standard input.
    Inherit,
}

/// Standard output and error of a run.
#[derive(Debug, Clone)]
pub enum Output {
    /// Both are collected, each up to `limit` bytes; what goes beyond is counted.
    Capture {
        /// The most that is kept, in bytes.
        limit: usize,
    },
    /// Both are handed on as they are written. The end of a run waits until all was taken.
    Forward {
        /// Who gets standard output.
        stdout: Arc<dyn OutputSink>,
        /// Who gets standard error. `None`: it goes where standard output goes, in the order of the writes.
        stderr: Option<Arc<dyn OutputSink>>,
    },
    /// The process's own.
    Inherit,
}

/// How an invocation ended, and what it gave.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The shell's exit status. After a stop what the run's traps gave, else 128 + the signal that stands for it.
    pub status: u8,
    /// What was written to standard output, as far as it was collected.
    pub stdout: Vec<u8>,
    /// What was written to standard error, as far as it was collected.
    pub stderr: Vec<u8>,
    /// How it ended.
    pub end: End,
    /// Where the command went: what was started of the file that it names. [`Route::Shell`] if it names none, or nothing was started.
    pub route: Route,
    /// Which shell ran a script for a shell, and why, where that was not simply the installed one.
    pub shells: Vec<ShellUse>,
    /// How long it took, the draining of its output included.
    pub duration: Duration,
    /// What was not kept of the outputs.
    pub dropped: Dropped,
}

/// Bytes that went beyond the limit of a captured output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Dropped {
    /// Of standard output.
    pub stdout: usize,
    /// Of standard error.
    pub stderr: usize,
}

/// How an invocation ended.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum End {
    /// It came to its end by itself; the status says how.
    Exited,
    /// A signal ended it.
    Signaled(i32),
    /// Its time was over.
    TimedOut,
    /// The host stopped it.
    Cancelled,
    /// Its status is 126 or 127 because the last program that it asked for was not started.
    NotStarted(StartFailure),
    /// A syntax error was reached: status 2.
    SyntaxError(Box<SyntaxError>),
    /// A program's status was lost: the host ignores SIGCHLD or waits for children that are not its own.
    StatusLost,
    /// The interpreter failed: a bug to be reported.
    Panicked,
    /// A limit of the shell was reached; which one, in words.
    LimitExceeded(String),
    /// A program was refused because it could not be given a variable ([`Invocation::unpassable`]); why.
    UnpassableVariables(String),
    /// A file that it takes code from is not as it was ([`Invocation::guard`]); which, and what is wrong. Whatever it has
    /// given does not count.
    Changed(String),
}

impl Outcome {
    /// One of which nothing more is known than how it ended and how long it took.
    pub fn ended(end: End, duration: Duration) -> Self {
        Self {
            status: 0,
            stdout: Vec::new(),
            stderr: Vec::new(),
            end,
            route: Route::Shell,
            shells: Vec::new(),
            duration,
            dropped: Dropped::default(),
        }
    }
}

impl Invocation {
    /// A command with no environment, no input, captured output, no timeout, and a process tree of its own.
    pub fn new(command: Command, cwd: impl Into<PathBuf>) -> Self {
        Self {
            command,
            cwd: cwd.into(),
            env: Environment::new(),
            base_env: BaseEnvironment::default(),
            stdin: Input::Null,
            output: Output::Capture { limit: DEFAULT_CAPTURE_LIMIT },
            first_line: None,
            timeout: None,
            grace: DEFAULT_GRACE,
            dialect: Dialect::Bash,
            name: "bash".into(),
            missing_shell: None,
            shell_scripts: None,
            unpassable: None,
            guard: None,
            is_process: false,
            isolated: true,
        }
    }

    /// The command with this environment.
    #[must_use]
    pub fn with_env(mut self, env: impl Into<Environment>) -> Self {
        self.env = env.into();
        self
    }

    /// The whole environment.
    pub(crate) fn whole_env(&self) -> Cow<'_, [(OsString, OsString)]> {
        match self.base_env.variables() {
            [] => Cow::Borrowed(&self.env),
            _ => Cow::Owned(self.base_env.with(&self.env)),
        }
    }
}

impl Command {
    /// A command string.
    pub fn source(text: impl AsRef<[u8]>) -> Self {
        Self::Source(text.as_ref().into())
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exited => f.write_str("exited"),
            Self::Signaled(signal) => write!(f, "ended by signal {signal}"),
            Self::TimedOut => f.write_str("timed out"),
            Self::Cancelled => f.write_str("cancelled"),
            Self::NotStarted(failure) => write!(f, "not started: {failure}"),
            Self::SyntaxError(error) => write!(f, "syntax error: {error}"),
            Self::StatusLost => f.write_str("the exit status was lost: the host ignores SIGCHLD or reaps our children"),
            Self::Panicked => f.write_str("internal error: the interpreter panicked"),
            Self::LimitExceeded(limit) => write!(f, "limit exceeded: {limit}"),
            Self::UnpassableVariables(reason) => write!(f, "a program was not started: {reason}"),
            Self::Changed(reason) => write!(f, "its code has changed: {reason}"),
        }
    }
}
