//! `stdbuf`: run a command with other buffers.

use hookshell_utility::io::{Failure, Running};
use hookshell_utility::options::{OptionSpec, Parsed, parse_leading, value};
use hookshell_utility::quote;
use hookshell_utility::{Args, Unsupported, UtilityCall};
use hookshell_utility::{Prepared, Profile, Utility, prepare_yielding};

use super::started::status_of;
use crate::size::parse_size;

/// `stdbuf [-i MODE] [-o MODE] [-e MODE] COMMAND [ARG]…` (GNU).
///
/// The buffers are those of a program's C library, which the real one reaches by a library of its own: where there is one, it does
/// the call. Where there is none the command runs with the buffers that it has: it prints the same, perhaps later.
pub(crate) struct Stdbuf;

const OPTIONS: &[OptionSpec] = &[value(b'i', "input"), value(b'o', "output"), value(b'e', "error")];

/// What GNU's gives when it fails itself.
const CANCELED: u8 = 125;

impl Utility for Stdbuf {
    fn name(&self) -> &'static str {
        "stdbuf"
    }

    fn prepare<'a>(&'a self, call: &UtilityCall<'a>) -> Result<Box<dyn Prepared + 'a>, Unsupported> {
        let read = |call: &UtilityCall<'a>| parse_leading(call.argv, OPTIONS);
        prepare_yielding(Profile::new(self.name()).usage(CANCELED), call, read, |_| true, run)
    }
}

fn run(running: &Running<'_>, parsed: Parsed<'_>) -> Result<u8, Failure> {
    for (option, mode) in &parsed.options {
        if *option == b'i' && *mode == b"L" {
            running.usage(b"line buffering stdin is meaningless")?;
            return Ok(CANCELED);
        }
        if *mode != b"L" && parse_size(mode, b"").is_none() {
            running.message(&[b"invalid mode ", &quote::locale(mode)[..]].concat())?;
            return Ok(CANCELED);
        }
    }
    let argv: Args = parsed.operands.iter().collect();
    if argv.is_empty() {
        running.usage(b"missing operand")?;
        return Ok(CANCELED);
    }
    if parsed.options.is_empty() {
        running.usage(b"you must specify a buffering mode option")?;
        return Ok(CANCELED);
    }
    let outcome = running.command(&argv, running.context().fds.clone())?;
    status_of(running, outcome.end, &[b"failed to run command ", &quote::locale(&argv[0])[..]].concat())
}
