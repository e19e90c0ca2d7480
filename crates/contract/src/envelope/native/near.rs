//! Keys that are near to one that is known.

use serde_json::value::RawValue;

use super::values::{Stance, own_word, stance, top_word};
use super::{OWN, has_result};
use crate::decision::Decision;
use crate::envelope::denial::Key;
use crate::event_kind::EventKind;
use crate::json;
use crate::nearest::{self, distance};

/// What a key is near to.
pub(super) enum Near {
    Nothing,
    /// A key without which nothing is decided or changed.
    Harmless(&'static str),
    /// One that decides, or changes what the agent has.
    Decides(&'static str),
}

/// What a known key is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum About {
    Decision,
    Halt,
    Continue,
    Object,
    Update,
    /// With which another agent's hooks decide.
    Foreign,
    Other,
}

/// The fields of the object itself.
const TOP: &[(&str, About)] = &[
    ("decision", About::Decision),
    ("permissionDecision", About::Decision),
    ("halt", About::Halt),
    ("continue", About::Continue),
    (OWN, About::Object),
    ("updated_input", About::Update),
    ("updated_prompt", About::Update),
    ("updated_result", About::Update),
    ("permission", About::Foreign),
    ("behavior", About::Foreign),
    ("reason", About::Other),
    ("context", About::Other),
    ("context_files", About::Other),
    ("stopReason", About::Other),
];

/// The fields of `hookSpecificOutput`.
const OWN_FIELDS: &[(&str, About)] = &[
    ("permissionDecision", About::Decision),
    ("updatedInput", About::Update),
    ("permission", About::Foreign),
    ("behavior", About::Foreign),
    ("permissionDecisionReason", About::Other),
    ("additionalContext", About::Other),
    ("hookEventName", About::Other),
];

/// The known key that an unknown one was most likely meant to be. A key that is a word of its own (`revision`, `salt`) is
/// near one that decides only where its value is what such a key has.
pub(super) fn near(path: &str, folded: &str, event: EventKind, value: &RawValue) -> Near {
    const LONGEST: usize = 32;
    if folded.is_empty() || folded.len() > LONGEST || value.get() == "null" {
        return Near::Nothing;
    }
    let letters: Vec<char> = folded.chars().collect();
    let known = if path.is_empty() { TOP } else { OWN_FIELDS };
    let is_read = |name: &str| match name {
        "updated_input" | "updatedInput" => event == EventKind::PreToolUse,
        "updated_prompt" => event == EventKind::UserPromptSubmit,
        "updated_result" => has_result(event),
        _ => true,
    };
    let candidates = known.iter().filter(|(name, _)| is_read(name) && name.len().abs_diff(folded.len()) <= 8);
    let distances = candidates.map(|&(name, about)| (distance(&letters, &nearest::fold(name)), name, about));
    let Some((far, name, about)) = distances.min_by_key(|(far, _, _)| *far) else { return Near::Nothing };
    let text = json::string(value.get());
    let quoted = value.get().starts_with('"');
    let (most, says) = match about {
        About::Decision => (name.len().div_ceil(3), matches!(stance(value, top_word), Stance::Says(_))),
        About::Halt => (if folded.starts_with("halt") { 3 } else { 1 }, Key::Halt.is_denied_by(&text, quoted)),
        About::Continue => (2, Key::Continue.is_denied_by(&text, quoted)),
        About::Object => (name.len().div_ceil(3), value.get().starts_with('{')),
        About::Update => (2, true),
        // Its allow would not count either.
        About::Foreign => (2, matches!(stance(value, own_word), Stance::Says(Decision::Deny | Decision::Ask))),
        About::Other => (0, false),
    };
    // Nothing else is one letter away from these.
    let is_typo = far <= 1 && matches!(about, About::Decision | About::Object);
    let is_harmless = matches!(about, About::Decision | About::Foreign) && !event.can_block();
    if (far <= most && says || is_typo) && !is_harmless {
        return Near::Decides(name);
    }
    let most = if about == About::Other && name.len() >= 8 { 2 } else { 1 };
    if far <= most && about != About::Foreign { Near::Harmless(name) } else { Near::Nothing }
}
