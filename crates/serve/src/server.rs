//! The message loop: reads the client's messages and has requests done side by side.

use std::collections::HashMap;
use std::io::BufRead;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::{RawValue, to_raw_value};

use crate::by_name::object_from_str;
use crate::line::{Line, read_line};
use crate::message::{self, Message};
use crate::outbox::Outbox;
use crate::output::OutputChannel;
use crate::pool::{Refused, Workers};
use crate::protocol::{
    AckParams, CancelParams, Empty, ErrorCode, InitializeParams, InitializeResult, MAX_MESSAGE_BYTES, MAX_QUEUED_BYTES,
    MAX_QUEUED_REQUESTS, MethodKind, NoParams, RequestId, RpcError, find_method,
};
use crate::questions::Questions;

/// How long is waited for requests that were cancelled: their grace, and a bound for the kill.
const CANCEL_BOUND: Duration = Duration::from_secs(5);

/// What does the requests.
pub trait Service: Send + Sync + 'static {
    /// Takes the client's defaults. It is called once, before all others.
    ///
    /// # Errors
    /// The parameters make no sense.
    fn initialize(&self, params: InitializeParams, client: Questions) -> Result<InitializeResult, RpcError>;

    /// Does a request, on a thread of its own. It watches `call` for its cancel, and comes back when all is gone that it has
    /// started.
    ///
    /// # Errors
    /// It could not be done.
    fn call(&self, method: &str, params: Option<&RawValue>, call: &Call) -> Result<Box<RawValue>, RpcError>;

    /// Ends every session. It is called once, when no request is done any more.
    fn end(&self);
}

/// A request that is done.
pub struct Call {
    id: RequestId,
    outbox: Outbox,
    is_cancelled: AtomicBool,
    on_cancel: Mutex<Option<Box<dyn Fn() + Send>>>,
    output: Mutex<Option<Arc<OutputChannel>>>,
}

impl Call {
    /// Its identifier.
    pub fn id(&self) -> &RequestId {
        &self.id
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

    fn cancel(&self) {
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

/// Why the loop came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The client said `exit`; after `shutdown`?
    Exit {
        /// Was `shutdown` asked for before?
        after_shutdown: bool,
    },
    /// The end of the input, or it cannot be read any more.
    Input,
    /// The output cannot be written any more.
    Output,
}

/// A connection. Cheap to clone: clones are the same.
pub struct Server<S: Service> {
    shared: Arc<Shared<S>>,
}

impl<S: Service> Clone for Server<S> {
    fn clone(&self) -> Self {
        Self { shared: Arc::clone(&self.shared) }
    }
}

struct Shared<S> {
    service: S,
    outbox: Outbox,
    questions: Questions,
    workers: Workers,
    calls: Mutex<HashMap<RequestId, Arc<Call>>>,
    /// A call has ended.
    ended: Condvar,
    is_initialized: AtomicBool,
    is_shut_down: AtomicBool,
    has_ended: AtomicBool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // No code of others runs under these locks, but what wakes somebody.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<S: Service> Server<S> {
    /// A connection to the client at the other end of `outbox`.
    pub fn new(service: S, outbox: Outbox) -> Self {
        let shared = Shared {
            service,
            questions: Questions::new(outbox.clone()),
            outbox,
            workers: Workers::new(MAX_QUEUED_REQUESTS, MAX_QUEUED_BYTES),
            calls: Mutex::default(),
            ended: Condvar::new(),
            is_initialized: AtomicBool::new(false),
            is_shut_down: AtomicBool::new(false),
            has_ended: AtomicBool::new(false),
        };
        Self { shared: Arc::new(shared) }
    }

    /// Takes messages until the end. Then requests are still done: see [`Server::stop`].
    ///
    /// # Errors
    /// The thread that writes cannot be started.
    pub fn run(&self, reader: &mut impl BufRead) -> std::io::Result<Ended> {
        let outbox = self.shared.outbox.clone();
        let writing = outbox.clone();
        thread::Builder::new()
            .name("hookshell-write".to_owned())
            .stack_size(256 * 1024)
            .spawn(move || writing.write_waiting())?;
        loop {
            let ended = match read_line(reader, MAX_MESSAGE_BYTES) {
                Ok(Line::Whole(line)) => self.take(&line),
                Ok(Line::TooLong(beginning)) => {
                    let why = format!("the message is longer than {MAX_MESSAGE_BYTES} bytes");
                    let error = RpcError::new(ErrorCode::MessageTooLarge, why);
                    outbox.post_error(message::id_in(&beginning).as_ref(), &error);
                    None
                }
                Ok(Line::End) | Err(_) => Some(Ended::Input),
            };
            if let Some(ended) = ended {
                return Ok(ended);
            }
            if outbox.is_dead() {
                return Ok(Ended::Output);
            }
        }
    }

    /// Cancels what is done, waits until it is gone or a bound has passed, and ends all sessions. Whoever calls it first does it.
    pub fn stop(&self) {
        self.shared.stop();
        self.shared.end();
        self.shared.outbox.close();
    }

    /// Takes a message; `Some`: it is the last one.
    fn take(&self, line: &[u8]) -> Option<Ended> {
        let shared = &self.shared;
        match message::parse(line)? {
            Message::Wrong(all) => {
                for (id, error) in all {
                    shared.outbox.post_error(id.as_ref(), &error);
                }
            }
            Message::Response { id, answer } => shared.questions.answer(&id, answer),
            Message::Notification { method, params } => match method.as_str() {
                // Whatever its parameters are: who says it waits for the end.
                "exit" => return Some(Ended::Exit { after_shutdown: shared.is_shut_down.load(Ordering::Acquire) }),
                "$/cancel" => {
                    if let Ok(CancelParams { id }) = read_params(params.as_deref())
                        && let Some(call) = shared.call(&id)
                    {
                        call.cancel();
                    }
                }
                "shell/ack" => {
                    if let Ok(AckParams { id, bytes }) = read_params(params.as_deref())
                        && let Some(call) = shared.call(&id)
                        && let Some(output) = &*lock(&call.output)
                    {
                        output.acknowledge(bytes);
                    }
                }
                // Nobody waits for an answer.
                _ => {}
            },
            Message::Request { id, method, params } => {
                if let Err(error) = self.request(id.clone(), &method, params, line.len()) {
                    shared.outbox.post_error(Some(&id), &error);
                }
            }
        }
        None
    }

    fn request(
        &self,
        id: RequestId,
        method: &str,
        params: Option<Box<RawValue>>,
        bytes: usize,
    ) -> Result<(), RpcError> {
        let shared = &self.shared;
        let known = find_method(method).filter(|known| known.kind == MethodKind::Request);
        let Some(known) = known else {
            return Err(RpcError::new(ErrorCode::MethodNotFound, format!("there is no method `{method}`")));
        };
        if shared.call(&id).is_some() {
            return Err(RpcError::new(
                ErrorCode::InvalidRequest,
                "the `id` is that of a request that is not answered yet",
            ));
        }
        if shared.is_shut_down.load(Ordering::Acquire) {
            return Err(RpcError::new(ErrorCode::ShuttingDown, "after `shutdown` only `exit` is taken"));
        }
        let is_initialized = shared.is_initialized.load(Ordering::Acquire);
        match known.name {
            "initialize" if is_initialized => {
                return Err(RpcError::new(ErrorCode::InvalidRequest, "`initialize` comes only once"));
            }
            "initialize" => {
                let result = shared.service.initialize(read_params(params.as_deref())?, shared.questions.clone())?;
                shared.is_initialized.store(true, Ordering::Release);
                shared.outbox.result(&id, &result);
                return Ok(());
            }
            _ if !is_initialized => {
                return Err(RpcError::new(ErrorCode::NotInitialized, "the first request must be `initialize`"));
            }
            "shutdown" => {
                let _: NoParams = read_params(params.as_deref())?;
                shared.is_shut_down.store(true, Ordering::Release);
                let (ending, of_thread) = (Arc::clone(shared), id.clone());
                let end = move || {
                    ending.stop();
                    ending.end();
                    ending.outbox.result(&of_thread, &Empty {});
                };
                let started = thread::Builder::new().name("hookshell-shutdown".to_owned()).spawn(end);
                return started
                    .map(drop)
                    .map_err(|error| RpcError::new(ErrorCode::Internal, format!("no thread can be started: {error}")));
            }
            _ => {}
        }
        let call = Arc::new(Call {
            id: id.clone(),
            outbox: shared.outbox.clone(),
            is_cancelled: AtomicBool::new(false),
            on_cancel: Mutex::default(),
            output: Mutex::default(),
        });
        lock(&shared.calls).insert(id.clone(), Arc::clone(&call));
        let doing = Arc::clone(shared);
        let submitted = shared.workers.submit(bytes, Box::new(move || doing.answer(known.name, params, &call)));
        submitted.map_err(|refused| {
            shared.forget(&id);
            match refused {
                Refused::Full => RpcError::new(ErrorCode::Busy, "too many requests wait")
                    .hint("wait for answers before more is asked"),
                Refused::NoThread(error) => {
                    RpcError::new(ErrorCode::Busy, format!("no thread can be started: {error}"))
                }
            }
        })
    }
}

impl<S: Service> Shared<S> {
    fn call(&self, id: &RequestId) -> Option<Arc<Call>> {
        lock(&self.calls).get(id).cloned()
    }

    fn forget(&self, id: &RequestId) {
        lock(&self.calls).remove(id);
        self.tell_of_end();
    }

    /// Wakes who waits for the end of all requests; nobody does before that is asked for.
    fn tell_of_end(&self) {
        if self.is_shut_down.load(Ordering::Acquire) {
            self.ended.notify_all();
        }
    }

    /// Does a request and answers it.
    fn answer(&self, method: &str, params: Option<Box<RawValue>>, call: &Call) {
        let cancelled = || RpcError::new(ErrorCode::Cancelled, "cancelled");
        let answer = if call.is_cancelled() {
            Err(cancelled())
        } else {
            let done = catch_unwind(AssertUnwindSafe(|| self.service.call(method, params.as_deref(), call)));
            done.unwrap_or_else(|_| {
                Err(RpcError::new(ErrorCode::Internal, "internal error: a thread panicked")
                    .hint("this is a bug of hookshell's: please report it with the request"))
            })
        };
        // It may be used again as soon as the client has the answer.
        lock(&self.calls).remove(&call.id);
        match answer {
            Ok(result) => self.outbox.result(&call.id, &result),
            Err(error) => self.outbox.error(Some(&call.id), &error),
        }
        self.tell_of_end();
    }

    /// Cancels all requests, and waits until they are gone or a bound has passed.
    fn stop(&self) {
        self.is_shut_down.store(true, Ordering::Release);
        self.questions.close();
        let until = Instant::now() + CANCEL_BOUND;
        let mut calls = lock(&self.calls);
        let all: Vec<_> = calls.values().cloned().collect();
        drop(calls);
        for call in all {
            call.cancel();
        }
        calls = lock(&self.calls);
        while !calls.is_empty() {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            // A call that ends between two looks tells nobody who waits.
            let wait = left.min(Duration::from_millis(50));
            calls = self.ended.wait_timeout(calls, wait).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn end(&self) {
        if !self.has_ended.swap(true, Ordering::AcqRel) {
            self.service.end();
            self.workers.close();
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
    object_from_str(text).map_err(|error| RpcError::new(ErrorCode::InvalidParams, format!("`params`: {error}")))
}

/// A result as JSON.
///
/// # Errors
/// It cannot be written: a bug.
pub fn to_result(result: &impl Serialize) -> Result<Box<RawValue>, RpcError> {
    to_raw_value(result).map_err(|error| RpcError::new(ErrorCode::Internal, format!("the result: {error}")))
}
