//! Wiring coding agents' hooks to hookshell, and back: what `hookshell install`, `uninstall` and `status` do.
//!
//! A [`Plan`] says what would be done to which files; [`Plan::diff`] shows it, [`Plan::apply`] does it. Configs are edited in place:
//! comments, order, indentation, line ends and a byte order mark stay. What was there is kept beside the config and in the user's
//! own directory, so that [`Plan::uninstall`] gives it back byte for byte.
//!
//! | agent | how its hooks run through hookshell |
//! | --- | --- |
//! | Claude Code | each: `"command": "hookshell", "args": ["exec", COMMAND]`, which no shell reads |
//! | Crush | each: `hookshell exec 'COMMAND'` |
//! | Codex, Gemini CLI, Cursor, Copilot CLI, Qwen Code | for each event the line `hookshell run EVENT --dialect X --output X --config SIDE`; the hooks are in the side file |
//! | opencode, pi | a plugin that calls `hookshell run` |
#![forbid(unsafe_code)]

mod agent;
mod codex_trust;
mod command_line;
mod config;
#[cfg(test)]
mod ended_tests;
mod error;
mod exec_form;
mod files;
mod forms;
mod json_text;
mod leftovers;
mod listed;
mod machine;
mod place;
mod plan;
mod plugin;
mod record;
mod shell;
mod side_form;
mod status;
mod taken_out;
mod toml_form;
mod unit;

pub use crate::agent::{Agent, UnknownAgent};
pub use crate::error::{Error, Syntax};
pub use crate::listed::{Listed, State};
pub use crate::machine::{Machine, Program};
pub use crate::plan::{Plan, Scope};
pub use crate::status::{AgentStatus, ConfigStatus, status};
