//! Bundled utilities: which of them run, and what they see of the interpreter.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use hookshell_process::{ChildStatus, script_path, text};
use hookshell_utility::{
    Args, CommandEnd, Environment, Prepared, Stopped, Unsupported, UtilityCall, UtilityContext, UtilityMemory,
};

use super::utility_commands::{Ending, ShellCommands};
use crate::executor::{ExecError, Started};
use crate::flow::Flow;
use crate::interpreter::builtins::{self, Builtin};
use crate::options::Opt;
use crate::shell::Shell;

/// Utilities whose environment is seen: they show it, or start commands with it.
const HANDS_ON_ENVIRONMENT: [&[u8]; 9] =
    [b"env", b"printenv", b"timeout", b"xargs", b"find", b"nice", b"nohup", b"setsid", b"stdbuf"];

/// Built-ins that are programs too, so that `xargs`, `find -exec` and `env` can call them.
const PROGRAMS_TOO: [&[u8]; 8] = [b"[", b"echo", b"false", b"kill", b"printf", b"pwd", b"test", b"true"];

/// The built-in that does the work of a program of this name.
fn program_too(name: &[u8]) -> Option<&'static Builtin> {
    let name = utility_name(name);
    PROGRAMS_TOO.contains(&name).then(|| builtins::find(name)).flatten()
}

/// Has a bundled utility run a command?
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
        let (ended, ended_by) = self.run_prepared(prepared, args, &env);
        self.child_ended();
        match ended {
            Ok(status) => self.env.status = status,
            // A program of its own would have died of SIGPIPE; the shell continues.
            Err(Stopped::BrokenPipe) => self.env.status = 141,
            Err(Stopped::Cancelled) => {
                self.env.status =
                    ended_by.map_or(143, |signal| 128_u8.saturating_add(u8::try_from(signal).unwrap_or(0)));
                if let Some(signal) = ended_by {
                    self.share_end_of_utility(signal);
                }
                self.checkpoint()?;
            }
        }
        ControlFlow::Continue(Tried::Ran)
    }

    /// A terminal's signal has ended a utility: a subshell that has no mailbox, since it runs on its parent's thread, gets the signal too.
    fn share_end_of_utility(&mut self, signal: i32) {
        let id = self.context.subshell.id;
        let is_handled = self.traps.has_any() && self.handled_signals() >> (signal - 1) & 1 != 0;
        if id != self.host.process_id && !is_handled && !self.host.run.has_signals_for(id) {
            self.signal_oneself(signal);
        }
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
        // As every program: those that show the environment, or hand it on to a command, find their own path in it.
        if cfg!(windows) || self.vars.is_environment_given() || !HANDS_ON_ENVIRONMENT.contains(&name) {
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
    ) -> (Result<u8, Stopped>, Option<i32>) {
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
    pub(super) fn run_for_utility(
        &mut self,
        args: &Args,
        ending: &mut Ending,
    ) -> ControlFlow<crate::flow::Divert, CommandEnd> {
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
