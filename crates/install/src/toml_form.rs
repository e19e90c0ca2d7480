//! Codex's `config.toml`: the original hooks of an event become comments where they stand, and one line stands in their place. So the
//! file itself says what it was.

use std::ops::Range;

use serde_json::{Map, Value as Json, json};
use toml_edit::{ArrayOfTables, Document, InlineTable, Item, Table, Value};

use hookshell_agents::Dialect;

use crate::command_line::is_ours;
use crate::error::Syntax;
use crate::listed::{Listed, State};
use crate::side_form::{self, Wired, entry, line, listed_of};

/// What a line of the original hooks begins with.
const COMMENTED: &str = "#hookshell# ";

/// What comes in their place stands between these.
const BEGIN: &str =
    "# hookshell: the hooks that follow as comments run through it; `hookshell uninstall codex` brings them back";
const END: &str = "# hookshell: end";

/// The text with every event wired that has commands only, and what its side file gets.
pub(crate) fn wire(text: &str, side: Option<&Json>, word: &str) -> Result<Wired, Syntax> {
    let document = parse(text)?;
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut side = side.cloned().unwrap_or_else(|| json!({}));
    let mut moved = json!({});
    let mut blocks: Vec<Block> = Vec::new();
    let headers = headers(document.as_table());
    let mut inline = InlineHooks::of(&document);
    for (name, item) in events(&document) {
        let hooks = to_json(item);
        let Some(groups) = hooks.as_array().filter(|groups| is_movable(groups)) else { continue };
        let block = match item {
            Item::ArrayOfTables(tables) => tables_block(name, tables, &headers),
            Item::Value(_) if inline.is_some() => None,
            Item::Value(value) => value_block(&document, name, value),
            _ => None,
        };
        if block.is_none() && inline.is_none() {
            continue;
        }
        // Hooks beside a line of ours are not movable: the event had none.
        side_form::move_to(&mut side, &mut moved, name, groups, false);
        let Some(list) = side_form::side_event(&side, name) else { continue };
        let hook = entry(Dialect::Codex, name, &line(Dialect::Codex, name, word), list);
        match (block, &mut inline) {
            (Some(mut block), _) => {
                block.with = block.shape.text(name, &hook, newline);
                blocks.push(block);
            }
            (None, Some(inline)) => inline.lines.push((name.to_owned(), inline_groups(&hook))),
            (None, None) => {}
        }
    }
    blocks.extend(inline.and_then(|inline| inline.block(&document, newline)));
    Ok(Wired { text: commented(text, &blocks, newline), side, moved })
}

/// The text as it was.
pub(crate) fn unwire(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut is_ours = false;
    for line in text.split_inclusive('\n') {
        let bare = line.trim_end_matches(['\r', '\n']);
        if is_ours {
            is_ours = bare != END;
        } else if bare == BEGIN && text.contains(END) {
            is_ours = true;
        } else {
            result.push_str(line.strip_prefix(COMMENTED).unwrap_or(line));
        }
    }
    result
}

/// Has a text what [`wire`] writes before a line of ours?
pub(crate) fn is_wired(text: &str) -> bool {
    text.lines().any(|line| line == BEGIN)
}

/// The events with hooks that [`unwire`] would drop: somebody has added them where only hookshell's line was written.
pub(crate) fn added(text: &str) -> Vec<String> {
    let unwired = unwire(text);
    // What does not parse is given back as text.
    let (Ok(now), Ok(then)) = (groups(text), groups(&unwired)) else { return Vec::new() };
    let is_line = |hook: &Json| hook.get("command").and_then(Json::as_str).is_some_and(side_form::is_line);
    let is_added = |event: &str, group: &Json| {
        !hooks_of(std::slice::from_ref(group)).all(is_line)
            && !then.iter().any(|(name, groups)| name == event && groups.contains(group))
    };
    let added = now.into_iter().filter(|(event, groups)| groups.iter().any(|group| is_added(event, group)));
    added.map(|(event, _)| event).collect()
}

/// Every hook of a config, and those of its side file in the place of their line.
pub(crate) fn list(text: &str, side: Option<&Json>) -> Result<Vec<Listed>, Syntax> {
    let document = parse(text)?;
    let mut listed = Vec::new();
    for (name, item) in events(&document) {
        let groups = to_json(item);
        let groups = groups.as_array().map(Vec::as_slice).unwrap_or_default();
        let is_line = |hook: &Json| hook.get("command").and_then(Json::as_str).is_some_and(side_form::is_line);
        if hooks_of(groups).any(is_line) {
            let moved = side.and_then(|side| side_form::side_event(side, name)).map(Vec::as_slice).unwrap_or_default();
            listed.extend(listed_of(name, moved, |_| State::Wired));
        }
        let rest: Vec<Json> =
            groups.iter().filter(|group| !hooks_of(std::slice::from_ref(*group)).any(is_line)).cloned().collect();
        let is_plain = is_movable(&rest);
        listed.extend(listed_of(name, &rest, |hook| match is_plain {
            true => State::Plain,
            false => State::other(hook.get("type").and_then(Json::as_str).map(str::to_owned)),
        }));
    }
    Ok(listed)
}

/// The groups of every event.
pub(crate) fn groups(text: &str) -> Result<Vec<(String, Vec<Json>)>, Syntax> {
    let document = parse(text)?;
    let groups = |item: &Item| to_json(item).as_array().cloned().unwrap_or_default();
    Ok(events(&document).into_iter().map(|(name, item)| (name.to_owned(), groups(item))).collect())
}

fn parse(text: &str) -> Result<Document<&str>, Syntax> {
    Document::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        let before = text.get(..at).unwrap_or_default();
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        Syntax {
            line: before.matches('\n').count() + 1,
            column,
            message: error.message().trim_end().replace('\n', "; "),
        }
    })
}

/// The events that Codex knows.
fn events<'d>(document: &'d Document<&str>) -> Vec<(&'d str, &'d Item)> {
    let Some(hooks) = document.as_table().get("hooks").and_then(Item::as_table_like) else { return Vec::new() };
    let is_event = |name: &str| Dialect::Codex.event(name).is_some_and(|(own, _)| own == name);
    hooks.iter().filter(|(name, _)| is_event(name)).collect()
}

fn hooks_of(groups: &[Json]) -> impl Iterator<Item = &Json> {
    groups.iter().filter_map(|group| group.get("hooks")?.as_array()).flatten()
}

/// Are all hooks of the groups commands, and none of them hookshell?
fn is_movable(groups: &[Json]) -> bool {
    let is_command = |hook: &Json| {
        let command = hook.get("command").and_then(Json::as_str).unwrap_or_default();
        hook.get("type").and_then(Json::as_str) == Some("command") && !command.trim().is_empty() && !is_ours(command)
    };
    hooks_of(groups).count() > 0 && hooks_of(groups).all(is_command)
}

/// Lines that become comments, and what comes before the first of them.
struct Block {
    parts: Vec<Range<usize>>,
    shape: Shape,
    with: String,
}

enum Shape {
    /// `[[hooks.EVENT]]` and `[[hooks.EVENT.hooks]]`.
    Tables,
    /// A key and its value on lines of their own: the key as it is written.
    Value(String),
}

/// The keys of a group's only hook.
fn pairs(group: &Json) -> Vec<String> {
    let hook = group.get("hooks").and_then(|hooks| hooks.get(0)).and_then(Json::as_object);
    hook.into_iter().flatten().map(|(key, value)| format!("{key} = {value}")).collect()
}

/// A list with one group, as a value.
fn inline_groups(group: &Json) -> String {
    format!("[{{ hooks = [{{ {} }}] }}]", pairs(group).join(", "))
}

/// `hooks = { PreToolUse = […] }`: one key for all events.
struct InlineHooks<'d> {
    hooks: &'d InlineTable,
    /// What stands in the place of events.
    lines: Vec<(String, String)>,
}

impl<'d> InlineHooks<'d> {
    fn of(document: &'d Document<&str>) -> Option<Self> {
        let hooks = document.as_table().get("hooks")?.as_value()?.as_inline_table()?;
        Some(Self { hooks, lines: Vec::new() })
    }

    /// The key with its value, in which everything else stays as it is written; `None`: there is nothing to replace.
    fn block(self, document: &Document<&str>, newline: &str) -> Option<Block> {
        if self.lines.is_empty() {
            return None;
        }
        let text = document.raw();
        let (key, item) = document.as_table().get_key_value("hooks")?;
        let start = text.get(..key.span()?.start)?.rfind('\n').map_or(0, |newline| newline + 1);
        let of_event = |(name, value): (&str, &Value)| {
            let line = self.lines.iter().find(|(event, _)| event == name).map(|(_, line)| line.as_str());
            let value = line.or_else(|| text.get(value.span()?));
            let (key, _) = self.hooks.get_key_value(name)?;
            Some(format!("{} = {}", text.get(key.span()?)?, value?))
        };
        let pairs = self.hooks.iter().map(of_event).collect::<Option<Vec<String>>>()?;
        let with = format!("hooks = {{ {} }}{newline}", pairs.join(", "));
        Some(Block { parts: std::iter::once(start..item.span()?.end).collect(), shape: Shape::Tables, with })
    }
}

impl Shape {
    fn text(&self, event: &str, group: &Json, newline: &str) -> String {
        let pairs = pairs(group);
        match self {
            Self::Tables => {
                format!("[[hooks.{event}]]{newline}[[hooks.{event}.hooks]]{newline}{}{newline}", pairs.join(newline))
            }
            Self::Value(key) => format!("{key} = [{{ hooks = [{{ {} }}] }}]{newline}", pairs.join(", ")),
        }
    }
}

/// Where each header of the file begins.
fn headers(table: &Table) -> Vec<usize> {
    let mut starts = Vec::new();
    collect_headers(table, &mut starts);
    starts.sort_unstable();
    starts
}

fn collect_headers(table: &Table, starts: &mut Vec<usize>) {
    for (_, item) in table.iter() {
        match item {
            Item::Table(inner) => {
                if !inner.is_implicit() && !inner.is_dotted() {
                    starts.extend(inner.span().map(|span| span.start));
                }
                collect_headers(inner, starts);
            }
            Item::ArrayOfTables(tables) => {
                for inner in tables {
                    starts.extend(inner.span().map(|span| span.start));
                    collect_headers(inner, starts);
                }
            }
            _ => {}
        }
    }
}

/// The groups of an event that are tables: each from its header to its last value.
fn tables_block(_event: &str, tables: &ArrayOfTables, headers: &[usize]) -> Option<Block> {
    let mut parts = Vec::new();
    for table in tables {
        table_parts(table, headers, &mut parts)?;
    }
    (!parts.is_empty()).then(|| Block { parts, shape: Shape::Tables, with: String::new() })
}

fn table_parts(table: &Table, headers: &[usize], parts: &mut Vec<Range<usize>>) -> Option<()> {
    let span = table.span()?;
    let mut end = span.end;
    let mut inner = Vec::new();
    for (_, item) in table.iter() {
        match item {
            Item::Value(value) => end = end.max(value.span()?.end),
            Item::ArrayOfTables(tables) => inner.extend(tables.iter()),
            Item::Table(table) if table.is_implicit() || table.is_dotted() => return None,
            Item::Table(table) => inner.push(table),
            Item::None => {}
        }
    }
    // A header's span may reach as far as its table does.
    let next = headers.iter().copied().find(|header| *header > span.start);
    let end = next.map_or(end, |next| if end > next { span.start } else { end });
    parts.push(span.start..end.max(span.start));
    inner.into_iter().try_for_each(|table| table_parts(table, headers, parts))
}

/// An event that is a key with a value, if these have their lines for themselves.
fn value_block(document: &Document<&str>, event: &str, value: &Value) -> Option<Block> {
    let hooks = document.as_table().get("hooks")?.as_table()?;
    let (key, _) = hooks.get_key_value(event)?;
    let end = value.span()?.end;
    let text = document.raw();
    let start = text.get(..key.span()?.start)?.rfind('\n').map_or(0, |newline| newline + 1);
    let written = text.get(start..)?.split('=').next()?.trim_end();
    Some(Block {
        parts: std::iter::once(start..end).collect(),
        shape: Shape::Value(written.to_owned()),
        with: String::new(),
    })
}

/// The text with the blocks' lines as comments.
fn commented(text: &str, blocks: &[Block], newline: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut at = 0;
    let firsts: Vec<(usize, &str)> = blocks
        .iter()
        .filter_map(|block| Some((block.parts.iter().map(|part| part.start).min()?, &*block.with)))
        .collect();
    for line in text.split_inclusive('\n') {
        let lines = at..at + line.len();
        for (_, with) in firsts.iter().filter(|(first, _)| lines.contains(first)) {
            result.push_str(&format!("{BEGIN}{newline}{with}{END}{newline}"));
        }
        let is_moved = blocks
            .iter()
            .flat_map(|block| &block.parts)
            .any(|part| part.start < lines.end && part.end.max(part.start + 1) > lines.start);
        if is_moved {
            result.push_str(COMMENTED);
        }
        result.push_str(line);
        at = lines.end;
    }
    result
}

fn to_json(item: &Item) -> Json {
    match item {
        Item::None => Json::Null,
        Item::Value(value) => value_to_json(value),
        Item::Table(table) => table_to_json(table),
        Item::ArrayOfTables(tables) => Json::Array(tables.iter().map(table_to_json).collect()),
    }
}

fn table_to_json(table: &Table) -> Json {
    Json::Object(table.iter().map(|(key, item)| (key.to_owned(), to_json(item))).collect())
}

fn inline_to_json(table: &InlineTable) -> Json {
    Json::Object(table.iter().map(|(key, value)| (key.to_owned(), value_to_json(value))).collect::<Map<_, _>>())
}

fn value_to_json(value: &Value) -> Json {
    match value {
        Value::String(text) => Json::String(text.value().clone()),
        Value::Integer(number) => Json::from(*number.value()),
        Value::Float(number) => Json::from(*number.value()),
        Value::Boolean(flag) => Json::Bool(*flag.value()),
        Value::Datetime(time) => Json::String(time.value().to_string()),
        Value::Array(list) => Json::Array(list.iter().map(value_to_json).collect()),
        Value::InlineTable(table) => inline_to_json(table),
    }
}
