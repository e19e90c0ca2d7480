//! The JSON of chat completions.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::llm::{LlmMessage, LlmReply, LlmRequest, LlmToolCall};

/// How much of a server's message an error keeps, in characters.
const MESSAGE_LENGTH: usize = 300;

#[derive(Serialize)]
struct Body<'r> {
    model: &'r str,
    messages: Vec<Message<'r>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'r>>,
    /// What every server but OpenAI's own newer ones takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    /// What OpenAI's own newer models want instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
}

#[derive(Serialize)]
struct Message<'r> {
    role: &'static str,
    content: &'r str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<Call<'r>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<&'r str>,
}

impl<'r> From<&'r LlmMessage> for Message<'r> {
    fn from(message: &'r LlmMessage) -> Self {
        let plain = |role, content| Self { role, content, tool_calls: Vec::new(), tool_call_id: None };
        match message {
            LlmMessage::System(text) => plain("system", text),
            LlmMessage::User(text) => plain("user", text),
            LlmMessage::Assistant(reply) => {
                let call = |call: &'r LlmToolCall| Call {
                    id: &call.id,
                    kind: "function",
                    function: Function { name: &call.name, arguments: &call.arguments },
                };
                Self { tool_calls: reply.tool_calls.iter().map(call).collect(), ..plain("assistant", &reply.text) }
            }
            LlmMessage::ToolResult { id, content } => Self { tool_call_id: Some(id), ..plain("tool", content) },
        }
    }
}

#[derive(Serialize)]
struct Call<'r> {
    id: &'r str,
    #[serde(rename = "type")]
    kind: &'static str,
    function: Function<'r>,
}

#[derive(Serialize)]
struct Function<'r> {
    name: &'r str,
    arguments: &'r str,
}

#[derive(Serialize)]
struct Tool<'r> {
    #[serde(rename = "type")]
    kind: &'static str,
    function: Described<'r>,
}

#[derive(Serialize)]
struct Described<'r> {
    name: &'r str,
    description: &'r str,
    parameters: &'r RawValue,
}

/// The body of a request.
pub(super) fn request_body(model: &str, request: &LlmRequest, is_openai: bool) -> Result<Vec<u8>, String> {
    let mut tools = Vec::with_capacity(request.tools.len());
    for tool in &request.tools {
        let parameters: &RawValue = serde_json::from_str(&tool.parameters)
            .map_err(|error| format!("the parameters of the tool `{}` are not JSON: {error}", tool.name))?;
        let function = Described { name: &tool.name, description: &tool.description, parameters };
        tools.push(Tool { kind: "function", function });
    }
    let body = Body {
        model,
        messages: request.messages.iter().map(Message::from).collect(),
        tools,
        max_tokens: (!is_openai).then_some(request.max_tokens),
        max_completion_tokens: is_openai.then_some(request.max_tokens),
    };
    serde_json::to_vec(&body).map_err(|error| error.to_string())
}

#[derive(Deserialize)]
struct Completion {
    #[serde(default)]
    choices: Vec<Choice>,
}

#[derive(Deserialize)]
struct Choice {
    message: Answered,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Answered {
    content: Option<Value>,
    tool_calls: Option<Vec<Called>>,
}

#[derive(Deserialize)]
struct Called {
    #[serde(default)]
    id: String,
    function: Named,
}

#[derive(Deserialize)]
struct Named {
    name: String,
    #[serde(default)]
    arguments: String,
}

/// Reads a server's answer.
pub(super) fn answer(bytes: &[u8]) -> Result<LlmReply, String> {
    let completion: Completion = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    let Some(choice) = completion.choices.into_iter().next() else {
        let message = error_message(bytes);
        return Err(if message.is_empty() { "it has no choice".to_owned() } else { message });
    };
    let call = |call: Called| LlmToolCall { id: call.id, name: call.function.name, arguments: call.function.arguments };
    Ok(LlmReply {
        text: choice.message.content.as_ref().map(text).unwrap_or_default(),
        tool_calls: choice.message.tool_calls.unwrap_or_default().into_iter().map(call).collect(),
        is_cut: matches!(choice.finish_reason.as_deref(), Some("length" | "content_filter")),
    })
}

/// The text of a message's content: a string, or parts of which some are text.
fn text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part.get("text")?.as_str()).collect(),
        _ => String::new(),
    }
}

/// What a server says of an error: `{"error": {"message": …}}`, or whatever it is, shortened to one line.
pub(super) fn error_message(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let value: Option<Value> = serde_json::from_str(&text).ok();
    let message = value.as_ref().and_then(|value| {
        let error = value.get("error")?;
        error.get("message").or(Some(error))?.as_str()
    });
    let message = message.unwrap_or(&text);
    let line = message.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MESSAGE_LENGTH) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line,
    }
}
