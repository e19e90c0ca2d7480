//! The threads that shell code runs on.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, Weak};
use std::thread::Thread;
use std::time::{Duration, Instant};

use hookshell_process::sync::lock;
use hookshell_process::{Resource, Stack, start_thread, wait_awake};

/// The stack of every thread that runs shell code. The depth limits follow from it: they hold in a debug build too,
/// whatever thread the host calls from. Only the pages that are touched cost memory.
const STACK_SIZE: usize = 64 * 1024 * 1024;

/// The stacks of threads, the largest first: the small ones are for a process whose address space is limited (`ulimit -v`).
/// Shell code nests less deep there, and is run all the same. Each is more than [`STACK_RESERVE`].
const STACK_SIZES: [usize; 3] = [STACK_SIZE, 16 * 1024 * 1024, 10 * 1024 * 1024];

/// The part of a limited address space that one stack may take: a pipeline has several threads, and for each of them the allocator
/// may reserve some too.
const STACK_SHARE: u64 = 32;

/// The part of a limited address space that is left to everything else: another thread is refused where it is not there, as
/// hundreds of stacks would take it all, and the next allocation of a few bytes would end the process.
const HEADROOM_SHARE: u64 = 4;

/// What is kept of the stack for the parser, pattern matching and the system: shell code stops nesting before it.
const STACK_RESERVE: usize = 8 * 1024 * 1024;

/// What this thread does with the next job for which [`Pool::run_when_free`] looks for a thread.
enum Kept {
    /// It is handed to another thread.
    No,
    /// This thread keeps it.
    Wanted,
    /// It has.
    Job(KeptJob),
}

thread_local! {
    static KEPT: RefCell<Kept> = const { RefCell::new(Kept::No) };
    /// How far down the stack of a thread of the pool shell code may nest; 0 on other threads.
    static STACK_END: Cell<usize> = const { Cell::new(0) };
}

/// The address of something that stands on the stack now.
#[inline(never)]
fn stack_address() -> usize {
    let here = 0u8;
    std::hint::black_box(&raw const here).addr()
}

/// Is the stack of this thread used up as far as shell code may use it? This is the depth limit of last resort: it holds
/// whatever the frames of a build cost and however calls, compound commands and expansions are nested in each other.
#[inline]
pub(crate) fn stack_is_used_up() -> bool {
    stack_address() < STACK_END.get()
}

/// How long an idle thread waits for more work.
const IDLE: Duration = Duration::from_secs(3);

type Job = Box<dyn FnOnce() + Send>;

/// The sizes of a stack that may be tried, one after the other.
fn stack_sizes() -> impl Iterator<Item = usize> {
    let room = Resource::AddressSpace.soft_limit().map_or(u64::MAX, |limit| limit / STACK_SHARE);
    let smallest = STACK_SIZES[STACK_SIZES.len() - 1];
    STACK_SIZES.into_iter().filter(move |&size| size as u64 <= room || size == smallest)
}

/// Is there room for a thread, and for what it does, in an address space that is limited to so many bytes? Asks the system for it,
/// and gives it back.
fn has_headroom(limit: u64) -> bool {
    let room = usize::try_from(limit / HEADROOM_SHARE).unwrap_or(usize::MAX);
    // A stack, and what the allocator reserves for a thread while it aligns it.
    Vec::<u8>::new().try_reserve_exact(room.min(3 * STACK_SIZE)).is_ok()
}

/// Makes this thread one for shell code, with a stack of so many bytes.
fn enter_thread(stack: usize) {
    hookshell_process::block_sigpipe_on_this_thread();
    STACK_END.set(stack_address().saturating_sub(stack - STACK_RESERVE));
}

/// A stack like those of a pool's threads, for shell code on the calling thread: for a program that has nothing else to do,
/// and starts sooner without another thread.
#[derive(Debug)]
pub struct ShellStack {
    stack: Stack,
    size: usize,
}

impl ShellStack {
    /// `None` if there is no such stack, as on all systems but Linux.
    pub fn new() -> Option<Self> {
        stack_sizes().find_map(|size| Some(Self { stack: Stack::new(size).ok()?, size }))
    }

    /// Runs `job` on the calling thread, which blocks `SIGPIPE` from then on. A panic in `job` continues in the caller.
    pub fn run<T>(self, job: impl FnOnce() -> T) -> T {
        self.stack.run(|| {
            enter_thread(self.size);
            job()
        })
    }
}

/// A pool of threads with a fixed stack size. Jobs never wait for a free thread: where none is idle a new one is
/// started, so that jobs that wait for each other (stages of a pipeline) always make progress.
#[derive(Clone, Default)]
pub struct Pool {
    idle: Arc<Mutex<Idle>>,
    /// A thread that has just become idle waits for more work without going to sleep: one at a time.
    has_awake: Arc<AtomicBool>,
    /// Held while a thread starts in a limited address space, until it has reserved what it will: two that find the same room free
    /// would both take it.
    starts_one: Arc<Mutex<()>>,
    /// No thread can be started.
    #[cfg(test)]
    is_refused: Arc<AtomicBool>,
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
                drop(KEPT.replace(Kept::No));
            }
        }
        if STACK_END.get() == 0 {
            return (begin(), None);
        }
        let _until = Until;
        KEPT.set(Kept::Wanted);
        let begun = begin();
        match KEPT.replace(Kept::No) {
            Kept::Job(job) => (begun, Some(job)),
            Kept::No | Kept::Wanted => (begun, None),
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

/// The threads that wait for work, the latest last, and the work that waits for a thread.
#[derive(Default)]
struct Idle {
    seats: Vec<Arc<Seat>>,
    /// How many threads have work: each looks at `waiting` when it has done it.
    busy: usize,
    /// What came when no more threads could be started ([`Pool::run_when_free`]).
    waiting: VecDeque<Job>,
}

/// Where a thread gets its next job.
struct Seat {
    thread: Thread,
    job: Mutex<Option<Job>>,
    /// There is a job, or the pool is gone.
    is_called: AtomicBool,
}

impl Seat {
    fn call(&self, job: Option<Job>) {
        *lock(&self.job) = job;
        self.is_called.store(true, Ordering::Release);
        self.thread.unpark();
    }
}

impl Drop for Idle {
    fn drop(&mut self) {
        for seat in &self.seats {
            seat.call(None);
        }
    }
}

/// What a thread knows of its pool, which it does not keep alive.
struct Member {
    idle: Weak<Mutex<Idle>>,
    has_awake: Arc<AtomicBool>,
    seat: Arc<Seat>,
}

impl Member {
    /// The next job; `None` if the thread is to end.
    fn next_job(&self) -> Option<Job> {
        {
            let idle = self.idle.upgrade()?;
            let mut idle = lock(&idle);
            if let Some(job) = idle.waiting.pop_front() {
                return Some(job);
            }
            idle.busy = idle.busy.saturating_sub(1);
            idle.seats.push(self.seat.clone());
        }
        let is_called = || self.seat.is_called.load(Ordering::Acquire);
        if !self.has_awake.swap(true, Ordering::AcqRel) {
            wait_awake(is_called);
            self.has_awake.store(false, Ordering::Release);
        }
        let until = Instant::now() + IDLE;
        while !is_called() {
            match until.checked_duration_since(Instant::now()) {
                Some(left) => {
                    std::thread::park_timeout(left);
                    // Woken without a job: one is expected.
                    if !is_called() && Instant::now() < until {
                        wait_awake(is_called);
                    }
                }
                None if self.leave() => return None,
                // Somebody has just taken it out of the list: a job is on its way.
                None => std::thread::park(),
            }
        }
        self.seat.is_called.store(false, Ordering::Relaxed);
        lock(&self.seat.job).take()
    }

    /// Takes the thread out of the list; `false` where it is not in it.
    fn leave(&self) -> bool {
        let Some(idle) = self.idle.upgrade() else { return false };
        let mut idle = lock(&idle);
        let place = idle.seats.iter().position(|seat| Arc::ptr_eq(seat, &self.seat));
        place.map(|place| idle.seats.remove(place)).is_some()
    }
}

impl Pool {
    /// An empty pool.
    pub fn new() -> Self {
        Self::default()
    }

    /// A job will come in a few dozen microseconds: wakes a thread that waits for one. To be woken takes a thread about as long
    /// as a short job does, and meanwhile the caller prepares it. Nothing happens where no thread is idle.
    pub fn expect_job(&self) {
        let latest = lock(&self.idle).seats.last().map(Arc::clone);
        if let Some(seat) = latest {
            seat.thread.unpark();
        }
    }

    /// Runs `job` on a thread of the pool. A panic in it ends the job and not the thread.
    ///
    /// # Errors
    /// The system gives no more threads: the job was dropped without being run.
    pub fn run(&self, job: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
        self.try_run(Box::new(job)).map_err(|(_, error)| error)
    }

    /// Has a thread of the pool do `to` with this.
    ///
    /// # Errors
    /// The system gives no more threads: the caller has it back.
    pub fn hand_on<T: Send + 'static>(&self, what: T, to: impl FnOnce(T) + Send + 'static) -> Result<(), T> {
        // A job that cannot be run is dropped, with all that it has.
        let place = Arc::new(Mutex::new(Some(what)));
        let theirs = Arc::clone(&place);
        let job = move || {
            let what = lock(&theirs).take();
            if let Some(what) = what {
                to(what);
            }
        };
        match self.run(job) {
            Ok(()) => Ok(()),
            Err(_) => lock(&place).take().map_or(Ok(()), Err),
        }
    }

    /// As [`Pool::run`], but where the system gives no more threads the job waits until one of the pool has done its work. Only
    /// for jobs that no other job of the pool waits for: those of a pipeline must all run at once.
    ///
    /// # Errors
    /// The system gives no more threads, and the pool has none.
    pub fn run_when_free(&self, job: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
        let job: Job = Box::new(job);
        let Err((job, error)) = (match KEPT.replace(Kept::No) {
            Kept::Wanted => {
                KEPT.set(Kept::Job(KeptJob { pool: self.clone(), job: Some(job) }));
                return Ok(());
            }
            kept => {
                KEPT.set(kept);
                self.try_run(job)
            }
        }) else {
            return Ok(());
        };
        let mut idle = lock(&self.idle);
        // One may have just become free, else each that is busy will look.
        if let Some(seat) = idle.seats.pop() {
            idle.busy += 1;
            drop(idle);
            seat.call(job);
        } else if idle.busy > 0 {
            idle.waiting.extend(job);
        } else {
            return Err(error);
        }
        Ok(())
    }

    /// Gives the job back where there is no thread for it.
    fn try_run(&self, job: Job) -> Result<(), (Option<Job>, std::io::Error)> {
        // A thread that was taken out of the list waits for what is given to it, so that no job is lost.
        let seat = {
            let mut idle = lock(&self.idle);
            idle.busy += 1;
            idle.seats.pop()
        };
        if let Some(seat) = seat {
            seat.call(Some(job));
            return Ok(());
        }
        let first = Arc::new(Mutex::new(Some(job)));
        let error = match self.start_where_there_is_room(&first) {
            Ok(()) => return Ok(()),
            Err(error) => error,
        };
        let mut idle = lock(&self.idle);
        idle.busy = idle.busy.saturating_sub(1);
        drop(idle);
        let job = lock(&first).take();
        Err((job, error))
    }

    /// Starts a thread that begins with the job, with the largest stack that there is room for.
    fn start_where_there_is_room(&self, first: &Arc<Mutex<Option<Job>>>) -> std::io::Result<()> {
        let mut error = std::io::Error::from(std::io::ErrorKind::OutOfMemory);
        let limit = Resource::AddressSpace.soft_limit();
        let _alone = limit.map(|_| lock(&self.starts_one));
        if limit.is_some_and(|limit| !has_headroom(limit)) {
            return Err(error);
        }
        let (sender, is_up) = limit.map(|_| sync_channel(1)).unzip();
        for size in stack_sizes() {
            match self.start(size, first, sender.clone()) {
                Ok(()) => {
                    drop(sender);
                    // An error is a thread that has gone already.
                    let _ = is_up.map(|is_up| is_up.recv());
                    return Ok(());
                }
                Err(failed) => error = failed,
            }
        }
        Err(error)
    }

    /// Starts a thread that begins with the job; `up` is told when it has reserved its memory.
    fn start(&self, stack: usize, first: &Arc<Mutex<Option<Job>>>, up: Option<SyncSender<()>>) -> std::io::Result<()> {
        #[cfg(test)]
        if self.is_refused.load(Ordering::Relaxed) {
            return Err(std::io::ErrorKind::WouldBlock.into());
        }
        let (idle, has_awake, first) = (Arc::downgrade(&self.idle), self.has_awake.clone(), first.clone());
        start_thread("hookshell", stack, move || {
            enter_thread(stack);
            let seat =
                Seat { thread: std::thread::current(), job: Mutex::default(), is_called: AtomicBool::new(false) };
            let member = Member { idle, has_awake, seat: Arc::new(seat) };
            // The allocation just above has made the allocator reserve what it reserves for a thread.
            if let Some(up) = up {
                let _ = up.send(());
            }
            let mut next = lock(&first).take();
            while let Some(job) = next {
                // What a panicking job leaves behind is dropped with it; callers learn of it from their channel.
                let _ = catch_unwind(AssertUnwindSafe(job));
                next = member.next_job();
            }
        })?;
        Ok(())
    }

    /// Runs `work` on a thread of the pool and waits for it: `None` when it panicked or no thread could be started.
    pub fn call<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
        let (sender, receiver) = sync_channel(1);
        self.run(move || {
            let _ = sender.send(work());
        })
        .ok()?;
        receiver.recv().ok()
    }
}

impl std::fmt::Debug for Pool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let idle = lock(&self.idle).seats.len();
        f.debug_struct("Pool").field("idle", &idle).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::Ordering;
    use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
    use std::sync::{Arc, Barrier};
    use std::thread::ThreadId;
    use std::time::Duration;

    use super::{KeptJob, Pool};

    const LATE: Duration = Duration::from_secs(60);

    #[test]
    fn a_panic_ends_the_job_and_not_the_pool() {
        let pool = Pool::new();
        assert_eq!(pool.call(|| -> u8 { panic!("on purpose") }), None);
        assert_eq!(pool.call(|| 7), Some(7));
    }

    #[test]
    fn jobs_that_wait_for_each_other_all_run() {
        let pool = Pool::new();
        for _ in 0..20 {
            let barrier = Arc::new(Barrier::new(8));
            let (sender, ended) = channel();
            for number in 0..8 {
                let (barrier, sender) = (barrier.clone(), sender.clone());
                pool.run(move || {
                    barrier.wait();
                    sender.send(number).unwrap();
                })
                .unwrap();
            }
            let mut numbers: Vec<i32> = (0..8).map(|_| ended.recv_timeout(Duration::from_secs(60)).unwrap()).collect();
            numbers.sort_unstable();
            assert_eq!(numbers, (0..8).collect::<Vec<_>>());
        }
    }

    #[test]
    fn where_no_thread_can_be_started_a_job_fails_or_waits_for_another() {
        let pool = Pool::new();
        pool.is_refused.store(true, Ordering::Relaxed);
        let nothing = || pool.run_when_free(|| ());
        assert_eq!(nothing().map_err(|error| error.kind()), Err(std::io::ErrorKind::WouldBlock));
        assert_eq!(pool.call(|| 7), None);
        pool.is_refused.store(false, Ordering::Relaxed);
        let (release, held) = channel::<()>();
        let (sender, ended) = channel();
        let first = sender.clone();
        pool.run(move || {
            let _ = held.recv_timeout(LATE);
            first.send(0).unwrap();
        })
        .unwrap();
        pool.is_refused.store(true, Ordering::Relaxed);
        // Nobody waits here: neither who asks, nor for those of a pipeline.
        assert!(pool.run(|| ()).is_err());
        for number in 1..=1000 {
            let sender = sender.clone();
            pool.run_when_free(move || {
                // What panics keeps nobody from their turn.
                assert!(number % 10 != 5, "on purpose");
                sender.send(number).unwrap();
            })
            .unwrap();
        }
        assert!(ended.try_recv().is_err());
        release.send(()).unwrap();
        drop(sender);
        let mut numbers = Vec::new();
        while let Ok(number) = ended.recv_timeout(LATE) {
            numbers.push(number);
        }
        assert_eq!(numbers, (0..=1000).filter(|number| number % 10 != 5).collect::<Vec<_>>());
        // The thread has not been lost; it may still be on its way back from the last job.
        let until = std::time::Instant::now() + LATE;
        while pool.call(|| 7) != Some(7) {
            assert!(std::time::Instant::now() < until, "no thread is free any more");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn a_thread_that_expects_a_job_takes_it_now_or_later() {
        let pool = Pool::new();
        // Nobody is there to be woken.
        pool.expect_job();
        for pause in [0, 1, 200, 0, 0, 30] {
            assert_eq!(pool.call(|| 7), Some(7));
            pool.expect_job();
            std::thread::sleep(Duration::from_micros(pause * 10));
        }
        // It went to sleep again, and is still there.
        pool.expect_job();
        std::thread::sleep(Duration::from_millis(20));
        assert_eq!(pool.call(|| 7), Some(7));
    }

    #[test]
    fn what_is_handed_on_is_done_or_comes_back() {
        let pool = Pool::new();
        pool.is_refused.store(true, Ordering::Relaxed);
        let (sender, done) = channel();
        let told = sender.clone();
        assert_eq!(pool.hand_on(7, move |what| told.send(what).unwrap()), Err(7));
        assert!(done.try_recv().is_err());
        pool.is_refused.store(false, Ordering::Relaxed);
        assert_eq!(pool.hand_on(8, move |what| sender.send(what).unwrap()), Ok(()));
        assert_eq!(done.recv_timeout(LATE), Ok(8));
    }

    #[test]
    fn a_job_that_is_kept_runs_where_it_was_begun_or_elsewhere() {
        let pool = Pool::new();
        // No pool's thread has no stack for it.
        let begin = |pool: &Pool, sender: &Sender<ThreadId>| {
            let sender = sender.clone();
            pool.run_when_free(move || sender.send(std::thread::current().id()).unwrap()).unwrap();
        };
        let (sender, ran) = channel();
        let (pool_ref, of_thread) = (pool.clone(), sender.clone());
        assert!(KeptJob::of(|| begin(&pool, &sender)).1.is_none());
        ran.recv_timeout(LATE).unwrap();
        let kept = move || {
            let here = std::thread::current().id();
            let begin = || begin(&pool_ref, &of_thread);
            // The first one alone is kept.
            let ((), job) = KeptJob::of(|| {
                begin();
                begin();
            });
            let another = ran.recv_timeout(LATE).unwrap();
            job.unwrap().run();
            assert_eq!((ran.recv_timeout(LATE).unwrap(), another == here), (here, false));
            // Nothing is kept later, nor after a panic.
            begin();
            assert_ne!(ran.recv_timeout(LATE).unwrap(), here);
            let panics = catch_unwind(AssertUnwindSafe(|| {
                KeptJob::of(|| {
                    begin();
                    std::panic::resume_unwind(Box::new(()));
                })
            }));
            assert!(panics.is_err());
            assert_ne!(ran.recv_timeout(LATE).unwrap(), here);
            drop(KeptJob::of(begin).1.unwrap());
            assert_ne!(ran.recv_timeout(LATE).unwrap(), here);
            assert!(KeptJob::of(|| ()).1.is_none());
        };
        assert_eq!(pool.call(kept), Some(()));
    }

    #[test]
    fn threads_end_with_their_pool() {
        let pool = Pool::new();
        let (sender, ended) = channel::<()>();
        // Dropped when its thread ends: a value of the thread's own.
        thread_local!(static KEPT: RefCell<Option<Sender<()>>> = const { RefCell::new(None) });
        pool.call(move || KEPT.set(Some(sender))).unwrap();
        drop(pool);
        assert_eq!(ended.recv_timeout(Duration::from_secs(60)), Err(RecvTimeoutError::Disconnected));
    }
}
