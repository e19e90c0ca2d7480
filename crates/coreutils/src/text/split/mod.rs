//! `split`: cut a file into pieces.

mod chunks;
mod pieces;

use hookshell_utility::input::Input;
use hookshell_utility::io::{Failure, Running, Source};
use hookshell_utility::options::{LONG_ONLY, OptionSpec, flag, optional_or_empty, parse, value};
use hookshell_utility::quote;
use hookshell_utility::utility;
use hookshell_utility::{Unsupported, UtilityCall};

use self::chunks::{Chunks, parse_chunks};
use self::pieces::{Names, Pieces, Reported, id_of};
use crate::size::parse_size;

utility! {
    /// `split [-l LINES | -b SIZE | -C SIZE | -n CHUNKS | -LINES] [-deux] [-a N] [-t SEPARATOR] [--filter=COMMAND] [FILE [PREFIX]]`
    /// (XCU `split`, GNU's additions).
    Split, "split"
}

const NUMERIC: u8 = LONG_ONLY;
const HEXADECIMAL: u8 = LONG_ONLY + 1;
const ADDITIONAL: u8 = LONG_ONLY + 2;
const VERBOSE: u8 = LONG_ONLY + 3;
const FILTER: u8 = LONG_ONLY + 4;
const OPTIONS: &[OptionSpec] = &[
    value(b'n', "number"),
    value(FILTER, "filter"),
    // What is written is written at once.
    flag(b'u', "unbuffered"),
    value(b'l', "lines"),
    value(b'b', "bytes"),
    value(b'C', "line-bytes"),
    value(b'a', "suffix-length"),
    value(b't', "separator"),
    flag(b'd', ""),
    flag(b'x', ""),
    optional_or_empty(NUMERIC, "numeric-suffixes"),
    optional_or_empty(HEXADECIMAL, "hex-suffixes"),
    value(ADDITIONAL, "additional-suffix"),
    flag(b'e', "elide-empty-files"),
    flag(VERBOSE, "verbose"),
];

#[derive(Debug, Clone, Copy)]
enum Unit {
    Lines,
    Bytes,
    /// Whole lines as far as they fit.
    LineBytes,
    /// A number of pieces.
    Chunks(Chunks),
}

struct Command<'a> {
    unit: Unit,
    size: u64,
    alphabet: &'static [u8],
    /// The digits of the first suffix.
    first: Vec<usize>,
    /// Suffixes get longer when they run out.
    grows: bool,
    additional: &'a [u8],
    separator: u8,
    is_verbose: bool,
    /// Pieces that would be empty are left out.
    elides: bool,
    /// What the pieces are written to in place of files.
    filter: Option<&'a [u8]>,
    file: &'a [u8],
    prefix: &'a [u8],
}

fn read<'a>(call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    let refused = |text: &[u8]| Unsupported::mistake(format!("the value {}", text.escape_ascii()));
    // The old form: `-5`.
    let old = call
        .argv
        .get(1)
        .and_then(|word| word.strip_prefix(b"-"))
        .filter(|digits| !digits.is_empty() && digits.iter().all(u8::is_ascii_digit));
    let parsed = match old {
        Some(_) => hookshell_utility::options::parse_from(call.argv, 2, OPTIONS)?,
        None => parse(call.argv, OPTIONS)?,
    };
    if parsed.operands.len() > 2 {
        return Err(Unsupported::mistake("several files"));
    }
    let positive =
        |text: &'a [u8], units: &[u8]| parse_size(text, units).filter(|n| *n > 0).ok_or_else(|| refused(text));
    let (mut unit, mut size) = (Unit::Lines, 1000);
    let mut cuts = 0;
    if let Some(digits) = old {
        size = positive(digits, b"")?;
        cuts = 1;
    }
    let (mut alphabet, mut start): (&[u8], &[u8]) = (b"abcdefghijklmnopqrstuvwxyz", b"");
    let (mut length, mut separator) = (0, b'\n');
    for (option, value) in &parsed.options {
        match *option {
            b'l' | b'b' | b'C' => {
                let units: &[u8] = if *option == b'l' { b"" } else { b"b" };
                if *option == b'l' && !value.iter().all(u8::is_ascii_digit) {
                    return Err(refused(value));
                }
                size = positive(value, units)?;
                unit = match option {
                    b'l' => Unit::Lines,
                    b'b' => Unit::Bytes,
                    _ => Unit::LineBytes,
                };
                cuts += 1;
            }
            b'n' => {
                unit = Unit::Chunks(parse_chunks(value).ok_or_else(|| refused(value))?);
                cuts += 1;
            }
            b'a' => {
                length = usize::try_from(parse_size(value, b"").ok_or_else(|| refused(value))?)
                    .ok()
                    .filter(|length| *length < 200)
                    .ok_or_else(|| refused(value))?;
            }
            b't' => {
                separator = match *value {
                    [byte] => *byte,
                    b"\\0" => 0,
                    _ => return Err(refused(value)),
                };
            }
            b'd' | NUMERIC | b'x' | HEXADECIMAL => {
                alphabet = if matches!(*option, b'd' | NUMERIC) { b"0123456789" } else { b"0123456789abcdef" };
                start = if value.is_empty() { start } else { value };
            }
            ADDITIONAL if value.contains(&b'/') => return Err(refused(value)),
            _ => {}
        }
    }
    if cuts > 1 {
        return Err(Unsupported::mistake("several ways to split"));
    }
    // GNU's 9.1 counts on from letters in another way.
    if !start.iter().all(u8::is_ascii_digit) {
        return Err(refused(start));
    }
    let digit = |byte: &u8| alphabet.iter().position(|known| known == byte);
    let start: Vec<usize> = start.iter().map(digit).collect::<Option<_>>().ok_or_else(|| refused(start))?;
    let mut grows = length == 0 && start.is_empty();
    let mut needed = 0;
    if let Unit::Chunks(chunks) = unit {
        grows = false;
        let base = alphabet.len() as u64;
        let first = start.iter().try_fold(0_u64, |number, digit| number.checked_mul(base)?.checked_add(*digit as u64));
        let mut last = first.and_then(|first| first.checked_add(chunks.count - 1)).unwrap_or(u64::MAX);
        while needed == 0 || last > 0 {
            needed += 1;
            last /= base;
        }
        if length > 0 && length < needed {
            return Err(Unsupported::mistake("so short suffixes"));
        }
    }
    let length = if length == 0 { needed.max(2) } else { length };
    let filter = parsed.last(FILTER);
    if filter.is_some() && (matches!(unit, Unit::Chunks(Chunks { only: Some(_), .. })) || parsed.has(VERBOSE)) {
        return Err(Unsupported::new("--filter with one piece alone or --verbose"));
    }
    let zeros = length.checked_sub(start.len()).ok_or_else(|| Unsupported::mistake("so long a first suffix"))?;
    Ok(Command {
        unit,
        size,
        alphabet,
        first: [vec![0; zeros], start].concat(),
        grows,
        additional: parsed.last(ADDITIONAL).unwrap_or_default(),
        separator,
        is_verbose: parsed.has(VERBOSE),
        elides: parsed.has(b'e'),
        filter,
        file: parsed.operands.first().copied().unwrap_or(b"-"),
        prefix: parsed.operands.get(1).copied().unwrap_or(b"x"),
    })
}

/// Which file it is, standard input too.
fn file_id(source: &Source) -> Option<(u64, u64)> {
    match source {
        Source::Stream(stream) => stream.file().and_then(|file| id_of(file.metadata())),
        Source::File(file, _) => id_of(file.metadata()),
    }
}

fn run(running: &Running<'_>, command: Command<'_>) -> Result<u8, Failure> {
    let source = match running.open(command.file)? {
        Ok(source) => source,
        Err(error) => {
            let what = [&b"cannot open "[..], &quote::always(command.file), b" for reading"].concat();
            running.report_error(&what, &error)?;
            return Ok(1);
        }
    };
    let id = file_id(&source);
    let mut input = Input::new(source);
    let names = Names { command: &command, base: command.prefix.to_vec(), digits: Some(command.first.clone()) };
    let mut pieces = Pieces { running, names, out: None, input: id };
    let done = match command.unit {
        Unit::Lines => lines(running, &mut input, &mut pieces, command.size, command.separator)?,
        Unit::Bytes => bytes(running, &mut input, &mut pieces, command.size)?,
        Unit::LineBytes => line_bytes(running, &mut input, &mut pieces, command.size, command.separator)?,
        Unit::Chunks(chunks) => chunks.split(running, &mut input, &mut pieces)?,
    };
    let finished = pieces.finish()?;
    if let Some(error) = &input.error {
        running.report_error(&quote::if_needed(command.file), error)?;
        return Ok(1);
    }
    Ok(match (done, finished) {
        (Err(Reported(status)), _) | (_, Err(Reported(status))) => status,
        _ => 0,
    })
}

fn lines(
    running: &Running<'_>,
    input: &mut Input,
    pieces: &mut Pieces<'_, '_, '_>,
    size: u64,
    separator: u8,
) -> Result<Result<(), Reported>, Failure> {
    let mut left = 0;
    // The last block ended within a line.
    let mut is_open = false;
    loop {
        let block = input.block(running)?;
        if block.is_empty() {
            return Ok(Ok(()));
        }
        let mut rest = block;
        while !rest.is_empty() {
            let begins = left == 0 && !is_open;
            if begins {
                left = size;
            }
            // As many lines as still belong to this piece.
            let mut end = rest.len();
            is_open = true;
            for at in memchr::memchr_iter(separator, rest) {
                left -= 1;
                is_open = at + 1 < rest.len();
                if left == 0 {
                    end = at + 1;
                    is_open = false;
                    break;
                }
            }
            let (now, later) = rest.split_at_checked(end).unwrap_or((rest, b""));
            if let Err(told) = pieces.write(now, begins)? {
                return Ok(Err(told));
            }
            rest = later;
        }
        // Between two pieces nothing is open.
        is_open = left > 0;
        let used = block.len();
        input.consume(used);
    }
}

fn bytes(
    running: &Running<'_>,
    input: &mut Input,
    pieces: &mut Pieces<'_, '_, '_>,
    size: u64,
) -> Result<Result<(), Reported>, Failure> {
    let mut left = 0;
    loop {
        let block = input.block(running)?;
        if block.is_empty() {
            return Ok(Ok(()));
        }
        let begins = left == 0;
        if begins {
            left = size;
        }
        let count = usize::try_from(left).unwrap_or(usize::MAX).min(block.len());
        if let Err(told) = pieces.write(block.get(..count).unwrap_or_default(), begins)? {
            return Ok(Err(told));
        }
        left -= count as u64;
        input.consume(count);
    }
}

fn line_bytes(
    running: &Running<'_>,
    input: &mut Input,
    pieces: &mut Pieces<'_, '_, '_>,
    size: u64,
    separator: u8,
) -> Result<Result<(), Reported>, Failure> {
    let size = usize::try_from(size).unwrap_or(usize::MAX);
    loop {
        // A piece ends after the last line that fits into it; a longer line is cut.
        let block = input.at_least(running, size)?;
        if block.is_empty() {
            return Ok(Ok(()));
        }
        let window = block.get(..size).unwrap_or(block);
        let is_rest = block.len() <= size && block.len() < size;
        let count = match memchr::memrchr(separator, window) {
            _ if is_rest => block.len(),
            Some(at) => at + 1,
            None => window.len(),
        };
        if let Err(told) = pieces.write(block.get(..count).unwrap_or_default(), true)? {
            return Ok(Err(told));
        }
        input.consume(count);
    }
}
