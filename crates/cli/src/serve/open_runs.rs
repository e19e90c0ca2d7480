//! The events whose hooks are run now, by their session: who ends a session ends them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use hookshell_process::sync::lock;

/// How long hooks are waited for whose session has ended: what they are waited for themselves, and a moment for the answer.
const END_BOUND: Duration = Duration::from_secs(5);

/// Those that are run now.
#[derive(Default)]
pub(super) struct OpenRuns {
    runs: Mutex<Vec<Arc<OpenRun>>>,
    /// One has gone whose session was ended.
    gone: Condvar,
}

/// An event whose hooks are run.
struct OpenRun {
    session: String,
    /// The thread that waits for the hooks.
    thread: Thread,
    is_ended: AtomicBool,
}

/// One of them, as long as it lives.
pub(super) struct Entered<'a> {
    of: &'a OpenRuns,
    run: Arc<OpenRun>,
}

impl OpenRuns {
    /// This thread is about to run hooks of the session.
    pub(super) fn enter(&self, session: &str) -> Entered<'_> {
        let run = OpenRun { session: session.to_owned(), thread: thread::current(), is_ended: AtomicBool::new(false) };
        let run = Arc::new(run);
        lock(&self.runs).push(Arc::clone(&run));
        Entered { of: self, run }
    }

    /// Tells those of the session that it has ended, and gives what waits for them.
    pub(super) fn end(&self, session: &str) -> Ending<'_> {
        let of_session = |run: &&Arc<OpenRun>| run.session == session;
        let runs: Vec<_> = lock(&self.runs).iter().filter(of_session).cloned().collect();
        for run in &runs {
            run.is_ended.store(true, Ordering::Release);
            run.thread.unpark();
        }
        Ending { of: self, runs }
    }
}

impl Entered<'_> {
    /// Has its session been ended?
    pub(super) fn is_ended(&self) -> bool {
        self.run.is_ended.load(Ordering::Acquire)
    }
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        lock(&self.of.runs).retain(|run| !Arc::ptr_eq(run, &self.run));
        if self.is_ended() {
            self.of.gone.notify_all();
        }
    }
}

/// Those that were told.
#[must_use]
pub(super) struct Ending<'a> {
    of: &'a OpenRuns,
    runs: Vec<Arc<OpenRun>>,
}

impl Ending<'_> {
    /// Waits until they are gone, or a bound has passed. Says whether there were any.
    pub(super) fn wait(self) -> bool {
        let until = Instant::now() + END_BOUND;
        let mut open = lock(&self.of.runs);
        while self.runs.iter().any(|run| open.iter().any(|other| Arc::ptr_eq(run, other))) {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            open = self.of.gone.wait_timeout(open, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        !self.runs.is_empty()
    }
}
