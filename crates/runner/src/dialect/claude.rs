//! Claude Code's output fields, as hooks that were written for it print them under the native contract.
//!
//! `hookSpecificOutput` is read as Crush reads it: where it is present, the top level's `decision`, `reason`, `continue`
//! and `stopReason` are not. Two things differ from other readers, on purpose: `ask` and `defer` are the decision *ask*
//! (which wins over another hook's allow) and not "no opinion", and `updatedInput` is a shallow-merge patch, as the
//! native contract says, and not a full replacement.

use crate::decision::Decision;
use crate::envelope::{BadEnvelope, Envelope, Fields};
use crate::event_name::EventName;

/// Reads `hookSpecificOutput`, or else `continue` and `stopReason`. The words `approve` and `block` of a top-level
/// `decision` are the native reader's.
pub(crate) fn read(fields: &mut Fields<'_, '_>, envelope: &mut Envelope, event: EventName) {
    if !fields.has("hookSpecificOutput") {
        if fields.boolean("continue") == Some(false) {
            envelope.halt = true;
            if let Some(reason) = fields.string("stopReason") {
                envelope.reason = Some(reason);
            }
        }
        return;
    }
    fields.nested("hookSpecificOutput", "hookSpecificOutput.", |fields| {
        if let Some(name) = fields.string("hookEventName")
            && name.parse() != Ok(event)
        {
            fields.fail(BadEnvelope::OtherEvent { found: name, event });
        }
        envelope.decision =
            fields.decision("permissionDecision", "\"allow\", \"deny\", \"ask\" or \"defer\"", |word| match word {
                "allow" => Some(Decision::Allow),
                "ask" | "defer" => Some(Decision::Ask),
                "deny" => Some(Decision::Deny),
                _ => None,
            });
        envelope.reason = fields.string("permissionDecisionReason");
        if let Some(context) = fields.string("additionalContext") {
            envelope.context.push(context);
        }
        if event == EventName::PreToolUse
            && let Some(patch) = fields.patch("updatedInput")
        {
            envelope.updated_input = Some(patch);
        }
    });
}
