//! Floating-point conversions: `%e %f %g %a`.

use super::big::Big;
use super::directive::Flags;
use super::float::{Float, Value};

/// A converted number: its sign or prefix, and the text that zeros may be put in front of.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct FloatText {
    pub(super) prefix: Vec<u8>,
    pub(super) body: Vec<u8>,
    /// `inf` and `nan` are never padded with zeros.
    pub(super) is_number: bool,
}

/// Converts a number. `precision` must be bounded by the caller: so many digits are written.
pub(super) fn convert(float: Float, conversion: u8, flags: Flags, precision: Option<usize>) -> FloatText {
    let mut prefix = Vec::new();
    match () {
        () if float.negative => prefix.push(b'-'),
        () if flags.plus => prefix.push(b'+'),
        () if flags.space => prefix.push(b' '),
        () => {}
    }
    let is_number = !matches!(float.value, Value::Infinite | Value::NotANumber);
    let mut body = match float.value {
        Value::Infinite => b"inf".to_vec(),
        Value::NotANumber => b"nan".to_vec(),
        _ if conversion.eq_ignore_ascii_case(&b'a') => {
            prefix.extend_from_slice(b"0x");
            hexadecimal(float.value, flags.alternate, precision)
        }
        _ => {
            let exact = Decimal::new(float.value);
            let precision = precision.unwrap_or(6);
            match conversion.to_ascii_lowercase() {
                b'f' => exact.fixed(precision, flags.alternate),
                b'e' => exact.scientific(precision, flags.alternate, false),
                _ => exact.general(precision, flags.alternate),
            }
        }
    };
    if conversion.is_ascii_uppercase() {
        prefix.make_ascii_uppercase();
        body.make_ascii_uppercase();
    }
    FloatText { prefix, body, is_number }
}

/// An exact decimal number: `0.d₁d₂d₃… × 10^point`, without leading zeros; zero has no digits.
#[derive(Debug, Clone)]
struct Decimal {
    digits: Vec<u8>,
    point: i64,
}

impl Decimal {
    fn new(value: Value) -> Self {
        let Value::Finite { mantissa, exponent } = value else {
            return Self { digits: Vec::new(), point: 1 };
        };
        // An even mantissa needs fewer decimal places.
        let shift = mantissa.trailing_zeros().min(63);
        let (mantissa, exponent) = (mantissa >> shift, exponent + shift as i32);
        let mut number = Big::from_u64(mantissa);
        let places = if exponent >= 0 {
            number.shift_left(exponent.unsigned_abs() as usize);
            0
        } else {
            // m / 2^n is m × 5^n / 10^n.
            number.multiply_by_five_to(exponent.unsigned_abs());
            i64::from(exponent.unsigned_abs())
        };
        let digits = number.into_decimal();
        let point = digits.len() as i64 - places;
        Self { digits, point }
    }

    /// Rounds to this many digits (which may be none or negative), ties to even.
    fn round(&mut self, count: i64) {
        let Ok(count) = usize::try_from(count) else {
            // Below a tenth of the last place.
            self.digits.clear();
            return;
        };
        if count >= self.digits.len() {
            return;
        }
        let up = match self.digits[count] {
            b'5' if self.digits[count + 1..].iter().all(|&digit| digit == b'0') => {
                count > 0 && (self.digits[count - 1] - b'0') % 2 == 1
            }
            digit => digit >= b'5',
        };
        self.digits.truncate(count);
        if !up {
            return;
        }
        while let Some(last) = self.digits.last_mut() {
            if *last == b'9' {
                self.digits.pop();
            } else {
                *last += 1;
                return;
            }
        }
        self.digits.push(b'1');
        self.point += 1;
    }

    fn digit(&self, index: i64) -> u8 {
        usize::try_from(index).ok().and_then(|index| self.digits.get(index)).copied().unwrap_or(b'0')
    }

    /// `%f`
    fn fixed(mut self, precision: usize, alternate: bool) -> Vec<u8> {
        let places = precision as i64;
        self.round(self.point.saturating_add(places));
        if self.digits.is_empty() {
            self.point = 1;
        }
        let mut text = Vec::with_capacity(usize::try_from(self.point).unwrap_or(1) + precision + 2);
        if self.point <= 0 {
            text.push(b'0');
        }
        for index in 0..self.point {
            text.push(self.digit(index));
        }
        if precision > 0 || alternate {
            text.push(b'.');
        }
        for index in self.point..self.point.saturating_add(places) {
            text.push(self.digit(index));
        }
        text
    }

    /// `%e`; `strip` leaves out zeros at the end of the fraction.
    fn scientific(mut self, precision: usize, alternate: bool, strip: bool) -> Vec<u8> {
        self.round(precision as i64 + 1);
        let exponent = if self.digits.is_empty() { 0 } else { self.point - 1 };
        let mut text = vec![self.digit(0), b'.'];
        for index in 0..precision {
            text.push(self.digit(index as i64 + 1));
        }
        if strip {
            strip_zeros(&mut text);
        }
        if text.last() == Some(&b'.') && !alternate {
            text.pop();
        }
        text.extend_from_slice(
            format!("e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.unsigned_abs()).as_bytes(),
        );
        text
    }

    /// `%g`
    fn general(mut self, precision: usize, alternate: bool) -> Vec<u8> {
        let precision = precision.max(1);
        self.round(precision as i64);
        let exponent = if self.digits.is_empty() { 0 } else { self.point - 1 };
        if exponent < -4 || exponent >= precision as i64 {
            return self.scientific(precision - 1, alternate, !alternate);
        }
        let places = usize::try_from(precision as i64 - 1 - exponent).unwrap_or(0);
        let mut text = self.fixed(places, alternate);
        if !alternate && text.contains(&b'.') {
            strip_zeros(&mut text);
            if text.last() == Some(&b'.') {
                text.pop();
            }
        }
        text
    }
}

fn strip_zeros(text: &mut Vec<u8>) {
    while text.last() == Some(&b'0') {
        text.pop();
    }
}

/// `%a` without its `0x`: the mantissa's sixteen hexadecimal digits, the point after the first.
fn hexadecimal(value: Value, alternate: bool, precision: Option<usize>) -> Vec<u8> {
    let (mut mantissa, mut exponent) = match value {
        Value::Finite { mantissa, exponent } => (u128::from(mantissa), i64::from(exponent) + 60),
        _ => (0, 0),
    };
    if let Some(places) = precision.filter(|&places| places < 15) {
        let drop = (15 - places) * 4;
        let (kept, rest) = (mantissa >> drop, mantissa & ((1 << drop) - 1));
        let half = 1_u128 << (drop - 1);
        let up = rest > half || (rest == half && kept & 1 == 1);
        mantissa = (kept + u128::from(up)) << drop;
        if mantissa >> 64 != 0 {
            // Carried out of the first digit, all others are zero.
            mantissa >>= 4;
            exponent += 4;
        }
    }
    let mut text = format!("{mantissa:016x}").into_bytes();
    match precision {
        Some(places) => text.resize(1 + places, b'0'),
        None => {
            while text.len() > 1 && text.last() == Some(&b'0') {
                text.pop();
            }
        }
    }
    if text.len() > 1 || alternate {
        text.insert(1, b'.');
    }
    text.extend_from_slice(format!("p{}{}", if exponent < 0 { '-' } else { '+' }, exponent.unsigned_abs()).as_bytes());
    text
}
