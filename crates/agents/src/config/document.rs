//! JSON with comments, as a tree whose values know their place.

use std::cell::OnceCell;
use std::path::Path;
use std::sync::Arc;

use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::common::Range;
use jsonc_parser::errors::ParseError;
use jsonc_parser::{CollectOptions, ParseOptions};

use super::{ConfigError, Place};

/// How deep a config may nest. The parser calls itself for each level, with more than 1 KiB of stack in a debug build, and
/// the host may have called from a small thread.
const DEPTH_LIMIT: usize = 64;

/// How many bytes lie between two places that are kept. Each place that is asked for is counted from the one before it, so
/// that a config of many hooks takes no longer for each of them.
const STRIDE: usize = 1024;

/// A config's text, and the places in it.
pub struct Document<'t> {
    text: &'t str,
    has_byte_order_mark: bool,
    file: Arc<Path>,
    /// A place about every [`STRIDE`] bytes, made for the first that is asked for.
    known: OnceCell<Vec<Known>>,
}

/// A byte of the text, and the number of its line and column, from 1.
#[derive(Clone, Copy)]
struct Known {
    at: usize,
    line: usize,
    column: usize,
}

impl Known {
    fn step(&mut self, character: char) {
        self.at += character.len_utf8();
        self.column += 1;
        if character == '\n' {
            self.line += 1;
            self.column = 1;
        }
    }
}

/// What agents' own parsers take: comments and trailing commas, and else JSON. Who edits a config reads it by the same rules.
pub fn json_options() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

impl<'t> Document<'t> {
    /// The text of this file.
    pub fn new(text: &'t str, file: &Path) -> Self {
        let (has_byte_order_mark, text) = (text.starts_with('\u{feff}'), text.trim_start_matches('\u{feff}'));
        Self { text, has_byte_order_mark, file: file.into(), known: OnceCell::new() }
    }

    /// The tree; `None` if there is nothing but blanks and comments. A file whose name ends in `.toml` is TOML.
    pub fn parse(&self) -> Result<Option<Value<'t>>, ConfigError> {
        if self.is_toml() {
            return super::toml::parse(self.text)
                .map(Some)
                .map_err(|(at, message)| ConfigError::Syntax { place: self.place(at), message });
        }
        if let Some(at) = too_deep(self.text) {
            return Err(ConfigError::Syntax {
                place: self.place(Range::from_byte_index(at)),
                message: format!("nested deeper than {DEPTH_LIMIT} levels"),
            });
        }
        jsonc_parser::parse_to_ast(self.text, &CollectOptions::default(), &json_options())
            .map(|result| result.value)
            .map_err(|error| self.syntax(&error))
    }

    /// What is wrong with the text as JSON without comments and commas too many, and where; `None` if nothing is.
    pub(crate) fn strict_error(&self) -> Option<(Place, String)> {
        let error = serde_json::from_str::<serde::de::IgnoredAny>(self.text).err()?;
        let message = error.to_string();
        // The place is said before it.
        let message = message.rsplit_once(" at line ").map_or(&*message, |(message, _)| message).to_owned();
        let place = Place { file: Arc::clone(&self.file), line: error.line().max(1), column: error.column().max(1) };
        Some((place, message))
    }

    fn syntax(&self, error: &ParseError) -> ConfigError {
        // Such are left where a machine stopped before the file was written.
        let is_nul = self.text.get(error.range().start..).is_some_and(|rest| rest.starts_with('\0'));
        let message = match is_nul {
            true => "a NUL byte stands here: write the file again, as text".to_owned(),
            false => error.kind().to_string(),
        };
        ConfigError::Syntax { place: self.place(error.range()), message }
    }

    /// The whole text.
    pub(crate) fn whole(&self) -> &'t str {
        self.text
    }

    /// How something is written.
    pub fn text(&self, range: Range) -> Arc<str> {
        self.text.get(range.start..range.end).unwrap_or_default().into()
    }

    /// Where a JSON string begins, and how it is written. `None` in TOML, whose strings are written otherwise.
    pub fn quoted(&self, range: Range) -> Option<(Place, Arc<str>)> {
        let text = self.text(range);
        let is_json = !self.is_toml() && text.starts_with('"');
        is_json.then(|| (self.place(range), text))
    }

    /// Did it begin with a byte order mark, which is no part of the text?
    pub(crate) fn has_byte_order_mark(&self) -> bool {
        self.has_byte_order_mark
    }

    pub(crate) fn is_toml(&self) -> bool {
        self.file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml"))
    }

    /// Where something begins.
    pub fn place(&self, range: Range) -> Place {
        let known = self.known.get_or_init(|| self.known());
        let before = known.partition_point(|known| known.at <= range.start);
        let mut place = before.checked_sub(1).and_then(|last| known.get(last)).copied().unwrap_or(START);
        for character in self.text.get(place.at..range.start).unwrap_or_default().chars() {
            place.step(character);
        }
        Place { file: Arc::clone(&self.file), line: place.line, column: place.column }
    }

    fn known(&self) -> Vec<Known> {
        let mut known = vec![START];
        let (mut place, mut next) = (START, STRIDE);
        for character in self.text.chars() {
            if place.at >= next {
                known.push(place);
                next = place.at + STRIDE;
            }
            place.step(character);
        }
        known
    }
}

const START: Known = Known { at: 0, line: 1, column: 1 };

/// Takes the members that are null out of all objects: in a config they are absent, as agents take it. The tree is not deeper than [`DEPTH_LIMIT`].
pub(crate) fn drop_nulls(value: &mut Value<'_>) {
    match value {
        Value::Object(object) => {
            object.properties.retain(|prop| !matches!(prop.value, Value::NullKeyword(_)));
            object.properties.iter_mut().for_each(|prop| drop_nulls(&mut prop.value));
        }
        Value::Array(array) => array.elements.iter_mut().for_each(drop_nulls),
        _ => {}
    }
}

/// Where the text first nests too deep. What brackets strings and comments hold does not count.
fn too_deep(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match (byte, bytes.get(at + 1)) {
            (b'"', _) => {
                at += 1;
                while let Some(&byte) = bytes.get(at) {
                    match byte {
                        b'"' => break,
                        b'\\' => at += 2,
                        _ => at += 1,
                    }
                }
            }
            (b'/', Some(b'/')) => {
                while bytes.get(at + 1).is_some_and(|byte| !matches!(byte, b'\n' | b'\r')) {
                    at += 1;
                }
            }
            (b'/', Some(b'*')) => at += 3 + text.get(at + 2..)?.find("*/")?,
            (b'[' | b'{', _) => {
                depth += 1;
                if depth > DEPTH_LIMIT {
                    return Some(at);
                }
            }
            (b']' | b'}', _) => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    None
}

/// What kind of value it is, for messages.
pub fn kind(value: &Value<'_>) -> &'static str {
    match value {
        Value::StringLit(_) => "a string",
        Value::NumberLit(_) => "a number",
        Value::BooleanLit(_) => "a boolean",
        Value::Object(_) => "an object",
        Value::Array(_) => "an array",
        Value::NullKeyword(_) => "null",
    }
}

/// The first member of a name.
pub(crate) fn first_member<'v, 'a>(object: &'v Object<'a>, name: &str) -> Option<&'v ObjectProp<'a>> {
    object.properties.iter().find(|prop| prop.name.as_str() == name)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use jsonc_parser::common::Range;

    use super::Document;

    #[test]
    fn a_nul_byte_is_told() {
        let error = |text: &str| Document::new(text, Path::new("x.json")).parse().err().unwrap().to_string();
        let told = "x.json:2:1: a NUL byte stands here: write the file again, as text";
        assert_eq!((error("{}\n\0"), error("{\n\0\0}")), (told.to_owned(), told.to_owned()));
    }

    #[test]
    fn places_are_counted_in_lines_and_characters_however_long_the_text_is() {
        let text = "\u{feff}ä1\n".to_owned() + &"é23456789\n".repeat(1000) + &"ü".repeat(5000) + "end";
        let document = Document::new(&text, Path::new("x.json"));
        let place = |start| {
            let place = document.place(Range { start, end: start });
            (place.line, place.column)
        };
        // Without the mark a line has 11 bytes in 9 characters and its end.
        let cases = [
            (0, (1, 1)),
            (2, (1, 2)),
            (4, (2, 1)),
            (4 + 11 * 500, (502, 1)),
            (4 + 11 * 500 + 3, (502, 3)),
            (4 + 11 * 1000, (1002, 1)),
            (4 + 11 * 1000 + 10_000, (1002, 5001)),
            (4 + 11 * 100, (102, 1)),
            (4 + 11 * 1000 + 10_003, (1002, 5004)),
        ];
        for (start, expected) in cases {
            assert_eq!(place(start), expected, "{start}");
        }
    }
}
