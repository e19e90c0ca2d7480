//! What Copilot CLI takes of a hook's exit code and standard output, and verdicts as its hooks say them.
//!
//! Seen with version 1.0.102 (`tests/agents/copilot.py`). Standard output is one JSON object after exit code 0 and after 2, read by
//! the last of equal keys; standard error is told the model by one event alone, `postToolUseFailure` after exit code 2. Fields that an event does not know are nothing, whatever they
//! say: of `hookSpecificOutput` only `PreToolUse` (in Pascal case) reads anything.

use std::borrow::Cow;

use serde_json::Value;
use serde_json::value::RawValue;

use super::is_claude_style;
use crate::config::Exit;
use crate::decision::Decision;
use crate::envelope::{Envelope, trimmed};
use crate::event_kind::EventKind;
use crate::json::{self, JsonText, RawObject};
use crate::render::{BLOCK, Fields as OutputFields, Rendered, context};
use crate::tool_input::Patch;
use crate::verdict::{HookReport, Verdict};

/// What a result says beside a denial of a permission that stands for a failure: the hooks after it are not asked.
const FAILED: &str = "Copilot CLI takes this for a failure of the hook, and a permission is denied where a hook fails";

/// What of an answer is only for Copilot CLI.
const RESPONSE: &str = "responseContent";
const HANDLED: &str = "handled";
const BLOCKED: &str = "decision";
const REASON: &str = "reason";

/// What a hook said by its end; `None` if nothing of it counts.
pub(super) fn read(exit: &Exit<'_>) -> Option<Envelope> {
    let stdout = without_progress(exit.stdout);
    let text = String::from_utf8_lossy(trimmed(&stdout));
    let answer = Response::of(&text, exit);
    let mut envelope = match exit.event {
        EventKind::PreToolUse => Some(before_tool(&answer, exit)),
        EventKind::PermissionRequest => Some(permission(&answer, exit, &text)),
        // The one event whose standard error the model is told, and then nothing else.
        EventKind::PostToolUseFailure if exit.status == BLOCK && !exit.stderr.trim_ascii().is_empty() => {
            Some(Envelope::context(String::from_utf8_lossy(exit.stderr).trim()))
        }
        // Beside any other exit code nothing counts.
        _ if !matches!(exit.status, 0 | BLOCK) => None,
        event => {
            let envelope = other(&answer, event);
            // That a hook failed is seen where it said nothing.
            (exit.status == 0 || !envelope.is_silent()).then_some(envelope)
        }
    }?;
    envelope.opinion.context.retain(|entry| !entry.is_empty());
    envelope.warnings.extend(answer.ignored(&text, exit));
    Some(envelope)
}

/// The fields of an answer.
struct Response<'a> {
    top: Option<RawObject<'a>>,
    /// `hookSpecificOutput`, where it is read.
    inside: Option<RawObject<'a>>,
}

impl<'a> Response<'a> {
    fn of(text: &'a str, exit: &Exit<'_>) -> Self {
        let top = text.starts_with('{').then(|| RawObject::parse(text).ok()).flatten();
        let reads_inside = exit.event == EventKind::PreToolUse && is_claude_style(exit.dialect_event_name);
        let inside = top.as_ref().filter(|_| reads_inside).and_then(|top| top.get("hookSpecificOutput"));
        Self { inside: inside.and_then(|inside| RawObject::parse(inside.get()).ok()), top }
    }

    /// A field of the object, null included.
    fn given(&self, field: &str) -> Option<&'a RawValue> {
        self.top.as_ref()?.get(field)
    }

    fn top(&self, field: &str) -> Option<&'a RawValue> {
        self.given(field).filter(|value| value.get() != "null")
    }

    /// A field, first of `hookSpecificOutput`.
    fn get(&self, field: &str) -> Option<&'a RawValue> {
        let inside = self.inside.as_ref().and_then(|inside| inside.get(field));
        inside.filter(|value| value.get() != "null").or_else(|| self.top(field))
    }

    fn string(&self, field: &str) -> Option<String> {
        json::text(self.top(field)?)
    }

    /// Is it this word, exactly?
    fn is(&self, field: &str, word: &str) -> bool {
        self.string(field).is_some_and(|text| text == word)
    }

    /// `"decision": "block"` with a reason, which is a text.
    fn block(&self) -> Option<String> {
        self.string("reason").filter(|_| self.is("decision", "block"))
    }

    fn json(&self, field: &str) -> Option<JsonText> {
        JsonText::parse(self.top(field)?.get()).ok()
    }

    /// What the hook said that the agent does not read, in one line. (A denial that it does not read is told of elsewhere.)
    fn ignored(&self, text: &str, exit: &Exit<'_>) -> Option<String> {
        let known = fields(exit.event);
        let is_ignored = |field: &&&str| {
            let is_inside = **field == "hookSpecificOutput" && self.inside.is_some();
            self.top(field).is_some() && !known.contains(*field) && !is_inside
        };
        let ignored: Vec<&str> = MEANT.iter().filter(is_ignored).copied().collect();
        if ignored.is_empty() || Envelope::denial_in(text.as_bytes(), exit.event).is_some() {
            return None;
        }
        let read = match known {
            [] => "reads nothing of an answer".to_owned(),
            known => format!("reads only {}", known.join(", ")),
        };
        Some(format!(
            "Copilot CLI ignores this answer's {}: on {} it {read}",
            ignored.join(", "),
            exit.dialect_event_name
        ))
    }
}

/// Fields that some event or some agent reads.
const MEANT: &[&str] = &[
    "hookSpecificOutput",
    "additionalContext",
    "modifiedArgs",
    "modifiedPrompt",
    "modifiedResult",
    "modifiedResponse",
    "modifiedTransformedPrompt",
    "updatedInput",
    "updated_input",
    "systemMessage",
    "context",
];

/// What an event reads of an answer.
fn fields(event: EventKind) -> &'static [&'static str] {
    match event {
        EventKind::PreToolUse => {
            &["permissionDecision", "permissionDecisionReason", "modifiedArgs", "additionalContext"]
        }
        EventKind::PermissionRequest => &["behavior", "message", "interrupt"],
        EventKind::PostToolUse => &["decision", "reason", "modifiedResult", "additionalContext"],
        EventKind::UserPromptSubmit => {
            &["decision", "reason", "modifiedPrompt", "additionalContext", "handled", "responseContent"]
        }
        EventKind::UserPromptTransformed => &["modifiedTransformedPrompt"],
        EventKind::PostToolUseFailure
        | EventKind::SessionStart
        | EventKind::SubagentStart
        | EventKind::Notification => &["additionalContext"],
        EventKind::Stop => &["decision", "reason"],
        EventKind::SubagentStop => &["decision", "reason", "modifiedResponse"],
        EventKind::PreMcpToolCall => &["metaToUse"],
        _ => &[],
    }
}

/// A value as Copilot CLI puts it into a text.
fn text_of(value: &RawValue) -> String {
    json::text(value).unwrap_or_else(|| value.get().to_owned())
}

/// `preToolUse`: any exit code but 0 denies.
fn before_tool(answer: &Response<'_>, exit: &Exit<'_>) -> Envelope {
    let mut envelope = Envelope::default();
    if !matches!(exit.status, 0 | BLOCK) {
        envelope.opinion.decision = Some(Decision::Deny);
        // It is told the model: what the hook printed is not for it.
        envelope.opinion.reason =
            Some(format!("{} failed (exit code {}), and Copilot CLI then denies the call", exit.hook(), exit.status));
        return envelope;
    }
    envelope.opinion.context.extend(answer.get("additionalContext").map(text_of));
    if exit.status == BLOCK {
        let reason = answer.top("permissionDecisionReason").map(text_of);
        let silent = || format!("{} denied the call (exit code 2) and gave no reason", exit.hook());
        envelope.opinion.decision = Some(Decision::Deny);
        envelope.opinion.reason = Some(reason.filter(|reason| !reason.trim().is_empty()).unwrap_or_else(silent));
        return envelope;
    }
    envelope.opinion.decision = answer.get("permissionDecision").and_then(json::text).and_then(|word| match &*word {
        "allow" => Some(Decision::Allow),
        "ask" => Some(Decision::Ask),
        "deny" => Some(Decision::Deny),
        _ => None,
    });
    if envelope.opinion.decision.is_some() {
        let reason = answer.get("permissionDecisionReason").map(text_of);
        envelope.opinion.reason = reason.filter(|reason| !reason.trim().is_empty());
    }
    let inside = answer.inside.as_ref().and_then(|inside| inside.get("updatedInput"));
    let input = inside.filter(|input| input.get() != "null").or_else(|| answer.given("modifiedArgs"));
    match input.map(arguments) {
        Some(Ok(patch)) => envelope.opinion.updated_input = Some(patch),
        Some(Err(found)) if envelope.opinion.decision != Some(Decision::Deny) => {
            envelope.opinion.decision = Some(Decision::Deny);
            envelope.opinion.reason = Some(format!(
                "{} gave the tool {found} as its arguments, and Copilot CLI then does not call it",
                exit.hook()
            ));
        }
        _ => {}
    }
    envelope
}

/// The tool's new arguments: an object, or one as text. Else what it is.
fn arguments(value: &RawValue) -> Result<Patch, &'static str> {
    let text: Cow<'_, str> = match json::text(value) {
        Some(text) if text.trim().is_empty() => "{}".into(),
        Some(text) => text.into(),
        None => value.get().into(),
    };
    RawObject::parse(&text).map(|object| Patch::new(&object).replacing()).map_err(|_| json::kind(value))
}

/// `permissionRequest`: it fails closed.
fn permission(answer: &Response<'_>, exit: &Exit<'_>, text: &str) -> Envelope {
    let mut envelope = Envelope::default();
    let is_json = || serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
    let has_failed = match exit.status {
        0 => !text.is_empty() && !is_json(),
        BLOCK => false,
        _ => true,
    };
    if has_failed {
        envelope.opinion.decision = Some(Decision::Deny);
        envelope.opinion.reason = Some(match exit.status {
            0 => format!("{} printed what is no JSON, and Copilot CLI then denies the permission", exit.hook()),
            code => format!("{} failed (exit code {code}), and Copilot CLI then denies the permission", exit.hook()),
        });
        envelope.warnings.push(FAILED.to_owned());
        return envelope;
    }
    envelope.opinion.decision = match answer.string("behavior").as_deref() {
        _ if exit.status == BLOCK => Some(Decision::Deny),
        Some("deny") => Some(Decision::Deny),
        Some("allow") => Some(Decision::Allow),
        // It is for the user to say then, whatever an earlier hook said.
        Some(_) => Some(Decision::Ask),
        None => None,
    };
    if envelope.opinion.decision == Some(Decision::Deny) {
        let message = answer.string("message").filter(|message| !message.is_empty());
        envelope.opinion.reason =
            Some(message.unwrap_or_else(|| format!("{} denied the permission and gave no reason", exit.hook())));
        envelope.opinion.halt = answer.top("interrupt").is_some_and(|value| value.get() == "true");
    }
    envelope
}

/// The other events, where the exit code is 0 or 2.
fn other(answer: &Response<'_>, event: EventKind) -> Envelope {
    let mut envelope = Envelope::default();
    let say = |envelope: &mut Envelope, name: &'static str, json: Option<JsonText>| {
        envelope.opinion.agent_output.extend(json.map(|json| (name.into(), json)));
    };
    let strict = |field| answer.string(field).map(|text| JsonText::string(&text));
    match event {
        EventKind::UserPromptSubmit => {
            envelope.opinion.context.extend(answer.top("additionalContext").map(text_of));
            envelope.opinion.updated_prompt = answer.string("modifiedPrompt");
            let response = answer.string(RESPONSE).filter(|text| !text.is_empty());
            let response = response.filter(|_| answer.top(HANDLED).is_some_and(|value| value.get() == "true"));
            if let Some(reason) = answer.block() {
                envelope.opinion.decision = Some(Decision::Deny);
                envelope.opinion.reason = Some(reason);
            } else if let Some(response) = response {
                // The user is told this, and the model is not asked.
                envelope.opinion.decision = Some(Decision::Deny);
                say(&mut envelope, HANDLED, JsonText::parse("true").ok());
                say(&mut envelope, RESPONSE, Some(JsonText::string(&response)));
                envelope.opinion.reason = Some(response);
            } else if answer.is("decision", "allow") {
                envelope.opinion.decision = Some(Decision::Allow);
            }
        }
        EventKind::UserPromptTransformed => {
            say(&mut envelope, "modifiedTransformedPrompt", strict("modifiedTransformedPrompt"));
        }
        EventKind::Stop | EventKind::SubagentStop => {
            if let Some(reason) = answer.block().filter(|reason| !reason.is_empty()) {
                envelope.opinion.decision = Some(Decision::Deny);
                envelope.opinion.reason = Some(reason);
            } else {
                envelope.opinion.decision = answer.is("decision", "allow").then_some(Decision::Allow);
                if event == EventKind::SubagentStop {
                    say(&mut envelope, "modifiedResponse", strict("modifiedResponse"));
                }
            }
        }
        EventKind::PostToolUse => {
            if let Some(reason) = answer.block() {
                // The model is given this in the place of what the tool gave.
                let told = format!("Tool result blocked: {reason}");
                let text = JsonText::string(&told);
                let result = format!("{{\"resultType\":\"failure\",\"textResultForLlm\":{}}}", text.get());
                envelope.opinion.updated_result = JsonText::parse(&result).ok();
                say(&mut envelope, BLOCKED, Some(JsonText::string("block")));
                say(&mut envelope, REASON, Some(JsonText::string(&reason)));
                envelope.opinion.context.push(told);
            } else {
                envelope.opinion.context.extend(answer.string("additionalContext"));
                let result = answer.top("modifiedResult").and_then(|value| RawObject::parse(value.get()).ok());
                if result.is_some_and(|result| result.get("textResultForLlm").is_some()) {
                    envelope.opinion.updated_result = answer.json("modifiedResult");
                }
            }
        }
        EventKind::PostToolUseFailure => envelope.opinion.context.extend(answer.string("additionalContext")),
        EventKind::SessionStart | EventKind::SubagentStart | EventKind::Notification => {
            envelope.opinion.context.extend(answer.top("additionalContext").map(text_of));
        }
        EventKind::PreMcpToolCall => {
            let meta = answer.given("metaToUse").filter(|value| value.get().starts_with(['{', 'n']));
            say(&mut envelope, "metaToUse", meta.and_then(|value| JsonText::parse(value.get()).ok()));
        }
        _ => {}
    }
    envelope
}

/// Are the hooks after this one not asked any more?
pub(super) fn stops(event: EventKind, result: &HookReport) -> bool {
    match event {
        EventKind::PreToolUse => matches!(result.opinion.decision, Some(Decision::Deny | Decision::Ask)),
        EventKind::PermissionRequest => result.warnings.iter().any(|warning| warning == FAILED),
        EventKind::PostToolUse => is_blocked(result),
        _ => false,
    }
}

fn is_blocked(result: &HookReport) -> bool {
    result.opinion.agent_output.iter().any(|(name, _)| *name == BLOCKED)
}

/// What of an earlier hook's answer a later one's takes the place of: Copilot CLI lays the answers over each other.
pub(super) fn replace(event: EventKind, earlier: &mut HookReport, later: &HookReport) {
    let mut replaced = Vec::new();
    let is_decided = matches!(
        event,
        EventKind::PermissionRequest | EventKind::UserPromptSubmit | EventKind::Stop | EventKind::SubagentStop
    );
    if is_decided && earlier.opinion.decision.is_some() && later.opinion.decision.is_some() {
        earlier.opinion.decision = None;
        earlier.opinion.reason = None;
        earlier.opinion.halt = false;
        replaced.push("decision");
    }
    let takes_context = match event {
        EventKind::UserPromptSubmit => !later.opinion.context.is_empty(),
        EventKind::PostToolUse => is_blocked(later),
        _ => false,
    };
    if takes_context && !earlier.opinion.context.is_empty() {
        earlier.opinion.context.clear();
        replaced.push("context");
    }
    if !replaced.is_empty() {
        let what = replaced.join(" and ");
        earlier.warnings.push(format!("Copilot CLI takes the {what} of the later hook `{}` instead", later.name));
    }
}

/// A verdict as a hook of Copilot CLI says it: at the top of the object, which events in Pascal case read too.
pub(super) fn render(verdict: &Verdict) -> Rendered {
    let mut out = OutputFields::default();
    let reason = verdict.opinion.reason.as_deref();
    let given = reason.filter(|reason| !reason.is_empty());
    let is_denied = verdict.opinion.decision == Some(Decision::Deny);
    let is_own = |wanted: &str| verdict.opinion.agent_output.iter().any(|(name, _)| *name == wanted);
    match (verdict.event, verdict.opinion.decision) {
        (EventKind::PreToolUse, Some(decision)) => {
            // Copilot does not know "defer".
            out.set("permissionDecision", if decision == Decision::Defer { "ask" } else { decision.as_str() });
            out.text("permissionDecisionReason", reason);
        }
        (EventKind::PermissionRequest, Some(decision @ (Decision::Allow | Decision::Deny))) => {
            out.set("behavior", decision.as_str()).text("message", reason);
            if verdict.opinion.halt {
                out.set("interrupt", true);
            }
        }
        // The turn ends as it was about to: a block would have the agent continue.
        (EventKind::Stop | EventKind::SubagentStop, _) if verdict.opinion.halt => {}
        // A response in the place of the model's stands in `agent_output`.
        (EventKind::UserPromptSubmit, _) if is_own(RESPONSE) => {}
        // A block without a reason is none.
        (EventKind::UserPromptSubmit | EventKind::Stop | EventKind::SubagentStop | EventKind::PostToolUse, _)
            if is_denied || verdict.opinion.halt =>
        {
            out.set("decision", "block").set("reason", given.unwrap_or("a hook blocked this"));
        }
        _ => {}
    }
    if verdict.event == EventKind::PreToolUse {
        out.input("modifiedArgs", verdict.opinion.updated_input.as_ref());
    }
    let known = fields(verdict.event);
    for (name, json) in verdict.opinion.agent_output.iter().filter(|(name, _)| known.contains(&&**name)) {
        if let Ok(value) = serde_json::from_str::<Value>(json.get()) {
            out.set(name, value);
        }
    }
    if is_own(BLOCKED) {
        return Rendered::object(out.0);
    }
    if known.contains(&"modifiedPrompt") {
        out.text("modifiedPrompt", verdict.opinion.updated_prompt.as_deref());
    }
    if let Some(result) = verdict.opinion.updated_result.as_ref().filter(|_| known.contains(&"modifiedResult")) {
        out.set("modifiedResult", modified_result(result));
    }
    if known.contains(&"additionalContext") {
        out.text("additionalContext", context(verdict).as_deref());
    }
    Rendered::object(out.0)
}

/// A tool's result as Copilot CLI has it, whatever it is.
fn modified_result(result: &JsonText) -> Value {
    let value = serde_json::from_str::<Value>(result.get()).unwrap_or_default();
    let text = match value {
        Value::Object(object) if object.contains_key("textResultForLlm") => return Value::Object(object),
        Value::String(text) => text,
        other => other.to_string(),
    };
    serde_json::json!({ "resultType": "success", "textResultForLlm": text })
}

/// The output without its lines of progress, `{"type":"progress",…}`.
fn without_progress(stdout: &[u8]) -> Cow<'_, [u8]> {
    let is_progress = |line: &[u8]| {
        let line = std::str::from_utf8(line.trim_ascii()).unwrap_or_default();
        line.starts_with('{')
            && RawObject::parse(line)
                .is_ok_and(|object| object.get("type").is_some_and(|value| value.get() == "\"progress\""))
    };
    if !stdout.split(|byte| *byte == b'\n').any(is_progress) {
        return Cow::Borrowed(stdout);
    }
    let lines = stdout.split_inclusive(|byte| *byte == b'\n').filter(|line| !is_progress(line));
    Cow::Owned(lines.flatten().copied().collect())
}
