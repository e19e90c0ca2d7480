//! What is said of a file: errors and warnings.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::common::{Range, Ranged};

use super::Reader;
use crate::config::budget::WARNINGS;
use crate::config::document::kind;
use crate::config::{ConfigError, Place, Warning, WarningKind};

impl Reader<'_, '_> {
    pub(crate) fn missing(&mut self, range: Range, key: String) {
        let place = self.document.place(range);
        self.errors.push(ConfigError::Missing { place, key });
    }

    pub(crate) fn wrong_type(&mut self, value: &Value<'_>, key: String, expected: &'static str) {
        self.errors.push(ConfigError::WrongType {
            place: self.document.place(value.range()),
            key,
            expected,
            found: kind(value),
        });
    }

    pub(crate) fn bad_value(&mut self, value: &Value<'_>, key: String, expected: &'static str, found: String) {
        self.errors.push(ConfigError::BadValue { place: self.document.place(value.range()), key, expected, found });
    }

    pub(crate) fn duplicates(&mut self, object: &Object<'_>, path: &str) {
        let mut seen: HashMap<&str, &ObjectProp<'_>> = HashMap::with_capacity(object.properties.len());
        for second in &object.properties {
            let name = second.name.as_str();
            match seen.entry(name) {
                Entry::Vacant(entry) => _ = entry.insert(second),
                Entry::Occupied(first) => self.duplicate(first.get(), second, format!("{path}.{name}")),
            }
        }
    }

    pub(super) fn duplicate(&mut self, first: &ObjectProp<'_>, second: &ObjectProp<'_>, key: String) {
        self.errors.push(ConfigError::Duplicate {
            place: self.document.place(second.name.range()),
            key,
            first_line: self.document.place(first.name.range()).line,
        });
    }

    /// Does nobody read another warning of the project's? It is counted then. To look for the nearest of the known words
    /// takes longer than to read the file.
    pub(crate) fn has_warned_enough(&mut self) -> bool {
        let is_enough = self.is_of_project() && self.config.warnings.len() >= WARNINGS;
        self.config.warnings_left_out += usize::from(is_enough);
        is_enough
    }

    pub(crate) fn warn(&mut self, range: Range, kind: WarningKind) {
        self.warn_at(self.document.place(range), kind);
    }

    pub(crate) fn warn_at(&mut self, place: Place, kind: WarningKind) {
        self.config.warnings.push(Warning { place, kind });
    }
}
