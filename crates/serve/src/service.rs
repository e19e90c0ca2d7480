//! What does the requests, and what it is told of each.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use hookshell_process::sync::lock;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::{RawValue, to_raw_value};

use crate::answer::Answer;
use crate::by_name::object_from_str;
use crate::outbox::Outbox;
use crate::output::OutputChannel;
use crate::place;
use crate::protocol::{ErrorCode, InitializeParams, InitializeResult, RequestId, RpcError};
use crate::questions::Questions;

/// What does the requests.
pub trait Service: Send + Sync + 'static {
    /// Takes the client's defaults. It is called once, before all others.
    ///
    /// # Errors
    /// The parameters make no sense.
    fn initialize(&self, params: InitializeParams, client: Questions) -> Result<InitializeResult, RpcError>;

    /// Does a request, on a thread of its own, and answers it, then or later. It watches [`Answer::call`] for its cancel, and answers when all
    /// is gone that it has started.
    fn call(&self, method: &str, params: Option<&RawValue>, answer: Answer);

    /// The answer of a request is on its way: whatever is sent from now on comes after it.
    fn answered(&self, call: &Call) {
        let _ = call;
    }

    /// Ends every session. It is called once, when no request is done any more.
    fn end(&self);
}

/// A request that is done.
pub struct Call {
    id: RequestId,
    number: u64,
    outbox: Outbox,
    is_cancelled: AtomicBool,
    on_cancel: Mutex<Option<Box<dyn Fn() + Send>>>,
    output: Mutex<Option<Arc<OutputChannel>>>,
}

impl Call {
    pub(crate) fn new(id: RequestId, number: u64, outbox: Outbox) -> Self {
        Self {
            id,
            number,
            outbox,
            is_cancelled: AtomicBool::new(false),
            on_cancel: Mutex::default(),
            output: Mutex::default(),
        }
    }

    /// The client has taken so many bytes of its output.
    pub(crate) fn acknowledge(&self, bytes: u64) {
        if let Some(output) = &*lock(&self.output) {
            output.acknowledge(bytes);
        }
    }

    /// Its identifier.
    pub fn id(&self) -> &RequestId {
        &self.id
    }

    /// How many requests came before it: who came first has the smaller one.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Does the client not want it any more?
    pub fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Acquire)
    }

    /// Has this called when the client does not want it any more; at once where that was said already.
    pub fn on_cancel(&self, told: impl Fn() + Send + 'static) {
        let mut on_cancel = lock(&self.on_cancel);
        if self.is_cancelled() {
            drop(on_cancel);
            told();
        } else {
            *on_cancel = Some(Box::new(told));
        }
    }

    /// The way to tell the client something about it, from any thread.
    pub fn notifier(&self) -> Outbox {
        self.outbox.clone()
    }

    /// The way of a command's output to the client.
    pub fn output(&self, window: Option<u64>) -> Arc<OutputChannel> {
        let channel = OutputChannel::new(self.id.clone(), self.outbox.clone(), window);
        *lock(&self.output) = Some(Arc::clone(&channel));
        if self.is_cancelled() {
            channel.close();
        }
        channel
    }

    /// Tells it that the client does not want it any more.
    pub(crate) fn cancel(&self) {
        let on_cancel = lock(&self.on_cancel);
        self.is_cancelled.store(true, Ordering::Release);
        if let Some(told) = &*on_cancel {
            told();
        }
        drop(on_cancel);
        if let Some(output) = &*lock(&self.output) {
            output.close();
        }
    }
}

/// Parameters of this type; none are as `{}`.
///
/// # Errors
/// They are of another one.
pub fn read_params<T: DeserializeOwned>(params: Option<&RawValue>) -> Result<T, RpcError> {
    // What is absent is the same as `null`.
    let text = params.map_or("{}", RawValue::get);
    object_from_str(text).map_err(|error| RpcError::new(ErrorCode::InvalidParams, place::describe(text, &error)))
}

/// A result as JSON.
///
/// # Errors
/// It cannot be written: a bug.
pub fn to_result(result: &impl Serialize) -> Result<Box<RawValue>, RpcError> {
    to_raw_value(result).map_err(|error| RpcError::new(ErrorCode::Internal, format!("the result: {error}")))
}
