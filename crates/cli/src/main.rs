//! The `hookshell` binary: everything is in the library.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    hookshell_cli::main(std::env::args_os())
}
