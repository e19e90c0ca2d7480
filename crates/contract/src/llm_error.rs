//! Why a language model gave no answer.

use thiserror::Error;

/// Why a model gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LlmError {
    /// It took too long.
    #[error("no answer in time")]
    TimedOut,
    /// Nobody waits any more.
    #[error("cancelled")]
    Cancelled,
    /// The server could not be reached.
    #[error("cannot reach {url}: {message}")]
    Connect {
        /// Where it was looked for.
        url: String,
        /// What went wrong.
        message: String,
    },
    /// The server refused: `429` too many requests, `401` no valid key, `500` an error of its own, …
    #[error("{url} answered with status {status}{}", after_colon(message))]
    Status {
        /// What was asked.
        url: String,
        /// The HTTP status.
        status: u16,
        /// What the server said, shortened.
        message: String,
    },
    /// The answer is not what the protocol has.
    #[error("{url} answered with what is no chat completion: {message}")]
    BadResponse {
        /// What was asked.
        url: String,
        /// What is wrong.
        message: String,
    },
    /// Anything else.
    #[error("{0}")]
    Other(String),
}

fn after_colon(message: &str) -> String {
    if message.is_empty() { String::new() } else { format!(": {message}") }
}
