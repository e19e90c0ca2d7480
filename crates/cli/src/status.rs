//! `hookshell status`: which hooks of which agents run through hookshell.

use crate::exit_code::ExitCode;

use std::path::Path;

use clap::Args;
use hookshell_install::{Agent, AgentStatus, ConfigStatus, Listed, State, status};
use hookshell_runner::{Config, Dialect, FoundFile, HookLog, HookSource, Origin, TrustStatus, state_dir};
use serde::Serialize;

use crate::as_hook;
use crate::failure::Failure;
use crate::findings::{findings, why_none_runs};
use crate::install::machine;
use crate::last_run::{Installed, LastRuns};
use crate::output::{self, one_line, visible};
use crate::sources;
use crate::style::Style;

/// A hook is not wired.
const NOT_WIRED: u8 = 1;

pub(crate) const EXAMPLES: &str = r"Exit codes: 0 every hook that can be wired is, 1 one is not, or a config cannot be read.

Examples:
  hookshell status
  hookshell status --json | jq '.agents[].configs[].hooks[] | select(.wired == false)'";

#[derive(Debug, Args)]
pub(crate) struct StatusArgs {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    all_wired: bool,
    agents: Vec<AgentReport>,
}

#[derive(Serialize)]
struct AgentReport {
    agent: &'static str,
    name: &'static str,
    program: Option<String>,
    version: Option<String>,
    plugin: Option<PluginReport>,
    configs: Vec<ConfigReport>,
    /// Files of the project that have hooks and that the agent never reads, each with where they belong.
    never_read: Vec<String>,
}

#[derive(Serialize)]
struct PluginReport {
    path: String,
    installed: bool,
}

#[derive(Serialize)]
struct ConfigReport {
    path: String,
    origin: &'static str,
    /// Where its hooks were moved to.
    side: Option<String>,
    error: Option<String>,
    hooks: Vec<HookLine>,
    /// What `hookshell check` says of it.
    findings: Vec<String>,
}

#[derive(Serialize)]
struct HookLine {
    event: String,
    matcher: Option<String>,
    command: String,
    /// `None`: the agent runs it itself, or it is a plugin's.
    wired: Option<bool>,
    state: String,
    /// Of a project's hook that hookshell runs: does the user trust it?
    trusted: Option<bool>,
    /// Of an agent that trusts each hook by its text (Codex): does it trust the line of a wired hook?
    trusted_by_agent: Option<bool>,
    /// Of an agent that remembers which hooks its user has switched off (Codex): is the line of a wired hook on?
    enabled_by_agent: Option<bool>,
    /// How it came out when it last ran through `hookshell run`.
    last_outcome: Option<String>,
    last_time: Option<String>,
    /// The log does not tell it apart from other hooks with its command, and it may have been one of them: the agent does not say of
    /// which event a hook is that it starts by itself.
    #[serde(skip_serializing_if = "is_false")]
    last_is_shared: bool,
}

fn is_false(flag: &bool) -> bool {
    !flag
}

/// Prints what is wired.
pub(crate) fn main(args: &StatusArgs) -> Result<ExitCode, Failure> {
    let machine = machine()?;
    let log = state_dir(|name| std::env::var_os(name)).and_then(|directory| HookLog::new(directory).entries().ok());
    let log = log.unwrap_or_default();
    let project = machine.project().map(Path::to_owned);
    let found = status(&machine);
    let log = LastRuns::new(log, &found, project.as_deref());
    let agents: Vec<AgentReport> =
        found.iter().map(|agent| of_agent(agent, project.as_deref(), &log)).collect::<Result<_, _>>()?;
    let is_wired =
        |config: &ConfigReport| config.error.is_none() && config.hooks.iter().all(|hook| hook.wired != Some(false));
    let all_wired = agents
        .iter()
        .all(|agent| agent.configs.iter().all(is_wired) && agent.plugin.as_ref().is_none_or(|plugin| plugin.installed));
    let report = Report { all_wired, agents };
    let printed =
        if args.json { output::print_json(&report) } else { output::print(&text(&report, Style::of_stdout())) };
    printed.map_err(Failure::output)?;
    Ok(ExitCode::from(if all_wired { 0 } else { NOT_WIRED }))
}

fn of_agent(status: &AgentStatus, project: Option<&Path>, log: &LastRuns<'_>) -> Result<AgentReport, Failure> {
    let configs =
        status.configs.iter().map(|config| of_config(config, status.agent, project, log)).collect::<Result<_, _>>()?;
    Ok(AgentReport {
        agent: status.agent.as_str(),
        name: status.agent.name(),
        program: status.program.as_ref().map(|program| program.path.display().to_string()),
        version: status.program.as_ref().and_then(|program| program.version.clone()),
        plugin: status
            .plugin
            .as_ref()
            .map(|(path, installed)| PluginReport { path: path.display().to_string(), installed: *installed }),
        configs,
        never_read: project.map(|project| hooks_never_read(status.agent, project)).unwrap_or_default(),
    })
}

fn hooks_never_read(agent: Agent, project: &Path) -> Vec<String> {
    agent.dialect().map(|dialect| as_hook::in_files_never_read(Some(dialect), project)).unwrap_or_default()
}

fn of_config(
    config: &ConfigStatus,
    agent: Agent,
    project: Option<&Path>,
    log: &LastRuns<'_>,
) -> Result<ConfigReport, Failure> {
    let dialect = agent.dialect();
    let origin = config.origin;
    let is_readable = config.hooks.is_ok();
    let (hooks, error) = match &config.hooks {
        Ok(hooks) => (&hooks[..], config.lost.as_ref().map(ToString::to_string)),
        Err(error) => (&[][..], Some(error.to_string())),
    };
    let trusted =
        config.side.as_deref().filter(|_| origin == Origin::Project).map(|side| trusted(side, dialect, project));
    let findings = match (is_readable, config.is_plugins) {
        (true, false) if !hooks.is_empty() || config.side.is_some() => {
            of_both(&config.path, config.side.as_deref(), dialect)?
        }
        // It may switch off those of other files.
        (true, false) => why_none_runs(&config.path, dialect)?.iter().map(ToString::to_string).collect(),
        _ => Vec::new(),
    };
    let line = |hook: &Listed| {
        let last = log.of(&Installed { agent, config, hook });
        let entry = last.map(|last| last.entry);
        HookLine {
            wired: match &hook.state {
                State::Wired => Some(true),
                State::Plain | State::Stranded => Some(false),
                _ => None,
            },
            state: hook.state.as_str().to_owned(),
            trusted: trusted
                .as_ref()
                .filter(|_| hook.state == State::Wired)
                .map(|trusted| trusted.contains(&hook.command)),
            trusted_by_agent: hook.trusted_by_agent,
            enabled_by_agent: hook.enabled_by_agent,
            last_outcome: entry.map(|entry| entry.outcome.clone()),
            last_time: entry.map(|entry| entry.time.clone()),
            last_is_shared: last.is_some_and(|last| last.is_shared),
            event: hook.event.clone(),
            matcher: hook.matcher.clone(),
            command: hook.command.clone(),
        }
    };
    Ok(ConfigReport {
        path: config.path.display().to_string(),
        origin: origin.as_str(),
        side: config.side.as_ref().map(|side| side.display().to_string()),
        error,
        hooks: hooks.iter().map(line).collect(),
        findings,
    })
}

/// The commands of a project's hooks that the user trusts.
fn trusted(side: &Path, dialect: Option<Dialect>, project: Option<&Path>) -> Vec<String> {
    let mut config = Config::in_dialect(dialect);
    let file = FoundFile { path: side.to_owned(), origin: Origin::Project };
    // What is wrong in it is said by the findings.
    let _ = HookSource::config(file).add_to(&mut config);
    let (Some(store), Some(project)) = (sources::trust_store(), project) else { return Vec::new() };
    let is_trusted = |hook: &&hookshell_runner::HookConfig| {
        store.examine(hook, project).is_ok_and(|examined| examined.status == TrustStatus::Trusted)
    };
    config.hooks().iter().filter(is_trusted).map(|hook| hook.command.clone()).collect()
}

/// What is found in the file that holds the hooks, and of a config whose hooks were moved why it keeps them from running.
fn of_both(path: &Path, side: Option<&Path>, dialect: Option<Dialect>) -> Result<Vec<String>, Failure> {
    let mut found = if side.is_some() { why_none_runs(path, dialect)? } else { Vec::new() };
    // A moved file has the switch from its config.
    let mut of_holder = findings(side.unwrap_or(path), dialect)?;
    of_holder.retain(|finding| found.iter().all(|other| other.code != finding.code));
    found.extend(of_holder);
    Ok(found.iter().map(ToString::to_string).collect())
}

/// What is wired, for a person. Only what we say ourselves is painted: what stands in a config is shown as it is.
fn text(report: &Report, style: Style) -> String {
    let mut text = String::new();
    for agent in &report.agents {
        let version = agent.version.as_deref().map(|version| format!(" {version}")).unwrap_or_default();
        let program = agent.program.as_deref().unwrap_or("its program is not on PATH");
        text.push_str(&visible(&format!("{}{version} ({program})\n", agent.name)));
        if let Some(plugin) = &agent.plugin {
            text.push_str(&format!("  {}: {}\n", visible(&plugin.path), wired(plugin.installed, style)));
        }
        for config in &agent.configs {
            text.push_str(&visible(&format!("  {} ({})\n", config.path, config.origin)));
            if let Some(error) = &config.error {
                // The path stands in the line above.
                let error = error.strip_prefix(&format!("{}: ", config.path)).unwrap_or(error);
                text.push_str(&format!("    {}: {}\n", style.red("error"), visible(error)));
            }
            config.hooks.iter().for_each(|hook| text.push_str(&hook_text(hook, style)));
            let findings = config.findings.iter().map(|finding| style.finding(&one_line(finding)));
            findings.for_each(|finding| text.push_str(&format!("    {finding}\n")));
        }
        for line in &agent.never_read {
            text.push_str(&format!("  {}: {}\n", style.yellow("NOT RUN"), visible(line)));
        }
    }
    if report.agents.is_empty() {
        text.push_str("no agent was found\n");
    } else if !report.all_wired {
        let configs = || report.agents.iter().flat_map(|agent| &agent.configs);
        let is_broken = configs().any(|config| config.error.is_some());
        let is_plain = |hook: &HookLine| hook.state == State::Plain.as_str();
        let has_plugin =
            report.agents.iter().any(|agent| agent.plugin.as_ref().is_some_and(|plugin| !plugin.installed));
        let can_install = has_plugin || configs().any(|config| config.hooks.iter().any(is_plain));
        text.push_str(match (is_broken, can_install) {
            (true, _) => "not everything is wired: correct what is an error, then `hookshell install` does it\n",
            (false, true) => "not everything is wired: `hookshell install` does it\n",
            (false, false) => "not everything is wired: there are hooks that nobody runs\n",
        });
    }
    text
}

fn wired(is_wired: bool, style: Style) -> String {
    if is_wired { style.green("wired") } else { style.red("NOT WIRED") }
}

fn hook_text(hook: &HookLine, style: Style) -> String {
    let state = match (hook.wired, &*hook.state) {
        (Some(_), "stranded") => format!(
            "{}: its event has no line in the config; put the hook back there, or remove it from the file that it was moved to",
            style.red("NOT RUN")
        ),
        (Some(is_wired), _) => wired(is_wired, style),
        (None, "plugin") => "a plugin's: out of reach, but where the agent's shell is hookshell".to_owned(),
        (None, kind) => visible(&format!("left to the agent ({kind})")),
    };
    let trusted = match hook.trusted {
        Some(true) => ", trusted".to_owned(),
        Some(false) => format!(", {}", style.yellow("NOT TRUSTED")),
        None => String::new(),
    };
    let by_agent = match (hook.enabled_by_agent, hook.trusted_by_agent) {
        (Some(false), _) => {
            let what = style.yellow("SWITCHED OFF IN CODEX");
            format!(", {what}: switch it on in `/hooks` of `codex`")
        }
        (_, Some(false)) => {
            let what = style.yellow("NOT TRUSTED BY CODEX");
            format!(", {what}, which skips it: trust it in `/hooks` of `codex`")
        }
        _ => String::new(),
    };
    let last = match (&hook.last_outcome, &hook.last_time) {
        (Some(outcome), Some(time)) => {
            let whose = if hook.last_is_shared { " (this hook, or another with its command)" } else { "" };
            visible(&format!(", last {outcome} at {time}{whose}"))
        }
        _ => String::new(),
    };
    let matcher = hook.matcher.as_deref().map(|matcher| format!(" {matcher}")).unwrap_or_default();
    let command = hook.command.replace('\n', " ");
    let named = visible(&format!("{}{matcher}: {command}", hook.event));
    format!("    {named}: {state}{trusted}{by_agent}{last}\n")
}
