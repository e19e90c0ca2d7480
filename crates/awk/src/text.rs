//! Characters of a text: UTF-8, or bytes in the C locale. A byte that is no part of a character counts as one.

use hookshell_text::escape;

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
    // What is after the place is not looked at: `substr` may be called for each character of a long text.
    if is_simple(text.get(..index).unwrap_or(text), characters) {
        return index.min(text.len());
    }
    let window = text.get(..index.saturating_mul(4)).unwrap_or(text);
    let valid = window.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    let (mut at, begun) = skip(valid.as_bytes(), index);
    for _ in begun..index {
        match text.get(at..) {
            Some(rest) if !rest.is_empty() => at += character_length(rest, characters),
            _ => break,
        }
    }
    at
}

/// Goes over so many characters of valid UTF-8, or to its end: the place, and how many they are.
fn skip(text: &[u8], count: usize) -> (usize, usize) {
    const BLOCK: usize = 64;
    let starts = |bytes: &[u8]| bytes.iter().filter(|byte| !hookshell_process::text::is_continuation(**byte)).count();
    let (mut at, mut begun) = (0, 0);
    for block in text.chunks(BLOCK) {
        let in_block = starts(block);
        if begun + in_block > count {
            break;
        }
        begun += in_block;
        at += block.len();
    }
    // Here the last character may have begun in the block before.
    for byte in text.get(at..).unwrap_or_default() {
        if !hookshell_process::text::is_continuation(*byte) {
            if begun == count {
                break;
            }
            begun += 1;
        }
        at += 1;
    }
    (at, begun)
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

#[cfg(test)]
mod tests {
    use super::{Characters, character_length, offset};

    #[test]
    fn the_place_of_a_character_is_found_wherever_it_stands() {
        let texts: [Vec<u8>; 5] = [
            "a".repeat(200).into_bytes(),
            "aé€😀".repeat(60).into_bytes(),
            [&"é".repeat(70).into_bytes()[..], b"\xff\xc3a\xe2\x82", &"b€".repeat(40).into_bytes()].concat(),
            [&"a".repeat(63).into_bytes()[..], "😀é".as_bytes(), b"\xf0\x9f"].concat(),
            Vec::new(),
        ];
        for text in texts {
            let mut at = 0;
            for index in 0..text.len() + 3 {
                assert_eq!(offset(&text, index, Characters::Utf8), at, "{index} of {}", text.escape_ascii());
                assert_eq!(offset(&text, index, Characters::Bytes), index.min(text.len()));
                if at < text.len() {
                    at += character_length(&text[at..], Characters::Utf8);
                }
            }
        }
    }
}
