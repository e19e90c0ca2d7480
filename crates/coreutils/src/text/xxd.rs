//! `xxd`: dump bytes in hexadecimal, and plain dumps back.

use hookshell_utility::input::Input;
use hookshell_utility::io::{Failure, Running, Source};
use hookshell_utility::output::Output;
use hookshell_utility::utility;
use hookshell_utility::{Unsupported, UtilityCall};

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
    /// What is skipped is counted from the end.
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

/// The characters of EBCDIC from 64 on, as xxd shows them.
const EBCDIC: [&[u8; 64]; 3] = [
    b" ...........<(+|&.........!$*);~-/.........,%_>?.........`:#@'=\"",
    b".abcdefghi.......jklmnopqr^.......stuvwxyz...[...............]..",
    b"{ABCDEFGHI......}JKLMNOPQR......\\.STUVWXYZ......0123456789......",
];

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
    let mut files = 0;
    while let Some(word) = words.next() {
        let unsupported = || Unsupported::option(word);
        // A value stands in the word, or is the next one where the word is the letter or a name of the option.
        let mut value = |names: &[&[u8]]| match word.get(2..).unwrap_or_default() {
            b"" => words.next().ok_or_else(unsupported),
            rest if names.contains(&rest) => words.next().ok_or_else(unsupported),
            attached => Ok(attached),
        };
        match word {
            b"-p" | b"-ps" | b"-plain" | b"-postscript" => command.plain = true,
            b"-i" | b"-include" => command.include = true,
            b"-r" | b"-revert" => command.reverse = true,
            b"-u" | b"-uppercase" => command.upper = true,
            b"-b" | b"-bits" => command.bits = true,
            b"-e" => command.little_endian = true,
            b"-E" | b"-EBCDIC" => command.ebcdic = true,
            b"-C" | b"-capitalize" => command.capitalize = true,
            b"-a" | b"-autoskip" => command.autoskip = true,
            b"-d" | b"-decimal" => command.decimal = true,
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
    if command.reverse
        && (command.bits || command.little_endian || command.plain && columns.is_some() || group.is_some())
    {
        return Err(Unsupported::new("-r with such options"));
    }
    if command.little_endian && (command.plain || command.include || command.bits) {
        return Err(Unsupported::new("-e with -p, -i or -b"));
    }
    if command.from_end && command.file == b"-" {
        return Err(Unsupported::new("a place from the end of standard input"));
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
    let group = group.map_or(default_group, |group| usize::try_from(group).unwrap_or(usize::MAX));
    command.group = if group == 0 { command.columns } else { group.min(command.columns) };
    if command.little_endian && !command.group.is_power_of_two() {
        return Err(Unsupported::new("-e with groups of such a number"));
    }
    Ok(command)
}

fn run(running: &Running<'_>, mut command: Command<'_>) -> Result<u8, Failure> {
    let source = match running.open(command.file)? {
        Ok(source) => source,
        Err(error) => {
            running.report_error(command.file, &error)?;
            return Ok(2);
        }
    };
    if command.from_end {
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
        reverse(&mut input, &mut out)?;
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
    let named = command.name.is_some() || command.file != b"-";
    let own = command.name.unwrap_or(command.file);
    let before = if own.first().is_some_and(u8::is_ascii_digit) { "__" } else { "" };
    let name = |byte: &u8| if byte.is_ascii_alphanumeric() { char::from(*byte) } else { '_' };
    let mut name: String = before.chars().chain(own.iter().map(name)).collect();
    if command.capitalize {
        name.make_ascii_uppercase();
    }
    let length = if command.capitalize { "LEN" } else { "len" };
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
        out.text(format_args!("}};\nunsigned int {name}_{length} = {count};\n"))?;
    }
    Ok(())
}

fn dump(command: &Command<'_>, input: &mut Input, out: &mut Output<'_, '_>) -> Result<(), Failure> {
    let running = out.running();
    let mut address = skip(command, input, running)?;
    let mut left = command.length;
    if command.columns == usize::MAX {
        return one_line(command, input, out);
    }
    let mut zeros = Zeros::default();
    loop {
        let room = command.columns.min(usize::try_from(left).unwrap_or(usize::MAX));
        let data = input.at_least(running, room)?;
        let bytes = data.get(..room.min(data.len())).unwrap_or_default();
        if bytes.is_empty() {
            return zeros.end(out);
        }
        let line = command.line(bytes, address + command.offset);
        let is_zero = command.autoskip && bytes.len() == command.columns && bytes.iter().all(|byte| *byte == 0);
        let count = bytes.len();
        zeros.line(line, is_zero && !command.plain, out)?;
        address += count as u64;
        left -= count as u64;
        input.consume(count);
    }
}

/// `-p -c 0`: all on one line.
fn one_line(command: &Command<'_>, input: &mut Input, out: &mut Output<'_, '_>) -> Result<(), Failure> {
    let running = out.running();
    let mut left = command.length;
    while left > 0 {
        let room = usize::try_from(left).unwrap_or(usize::MAX);
        let block = input.block(running)?;
        let bytes = block.get(..room.min(block.len())).unwrap_or_default();
        if bytes.is_empty() {
            break;
        }
        for byte in bytes {
            if command.upper {
                out.text(format_args!("{byte:02X}"))?;
            } else {
                out.text(format_args!("{byte:02x}"))?;
            }
        }
        let count = bytes.len();
        left -= count as u64;
        input.consume(count);
    }
    out.byte(b'\n')
}

/// The lines of NUL bytes that `-a` holds back.
#[derive(Default)]
struct Zeros {
    /// How many came in a row; the first is written at once.
    count: u64,
    second: Vec<u8>,
    /// The last one.
    last: Vec<u8>,
}

impl Zeros {
    fn line(&mut self, line: Vec<u8>, is_zero: bool, out: &mut Output<'_, '_>) -> Result<(), Failure> {
        if is_zero {
            self.count += 1;
            if self.count == 1 {
                return out.push(&line);
            }
            if self.count == 2 {
                self.second.clone_from(&line);
            }
            self.last = line;
            return Ok(());
        }
        self.flush(out)?;
        out.push(&line)
    }

    /// What stands for those that were held back: the line itself where it is one.
    fn flush(&mut self, out: &mut Output<'_, '_>) -> Result<(), Failure> {
        match std::mem::take(&mut self.count) {
            0 | 1 => Ok(()),
            2 => out.push(&self.second),
            _ => out.push(b"*\n"),
        }
    }

    /// At the end of the file the last one is shown.
    fn end(&mut self, out: &mut Output<'_, '_>) -> Result<(), Failure> {
        if self.count < 2 {
            return Ok(());
        }
        self.count -= 1;
        self.flush(out)?;
        out.push(&self.last)
    }
}

impl Command<'_> {
    /// What is shown of a byte beside the dump.
    fn character(&self, byte: u8) -> u8 {
        if self.ebcdic {
            let place = byte.checked_sub(64).map(usize::from);
            return place.and_then(|place| EBCDIC.get(place / 64)?.get(place % 64)).copied().unwrap_or(b'.');
        }
        if matches!(byte, b' '..=b'~') { byte } else { b'.' }
    }

    /// A line of the dump.
    fn line(&self, bytes: &[u8], address: u64) -> Vec<u8> {
        let digits = if self.bits { 8 } else { 2 };
        let field = |byte: &u8| match (self.bits, self.upper) {
            (true, _) => format!("{byte:08b}"),
            (_, true) => format!("{byte:02X}"),
            _ => format!("{byte:02x}"),
        };
        let mut line = Vec::new();
        if self.plain {
            line.extend(bytes.iter().flat_map(|byte| field(byte).into_bytes()));
            line.push(b'\n');
            return line;
        }
        let address = if self.decimal { format!("{address:08}: ") } else { format!("{address:08x}: ") };
        line.extend_from_slice(address.as_bytes());
        let start = line.len();
        let text = start + self.columns * digits + (self.columns - 1) / self.group + 2;
        let mut put = |at: usize, data: &[u8]| {
            if line.len() < at + data.len() {
                line.resize(at + data.len(), b' ');
            }
            if let Some(place) = line.get_mut(at..at + data.len()) {
                place.copy_from_slice(data);
            }
        };
        for (at, byte) in bytes.iter().enumerate() {
            let place = if self.little_endian { at ^ (self.group - 1) } else { at };
            put(start + place * digits + place / self.group, field(byte).as_bytes());
            put(text + at, &[self.character(*byte)]);
        }
        // A group of `-e` that is not whole may reach over the text, whose end is the line's.
        line.truncate(text + bytes.len());
        line.push(b'\n');
        line
    }
}

/// Makes bytes of a dump with addresses; a gap between them becomes NUL bytes. `false`: an address lies before what
/// was written, which was told.
fn reverse_dump(command: &Command<'_>, input: &mut Input, out: &mut Output<'_, '_>) -> Result<bool, Failure> {
    let running = out.running();
    let mut written: u64 = 0;
    while let Some(line) = input.text(running, b'\n')? {
        let mut bytes = line.iter().copied().filter(|byte| *byte != b'\r');
        let digit = |byte: u8| char::from(byte).to_digit(16);
        let mut wanted: u64 = 0;
        let mut begun = false;
        let mut has_address = false;
        for byte in bytes.by_ref() {
            match digit(byte) {
                Some(digit) => wanted = wanted << 4 | u64::from(digit),
                None if !begun => continue,
                None => {
                    has_address = true;
                    break;
                }
            }
            begun = true;
        }
        if !has_address {
            continue;
        }
        // The last three characters' values; the first two of them are not yet known to be no digits.
        let (mut first, mut second) = (None, Some(0));
        let mut count = 0;
        for byte in bytes {
            let third = second;
            second = first;
            first = digit(byte);
            if wanted < written {
                out.message(b"Sorry, cannot seek backwards.")?;
                return Ok(false);
            }
            while written < wanted {
                let gap = (wanted - written).min(1 << 16);
                out.fill(0, usize::try_from(gap).unwrap_or(0))?;
                written += gap;
            }
            if let (Some(high), Some(low)) = (second, first) {
                out.byte(u8::try_from(high << 4 | low).unwrap_or(0))?;
                written += 1;
                wanted += 1;
                first = None;
                count += 1;
                if count >= command.columns {
                    break;
                }
            } else if first.is_none() && second.is_none() && third.is_none() {
                break;
            }
        }
    }
    Ok(true)
}

/// Pairs of hexadecimal digits become bytes; what is none ends a pair, and three such in a row skip the line.
fn reverse(input: &mut Input, out: &mut Output<'_, '_>) -> Result<(), Failure> {
    let running = out.running();
    // The last three characters' values; `None` if one is no digit.
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
