//! The command line.

use std::borrow::Cow;

use hookshell_utility::io::{Running, reason};
use hookshell_utility::program_file::{Missing, ProgramFile};
use hookshell_utility::{Environment, Unsupported, UtilityCall};

use super::lexer::unescape;
use super::machine::assignment;
use super::regex;
use super::text::Characters;

/// A program file may be so long.
const MAX_PROGRAM: u64 = 16 * 1024 * 1024;

/// Where the program is.
#[derive(Debug)]
pub(super) enum Source<'a> {
    Operand(&'a [u8]),
    Files(Vec<ProgramFile<'a>>),
}

/// What a command line asks for.
#[derive(Debug)]
pub(super) struct Command<'a> {
    pub(super) source: Source<'a>,
    /// `-v` and `-F`, in order.
    pub(super) assignments: Vec<(&'a [u8], &'a [u8])>,
    pub(super) operands: Vec<&'a [u8]>,
    pub(super) characters: Characters,
    /// What the awks do not agree on.
    pub(super) differing: Option<&'static str>,
    /// What awk says of a `-v` that is no assignment, or of a program file that it cannot read.
    pub(super) mistake: Option<String>,
}

impl<'a> Command<'a> {
    /// Reads it, and the files of the program.
    pub(super) fn read(call: &UtilityCall<'a>) -> Result<Self, Unsupported> {
        let mut files: Vec<&[u8]> = Vec::new();
        let mut assignments: Vec<(&[u8], &[u8])> = Vec::new();
        let mut words = call.argv.iter_from(1);
        let mut operands = Vec::new();
        let mut mistake = None;
        while let Some(word) = words.next() {
            if word == b"--" {
                break;
            }
            let (letter, attached) = match word {
                [b'-', letter, attached @ ..] if *letter != b'-' => (*letter, attached),
                [b'-', b'-', ..] => return Err(Unsupported::option(word)),
                _ => {
                    operands.push(word);
                    break;
                }
            };
            if !matches!(letter, b'F' | b'f' | b'v') {
                return Err(Unsupported::option(word));
            }
            let value =
                if attached.is_empty() { words.next().ok_or_else(|| Unsupported::option(word))? } else { attached };
            match letter {
                b'f' => files.push(value),
                b'v' => match assignment(value) {
                    Some(assignment) => assignments.push(assignment),
                    None if mistake.is_none() => {
                        mistake = Some(format!("improper assignment: -v {}", String::from_utf8_lossy(value)));
                    }
                    None => {}
                },
                // gawk and BWK's awk differ on this.
                _ if value == b"t" => return Err(Unsupported::new("this value of -F")),
                _ => assignments.push((b"FS", value)),
            }
        }
        operands.extend(words);
        let source = if files.is_empty() {
            if operands.is_empty() {
                return Err(Unsupported::mistake("a call without a program"));
            }
            Source::Operand(operands.remove(0))
        } else {
            let mut read = Vec::new();
            for name in files {
                match ProgramFile::read(call, name, MAX_PROGRAM) {
                    Ok(file) => read.push(file),
                    Err(missing) => {
                        mistake.get_or_insert_with(|| unreadable(name, &missing));
                    }
                }
            }
            Source::Files(read)
        };
        let in_operands = operands.iter().filter_map(|operand| assignment(operand));
        let differing = assignments.iter().copied().chain(in_operands).find_map(|(name, value)| differing(name, value));
        Ok(Self { source, assignments, operands, characters: characters(call.env), differing, mistake })
    }
}

/// What the awks do not agree on in an assignment of the command line.
fn differing(name: &[u8], value: &[u8]) -> Option<&'static str> {
    if memchr::memmem::find(value, b"\\\n").is_some() {
        return Some("a backslash before a newline in an assignment of the command line");
    }
    match name {
        b"FPAT" | b"IGNORECASE" => Some("a variable of gawk's"),
        b"FS" | b"RS" => {
            let (value, differing) = unescape(value);
            differing.or_else(|| regex::differing_separator(&value))
        }
        _ => unescape(value).1,
    }
}

/// What awk says of a program file that cannot be read.
fn unreadable(name: &[u8], missing: &Missing) -> String {
    let why = match missing {
        Missing::Gone(error) | Missing::Unreadable(error) => reason(error),
        Missing::NoFile => "not a regular file".to_owned(),
    };
    format!("cannot open {} ({why})", String::from_utf8_lossy(name))
}

impl<'a> Source<'a> {
    /// The program, with all that was read before it is known that it runs here; `None`: a part can be read only once, by
    /// [`Source::read`].
    pub(super) fn known(&self) -> Option<Cow<'a, [u8]>> {
        match self {
            Self::Operand(text) => Some(Cow::Borrowed(text)),
            Self::Files(files) => {
                let mut source = Vec::new();
                for file in files {
                    source.extend_from_slice(file.known()?);
                    source.push(b'\n');
                }
                Some(Cow::Owned(source))
            }
        }
    }

    /// Reads what can be read only once, and asks whether all of it may be run.
    pub(super) fn read(&mut self, running: &Running<'_>) -> Result<(), Unsupported> {
        let Self::Files(files) = self else { return Ok(()) };
        for file in files {
            let what = |name: &[u8]| Unsupported::mistake(format!("the program file {}", name.escape_ascii()));
            file.complete(running, what)?;
        }
        Ok(())
    }
}

fn variable<'e>(env: &'e Environment, name: &str) -> Option<&'e std::ffi::OsStr> {
    env.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_os_str()).filter(|value| !value.is_empty())
}

/// What a character is in the locale of the run.
fn characters(env: &Environment) -> Characters {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(|name| variable(env, name));
    match locale.and_then(std::ffi::OsStr::to_str) {
        Some("C" | "POSIX") => Characters::Bytes,
        _ => Characters::Utf8,
    }
}
