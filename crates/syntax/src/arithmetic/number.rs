//! Integer constants.

use thiserror::Error;

use crate::options::Dialect;

/// Why a text that begins with a digit is no integer constant; bash's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum NumberError {
    /// A digit is not below the base: `08`, `2#3`, `1a`.
    #[error("value too great for base")]
    ValueTooGreat,
    /// The base is not between 2 and 64: `1#0`, `65#1`.
    #[error("invalid arithmetic base")]
    InvalidBase,
    /// Nothing stands after `#`: `2#`.
    #[error("invalid integer constant")]
    InvalidConstant,
    /// Two `#`: `2#1#1`.
    #[error("invalid number")]
    InvalidNumber,
}

/// Reads an integer constant: decimal, octal (`010`), hexadecimal (`0x1f`), and bash's `base#digits` with bases up to 64
/// (digits, lower case, upper case, `@`, `_`). It wraps around at 64 bits, as bash does.
///
/// `None` if the text does not begin with a digit or holds a character that no constant has.
pub fn parse_number(text: &[u8], dialect: Dialect) -> Option<Result<i64, NumberError>> {
    if !text.first()?.is_ascii_digit() || !text.iter().all(|&b| is_number_byte(b)) {
        return None;
    }
    Some(number(text, dialect))
}

/// Can the byte stand in a constant?
pub(super) fn is_number_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'#' | b'@' | b'_')
}

fn number(text: &[u8], dialect: Dialect) -> Result<i64, NumberError> {
    let (mut base, digits) = match text {
        [b'0'] => return Ok(0),
        [b'0', b'x' | b'X', digits @ ..] => (16, digits),
        [b'0', digits @ ..] => (8, digits),
        digits => (10, digits),
    };
    let mut value: i64 = 0;
    let mut based = false;
    for (i, &byte) in digits.iter().enumerate() {
        if byte == b'#' {
            if based {
                return Err(NumberError::InvalidNumber);
            }
            if dialect == Dialect::Posix {
                return Err(NumberError::InvalidConstant);
            }
            if !(2..=64).contains(&value) {
                return Err(NumberError::InvalidBase);
            }
            if i + 1 == digits.len() {
                return Err(NumberError::InvalidConstant);
            }
            base = value;
            value = 0;
            based = true;
            continue;
        }
        let digit = match byte {
            b'0'..=b'9' => i64::from(byte - b'0'),
            b'a'..=b'z' => i64::from(byte - b'a') + 10,
            b'A'..=b'Z' if base <= 36 => i64::from(byte - b'A') + 10,
            b'A'..=b'Z' => i64::from(byte - b'A') + 36,
            b'@' => 62,
            _ => 63,
        };
        if digit >= base {
            return Err(NumberError::ValueTooGreat);
        }
        value = value.wrapping_mul(base).wrapping_add(digit);
    }
    Ok(value)
}
