//! What is asked of the client, and its answers.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, Waker};

use hookshell_process::sync::lock;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use crate::outbox::Outbox;
use crate::protocol::{CancelParams, RequestId};

/// The questions that wait for an answer of the client's. Cheap to clone.
#[derive(Clone)]
pub struct Questions {
    outbox: Outbox,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    next: AtomicU64,
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    slots: HashMap<String, Arc<Slot>>,
    /// Nobody answers any more.
    is_closed: bool,
}

#[derive(Default)]
struct Slot(Mutex<SlotState>);

#[derive(Default)]
struct SlotState {
    answer: Option<Result<Box<RawValue>, String>>,
    waker: Option<Waker>,
}

impl Slot {
    fn state(&self) -> MutexGuard<'_, SlotState> {
        lock(&self.0)
    }

    fn set(&self, answer: Result<Box<RawValue>, String>) {
        let mut state = self.state();
        state.answer = Some(answer);
        let waker = state.waker.take();
        drop(state);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl Questions {
    pub(crate) fn new(outbox: Outbox) -> Self {
        Self { outbox, shared: Arc::default() }
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        lock(&self.shared.open)
    }

    /// Asks the client. Dropping the question before it was answered tells the client that nobody waits any more.
    pub fn ask(&self, method: &str, params: &impl Serialize) -> Question {
        let id = format!("s{}", self.shared.next.fetch_add(1, Ordering::Relaxed) + 1);
        let slot = Arc::<Slot>::default();
        let mut open = self.open();
        let is_closed = open.is_closed;
        if !is_closed {
            open.slots.insert(id.clone(), Arc::clone(&slot));
        }
        drop(open);
        if is_closed {
            slot.set(Err("the client is gone".to_owned()));
        } else {
            self.outbox.ask(&id, method, params);
        }
        Question { questions: self.clone(), id, slot, is_answered: false }
    }

    /// Tells the client something.
    pub fn notify(&self, method: &str, params: &impl Serialize) {
        self.outbox.notify(method, params);
    }

    /// Takes an answer. One that nobody waits for is passed over.
    pub(crate) fn answer(&self, id: &RequestId, answer: Result<Box<RawValue>, String>) {
        let RequestId::Text(id) = id else { return };
        let slot = self.open().slots.remove(id);
        if let Some(slot) = slot {
            slot.set(answer);
        }
    }

    /// Nobody answers any more.
    pub(crate) fn close(&self) {
        let mut open = self.open();
        open.is_closed = true;
        let slots: Vec<_> = open.slots.drain().collect();
        drop(open);
        for (_, slot) in slots {
            slot.set(Err("the client is gone".to_owned()));
        }
    }
}

/// A question that was asked: a future of the answer.
#[must_use = "dropping it takes the question back"]
pub struct Question {
    questions: Questions,
    id: String,
    slot: Arc<Slot>,
    is_answered: bool,
}

impl Future for Question {
    type Output = Result<Box<RawValue>, String>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let slot = Arc::clone(&self.slot);
        let mut state = slot.state();
        match state.answer.take() {
            Some(answer) => {
                self.is_answered = true;
                Poll::Ready(answer)
            }
            None => {
                state.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}

impl Drop for Question {
    fn drop(&mut self) {
        let was_open = !self.is_answered && self.questions.open().slots.remove(&self.id).is_some();
        if was_open {
            let id = RequestId::Text(std::mem::take(&mut self.id));
            self.questions.outbox.notify("$/cancel", &CancelParams { id });
        }
    }
}

/// What an answer says.
///
/// # Errors
/// It is an error, or not of this type: what is wrong, in words.
pub fn read_answer<T: DeserializeOwned>(answer: Result<Box<RawValue>, String>) -> Result<T, String> {
    serde_json::from_str(answer?.get()).map_err(|error| error.to_string())
}
