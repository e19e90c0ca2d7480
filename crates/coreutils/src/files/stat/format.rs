//! A format of `stat`: its directives and escapes, and C's `printf` for what they stand for (coreutils 9.1, `stat.c`).

/// A part of a format.
#[derive(Debug)]
pub(super) enum Piece {
    Text(Vec<u8>),
    Directive(Directive),
    /// What `--printf` warns of each time.
    Warning(Vec<u8>),
    /// `%5%`: it ends the run.
    Invalid(Vec<u8>),
}

/// `%`, flags, width, precision, letter.
#[derive(Debug)]
pub(super) struct Directive {
    /// `H` or `L`: the major or the minor number of a device.
    pub(super) part: Option<u8>,
    pub(super) letter: u8,
    flags: Vec<u8>,
    width: usize,
    /// `%.X`: a point without a number.
    precision: Option<Option<usize>>,
}

/// What a directive stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    Text(Vec<u8>),
    Signed(i64),
    Unsigned(u64),
    Octal(u64),
    Hexadecimal(u64),
    /// Seconds and nanoseconds since 1970.
    Time(i64, u32),
}

/// The widest that a call has memory for.
const MOST: usize = 1 << 16;

/// Reads a format; `escapes`: as `--printf` has it. `parts`: does `%Hd` name a part of a device number? `None`: too wide.
pub(super) fn read(mut rest: &[u8], escapes: bool, parts: bool) -> Option<Vec<Piece>> {
    let mut pieces = Vec::new();
    let mut literal = Vec::new();
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        match byte {
            b'%' => {
                let (piece, length) = directive(rest, parts)?;
                rest = rest.get(length..).unwrap_or_default();
                match piece {
                    Piece::Text(text) => literal.extend_from_slice(&text),
                    piece => {
                        pieces.push(Piece::Text(std::mem::take(&mut literal)));
                        pieces.push(piece);
                    }
                }
            }
            b'\\' if escapes => {
                let (character, length, warning) = escape(rest);
                literal.push(character);
                rest = rest.get(length..).unwrap_or_default();
                pieces.extend(warning.map(Piece::Warning));
            }
            _ => literal.push(byte),
        }
    }
    pieces.push(Piece::Text(literal));
    Some(pieces)
}

/// What stands after `%`, and its length.
fn directive(text: &[u8], parts: bool) -> Option<(Piece, usize)> {
    let mut at = text.iter().take_while(|byte| b"'-+ #0I".contains(byte)).count();
    let flags = text.get(..at).unwrap_or_default().to_vec();
    let number = |from: usize| {
        let digits = text.iter().skip(from).take_while(|byte| byte.is_ascii_digit());
        digits.fold((0_usize, from), |(value, end), digit| {
            (value.saturating_mul(10).saturating_add(usize::from(digit - b'0')), end + 1)
        })
    };
    let (width, end) = number(at);
    at = end;
    let mut precision = None;
    if text.get(at) == Some(&b'.') {
        let (value, end) = number(at + 1);
        precision = Some((end > at + 1).then_some(value));
        at = end;
    }
    if width > MOST || precision.flatten().is_some_and(|precision| precision > MOST) {
        return None;
    }
    let mut letter = text.get(at).copied();
    let mut part = None;
    if let (Some(kind @ (b'H' | b'L')), Some(following @ (b'd' | b'r')), true) = (letter, text.get(at + 1), parts) {
        part = Some(kind);
        letter = Some(*following);
        at += 1;
    }
    let piece = match letter {
        None | Some(b'%') if at > 0 => {
            Piece::Invalid([b"%", text.get(..at + usize::from(letter.is_some())).unwrap_or_default()].concat())
        }
        None | Some(b'%') => Piece::Text(b"%".to_vec()),
        Some(letter) => Piece::Directive(Directive { part, letter, flags, width, precision }),
    };
    Some((piece, at + usize::from(letter.is_some())))
}

/// The byte of an escape after its backslash, its length, and what is said of it.
fn escape(text: &[u8]) -> (u8, usize, Option<Vec<u8>>) {
    let number = |digits: &[u8], radix: u32, most: usize| {
        let values = digits.iter().take(most).map_while(|digit| char::from(*digit).to_digit(radix));
        let (number, length) = values.fold((0, 0), |(number, length), digit| (number * radix + digit, length + 1));
        (number.to_le_bytes()[0], length)
    };
    let Some(&letter) = text.first() else {
        return (b'\\', 0, Some(b"warning: backslash at end of format".to_vec()));
    };
    let byte = match letter {
        b'x' if text.get(1).is_some_and(u8::is_ascii_hexdigit) => {
            let (byte, length) = number(text.get(1..).unwrap_or_default(), 16, 2);
            return (byte, length + 1, None);
        }
        b'0'..=b'7' => {
            let (byte, length) = number(text, 8, 3);
            return (byte, length, None);
        }
        b'a' => 0x07,
        b'b' => 0x08,
        b'e' => 0x1b,
        b'f' => 0x0c,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'v' => 0x0b,
        b'\\' | b'"' => letter,
        _ => return (letter, 1, Some([b"warning: unrecognized escape '\\", &[letter][..], b"'"].concat())),
    };
    (byte, 1, None)
}

impl Directive {
    fn has(&self, flag: u8) -> bool {
        self.flags.contains(&flag)
    }

    /// Appends a value in this form.
    pub(super) fn write(&self, out: &mut Vec<u8>, value: &Value) {
        let precision = self.precision.map(Option::unwrap_or_default);
        match value {
            Value::Text(text) => {
                let shown = text.get(..text.len().min(precision.unwrap_or(usize::MAX))).unwrap_or_default();
                pad(out, b"", shown, self.width, self.has(b'-'), false);
            }
            Value::Signed(number) => self.number(out, &signed(*number, |flag| self.has(flag)), precision, self.width),
            Value::Unsigned(number) => self.number(out, &("", number.to_string()), precision, self.width),
            Value::Octal(number) => {
                let mut digits = format!("{number:o}");
                if self.has(b'#') && *number != 0 && precision.is_none_or(|precision| precision <= digits.len()) {
                    digits.insert(0, '0');
                }
                self.number(out, &("", digits), precision, self.width);
            }
            Value::Hexadecimal(number) => {
                let sign = if self.has(b'#') && *number != 0 { "0x" } else { "" };
                self.number(out, &(sign, format!("{number:x}")), precision, self.width);
            }
            Value::Time(seconds, nanos) => self.time(out, *seconds, *nanos),
        }
    }

    /// A number of a sign and digits, as `printf` lays it out.
    fn number(&self, out: &mut Vec<u8>, (sign, digits): &(&str, String), precision: Option<usize>, width: usize) {
        let mut digits = digits.clone();
        if let Some(precision) = precision {
            if precision == 0 && digits == "0" {
                digits.clear();
            }
            digits.insert_str(0, &"0".repeat(precision.saturating_sub(digits.len())));
        }
        let zeros = self.has(b'0') && precision.is_none();
        pad(out, sign.as_bytes(), digits.as_bytes(), width, self.has(b'-'), zeros);
    }

    /// Seconds with as many digits after the point as the precision says (`out_epoch_sec`).
    fn time(&self, out: &mut Vec<u8>, seconds: i64, nanos: u32) {
        let precision = match self.precision {
            None => 0,
            Some(precision) => precision.unwrap_or(9),
        };
        let digits = precision.min(9);
        let divisor = 10_u32.pow(u32::try_from(9 - digits).unwrap_or(0));
        let mut fraction = nanos / divisor;
        let mut seconds = seconds;
        let mut is_minus_zero = false;
        if seconds < 0 && nanos != 0 {
            // The fraction counts away from zero.
            fraction = 1_000_000_000 / divisor - fraction - u32::from(!nanos.is_multiple_of(divisor));
            seconds += i64::from(fraction != 0);
            is_minus_zero = seconds == 0;
        }
        let whole = if is_minus_zero { ("-", "0".to_owned()) } else { signed(seconds, |flag| self.has(flag)) };
        if precision == 0 {
            return self.number(out, &whole, None, self.width);
        }
        // The width is of the whole text; aligned to the left, the blanks stand after the fraction.
        let start = out.len();
        let rest = if self.width > 1 { self.width.saturating_sub(precision + 1) } else { 0 };
        if self.has(b'-') {
            pad(out, whole.0.as_bytes(), whole.1.as_bytes(), 0, false, false);
        } else {
            let width = if self.width > 1 && rest > 1 { rest } else { 0 };
            pad(out, whole.0.as_bytes(), whole.1.as_bytes(), width, false, self.has(b'0'));
        }
        out.extend_from_slice(format!(".{fraction:0digits$}").as_bytes());
        out.extend(std::iter::repeat_n(b'0', precision - digits));
        let missing = self.width.saturating_sub(out.len() - start);
        if self.has(b'-') && self.width > 1 {
            out.extend(std::iter::repeat_n(b' ', missing));
        }
    }
}

/// The sign and the digits.
fn signed(number: i64, has: impl Fn(u8) -> bool) -> (&'static str, String) {
    let sign = match number {
        ..0 => "-",
        _ if has(b'+') => "+",
        _ if has(b' ') => " ",
        _ => "",
    };
    (sign, number.unsigned_abs().to_string())
}

fn pad(out: &mut Vec<u8>, sign: &[u8], text: &[u8], width: usize, to_left: bool, zeros: bool) {
    let missing = width.saturating_sub(sign.len() + text.len());
    if !to_left && !zeros {
        out.extend(std::iter::repeat_n(b' ', missing));
    }
    out.extend_from_slice(sign);
    if !to_left && zeros {
        out.extend(std::iter::repeat_n(b'0', missing));
    }
    out.extend_from_slice(text);
    if to_left {
        out.extend(std::iter::repeat_n(b' ', missing));
    }
}
