//! The client as the person and the language model that hooks ask.

use hookshell_runner::inprocess::{HookUi, NotifyLevel};
use hookshell_runner::{LlmClient, LlmError, LlmMessage, LlmReply, LlmRequest, LlmToolCall};
use hookshell_serve::protocol::{
    self, CompleteParams, CompleteResult, ConfirmParams, ConfirmResult, InputParams, InputResult, ModelMessage,
    ModelTool, ModelToolCall, NotifyParams, SelectParams, SelectResult,
};
use hookshell_serve::{Questions, read_answer};

/// The person in front of the client. Where there is no answer it is the safe one.
pub(super) struct HostUi(pub(super) Questions);

impl HookUi for HostUi {
    async fn select(&self, title: &str, options: &[String]) -> Option<String> {
        let params = SelectParams { title: title.to_owned(), options: options.to_vec() };
        let answer: SelectResult = read_answer(self.0.ask("ui/select", &params).await).ok()?;
        answer.selected.filter(|selected| options.contains(selected))
    }

    async fn confirm(&self, title: &str, message: &str) -> bool {
        let params = ConfirmParams { title: title.to_owned(), message: message.to_owned() };
        let answer: Result<ConfirmResult, _> = read_answer(self.0.ask("ui/confirm", &params).await);
        answer.is_ok_and(|answer| answer.confirmed)
    }

    async fn input(&self, title: &str, placeholder: &str) -> Option<String> {
        let params = InputParams { title: title.to_owned(), placeholder: placeholder.to_owned() };
        let answer: InputResult = read_answer(self.0.ask("ui/input", &params).await).ok()?;
        answer.text
    }

    fn notify(&self, message: &str, level: NotifyLevel) {
        let level = match level {
            NotifyLevel::Info => protocol::NotifyLevel::Info,
            NotifyLevel::Warning => protocol::NotifyLevel::Warning,
            NotifyLevel::Error => protocol::NotifyLevel::Error,
        };
        self.0.notify("ui/notify", &NotifyParams { message: message.to_owned(), level });
    }
}

/// The client's language model.
pub(super) struct HostModel(pub(super) Questions);

impl LlmClient for HostModel {
    async fn complete(&self, request: &LlmRequest) -> Result<LlmReply, LlmError> {
        let timeout = request.timeout()?;
        let params = CompleteParams {
            model: request.model.clone(),
            messages: request.messages.iter().filter_map(message).collect(),
            tools: request
                .tools
                .iter()
                .map(|tool| ModelTool {
                    name: tool.name.clone(),
                    description: tool.description.clone(),
                    parameters: serde_json::from_str(&tool.parameters).unwrap_or_default(),
                })
                .collect(),
            max_tokens: request.max_tokens,
            timeout_ms: u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX),
        };
        // Where nobody waits any more the question is dropped, which tells the client.
        let answer: CompleteResult = read_answer(self.0.ask("llm/complete", &params).await)
            .map_err(|why| LlmError::Other(format!("the host's model: {why}")))?;
        let mut reply = LlmReply::text(answer.text);
        for call in answer.tool_calls {
            reply = reply.with_call(call.id, call.name, call.arguments);
        }
        reply.is_cut = answer.is_cut;
        Ok(reply)
    }
}

/// A message of a chat. One of a kind that this program does not know yet is left out.
fn message(message: &LlmMessage) -> Option<ModelMessage> {
    let call = |call: &LlmToolCall| ModelToolCall {
        id: call.id.clone(),
        name: call.name.clone(),
        arguments: call.arguments.clone(),
    };
    Some(match message {
        LlmMessage::System(content) => ModelMessage::System { content: content.clone() },
        LlmMessage::User(content) => ModelMessage::User { content: content.clone() },
        LlmMessage::Assistant(reply) => ModelMessage::Assistant {
            content: reply.text.clone(),
            tool_calls: reply.tool_calls.iter().map(call).collect(),
        },
        LlmMessage::ToolResult { id, content } => {
            ModelMessage::Tool { tool_call_id: id.clone(), content: content.clone() }
        }
        _ => return None,
    })
}
