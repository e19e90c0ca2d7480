//! What the tests of all crates share: finding programs, saying that a test is skipped, running a program with a deadline,
//! random numbers.
//!
//! For tests only: every crate has it as a dev-dependency, and it depends on none of them, so that the lowest one can use it. With
//! the feature `utility` it knows `hookshell-utility`, and compares utilities with the real ones: for the crates above that one.
#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "test helpers: a panic fails the test")]

mod bash;
#[cfg(all(unix, feature = "utility"))]
pub mod beside;
mod deadline;
#[cfg(target_os = "linux")]
mod open_counter;
pub mod oracles;
mod programs;
mod random;
mod run;
mod signals;
mod skip;

pub use bash::{BashOutput, bash};
pub use deadline::{MAX_WAIT, eventually, within};
#[cfg(target_os = "linux")]
pub use open_counter::OpenCounter;
pub use programs::{find, has, has_all, is_gnu, is_version, says_version};
pub use random::Random;
pub use run::{RunBytes, RunOutcome, finish, run_bytes, run_program, start};
pub use signals::{ignores_signals, with_default_signals};
pub use skip::{SKIPS_FILE, requires_programs, skip, skip_part, under_wine};
