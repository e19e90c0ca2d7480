//! Making a runner.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hookshell_dispatch::{BaseEnvironment, Dispatcher, Environment};
use thiserror::Error;

use super::Runner;
use crate::config::Config;
use crate::engine::Engine;
use crate::environment::{Naming, cleaned, is_agents_name};
use crate::event::Event;
use crate::llm::{AnyLlmClient, DecisionCache, LlmClient};
use crate::module::{ModuleServices, Modules};
use crate::services::Services;
use crate::session::{SessionMemory, Sessions, Store};
use crate::settings::{BackgroundHooks, OnBackground, Settings};
use crate::subagent::SubagentFactory;
use crate::trust::TrustPolicy;
use crate::ui::{AnyHookUi, HookUi};
use crate::verdict::HookReport;
use crate::work::Execute;
#[cfg(any(test, feature = "fuzzing"))]
use crate::work::scripted::{ScriptedResponse, scripted};

/// What a hook gets between the TERM of its timeout and the KILL.
const DEFAULT_GRACE: Duration = Duration::from_secs(2);

/// How much is kept of each of a hook's stdout and stderr: far more than an envelope is.
const HOOK_OUTPUT_LIMIT: usize = 1024 * 1024;

/// Makes a [`Runner`]. Without anything set it has no hooks, the process's environment, and Crush's names.
#[must_use]
pub struct RunnerBuilder {
    config: Config,
    prefix: String,
    agent: String,
    session_id: String,
    env: Option<Environment>,
    grace: Duration,
    output_limit: usize,
    max_timeout: Option<Duration>,
    executor: Option<Arc<dyn Execute>>,
    trust: Option<Arc<dyn TrustPolicy>>,
    store: Option<Store>,
    background: BackgroundHooks,
    on_background: Option<OnBackground>,
    services: Services,
}

impl Default for RunnerBuilder {
    fn default() -> Self {
        Self {
            config: Config::default(),
            prefix: "CRUSH".to_owned(),
            agent: "crush".to_owned(),
            session_id: String::new(),
            env: None,
            grace: DEFAULT_GRACE,
            output_limit: HOOK_OUTPUT_LIMIT,
            max_timeout: None,
            executor: None,
            trust: None,
            store: None,
            background: BackgroundHooks::default(),
            on_background: None,
            services: Services::default(),
        }
    }
}

impl RunnerBuilder {
    /// The hooks to run.
    pub fn config(mut self, config: Config) -> Self {
        self.config = config;
        self
    }

    /// What the hooks' variables begin with: `CRUSH` gives `CRUSH_EVENT` and so on, and `CRUSH=1`. `CRUSH` unless set.
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = prefix.into();
        self
    }

    /// The agent's name: what `AGENT` and `AI_AGENT` are. `crush` unless set.
    pub fn agent(mut self, agent: impl Into<String>) -> Self {
        self.agent = agent.into();
        self
    }

    /// The session of events that have none of their own ([`Event::with_session_id`]). A runner serves any number of sessions at
    /// the same time: what runs once, what runs in the background and what hooks have set is kept for each of them.
    pub fn session_id(mut self, session_id: impl Into<String>) -> Self {
        self.session_id = session_id.into();
        self
    }

    /// The environment that hooks inherit. The process's own, as it is when the runner is built, unless set. What an
    /// outer agent's run left in it (`CRUSH_EVENT`, `CRUSH_TOOL_INPUT_…`, …) is taken out. Of equal names the last counts.
    pub fn env(mut self, env: impl Into<Environment>) -> Self {
        self.env = Some(env.into());
        self
    }

    /// What a hook gets between the TERM of its timeout and the KILL. 2 s unless set.
    pub fn grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }

    /// How many bytes are kept of each of a hook's stdout and stderr. 1 MiB unless set.
    pub fn output_limit(mut self, bytes: usize) -> Self {
        self.output_limit = bytes;
        self
    }

    /// The longest that any hook may run, whatever its config says. Without it the config's timeouts hold.
    pub fn max_timeout(mut self, timeout: Duration) -> Self {
        self.max_timeout = Some(timeout);
        self
    }

    /// What runs the commands. A [`Dispatcher`] of its own unless set.
    pub fn dispatcher(mut self, dispatcher: Dispatcher) -> Self {
        self.executor = Some(Arc::new(dispatcher));
        self
    }

    /// Which hooks that were found in a project may run; none unless set. Hooks of other origins always run.
    pub fn trust(mut self, policy: impl TrustPolicy + 'static) -> Self {
        self.trust = Some(Arc::new(policy));
        self
    }

    /// Where sessions are remembered for other processes, for a host that makes a runner for each event: the variables that
    /// hooks have set on the session's start, and which hooks have run once ([`HookConfig::once`](crate::HookConfig::once)). It
    /// is the user's state directory ([`state_dir`](crate::state_dir)); in memory only unless set. Nothing is read or written where no hook of the
    /// config is of an agent that has such variables, or runs once.
    pub fn remember_sessions(mut self, state_dir: impl Into<PathBuf>) -> Self {
        self.store = Some(Store::new(&state_dir.into()));
        self
    }

    /// As [`RunnerBuilder::remember_sessions`], in memory: for a host that makes runners anew while a session continues.
    pub fn share_sessions(mut self, memory: SessionMemory) -> Self {
        self.store = Some(Store::Memory(memory));
        self
    }

    /// Is called when a hook has ended that ran in the background (`"async": true`, in its config or by what it printed first), on any thread, with its event and what it
    /// gave: the verdict did not wait for it. A host may log it, or wake its model where the hook decided to deny, as Claude
    /// Code does for `asyncRewake`.
    pub fn on_background(mut self, listener: impl Fn(&Event, &HookReport) + Send + Sync + 'static) -> Self {
        self.on_background = Some(Arc::new(listener));
        self
    }

    /// Which hooks of the background are started: all, unless set.
    pub fn background(mut self, background: BackgroundHooks) -> Self {
        self.background = background;
        self
    }

    /// The language model that hooks of the types `prompt` and `agent` ask. Without one they fail.
    pub fn llm_client(self, client: impl LlmClient + 'static) -> Self {
        self.any_llm_client(Arc::new(client))
    }

    pub(crate) fn any_llm_client(mut self, client: Arc<dyn AnyLlmClient>) -> Self {
        self.services.llm = Some(client);
        self
    }

    /// What makes the sub-agents of hooks of the type `agent`. Without it they are [`LlmSubagents`](crate::LlmSubagents)
    /// over the runner's language model.
    pub fn subagents(mut self, factory: impl SubagentFactory + 'static) -> Self {
        self.services.subagents = Some(Arc::new(factory));
        self
    }

    /// The person whom hooks that are Python modules may ask. Without one, questions have their safe answers ([`HookUi`]).
    /// The time in which a person is asked does not count against the hook's timeout.
    pub fn ui(self, ui: impl HookUi + 'static) -> Self {
        self.any_ui(Arc::new(ui))
    }

    pub(crate) fn any_ui(mut self, ui: Arc<dyn AnyHookUi>) -> Self {
        self.services.ui = Some(ui);
        self
    }

    /// How many decisions of models are kept, and for how long each, for the hooks that want it (`"cache": true`).
    /// 256 and five minutes unless set.
    pub fn decision_cache(mut self, entries: usize, max_age: Duration) -> Self {
        self.services.cache = Arc::new(DecisionCache::new(entries, max_age));
        self
    }

    /// Commands are not run: these are their answers, in turn.
    #[cfg(any(test, feature = "fuzzing"))]
    pub fn answers(self, answers: Vec<ScriptedResponse>) -> Self {
        self.executor(scripted(answers))
    }

    #[cfg(any(test, feature = "fuzzing"))]
    pub(crate) fn executor(mut self, executor: Arc<dyn Execute>) -> Self {
        self.executor = Some(executor);
        self
    }

    /// The runner.
    ///
    /// # Errors
    /// The prefix is no name of a variable, or the agent's name cannot be a variable's value.
    pub fn build(self) -> Result<Runner, BuildError> {
        let mut letters = self.prefix.bytes();
        let first = letters.next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
        if !first || !letters.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            return Err(BuildError::BadPrefix(self.prefix));
        }
        if self.agent.contains('\0') {
            return Err(BuildError::BadAgent(self.agent));
        }
        let naming = Naming::new(self.prefix, self.agent);
        let env = self.env.unwrap_or_else(Environment::of_process);
        let of_caller = env.iter().filter(|(name, _)| is_agents_name(name)).cloned().collect();
        let env = cleaned(env, &naming);
        let executor: Arc<dyn Execute> = match self.executor {
            Some(executor) => executor,
            None => Arc::new(Dispatcher::new()),
        };
        let mut services = self.services;
        services.modules = Some(Arc::new(Modules::new(ModuleServices {
            executor: Arc::clone(&executor),
            ui: services.ui.take(),
            grace: self.grace,
            output_limit: self.output_limit,
        })));
        let settings = Settings {
            hooks: self.config.hooks().iter().cloned().map(Arc::new).collect(),
            config: self.config,
            naming,
            session_id: self.session_id,
            of_caller,
            base_env: BaseEnvironment::new(env.clone()),
            env,
            grace: self.grace,
            output_limit: self.output_limit,
            max_timeout: self.max_timeout,
            services,
            trust: self.trust,
            background: self.background,
            on_background: self.on_background,
        };
        let hooks = settings.config.hooks();
        let remembers = hooks.iter().any(|hook| hook.once || hook.dialect.contract().sets_variables());
        let store = self.store.filter(|_| remembers);
        let sessions = Arc::new(Sessions::with(store));
        Ok(Runner { engine: Engine { settings: Arc::new(settings), executor, sessions, observer: None } })
    }
}

/// Why a runner cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BuildError {
    /// Not letters, digits and underscores with no digit in front.
    #[error("`{0}` cannot begin the names of variables: use letters, digits and underscores, no digit first")]
    BadPrefix(String),
    /// It holds a NUL.
    #[error("the agent's name {0:?} holds a NUL, which no variable can hold")]
    BadAgent(String),
}
