//! An event as the text that a hook reads.

use std::path::Path;
use std::sync::Arc;

use crate::event::{Detail, Event, ToolCall};
use crate::json;

/// The payload of an event: one line of JSON and a newline, so that `read -r input` has all of it. Keys, in order:
/// `event`, `session_id`, `cwd`, `is_sub_agent`, what the event has, and what else the agent's own payload had. A working
/// directory that is not Unicode has U+FFFD for what is not; its variable has the exact bytes.
pub fn build(event: &Event) -> Arc<[u8]> {
    let mut object = Object::new();
    object.string("event", event.name().as_str());
    object.string("session_id", event.session_id());
    object.string("cwd", &event.cwd().to_string_lossy());
    object.boolean("is_sub_agent", event.is_sub_agent());
    match event.detail() {
        Detail::UserPromptSubmit { prompt, attachments } => {
            object.string("prompt", prompt);
            // What else than names the agent gave follows as it came.
            if !event.extra.iter().any(|(key, _)| key == "attachments") {
                object.raw("attachments", &serde_json::to_string(attachments).unwrap_or_default());
            }
        }
        _ => write_detail(&mut object, event, event.tool_name()),
    }
    object.optional("session_file", event.session_file().map(Path::to_string_lossy).as_deref());
    for (key, value) in &event.extra {
        object.raw(key, value.get());
    }
    object.line()
}

/// What an event has beside the common members, by the names that most agents give them. `tool_name` is how the tool is
/// called.
pub fn write_detail(object: &mut Object, event: &Event, tool_name: Option<&str>) {
    let tool_name = tool_name.unwrap_or_default();
    match event.detail() {
        Detail::PreToolUse { call } => object.call(call, tool_name),
        Detail::PostToolUse { call, response } => {
            object.call(call, tool_name);
            object.raw("tool_response", response.get());
        }
        Detail::PostToolUseFailure { call, error } => {
            object.call(call, tool_name);
            object.string("error", error);
        }
        Detail::UserPromptSubmit { prompt, .. } => object.string("prompt", prompt),
        Detail::SessionStart { source } => object.string("source", source),
        Detail::SessionEnd { reason } => object.string("reason", reason),
        Detail::Stop { active, last_message } => {
            object.boolean("stop_hook_active", *active);
            object.optional("last_assistant_message", last_message.as_deref());
        }
        Detail::SubagentStop { active, last_message, agent } => {
            object.boolean("stop_hook_active", *active);
            object.optional("last_assistant_message", last_message.as_deref());
            object.optional("agent_type", agent.as_deref());
        }
        Detail::PreCompact { trigger, instructions } => {
            object.string("trigger", trigger);
            object.optional("custom_instructions", instructions.as_deref());
        }
        Detail::Notification { message, title, kind } => {
            object.string("message", message);
            object.optional("title", title.as_deref());
            object.optional("notification_type", kind.as_deref());
        }
        Detail::TurnStart { turn } => object.number("turn_index", *turn),
        Detail::TurnEnd { turn, message, tool_results } => {
            object.number("turn_index", *turn);
            object.raw("message", message.get());
            object.raw("tool_results", tool_results.get());
        }
        Detail::SessionBeforeBranch { target } | Detail::SessionBranch { target } => {
            if let Some(target) = target {
                object.number("target_turn_index", *target);
            }
        }
        Detail::SessionBeforeSwitch | Detail::SessionSwitch => {}
        Detail::Permission { call, .. } => object.call(call, tool_name),
        Detail::Other { .. } => {}
    }
}

/// A JSON object that is being written.
pub struct Object(String);

impl Object {
    /// One without members.
    #[expect(clippy::new_without_default, reason = "it is never a field of anything")]
    pub fn new() -> Self {
        Self(String::with_capacity(512))
    }

    /// A member with this JSON text for a value.
    pub fn raw(&mut self, key: &str, json: &str) {
        self.0.push(if self.0.is_empty() { '{' } else { ',' });
        json::push_string(key, &mut self.0);
        self.0.push(':');
        json::push_compact(json, &mut self.0);
    }

    /// A member with a text.
    pub fn string(&mut self, key: &str, value: &str) {
        self.0.push(if self.0.is_empty() { '{' } else { ',' });
        json::push_string(key, &mut self.0);
        self.0.push(':');
        json::push_string(value, &mut self.0);
    }

    /// A member with a text, if there is one.
    pub fn optional(&mut self, key: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.string(key, value);
        }
    }

    /// A member that is true or false.
    pub fn boolean(&mut self, key: &str, value: bool) {
        self.raw(key, if value { "true" } else { "false" });
    }

    /// A member with a number.
    pub fn number(&mut self, key: &str, value: u64) {
        self.raw(key, &value.to_string());
    }

    fn call(&mut self, call: &ToolCall, tool_name: &str) {
        self.string("tool_name", tool_name);
        self.raw("tool_input", call.input.get());
    }

    /// The object as one line, with the line's end.
    pub fn line(mut self) -> Arc<[u8]> {
        self.0.push_str("}\n");
        self.0.into_bytes().into()
    }
}
