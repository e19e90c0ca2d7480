//! Numbers as jq 1.7 keeps them: a literal stays the decimal that was written (IBM's decNumber) until it is computed
//! with, and is a double from then on.

use std::cmp::Ordering;
use std::sync::Arc;

/// How many digits of a literal its double is made of (jq's `DEC_NUBMER_DOUBLE_PRECISION`).
const DOUBLE_DIGITS: usize = 17;
/// The largest exponent of a literal; beyond it is infinity.
const MAX_EXPONENT: i64 = 999_999_999;
/// The smallest exponent of a literal's last digit; below it is zero.
const MIN_EXPONENT: i64 = -1_147_483_646;
/// The largest integer that is written without an exponent whatever its digits are.
const PLAIN_INTEGER: f64 = 1e16;

/// A number literal that a double does not stand for: `1.0`, `100000000000000000001`, `1e1000`.
#[derive(Debug)]
pub(super) struct Literal {
    decimal: Decimal,
    value: f64,
    text: Box<str>,
}

impl Literal {
    /// The double that it is computed with.
    pub(super) fn value(&self) -> f64 {
        self.value
    }

    /// How it is written; infinity is not, but as the largest double.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// What it is compared by.
    pub(super) fn decimal(&self) -> &Decimal {
        &self.decimal
    }

    /// Is it not a number?
    pub(super) fn is_nan(&self) -> bool {
        matches!(self.decimal, Decimal::NotANumber)
    }
}

/// A decimal number of any precision.
#[derive(Debug, Clone)]
pub(super) enum Decimal {
    Finite { negative: bool, digits: Vec<u8>, exponent: i64 },
    Infinite { negative: bool },
    NotANumber,
}

/// What a text of a number is.
#[derive(Debug)]
pub(super) enum Written {
    /// A literal that is printed as its double is.
    Short(f64),
    /// Another literal.
    Long(Arc<Literal>),
}

/// Reads what `decNumberFromString` reads: `1`, `-.5e3`, `007`, `nan`, `-Infinity`.
pub(super) fn parse(text: &[u8]) -> Option<Written> {
    if let Some(short) = parse_short(text) {
        return Some(Written::Short(short));
    }
    let decimal = parse_decimal(text)?;
    let value = to_double(&decimal);
    let text = match &decimal {
        Decimal::NotANumber => "null".into(),
        Decimal::Infinite { .. } => format_double(value).into(),
        Decimal::Finite { negative, digits, exponent } => scientific(*negative, digits, *exponent).into(),
    };
    Some(Written::Long(Arc::new(Literal { decimal, value, text })))
}

/// A literal of at most 15 digits that looks as its double is printed: the usual case, without allocation.
fn parse_short(text: &[u8]) -> Option<f64> {
    let (negative, digits) = match text.split_first()? {
        (b'-', rest) => (true, rest),
        _ => (false, text),
    };
    if digits.is_empty() || digits.len() > 16 {
        return None;
    }
    let mut mantissa: u64 = 0;
    let mut fraction: Option<usize> = None;
    for (at, byte) in digits.iter().enumerate() {
        match byte {
            b'0'..=b'9' => mantissa = mantissa * 10 + u64::from(byte - b'0'),
            b'.' if fraction.is_none() && at > 0 => fraction = Some(digits.len() - at - 1),
            _ => return None,
        }
    }
    let places = fraction.unwrap_or(0);
    let count = digits.len() - usize::from(fraction.is_some());
    if count > 15 {
        return None;
    }
    let leading_zero = digits.first() == Some(&b'0');
    if fraction.is_some() {
        // No `1.`, `1.0`, `00.5`; `0.0001` is printed in another way as a double.
        if places == 0 || digits.last() == Some(&b'0') || (leading_zero && count - places > 1) {
            return None;
        }
        if leading_zero && mantissa * 1000 < 10_u64.checked_pow(u32::try_from(places).ok()?)? {
            return None;
        }
    } else if leading_zero && count > 1 {
        return None;
    }
    const POWERS: [f64; 16] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
    // Both are exact, so that the quotient is the nearest double.
    #[allow(clippy::cast_precision_loss, reason = "below 10^15")]
    let value = mantissa as f64 / POWERS.get(places)?;
    Some(if negative { -value } else { value })
}

fn parse_decimal(text: &[u8]) -> Option<Decimal> {
    let (negative, rest) = match text.split_first()? {
        (b'-', rest) => (true, rest),
        (b'+', rest) => (false, rest),
        _ => (false, text),
    };
    if rest.eq_ignore_ascii_case(b"inf") || rest.eq_ignore_ascii_case(b"infinity") {
        return Some(Decimal::Infinite { negative });
    }
    let payload = match rest {
        [b's' | b'S', rest @ ..] if rest.get(..3).is_some_and(|text| text.eq_ignore_ascii_case(b"nan")) => {
            rest.get(3..)
        }
        _ if rest.get(..3).is_some_and(|text| text.eq_ignore_ascii_case(b"nan")) => rest.get(3..),
        _ => None,
    };
    if let Some(payload) = payload {
        return payload.iter().all(u8::is_ascii_digit).then_some(Decimal::NotANumber);
    }
    let mut digits = Vec::new();
    let mut exponent: i64 = 0;
    let mut point = false;
    let mut any = false;
    let mut bytes = rest.iter();
    let mut written = None;
    for byte in bytes.by_ref() {
        match byte {
            b'0'..=b'9' => {
                any = true;
                if *byte != b'0' || !digits.is_empty() {
                    digits.push(*byte);
                }
                if point {
                    exponent -= 1;
                }
            }
            b'.' if !point => point = true,
            b'e' | b'E' => {
                written = Some(bytes.as_slice());
                break;
            }
            _ => return None,
        }
    }
    if !any {
        return None;
    }
    if let Some(written) = written {
        let (down, digits) = match written.split_first()? {
            (b'-', rest) => (true, rest),
            (b'+', rest) => (false, rest),
            _ => (false, written),
        };
        if digits.is_empty() {
            return None;
        }
        let mut value: i64 = 0;
        for byte in digits {
            if !byte.is_ascii_digit() {
                return None;
            }
            value = (value * 10 + i64::from(byte - b'0')).min(10 * MAX_EXPONENT);
        }
        exponent += if down { -value } else { value };
    }
    if digits.is_empty() {
        digits.push(b'0');
        exponent = exponent.clamp(MIN_EXPONENT, MAX_EXPONENT);
    }
    let highest = exponent + i64::try_from(digits.len()).ok()? - 1;
    if highest > MAX_EXPONENT {
        return Some(Decimal::Infinite { negative });
    }
    if highest < MIN_EXPONENT {
        return Some(Decimal::Finite { negative, digits: vec![b'0'], exponent: MIN_EXPONENT });
    }
    Some(Decimal::Finite { negative, digits, exponent })
}

/// decNumber's conversion to a scientific string.
fn scientific(negative: bool, digits: &[u8], exponent: i64) -> String {
    let mut text = String::with_capacity(digits.len() + 8);
    if negative {
        text.push('-');
    }
    let digit = |byte: &u8| char::from(*byte);
    let count = i64::try_from(digits.len()).unwrap_or(i64::MAX);
    let highest = exponent + count - 1;
    if exponent <= 0 && highest >= -6 {
        let whole = count + exponent;
        if whole <= 0 {
            text.push_str("0.");
            (whole..0).for_each(|_| text.push('0'));
            text.extend(digits.iter().map(digit));
        } else {
            let whole = usize::try_from(whole).unwrap_or(digits.len()).min(digits.len());
            let (before, after) = digits.split_at(whole);
            text.extend(before.iter().map(digit));
            if !after.is_empty() {
                text.push('.');
                text.extend(after.iter().map(digit));
            }
        }
        return text;
    }
    if let Some((first, rest)) = digits.split_first() {
        text.push(digit(first));
        if !rest.is_empty() {
            text.push('.');
            text.extend(rest.iter().map(digit));
        }
    }
    text.push('E');
    text.push(if highest < 0 { '-' } else { '+' });
    text.push_str(&highest.unsigned_abs().to_string());
    text
}

/// Rounds to 17 digits, half to even, and takes the nearest double.
fn to_double(decimal: &Decimal) -> f64 {
    match decimal {
        Decimal::NotANumber => f64::NAN,
        Decimal::Infinite { negative: false } => f64::INFINITY,
        Decimal::Infinite { negative: true } => f64::NEG_INFINITY,
        Decimal::Finite { negative, digits, exponent } => {
            let mut text = String::new();
            if *negative {
                text.push('-');
            }
            let mut kept: Vec<u8> = digits.iter().take(DOUBLE_DIGITS).copied().collect();
            let mut exponent = *exponent;
            if let Some(rest) = digits.get(DOUBLE_DIGITS..).filter(|rest| !rest.is_empty()) {
                exponent += i64::try_from(rest.len()).unwrap_or(i64::MAX);
                let odd = kept.last().is_some_and(|last| (last - b'0') % 2 == 1);
                let up = match rest.first() {
                    Some(b'5') => odd || rest.iter().skip(1).any(|byte| *byte != b'0'),
                    Some(first) => *first > b'5',
                    None => false,
                };
                if up {
                    let mut carry = true;
                    for byte in kept.iter_mut().rev() {
                        if *byte == b'9' {
                            *byte = b'0';
                        } else {
                            *byte += 1;
                            carry = false;
                            break;
                        }
                    }
                    if carry {
                        kept.insert(0, b'1');
                    }
                }
            }
            text.extend(kept.iter().map(|byte| char::from(*byte)));
            text.push('e');
            text.push_str(&exponent.to_string());
            text.parse().unwrap_or(f64::NAN)
        }
    }
}

/// How jq prints a double: 17 digits at most, the shortest that read back as it; NaN is null, infinity the largest.
pub(super) fn format_double(value: f64) -> String {
    let mut text = String::new();
    push_double(value, &mut text);
    text
}

/// Appends a double as jq prints it.
pub(super) fn push_double(value: f64, out: &mut String) {
    use std::fmt::Write;
    if value.is_nan() {
        out.push_str("null");
        return;
    }
    let value = value.clamp(-f64::MAX, f64::MAX);
    if value.fract() == 0.0 && value.abs() < PLAIN_INTEGER {
        if value == 0.0 && value.is_sign_negative() {
            out.push('-');
        }
        #[allow(clippy::cast_possible_truncation, reason = "an integer below 10^16")]
        let integer = value as i64;
        let _ = write!(out, "{integer}");
        return;
    }
    let written = format!("{value:e}");
    let (mantissa, exponent) = written.split_once('e').unwrap_or((&written, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let mantissa = match mantissa.strip_prefix('-') {
        Some(mantissa) => {
            out.push('-');
            mantissa
        }
        None => mantissa,
    };
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let point = exponent + 1;
    let count = i32::try_from(digits.len()).unwrap_or(i32::MAX);
    if point <= -4 || point > count + 15 {
        let (first, rest) = digits.split_at(1);
        out.push_str(first);
        if !rest.is_empty() {
            out.push('.');
            out.push_str(rest);
        }
        let _ = write!(out, "e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs());
    } else if point <= 0 {
        out.push_str("0.");
        (point..0).for_each(|_| out.push('0'));
        out.push_str(&digits);
    } else if point < count {
        let (before, after) = digits.split_at(usize::try_from(point).unwrap_or(0));
        out.push_str(before);
        out.push('.');
        out.push_str(after);
    } else {
        out.push_str(&digits);
        (count..point).for_each(|_| out.push('0'));
    }
}

/// The order of two decimals; what is not a number is greater than anything.
pub(super) fn compare(a: &Decimal, b: &Decimal) -> Ordering {
    let rank = |decimal: &Decimal| match decimal {
        Decimal::NotANumber => 2,
        Decimal::Infinite { negative: false } => 1,
        Decimal::Infinite { negative: true } => -1,
        Decimal::Finite { .. } => 0,
    };
    let (
        Decimal::Finite { negative: negative_a, digits: digits_a, exponent: exponent_a },
        Decimal::Finite { negative: negative_b, digits: digits_b, exponent: exponent_b },
    ) = (a, b)
    else {
        if matches!(a, Decimal::NotANumber) || matches!(b, Decimal::NotANumber) {
            return Ordering::Greater;
        }
        return rank(a).cmp(&rank(b));
    };
    let zero = |digits: &[u8]| digits.iter().all(|digit| *digit == b'0');
    let sign = |negative: bool, digits: &[u8]| {
        if zero(digits) {
            0
        } else if negative {
            -1
        } else {
            1
        }
    };
    let (sign_a, sign_b) = (sign(*negative_a, digits_a), sign(*negative_b, digits_b));
    if sign_a != sign_b || sign_a == 0 {
        return sign_a.cmp(&sign_b);
    }
    let highest = |digits: &[u8], exponent: i64| exponent.saturating_add_unsigned(digits.len() as u64);
    let magnitude = highest(digits_a, *exponent_a).cmp(&highest(digits_b, *exponent_b)).then_with(|| {
        let count = digits_a.len().max(digits_b.len());
        let at = |digits: &[u8], index: usize| digits.get(index).copied().unwrap_or(b'0');
        (0..count)
            .map(|index| at(digits_a, index).cmp(&at(digits_b, index)))
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    });
    if sign_a < 0 { magnitude.reverse() } else { magnitude }
}

/// The decimal that a double is printed as.
pub(super) fn decimal_of(value: f64) -> Option<Decimal> {
    parse_decimal(format_double(value).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::{Written, format_double, parse};

    #[test]
    fn literals_are_printed_as_decnumber_does() {
        let cases = [
            ("1", "1"),
            ("-1.5", "-1.5"),
            ("1.0", "1.0"),
            ("1.10", "1.10"),
            ("1e2", "1E+2"),
            ("0.00001", "0.00001"),
            ("1E-7", "1E-7"),
            ("100000000000000000000", "100000000000000000000"),
            ("nan", "null"),
            ("-0", "-0"),
            (".1e5", "1E+4"),
            ("1.", "1"),
            ("00012", "12"),
            ("0.00", "0.00"),
            ("0e3", "0E+3"),
            ("1e1000000000", "1.7976931348623157e+308"),
            ("1.5e300", "1.5E+300"),
            ("0.001", "0.001"),
            ("0.25", "0.25"),
        ];
        for (text, expected) in cases {
            let printed = match parse(text.as_bytes()).unwrap() {
                Written::Short(value) => format_double(value),
                Written::Long(literal) => literal.text().to_owned(),
            };
            assert_eq!(printed, expected, "{text}");
        }
        for text in ["", "-", "+", ".", "1e", "1e+", "--1", "1x", "0x1", "tru", "nanx"] {
            assert!(parse(text.as_bytes()).is_none(), "{text}");
        }
    }

    #[test]
    fn doubles_are_printed_with_seventeen_digits_at_most() {
        let cases = [
            (0.1 + 0.2, "0.30000000000000004"),
            (1e17, "1e+17"),
            (1e15, "1000000000000000"),
            (123_456_789_012_345_680.0, "123456789012345680"),
            (5e-324, "5e-324"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (f64::INFINITY, "1.7976931348623157e+308"),
            (f64::NAN, "null"),
            (-0.0, "-0"),
            (1.25e-7, "1.25e-07"),
        ];
        for (value, expected) in cases {
            assert_eq!(format_double(value), expected);
        }
    }
}
