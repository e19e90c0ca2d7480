//! `schemas/event.json`: what hooks read on standard input, and `hookshell run` takes there.
#![allow(dead_code, reason = "the types are there for their schema")]

use schemars::JsonSchema;
use serde_json::{Value, json};

use super::events;
use super::shape::of;

/// The schema.
pub(super) fn schema() -> Value {
    let mut schema = of::<EventPayload>();
    // The events of other agents have what their agents say.
    if let Some(variants) = schema.get_mut("oneOf").and_then(Value::as_array_mut) {
        let names: Vec<_> = events::OTHERS.iter().filter(|name| !name.starts_with("Permission")).collect();
        variants.push(json!({
            "type": "object",
            "properties": { "event": { "enum": names } },
            "required": ["event"],
            "description": "An event of another agent: its members stay as they came.",
        }));
    }
    schema
}

/// An event, as a hook of hookshell's own format reads it on standard input: one line of JSON. `hookshell run EVENT` takes the same on its
/// standard input (there `event` may be left out, and the names of other agents are understood too).
#[derive(JsonSchema)]
#[schemars(title = "hookshell event")]
struct EventPayload {
    /// The session's identifier.
    #[schemars(default)]
    session_id: String,
    /// The working directory of the agent; hooks run there.
    #[schemars(default)]
    cwd: String,
    /// It happened in a sub-agent.
    #[schemars(default)]
    is_sub_agent: bool,
    /// The file that the session is kept in, where the agent has said it.
    session_file: Option<String>,
    #[schemars(flatten)]
    detail: Detail,
}

/// What the event has, by its name.
#[derive(JsonSchema)]
#[schemars(tag = "event")]
enum Detail {
    /// A tool is about to be called.
    PreToolUse(Call),
    /// A tool has done its work.
    PostToolUse {
        #[schemars(flatten)]
        call: Call,
        /// What it gave: any JSON value.
        tool_response: Value,
    },
    /// A tool has failed.
    PostToolUseFailure {
        #[schemars(flatten)]
        call: Call,
        /// What it said.
        error: String,
    },
    /// The user is about to be asked whether a tool may be called.
    PermissionRequest(Call),
    /// A permission was refused without asking the user.
    PermissionDenied(Call),
    /// The user has submitted a prompt; the model has not seen it yet.
    UserPromptSubmit {
        /// The prompt.
        prompt: String,
        /// The files that it brings along: their names, or what else the agent says of them.
        #[schemars(default)]
        attachments: Vec<Value>,
    },
    /// A session begins or is taken up again.
    SessionStart {
        /// How: `startup`, `resume`, `clear`, `compact`.
        #[schemars(default)]
        source: String,
    },
    /// A session ends.
    SessionEnd {
        /// Why: `clear`, `logout`, `prompt_input_exit`, `other`.
        #[schemars(default)]
        reason: String,
    },
    /// The agent is about to end its turn.
    Stop(End),
    /// A sub-agent is about to end.
    SubagentStop {
        #[schemars(flatten)]
        end: End,
        /// The sub-agent's name.
        agent_type: Option<String>,
    },
    /// The conversation is about to be compacted.
    PreCompact {
        /// Why: `manual` or `auto`.
        #[schemars(default)]
        trigger: String,
        /// What the user wants to be kept.
        custom_instructions: Option<String>,
    },
    /// The agent tells the user something.
    Notification {
        /// The text.
        #[schemars(default)]
        message: String,
        /// Its title.
        title: Option<String>,
        /// Its type.
        notification_type: Option<String>,
    },
    /// A turn begins.
    TurnStart {
        /// The session's turns are counted from 0.
        #[schemars(default)]
        turn_index: u64,
    },
    /// A turn has ended.
    TurnEnd {
        /// The session's turns are counted from 0.
        #[schemars(default)]
        turn_index: u64,
        /// What the model said, as the agent has it.
        #[schemars(default)]
        message: Value,
        /// What the tools gave, as the agent has it.
        #[schemars(default)]
        tool_results: Value,
    },
    /// The session is about to continue from an earlier turn.
    SessionBeforeBranch(Branch),
    /// The session was taken back to an earlier turn.
    SessionBranch(Branch),
    /// Another session is about to take the place of this one.
    SessionBeforeSwitch {},
    /// Another session took the place of this one.
    SessionSwitch {},
}

#[derive(JsonSchema)]
struct Call {
    /// The tool, as the agent names it.
    tool_name: String,
    /// The tool's input.
    #[schemars(default)]
    tool_input: Value,
}

#[derive(JsonSchema)]
struct End {
    /// The agent only continues because a hook has blocked its end before.
    #[schemars(default)]
    stop_hook_active: bool,
    /// What the agent said last.
    last_assistant_message: Option<String>,
}

#[derive(JsonSchema)]
struct Branch {
    /// The turn, where it is known.
    target_turn_index: Option<u64>,
}
