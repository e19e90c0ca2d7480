//! What Codex takes of a hook's output. It reads each event's own fields and takes any other for a mistake, which costs the
//! hook everything that it said; so do a value of another type, a word in another case, and what the event does not support.
//!
//! Source: Codex 0.169.0, observed (tests/agents/codex.py).

use serde_json::Value;

use super::NAMES;
use crate::decision::Decision;
use crate::envelope::{BadEnvelope, Envelope, Fields};
use crate::event_kind::EventKind;
use crate::tool_input::Patch;

/// The fields of every output.
const COMMON: &[&str] = &["continue", "stopReason", "suppressOutput", "systemMessage"];

/// Those of most events.
const DECIDING: &[&str] =
    &["continue", "stopReason", "suppressOutput", "systemMessage", "decision", "reason", "hookSpecificOutput"];

/// Those of events that only take context.
const INFORMING: &[&str] = &["continue", "stopReason", "suppressOutput", "systemMessage", "hookSpecificOutput"];

/// Those of the end of a turn.
const ENDING: &[&str] = &["continue", "stopReason", "suppressOutput", "systemMessage", "decision", "reason"];

/// What is in `hookSpecificOutput`.
const CONTEXT: &[&str] = &["hookEventName", "additionalContext"];
const AFTER_TOOL: &[&str] = &["hookEventName", "additionalContext", "updatedMCPToolOutput"];
const BEFORE_TOOL: &[&str] =
    &["hookEventName", "permissionDecision", "permissionDecisionReason", "updatedInput", "additionalContext"];
const PERMISSION: &[&str] = &["hookEventName", "decision"];
const PERMISSION_DECISION: &[&str] = &["behavior", "updatedInput", "updatedPermissions", "message", "interrupt"];

const OWN: &str = "hookSpecificOutput";
const OWN_PATH: &str = "hookSpecificOutput.";

/// Reads what a hook printed that exited with 0.
///
/// # Errors
/// Codex takes nothing of it; the error says why.
pub(super) fn read(stdout: &[u8], event: EventKind) -> Result<Envelope, BadEnvelope> {
    let text = std::str::from_utf8(stdout).map_err(BadEnvelope::NotUtf8)?.trim();
    // A byte order mark is no blank: what stands after it is text.
    if text.starts_with('{') {
        // Its parser refuses more than is needed to find the members: half a pair of surrogates, a number that is none.
        serde_json::from_str::<Value>(text).map_err(|source| BadEnvelope::of_text(text, source))?;
        if matches!(event, EventKind::SessionEnd | EventKind::PreModelRequest | EventKind::PostModelRequest) {
            return Ok(Envelope::default());
        }
        return Envelope::read_strictly(text, |fields, envelope| read_event(fields, envelope, event));
    }
    match event {
        _ if text.is_empty() => Ok(Envelope::default()),
        EventKind::SessionEnd | EventKind::PreModelRequest | EventKind::PostModelRequest => Ok(Envelope::default()),
        EventKind::Stop | EventKind::SubagentStop | EventKind::Interrupt => Err(BadEnvelope::not_an_object(text)),
        // It looks like JSON, and is no object.
        _ if text.starts_with('[') => Err(BadEnvelope::not_an_object(text)),
        EventKind::SessionStart | EventKind::SubagentStart | EventKind::UserPromptSubmit => Ok(Envelope::context(text)),
        _ => Ok(Envelope::default()),
    }
}

/// What every event has.
struct Common {
    continues: bool,
    stop_reason: Option<String>,
    suppresses: bool,
}

impl Common {
    fn read(fields: &mut Fields<'_, '_>, envelope: &mut Envelope) -> Self {
        fields.not_null(&["continue", "suppressOutput"], "true or false");
        envelope.opinion.system_message = fields.string("systemMessage");
        Self {
            continues: fields.boolean("continue") != Some(false),
            stop_reason: fields.string("stopReason"),
            suppresses: fields.boolean("suppressOutput") == Some(true),
        }
    }

    /// Ends the turn where it says so.
    fn may_halt(self, envelope: &mut Envelope) -> bool {
        envelope.opinion.halt = !self.continues;
        if envelope.opinion.halt {
            envelope.opinion.reason = self.stop_reason;
        }
        envelope.opinion.halt
    }

    /// Fails on what stands beside a tool's call and would end the turn.
    fn may_not_halt(&self, fields: &mut Fields<'_, '_>, event: EventKind) {
        if !self.continues {
            not_taken(fields, format!("`continue: false` on {event}"), "deny the call, which continues with the turn");
        } else if self.stop_reason.is_some() {
            not_taken(fields, format!("`stopReason` on {event}"), "leave it out");
        } else if self.suppresses {
            not_taken(fields, format!("`suppressOutput` on {event}"), "leave it out");
        }
    }
}

fn not_taken(fields: &mut Fields<'_, '_>, what: String, instead: &'static str) {
    fields.fail(BadEnvelope::NotTaken { agent: "Codex", what, instead });
}

fn read_event(fields: &mut Fields<'_, '_>, envelope: &mut Envelope, event: EventKind) {
    match event {
        EventKind::PreToolUse => before_tool(fields, envelope),
        EventKind::PermissionRequest => permission(fields, envelope),
        EventKind::PostToolUse => after_tool(fields, envelope),
        EventKind::UserPromptSubmit => prompt(fields, envelope),
        EventKind::Stop | EventKind::SubagentStop => ending(fields, envelope, event),
        EventKind::SessionStart | EventKind::SubagentStart => start(fields, envelope, event),
        EventKind::Interrupt => {
            fields.only(&["systemMessage"]);
            envelope.opinion.system_message = fields.string("systemMessage");
        }
        _ => {
            fields.only(COMMON);
            Common::read(fields, envelope).may_halt(envelope);
        }
    }
}

/// Of `decision` here `approve` is known, and not supported.
fn before_tool(fields: &mut Fields<'_, '_>, envelope: &mut Envelope) {
    fields.only(DECIDING);
    let common = Common::read(fields, envelope);
    let decision = fields.word("decision", "\"block\"", &["approve", "block"]);
    let reason = fields.string("reason");
    let mut own_decision = None;
    let mut own_reason = None;
    let mut input = None;
    own(fields, BEFORE_TOOL, |fields| {
        own_decision = fields.word("permissionDecision", "\"allow\" or \"deny\"", &["allow", "deny", "ask"]);
        own_reason = fields.string("permissionDecisionReason");
        input = fields.json("updatedInput");
        envelope.opinion.context.extend(fields.string("additionalContext"));
    });
    common.may_not_halt(fields, EventKind::PreToolUse);
    // The older fields count where none of the newer ones is there.
    if own_decision.is_none() && own_reason.is_none() && input.is_none() {
        match decision {
            Some("approve") => not_taken(fields, "`decision: \"approve\"` on PreToolUse".to_owned(), "leave it out"),
            Some(_) => block(fields, envelope, reason.as_deref(), BLOCK, SAY_WHY),
            None if reason.is_some() => alone(fields, "`reason`", "`decision`"),
            None => {}
        }
        return;
    }
    if input.is_some() && own_decision != Some("allow") {
        let instead = "write `\"permissionDecision\": \"allow\"` beside it";
        return not_taken(fields, "`updatedInput` without `permissionDecision: \"allow\"`".to_owned(), instead);
    }
    match own_decision {
        Some("allow") => match input {
            None => {
                let what = "`permissionDecision: \"allow\"` without `updatedInput`".to_owned();
                not_taken(fields, what, "leave it out: a call that nothing denies continues");
            }
            Some(input) => match Patch::of_json(&input) {
                Some(patch) => {
                    envelope.opinion.decision = Some(Decision::Allow);
                    envelope.opinion.reason = own_reason;
                    envelope.opinion.updated_input = Some(patch.replacing());
                }
                // It has taken the change, and cannot make the call.
                None => {
                    envelope.opinion.decision = Some(Decision::Deny);
                    envelope.opinion.reason = Some(NO_COMMAND.to_owned());
                }
            },
        },
        Some("ask") => {
            let instead = "deny, or say nothing: then its approval policy asks";
            not_taken(fields, "`permissionDecision: \"ask\"`".to_owned(), instead);
        }
        Some(_) => {
            let say_why = "say why in `permissionDecisionReason`";
            block(fields, envelope, own_reason.as_deref(), "`permissionDecision: \"deny\"`", say_why);
        }
        None => alone(fields, "`permissionDecisionReason`", "`permissionDecision`"),
    }
}

const BLOCK: &str = "`decision: \"block\"`";
const SAY_WHY: &str = "say why in `reason`";

/// What the model is told where the new input is none for the tool.
pub(super) const NO_COMMAND: &str = "hook returned updatedInput without string field `command`";

fn alone(fields: &mut Fields<'_, '_>, what: &str, without: &str) {
    not_taken(fields, format!("{what} without {without}"), "say what is decided, too");
}

/// A block, which must say why.
fn block(
    fields: &mut Fields<'_, '_>,
    envelope: &mut Envelope,
    reason: Option<&str>,
    what: &str,
    say_why: &'static str,
) {
    match reason.map(str::trim).filter(|reason| !reason.is_empty()) {
        Some(reason) => {
            envelope.opinion.decision = Some(Decision::Deny);
            envelope.opinion.reason = Some(reason.to_owned());
        }
        None => not_taken(fields, format!("{what} without a reason"), say_why),
    }
}

fn permission(fields: &mut Fields<'_, '_>, envelope: &mut Envelope) {
    fields.only(INFORMING);
    let common = Common::read(fields, envelope);
    common.may_not_halt(fields, EventKind::PermissionRequest);
    own(fields, PERMISSION, |fields| {
        fields.nested("decision", "hookSpecificOutput.decision.", |fields| {
            fields.only(PERMISSION_DECISION);
            fields.not_null(&["interrupt"], "true or false");
            let behavior = fields.word("behavior", "\"allow\" or \"deny\"", &["allow", "deny"]);
            let message = fields.string("message");
            for field in ["updatedInput", "updatedPermissions"] {
                if fields.has(field) {
                    not_taken(fields, format!("`{field}` on PermissionRequest"), "leave it out");
                }
            }
            if fields.boolean("interrupt") == Some(true) {
                not_taken(fields, "`interrupt: true` on PermissionRequest".to_owned(), "leave it out");
            }
            match behavior {
                Some("allow") => envelope.opinion.decision = Some(Decision::Allow),
                Some(_) => {
                    let message = message.as_deref().map(str::trim).filter(|message| !message.is_empty());
                    envelope.opinion.decision = Some(Decision::Deny);
                    envelope.opinion.reason =
                        Some(message.unwrap_or("PermissionRequest hook denied approval").to_owned());
                }
                None => fields.missing("behavior", "\"allow\" or \"deny\""),
            }
        });
    });
}

/// A block is what the model gets in the place of the result, and so is an end of the turn: the turn continues.
fn after_tool(fields: &mut Fields<'_, '_>, envelope: &mut Envelope) {
    fields.only(DECIDING);
    let common = Common::read(fields, envelope);
    let blocks = fields.word("decision", "\"block\"", &["block"]).is_some();
    let reason = fields.string("reason");
    let mut context = None;
    let mut replaces = false;
    own(fields, AFTER_TOOL, |fields| {
        context = fields.string("additionalContext");
        replaces = fields.has("updatedMCPToolOutput");
    });
    let said = reason.as_deref().map(str::trim).filter(|reason| !reason.is_empty());
    let is_unsaid = blocks && said.is_none();
    let is_supported = !common.suppresses && !replaces && !is_unsaid;
    if is_supported {
        envelope.opinion.context.extend(context);
    }
    if !common.continues {
        let told = said.map(str::to_owned).or(common.stop_reason);
        envelope.opinion.context.push(told.unwrap_or_else(|| "PostToolUse hook stopped execution".to_owned()));
        envelope.warnings.push(
            "Codex does not end the turn by `continue: false` on PostToolUse: the reason takes the place of the tool's \
             result, and the turn continues"
                .to_owned(),
        );
    } else if common.suppresses {
        not_taken(fields, "`suppressOutput` on PostToolUse".to_owned(), "leave it out");
    } else if replaces {
        not_taken(fields, "`updatedMCPToolOutput`".to_owned(), "block with a reason, which takes the result's place");
    } else if is_unsaid {
        not_taken(fields, format!("{BLOCK} without a reason"), SAY_WHY);
    } else if blocks {
        envelope.opinion.context.extend(reason);
    } else if reason.is_some() {
        alone(fields, "`reason`", "`decision`");
    }
}

fn prompt(fields: &mut Fields<'_, '_>, envelope: &mut Envelope) {
    fields.only(DECIDING);
    let common = Common::read(fields, envelope);
    let blocks = fields.word("decision", "\"block\"", &["block"]).is_some();
    let reason = fields.string("reason");
    let mut context = None;
    own(fields, CONTEXT, |fields| context = fields.string("additionalContext"));
    let is_unsaid = blocks && reason.as_deref().is_none_or(|reason| reason.trim().is_empty());
    if !is_unsaid {
        envelope.opinion.context.extend(context);
    }
    if !common.may_halt(envelope) && blocks {
        block(fields, envelope, reason.as_deref(), BLOCK, SAY_WHY);
    }
}

fn ending(fields: &mut Fields<'_, '_>, envelope: &mut Envelope, event: EventKind) {
    if fields.has(OWN) {
        let what = format!("`hookSpecificOutput` on {event}");
        not_taken(fields, what, "write `\"decision\": \"block\"` and a `reason`, which the model is given");
    }
    fields.only(ENDING);
    let common = Common::read(fields, envelope);
    let blocks = fields.word("decision", "\"block\"", &["block"]).is_some();
    let reason = fields.string("reason");
    if !common.may_halt(envelope) && blocks {
        block(fields, envelope, reason.as_deref(), BLOCK, SAY_WHY);
    }
}

fn start(fields: &mut Fields<'_, '_>, envelope: &mut Envelope, event: EventKind) {
    fields.only(INFORMING);
    let common = Common::read(fields, envelope);
    own(fields, CONTEXT, |fields| envelope.opinion.context.extend(fields.string("additionalContext")));
    if event == EventKind::SessionStart {
        common.may_halt(envelope);
    } else if !common.continues {
        envelope.warnings.push("Codex ignores `continue: false` on SubagentStart".to_owned());
    }
}

/// Reads `hookSpecificOutput`, which must name an event: any that Codex knows.
fn own(fields: &mut Fields<'_, '_>, known: &'static [&'static str], read: impl FnOnce(&mut Fields<'_, '_>)) {
    fields.nested(OWN, OWN_PATH, |fields| {
        if fields.word("hookEventName", "the name of an event of Codex's", NAMES).is_none() {
            fields.missing("hookEventName", "the event's name");
        }
        fields.only(known);
        read(fields);
    });
}
