//! Character classes and case, as C.UTF-8 has them.

use crate::class::CharClass;
use crate::tables;
use crate::text::{Encoding, INVALID};

const ASCII_ALPHA: &[(u32, u32)] = &[(0x41, 0x5a), (0x61, 0x7a)];
const ASCII_PUNCT: &[(u32, u32)] = &[(0x21, 0x2f), (0x3a, 0x40), (0x5b, 0x60), (0x7b, 0x7e)];
const DIGIT: &[(u32, u32)] = &[(0x30, 0x39)];
const WIDE_BLANK: &[(u32, u32)] =
    &[(0x1680, 0x1680), (0x2000, 0x2006), (0x2008, 0x200a), (0x205f, 0x205f), (0x3000, 0x3000)];

/// The class of this name; `None`: there is none.
pub(crate) fn named(name: &[u8], encoding: Encoding) -> Option<CharClass> {
    let wide = encoding == Encoding::Utf8;
    let mut class = CharClass::default();
    let mut add = |ascii: &[(u32, u32)], beyond: &[(u32, u32)]| {
        class.extend(ascii);
        if wide {
            class.extend(beyond);
        }
    };
    match name {
        b"alpha" => add(ASCII_ALPHA, tables::ALPHA),
        b"upper" => add(&[(0x41, 0x5a)], tables::UPPER),
        b"lower" => add(&[(0x61, 0x7a)], tables::LOWER),
        b"digit" => add(DIGIT, &[]),
        b"xdigit" => add(&[(0x30, 0x39), (0x41, 0x46), (0x61, 0x66)], &[]),
        b"alnum" => {
            add(ASCII_ALPHA, tables::ALPHA);
            add(DIGIT, &[]);
        }
        b"punct" => {
            // What is printed and neither a letter nor a digit.
            add(ASCII_PUNCT, &[]);
            if wide {
                let mut beyond = CharClass::from_ranges(tables::GRAPH);
                beyond.subtract(&CharClass::from_ranges(tables::ALPHA));
                class.extend(beyond.ranges());
            }
        }
        b"graph" => add(&[(0x21, 0x7e)], tables::GRAPH),
        b"print" => {
            add(&[(0x20, 0x7e)], tables::GRAPH);
            add(&[], WIDE_BLANK);
        }
        b"space" => {
            add(&[(0x09, 0x0d), (0x20, 0x20)], WIDE_BLANK);
            add(&[], &[(0x2028, 0x2029)]);
        }
        b"blank" => add(&[(0x09, 0x09), (0x20, 0x20)], WIDE_BLANK),
        b"cntrl" => add(&[(0x00, 0x1f), (0x7f, 0x7f)], &[(0x80, 0x9f), (0x2028, 0x2029)]),
        _ => return None,
    }
    class.normalize();
    Some(class)
}

/// `\w`: letters, digits and the underscore.
pub(crate) fn word(encoding: Encoding) -> CharClass {
    let mut class = named(b"alnum", encoding).unwrap_or_default();
    class.extend(&[(0x5f, 0x5f)]);
    class.normalize();
    class
}

/// Is it a character of a word, for `\b`?
pub(crate) fn is_word(unit: u32, encoding: Encoding) -> bool {
    match u8::try_from(unit) {
        Ok(byte) if byte < 0x80 => byte.is_ascii_alphanumeric() || byte == b'_',
        _ if encoding == Encoding::Bytes => false,
        // glibc takes a byte that is no character for the character of its value.
        _ => in_ranges(tables::ALPHA, if unit >= INVALID { unit - INVALID } else { unit }),
    }
}

/// Binary search in sorted ranges.
pub(crate) fn in_ranges(ranges: &[(u32, u32)], unit: u32) -> bool {
    let at = ranges.partition_point(|&(_, end)| end < unit);
    ranges.get(at).is_some_and(|&(start, _)| start <= unit)
}

/// `towupper`.
pub(crate) fn upper(unit: u32, encoding: Encoding) -> u32 {
    if unit < 0x80 {
        return unit - if (0x61..=0x7a).contains(&unit) { 0x20 } else { 0 };
    }
    if encoding == Encoding::Bytes {
        return unit;
    }
    match unit {
        // One character each in C, several in Unicode's full mapping.
        0x1f80..=0x1f87 | 0x1f90..=0x1f97 | 0x1fa0..=0x1fa7 => unit + 8,
        0x1fb3 | 0x1fc3 | 0x1ff3 => unit + 9,
        _ => match char::from_u32(unit) {
            Some(character) => single(character.to_uppercase(), unit),
            None => unit,
        },
    }
}

/// `towlower`.
pub(crate) fn lower(unit: u32, encoding: Encoding) -> u32 {
    if unit < 0x80 {
        return unit + if (0x41..=0x5a).contains(&unit) { 0x20 } else { 0 };
    }
    match char::from_u32(unit) {
        _ if encoding == Encoding::Bytes => unit,
        Some('\u{130}') => 0x69,
        Some(character) => single(character.to_lowercase(), unit),
        None => unit,
    }
}

fn single(mut mapped: impl Iterator<Item = char>, unit: u32) -> u32 {
    match (mapped.next(), mapped.next()) {
        (Some(character), None) => u32::from(character),
        _ => unit,
    }
}

/// Characters that differ only in case from others although those do not lead to them: `towupper` of the first is
/// `towupper` of the second's lower case.
pub(crate) const LONELY: &[u32] = &[
    0xb5, 0x131, 0x17f, 0x1c5, 0x1c8, 0x1cb, 0x1f2, 0x345, 0x3c2, 0x3d0, 0x3d1, 0x3d5, 0x3d6, 0x3f0, 0x3f1, 0x3f5,
    0x1e9b, 0x1fbe,
];
