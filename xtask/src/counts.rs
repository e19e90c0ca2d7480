//! How many tests ran, read from what `cargo test` prints.

use std::collections::BTreeSet;
use std::fmt;
use std::io::Write;
use std::ops::AddAssign;
use std::path::PathBuf;

use crate::error::Error;

/// Tests by their result. `Display` is the closing line of a run: `N passed, N failed`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TestCounts {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    pub(crate) ignored: u64,
    /// Those that returned early because something is missing: libtest calls them passed, here they are not.
    pub(crate) skipped: u64,
    /// Those of `failed` that passed when they were run once more.
    pub(crate) mended: u64,
    /// Test binaries that crashed and were run once more.
    pub(crate) crashed: u64,
    /// The names of those that failed and were not mended, and of those that were, where they are known.
    pub(crate) failed_names: Vec<String>,
    pub(crate) mended_names: Vec<String>,
}

impl TestCounts {
    /// Reads the line that libtest ends each test binary with:
    /// `test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s`,
    /// or those of `windows-test.sh`: the one that takes failures back, `windows-test: passed when run once more: 1`,
    /// and the one that names a crash, `windows-test: run once more, it ended with 139 and without results: NAME`.
    /// Any other line is `None`.
    pub(crate) fn from_line(line: &str) -> Option<Self> {
        if let Some(number) = line.trim().strip_prefix("windows-test: passed when run once more: ") {
            // They are counted as passed by the second run's own line.
            return Some(Self { mended: number.parse().ok()?, ..Self::default() });
        }
        if line.trim().starts_with("windows-test: run once more, it ended with ") {
            // Its results count once: those of the second run when it had none.
            return Some(Self { crashed: 1, ..Self::default() });
        }
        let (_verdict, results) = line.trim().strip_prefix("test result: ")?.split_once(". ")?;
        let mut counts = Self::default();
        let mut known = 0;
        for result in results.split("; ") {
            let Some((number, kind)) = result.split_once(' ') else {
                continue;
            };
            let count = match kind {
                "passed" => &mut counts.passed,
                "failed" => &mut counts.failed,
                "ignored" => &mut counts.ignored,
                _ => continue,
            };
            *count = number.parse().ok()?;
            known += 1;
        }
        (known == 3).then_some(counts)
    }

    /// Adds what a line says. The failures that it takes back are the last ones.
    pub(crate) fn add_line(&mut self, line: Self) {
        let still_failed = self.failed_names.len().saturating_sub(usize::try_from(line.mended).unwrap_or(usize::MAX));
        self.mended_names.extend(self.failed_names.drain(still_failed..));
        *self += line;
    }

    /// Takes `skipped` tests, which libtest has counted as passed, out of them.
    pub(crate) fn without_skipped(self, skipped: u64) -> Self {
        Self { passed: self.passed.saturating_sub(skipped), skipped: self.skipped + skipped, ..self }
    }

    /// How many tests were executed.
    pub(crate) fn executed(&self) -> u64 {
        self.passed + self.lost()
    }

    /// How many tests failed, and were not mended by a second run.
    pub(crate) fn lost(&self) -> u64 {
        self.failed.saturating_sub(self.mended)
    }

    /// Prints the closing line of a run, alone on its line, and records it.
    /// `steps` are what else failed, each with its error.
    pub(crate) fn close(self, steps: &[String]) -> Result<(), Error> {
        if self.ignored > 0 {
            println!("  tests ignored: {}", self.ignored);
        }
        if self.skipped > 0 {
            println!("  tests skipped: {}", self.skipped);
        }
        if self.mended > 0 {
            println!("  tests that passed only when run once more, alone: {}", self.mended);
        }
        if self.crashed > 0 {
            println!("  test binaries that crashed and were run once more: {}", self.crashed);
        }
        for name in &self.mended_names {
            println!("  passed only when run once more: {name}");
        }
        for name in &self.failed_names {
            println!("  FAILED: {name}");
        }
        println!("{self}");
        self.record(steps)
    }

    /// Appends `PASSED FAILED` and a line `# WHAT` for each step and each test that failed to the file named by `XTASK_COUNTS_FILE`, for a
    /// caller that adds up several commands; does nothing without it.
    fn record(&self, steps: &[String]) -> Result<(), Error> {
        let Some(path) = std::env::var_os("XTASK_COUNTS_FILE").map(PathBuf::from) else {
            return Ok(());
        };
        let steps = steps.iter().map(|step| format!("step {step}"));
        // What failed twice is named once.
        let tests: BTreeSet<&String> = self.failed_names.iter().collect();
        let tests = tests.into_iter().map(|name| format!("test {name}"));
        let what: String = steps.chain(tests).map(|what| format!("# {}\n", what.replace('\n', " "))).collect();
        std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(&path)
            .and_then(|mut file| write!(file, "{} {}\n{what}", self.passed, self.lost()))
            .map_err(|source| Error::File { path, source })
    }
}

impl AddAssign for TestCounts {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.ignored += other.ignored;
        self.skipped += other.skipped;
        self.mended += other.mended;
        self.crashed += other.crashed;
        self.failed_names.extend(other.failed_names);
        self.mended_names.extend(other.mended_names);
    }
}

impl fmt::Display for TestCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.lost())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn result_lines_are_read() {
        let cases = [
            (
                "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s\n",
                (3, 0, 1),
            ),
            (
                "test result: FAILED. 12 passed; 2 failed; 0 ignored; 0 measured; 5 filtered out; finished in 1.25s\r\n",
                (12, 2, 0),
            ),
            (
                "test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.02s",
                (1, 0, 0),
            ),
        ];
        for (line, (passed, failed, ignored)) in cases {
            let expected = TestCounts { passed, failed, ignored, ..TestCounts::default() };
            assert_eq!(TestCounts::from_line(line), Some(expected), "{line}");
        }
    }

    #[test]
    fn other_lines_are_not_results() {
        let cases = [
            "",
            "test result: ok",
            "test result: ok. ",
            "test result: ok. 3 passed",
            "test result: ok. x passed; 0 failed; 0 ignored",
            "test tests::name ... ok",
            "running 3 tests",
            "the test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured",
            "all doctests ran in 0.20s; merged doctests compilation took 0.19s",
        ];
        for line in cases {
            assert_eq!(TestCounts::from_line(line), None, "{line}");
        }
    }

    #[test]
    fn the_closing_line_adds_up_all_binaries() {
        let mut sum = TestCounts::default();
        sum += TestCounts { passed: 3, failed: 0, ignored: 1, ..TestCounts::default() };
        sum += TestCounts { passed: 40, failed: 2, ignored: 0, ..TestCounts::default() };
        assert_eq!(sum.to_string(), "43 passed, 2 failed");
        assert_eq!(sum.executed(), 45);
        assert_eq!(sum.ignored, 1);
    }

    #[test]
    fn a_skipped_test_has_not_passed() {
        let counts = TestCounts { passed: 5, failed: 1, ..TestCounts::default() }.without_skipped(2);
        assert_eq!((counts.to_string().as_str(), counts.skipped), ("3 passed, 1 failed", 2));
    }

    #[test]
    fn a_test_that_passed_when_run_once_more_has_not_failed() {
        let lines = [
            "test result: FAILED. 66 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.00s",
            "windows-test: once more, alone: streams::large",
            "test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 66 filtered out; finished in 1.00s",
            "windows-test: passed when run once more: 1",
        ];
        let failed_names = vec!["before".to_owned(), "streams::large".to_owned()];
        let mut sum = TestCounts { failed_names, ..TestCounts::default() };
        for counts in lines.iter().filter_map(|line| TestCounts::from_line(line)) {
            sum.add_line(counts);
        }
        assert_eq!((sum.to_string().as_str(), sum.executed()), ("67 passed, 0 failed", 67));
        assert_eq!(
            (sum.failed_names, sum.mended_names),
            (vec!["before".to_owned()], vec!["streams::large".to_owned()])
        );
    }

    #[test]
    fn a_binary_that_crashed_counts_by_its_second_run() {
        let lines = [
            "windows-test: run once more, it ended with 139 and without results: windows_paths-0123.exe\r\n",
            "test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.00s",
        ];
        let mut sum = TestCounts::default();
        for counts in lines.iter().filter_map(|line| TestCounts::from_line(line)) {
            sum += counts;
        }
        assert_eq!((sum.to_string().as_str(), sum.crashed), ("2 passed, 0 failed", 1));
    }
}
