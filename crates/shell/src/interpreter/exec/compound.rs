//! Compound commands (XCU 2.9.4).

use std::ops::ControlFlow;

use hookshell_syntax::ast::{Command, Compound, CompoundCommand, IfClause, List};

use super::Place;
use crate::context::Frame;
use crate::flow::{Divert, Flow, NEXT};
use crate::interpreter::run::ends_in_program;
use crate::options::Opt;
use crate::shell::Shell;

impl Shell {
    pub(crate) fn run_compound(&mut self, command: &CompoundCommand, place: Place) -> Flow {
        if crate::stack::is_used_up() {
            return self.too_deep();
        }
        let is_only_command = std::mem::take(&mut self.context.subshell.is_only_command);
        if command.redirections.is_empty() {
            return self.run_compound_body(command, place);
        }
        if let Compound::Subshell(list) = &command.kind
            && !self.context.subshell.forked
        {
            return self.run_subshell(command, list);
        }
        let substitutions = self.context.substitutions.len();
        let mut saved = super::SavedFds::default();
        let line = self.context.line;
        // bash: these commands have noted their line by then.
        if matches!(command.kind, Compound::Subshell(_) | Compound::Arithmetic(_) | Compound::Condition(_)) {
            self.context.line = self.line_of(command.span);
        }
        // bash: for what the redirections themselves run too.
        let redirects_stdin = command.redirections.iter().any(super::redirect::is_of_stdin);
        if redirects_stdin {
            self.context.frames.enter(Frame::Stdin);
        }
        // What it led to before is not held open where nobody returns to it.
        let applied = self.redirect(&command.redirections, if is_only_command { None } else { Some(&mut saved) });
        self.context.line = line;
        let flow = match applied {
            ControlFlow::Continue(true) => self.run_compound_body(command, place),
            ControlFlow::Continue(false) => {
                self.env.status = 1;
                match command.kind {
                    // Their failures are looked at by the pipeline.
                    Compound::Subshell(_) | Compound::Arithmetic(_) | Compound::Condition(_) => NEXT,
                    _ => self.failed_now(),
                }
            }
            ControlFlow::Break(divert) => ControlFlow::Break(divert),
        };
        let flow = if command.redirections.is_empty() { flow } else { self.exit_before_restoring(flow) };
        if redirects_stdin {
            self.context.frames.leave();
        }
        self.restore_fds(saved);
        self.end_process_substitutions(substitutions)?;
        flow
    }

    /// `( list )` with its redirections, which belong to the subshell: what they assign is lost with it, and an error in
    /// them ends it and no more.
    fn run_subshell(&mut self, command: &CompoundCommand, list: &List) -> Flow {
        // bash notes a subshell for the ERR trap only: to an EXIT trap the last simple command stays the last.
        if self.traps.has_error() {
            self.set_bash_command(|| print_compound(command));
        }
        let before = self.env.status;
        let replaced_last = std::mem::replace(&mut self.scratch.replaced_last, super::death::last_simple(list));
        let timed = std::mem::take(&mut self.scratch.times_subshell);
        let substitutions = self.context.substitutions.len();
        #[cfg(unix)]
        let own_process = if timed { None } else { self.run_subshell_process(command, list) };
        #[cfg(not(unix))]
        let own_process = None;
        let flow = match own_process {
            Some(flow) => flow,
            None => {
                let place = if !timed && ends_in_program(list) { Place::AtEnd } else { Place::Within };
                self.in_subshell(|shell| shell.run_in_subshell(command, list, timed, place))
            }
        };
        self.scratch.replaced_last = replaced_last;
        // Their descriptors went with the subshell's others.
        self.end_process_substitutions(substitutions)?;
        if self.is_ended_by_other(flow) {
            self.env.status = before;
        }
        flow?;
        self.pipe_status_of_one();
        self.context.error_line = self.line_of(command.span);
        NEXT
    }

    /// In the environment of a subshell: makes its redirections and runs its list.
    pub(super) fn run_in_subshell(
        &mut self,
        command: &CompoundCommand,
        list: &List,
        timed: bool,
        place: Place,
    ) -> Flow {
        // bash: the loops around it are not this environment's.
        self.context.subshell.hides_loops = true;
        self.context.subshell.is_in_parentheses = true;
        self.jobs.leave_inherited();
        self.env.leave_coprocesses();
        // bash: only what the subshell reads itself is left to its background lists.
        let has_own_stdin = command.redirections.iter().any(super::redirect::is_of_stdin);
        self.context.subshell.has_own_stdin = Some(has_own_stdin);
        if !command.redirections.is_empty() {
            let own = self.line_of(command.span);
            let line = std::mem::replace(&mut self.context.line, own);
            let applied = self.redirect(&command.redirections, Some(&mut super::SavedFds::default()))?;
            self.context.line = line;
            // Only for `time`: kept longer, the stream would stay open.
            if timed {
                self.scratch.subshell_error = self.env.fds.get(2).cloned();
            }
            if !applied {
                self.env.status = 1;
                return NEXT;
            }
        }
        self.context.subshell.reads_at = Some(self.text_depth());
        self.run_whole_subshell(list, place)
    }

    /// Runs the list of a subshell. bash: a signal that its last command sends to itself leaves no time for its EXIT trap.
    fn run_whole_subshell(&mut self, list: &List, place: Place) -> Flow {
        let flow = self.run_list_at(list, place);
        if matches!(flow, ControlFlow::Break(Divert::Die))
            && self.scratch.killed_itself
            && super::death::last_simple(list) == Some(self.context.command_start)
        {
            self.context.subshell.skips_exit_trap = true;
        }
        flow
    }

    fn run_compound_body(&mut self, command: &CompoundCommand, place: Place) -> Flow {
        match &command.kind {
            Compound::Brace(list) => self.run_list(list),
            Compound::Subshell(list) if std::mem::take(&mut self.context.subshell.forked) => {
                self.context.subshell.hides_loops = true;
                self.context.subshell.is_in_parentheses = true;
                self.run_whole_subshell(list, if ends_in_program(list) { Place::AtEnd } else { place })
            }
            Compound::Subshell(list) => self.run_subshell(command, list),
            Compound::If(clause) => self.run_if(clause),
            Compound::While(clause) => self.run_while(clause),
            Compound::Arithmetic(_)
            | Compound::Condition(_)
            | Compound::For(_)
            | Compound::ArithmeticFor(_)
            | Compound::Case(_)
            | Compound::Select(_)
            | Compound::Coprocess(_) => {
                let own = self.line_of(command.span);
                let line = std::mem::replace(&mut self.context.line, own);
                let flow = self.run_on_its_line(command);
                self.context.line = line;
                flow
            }
        }
    }

    /// The compound commands that messages and LINENO have their own line for.
    fn run_on_its_line(&mut self, command: &CompoundCommand) -> Flow {
        match &command.kind {
            Compound::For(clause) => self.run_for(clause, self.line_of(command.span)),
            Compound::ArithmeticFor(clause) => self.run_arithmetic_for(clause, self.line_of(command.span)),
            Compound::Case(clause) => self.run_case(clause, self.line_of(command.span)),
            Compound::Select(clause) => self.run_select(clause, self.line_of(command.span)),
            Compound::Arithmetic(arithmetic) => {
                self.context.error_line = self.context.line;
                self.checkpoint()?;
                self.set_bash_command(|| [b"((", &*hookshell_syntax::print_arithmetic(arithmetic), b"))"].concat());
                if self.is_skipped_by_debug_trap()? {
                    return NEXT;
                }
                // An error in (( )) only fails the command.
                let value = if self.opt(Opt::Xtrace) {
                    self.evaluate_shown(arithmetic, |shell, text| {
                        shell.trace_arithmetic(text);
                        NEXT
                    })?
                } else {
                    self.evaluate_for(arithmetic, "((")?
                };
                self.env.status = u8::from(value.unwrap_or(0) == 0);
                self.pipe_status_of_one();
                NEXT
            }
            Compound::Condition(condition) => {
                self.context.error_line = self.context.line;
                self.checkpoint()?;
                self.set_bash_command(|| {
                    let simple =
                        CompoundCommand { kind: command.kind.clone(), redirections: Default::default(), ..*command };
                    hookshell_syntax::print_command(&Command::Compound(simple.into()))
                });
                if self.is_skipped_by_debug_trap()? {
                    return NEXT;
                }
                self.env.status = match self.evaluate_condition(condition) {
                    ControlFlow::Continue(Ok(truth)) => u8::from(!truth),
                    ControlFlow::Continue(Err(status)) => status,
                    ControlFlow::Break(divert) => return ControlFlow::Break(divert),
                };
                self.pipe_status_of_one();
                NEXT
            }
            Compound::Coprocess(coprocess) => self.run_coprocess(command, coprocess),
            _ => self.run_compound_body(command, Place::Within),
        }
    }

    /// Notes the command that runs, for BASH_COMMAND.
    #[inline]
    pub(super) fn set_bash_command(&mut self, text: impl FnOnce() -> Vec<u8>) {
        if self.traps.has_any() || self.context.uses_bash_command {
            self.traps.set_command(text);
        }
    }

    /// What BASH_COMMAND has, where it is kept: that of `eval` and `.` is theirs again after what they have run.
    pub(crate) fn saved_bash_command(&self) -> Option<Vec<u8>> {
        (self.traps.has_any() || self.context.uses_bash_command).then(|| self.traps.command_text())
    }

    /// Puts back what [`Self::saved_bash_command`] gave.
    pub(crate) fn restore_bash_command(&mut self, command: Option<Vec<u8>>) {
        if let Some(command) = command {
            self.traps.set_command(|| command);
        }
    }

    fn run_if(&mut self, clause: &IfClause) -> Flow {
        for (condition, body) in &clause.branches {
            self.ignoring_errexit(|shell| shell.run_list(condition))?;
            if self.env.status == 0 {
                return self.run_list(body);
            }
        }
        match &clause.otherwise {
            Some(body) => self.run_list(body),
            // After a `set -n` in the condition there is nothing more to have a status.
            None if self.opt(Opt::Noexec) => NEXT,
            None => {
                self.env.status = 0;
                NEXT
            }
        }
    }
}

/// The source of a compound command.
pub(super) fn print_compound(command: &CompoundCommand) -> Vec<u8> {
    hookshell_syntax::print_command(&Command::Compound(command.clone().into()))
}
