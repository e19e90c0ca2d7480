//! JSON with comments as text: where things stand in it, and replacing parts of it.

use std::borrow::Cow;
use std::ops::Range;

use hookshell_agents::config::json_options;
use jsonc_parser::CollectOptions;
use jsonc_parser::ast::{Array, Object, StringLit, Value};
use jsonc_parser::common::Ranged;
use serde::Serialize;
use serde_json::ser::PrettyFormatter;
use serde_json::{Map, Number, Value as Json};

use crate::error::Syntax;

const BYTE_ORDER_MARK: char = '\u{feff}';

/// The text without its byte order mark.
pub(crate) fn body(text: &str) -> &str {
    text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text)
}

/// Parses what agents' own parsers take: JSON, comments and trailing commas. `None`: there is nothing but blanks.
pub(crate) fn parse(text: &str) -> Result<Option<Value<'_>>, Syntax> {
    jsonc_parser::parse_to_ast(body(text), &CollectOptions::default(), &json_options())
        .map(|parsed| parsed.value)
        .map_err(|error| Syntax {
            line: error.line_display(),
            column: error.column_display(),
            message: error.kind().to_string(),
        })
}

/// The object that `hooks` is in a config.
pub(crate) fn hooks<'v, 'a>(root: &'v Value<'a>) -> Option<&'v Object<'a>> {
    last(root.as_object()?, "hooks")?.as_object()
}

/// The value of the last property of a name: of equal keys parsers take the last.
pub(crate) fn last<'v, 'a>(object: &'v Object<'a>, name: &str) -> Option<&'v Value<'a>> {
    object.properties.iter().rfind(|prop| prop.name.as_str() == name).map(|prop| &prop.value)
}

/// A string of an object.
pub(crate) fn string<'v, 'a>(object: &'v Object<'a>, name: &str) -> Option<&'v StringLit<'a>> {
    last(object, name)?.as_string_lit()
}

/// Has an object two properties of a name?
pub(crate) fn has_twice(object: &Object<'_>, name: &str) -> bool {
    object.properties.iter().filter(|prop| prop.name.as_str() == name).count() > 1
}

/// The objects of a list.
pub(crate) fn objects<'v, 'a>(list: &'v Array<'a>) -> impl Iterator<Item = &'v Object<'a>> {
    list.elements.iter().filter_map(Value::as_object)
}

/// Where something stands.
pub(crate) fn range(node: &impl Ranged) -> Range<usize> {
    node.start()..node.end()
}

/// The text of a part.
pub(crate) fn slice<'t>(body: &'t str, node: &impl Ranged) -> &'t str {
    body.get(range(node)).unwrap_or_default()
}

/// A parsed value as plain data; comments are left out.
pub(crate) fn data(value: &Value<'_>) -> Json {
    match value {
        Value::StringLit(lit) => Json::String(lit.value.to_string()),
        Value::NumberLit(lit) => serde_json::from_str::<Number>(lit.value).map_or(Json::Null, Json::Number),
        Value::BooleanLit(lit) => Json::Bool(lit.value),
        Value::Object(object) => {
            let mut map = Map::new();
            for prop in &object.properties {
                map.insert(prop.name.as_str().to_owned(), data(&prop.value));
            }
            Json::Object(map)
        }
        Value::Array(list) => Json::Array(list.elements.iter().map(data).collect()),
        Value::NullKeyword(_) => Json::Null,
    }
}

/// A part of a text, and what comes in its place.
#[derive(Debug)]
pub(crate) struct Splice {
    pub(crate) range: Range<usize>,
    pub(crate) with: String,
}

/// A text with parts replaced. Ranges are those of the body, and do not overlap.
pub(crate) fn spliced(text: &str, mut splices: Vec<Splice>) -> String {
    let body = body(text);
    splices.sort_by_key(|splice| splice.range.start);
    let mut result = text.get(..text.len() - body.len()).unwrap_or_default().to_owned();
    let mut done = 0;
    for Splice { range, with } in splices {
        result.push_str(body.get(done..range.start).unwrap_or_default());
        result.push_str(&with);
        done = range.end;
    }
    result.push_str(body.get(done..).unwrap_or_default());
    result
}

/// How a config is laid out.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Style<'t> {
    unit: &'t str,
    newline: &'t str,
    is_one_line: bool,
}

impl<'t> Style<'t> {
    pub(crate) fn of(text: &'t str) -> Self {
        let body = body(text);
        let indent = |line: &'t str| {
            let blanks = line.len() - line.trim_start_matches([' ', '\t']).len();
            line.get(..blanks).filter(|indent| !indent.is_empty() && indent.len() < line.trim_end().len())
        };
        Self {
            unit: body.lines().find_map(indent).unwrap_or("  "),
            newline: if body.contains("\r\n") { "\r\n" } else { "\n" },
            is_one_line: !body.trim().contains('\n'),
        }
    }

    /// A list of elements, each as text of its own, that begins on the line of the byte `at`.
    pub(crate) fn list(&self, body: &str, at: usize, elements: &[Element<'_>]) -> String {
        let outer = line_indent(body, at);
        let inner = format!("{outer}{}", self.unit);
        let texts: Vec<String> = elements
            .iter()
            .map(|element| match element {
                Element::Text(text) => (*text).to_owned(),
                Element::New(value) => self.value(value, &inner),
            })
            .collect();
        match (texts.is_empty(), self.is_one_line) {
            (true, _) => "[]".to_owned(),
            (false, true) => format!("[{}]", texts.join(", ")),
            (false, false) => {
                let newline = self.newline;
                let texts = texts.join(&format!(",{newline}{inner}"));
                format!("[{newline}{inner}{texts}{newline}{outer}]")
            }
        }
    }

    fn value(&self, value: &Json, indent: &str) -> String {
        if self.is_one_line {
            return value.to_string();
        }
        pretty(value, self.unit).replace('\n', &format!("{}{indent}", self.newline))
    }
}

/// An element of a list: as it stands somewhere, or new.
pub(crate) enum Element<'t> {
    Text(&'t str),
    New(&'t Json),
}

/// Are two parts the same but for their layout: blanks, line ends and commas at the end? Comments count.
pub(crate) fn is_same_but_for_layout(one: &str, other: &str) -> bool {
    one == other || tokens(one) == tokens(other)
}

/// The strings, words, signs and comments of a part.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' => string_length(rest),
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            '{' | '}' | '[' | ']' | ',' | ':' => 1,
            _ => rest.find([' ', '\t', '\r', '\n', '"', '/', '{', '}', '[', ']', ',', ':']).unwrap_or(rest.len()),
        };
        // A sign that is no JSON is a token of its own.
        let (token, after) = rest.split_at_checked(length.max(first.len_utf8())).unwrap_or((rest, ""));
        if matches!(token, "}" | "]") && tokens.last().is_some_and(|token| token == ",") {
            tokens.pop();
        }
        tokens.push(token.trim_end().replace('\r', ""));
        rest = after.trim_start();
    }
    tokens
}

/// How long the string is that a text begins with.
fn string_length(text: &str) -> usize {
    let mut is_escaped = true;
    for (at, letter) in text.char_indices() {
        match letter {
            '"' if !is_escaped => return at + 1,
            '\\' if !is_escaped => is_escaped = true,
            _ => is_escaped = false,
        }
    }
    text.len()
}

/// A part with the line ends of another one, if that has only one kind.
pub(crate) fn with_line_ends_of<'t>(part: &'t str, other: &str) -> Cow<'t, str> {
    let without = other.replace("\r\n", "");
    match (without.len() < other.len(), without.contains('\n')) {
        (true, false) => part.replace("\r\n", "\n").replace('\n', "\r\n").into(),
        (false, true) => part.replace("\r\n", "\n").into(),
        _ => part.into(),
    }
}

/// Where a byte stands: its line and its column in characters, both from 1.
pub(crate) fn place(body: &str, at: usize) -> (usize, usize) {
    let before = body.get(..at).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    (line, before.rsplit('\n').next().unwrap_or_default().chars().count() + 1)
}

/// A value over several lines.
pub(crate) fn pretty(value: &Json, unit: &str) -> String {
    let mut bytes = Vec::new();
    let mut serializer =
        serde_json::Serializer::with_formatter(&mut bytes, PrettyFormatter::with_indent(unit.as_bytes()));
    match value.serialize(&mut serializer) {
        Ok(()) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(_) => value.to_string(),
    }
}

/// The blanks that the line of a byte begins with.
fn line_indent(body: &str, at: usize) -> &str {
    let before = body.get(..at).unwrap_or_default();
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let line = body.get(start..).unwrap_or_default();
    let blanks = line.len() - line.trim_start_matches([' ', '\t']).len();
    line.get(..blanks).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{is_same_but_for_layout, with_line_ends_of};

    #[test]
    fn layout_is_no_difference_and_comments_are() {
        let text = "[ { \"a\": [1, 2,], // why\n \"b\\\"//\": \"é /* x */\" } ]";
        for same in [
            "[{\"a\":[1,2],// why\r\n\t\"b\\\"//\":\"é /* x */\",}]",
            "[\r\n  {\r\n    \"a\": [\r\n1,\r\n2\r\n], // why \r\n    \"b\\\"//\": \"é /* x */\"\r\n  }\r\n]",
        ] {
            assert!(is_same_but_for_layout(text, same), "{same}");
        }
        for other in [
            "[{\"a\":[1,2],\"b\\\"//\":\"é /* x */\"}]",
            "[{\"a\":[1,2],// why not\n\"b\\\"//\":\"é /* x */\"}]",
            "[{\"a\":[12],// why\n\"b\\\"//\":\"é /* x */\"}]",
            "[{\"a\":[1,2],// why\n\"b\\\"//\":\"é /*  x */\"}]",
            "[{\"a\":[1,2],// why\n\"b\\\"//\":\"é",
            "",
        ] {
            assert!(!is_same_but_for_layout(text, other), "{other}");
        }
        // What is no JSON ends, too.
        for odd in ["\"", "/", "/*", "\\", "'a'", "é"] {
            assert!(is_same_but_for_layout(odd, odd) && !is_same_but_for_layout(odd, "x"), "{odd}");
        }
    }

    #[test]
    fn line_ends_are_those_of_the_other_part() {
        for part in ["a\r\nb\n", "a\nb\n"] {
            assert_eq!(with_line_ends_of(part, "x\n\ny"), "a\nb\n");
            assert_eq!(with_line_ends_of(part, "x\r\n\r\ny"), "a\r\nb\r\n");
            for none in ["", "x", "x\r\ny\n"] {
                assert_eq!(with_line_ends_of(part, none), part);
            }
        }
    }
}
