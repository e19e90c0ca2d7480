//! What a run uses up, counted against its [`Limits`].

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::cancel::CancelToken;
use crate::limits::{Limit, Limits};

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What these locks guard is changed by single assignments: a panic leaves nothing half done.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How long somebody who wants one more thread or process waits for another to end: a million `:&` in a row are as many
/// as there are processors at a time, a script that really needs too many fails soon.
const PATIENCE: Duration = Duration::from_secs(1);

/// How often those who wait look whether the run was stopped.
const LOOK: Duration = Duration::from_millis(5);

/// After so many bytes more the system is asked whether it has as much.
const UNASKED: usize = 4 << 20;

/// What is to be left beside what is counted: all that takes little, of all threads, and is not asked for. More than what glibc
/// takes from its heaps, so that asking leaves nothing behind.
const HEADROOM: usize = 40 << 20;

/// Has the system so much memory more? A process whose address space is limited (`ulimit -v`, a container) may have less than a
/// run's limits say, and an allocation that fails ends the process. No page is touched.
pub(crate) fn has_room(bytes: usize) -> bool {
    Vec::<u8>::new().try_reserve_exact(bytes.saturating_add(HEADROOM)).is_ok()
}

/// A limit that was reached.
#[derive(Debug, Clone)]
pub(crate) struct Reached {
    /// Which, in words.
    pub(crate) message: String,
    /// The message has been written to the script's standard error, or is being written there.
    pub(crate) is_told: bool,
    /// It is being written.
    is_being_told: bool,
}

/// What all execution environments of a run use together, those of scripts that it runs in process included.
#[derive(Debug)]
pub(crate) struct Usage {
    pub(crate) limits: Limits,
    /// Ends the run.
    cancel: CancelToken,
    /// The estimated state of all environments, and what is held.
    state_bytes: AtomicUsize,
    /// What is held beside them, which is known exactly: output, here-documents, arguments.
    held_bytes: AtomicUsize,
    /// The system has no more memory.
    is_out_of_memory: AtomicBool,
    open_files: AtomicUsize,
    threads: Mutex<usize>,
    thread_ended: Condvar,
    /// The limit that was reached first.
    reached: Mutex<Option<Reached>>,
    told: Condvar,
}

impl Usage {
    pub(crate) fn new(limits: Limits, cancel: CancelToken) -> Self {
        Self {
            limits,
            cancel,
            state_bytes: AtomicUsize::new(0),
            held_bytes: AtomicUsize::new(0),
            is_out_of_memory: AtomicBool::new(false),
            open_files: AtomicUsize::new(0),
            threads: Mutex::new(0),
            thread_ended: Condvar::new(),
            reached: Mutex::new(None),
            told: Condvar::new(),
        }
    }

    /// Notes that a limit was reached; `false` where one was before. `tells`: the caller writes the message, and says so when
    /// it has ([`Self::has_told`]).
    pub(crate) fn reach(&self, message: &str, tells: bool) -> bool {
        let mut reached = lock(&self.reached);
        let first = reached.is_none();
        reached.get_or_insert_with(|| Reached { message: message.to_owned(), is_told: tells, is_being_told: tells });
        first
    }

    /// The message has been written.
    pub(crate) fn has_told(&self) {
        if let Some(reached) = &mut *lock(&self.reached) {
            reached.is_being_told = false;
        }
        self.told.notify_all();
    }

    /// Waits for a thread that is writing the message: the process may end behind it. Not for ever: nobody may be reading.
    pub(crate) fn wait_until_told(&self) {
        let reached = lock(&self.reached);
        let is_being_told =
            |reached: &mut Option<Reached>| reached.as_ref().is_some_and(|reached| reached.is_being_told);
        drop(self.told.wait_timeout_while(reached, PATIENCE, is_being_told));
    }

    /// The limit that was reached.
    pub(crate) fn reached(&self) -> Option<Reached> {
        lock(&self.reached).clone()
    }

    /// Ends the run at once: every environment, every process.
    pub(crate) fn stop(&self) {
        self.cancel.stop_run();
    }

    /// Counts one more live thread; `false` where there are too many and none ends. `stopped`: nobody waits any more.
    pub(crate) fn begin_thread(&self, stopped: &dyn Fn() -> bool) -> bool {
        let mut threads = lock(&self.threads);
        let mut until = None;
        while *threads >= self.limits.threads {
            let until = *until.get_or_insert_with(|| Instant::now() + PATIENCE);
            if stopped() || self.limits.threads == 0 || Instant::now() >= until {
                return false;
            }
            threads = self.thread_ended.wait_timeout(threads, LOOK).unwrap_or_else(PoisonError::into_inner).0;
        }
        *threads += 1;
        true
    }

    pub(crate) fn end_thread(&self) {
        let mut threads = lock(&self.threads);
        *threads = threads.saturating_sub(1);
        drop(threads);
        self.thread_ended.notify_one();
    }

    /// May one more process be started? Waits a moment for one to end where there are too many.
    pub(crate) fn allows_process(&self, stopped: &dyn Fn() -> bool) -> bool {
        let mut until = None;
        while self.cancel.tree().live_children() >= self.limits.processes {
            let until = *until.get_or_insert_with(|| Instant::now() + PATIENCE);
            if stopped() || self.limits.processes == 0 || Instant::now() >= until {
                return false;
            }
            std::thread::sleep(LOOK);
        }
        true
    }

    /// Counts an open file; `None` if there are too many.
    pub(crate) fn open_file(self: &Arc<Self>) -> Option<Held> {
        let before = self.open_files.fetch_add(1, Ordering::Relaxed);
        let held = Held { usage: self.clone(), what: What::File };
        (before < self.limits.open_files).then_some(held)
    }

    /// Counts bytes of state for as long as what is given lives.
    pub(crate) fn hold(self: &Arc<Self>, bytes: usize) -> Held {
        self.held_bytes.fetch_add(bytes, Ordering::Relaxed);
        self.charge(bytes);
        Held { usage: self.clone(), what: What::Bytes(bytes) }
    }

    pub(crate) fn charge(&self, bytes: usize) {
        let before = self.state_bytes.fetch_add(bytes, Ordering::Relaxed);
        let after = before.saturating_add(bytes);
        if before / UNASKED != after / UNASKED && after <= self.limits.state_bytes && !has_room(bytes) {
            self.is_out_of_memory.store(true, Ordering::Relaxed);
        }
    }

    /// Has the system no more memory, whatever the limits say?
    fn is_out_of_memory(&self) -> bool {
        self.is_out_of_memory.load(Ordering::Relaxed)
    }

    /// What is said when a limit is reached; or, where that is so, that there is no more memory.
    pub(crate) fn message(&self, limit: Limit, what: impl std::fmt::Display) -> String {
        match limit {
            Limit::StateBytes if self.is_out_of_memory() => {
                format!("the system has no more memory, before limit {limit} of {}: {what}", self.limits.value(limit))
            }
            _ => self.limits.message(limit, what),
        }
    }

    pub(crate) fn release(&self, bytes: usize) {
        self.state_bytes.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Is more state alive than may be?
    pub(crate) fn has_too_much_state(&self) -> bool {
        self.state_bytes.load(Ordering::Relaxed) > self.limits.state_bytes || self.is_out_of_memory()
    }
}

/// Something that counts for as long as this lives.
#[derive(Debug)]
pub(crate) struct Held {
    usage: Arc<Usage>,
    what: What,
}

#[derive(Debug)]
enum What {
    File,
    Bytes(usize),
}

impl Held {
    /// So many bytes more; `false` where what is held alone is too much.
    pub(crate) fn grow(&mut self, bytes: usize) -> bool {
        if let What::Bytes(held) = &mut self.what {
            *held += bytes;
            self.usage.held_bytes.fetch_add(bytes, Ordering::Relaxed);
            self.usage.charge(bytes);
        }
        self.usage.held_bytes.load(Ordering::Relaxed) <= self.usage.limits.state_bytes && !self.usage.is_out_of_memory()
    }

    /// The system has not given what was asked for.
    pub(crate) fn run_out(&self) {
        self.usage.is_out_of_memory.store(true, Ordering::Relaxed);
    }

    /// It is so many bytes now; `false` as [`Held::grow`] says.
    pub(crate) fn resize(&mut self, bytes: usize) -> bool {
        match &mut self.what {
            What::File => true,
            What::Bytes(held) if *held > bytes => {
                let less = std::mem::replace(held, bytes) - bytes;
                self.usage.held_bytes.fetch_sub(less, Ordering::Relaxed);
                self.usage.release(less);
                true
            }
            What::Bytes(held) => {
                let more = bytes - *held;
                self.grow(more)
            }
        }
    }

    /// Ends the run at once because a limit was reached.
    pub(crate) fn end_run(&self, limit: Limit, what: &str) {
        self.usage.reach(&self.usage.message(limit, what), false);
        self.usage.stop();
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        match self.what {
            What::File => {
                self.usage.open_files.fetch_sub(1, Ordering::Relaxed);
            }
            What::Bytes(bytes) => {
                self.usage.held_bytes.fetch_sub(bytes, Ordering::Relaxed);
                self.usage.release(bytes);
            }
        }
    }
}

/// What one execution environment's own state is counted as: an estimate that only grows, until it is measured because
/// the run seems to have too much.
#[derive(Debug)]
pub(crate) struct Account {
    usage: Arc<Usage>,
    /// What is counted in `usage`.
    charged: usize,
    /// What is not yet.
    pending: usize,
    /// So much may be pending.
    step: usize,
    /// What was counted since the last measurement: at most so much the estimate is too high.
    unsure: usize,
}

impl Account {
    pub(crate) fn new(usage: Arc<Usage>) -> Self {
        /// Small changes are counted together.
        const LARGEST_STEP: usize = 4 << 20;
        let step = (usage.limits.state_bytes / 64).min(LARGEST_STEP);
        Self { usage, charged: 0, pending: 0, step, unsure: 0 }
    }

    /// That of a copy of the environment.
    pub(crate) fn copy(&self) -> Self {
        let pending = self.charged + self.pending;
        let mut copy = Self { usage: self.usage.clone(), charged: 0, pending, step: self.step, unsure: self.unsure };
        copy.settle();
        copy
    }

    /// The state has grown by so many bytes; is it time to look whether that is too much?
    #[inline]
    pub(crate) fn grow(&mut self, bytes: usize) -> bool {
        self.pending += bytes;
        self.pending > self.step
    }

    /// Counts what is pending; `false` where the run may have too much state then, and it is to be measured.
    pub(crate) fn settle(&mut self) -> bool {
        self.usage.charge(self.pending);
        self.unsure += self.pending;
        self.charged += std::mem::take(&mut self.pending);
        self.unsure <= self.usage.limits.state_bytes / 8 && !self.usage.has_too_much_state()
    }

    /// Counts what was measured; `false` where the run has too much state.
    pub(crate) fn correct(&mut self, bytes: usize) -> bool {
        self.unsure = 0;
        self.usage.charge(bytes);
        self.usage.release(std::mem::replace(&mut self.charged, bytes));
        !self.usage.has_too_much_state()
    }
}

impl Drop for Account {
    fn drop(&mut self) {
        self.usage.release(self.charged);
    }
}
