//! Decimal integers as bytes.

/// What [`decimal`] writes into.
pub use itoa::Buffer as DecimalBuffer;

/// Parses an integer as `test`, `break` or `shift` take it: an optional sign and decimal digits, with white space
/// in front and blanks after. Nothing else, and nothing outside 64 bits, is an integer.
#[inline]
#[must_use]
pub fn parse_integer(text: &[u8]) -> Option<i64> {
    // 18 digits always fit, and nearly every operand is a few bare digits.
    if !text.is_empty() && text.len() <= 18 {
        let mut value = 0_i64;
        let mut plain = true;
        for &byte in text {
            let digit = byte.wrapping_sub(b'0');
            if digit > 9 {
                plain = false;
                break;
            }
            value = value * 10 + i64::from(digit);
        }
        if plain {
            return Some(value);
        }
    }
    parse_slowly(text)
}

fn parse_slowly(text: &[u8]) -> Option<i64> {
    let mut rest = text;
    while let [b' ' | b'\t'..=b'\r', tail @ ..] = rest {
        rest = tail;
    }
    while let [head @ .., b' ' | b'\t'] = rest {
        rest = head;
    }
    let (negative, digits) = match rest {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        digits => (false, digits),
    };
    if digits.is_empty() {
        return None;
    }
    let mut value = 0_i64;
    for &byte in digits {
        let digit = i64::from(byte.wrapping_sub(b'0'));
        if digit > 9 {
            return None;
        }
        // Counted downwards, so that the least value needs no case of its own.
        value = value.checked_mul(10)?.checked_sub(digit)?;
    }
    if negative { Some(value) } else { value.checked_neg() }
}

/// `value` in decimal, written into `buffer`.
#[inline]
pub fn decimal(value: i64, buffer: &mut DecimalBuffer) -> &[u8] {
    buffer.format(value).as_bytes()
}

/// Appends `value` in decimal.
#[inline]
pub fn push_decimal(value: i64, out: &mut Vec<u8>) {
    out.extend_from_slice(decimal(value, &mut DecimalBuffer::new()));
}
