//! What goes to the client: whole lines, in order, of which only so many bytes wait.

use std::collections::VecDeque;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use hookshell_process::sync::lock;
use serde::Serialize;

use crate::protocol::{RequestId, RpcError};

/// How many bytes may wait for a client that does not read. One message more than that may be added by each who sends.
pub(crate) const MAX_WAITING_BYTES: usize = 8 * 1024 * 1024;

/// How much is written at once.
const BATCH: usize = 256 * 1024;

/// Something that waits to be written.
pub(crate) enum Item {
    /// A line, with its newline.
    Line(Vec<u8>),
    /// Whoever has more: it appends lines when it is written.
    Source(Arc<dyn Source>),
}

/// Makes its lines when they can be written, so that what comes meanwhile is put together.
pub(crate) trait Source: Send + Sync {
    /// Appends lines, and says whether it has more. It must not wait.
    fn append_to(&self, lines: &mut Vec<u8>) -> bool;
}

/// The way to the client. Whoever sends writes, unless somebody is writing already; then that one continues, or the thread of
/// `Outbox::write_waiting`. Cheap to clone.
#[derive(Clone)]
pub struct Outbox {
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<State>,
    /// Somebody waits for room.
    room: Condvar,
    /// The writing thread waits for work.
    work: Condvar,
    writer: Mutex<Box<dyn Write + Send>>,
    is_dead: AtomicBool,
    on_death: Mutex<Option<Box<dyn FnOnce() + Send>>>,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Item>,
    bytes: usize,
    /// How many wait for room.
    waiters: usize,
    /// Somebody writes.
    is_writing: bool,
    is_closed: bool,
}

impl Outbox {
    /// The way to a writer. `on_death` is called once where it cannot be written any more.
    pub fn new(writer: Box<dyn Write + Send>, on_death: impl FnOnce() + Send + 'static) -> Self {
        Self {
            shared: Arc::new(Shared {
                state: Mutex::default(),
                room: Condvar::new(),
                work: Condvar::new(),
                writer: Mutex::new(writer),
                is_dead: AtomicBool::new(false),
                on_death: Mutex::new(Some(Box::new(on_death))),
            }),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing panics under the lock.
        lock(&self.shared.state)
    }

    /// Can nothing be written any more?
    pub fn is_dead(&self) -> bool {
        self.shared.is_dead.load(Ordering::Acquire)
    }

    /// Sends a message. It waits while too much waits already.
    pub fn send(&self, message: &impl Serialize) {
        self.send_line(line_of(message));
    }

    /// Sends the result of a request.
    pub fn result(&self, id: &RequestId, result: &impl Serialize) {
        #[derive(Serialize)]
        struct Response<'r, T: Serialize> {
            jsonrpc: &'static str,
            id: &'r RequestId,
            result: &'r T,
        }
        self.send(&Response { jsonrpc: "2.0", id, result });
    }

    /// Sends the error of a request, or of what cannot be read.
    pub fn error(&self, id: Option<&RequestId>, error: &RpcError) {
        self.send_line(error_line(id, error));
    }

    /// Sends a notification.
    pub fn notify(&self, method: &str, params: &impl Serialize) {
        self.send(&Outgoing { jsonrpc: "2.0", id: None, method, params });
    }

    /// Sends a request of ours.
    pub fn ask(&self, id: &str, method: &str, params: &impl Serialize) {
        self.send(&Outgoing { jsonrpc: "2.0", id: Some(id), method, params });
    }

    /// Sends the error of a request for a thread that must not write: it reads what the client sends.
    pub(crate) fn post_error(&self, id: Option<&RequestId>, error: &RpcError) {
        self.post(Item::Line(error_line(id, error)));
    }

    /// Has the writing thread write this. A line waits while too much waits already.
    pub(crate) fn post(&self, item: Item) {
        let mut state = match &item {
            Item::Line(_) => self.wait_for_room(),
            // It has a bound of its own.
            Item::Source(_) => self.state(),
        };
        if self.is_dead() {
            return;
        }
        push(&mut state, item);
        let is_writing = state.is_writing;
        drop(state);
        if !is_writing {
            // Whoever is woken needs the lock.
            self.shared.work.notify_one();
        }
    }

    fn wait_for_room(&self) -> MutexGuard<'_, State> {
        let is_full = |state: &mut State| state.bytes >= MAX_WAITING_BYTES && !self.is_dead();
        let mut state = self.state();
        if is_full(&mut state) {
            state.waiters += 1;
            state = self.shared.room.wait_while(state, is_full).unwrap_or_else(PoisonError::into_inner);
            state.waiters -= 1;
        }
        state
    }

    /// Sends whole lines.
    pub(crate) fn send_line(&self, line: Vec<u8>) {
        let mut state = self.wait_for_room();
        if self.is_dead() {
            return;
        }
        push(&mut state, Item::Line(line));
        if !state.is_writing {
            // Its own line and what came before: the rest is not its business.
            self.write_batch(state);
        }
    }

    /// Writes what waits, up to a bound, and leaves the rest to the writing thread.
    fn write_batch<'o>(&'o self, mut state: MutexGuard<'o, State>) {
        state.is_writing = true;
        let mut lines = Vec::new();
        let mut taken = 0;
        while lines.len() < BATCH {
            match state.waiting.pop_front() {
                Some(Item::Line(line)) => {
                    taken += line.len();
                    if lines.is_empty() { lines = line } else { lines.extend_from_slice(&line) }
                }
                Some(Item::Source(source)) => {
                    // Making its lines takes a while, and others add theirs.
                    drop(state);
                    let has_more = source.append_to(&mut lines);
                    state = self.state();
                    if has_more {
                        state.waiting.push_back(Item::Source(source));
                    }
                }
                None => break,
            }
        }
        drop(state);
        let written = if self.is_dead() { Ok(()) } else { self.write(&lines) };
        let mut state = self.state();
        state.bytes = state.bytes.saturating_sub(taken);
        state.is_writing = false;
        // To wake nobody is a call of the system too.
        let (has_work, has_waiters) = (!state.waiting.is_empty() || state.is_closed, state.waiters > 0);
        drop(state);
        if has_work {
            self.shared.work.notify_one();
        }
        match written {
            Ok(()) if has_waiters => self.shared.room.notify_all(),
            Ok(()) => {}
            Err(_) => self.die(),
        }
    }

    fn write(&self, lines: &[u8]) -> std::io::Result<()> {
        let mut writer = lock(&self.shared.writer);
        writer.write_all(lines)?;
        writer.flush()
    }

    /// Nothing is written any more, and nobody waits.
    pub fn die(&self) {
        self.shared.is_dead.store(true, Ordering::Release);
        let mut state = self.state();
        state.waiting.clear();
        state.bytes = 0;
        drop(state);
        self.shared.room.notify_all();
        let told = lock(&self.shared.on_death).take();
        if let Some(told) = told {
            told();
        }
    }

    /// The writing thread's work, until [`Outbox::close`].
    pub(crate) fn write_waiting(&self) {
        loop {
            let is_idle = |state: &mut State| state.is_writing || (state.waiting.is_empty() && !state.is_closed);
            let state = self.shared.work.wait_while(self.state(), is_idle).unwrap_or_else(PoisonError::into_inner);
            if state.waiting.is_empty() {
                return;
            }
            self.write_batch(state);
        }
    }

    /// Has the writing thread end once what waits is written, and waits for that, at most until then: there are clients
    /// that do not read.
    pub(crate) fn close(&self, until: Instant) {
        let mut state = self.state();
        state.is_closed = true;
        // Who writes a batch tells only who waits for room.
        state.waiters += 1;
        self.shared.work.notify_all();
        let is_left = |state: &mut State| (state.is_writing || !state.waiting.is_empty()) && !self.is_dead();
        let bound = until.saturating_duration_since(Instant::now());
        let waited = self.shared.room.wait_timeout_while(state, bound, is_left);
        waited.unwrap_or_else(PoisonError::into_inner).0.waiters -= 1;
    }
}

fn push(state: &mut State, item: Item) {
    if let Item::Line(line) = &item {
        state.bytes += line.len();
    }
    state.waiting.push_back(item);
}

#[derive(Serialize)]
struct Outgoing<'m, T: Serialize> {
    jsonrpc: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'m str>,
    method: &'m str,
    params: &'m T,
}

fn error_line(id: Option<&RequestId>, error: &RpcError) -> Vec<u8> {
    #[derive(Serialize)]
    struct Failure<'r> {
        jsonrpc: &'static str,
        id: Option<&'r RequestId>,
        error: &'r RpcError,
    }
    line_of(&Failure { jsonrpc: "2.0", id, error })
}

/// A message as a line.
fn line_of(message: &impl Serialize) -> Vec<u8> {
    let mut line = Vec::with_capacity(256);
    // Our own types: strings, numbers and JSON that was read before cannot fail.
    if serde_json::to_writer(&mut line, message).is_err() {
        line.clear();
    }
    line.push(b'\n');
    line
}
