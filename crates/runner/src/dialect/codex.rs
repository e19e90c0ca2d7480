//! Codex's contract: Claude Code's shape and fields, read strictly.

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::value::RawValue;

use super::contract::{Contract, ExitMeaning, Shape};
use super::payload::{Payload, json_string};
use super::places::{Places, project_file, user_file};
use super::render::{BLOCK, Rendered};
use super::{Dialect, claude};
use crate::config::{FoundFile, HookConfig};
use crate::decision::Decision;
use crate::envelope::{BadEnvelope, Envelope, Printed};
use crate::environment::{Variables, of_path};
use crate::event::{Detail, HookEvent};
use crate::event_name::EventName;
use crate::matcher::{Matcher, MatcherError};
use crate::verdict::Verdict;

/// Codex's contract.
pub(crate) struct Codex;

/// Its events.
const EVENTS: &[(&str, EventName)] = &[
    ("PreToolUse", EventName::PreToolUse),
    ("PermissionRequest", EventName::PermissionRequest),
    ("PostToolUse", EventName::PostToolUse),
    ("PreCompact", EventName::PreCompact),
    ("PostCompact", EventName::PostCompact),
    ("UserPromptSubmit", EventName::UserPromptSubmit),
    ("SubagentStart", EventName::SubagentStart),
    ("SubagentStop", EventName::SubagentStop),
    ("Stop", EventName::Stop),
    ("SessionStart", EventName::SessionStart),
    ("SessionEnd", EventName::SessionEnd),
    ("Interrupt", EventName::Interrupt),
];

/// What Codex calls the end of a turn for the program of `notify`.
pub(crate) const NOTIFY: &str = "agent-turn-complete";

/// The fields of its output.
const OUTPUT: &[&str] =
    &["continue", "stopReason", "systemMessage", "suppressOutput", "decision", "reason", "hookSpecificOutput"];
/// Those of `hookSpecificOutput`.
const OWN_OUTPUT: &[&str] = &[
    "hookEventName",
    "additionalContext",
    "permissionDecision",
    "permissionDecisionReason",
    "updatedInput",
    "updatedMCPToolOutput",
    "decision",
];

impl Contract for Codex {
    fn agent(&self) -> &'static str {
        "Codex"
    }

    fn events(&self) -> &'static [(&'static str, EventName)] {
        EVENTS
    }

    fn shape(&self) -> Shape {
        Shape::Groups
    }

    fn keys(&self) -> &'static [(&'static str, &'static str)] {
        claude::KEYS
    }

    fn default_timeout(&self, _: EventName, _: &str) -> Duration {
        Duration::from_secs(600)
    }

    fn matcher(&self, pattern: &str, _: EventName) -> Result<Matcher, MatcherError> {
        claude::regex_or_rules(pattern, |pattern| Ok(Matcher::read(pattern)?))
    }

    fn subjects<'e>(&self, _: &str, event: &'e HookEvent) -> Option<Vec<Cow<'e, str>>> {
        claude::subjects(event, Dialect::Codex)
    }

    fn payload(&self, own_event: &str, event: &HookEvent) -> Arc<[u8]> {
        let mut payload = Payload::new(event, Dialect::Codex);
        if own_event == NOTIFY {
            let last = match &event.detail {
                Detail::Stop { last_message: Some(last), .. } => json_string(last),
                _ => "null".to_owned(),
            };
            let turn = payload.given("turn_id").map_or("\"\"", RawValue::get);
            let prompts = payload.given("input_messages").map_or("[]", RawValue::get);
            payload.string("type", NOTIFY).string("thread-id", event.session_id()).raw("turn-id", turn).cwd();
            payload.raw("input-messages", prompts).raw("last-assistant-message", &last);
            return payload.line();
        }
        payload.string("session_id", event.session_id()).given_if("turn_id").given_or("transcript_path", "null").cwd();
        payload.string("hook_event_name", own_event).given_if("model").given_if("permission_mode").detail();
        if let Detail::Stop { last_message: None, .. } | Detail::SubagentStop { last_message: None, .. } = event.detail
        {
            payload.raw("last_assistant_message", "null");
        }
        payload.finish()
    }

    fn variables(&self, hook: &HookConfig, event: &HookEvent, _: &Variables) -> Vec<(&'static str, OsString)> {
        let mut variables = vec![("CLAUDE_PROJECT_DIR", of_path(event.project_dir()))];
        if let Some(root) = &hook.plugin_root {
            variables.push(("PLUGIN_ROOT", of_path(root)));
            variables.push(("CLAUDE_PLUGIN_ROOT", of_path(root)));
        }
        variables
    }

    fn can_block(&self, event: EventName) -> bool {
        claude::can_block(event)
    }

    fn exit_meaning(&self, event: EventName, status: u8, said: bool) -> ExitMeaning {
        match status {
            0 => ExitMeaning::Envelope,
            // A block without a reason is a failed hook.
            BLOCK if said && claude::can_block(event) => ExitMeaning::Deny,
            BLOCK if said && claude::is_told_the_model(event) => ExitMeaning::Feedback,
            _ => ExitMeaning::Error,
        }
    }

    fn envelope(&self, stdout: &[u8], event: EventName, own_event: &str) -> Result<Envelope, BadEnvelope> {
        let takes_text =
            matches!(event, EventName::SessionStart | EventName::UserPromptSubmit | EventName::SubagentStart);
        match Printed::of(stdout)? {
            Printed::Json(text) => Envelope::read(text, |fields, envelope| {
                fields.only(OUTPUT);
                fields.nested("hookSpecificOutput", "hookSpecificOutput.", |fields| fields.only(OWN_OUTPUT));
                claude::read_own(fields, envelope, event, own_event);
                if matches!(envelope.decision, Some(Decision::Ask | Decision::Defer)) {
                    fields.fail(BadEnvelope::Field {
                        field: "hookSpecificOutput.permissionDecision".to_owned(),
                        expected: "\"allow\" or \"deny\" for Codex",
                        found: format!("\"{}\"", envelope.decision.map_or("", Decision::as_str)),
                    });
                }
            }),
            Printed::Text(text) if takes_text => Ok(Envelope::context(text)),
            Printed::Text(text) if matches!(event, EventName::Stop | EventName::SubagentStop) => {
                Err(BadEnvelope::not_an_object(text))
            }
            _ => Ok(Envelope::default()),
        }
    }

    fn dedupes(&self) -> bool {
        false
    }

    fn render(&self, verdict: &Verdict, own_event: &str) -> Rendered {
        use EventName::{
            PermissionRequest, PostToolUse, PreToolUse, SessionStart, Stop, SubagentStart, SubagentStop,
            UserPromptSubmit,
        };
        let event = verdict.event;
        // What an event of Codex's does not know is a failure, which drops everything that the object says.
        let mut said = claude::Said {
            // Before a tool the turn cannot be ended: the exit code blocks the call.
            halts: verdict.halt && !matches!(event, PreToolUse | PermissionRequest),
            knows_block: matches!(event, PostToolUse | Stop | SubagentStop | UserPromptSubmit),
            knows_context: matches!(event, PreToolUse | PostToolUse | SessionStart | SubagentStart | UserPromptSubmit),
            ..claude::Said::of(verdict)
        };
        // So is an ask. Without a decision it asks by its own approval policy; why is what the user is shown.
        let asks = event == PreToolUse && matches!(said.decision, Some(Decision::Ask | Decision::Defer));
        let reason = verdict.reason.as_deref().filter(|_| asks);
        let shown: Vec<&str> = said.system_message.into_iter().chain(reason).collect();
        let shown = (!shown.is_empty()).then(|| shown.join("\n"));
        if asks {
            said.decision = None;
        }
        // And a changed input that nothing allows.
        if event == PreToolUse && said.decision != Some(Decision::Allow) {
            said.updated_input = None;
        }
        said.system_message = shown.as_deref();
        claude::render_said(verdict, own_event, said)
    }

    fn project_places(&self) -> &'static [&'static str] {
        &[".codex"]
    }

    fn config_files(&self, places: &Places<'_>) -> Vec<FoundFile> {
        let files = |directory: PathBuf| [directory.join("hooks.json"), directory.join("config.toml")];
        let user = places.user("CODEX_HOME", ".codex").into_iter().flat_map(files).map(user_file);
        user.chain(places.project(".codex").into_iter().flat_map(files).map(project_file)).collect()
    }

    fn summary(&self) -> &'static [(&'static str, &'static str)] {
        &[
            (
                "config",
                "event → list of groups of a matcher and hooks, as JSON or as [hooks] of config.toml; a matcher is a regular expression (`Edit` and `Write` are apply_patch)",
            ),
            (
                "payload",
                "session_id, turn_id, transcript_path, cwd, hook_event_name, model, permission_mode, tool_name, tool_input, …",
            ),
            ("variables", "CLAUDE_PROJECT_DIR, and in plugins PLUGIN_ROOT and CLAUDE_PLUGIN_ROOT"),
            (
                "exit codes",
                "0: standard output is read; 2 with something on standard error: blocked; other: a failure, which is no opinion",
            ),
            (
                "output",
                "Claude Code's fields; `ask` and unknown fields are failures; plain text is context on SessionStart, SubagentStart and UserPromptSubmit",
            ),
            ("timeout", "in seconds; 600 without one"),
        ]
    }
}
