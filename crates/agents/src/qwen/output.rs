//! What Qwen Code makes of a hook's exit code and outputs, and a verdict as its hooks say it.

use serde::de::IgnoredAny;

use crate::decision::Decision;
use crate::envelope::{BadEnvelope, Envelope, Fields, trimmed};
use crate::event_kind::EventKind;
use crate::json::JsonText;
use crate::opinion::Opinion;
use crate::render::{BLOCK, Fields as OutputFields, Rendered, context};
use crate::tool_input::Patch;
use crate::verdict::Verdict;

/// Is there something that a block by a hook stops?
pub(super) fn can_block(event: EventKind) -> bool {
    matches!(
        event,
        EventKind::PreToolUse
            | EventKind::PermissionRequest
            | EventKind::UserPromptSubmit
            | EventKind::UserPromptExpansion
            | EventKind::Stop
            | EventKind::SubagentStop
            | EventKind::PostToolBatch
            | EventKind::TaskCreated
            | EventKind::TaskCompleted
    )
}

/// Is `additionalContext` told the model?
fn takes_context(event: EventKind) -> bool {
    takes_plain_text(event)
        || matches!(
            event,
            EventKind::PostToolUse
                | EventKind::PostToolUseFailure
                | EventKind::PostToolBatch
                | EventKind::SubagentStart
                | EventKind::PreCompact
        )
}

/// Is a text on standard output context?
fn takes_plain_text(event: EventKind) -> bool {
    matches!(event, EventKind::SessionStart | EventKind::UserPromptSubmit | EventKind::UserPromptExpansion)
}

/// Reads a hook's exit code and outputs. With exit code 2 standard error is what it says, else standard output, or standard
/// error where that is blank. A JSON object counts at every exit code, also one within a JSON string; anything else is a text, by
/// its exit code, but what begins as an object and is none says nothing.
pub(super) fn read_together(
    event: EventKind,
    status: u8,
    stdout: &[u8],
    stderr: &[u8],
) -> Result<Option<Envelope>, BadEnvelope> {
    let (stdout, stderr) = (String::from_utf8_lossy(trimmed(stdout)), String::from_utf8_lossy(trimmed(stderr)));
    let is_stdout = status != BLOCK && !stdout.is_empty();
    let text = if is_stdout { &stdout } else { &stderr };
    if text.is_empty() {
        if status == BLOCK && can_block(event) {
            return Ok(Some(ignored("exit code 2 where nothing is on standard error: it blocks nothing")));
        }
        return Ok(None);
    }
    let inner: Option<String> = serde_json::from_str(text).ok();
    let json = inner.as_deref().unwrap_or(text).trim();
    let is_json = serde_json::from_str::<IgnoredAny>(json).is_ok();
    if is_json && json.starts_with('{') {
        return Envelope::read(json, |fields, envelope| read(fields, envelope, event)).map(Some);
    }
    if status != BLOCK && inner.is_none() && !is_json && text.starts_with('{') {
        // Where nothing else is wrong this is: it is reported as what it is.
        return if status == 0 { Err(BadEnvelope::not_an_object(text)) } else { Ok(None) };
    }
    let text = text.clone().into_owned();
    Ok(match status {
        0 if is_stdout && takes_plain_text(event) => Some(Envelope::context(&text)),
        // Shown to the user.
        0 => Some(Opinion { system_message: Some(text), ..Opinion::default() }.into()),
        // The word is `deny`, which blocks no todo.
        BLOCK if matches!(event, EventKind::TaskCreated | EventKind::TaskCompleted) => {
            Some(ignored("exit code 2 of this event: it wants {\"decision\": \"block\"}"))
        }
        BLOCK if can_block(event) && event != EventKind::PermissionRequest => Some(Opinion::deny(Some(text)).into()),
        BLOCK => Some(ignored("exit code 2 of this event: nothing is blocked, and the model is not told")),
        _ => None,
    })
}

/// An envelope that says nothing but that something does not count.
fn ignored(what: &str) -> Envelope {
    let mut envelope = Envelope::default();
    warn(&mut envelope, what);
    envelope
}

fn warn(envelope: &mut Envelope, what: &str) {
    envelope.warnings.push(format!("Qwen Code ignores {what}"));
}

/// What the agent knows of an object, whose fields it takes as they are: a word in another case is none, and one of the wrong
/// type counts for nothing and spoils no other.
fn read(fields: &mut Fields<'_, '_>, envelope: &mut Envelope, event: EventKind) {
    // It looks for members in it and fails there, which loses all that the object says.
    let is_lost = fields.is_truthy_scalar("hookSpecificOutput")
        && matches!(
            event,
            EventKind::PreToolUse
                | EventKind::PermissionRequest
                | EventKind::PostToolUse
                | EventKind::PostToolUseFailure
                | EventKind::PostToolBatch
        );
    if is_lost {
        fields.wrong_object("hookSpecificOutput");
        return;
    }
    let stops = fields.is_exactly("continue", "false");
    let stop_reason = fields.text("stopReason").filter(|reason| !reason.is_empty());
    let word = fields.text("decision");
    let reason = fields.text("reason").filter(|reason| !reason.is_empty());
    envelope.opinion.system_message = fields.text("systemMessage");
    let blocks = matches!(word.as_deref(), Some("block" | "deny"));
    let mut said = None;
    let mut own_reason = None;
    let mut updates = false;
    let mut told = None;
    fields.within("hookSpecificOutput", |fields| {
        told = fields.text("additionalContext");
        if event == EventKind::PreToolUse {
            said = fields.text("permissionDecision").filter(|word| matches!(&**word, "allow" | "deny" | "ask"));
            own_reason = fields.text("permissionDecisionReason");
            updates = fields.has("updatedInput") || fields.has("tool_input");
        }
        if event == EventKind::PermissionRequest {
            fields.within("decision", |fields| {
                // Whatever is no allow denies.
                if fields.text("behavior").as_deref() == Some("allow") {
                    envelope.opinion.decision = Some(Decision::Allow);
                    envelope.opinion.updated_input =
                        fields.object("updatedInput").map(|input| Patch::new(&input).replacing());
                } else {
                    envelope.opinion.decision = Some(Decision::Deny);
                    envelope.opinion.reason = fields.text("message");
                }
            });
        }
    });
    // What ends a turn for other agents blocks here, and its reason is the first.
    let effective = stop_reason.or_else(|| reason.clone());
    match event {
        EventKind::PreToolUse => {
            envelope.opinion.decision = match said.as_deref().or(word.as_deref()) {
                Some("deny" | "block") => Some(Decision::Deny),
                Some("ask") => Some(Decision::Ask),
                _ if stops => Some(Decision::Deny),
                Some("allow" | "approve") => Some(Decision::Allow),
                _ => None,
            };
            let is_said = matches!(said.as_deref().or(word.as_deref()), Some("deny" | "block" | "ask"));
            let first = own_reason.or(reason).filter(|reason| !reason.is_empty());
            envelope.opinion.reason = if is_said || !stops { first.or(effective) } else { effective };
            envelope.opinion.reason.take_if(|_| envelope.opinion.decision.is_none());
            if updates {
                warn(envelope, "a changed input of PreToolUse: the call is made as it is");
            }
        }
        EventKind::UserPromptSubmit
        | EventKind::UserPromptExpansion
        | EventKind::Stop
        | EventKind::SubagentStop
        | EventKind::PostToolBatch
            if blocks || stops =>
        {
            envelope.opinion.decision = Some(Decision::Deny);
            envelope.opinion.reason = effective;
        }
        EventKind::TaskCreated | EventKind::TaskCompleted => {
            if word.as_deref() == Some("block") {
                envelope.opinion.decision = Some(Decision::Deny);
                envelope.opinion.reason = reason;
            } else if blocks || stops {
                warn(envelope, "this answer: a todo is blocked by {\"decision\": \"block\"} alone");
            }
        }
        // The model is told this in the place of what the tool gave, and continues.
        EventKind::PostToolUse if stops => {
            let reason = effective.unwrap_or_else(|| "No reason provided".to_owned());
            envelope.opinion.updated_result = Some(JsonText::string(&reason));
        }
        EventKind::PermissionRequest => {}
        _ if blocks || stops => {
            let what = if stops { "`continue`: false" } else { "a block" };
            warn(envelope, &format!("{what} of this event"));
        }
        _ => {}
    }
    // Beside a block nothing else is told.
    let is_lost = envelope.opinion.updated_result.is_some()
        || envelope.opinion.decision == Some(Decision::Deny) && event != EventKind::PostToolBatch;
    if takes_context(event) {
        envelope.opinion.context.extend(told.filter(|_| !is_lost));
    } else if told.is_some_and(|told| !told.is_empty()) {
        warn(envelope, "`additionalContext` of this event");
    }
}

/// A verdict as a hook of Qwen Code says it: JSON at exit code 0, since with 2 only standard error counts.
pub(super) fn render(verdict: &Verdict, dialect_event_name: &str) -> Rendered {
    let event = verdict.event;
    let mut out = OutputFields::default();
    let mut own = OutputFields::default();
    let is_denied = verdict.opinion.decision == Some(Decision::Deny);
    let reason = verdict.opinion.reason.as_deref();
    match event {
        EventKind::PreToolUse => {
            if let Some(decision) = verdict.opinion.decision {
                // It does not know "defer".
                let word = if decision == Decision::Defer { "ask" } else { decision.as_str() };
                own.set("permissionDecision", word).text("permissionDecisionReason", reason);
            }
        }
        EventKind::PermissionRequest => {
            let mut decision = OutputFields::default();
            match verdict.opinion.decision {
                Some(Decision::Allow) => {
                    decision.set("behavior", "allow").input("updatedInput", verdict.opinion.updated_input.as_ref());
                }
                Some(Decision::Deny) => {
                    decision.set("behavior", "deny").text("message", reason);
                }
                _ => {}
            }
            if !decision.0.is_empty() {
                own.set("decision", decision.0);
            }
        }
        // What ends the turn lets it end: `continue` makes this agent continue.
        EventKind::Stop | EventKind::SubagentStop if verdict.opinion.halt => {}
        EventKind::PostToolUse => {
            let result = verdict.opinion.updated_result.as_ref().map(JsonText::get);
            let result = result.map(|json| serde_json::from_str(json).unwrap_or_else(|_| json.to_owned()));
            if let Some(told) = result.as_deref().or(reason.filter(|_| verdict.opinion.halt)) {
                out.set("continue", false).set("stopReason", told);
            } else if verdict.opinion.halt {
                out.set("continue", false);
            }
        }
        _ if can_block(event) && (is_denied || verdict.opinion.halt) => {
            out.set("decision", "block").text("reason", reason);
        }
        _ => {}
    }
    out.text("systemMessage", verdict.opinion.system_message.as_deref());
    if takes_context(event) {
        own.text("additionalContext", context(verdict).as_deref());
    }
    if !own.0.is_empty() {
        own.0.shift_insert(0, "hookEventName".to_owned(), dialect_event_name.into());
        out.set("hookSpecificOutput", own.0);
    }
    let blocks = can_block(event) && is_denied && event != EventKind::PermissionRequest;
    let asks =
        event == EventKind::PreToolUse && matches!(verdict.opinion.decision, Some(Decision::Ask | Decision::Defer));
    let ends = matches!(event, EventKind::Stop | EventKind::SubagentStop) && verdict.opinion.halt;
    let mut rendered = Rendered::object(out.0);
    if (blocks || asks) && !ends {
        // What is read where standard output cannot be written, and the exit code is 2 (`Verdict::render`): a text, whatever
        // stands in it.
        let reason = reason.unwrap_or("a hook blocked it");
        // hookshell's own reasons (`--fail-closed`) say whose they are themselves.
        rendered.stderr = format!("hookshell: {}", reason.strip_prefix("hookshell: ").unwrap_or(reason));
    }
    rendered
}
