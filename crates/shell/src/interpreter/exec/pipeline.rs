//! Pipelines (XCU 2.9.2).

use std::ops::ControlFlow;
use std::sync::Arc;

use hookshell_syntax::ast::{
    Argument, Command, Compound, ParameterOperation, Pipeline, Redirection, RedirectionFd, RedirectionKind,
    SimpleCommand, Stage, Word, WordPart,
};
use hookshell_utility::Stream;
use smallvec::SmallVec;

use super::Place;
use super::call::Target;
use super::external::{StartMode, StartedCommand};
use crate::context::Frame;
use crate::executor::Script;
use crate::flow::{Divert, Flow, NEXT, divert};
#[cfg(unix)]
use crate::interpreter::forked::Ground;
use crate::jobs::{Job, JobKind};
use crate::options::Opt;
use crate::shell::Shell;

impl Shell {
    /// Runs a pipeline of several stages: every stage is started before any is waited for. The last one runs on this
    /// thread, which has nothing else to do; it is a subshell like the others unless `lastpipe` is on.
    pub(super) fn run_stages(&mut self, pipeline: &Pipeline) -> Flow {
        let Some((last, first)) = pipeline.stages.split_last() else {
            self.env.status = u8::from(pipeline.negated);
            return NEXT;
        };
        let mut running: SmallVec<[Running; 4]> = SmallVec::new();
        let mut input: Option<Arc<Stream>> = None;
        let before = self.env.status;
        let is_list = std::mem::take(&mut self.context.subshell.fails_as_list);
        let is_sheltered = pipeline.negated && self.negation_ignores_errexit();
        if is_sheltered {
            self.context.frames.enter(Frame::Condition);
        }
        let mut flow = NEXT;
        for stage in first {
            match self.start_stage(stage, input.take()) {
                ControlFlow::Continue((stage, output)) => {
                    if let Some(id) = stage.id() {
                        self.host.run.add_stage(self.context.subshell.id, id);
                    }
                    running.push(stage);
                    input = Some(output);
                }
                ControlFlow::Break(divert) => {
                    flow = ControlFlow::Break(divert);
                    break;
                }
            }
        }
        // As a whole it may be one that continues after an INT, where nothing of it is a part of this process: nobody else would end
        // what is (a script in process, words that are expanded, a FIFO that is opened).
        let leaves_interrupts =
            cfg!(unix) && self.is_process_of_its_own() && running.iter().all(|stage| !stage.is_part_of_process());
        if flow.is_continue() {
            flow = self.run_last_stage(last, input.take(), leaves_interrupts);
        }
        drop(input);
        let last_status = self.env.status;
        // bash: a subshell at the end runs the ERR trap of its own, before the pipeline does.
        if last_status != 0
            && flow.is_continue()
            && !is_list
            && !self.opt(Opt::Errexit)
            && matches!(&last.command, Command::Compound(compound) if matches!(compound.kind, Compound::Subshell(_)))
        {
            flow = self.failed_now();
        }
        let mut statuses: SmallVec<[u8; 4]> = SmallVec::new();
        // The waits below are for commands whose deaths are not news.
        let death = self.scratch.death.take();
        let ids: SmallVec<[u32; 4]> = if death.is_some() {
            running.iter().map(|stage| stage.id().unwrap_or_else(|| self.host.run.next_id())).collect()
        } else {
            SmallVec::new()
        };
        if leaves_interrupts {
            self.leave_interrupts();
        }
        for stage in running {
            match stage {
                Running::Done(status) => statuses.push(status),
                Running::Job(job) => {
                    let waited = self.wait_for_job(&job);
                    statuses.push(self.env.status);
                    if waited.is_break() && flow.is_continue() {
                        flow = waited;
                    }
                }
            }
        }
        if is_sheltered {
            self.context.frames.leave();
        }
        if leaves_interrupts {
            let left = self.take_back_interrupts(death.as_ref());
            flow = if flow.is_continue() { left } else { flow };
        }
        statuses.push(last_status);
        self.scratch.death = death;
        if self.scratch.death.is_some() {
            self.report_pipeline(pipeline, &ids, &statuses);
        }
        self.report_jobs();
        self.env.status = last_status;
        if self.opt(Opt::Pipefail)
            && let Some(failed) = statuses.iter().rev().find(|status| **status != 0)
        {
            self.env.status = *failed;
        }
        self.env.pipe_status = statuses;
        if self.is_ended_by_other(flow) {
            self.env.status = before;
        }
        flow?;
        // A stage was ended by a signal, which may be for all of us.
        if self.env.pipe_status.iter().any(|status| *status > 128) {
            self.take_process_signals();
        }
        self.checkpoint()?;
        if pipeline.negated {
            self.env.status = u8::from(self.env.status == 0);
            return NEXT;
        }
        if self.env.status != 0 && !is_list { self.failed_now() } else { NEXT }
    }

    /// `leaves_interrupts`: the other stages are processes, and an INT is left to them and to this one if it is a program.
    fn run_last_stage(&mut self, stage: &Stage, input: Option<Arc<Stream>>, leaves_interrupts: bool) -> Flow {
        if self.opt(Opt::Lastpipe) && !self.opt(Opt::Monitor) {
            let old = self.env.fds.replace(0, input);
            let flow = self.run_command(&stage.command, Place::Within);
            self.env.fds.replace(0, old);
            return flow;
        }
        self.set_bash_command_of(stage);
        let Some(()) = self.before_stage(stage)? else { return NEXT };
        #[cfg(unix)]
        if let Some(limits) = self.limits_beside()
            && self.stage_is_process(stage)
        {
            let mut shell = self.fork();
            shell.enter_last_stage(stage, input.clone());
            if let Some(flow) = self.run_in_process(shell, limits, |shell| shell.run_stage(stage)) {
                return flow;
            }
        }
        self.in_subshell(|shell| {
            shell.env.leave_coprocesses();
            shell.enter_last_stage(stage, input);
            shell.context.subshell.leaves_interrupts = leaves_interrupts && matches!(stage.command, Command::Simple(_));
            shell.run_stage(stage)
        })
    }

    /// In the environment of the last stage, which reads `input`.
    fn enter_last_stage(&mut self, stage: &Stage, input: Option<Arc<Stream>>) {
        self.enter_stage(stage);
        if input.is_some() {
            self.env.fds.replace(0, input);
            self.context.subshell.has_own_stdin = Some(true);
        }
    }

    /// bash runs the DEBUG trap of a simple command before it makes the environment of the stage; `None` if that skips
    /// the command.
    pub(crate) fn before_stage(&mut self, stage: &Stage) -> Flow<Option<()>> {
        let Command::Simple(simple) = &stage.command else { return ControlFlow::Continue(Some(())) };
        if !self.traps.has_debug() {
            return ControlFlow::Continue(Some(()));
        }
        let own = self.line_of(simple.span);
        let line = std::mem::replace(&mut self.context.line, own);
        self.traps.set_command(|| hookshell_syntax::print_simple(simple));
        let skipped = self.is_skipped_by_debug_trap();
        self.context.line = line;
        skipped.map_continue(|skipped| (!skipped).then_some(()))
    }

    /// bash notes a simple command for BASH_COMMAND before it makes the environment of the stage.
    fn set_bash_command_of(&mut self, stage: &Stage) {
        if let Command::Simple(simple) = &stage.command {
            self.set_bash_command(|| hookshell_syntax::print_simple(simple));
        }
    }

    /// In the environment of a stage. A simple command's is none that BASH_SUBSHELL counts (bash).
    fn enter_stage(&mut self, stage: &Stage) {
        if !matches!(&stage.command, Command::Simple(simple) if simple.literal_name().as_deref() == Some(b"jobs")) {
            self.jobs.leave_inherited();
        }
        if matches!(stage.command, Command::Simple(_)) {
            if !self.context.subshell.is_background_pipeline {
                self.context.subshell.uncounted = self.context.subshell.uncounted.wrapping_add(1);
                self.context.subshell.is_uncounted_stage = true;
            }
            self.context.subshell.is_own_command = self.context.subshell.depth == 1;
            self.context.subshell.debug_trap_ran = self.traps.has_debug();
        }
    }

    /// Runs the command of a stage: a failure under `set -e` ends the stage.
    pub(crate) fn run_stage(&mut self, stage: &Stage) -> Flow {
        let command = &stage.command;
        if let Command::Compound(compound) = command {
            self.context.subshell.hides_loops = true;
            self.context.subshell.forked = matches!(compound.kind, Compound::Subshell(_));
        }
        self.context.subshell.is_only_command = true;
        // bash: in the background that of braces neither.
        let is_braces = matches!(command, Command::Compound(compound) if matches!(compound.kind, Compound::Brace(_)));
        let in_background = std::mem::take(&mut self.context.subshell.is_background_pipeline);
        self.context.subshell.skips_exit_trap = is_control_structure(command) || is_braces && in_background;
        if stage.pipe_stderr {
            self.run_with_stderr_in_pipe(command)?;
        } else {
            self.run_command(command, Place::Within)?;
        }
        if self.env.status != 0 && self.opt(Opt::Errexit) && !self.context.ignores_errexit() {
            return divert(Divert::Exit);
        }
        NEXT
    }

    /// bash: `|&` is a `2>&1` after the command's own redirections.
    fn run_with_stderr_in_pipe(&mut self, command: &Command) -> Flow {
        let span = hookshell_syntax::Span::default();
        let redirection = Redirection {
            fd: Some(RedirectionFd::Number(2)),
            kind: RedirectionKind::DuplicateOutput(Word::new(vec![WordPart::Literal("1".into())], span)),
            span,
        };
        match command {
            Command::Simple(simple) => {
                let mut simple = simple.clone();
                simple.redirections.push(redirection);
                self.run_simple(&simple, Place::Within)
            }
            Command::Compound(compound) => {
                let mut compound = (**compound).clone();
                compound.redirections.push(redirection);
                self.run_compound(&compound, Place::Within)
            }
            Command::Function(_) => self.run_command(command, Place::Within),
        }
    }

    /// Starts a stage that is not the last; gives it and what the next one reads.
    fn start_stage(&mut self, stage: &Stage, input: Option<Arc<Stream>>) -> Flow<(Running, Arc<Stream>)> {
        self.set_bash_command_of(stage);
        if let Command::Simple(simple) = &stage.command
            && !stage.pipe_stderr
            && self.is_inline(simple)
        {
            return self.run_inline(stage, input);
        }
        let Some(()) = self.before_stage(stage)? else {
            return ControlFlow::Continue((Running::Done(0), Arc::new(Stream::input(Vec::new()))));
        };
        let (reader, writer) = match hookshell_process::pipe() {
            Ok(ends) => ends,
            Err(error) => return self.stop_run(format!("cannot make a pipe: {}", super::open::reason(&error))),
        };
        let output = Arc::new(Stream::from_private_pipe(writer));
        let next = Arc::new(Stream::from_private_pipe(reader));
        let mut script = None;
        if let Command::Simple(simple) = &stage.command
            && self.is_quick_external(simple)
        {
            match self.start_external_stage(simple, input.clone(), output.clone(), stage.pipe_stderr)? {
                StartedStage::Running(running) => return ControlFlow::Continue((running, next)),
                StartedStage::Script(source) => script = Some((source, self.line_of(simple.span))),
                StartedStage::Later => {}
            }
        }
        let mut shell = self.fork();
        shell.enter_stage(stage);
        if input.is_some() {
            shell.env.fds.replace(0, input);
            shell.context.subshell.has_own_stdin = Some(true);
        }
        let job = match script {
            Some((script, line)) => {
                if stage.pipe_stderr {
                    shell.env.fds.replace(2, Some(output.clone()));
                }
                shell.env.fds.replace(1, Some(output));
                shell.context.line = line;
                self.spawn_thread(shell, move |shell| shell.run_script(script, Place::Alone))?
            }
            None => {
                shell.env.fds.replace(1, Some(output));
                #[cfg(unix)]
                if let Some(limits) = self.limits_beside()
                    && self.stage_is_process(stage)
                {
                    let mut own = Some(shell);
                    if let Some(job) =
                        self.run_forked(&mut own, limits, Ground::Front, false, |shell| shell.run_stage(stage))
                    {
                        return ControlFlow::Continue((Running::Job(job), next));
                    }
                    // It is taken in a copy only.
                    let Some(left) = own else { return ControlFlow::Continue((Running::Done(0), next)) };
                    shell = left;
                }
                let stage = stage.clone();
                self.spawn_thread(shell, move |shell| shell.run_stage(&stage))?
            }
        };
        ControlFlow::Continue((Running::Job(job), next))
    }

    /// Built-ins that neither read nor wait are run before the next stage starts, and what they write stays in memory:
    /// no thread and no pipe for `echo "$x" | …`.
    fn is_inline(&self, simple: &SimpleCommand) -> bool {
        let Some(name) = simple.literal_name() else { return false };
        matches!(&*name, b"echo" | b"printf" | b":" | b"true" | b"false" | b"pwd")
            && !self.env.inherited.functions.contains_key(&*name)
            && simple.redirections.is_empty()
            && simple.assignments.is_empty()
            && simple.arguments.iter().all(|a| matches!(a, Argument::Word(word) if has_no_side_effects(word)))
            // Traps and traces write in an order of their own.
            && !self.opt(Opt::Xtrace)
            && !self.traps.has_debug()
    }

    fn run_inline(&mut self, stage: &Stage, input: Option<Arc<Stream>>) -> Flow<(Running, Arc<Stream>)> {
        let status_before = self.env.status;
        let (stream, capture) =
            Stream::capture_held(self.host.limits.captured_bytes, self.host.usage.budget.hold(0), Vec::new());
        self.in_subshell(|shell| {
            shell.env.leave_coprocesses();
            shell.enter_stage(stage);
            if input.is_some() {
                shell.env.fds.replace(0, input);
            }
            shell.env.fds.replace(1, Some(Arc::new(stream)));
            let in_background = shell.context.subshell.is_background_pipeline;
            let flow = shell.run_stage(stage);
            shell.context.subshell.is_background_pipeline = in_background;
            flow
        })?;
        let status = std::mem::replace(&mut self.env.status, status_before);
        let output = capture.take();
        ControlFlow::Continue((Running::Done(status), Arc::new(Stream::input(output))))
    }

    /// A program whose words can be expanded without running anything: it is started from this thread.
    pub(super) fn is_quick_external(&mut self, simple: &SimpleCommand) -> bool {
        simple.assignments.is_empty()
            && simple.redirections.is_empty()
            && !self.opt(Opt::Xtrace)
            && !self.traps.has_debug()
            && !self.traps.has_exit()
            && simple.literal_name().is_some_and(|name| self.names_program(&name))
            && simple.arguments.iter().all(|a| matches!(a, Argument::Word(word) if has_no_side_effects(word)))
    }

    /// Is the name none of a function, a built-in or a utility that comes before the program of that name?
    fn names_program(&mut self, name: &[u8]) -> bool {
        !self.env.inherited.functions.contains_key(name)
            && crate::interpreter::builtins::find(name).is_none()
            && !self.prefers_utility(name)
    }

    /// Starts a program as a stage.
    fn start_external_stage(
        &mut self,
        simple: &SimpleCommand,
        input: Option<Arc<Stream>>,
        output: Arc<Stream>,
        both: bool,
    ) -> Flow<StartedStage> {
        let mut result = StartedStage::Later;
        let fds = self.env.fds.clone();
        let status = self.env.status;
        self.checkpoint()?;
        let own = self.line_of(simple.span);
        let line = std::mem::replace(&mut self.context.line, own);
        let mut args = self.take_args();
        let flow = self.in_subshell(|shell| {
            if !shell.context.subshell.is_background_pipeline {
                shell.context.subshell.uncounted = shell.context.subshell.uncounted.wrapping_add(1);
            }
            shell.context.subshell.is_own_command = shell.context.subshell.depth == 1;
            match shell.expand_arguments(&simple.arguments, &mut args) {
                ControlFlow::Continue(()) => {}
                ControlFlow::Break(Divert::Stop) => return divert(Divert::Stop),
                // `set -u`: the message is written, and this is what the stage ends with.
                ControlFlow::Break(_) => {
                    result = StartedStage::Running(Running::Done(shell.env.status));
                    return NEXT;
                }
            }
            // No utility comes before it: that was asked of its name.
            if !matches!(shell.target(&args, true), Target::Program) {
                return NEXT;
            }
            if input.is_some() {
                shell.env.fds.replace(0, input);
            }
            if both {
                shell.env.fds.replace(2, Some(output.clone()));
            }
            shell.env.fds.replace(1, Some(output));
            result = match shell.start_external(&args, None, StartMode::Child) {
                StartedCommand::Process(child) => StartedStage::Running(Running::Job(Job::process(child))),
                StartedCommand::Script(script) => StartedStage::Script(script),
                StartedCommand::NotFound(_) => StartedStage::Later,
                StartedCommand::Failed => StartedStage::Running(Running::Done(shell.env.status)),
            };
            NEXT
        });
        self.give_args(args);
        self.context.line = line;
        self.env.status = status;
        self.env.fds = fds;
        flow?;
        ControlFlow::Continue(result)
    }
}

enum Running {
    Done(u8),
    Job(Job),
}

impl Running {
    /// Does it run on a thread of this process?
    fn is_part_of_process(&self) -> bool {
        matches!(self, Self::Job(Job { kind: JobKind::Thread(_), .. }))
    }

    /// The id of its process, or of its environment.
    fn id(&self) -> Option<u32> {
        match self {
            Self::Done(_) => None,
            Self::Job(job) => Some(job.id()),
        }
    }
}

/// A stage that is one program, when it was to be started.
enum StartedStage {
    /// It runs, or has ended.
    Running(Running),
    /// It is shell source, which a thread runs.
    Script(Box<Script>),
    /// A thread does all of it.
    Later,
}

/// bash runs the EXIT trap of such a command's environment only if it is a simple command, a group or a subshell.
pub(crate) fn is_control_structure(command: &Command) -> bool {
    matches!(command, Command::Compound(compound)
        if !matches!(compound.kind, Compound::Brace(_) | Compound::Subshell(_) | Compound::Coprocess(_)))
}

/// Can the word be expanded without running a command, assigning, or failing?
pub(crate) fn has_no_side_effects(word: &Word) -> bool {
    fn quick(part: &WordPart) -> bool {
        match part {
            WordPart::Literal(_) | WordPart::Quoted(_) => true,
            WordPart::DoubleQuoted(parts) => parts.iter().all(quick),
            WordPart::Parameter(p) | WordPart::QuotedParameter(p) => {
                !p.indirect
                    && matches!(p.operation, ParameterOperation::None)
                    && !matches!(p.parameter, hookshell_syntax::ast::Parameter::Element(..))
            }
            _ => false,
        }
    }
    word.parts.iter().all(quick)
}
