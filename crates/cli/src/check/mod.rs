//! `hookshell check`: what is wrong with configs and what they name.

mod directory;
mod sarif;

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::{MAIN_SEPARATOR_STR, Path, PathBuf};

use crate::exit_code::ExitCode;

use clap::{Args, ValueEnum, ValueHint};
use hookshell_runner::{
    CheckReport, CheckTarget, Checker, Dialect, Finding, FindingCode, FoundFile, HookSource, Origin, Severity,
    why_unreadable,
};

use crate::directories::working_directory;
use crate::failure::{Failure, Sysexit};
use crate::options::{DispatchArgs, HookSources};
use crate::progress::Progress;
use crate::style::Style;
use crate::{github, model, output, sources, value_parsers};

pub(crate) const EXAMPLES: &str = r"Nothing is run. Exit codes: 0 no findings, 1 findings, 2 a config cannot be read.
Each finding has a code; docs/findings.md explains it. A comment `# hookshell: ignore=HS401`
on a line or before it switches a finding off there.

Examples:
  hookshell check
  hookshell check .claude --target macos --fail-on error
  hookshell check --format sarif > findings.sarif
  hookshell check --portable crush.json
  hookshell check --json crush.json | jq -r '.findings[].message'";

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// Config files, scripts, or directories with them [default: the user's and the project's configs]
    #[arg(value_hint = ValueHint::AnyPath)]
    pub(crate) files: Vec<PathBuf>,
    /// A config, as the other commands name one
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, hide = true)]
    pub(crate) config: Vec<PathBuf>,
    /// A script or program that is a hook itself. May be repeated
    #[arg(long, value_name = "FILE")]
    pub(crate) hook: Vec<PathBuf>,
    /// Ignore discovered files; check only those that are named
    #[arg(long)]
    pub(crate) no_hooks: bool,
    /// Print one JSON object: --format json
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,
    /// How to print the findings
    #[arg(long, value_enum, default_value_t = Format::Pretty)]
    pub(crate) format: Format,
    /// From which severity on the exit code is 1
    #[arg(long, value_enum, value_name = "SEVERITY", default_value_t = FailOn::Warning)]
    pub(crate) fail_on: FailOn,
    /// Leave out findings with this code. May be repeated, or name several: --ignore HS401,HS402
    #[arg(long, value_name = "CODE", value_delimiter = ',', hide_possible_values = true, value_parser = value_parsers::code())]
    pub(crate) ignore: Vec<FindingCode>,
    /// Also report the commands, options, shells and interpreters that this system does not have: windows, macos or linux
    #[arg(long, value_name = "SYSTEM", hide_possible_values = true,
        value_parser = value_parsers::words::<CheckTarget, 3>(["windows", "macos", "linux"]))]
    pub(crate) target: Option<CheckTarget>,
    /// Read configs and run hooks by the rules of this agent: crush, claude, codex, gemini, cursor, copilot or qwen [default:
    /// detected from each file's path and contents]
    #[arg(long, value_name = "AGENT", value_parser = value_parsers::agent(), hide_possible_values = true)]
    pub(crate) dialect: Option<Dialect>,
    /// The project that the configs are of: where relative paths in them start [default: the directory that a config stands in, or
    /// the working directory]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) cwd: Option<PathBuf>,
    /// Also report what a strict POSIX shell does not accept (scripts for sh and dash are always checked for it)
    #[arg(long)]
    pub(crate) portable: bool,
    #[command(flatten)]
    pub(crate) dispatch: DispatchArgs,
}

/// Something is wrong.
const FINDINGS: u8 = 1;
/// A config cannot be read.
const UNREADABLE: u8 = 2;

/// How the report is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Lines for people; `text` is another name of it
    #[value(alias = "text")]
    Pretty,
    /// One JSON object
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Annotations of GitHub Actions
    Github,
}

/// From which severity on findings make the exit code 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    /// Only errors
    Error,
    /// Warnings too
    Warning,
}

/// Checks.
pub(crate) fn main(args: &CheckArgs) -> Result<ExitCode, Failure> {
    let cwd = working_directory()?;
    let targets = targets(args, &cwd)?;
    let mut progress = Progress::new("checking", targets.files.len());
    let mut report = check(args, &targets, cwd.clone(), std::env::vars_os().collect(), |file| progress.step(file));
    progress.end();
    if args.files.is_empty() {
        // What was found here is called as people and CI systems call it.
        let names = report.files.iter_mut().chain(report.findings.iter_mut().map(|finding| &mut finding.file));
        names.for_each(|name| below(name, &cwd));
    }
    let format = if args.json { Format::Json } else { args.format };
    let printed = match format {
        Format::Json => output::print_json(&report),
        Format::Sarif => output::print_json(&sarif::log(&report)),
        Format::Github => output::print(&annotations(&report)),
        Format::Pretty => output::print(&pretty(&report, Style::of_stdout())),
    };
    printed.map_err(Failure::output)?;
    let counts = |finding: &Finding| args.fail_on == FailOn::Warning || finding.severity == Severity::Error;
    Ok(ExitCode::from(if report.unreadable {
        UNREADABLE
    } else if report.findings.iter().any(counts) {
        FINDINGS
    } else {
        0
    }))
}

/// Makes the name of a file below the directory relative to it.
fn below(name: &mut String, directory: &Path) {
    if let Ok(relative) = Path::new(name).strip_prefix(directory)
        && !relative.as_os_str().is_empty()
    {
        *name = relative.display().to_string();
    }
}

/// What is to be checked.
pub(crate) struct Targets {
    files: Vec<HookSource>,
    /// Directories whose files are not among them.
    unread: Vec<directory::Unread>,
}

/// The files that the options name, or else those that are found from this directory.
pub(crate) fn targets(args: &CheckArgs, cwd: &Path) -> Result<Targets, Failure> {
    let named = || args.files.iter().chain(&args.config);
    let is_none_named = named().next().is_none();
    let (directories, named): (Vec<_>, Vec<_>) = named().cloned().partition(|path| path.is_dir());
    let is_only_directories = named.is_empty() && !directories.is_empty();
    let sources = HookSources {
        config: named,
        hook: args.hook.clone(),
        no_hooks: args.no_hooks || is_only_directories,
        dialect: args.dialect,
    };
    let mut files = sources::files(&sources, cwd);
    if files.is_empty() && is_none_named && !args.no_hooks && args.dialect.is_none() {
        files = sources::of_all_agents(cwd);
    }
    if is_none_named && !args.no_hooks {
        let unread = sources::never_read(args.dialect, cwd).into_iter();
        files.extend(unread.map(|(_, path)| HookSource::config(FoundFile { path, origin: Origin::Project })));
    }
    let mut unread = Vec::new();
    for directory in &directories {
        let (found, others) = directory::find(directory).map_err(|error| {
            Failure::new(Sysexit::NoInput, "check", format!("{}: {}", directory.display(), why_unreadable(&error)))
        })?;
        files.extend(found);
        unread.extend(others);
    }
    for file in &mut files {
        // A script among the configs is a hook by itself.
        file.is_hook |= sources::is_script(&file.file.path);
    }
    if is_none_named && !args.hook.is_empty() {
        // Who names hook files asks about them.
        files.retain(|file| file.file.origin == Origin::Given);
    }
    if files.is_empty() && unread.is_empty() {
        if let [directory, ..] = &*directories {
            let message = format!("{}: it has no config and no shell script", directory.display());
            return Err(Failure::new(Sysexit::NoInput, "check", message));
        }
        return Err(Failure::new(Sysexit::NoInput, "check", "there is no config file here")
            .hint("name one: hookshell check path/to/crush.json"));
    }
    Ok(Targets { files, unread })
}

/// Checks these files. `step` is told of each.
pub(crate) fn check(
    args: &CheckArgs,
    Targets { files, unread }: &Targets,
    cwd: PathBuf,
    env: Vec<(OsString, OsString)>,
    mut step: impl FnMut(&str),
) -> CheckReport {
    // Of a directory that is not there each hook's says so.
    let project = args.cwd.as_ref().map(|given| cwd.join(given));
    let checker = Checker::new(args.dispatch.dispatcher(), env, project.clone().unwrap_or(cwd))
        .in_this_project(project.is_some())
        .portable(args.portable)
        .dialect(args.dialect)
        .target(args.target)
        .missing_shell(args.dispatch.missing_shell())
        .shell_scripts(args.dispatch.shell_scripts())
        .ignore(args.ignore.iter().copied())
        .model_fault(model::fault());
    let of_kind = |is_hook| files.iter().filter(move |file| file.is_hook == is_hook).map(|file| &file.file.path);
    let mut report = CheckReport::default();
    for (directory, why) in unread {
        checker.unread_directory(directory, why, &mut report);
    }
    for file in of_kind(false) {
        step(&file.display().to_string());
        checker.check_config(file, &mut report);
    }
    for file in of_kind(true) {
        step(&file.display().to_string());
        checker.check_hook_files([file], &mut report);
    }
    // A script that two hooks name, or that was found in a directory too, has its findings once.
    let mut said = HashSet::new();
    report.findings.retain(|finding| {
        let file = finding.file.strip_prefix('.').and_then(|file| file.strip_prefix(MAIN_SEPARATOR_STR));
        let file = file.unwrap_or(&finding.file).to_owned();
        finding.line.is_none()
            || said.insert((finding.code, file, finding.line, finding.column, finding.message.clone()))
    });
    report
}

/// A line for each finding, and one that counts.
fn pretty(report: &CheckReport, style: Style) -> String {
    let mut text = String::new();
    for finding in &report.findings {
        text.push_str(&style.finding(&output::one_line(&finding.to_string())));
        text.push('\n');
    }
    text.push_str(&counts(report));
    text
}

/// The line that counts.
fn counts(report: &CheckReport) -> String {
    let count = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let (files, hooks) = (count(report.files.len(), "file"), count(report.hooks, "hook"));
    let mut text = format!("{files}, {hooks}, {}", count(report.findings.len(), "finding"));
    if report.ignored > 0 {
        text.push_str(&format!(", {} ignored", report.ignored));
    }
    text.push('\n');
    text
}

/// GitHub Actions' annotations, and the counts.
fn annotations(report: &CheckReport) -> String {
    let annotation = |finding: &Finding| {
        let level = match finding.severity {
            Severity::Error => github::Level::Error,
            Severity::Warning => github::Level::Warning,
        };
        let message = match &finding.hook {
            Some(hook) => format!("{hook}: {}", finding.message),
            None => finding.message.clone(),
        };
        github::annotation(level, &finding.file, finding.line, finding.column, finding.code.as_str(), &message)
    };
    let mut text: String = report.findings.iter().map(annotation).collect();
    text.push_str(&counts(report));
    text
}
