//! What Cursor's own events tell a hook, and the tool's call that they are about.

use serde_json::value::RawValue;

use crate::event::Detail;
use crate::event_kind::EventKind;
use crate::json::RawObject;
use crate::payload_writer::{Payload, json_string};
use crate::read_file::read_regular;
use crate::tool_input::ToolInput;
use crate::tools;

/// The most that a hook is told of a file that is to be read.
const CONTENT_LIMIT: u64 = 64 * 1024 * 1024;

/// The tool's call that one of Cursor's own events is about: the tool's name and its input as JSON.
pub(super) fn own_call(object: &RawObject<'_>, dialect_event_name: &str) -> Option<(String, String)> {
    let get = |field: &str| object.get(field).map_or("\"\"", RawValue::get);
    match dialect_event_name {
        "beforeShellExecution" | "afterShellExecution" => {
            Some(("Shell".to_owned(), format!("{{\"command\":{}}}", get("command"))))
        }
        name @ ("beforeReadFile" | "beforeTabFileRead") => {
            let tool = if name == "beforeReadFile" { "Read" } else { "TabRead" };
            Some((tool.to_owned(), format!("{{\"file_path\":{}}}", get("file_path"))))
        }
        name @ ("afterFileEdit" | "afterTabFileEdit") => {
            let tool = if name == "afterFileEdit" { "Write" } else { "TabWrite" };
            let edits = object.get("edits").map_or("[]", RawValue::get);
            Some((tool.to_owned(), format!("{{\"file_path\":{},\"edits\":{edits}}}", get("file_path"))))
        }
        "beforeMCPExecution" | "afterMCPExecution" => {
            let name: String = serde_json::from_str(get("tool_name")).ok()?;
            let input = object.get("tool_input").map_or("{}", RawValue::get);
            // An object as text.
            let object = serde_json::from_str(input).ok().filter(|text: &String| ToolInput::parse(text).is_ok());
            let input = object.unwrap_or_else(|| input.to_owned());
            Some((if tools::is_mcp(&name) { name } else { format!("MCP:{name}") }, input))
        }
        _ => None,
    }
}

/// The members of the payload that [`own_call`] takes.
pub(super) fn own_members(dialect_event_name: &str) -> &'static [&'static str] {
    match dialect_event_name {
        "beforeShellExecution" | "afterShellExecution" => &["command"],
        "beforeReadFile" | "beforeTabFileRead" | "afterFileEdit" | "afterTabFileEdit" => &["file_path"],
        "beforeMCPExecution" | "afterMCPExecution" => &["tool_name", "tool_input"],
        _ => &[],
    }
}

/// What an event of Cursor's has beside the common members.
pub(super) fn own_detail(payload: &mut Payload<'_>, dialect_event_name: &str) {
    let event = payload.event;
    let input = event.tool_input().map_or("{}", |input| input.get());
    let response = match event.detail() {
        Detail::PostToolUse { response, .. } => response.get(),
        _ => "null",
    };
    // What a tool got and gave, as the text that Cursor has for it.
    let text_of = |json: &str| if json.starts_with('"') { json.to_owned() } else { json_string(json) };
    match dialect_event_name {
        "beforeShellExecution" | "afterShellExecution" => {
            let command = payload.input_text("command").unwrap_or_default();
            payload.string("command", &command).cwd();
            if dialect_event_name == "afterShellExecution" {
                payload.given_or("output", &text_of(response)).given_or("duration", "0");
            }
        }
        "beforeMCPExecution" | "afterMCPExecution" => {
            let name = payload.tool_name().unwrap_or_default();
            let name = name.strip_prefix("MCP:").unwrap_or(&name).to_owned();
            payload.string("tool_name", &name).raw("tool_input", &text_of(input));
            if dialect_event_name == "afterMCPExecution" {
                payload.given_or("result_json", &text_of(response)).given_or("duration", "0");
            }
        }
        "beforeReadFile" | "beforeTabFileRead" => {
            let path = payload.input_text("file_path").or_else(|| payload.input_text("path")).unwrap_or_default();
            let content = payload.given("content").map_or_else(
                || {
                    let content = read_regular(&event.cwd().join(&path), CONTENT_LIMIT).unwrap_or_default();
                    json_string(&String::from_utf8(content).unwrap_or_default())
                },
                |content| content.get().to_owned(),
            );
            payload.string("file_path", &path).raw("content", &content);
        }
        "afterFileEdit" | "afterTabFileEdit" => {
            let path = payload.input_text("file_path").or_else(|| payload.input_text("path")).unwrap_or_default();
            let edits = edits(payload);
            payload.string("file_path", &path).raw("edits", &edits);
        }
        _ => general_detail(payload, response, text_of),
    }
}

fn general_detail(payload: &mut Payload<'_>, response: &str, text_of: impl Fn(&str) -> String) {
    let event = payload.event;
    match event.detail() {
        Detail::PreToolUse { call } | Detail::PostToolUse { call, .. } | Detail::PostToolUseFailure { call, .. } => {
            let name = payload.tool_name().unwrap_or_default();
            payload.string("tool_name", &name).raw("tool_input", call.input.get()).cwd();
            match event.detail() {
                Detail::PostToolUse { .. } => {
                    payload.given_or("tool_output", &text_of(response));
                }
                Detail::PostToolUseFailure { error, .. } => {
                    payload.string("error_message", error).given_or("failure_type", "\"error\"");
                }
                _ => {}
            }
        }
        Detail::UserPromptSubmit { prompt, attachments } => {
            let attachments: Vec<String> = attachments
                .iter()
                .map(|path| format!("{{\"type\":\"file\",\"file_path\":{}}}", json_string(path)))
                .collect();
            payload.string("prompt", prompt).given_or("attachments", &format!("[{}]", attachments.join(",")));
        }
        Detail::SessionStart { .. } => {
            payload.string("session_id", event.session_id());
        }
        Detail::SessionEnd { reason } => {
            payload.string("session_id", event.session_id()).string("reason", reason);
        }
        Detail::Stop { .. } => {
            payload.given_or("status", "\"completed\"").given_or("loop_count", "0");
        }
        Detail::SubagentStop { agent, last_message, .. } => {
            let agent = json_string(agent.as_deref().unwrap_or_default());
            let summary = json_string(last_message.as_deref().unwrap_or_default());
            payload.given_or("subagent_type", &agent).given_or("status", "\"completed\"").given_or("summary", &summary);
        }
        Detail::PreCompact { trigger, .. } => {
            payload.string("trigger", trigger);
        }
        Detail::Other { name: EventKind::SubagentStart, matched: Some(agent) } => {
            payload.given_or("subagent_type", &json_string(agent));
        }
        _ => {
            payload.detail();
        }
    }
}

/// The edits of a file: those of the tool's input, or the one that it is.
fn edits(payload: &Payload<'_>) -> String {
    if let Some(edits) = payload.given("edits").map(RawValue::get) {
        return edits.to_owned();
    }
    if let Some(edits) = payload.input_text("edits") {
        return edits;
    }
    let text = |member: &str| json_string(&payload.input_text(member).unwrap_or_default());
    let new = if payload.input_text("new_string").is_some() { text("new_string") } else { text("content") };
    format!("[{{\"old_string\":{},\"new_string\":{new}}}]", text("old_string"))
}
