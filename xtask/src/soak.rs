//! `cargo xtask soak`: random hooks through one runner for minutes, under faults; nothing may be left of it.
//!
//! The program `hookshell-soak` of hookshell-tests does the work: limits and descriptors are those of a process.

use std::path::PathBuf;

use crate::debug_build;
use crate::error::Error;
use crate::run::run;
use crate::workspace::Workspace;

/// Runs the command: `--minutes N [--seed S] [--only PART] [--release]`, `--hostile EVENTS [--seed S] [--release]`, or `--serve
/// SECONDS [--seed S] [--release]`.
pub(crate) fn command(workspace: &Workspace, arguments: &[String]) -> Result<(), Error> {
    let is_release = arguments.iter().any(|argument| argument == "--release");
    let mut passed_on: Vec<String> = arguments.iter().filter(|argument| *argument != "--release").cloned().collect();
    let mut check = passed_on.iter();
    while let Some(name) = check.next() {
        if !matches!(name.as_str(), "--minutes" | "--seed" | "--only" | "--hostile" | "--serve")
            || check.next().is_none()
        {
            return Err(Error::Usage(format!(
                "soak takes --minutes N, --hostile EVENTS, --serve SECONDS, --seed S, --only PART and --release, found {name}"
            )));
        }
    }
    let first = passed_on.first().map(String::as_str);
    if !passed_on.iter().any(|argument| argument == "--minutes") && !matches!(first, Some("--hostile" | "--serve")) {
        return Err(Error::Usage("soak wants --minutes N, --hostile EVENTS, or --serve SECONDS".into()));
    }
    if first == Some("--serve") {
        let binary = built(workspace, "hookshell", "hookshell", is_release)?;
        passed_on.extend(["--binary".to_owned(), binary.to_string_lossy().into_owned()]);
    }
    let soak = built(workspace, "hookshell-tests", "hookshell-soak", is_release)?;
    // It reads the cases from its package's directory, as cargo tells it.
    run(workspace.program(soak).args(passed_on).env("CARGO_MANIFEST_DIR", workspace.root().join("tests")))
}

/// Builds a program, and says where it is.
fn built(workspace: &Workspace, package: &str, name: &str, is_release: bool) -> Result<PathBuf, Error> {
    if !is_release {
        return debug_build::program(workspace, name);
    }
    run(&mut workspace.cargo(&["build", "--quiet", "--release", "--package", package, "--bin", name]))?;
    Ok(workspace.target().join("release").join(name))
}

/// How many events in hostile projects the step runs: a debug build takes a tenth of a second for each.
const HOSTILE_EVENTS: &str = "500";

/// How many seconds the step sends requests to `hookshell serve`, with as many again for rests. The first part is shorter by them.
const SERVE_SECONDS: &str = "9";

/// The step of `ci`.
pub(crate) fn step(workspace: &Workspace) -> Result<(), Error> {
    for arguments in [["--minutes", "1.6"], ["--hostile", HOSTILE_EVENTS], ["--serve", SERVE_SECONDS]] {
        command(workspace, &arguments.map(str::to_owned))?;
    }
    Ok(())
}
