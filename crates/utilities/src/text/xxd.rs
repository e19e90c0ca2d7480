//! `xxd`: dump bytes in hexadecimal, and plain dumps back.

use hookshell_shell::{Unsupported, UtilityCall};

use super::input::Input;
use super::output::Output;
use crate::io::{Failure, Running};

utility! {
    /// `xxd [-p | -i] [-bdu] [-c N] [-g N] [-l N] [-o N] [-s N] [FILE]`, `xxd -r -p [FILE]` (vim's xxd of 2022).
    Xxd, "xxd"
}

struct Command<'a> {
    plain: bool,
    /// As C source.
    include: bool,
    reverse: bool,
    upper: bool,
    bits: bool,
    columns: usize,
    group: usize,
    length: u64,
    skip: u64,
    /// Added to the addresses that are shown.
    offset: u64,
    decimal: bool,
    file: &'a [u8],
}

fn number(text: &[u8]) -> Result<u64, Unsupported> {
    let wrong = || Unsupported::new(format!("the number {}", text.escape_ascii()));
    let (radix, digits) = match text {
        [b'0', b'x', rest @ ..] => (16, rest),
        [b'0', rest @ ..] if !rest.is_empty() => (8, rest),
        _ => (10, text),
    };
    if digits.starts_with(b"+") {
        return Err(wrong());
    }
    std::str::from_utf8(digits).ok().and_then(|text| u64::from_str_radix(text, radix).ok()).ok_or_else(wrong)
}

fn read<'a>(call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    let mut command = Command {
        plain: false,
        include: false,
        reverse: false,
        upper: false,
        bits: false,
        columns: 0,
        group: usize::MAX,
        length: u64::MAX,
        skip: 0,
        offset: 0,
        decimal: false,
        file: b"-",
    };
    let mut words = call.argv.iter_from(1);
    let mut columns = None;
    let mut group = None;
    let mut files = 0;
    while let Some(word) = words.next() {
        let unsupported = || Unsupported::option(word);
        let mut value = |name: &[u8]| match word.strip_prefix(name) {
            Some(b"") => words.next().ok_or_else(unsupported).and_then(number),
            Some(attached) => number(attached),
            None => Err(unsupported()),
        };
        match word {
            b"-p" | b"-ps" | b"-plain" | b"-postscript" => command.plain = true,
            b"-i" | b"-include" => command.include = true,
            b"-r" => command.reverse = true,
            b"-u" => command.upper = true,
            b"-b" => command.bits = true,
            [b'-', b'c', ..] => columns = Some(value(b"-c")?),
            [b'-', b'g', ..] => group = Some(value(b"-g")?),
            [b'-', b'l', ..] => command.length = value(b"-l")?,
            [b'-', b'o', ..] => command.offset = value(b"-o")?,
            b"-d" => command.decimal = true,
            [b'-', b's', ..] => command.skip = value(b"-s")?,
            b"-" => files += 1,
            _ if word.starts_with(b"-") => return Err(unsupported()),
            _ => {
                command.file = word;
                files += 1;
            }
        }
    }
    if files > 1 {
        return Err(Unsupported::new("an output file"));
    }
    if command.reverse && (!command.plain || command.bits || columns.is_some() || group.is_some()) {
        return Err(Unsupported::new("-r without -p, or with more than it"));
    }
    if command.reverse && (command.offset != 0 || command.decimal) || command.offset >> 32 != 0 {
        return Err(Unsupported::new("-d or -o with -r, or so great an offset"));
    }
    if command.reverse && (command.length != u64::MAX || command.skip != 0) {
        return Err(Unsupported::new("-r with -l or -s"));
    }
    if command.include && (command.plain || command.bits || command.reverse) {
        return Err(Unsupported::new("-i with -p, -b or -r"));
    }
    if command.bits && command.plain {
        return Err(Unsupported::new("-b with -p"));
    }
    let default = if command.plain {
        30
    } else if command.include {
        12
    } else if command.bits {
        6
    } else {
        16
    };
    let limit = if command.plain || command.include { 1 << 16 } else { 256 };
    command.columns = match columns {
        None => default,
        Some(columns) => usize::try_from(columns)
            .ok()
            .filter(|columns| (1..=limit).contains(columns))
            .ok_or_else(|| Unsupported::new("this number of columns"))?,
    };
    let group = group.map_or(if command.bits { 1 } else { 2 }, |group| usize::try_from(group).unwrap_or(usize::MAX));
    command.group = if group == 0 { command.columns } else { group.min(command.columns) };
    Ok(command)
}

fn run(running: &Running<'_>, command: Command<'_>) -> Result<u8, Failure> {
    let source = match running.open(command.file)? {
        Ok(source) => source,
        Err(error) => {
            running.failed(command.file, &error)?;
            return Ok(2);
        }
    };
    let mut input = Input::new(source);
    let mut out = Output::new(running);
    if command.reverse {
        reverse(&mut input, &mut out)?;
    } else if command.include {
        include(&command, &mut input, &mut out)?;
    } else {
        dump(&command, &mut input, &mut out)?;
    }
    if let Some(error) = &input.error {
        out.failed(command.file, error)?;
        return Ok(2);
    }
    out.flush()?;
    Ok(0)
}

/// Passes over what comes before `-s`; says how much there was.
fn skip(command: &Command<'_>, input: &mut Input, running: &Running<'_>) -> Result<u64, Failure> {
    let mut skip = command.skip;
    while skip > 0 {
        let count = (input.block(running)?.len() as u64).min(skip);
        if count == 0 {
            break;
        }
        input.consume(usize::try_from(count).unwrap_or(usize::MAX));
        skip -= count;
    }
    Ok(command.skip - skip)
}

/// An array of C; of a file with its name and length.
fn include(command: &Command<'_>, input: &mut Input, out: &mut Output<'_, '_>) -> Result<(), Failure> {
    let running = out.running();
    skip(command, input, running)?;
    let named = command.file != b"-";
    let before = if command.file.first().is_some_and(u8::is_ascii_digit) { "__" } else { "" };
    let name = |byte: &u8| if byte.is_ascii_alphanumeric() { char::from(*byte) } else { '_' };
    let name: String = before.chars().chain(command.file.iter().map(name)).collect();
    if named {
        out.text(format_args!("unsigned char {name}[] = {{\n"))?;
    }
    let mut count = 0;
    while count < command.length {
        let room = usize::try_from(command.length - count).unwrap_or(usize::MAX);
        let block = input.block(running)?;
        let data = block.get(..room.min(block.len())).unwrap_or_default();
        if data.is_empty() {
            break;
        }
        for byte in data {
            let between = match count {
                0 => "  ",
                count if count % command.columns as u64 == 0 => ",\n  ",
                _ => ", ",
            };
            if command.upper {
                out.text(format_args!("{between}0X{byte:02X}"))?;
            } else {
                out.text(format_args!("{between}0x{byte:02x}"))?;
            }
            count += 1;
        }
        let used = data.len();
        input.consume(used);
    }
    if count > 0 {
        out.byte(b'\n')?;
    }
    if named {
        out.text(format_args!("}};\nunsigned int {name}_len = {count};\n"))?;
    }
    Ok(())
}

fn dump(command: &Command<'_>, input: &mut Input, out: &mut Output<'_, '_>) -> Result<(), Failure> {
    let running = out.running();
    let mut address = skip(command, input, running)?;
    let mut left = command.length;
    loop {
        let room = command.columns.min(usize::try_from(left).unwrap_or(usize::MAX));
        let data = input.at_least(running, room)?;
        let line = data.get(..room.min(data.len())).unwrap_or_default();
        if line.is_empty() {
            return Ok(());
        }
        if !command.plain {
            let shown = address + command.offset;
            if command.decimal {
                out.text(format_args!("{shown:08}: "))?;
            } else {
                out.text(format_args!("{shown:08x}: "))?;
            }
        }
        let digits = if command.bits { 8 } else { 2 };
        let mut width = 0;
        for (at, byte) in line.iter().enumerate() {
            if !command.plain && at > 0 && at % command.group == 0 {
                out.byte(b' ')?;
                width += 1;
            }
            match (command.bits, command.upper) {
                (true, _) => out.text(format_args!("{byte:08b}"))?,
                (_, true) => out.text(format_args!("{byte:02X}"))?,
                _ => out.text(format_args!("{byte:02x}"))?,
            }
            width += digits;
        }
        if !command.plain {
            let full = command.columns * digits + (command.columns - 1) / command.group;
            out.fill(b' ', full - width + 2)?;
            for byte in line {
                out.byte(if matches!(byte, b' '..=b'~') { *byte } else { b'.' })?;
            }
        }
        out.byte(b'\n')?;
        let count = line.len();
        address += count as u64;
        left -= count as u64;
        input.consume(count);
    }
}

/// Pairs of hexadecimal digits become bytes; what is none ends a pair, and three such in a row skip the line.
fn reverse(input: &mut Input, out: &mut Output<'_, '_>) -> Result<(), Failure> {
    let running = out.running();
    // The last three characters' values; `None` where one is no digit.
    let (mut first, mut second): (Option<u8>, Option<u8>) = (None, None);
    let mut garbage = true;
    let mut skips_line = false;
    loop {
        let block = input.block(running)?;
        if block.is_empty() {
            return Ok(());
        }
        for &byte in block {
            if skips_line {
                skips_line = byte != b'\n';
                continue;
            }
            if matches!(byte, b'\r' | b' ' | b'\n' | b'\t') {
                continue;
            }
            let third = second;
            second = first;
            first = char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
            if first.is_none() && garbage {
                continue;
            }
            garbage = false;
            if let (Some(high), Some(low)) = (second, first) {
                out.byte(high << 4 | low)?;
                first = None;
            } else if first.is_none() && second.is_none() && third.is_none() {
                skips_line = true;
                garbage = true;
            }
        }
        let used = block.len();
        input.consume(used);
    }
}
