//! The message loop: reads the client's messages, and has requests done side by side.

use std::io::{BufReader, Read};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use hookshell_process::wait_awake_for;
use serde_json::value::RawValue;

use crate::call::Call;
use crate::line::{Line, read_line};
use crate::message::{self, Message};
use crate::pool::Refused;
use crate::protocol::{
    AckParams, CancelParams, ErrorCode, MAX_MESSAGE_BYTES, MethodKind, NoParams, RequestId, RpcError, find_method,
};
use crate::relief::Relief;
use crate::service::{Service, read_params};
use crate::shared::Shared;

/// Why the loop came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndReason {
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

/// How much of the input is read at once.
const BUFFER: usize = 64 * 1024;

/// The reading of the input. It goes from thread to thread: whoever has it reads.
pub(crate) struct Reading<S: Service> {
    shared: Arc<Shared<S>>,
    input: BufReader<Box<dyn Read + Send>>,
    /// Is there any input? Where it can be asked, and another processor may be writing it.
    is_ready: Option<IsReady>,
    habit: Habit,
    /// Who reads on where this thread does not come back from a request.
    relief: Option<Arc<Relief<Self>>>,
    ended: Option<Box<dyn FnOnce(EndReason) + Send>>,
}

/// Says whether a read would give something at once, or the end.
pub(crate) type IsReady = Box<dyn Fn() -> bool + Send>;

/// How long the next message is waited for awake, after a request: an agent often asks for something else at once, and to go to sleep and be woken takes half
/// as long.
const AWAKE: Duration = Duration::from_micros(100);

/// Does the client ask again at once? Where it did not, it is waited for awake more and more seldom: the processor may be the one that it needs.
#[derive(Default)]
struct Habit {
    /// How often in a row it did not.
    misses: u32,
    /// So many requests are passed over before it is tried again.
    to_skip: u32,
}

impl Habit {
    /// It is tried again after two to the power of this many requests at the latest.
    const MOST: u32 = 6;

    fn is_to_be_tried(&mut self) -> bool {
        let is_due = self.to_skip == 0;
        self.to_skip = self.to_skip.saturating_sub(1);
        is_due
    }

    fn learn(&mut self, has_come: bool) {
        self.misses = if has_come { 0 } else { (self.misses + 1).min(Self::MOST) };
        self.to_skip = (1 << self.misses) - 1;
    }
}

/// What came of a message.
enum Taken {
    /// All of it is done.
    Done,
    /// It is to be done.
    Request(Request),
    /// It is the last one.
    Last(EndReason),
}

/// A request that is known and not begun yet.
struct Request {
    method: &'static str,
    params: Option<Box<RawValue>>,
    call: Arc<Call>,
    /// How long its message is.
    bytes: usize,
}

impl<S: Service> Reading<S> {
    /// `ended` is called once.
    pub(crate) fn new(
        shared: Arc<Shared<S>>,
        input: impl Read + Send + 'static,
        is_ready: Option<IsReady>,
        ended: impl FnOnce(EndReason) + Send + 'static,
    ) -> Self {
        let input: Box<dyn Read + Send> = Box::new(input);
        // A single processor has something better to do.
        let is_ready = is_ready.filter(|_| thread::available_parallelism().is_ok_and(|count| count.get() > 1));
        let relief = Relief::start(|reading: Self| {
            let shared = Arc::clone(&reading.shared);
            shared.workers.take_over(reading, Self::read_on).err()
        });
        Self {
            shared,
            input: BufReader::with_capacity(BUFFER, input),
            is_ready,
            habit: Habit::default(),
            relief,
            ended: Some(Box::new(ended)),
        }
    }

    /// Reads until the end, or until another thread reads.
    pub(crate) fn read_on(mut self) {
        loop {
            let taken = match read_line(&mut self.input, MAX_MESSAGE_BYTES) {
                Ok(Line::Whole(line)) => self.take(&line),
                Ok(Line::TooLong(beginning)) => {
                    let why = format!("the message is longer than {MAX_MESSAGE_BYTES} bytes");
                    let error = RpcError::new(ErrorCode::MessageTooLarge, why);
                    self.shared.outbox.post_error(message::id_in(&beginning).as_ref(), &error);
                    Taken::Done
                }
                Ok(Line::End) | Err(_) => Taken::Last(EndReason::Input),
            };
            let request = match taken {
                Taken::Last(ended) => return self.end(ended),
                taken if self.shared.outbox.is_dead() => {
                    if let Taken::Request(request) = taken {
                        self.shared.forget(request.call.id());
                    }
                    return self.end(EndReason::Output);
                }
                Taken::Request(request) => request,
                Taken::Done => continue,
            };
            let shared = Arc::clone(&self.shared);
            if !self.input.buffer().is_empty() {
                submit(&shared, request);
                continue;
            }
            // Where no thread could read on, this one does, and the request waits.
            if let Some(relief) = self.relief.clone().filter(|_| shared.workers.has_room()) {
                let Some(back) = relief.leave(self) else {
                    shared.do_request(request.method, request.params, request.call);
                    let Some(back) = relief.take_back() else { return };
                    self = back;
                    self.wait_awake();
                    continue;
                };
                self = back;
            }
            match shared.workers.hand_on(self, Self::read_on) {
                Ok(()) => return shared.do_request(request.method, request.params, request.call),
                Err(reading) => {
                    submit(&shared, request);
                    self = reading;
                }
            }
        }
    }

    /// Waits a moment for what the client may be writing right now.
    fn wait_awake(&mut self) {
        if let Some(is_ready) = &self.is_ready
            && self.habit.is_to_be_tried()
        {
            self.habit.learn(wait_awake_for(AWAKE, is_ready));
        }
    }

    /// Takes a message.
    fn take(&self, line: &[u8]) -> Taken {
        let shared = &self.shared;
        let Some(message) = message::parse(line) else { return Taken::Done };
        match message {
            Message::Wrong(all) => {
                for (id, error) in all {
                    shared.outbox.post_error(id.as_ref(), &error);
                }
            }
            Message::Response { id, answer } => shared.questions.answer(&id, answer),
            Message::Notification { method, params } => match method.as_str() {
                // Whatever its parameters are: who says it waits for the end.
                "exit" => {
                    let after_shutdown = shared.is_shut_down.load(Ordering::Acquire);
                    return Taken::Last(EndReason::Exit { after_shutdown });
                }
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
                    {
                        call.acknowledge(bytes);
                    }
                }
                // Nobody waits for an answer.
                _ => {}
            },
            Message::Request { id, method, params } => match self.request(&id, &method, params, line.len()) {
                Ok(request) => return request.map_or(Taken::Done, Taken::Request),
                Err(error) => shared.outbox.post_error(Some(&id), &error),
            },
        }
        Taken::Done
    }

    /// Takes a request; `None`: it was answered, or will be by another thread.
    fn request(
        &self,
        id: &RequestId,
        method: &str,
        params: Option<Box<RawValue>>,
        bytes: usize,
    ) -> Result<Option<Request>, RpcError> {
        let shared = &self.shared;
        let known = match find_method(method) {
            Some(known) if known.kind == MethodKind::Request => known,
            Some(_) => {
                let why = format!("`{method}` is a notification: it is sent without an `id`");
                return Err(RpcError::new(ErrorCode::MethodNotFound, why));
            }
            None => return Err(RpcError::new(ErrorCode::MethodNotFound, format!("there is no method `{method}`"))),
        };
        if shared.call(id).is_some() {
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
                shared.outbox.result(id, &result);
                return Ok(None);
            }
            _ if !is_initialized => {
                return Err(RpcError::new(ErrorCode::NotInitialized, "the first request must be `initialize`"));
            }
            "shutdown" => {
                let _: NoParams = read_params(params.as_deref())?;
                return shared
                    .shut_down(id.clone())
                    .map(|()| None)
                    .map_err(|error| RpcError::new(ErrorCode::Internal, format!("no thread can be started: {error}")));
            }
            _ => {}
        }
        Ok(Some(Request { method: known.name, params, call: shared.begin(id.clone()), bytes }))
    }

    fn end(mut self, ended: EndReason) {
        if let Some(told) = self.ended.take() {
            told(ended);
        }
    }
}

impl<S: Service> Drop for Reading<S> {
    fn drop(&mut self) {
        if let Some(relief) = &self.relief {
            relief.close();
        }
        // A thread panicked, or all were told to end: nobody reads any more.
        if let Some(told) = self.ended.take() {
            told(EndReason::Input);
        }
    }
}

/// Has another thread do it.
fn submit<S: Service>(shared: &Arc<Shared<S>>, request: Request) {
    let Request { method, params, call, bytes } = request;
    let id = call.id().clone();
    let doing = Arc::clone(shared);
    let refused = match shared.workers.submit(bytes, Box::new(move || doing.do_request(method, params, call)), 1) {
        Ok(()) => return,
        Err(Refused::Full) => {
            RpcError::new(ErrorCode::Busy, "too many requests wait").hint("wait for answers before more is asked")
        }
        Err(Refused::NoThread(error)) => RpcError::new(ErrorCode::Busy, format!("no thread can be started: {error}")),
    };
    shared.forget(&id);
    shared.outbox.post_error(Some(&id), &refused);
}

#[cfg(test)]
mod tests {
    use super::Habit;

    #[test]
    fn a_client_that_does_not_ask_at_once_is_waited_for_more_and_more_seldom() {
        let mut habit = Habit::default();
        let mut tries = |requests: u32, has_come: bool| {
            let mut tries = 0;
            for _ in 0..requests {
                if habit.is_to_be_tried() {
                    tries += 1;
                    habit.learn(has_come);
                }
            }
            tries
        };
        assert_eq!(tries(100, true), 100);
        assert_eq!(tries(2 + 4 + 8 + 16 + 32 + 64, false), 6);
        assert_eq!(tries(640, false), 10);
        // One that it was waited for in time, and every one is tried again.
        assert_eq!(tries(64, true), 64);
    }
}
