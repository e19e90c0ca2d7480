//! The `hookshell` binary: everything is in the library.
#![cfg_attr(all(target_os = "linux", target_env = "gnu", not(test)), no_main)]

// Without what the Rust runtime does before a `main` of its own, which would take a tenth of the time of
// `hookshell sh -c :` (docs/PERFORMANCE.md).
#[cfg(all(target_os = "linux", target_env = "gnu", not(test)))]
hookshell_process::program!(|| hookshell_cli::main(std::env::args_os()).number());

#[cfg(not(all(target_os = "linux", target_env = "gnu", not(test))))]
fn main() -> hookshell_cli::ExitCode {
    hookshell_cli::main(std::env::args_os())
}
