//! An event's hooks that were started, whoever waits for them.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hookshell_process::Mailbox;

use crate::absolute::RunEvent;
use crate::aggregate::last_of_each;
use crate::concurrent::{Concurrent, Notifier, RunMessage};
use crate::config::Origin;
use crate::engine::Engine;
use crate::event::Event;
use crate::event_kind::EventKind;
use crate::observer::Observed;
use crate::plan::{Plan, ToStart};
use crate::report::HookOutcome;
use crate::verdict::Verdict;
use crate::work::{Completion, Running, Work};

/// How long is waited for what hooks have written into files for the session: longer than each of them may take.
const ENV_MAX_WAIT: Duration = Duration::from_secs(8);

/// What there is to do next.
pub(crate) enum Poll<'r> {
    /// To wait for a message, at most until then.
    Wait(Progress<'r>, Instant),
    /// Nothing.
    Done(Verdict),
}

/// A run of an event's hooks. Dropping it cancels what has not ended.
pub(crate) struct Progress<'r> {
    engine: Engine,
    /// Its directories are absolute, and it has a session where the runner has one for it.
    event: RunEvent<'r>,
    notifier: Notifier,
    phase: Phase<'r>,
}

enum Phase<'r> {
    Running(Plan, Concurrent<'r>),
    /// Hooks have written variables for the session, which are read.
    Reading(Plan, Vec<Completion>, Reading),
}

struct Reading {
    started: Vec<Box<dyn Running>>,
    ended: usize,
    until: Instant,
}

impl<'r> Progress<'r> {
    /// Starts the event's hooks; `edit_work` may change what is started.
    pub(crate) fn start(
        engine: &Engine,
        event: RunEvent<'r>,
        edit_work: impl FnOnce(&mut [Work]),
        notifier: Notifier,
    ) -> Self {
        let event = event.completed_by(|event| engine.settings.complete(event));
        let (mut plan, ToStart { mut awaited, background }) = Plan::new(&engine.settings, &engine.sessions, &event);
        // To read the files of a project's hooks takes time: no other waits for it.
        let (of_project, own) = background.into_iter().partition(|hook| hook.gate.is_some());
        engine.start_background(&mut plan, own, &event);
        edit_work(&mut awaited.work);
        let observed = engine.observer.clone().map(|observer| Observed { observer, hooks: plan.awaited_hooks() });
        let executor = Arc::clone(&engine.executor);
        let hooks = Concurrent::start(executor, event.clone(), awaited, notifier.clone(), observed);
        engine.start_background(&mut plan, of_project, &event);
        Self { engine: engine.clone(), event, notifier, phase: Phase::Running(plan, hooks) }
    }

    /// Takes what the one who waits was told.
    pub(crate) fn accept(&mut self, message: RunMessage) {
        match (message, &mut self.phase) {
            (RunMessage::Ended(index, ended), Phase::Running(_, hooks)) => hooks.accept(index, *ended),
            (RunMessage::InBackground(index), Phase::Running(plan, hooks)) => {
                if let Some((hook, allowed)) = plan.awaited(index) {
                    hooks.move_to_background(index, |handle, watched| {
                        self.engine.adopt(&self.event, hook, allowed, handle, watched)
                    });
                }
            }
            (RunMessage::Read(index, outcome), Phase::Reading(plan, _, reading)) => {
                plan.take_read(&self.engine.settings, index, &outcome);
                reading.ended += 1;
            }
            // It had been given up.
            _ => {}
        }
    }

    /// Gives up what should have ended by now, and continues as far as it can without waiting.
    pub(crate) fn next(self) -> Poll<'r> {
        let Self { engine, event, notifier, phase } = self;
        let (plan, ended) = match phase {
            Phase::Running(mut plan, mut hooks) => {
                while let Some(until) = hooks.wait_until() {
                    if until > Instant::now() {
                        return Poll::Wait(Self { engine, event, notifier, phase: Phase::Running(plan, hooks) }, until);
                    }
                    hooks.give_up();
                }
                let ended = hooks.finish();
                plan.drop_untrusted(&ended);
                let started = read(&engine, &event, &plan, &notifier);
                // Nearly always there is nothing to read.
                if !started.is_empty() {
                    let until = Instant::now() + ENV_MAX_WAIT;
                    let phase = Phase::Reading(plan, ended, Reading { started, ended: 0, until });
                    return Poll::Wait(Self { engine, event, notifier, phase }, until);
                }
                (plan, ended)
            }
            Phase::Reading(plan, ended, reading) => {
                let until = reading.until;
                if reading.ended < reading.started.len() && until > Instant::now() {
                    let phase = Phase::Reading(plan, ended, reading);
                    return Poll::Wait(Self { engine, event, notifier, phase }, until);
                }
                (plan, ended)
            }
        };
        Poll::Done(verdict(&engine, &event, plan, ended))
    }
}

/// The verdict, when all that is waited for has ended.
fn verdict(engine: &Engine, event: &Event, plan: Plan, ended: Vec<Completion>) -> Verdict {
    let before_end = plan.before_end;
    engine.report_background(event, &plan, &ended);
    let results = plan.results(event, ended);
    for result in &results {
        if let HookOutcome::Failed(failure) = &result.outcome {
            tracing::warn!(hook = %result.name, event = %event.name(), %failure, "a hook failed");
        }
    }
    let env_of = |of_project: bool| {
        let results = results.iter().filter(|result| (result.origin == Origin::Project) == of_project);
        last_of_each(results.flat_map(|result| &result.opinion.env))
    };
    engine.sessions.set_env(event.session_id(), &env_of(false), &env_of(true));
    let verdict = Verdict::new(event, results);
    if event.name() == EventKind::SessionEnd {
        engine.end_until(event.session_id(), before_end);
    }
    verdict
}

/// Starts to read the variables that hooks have written into files for the session.
fn read(engine: &Engine, event: &Event, plan: &Plan, notifier: &Notifier) -> Vec<Box<dyn Running>> {
    let start = |(index, invocation)| {
        let notifier = notifier.clone();
        engine.executor.start(invocation, Box::new(move |outcome| notifier(RunMessage::Read(index, Box::new(outcome)))))
    };
    plan.to_read(&engine.settings, event).into_iter().map(start).collect()
}

/// An event's hooks that were started, for a host that waits in a loop of its own ([`Runner::start`](crate::Runner::start)). Dropping it cancels
/// every hook and ends every child.
#[must_use = "dropping it cancels the hooks"]
pub struct StartedRun {
    progress: Progress<'static>,
    messages: Arc<Mailbox<RunMessage>>,
}

/// Why who waits for a run is woken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum WakeReason {
    /// A hook has ended. Whoever tells it has nothing else to do for it, and may look for itself how far the run has come.
    HookEnded,
    /// Something else has happened: who tells it is still in the middle of it.
    Other,
}

/// How far a run has come.
#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "there is one, with who waits")]
pub enum RunState {
    /// It continues: to be asked again when it was woken, and at this time at the latest.
    Running(StartedRun, Instant),
    /// The hooks have ended, or were given up.
    Ended(Box<Verdict>),
}

impl StartedRun {
    pub(crate) fn new(engine: &Engine, event: Arc<Event>, wake: impl Fn(WakeReason) + Send + Sync + 'static) -> Self {
        let messages = Arc::<Mailbox<RunMessage>>::default();
        let sender = messages.clone();
        let notifier = Arc::new(move |message| {
            let reason =
                if matches!(message, RunMessage::Ended(..)) { WakeReason::HookEnded } else { WakeReason::Other };
            sender.send(message);
            wake(reason);
        });
        Self { progress: Progress::start(engine, RunEvent::Shared(event), |_| (), notifier), messages }
    }

    /// Looks what has happened, and does not wait.
    pub fn poll(self) -> RunState {
        let Self { mut progress, messages } = self;
        while let Some(message) = messages.receive(Some(Instant::now())) {
            progress.accept(message);
        }
        match progress.next() {
            Poll::Done(verdict) => RunState::Ended(Box::new(verdict)),
            Poll::Wait(progress, until) => RunState::Running(Self { progress, messages }, until),
        }
    }
}

impl fmt::Debug for StartedRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StartedRun").field("event", &self.progress.event.name()).finish_non_exhaustive()
    }
}
