//! Hooks that are code of the host: async closures and types, called in the host's own process with its own state.
//!
//! A hook gets a [`HookContext`]: the event, what belongs to it (a tool's name, input and result, the user's prompt), and
//! the host's state, all of which it may change in place. It returns a [`Response`]: a permission decision and its
//! reason, or nothing. Hooks are kept in a [`HookRegistry`]; a [`HookRunner`] runs them and the command hooks of a
//! config as one list with one [`Verdict`](crate::Verdict).
//!
//! In the examples `Agent` is the host's state, whatever it is:
//!
//! ```
//! use hookshell_runner::inprocess::{HookContext, EventKind, HookRegistry, Response, Host, Decision};
//! use serde_json::json;
//!
//! #[derive(Default)]
//! struct Agent {
//!     messages: Vec<String>,
//! }
//!
//! impl Host for Agent {
//!     type Message = String;
//!     fn messages(&self) -> &[String] {
//!         &self.messages
//!     }
//!     fn messages_mut(&mut self) -> &mut Vec<String> {
//!         &mut self.messages
//!     }
//! }
//!
//! # fn contains_secret(message: &str) -> bool { message.contains("sk-") }
//! let mut hooks = HookRegistry::<Agent>::new();
//!
//! // Block dangerous commands.
//! hooks.add_with_pattern(EventKind::PreToolUse, "Bash", async |ctx| {
//!     let cmd = ctx.tool_input.as_ref()
//!         .and_then(|v| v.get("command"))
//!         .and_then(|v| v.as_str())
//!         .unwrap_or("");
//!
//!     if cmd.contains("rm -rf") {
//!         Response::deny("Dangerous command")
//!     } else {
//!         Response::none()
//!     }
//! })?;
//!
//! // Rewrite paths.
//! hooks.add_with_pattern(EventKind::PreToolUse, "Read|Write|Edit", async |ctx| {
//!     if let Some(ref mut input) = ctx.tool_input {
//!         if let Some(path) = input.get("file_path").and_then(|v| v.as_str()) {
//!             input["file_path"] = json!(format!("/mnt/remote{}", path));
//!         }
//!     }
//!     Response::allow() // Modified input, allow
//! })?;
//!
//! // Filter messages.
//! hooks.add(EventKind::PreToolUse, async |ctx| {
//!     // Modify messages in place
//!     ctx.messages_mut().retain(|m| !contains_secret(m));
//!     Response::none()
//! });
//!
//! // Auto-approve read tools.
//! hooks.add_with_pattern(EventKind::PreToolUse, "Read|Glob|Grep", async |_ctx| {
//!     Response::allow()
//! })?;
//!
//! // Audit logging.
//! hooks.add(EventKind::PostToolUse, async |ctx| {
//!     tracing::info!(
//!         tool = ?ctx.tool_name,
//!         result = ?ctx.tool_result,
//!         "Tool executed"
//!     );
//!     Response::none()
//! });
//!
//! # let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
//! # runtime.block_on(async {
//! let mut agent = Agent { messages: vec!["hello".into(), "my key is sk-123".into()] };
//! let input = json!({ "file_path": "/etc/motd" });
//!
//! // In the host's tool executor, before a tool runs:
//! let mut ctx = HookContext::pre_tool_use(&mut agent, "Read", &input, "call_1");
//! let result = hooks.run(&mut ctx).await;
//!
//! // A hook may have modified ctx.tool_input: use it.
//! let final_input = ctx.tool_input.unwrap_or(input);
//! assert_eq!(result.decision, Some(Decision::Allow));
//! assert_eq!(final_input, json!({ "file_path": "/mnt/remote/etc/motd" }));
//! assert_eq!(agent.messages, ["hello"]);
//!
//! let mut ctx = HookContext::pre_tool_use(&mut agent, "Bash", &json!({ "command": "rm -rf /" }), "call_2");
//! let result = hooks.run(&mut ctx).await;
//! assert_eq!(result.decision, Some(Decision::Deny));
//! assert_eq!(result.reason.as_deref(), Some("Dangerous command"));
//!
//! // Where the user's prompt comes in:
//! hooks.add(EventKind::UserPromptSubmit, async |ctx| {
//!     ctx.user_prompt = ctx.user_prompt.take().map(|prompt| prompt.replace("@TODO", "the TODO in main.rs"));
//!     Response::none()
//! });
//! let text = "fix @TODO".to_owned();
//! let mut ctx = HookContext::user_prompt_submit(&mut agent, &text);
//! let result = hooks.run(&mut ctx).await;
//!
//! // A hook may have modified ctx.user_prompt.
//! let final_prompt = ctx.user_prompt.unwrap_or(text);
//! assert_eq!((result.decision, final_prompt.as_str()), (None, "fix the TODO in main.rs"));
//! # });
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Closures
//!
//! Three things differ from a plain `|ctx| async move { … }`: the closure is an async closure (`async |ctx| …`; only that
//! may borrow the context for as long as its future runs), it is `async move` and its captures are `Clone` where it has
//! any (each call gets a clone: keep what is large or shared in an `Arc`), and what it holds across an `.await` is `Send`.
//!
//! # A session's life
//!
//! A [`HookRunner`] tells hooks of all kinds, commands too, what happens: [`HookRunner::session`] (start, shutdown, before and
//! after a branch or a switch), [`HookRunner::turn_start`] and [`HookRunner::turn_end`], [`HookRunner::prompt`],
//! [`HookRunner::tool_call`], [`HookRunner::tool_result`] and [`HookRunner::stop`]; [`HookRunner::wrap`] puts the last two, the host's permission check and
//! the tool into one call. A hook asks a person through its context ([`HookUi`] is the host's side of it) and runs programs
//! with [`HookContext::exec`]. `examples/embed.rs` of this package is an agent that has it all, and `examples/hooks/`
//! has a permission gate, protected paths and git checkpoints.
//!
//! | event | what it has beside session and directories | a deny |
//! | --- | --- | --- |
//! | `PreToolUse` | `tool_name`, `tool_input`, `tool_use_id` | blocks the call |
//! | `PostToolUse` | these and `tool_result` | – |
//! | `PostToolUseFailure` | these and `error` | – |
//! | `UserPromptSubmit` | `user_prompt` | blocks the prompt |
//! | `TurnStart`, `TurnEnd` | [`HookContext::turn_index`]; at the end `turn_message`, `turn_results` | – |
//! | `SessionBeforeBranch`, `SessionBranch` | [`HookContext::target_turn_index`] | keeps the session where it is |
//! | `SessionBeforeSwitch`, `SessionSwitch` | – | keeps the session |
//! | `SessionStart`, `SessionEnd`, `Notification`, … | what their payload has | as their [`can_block`](EventKind::can_block) says |
//!
//! # Rules
//!
//! - The hooks of an event are called one after the other, each with what the ones before it changed; command hooks run
//!   at the same time. A deny does not keep later hooks from being called: an audit sees every call.
//! - Deny wins over ask, ask over allow, allow over no decision; a halt blocks too. What hooks changed in a tool's input
//!   or a prompt does not hold where the event is blocked.
//! - A hook that panics, or that takes longer than its timeout ([`HookMatcher::timeout`], 30 s unless set; the time in
//!   which a person is asked does not count), has failed: what it changed in the context is taken back, it has no
//!   opinion unless its `on_failure` says deny, and the others are not affected. What it changed in the host's state
//!   stays. Panics are caught where they unwind, not under `panic = "abort"`.
//! - Dropping the future of a run drops the hook's future at its next `.await`. Code that blocks its thread can be ended
//!   by nobody: let it run elsewhere (`tokio::task::spawn_blocking`).

mod attempt;
mod context;
mod exec;
mod hook;
mod host;
mod matcher;
mod registry;
mod response;
mod runner;
mod scope;
mod timer;
mod tools;
mod wrap;

pub use self::context::HookContext;
pub use self::exec::ExecResult;
pub use self::hook::{AsyncHookFn, Hook, HookFn, boxed_hook, hook_fn, sync_hook};
pub use self::host::Host;
pub use self::matcher::{BadPattern, HookMatcher};
pub use self::registry::HookRegistry;
pub use self::response::Response;
pub use self::runner::{HookRunner, HookRunnerBuilder};
pub use self::scope::SessionEvent;
pub use self::tools::{PermissionRequest, ToolCall, ToolExecutor, ToolResult};
pub use self::wrap::{HookedTools, ToolRun};
pub use crate::decision::Decision;
pub use crate::event_kind::EventKind;
pub use crate::ui::{AnyHookUi, BoxFuture, HookUi, NotifyLevel};

#[cfg(test)]
mod tests;
