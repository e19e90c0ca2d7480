//! Dumps: lines with addresses, plain ones, and arrays of C.

use hookshell_utility::input::Input;
use hookshell_utility::io::Failure;
use hookshell_utility::output::Output;

use super::Command;

/// The characters of EBCDIC from 64 on, as xxd shows them.
const EBCDIC: [&[u8; 64]; 3] = [
    b" ...........<(+|&.........!$*);~-/.........,%_>?.........`:#@'=\"",
    b".abcdefghi.......jklmnopqr^.......stuvwxyz...[...............]..",
    b"{ABCDEFGHI......}JKLMNOPQR......\\.STUVWXYZ......0123456789......",
];

/// An array of C; of a file with its name and length.
pub(super) fn include(command: &Command<'_>, input: &mut Input, out: &mut Output<'_, '_>) -> Result<(), Failure> {
    let running = out.running();
    input.skip(running, command.skip)?;
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

pub(super) fn dump(command: &Command<'_>, input: &mut Input, out: &mut Output<'_, '_>) -> Result<(), Failure> {
    let running = out.running();
    let mut address = input.skip(running, command.skip)?;
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
