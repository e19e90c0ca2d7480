//! Job control (XCU 2.11): `set -m`. Jobs have process groups of their own, can be stopped, and go on in the foreground or the
//! background.
//!
//! There is no terminal to be given to them: where a standard stream is one, what runs in the foreground stays in the shell's group.
//! Windows has no groups, and nothing is stopped there; jobs are waited for and listed all the same.
//!
//! A group belongs to the process tree of the run ([`hookshell_process::ProcessTree::group`]), which ends it with everything else. A copy of
//! this process that a host knows of makes none: whoever ends the copy would not reach them.

use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use hookshell_process::{Child, ProcessGroup};

use crate::flow::{Divert, Flow, NEXT, divert};
use crate::jobs::{Death, Job, JobEntry};
use crate::options::Opt;
use crate::shell::Shell;

/// How often it is looked whether what runs in the foreground was stopped.
const POLL_INTERVAL: Duration = Duration::from_millis(2);

const SIGHUP: i32 = 1;
const SIGINT: i32 = 2;
const SIGTERM: i32 = 15;
pub(crate) const SIGSTOP: i32 = if cfg!(target_os = "linux") { 19 } else { 17 };
const SIGCONT: i32 = if cfg!(target_os = "linux") { 18 } else { 19 };

/// `$?` of what was stopped.
pub(crate) fn status_of_stop(signal: i32) -> u8 {
    128u8.saturating_add(u8::try_from(signal).unwrap_or(0))
}

/// Is it a signal whose default action is to stop a process?
pub(crate) fn stops_by_default(signal: i32) -> bool {
    match hookshell_process::signals::name(signal) {
        Some(name) => matches!(name.trim_start_matches("SIG"), "STOP" | "TSTP" | "TTIN" | "TTOU"),
        None => false,
    }
}

impl Shell {
    /// Is job control on? A subshell has none but what it turns on itself.
    #[inline]
    pub(crate) fn has_job_control(&self) -> bool {
        self.opt(Opt::Monitor) && (self.context.subshell.depth == 0 || self.context.subshell.has_job_control)
    }

    /// `set -m`, `set +m`
    pub(crate) fn set_job_control(&mut self, on: bool) {
        self.context.subshell.has_job_control = on;
    }

    /// The process group of a job in the background that is about to be started; `None`: it has none of its own.
    pub(crate) fn group_for_job(&self) -> Option<ProcessGroup> {
        let has_group = cfg!(unix) && self.has_job_control() && self.host.reaches_groups;
        has_group.then(|| self.host.cancel.tree().group())
    }

    /// The same of what is about to run in the foreground: not where there is a terminal, which it could not read then.
    #[inline]
    pub(crate) fn group_for_foreground(&self) -> Option<ProcessGroup> {
        if self.opt(Opt::Monitor) { self.controlled_foreground() } else { None }
    }

    #[cold]
    fn controlled_foreground(&self) -> Option<ProcessGroup> {
        let is_terminal = |fd| self.env.fds.get(fd).is_some_and(|stream| stream.is_terminal());
        if (0..=2).any(is_terminal) { None } else { self.group_for_job() }
    }

    /// Runs something whose programs join a group, if one is given, and nothing is started in it behind that.
    pub(crate) fn in_group<T>(&mut self, group: Option<&ProcessGroup>, run: impl FnOnce(&mut Self) -> T) -> T {
        let Some(group) = group else { return run(self) };
        let outer = self.context.group.replace(group.clone());
        let result = run(self);
        self.context.group = outer;
        group.close();
        result
    }

    /// Waits for a program in the foreground, which may be stopped: [`Self::keep_stopped`] makes it a job.
    #[cold]
    pub(crate) fn wait_for_foreground(&mut self, child: &Arc<Child>, group: Option<ProcessGroup>) -> Flow {
        self.wait_unless_stopped(&Job::process(child.clone()).in_group(group))?;
        NEXT
    }

    /// Waits for a job in the foreground; false if it was stopped, which is then `$?` and what [`Self::keep_stopped`] keeps.
    pub(crate) fn wait_unless_stopped(&mut self, job: &Job) -> Flow<bool> {
        while job.try_status().is_none() && !self.is_stopping() {
            if let Some(signal) = job.stopped_by() {
                self.env.status = status_of_stop(signal);
                self.scratch.death = Some(Death { id: job.id(), signal, core_dumped: false });
                self.scratch.stopped = Some(job.clone());
                return ControlFlow::Continue(false);
            }
            let _ = self.context.interrupt.sleep(POLL_INTERVAL);
        }
        self.jobs.set_told(|entry| entry.job.id() == job.id());
        self.wait_for_job(job)?;
        // bash: what was to end by the keyboard ends the script, which would have heard it too without job control.
        if self.scratch.death.is_some_and(|death| death.signal == SIGINT) && self.traps.get(SIGINT).is_none() {
            self.env.status = status_of_stop(SIGINT);
            return divert(Divert::Exit);
        }
        ControlFlow::Continue(true)
    }

    /// Where what ran in the foreground was stopped: it is a job from now on. `text` is what it looks like. `false`: nothing was stopped.
    #[inline]
    pub(crate) fn keep_stopped(&mut self, text: impl FnOnce() -> Vec<u8>) -> bool {
        let Some(job) = self.scratch.stopped.take() else { return false };
        self.scratch.death = None;
        self.add_job(job, text());
        self.report_jobs();
        true
    }

    /// Lets a job go on that was stopped.
    pub(crate) fn continue_job(&mut self, entry: &JobEntry) {
        // One that has ended meanwhile needs nothing.
        let _ = match entry.job.group() {
            Some(group) => group.signal(SIGCONT),
            None => self.host.cancel.tree().signal(entry.job.id(), SIGCONT),
        };
        self.jobs.went_on(entry.number);
    }

    /// Sends a signal to the process group of a job; `None`: it has none.
    pub(crate) fn signal_group_of(&mut self, entry: &JobEntry, signal: i32) -> Option<io::Result<()>> {
        let group = entry.job.group()?;
        let mut sent = group.signal(signal);
        // The environment of a list on a thread is one of its processes, too.
        if entry.job.is_thread() && !stops_by_default(signal) {
            let id = entry.job.id();
            for stage in self.host.run.stages_of(id) {
                self.host.run.signal(stage, signal);
            }
            if self.host.run.signal(id, signal) {
                sent = Ok(());
            }
        }
        // What is stopped hears of its end only when it goes on.
        if matches!(signal, SIGTERM | SIGHUP) && entry.job.stopped_by().is_some() {
            self.continue_job(entry);
        } else if signal == SIGCONT {
            self.jobs.went_on(entry.number);
        }
        Some(sent)
    }

    /// Is this environment a process that may be stopped (`kill -STOP $$`)? A host's is not: nothing would end the run at its deadline. That of
    /// `hookshell sh` is, and so is a copy that a shell waits for.
    pub(crate) fn stops_alone(&self) -> bool {
        match self.host.copy_id {
            Some(copy) => copy == self.context.subshell.id,
            None => {
                cfg!(unix)
                    && self.context.subshell.id == self.host.process_id
                    && self.host.signal_source.get().is_some()
            }
        }
    }

    /// Tells of jobs that have ended by themselves, and of those that were stopped.
    #[cold]
    pub(crate) fn report_changes(&mut self) {
        for entry in self.jobs.untold_changes() {
            let mut text = Vec::new();
            if entry.is_alive() {
                text.push(b'\n');
            }
            crate::interpreter::builtins::describe_job(self, &entry, None, &mut text);
            self.write_error(&text);
        }
    }

    /// Looks which jobs were stopped, under job control: the last of them is `%+`.
    #[inline]
    pub(crate) fn notice_stopped_jobs(&mut self) {
        if self.opt(Opt::Monitor) {
            self.jobs.notice_stops();
        }
    }
}
