//! What happened, with what each event has of its own.

use crate::event_kind::EventKind;
use crate::json::JsonText;
use crate::tool_input::ToolInput;

/// A tool call.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ToolCall {
    /// The tool, as the agent names it.
    pub name: String,
    /// Its input.
    pub input: ToolInput,
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
    /// An event of one agent alone: what it has is in [`Event::members`](super::Event::members).
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

impl ToolCall {
    /// A call.
    pub fn new(name: impl Into<String>, input: impl Into<ToolInput>) -> Self {
        Self { name: name.into(), input: input.into() }
    }
}
