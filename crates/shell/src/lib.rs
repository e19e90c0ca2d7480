//! The in-process POSIX shell interpreter with the bash dialect.
//!
//! It runs inside somebody's process and behaves as a guest there: it never changes the process's working directory,
//! umask, environment, signal handlers or standard streams, never prints and never exits.
#![forbid(unsafe_code)]

mod args;
mod assign;
mod awaited;
mod background;
mod base;
mod buffers;
mod builtins;
mod call;
mod cancel;
mod circular;
pub mod command_line;
mod computed;
pub mod conditional;
mod config;
mod context;
#[cfg(unix)]
mod copied;
mod environment;
mod exec;
mod expand;
mod fds;
mod flow;
pub mod glob;
mod ifs;
mod initial;
mod jobs;
mod limits;
mod notice;
mod option_changes;
mod options;
mod paths;
pub mod pattern;
mod pool;
pub mod printf;
mod process_signals;
mod reference;
mod regex;
mod remembered;
mod restricted;
mod run;
mod scratch;
mod seam;
mod settled;
mod shell;
pub mod source_text;
mod special_file;
mod state_size;
mod stream;
mod tables;
pub mod text;
pub mod timezone;
mod traps;
mod usage;
mod utility;
mod utility_memory;
mod vars;

pub use args::Args;
pub use base::BaseEnvironment;
pub use builtins::is_builtin;
pub use cancel::{CancelReason, CancelToken};
pub use config::{Exit, ExitCause, FIRST_VIRTUAL_ID, Identity, ShellConfig};
pub use fds::FdTable;
pub use limits::{Limit, LimitError, Limits, LimitsBuilder};
pub use paths::DEFAULT_PATH;
pub use pool::{Pool, STACK_SIZE, ShellStack};
pub use process_signals::{SignalSender, SignalSource};
pub use seam::{Environment, ExecError, ExecRequest, Executor, Script, ScriptSource, StandIn, Started};
pub use shell::Shell;
pub use special_file::{Device, SpecialFile, special_file, special_name};
pub use stream::{Capture, Piece, Stream};
pub use utility::{
    CommandCall, CommandEnd, CommandOutcome, Commands, Done, NoCommands, NoUtilities, Prepared, ShellCall,
    StartedShell, Stopped, TimeLimit, Unsupported, Utility, UtilityCall, UtilityContext, UtilitySet,
};
pub use utility_memory::{HeldMemory, UtilityMemory};

/// Interpreters and their parts move between threads: asserted at compile time.
const _: () = {
    const fn sendable<T: Send>() {}
    const fn shared<T: Send + Sync>() {}
    sendable::<Shell>();
    shared::<Stream>();
    shared::<CancelToken>();
    shared::<Pool>();
    shared::<BaseEnvironment>();
};
