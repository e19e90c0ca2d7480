//! The wake object of a run.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use crate::lookout::Lookout;
use crate::start_thread;
use crate::sync::lock;
use crate::wake::{BlockedThreads, Waker};

/// The wake object of a run: raised once, it wakes every blocking call that was made through it, and lets none begin.
///
/// A clone is the same object. [`child`](Self::child) gives one that is raised with its parent, or alone.
///
/// How each call is woken: [`read`](Self::read) and [`write_all`](Self::write_all) poll the file together with a wake pipe (Unix)
/// or are cancelled by `CancelSynchronousIo` (Windows), and never set `O_NONBLOCK`, which others would see;
/// [`sleep`](Self::sleep) and [`wait_until`](Self::wait_until) wait on a condition variable; [`blocking`](Self::blocking) leaves
/// its thread behind.
#[derive(Debug, Clone)]
pub struct Interrupt {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    raised: AtomicBool,
    /// Guards no data: whoever changes what `changed` announces holds it, so that no announcement is lost.
    gate: Mutex<()>,
    changed: Condvar,
    /// Made when the first call needs it: most runs never block.
    waker: Waker,
    /// Threads inside a blocking system call (Windows; empty and free elsewhere).
    blocked: BlockedThreads,
    parent: Option<Arc<Inner>>,
    children: Mutex<Vec<Weak<Inner>>>,
    /// Shared by an interrupt and all its descendants: one for the run.
    of_run: OfRun,
}

/// What all interrupts of a run share.
#[derive(Debug, Clone, Default)]
struct OfRun {
    /// How many threads are left behind.
    abandoned: Arc<AtomicUsize>,
    /// Is there before a call may block.
    lookout: Option<Arc<Lookout>>,
}

/// The payload of the [`io::Error`] (of kind [`io::ErrorKind::Interrupted`]) that an interrupted call returns. Not `EINTR`,
/// which the calls retry themselves: do not retry on this one. See [`is_interrupted`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("interrupted: the run was cancelled")]
pub struct Interrupted;

/// Whether an error says that an [`Interrupt`] was raised.
#[must_use]
pub fn is_interrupted(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|payload| payload.is::<Interrupted>())
}

pub(crate) fn interrupted() -> io::Error {
    io::Error::new(io::ErrorKind::Interrupted, Interrupted)
}

impl Interrupt {
    /// A new one, not raised.
    #[must_use]
    pub fn new() -> Self {
        Self::watched(None)
    }

    /// One that has the lookout begin before a call blocks. A call that nobody would watch raises it.
    #[must_use]
    pub fn watched(lookout: Option<Arc<Lookout>>) -> Self {
        Self { inner: Arc::new(Inner::new(None, false, OfRun { lookout, ..OfRun::default() })) }
    }

    /// Who watches over the run, where that begins late.
    #[must_use]
    pub fn lookout(&self) -> Option<&Arc<Lookout>> {
        self.inner.of_run.lookout.as_ref()
    }

    /// A call may block now.
    fn before_blocking(&self) {
        if let Some(lookout) = self.lookout()
            && !lookout.begin()
        {
            self.raise();
        }
    }

    /// One that is raised whenever this one is (at once if it is already), and can be raised alone: for a part of the run
    /// that may be stopped by itself.
    #[must_use]
    pub fn child(&self) -> Self {
        let parent = &self.inner;
        // `raise` sets the flag before it takes this lock: either the flag is seen here, or the child is seen there.
        let mut children = lock(&parent.children);
        let inner = Arc::new(Inner::new(Some(Arc::clone(parent)), parent.is_raised(), parent.of_run.clone()));
        children.push(Arc::downgrade(&inner));
        drop(children);
        Self { inner }
    }

    /// Raises it, for good. Wakes all calls made through it and through its children.
    ///
    /// All of them are raised before any is woken: who waits for another, or reads what it writes, would else see its end and continue
    /// as if nothing were.
    pub fn raise(&self) {
        let mut pending = vec![Arc::clone(&self.inner)];
        let mut raised = Vec::new();
        while let Some(inner) = pending.pop() {
            if inner.raised.swap(true, Ordering::SeqCst) {
                continue;
            }
            // Upgraded outside of the lock: the last reference to a child takes it when it is dropped.
            let children = lock(&inner.children).clone();
            pending.extend(children.iter().filter_map(Weak::upgrade));
            raised.push(inner);
        }
        for inner in raised {
            drop(lock(&inner.gate));
            inner.changed.notify_all();
            inner.waker.wake();
            inner.blocked.cancel();
        }
    }

    /// Whether it has been raised: one atomic load.
    #[must_use]
    pub fn is_raised(&self) -> bool {
        self.inner.is_raised()
    }

    /// Sleeps. `false`: the interrupt was raised before the time was over.
    #[must_use]
    pub fn sleep(&self, duration: Duration) -> bool {
        // An end that the clock cannot express never comes.
        self.wait_until(Instant::now().checked_add(duration))
    }

    /// Sleeps until then; `None`: until raised. `false`: the interrupt was raised first.
    #[must_use]
    pub fn wait_until(&self, deadline: Option<Instant>) -> bool {
        self.before_blocking();
        let inner = &*self.inner;
        let mut gate = lock(&inner.gate);
        loop {
            if inner.is_raised() {
                return false;
            }
            gate = match deadline {
                None => inner.changed.wait(gate).unwrap_or_else(PoisonError::into_inner),
                Some(deadline) => {
                    let Some(left) = deadline.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())
                    else {
                        return true;
                    };
                    inner.changed.wait_timeout(gate, left).unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }

    /// Runs `work`, which may block and cannot be woken (the `open` of a FIFO), on a thread of its own. `None`: the interrupt was
    /// raised first; the thread is left behind, counted by [`abandoned`](Self::abandoned) until it ends, and what it returns is
    /// dropped.
    ///
    /// A panic of `work` is passed on. Where no thread can be started, one is waited for: `work` on this one could not be left.
    pub fn blocking<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
        let mut work = work;
        loop {
            match self.try_blocking(work) {
                Ok(result) => return result,
                Err(again) => work = again,
            }
            if !self.sleep(POLL_INTERVAL) {
                return None;
            }
        }
    }

    /// As [`Self::blocking`]; gives `work` back where no thread can be started.
    pub(crate) fn try_blocking<T: Send + 'static, W: FnOnce() -> T + Send + 'static>(
        &self,
        work: W,
    ) -> Result<Option<T>, W> {
        self.before_blocking();
        if self.is_raised() {
            return Ok(None);
        }
        let slot = Arc::new(Mutex::new(Slot::Running));
        let work = Arc::new(Mutex::new(Some(work)));
        let started = {
            let (slot, work, inner) = (Arc::clone(&slot), Arc::clone(&work), Arc::clone(&self.inner));
            start_thread("hookshell-blocking", BLOCKING_STACK, move || {
                let Some(work) = lock(&work).take() else {
                    return;
                };
                let result = catch_unwind(AssertUnwindSafe(work));
                let mut state = lock(&slot);
                if matches!(*state, Slot::Abandoned) {
                    drop(state);
                    drop(result);
                    inner.of_run.abandoned.fetch_sub(1, Ordering::Relaxed);
                    return;
                }
                *state = Slot::Done(result);
                drop(state);
                drop(lock(&inner.gate));
                inner.changed.notify_all();
            })
        };
        if started.is_err() {
            let work = lock(&work).take();
            return work.map_or(Ok(None), Err);
        }
        let mut gate = lock(&self.inner.gate);
        loop {
            let mut state = lock(&slot);
            match std::mem::replace(&mut *state, Slot::Running) {
                Slot::Done(Ok(value)) => return Ok(Some(value)),
                Slot::Done(Err(panic)) => {
                    drop(state);
                    drop(gate);
                    resume_unwind(panic);
                }
                Slot::Running | Slot::Abandoned => {}
            }
            if self.is_raised() {
                *state = Slot::Abandoned;
                self.inner.of_run.abandoned.fetch_add(1, Ordering::Relaxed);
                return Ok(None);
            }
            drop(state);
            gate = self.inner.changed.wait(gate).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// How many threads of this run are left behind in something that cannot be woken, at the moment.
    #[must_use]
    pub fn abandoned(&self) -> usize {
        self.inner.of_run.abandoned.load(Ordering::Relaxed)
    }

    /// The system object that becomes ready when this is raised, for the platform's own waits.
    pub(crate) fn waker(&self) -> &Waker {
        self.before_blocking();
        &self.inner.waker
    }

    /// The threads that raising has to get out of system calls.
    #[cfg(windows)]
    pub(crate) fn blocked(&self) -> &BlockedThreads {
        &self.inner.blocked
    }
}

/// How often it is looked whether a thread can be started now.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Enough for an `open`, a `wait` or a name look-up.
const BLOCKING_STACK: usize = 256 * 1024;

/// The work of [`Interrupt::blocking`], and how it ended.
enum Slot<T> {
    Running,
    Done(thread::Result<T>),
    Abandoned,
}

impl Default for Interrupt {
    fn default() -> Self {
        Self::new()
    }
}

impl Inner {
    fn new(parent: Option<Arc<Inner>>, raised: bool, of_run: OfRun) -> Self {
        Self {
            raised: AtomicBool::new(raised),
            gate: Mutex::new(()),
            changed: Condvar::new(),
            waker: Waker::new(),
            blocked: BlockedThreads::new(),
            parent,
            children: Mutex::new(Vec::new()),
            of_run,
        }
    }

    fn is_raised(&self) -> bool {
        self.raised.load(Ordering::SeqCst)
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        // A loop of pipelines makes a child per turn: the parent must not remember them all.
        if let Some(parent) = &self.parent {
            let this: *const Self = self;
            lock(&parent.children).retain(|child| child.as_ptr() != this);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_is_raised_with_its_parent_and_not_the_other_way() {
        let parent = Interrupt::new();
        let (first, second) = (parent.child(), parent.child());
        let grandchild = first.child();
        first.raise();
        assert!(first.is_raised() && grandchild.is_raised());
        assert!(!parent.is_raised() && !second.is_raised());
        parent.raise();
        assert!(second.is_raised());
        assert!(parent.child().is_raised());
    }

    #[test]
    fn all_are_raised_before_any_is_woken() {
        for index in 0..2 {
            let parent = Interrupt::new();
            let children = [parent.child(), parent.child()];
            let gate = lock(&children[index].inner.gate);
            let raiser = parent.clone();
            let thread = thread::spawn(move || raiser.raise());
            let end = Instant::now() + Duration::from_secs(20);
            while !children.iter().all(Interrupt::is_raised) {
                assert!(Instant::now() < end, "the other one waits until this one is woken");
                thread::sleep(Duration::from_millis(1));
            }
            drop(gate);
            thread.join().unwrap();
        }
    }

    #[test]
    fn a_dropped_child_is_forgotten() {
        let parent = Interrupt::new();
        for _ in 0..1000 {
            let child = parent.child();
            drop(child.child());
        }
        assert_eq!(lock(&parent.inner.children).len(), 0);
    }

    #[test]
    fn sleep_ends_in_time() {
        let interrupt = Interrupt::new();
        let start = Instant::now();
        assert!(interrupt.sleep(Duration::from_millis(30)));
        assert!(start.elapsed() >= Duration::from_millis(30));
        interrupt.raise();
        assert!(!interrupt.sleep(Duration::from_secs(60)));
        assert!(!interrupt.wait_until(None));
    }

    #[test]
    fn blocking_returns_the_value_or_leaves_the_thread() {
        let interrupt = Interrupt::new();
        assert_eq!(interrupt.blocking(|| 7), Some(7));
        let (release, held) = std::sync::mpsc::channel::<()>();
        let raiser = interrupt.clone();
        let thread = thread::spawn(move || {
            thread::sleep(Duration::from_millis(30));
            raiser.raise();
        });
        assert_eq!(interrupt.blocking(move || held.recv().is_ok()), None);
        assert_eq!(interrupt.abandoned(), 1);
        assert_eq!(interrupt.child().abandoned(), 1);
        drop(release);
        let end = Instant::now() + Duration::from_secs(5);
        while interrupt.abandoned() != 0 {
            assert!(Instant::now() < end, "the abandoned thread is never uncounted");
            thread::sleep(Duration::from_millis(1));
        }
        thread.join().unwrap();
        assert_eq!(interrupt.blocking(|| 7), None);
    }

    #[test]
    fn a_panic_in_blocking_work_is_passed_on() {
        let interrupt = Interrupt::new();
        let result = catch_unwind(AssertUnwindSafe(|| interrupt.blocking(|| panic!("on purpose"))));
        assert!(result.is_err());
    }
}
