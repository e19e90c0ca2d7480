//! The answer that a request is owed.

use std::fmt;
use std::sync::Arc;

use serde_json::value::RawValue;

use crate::call::Call;
use crate::protocol::{ErrorCode, RpcError};

/// Where answers go.
pub(crate) trait Owed: Send + Sync {
    /// Answers a request, once.
    fn answer(&self, call: &Call, result: Result<Box<RawValue>, RpcError>);
}

/// A request, and its answer, which is given once, now or later, on any thread. Where it is dropped the client gets an internal error.
#[must_use = "a request must be answered"]
pub struct Answer {
    to: Option<Arc<dyn Owed>>,
    call: Arc<Call>,
}

impl Answer {
    pub(crate) fn new(to: Arc<dyn Owed>, call: Arc<Call>) -> Self {
        Self { to: Some(to), call }
    }

    /// The request.
    pub fn call(&self) -> &Arc<Call> {
        &self.call
    }

    /// Answers it.
    pub fn give(mut self, result: Result<Box<RawValue>, RpcError>) {
        if let Some(to) = self.to.take() {
            to.answer(&self.call, result);
        }
    }
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answer").field("id", self.call.id()).finish_non_exhaustive()
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        if let Some(to) = self.to.take() {
            let lost = RpcError::new(ErrorCode::Internal, "internal error: a thread panicked")
                .hint("this is a bug of hookshell's: please report it with the request");
            to.answer(&self.call, Err(lost));
        }
    }
}
