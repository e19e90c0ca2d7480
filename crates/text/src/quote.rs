//! Quoting values so that the shell reads them back, in the forms that bash 5.2 prints.
//!
//! `bytes` is the C locale, in which no byte above 127 is printable.

use super::printable::is_printable;
use crate::pattern::decode;

/// `printf %q`, `%Q` and the names in `declare -F`: backslashes, or `$'…'` where something is not printable.
pub fn backslashes(text: &[u8], bytes: bool, out: &mut Vec<u8>) {
    if text.is_empty() {
        out.extend_from_slice(b"''");
    } else if needs_ansi_c(text, bytes) {
        ansi_c(text, bytes, out);
    } else {
        let mut done = 0;
        for (index, &byte) in text.iter().enumerate() {
            if is_meta(text, index) || byte == b',' {
                out.extend_from_slice(&text[done..index]);
                out.push(b'\\');
                done = index;
            }
        }
        out.extend_from_slice(&text[done..]);
    }
}

/// `${x@Q}`: single quotes, or `$'…'`.
pub fn transform(text: &[u8], bytes: bool, out: &mut Vec<u8>) {
    if needs_ansi_c(text, bytes) { ansi_c(text, bytes, out) } else { single(text, out) }
}

/// The value in `declare -p`, `export -p` and arrays: double quotes, or `$'…'`.
pub fn declaration(text: &[u8], bytes: bool, out: &mut Vec<u8>) {
    if needs_ansi_c(text, bytes) { ansi_c(text, bytes, out) } else { double(text, out) }
}

/// The subscript of an associative array in `declare -p`: bare where it can be.
pub fn subscript(text: &[u8], bytes: bool, out: &mut Vec<u8>) {
    if needs_ansi_c(text, bytes) {
        ansi_c(text, bytes, out);
    } else if text.is_empty() || text == b"@" || has_meta(text) {
        double(text, out);
    } else {
        out.extend_from_slice(text);
    }
}

/// The value that `set` without operands prints: bare, single quotes, or (not in posix mode) `$'…'`.
pub fn assignment(text: &[u8], posix: bool, bytes: bool, out: &mut Vec<u8>) {
    if !posix && needs_ansi_c(text, bytes) {
        ansi_c(text, bytes, out);
    } else if has_meta(text) {
        single(text, out);
    } else {
        out.extend_from_slice(text);
    }
}

/// A word of the `set -x` trace: bare, single quotes, or `$'…'`.
pub fn trace(text: &[u8], bytes: bool, out: &mut Vec<u8>) {
    if text.is_empty() {
        out.extend_from_slice(b"''");
    } else if has_meta(text) {
        single(text, out);
    } else if needs_ansi_c(text, bytes) {
        ansi_c(text, bytes, out);
    } else {
        out.extend_from_slice(text);
    }
}

/// Single quotes always: the commands of `trap` and the values of `alias`. A lone quote is `\'`.
pub fn single(text: &[u8], out: &mut Vec<u8>) {
    if text == b"'" {
        out.extend_from_slice(b"\\'");
        return;
    }
    out.push(b'\'');
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'\'', rest) {
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(b"'\\''");
        rest = &rest[at + 1..];
    }
    out.extend_from_slice(rest);
    out.push(b'\'');
}

/// Double quotes always.
pub fn double(text: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    for &byte in text {
        if matches!(byte, b'"' | b'$' | b'`' | b'\\') {
            out.push(b'\\');
        }
        out.push(byte);
    }
    out.push(b'"');
}

/// `$'…'` always.
pub(crate) fn ansi_c(text: &[u8], bytes: bool, out: &mut Vec<u8>) {
    out.extend_from_slice(b"$'");
    let mut at = 0;
    while at < text.len() {
        let (code, length) = decode(text, at, bytes);
        let character = &text[at..at + length];
        at += length;
        let letter = match character {
            [0x1B] => b'E',
            [0x07] => b'a',
            [0x08] => b'b',
            [0x0B] => b'v',
            [b'\t'] => b't',
            [b'\n'] => b'n',
            [b'\r'] => b'r',
            [0x0C] => b'f',
            [b'\\'] => b'\\',
            [b'\''] => b'\'',
            _ if is_printable(code) => {
                out.extend_from_slice(character);
                continue;
            }
            _ => {
                for byte in character {
                    out.extend_from_slice(&[b'\\', b'0' + (byte >> 6), b'0' + (byte >> 3 & 7), b'0' + (byte & 7)]);
                }
                continue;
            }
        };
        out.extend_from_slice(&[b'\\', letter]);
    }
    out.push(b'\'');
}

/// Whether a character is not printable, so that only `$'…'` shows it.
#[must_use]
pub(crate) fn needs_ansi_c(text: &[u8], bytes: bool) -> bool {
    if text.iter().all(|byte| matches!(byte, b' '..=b'~')) {
        return false;
    }
    let mut at = 0;
    while at < text.len() {
        let (code, length) = decode(text, at, bytes);
        if !is_printable(code) {
            return true;
        }
        at += length;
    }
    false
}

/// A name in a message: as it is, or `$'…'` where something in it is not printable.
#[must_use]
pub fn printable(text: &[u8]) -> std::borrow::Cow<'_, [u8]> {
    if !needs_ansi_c(text, false) {
        return text.into();
    }
    let mut quoted = Vec::new();
    ansi_c(text, false, &mut quoted);
    quoted.into()
}

/// Whether the shell would read some character of the word as special.
#[must_use]
pub fn has_meta(text: &[u8]) -> bool {
    (0..text.len()).any(|index| is_meta(text, index))
}

fn is_meta(text: &[u8], index: usize) -> bool {
    match text[index] {
        b' ' | b'\t' | b'\n' | b'\'' | b'"' | b'\\' | b'|' | b'&' | b';' | b'(' | b')' | b'<' | b'>' | b'!' | b'{'
        | b'}' | b'*' | b'[' | b']' | b'?' | b'^' | b'$' | b'`' => true,
        // A tilde prefix, and a comment.
        b'~' => index == 0 || matches!(text[index - 1], b'=' | b':'),
        b'#' => index == 0,
        _ => false,
    }
}
