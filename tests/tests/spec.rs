//! The spec suite; `cargo xtask spec` runs parts of it.
#![allow(clippy::print_stderr, reason = "a test binary: its output is its result")]

use std::process::ExitCode;

/// Set for the process that begins once more with the default actions of signals.
#[cfg(unix)]
const AGAIN: &str = "HOOKSHELL_SPEC_AGAIN";

fn main() -> ExitCode {
    // Shells list and keep what was ignored at their start: all of them begin alike.
    #[cfg(unix)]
    if hookshell_test_support::ignores_signals() && std::env::var_os(AGAIN).is_none() {
        use std::os::unix::process::CommandExt;
        if let Ok(own) = std::env::current_exe() {
            let mut command = hookshell_test_support::with_default_signals(own);
            let error = command.args(std::env::args_os().skip(1)).env(AGAIN, "1").exec();
            eprintln!("spec: the signals stay as they are: {error}");
        }
    }
    match hookshell_tests::spec::command::run(std::env::args().skip(1), &mut std::io::stdout()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("spec: {error}");
            ExitCode::FAILURE
        }
    }
}
