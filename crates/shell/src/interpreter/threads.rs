//! Stages and lists that run on other threads, and waiting for what runs beside.

use std::ops::ControlFlow;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use hookshell_process::sync::lock;

use crate::flow::{Divert, Flow, NEXT, divert};
use crate::jobs::{End, Job, JobKind, POLL_INTERVAL, ThreadState};
use crate::limits::Limit;
use crate::shell::{Host, Shell};
use crate::traps::SIGCHLD;

/// Ends a thread's job whatever way the thread ends.
struct EndOfThread {
    host: Arc<Host>,
    state: Arc<ThreadState>,
    id: u32,
    /// The environment that started it.
    parent: u32,
    end: End,
}

impl Drop for EndOfThread {
    fn drop(&mut self) {
        self.host.run.unregister(self.id);
        // Before anybody learns of the end: what waits for it finds the signal.
        self.host.run.post_handled(self.parent, SIGCHLD);
        self.state.end(self.end);
        let mut threads = lock(&self.host.run.threads);
        *threads = threads.saturating_sub(1);
        self.host.run.thread_ended.notify_all();
        self.host.usage.end_thread();
    }
}

/// The status of a stage whose thread panicked: as if a signal had ended it (SIGABRT).
const PANICKED: End = End { status: 134, signal: 0 };

impl Shell {
    /// Runs something in `shell`, a copy of this environment, on another thread.
    pub(crate) fn spawn_thread(
        &mut self,
        mut shell: Self,
        run: impl FnOnce(&mut Self) -> Flow + Send + 'static,
    ) -> Flow<Job> {
        if self.host.usage.budget.has_too_much_state() {
            // The copy of the state is too much, unless the estimates are too high.
            self.measure_state()?;
        }
        let (cancel, interrupt) = (self.context.cancel.clone(), self.context.interrupt.clone());
        if !self.host.usage.begin_thread(&|| cancel.is_cancelled() && interrupt.is_raised()) {
            self.checkpoint()?;
            return self.exceed(Limit::Threads, "more pipeline stages and background lists run at once");
        }
        *lock(&self.host.run.threads) += 1;
        let state = Arc::new(ThreadState::default());
        let id = shell.context.subshell.id;
        let cancel = self.host.cancel.child();
        // A command of a trap that runs during the grace is ended by the hard stop only.
        let soft = !self.host.cancel.is_cancelled();
        shell.context.interrupt = if soft { cancel.interrupt().clone() } else { cancel.hard_interrupt().clone() };
        shell.context.cancel = cancel.clone();
        self.host.run.register(id, shell.handled_signals(), cancel, Some(state.clone()));
        let parent = self.context.subshell.id;
        let mut end = EndOfThread { host: self.host.clone(), state: state.clone(), id, parent, end: PANICKED };
        let started = self.host.pool.run(move || {
            let flow = run(&mut shell);
            let signal = if matches!(flow, ControlFlow::Break(Divert::Die)) { shell.scratch.died_of } else { 0 };
            let _ = shell.end_subshell(flow);
            end.end = End { status: shell.env.status, signal };
            // Its descriptors are closed before anybody learns that it has ended.
            drop(shell);
            drop(end);
        });
        match started {
            Ok(()) => ControlFlow::Continue(Job { id, kind: JobKind::Thread(state) }),
            Err(error) => self.stop_run(format!("cannot start a thread: {error}")),
        }
    }

    /// Waits for a job; its status becomes `$?`.
    pub(crate) fn wait_for_job(&mut self, job: &Job) -> Flow {
        match &job.kind {
            JobKind::Process(child) => {
                let child = child.clone();
                self.wait_for_child(&child)
            }
            JobKind::Thread(state) => {
                let mut status = lock(&state.status);
                loop {
                    if let Some(end) = *status {
                        self.env.status = end.status;
                        return NEXT;
                    }
                    if self.context.cancel.is_killed() {
                        return divert(Divert::Stop);
                    }
                    status = state.ended.wait_timeout(status, POLL_INTERVAL).unwrap_or_else(PoisonError::into_inner).0;
                }
            }
        }
    }

    /// Waits for a job as the `wait` built-in does: a stop or a trapped signal ends the waiting. `None`: it did.
    pub(crate) fn wait_for_job_or_signal(&mut self, job: &Job) -> Flow<Option<u8>> {
        loop {
            // What the job has sent before it ended is there when its end is seen.
            let status = job.try_status();
            self.take_process_signals();
            if self.has_signal_to_wake() {
                return ControlFlow::Continue(None);
            }
            // The signal that has ended the job may have been for this shell too.
            if self.is_stopping() {
                return divert(Divert::Stop);
            }
            if let Some(status) = status {
                return ControlFlow::Continue(Some(status));
            }
            match &job.kind {
                JobKind::Process(_) => {
                    let _ = self.context.interrupt.sleep(Duration::from_millis(2));
                }
                JobKind::Thread(state) => {
                    let status = lock(&state.status);
                    if status.is_none() {
                        drop(state.ended.wait_timeout(status, POLL_INTERVAL).unwrap_or_else(PoisonError::into_inner));
                    }
                }
            }
        }
    }

    /// A child in the foreground has ended: tells of the jobs that a signal has ended since.
    pub(crate) fn report_jobs(&mut self) {
        if !self.jobs.entries().is_empty() {
            self.report_deaths();
            self.jobs.look_around();
            self.forget_jobs();
        }
    }

    /// A line is about to be read: bash looks at its jobs then, too.
    pub(crate) fn look_at_jobs(&mut self) {
        if !self.jobs.entries().is_empty() {
            self.report_deaths();
            self.jobs.clean_up();
            self.forget_jobs();
        }
    }

    fn report_deaths(&mut self) {
        for (death, command) in self.jobs.untold_deaths() {
            self.report_job(death, &command);
        }
    }

    /// bash (`notify_of_job_status`) keeps what has ended for a script that asks, but not in a command string; in a substitution there,
    /// it keeps the last.
    fn forget_jobs(&mut self) {
        if self.host.is_command_string {
            let last = if self.context.is_substituted() { self.env.background_id } else { None };
            self.jobs.forget_ended(last);
        }
    }
}
