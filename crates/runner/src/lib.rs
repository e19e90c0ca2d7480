//! Runs the hooks of a config on events, and composes what they say into one verdict.
//!
//! An agent that is about to call a tool makes a [`Event`] and gives it to a [`Runner`]. The runner starts every hook
//! of its [`Config`] that matches, all at once and without any `sh`, gives each the event on its standard input and in its
//! environment, and composes what they say, in config order, into one [`Verdict`].
//!
//! ```
//! use hookshell_runner::{Config, Decision, Event, Runner, ToolInput};
//!
//! let config = Config::parse(
//!     r#"{
//!         "hooks": {
//!             "PreToolUse": [
//!                 {
//!                     "matcher": "^bash$", // a regular expression on the tool's name
//!                     "command": "case $CRUSH_TOOL_INPUT_COMMAND in (*'rm -rf /'*) echo 'not that' >&2; exit 2;; esac",
//!                     "timeout": 10,
//!                 },
//!             ],
//!         },
//!     }"#,
//!     "crush.json",
//! )?;
//! let runner = Runner::builder().config(config).build()?;
//!
//! let input = ToolInput::parse(r#"{"command":"rm -rf /"}"#)?;
//! let event = Event::pre_tool_use("bash", input, std::env::temp_dir()).with_session_id("313909e");
//! let verdict = runner.run_blocking(&event); // or, on tokio: runner.run(&event).await
//!
//! assert_eq!(verdict.opinion.decision, Some(Decision::Deny));
//! assert_eq!(verdict.opinion.reason.as_deref(), Some("not that"));
//! assert_eq!(verdict.exit_code(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What a hook says
//!
//! | exit code | meaning |
//! | --- | --- |
//! | 0 | stdout is empty or one JSON object: `version`, `decision`, `halt`, `reason`, `context`, `updated_input`; or Claude Code's `hookSpecificOutput` |
//! | 2 | the call is denied; stderr is the reason. A syntax error in the hook is the same |
//! | 49 | the turn is halted; stderr is the reason |
//! | other | a failure: reported in the hook's [`HookReport`], and no opinion unless the hook says `"on_failure": "deny"` |
//!
//! Deny wins over ask, ask over allow, allow over no opinion; a halt blocks the call too. `context_files` of any event
//! refers the agent to files of the project; on `UserPromptSubmit` `updated_prompt` replaces the prompt, and on `PostToolUse`
//! and `PostToolUseFailure` `updated_result` (any JSON value) replaces what the tool gave; the last one wins.
//! Where an event has nothing to block ([`EventKind::can_block`]), exit code 2 is a failure and a decision is not read.
//!
//! # Hooks that are code of the host
//!
//! A host has hooks of its own, as async closures that get its state, in the same order and with the same verdict: see
//! [`inprocess`].
//!
//! # A hook's config
//!
//! | key | type | meaning |
//! | --- | --- | --- |
//! | `command` | string | the shell command to run; required, unless `type` says that the hook is none |
//! | `matcher` | string | an unanchored regular expression on the tool's name; every tool without it |
//! | `timeout` | number | seconds, fractions allowed; 30 without it, 60 for an `agent` |
//! | `name` | string | what messages call the hook; its command without it |
//! | `on_failure` | `"ignore"` or `"deny"` | what its failure means for the call; `"ignore"` without it |
//! | `if` | string | the calls that it is for: a rule as `bash(git push *)` ([`Condition`]) |
//! | `args` | array of strings | `command` is a program and these are its arguments: no shell reads them |
//! | `command_windows` | string | the command on Windows |
//! | `env` | object of strings | variables beside the event's; they come last |
//! | `cwd` | string | the directory in which it runs, relative to the event's |
//! | `async` | boolean | it is started and not waited for, and ended with the session |
//! | `once` | boolean | it runs once in a session ([`Runner::end_session`]) |
//! | `include_sub_agents` | boolean | it runs on what happens in sub-agents too |
//! | `status_message` | string | what a host may show while it runs |
//! | `type` | string | `command` (without it), `prompt`, `agent` or `module` ([`HookKind`]), in other agents' configs also `http`; a type that is not run here fails |
//! | `prompt` | string | `prompt`, `agent`: the question to a language model; `$ARGUMENTS` is the event, else it is appended |
//! | `model` | string | `prompt`, `agent`: the model; the client's default without it |
//! | `cache` | boolean | `prompt`, `agent`: a decision is given again for the same input, for a while |
//! | `tools` | array of strings | `agent`: what it may use; `read`, `glob` and `grep` without it |
//! | `max_turns` | number | `agent`: how often the model may answer; 10 without it |
//! | `module` | string | `module`: the Python file |
//! | `missing_shell` | `"interpret"` or `"fail"` | what to do with a script for sh, bash, dash, ash or ksh if that shell is not installed: run it in process, or fail; the default is `"interpret"` on Windows and `"fail"` elsewhere |
//! | `shell_scripts` | `"installed"` or `"in-process"` | what runs a script for sh, bash, dash, ash or ksh: the installed shell (the default), or the in-process one on every machine |
//! | `require_env` | boolean | `false`: run it also where a variable cannot be passed exactly ([`HookConfig::require_env`]) |
//!
//! Beside the events `hooks` may have defaults for the hooks of its file: `include_sub_agents`, `missing_shell`, `shell_scripts`, and
//! `on_failure` for those on `PreToolUse`.
//!
//! # Other agents' configs
//!
//! Configs of Claude Code, Codex, Gemini CLI, Qwen Code, Cursor and Copilot CLI are read as they are, and their hooks run by their
//! own agent's rules: [`Dialect`]. Where Claude Code's and Copilot CLI's have hooks of the type `http`, the event is sent to a server with
//! the feature `http`; without it they fail. [`Verdict::render`] says a verdict as a hook of one of these agents would.
#![forbid(unsafe_code)]

mod absolute;
mod beginning;
mod cancel;
mod check;
mod choice;
mod concurrent;
#[cfg(test)]
mod dialect_tests;
mod discovery;
mod engine;
mod environment;
mod fixture;
mod gate;
mod hint;
mod host_future;
mod http;
pub mod inprocess;
mod interpret;
mod llm;
mod log;
mod module;
mod named_files;
mod native_hook;
mod observer;
mod plan;
mod project_run;
mod runner;
mod sequence;
mod services;
mod session;
mod session_env;
mod settings;
mod shebang_name;
mod state;
mod subagent;
mod trust;
mod ui;
mod work;

// The agents' modules, under the names that they have in this crate too.
use hookshell_agents::{condition, config, dialect, matcher, path_glob, payload_defaults, read_file};
// The contract's modules, under the names that they have in this crate too.
use hookshell_contract::verdict::{agent, outcome, rendered};
use hookshell_contract::{
    context_files, decision, encoding, envelope, event, event_kind, json, llm_error, nearest, opinion, payload,
    tool_input, verdict,
};

/// For fuzz targets only (the feature `fuzzing`): a runner that runs nothing.
#[cfg(feature = "fuzzing")]
pub mod fuzzing {
    pub use crate::work::scripted::ScriptedResponse;
}

pub use crate::agent::{Agent, AgentOutput};
pub use crate::cancel::{CancelGuard, CancelToken};
pub use crate::check::{CheckReport, CheckTarget, Checker, Finding, FindingCode, Severity};
pub use crate::choice::LeftOut;
pub use crate::condition::{Condition, ConditionError};
pub use crate::config::{
    AgentHook, Config, ConfigError, ConfigSource, DEFAULT_TIMEOUT, FoundFile, Guess, HookConfig, HookKind, HttpHook,
    InProcessHook, ModuleHook, OnFailure, Origin, Place, PromptHook, Warning, WarningKind, discover, discover_files,
    discover_user_files, why_unreadable,
};
pub use crate::context_files::{ContextFile, DroppedFile};
pub use crate::decision::Decision;
pub use crate::dialect::{Dialect, UnknownDialect};
pub use crate::discovery::{DiscoveredHooks, HookSource};
pub use crate::encoding::to_utf8;
pub use crate::envelope::BadEnvelope;
pub use crate::event::Event;
pub use crate::event_kind::{EventKind, UnknownEvent};
pub use crate::fixture::{Expectation, FixtureError, FoundFixtures, HookTest, Mismatch, PreparedTest, find_fixtures};
pub use crate::hint::of_missing_command;
pub use crate::http::without_secrets;
pub use crate::json::{JsonText, RawObject};
#[cfg(feature = "openai")]
pub use crate::llm::OpenAiClient;
pub use crate::llm::{AnyLlmClient, LlmClient, LlmError, LlmMessage, LlmReply, LlmRequest, LlmTool, LlmToolCall};
pub use crate::log::{HookLog, LogEntry, LogFollower};
pub use crate::matcher::{Matcher, MatcherError};
pub use crate::observer::{HookObserver, HookProgress};
pub use crate::opinion::Opinion;
pub use crate::outcome::{Failure, HookOutcome};
pub use crate::payload::{PayloadContext, PayloadError};
pub use crate::payload_defaults::PayloadDefaults;
pub use crate::project_run::{ProjectRun, ProjectState};
pub use crate::rendered::Rendered;
pub use crate::runner::{BuildError, RunState, Runner, RunnerBuilder, StartedRun, WakeReason};
pub use crate::session::SessionMemory;
pub use crate::settings::BackgroundHooks;
pub use crate::state::state_dir;
pub use crate::subagent::{AnySubagent, LlmSubagents, Subagent, SubagentError, SubagentFactory, SubagentTask};
pub use crate::tool_input::{Patch, ToolInput, ToolInputError};
pub use crate::trust::{
    Admission, Examined, ScriptFile, Trust, TrustError, TrustPolicy, TrustStatus, TrustStore, TrustedProject,
};
pub use crate::verdict::{HookReport, ShellUse, Verdict, aggregate};
pub use hookshell_agents::read_file::read_any;
pub use hookshell_agents::{discover_hook_files, discover_user_hook_files};
/// What a runner's builder takes: how commands are dispatched, and what they may use.
pub use hookshell_dispatch::{Dispatcher, DispatcherBuilder, Environment, Limits, LimitsBuilder};
