//! The end of a run: its traps, and what it ended by.

use std::ops::ControlFlow;

use hookshell_process::Interrupt;

use crate::config::{Exit, ExitCause};
use crate::flow::{Divert, Flow, divert};
use crate::shell::Shell;

impl Shell {
    /// As bash: where a signal ends the shell or a subshell, its EXIT trap still runs, and may take its time.
    pub(crate) fn run_exit_trap_on_signal(&mut self) {
        if !self.traps.has_any()
            || !crate::traps::is_handled_by_exit(self.scratch.died_of)
            || self.host.cancel.is_cancelled()
        {
            return;
        }
        let outer = (self.context.cancel.clone(), self.context.interrupt.clone());
        self.context.cancel = self.host.cancel.child();
        self.context.interrupt = self.context.cancel.interrupt().clone();
        let _ = self.run_exit_trap();
        (self.context.cancel, self.context.interrupt) = outer;
    }

    /// Ends the environment of a whole run.
    pub(super) fn finish(&mut self, flow: Flow) -> Exit {
        let mut flow = flow;
        // A subshell that was the last command may have sent a signal to this shell.
        if flow.is_continue() {
            flow = self.checkpoint();
        }
        if matches!(flow, ControlFlow::Break(Divert::Stop)) && !self.host.cancel.is_cancelled() {
            // It was busy when a signal of another environment ended it.
            if let Some(signal) = self.deadly_signal() {
                self.scratch.died_of = signal;
                flow = divert(Divert::Die);
            }
        }
        if self.host.usage.budget.reached().is_some() {
            // Of another environment, perhaps: it ends this one as well.
            flow = divert(Divert::Stop);
        }
        if !matches!(flow, ControlFlow::Break(Divert::Stop | Divert::Die)) {
            let exit = self.run_exit_trap();
            if exit.is_break() {
                flow = exit;
            }
        }
        let cause = match flow {
            ControlFlow::Break(Divert::Stop) => {
                self.host.usage.budget.wait_until_told();
                let reached = self.host.usage.budget.reached();
                if let Some(limit) = &reached
                    && !limit.is_told
                    && !self.host.is_nested
                {
                    // The run's own interrupt is raised.
                    let raised = std::mem::replace(&mut self.context.interrupt, Interrupt::new());
                    self.tell_of_limit(&limit.message);
                    self.context.interrupt = raised;
                }
                self.run_stop_traps();
                match reached {
                    Some(limit) => {
                        self.env.status = 2;
                        ExitCause::LimitExceeded(limit.message)
                    }
                    None => ExitCause::Cancelled,
                }
            }
            ControlFlow::Break(Divert::Die) => {
                self.run_exit_trap_on_signal();
                self.env.status = 128u8.saturating_add(u8::try_from(self.scratch.died_of).unwrap_or(0));
                ExitCause::Signal(self.scratch.died_of)
            }
            _ => match self.scratch.syntax_error.take() {
                Some(error) => ExitCause::SyntaxError(error),
                None if self.host.run.is_status_lost() => ExitCause::StatusLost,
                None => ExitCause::Normal,
            },
        };
        Exit { status: self.env.status, cause }
    }
}
