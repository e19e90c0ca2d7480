//! The messages: parameters and results of each method, and its table ([`METHODS`]).
//!
//! All names are in snake case, as in the verdict that `hookshell run` prints. A member that is absent means the same as
//! `null`. Members that are not known are errors in parameters, so that a misspelt `fail_closed` is seen; in results they may be
//! added at any time.

mod error;
mod hooks;
mod host;
mod inspect;
mod method;
mod session;
mod shell;

pub use error::{ErrorCode, ErrorData, RpcError};
pub use hooks::{
    HookReport, HookState, Message, MessageLevel, ProgressParams, Rendered, RunParams, RunResult, ShellUse, Verdict,
    WakeParams,
};
pub use host::{
    CompleteParams, CompleteResult, ConfirmParams, ConfirmResult, InputParams, InputResult, ModelMessage, ModelTool,
    ModelToolCall, NotifyLevel, NotifyParams, SelectParams, SelectResult,
};
pub use inspect::{
    CheckParams, CheckResult, DoctorParams, DoctorResult, ExplainParams, ExplainResult, Explanation, Finding,
};
pub(crate) use method::find_method;
pub use method::{Direction, METHODS, Method, MethodKind};
pub use session::{
    CancelParams, Capabilities, ClientCapabilities, Empty, InitializeParams, InitializeResult, Limits, LogMode,
    NoParams, Options, Peer, RequestId, SessionEndParams,
};
pub use shell::{AckParams, ExecEnd, ExecParams, ExecResult, OutputParams, OutputStream};

/// The version of the protocol that is spoken here. It changes only where an older client would go wrong.
pub const PROTOCOL_VERSION: u32 = 1;

/// The longest message, in bytes, its newline not counted.
pub const MAX_MESSAGE_BYTES: usize = 16 * 1024 * 1024;

/// How many requests may wait for their turn. More are answered with [`ErrorCode::Busy`].
pub const MAX_QUEUED_REQUESTS: usize = 16 * 1024;

/// How many bytes the requests that wait may have together. More are answered with [`ErrorCode::Busy`].
pub const MAX_QUEUED_BYTES: usize = 64 * 1024 * 1024;
