//! When a run is watched over that its host runs on its own thread.

use std::fmt;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

use crate::sync::lock;

/// Begins to watch. `false`: nobody can, as there is no thread for it.
type Begin = Box<dyn Fn() -> bool + Send>;

/// Begins to watch over a run: before the first thing in it that may have to wait, or when a moment is over.
///
/// A host that runs a script on the thread that would else wait for it sees neither its deadline nor a signal meanwhile. Most scripts of
/// hooks end before either could matter, and pay for no other thread then. An [`Interrupt`](crate::Interrupt) has one begin
/// before each call that may block; who runs the script does so before what blocks otherwise, and [polls](Self::poll) it.
pub struct Lookout {
    /// When the moment is over.
    until: Instant,
    state: AtomicU8,
    begin: Mutex<Option<Begin>>,
}

/// Nobody watches yet.
const WAITING: u8 = 0;
/// Somebody watches, or nobody needs to any more.
const BEGUN: u8 = 1;
/// Nobody can.
const FAILED: u8 = 2;

impl Lookout {
    /// `begin` is called once, on the thread that comes to it first.
    pub fn new(moment: Duration, begin: impl Fn() -> bool + Send + 'static) -> Self {
        let now = Instant::now();
        let until = now.checked_add(moment).unwrap_or(now);
        Self { until, state: AtomicU8::new(WAITING), begin: Mutex::new(Some(Box::new(begin))) }
    }

    /// Begins to watch, where nobody does. `false`: nobody can, and the run is to be ended.
    #[inline]
    pub fn begin(&self) -> bool {
        match self.state.load(Ordering::Acquire) {
            BEGUN => true,
            FAILED => false,
            _ => self.begin_once(),
        }
    }

    /// As [`Self::begin`], where the moment is over.
    #[inline]
    pub fn poll(&self) -> bool {
        match self.state.load(Ordering::Acquire) {
            BEGUN => true,
            WAITING if Instant::now() < self.until => true,
            _ => self.begin(),
        }
    }

    /// Could nobody begin to watch?
    pub fn has_failed(&self) -> bool {
        self.state.load(Ordering::Acquire) == FAILED
    }

    /// The run has ended: nobody needs to watch over it any more.
    pub fn close(&self) {
        let _ = self.state.compare_exchange(WAITING, BEGUN, Ordering::AcqRel, Ordering::Acquire);
        *lock(&self.begin) = None;
    }

    #[cold]
    fn begin_once(&self) -> bool {
        let mut begin = lock(&self.begin);
        // Another thread may have come to it first.
        if let Some(begin) = begin.take() {
            let state = if begin() { BEGUN } else { FAILED };
            self.state.store(state, Ordering::Release);
        }
        !self.has_failed()
    }
}

impl fmt::Debug for Lookout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lookout").field("state", &self.state).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicUsize;

    use super::*;
    use crate::Interrupt;

    /// How often it was begun, and a lookout that can or cannot begin.
    fn counted(moment: Duration, succeeds: bool) -> (Arc<AtomicUsize>, Lookout) {
        let count = Arc::new(AtomicUsize::new(0));
        let counted = count.clone();
        let begin = move || {
            counted.fetch_add(1, Ordering::SeqCst);
            succeeds
        };
        (count, Lookout::new(moment, begin))
    }

    const HOUR: Duration = Duration::from_secs(3600);

    #[test]
    fn it_begins_once() {
        let (count, lookout) = counted(HOUR, true);
        assert!(lookout.begin() && lookout.begin() && lookout.poll() && !lookout.has_failed());
        assert_eq!(count.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn one_that_cannot_begin_says_so_from_then_on() {
        let (count, lookout) = counted(Duration::ZERO, false);
        assert!(!lookout.poll() && !lookout.begin() && !lookout.poll() && lookout.has_failed());
        lookout.close();
        assert!(lookout.has_failed());
        assert_eq!(count.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn a_poll_begins_it_when_the_moment_is_over() {
        let (count, lookout) = counted(HOUR, true);
        assert!(lookout.poll());
        assert_eq!(count.load(Ordering::SeqCst), 0);
        let (count, lookout) = counted(Duration::ZERO, true);
        assert!(lookout.poll() && lookout.poll());
        assert_eq!(count.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn a_closed_one_is_not_begun() {
        let (count, lookout) = counted(Duration::ZERO, true);
        lookout.close();
        assert!(lookout.poll() && lookout.begin());
        assert_eq!(count.load(Ordering::SeqCst), 0);
    }

    #[test]
    fn a_call_that_may_block_begins_it() {
        let (count, lookout) = counted(HOUR, true);
        let interrupt = Interrupt::watched(Some(Arc::new(lookout)));
        let child = interrupt.child();
        assert_eq!(count.load(Ordering::SeqCst), 0);
        assert!(child.sleep(Duration::from_millis(1)));
        assert_eq!(interrupt.blocking(|| 7), Some(7));
        assert_eq!(count.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn no_call_blocks_that_nobody_could_watch() {
        let (_, lookout) = counted(HOUR, false);
        let interrupt = Interrupt::watched(Some(Arc::new(lookout)));
        assert!(!interrupt.sleep(HOUR));
        assert!(interrupt.is_raised());
    }
}
