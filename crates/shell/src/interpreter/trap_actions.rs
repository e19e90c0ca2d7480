//! Traps that run, and signals that arrive. Both are virtual: no handler is ever installed in the process.

use std::ops::ControlFlow;

use crate::context::Text;
use crate::flow::{Divert, Flow, NEXT, divert};
use crate::options::Opt;
use crate::shell::Shell;
use crate::traps::{Action, ConditionNumber, DEBUG, ERR, EXIT, RETURN, SIGCHLD, SIGQUIT, SIGTERM, ends_by_default};

/// What a shell ends with that was stopped: 128 + TERM.
const STOPPED: u8 = 143;

impl Shell {
    /// Sets or resets a trap. `None`: the default action.
    pub(crate) fn set_trap(&mut self, condition: ConditionNumber, action: Option<Action>) {
        if action.is_some() {
            self.listen_for_signals();
        }
        // The ends of children are seen here: the process has more of them than this environment.
        if condition > 0 && action.is_some() && condition != SIGCHLD {
            self.catch_signal(condition);
        }
        if condition == EXIT && self.host.copy_id == Some(self.context.subshell.id) {
            self.host.run.set_exit_trap(matches!(action, Some(Action::Command(_))));
        }
        self.traps.set(condition, action);
        if condition > 0 {
            self.host.run.set_handled(self.context.subshell.id, self.handled_signals());
        }
    }

    /// Runs the action of a trap; `$?` is what it was before, unless the action exits.
    fn run_trap(&mut self, condition: ConditionNumber) -> Flow {
        let Some(Action::Command(text)) = self.traps.get(condition).cloned() else { return NEXT };
        // A signal in the action of its own trap runs it again (bash); the depth limit ends that.
        if condition <= 0 && self.traps.running.contains(&condition) {
            return NEXT;
        }
        let status = self.env.status;
        let pipe_status = self.env.pipe_status.clone();
        let line = self.context.line;
        self.traps.running.push(condition);
        let before = self.traps.status_before;
        // The action of DEBUG decides itself.
        self.traps.status_before = (condition != DEBUG).then_some(status);
        let depth = std::mem::replace(&mut self.traps.depth_before, self.context.frames.functions());
        if condition > 0 {
            // bash: the lines of a signal's action are counted from 1.
            self.context.line = 1;
        }
        let name = match condition {
            DEBUG => "debug trap",
            ERR => "error trap",
            RETURN => "return trap",
            _ => "trap",
        };
        let flow = self.run_text(&text, Text::Trap(name));
        self.traps.status_before = before;
        self.traps.depth_before = depth;
        self.traps.running.pop();
        self.context.line = line;
        if flow.is_continue() {
            self.traps.action_status = self.env.status;
            self.env.status = status;
            self.env.pipe_status = pipe_status;
        }
        flow
    }

    /// The DEBUG trap, before a command.
    #[inline]
    pub(crate) fn run_debug_trap(&mut self) -> Flow {
        if self.traps.has_debug && !self.traps.running.contains(&DEBUG) {
            return self.run_trap(DEBUG);
        }
        NEXT
    }

    /// Runs the DEBUG trap before a command. bash: under `extdebug` a failing action skips the command, and one that
    /// ends with 2 returns from the function or sourced file.
    pub(crate) fn is_skipped_by_debug_trap(&mut self) -> Flow<bool> {
        if !self.traps.has_debug || self.traps.running.contains(&DEBUG) {
            return ControlFlow::Continue(false);
        }
        if !self.opt(Opt::Extdebug) {
            self.run_trap(DEBUG)?;
            return ControlFlow::Continue(false);
        }
        let status = self.env.status;
        self.traps.action_status = 0;
        self.run_trap(DEBUG)?;
        match std::mem::take(&mut self.traps.action_status) {
            0 => ControlFlow::Continue(false),
            2 if self.context.frames.has_calls() => {
                self.env.status = status;
                divert(Divert::Return)
            }
            _ => ControlFlow::Continue(true),
        }
    }

    /// bash itself ignores QUIT; its subshells do not.
    fn ignores_quit(&self) -> bool {
        self.context.subshell.id == self.host.process_id && self.env.dialect == hookshell_syntax::Dialect::Bash
    }

    /// The signals that do not end this environment, as bits: signal 1 is bit 0.
    pub(crate) fn handled_signals(&self) -> u64 {
        let quit = if self.ignores_quit() { 1 << (SIGQUIT - 1) } else { 0 };
        self.traps.handled() | quit
    }

    pub(crate) fn run_error_trap(&mut self) -> Flow {
        if self.traps.has_error && !self.traps.running.contains(&ERR) {
            return self.run_trap(ERR);
        }
        NEXT
    }

    pub(crate) fn run_return_trap(&mut self) -> Flow {
        // bash: the functions that the action of DEBUG calls do not run it.
        if self.traps.actions.is_empty() || self.traps.running.contains(&DEBUG) {
            return NEXT;
        }
        self.run_trap(RETURN)
    }

    /// The EXIT trap at the end of an environment: it runs once.
    pub(crate) fn run_exit_trap(&mut self) -> Flow {
        // `trap` in the action still lists it.
        if self.traps.running_exit {
            return NEXT;
        }
        let Some(Action::Command(text)) = self.traps.get(EXIT).cloned() else { return NEXT };
        let status = self.env.status;
        let before = self.traps.status_before.replace(status);
        self.context.line = 1;
        self.traps.running_exit = true;
        self.traps.expansion_failed = false;
        self.traps.running.push(EXIT);
        let flow = self.run_text(&text, Text::ExitTrap);
        self.traps.running.pop();
        self.traps.running_exit = false;
        self.traps.put(EXIT, None);
        self.traps.status_before = before;
        match flow {
            ControlFlow::Continue(()) => self.env.status = status,
            // The trap has sent a signal to its shell, or is stopped.
            ControlFlow::Break(Divert::Stop | Divert::Die) => return flow,
            // bash: an expansion that fails ends the trap, and the shell keeps its status.
            ControlFlow::Break(_)
                if self.traps.expansion_failed && self.env.dialect == hookshell_syntax::Dialect::Bash =>
            {
                self.env.status = status;
            }
            // `exit` in the trap gives the status; without an operand it is the one from before.
            ControlFlow::Break(_) => {}
        }
        NEXT
    }

    /// bash: where the shell ends inside a command with redirections that it has read itself, the EXIT trap runs under them. An
    /// expansion error undoes them first.
    pub(crate) fn exit_before_restoring(&mut self, flow: Flow) -> Flow {
        if flow == ControlFlow::Break(Divert::Exit)
            && self.context.subshell.reads_at == Some(self.text_depth())
            && self.traps.has_exit()
            && !self.traps.expansion_failed
            && self.env.dialect == hookshell_syntax::Dialect::Bash
        {
            self.run_exit_trap()?;
        }
        flow
    }

    /// Runs the traps of signals that have come in, or dies of them.
    pub(crate) fn run_pending_traps(&mut self) -> Flow {
        for signal in self.host.run.take_signals(self.context.subshell.id) {
            self.deliver(signal)?;
        }
        NEXT
    }

    /// Does a signal wait that is not ignored? Those that are are dropped.
    pub(crate) fn has_signal_to_handle(&self) -> bool {
        if !self.host.run.has_signals_for(self.context.subshell.id) {
            return false;
        }
        self.host.run.retain_signals(self.context.subshell.id, |signal| match self.traps.get(signal) {
            Some(action) => *action != Action::Ignore,
            None => ends_by_default(signal),
        });
        self.host.run.has_signals_for(self.context.subshell.id)
    }

    /// As [`Self::has_signal_to_handle`], for `wait`: bash is not interrupted by a child's end, except in POSIX mode.
    pub(crate) fn has_signal_to_wake(&self) -> bool {
        if !self.has_signal_to_handle() {
            return false;
        }
        self.opt(Opt::Posix) || self.host.run.has_other_signal_for(self.context.subshell.id, SIGCHLD)
    }

    /// Does the script want to hear of the ends of its children?
    pub(crate) fn traps_children(&self) -> bool {
        self.traps.has_any() && matches!(self.traps.get(SIGCHLD), Some(Action::Command(_)))
    }

    /// A child of this environment has ended, be it a process or one that is a part of this process: its trap is due. The
    /// children of the trap's own action are left aside.
    pub(crate) fn child_ended(&mut self) {
        if self.traps_children() && !self.traps.running.contains(&SIGCHLD) {
            self.signal_oneself(SIGCHLD);
        }
    }

    /// Sends this environment a signal; the trap runs, or it dies, when the current command has ended.
    pub(crate) fn signal_oneself(&mut self, signal: i32) {
        self.scratch.killed_itself = signal != SIGCHLD;
        if !self.host.run.post(self.context.subshell.id, signal) {
            // A subshell on the thread of its parent gets its mailbox when it needs one.
            self.host.run.register(self.context.subshell.id, self.handled_signals(), self.context.cancel.clone(), None);
            self.context.subshell.has_mailbox = true;
            self.host.run.post(self.context.subshell.id, signal);
        }
    }

    /// A signal for this environment.
    pub(crate) fn deliver(&mut self, signal: i32) -> Flow {
        match self.traps.get(signal) {
            Some(Action::Ignore) => NEXT,
            Some(Action::Command(_)) => {
                self.scratch.killed_itself = false;
                self.run_trap(signal)
            }
            None => {
                // The default action of these is to be ignored (or concerns job control).
                if !ends_by_default(signal) || signal == SIGQUIT && self.ignores_quit() {
                    return NEXT;
                }
                self.scratch.died_of = signal;
                divert(Divert::Die)
            }
        }
    }

    /// The host has stopped the run: a TERM that the script may have trapped, then the EXIT trap, until the hard stop.
    pub(crate) fn run_stop_traps(&mut self) {
        if self.host.cancel.is_killed() {
            self.env.status = STOPPED;
            return;
        }
        self.context.interrupt = self.context.cancel.hard_interrupt().clone();
        if !self.traps_stop() {
            // bash: it is the signal that ends the shell, whatever the action says; the action sees what the last command has ended with.
            let _ = self.run_exit_trap();
            self.env.status = STOPPED;
            return;
        }
        self.env.status = STOPPED;
        if self.run_trap(SIGTERM).is_continue() {
            self.env.status = STOPPED;
        }
        let _ = self.run_exit_trap();
    }

    /// Does a signal end the shell within a command that has not sent it itself? To the EXIT trap `$?` is then what it was before that
    /// command (bash), unless that is `wait` and the signal INT.
    pub(crate) fn is_ended_by_other(&self, flow: Flow) -> bool {
        match flow {
            ControlFlow::Break(Divert::Stop) => !self.scratch.interrupted_wait,
            ControlFlow::Break(Divert::Die) => !self.scratch.killed_itself,
            _ => false,
        }
    }

    /// Has the script an action for the signal that a stop is?
    pub(crate) fn traps_stop(&self) -> bool {
        matches!(self.traps.get(SIGTERM), Some(Action::Command(_)))
    }
}
