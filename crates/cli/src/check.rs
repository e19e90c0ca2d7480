//! `hookshell check`: what is wrong with configs and what they name.

use std::path::PathBuf;
use std::process::ExitCode;

use hookshell_runner::{Checker, discover};

use crate::commands::CheckArgs;
use crate::exec::working_directory;
use crate::failure::{Failure, Sysexit};
use crate::output;
use crate::run::AGENT;

/// Something is wrong.
const FINDINGS: u8 = 1;
/// A config cannot be read.
const UNREADABLE: u8 = 2;

/// Checks.
pub(crate) fn main(args: &CheckArgs) -> Result<ExitCode, Failure> {
    let cwd = working_directory()?;
    let files: Vec<PathBuf> =
        if args.files.is_empty() { discover(AGENT, &cwd, |name| std::env::var_os(name)) } else { args.files.clone() };
    if files.is_empty() {
        return Err(Failure::new(Sysexit::NoInput, "check", "there is no config file here")
            .hint("name one: hookshell check path/to/crush.json"));
    }
    let checker = Checker::new(args.dispatch.dispatcher(), std::env::vars_os().collect(), cwd).portable(args.portable);
    let report = checker.check(&files);
    let printed = if args.json {
        output::print_json(&report)
    } else {
        let mut text: String = report.findings.iter().map(|finding| format!("{finding}\n")).collect();
        let count = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
        let (files, hooks) = (count(report.files.len(), "file"), count(report.hooks, "hook"));
        text.push_str(&format!("{files}, {hooks}, {}\n", count(report.findings.len(), "finding")));
        output::print(&text)
    };
    printed.map_err(|error| Failure::new(Sysexit::Io, "standard output", error))?;
    Ok(ExitCode::from(if report.unreadable {
        UNREADABLE
    } else if report.findings.is_empty() {
        0
    } else {
        FINDINGS
    }))
}
