//! `rev`: lines with their characters reversed.

use hookshell_utility::input::Input;
use hookshell_utility::io::{Failure, Running, reason};
use hookshell_utility::options::parse;
use hookshell_utility::output::Output;
use hookshell_utility::utility;
use hookshell_utility::{Unsupported, UtilityCall};

use super::characters::{self, Decoded, decode};

utility! {
    /// `rev [FILE]…` (util-linux's).
    Rev, "rev"
}

struct Command<'a> {
    wide: bool,
    /// Nothing: standard input, which is not opened by `-`.
    files: Vec<&'a [u8]>,
}

fn read<'a>(call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    let files = parse(call.argv, &[])?.operands;
    Ok(Command { wide: !characters::are_bytes_in(call), files })
}

fn run(running: &Running<'_>, command: Command<'_>) -> Result<u8, Failure> {
    let mut out = Output::new(running);
    let mut status = 0;
    let files = if command.files.is_empty() { vec![None] } else { command.files.iter().copied().map(Some).collect() };
    for file in files {
        let opened = match file {
            None => running.open(b"-")?,
            Some(file) => running.open_file(file)?,
        };
        let name = file.unwrap_or(b"stdin");
        let source = match opened {
            Ok(source) => source,
            Err(error) => {
                out.report_error(&[b"cannot open ", name].concat(), &error)?;
                status = 1;
                continue;
            }
        };
        let mut input = Input::new(source);
        let mut number: u64 = 0;
        let mut text: Vec<u8> = Vec::new();
        let mut invalid = false;
        while let Some(line) = input.line(running, b'\n')? {
            let end = line.last() == Some(&b'\n');
            let body = line.strip_suffix(b"\n").unwrap_or(line);
            // To C's strings a NUL is the end of the text; without a newline the next line continues it.
            let nul = body.iter().position(|byte| *byte == 0);
            if !is_valid(body, command.wide) {
                invalid = true;
                break;
            }
            text.extend_from_slice(body.get(..nul.unwrap_or(body.len())).unwrap_or_default());
            if nul.is_none() && end {
                number += 1;
                push_reversed(&text, command.wide, &mut out)?;
                out.byte(b'\n')?;
                text.clear();
            }
        }
        let place = format!(": {number}: ");
        if invalid {
            let what = "Invalid or incomplete multibyte or wide character";
            out.message(&[name, place.as_bytes(), what.as_bytes()].concat())?;
            status = 1;
        } else if let Some(error) = &input.error {
            out.message(&[name, place.as_bytes(), reason(error).as_bytes()].concat())?;
            status = 1;
        } else {
            push_reversed(&text, command.wide, &mut out)?;
        }
    }
    out.flush()?;
    Ok(status)
}

fn is_valid(text: &[u8], wide: bool) -> bool {
    if text.is_ascii() {
        return true;
    }
    let mut rest = text;
    while let Decoded::Character(_, length) = decode(rest) {
        rest = rest.get(length..).unwrap_or_default();
    }
    wide && rest.is_empty()
}

/// The text is valid.
fn push_reversed(text: &[u8], wide: bool, out: &mut Output<'_, '_>) -> Result<(), Failure> {
    let mut end = text.len();
    for at in (0..text.len()).rev() {
        let continues = wide && text.get(at).is_some_and(|byte| hookshell_process::text::is_continuation(*byte));
        if !continues {
            out.push(text.get(at..end).unwrap_or_default())?;
            end = at;
        }
    }
    Ok(())
}
