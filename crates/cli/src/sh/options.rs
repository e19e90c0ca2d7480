//! What `hookshell sh` is told: the [shell's command line](CommandLine), and the values of hookshell's own options.

use hookshell_dispatch::{MissingShell, Platform};
use hookshell_shell::Limits;
use hookshell_shell::command_line::{CommandLine, Grammar, OwnOption};
use hookshell_utilities::Preference;

use super::Failure;

/// hookshell's own options.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Options {
    pub(super) limits: Limits,
    pub(super) utilities: Preference,
    pub(super) missing_shell: MissingShell,
}

/// The status of a wrong command line, as sh and bash have it. (The other commands have 64; a shell's caller expects a
/// shell.)
const USAGE: u8 = 2;

/// Reads what follows the shell's name, which is a file's name without its directory.
pub(super) fn parse(name: &[u8], args: &[Vec<u8>]) -> Result<(CommandLine, Options), Failure> {
    let line = CommandLine::parse(name, args, Grammar::Hookshell).map_err(|error| usage(error.to_string()))?;
    let mut options = Options {
        limits: Limits::default(),
        utilities: Preference::default(),
        missing_shell: Platform::HOST.missing_shell(),
    };
    for (option, value) in &line.own {
        let value = String::from_utf8_lossy(value);
        let name = option.name();
        match option {
            OwnOption::Limit => {
                options.limits.set(&value).map_err(|error| usage(format!("{name} {value}: {error}")))?;
            }
            OwnOption::Utilities => {
                options.utilities = value.parse().map_err(|error| usage(format!("{name}: {error}")))?;
            }
            OwnOption::MissingShell => {
                options.missing_shell = value.parse().map_err(|error| usage(format!("{name}: {error}")))?;
            }
        }
    }
    Ok((line, options))
}

fn usage(message: impl Into<Vec<u8>>) -> Failure {
    Failure::new(USAGE, message)
}
