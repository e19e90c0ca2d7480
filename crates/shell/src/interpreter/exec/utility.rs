//! Bundled utilities: which of them run, and what they see of the interpreter.

use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hookshell_process::{ChildStatus, Interrupt, script_path, signals, text};
use hookshell_utility::{
    Args, CancelReason, CommandCall, CommandEnd, CommandOutcome, Commands, Done, Environment, FdTable, Prepared,
    RunToken, ShellCall, StartedShell, Stopped, TimeLimit, Unsupported, UtilityCall, UtilityContext, UtilityMemory,
};

use crate::executor::{ExecError, Started};
use crate::flow::{Flow, NEXT};
use crate::interpreter::NewShell;
use crate::interpreter::builtins::{self, Builtin};
use crate::jobs::Job;
use crate::options::Opt;
use crate::shell::Shell;

/// Built-ins that are programs too, so that `xargs`, `find -exec` and `env` can call them.
const PROGRAMS_TOO: [&[u8]; 8] = [b"[", b"echo", b"false", b"kill", b"printf", b"pwd", b"test", b"true"];

/// The built-in that does the work of a program of this name.
fn program_too(name: &[u8]) -> Option<&'static Builtin> {
    let name = utility_name(name);
    PROGRAMS_TOO.contains(&name).then(|| builtins::find(name)).flatten()
}

/// There is no such process, in the systems that have numbers of errors.
const ESRCH: i32 = 3;

/// What became of a command that a bundled utility might run.
pub(crate) enum Tried {
    /// It has run, and the status is set.
    Ran,
    /// It is left to the program of that name; why, where the utility of that name does not do this.
    NotOurs(Option<Refused>),
}

/// There is no such utility, or the program comes before it.
pub(crate) const NOT_OURS: Flow<Tried> = ControlFlow::Continue(Tried::NotOurs(None));

/// What a program that is not there would have been needed for: a bundled utility has the name, and does not do this.
pub(crate) struct Refused {
    name: &'static str,
    unsupported: Unsupported,
}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { name, unsupported } = self;
        write!(f, "hookshell's own {name} does not support {unsupported}, and there is no {name} on PATH")
    }
}

/// The name by which a command is looked for among the utilities. On Windows a path of Unix (`/usr/bin/jq`), which leads
/// nowhere there, stands for its name.
fn utility_name(name: &[u8]) -> &[u8] {
    if cfg!(windows) { script_path::unix_program(name).unwrap_or(name) } else { name }
}

impl Shell {
    /// Is there a bundled utility of this name that comes before the program of that name?
    pub(crate) fn prefers_utility(&mut self, name: &[u8]) -> bool {
        let host = self.host.clone();
        if cfg!(windows) && script_path::unix_program(name).is_some() && self.absolute(name).exists() {
            return false;
        }
        let name = utility_name(name);
        host.utilities.utility(name).is_some() && self.prefers_own(name)
    }

    /// Does what is bundled come before the program of this name?
    fn prefers_own(&mut self, name: &[u8]) -> bool {
        let host = self.host.clone();
        let path = self.search_list();
        if let Some(answer) = self.scratch.utility_choices.get(name, &path, &self.env.inherited.cwd) {
            return answer;
        }
        let path = path.into_owned();
        let answer = match host.executor.find(name, &path, &self.env.inherited.cwd) {
            Some(program) => !host.utilities.yields_to(&program, &self.vars.environment()),
            None => true,
        };
        self.scratch.utility_choices.set(name, &path, &self.env.inherited.cwd, answer);
        answer
    }

    /// Has a bundled utility run the command, where there is one that comes before the program of its name and does this.
    pub(crate) fn try_utility(&mut self, args: &Args) -> Flow<Tried> {
        if self.env.inherited.command_hash.given(&args[0]).is_some() || !self.prefers_utility(&args[0]) {
            return NOT_OURS;
        }
        // A name with a slash in it is refused as a program.
        if self.opt(Opt::Restricted) && crate::restricted::is_path(&args[0]) {
            return NOT_OURS;
        }
        let host = self.host.clone();
        let Some(utility) = host.utilities.utility(utility_name(&args[0])) else { return NOT_OURS };
        if let Some(version) = self.own_version(args) {
            self.count_utility(&args[0]);
            self.env.status = self.print(&args[0], version.as_bytes())?;
            return ControlFlow::Continue(Tried::Ran);
        }
        let env = self.utility_environment(&args[0]);
        let cwd = self.env.inherited.cwd.clone();
        let prepared = match utility.prepare(&UtilityCall { argv: args, env: &env, cwd: &cwd }) {
            Ok(prepared) if prepared.yields() && self.has_program(&args[0]) => return NOT_OURS,
            Ok(prepared) => prepared,
            Err(unsupported) => {
                return ControlFlow::Continue(Tried::NotOurs(Some(Refused { name: utility.name(), unsupported })));
            }
        };
        self.count_utility(&args[0]);
        let ended = self.run_prepared(prepared, args, &env);
        self.child_ended();
        match ended {
            Ok(status) => self.env.status = status,
            // A program of its own would have died of SIGPIPE; the shell continues.
            Err(Stopped::BrokenPipe) => self.env.status = 141,
            Err(Stopped::Cancelled) => {
                self.env.status = 143;
                self.checkpoint()?;
            }
        }
        ControlFlow::Continue(Tried::Ran)
    }

    /// Is there a program of this name on PATH?
    fn has_program(&self, name: &[u8]) -> bool {
        self.host.executor.find(name, &self.search_list(), &self.env.inherited.cwd).is_some()
    }

    /// `hash` counts utilities as the programs that they stand in for.
    fn count_utility(&mut self, name: &[u8]) {
        if self.context.subshell.depth == 0 && self.opt(Opt::Hashall) {
            Arc::make_mut(&mut self.env.inherited.command_hash).hit(name);
        }
    }

    /// What is printed for `NAME --version`, where no program is there to be asked.
    fn own_version(&self, args: &Args) -> Option<String> {
        if args.len() != 2 || &args[1] != b"--version" {
            return None;
        }
        let path = self.search_list();
        let name = utility_name(&args[0]);
        let program = self.host.executor.find(name, &path, &self.env.inherited.cwd);
        // `find` and `sort` of Windows are other programs.
        let is_other =
            |program: PathBuf| cfg!(windows) && !program.ends_with(format!("usr/bin/{}.exe", name.escape_ascii()));
        if program.is_none_or(is_other) { self.host.utilities.version(name) } else { None }
    }

    /// Windows: the built-in that `/bin/echo` and its like stand for, where no such file is.
    pub(super) fn builtin_of_unix_path(&self, path: &[u8]) -> Option<&'static Builtin> {
        script_path::unix_program(path).and_then(program_too).filter(|_| !self.absolute(path).exists())
    }

    /// What `exec` does with a name that leads to no program: a utility or a built-in that is a program elsewhere does its
    /// work, and the shell ends with it.
    pub(crate) fn exec_in_process(&mut self, args: &Args) -> Flow<Tried> {
        if let Some(builtin) = program_too(&args[0]) {
            self.call_builtin(builtin, args, None)?;
            return ControlFlow::Continue(Tried::Ran);
        }
        self.try_utility(args)
    }

    /// The environment that a utility finds.
    fn utility_environment(&mut self, name: &[u8]) -> Environment {
        let env = self.vars.environment();
        // As every program: those that show the environment find their own path in it.
        if cfg!(windows) || self.vars.is_environment_given() || !matches!(name, b"env" | b"printenv") {
            return env;
        }
        let found = self.host.executor.find(name, &self.search_list(), &self.env.inherited.cwd);
        let path = found.map_or_else(|| [b"/usr/bin/", name].concat(), |path| text::from_path(&path).into_owned());
        let others = env.iter().filter(|(name, _)| name != "_").cloned();
        Environment::new(others.chain([("_".into(), text::into_os(path))]).collect())
    }

    fn run_prepared(
        &mut self,
        prepared: Box<dyn Prepared + '_>,
        args: &Args,
        env: &Environment,
    ) -> Result<u8, Stopped> {
        self.listen_for_signals();
        let shell = &*self;
        shell.host.run.run_utility(&shell.context.cancel, shell.traps.ignored(), |cancel| {
            prepared.run(&UtilityContext {
                argv: args,
                env,
                cwd: &shell.env.inherited.cwd,
                fds: &shell.env.fds,
                umask: shell.env.inherited.umask,
                cancel,
                memory: UtilityMemory::of(&shell.host.usage.budget),
                commands: &ShellCommands(shell),
            })
        })
    }

    /// Runs a command for a utility, in an interpreter of its own.
    fn run_for_utility(&mut self, args: &Args, ending: &mut Ending) -> ControlFlow<crate::flow::Divert, CommandEnd> {
        /// What a shell adds to a signal's number.
        const SIGNALLED: u8 = 128;
        if let Some(builtin) = program_too(&args[0]).filter(|_| self.prefers_own(utility_name(&args[0]))) {
            let flow = self.call_builtin(builtin, args, None);
            // A closed pipe has ended it: a program of its own would have died of SIGPIPE, and this environment with it.
            ending.signal = (self.env.status == SIGNALLED + 13).then_some(13);
            flow?;
            return ControlFlow::Continue(CommandEnd::Ended(self.env.status));
        }
        let refused = match self.try_utility(args)? {
            Tried::Ran => {
                ending.signal = (self.env.status == SIGNALLED + 13).then_some(13);
                return ControlFlow::Continue(CommandEnd::Ended(self.env.status));
            }
            Tried::NotOurs(refused) => refused,
        };
        match self.start_program(args, None, super::StartMode::Child) {
            Ok(Started::Process(child)) => {
                self.env.status = match child.wait() {
                    Ok(status) => {
                        ending.is_known = true;
                        if let ChildStatus::Signaled { signal, .. } = status {
                            ending.signal = u8::try_from(signal).ok();
                        }
                        status.shell_status()
                    }
                    Err(error) => self.status_lost(&error),
                };
                self.checkpoint()?;
            }
            Ok(Started::Script(script)) => {
                let flow = self.run_script(script, super::Place::Alone);
                if flow == ControlFlow::Break(crate::flow::Divert::Die) {
                    ending.signal = u8::try_from(self.scratch.died_of).ok();
                    return ControlFlow::Continue(CommandEnd::Ended(self.env.status));
                }
                // A trap of its own has answered the signal of a time limit.
                ending.is_known =
                    flow.is_break() && self.env.status != SIGNALLED + 15 && !self.context.cancel.is_killed();
                flow?;
            }
            Err(error) => {
                self.host.run.note_failure(&error);
                let reason = match &error {
                    ExecError::CommandNotFound => {
                        refused.map_or_else(|| ExecError::NoSuchFile.to_string(), |refused| refused.to_string())
                    }
                    // As `execvp` has it: a directory cannot be executed.
                    ExecError::IsDirectory => ExecError::PermissionDenied.to_string(),
                    error => error.to_string(),
                };
                return ControlFlow::Continue(CommandEnd::NotStarted { status: error.status(), reason });
            }
        }
        ControlFlow::Continue(CommandEnd::Ended(self.env.status))
    }
}

/// The commands of a utility that a shell runs.
struct ShellCommands<'a>(&'a Shell);

impl Commands for ShellCommands<'_> {
    fn is_guest(&self) -> bool {
        !self.0.host.is_process
    }

    fn may_run(&self, path: &Path, contents: &[u8]) -> Result<(), String> {
        self.0.host.executor.may_run(path, contents)
    }

    fn signal(&self, id: u32, signal: i32) -> io::Result<()> {
        let host = &self.0.host;
        if host.is_process {
            return signals::send(id, signal);
        }
        let is_nobody = |error: &io::Error| matches!(error.raw_os_error(), None | Some(ESRCH));
        host.cancel.tree().signal(id, signal).map_err(|error| {
            if !is_nobody(&error) {
                return error;
            }
            // One that has ended meanwhile is nobody's: the system says so.
            match signals::send(id, 0) {
                Err(gone) if is_nobody(&gone) => gone,
                _ => io::Error::other("it is no process of this run"),
            }
        })
    }

    fn is_alive(&self, id: u32) -> bool {
        let Self(caller) = self;
        let host = &caller.host;
        id == caller.context.subshell.id
            || host.run.signal(id, 0)
            || host.cancel.tree().signal(id, 0).is_ok()
            || match signals::send(id, 0) {
                Ok(()) => true,
                // Somebody else's process.
                Err(error) => error.kind() == io::ErrorKind::PermissionDenied,
            }
    }

    fn run(&self, command: &CommandCall<'_>) -> Result<CommandEnd, Stopped> {
        self.run_for(command, None).map(|outcome| outcome.end)
    }

    fn run_for(&self, command: &CommandCall<'_>, limit: Option<TimeLimit>) -> Result<CommandOutcome, Stopped> {
        let Self(caller) = self;
        let not_started = |reason: String| {
            let end = CommandEnd::NotStarted { status: 126, reason };
            Ok(CommandOutcome { end, signal: None, timed_out: false })
        };
        let Some(limit) = limit else {
            return self.run_within(self.fresh_for(&caller.context.cancel, command), command);
        };
        let part = caller.context.cancel.part();
        let shell = self.fresh_for(&part, command);
        let timer = match Timer::start(&shell, &part, limit) {
            Ok(timer) => timer,
            Err(error) => return not_started(format!("cannot limit its time: {}", super::reason(&error))),
        };
        caller.host.run.count_timed(true);
        let result = self.run_within(shell, command);
        caller.host.run.count_timed(false);
        let timed_out = timer.stop();
        caller.context.cancel.end_part(&part);
        match result {
            Ok(outcome) => Ok(CommandOutcome { timed_out, ..outcome }),
            // It was ended here, as by the signal.
            Err(Stopped::Cancelled) if timed_out && !caller.context.cancel.is_cancelled() => {
                let signal = if part.is_killed() { KILL } else { limit.signal };
                let signal = u8::try_from(signal).unwrap_or(0);
                let end = CommandEnd::Ended(128_u8.wrapping_add(signal));
                Ok(CommandOutcome { end, signal: Some(signal), timed_out })
            }
            Err(stopped) => Err(stopped),
        }
    }

    fn start(&self, command: &CommandCall<'_>, done: Done) -> Result<Box<dyn StartedShell>, String> {
        let Self(caller) = self;
        let mut starter = self.fresh_for(&caller.context.cancel, command);
        if starter.is_too_deep() {
            return Err("utilities call each other too deeply".to_owned());
        }
        let mut shell = starter.fork();
        shell.context.depth = starter.context.depth;
        // Only the thread holds its descriptors.
        starter.env.fds = FdTable::default();
        let argv = command.argv.clone();
        let started = starter.spawn_thread(shell, move |shell| {
            let mut ending = Ending::default();
            let (end, flow) = match shell.run_for_utility(&argv, &mut ending) {
                ControlFlow::Continue(end) => (end, NEXT),
                ControlFlow::Break(divert) => (CommandEnd::Ended(shell.env.status), ControlFlow::Break(divert)),
            };
            done(CommandOutcome { end, signal: ending.signal, timed_out: false });
            flow
        });
        match started {
            ControlFlow::Continue(job) => Ok(Box::new(ShellOnThread { starter, job })),
            ControlFlow::Break(_) => Err("there are too many threads".to_owned()),
        }
    }

    fn start_shell(&self, line: &ShellCall<'_>) -> Result<Box<dyn StartedShell>, String> {
        let Self(caller) = self;
        let mut starter = caller.fresh(NewShell {
            env: line.env,
            name: b"sh",
            args: Vec::new(),
            fds: line.fds.clone(),
            is_command_string: false,
            id: None,
        });
        starter.env.inherited.cwd = Arc::from(line.cwd);
        starter.context.depth += 1;
        if starter.is_too_deep() {
            return Err("commands are nested too deeply".to_owned());
        }
        let mut shell = starter.fork();
        shell.context.depth = starter.context.depth;
        // Only the thread holds its descriptors: the end of a pipe is seen when it ends.
        starter.env.fds = FdTable::default();
        let source: Arc<[u8]> = line.source.into();
        match starter.spawn_thread(shell, move |shell| shell.run_sourced(&source, false).map_continue(|_| ())) {
            ControlFlow::Continue(job) => Ok(Box::new(ShellOnThread { starter, job })),
            ControlFlow::Break(_) => Err("there are too many threads".to_owned()),
        }
    }
}

/// A command line on a thread of its own.
struct ShellOnThread {
    starter: Shell,
    job: Job,
}

impl StartedShell for ShellOnThread {
    fn wait(&mut self) -> Result<u8, Stopped> {
        match self.starter.wait_for_job(&self.job) {
            ControlFlow::Continue(()) => Ok(self.starter.env.status),
            ControlFlow::Break(_) => Err(Stopped::Cancelled),
        }
    }
}

impl ShellCommands<'_> {
    /// A shell of its own for a command.
    fn fresh_for(&self, cancel: &RunToken, command: &CommandCall<'_>) -> Shell {
        let Self(caller) = self;
        let new = NewShell {
            env: command.env,
            name: &caller.env.inherited.name,
            args: Vec::new(),
            fds: command.fds.clone(),
            is_command_string: false,
            id: None,
        };
        let mut shell = caller.fresh_within(cancel.clone(), new);
        shell.env.inherited.cwd = Arc::from(command.cwd);
        shell.context.line = caller.context.line;
        shell.context.depth += 1;
        if shell.vars.scalar_bytes(b"PATH").is_none() {
            // `execvp` has a path of its own where there is none.
            shell.set_initial(b"PATH", crate::paths::DEFAULT_PATH.as_bytes(), false);
        }
        shell.vars.give_environment(command.env);
        shell
    }

    fn run_within(&self, mut shell: Shell, command: &CommandCall<'_>) -> Result<CommandOutcome, Stopped> {
        let Self(caller) = self;
        let mut ending = Ending::default();
        let end = if shell.is_too_deep() {
            CommandEnd::NotStarted { status: 126, reason: "utilities call each other too deeply".to_owned() }
        } else {
            match shell.run_for_utility(command.argv, &mut ending) {
                ControlFlow::Continue(end) => end,
                // At a time limit it is known how a process took the signal.
                ControlFlow::Break(crate::flow::Divert::Stop)
                    if !ending.is_known || caller.context.cancel.is_cancelled() =>
                {
                    return Err(Stopped::Cancelled);
                }
                ControlFlow::Break(_) => CommandEnd::Ended(shell.env.status),
            }
        };
        Ok(CommandOutcome { end, signal: ending.signal, timed_out: false })
    }
}

/// What is known of how a command ended.
#[derive(Default)]
struct Ending {
    /// The signal that ended it.
    signal: Option<u8>,
    /// It was a process, and has ended by itself or by a signal.
    is_known: bool,
}

/// The number of the signal KILL, on every system.
const KILL: i32 = 9;

/// Ends a part of the run when its time is over.
struct Timer {
    interrupt: Interrupt,
    timed_out: Arc<AtomicBool>,
}

impl Timer {
    /// `shell` is what runs the command, and `part` its token.
    fn start(shell: &Shell, part: &RunToken, limit: TimeLimit) -> io::Result<Self> {
        let timer = Self { interrupt: Interrupt::new(), timed_out: Arc::default() };
        let Some(after) = limit.after else { return Ok(timer) };
        let (interrupt, timed_out, part) = (timer.interrupt.clone(), timer.timed_out.clone(), part.clone());
        let (run, id) = (shell.host.run.clone(), shell.context.subshell.id);
        shell.host.pool.run(move || {
            if !interrupt.sleep(after) {
                return;
            }
            timed_out.store(true, Ordering::SeqCst);
            if limit.signal == KILL {
                part.kill(CancelReason::TimedOut);
                return;
            }
            if !run.signal_part(id, &part, limit.signal) {
                part.cancel_with(CancelReason::TimedOut, limit.signal);
            }
            if let Some(kill_after) = limit.kill_after
                && interrupt.sleep(kill_after)
            {
                part.kill(CancelReason::TimedOut);
            }
        })?;
        Ok(timer)
    }

    /// The command has ended. Was it the time?
    fn stop(&self) -> bool {
        self.interrupt.raise();
        self.timed_out.load(Ordering::SeqCst)
    }
}
