//! The spec suite; `cargo xtask spec` runs parts of it.
#![allow(clippy::print_stderr, reason = "a test binary: its output is its result")]

use std::process::ExitCode;

fn main() -> ExitCode {
    match hookshell_tests::spec::command::run(std::env::args().skip(1), &mut std::io::stdout()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("spec: {error}");
            ExitCode::FAILURE
        }
    }
}
