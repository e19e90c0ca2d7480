//! A request, and what it is told of.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use hookshell_process::sync::lock;

use crate::outbox::Outbox;
use crate::output::OutputChannel;
use crate::protocol::RequestId;

/// A request that is done.
pub struct Call {
    id: RequestId,
    number: u64,
    outbox: Outbox,
    is_cancelled: AtomicBool,
    has_ended: AtomicBool,
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
            has_ended: AtomicBool::new(false),
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

    /// Its work has come to its end, and nothing that it has started is left: only the client is still to be told, which may not read.
    pub fn set_ended(&self) {
        self.has_ended.store(true, Ordering::Release);
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.has_ended.load(Ordering::Acquire)
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
        // What waits for the client's acknowledgement is to end, too.
        if let Some(output) = &*lock(&self.output) {
            output.close();
        }
        if let Some(told) = &*on_cancel {
            told();
        }
    }
}
