//! A subject as the characters that an expression is matched against.

/// Bytes that are not UTF-8 stand above all characters.
pub(crate) const INVALID: u32 = 0x11_0000;

/// How a subject's bytes are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// Each byte is a character.
    Bytes,
    /// UTF-8; a byte that belongs to no character is [`INVALID`] plus its value.
    Utf8,
}

impl Encoding {
    /// The character that begins at `at` and its length; `None` at the end.
    #[inline]
    pub(crate) fn decode(self, text: &[u8], at: usize) -> Option<(u32, usize)> {
        let byte = *text.get(at)?;
        if byte < 0x80 || self == Self::Bytes {
            return Some((u32::from(byte), 1));
        }
        Some(decode_wide(text, at, byte))
    }

    /// The character that ends at `at`; `None` at the start.
    pub(crate) fn decode_before(self, text: &[u8], at: usize) -> Option<u32> {
        let byte = *text.get(at.checked_sub(1)?)?;
        if byte < 0x80 || self == Self::Bytes {
            return Some(u32::from(byte));
        }
        for length in 2..=4 {
            let Some(start) = at.checked_sub(length) else { break };
            if let (unit, found) = decode_wide(text, start, *text.get(start)?)
                && found == length
                && unit < INVALID
            {
                return Some(unit);
            }
        }
        Some(INVALID + u32::from(byte))
    }

    /// The character that this place lies within.
    pub(crate) fn enclosing(self, text: &[u8], at: usize) -> Option<u32> {
        if self == Self::Bytes || text.get(at).is_none_or(|byte| byte & 0xc0 != 0x80) {
            return None;
        }
        for back in 1..=3 {
            let start = at.checked_sub(back)?;
            let byte = *text.get(start)?;
            if byte & 0xc0 != 0x80 {
                let (unit, length) = decode_wide(text, start, byte);
                return (unit < INVALID && length > back).then_some(unit);
            }
        }
        None
    }

    /// The largest character.
    pub(crate) fn last(self) -> u32 {
        match self {
            Self::Bytes => 0xff,
            Self::Utf8 => 0x10_ffff,
        }
    }
}

fn decode_wide(text: &[u8], at: usize, byte: u8) -> (u32, usize) {
    let length = match byte {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => 0,
    };
    if length > 0
        && let Some(bytes) = text.get(at..at + length)
        && let Ok(text) = std::str::from_utf8(bytes)
        && let Some(character) = text.chars().next()
    {
        return (u32::from(character), length);
    }
    (INVALID + u32::from(byte), 1)
}

/// The bytes of a character.
pub(crate) fn encode(unit: u32, encoding: Encoding, out: &mut Vec<u8>) {
    let low = unit.to_le_bytes()[0];
    match char::from_u32(unit) {
        _ if encoding == Encoding::Bytes || unit >= INVALID => out.push(low),
        Some(character) => {
            let mut buffer = [0; 4];
            out.extend_from_slice(character.encode_utf8(&mut buffer).as_bytes());
        }
        None => {}
    }
}

#[cfg(test)]
mod tests {
    use super::{Encoding, INVALID};

    #[test]
    fn bytes_that_are_no_characters_stand_alone() {
        let text = b"a\xc3\xa9\xff\xe2\x82";
        let at = |n| Encoding::Utf8.decode(text, n);
        assert_eq!(at(0), Some((0x61, 1)));
        assert_eq!(at(1), Some((0xe9, 2)));
        assert_eq!(at(3), Some((INVALID + 0xff, 1)));
        assert_eq!(at(4), Some((INVALID + 0xe2, 1)));
        assert_eq!(at(6), None);
        assert_eq!(Encoding::Utf8.decode_before(text, 3), Some(0xe9));
        assert_eq!(Encoding::Utf8.decode_before(text, 4), Some(INVALID + 0xff));
        assert_eq!(Encoding::Utf8.decode_before(text, 0), None);
        assert_eq!(Encoding::Bytes.decode(text, 1), Some((0xc3, 1)));
    }
}
