//! Sub-agents: what a hook of the type `agent` starts to have a decision looked into.

mod bundled;
mod tools;
mod work;

use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
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
    fn create(&self, task: SubagentTask) -> Result<Box<dyn AnySubagent>, SubagentError>;
}

impl<T: SubagentFactory + ?Sized> SubagentFactory for Arc<T> {
    fn create(&self, task: SubagentTask) -> Result<Box<dyn AnySubagent>, SubagentError> {
        (**self).create(task)
    }
}

/// A sub-agent with its task.
///
/// ```
/// use hookshell_runner::{AnySubagent, Subagent, SubagentError, SubagentFactory, SubagentTask};
///
/// /// Stands for a host's own agent.
/// struct Reviewer(SubagentTask);
///
/// impl Subagent for Reviewer {
///     async fn run(&mut self) -> Result<String, SubagentError> {
///         Ok(format!("I read {}.\nALLOW", self.0.project_dir.display()))
///     }
/// }
///
/// struct Reviewers;
///
/// impl SubagentFactory for Reviewers {
///     fn create(&self, task: SubagentTask) -> Result<Box<dyn AnySubagent>, SubagentError> {
///         Ok(Box::new(Reviewer(task)))
///     }
/// }
/// ```
pub trait Subagent {
    /// Works until it has an answer, whose last line begins with `ALLOW` or `DENY`. A host writes it as `async fn`.
    ///
    /// The future is polled on a thread of the runner's, so what blocks in it holds nobody else up. The tokio runtime around it is
    /// that of [`Runner::run`](crate::Runner::run), or one of the runner's own where there was none
    /// ([`Runner::run_blocking`](crate::Runner::run_blocking)). It is dropped at [`SubagentTask::deadline`] and where
    /// [`SubagentTask::cancel`] is cancelled: nobody waits any more. What it has started elsewhere can hear of that by the token.
    ///
    /// # Errors
    /// There is no answer.
    fn run(&mut self) -> impl Future<Output = Result<String, SubagentError>>;

    /// Frees what the sub-agent holds. It is called once, however the run ended, on the thread of the run, where nothing of
    /// [`Subagent::run`] runs any more.
    fn clean_up(&mut self) {}
}

/// A sub-agent's answer, some time.
type ResponseFuture<'a> = Pin<Box<dyn Future<Output = Result<String, SubagentError>> + 'a>>;

/// Any [`Subagent`], of which the type is not known. Every one is: a host implements that trait.
pub trait AnySubagent: sealed::Sealed {
    /// As [`Subagent::run`].
    fn run(&mut self) -> ResponseFuture<'_>;

    /// As [`Subagent::clean_up`].
    fn clean_up(&mut self);
}

mod sealed {
    pub trait Sealed {}

    impl<T: super::Subagent> Sealed for T {}
}

impl<T: Subagent> AnySubagent for T {
    fn run(&mut self) -> ResponseFuture<'_> {
        Box::pin(Subagent::run(self))
    }

    fn clean_up(&mut self) {
        Subagent::clean_up(self);
    }
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
