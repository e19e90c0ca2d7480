//! A job that the thread which has begun it runs itself.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::{Job, Pool};
use crate::stack;

/// What this thread does with the next job for which [`Pool::run_when_free`] looks for a thread.
enum NextJob {
    /// It is handed to another thread.
    HandedOn,
    /// This thread keeps it.
    Wanted,
    /// It has.
    Job(KeptJob),
}

thread_local! {
    static NEXT_JOB: RefCell<NextJob> = const { RefCell::new(NextJob::HandedOn) };
}

/// A job that was begun, and that the thread which has begun it runs itself when it has nothing else to do: so no other thread is woken
/// for it, which takes as long as a short job does. Where it is dropped another thread runs it, or this one where none can be
/// had.
#[must_use = "else another thread runs it"]
pub struct KeptJob {
    pool: Pool,
    job: Option<Job>,
}

impl KeptJob {
    /// Calls `begin` and keeps the first job that it gives to [`Pool::run_when_free`], of whichever pool. `None`: there was none, or this thread
    /// is no pool's, and has not the stack for shell code.
    ///
    /// Whoever waits for the job while `begin` runs waits for ever.
    pub fn of<T>(begin: impl FnOnce() -> T) -> (T, Option<Self>) {
        /// Whatever comes of it, later jobs are not kept.
        struct Until;
        impl Drop for Until {
            fn drop(&mut self) {
                drop(NEXT_JOB.replace(NextJob::HandedOn));
            }
        }
        if !stack::is_for_shell_code() {
            return (begin(), None);
        }
        let _until = Until;
        NEXT_JOB.set(NextJob::Wanted);
        let begun = begin();
        match NEXT_JOB.replace(NextJob::HandedOn) {
            NextJob::Job(job) => (begun, Some(job)),
            NextJob::HandedOn | NextJob::Wanted => (begun, None),
        }
    }

    /// Keeps a job where this thread is to ([`Self::of`]).
    ///
    /// # Errors
    /// It is not: it has the job back.
    pub(super) fn keep(pool: &Pool, job: Job) -> Result<(), Job> {
        match NEXT_JOB.replace(NextJob::HandedOn) {
            NextJob::Wanted => {
                NEXT_JOB.set(NextJob::Job(Self { pool: pool.clone(), job: Some(job) }));
                Ok(())
            }
            kept => {
                NEXT_JOB.set(kept);
                Err(job)
            }
        }
    }

    /// Runs it. A panic in it ends the job and not the thread.
    pub fn run(mut self) {
        if let Some(job) = self.job.take() {
            // As on a thread of the pool.
            let _ = catch_unwind(AssertUnwindSafe(job));
        }
    }
}

impl std::fmt::Debug for KeptJob {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KeptJob").finish_non_exhaustive()
    }
}

impl Drop for KeptJob {
    fn drop(&mut self) {
        let Some(job) = self.job.take() else { return };
        if let Err((Some(job), _)) = self.pool.try_run(job)
            && !std::thread::panicking()
        {
            // No thread can be had.
            let _ = catch_unwind(AssertUnwindSafe(job));
        }
    }
}
