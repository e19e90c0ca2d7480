//! Lists in the background (XCU 2.9.3.1).

use std::ops::ControlFlow;
use std::sync::Arc;

use hookshell_syntax::Dialect;
use hookshell_syntax::ast::{AndOr, Command, Compound, ListItem, SimpleCommand};
use hookshell_utility::Stream;

use crate::flow::{Divert, Flow, NEXT, divert};
use crate::interpreter::exec::Place;
use crate::interpreter::run::ends_as_program;
use crate::jobs::Job;
use crate::options::Opt;
use crate::shell::Shell;

/// So many copies of the process may live at once; more lists run on threads.
const COPIES: usize = 32;

impl Shell {
    /// Lets background lists be processes of their own (Unix; elsewhere nothing changes): to be called before the script
    /// runs, by a host that is the process and whose other threads hold none of the locks of the executor's, the
    /// utilities' or the system's that their `for_copy` does not replace.
    pub fn copy_process(&mut self) {
        // It stays what it is.
        let _ = self.host.most_copies.set(COPIES);
    }

    /// Enters a job in the table of `jobs`; its number.
    pub(crate) fn add_job(&mut self, job: Job, text: Vec<u8>) -> u32 {
        let is_group = self.opt(Opt::Monitor);
        self.jobs.add(job, text, is_group)
    }

    fn background_stdin(&self, and_or: &AndOr) -> BackgroundStdin {
        if self.context.has_own_stdin() {
            return BackgroundStdin::Kept;
        }
        let pipeline = &and_or.first;
        if self.env.dialect == Dialect::Posix || !and_or.rest.is_empty() || pipeline.time.is_some() {
            return BackgroundStdin::Empty;
        }
        match &*pipeline.stages {
            [stage] => match &stage.command {
                Command::Simple(_) => BackgroundStdin::EmptyAfterWords,
                Command::Compound(compound)
                    if compound.redirections.iter().any(crate::interpreter::exec::is_of_stdin) =>
                {
                    BackgroundStdin::Kept
                }
                _ => BackgroundStdin::Empty,
            },
            // bash: the first stage of a pipeline reads on.
            _ => BackgroundStdin::Kept,
        }
    }

    /// `list &` (XCU 2.9.3.1)
    pub(crate) fn run_background(&mut self, item: &ListItem) -> Flow {
        self.context.line = self.line_of(item.span);
        self.checkpoint()?;
        let text = hookshell_syntax::print_and_or(&item.and_or);
        // The DEBUG trap runs before the environment of the command is made.
        if let [stage] = &*item.and_or.first.stages
            && item.and_or.rest.is_empty()
            && matches!(stage.command, Command::Simple(_))
            && self.before_stage(stage)?.is_none()
        {
            self.env.status = 0;
            return NEXT;
        }
        let mut shell = self.fork();
        shell.jobs.leave_inherited();
        shell.context.subshell.is_own_command = self.context.subshell.depth == 0
            && item.and_or.rest.is_empty()
            && matches!(&*item.and_or.first.stages, [stage] if matches!(stage.command, Command::Simple(_)));
        // Standard input is empty, unless the list redirects it (job control is off).
        let stdin = self.background_stdin(&item.and_or);
        if stdin != BackgroundStdin::Kept {
            shell.env.fds.replace(0, Some(Arc::new(Stream::null())));
        }
        if runs_text(&item.and_or) {
            shell.context.subshell.hides_conditions = true;
        }
        let is_simple = item.and_or.rest.is_empty()
            && item.and_or.first.stages.iter().all(|stage| matches!(stage.command, Command::Simple(_)));
        shell.traps.ignore_keyboard(is_simple);
        // The DEBUG trap is that of this shell, not of its copy.
        // That of CHLD wants to hear of the end when it comes, which nobody looks for where it is a process.
        let is_watched = self.traps.has_debug() || self.traps_children();
        let quick = only_command(&item.and_or).filter(|_| !is_watched);
        let started = match quick.map(|simple| {
            // The program is what the environment was made for; bash makes one more for braces.
            if ends_as_program(&item.and_or) {
                shell.at_lower_level(|shell| shell.start_background_program(simple))
            } else {
                shell.start_background_program(simple)
            }
        }) {
            Some(ControlFlow::Continue(job)) => job,
            Some(ControlFlow::Break(Divert::Stop)) => return divert(Divert::Stop),
            // An expansion or assignment has failed: that ends the command, not this shell.
            Some(ControlFlow::Break(_)) => {
                let _ = shell.run_exit_trap();
                Some(Job::ended(self.host.run.next_id(), shell.env.status))
            }
            None => None,
        };
        if let Some(job) = started {
            self.env.background_id = Some(job.id());
            self.add_job(job, text);
            self.env.status = 0;
            return NEXT;
        }
        if stdin == BackgroundStdin::EmptyAfterWords {
            shell.env.fds.replace(0, self.env.fds.get(0).cloned());
            shell.context.subshell.null_stdin_due = true;
        }
        shell.context.subshell.skips_exit_trap = !item.and_or.rest.is_empty();
        if item.and_or.rest.is_empty() && item.and_or.first.stages.len() > 1 {
            shell.context.subshell.is_background_pipeline = true;
            shell.context.subshell.uncounted = shell.context.subshell.uncounted.wrapping_add(1);
        }
        if let [stage] = &*item.and_or.first.stages
            && item.and_or.rest.is_empty()
        {
            let timed = item.and_or.first.time.is_some();
            shell.context.subshell.is_only_command = !timed;
            shell.context.subshell.skips_exit_trap = crate::interpreter::exec::is_control_structure(&stage.command)
                || timed && matches!(stage.command, Command::Simple(_));
            if let Command::Compound(compound) = &stage.command
                && !timed
            {
                shell.context.subshell.forked = matches!(compound.kind, Compound::Subshell(_));
            }
        }
        // bash: a simple command is still in the loop around it, where its `break` is no error.
        if !is_simple || item.and_or.first.stages.len() > 1 {
            shell.context.subshell.hides_loops = true;
        }
        if let [stage] = &*item.and_or.first.stages
            && item.and_or.rest.is_empty()
            && matches!(stage.command, Command::Simple(_))
        {
            shell.context.subshell.debug_trap_ran = shell.traps.has_debug();
        }
        #[cfg(unix)]
        {
            let mut own = Some(shell);
            if let Some(job) = self.start_copy(&mut own, &item.and_or, &text) {
                self.env.background_id = Some(job.id());
                self.add_job(job, text);
                self.env.status = 0;
                return NEXT;
            }
            // It is taken in a copy only.
            let Some(left) = own else { return NEXT };
            shell = left;
        }
        let and_or = item.and_or.clone();
        let is_pipeline = and_or.rest.is_empty() && and_or.first.stages.len() > 1;
        let job = self.spawn_thread(shell, move |shell| {
            if is_pipeline {
                shell.host.run.collect_stages(shell.context.subshell.id);
            }
            let place = if ends_as_program(&and_or) { Place::AtEnd } else { Place::Within };
            shell.run_background_list(&and_or, place)
        })?;
        self.env.background_id = Some(job.id());
        self.add_job(job, text);
        self.env.status = 0;
        NEXT
    }
}

/// bash: `eval` and `.` in the background know nothing of the condition that they stand in, and look at errexit.
fn runs_text(and_or: &AndOr) -> bool {
    let [stage] = &*and_or.first.stages else { return false };
    let Command::Simple(simple) = &stage.command else { return false };
    let Some(name) = simple.literal_name() else { return false };
    and_or.rest.is_empty() && matches!(&*name, b"eval" | b"." | b"source")
}

/// What a background list reads.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BackgroundStdin {
    /// The standard input of the shell around.
    Kept,
    /// Nothing.
    Empty,
    /// Nothing, but the expansions of the simple command still read the standard input of the shell around.
    EmptyAfterWords,
}

/// The simple command that an and-or list is, brackets of any kind around it left aside.
pub(crate) fn only_command(and_or: &AndOr) -> Option<&SimpleCommand> {
    let [stage] = &*and_or.first.stages else { return None };
    if !and_or.rest.is_empty() || and_or.first.negated || and_or.first.time.is_some() || stage.pipe_stderr {
        return None;
    }
    match &stage.command {
        Command::Simple(simple) => Some(simple),
        Command::Compound(compound) if compound.redirections.is_empty() => match &compound.kind {
            Compound::Brace(list) | Compound::Subshell(list) => match &*list.items {
                [item] if !item.background => only_command(&item.and_or),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}
