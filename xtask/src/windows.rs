//! `cargo xtask windows`: the workspace's tests as Windows executables, under Wine on Linux.
//!
//! The work is done by `xtask/windows/windows-test.sh`. Passing under Wine is not passing on
//! Windows: tests that Wine cannot run skip themselves there (`UNDER_WINE=1`) and are listed in
//! `tests/windows-only.txt`; CI runs them on Windows.

use std::time::Instant;

use crate::counts::TestCounts;
use crate::cross;
use crate::error::Error;
use crate::run::run;
use crate::steps::cargo_test;
use crate::test_run::count_tests;
use crate::workspace::Workspace;

const SCRIPT: &str = "xtask/windows/windows-test.sh";
const NOT_UNDER_WINE: &str = "tests/windows-only.txt";

/// Windows on ARM with MinGW's C runtime: nothing here runs it, so it is only compiled.
const ARM: &str = "aarch64-pc-windows-gnullvm";

/// Runs the command: `[--fetch | --build-only | --check-arm] [--] [ARG…]`, the rest for `cargo test`.
pub(crate) fn command(workspace: &Workspace, arguments: &[String]) -> Result<(), Error> {
    if arguments.first().is_some_and(|first| first == "--check-arm") {
        return cross::check(workspace, ARM, cross::What::Products);
    }
    if arguments.first().is_some_and(|first| first == "--fetch") {
        // Windows has its own node, if any.
        return if cfg!(target_os = "linux") {
            run(workspace.program("bash").arg(SCRIPT).arg("--fetch"))
        } else {
            Ok(())
        };
    }
    let (build_only, arguments) = split_arguments(arguments);
    let start = Instant::now();
    let mut counts = TestCounts::default();
    if cfg!(windows) {
        if build_only {
            let no_run = ["--no-run".to_owned()];
            return run(&mut cargo_test(workspace, &[&no_run, arguments].concat()));
        }
        let result = count_tests(&mut cargo_test(workspace, arguments), &mut counts);
        println!("\nsummary (Windows)\n  tests executed: {}", counts.executed());
        counts.close(&[])?;
        return result;
    }
    if !cfg!(target_os = "linux") {
        return Err(Error::Unexpected("windows needs a Linux host (Wine) or Windows itself".into()));
    }
    let listed = tests_not_under_wine(workspace)?;
    let mut command = workspace.program("bash");
    command.arg(SCRIPT);
    if build_only {
        return run(command.arg("--build-only").args(arguments));
    }
    // Wine has no bash, python3 or node of its own: what compares with them is skipped there, and runs
    // in `cargo xtask ci` on this machine.
    command.env_remove("REQUIRE_INTERPRETERS");
    let result = count_tests(command.args(arguments), &mut counts);
    println!("\nsummary (Windows under Wine, {:.0} s)", start.elapsed().as_secs_f64());
    println!("  tests executed: {}", counts.executed());
    if !listed.is_empty() {
        println!("  tests not run under Wine: {}", listed.len());
        for (name, reason) in &listed {
            println!("    {name}: {reason}");
        }
    }
    counts.close(&[])?;
    result
}

/// Splits off our own option; a `--` before the arguments of `cargo test` is optional.
fn split_arguments(arguments: &[String]) -> (bool, &[String]) {
    let (build_only, rest) = match arguments {
        [first, rest @ ..] if first == "--build-only" => (true, rest),
        all => (false, all),
    };
    match rest {
        [first, rest @ ..] if first == "--" => (build_only, rest),
        all => (build_only, all),
    }
}

/// The tests that skip themselves under Wine, with their reasons; none without the file.
fn tests_not_under_wine(workspace: &Workspace) -> Result<Vec<(String, String)>, Error> {
    let path = workspace.root().join(NOT_UNDER_WINE);
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = std::fs::read_to_string(&path).map_err(|source| Error::File { path: path.clone(), source })?;
    parse_list(&text).map_err(|line| Error::Malformed { path, line, expected: "`test name: reason`" })
}

/// Reads lines `test name: reason`; blank lines and those that start with `#` say nothing. The
/// error is the number of the first line of another form.
fn parse_list(text: &str) -> Result<Vec<(String, String)>, usize> {
    let mut tests = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        // A name has `::` in it, so the blank after the colon is part of the separator.
        match line.split_once(": ") {
            Some((name, reason)) if !name.trim().is_empty() && !reason.trim().is_empty() => {
                tests.push((name.trim().to_owned(), reason.trim().to_owned()));
            }
            _ => return Err(index + 1),
        }
    }
    Ok(tests)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_names_tests_and_reasons() {
        let text = "# not under Wine\n\ntree::kill_by_break: no console: CTRL_BREAK fails\n  plain : a reason  \r\n";
        let expected = [("tree::kill_by_break", "no console: CTRL_BREAK fails"), ("plain", "a reason")]
            .map(|(name, reason)| (name.to_owned(), reason.to_owned()));
        assert_eq!(parse_list(text), Ok(expected.to_vec()));
    }

    #[test]
    fn every_listed_test_exists_and_skips_itself_and_no_other_does() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let directories = [
            "tests/tests/contract",
            "crates/process/tests",
            "crates/cli/tests",
            "crates/dispatch/tests",
            "crates/runner/tests",
        ];
        let mut sources = String::new();
        for directory in directories {
            for entry in std::fs::read_dir(root.join(directory)).unwrap() {
                let path = entry.unwrap().path();
                if path.extension().is_some_and(|extension| extension == "rs") {
                    sources.push_str(&std::fs::read_to_string(path).unwrap());
                }
            }
        }
        let text = std::fs::read_to_string(root.join(NOT_UNDER_WINE)).unwrap();
        let listed = parse_list(&text).unwrap();
        for (name, _) in &listed {
            let function = format!("fn {}()", name.rsplit("::").next().unwrap());
            let body = sources.split_once(&function).unwrap_or_else(|| panic!("{name}: no such test")).1;
            let body = body.split("#[test]").next().unwrap();
            assert!(body.contains("under_wine("), "{name} does not skip itself");
        }
        assert_eq!(sources.matches("under_wine(").count(), listed.len());
    }

    #[test]
    fn a_test_without_a_reason_is_refused() {
        for text in ["ok: reason\ntree::kill", "ok: reason\ntree::kill:", "ok: reason\n: no name"] {
            assert_eq!(parse_list(text), Err(2), "{text:?}");
        }
    }

    #[test]
    fn our_option_comes_before_the_arguments_of_cargo_test() {
        let strings = |list: &[&str]| list.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>();
        let cases: [(&[&str], bool, &[&str]); 6] = [
            (&[], false, &[]),
            (&["--build-only", "--", "-p", "xtask"], true, &["-p", "xtask"]),
            (&["--build-only"], true, &[]),
            (&["--", "--test", "x"], false, &["--test", "x"]),
            (&["shebang", "--", "--nocapture"], false, &["shebang", "--", "--nocapture"]),
            (&["--", "--", "--test-threads=2"], false, &["--", "--test-threads=2"]),
        ];
        for (arguments, build_only, rest) in cases {
            let arguments = strings(arguments);
            let found = split_arguments(&arguments);
            assert_eq!(found, (build_only, strings(rest).as_slice()), "{arguments:?}");
        }
    }
}
