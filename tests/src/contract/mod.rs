//! For the tests of the contract: a folder to run hooks in, both fronts (the library and the binary), and a deadline on
//! everything.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "test helpers: a panic fails the test, and a skip is printed"
)]

mod deadline;
mod host;
mod own_process;
mod place;
mod program;
mod skip;
mod ticks;

pub use deadline::{PATIENCE, eventually, within};
pub use host::HostState;
pub use own_process::in_own_process;
#[cfg(unix)]
pub use own_process::set_disposition;
pub use place::{Place, Seen};
pub use program::{Ran, run_program};
pub use skip::{has, under_wine};
pub use ticks::{stopped, ticks};
