//! The values of known keys, in whatever type they stand there.

use serde_json::value::RawValue;

use super::Reader;
use crate::decision::Decision;
use crate::envelope::BadEnvelope;
use crate::envelope::denial::{self, Key, in_json};
use crate::envelope::error::excerpt;
use crate::json::{self, RawObject};
use crate::tool_input::Patch;

/// What a value says of a decision.
pub(super) enum Stance {
    Nothing,
    Says(Decision),
    Wrong,
}

impl<'a> Reader<'a> {
    pub(super) fn string(&mut self, path: &str, key: &str, value: &RawValue) -> Option<String> {
        if value.get() == "null" {
            return None;
        }
        let text = json::text(value);
        if text.is_none() {
            self.wrong(&format!("{path}{key}"), "a string", value);
        }
        text
    }

    /// A string, or an array of strings.
    pub(super) fn strings(&mut self, key: &str, value: &RawValue) -> Vec<String> {
        let read: Option<Vec<String>> = match value.get().as_bytes().first() {
            Some(b'[') => {
                let entries: Vec<&RawValue> = serde_json::from_str(value.get()).unwrap_or_default();
                entries.into_iter().map(json::text).collect()
            }
            _ => json::text(value).map(|text| vec![text]),
        };
        read.unwrap_or_else(|| {
            let found = match json::kind(value) {
                "an array" => "an array with something else in it",
                kind => kind,
            };
            self.fail(BadEnvelope::Field {
                field: key.to_owned(),
                expected: "a string or an array of strings",
                found: found.to_owned(),
            });
            Vec::new()
        })
    }

    pub(super) fn patch(&mut self, path: &str, key: &'static str, value: &'a RawValue) {
        if value.get() == "null" {
            return;
        }
        self.update(key, value);
        // Crush takes a string that holds the object, too.
        let inner = json::text(value);
        match RawObject::parse(inner.as_deref().unwrap_or(value.get())) {
            Ok(object) => self.envelope.opinion.updated_input = Some(Patch::new(&object)),
            Err(_) => self.wrong(&format!("{path}{key}"), "an object", value),
        }
    }

    /// The decision of a level.
    pub(super) fn decision(
        &mut self,
        path: &'static str,
        key: &'static str,
        value: &'a RawValue,
        known: fn(&str) -> Option<Decision>,
        expected: &'static str,
    ) {
        let is_second = self.is_second(key, value);
        if is_second {
            self.warn(|| format!("`{path}{key}` stands more than once: the strictest value counts"));
        }
        let level = self.level(path);
        level.times += 1;
        match stance(value, known) {
            Stance::Nothing => level.is_open = true,
            Stance::Says(decision) => {
                level.decide(decision);
                if decision == Decision::Deny {
                    self.denied_by(|| format!("`{path}{key}` is {}", excerpt(value.get())));
                    if !value.get().starts_with('"') {
                        self.warn(|| format!("`{path}{key}` is {}: it counts as a deny", excerpt(value.get())));
                    }
                }
            }
            Stance::Wrong => self.wrong(&format!("{path}{key}"), expected, value),
        }
    }

    /// `halt` and `continue`.
    pub(super) fn switch(&mut self, key: &'static str, kind: Key, value: &'a RawValue) {
        self.twice(key, value, "the strictest value counts");
        let text = json::string(value.get());
        let quoted = value.get().starts_with('"');
        // "yes" and "no" are no booleans in another spelling.
        let is_clear = !quoted || ["true", "false", "1", "0"].iter().any(|word| text.trim().eq_ignore_ascii_case(word));
        if value.get() == "null" {
        } else if is_clear && kind.is_denied_by(&text, quoted) {
            self.envelope.opinion.halt = true;
            self.denied_by(|| format!("`{key}` is {}", excerpt(value.get())));
            if !matches!(value.get(), "true" | "false") {
                self.warn(|| format!("`{key}` must be true or false: {} counts as a halt", excerpt(value.get())));
            }
        } else if !matches!(value.get(), "true" | "false") {
            self.wrong(key, "true or false", value);
        }
    }
}

pub(super) fn top_word(word: &str) -> Option<Decision> {
    match word {
        "allow" | "approve" => Some(Decision::Allow),
        word => own_word(word),
    }
}

pub(super) fn own_word(word: &str) -> Option<Decision> {
    match word {
        "allow" => Some(Decision::Allow),
        "ask" | "defer" => Some(Decision::Ask),
        _ => None,
    }
}

/// What a value says, whatever its type.
pub(super) fn stance(value: &RawValue, known: impl Fn(&str) -> Option<Decision>) -> Stance {
    let text = json::string(value.get());
    match value.get().as_bytes().first() {
        Some(b'n') => Stance::Nothing,
        Some(b'"') if text.is_empty() => Stance::Nothing,
        Some(b'"') => match known(&text.trim().to_ascii_lowercase()) {
            Some(decision) => Stance::Says(decision),
            None if denial::is_deny(&text) => Stance::Says(Decision::Deny),
            None => Stance::Wrong,
        },
        Some(b'{') if in_json(value.get()).is_some_and(|denial| !denial.halts) => Stance::Says(Decision::Deny),
        Some(b'[') => {
            let elements: Vec<&RawValue> = serde_json::from_str(value.get()).unwrap_or_default();
            let denies = |element: &&RawValue| denial::is_deny(&json::string(element.get()));
            match elements.iter().any(denies) || in_json(value.get()).is_some_and(|denial| !denial.halts) {
                true => Stance::Says(Decision::Deny),
                false => Stance::Wrong,
            }
        }
        Some(b'{') => Stance::Wrong,
        _ if Key::Word.is_denied_by(&text, false) => Stance::Says(Decision::Deny),
        _ => Stance::Wrong,
    }
}
