//! Waiting for the hooks of an event, the project's beside the user's, and for signals.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use hookshell_dispatch::Dispatcher;
use hookshell_process::Lookout;
use hookshell_process::sync::lock;
use hookshell_runner::{Event, ProjectState, RunState, Runner, StartedRun, Verdict, WakeReason};

use crate::as_hook;
use crate::exit_code::ExitCode;
use crate::failure::{Failure, Sysexit};
use crate::project::{Project, Report, Started};
use crate::relay::{self, Parent};
use crate::signals::SignalWait;

/// What came of the project beside the verdict.
#[derive(Default)]
pub(crate) struct Beside {
    pub(crate) report: Report,
    /// It has the project's hooks that run in the background.
    pub(crate) runner: Option<Runner>,
}

/// How the hooks' run ended.
pub(crate) enum Decided {
    Verdict(Box<Verdict>, Box<Beside>),
    /// This signal ended it.
    Signalled(i32),
}

/// How long the hooks have after the TERM that a signal to us is for them: those that are not commands, of which nothing
/// says that they have ended.
const SHUTDOWN_GRACE: Duration = Duration::from_millis(300);

/// How long commands are waited for then: their grace, and a bound for the KILL.
const KILLED: Duration = Duration::from_millis(2500);

/// What most hooks have ended within: until then no thread waits for their deadlines.
const MOMENT: Duration = Duration::from_millis(3);

/// When a run that still waits is looked at for standing in itself: most have ended by then, and pay nothing for it.
const DEPTH_LOOK: Duration = Duration::from_millis(50);

/// Runs the hooks. They have process groups of their own, which a signal to ours does not reach: it ends the run, and
/// with it every hook.
pub(crate) fn decide(runner: &Runner, event: &Event) -> Result<Decided, Failure> {
    let signals = Arc::new(catch_signals()?);
    caught(|| Deciding::start(runner, &Arc::new(event.clone()), None, signals).finish())
}

/// What a run of hooks is of.
pub(crate) struct Subject<'a> {
    pub(crate) runner: &'a Runner,
    pub(crate) event: &'a Arc<Event>,
    /// Its hooks run beside the others.
    pub(crate) project: Option<Project>,
    /// The deadlines of its commands are watched from a moment later on ([`Dispatcher::watch_deadlines`]).
    pub(crate) dispatcher: &'a Dispatcher,
    /// The runner has one hook for the event and no more.
    pub(crate) is_alone: bool,
    /// Another process waits for the answer, and its death is a signal.
    pub(crate) is_relayed: bool,
}

/// Runs the hooks likewise, and calls `then` when they have ended, on this thread or on another one.
///
/// This thread has nothing else to do than to wait for them, and so it runs a command that is alone itself. Where that may take long another
/// one waits in its place, and calls `then` if the command does not come to an end.
pub(crate) fn decide_and(
    subject: Subject<'_>,
    then: impl FnOnce(Result<Decided, Failure>) -> ExitCode + Send + 'static,
) -> ExitCode {
    let Subject { runner, event, project, dispatcher, is_alone, is_relayed } = subject;
    let signals = match catch_signals() {
        Ok(signals) => Arc::new(signals),
        Err(failure) => return then(Err(failure)),
    };
    let waiting = Arc::<Mutex<Option<Waiting>>>::default();
    // Others would have nobody who waits for them.
    if project.is_none() && is_alone {
        let (waiting, signals) = (waiting.clone(), signals.clone());
        dispatcher.keep_next(Arc::new(Lookout::new(MOMENT, move || watch(&waiting, &signals))));
    }
    let deciding = caught(|| {
        let deciding = Deciding::start(runner, event, project, signals);
        Ok(Deciding {
            dispatcher: Some(dispatcher.clone()),
            deadline_look: Some(deciding.began + MOMENT),
            parent: is_relayed.then(Parent::of_this),
            ..deciding
        })
    });
    let deciding = match deciding {
        Ok(deciding) => deciding,
        Err(failure) => return then(Err(failure)),
    };
    *lock(&waiting) = Some(Waiting { deciding: Box::new(deciding), then: Box::new(then) });
    dispatcher.run_kept();
    let own = lock(&waiting).take();
    match own {
        Some(Waiting { deciding, then }) => then(caught(|| deciding.finish())),
        // The other thread ends the process.
        None => loop {
            std::thread::park();
        },
    }
}

/// A run of hooks that somebody waits for, and what is done then.
struct Waiting {
    deciding: Box<Deciding>,
    then: Box<dyn FnOnce(Result<Decided, Failure>) -> ExitCode + Send>,
}

/// Has another thread wait for the hooks until this one, which runs one of them, is back. `false`: there is none to be had.
fn watch(waiting: &Arc<Mutex<Option<Waiting>>>, signals: &Arc<SignalWait>) -> bool {
    let (waiting, signals) = (waiting.clone(), signals.clone());
    let started = std::thread::Builder::new().name("hookshell-watch".into()).spawn(move || {
        while let Some(until) = look_again(&waiting) {
            signals.wait_until(until);
        }
        // The main thread may wait by now for what has woken this one.
        signals.waker()();
    });
    started.is_ok()
}

/// Looks whether the hooks have ended, and ends the process then. Until when to wait else; `None`: the other thread is back, which does
/// the rest.
fn look_again(waiting: &Mutex<Option<Waiting>>) -> Option<Instant> {
    let mut place = lock(waiting);
    let Waiting { deciding, then } = place.take()?;
    let decided = match caught(|| Ok(deciding.look())) {
        Ok(Look::Waits(deciding, until)) => {
            *place = Some(Waiting { deciding, then });
            return Some(until);
        }
        Ok(Look::Ended(decided)) => decided,
        Err(failure) => Err(failure),
    };
    drop(place);
    // As a panic on the main thread.
    const PANICKED: i32 = 101;
    let code = catch_unwind(AssertUnwindSafe(|| then(decided))).map_or(PANICKED, |code| code.number().into());
    #[allow(clippy::exit, reason = "the main thread does not come back")]
    std::process::exit(code)
}

fn catch_signals() -> Result<SignalWait, Failure> {
    SignalWait::catch().map_err(|error| Failure::new(Sysexit::System, "run", error))
}

/// What `work` gives; a panic in it is a failure.
fn caught<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        let failure = Failure::new(Sysexit::Software, "run", "internal error: a thread panicked");
        Err(failure.hint("this is a bug of hookshell's: please report it with the config"))
    })
}

/// Hooks that run, and what has to be looked at meanwhile. Dropping it cancels them.
struct Deciding {
    runner: Runner,
    both: Both,
    signals: Arc<SignalWait>,
    began: Instant,
    dispatcher: Option<Dispatcher>,
    /// When its deadlines are to be watched from.
    deadline_look: Option<Instant>,
    depth_look: Option<Instant>,
    /// Who waits for the answer, where another process does.
    parent: Option<Parent>,
}

/// What a look at them gives.
enum Look {
    /// There is nothing new until then.
    Waits(Box<Deciding>, Instant),
    Ended(Result<Decided, Failure>),
}

impl Deciding {
    fn start(runner: &Runner, event: &Arc<Event>, project: Option<Project>, signals: Arc<SignalWait>) -> Self {
        let waker = signals.waker();
        let wake: Wake = Arc::new(move |_| waker());
        let both = Both::start(runner, event, project, &wake);
        let began = Instant::now();
        Self {
            runner: runner.clone(),
            both,
            signals,
            began,
            dispatcher: None,
            deadline_look: None,
            depth_look: Some(began + DEPTH_LOOK),
            parent: None,
        }
    }

    /// Waits for their end, or for a signal.
    fn finish(self) -> Result<Decided, Failure> {
        let mut deciding = Box::new(self);
        loop {
            match deciding.look() {
                Look::Waits(waiting, until) => {
                    waiting.signals.wait_until(until);
                    deciding = waiting;
                }
                Look::Ended(decided) => return decided,
            }
        }
    }

    /// Looks how far they have come, and does what is due.
    fn look(mut self: Box<Self>) -> Look {
        let mut until = match self.both.poll() {
            Ok(until) => until,
            Err(ended) => {
                // Hooks in the background have deadlines.
                self.watch_deadlines();
                return Look::Ended(Ok(*ended));
            }
        };
        if let Some(signal) = self.signals.take() {
            self.stop(true);
            return Look::Ended(Ok(Decided::Signalled(signal)));
        }
        let now = Instant::now();
        match self.depth_look {
            Some(at) if now < at => until = until.min(at),
            Some(_) => {
                self.depth_look = None;
                if let Some(why) = as_hook::too_deep() {
                    self.stop(false);
                    return Look::Ended(Err(why));
                }
            }
            None => {}
        }
        if let Some(at) = self.deadline_look {
            self.deadline_look = match at > now {
                true => Some(at),
                false => (!self.watch_deadlines()).then_some(now + MOMENT),
            };
            until = self.deadline_look.map_or(until, |at| until.min(at));
        }
        Look::Waits(self, until)
    }

    /// Cancels them, and waits until they have ended.
    fn stop(self, is_signalled: bool) {
        let Self { runner, both, signals, parent, dispatcher, .. } = self;
        drop(both);
        dispatcher.as_ref().map(Dispatcher::watch_deadlines);
        if is_signalled && parent.is_some() {
            // Linux signals once for each thread of a parent that is killed: all of them are one request, and not a second
            // one, which would give the hooks no time to end.
            relay::outlive_parent();
            while signals.take().is_some() {}
        }
        end_hooks(&runner, &signals, parent);
    }

    /// Has a thread watch the deadlines. `false`: there is none to be had.
    fn watch_deadlines(&self) -> bool {
        self.dispatcher.as_ref().is_none_or(Dispatcher::watch_deadlines)
    }
}

/// What ends a wait, from any thread. It never blocks.
pub(crate) type Wake = Arc<dyn Fn(WakeReason) + Send + Sync>;

/// The user's hooks, and the project's beside them. Dropping it cancels them.
pub(crate) struct Both {
    event: Arc<Event>,
    own: Own,
    project: Option<Started>,
    beside: Beside,
    of_project: Option<Box<Verdict>>,
}

/// How far the user's hooks have come.
#[allow(clippy::large_enum_variant, reason = "there is one")]
enum Own {
    Running(StartedRun),
    Ended(Box<Verdict>),
    /// It is taken out for a moment.
    Taken,
}

impl Both {
    /// Starts them. `wake` is called when there is something new.
    pub(crate) fn start(runner: &Runner, event: &Arc<Event>, project: Option<Project>, wake: &Wake) -> Self {
        // The user's first: they wait for nothing of the project's.
        let own = Own::Running(runner.start(Arc::clone(event), told(wake)));
        let mut beside = Beside::default();
        let project = project.and_then(|project| match project.start(event, told_of_project(wake)) {
            Ok(started) => Some(started),
            Err(error) => {
                let why = format!("the project's config was not read: no thread can be started for it: {error}");
                beside.report.failure = Some(Failure::new(Sysexit::System, "config", why));
                None
            }
        });
        Self { event: Arc::clone(event), own, project, beside, of_project: None }
    }

    /// Until when to wait; `Err`: both have ended.
    pub(crate) fn poll(&mut self) -> Result<Instant, Box<Decided>> {
        let mut until = None;
        self.own = match std::mem::replace(&mut self.own, Own::Taken) {
            Own::Running(run) => match run.poll() {
                RunState::Ended(verdict) => Own::Ended(verdict),
                RunState::Running(run, own_until) => {
                    until = Some(own_until);
                    Own::Running(run)
                }
            },
            other => other,
        };
        let project_until = self.poll_project();
        if let Some(until) = [until, project_until].into_iter().flatten().min() {
            return Ok(until);
        }
        let Own::Ended(mut verdict) = std::mem::replace(&mut self.own, Own::Taken) else { return Ok(Instant::now()) };
        if let Some(of_project) = self.of_project.take() {
            *verdict = verdict.with_project(&self.event, *of_project);
        }
        Err(Box::new(Decided::Verdict(verdict, Box::new(std::mem::take(&mut self.beside)))))
    }

    /// Until when to wait for the project's; `None`: they have ended, or were given up.
    fn poll_project(&mut self) -> Option<Instant> {
        let started = self.project.as_ref()?;
        let verdict = match &self.own {
            Own::Ended(verdict) => Some(verdict),
            _ => None,
        };
        if let Some(verdict) = verdict.filter(|_| started.run.waits_for_user()) {
            started.run.hand_on(&self.event, verdict);
        }
        match started.run.poll(verdict.is_some()) {
            ProjectState::Running(until) => return Some(until),
            ProjectState::Ended(ended) => {
                self.beside.report = started.report();
                if let Some((verdict, runner)) = ended.map(|ended| *ended) {
                    self.of_project = Some(Box::new(verdict));
                    self.beside.runner = Some(runner);
                }
            }
            ProjectState::TooLate(what) => {
                self.beside.report = started.report();
                let why = format!("the project's hooks did not run: {what} could not be read in time");
                self.beside.report.failure = Some(Failure::new(Sysexit::Data, "config", why));
            }
            other => {
                self.beside.report.failure =
                    Some(Failure::new(Sysexit::Software, "config", format!("the project's hooks: {other:?}")));
            }
        }
        self.project = None;
        None
    }
}

fn told(wake: &Wake) -> impl Fn(WakeReason) + Send + Sync + use<> {
    let wake = Arc::clone(wake);
    move |reason| wake(reason)
}

fn told_of_project(wake: &Wake) -> impl Fn() + Send + Sync + use<> {
    let wake = Arc::clone(wake);
    move || wake(WakeReason::Other)
}

/// The hooks were asked to end; waits until they have, or for a second signal.
fn end_hooks(runner: &Runner, signals: &SignalWait, mut parent: Option<Parent>) {
    let since = Instant::now();
    // That the parent has died is no second request, but once.
    let mut is_request =
        move |signal: Option<i32>| signal.is_some() && parent.take_if(|parent| parent.has_died()).is_none();
    while since.elapsed() < SHUTDOWN_GRACE {
        if is_request(signals.wait(since + SHUTDOWN_GRACE)) {
            return;
        }
    }
    let is_request = RefCell::new(is_request);
    // Else what ignores the TERM would continue for ever: nobody would kill it.
    runner.wait_for_runs(&|| since.elapsed() > KILLED || (is_request.borrow_mut())(signals.take()));
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn who_watches_passes_on_what_was_for_the_thread_that_is_back() {
        let signals = Arc::new(SignalWait::prepare().unwrap());
        let waiting = Arc::default();
        // The other thread has taken it back: there is nothing to be watched.
        assert!(watch(&waiting, &signals));
        let since = Instant::now();
        assert_eq!(signals.wait(since + Duration::from_secs(600)), None);
        assert!(since.elapsed() < Duration::from_secs(300), "nobody has woken it");
    }
}
