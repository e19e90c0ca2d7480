//! What hooks ask the host: requests that hookshell sends.

use serde::{Deserialize, Serialize};

/// `ui/select`: have one of the options chosen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SelectParams {
    /// The question.
    pub title: String,
    /// What may be chosen.
    pub options: Vec<String>,
}

/// The answer to `ui/select`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SelectResult {
    /// One of the options; absent or `null`: none was chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selected: Option<String>,
}

/// `ui/confirm`: ask yes or no.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConfirmParams {
    /// The question.
    pub title: String,
    /// What it is about.
    pub message: String,
}

/// The answer to `ui/confirm`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConfirmResult {
    /// Yes.
    pub confirmed: bool,
}

/// `ui/input`: ask for a line of text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InputParams {
    /// The question.
    pub title: String,
    /// What may stand in the empty field.
    pub placeholder: String,
}

/// The answer to `ui/input`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InputResult {
    /// The text; absent or `null`: none was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// `ui/notify`: show a message. A notification: nobody waits for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NotifyParams {
    /// The message.
    pub message: String,
    /// How important it is.
    pub level: NotifyLevel,
}

/// How important a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum NotifyLevel {
    /// For information.
    Info,
    /// A warning.
    Warning,
    /// Something went wrong.
    Error,
}

/// `llm/complete`: ask the host's model for the next message of a chat.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CompleteParams {
    /// The model that the hook names; the host's default if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The chat so far.
    pub messages: Vec<ModelMessage>,
    /// The tools that the model may call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ModelTool>,
    /// The most tokens that the answer may have.
    pub max_tokens: u32,
    /// How many milliseconds the answer may take. Later the request is cancelled.
    pub timeout_ms: u64,
}

/// A message of a chat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum ModelMessage {
    /// What the model is to keep to.
    System {
        /// The text.
        content: String,
    },
    /// What it is asked.
    User {
        /// The text.
        content: String,
    },
    /// What it answered.
    Assistant {
        /// The text.
        content: String,
        /// The tools that it wanted to call.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<ModelToolCall>,
    },
    /// What a tool gave.
    Tool {
        /// The call's identifier.
        tool_call_id: String,
        /// The result, or what went wrong.
        content: String,
    },
}

/// A tool that the model may call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelTool {
    /// Its name.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// Its arguments, as a JSON schema.
    pub parameters: serde_json::Value,
}

/// A tool that the model wants to call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelToolCall {
    /// What its result is to name.
    pub id: String,
    /// The tool.
    pub name: String,
    /// Its arguments, as the JSON text that the model wrote.
    pub arguments: String,
}

/// The answer to `llm/complete`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CompleteResult {
    /// The message's text.
    #[serde(default)]
    pub text: String,
    /// The tools that the model wants to call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ModelToolCall>,
    /// The message was cut off, by its length or by a filter.
    #[serde(default)]
    pub is_cut: bool,
}
