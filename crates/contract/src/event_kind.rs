//! Names of hook events.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::nearest::nearest;

/// A hook event. Its text is the name as the payload and the verdict carry it: `PreToolUse`.
///
/// Parsing takes any case, with or without `_` and `-`: `PreToolUse`, `pretooluse`, `PRE_TOOL_USE`, `pre_tool_use`.
///
/// ```
/// use hookshell_contract::EventKind;
///
/// assert_eq!("pre_tool_use".parse(), Ok(EventKind::PreToolUse));
/// assert_eq!(EventKind::PreToolUse.to_string(), "PreToolUse");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum EventKind {
    /// Before a tool is called.
    PreToolUse,
    /// After a tool has done its work.
    PostToolUse,
    /// After a tool has failed.
    PostToolUseFailure,
    /// After the user has submitted a prompt, before the model sees it.
    UserPromptSubmit,
    /// When a session begins or is taken up again.
    SessionStart,
    /// When a session ends.
    SessionEnd,
    /// Before the agent ends its turn.
    Stop,
    /// Before a sub-agent ends.
    SubagentStop,
    /// Before the conversation is compacted.
    PreCompact,
    /// When the agent tells the user something.
    Notification,
    /// Before each turn: a call of the model and the tools that it asks for.
    TurnStart,
    /// After each turn.
    TurnEnd,
    /// Before the session continues from an earlier turn.
    SessionBeforeBranch,
    /// After the session was taken back to an earlier turn.
    SessionBranch,
    /// Before another session takes the place of this one.
    SessionBeforeSwitch,
    /// After another session took the place of this one.
    SessionSwitch,
    /// The user is about to be asked for a permission (Claude Code, Codex, Copilot).
    PermissionRequest,
    /// A permission was refused without asking the user (Claude Code).
    PermissionDenied,
    /// All tools that the model called at once have ended, before it continues (Claude Code).
    PostToolBatch,
    /// A command that the user typed is about to become a prompt (Claude Code).
    UserPromptExpansion,
    /// The project is set up for the agent (Claude Code).
    Setup,
    /// A sub-agent begins.
    SubagentStart,
    /// A task is about to be put on the list (Claude Code).
    TaskCreated,
    /// A task is about to be marked as done (Claude Code).
    TaskCompleted,
    /// A teammate is about to become idle (Claude Code).
    TeammateIdle,
    /// The turn has ended by an error of the model's interface (Claude Code).
    StopFailure,
    /// The conversation was compacted.
    PostCompact,
    /// A config file has changed, and is about to be used (Claude Code).
    ConfigChange,
    /// The working directory has changed (Claude Code).
    CwdChanged,
    /// A file that is watched has changed (Claude Code).
    FileChanged,
    /// A worktree is to be created (Claude Code).
    WorktreeCreate,
    /// A worktree is to be removed (Claude Code).
    WorktreeRemove,
    /// An MCP server asks the user for something (Claude Code).
    Elicitation,
    /// The user has answered an MCP server, which has not got the answer yet (Claude Code).
    ElicitationResult,
    /// What the model writes is about to be shown (Claude Code).
    MessageDisplay,
    /// A directory was added to those that the session works in (Claude Code).
    DirectoryAdded,
    /// A file of instructions for the model was read (Claude Code).
    InstructionsLoaded,
    /// Another model is about to be used, as the user asked (Claude Code).
    PreModelSwitch,
    /// Another model is used from now on (Claude Code).
    PostModelSwitch,
    /// The user has interrupted the turn (Codex).
    Interrupt,
    /// A request is about to be sent to the model (Codex).
    PreModelRequest,
    /// The model has answered a request (Codex).
    PostModelRequest,
    /// A request is about to be sent to the model (Gemini CLI).
    BeforeModel,
    /// The model has answered; nobody has seen the answer yet (Gemini CLI).
    AfterModel,
    /// The model is about to choose from the tools (Gemini CLI).
    BeforeToolSelection,
    /// The agent has written a message (Cursor).
    AfterAgentResponse,
    /// The agent has thought (Cursor).
    AfterAgentThought,
    /// A workspace was opened (Cursor).
    WorkspaceOpen,
    /// Something went wrong in the agent (Copilot).
    ErrorOccurred,
    /// What the agent made of a prompt is about to be kept and sent to the model (Copilot).
    UserPromptTransformed,
    /// A request is about to be sent to an MCP server (Copilot).
    PreMcpToolCall,
    /// A session that the user chose was deleted (Qwen Code).
    SessionDelete,
}

impl EventKind {
    /// All events: those of the native contract, and after them those that only other agents have.
    pub const ALL: [Self; 52] = [
        Self::PreToolUse,
        Self::PostToolUse,
        Self::PostToolUseFailure,
        Self::UserPromptSubmit,
        Self::SessionStart,
        Self::SessionEnd,
        Self::Stop,
        Self::SubagentStop,
        Self::PreCompact,
        Self::Notification,
        Self::TurnStart,
        Self::TurnEnd,
        Self::SessionBeforeBranch,
        Self::SessionBranch,
        Self::SessionBeforeSwitch,
        Self::SessionSwitch,
        Self::PermissionRequest,
        Self::PermissionDenied,
        Self::PostToolBatch,
        Self::UserPromptExpansion,
        Self::Setup,
        Self::SubagentStart,
        Self::TaskCreated,
        Self::TaskCompleted,
        Self::TeammateIdle,
        Self::StopFailure,
        Self::PostCompact,
        Self::ConfigChange,
        Self::CwdChanged,
        Self::FileChanged,
        Self::WorktreeCreate,
        Self::WorktreeRemove,
        Self::Elicitation,
        Self::ElicitationResult,
        Self::MessageDisplay,
        Self::DirectoryAdded,
        Self::InstructionsLoaded,
        Self::PreModelSwitch,
        Self::PostModelSwitch,
        Self::Interrupt,
        Self::PreModelRequest,
        Self::PostModelRequest,
        Self::BeforeModel,
        Self::AfterModel,
        Self::BeforeToolSelection,
        Self::AfterAgentResponse,
        Self::AfterAgentThought,
        Self::WorkspaceOpen,
        Self::ErrorOccurred,
        Self::UserPromptTransformed,
        Self::PreMcpToolCall,
        Self::SessionDelete,
    ];

    /// How many of [`EventKind::ALL`] the native contract has.
    const NATIVE: usize = 16;

    /// The name as payload and verdict carry it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::PreToolUse => "PreToolUse",
            Self::PostToolUse => "PostToolUse",
            Self::PostToolUseFailure => "PostToolUseFailure",
            Self::UserPromptSubmit => "UserPromptSubmit",
            Self::SessionStart => "SessionStart",
            Self::SessionEnd => "SessionEnd",
            Self::Stop => "Stop",
            Self::SubagentStop => "SubagentStop",
            Self::PreCompact => "PreCompact",
            Self::Notification => "Notification",
            Self::TurnStart => "TurnStart",
            Self::TurnEnd => "TurnEnd",
            Self::SessionBeforeBranch => "SessionBeforeBranch",
            Self::SessionBranch => "SessionBranch",
            Self::SessionBeforeSwitch => "SessionBeforeSwitch",
            Self::SessionSwitch => "SessionSwitch",
            Self::PermissionRequest => "PermissionRequest",
            Self::PermissionDenied => "PermissionDenied",
            Self::PostToolBatch => "PostToolBatch",
            Self::UserPromptExpansion => "UserPromptExpansion",
            Self::Setup => "Setup",
            Self::SubagentStart => "SubagentStart",
            Self::TaskCreated => "TaskCreated",
            Self::TaskCompleted => "TaskCompleted",
            Self::TeammateIdle => "TeammateIdle",
            Self::StopFailure => "StopFailure",
            Self::PostCompact => "PostCompact",
            Self::ConfigChange => "ConfigChange",
            Self::CwdChanged => "CwdChanged",
            Self::FileChanged => "FileChanged",
            Self::WorktreeCreate => "WorktreeCreate",
            Self::WorktreeRemove => "WorktreeRemove",
            Self::Elicitation => "Elicitation",
            Self::ElicitationResult => "ElicitationResult",
            Self::MessageDisplay => "MessageDisplay",
            Self::DirectoryAdded => "DirectoryAdded",
            Self::InstructionsLoaded => "InstructionsLoaded",
            Self::PreModelSwitch => "PreModelSwitch",
            Self::PostModelSwitch => "PostModelSwitch",
            Self::Interrupt => "Interrupt",
            Self::PreModelRequest => "PreModelRequest",
            Self::PostModelRequest => "PostModelRequest",
            Self::BeforeModel => "BeforeModel",
            Self::AfterModel => "AfterModel",
            Self::BeforeToolSelection => "BeforeToolSelection",
            Self::AfterAgentResponse => "AfterAgentResponse",
            Self::AfterAgentThought => "AfterAgentThought",
            Self::WorkspaceOpen => "WorkspaceOpen",
            Self::ErrorOccurred => "ErrorOccurred",
            Self::UserPromptTransformed => "UserPromptTransformed",
            Self::PreMcpToolCall => "PreMcpToolCall",
            Self::SessionDelete => "SessionDelete",
        }
    }

    /// The events of the native contract.
    pub fn native() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().take(Self::NATIVE)
    }

    /// Is it nothing without its data: a tool's call, a prompt? The others may come with an empty payload.
    pub fn needs_data(self) -> bool {
        matches!(
            self,
            Self::PreToolUse
                | Self::PostToolUse
                | Self::PostToolUseFailure
                | Self::PermissionRequest
                | Self::PermissionDenied
                | Self::UserPromptSubmit
        )
    }

    /// Is there something that a deny blocks: the call, the prompt, the end of the turn, the compaction, the branch or
    /// switch? On the other events exit code 2 is a non-blocking error and a decision is not read.
    pub fn can_block(self) -> bool {
        matches!(
            self,
            Self::PreToolUse
                | Self::UserPromptSubmit
                | Self::Stop
                | Self::SubagentStop
                | Self::PreCompact
                | Self::SessionBeforeBranch
                | Self::SessionBeforeSwitch
                | Self::PermissionRequest
                | Self::SubagentStart
                | Self::PostToolBatch
                | Self::UserPromptExpansion
                | Self::TaskCreated
                | Self::TaskCompleted
                | Self::TeammateIdle
                | Self::ConfigChange
                | Self::WorktreeCreate
                | Self::Elicitation
                | Self::ElicitationResult
                | Self::PreModelSwitch
                | Self::BeforeModel
                | Self::AfterModel
        )
    }

    /// Is it about a tool's call, so that hooks may change the tool's input?
    pub fn takes_input(self) -> bool {
        matches!(self, Self::PreToolUse | Self::PermissionRequest)
    }
}

impl fmt::Display for EventKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for EventKind {
    type Err = UnknownEvent;

    fn from_str(name: &str) -> Result<Self, UnknownEvent> {
        if let Some(event) = Self::ALL.into_iter().find(|event| same(name, event.as_str())) {
            return Ok(event);
        }
        Err(UnknownEvent { name: name.to_owned(), nearest: nearest(name, Self::ALL.into_iter().map(Self::as_str)) })
    }
}

/// Are both the same name, case, `_` and `-` not counted?
pub fn same(left: &str, right: &str) -> bool {
    // Every name of every agent is looked at: a name of any length ends at the first letter that differs.
    fn letters(name: &str) -> impl Iterator<Item = u8> {
        name.bytes().filter(|byte| !matches!(byte, b'_' | b'-')).map(|byte| byte.to_ascii_lowercase())
    }
    letters(left).eq(letters(right))
}

/// A name that is no event that hooks are run for.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("unknown event `{name}`{}", hint(*nearest))]
#[non_exhaustive]
pub struct UnknownEvent {
    /// The name.
    pub name: String,
    /// The event that it is nearest to.
    pub nearest: Option<&'static str>,
}

fn hint(nearest: Option<&str>) -> String {
    match nearest {
        Some(name) => format!(": did you mean `{name}`?"),
        None => {
            let native = EventKind::ALL.into_iter().take(EventKind::NATIVE).map(EventKind::as_str);
            format!(": the events are {}", native.collect::<Vec<_>>().join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{EventKind, UnknownEvent};

    #[test]
    fn a_name_is_known_in_every_spelling() {
        for name in
            ["PreToolUse", "pretooluse", "PRETOOLUSE", "pre_tool_use", "PRE_TOOL_USE", "preToolUse", "pre-tool-use"]
        {
            assert_eq!(name.parse(), Ok(EventKind::PreToolUse), "{name}");
        }
    }

    #[test]
    fn an_unknown_name_is_an_error_with_the_nearest_name() {
        let cases = [
            ("PreToolUsee", "unknown event `PreToolUsee`: did you mean `PreToolUse`?"),
            ("PreTool", "unknown event `PreTool`: did you mean `PreToolUse`?"),
            ("postToolUses", "unknown event `postToolUses`: did you mean `PostToolUse`?"),
            ("stopp", "unknown event `stopp`: did you mean `Stop`?"),
            (
                "banana",
                "unknown event `banana`: the events are PreToolUse, PostToolUse, PostToolUseFailure, UserPromptSubmit, \
                 SessionStart, SessionEnd, Stop, SubagentStop, PreCompact, Notification, TurnStart, TurnEnd, \
                 SessionBeforeBranch, SessionBranch, SessionBeforeSwitch, SessionSwitch",
            ),
        ];
        for (name, expected) in cases {
            let error: UnknownEvent = name.parse::<EventKind>().unwrap_err();
            assert_eq!(error.to_string(), expected, "{name:?}");
        }
    }
}
