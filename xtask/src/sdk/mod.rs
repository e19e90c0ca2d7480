//! `cargo xtask sdk`: the tests of the SDKs in `sdk/`, against the built binary.
//!
//! npm and pip fetch what is pinned (`package-lock.json`, `requirements-dev.txt`) from their registries; what is not the package's own
//! is kept below the target directory. Node or Python that is absent is a skip with a message, and a failure with
//! `REQUIRE_INTERPRETERS=1`.

mod go;
mod installed;
mod node;

use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
use std::thread;

use installed::Installed;

use crate::counts::TestCounts;
use crate::debug_build;
use crate::error::Error;
use crate::run::{capture, run};
use crate::workspace::Workspace;

/// How Python is started here.
const PYTHON: &str = if cfg!(windows) { "python" } else { "python3" };

/// Where an environment of Python's has its programs.
const SCRIPTS: &str = if cfg!(windows) { "Scripts" } else { "bin" };

/// What names the binary for the tests and the examples.
const BINARY_VARIABLE: &str = "HOOKSHELL_BIN";

/// `cargo xtask sdk`, and the step of `ci`: all tests are run, even when some before them fail, and counted.
pub(crate) fn step(workspace: &Workspace, counts: &mut TestCounts) -> Result<(), Error> {
    let sdk = Sdk { workspace, binary: debug_build::program(workspace, "hookshell")? };
    let mut all = TestCounts::default();
    // Go compiles its standard library, while the others mostly wait.
    let results = thread::scope(|scope| {
        let go = scope.spawn(|| {
            let mut counts = TestCounts::default();
            (sdk.go(&mut counts), counts)
        });
        let (node, python) = (sdk.node(&mut all), sdk.python(&mut all));
        let (go, of_go) = go.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        all += of_go;
        [node, python, go]
    });
    *counts += all;
    let errors: Vec<String> = results.into_iter().filter_map(Result::err).map(|error| error.to_string()).collect();
    if errors.is_empty() { Ok(()) } else { Err(Error::Unexpected(errors.join("; "))) }
}

/// `cargo xtask sdk` with its closing line.
pub(crate) fn command(workspace: &Workspace, arguments: &[String]) -> Result<(), Error> {
    if let Some(argument) = arguments.first() {
        return Err(Error::Usage(format!("sdk takes no arguments, found {argument:?}")));
    }
    let mut counts = TestCounts::default();
    let result = step(workspace, &mut counts);
    counts.close(&[])?;
    result
}

struct Sdk<'w> {
    workspace: &'w Workspace,
    binary: PathBuf,
}

impl Sdk<'_> {
    /// A program in a directory below the root, with the binary that is tested.
    fn program(&self, program: impl AsRef<std::ffi::OsStr>, directory: &str) -> Command {
        let mut command = self.workspace.program(program);
        command
            .current_dir(self.workspace.root().join(directory))
            .stdin(Stdio::null())
            .env(BINARY_VARIABLE, &self.binary);
        command
    }

    fn python(&self, counts: &mut TestCounts) -> Result<(), Error> {
        if !self.has(PYTHON, "--version") {
            return skipped(&format!("there is no {PYTHON}: the tests of sdk/python"));
        }
        run(self.program(PYTHON, "sdk").args(["generate.py", "--check"]))?;
        let scripts = self.environment("sdk-venv", "sdk/python/requirements-dev.txt")?;
        let example = "../../examples/python-agent";
        run(self.program(scripts.join("ruff"), "sdk/python").args(["check", "--no-cache", ".", example]))?;
        run(self.program(scripts.join("ruff"), "sdk/python").args(["format", "--check", "--no-cache", ".", example]))?;
        run(self.program(scripts.join("mypy"), "sdk/python").arg("--no-incremental"))?;
        // Warnings are shown: a pipe that is left open is one.
        run_tests(self.program(PYTHON, "sdk/python").args(["-B", "-X", "dev", "-m", "tests"]), unittest_counts, counts)
    }

    /// The directory of the programs that a file of requirements names: an environment below the target directory, made anew when the
    /// file has changed.
    fn environment(&self, name: &str, requirements: &str) -> Result<PathBuf, Error> {
        let root = self.workspace.target().join(name);
        let pinned = self.workspace.root().join(requirements);
        let scripts = root.join(SCRIPTS);
        let installed = Installed::of(&root, &[&pinned])?;
        if !installed.is_current() {
            run(self.program(PYTHON, "sdk").args(["-m", "venv", "--clear"]).arg(&root))?;
            let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"];
            run(self.program(scripts.join("python"), "sdk").args(install).arg(&pinned))?;
            installed.note()?;
        }
        Ok(scripts)
    }

    fn has(&self, program: &str, argument: &str) -> bool {
        let mut command = self.program(program, "sdk");
        let status = command.arg(argument).stdout(Stdio::null()).stderr(Stdio::null()).status();
        status.is_ok_and(|status| status.success())
    }
}

/// A skip, which is a failure where nothing may be skipped.
fn skipped(why: &str) -> Result<(), Error> {
    if hookshell_test_support::requires_programs() {
        return Err(Error::Unexpected(format!("REQUIRE_INTERPRETERS=1, but {why}")));
    }
    println!("sdk: skipped: {why}");
    Ok(())
}

/// Runs tests, shows what they say, and counts them. A run that says no counts is an error.
fn run_tests(
    command: &mut Command,
    count: fn(&str) -> Option<TestCounts>,
    counts: &mut TestCounts,
) -> Result<(), Error> {
    let output = capture(command)?;
    let program = command.get_program().to_string_lossy().into_owned();
    take_results(&program, &String::from_utf8_lossy(&output.stdout), output.status, count, counts)
}

/// Shows what tests have said, and counts them.
fn take_results(
    program: &str,
    said: &str,
    status: ExitStatus,
    count: fn(&str) -> Option<TestCounts>,
    counts: &mut TestCounts,
) -> Result<(), Error> {
    println!("{}", said.trim_end());
    let Some(counted) = count(said) else {
        return Err(Error::Unexpected(format!("{program}: the tests ended without saying how many ran ({status})")));
    };
    let failed = counted.failed;
    *counts += counted;
    if failed > 0 || !status.success() {
        return Err(Error::Unexpected(format!("{program}: {failed} of the SDK's tests failed ({status})")));
    }
    Ok(())
}

/// What unittest says at its end: `Ran 7 tests in 0.1s`, then `OK (skipped=1)` or `FAILED (failures=2, errors=1, skipped=1)`.
fn unittest_counts(output: &str) -> Option<TestCounts> {
    let mut lines = output.lines().rev();
    let verdict = lines.find(|line| line.starts_with("OK") || line.starts_with("FAILED"))?;
    let ran = lines.find_map(|line| line.strip_prefix("Ran ")?.split(' ').next()?.parse::<u64>().ok())?;
    let number = |name: &str| -> u64 {
        let words = verdict.split(['(', ')', ',']).map(str::trim);
        words.filter_map(|word| word.strip_prefix(name)?.strip_prefix('=')?.parse::<u64>().ok()).sum()
    };
    let failed = number("failures") + number("errors") + number("unexpected successes");
    let skipped = number("skipped");
    Some(TestCounts { passed: ran.saturating_sub(failed + skipped), failed, skipped, ..TestCounts::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn counted(counts: Option<TestCounts>) -> Option<(u64, u64, u64)> {
        counts.map(|counts| (counts.passed, counts.failed, counts.skipped))
    }

    #[test]
    fn the_closing_lines_of_unittest_are_read() {
        let cases = [
            ("Ran 7 tests in 0.1s\n\nOK\n", Some((7, 0, 0))),
            ("Ran 1 test in 0.1s\n\nOK (skipped=1)\n", Some((0, 0, 1))),
            ("Ran 9 tests in 0.1s\n\nFAILED (failures=2, errors=1, skipped=1)\n", Some((5, 3, 1))),
            ("Ran 2 tests in 0.1s\n\nFAILED (unexpected successes=1)\n", Some((1, 1, 0))),
            ("Traceback (most recent call last):\n", None),
        ];
        for (text, expected) in cases {
            assert_eq!(counted(unittest_counts(text)), expected, "{text}");
        }
    }
}
