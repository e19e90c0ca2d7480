//! Characters as the C library knows them in the locale C.UTF-8 (glibc 2.36, Unicode 14).

use hookshell_utility::UtilityCall;
use hookshell_utility::locale::is_bytes;

pub(crate) use hookshell_text::printable::is_printable;
pub(crate) use hookshell_text::width::width;

/// Are characters bytes for this call?
pub(crate) fn are_bytes_in(call: &UtilityCall<'_>) -> bool {
    is_bytes(call.env)
}

/// What a byte sequence begins with.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Decoded {
    /// A character and its length.
    Character(u32, usize),
    /// More bytes are needed.
    Incomplete,
    /// No character.
    Invalid,
}

/// Decodes the first character as glibc's `mbrtowc`.
pub(crate) fn decode(bytes: &[u8]) -> Decoded {
    let Some(&first) = bytes.first() else { return Decoded::Incomplete };
    let (length, bits) = match first {
        0..0x80 => return Decoded::Character(first.into(), 1),
        0xc2..0xe0 => (2, first & 0x1f),
        0xe0..0xf0 => (3, first & 0x0f),
        0xf0..0xf5 => (4, first & 0x07),
        _ => return Decoded::Invalid,
    };
    let mut value = u32::from(bits);
    for at in 1..length {
        let Some(&byte) = bytes.get(at) else { return Decoded::Incomplete };
        let wrong = !hookshell_process::text::is_continuation(byte)
            || at == 1
                && (first == 0xe0 && byte < 0xa0
                    || first == 0xed && byte >= 0xa0
                    || first == 0xf0 && byte < 0x90
                    || first == 0xf4 && byte >= 0x90);
        if wrong {
            return Decoded::Invalid;
        }
        value = value << 6 | u32::from(byte & 0x3f);
    }
    Decoded::Character(value, length)
}

/// `iswspace`, and the spaces that do not break: what GNU's wc ends a word at.
pub(crate) fn is_space(character: u32) -> bool {
    matches!(character, 0x09..=0x0d | 0x20 | 0xa0 | 0x1680 | 0x2000..=0x200a | 0x2028 | 0x2029 | 0x202f | 0x205f | 0x2060 | 0x3000)
}

#[cfg(test)]
mod tests {
    use super::{Decoded, decode, is_printable};

    #[test]
    fn characters_are_decoded() {
        assert_eq!(decode("é".as_bytes()), Decoded::Character(0xe9, 2));
        assert_eq!(decode("€".as_bytes()), Decoded::Character(0x20ac, 3));
        assert_eq!(decode(b"\xe2\x82"), Decoded::Incomplete);
        assert_eq!(decode(b"\xe2A"), Decoded::Invalid);
        assert_eq!(decode(b"\xed\xa0\x80"), Decoded::Invalid);
        assert_eq!(decode(b"\xff"), Decoded::Invalid);
        assert!(is_printable(0xe9) && !is_printable(0x85) && !is_printable(0x7f));
    }
}
