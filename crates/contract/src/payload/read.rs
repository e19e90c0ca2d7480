//! A payload read back as an event.

use std::path::{Path, PathBuf};

use serde_json::Value;
use serde_json::value::RawValue;
use thiserror::Error;

use crate::encoding::to_utf8;
use crate::event::{Detail, Event, ToolCall};
use crate::event_kind::{EventKind, UnknownEvent};
use crate::json::{self, JsonText, RawObject};
use crate::tool_input::{ToolInput, ToolInputError};
use crate::verdict::agent::{Agent, any_event};

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

        // Where an agent names its event in its own way, an `event` beside it means something else.
        let named = first_string(&object, &["hook_event_name", "hookEventName", "event"])?;
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
                first_shown_field(&object, &["session_id", "sessionId", "conversation_id"])
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
    let text = |field| shown_field(object, field);
    let or_empty = |field| text(field).unwrap_or_default();
    Ok(match event {
        EventKind::PreToolUse => Detail::PreToolUse { call: call(object)? },
        EventKind::PostToolUse => Detail::PostToolUse { call: call(object)?, response: response(object)? },
        EventKind::PostToolUseFailure => Detail::PostToolUseFailure {
            call: call(object)?,
            error: first_shown_field(object, &["error", "error_message"]).unwrap_or_default(),
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
            agent: first_shown_field(object, &["agent_type", "subagent_type", "agentName"]),
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
                Some("agent_type") => first_shown_field(object, &["agent_type", "agentType", "agentName"]),
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
fn shown_field(object: &RawObject<'_>, field: &str) -> Option<String> {
    let value = object.get(field).filter(|value| value.get() != "null")?;
    Some(json::text(value).unwrap_or_else(|| value.get().to_owned()))
}

/// The first of some such fields that is there.
fn first_shown_field(object: &RawObject<'_>, fields: &[&str]) -> Option<String> {
    fields.iter().find_map(|field| shown_field(object, field))
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
    let wrong = || PayloadError::WrongType { field, expected: "a whole number, 0 or more", found: json::kind(value) };
    json::whole_number(value.get()).map(Some).ok_or_else(wrong)
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
