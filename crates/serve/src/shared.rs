//! What the threads of a connection share, and the answer of a request.

use std::collections::HashMap;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use hookshell_process::sync::lock;
use serde_json::value::RawValue;

use crate::call::Call;
use crate::outbox::Outbox;
use crate::pool::{StartThread, Workers};
use crate::protocol::{Empty, ErrorCode, MAX_QUEUED_BYTES, MAX_QUEUED_REQUESTS, RequestId, RpcError};
use crate::questions::Questions;
use crate::responder::{After, Owed, Responder};
use crate::service::Service;

/// How long is waited for requests that were cancelled: their grace, and a bound for the kill.
const CANCEL_BOUND: Duration = Duration::from_secs(5);

/// How long a client may take to read the last answers.
pub(crate) const READ_BOUND: Duration = Duration::from_secs(1);

/// All that the threads of a connection share.
pub(crate) struct Shared<S> {
    pub(crate) service: S,
    pub(crate) outbox: Outbox,
    pub(crate) questions: Questions,
    pub(crate) workers: Workers,
    calls: Mutex<Calls>,
    /// How many there were.
    begun: AtomicU64,
    /// A call has ended.
    ended: Condvar,
    pub(crate) is_initialized: AtomicBool,
    pub(crate) is_shut_down: AtomicBool,
    has_ended: Mutex<bool>,
}

/// The requests that the client has no answer to.
#[derive(Default)]
struct Calls {
    /// Those that are not answered yet.
    open: HashMap<RequestId, Arc<Call>>,
    /// Those that are being answered, by their numbers, and what is to be done after that: their identifiers may be used again.
    answering: HashMap<u64, Arc<Mutex<Option<After>>>>,
}

impl<S: Service> Shared<S> {
    pub(crate) fn new(service: S, outbox: Outbox, start: StartThread) -> Self {
        Self {
            service,
            questions: Questions::new(outbox.clone()),
            outbox,
            workers: Workers::new(MAX_QUEUED_REQUESTS, MAX_QUEUED_BYTES, start),
            calls: Mutex::default(),
            begun: AtomicU64::new(0),
            ended: Condvar::new(),
            is_initialized: AtomicBool::new(false),
            is_shut_down: AtomicBool::new(false),
            has_ended: Mutex::new(false),
        }
    }

    /// A request that will be done or [forgotten](Self::forget).
    pub(crate) fn begin(&self, id: RequestId) -> Arc<Call> {
        let number = self.begun.fetch_add(1, Ordering::Relaxed);
        let call = Arc::new(Call::new(id.clone(), number, self.outbox.clone()));
        lock(&self.calls).open.insert(id, Arc::clone(&call));
        call
    }

    /// The request with this identifier that is not answered yet.
    pub(crate) fn call(&self, id: &RequestId) -> Option<Arc<Call>> {
        lock(&self.calls).open.get(id).cloned()
    }

    /// It is not done.
    pub(crate) fn forget(&self, id: &RequestId) {
        lock(&self.calls).open.remove(id);
        self.tell_of_end();
    }

    /// Wakes who waits for the end of all requests; nobody does before that is asked for.
    fn tell_of_end(&self) {
        if self.is_shut_down.load(Ordering::Acquire) {
            self.ended.notify_all();
        }
    }

    /// Does a request.
    pub(crate) fn do_request(self: &Arc<Self>, method: &str, params: Option<Box<RawValue>>, call: Arc<Call>) {
        let is_cancelled = call.is_cancelled();
        let responder = Responder::new(Arc::<Self>::clone(self), call);
        if is_cancelled {
            return responder.respond(Err(RpcError::new(ErrorCode::Cancelled, "cancelled")));
        }
        // Of a panic the answer tells, which is lost in it.
        let _ = catch_unwind(AssertUnwindSafe(|| self.service.call(method, params.as_deref(), responder)));
    }

    /// Cancels all requests, and waits until they are gone or a bound has passed; for those whose work is done as long as `to_read`
    /// after that of the others.
    pub(crate) fn stop(&self, to_read: Duration) {
        self.is_shut_down.store(true, Ordering::Release);
        self.questions.close();
        let until = Instant::now() + CANCEL_BOUND;
        let all: Vec<_> = lock(&self.calls).open.values().cloned().collect();
        for call in all {
            call.cancel();
        }
        self.wait_while(until, |calls| calls.open.values().any(|call| !call.has_ended()));
        // The others have nothing left that could be waited for but a client that reads.
        let until = until.min(Instant::now() + to_read);
        self.wait_while(until, |calls| !calls.open.is_empty());
    }

    /// Waits until the client has all answers, or has had a bound for reading them.
    pub(crate) fn flush(&self) {
        let until = Instant::now() + READ_BOUND;
        self.wait_while(until, |calls| !calls.answering.is_empty());
        // A client that does not read holds up the threads that write to it: what they would do after that is done here.
        let left: Vec<_> = lock(&self.calls).answering.values().cloned().collect();
        left.iter().for_each(|after| do_once(after));
        self.outbox.close(until);
    }

    fn wait_while(&self, until: Instant, is_left: impl Fn(&Calls) -> bool) {
        let mut calls = lock(&self.calls);
        while is_left(&calls) {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            // A call that ends between two looks tells nobody who waits.
            let wait = left.min(Duration::from_millis(50));
            calls = self.ended.wait_timeout(calls, wait).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Ends all sessions, once: whoever comes second waits until they are ended.
    pub(crate) fn end(&self) {
        let mut has_ended = lock(&self.has_ended);
        if !*has_ended {
            *has_ended = true;
            self.service.end();
            self.workers.close();
        }
    }

    /// Cancels all requests and ends all sessions on a thread of its own, and answers `shutdown` then.
    ///
    /// # Errors
    /// No thread can be started.
    pub(crate) fn shut_down(self: &Arc<Self>, id: RequestId) -> io::Result<()> {
        self.is_shut_down.store(true, Ordering::Release);
        // The end of the process waits for the answer.
        let number = self.begun.fetch_add(1, Ordering::Relaxed);
        lock(&self.calls).answering.insert(number, Arc::default());
        let ending = Arc::clone(self);
        let end = move || {
            // A client that asks for it is there, and may be slow: it gets the other answers first.
            ending.stop(CANCEL_BOUND);
            ending.end();
            ending.outbox.result(&id, &Empty {});
            lock(&ending.calls).answering.remove(&number);
            ending.tell_of_end();
        };
        let started = thread::Builder::new().name("hookshell-shutdown".to_owned()).spawn(end);
        if started.is_err() {
            lock(&self.calls).answering.remove(&number);
        }
        started.map(drop)
    }
}

/// Does what is to be done after an answer, under its lock: whoever comes second waits until it is done.
fn do_once(after: &Mutex<Option<After>>) {
    let mut after = lock(after);
    if let Some(after) = after.take() {
        after();
    }
}

/// A request that is being answered, until it is dropped: the end of the process waits for it.
struct Answering<'s, S: Service> {
    shared: &'s Shared<S>,
    number: u64,
}

impl<S: Service> Drop for Answering<'_, S> {
    fn drop(&mut self) {
        lock(&self.shared.calls).answering.remove(&self.number);
        self.shared.tell_of_end();
    }
}

impl<S: Service> Owed for Shared<S> {
    fn answer(&self, call: &Call, result: Result<Box<RawValue>, RpcError>, after: Option<After>) {
        let after = Arc::new(Mutex::new(after));
        // It may be used again as soon as the client has the answer.
        {
            let mut calls = lock(&self.calls);
            calls.open.remove(call.id());
            calls.answering.insert(call.number(), Arc::clone(&after));
        }
        // Also where what comes after the answer panics.
        let _answering = Answering { shared: self, number: call.number() };
        match result {
            Ok(result) => self.outbox.result(call.id(), &result),
            Err(error) => self.outbox.error(Some(call.id()), &error),
        }
        do_once(&after);
        self.service.answered(call);
    }

    fn leave(&self) {
        self.workers.leave();
    }

    fn rejoin(&self) {
        self.workers.rejoin();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pool::start_thread;
    use crate::protocol::{InitializeParams, InitializeResult};
    use crate::testing::Collected;

    /// Panics after each answer.
    struct Panics;

    impl Service for Panics {
        fn initialize(&self, _: InitializeParams, _: Questions) -> Result<InitializeResult, RpcError> {
            Err(RpcError::new(ErrorCode::Internal, "no"))
        }

        fn call(&self, _: &str, _: Option<&RawValue>, responder: Responder) {
            let null = RawValue::from_string("null".to_owned()).unwrap();
            responder.respond_then(Ok(null), || panic!("after the answer"));
        }

        fn end(&self) {}
    }

    #[test]
    fn a_panic_after_an_answer_leaves_nobody_waiting() {
        let collected = Collected::default();
        let outbox = Outbox::new(Box::new(collected.clone()), || ());
        let shared = Arc::new(Shared::new(Panics, outbox, Box::new(start_thread)));
        let call = shared.begin(RequestId::Number(1));
        shared.do_request("hooks/run", None, call);
        assert_eq!(collected.lines().len(), 1);
        let calls = lock(&shared.calls);
        assert!(calls.open.is_empty() && calls.answering.is_empty());
    }
}
