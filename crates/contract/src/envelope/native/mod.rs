//! Reading an envelope by our own contract: the native form and Claude Code's, also both in one object.
//!
//! Nothing that clearly denies is lost to what stands beside it. Of keys that stand twice, of the levels (the object itself,
//! and `hookSpecificOutput`) and of other agents' keys the strictest value counts; a value that denies in another spelling
//! denies; a text that is no object is searched for what denies. An allow counts only as the contract has it, and only where
//! nothing contradicts it. What was ambiguous is a warning.
//!
//! `updatedInput` is a shallow-merge patch here, as the native contract says, and not a full replacement; `defer` is `ask`.

mod near;

use serde_json::value::RawValue;

use self::near::{Near, near};
use super::denial::{self, Key, Keys, fold, in_json};
use super::error::excerpt;
use super::{BadEnvelope, Envelope};
use crate::decision::Decision;
use crate::event_kind::EventKind;
use crate::json::{self, JsonText, RawObject};
use crate::opinion::Opinion;
use crate::tool_input::Patch;

/// How many warnings one output gets.
const WARNINGS: usize = 8;

/// Where Claude Code's own fields stand.
const OWN: &str = "hookSpecificOutput";
const PATH: &str = "hookSpecificOutput.";

/// What was read, and what denies or halts in it, for people: `` `decision` is "deny" ``.
type Read = (Envelope, Option<String>);

/// Reads what was printed: blanks around it and a byte order mark are taken off. Nothing is dropped that the event has no use
/// for.
pub(super) fn read(text: &str, event: EventKind) -> Result<Read, BadEnvelope> {
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
pub(super) fn salvaged(text: &str, why: &dyn std::fmt::Display) -> Option<Read> {
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

/// What a value says of a decision.
enum Stance {
    Nothing,
    Says(Decision),
    Wrong,
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

fn top_word(word: &str) -> Option<Decision> {
    match word {
        "allow" | "approve" => Some(Decision::Allow),
        word => own_word(word),
    }
}

fn own_word(word: &str) -> Option<Decision> {
    match word {
        "allow" => Some(Decision::Allow),
        "ask" | "defer" => Some(Decision::Ask),
        _ => None,
    }
}

/// What a value says, whatever its type.
fn stance(value: &RawValue, known: impl Fn(&str) -> Option<Decision>) -> Stance {
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

    fn string(&mut self, path: &str, key: &str, value: &RawValue) -> Option<String> {
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
    fn strings(&mut self, key: &str, value: &RawValue) -> Vec<String> {
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

    fn patch(&mut self, path: &str, key: &'static str, value: &'a RawValue) {
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
    fn decision(
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
    fn switch(&mut self, key: &'static str, kind: Key, value: &'a RawValue) {
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

    /// A key that is none of the contract's. Most say nothing to us. What denies in it counts, and one that was meant to be
    /// one that decides is a failure: what it was to say is not known.
    fn unknown(&mut self, path: &'static str, key: &str, value: &'a RawValue) {
        let folded = fold(key);
        if self.foreign(path, key, &folded, value) {
            return;
        }
        let near = near(path, &folded, self.event, value);
        if !denial::is_data(&folded) && self.hidden(&format!("{path}{}", excerpt(key)), value) {
            return;
        }
        match near {
            Near::Nothing => {}
            Near::Harmless(known) => {
                self.warn(|| format!("`{path}{}` is no field of a hook's output: is it `{known}`?", excerpt(key)));
            }
            Near::Decides(known) => {
                let field = format!("{path}{}", excerpt(key));
                self.fail(BadEnvelope::NearField { field, known });
            }
        }
    }

    /// A deny in an object or array that has no place in the contract.
    fn hidden(&mut self, field: &str, value: &RawValue) -> bool {
        if !value.get().starts_with(['{', '[']) {
            return false;
        }
        let Some(denial) = in_json(value.get()) else { return false };
        if denial.halts {
            // The turn's end is more than the contract gives to a place that it does not know.
            let found = format!("{} in it", denial.said);
            self.fail(BadEnvelope::Field { field: field.to_owned(), expected: "nothing that ends the turn", found });
            return true;
        }
        self.top.decide(Decision::Deny);
        let reason = denial::text_of(value.get(), &["permissionDecisionReason", "reason", "message"]);
        self.top.reason = self.top.reason.take().or(reason);
        self.warn(|| {
            format!("{} within `{field}`, which is no field of a hook's output: it counts as a deny", denial.said)
        });
        self.denied_by(|| format!("{} within `{field}`", denial.said));
        true
    }

    /// A key with which another agent's hooks decide, or one of ours in another spelling: what is strict in it counts. An
    /// allow is not ours to give.
    fn foreign(&mut self, path: &'static str, key: &str, folded: &str, value: &'a RawValue) -> bool {
        // What another spelling of our own keys says harmlessly is for the search of near keys.
        let is_ours = match folded {
            "decision" => path.is_empty(),
            "permissiondecision" => !path.is_empty(),
            "halt" | "continue" => path.is_empty(),
            _ => false,
        };
        let Some(kind) = denial::strong(folded).or_else(|| denial::weak(folded)) else { return false };
        let text = json::string(value.get());
        let quoted = value.get().starts_with('"');
        let field = format!("{path}{}", excerpt(key));
        let decision = match kind {
            Key::Word => match stance(value, top_word) {
                Stance::Says(decision) => Some(decision),
                _ => None,
            },
            kind if kind.is_denied_by(&text, quoted) => Some(Decision::Deny),
            _ => None,
        };
        match decision {
            Some(Decision::Allow) if is_ours => return false,
            Some(Decision::Allow) => {
                self.warn(|| format!("`{field}` is no field of a hook's output: it allows nothing"))
            }
            Some(decision) => {
                let said = format!("`{field}` is {}", excerpt(value.get()));
                self.warn(|| format!("{said}: it is no field of a hook's output, and counts since it is strict"));
                match kind.halts() {
                    true => self.envelope.opinion.halt = true,
                    false => self.level(path).decide(decision),
                }
                if decision == Decision::Deny {
                    self.denied_by(|| said);
                    let object = RawObject::parse(value.get()).ok();
                    let message = object.and_then(|object| object.get("message").or_else(|| object.get("reason")));
                    let level = self.level(path);
                    level.reason = level.reason.take().or_else(|| message.and_then(json::text));
                }
            }
            // Near what is ours: whether it says anything is looked at there.
            None if is_ours => return false,
            None => {
                self.hidden(&field, value);
            }
        }
        true
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
