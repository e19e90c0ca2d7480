//! Programs (XCU 2.9.1.6), by way of the exec seam.

use std::borrow::Cow;
use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;

use hookshell_process::{Child, WaitError, script_path, text};
use hookshell_utility::Args;

use super::Place;
use super::utility::Refused;
use crate::call::Function;
use crate::executor::{ChildDescriptors, ExecError, ExecRequest, Script, Started};
use crate::flow::{Divert, Flow, NEXT, divert};
use crate::jobs::Death;
use crate::limits::Limit;
use crate::options::Opt;
use crate::shell::Shell;

/// What starting a command came to.
pub(crate) enum StartedCommand {
    Process(Arc<Child>),
    Script(Box<Script>),
    /// It was not started: the message is written and the status set.
    Failed,
    /// bash: there is no such command, and a function that is called instead.
    NotFound(Arc<Function>),
}

const SIGKILL: i32 = 9;
const SIGTERM: i32 = 15;

/// The function that bash calls for a command that is not found.
const NOT_FOUND_HANDLER: &[u8] = b"command_not_found_handle";

/// How a program is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StartMode {
    /// As a command.
    Child,
    /// By `exec` in a subshell or embedded: a child, with which this environment ends.
    Exec,
    /// By `exec`: in the place of this process, if the executor can do that.
    Replace,
    /// As the last command of a command string: in the place of this process too, with a command's messages.
    Last,
}

impl StartMode {
    /// Is it started as a command is, and not by `exec`?
    fn is_command(self) -> bool {
        matches!(self, Self::Child | Self::Last)
    }
}

impl Shell {
    /// Starts a program and waits for it; shell source runs in a fresh state. `refused`: why the utility of its name has not run.
    pub(crate) fn run_external(&mut self, args: &Args, refused: Option<&Refused>, place: Place) -> Flow {
        let started = self.start_external(args, refused, StartMode::Child);
        self.run_started(args, started, place)
    }

    /// The same for the command that a command string ends with: nothing is left to do after it, so the program takes the
    /// place of this process, as it does in bash. Its parent is then who has started the shell.
    pub(crate) fn end_as_external(&mut self, args: &Args, refused: Option<&Refused>) -> Flow {
        let mode = if self.may_end_as_program() { StartMode::Last } else { StartMode::Child };
        self.at_lower_level(|shell| {
            let started = shell.start_external(args, refused, mode);
            shell.run_started(args, started, Place::AtEnd)
        })?;
        self.die_in_place()
    }

    /// Runs what takes the place of this shell, with the SHLVL that it then finds.
    pub(crate) fn at_lower_level<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        let scope = self.vars.enter_scope();
        self.lower_level();
        let result = run(self);
        self.leave_scope(scope);
        result
    }

    /// The program that took the place of this environment has ended: by a signal, perhaps, which is then what has ended the
    /// environment. The host is told of the status alone.
    pub(crate) fn die_in_place(&mut self) -> Flow {
        if !self.is_within_run() {
            return NEXT;
        }
        let Some(death) = self.scratch.death.take() else { return NEXT };
        self.scratch.died_of = death.signal;
        divert(Divert::Die)
    }

    /// Is it another environment of the run that waits for the end of this one?
    pub(super) fn is_within_run(&self) -> bool {
        self.host.is_nested || self.context.subshell.depth > 0
    }

    /// May the program of the last command take the place of this process ([`Place::AtEnd`], bash's `should_suppress_fork`)?
    /// What runs on threads of this process would end with it.
    ///
    /// [`Place::AtEnd`]: super::Place::AtEnd
    fn may_end_as_program(&self) -> bool {
        cfg!(unix) && self.is_process_of_its_own() && self.host.limits.wall_time.is_none() && !self.has_parts()
    }

    /// Is the last command of a command string one that bash makes no process for? Where this shell is no process, the
    /// command has the shell's number and level all the same.
    pub(crate) fn ends_as_program(&self) -> bool {
        // A subshell that is no process has nothing in its process to lose.
        let is_part = self.context.subshell.depth > 0 && !self.is_process_of_its_own();
        !self.traps.has_actions() && (is_part || self.may_end_as_program() || !self.host.is_process)
    }

    /// Would a program that takes the place of this process take that of this environment and of no other?
    pub(crate) fn is_process_of_its_own(&self) -> bool {
        self.host.is_process && self.context.subshell.depth == 0 || self.host.copy_id == Some(self.context.subshell.id)
    }

    /// Does anything run on other threads of this process: background lists, process substitutions, coprocesses?
    pub(crate) fn has_parts(&self) -> bool {
        self.live_threads() > 0 || !self.context.substitutions.is_empty() || !self.env.inherited.coprocesses.is_empty()
    }

    fn run_started(&mut self, args: &Args, started: StartedCommand, place: Place) -> Flow {
        match started {
            StartedCommand::Process(child) => self.wait_in_foreground(|shell| shell.wait_for_child(&child)),
            StartedCommand::Script(script) => self.run_script(script, place),
            StartedCommand::Failed => NEXT,
            StartedCommand::NotFound(handler) => self.in_subshell(|shell| {
                let mut words = Args::default();
                words.push(NOT_FOUND_HANDLER);
                args.iter().for_each(|word| words.push(word));
                shell.call_function(&handler, &mut words)
            }),
        }
    }

    /// Starts a program, and says so when it could not be started.
    pub(crate) fn start_external(&mut self, args: &Args, refused: Option<&Refused>, mode: StartMode) -> StartedCommand {
        if self.refuses_program(args) {
            return StartedCommand::Failed;
        }
        match self.start_program(args, None, mode) {
            Ok(Started::Process(child)) => StartedCommand::Process(child),
            Ok(Started::Script(script)) => StartedCommand::Script(self.with_start_up_file(script)),
            Err(ExecError::CommandNotFound)
                if mode.is_command() && self.env.inherited.functions.contains_key(NOT_FOUND_HANDLER) =>
            {
                match self.env.inherited.functions.get(NOT_FOUND_HANDLER) {
                    Some(handler) => StartedCommand::NotFound(handler.clone()),
                    None => StartedCommand::Failed,
                }
            }
            Err(error) => {
                self.not_started(args, &error, mode, refused);
                StartedCommand::Failed
            }
        }
    }

    /// bash runs a script without a `#!` line in a copy of itself: `BASH_ENV` is for that as for `bash FILE`. To `env`, `nice` and
    /// all other programs it is a script for sh.
    pub(crate) fn with_start_up_file(&self, mut script: Box<Script>) -> Box<Script> {
        script.setup.reads_bash_env |= self.env.is_bash && script.is_bare;
        script
    }

    /// Counts the run of a program that PATH has led to.
    fn remember_run(&mut self, name: &[u8]) {
        if name.contains(&b'/') || !self.opt(Opt::Hashall) {
            return;
        }
        let is_new = !self.env.inherited.command_hash.knows(name);
        Arc::make_mut(&mut self.env.inherited.command_hash).hit(name);
        if is_new {
            self.list_commands();
        }
    }

    /// Starts a program.
    pub(crate) fn start_program(
        &mut self,
        args: &Args,
        argv0: Option<&[u8]>,
        mode: StartMode,
    ) -> Result<Started, ExecError> {
        // A path that `hash -p` gave takes the place of the look-up.
        let given = self.env.inherited.command_hash.given(&args[0]).map(|path| {
            let mut words = Args::new();
            words.push(path);
            args.iter_from(1).for_each(|word| words.push(word));
            words
        });
        let name = &args[0];
        let argv0 = argv0.or_else(|| given.is_some().then_some(name));
        let args = given.as_ref().unwrap_or(args);
        self.follow_directory();
        let env = self.vars.environment();
        // Programs on Windows have the standard descriptors only.
        let substituted =
            if cfg!(windows) && !self.context.substitutions.is_empty() { self.substituted(args, &env)? } else { None };
        let (args, env) =
            substituted.as_ref().map_or((args, &env), |substituted| (&substituted.args, &substituted.env));
        let path = match self.search_list() {
            _ if !mode.is_command() && self.vars.scalar_bytes(b"PATH").is_none() => {
                Cow::Borrowed(crate::paths::DEFAULT_PATH.as_bytes())
            }
            list => list,
        };
        let cancel = self.context.cancel.clone();
        let interrupt = self.context.interrupt.clone();
        // Kept until the program is counted itself.
        let admission = self.host.usage.admit_program(&|| cancel.is_cancelled() && interrupt.is_raised());
        if admission.is_none() {
            let message = self.host.limits.message(Limit::Processes, "more of the script's programs run at once");
            // Flow is for expansions: here the script ends at its next look.
            let _: Flow = self.stop_run(message.clone());
            return Err(ExecError::Refused(message));
        }
        let replace = matches!(mode, StartMode::Replace | StartMode::Last);
        if !replace {
            self.listen_for_signals();
        }
        let started = self.host.executor.start(&ExecRequest {
            argv: args,
            argv0,
            path: &path,
            env,
            set_underscore: !self.vars.is_environment_given(),
            cwd: &self.env.inherited.cwd,
            descriptors: ChildDescriptors::new(&|| self.child_descriptors()),
            umask: self.env.inherited.umask,
            ignored_signals: self.traps.ignored(),
            limits: &self.env.inherited.resource_limits,
            tree: self.host.cancel.tree(),
            replace,
        });
        drop(admission);
        if let Ok(Started::Process(child)) = &started {
            let tree = self.host.cancel.tree();
            if self.host.cancel.is_killed() {
                // A limit has ended the run while it was starting.
                let _ = tree.signal(child.id(), SIGKILL);
            } else if cfg!(unix) && self.is_stopping() {
                // All programs were asked to end after our last look, perhaps before there was this one.
                let _ = tree.signal(child.id(), SIGTERM);
            }
        }
        if started.is_ok() && mode.is_command() {
            self.remember_run(name);
        }
        match substituted {
            Some(substituted) => self.end_substituted(substituted, started?),
            None => started,
        }
    }

    /// The descriptors that a program is given.
    fn child_descriptors(&self) -> Result<Vec<(u32, Arc<File>)>, ExecError> {
        let temp_dir = self.temp_dir();
        let mut files = Vec::with_capacity(3);
        for (fd, stream) in self.env.fds.iter() {
            if self.is_private_descriptor(fd, stream) || (cfg!(windows) && fd > 2) {
                continue;
            }
            let file = stream.share(&temp_dir).map_err(|error| {
                ExecError::Refused(format!("cannot pass descriptor {fd} to a program: {}", super::reason(&error)))
            })?;
            files.push((fd, file));
        }
        Ok(files)
    }

    /// Says why a program was not started, and why the utility of its name has not run.
    pub(crate) fn not_started(&mut self, args: &Args, error: &ExecError, mode: StartMode, refused: Option<&Refused>) {
        let name = &args[0];
        let refused = refused.filter(|_| matches!(error, ExecError::CommandNotFound));
        match error {
            _ if let Some(refused) = refused => self.error([name, b": ", refused.to_string().as_bytes()].concat()),
            // The shell that was to run it says so, at no line of this one's.
            ExecError::NoSuchOperand { .. } => {
                self.write_error(&[name, b": ", error.to_string().as_bytes(), b"\n"].concat());
            }
            ExecError::UnusableOperand { file, reason } => {
                // bash: a file that it has opened stands in the place of its own name.
                let teller: &[u8] = if reason == "Permission denied" { name } else { file };
                self.write_error(&[teller, b": ", error.to_string().as_bytes(), b"\n"].concat());
            }
            ExecError::CommandNotFound if !mode.is_command() => {
                self.builtin_error(b"exec", [name, b": not found"].concat());
            }
            // bash: without directories to look in, the name is a file of the working directory.
            ExecError::CommandNotFound if self.vars.scalar_bytes(b"PATH").is_none_or(<[u8]>::is_empty) => {
                self.error([name, b": No such file or directory"].concat());
            }
            _ => {
                // A path that `hash -p` gave.
                let given = self.env.inherited.command_hash.given(name).map(<[u8]>::to_vec);
                let mut name = hookshell_text::quote::printable(given.as_deref().unwrap_or(name)).into_owned();
                // bash: `exec` says where it has looked.
                if !mode.is_command() && name.contains(&b'/') && !name.starts_with(b"/") {
                    let relative = name.strip_prefix(b"./").unwrap_or(&name);
                    let path = self.env.inherited.cwd.join(text::to_path(relative));
                    name = crate::paths::shell_path(&text::from_os(path.as_os_str()));
                }
                self.error([&*name, b": ", error.to_string().as_bytes()].concat());
                // What is there and is no program, bash's `exec` says twice.
                let is_found = match error {
                    ExecError::IsDirectory | ExecError::PermissionDenied => true,
                    ExecError::Os(reason) => reason == "Not a directory",
                    _ => false,
                };
                if !mode.is_command() && is_found {
                    self.builtin_error(b"exec", [&*name, b": cannot execute: ", error.to_string().as_bytes()].concat());
                }
            }
        }
        self.env.status = error.status();
        self.host.run.note_failure(error);
    }

    /// Waits for a foreground child.
    pub(crate) fn wait_for_child(&mut self, child: &Child) -> Flow {
        // A signal ends a list that is a process of its own while it waits; elsewhere those who wait for it continue at once.
        let waited = match self.host.copy_id {
            Some(_) => child.wait_interruptible(&self.context.interrupt),
            None => child.wait().map(Some),
        };
        self.env.status = match waited {
            Ok(None) => self.env.status,
            Ok(Some(status)) => {
                self.report_jobs();
                self.scratch.death = Death::of(child.id(), status);
                status.shell_status()
            }
            Err(error) => self.status_lost(&error),
        };
        self.child_ended();
        self.take_process_signals();
        // bash reports a death before it runs the trap of a signal that came in meanwhile.
        if self.scratch.death.is_some() && !self.is_stopping() { NEXT } else { self.checkpoint() }
    }

    pub(crate) fn status_lost(&mut self, error: &WaitError) -> u8 {
        self.host.run.note_status_lost();
        self.error(format!("wait: {error}"));
        // Nobody knows how it ended: never success.
        127
    }

    /// Where temporary files of this run go: TMPDIR of the run, on Windows TEMP, else the system's directory.
    pub(crate) fn temp_dir(&self) -> PathBuf {
        script_path::temp_dir(|name| Some(text::to_path(self.vars.scalar_bytes(name.as_bytes())?).into_owned()))
    }
}
