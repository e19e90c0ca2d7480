//! Running an event's hooks.

mod builder;

use std::borrow::Cow;
use std::fmt;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use hookshell_dispatch::BaseEnvironment;
use hookshell_process::Mailbox;
use tokio::sync::mpsc as tokio_mpsc;

pub use self::builder::{BuildError, RunnerBuilder};
use crate::absolute::absolute;
use crate::aggregate::last_of_each;
use crate::config::{Config, HookConfig, Origin};
use crate::environment::{Naming, Variables};
use crate::event::Event;
use crate::event_kind::EventKind;
use crate::execute::Execute;
use crate::interpret::interpret;
use crate::observer::{HookObserver, HookProgress};
use crate::plan::{Background, Plan, ToStart};
use crate::report::{HookOutcome, HookReport};
use crate::services::Services;
use crate::session::Sessions;
use crate::started::{Poll, Progress, RunMessage, StartedRun};
use crate::trust::TrustPolicy;
use crate::verdict::Verdict;
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
    pub(crate) settings: Arc<Settings>,
    pub(crate) executor: Arc<dyn Execute>,
    sessions: Arc<Sessions>,
    pub(crate) observer: Option<HookObserver>,
}

/// What does not change from event to event.
pub(crate) struct Settings {
    pub(crate) config: Config,
    pub(crate) naming: Naming,
    /// The session of events that have none of their own.
    pub(crate) session_id: String,
    /// What the host's environment says which agent it is: hooks of other agents' dialects keep it.
    pub(crate) of_caller: Variables,
    /// The host's environment, without what an outer run left in it.
    pub(crate) env: Variables,
    /// The same, for hooks.
    pub(crate) base_env: BaseEnvironment,
    pub(crate) grace: Duration,
    pub(crate) output_limit: usize,
    pub(crate) max_timeout: Option<Duration>,
    pub(crate) services: Services,
    pub(crate) trust: Option<Arc<dyn TrustPolicy>>,
    pub(crate) background: BackgroundHooks,
    pub(crate) on_background: Option<OnBackground>,
}

impl Settings {
    /// The event with absolute directories, and with the runner's session where it has none of its own.
    pub(crate) fn complete<'e>(&self, event: &'e Event) -> Cow<'e, Event> {
        let event = absolute(event);
        if event.session_id().is_empty() && !self.session_id.is_empty() {
            return Cow::Owned(event.into_owned().with_session_id(&*self.session_id));
        }
        event
    }
}

/// Which hooks a runner starts, for a host that lives no longer than its event and is waited for: it leaves those of the
/// background (`"async": true`) to another process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum BackgroundHooks {
    /// All, each on a thread of this process.
    #[default]
    Here,
    /// Not those of the background, but those that may wake the agent (`"asyncRewake": true`). The verdict says
    /// [`Started`](crate::HookOutcome::Started) of the others; the host has another process start them.
    Elsewhere,
    /// Those alone that [`Elsewhere`](Self::Elsewhere) leaves out.
    Only,
}

impl BackgroundHooks {
    /// Is a hook one that is left to another process?
    pub(crate) fn is_left(hook: &HookConfig) -> bool {
        hook.is_async && !hook.rewakes
    }
}

/// Called with an event, and with what a hook gave that ran in the background.
pub(crate) type OnBackground = Arc<dyn Fn(&Event, &HookReport) + Send + Sync>;

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
        Self { observer: Some(Arc::new(observer)), ..self.clone() }
    }

    /// The config that it runs.
    pub fn config(&self) -> &Config {
        &self.settings.config
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
        let (sender, mut received) = tokio_mpsc::unbounded_channel::<RunMessage>();
        // Nobody listens any more where the run was dropped or gave up.
        let tell = Arc::new(move |news| drop(sender.send(news)));
        let mut progress = Progress::start(self, event, edit_work, tell);
        beside.await;
        loop {
            match progress.next() {
                Poll::Done(verdict) => return verdict,
                Poll::Wait(waiting, until) => {
                    progress = waiting;
                    if let Ok(Some(news)) = tokio::time::timeout_at(until.into(), received.recv()).await {
                        progress.take(news);
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
    /// let mut run = runner.start(&event, move || waiting.unpark());
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
    pub fn start<'r>(&'r self, event: &'r Event, wake: impl Fn() + Send + Sync + 'static) -> StartedRun<'r> {
        StartedRun::new(self, event, wake)
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
        let received = Arc::<Mailbox<RunMessage>>::default();
        let sender = received.clone();
        let tell = Arc::new(move |news| {
            sender.send(news);
        });
        let mut progress = Progress::start(self, event, edit_work, tell);
        beside();
        loop {
            match progress.next() {
                Poll::Done(verdict) => return verdict,
                Poll::Wait(waiting, until) => {
                    progress = waiting;
                    if let Some(news) = received.receive_soon(Some(until)) {
                        progress.take(news);
                    }
                }
            }
        }
    }

    /// The hooks that an event would run, in config order (a hook that runs once is among them each time).
    pub fn hooks_for<'r>(&'r self, event: &Event) -> impl Iterator<Item = &'r HookConfig> {
        let event = self.settings.complete(event);
        self.settings.config.hooks().iter().filter(move |hook| hook.is_for(&event))
    }

    /// Waits for hooks that run in the background (`"async": true`), and for background lists of hooks that have ended
    /// (`( …; … ) &`): they run on threads of this process, each until its hook's deadline at the latest. For a host that
    /// is about to exit; programs live on by themselves.
    pub fn wait_for_background(&self, give_up: &dyn Fn() -> bool) {
        self.sessions.wait(give_up);
        self.executor.wait_for_background(give_up);
    }

    /// Waits until every command that was started has ended, or `give_up` says so. For a host that has dropped the future
    /// of a run and is about to exit: a hook that ignores the request to stop is killed after the grace by threads of this
    /// process.
    pub fn wait_for_runs(&self, give_up: &dyn Fn() -> bool) {
        self.executor.wait_for_runs(give_up);
    }

    /// Ends a session: its background hooks are told to stop, and hooks that run once run again in a session of the same
    /// identifier. A `SessionEnd` event does it too, after its hooks; dropping the last clone of the runner ends the
    /// background hooks of every session.
    pub fn end_session(&self, session_id: &str) {
        self.sessions.end(session_id);
        if let Some(modules) = &self.settings.services.modules {
            modules.end_session(session_id);
        }
    }

    /// Plans an event, and starts what is not waited for, but a project's hooks.
    pub(crate) fn plan(&self, event: &Event) -> (Plan, ToStart) {
        let (mut plan, mut to_start) = Plan::new(&self.settings, &self.sessions, event);
        let (of_project, own) = to_start.background.into_iter().partition(|hook| hook.gate.is_some());
        self.start_background(&mut plan, own, event);
        to_start.background = of_project;
        (plan, to_start)
    }

    /// Starts what is not waited for.
    pub(crate) fn start_background(&self, plan: &mut Plan, hooks: Vec<Background>, event: &Event) {
        for Background { step, mut work, hook, allowed, gate } in hooks {
            let watched = match gate.map_or(Ok(None), |gate| gate.open(event, &mut work)) {
                Ok(watched) => watched,
                Err(reason) => {
                    plan.distrust(step, reason);
                    continue;
                }
            };
            if self.settings.background == BackgroundHooks::Elsewhere && BackgroundHooks::is_left(&hook) {
                continue;
            }
            let listener = self.settings.on_background.clone().map(|listener| (listener, event.clone()));
            self.sessions.start(event.session_id(), &*self.executor, work, move |ended| {
                let ended = watched.and_then(|watched| watched.fault()).map_or(ended, Completion::Untrusted);
                if let Some((listener, event)) = listener {
                    // Nobody of ours is hurt by a panic of the host's.
                    let _ = catch_unwind(AssertUnwindSafe(|| {
                        listener(&event, &interpret(&hook, &event, allowed, ended));
                    }));
                }
            });
        }
    }

    pub(crate) fn verdict(&self, event: &Event, plan: Plan, ended: Vec<Completion>) -> Verdict {
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
        self.sessions.set_env(event.session_id(), &env_of(false), &env_of(true));
        let verdict = Verdict::new(event, results);
        if event.name() == EventKind::SessionEnd {
            self.end_session(event.session_id());
        }
        verdict
    }
}

impl fmt::Debug for Runner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Runner")
            .field("config", &self.settings.config)
            .field("naming", &self.settings.naming)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
#[path = "runner/tests.rs"]
mod tests;
