//! Waiting for the hooks of an event, the project's beside the user's, and for signals.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use hookshell_dispatch::Dispatcher;
use hookshell_runner::{Event, ProjectState, RunState, Runner, StartedRun, Verdict, WakeReason};

use crate::as_hook;
use crate::failure::{Failure, Sysexit};
use crate::project::{Project, Report, Started};
use crate::relay;
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
    decide_with(runner, &Arc::new(event.clone()), None, None, false)
}

/// Likewise, and those of a project beside them. The deadlines of this dispatcher's commands are watched from a moment later on
/// ([`Dispatcher::watch_deadlines`]). `is_relayed`: another process waits for the answer, and its death is a signal.
pub(crate) fn decide_with(
    runner: &Runner,
    event: &Arc<Event>,
    project: Option<Project>,
    dispatcher: Option<&Dispatcher>,
    is_relayed: bool,
) -> Result<Decided, Failure> {
    let mut signals = SignalWait::catch().map_err(|error| Failure::new(Sysexit::System, "run", error))?;
    let decided = catch_unwind(AssertUnwindSafe(|| {
        let waker = signals.waker();
        let wake: Wake = Arc::new(move |_| waker());
        let mut both = Both::start(runner, event, project, &wake);
        let began = Instant::now();
        let mut unwatched = dispatcher.map(|dispatcher| (dispatcher, began + MOMENT));
        let mut depth_look = Some(began + DEPTH_LOOK);
        loop {
            let mut until = match both.poll() {
                Err(ended) => return Ok(*ended),
                Ok(until) => until,
            };
            if let Some(at) = depth_look {
                if Instant::now() < at {
                    until = until.min(at);
                } else if let Some(why) = as_hook::too_deep() {
                    drop(both);
                    dispatcher.map(Dispatcher::watch_deadlines);
                    end_hooks(runner, &mut signals);
                    return Err(why);
                } else {
                    depth_look = None;
                }
            }
            if let Some((dispatcher, at)) = unwatched {
                let now = Instant::now();
                unwatched = match at > now {
                    true => unwatched,
                    false => (!dispatcher.watch_deadlines()).then_some((dispatcher, now + MOMENT)),
                };
                until = unwatched.map_or(until, |(_, at)| until.min(at));
            }
            if let Some(signal) = signals.wait(until) {
                // They may just have ended.
                if let Err(ended) = both.poll() {
                    return Ok(*ended);
                }
                drop(both);
                dispatcher.map(Dispatcher::watch_deadlines);
                if is_relayed {
                    // Linux signals once for each thread of a parent that is killed: all of them are one request, and not a second
                    // one, which would give the hooks no time to end.
                    relay::outlive_parent();
                    while signals.take().is_some() {}
                }
                end_hooks(runner, &mut signals);
                return Ok(Decided::Signalled(signal));
            }
        }
    }));
    // Hooks in the background have deadlines.
    dispatcher.map(Dispatcher::watch_deadlines);
    decided.unwrap_or_else(|_| {
        let failure = Failure::new(Sysexit::Software, "run", "internal error: a thread panicked");
        Err(failure.hint("this is a bug of hookshell's: please report it with the config"))
    })
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
fn end_hooks(runner: &Runner, signals: &mut SignalWait) {
    let since = Instant::now();
    while since.elapsed() < SHUTDOWN_GRACE {
        if signals.wait(since + SHUTDOWN_GRACE).is_some() {
            return;
        }
    }
    // Else what ignores the TERM would continue for ever: nobody would kill it.
    runner.wait_for_runs(&|| since.elapsed() > KILLED || signals.take().is_some());
}
