//! The steps of `cargo xtask ci`, each a command of its own too.

use std::process::Command;

use crate::agents;
use crate::counts::TestCounts;
use crate::demo;
use crate::deny;
use crate::error::Error;
use crate::fuzz_diff;
use crate::house;
use crate::instructions;
use crate::jq;
use crate::macos;
use crate::memory;
use crate::package;
use crate::run::run;
use crate::schemas;
use crate::sdk;
use crate::soak;
use crate::test_run::{count_tests, count_tests_twice};
use crate::wasm;
use crate::workspace::Workspace;

/// One step of `ci`.
pub(crate) struct Step {
    /// Its name on the command line and in the summary.
    pub(crate) name: &'static str,
    /// Runs it; a step that runs tests adds their number to the counts, even when it fails.
    pub(crate) run: fn(&Workspace, &mut TestCounts) -> Result<(), Error>,
    pub(crate) turn: Turn,
}

/// When `ci` runs a step.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turn {
    /// When those before it have ended.
    Own,
    /// It only compiles, into a directory that no other step builds in: it may run beside the others.
    Beside,
    /// When those before it have ended, and those beside them: it takes what they have built.
    AfterBeside,
}

/// A step that runs in its turn.
const fn own(name: &'static str, run: fn(&Workspace, &mut TestCounts) -> Result<(), Error>) -> Step {
    Step { name, run, turn: Turn::Own }
}

/// All steps, cheapest first.
pub(crate) const STEPS: &[Step] = &[
    own("fmt", fmt),
    own("house", |workspace, _| house::check(workspace)),
    own("clippy", clippy),
    Step { name: "release", run: release, turn: Turn::Beside },
    Step { name: "macos", run: |workspace, _| macos::check(workspace), turn: Turn::Beside },
    Step { name: "wasm", run: |workspace, _| wasm::check(workspace), turn: Turn::Beside },
    own("schemas", schemas::check),
    own("doc", doc),
    own("deny", |workspace, _| deny::step(workspace)),
    own("links", |workspace, _| package::links(workspace)),
    own("workflows", |workspace, _| package::workflows(workspace)),
    own("crates", |workspace, _| package::crates(workspace)),
    own("jq", |workspace, _| jq::build(workspace)),
    own("test", test),
    own("sdk", sdk::step),
    own("agents", |workspace, _| agents::step(workspace)),
    own("fuzz-diff", |workspace, _| fuzz_diff::step(workspace)),
    own("soak", |workspace, _| soak::step(workspace)),
    Step { name: "demo", run: |workspace, _| demo::run_and_check(workspace), turn: Turn::AfterBeside },
    // They take the binary of `release`, too.
    own("package", |workspace, _| package::step(workspace)),
    own("memory", |workspace, _| memory::measure(workspace)),
    own("instructions", |workspace, _| instructions::compare(workspace)),
];

fn fmt(workspace: &Workspace, _: &mut TestCounts) -> Result<(), Error> {
    run(&mut workspace.cargo(&["fmt", "--all", "--", "--check"]))
}

fn clippy(workspace: &Workspace, _: &mut TestCounts) -> Result<(), Error> {
    run(&mut workspace.cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))
}

/// What `demo`, `package`, `memory` and `instructions` take.
fn release(workspace: &Workspace, _: &mut TestCounts) -> Result<(), Error> {
    run(&mut workspace.cargo(&["build", "--release", "-p", "hookshell"]))
}

fn doc(workspace: &Workspace, _: &mut TestCounts) -> Result<(), Error> {
    let mut command = workspace.cargo(&["doc", "--workspace", "--no-deps"]);
    run(command.env("RUSTDOCFLAGS", "-D warnings"))
}

/// The test command of CONTRIBUTING.md; a failing binary does not keep the others from being run.
fn test(workspace: &Workspace, counts: &mut TestCounts) -> Result<(), Error> {
    let all = ["test", "--workspace", "--no-fail-fast"];
    count_tests_twice(&mut workspace.cargo(&all), counts, |names| {
        let mut command = workspace.cargo(&all);
        command.args(["--", "--exact", "--test-threads=1"]).args(names);
        command
    })
}

/// `cargo test` with these arguments, for the whole workspace unless they name a package, which cargo
/// would ignore beside `--workspace`.
pub(crate) fn cargo_test(workspace: &Workspace, arguments: &[String]) -> Command {
    let mut command = workspace.cargo(&["test"]);
    if !names_package(arguments) {
        command.arg("--workspace");
    }
    command.args(arguments);
    command
}

fn names_package(arguments: &[String]) -> bool {
    arguments
        .iter()
        .take_while(|argument| *argument != "--")
        .any(|argument| argument.starts_with("-p") || argument.starts_with("--package"))
}

/// `cargo xtask test [ARG…]`: the test step with further arguments for `cargo test`.
pub(crate) fn test_command(workspace: &Workspace, arguments: &[String]) -> Result<(), Error> {
    let mut counts = TestCounts::default();
    let result = count_tests(&mut cargo_test(workspace, arguments), &mut counts);
    counts.close(&[])?;
    result
}

#[cfg(test)]
mod tests {
    use super::names_package;

    #[test]
    fn a_package_is_named_by_its_options_before_the_separator() {
        let cases: [(&[&str], bool); 7] = [
            (&[], false),
            (&["-p", "xtask"], true),
            (&["--release", "-pxtask"], true),
            (&["--package=xtask"], true),
            (&["--profile", "dev"], false),
            (&["name", "--", "-p"], false),
            (&["packages"], false),
        ];
        for (arguments, expected) in cases {
            let arguments: Vec<String> = arguments.iter().map(|s| (*s).to_owned()).collect();
            assert_eq!(names_package(&arguments), expected, "{arguments:?}");
        }
    }
}
