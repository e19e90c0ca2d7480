//! Whose a config file is.

use std::path::Path;

use jsonc_parser::ast::{Object, Value};

use super::{Dialect, copilot, cursor, gemini};

/// Why a config file is read in a dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Guess {
    /// It was said so.
    Told,
    /// By the file's name and folder.
    Path,
    /// By how the hooks stand in it, and what they are called.
    Shape,
    /// Nothing speaks for another.
    Default,
}

impl Guess {
    /// The reason in words.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Told => "as asked for",
            Self::Path => "by the file's path",
            Self::Shape => "by the shape of its hooks",
            Self::Default => "as nothing speaks for another",
        }
    }
}

/// The dialect of a config: by its path, and where that says nothing by what stands in it. `events` is the object of its
/// hooks, and `root` what that stands in.
pub(crate) fn guess(file: &Path, root: Option<&Object<'_>>, events: Option<&Object<'_>>) -> (Dialect, Guess) {
    if let Some(dialect) = by_path(file) {
        return (dialect, Guess::Path);
    }
    match events.and_then(|events| by_shape(root, events)) {
        Some(dialect) => (dialect, Guess::Shape),
        None => (Dialect::Native, Guess::Default),
    }
}

fn by_path(file: &Path) -> Option<Dialect> {
    let absolute = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    let mut parts = absolute.components().rev().map(|part| part.as_os_str().to_string_lossy().to_ascii_lowercase());
    let name = parts.next()?;
    let folder = parts.next().unwrap_or_default();
    let above = parts.next().unwrap_or_default();
    match (&*name, &*folder, &*above) {
        (_, ".claude", _) | ("managed-settings.json", ..) => Some(Dialect::Claude),
        ("config.toml", ..) | ("hooks.json", ".codex", _) => Some(Dialect::Codex),
        ("settings.json", ".gemini", _) => Some(Dialect::Gemini),
        ("hooks.json", ".cursor", _) => Some(Dialect::Cursor),
        (_, "hooks", ".github" | ".copilot") => Some(Dialect::Copilot),
        _ => None,
    }
}

/// Groups with a list of hooks are Claude Code's and those who follow it; event names tell the others.
fn by_shape(root: Option<&Object<'_>>, events: &Object<'_>) -> Option<Dialect> {
    let mut names = events.properties.iter().map(|prop| prop.name.as_str());
    let entries = || {
        let lists = events.properties.iter().filter_map(|prop| prop.value.as_array());
        lists.flat_map(|list| &list.elements).filter_map(Value::as_object)
    };
    let has =
        |key: &'static str| move |entry: &Object<'_>| entry.properties.iter().any(|prop| prop.name.as_str() == key);
    let is_only_of = |table: &'static [(&'static str, crate::event_name::EventName)], name: &str| {
        let is_of = |table: &[(&str, _)]| table.iter().any(|(own, _)| *own == name);
        let all = [gemini::EVENTS, cursor::EVENTS, copilot::EVENTS];
        is_of(table)
            && all.into_iter().filter(|other| is_of(other)).count() == 1
            && name.parse::<crate::EventName>().is_err()
    };
    if names.clone().any(|name| is_only_of(gemini::EVENTS, name)) {
        return Some(Dialect::Gemini);
    }
    if names.clone().any(|name| is_only_of(cursor::EVENTS, name)) {
        return Some(Dialect::Cursor);
    }
    if names.clone().any(|name| is_only_of(copilot::EVENTS, name)) {
        return Some(Dialect::Copilot);
    }
    if entries().any(|entry| {
        entry.properties.iter().any(|prop| prop.name.as_str() == "hooks" && prop.value.as_array().is_some())
    }) {
        let is_codex = names.any(|name| name == "Interrupt") || entries().any(names_codex_folder);
        return Some(if is_codex { Dialect::Codex } else { Dialect::Claude });
    }
    if entries().any(|entry| ["bash", "powershell", "timeoutSec"].into_iter().any(|key| has(key)(entry))) {
        return Some(Dialect::Copilot);
    }
    if entries().any(has("failClosed")) {
        return Some(Dialect::Cursor);
    }
    // What is left with a version is flat and in camel case: Copilot's hooks say their type.
    root.filter(|root| has("version")(root))?;
    let is_camel = names.any(|name| name.starts_with(|first: char| first.is_ascii_lowercase()) && !name.contains('_'));
    is_camel.then(|| if entries().any(has("type")) { Dialect::Copilot } else { Dialect::Cursor })
}

/// Does a command of the group's hooks use the variable that only Codex has for a plugin's folder?
fn names_codex_folder(group: &Object<'_>) -> bool {
    let hooks =
        group.properties.iter().filter(|prop| prop.name.as_str() == "hooks").filter_map(|prop| prop.value.as_array());
    let hooks = hooks.flat_map(|list| &list.elements).filter_map(Value::as_object);
    let mut commands = hooks
        .flat_map(|hook| hook.properties.iter().filter(|prop| prop.name.as_str() == "command"))
        .filter_map(|prop| prop.value.as_string_lit());
    commands.any(|command| ["${PLUGIN_ROOT}", "$PLUGIN_ROOT"].into_iter().any(|name| command.value.contains(name)))
}
