//! Whose a config file is.

use std::path::Path;

use jsonc_parser::ast::{Object, Value};

use crate::config::Guess;
use crate::dialect::Dialect;
use crate::event_kind::EventKind;
use crate::{copilot, cursor, gemini};

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

/// What stands beside an agent's own files, below its directory: plugins and extensions have hooks of their own.
const BELOW: [&str; 6] = ["hooks", "plugins", "installed-plugins", "extensions", "copilot", Dialect::SIDE_DIRECTORY];

/// Whose directory the file is in: an agent's directory of a project or of the user, a directory of its plugins there, or where
/// an administrator puts its files. What hooks are called in the file does not count then.
fn by_path(file: &Path) -> Option<Dialect> {
    let absolute = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    let mut parts = absolute.components().rev().map(|part| part.as_os_str().to_string_lossy().to_ascii_lowercase());
    let name = parts.next()?;
    match &*name {
        "managed-settings.json" => return Some(Dialect::Claude),
        "config.toml" => return Some(Dialect::Codex),
        // Crush reads its own shape there and no other.
        "crush.json" | ".crush.json" => return Some(Dialect::Native),
        _ => {}
    }
    let mut below = None;
    for part in parts {
        let is_near = below.as_deref().is_none_or(|below| BELOW.contains(&below));
        let whose = match &*part {
            ".github" if below.is_some() => Some(Dialect::Copilot),
            // What an agent keeps there else, as worktrees, is none of its own files.
            "gemini-cli" | "geminicli" | "qwen-code" | "qwencode" if below.is_some() => None,
            name => of_directory(name),
        };
        if whose.is_some() {
            return whose.filter(|_| is_near);
        }
        below = Some(part);
    }
    None
}

/// Whose a directory of this name is.
fn of_directory(name: &str) -> Option<Dialect> {
    Some(match name {
        ".claude" => Dialect::Claude,
        ".codex" => Dialect::Codex,
        ".gemini" | "gemini-cli" | "geminicli" => Dialect::Gemini,
        ".cursor" => Dialect::Cursor,
        ".copilot" => Dialect::Copilot,
        ".qwen" | "qwen-code" | "qwencode" => Dialect::Qwen,
        _ => return None,
    })
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
    let is_only_of = |table: &'static [(&'static str, EventKind)], name: &str| {
        let is_of = |table: &[(&str, _)]| table.iter().any(|(own, _)| *own == name);
        let all = [gemini::EVENTS, cursor::EVENTS, copilot::EVENTS];
        is_of(table) && all.into_iter().filter(|other| is_of(other)).count() == 1 && name.parse::<EventKind>().is_err()
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
        let is_codex = names.clone().any(|name| name == "Interrupt") || entries().any(names_codex_dir);
        let is_qwen = names.any(|name| ["TodoCreated", "TodoCompleted", "SessionDelete"].contains(&name));
        return Some(match (is_codex, is_qwen) {
            (true, _) => Dialect::Codex,
            (_, true) => Dialect::Qwen,
            _ => Dialect::Claude,
        });
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

/// Does a command of the group's hooks use the variable that only Codex has for a plugin's directory?
fn names_codex_dir(group: &Object<'_>) -> bool {
    let hooks =
        group.properties.iter().filter(|prop| prop.name.as_str() == "hooks").filter_map(|prop| prop.value.as_array());
    let hooks = hooks.flat_map(|list| &list.elements).filter_map(Value::as_object);
    let mut commands = hooks
        .flat_map(|hook| hook.properties.iter().filter(|prop| prop.name.as_str() == "command"))
        .filter_map(|prop| prop.value.as_string_lit());
    commands.any(|command| ["${PLUGIN_ROOT}", "$PLUGIN_ROOT"].into_iter().any(|name| command.value.contains(name)))
}
