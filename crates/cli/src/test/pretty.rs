//! Results as lines for people.

use std::time::Duration;

use super::{CaseReport, Report, cut};
use crate::output::{one_line, visible};
use crate::style::Style;

/// A case in lines: what was expected and what came where they differ.
pub(super) fn case(case: &CaseReport, verbose: bool, style: Style) -> String {
    let mark = if case.ok { style.green("ok    ") } else { style.red("FAILED") };
    let note = if case.verdict.hooks.is_empty() { ", no hook is for it" } else { "" };
    let mut text = format!("  {} ({} ms{note})\n", one_line(&case.name), case.ms);
    for failure in &case.failures {
        let what = failure.what;
        text.push_str(&format!("          {what}: expected {}\n", one_line(&failure.expected)));
        let found = one_line(&cut(&failure.found));
        text.push_str(&format!("          {:>width$} found {found}\n", "", width = what.len() + 4));
    }
    if !case.ok || verbose {
        for line in &case.not_for_it {
            text.push_str(&format!("          | {}\n", one_line(line)));
        }
        for hook in &case.verdict.hooks {
            text.push_str(&format!("          | {}\n", one_line(&cut(&crate::run::describe(hook)))));
            for line in cut(&hook.stderr).lines() {
                text.push_str(&format!("          |   {line}\n"));
            }
        }
    }
    format!("  {mark}{}", visible(&text))
}

/// The last line.
pub(super) fn summary(report: &Report, elapsed: Duration, style: Style) -> String {
    let counts = counts(report, elapsed);
    let is_ok = report.failed == 0 && report.errors.is_empty();
    let line = counts.trim_end();
    format!("\n{}\n", if is_ok { style.green(line) } else { style.red(line) })
}

/// How many cases there were, and how they came out.
pub(super) fn counts(report: &Report, elapsed: Duration) -> String {
    let count = report.cases.len();
    let mut text =
        format!("{count} case{}: {} ok, {} failed", if count == 1 { "" } else { "s" }, report.ok, report.failed);
    if report.filtered > 0 {
        text.push_str(&format!(", {} left out", report.filtered));
    }
    if report.ignored > 0 {
        text.push_str(&format!(", {} ignored", report.ignored));
    }
    if !report.errors.is_empty() {
        let count = report.errors.len();
        text.push_str(&format!(", {count} error{} in fixtures", if count == 1 { "" } else { "s" }));
    }
    text.push_str(&format!(" ({:.2} s)\n", elapsed.as_secs_f64()));
    text
}
