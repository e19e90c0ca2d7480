//! `shell/exec`.

use serde::{Deserialize, Serialize};

use super::session::{Options, RequestId};
use crate::by_name::by_name;

/// `shell/exec`: one command, as an agent's shell tool runs it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ExecParams {
    /// The command, in the shell's language.
    pub command: String,
    /// Standard input; the end of the file if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stdin: Option<String>,
    /// Standard input that is not UTF-8, in base64. Not together with `stdin`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stdin_base64: Option<String>,
    /// After so many seconds it is told to stop, and killed after the grace. No timeout if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<f64>,
    /// The seconds between being told to stop and being killed; 2 if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grace: Option<f64>,
    /// Standard error goes where standard output goes, in the exact order of the writes.
    #[serde(default)]
    pub merge_stderr: bool,
    /// How many bytes of output may be sent and not yet acknowledged by `shell/ack`. Without it only the pipe's own flow control holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<u64>,
    /// What is different for this request. `cwd`, `env`, `utilities`, `missing_shell` and `limits` count.
    #[serde(default, deserialize_with = "by_name")]
    pub options: Options,
}

/// `$/output`: what a command has written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OutputParams {
    /// The `shell/exec`.
    pub id: RequestId,
    /// Where it was written.
    pub stream: OutputStream,
    /// The text. Exactly one of `text` and `base64` is there. A character is never divided between two messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The bytes, where they are not UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base64: Option<String>,
}

/// A stream of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum OutputStream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// `shell/ack`: the client has done its work with output of a command that has a `window`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AckParams {
    /// The `shell/exec`. One that has ended is passed over.
    pub id: RequestId,
    /// How many bytes more may be sent: those of the output itself, not of its base64.
    pub bytes: u64,
}

/// The result of `shell/exec`. All output was sent before it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExecResult {
    /// The exit status, as the shell has it: 128 + the signal's number where a signal ended it.
    pub exit_code: u8,
    /// The number of the signal that ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// How it ended.
    pub end: ExecEnd,
    /// What `end` means here, for people, where it is not `exited`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// How it ran, in words.
    pub route: String,
    /// How long it took, in milliseconds.
    pub ms: u64,
    /// The bytes that were sent of standard output.
    pub stdout_bytes: u64,
    /// The bytes that were sent of standard error.
    pub stderr_bytes: u64,
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ExecEnd {
    /// It came to its end by itself.
    Exited,
    /// A signal ended it.
    Signaled,
    /// Its time was over.
    TimedOut,
    /// The program was not found or could not be started.
    NotStarted,
    /// The command has a syntax error.
    SyntaxError,
    /// A limit was reached.
    LimitExceeded,
    /// Its status was lost.
    StatusLost,
}
