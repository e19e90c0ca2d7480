//! What a hook reads on its standard input, and the same text read back as an event.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use serde_json::value::RawValue;
use thiserror::Error;

use crate::encoding::to_utf8;
use crate::event::{Detail, Event, ToolCall};
use crate::event_kind::{EventKind, UnknownEvent};
use crate::json::{self, JsonText, RawObject};
use crate::tool_input::{ToolInput, ToolInputError};
use crate::verdict::agent::{Agent, any_event};

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

/// What is known of an event beside its payload.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PayloadContext<'c> {
    /// Whose names the payload may use.
    pub agents: &'c [&'static dyn Agent],
    /// The event, where the payload does not name one. Where it does, both must be the same.
    pub event: Option<EventKind>,
    /// The event's name in the agent's own dialect, where the payload does not name one.
    pub dialect_event_name: Option<&'static str>,
    /// The working directory, where the payload has none.
    pub cwd: &'c Path,
    /// The project's root directory; the working directory unless given.
    pub project_dir: Option<&'c Path>,
    /// The session's identifier, where the payload has none.
    pub session_id: &'c str,
}

impl<'c> PayloadContext<'c> {
    /// Nothing is known but the working directory, and no agent's names.
    pub fn new(cwd: &'c Path) -> Self {
        Self { agents: &[], event: None, dialect_event_name: None, cwd, project_dir: None, session_id: "" }
    }
}

impl Event {
    /// Reads an event's payload: the native keys, or those of another agent (`hook_event_name` or `hookEventName` for
    /// `event`, `sessionId`, `toolName`, `toolArgs`, …; an agent's events of its own are the tool's call that they are
    /// about). A byte order mark is tolerated; other keys are given to the hooks as they came. Of an event that is something
    /// without any data (`Stop`, not `PreToolUse`) nothing at all is an empty object, where the context names it.
    ///
    /// # Errors
    /// The bytes are not one JSON object, a field has the wrong type or is missing, or the event is not known.
    pub fn from_payload<'c>(payload: &[u8], context: impl Into<PayloadContext<'c>>) -> Result<Self, PayloadError> {
        let context = context.into();
        // Windows PowerShell's `>` writes UTF-16.
        let payload = to_utf8(payload);
        let text = std::str::from_utf8(&payload).map_err(PayloadError::NotUtf8)?;
        let text = match text.trim_start_matches('\u{feff}') {
            blank if blank.trim().is_empty() && context.event.is_some_and(|event| !event.needs_data()) => "{}",
            text => text,
        };
        let object = RawObject::parse(text).map_err(PayloadError::NotAnObject)?;

        let named = first_string(&object, &["event", "hook_event_name", "hookEventName"])?;
        let named = named.as_deref().map(|name| any_event(name, context.agents)).transpose()?;
        let dialect_event_name = named.map_or(context.dialect_event_name, |(_, dialect_event_name)| dialect_event_name);
        let named = named.map(|(name, _)| name);
        let name = match (named, context.event) {
            (Some(named), Some(wanted)) if named != wanted => {
                return Err(PayloadError::OtherEvent { named, wanted });
            }
            (Some(name), _) | (None, Some(name)) => name,
            (None, None) => return Err(PayloadError::Missing { field: "event" }),
        };
        let cwd = match path(&object, "cwd")? {
            Some(cwd) => context.cwd.join(cwd),
            None => context.cwd.to_owned(),
        };
        let project_dir: &Path = context.project_dir.unwrap_or(&cwd);
        // Whose event it is by its exact name: the agents that write it so.
        let own = dialect_event_name.map(|own| (own, context.agents));
        let mut event = Self::new(detail(&object, name, own)?, &cwd)
            .with_project_dir(project_dir)
            .with_session_id(
                first_said(&object, &["session_id", "sessionId", "conversation_id"])
                    .unwrap_or_else(|| context.session_id.to_owned()),
            )
            .in_sub_agent(boolean(&object, "is_sub_agent")?);
        event.session_file = path(&object, "session_file")?;
        event.dialect_event_name = dialect_event_name;
        let is_own = |key: &str| {
            own.is_some_and(|(own, agents)| agents.iter().any(|agent| agent.own_members(own).contains(&key)))
        };
        let known = |key: &str| {
            COMMON.contains(&key)
                || own_fields(name).contains(&key) && (key != "attachments" || has_only_strings(&object, "attachments"))
                || is_own(key)
        };
        let extra = object.members.iter().map(|(key, value)| (json::decode(key), (*value).to_owned()));
        event.extra = extra.filter(|(key, _)| !known(key)).collect();
        Ok(event)
    }
}

/// The exact name of an agent's own event, and the agents that may have it.
type Own<'c> = (&'static str, &'c [&'static dyn Agent]);

/// The members that every payload may have.
const COMMON: [&str; 8] =
    ["event", "hook_event_name", "hookEventName", "session_id", "sessionId", "cwd", "is_sub_agent", "session_file"];

/// The members of an event's payload beside the common ones.
fn own_fields(event: EventKind) -> &'static [&'static str] {
    match event {
        EventKind::PreToolUse => &["tool_name", "tool_input", "toolName"],
        EventKind::PostToolUse => &["tool_name", "tool_input", "toolName", "tool_response"],
        EventKind::PostToolUseFailure => &["tool_name", "tool_input", "toolName", "error"],
        EventKind::UserPromptSubmit => &["prompt", "attachments"],
        EventKind::SessionStart => &["source"],
        EventKind::SessionEnd => &["reason"],
        EventKind::Stop => &["stop_hook_active", "last_assistant_message"],
        EventKind::SubagentStop => &["stop_hook_active", "last_assistant_message", "agent_type"],
        EventKind::PreCompact => &["trigger", "custom_instructions"],
        EventKind::Notification => &["message", "title", "notification_type"],
        EventKind::TurnStart => &["turn_index"],
        EventKind::TurnEnd => &["turn_index", "message", "tool_results"],
        EventKind::SessionBeforeBranch | EventKind::SessionBranch => &["target_turn_index"],
        EventKind::SessionBeforeSwitch | EventKind::SessionSwitch => &[],
        EventKind::PermissionRequest | EventKind::PermissionDenied => &["tool_name", "tool_input", "toolName"],
        _ => &[],
    }
}

/// What the payload of an event says beside the common members. Only what the event is nothing without must be there.
fn detail(object: &RawObject<'_>, event: EventKind, own: Option<Own<'_>>) -> Result<Detail, PayloadError> {
    let call = |object| call(object, own);
    let text = |field| said(object, field);
    let or_empty = |field| text(field).unwrap_or_default();
    Ok(match event {
        EventKind::PreToolUse => Detail::PreToolUse { call: call(object)? },
        EventKind::PostToolUse => Detail::PostToolUse { call: call(object)?, response: response(object)? },
        EventKind::PostToolUseFailure => Detail::PostToolUseFailure {
            call: call(object)?,
            error: first_said(object, &["error", "error_message"]).unwrap_or_default(),
        },
        EventKind::UserPromptSubmit => Detail::UserPromptSubmit {
            prompt: string(object, "prompt")?.ok_or(PayloadError::Missing { field: "prompt" })?,
            attachments: attachments(object),
        },
        EventKind::SessionStart => Detail::SessionStart { source: or_empty("source") },
        EventKind::SessionEnd => Detail::SessionEnd { reason: or_empty("reason") },
        EventKind::Stop => {
            Detail::Stop { active: boolean(object, "stop_hook_active")?, last_message: text("last_assistant_message") }
        }
        EventKind::SubagentStop => Detail::SubagentStop {
            active: boolean(object, "stop_hook_active")?,
            last_message: text("last_assistant_message"),
            agent: first_said(object, &["agent_type", "subagent_type", "agentName"]),
        },
        EventKind::PreCompact => {
            Detail::PreCompact { trigger: or_empty("trigger"), instructions: text("custom_instructions") }
        }
        EventKind::Notification => {
            Detail::Notification { message: or_empty("message"), title: text("title"), kind: text("notification_type") }
        }
        EventKind::TurnStart => Detail::TurnStart { turn: index(object, "turn_index")?.unwrap_or_default() },
        EventKind::TurnEnd => Detail::TurnEnd {
            turn: index(object, "turn_index")?.unwrap_or_default(),
            message: json(object, "message")?,
            tool_results: json(object, "tool_results")?,
        },
        EventKind::SessionBeforeBranch => Detail::SessionBeforeBranch { target: index(object, "target_turn_index")? },
        EventKind::SessionBranch => Detail::SessionBranch { target: index(object, "target_turn_index")? },
        EventKind::SessionBeforeSwitch => Detail::SessionBeforeSwitch,
        EventKind::SessionSwitch => Detail::SessionSwitch,
        EventKind::PermissionRequest | EventKind::PermissionDenied => {
            Detail::Permission { name: event, call: call(object)? }
        }
        _ => Detail::Other {
            name: event,
            matched: match matched_member(event) {
                // Copilot CLI's name for it too.
                Some("agent_type") => first_said(object, &["agent_type", "agentType", "agentName"]),
                Some(field) => text(field),
                None => None,
            },
        },
    })
}

/// The member of another agent's event that matchers are tested against.
fn matched_member(event: EventKind) -> Option<&'static str> {
    match event {
        EventKind::SubagentStart => Some("agent_type"),
        EventKind::Setup | EventKind::PostCompact => Some("trigger"),
        EventKind::UserPromptExpansion => Some("command_name"),
        EventKind::ConfigChange | EventKind::DirectoryAdded => Some("source"),
        EventKind::InstructionsLoaded => Some("load_reason"),
        EventKind::PreModelSwitch | EventKind::PostModelSwitch => Some("to_model"),
        EventKind::FileChanged => Some("file_path"),
        EventKind::StopFailure => Some("error"),
        EventKind::Elicitation | EventKind::ElicitationResult => Some("mcp_server_name"),
        _ => None,
    }
}

/// What a tool gave, by the names that agents have for it.
const RESPONSE: [&str; 6] = ["tool_response", "toolResult", "tool_result", "tool_output", "output", "result_json"];

fn response(object: &RawObject<'_>) -> Result<JsonText, PayloadError> {
    let field = RESPONSE.into_iter().find(|field| object.get(field).is_some());
    json(object, field.unwrap_or("tool_response"))
}

fn call(object: &RawObject<'_>, own: Option<Own<'_>>) -> Result<ToolCall, PayloadError> {
    let own = own.and_then(|(own, agents)| agents.iter().find_map(|agent| agent.own_call(object, own)));
    if let Some((name, input)) = own {
        return Ok(ToolCall { name, input: ToolInput::any(&input)? });
    }
    let name = first_string(object, &["tool_name", "toolName"])?.ok_or(PayloadError::Missing { field: "tool_name" })?;
    let input = ["tool_input", "toolArgs", "toolInput"].into_iter().find_map(|field| object.get(field));
    let input = match input.map(RawValue::get) {
        None | Some("null") => ToolInput::default(),
        // An object as text, as Copilot CLI has it.
        Some(text) if text.starts_with('"') => match serde_json::from_str::<String>(text) {
            Ok(inner) if inner.trim_start().starts_with('{') => {
                // A text that only looks like an object is a text: a patch, a program.
                ToolInput::parse(&inner).or_else(|_| ToolInput::any(text))?
            }
            _ => ToolInput::any(text)?,
        },
        Some(text) => ToolInput::any(text)?,
    };
    Ok(ToolCall { name, input })
}

/// The first of some string fields that is there.
fn first_string(object: &RawObject<'_>, fields: &[&'static str]) -> Result<Option<String>, PayloadError> {
    for field in fields {
        if let Some(text) = string(object, field)? {
            return Ok(Some(text));
        }
    }
    Ok(None)
}

/// A field that is told to people and matched: a string's text, of anything else its JSON. A guard must run whatever it is.
/// `None` if it is absent or null.
fn said(object: &RawObject<'_>, field: &str) -> Option<String> {
    let value = object.get(field).filter(|value| value.get() != "null")?;
    Some(json::text(value).unwrap_or_else(|| value.get().to_owned()))
}

/// The first of some such fields that is there.
fn first_said(object: &RawObject<'_>, fields: &[&str]) -> Option<String> {
    fields.iter().find_map(|field| said(object, field))
}

/// A string field; `None` if it is absent or null.
fn string(object: &RawObject<'_>, field: &'static str) -> Result<Option<String>, PayloadError> {
    let Some(value) = object.get(field).filter(|value| value.get() != "null") else {
        return Ok(None);
    };
    let wrong = PayloadError::WrongType { field, expected: "a string", found: json::kind(value) };
    json::text(value).map(Some).ok_or(wrong)
}

/// A field with a path, which must be exactly what was given; `None` if it is absent, null or empty.
fn path(object: &RawObject<'_>, field: &'static str) -> Result<Option<PathBuf>, PayloadError> {
    let Some(value) = object.get(field).filter(|value| value.get() != "null") else {
        return Ok(None);
    };
    let wrong = |_| PayloadError::WrongType { field, expected: "a string of Unicode text", found: json::kind(value) };
    let path: String = serde_json::from_str(value.get()).map_err(wrong)?;
    Ok(Some(path).filter(|path| !path.is_empty()).map(PathBuf::from))
}

/// The names of what is attached to a prompt: texts, or objects that have a path (Cursor's). Others have no name.
fn attachments(object: &RawObject<'_>) -> Vec<String> {
    let value = object.get("attachments").and_then(|value| serde_json::from_str::<Value>(value.get()).ok());
    let name = |attached: &Value| match attached {
        Value::String(name) => Some(name.clone()),
        other => ["file_path", "filePath", "path"].iter().find_map(|key| Some(other.get(key)?.as_str()?.to_owned())),
    };
    value.as_ref().and_then(Value::as_array).into_iter().flatten().filter_map(name).collect()
}

/// Is the field absent, null or a list of nothing but strings?
fn has_only_strings(object: &RawObject<'_>, field: &str) -> bool {
    object.get(field).is_none_or(|value| serde_json::from_str::<Option<Vec<String>>>(value.get()).is_ok())
}

/// Any value; `null` where it is absent.
fn json(object: &RawObject<'_>, field: &'static str) -> Result<JsonText, PayloadError> {
    match object.get(field) {
        Some(value) => JsonText::parse(value.get()).map_err(PayloadError::NotAnObject),
        None => Ok(JsonText::default()),
    }
}

/// A whole number that is not negative; `None` if it is absent or null.
fn index(object: &RawObject<'_>, field: &'static str) -> Result<Option<u64>, PayloadError> {
    let Some(value) = object.get(field).filter(|value| value.get() != "null") else {
        return Ok(None);
    };
    let wrong = |_| PayloadError::WrongType { field, expected: "a whole number, 0 or more", found: json::kind(value) };
    value.get().parse().map(Some).map_err(wrong)
}

/// True or false, as a word or as 1 or 0 too; false where it is absent or null.
fn boolean(object: &RawObject<'_>, field: &'static str) -> Result<bool, PayloadError> {
    match object.get(field).map(|value| (value, value.get())) {
        None | Some((_, "null" | "false" | "\"false\"" | "0" | "\"\"")) => Ok(false),
        Some((_, "true" | "\"true\"" | "1")) => Ok(true),
        Some((value, _)) => Err(PayloadError::WrongType { field, expected: "true or false", found: json::kind(value) }),
    }
}

/// Why a payload is not an event.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PayloadError {
    /// Not UTF-8.
    #[error("the event's payload is not UTF-8: {0}")]
    NotUtf8(#[source] std::str::Utf8Error),
    /// Not one JSON object.
    #[error("the event's payload is not one JSON object: {0}")]
    NotAnObject(#[source] serde_json::Error),
    /// A field that the event needs is not there.
    #[error("the event's payload has no `{field}`")]
    Missing {
        /// The field.
        field: &'static str,
    },
    /// A field is not what it must be.
    #[error("the event's payload: `{field}` must be {expected}, found {found}")]
    WrongType {
        /// The field.
        field: &'static str,
        /// What it must be.
        expected: &'static str,
        /// What kind of value it has.
        found: &'static str,
    },
    /// The tool's input is not an object.
    #[error("the event's payload: `tool_input`: {0}")]
    ToolInput(#[from] ToolInputError),
    /// The event has a name that is not known.
    #[error("the event's payload: {0}")]
    Event(#[from] UnknownEvent),
    /// The payload is another event's.
    #[error("the payload is of the event {named}, and {wanted} was asked for")]
    OtherEvent {
        /// The payload's event.
        named: EventKind,
        /// The event that was asked for.
        wanted: EventKind,
    },
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{PayloadContext, build};
    use crate::event::Event;
    use crate::event_kind::EventKind;
    use crate::tool_input::ToolInput;

    fn root() -> &'static str {
        if cfg!(windows) { "C:\\w" } else { "/w" }
    }

    /// Nothing is known beside the payload.
    fn nothing() -> PayloadContext<'static> {
        PayloadContext {
            agents: &[],
            event: None,
            dialect_event_name: None,
            cwd: Path::new(""),
            project_dir: None,
            session_id: "",
        }
    }

    #[test]
    fn the_payload_is_one_line_with_the_input_token_for_token() {
        let input = ToolInput::parse("{ \"command\": \"rm \\u002d\\n\\\"é\",\n \"n\": 1.0 }").unwrap();
        let event = Event::pre_tool_use("bash", input, root()).with_session_id("313\"909e");
        let cwd = if cfg!(windows) { "C:\\\\w" } else { "/w" };
        assert_eq!(
            String::from_utf8(build(&event).to_vec()).unwrap(),
            format!(
                "{{\"event\":\"PreToolUse\",\"session_id\":\"313\\\"909e\",\"cwd\":\"{cwd}\",\"is_sub_agent\":false,\"tool_name\":\"bash\",\
                 \"tool_input\":{{\"command\":\"rm \\u002d\\n\\\"é\",\"n\":1.0}}}}\n"
            )
        );
    }

    #[test]
    fn a_payload_read_back_is_the_same_event() {
        let input = ToolInput::parse(r#"{"b":1.50,"a":[1e3]}"#).unwrap();
        let event = Event::pre_tool_use("mcp_x", input, root()).with_session_id("s");
        let line = build(&event);
        let read = Event::from_payload(&line, nothing()).unwrap();
        assert_eq!(build(&read), line);
    }

    #[test]
    fn claude_codes_names_are_read_and_gaps_are_filled() {
        let context = PayloadContext {
            event: Some(EventKind::PreToolUse),
            cwd: Path::new(root()),
            session_id: "default",
            ..nothing()
        };
        let payload = "\u{feff}{\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"ls\"},\
                       \"permission_mode\":\"default\",\"tool_use_id\":\"t\"}";
        let event = Event::from_payload(payload.as_bytes(), context).unwrap();
        assert_eq!(event.tool_name(), Some("Bash"));
        assert_eq!(event.session_id(), "default");
        assert_eq!(event.cwd(), Path::new(root()));
        assert_eq!(event.tool_input().unwrap().get(), r#"{"command":"ls"}"#);
    }

    #[test]
    fn a_tools_input_need_not_be_an_object() {
        let cases = [
            (r#""*** Begin Patch""#, r#""*** Begin Patch""#),
            (r#""{ echo }""#, r#""{ echo }""#),
            (r#""{\"a\": 1}""#, r#"{"a":1}"#),
            ("[ 1, 2 ]", "[1,2]"),
            ("1.50", "1.50"),
            ("null", "{}"),
        ];
        for (input, expected) in cases {
            let payload = format!("{{\"event\":\"PreToolUse\",\"tool_name\":\"t\",\"tool_input\":{input}}}");
            let event = Event::from_payload(payload.as_bytes(), nothing()).unwrap();
            assert_eq!(event.tool_input().unwrap().get(), expected, "{input}");
            let line = String::from_utf8(build(&event).to_vec()).unwrap();
            assert!(line.ends_with(&format!("\"tool_input\":{expected}}}\n")), "{line}");
        }
    }

    #[test]
    fn members_that_nothing_depends_on_may_be_of_another_type() {
        let read = |payload: &str| Event::from_payload(payload.as_bytes(), nothing()).unwrap();
        let event = read(r#"{"event":"PreToolUse","tool_name":"t","session_id":12,"is_sub_agent":"false"}"#);
        assert_eq!(event.session_id(), "12");
        let event = read(r#"{"event":"Stop","stop_hook_active":"true","last_assistant_message":{"text":"x"}}"#);
        let line = String::from_utf8(build(&event).to_vec()).unwrap();
        assert!(line.contains(r#""stop_hook_active":true,"last_assistant_message":"{\"text\":\"x\"}""#), "{line}");
        assert_eq!(read(r#"{"event":"PreCompact","trigger":7}"#).matched(), Some("7"));
    }

    #[test]
    fn utf16_with_a_mark_is_read() {
        let text = "\u{feff}{\"event\":\"PreToolUse\",\"tool_name\":\"t\",\"tool_input\":{\"command\":\"é\"}}\r\n";
        let payload: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let event = Event::from_payload(&payload, nothing()).unwrap();
        assert_eq!(event.tool_input().unwrap().get(), r#"{"command":"é"}"#);
    }

    #[test]
    fn what_is_no_payload_is_an_error_that_names_the_field() {
        let cases: [(&[u8], &str); 7] = [
            (b"\xff", "the event's payload is not UTF-8: invalid utf-8 sequence of 1 bytes from index 0"),
            (b"", "the event's payload is not one JSON object: EOF while parsing a value at line 1 column 0"),
            (b"{}", "the event's payload has no `event`"),
            (b"{\"event\":\"pre_tool_use\"}", "the event's payload has no `tool_name`"),
            (b"{\"event\":7}", "the event's payload: `event` must be a string, found a number"),
            (
                b"{\"event\":\"PreToolUse\",\"tool_name\":[]}",
                "the event's payload: `tool_name` must be a string, found an array",
            ),
            (
                b"{\"event\":\"Pretooluze\"}",
                "the event's payload: unknown event `Pretooluze`: did you mean `PreToolUse`?",
            ),
        ];
        for (payload, expected) in cases {
            let error = Event::from_payload(payload, nothing()).unwrap_err();
            assert_eq!(error.to_string(), expected);
        }
    }
}
