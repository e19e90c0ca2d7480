//! `strings`: the texts in binary files.

use hookshell_utility::input::Input;
use hookshell_utility::io::{Failure, Running, reason};
use hookshell_utility::options::{OptionSpec, Parsed, flag, parse, value, with_digits};
use hookshell_utility::output::Output;
use hookshell_utility::utility;
use hookshell_utility::{Unsupported, UtilityCall};

utility! {
    /// `strings [-afow] [-n LENGTH | -LENGTH] [-t d|o|x] [-e s|S|b|l|B|L] [-s SEPARATOR] [FILE]…` (GNU binutils): whole files, as `-a`
    /// has them.
    Strings, "strings"
}

const OPTIONS: &[OptionSpec] = &with_digits::<18>(
    &[
        flag(b'a', "all"),
        flag(b'f', "print-file-name"),
        flag(b'w', "include-all-whitespace"),
        flag(b'o', ""),
        value(b'n', "bytes"),
        value(b't', "radix"),
        value(b'e', "encoding"),
        value(b's', "output-separator"),
    ],
    flag(b'0', ""),
);

/// How characters are stored.
#[derive(Clone, Copy)]
struct Encoding {
    /// The bytes of one.
    size: usize,
    is_big_endian: bool,
    /// `S`: bytes from 128 on are characters.
    has_eight_bits: bool,
}

/// The least length of a text.
enum Least<'a> {
    Of(usize),
    /// No number.
    Wrong(&'a [u8]),
}

struct Command<'a> {
    least: Least<'a>,
    radix: Option<u8>,
    encoding: Encoding,
    with_names: bool,
    all_blanks: bool,
    separator: &'a [u8],
    files: Vec<&'a [u8]>,
}

fn read<'a>(call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    let parsed = parse(call.argv, OPTIONS)?;
    let radix = match parsed.options.iter().rev().find(|(letter, _)| matches!(letter, b'o' | b't')) {
        None => None,
        Some((b'o', _)) => Some(b'o'),
        Some((_, [radix @ (b'o' | b'd' | b'x')])) => Some(*radix),
        Some((_, other)) => return Err(Unsupported::mistake(format!("the radix {}", other.escape_ascii()))),
    };
    let (size, is_big_endian, has_eight_bits) = match parsed.last(b'e') {
        None | Some(b"s") => (1, true, false),
        Some(b"S") => (1, true, true),
        Some(b"b") => (2, true, false),
        Some(b"l") => (2, false, false),
        Some(b"B") => (4, true, false),
        Some(b"L") => (4, false, false),
        Some(other) => return Err(Unsupported::mistake(format!("the encoding {}", other.escape_ascii()))),
    };
    if let Some(operand) = parsed.operands.iter().find(|operand| **operand == b"-" || operand.first() == Some(&b'@')) {
        return Err(Unsupported::mistake(format!("the operand {}", operand.escape_ascii())));
    }
    Ok(Command {
        least: least(call, &parsed)?,
        radix,
        encoding: Encoding { size, is_big_endian, has_eight_bits },
        with_names: parsed.has(b'f'),
        all_blanks: parsed.has(b'w'),
        separator: parsed.last(b's').unwrap_or(b"\n"),
        files: parsed.operands,
    })
}

/// How long a text is at least: `-LENGTH`, or `-n`, or 4.
fn least<'a>(call: &UtilityCall<'a>, parsed: &Parsed<'a>) -> Result<Least<'a>, Unsupported> {
    let digits = parsed.options.iter().filter(|(letter, _)| letter.is_ascii_digit()).count();
    let is_old =
        |word: &&[u8]| word.len() > 1 && word.first() == Some(&b'-') && word.iter().skip(1).all(u8::is_ascii_digit);
    let old: Vec<&[u8]> = call.argv.iter_from(1).filter(is_old).collect();
    let text = match (old[..].first(), parsed.last(b'n')) {
        (None, None) if digits == 0 => return Ok(Least::Of(4)),
        (Some(word), _) if old.len() == 1 && word.len() == digits + 1 => word.get(1..).unwrap_or_default(),
        (_, Some(text)) if digits == 0 => text,
        _ => return Err(Unsupported::new("several lengths")),
    };
    match std::str::from_utf8(text).ok().filter(|text| text.bytes().all(|byte| byte.is_ascii_digit())) {
        Some(number) if number.len() > 1 && number.starts_with('0') => Err(Unsupported::new("an octal length")),
        Some(number) => number.parse().map(Least::Of).map_err(|_| Unsupported::mistake("this length")),
        None if text.starts_with(b"0x") => Err(Unsupported::new("a hexadecimal length")),
        None => Ok(Least::Wrong(text)),
    }
}

fn run(running: &Running<'_>, command: Command<'_>) -> Result<u8, Failure> {
    let least = match command.least {
        Least::Of(least) if least > 0 => least,
        Least::Of(_) => {
            running.message(b"invalid minimum string length 0")?;
            return Ok(1);
        }
        Least::Wrong(text) => {
            running.message(&[b"invalid integer argument ", text].concat())?;
            return Ok(1);
        }
    };
    let mut out = Output::new(running);
    let mut status = 0;
    if command.files.is_empty() {
        if let Ok(source) = running.open(b"-")? {
            print(&command, least, b"{standard input}", Input::new(source), &mut out)?;
        }
        out.flush()?;
        return Ok(0);
    }
    for file in &command.files {
        if running.path(file).is_dir() {
            out.message(&[&b"Warning: '"[..], file, b"' is a directory"].concat())?;
            status = 1;
            continue;
        }
        match running.open_file(file)? {
            Ok(source) => print(&command, least, file, Input::new(source), &mut out)?,
            Err(error) => {
                status = 1;
                match error.kind() {
                    std::io::ErrorKind::NotFound => out.message(&[&b"'"[..], file, b"': No such file"].concat())?,
                    _ => out.message(&[&file[..], b": ", reason(&error).as_bytes()].concat())?,
                }
            }
        }
    }
    out.flush()?;
    Ok(status)
}

impl Command<'_> {
    /// The byte that a character is written as; `None`: it is in no text.
    fn graphic(&self, bytes: &[u8]) -> Option<u8> {
        let (byte, rest) = match self.encoding.is_big_endian {
            true => bytes.split_last()?,
            false => bytes.split_first()?,
        };
        let is_one = match *byte {
            b'\t' | b' '..=b'~' => true,
            b'\n' | b'\r' | 0x0b | 0x0c => self.all_blanks,
            128.. => self.encoding.has_eight_bits,
            _ => false,
        };
        (is_one && rest.iter().all(|byte| *byte == 0)).then_some(*byte)
    }
}

/// Writes the texts of a file. What may begin one is held until it is long enough.
fn print(
    command: &Command<'_>,
    least: usize,
    name: &[u8],
    mut input: Input,
    out: &mut Output<'_, '_>,
) -> Result<(), Failure> {
    let running = out.running();
    let size = command.encoding.size;
    let mut kept = running.keep();
    let mut text: Vec<u8> = Vec::new();
    // Of the text, and of what comes next.
    let (mut start, mut at) = (0_u64, 0_u64);
    let mut is_printed = false;
    loop {
        let block = input.at_least(running, size)?;
        if block.len() < size {
            break;
        }
        let mut used = 0;
        while let Some(bytes) = block.get(used..used + size) {
            match command.graphic(bytes) {
                Some(byte) => {
                    used += size;
                    at += size as u64;
                    if is_printed {
                        out.byte(byte)?;
                        continue;
                    }
                    text.push(byte);
                    if text.len() >= least {
                        begin(command, name, start, out)?;
                        out.push(&text)?;
                        text.clear();
                        is_printed = true;
                    }
                }
                None => {
                    // The next byte may begin a character.
                    used += 1;
                    at += 1;
                    text.clear();
                    start = at;
                    if std::mem::take(&mut is_printed) {
                        out.push(command.separator)?;
                    }
                }
            }
        }
        input.consume(used);
        kept.set(text.len())?;
    }
    if is_printed {
        out.push(command.separator)?;
    }
    Ok(())
}

/// What stands before a text.
fn begin(command: &Command<'_>, name: &[u8], start: u64, out: &mut Output<'_, '_>) -> Result<(), Failure> {
    if command.with_names {
        out.push(name)?;
        out.push(b": ")?;
    }
    match command.radix {
        Some(b'o') => out.text(format_args!("{start:7o} ")),
        Some(b'd') => out.text(format_args!("{start:7} ")),
        Some(_) => out.text(format_args!("{start:7x} ")),
        None => Ok(()),
    }
}
