//! Command hooks and hooks of the host in one order.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::future::Future;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hookshell_dispatch::Environment;
use hookshell_process::sync::lock;
use serde_json::Value;

use super::attempt::attempt;
use super::context::Services;
use super::exec::Programs;
use super::scope::Scope;
use super::timer::{ParkTimer, Timer, TokioTimer, block_on};
use super::{
    AnyHookUi, HookContext, HookMatcher, HookRegistry, HookUi, HookedTools, SessionEvent, ToolCall, ToolResult,
};
use crate::config::{Config, HookKind, InProcessHook};
use crate::event::Event;
use crate::json::JsonText;
use crate::llm::{AnyLlmClient, LlmClient};
use crate::native_hook::{HostCall, HostDone, NativeHook, NativeResponse};
use crate::outcome::Failure;
use crate::runner::{BuildError, Runner, RunnerBuilder};
use crate::verdict::Verdict;
use crate::work::Work;

/// Runs the hooks of configs and the hooks of the host, whose state is `H`, as one list with one verdict. Cheap to clone;
/// clones are the same runner.
///
/// The order is the one in which configs and registries are given: it decides which of two rewrites wins and how
/// context and reasons are joined. Command hooks run at the same time as the host's; the host's are called one after the other.
///
/// ```
/// use hookshell_runner::inprocess::{EventKind, Response, HookRegistry, HookRunner};
/// use hookshell_runner::{Config, Decision, Event, ToolInput};
///
/// let user = Config::parse(r#"{"hooks":{"PreToolUse":[{"command":"echo '{\"context\":\"first\"}'"}]}}"#, "user.json")?;
/// let project = Config::parse(r#"{"hooks":{"PreToolUse":[{"command":"echo no >&2; exit 2"}]}}"#, "project.json")?;
/// let mut hooks = HookRegistry::<Vec<String>>::new();
/// hooks.add(EventKind::PreToolUse, async |ctx| {
///     ctx.host.push(format!("{} was called", ctx.tool_name.as_deref().unwrap_or("?")));
///     Response::allow().with_context("second")
/// });
/// let runner = HookRunner::builder().config(user).hooks(hooks).config(project).build()?;
///
/// let mut calls = Vec::new();
/// let event = Event::pre_tool_use("bash", ToolInput::default(), std::env::temp_dir());
/// let verdict = runner.run_blocking(&event, &mut calls); // or, on tokio: runner.run(&event, &mut calls).await
/// assert_eq!(verdict.opinion.decision, Some(Decision::Deny));
/// assert_eq!(verdict.context().as_deref(), Some("first\nsecond"));
/// assert_eq!(calls, ["bash was called"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct HookRunner<H: ?Sized> {
    runner: Runner,
    hooks: Arc<Hooks<H>>,
    pub(super) scope: Scope,
}

struct Hooks<H: ?Sized> {
    matchers: Vec<HookMatcher<H>>,
    /// What stands for each of them in the runner's config.
    slots: Vec<Arc<dyn NativeHook>>,
    ui: Option<Arc<dyn AnyHookUi>>,
    programs: Programs,
}

impl<H: ?Sized + Send + 'static> HookRunner<H> {
    /// Begins a runner.
    pub fn builder() -> HookRunnerBuilder<H> {
        HookRunnerBuilder {
            settings: Runner::builder(),
            config: Config::default(),
            matchers: Vec::new(),
            slots: Vec::new(),
            ui: None,
            llm: None,
            env: None,
            scope: Scope { cwd: PathBuf::from("."), ..Scope::default() },
        }
    }

    /// The runner of the command hooks: its sessions, its config (hooks of the host stand in it with the kind
    /// [`HookKind::InProcess`]). Run by it alone, hooks of the host fail: it has no state to give them.
    pub fn runner(&self) -> &Runner {
        &self.runner
    }

    /// The person whom hooks may ask.
    pub fn ui(&self) -> Option<&dyn AnyHookUi> {
        self.hooks.ui.as_deref()
    }

    /// Wraps a host's tools, so that one call does it all: the hooks before, the permission, the tool, the hooks after.
    pub fn wrap<T>(&self, tools: T) -> HookedTools<H, T> {
        HookedTools::new(self.clone(), tools)
    }

    /// Runs the event's hooks, in the event's own session and directories; in the runner's session where the event has none. Dropping the future cancels every hook; what the
    /// host's hooks have changed in `host` by then stays.
    ///
    /// It waits for the host's hooks one after the other, each at most for its timeout, and for command hooks as
    /// [`Runner::run`] does, at the same time. It never fails: what went wrong with a hook is in that hook's result.
    ///
    /// # Panics
    /// Outside a tokio runtime, or in one without its time driver (`enable_time`).
    pub fn run<'r>(&'r self, event: &Event, host: &'r mut H) -> impl Future<Output = Verdict> + Send + use<'r, H> {
        let event = self.scope.complete(event.clone());
        async move { self.run_with(event, host, &mut HashMap::new()).await }
    }

    /// Runs the event's hooks and waits for them on the calling thread, with no tokio runtime: so hooks of the host must
    /// not need one.
    pub fn run_blocking(&self, event: &Event, host: &mut H) -> Verdict {
        let queue = Queue::default();
        let event = &self.scope.complete(event.clone());
        let mut ctx = self.context(event.clone(), host);
        let mut timer = ParkTimer::default();
        let edit_work = |work: &mut [Work]| self.edit_work(work, &queue);
        self.runner.run_blocking_beside(event, edit_work, || {
            let waker = timer.clone();
            block_on(self.call_all(&queue, &mut ctx, &mut timer), &waker);
        })
    }

    /// A tool is about to be called (`PreToolUse`). [`HookRunner::wrap`] does this and the rest by itself.
    pub async fn tool_call(&self, call: &ToolCall, host: &mut H) -> Verdict {
        self.run_with(self.scope.tool_call(call), host, &mut HashMap::new()).await
    }

    /// A tool has given something (`PostToolUse`, or `PostToolUseFailure` where the result is an error). What hooks want
    /// instead is the verdict's `updated_result` ([`ToolResult::from_json`]); the last one wins.
    pub async fn tool_result(&self, call: &ToolCall, result: &ToolResult, host: &mut H) -> Verdict {
        self.run_with(self.scope.tool_result(call, result), host, &mut HashMap::new()).await
    }

    /// The user has submitted a prompt (`UserPromptSubmit`).
    pub async fn prompt(&self, prompt: &str, host: &mut H) -> Verdict {
        self.run_with(self.scope.prompt(prompt), host, &mut HashMap::new()).await
    }

    /// Something happens to the session. A deny of `BeforeBranch` or `BeforeSwitch` keeps the session as it is.
    pub async fn session(&self, event: SessionEvent, host: &mut H) -> Verdict {
        self.run_with(self.scope.session(&event), host, &mut HashMap::new()).await
    }

    /// A turn begins (`TurnStart`); `turn_index` counts from 0.
    pub async fn turn_start(&self, turn_index: u64, host: &mut H) -> Verdict {
        self.run_with(self.scope.turn_start(turn_index), host, &mut HashMap::new()).await
    }

    /// A turn has ended (`TurnEnd`): what the model said, and what its tools gave.
    pub async fn turn_end(&self, turn_index: u64, message: &Value, results: &[ToolResult], host: &mut H) -> Verdict {
        // A value's own text is JSON.
        let message = JsonText::parse(&message.to_string()).unwrap_or_default();
        self.run_with(self.scope.turn_end(turn_index, message, results), host, &mut HashMap::new()).await
    }

    /// The model is done (`Stop`): a deny has it continue, told the verdict's reason. `is_active`: it went on for such a deny
    /// already. `last_message` is what it said last.
    pub async fn stop(&self, is_active: bool, last_message: Option<&str>, host: &mut H) -> Verdict {
        self.run_with(self.scope.stop(is_active, last_message), host, &mut HashMap::new()).await
    }

    /// Runs an event's hooks. `metadata` is what they find in their context, and then what they leave there.
    pub(super) async fn run_with(&self, event: Event, host: &mut H, metadata: &mut HashMap<String, Value>) -> Verdict {
        let queue = Queue::default();
        let mut ctx = self.context(event.clone(), host);
        std::mem::swap(&mut ctx.metadata, metadata);
        let edit_work = |work: &mut [Work]| self.edit_work(work, &queue);
        let mut timer = TokioTimer::default();
        let verdict = self.runner.run_with(&event, edit_work, self.call_all(&queue, &mut ctx, &mut timer)).await;
        *metadata = ctx.metadata;
        verdict
    }

    fn context<'h>(&self, event: Event, host: &'h mut H) -> HookContext<'h, H> {
        let mut ctx = HookContext::of(event, host);
        ctx.services =
            Services { ui: self.hooks.ui.clone(), programs: Some(self.hooks.programs.clone()), ..Services::default() };
        ctx
    }

    /// Has the host's hooks among the work handed over to this run.
    fn edit_work(&self, work: &mut [Work], queue: &Queue) {
        for work in work {
            if let Work::NativeHook(hook, call) = work
                && let Some(index) = self.hooks.slots.iter().position(|slot| Arc::ptr_eq(slot, hook))
            {
                *hook = Arc::new(HandOver { index, timeout: call.timeout, queue: queue.clone() });
                // Its own clock runs while it is called, and stands still while a person is asked.
                call.timeout = Duration::MAX;
            }
        }
    }

    /// Calls the host's hooks that were handed over, one after the other.
    async fn call_all(&self, queue: &Queue, ctx: &mut HookContext<'_, H>, timer: &mut dyn Timer) {
        while let Some(Handed { index, timeout, done }) = queue.next() {
            if let Some(matcher) = self.hooks.matchers.get(index) {
                done(attempt(matcher, ctx, timeout, timer).await);
            }
        }
    }
}

impl<H: ?Sized> Clone for HookRunner<H> {
    fn clone(&self) -> Self {
        Self { runner: self.runner.clone(), hooks: Arc::clone(&self.hooks), scope: self.scope.clone() }
    }
}

impl<H: ?Sized> fmt::Debug for HookRunner<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HookRunner").field("runner", &self.runner).field("scope", &self.scope).finish_non_exhaustive()
    }
}

/// The hooks of one run that are waiting to be called, in config order.
#[derive(Clone, Default)]
struct Queue(Arc<Mutex<VecDeque<Handed>>>);

struct Handed {
    index: usize,
    timeout: Duration,
    done: HostDone,
}

impl Queue {
    fn next(&self) -> Option<Handed> {
        lock(&self.0).pop_front()
    }
}

/// Starting it hands it over to the run, which has the host's state.
struct HandOver {
    index: usize,
    timeout: Duration,
    queue: Queue,
}

impl NativeHook for HandOver {
    fn start(&self, _call: HostCall, done: HostDone) {
        let handed = Handed { index: self.index, timeout: self.timeout, done };
        lock(&self.queue.0).push_back(handed);
    }
}

/// A hook of the host in a config.
struct Slot;

impl NativeHook for Slot {
    fn start(&self, _call: HostCall, done: HostDone) {
        let response = Err(Failure::Unsupported("in-process".to_owned()));
        done(NativeResponse { response, route: None, elapsed: Duration::ZERO });
    }
}

/// Makes a [`HookRunner`].
#[must_use]
pub struct HookRunnerBuilder<H: ?Sized> {
    settings: RunnerBuilder,
    config: Config,
    matchers: Vec<HookMatcher<H>>,
    slots: Vec<Arc<dyn NativeHook>>,
    ui: Option<Arc<dyn AnyHookUi>>,
    llm: Option<Arc<dyn AnyLlmClient>>,
    env: Option<Environment>,
    scope: Scope,
}

impl<H: ?Sized + Send + 'static> HookRunnerBuilder<H> {
    /// Adds the hooks of a config, after what was added before.
    pub fn config(mut self, config: Config) -> Self {
        self.config.append(config);
        self
    }

    /// Adds the hooks of a registry, after what was added before.
    pub fn hooks(mut self, registry: HookRegistry<H>) -> Self {
        for matcher in registry.hooks() {
            let slot: Arc<dyn NativeHook> = Arc::new(Slot);
            let kind = HookKind::InProcess(InProcessHook::new(Arc::clone(&slot)));
            let mut hook = matcher.config.clone();
            hook.kind = kind;
            self.config.push(hook);
            self.matchers.push(matcher.clone());
            self.slots.push(slot);
        }
        self
    }

    /// The person whom hooks may ask. Without one, questions have their safe answers ([`HookUi`]).
    pub fn ui(mut self, ui: impl HookUi + 'static) -> Self {
        self.ui = Some(Arc::new(ui));
        self
    }

    /// The language model that hooks of the types `prompt` and `agent` ask. Without one they fail.
    pub fn llm_client(mut self, client: impl LlmClient + 'static) -> Self {
        self.llm = Some(Arc::new(client));
        self
    }

    /// The environment that hooks inherit: the process's own, as it is when the runner is built, unless set.
    pub fn env(mut self, env: impl Into<Environment>) -> Self {
        self.env = Some(env.into());
        self
    }

    /// Everything else that a runner has: names, limits, trust, the environment too where [`env`](Self::env) is not called. Its config
    /// is not used.
    pub fn settings(mut self, settings: RunnerBuilder) -> Self {
        self.settings = settings;
        self
    }

    /// The session of the events that the runner makes itself ([`HookRunner::tool_call`] and so on), and of those that it is given
    /// without one. That of the [`settings`](Self::settings) unless set. For other sessions: [`HookRunner::with_session`].
    pub fn session_id(mut self, session_id: impl Into<String>) -> Self {
        self.scope.session_id = session_id.into();
        self
    }

    /// The file that this session is kept in; none unless set.
    pub fn session_file(mut self, file: impl Into<PathBuf>) -> Self {
        self.scope.session_file = Some(file.into());
        self
    }

    /// The working directory of these events; the process's own unless set.
    pub fn cwd(mut self, cwd: impl Into<PathBuf>) -> Self {
        self.scope.cwd = cwd.into();
        self
    }

    /// The project's root directory of these events; the working directory unless set.
    pub fn project_dir(mut self, project_dir: impl Into<PathBuf>) -> Self {
        self.scope.project_dir = Some(project_dir.into());
        self
    }

    /// The runner.
    ///
    /// # Errors
    /// As of [`RunnerBuilder::build`].
    pub fn build(self) -> Result<HookRunner<H>, BuildError> {
        let mut settings = self.settings.config(self.config);
        if let Some(env) = self.env {
            settings = settings.env(env);
        }
        if let Some(ui) = &self.ui {
            settings = settings.any_ui(Arc::clone(ui));
        }
        if let Some(llm) = self.llm {
            settings = settings.any_llm_client(llm);
        }
        let runner = settings.build()?;
        let mut scope = self.scope;
        if scope.session_id.is_empty() {
            scope.session_id.clone_from(&runner.engine.settings.session_id);
        }
        let programs = Programs {
            executor: Arc::clone(&runner.engine.executor),
            env: runner.engine.settings.env.clone(),
            grace: runner.engine.settings.grace,
            output_limit: runner.engine.settings.output_limit,
        };
        let hooks = Hooks { matchers: self.matchers, slots: self.slots, ui: self.ui, programs };
        Ok(HookRunner { runner, hooks: Arc::new(hooks), scope })
    }
}

impl<H: ?Sized> fmt::Debug for HookRunnerBuilder<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HookRunnerBuilder").field("config", &self.config).finish_non_exhaustive()
    }
}
