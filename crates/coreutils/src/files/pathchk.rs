//! `pathchk`: are names fit for files?

use hookshell_utility::io::{Failure, Running};
use hookshell_utility::options::{LONG_ONLY, OptionSpec, flag, parse_leading};
use hookshell_utility::quote;
use hookshell_utility::utility;
use hookshell_utility::{Unsupported, UtilityCall};

utility! {
    /// `pathchk [-pP] [--portability] NAME…` (XCU `pathchk`).
    Pathchk, "pathchk"
}

const PORTABILITY: u8 = LONG_ONLY;
const OPTIONS: &[OptionSpec] = &[flag(b'p', ""), flag(b'P', ""), flag(PORTABILITY, "portability")];

/// What any POSIX system takes: `_POSIX_NAME_MAX`, and `_POSIX_PATH_MAX` without its NUL.
const PORTABLE_NAME: usize = 14;
const PORTABLE_PATH: usize = 255;
/// What Linux takes.
const NAME: usize = 255;
const PATH: usize = 4095;

struct Command<'a> {
    basic: bool,
    extra: bool,
    names: Vec<&'a [u8]>,
}

fn read<'a>(call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    let parsed = parse_leading(call.argv, OPTIONS)?;
    if parsed.operands.is_empty() {
        return Err(Unsupported::mistake("no operand"));
    }
    let both = parsed.has(PORTABILITY);
    Ok(Command { basic: both || parsed.has(b'p'), extra: both || parsed.has(b'P'), names: parsed.operands })
}

fn run(running: &Running<'_>, command: Command<'_>) -> Result<u8, Failure> {
    let mut status = 0;
    for name in &command.names {
        if !check(running, name, &command)? {
            status = 1;
        }
    }
    Ok(status)
}

/// Is the name fit? Says why it is not.
fn check(running: &Running<'_>, name: &[u8], command: &Command<'_>) -> Result<bool, Failure> {
    let wrong = |text: Vec<u8>| -> Result<bool, Failure> {
        running.message(&text)?;
        Ok(false)
    };
    let components = || name.split(|byte| *byte == b'/').filter(|component| !component.is_empty());
    if command.extra && components().any(|component| component.starts_with(b"-")) {
        return wrong([&b"leading '-' in a component of file name "[..], &quote::always(name)].concat());
    }
    if (command.basic || command.extra) && name.is_empty() {
        return wrong(b"empty file name".to_vec());
    }
    let mut exists = false;
    if command.basic {
        let is_portable = |c: char| c.is_ascii_alphanumeric() || "._-/".contains(c);
        let first = name.utf8_chunks().find_map(|chunk| {
            let of_text = chunk.valid().chars().find(|c| !is_portable(*c)).map(|c| c.to_string().into_bytes());
            of_text.or_else(|| chunk.invalid().first().map(|byte| vec![*byte]))
        });
        if let Some(character) = first {
            let (character, name) = (quote::locale(&character), quote::always(name));
            return wrong([b"nonportable character ", &character[..], b" in file name ", &name].concat());
        }
    } else {
        match std::fs::symlink_metadata(running.path(name)) {
            Ok(_) if !name.is_empty() => exists = true,
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                running.report_error(&quote::if_needed(name), &error)?;
                return Ok(false);
            }
            _ if name.is_empty() => {
                running.report_error(&quote::if_needed(name), &std::io::ErrorKind::NotFound.into())?;
                return Ok(false);
            }
            _ => {}
        }
    }
    if exists {
        return Ok(true);
    }
    let (most_path, most_name) = if command.basic { (PORTABLE_PATH, PORTABLE_NAME) } else { (PATH, NAME) };
    let too_long = |limit: usize, length: usize, what: &str, text: &[u8]| {
        wrong([format!("limit {limit} exceeded by length {length} of {what} ").as_bytes(), text].concat())
    };
    if name.len() > most_path {
        return too_long(most_path, name.len(), "file name", &quote::always(name));
    }
    match components().find(|component| component.len() > most_name) {
        Some(component) => too_long(most_name, component.len(), "file name component", &quote::locale(component)),
        None => Ok(true),
    }
}
