//! The command line's grammar.

use crate::exit_code::ExitCode;
use std::ffi::OsString;
use std::io::Write;

use clap::error::ErrorKind;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::check::{self, CheckArgs};
use crate::completions::{self, ManArgs};
use crate::doctor::{self, DoctorArgs};
use crate::exec::{self, ExecArgs};
use crate::explain::{self, ExplainArgs};
use crate::failure::{Failure, Sysexit};
use crate::install::{self, InstallArgs};
use crate::log::{self, LogArgs};
use crate::run::{self, RunArgs};
use crate::serve::{self, ServeArgs};
use crate::sh::{self, ShArgs};
use crate::status::{self, StatusArgs};
use crate::style::Style;
use crate::test::{self, TestArgs};
use crate::trust::{self, TrustArgs};
use crate::usual_args;

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
    #[command(after_help = run::EXAMPLES)]
    Run(RunArgs),
    /// Stay, and take events and commands over standard input (JSON-RPC; docs/serve.md)
    #[command(after_help = serve::EXAMPLES)]
    Serve(ServeArgs),
    /// Run one command the way a hook's command runs
    #[command(after_help = exec::EXAMPLES)]
    Exec(ExecArgs),
    /// Show how a command would run
    #[command(after_help = explain::EXAMPLES)]
    Explain(ExplainArgs),
    /// Check hook configs and the scripts they run
    #[command(after_help = check::EXAMPLES)]
    Check(CheckArgs),
    /// Show interpreters, utilities and config files
    #[command(after_help = doctor::EXAMPLES)]
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
    #[command(after_help = install::UNINSTALL_EXAMPLES, mut_arg("shell", |shell| shell.help(install::UNINSTALL_SHELL)))]
    Uninstall(InstallArgs),
    /// Show which hooks of which agents run through hookshell
    #[command(after_help = status::EXAMPLES)]
    Status(StatusArgs),
    /// Print shell completions
    #[command(after_help = completions::EXAMPLES)]
    Completions {
        /// bash, zsh, fish, elvish or powershell
        shell: clap_complete::Shell,
    },
    /// Print a manual page, or write the pages of all commands to a directory
    #[command(after_help = completions::MAN_EXAMPLES)]
    Man(ManArgs),
    /// Run as a POSIX shell (bash dialect)
    #[command(override_usage = sh::USAGE, after_help = sh::EXAMPLES, disable_help_flag = true)]
    Sh(ShArgs),
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
        Command::Run(args) => return run::main(args),
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
        Command::Completions { shell } => completions::completions(&CommandLine::command(), shell),
        Command::Man(args) => completions::man(&args, CommandLine::command()),
        Command::Sh(args) => return sh::main("sh".as_ref(), args.args),
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
        Some("run") => usual_args::run(&args).or_else(|| alone(&args)).map(Command::Run),
        Some("exec") => usual_args::exec(&args).or_else(|| alone(&args)).map(Command::Exec),
        _ => None,
    };
    if let Some(command) = quick {
        return Ok(command);
    }
    let words = std::iter::once(OsString::from("hookshell")).chain(args);
    let mut grammar = CommandLine::command().color(Style::of_stdout().of_clap());
    let mut matches = grammar.try_get_matches_from_mut(words)?;
    let line = CommandLine::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut grammar))?;
    Ok(line.command)
}

/// One command's options, read by themselves. `None`: they are wrong, or ask for help, which the whole grammar says.
pub(crate) fn alone<A: Args>(args: &[OsString]) -> Option<A> {
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::{CommandFactory, ValueEnum};

    use super::{CommandLine, completions};
    use crate::value_parsers::PAGES;

    /// What help says at its end has lines of its own, which are broken again where they are longer than clap's.
    #[test]
    fn the_last_lines_of_help_fit() {
        const WIDTH: usize = 100;
        for command in CommandLine::command().get_subcommands() {
            let text = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            let long: Vec<&str> = text.lines().filter(|line| line.chars().count() > WIDTH).collect();
            assert!(long.is_empty(), "{}: {long:#?}", command.get_name());
        }
    }

    #[test]
    fn completions_offer_no_hidden_option() {
        let line = CommandLine::command();
        // With `--help` of each command.
        let mut whole = line.clone();
        whole.build();
        let longs = |is_hidden: bool| {
            let arguments = whole.get_subcommands().flat_map(clap::Command::get_arguments);
            let arguments = arguments.filter(move |argument| argument.is_hide_set() == is_hidden);
            arguments.filter_map(clap::Arg::get_long).collect::<BTreeSet<_>>()
        };
        let hidden: Vec<&str> = longs(true).difference(&longs(false)).copied().collect();
        assert!(hidden.contains(&"relayed") && hidden.contains(&"background"), "{hidden:?}");
        for shell in clap_complete::Shell::value_variants() {
            let script = completions::script(&line, *shell);
            assert!(script.contains("trust-project"), "{shell}: {script}");
            for name in &hidden {
                let forms = [format!("--{name}"), format!("-l {name} ")];
                let lines: Vec<&str> =
                    script.lines().filter(|line| forms.iter().any(|form| line.contains(form))).collect();
                assert!(lines.is_empty(), "{shell}: {lines:#?}");
            }
        }
    }

    #[test]
    fn every_command_is_offered_as_a_page() {
        let line = CommandLine::command();
        assert_eq!(line.get_subcommands().map(clap::Command::get_name).collect::<Vec<_>>(), PAGES);
    }
}
