//! Execution of the syntax tree (XCU 2.9).

mod background_program;
mod call;
mod case;
mod compound;
mod condition;
mod connection;
mod coprocess;
mod death;
mod external;
mod function;
mod loops;
mod menu;
mod open;
#[cfg(unix)]
mod own_process;
mod pipeline;
mod quick_test;
mod redirect;
mod script;
mod simple;
mod subshell;
mod substituted;
mod temporary;
mod timed;
mod trace;
mod utility;
mod utility_commands;

use std::ops::ControlFlow;

use hookshell_syntax::ast::{AndOr, AndOrOp, Command, Compound, List, ListItem, Pipeline};

pub(crate) use death::last_simple;
pub(crate) use external::StartMode;
pub(crate) use open::reason;
#[cfg(unix)]
pub(crate) use pipeline::has_no_side_effects;
pub(crate) use pipeline::is_control_structure;
pub(crate) use redirect::{SavedFds, is_of_stdin};
pub(crate) use utility::{NOT_OURS, Tried};

use crate::context::Frame;
use crate::flow::{Divert, Flow, NEXT, divert};
use crate::options::Opt;
use crate::shell::Shell;

/// Is anything left to do after a command?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// There may be.
    Within,
    /// Nothing in this process: a program may take its place.
    AtEnd,
    /// Nothing in this environment, which was made for the command: a script takes its place.
    Alone,
}

impl Shell {
    /// Runs the and-or lists of a list in order.
    pub(crate) fn run_list(&mut self, list: &List) -> Flow {
        for item in &list.items {
            self.run_item(item, Place::Within)?;
        }
        NEXT
    }

    /// The same of a list that is followed by nothing, or by something.
    pub(crate) fn run_list_at(&mut self, list: &List, place: Place) -> Flow {
        let Some((last, others)) = list.items.split_last() else { return NEXT };
        for item in others {
            self.run_item(item, Place::Within)?;
        }
        self.run_item(last, place)
    }

    fn run_item(&mut self, item: &ListItem, place: Place) -> Flow {
        if self.opt(Opt::Noexec) {
            return NEXT;
        }
        if item.background { self.run_background(item) } else { self.run_and_or(&item.and_or, place) }
    }

    pub(crate) fn run_and_or(&mut self, and_or: &AndOr, place: Place) -> Flow {
        if and_or.rest.is_empty() {
            return self.run_pipeline(&and_or.first, place);
        }
        // All but the last command of the list are conditions: errexit does not apply to them.
        self.ignoring_errexit(|shell| shell.run_pipeline(&and_or.first, Place::Within))?;
        for (index, (operator, pipeline)) in and_or.rest.iter().enumerate() {
            let wanted = match operator {
                AndOrOp::And => self.env.status == 0,
                AndOrOp::Or => self.env.status != 0,
            };
            if !wanted {
                continue;
            }
            if index + 1 == and_or.rest.len() {
                self.run_pipeline(pipeline, place)?;
            } else {
                self.ignoring_errexit(|shell| shell.run_pipeline(pipeline, Place::Within))?;
            }
        }
        NEXT
    }

    /// As [`Self::run_and_or`], in the environment of a list in the background. bash: what a simple command, a subshell or a pipeline
    /// ends with is the list's status, and no failure for the ERR trap.
    pub(crate) fn run_background_list(&mut self, and_or: &AndOr, place: Place) -> Flow {
        let pipeline = &and_or.first;
        if !self.traps.has_error() || !and_or.rest.is_empty() || pipeline.negated || pipeline.time.is_some() {
            return self.run_and_or(and_or, place);
        }
        match &*pipeline.stages {
            [stage] if matches!(&stage.command, Command::Compound(compound) if !matches!(compound.kind, Compound::Subshell(_))) => {
                self.run_and_or(and_or, place)
            }
            [stage] => {
                self.run_command(&stage.command, place)?;
                self.report_death(stage)
            }
            _ => {
                self.context.subshell.fails_as_list = true;
                self.run_and_or(and_or, place)
            }
        }
    }

    /// Runs something whose failure does not end the shell under `set -e`.
    #[inline]
    pub(crate) fn ignoring_errexit<T>(&mut self, run: impl FnOnce(&mut Self) -> Flow<T>) -> Flow<T> {
        self.context.frames.enter(Frame::Condition);
        let flow = run(self);
        self.context.frames.leave();
        flow
    }

    fn run_pipeline(&mut self, pipeline: &Pipeline, place: Place) -> Flow {
        // `set -n`, of the list that it stands in too: the status stays what it is.
        if self.opt(Opt::Noexec) {
            return NEXT;
        }
        if let Some(keyword) = pipeline.time {
            return self.run_timed(keyword, pipeline);
        }
        self.run_untimed(pipeline, place)
    }

    pub(super) fn run_untimed(&mut self, pipeline: &Pipeline, place: Place) -> Flow {
        let [stage] = &*pipeline.stages else { return self.run_stages(pipeline) };
        if !pipeline.negated {
            let had_error_trap = self.traps.has_error();
            self.run_command(&stage.command, place)?;
            if self.env.status != 0 {
                self.report_death(stage)?;
                return self.failed(&stage.command, had_error_trap);
            }
            return NEXT;
        }
        let flow = if self.negation_ignores_errexit() {
            self.ignoring_errexit(|shell| shell.run_command(&stage.command, Place::Within))
        } else {
            self.scratch.is_negated = matches!(stage.command, Command::Simple(_));
            let flow = self.run_command(&stage.command, Place::Within);
            self.scratch.is_negated = false;
            flow
        };
        self.report_death(stage)?;
        // bash: of `break` and `continue` too.
        if matches!(flow, ControlFlow::Continue(()) | ControlFlow::Break(Divert::Break(_) | Divert::Continue(_))) {
            self.env.status = u8::from(self.env.status == 0);
        }
        flow
    }

    /// bash: `!` shelters its pipeline only where errexit is on by then, so that a function which sets it there can end the
    /// shell.
    pub(super) fn negation_ignores_errexit(&self) -> bool {
        self.env.dialect == hookshell_syntax::Dialect::Posix || self.opt(Opt::Errexit)
    }

    /// A command has failed: the ERR trap and errexit. Compound commands other than subshells, `(( ))` and `[[ ]]` fail
    /// by a command inside them, which was looked at already.
    fn failed(&mut self, command: &Command, had_error_trap: bool) -> Flow {
        if !(self.opt(Opt::Errexit) || self.traps.has_error()) || self.context.ignores_errexit() {
            return NEXT;
        }
        if let Command::Compound(compound) = command
            && !matches!(
                compound.kind,
                Compound::Subshell(_) | Compound::Arithmetic(_) | Compound::Condition(_) | Compound::Coprocess(_)
            )
        {
            return NEXT;
        }
        // bash: a trap that the command itself has set does not concern it.
        if had_error_trap {
            return self.failed_now();
        }
        if self.opt(Opt::Errexit) { divert(Divert::Exit) } else { NEXT }
    }

    pub(super) fn failed_now(&mut self) -> Flow {
        if !(self.opt(Opt::Errexit) || self.traps.has_error()) || self.context.ignores_errexit() {
            return NEXT;
        }
        if self.traps.has_error() {
            let line = std::mem::replace(&mut self.context.line, self.context.error_line);
            let flow = self.run_error_trap();
            self.context.line = line;
            flow?;
        }
        if self.opt(Opt::Errexit) {
            return divert(Divert::Exit);
        }
        NEXT
    }

    #[inline]
    pub(crate) fn run_command(&mut self, command: &Command, place: Place) -> Flow {
        match command {
            Command::Simple(simple) => self.run_simple(simple, place),
            Command::Compound(compound) => self.run_compound(compound, place),
            Command::Function(definition) => self.define_function(definition),
        }
    }

    /// What is looked at between commands: was the run told to stop, are signals waiting for their traps?
    #[inline]
    pub(crate) fn checkpoint(&mut self) -> Flow {
        if self.host.run.has_signals() {
            self.run_pending_traps()?;
            // A signal may have ended this environment, or the one that it is nested in.
            if self.is_stopping() {
                return divert(Divert::Stop);
            }
        }
        if self.host.cancel.is_cancelled() && self.context.interrupt.is_raised() {
            return divert(Divert::Stop);
        }
        NEXT
    }
}
