//! Copilot CLI's contract. Events in camel case are its own; those in Pascal case have Claude Code's names.

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::contract::{Contract, ExitMeaning, Shape};
use super::payload::{Payload, json_string};
use super::places::{Places, json_files, project_file, user_file};
use super::render::{BLOCK, Fields as OutputFields, Rendered, context};
use super::{Dialect, claude};
use crate::config::{FILES, FoundFile, HookConfig};
use crate::decision::Decision;
use crate::envelope::{BadEnvelope, Envelope, Fields, Printed};
use crate::environment::{Variables, of_path};
use crate::event::{Detail, HookEvent};
use crate::event_name::EventName;
use crate::http::HttpRules;
use crate::json::RawObject;
use crate::matcher::{Matcher, MatcherError};
use crate::verdict::Verdict;

/// Copilot CLI's contract.
pub(crate) struct Copilot;

/// Its events.
pub(super) const EVENTS: &[(&str, EventName)] = &[
    ("preToolUse", EventName::PreToolUse),
    ("permissionRequest", EventName::PermissionRequest),
    ("postToolUse", EventName::PostToolUse),
    ("postToolUseFailure", EventName::PostToolUseFailure),
    ("userPromptSubmitted", EventName::UserPromptSubmit),
    ("sessionStart", EventName::SessionStart),
    ("sessionEnd", EventName::SessionEnd),
    ("agentStop", EventName::Stop),
    ("subagentStart", EventName::SubagentStart),
    ("subagentStop", EventName::SubagentStop),
    ("errorOccurred", EventName::ErrorOccurred),
    ("preCompact", EventName::PreCompact),
    ("notification", EventName::Notification),
    ("PreToolUse", EventName::PreToolUse),
    ("PermissionRequest", EventName::PermissionRequest),
    ("PostToolUse", EventName::PostToolUse),
    ("PostToolUseFailure", EventName::PostToolUseFailure),
    ("UserPromptSubmit", EventName::UserPromptSubmit),
    ("SessionStart", EventName::SessionStart),
    ("SessionEnd", EventName::SessionEnd),
    ("Stop", EventName::Stop),
    ("SubagentStart", EventName::SubagentStart),
    ("SubagentStop", EventName::SubagentStop),
    ("ErrorOccurred", EventName::ErrorOccurred),
    ("PreCompact", EventName::PreCompact),
    ("Notification", EventName::Notification),
];

/// The keys of its hooks.
const KEYS: &[(&str, &str)] = &[
    ("type", "type"),
    ("bash", "bash"),
    ("powershell", "powershell"),
    ("command", "command"),
    ("cwd", "cwd"),
    ("env", "env"),
    ("timeoutSec", "timeout"),
    ("timeout", "timeout"),
    ("matcher", "matcher"),
    ("prompt", "prompt"),
    ("model", "model"),
    ("name", "name"),
    ("on_failure", "on_failure"),
    ("missing_shell", "missing_shell"),
    ("comment", ""),
    ("description", ""),
    ("url", ""),
    ("headers", ""),
    // What files in Claude Code's shape have.
    ("statusMessage", "status_message"),
    ("args", "args"),
    ("async", "async"),
    ("if", "if"),
    ("once", "once"),
    ("shell", "shell"),
];

/// Is the event one of those with Claude Code's names?
fn is_claude_style(own_event: &str) -> bool {
    own_event.starts_with(|first: char| first.is_ascii_uppercase())
}

impl Contract for Copilot {
    fn agent(&self) -> &'static str {
        "Copilot CLI"
    }

    fn events(&self) -> &'static [(&'static str, EventName)] {
        EVENTS
    }

    fn shape(&self) -> Shape {
        Shape::Flat
    }

    fn keys(&self) -> &'static [(&'static str, &'static str)] {
        KEYS
    }

    fn default_timeout(&self, _: EventName, _: &str) -> Duration {
        Duration::from_secs(30)
    }

    /// A regular expression that must match the whole name.
    fn matcher(&self, pattern: &str, _: EventName) -> Result<Matcher, MatcherError> {
        claude::regex_or_rules(pattern, |pattern| Ok(Matcher::anchored(pattern)?))
    }

    fn subjects<'e>(&self, own_event: &str, event: &'e HookEvent) -> Option<Vec<Cow<'e, str>>> {
        claude::subjects(event, if is_claude_style(own_event) { Dialect::Claude } else { Dialect::Copilot })
    }

    fn payload(&self, own_event: &str, event: &HookEvent) -> Arc<[u8]> {
        if is_claude_style(own_event) {
            return claude::Claude.payload(own_event, event);
        }
        let mut payload = Payload::new(event, Dialect::Copilot);
        let now = jiff::Timestamp::now().as_millisecond().to_string();
        payload.given_or("sessionId", &json_string(event.session_id())).given_or("timestamp", &now).cwd();
        match &event.detail {
            Detail::PreToolUse { call }
            | Detail::PostToolUse { call, .. }
            | Detail::PostToolUseFailure { call, .. }
            | Detail::Permission { call, .. } => {
                let name = payload.tool_name().unwrap_or_default();
                // A string of JSON, unless the agent gave something else.
                let input = call.input.get();
                let input = if input.starts_with('"') { input.to_owned() } else { json_string(input) };
                payload.string("toolName", &name).given_or("toolArgs", &input);
                match &event.detail {
                    Detail::PostToolUse { response, .. } => {
                        let text = response.get();
                        let text = if text.starts_with('"') { text.to_owned() } else { json_string(text) };
                        payload.given_or(
                            "toolResult",
                            &format!("{{\"resultType\":\"success\",\"textResultForLlm\":{text}}}"),
                        );
                    }
                    Detail::PostToolUseFailure { error, .. } => {
                        payload.given_or("error", &json_string(error));
                    }
                    _ => {}
                }
            }
            Detail::SubagentStop { agent: Some(agent), .. } => {
                payload.given_or("agentName", &json_string(agent));
            }
            Detail::Stop { .. } | Detail::SubagentStop { .. } => {
                payload.given_or("stopReason", "\"end_turn\"");
            }
            Detail::PreCompact { trigger, instructions } => {
                payload.string("trigger", trigger);
                payload.string("customInstructions", instructions.as_deref().unwrap_or_default());
            }
            _ => {
                payload.detail();
            }
        }
        payload.finish()
    }

    /// Hooks in Claude Code's style, above all those of `.claude/settings.json`, name their scripts by its variable.
    fn variables(&self, hook: &HookConfig, event: &HookEvent, _: &Variables) -> Vec<(&'static str, OsString)> {
        match is_claude_style(hook.own_event) {
            true => vec![("CLAUDE_PROJECT_DIR", of_path(event.project_dir()))],
            false => Vec::new(),
        }
    }

    fn can_block(&self, event: EventName) -> bool {
        claude::can_block(event)
    }

    fn exit_meaning(&self, event: EventName, status: u8, _: bool) -> ExitMeaning {
        match (status, event) {
            (0, _) => ExitMeaning::Envelope,
            (BLOCK, EventName::PreToolUse | EventName::PermissionRequest) | (_, EventName::PreToolUse) => {
                ExitMeaning::DenyByEnvelope
            }
            _ => ExitMeaning::Error,
        }
    }

    fn envelope(&self, stdout: &[u8], event: EventName, own_event: &str) -> Result<Envelope, BadEnvelope> {
        let stdout = without_progress(stdout);
        match Printed::of(&stdout)? {
            Printed::Json(text) => Envelope::read(text, |fields, envelope| {
                if fields.has("hookSpecificOutput") || is_claude_style(own_event) {
                    claude::read_own(fields, envelope, event, own_event);
                }
                read(fields, envelope, event);
            }),
            _ => Ok(Envelope::default()),
        }
    }

    fn dedupes(&self) -> bool {
        false
    }

    fn is_sequential(&self) -> bool {
        true
    }

    fn http(&self) -> Option<&'static dyn HttpRules> {
        Some(&Self)
    }

    fn render(&self, verdict: &Verdict, own_event: &str) -> Rendered {
        if is_claude_style(own_event) {
            return claude::render_own(verdict, own_event);
        }
        let mut out = OutputFields::default();
        let reason = verdict.reason.as_deref();
        match (verdict.event, verdict.decision) {
            (EventName::PreToolUse, Some(decision)) => {
                // Copilot does not know "defer".
                out.set("permissionDecision", if decision == Decision::Defer { "ask" } else { decision.as_str() });
                out.text("permissionDecisionReason", reason);
            }
            (EventName::PermissionRequest, Some(decision @ (Decision::Allow | Decision::Deny))) => {
                out.set("behavior", decision.as_str()).text("message", reason);
                if verdict.halt {
                    out.set("interrupt", true);
                }
            }
            // The turn ends as it was about to: a block would have the agent go on.
            (EventName::Stop | EventName::SubagentStop, _) if verdict.halt => {}
            (_, Some(Decision::Deny)) => {
                out.set("decision", "block").text("reason", reason);
            }
            _ => {}
        }
        if verdict.event == EventName::PreToolUse {
            out.input("modifiedArgs", verdict.updated_input.as_ref());
        }
        out.text("additionalContext", context(verdict).as_deref());
        Rendered::object(out.0)
    }

    fn project_variable(&self) -> Option<&'static str> {
        Some("COPILOT_PROJECT_DIR")
    }

    fn project_places(&self) -> &'static [&'static str] {
        &[".github", ".claude"]
    }

    fn config_files(&self, places: &Places<'_>) -> Vec<FoundFile> {
        let user = places.user("COPILOT_HOME", ".copilot").map(|user| user.join("hooks"));
        let user = user.iter().flat_map(|directory| json_files(directory, usize::MAX)).map(user_file);
        // One more than is read says that there are more.
        let own = places.project(".github").map(|github| json_files(&github.join("hooks"), FILES + 1));
        let settings = |claude: PathBuf| ["settings.json", "settings.local.json"].map(|name| claude.join(name));
        let settings = places.project(".claude").into_iter().flat_map(settings);
        user.chain(own.into_iter().flatten().chain(settings).map(project_file)).collect()
    }

    fn summary(&self) -> &'static [(&'static str, &'static str)] {
        &[
            (
                "config",
                "event → list of hooks with bash, powershell or command; a matcher is a regular expression for the tool's whole name",
            ),
            ("payload", "sessionId, timestamp, cwd, toolName, toolArgs, …; of events in Pascal case Claude Code's"),
            ("variables", "the hook's own env; CLAUDE_PROJECT_DIR for events in Pascal case"),
            (
                "exit codes",
                "0: standard output is read; 2: denied on preToolUse and permissionRequest; other: denied on preToolUse, else a failure",
            ),
            (
                "output",
                "permissionDecision, permissionDecisionReason, modifiedArgs (replaces the input), additionalContext",
            ),
            ("timeout", "in seconds (timeoutSec); 30 without one"),
        ]
    }
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

fn read(fields: &mut Fields<'_, '_>, envelope: &mut Envelope, event: EventName) {
    let known = |word: &str| match word {
        "allow" | "approve" => Some(Decision::Allow),
        "ask" => Some(Decision::Ask),
        "deny" | "block" => Some(Decision::Deny),
        _ => None,
    };
    let mut decision = fields.decision("permissionDecision", "\"allow\", \"deny\" or \"ask\"", known);
    let mut reason = fields.string("permissionDecisionReason");
    if event == EventName::PermissionRequest {
        decision = decision.max(fields.decision("behavior", "\"allow\" or \"deny\"", known));
        reason = reason.or_else(|| fields.string("message"));
        envelope.halt |= fields.boolean("interrupt").unwrap_or(false);
    }
    if envelope.decision.is_none() {
        decision = decision.max(fields.decision("decision", "\"block\" or \"allow\"", known));
        reason = reason.or_else(|| fields.string("reason"));
    }
    envelope.decision = envelope.decision.max(decision);
    if reason.is_some() {
        envelope.reason = reason;
    }
    envelope.context.extend(fields.string("additionalContext"));
    if event.takes_input()
        && let Some(input) = fields.patch("modifiedArgs")
    {
        envelope.updated_input = Some(input.replacing());
    }
}
