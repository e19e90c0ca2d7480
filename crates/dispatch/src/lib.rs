//! Routing, interpreter look-up and the shell's exec seam.
//!
//! A command string goes through one shell, whatever it is ([`Dispatcher`]); the shell calls the executor for every
//! program ([`ProgramExecutor`]), and that looks the name up in the invocation's own PATH ([`Search`]), reads what kind
//! of file it is, follows `#!` lines in userland, and starts the program or gives the shell its source.
//! [`Route`] says which of these a whole command is; [`Dispatcher::explain`] says why.
#![forbid(unsafe_code)]

mod code_guard;
mod deadlines;
mod dispatcher;
mod executor;
mod explain;
mod file_command;
mod foreign;
mod host_thread;
mod invocation;
mod plan;
mod platform;
mod probe;
mod programs;
mod resolve;
mod route;
mod run;
mod shared;
mod shells;
mod start_failure;

pub use code_guard::CodeGuard;
pub use dispatcher::{Dispatcher, DispatcherBuilder, Handle};
pub use executor::ProgramExecutor;
pub use explain::Explanation;
pub use foreign::{foreign_shell_hint, unknown_command_hint};
pub use hookshell_process::Environment;
pub use hookshell_shell::{
    BaseEnvironment, FirstLine, Language, Limits, LimitsBuilder, MissingShell, OutputSink, ShellScripts, command_line,
    decode_script, decode_source,
};
pub use hookshell_utilities::Preference as UtilityPreference;
pub use invocation::{Command, Dropped, End, Input, Invocation, Outcome, Output, UnpassableVariables};
pub use plan::is_polyglot;
pub use platform::Platform;
pub use resolve::{Found, NotFound, PassedOver, PassedOverReason, Search};
pub use route::Route;
pub use shared::ExecutorLayer;
pub use shells::ShellUse;
pub use start_failure::{StartFailure, StartFailureKind};
