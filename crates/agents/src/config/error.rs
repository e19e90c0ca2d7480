//! What can be wrong with a config.

use std::fmt;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use thiserror::Error;

use super::Place;
use crate::event_kind::{EventKind, UnknownEvent};
use crate::nearest::is_slip;

/// Why a config cannot be used. Each names its place.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The file cannot be read, or is not UTF-8.
    #[error("{}: {}", file.display(), why_unreadable(source))]
    Read {
        /// The file.
        file: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// Not JSON, comments and trailing commas allowed.
    #[error("{place}: {message}")]
    Syntax {
        /// Where.
        place: Place,
        /// What is wrong there.
        message: String,
    },
    /// A value of the wrong type.
    #[error("{place}: `{key}` must be {expected}, found {found}")]
    WrongType {
        /// Where.
        place: Place,
        /// The key, with what it is in: `hooks.PreToolUse[0].timeout`.
        key: String,
        /// What it must be.
        expected: &'static str,
        /// What it is.
        found: &'static str,
    },
    /// A value of the right type that cannot be.
    #[error("{place}: `{key}` must be {expected}, found {found}")]
    BadValue {
        /// Where.
        place: Place,
        /// The key, with what it is in.
        key: String,
        /// What it must be.
        expected: &'static str,
        /// What it is.
        found: String,
    },
    /// A group with a list of hooks, where each hook stands by itself.
    #[error(
        "{place}: `{key}`: these hooks stand as Claude Code's do, in groups; Crush wants each by itself: {{\"matcher\": …, \"command\": …}}"
    )]
    Grouped {
        /// Where the list begins.
        place: Place,
        /// The key of the list, with what it is in.
        key: String,
    },
    /// A key that must be there is not.
    #[error("{place}: `{key}` is missing")]
    Missing {
        /// Where what should have it begins.
        place: Place,
        /// The key, with what it is in.
        key: String,
    },
    /// A matcher is no regular expression.
    #[error("{place}: `{key}` is not a regular expression: {message}")]
    BadMatcher {
        /// Where.
        place: Place,
        /// The key, with what it is in.
        key: String,
        /// What is wrong with it.
        message: String,
    },
    /// The agent of the file drops all of its hooks.
    #[error("{place}: {agent} takes none of this file's hooks: {message}")]
    NotTaken {
        /// Where it gives up.
        place: Place,
        /// The agent.
        agent: &'static str,
        /// What it does not take.
        message: String,
    },
    /// A project has more of something than is read of one.
    #[error("{}: this project has more than {limit} {what}: what is beyond is left out", at(file, place.as_ref()))]
    ProjectLimit {
        /// The file in which the limit was reached.
        file: PathBuf,
        /// Where in it.
        place: Option<Place>,
        /// Of what it has too many.
        what: &'static str,
        /// How many of them are read.
        limit: u64,
    },
    /// The agent of the file uses nothing of it, because of what stands there.
    #[error("{place}: {agent} uses nothing of this file, no hook of it runs: {why}")]
    FileIgnored {
        /// Where.
        place: Place,
        /// The agent.
        agent: &'static str,
        /// What is wrong there.
        why: String,
    },
    /// The same key twice in one object: one of them would be dropped unseen.
    #[error("{place}: `{key}` stands here a second time, first on line {first_line}")]
    Duplicate {
        /// Where the second one is.
        place: Place,
        /// The key, with what it is in.
        key: String,
        /// Where the first one is.
        first_line: usize,
    },
}

fn at(file: &Path, place: Option<&Place>) -> String {
    place.map_or_else(|| file.display().to_string(), Place::to_string)
}

/// Why a file or directory cannot be read, in words and without the system's number.
pub fn why_unreadable(error: &std::io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "no such file or directory".to_owned(),
        ErrorKind::PermissionDenied => "permission denied".to_owned(),
        ErrorKind::IsADirectory => "it is a directory".to_owned(),
        _ => {
            let text = error.to_string();
            let number = error.raw_os_error().map(|number| format!(" (os error {number})")).unwrap_or_default();
            text.strip_suffix(&number).unwrap_or(&text).to_owned()
        }
    }
}

impl ConfigError {
    /// Where it is; `None` if the file could not be read.
    pub fn place(&self) -> Option<&Place> {
        match self {
            Self::Read { .. } => None,
            Self::ProjectLimit { place, .. } => place.as_ref(),
            Self::Syntax { place, .. }
            | Self::WrongType { place, .. }
            | Self::BadValue { place, .. }
            | Self::Missing { place, .. }
            | Self::Grouped { place, .. }
            | Self::BadMatcher { place, .. }
            | Self::NotTaken { place, .. }
            | Self::FileIgnored { place, .. }
            | Self::Duplicate { place, .. } => Some(place),
        }
    }
}

/// Something odd in a config that is passed over.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Warning {
    /// Where.
    pub place: Place,
    /// What.
    pub kind: WarningKind,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.kind)
    }
}

/// What is odd.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum WarningKind {
    /// A key that is none of a hook's.
    #[error("unknown key `{key}` is ignored{}", did_you_mean(*nearest))]
    UnknownKey {
        /// The key, with what it is in.
        key: String,
        /// The known key that is nearest, if one is near.
        nearest: Option<&'static str>,
    },
    /// Hooks for an event that is not known.
    #[error("these hooks will not run: {0}")]
    UnknownEvent(UnknownEvent),
    /// Hooks of an event that stand beside `hooks` and not in it.
    #[error(
        "these hooks will not run: `{name}` stands outside of `hooks`: write {{ \"hooks\": {{ \"{name}\": [ … ] }} }}"
    )]
    Misplaced {
        /// The event's name.
        name: String,
    },
    /// Hooks for an event that the agent of the file does not have.
    #[error("these hooks will not run: {agent} has no event `{name}`{}", did_you_mean(*nearest))]
    NotItsEvent {
        /// The agent.
        agent: &'static str,
        /// The event's name.
        name: String,
        /// The event of the agent that is nearest.
        nearest: Option<&'static str>,
    },
    /// Hooks for an event whose name the agent writes in another way: they are run all the same.
    #[error("{agent} has no event `{name}`, and would not run these hooks (here they run): did you mean `{own}`?")]
    OtherSpelling {
        /// The agent.
        agent: &'static str,
        /// The event's name in the file.
        name: String,
        /// The event's name.
        own: &'static str,
    },
    /// Hooks that stand in a way that the agent of the file does not read, and that are run all the same.
    #[error("{agent} does not read a hook that stands so: it wants {wanted}")]
    OtherShape {
        /// The agent.
        agent: &'static str,
        /// What it wants.
        wanted: &'static str,
    },
    /// A matcher that is written as a permission's rule.
    #[error(
        "{agent} takes the matcher {pattern:?} for a regular expression, which matches no tool: here it is the rule that it looks like; write `matcher` for the tool, and the rule as `if`"
    )]
    PermissionMatcher {
        /// The agent.
        agent: &'static str,
        /// The matcher.
        pattern: String,
    },
    /// What the agent of the file does not read, and what is not run therefore.
    #[error("this will not run: {agent} passes over {what}{}", did_you_mean(*meant))]
    PassedOver {
        /// The agent.
        agent: &'static str,
        /// What it passes over.
        what: String,
        /// The word that is likely meant, where it is passed over for a slip of the pen.
        meant: Option<&'static str>,
    },
    /// What the agent of the file takes otherwise than it may be meant.
    #[error("{agent} takes {what}")]
    TakenOtherwise {
        /// The agent.
        agent: &'static str,
        /// For what it takes what.
        what: String,
    },
    /// What the agent of the file reads otherwise than it may be meant.
    #[error("`{key}` is {found}: {agent} reads it as {read}")]
    ReadAs {
        /// The agent.
        agent: &'static str,
        /// The key, with what it is in.
        key: String,
        /// Its value.
        found: String,
        /// What the agent makes of it.
        read: String,
    },
    /// A matcher that matches no tool as the agent reads it.
    #[error("these hooks will not run: {agent} takes the matcher {pattern:?} for {taken_for}: {instead}")]
    MatchesNothing {
        /// The agent.
        agent: &'static str,
        /// The matcher.
        pattern: String,
        /// As what the agent reads it.
        taken_for: &'static str,
        /// What to write instead.
        instead: &'static str,
    },
    /// An `if` that no call fulfils as the agent reads it.
    #[error("this hook will not run: {agent} takes `{key}` {text:?} {taken_for}")]
    HoldsNever {
        /// The agent.
        agent: &'static str,
        /// The key, with what it is in.
        key: String,
        /// The rule.
        text: String,
        /// As what the agent reads it.
        taken_for: &'static str,
    },
    /// The agent uses nothing of the file, which is the user's own: its hooks run here all the same.
    #[error("{agent} uses nothing of this file, and would run no hook of it (here they run): {why}")]
    FileIgnored {
        /// The agent.
        agent: &'static str,
        /// What is wrong.
        why: String,
    },
    /// A key of a hook that the agent of the file does not heed.
    #[error("{agent} does not heed `{key}` here: {instead}")]
    KeyWithoutEffect {
        /// The agent.
        agent: &'static str,
        /// The key, with what it is in.
        key: String,
        /// What happens.
        instead: &'static str,
    },
    /// A `timeout` that no hook can have.
    #[error("`{key}` is {found}: {} s are used instead", taken.as_secs_f64())]
    TimeoutNotTaken {
        /// The key, with what it is in.
        key: String,
        /// The number.
        found: String,
        /// How long the hook may run.
        taken: Duration,
    },
    /// A key that the agent of the file passes over.
    #[error("{agent} ignores `{key}`: {instead}")]
    KeyIgnored {
        /// The agent.
        agent: &'static str,
        /// The key, with what it is in.
        key: String,
        /// What holds in its place.
        instead: &'static str,
    },
    /// The file switches hooks off.
    #[error("no hook of this file will run: `{key}` switches them off")]
    Disabled {
        /// The key.
        key: String,
    },
    /// A hook of a type that this version does not run: each time that it would, it fails.
    #[error(
        "this hook will not run: `{key}` is \"{found}\", and only command, prompt, agent and module are supported{}",
        did_you_mean(*nearest)
    )]
    TypeNotSupported {
        /// The key, with what it is in.
        key: String,
        /// The type.
        found: String,
        /// The type that is nearest.
        nearest: Option<&'static str>,
    },
    /// A hook of Copilot CLI's that gives it a prompt, as if the user had typed it: only that agent can do it.
    #[error("this hook will not run: `{key}` is \"prompt\", a text that only Copilot CLI can take for the user's")]
    SubmitsPrompt {
        /// The key, with what it is in.
        key: String,
    },
}

impl WarningKind {
    /// Are hooks lost by a slip of the pen, so that none of them is run: `hook` for `hooks`, `PreTooluse`, an event outside of
    /// `hooks`? The event of another agent is none: several read one file.
    pub fn loses_hooks(&self) -> bool {
        let is_event = |name: &str| EventKind::ALL.into_iter().any(|event| event.as_str() == name);
        let is_slip_of = |name: &str, nearest: Option<&str>| {
            !is_event(name) && nearest.is_some_and(|nearest| is_slip(name, nearest))
        };
        match self {
            Self::UnknownKey { key, nearest } => {
                let name = key.rsplit('.').next().unwrap_or(key);
                *nearest == Some("hooks") && is_slip(name, "hooks")
            }
            Self::UnknownEvent(unknown) => is_slip_of(&unknown.name, unknown.nearest),
            // `PreTooluse` is near to another event than Claude Code's where the agent has other names.
            Self::NotItsEvent { name, nearest, .. } => {
                let of_any = EventKind::ALL.into_iter().any(|event| is_slip(name, event.as_str()));
                is_slip_of(name, *nearest) || !is_event(name) && of_any
            }
            Self::Misplaced { .. } | Self::PassedOver { meant: Some(_), .. } => true,
            _ => false,
        }
    }
}

fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map(|name| format!(": did you mean `{name}`?")).unwrap_or_default()
}
