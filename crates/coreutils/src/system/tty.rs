//! `tty`: the terminal at standard input.

use hookshell_utility::io::{Failure, Running};
use hookshell_utility::options::{OptionSpec, flag, parse};
use hookshell_utility::utility;
use hookshell_utility::{Unsupported, UtilityCall};

utility! {
    /// `tty [-s]` (XCU `tty`; the options are GNU's). Windows: `/dev/cons0`, as Git Bash has it.
    Tty, "tty", usage: 2, write_error: Some(3)
}

const OPTIONS: &[OptionSpec] = &[flag(b's', "silent"), flag(b's', "quiet")];

/// A wrong call.
const WRONG: u8 = 2;

struct Command<'a> {
    is_silent: bool,
    extra: Option<&'a [u8]>,
}

fn read<'a>(call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    let parsed = parse(call.argv, OPTIONS)?;
    Ok(Command { is_silent: parsed.has(b's'), extra: parsed.operands.first().copied() })
}

fn run(running: &Running<'_>, command: Command<'_>) -> Result<u8, Failure> {
    if let Some(extra) = command.extra {
        running.usage(&[&b"extra operand "[..], &hookshell_utility::quote::locale(extra)].concat())?;
        return Ok(WRONG);
    }
    let stdin = running.context().stdin().filter(|stdin| stdin.is_terminal());
    if command.is_silent {
        return Ok(u8::from(stdin.is_none()));
    }
    match stdin.and_then(|stdin| stdin.file()) {
        Some(file) => {
            running.write(&[&name_of(file)[..], b"\n"].concat())?;
            Ok(0)
        }
        None => {
            running.write(b"not a tty\n")?;
            Ok(1)
        }
    }
}

#[cfg(unix)]
fn name_of(file: &std::fs::File) -> Vec<u8> {
    rustix::termios::ttyname(file, Vec::new()).map_or_else(|_| b"/dev/tty".to_vec(), std::ffi::CString::into_bytes)
}

#[cfg(not(unix))]
fn name_of(_: &std::fs::File) -> Vec<u8> {
    b"/dev/cons0".to_vec()
}
