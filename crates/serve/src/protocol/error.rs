//! What is answered where a request fails.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The codes of errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorCode {
    /// The line is not JSON.
    Parse,
    /// The JSON is not a request: no `method`, an `id` that is in use, a batch, a second `initialize`.
    InvalidRequest,
    /// There is no such method.
    MethodNotFound,
    /// The parameters have a member that is missing, unknown or of the wrong type.
    InvalidParams,
    /// A bug of hookshell's.
    Internal,
    /// The work could not be done: a config that cannot be read, a directory that is not there. `data` says more.
    Failed,
    /// The first request must be `initialize`.
    NotInitialized,
    /// Too many requests wait.
    Busy,
    /// The message is longer than `max_message_bytes`.
    MessageTooLarge,
    /// `shutdown` was asked for before.
    ShuttingDown,
    /// The request was cancelled, by `$/cancel` or by the end of the process.
    Cancelled,
}

impl ErrorCode {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::Parse,
        Self::InvalidRequest,
        Self::MethodNotFound,
        Self::InvalidParams,
        Self::Internal,
        Self::Failed,
        Self::NotInitialized,
        Self::Busy,
        Self::MessageTooLarge,
        Self::ShuttingDown,
        Self::Cancelled,
    ];

    /// Its number in `error.code`.
    pub fn number(self) -> i32 {
        match self {
            Self::Parse => -32700,
            Self::InvalidRequest => -32600,
            Self::MethodNotFound => -32601,
            Self::InvalidParams => -32602,
            Self::Internal => -32603,
            Self::Failed => -32000,
            Self::NotInitialized => -32002,
            Self::Busy => -32003,
            Self::MessageTooLarge => -32004,
            Self::ShuttingDown => -32005,
            Self::Cancelled => -32800,
        }
    }

    /// Its name, as the documentation has it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Parse => "parse_error",
            Self::InvalidRequest => "invalid_request",
            Self::MethodNotFound => "method_not_found",
            Self::InvalidParams => "invalid_params",
            Self::Internal => "internal_error",
            Self::Failed => "failed",
            Self::NotInitialized => "not_initialized",
            Self::Busy => "busy",
            Self::MessageTooLarge => "message_too_large",
            Self::ShuttingDown => "shutting_down",
            Self::Cancelled => "cancelled",
        }
    }

    /// What it means, in a sentence.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Parse => "The line is not JSON, or not UTF-8.",
            Self::InvalidRequest => {
                "The JSON is not a request: no `method`, an `id` that is in use, a batch, a second `initialize`."
            }
            Self::MethodNotFound => "There is no such method.",
            Self::InvalidParams => "A member of `params` is missing, unknown or of the wrong type.",
            Self::Internal => "A bug of hookshell's.",
            Self::Failed => {
                "The work could not be done: a config that cannot be read, a directory that is not there. `data` says more."
            }
            Self::NotInitialized => "The first request must be `initialize`.",
            Self::Busy => "Too many requests wait: see `limits`. Nothing was run; ask again later.",
            Self::MessageTooLarge => "The message is longer than `max_message_bytes`.",
            Self::ShuttingDown => "`shutdown` was asked for before.",
            Self::Cancelled => "The request was cancelled, by `$/cancel` or because the process ends.",
        }
    }
}

/// The member `error` of a response.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RpcError {
    /// One of the table of codes.
    pub code: i32,
    /// What went wrong, for people.
    pub message: String,
    /// More of it, where there is more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<ErrorData>,
}

/// The member `data` of an error.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ErrorData {
    /// What is wrong, each thing by itself: a config may have several errors.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The exit code that the same command of the command line has for it (64 to 74).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<u8>,
}

impl RpcError {
    /// An error with this message, which is cut where it is very long: it may quote what was sent.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code: code.number(), message: cut(message.into()), data: None }
    }

    /// Adds more of it. What quotes too much is cut, as the message is.
    #[must_use]
    pub fn data(mut self, mut data: ErrorData) -> Self {
        data.reasons = data.reasons.into_iter().map(cut).collect();
        self.data = Some(data);
        self
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.data.get_or_insert_with(ErrorData::default).hint = Some(hint.into());
        self
    }
}

/// The most bytes of a message of ours.
const MAX_MESSAGE: usize = 16 * 1024;

/// A text for people, no longer than they read.
fn cut(mut text: String) -> String {
    if text.len() > MAX_MESSAGE {
        let end = (0..=MAX_MESSAGE).rev().find(|end| text.is_char_boundary(*end));
        text.truncate(end.unwrap_or(0));
        text.push('…');
    }
    text
}

impl fmt::Display for RpcError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.message, self.code)
    }
}

impl std::error::Error for RpcError {}
