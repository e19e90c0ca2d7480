//! What kinds of hooks there are.

use std::any::Any;
use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::http::{Url, without_secrets};

/// What a hook is: a command, or something else that gives an opinion.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub enum HookKind {
    /// A command: [`HookConfig::command`](crate::HookConfig::command) and the fields beside it say what is run.
    #[default]
    Command,
    /// One question to a language model (`"type": "prompt"`).
    Prompt(PromptHook),
    /// A sub-agent that looks around before it answers (`"type": "agent"`).
    Agent(AgentHook),
    /// A Python module that stays loaded for the session (`"type": "module"`).
    Module(ModuleHook),
    /// A request to a server (`"type": "http"`), in the configs of agents that have such hooks.
    Http(HttpHook),
    /// Code of the host.
    InProcess(InProcessHook),
    /// A type that is not run here. Such a hook fails when its event happens.
    Unsupported {
        /// The type, as the config has it.
        kind: String,
    },
}

impl HookKind {
    /// The type, as a config has it: `command`, `prompt`, `agent`, `module`; `in-process` for code of the host.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Command => "command",
            Self::Prompt(_) => "prompt",
            Self::Agent(_) => "agent",
            Self::Module(_) => "module",
            Self::Http(_) => "http",
            Self::InProcess(_) => "in-process",
            Self::Unsupported { kind } => kind,
        }
    }

    /// How long a hook of this kind may run unless its config says otherwise: 60 s for a sub-agent, else 30 s.
    pub(crate) fn default_timeout(&self) -> Duration {
        match self {
            Self::Agent(_) => Duration::from_secs(60),
            _ => super::DEFAULT_TIMEOUT,
        }
    }

    /// What names a hook that has no name and no command.
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Command | Self::InProcess(_) => Cow::Borrowed(""),
            Self::Prompt(hook) => Cow::Borrowed(&hook.prompt),
            Self::Agent(hook) => Cow::Borrowed(&hook.prompt),
            Self::Module(hook) => Cow::Borrowed(hook.module.to_str().unwrap_or_default()),
            Self::Http(hook) => Cow::Owned(hook.shown()),
            Self::Unsupported { kind } => Cow::Borrowed(kind),
        }
    }

    /// Is it a request to a server?
    pub fn is_http(&self) -> bool {
        matches!(self, Self::Http(_))
    }

    /// Do both give the same opinion of the same event? Of two commands this does not tell: their fields do.
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Command, Self::Command) => true,
            (Self::Prompt(left), Self::Prompt(right)) => left == right,
            (Self::Agent(left), Self::Agent(right)) => left == right,
            (Self::Module(left), Self::Module(right)) => left == right,
            // Of two with one address the later one is sent (`select`).
            (Self::Http(left), Self::Http(right)) => left.url == right.url,
            (Self::InProcess(left), Self::InProcess(right)) => Arc::ptr_eq(&left.0, &right.0),
            _ => false,
        }
    }
}

/// A question to a language model.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PromptHook {
    /// The question. `$ARGUMENTS` in it stands for the event's payload; without it the payload is appended.
    pub prompt: String,
    /// The model; the host's default unless set.
    pub model: Option<String>,
    /// Is an answer kept and given again for the same input?
    pub cache: bool,
}

impl PromptHook {
    /// A question to the default model, without a cache.
    pub fn new(prompt: impl Into<String>) -> Self {
        Self { prompt: prompt.into(), model: None, cache: false }
    }
}

/// A task for a sub-agent.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AgentHook {
    /// The task. `$ARGUMENTS` in it stands for the event's payload; without it the payload is appended.
    pub prompt: String,
    /// The model; the host's default unless set.
    pub model: Option<String>,
    /// The tools that it may use: `read`, `glob` and `grep` unless set.
    pub tools: Vec<String>,
    /// How many times the model may answer, the last answer included.
    pub max_turns: u32,
    /// Is an answer kept and given again for the same input?
    pub cache: bool,
}

impl AgentHook {
    /// The turns of an agent hook unless its config says otherwise.
    pub(crate) const DEFAULT_MAX_TURNS: u32 = 10;

    /// A task for the default model with the default tools, without a cache.
    pub fn new(prompt: impl Into<String>) -> Self {
        Self {
            prompt: prompt.into(),
            model: None,
            tools: ["read", "glob", "grep"].map(str::to_owned).into(),
            max_turns: Self::DEFAULT_MAX_TURNS,
            cache: false,
        }
    }
}

/// A Python module with a function `register(hooks)`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ModuleHook {
    /// Its file, relative to the project.
    pub module: PathBuf,
}

impl ModuleHook {
    /// The module in this file.
    pub fn new(module: impl Into<PathBuf>) -> Self {
        Self { module: module.into() }
    }
}

/// A request to a server, whose answer is read as the output of a command is.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HttpHook {
    /// Where the event is sent, with POST.
    pub url: String,
    /// Headers beside those of every request. In their values `$NAME` and `${NAME}` stand for variables of the environment.
    pub headers: Vec<(String, String)>,
    /// The variables that the headers may have. Others are empty there.
    pub allowed_env_vars: Vec<String>,
}

impl HttpHook {
    /// A request to this server, without headers of its own.
    pub fn new(url: impl Into<String>) -> Self {
        Self { url: url.into(), headers: Vec::new(), allowed_env_vars: Vec::new() }
    }

    /// The address for messages and logs: without a name and a password that stand in it, and without the values of its query.
    pub fn shown(&self) -> String {
        Url::parse(&self.url).map_or_else(|_| without_secrets(&self.url), |url| url.masked())
    }
}

/// Code of the host. Each clone is the same hook.
#[derive(Clone)]
pub struct InProcessHook(Arc<dyn Any + Send + Sync>);

impl InProcessHook {
    /// A hook that is this code. What it is only those know who run it.
    pub fn new<T: Any + Send + Sync>(code: T) -> Self {
        Self(Arc::new(code))
    }

    /// The code, where it is of this type.
    pub fn code<T: Any>(&self) -> Option<&T> {
        self.0.downcast_ref()
    }
}

impl fmt::Debug for InProcessHook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InProcessHook").finish_non_exhaustive()
    }
}
