//! `cargo xtask soak`: random hooks through one runner for minutes, under faults; nothing may be left of it.
//!
//! The program `hookshell-soak` of hookshell-tests does the work: limits and descriptors are those of a process.

use crate::error::Error;
use crate::run::run;
use crate::workspace::Workspace;

/// Runs the command: `--minutes N [--seed S] [--only PART] [--release]`, or `--hostile EVENTS [--seed S] [--release]`.
pub(crate) fn command(workspace: &Workspace, arguments: &[String]) -> Result<(), Error> {
    let is_release = arguments.iter().any(|argument| argument == "--release");
    let passed_on: Vec<&str> =
        arguments.iter().map(String::as_str).filter(|argument| *argument != "--release").collect();
    let mut check = passed_on.iter();
    while let Some(name) = check.next() {
        if !matches!(*name, "--minutes" | "--seed" | "--only" | "--hostile") || check.next().is_none() {
            return Err(Error::Usage(format!(
                "soak takes --minutes N, --hostile EVENTS, --seed S, --only PART and --release, found {name}"
            )));
        }
    }
    if !passed_on.contains(&"--minutes") && passed_on.first() != Some(&"--hostile") {
        return Err(Error::Usage("soak wants --minutes N, or --hostile EVENTS".into()));
    }
    let mut command = workspace.cargo(&["run", "--quiet", "--package", "hookshell-tests", "--bin", "hookshell-soak"]);
    if is_release {
        command.arg("--release");
    }
    run(command.arg("--").args(passed_on))
}

/// How many events in hostile projects the step runs: a debug build takes a tenth of a second for each.
const HOSTILE_EVENTS: &str = "500";

/// The step of `ci`.
pub(crate) fn step(workspace: &Workspace) -> Result<(), Error> {
    command(workspace, &["--minutes".to_owned(), "2".to_owned()])?;
    command(workspace, &["--hostile".to_owned(), HOSTILE_EVENTS.to_owned()])
}
