//! Numbers in keys.

use std::cmp::Ordering;

use super::key::is_blank;

fn after_blanks(text: &[u8]) -> &[u8] {
    let start = text.iter().position(|byte| !is_blank(*byte)).unwrap_or(text.len());
    text.get(start..).unwrap_or_default()
}

/// A number of any length: `-DIGITS.DIGITS`; what is none is 0.
struct Decimal<'a> {
    negative: bool,
    /// Without leading zeros.
    whole: &'a [u8],
    /// Without zeros at the end.
    fraction: &'a [u8],
    /// What follows.
    rest: &'a [u8],
}

fn digits(text: &[u8]) -> (&[u8], &[u8]) {
    let count = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    text.split_at_checked(count).unwrap_or((text, b""))
}

fn decimal(text: &[u8]) -> Decimal<'_> {
    let text = after_blanks(text);
    let (negative, text) = match text.strip_prefix(b"-") {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (whole, rest) = digits(text);
    let (fraction, rest) = match rest.strip_prefix(b".") {
        Some(rest) => digits(rest),
        None => (&b""[..], rest),
    };
    let zeros = whole.iter().take_while(|byte| **byte == b'0').count();
    let kept = fraction.iter().rposition(|byte| *byte != b'0').map_or(0, |at| at + 1);
    Decimal {
        negative,
        whole: whole.get(zeros..).unwrap_or_default(),
        fraction: fraction.get(..kept).unwrap_or_default(),
        rest,
    }
}

impl Decimal<'_> {
    fn is_zero(&self) -> bool {
        self.whole.is_empty() && self.fraction.is_empty()
    }

    fn compare(&self, other: &Self) -> Ordering {
        match (self.negative && !self.is_zero(), other.negative && !other.is_zero()) {
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            (negative, _) => {
                let order = self
                    .whole
                    .len()
                    .cmp(&other.whole.len())
                    .then_with(|| self.whole.cmp(other.whole))
                    .then_with(|| self.fraction.cmp(other.fraction));
                if negative { order.reverse() } else { order }
            }
        }
    }

    /// K is 1, M is 2, and so on; of a negative number negative.
    fn unit(&self) -> i8 {
        if self.is_zero() {
            return 0;
        }
        let unit = match self.rest.first() {
            Some(b'k' | b'K') => 1,
            Some(b'M') => 2,
            Some(b'G') => 3,
            Some(b'T') => 4,
            Some(b'P') => 5,
            Some(b'E') => 6,
            Some(b'Z') => 7,
            Some(b'Y') => 8,
            _ => 0,
        };
        if self.negative { -unit } else { unit }
    }

    /// The whole part as a signed number, cut at what fits.
    fn rank(&self) -> u64 {
        let whole = if self.whole.len() > 18 {
            i64::MAX
        } else {
            self.whole.iter().fold(0, |number, digit| number * 10 + i64::from(digit - b'0'))
        };
        ordered(if self.negative { -whole } else { whole })
    }
}

/// Signed numbers in the order of unsigned ones.
fn ordered(number: i64) -> u64 {
    number.cast_unsigned() ^ 1 << 63
}

/// `-n`.
pub(super) fn numeric(left: &[u8], right: &[u8]) -> Ordering {
    decimal(left).compare(&decimal(right))
}

pub(super) fn numeric_rank(text: &[u8]) -> u64 {
    decimal(text).rank()
}

/// `-h`: by the unit, then by the number.
pub(super) fn human(left: &[u8], right: &[u8]) -> Ordering {
    let (left, right) = (decimal(left), decimal(right));
    left.unit().cmp(&right.unit()).then_with(|| left.compare(&right))
}

pub(super) fn human_rank(text: &[u8]) -> u64 {
    ordered(decimal(text).unit().into())
}

/// A number as C's `strtold` reads it.
#[derive(Debug, Clone, Copy)]
enum General<'a> {
    Invalid,
    Nan {
        negative: bool,
    },
    /// The value in double precision, and the decimal text where there is one.
    Number(f64, Option<&'a [u8]>),
}

fn general_of(text: &[u8]) -> General<'_> {
    let start = text.iter().position(|byte| !matches!(byte, b' ' | b'\t'..=b'\r')).unwrap_or(text.len());
    let text = text.get(start..).unwrap_or_default();
    let (negative, body) = match text.split_first() {
        Some((b'-', rest)) => (true, rest),
        Some((b'+', rest)) => (false, rest),
        _ => (false, text),
    };
    let sign = |value: f64| if negative { -value } else { value };
    let begins = |word: &[u8]| body.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    if begins(b"inf") {
        return General::Number(sign(f64::INFINITY), None);
    }
    if begins(b"nan") {
        return General::Nan { negative };
    }
    if begins(b"0x")
        && let Some(value) = hexadecimal(body.get(2..).unwrap_or_default())
    {
        return General::Number(sign(value), None);
    }
    let (whole, rest) = digits(body);
    let (fraction, after) = match rest.strip_prefix(b".") {
        Some(rest) => digits(rest),
        None => (&b""[..], rest),
    };
    if whole.is_empty() && fraction.is_empty() {
        return General::Invalid;
    }
    let mut end = body.len() - after.len();
    if let Some(exponent) = after.strip_prefix(b"e").or_else(|| after.strip_prefix(b"E")) {
        let unsigned = exponent.strip_prefix(b"-").or_else(|| exponent.strip_prefix(b"+")).unwrap_or(exponent);
        let (number, rest) = digits(unsigned);
        if !number.is_empty() {
            end = body.len() - rest.len();
        }
    }
    let number = body.get(..end).unwrap_or_default();
    let value = std::str::from_utf8(number).ok().and_then(|text| text.parse().ok()).unwrap_or(0.0);
    General::Number(sign(value), Some(number))
}

/// The digits after `0x`.
fn hexadecimal(text: &[u8]) -> Option<f64> {
    let mut value = 0.0;
    let mut scale = 0;
    let mut any = false;
    let mut in_fraction = false;
    let mut rest = text;
    while let Some((byte, after)) = rest.split_first() {
        if *byte == b'.' && !in_fraction {
            in_fraction = true;
        } else if let Some(digit) = char::from(*byte).to_digit(16) {
            any = true;
            value = value * 16.0 + f64::from(digit);
            scale -= 4 * i32::from(in_fraction);
        } else {
            break;
        }
        rest = after;
    }
    if let Some(exponent) = rest.strip_prefix(b"p").or_else(|| rest.strip_prefix(b"P")) {
        let (negative, unsigned) = match exponent.split_first() {
            Some((b'-', rest)) => (true, rest),
            Some((b'+', rest)) => (false, rest),
            _ => (false, exponent),
        };
        let number =
            std::str::from_utf8(digits(unsigned).0).ok().and_then(|text| text.parse::<i32>().ok()).unwrap_or(0);
        scale += if negative { -number.min(20_000) } else { number.min(20_000) };
    }
    any.then(|| value * f64::exp2(f64::from(scale)))
}

impl General<'_> {
    fn class(&self) -> u8 {
        match self {
            Self::Invalid => 0,
            Self::Nan { negative: true } => 1,
            Self::Nan { negative: false } => 2,
            Self::Number(..) => 3,
        }
    }
}

/// `-g`: what is no number comes first, then what is not a number.
pub(super) fn general(left: &[u8], right: &[u8]) -> Ordering {
    let (left, right) = (general_of(left), general_of(right));
    let (General::Number(a, a_text), General::Number(b, b_text)) = (left, right) else {
        return left.class().cmp(&right.class());
    };
    let order = a.partial_cmp(&b).unwrap_or(Ordering::Equal);
    // GNU's have more digits than a double.
    match (order, a_text, b_text) {
        (Ordering::Equal, Some(a_text), Some(b_text)) if a_text != b_text => {
            let order = magnitude(a_text).cmp(&magnitude(b_text));
            if a.is_sign_negative() { order.reverse() } else { order }
        }
        _ => order,
    }
}

/// The place of the first digit and the digits from there, to as many as a long double has; zero is `None`.
fn magnitude(number: &[u8]) -> Option<(i64, Vec<u8>)> {
    let (whole, rest) = digits(number);
    let (fraction, rest) = match rest.strip_prefix(b".") {
        Some(rest) => digits(rest),
        None => (&b""[..], rest),
    };
    let exponent = rest
        .get(1..)
        .and_then(|text| std::str::from_utf8(text).ok())
        .map_or(0, |text| text.parse::<i64>().unwrap_or(if text.starts_with('-') { -99_999 } else { 99_999 }));
    let all = [whole, fraction].concat();
    let first = all.iter().position(|digit| *digit != b'0')?;
    let last = all.iter().rposition(|digit| *digit != b'0')?;
    let place = i64::try_from(whole.len()).ok()? - i64::try_from(first).ok()? + exponent.clamp(-99_999, 99_999);
    // Below the smallest long double everything is 0, above the greatest all is infinite.
    if place < -4950 {
        return None;
    }
    if place > 4933 {
        return Some((4934, Vec::new()));
    }
    let mut kept = all.get(first..=last)?.to_vec();
    kept.truncate(19);
    Some((place, kept))
}

pub(super) fn general_rank(text: &[u8]) -> u64 {
    match general_of(text) {
        General::Number(value, _) => {
            // -0 is 0.
            let bits = (value + 0.0).to_bits();
            let ordered = if bits >> 63 == 1 { !bits } else { bits | 1 << 63 };
            1 << 63 | ordered >> 1
        }
        other => other.class().into(),
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering::{self, Equal, Greater, Less};

    use super::{general, human, numeric};

    #[test]
    fn numbers_compare_as_gnu_does() {
        type Compare = fn(&[u8], &[u8]) -> Ordering;
        let cases: &[(Compare, &str, &str, Ordering)] = &[
            (numeric, "2", "10", Less),
            (numeric, "-2", "-10", Greater),
            (numeric, "1.50", "1.5", Equal),
            (numeric, "-0", "0", Equal),
            (numeric, "+1", "0", Equal),
            (numeric, ".5", "0.49", Greater),
            (numeric, "99999999999999999999", "100000000000000000000", Less),
            (human, "2K", "1M", Less),
            (human, "-2K", "-1M", Greater),
            (human, "0M", "1", Less),
            (human, "1k", "1K", Equal),
            (general, "1e3", "999", Greater),
            (general, "x", "-inf", Less),
            (general, "nan", "x", Greater),
            (general, "nan", "-1e400", Less),
            (general, "1e400", "1e401", Less),
            (general, "0x10", "16", Equal),
            (general, "1e", "1", Equal),
            (general, "0.1", "0.1000000000000000001", Less),
        ];
        for (compare, left, right, expected) in cases {
            assert_eq!(compare(left.as_bytes(), right.as_bytes()), *expected, "{left} {right}");
        }
    }
}
