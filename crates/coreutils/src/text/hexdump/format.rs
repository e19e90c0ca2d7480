//! The formats of `hexdump -e`, and those that options stand for.

use std::fmt::Write;

/// What one row is made of: the units of one format string.
pub(super) struct Row {
    units: Vec<Unit>,
}

/// A format with the number of its repetitions.
struct Unit {
    repeat: usize,
    /// The repetitions were given.
    is_counted: bool,
    pieces: Vec<Piece>,
}

/// Text with at most one conversion at its end.
struct Piece {
    before: Vec<u8>,
    conversion: Option<Conversion>,
}

struct Conversion {
    kind: Kind,
    /// Bytes of input.
    size: usize,
    minus: bool,
    zero: bool,
    plus: bool,
    blank: bool,
    alternate: bool,
    width: usize,
    precision: Option<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Signed,
    Unsigned,
    Octal,
    Hexadecimal,
    Upper,
    /// The byte as it is.
    Byte,
    /// `%_c`: escapes, octal numbers.
    Escaped,
    /// `%_p`: a dot for what cannot be printed.
    Printable,
    /// `%_ad`, `%_ao`, `%_ax`: the offset in the input.
    Offset(u32),
}

impl Unit {
    fn size(&self) -> usize {
        self.pieces.iter().filter_map(|piece| piece.conversion.as_ref()).map(|conversion| conversion.size).sum()
    }
}

impl Row {
    /// Reads `[COUNT][/BYTES] "FORMAT" …`. `None`: it is not right, or has what is not supported.
    pub(super) fn read(text: &[u8]) -> Option<Self> {
        let mut units = Vec::new();
        let mut rest = text.trim_ascii_start();
        while !rest.is_empty() {
            let repeat = digits(&mut rest);
            let blanks = rest.trim_ascii_start();
            let mut bytes = None;
            if let Some(after) = blanks.strip_prefix(b"/") {
                rest = after.trim_ascii_start();
                bytes = Some(digits(&mut rest)?);
            }
            rest = rest.trim_ascii_start().strip_prefix(b"\"")?;
            let mut end = 0;
            while *rest.get(end)? != b'"' {
                end += if rest.get(end) == Some(&b'\\') { 2 } else { 1 };
            }
            let format = unescaped(rest.get(..end)?);
            rest = rest.get(end + 1..)?.trim_ascii_start();
            let pieces = pieces(&format, bytes)?;
            units.push(Unit { repeat: repeat.unwrap_or(1).min(1 << 20), is_counted: repeat.is_some(), pieces });
        }
        Some(Self { units })
    }

    pub(super) fn size(&self) -> usize {
        self.units.iter().map(|unit| unit.size() * unit.repeat).sum()
    }

    /// The last unit is repeated as often as it fits, unless it was said how often.
    pub(super) fn fill(&mut self, block: usize) {
        let size = self.size();
        if let Some(unit) = self.units.last_mut()
            && !unit.is_counted
            && unit.size() > 0
            && size < block
        {
            unit.repeat += (block - size) / unit.size();
        }
    }

    /// Writes a block; what is at `length` and after it in `block` is not there.
    pub(super) fn show(&self, block: &[u8], length: usize, offset: u64, out: &mut Vec<u8>) {
        let mut at = 0;
        for unit in &self.units {
            for turn in 0..unit.repeat {
                for (index, piece) in unit.pieces.iter().enumerate() {
                    out.extend_from_slice(&piece.before);
                    if let Some(conversion) = &piece.conversion {
                        let bytes = block.get(at..at + conversion.size).unwrap_or_default();
                        // The address is shown for as long as there is something at it.
                        if at >= length {
                            out.extend(std::iter::repeat_n(b' ', conversion.width));
                        } else {
                            conversion.show(bytes, offset + at as u64, out);
                        }
                        at += conversion.size;
                    } else if unit.repeat > 1
                        && turn + 1 == unit.repeat
                        && index + 1 == unit.pieces.len()
                        && out.last().is_some_and(u8::is_ascii_whitespace)
                    {
                        // No blank after the last repetition.
                        out.pop();
                    }
                }
            }
        }
    }
}

fn digits(text: &mut &[u8]) -> Option<usize> {
    let count = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (number, rest) = text.split_at_checked(count)?;
    *text = rest;
    std::str::from_utf8(number).ok()?.parse().ok()
}

/// As util-linux 2.38 does it in place: after an escape it forgets to move what is no escape, so that bytes of the source
/// show which stood there.
fn unescaped(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut bytes = text.iter();
    while let Some(&byte) = bytes.next() {
        let escaped = if byte == b'\\' { bytes.next() } else { None };
        out.push(match escaped {
            None => text.get(out.len()).copied().unwrap_or(byte),
            Some(b'a') => 0x07,
            Some(b'b') => 0x08,
            Some(b'f') => 0x0c,
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            Some(b'v') => 0x0b,
            Some(other) => *other,
        });
    }
    out
}

fn pieces(format: &[u8], bytes: Option<usize>) -> Option<Vec<Piece>> {
    let mut pieces = Vec::new();
    let (mut before, mut rest, mut has_data) = (Vec::new(), format, false);
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'%' {
            before.push(byte);
            continue;
        }
        let mut conversion = Conversion {
            kind: Kind::Byte,
            size: 0,
            minus: false,
            zero: false,
            plus: false,
            blank: false,
            alternate: false,
            width: 0,
            precision: None,
        };
        while let Some((flag, after)) = rest.split_first().filter(|(flag, _)| b"-0+ #".contains(flag)) {
            match flag {
                b'-' => conversion.minus = true,
                b'0' => conversion.zero = true,
                b'+' => conversion.plus = true,
                b' ' => conversion.blank = true,
                _ => conversion.alternate = true,
            }
            rest = after;
        }
        conversion.width = digits(&mut rest).unwrap_or(0);
        if let Some(after) = rest.strip_prefix(b".") {
            rest = after;
            conversion.precision = Some(digits(&mut rest).unwrap_or(0));
        }
        if conversion.width > 1000 || conversion.precision.is_some_and(|precision| precision > 1000) {
            return None;
        }
        let size = bytes.unwrap_or(4);
        let (kind, size, length) = match rest {
            [b'd' | b'i', ..] => (Kind::Signed, size, 1),
            [b'u', ..] => (Kind::Unsigned, size, 1),
            [b'o', ..] => (Kind::Octal, size, 1),
            [b'x', ..] => (Kind::Hexadecimal, size, 1),
            [b'X', ..] => (Kind::Upper, size, 1),
            [b'c', ..] => (Kind::Byte, bytes.unwrap_or(1), 1),
            [b'_', b'c', ..] => (Kind::Escaped, bytes.unwrap_or(1), 2),
            [b'_', b'p', ..] => (Kind::Printable, bytes.unwrap_or(1), 2),
            [b'_', b'a', b'd', ..] => (Kind::Offset(10), 0, 3),
            [b'_', b'a', b'o', ..] => (Kind::Offset(8), 0, 3),
            [b'_', b'a', b'x', ..] => (Kind::Offset(16), 0, 3),
            _ => return None,
        };
        let is_right = match kind {
            Kind::Byte | Kind::Escaped | Kind::Printable => size == 1,
            Kind::Offset(_) => true,
            _ => matches!(size, 1 | 2 | 4 | 8),
        };
        // With a number of bytes there is one conversion only.
        if !is_right || size > 0 && bytes.is_some() && std::mem::replace(&mut has_data, true) {
            return None;
        }
        rest = rest.get(length..)?;
        (conversion.kind, conversion.size) = (kind, size);
        pieces.push(Piece { before: std::mem::take(&mut before), conversion: Some(conversion) });
    }
    if !before.is_empty() {
        pieces.push(Piece { before, conversion: None });
    }
    // A number of bytes that nothing takes is skipped by the real one.
    (bytes.is_none() || has_data).then_some(pieces)
}

impl Conversion {
    fn show(&self, bytes: &[u8], offset: u64, out: &mut Vec<u8>) {
        let number = bytes.iter().rev().fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
        let first = bytes.first().copied().unwrap_or(0);
        let (sign, digits, prefix) = match self.kind {
            Kind::Signed => {
                let shift = 64 - 8 * u32::try_from(self.size.clamp(1, 8)).unwrap_or(8);
                let value = (number << shift) as i64 >> shift;
                let sign = match value {
                    ..0 => "-",
                    _ if self.plus => "+",
                    _ if self.blank => " ",
                    _ => "",
                };
                (sign, value.unsigned_abs().to_string(), "")
            }
            Kind::Unsigned => ("", number.to_string(), ""),
            Kind::Octal => ("", format!("{number:o}"), if self.alternate && number > 0 { "0" } else { "" }),
            Kind::Hexadecimal => ("", format!("{number:x}"), if self.alternate && number > 0 { "0x" } else { "" }),
            Kind::Upper => ("", format!("{number:X}"), if self.alternate && number > 0 { "0X" } else { "" }),
            Kind::Offset(10) => ("", offset.to_string(), ""),
            Kind::Offset(8) => ("", format!("{offset:o}"), ""),
            Kind::Offset(_) => ("", format!("{offset:x}"), ""),
            Kind::Byte => return self.pad(&[first], out),
            Kind::Printable => {
                let is_printable = first.is_ascii_graphic() || first == b' ';
                return self.pad(&[if is_printable { first } else { b'.' }], out);
            }
            Kind::Escaped => {
                let mut text = String::new();
                let letter = match first {
                    0 => "\\0",
                    0x07 => "\\a",
                    0x08 => "\\b",
                    0x0c => "\\f",
                    b'\n' => "\\n",
                    b'\r' => "\\r",
                    b'\t' => "\\t",
                    0x0b => "\\v",
                    b' '..=b'~' => return self.pad(&[first], out),
                    _ => {
                        // Writing into memory does not fail.
                        let _ = write!(text, "{first:03o}");
                        &text
                    }
                };
                return self.pad(letter.as_bytes(), out);
            }
        };
        let zeros = match self.precision {
            Some(precision) => precision.saturating_sub(digits.len()),
            None if self.zero && !self.minus => self.width.saturating_sub(sign.len() + prefix.len() + digits.len()),
            None => 0,
        };
        let mut text = [sign, prefix].concat().into_bytes();
        text.extend(std::iter::repeat_n(b'0', zeros));
        text.extend_from_slice(digits.as_bytes());
        self.pad(&text, out);
    }

    fn pad(&self, text: &[u8], out: &mut Vec<u8>) {
        let fill = std::iter::repeat_n(b' ', self.width.saturating_sub(text.len()));
        if self.minus {
            out.extend_from_slice(text);
            out.extend(fill);
        } else {
            out.extend(fill);
            out.extend_from_slice(text);
        }
    }
}
