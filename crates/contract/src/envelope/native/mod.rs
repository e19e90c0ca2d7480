//! Reading an envelope by our own contract: the native form and Claude Code's, also both in one object.
//!
//! Nothing that clearly denies is lost to what stands beside it. Of keys that stand twice, of the levels (the object itself,
//! and `hookSpecificOutput`) and of other agents' keys the strictest value counts; a value that denies in another spelling
//! denies; a text that is no object is searched for what denies. An allow counts only as the contract has it, and only where
//! nothing contradicts it. What was ambiguous is a warning.
//!
//! `updatedInput` is a shallow-merge patch here, as the native contract says, and not a full replacement; `defer` is `ask`.

mod near;
mod unknown;
mod values;

use serde_json::value::RawValue;

use self::values::{own_word, top_word};
use super::denial::{self, Key, Keys};
use super::error::excerpt;
use super::{BadEnvelope, Envelope, trimmed};
use crate::decision::Decision;
use crate::event_kind::EventKind;
use crate::json::{self, JsonText, RawObject};
use crate::opinion::Opinion;

/// How many warnings one output gets.
const WARNINGS: usize = 8;

/// Where Claude Code's own fields stand.
const OWN: &str = "hookSpecificOutput";
const PATH: &str = "hookSpecificOutput.";

/// What was read, and what denies or halts in it, for people: `` `decision` is "deny" ``.
type Read = (Envelope, Option<String>);

impl Envelope {
    /// Reads a hook's standard output by our own contract. Nothing but blanks says nothing. Else it is one JSON object, in
    /// the native form or in Claude Code's; a byte order mark is tolerated, unknown fields are ignored, a field that is null is
    /// absent. What clearly denies counts wherever it stands: the module `native` has the rules.
    ///
    /// A deny, a halt or an ask is never lost to another field that is wrong: its reason then names the wrong field.
    pub fn parse(stdout: &[u8], event: EventKind) -> Result<Self, BadEnvelope> {
        let text = std::str::from_utf8(trimmed(stdout)).map_err(BadEnvelope::NotUtf8)?;
        let (mut envelope, _) = read(text, event)?;
        envelope.keep_what_is_of(event);
        Ok(envelope)
    }

    /// What denies in a hook's standard output that was cut off at its limit.
    pub fn of_cut(stdout: &[u8], why: &dyn std::fmt::Display) -> Option<Self> {
        salvaged(&String::from_utf8_lossy(trimmed(stdout)), why).map(|(envelope, _)| envelope)
    }

    /// What denies or halts in a hook's standard output if it is read by our own contract, on an event of any kind:
    /// `` `decision` is "deny" ``.
    pub fn denial_in(stdout: &[u8], event: EventKind) -> Option<String> {
        let stdout = trimmed(stdout);
        if stdout.is_empty() {
            return None;
        }
        read(&String::from_utf8_lossy(stdout), event).ok()?.1
    }
}

/// Reads what was printed: blanks around it and a byte order mark are taken off. Nothing is dropped that the event has no use
/// for.
fn read(text: &str, event: EventKind) -> Result<Read, BadEnvelope> {
    if text.is_empty() {
        return Ok(Read::default());
    }
    match RawObject::parse(text) {
        Ok(object) => read_object(&object, event),
        Err(source) => {
            let error = BadEnvelope::of_text(text, source);
            salvaged(text, &error).ok_or(error)
        }
    }
}

/// What denies in a text that is no envelope: `why` says what is wrong with it.
fn salvaged(text: &str, why: &dyn std::fmt::Display) -> Option<Read> {
    let denial = denial::in_text(text, Keys::Envelope).or_else(|| denial::of_lines(text))?;
    let said = denial::text_of(text, &["permissionDecisionReason", "stopReason", "reason"]);
    let said = said.map(|said| said + "\n").unwrap_or_default();
    let opinion = Opinion {
        decision: (!denial.halts).then_some(Decision::Deny),
        halt: denial.halts,
        reason: Some(format!("{said}(the hook's output is malformed, and {}: {why})", denial.said)),
        ..Opinion::default()
    };
    let warnings =
        vec![format!("the output is malformed: it counts as a {} since {}", name(denial.halts), denial.said)];
    let envelope = Envelope { warnings, ..opinion.into() };
    Some((envelope, Some(denial.said)))
}

fn name(halts: bool) -> &'static str {
    if halts { "halt" } else { "deny" }
}

/// What one level says.
#[derive(Default)]
struct Level {
    decision: Option<Decision>,
    /// The decision's key stands here without a decision: null, or an empty string.
    is_open: bool,
    /// How often the decision's key stands here.
    times: usize,
    reason: Option<String>,
}

impl Level {
    fn decide(&mut self, decision: Decision) {
        self.decision = self.decision.max(Some(decision));
    }
}

struct Reader<'a> {
    event: EventKind,
    envelope: Envelope,
    denied_by: Option<String>,
    error: Option<BadEnvelope>,
    top: Level,
    own: Level,
    stop_reason: Option<String>,
    /// The known keys that were there, with their first values.
    seen: Vec<(&'static str, &'a RawValue)>,
}

fn read_object(object: &RawObject<'_>, event: EventKind) -> Result<Read, BadEnvelope> {
    let mut reader = Reader {
        event,
        envelope: Envelope::default(),
        denied_by: None,
        error: None,
        top: Level::default(),
        own: Level::default(),
        stop_reason: None,
        seen: Vec::new(),
    };
    for &(key, value) in &object.members {
        reader.member(&json::string(key.get()), value);
    }
    reader.finish()
}

impl<'a> Reader<'a> {
    fn fail(&mut self, error: BadEnvelope) {
        self.error.get_or_insert(error);
    }

    fn warn(&mut self, warning: impl FnOnce() -> String) {
        if self.envelope.warnings.len() < WARNINGS {
            let warning = warning();
            if !self.envelope.warnings.contains(&warning) {
                self.envelope.warnings.push(warning);
            }
        }
    }

    fn wrong(&mut self, field: &str, expected: &'static str, value: &RawValue) {
        let is_word = expected.starts_with('"') && value.get().starts_with('"');
        let found = match is_word {
            true => format!("\"{}\"", excerpt(&json::string(value.get()))),
            false => json::kind(value).to_owned(),
        };
        let expected = if expected.starts_with('"') && !is_word { "a string" } else { expected };
        self.fail(BadEnvelope::Field { field: field.to_owned(), expected, found });
    }

    /// Takes down that something denies.
    fn denied_by(&mut self, said: impl FnOnce() -> String) {
        self.denied_by.get_or_insert_with(said);
    }

    fn level(&mut self, path: &str) -> &mut Level {
        if path.is_empty() { &mut self.top } else { &mut self.own }
    }

    /// One more value of a known key. Is it another than the first one?
    fn is_second(&mut self, key: &'static str, value: &'a RawValue) -> bool {
        match self.seen.iter().find(|(other, _)| *other == key) {
            Some((_, first)) => first.get() != value.get(),
            None => {
                self.seen.push((key, value));
                false
            }
        }
    }

    /// A key whose first value counts, or whose values are joined.
    fn twice(&mut self, key: &'static str, value: &'a RawValue, what: &str) {
        if self.is_second(key, value) {
            self.warn(|| format!("`{key}` stands more than once: {what}"));
        }
    }

    /// A key that says what is to be used instead of what the agent has: there is no telling which is meant.
    fn update(&mut self, key: &'static str, value: &'a RawValue) {
        if self.is_second(key, value) {
            self.fail(BadEnvelope::Twice { field: key.to_owned() });
        }
    }

    fn member(&mut self, key: &str, value: &'a RawValue) {
        let is_null = value.get() == "null";
        match key {
            "decision" => self.decision("", "decision", value, top_word, "\"allow\", \"ask\", \"deny\" or null"),
            "reason" => {
                self.twice("reason", value, "the first counts");
                let reason = self.string("", key, value);
                self.top.reason = self.top.reason.take().or(reason);
            }
            "halt" => self.switch("halt", Key::Halt, value),
            "continue" => self.switch("continue", Key::Continue, value),
            OWN if is_null => {}
            OWN => self.own_object(value),
            // Known, and nothing to us or to this event.
            "systemMessage" | "suppressOutput" => {}
            "version" | "stopReason" | "context" | "context_files" | "updated_input" | "updated_prompt"
            | "updated_result"
                if is_null => {}
            // Unknown higher versions are read as this one.
            "version" => {
                if json::kind(value) != "a number" {
                    self.wrong(key, "a number", value);
                }
            }
            "stopReason" => {
                let reason = self.string("", key, value);
                self.stop_reason = self.stop_reason.take().or(reason);
            }
            "context" => {
                self.twice("context", value, "all of them count");
                let context = self.strings(key, value);
                self.envelope.opinion.context.extend(context);
            }
            "context_files" => {
                self.twice("context_files", value, "all of them count");
                let files = self.strings(key, value);
                self.envelope.named_files.extend(files);
            }
            "updated_input" if self.event == EventKind::PreToolUse => self.patch("", "updated_input", value),
            "updated_prompt" if self.event == EventKind::UserPromptSubmit => {
                self.update("updated_prompt", value);
                // It is used as it is, not shown: half of a pair of surrogates is wrong.
                match serde_json::from_str(value.get()) {
                    Ok(prompt) => self.envelope.opinion.updated_prompt = Some(prompt),
                    Err(_) => self.wrong(key, "a string of Unicode characters", value),
                }
            }
            "updated_result" if has_result(self.event) => {
                self.update("updated_result", value);
                self.envelope.opinion.updated_result = JsonText::parse(value.get()).ok();
            }
            "updated_input" | "updated_prompt" | "updated_result" => {}
            _ => self.unknown("", key, value),
        }
    }

    /// `hookSpecificOutput`.
    fn own_object(&mut self, value: &'a RawValue) {
        self.twice(OWN, value, "the strictest value of all counts");
        let Ok(object) = RawObject::parse(value.get()) else {
            self.hidden(OWN, value);
            self.wrong(OWN, "an object", value);
            return;
        };
        for &(key, value) in &object.members {
            match &*json::string(key.get()) {
                "hookEventName" => self.event_name(value),
                "permissionDecision" => {
                    let expected = "\"allow\", \"deny\", \"ask\" or \"defer\"";
                    self.decision(PATH, "permissionDecision", value, own_word, expected);
                }
                "permissionDecisionReason" => {
                    self.twice("permissionDecisionReason", value, "the first counts");
                    let reason = self.string(PATH, "permissionDecisionReason", value);
                    self.own.reason = self.own.reason.take().or(reason);
                }
                "additionalContext" => {
                    let context = self.string(PATH, "additionalContext", value);
                    self.envelope.opinion.context.extend(context);
                }
                "updatedInput" if self.event == EventKind::PreToolUse => self.patch(PATH, "updatedInput", value),
                "updatedInput" => {}
                key => self.unknown(PATH, key, value),
            }
        }
    }

    fn event_name(&mut self, value: &RawValue) {
        let Some(found) = self.string(PATH, "hookEventName", value) else { return };
        if found.parse() != Ok(self.event) {
            let event = self.event;
            self.fail(BadEnvelope::OtherEvent { found, event });
        }
    }

    fn finish(mut self) -> Result<Read, BadEnvelope> {
        for level in [&mut self.top, &mut self.own] {
            if level.times > 1 && level.is_open && level.decision == Some(Decision::Allow) {
                // Null is no opinion, which is stricter than an allow.
                level.decision = None;
            }
        }
        let (top, own) = (&self.top, &self.own);
        let decision = top.decision.max(own.decision);
        if let (Some(of_top), Some(of_own)) = (top.decision, own.decision)
            && of_top != of_own
        {
            let warning = format!(
                "the object says {of_top} and its `hookSpecificOutput` says {of_own}: the strictest value counts"
            );
            self.warn(|| warning);
        }
        let mut envelope = self.envelope;
        let halts = envelope.opinion.halt;
        let stop_reason = self.stop_reason.filter(|_| halts);
        // The reasons of what decided, or else of what decided nothing; never those of an allow for a deny.
        let levels = [self.own, self.top];
        let of = |wanted: Option<Decision>| -> Vec<String> {
            let levels = levels.iter().filter(|level| level.decision == wanted);
            levels.filter_map(|level| level.reason.clone()).filter(|reason| !reason.is_empty()).collect()
        };
        let mut reasons: Vec<String> = stop_reason.filter(|reason| !reason.is_empty()).into_iter().collect();
        let decided = if decision.is_some() { of(decision) } else { Vec::new() };
        let fallback = if reasons.is_empty() && decided.is_empty() { of(None) } else { Vec::new() };
        for reason in decided.into_iter().chain(fallback) {
            if !reasons.contains(&reason) {
                reasons.push(reason);
            }
        }
        envelope.opinion.reason = (!reasons.is_empty()).then(|| reasons.join("\n"));
        envelope.opinion.decision = decision;
        let error = self.error;
        // What was to be asked of the user still is, whatever else is wrong.
        let envelope = match (error, decision) {
            (Some(error), Some(Decision::Ask)) if !halts => envelope.without_updates().blocking(&error),
            (error, _) => envelope.checked(error)?,
        };
        Ok((envelope, self.denied_by))
    }
}

fn has_result(event: EventKind) -> bool {
    matches!(event, EventKind::PostToolUse | EventKind::PostToolUseFailure)
}

#[cfg(test)]
mod tests;
