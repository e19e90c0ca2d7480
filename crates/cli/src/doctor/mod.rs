//! `hookshell doctor`: what this machine has that hooks use.

mod hooks;

use crate::exit_code::ExitCode;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use hookshell_dispatch::{Command, Dispatcher, Invocation, Platform, Search};
use hookshell_process::{path_list, text};
use hookshell_runner::Dialect;
use hookshell_shell::UtilitySet;
use serde::Serialize;

use crate::directories::working_directory;
use crate::failure::Failure;
use crate::hook_log::hook_log;
use crate::output::visible;
use crate::style::Style;
use crate::{output, sources};

pub(crate) const EXAMPLES: &str = r"Examples:
  hookshell doctor
  hookshell doctor --json | jq '.interpreters[] | select(.program == null) | .name'";

#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// The interpreters that hooks name, and how each is asked for its version: most of them say it on one line.
const INTERPRETERS: [(&str, &[&str]); 15] = [
    ("sh", &[]),
    ("bash", &["--version"]),
    ("dash", &[]),
    ("python3", &["--version"]),
    ("python", &["--version"]),
    ("node", &["--version"]),
    ("npx", &[]),
    ("bun", &["--version"]),
    ("deno", &["--version"]),
    ("pwsh", &["-NoProfile", "-Command", "$PSVersionTable.PSVersion.ToString()"]),
    ("ruby", &["--version"]),
    ("perl", &["-e", "print $^V"]),
    ("lua", &["-v"]),
    ("php", &["--version"]),
    ("git", &["--version"]),
];

/// How long an interpreter may take to say its version.
const MAX_WAIT: Duration = Duration::from_secs(10);

/// What there is, as `--json` prints it.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    version: &'static str,
    path: Vec<String>,
    interpreters: Vec<Interpreter>,
    utilities: Vec<BundledUtility>,
    config_files: Vec<String>,
    /// The files of every agent.
    agents: Vec<AgentFiles>,
    /// The log of hooks' runs; none where the environment names no directory for it.
    log: Option<String>,
    /// `HOOKSHELL_LOG`, if it is set.
    #[serde(skip)]
    log_setting: Option<String>,
    /// Which agents' hooks run through hookshell.
    wired: Vec<hooks::Wiring>,
    /// Whose hooks the user trusts.
    trust: hooks::TrustReport,
    /// The language model's server; none is set up without it.
    model: Option<hooks::ModelServer>,
}

#[derive(Debug, Serialize)]
struct Interpreter {
    name: &'static str,
    /// The program that would be started; none: not found.
    program: Option<String>,
    /// Arguments that stand before all others (`-3` of `py -3`).
    args: Vec<&'static str>,
    version: Option<String>,
    /// What was found instead of the name in PATH.
    instead: Option<&'static str>,
    /// It is a shell that is not found, and whose work the in-process shell does.
    stood_in_for: bool,
    passed_over: Vec<PassedOver>,
}

#[derive(Debug, Serialize)]
struct AgentFiles {
    /// Its word on a command line.
    dialect: &'static str,
    agent: &'static str,
    files: Vec<String>,
}

#[derive(Debug, Serialize)]
struct PassedOver {
    file: String,
    reason: String,
}

#[derive(Debug, Serialize)]
struct BundledUtility {
    name: &'static str,
    /// The program of that name which comes before it.
    own_program: Option<String>,
}

/// Looks at the machine.
pub(crate) fn main(args: &DoctorArgs) -> Result<ExitCode, Failure> {
    let env: Vec<(OsString, OsString)> = std::env::vars_os().collect();
    let cwd = working_directory()?;
    let report = examine(&env, &cwd);
    let printed =
        if args.json { output::print_json(&report) } else { output::print(&table(&report, Style::of_stdout())) };
    printed.map_err(Failure::output)?;
    Ok(ExitCode::SUCCESS)
}

/// Looks at the machine, as this environment and directory have it.
pub(crate) fn examine(env: &[(OsString, OsString)], cwd: &Path) -> Report {
    let platform = Platform::HOST;
    let path = platform.search_path(env);
    let search = Search { platform, path, env, cwd };
    let dispatcher = Dispatcher::new();
    let shown = |path: &Path| path.display().to_string();
    let interpreters = INTERPRETERS.map(|(name, question)| {
        let (found, passed_over) = match search.program(name.as_bytes()) {
            Ok(found) => (Some((found.path, found.args, found.instead)), found.passed_over),
            Err(missing) => (None, missing.passed_over),
        };
        let passed_over =
            passed_over.iter().map(|file| PassedOver { file: shown(&file.path), reason: file.reason.to_string() });
        let version = found.as_ref().and_then(|(path, args, _)| {
            let words = args.iter().chain(question).copied();
            (!question.is_empty()).then(|| version(&dispatcher, path, words, env, cwd)).flatten()
        });
        let (program, args, instead) = match found {
            Some((path, args, instead)) => (Some(shown(&path)), args, instead),
            None => (None, Vec::new(), None),
        };
        let stood_in_for = program.is_none() && dispatcher.stands_in_for(name.as_bytes(), None);
        Interpreter { name, program, args, version, instead, stood_in_for, passed_over: passed_over.collect() }
    });
    let bundle = hookshell_utilities::standard();
    let shared = std::sync::Arc::new(env.to_vec());
    let own_program = |name: &str| -> Option<PathBuf> {
        let found = search.program(name.as_bytes()).ok()?.path;
        bundle.yields_to(&found, &shared).then_some(found)
    };
    Report {
        version: env!("CARGO_PKG_VERSION"),
        path: path_list::split(&text::from_os(path)).iter().map(|directory| shown(directory)).collect(),
        interpreters: interpreters.into(),
        utilities: bundle
            .names()
            .map(|name| BundledUtility { name, own_program: own_program(name).map(|path| shown(&path)) })
            .collect(),
        config_files: sources::find(None, cwd).iter().map(|file| shown(&file.file.path)).collect(),
        agents: Dialect::ALL
            .into_iter()
            .filter(|dialect| !dialect.is_default())
            .map(|dialect| {
                let find = |name: &str| platform.variable(env, name).map(OsStr::to_owned);
                let files = dialect.discover(cwd, find).iter().map(|file| shown(&file.path)).collect();
                AgentFiles { dialect: dialect.as_str(), agent: dialect.agent(), files }
            })
            .collect(),
        log_setting: platform
            .variable(env, "HOOKSHELL_LOG")
            .filter(|setting| !setting.is_empty())
            .map(|setting| setting.to_string_lossy().into_owned()),
        log: hook_log(|name| platform.variable(env, name).map(OsStr::to_owned)).map(|log| shown(&log.path())),
        wired: hooks::wiring(env, cwd),
        trust: hooks::trust(env, cwd),
        model: hooks::model(env),
    }
}

/// The version that a program says of itself: the first number with a dot in what it prints.
fn version<'w>(
    dispatcher: &Dispatcher,
    program: &Path,
    words: impl Iterator<Item = &'w str>,
    env: &[(OsString, OsString)],
    cwd: &Path,
) -> Option<String> {
    let mut line = Vec::new();
    for word in std::iter::once(text::from_path(program)).chain(words.map(|word| word.as_bytes().into())) {
        hookshell_text::quote::single(&word, &mut line);
        line.push(b' ');
    }
    let mut invocation = Invocation::new(Command::source(line), cwd);
    invocation.env = env.into();
    invocation.stdin = hookshell_dispatch::Input::Null;
    invocation.timeout = Some(MAX_WAIT);
    let outcome = dispatcher.run(invocation);
    if outcome.status != 0 {
        return None;
    }
    let printed = String::from_utf8_lossy(&[outcome.stdout, outcome.stderr].concat()).into_owned();
    let is_version = |word: &&str| word.starts_with(|first: char| first.is_ascii_digit()) && word.contains('.');
    let words = printed.split(|other: char| !(other.is_ascii_alphanumeric() || ".+-_".contains(other)));
    words.map(|word| word.trim_start_matches('v')).find(is_version).map(str::to_owned)
}

/// What there is, for a person. Only what we say ourselves is painted.
fn table(report: &Report, style: Style) -> String {
    let mut out = format!("hookshell {}\n\ninterpreters\n", report.version);
    for found in &report.interpreters {
        let program = match &found.program {
            Some(program) => visible(&[&[program.as_str()], &found.args[..]].concat().join(" ")),
            None if found.stood_in_for => "not found: the in-process shell does its work".to_owned(),
            None => style.yellow("not found"),
        };
        let version = found.version.as_deref().unwrap_or("-");
        out.push_str(&format!("  {:<8} {version:<10} {program}", found.name));
        if let Some(instead) = found.instead {
            out.push_str(&format!(" ({} is not on PATH: {instead} is used)", found.name));
        }
        out.push('\n');
        for passed in &found.passed_over {
            let line = visible(&format!("{}: {}", passed.file, passed.reason));
            out.push_str(&format!("           {} {line}\n", style.yellow("passed over")));
        }
    }
    let names: Vec<&str> = report.utilities.iter().map(|utility| utility.name).collect();
    out.push_str(&format!("\nbundled utilities: {}\n", names.join(" ")));
    for utility in &report.utilities {
        if let Some(program) = &utility.own_program {
            out.push_str(&visible(&format!("  {}: {program} comes first\n", utility.name)));
        }
    }
    let files = if report.config_files.is_empty() { "none".to_owned() } else { report.config_files.join(" ") };
    out.push_str(&visible(&format!("\nconfig files: {files}\n")));
    for AgentFiles { dialect, agent, files } in report.agents.iter().filter(|agent| !agent.files.is_empty()) {
        out.push_str(&visible(&format!("  {agent} (--dialect {dialect}): {}\n", files.join(" "))));
    }
    let log = report.log.as_deref().unwrap_or("none: no directory for it is known");
    let setting = match report.log_setting.as_deref() {
        None => String::new(),
        Some("off") => " (nothing is logged: HOOKSHELL_LOG is off)".to_owned(),
        Some("payload") => " (with payloads: HOOKSHELL_LOG is payload)".to_owned(),
        Some(other) => format!(" (HOOKSHELL_LOG is off or payload: \"{other}\" means nothing)"),
    };
    out.push_str(&visible(&format!("log: {log}{setting}\n")));
    out.push_str(&hooks::text(&report.wired, &report.trust, report.model.as_ref(), style));
    out
}
