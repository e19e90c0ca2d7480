//! Keys that the contract does not know: another agent's, misspelled ones, and what denies in any of them.

use serde_json::value::RawValue;

use super::Reader;
use super::near::{Near, near};
use super::values::{Stance, stance, top_word};
use crate::decision::Decision;
use crate::envelope::BadEnvelope;
use crate::envelope::denial::{self, Key, fold, in_json};
use crate::envelope::error::excerpt;
use crate::json::{self, RawObject};

impl<'a> Reader<'a> {
    /// A key that is none of the contract's. Most say nothing to us. What denies in it counts, and one that was meant to be
    /// one that decides is a failure: what it was to say is not known.
    pub(super) fn unknown(&mut self, path: &'static str, key: &str, value: &'a RawValue) {
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
    pub(super) fn hidden(&mut self, field: &str, value: &RawValue) -> bool {
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
}
