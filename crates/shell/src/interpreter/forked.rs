//! Background lists as processes of their own: copies of this process, as in every shell of Unix.
//!
//! In a host that embeds the interpreter lists run on threads, and end with the host. Where the interpreter is the
//! process (`hookshell sh`, `exec`, `run`) that would keep the process until the last of them has ended.

use std::collections::BTreeSet;
use std::fs::File;
use std::mem::ManuallyDrop;
use std::ops::ControlFlow;
use std::sync::Arc;

use hookshell_process::{CopyEnd, end_copy, hear_no_signals_of_copy, next_signal_of_copy};
use hookshell_syntax::ast::{AndOr, Argument, Command, Compound, SimpleCommand, Stage};
use hookshell_utility::{CancelReason, FdTable, Stream, UtilitySet};

use crate::call::Callee;
use crate::executor::Executor;
use crate::flow::{Divert, Flow};
use crate::interpreter::background::only_command;
use crate::interpreter::exec::{Place, has_no_side_effects};
use crate::interpreter::run::ends_as_program;
use crate::jobs::Job;
use crate::limits::Limits;
use crate::shell::Shell;
use crate::usage::Account;

/// So many of a copy; none of theirs. What scripts bomb their host with stays within a fixed multiple of the limits.
const COPIES_OF_COPY: usize = 4;

/// No copy is made where so many processes of the run live.
const COPIES_OF_RUN: usize = 256;

/// The part of a limit that a copy has.
const SHARE: usize = 4;

/// Less would be too little for what copies usually do.
const LEAST_SHARE: usize = 16;

impl Shell {
    /// Runs a background list in a copy of this process; `shell` is its environment. `None`: it has to be a thread. `text` is
    /// what the list looks like.
    pub(crate) fn start_copy(&mut self, shell: &mut Option<Self>, and_or: &AndOr, text: &[u8]) -> Option<Job> {
        // A million `:&` are no million processes.
        if only_command(and_or).is_some_and(is_momentary) {
            return None;
        }
        // A function that calls itself in the background is stopped by the limits of one run, with its status.
        if self.context.frames.has_calls() && self.calls_itself(and_or) {
            return None;
        }
        // Signals to a virtual id are heard in this process only, and so are those that a script traps of a process whose
        // host does not pass them on.
        if self.host.signal_source.get().is_none() && self.mentions_kill(text) {
            return None;
        }
        let is_pipeline = and_or.rest.is_empty() && and_or.first.stages.len() > 1;
        let place = if ends_as_program(and_or) { Place::AtEnd } else { Place::Within };
        self.run_forked(shell, share(self.host.limits), Ground::Back, is_pipeline, |shell| {
            shell.run_background_list(and_or, place)
        })
    }

    /// What a copy may use up that runs beside the rest of the run and is waited for. `None`: the limits are so small that they
    /// are likely to be reached, and end all of the run only where it stays in this process.
    pub(crate) fn limits_beside(&self) -> Option<Limits> {
        let (limits, shared) = (self.host.limits, share(self.host.limits));
        (shared.threads * SHARE <= limits.threads && limits.processes >= LEAST_SHARE * SHARE).then_some(shared)
    }

    /// What a copy may use up for which all of the run waits: all of it, where nothing else of the run lives.
    pub(crate) fn limits_of_foreground(&self) -> Option<Limits> {
        let is_alone = self.host.run.live_threads() == 0 && !self.host.cancel.tree().has_live_processes(1);
        if is_alone { Some(self.host.limits) } else { self.limits_beside() }
    }

    /// Runs something in a copy of this process; `shell` is its environment. `None`: this process makes no more copies.
    pub(crate) fn run_forked(
        &mut self,
        shell: &mut Option<Self>,
        limits: Limits,
        ground: Ground,
        is_pipeline: bool,
        body: impl FnOnce(&mut Self) -> Flow,
    ) -> Option<Job> {
        let most = *self.host.most_copies.get()?;
        // The trap of CHLD is told of threads as they end; the clock of a time limit runs here only.
        if self.host.limits.wall_time.is_some() || self.traps_children() {
            return None;
        }
        // What copies that are gone have left behind counts, too.
        let tree = self.host.cancel.tree();
        if tree.live_children() >= most || tree.has_live_processes(COPIES_OF_RUN.min(self.host.limits.processes)) {
            return None;
        }
        self.listen_for_signals();
        // A copy of this process would begin for itself.
        self.host.cancel.before_wait();
        let (executor, utilities) = (self.host.executor.for_copy()?, self.host.utilities.for_copy()?);
        let InheritedFiles { files, places, stderr } = InheritedFiles::of(shell.as_ref()?, ground)?;
        let copied = self.host.cancel.tree().copy_process(files, |files| match shell.take() {
            Some(mut shell) => {
                shell.enter_copy(executor, utilities, limits, (&places, stderr), files);
                shell.run_as_copy(is_pipeline, body)
            }
            None => CopyEnd::Exited(2),
        });
        copied.ok().map(Job::process)
    }

    /// Does the list send signals, as far as can be seen of its text and of that of the functions which it names?
    fn mentions_kill(&self, text: &[u8]) -> bool {
        let has = |text: &[u8], word: &[u8]| memchr::memmem::find(text, word).is_some();
        let mut named = BTreeSet::new();
        let mut texts = vec![text.to_vec()];
        while let Some(text) = texts.pop() {
            if has(&text, b"kill") {
                return true;
            }
            for (name, function) in self.env.inherited.functions.iter() {
                if has(&text, name) && named.insert(name) {
                    texts.push(hookshell_syntax::print_function(&function.definition, false));
                }
            }
        }
        false
    }

    /// Does the list call a function that is active now, as far as can be seen?
    fn calls_itself(&self, and_or: &AndOr) -> bool {
        let is_active = |name: &[u8]| {
            self.context
                .frames
                .calls()
                .any(|frame| matches!(&frame.callee, Callee::Function(function) if *function.name == *name))
        };
        let calls = |stage: &Stage| match &stage.command {
            Command::Simple(simple) => simple.literal_name().is_some_and(|name| is_active(&name)),
            Command::Compound(compound) => match &compound.kind {
                Compound::Brace(list) | Compound::Subshell(list) => {
                    list.items.iter().any(|item| self.calls_itself(&item.and_or))
                }
                _ => false,
            },
            Command::Function(_) => false,
        };
        let others = and_or.rest.iter().map(|(_, pipeline)| pipeline);
        std::iter::once(&and_or.first).chain(others).any(|pipeline| pipeline.stages.iter().any(calls))
    }

    /// As [`hookshell_utility::feed`] does, from a process: the list may still read when this one has ended with all its threads.
    fn feed_from_outside(&self, left: Vec<u8>, rest: &Arc<File>) -> std::io::Result<Arc<File>> {
        match self.host.cancel.tree().feed(&left, rest) {
            Ok(reader) => Ok(Arc::new(reader)),
            Err(_) => hookshell_utility::feed(left, rest),
        }
    }

    /// In the copy: what was shared with the process that this is a copy of is replaced, and nothing of it dropped.
    fn enter_copy(
        &mut self,
        executor: Arc<dyn Executor>,
        utilities: Arc<dyn UtilitySet>,
        limits: Limits,
        (places, stderr): (&[(u32, usize)], Option<usize>),
        files: Vec<File>,
    ) {
        let id = hookshell_process::system::process_id();
        let most = self.host.copy_id.is_none().then_some(COPIES_OF_COPY);
        let streams: Vec<Arc<Stream>> = files.into_iter().map(|file| Arc::new(Stream::from_file(file))).collect();
        let stderr = stderr.and_then(|index| streams.get(index).cloned());
        self.host = Arc::new(self.host.forked(id, limits, executor, utilities, most, stderr));
        let _substitutions = ManuallyDrop::new(std::mem::take(&mut self.context.substitutions));
        let mut fds = FdTable::default();
        for &(fd, index) in places {
            let stream = streams.get(index).cloned().unwrap_or_else(|| Arc::new(Stream::null()));
            fds.replace(fd, Some(stream));
        }
        let _fds = ManuallyDrop::new(std::mem::replace(&mut self.env.fds, fds));
        drop(streams);
        self.account = Account::new(self.host.usage.budget.clone());
        self.account.correct(self.state_bytes());
        self.context.subshell.id = id;
        self.context.cancel = self.host.cancel.child();
        self.context.interrupt = self.context.cancel.interrupt().clone();
    }

    /// In the copy: runs what it was made for to its end.
    fn run_as_copy(mut self, is_pipeline: bool, body: impl FnOnce(&mut Self) -> Flow) -> CopyEnd {
        let id = self.context.subshell.id;
        self.host.run.register(id, self.handled_signals(), self.context.cancel.clone(), None);
        if self.hear_signals(is_pipeline).is_err() {
            // No more threads: without traps for signals the list runs all the same.
            hear_no_signals_of_copy();
        }
        if is_pipeline {
            self.host.run.collect_stages(id);
        }
        let flow = body(&mut self);
        let died = matches!(flow, ControlFlow::Break(Divert::Die)).then_some(self.scratch.died_of);
        let _ = self.end_subshell(flow);
        // Nobody else tells the process that waits.
        if died.is_none() && self.limit_reached().is_some() {
            self.env.status = 2;
            // Also what another thread was just starting when the limit was reached.
            self.host.cancel.kill(CancelReason::Cancelled);
        }
        self.close_descriptors();
        if died.is_none() || is_pipeline {
            self.wait_for_background(&|| self.host.cancel.is_cancelled());
        }
        died.map_or(CopyEnd::Exited(self.env.status), CopyEnd::Signaled)
    }

    /// Hears the signals of the copy, on a thread of its own. One that ends it does so at once, unless an EXIT trap is to
    /// run; where it is a pipeline the signal is for all of its stages, whose traps for it have their turn.
    fn hear_signals(&self, is_pipeline: bool) -> std::io::Result<()> {
        let (host, id) = (self.host.clone(), self.context.subshell.id);
        std::thread::Builder::new().name("hookshell-signals".into()).stack_size(64 * 1024).spawn(move || {
            while let Some(signal) = next_signal_of_copy() {
                if host.run.post_handled(id, signal) || host.run.is_left_to_program(signal) {
                    continue;
                }
                if is_pipeline {
                    host.cancel.tree().signal_all(signal);
                }
                if is_pipeline && host.run.is_handled_by_any(signal) {
                    for stage in host.run.stages_of(id) {
                        host.run.signal(stage, signal);
                    }
                } else if !host.run.has_exit_trap() || !crate::traps::is_handled_by_exit(signal) {
                    end_copy(CopyEnd::Signaled(signal));
                }
                host.run.signal(id, signal);
            }
        })?;
        Ok(())
    }
}

/// Is it a command that does nothing, at once?
fn is_momentary(simple: &SimpleCommand) -> bool {
    let does_nothing = |name: &[u8]| matches!(name, b":" | b"true" | b"false");
    simple.redirections.is_empty()
        && simple.assignments.is_empty()
        && simple.literal_name().is_some_and(|name| does_nothing(&name))
        && simple.arguments.iter().all(|argument| matches!(argument, Argument::Word(word) if has_no_side_effects(word)))
}

/// The files that a copy keeps, and which descriptor leads to which of them.
struct InheritedFiles {
    files: Vec<File>,
    /// Descriptors, with the index of their file; one that there is not is the null device.
    places: Vec<(u32, usize)>,
    /// The index of the process's own standard error, for messages of limits.
    stderr: Option<usize>,
}

/// Where a copy of the process runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ground {
    /// Somebody waits for it.
    Front,
    /// It may outlive the script: it holds nothing but what its descriptors lead to, as who reads that waits for its end.
    Back,
}

impl InheritedFiles {
    /// `None`: the system has no more descriptors.
    fn of(shell: &Shell, ground: Ground) -> Option<Self> {
        let temp_dir = shell.temp_dir();
        let mut inherited = Self { files: Vec::new(), places: Vec::new(), stderr: None };
        let mut known: Vec<(*const Stream, usize)> = Vec::new();
        for (fd, stream) in shell.env.fds.iter() {
            if stream.is_null() {
                inherited.places.push((fd, usize::MAX));
                continue;
            }
            let address = Arc::as_ptr(stream);
            let index = match known.iter().find(|(other, _)| *other == address) {
                Some((_, index)) => *index,
                None => {
                    let file = stream.share_by(&temp_dir, |left, rest| shell.feed_from_outside(left, rest)).ok()?;
                    inherited.files.push(file.try_clone().ok()?);
                    known.push((address, inherited.files.len() - 1));
                    inherited.files.len() - 1
                }
            };
            inherited.places.push((fd, index));
        }
        let stderr = shell.host.stderr.as_ref().filter(|stderr| ground == Ground::Front && !stderr.is_null());
        if let Some(stderr) = stderr {
            let address = Arc::as_ptr(stderr);
            inherited.stderr = known.iter().find(|(other, _)| *other == address).map(|(_, index)| *index);
            if inherited.stderr.is_none() {
                let file = stderr.share_by(&temp_dir, |left, rest| shell.feed_from_outside(left, rest)).ok()?;
                inherited.files.push(file.try_clone().ok()?);
                inherited.stderr = Some(inherited.files.len() - 1);
            }
        }
        Some(inherited)
    }
}

/// What a copy may use up. Programs are counted in all copies together.
fn share(limits: Limits) -> Limits {
    let threads = (limits.threads / SHARE).max(LEAST_SHARE.min(limits.threads));
    Limits { threads, state_bytes: limits.state_bytes / SHARE, ..limits }
}
