//! The command line of `sh` (XCU `sh`, OPTIONS), with bash's long options and our own.

use hookshell_dispatch::{MissingShell, Platform};
use hookshell_shell::{Limits, Shell};
use hookshell_syntax::Dialect;
use hookshell_utilities::Preference;

use super::Failure;

/// A `sh` command line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CommandLine {
    /// The shell's options in the order in which they were given.
    pub(super) settings: Vec<Setting>,
    pub(super) dialect: Dialect,
    pub(super) limits: Limits,
    pub(super) utilities: Preference,
    pub(super) missing_shell: MissingShell,
    /// `-r`: bash's restricted shell.
    pub(super) restricted: bool,
    /// Where the commands come from.
    pub(super) input: Input,
    /// `$1` and so on.
    pub(super) args: Vec<Vec<u8>>,
}

/// Where the commands come from.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Input {
    /// `-c`: this text; `$0` where an operand gives it.
    Command { text: Vec<u8>, name: Option<Vec<u8>> },
    /// A script file, which is `$0` too.
    File(Vec<u8>),
    /// Standard input.
    Stdin,
}

/// An option to be set or unset.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Setting {
    which: Which,
    on: bool,
}

#[derive(Debug, PartialEq, Eq)]
enum Which {
    Letter(u8),
    Name(String),
}

impl Setting {
    /// Sets it.
    pub(super) fn apply(&self, shell: &mut Shell) -> Result<(), Failure> {
        let (known, name) = match &self.which {
            Which::Letter(letter) => (shell.set_option_letter(*letter, self.on), char::from(*letter).to_string()),
            Which::Name(name) => (shell.set_option(name, self.on), name.clone()),
        };
        if known { Ok(()) } else { Err(usage(format!("{name}: invalid option name"))) }
    }
}

/// The letters of `set`.
const LETTERS: &[u8] = b"abefhkmnptuvxBCEHPT";

/// How a restricted shell is asked for.
const RESTRICTED: &str = "restricted";

/// The status of a wrong command line, as sh and bash have it. (The other commands have 64; a shell's caller expects a
/// shell.)
const USAGE: u8 = 2;

/// Reads what follows the shell's name.
pub(super) fn parse(args: &[Vec<u8>]) -> Result<CommandLine, Failure> {
    let mut line = CommandLine {
        settings: Vec::new(),
        dialect: Dialect::Bash,
        limits: Limits::default(),
        utilities: Preference::default(),
        missing_shell: MissingShell::default_for(Platform::HOST),
        restricted: false,
        input: Input::Stdin,
        args: Vec::new(),
    };
    let mut is_command = false;
    let mut is_stdin = false;
    let mut rest = args;
    while let Some((word, after)) = rest.split_first() {
        match word.as_slice() {
            b"--" | b"-" => {
                rest = after;
                break;
            }
            [b'-', b'-', long @ ..] => rest = line.long_option(long, after)?,
            [sign @ (b'-' | b'+'), letters @ ..] if !letters.is_empty() => {
                rest = after;
                for &letter in letters {
                    match (letter, *sign) {
                        // As bash: whatever the sign (`+Bc`).
                        (b'c', _) => is_command = true,
                        (b's', _) => is_stdin = true,
                        // Nobody is asked anything: what it is for is not here.
                        (b'i', _) => {}
                        (b'l', sign) => line.settings.push(login(sign == b'-')),
                        (b'r', sign) => line.restricted = sign == b'-',
                        (b'o' | b'O', _) => {
                            let (name, after) = rest.split_first().ok_or_else(|| {
                                let option = format!("{}{}: ", char::from(*sign), char::from(letter));
                                usage(option + "option requires an argument")
                            })?;
                            line.named_option(name, *sign == b'-')?;
                            rest = after;
                        }
                        (letter, sign) if LETTERS.contains(&letter) => {
                            line.settings.push(Setting { which: Which::Letter(letter), on: sign == b'-' });
                        }
                        (letter, sign) => {
                            return Err(usage(format!("{}{}: invalid option", char::from(sign), char::from(letter))));
                        }
                    }
                }
            }
            _ => break,
        }
    }
    let mut operands = rest.iter().cloned();
    if is_command {
        let text = operands.next().ok_or_else(|| usage("-c: option requires an argument"))?;
        line.input = Input::Command { text, name: operands.next() };
    } else if !is_stdin && let Some(file) = operands.next() {
        line.input = Input::File(file);
    }
    line.args = operands.collect();
    Ok(line)
}

impl CommandLine {
    /// Reads a long option and gives what is left behind it.
    fn long_option<'a>(&mut self, option: &[u8], rest: &'a [Vec<u8>]) -> Result<&'a [Vec<u8>], Failure> {
        let name = String::from_utf8_lossy(option);
        match &*name {
            "posix" => {
                self.dialect = Dialect::Posix;
                Ok(rest)
            }
            "verbose" => {
                self.settings.push(Setting { which: Which::Name(name.into_owned()), on: true });
                Ok(rest)
            }
            RESTRICTED => {
                self.restricted = true;
                Ok(rest)
            }
            "login" => {
                self.settings.push(login(true));
                Ok(rest)
            }
            "noprofile" | "norc" | "noediting" => Ok(rest),
            "rcfile" | "init-file" | "limit" | "utilities" | "missing-shell" => {
                let (value, rest) =
                    rest.split_first().ok_or_else(|| usage(format!("--{name}: option requires an argument")))?;
                match &*name {
                    "limit" => self.set_limit(value)?,
                    "utilities" => self.set_utilities(value)?,
                    "missing-shell" => self.set_missing_shell(value)?,
                    _ => {}
                }
                Ok(rest)
            }
            _ => {
                match name.split_once('=') {
                    Some(("limit", value)) => self.set_limit(value.as_bytes())?,
                    Some(("utilities", value)) => self.set_utilities(value.as_bytes())?,
                    Some(("missing-shell", value)) => self.set_missing_shell(value.as_bytes())?,
                    _ => return Err(usage(format!("--{name}: invalid option"))),
                }
                Ok(rest)
            }
        }
    }

    /// `-o name`, `+o name`.
    fn named_option(&mut self, name: &[u8], on: bool) -> Result<(), Failure> {
        let name = String::from_utf8_lossy(name).into_owned();
        self.settings.push(Setting { which: Which::Name(name), on });
        Ok(())
    }

    /// `--utilities bundled|path|off`.
    fn set_utilities(&mut self, text: &[u8]) -> Result<(), Failure> {
        let preference = String::from_utf8_lossy(text).parse();
        self.utilities = preference.map_err(|error| usage(format!("--utilities: {error}")))?;
        Ok(())
    }

    /// `--missing-shell interpret|fail`.
    fn set_missing_shell(&mut self, text: &[u8]) -> Result<(), Failure> {
        let missing_shell = String::from_utf8_lossy(text).parse();
        self.missing_shell = missing_shell.map_err(|error| usage(format!("--missing-shell: {error}")))?;
        Ok(())
    }

    /// `--limit name=value`.
    fn set_limit(&mut self, text: &[u8]) -> Result<(), Failure> {
        let text = String::from_utf8_lossy(text);
        self.limits.set(&text).map_err(|error| usage(format!("--limit {text}: {error}")))
    }
}

/// `-l`: a login shell says that it is one. There are no start-up files that it would read.
fn login(on: bool) -> Setting {
    Setting { which: Which::Name("login_shell".into()), on }
}

fn usage(message: impl Into<Vec<u8>>) -> Failure {
    Failure::new(USAGE, message)
}
