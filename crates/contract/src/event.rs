//! One hook event: what happened, and where.

use std::path::{Path, PathBuf};

use serde_json::value::RawValue;

use crate::event_kind::EventKind;
use crate::json::JsonText;
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

/// A tool call.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ToolCall {
    /// The tool, as the agent names it.
    pub name: String,
    /// Its input.
    pub input: ToolInput,
}

impl ToolCall {
    /// A call.
    pub fn new(name: impl Into<String>, input: impl Into<ToolInput>) -> Self {
        Self { name: name.into(), input: input.into() }
    }
}

/// What happened.
#[derive(Debug, Clone)]
pub enum Detail {
    /// A tool is about to be called.
    PreToolUse {
        /// The call.
        call: ToolCall,
    },
    /// A tool has done its work.
    PostToolUse {
        /// The call.
        call: ToolCall,
        /// What it gave.
        response: JsonText,
    },
    /// A tool has failed.
    PostToolUseFailure {
        /// The call.
        call: ToolCall,
        /// What it said.
        error: String,
    },
    /// The user has submitted a prompt.
    UserPromptSubmit {
        /// The prompt.
        prompt: String,
        /// The names of what is attached to it.
        attachments: Vec<String>,
    },
    /// A session begins.
    SessionStart {
        /// How.
        source: String,
    },
    /// A session ends.
    SessionEnd {
        /// Why.
        reason: String,
    },
    /// The agent is about to end its turn.
    Stop {
        /// Does it only continue because a hook has blocked its end before?
        active: bool,
        /// What the agent said last.
        last_message: Option<String>,
    },
    /// A sub-agent is about to end.
    SubagentStop {
        /// Does it only continue because a hook has blocked its end before?
        active: bool,
        /// What it said last.
        last_message: Option<String>,
        /// What kind of sub-agent it is.
        agent: Option<String>,
    },
    /// The conversation is about to be compacted.
    PreCompact {
        /// Why.
        trigger: String,
        /// What the user wants kept.
        instructions: Option<String>,
    },
    /// The agent tells the user something.
    Notification {
        /// What.
        message: String,
        /// Its heading.
        title: Option<String>,
        /// Its type.
        kind: Option<String>,
    },
    /// `PermissionRequest` and `PermissionDenied`.
    Permission {
        /// Which of the two.
        name: EventKind,
        /// The call that it is about.
        call: ToolCall,
    },
    /// An event of one agent alone: what it has is in [`Event::members`].
    Other {
        /// Which.
        name: EventKind,
        /// What matchers are tested against.
        matched: Option<String>,
    },
    /// A turn begins.
    TurnStart {
        /// Its index; the session's first is 0.
        turn: u64,
    },
    /// A turn has ended.
    TurnEnd {
        /// Its index; the session's first is 0.
        turn: u64,
        /// What the model said.
        message: JsonText,
        /// What its tools gave, as an array.
        tool_results: JsonText,
    },
    /// The session is about to continue from an earlier turn.
    SessionBeforeBranch {
        /// That turn's index.
        target: Option<u64>,
    },
    /// The session was taken back to an earlier turn.
    SessionBranch {
        /// That turn's index.
        target: Option<u64>,
    },
    /// Another session is about to take the place of this one.
    SessionBeforeSwitch,
    /// Another session took the place of this one.
    SessionSwitch,
}

impl Event {
    /// An event of which only this and the working directory are known. The directory is kept as it is given: see
    /// [`Event::cwd`].
    pub fn new(detail: Detail, cwd: impl AsRef<Path>) -> Self {
        let cwd = cwd.as_ref().to_owned();
        Self {
            session_id: String::new(),
            project_dir: cwd.clone(),
            cwd,
            is_sub_agent: false,
            session_file: None,
            detail,
            dialect_event_name: None,
            extra: Vec::new(),
            variables: Vec::new(),
        }
    }

    /// A tool is about to be called. `cwd`, here and below, is the working directory of the agent and of its hooks: an absolute
    /// path. Nothing here asks the system for the process's own; a runner does, for a relative path.
    pub fn pre_tool_use(tool_name: impl Into<String>, tool_input: ToolInput, cwd: impl AsRef<Path>) -> Self {
        Self::new(Detail::PreToolUse { call: ToolCall { name: tool_name.into(), input: tool_input } }, cwd)
    }

    /// A tool has done its work. `response` is what it gave, as any JSON value.
    pub fn post_tool_use(
        tool_name: impl Into<String>,
        tool_input: ToolInput,
        response: JsonText,
        cwd: impl AsRef<Path>,
    ) -> Self {
        let call = ToolCall { name: tool_name.into(), input: tool_input };
        Self::new(Detail::PostToolUse { call, response }, cwd)
    }

    /// A tool has failed. `error` is what it said.
    pub fn post_tool_use_failure(
        tool_name: impl Into<String>,
        tool_input: ToolInput,
        error: impl Into<String>,
        cwd: impl AsRef<Path>,
    ) -> Self {
        let call = ToolCall { name: tool_name.into(), input: tool_input };
        Self::new(Detail::PostToolUseFailure { call, error: error.into() }, cwd)
    }

    /// The user has submitted a prompt; the model has not seen it yet.
    pub fn user_prompt_submit(prompt: impl Into<String>, cwd: impl AsRef<Path>) -> Self {
        Self::new(Detail::UserPromptSubmit { prompt: prompt.into(), attachments: Vec::new() }, cwd)
    }

    /// A session begins. `source` is how: `startup`, `resume`, `clear`, `compact`.
    pub fn session_start(source: impl Into<String>, cwd: impl AsRef<Path>) -> Self {
        Self::new(Detail::SessionStart { source: source.into() }, cwd)
    }

    /// A session ends. `reason` is why: `clear`, `logout`, `prompt_input_exit`, `other`.
    pub fn session_end(reason: impl Into<String>, cwd: impl AsRef<Path>) -> Self {
        Self::new(Detail::SessionEnd { reason: reason.into() }, cwd)
    }

    /// The agent is about to end its turn. `active`: it only continues because a Stop hook has blocked its end before.
    pub fn stop(active: bool, cwd: impl AsRef<Path>) -> Self {
        Self::new(Detail::Stop { active, last_message: None }, cwd)
    }

    /// A sub-agent is about to end. `active` as for [`Event::stop`].
    pub fn subagent_stop(active: bool, cwd: impl AsRef<Path>) -> Self {
        Self::new(Detail::SubagentStop { active, last_message: None, agent: None }, cwd)
    }

    /// The conversation is about to be compacted. `trigger` is why: `manual` or `auto`.
    pub fn pre_compact(trigger: impl Into<String>, cwd: impl AsRef<Path>) -> Self {
        Self::new(Detail::PreCompact { trigger: trigger.into(), instructions: None }, cwd)
    }

    /// The agent tells the user something.
    pub fn notification(message: impl Into<String>, cwd: impl AsRef<Path>) -> Self {
        Self::new(Detail::Notification { message: message.into(), title: None, kind: None }, cwd)
    }

    /// The user is about to be asked whether a tool may be called.
    pub fn permission_request(tool_name: impl Into<String>, tool_input: ToolInput, cwd: impl AsRef<Path>) -> Self {
        let call = ToolCall { name: tool_name.into(), input: tool_input };
        Self::new(Detail::Permission { name: EventKind::PermissionRequest, call }, cwd)
    }

    /// An event that has no constructor of its own. What it has is given with [`Event::with_member`]; matchers are
    /// tested against `matched`. For an event that has one, this is [`Event::from_payload`]'s job.
    pub fn other(name: EventKind, matched: Option<String>, cwd: impl AsRef<Path>) -> Self {
        Self::new(Detail::Other { name, matched }, cwd)
    }

    /// Says which event it is by the agent's own name for it. It matters where the agent has several events that are one of
    /// ours, as `beforeShellExecution` and `preToolUse`: only that event's hooks run. A name that the agent does not have counts
    /// for nothing.
    #[must_use]
    pub fn with_dialect_event_name(mut self, name: &'static str) -> Self {
        self.dialect_event_name = Some(name);
        self
    }

    /// Gives its hooks a variable that only this event's hooks have, over what the host, the session and the contract give them. One
    /// that no environment can hold is not kept: an empty name, or an `=` or a NUL in the wrong place.
    ///
    /// ```
    /// use hookshell_contract::Event;
    ///
    /// let event = Event::user_prompt_submit("hello", std::env::temp_dir()).with_variable("TURN", "7").with_variable("A=B", "");
    /// assert_eq!(event.variables(), [("TURN".to_owned(), "7".to_owned())]);
    /// ```
    #[must_use]
    pub fn with_variable(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        let (name, value) = (name.into(), value.into());
        if !name.is_empty() && !name.contains(['=', '\0']) && !value.contains('\0') {
            self.variables.retain(|(other, _)| *other != name);
            self.variables.push((name, value));
        }
        self
    }

    /// Adds a member to the payload that hooks get: `tool_use_id`, `permission_mode`, `transcript_path`, ….
    #[must_use]
    pub fn with_member(mut self, key: impl Into<String>, value: &JsonText) -> Self {
        if let Ok(value) = RawValue::from_string(value.get().to_owned()) {
            self.extra.push((key.into(), value));
        }
        self
    }

    /// A turn begins. `turn_index` counts the session's turns from 0.
    pub fn turn_start(turn_index: u64, cwd: impl AsRef<Path>) -> Self {
        Self::new(Detail::TurnStart { turn: turn_index }, cwd)
    }

    /// A turn has ended. `message` is what the model said, and `tool_results` is the array of what its tools gave, both as
    /// the agent has them.
    pub fn turn_end(turn_index: u64, message: JsonText, tool_results: JsonText, cwd: impl AsRef<Path>) -> Self {
        Self::new(Detail::TurnEnd { turn: turn_index, message, tool_results }, cwd)
    }

    /// The session is about to continue from an earlier turn, whose index is `target_turn_index` where that is known.
    pub fn session_before_branch(target_turn_index: Option<u64>, cwd: impl AsRef<Path>) -> Self {
        Self::new(Detail::SessionBeforeBranch { target: target_turn_index }, cwd)
    }

    /// The session was taken back to an earlier turn.
    pub fn session_branch(target_turn_index: Option<u64>, cwd: impl AsRef<Path>) -> Self {
        Self::new(Detail::SessionBranch { target: target_turn_index }, cwd)
    }

    /// Another session is about to take the place of this one.
    pub fn session_before_switch(cwd: impl AsRef<Path>) -> Self {
        Self::new(Detail::SessionBeforeSwitch, cwd)
    }

    /// Another session, whose identifier the event has, took the place of the one before.
    pub fn session_switch(cwd: impl AsRef<Path>) -> Self {
        Self::new(Detail::SessionSwitch, cwd)
    }

    /// Sets the file that the session is kept in; none unless set.
    #[must_use]
    pub fn with_session_file(mut self, file: impl Into<PathBuf>) -> Self {
        self.session_file = Some(file.into());
        self
    }

    /// Sets the session's identifier; empty unless set.
    #[must_use]
    pub fn with_session_id(mut self, session_id: impl Into<String>) -> Self {
        self.session_id = session_id.into();
        self
    }

    /// Sets the working directory, and the project's root directory with it.
    #[must_use]
    pub fn with_cwd(self, cwd: impl AsRef<Path>) -> Self {
        let cwd = cwd.as_ref().to_owned();
        Self { project_dir: cwd.clone(), cwd, ..self }
    }

    /// Sets the project's root directory; the working directory unless set.
    #[must_use]
    pub fn with_project_dir(mut self, project_dir: impl AsRef<Path>) -> Self {
        self.project_dir = project_dir.as_ref().to_owned();
        self
    }

    /// Says that it happened in a sub-agent, at whatever depth: only hooks that include sub-agents run.
    #[must_use]
    pub fn in_sub_agent(mut self, is_sub_agent: bool) -> Self {
        self.is_sub_agent = is_sub_agent;
        self
    }

    /// Sets the files that a prompt brings along; on other events nothing happens.
    #[must_use]
    pub fn with_attachments<T: Into<String>>(mut self, names: impl IntoIterator<Item = T>) -> Self {
        if let Detail::UserPromptSubmit { attachments, .. } = &mut self.detail {
            *attachments = names.into_iter().map(Into::into).collect();
        }
        self
    }

    /// Sets the agent's last message, for `Stop` and `SubagentStop`; on other events nothing happens.
    #[must_use]
    pub fn with_last_message(mut self, message: impl Into<String>) -> Self {
        if let Detail::Stop { last_message, .. } | Detail::SubagentStop { last_message, .. } = &mut self.detail {
            *last_message = Some(message.into());
        }
        self
    }

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
