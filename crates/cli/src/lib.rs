//! The hookshell command line: `run`, `exec`, `sh` and `explain`.
//!
//! `sh` is read by hand, before and without clap: its grammar is POSIX's for `sh`, and its start-up time counts.

mod sh;

use std::ffi::OsString;
use std::process::ExitCode;

/// Runs the command line `args`, the program's own name included, with the process's streams, environment and working
/// directory.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut args = args.into_iter();
    let program = args.next().unwrap_or_default();
    if sh::is_shell_name(&program) {
        return sh::main(&program, args.collect());
    }
    let rest: Vec<OsString> = args.collect();
    match rest.split_first() {
        Some((command, rest)) if command == "sh" => sh::main(command, rest.to_vec()),
        _ => ExitCode::from(64),
    }
}
