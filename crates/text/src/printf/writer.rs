//! Carrying out a format.

use bstr::BString;

use super::directive::{Count, Directive, Flags};
use super::escape::{Escape, Place, push_escape, push_operand};
use super::integer::{Digits, signed, unsigned};
use super::{Outcome, PrintfEnv, PrintfError, float, float_text};
use crate::quote;
use crate::strftime::strftime;

/// The output is at its end: `\c`, or an error that stops.
struct Stop;

pub(super) struct Writer<'a> {
    arguments: &'a [&'a [u8]],
    next: usize,
    env: &'a dyn PrintfEnv,
    bytes: bool,
    out: &'a mut Vec<u8>,
    /// Where our own output starts in `out`.
    start: usize,
    limit: usize,
    outcome: Outcome,
}

impl<'a> Writer<'a> {
    pub(super) fn new(arguments: &'a [&'a [u8]], env: &'a dyn PrintfEnv, out: &'a mut Vec<u8>) -> Self {
        let start = out.len();
        let (bytes, limit) = (env.bytes(), env.max_output());
        Self { arguments, next: 0, env, bytes, out, start, limit, outcome: Outcome::default() }
    }

    pub(super) fn finish(mut self) -> Outcome {
        self.place_errors(self.out.len());
        self.outcome
    }

    pub(super) fn run(&mut self, format: &[u8]) {
        loop {
            let before = self.next;
            if self.once(format).is_err() || self.next >= self.arguments.len() || self.next == before {
                return;
            }
        }
    }

    fn once(&mut self, format: &[u8]) -> Result<(), Stop> {
        let mut rest = format;
        while let Some(at) = memchr::memchr2(b'%', b'\\', rest) {
            self.push(&rest[..at])?;
            self.place_errors(self.out.len());
            let place = self.out.len();
            let special = rest[at];
            rest = &rest[at + 1..];
            if special == b'\\' {
                if let Escape::Used(count) =
                    push_escape(rest, Place::Format, self.bytes, &mut self.outcome.errors, self.out)
                {
                    rest = &rest[count..];
                }
                self.place_errors(place);
                continue;
            }
            rest = match rest {
                [b'%', tail @ ..] => {
                    self.push(b"%")?;
                    tail
                }
                // The two most usual conversions need no reading.
                [b's', tail @ ..] => {
                    let text = self.argument();
                    self.push(text)?;
                    tail
                }
                _ => {
                    let tail = self.directive(rest);
                    self.place_errors(place);
                    tail?
                }
            };
        }
        self.push(rest)
    }

    /// The errors that have come since stand after so much of the output.
    fn place_errors(&mut self, place: usize) {
        self.outcome.error_places.resize(self.outcome.errors.len(), place - self.start);
    }

    /// The next argument; a missing one is empty.
    fn argument(&mut self) -> &'a [u8] {
        self.take().unwrap_or_default()
    }

    fn take(&mut self) -> Option<&'a [u8]> {
        let argument = self.arguments.get(self.next).copied()?;
        self.next += 1;
        Some(argument)
    }

    fn fail<T>(&mut self, error: PrintfError) -> Result<T, Stop> {
        self.outcome.errors.push(error);
        Err(Stop)
    }

    /// Fails when so many more bytes are over the limit.
    fn reserve(&mut self, more: usize) -> Result<(), Stop> {
        let written = self.out.len() - self.start;
        if more > self.limit.saturating_sub(written) {
            return self.fail(PrintfError::TooLong { limit: self.limit });
        }
        Ok(())
    }

    fn push(&mut self, text: &[u8]) -> Result<(), Stop> {
        self.reserve(text.len())?;
        self.out.extend_from_slice(text);
        Ok(())
    }

    fn fill(&mut self, byte: u8, count: usize) {
        self.out.resize(self.out.len() + count, byte);
    }

    /// Writes a string in its field.
    fn padded(&mut self, text: &[u8], width: usize, left: bool) -> Result<(), Stop> {
        self.reserve(text.len().max(width))?;
        let padding = width.saturating_sub(text.len());
        if !left {
            self.fill(b' ', padding);
        }
        self.out.extend_from_slice(text);
        if left {
            self.fill(b' ', padding);
        }
        Ok(())
    }

    /// Writes a number in its field: spaces or zeros around `prefix`, so many zeros, and `body`.
    fn number(
        &mut self,
        prefix: &[u8],
        zeros: usize,
        body: &[u8],
        field: Field,
        zero_padded: bool,
    ) -> Result<(), Stop> {
        let length = prefix.len().saturating_add(zeros).saturating_add(body.len());
        self.reserve(length.max(field.width))?;
        let padding = field.width.saturating_sub(length);
        if !field.flags.left && !zero_padded {
            self.fill(b' ', padding);
        }
        self.out.extend_from_slice(prefix);
        if !field.flags.left && zero_padded {
            self.fill(b'0', padding);
        }
        self.fill(b'0', zeros);
        self.out.extend_from_slice(body);
        if field.flags.left {
            self.fill(b' ', padding);
        }
        Ok(())
    }

    /// A width or precision given as an argument, as a C `int`.
    fn count_argument(&mut self) -> i32 {
        let Some(argument) = self.take() else {
            return 0;
        };
        let value = signed(argument, self.bytes, &mut self.outcome.errors);
        i32::try_from(value).unwrap_or_else(|_| {
            self.outcome.errors.push(PrintfError::OutOfRange(argument.into()));
            if value < 0 { i32::MIN } else { i32::MAX }
        })
    }

    fn field(&mut self, directive: Directive) -> Field {
        let mut flags = directive.flags;
        let width = match directive.width {
            Count::Absent => 0,
            Count::Number(width) => width,
            Count::Argument => {
                let width = self.count_argument();
                flags.left |= width < 0;
                width.unsigned_abs() as usize
            }
        };
        let precision = match directive.precision {
            Count::Absent => None,
            Count::Number(precision) => Some(precision),
            Count::Argument => usize::try_from(self.count_argument()).ok(),
        };
        Field { flags, width, precision }
    }

    /// Carries out the conversion specification that `text` starts with, after its `%`; gives what is left.
    fn directive<'f>(&mut self, text: &'f [u8]) -> Result<&'f [u8], Stop> {
        let (directive, rest) = Directive::parse(text);
        let field = self.field(directive);
        let [conversion, tail @ ..] = rest else {
            let mut specification = BString::from("%");
            specification.extend_from_slice(text);
            return self.fail(PrintfError::MissingCharacter(specification));
        };
        match conversion {
            b'd' | b'i' => {
                let argument = self.argument();
                let value = signed(argument, self.bytes, &mut self.outcome.errors);
                let digits = Digits::signed(value, field.flags, field.precision);
                self.number(digits.prefix, digits.zeros, digits.digits(), field, field.zero_padded_integer())?;
            }
            b'o' | b'u' | b'x' | b'X' => {
                let argument = self.argument();
                let value = unsigned(argument, self.bytes, &mut self.outcome.errors);
                let digits = Digits::unsigned(value, *conversion, field.flags, field.precision);
                self.number(digits.prefix, digits.zeros, digits.digits(), field, field.zero_padded_integer())?;
            }
            b'e' | b'E' | b'f' | b'F' | b'g' | b'G' | b'a' | b'A' => self.float(*conversion, field)?,
            b's' => {
                let text = self.argument();
                self.padded(field.cut(text), field.width, field.flags.left)?;
            }
            b'c' => {
                // Without a character it is the NUL that ends the empty string.
                let byte = self.argument().first().copied().unwrap_or(0);
                self.padded(&[byte], field.width, field.flags.left)?;
            }
            b'b' => self.operand(field)?,
            b'q' | b'Q' => {
                let argument = self.argument();
                // `%Q` cuts before it quotes, `%q` afterwards.
                let argument = if *conversion == b'Q' { field.cut(argument) } else { argument };
                let mut quoted = Vec::with_capacity(argument.len() + 2);
                quote::backslashes(argument, self.bytes, &mut quoted);
                let quoted = if *conversion == b'q' { field.cut(&quoted) } else { &quoted };
                self.padded(quoted, field.width, field.flags.left)?;
            }
            b'(' => return self.time(tail, field),
            b'n' => self.count()?,
            other => return self.fail(PrintfError::InvalidCharacter(*other)),
        }
        Ok(tail)
    }

    fn float(&mut self, conversion: u8, field: Field) -> Result<(), Stop> {
        let argument = self.argument();
        let value = float::parse_argument(argument, self.bytes, &mut self.outcome.errors);
        // So many digits would be made before they could be counted.
        self.reserve(field.precision.unwrap_or(0))?;
        let text = float_text::convert(value, conversion, field.flags, field.precision);
        let zero_padded = field.flags.zero && text.is_number;
        self.number(&text.prefix, 0, &text.body, field, zero_padded)
    }

    /// `%b`
    fn operand(&mut self, field: Field) -> Result<(), Stop> {
        let argument = self.argument();
        let mut expanded = Vec::with_capacity(argument.len());
        let complete = push_operand(argument, self.bytes, &mut self.outcome.errors, &mut expanded);
        self.padded(field.cut(&expanded), field.width, field.flags.left)?;
        if complete {
            return Ok(());
        }
        self.outcome.stop = true;
        Err(Stop)
    }

    /// `%(FORMAT)T`; `text` follows the parenthesis.
    fn time<'f>(&mut self, text: &'f [u8], field: Field) -> Result<&'f [u8], Stop> {
        let mut depth = 1_usize;
        let close = text.iter().position(|byte| {
            match byte {
                b'(' => depth += 1,
                b')' => depth -= 1,
                _ => {}
            }
            depth == 0
        });
        let after = close.map(|close| text.get(close + 1).copied());
        let (Some(close), Some(Some(b'T'))) = (close, after) else {
            self.outcome.errors.push(PrintfError::InvalidTimeFormat(after.flatten()));
            self.push(b"%(")?;
            return Ok(text);
        };
        let seconds = match self.take() {
            None => self.env.now(),
            Some(argument) => match signed(argument, self.bytes, &mut self.outcome.errors) {
                -1 => self.env.now(),
                -2 => self.env.start(),
                seconds => seconds,
            },
        };
        let format = if close == 0 { b"%X".as_slice() } else { &text[..close] };
        let mut formatted = Vec::new();
        let zone = self.env.zone(seconds);
        if !strftime(format, seconds, 0, &zone, self.limit, &mut formatted) {
            return self.fail(PrintfError::TooLong { limit: self.limit });
        }
        self.padded(field.cut(&formatted), field.width, field.flags.left)?;
        Ok(&text[close + 2..])
    }

    /// `%n`
    fn count(&mut self) -> Result<(), Stop> {
        let name = self.argument();
        let valid = name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
            && !name.first().is_some_and(u8::is_ascii_digit);
        if !valid {
            return self.fail(PrintfError::InvalidIdentifier(name.into()));
        }
        if !name.is_empty() {
            let written = self.out.len() - self.start;
            self.outcome.counts.push((name.to_vec(), i64::try_from(written).unwrap_or(i64::MAX)));
        }
        Ok(())
    }
}

/// The flags, width and precision of a conversion, arguments read.
#[derive(Debug, Clone, Copy)]
struct Field {
    flags: Flags,
    width: usize,
    precision: Option<usize>,
}

impl Field {
    /// The part of a string that the precision allows, in bytes.
    fn cut(self, text: &[u8]) -> &[u8] {
        match self.precision {
            Some(precision) => &text[..precision.min(text.len())],
            None => text,
        }
    }

    /// A precision turns the `0` flag off.
    fn zero_padded_integer(self) -> bool {
        self.flags.zero && self.precision.is_none()
    }
}
