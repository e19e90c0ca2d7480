//! `truncate`: change files' sizes.

use std::io::ErrorKind;

use hookshell_files::mode::create_file;
use hookshell_process::{Opening, is_missing};
use hookshell_utility::io::{Failure, Running, reason};
use hookshell_utility::options::{OptionSpec, flag, parse, value};
use hookshell_utility::quote;
use hookshell_utility::utility;
use hookshell_utility::{Unsupported, UtilityCall};

use crate::size::parse_size;

utility! {
    /// `truncate [-c] [-s [+-<>/%]SIZE] [-r FILE] FILE…` (GNU; `-o` is the real program's).
    Truncate, "truncate"
}

const OPTIONS: &[OptionSpec] = &[flag(b'c', "no-create"), value(b's', "size"), value(b'r', "reference")];

struct Command<'a> {
    no_create: bool,
    size: Option<(Option<u8>, u64)>,
    reference: Option<&'a [u8]>,
    files: Vec<&'a [u8]>,
}

fn read<'a>(call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    let parsed = parse(call.argv, OPTIONS)?;
    let size = match parsed.last(b's') {
        None => None,
        Some(text) => {
            let sign = text.first().copied().filter(|sign| b"+-<>/%".contains(sign));
            let number = text.get(usize::from(sign.is_some())..).and_then(|text| parse_size(text, b""));
            let known = number.filter(|n| i64::try_from(*n).is_ok() && !(*n == 0 && matches!(sign, Some(b'/' | b'%'))));
            let number = known.ok_or_else(|| Unsupported::mistake(format!("the size {}", text.escape_ascii())))?;
            Some((sign, number))
        }
    };
    let reference = parsed.last(b'r');
    let is_dir = |name: &&[u8]| !name.is_empty() && call.cwd.join(hookshell_process::text::to_os(name)).is_dir();
    if reference.filter(is_dir).is_some() {
        return Err(Unsupported::new("the size of a directory"));
    }
    match (size, reference) {
        (None, None) => Err(Unsupported::mistake("a call without a size")),
        (Some((None, _)), Some(_)) => Err(Unsupported::mistake("a size beside a reference")),
        _ if parsed.operands.is_empty() => Err(Unsupported::mistake("a call without a file")),
        _ => Ok(Command { no_create: parsed.has(b'c'), size, reference, files: parsed.operands }),
    }
}

fn run(running: &Running<'_>, command: Command<'_>) -> Result<u8, Failure> {
    let mut base = None;
    if let Some(reference) = command.reference {
        match running.path(reference).metadata() {
            Ok(metadata) if !reference.is_empty() => base = Some(metadata.len()),
            found => {
                let error = found.err().unwrap_or_else(|| ErrorKind::NotFound.into());
                running.report_error_of("cannot stat", reference, &error)?;
                return Ok(1);
            }
        }
    }
    let mut status = 0;
    for &file in &command.files {
        running.check()?;
        let path = running.path(file);
        let opened = if file.is_empty() {
            Err(ErrorKind::NotFound.into())
        } else if cfg!(windows) && path.is_dir() {
            Err(ErrorKind::IsADirectory.into())
        } else {
            match running.open_as(&path, Opening { nonblocking: true, ..Opening::to_write() }) {
                Err(error) if is_missing(&error) && command.no_create => continue,
                Err(error) if is_missing(&error) => create_file(running.context(), &path),
                opened => opened,
            }
        };
        let opened = match opened {
            Ok(opened) => opened,
            Err(error) => {
                let what = [&b"cannot open "[..], &quote::always(file), b" for writing"].concat();
                running.report_error(&what, &error)?;
                status = 1;
                continue;
            }
        };
        let now = base.map_or_else(|| opened.metadata().map(|metadata| metadata.len()), Ok);
        let mut wanted = 0;
        let result = now.and_then(|now| {
            let size = match command.size {
                None => Some(now),
                Some((None, size)) => Some(size),
                Some((Some(b'+'), more)) => now.checked_add(more),
                Some((Some(b'-'), less)) => Some(now.saturating_sub(less)),
                Some((Some(b'<'), most)) => Some(now.min(most)),
                Some((Some(b'>'), least)) => Some(now.max(least)),
                Some((Some(b'/'), unit)) => Some(now - now.checked_rem(unit).unwrap_or(0)),
                Some((Some(_), unit)) => now.checked_next_multiple_of(unit),
            };
            wanted = size.ok_or(ErrorKind::FileTooLarge)?;
            opened.set_len(wanted)
        });
        if let Err(error) = result {
            let size = format!(" at {wanted} bytes: {}", reason(&error));
            running.message(&[&b"failed to truncate "[..], &quote::always(file), size.as_bytes()].concat())?;
            status = 1;
        }
    }
    Ok(status)
}
