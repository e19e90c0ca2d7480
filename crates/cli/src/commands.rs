//! The command line's grammar.

use crate::exit_code::ExitCode;
use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{Args, CommandFactory, Parser, Subcommand, ValueHint};

use hookshell_dispatch::{Dispatcher, DispatcherBuilder, MissingShell, ShellScripts, UtilityPreference};
use hookshell_runner::{CheckTarget, Dialect, FindingCode};
use hookshell_shell::{LimitError, Limits};

use crate::failure::{Failure, Sysexit};
use crate::install::{self, InstallArgs};
use crate::log::{self, LogArgs};
use crate::serve::{self, ServeArgs};
use crate::test::{self, TestArgs};
use crate::trust::{self, TrustArgs};
use crate::{check, completions, doctor, exec, explain, run, status, value_parsers};

/// Run the hooks of coding agents, the same on Windows, macOS and Linux. No installed shell is needed.
#[derive(Debug, Parser)]
#[command(name = "hookshell", version, after_help = EXIT_CODES)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

const EXIT_CODES: &str = "\
hookshell errors (no hook ran):
  64 wrong command line     65 wrong data (config, JSON)  66 file or directory is missing
  70 internal error         71 system error               74 input or output error";

#[derive(Debug, Subcommand)]
enum Command {
    /// Run an event's hooks and print the verdict
    #[command(after_help = RUN_EXAMPLES)]
    Run(RunArgs),
    /// Stay, and take events and commands over standard input (JSON-RPC; docs/serve.md)
    #[command(after_help = serve::EXAMPLES)]
    Serve(ServeArgs),
    /// Run one command the way a hook's command runs
    #[command(after_help = EXEC_EXAMPLES)]
    Exec(ExecArgs),
    /// Show how a command would run
    #[command(after_help = EXPLAIN_EXAMPLES)]
    Explain(ExplainArgs),
    /// Check hook configs and the scripts they run
    #[command(after_help = CHECK_EXAMPLES)]
    Check(CheckArgs),
    /// Show interpreters, utilities and config files
    #[command(after_help = DOCTOR_EXAMPLES)]
    Doctor(DoctorArgs),
    /// Test hooks with fixtures (*.hooktest.json)
    #[command(after_help = test::EXAMPLES)]
    Test(TestArgs),
    /// Show a project's hooks and trust them
    #[command(after_help = trust::EXAMPLES)]
    Trust(TrustArgs),
    /// Show the log of hook runs
    #[command(after_help = log::EXAMPLES)]
    Log(LogArgs),
    /// Make coding agents run their hooks through hookshell
    #[command(after_help = install::EXAMPLES)]
    Install(InstallArgs),
    /// Give agents' configs back as they were before `install`
    #[command(after_help = install::UNINSTALL_EXAMPLES)]
    Uninstall(InstallArgs),
    /// Show which hooks of which agents run through hookshell
    #[command(after_help = status::EXAMPLES)]
    Status(status::StatusArgs),
    /// Print shell completions
    #[command(after_help = COMPLETIONS_EXAMPLES)]
    Completions {
        /// bash, zsh, fish, elvish or powershell
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write the pages of all commands to a directory
    #[command(after_help = MAN_EXAMPLES)]
    Man {
        /// The directory; it gets one page for each command
        #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
        directory: Option<PathBuf>,
    },
    /// Run as a POSIX shell (bash dialect)
    #[command(override_usage = SH_USAGE, after_help = SH_EXAMPLES, disable_help_flag = true)]
    Sh(ShArgs),
}

const COMPLETIONS_EXAMPLES: &str = r"Examples:
  hookshell completions bash > ~/.local/share/bash-completion/completions/hookshell
  hookshell completions zsh > ~/.zfunc/_hookshell
  hookshell completions powershell >> $PROFILE";

const MAN_EXAMPLES: &str = r"Examples:
  hookshell man | man -l -
  hookshell man ~/.local/share/man/man1";

const RUN_EXAMPLES: &str = r#"Without --tool, --input and --prompt the event is read from standard input as one JSON object.

Exit codes: 0 the call proceeds, 2 it is denied, 49 the turn is halted. With --output the exit
codes are those of that agent.

Examples:
  hookshell run PreToolUse --tool bash --input '{"command":"ls"}'
  hookshell run PreToolUse --config crush.json --tool edit --input '{"file_path":"a.go"}' -v
  hookshell run PreToolUse --tool bash --input @call.json
  hookshell run UserPromptSubmit --prompt 'fix the login flow'
  hookshell run PreToolUse --config .claude/settings.json --tool Bash --input '{"command":"ls"}'
  hookshell run beforeShellExecution --dialect cursor --output cursor < event.json
  echo '{"tool_name":"bash","tool_input":{"command":"ls"}}' | hookshell run PreToolUse"#;

#[derive(Debug, Default, Args)]
pub(crate) struct RunArgs {
    /// The event. Any agent's name for it works, in any case, with or without underscores [default: the payload's
    /// hook_event_name]
    #[arg(value_parser = value_parsers::event())]
    pub(crate) event: Option<String>,
    #[command(flatten)]
    pub(crate) sources: HookSources,
    /// Run the project's hooks even if they are not trusted
    #[arg(long)]
    pub(crate) trust_project: bool,
    /// Deny the call where a hook could not do its work: it failed, is not trusted, or its config is missing or wrong (also:
    /// "fail_closed": true in a config)
    #[arg(long)]
    pub(crate) fail_closed: bool,
    /// Print the verdict in the format of this agent's hooks: native, claude, codex, gemini, cursor, copilot or qwen
    #[arg(long, value_name = "AGENT", value_parser = value_parsers::agent(), hide_possible_values = true)]
    pub(crate) output: Option<Dialect>,
    /// The tool of the event
    #[arg(long, value_name = "NAME")]
    pub(crate) tool: Option<String>,
    /// The tool's input: a JSON object, @FILE for a file with it, or - for standard input [default: {}]
    #[arg(long, value_name = "JSON", allow_hyphen_values = true)]
    pub(crate) input: Option<String>,
    /// The user's prompt, for UserPromptSubmit
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) prompt: Option<String>,
    /// The directory in which the hooks run [default: the working directory]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) cwd: Option<PathBuf>,
    /// The project's root directory [default: that of --cwd]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) project: Option<PathBuf>,
    /// The session's identifier
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// Do not log this run (also: HOOKSHELL_LOG=off)
    #[arg(long)]
    pub(crate) no_log: bool,
    /// Also log the tool's input, the prompt and the hooks' output (also: HOOKSHELL_LOG=payload)
    #[arg(long, conflicts_with = "no_log")]
    pub(crate) log_payload: bool,
    #[command(flatten)]
    pub(crate) dispatch: DispatchArgs,
    /// Write one line for each hook to standard error
    #[arg(short, long)]
    pub(crate) verbose: bool,
    /// Run only the background hooks, wait for them and print nothing: the second part of `run --output AGENT`
    #[arg(long, hide = true)]
    pub(crate) background: bool,
    /// Give the answer, with this mark, to the process that was started as `run --output AGENT`, and go on alone
    #[arg(long, value_name = "MARK", hide = true)]
    pub(crate) relayed: Option<String>,
}

/// Which hooks.
#[derive(Debug, Default, Clone, Args)]
pub(crate) struct HookSources {
    /// A config file. May be repeated; a later file takes precedence [default: the user's and the project's]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Vec<PathBuf>,
    /// Read configs and run hooks by the rules of this agent: crush, claude, codex, gemini, cursor, copilot or qwen [default:
    /// detected from each file's path and contents; without --config, Crush's files are read]
    #[arg(long, value_name = "AGENT", value_parser = value_parsers::agent(), hide_possible_values = true)]
    pub(crate) dialect: Option<Dialect>,
    /// A script or program that is a hook itself, in addition to the others. May be repeated
    #[arg(long, value_name = "FILE")]
    pub(crate) hook: Vec<PathBuf>,
    /// Ignore discovered hooks; use only --config and --hook
    #[arg(long)]
    pub(crate) no_hooks: bool,
}

/// How commands are dispatched.
#[derive(Debug, Default, Clone, Args)]
pub(crate) struct DispatchArgs {
    /// Which one runs if a bundled utility and a program on PATH have the same name
    #[arg(long, value_name = "bundled|path|off", default_value = "bundled", hide_possible_values = true,
        value_parser = value_parsers::words::<UtilityPreference, 3>(["bundled", "path", "off"]))]
    utilities: UtilityPreference,
    /// What to do with a script for sh, bash, dash, ash or ksh if that shell is not installed [default: interpret on
    /// Windows, fail elsewhere]
    #[arg(long, value_name = "interpret|fail", hide_possible_values = true,
        value_parser = value_parsers::words::<MissingShell, 2>(["interpret", "fail"]))]
    missing_shell: Option<MissingShell>,
    /// What runs a script for sh, bash, dash, ash or ksh: the installed shell, or hookshell's own
    #[arg(long, value_name = "installed|in-process", default_value = "installed", hide_possible_values = true,
        value_parser = value_parsers::words::<ShellScripts, 2>(["installed", "in-process"]))]
    shell_scripts: ShellScripts,
    /// Limit what a script may use. May be repeated: --limit call-depth=100 --limit state-bytes=64M --limit
    /// wall-time=2.5. docs/limits.md lists all limits
    #[arg(long = "limit", value_name = "NAME=VALUE", hide_possible_values = true,
        value_parser = value_parsers::limit(checked_limit))]
    limits: Vec<String>,
}

/// The text of a limit, which can be set.
fn checked_limit(text: &str) -> Result<String, LimitError> {
    Limits::default().set(text).map(|()| text.to_owned())
}

impl DispatchArgs {
    pub(crate) fn shell_scripts(&self) -> ShellScripts {
        self.shell_scripts
    }

    pub(crate) fn missing_shell(&self) -> Option<MissingShell> {
        self.missing_shell
    }

    /// For a command that is a process of its own.
    pub(crate) fn dispatcher(&self) -> Dispatcher {
        self.process_builder().build()
    }

    /// For this process, which does nothing else than to run commands.
    pub(crate) fn process_builder(&self) -> DispatcherBuilder {
        self.builder().copying_process()
    }

    /// For a process that does other things, too.
    pub(crate) fn builder(&self) -> DispatcherBuilder {
        let mut limits = Limits::default();
        for limit in &self.limits {
            // They were looked at when the command line was read.
            let _ = limits.set(limit);
        }
        let builder = Dispatcher::builder().utilities(self.utilities).shell_scripts(self.shell_scripts).limits(limits);
        match self.missing_shell {
            Some(missing_shell) => builder.missing_shell(missing_shell),
            None => builder,
        }
    }
}

const EXEC_EXAMPLES: &str = r"The exit code is the command's.

Examples:
  hookshell exec './hooks/check.sh --strict'
  hookshell exec 'cat config.json | jq -r .name'";

#[derive(Debug, Args)]
pub(crate) struct ExecArgs {
    #[command(flatten)]
    pub(crate) dispatch: DispatchArgs,
    /// The command as one argument, as a config has it
    #[arg(allow_hyphen_values = true)]
    pub(crate) command: OsString,
}

const EXPLAIN_EXAMPLES: &str = r#"Nothing is run. Without a command it shows the hooks that would run, the agent whose rules apply,
and how each hook would run. With --event it shows which hooks would run for that event, and why not the others.

Examples:
  hookshell explain './hooks/check.py --strict'
  hookshell explain --hook ./guard.sh
  hookshell explain --config crush.json --json
  hookshell explain --config .claude/settings.json
  hookshell explain --event PreToolUse --tool bash --input '{"command":"git push"}'
  hookshell explain --json 'jq -r .name < config.json'"#;

#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    #[command(flatten)]
    pub(crate) dispatch: DispatchArgs,
    #[command(flatten)]
    pub(crate) sources: HookSources,
    /// The command as one argument, as a config has it [default: the commands of all hooks that would run]
    #[arg(allow_hyphen_values = true)]
    pub(crate) command: Option<OsString>,
    /// Show which hooks would run for this event, and why not the others
    #[arg(long, value_name = "EVENT", value_parser = value_parsers::event(), hide_possible_values = true, conflicts_with = "command")]
    pub(crate) event: Option<String>,
    /// The tool of the event
    #[arg(long, value_name = "NAME", requires = "event")]
    pub(crate) tool: Option<String>,
    /// The tool's input: a JSON object, @FILE for a file with it, or - for standard input [default: {}]
    #[arg(long, value_name = "JSON", allow_hyphen_values = true, requires = "tool")]
    pub(crate) input: Option<String>,
    /// The user's prompt, for UserPromptSubmit
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, requires = "event")]
    pub(crate) prompt: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

const CHECK_EXAMPLES: &str = r"Nothing is run. Exit codes: 0 no findings, 1 findings, 2 a config cannot be read.
Each finding has a code; docs/findings.md explains it. A comment `# hookshell: ignore=HS401` on a line or before it
switches a finding off there.

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
    #[arg(long, value_enum, default_value_t = check::Format::Pretty)]
    pub(crate) format: check::Format,
    /// From which severity on the exit code is 1
    #[arg(long, value_enum, value_name = "SEVERITY", default_value_t = check::FailOn::Warning)]
    pub(crate) fail_on: check::FailOn,
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

const DOCTOR_EXAMPLES: &str = r"Examples:
  hookshell doctor
  hookshell doctor --json | jq '.interpreters[] | select(.program == null) | .name'";

#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

const SH_USAGE: &str = "hookshell sh [OPTION]… [-c SCRIPT [NAME [ARG…]] | FILE [ARG…] | -s [ARG…]]";

const SH_EXAMPLES: &str = "\
Options of sh and bash:
  -c                      run the first operand; the next one is $0
  -s                      read the commands from standard input (also without FILE)
  -e -f -n -u -v -x -C, +e …
                          set or unset an option of `set`
  -o NAME, +o NAME        the same by name: errexit, pipefail, …
  -O NAME, +O NAME        set or unset an option of `shopt`
  -r                      run as a restricted shell
  --posix                 the POSIX language instead of bash's

Options of hookshell:
  --utilities WHICH       bundled, path or off: which one runs if a bundled utility and a program
                          on PATH have the same name
  --missing-shell WHICH   interpret or fail: scripts for sh, bash, … if that shell is not installed
  --limit NAME=VALUE      limit what the script may use: call-depth, state-bytes, threads,
                          wall-time, … (docs/limits.md lists all limits)

The exit code is the script's. A wrong command line is 2, a missing script 127, as in any sh.
If hookshell is started under the name sh or bash, it runs as this command.

Examples:
  hookshell sh -euc 'echo \"$1\"' name argument
  hookshell sh build.sh release
  echo 'ls | wc -l' | hookshell sh";

#[derive(Debug, Args)]
struct ShArgs {
    #[arg(long, hide = true, action = clap::ArgAction::Help)]
    help: Option<bool>,
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    args: Vec<OsString>,
}

/// Reads the command line after the program's name and does what it says.
pub(crate) fn main(args: Vec<OsString>) -> ExitCode {
    let is_closed = run::is_fail_closed(&args);
    let whole = command_of_exec(&args);
    let command = match command(args) {
        Ok(command) => command,
        // An agent would pass over a hook that does not even begin.
        Err(error) if is_closed && error.use_stderr() => {
            no_command(&error);
            return ExitCode::from(run::BLOCKED);
        }
        Err(error) => {
            let code = no_command(&error);
            if let Some(whole) = whole.filter(|_| error.kind() == ErrorKind::UnknownArgument) {
                let hint = format!("hint: the command is one argument, in quotes: hookshell exec {whole}\n");
                let _ = std::io::stderr().write_all(hint.as_bytes());
            }
            return code;
        }
    };
    let done = match command {
        Command::Run(args) => run::main(&args),
        Command::Serve(args) => serve::main(&args),
        Command::Exec(args) => exec::main(&args),
        Command::Explain(args) => explain::main(&args),
        Command::Check(args) => check::main(&args),
        Command::Doctor(args) => doctor::main(&args),
        Command::Test(args) => test::main(&args),
        Command::Trust(args) => trust::main(&args),
        Command::Log(args) => log::main(&args),
        Command::Install(args) => install::install(&args),
        Command::Uninstall(args) => install::uninstall(&args),
        Command::Status(args) => status::main(&args),
        Command::Completions { shell } => completions::completions(CommandLine::command(), shell),
        Command::Man { directory } => completions::man(CommandLine::command(), directory.as_deref()),
        Command::Sh(args) => return crate::sh::main("sh".as_ref(), args.args),
    };
    done.unwrap_or_else(|failure| failure.report())
}

/// Of `hookshell exec echo hi` the command as it is to be given: `"echo hi"`. `None`: it is given so, or is no `exec`.
fn command_of_exec(args: &[OsString]) -> Option<String> {
    let (name, words) = args.split_first()?;
    let words: Vec<&str> = words
        .iter()
        .skip_while(|word| word.to_string_lossy().starts_with('-'))
        .filter_map(|word| word.to_str())
        .collect();
    if name != "exec" || words.len() < 2 {
        return None;
    }
    // cmd knows double quotes only, and there is no way in all shells to write them within such.
    let is_plain =
        words.iter().all(|word| !word.contains(['"', '\\', '$', '`', '%', '!']) && !word.contains(char::is_whitespace));
    Some(if is_plain { format!("\"{}\"", words.join(" ")) } else { "\"COMMAND ARGUMENT…\"".to_owned() })
}

/// What the arguments say.
fn command(args: Vec<OsString>) -> Result<Command, clap::Error> {
    // Those that run before every call of a tool do not wait until the options of all others are made as well.
    let quick = match args.first().and_then(|name| name.to_str()) {
        Some("run") => alone(&args).map(Command::Run),
        Some("exec") => alone(&args).map(Command::Exec),
        _ => None,
    };
    let name = OsString::from("hookshell");
    quick.map_or_else(|| Ok(CommandLine::try_parse_from(std::iter::once(name).chain(args))?.command), Ok)
}

/// One command's options, read by themselves. `None`: they are wrong, or ask for help, which the whole grammar says.
fn alone<A: Args>(args: &[OsString]) -> Option<A> {
    let grammar = A::augment_args(clap::Command::new("hookshell"));
    A::from_arg_matches(&grammar.try_get_matches_from(args).ok()?).ok()
}

/// Help, the version, or a wrong command line, whose exit code is 64 and not clap's 2: that would be a deny.
fn no_command(error: &clap::Error) -> ExitCode {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        return match error.print() {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => Failure::output(error).report(),
        };
    }
    let text = error.render().to_string();
    let text = text.strip_prefix("error: ").map_or_else(|| text.clone(), |text| format!("hookshell: {text}"));
    let _ = std::io::stderr().write_all(text.as_bytes());
    ExitCode::from(Sysexit::Usage as u8)
}
