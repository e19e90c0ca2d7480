//! The in-process POSIX shell interpreter with the bash dialect.
//!
//! It runs inside somebody's process and behaves as a guest there: it never changes the process's working directory,
//! umask, environment, signal handlers or standard streams, never prints and never exits.
#![forbid(unsafe_code)]

mod buffers;
mod call;
mod command_hash;
pub mod command_line;
mod compatibility;
mod completions;
mod conditional;
mod config;
mod context;
mod coprocess;
mod declaration;
mod dynamic_vars;
mod environment;
mod executor;
mod flow;
mod glob;
mod ifs;
mod incomplete_unit;
mod inherited;
mod interpreter;
mod jobs;
mod limits;
mod option_changes;
mod options;
mod paths;
mod pool;
mod process_signals;
mod random;
mod regex;
mod restricted;
mod scratch;
mod script_shell;
mod shell;
mod source_text;
mod stack;
mod state_size;
mod tables;
mod traps;
mod usage;
mod vars;

// What a host gives to a shell, and gets of it. Who writes a utility takes the rest from `hookshell-utility`.
pub use hookshell_utility::{
    CancelReason, Capture, FdTable, FirstLine, Language, NoUtilities, OutputSink, RunToken, Stream, UtilitySet,
};

pub use config::{Exit, ExitCause, FIRST_VIRTUAL_ID, Identity, ShellConfig};
pub use executor::{ChildDescriptors, ExecError, ExecRequest, Executor, Script, ScriptSource, StandIn, Started};
pub use interpreter::{BaseEnvironment, SignalSender, is_builtin};
pub use limits::{Limit, LimitError, Limits, LimitsBuilder};
pub use paths::DEFAULT_PATH;
pub use pool::{KeptJob, Pool};
pub use process_signals::SignalSource;
pub use script_shell::{MissingShell, ShellScripts};
pub use shell::Shell;
pub use source_text::{decode as decode_source, decode_script, is_utf16};
pub use stack::ShellStack;

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
