//! The encodings that are known, and one character of each.

/// An encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    Ascii,
    Utf8,
    /// Code units of two or four bytes.
    Units {
        wide: bool,
        order: Order,
    },
    /// ISO-8859-1, and the others of one byte, which differ from it in some places.
    Byte(Table),
}

/// In which order the bytes of a unit stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Little,
    Big,
    /// A byte order mark says it; without one it is little, and what is written has one.
    Marked,
}

/// Where an encoding of one byte differs from ISO-8859-1: the first byte, and the characters from it on; 0 for none.
pub(super) type Table = (u8, &'static [u16]);

const LATIN_1: Table = (0, &[]);

const LATIN_9: Table = (
    0xa4,
    &[
        0x20ac, 0xa5, 0x160, 0xa7, 0x161, 0xa9, 0xaa, 0xab, 0xac, 0xad, 0xae, 0xaf, 0xb0, 0xb1, 0xb2, 0xb3, 0x17d,
        0xb5, 0xb6, 0xb7, 0x17e, 0xb9, 0xba, 0xbb, 0x152, 0x153, 0x178,
    ],
);

const WINDOWS_1252: Table = (
    0x80,
    &[
        0x20ac, 0, 0x201a, 0x192, 0x201e, 0x2026, 0x2020, 0x2021, 0x2c6, 0x2030, 0x160, 0x2039, 0x152, 0, 0x17d, 0, 0,
        0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x2dc, 0x2122, 0x161, 0x203a, 0x153, 0, 0x17e, 0x178,
    ],
);

/// What a text begins with.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// A character of so many bytes.
    Character(u32, usize),
    /// So many bytes that are none.
    Illegal(usize),
    /// The beginning of one.
    Incomplete,
}

impl Encoding {
    /// The encoding of this name, as glibc knows it.
    pub(super) fn of(name: &[u8]) -> Option<Self> {
        let units = |wide, order| Self::Units { wide, order };
        Some(match &*name.to_ascii_uppercase() {
            b"UTF-8" | b"UTF8" | b"ISO-10646/UTF8" | b"ISO-10646/UTF-8" => Self::Utf8,
            b"ASCII" | b"US-ASCII" | b"US" | b"ANSI_X3.4-1968" | b"ANSI_X3.4-1986" | b"ISO646-US" | b"ISO-IR-6"
            | b"CP367" | b"IBM367" | b"CSASCII" | b"ISO_646.IRV:1991" => Self::Ascii,
            b"UTF-16" | b"UTF16" => units(false, Order::Marked),
            b"UTF-16LE" | b"UTF16LE" => units(false, Order::Little),
            b"UTF-16BE" | b"UTF16BE" => units(false, Order::Big),
            b"UTF-32" | b"UTF32" => units(true, Order::Marked),
            b"UTF-32LE" | b"UTF32LE" => units(true, Order::Little),
            b"UTF-32BE" | b"UTF32BE" => units(true, Order::Big),
            b"ISO-8859-1" | b"ISO8859-1" | b"ISO88591" | b"ISO_8859-1" | b"ISO_8859-1:1987" | b"LATIN1" | b"L1"
            | b"ISO-IR-100" | b"CP819" | b"IBM819" | b"8859_1" | b"CSISOLATIN1" => Self::Byte(LATIN_1),
            b"ISO-8859-15" | b"ISO8859-15" | b"ISO885915" | b"ISO_8859-15" | b"ISO_8859-15:1998" | b"LATIN-9"
            | b"ISO-IR-203" => Self::Byte(LATIN_9),
            b"CP1252" | b"WINDOWS-1252" | b"MS-ANSI" => Self::Byte(WINDOWS_1252),
            _ => return None,
        })
    }

    /// What `text`, which is not empty, begins with.
    pub(super) fn decode(self, text: &[u8]) -> Step {
        let Some(&first) = text.first() else { return Step::Incomplete };
        match self {
            Self::Ascii if first < 0x80 => Step::Character(first.into(), 1),
            Self::Ascii => Step::Illegal(1),
            Self::Utf8 => decode_utf8(first, text),
            Self::Units { wide: false, order } => decode_utf16(text, order),
            Self::Units { wide: true, order } => {
                let Some(unit) = text.first_chunk::<4>() else { return Step::Incomplete };
                let value = if order == Order::Big { u32::from_be_bytes(*unit) } else { u32::from_le_bytes(*unit) };
                if char::from_u32(value).is_some() { Step::Character(value, 4) } else { Step::Illegal(4) }
            }
            Self::Byte((start, table)) => {
                let special = first.checked_sub(start).and_then(|at| table.get(usize::from(at)));
                match special.copied().map_or(u32::from(first), u32::from) {
                    0 if first != 0 => Step::Illegal(1),
                    character => Step::Character(character, 1),
                }
            }
        }
    }

    /// Writes a character; `false` where the encoding has none such.
    pub(super) fn encode(self, character: u32, out: &mut Vec<u8>) -> bool {
        match self {
            Self::Ascii => push_byte(u8::try_from(character).ok().filter(u8::is_ascii), out),
            Self::Utf8 => {
                // Above the last code point nothing is changed from UTF-8 to UTF-8.
                match char::from_u32(character) {
                    Some(known) => out.extend_from_slice(known.encode_utf8(&mut [0; 4]).as_bytes()),
                    None => {
                        let six = |shift: u32| 0x80 | low(character >> shift) & 0x3f;
                        out.extend_from_slice(&[0xf0 | low(character >> 18) & 7, six(12), six(6), six(0)]);
                    }
                }
                true
            }
            Self::Units { wide, order } => {
                let Some(known) = char::from_u32(character) else { return false };
                if wide {
                    let bytes = if order == Order::Big { character.to_be_bytes() } else { character.to_le_bytes() };
                    out.extend_from_slice(&bytes);
                } else {
                    for unit in known.encode_utf16(&mut [0; 2]) {
                        let bytes = if order == Order::Big { unit.to_be_bytes() } else { unit.to_le_bytes() };
                        out.extend_from_slice(&bytes);
                    }
                }
                true
            }
            Self::Byte((start, table)) => {
                let special = table.iter().position(|known| *known != 0 && u32::from(*known) == character);
                let byte = match special {
                    Some(at) => u8::try_from(usize::from(start) + at).ok(),
                    None => u8::try_from(character)
                        .ok()
                        .filter(|byte| byte.checked_sub(start).is_none_or(|at| usize::from(at) >= table.len())),
                };
                push_byte(byte, out)
            }
        }
    }
}

/// The lowest byte.
fn low(value: u32) -> u8 {
    value.to_le_bytes()[0]
}

fn push_byte(byte: Option<u8>, out: &mut Vec<u8>) -> bool {
    out.extend(byte);
    byte.is_some()
}

fn decode_utf8(first: u8, text: &[u8]) -> Step {
    let (length, least) = match first {
        0..0x80 => return Step::Character(first.into(), 1),
        0xc2..0xe0 => (2, 0x80),
        0xe0..0xf0 => (3, 0x800),
        0xf0..0xf8 => (4, 0x1_0000),
        _ => return Step::Illegal(1),
    };
    let mut value = u32::from(first) & (0x7f >> length);
    for at in 1..length {
        match text.get(at) {
            None => return Step::Incomplete,
            Some(byte @ 0x80..0xc0) => value = value << 6 | u32::from(byte & 0x3f),
            Some(_) => return Step::Illegal(at),
        }
    }
    if value < least || (0xd800..0xe000).contains(&value) {
        return Step::Illegal(length);
    }
    Step::Character(value, length)
}

fn decode_utf16(text: &[u8], order: Order) -> Step {
    let unit = |at: usize| {
        let bytes = text.get(at..)?.first_chunk::<2>()?;
        Some(if order == Order::Big { u16::from_be_bytes(*bytes) } else { u16::from_le_bytes(*bytes) })
    };
    let Some(first) = unit(0) else { return Step::Incomplete };
    match first {
        0xdc00..0xe000 => Step::Illegal(2),
        0xd800..0xdc00 => match unit(2) {
            None => Step::Incomplete,
            Some(second @ 0xdc00..0xe000) => {
                let value = 0x1_0000 + ((u32::from(first) - 0xd800) << 10) + (u32::from(second) - 0xdc00);
                Step::Character(value, 4)
            }
            Some(_) => Step::Illegal(2),
        },
        _ => Step::Character(first.into(), 2),
    }
}
