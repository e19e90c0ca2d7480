//! Subshells on the same thread (XCU 2.13).

use std::ops::ControlFlow;

use smallvec::SmallVec;

use crate::flow::{Divert, Flow, NEXT};
use crate::limits::Limit;
use crate::options::Opt;
use crate::shell::Shell;

impl Shell {
    /// Runs something in a subshell environment on this thread: whatever it changes is undone, and what would end the
    /// shell ends the subshell. Variables are journaled and not copied; of what seldom changes only a pointer is kept.
    pub(crate) fn in_subshell(&mut self, run: impl FnOnce(&mut Self) -> Flow) -> Flow {
        if self.is_too_deep() {
            return self.too_deep();
        }
        self.depth += 1;
        let mark = self.vars.enter_subshell();
        let settled = self.settled.clone();
        let positional = self.positional.clone();
        let options = self.options;
        let parse_epoch = self.parse_epoch;
        let fds = self.fds.clone();
        let bytes = self.bytes;
        let trace_fd = self.trace_fd;
        let function_nesting = self.function_nesting;
        let read_timeout = self.read_timeout;
        let background_id = self.background_id;
        let jobs = self.jobs.enter_subshell();
        let (functrace, errtrace) = (self.opt(Opt::Functrace), self.opt(Opt::Errtrace));
        let traps = self.traps.begin_subshell(functrace, errtrace);
        let getopts = self.getopts.clone();
        let loop_depth = self.loop_depth;
        let frames = self.frames.len();
        let function_depth = self.function_depth;
        let own_id = self.own_id;
        let uncounted_subshells = self.uncounted_subshells;
        let uncounted_stage = self.uncounted_stage;
        let is_own_command = std::mem::take(&mut self.is_own_command);
        let has_mailbox = std::mem::take(&mut self.has_mailbox);
        let forked = std::mem::take(&mut self.forked);
        let stdin_redirected = self.stdin_redirected;
        let random = self.random;
        let seconds_base = self.seconds_base;
        let mut last_argument = self.take_bytes();
        last_argument.extend_from_slice(&self.last_argument);
        let pipe_status = SmallVec::from_slice(&self.pipe_status);
        self.subshell_depth += 1;
        self.own_id = self.host.run.next_id();
        self.debug_trap_ran = false;
        let shows_main = self.shows_main;
        let is_sole = std::mem::take(&mut self.is_sole);
        let null_stdin_due = std::mem::take(&mut self.null_stdin_due);
        let skips_exit_trap = std::mem::take(&mut self.skips_exit_trap);
        let reads_at = self.reads_at.take();

        let flow = run(self);
        let flow = self.end_subshell(flow);
        if std::mem::replace(&mut self.has_mailbox, has_mailbox) {
            self.host.run.unregister(self.own_id);
        }

        self.depth -= 1;
        self.subshell_depth -= 1;
        self.uncounted_subshells = uncounted_subshells;
        self.is_own_command = is_own_command;
        self.uncounted_stage = uncounted_stage;
        self.vars.leave_subshell(mark);
        self.settled = settled;
        self.positional = positional;
        self.options = options;
        self.parse_epoch = parse_epoch;
        self.fds = fds;
        self.bytes = bytes;
        self.trace_fd = trace_fd;
        self.function_nesting = function_nesting;
        self.read_timeout = read_timeout;
        self.background_id = background_id;
        self.jobs.leave_subshell(jobs);
        self.traps.end_subshell(traps);
        self.getopts = getopts;
        self.loop_depth = loop_depth;
        self.frames.truncate(frames);
        self.function_depth = function_depth;
        self.own_id = own_id;
        self.forked = forked;
        self.stdin_redirected = stdin_redirected;
        self.is_sole = is_sole;
        self.shows_main = shows_main;
        self.null_stdin_due = null_stdin_due;
        self.skips_exit_trap = skips_exit_trap;
        self.reads_at = reads_at;
        self.random = random;
        self.seconds_base = seconds_base;
        let inner = std::mem::replace(&mut self.last_argument, last_argument);
        self.give_bytes(inner);
        self.pipe_status = pipe_status;
        self.child_ended();
        flow
    }

    /// What the end of a subshell makes of a divert: the EXIT trap runs, and only a stop of the whole run goes on.
    pub(crate) fn end_subshell(&mut self, flow: Flow) -> Flow {
        match flow {
            ControlFlow::Break(Divert::Stop) => flow,
            ControlFlow::Break(Divert::Die) => {
                if !self.skips_exit_trap {
                    self.run_exit_trap_of_death();
                }
                self.status = 128u8.saturating_add(u8::try_from(self.died_of).unwrap_or(0));
                self.death = Some(super::Death { id: self.own_id, signal: self.died_of, core_dumped: false });
                NEXT
            }
            _ if self.skips_exit_trap => NEXT,
            _ => self.run_exit_trap(),
        }
    }

    /// A limit on nesting was reached.
    pub(crate) fn too_deep<T>(&mut self) -> Flow<T> {
        self.exceed(Limit::CallDepth, "calls and subshells are nested deeper, or take the whole stack")
    }
}
