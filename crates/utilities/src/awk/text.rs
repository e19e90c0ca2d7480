//! Characters of a text: UTF-8, or bytes in the C locale. A byte that is no part of a character counts as one.

use hookshell_shell::text::escape;

/// What a character is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Characters {
    Bytes,
    Utf8,
}

/// The length in bytes of the character at the start of a text that is not empty.
pub(super) fn character_length(text: &[u8], characters: Characters) -> usize {
    match (characters, text.first()) {
        (Characters::Utf8, Some(first @ 0x80..)) => {
            let length = match first {
                0xc2..=0xdf => 2,
                0xe0..=0xef => 3,
                0xf0..=0xf4 => 4,
                _ => return 1,
            };
            match text.get(..length) {
                Some(bytes) if std::str::from_utf8(bytes).is_ok() => length,
                _ => 1,
            }
        }
        _ => 1,
    }
}

fn is_simple(text: &[u8], characters: Characters) -> bool {
    characters == Characters::Bytes || text.is_ascii()
}

/// The number of characters.
pub(super) fn length(text: &[u8], characters: Characters) -> usize {
    if is_simple(text, characters) {
        return text.len();
    }
    if let Ok(text) = std::str::from_utf8(text) {
        return text.chars().count();
    }
    let mut count = 0;
    let mut rest = text;
    while !rest.is_empty() {
        rest = rest.get(character_length(rest, characters)..).unwrap_or_default();
        count += 1;
    }
    count
}

/// The offset of the character with this index, from 0; the end where there are fewer.
pub(super) fn offset(text: &[u8], index: usize, characters: Characters) -> usize {
    if is_simple(text, characters) {
        return index.min(text.len());
    }
    let mut at = 0;
    for _ in 0..index {
        match text.get(at..) {
            Some(rest) if !rest.is_empty() => at += character_length(rest, characters),
            _ => break,
        }
    }
    at
}

/// The first `count` characters.
pub(super) fn prefix(text: &[u8], count: usize, characters: Characters) -> &[u8] {
    text.get(..offset(text, count, characters)).unwrap_or(text)
}

/// The first character, or nothing.
pub(super) fn first(text: &[u8], characters: Characters) -> &[u8] {
    prefix(text, 1, characters)
}

/// `printf %c` of a number.
pub(super) fn push_character(code: f64, characters: Characters, out: &mut Vec<u8>) {
    let code = code.trunc();
    if characters == Characters::Utf8 && (128.0..1_114_112.0).contains(&code) {
        let code = code as u32;
        if char::from_u32(code).is_some() {
            return escape::push_utf8(code, out);
        }
    }
    // The low byte, as C's `%c` has it.
    out.push(((code as i64) & 0xff) as u8);
}
