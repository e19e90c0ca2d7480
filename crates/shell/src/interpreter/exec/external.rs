//! Programs (XCU 2.9.1.6), by way of the exec seam.

use std::borrow::Cow;
use std::fs::File;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use hookshell_process::{Child, WaitError, script_path, text};
use hookshell_syntax::ast::{Argument, AssignmentValue, RedirectionKind, SimpleCommand};
use hookshell_utility::{Args, Stream};

use super::Place;
use super::pipeline::has_no_side_effects;
use super::utility::Refused;
use crate::call::Function;
use crate::config::ExitCause;
use crate::executor::{ExecError, ExecRequest, Script, ScriptSource, StandIn, Started};
use crate::flow::{Divert, Flow, NEXT, divert};
use crate::interpreter::NewShell;
use crate::jobs::{Death, Job};
use crate::limits::Limit;
use crate::options::Opt;
use crate::shell::Shell;
use crate::vars::Attributes;

/// What starting a command came to.
pub(crate) enum StartedCommand {
    Process(Arc<Child>),
    Script(Script),
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

    /// The same for the command that a command string ends with: nothing is left to do behind it, so the program takes the
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
    fn is_within_run(&self) -> bool {
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
        !self.traps.has_actions() && (self.may_end_as_program() || !self.host.is_process)
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
            StartedCommand::Process(child) => self.wait_for_child(&child),
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
            Ok(Started::Script(script)) => StartedCommand::Script(script),
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
        let temp_dir = self.temp_dir();
        let mut files: Vec<(u32, Arc<File>)> = Vec::with_capacity(3);
        for (fd, stream) in self.env.fds.iter() {
            if self.is_private_descriptor(fd, stream) || (cfg!(windows) && fd > 2) {
                continue;
            }
            let file = stream.share(&temp_dir).map_err(|error| {
                ExecError::Refused(format!("cannot pass descriptor {fd} to a program: {}", super::reason(&error)))
            })?;
            files.push((fd, file));
        }
        let fds: Vec<(u32, &File)> = files.iter().map(|(fd, file)| (*fd, &**file)).collect();
        let path = match self.search_list() {
            _ if !mode.is_command() && self.vars.scalar_bytes(b"PATH").is_none() => {
                Cow::Borrowed(crate::paths::DEFAULT_PATH.as_bytes())
            }
            list => list,
        };
        let cancel = self.context.cancel.clone();
        let interrupt = self.context.interrupt.clone();
        if !self.host.usage.allows_process(&|| cancel.is_cancelled() && interrupt.is_raised()) {
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
            fds: &fds,
            umask: self.env.inherited.umask,
            ignored_signals: self.traps.ignored(),
            limits: &self.env.inherited.resource_limits,
            tree: self.host.cancel.tree(),
            replace,
        });
        if let Ok(Started::Process(child)) = &started {
            let tree = self.host.cancel.tree();
            if self.host.cancel.is_killed() {
                // A limit has ended the run while it was starting.
                let _ = tree.signal(child.id(), SIGKILL);
            } else if cfg!(unix) && self.is_stopping() {
                // All programs were asked to end behind our last look, perhaps before there was this one.
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

    /// Says why a program was not started, and why the utility of its name has not run.
    pub(crate) fn not_started(&mut self, args: &Args, error: &ExecError, mode: StartMode, refused: Option<&Refused>) {
        let name = &args[0];
        let refused = refused.filter(|_| matches!(error, ExecError::CommandNotFound));
        match error {
            _ if let Some(refused) = refused => self.error([name, b": ", refused.to_string().as_bytes()].concat()),
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
        // bash tells of a death before it runs the trap of a signal that came in meanwhile.
        if self.scratch.death.is_some() && !self.is_stopping() { NEXT } else { self.checkpoint() }
    }

    pub(crate) fn status_lost(&mut self, error: &WaitError) -> u8 {
        self.host.run.note_status_lost();
        self.error(format!("wait: {error}"));
        // Nobody knows how it ended: never success.
        127
    }

    /// Runs shell source that was started as a command. Where nothing is left to do behind it, it takes the place of this
    /// environment: signals for that are then for the script.
    pub(crate) fn run_script(&mut self, script: Script, place: Place) -> Flow {
        if self.is_too_deep() {
            return self.too_deep();
        }
        let mut env = self.vars.environment().clone();
        if !script.assignments.is_empty() {
            let list = Arc::make_mut(&mut env);
            for (name, value) in &script.assignments {
                let (name, value) = (text::to_os(name), text::to_os(value).into_owned());
                match list.iter_mut().find(|(known, _)| *known == *name) {
                    Some((_, old)) => *old = value,
                    None => list.push((name.into_owned(), value)),
                }
            }
        }
        let is_command_string = matches!(script.source, ScriptSource::CommandString(_));
        let takes_place = place != Place::Within;
        let mut shell = self.fresh(NewShell {
            env: &env,
            name: &script.name,
            args: script.args,
            fds: self.env.fds.clone(),
            is_command_string,
            id: takes_place.then_some(self.context.subshell.id),
        });
        shell.context.depth += 1;
        if !script.started_as.is_empty() {
            shell.env.last_argument.clear();
            shell.env.last_argument.extend_from_slice(&script.started_as);
        }
        if let Some(parent) = self.parent_of_script(takes_place) {
            shell.set_initial(b"PPID", &parent, true);
        }
        shell.set_up(&script.setup);
        if script.ignored_signals != 0 {
            shell.traps.ignore_for_good(script.ignored_signals);
        }
        let text = match script.source {
            ScriptSource::File(text) | ScriptSource::CommandString(text) => Some(Ok(text)),
            ScriptSource::Descriptor(fd) => {
                Some(crate::interpreter::builtins::source::read_descriptor(&shell, fd).map(Arc::from))
            }
            ScriptSource::Stdin => None,
        };
        let exit = match text {
            Some(Ok(_)) if let Some(program) = &script.program => shell.run_program(program),
            Some(Ok(text)) => {
                // By the options of the command line: `-O extglob` is for the first line, too.
                let options = shell.parse_options();
                let program = hookshell_syntax::parse_prefix_with_stop(text, &options, &|| shell.is_stopping());
                shell.run_program(&program)
            }
            Some(Err(reason)) => {
                self.error([&**script.name, b": ", reason.as_bytes()].concat());
                self.env.status = 126;
                return NEXT;
            }
            None => {
                let stdin = shell.env.fds.get(0).cloned().unwrap_or_else(|| Arc::new(Stream::null()));
                shell.run_stream(&stdin)
            }
        };
        self.env.status = exit.status;
        if !takes_place {
            self.child_ended();
        }
        match exit.cause {
            ExitCause::Signal(signal) if takes_place && self.is_within_run() => {
                self.scratch.died_of = signal;
                divert(Divert::Die)
            }
            ExitCause::Signal(signal) if !takes_place => {
                self.scratch.death = Some(Death { id: shell.host.process_id, signal, core_dumped: false });
                NEXT
            }
            ExitCause::Cancelled | ExitCause::LimitExceeded(_) => divert(Divert::Stop),
            ExitCause::SyntaxError(error) => {
                if let Some(StandIn { shell, reason }) = script.stands_in {
                    let reason = format!(
                        "{reason}; the in-process shell, which stands in for it, cannot read the script: line {}: {}",
                        error.position.line, error.cause
                    );
                    let error = ExecError::BadInterpreter { interpreter: shell, reason };
                    self.error([&**script.name, b": ", error.to_string().as_bytes()].concat());
                    self.host.executor.failed(&script.name, &error);
                    self.env.status = error.status();
                }
                NEXT
            }
            _ if takes_place => NEXT,
            _ => self.checkpoint(),
        }
    }

    /// `$PPID` of a script that this environment starts: who has started the environment, where the script takes its place.
    /// `None`: the process, which a script that the host has started finds as its parent too.
    fn parent_of_script(&self, takes_place: bool) -> Option<Vec<u8>> {
        let parent = match (takes_place, self.context.frames.outer_id()) {
            (true, None) => return self.vars.scalar_bytes(b"PPID").map(<[u8]>::to_vec),
            (true, Some(outer)) if self.is_process_of_its_own() && outer == self.host.process_id => {
                hookshell_process::system::parent_id()
            }
            (true, Some(outer)) => outer,
            (false, _) => self.context.subshell.id,
        };
        (self.host.is_nested || self.host.is_process).then(|| parent.to_string().into_bytes())
    }

    /// Starts a background list that is one program, as a process of its own that outlives the shell; `None` if it is
    /// anything else. A bundled utility is left to the real program of that name, where there is one. This is the
    /// environment of the list: nothing is restored.
    pub(crate) fn start_background_program(&mut self, simple: &SimpleCommand) -> Flow<Option<Job>> {
        if !self.is_background_program(simple) {
            return ControlFlow::Continue(None);
        }
        // Opening a FIFO waits for its other side: not here.
        for redirection in &simple.redirections {
            if let Some(word) = super::redirect::file_of(redirection) {
                let target = self.expand_to_string(word)?;
                if super::redirect::is_fifo(&self.absolute(&target)) {
                    return ControlFlow::Continue(None);
                }
            }
        }
        // Where the words fail, the EXIT trap of the shell around runs.
        self.context.subshell.is_only_command = true;
        for assignment in &simple.assignments {
            if let failed @ ControlFlow::Break(_) = self.assign(assignment) {
                return self.words_failed(failed).map_continue(|()| None);
            }
            let id = self.vars.slot(&assignment.name);
            if let Some(variable) = self.vars.change(id) {
                variable.attributes = variable.attributes.with(Attributes::EXPORT, true);
            }
        }
        self.vars.environment_changed();
        let mut args = self.take_args();
        if let failed @ ControlFlow::Break(_) = self.expand_arguments(&simple.arguments, &mut args) {
            return self.words_failed(failed).map_continue(|()| None);
        }
        self.context.subshell.is_only_command = false;
        let prefixes = self.prefixes(simple);
        if simple.arguments[..prefixes].iter().any(|word| is_word(word, b"exec")) {
            // The environment ends with the program: nothing leaves the scope again.
            self.vars.enter_scope();
            self.lower_level();
        }
        args.remove_front(prefixes);
        let job = if self.redirect(&simple.redirections, None)? {
            match self.start_external(&args, None, StartMode::Child) {
                StartedCommand::Process(child) => Some(Job::process(child)),
                // Shell source and messages of what cannot be started are the business of a thread.
                StartedCommand::Script(_) | StartedCommand::NotFound(_) => None,
                StartedCommand::Failed => Some(Job::ended(self.host.run.next_id(), self.env.status)),
            }
        } else {
            Some(Job::ended(self.host.run.next_id(), 1))
        };
        self.give_args(args);
        ControlFlow::Continue(job)
    }

    /// How many words stand before the name of the program: `exec`, `command`.
    fn prefixes(&self, simple: &SimpleCommand) -> usize {
        let is_prefix = |word: &&Argument| {
            let is_called = |name: &&[u8]| is_word(word, name) && !self.env.inherited.functions.contains_key(*name);
            [&b"exec"[..], b"command"].iter().any(is_called)
        };
        let count = simple.arguments.iter().take_while(is_prefix).count();
        // Behind `exec` everything is the name of a program.
        match simple.arguments[..count].iter().position(|word| is_word(word, b"exec")) {
            Some(exec) => exec + 1,
            None => count,
        }
    }

    /// Is it a program whose words, assignments and redirections can be expanded here without running anything?
    fn is_background_program(&mut self, simple: &SimpleCommand) -> bool {
        let prefixes = self.prefixes(simple);
        let Some(Argument::Word(word)) = simple.arguments.get(prefixes) else { return false };
        let Some(name) = word.literal() else { return false };
        let is_execed = prefixes > 0 && is_word(&simple.arguments[prefixes - 1], b"exec");
        if self.opt(Opt::Xtrace)
            || self.traps.has_debug()
            || prefixes == 0 && self.env.inherited.functions.contains_key(&*name)
            || !is_execed && crate::interpreter::builtins::find(&name).is_some()
            || prefixes > 0 && (self.opt(Opt::Restricted) || name.starts_with(b"-"))
        {
            return false;
        }
        // What `exec` does not find is told of otherwise.
        if self.prefers_utility(&name) || is_execed {
            let path = self.search_list();
            if self.host.executor.find(&name, &path, &self.env.inherited.cwd).is_none() {
                return false;
            }
        }
        let quick_target = |kind: &RedirectionKind| match kind {
            RedirectionKind::Read(word)
            | RedirectionKind::Write(word)
            | RedirectionKind::Clobber(word)
            | RedirectionKind::Append(word)
            | RedirectionKind::ReadWrite(word)
            | RedirectionKind::DuplicateInput(word)
            | RedirectionKind::DuplicateOutput(word)
            | RedirectionKind::WriteBoth(word)
            | RedirectionKind::AppendBoth(word)
            | RedirectionKind::HereString(word) => has_no_side_effects(word),
            RedirectionKind::HereDocument(document) => document.body.get().is_none_or(has_no_side_effects),
        };
        simple.arguments.iter().all(|a| matches!(a, Argument::Word(word) if has_no_side_effects(word)))
            && simple.redirections.iter().all(|r| quick_target(&r.kind))
            && simple
                .assignments
                .iter()
                .all(|a| a.subscript.is_none() && matches!(&a.value, AssignmentValue::Scalar(word) if has_no_side_effects(word)))
            // bash: a command whose variable is read-only runs all the same.
            && !simple.assignments.iter().any(|a| {
                let variable = self.vars.find(&a.name).and_then(|id| self.vars.get(id));
                variable.is_some_and(|v| v.attributes.has(Attributes::READONLY))
            })
    }

    /// Where temporary files of this run go: TMPDIR of the run, on Windows TEMP, else the system's directory.
    pub(crate) fn temp_dir(&self) -> PathBuf {
        script_path::temp_dir(|name| Some(text::to_path(self.vars.scalar_bytes(name.as_bytes())?).into_owned()))
    }
}

/// Is the argument this word, as it stands in the source?
fn is_word(argument: &Argument, name: &[u8]) -> bool {
    matches!(argument, Argument::Word(word) if word.literal().is_some_and(|text| *text == *name))
}
