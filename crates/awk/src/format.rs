//! `printf` and `sprintf` (POSIX XCU awk, Output Statements; XBD 5), and the text of numbers.

use std::borrow::Cow;

use hookshell_text::integer;

use super::fail::MAX_STRING;
use super::number;
use super::text::{self, Characters};

/// The most bytes that a width or a precision may ask for.
const MAX_FIELD: usize = 64 * 1024 * 1024;

/// Digits beyond these are zeros in a double.
const MAX_DIGITS: usize = 1100;

/// Why a format cannot be followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FormatError {
    /// Fewer arguments than conversions.
    TooFewArguments,
    /// A field of more than [`MAX_FIELD`] bytes.
    TooLarge,
}

/// What a conversion takes.
pub(super) trait Argument {
    /// Its value as a number.
    fn number(&self) -> f64;
    /// Its number, where it is one.
    fn if_number(&self) -> Option<f64>;
    /// Its text; a number that is no integer goes by `convfmt`.
    fn to_text(&self, convfmt: &[u8]) -> Cow<'_, [u8]>;
}

#[derive(Debug, Default, Clone, Copy)]
struct Spec {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
}

/// Appends what `sprintf(format, arguments…)` gives.
pub(super) fn push(
    format: &[u8],
    arguments: &[impl Argument],
    convfmt: &[u8],
    characters: Characters,
    out: &mut Vec<u8>,
) -> Result<(), FormatError> {
    let before = out.len();
    let mut arguments = arguments.iter();
    let mut scratch = Vec::new();
    let mut rest = format;
    while let Some(at) = memchr::memchr(b'%', rest) {
        // Together they are as large as a string at most, and one field.
        if out.len() - before > MAX_STRING {
            return Err(FormatError::TooLarge);
        }
        let (plain, directive) = rest.split_at(at);
        out.extend_from_slice(plain);
        let mut spec = Spec::default();
        let mut at = 1;
        loop {
            match directive.get(at) {
                Some(b'-') => spec.left = true,
                Some(b'+') => spec.plus = true,
                Some(b' ') => spec.space = true,
                Some(b'#') => spec.alternate = true,
                Some(b'0') => spec.zero = true,
                _ => break,
            }
            at += 1;
        }
        if directive.get(at) == Some(&b'*') {
            at += 1;
            let width = arguments.next().ok_or(FormatError::TooFewArguments)?.number();
            spec.left |= width < 0.0;
            spec.width = width.abs() as usize;
        } else {
            spec.width = digits(directive, &mut at);
        }
        if directive.get(at) == Some(&b'.') {
            at += 1;
            if directive.get(at) == Some(&b'*') {
                at += 1;
                let precision = arguments.next().ok_or(FormatError::TooFewArguments)?.number();
                spec.precision = (precision >= 0.0).then_some(precision as usize);
            } else {
                spec.precision = Some(digits(directive, &mut at));
            }
        }
        if spec.width > MAX_FIELD
            || spec.precision.is_some_and(|precision| precision > MAX_FIELD && precision != usize::MAX)
        {
            return Err(FormatError::TooLarge);
        }
        while let Some(b'h' | b'l' | b'L') = directive.get(at) {
            at += 1;
        }
        let Some(&conversion) = directive.get(at) else {
            // An unfinished directive stands for itself.
            out.extend_from_slice(directive);
            return Ok(());
        };
        rest = directive.get(at + 1..).unwrap_or_default();
        scratch.clear();
        match conversion {
            b'%' => out.push(b'%'),
            b'd' | b'i' | b'o' | b'x' | b'X' | b'u' => {
                let value = arguments.next().ok_or(FormatError::TooFewArguments)?.number();
                push_integer(value, conversion, spec, out);
            }
            b'e' | b'E' | b'f' | b'F' | b'g' | b'G' => {
                let value = arguments.next().ok_or(FormatError::TooFewArguments)?.number();
                push_float(value, conversion, spec, out);
            }
            b'c' => {
                let value = arguments.next().ok_or(FormatError::TooFewArguments)?;
                match value.if_number() {
                    Some(code) => text::push_character(code, characters, &mut scratch),
                    None => {
                        let text = value.to_text(convfmt);
                        // C's `%c` of a string without characters is its end.
                        let first = if text.is_empty() { b"\0" } else { text::first(&text, characters) };
                        scratch.extend_from_slice(first);
                    }
                }
                let length = text::length(&scratch, characters);
                pad(&scratch, length, spec, out);
            }
            b's' => {
                let value = arguments.next().ok_or(FormatError::TooFewArguments)?;
                let text = value.to_text(convfmt);
                let text = match spec.precision {
                    Some(precision) => text::prefix(&text, precision, characters),
                    None => &text,
                };
                // Counting is needed for a width only.
                let length = if spec.width == 0 { 0 } else { text::length(text, characters) };
                pad(text, length, spec, out);
            }
            _ => out.extend_from_slice(directive.get(..=at).unwrap_or_default()),
        }
    }
    out.extend_from_slice(rest);
    Ok(())
}

/// A number in the format; more than can be held is the largest.
fn digits(directive: &[u8], at: &mut usize) -> usize {
    let mut value = 0_usize;
    while let Some(digit @ b'0'..=b'9') = directive.get(*at) {
        value = value.saturating_mul(10).saturating_add(usize::from(digit - b'0')).min(MAX_FIELD + 1);
        *at += 1;
    }
    value
}

fn pad(text: &[u8], length: usize, spec: Spec, out: &mut Vec<u8>) {
    let fill = spec.width.saturating_sub(length);
    if spec.left {
        out.extend_from_slice(text);
        out.resize(out.len() + fill, b' ');
    } else {
        out.resize(out.len() + fill, b' ');
        out.extend_from_slice(text);
    }
}

/// A number's sign or prefix and its digits, with zeros in between where `zero` asks for them.
fn pad_number(prefix: &[u8], body: &[u8], zero: bool, spec: Spec, out: &mut Vec<u8>) {
    let fill = spec.width.saturating_sub(prefix.len() + body.len());
    if !spec.left && !zero {
        out.resize(out.len() + fill, b' ');
    }
    out.extend_from_slice(prefix);
    if !spec.left && zero {
        out.resize(out.len() + fill, b'0');
    }
    out.extend_from_slice(body);
    if spec.left {
        out.resize(out.len() + fill, b' ');
    }
}

fn sign(negative: bool, spec: Spec) -> &'static [u8] {
    match (negative, spec.plus, spec.space) {
        (true, ..) => b"-",
        (_, true, _) => b"+",
        (_, _, true) => b" ",
        _ => b"",
    }
}

fn push_integer(value: f64, conversion: u8, spec: Spec, out: &mut Vec<u8>) {
    if let Some(name) = number::not_finite(value) {
        return pad_number(b"", name, false, spec, out);
    }
    let value = value.trunc();
    let signed = matches!(conversion, b'd' | b'i');
    // What an integer cannot hold is written with all its digits, as gawk does.
    let (negative, mut digits) = if signed {
        (value < 0.0, format!("{:.0}", value.abs()))
    } else if (-9_223_372_036_854_775_808.0..18_446_744_073_709_551_616.0).contains(&value) {
        let bits = if value < 0.0 { (value as i64).cast_unsigned() } else { value as u64 };
        let digits = match conversion {
            b'o' => format!("{bits:o}"),
            b'x' => format!("{bits:x}"),
            b'X' => format!("{bits:X}"),
            _ => bits.to_string(),
        };
        (false, digits)
    } else {
        (value < 0.0, format!("{:.0}", value.abs()))
    };
    if spec.precision == Some(0) && value == 0.0 {
        digits.clear();
    }
    let mut body = Vec::new();
    let missing = spec.precision.unwrap_or(0).saturating_sub(digits.len());
    body.resize(missing, b'0');
    body.extend_from_slice(digits.as_bytes());
    if conversion == b'o' && spec.alternate && body.first() != Some(&b'0') {
        body.insert(0, b'0');
    }
    let prefix = match conversion {
        b'x' if spec.alternate && value != 0.0 => b"0x",
        b'X' if spec.alternate && value != 0.0 => b"0X",
        _ if signed || negative => sign(negative, spec),
        _ => b"",
    };
    pad_number(prefix, &body, spec.zero && spec.precision.is_none(), spec, out);
}

fn push_float(value: f64, conversion: u8, spec: Spec, out: &mut Vec<u8>) {
    if let Some(name) = number::not_finite(value) {
        return pad_number(b"", name, false, spec, out);
    }
    let precision = spec.precision.unwrap_or(6);
    let mut body = Vec::new();
    match conversion {
        b'f' | b'F' => fixed(value.abs(), precision, spec.alternate, &mut body),
        b'e' | b'E' => scientific(value.abs(), precision, spec.alternate, &mut body),
        _ => general(value.abs(), precision, spec.alternate, &mut body),
    }
    if conversion.is_ascii_uppercase() {
        body.make_ascii_uppercase();
    }
    pad_number(sign(value.is_sign_negative(), spec), &body, spec.zero, spec, out);
}

fn fixed(value: f64, precision: usize, point: bool, out: &mut Vec<u8>) {
    let exact = precision.min(MAX_DIGITS);
    out.extend_from_slice(format!("{value:.exact$}").as_bytes());
    if precision == 0 && point {
        out.push(b'.');
    }
    out.resize(out.len() + (precision - exact), b'0');
}

/// The digits of a number rounded to `count` of them, and its decimal exponent.
fn decimal(value: f64, count: usize) -> (Vec<u8>, i32) {
    let exact = count.clamp(1, MAX_DIGITS);
    let text = format!("{value:.precision$e}", precision = exact - 1);
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let digits = mantissa.bytes().filter(|byte| *byte != b'.').collect();
    (digits, exponent.parse().unwrap_or(0))
}

fn push_exponent(exponent: i32, out: &mut Vec<u8>) {
    out.push(b'e');
    out.push(if exponent < 0 { b'-' } else { b'+' });
    let exponent = exponent.unsigned_abs();
    if exponent < 10 {
        out.push(b'0');
    }
    out.extend_from_slice(exponent.to_string().as_bytes());
}

fn scientific(value: f64, precision: usize, point: bool, out: &mut Vec<u8>) {
    let (digits, exponent) = decimal(value, precision.saturating_add(1));
    let (first, rest) = digits.split_at(1.min(digits.len()));
    out.extend_from_slice(first);
    if precision > 0 || point {
        out.push(b'.');
    }
    out.extend_from_slice(rest);
    out.resize(out.len() + precision.saturating_sub(rest.len()), b'0');
    push_exponent(exponent, out);
}

fn general(value: f64, precision: usize, keep_zeros: bool, out: &mut Vec<u8>) {
    let precision = precision.max(1);
    let (mut digits, exponent) = decimal(value, precision);
    if keep_zeros {
        digits.resize(precision, b'0');
    } else {
        while digits.len() > 1 && digits.last() == Some(&b'0') {
            digits.pop();
        }
    }
    let small = i64::from(exponent) < -4 || i64::from(exponent) >= i64::try_from(precision).unwrap_or(i64::MAX);
    if small {
        let (first, rest) = digits.split_at(1);
        out.extend_from_slice(first);
        if !rest.is_empty() || keep_zeros {
            out.push(b'.');
        }
        out.extend_from_slice(rest);
        push_exponent(exponent, out);
    } else if exponent < 0 {
        out.extend_from_slice(b"0.");
        out.resize(out.len() + exponent.unsigned_abs() as usize - 1, b'0');
        // Zero has one digit and no places.
        out.extend_from_slice(&digits);
    } else {
        let whole = exponent.unsigned_abs() as usize + 1;
        if digits.len() < whole {
            digits.resize(whole, b'0');
        }
        let (before, after) = digits.split_at(whole);
        out.extend_from_slice(before);
        if !after.is_empty() || keep_zeros {
            out.push(b'.');
        }
        out.extend_from_slice(after);
    }
}

/// Appends a number as text; what is no integer goes by `format` (CONVFMT or OFMT).
pub(super) fn push_number(value: f64, format: &[u8], bytes: bool, out: &mut Vec<u8>) {
    if let Some(integer) = number::integer(value) {
        integer::push_decimal(integer, out);
    } else if let Some(name) = number::not_finite(value) {
        out.extend_from_slice(name);
    } else if value == value.trunc() {
        out.extend_from_slice(format!("{value:.0}").as_bytes());
    } else if format == b"%.6g" {
        push_general(value, 6, out);
    } else {
        push_with(format, value, bytes, out);
    }
}

/// Appends a finite number by `%.{precision}g`.
fn push_general(value: f64, precision: usize, out: &mut Vec<u8>) {
    if value.is_sign_negative() {
        out.push(b'-');
    }
    general(value.abs(), precision, false, out);
}

/// Appends a number by CONVFMT or OFMT; what is wrong with the format shows in the text.
fn push_with(format: &[u8], value: f64, bytes: bool, out: &mut Vec<u8>) {
    let characters = if bytes { Characters::Bytes } else { Characters::Utf8 };
    // One argument is what such a format has; the text of a number is never asked for by CONVFMT again.
    let _ = push(format, &[value], b"%.6g", characters, out);
}

/// The one argument of CONVFMT or OFMT.
impl Argument for f64 {
    fn number(&self) -> f64 {
        *self
    }

    fn if_number(&self) -> Option<f64> {
        Some(*self)
    }

    fn to_text(&self, convfmt: &[u8]) -> Cow<'_, [u8]> {
        let mut out = Vec::new();
        push_number(*self, convfmt, false, &mut out);
        Cow::Owned(out)
    }
}

#[cfg(test)]
mod tests {
    use super::{Characters, push, push_number};

    #[test]
    fn conversions_are_those_of_c() {
        let cases: &[(&str, f64, &str)] = &[
            ("%d", 3.99, "3"),
            ("%d", -3.99, "-3"),
            ("%5d|", 42.0, "   42|"),
            ("%-5d|", 42.0, "42   |"),
            ("%05d", -42.0, "-0042"),
            ("%+d", 3.0, "+3"),
            ("% d", 3.0, " 3"),
            ("%.3d", 3.0, "003"),
            ("%.0d|", 0.0, "|"),
            ("%x", 255.0, "ff"),
            ("%#X", 255.0, "0XFF"),
            ("%#o", 8.0, "010"),
            ("%x", -1.0, "ffffffffffffffff"),
            ("%d", 1e30, "1000000000000000019884624838656"),
            ("%f", 2.5, "2.500000"),
            ("%.0f", 2.5, "2"),
            ("%.0f", 3.5, "4"),
            ("%.0f", 0.5, "0"),
            ("%#.0f", 1.0, "1."),
            ("%5.1f|", 3.16, "  3.2|"),
            ("%e", 31415.9, "3.141590e+04"),
            ("%.0e", 31415.9, "3e+04"),
            ("%G", 1e-10, "1E-10"),
            ("%g", 0.0, "0"),
            ("%g", 100_000.0, "100000"),
            ("%g", 1_000_000.0, "1e+06"),
            ("%g", 0.0001, "0.0001"),
            ("%g", 0.00001, "1e-05"),
            ("%#g", 1.0, "1.00000"),
            ("%.10g", 1.0 / 3.0, "0.3333333333"),
            ("%.3g", 999.9, "1e+03"),
            ("%c", 65.0, "A"),
            ("%s", 0.25, "0.25"),
            ("%%|%5%", 0.0, "%|%"),
            ("%ld", 5.0, "5"),
            ("%", 0.0, "%"),
            ("%z", 0.0, "%z"),
        ];
        for (format, value, expected) in cases {
            let mut out = Vec::new();
            assert_eq!(push(format.as_bytes(), &[*value], b"%.6g", Characters::Utf8, &mut out), Ok(()));
            assert_eq!(String::from_utf8_lossy(&out), *expected, "{format} {value}");
        }
    }

    #[test]
    fn integers_have_all_their_digits_and_others_go_by_the_format() {
        let cases: &[(f64, &str)] = &[
            (0.0, "0"),
            (-0.0, "0"),
            (17.0, "17"),
            (2_147_483_648.0, "2147483648"),
            (1e18, "1000000000000000000"),
            (1e19, "10000000000000000000"),
            (0.1, "0.1"),
            (1e-5, "1e-05"),
            (1_234_567.5, "1.23457e+06"),
            (-2.5, "-2.5"),
            (f64::INFINITY, "+inf"),
        ];
        for (value, expected) in cases {
            let mut out = Vec::new();
            push_number(*value, b"%.6g", false, &mut out);
            assert_eq!(String::from_utf8_lossy(&out), *expected);
        }
    }
}
