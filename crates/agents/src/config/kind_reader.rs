//! Reading what kind a hook is, and the keys that only some kinds have.

use hookshell_contract::json::whole_number;
use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Ranged;

use super::document::first_member;
use super::reader::Reader;
use super::{AgentHook, HookKind, HttpHook, ModuleHook, PromptHook, WarningKind};
use crate::event_kind::EventKind;
use crate::http::{HttpLimits, Url, without_secrets};
use crate::nearest::nearest;

/// The most turns that a sub-agent may be given: more is no limit.
const MOST_TURNS: u32 = 1000;

/// The keys of non-command hooks.
pub(crate) const KIND_KEYS: [&str; 6] = ["prompt", "model", "cache", "tools", "max_turns", "module"];

/// The keys of hooks of the type `http`, which are the same in all agents that have them.
const HTTP_KEYS: [&str; 3] = ["url", "headers", "allowedEnvVars"];

/// Is this a key of such hooks?
pub(crate) fn has_key(kind: &HookKind, key: &str) -> bool {
    match kind {
        HookKind::Command | HookKind::InProcess(_) => false,
        HookKind::Prompt(_) => ["prompt", "model", "cache"].contains(&key),
        HookKind::Agent(_) => ["prompt", "model", "cache", "tools", "max_turns"].contains(&key),
        HookKind::Module(_) => key == "module",
        HookKind::Http(_) => HTTP_KEYS.contains(&key),
        HookKind::Unsupported { .. } => true,
    }
}

impl Reader<'_, '_> {
    /// The kind of a hook: what its `type` says, a command without one. A type that is not run here is warned of.
    pub(crate) fn kind(&mut self, object: &Object<'_>, path: &str, event: EventKind) -> HookKind {
        let value = |name: &str| first_member(object, name).map(|prop| &prop.value);
        let Some(given) = value("type") else {
            return HookKind::Command;
        };
        let key = |name: &str| format!("{path}.{name}");
        match self.string(given, key("type")).as_deref() {
            // What has the wrong type is reported.
            None | Some("command") => HookKind::Command,
            Some("prompt") if self.agent.submits_prompt(event) => {
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
            Some("http") if self.agent.http().is_some() => HookKind::Http(self.http(object, path)),
            Some(found) => {
                let found = found.to_owned();
                let nearest = nearest(&found, ["command", "prompt", "agent", "module"]);
                let kind = WarningKind::TypeNotSupported { key: key("type"), found: found.clone(), nearest };
                self.warn(given.range(), kind);
                HookKind::Unsupported { kind: found }
            }
        }
    }

    fn http(&mut self, object: &Object<'_>, path: &str) -> HttpHook {
        let value = |name: &str| first_member(object, name).map(|prop| &prop.value);
        let key = |name: &str| format!("{path}.{name}");
        // It is waited for, whatever it says.
        if let Some(prop) = object.properties.iter().find(|prop| self.native_key(prop.name.as_str()) == "async") {
            self.warn(prop.name.range(), WarningKind::UnknownKey { key: key(prop.name.as_str()), nearest: None });
        }
        let mut hook = HttpHook::new(self.needed(object, "url", path));
        if let Some(given) = value("url")
            && !hook.url.is_empty()
            && let Err(why) = Url::parse(&hook.url)
        {
            self.bad_value(
                given,
                key("url"),
                "the address of a server",
                format!("{:?}: {why}", without_secrets(&hook.url)),
            );
        }
        if let Some(headers) = value("headers").and_then(|value| self.object(value, &key("headers"))) {
            self.duplicates(headers, &key("headers"));
            for prop in &headers.properties {
                let name = prop.name.as_str();
                // What ends a header early is dropped, or the request fails, when it is sent.
                if let Some(value) = self.string(&prop.value, format!("{path}.headers.{name}")) {
                    hook.headers.push((name.to_owned(), value));
                }
            }
        }
        if let Some(names) = value("allowedEnvVars").and_then(|value| self.arguments(value, &key("allowedEnvVars"))) {
            hook.allowed_env_vars = names;
        }
        hook
    }

    /// What the file allows hooks of the type `http`, by Claude Code's rules.
    pub(crate) fn http_limits(&mut self, root: &Object<'_>) {
        let list = |name: &str| {
            let value = &first_member(root, name)?.value;
            // What is no list, or no text in one, allows nothing.
            let list = value.as_array().map(|list| list.elements.as_slice()).unwrap_or_default();
            let texts = list.iter().filter_map(Value::as_string_lit);
            Some(texts.map(|text| text.value.clone().into_owned()).collect())
        };
        let limits = HttpLimits { urls: list("allowedHttpHookUrls"), variables: list("httpHookAllowedEnvVars") };
        if !limits.is_open() {
            self.config.http.push((self.dialect, self.config.origin, limits));
        }
    }

    /// A text that must be there.
    fn needed(&mut self, object: &Object<'_>, name: &str, path: &str) -> String {
        let key = format!("{path}.{name}");
        match first_member(object, name) {
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
        let turns = whole_number(number.value).and_then(|turns| u32::try_from(turns).ok());
        let turns = turns.filter(|turns| (1..=MOST_TURNS).contains(turns));
        if turns.is_none() {
            self.bad_value(value, key, EXPECTED, number.value.to_owned());
        }
        turns
    }
}
