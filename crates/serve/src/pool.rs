//! The threads that do requests.
//!
//! A few threads do all work that is quick: more would only get into each other's way. Where they all wait for something, and
//! work waits for them, more are started, so that a slow request holds nobody up.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use hookshell_process::sync::lock;

/// The most threads: beyond them requests wait for each other.
const MAX_THREADS: usize = 512;

/// How long work waits for threads that are all busy, until there are more.
const STALL: Duration = Duration::from_millis(2);

/// How long a thread waits for work that is not one of the first ones.
const IDLE: Duration = Duration::from_secs(5);

/// The stack of a thread: configs are read on it, which nest.
const STACK: usize = 4 * 1024 * 1024;

type Job = Box<dyn FnOnce() + Send>;

/// Starts a thread that does this.
pub(crate) type StartThread = Box<dyn Fn(Job) -> io::Result<()> + Send + Sync>;

/// A thread for requests that need nothing special.
pub(crate) fn start_thread(work: Job) -> io::Result<()> {
    thread::Builder::new().name("hookshell-request".to_owned()).stack_size(STACK).spawn(work).map(drop)
}

/// Threads, and what waits for them.
pub(crate) struct Workers {
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<State>,
    /// There is work.
    work: Condvar,
    /// There is work and nobody for it.
    stalled: Condvar,
    first: usize,
    max_jobs: usize,
    max_bytes: usize,
    start_thread: StartThread,
    /// No thread can be started.
    #[cfg(test)]
    is_refused: std::sync::atomic::AtomicBool,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<(Job, usize)>,
    bytes: usize,
    threads: usize,
    idle: usize,
    /// How many jobs were taken in all.
    taken: u64,
    has_watcher: bool,
    is_closed: bool,
}

/// Why a job was not taken.
#[derive(Debug)]
pub(crate) enum Refused {
    /// Too many wait.
    Full,
    /// No thread can be started.
    NoThread(io::Error),
}

impl Workers {
    /// No threads yet. `max_jobs` and `max_bytes`: what may wait.
    pub(crate) fn new(max_jobs: usize, max_bytes: usize, start_thread: StartThread) -> Self {
        // One of them reads.
        let first = thread::available_parallelism().map_or(4, |count| count.get().saturating_mul(2)).clamp(2, 32) + 1;
        let shared = Shared {
            state: Mutex::default(),
            work: Condvar::new(),
            stalled: Condvar::new(),
            first,
            max_jobs,
            max_bytes,
            start_thread,
            #[cfg(test)]
            is_refused: false.into(),
        };
        Self { shared: Arc::new(shared) }
    }

    /// Has a thread do it. `bytes`: what it takes while it waits. `busy`: how many threads will not do it, whatever comes, as the
    /// one that calls this and reads on.
    pub(crate) fn submit(&self, bytes: usize, job: Job, busy: usize) -> Result<(), Refused> {
        let mut state = lock(&self.shared.state);
        // A single one may be as large as it likes: it was read already.
        let is_full = state.waiting.len() >= self.shared.max_jobs
            || !state.waiting.is_empty() && state.bytes.saturating_add(bytes) > self.shared.max_bytes;
        if is_full {
            return Err(Refused::Full);
        }
        if state.idle <= state.waiting.len()
            && state.threads < self.shared.first
            && let Err(error) = self.shared.start(&mut state)
            && state.threads <= busy
        {
            return Err(Refused::NoThread(error));
        }
        state.waiting.push_back((job, bytes));
        state.bytes += bytes;
        let has_idle = state.idle > 0;
        if state.waiting.len() > state.idle && state.threads >= self.shared.first {
            self.shared.watch(&mut state);
        }
        drop(state);
        if has_idle {
            // Whoever is woken needs the lock.
            self.shared.work.notify_one();
        }
        Ok(())
    }

    /// Has a thread that has nothing to do take this over, or a new one while there are few of them; where there is none the
    /// caller gets it back.
    pub(crate) fn hand_on<T: Send + 'static>(&self, what: T, to: impl FnOnce(T) + Send + 'static) -> Result<(), T> {
        self.give(what, to, self.shared.first)
    }

    fn give<T: Send + 'static>(
        &self,
        what: T,
        to: impl FnOnce(T) + Send + 'static,
        most_threads: usize,
    ) -> Result<(), T> {
        let mut state = lock(&self.shared.state);
        let is_free =
            state.idle > state.waiting.len() || state.threads < most_threads && self.shared.start(&mut state).is_ok();
        if state.is_closed || !is_free {
            return Err(what);
        }
        state.waiting.push_front((Box::new(move || to(what)), 0));
        drop(state);
        self.shared.work.notify_one();
        Ok(())
    }

    /// Could a thread [take something over](Self::take_over)?
    pub(crate) fn has_room(&self) -> bool {
        let state = lock(&self.shared.state);
        !state.is_closed && (state.idle > state.waiting.len() || state.threads < MAX_THREADS)
    }

    /// Has a thread that has nothing to do take this over, before all else that waits, or a new one; where none can be had the caller gets it
    /// back.
    pub(crate) fn take_over<T: Send + 'static>(&self, what: T, to: impl FnOnce(T) + Send + 'static) -> Result<(), T> {
        self.give(what, to, MAX_THREADS)
    }

    /// One of the threads is held up by something else: it does not count until it is [back](Self::rejoin).
    pub(crate) fn leave(&self) {
        let mut state = lock(&self.shared.state);
        state.threads = state.threads.saturating_sub(1);
        if state.waiting.is_empty() || state.is_closed {
            return;
        }
        if state.threads >= self.shared.first || self.shared.start(&mut state).is_err() {
            self.shared.watch(&mut state);
        }
    }

    /// It does requests again, or ends as others do where there are too many.
    pub(crate) fn rejoin(&self) {
        lock(&self.shared.state).threads += 1;
    }

    /// Drops what waits; threads end when they have nothing to do.
    pub(crate) fn close(&self) {
        let mut state = lock(&self.shared.state);
        state.is_closed = true;
        state.bytes = 0;
        let dropped = std::mem::take(&mut state.waiting);
        drop(state);
        self.shared.work.notify_all();
        self.shared.stalled.notify_all();
        drop(dropped);
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.close();
    }
}

impl Shared {
    fn start(self: &Arc<Self>, state: &mut State) -> io::Result<()> {
        #[cfg(test)]
        if self.is_refused.load(std::sync::atomic::Ordering::Relaxed) {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        let shared = Arc::clone(self);
        (self.start_thread)(Box::new(move || shared.work_off()))?;
        state.threads += 1;
        Ok(())
    }

    /// Wakes the watcher, who starts more threads where work continues waiting.
    fn watch(self: &Arc<Self>, state: &mut State) {
        if state.has_watcher {
            self.stalled.notify_one();
            return;
        }
        let shared = Arc::clone(self);
        let builder = thread::Builder::new().name("hookshell-watch".to_owned()).stack_size(128 * 1024);
        // Without it work waits for the threads that there are.
        state.has_watcher = builder.spawn(move || shared.watch_over()).is_ok();
    }

    fn watch_over(self: &Arc<Self>) {
        let mut state = lock(&self.state);
        while !state.is_closed {
            if state.waiting.is_empty() || state.threads >= MAX_THREADS {
                let woken = self.stalled.wait_timeout(state, IDLE).unwrap_or_else(PoisonError::into_inner);
                state = woken.0;
                if woken.1.timed_out() && state.waiting.is_empty() {
                    break;
                }
                continue;
            }
            let before = state.taken;
            drop(state);
            thread::sleep(STALL);
            state = lock(&self.state);
            if state.taken == before && !state.waiting.is_empty() && !state.is_closed {
                // As many again: what blocks them may block the next ones, too.
                let more = state.threads.min(state.waiting.len()).min(MAX_THREADS.saturating_sub(state.threads));
                for _ in 0..more.max(1) {
                    if self.start(&mut state).is_err() {
                        break;
                    }
                }
            }
        }
        state.has_watcher = false;
    }

    fn work_off(&self) {
        let mut state = lock(&self.state);
        loop {
            if let Some((job, bytes)) = state.waiting.pop_front() {
                state.bytes = state.bytes.saturating_sub(bytes);
                state.taken += 1;
                drop(state);
                job();
                state = lock(&self.state);
                continue;
            }
            if state.is_closed {
                break;
            }
            state.idle += 1;
            let waited = self.work.wait_timeout(state, IDLE).unwrap_or_else(PoisonError::into_inner);
            state = waited.0;
            state.idle -= 1;
            if waited.1.timed_out() && state.waiting.is_empty() && state.threads > self.first {
                break;
            }
        }
        state.threads -= 1;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn slow_work_holds_nobody_up() {
        let workers = Workers::new(1000, usize::MAX, Box::new(start_thread));
        let (release, wait) = channel::<()>();
        let wait = Arc::new(Mutex::new(wait));
        for _ in 0..100 {
            let wait = Arc::clone(&wait);
            workers.submit(1, Box::new(move || assert!(wait.lock().unwrap().recv().is_err())), 0).unwrap();
        }
        let (done, ended) = channel();
        workers.submit(1, Box::new(move || done.send(()).unwrap()), 0).unwrap();
        ended.recv_timeout(LONG).unwrap();
        drop(release);
    }

    #[test]
    fn threads_that_are_held_up_by_something_else_do_not_count() {
        let workers = Arc::new(Workers::new(2000, usize::MAX, Box::new(start_thread)));
        let (release, wait) = channel::<()>();
        let wait = Arc::new(Mutex::new(wait));
        for _ in 0..MAX_THREADS + 50 {
            let (wait, of_thread) = (Arc::clone(&wait), Arc::clone(&workers));
            let held_up = move || {
                of_thread.leave();
                assert!(wait.lock().unwrap().recv().is_err());
                of_thread.rejoin();
            };
            workers.submit(1, Box::new(held_up), 0).unwrap();
        }
        let (done, ended) = channel();
        let told = done.clone();
        workers.submit(1, Box::new(move || told.send(()).unwrap()), 0).unwrap();
        ended.recv_timeout(LONG).unwrap();
        drop(release);
        workers.submit(1, Box::new(move || done.send(()).unwrap()), 0).unwrap();
        ended.recv_timeout(LONG).unwrap();
    }

    #[test]
    fn what_no_thread_is_free_for_comes_back() {
        let workers = Workers::new(1000, usize::MAX, Box::new(start_thread));
        let (release, wait) = channel::<()>();
        let wait = Arc::new(Mutex::new(wait));
        let mut handed = 0;
        // All that come first are blocked, until there is no thread left.
        let back = loop {
            let wait = Arc::clone(&wait);
            let blocked = move |_| assert!(wait.lock().unwrap().recv().is_err());
            match workers.hand_on(handed, blocked) {
                Ok(()) => handed += 1,
                Err(back) => break back,
            }
        };
        assert_eq!(back, handed);
        assert!(handed >= 2, "{handed}");
        drop(release);
        let until = std::time::Instant::now() + LONG;
        let (done, ended) = channel();
        while workers.hand_on(done.clone(), |done| done.send(()).unwrap()).is_err() {
            assert!(std::time::Instant::now() < until, "no thread is free any more");
            thread::sleep(Duration::from_millis(1));
        }
        ended.recv_timeout(LONG).unwrap();
    }

    #[test]
    fn what_only_the_caller_could_do_is_refused() {
        let workers = Arc::new(Workers::new(1000, usize::MAX, Box::new(start_thread)));
        let (done, ended) = channel();
        let reader = Arc::clone(&workers);
        let read = move || {
            reader.shared.is_refused.store(true, std::sync::atomic::Ordering::Relaxed);
            assert!(reader.hand_on((), |()| ()).is_err());
            done.send(reader.submit(1, Box::new(|| ()), 1)).unwrap();
        };
        workers.submit(0, Box::new(read), 0).unwrap();
        assert!(matches!(ended.recv_timeout(LONG), Ok(Err(Refused::NoThread(_)))));
    }

    #[test]
    fn what_waits_is_bounded() {
        let workers = Workers::new(3, 10, Box::new(start_thread));
        let (release, wait) = channel::<()>();
        let wait = Arc::new(Mutex::new(wait));
        let blocked = || {
            let wait = Arc::clone(&wait);
            Box::new(move || assert!(wait.lock().unwrap().recv().is_err())) as Job
        };
        let mut taken = 0;
        // Each is large: what waits is bounded by bytes, however many threads there are.
        let refused = loop {
            match workers.submit(8, blocked(), 0) {
                Ok(()) => taken += 1,
                Err(refused) => break refused,
            }
        };
        assert!(matches!(refused, Refused::Full), "{refused:?}");
        assert!(taken < MAX_THREADS + 3, "{taken}");
        drop(release);
    }
}
