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
/// use hookshell_runner::EventName;
///
/// assert_eq!("pre_tool_use".parse(), Ok(EventName::PreToolUse));
/// assert_eq!(EventName::PreToolUse.to_string(), "PreToolUse");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum EventName {
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
}

impl EventName {
    /// All events.
    pub const ALL: [Self; 10] = [
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
    ];

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
        }
    }

    /// Is there something that a deny blocks: the call, the prompt, the end of the turn, the compaction? On the other
    /// events exit code 2 is a non-blocking error and a decision is not read.
    pub fn can_block(self) -> bool {
        matches!(self, Self::PreToolUse | Self::UserPromptSubmit | Self::Stop | Self::SubagentStop | Self::PreCompact)
    }
}

impl fmt::Display for EventName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for EventName {
    type Err = UnknownEvent;

    fn from_str(name: &str) -> Result<Self, UnknownEvent> {
        if let Some(event) = Self::ALL.into_iter().find(|event| same(name, event.as_str())) {
            return Ok(event);
        }
        Err(UnknownEvent { name: name.to_owned(), nearest: nearest(name, Self::ALL.into_iter().map(Self::as_str)) })
    }
}

/// Are both the same name, case, `_` and `-` not counted?
fn same(left: &str, right: &str) -> bool {
    let letters = |name: &str| -> Vec<u8> {
        name.bytes().filter(|byte| !matches!(byte, b'_' | b'-')).map(|byte| byte.to_ascii_lowercase()).collect()
    };
    letters(left) == letters(right)
}

/// A name that is no event that hooks are run for.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("unknown event `{name}`{}", hint(*nearest))]
pub struct UnknownEvent {
    /// The name.
    pub name: String,
    /// The event that it is nearest to.
    pub nearest: Option<&'static str>,
}

fn hint(nearest: Option<&str>) -> String {
    match nearest {
        Some(name) => format!(": did you mean `{name}`?"),
        None => format!(": the events are {}", EventName::ALL.map(EventName::as_str).join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::{EventName, UnknownEvent};

    #[test]
    fn a_name_is_known_in_every_spelling() {
        for name in
            ["PreToolUse", "pretooluse", "PRETOOLUSE", "pre_tool_use", "PRE_TOOL_USE", "preToolUse", "pre-tool-use"]
        {
            assert_eq!(name.parse(), Ok(EventName::PreToolUse), "{name}");
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
                 SessionStart, SessionEnd, Stop, SubagentStop, PreCompact, Notification",
            ),
        ];
        for (name, expected) in cases {
            let error: UnknownEvent = name.parse::<EventName>().unwrap_err();
            assert_eq!(error.to_string(), expected, "{name:?}");
        }
    }
}
