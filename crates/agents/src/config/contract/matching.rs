//! Which events and calls an agent's hooks are for.

use std::borrow::Cow;
use std::path::Path;

use crate::agent::Agent;
use crate::condition::{Condition, ConditionError};
use crate::config::WarningKind;
use crate::dialect::Dialect;
use crate::event::Event;
use crate::event_kind::EventKind;
use crate::matcher::{Matcher, MatcherError};

/// Which events and calls an agent's hooks are for. `dialect_event_name` is always the event's name in the agent's dialect.
pub trait MatchRules: Agent {
    /// Reads a matcher, which is compiled when it is asked. The empty one is for everything.
    fn matcher(&self, pattern: &str, event: EventKind) -> Result<Matcher, MatcherError>;

    /// What is odd about a matcher that could be read.
    fn odd_matcher(&self, _pattern: &str, _event: EventKind, matcher: &Matcher) -> Option<WarningKind> {
        let pattern = matcher.pattern().filter(|_| matcher.is_rules())?.to_owned();
        Some(WarningKind::PermissionMatcher { agent: self.name(), pattern })
    }

    /// Reads a matcher of the user's own file, where the agent's own reading would let a guard never run.
    fn own_matcher(&self, pattern: &str, event: EventKind) -> Result<Matcher, MatcherError> {
        self.matcher(pattern, event)
    }

    /// Where a matcher matches nothing that the agent has, as it reads it: what it takes it for, and what to write instead.
    fn matches_nothing(&self, _pattern: &str, _event: EventKind) -> Option<(&'static str, &'static str)> {
        None
    }

    /// Reads a hook's `if`; `None`: it is no condition. `is_exact`: as the agent reads it, and not as it may be meant.
    fn condition(&self, text: &str, _is_exact: bool) -> Result<Option<Condition>, ConditionError> {
        text.parse().map(Some)
    }

    /// What a matcher is tested against: it matches if it matches one of them. `None`: a matcher does not count.
    fn subjects<'e>(&self, dialect_event_name: &str, event: &'e Event) -> Option<Vec<Cow<'e, str>>>;

    /// Is what happened what `dialect_event_name` is about? (Some agents have events for some tools.)
    fn is_about(&self, _dialect_event_name: &str, _event: &Event) -> bool {
        true
    }

    /// Do matchers count on prompts and on the end of a turn?
    fn matches_prompts(&self) -> bool {
        false
    }

    /// Whose names of tools matchers on an event have; `own` is the agent's dialect.
    fn tools_of(&self, own: Dialect, _dialect_event_name: &str) -> Dialect {
        own
    }

    /// Has it tools that no other agent has, and no table here knows as its own?
    fn has_unlisted_tools(&self) -> bool {
        false
    }

    /// Is it known which tools there are for the hooks of a config file of this name?
    fn knows_tools(&self, _file: &Path) -> bool {
        true
    }
}
