//! Hooks of an event that one line runs, `hookshell run EVENT …`, in the agent's config: the original hooks are moved to a
//! side file, which hookshell reads by the agent's own rules.

use jsonc_parser::ast::{Array, Object, ObjectProp, Value};
use serde_json::{Map, Value as Json, json};

use hookshell_agents::Dialect;

use crate::command_line::{PROGRAM, is_ours};
use crate::error::Syntax;
use crate::json_text::{self as text_of, Element, Splice, Style};
use crate::listed::{Listed, State};

/// How long hookshell may take beside the hooks, in seconds: to start, and to end what does not end by itself.
const SLACK: f64 = 5.0;

/// The line that an agent runs for an event. `side` is a plain word.
pub(crate) fn line(dialect: Dialect, event: &str, side: &str) -> String {
    let dialect = dialect.as_str();
    format!("{PROGRAM} run {event} --dialect {dialect} --output {dialect} --config {side}")
}

/// Is a command such a line?
pub(crate) fn is_line(command: &str) -> bool {
    let words: Vec<&str> = command.split_ascii_whitespace().collect();
    let config = words.iter().position(|word| *word == "--config").and_then(|at| words.get(at + 1));
    is_ours(command)
        && words.get(1) == Some(&"run")
        && words.contains(&"--output")
        && config.is_some_and(|config| config.split('/').any(|part| part == Dialect::SIDE_DIRECTORY))
}

/// A config that is wired: its text, and its side file's contents.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Wired {
    pub(crate) text: String,
    pub(crate) side: Json,
    /// Of the side file what was moved to it for events that had no line before.
    pub(crate) moved: Json,
}

/// Wires every event that has commands. `side` is what the side file has already, and `word` its path as the line names it.
pub(crate) fn wire(dialect: Dialect, text: &str, side: Option<&Json>, word: &str) -> Result<Wired, Syntax> {
    let root = text_of::parse(text)?;
    let body = text_of::body(text);
    check_each_once(dialect, body, root.as_ref())?;
    let style = Style::of(text);
    let mut side = side.cloned().unwrap_or_else(|| json!({}));
    let mut newly_moved = json!({});
    let mut splices = Vec::new();
    for event in root.iter().filter_map(text_of::hooks).flat_map(|hooks| events(dialect, hooks)) {
        let Some(list) = event.value.as_array() else { continue };
        let moved = moved(list);
        if moved.is_empty() {
            continue;
        }
        let name = event.name.as_str();
        let is_wired = has_line(list);
        move_to(&mut side, &mut newly_moved, name, &moved, is_wired);
        let all = side_event(&side, name).cloned().unwrap_or_default();
        let ours = entry(dialect, name, &line(dialect, name, word), &all);
        let mut elements = Vec::new();
        if !is_wired {
            elements.push(Element::New(&ours));
        }
        let kept: Vec<Kept<'_>> = list.elements.iter().filter_map(|element| kept(body, element)).collect();
        elements.extend(kept.iter().map(|kept| match kept {
            Kept::Text(text) => Element::Text(text),
            Kept::Rest(rest) => Element::New(rest),
        }));
        let range = text_of::range(list);
        let with = style.list(body, event_start(event), &elements);
        splices.push(Splice { range, with });
    }
    if !splices.is_empty()
        && let (Some(root), Json::Object(side)) = (root.as_ref().and_then(Value::as_object), &mut side)
    {
        carry_settings(dialect, root, side);
    }
    Ok(Wired { text: text_of::spliced(text, splices), side, moved: newly_moved })
}

/// A config before and after it was wired, and what the side file got.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Known<'k> {
    pub(crate) was: &'k str,
    pub(crate) now: &'k str,
    pub(crate) side: &'k Json,
}

/// Puts the original hooks back. `side`: what the side file has; `None` if it is missing. Gives `None` where they are nowhere.
pub(crate) fn unwire(
    dialect: Dialect,
    text: &str,
    known: Option<Known<'_>>,
    side: Option<&Json>,
) -> Result<Option<String>, Syntax> {
    let root = text_of::parse(text)?;
    let body = text_of::body(text);
    let style = Style::of(text);
    let mut splices = Vec::new();
    for event in root.iter().filter_map(text_of::hooks).flat_map(|hooks| events(dialect, hooks)) {
        let Some(list) = event.value.as_array().filter(|list| has_line(list)) else { continue };
        let name = event.name.as_str();
        let moved = side.and_then(|side| side_event(side, name));
        let range = text_of::range(list);
        if let Some(known) = known {
            let written = event_text(dialect, known.now, name)?.unwrap_or_default();
            let found = text_of::slice(body, list);
            // An editor, or git, may have changed the line ends or laid it out anew.
            let is_as_left = text_of::is_same_but_for_layout(&written, found)
                && (moved.is_none() || moved == side_event(known.side, name));
            if is_as_left && let Some(was) = event_text(dialect, known.was, name)? {
                // A list that is as it was written stands in a text with the line ends that there were.
                let with = match written == found {
                    true => was,
                    false => text_of::with_line_ends_of(&was, found).into_owned(),
                };
                splices.push(Splice { range, with });
                continue;
            }
        }
        let Some(moved) = moved.or_else(|| known.and_then(|known| side_event(known.side, name))) else {
            return Ok(None);
        };
        let kept: Vec<Kept<'_>> = list
            .elements
            .iter()
            .filter(|element| !is_line_of_ours(element))
            .map(|element| Kept::Text(text_of::slice(body, element)))
            .collect();
        let mut elements: Vec<Element<'_>> = moved.iter().map(Element::New).collect();
        elements.extend(kept.iter().map(|kept| match kept {
            Kept::Text(text) => Element::Text(text),
            Kept::Rest(rest) => Element::New(rest),
        }));
        splices.push(Splice { range, with: style.list(body, event_start(event), &elements) });
    }
    Ok(Some(text_of::spliced(text, splices)))
}

/// Every hook of a config, and those of its side file in the place of their line.
pub(crate) fn list(dialect: Dialect, text: &str, side: Option<&Json>) -> Result<Vec<Listed>, Syntax> {
    let root = text_of::parse(text)?;
    check_each_once(dialect, text_of::body(text), root.as_ref())?;
    let mut listed = Vec::new();
    for event in root.iter().filter_map(text_of::hooks).flat_map(|hooks| events(dialect, hooks)) {
        let Some(list) = event.value.as_array() else { continue };
        let name = event.name.as_str();
        if has_line(list) {
            let moved = side.and_then(|side| side_event(side, name)).map(Vec::as_slice).unwrap_or_default();
            listed.extend(listed_of(name, moved, |_| State::Wired));
        }
        let rest: Vec<Json> =
            list.elements.iter().filter(|element| !is_line_of_ours(element)).map(text_of::data).collect();
        let movable = moved(list);
        let movable: Vec<&Json> = commands(&movable);
        listed.extend(listed_of(name, &rest, |hook| match movable.contains(&hook) {
            true => State::Plain,
            false => State::other(hook.get("type").and_then(Json::as_str).map(str::to_owned)),
        }));
    }
    Ok(listed)
}

/// The list of every event.
pub(crate) fn groups(dialect: Dialect, text: &str) -> Result<Vec<(String, Vec<Json>)>, Syntax> {
    let root = text_of::parse(text)?;
    let events = root.iter().filter_map(text_of::hooks).flat_map(|hooks| events(dialect, hooks));
    let list = |list: &Array<'_>| list.elements.iter().map(text_of::data).collect();
    Ok(events.filter_map(|event| Some((event.name.as_str().to_owned(), list(event.value.as_array()?)))).collect())
}

/// Is there a line of ours among these hooks and groups?
pub(crate) fn have_line(groups: &[Json]) -> bool {
    let is_ours = |hook: &Json| {
        let commands = ["command", "bash", "powershell"].into_iter().filter_map(|key| hook.get(key)?.as_str());
        commands.into_iter().any(is_line)
    };
    commands(groups).into_iter().any(is_ours)
}

/// The hooks of a list of hooks and groups.
pub(crate) fn listed_of(event: &str, list: &[Json], state: impl Fn(&Json) -> State) -> Vec<Listed> {
    let mut listed = Vec::new();
    for entry in list {
        let text = |hook: &Json, key: &str| hook.get(key).and_then(Json::as_str).map(str::to_owned);
        for hook in commands(std::slice::from_ref(entry)) {
            let mut commands = COMMANDS.iter().chain(&["exec"]).filter_map(|key| text(hook, key));
            let command = commands.next().unwrap_or_default();
            let other_commands = commands.collect();
            let matcher = text(hook, "matcher").or_else(|| text(entry, "matcher"));
            let event = event.to_owned();
            listed.push(Listed {
                event,
                matcher,
                command,
                other_commands,
                state: state(hook),
                trusted_by_agent: None,
                enabled_by_agent: None,
            });
        }
    }
    listed
}

/// The events of a config that the agent knows, in its own case.
fn events<'v, 'a>(dialect: Dialect, hooks: &'v Object<'a>) -> impl Iterator<Item = &'v ObjectProp<'a>> {
    hooks.properties.iter().filter(move |prop| {
        let name = prop.name.as_str();
        dialect.event(name).is_some_and(|(own, _)| own == name) && !text_of::has_twice(hooks, name)
    })
}

/// Of an event that stands twice agents take the last, and nobody knows which one is meant.
fn check_each_once(dialect: Dialect, body: &str, root: Option<&Value<'_>>) -> Result<(), Syntax> {
    let mut seen: Vec<&ObjectProp<'_>> = Vec::new();
    for prop in root.and_then(text_of::hooks).into_iter().flat_map(|hooks| &hooks.properties) {
        let name = prop.name.as_str();
        if dialect.event(name).is_none_or(|(own, _)| own != name) {
            continue;
        }
        if let Some(first) = seen.iter().find(|first| first.name.as_str() == name) {
            let (line, column) = text_of::place(body, event_start(prop));
            let (first, _) = text_of::place(body, event_start(first));
            let message = format!("`hooks.{name}` stands here a second time, first on line {first}");
            return Err(Syntax { line, column, message });
        }
        seen.push(prop);
    }
    Ok(())
}

/// The text of an event's list.
fn event_text(dialect: Dialect, text: &str, name: &str) -> Result<Option<String>, Syntax> {
    let root = text_of::parse(text)?;
    let body = text_of::body(text);
    let mut events = root.iter().filter_map(text_of::hooks).flat_map(|hooks| events(dialect, hooks));
    let event = events.find(|event| event.name.as_str() == name);
    Ok(event.map(|event| text_of::slice(body, &event.value).to_owned()))
}

fn event_start(event: &ObjectProp<'_>) -> usize {
    text_of::range(event).start
}

/// The keys of a hook that hold a command.
const COMMANDS: [&str; 7] = ["command", "commandWindows", "bash", "powershell", "linux", "osx", "windows"];

/// Is it a hook that runs a command, and not hookshell itself?
fn is_movable(hook: &Object<'_>, needs_type: bool) -> bool {
    let is_command = match text_of::last(hook, "type") {
        None => !needs_type,
        Some(kind) => kind.as_string_lit().is_some_and(|kind| kind.value == "command"),
    };
    let text = |key: &&str| text_of::string(hook, key).map(|text| text.value.to_string());
    let commands: Vec<String> = COMMANDS.iter().filter_map(&text).collect();
    let has_command = commands.iter().any(|command| !command.trim().is_empty()) || text(&"exec").is_some();
    is_command && has_command && !commands.iter().any(|command| is_ours(command))
}

/// The hooks of a group.
fn inner<'v, 'a>(entry: &'v Object<'a>) -> Option<&'v Array<'a>> {
    text_of::last(entry, "hooks")?.as_array()
}

/// What of an event's list goes to the side file: hooks, and groups of hooks.
fn moved(list: &Array<'_>) -> Vec<Json> {
    let mut all = Vec::new();
    for element in &list.elements {
        let Some(entry) = element.as_object() else { continue };
        match inner(entry) {
            None if is_movable(entry, false) => all.push(text_of::data(element)),
            None => {}
            Some(hooks) => {
                let hooks: Vec<Json> = hooks
                    .elements
                    .iter()
                    .filter(|hook| hook.as_object().is_some_and(|hook| is_movable(hook, true)))
                    .map(text_of::data)
                    .collect();
                if let (false, Json::Object(mut group)) = (hooks.is_empty(), text_of::data(element)) {
                    group.insert("hooks".to_owned(), Json::Array(hooks));
                    all.push(Json::Object(group));
                }
            }
        }
    }
    all
}

/// What of an element stays in the config.
enum Kept<'t> {
    Text(&'t str),
    Rest(Json),
}

fn kept<'t>(body: &'t str, element: &Value<'_>) -> Option<Kept<'t>> {
    let whole = Some(Kept::Text(text_of::slice(body, element)));
    let Some(entry) = element.as_object() else { return whole };
    let Some(hooks) = inner(entry) else {
        return if is_movable(entry, false) { None } else { whole };
    };
    let stays = |hook: &&Value<'_>| !hook.as_object().is_some_and(|hook| is_movable(hook, true));
    let rest: Vec<Json> = hooks.elements.iter().filter(stays).map(text_of::data).collect();
    if rest.len() == hooks.elements.len() {
        return whole;
    }
    match text_of::data(element) {
        Json::Object(mut group) if !rest.is_empty() => {
            group.insert("hooks".to_owned(), Json::Array(rest));
            Some(Kept::Rest(Json::Object(group)))
        }
        _ => None,
    }
}

/// Has a list our line?
fn has_line(list: &Array<'_>) -> bool {
    list.elements.iter().any(is_line_of_ours)
}

/// Is an element our line, alone or as the only hook of its group?
fn is_line_of_ours(element: &Value<'_>) -> bool {
    let is_ours = |hook: &Object<'_>| {
        ["command", "bash", "powershell"]
            .iter()
            .any(|key| text_of::string(hook, key).is_some_and(|text| is_line(&text.value)))
    };
    element.as_object().is_some_and(|entry| match inner(entry) {
        None => is_ours(entry),
        Some(hooks) => hooks.elements.len() == 1 && text_of::objects(hooks).any(is_ours),
    })
}

/// The event of a side file.
pub(crate) fn side_event<'s>(side: &'s Json, name: &str) -> Option<&'s Vec<Json>> {
    side.get("hooks")?.get(name)?.as_array()
}

/// Has a side file hooks for an event?
pub(crate) fn has_hooks(side: &Json, event: &str) -> bool {
    side_event(side, event).is_some_and(|list| !commands(list).is_empty())
}

/// Has a side file hooks for any event?
pub(crate) fn has_any_hooks(side: &Json) -> bool {
    lists(side).any(|(event, _)| has_hooks(side, event))
}

/// A side file that has the hooks of these events again, from another one.
pub(crate) fn with_events(side: Option<&Json>, events: &[String], from: &Json) -> Json {
    let mut side = side.cloned().filter(|side| side.get("hooks").is_some_and(Json::is_object)).unwrap_or(Json::Null);
    let Some(hooks) = side.get_mut("hooks").and_then(Json::as_object_mut) else { return from.clone() };
    for event in events {
        if let Some(list) = side_event(from, event) {
            hooks.insert(event.clone(), Json::Array(list.clone()));
        }
    }
    // What else hookshell has put there: `version`.
    if let (Some(side), Some(from)) = (side.as_object_mut(), from.as_object()) {
        for (key, value) in from {
            side.entry(key).or_insert_with(|| value.clone());
        }
    }
    side
}

/// A side file without the hooks of another one, each once.
pub(crate) fn without(mut side: Json, other: Option<&Json>) -> Json {
    for (name, taken) in other.into_iter().flat_map(lists) {
        remove(&mut side, name, taken);
    }
    side
}

/// The events of a side file, with their hooks and groups. Beside them Gemini CLI has lists of names.
pub(crate) fn lists(side: &Json) -> impl Iterator<Item = (&String, &[Json])> {
    let events = side.get("hooks").and_then(Json::as_object).into_iter().flatten();
    let lists = events.filter_map(|(event, list)| Some((event, list.as_array()?.as_slice())));
    lists.filter(|(_, list)| list.iter().all(Json::is_object))
}

/// Do two side files say the same? An event without hooks is as one that is not there.
pub(crate) fn say_the_same(left: &Json, right: &Json) -> bool {
    let of = |side: &Json| {
        let mut side = side.clone();
        if let Some(hooks) = side.get_mut("hooks").and_then(Json::as_object_mut) {
            hooks.retain(|_, list| list.as_array().is_none_or(|list| !list.is_empty()));
        }
        side
    };
    of(left) == of(right)
}

/// Adds what another side file has.
pub(crate) fn add(side: &mut Json, other: &Json) {
    lists(other).for_each(|(event, list)| append(side, event, list));
}

fn remove(side: &mut Json, name: &str, taken: &[Json]) {
    let list = side.get_mut("hooks").and_then(|hooks| hooks.get_mut(name)).and_then(Json::as_array_mut);
    let Some(list) = list else { return };
    for entry in taken {
        if let Some(at) = list.iter().position(|found| found == entry) {
            list.remove(at);
        }
    }
}

fn append(side: &mut Json, name: &str, moved: &[Json]) {
    let Json::Object(side) = side else { return };
    let hooks = side.entry("hooks").or_insert_with(|| json!({}));
    let Json::Object(hooks) = hooks else { return };
    if let Json::Array(list) = hooks.entry(name).or_insert_with(|| json!([])) {
        list.extend_from_slice(moved);
    }
}

/// Puts what is moved from the config into the side file, and into what is newly moved, if the event had no line before: then what
/// is in both is the same hook, which somebody has copied back.
pub(crate) fn move_to(side: &mut Json, newly_moved: &mut Json, name: &str, moved: &[Json], had_line: bool) {
    if !had_line {
        append(newly_moved, name, moved);
        remove(side, name, moved);
    }
    append(side, name, moved);
}

/// What the side file says beside the hooks, as the config does.
pub(crate) fn carry_settings(dialect: Dialect, root: &Object<'_>, side: &mut Map<String, Json>) {
    let keys: &[&str] = match dialect {
        Dialect::Gemini | Dialect::Qwen => &["hooksConfig", "disableAllHooks"],
        Dialect::Copilot => &["disableAllHooks"],
        _ => &[],
    };
    if matches!(dialect, Dialect::Cursor | Dialect::Copilot) {
        side.insert("version".to_owned(), json!(1));
    }
    for key in keys {
        if let Some(value) = text_of::last(root, key) {
            side.insert((*key).to_owned(), text_of::data(value));
        }
    }
    if dialect == Dialect::Gemini
        && let (Some(hooks), Some(Json::Object(of_side))) =
            (text_of::last(root, "hooks").and_then(Value::as_object), side.get_mut("hooks"))
    {
        for key in ["enabled", "disabled"] {
            if let Some(value) = text_of::last(hooks, key) {
                of_side.insert(key.to_owned(), text_of::data(value));
            }
        }
    }
}

/// The commands of a list of hooks and groups.
fn commands(list: &[Json]) -> Vec<&Json> {
    list.iter()
        .flat_map(|entry| match entry.get("hooks").and_then(Json::as_array) {
            Some(hooks) => hooks.iter().collect(),
            None => vec![entry],
        })
        .collect()
}

/// What stands in the config for an event.
pub(crate) fn entry(dialect: Dialect, event: &str, line: &str, moved: &[Json]) -> Json {
    let seconds = longest(dialect, event, moved);
    let whole = |seconds: f64| Json::from(seconds.ceil().clamp(1.0, 1e9) as u64);
    match dialect {
        Dialect::Cursor => {
            let mut entry = json!({ "command": line, "timeout": whole(seconds) });
            let hooks = commands(moved);
            if hooks.iter().any(|hook| hook.get("failClosed") == Some(&Json::Bool(true))) {
                entry["failClosed"] = Json::Bool(true);
            }
            if let Some(limit) = hooks.iter().find_map(|hook| hook.get("loop_limit")) {
                entry["loop_limit"] = limit.clone();
            }
            entry
        }
        Dialect::Copilot => {
            json!({ "type": "command", "bash": line, "powershell": line, "timeoutSec": whole(seconds) })
        }
        Dialect::Codex => {
            let hook = json!({ "type": "command", "command": line, "commandWindows": line, "timeout": whole(seconds) });
            json!({ "hooks": [hook] })
        }
        _ => {
            let hook =
                json!({ "name": PROGRAM, "type": "command", "command": line, "timeout": whole(seconds * 1000.0) });
            json!({ "hooks": [hook] })
        }
    }
}

/// How long the hooks of an event take at most, in seconds, with what hookshell needs beside them.
fn longest(dialect: Dialect, event: &str, moved: &[Json]) -> f64 {
    if dialect == Dialect::Codex && event == "SessionEnd" {
        // It gives no hook of this event more.
        return 3.0;
    }
    let of_hook = |hook: &&Json| {
        let number =
            ["timeoutSec", "timeout"].iter().find_map(|key| hook.get(key)?.as_f64()).filter(|number| *number > 0.0);
        match (dialect, number) {
            (Dialect::Codex, None) => 600.0,
            (Dialect::Copilot, None) => 30.0,
            (_, None) => 60.0,
            (Dialect::Gemini, Some(number)) => number / 1000.0,
            (Dialect::Qwen, Some(number)) if number >= 1000.0 => number / 1000.0,
            (_, Some(number)) => number,
        }
    };
    let is_in_turn =
        dialect == Dialect::Copilot || moved.iter().any(|group| group.get("sequential") == Some(&Json::Bool(true)));
    let times = commands(moved);
    let times = times.iter().map(of_hook);
    SLACK + if is_in_turn { times.sum::<f64>() } else { times.fold(0.0, f64::max) }
}
