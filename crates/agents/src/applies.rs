//! Whether a hook runs on an event, and where: by the rules of its agent.

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::config::HookConfig;
use crate::dialect::Dialect;
use crate::event::Event;
use crate::tools;

/// What keeps a hook from running on an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mismatch<'e> {
    /// It is for another event.
    Event,
    /// The event is of a sub-agent, and the hook is for the agent's own.
    SubAgent,
    /// Its agent has the event for calls of other tools only: `beforeShellExecution`.
    Calls,
    /// Its matcher matches none of these names.
    Matcher(Vec<Cow<'e, str>>),
    /// Its `if` does not hold.
    Condition,
}

impl HookConfig {
    /// Does it run on this event? `env`: the variables that the agent's commands have.
    pub fn is_for(&self, event: &Event, env: &[(OsString, OsString)]) -> bool {
        self.mismatch(event, env).is_none()
    }

    /// What keeps it from running on this event; `None`: it runs. `env`: the variables that the agent's commands have.
    pub fn mismatch<'e>(&self, event: &'e Event, env: &[(OsString, OsString)]) -> Option<Mismatch<'e>> {
        self.mismatch_before_condition(event, env).or_else(|| {
            let holds = self.condition.as_ref().is_none_or(|condition| match event.tool_name() {
                _ if self.dialect == Dialect::Native => condition.holds(event, env),
                Some(tool) => condition.holds_by(event, &tools::names(tool, self.dialect), env),
                None => !condition.needs_tool(),
            });
            (!holds).then_some(Mismatch::Condition)
        })
    }

    /// Is its matcher what keeps it from running on this event? Its `if` is not asked.
    pub fn is_kept_by_matcher(&self, event: &Event, env: &[(OsString, OsString)]) -> bool {
        matches!(self.mismatch_before_condition(event, env), Some(Mismatch::Matcher(_)))
    }

    fn mismatch_before_condition<'e>(&self, event: &'e Event, env: &[(OsString, OsString)]) -> Option<Mismatch<'e>> {
        if self.event != event.name() {
            return Some(Mismatch::Event);
        }
        if !self.include_sub_agents && event.is_sub_agent() {
            return Some(Mismatch::SubAgent);
        }
        if self.dialect == Dialect::Native {
            let kept = event.matched().filter(|matched| !self.matcher.matches(matched));
            return kept.map(|matched| Mismatch::Matcher(vec![matched.into()]));
        }
        let contract = self.dialect.contract();
        if !contract.is_about(self.dialect_event_name, event) {
            return Some(Mismatch::Calls);
        }
        let names = contract.subjects(self.dialect_event_name, event);
        names.filter(|names| !self.matcher.is_for(event, names, env)).map(Mismatch::Matcher)
    }

    /// The directory that it runs in: its own, or else the one that its agent runs it in, which mostly is the event's.
    pub fn directory(&self, cwd: &Path, project_dir: &Path) -> PathBuf {
        if let Some(own) = &self.cwd {
            return cwd.join(own);
        }
        self.dialect.contract().directory(self, cwd, project_dir)
    }
}
