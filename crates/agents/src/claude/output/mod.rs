//! What Claude Code takes from a hook's exit code and its outputs, field by field.
//!
//! Compared with Claude Code 2.1.197: `tests/agents/claude.py` runs it. It parses what is on standard output from the first `{` on, at
//! every exit code, by a schema: what does not fit the schema is dropped whole, also beside exit code 2. Keys that the schema
//! does not have are ignored.

mod events;
mod fields;

use serde_json::value::RawValue;

use crate::config::Exit;
use crate::decision::Decision;
use crate::dialect::Dialect;
use crate::envelope::{BadEnvelope, Envelope};
use crate::event_kind::EventKind;
use crate::json::{self, JsonText, RawObject};
use crate::opinion::Opinion;
use crate::outcome::{Failure, HookOutcome};
use crate::verdict::HookReport;

use self::events::{Block, block_of, is_missing_script, is_outside, shows_messages, takes_plain_text};
pub(super) use self::events::{can_halt, is_newer};
use self::fields::{Known, OWN, TOP, check, own_of, unknown};

/// What it says for a block without a reason.
const BLOCKED: &str = "Blocked by hook";
/// And for exit code 2 with nothing on standard error.
const SILENT: &str = "No stderr output (exit code 2)";
/// A result of an MCP server's tool that is to be used instead: it counts for those tools only.
pub(super) const UPDATED_MCP: &str = "updatedMCPToolOutput";
/// Files that are to be watched: those of all hooks count.
pub(super) const WATCH_PATHS: &str = "watchPaths";
/// Where the new worktree is.
pub(super) const WORKTREE_PATH: &str = "worktreePath";
/// The answer to an elicitation, and its fields.
pub(super) const ACTION: &str = "action";
/// A sequence of control characters for the terminal; it stands at the top.
pub(super) const TERMINAL_SEQUENCE: &str = "terminalSequence";

/// The blanks that JavaScript's `trim` takes off; a byte order mark is one.
fn trimmed(text: &str) -> &str {
    text.trim_matches(|c: char| c == '\u{feff}' || c.is_whitespace() && c != '\u{85}')
}

/// What a hook said, by its exit code and its outputs; in it `None` if nothing of that counts. Without a value the exit code
/// says it alone.
pub(super) fn read(
    event: EventKind,
    status: u8,
    stdout: &[u8],
    stderr: &[u8],
) -> Option<Result<Option<Envelope>, BadEnvelope>> {
    if is_newer(event) {
        return None;
    }
    let (printed, stderr) = (String::from_utf8_lossy(stdout), String::from_utf8_lossy(stderr));
    let (text, stderr) = (trimmed(&printed), trimmed(&stderr));
    // What begins with a brace and is no JSON is plain text.
    if text.starts_with('{')
        && let Ok(object) = RawObject::parse(text)
    {
        return match of_object(&object, event, status, stderr) {
            Err(error) if event == EventKind::WorktreeCreate => Some(Ok(Some(denied(Some(error.to_string()))))),
            // Any other exit code than 0 denies it.
            Ok(_) if event == EventKind::WorktreeCreate && status != 0 => None,
            Ok(mut envelope) => {
                if status == 0 {
                    take_text(&mut envelope, event, text);
                }
                Some(Ok(Some(envelope)))
            }
            Err(error) => Some(Err(error)),
        };
    }
    if status == 0 {
        let mut envelope = Envelope::default();
        if takes_plain_text(event) && !text.is_empty() {
            envelope.opinion.context.push(text.to_owned());
        }
        take_text(&mut envelope, event, text);
        if event == EventKind::WorktreeCreate && envelope.opinion.agent_output.is_empty() {
            // It may have been a signal, which denies.
            return None;
        }
        return Some(Ok(Some(envelope)));
    }
    if event == EventKind::WorktreeCreate {
        return None;
    }
    let reason = || (!stderr.is_empty()).then(|| stderr.to_owned());
    if status != super::BLOCK || is_missing_script(event, text, stderr) {
        return Some(Ok(None));
    }
    match block_of(event) {
        Block::Denies => None,
        Block::Halts => Some(Ok(Some(Opinion::halt(reason()).into()))),
        Block::Told { by_code: true } => {
            let mut envelope = Envelope::default();
            tell(&mut envelope, reason().unwrap_or_else(|| SILENT.to_owned()));
            Some(Ok(Some(envelope)))
        }
        Block::Told { by_code: false } | Block::Nothing => Some(Ok(None)),
    }
}

/// The events for which standard output is taken as it is, whatever it is.
fn take_text(envelope: &mut Envelope, event: EventKind, text: &str) {
    match event {
        EventKind::PreCompact if envelope.opinion.decision.is_none() && !text.is_empty() => {
            envelope.opinion.context.push(text.to_owned());
        }
        EventKind::WorktreeCreate => {
            if let Some(path) = text.lines().map(trimmed).rfind(|line| !line.is_empty()) {
                envelope.opinion.agent_output.push((WORKTREE_PATH.into(), JsonText::string(path)));
            }
        }
        _ => {}
    }
}

/// What a hook blocks that has happened already: the model is told it as a block.
fn tell(envelope: &mut Envelope, reason: String) {
    envelope.opinion.context.push(reason.clone());
    envelope.told = Some(reason);
}

/// Says what of an answer does not count.
fn ignored(envelope: &mut Envelope, what: &str) {
    envelope.warnings.push(format!("Claude Code ignores this answer: {what}"));
}

fn denied(reason: Option<String>) -> Envelope {
    Opinion::deny(reason).into()
}

fn of_object(object: &RawObject<'_>, event: EventKind, status: u8, stderr: &str) -> Result<Envelope, BadEnvelope> {
    let top = Known(object);
    let is_number = |value: &RawValue| json::kind(value) == "a number";
    if top.is("async", "true") && object.get("asyncTimeout").is_none_or(is_number) {
        // It continues in the background: nothing of it counts now.
        return Ok(Envelope::default());
    }
    check(object, TOP, "")?;
    let own_object = match object.get("hookSpecificOutput") {
        None => None,
        Some(value) => Some(own_of(value)?),
    };
    let mut envelope = Envelope::from(Opinion { system_message: top.text("systemMessage"), ..Opinion::default() });
    let dialect_event_name = Dialect::Claude.event_name(event);
    let own = match &own_object {
        Some((name, own)) if *name == event => Some(Known(own)),
        Some((name, _)) if !is_outside(event) => {
            return Err(BadEnvelope::OtherEvent { found: Dialect::Claude.event_name(*name).to_owned(), event });
        }
        _ => None,
    };
    unknown(object, own_object.as_ref(), &mut envelope);
    if !shows_messages(event) && envelope.opinion.system_message.take().is_some() {
        ignored(&mut envelope, &format!("`systemMessage`, which {dialect_event_name} does not show"));
    }
    let own_text = |field: &str| own.as_ref().and_then(|own| own.text(field));
    envelope.opinion.agent_output.extend(top.json(TERMINAL_SEQUENCE).map(|json| (TERMINAL_SEQUENCE.into(), json)));
    if let (Some(own), Some((_, fields))) = (&own, OWN.iter().find(|(name, _)| *name == event)) {
        // What only Claude Code knows goes to it as it is.
        let is_read = |field: &str| {
            matches!(field, "permissionDecision" | "permissionDecisionReason" | "updatedInput" | "updatedToolOutput")
                || matches!(field, "additionalContext" | "decision" | WORKTREE_PATH)
        };
        let handed = fields.iter().filter(|(field, _)| !is_read(field));
        envelope.opinion.agent_output.extend(handed.filter_map(|(field, _)| Some(((*field).into(), own.json(field)?))));
    }
    let context = own_text("additionalContext");
    let reason = top.text("reason");
    let blocks = top.is("decision", "\"block\"");
    let halts = top.is("continue", "false");
    let by_code = || if stderr.is_empty() { SILENT.to_owned() } else { stderr.to_owned() };
    if halts && can_halt(event) && event != EventKind::PreToolUse {
        // It comes before all else that the hook said, but a new result.
        envelope.opinion.halt = true;
        envelope.opinion.reason = top.text("stopReason");
        envelope.opinion.updated_result = own.as_ref().and_then(|own| own.json("updatedToolOutput"));
        return Ok(envelope);
    }
    match event {
        EventKind::PreToolUse => {
            before_a_tool(&mut envelope, &top, own.as_ref(), (status, &by_code));
            envelope.opinion.context.extend(context);
        }
        EventKind::PermissionRequest => {
            if let Some(answer) = own.as_ref().and_then(|own| own.object("decision")) {
                answered(&mut envelope, &Known(&answer));
            }
        }
        EventKind::Elicitation | EventKind::ElicitationResult => {
            let action = own_text(ACTION);
            if status == super::BLOCK {
                envelope = Envelope { warnings: envelope.warnings, ..denied(Some(by_code())) };
            } else if blocks || action.as_deref() == Some("decline") {
                envelope.opinion.decision = Some(Decision::Deny);
                envelope.opinion.reason = reason;
            } else if let Some(action) = action {
                envelope.opinion.decision = Some(if action == "accept" { Decision::Allow } else { Decision::Deny });
            }
        }
        _ => {
            envelope.opinion.updated_result = own.as_ref().and_then(|own| own.json("updatedToolOutput"));
            let block = match blocks {
                true => Some(reason),
                false => (status == super::BLOCK && block_of(event) != Block::Told { by_code: false })
                    .then(|| Some(by_code())),
            };
            if event != EventKind::Notification {
                envelope.opinion.context.extend(context);
            }
            match (block, block_of(event)) {
                (Some(reason), Block::Denies) => {
                    envelope.opinion.decision = Some(Decision::Deny);
                    // At the end of a turn a reason is what the model is told.
                    let or = (event == EventKind::Stop || event == EventKind::SubagentStop).then(|| BLOCKED.to_owned());
                    envelope.opinion.reason = reason.or(or);
                }
                (Some(reason), Block::Halts) => {
                    envelope.opinion.halt = true;
                    envelope.opinion.reason = reason.or_else(|| Some(BLOCKED.to_owned()));
                }
                (Some(reason), Block::Told { .. }) => tell(&mut envelope, reason.unwrap_or_else(|| BLOCKED.to_owned())),
                // What the model is told at the end of a turn has it continue.
                (None, _) if matches!(event, EventKind::Stop | EventKind::SubagentStop) => {
                    envelope.opinion.decision = (!envelope.opinion.context.is_empty()).then_some(Decision::Deny);
                }
                _ => {}
            }
        }
    }
    let is_used = matches!(event, EventKind::PreToolUse) && envelope.opinion.decision != Some(Decision::Deny);
    if halts && !is_used && envelope.opinion.decision == Some(Decision::Deny) {
        ignored(
            &mut envelope,
            &format!("`continue` is false, which ends no turn on {dialect_event_name} beside a block"),
        );
    }
    Ok(envelope)
}

/// A decision on a call. `continue: false` lets the tool run, and ends the turn then.
fn before_a_tool(
    envelope: &mut Envelope,
    top: &Known<'_, '_>,
    own: Option<&Known<'_, '_>>,
    (status, by_code): (u8, &dyn Fn() -> String),
) {
    let reason = top.text("reason");
    let blocks = top.is("decision", "\"block\"");
    let inside = own.and_then(|own| own.text("permissionDecision"));
    let behavior = match inside.as_deref() {
        Some("allow") => Some(Decision::Allow),
        Some("ask") => Some(Decision::Ask),
        Some("defer") => Some(Decision::Defer),
        Some(_) => Some(Decision::Deny),
        None if blocks => Some(Decision::Deny),
        None => top.is("decision", "\"approve\"").then_some(Decision::Allow),
    };
    // With an object of its own the reason at the top is not looked at.
    let shown = match own {
        Some(own) => own.text("permissionDecisionReason"),
        None => reason.clone(),
    };
    if behavior == Some(Decision::Deny) {
        if shown.is_none() && reason.is_some() {
            ignored(envelope, "`reason`: beside hookSpecificOutput the reason is `permissionDecisionReason`");
        }
        envelope.opinion.decision = behavior;
        envelope.opinion.reason = shown;
    } else if blocks || status == super::BLOCK {
        envelope.opinion.decision = Some(Decision::Deny);
        envelope.opinion.reason = if blocks { reason } else { Some(by_code()) };
    } else {
        envelope.opinion.decision = behavior;
        envelope.opinion.halt = top.is("continue", "false");
        let stop = top.text("stopReason").filter(|_| envelope.opinion.halt);
        // A question is asked before the turn ends.
        envelope.opinion.reason = match behavior {
            Some(Decision::Ask | Decision::Defer) => shown.or(stop),
            _ => stop.or(shown),
        };
        if behavior != Some(Decision::Defer) {
            envelope.opinion.updated_input = own.and_then(|own| own.patch("updatedInput"));
        }
    }
}

/// The answer to a question of the user's: nothing else of a hook counts there.
fn answered(envelope: &mut Envelope, answer: &Known<'_, '_>) {
    if answer.is("behavior", "\"allow\"") {
        envelope.opinion.decision = Some(Decision::Allow);
        envelope.opinion.updated_input = answer.patch("updatedInput");
        envelope
            .opinion
            .agent_output
            .extend(answer.json("updatedPermissions").map(|json| ("updatedPermissions".into(), json)));
    } else {
        envelope.opinion.decision = Some(Decision::Deny);
        envelope.opinion.reason = answer.text("message");
        envelope.opinion.halt = answer.is("interrupt", "true");
    }
}

/// Why exit code 2, which blocks nothing here, does not: `None` if the code was another one, or says nothing on the event.
pub(super) fn ignored_code(exit: &Exit<'_>, result: &HookReport) -> Option<String> {
    let event = exit.event;
    if let HookOutcome::Failed(Failure::BadEnvelope(error)) = &result.outcome {
        let code = if exit.status == super::BLOCK { " (exit code 2 does not block then)" } else { "" };
        return Some(format!("{error}{code}"));
    }
    if exit.status != super::BLOCK || is_newer(event) {
        return None;
    }
    let (stdout, stderr) = (String::from_utf8_lossy(exit.stdout), String::from_utf8_lossy(exit.stderr));
    if is_missing_script(event, trimmed(&stdout), trimmed(&stderr)) {
        return Some(
            "exit code 2, because standard error reports a missing file; let standard error say something else, or print \
             {\"decision\": \"block\", \"reason\": …}"
                .to_owned(),
        );
    }
    match event {
        EventKind::PermissionRequest if result.opinion.decision.is_none() => {
            Some("exit code 2; the answer to PermissionRequest is `hookSpecificOutput.decision`".to_owned())
        }
        EventKind::SessionStart | EventKind::Setup if result.opinion.context.is_empty() => Some(
            "exit code 2, which blocks nothing here; the model is told what stands in `additionalContext`".to_owned(),
        ),
        _ => None,
    }
}
