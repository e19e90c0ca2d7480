//! For the tests of the contract: a directory to run hooks in, both fronts (the library and the binary), and a deadline on
//! everything.
#![allow(clippy::unwrap_used, clippy::panic, reason = "test helpers: a panic fails the test")]

mod host;
mod own_process;
mod place;
mod ticks;

pub use host::ProcessState;
pub use own_process::in_own_process;
#[cfg(unix)]
pub use own_process::set_disposition;
pub use place::{Place, Seen};
pub use ticks::{stopped, ticks};
