//! The fields that Claude Code's outputs may have, for each event, and whether they are what they must be.

use serde_json::value::RawValue;

use super::{ACTION, TERMINAL_SEQUENCE, UPDATED_MCP, WATCH_PATHS, WORKTREE_PATH, ignored};
use crate::dialect::Dialect;
use crate::envelope::{BadEnvelope, Envelope};
use crate::event_kind::EventKind;
use crate::json::{self, JsonText, RawObject};
use crate::tool_input::Patch;

/// What a field of `hookSpecificOutput` must be.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Text,
    Switch,
    Texts,
    Object,
    Any,
    Words(&'static [&'static str], &'static str),
    Answer,
}

const CONTEXT: (&str, Kind) = ("additionalContext", Kind::Text);

const PERMISSION: Kind =
    Kind::Words(&["allow", "deny", "ask", "defer"], "\"allow\", \"deny\", \"ask\" or \"defer\", in lower case");

const ACTIONS: Kind = Kind::Words(&["accept", "decline", "cancel"], "\"accept\", \"decline\" or \"cancel\"");

const WATCH: (&str, Kind) = (WATCH_PATHS, Kind::Texts);

const TITLE: (&str, Kind) = ("sessionTitle", Kind::Text);

/// The fields of `hookSpecificOutput` by its `hookEventName`. An event that is not here has no such object.
pub(super) const OWN: &[(EventKind, &[(&str, Kind)])] = &[
    (
        EventKind::PreToolUse,
        &[
            ("permissionDecision", PERMISSION),
            ("permissionDecisionReason", Kind::Text),
            ("updatedInput", Kind::Object),
            CONTEXT,
        ],
    ),
    (EventKind::UserPromptSubmit, &[CONTEXT, TITLE, ("suppressOriginalPrompt", Kind::Switch)]),
    (EventKind::UserPromptExpansion, &[CONTEXT]),
    (
        EventKind::SessionStart,
        &[CONTEXT, ("initialUserMessage", Kind::Text), TITLE, WATCH, ("reloadSkills", Kind::Switch)],
    ),
    (EventKind::Setup, &[CONTEXT]),
    (EventKind::SubagentStart, &[CONTEXT]),
    (EventKind::PostToolUse, &[CONTEXT, ("updatedToolOutput", Kind::Any), (UPDATED_MCP, Kind::Any)]),
    (EventKind::PostToolUseFailure, &[CONTEXT]),
    (EventKind::PostToolBatch, &[CONTEXT]),
    (EventKind::Stop, &[CONTEXT]),
    (EventKind::SubagentStop, &[CONTEXT]),
    (EventKind::PermissionDenied, &[("retry", Kind::Switch)]),
    (EventKind::Notification, &[CONTEXT]),
    (EventKind::PermissionRequest, &[("decision", Kind::Answer)]),
    (EventKind::Elicitation, &[(ACTION, ACTIONS), ("content", Kind::Object)]),
    (EventKind::ElicitationResult, &[(ACTION, ACTIONS), ("content", Kind::Object)]),
    (EventKind::CwdChanged, &[WATCH]),
    (EventKind::FileChanged, &[WATCH]),
    (EventKind::WorktreeCreate, &[(WORKTREE_PATH, Kind::Text)]),
    (EventKind::MessageDisplay, &[(super::super::DISPLAY_CONTENT, Kind::Text)]),
];

/// The fields that must be there.
const REQUIRED: [&str; 2] = ["decision", WORKTREE_PATH];

/// The fields at the top.
pub(super) const TOP: &[(&str, Kind)] = &[
    ("continue", Kind::Switch),
    ("suppressOutput", Kind::Switch),
    ("stopReason", Kind::Text),
    ("decision", Kind::Words(&["approve", "block"], "\"approve\" or \"block\", in lower case")),
    ("reason", Kind::Text),
    ("systemMessage", Kind::Text),
    (TERMINAL_SEQUENCE, Kind::Text),
];

/// The fields of an object that has been checked.
pub(super) struct Known<'o, 'a>(pub(super) &'o RawObject<'a>);

impl<'a> Known<'_, 'a> {
    pub(super) fn text(&self, field: &str) -> Option<String> {
        self.0.get(field).and_then(json::text).filter(|text| !text.is_empty())
    }

    pub(super) fn is(&self, field: &str, value: &str) -> bool {
        self.0.get(field).is_some_and(|found| found.get() == value)
    }

    pub(super) fn object(&self, field: &str) -> Option<RawObject<'a>> {
        RawObject::parse(self.0.get(field)?.get()).ok()
    }

    pub(super) fn json(&self, field: &str) -> Option<JsonText> {
        JsonText::parse(self.0.get(field)?.get()).ok()
    }

    pub(super) fn patch(&self, field: &str) -> Option<Patch> {
        self.object(field).map(|object| Patch::new(&object).replacing())
    }
}

/// The object of an event's own, checked: whose it is, and its fields.
pub(super) fn own_of(value: &RawValue) -> Result<(EventKind, RawObject<'_>), BadEnvelope> {
    let Ok(own) = RawObject::parse(value.get()) else {
        return Err(wrong("", "hookSpecificOutput", "an object", value));
    };
    const PATH: &str = "hookSpecificOutput.";
    const NAME: &str = "hookEventName";
    let expected = "the event's name, exactly as Claude Code writes it";
    let Some(name) = own.get(NAME) else {
        return Err(BadEnvelope::Field { field: format!("{PATH}{NAME}"), expected, found: "nothing".to_owned() });
    };
    let text = json::text(name);
    let found = OWN.iter().find(|(event, _)| text.as_deref() == Some(Dialect::Claude.event_name(*event)));
    let Some((event, fields)) = found else {
        return Err(wrong(PATH, NAME, expected, name));
    };
    check(&own, fields, PATH)?;
    Ok((*event, own))
}

/// Are all fields that are there what they must be? (`null` is not.)
pub(super) fn check(object: &RawObject<'_>, fields: &[(&str, Kind)], path: &'static str) -> Result<(), BadEnvelope> {
    for (field, kind) in fields {
        let Some(value) = object.get(field) else {
            if !path.is_empty() && REQUIRED.contains(field) {
                let field = format!("{path}{field}");
                return Err(BadEnvelope::Field { field, expected: "there", found: "nothing".to_owned() });
            }
            continue;
        };
        let (fits, expected) = match kind {
            Kind::Text => (json::text(value).is_some(), "a string"),
            Kind::Switch => (matches!(value.get(), "true" | "false"), "true or false"),
            Kind::Texts => (serde_json::from_str::<Vec<String>>(value.get()).is_ok(), "a list of strings"),
            Kind::Object => (RawObject::parse(value.get()).is_ok(), "an object"),
            Kind::Any => (true, ""),
            Kind::Words(words, expected) => {
                (json::text(value).is_some_and(|text| words.contains(&text.as_str())), *expected)
            }
            Kind::Answer => (is_answer(value), "{\"behavior\": \"allow\"} or {\"behavior\": \"deny\"} with its fields"),
        };
        if !fits {
            return Err(wrong(path, field, expected, value));
        }
    }
    Ok(())
}

/// An answer to PermissionRequest.
fn is_answer(value: &RawValue) -> bool {
    let Ok(answer) = RawObject::parse(value.get()) else { return false };
    let fields: &[(&str, Kind)] = match answer.get("behavior").and_then(json::text).as_deref() {
        Some("allow") => &[("updatedInput", Kind::Object)],
        Some("deny") => &[("message", Kind::Text), ("interrupt", Kind::Switch)],
        _ => return false,
    };
    let is_list = |value: &RawValue| value.get().starts_with('[');
    check(&answer, fields, "").is_ok() && answer.get("updatedPermissions").is_none_or(is_list)
}

fn wrong(path: &str, field: &str, expected: &'static str, value: &RawValue) -> BadEnvelope {
    const SHOWN: usize = 60;
    let found = match json::text(value) {
        Some(text) => format!("\"{}\"", text.chars().take(SHOWN).collect::<String>()),
        None => json::kind(value).to_owned(),
    };
    BadEnvelope::Field { field: format!("{path}{field}"), expected, found }
}

/// Says which keys are no fields.
pub(super) fn unknown(object: &RawObject<'_>, own: Option<&(EventKind, RawObject<'_>)>, envelope: &mut Envelope) {
    let of_top = object.members.iter().map(|(key, _)| json::decode(key)).filter(|key| {
        !matches!(key.as_str(), "hookSpecificOutput" | "metrics") && !TOP.iter().any(|(field, _)| field == key)
    });
    let mut found: Vec<String> = of_top.map(|key| format!("`{key}`")).collect();
    if let Some((event, own)) = own {
        let fields = OWN.iter().find(|(name, _)| name == event).map(|(_, fields)| *fields).unwrap_or_default();
        let keys = own.members.iter().map(|(key, _)| json::decode(key));
        let keys = keys.filter(|key| key != "hookEventName" && !fields.iter().any(|(field, _)| field == key));
        found.extend(keys.map(|key| format!("`hookSpecificOutput.{key}`")));
    }
    // A message stays short.
    const MOST: usize = 4;
    found.truncate(MOST);
    if !found.is_empty() {
        let are = if found.len() == 1 { "is no field" } else { "are no fields" };
        ignored(envelope, &format!("{} {are} of it", found.join(", ")));
    }
}
