//! What differs between coding agents: their hooks' configs, and the rules that the hooks run by.
//!
//! A [`Dialect`] is an agent's rules, one directory of [`dialect`] for each. A [`Config`] has the hooks of config files, read by the
//! rules of their agents. A [`Matcher`] and a [`Condition`] say which calls a hook is for. Nothing is run here.
#![forbid(unsafe_code)]

pub mod condition;
pub mod config;
pub mod dialect;
pub mod http;
mod itself;
pub mod matcher;
mod name_pattern;
pub mod path_glob;
pub mod payload_defaults;
mod programs;
pub mod read_file;
pub mod variables;

// The contract's modules, under the names that they have in this crate too.
use hookshell_contract::verdict::{agent, aggregate, rendered, report};
use hookshell_contract::{
    decision, encoding, envelope, event, event_kind, json, nearest, opinion, origin, payload, tool_input, verdict,
};

pub use crate::condition::{Condition, ConditionError};
pub use crate::config::{
    AgentHook, Config, ConfigError, ConfigSource, DEFAULT_TIMEOUT, FoundFile, HookConfig, HookKind, HttpHook,
    InProcessHook, ModuleHook, PromptHook, Warning, WarningKind, discover, discover_files, discover_hook_files,
    discover_user_files, discover_user_hook_files, why_unreadable,
};
pub use crate::dialect::{Dialect, Guess, UnknownDialect};
pub use crate::matcher::{Matcher, MatcherError};
pub use crate::payload_defaults::PayloadDefaults;
/// What the contract has.
pub use hookshell_contract::{Event, EventKind, ToolInput};
