//! Utilities that run in process.

use std::borrow::Cow;
use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::args::Args;
use crate::cancel::RunToken;
use crate::fds::FdTable;
use crate::memory::UtilityMemory;
use crate::stream::Stream;

/// The exported environment as children get it, in no particular order, names unique.
pub type Environment = Arc<Vec<(OsString, OsString)>>;

/// A utility that is a program elsewhere (`cat`, `head`, `jq`) and a function here.
///
/// It takes everything from its context and nothing from the process: no working directory, environment, standard
/// stream, umask or signal handler of the host.
pub trait Utility: Send + Sync {
    /// The name it is called by.
    fn name(&self) -> &'static str;

    /// Reads the command line, and what else the call names that decides whether the utility does this (a program file), once.
    /// It does so only where it does exactly what the real program does with this call; nothing else is read yet.
    ///
    /// # Errors
    /// What it cannot do. The program on PATH runs; the user reads this where there is none.
    fn prepare<'a>(&'a self, call: &UtilityCall<'a>) -> Result<Box<dyn Prepared + 'a>, Unsupported>;
}

/// A call of a utility that was read and waits to be run.
pub trait Prepared {
    /// Is the program of this name to run instead, where there is one on PATH? So it is with what that program would call wrong as
    /// far as is known, and with what differs between its versions.
    fn yields(&self) -> bool {
        false
    }

    /// Does the program in its words compile: jq's filter, a script of sed or awk, grep's patterns?
    fn language(&self) -> Language {
        Language::None
    }

    /// Runs it and gives its exit status. The context has the words, environment and working directory of the call.
    ///
    /// # Errors
    /// A write into a closed pipe or a cancelled run ends it: the interpreter makes a status of that.
    fn run(self: Box<Self>, context: &UtilityContext<'_>) -> Result<u8, Stopped>;
}

/// What is known of the program in a language of its own that a call of a utility has (`jq FILTER`, `sed -e SCRIPT`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Language {
    /// There is none, or it is read when it runs.
    None,
    /// It compiles.
    Compiles,
    /// It does not: the utility's message, without its name in front.
    Wrong(String),
}

/// A call of a utility.
#[derive(Debug, Clone, Copy)]
pub struct UtilityCall<'a> {
    /// Its words; the first is the name.
    pub argv: &'a Args,
    /// The exported environment.
    pub env: &'a Environment,
    /// The working directory: relative paths are joined to it.
    pub cwd: &'a Path,
}

/// What a bundled utility does not do: the text follows `NAME: hookshell's own NAME does not support `.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsupported {
    what: Cow<'static, str>,
    is_mistake: bool,
    /// The status of the mistake, if it is not that of a wrong command line.
    status: Option<u8>,
}

impl Unsupported {
    /// A call with something that is not supported (`the option --one-file-system`, `this program`).
    pub fn new(what: impl Into<Cow<'static, str>>) -> Self {
        Self { what: what.into(), is_mistake: false, status: None }
    }

    /// A call that the real program would call wrong, as far as is known: where there is no such program on PATH, the
    /// utility is run all the same, and says what is wrong.
    pub fn mistake(what: impl Into<Cow<'static, str>>) -> Self {
        Self { what: what.into(), is_mistake: true, status: None }
    }

    /// A value that is none of those that an option has (`--sort=x`): GNU's programs end with 1 then, also those that have another
    /// status for a wrong command line.
    pub fn choice(value: &[u8]) -> Self {
        Self { status: Some(1), ..Self::mistake(format!("the value {}", value.escape_ascii())) }
    }

    /// The status of the mistake, in a program with this one for a wrong command line.
    pub(crate) fn status(&self, usage: u8) -> u8 {
        self.status.unwrap_or(usage)
    }

    /// Is it the call that is wrong?
    pub(crate) fn is_mistake(&self) -> bool {
        self.is_mistake
    }

    /// A call with an option that is not supported: where there is no such program on PATH, the utility itself says so, with its
    /// status for a wrong command line.
    pub fn option(option: &[u8]) -> Self {
        Self::mistake(format!("the option {}", option.escape_ascii()))
    }
}

impl std::fmt::Display for Unsupported {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.what)
    }
}

/// Why a utility ended before its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// The reader of its output is gone: as if SIGPIPE had ended it (status 141).
    BrokenPipe,
    /// The run was cancelled.
    Cancelled,
}

/// What a utility works with.
pub struct UtilityContext<'a> {
    /// Its words; the first is the name.
    pub argv: &'a Args,
    /// The exported environment.
    pub env: &'a Environment,
    /// The working directory: relative paths are joined to it.
    pub cwd: &'a Path,
    /// Its descriptors: 0, 1 and 2 are standard input, output and error, and `/dev/fd/N` means this table.
    pub fds: &'a FdTable,
    /// The file mode creation mask, where the script has set one; `None`: the host's.
    pub umask: Option<u32>,
    /// Checked in every loop; blocking calls are made through its interrupt.
    pub cancel: &'a RunToken,
    /// Counts what it keeps in memory.
    pub memory: UtilityMemory,
    /// Runs other commands: for `xargs`, `find -exec`, `env`, `timeout`, `nice`, and awk's command lines.
    pub commands: &'a dyn Commands,
}

impl<'a> UtilityContext<'a> {
    /// The call that this is the context of.
    pub fn call(&self) -> UtilityCall<'a> {
        UtilityCall { argv: self.argv, env: self.env, cwd: self.cwd }
    }

    /// Standard input; `None` when it is closed.
    pub fn stdin(&self) -> Option<&Arc<Stream>> {
        self.fds.get(0)
    }

    /// Standard output; `None` when it is closed.
    pub fn stdout(&self) -> Option<&Arc<Stream>> {
        self.fds.get(1)
    }

    /// Standard error; `None` when it is closed.
    pub fn stderr(&self) -> Option<&Arc<Stream>> {
        self.fds.get(2)
    }

    /// The value of an environment variable.
    pub fn variable(&self, name: &str) -> Option<&std::ffi::OsStr> {
        self.env.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_os_str())
    }
}

/// Runs commands for utilities: bundled utilities and programs, as `execvp` would find them; never functions.
pub trait Commands {
    /// Runs a command and waits for its end.
    ///
    /// # Errors
    /// The run was cancelled.
    fn run(&self, command: &CommandCall<'_>) -> Result<CommandEnd, Stopped>;

    /// May code from this file be run, which has these contents (`awk -f`)? As the shell asks before it runs a script.
    ///
    /// # Errors
    /// It may not; the text says why.
    fn may_run(&self, path: &Path, contents: &[u8]) -> Result<(), String> {
        let _ = (path, contents);
        Ok(())
    }

    /// Starts a command line as `sh -c` would run it (awk's `system` and pipes), in this process and in a fresh
    /// environment, and does not wait.
    ///
    /// # Errors
    /// It was not started: the reason.
    fn start_shell(&self, line: &ShellCall<'_>) -> Result<Box<dyn StartedShell>, String> {
        let _ = line;
        Err("no commands can be run here".to_owned())
    }

    /// As [`Commands::run`], with what `xargs` and `timeout` want to know, and at most for a time.
    ///
    /// # Errors
    /// The run was cancelled.
    fn run_for(&self, command: &CommandCall<'_>, limit: Option<TimeLimit>) -> Result<CommandOutcome, Stopped> {
        let _ = limit;
        Ok(CommandOutcome { end: self.run(command)?, signal: None, timed_out: false })
    }

    /// Starts a command and does not wait for it: `done` gets what [`Commands::run_for`] would give.
    ///
    /// # Errors
    /// It was not started, as no more can run at once: the reason.
    fn start(&self, command: &CommandCall<'_>, done: Done) -> Result<Box<dyn StartedShell>, String> {
        let _ = (command, done);
        Err("no commands can be started here".to_owned())
    }

    /// Is the script a guest in this process, so that what the process has in `/proc` is not the script's?
    fn is_guest(&self) -> bool {
        true
    }

    /// Sends a signal to the process with this number of the system's, if it is one that the script's `kill` reaches: of a guest, the
    /// run's own.
    ///
    /// # Errors
    /// It is none of those, or the system's error.
    fn signal(&self, id: u32, signal: i32) -> io::Result<()> {
        let _ = (id, signal);
        Err(io::Error::other("it is no process of this run"))
    }

    /// Is there a process, or a job of the run, with this number?
    fn is_alive(&self, id: u32) -> bool {
        let _ = id;
        false
    }
}

/// How long a command may take, and what happens then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeLimit {
    /// After this time the signal is sent; `None`: never.
    pub after: Option<Duration>,
    /// What the command's processes get. A bundled utility ends whatever the signal is.
    pub signal: i32,
    /// This long after the signal everything is killed.
    pub kill_after: Option<Duration>,
}

/// How a command ended, in detail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandOutcome {
    /// As [`Commands::run`] gives it.
    pub end: CommandEnd,
    /// The number of the signal that ended it.
    pub signal: Option<u8>,
    /// The time limit passed.
    pub timed_out: bool,
}

/// Who is told how a command ended.
pub type Done = Box<dyn FnOnce(CommandOutcome) + Send>;

/// A command line that a utility wants a shell to run.
pub struct ShellCall<'a> {
    /// The command line.
    pub source: &'a [u8],
    /// Its environment.
    pub env: &'a Environment,
    /// Its working directory: absolute.
    pub cwd: &'a Path,
    /// Its descriptors.
    pub fds: FdTable,
}

/// A command line that runs. Dropping it lets it continue.
pub trait StartedShell {
    /// Waits for its end and gives its exit status.
    ///
    /// # Errors
    /// The run was cancelled.
    fn wait(&mut self) -> Result<u8, Stopped>;

    /// The signal that has ended it, when it was waited for: that of the shell itself, not of its last command.
    fn ended_by(&self) -> Option<u8> {
        None
    }
}

/// A command that a utility wants to be run.
pub struct CommandCall<'a> {
    /// Its words; there is at least the name.
    pub argv: &'a Args,
    /// Its environment; PATH in it is where the name is looked up.
    pub env: &'a Environment,
    /// Its working directory: absolute.
    pub cwd: &'a Path,
    /// Its descriptors.
    pub fds: FdTable,
}

/// How a command ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandEnd {
    /// With an exit status; 128 + n where a signal ended it.
    Ended(u8),
    /// It was not started: 127 (not found) or 126, and the reason as `strerror` would put it.
    NotStarted {
        /// The shell's exit status for it.
        status: u8,
        /// The reason.
        reason: String,
    },
}

/// Runs nothing: for a host that calls a utility on its own.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoCommands;

impl Commands for NoCommands {
    fn run(&self, _: &CommandCall<'_>) -> Result<CommandEnd, Stopped> {
        Ok(CommandEnd::NotStarted { status: 126, reason: "no commands can be run here".to_owned() })
    }
}

/// The utilities that an interpreter has.
pub trait UtilitySet: Send + Sync {
    /// The utility of this name.
    fn utility(&self, name: &[u8]) -> Option<&dyn Utility>;

    /// Does the program in the words of a call compile: jq's filter, a script of sed or awk, grep's patterns? Nothing is run; the files
    /// that the words name as programs are read. It recurses as deep as the program nests.
    fn language(&self, words: &[Vec<u8>], env: &Environment, cwd: &Path) -> Language {
        let utility = words.first().and_then(|name| self.utility(name));
        let argv: Args = words.iter().collect();
        let call = UtilityCall { argv: &argv, env, cwd };
        utility.and_then(|utility| utility.prepare(&call).ok()).map_or(Language::None, |prepared| prepared.language())
    }

    /// Does the program that PATH leads to come before the utility of this name? `env` is the exported environment.
    fn yields_to(&self, program: &Path, env: &Environment) -> bool {
        let _ = (program, env);
        false
    }

    /// The same for a copy of this process, of whose other threads there is none: it shares no lock with this one. `None`: the
    /// process cannot be copied.
    fn for_copy(&self) -> Option<Arc<dyn UtilitySet>> {
        None
    }

    /// What the utility of this name prints for `--version` where there is no program of that name: scripts ask whether a
    /// tool is there, and whether it is GNU's, in this way.
    fn version(&self, name: &[u8]) -> Option<String> {
        let _ = name;
        None
    }
}

/// No utilities at all.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoUtilities;

impl UtilitySet for NoUtilities {
    fn utility(&self, _: &[u8]) -> Option<&dyn Utility> {
        None
    }

    fn for_copy(&self) -> Option<Arc<dyn UtilitySet>> {
        Some(Arc::new(Self))
    }
}
