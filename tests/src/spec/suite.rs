//! Runs many cases by one subject.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use hookshell_test_support::{oracles, requires_programs};

use super::compare::differences;
use super::real::{self, find, program};
use super::{Case, Outcome, Subject, in_process};

/// How one case went.
#[derive(Debug)]
pub(crate) struct Report<'a> {
    pub(crate) case: &'a Case,
    pub(crate) verdict: Verdict,
    /// Why it failed at first, where it was run once more.
    pub(crate) at_first: Option<String>,
    pub(crate) time: Duration,
}

/// How one case went.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Passed,
    /// Why not, as a text for a person.
    Failed(String),
    /// What is missing on this machine.
    Skipped(String),
}

/// Runs the cases on `threads` threads; the reports come in the order of the cases.
pub(crate) fn run_all<'a>(subject: &Subject, cases: &[&'a Case], threads: usize) -> Vec<Report<'a>> {
    let next = AtomicUsize::new(0);
    let reports = Mutex::new(Vec::with_capacity(cases.len()));
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(&case) = cases.get(index) else { break };
                    let start = Instant::now();
                    let (verdict, at_first) = run_one(subject, case);
                    let report = Report { case, verdict, at_first, time: start.elapsed() };
                    reports.lock().unwrap_or_else(PoisonError::into_inner).push((index, report));
                }
            });
        }
    });
    let mut reports = reports.into_inner().unwrap_or_else(PoisonError::into_inner);
    reports.sort_by_key(|(index, _)| *index);
    reports.into_iter().map(|(_, report)| report).collect()
}

/// The verdict, and the first failure of a case that was run once more.
fn run_one(subject: &Subject, case: &Case) -> (Verdict, Option<String>) {
    if let Some(verdict) = without_running(subject, case) {
        return (verdict, None);
    }
    let once = || match run(subject, case) {
        Ok(outcome) => judge(case, subject, &differences(case, subject, &outcome)),
        Err(error) => Verdict::Failed(format!("it could not be run: {error}")),
    };
    match once() {
        // A real shell has races of its own (a job that ends, a FIFO that opens), which a loaded machine shows; so has Wine,
        // which is not what is tested either. What is ours is asked once.
        Verdict::Failed(why) if !subject.is_ours() || std::env::var_os("UNDER_WINE").is_some() => (once(), Some(why)),
        verdict => (verdict, None),
    }
}

/// Of a case that cannot be run here, or need not be.
fn without_running(subject: &Subject, case: &Case) -> Option<Verdict> {
    let programs = if subject.has_bundled_only() { &[][..] } else { &case.bundled };
    let jq = subject.jq_version();
    let is_missing = |program: &&String| match program.as_str() {
        "jq" => oracles::jq_directory(jq).is_none(),
        program => !has(program),
    };
    let mut missing = case.needs.iter().filter(|what| !has(what)).chain(programs.iter().filter(is_missing));
    let missing = missing.next()?;
    let is_program = !matches!(missing.as_str(), "unix" | "non-root");
    let why = if case.bundled.contains(missing) && missing == "jq" {
        oracles::missing_jq(jq)
    } else {
        format!("needs {missing}")
    };
    Some(if is_program && cfg!(unix) && requires_programs() { Verdict::Failed(why) } else { Verdict::Skipped(why) })
}

/// Runs the case once, whatever it expects.
pub(crate) fn run(subject: &Subject, case: &Case) -> std::io::Result<Outcome> {
    match subject {
        Subject::InProcess => in_process::run(case, false),
        Subject::InProcessPosix => in_process::run(case, true),
        _ => match program(subject) {
            Some((path, first)) => real::run(case, subject, &path, first),
            None => Err(std::io::Error::new(std::io::ErrorKind::NotFound, format!("{subject} is not installed"))),
        },
    }
}

fn judge(case: &Case, subject: &Subject, found: &[String]) -> Verdict {
    match (case.differs_for(subject), found.is_empty()) {
        (None, true) | (Some(_), false) => Verdict::Passed,
        (None, false) => Verdict::Failed(found.join("\n")),
        (Some(reason), true) => Verdict::Failed(format!(
            "`--- differs {subject}: {reason}` is stale: {subject} does what is expected; take it out"
        )),
    }
}

/// Is what a case needs there?
pub(crate) fn has(what: &str) -> bool {
    match what {
        "unix" => cfg!(unix),
        "non-root" => !is_root(),
        // Programs of a Unix system; Windows has others under the same names (sort, find).
        program => cfg!(unix) && (find_in_case_path(program) || (program.contains('/') && find(program).is_some())),
    }
}

fn find_in_case_path(program: &str) -> bool {
    std::env::split_paths(super::directory::PATH).any(|directory| directory.join(program).is_file())
}

fn is_root() -> bool {
    #[cfg(unix)]
    return rustix::process::geteuid().is_root();
    #[cfg(not(unix))]
    false
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::parse;
    use super::*;

    #[test]
    fn an_excuse_without_a_difference_is_stale() {
        let text = b"=== a\ntrue\n--- stdout\n--- differs dash: it does\n";
        let cases = parse("posix/x", Path::new("x"), text).unwrap();
        let found = ["stdout".to_owned()];
        assert_eq!(judge(&cases[0], &Subject::Dash, &found), Verdict::Passed);
        let stale = "`--- differs dash: it does` is stale: dash does what is expected; take it out";
        assert_eq!(judge(&cases[0], &Subject::Dash, &[]), Verdict::Failed(stale.into()));
        assert_eq!(judge(&cases[0], &Subject::Bash, &[]), Verdict::Passed);
        assert_eq!(judge(&cases[0], &Subject::Bash, &found), Verdict::Failed("stdout".into()));
    }
}
