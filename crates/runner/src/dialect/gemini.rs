//! Gemini CLI's contract.

use std::borrow::Cow;
use std::ffi::OsString;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::contract::{Contract, ExitMeaning, Shape};
use super::payload::{Payload, json_string};
use super::places::{Places, managed_file, project_file, user_file};
use super::render::{BLOCK, Fields as OutputFields, Rendered, context};
use super::{Dialect, claude};
use crate::config::{FoundFile, HookConfig};
use crate::decision::Decision;
use crate::envelope::{BadEnvelope, Envelope, Fields, Printed};
use crate::environment::{Variables, of_path};
use crate::event::HookEvent;
use crate::event_name::EventName;
use crate::json::JsonText;
use crate::matcher::{Matcher, MatcherError};
use crate::verdict::Verdict;

/// Gemini CLI's contract.
pub(crate) struct Gemini;

/// Its events.
pub(super) const EVENTS: &[(&str, EventName)] = &[
    ("BeforeTool", EventName::PreToolUse),
    ("AfterTool", EventName::PostToolUse),
    ("BeforeAgent", EventName::UserPromptSubmit),
    ("AfterAgent", EventName::Stop),
    ("BeforeModel", EventName::BeforeModel),
    ("AfterModel", EventName::AfterModel),
    ("BeforeToolSelection", EventName::BeforeToolSelection),
    ("SessionStart", EventName::SessionStart),
    ("SessionEnd", EventName::SessionEnd),
    ("Notification", EventName::Notification),
    ("PreCompress", EventName::PreCompact),
];

/// The keys of its hooks.
const KEYS: &[(&str, &str)] = &[
    ("type", "type"),
    ("command", "command"),
    ("timeout", "timeout"),
    ("name", "name"),
    ("env", "env"),
    ("cwd", "cwd"),
    ("on_failure", "on_failure"),
    ("missing_shell", "missing_shell"),
    ("prompt", "prompt"),
    ("model", "model"),
    ("description", ""),
];

impl Contract for Gemini {
    fn agent(&self) -> &'static str {
        "Gemini CLI"
    }

    fn events(&self) -> &'static [(&'static str, EventName)] {
        EVENTS
    }

    fn shape(&self) -> Shape {
        Shape::Groups
    }

    fn keys(&self) -> &'static [(&'static str, &'static str)] {
        KEYS
    }

    fn timeout_in_milliseconds(&self) -> bool {
        true
    }

    fn default_timeout(&self, _: EventName, _: &str) -> Duration {
        Duration::from_secs(60)
    }

    /// A regular expression where it is about a tool, elsewhere an exact text.
    fn matcher(&self, pattern: &str, event: EventName) -> Result<Matcher, MatcherError> {
        match event {
            EventName::PreToolUse | EventName::PostToolUse => {
                claude::regex_or_rules(pattern, |pattern| Ok(Matcher::of_javascript(pattern)?))
            }
            _ if matches!(pattern.trim(), "" | "*") => Ok(Matcher::default()),
            _ => Ok(Matcher::names(pattern, &[])),
        }
    }

    fn subjects<'e>(&self, _: &str, event: &'e HookEvent) -> Option<Vec<Cow<'e, str>>> {
        claude::subjects(event, Dialect::Gemini)
    }

    fn payload(&self, own_event: &str, event: &HookEvent) -> Arc<[u8]> {
        let mut payload = Payload::new(event, Dialect::Gemini);
        payload.string("session_id", event.session_id()).given_or("transcript_path", "\"\"").cwd();
        payload.string("hook_event_name", own_event);
        let now = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string();
        payload.given_or("timestamp", &json_string(&now)).detail();
        payload.finish()
    }

    fn variables(&self, _: &HookConfig, event: &HookEvent, _: &Variables) -> Vec<(&'static str, OsString)> {
        let project = of_path(event.project_dir());
        vec![
            ("GEMINI_PROJECT_DIR", project.clone()),
            ("GEMINI_SESSION_ID", event.session_id().into()),
            ("GEMINI_CWD", of_path(event.cwd())),
            ("CLAUDE_PROJECT_DIR", project),
        ]
    }

    fn can_block(&self, event: EventName) -> bool {
        // The compression is only told of.
        event.can_block() && event != EventName::PreCompact
    }

    fn exit_meaning(&self, event: EventName, status: u8, _: bool) -> ExitMeaning {
        match status {
            0 => ExitMeaning::Envelope,
            BLOCK if self.can_block(event) => ExitMeaning::Deny,
            BLOCK if event == EventName::PostToolUse => ExitMeaning::Feedback,
            _ => ExitMeaning::Error,
        }
    }

    fn envelope(&self, stdout: &[u8], event: EventName, _: &str) -> Result<Envelope, BadEnvelope> {
        match Printed::of(stdout)? {
            Printed::Nothing => Ok(Envelope::default()),
            Printed::Json(text) => Envelope::read(text, |fields, envelope| read(fields, envelope, event)),
            // Shown to the user.
            Printed::Text(text) => Ok(Envelope { system_message: Some(text.trim().to_owned()), ..Envelope::default() }),
        }
    }

    fn render(&self, verdict: &Verdict, own_event: &str) -> Rendered {
        let mut out = OutputFields::default();
        if verdict.halt {
            out.set("continue", false).text("stopReason", verdict.reason.as_deref());
        }
        if let Some(decision) = verdict.decision {
            // Gemini CLI does not know "defer".
            out.set("decision", if decision == Decision::Defer { "ask" } else { decision.as_str() });
            out.text("reason", verdict.reason.as_deref());
        }
        out.text("systemMessage", verdict.system_message.as_deref());
        let mut own = OutputFields::default();
        own.input("tool_input", verdict.updated_input.as_ref()).text("additionalContext", context(verdict).as_deref());
        for (name, json) in &verdict.agent_output {
            if let Ok(value) = serde_json::from_str::<Value>(json.get()) {
                own.set(name, value);
            }
        }
        if !own.0.is_empty() {
            own.0.shift_insert(0, "hookEventName".to_owned(), own_event.into());
            out.set("hookSpecificOutput", own.0);
        }
        let is_denied = verdict.decision == Some(Decision::Deny);
        if is_denied && !verdict.halt { Rendered::block(out.0, verdict) } else { Rendered::object(out.0, verdict.halt) }
    }

    fn project_variable(&self) -> Option<&'static str> {
        Some("GEMINI_PROJECT_DIR")
    }

    fn project_places(&self) -> &'static [&'static str] {
        &[".gemini"]
    }

    fn config_files(&self, places: &Places<'_>) -> Vec<FoundFile> {
        let user = places.home().map(|home| home.join(".gemini").join("settings.json"));
        let project = places.project(".gemini").map(|directory| directory.join("settings.json"));
        let system = places.system("gemini-cli", "GeminiCli", "gemini-cli").join("settings.json");
        let own = user.into_iter().map(user_file);
        own.chain(project.map(project_file)).chain([managed_file(system)]).collect()
    }

    fn summary(&self) -> &'static [(&'static str, &'static str)] {
        &[
            (
                "config",
                "event → list of groups of a matcher, `sequential` and hooks; a matcher is a regular expression on tools, elsewhere an exact text",
            ),
            (
                "payload",
                "session_id, transcript_path, cwd, hook_event_name, timestamp, tool_name, tool_input, tool_response, prompt, …",
            ),
            ("variables", "GEMINI_PROJECT_DIR, GEMINI_SESSION_ID, GEMINI_CWD, CLAUDE_PROJECT_DIR"),
            ("exit codes", "0: standard output is read; 2: blocked, standard error is the reason; other: a warning"),
            (
                "output",
                "decision, reason, systemMessage, continue, stopReason, hookSpecificOutput (tool_input is merged into the input; llm_request, llm_response and toolConfig are handed on); plain text is shown to the user",
            ),
            ("timeout", "in milliseconds; 60000 without one"),
        ]
    }
}

/// Which tools the model may choose from.
const TOOL_CONFIG: &str = "toolConfig";

/// Is it about what the model is to be sent? (An answer to be used instead of the model's holds with a block too.)
pub(crate) fn is_of_request(name: &str) -> bool {
    name == "llm_request" || name == TOOL_CONFIG
}

/// Joins what several hooks say of the tools that the model may choose from, as Gemini CLI does: those that any of them
/// allows, unless one of them allows none.
pub(crate) fn join_tool_configs(last: &mut [(&'static str, JsonText)], given: &[&(&'static str, JsonText)]) {
    let configs: Vec<Value> = given
        .iter()
        .filter(|(name, _)| *name == TOOL_CONFIG)
        .filter_map(|(_, json)| serde_json::from_str(json.get()).ok())
        .collect();
    let Some((_, joined)) = last.iter_mut().find(|(name, _)| *name == TOOL_CONFIG).filter(|_| configs.len() > 1) else {
        return;
    };
    let has = |mode: &str| configs.iter().any(|config| config.get("mode").and_then(Value::as_str) == Some(mode));
    let mode = ["NONE", "ANY"].into_iter().find(|mode| has(mode)).unwrap_or("AUTO");
    let lists = configs.iter().filter_map(|config| config.get("allowedFunctionNames")?.as_array());
    let mut names: Vec<&str> = lists.flatten().filter_map(Value::as_str).filter(|_| mode != "NONE").collect();
    names.sort_unstable();
    names.dedup();
    let config = serde_json::json!({ "mode": mode, "allowedFunctionNames": names });
    if let Ok(config) = JsonText::parse(&config.to_string()) {
        *joined = config;
    }
}

fn read(fields: &mut Fields<'_, '_>, envelope: &mut Envelope, event: EventName) {
    if fields.boolean("continue") == Some(false) {
        envelope.halt = true;
    }
    envelope.system_message = fields.string("systemMessage");
    envelope.decision = fields.decision("decision", "\"allow\", \"deny\", \"block\" or \"ask\"", |word| match word {
        "allow" | "approve" => Some(Decision::Allow),
        "ask" => Some(Decision::Ask),
        "deny" | "block" => Some(Decision::Deny),
        _ => None,
    });
    envelope.reason = fields.string("reason");
    if let Some(reason) = fields.string("stopReason").filter(|_| envelope.halt) {
        envelope.reason = Some(reason);
    }
    fields.nested("hookSpecificOutput", "hookSpecificOutput.", |fields| {
        envelope.context.extend(fields.string("additionalContext"));
        if event == EventName::PreToolUse {
            envelope.updated_input = fields.patch("tool_input");
        }
        let names: &[&'static str] = match event {
            EventName::BeforeModel => &["llm_request", "llm_response"],
            EventName::AfterModel => &["llm_response"],
            EventName::BeforeToolSelection => &[TOOL_CONFIG],
            _ => &[],
        };
        let given = names.iter().filter_map(|name| Some((*name, fields.json(name)?)));
        envelope.agent_output.extend(given.collect::<Vec<_>>());
    });
    claude::tell_the_model(envelope, event);
}
