//! `env`: run a command in a changed environment.

use std::io::ErrorKind;

use hookshell_shell::{Args, CommandEnd, Stopped, Unsupported, Utility, UtilityCall, UtilityContext};

use super::command::Variables;
use super::split_string;
use crate::io::{Failure, Running};
use crate::options::{OptionSpec, flag, parse_leading, value};
use crate::quote;

/// `env [-i] [-0] [-u NAME]… [-C DIR] [-S STRING] [-] [NAME=VALUE]… [COMMAND [ARG]…]` (XCU `env`, GNU's additions; `-v` and
/// the signals' options are the real program's).
pub(crate) struct Env;

const OPTIONS: &[OptionSpec] =
    &[flag(b'i', "ignore-environment"), flag(b'0', "null"), value(b'u', "unset"), value(b'C', "chdir")];

/// What GNU's gives when it fails itself.
const CANCELED: u8 = 125;

/// The words with those of `-S` in their place.
fn read(call: &UtilityCall<'_>) -> Result<Args, Unsupported> {
    let argv = split_string::expand(call.argv, call.env)?;
    parse_leading(&argv, OPTIONS)?;
    Ok(argv)
}

impl Utility for Env {
    fn name(&self) -> &'static str {
        "env"
    }

    fn accepts(&self, call: &UtilityCall<'_>) -> Result<(), Unsupported> {
        read(call).map(drop)
    }

    fn run(&self, context: &mut UtilityContext<'_>) -> Result<u8, Stopped> {
        Running::run(self.name(), context, read, run)
    }
}

fn run(running: &Running<'_>, argv: Args) -> Result<u8, Failure> {
    let parsed = parse_leading(&argv, OPTIONS).unwrap_or_default();
    let mut operands = parsed.operands.iter().copied().peekable();
    let mut is_empty = parsed.has(b'i');
    if operands.peek() == Some(&&b"-"[..]) {
        is_empty = true;
        operands.next();
    }
    let mut variables = Variables::new(if is_empty { Vec::new() } else { running.context().env.to_vec() });
    for (option, name) in &parsed.options {
        if *option != b'u' {
            continue;
        }
        if name.is_empty() || name.contains(&b'=') {
            running.message(&[&b"cannot unset "[..], &quote::locale(name), b": Invalid argument"].concat())?;
            return Ok(CANCELED);
        }
        variables.unset(name);
    }
    while let Some(&operand) = operands.peek() {
        let Some(at) = operand.iter().position(|byte| *byte == b'=') else { break };
        let name = operand.get(..at).unwrap_or_default();
        if name.is_empty() {
            // `putenv` takes it; no system function of ours does.
            running.message(&[&b"cannot set "[..], &quote::locale(operand), b": Invalid argument"].concat())?;
            return Ok(CANCELED);
        }
        variables.set(name, operand.get(at + 1..).unwrap_or_default());
        operands.next();
    }
    let argv: Args = operands.collect();
    if argv.is_empty() {
        if parsed.has(b'C') {
            running.usage(b"must specify command with --chdir (-C)")?;
            return Ok(CANCELED);
        }
        running.write(&variables.print(if parsed.has(b'0') { 0 } else { b'\n' }))?;
        return Ok(0);
    }
    if parsed.has(b'0') {
        running.usage(b"cannot specify --null (-0) with command")?;
        return Ok(CANCELED);
    }
    let mut cwd = running.context().cwd.to_path_buf();
    if let Some(directory) = parsed.last(b'C') {
        cwd = running.path(directory);
        let metadata = if directory.is_empty() { Err(ErrorKind::NotFound.into()) } else { cwd.metadata() };
        let entered = match metadata {
            Ok(metadata) if metadata.is_dir() => Ok(()),
            Ok(_) => Err(ErrorKind::NotADirectory.into()),
            Err(error) => Err(error),
        };
        if let Err(error) = entered {
            running.failed(&[&b"cannot change directory to "[..], &quote::always(directory)].concat(), &error)?;
            return Ok(CANCELED);
        }
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
