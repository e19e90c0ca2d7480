//! `hookshell check`: what is wrong with configs and what they name.

use crate::exit_code::ExitCode;

use hookshell_runner::{Checker, Origin};

use crate::commands::{CheckArgs, HookSources};
use crate::exec::working_directory;
use crate::failure::{Failure, Sysexit};
use crate::{output, sources};

/// Something is wrong.
const FINDINGS: u8 = 1;
/// A config cannot be read.
const UNREADABLE: u8 = 2;

/// Checks.
pub(crate) fn main(args: &CheckArgs) -> Result<ExitCode, Failure> {
    let cwd = working_directory()?;
    let sources = HookSources {
        config: args.files.clone(),
        hook: args.hook.clone(),
        no_hooks: args.no_hooks,
        dialect: args.dialect,
    };
    let mut files = sources::files(&sources, &cwd);
    if files.is_empty() && args.files.is_empty() && !args.no_hooks && args.dialect.is_none() {
        files = sources::of_all_agents(&cwd);
    }
    for file in &mut files {
        // A script among the configs is a hook by itself.
        file.is_hook |= sources::is_script(&file.file.path);
    }
    if args.files.is_empty() && !args.hook.is_empty() {
        // Who names hook files asks about them.
        files.retain(|file| file.file.origin == Origin::Given);
    }
    if files.is_empty() {
        return Err(Failure::new(Sysexit::NoInput, "check", "there is no config file here")
            .hint("name one: hookshell check path/to/crush.json"));
    }
    let checker = Checker::new(args.dispatch.dispatcher(), std::env::vars_os().collect(), cwd)
        .portable(args.portable)
        .dialect(args.dialect);
    let of_kind = |is_hook| files.iter().filter(move |file| file.is_hook == is_hook).map(|file| &file.file.path);
    let mut report = checker.check(of_kind(false));
    checker.check_hook_files(of_kind(true), &mut report);
    let printed = if args.json {
        output::print_json(&report)
    } else {
        let mut text: String = report.findings.iter().map(|finding| format!("{finding}\n")).collect();
        let count = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
        let (files, hooks) = (count(report.files.len(), "file"), count(report.hooks, "hook"));
        text.push_str(&format!("{files}, {hooks}, {}\n", count(report.findings.len(), "finding")));
        output::print(&output::visible(&text))
    };
    printed.map_err(Failure::output)?;
    Ok(ExitCode::from(if report.unreadable {
        UNREADABLE
    } else if report.findings.is_empty() {
        0
    } else {
        FINDINGS
    }))
}
