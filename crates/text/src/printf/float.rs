//! Floating-point arguments, read as `strtold` reads them into an x87 extended number.

use super::PrintfError;
use super::big::Big;
use super::integer::{character_value, invalid};

/// A number with the precision and range of x87 `long double`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Float {
    pub(super) negative: bool,
    pub(super) value: Value,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Value {
    Zero,
    /// `mantissa × 2^exponent`; the top bit of the mantissa is set unless the number is subnormal.
    Finite {
        mantissa: u64,
        exponent: i32,
    },
    Infinite,
    NotANumber,
}

/// The exponent of the least subnormal bit, and the largest one of a full mantissa.
const MIN_EXPONENT: i32 = -16445;
const MAX_EXPONENT: i32 = 16383 - 63;

/// More digits than this cannot change how a number rounds, other than by not all being zero: the halfway point
/// between two subnormal numbers has fewer.
const MAX_DIGITS: usize = 11_600;
/// Decimal exponents beyond these overflow or vanish whatever the digits are.
const MAX_DECIMAL_EXPONENT: i64 = 5_000;
const MIN_DECIMAL_EXPONENT: i64 = -5_000;

/// How exact a conversion was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Range {
    Within,
    Outside,
}

/// The value of an argument for `%f` and its like.
pub(super) fn parse_argument(argument: &[u8], bytes: bool, errors: &mut Vec<PrintfError>) -> Float {
    if let Some(code) = character_value(argument, bytes) {
        let (value, _) = round(u128::from(code), 0, false);
        return Float { negative: false, value };
    }
    if argument.is_empty() {
        return Float { negative: false, value: Value::Zero };
    }
    let (float, used, range) = parse(argument);
    if used < argument.len() {
        errors.push(invalid(argument));
    } else if range == Range::Outside {
        errors.push(PrintfError::OutOfRange(argument.into()));
    }
    float
}

/// The number at the start of `text`, and how many bytes it is; 0 when there is none.
fn parse(text: &[u8]) -> (Float, usize, Range) {
    let mut at = text.iter().take_while(|byte| matches!(byte, b' ' | b'\t'..=b'\r')).count();
    let negative = text.get(at) == Some(&b'-');
    if matches!(text.get(at), Some(b'+' | b'-')) {
        at += 1;
    }
    let rest = &text[at..];
    let read = named(rest).or_else(|| hexadecimal(rest)).or_else(|| decimal(rest));
    match read {
        Some((value, used, range)) => (Float { negative, value }, at + used, range),
        None => (Float { negative: false, value: Value::Zero }, 0, Range::Within),
    }
}

fn starts_with_ignoring_case(text: &[u8], word: &[u8]) -> bool {
    text.len() >= word.len() && text[..word.len()].eq_ignore_ascii_case(word)
}

fn named(text: &[u8]) -> Option<(Value, usize, Range)> {
    if starts_with_ignoring_case(text, b"infinity") {
        return Some((Value::Infinite, 8, Range::Within));
    }
    if starts_with_ignoring_case(text, b"inf") {
        return Some((Value::Infinite, 3, Range::Within));
    }
    if !starts_with_ignoring_case(text, b"nan") {
        return None;
    }
    let mut used = 3;
    if text.get(3) == Some(&b'(') {
        let name = text[4..].iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
        if text.get(4 + name) == Some(&b')') {
            used = 5 + name;
        }
    }
    Some((Value::NotANumber, used, Range::Within))
}

/// An exponent `e±digits` at `at`, if it is complete: its value (saturating) and the offset after it.
fn exponent(text: &[u8], at: usize, letter: u8) -> Option<(i64, usize)> {
    if !text.get(at)?.eq_ignore_ascii_case(&letter) {
        return None;
    }
    let mut end = at + 1;
    let negative = text.get(end) == Some(&b'-');
    if matches!(text.get(end), Some(b'+' | b'-')) {
        end += 1;
    }
    let start = end;
    let mut value = 0_i64;
    while let Some(digit @ b'0'..=b'9') = text.get(end) {
        value = value.saturating_mul(10).saturating_add(i64::from(digit - b'0'));
        end += 1;
    }
    // Half the range leaves room for the digits' own exponent.
    let value = value.min(i64::MAX / 2);
    (end > start).then_some((if negative { -value } else { value }, end))
}

/// The digits of a number with a point, and how many stand after the point.
fn significand(text: &[u8], at: usize, is_digit: fn(&u8) -> bool) -> Option<(Vec<u8>, i64, usize)> {
    let whole = text[at..].iter().take_while(|byte| is_digit(byte)).count();
    let mut digits = text[at..at + whole].to_vec();
    let mut end = at + whole;
    let mut places = 0;
    if text.get(end) == Some(&b'.') {
        let fraction = text[end + 1..].iter().take_while(|byte| is_digit(byte)).count();
        if whole + fraction > 0 {
            digits.extend_from_slice(&text[end + 1..end + 1 + fraction]);
            places = i64::try_from(fraction).ok()?;
            end += 1 + fraction;
        }
    }
    (!digits.is_empty()).then_some((digits, places, end))
}

fn hexadecimal(text: &[u8]) -> Option<(Value, usize, Range)> {
    if !starts_with_ignoring_case(text, b"0x") {
        return None;
    }
    let (digits, places, end) = significand(text, 2, u8::is_ascii_hexdigit)?;
    let (power, end) = exponent(text, end, b'p').unwrap_or((0, end));
    let mut mantissa = 0_u128;
    let mut sticky = false;
    let mut scale = power.saturating_sub(places.saturating_mul(4));
    for digit in digits {
        let digit = char::from(digit).to_digit(16).unwrap_or(0);
        if mantissa >> 100 == 0 {
            mantissa = mantissa << 4 | u128::from(digit);
        } else {
            sticky |= digit != 0;
            scale = scale.saturating_add(4);
        }
    }
    let (value, range) = round(mantissa, scale, sticky);
    Some((value, end, range))
}

fn decimal(text: &[u8]) -> Option<(Value, usize, Range)> {
    let (digits, places, end) = significand(text, 0, u8::is_ascii_digit)?;
    let (power, end) = exponent(text, end, b'e').unwrap_or((0, end));
    let leading = digits.iter().take_while(|&&digit| digit == b'0').count();
    let mut digits = &digits[leading..];
    let mut power = power.saturating_sub(places);
    let mut sticky = false;
    if digits.len() > MAX_DIGITS {
        sticky = digits[MAX_DIGITS..].iter().any(|&digit| digit != b'0');
        power = power.saturating_add(i64::try_from(digits.len() - MAX_DIGITS).ok()?);
        digits = &digits[..MAX_DIGITS];
    }
    let magnitude = power.saturating_add(i64::try_from(digits.len()).ok()?);
    let (value, range) = if digits.is_empty() {
        (Value::Zero, Range::Within)
    } else if magnitude > MAX_DECIMAL_EXPONENT {
        (Value::Infinite, Range::Outside)
    } else if magnitude < MIN_DECIMAL_EXPONENT {
        (Value::Zero, Range::Outside)
    } else {
        scale_decimal(Big::from_decimal(digits), power, sticky)
    };
    Some((value, end, range))
}

/// `number × 10^power`, where `power` is bounded by the checks of [`decimal`].
fn scale_decimal(mut number: Big, power: i64, sticky: bool) -> (Value, Range) {
    let fives = u32::try_from(power.unsigned_abs()).unwrap_or(u32::MAX);
    if power >= 0 {
        number.multiply_by_five_to(fives);
        let low = number.bits().saturating_sub(64);
        // 64 bits, and two more that say where between two numbers the rest lies.
        let (top, mut rest) = number.window(low);
        let mut wide = u128::from(top) << 2;
        if low > 0 {
            let (next, below) = number.window(low - 1);
            wide |= u128::from(next & 1) << 1;
            rest = below;
        }
        return round(wide, low as i64 - 2 + power, rest || sticky);
    }
    let mut divisor = Big::from_u64(1);
    divisor.multiply_by_five_to(fives);
    // Bring the quotient into 0.25..1, so that its first 70 bits hold a full mantissa.
    let (have, need) = (number.bits(), divisor.bits());
    let shift = have as i64 - need as i64 + 1;
    if shift > 0 {
        divisor.shift_left(shift as usize);
    } else {
        number.shift_left(shift.unsigned_abs() as usize);
    }
    let (bits, remainder) = number.fraction_bits(&divisor, 70);
    round(bits, shift - 70 + power, remainder || sticky)
}

/// Rounds `mantissa × 2^exponent` (and a bit more when `sticky`) to the nearest number, ties to even.
fn round(mantissa: u128, exponent: i64, sticky: bool) -> (Value, Range) {
    if mantissa == 0 {
        return (Value::Zero, Range::Within);
    }
    let bits = i64::from(128 - mantissa.leading_zeros());
    // The exponent of the result's lowest bit.
    let lowest = exponent.saturating_add(bits - 64).max(MIN_EXPONENT.into());
    let drop = lowest.saturating_sub(exponent);
    let (mut result, inexact) = if drop <= 0 {
        // At most 64 bits, by the choice of `lowest`.
        ((mantissa << drop.unsigned_abs().min(127)) as u64, sticky)
    } else if drop > 128 {
        (0, true)
    } else {
        let kept = if drop == 128 { 0 } else { mantissa >> drop };
        let rest = if drop == 128 { mantissa } else { mantissa & ((1 << drop) - 1) };
        let half = 1_u128 << (drop - 1);
        let up = rest > half || (rest == half && (sticky || kept & 1 == 1));
        let inexact = rest != 0 || sticky;
        match u64::try_from(kept + u128::from(up)) {
            Ok(result) => (result, inexact),
            // Carried out of the top: the mantissa is a power of two.
            Err(_) => return finish(1 << 63, lowest + 1, inexact),
        }
    };
    if result == 0 {
        return (Value::Zero, Range::Outside);
    }
    let mut lowest = lowest;
    // A sum that was exact may have room at the top.
    while result >> 63 == 0 && lowest > MIN_EXPONENT.into() {
        result <<= 1;
        lowest -= 1;
    }
    finish(result, lowest, inexact)
}

fn finish(mantissa: u64, exponent: i64, inexact: bool) -> (Value, Range) {
    if exponent > MAX_EXPONENT.into() {
        return (Value::Infinite, Range::Outside);
    }
    // C reports a range error for a subnormal result that is not exact.
    let range = if mantissa >> 63 == 0 && inexact { Range::Outside } else { Range::Within };
    // Between the limits, so it fits.
    (Value::Finite { mantissa, exponent: exponent as i32 }, range)
}
