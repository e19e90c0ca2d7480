//! An event's hooks that were started, whoever waits for them.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use hookshell_process::Mailbox;

use crate::absolute::RunEvent;
use crate::aggregate::last_of_each;
use crate::concurrent::{Concurrent, Ended, Notifier};
use crate::config::Origin;
use crate::engine::Engine;
use crate::event::Event;
use crate::event_kind::EventKind;
use crate::observer::Observed;
use crate::plan::{Plan, ToStart};
use crate::report::HookOutcome;
use crate::verdict::Verdict;
use crate::work::{Completion, Work};

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
    plan: Plan,
    /// That of the hooks, and then what reads the variables that they have written for the session.
    work: Concurrent<'r>,
    /// Have all hooks ended, so that these are read?
    have_hooks_ended: bool,
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
        let work = Concurrent::start(executor, event.clone(), awaited, notifier, observed);
        engine.start_background(&mut plan, of_project, &event);
        Self { engine: engine.clone(), event, plan, work, have_hooks_ended: false }
    }

    /// Takes what the one who waits was told. Nothing happens where the work had been given up.
    pub(crate) fn accept(&mut self, (index, ended): Ended) {
        let Self { engine, event, plan, work, .. } = self;
        match *ended {
            Completion::InBackground(after) => {
                if let Some((hook, allowed)) = plan.awaited(index) {
                    let adopt = |handle, watched| engine.adopt(event, hook, allowed, handle, watched);
                    work.move_to_background(index, after, adopt);
                }
            }
            ended => work.accept(index, ended),
        }
    }

    /// Gives up what should have ended by now, and continues as far as it can without waiting.
    pub(crate) fn next(mut self) -> Poll<'r> {
        while let Some(until) = self.work.wait_until().or_else(|| self.read_variables()) {
            if until > Instant::now() {
                return Poll::Wait(self, until);
            }
            self.work.give_up();
        }
        let Self { engine, event, plan, work, .. } = self;
        Poll::Done(verdict(&engine, &event, plan, work.finish()))
    }

    /// All hooks have ended: starts to read the variables that they have written into files for the session. Until when to wait for
    /// that; `None`: nearly always there is nothing to read, or it has been.
    fn read_variables(&mut self) -> Option<Instant> {
        if std::mem::replace(&mut self.have_hooks_ended, true) {
            return None;
        }
        let readers = self.plan.variable_readers(&self.engine.settings, &self.event, self.work.ended());
        let readers: Vec<Work> = readers.collect();
        self.work.start_more(readers);
        self.work.wait_until()
    }
}

/// The verdict, when all that is waited for has ended.
fn verdict(engine: &Engine, event: &Event, plan: Plan, ended: Vec<Completion>) -> Verdict {
    let before_end = plan.before_end;
    engine.report_background(event, &plan, &ended);
    let results = plan.results(&engine.settings, event, ended);
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

/// An event's hooks that were started, for a host that waits in a loop of its own ([`Runner::start`](crate::Runner::start)). Dropping it cancels
/// every hook and ends every child.
#[must_use = "dropping it cancels the hooks"]
pub struct StartedRun {
    progress: Progress<'static>,
    messages: Arc<Mailbox<Ended>>,
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
        let messages = Arc::<Mailbox<Ended>>::default();
        let sender = messages.clone();
        let notifier = Arc::new(move |(index, ended): Ended| {
            let continues = matches!(*ended, Completion::InBackground(_));
            sender.send((index, ended));
            wake(if continues { WakeReason::Other } else { WakeReason::HookEnded });
        });
        Self { progress: Progress::start(engine, RunEvent::Shared(event), |_| (), notifier), messages }
    }

    /// Looks what has happened, and does not wait.
    pub fn poll(self) -> RunState {
        let Self { mut progress, messages } = self;
        while let Some(ended) = messages.receive(Some(Instant::now())) {
            progress.accept(ended);
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
