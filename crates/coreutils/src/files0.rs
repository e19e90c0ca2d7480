//! `--files0-from`: operands that are read from a file.

use hookshell_utility::input::Input;
use hookshell_utility::io::{Failure, PER_LINE, Running, Source};
use hookshell_utility::quote;

/// The names in a file, each ended by a NUL. The error: what is wrong has been said; the status is the utility's.
///
/// `operand`: one of the command line, where there is none to be.
pub(crate) fn names_from(
    running: &Running<'_>,
    file: &[u8],
    operand: Option<&[u8]>,
) -> Result<Result<Vec<Vec<u8>>, ()>, Failure> {
    if let Some(extra) = operand {
        let text: [&[u8]; 3] =
            [b"extra operand ", &quote::always(extra), b"\nfile operands cannot be combined with --files0-from"];
        running.usage(&text.concat())?;
        return Ok(Err(()));
    }
    let shown = quote::always(file);
    let source = match running.open(file)? {
        Ok(source) => source,
        Err(error) => {
            let doing: &[u8] = if running.name() == "sort" { b"open failed: " } else { b"cannot open " };
            let what = match running.name() {
                "sort" => [doing, &quote::if_needed(file)].concat(),
                _ => [doing, &shown, b" for reading"].concat(),
            };
            running.report_error(&what, &error)?;
            return Ok(Err(()));
        }
    };
    names_in(running, source, &quote::if_needed(file))
}

/// The names in what is open, each ended by a NUL. The error: that it cannot be read, of the file `shown`, has been said.
pub(crate) fn names_in(
    running: &Running<'_>,
    source: Source,
    shown: &[u8],
) -> Result<Result<Vec<Vec<u8>>, ()>, Failure> {
    let mut input = Input::new(source);
    let mut names = Vec::new();
    let mut kept = running.keep();
    let mut size = 0;
    while let Some(name) = input.text(running, b'\0')? {
        size += name.len() + PER_LINE;
        names.push(name.to_vec());
        kept.set(size)?;
    }
    if let Some(error) = &input.error {
        running.report_error(&[shown, b": read error"].concat(), error)?;
        return Ok(Err(()));
    }
    Ok(Ok(names))
}

/// What is wrong with the name at this place (from 0) of the file; `None`: nothing.
pub(crate) fn fault(file: &[u8], at: usize, name: &[u8]) -> Option<Vec<u8>> {
    if name.is_empty() {
        let place = format!(":{}: invalid zero-length file name", at + 1);
        return Some([&quote::if_needed(file)[..], place.as_bytes()].concat());
    }
    (file == b"-" && name == b"-").then(|| {
        let text: &[u8] = b"when reading file names from stdin, no file name of ";
        [text, &quote::always(name), b" allowed"].concat()
    })
}
