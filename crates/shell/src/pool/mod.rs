//! The threads that shell code runs on.

mod kept_job;

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, Weak};
use std::thread::Thread;
use std::time::{Duration, Instant};

use hookshell_process::sync::lock;
use hookshell_process::{Resource, start_thread, wait_awake};

pub use self::kept_job::KeptJob;
use crate::stack;

/// How long an idle thread waits for more work.
const IDLE: Duration = Duration::from_secs(3);

type Job = Box<dyn FnOnce() + Send>;

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
        let Err(job) = KeptJob::keep(self, Box::new(job)) else { return Ok(()) };
        let Err((job, error)) = self.try_run(job) else { return Ok(()) };
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
        if limit.is_some_and(|limit| !stack::has_headroom(limit)) {
            return Err(error);
        }
        let (sender, is_up) = limit.map(|_| sync_channel(1)).unzip();
        for size in stack::sizes() {
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
    fn start(&self, size: usize, first: &Arc<Mutex<Option<Job>>>, up: Option<SyncSender<()>>) -> std::io::Result<()> {
        #[cfg(test)]
        if self.is_refused.load(Ordering::Relaxed) {
            return Err(std::io::ErrorKind::WouldBlock.into());
        }
        let (idle, has_awake, first) = (Arc::downgrade(&self.idle), self.has_awake.clone(), first.clone());
        start_thread("hookshell", size, move || {
            stack::enter_thread(size);
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
mod tests;
