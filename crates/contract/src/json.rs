//! JSON objects whose members keep their own text: order, number text, escapes and duplicate keys.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The members of an object, in order, each as the text it was given in.
#[derive(Debug)]
pub struct RawObject<'a> {
    /// The members: the text of the name, with its quotes, and that of the value.
    pub members: Vec<(&'a RawValue, &'a RawValue)>,
}

impl<'a> RawObject<'a> {
    /// Reads an object.
    ///
    /// # Errors
    /// The text is not JSON, something follows the value, or the value is not an object.
    pub fn parse(text: &'a str) -> serde_json::Result<Self> {
        serde_json::from_str(text)
    }

    /// The value of a key: the last one where the key stands more than once, as most JSON readers do.
    pub fn get(&self, name: &str) -> Option<&'a RawValue> {
        self.members.iter().rev().find(|(key, _)| decode(key) == name).map(|(_, value)| *value)
    }
}

/// Any JSON value, token for token as it was given, without the blanks between its tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonText(String);

impl JsonText {
    /// Reads a JSON text.
    ///
    /// # Errors
    /// The text is not one JSON value.
    pub fn parse(json: &str) -> Result<Self, serde_json::Error> {
        let json = json.trim_start_matches('\u{feff}');
        let _: &RawValue = serde_json::from_str(json)?;
        let mut text = String::with_capacity(json.len());
        push_compact(json.trim(), &mut text);
        Ok(Self(text))
    }

    /// A JSON string.
    pub fn string(text: &str) -> Self {
        let mut json = String::with_capacity(text.len() + 2);
        push_string(text, &mut json);
        Self(json)
    }

    /// The JSON text: one line.
    pub fn get(&self) -> &str {
        &self.0
    }
}

impl Default for JsonText {
    /// `null`.
    fn default() -> Self {
        Self("null".to_owned())
    }
}

/// The text of a key or string. A string that is not Unicode (a lone surrogate) is its JSON text, so that it equals only
/// itself.
pub fn decode(raw: &RawValue) -> String {
    serde_json::from_str(raw.get()).unwrap_or_else(|_| raw.get().to_owned())
}

/// The text of a JSON string, not copied where it has no escapes; of another value its JSON text.
pub fn string(json: &str) -> Cow<'_, str> {
    match json.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
        Some(text) if !text.contains('\\') => Cow::Borrowed(text),
        Some(_) => lossy(json).map_or(Cow::Borrowed(json), Cow::Owned),
        None => Cow::Borrowed(json),
    }
}

/// The text of a string, with U+FFFD for what is not Unicode in it: half of a pair of surrogates, which is left where a
/// program of JavaScript's cuts a text. `None` if the value is no string.
pub fn text(raw: &RawValue) -> Option<String> {
    lossy(raw.get())
}

fn lossy(json: &str) -> Option<String> {
    serde_json::from_str(json).or_else(|_| serde_json::from_str(json).map(|LoneSurrogates(text)| text)).ok()
}

/// A string that may have surrogates of no pair in it.
struct LoneSurrogates(String);

impl<'de> Deserialize<'de> for LoneSurrogates {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl Visitor<'_> for Text {
            type Value = LoneSurrogates;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Self::Value, E> {
                let mut text = String::with_capacity(bytes.len());
                for chunk in bytes.utf8_chunks() {
                    text.push_str(chunk.valid());
                    // A surrogate has three bytes here, each of which is a chunk: the first stands for all of them.
                    if chunk.invalid().first() == Some(&0xed) {
                        text.push(char::REPLACEMENT_CHARACTER);
                    }
                }
                Ok(LoneSurrogates(text))
            }
        }
        deserializer.deserialize_bytes(Text)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for RawObject<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = RawObject<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(RawObject { members })
            }
        }
        deserializer.deserialize_map(Members)
    }
}

/// A whole number that is not negative, from its JSON text; also with zeros after the point (`2.0`), as some programs write it and JSON
/// Schema has it.
pub fn whole_number(text: &str) -> Option<u64> {
    let whole = match text.split_once('.') {
        Some((whole, zeros)) if !zeros.is_empty() && zeros.bytes().all(|digit| digit == b'0') => whole,
        Some(_) => return None,
        None => text,
    };
    whole.parse().ok()
}

/// What kind of JSON value a text is, for messages.
pub fn kind(raw: &RawValue) -> &'static str {
    match raw.get().as_bytes().first() {
        Some(b'"') => "a string",
        Some(b'{') => "an object",
        Some(b'[') => "an array",
        Some(b't' | b'f') => "a boolean",
        Some(b'n') => "null",
        _ => "a number",
    }
}

/// Appends valid JSON text without the blanks between its tokens, so that it is one line. Every token stays byte for
/// byte as it is.
pub(crate) fn push_compact(json: &str, out: &mut String) {
    let bytes = json.as_bytes();
    let mut kept = 0;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => at = string_end(bytes, at),
            b' ' | b'\t' | b'\n' | b'\r' => {
                out.push_str(json.get(kept..at).unwrap_or_default());
                at += 1;
                kept = at;
            }
            _ => at += 1,
        }
    }
    out.push_str(json.get(kept..).unwrap_or_default());
}

/// The index after the string that starts at `at`.
pub fn string_end(bytes: &[u8], at: usize) -> usize {
    let mut at = at + 1;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// Appends a string as JSON.
pub fn push_string(text: &str, out: &mut String) {
    // Writing a string into memory cannot fail.
    out.push_str(&serde_json::to_string(text).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use super::{RawObject, push_compact};

    #[test]
    fn compacting_drops_only_the_blanks_between_tokens() {
        let cases = [
            ("{}", "{}"),
            ("{ \"a\" : 1.50 ,\r\n\t\"b\":[ 1e3, -0.0 ] }", "{\"a\":1.50,\"b\":[1e3,-0.0]}"),
            (r#"{"a b": "x  \" y\\"  , "é":" "}"#, r#"{"a b":"x  \" y\\","é":" "}"#),
            (" null ", "null"),
        ];
        for (json, expected) in cases {
            let mut out = String::new();
            push_compact(json, &mut out);
            assert_eq!(out, expected, "{json}");
        }
    }

    #[test]
    fn members_keep_their_text_and_the_last_duplicate_counts() {
        let object = RawObject::parse(r#"{"b":1.50,"a":"\u00e9","b":12345678901234567890123,"\ud800":0}"#).unwrap();
        let members: Vec<_> = object.members.iter().map(|(key, value)| (key.get(), value.get())).collect();
        assert_eq!(
            members,
            [("\"b\"", "1.50"), ("\"a\"", "\"\\u00e9\""), ("\"b\"", "12345678901234567890123"), ("\"\\ud800\"", "0")]
        );
        assert_eq!(object.get("b").unwrap().get(), "12345678901234567890123");
        assert!(object.get("c").is_none());
    }

    #[test]
    fn half_a_pair_of_surrogates_is_a_replacement_character() {
        let cases = [
            (r#""plain""#, Some("plain")),
            (r#""a\ud83d""#, Some("a\u{fffd}")),
            (r#""\ude00b\n""#, Some("\u{fffd}b\n")),
            (r#""\ud800\ud800 \ud83d\ude00 \u00ed""#, Some("\u{fffd}\u{fffd} 😀 í")),
            ("5", None),
            ("[1]", None),
            ("null", None),
        ];
        for (json, expected) in cases {
            let raw: &serde_json::value::RawValue = serde_json::from_str(json).unwrap();
            assert_eq!(super::text(raw).as_deref(), expected, "{json}");
        }
    }

    #[test]
    fn what_is_no_object_is_an_error() {
        for text in ["", "[]", "1", "null", "{} {}", "{", "{\"a\":}", "'a'"] {
            assert!(RawObject::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn deep_nesting_does_not_recurse() {
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(200_000), "]".repeat(200_000));
        assert_eq!(RawObject::parse(&deep).unwrap().members.len(), 1);
    }
}
