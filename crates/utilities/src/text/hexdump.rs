//! `hexdump -C`: bytes as numbers and characters.

use hookshell_shell::{Stopped, Unsupported, Utility, UtilityCall, UtilityContext};

use super::input::Input;
use super::output::Output;
use crate::io::{Failure, Running};
use crate::options::{OptionSpec, flag, parse, value};

/// `hexdump -C [-v] [-n LENGTH] [FILE]…`, `hd` (util-linux 2.38). Other formats are the real program's.
pub(crate) struct Hexdump {
    name: &'static str,
}

impl Hexdump {
    pub(crate) const HEXDUMP: Self = Self { name: "hexdump" };
    pub(crate) const HD: Self = Self { name: "hd" };
}

const OPTIONS: &[OptionSpec] = &[flag(b'C', "canonical"), flag(b'v', "no-squeezing"), value(b'n', "length")];
const ROW: usize = 16;

struct Command<'a> {
    all: bool,
    length: u64,
    files: Vec<&'a [u8]>,
}

fn read<'a>(name: &str, call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    let parsed = parse(call.argv, OPTIONS)?;
    if name == "hexdump" && !parsed.has(b'C') {
        return Err(Unsupported::new("other formats than -C"));
    }
    let length = match parsed.last(b'n') {
        None => u64::MAX,
        Some(text) => std::str::from_utf8(text)
            .ok()
            .filter(|text| !text.starts_with(['0', '+']) || *text == "0")
            .and_then(|text| text.parse().ok())
            .ok_or_else(|| Unsupported::new(format!("the length {}", text.escape_ascii())))?,
    };
    Ok(Command { all: parsed.has(b'v'), length, files: parsed.operands })
}

impl Utility for Hexdump {
    fn name(&self) -> &'static str {
        self.name
    }

    fn accepts(&self, call: &UtilityCall<'_>) -> Result<(), Unsupported> {
        read(self.name, call).map(drop)
    }

    fn run(&self, context: &mut UtilityContext<'_>) -> Result<u8, Stopped> {
        Running::run(self.name, context, |call| read(self.name, call), run)
    }
}

fn run(running: &Running<'_>, command: Command<'_>) -> Result<u8, Failure> {
    let mut dump = Dump { out: Output::new(running), row: Vec::new(), last: None, starred: false, at: 0 };
    let (mut left, mut status, mut opened) = (command.length, 0, 0);
    let files = if command.files.is_empty() { vec![&b"/dev/stdin"[..]] } else { command.files };
    for &file in &files {
        // `-` is a file's name to it.
        let source = match running.open_file(file)? {
            Ok(source) => source,
            Err(error) => {
                dump.out.failed(file, &error)?;
                status = 1;
                continue;
            }
        };
        opened += 1;
        let mut input = Input::new(source);
        while left > 0 {
            let block = input.block(running)?;
            if block.is_empty() {
                break;
            }
            let count = usize::try_from(left).unwrap_or(usize::MAX).min(block.len());
            for byte in block.iter().take(count) {
                dump.row.push(*byte);
                if dump.row.len() == ROW {
                    dump.full_row(command.all)?;
                }
            }
            left -= count as u64;
            input.consume(count);
        }
        if let Some(error) = &input.error {
            dump.out.failed(file, error)?;
        }
    }
    dump.finish()?;
    if opened == 0 {
        running.message(b"all input file arguments failed")?;
    }
    Ok(status)
}

struct Dump<'r, 'a> {
    out: Output<'r, 'a>,
    row: Vec<u8>,
    /// The row before.
    last: Option<Vec<u8>>,
    /// A star stands for rows like the one before.
    starred: bool,
    /// Of the row's first byte.
    at: u64,
}

impl Dump<'_, '_> {
    fn full_row(&mut self, all: bool) -> Result<(), Failure> {
        if !all && self.last.as_ref() == Some(&self.row) {
            if !self.starred {
                self.out.push(b"*\n")?;
                self.starred = true;
            }
        } else {
            self.show()?;
            self.starred = false;
        }
        self.at += ROW as u64;
        self.last = Some(std::mem::take(&mut self.row));
        Ok(())
    }

    fn show(&mut self) -> Result<(), Failure> {
        self.out.text(format_args!("{:08x}", self.at))?;
        for at in 0..ROW {
            if at % 8 == 0 {
                self.out.byte(b' ')?;
            }
            match self.row.get(at) {
                Some(byte) => self.out.text(format_args!(" {byte:02x}"))?,
                None => self.out.push(b"   ")?,
            }
        }
        self.out.push(b"  |")?;
        for byte in &self.row {
            self.out.byte(if byte.is_ascii_graphic() || *byte == b' ' { *byte } else { b'.' })?;
        }
        self.out.push(b"|\n")
    }

    fn finish(&mut self) -> Result<(), Failure> {
        let rest = self.row.len() as u64;
        if rest > 0 {
            self.show()?;
        }
        if self.at + rest > 0 {
            self.out.text(format_args!("{:08x}\n", self.at + rest))?;
        }
        self.out.flush()
    }
}
