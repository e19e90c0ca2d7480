//! A sub-agent over a language model, with tools that read the project.

use std::sync::Arc;

use super::tools::Tools;
use super::{AnySubagent, Subagent, SubagentError, SubagentFactory, SubagentTask};
use crate::llm::{AnyLlmClient, LlmClient, LlmError, LlmMessage, LlmRequest, last_word};

/// The most tokens of one answer.
const MAX_TOKENS: u32 = 4096;

/// How much a chat may hold, in bytes: about what a large model's window does.
const CHAT_LIMIT: usize = 1024 * 1024;

/// How many calls of tools one answer may have; the others are refused.
const CALLS_PER_TURN: usize = 16;

/// Sub-agents over a language model. Their tools are `read`, `glob` and `grep`, which see the files of the project and,
/// links resolved, nothing else.
pub struct LlmSubagents(Arc<dyn AnyLlmClient>);

impl LlmSubagents {
    /// Sub-agents that ask this model.
    pub fn new(client: impl LlmClient + 'static) -> Self {
        Self(Arc::new(client))
    }

    pub(crate) fn over(client: Arc<dyn AnyLlmClient>) -> Self {
        Self(client)
    }
}

impl SubagentFactory for LlmSubagents {
    fn create(&self, task: SubagentTask) -> Result<Box<dyn AnySubagent>, SubagentError> {
        let tools = Tools::new(&task).map_err(SubagentError::Other)?;
        Ok(Box::new(Bundled { client: Arc::clone(&self.0), task, tools }))
    }
}

struct Bundled {
    client: Arc<dyn AnyLlmClient>,
    task: SubagentTask,
    tools: Tools,
}

impl Subagent for Bundled {
    async fn run(&mut self) -> Result<String, SubagentError> {
        let task = &self.task;
        let mut size = task.prompt.len();
        let mut request = LlmRequest {
            model: task.model.clone(),
            messages: vec![LlmMessage::User(task.prompt.clone())],
            tools: self.tools.descriptions(),
            max_tokens: MAX_TOKENS,
            deadline: task.deadline,
            cancel: task.cancel.clone(),
        };
        for _ in 0..task.max_turns {
            request.timeout()?;
            let reply = (*self.client).complete(&request).await?;
            // An answer that was cut off allows nothing; what it has said of a deny it has said.
            let denies = || reply.tool_calls.is_empty() && last_word(&reply.text).is_ok_and(|ruling| !ruling.allow);
            if reply.is_cut && !denies() {
                return Err(LlmError::Other("the answer was cut off".to_owned()).into());
            }
            if reply.tool_calls.is_empty() {
                return Ok(reply.text);
            }
            let calls = reply.tool_calls.clone();
            size += reply.text.len();
            request.messages.push(LlmMessage::Assistant(reply));
            for (index, call) in calls.into_iter().enumerate() {
                request.timeout()?;
                let content = if index < CALLS_PER_TURN {
                    self.tools.call(&call.name, &call.arguments)
                } else {
                    format!("error: more than {CALLS_PER_TURN} calls at once")
                };
                size += content.len() + call.arguments.len();
                request.messages.push(LlmMessage::ToolResult { id: call.id, content });
            }
            if size > CHAT_LIMIT {
                return Err(SubagentError::Other(format!("it has read more than {CHAT_LIMIT} bytes")));
            }
        }
        Err(SubagentError::TooManyTurns(task.max_turns))
    }
}
