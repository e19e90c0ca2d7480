//! The hookshell command line: `run`, `exec`, `sh`, `explain` and the others of `hookshell --help`.
//!
//! `sh` is read by hand, before and without clap: its grammar is POSIX's for `sh`, and its start-up time counts.
#![forbid(unsafe_code)]

mod as_hook;
mod background;
mod check;
mod commands;
mod completions;
mod decide;
mod directories;
mod doctor;
mod exec;
mod exec_log;
mod exit_code;
mod explain;
mod failure;
mod findings;
mod github;
mod hook_log;
mod input;
mod install;
mod last_run;
mod log;
mod manual;
mod model;
mod options;
mod otlp;
mod output;
mod progress;
mod project;
mod relay;
mod run;
mod serve;
mod sh;
mod signals;
mod sources;
mod status;
mod stdin;
mod style;
mod test;
mod trust;
mod usual_args;
mod value_parsers;
mod wired;

pub use exit_code::ExitCode;
use std::ffi::OsString;

/// Runs the command line `args`, the program's own name included, with the process's streams, environment and working
/// directory, and gives the process's exit code.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut args = args.into_iter();
    let program = args.next().unwrap_or_default();
    let args: Vec<OsString> = args.collect();
    hookshell_process::expect_children();
    if sh::is_shell_name(&program) {
        return sh::main(&program, args);
    }
    match sh::started_as(&program) {
        // A wrapper that takes a command as its arguments, as Claude Code's CLAUDE_CODE_SHELL_PREFIX.
        Some(sh::StartedAs::Exec) => {
            hookshell_process::survive_full_files();
            return commands::main(std::iter::once("exec".into()).chain(args).collect());
        }
        Some(sh::StartedAs::Zsh) => return sh::not_zsh(&args),
        None => {}
    }
    match args.split_first() {
        Some((command, rest)) if command == "sh" && rest.first().is_none_or(|first| first != "--help") => {
            sh::main(command, rest.to_vec())
        }
        _ => {
            // The log may be what does not fit: that must not end a verdict.
            hookshell_process::survive_full_files();
            commands::main(args)
        }
    }
}
