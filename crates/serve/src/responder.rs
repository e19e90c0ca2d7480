//! The answer that a request is owed.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread::{self, ThreadId};

use serde_json::value::RawValue;

use crate::call::Call;
use crate::protocol::{ErrorCode, RpcError};

/// What is to be done after an answer.
pub(crate) type After = Box<dyn FnOnce() + Send>;

/// Where answers go.
pub(crate) trait Owed: Send + Sync {
    /// Answers a request, once, and does what is to be done after that.
    fn answer(&self, call: &Call, result: Result<Box<RawValue>, RpcError>, after: Option<After>);

    /// One of the threads that do requests does none for a while.
    fn leave(&self);

    /// It is back.
    fn rejoin(&self);
}

/// A thread that does a request, and may be held up by something that nobody waits for any more: another one is to take its place then.
pub struct RequestThread {
    of: Arc<dyn Owed>,
    id: ThreadId,
    state: AtomicU8,
}

const COUNTS: u8 = 0;
const AWAY: u8 = 1;
const BACK: u8 = 2;

impl RequestThread {
    /// Is it this one?
    pub fn is_current(&self) -> bool {
        thread::current().id() == self.id
    }

    /// Has another one take its place, until it is [back](Self::back), where it is not yet.
    pub fn replace(&self) {
        if self.state.compare_exchange(COUNTS, AWAY, Ordering::AcqRel, Ordering::Acquire).is_ok() {
            self.of.leave();
        }
    }

    /// It is not held up any more.
    pub fn back(&self) {
        if self.state.swap(BACK, Ordering::AcqRel) == AWAY {
            self.of.rejoin();
        }
    }
}

impl fmt::Debug for RequestThread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RequestThread").field("id", &self.id).finish_non_exhaustive()
    }
}

/// A request, and its answer, which is given once, now or later, on any thread. Where it is dropped the client gets an internal error.
#[must_use = "a request must be answered"]
pub struct Responder {
    to: Arc<dyn Owed>,
    is_given: bool,
    call: Arc<Call>,
}

impl Responder {
    pub(crate) fn new(to: Arc<dyn Owed>, call: Arc<Call>) -> Self {
        Self { to, is_given: false, call }
    }

    /// The request.
    pub fn call(&self) -> &Arc<Call> {
        &self.call
    }

    /// The calling thread, which does the request.
    pub fn thread(&self) -> RequestThread {
        RequestThread { of: Arc::clone(&self.to), id: thread::current().id(), state: AtomicU8::new(COUNTS) }
    }

    /// Answers it.
    pub fn respond(self, result: Result<Box<RawValue>, RpcError>) {
        self.send(result, None);
    }

    /// Answers it, and does what the client need not wait for. Whoever waits for the request to be over waits for that too; where
    /// the client does not read its answer, it is done when the server ends, on another thread.
    pub fn respond_then(self, result: Result<Box<RawValue>, RpcError>, after: impl FnOnce() + Send + 'static) {
        self.send(result, Some(Box::new(after)));
    }

    fn send(mut self, result: Result<Box<RawValue>, RpcError>, after: Option<After>) {
        self.is_given = true;
        self.to.answer(&self.call, result, after);
    }
}

impl fmt::Debug for Responder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Responder").field("id", self.call.id()).finish_non_exhaustive()
    }
}

impl Drop for Responder {
    fn drop(&mut self) {
        if !self.is_given {
            let lost = RpcError::new(ErrorCode::Internal, "internal error: a thread panicked")
                .hint("this is a bug of hookshell's: please report it with the request");
            self.to.answer(&self.call, Err(lost), None);
        }
    }
}
