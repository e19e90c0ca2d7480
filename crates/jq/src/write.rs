//! Printing values.

use std::sync::Arc;

use super::number;
use super::value::{MAX_STRING, Value, error};
use super::watch::Watch;

/// What is nested deeper is not printed.
const MAX_PRINTED_DEPTH: usize = 256;

/// jq 1.7.1's colours: null, false, true, numbers, strings, arrays, objects, keys.
const COLORS: [&str; 8] = ["0;90", "0;39", "0;39", "0;39", "0;32", "1;39", "1;39", "1;34"];
const RESET: &str = "\x1b[0m";

/// How values are printed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style<'a> {
    /// What one level of nesting is indented by; `None`: everything in one line.
    pub(super) indent: Option<&'a str>,
    pub(super) sorted: bool,
    pub(super) ascii: bool,
    /// The escape sequences of the types and keys.
    pub(super) colors: Option<&'a Colors>,
}

/// Escape sequences for null, false, true, numbers, strings, arrays, objects and keys.
#[derive(Debug, Clone)]
pub(super) struct Colors([String; 8]);

impl Colors {
    /// The default ones, changed by the value of `JQ_COLORS`; `None`: that is not valid.
    pub(super) fn new(changes: Option<&str>) -> Option<Self> {
        let mut colors = COLORS.map(|color| format!("\x1b[{color}m"));
        let Some(changes) = changes.filter(|changes| !changes.is_empty()) else {
            return Some(Self(colors));
        };
        for (slot, color) in colors.iter_mut().zip(changes.strip_suffix(':').unwrap_or(changes).split(':')) {
            if color.len() > 12 || !color.bytes().all(|byte| byte.is_ascii_digit() || byte == b';') {
                return None;
            }
            *slot = format!("\x1b[{color}m");
        }
        Some(Self(colors))
    }

    fn of(&self, value: &Value) -> &str {
        let at = match value {
            Value::Null => 0,
            Value::Bool(false) => 1,
            Value::Bool(true) => 2,
            Value::Number(_) | Value::Short(_) | Value::Long(_) => 3,
            Value::String(_) => 4,
            Value::Array(_) => 5,
            Value::Object(_) => 6,
        };
        self.0.get(at).map_or("", String::as_str)
    }

    fn key(&self) -> &str {
        self.0.last().map_or("", String::as_str)
    }
}

/// Is asked between members, and may take what was appended: `false` ends the printing.
pub(super) type GoOn<'a> = dyn FnMut(&mut String) -> bool + 'a;

/// Appends compact JSON.
pub(super) fn compact(value: &Value, out: &mut String, go_on: &mut GoOn<'_>) {
    print(value, &Style { indent: None, sorted: false, ascii: false, colors: None }, out, go_on);
}

/// Appends a value; `false`: it was not gone on with.
pub(super) fn print(value: &Value, style: &Style<'_>, out: &mut String, go_on: &mut GoOn<'_>) -> bool {
    Printer { style, out, go_on }.term(value, 0)
}

struct Printer<'a> {
    style: &'a Style<'a>,
    out: &'a mut String,
    go_on: &'a mut GoOn<'a>,
}

impl Printer<'_> {
    fn term(&mut self, value: &Value, level: usize) -> bool {
        let color = self.style.colors.map(|colors| colors.of(value));
        self.color(color);
        if level > MAX_PRINTED_DEPTH {
            self.out.push_str("<skipped: too deep>");
        } else {
            match value {
                Value::Null => self.out.push_str("null"),
                Value::Bool(false) => self.out.push_str("false"),
                Value::Bool(true) => self.out.push_str("true"),
                Value::Number(value) | Value::Short(value) => number::push_double(*value, self.out),
                Value::Long(literal) => self.out.push_str(literal.text()),
                Value::String(text) => string(text, self.style.ascii, self.out),
                Value::Array(array) if array.len() == 0 => self.out.push_str("[]"),
                Value::Object(object) if object.len() == 0 => self.out.push_str("{}"),
                Value::Array(array) => {
                    self.out.push('[');
                    for (at, item) in array.items().iter().enumerate() {
                        if at > 0 {
                            self.out.push(',');
                        }
                        self.new_line(level + 1);
                        if !self.term(item, level + 1) || !(self.go_on)(self.out) {
                            return false;
                        }
                        self.color(color);
                    }
                    self.new_line(level);
                    self.color(color);
                    self.out.push(']');
                }
                Value::Object(object) => {
                    self.out.push('{');
                    let complete = if self.style.sorted {
                        self.members(object.sorted().into_iter(), level, color)
                    } else {
                        self.members(object.entries().iter(), level, color)
                    };
                    if !complete {
                        return false;
                    }
                    self.new_line(level);
                    self.color(color);
                    self.out.push('}');
                }
            }
        }
        if color.is_some() {
            self.out.push_str(RESET);
        }
        true
    }

    fn members<'v>(
        &mut self,
        members: impl Iterator<Item = &'v (Arc<str>, Value)>,
        level: usize,
        color: Option<&str>,
    ) -> bool {
        for (at, (key, value)) in members.enumerate() {
            if at > 0 {
                self.out.push(',');
            }
            self.new_line(level + 1);
            let colon = if self.style.indent.is_some() { ": " } else { ":" };
            if let (Some(color), Some(colors)) = (color, self.style.colors) {
                self.out.push_str(RESET);
                self.out.push_str(colors.key());
                string(key, self.style.ascii, self.out);
                self.out.push_str(RESET);
                self.out.push_str(color);
                self.out.push_str(colon);
                self.out.push_str(RESET);
            } else {
                string(key, self.style.ascii, self.out);
                self.out.push_str(colon);
            }
            if !self.term(value, level + 1) || !(self.go_on)(self.out) {
                return false;
            }
            self.color(color);
        }
        true
    }

    fn color(&mut self, color: Option<&str>) {
        if let Some(color) = color {
            self.out.push_str(color);
        }
    }

    fn new_line(&mut self, level: usize) {
        if let Some(indent) = self.style.indent {
            self.out.push('\n');
            (0..level).for_each(|_| self.out.push_str(indent));
        }
    }
}

/// Appends a string with its quotes.
pub(super) fn string(text: &str, ascii: bool, out: &mut String) {
    use std::fmt::Write;
    out.push('"');
    let mut start = 0;
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let plain = match byte {
            b'"' | b'\\' | 0x7f | 0..=0x1f => false,
            0x80.. => !ascii,
            _ => true,
        };
        if plain {
            at += 1;
            continue;
        }
        out.push_str(text.get(start..at).unwrap_or_default());
        let character = text.get(at..).and_then(|rest| rest.chars().next()).unwrap_or('\u{fffd}');
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            '\n' => out.push_str("\\n"),
            '\u{c}' => out.push_str("\\f"),
            other => {
                for unit in other.encode_utf16(&mut [0; 2]) {
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
        }
        at += character.len_utf8();
        start = at;
    }
    out.push_str(text.get(start..).unwrap_or_default());
    out.push('"');
}

impl Value {
    /// Compact JSON, as `tojson` gives it. Values that share their parts can be longer than any memory.
    pub(super) fn to_json(&self, watch: &Watch<'_>) -> Result<String, Self> {
        let text = self.cut_json(MAX_STRING, watch);
        if text.len() > MAX_STRING { error("hookshell's jq: a string is too long") } else { Ok(text) }
    }

    /// Compact JSON, which may end somewhere after so many bytes.
    pub(super) fn cut_json(&self, size: usize, watch: &Watch<'_>) -> String {
        let mut out = String::new();
        compact(self, &mut out, &mut |out| out.len() <= size && watch.should_continue());
        out
    }
}
