//! One number: reading, scaling, rounding, writing, as GNU's numfmt does each step in `long double`.

use std::cmp::Ordering;

use hookshell_utility::quote;

use super::extended::Extended;

/// Which units a number has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scale {
    None,
    Auto,
    Si,
    Iec,
    IecI,
}

/// How what is not shown is rounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Round {
    Up,
    Down,
    FromZero,
    TowardsZero,
    Nearest,
}

/// The digits of a number that can be read, and of one that can be shown without a unit.
const MOST_DIGITS: usize = 27;
const MOST_UNSCALED: usize = 18;

const UNITS: &[u8] = b"KMGTPEZY";

impl Scale {
    fn base(self) -> u64 {
        if matches!(self, Self::Iec | Self::IecI) { 1024 } else { 1000 }
    }
}

/// A number that was read, and the digits that it had after the point.
#[derive(Debug, Clone, Copy)]
pub(super) struct Number {
    value: Extended,
    precision: usize,
}

fn power(base: u64, exponent: usize) -> Extended {
    let base = Extended::from_integer(base);
    (0..exponent).fold(Extended::from_integer(1), |value, _| value.times(base))
}

/// Digits, and what they are worth. `None`: there are too many.
fn digits(text: &[u8]) -> Option<(Extended, usize)> {
    let ten = Extended::from_integer(10);
    let (mut value, mut count, mut significant) = (Extended::ZERO, 0, 0);
    for byte in text.iter().take_while(|byte| byte.is_ascii_digit()) {
        let digit = u64::from(byte - b'0');
        if significant > 0 || digit > 0 {
            significant += 1;
        }
        if significant > MOST_DIGITS {
            return None;
        }
        value = value.times(ten).plus(Extended::from_integer(digit));
        count += 1;
    }
    Some((value, count))
}

impl Number {
    /// The error is the message.
    pub(super) fn read(text: &[u8], scale: Scale) -> Result<Self, Vec<u8>> {
        let with = |before: &str, after: &str| [before.as_bytes(), &quote::locale(text), after.as_bytes()].concat();
        let invalid = || with("invalid number: ", "");
        let large = || with("value too large to be converted: ", "");
        let minus = text.strip_prefix(b"-");
        let rest = minus.unwrap_or(text);
        let (mut value, count) = digits(rest).ok_or_else(large)?;
        let mut rest = rest.get(count..).unwrap_or_default();
        if count == 0 && !rest.starts_with(b".") {
            return Err(invalid());
        }
        let mut precision = 0;
        if let Some(fraction) = rest.strip_prefix(b".") {
            let (part, count) = digits(fraction).ok_or_else(large)?;
            if count == 0 {
                return Err(invalid());
            }
            value = value.plus(part.over(power(10, count)));
            precision = count;
            rest = fraction.get(count..).unwrap_or_default();
        }
        if minus.is_some() {
            value = value.negated();
        }
        let (mut exponent, mut base) = (0, scale.base());
        if !rest.is_empty() {
            let blanks = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
            rest = rest.get(blanks..).unwrap_or_default();
            let unit = rest.first().and_then(|letter| UNITS.iter().position(|unit| unit == letter));
            let Some(unit) = unit else { return Err(with("invalid suffix in input: ", "")) };
            if scale == Scale::None {
                return Err(with("rejecting suffix in input: ", " (consider using --from)"));
            }
            exponent = unit + 1;
            rest = rest.get(1..).unwrap_or_default();
            if scale == Scale::Auto
                && let Some(after) = rest.strip_prefix(b"i")
            {
                (base, rest) = (1024, after);
            }
            precision = 0;
        }
        if scale == Scale::IecI {
            rest = match rest.strip_prefix(b"i") {
                Some(rest) => rest,
                None => return Err(with("missing 'i' suffix in input: ", " (e.g Ki/Mi/Gi)")),
            };
        }
        if !rest.is_empty() {
            return Err([b"invalid suffix in input ", &quote::locale(text)[..], b": ", &quote::locale(rest)].concat());
        }
        Ok(Self { value: value.times(power(base, exponent)), precision })
    }

    pub(super) fn with_units(self, from: u64, to: u64) -> Self {
        if from == 1 && to == 1 {
            return self;
        }
        let value = self.value.times(Extended::from_integer(from)).over(Extended::from_integer(to));
        Self { value, ..self }
    }

    /// As text; the error is the message.
    pub(super) fn show(
        self,
        scale: Scale,
        round: Round,
        precision: Option<usize>,
        zeros: usize,
    ) -> Result<Vec<u8>, Vec<u8>> {
        let decimals = precision.unwrap_or(self.precision);
        let (_, digits) = reduced(self.value, 10);
        let about = general(self.value.approximate());
        if scale == Scale::None && digits + decimals > MOST_UNSCALED {
            return Err(match decimals {
                0 => format!("value too large to be printed: '{about}' (consider using --to)"),
                _ => format!("value/precision too large to be printed: '{about}/{decimals}' (consider using --to)"),
            }
            .into_bytes());
        }
        if digits > MOST_DIGITS - 1 {
            let message = format!("value too large to be printed: '{about}' (cannot handle values > 999Y)");
            return Err(message.into_bytes());
        }
        if scale == Scale::None {
            let value = rounded_to(self.value, decimals, round);
            return Ok(filled(value.fixed(decimals), zeros).into_bytes());
        }
        let (value, mut power) = reduced(self.value, scale.base());
        let ten = Extended::from_integer(10);
        let kept = match precision {
            Some(precision) => precision.min(power * 3),
            None => usize::from(value.compare_size(ten) == Ordering::Less),
        };
        let mut value = rounded_to(value, kept, round);
        let base = Extended::from_integer(scale.base());
        if value.compare_size(base) != Ordering::Less {
            value = value.over(base);
            power += 1;
        }
        let has_point = !value.is_zero() && value.compare_size(ten) == Ordering::Less && power > 0;
        let mut text = filled(value.fixed(precision.unwrap_or(usize::from(has_point))), zeros);
        if let Some(unit) = power.checked_sub(1).and_then(|at| UNITS.get(at)) {
            text.push(char::from(*unit));
            if scale == Scale::IecI {
                text.push('i');
            }
        }
        Ok(text.into_bytes())
    }
}

/// Zeros after the sign, up to a width.
fn filled(number: String, width: usize) -> String {
    match number.strip_prefix('-') {
        Some(digits) => format!("-{digits:0>0$}", width.saturating_sub(1)),
        None => format!("{number:0>width$}"),
    }
}

/// Divided by the base as often as it can be, and how often that was.
fn reduced(value: Extended, base: u64) -> (Extended, usize) {
    let base = Extended::from_integer(base);
    let (mut value, mut power) = (value, 0);
    while value.compare_size(base) != Ordering::Less {
        value = value.over(base);
        power += 1;
    }
    (value, power)
}

fn rounded_to(value: Extended, decimals: usize, round: Round) -> Extended {
    let scale = power(10, decimals);
    whole(value.times(scale), round).over(scale)
}

/// Rounded to a whole number.
fn whole(value: Extended, round: Round) -> Extended {
    let negative = value.negative;
    let (size, more) = match round {
        Round::Nearest => {
            (value.abs().plus(Extended::from_integer(1).over(Extended::from_integer(2))).whole().0, false)
        }
        _ => value.whole(),
    };
    let away = match round {
        Round::Up => !negative,
        Round::Down => negative,
        Round::FromZero => true,
        Round::TowardsZero | Round::Nearest => false,
    };
    let size = if more && away { size + 1 } else { size };
    // There is no negative zero among whole numbers.
    Extended::from_whole(negative && size > 0, size)
}

/// `%g`
fn general(value: f64) -> String {
    let text = format!("{value:.5e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..6).contains(&exponent) {
        let decimals = usize::try_from(5 - exponent).unwrap_or(0);
        let fixed = format!("{value:.decimals$}");
        return if fixed.contains('.') { fixed.trim_end_matches('0').trim_end_matches('.').to_owned() } else { fixed };
    }
    let digits = if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
}
