//! Backslash escapes of formats and of `%b` operands.

use super::PrintfError;
use crate::escape::{digits, push_unicode, simple};

/// Where an escape stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// In the format: `\'`, `\"` and `\?` are escapes, `\c` is not, and octal digits are three at most.
    Format,
    /// In an operand of `%b`: `\c` ends the output, and `\0` may be followed by three octal digits.
    Operand,
}

/// What one escape gave.
pub(super) enum Escape {
    /// It was appended; this many bytes after the backslash were used.
    Used(usize),
    /// `\c`
    Stop,
}

/// Appends the escape whose backslash has been read; `text` follows it.
pub(super) fn push_escape(
    text: &[u8],
    place: Place,
    bytes: bool,
    errors: &mut Vec<PrintfError>,
    out: &mut Vec<u8>,
) -> Escape {
    let Some(&letter) = text.first() else {
        out.push(b'\\');
        return Escape::Used(0);
    };
    let tail = &text[1..];
    match letter {
        b'0'..=b'7' => {
            let most = if letter == b'0' && place == Place::Operand { 4 } else { 3 };
            let (value, count) = digits(text, 8, most);
            out.push((value & 0xFF) as u8);
            Escape::Used(count)
        }
        b'x' => match digits(tail, 16, 2) {
            (_, 0) => {
                errors.push(PrintfError::MissingHexDigit);
                out.push(b'\\');
                Escape::Used(0)
            }
            (value, count) => {
                out.push((value & 0xFF) as u8);
                Escape::Used(1 + count)
            }
        },
        b'u' | b'U' => match digits(tail, 16, if letter == b'u' { 4 } else { 8 }) {
            (_, 0) => {
                errors.push(PrintfError::MissingUnicodeDigit(letter));
                out.push(b'\\');
                Escape::Used(0)
            }
            (value, count) => {
                push_unicode(value, bytes, out);
                Escape::Used(1 + count)
            }
        },
        b'\'' | b'"' | b'?' if place == Place::Format => {
            out.push(letter);
            Escape::Used(1)
        }
        b'c' if place == Place::Operand => Escape::Stop,
        _ => match simple(letter) {
            Some(byte) => {
                out.push(byte);
                Escape::Used(1)
            }
            None => {
                out.push(b'\\');
                Escape::Used(0)
            }
        },
    }
}

/// Appends an operand of `%b`. Returns false at `\c`.
pub(super) fn push_operand(text: &[u8], bytes: bool, errors: &mut Vec<PrintfError>, out: &mut Vec<u8>) -> bool {
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        out.extend_from_slice(&rest[..at]);
        rest = &rest[at + 1..];
        match push_escape(rest, Place::Operand, bytes, errors, out) {
            Escape::Used(count) => rest = &rest[count..],
            Escape::Stop => return false,
        }
    }
    out.extend_from_slice(rest);
    true
}
