//! `xxd`: dump bytes in hexadecimal, and plain dumps back.

mod dump;
mod reverse;

use hookshell_utility::input::Input;
use hookshell_utility::io::{Failure, Running, Source};
use hookshell_utility::output::Output;
use hookshell_utility::utility;
use hookshell_utility::{Unsupported, UtilityCall};

use self::dump::{dump, include};
use self::reverse::{reverse, reverse_dump};

utility! {
    /// `xxd [-p | -i] [-abCdeEu] [-c N] [-g N] [-l N] [-n NAME] [-o N] [-s [+][-]N] [FILE [OUTPUT]]`, `xxd -r [-p] [-c N] [FILE]`
    /// (vim's xxd of 2022).
    Xxd, "xxd", write_error: Some(3)
}

struct Command<'a> {
    plain: bool,
    /// As C source.
    include: bool,
    reverse: bool,
    upper: bool,
    bits: bool,
    /// The bytes of a group stand the other way round.
    little_endian: bool,
    /// Of lines of NUL bytes in a row only the first is shown, and `*`.
    autoskip: bool,
    columns: usize,
    group: usize,
    length: u64,
    skip: u64,
    /// What is skipped is counted from the end; of a reversal it is taken off the addresses.
    from_end: bool,
    /// Added to the addresses that are shown.
    offset: u64,
    decimal: bool,
    /// The characters beside are EBCDIC's.
    ebcdic: bool,
    /// The names of `-i` are capital letters.
    capitalize: bool,
    /// The name of `-i`'s array; `None`: the file's.
    name: Option<&'a [u8]>,
    file: &'a [u8],
    /// Where the dump goes.
    output: Option<&'a [u8]>,
}

fn number(text: &[u8]) -> Result<u64, Unsupported> {
    let wrong = || Unsupported::mistake(format!("the number {}", text.escape_ascii()));
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
        little_endian: false,
        autoskip: false,
        columns: 0,
        group: usize::MAX,
        length: u64::MAX,
        skip: 0,
        from_end: false,
        offset: 0,
        decimal: false,
        ebcdic: false,
        capitalize: false,
        name: None,
        file: b"-",
        output: None,
    };
    let mut words = call.argv.iter_from(1);
    let mut columns = None;
    let mut group = None;
    let mut kind = None;
    let mut files = 0;
    while let Some(word) = words.next() {
        // `--plain` is `-plain`.
        let word = word.strip_prefix(b"-").filter(|rest| rest.len() > 1 && rest.starts_with(b"-")).unwrap_or(word);
        let unsupported = || Unsupported::option(word);
        // A value stands in the word, or is the next one where the word is the letter or a name of the option.
        let mut value = |names: &[&[u8]]| match word.get(2..).unwrap_or_default() {
            b"" => words.next().ok_or_else(unsupported),
            rest if names.contains(&rest) => words.next().ok_or_else(unsupported),
            attached => Ok(attached),
        };
        match word {
            // Only the letter counts; of those that say what is dumped the last one does.
            [b'-', letter @ (b'p' | b'i' | b'b' | b'e'), ..] => kind = Some(*letter),
            [b'-', b'r', ..] => command.reverse = true,
            [b'-', b'u', ..] => command.upper = true,
            [b'-', b'E', ..] => command.ebcdic = true,
            [b'-', b'C', ..] | b"-capitalize" => command.capitalize = true,
            [b'-', b'a', ..] => command.autoskip = !command.autoskip,
            [b'-', b'd', ..] => command.decimal = true,
            [b'-', b'c', ..] => columns = Some(number(value(&[b"ols"])?)?),
            [b'-', b'g', ..] => group = Some(number(value(&[b"roup", b"roupsize"])?)?),
            [b'-', b'l', ..] => command.length = number(value(&[b"en"])?)?,
            [b'-', b'n', ..] => command.name = Some(value(&[b"ame"])?),
            [b'-', b'o', ..] => command.offset = number(value(&[b"ffset"])?)?,
            [b'-', b's', ..] => {
                let text = value(&[b"eek", b"kip"])?;
                let text = text.strip_prefix(b"+").unwrap_or(text);
                let digits = text.strip_prefix(b"-");
                command.from_end = digits.is_some();
                command.skip = number(digits.unwrap_or(text))?;
            }
            _ if word.starts_with(b"-") && word != b"-" => return Err(unsupported()),
            _ => {
                match files {
                    0 => command.file = word,
                    1 => command.output = Some(word).filter(|word| *word != b"-"),
                    _ => return Err(Unsupported::mistake("more than two operands")),
                }
                files += 1;
            }
        }
    }
    if command.output.is_some() && command.reverse {
        return Err(Unsupported::new("an output file of -r"));
    }
    match kind {
        Some(b'p') => command.plain = true,
        Some(b'i') => command.include = true,
        Some(b'b') => command.bits = true,
        Some(_) => command.little_endian = true,
        None => {}
    }
    if command.reverse && command.plain {
        // A plain dump has no lines of so many bytes.
        columns = None;
    }
    if command.from_end && command.file == b"-" && !command.reverse {
        return Err(Unsupported::new("a place from the end of standard input"));
    }
    if command.offset >> 32 != 0 {
        return Err(Unsupported::new("so great an offset"));
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
        None | Some(0) if !command.plain => default,
        None => default,
        // One line.
        Some(0) => usize::MAX,
        Some(columns) => usize::try_from(columns)
            .ok()
            .filter(|columns| (1..=limit).contains(columns))
            .ok_or_else(|| Unsupported::mistake("this number of columns"))?,
    };
    let default_group = match (command.bits, command.little_endian) {
        (true, _) => 1,
        (_, true) => 4,
        _ => 2,
    };
    let group = group.filter(|_| !command.reverse);
    let group = group.map_or(default_group, |group| usize::try_from(group).unwrap_or(usize::MAX));
    command.group = if group == 0 { command.columns } else { group.min(command.columns) };
    Ok(command)
}

fn run(running: &Running<'_>, mut command: Command<'_>) -> Result<u8, Failure> {
    if command.little_endian && !command.group.is_power_of_two() {
        running.message(b"number of octets per group must be a power of 2 with -e.")?;
        return Ok(1);
    }
    let source = match running.open(command.file)? {
        Ok(source) => source,
        Err(error) => {
            running.report_error(command.file, &error)?;
            return Ok(2);
        }
    };
    if command.reverse && (command.bits || command.include || command.little_endian) {
        running.message(b"Sorry, cannot revert this type of hexdump")?;
        return Ok(255);
    }
    if command.from_end && !command.reverse {
        let length = match &source {
            Source::File(file, _) => file.metadata().map_or(0, |metadata| metadata.len()),
            Source::Stream(_) => 0,
        };
        let Some(skip) = length.checked_sub(command.skip) else {
            running.message(b"Sorry, cannot seek.")?;
            return Ok(4);
        };
        command.skip = skip;
    }
    let mut input = Input::new(source);
    let mut out = match command.output.map(|name| (name, running.create(name, false))) {
        None => Output::new(running),
        Some((_, Ok(stream))) => Output::to(running, stream),
        Some((name, Err(error))) => {
            running.report_error(name, &error)?;
            return Ok(3);
        }
    };
    if command.reverse && !command.plain {
        if !reverse_dump(&command, &mut input, &mut out)? {
            return Ok(5);
        }
    } else if command.reverse {
        if !reverse(&command, &mut input, &mut out)? {
            return Ok(5);
        }
    } else if command.include {
        include(&command, &mut input, &mut out)?;
    } else {
        dump(&command, &mut input, &mut out)?;
    }
    if let Some(error) = &input.error {
        out.report_error(command.file, error)?;
        return Ok(2);
    }
    out.flush()?;
    Ok(0)
}
