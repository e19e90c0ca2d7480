//! Characters of a byte string: UTF-8 sequences and stray bytes.

/// A stray byte b is the character `STRAY + b`, above every code point.
pub(super) const STRAY: u32 = 0x11_0000;

fn is_continuation(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

/// The character at `at` (which is inside `text`) and its length in bytes.
#[inline]
pub fn decode(text: &[u8], at: usize, bytes: bool) -> (u32, usize) {
    let byte = text[at];
    if byte < 0x80 {
        return (u32::from(byte), 1);
    }
    if !bytes && let (Some(character), length) = bstr::decode_utf8(&text[at..]) {
        return (u32::from(character), length);
    }
    (STRAY + u32::from(byte), 1)
}

/// All characters of `text`.
pub(super) fn decode_all(text: &[u8], bytes: bool) -> impl Iterator<Item = (usize, u32)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        if at >= text.len() {
            return None;
        }
        let (character, length) = decode(text, at, bytes);
        at += length;
        Some((at - length, character))
    })
}

/// Where the characters of `text` begin, of which each stray byte is one.
pub fn starts(text: &[u8]) -> impl Iterator<Item = usize> {
    decode_all(text, false).map(|(at, _)| at)
}

/// Whether a character starts (or the text ends) at `at`.
#[inline]
pub(super) fn is_boundary(text: &[u8], at: usize, bytes: bool) -> bool {
    if bytes || at == 0 || at >= text.len() || !is_continuation(text[at]) {
        return true;
    }
    for back in 1..=3.min(at) {
        if !is_continuation(text[at - back]) {
            let (_, length) = decode(text, at - back, false);
            return length <= back;
        }
    }
    true
}

/// The start of the character that ends at the boundary `at`, which is above 0.
#[inline]
pub(super) fn previous(text: &[u8], at: usize, bytes: bool) -> usize {
    let mut start = at - 1;
    while !is_boundary(text, start, bytes) {
        start -= 1;
    }
    start
}

/// Whether `literal` can only be found on character boundaries, so that bytes may be compared.
pub(super) fn is_self_delimiting(literal: &[u8], bytes: bool) -> bool {
    bytes || std::str::from_utf8(literal).is_ok()
}

/// Simple lower-case folding, one character to one character.
#[inline]
pub(super) fn fold(character: u32) -> u32 {
    if character < 0x80 {
        return match character {
            0x41..=0x5A => character + 32,
            _ => character,
        };
    }
    let Some(character) = char::from_u32(character) else {
        return character;
    };
    let mut lower = character.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(one), None) => u32::from(one),
        _ => u32::from(character),
    }
}

/// A named character class of a bracket expression (POSIX XBD 9.3.5, and bash's `ascii` and `word`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Alnum,
    Alpha,
    Ascii,
    Blank,
    Cntrl,
    Digit,
    Graph,
    Lower,
    Print,
    Punct,
    Space,
    Upper,
    Word,
    Xdigit,
}

impl Class {
    pub(super) fn from_name(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"alnum" => Self::Alnum,
            b"alpha" => Self::Alpha,
            b"ascii" => Self::Ascii,
            b"blank" => Self::Blank,
            b"cntrl" => Self::Cntrl,
            b"digit" => Self::Digit,
            b"graph" => Self::Graph,
            b"lower" => Self::Lower,
            b"print" => Self::Print,
            b"punct" => Self::Punct,
            b"space" => Self::Space,
            b"upper" => Self::Upper,
            b"word" => Self::Word,
            b"xdigit" => Self::Xdigit,
            _ => return None,
        })
    }

    pub(super) fn contains(self, character: u32) -> bool {
        match u8::try_from(character) {
            Ok(byte) if byte < 0x80 => self.contains_ascii(byte),
            _ => char::from_u32(character).is_some_and(|character| self.contains_wide(character)),
        }
    }

    /// The ASCII characters in the class, one bit for each.
    pub(super) fn ascii(self) -> u128 {
        const ALL: [u128; 14] = {
            use Class::*;
            let classes =
                [Alnum, Alpha, Ascii, Blank, Cntrl, Digit, Graph, Lower, Print, Punct, Space, Upper, Word, Xdigit];
            let mut masks = [0; 14];
            let mut index = 0;
            while index < classes.len() {
                let mut byte = 0;
                while byte < 128 {
                    if classes[index].contains_ascii(byte) {
                        masks[index] |= 1 << byte;
                    }
                    byte += 1;
                }
                index += 1;
            }
            masks
        };
        ALL[self as usize]
    }

    const fn contains_ascii(self, byte: u8) -> bool {
        match self {
            Self::Alnum => byte.is_ascii_alphanumeric(),
            Self::Alpha => byte.is_ascii_alphabetic(),
            Self::Ascii => true,
            Self::Blank => matches!(byte, b' ' | b'\t'),
            Self::Cntrl => byte.is_ascii_control(),
            Self::Digit => byte.is_ascii_digit(),
            Self::Graph => byte.is_ascii_graphic(),
            Self::Lower => byte.is_ascii_lowercase(),
            Self::Print => byte.is_ascii_graphic() || byte == b' ',
            Self::Punct => byte.is_ascii_punctuation(),
            Self::Space => matches!(byte, b' ' | b'\t'..=b'\r'),
            Self::Upper => byte.is_ascii_uppercase(),
            Self::Word => byte.is_ascii_alphanumeric() || byte == b'_',
            Self::Xdigit => byte.is_ascii_hexdigit(),
        }
    }

    /// Classes outside ASCII follow Unicode's properties as the standard library has them; the C.UTF-8 tables
    /// of a C library may know a different Unicode version.
    fn contains_wide(self, character: char) -> bool {
        // The C library counts no-break spaces as graphic.
        let space = character.is_whitespace() && !matches!(character, '\u{85}' | '\u{A0}' | '\u{2007}' | '\u{202F}');
        match self {
            Self::Ascii | Self::Digit | Self::Xdigit => false,
            Self::Alnum | Self::Alpha | Self::Word => character.is_alphabetic(),
            Self::Lower => character.is_lowercase(),
            Self::Upper => character.is_uppercase(),
            Self::Blank => space && !matches!(character, '\u{2028}' | '\u{2029}'),
            Self::Space => space,
            Self::Cntrl => character.is_control() || matches!(character, '\u{2028}' | '\u{2029}'),
            Self::Print => !character.is_control() && !matches!(character, '\u{2028}' | '\u{2029}'),
            Self::Graph => !character.is_control() && !space,
            Self::Punct => !character.is_control() && !space && !character.is_alphabetic(),
        }
    }
}
