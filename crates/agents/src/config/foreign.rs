//! Reading other agents' shapes: groups of a matcher and hooks, or flat lists; and their keys.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::common::Ranged;

use super::document::first_member;
use super::kind_reader::{KIND_KEYS, has_key};
use super::reader::{KEYS, Reader, is_comment};
use super::{Config, HookConfig, HookKind, OnFailure, Shape, WarningKind};
use crate::dialect::Dialect;
use crate::event_kind::EventKind;
use crate::nearest::{is_slip, nearest};

/// What keys of other agents say that only together make a hook.
#[derive(Default)]
pub(crate) struct ForeignKeys {
    /// Copilot's commands by shell.
    pub(crate) bash: Option<String>,
    pub(crate) powershell: Option<String>,
    /// Is `command` one for PowerShell?
    is_powershell: bool,
    fail_closed: bool,
    /// Is there a command of the wrong type? It is reported already.
    pub(crate) is_wrong: bool,
}

impl ForeignKeys {
    /// Lays what was read over the hook. Does it have a command by that?
    pub(crate) fn complete(self, hook: &mut HookConfig) -> bool {
        if self.fail_closed {
            hook.on_failure = OnFailure::Deny;
        }
        if self.is_powershell && !hook.command.is_empty() {
            let command = std::mem::take(&mut hook.command);
            run_by_powershell(hook, &command);
        }
        let has_command = !hook.command.is_empty();
        if let Some(powershell) = &self.powershell {
            hook.command_windows = Some(powershell_line("powershell", powershell));
            if cfg!(windows) {
                hook.name.get_or_insert_with(|| first_line(powershell));
            }
            if !has_command && self.bash.is_none() {
                run_by_powershell(hook, powershell);
            }
        }
        if let Some(bash) = self.bash {
            hook.command = bash;
            hook.command_text = None;
        }
        !hook.command.is_empty()
    }
}

/// Has PowerShell run a command: on Windows the one that every Windows has.
fn run_by_powershell(hook: &mut HookConfig, command: &str) {
    hook.name.get_or_insert_with(|| first_line(command));
    hook.command = powershell_line("pwsh", command);
    hook.command_windows = Some(powershell_line("powershell", command));
    hook.command_text = None;
}

/// What a hook is called that has no name: the beginning of its command.
fn first_line(command: &str) -> String {
    command.lines().next().unwrap_or_default().chars().take(60).collect()
}

/// The command line that has PowerShell run a command. Left alone `-Command` makes 1 of every failing exit code, and a
/// block (2) would be lost.
fn powershell_line(program: &str, command: &str) -> String {
    let command = format!("{command}\nif (-not $? -and -not $LASTEXITCODE) {{ exit 1 }}\nexit $LASTEXITCODE");
    shell_words::join([program, "-NoProfile", "-NonInteractive", "-Command", &command])
}

impl Reader<'_, '_> {
    /// Does the file switch its hooks off?
    pub(crate) fn is_switched_off(&mut self, root: &Object<'_>, events: Option<&Object<'_>>) -> bool {
        let Some((prop, key)) = self.agent.switched_off(root, events) else { return false };
        self.warn(prop.name.range(), WarningKind::Disabled { key: key.to_owned() });
        self.config.is_switched_off = true;
        true
    }

    /// Reads the events of another agent's file.
    pub(crate) fn foreign(&mut self, root: &Object<'_>, events: &Object<'_>) {
        let disabled = self.agent.disabled(root, events);
        let before = self.config.hooks.len();
        let is_exact = self.agent.strictness().exact_elsewhere && !self.is_own;
        let names = events.properties.iter().map(|prop| prop.name.as_str());
        let last: HashMap<&str, usize> = if is_exact { names.zip(0..).collect() } else { HashMap::new() };
        for (index, prop) in events.properties.iter().enumerate() {
            let name = prop.name.as_str();
            // Of an event that stands twice the last counts then.
            if is_exact && last.get(name) != Some(&index) {
                continue;
            }
            let is_exact = is_exact || self.agent.strictness().exact_events;
            if let Some((dialect_event_name, event)) =
                self.known_event(name).filter(|(own, _)| !is_exact || *own == name)
            {
                if dialect_event_name != name && !self.has_warned_enough() {
                    let kind = WarningKind::OtherSpelling {
                        agent: self.agent.name(),
                        name: name.to_owned(),
                        own: dialect_event_name,
                    };
                    self.warn(prop.name.range(), kind);
                }
                self.foreign_event(dialect_event_name, event, &prop.value, &format!("hooks.{name}"));
            } else if !self.agent.settings().contains(&name) && !is_comment(name) && !self.has_warned_enough() {
                let nearest = self.nearest_event(name);
                let agent = self.agent.name();
                self.warn(prop.name.range(), WarningKind::NotItsEvent { agent, name: name.to_owned(), nearest });
            }
        }
        let mut index = 0;
        if self.agent.strictness().one_of_a_name {
            self.drop_same_names(before, false);
        }
        let Config { hooks, disabled: known, .. } = &mut *self.config;
        hooks.retain(|hook| {
            index += 1;
            let is_named = hook.name.as_ref().is_some_and(|name| disabled.contains(name));
            let is_on = index <= before || !(is_named || disabled.contains(&hook.command));
            if let Some(place) = hook.place.as_ref().filter(|_| !is_on) {
                known.push((Arc::clone(&place.file), hook.dialect_event_name));
            }
            is_on
        });
    }

    /// Drops of the hooks from this one on those that have the event, matcher and name (without one the command) of another
    /// that stands before them, as Qwen Code does. Where they are not of one group nothing is dropped that is for everything: that
    /// may be written in several ways, which are not the same to it.
    fn drop_same_names(&mut self, from: usize, are_of_a_group: bool) {
        let mut known = HashSet::new();
        let agent = self.agent.name();
        for hook in self.config.hooks.split_off(from.min(self.config.hooks.len())) {
            let pattern = hook.matcher.pattern().map(str::to_owned);
            let is_judged = are_of_a_group || pattern.is_some();
            let name = hook.name.clone().unwrap_or_else(|| hook.command.clone());
            if !is_judged || known.insert((hook.dialect_event_name, pattern, hook.sequential, name)) {
                self.config.hooks.push(hook);
                continue;
            }
            // What is the same altogether is run once by others too.
            let Some((place, name)) = hook.place.clone().zip(hook.name.as_ref()) else { continue };
            if !self.has_warned_enough() {
                self.warn_at(
                    place,
                    WarningKind::PassedOver { agent, what: format!("a second hook of the name {name:?}"), meant: None },
                );
            }
        }
    }

    /// A hook of another agent's event, of which nothing was read yet.
    pub(crate) fn hook_on(&self, dialect_event_name: &'static str, event: EventKind) -> HookConfig {
        let mut hook = HookConfig::new(event, "");
        hook.dialect = self.dialect;
        hook.dialect_event_name = dialect_event_name;
        // Agents run the hooks of what sub-agents do too, and these hooks read their standard input.
        hook.include_sub_agents = true;
        hook.require_env = false;
        hook.sequential = self.agent.is_sequential();
        hook.plugin_root = self.agent.plugin_root(self.file);
        hook
    }

    fn foreign_event(&mut self, dialect_event_name: &'static str, event: EventKind, list: &Value<'_>, path: &str) {
        let Value::Array(list) = list else {
            self.wrong_type(list, path.to_owned(), "an array of hooks");
            return;
        };
        let contract = self.agent;
        let made = self.hook_on(dialect_event_name, event);
        let mut is_odd = false;
        for (index, entry) in list.elements.iter().enumerate() {
            let path = format!("{path}[{index}]");
            let Some(entry) = self.object(entry, &path) else { continue };
            let hook = made.clone();
            let is_group = entry.properties.iter().any(|prop| prop.name.as_str() == "hooks");
            let shape = if is_group { Shape::Groups } else { Shape::Flat };
            if shape != contract.shape() && !std::mem::replace(&mut is_odd, true) {
                let wanted = match contract.shape() {
                    Shape::Groups => "a group, `{ \"matcher\": …, \"hooks\": [ … ] }`",
                    Shape::Flat => "the hook itself, without a group around it",
                };
                self.warn(entry.range, WarningKind::OtherShape { agent: self.agent.name(), wanted });
            }
            match is_group {
                false if contract.strictness().needs_group => {}
                true => self.group(hook, entry, &path),
                false => self.foreign_hook(hook, entry, &path),
            }
        }
    }

    fn group(&mut self, mut hook: HookConfig, group: &Object<'_>, path: &str) {
        self.duplicates(group, path);
        let mut hooks = None;
        let mut is_lost = false;
        for prop in &group.properties {
            let key = format!("{path}.{}", prop.name.as_str());
            match prop.name.as_str() {
                "matcher" => match self.matcher(&prop.value, key, hook.event) {
                    Some(matcher) => hook.matcher = matcher,
                    // Without it the hooks would be for everything: what is wrong with them is reported, and none is run.
                    None => is_lost = true,
                },
                "hooks" => hooks = Some((&prop.value, key)),
                "sequential" => hook.sequential = self.boolean(&prop.value, key).unwrap_or_default(),
                "description" => {}
                other if is_comment(other) => {}
                _ if self.has_warned_enough() => {}
                other => {
                    let nearest = nearest(other, ["matcher", "hooks", "sequential"]);
                    self.warn(prop.name.range(), WarningKind::UnknownKey { key, nearest });
                }
            }
        }
        let Some((hooks, key)) = hooks else { return };
        let Value::Array(hooks) = hooks else {
            self.wrong_type(hooks, key, "an array of hooks");
            return;
        };
        let before = self.config.hooks.len();
        self.is_in_group = true;
        for (index, object) in hooks.elements.iter().enumerate() {
            let path = format!("{key}[{index}]");
            if let Some(object) = self.object(object, &path) {
                self.foreign_hook(hook.clone(), object, &path);
            }
        }
        self.is_in_group = false;
        if self.agent.strictness().one_of_a_name {
            self.drop_same_names(before, true);
        }
        if is_lost {
            self.config.hooks.truncate(before);
        }
    }

    pub(crate) fn foreign_hook(&mut self, mut hook: HookConfig, object: &Object<'_>, path: &str) {
        let kind = first_member(object, "type");
        let given = kind.and_then(|prop| prop.value.as_string_lit());
        if let Some(kinds) = self.agent.strictness().kinds
            && !given.is_some_and(|given| kinds.contains(&&*given.value))
        {
            let what = match given {
                Some(given) => format!("a hook of the type {:?}", given.value),
                None => "a hook without a \"type\": \"command\"".to_owned(),
            };
            let range = kind.map_or(object.range, |kind| kind.value.range());
            let meant = given.and_then(|given| kinds.iter().copied().find(|kind| is_slip(&given.value, kind)));
            if !self.has_warned_enough() {
                self.warn(range, WarningKind::PassedOver { agent: self.agent.name(), what, meant });
            }
            return;
        }
        let kind = given.map_or("command", |kind| &kind.value);
        hook.timeout = self.agent.default_timeout(hook.event, kind);
        self.hook(hook, object, path);
    }

    /// The native key that a key of the file's dialect is; `""` for one that says nothing to us.
    pub(crate) fn native_key<'k>(&self, key: &'k str) -> &'k str {
        if self.dialect == Dialect::Native {
            return key;
        }
        let keys = self.agent.keys();
        match keys.iter().find(|(own, _)| *own == key) {
            Some((_, native)) => native,
            // In a flat list where a group is wanted. In a group it is the group's, and agents pass over one of a hook's.
            None if key == "matcher" && !self.is_in_group => key,
            None => "\0",
        }
    }

    /// A key that no native hook has.
    pub(crate) fn foreign_key(
        &mut self,
        prop: &ObjectProp<'_>,
        key: String,
        kind: &HookKind,
        foreign: &mut ForeignKeys,
    ) {
        let name = prop.name.as_str();
        let value = &prop.value;
        match self.native_key(name) {
            "bash" if self.dialect != Dialect::Native => {
                foreign.bash = self.command(value, key);
                foreign.is_wrong |= foreign.bash.is_none();
            }
            "powershell" if self.dialect != Dialect::Native => {
                foreign.powershell = self.command(value, key);
                foreign.is_wrong |= foreign.powershell.is_none();
            }
            "failClosed" if self.dialect != Dialect::Native => {
                foreign.fail_closed = self.boolean(value, key).unwrap_or_default();
            }
            "shell" if self.dialect != Dialect::Native => match self.string(value, key.clone()).as_deref() {
                Some("powershell") => foreign.is_powershell = true,
                None | Some("bash" | "sh") => {}
                Some(other) => self.bad_value(value, key, "\"bash\" or \"powershell\"", format!("\"{other}\"")),
            },
            // Of non-command hooks.
            "prompt" | "model" if self.dialect != Dialect::Native => {}
            _ if is_comment(name) || self.has_warned_enough() => {}
            _ => {
                let nearest = match self.dialect {
                    // It stands in the wrong place.
                    _ if name == "matcher" => None,
                    // A group's.
                    _ if matches!(value, Value::Array(_)) && is_slip(name, "hooks") => Some("hooks"),
                    Dialect::Native => {
                        let own = KIND_KEYS.into_iter().filter(|key| has_key(kind, key));
                        nearest(name, KEYS.into_iter().chain(own))
                    }
                    _ => nearest(name, self.agent.keys().iter().map(|(own, _)| *own)),
                };
                self.warn(prop.name.range(), WarningKind::UnknownKey { key, nearest });
            }
        }
    }
}

/// The directory of the plugin that a file is of: a plugin's hooks stand in its `hooks/hooks.json`.
pub fn plugin_root(file: &Path) -> Option<PathBuf> {
    let file = std::path::absolute(file).ok()?;
    let directory = file.parent()?;
    let is_plugin = file.file_name()? == "hooks.json" && directory.file_name()? == "hooks";
    is_plugin.then(|| directory.parent().map(Path::to_owned)).flatten()
}
