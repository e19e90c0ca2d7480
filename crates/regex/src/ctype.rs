//! Character classes, as C.UTF-8 has them.

use hookshell_text::printable::PRINTABLE;

use crate::class::{CharClass, in_ranges};
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
                let mut beyond = wide_graph();
                beyond.subtract(&CharClass::from_ranges(tables::ALPHA));
                class.extend(beyond.ranges());
            }
        }
        b"graph" => add(&[(0x21, 0x7e)], wide_graph().ranges()),
        b"print" => add(&[(0x20, 0x7e)], PRINTABLE),
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

/// What is printed beyond ASCII and no blank.
fn wide_graph() -> CharClass {
    let mut graph = CharClass::from_ranges(PRINTABLE);
    graph.subtract(&CharClass::from_ranges(WIDE_BLANK));
    graph
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
