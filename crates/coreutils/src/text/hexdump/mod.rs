//! `hexdump`: bytes as numbers and characters.

mod format;

use hookshell_process::FileKind;
use hookshell_utility::input::Input;
use hookshell_utility::io::{Failure, Running, Source};
use hookshell_utility::options::{OptionSpec, flag, parse, value};
use hookshell_utility::output::Output;
use hookshell_utility::prepare;
use hookshell_utility::{Prepared, Unsupported, Utility, UtilityCall};

use format::Row;

/// `hexdump [-bcCdovx] [-e FORMAT]… [-n LENGTH] [-s OFFSET] [FILE]…`, `hd` (util-linux 2.38).
pub(crate) struct Hexdump {
    name: &'static str,
}

impl Hexdump {
    pub(crate) const HEXDUMP: Self = Self { name: "hexdump" };
    pub(crate) const HD: Self = Self { name: "hd" };
}

const OPTIONS: &[OptionSpec] = &[
    flag(b'b', "one-byte-octal"),
    flag(b'c', "one-byte-char"),
    flag(b'C', "canonical"),
    flag(b'd', "two-bytes-decimal"),
    flag(b'o', "two-bytes-octal"),
    flag(b'x', "two-bytes-hex"),
    value(b'e', "format"),
    flag(b'v', "no-squeezing"),
    value(b'n', "length"),
    value(b's', "skip"),
];
const ROW: usize = 16;

/// How the bytes are shown.
enum Form {
    /// `-C`
    Canonical,
    /// By formats; the width of the hexadecimal offset at the end, if it is written.
    Rows(Vec<Row>, Option<usize>),
}

impl Form {
    /// The bytes of a block.
    fn block(&self) -> usize {
        match self {
            Self::Canonical => ROW,
            Self::Rows(rows, _) => rows.iter().map(Row::size).max().unwrap_or(0),
        }
    }
}

struct Command<'a> {
    form: Form,
    all: bool,
    length: u64,
    /// So many bytes at the beginning are not shown.
    skip: u64,
    files: Vec<&'a [u8]>,
}

fn read<'a>(name: &str, call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    let parsed = parse(call.argv, OPTIONS)?;
    let forms: Vec<(u8, &[u8])> =
        parsed.options.iter().filter(|(letter, _)| !matches!(letter, b'v' | b'n' | b's')).copied().collect();
    let form = match forms[..] {
        [] if name == "hd" => Form::Canonical,
        [(b'C', _)] => Form::Canonical,
        _ if name == "hd" => return Err(Unsupported::new("other formats than -C")),
        [] => usual(br#""%07.7_ax " 8/2 "%04x " "\n""#)?,
        [(b'b', _)] => usual(br#""%07.7_ax " 16/1 "%03o " "\n""#)?,
        [(b'c', _)] => usual(br#""%07.7_ax " 16/1 "%3_c " "\n""#)?,
        [(b'd', _)] => usual(br#""%07.7_ax " 8/2 "  %05u " "\n""#)?,
        [(b'o', _)] => usual(br#""%07.7_ax " 8/2 " %06o " "\n""#)?,
        [(b'x', _)] => usual(br#""%07.7_ax " 8/2 "   %04x " "\n""#)?,
        ref several if several.iter().all(|(letter, _)| *letter == b'e') => {
            let rows: Option<Vec<Row>> = several.iter().map(|(_, text)| Row::read(text)).collect();
            let mut rows = rows.ok_or_else(|| Unsupported::new("this format"))?;
            let block = rows.iter().map(Row::size).max().unwrap_or(0);
            if !(1..=1 << 20).contains(&block) {
                return Err(Unsupported::new("a format without bytes, or with so many"));
            }
            rows.iter_mut().for_each(|row| row.fill(block));
            Form::Rows(rows, None)
        }
        _ => return Err(Unsupported::new("several formats")),
    };
    let of = |letter: u8, what: &str| match parsed.last(letter) {
        None => Ok(None),
        Some(text) => {
            number(text).map(Some).ok_or_else(|| Unsupported::mistake(format!("the {what} {}", text.escape_ascii())))
        }
    };
    let (length, skip) = (of(b'n', "length")?.unwrap_or(u64::MAX), of(b's', "offset")?.unwrap_or(0));
    Ok(Command { form, all: parsed.has(b'v'), length, skip, files: parsed.operands })
}

/// `16`, `0x10`, `020`, `2k` (util-linux's `strtosize`).
fn number(text: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(text).ok()?;
    let (digits, radix) = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => (digits, 16),
        None if text.len() > 1 && text.starts_with('0') => (text, 8),
        None => (text, 10),
    };
    let end = digits.find(|character: char| !character.is_digit(radix)).unwrap_or(digits.len());
    let (digits, suffix) = digits.split_at_checked(end)?;
    let unit = match suffix {
        "" => 1,
        "k" | "K" | "KiB" => 1 << 10,
        "KB" => 1000,
        "m" | "M" | "MiB" => 1 << 20,
        "MB" => 1_000_000,
        "g" | "G" | "GiB" => 1 << 30,
        "GB" => 1_000_000_000,
        _ => return None,
    };
    u64::from_str_radix(digits, radix).ok()?.checked_mul(unit)
}

/// A format of the program's own, which writes the offset of the end too.
fn usual(text: &[u8]) -> Result<Form, Unsupported> {
    let row = Row::read(text).ok_or_else(|| Unsupported::new("this format"))?;
    Ok(Form::Rows(vec![row], Some(7)))
}

impl Utility for Hexdump {
    fn name(&self) -> &'static str {
        self.name
    }

    fn prepare<'a>(&'a self, call: &UtilityCall<'a>) -> Result<Box<dyn Prepared + 'a>, Unsupported> {
        prepare(self.name, call, |call| read(self.name, call), run)
    }
}

fn run(running: &Running<'_>, command: Command<'_>) -> Result<u8, Failure> {
    let block = command.form.block();
    let form = &command.form;
    let mut dump = Dump { form, block, out: Output::new(running), row: Vec::new(), last: None, starred: false, at: 0 };
    let (mut left, mut skip, mut status, mut opened) = (command.length, command.skip, 0, 0);
    let files = if command.files.is_empty() { vec![&b"/dev/stdin"[..]] } else { command.files };
    for &file in &files {
        // `-` is a file's name to it.
        let source = match running.open_file(file)? {
            Ok(source) => source,
            Err(error) => {
                dump.out.report_error(file, &error)?;
                status = 1;
                continue;
            }
        };
        opened += 1;
        let is_regular = is_seekable(&source);
        let mut input = Input::new(source).at_most(left.saturating_add(skip));
        // It seeks, and a pipe has no places.
        if skip > 0 && !is_regular {
            let name: &[u8] = if file == b"/dev/stdin" { b"stdin" } else { file };
            dump.out.message(&[name, b": Illegal seek"].concat())?;
            return Ok(1);
        }
        let skipped = input.skip(running, skip)?;
        skip -= skipped;
        dump.at += skipped;
        while left > 0 {
            let bytes = input.block(running)?;
            if bytes.is_empty() {
                break;
            }
            let count = usize::try_from(left).unwrap_or(usize::MAX).min(bytes.len());
            for byte in bytes.iter().take(count) {
                dump.row.push(*byte);
                if dump.row.len() == block {
                    dump.full_row(command.all)?;
                }
            }
            left -= count as u64;
            input.consume(count);
        }
        if let Some(error) = &input.error {
            dump.out.report_error(file, error)?;
        }
    }
    dump.finish()?;
    if opened == 0 {
        running.message(b"all input file arguments failed")?;
    }
    Ok(status)
}

/// Can one go to a place in it?
fn is_seekable(source: &Source) -> bool {
    match source {
        Source::File(_, kind) => *kind != FileKind::Pipe,
        Source::Stream(stream) => {
            stream.file().is_some_and(|file| file.metadata().is_ok_and(|metadata| metadata.is_file()))
        }
    }
}

struct Dump<'f, 'r, 'a> {
    form: &'f Form,
    block: usize,
    out: Output<'r, 'a>,
    row: Vec<u8>,
    /// The row before.
    last: Option<Vec<u8>>,
    /// A star stands for rows like the one before.
    starred: bool,
    /// Of the row's first byte.
    at: u64,
}

impl Dump<'_, '_, '_> {
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
        self.at += self.block as u64;
        self.last = Some(std::mem::take(&mut self.row));
        Ok(())
    }

    fn show(&mut self) -> Result<(), Failure> {
        if let Form::Rows(rows, _) = self.form {
            let length = self.row.len();
            self.row.resize(self.block, 0);
            let mut text = Vec::new();
            for row in rows {
                row.show(&self.row, length, self.at, &mut text);
            }
            self.row.truncate(length);
            return self.out.push(&text);
        }
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
        let width = match self.form {
            Form::Canonical => Some(8),
            Form::Rows(_, width) => *width,
        };
        if let Some(width) = width.filter(|_| self.at + rest > 0) {
            self.out.text(format_args!("{:0width$x}\n", self.at + rest))?;
        }
        self.out.flush()
    }
}
