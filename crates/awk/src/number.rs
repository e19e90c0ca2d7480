//! Numbers in text, and the text of numbers (POSIX XCU awk, Expressions in awk).

use hookshell_text::integer;

/// Powers of ten that are exact in a double.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];

/// Below this every integer is exact in a double.
const EXACT: u64 = 1 << 53;

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// A decimal number without sign at the start of the text, and its length.
pub(super) fn scan(text: &[u8]) -> Option<(f64, usize)> {
    let mut mantissa: u64 = 0;
    let mut dropped = false;
    let mut exponent: i64 = 0;
    let mut digits = 0_usize;
    let mut at = 0;
    let mut seen_point = false;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'0'..=b'9' => {
                digits += 1;
                if mantissa < 1_000_000_000_000_000_000 {
                    mantissa = mantissa * 10 + u64::from(byte - b'0');
                    exponent -= i64::from(seen_point);
                } else {
                    dropped |= byte != b'0';
                    exponent += i64::from(!seen_point);
                }
            }
            b'.' if !seen_point => seen_point = true,
            _ => break,
        }
        at += 1;
    }
    if digits == 0 {
        return None;
    }
    if let Some(b'e' | b'E') = text.get(at) {
        let negative = text.get(at + 1) == Some(&b'-');
        let start = at + 1 + usize::from(matches!(text.get(at + 1), Some(b'+' | b'-')));
        let mut end = start;
        let mut value: i64 = 0;
        while let Some(digit @ b'0'..=b'9') = text.get(end) {
            value = (value * 10 + i64::from(digit - b'0')).min(1_000_000);
            end += 1;
        }
        if end > start {
            exponent += if negative { -value } else { value };
            at = end;
        }
    }
    if !dropped && mantissa < EXACT {
        let value = mantissa as f64;
        let power = |exponent: u64| usize::try_from(exponent).ok().and_then(|at| POWERS.get(at)).copied();
        if mantissa == 0 {
            return Some((0.0, at));
        }
        if let Some(power) = power(exponent.unsigned_abs()) {
            return Some((if exponent < 0 { value / power } else { value * power }, at));
        }
    }
    let text = text.get(..at).and_then(|text| std::str::from_utf8(text).ok())?;
    Some((text.parse().ok()?, at))
}

/// `+inf -inf +nan -nan`, which gawk and BWK's awk read as numbers.
fn named(text: &[u8]) -> Option<f64> {
    let negative = match text.first()? {
        b'+' => false,
        b'-' => true,
        _ => return None,
    };
    let name = text.get(1..4)?;
    let value = if name.eq_ignore_ascii_case(b"inf") {
        f64::INFINITY
    } else if name.eq_ignore_ascii_case(b"nan") {
        f64::NAN
    } else {
        return None;
    };
    match text.get(4) {
        Some(byte) if !is_blank(*byte) => None,
        _ => Some(value.copysign(if negative { -1.0 } else { 1.0 })),
    }
}

/// The number at the start of the text, after blanks, and where it ends.
fn signed(text: &[u8]) -> Option<(f64, usize)> {
    let start = text.iter().take_while(|byte| is_blank(**byte)).count();
    let rest = text.get(start..)?;
    let (negative, sign) = match rest.first()? {
        b'-' => (true, 1),
        b'+' => (false, 1),
        _ => (false, 0),
    };
    match scan(rest.get(sign..)?) {
        Some((value, length)) => Some((if negative { -value } else { value }, start + sign + length)),
        None => named(rest).map(|value| (value, start + 4)),
    }
}

/// The value of a string as a number: that of what looks like one at its start, else 0.
pub(super) fn of_text(text: &[u8]) -> f64 {
    match text {
        [digit @ b'0'..=b'9'] => f64::from(digit - b'0'),
        _ => signed(text).map_or(0.0, |(value, _)| value),
    }
}

/// The value of a text that is a number from end to end, blanks around it aside.
pub(super) fn if_numeric(text: &[u8]) -> Option<f64> {
    // Most texts end in a letter: nothing to look at further.
    let last = *text.last()?;
    if last.is_ascii_alphabetic() && !matches!(last, b'f' | b'F' | b'n' | b'N') {
        return None;
    }
    let (value, end) = signed(text)?;
    text.get(end..)?.iter().all(|byte| is_blank(*byte)).then_some(value)
}

/// The value as an integer, where it is one that awk writes with all its digits.
pub(super) fn integer(value: f64) -> Option<i64> {
    // 2^63 and beyond do not fit.
    (value == value.trunc() && value.abs() < 9.0e18).then_some(value as i64)
}

/// The text of an integer in `buffer`, where the number is one.
pub(super) fn integer_text(value: f64, buffer: &mut integer::DecimalBuffer) -> Option<&[u8]> {
    integer(value).map(|value| integer::decimal(value, buffer))
}

/// The names of the numbers that are none.
pub(super) fn not_finite(value: f64) -> Option<&'static [u8]> {
    match (value.is_nan(), value.is_infinite(), value.is_sign_negative()) {
        (true, _, true) => Some(b"-nan"),
        (true, _, false) => Some(b"+nan"),
        (_, true, true) => Some(b"-inf"),
        (_, true, false) => Some(b"+inf"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{if_numeric, of_text};

    #[test]
    fn text_is_read_as_strtod_does_without_hexadecimal() {
        let cases: &[(&str, f64)] = &[
            ("", 0.0),
            ("12", 12.0),
            (" \t+3.5x", 3.5),
            ("-.5", -0.5),
            ("5.", 5.0),
            (".", 0.0),
            ("1e3", 1000.0),
            ("1e", 1.0),
            ("1e+", 1.0),
            ("0x10", 0.0),
            ("123456789012345678901234567890", 123_456_789_012_345_680_000_000_000_000.0),
            ("0.1", 0.1),
            ("1e-320", 1e-320),
            ("1e400", f64::INFINITY),
            ("179769313486231570000000000000000000000e270", 1.7976931348623157e308),
            ("3.14159265358979323846", std::f64::consts::PI),
            ("- 5", 0.0),
            ("inf", 0.0),
            ("+inf", f64::INFINITY),
        ];
        for (text, expected) in cases {
            assert_eq!(of_text(text.as_bytes()), *expected, "{text:?}");
        }
    }

    #[test]
    fn a_numeric_string_is_a_number_with_blanks_around_it() {
        for text in ["1", " 1 ", "+1", "-1.5e3\t", ".5", "\n7"] {
            assert!(if_numeric(text.as_bytes()).is_some(), "{text:?}");
        }
        for text in ["", " ", "1x", "x1", "0x1", "1 2", "+", ".", "inf", "nan", "e5"] {
            assert!(if_numeric(text.as_bytes()).is_none(), "{text:?}");
        }
    }
}
