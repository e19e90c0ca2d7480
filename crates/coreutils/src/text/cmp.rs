//! `cmp`: compare two files byte by byte.

use std::io::Seek;

use hookshell_process::FileKind;
use hookshell_utility::input::Input;
use hookshell_utility::io::{Failure, Running, Source};
use hookshell_utility::options::{OptionSpec, flag, parse, value};
use hookshell_utility::output::Output;
use hookshell_utility::utility;
use hookshell_utility::{Unsupported, UtilityCall};
use memchr::memchr_iter;

use super::characters;

utility! {
    /// `cmp [-bls] [-i SKIP[:SKIP]] [-n LIMIT] FILE [FILE [SKIP [SKIP]]]` (XCU `cmp`, GNU diffutils 3.8).
    Cmp, "cmp", usage: 2, write_error: Some(2)
}

const OPTIONS: &[OptionSpec] = &[
    flag(b'b', "print-bytes"),
    flag(b'l', "verbose"),
    flag(b's', "quiet"),
    flag(b's', "silent"),
    value(b'i', "ignore-initial"),
    value(b'n', "bytes"),
];

/// GNU's status when it cannot compare.
const TROUBLE: u8 = 2;

struct Command<'a> {
    print_bytes: bool,
    all: bool,
    silent: bool,
    limit: u64,
    files: [&'a [u8]; 2],
    skip: [u64; 2],
    /// GNU says `char` instead of `byte` in the locale C.
    unit: &'static str,
}

fn number(text: &[u8]) -> Result<u64, Unsupported> {
    let wrong = || Unsupported::mistake(format!("the number {}", text.escape_ascii()));
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (number, suffix) = text.split_at_checked(digits).ok_or_else(wrong)?;
    let factor: u64 = match suffix {
        b"" => 1,
        b"kB" => 1000,
        b"K" | b"k" => 1 << 10,
        b"MB" => 1_000_000,
        b"M" => 1 << 20,
        b"G" => 1 << 30,
        _ => return Err(wrong()),
    };
    let octal = number.len() > 1 && number.starts_with(b"0");
    let number: u64 = std::str::from_utf8(number).ok().and_then(|text| text.parse().ok()).ok_or_else(wrong)?;
    if octal { Err(wrong()) } else { number.checked_mul(factor).ok_or_else(wrong) }
}

fn read<'a>(call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    let parsed = parse(call.argv, OPTIONS)?;
    let mut skip = [0; 2];
    for (_, text) in parsed.options.iter().filter(|(letter, _)| *letter == b'i') {
        let mut parts = text.splitn(2, |byte| *byte == b':');
        let first = number(parts.next().unwrap_or_default())?;
        let second = parts.next().map_or(Ok(first), number)?;
        skip = [skip[0].max(first), skip[1].max(second)];
    }
    if parsed.has(b's') && (parsed.has(b'l') || parsed.has(b'b')) {
        return Err(Unsupported::mistake("-s with -l or -b"));
    }
    let (files, skips) = match parsed.operands[..] {
        [one] => ([one, b"-"], &[][..]),
        [one, two, ref skips @ ..] if skips.len() <= 2 => ([one, two], skips),
        _ => return Err(Unsupported::mistake("this number of operands")),
    };
    for (place, text) in skip.iter_mut().zip(skips) {
        *place = (*place).max(number(text)?);
    }
    Ok(Command {
        print_bytes: parsed.has(b'b'),
        all: parsed.has(b'l'),
        silent: parsed.has(b's'),
        limit: parsed.last(b'n').map_or(Ok(u64::MAX), number)?,
        files,
        skip,
        unit: if characters::are_bytes_in(call) { "char" } else { "byte" },
    })
}

fn run(running: &Running<'_>, command: Command<'_>) -> Result<u8, Failure> {
    match compare(running, &command) {
        Err(Failure::Write(error)) => {
            running.report_error(b"write failed", &error)?;
            Ok(TROUBLE)
        }
        status => status,
    }
}

fn compare(running: &Running<'_>, command: &Command<'_>) -> Result<u8, Failure> {
    let mut inputs = Vec::new();
    let mut widest = command.limit.min(i64::MAX.unsigned_abs());
    for (at, (file, skip)) in command.files.iter().zip(command.skip).enumerate() {
        if at == 1 && command.files[0] == *file && command.skip[0] == skip {
            return Ok(0);
        }
        match running.open(file)? {
            Ok(source) => {
                if let Some(size) = remaining(&source) {
                    widest = widest.min(size.saturating_sub(skip));
                }
                inputs.push(Input::new(source));
            }
            Err(error) => {
                if !command.silent {
                    running.report_error(file, &error)?;
                }
                return Ok(TROUBLE);
            }
        }
    }
    let [left, right] = &mut inputs[..] else { return Ok(TROUBLE) };
    left.skip(running, command.skip[0])?;
    right.skip(running, command.skip[1])?;
    let width = widest.to_string().len();
    let mut out = Output::new(running);
    let mut position: u64 = 0;
    let mut newlines: u64 = 0;
    let mut at_line_start = true;
    let mut differ = false;
    loop {
        let (a, b) = (left.block(running)?, right.block(running)?);
        let room = usize::try_from(command.limit - position).unwrap_or(usize::MAX);
        if room == 0 {
            break;
        }
        let count = a.len().min(b.len()).min(room);
        if count == 0 {
            let (a_ends, b_ends) = (a.is_empty(), b.is_empty());
            for (input, name) in [(&*left, command.files[0]), (&*right, command.files[1])] {
                if let Some(error) = &input.error {
                    out.report_error(name, error)?;
                    return Ok(TROUBLE);
                }
            }
            if a_ends && b_ends {
                break;
            }
            let name = if a_ends { command.files[0] } else { command.files[1] };
            if !command.silent {
                let place = place_of_end(command, position, newlines, at_line_start);
                out.message(&[b"EOF on ", name, place.as_bytes()].concat())?;
            }
            return Ok(1);
        }
        let (a, b) = (a.get(..count).unwrap_or_default(), b.get(..count).unwrap_or_default());
        if a != b {
            differ = true;
            if command.silent {
                return Ok(1);
            }
            for (at, (x, y)) in a.iter().zip(b).enumerate().filter(|(_, (x, y))| x != y) {
                let number = position + at as u64 + 1;
                if command.all {
                    if command.print_bytes {
                        out.text(format_args!("{number:width$} {x:3o} {:4} {y:3o} {}\n", shown(*x), shown(*y)))?;
                    } else {
                        out.text(format_args!("{number:width$} {x:3o} {y:3o}\n"))?;
                    }
                    continue;
                }
                let before = a.get(..at).unwrap_or_default();
                let line = newlines + memchr_iter(b'\n', before).count() as u64 + 1;
                differs(&mut out, command, number, line, [*x, *y])?;
                out.flush()?;
                return Ok(1);
            }
        }
        newlines += memchr_iter(b'\n', a).count() as u64;
        at_line_start = a.last() == Some(&b'\n');
        position += count as u64;
        left.consume(count);
        right.consume(count);
    }
    out.flush()?;
    Ok(u8::from(differ))
}

/// Where the shorter file ends.
fn place_of_end(command: &Command<'_>, position: u64, newlines: u64, at_line_start: bool) -> String {
    if position == 0 {
        " which is empty".to_owned()
    } else if command.all {
        format!(" after byte {position}")
    } else if at_line_start {
        format!(" after byte {position}, line {newlines}")
    } else {
        format!(" after byte {position}, in line {}", newlines + 1)
    }
}

/// The line about the first byte that differs.
fn differs(
    out: &mut Output<'_, '_>,
    command: &Command<'_>,
    number: u64,
    line: u64,
    [x, y]: [u8; 2],
) -> Result<(), Failure> {
    out.push(command.files[0])?;
    out.byte(b' ')?;
    out.push(command.files[1])?;
    let unit = if command.print_bytes { "byte" } else { command.unit };
    out.text(format_args!(" differ: {unit} {number}, line {line}"))?;
    if command.print_bytes {
        out.text(format_args!(" is {x:3o} {} {y:3o} {}", shown(x), shown(y)))?;
    }
    out.byte(b'\n')
}

/// What is left of a regular file.
fn remaining(source: &Source) -> Option<u64> {
    let rest = |file: &std::fs::File| {
        let size = file.metadata().ok().filter(std::fs::Metadata::is_file)?.len();
        let at = (&mut &*file).stream_position().ok()?;
        Some(size.saturating_sub(at))
    };
    match source {
        Source::File(file, FileKind::Regular) => rest(file),
        Source::File(..) => None,
        Source::Stream(stream) => stream.file().and_then(|file| rest(file)),
    }
}

/// A byte as `-b` shows it: `^A`, `M-x`.
fn shown(byte: u8) -> String {
    let mut text = String::new();
    if byte >= 0x80 {
        text.push_str("M-");
    }
    match byte & 0x7f {
        0x7f => text.push_str("^?"),
        low @ ..0x20 => {
            text.push('^');
            text.push(char::from(low + 64));
        }
        low => text.push(char::from(low)),
    }
    text
}
