//! The fields of a JSON object that a hook printed.

use serde_json::value::RawValue;

use super::BadEnvelope;
use super::error::excerpt;
use crate::decision::Decision;
use crate::json;
use crate::json::{JsonText, RawObject};
use crate::tool_input::Patch;

/// The fields of an envelope, or of an object within it. Each getter gives `None` for what is absent, null or wrong; the
/// first wrong one is kept.
pub struct Fields<'o, 'a> {
    pub(super) object: &'o RawObject<'a>,
    /// What stands before a field's name in messages: `hookSpecificOutput.`
    pub(super) path: &'static str,
    pub(super) error: Option<BadEnvelope>,
}

impl<'o, 'a> Fields<'o, 'a> {
    pub(super) fn new(object: &'o RawObject<'a>, path: &'static str) -> Self {
        Self { object, path, error: None }
    }

    pub(super) fn get(&self, field: &str) -> Option<&'a RawValue> {
        self.object.get(field).filter(|value| value.get() != "null")
    }

    pub(super) fn wrong(&mut self, field: &str, expected: &'static str, found: String) {
        let field = format!("{}{field}", self.path);
        self.fail(BadEnvelope::Field { field, expected, found });
    }

    /// Keeps the first thing that is wrong.
    pub fn fail(&mut self, error: BadEnvelope) {
        self.error.get_or_insert(error);
    }

    /// A string; anything else is wrong.
    pub fn string(&mut self, field: &str) -> Option<String> {
        let value = self.get(field)?;
        let text = json::text(value);
        if text.is_none() {
            self.wrong(field, "a string", json::kind(value).to_owned());
        }
        text
    }

    /// True or false; anything else is wrong.
    pub fn boolean(&mut self, field: &str) -> Option<bool> {
        let value = self.get(field)?;
        match value.get() {
            "true" => Some(true),
            "false" => Some(false),
            _ => {
                self.wrong(field, "true or false", json::kind(value).to_owned());
                None
            }
        }
    }

    /// A string; anything else is none, and not wrong.
    pub fn text(&self, field: &str) -> Option<String> {
        json::text(self.get(field)?)
    }

    /// Is the value written exactly so?
    pub fn is_exactly(&self, field: &str, json: &str) -> bool {
        self.get(field).is_some_and(|value| value.get() == json)
    }

    /// Is it what JavaScript takes for true, and neither an object nor a list?
    pub fn is_truthy_scalar(&self, field: &str) -> bool {
        let Some(value) = self.get(field).map(RawValue::get) else { return false };
        !value.starts_with(['{', '[']) && !matches!(value, "false" | "\"\"") && value.parse::<f64>() != Ok(0.0)
    }

    /// Fails as one that must be an object.
    pub fn wrong_object(&mut self, field: &str) {
        if let Some(value) = self.get(field) {
            self.wrong(field, "an object", json::kind(value).to_owned());
        }
    }

    /// An object; anything else is none, and not wrong.
    pub fn object(&self, field: &str) -> Option<RawObject<'a>> {
        RawObject::parse(self.get(field)?.get()).ok()
    }

    /// Reads an object within this one; what is none is not wrong.
    pub fn within(&self, field: &'static str, read: impl FnOnce(&mut Fields<'_, '_>)) {
        if let Some(object) = self.object(field) {
            read(&mut Fields::new(&object, field));
        }
    }

    /// Any value.
    pub fn json(&mut self, field: &str) -> Option<JsonText> {
        JsonText::parse(self.get(field)?.get()).ok()
    }

    /// An object of members that change a tool's input; anything else is wrong.
    pub fn patch(&mut self, field: &str) -> Option<Patch> {
        let value = self.get(field)?;
        match RawObject::parse(value.get()) {
            Ok(object) => Some(Patch::new(&object)),
            Err(_) => {
                self.wrong(field, "an object", json::kind(value).to_owned());
                None
            }
        }
    }

    /// An object of strings, in its order.
    pub fn variables(&mut self, field: &str) -> Vec<(String, String)> {
        let Some(value) = self.get(field) else { return Vec::new() };
        let strings: Option<Vec<(String, String)>> = RawObject::parse(value.get()).ok().and_then(|object| {
            let members = object.members.iter();
            members.map(|(key, value)| Some((json::decode(key), serde_json::from_str(value.get()).ok()?))).collect()
        });
        let is_variable =
            |(name, value): &(String, String)| !name.is_empty() && !name.contains(['=', '\0']) && !value.contains('\0');
        match strings.filter(|strings| strings.iter().all(is_variable)) {
            Some(strings) => strings,
            None => {
                self.wrong(field, "an object of variables with strings", json::kind(value).to_owned());
                Vec::new()
            }
        }
    }

    /// A decision by its word, in any case. The empty string is no decision, as null is. A word that `known` does not
    /// know is wrong.
    pub fn decision(
        &mut self,
        field: &str,
        expected: &'static str,
        known: impl Fn(&str) -> Option<Decision>,
    ) -> Option<Decision> {
        let word = self.string(field).filter(|word| !word.is_empty())?;
        let decision = known(&word.to_ascii_lowercase());
        if decision.is_none() {
            self.wrong(field, expected, format!("\"{}\"", excerpt(&word)));
        }
        decision
    }

    /// One of these words, in this case and no other.
    pub fn word(&mut self, field: &str, expected: &'static str, known: &[&'static str]) -> Option<&'static str> {
        let word = self.string(field)?;
        let found = known.iter().copied().find(|known| *known == word);
        if found.is_none() {
            self.wrong(field, expected, format!("\"{}\"", excerpt(&word)));
        }
        found
    }

    /// Fails where one of these fields is null, which is not the same as absent.
    pub fn not_null(&mut self, fields: &[&str], expected: &'static str) {
        for field in fields {
            if self.object.get(field).is_some_and(|value| value.get() == "null") {
                self.wrong(field, expected, "null".to_owned());
            }
        }
    }

    /// Fails for a field that must be there.
    pub fn missing(&mut self, field: &str, expected: &'static str) {
        self.wrong(field, expected, "nothing".to_owned());
    }

    /// Fails where there is a field that is none of these.
    pub fn only(&mut self, known: &[&str]) {
        let unknown = self.object.members.iter().map(|(key, _)| json::decode(key)).find(|key| !known.contains(&&**key));
        if let Some(key) = unknown {
            let field = format!("{}{key}", self.path);
            self.fail(BadEnvelope::UnknownField { field });
        }
    }

    /// Is the field there at all?
    pub fn has(&self, field: &str) -> bool {
        self.get(field).is_some()
    }

    /// Reads an object within this one.
    pub fn nested(&mut self, field: &str, path: &'static str, read: impl FnOnce(&mut Fields<'_, '_>)) {
        let Some(value) = self.get(field) else { return };
        match RawObject::parse(value.get()) {
            Ok(object) => {
                let mut fields = Fields::new(&object, path);
                read(&mut fields);
                if let Some(error) = fields.error {
                    self.fail(error);
                }
            }
            Err(_) => self.wrong(field, "an object", json::kind(value).to_owned()),
        }
    }
}
