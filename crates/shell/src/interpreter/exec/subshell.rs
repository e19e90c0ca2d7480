//! Subshells on the same thread (XCU 2.13).

use std::ops::ControlFlow;

use hookshell_process::Interrupt;
use hookshell_utility::RunToken;

use crate::flow::{Divert, Flow, NEXT};
use crate::limits::Limit;
use crate::options::Opt;
use crate::shell::Shell;

impl Shell {
    /// Runs something in a subshell environment on this thread: whatever it changes is undone, and what would end the
    /// shell ends the subshell. Variables, jobs and traps are journaled and not copied.
    pub(crate) fn in_subshell(&mut self, run: impl FnOnce(&mut Self) -> Flow) -> Flow {
        if self.is_too_deep() {
            return self.too_deep();
        }
        let mark = self.vars.enter_subshell();
        let jobs = self.jobs.enter_subshell();
        let (functrace, errtrace) = (self.opt(Opt::Functrace), self.opt(Opt::Errtrace));
        let traps = self.traps.begin_subshell(functrace, errtrace);
        let spare = self.take_bytes();
        let env = self.env.enter_subshell(spare);
        self.context.enter_subshell(self.host.run.next_id());
        let outer = self.host.run.has_timed().then(|| self.hear_signals_alone());

        let flow = run(self);
        let flow = match outer {
            Some(outer) => self.hear_signals_no_more(outer, flow),
            None => flow,
        };
        let flow = self.end_subshell(flow);
        if self.context.subshell.has_mailbox {
            self.host.run.unregister(self.context.subshell.id);
        }

        self.context.leave_subshell();
        self.vars.leave_subshell(mark);
        let spare = self.env.leave_subshell(env);
        self.give_bytes(spare);
        self.jobs.leave_subshell(jobs);
        self.traps.end_subshell(traps);
        self.report_jobs();
        self.child_ended();
        flow
    }

    /// In the time limit of a command around it a subshell gets the signal of the limit as a process would.
    #[cold]
    fn hear_signals_alone(&mut self) -> (RunToken, Interrupt) {
        let cancel = self.context.cancel.child();
        let is_soft = !self.context.cancel.is_cancelled();
        let interrupt = if is_soft { cancel.interrupt() } else { cancel.hard_interrupt() }.clone();
        let outer = (
            std::mem::replace(&mut self.context.cancel, cancel.clone()),
            std::mem::replace(&mut self.context.interrupt, interrupt),
        );
        self.host.run.register(self.context.subshell.id, self.handled_signals(), cancel, None);
        self.context.subshell.has_mailbox = true;
        outer
    }

    /// The end of that: a signal that has ended the subshell alone is what it dies of.
    #[cold]
    fn hear_signals_no_more(&mut self, outer: (RunToken, Interrupt), flow: Flow) -> Flow {
        (self.context.cancel, self.context.interrupt) = outer;
        if flow != ControlFlow::Break(Divert::Stop) || self.is_stopping() {
            return flow;
        }
        match self.deadly_signal() {
            Some(signal) => {
                self.scratch.died_of = signal;
                ControlFlow::Break(Divert::Die)
            }
            None => flow,
        }
    }

    /// Takes the signals that wait for this environment: the first that it neither traps nor ignores and that ends it.
    pub(crate) fn deadly_signal(&mut self) -> Option<i32> {
        let waiting = self.host.run.take_signals(self.context.subshell.id).into_iter();
        waiting.filter(|signal| self.traps.get(*signal).is_none()).find(|signal| crate::traps::ends_by_default(*signal))
    }

    /// What the end of a subshell makes of a divert: the EXIT trap runs, and only a stop of the whole run is passed on.
    pub(crate) fn end_subshell(&mut self, flow: Flow) -> Flow {
        let flow = match flow {
            ControlFlow::Break(Divert::Stop | Divert::Die) => flow,
            _ if self.context.subshell.skips_exit_trap => NEXT,
            // It may send a signal to its own shell.
            _ => self.run_exit_trap(),
        };
        if flow != ControlFlow::Break(Divert::Die) {
            return flow;
        }
        if !self.context.subshell.skips_exit_trap {
            self.run_exit_trap_on_signal();
        }
        self.env.status = 128u8.saturating_add(u8::try_from(self.scratch.died_of).unwrap_or(0));
        self.scratch.death =
            Some(crate::jobs::Death { id: self.context.subshell.id, signal: self.scratch.died_of, core_dumped: false });
        NEXT
    }

    /// A limit on nesting was reached.
    pub(crate) fn too_deep<T>(&mut self) -> Flow<T> {
        self.exceed(Limit::CallDepth, "calls and subshells are nested deeper, or take the whole stack")
    }
}
