//! Sub-agents: what a hook of the type `agent` starts to have a decision looked into.

mod bundled;
mod tools;
mod work;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use thiserror::Error;

pub use self::bundled::LlmSubagents;
pub(crate) use self::work::AgentWork;
use crate::cancel::CancelToken;
use crate::llm::LlmError;

/// Makes sub-agents: a host that has an agent of its own gives the runner one of these. Without it, and with an
/// [`LlmClient`](crate::LlmClient), the runner uses [`LlmSubagents`].
pub trait SubagentFactory: Send + Sync {
    /// Makes a sub-agent for one task. It may use no other tools than the task says.
    ///
    /// # Errors
    /// There can be none.
    fn create(&self, task: SubagentTask) -> Result<Box<dyn Subagent>, SubagentError>;
}

impl<T: SubagentFactory + ?Sized> SubagentFactory for Arc<T> {
    fn create(&self, task: SubagentTask) -> Result<Box<dyn Subagent>, SubagentError> {
        (**self).create(task)
    }
}

/// A sub-agent with its task.
pub trait Subagent {
    /// Works until it has an answer, whose last line begins with `ALLOW` or `DENY`. It blocks, on a thread of the
    /// runner's where the tokio runtime of [`Runner::run`](crate::Runner::run), if there is one, is the current one
    /// (`Handle::current`); it is not to be called on a thread of a runtime. At the task's deadline, or where its token is cancelled, nobody waits for it any more.
    ///
    /// # Errors
    /// There is no answer.
    fn run(&mut self) -> Result<String, SubagentError>;

    /// Frees what the sub-agent holds. It is called once, however the run ended, on the thread of the run.
    fn clean_up(&mut self) {}
}

/// What a sub-agent is to do.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SubagentTask {
    /// What it is told: the hook's prompt with the event in it, and how to answer.
    pub prompt: String,
    /// The model; the default where there is none.
    pub model: Option<String>,
    /// The tools that it may use.
    pub tools: Vec<String>,
    /// How many times the model may answer.
    pub max_turns: u32,
    /// The project's directory: tools reach nothing outside of it.
    pub project_dir: PathBuf,
    /// The session of the event.
    pub session_id: String,
    /// When the answer must be there.
    pub deadline: Instant,
    /// Tells when nobody waits for the answer any more.
    pub cancel: CancelToken,
}

/// Why a sub-agent has no answer.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SubagentError {
    /// Its model gave none.
    #[error(transparent)]
    Model(#[from] LlmError),
    /// It had not answered after so many turns.
    #[error("no answer after {0} turns")]
    TooManyTurns(u32),
    /// Anything else.
    #[error("{0}")]
    Other(String),
}

#[cfg(test)]
mod tests;
