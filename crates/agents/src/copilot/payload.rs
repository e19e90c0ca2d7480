//! What Copilot CLI's hooks read on their standard input: events in camel case by its own keys, those in Pascal case by Claude
//! Code's. `tests/agents/payloads/copilot` has what the agent sends.

use std::sync::Arc;

use serde_json::value::RawValue;

use super::is_claude_style;
use super::matcher::{claude_name, own_tool_name};
use crate::dialect::Dialect;
use crate::event::{Detail, Event};
use crate::event_kind::EventKind;
use crate::json;
use crate::payload_writer::{Payload, json_string};

/// Keys by which the agent gives the same in both styles: where an event came in the other one, they are translated.
const PAIRS: [(&str, &str); 11] = [
    ("transcriptPath", "transcript_path"),
    ("agentId", "agent_id"),
    ("agentType", "agent_type"),
    ("parentAgentId", "parent_agent_id"),
    ("agentName", "agent_name"),
    ("agentDisplayName", "agent_display_name"),
    ("agentDescription", "agent_description"),
    ("initialPrompt", "initial_prompt"),
    ("stopReason", "stop_reason"),
    ("errorContext", "error_context"),
    ("transformedPrompt", "transformed_prompt"),
];

/// The payload of an event.
pub(super) fn build(dialect_event_name: &str, event: &Event) -> Arc<[u8]> {
    // Two events have one shape under both names.
    let keeps_shape = matches!(event.name(), EventKind::PermissionRequest | EventKind::SubagentStart);
    let mut writer = Writer {
        payload: Payload::new(event, Dialect::Copilot),
        event,
        is_pascal: is_claude_style(dialect_event_name) && !keeps_shape,
    };
    writer.write(dialect_event_name);
    writer.payload.finish()
}

struct Writer<'e> {
    payload: Payload<'e>,
    event: &'e Event,
    is_pascal: bool,
}

impl<'e> Writer<'e> {
    /// The key of this event's style. Neither is written a second time.
    fn key(&mut self, camel: &'static str, pascal: &'static str) -> &'static str {
        self.payload.skip(camel).skip(pascal);
        if self.is_pascal { pascal } else { camel }
    }

    fn given(&self, camel: &str, pascal: &str) -> Option<&'e RawValue> {
        self.payload.given(camel).or_else(|| self.payload.given(pascal))
    }

    fn raw(&mut self, camel: &'static str, pascal: &'static str, json: &str) {
        let key = self.key(camel, pascal);
        self.payload.raw(key, json);
    }

    fn string(&mut self, camel: &'static str, pascal: &'static str, text: &str) {
        let key = self.key(camel, pascal);
        self.payload.string(key, text);
    }

    /// What the agent gave, by either key; else `json`.
    fn given_or(&mut self, camel: &'static str, pascal: &'static str, json: &str) {
        let value = self.given(camel, pascal).map_or(json, RawValue::get);
        self.raw(camel, pascal, value);
    }

    /// What the agent gave, where it did.
    fn given_if(&mut self, camel: &'static str, pascal: &'static str) {
        if let Some(value) = self.given(camel, pascal) {
            self.raw(camel, pascal, value.get());
        }
    }

    fn write(&mut self, dialect_event_name: &str) {
        let event = self.event;
        if event.name() == EventKind::PermissionRequest {
            self.payload.given_or("hookName", "\"permissionRequest\"");
        }
        if self.is_pascal {
            self.payload.string("hook_event_name", dialect_event_name);
        }
        self.string("sessionId", "session_id", event.session_id());
        let timestamp = self.timestamp();
        self.payload.raw("timestamp", &timestamp).cwd();
        if !matches!(event.name(), EventKind::SubagentStart | EventKind::SubagentStop) || self.is_pascal {
            for (camel, pascal) in
                [("agentId", "agent_id"), ("agentType", "agent_type"), ("parentAgentId", "parent_agent_id")]
            {
                self.given_if(camel, pascal);
            }
        }
        self.detail();
        // Of a sub-agent's start these alone follow the event's name.
        self.is_pascal = is_claude_style(dialect_event_name) && event.name() != EventKind::PermissionRequest;
        for (camel, pascal) in PAIRS {
            if !self.payload.is_written(camel) {
                self.given_if(camel, pascal);
            }
        }
    }

    /// When it happened: milliseconds in one style, a text in the other.
    fn timestamp(&self) -> String {
        let given = self.payload.given("timestamp");
        let text = given.and_then(json::text);
        let at = match (&text, given) {
            (Some(text), _) => text.parse().ok(),
            (None, Some(number)) => {
                number.get().parse().ok().and_then(|number| jiff::Timestamp::from_millisecond(number).ok())
            }
            (None, None) => Some(jiff::Timestamp::now()),
        };
        match (at, given) {
            (Some(at), _) if self.is_pascal => json_string(&format!("{at:.3}")),
            (Some(at), _) => at.as_millisecond().to_string(),
            (None, given) => given.map_or("0", RawValue::get).to_owned(),
        }
    }

    fn detail(&mut self) {
        let event = self.event;
        match event.detail() {
            Detail::Permission { name: EventKind::PermissionRequest, call } => {
                self.payload.string("toolName", &own_tool_name(&call.name));
                self.payload.raw("toolInput", call.input.get());
                self.payload.given_or("permissionSuggestions", "[]");
                self.payload.skip("tool_name").skip("tool_input");
            }
            Detail::PreToolUse { call }
            | Detail::PostToolUse { call, .. }
            | Detail::PostToolUseFailure { call, .. }
            | Detail::Permission { call, .. } => {
                let name = if self.is_pascal { claude_name(&call.name) } else { own_tool_name(&call.name) };
                self.string("toolName", "tool_name", &name);
                self.raw("toolArgs", "tool_input", call.input.get());
                match event.detail() {
                    Detail::PostToolUse { response, .. } => {
                        let result = self.tool_result(response.get());
                        self.raw("toolResult", "tool_result", &result);
                        self.payload.skip("tool_response");
                    }
                    Detail::PostToolUseFailure { error, .. } => {
                        self.payload.given_or("error", &json_string(error));
                    }
                    _ => {}
                }
            }
            Detail::SessionStart { source } => {
                self.payload.string("source", source);
                self.given_if("initialPrompt", "initial_prompt");
            }
            Detail::Stop { active, .. } => {
                self.given_if("transcriptPath", "transcript_path");
                self.given_or("stopReason", "stop_reason", "\"end_turn\"");
                self.payload.raw("stop_hook_active", if *active { "true" } else { "false" });
            }
            Detail::SubagentStop { active, last_message, agent } => {
                self.given_if("transcriptPath", "transcript_path");
                self.given_if("agentId", "agent_id");
                let agent = json_string(agent.as_deref().unwrap_or_default());
                if !self.payload.is_written("agentType") {
                    self.given_or("agentType", "agent_type", &agent);
                }
                self.given_or("agentName", "agent_name", &agent);
                let said = json_string(last_message.as_deref().unwrap_or_default());
                self.given_or("response", "last_assistant_message", &said);
                self.given_or("stopReason", "stop_reason", "\"end_turn\"");
                self.payload.raw("stop_hook_active", if *active { "true" } else { "false" });
            }
            Detail::Other { name: EventKind::SubagentStart, matched } => {
                self.given_if("transcriptPath", "transcript_path");
                self.given_or("agentName", "agent_name", &json_string(matched.as_deref().unwrap_or_default()));
            }
            Detail::PreCompact { trigger, instructions } => {
                self.given_if("transcriptPath", "transcript_path");
                self.payload.string("trigger", trigger);
                let instructions = json_string(instructions.as_deref().unwrap_or_default());
                self.given_or("customInstructions", "custom_instructions", &instructions);
            }
            _ => {
                self.payload.detail();
            }
        }
    }

    /// A tool's result with the keys of this style: as the agent gave it, or text.
    fn tool_result(&self, response: &str) -> String {
        let (kind, text) = match self.is_pascal {
            true => ("result_type", "text_result_for_llm"),
            false => ("resultType", "textResultForLlm"),
        };
        if let Ok(object) = json::RawObject::parse(response) {
            let get = |camel, pascal| object.get(camel).or_else(|| object.get(pascal)).map(RawValue::get);
            if let Some(said) = get("textResultForLlm", "text_result_for_llm") {
                let result = get("resultType", "result_type").unwrap_or("\"success\"");
                return format!("{{\"{kind}\":{result},\"{text}\":{said}}}");
            }
        }
        let said = if response.starts_with('"') { response.to_owned() } else { json_string(response) };
        format!("{{\"{kind}\":\"success\",\"{text}\":{said}}}")
    }
}
