//! What events and verdicts need to know of an agent, without knowing which agents there are.

use std::borrow::Cow;
use std::fmt;

use crate::event::Event;
use crate::event_kind::{EventKind, UnknownEvent, same};
use crate::json::{JsonText, RawObject};
use crate::opinion::Opinion;
use crate::verdict::rendered::Rendered;
use crate::verdict::{HookReport, Verdict};

/// What is only for one agent: its name there, and its value.
pub type AgentOutput = (Cow<'static, str>, JsonText);

/// One agent's names and rules.
pub trait Agent: Sync {
    /// What the agent is called. No two have the same name.
    fn name(&self) -> &'static str;

    /// Its events as it writes them, and which of ours they are. Where several are one of ours the general one is first.
    fn events(&self) -> &'static [(&'static str, EventKind)];

    /// The tool's call that one of its own events is about, from the event's payload: the tool's name, and its input as JSON.
    fn own_call(&self, _payload: &RawObject<'_>, _dialect_event_name: &str) -> Option<(String, String)> {
        None
    }

    /// The members of a payload that [`Agent::own_call`] takes.
    fn own_members(&self, _dialect_event_name: &str) -> &'static [&'static str] {
        &[]
    }

    /// What all hooks of an event say together, where the agent has rules of its own for that. `results` are in the order of their
    /// configs.
    fn aggregate(&self, _event: &Event, _results: &[HookReport]) -> Option<Opinion> {
        None
    }

    /// Does what its hooks say under this name count for nothing where the event is blocked?
    fn is_void_with_a_block(&self, _name: &str) -> bool {
        false
    }

    /// Puts together what several of its hooks said under one name, where that is not the last of them. `last` has the last of
    /// each name, and `said` all, in the order of their configs.
    fn join_output(&self, _last: &mut [AgentOutput], _said: &[&AgentOutput]) {}

    /// A verdict as a hook of this agent says it. `dialect_event_name` is the event's name in the agent's dialect.
    fn render(&self, verdict: &Verdict, dialect_event_name: &str) -> Rendered;
}

impl fmt::Debug for dyn Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl dyn Agent {
    /// Are both the same agent?
    pub fn is_same(&self, other: &dyn Agent) -> bool {
        self.name() == other.name()
    }

    /// The name of an event of ours as this agent writes it; our own where the agent has none.
    pub fn event_name(&self, event: EventKind) -> &'static str {
        self.events().iter().find(|(_, ours)| *ours == event).map_or(event.as_str(), |(own, _)| own)
    }

    /// An event by its name in this dialect, in any case: the name as the agent writes it, and ours.
    pub fn event(&self, name: &str) -> Option<(&'static str, EventKind)> {
        let events = self.events();
        let exact = events.iter().find(|(own, _)| *own == name);
        exact.or_else(|| events.iter().find(|(own, _)| same(own, name))).copied()
    }

    /// Does the agent write an event exactly so?
    pub(crate) fn has_event(&self, dialect_event_name: &str) -> bool {
        self.events().iter().any(|(own, _)| *own == dialect_event_name)
    }
}

/// An event by the name that one of these agents has for it, or by ours: ours, and the agent's own name where the text is exactly
/// that.
///
/// # Errors
/// No agent has such an event.
pub fn any_event(name: &str, agents: &[&'static dyn Agent]) -> Result<(EventKind, Option<&'static str>), UnknownEvent> {
    let exact = agents.iter().find_map(|agent| agent.event(name).filter(|(own, _)| *own == name));
    if let Some((own, event)) = exact {
        return Ok((event, Some(own)));
    }
    let similar = || agents.iter().find_map(|agent| agent.event(name));
    match (name.parse(), similar()) {
        (Ok(event), _) | (Err(_), Some((_, event))) => Ok((event, None)),
        (Err(error), None) => Err(error),
    }
}
