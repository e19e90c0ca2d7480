//! What crosses crates: hooks through the library and through the binary, as agents use them.
//!
//! The modules are named after the rows of the list of tests in the design notes. Everything has a deadline.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test's helpers fail the test so, and a skip is printed"
)]

mod agents;
mod example;
mod files;
mod host;
mod inline;
mod node;
mod parallel;
mod runaway;
mod shell_scripts;
mod streams;
mod syntax_errors;
mod timeouts;
mod windows;
mod windows_names;

use hookshell_tests::contract::Place;

/// A directory for a test.
fn place() -> Place {
    Place::new(env!("CARGO_BIN_EXE_hookshell-test-helper"), env!("CARGO_BIN_EXE_hookshell-under-test"))
}
