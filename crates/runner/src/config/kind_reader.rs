//! Reading what kind a hook is, and the keys that only some kinds have.

use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Ranged;

use super::reader::Reader;
use super::{AgentHook, HookKind, ModuleHook, PromptHook, WarningKind};
use crate::dialect::Dialect;
use crate::event_name::EventName;

/// The most turns that a sub-agent may be given: more is no limit.
const MOST_TURNS: u32 = 1000;

/// The keys of hooks that are no commands.
pub(super) const KIND_KEYS: [&str; 6] = ["prompt", "model", "cache", "tools", "max_turns", "module"];

/// Is this a key of such hooks?
pub(super) fn has_key(kind: &HookKind, key: &str) -> bool {
    match kind {
        HookKind::Command | HookKind::InProcess(_) => false,
        HookKind::Prompt(_) => ["prompt", "model", "cache"].contains(&key),
        HookKind::Agent(_) => ["prompt", "model", "cache", "tools", "max_turns"].contains(&key),
        HookKind::Module(_) => key == "module",
        HookKind::Unsupported { .. } => true,
    }
}

impl Reader<'_, '_> {
    /// The kind of a hook: what its `type` says, a command without one. A type that is not run here is warned of.
    pub(super) fn kind(&mut self, object: &Object<'_>, path: &str, event: EventName) -> HookKind {
        let value =
            |name: &str| object.properties.iter().find(|prop| prop.name.as_str() == name).map(|prop| &prop.value);
        let Some(given) = value("type") else {
            return HookKind::Command;
        };
        let key = |name: &str| format!("{path}.{name}");
        match self.string(given, key("type")).as_deref() {
            // What has the wrong type is reported.
            None | Some("command") => HookKind::Command,
            // Of Copilot CLI's it is no question to a model there: it is what the user is taken to have typed.
            Some("prompt") if self.dialect == Dialect::Copilot && event == EventName::SessionStart => {
                self.warn(given.range(), WarningKind::SubmitsPrompt { key: key("type") });
                HookKind::Unsupported { kind: "prompt".to_owned() }
            }
            Some("prompt") => {
                let mut hook = PromptHook::new(self.needed(object, "prompt", path));
                hook.model = value("model").and_then(|value| self.filled(value, key("model")));
                hook.cache = value("cache").and_then(|value| self.boolean(value, key("cache"))).unwrap_or_default();
                HookKind::Prompt(hook)
            }
            Some("agent") => {
                let mut hook = AgentHook::new(self.needed(object, "prompt", path));
                hook.model = value("model").and_then(|value| self.filled(value, key("model")));
                hook.cache = value("cache").and_then(|value| self.boolean(value, key("cache"))).unwrap_or_default();
                if let Some(tools) = value("tools").and_then(|value| self.arguments(value, &key("tools"))) {
                    hook.tools = tools;
                }
                if let Some(turns) = value("max_turns").and_then(|value| self.turns(value, key("max_turns"))) {
                    hook.max_turns = turns;
                }
                HookKind::Agent(hook)
            }
            Some("module") => HookKind::Module(ModuleHook::new(self.needed(object, "module", path))),
            Some(found) => {
                let found = found.to_owned();
                self.warn(given.range(), WarningKind::TypeNotSupported { key: key("type"), found: found.clone() });
                HookKind::Unsupported { kind: found }
            }
        }
    }

    /// A text that must be there.
    fn needed(&mut self, object: &Object<'_>, name: &str, path: &str) -> String {
        let key = format!("{path}.{name}");
        match object.properties.iter().find(|prop| prop.name.as_str() == name) {
            Some(prop) => self.filled(&prop.value, key).unwrap_or_default(),
            None => {
                self.missing(object.range, key);
                String::new()
            }
        }
    }

    /// A text that is more than blanks, without a NUL.
    fn filled(&mut self, value: &Value<'_>, key: String) -> Option<String> {
        let text = self.text(value, key.clone())?;
        if text.trim().is_empty() {
            self.bad_value(value, key, "a text", "only blanks".to_owned());
            return None;
        }
        Some(text)
    }

    fn turns(&mut self, value: &Value<'_>, key: String) -> Option<u32> {
        const EXPECTED: &str = "a whole number from 1 to 1000";
        let Value::NumberLit(number) = value else {
            self.wrong_type(value, key, EXPECTED);
            return None;
        };
        let turns = number.value.parse().ok().filter(|turns| (1..=MOST_TURNS).contains(turns));
        if turns.is_none() {
            self.bad_value(value, key, EXPECTED, number.value.to_owned());
        }
        turns
    }
}
