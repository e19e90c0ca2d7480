//! Language models: what a hook of the type `prompt` or `agent` asks.

mod answer;
mod cache;
mod client;
#[cfg(feature = "openai")]
mod openai;
mod prompt;

use std::time::{Duration, Instant};

pub(crate) use self::answer::{Ruling, last_word};
pub(crate) use self::cache::DecisionCache;
pub(crate) use self::client::ask;
pub use self::client::{AnyLlmClient, LlmClient};
#[cfg(feature = "openai")]
pub use self::openai::OpenAiClient;
pub(crate) use self::prompt::{PromptWork, cached, route};
use crate::cancel::CancelToken;
pub use crate::llm_error::LlmError;
use crate::outcome::Failure;

/// What a model is asked.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LlmRequest {
    /// The model; the client's default where there is none.
    pub model: Option<String>,
    /// The chat so far.
    pub messages: Vec<LlmMessage>,
    /// The tools that the model may call.
    pub tools: Vec<LlmTool>,
    /// The most tokens that the answer may have.
    pub max_tokens: u32,
    /// When the answer must be there.
    pub deadline: Instant,
    /// Tells when nobody waits for the answer any more.
    pub cancel: CancelToken,
}

impl LlmRequest {
    /// How long the answer may take from now on.
    ///
    /// # Errors
    /// Nobody waits for it any more.
    pub fn timeout(&self) -> Result<Duration, LlmError> {
        time_left(self.deadline, &self.cancel)
    }
}

fn time_left(deadline: Instant, cancel: &CancelToken) -> Result<Duration, LlmError> {
    if cancel.is_cancelled() {
        return Err(LlmError::Cancelled);
    }
    match deadline.saturating_duration_since(Instant::now()) {
        Duration::ZERO => Err(LlmError::TimedOut),
        left => Ok(left),
    }
}

/// One message of a chat.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum LlmMessage {
    /// What the model is to keep to.
    System(String),
    /// What it is asked.
    User(String),
    /// What it answered.
    Assistant(LlmReply),
    /// What a tool gave.
    ToolResult {
        /// The call's identifier.
        id: String,
        /// The result, or what went wrong.
        content: String,
    },
}

/// A model's message.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LlmReply {
    /// Its text.
    pub text: String,
    /// The tools that it wants to call.
    pub tool_calls: Vec<LlmToolCall>,
    /// Was it cut off, by its length or by a filter?
    pub is_cut: bool,
}

impl LlmReply {
    /// A message that is only text.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// The same message with a call of a tool.
    #[must_use]
    pub fn with_call(mut self, id: impl Into<String>, name: impl Into<String>, arguments: impl Into<String>) -> Self {
        self.tool_calls.push(LlmToolCall { id: id.into(), name: name.into(), arguments: arguments.into() });
        self
    }
}

/// A tool that a model wants to call.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LlmToolCall {
    /// What its result is to name.
    pub id: String,
    /// The tool.
    pub name: String,
    /// Its arguments, as JSON that the model wrote: it may be wrong.
    pub arguments: String,
}

/// A tool that a model may call.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LlmTool {
    /// Its name.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// Its arguments, as a JSON schema.
    pub parameters: String,
}

impl LlmTool {
    /// A tool.
    pub fn new(name: impl Into<String>, description: impl Into<String>, parameters: impl Into<String>) -> Self {
        Self { name: name.into(), description: description.into(), parameters: parameters.into() }
    }
}

/// The failure of a hook whose model gave no answer within `timeout`.
pub(crate) fn failure(error: LlmError, timeout: Duration) -> Failure {
    match error {
        LlmError::TimedOut => Failure::TimedOut(timeout),
        LlmError::Cancelled => Failure::Cancelled,
        error => Failure::Model(error),
    }
}

/// A hook's question with the event in it: where it says `$ARGUMENTS`, or else at its end.
pub(crate) fn with_payload(prompt: &str, payload: &[u8]) -> String {
    const PLACEHOLDER: &str = "$ARGUMENTS";
    let payload = String::from_utf8_lossy(payload);
    let payload = payload.trim_end();
    if prompt.contains(PLACEHOLDER) {
        prompt.replace(PLACEHOLDER, payload)
    } else {
        format!("{prompt}\n\nThe event:\n{payload}")
    }
}

#[cfg(test)]
mod tests;
