//! The in-process POSIX shell interpreter with the bash dialect.
//!
//! It runs inside somebody's process and behaves as a guest there: it never changes the process's working directory,
//! umask, environment, signal handlers or standard streams, never prints and never exits.

mod args;
mod cancel;
mod fds;
mod seam;
mod stream;
mod utility;

pub use args::Args;
pub use cancel::{CancelReason, CancelToken};
pub use fds::FdTable;
pub use seam::{Environment, ExecError, ExecRequest, Executor, Script, Started};
pub use stream::{Capture, Stream};
pub use utility::{NoUtilities, Stopped, Utility, UtilityContext, UtilitySet};
