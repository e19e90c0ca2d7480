//! Reading Copilot CLI's configs as it does (version 1.0.102): strict JSON, in which one bad thing costs a hook or the whole file.
//!
//! | what is wrong | what it costs |
//! | --- | --- |
//! | a comment, a comma too many, a byte order mark | the file |
//! | a `version` that is not 1, a `disableAllHooks` that is no boolean, `hooks` that is no object | the file |
//! | an event whose value is no list, a group within a group | the file |
//! | an event that it does not know, by its exact name | the event |
//! | a wrong type, a blank command, an empty matcher, no regular expression, a timeout of 0 or less | the hook |
//!
//! Of equal keys the last counts. `async`, `if`, `once` and `shell` are nothing to it: the hook runs, and is waited for.

use std::collections::HashSet;
use std::path::PathBuf;

use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::common::Ranged;

use super::{EVENTS, is_claude_style, is_settings, knows_matchers};
use crate::config::{ConfigError, Document, ForeignKeys, HookConfig, Origin, Reader, WarningKind, is_comment};
use crate::event_kind::EventKind;
use crate::matcher::Matcher;
use crate::nearest::nearest;

/// What Copilot CLI passes over, where other agents act on it, and what it does all the same.
const PASSED_OVER: [(&str, &str); 6] = [
    ("async", "the hook is waited for, and what it says counts"),
    ("asyncRewake", "the hook is waited for, and what it says counts"),
    ("if", "the hook runs for every call that its matcher is for"),
    ("once", "the hook runs each time"),
    ("enabled", "the hook runs"),
    ("shell", "`bash` and `command` are run by bash"),
];

/// The keys that hold a hook's command line, but those of a system.
const COMMANDS: [&str; 3] = ["bash", "powershell", "command"];

/// The keys of a command line for one system, and whether it is this one.
const SYSTEMS: [(&str, bool); 3] =
    [("linux", cfg!(target_os = "linux")), ("osx", cfg!(target_os = "macos")), ("windows", cfg!(windows))];

/// The last property of a name.
fn last<'v, 'a>(object: &'v Object<'a>, name: &str) -> Option<&'v ObjectProp<'a>> {
    object.properties.iter().rfind(|prop| prop.name.as_str() == name)
}

/// Of each name the last property, in order.
fn last_of_each<'v, 'a>(object: &'v Object<'a>) -> Vec<&'v ObjectProp<'a>> {
    let mut seen = HashSet::with_capacity(object.properties.len());
    let mut props: Vec<_> = object.properties.iter().rev().filter(|prop| seen.insert(prop.name.as_str())).collect();
    props.reverse();
    props
}

fn is_one(value: &Value<'_>) -> bool {
    matches!(value, Value::NumberLit(number) if number.value.parse() == Ok(1.0))
}

impl Reader<'_, '_> {
    /// Reads a file of Copilot CLI's. `root` has its nulls.
    pub(super) fn copilot(&mut self, root: &Object<'_>) {
        if let Some(error) = self.document.not_strict() {
            self.errors.push(error);
            return;
        }
        let is_settings = is_settings(self.file);
        self.passed_over_twice(root, "");
        if let Some(version) = last(root, "version").filter(|prop| !is_settings && !is_one(&prop.value)) {
            let found = self.document.text(version.value.range()).to_string();
            self.bad_value(&version.value, "version".to_owned(), "1, or Copilot CLI does not read the file", found);
            return;
        }
        if let Some(off) = last(root, "disableAllHooks") {
            match &off.value {
                Value::BooleanLit(lit) if lit.value => {
                    self.warn(off.name.range(), WarningKind::Disabled { key: "disableAllHooks".to_owned() });
                    // The user's settings switch off their own hooks, and a project's those of all files.
                    self.config.is_switched_off = is_settings && self.config.origin == Origin::Project;
                    return;
                }
                Value::BooleanLit(_) => {}
                other => {
                    self.wrong_type(other, "disableAllHooks".to_owned(), "true or false");
                    return;
                }
            }
        }
        self.misplaced_events(root);
        let Some(hooks) = last(root, "hooks") else { return };
        let Some(events) = self.object(&hooks.value, "hooks") else { return };
        self.passed_over_twice(events, "hooks.");
        if self.costs_the_file(events) {
            return;
        }
        let mut props = last_of_each(events);
        // The agent asks the hooks in camel case first.
        props.sort_by_key(|prop| is_claude_style(prop.name.as_str()));
        for prop in props {
            let name = prop.name.as_str();
            match known_event(name) {
                Some((dialect_event_name, event)) => self.copilot_event(dialect_event_name, event, &prop.value),
                None if is_comment(name) || self.has_warned_enough() => {}
                None => {
                    let nearest = self.nearest_event(name);
                    let agent = self.agent.name();
                    self.warn(prop.name.range(), WarningKind::NotItsEvent { agent, name: name.to_owned(), nearest });
                }
            }
        }
    }

    /// Is there something for which the agent passes over the whole file?
    fn costs_the_file(&mut self, events: &Object<'_>) -> bool {
        for prop in events.properties.iter().filter(|prop| known_event(prop.name.as_str()).is_some()) {
            let path = format!("hooks.{}", prop.name.as_str());
            let Value::Array(list) = &prop.value else {
                self.wrong_type(&prop.value, path, "an array of hooks, or Copilot CLI does not read the file");
                return true;
            };
            for (index, entry) in list.elements.iter().enumerate() {
                let Some(hooks) = entry.as_object().and_then(|group| last(group, "hooks")) else { continue };
                let inner = hooks.value.as_array().map(|list| list.elements.as_slice()).unwrap_or_default();
                let group =
                    inner.iter().find(|hook| hook.as_object().is_some_and(|hook| last(hook, "hooks").is_some()));
                if let Some(group) = group {
                    let expected = "a hook: for a group within a group Copilot CLI does not read the file";
                    self.bad_value(group, format!("{path}[{index}].hooks"), expected, "a group".to_owned());
                    return true;
                }
            }
        }
        false
    }

    fn copilot_event(&mut self, dialect_event_name: &'static str, event: EventKind, list: &Value<'_>) {
        let Value::Array(list) = list else { return };
        let made = self.hook_on(dialect_event_name, event);
        for (index, entry) in list.elements.iter().enumerate() {
            let path = format!("hooks.{dialect_event_name}[{index}]");
            let Some(entry) = self.object(entry, &path) else { continue };
            let hook = made.clone();
            match last(entry, "hooks") {
                None => self.copilot_hook(hook, entry, None, &path),
                Some(inner) => {
                    self.passed_over_twice(entry, &format!("{path}."));
                    // Of a group nothing but its matcher counts, and a null is none.
                    let matcher = last(entry, "matcher").filter(|prop| prop.value.as_null_keyword().is_none());
                    let Value::Array(inner) = &inner.value else {
                        self.wrong_type(&inner.value, format!("{path}.hooks"), "an array of hooks");
                        continue;
                    };
                    for (index, object) in inner.elements.iter().enumerate() {
                        let path = format!("{path}.hooks[{index}]");
                        if let Some(object) = self.object(object, &path) {
                            self.copilot_hook(hook.clone(), object, matcher, &path);
                        }
                    }
                }
            }
        }
    }

    fn copilot_hook(
        &mut self,
        mut hook: HookConfig,
        object: &Object<'_>,
        of_group: Option<&ObjectProp<'_>>,
        path: &str,
    ) {
        let errors = self.errors.len();
        self.is_lost = false;
        self.passed_over_twice(object, &format!("{path}."));
        let matcher = last(object, "matcher").or(of_group);
        let matcher = matcher.map(|prop| self.copilot_matcher(&hook, prop, path));
        let kind = last(object, "type").map(|prop| &prop.value);
        match kind {
            None => {}
            Some(Value::StringLit(kind)) if kind.value == "command" => {}
            Some(Value::StringLit(kind))
                if kind.value == "http" || kind.value == "prompt" && hook.event == EventKind::SessionStart =>
            {
                // Other than commands they are read as everywhere.
                if self.errors.len() == errors && !std::mem::take(&mut self.is_lost) {
                    let before = self.config.hooks.len();
                    self.foreign_hook(hook, object, path);
                    if let Some(matcher) = matcher.flatten() {
                        self.config.hooks.iter_mut().skip(before).for_each(|hook| hook.matcher = matcher.clone());
                    }
                }
                return;
            }
            Some(other) => {
                let found = self.document.text(other.range()).to_string();
                self.bad_value(
                    other,
                    format!("{path}.type"),
                    "\"command\" or \"http\" (\"prompt\" on sessionStart)",
                    found,
                );
            }
        }
        hook.place = Some(self.place_of(object.range));
        hook.timeout = self.agent.default_timeout(hook.event, "command");
        hook.matcher = matcher.flatten().unwrap_or_default();
        for prop in last_of_each(object) {
            self.copilot_key(&mut hook, prop, path);
        }
        self.copilot_command(&mut hook, object, path);
        let is_lost = std::mem::take(&mut self.is_lost);
        if self.errors.len() == errors && !is_lost && self.may_spend(object.range, |budget| budget.hook()) {
            self.config.hooks.push(hook);
        }
    }

    /// A key of a hook that is a command, but for its command.
    fn copilot_key(&mut self, hook: &mut HookConfig, prop: &ObjectProp<'_>, path: &str) {
        let name = prop.name.as_str();
        let value = &prop.value;
        let key = format!("{path}.{name}");
        match name {
            "cwd" => hook.cwd = self.text(value, key).filter(|cwd| !cwd.is_empty()).map(PathBuf::from),
            "env" => hook.env = self.variables(value, &key).unwrap_or_default(),
            "timeoutSec" | "timeout" => self.copilot_timeout(hook, prop, key),
            // Ours: the agent passes over them, so what is wrong with them costs nothing.
            "name" => hook.name = value.as_string_lit().map(|name| name.value.clone().into_owned()),
            "on_failure" => hook.on_failure = self.on_failure(value, key).unwrap_or_default(),
            "missing_shell" => hook.missing_shell = self.missing_shell(value, key),
            "shell_scripts" => hook.shell_scripts = self.shell_scripts(value, key),
            "type" | "matcher" | "exec" | "args" | "comment" | "description" | "statusMessage" => {}
            _ if COMMANDS.contains(&name) || SYSTEMS.iter().any(|(system, _)| *system == name) => {}
            _ => match PASSED_OVER.iter().find(|(passed_over, _)| *passed_over == name) {
                Some((_, instead)) => {
                    let agent = self.agent.name();
                    self.warn(prop.name.range(), WarningKind::KeyIgnored { agent, key, instead });
                }
                None if is_comment(name) || self.has_warned_enough() => {}
                None => {
                    let nearest = nearest(name, self.agent.keys().iter().map(|(own, _)| *own));
                    self.warn(prop.name.range(), WarningKind::UnknownKey { key, nearest });
                }
            },
        }
    }

    /// A number above 0, of which `timeoutSec` counts before `timeout`.
    fn copilot_timeout(&mut self, hook: &mut HookConfig, prop: &ObjectProp<'_>, key: String) {
        let value = &prop.value;
        let Value::NumberLit(number) = value else {
            self.wrong_type(value, key, "a number of seconds");
            return;
        };
        if number.value.parse::<f64>().is_ok_and(|seconds| seconds > 0.0) {
            let default = self.agent.default_timeout(hook.event, "command");
            if prop.name.as_str() == "timeoutSec" || hook.timeout == default {
                hook.timeout = self.timeout(value, key, default);
            }
        } else {
            self.bad_value(value, key, "a number of seconds above 0", number.value.to_owned());
        }
    }

    /// What a hook runs.
    fn copilot_command(&mut self, hook: &mut HookConfig, object: &Object<'_>, path: &str) {
        let errors = self.errors.len();
        let mut line = |name: &str| {
            let prop = last(object, name)?;
            let command = self.command(&prop.value, format!("{path}.{name}"))?;
            Some((command, prop.value.range()))
        };
        let [bash, powershell, command] = COMMANDS.map(&mut line);
        let systems = SYSTEMS.map(|(name, is_this)| (line(name), is_this));
        let has_line = bash.is_some() || powershell.is_some() || command.is_some();
        let of_other_system = systems.iter().any(|(line, is_this)| line.is_some() && !is_this);
        let own = systems.into_iter().find_map(|(line, is_this)| line.filter(|_| is_this));
        if let Some(exec) = last(object, "exec") {
            let program = self.command(&exec.value, format!("{path}.exec"));
            if has_line || own.is_some() || of_other_system {
                let expected = "alone: a hook has `exec` or a command line, and not both";
                self.bad_value(&exec.value, format!("{path}.exec"), expected, "a command line beside it".to_owned());
            }
            hook.command = program.unwrap_or_default();
            hook.command_text = self.document.quoted(exec.value.range());
            hook.args = Some(self.copilot_arguments(object, path));
            return;
        }
        self.copilot_arguments(object, path);
        if self.errors.len() != errors {
            return;
        }
        if let Some((command, range)) = own {
            hook.command = command;
            hook.command_text = self.document.quoted(range);
        } else if has_line {
            let mut foreign = ForeignKeys::default();
            let written = bash.as_ref().or(command.as_ref()).map(|(_, range)| *range);
            hook.command = command.map(|(command, _)| command).unwrap_or_default();
            foreign.commands(bash.map(|(bash, _)| bash), powershell.map(|(powershell, _)| powershell));
            foreign.complete(hook);
            // PowerShell's line is one that we make.
            hook.command_text = written.and_then(|range| self.document.quoted(range));
        } else if of_other_system {
            // Where there is none for this system the agent takes the hook for one that failed.
            hook.name.get_or_insert_with(|| "a hook for another system".to_owned());
            hook.command = "echo 'this hook has no command for this system' >&2; exit 1".to_owned();
        } else {
            self.missing(object.range, format!("{path}.command"));
        }
    }

    /// A program's arguments; beside a command line they are checked, and nothing.
    fn copilot_arguments(&mut self, object: &Object<'_>, path: &str) -> Vec<String> {
        let Some(args) = last(object, "args") else { return Vec::new() };
        let key = format!("{path}.args");
        if last(object, "exec").is_none() && args.value.as_array().is_some() {
            let agent = self.agent.name();
            let instead = "they are for `exec`, and a command line has no others";
            self.warn(args.name.range(), WarningKind::KeyIgnored { agent, key: key.clone(), instead });
        }
        self.arguments(&args.value, &key).unwrap_or_default()
    }

    /// A matcher, where the event knows them. `None` if it counts for nothing, or is reported.
    fn copilot_matcher(&mut self, hook: &HookConfig, prop: &ObjectProp<'_>, path: &str) -> Option<Matcher> {
        let key = format!("{path}.matcher");
        let (event, dialect_event_name) = (hook.event, hook.dialect_event_name);
        if !knows_matchers(event) {
            let agent = self.agent.name();
            let instead = "this event has no matchers, and the hook runs each time";
            self.warn(prop.name.range(), WarningKind::KeyIgnored { agent, key, instead });
            return None;
        }
        if prop.value.as_string_lit().is_some_and(|text| text.value.is_empty()) {
            let expected = "a text: to match every tool leave the matcher out, or write \".*\"";
            self.bad_value(&prop.value, key, expected, "an empty one".to_owned());
            return None;
        }
        self.matcher_by(&prop.value, key, hook.event, |pattern| super::matcher::read(pattern, dialect_event_name))
    }

    /// Warns of keys that stand more than once: the last one counts.
    fn passed_over_twice(&mut self, object: &Object<'_>, path: &str) {
        let mut seen = HashSet::with_capacity(object.properties.len());
        for prop in object.properties.iter().filter(|prop| !seen.insert(prop.name.as_str())) {
            if self.has_warned_enough() {
                return;
            }
            let agent = self.agent.name();
            let key = format!("{path}{}", prop.name.as_str());
            let instead = "what stands there before, since of equal keys the last one counts";
            self.warn(prop.name.range(), WarningKind::KeyIgnored { agent, key, instead });
        }
    }
}

/// An event by its exact name.
fn known_event(name: &str) -> Option<(&'static str, EventKind)> {
    EVENTS.iter().find(|(own, _)| *own == name).copied()
}

impl ForeignKeys {
    /// Commands for two shells.
    fn commands(&mut self, bash: Option<String>, powershell: Option<String>) {
        self.bash = bash;
        self.powershell = powershell;
    }
}

impl Document<'_> {
    /// What is wrong with the text where it is not strict JSON.
    fn not_strict(&self) -> Option<ConfigError> {
        let advice = "Copilot CLI reads strict JSON only, and passes over the whole file";
        if self.has_byte_order_mark() {
            let place = self.place(jsonc_parser::common::Range { start: 0, end: 0 });
            return Some(ConfigError::Syntax { place, message: format!("a byte order mark: {advice}") });
        }
        let error = self.strict_error()?;
        let message = format!("{}: {advice}", error.1);
        Some(ConfigError::Syntax { place: error.0, message })
    }
}
