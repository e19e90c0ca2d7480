//! Integer arguments and conversions.

use bstr::BString;

use super::PrintfError;
use super::directive::Flags;
use crate::integer::{DecimalBuffer, decimal};
use crate::pattern::decode;

/// The value after a leading quote: the code of the character after it (POSIX XCU printf).
pub(super) fn character_value(argument: &[u8], bytes: bool) -> Option<u32> {
    let [b'\'' | b'"', rest @ ..] = argument else {
        return None;
    };
    if rest.is_empty() {
        return Some(0);
    }
    let (code, length) = decode(rest, 0, bytes);
    Some(if length == 1 { u32::from(rest[0]) } else { code })
}

/// The right complaint about an argument that is no number.
pub(super) fn invalid(argument: &[u8]) -> PrintfError {
    let text = BString::from(argument);
    match argument {
        [b'0', b'0'..=b'9', ..] => PrintfError::InvalidOctal(text),
        [b'0', b'x', ..] => PrintfError::InvalidHex(text),
        _ => PrintfError::InvalidNumber(text),
    }
}

/// A sign and magnitude as `strtoimax` with base 0 reads them.
struct Parsed {
    negative: bool,
    /// `None` when it does not fit 64 bits.
    magnitude: Option<u64>,
    complete: bool,
}

fn parse(argument: &[u8]) -> Parsed {
    let mut rest = argument;
    while let [b' ' | b'\t'..=b'\r', tail @ ..] = rest {
        rest = tail;
    }
    let mut negative = false;
    if let [sign @ (b'+' | b'-'), tail @ ..] = rest {
        negative = *sign == b'-';
        rest = tail;
    }
    let base = match rest {
        [b'0', b'x' | b'X', digit, ..] if digit.is_ascii_hexdigit() => {
            rest = &rest[2..];
            16
        }
        [b'0', ..] => 8,
        _ => 10,
    };
    let mut magnitude = Some(0_u64);
    let mut count = 0;
    while let Some(digit) = rest.get(count).and_then(|&byte| char::from(byte).to_digit(base)) {
        magnitude = magnitude.and_then(|value| value.checked_mul(base.into())?.checked_add(digit.into()));
        count += 1;
    }
    // Without a digit nothing was read, not even the sign; an empty argument is zero all the same.
    let complete = if count == 0 { argument.is_empty() } else { count == rest.len() };
    Parsed { negative, magnitude, complete }
}

/// The value of an argument for `%d` and `%i`.
pub(super) fn signed(argument: &[u8], bytes: bool, errors: &mut Vec<PrintfError>) -> i64 {
    if let Some(code) = character_value(argument, bytes) {
        return code.into();
    }
    let parsed = parse(argument);
    let value = parsed.magnitude.map(i128::from).map(|value| if parsed.negative { -value } else { value });
    let value = value.and_then(|value| i64::try_from(value).ok());
    complain(&parsed, value.is_none(), argument, errors);
    value.unwrap_or(if parsed.negative { i64::MIN } else { i64::MAX })
}

/// The value of an argument for `%u %o %x %X`: a negative number wraps.
pub(super) fn unsigned(argument: &[u8], bytes: bool, errors: &mut Vec<PrintfError>) -> u64 {
    if let Some(code) = character_value(argument, bytes) {
        return code.into();
    }
    let parsed = parse(argument);
    complain(&parsed, parsed.magnitude.is_none(), argument, errors);
    match parsed.magnitude {
        Some(value) if parsed.negative => value.wrapping_neg(),
        Some(value) => value,
        None => u64::MAX,
    }
}

fn complain(parsed: &Parsed, out_of_range: bool, argument: &[u8], errors: &mut Vec<PrintfError>) {
    if !parsed.complete {
        errors.push(invalid(argument));
    } else if out_of_range {
        errors.push(PrintfError::OutOfRange(argument.into()));
    }
}

/// The sign or base prefix of a converted number and its digits, to be padded by the caller.
pub(super) struct Digits {
    pub(super) prefix: &'static [u8],
    buffer: [u8; 24],
    start: usize,
    /// Zeros between the prefix and the digits.
    pub(super) zeros: usize,
}

impl Digits {
    pub(super) fn digits(&self) -> &[u8] {
        &self.buffer[self.start..]
    }

    fn new(prefix: &'static [u8], digits: &[u8], precision: Option<usize>) -> Self {
        let mut buffer = [0; 24];
        let start = buffer.len() - digits.len();
        buffer[start..].copy_from_slice(digits);
        let zeros = precision.unwrap_or(0).saturating_sub(digits.len());
        Self { prefix, buffer, start, zeros }
    }

    /// `%d` and `%i`.
    pub(super) fn signed(value: i64, flags: Flags, precision: Option<usize>) -> Self {
        let mut buffer = DecimalBuffer::new();
        let text = decimal(value, &mut buffer);
        let digits = text.strip_prefix(b"-").unwrap_or(text);
        let prefix: &[u8] = match () {
            () if value < 0 => b"-",
            () if flags.plus => b"+",
            () if flags.space => b" ",
            () => b"",
        };
        Self::new(prefix, zero_is_empty(digits, precision), precision)
    }

    /// `%u %o %x %X`.
    pub(super) fn unsigned(value: u64, conversion: u8, flags: Flags, precision: Option<usize>) -> Self {
        const LOWER: &[u8; 16] = b"0123456789abcdef";
        const UPPER: &[u8; 16] = b"0123456789ABCDEF";
        let (base, table): (u64, _) = match conversion {
            b'o' => (8, LOWER),
            b'x' => (16, LOWER),
            b'X' => (16, UPPER),
            _ => (10, LOWER),
        };
        let mut buffer = [0; 24];
        let mut at = buffer.len();
        let mut rest = value;
        loop {
            at -= 1;
            buffer[at] = table[(rest % base) as usize];
            rest /= base;
            if rest == 0 {
                break;
            }
        }
        let mut digits = Self::new(b"", zero_is_empty(&buffer[at..], precision), precision);
        if flags.alternate {
            match conversion {
                b'x' if value != 0 => digits.prefix = b"0x",
                b'X' if value != 0 => digits.prefix = b"0X",
                // The first digit must be a zero.
                b'o' if digits.zeros == 0 && digits.digits().first() != Some(&b'0') => digits.zeros = 1,
                _ => {}
            }
        }
        digits
    }
}

/// Zero with precision zero has no digit.
fn zero_is_empty(digits: &[u8], precision: Option<usize>) -> &[u8] {
    if precision == Some(0) && digits == b"0" { b"" } else { digits }
}
