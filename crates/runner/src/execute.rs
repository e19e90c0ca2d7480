//! The seam between the runner and what runs commands: `hookshell-dispatch`, or a fake in tests.

mod dispatcher;
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) mod scripted;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hookshell_dispatch::{BaseEnvironment, CodeGuard, MissingShell, ShellScripts, ShellUse, UnpassableVariables};

pub(crate) use self::dispatcher::DispatcherExecute;
use crate::environment::Variables;

/// Runs commands.
pub(crate) trait Execute: Send + Sync {
    /// Starts a command and returns at once. `done` is called once, on any thread, when it has ended; where it is dropped
    /// uncalled, the command counts as panicked.
    fn start(&self, command: Command, done: Done) -> Box<dyn Running>;

    /// Waits until the background lists of commands that have ended have ended too, or `give_up` says so.
    fn wait_for_background(&self, give_up: &dyn Fn() -> bool);

    /// Waits until every command that was started has ended, or `give_up` says so.
    fn wait_for_runs(&self, _give_up: &dyn Fn() -> bool) {}
}

/// Called with what became of a command.
pub(crate) type Done = Box<dyn FnOnce(Ran) + Send>;

/// A command that was started.
pub(crate) trait Running: Send {
    /// Ends it and every child; it does not wait. Nothing happens where it has ended.
    fn cancel(&self);
}

/// What is run.
#[derive(Debug, Clone)]
pub(crate) struct Command {
    pub(crate) command: String,
    pub(crate) cwd: PathBuf,
    /// Its own variables, over those of `base_env`.
    pub(crate) env: Arc<Variables>,
    /// What it has in common with other commands.
    pub(crate) base_env: BaseEnvironment,
    pub(crate) stdin: Arc<[u8]>,
    pub(crate) timeout: Duration,
    /// What it gets between the TERM of a timeout and the KILL.
    pub(crate) grace: Duration,
    /// Bytes kept of each of stdout and stderr.
    pub(crate) output_limit: usize,
    /// What is done about scripts for a shell that is not there; `None`: what the dispatcher does.
    pub(crate) missing_shell: Option<MissingShell>,
    /// What runs its scripts for a shell; `None`: what the dispatcher does.
    pub(crate) shell_scripts: Option<ShellScripts>,
    /// What of the environment no program can be given.
    pub(crate) withheld: Option<UnpassableVariables>,
    /// Who watches over the files that it takes code from.
    pub(crate) guard: Option<Arc<dyn CodeGuard>>,
}

/// What became of it.
#[derive(Debug, Clone)]
pub(crate) struct Ran {
    pub(crate) end: End,
    /// The exit status; meaningful where it ended by itself, or a program was not started.
    pub(crate) status: u8,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
    /// Was more written to stdout than was kept?
    pub(crate) stdout_cut: bool,
    /// How it was run, for people.
    pub(crate) route: Option<String>,
    /// Which shells ran its scripts, where those are not simply the installed ones.
    pub(crate) shells: Vec<ShellUse>,
    pub(crate) elapsed: Duration,
}

impl Ran {
    /// One of which nothing more is known than how it ended.
    pub(crate) fn ended(end: End, elapsed: Duration) -> Self {
        Self {
            end,
            status: 0,
            stdout: Vec::new(),
            stderr: Vec::new(),
            stdout_cut: false,
            route: None,
            shells: Vec::new(),
            elapsed,
        }
    }
}

/// Why it ended. The texts are for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum End {
    Exited,
    Signaled(i32),
    TimedOut,
    Cancelled,
    NotFound(String),
    NotExecutable(String),
    NotStarted(String),
    SyntaxError(String),
    StatusLost,
    Panicked,
    LimitExceeded(String),
    /// A program could not be given what the hook may have to check.
    Withheld(String),
    /// A file that it takes code from is not as it was when it was judged.
    Changed(String),
    /// It is no command, and the server gave no answer that counts.
    NoAnswer(String),
    /// It is no command, and what the server answered is passed over.
    BadAnswer(String),
}
