//! When a run is watched over that its host runs on its own thread.

use std::fmt;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
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
    has_begun: AtomicBool,
    begin: Mutex<Option<Begin>>,
}

impl Lookout {
    /// `begin` is called once, on the thread that comes to it first, and again where it gave `false`.
    pub fn new(moment: Duration, begin: impl Fn() -> bool + Send + 'static) -> Self {
        let now = Instant::now();
        let until = now.checked_add(moment).unwrap_or(now);
        Self { until, has_begun: AtomicBool::new(false), begin: Mutex::new(Some(Box::new(begin))) }
    }

    /// Begins to watch, where nobody does. `false`: nobody can, and what may block for ever is not to be begun.
    #[inline]
    pub fn begin(&self) -> bool {
        self.has_begun.load(Ordering::Acquire) || self.try_begin()
    }

    /// Begins to watch where the moment is over.
    #[inline]
    pub fn poll(&self) {
        if !self.has_begun.load(Ordering::Acquire) && Instant::now() >= self.until {
            self.try_begin();
        }
    }

    /// The run has ended: nobody needs to watch over it any more.
    pub fn close(&self) {
        self.has_begun.store(true, Ordering::Release);
        *lock(&self.begin) = None;
    }

    #[cold]
    fn try_begin(&self) -> bool {
        let mut begin = lock(&self.begin);
        // `None`: another thread has come to it first.
        let is_watched = begin.as_ref().is_none_or(|begin| begin());
        if is_watched {
            *begin = None;
            self.has_begun.store(true, Ordering::Release);
        }
        is_watched
    }
}

impl fmt::Debug for Lookout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lookout").field("has_begun", &self.has_begun).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicUsize;

    use super::*;
    use crate::Interrupt;

    /// How often it was begun, and a lookout that succeeds from the given time on.
    fn counted(moment: Duration, succeeds_from: usize) -> (Arc<AtomicUsize>, Lookout) {
        let count = Arc::new(AtomicUsize::new(0));
        let counted = count.clone();
        (count, Lookout::new(moment, move || counted.fetch_add(1, Ordering::SeqCst) + 1 >= succeeds_from))
    }

    const HOUR: Duration = Duration::from_secs(3600);

    #[test]
    fn it_begins_once_and_until_it_has_succeeded() {
        let (count, lookout) = counted(HOUR, 3);
        assert!(!lookout.begin() && !lookout.begin());
        assert!(lookout.begin() && lookout.begin());
        assert_eq!(count.load(Ordering::SeqCst), 3);
    }

    #[test]
    fn a_poll_begins_it_when_the_moment_is_over() {
        let (count, lookout) = counted(HOUR, 1);
        lookout.poll();
        assert_eq!(count.load(Ordering::SeqCst), 0);
        let (count, lookout) = counted(Duration::ZERO, 1);
        lookout.poll();
        lookout.poll();
        assert_eq!(count.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn a_closed_one_is_not_begun() {
        let (count, lookout) = counted(Duration::ZERO, 1);
        lookout.close();
        lookout.poll();
        assert!(lookout.begin());
        assert_eq!(count.load(Ordering::SeqCst), 0);
    }

    #[test]
    fn a_call_that_may_block_begins_it() {
        let (count, lookout) = counted(HOUR, 1);
        let interrupt = Interrupt::watched(Some(Arc::new(lookout)));
        let child = interrupt.child();
        assert_eq!(count.load(Ordering::SeqCst), 0);
        assert!(child.sleep(Duration::from_millis(1)));
        assert_eq!(interrupt.blocking(|| 7), Some(7));
        assert_eq!(count.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn no_call_blocks_that_nobody_could_watch() {
        let (_, lookout) = counted(HOUR, usize::MAX);
        let interrupt = Interrupt::watched(Some(Arc::new(lookout)));
        assert!(!interrupt.sleep(HOUR));
        assert!(interrupt.is_raised());
    }
}
