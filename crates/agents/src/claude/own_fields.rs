//! The fields of Claude Code's output that other agents have too: read, and printed for a verdict.

use serde_json::Value;

use super::{DISPLAY_CONTENT, can_block, is_told_the_model};
use crate::decision::Decision;
use crate::envelope::{BadEnvelope, Envelope, Fields};
use crate::event_kind::{EventKind, same};
use crate::render::{Fields as OutputFields, Rendered, context};
use crate::tool_input::Patch;
use crate::verdict::Verdict;

/// Reads the fields of Claude Code's output by its own rules.
pub(crate) fn read_own(
    fields: &mut Fields<'_, '_>,
    envelope: &mut Envelope,
    event: EventKind,
    dialect_event_name: &str,
) {
    if fields.boolean("continue") == Some(false) {
        envelope.opinion.halt = true;
    }
    let stop_reason = fields.string("stopReason");
    envelope.opinion.system_message = fields.string("systemMessage");
    let known = |word: &str| match word {
        "approve" | "allow" => Some(Decision::Allow),
        "ask" => Some(Decision::Ask),
        "defer" => Some(Decision::Defer),
        "block" | "deny" => Some(Decision::Deny),
        _ => None,
    };
    envelope.opinion.decision = fields.decision("decision", "\"approve\" or \"block\"", known);
    envelope.opinion.reason = fields.string("reason");
    fields.nested("hookSpecificOutput", "hookSpecificOutput.", |fields| {
        if let Some(name) = fields.string("hookEventName")
            && !same(&name, dialect_event_name)
        {
            fields.fail(BadEnvelope::OtherEvent { found: name, event });
        }
        envelope.opinion.context.extend(fields.string("additionalContext"));
        // A deny of either place holds.
        let decision = fields.decision("permissionDecision", "\"allow\", \"deny\", \"ask\" or \"defer\"", known);
        envelope.opinion.decision = envelope.opinion.decision.max(decision);
        if let Some(reason) = fields.string("permissionDecisionReason") {
            envelope.opinion.reason = Some(reason);
        }
        if event.takes_input() {
            envelope.opinion.updated_input = fields.patch("updatedInput").map(Patch::replacing);
        }
        if is_told_the_model(event) {
            envelope.opinion.updated_result =
                fields.json("updatedToolOutput").or_else(|| fields.json("updatedMCPToolOutput"));
        }
        if event == EventKind::PermissionRequest {
            fields.nested("decision", "hookSpecificOutput.decision.", |fields| {
                let behavior = fields.decision("behavior", "\"allow\" or \"deny\"", known);
                envelope.opinion.decision = envelope.opinion.decision.max(behavior);
                if let Some(message) = fields.string("message") {
                    envelope.opinion.reason = Some(message);
                }
                envelope.opinion.halt |= fields.boolean("interrupt").unwrap_or(false);
                if let Some(input) = fields.patch("updatedInput") {
                    envelope.opinion.updated_input = Some(input.replacing());
                }
            });
        }
        if event == EventKind::MessageDisplay {
            envelope
                .opinion
                .agent_output
                .extend(fields.json(DISPLAY_CONTENT).map(|content| (DISPLAY_CONTENT.into(), content)));
        }
        if matches!(event, EventKind::Elicitation | EventKind::ElicitationResult) {
            let action = fields.decision("action", "\"accept\", \"decline\" or \"cancel\"", |word| match word {
                "accept" => Some(Decision::Allow),
                "decline" | "cancel" => Some(Decision::Deny),
                _ => None,
            });
            envelope.opinion.decision = envelope.opinion.decision.max(action);
        }
    });
    if envelope.opinion.halt && stop_reason.is_some() {
        envelope.opinion.reason = stop_reason;
    }
    tell_the_model(envelope, event);
}

/// A block of what has happened already is what the model is told.
pub(crate) fn tell_the_model(envelope: &mut Envelope, event: EventKind) {
    if !event.can_block()
        && is_told_the_model(event)
        && envelope.opinion.decision == Some(Decision::Deny)
        && let Some(reason) = envelope.opinion.reason.take_if(|_| !envelope.opinion.halt)
    {
        envelope.opinion.context.push(reason);
    }
}

/// What of a verdict another agent that reads Claude Code's fields may have to be told otherwise.
#[derive(Clone, Copy)]
pub(crate) struct VerdictFields<'v> {
    pub(crate) decision: Option<Decision>,
    pub(crate) system_message: Option<&'v str>,
    pub(crate) updated_input: Option<&'v Patch>,
    /// Is it told that the turn ends?
    pub(crate) halts: bool,
    /// Does the event know `"decision": "block"`?
    pub(crate) knows_block: bool,
    /// Does the event know `additionalContext`?
    pub(crate) knows_context: bool,
}

impl<'v> VerdictFields<'v> {
    /// What the verdict has.
    pub(crate) fn of(verdict: &'v Verdict) -> Self {
        Self {
            decision: verdict.opinion.decision,
            system_message: verdict.opinion.system_message.as_deref(),
            updated_input: verdict.opinion.updated_input.as_ref(),
            halts: verdict.opinion.halt,
            knows_block: can_block(verdict.event) || is_told_the_model(verdict.event),
            knows_context: !matches!(
                verdict.event,
                EventKind::PermissionRequest
                    | EventKind::PermissionDenied
                    | EventKind::PreCompact
                    | EventKind::PostCompact
                    | EventKind::SessionEnd
                    | EventKind::PreModelSwitch
            ),
        }
    }
}

/// A verdict in Claude Code's fields.
pub(crate) fn render_own(verdict: &Verdict, dialect_event_name: &str) -> Rendered {
    render_said(verdict, dialect_event_name, VerdictFields::of(verdict))
}

/// The same, with `said` in the place of what the verdict has.
pub(crate) fn render_said(verdict: &Verdict, dialect_event_name: &str, said: VerdictFields<'_>) -> Rendered {
    let mut out = OutputFields::default();
    if said.halts {
        out.set("continue", false).text("stopReason", verdict.opinion.reason.as_deref());
    }
    out.text("systemMessage", said.system_message);
    let is_denied = said.decision == Some(Decision::Deny);
    let mut own = OutputFields::default();
    match verdict.event {
        EventKind::PreToolUse | EventKind::PreModelSwitch => {
            if let Some(decision) = said.decision {
                own.set("permissionDecision", decision.as_str());
                own.text("permissionDecisionReason", verdict.opinion.reason.as_deref());
            }
            own.input("updatedInput", said.updated_input);
        }
        EventKind::PermissionRequest => {
            let mut decision = OutputFields::default();
            match said.decision {
                Some(Decision::Allow) => decision.set("behavior", "allow").input("updatedInput", said.updated_input),
                Some(Decision::Deny) => {
                    decision.set("behavior", "deny").text("message", verdict.opinion.reason.as_deref())
                }
                _ => &mut decision,
            };
            if !decision.0.is_empty() {
                own.set("decision", decision.0);
            }
        }
        _ if is_denied && said.knows_block => {
            out.set("decision", "block").text("reason", verdict.opinion.reason.as_deref());
        }
        _ => {}
    }
    if verdict.event == EventKind::MessageDisplay {
        for (name, json) in &verdict.opinion.agent_output {
            if let Ok(value) = serde_json::from_str::<Value>(json.get()) {
                own.set(name, value);
            }
        }
    }
    if said.knows_context {
        own.text("additionalContext", context(verdict).as_deref());
    }
    if !own.0.is_empty() {
        own.0.shift_insert(0, "hookEventName".to_owned(), dialect_event_name.into());
        out.set("hookSpecificOutput", own.0);
    }
    // Exit code 2 is the block that nothing can undo; but beside it the JSON that ends the turn is not read.
    if is_denied && !said.halts { Rendered::block(out.0, verdict) } else { Rendered::object(out.0) }
}
