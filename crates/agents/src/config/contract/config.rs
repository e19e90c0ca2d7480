//! How an agent's configs are read, and which of their hooks are any.

use std::collections::HashSet;
use std::time::Duration;

use jsonc_parser::ast::{Object, ObjectProp};

use super::{Refusal, Shape, Strictness};
use crate::agent::Agent;
use crate::config::HookConfig;
use crate::config::reader::Reader;
use crate::event_kind::EventKind;

/// How an agent's configs are read, and which of their hooks are any.
pub trait ConfigRules: Agent {
    /// How the hooks of an event stand in its configs.
    fn shape(&self) -> Shape;

    /// The keys of a hook, and the native key that each is; `""` for one that says nothing to us.
    fn keys(&self) -> &'static [(&'static str, &'static str)];

    /// Is the number of a `timeout` one of milliseconds?
    fn timeout_in_milliseconds(&self) -> bool {
        false
    }

    /// What a `timeout` of this number is in seconds.
    fn seconds(&self, number: f64) -> f64 {
        if self.timeout_in_milliseconds() { number / 1000.0 } else { number }
    }

    /// What of a config the agent does not take that other agents do.
    fn strictness(&self) -> Strictness {
        Strictness::default()
    }

    /// How long a hook may run that does not say. `kind` is its `type`.
    fn default_timeout(&self, event: EventKind, kind: &str) -> Duration;

    /// How long a hook of the event may run at most, whatever its config says.
    fn longest_timeout(&self, _event: EventKind) -> Duration {
        Duration::MAX
    }

    /// Does the agent check a config file as a whole?
    fn checks_files(&self) -> bool {
        false
    }

    /// Why the agent uses nothing of a config file with this text and tree; `None` if it uses it. Only asked where
    /// [`ConfigRules::checks_files`]. `needs_type`: not where a hook only has no `type`.
    fn refusal(&self, _text: &str, _root: &Object<'_>, _needs_type: bool) -> Option<Refusal> {
        None
    }

    /// Does what is wrong in a config cost only what it stands in? Else it costs all of the config's hooks.
    fn loses_only_what_is_wrong(&self) -> bool {
        true
    }

    /// Is a member whose value is null one of a file's? Others pass over it.
    fn keeps_nulls(&self) -> bool {
        false
    }

    /// Reads a file by rules of the agent's own; `false`: it is read as those of all agents are. `root` has its nulls where
    /// [`ConfigRules::keeps_nulls`].
    fn reads_file(&self, _reader: &mut Reader<'_, '_>, _root: &Object<'_>) -> bool {
        false
    }

    /// Reads what a file has for hooks beside its `hooks`; `false`: the agent takes none of its hooks, and why is reported.
    fn reads_beside(&self, _reader: &mut Reader<'_, '_>, _root: &Object<'_>) -> bool {
        true
    }

    /// What switches all hooks of a file off, and its key. `events`: the file's `hooks`.
    fn switched_off<'v, 'a>(
        &self,
        _root: &'v Object<'a>,
        _events: Option<&'v Object<'a>>,
    ) -> Option<(&'v ObjectProp<'a>, &'static str)> {
        None
    }

    /// Is this one of the hooks that the switch is not for?
    fn stays_on(&self, _hook: &HookConfig) -> bool {
        false
    }

    /// Does a file that was named for a run switch off hooks of others that were, too?
    fn switches_off_given(&self) -> bool {
        false
    }

    /// The names and commands of the hooks that a file switches off one by one.
    fn disabled(&self, _root: &Object<'_>, _events: &Object<'_>) -> HashSet<String> {
        HashSet::new()
    }

    /// The keys beside the events that are none.
    fn settings(&self) -> &'static [&'static str] {
        &[]
    }

    /// Is a hook of the type `prompt` on this event no question to a model, but what the user is taken to have typed?
    fn submits_prompt(&self, _event: EventKind) -> bool {
        false
    }

    /// Does the agent run this hook, as far as its own keys say, whatever the other keys are?
    fn takes(&self, _hook: &Object<'_>) -> bool {
        false
    }

    /// Why the agent refuses to start a hook that its config has; `None`: it starts it.
    fn refuses(&self, _hook: &HookConfig) -> Option<String> {
        None
    }

    /// Is a hook with `once` run once in a session?
    fn heeds_once(&self) -> bool {
        true
    }

    /// Are hooks that would run the same run once?
    fn dedupes(&self) -> bool {
        true
    }

    /// Do two hooks with the same command and different `if`s both run?
    fn runs_each_condition(&self) -> bool {
        false
    }
}
