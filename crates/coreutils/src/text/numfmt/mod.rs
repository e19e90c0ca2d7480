//! `numfmt`: numbers with units, for people and back.

mod extended;
mod number;

use hookshell_utility::input::Input;
use hookshell_utility::io::{Failure, Running};
use hookshell_utility::options::{LONG_ONLY, OptionSpec, flag, optional, parse, value};
use hookshell_utility::output::Output;
use hookshell_utility::utility;
use hookshell_utility::{Unsupported, UtilityCall};

use number::{Number, Round, Scale};

utility! {
    /// `numfmt [--from=UNIT] [--to=UNIT] [--from-unit=N] [--to-unit=N] [--round=METHOD] [--format=FORMAT] [--padding=N]
    /// [--suffix=TEXT] [--field=LIST] [-d X] [--header[=N]] [--invalid=MODE] [-z] [NUMBER]…` (GNU's).
    Numfmt, "numfmt"
}

const FROM: u8 = LONG_ONLY;
const FROM_UNIT: u8 = LONG_ONLY + 1;
const TO: u8 = LONG_ONLY + 2;
const TO_UNIT: u8 = LONG_ONLY + 3;
const ROUND: u8 = LONG_ONLY + 4;
const FORMAT: u8 = LONG_ONLY + 5;
const PADDING: u8 = LONG_ONLY + 6;
const SUFFIX: u8 = LONG_ONLY + 7;
const FIELD: u8 = LONG_ONLY + 8;
const HEADER: u8 = LONG_ONLY + 9;
const INVALID: u8 = LONG_ONLY + 10;
const GROUPING: u8 = LONG_ONLY + 11;

const OPTIONS: &[OptionSpec] = &[
    value(FROM, "from"),
    value(FROM_UNIT, "from-unit"),
    value(TO, "to"),
    value(TO_UNIT, "to-unit"),
    value(ROUND, "round"),
    value(FORMAT, "format"),
    value(PADDING, "padding"),
    value(SUFFIX, "suffix"),
    value(FIELD, "field"),
    optional(HEADER, "header"),
    value(INVALID, "invalid"),
    flag(GROUPING, "grouping"),
    value(b'd', "delimiter"),
    flag(b'z', "zero-terminated"),
];

/// What a word that is not a number does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Invalid {
    Abort,
    Fail,
    Warn,
    Ignore,
}

/// `--format`
#[derive(Default)]
struct Format {
    before: Vec<u8>,
    after: Vec<u8>,
    zeros: usize,
    precision: Option<usize>,
    /// Thousands are grouped.
    groups: bool,
}

struct Command<'a> {
    from: Scale,
    to: Scale,
    from_unit: u64,
    to_unit: u64,
    round: Round,
    format: Format,
    /// The width; 0: that of the input, where that is aligned by blanks.
    padding: usize,
    left: bool,
    suffix: &'a [u8],
    /// Empty: the first.
    fields: Vec<(usize, usize)>,
    delimiter: Option<u8>,
    header: usize,
    invalid: Invalid,
    end: u8,
    words: Vec<&'a [u8]>,
}

fn read<'a>(call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    let parsed = parse(call.argv, OPTIONS)?;
    let wrong = |text: &[u8]| Unsupported::mistake(format!("the value {}", text.escape_ascii()));
    let natural = |text: &[u8]| -> Result<u64, Unsupported> {
        let digits = std::str::from_utf8(text).ok().filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
        digits.and_then(|text| text.parse().ok()).filter(|number| *number > 0).ok_or_else(|| wrong(text))
    };
    let scale = |letter| match parsed.last(letter) {
        None | Some(b"none") => Ok(Scale::None),
        Some(b"auto") if letter == FROM => Ok(Scale::Auto),
        Some(b"si") => Ok(Scale::Si),
        Some(b"iec") => Ok(Scale::Iec),
        Some(b"iec-i") => Ok(Scale::IecI),
        Some(text) => Err(wrong(text)),
    };
    let to = scale(TO)?;
    if parsed.has(GROUPING) && parsed.has(FORMAT) {
        return Err(Unsupported::mistake("--grouping with --format"));
    }
    let round = match parsed.last(ROUND) {
        None | Some(b"from-zero") => Round::FromZero,
        Some(b"up") => Round::Up,
        Some(b"down") => Round::Down,
        Some(b"towards-zero") => Round::TowardsZero,
        Some(b"nearest") => Round::Nearest,
        Some(text) => return Err(wrong(text)),
    };
    let invalid = match parsed.last(INVALID) {
        None | Some(b"abort") => Invalid::Abort,
        Some(b"fail") => Invalid::Fail,
        Some(b"warn") => Invalid::Warn,
        Some(b"ignore") => Invalid::Ignore,
        Some(text) => return Err(wrong(text)),
    };
    let (mut padding, mut left) = (0, false);
    if let Some(text) = parsed.last(PADDING) {
        let digits = text.strip_prefix(b"-");
        left = digits.is_some();
        padding = usize::try_from(natural(digits.unwrap_or(text))?).map_err(|_| wrong(text))?;
    }
    let mut format = Format::default();
    if let Some(text) = parsed.last(FORMAT) {
        let (own, width) = read_format(text).ok_or_else(|| wrong(text))?;
        format = own;
        if let Some((width, is_left)) = width {
            (padding, left) = (width, is_left);
        }
    }
    // In the locales here thousands have no separator.
    if (parsed.has(GROUPING) || format.groups) && !matches!(to, Scale::None) {
        return Err(Unsupported::mistake("grouping with --to"));
    }
    if padding > 10_000 || format.zeros > 100 || format.precision.is_some_and(|precision| precision > 18) {
        return Err(Unsupported::new("so wide a format"));
    }
    let delimiter = match parsed.last(b'd') {
        None => None,
        Some([byte]) => Some(*byte),
        Some(text) => return Err(wrong(text)),
    };
    let mut fields = Vec::new();
    if parsed.options.iter().filter(|(letter, _)| *letter == FIELD).count() > 1 {
        return Err(Unsupported::mistake("several lists of fields"));
    }
    if let Some(text) = parsed.last(FIELD) {
        for part in text.split(|byte| *byte == b',') {
            let end = |text: &[u8]| natural(text).map(|number| usize::try_from(number).unwrap_or(usize::MAX));
            let range = match part.iter().position(|byte| *byte == b'-') {
                None => (end(part)?, end(part)?),
                Some(at) => {
                    let (first, last) = (part.get(..at).unwrap_or_default(), part.get(at + 1..).unwrap_or_default());
                    let from = if first.is_empty() { 1 } else { end(first)? };
                    (from, if last.is_empty() { usize::MAX } else { end(last)? })
                }
            };
            if range.0 > range.1 {
                return Err(wrong(part));
            }
            fields.push(range);
        }
    }
    let header = match parsed.last(HEADER) {
        None => 0,
        Some(b"") => 1,
        Some(text) => usize::try_from(natural(text)?).unwrap_or(usize::MAX),
    };
    let unit = |letter| parsed.last(letter).map_or(Ok(1), natural);
    Ok(Command {
        from: scale(FROM)?,
        to,
        from_unit: unit(FROM_UNIT)?,
        to_unit: unit(TO_UNIT)?,
        round,
        format,
        padding,
        left,
        suffix: parsed.last(SUFFIX).unwrap_or_default(),
        fields,
        delimiter,
        header,
        invalid,
        end: if parsed.has(b'z') { 0 } else { b'\n' },
        words: parsed.operands,
    })
}

/// `TEXT%[0 ']…[[-]WIDTH][.PRECISION]fTEXT`, and the width with whether it aligns at the left.
fn read_format(text: &[u8]) -> Option<(Format, Option<(usize, bool)>)> {
    fn number(text: &mut &[u8]) -> Option<usize> {
        let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (number, rest) = text.split_at_checked(digits)?;
        *text = rest;
        std::str::from_utf8(number).ok()?.parse().ok()
    }
    let start = text.iter().position(|byte| *byte == b'%')?;
    let mut format = Format { before: text.get(..start)?.to_vec(), ..Format::default() };
    let mut rest = text.get(start + 1..)?;
    let flags = rest.iter().take_while(|byte| b"0 '".contains(byte)).count();
    let (flags, after) = rest.split_at_checked(flags)?;
    format.groups = flags.contains(&b'\'');
    rest = after;
    // As `strtol` reads it.
    let sign = rest.first().copied().filter(|byte| b"+-".contains(byte));
    rest = rest.get(usize::from(sign.is_some())..)?;
    let mut width = None;
    if rest.first().is_some_and(u8::is_ascii_digit) {
        let is_left = sign == Some(b'-');
        match number(&mut rest)? {
            0 => {}
            own if flags.contains(&b'0') && !is_left => format.zeros = own,
            own => width = Some((own, is_left)),
        }
    } else if sign.is_some() {
        return None;
    }
    if let Some(after) = rest.strip_prefix(b".") {
        rest = after;
        format.precision = Some(if rest.first().is_some_and(u8::is_ascii_digit) { number(&mut rest)? } else { 0 });
    }
    let after = rest.strip_prefix(b"f")?;
    format.after = after.to_vec();
    (!after.contains(&b'%')).then_some((format, width))
}

fn run(running: &Running<'_>, command: Command<'_>) -> Result<u8, Failure> {
    let mut out = Output::new(running);
    let mut valid = true;
    if command.words.is_empty() {
        let mut input = match running.open(b"-")? {
            Ok(source) => Input::new(source),
            Err(error) => {
                running.report_error(b"error reading input", &error)?;
                return Ok(1);
            }
        };
        let mut header = command.header;
        while let Some(line) = input.line(running, command.end)? {
            if header > 0 {
                header -= 1;
                out.push(line)?;
                continue;
            }
            let text = line.strip_suffix(&[command.end]);
            match command.line(text.unwrap_or(line), &mut out)? {
                None => return Ok(2),
                Some(fine) => valid &= fine,
            }
            if text.is_some() {
                out.byte(command.end)?;
            }
        }
        if let Some(error) = &input.error {
            out.report_error(b"error reading input", error)?;
        }
    }
    for word in &command.words {
        match command.line(word, &mut out)? {
            None => return Ok(2),
            Some(fine) => valid &= fine,
        }
        out.byte(command.end)?;
    }
    out.flush()?;
    Ok(if valid || matches!(command.invalid, Invalid::Warn | Invalid::Ignore) { 0 } else { 2 })
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

impl Command<'_> {
    fn includes(&self, field: usize) -> bool {
        if self.fields.is_empty() {
            return field == 1;
        }
        self.fields.iter().any(|(from, to)| (*from..=*to).contains(&field))
    }

    /// Writes a line with its numbers converted: were they all? `None`: one was not, and that ends it all.
    fn line(&self, line: &[u8], out: &mut Output<'_, '_>) -> Result<Option<bool>, Failure> {
        let mut rest = line;
        let mut valid = true;
        for field in 1.. {
            let length = match self.delimiter {
                Some(delimiter) => rest.iter().position(|byte| *byte == delimiter).unwrap_or(rest.len()),
                None => {
                    let is_space = |byte: &u8| is_blank(*byte) || *byte == b'\n';
                    let blanks = rest.iter().take_while(|byte| is_space(byte)).count();
                    blanks + rest.iter().skip(blanks).take_while(|byte| !is_space(byte)).count()
                }
            };
            let (text, after) = rest.split_at_checked(length).unwrap_or((rest, b""));
            if self.includes(field) {
                match self.field(text, field, out)? {
                    None => return Ok(None),
                    Some(fine) => valid &= fine,
                }
            } else {
                out.push(text)?;
            }
            let Some((_, after)) = after.split_first() else { break };
            out.byte(self.delimiter.unwrap_or(b' '))?;
            rest = after;
        }
        Ok(Some(valid))
    }

    fn field(&self, text: &[u8], field: usize, out: &mut Output<'_, '_>) -> Result<Option<bool>, Failure> {
        let text = match text.strip_suffix(self.suffix) {
            Some(text) if !text.is_empty() => text,
            _ => text,
        };
        let blanks = text.iter().take_while(|byte| is_blank(**byte)).count();
        let word = text.get(blanks..).unwrap_or_default();
        // Where blanks align it, it takes as much room as before.
        let is_auto = self.padding == 0 && self.delimiter.is_none();
        let width = if !is_auto {
            self.padding
        } else if blanks > 0 || field > 1 {
            text.len()
        } else {
            0
        };
        let converted = Number::read(word, self.from).and_then(|number| {
            let precision = self.format.precision;
            number.with_units(self.from_unit, self.to_unit).show(self.to, self.round, precision, self.format.zeros)
        });
        match converted {
            Ok(mut number) => {
                number.extend_from_slice(self.suffix);
                let fill = width.saturating_sub(number.len());
                out.push(&self.format.before)?;
                if !self.left {
                    out.fill(b' ', fill)?;
                }
                out.push(&number)?;
                if self.left {
                    out.fill(b' ', fill)?;
                }
                out.push(&self.format.after)?;
                Ok(Some(true))
            }
            Err(message) => {
                if self.invalid != Invalid::Ignore {
                    out.message(&message)?;
                }
                if self.invalid == Invalid::Abort {
                    return Ok(None);
                }
                out.push(text)?;
                Ok(Some(false))
            }
        }
    }
}
