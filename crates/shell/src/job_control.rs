//! Job control (XCU 2.11): `set -m`. Jobs lead process groups of their own, can be stopped, and go on in the foreground or the
//! background. There is no terminal to be given to them: a program in the foreground stays in the shell's group where that has
//! one. Windows has no groups, and nothing is stopped there; jobs are waited for and listed all the same.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use hookshell_process::{Child, signals};
use hookshell_text::quote;
use hookshell_utility::Args;

use crate::flow::{Flow, NEXT};
use crate::jobs::{Job, JobEntry};
use crate::options::Opt;
use crate::shell::Shell;

/// How often it is looked whether what runs in the foreground was stopped.
const POLL_INTERVAL: Duration = Duration::from_millis(2);

#[cfg(unix)]
const SIGHUP: i32 = 1;
#[cfg(unix)]
const SIGTERM: i32 = 15;

impl Shell {
    /// Is job control on? A subshell has none.
    #[inline]
    pub(crate) fn has_job_control(&self) -> bool {
        self.opt(Opt::Monitor) && self.context.subshell.depth == 0
    }

    /// Do programs in the foreground lead groups of their own? Not where there is a terminal, which they could not read then.
    #[inline]
    pub(crate) fn leads_groups(&self) -> bool {
        self.has_job_control() && !(0..=2).any(|fd| self.env.fds.get(fd).is_some_and(|stream| stream.is_terminal()))
    }

    /// Waits for a program in the foreground. One that is stopped becomes a job.
    #[cold]
    pub(crate) fn wait_for_foreground(&mut self, child: &Arc<Child>, args: &Args) -> Flow {
        let job = Job::process(child.clone());
        if !self.wait_unless_stopped(&job)? {
            let mut command = Vec::new();
            for word in args.iter() {
                if !command.is_empty() {
                    command.push(b' ');
                }
                let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-./=,:+@%".contains(byte);
                match !word.is_empty() && word.iter().all(is_plain) {
                    true => command.extend_from_slice(word),
                    false => quote::single(word, &mut command),
                }
            }
            self.add_job(job, command);
        }
        NEXT
    }

    /// Waits for a job in the foreground; false if it was stopped, which is then `$?`.
    pub(crate) fn wait_unless_stopped(&mut self, job: &Job) -> Flow<bool> {
        while job.try_status().is_none() && !self.is_stopping() {
            if let Some(signal) = job.stopped_by() {
                self.env.status = 128u8.saturating_add(u8::try_from(signal).unwrap_or(0));
                return ControlFlow::Continue(false);
            }
            let _ = self.context.interrupt.sleep(POLL_INTERVAL);
        }
        self.jobs.set_told(|entry| entry.job.id() == job.id());
        self.wait_for_job(job)?;
        ControlFlow::Continue(true)
    }

    /// Lets a job go on that was stopped.
    pub(crate) fn continue_job(&mut self, entry: &JobEntry) {
        #[cfg(unix)]
        {
            const SIGCONT: i32 = if cfg!(target_os = "linux") { 18 } else { 19 };
            // One that has ended meanwhile needs nothing.
            let _ = match entry.group() {
                Some(group) => signals::send_to_group(group, SIGCONT),
                None => self.host.cancel.tree().signal(entry.job.id(), SIGCONT),
            };
        }
        self.jobs.went_on(entry.number);
    }

    /// Sends a signal to the process group of a job; `None`: it has none.
    pub(crate) fn signal_group_of(&mut self, entry: &JobEntry, signal: i32) -> Option<std::io::Result<()>> {
        let group = entry.group().filter(|_| cfg!(unix))?;
        let sent = signals::send_to_group(group, signal);
        // What is stopped hears of its end only when it goes on.
        #[cfg(unix)]
        if matches!(signal, SIGTERM | SIGHUP) && entry.job.stopped_by().is_some() {
            self.continue_job(entry);
        }
        Some(sent)
    }
}
