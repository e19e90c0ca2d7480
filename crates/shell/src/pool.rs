//! The threads that shell code runs on.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The stack of every thread that runs shell code. The depth limits follow from it: they hold in a debug build too,
/// whatever thread the host calls from. Only the pages that are touched cost memory.
pub const STACK_SIZE: usize = 64 * 1024 * 1024;

/// What is kept of the stack for the parser, pattern matching and the system: shell code stops nesting before it.
const STACK_RESERVE: usize = 8 * 1024 * 1024;

thread_local! {
    /// Where the stack of a thread of the pool begins; 0 on other threads.
    static STACK_TOP: Cell<usize> = const { Cell::new(0) };
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
    let top = STACK_TOP.get();
    top != 0 && top.saturating_sub(stack_address()) > STACK_SIZE - STACK_RESERVE
}

/// How long an idle thread waits for more work.
const IDLE: Duration = Duration::from_secs(3);

type Job = Box<dyn FnOnce() + Send>;

/// A pool of threads with a fixed stack size. Jobs never wait for a free thread: where none is idle a new one is
/// started, so that jobs that wait for each other (stages of a pipeline) always make progress.
#[derive(Clone, Default)]
pub struct Pool {
    idle: Arc<Mutex<Idle>>,
}

/// The lock is held for a moment only, and nothing in between can panic half-way.
fn lock(idle: &Mutex<Idle>) -> MutexGuard<'_, Idle> {
    idle.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The threads that wait for work, the latest last.
#[derive(Default)]
struct Idle {
    threads: Vec<(u64, SyncSender<Job>)>,
    last_ticket: u64,
}

impl Pool {
    /// An empty pool.
    pub fn new() -> Self {
        Self::default()
    }

    /// Runs `job` on a thread of the pool. A panic in it ends the job and not the thread.
    ///
    /// # Errors
    /// The system gives no more threads: the job was dropped without being run.
    pub fn run(&self, job: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
        let mut job: Job = Box::new(job);
        // A thread that was taken out of the list waits for what is sent to it, so that no job is lost.
        while let Some((_, sender)) = lock(&self.idle).threads.pop() {
            match sender.try_send(job) {
                Ok(()) => return Ok(()),
                Err(TrySendError::Full(back) | TrySendError::Disconnected(back)) => job = back,
            }
        }
        let idle = Arc::downgrade(&self.idle);
        std::thread::Builder::new().name("hookshell".into()).stack_size(STACK_SIZE).spawn(move || {
            hookshell_process::block_sigpipe_on_this_thread();
            STACK_TOP.set(stack_address());
            let mut job = job;
            loop {
                // What a panicking job leaves behind is dropped with it; callers learn of it from their channel.
                let _ = catch_unwind(AssertUnwindSafe(job));
                let (sender, receiver): (SyncSender<Job>, Receiver<Job>) = sync_channel(1);
                let Some(pool) = idle.upgrade() else { return };
                let ticket = {
                    let mut idle = lock(&pool);
                    idle.last_ticket += 1;
                    let ticket = idle.last_ticket;
                    idle.threads.push((ticket, sender));
                    ticket
                };
                drop(pool);
                job = match receiver.recv_timeout(IDLE) {
                    Ok(job) => job,
                    Err(RecvTimeoutError::Disconnected) => return,
                    Err(RecvTimeoutError::Timeout) => {
                        let still_listed = idle.upgrade().is_some_and(|pool| {
                            let threads = &mut lock(&pool).threads;
                            let place = threads.iter().position(|(own, _)| *own == ticket);
                            place.map(|place| threads.remove(place)).is_some()
                        });
                        if still_listed {
                            return;
                        }
                        // Somebody has just taken it out of the list: a job is on its way.
                        match receiver.recv() {
                            Ok(job) => job,
                            Err(_) => return,
                        }
                    }
                };
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
        let idle = lock(&self.idle).threads.len();
        f.debug_struct("Pool").field("idle", &idle).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::Pool;

    #[test]
    fn a_panic_ends_the_job_and_not_the_pool() {
        let pool = Pool::new();
        assert_eq!(pool.call(|| -> u8 { panic!("on purpose") }), None);
        assert_eq!(pool.call(|| 7), Some(7));
    }
}
