//! `env`: run a command in a changed environment.

use std::io::ErrorKind;

use hookshell_utility::Profile;
use hookshell_utility::command::Variables;
use hookshell_utility::io::{Failure, Running};
use hookshell_utility::options::{OptionSpec, flag, parse_leading, value};
use hookshell_utility::prepare;
use hookshell_utility::quote;
use hookshell_utility::{Args, CommandEnd, Prepared, Unsupported, Utility, UtilityCall};

use super::split_string;

/// `env [-i] [-0] [-v] [-u NAME]… [-C DIR] [-S STRING] [-] [NAME=VALUE]… [COMMAND [ARG]…]` (XCU `env`, GNU's additions; the
/// signals' options are the real program's).
pub(crate) struct Env;

const OPTIONS: &[OptionSpec] = &[
    flag(b'i', "ignore-environment"),
    flag(b'0', "null"),
    flag(b'v', "debug"),
    value(b'u', "unset"),
    value(b'C', "chdir"),
];

/// What GNU's gives when it fails itself.
const CANCELED: u8 = 125;

/// What the command line says, with the words of `-S` in its place.
struct Command {
    /// `-i`
    is_empty: bool,
    /// `-0`
    null: bool,
    /// `-v`
    says: bool,
    /// `-u`, in order.
    unset: Vec<Vec<u8>>,
    /// `-C`
    directory: Option<Vec<u8>>,
    operands: Args,
}

fn read(call: &UtilityCall<'_>) -> Result<Command, Unsupported> {
    let argv = split_string::expand(call.argv, call.env)?;
    let parsed = parse_leading(&argv, OPTIONS)?;
    let unset = parsed.options.iter().filter(|(option, _)| *option == b'u').map(|(_, name)| name.to_vec());
    Ok(Command {
        is_empty: parsed.has(b'i'),
        null: parsed.has(b'0'),
        says: parsed.has(b'v'),
        unset: unset.collect(),
        directory: parsed.last(b'C').map(<[u8]>::to_vec),
        operands: parsed.operands.iter().collect(),
    })
}

impl Utility for Env {
    fn name(&self) -> &'static str {
        "env"
    }

    fn prepare<'a>(&'a self, call: &UtilityCall<'a>) -> Result<Box<dyn Prepared + 'a>, Unsupported> {
        prepare(Profile::new(self.name()).usage(125).write_error(Some(125)), call, read, run)
    }
}

fn run(running: &Running<'_>, command: Command) -> Result<u8, Failure> {
    let mut operands = command.operands.iter().peekable();
    let mut is_empty = command.is_empty;
    if operands.peek() == Some(&&b"-"[..]) {
        is_empty = true;
        operands.next();
    }
    let say = |parts: &[&[u8]]| {
        if command.says
            && let Some(stderr) = running.context().stderr()
        {
            let _ = stderr.write_all(&[parts.concat(), b"\n".to_vec()].concat(), running.interrupt());
        }
    };
    if is_empty {
        say(&[b"cleaning environ"]);
    }
    let mut variables = Variables::new(if is_empty { Vec::new() } else { running.context().env.to_vec() });
    // What is empty already is not looked at.
    for name in command.unset.iter().filter(|_| !is_empty) {
        if name.is_empty() || name.contains(&b'=') {
            running.message(&[&b"cannot unset "[..], &quote::locale(name), b": Invalid argument"].concat())?;
            return Ok(CANCELED);
        }
        say(&[b"unset:    ", name]);
        variables.unset(name);
    }
    while let Some(&operand) = operands.peek() {
        let Some(at) = operand.iter().position(|byte| *byte == b'=') else { break };
        let name = operand.get(..at).unwrap_or_default();
        say(&[b"setenv:   ", operand]);
        variables.set(name, operand.get(at + 1..).unwrap_or_default());
        operands.next();
    }
    let argv: Args = operands.collect();
    if argv.is_empty() {
        if command.directory.is_some() {
            running.usage(b"must specify command with --chdir (-C)")?;
            return Ok(CANCELED);
        }
        running.write(&variables.print(if command.null { 0 } else { b'\n' }))?;
        return Ok(0);
    }
    if command.null {
        running.usage(b"cannot specify --null (-0) with command")?;
        return Ok(CANCELED);
    }
    let mut cwd = running.context().cwd.to_path_buf();
    if let Some(directory) = &command.directory {
        cwd = running.path(directory);
        let metadata = if directory.is_empty() { Err(ErrorKind::NotFound.into()) } else { cwd.metadata() };
        let entered = match metadata {
            Ok(metadata) if metadata.is_dir() => Ok(()),
            Ok(_) => Err(ErrorKind::NotADirectory.into()),
            Err(error) => Err(error),
        };
        if let Err(error) = entered {
            running.report_error(&[&b"cannot change directory to "[..], &quote::always(directory)].concat(), &error)?;
            return Ok(CANCELED);
        }
    }
    if let Some(directory) = &command.directory {
        say(&[b"chdir:    ", &quote::always(directory)]);
    }
    say(&[b"executing: ", &argv[0]]);
    for (at, word) in argv.iter().enumerate() {
        say(&[format!("   arg[{at}]= ").as_bytes(), &quote::locale(word)]);
    }
    let outcome = running.command_in(&argv, &variables.finish(), &cwd, running.context().fds.clone(), None)?;
    match outcome.end {
        CommandEnd::Ended(status) => Ok(status),
        CommandEnd::NotStarted { status, reason } => {
            let name = &argv[0];
            running.message(&[&quote::locale(name)[..], b": ", reason.as_bytes()].concat())?;
            if status == 127 && name.iter().any(|byte| matches!(byte, b' ' | b'\t')) {
                running.message(b"use -[v]S to pass options in shebang lines")?;
            }
            Ok(status)
        }
    }
}
