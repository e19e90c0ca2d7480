//! Running an event's hooks.

mod builder;

use std::fmt;
use std::future::Future;
use std::sync::Arc;

use hookshell_process::Mailbox;
use tokio::sync::mpsc as tokio_mpsc;

pub use self::builder::{BuildError, RunnerBuilder};
use crate::absolute::RunEvent;
use crate::concurrent::Ended;
use crate::config::{Config, HookConfig};
use crate::engine::Engine;
use crate::event::Event;
use crate::observer::HookProgress;
use crate::started::{Poll, Progress, StartedRun, WakeReason};
use crate::verdict::Verdict;
use crate::work::Work;

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

#[cfg(test)]
mod tests;
