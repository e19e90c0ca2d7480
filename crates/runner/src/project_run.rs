//! The hooks that a project brings along, read and run beside the user's own.
//!
//! Whoever wrote the project wrote its config and its scripts, so reading them may take long: a slow file system, very many
//! files, a file that the kernel makes up. All of it is done on a thread of its own. The user's hooks are started before it
//! and never wait for it.

use std::fmt;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use hookshell_process::sync::lock;

use crate::event::Event;
use crate::runner::{RunState, Runner};
use crate::verdict::Verdict;

/// How long reading the project's config, and then judging its hooks, may take once the user's hooks have ended.
const MAX_WAIT: Duration = Duration::from_secs(2);

/// The stack of the thread: configs are read on it, which nest.
const STACK: usize = 4 * 1024 * 1024;

/// A project's hooks for one event. Dropping it cancels them.
#[must_use = "dropping it cancels the hooks"]
pub struct ProjectRun {
    shared: Arc<Shared>,
    thread: Thread,
}

/// How far a project's hooks have come.
#[derive(Debug)]
#[non_exhaustive]
pub enum ProjectState {
    /// They are read or run: to be asked again when it was woken, and at this time at the latest.
    Running(Instant),
    /// They have ended; the runner is still to be asked for what runs in the background. `None`: the project has none for
    /// this event.
    Ended(Option<Box<(Verdict, Runner)>>),
    /// They could not be read in time: none of them counts. The text says what took too long.
    TooLate(&'static str),
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    is_cancelled: AtomicBool,
}

enum State {
    /// The config is read.
    Loading(Instant),
    /// It is read, and waits for what the user's hooks change in the tool's input.
    Waiting,
    /// This is changed; the hooks are to be started.
    HandedOn(Box<Event>),
    /// The hooks are judged and started.
    Starting(Instant),
    Running,
    Ended(Option<Box<(Verdict, Runner)>>),
}

impl ProjectRun {
    /// Begins to read and to run them, and returns at once. `load` reads the config and makes a runner of it, on another
    /// thread; `None`: there is nothing to run. `wake` is called on other threads when there is something new; it is not
    /// to block.
    ///
    /// # Errors
    /// No thread can be started.
    pub fn start(
        event: Event,
        load: impl FnOnce() -> Option<Runner> + Send + 'static,
        wake: impl Fn() + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let shared = Arc::new(Shared {
            state: Mutex::new(State::Loading(Instant::now())),
            changed: Condvar::new(),
            is_cancelled: AtomicBool::new(false),
        });
        let (theirs, wake) = (Arc::clone(&shared), Arc::new(wake));
        let body = move || {
            let ended = catch_unwind(AssertUnwindSafe(|| run(&theirs, event, load, &wake))).ok().flatten();
            *lock(&theirs.state) = State::Ended(ended.map(Box::new));
            wake();
        };
        let handle = thread::Builder::new().name("project hooks".to_owned()).stack_size(STACK).spawn(body)?;
        Ok(Self { shared, thread: handle.thread().clone() })
    }

    /// Hands the event on as the user's hooks have left it, which have ended with this verdict: for hooks that run one after
    /// the other. Nothing happens where none of them wait for it ([`ProjectRun::waits_for_user`]).
    pub fn hand_on(&self, event: &Event, verdict: &Verdict) {
        let mut state = lock(&self.shared.state);
        if matches!(*state, State::Waiting) {
            let mut event = event.clone();
            if let Some(input) = verdict.updated_input() {
                event.set_tool_input(input);
            }
            *state = State::HandedOn(Box::new(event));
            self.shared.changed.notify_all();
        }
    }

    /// Looks how far they have come, and does not wait. Before the user's hooks have ended it is never too late.
    pub fn poll(&self, user_has_ended: bool) -> ProjectState {
        let mut state = lock(&self.shared.state);
        let far = || Instant::now() + Duration::from_secs(3600);
        let until = |since: Instant, what| {
            let until = since + MAX_WAIT;
            match user_has_ended && until <= Instant::now() {
                true => ProjectState::TooLate(what),
                false => ProjectState::Running(if user_has_ended { until } else { far() }),
            }
        };
        match &mut *state {
            State::Loading(since) => until(*since, "its config"),
            State::Starting(since) => until(*since, "the files that its hooks name"),
            State::Waiting | State::HandedOn(_) | State::Running => ProjectState::Running(far()),
            State::Ended(ended) => ProjectState::Ended(ended.take()),
        }
    }

    /// Is it read, and waiting for [`ProjectRun::hand_on`]?
    pub fn waits_for_user(&self) -> bool {
        matches!(*lock(&self.shared.state), State::Waiting)
    }
}

impl Drop for ProjectRun {
    fn drop(&mut self) {
        self.shared.is_cancelled.store(true, Ordering::Release);
        let _state = lock(&self.shared.state);
        self.shared.changed.notify_all();
        self.thread.unpark();
    }
}

impl fmt::Debug for ProjectRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProjectRun").finish_non_exhaustive()
    }
}

/// The thread's work.
fn run(
    shared: &Shared,
    mut event: Event,
    load: impl FnOnce() -> Option<Runner>,
    wake: &Arc<impl Fn() + Send + Sync + 'static>,
) -> Option<(Verdict, Runner)> {
    let is_cancelled = || shared.is_cancelled.load(Ordering::Acquire);
    let runner = load()?;
    if is_cancelled() || runner.hooks_for(&event).next().is_none() {
        return None;
    }
    if runner.hooks_for(&event).any(|hook| hook.sequential) {
        event = handed_on(shared, &**wake)?;
    }
    *lock(&shared.state) = State::Starting(Instant::now());
    let waiting = thread::current();
    let mut run = runner.start(event, move |_| waiting.unpark());
    *lock(&shared.state) = State::Running;
    wake();
    let verdict = loop {
        match run.poll() {
            RunState::Ended(verdict) => break *verdict,
            // Dropped, it cancels its hooks.
            RunState::Running(..) if is_cancelled() => return None,
            RunState::Running(running, until) => {
                thread::park_timeout(until.saturating_duration_since(Instant::now()));
                run = running;
            }
        }
    };
    Some((verdict, runner))
}

/// The event as the user's hooks have left it. `None` if nobody waits for it any more.
fn handed_on(shared: &Shared, wake: &(impl Fn() + ?Sized)) -> Option<Event> {
    let mut state = lock(&shared.state);
    *state = State::Waiting;
    wake();
    while !shared.is_cancelled.load(Ordering::Acquire) {
        if matches!(*state, State::HandedOn(_)) {
            let State::HandedOn(event) = std::mem::replace(&mut *state, State::Starting(Instant::now())) else { break };
            return Some(*event);
        }
        state = shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
    }
    None
}
