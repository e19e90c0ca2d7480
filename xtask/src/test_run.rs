//! Running `cargo test` and reading what it prints.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::process::{ChildStdout, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use crate::counts::TestCounts;
use crate::error::Error;
use crate::run::{announce, display, start_error};

/// How long output is still awaited after the program itself has ended: something it left behind
/// (a wineserver, a hung grandchild) may hold the pipe open for ever.
const DRAIN: Duration = Duration::from_secs(5);

/// So many tests may fail by accident; more have a cause.
const ACCIDENTS: usize = 3;

/// Makes what the lines of a run are copied to.
type Copies = fn() -> Box<dyn Write + Send>;

/// This process's stdout.
const STDOUT: Copies = || Box::new(std::io::stdout());

/// Runs `command`, which runs `cargo test`: its stdout is passed on line by line, and the results
/// of its test binaries are added to `counts`, for a failed run too. Tests that said that they are skipped are listed.
pub(crate) fn count_tests(command: &mut Command, counts: &mut TestCounts) -> Result<(), Error> {
    let run = TestRun::of(command, STDOUT)?;
    *counts += run.counts;
    run.result
}

/// As [`count_tests`], but a few tests that failed are run once more, alone: those that pass then count as passed, and are
/// named when the counts are closed. Two cores do much at once, and a test that waits for a process may wait in vain.
/// `again` makes the command that runs the tests of these names and no others.
pub(crate) fn count_tests_twice(
    command: &mut Command,
    counts: &mut TestCounts,
    again: impl FnOnce(&[String]) -> Command,
) -> Result<(), Error> {
    run_twice(command, counts, again, STDOUT)
}

fn run_twice(
    command: &mut Command,
    counts: &mut TestCounts,
    again: impl FnOnce(&[String]) -> Command,
    copies: Copies,
) -> Result<(), Error> {
    let mut first = TestRun::of(command, copies)?;
    if first.may_be_accidents() {
        let names = std::mem::take(&mut first.counts.failed_names);
        println!("xtask: once more, alone: {}", names.join(", "));
        let second = TestRun::of(&mut again(&names), copies)?;
        if second.result.is_ok() && second.counts.passed >= first.counts.failed {
            first.counts.passed += first.counts.failed;
            first.counts.mended = first.counts.failed;
            first.counts.mended_names = names;
            first.result = Ok(());
        } else {
            first.counts.failed_names = names;
        }
    }
    *counts += first.counts;
    first.result
}

/// A run of `cargo test` that has ended.
struct TestRun {
    counts: TestCounts,
    /// How many test binaries began, and how many of them ended with their results: one that crashes does not.
    begun: usize,
    ended: usize,
    result: Result<(), Error>,
}

impl TestRun {
    /// An error is of the start.
    fn of(command: &mut Command, copies: Copies) -> Result<Self, Error> {
        announce(command);
        let skips = std::env::temp_dir().join(format!("xtask-skips-{}", std::process::id()));
        std::fs::write(&skips, "").map_err(|source| Error::File { path: skips.clone(), source })?;
        command.env(hookshell_test_support::SKIPS_FILE, &skips);
        let mut child = command.stdout(Stdio::piped()).spawn().map_err(|source| start_error(command, source))?;
        let (found, lines) = mpsc::channel();
        if let Some(stdout) = child.stdout.take() {
            std::thread::spawn(move || pass_on(stdout, &mut copies(), &found));
        }
        let status = child.wait().map_err(|source| start_error(command, source))?;
        let (mut counts, mut begun, mut ended) = (TestCounts::default(), 0, 0);
        while let Ok(line) = lines.recv_timeout(DRAIN) {
            match line {
                TestLine::Begins => begun += 1,
                TestLine::Failed(name) => counts.failed_names.push(name),
                TestLine::Counts(more, ends) => {
                    counts.add_line(more);
                    ended += usize::from(ends);
                }
            }
        }
        let text = std::fs::read_to_string(&skips).unwrap_or_default();
        let _ = std::fs::remove_file(&skips);
        // A test that is run once more says it twice.
        let skipped: BTreeSet<&str> = text.lines().collect();
        for line in &skipped {
            println!("skipped: {line}");
        }
        let counts = counts.without_skipped(skipped.len() as u64);
        let result = if status.success() { Ok(()) } else { Err(Error::Failed { command: display(command), status }) };
        Ok(Self { counts, begun, ended, result })
    }

    /// Whether nothing but a few tests failed, each of which is known by its name: no crash, and no harness that names none.
    fn may_be_accidents(&self) -> bool {
        let names = self.counts.failed_names.len();
        let all_named = names as u64 == self.counts.failed;
        self.result.is_err() && self.begun == self.ended && all_named && (1..=ACCIDENTS).contains(&names)
    }
}

/// A line of `cargo test` that says something about tests.
#[derive(Debug, PartialEq, Eq)]
enum TestLine {
    /// A test binary begins.
    Begins,
    /// The test of this name failed.
    Failed(String),
    /// Counts, and whether they are those that a test binary ends with.
    Counts(TestCounts, bool),
}

impl TestLine {
    fn read(line: &str) -> Option<Self> {
        let line = line.trim();
        if let Some(counts) = TestCounts::from_line(line) {
            return Some(Self::Counts(counts, line.starts_with("test result: ")));
        }
        if line.starts_with("running ") {
            return Some(Self::Begins);
        }
        let name = line.strip_prefix("test ")?.strip_suffix(" ... FAILED")?;
        // A doctest's, of which `--exact` wants the whole, and a test's that must panic, which it does not know.
        Some(Self::Failed(name.strip_suffix(" - should panic").unwrap_or(name).to_owned()))
    }
}

/// Copies lines to `out` and sends what they say about tests; ends with the input.
fn pass_on(input: ChildStdout, out: &mut dyn Write, found: &mpsc::Sender<TestLine>) {
    let mut input = BufReader::new(input);
    let mut line = Vec::new();
    // A failed write means that nobody reads xtask's output any more; the tests still count.
    while matches!(input.read_until(b'\n', &mut line), Ok(1..)) {
        let _ = out.write_all(&line);
        if let Some(said) = TestLine::read(&String::from_utf8_lossy(&line)) {
            let _ = found.send(said);
        }
        line.clear();
    }
    let _ = out.flush();
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn lines_say_what_begins_fails_and_ends() {
        let cases = [
            ("running 3 tests\n", Some(TestLine::Begins)),
            ("running 1 test", Some(TestLine::Begins)),
            ("test a::b ... FAILED\r\n", Some(TestLine::Failed("a::b".into()))),
            ("test a::b - should panic ... FAILED", Some(TestLine::Failed("a::b".into()))),
            ("test src/lib.rs - f (line 3) ... FAILED", Some(TestLine::Failed("src/lib.rs - f (line 3)".into()))),
            ("test a::b ... ok", None),
            ("failures:", None),
        ];
        for (line, expected) in cases {
            assert_eq!(TestLine::read(line), expected, "{line}");
        }
    }

    /// What a shell prints (copied nowhere: `cargo xtask ci` counts such lines of this test binary, too) and exits with in the place of `cargo test`, and in its second run.
    fn run(first: &str, second: &str) -> (TestCounts, bool) {
        let shell = |script: &str| {
            let mut command = Command::new("/bin/sh");
            command.args(["-c", script]);
            command
        };
        let mut counts = TestCounts::default();
        let result = run_twice(&mut shell(first), &mut counts, |_| shell(second), || Box::new(std::io::sink()));
        (counts, result.is_ok())
    }

    const ONE_FAILS: &str = "echo 'running 2 tests'; echo 'test a ... ok'; echo 'test b ... FAILED'
        echo 'test result: FAILED. 1 passed; 1 failed; 0 ignored'; exit 101";
    const PASSES: &str = "echo 'running 1 test'; echo 'test result: ok. 1 passed; 0 failed; 0 ignored'";

    #[test]
    fn a_test_that_passes_alone_counts_as_passed_and_is_named() {
        let (counts, ok) = run(ONE_FAILS, PASSES);
        assert!(ok);
        assert_eq!((counts.to_string().as_str(), counts.executed()), ("2 passed, 0 failed", 2));
        assert_eq!((counts.mended_names, counts.failed_names), (vec!["b".to_owned()], vec![]));
    }

    #[test]
    fn a_test_that_fails_twice_has_failed() {
        let (counts, ok) = run(ONE_FAILS, ONE_FAILS);
        assert!(!ok);
        assert_eq!((counts.to_string().as_str(), counts.failed_names), ("1 passed, 1 failed", vec!["b".to_owned()]));
    }

    #[test]
    fn a_second_run_that_finds_no_test_mends_nothing() {
        let (counts, ok) = run(ONE_FAILS, "echo 'test result: ok. 0 passed; 0 failed; 0 ignored'");
        assert!(!ok);
        assert_eq!(counts.to_string(), "1 passed, 1 failed");
    }

    #[test]
    fn a_crash_and_many_failures_are_no_accidents() {
        let crash = format!("echo 'running 9 tests'; {ONE_FAILS}");
        let many = "echo 'running 4 tests'; for t in a b c d; do echo \"test $t ... FAILED\"; done
            echo 'test result: FAILED. 0 passed; 4 failed; 0 ignored'; exit 101";
        let nameless =
            "echo 'running 9 cases by bash'; echo 'test result: FAILED. 8 passed; 1 failed; 0 ignored'; exit 101";
        for script in [crash.as_str(), many, nameless, "exit 101"] {
            let (counts, ok) = run(script, PASSES);
            assert!(!ok, "{script}");
            assert_eq!(counts.mended, 0, "{script}");
        }
    }
}
