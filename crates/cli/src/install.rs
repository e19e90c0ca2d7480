//! `hookshell install` and `uninstall`: agents' configs are wired to hookshell, and given back.

use crate::exit_code::ExitCode;

use std::cell::Cell;
use std::fs::{DirBuilder, File};
use std::time::{Duration, Instant};

use clap::Args;
use hookshell_install::{Agent, AgentStatus, ConfigStatus, Machine, Plan, Scope, status};
use hookshell_process::{FileLock, try_lock};
use hookshell_runner::{FindingCode, Origin};

use crate::directories::working_directory;
use crate::failure::{Failure, Sysexit};
use crate::findings::why_none_runs;
use crate::output::{self, note, visible};
use crate::signals::{SignalWait, signal_status};
use crate::style::Style;

pub(crate) const EXAMPLES: &str = r"Without an agent all that are found are wired: claude, codex, gemini, cursor, copilot, crush, qwen,
opencode, pi.
A second run changes nothing. A config that cannot be read is left as it is: the exit code is 65.

Examples:
  hookshell install --dry-run
  hookshell install claude --user
  hookshell install codex gemini --project
  hookshell install --shell claude";

pub(crate) const UNINSTALL_EXAMPLES: &str = r"Examples:
  hookshell uninstall --dry-run
  hookshell uninstall claude";

/// What `--shell` is to `uninstall`.
pub(crate) const UNINSTALL_SHELL: &str = "Make the shell of these agents the one that it was before `install --shell`";

#[derive(Debug, Args)]
pub(crate) struct InstallArgs {
    /// The agents [default: all that are found]
    #[arg(value_name = "AGENT", value_parser = agents())]
    agents: Vec<Agent>,
    /// Only the user's own configs [default: the user's and the project's]
    #[arg(long, conflicts_with = "project")]
    user: bool,
    /// Only the project's configs
    #[arg(long)]
    project: bool,
    /// Make hookshell the shell of these agents (under the name `bash`), so that their own commands and the hooks of plugins run in it
    #[arg(long, conflicts_with_all = ["user", "project"])]
    shell: bool,
    /// Print what would be changed as a unified diff, and change nothing
    #[arg(long)]
    dry_run: bool,
}

fn agents() -> impl clap::builder::TypedValueParser<Value = Agent> {
    use clap::builder::TypedValueParser as _;
    clap::builder::PossibleValuesParser::new(Agent::ALL.map(Agent::as_str)).try_map(|word| word.parse::<Agent>())
}

impl InstallArgs {
    fn scope(&self) -> Scope {
        match (self.user, self.project) {
            (true, _) => Scope::User,
            (_, true) => Scope::Project,
            _ => Scope::Both,
        }
    }
}

/// The machine that the process sees.
pub(crate) fn machine() -> Result<Machine, Failure> {
    Ok(Machine::new(std::env::vars_os().collect(), &working_directory()?))
}

/// Wires.
pub(crate) fn install(args: &InstallArgs) -> Result<ExitCode, Failure> {
    if args.shell {
        let exe = std::env::current_exe().map_err(|error| Failure::new(Sysexit::System, "install", error))?;
        let machine = machine()?;
        let (plan, _alone) = alone(args, &machine, "install", || Plan::install_shell(&machine, &args.agents, &exe))?;
        return carry_out(args, plan, "install", "every shell that can be hookshell is");
    }
    let machine = machine()?;
    let exe = std::env::current_exe().ok();
    let make = || {
        let mut plan = Plan::install(&machine, &args.agents, args.scope());
        exe.iter().for_each(|exe| plan.update_shell(&machine, exe));
        plan
    };
    let (mut plan, _alone) = alone(args, &machine, "install", make)?;
    if !machine.has_hookshell() && !plan.is_empty() {
        plan.notes
            .push("hookshell is not on PATH, and agents start it by its name: put its directory there".to_owned());
    }
    if machine.home().is_none() {
        plan.notes.push(NO_HOME.to_owned());
    }
    let named = plan.without_config.iter().filter(|agent| args.agents.contains(agent));
    let notes: Vec<String> = named.map(|agent| no_config(*agent, args.scope())).collect();
    plan.notes.extend(notes);
    let has_no_config = !args.agents.is_empty() && args.agents.iter().all(|agent| plan.without_config.contains(agent));
    let nothing = match args.agents.is_empty() && !plan.has_found {
        true => "no agent with a config was found, so there is no hook to wire",
        false if has_no_config => "nothing is wired",
        false => "every hook that can be wired is",
    };
    let code = carry_out(args, plan, "install", nothing);
    let agents = meant(args, &machine);
    let mut notes = unread(&agents)?;
    if !args.dry_run {
        notes.extend(switched_off(&agents));
    }
    notes.iter().for_each(|text| note(text));
    code
}

/// Events whose line Codex keeps off: it knows hooks by their place, and the line stands where one stood that the user has switched off.
fn switched_off(agents: &[AgentStatus]) -> Vec<String> {
    let mut notes = Vec::new();
    for config in agents.iter().flat_map(|status| &status.configs) {
        let Ok(hooks) = &config.hooks else { continue };
        let off = hooks.iter().filter(|hook| hook.enabled_by_agent == Some(false));
        let mut events: Vec<&str> = off.map(|hook| &*hook.event).collect();
        events.dedup();
        for event in events {
            notes.push(format!(
                "{}: {event}: Codex has switched off what stood where hookshell's line is now, so that no hook of the event runs: \
                 switch it on in `/hooks` of `codex`",
                config.path.display()
            ));
        }
    }
    notes
}

/// The agents that the command is for, with the configs that it is for.
fn meant(args: &InstallArgs, machine: &Machine) -> Vec<AgentStatus> {
    let scope = args.scope();
    let mut agents = status(machine);
    agents.retain(|status| args.agents.is_empty() || args.agents.contains(&status.agent));
    for status in &mut agents {
        status.configs.retain(|config| match config.origin {
            Origin::Project => scope != Scope::User,
            _ => scope != Scope::Project,
        });
    }
    agents
}

/// Of which configs the agents run no hook, wired or not, and why: who wires a guard believes that it is on.
fn unread(agents: &[AgentStatus]) -> Result<Vec<String>, Failure> {
    let mut notes = Vec::new();
    for status in agents {
        let dialect = status.agent.dialect();
        // What cannot be read is a problem of the plan, and a plugin's is not touched.
        let configs = || status.configs.iter().filter(|config| !config.is_plugins);
        let has_hooks = |config: &ConfigStatus| config.hooks.as_ref().is_ok_and(|hooks| !hooks.is_empty());
        if !configs().any(has_hooks) {
            continue;
        }
        for config in configs() {
            // One without hooks may switch off those of the others.
            let mut found = why_none_runs(&config.path, dialect)?;
            found.retain(|finding| has_hooks(config) || finding.code == FindingCode::HooksDisabled);
            notes.extend(found.iter().map(ToString::to_string));
        }
    }
    Ok(notes)
}

/// What is said where nothing of the user's can be found.
const NO_HOME: &str = "the environment names no directory of the user, whose configs were not looked for: set HOME (on Windows USERPROFILE)";

fn no_config(agent: Agent, scope: Scope) -> String {
    let whose = match scope {
        Scope::User => "the user has no config of it",
        Scope::Project => "the project has no config of it",
        Scope::Both => "neither the user nor the project has a config of it",
    };
    format!("{}: {whose}, so there is no hook to wire", agent.name())
}

/// Gives back.
pub(crate) fn uninstall(args: &InstallArgs) -> Result<ExitCode, Failure> {
    if args.shell {
        let machine = machine()?;
        let (plan, _alone) = alone(args, &machine, "uninstall", || Plan::uninstall_shell(&machine, &args.agents))?;
        return carry_out(args, plan, "uninstall", "no shell is hookshell");
    }
    let machine = machine()?;
    let make = || Plan::uninstall(&machine, &args.agents, args.scope());
    let (mut plan, _alone) = alone(args, &machine, "uninstall", make)?;
    if machine.home().is_none() {
        plan.notes.push(NO_HOME.to_owned());
    }
    carry_out(args, plan, "uninstall", "nothing is wired")
}

/// How long another `install` or `uninstall` is waited for. Each takes milliseconds.
const MAX_WAIT: Duration = Duration::from_secs(20);

/// A plan that no other process disturbs as long as the lock is held: of two that worked at once, one would take back what the other has
/// moved.
fn alone(
    args: &InstallArgs,
    machine: &Machine,
    command: &'static str,
    make: impl Fn() -> Plan,
) -> Result<(Plan, Option<File>), Failure> {
    // Where hookshell has a directory already, what another one moves is not looked at. Else nothing is left behind where nothing is
    // done.
    let is_new = args.dry_run || !machine.data_directory().is_ok_and(|directory| directory.is_dir());
    if is_new {
        let plan = make();
        if args.dry_run || plan.is_empty() && plan.problems.is_empty() {
            return Ok((plan, None));
        }
    }
    // Without the directory nothing is done either, and that says why.
    let Some(file) = lock_file(machine) else { return Ok((make(), None)) };
    let until = Instant::now() + MAX_WAIT;
    // A file system without locks (NFS, FUSE) has none to wait for.
    while !try_lock(&file, FileLock::Exclusive).unwrap_or(true) {
        if Instant::now() > until {
            return Err(Failure::new(
                Sysexit::System,
                command,
                "another `hookshell install` or `uninstall` is at work",
            )
            .hint("run the command again when it has ended"));
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Ok((make(), Some(file)))
}

fn lock_file(machine: &Machine) -> Option<File> {
    let directory = machine.data_directory().ok()?;
    let (mut builder, mut options) = (DirBuilder::new(), File::options());
    builder.recursive(true);
    options.write(true).create(true).truncate(false);
    // Whoever can open it can hold the lock.
    #[cfg(unix)]
    {
        use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
        builder.mode(0o700);
        options.mode(0o600);
    }
    builder.create(&directory).ok()?;
    options.open(directory.join("install.lock")).ok()
}

fn carry_out(args: &InstallArgs, mut plan: Plan, command: &'static str, nothing: &str) -> Result<ExitCode, Failure> {
    let stopped = Cell::new(None);
    if args.dry_run {
        plan.rehearse();
    }
    let is_empty = plan.is_empty() && plan.problems.is_empty();
    let printed = if args.dry_run {
        if is_empty { format!("{nothing}\n") } else { plan.diff() }
    } else {
        // A config is brought to its end, and none is begun after the signal.
        let signals = SignalWait::catch().ok();
        let is_stopped = || {
            stopped.set(stopped.get().or_else(|| signals.as_ref()?.take()));
            stopped.get().is_some()
        };
        let done: String = plan.apply(&is_stopped).iter().map(|line| format!("{line}\n")).collect();
        // Who reads what is printed may let it wait: a signal ends that.
        if let Some(signals) = signals {
            signals.release();
        }
        if is_empty { format!("{nothing}\n") } else { done }
    };
    let printed = visible_lines(&printed);
    let printed = if args.dry_run { coloured(&printed, Style::of_stdout()) } else { printed };
    output::print(&printed).map_err(Failure::output)?;
    plan.notes.iter().for_each(|text| note(text));
    if let Some(signal) = stopped.get().filter(|_| !plan.is_empty()) {
        plan.problems.iter().for_each(|problem| note(&format!("{command}: {problem}")));
        let files = match plan.summaries().count() {
            0 => String::new(),
            1 => "1 config was not touched, none is half done; ".to_owned(),
            left => format!("{left} configs were not touched, none is half done; "),
        };
        let option = if args.shell { " --shell" } else { "" };
        note(&format!(
            "{command}: it was stopped by a signal before its end: {files}run `hookshell {command}{option}` again"
        ));
        return Ok(ExitCode::from(signal_status(signal)));
    }
    if plan.problems.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    let why = plan.problems.iter().map(ToString::to_string).collect();
    let what = if args.dry_run { "dry run" } else { command };
    Err(Failure::with_reasons(Sysexit::Data, what, why))
}

/// A text that can hide nothing, with the line ends that it has: a diff of a config with CRLF is one that can be applied.
fn visible_lines(text: &str) -> String {
    let line = |line: &str| match line.strip_suffix("\r\n") {
        Some(text) => visible(text) + "\r\n",
        None => visible(line),
    };
    text.split_inclusive('\n').map(line).collect()
}

/// A diff in colours.
fn coloured(diff: &str, style: Style) -> String {
    let paint = |line: &str| match line.as_bytes() {
        [b'+', ..] => style.green(line),
        [b'-', ..] => style.red(line),
        [b'@', b'@', ..] => style.yellow(line),
        _ => line.to_owned(),
    };
    diff.split_inclusive('\n')
        .map(|line| match line.strip_suffix('\n') {
            Some(text) => match text.strip_suffix('\r') {
                Some(text) => paint(text) + "\r\n",
                None => paint(text) + "\n",
            },
            None => paint(line),
        })
        .collect()
}
