//! What a run uses up, counted against its [`Limits`].

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use hookshell_process::Admission;
use hookshell_process::sync::lock;
use hookshell_utility::{Budget, RunToken};

use crate::limits::{Limit, Limits};

/// How long somebody who wants one more thread or process waits for another to end: a million `:&` in a row are as many
/// as there are processors at a time, a script that really needs too many fails soon.
const MAX_WAIT: Duration = Duration::from_secs(1);

/// How often those who wait look whether the run was stopped.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// What all execution environments of a run use together, those of scripts that it runs in process included.
#[derive(Debug)]
pub(crate) struct Usage {
    pub(crate) limits: Limits,
    cancel: RunToken,
    /// Memory and open files.
    pub(crate) budget: Arc<Budget>,
    threads: Mutex<usize>,
    thread_ended: Condvar,
}

impl Usage {
    pub(crate) fn new(limits: Limits, cancel: RunToken) -> Self {
        Self {
            limits,
            budget: Arc::new(Budget::new(limits.state_bytes, limits.open_files, cancel.clone())),
            cancel,
            threads: Mutex::new(0),
            thread_ended: Condvar::new(),
        }
    }

    /// Counts one more live thread; `false` where there are too many and none ends. `stopped`: nobody waits any more.
    pub(crate) fn begin_thread(&self, stopped: &dyn Fn() -> bool) -> bool {
        let mut threads = lock(&self.threads);
        let mut until = None;
        while *threads >= self.limits.threads {
            let until = *until.get_or_insert_with(|| Instant::now() + MAX_WAIT);
            if stopped() || self.limits.threads == 0 || Instant::now() >= until {
                return false;
            }
            threads = self.thread_ended.wait_timeout(threads, POLL_INTERVAL).unwrap_or_else(PoisonError::into_inner).0;
        }
        *threads += 1;
        true
    }

    pub(crate) fn end_thread(&self) {
        let mut threads = lock(&self.threads);
        *threads = threads.saturating_sub(1);
        drop(threads);
        self.thread_ended.notify_one();
    }

    /// Keeps a place for one more program until it has been started. Waits a moment for one to end where there are too many;
    /// `None`: none has.
    pub(crate) fn admit_program(&self, stopped: &dyn Fn() -> bool) -> Option<Admission> {
        let mut until = None;
        loop {
            if let Some(admission) = self.cancel.tree().admit(self.limits.processes) {
                return Some(admission);
            }
            let until = *until.get_or_insert_with(|| Instant::now() + MAX_WAIT);
            if stopped() || self.limits.processes == 0 || Instant::now() >= until {
                return None;
            }
            std::thread::sleep(POLL_INTERVAL);
        }
    }

    /// What is said when a limit is reached; or, where that is so, that there is no more memory.
    pub(crate) fn message(&self, limit: Limit, what: impl std::fmt::Display) -> String {
        match limit {
            Limit::StateBytes => self.budget.state_message(what),
            _ => self.limits.message(limit, what),
        }
    }
}

/// What one execution environment's own state is counted as: an estimate that only grows, until it is measured because
/// the run seems to have too much.
#[derive(Debug)]
pub(crate) struct Account {
    budget: Arc<Budget>,
    /// What is counted in `budget`.
    charged: usize,
    /// What is not yet.
    pending: usize,
    /// So much may be pending.
    step: usize,
    /// What was counted since the last measurement: at most so much the estimate is too high.
    unsure: usize,
}

impl Account {
    pub(crate) fn new(budget: Arc<Budget>) -> Self {
        /// Small changes are counted together.
        const LARGEST_STEP: usize = 4 << 20;
        let step = (budget.most_bytes() / 64).min(LARGEST_STEP);
        Self { budget, charged: 0, pending: 0, step, unsure: 0 }
    }

    /// That of a copy of the environment.
    pub(crate) fn copy(&self) -> Self {
        let pending = self.charged + self.pending;
        let mut copy = Self { budget: self.budget.clone(), charged: 0, pending, step: self.step, unsure: self.unsure };
        copy.settle();
        copy
    }

    /// The state has grown by so many bytes; is it time to look whether that is too much?
    #[inline]
    pub(crate) fn grow(&mut self, bytes: usize) -> bool {
        self.pending += bytes;
        self.pending > self.step
    }

    /// Counts what is pending; `false` where the run may have too much state then, and it is to be measured.
    pub(crate) fn settle(&mut self) -> bool {
        self.budget.charge(self.pending);
        self.unsure += self.pending;
        self.charged += std::mem::take(&mut self.pending);
        self.unsure <= self.budget.most_bytes() / 8 && !self.budget.has_too_much_state()
    }

    /// Counts what was measured; `false` where the run has too much state.
    pub(crate) fn correct(&mut self, bytes: usize) -> bool {
        self.unsure = 0;
        self.budget.charge(bytes);
        self.budget.release(std::mem::replace(&mut self.charged, bytes));
        !self.budget.has_too_much_state()
    }
}

impl Drop for Account {
    fn drop(&mut self) {
        self.budget.release(self.charged);
    }
}
