//! The language model that a host gives, and waiting for it.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use super::{LlmError, LlmReply, LlmRequest};
use crate::host_future::{Unanswered, wait};

/// A model's answer, some time.
type Reply<'a> = Pin<Box<dyn Future<Output = Result<LlmReply, LlmError>> + Send + 'a>>;

/// A language model that answers chats. One client serves all hooks of a runner, at the same time.
///
/// ```
/// use hookshell_runner::{Config, Decision, Event, LlmClient, LlmError, LlmReply, LlmRequest, Runner, ToolInput};
///
/// /// Stands for a provider's client.
/// struct Careful;
///
/// impl LlmClient for Careful {
///     async fn complete(&self, request: &LlmRequest) -> Result<LlmReply, LlmError> {
///         assert_eq!(request.model.as_deref(), Some("small"));
///         Ok(LlmReply::text(r#"{"allow": false, "reason": "it deletes the database"}"#))
///     }
/// }
///
/// let config = Config::parse(
///     r#"{ "hooks": { "PreToolUse": [{ "type": "prompt", "prompt": "Is this safe? $ARGUMENTS", "model": "small" }] } }"#,
///     "crush.json",
/// )?;
/// let runner = Runner::builder().config(config).llm_client(Careful).build()?;
/// let event = Event::pre_tool_use("bash", ToolInput::parse(r#"{"command":"dropdb prod"}"#)?, std::env::temp_dir());
/// let verdict = runner.run_blocking(&event);
/// assert_eq!(verdict.opinion.decision, Some(Decision::Deny));
/// assert_eq!(verdict.opinion.reason.as_deref(), Some("it deletes the database"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A client that is chosen at run time is an `Arc<dyn AnyLlmClient>`, which is a client too.
pub trait LlmClient: Send + Sync {
    /// Gives the model's next message. A host writes it as `async fn`.
    ///
    /// The future is polled on a thread of the runner's, so what blocks in it holds nobody else up. The tokio runtime around it is
    /// that of [`Runner::run`](crate::Runner::run), or one of the runner's own where there was none
    /// ([`Runner::run_blocking`](crate::Runner::run_blocking)). It is dropped at [`LlmRequest::deadline`] and where
    /// [`LlmRequest::cancel`] is cancelled: nobody waits any more. What it has started elsewhere can hear of that by the token.
    ///
    /// # Errors
    /// There is no answer, or none that could be understood.
    fn complete(&self, request: &LlmRequest) -> impl Future<Output = Result<LlmReply, LlmError>> + Send;
}

impl<T: LlmClient> LlmClient for Arc<T> {
    async fn complete(&self, request: &LlmRequest) -> Result<LlmReply, LlmError> {
        (**self).complete(request).await
    }
}

impl LlmClient for Arc<dyn AnyLlmClient> {
    async fn complete(&self, request: &LlmRequest) -> Result<LlmReply, LlmError> {
        (**self).complete(request).await
    }
}

/// Any [`LlmClient`], of which the type is not known. Every one is: a host implements that trait.
pub trait AnyLlmClient: sealed::Sealed + Send + Sync {
    /// As [`LlmClient::complete`].
    fn complete<'a>(&'a self, request: &'a LlmRequest) -> Reply<'a>;
}

mod sealed {
    pub trait Sealed {}

    impl<T: super::LlmClient> Sealed for T {}
}

impl<T: LlmClient> AnyLlmClient for T {
    fn complete<'a>(&'a self, request: &'a LlmRequest) -> Reply<'a> {
        Box::pin(LlmClient::complete(self, request))
    }
}

/// Asks a model and waits for the answer on this thread, which is none of a runtime's: at most until the request's deadline, and
/// until it is cancelled.
pub(crate) fn ask(client: &dyn AnyLlmClient, request: &LlmRequest) -> Result<LlmReply, LlmError> {
    request.timeout()?;
    wait(request.deadline, &request.cancel, || client.complete(request)).unwrap_or_else(|why| Err(why.into()))
}

impl From<Unanswered> for LlmError {
    fn from(why: Unanswered) -> Self {
        match why {
            Unanswered::TimedOut => Self::TimedOut,
            Unanswered::Cancelled => Self::Cancelled,
            Unanswered::NoRuntime(error) => Self::Other(format!("no runtime for the host's model: {error}")),
        }
    }
}
