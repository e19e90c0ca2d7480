//! Formatting a time by the C library's `strftime` in the C locale, for `printf '%(…)T'` and prompts.

use crate::civil::{BrokenDown, Civil, Field};

/// The local time zone at some time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Zone {
    /// Seconds east of UTC.
    pub offset: i32,
    /// The abbreviation, as in `CET`.
    pub name: String,
    /// Daylight saving time is in force.
    pub daylight: bool,
}

impl Zone {
    /// Coordinated Universal Time.
    #[must_use]
    pub fn utc() -> Self {
        Self { offset: 0, name: "UTC".to_owned(), daylight: false }
    }
}

/// The flags between `%` and the conversion character, a GNU extension.
#[derive(Debug, Clone, Copy, Default)]
struct Modifiers {
    /// `-` no padding, `_` spaces, `0` zeros.
    padding: Option<u8>,
    /// `^`
    upper: bool,
    /// `#`
    opposite: bool,
    width: usize,
}

/// Appends the time `seconds` (since 1970-01-01 UTC) in the given zone. `nanoseconds` serves `%N`, which the C library
/// does not have but `date` does; `printf` passes it through unknown conversions as they stand. Returns false, with
/// `out` unfinished, when the text would be longer than `limit`.
pub fn strftime(format: &[u8], seconds: i64, nanoseconds: u32, zone: &Zone, limit: usize, out: &mut Vec<u8>) -> bool {
    let time = BrokenDown::from(Civil::from_seconds(seconds.saturating_add(zone.offset.into())));
    let mut formatter = Formatter { time, seconds, nanoseconds, zone, end: out.len().saturating_add(limit), out };
    formatter.run(format)
}

struct Formatter<'a> {
    time: BrokenDown,
    seconds: i64,
    nanoseconds: u32,
    zone: &'a Zone,
    /// The largest length of `out`.
    end: usize,
    out: &'a mut Vec<u8>,
}

impl Formatter<'_> {
    fn run(&mut self, format: &[u8]) -> bool {
        let mut rest = format;
        while let Some(at) = memchr::memchr(b'%', rest) {
            self.out.extend_from_slice(&rest[..at]);
            let specification = &rest[at..];
            let mut modifiers = Modifiers::default();
            let mut length = 1;
            while let Some(&flag) = specification.get(length) {
                match flag {
                    b'-' | b'_' | b'0' => modifiers.padding = Some(flag),
                    b'^' => modifiers.upper = true,
                    b'#' => modifiers.opposite = true,
                    // The C library has `+` for years; here it changes nothing.
                    _ => break,
                }
                length += 1;
            }
            while let Some(digit @ b'0'..=b'9') = specification.get(length) {
                modifiers.width = modifiers.width.saturating_mul(10).saturating_add(usize::from(digit - b'0'));
                length += 1;
            }
            if matches!(specification.get(length), Some(b'E' | b'O')) {
                length += 1;
            }
            if self.out.len().saturating_add(modifiers.width) > self.end {
                return false;
            }
            match specification.get(length) {
                Some(&conversion) if self.conversion(conversion, modifiers) => rest = &specification[length + 1..],
                Some(_) => {
                    // Unknown: as it stands.
                    self.out.extend_from_slice(&specification[..=length]);
                    rest = &specification[length + 1..];
                }
                None => {
                    self.out.extend_from_slice(specification);
                    rest = &[];
                }
            }
            if self.out.len() > self.end {
                return false;
            }
        }
        self.out.extend_from_slice(rest);
        self.out.len() <= self.end
    }

    fn conversion(&mut self, conversion: u8, modifiers: Modifiers) -> bool {
        if let Some(field) = self.time.field(conversion) {
            match field {
                Field::Number { value, width, fill } => self.number(value, width, fill, modifiers),
                Field::Name(name) | Field::LowerHalf(name) => self.text(name, modifiers, false),
                Field::Half(half) => self.text(half, modifiers, true),
                Field::Format(format) => self.nested(format, modifiers),
            }
            return true;
        }
        match conversion {
            b'n' => self.text("\n", modifiers, false),
            b'N' if self.nanoseconds != 0 => self.number(self.nanoseconds.into(), 9, b'0', modifiers),
            b's' => self.number(self.seconds, 1, b'0', modifiers),
            b't' => self.text("\t", modifiers, false),
            b'z' => {
                let minutes = self.zone.offset / 60;
                let text = format!(
                    "{}{:02}{:02}",
                    if minutes < 0 { '-' } else { '+' },
                    minutes.unsigned_abs() / 60,
                    minutes.unsigned_abs() % 60
                );
                self.text(&text, modifiers, false);
            }
            b'Z' => {
                let name = self.zone.name.clone();
                self.text(&name, modifiers, true);
            }
            b'%' => self.text("%", modifiers, false),
            _ => return false,
        }
        true
    }

    fn nested(&mut self, format: &[u8], modifiers: Modifiers) {
        let mut text = Vec::new();
        let mut inner = Formatter {
            time: self.time,
            seconds: self.seconds,
            nanoseconds: self.nanoseconds,
            zone: self.zone,
            end: usize::MAX,
            out: &mut text,
        };
        inner.run(format);
        self.text(&String::from_utf8_lossy(&text), modifiers, false);
    }

    /// `lowers`: the `#` flag turns this conversion to lower case, others to upper case.
    fn text(&mut self, text: &str, modifiers: Modifiers, lowers: bool) {
        let text = match (modifiers.opposite, modifiers.upper, lowers) {
            (true, _, true) => text.to_ascii_lowercase(),
            (true, _, false) | (_, true, _) => text.to_ascii_uppercase(),
            _ => text.to_owned(),
        };
        let fill = if modifiers.padding == Some(b'0') { b'0' } else { b' ' };
        let padding = if modifiers.padding == Some(b'-') { 0 } else { modifiers.width.saturating_sub(text.len()) };
        self.out.resize(self.out.len() + padding, fill);
        self.out.extend_from_slice(text.as_bytes());
    }

    fn number(&mut self, value: i64, width: usize, padding: u8, modifiers: Modifiers) {
        let digits = value.unsigned_abs().to_string();
        let padding = modifiers.padding.unwrap_or(padding);
        let sign = usize::from(value < 0);
        let width = match padding {
            b'-' => 0,
            _ if modifiers.width > 0 => modifiers.width,
            _ => width + sign,
        };
        let fill = width.saturating_sub(digits.len() + sign);
        if padding == b'_' {
            self.out.resize(self.out.len() + fill, b' ');
        }
        if value < 0 {
            self.out.push(b'-');
        }
        if padding != b'_' {
            self.out.resize(self.out.len() + fill, b'0');
        }
        self.out.extend_from_slice(digits.as_bytes());
    }
}
