//! `wc`: count lines, words and bytes.

use std::io::{Seek, SeekFrom};

use hookshell_process::FileKind;
use hookshell_utility::input::Input;
use hookshell_utility::io::{Failure, Running, Source};
use hookshell_utility::options::{LONG_ONLY, OptionSpec, flag, parse, value};
use hookshell_utility::output::Output;
use hookshell_utility::quote;
use hookshell_utility::utility;
use hookshell_utility::{Unsupported, UtilityCall};
use memchr::memchr_iter;

use super::characters::{self, Decoded, decode, is_printable, is_space};
use crate::files0::{fault, names_from};

utility! {
    /// `wc [-clLmw] [--total=WHEN] [--files0-from=FILE | FILE…]` (XCU `wc`, GNU's `-L`).
    Wc, "wc"
}

/// The size of a page, where it is known least.
const PAGE: u64 = 4096;

const FILES_FROM: u8 = LONG_ONLY;
const TOTAL: u8 = LONG_ONLY + 1;
const OPTIONS: &[OptionSpec] = &[
    value(TOTAL, "total"),
    flag(b'c', "bytes"),
    flag(b'm', "chars"),
    flag(b'l', "lines"),
    flag(b'w', "words"),
    flag(b'L', "max-line-length"),
    value(FILES_FROM, "files0-from"),
];

struct Command<'a> {
    lines: bool,
    words: bool,
    chars: bool,
    bytes: bool,
    longest: bool,
    /// Characters are UTF-8.
    wide: bool,
    /// `None` is standard input without a name.
    files: Vec<Option<&'a [u8]>>,
    files_from: Option<&'a [u8]>,
    total: Total,
}

/// When the sum of all files is printed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Total {
    /// With several files.
    Auto,
    Always,
    /// And nothing else.
    Only,
    Never,
}

#[derive(Default, Clone, Copy)]
struct Counts {
    lines: u64,
    words: u64,
    chars: u64,
    bytes: u64,
    longest: u64,
}

fn read<'a>(call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    let parsed = parse(call.argv, OPTIONS)?;
    // It takes the spaces that do not break for letters.
    if call.env.iter().any(|(name, _)| name == "POSIXLY_CORRECT") {
        return Err(Unsupported::new("POSIXLY_CORRECT"));
    }
    let default = parsed.options.iter().all(|(option, _)| matches!(*option, FILES_FROM | TOTAL));
    let total = match parsed.last(TOTAL) {
        None | Some(b"auto") => Total::Auto,
        Some(b"always") => Total::Always,
        Some(b"only") => Total::Only,
        Some(b"never") => Total::Never,
        Some(word) => return Err(Unsupported::mistake(format!("--total={}", word.escape_ascii()))),
    };
    let files =
        if parsed.operands.is_empty() { vec![None] } else { parsed.operands.iter().copied().map(Some).collect() };
    Ok(Command {
        lines: default || parsed.has(b'l'),
        words: default || parsed.has(b'w'),
        chars: parsed.has(b'm'),
        bytes: default || parsed.has(b'c'),
        longest: parsed.has(b'L'),
        wide: !characters::are_bytes_in(call),
        files,
        files_from: parsed.last(FILES_FROM),
        total,
    })
}

fn run(running: &Running<'_>, command: Command<'_>) -> Result<u8, Failure> {
    let names;
    let command = match command.files_from {
        None => command,
        Some(from) => {
            let Ok(found) = names_from(running, from, command.files.first().copied().flatten())? else {
                return Ok(1);
            };
            names = found;
            Command { files: names.iter().map(|name| Some(&name[..])).collect(), ..command }
        }
    };
    // What does not come from a regular file is read name by name.
    let is_stream = command.files_from.is_some_and(|from| !matches!(size(running, from), Ok(Some(_))));
    let width = if is_stream { 1 } else { command.number_width(running) };
    let mut out = Output::new(running);
    let mut total = Counts::default();
    let mut status = 0;
    for (at, &file) in command.files.iter().enumerate() {
        if let (Some(from), Some(name)) = (command.files_from, file)
            && let Some(text) = fault(from, at, name)
        {
            out.message(&text)?;
            status = 1;
            continue;
        }
        if command.files_from.is_none() && file.is_some_and(<[u8]>::is_empty) {
            out.message(b"invalid zero-length file name")?;
            status = 1;
            continue;
        }
        let name = file.unwrap_or(b"standard input");
        let source = match running.open(file.unwrap_or(b"-"))? {
            Ok(source) => source,
            Err(error) => {
                out.report_error(&quote::if_needed(name), &error)?;
                status = 1;
                continue;
            }
        };
        let mut counts = Counts::default();
        let mut input = Input::new(source);
        command.count(running, &mut input, &mut counts)?;
        if let Some(error) = &input.error {
            out.report_error(&quote::if_needed(name), error)?;
            status = 1;
        }
        if command.total != Total::Only {
            command.print(&mut out, &counts, width, file)?;
        }
        total.lines += counts.lines;
        total.words += counts.words;
        total.chars += counts.chars;
        total.bytes += counts.bytes;
        total.longest = total.longest.max(counts.longest);
    }
    let sums = match command.total {
        Total::Auto => command.files.len() > 1,
        Total::Always | Total::Only => true,
        Total::Never => false,
    };
    if sums {
        let name = (command.total != Total::Only).then_some(&b"total"[..]);
        command.print(&mut out, &total, width, name)?;
    }
    out.flush()?;
    Ok(status)
}

impl Command<'_> {
    /// GNU's: as wide as the size of all regular files, 7 at least with any other file; 1 where one number is printed.
    fn number_width(&self, running: &Running<'_>) -> usize {
        if self.total == Total::Only {
            return 1;
        }
        let columns = [self.lines, self.words, self.chars, self.bytes, self.longest];
        if self.files.len() == 1 && columns.iter().filter(|column| **column).count() == 1 {
            return 1;
        }
        let mut minimum = 1;
        let mut total: u64 = 0;
        for file in &self.files {
            match size(running, file.unwrap_or(b"-")) {
                Ok(Some(size)) => total = total.saturating_add(size),
                Ok(None) => minimum = 7,
                Err(()) => {}
            }
        }
        total.to_string().len().max(minimum)
    }

    fn print(
        &self,
        out: &mut Output<'_, '_>,
        counts: &Counts,
        width: usize,
        name: Option<&[u8]>,
    ) -> Result<(), Failure> {
        let columns = [
            (self.lines, counts.lines),
            (self.words, counts.words),
            (self.chars, counts.chars),
            (self.bytes, counts.bytes),
            (self.longest, counts.longest),
        ];
        let mut between = "";
        for (_, number) in columns.iter().filter(|(wanted, _)| *wanted) {
            out.text(format_args!("{between}{number:width$}"))?;
            between = " ";
        }
        if let Some(name) = name {
            out.byte(b' ')?;
            if name.contains(&b'\n') { out.push(&quote::if_needed(name))? } else { out.push(name)? }
        }
        out.byte(b'\n')
    }

    fn count(&self, running: &Running<'_>, input: &mut Input, counts: &mut Counts) -> Result<(), Failure> {
        let complicated = self.words || self.longest;
        let chars = self.chars && self.wide;
        if complicated || chars {
            let mut state = Words::default();
            if self.wide {
                loop {
                    let want = usize::from(state.incomplete) + 1;
                    let block = input.at_least(running, want)?;
                    // What is left cannot be completed.
                    if block.len() < want {
                        counts.bytes += block.len() as u64;
                        break;
                    }
                    let used = state.count_wide(block, counts);
                    counts.bytes += used as u64;
                    input.consume(used);
                }
            } else {
                loop {
                    let block = input.block(running)?;
                    if block.is_empty() {
                        break;
                    }
                    for &byte in block {
                        // No byte beyond ASCII is printable.
                        state.one(u32::from(byte).min(0x80), counts);
                    }
                    let used = block.len();
                    counts.bytes += used as u64;
                    input.consume(used);
                }
            }
            state.end(counts);
            if !self.wide {
                counts.chars = counts.bytes;
            }
            return Ok(());
        }
        if !self.lines
            && let Source::File(file, FileKind::Regular) = input.source()
            && let Some(size) = file.metadata().ok().map(|metadata| metadata.len()).filter(|size| *size > 0)
            && let Ok(at) = (&mut &*file).stream_position()
        {
            if size % PAGE != 0 {
                counts.bytes = size.saturating_sub(at);
                counts.chars = counts.bytes;
                return Ok(());
            }
            // Files of /sys say that they are a page long: the end is looked for.
            let near = size - size % (PAGE + 1);
            if near > at && (&mut &*file).seek(SeekFrom::Start(near)).is_ok() {
                counts.bytes = near - at;
            }
        }
        loop {
            let block = input.block(running)?;
            if block.is_empty() {
                break;
            }
            let used = block.len();
            if self.lines {
                counts.lines += memchr_iter(b'\n', block).count() as u64;
            }
            counts.bytes += used as u64;
            input.consume(used);
        }
        counts.chars = counts.bytes;
        Ok(())
    }
}

/// The place in the words and the line.
#[derive(Default)]
struct Words {
    in_word: bool,
    column: u64,
    /// Bytes of a character at the end of the block that is not complete.
    incomplete: u8,
}

impl Words {
    /// Counts whole characters, and says how many bytes they have.
    fn count_wide(&mut self, block: &[u8], counts: &mut Counts) -> usize {
        let mut at = 0;
        self.incomplete = 0;
        while let Some(&byte) = block.get(at) {
            if byte < 0x80 {
                self.one(byte.into(), counts);
                at += 1;
                counts.chars += 1;
                continue;
            }
            match decode(block.get(at..).unwrap_or_default()) {
                Decoded::Character(character, length) => {
                    self.one(character, counts);
                    at += length;
                    counts.chars += 1;
                }
                // A byte, but no character.
                Decoded::Invalid => at += 1,
                Decoded::Incomplete => {
                    self.incomplete = u8::try_from(block.len() - at).unwrap_or(0);
                    break;
                }
            }
        }
        at
    }

    #[inline]
    fn one(&mut self, character: u32, counts: &mut Counts) {
        match character {
            0x21..0x7f => {
                self.column += 1;
                self.in_word = true;
                return;
            }
            0x0a | 0x0c | 0x0d => {
                counts.lines += u64::from(character == 0x0a);
                counts.longest = counts.longest.max(self.column);
                self.column = 0;
            }
            0x09 => self.column += 8 - self.column % 8,
            0x20 => self.column += 1,
            0x0b => {}
            _ if character < 0x80 || !is_printable(character) => return,
            _ => {
                self.column += characters::width(character) as u64;
                if !is_space(character) {
                    self.in_word = true;
                    return;
                }
            }
        }
        counts.words += u64::from(self.in_word);
        self.in_word = false;
    }

    fn end(&self, counts: &mut Counts) {
        counts.longest = counts.longest.max(self.column);
        counts.words += u64::from(self.in_word);
    }
}

/// The size of a regular file; `None` of another one.
fn size(running: &Running<'_>, operand: &[u8]) -> Result<Option<u64>, ()> {
    use hookshell_utility::SpecialFile;
    let number = match running.special(operand) {
        _ if operand.is_empty() => return Err(()),
        _ if operand == b"-" => 0,
        Some(SpecialFile::Descriptor(number)) => number,
        Some(SpecialFile::Null | SpecialFile::Device(_) | SpecialFile::Host) => return Ok(None),
        None => {
            let metadata = std::fs::metadata(running.path(operand)).map_err(drop)?;
            return Ok(metadata.is_file().then_some(metadata.len()));
        }
    };
    let stream = running.descriptor(number).map_err(drop)?;
    let Some(file) = stream.file() else { return Ok(None) };
    // A pipe on Windows has no metadata.
    if FileKind::of(file) != FileKind::Regular {
        return Ok(None);
    }
    Ok(Some(file.metadata().map_err(drop)?.len()))
}
