//! The in-process POSIX shell interpreter with the bash dialect.
//!
//! It runs inside somebody's process and behaves as a guest there: it never changes the process's working directory,
//! umask, environment, signal handlers or standard streams, never prints and never exits.
#![forbid(unsafe_code)]

mod buffers;
mod call;
mod command_hash;
pub mod command_line;
mod completions;
pub mod conditional;
mod config;
mod context;
mod coprocess;
mod environment;
mod executor;
mod flow;
pub mod glob;
mod ifs;
mod incomplete_unit;
mod inherited;
mod interpreter;
mod jobs;
mod limits;
mod options;
mod paths;
mod pool;
mod process_signals;
mod random;
mod regex;
mod scratch;
mod shell;
pub mod source_text;
mod state_size;
mod tables;
mod traps;
mod usage;
mod vars;

// What hosts give and get beside the interpreter itself, and what their own utilities are made of.
pub use hookshell_utility::{
    Args, CancelReason, Capture, CommandCall, CommandEnd, CommandOutcome, Commands, Device, Done, Environment, FdTable,
    FirstLine, HeldMemory, NoCommands, NoUtilities, OutputSink, Piece, Prepared, RunToken, ShellCall, SpecialFile,
    StartedShell, Stopped, Stream, TimeLimit, Unsupported, Utility, UtilityCall, UtilityContext, UtilityMemory,
    UtilitySet, special_file, special_name,
};

pub use config::{Exit, ExitCause, FIRST_VIRTUAL_ID, Identity, ShellConfig};
pub use executor::{ExecError, ExecRequest, Executor, Script, ScriptSource, StandIn, Started};
pub use interpreter::{BaseEnvironment, SignalSender, is_builtin};
pub use limits::{Limit, LimitError, Limits, LimitsBuilder};
pub use paths::DEFAULT_PATH;
pub use pool::{Pool, STACK_SIZE, ShellStack};
pub use process_signals::SignalSource;
pub use shell::Shell;

/// Interpreters and their parts move between threads: asserted at compile time.
const _: () = {
    const fn sendable<T: Send>() {}
    const fn shared<T: Send + Sync>() {}
    sendable::<Shell>();
    shared::<Stream>();
    shared::<RunToken>();
    shared::<Pool>();
    shared::<BaseEnvironment>();
};
