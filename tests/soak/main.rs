//! `cargo xtask soak`: random hooks through one runner for minutes, under faults.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a developer's tool: its output is its result")]

use std::process::ExitCode;

#[cfg(target_os = "linux")]
fn main() -> ExitCode {
    match hookshell_tests::soak::run(std::env::args_os().skip(1)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("soak: {error}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    println!("soak: skipped: what is left of the hooks is read from Linux's /proc");
    ExitCode::SUCCESS
}
