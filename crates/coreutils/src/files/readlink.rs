//! `readlink`: where symbolic links lead.

use hookshell_files::canonical::{Existing, canonicalize};
use hookshell_process::text;
use hookshell_utility::io::{Failure, Running};
use hookshell_utility::options::{OptionSpec, Parsed, flag, parse};
use hookshell_utility::prepare;
use hookshell_utility::quote;
use hookshell_utility::{Prepared, Unsupported, Utility, UtilityCall};

/// `readlink [-femnqsvz] FILE…` (GNU): the text of a link, or the resolved path.
pub(crate) struct Readlink;

const OPTIONS: &[OptionSpec] = &[
    flag(b'f', "canonicalize"),
    flag(b'e', "canonicalize-existing"),
    flag(b'm', "canonicalize-missing"),
    flag(b'n', "no-newline"),
    flag(b'q', "quiet"),
    flag(b's', "silent"),
    flag(b'v', "verbose"),
    flag(b'z', "zero"),
];

impl Utility for Readlink {
    fn name(&self) -> &'static str {
        "readlink"
    }

    fn prepare<'a>(&'a self, call: &UtilityCall<'a>) -> Result<Box<dyn Prepared + 'a>, Unsupported> {
        prepare(self.name(), call, |call| parse(call.argv, OPTIONS), run)
    }
}

fn run(running: &Running<'_>, parsed: Parsed<'_>) -> Result<u8, Failure> {
    if parsed.operands.is_empty() {
        return running.usage(b"missing operand");
    }
    let mode = parsed.options.iter().rev().find_map(|(option, _)| match option {
        b'f' => Some(Existing::AllButLast),
        b'e' => Some(Existing::All),
        b'm' => Some(Existing::Nothing),
        _ => None,
    });
    let is_verbose = parsed
        .options
        .iter()
        .rev()
        .find(|(option, _)| matches!(option, b'v' | b'q' | b's'))
        .is_some_and(|o| o.0 == b'v');
    let mut no_newline = parsed.has(b'n');
    if no_newline && parsed.operands.len() > 1 {
        running.message(b"ignoring --no-newline with multiple arguments")?;
        no_newline = false;
    }
    let mut status = 0;
    for &operand in &parsed.operands {
        running.check()?;
        let found = match mode {
            Some(mode) => canonicalize(running.context().cwd, &running.native(operand), mode, true),
            None if operand.is_empty() => Err(std::io::ErrorKind::NotFound.into()),
            None => std::fs::read_link(running.path(operand)).map(|target| text::from_path(&target).into_owned()),
        };
        match found {
            Ok(mut path) => {
                if !no_newline {
                    path.push(if parsed.has(b'z') { 0 } else { b'\n' });
                }
                running.write(&path)?;
            }
            Err(error) => {
                status = 1;
                if is_verbose {
                    running.report_error(&quote::if_needed(operand), &error)?;
                }
            }
        }
    }
    Ok(status)
}
