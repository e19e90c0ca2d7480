//! `tac`: lines in reverse order.

use hookshell_shell::{Unsupported, UtilityCall};
use memchr::memmem::FinderRev;

use super::input::{Input, Rest};
use super::output::Output;
use crate::io::{Failure, Running};
use crate::options::{OptionSpec, flag, parse, value};
use crate::quote;

utility! {
    /// `tac [-b] [-s STRING] [FILE]…` (GNU's, without regular expressions). A file is held in memory.
    Tac, "tac"
}

const OPTIONS: &[OptionSpec] = &[flag(b'b', "before"), value(b's', "separator")];

struct Command<'a> {
    before: bool,
    separator: &'a [u8],
    files: Vec<&'a [u8]>,
}

fn read<'a>(call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    let parsed = parse(call.argv, OPTIONS)?;
    if parsed.operands.iter().filter(|file| **file == b"-").count() > 1 {
        return Err(Unsupported::new("reading standard input twice"));
    }
    let separator = match parsed.last(b's') {
        None => b"\n",
        Some(b"") => b"\0",
        Some(text) => text,
    };
    Ok(Command {
        before: parsed.has(b'b'),
        separator,
        files: if parsed.operands.is_empty() { vec![b"-"] } else { parsed.operands },
    })
}

fn run(running: &Running<'_>, command: Command<'_>) -> Result<u8, Failure> {
    let mut out = Output::new(running);
    let mut status = 0;
    let finder = FinderRev::new(command.separator);
    for file in &command.files {
        let source = match running.open(file)? {
            Ok(source) => source,
            Err(error) => {
                out.message(
                    &[
                        b"failed to open ",
                        &quote::always(file)[..],
                        b" for reading: ",
                        crate::io::reason(&error).as_bytes(),
                    ]
                    .concat(),
                )?;
                status = 1;
                continue;
            }
        };
        let Rest { data, error, kept: _kept } = Input::new(source).rest(running)?;
        if let Some(error) = error {
            let name = if *file == b"-" { b"standard input" } else { *file };
            let what = [&quote::if_needed(name), &b": read error"[..]].concat();
            if error.kind() == std::io::ErrorKind::IsADirectory {
                // GNU looks for the end of it first.
                out.message(&[&what[..], b": Invalid argument"].concat())?;
            } else {
                out.failed(&what, &error)?;
            }
            status = 1;
            continue;
        }
        // The end of what is not yet written, and of what is still searched.
        let (mut end, mut searched) = (data.len(), data.len());
        while let Some(at) = data.get(..searched).and_then(|rest| finder.rfind(rest)) {
            running.check()?;
            let cut = if command.before { at } else { at + command.separator.len() };
            out.push(data.get(cut..end).unwrap_or_default())?;
            end = cut;
            searched = at;
        }
        out.push(data.get(..end).unwrap_or_default())?;
    }
    out.flush()?;
    Ok(status)
}
