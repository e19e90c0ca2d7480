//! `hookshell test`: the fixtures of hooks, run and reported as tests are.

use crate::exit_code::ExitCode;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use hookshell_runner::{FixtureError, HookTest, Mismatch, Verdict, find_fixtures, why_unreadable};
use serde::Serialize;

use crate::commands::DispatchArgs;
use crate::decide::{Decided, decide};
use crate::exec::{signal_status, working_directory};
use crate::failure::{Failure, Sysexit};
use crate::output;

pub(crate) const EXAMPLES: &str = r#"A fixture, guard.hooktest.json next to guard.sh:
  { "tool_name": "bash", "cases": [
      { "name": "rm -rf / is refused", "tool_input": { "command": "rm -rf /" },
        "expect": { "decision": "deny", "reason": "^Refusing" } } ] }

Exit codes: 0 all cases passed, 1 a case failed, 2 a fixture cannot be used.

Examples:
  hookshell test
  hookshell test .claude/hooks 'rm -rf'
  hookshell test --json | jq '.cases[] | select(.ok | not)'"#;

#[derive(Debug, Args)]
pub(crate) struct TestArgs {
    /// A directory to search for *.hooktest.json files, or one such file [default: the working directory]
    path: Option<PathBuf>,
    /// Run only the cases whose file path or name contains this text
    filter: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Show each hook's result, also for cases that passed
    #[arg(short, long)]
    verbose: bool,
    #[command(flatten)]
    dispatch: DispatchArgs,
}

/// A case failed.
const FAILED: u8 = 1;
/// A fixture cannot be read.
const UNREADABLE: u8 = 2;

#[derive(Debug, Default, Serialize)]
struct Report {
    cases: Vec<CaseReport>,
    ok: usize,
    failed: usize,
    /// Cases that the filter left out.
    filtered: usize,
    /// What is wrong with the fixtures.
    errors: Vec<String>,
}

#[derive(Debug, Serialize)]
struct CaseReport {
    file: String,
    line: usize,
    name: String,
    ok: bool,
    ms: u64,
    failures: Vec<Mismatch>,
    verdict: Verdict,
}

/// Runs the fixtures.
pub(crate) fn main(args: &TestArgs) -> Result<ExitCode, Failure> {
    let path = args.path.as_deref().unwrap_or(Path::new("."));
    let missing = |error| {
        Failure::new(Sysexit::NoInput, "test", format!("{}: {}", path.display(), why_unreadable(&error)))
            .hint("the filter comes after the directory: hookshell test . 'rm -rf'")
    };
    let files = find_fixtures(&working_directory()?.join(path)).map_err(missing)?;
    if files.is_empty() {
        return Err(Failure::new(Sysexit::NoInput, "test", format!("{}: it has no *.hooktest.json", path.display()))
            .hint("`hookshell test --help` shows one"));
    }
    let mut report = Report::default();
    let started = Instant::now();
    for file in &files {
        if let Some(signal) = run_file(args, &shown(file, path)?, file, &mut report)? {
            return Ok(ExitCode::from(signal_status(signal)));
        }
    }
    if args.json {
        output::print_json(&report)
    } else {
        output::print(&output::visible(&summary(&report, started.elapsed())))
    }
    .map_err(Failure::output)?;
    Ok(ExitCode::from(match (report.errors.is_empty(), report.failed) {
        (false, _) => UNREADABLE,
        (true, 0) => 0,
        (true, _) => FAILED,
    }))
}

/// A fixture's path as messages have it: relative to the working directory where it is below it.
fn shown(file: &Path, given: &Path) -> Result<PathBuf, Failure> {
    if given.is_absolute() {
        return Ok(file.to_owned());
    }
    let cwd = working_directory()?;
    let relative = file.strip_prefix(&cwd).unwrap_or(file);
    Ok(relative.strip_prefix(".").unwrap_or(relative).to_owned())
}

/// Runs a fixture's cases. A signal that came ends it.
fn run_file(args: &TestArgs, shown: &Path, file: &Path, report: &mut Report) -> Result<Option<i32>, Failure> {
    let title = shown.display().to_string();
    let tests = match HookTest::load(file) {
        Ok(tests) => tests,
        Err(errors) => {
            unreadable(args, report, &errors)?;
            return Ok(None);
        }
    };
    let is_wanted = |test: &HookTest| {
        args.filter.as_ref().is_none_or(|filter| test.name.contains(filter) || title.contains(filter))
    };
    let (tests, others): (Vec<_>, Vec<_>) = tests.into_iter().partition(is_wanted);
    report.filtered += others.len();
    if !args.json && !tests.is_empty() {
        print(&format!("{title}\n"))?;
    }
    for test in tests {
        let prepared = match test.prepare(|builder| builder.dispatcher(args.dispatch.dispatcher())) {
            Ok(prepared) => prepared,
            Err(errors) => {
                unreadable(args, report, &errors)?;
                continue;
            }
        };
        let started = Instant::now();
        let verdict = match decide(&prepared.runner, &prepared.event)? {
            Decided::Verdict(verdict, _) => verdict,
            Decided::Signalled(signal) => return Ok(Some(signal)),
        };
        let failures = test.judge(&verdict);
        let ok = failures.is_empty();
        *(if ok { &mut report.ok } else { &mut report.failed }) += 1;
        let ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        let case = CaseReport {
            file: title.clone(),
            line: test.place.line,
            name: test.name.clone(),
            ok,
            ms,
            failures,
            verdict: *verdict,
        };
        if !args.json {
            print(&describe(&case, args.verbose))?;
        }
        report.cases.push(case);
    }
    Ok(None)
}

fn unreadable(args: &TestArgs, report: &mut Report, errors: &[FixtureError]) -> Result<(), Failure> {
    for error in errors {
        if !args.json {
            print(&format!("{error}\n"))?;
        }
        report.errors.push(error.to_string());
    }
    Ok(())
}

/// A case in lines: what was expected and what came where they differ.
fn describe(case: &CaseReport, verbose: bool) -> String {
    let mark = if case.ok { "ok    " } else { "FAILED" };
    let note = if case.verdict.hooks.is_empty() { ", no hook is for it" } else { "" };
    let mut text = format!("  {mark}  {} ({} ms{note})\n", case.name, case.ms);
    for failure in &case.failures {
        let what = failure.what;
        text.push_str(&format!("          {what}: expected {}\n", failure.expected));
        text.push_str(&format!("          {:>width$} found {}\n", "", failure.found, width = what.len() + 4));
    }
    if !case.ok || verbose {
        for hook in &case.verdict.hooks {
            text.push_str(&format!("          | {}\n", crate::run::describe(hook)));
            for line in hook.stderr.lines() {
                text.push_str(&format!("          |   {line}\n"));
            }
        }
    }
    text
}

fn summary(report: &Report, elapsed: Duration) -> String {
    let count = report.cases.len();
    let mut text =
        format!("\n{count} case{}: {} ok, {} failed", if count == 1 { "" } else { "s" }, report.ok, report.failed);
    if report.filtered > 0 {
        text.push_str(&format!(", {} left out", report.filtered));
    }
    if !report.errors.is_empty() {
        let count = report.errors.len();
        text.push_str(&format!(", {count} error{} in fixtures", if count == 1 { "" } else { "s" }));
    }
    text.push_str(&format!(" ({:.2} s)\n", elapsed.as_secs_f64()));
    text
}

fn print(text: &str) -> Result<(), Failure> {
    output::print(&output::visible(text)).map_err(Failure::output)
}
