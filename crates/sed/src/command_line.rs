//! The command line of sed.

use hookshell_utility::io::{LONGEST_PROGRAM, Running, reason};
use hookshell_utility::locale;
use hookshell_utility::long_names;
use hookshell_utility::program_file::{Missing, ProgramFile};
use hookshell_utility::{Unsupported, UtilityCall, special_file};

use super::fault::Fault;
use super::program::{Piece, Source};

/// A part of the script.
#[derive(Debug)]
enum Part<'a> {
    /// `-e`, or the operand.
    Text(&'a [u8]),
    /// `-f`, with the name.
    File(&'a [u8], ProgramFile<'a>),
}

#[derive(Debug)]
pub(crate) struct CommandLine<'a> {
    parts: Vec<Part<'a>>,
    /// What the script is compiled from; the script itself is there from [`CommandLine::put_together`] on.
    pub(crate) source: Source,
    pub(crate) quiet: bool,
    /// The suffix of the copies.
    pub(crate) in_place: Option<&'a [u8]>,
    /// Of a link the file that it leads to is read and edited.
    pub(crate) follows: bool,
    pub(crate) end: u8,
    pub(crate) unbuffered: bool,
    pub(crate) width: u64,
    pub(crate) operands: Vec<&'a [u8]>,
}

/// Reads the command line, and the files of `-f`.
pub(crate) fn read<'a>(call: &UtilityCall<'a>) -> Result<CommandLine<'a>, Fault> {
    let mut line = CommandLine {
        parts: Vec::new(),
        source: Source {
            script: Vec::new(),
            pieces: Vec::new(),
            sandbox: false,
            extended: false,
            bytes: locale::is_bytes(call.env),
            separate: false,
            null: false,
            posix: false,
        },
        quiet: false,
        in_place: None,
        follows: false,
        end: b'\n',
        unbuffered: false,
        width: 70,
        operands: Vec::new(),
    };
    let mut words = call.argv.iter_from(1);
    while let Some(word) = words.next() {
        if word == b"--" {
            line.operands.extend(words);
            break;
        }
        let unsupported = || Unsupported::option(word);
        if let Some(long) = word.strip_prefix(b"--") {
            let (name, value) = match memchr::memchr(b'=', long) {
                Some(at) => (long.get(..at).unwrap_or_default(), long.get(at + 1..)),
                None => (long, None),
            };
            let mut full = long_names::beginning_with(b"sed", name);
            let name = match (full.next(), full.next()) {
                (Some(only), None) => only.as_bytes(),
                _ => name,
            };
            match (name, value) {
                (b"quiet" | b"silent", None) => line.quiet = true,
                (b"regexp-extended", None) => line.source.extended = true,
                (b"separate", None) => line.source.separate = true,
                (b"null-data" | b"zero-terminated", None) => line.end = 0,
                (b"unbuffered", None) => line.unbuffered = true,
                (b"binary", None) => {}
                (b"follow-symlinks", None) => line.follows = true,
                (b"sandbox", None) => line.source.sandbox = true,
                (b"posix", None) => line.source.posix = true,
                (b"in-place", suffix) => line.in_place = Some(suffix.unwrap_or_default()),
                (b"expression" | b"file" | b"line-length", value) => {
                    let value = match value {
                        Some(value) => value,
                        None => words.next().ok_or_else(unsupported)?,
                    };
                    match name {
                        b"line-length" => line.width = width(value)?,
                        b"file" => line.parts.push(read_file(call, value)?),
                        _ => line.parts.push(Part::Text(value)),
                    }
                }
                _ => return Err(unsupported().into()),
            }
            continue;
        }
        let Some(mut letters) = word.strip_prefix(b"-").filter(|letters| !letters.is_empty()) else {
            line.operands.push(word);
            continue;
        };
        while let Some((&letter, rest)) = letters.split_first() {
            letters = rest;
            match letter {
                b'n' => line.quiet = true,
                b'E' | b'r' => line.source.extended = true,
                b's' => line.source.separate = true,
                b'z' => line.end = 0,
                b'u' => line.unbuffered = true,
                b'b' => {}
                b'i' => line.in_place = Some(std::mem::take(&mut letters)),
                b'e' | b'f' | b'l' => {
                    let value = match std::mem::take(&mut letters) {
                        b"" => words.next().ok_or_else(unsupported)?,
                        attached => attached,
                    };
                    match letter {
                        b'l' => line.width = width(value)?,
                        b'f' => line.parts.push(read_file(call, value)?),
                        _ => line.parts.push(Part::Text(value)),
                    }
                }
                _ => return Err(Unsupported::option(&[b'-', letter]).into()),
            }
        }
    }
    if line.parts.is_empty() {
        if line.operands.is_empty() {
            return Err(Unsupported::mistake("a call without a script").into());
        }
        let script = line.operands.remove(0);
        line.parts.push(Part::Text(script));
    }
    line.source.null = line.end == 0;
    if let Some(suffix) = line.in_place {
        line.source.separate = true;
        if suffix.iter().any(|byte| matches!(byte, b'/' | b'\\')) {
            return Err(Unsupported::new("such a suffix of copies").into());
        }
        // BSD's `sed -i '' SCRIPT` reads another way on macOS.
        let special =
            |operand: &&[u8]| operand.is_empty() || **operand == *b"-" || special_file(operand, call.cwd).is_some();
        if line.operands.iter().any(special) || cfg!(target_os = "macos") && suffix.is_empty() {
            return Err(Unsupported::new("-i with these files").into());
        }
    }
    Ok(line)
}

fn read_file<'a>(call: &UtilityCall<'a>, name: &'a [u8]) -> Result<Part<'a>, Fault> {
    let file = ProgramFile::read(call, name, LONGEST_PROGRAM).map_err(|missing| match missing {
        Missing::Gone(error) | Missing::Unreadable(error) => {
            Fault::fatal([b"couldn't open file ", name, b": ", reason(&error).as_bytes()].concat())
        }
        Missing::NoFile => Unsupported::new(format!("the script file {}", name.escape_ascii())).into(),
    })?;
    Ok(Part::File(name, file))
}

impl CommandLine<'_> {
    /// Puts the script together, where all of it was read; a part can be one that is read only once, by [`CommandLine::read_rest`].
    pub(super) fn put_together(&mut self) -> bool {
        let source = &mut self.source;
        source.script.clear();
        source.pieces.clear();
        for part in &self.parts {
            let (script, file) = match part {
                Part::Text(text) => (*text, None),
                Part::File(name, file) => {
                    let Some(text) = file.known() else { return false };
                    // After a backslash it is a part of the script: `a\` adds an empty line.
                    let script = text.strip_suffix(b"\n").filter(|script| !script.ends_with(b"\\")).unwrap_or(text);
                    (script, Some(name.to_vec()))
                }
            };
            if !source.pieces.is_empty() {
                source.script.push(b'\n');
            }
            source.script.extend_from_slice(script);
            source.pieces.push(Piece { end: source.script.len(), file });
        }
        true
    }

    /// Reads what can be read only once, and asks whether all files may be run.
    pub(super) fn read_rest(&mut self, running: &Running<'_>) -> Result<(), Unsupported> {
        for part in &mut self.parts {
            if let Part::File(_, file) = part {
                let what = |name: &[u8]| Unsupported::mistake(format!("the script file {}", name.escape_ascii()));
                file.complete(running, what)?;
            }
        }
        Ok(())
    }
}

fn width(text: &[u8]) -> Result<u64, Unsupported> {
    let number = std::str::from_utf8(text).ok().and_then(|text| text.parse().ok());
    // 1 means no wrapping as an option and wrapping after nothing as an operand.
    number
        .filter(|number| *number != 1 && text.iter().all(u8::is_ascii_digit))
        .ok_or_else(|| Unsupported::mistake(format!("the line length {}", text.escape_ascii())))
}
