//! The events whose hooks are run now, by their session: who ends a session ends them.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hookshell_process::sync::lock;

/// How long hooks are waited for whose session has ended: what they are waited for themselves, and a moment for the answer.
const END_BOUND: Duration = Duration::from_secs(5);

/// So many ends are remembered for requests that came before them and have not entered yet: an instant later they have.
const MAX_ENDS: usize = 256;

/// Those that are run now.
#[derive(Default)]
pub(super) struct OpenRuns {
    state: Mutex<State>,
    /// One has gone whose session was ended.
    gone: Condvar,
}

#[derive(Default)]
struct State {
    /// By the numbers of their requests.
    runs: BTreeMap<u64, Arc<OpenRun>>,
    /// The sessions that were ended last, each with the number of the request that ended it.
    ends: VecDeque<(String, u64)>,
}

/// An event whose hooks are run.
pub(super) struct OpenRun {
    session: String,
    /// Wakes who waits for the hooks.
    wake: Box<dyn Fn() + Send + Sync>,
    is_ended: AtomicBool,
}

impl OpenRuns {
    /// Hooks of the session are about to be run, for the request of this number, until it [leaves](Self::leave). `wake` wakes who waits for
    /// them.
    pub(super) fn enter(&self, session: &str, number: u64, wake: impl Fn() + Send + Sync + 'static) -> Arc<OpenRun> {
        let mut state = lock(&self.state);
        // Another thread may have done a later request first.
        let is_ended = state.ends.iter().any(|(ended, by)| ended == session && *by > number);
        let (session, wake) = (session.to_owned(), Box::new(wake));
        let run = Arc::new(OpenRun { session, wake, is_ended: AtomicBool::new(is_ended) });
        state.runs.insert(number, Arc::clone(&run));
        run
    }

    /// The request of this number is answered.
    pub(super) fn leave(&self, number: u64) {
        let left = lock(&self.state).runs.remove(&number);
        if left.is_some_and(|run| run.is_ended()) {
            self.gone.notify_all();
        }
    }

    /// Tells those of the session that it has ended whose requests came before the one of this number, and gives what waits
    /// for them.
    pub(super) fn end_before(&self, session: &str, number: u64) -> Ending<'_> {
        let mut state = lock(&self.state);
        if state.ends.len() == MAX_ENDS {
            state.ends.pop_front();
        }
        state.ends.push_back((session.to_owned(), number));
        self.tell(state, session, number)
    }

    /// As [`Self::end_before`], for all that are run now.
    pub(super) fn end_all(&self, session: &str) -> Ending<'_> {
        self.tell(lock(&self.state), session, u64::MAX)
    }

    fn tell(&self, state: MutexGuard<'_, State>, session: &str, before: u64) -> Ending<'_> {
        let of_session = state.runs.range(..before).filter(|(_, run)| run.session == session);
        let told: Vec<_> = of_session.map(|(number, run)| (*number, Arc::clone(run))).collect();
        // Who is woken may leave at once.
        drop(state);
        for (_, run) in &told {
            run.is_ended.store(true, Ordering::Release);
            (run.wake)();
        }
        Ending { of: self, numbers: told.into_iter().map(|(number, _)| number).collect() }
    }
}

impl OpenRun {
    /// Has its session been ended?
    pub(super) fn is_ended(&self) -> bool {
        self.is_ended.load(Ordering::Acquire)
    }
}

/// Those that were told, by the numbers of their requests.
#[must_use]
pub(super) struct Ending<'a> {
    of: &'a OpenRuns,
    numbers: Vec<u64>,
}

impl Ending<'_> {
    /// Waits until they are answered, or a bound has passed. Says whether there were any.
    pub(super) fn wait(self) -> bool {
        let until = Instant::now() + END_BOUND;
        let mut state = lock(&self.of.state);
        while self.numbers.iter().any(|number| state.runs.contains_key(number)) {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            state = self.of.gone.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        !self.numbers.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_tells_those_that_came_before_it_and_nobody_else() {
        let runs = OpenRuns::default();
        let before = runs.enter("a", 1, || ());
        let of_another = runs.enter("b", 2, || ());
        let after = runs.enter("a", 5, || ());
        let ending = runs.end_before("a", 4);
        assert_eq!([&before, &of_another, &after].map(|run| run.is_ended()), [true, false, false]);
        // It was sent before the end, and begins after it.
        assert!(runs.enter("a", 3, || ()).is_ended());
        assert!(!runs.enter("b", 3, || ()).is_ended());
        runs.leave(1);
        assert!(ending.wait());
        assert!(!runs.end_before("never", 6).wait());
    }

    #[test]
    fn the_end_that_hooks_are_run_for_tells_all_that_run_now() {
        let runs = OpenRuns::default();
        let now = runs.enter("a", 9, || ());
        let ending = runs.end_all("a");
        assert!(now.is_ended() && !runs.enter("a", 10, || ()).is_ended());
        runs.leave(9);
        assert!(ending.wait());
    }

    #[test]
    fn ends_are_forgotten_one_day() {
        let runs = OpenRuns::default();
        for number in 0..2 * MAX_ENDS as u64 {
            assert!(!runs.end_before("a", number).wait());
        }
        assert_eq!(lock(&runs.state).ends.len(), MAX_ENDS);
    }
}
