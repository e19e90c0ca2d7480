//! Waiting for the hooks of an event, for a cancel, and for the end of the session.
//!
//! A hook that is alone is run by the thread of its request itself: to wake another thread, and to be woken by it, takes longer than a short
//! hook does. Nobody waits then, until something happens on another thread (the hook's deadline, a cancel, the end of its session): another thread waits from
//! then on, and the hook's own one is free when the hook comes back, if it ever does.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use hookshell_process::sync::lock;
use hookshell_process::wait_awake;
use hookshell_runner::{Event, Runner, Verdict, WakeReason};
use hookshell_serve::protocol::{ErrorCode, RpcError};
use hookshell_serve::{Call, RequestThread, Responder};
use hookshell_shell::{KeptJob, Pool};

use super::open_runs::OpenRun;
use crate::decide::{Both, Decided, Wake};
use crate::project::{Project, Report};

/// How long hooks are waited for that were cancelled: their grace, and a bound for the kill.
const CANCEL_BOUND: Duration = Duration::from_secs(4);

/// What the hooks came to.
pub(super) type Waited = Result<(Verdict, Report), RpcError>;

/// What is done with it.
pub(super) type Then = Box<dyn FnOnce(Waited) + Send>;

/// The hooks of an event.
pub(super) struct HooksToRun {
    pub(super) runner: Runner,
    pub(super) event: Arc<Event>,
    pub(super) project: Option<Project>,
    /// There is one at most, and no project's.
    pub(super) is_alone: bool,
}

/// Who waits for the hooks of an event.
pub(super) struct Waiter {
    state: Mutex<State>,
    was_woken: AtomicBool,
    /// Where a thread is found that waits from now on.
    threads: Pool,
    /// That of the request.
    thread: RequestThread,
}

struct State {
    turn: Turn,
    /// The thread of the request does not come back to look who waits.
    has_left: bool,
}

enum Turn {
    /// This thread waits, or is about to.
    Waits(Thread),
    /// The thread of the request runs a hook, and nobody waits.
    Runs(Box<Waiting>),
}

/// Hooks that were started, and all that is needed to wait for them.
struct Waiting {
    /// `None`: they were told to end.
    both: Option<Both>,
    /// It has an end when nothing is left that could wake.
    gone: Receiver<()>,
    waiter: Arc<Waiter>,
    call: Arc<Call>,
    open: Option<Arc<OpenRun>>,
    then: Then,
}

impl Waiter {
    /// The calling thread, which does the request.
    pub(super) fn new(threads: Pool, responder: &Responder) -> Arc<Self> {
        let state = State { turn: Turn::Waits(thread::current()), has_left: false };
        Arc::new(Self {
            state: Mutex::new(state),
            was_woken: AtomicBool::new(false),
            threads,
            thread: responder.thread(),
        })
    }

    /// Tells it that something has happened. It never blocks, but where the last hook has ended on the calling thread it answers
    /// the request.
    pub(super) fn tell(&self, reason: WakeReason) {
        self.was_woken.store(true, Ordering::Release);
        let mut state = lock(&self.state);
        let waiting = match std::mem::replace(&mut state.turn, Turn::Waits(thread::current())) {
            Turn::Runs(waiting) => waiting,
            Turn::Waits(thread) => {
                thread.unpark();
                state.turn = Turn::Waits(thread);
                return;
            }
        };
        let has_ended = reason == WakeReason::HookEnded && waiting.both.is_some();
        if has_ended && self.thread.is_current() {
            drop(state);
            if let Ok((waiting, _)) = waiting.look() {
                state = lock(&self.state);
                // This thread looks again when the hook's last steps are done.
                state.turn = Turn::Runs(waiting);
            }
            return;
        }
        // While the lock is held the other one cannot begin, and that of the request cannot come back.
        let Err(mut waiting) = self.threads.hand_on(waiting, Waiting::wait) else { return self.thread.replace() };
        // No thread can be had.
        if has_ended {
            // That of the request may never come back.
            drop(state);
            match waiting.look() {
                Err(()) => return,
                Ok((looked, _)) => waiting = looked,
            }
            state = lock(&self.state);
            if state.has_left {
                drop(state);
                return waiting.wait();
            }
        }
        let unwanted = if waiting.is_over() { waiting.both.take() } else { None };
        state.turn = Turn::Runs(waiting);
        drop(state);
        // They tell this waiter of their end.
        drop(unwanted);
    }

    /// The thread of the request has run the hook: it waits for the rest, where nobody else does.
    fn take_back(&self) -> Option<Box<Waiting>> {
        let mut state = lock(&self.state);
        match std::mem::replace(&mut state.turn, Turn::Waits(thread::current())) {
            Turn::Runs(waiting) => Some(waiting),
            waits @ Turn::Waits(_) => {
                state.turn = waits;
                state.has_left = true;
                None
            }
        }
    }
}

/// Starts the hooks of an event, and does `then` with what they came to, on this thread or on another one.
pub(super) fn run_hooks(
    waiter: &Arc<Waiter>,
    hooks: HooksToRun,
    call: Arc<Call>,
    open: Option<Arc<OpenRun>>,
    then: Then,
) {
    let HooksToRun { runner, event, project, is_alone } = hooks;
    let (alive, gone) = channel::<()>();
    let told = Arc::clone(waiter);
    // All that were started hold it, until they have ended.
    let wake: Wake = Arc::new(move |reason| {
        let _ = &alive;
        told.tell(reason);
    });
    // Of others it is the deadlines that count, which only who waits looks at.
    let start = || Both::start(&runner, &event, project, &wake);
    let (both, job) = if is_alone { KeptJob::of(start) } else { (start(), None) };
    // The end of the process ends hooks by dropping what they belong to: who runs one must not hold it.
    drop(runner);
    // It is held by what was started alone.
    drop(wake);
    let cancelled = Arc::clone(waiter);
    call.on_cancel(move || cancelled.tell(WakeReason::Other));
    let waiting = Box::new(Waiting { both: Some(both), gone, waiter: Arc::clone(waiter), call, open, then });
    let Some(job) = job else { return waiting.wait() };
    // A hook in the background is waited for by nobody: then another thread runs it.
    let Ok((waiting, _)) = waiting.look() else { return };
    let is_over = waiting.is_over();
    lock(&waiter.state).turn = Turn::Runs(waiting);
    // What was told before found nobody to hand over.
    if waiter.was_woken.load(Ordering::Acquire) || is_over {
        waiter.tell(WakeReason::Other);
    }
    job.run();
    waiter.thread.back();
    waiter.take_back().into_iter().for_each(Waiting::wait);
}

impl Waiting {
    /// Waits, and does what is to be done then.
    fn wait(mut self: Box<Self>) {
        lock(&self.waiter.state).turn = Turn::Waits(thread::current());
        loop {
            let until;
            (self, until) = match self.look() {
                Ok(running) => running,
                Err(()) => return,
            };
            if self.is_over() {
                return self.cancel();
            }
            // Most hooks take less time than it takes to go to sleep and be woken.
            if !wait_awake(|| self.waiter.was_woken.swap(false, Ordering::Acquire)) {
                thread::park_timeout(until.saturating_duration_since(Instant::now()));
            }
        }
    }

    /// Looks how far the hooks have come: until when to wait; `Err`: they have ended, and all is done. Those that were told to end have not,
    /// and are over.
    fn look(mut self: Box<Self>) -> Result<(Box<Self>, Instant), ()> {
        // Who has told them to end waits for that.
        let Some(both) = &mut self.both else { return Ok((self, Instant::now())) };
        match both.poll() {
            Ok(until) => Ok((self, until)),
            Err(ended) => {
                (self.then)(match *ended {
                    Decided::Verdict(verdict, beside) => Ok((*verdict, beside.report)),
                    Decided::Signalled(_) => Err(cancelled()),
                });
                Err(())
            }
        }
    }

    /// Ends the hooks, and does what is to be done when they are gone.
    fn cancel(self: Box<Self>) {
        let Self { both, gone, open, then, .. } = *self;
        drop(both);
        // Nothing is ever sent: it ends when the last sender is dropped.
        let _ = gone.recv_timeout(CANCEL_BOUND);
        then(Err(if open.is_some_and(|open| open.is_ended()) { session_over() } else { cancelled() }));
    }

    /// Does nobody want the hooks any more?
    fn is_over(&self) -> bool {
        self.call.is_cancelled() || self.open.as_ref().is_some_and(|open| open.is_ended())
    }
}

fn cancelled() -> RpcError {
    RpcError::new(ErrorCode::Cancelled, "cancelled")
}

fn session_over() -> RpcError {
    RpcError::new(ErrorCode::Cancelled, "cancelled: the session was ended")
}
