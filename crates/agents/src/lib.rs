//! What differs between coding agents: their hooks' configs, and the rules that the hooks run by.
//!
//! A [`Dialect`] is an agent's rules, one directory of this crate for each. A [`Config`] has the hooks of config files, read by the
//! rules of their agents. A [`Matcher`] and a [`Condition`] say which calls a hook is for. Nothing is run here.
#![forbid(unsafe_code)]

mod applies;
mod claude;
mod codex;
pub mod condition;
pub mod config;
mod copilot;
mod cursor;
pub mod dialect;
mod gemini;
mod guess;
pub mod http;
mod itself;
mod load;
pub mod matcher;
mod name_pattern;
mod native;
pub mod path_glob;
pub mod payload_defaults;
mod payload_writer;
pub mod programs;
mod qwen;
pub mod read_file;
pub mod registry;
mod render;
pub mod tools;
pub mod variables;

// The contract's modules, under the names that they have in this crate too.
use hookshell_contract::verdict::{agent, outcome, rendered};
use hookshell_contract::{
    decision, encoding, envelope, event, event_kind, json, nearest, opinion, origin, payload, tool_input, verdict,
};

pub use crate::applies::Mismatch;
pub use crate::condition::{Condition, ConditionError};
pub use crate::config::{
    AgentHook, Config, ConfigError, ConfigSource, DEFAULT_TIMEOUT, FoundFile, Guess, HookConfig, HookKind, HttpHook,
    InProcessHook, ModuleHook, PromptHook, Warning, WarningKind, discover, discover_files, discover_user_files,
    why_unreadable,
};
pub use crate::dialect::{Dialect, UnknownDialect};
pub use crate::load::{discover_hook_files, discover_user_hook_files};
pub use crate::matcher::{Matcher, MatcherError};
pub use crate::payload_defaults::PayloadDefaults;
/// What the contract has.
pub use hookshell_contract::{Event, EventKind, ToolInput};
