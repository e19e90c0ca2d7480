//! What Cursor takes from a hook's output.

use crate::decision::Decision;
use crate::envelope::{Envelope, Fields};
use crate::event_kind::EventKind;
use crate::tool_input::Patch;

pub(super) fn read(fields: &mut Fields<'_, '_>, envelope: &mut Envelope, event: EventKind) {
    let said = |word: &str| match word {
        "allow" => Some(Decision::Allow),
        "ask" => Some(Decision::Ask),
        "deny" => Some(Decision::Deny),
        _ => None,
    };
    envelope.opinion.decision = fields.decision("permission", "\"allow\", \"deny\" or \"ask\"", said);
    // What preToolUse and subagentStart were first told by; `block` and `approve` are other agents' words for it.
    let earlier = fields.decision("decision", "\"allow\" or \"deny\"", |word| match word {
        "block" => Some(Decision::Deny),
        "approve" => Some(Decision::Allow),
        word => said(word),
    });
    if envelope.opinion.decision.is_none() || earlier == Some(Decision::Deny) {
        envelope.opinion.decision = earlier;
    }
    // Older versions wrote them in camel case.
    let user = fields.string("user_message").or_else(|| fields.string("userMessage"));
    let user = user.or_else(|| fields.string("reason"));
    let agent = fields.string("agent_message").or_else(|| fields.string("agentMessage"));
    if fields.boolean("continue") == Some(false) {
        match event {
            EventKind::UserPromptSubmit | EventKind::PreToolUse | EventKind::SubagentStart => {
                envelope.opinion.decision = Some(Decision::Deny);
            }
            // A block of the turn's end has the agent continue.
            _ => envelope.opinion.halt = true,
        }
    }
    match agent {
        Some(agent) => {
            envelope.opinion.reason = Some(agent);
            envelope.opinion.system_message = user;
        }
        None => envelope.opinion.reason = user,
    }
    envelope.opinion.context.extend(fields.string("additional_context"));
    if event == EventKind::PreToolUse {
        envelope.opinion.updated_input = fields.patch("updated_input").map(Patch::replacing);
    }
    if event == EventKind::SessionStart {
        envelope.opinion.env = fields.variables("env");
    }
    // The turn continues with this message: that is what blocking its end is.
    if matches!(event, EventKind::Stop | EventKind::SubagentStop)
        && let Some(message) = fields.string("followup_message").filter(|message| !message.is_empty())
    {
        envelope.opinion.decision = Some(Decision::Deny);
        envelope.opinion.reason = Some(message);
    }
}
