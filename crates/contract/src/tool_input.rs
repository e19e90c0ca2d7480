//! The input of a tool call.

use std::fmt;

use serde_json::Value;
use serde_json::value::RawValue;
use thiserror::Error;

use crate::json::{self, JsonText, RawObject};

/// The JSON object that the model sent to a tool, token for token as it was sent: the order of its keys, the text of its
/// numbers and its escapes are kept. Only blanks between tokens are not, so that it is one line.
///
/// ```
/// use hookshell_contract::ToolInput;
///
/// let input = ToolInput::parse("{ \"timeout\": 1.50, \"command\": \"npm test\" }")?;
/// assert_eq!(input.get(), r#"{"timeout":1.50,"command":"npm test"}"#);
/// let input = ToolInput::from(serde_json::json!({ "command": "npm test" }));
/// assert_eq!(input.to_string(), r#"{"command":"npm test"}"#);
/// // A tool reads it as what it takes:
/// let members: std::collections::HashMap<String, String> = serde_json::from_str(input.get())?;
/// assert_eq!(members["command"], "npm test");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct ToolInput(String);

impl ToolInput {
    /// Reads a tool's input.
    ///
    /// # Errors
    /// The text is not one JSON object.
    pub fn parse(json: &str) -> Result<Self, ToolInputError> {
        let json = json.trim_start_matches('\u{feff}');
        RawObject::parse(json).map_err(ToolInputError)?;
        let mut text = String::with_capacity(json.len());
        json::push_compact(json, &mut text);
        Ok(Self(text))
    }

    /// Reads a tool's input that need not be an object: there are tools that take a text. Hooks get it as it is; what a
    /// hook wants changed in it takes its place.
    ///
    /// ```
    /// use hookshell_contract::ToolInput;
    ///
    /// assert_eq!(ToolInput::any(r#""*** Begin Patch""#)?.get(), r#""*** Begin Patch""#);
    /// # Ok::<(), hookshell_contract::ToolInputError>(())
    /// ```
    ///
    /// # Errors
    /// The text is not one JSON value.
    pub fn any(json: &str) -> Result<Self, ToolInputError> {
        let value = JsonText::parse(json.trim_start_matches('\u{feff}')).map_err(ToolInputError)?;
        Ok(Self(value.get().to_owned()))
    }

    /// The JSON text: one line.
    pub fn get(&self) -> &str {
        &self.0
    }

    /// The text of a member, if there is one that is not null: a string's content, another value's JSON text.
    ///
    /// # Errors
    /// The member is a string that is not Unicode (a lone surrogate): no variable can carry it.
    pub fn text(&self, name: &str) -> Result<Option<String>, NotUnicode> {
        // What is no object has no members.
        let Ok(object) = RawObject::parse(&self.0) else {
            return Ok(None);
        };
        match object.get(name) {
            None => Ok(None),
            Some(value) => match value.get().as_bytes().first() {
                Some(b'n') => Ok(None),
                Some(b'"') => serde_json::from_str(value.get()).map(Some).map_err(|_| NotUnicode),
                _ => Ok(Some(value.get().to_owned())),
            },
        }
    }

    /// This input with patches laid over it, in order: a patch's keys replace those of the same name, the other members
    /// keep their place and text. Nested objects are replaced whole, and so is an input that is no object. `None` if nothing
    /// changed.
    pub fn merged<'p>(&self, patches: impl IntoIterator<Item = &'p Patch>) -> Option<Self> {
        let mut patches = patches.into_iter().peekable();
        patches.peek()?;
        let original = RawObject::parse(&self.0).map(|object| object.members).unwrap_or_default();
        let mut members: Vec<(String, &str, &str)> =
            original.iter().map(|(key, value)| (json::decode(key), key.get(), value.get())).collect();
        for patch in patches {
            if patch.replaces {
                // What stays keeps its place.
                members.retain(|member| patch.members.iter().any(|(key, _)| json::decode(key) == member.0));
            }
            members.retain(|member| !patch.removed.contains(&member.0));
            for (key, value) in &patch.members {
                let name = json::decode(key);
                match members.iter_mut().find(|member| member.0 == name) {
                    // A key that stood twice stands once: else the reader's last one would undo the patch.
                    Some(member) => {
                        member.2 = value.get();
                        let mut first = true;
                        members.retain(|member| member.0 != name || std::mem::take(&mut first));
                    }
                    None => members.push((name, key.get(), value.get())),
                }
            }
        }
        if members.is_empty() && !self.0.starts_with('{') {
            return None;
        }
        let text = object_text(members.iter().map(|(_, key, value)| (*key, *value)));
        (text != self.0).then_some(Self(text))
    }
}

/// An object of members, each with the text of its key and of its value, as one line.
fn object_text<'m>(members: impl Iterator<Item = (&'m str, &'m str)>) -> String {
    let mut text = String::from("{");
    for (index, (key, value)) in members.enumerate() {
        if index > 0 {
            text.push(',');
        }
        json::push_compact(key, &mut text);
        text.push(':');
        json::push_compact(value, &mut text);
    }
    text.push('}');
    text
}

impl From<&Value> for ToolInput {
    /// The value's JSON text, on one line.
    fn from(value: &Value) -> Self {
        Self(value.to_string())
    }
}

impl From<Value> for ToolInput {
    fn from(value: Value) -> Self {
        Self::from(&value)
    }
}

impl Default for ToolInput {
    /// `{}`.
    fn default() -> Self {
        Self("{}".to_owned())
    }
}

impl fmt::Display for ToolInput {
    /// The JSON text: one line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for ToolInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A string that is not Unicode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotUnicode;

/// The text is not one JSON object.
#[derive(Debug, Error)]
#[error("a tool's input is one JSON object: {0}")]
pub struct ToolInputError(#[source] serde_json::Error);

/// What a hook wants changed in a tool's input: members that replace those of the same name, and (hooks that are code of
/// the host only) members that are taken out. In dialects where it is the whole new input, members that it does not have go.
#[derive(Debug, Clone, Default)]
pub struct Patch {
    replaces: bool,
    members: Vec<(Box<RawValue>, Box<RawValue>)>,
    /// The names of members that are taken out.
    removed: Vec<String>,
}

impl From<ToolInput> for Patch {
    /// The whole new input.
    fn from(input: ToolInput) -> Self {
        // What was merged is an object: what is none has no members that could be changed.
        RawObject::parse(&input.0).map(|object| Self::new(&object)).unwrap_or_default().replacing()
    }
}

impl PartialEq for Patch {
    fn eq(&self, other: &Self) -> bool {
        let texts = |patch: &Self| -> Vec<(String, String)> {
            patch.members.iter().map(|(key, value)| (key.get().to_owned(), value.get().to_owned())).collect()
        };
        self.replaces == other.replaces && self.removed == other.removed && texts(self) == texts(other)
    }
}

impl Eq for Patch {}

impl Patch {
    /// The object that it has been made of: where it is the whole new input, that input.
    pub fn to_input(&self) -> ToolInput {
        ToolInput(object_text(self.members.iter().map(|(key, value)| (key.get(), value.get()))))
    }

    /// The members of an object, which are laid over the input.
    pub fn new(object: &RawObject<'_>) -> Self {
        let members = object.members.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
        Self { replaces: false, members, removed: Vec::new() }
    }

    /// One of a JSON text; `None` if it is no object.
    pub fn of_json(json: &JsonText) -> Option<Self> {
        RawObject::parse(json.get()).ok().map(|object| Self::new(&object))
    }

    /// Is the member a string?
    pub fn has_text(&self, name: &str) -> bool {
        let member = self.members.iter().rev().find(|(key, _)| json::decode(key) == name);
        member.is_some_and(|(_, value)| value.get().starts_with('"'))
    }

    /// The same object as the whole new input.
    pub fn replacing(mut self) -> Self {
        self.replaces = true;
        self
    }

    /// Takes members out, too.
    pub fn without(mut self, removed: Vec<String>) -> Self {
        self.removed = removed;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::{Patch, ToolInput};
    use crate::json::RawObject;

    fn patch(text: &str) -> Patch {
        Patch::new(&RawObject::parse(text).unwrap())
    }

    #[test]
    fn patches_merge_shallowly_in_order() {
        let cases: [(&str, &str, &[&str], Option<&str>); 9] = [
            (
                "keys that are not in the patch stay",
                r#"{"command":"npm test","timeout":60000}"#,
                &[r#"{"command":"bun test"}"#],
                Some(r#"{"command":"bun test","timeout":60000}"#),
            ),
            (
                "order, numbers and escapes of untouched keys stay",
                r#"{"z":1.500,"\u0061":1e400,"c":"\u00e9"}"#,
                &[r#"{"n":1}"#],
                Some(r#"{"z":1.500,"\u0061":1e400,"c":"\u00e9","n":1}"#),
            ),
            ("a later patch wins", r#"{"a":1}"#, &[r#"{"a":2,"b":2}"#, r#"{"a":3}"#], Some(r#"{"a":3,"b":2}"#)),
            (
                "nested objects are replaced whole",
                r#"{"o":{"x":1,"y":2}}"#,
                &[r#"{ "o": { "x": 3 } }"#],
                Some(r#"{"o":{"x":3}}"#),
            ),
            ("an escaped key is the same key", r#"{"a":1}"#, &[r#"{"\u0061":2}"#], Some(r#"{"a":2}"#)),
            (
                "a duplicate key cannot undo the patch",
                r#"{"a":1,"b":0,"a":9}"#,
                &[r#"{"a":2}"#],
                Some(r#"{"a":2,"b":0}"#),
            ),
            ("null is a value", r#"{"a":1}"#, &[r#"{"a":null}"#], Some(r#"{"a":null}"#)),
            ("no patch changes nothing", r#"{"a":1}"#, &[], None),
            ("the same value changes nothing", r#"{"a":1}"#, &["{}", r#"{"a":1}"#], None),
        ];
        for (name, input, patches, expected) in cases {
            let patches: Vec<Patch> = patches.iter().map(|text| patch(text)).collect();
            let merged = ToolInput::parse(input).unwrap().merged(&patches);
            assert_eq!(merged.as_ref().map(ToolInput::get), expected, "{name}");
        }
    }

    #[test]
    fn what_is_no_object_is_replaced_whole() {
        for input in ["\"text\"", "[1]", "null"] {
            let input = ToolInput::any(input).unwrap();
            assert_eq!(input.merged(&[]), None);
            assert_eq!(input.merged(&[patch("{}")]), None);
            assert_eq!(input.merged(&[patch(r#"{"a":1}"#), patch(r#"{"b":2}"#)]).unwrap().get(), r#"{"a":1,"b":2}"#);
            assert_eq!(input.text("command"), Ok(None));
        }
        assert!(ToolInput::any("{} {}").is_err());
    }

    #[test]
    fn members_are_taken_out() {
        let input = ToolInput::parse(r#"{"a":1.50,"b":2,"\u0063":3}"#).unwrap();
        let patches = [patch(r#"{"d":4}"#).without(vec!["b".to_owned(), "c".to_owned(), "none".to_owned()])];
        assert_eq!(input.merged(&patches).unwrap().get(), r#"{"a":1.50,"d":4}"#);
    }

    #[test]
    fn the_text_of_a_member() {
        let input = ToolInput::parse(r#"{"s":"a\nb","n":1.50,"o":{"k": [1, 2]},"z":null,"bad":"\ud800"}"#).unwrap();
        assert_eq!(input.text("s"), Ok(Some("a\nb".to_owned())));
        assert_eq!(input.text("n"), Ok(Some("1.50".to_owned())));
        assert_eq!(input.text("o"), Ok(Some(r#"{"k":[1,2]}"#.to_owned())));
        assert_eq!(input.text("z"), Ok(None));
        assert_eq!(input.text("missing"), Ok(None));
        assert!(input.text("bad").is_err());
    }

    #[test]
    fn what_is_no_object_is_refused() {
        for (text, expected) in [
            (
                "[1]",
                "a tool's input is one JSON object: invalid type: sequence, expected a JSON object at line 1 column 0",
            ),
            ("{\"a\":1", "a tool's input is one JSON object: EOF while parsing an object at line 1 column 6"),
        ] {
            assert_eq!(ToolInput::parse(text).unwrap_err().to_string(), expected);
        }
        assert!(ToolInput::parse("").is_err());
        assert_eq!(ToolInput::parse("\u{feff}{}").unwrap(), ToolInput::default());
    }
}
