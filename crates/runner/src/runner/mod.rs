//! Running an event's hooks.

mod builder;
mod started;

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::Instant;

use hookshell_process::Mailbox;
use tokio::sync::mpsc as tokio_mpsc;

pub use self::builder::{BuildError, RunnerBuilder};
pub use self::started::{RunState, StartedRun, WakeReason};
use crate::absolute::RunEvent;
use crate::concurrent::{Concurrent, Ended, Notifier};
use crate::config::{Config, HookConfig, Origin};
use crate::engine::Engine;
use crate::event::Event;
use crate::event_kind::EventKind;
use crate::observer::{HookProgress, Observed};
use crate::outcome::HookOutcome;
use crate::plan::{Plan, ToStart};
use crate::verdict::{Verdict, last_of_each};
use crate::work::{Completion, Work};

/// Runs the hooks of a config. It is cheap to clone and to share: clones are the same runner.
///
/// All hooks that match an event are started at once; their results are composed in config order.
///
/// ```
/// use hookshell_runner::{Config, Event, Runner, ToolInput};
///
/// let config = Config::parse(
///     r#"{ "hooks": { "PreToolUse": [{ "matcher": "^bash$", "command": "echo no >&2; exit 2" }] } }"#,
///     "crush.json",
/// )?;
/// let runner = Runner::builder().config(config).build()?;
/// let event = Event::pre_tool_use("edit", ToolInput::parse("{}")?, std::env::temp_dir());
/// let verdict = runner.run_blocking(&event);
/// assert_eq!(verdict.exit_code(), 0); // no hook is for this tool
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Runner {
    pub(crate) engine: Engine,
}

impl Runner {
    /// Begins a runner.
    pub fn builder() -> RunnerBuilder {
        RunnerBuilder::default()
    }

    /// The same runner, which tells when the hooks of its events start and end: those that are waited for. For a host that shows them.
    ///
    /// ```
    /// # use std::sync::{Arc, Mutex};
    /// # use hookshell_runner::{Config, Event, HookProgress, Runner, ToolInput};
    /// # let config = Config::parse(r#"{ "hooks": { "PreToolUse": [{ "command": ":", "name": "guard" }] } }"#, "crush.json")?;
    /// # let runner = Runner::builder().config(config).build()?;
    /// let seen = Arc::<Mutex<Vec<String>>>::default();
    /// let shown = Arc::clone(&seen);
    /// let observed = runner.observed(move |number, hook, progress| {
    ///     let what = if progress == HookProgress::Started { "started" } else { "ended" };
    ///     shown.lock().unwrap().push(format!("{number} {} {what}", hook.display_name()));
    /// });
    /// observed.run_blocking(&Event::pre_tool_use("bash", ToolInput::default(), std::env::temp_dir()));
    /// assert_eq!(*seen.lock().unwrap(), ["0 guard started", "0 guard ended"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn observed(&self, observer: impl Fn(usize, &HookConfig, HookProgress) + Send + Sync + 'static) -> Self {
        Self { engine: Engine { observer: Some(Arc::new(observer)), ..self.engine.clone() } }
    }

    /// The config that it runs.
    pub fn config(&self) -> &Config {
        &self.engine.settings.config
    }

    /// Runs the event's hooks. Nothing is started before the future is first polled; dropping it cancels every hook and
    /// ends every child.
    ///
    /// It waits at most for the longest timeout of the event's hooks (of hooks that run one after the other, for all of their
    /// timeouts) and the grace, and a second more where a hook
    /// cannot be ended at all (a blocking call that nothing wakes). It never fails: what went wrong with a hook is in
    /// that hook's result.
    ///
    /// # Panics
    /// Outside a tokio runtime, or in one without its time driver (`enable_time`).
    pub fn run(&self, event: &Event) -> impl Future<Output = Verdict> + Send + use<> {
        let runner = self.clone();
        let event = event.clone();
        async move { runner.run_with(&event, |_| (), std::future::ready(())).await }
    }

    /// Runs the event's hooks. `edit_work` may change what is started; once all of it is, `beside` is run to its end: what
    /// is not to be started but called by the one who has the host's state.
    pub(crate) async fn run_with(
        &self,
        event: &Event,
        edit_work: impl FnOnce(&mut [Work]),
        beside: impl Future<Output = ()>,
    ) -> Verdict {
        let (sender, mut received) = tokio_mpsc::unbounded_channel::<Ended>();
        // Nobody listens any more where the run was dropped or gave up.
        let notifier = Arc::new(move |ended| drop(sender.send(ended)));
        let mut progress = Progress::start(&self.engine, RunEvent::Given(event), edit_work, notifier);
        beside.await;
        loop {
            match progress.next() {
                Poll::Done(verdict) => return verdict,
                Poll::Wait(waiting, until) => {
                    progress = waiting;
                    if let Ok(Some(ended)) = tokio::time::timeout_at(until.into(), received.recv()).await {
                        progress.accept(ended);
                    }
                }
            }
        }
    }

    /// Starts the event's hooks, for a host that waits in a loop of its own: for these hooks as [`Runner::run`] does, and for
    /// something else. `wake` is called on other threads, when there is something new; it is not to block.
    ///
    /// ```
    /// # use hookshell_runner::{Config, Event, RunState, Runner};
    /// # let config = Config::parse("{}", "crush.json")?;
    /// # let runner = Runner::builder().config(config).build()?;
    /// # let event = Event::user_prompt_submit("hello", std::env::temp_dir());
    /// let waiting = std::thread::current();
    /// let mut run = runner.start(event, move |_| waiting.unpark());
    /// let verdict = loop {
    ///     match run.poll() {
    ///         RunState::Ended(verdict) => break verdict,
    ///         RunState::Running(running, until) => {
    ///             std::thread::park_timeout(until.saturating_duration_since(std::time::Instant::now()));
    ///             run = running;
    ///         }
    ///     }
    /// };
    /// # assert_eq!(verdict.exit_code(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn start(&self, event: impl Into<Arc<Event>>, wake: impl Fn(WakeReason) + Send + Sync + 'static) -> StartedRun {
        StartedRun::new(&self.engine, event.into(), wake)
    }

    /// Runs the event's hooks and waits for them, as [`Runner::run`] does, on the calling thread: no tokio runtime is
    /// needed, and little stack.
    pub fn run_blocking(&self, event: &Event) -> Verdict {
        self.run_blocking_beside(event, |_| (), || ())
    }

    /// As [`Runner::run_with`], on the calling thread.
    pub(crate) fn run_blocking_beside(
        &self,
        event: &Event,
        edit_work: impl FnOnce(&mut [Work]),
        beside: impl FnOnce(),
    ) -> Verdict {
        let received = Arc::<Mailbox<Ended>>::default();
        let sender = received.clone();
        let notifier = Arc::new(move |ended| {
            sender.send(ended);
        });
        let mut progress = Progress::start(&self.engine, RunEvent::Given(event), edit_work, notifier);
        beside();
        loop {
            match progress.next() {
                Poll::Done(verdict) => return verdict,
                Poll::Wait(waiting, until) => {
                    progress = waiting;
                    if let Some(ended) = received.receive_soon(Some(until)) {
                        progress.accept(ended);
                    }
                }
            }
        }
    }

    /// The hooks that an event would run, in config order (a hook that runs once is among them each time).
    pub fn hooks_for<'r>(&'r self, event: &Event) -> impl Iterator<Item = &'r HookConfig> {
        let settings = &self.engine.settings;
        let event = settings.complete(event);
        settings.config.hooks().iter().filter(move |hook| hook.is_for(&event, &settings.env))
    }

    /// Waits for hooks that run in the background (`"async": true`), and for background lists of hooks that have ended
    /// (`( …; … ) &`): they run on threads of this process, each until its hook's deadline at the latest. For a host that
    /// is about to exit; programs live on by themselves.
    pub fn wait_for_background(&self, give_up: &dyn Fn() -> bool) {
        self.engine.sessions.wait(give_up);
        self.engine.executor.wait_for_background(give_up);
    }

    /// Waits until every command that was started has ended, or `give_up` says so. For a host that has dropped the future
    /// of a run and is about to exit: a hook that ignores the request to stop is killed after the grace by threads of this
    /// process.
    pub fn wait_for_runs(&self, give_up: &dyn Fn() -> bool) {
        self.engine.executor.wait_for_runs(give_up);
    }

    /// Ends a session: its background hooks are told to stop, and hooks that run once run again in a session of the same
    /// identifier. A `SessionEnd` event does it too, after its hooks; dropping the last clone of the runner ends the
    /// background hooks of every session.
    pub fn end_session(&self, session_id: &str) {
        self.engine.end_session(session_id);
    }
}

impl fmt::Debug for Runner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Runner")
            .field("config", &self.engine.settings.config)
            .field("naming", &self.engine.settings.naming)
            .finish_non_exhaustive()
    }
}

/// What there is to do next.
enum Poll<'r> {
    /// To wait for a message, at most until then.
    Wait(Progress<'r>, Instant),
    /// Nothing.
    Done(Verdict),
}

/// A run of an event's hooks. Dropping it cancels what has not ended.
struct Progress<'r> {
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
    fn start(engine: &Engine, event: RunEvent<'r>, edit_work: impl FnOnce(&mut [Work]), notifier: Notifier) -> Self {
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
    fn accept(&mut self, (index, ended): Ended) {
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
    fn next(mut self) -> Poll<'r> {
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

#[cfg(test)]
mod tests;
