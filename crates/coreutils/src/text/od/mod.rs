//! `od`: dump files in octal and other formats.

mod float;
mod format;

use hookshell_utility::input::Input;
use hookshell_utility::io::{Failure, Running};
use hookshell_utility::options::{LONG_ONLY, OptionSpec, Parsed, flag, optional, parse, value};
use hookshell_utility::output::Output;
use hookshell_utility::quote;
use hookshell_utility::utility;
use hookshell_utility::{Unsupported, UtilityCall};

use self::format::{Format, Kind, formats};

utility! {
    /// `od [-abcdiloshxv] [-A d|o|x|n] [-j N] [-N N] [-S N] [-t TYPE] [-w[N]] [--endian=ORDER] [FILE]…` (XCU `od`) without
    /// the machine's long double.
    Od, "od"
}

const ENDIAN: u8 = LONG_ONLY;
const STRINGS: u8 = LONG_ONLY + 1;
const TRADITIONAL: u8 = LONG_ONLY + 2;
const OPTIONS: &[OptionSpec] = &[
    value(ENDIAN, "endian"),
    flag(TRADITIONAL, "traditional"),
    value(b'S', ""),
    // The letter's value may not be left out.
    optional(STRINGS, "strings"),
    value(b'A', "address-radix"),
    value(b'j', "skip-bytes"),
    value(b'N', "read-bytes"),
    value(b't', "format"),
    flag(b'v', "output-duplicates"),
    optional(b'w', "width"),
    flag(b'a', ""),
    flag(b'b', ""),
    flag(b'c', ""),
    flag(b'd', ""),
    flag(b'e', ""),
    flag(b'f', ""),
    flag(b'F', ""),
    flag(b'D', ""),
    flag(b'h', ""),
    flag(b'H', ""),
    flag(b'i', ""),
    flag(b'I', ""),
    flag(b'l', ""),
    flag(b'L', ""),
    flag(b'o', ""),
    flag(b'O', ""),
    flag(b's', ""),
    flag(b'x', ""),
    flag(b'X', ""),
];

/// How addresses are printed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Address {
    Octal,
    Decimal,
    Hexadecimal,
    None,
}

struct Command<'a> {
    address: Address,
    skip: u64,
    limit: Option<u64>,
    formats: Vec<Format>,
    duplicates: bool,
    /// The bytes of a line.
    line: usize,
    /// What was asked for, where it does not fit the fields.
    wrong_width: Option<usize>,
    /// Fields of several bytes begin with the highest one.
    big_endian: bool,
    /// Only strings of so many characters that end at a NUL byte.
    strings: Option<usize>,
    files: Vec<&'a [u8]>,
}

fn number(text: &[u8]) -> Result<u64, Unsupported> {
    let wrong = || Unsupported::mistake(format!("the number {}", text.escape_ascii()));
    let (radix, digits) = match text {
        [b'0', b'x' | b'X', rest @ ..] => (16, rest),
        [b'0', rest @ ..] if !rest.is_empty() => (8, rest),
        _ => (10, text),
    };
    let end = digits.iter().take_while(|byte| char::from(**byte).is_digit(radix)).count();
    let (digits, suffix) = digits.split_at_checked(end).ok_or_else(wrong)?;
    let factor = match suffix {
        b"" => 1,
        b"b" if radix != 16 => 512,
        b"k" | b"K" | b"KiB" => 1 << 10,
        b"kB" | b"KB" => 1000,
        b"m" | b"M" | b"MiB" => 1 << 20,
        b"MB" => 1_000_000,
        b"G" | b"GiB" => 1 << 30,
        _ => return Err(wrong()),
    };
    let digits = std::str::from_utf8(digits).map_err(|_| wrong())?;
    u64::from_str_radix(digits, radix)
        .ok()
        .and_then(|number| number.checked_mul(factor))
        .filter(|number| *number < 1 << 60)
        .ok_or_else(wrong)
}

fn read<'a>(call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    let parsed = parse(call.argv, OPTIONS)?;
    let is_traditional = parsed.has(TRADITIONAL);
    let old = is_old_form(&parsed);
    let (operands, offset) = match (old, &parsed.operands[..]) {
        (true, [offset]) => (Vec::new(), Some(old_offset(offset)?)),
        (true, [file, offset]) => (vec![*file], Some(old_offset(offset)?)),
        (_, [_, more @ ..]) if is_traditional && !more.is_empty() => {
            return Err(Unsupported::mistake(format!(
                "the operand {}",
                more.first().copied().unwrap_or_default().escape_ascii()
            )));
        }
        _ => (parsed.operands.clone(), None),
    };
    let mut list = Vec::new();
    for (letter, text) in &parsed.options {
        let (kind, size) = match letter {
            b't' => {
                formats(text, &mut list)?;
                continue;
            }
            b'a' => (Kind::Named, 1),
            b'b' => (Kind::Octal, 1),
            b'c' => (Kind::Character, 1),
            b'd' => (Kind::Unsigned, 2),
            b'D' => (Kind::Unsigned, 4),
            b'e' | b'F' => (Kind::Float, 8),
            b'f' => (Kind::Float, 4),
            b'h' | b'x' => (Kind::Hexadecimal, 2),
            b'H' | b'X' => (Kind::Hexadecimal, 4),
            b'i' => (Kind::Signed, 4),
            b'I' | b'l' | b'L' => (Kind::Signed, 8),
            b'o' => (Kind::Octal, 2),
            b'O' => (Kind::Octal, 4),
            b's' => (Kind::Signed, 2),
            _ => continue,
        };
        list.push(Format::new(kind, size));
    }
    let has_formats = !list.is_empty();
    if !has_formats {
        list.push(Format::new(Kind::Octal, 2));
    }
    // All sizes are powers of two, so that the greatest is a multiple of all.
    let unit = list.iter().map(|format| format.size).max().unwrap_or(1);
    let mut wrong_width = None;
    let line = match parsed.last(b'w') {
        None => 16,
        Some(b"") => 32,
        Some(text) => {
            let wrong = || Unsupported::mistake(format!("the width {}", text.escape_ascii()));
            let width = usize::try_from(number(text)?).ok().filter(|line| *line < 1 << 16).ok_or_else(wrong)?;
            if width > 0 && width % unit == 0 {
                width
            } else {
                wrong_width = Some(width);
                unit
            }
        }
    };
    let columns = list.iter().map(|format| (format.width + 1) * (line / format.size)).max().unwrap_or(0);
    for format in &mut list {
        format.padding = columns - format.width * (line / format.size);
    }
    let strings = match parsed.options.iter().rev().find(|(letter, _)| matches!(*letter, b'S' | STRINGS)) {
        None => None,
        Some((_, b"")) => Some(3),
        Some((_, text)) => Some(
            usize::try_from(number(text)?)
                .ok()
                .filter(|least| *least < 1 << 30)
                .ok_or_else(|| Unsupported::new(format!("strings of {} characters", text.escape_ascii())))?,
        ),
    };
    if strings.is_some() && has_formats {
        return Err(Unsupported::mistake("strings and a type"));
    }
    Ok(Command {
        big_endian: match parsed.last(ENDIAN) {
            None => cfg!(target_endian = "big"),
            Some(b"big") => true,
            Some(b"little") => false,
            Some(text) => return Err(Unsupported::mistake(format!("the order {}", text.escape_ascii()))),
        },
        strings,
        address: match parsed.last(b'A') {
            None | Some(b"o") => Address::Octal,
            Some(b"d") => Address::Decimal,
            Some(b"x") => Address::Hexadecimal,
            Some(b"n") => Address::None,
            Some(text) => return Err(Unsupported::mistake(format!("the radix {}", text.escape_ascii()))),
        },
        skip: offset.map_or_else(|| parsed.last(b'j').map_or(Ok(0), number), Ok)?,
        limit: parsed.last(b'N').map(number).transpose()?,
        formats: list,
        wrong_width,
        duplicates: parsed.has(b'v'),
        line,
        files: if operands.is_empty() { vec![b"-"] } else { operands },
    })
}

/// Without a modern option `od file +10` and `od file 10` begin there.
fn is_old_form(parsed: &Parsed<'_>) -> bool {
    let is_traditional = parsed.has(TRADITIONAL);
    let is_modern = |letter: u8| b"AjNtvwS".contains(&letter) || letter >= LONG_ONLY && letter != TRADITIONAL;
    if !is_traditional && parsed.options.iter().any(|(letter, _)| is_modern(*letter)) {
        return false;
    }
    match parsed.operands[..] {
        [one] => (is_traditional || one.starts_with(b"+")) && old_offset(one).is_ok(),
        [_, two] => matches!(two.first(), Some(b'+' | b'0'..=b'9')) && old_offset(two).is_ok(),
        _ => false,
    }
}

/// `+10`, `0x10`, `10b` (blocks of 512): otherwise in octal.
fn old_offset(text: &[u8]) -> Result<u64, Unsupported> {
    let wrong = || Unsupported::mistake(format!("the offset {}", text.escape_ascii()));
    let digits = text.strip_prefix(b"+").unwrap_or(text);
    let (digits, factor) = match digits.split_last() {
        Some((b'b', digits)) => (digits, 512),
        Some((b'B', digits)) => (digits, 1024),
        _ => (digits, 1),
    };
    let (digits, radix) = match digits {
        [b'0', b'x' | b'X', digits @ ..] => (digits, 16),
        _ => (digits, 8),
    };
    let digits = std::str::from_utf8(digits).map_err(|_| wrong())?;
    let number = u64::from_str_radix(digits, radix).ok().filter(|_| !digits.starts_with('+'));
    number.and_then(|number| number.checked_mul(factor)).filter(|number| *number < 1 << 60).ok_or_else(wrong)
}

/// The files one after the other.
struct Files<'a> {
    names: std::vec::IntoIter<&'a [u8]>,
    /// How much is read of all of them; `-N` leaves the rest to the next reader.
    allowed: u64,
    current: Option<(Input, &'a [u8])>,
    status: u8,
    any: bool,
}

impl Files<'_> {
    /// What is at hand; nothing at the end of all files.
    fn block(&mut self, out: &mut Output<'_, '_>) -> Result<Option<&mut Input>, Failure> {
        let running = out.running();
        loop {
            if let Some((input, name)) = &mut self.current {
                if !input.block(running)?.is_empty() {
                    break;
                }
                if let Some(error) = input.error.take() {
                    out.report_error(&quote::if_needed(name), &error)?;
                    self.status = 1;
                }
            }
            let Some(name) = self.names.next() else { return Ok(None) };
            if let Some((input, _)) = &self.current {
                self.allowed = input.allowed();
            }
            match running.open(name)? {
                Ok(source) => {
                    self.any = true;
                    self.current = Some((Input::new(source).at_most(self.allowed), name));
                }
                Err(error) => {
                    out.report_error(&quote::if_needed(name), &error)?;
                    self.status = 1;
                }
            }
        }
        Ok(self.current.as_mut().map(|(input, _)| input))
    }
}

fn run(running: &Running<'_>, command: Command<'_>) -> Result<u8, Failure> {
    if let Some(width) = command.wrong_width {
        running.message(format!("warning: invalid width {width}; using {} instead", command.line).as_bytes())?;
    }
    let mut out = Output::new(running);
    let allowed = command.limit.map_or(u64::MAX, |limit| limit.saturating_add(command.skip));
    let mut files = Files { names: command.files.clone().into_iter(), allowed, current: None, status: 0, any: false };
    let mut skip = command.skip;
    while skip > 0 {
        let Some(input) = files.block(&mut out)? else {
            if !files.any {
                return Ok(files.status);
            }
            out.message(b"cannot skip past end of combined input")?;
            return Ok(1);
        };
        let count = (input.block(running)?.len() as u64).min(skip);
        input.consume(usize::try_from(count).unwrap_or(usize::MAX));
        skip -= count;
    }
    // The files are opened even where nothing is read of them.
    files.block(&mut out)?;
    if let Some(least) = command.strings {
        strings(&command, least, &mut files, &mut out)?;
        out.flush()?;
        return Ok(files.status);
    }
    let mut address = command.skip;
    let mut left = command.limit.unwrap_or(u64::MAX);
    let mut previous: Option<Vec<u8>> = None;
    let mut starred = false;
    loop {
        let mut line = Vec::with_capacity(command.line);
        while line.len() < command.line && left > 0 {
            let Some(input) = files.block(&mut out)? else { break };
            let block = input.block(running)?;
            let room = usize::try_from(left).unwrap_or(usize::MAX).min(command.line - line.len()).min(block.len());
            line.extend_from_slice(block.get(..room).unwrap_or_default());
            input.consume(room);
            left -= room as u64;
        }
        if line.is_empty() {
            break;
        }
        let whole = line.len() == command.line;
        if whole && !command.duplicates && previous.as_ref() == Some(&line) {
            if !starred {
                out.push(b"*\n")?;
            }
            starred = true;
        } else {
            starred = false;
            command.print(address, &line, &mut out)?;
        }
        address += line.len() as u64;
        if !whole {
            break;
        }
        previous = Some(line);
    }
    if files.any {
        command.print_address(address, &mut out)?;
        if command.address != Address::None {
            out.byte(b'\n')?;
        }
    }
    out.flush()?;
    Ok(files.status)
}

/// Prints the strings, each with its address. What `-N` cuts off counts as ended, as GNU's does.
fn strings(
    command: &Command<'_>,
    least: usize,
    files: &mut Files<'_>,
    out: &mut Output<'_, '_>,
) -> Result<(), Failure> {
    let running = out.running();
    let mut kept = running.keep();
    let end = command.limit.map(|limit| command.skip.saturating_add(limit));
    let mut address = command.skip;
    let mut text: Vec<u8> = Vec::new();
    loop {
        if text.is_empty() && end.is_some_and(|end| end < least as u64 || end - least as u64 <= address) {
            return Ok(());
        }
        let is_cut = end == Some(address) && text.len() >= least;
        let mut byte = 0;
        if !is_cut {
            let Some(input) = files.block(out)? else { return Ok(()) };
            byte = input.block(running)?.first().copied().unwrap_or(0);
            input.consume(1);
            address += 1;
        }
        match byte {
            0 if is_cut || text.len() >= least => {
                // Of a string that `-N` cuts off GNU's counts one too many: `od -N2 -S1` shows a number below 0.
                command.print_address(address.wrapping_sub(text.len() as u64).wrapping_sub(1), out)?;
                if command.address != Address::None {
                    out.byte(b' ')?;
                }
                out.push(&text)?;
                out.byte(b'\n')?;
                text.clear();
                if is_cut {
                    return Ok(());
                }
            }
            b' '..=b'~' => {
                text.push(byte);
                if text.len().is_power_of_two() && text.len() > 4096 {
                    kept.set(2 * text.len())?;
                }
            }
            _ => text.clear(),
        }
    }
}

impl Command<'_> {
    fn print_address(&self, address: u64, out: &mut Output<'_, '_>) -> Result<(), Failure> {
        match self.address {
            Address::Octal => out.text(format_args!("{address:07o}")),
            Address::Decimal => out.text(format_args!("{address:07}")),
            Address::Hexadecimal => out.text(format_args!("{address:06x}")),
            Address::None => Ok(()),
        }
    }

    fn print(&self, address: u64, line: &[u8], out: &mut Output<'_, '_>) -> Result<(), Failure> {
        for (at, format) in self.formats.iter().enumerate() {
            if at == 0 {
                self.print_address(address, out)?;
            } else {
                let width = match self.address {
                    Address::Octal | Address::Decimal => 7,
                    Address::Hexadecimal => 6,
                    Address::None => 0,
                };
                out.fill(b' ', width)?;
            }
            let fields = self.line / format.size;
            let mut left = format.padding;
            for (number, bytes) in line.chunks(format.size).enumerate() {
                let next = format.padding * (fields - number - 1) / fields;
                let width = left - next + format.width;
                left = next;
                format.print(bytes, self.big_endian, width, out)?;
            }
            if format.trailer {
                let missing = (self.line - line.len()) / format.size;
                out.fill(b' ', missing * format.width + format.padding * missing / fields)?;
                out.push(b"  >")?;
                for byte in line {
                    out.byte(if matches!(byte, b' '..=b'~') { *byte } else { b'.' })?;
                }
                out.byte(b'<')?;
            }
            out.byte(b'\n')?;
        }
        Ok(())
    }
}
