//! `hookshell install` and `uninstall`: agents' configs are wired to hookshell, and given back.

use crate::exit_code::ExitCode;

use clap::Args;
use hookshell_install::{Agent, Machine, Plan, Scope};

use crate::exec::working_directory;
use crate::failure::{Failure, Sysexit};
use crate::output::{self, note, visible};

pub(crate) const EXAMPLES: &str = r"Without an agent all that are found are wired: claude, codex, gemini, cursor, copilot, crush, qwen, opencode, pi.
A second run changes nothing. A config that cannot be read is left as it is, and the exit code is 65.

Examples:
  hookshell install --dry-run
  hookshell install claude --user
  hookshell install codex gemini --project
  hookshell install --shell claude";

pub(crate) const UNINSTALL_EXAMPLES: &str = r"Examples:
  hookshell uninstall --dry-run
  hookshell uninstall claude";

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
        return carry_out(
            args,
            Plan::install_shell(&machine()?, &args.agents, &exe),
            "every shell that can be hookshell is",
        );
    }
    let machine = machine()?;
    let mut plan = Plan::install(&machine, &args.agents, args.scope());
    if !machine.has_hookshell() && !plan.is_empty() {
        plan.notes
            .push("hookshell is not on PATH, and agents start it by its name: put its directory there".to_owned());
    }
    carry_out(args, plan, "every hook that can be wired is")
}

/// Gives back.
pub(crate) fn uninstall(args: &InstallArgs) -> Result<ExitCode, Failure> {
    if args.shell {
        return carry_out(args, Plan::uninstall_shell(&machine()?, &args.agents), "no shell is hookshell");
    }
    let plan = Plan::uninstall(&machine()?, &args.agents, args.scope());
    carry_out(args, plan, "nothing is wired")
}

fn carry_out(args: &InstallArgs, mut plan: Plan, nothing: &str) -> Result<ExitCode, Failure> {
    let printed = if args.dry_run {
        plan.diff()
    } else {
        let is_empty = plan.is_empty();
        let done: String = plan.apply().iter().map(|line| format!("{line}\n")).collect();
        if is_empty && plan.problems.is_empty() { format!("{nothing}\n") } else { done }
    };
    output::print(&visible(&printed)).map_err(Failure::output)?;
    plan.notes.iter().for_each(|text| note(text));
    if plan.problems.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    let why = plan.problems.iter().map(ToString::to_string).collect();
    let what = if args.dry_run { "dry run" } else { "install" };
    Err(Failure::with_reasons(Sysexit::Data, what, why))
}
