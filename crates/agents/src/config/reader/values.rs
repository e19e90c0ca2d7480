//! The values of keys: each is read, or what is wrong with it is reported.

use std::time::Duration;

use hookshell_shell::{MissingShell, ShellScripts};
use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Ranged;

use super::Reader;
use crate::condition::Condition;
use crate::config::budget::PATTERN_BYTES;
use crate::config::{ConfigError, OnFailure, Origin, WarningKind};
use crate::event_kind::EventKind;
use crate::matcher::{Matcher, MatcherError};

/// The longest timeout: a week. A larger number is no number of seconds that somebody means.
const LONGEST_TIMEOUT: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// How many bytes a compiled matcher of a project's may take.
const PROJECT_MATCHER_SIZE: usize = 1024 * 1024;

impl Reader<'_, '_> {
    /// Is a project's matcher or condition short enough to be looked at?
    fn is_short(&mut self, value: &Value<'_>, key: &str, pattern: &str) -> bool {
        let is_short = !self.is_of_project() || pattern.len() <= PATTERN_BYTES;
        if !is_short {
            let found = format!("{} bytes", pattern.len());
            self.bad_value(value, key.to_owned(), "at most 1024 bytes long in a project's file", found);
        }
        is_short
    }

    /// A project's file does not say so for the user's hooks.
    pub(super) fn fail_closed(&mut self, value: &Value<'_>, key: &str) {
        let is_closed = self.boolean(value, key.to_owned()).unwrap_or_default();
        self.config.fail_closed |= is_closed && self.config.origin != Origin::Project;
    }

    pub(crate) fn boolean(&mut self, value: &Value<'_>, key: String) -> Option<bool> {
        match value {
            Value::BooleanLit(value) => Some(value.value),
            _ => {
                self.wrong_type(value, key, "true or false");
                None
            }
        }
    }

    /// A string that the system can be given: without a NUL.
    pub(crate) fn text(&mut self, value: &Value<'_>, key: String) -> Option<String> {
        let text = self.string(value, key.clone())?;
        if text.contains('\0') {
            self.bad_value(value, key, "a text without a NUL", "a NUL in it".to_owned());
            return None;
        }
        Some(text)
    }

    pub(crate) fn arguments(&mut self, value: &Value<'_>, key: &str) -> Option<Vec<String>> {
        let Value::Array(list) = value else {
            self.wrong_type(value, key.to_owned(), "an array of strings");
            return None;
        };
        let mut words = Vec::with_capacity(list.elements.len());
        for (index, element) in list.elements.iter().enumerate() {
            words.extend(self.text(element, format!("{key}[{index}]")));
        }
        Some(words)
    }

    pub(crate) fn variables(&mut self, value: &Value<'_>, key: &str) -> Option<Vec<(String, String)>> {
        let object = self.object(value, key)?;
        self.duplicates(object, key);
        let mut variables = Vec::with_capacity(object.properties.len());
        for prop in &object.properties {
            let name = prop.name.as_str();
            let key = format!("{key}.{name}");
            if name.is_empty() || name.contains(['=', '\0']) {
                let found = format!("{name:?}");
                self.bad_value(value, key, "the name of a variable", found);
            } else if let Some(value) = self.text(&prop.value, key) {
                variables.push((name.to_owned(), value));
            }
        }
        Some(variables)
    }

    pub(super) fn condition(&mut self, value: &Value<'_>, key: String) -> Option<Condition> {
        let text = self.string(value, key.clone())?;
        if !self.is_short(value, &key, &text) || !self.may_spend(value.range(), |budget| budget.pattern(text.len(), 1))
        {
            self.is_lost = true;
            return None;
        }
        match self.agent.condition(&text, !self.is_own) {
            Ok(condition) => {
                if let Some(taken_for) = condition.as_ref().and_then(Condition::never) {
                    let agent = self.agent.name();
                    self.warn(value.range(), WarningKind::HoldsNever { agent, key, text, taken_for });
                }
                condition
            }
            Err(error) => {
                // Without it the hook would be for all calls.
                self.is_lost = true;
                self.bad_value(value, key, "a rule as `bash(git push *)`", format!("{text:?}: {error}"));
                None
            }
        }
    }

    pub(crate) fn command(&mut self, value: &Value<'_>, key: String) -> Option<String> {
        let command = self.string(value, key.clone())?;
        if command.trim().is_empty() {
            self.bad_value(value, key, "a shell command", "only blanks".to_owned());
            return None;
        }
        if command.contains('\0') {
            self.bad_value(value, key, "a shell command", "a NUL in it".to_owned());
            return None;
        }
        Some(command)
    }

    pub(crate) fn matcher(&mut self, value: &Value<'_>, key: String, event: EventKind) -> Option<Matcher> {
        let contract = self.agent;
        match self.is_own {
            true => self.matcher_by(value, key, event, |pattern| contract.own_matcher(pattern, event)),
            false => self.matcher_by(value, key, event, |pattern| contract.matcher(pattern, event)),
        }
    }

    /// The same, read by `read`.
    pub(crate) fn matcher_by(
        &mut self,
        value: &Value<'_>,
        key: String,
        event: EventKind,
        read: impl FnOnce(&str) -> Result<Matcher, MatcherError>,
    ) -> Option<Matcher> {
        let pattern = self.string(value, key.clone())?;
        if !self.is_short(value, &key, &pattern) {
            self.is_lost = true;
            return None;
        }
        let matcher = read(&pattern).and_then(|mut matcher| {
            // It is compiled where an event asks for it, a project's no larger than this.
            match self.is_of_project() {
                true => matcher.limit_size(PROJECT_MATCHER_SIZE),
                false if may_be_large(&pattern) => matcher.check_size()?,
                false => {}
            }
            Ok(matcher)
        });
        match matcher {
            Ok(matcher) => {
                if !self.may_spend(value.range(), |budget| budget.pattern(pattern.len(), matcher.cost())) {
                    self.is_lost = true;
                    return None;
                }
                if matcher.is_broken() {
                    let what =
                        format!("all but the plain names of the matcher {pattern:?}, which is no regular expression");
                    self.warn(value.range(), WarningKind::PassedOver { agent: self.agent.name(), what, meant: None });
                }
                let contract = self.agent;
                if let Some((taken_for, instead)) = contract.matches_nothing(&pattern, event).filter(|_| !self.is_own) {
                    let agent = self.agent.name();
                    self.warn(value.range(), WarningKind::MatchesNothing { agent, pattern, taken_for, instead });
                } else if let Some(odd) = contract.odd_matcher(&pattern, event, &matcher) {
                    self.warn(value.range(), odd);
                }
                Some(matcher)
            }
            Err(error) => {
                let message = match pattern.as_str() {
                    "*" => "to match every tool leave the matcher out, or write \".*\"".to_owned(),
                    // The last line of the report is the reason; those before it draw the pattern.
                    _ => last_line(&error.to_string()),
                };
                let is_rule = self.agent.own_matcher(&pattern, event).is_ok_and(|matcher| matcher.is_rules());
                let message = match is_rule {
                    true => format!("{message} (write `matcher` for the tool, and the rule as `if`)"),
                    false => message,
                };
                let place = self.document.place(value.range());
                self.errors.push(ConfigError::BadMatcher { place, key, message });
                None
            }
        }
    }

    /// A hook runs all the same where its `timeout` is a number that cannot be one: with the default for 0 and less, as in
    /// Crush, and at most for [`LONGEST_TIMEOUT`].
    pub(crate) fn timeout(&mut self, value: &Value<'_>, key: String, default: Duration) -> Duration {
        let contract = self.agent;
        let in_milliseconds = contract.timeout_in_milliseconds();
        let found = match value {
            Value::NumberLit(number) => number.value,
            Value::StringLit(text) if contract.strictness().timeout_as_text => text.value.trim(),
            _ => {
                self.wrong_type(
                    value,
                    key,
                    if in_milliseconds { "a number of milliseconds" } else { "a number of seconds" },
                );
                return default;
            }
        };
        let number = found.parse().ok().filter(|number: &f64| number.is_finite()).unwrap_or(0.0);
        let seconds = contract.seconds(number);
        if !in_milliseconds && seconds < number {
            let read = format!("{seconds} s: from 1000 on it takes numbers for milliseconds");
            let (agent, found) = (contract.name(), found.to_owned());
            self.warn(value.range(), WarningKind::ReadAs { agent, key: key.clone(), found, read });
        }
        let taken = match Duration::try_from_secs_f64(seconds) {
            // Another number than what stands there.
            Ok(timeout) if !in_milliseconds && seconds > number => timeout,
            Ok(timeout) if !timeout.is_zero() && timeout <= LONGEST_TIMEOUT => return timeout,
            _ if seconds > 1.0 => LONGEST_TIMEOUT,
            _ => default,
        };
        self.warn(value.range(), WarningKind::TimeoutNotTaken { key, found: found.to_owned(), taken });
        taken
    }

    pub(crate) fn on_failure(&mut self, value: &Value<'_>, key: String) -> Option<OnFailure> {
        match self.string(value, key.clone())?.as_str() {
            "ignore" => Some(OnFailure::Ignore),
            "deny" => Some(OnFailure::Deny),
            other => {
                self.bad_value(value, key, "\"ignore\" or \"deny\"", format!("\"{other}\""));
                None
            }
        }
    }

    pub(crate) fn missing_shell(&mut self, value: &Value<'_>, key: String) -> Option<MissingShell> {
        let text = self.string(value, key.clone())?;
        match text.parse() {
            Ok(missing_shell) => Some(missing_shell),
            Err(_) => {
                self.bad_value(value, key, "\"interpret\" or \"fail\"", format!("\"{text}\""));
                None
            }
        }
    }

    pub(crate) fn shell_scripts(&mut self, value: &Value<'_>, key: String) -> Option<ShellScripts> {
        let text = self.string(value, key.clone())?;
        match text.parse() {
            Ok(shell_scripts) => Some(shell_scripts),
            Err(_) => {
                self.bad_value(value, key, "\"installed\" or \"in-process\"", format!("\"{text}\""));
                None
            }
        }
    }

    pub(crate) fn string(&mut self, value: &Value<'_>, key: String) -> Option<String> {
        match value {
            Value::StringLit(text) => Some(text.value.clone().into_owned()),
            _ => {
                self.wrong_type(value, key, "a string");
                None
            }
        }
    }

    pub(crate) fn object<'v, 'a>(&mut self, value: &'v Value<'a>, key: &str) -> Option<&'v Object<'a>> {
        match value {
            Value::Object(object) => Some(object),
            _ => {
                self.wrong_type(value, key.to_owned(), "an object");
                None
            }
        }
    }
}

/// May it be too large to be compiled? Only what is counted, or long, becomes so large.
fn may_be_large(pattern: &str) -> bool {
    const LONG: usize = 256;
    pattern.contains('{') || pattern.len() > LONG
}

fn last_line(text: &str) -> String {
    let line = text.lines().last().unwrap_or_default();
    line.strip_prefix("error: ").unwrap_or(line).to_owned()
}
