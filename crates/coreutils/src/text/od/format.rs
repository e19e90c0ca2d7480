//! The types of `od -t`, and their fields.

use hookshell_utility::Unsupported;
use hookshell_utility::io::Failure;
use hookshell_utility::output::Output;

use super::float::shortest;

/// How a field is printed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Names of control characters.
    Named,
    /// Characters with C's escapes.
    Character,
    Signed,
    Unsigned,
    Octal,
    Hexadecimal,
    Float,
}

#[derive(Clone, Copy)]
pub(super) struct Format {
    pub(super) kind: Kind,
    /// The bytes of a field.
    pub(super) size: usize,
    /// `z`: the characters after the line.
    pub(super) trailer: bool,
    /// Columns of a field without what stands before it.
    pub(super) width: usize,
    /// Columns that stand before all fields of a line together.
    pub(super) padding: usize,
}

impl Format {
    pub(super) fn new(kind: Kind, size: usize) -> Self {
        let width = match (kind, size) {
            (Kind::Named | Kind::Character, _) => 3,
            (Kind::Signed, 1) => 4,
            (Kind::Signed, 2) => 6,
            (Kind::Signed, 4) => 11,
            (Kind::Signed, _) => 20,
            (Kind::Unsigned, 1) => 3,
            (Kind::Unsigned, 2) => 5,
            (Kind::Unsigned, 4) => 10,
            (Kind::Unsigned, _) => 20,
            (Kind::Octal, 1) => 3,
            (Kind::Octal, 2) => 6,
            (Kind::Octal, 4) => 11,
            (Kind::Octal, _) => 22,
            (Kind::Hexadecimal, size) => 2 * size,
            (Kind::Float, 4) => 15,
            (Kind::Float, _) => 24,
        };
        Self { kind, size, trailer: false, width, padding: 0 }
    }
}

fn long_double() -> Unsupported {
    Unsupported::new("long doubles")
}

/// The letter of a size in C.
fn named_size(kind: Kind, letter: u8) -> Option<usize> {
    match (kind, letter) {
        (Kind::Float, b'F') => Some(4),
        (Kind::Float, b'D') => Some(8),
        (Kind::Float, _) => None,
        (_, b'C') => Some(1),
        (_, b'S') => Some(2),
        (_, b'I') => Some(4),
        (_, b'L') => Some(8),
        _ => None,
    }
}

pub(super) fn formats(text: &[u8], out: &mut Vec<Format>) -> Result<(), Unsupported> {
    let wrong = || Unsupported::mistake(format!("the type {}", text.escape_ascii()));
    let mut rest = text;
    if rest.is_empty() {
        return Err(wrong());
    }
    while let Some((&letter, after)) = rest.split_first() {
        rest = after;
        let kind = match letter {
            b'a' => Kind::Named,
            b'c' => Kind::Character,
            b'd' => Kind::Signed,
            b'o' => Kind::Octal,
            b'u' => Kind::Unsigned,
            b'x' => Kind::Hexadecimal,
            b'f' => Kind::Float,
            _ => return Err(wrong()),
        };
        let mut size = match kind {
            Kind::Named | Kind::Character => 1,
            Kind::Float => 8,
            _ => 4,
        };
        if !matches!(kind, Kind::Named | Kind::Character) {
            let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let named = rest.first().and_then(|letter| named_size(kind, *letter));
            if digits > 0 {
                size = match (kind, rest.get(..digits)) {
                    (_, Some(b"4")) => 4,
                    (_, Some(b"8")) => 8,
                    (Kind::Float, Some(b"16")) => return Err(long_double()),
                    (Kind::Float, _) => return Err(wrong()),
                    (_, Some(b"1")) => 1,
                    (_, Some(b"2")) => 2,
                    _ => return Err(wrong()),
                };
                rest = rest.get(digits..).unwrap_or_default();
            } else if let Some(named) = named {
                size = named;
                rest = rest.get(1..).unwrap_or_default();
            } else if kind == Kind::Float && rest.first() == Some(&b'L') {
                return Err(long_double());
            }
        }
        let mut format = Format::new(kind, size);
        if let Some(after) = rest.strip_prefix(b"z") {
            format.trailer = true;
            rest = after;
        }
        out.push(format);
    }
    Ok(())
}

const NAMES: [&str; 33] = [
    "nul", "soh", "stx", "etx", "eot", "enq", "ack", "bel", "bs", "ht", "nl", "vt", "ff", "cr", "so", "si", "dle",
    "dc1", "dc2", "dc3", "dc4", "nak", "syn", "etb", "can", "em", "sub", "esc", "fs", "gs", "rs", "us", "sp",
];

impl Format {
    /// The bytes may be fewer than the size: the others are 0.
    pub(super) fn print(
        &self,
        bytes: &[u8],
        big_endian: bool,
        width: usize,
        out: &mut Output<'_, '_>,
    ) -> Result<(), Failure> {
        let mut whole = [0; 8];
        for (to, from) in whole.iter_mut().zip(bytes) {
            *to = *from;
        }
        let number =
            if big_endian { u64::from_be_bytes(whole) >> (64 - 8 * self.size) } else { u64::from_le_bytes(whole) };
        let digits = self.width;
        let text = match self.kind {
            Kind::Named => match usize::from(whole[0] & 0x7f) {
                127 => "del".to_owned(),
                code => {
                    NAMES.get(code).map_or_else(|| char::from(whole[0] & 0x7f).to_string(), |name| (*name).to_owned())
                }
            },
            Kind::Character => match whole[0] {
                0 => "\\0".to_owned(),
                7 => "\\a".to_owned(),
                8 => "\\b".to_owned(),
                b'\t' => "\\t".to_owned(),
                b'\n' => "\\n".to_owned(),
                11 => "\\v".to_owned(),
                12 => "\\f".to_owned(),
                b'\r' => "\\r".to_owned(),
                byte @ b' '..=b'~' => char::from(byte).to_string(),
                byte => format!("{byte:03o}"),
            },
            Kind::Signed => {
                let shift = 64 - 8 * self.size;
                ((number << shift).cast_signed() >> shift).to_string()
            }
            Kind::Unsigned => number.to_string(),
            Kind::Octal => format!("{number:0digits$o}"),
            Kind::Hexadecimal => format!("{number:0digits$x}"),
            Kind::Float => shortest(number, self.size),
        };
        out.text(format_args!("{text:>width$}"))
    }
}
