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
    /// Before a tool call: it can be blocked, approved, and its input rewritten.
    PreToolUse,
}

/// Events of the contract that are known by name and not run yet.
const PLANNED: [&str; 9] = [
    "UserPromptSubmit",
    "PostToolUse",
    "PostToolUseFailure",
    "SessionStart",
    "SessionEnd",
    "Stop",
    "SubagentStop",
    "PreCompact",
    "Notification",
];

impl EventName {
    /// Every event that hooks can be run for.
    pub const ALL: [Self; 1] = [Self::PreToolUse];

    /// The name as the payload and the verdict carry it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::PreToolUse => "PreToolUse",
        }
    }

    /// Is there something that a hook's exit code 2 can block? Where there is not, 2 is a non-blocking error.
    pub fn can_block(self) -> bool {
        match self {
            Self::PreToolUse => true,
        }
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
        if let Some(event) = PLANNED.into_iter().find(|event| same(name, event)) {
            return Err(UnknownEvent::NotSupported { name: event });
        }
        Err(UnknownEvent::Unknown {
            name: name.to_owned(),
            nearest: nearest(name, Self::ALL.into_iter().map(Self::as_str).chain(PLANNED)),
        })
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
#[non_exhaustive]
pub enum UnknownEvent {
    /// No event has that name.
    #[error("unknown event `{name}`{}", hint(*nearest))]
    Unknown {
        /// The name as it was given.
        name: String,
        /// The known name that is nearest, if one is near.
        nearest: Option<&'static str>,
    },
    /// An event of the contract that this version does not run hooks for.
    #[error("the event `{name}` is not supported yet: hooks run on PreToolUse")]
    NotSupported {
        /// The event.
        name: &'static str,
    },
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
            ("banana", "unknown event `banana`: the events are PreToolUse"),
            ("", "unknown event ``: the events are PreToolUse"),
            ("post_tool_use", "the event `PostToolUse` is not supported yet: hooks run on PreToolUse"),
        ];
        for (name, expected) in cases {
            let error: UnknownEvent = name.parse::<EventName>().unwrap_err();
            assert_eq!(error.to_string(), expected, "{name:?}");
        }
    }
}
