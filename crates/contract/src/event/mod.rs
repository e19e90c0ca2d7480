//! One hook event: what happened, and where.

mod builder;
mod detail;

use std::path::{Path, PathBuf};

use serde_json::value::RawValue;

pub use self::detail::{Detail, ToolCall};
use crate::event_kind::EventKind;
use crate::tool_input::ToolInput;

/// A hook event as the agent gives it to `Runner::run`.
///
/// ```
/// use hookshell_contract::{EventKind, Event};
///
/// let event = Event::user_prompt_submit("fix the login flow", std::env::temp_dir())
///     .with_attachments(["screenshot.png"])
///     .with_session_id("313909e");
/// assert_eq!(event.name(), EventKind::UserPromptSubmit);
/// assert_eq!(event.prompt(), Some("fix the login flow"));
/// ```
#[derive(Debug, Clone)]
pub struct Event {
    session_id: String,
    cwd: PathBuf,
    project_dir: PathBuf,
    is_sub_agent: bool,
    pub(crate) session_file: Option<PathBuf>,
    detail: Detail,
    /// The event's name in the agent's own dialect, where only hooks of that event are meant: `beforeShellExecution`.
    pub(crate) dialect_event_name: Option<&'static str>,
    /// Members of the agent's own payload that the contract does not know: hooks get them as they came.
    pub(crate) extra: Vec<(String, Box<RawValue>)>,
    /// What its hooks get in their environment beside what every event's hooks get.
    variables: Vec<(String, String)>,
}

impl Event {
    /// Which event it is.
    pub fn name(&self) -> EventKind {
        match self.detail {
            Detail::PreToolUse { .. } => EventKind::PreToolUse,
            Detail::PostToolUse { .. } => EventKind::PostToolUse,
            Detail::PostToolUseFailure { .. } => EventKind::PostToolUseFailure,
            Detail::UserPromptSubmit { .. } => EventKind::UserPromptSubmit,
            Detail::SessionStart { .. } => EventKind::SessionStart,
            Detail::SessionEnd { .. } => EventKind::SessionEnd,
            Detail::Stop { .. } => EventKind::Stop,
            Detail::SubagentStop { .. } => EventKind::SubagentStop,
            Detail::PreCompact { .. } => EventKind::PreCompact,
            Detail::Notification { .. } => EventKind::Notification,
            Detail::Permission { name, .. } | Detail::Other { name, .. } => name,
            Detail::TurnStart { .. } => EventKind::TurnStart,
            Detail::TurnEnd { .. } => EventKind::TurnEnd,
            Detail::SessionBeforeBranch { .. } => EventKind::SessionBeforeBranch,
            Detail::SessionBranch { .. } => EventKind::SessionBranch,
            Detail::SessionBeforeSwitch => EventKind::SessionBeforeSwitch,
            Detail::SessionSwitch => EventKind::SessionSwitch,
        }
    }

    /// What happened, with what the event has.
    pub fn detail(&self) -> &Detail {
        &self.detail
    }

    /// The event's name in the agent's own dialect, where only hooks of that event are meant.
    pub fn dialect_event_name(&self) -> Option<&'static str> {
        self.dialect_event_name
    }

    /// What the agent gave beside what we know, each with its key, in the agent's order.
    pub fn members(&self) -> &[(String, Box<RawValue>)] {
        &self.extra
    }

    /// What the agent gave beside what we know, by its key.
    pub fn member(&self, key: &str) -> Option<&RawValue> {
        self.extra.iter().rev().find(|(other, _)| other == key).map(|(_, value)| &**value)
    }

    /// The session's identifier.
    pub fn session_id(&self) -> &str {
        &self.session_id
    }

    /// The working directory, as it was given: hooks run there. A runner takes a relative path from its process's own.
    pub fn cwd(&self) -> &Path {
        &self.cwd
    }

    /// The project's root directory.
    pub fn project_dir(&self) -> &Path {
        &self.project_dir
    }

    /// Did it happen in a sub-agent?
    pub fn is_sub_agent(&self) -> bool {
        self.is_sub_agent
    }

    /// The file that the session is kept in, where the agent has said it.
    pub fn session_file(&self) -> Option<&Path> {
        self.session_file.as_deref()
    }

    fn call(&self) -> Option<&ToolCall> {
        match &self.detail {
            Detail::PreToolUse { call }
            | Detail::PostToolUse { call, .. }
            | Detail::PostToolUseFailure { call, .. }
            | Detail::Permission { call, .. } => Some(call),
            _ => None,
        }
    }

    /// Changes the tool's input; on events without a tool nothing happens.
    pub fn set_tool_input(&mut self, input: ToolInput) {
        match &mut self.detail {
            Detail::PreToolUse { call }
            | Detail::PostToolUse { call, .. }
            | Detail::PostToolUseFailure { call, .. }
            | Detail::Permission { call, .. } => call.input = input,
            _ => {}
        }
    }

    /// The tool, as the agent names it; `None` on events without one.
    pub fn tool_name(&self) -> Option<&str> {
        self.call().map(|call| call.name.as_str())
    }

    /// What its hooks get in their environment beside what every event's hooks get ([`Event::with_variable`]).
    pub fn variables(&self) -> &[(String, String)] {
        &self.variables
    }

    /// The tool's input; `None` on events without a tool.
    pub fn tool_input(&self) -> Option<&ToolInput> {
        self.call().map(|call| &call.input)
    }

    /// The user's prompt; `None` on events without one.
    pub fn prompt(&self) -> Option<&str> {
        match &self.detail {
            Detail::UserPromptSubmit { prompt, .. } => Some(prompt),
            _ => None,
        }
    }

    /// What matchers are tested against: the tool's name, or what the event has instead (a session's source or reason, a
    /// trigger, a notification's type, a sub-agent's name). `None`: a matcher does not count on this event, or the host has not
    /// said it.
    pub fn matched(&self) -> Option<&str> {
        let said = match &self.detail {
            Detail::PreToolUse { call }
            | Detail::PostToolUse { call, .. }
            | Detail::PostToolUseFailure { call, .. }
            | Detail::Permission { call, .. } => return Some(&call.name),
            Detail::SessionStart { source } => Some(source.as_str()),
            Detail::SessionEnd { reason } => Some(reason.as_str()),
            Detail::PreCompact { trigger, .. } => Some(trigger.as_str()),
            Detail::Notification { kind, .. } => kind.as_deref(),
            Detail::SubagentStop { agent, .. } => agent.as_deref(),
            Detail::Other { matched, .. } => matched.as_deref(),
            Detail::UserPromptSubmit { .. }
            | Detail::Stop { .. }
            | Detail::TurnStart { .. }
            | Detail::TurnEnd { .. }
            | Detail::SessionBeforeBranch { .. }
            | Detail::SessionBranch { .. }
            | Detail::SessionBeforeSwitch
            | Detail::SessionSwitch => None,
        };
        said.filter(|said| !said.is_empty())
    }
}
