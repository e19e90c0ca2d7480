//! What a run may keep: memory and open files, counted over all its threads.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use hookshell_process::sync::lock;

use crate::cancel::RunToken;

/// How long the end of a run waits for the message of a limit to be written.
const MESSAGE_WAIT: Duration = Duration::from_secs(1);

/// After so many bytes more the system is asked whether it has as much.
const UNASKED: usize = 4 << 20;

/// What is to be left beside what is counted: all that takes little, of all threads, and is not asked for. More than what glibc
/// takes from its heaps, so that asking leaves nothing behind.
const HEADROOM: usize = 40 << 20;

/// Has the system so much memory more? A process whose address space is limited (`ulimit -v`, a container) may have less than a
/// run's limits say, and an allocation that fails ends the process. No page is touched.
fn has_room(bytes: usize) -> bool {
    Vec::<u8>::new().try_reserve_exact(bytes.saturating_add(HEADROOM)).is_ok()
}

/// A limit that was reached.
#[derive(Debug, Clone)]
pub struct Reached {
    /// Which, in words.
    pub message: String,
    /// The message has been written to the script's standard error, or is being written there.
    pub is_told: bool,
    /// It is being written.
    is_being_told: bool,
}

/// What all execution environments of a run keep together, those of scripts that it runs in process included.
#[derive(Debug)]
pub struct Budget {
    /// So many bytes of state may be alive.
    most_bytes: usize,
    /// So many files may be open.
    most_files: usize,
    /// Ends the run.
    cancel: RunToken,
    /// The estimated state of all environments, and what is held.
    state_bytes: AtomicUsize,
    /// What is held beside them, which is known exactly: output, here-documents, arguments.
    held_bytes: AtomicUsize,
    /// The system has no more memory.
    is_out_of_memory: AtomicBool,
    open_files: AtomicUsize,
    /// The limit that was reached first.
    reached: Mutex<Option<Reached>>,
    told: Condvar,
}

impl Budget {
    /// For so many bytes of state (`state-bytes`) and so many open files; what has too much ends the run by `cancel`.
    pub fn new(most_bytes: usize, most_files: usize, cancel: RunToken) -> Self {
        Self {
            most_bytes,
            most_files,
            cancel,
            state_bytes: AtomicUsize::new(0),
            held_bytes: AtomicUsize::new(0),
            is_out_of_memory: AtomicBool::new(false),
            open_files: AtomicUsize::new(0),
            reached: Mutex::new(None),
            told: Condvar::new(),
        }
    }

    /// How many bytes of state may be alive.
    pub fn most_bytes(&self) -> usize {
        self.most_bytes
    }

    /// Notes that a limit was reached; `false` where one was before. `tells`: the caller writes the message, and says so when
    /// it has ([`Self::has_told`]).
    pub fn reach(&self, message: &str, tells: bool) -> bool {
        let mut reached = lock(&self.reached);
        let first = reached.is_none();
        reached.get_or_insert_with(|| Reached { message: message.to_owned(), is_told: tells, is_being_told: tells });
        first
    }

    /// The message has been written.
    pub fn has_told(&self) {
        if let Some(reached) = &mut *lock(&self.reached) {
            reached.is_being_told = false;
        }
        self.told.notify_all();
    }

    /// Waits for a thread that is writing the message: the process may end after it. Not for ever: nobody may be reading.
    pub fn wait_until_told(&self) {
        let reached = lock(&self.reached);
        let is_being_told =
            |reached: &mut Option<Reached>| reached.as_ref().is_some_and(|reached| reached.is_being_told);
        drop(self.told.wait_timeout_while(reached, MESSAGE_WAIT, is_being_told));
    }

    /// The limit that was reached.
    pub fn reached(&self) -> Option<Reached> {
        lock(&self.reached).clone()
    }

    /// Ends the run at once: every environment, every process.
    pub fn stop(&self) {
        self.cancel.stop_run();
    }

    /// Counts an open file; `None` if there are too many.
    pub fn open_file(self: &Arc<Self>) -> Option<Held> {
        let before = self.open_files.fetch_add(1, Ordering::Relaxed);
        let held = Held { budget: self.clone(), what: What::File };
        (before < self.most_files).then_some(held)
    }

    /// Counts bytes of state for as long as what is given lives.
    pub fn hold(self: &Arc<Self>, bytes: usize) -> Held {
        self.held_bytes.fetch_add(bytes, Ordering::Relaxed);
        self.charge(bytes);
        Held { budget: self.clone(), what: What::Bytes(bytes) }
    }

    /// Counts so many bytes more of state.
    pub fn charge(&self, bytes: usize) {
        let before = self.state_bytes.fetch_add(bytes, Ordering::Relaxed);
        let after = before.saturating_add(bytes);
        if before / UNASKED != after / UNASKED && after <= self.most_bytes && !has_room(bytes) {
            self.is_out_of_memory.store(true, Ordering::Relaxed);
        }
    }

    /// Has the system no more memory, whatever the limits say?
    fn is_out_of_memory(&self) -> bool {
        self.is_out_of_memory.load(Ordering::Relaxed)
    }

    /// What is said when more state is alive than may be; or, where that is so, that there is no more memory.
    pub fn state_message(&self, what: impl std::fmt::Display) -> String {
        if self.is_out_of_memory() {
            format!("the system has no more memory, before limit state-bytes of {}: {what}", self.most_bytes)
        } else {
            limit_message("state-bytes", self.most_bytes, what)
        }
    }

    /// Counts so many bytes less.
    pub fn release(&self, bytes: usize) {
        self.state_bytes.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Is more state alive than may be?
    pub fn has_too_much_state(&self) -> bool {
        self.state_bytes.load(Ordering::Relaxed) > self.most_bytes || self.is_out_of_memory()
    }
}

/// What is said when the limit of this name and value is reached.
pub(crate) fn limit_message(
    limit: impl std::fmt::Display,
    value: impl std::fmt::Display,
    what: impl std::fmt::Display,
) -> String {
    format!("limit {limit} of {value} reached: {what}")
}

/// Something that counts for as long as this lives.
#[derive(Debug)]
pub struct Held {
    budget: Arc<Budget>,
    what: What,
}

#[derive(Debug)]
enum What {
    File,
    Bytes(usize),
}

impl Held {
    /// So many bytes more; `false` where what is held alone is too much.
    pub fn grow(&mut self, bytes: usize) -> bool {
        if let What::Bytes(held) = &mut self.what {
            *held += bytes;
            self.budget.held_bytes.fetch_add(bytes, Ordering::Relaxed);
            self.budget.charge(bytes);
        }
        self.budget.held_bytes.load(Ordering::Relaxed) <= self.budget.most_bytes && !self.budget.is_out_of_memory()
    }

    /// The system has not given what was asked for.
    pub(crate) fn run_out(&self) {
        self.budget.is_out_of_memory.store(true, Ordering::Relaxed);
    }

    /// It is so many bytes now; `false` as [`Held::grow`] says.
    pub fn resize(&mut self, bytes: usize) -> bool {
        match &mut self.what {
            What::File => true,
            What::Bytes(held) if *held > bytes => {
                let less = std::mem::replace(held, bytes) - bytes;
                self.budget.held_bytes.fetch_sub(less, Ordering::Relaxed);
                self.budget.release(less);
                true
            }
            What::Bytes(held) => {
                let more = bytes - *held;
                self.grow(more)
            }
        }
    }

    /// Ends the run at once because it has too much state.
    pub fn end_run(&self, what: &str) {
        self.end_run_by(&self.budget.state_message(what));
    }

    /// Ends the run at once for the limit that the message names.
    pub(crate) fn end_run_by(&self, message: &str) {
        self.budget.reach(message, false);
        self.budget.stop();
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        match self.what {
            What::File => {
                self.budget.open_files.fetch_sub(1, Ordering::Relaxed);
            }
            What::Bytes(bytes) => {
                self.budget.held_bytes.fetch_sub(bytes, Ordering::Relaxed);
                self.budget.release(bytes);
            }
        }
    }
}
