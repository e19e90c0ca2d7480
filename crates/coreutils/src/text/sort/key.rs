//! Keys of lines and their order.

use std::cmp::Ordering;

use hookshell_text::civil::MONTHS;

use super::number::{general, human, numeric};
use crate::version_order as version;

/// How a key compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Kind {
    #[default]
    Text,
    Numeric,
    General,
    Human,
    Month,
    Version,
    /// By a hash: equal keys stand together.
    Random,
}

/// Bytes that do not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Ignored {
    #[default]
    None,
    /// All but blanks, letters and digits.
    Nondictionary,
    Nonprinting,
}

/// A part of the line, and how it compares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Key {
    start_field: usize,
    start_char: usize,
    /// `usize::MAX` is the end of the line.
    end_field: usize,
    /// 0 is the end of the field.
    end_char: usize,
    skip_start_blanks: bool,
    pub(super) skip_end_blanks: bool,
    pub(super) kind: Kind,
    /// More than one kind was asked for.
    several_kinds: bool,
    ignored: Ignored,
    fold: bool,
    pub(super) reverse: bool,
    /// What makes [`Kind::Random`] another order each time.
    pub(super) salt: u64,
}

impl Default for Key {
    /// The whole line as text.
    fn default() -> Self {
        Self {
            start_field: 0,
            start_char: 0,
            end_field: usize::MAX,
            end_char: 0,
            skip_start_blanks: false,
            skip_end_blanks: false,
            kind: Kind::Text,
            several_kinds: false,
            ignored: Ignored::None,
            fold: false,
            reverse: false,
            salt: 0,
        }
    }
}

impl Key {
    /// Has it no option but `-r`?
    pub(super) fn is_plain(&self) -> bool {
        self.kind == Kind::Text
            && self.ignored == Ignored::None
            && !self.fold
            && !self.skip_start_blanks
            && !self.skip_end_blanks
    }

    /// A key without options of its own has the global ones.
    pub(super) fn inherit(&mut self, global: &Self) {
        if self.is_plain() && !self.reverse {
            *self = Self {
                start_field: self.start_field,
                start_char: self.start_char,
                end_field: self.end_field,
                end_char: self.end_char,
                ..global.clone()
            };
        }
    }

    /// GNU refuses several kinds at once, and bytes that do not count in a number.
    pub(super) fn is_consistent(&self) -> bool {
        !self.several_kinds && (matches!(self.kind, Kind::Text | Kind::Random) || self.ignored == Ignored::None)
    }

    /// The key's text.
    fn of<'l>(&self, line: &'l [u8], tab: Option<u8>) -> &'l [u8] {
        let start = self.start(line, tab);
        let end = if self.end_field == usize::MAX { line.len() } else { self.end(line, tab) };
        line.get(start..end.max(start)).unwrap_or_default()
    }

    fn start(&self, line: &[u8], tab: Option<u8>) -> usize {
        let mut at = 0;
        for _ in 0..self.start_field {
            if at >= line.len() {
                break;
            }
            at = match tab {
                Some(tab) => (skip_to(line, at, tab) + 1).min(line.len()),
                None => skip_text(line, skip_blanks(line, at)),
            };
        }
        if self.skip_start_blanks {
            at = skip_blanks(line, at);
        }
        at.saturating_add(self.start_char).min(line.len())
    }

    fn end(&self, line: &[u8], tab: Option<u8>) -> usize {
        let mut at = 0;
        let mut left = self.end_field.saturating_add(usize::from(self.end_char == 0));
        while at < line.len() && left > 0 {
            left -= 1;
            at = match tab {
                Some(tab) => {
                    let end = skip_to(line, at, tab);
                    if end < line.len() && (left > 0 || self.end_char > 0) { end + 1 } else { end }
                }
                None => skip_text(line, skip_blanks(line, at)),
            };
        }
        if self.end_char > 0 {
            if self.skip_end_blanks {
                at = skip_blanks(line, at);
            }
            at = at.saturating_add(self.end_char).min(line.len());
        }
        at
    }

    fn compare(&self, left: &[u8], right: &[u8]) -> Ordering {
        let order = match self.kind {
            Kind::Numeric => numeric(left, right),
            Kind::General => general(left, right),
            Kind::Human => human(left, right),
            Kind::Month => month(left).cmp(&month(right)),
            Kind::Version => version::compare(left, right),
            Kind::Random => {
                let order = self.hash(left).cmp(&self.hash(right));
                order.then_with(|| self.counted(left).cmp(self.counted(right)))
            }
            Kind::Text if self.ignored == Ignored::None && !self.fold => left.cmp(right),
            Kind::Text => self.counted(left).cmp(self.counted(right)),
        };
        if self.reverse { order.reverse() } else { order }
    }

    /// The bytes that count, folded.
    fn counted<'l>(&self, text: &'l [u8]) -> impl Iterator<Item = u8> + 'l {
        let (ignored, fold) = (self.ignored, self.fold);
        text.iter()
            .filter(move |byte| match ignored {
                Ignored::None => true,
                Ignored::Nondictionary => byte.is_ascii_alphanumeric() || is_blank(**byte),
                Ignored::Nonprinting => matches!(byte, b' '..=b'~'),
            })
            .map(move |byte| if fold { byte.to_ascii_uppercase() } else { *byte })
    }

    /// FNV-1a after the salt, mixed once more.
    fn hash(&self, text: &[u8]) -> u64 {
        let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        let hash = self.counted(text).fold(self.salt ^ 0xcbf2_9ce4_8422_2325, step);
        let hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        hash ^ (hash >> 31)
    }

    /// A number that orders as the key does where it differs.
    fn rank(&self, text: &[u8]) -> u64 {
        let rank = match self.kind {
            Kind::Text if self.ignored == Ignored::None && !self.fold => text_rank(text),
            Kind::Text => {
                self.counted(text).chain(std::iter::repeat(0)).take(8).fold(0, |rank, byte| rank << 8 | u64::from(byte))
            }
            Kind::Numeric => super::number::numeric_rank(text),
            Kind::General => super::number::general_rank(text),
            Kind::Month => u64::from(month(text)),
            Kind::Human => super::number::human_rank(text),
            Kind::Version => 0,
            Kind::Random => self.hash(text),
        };
        if self.reverse { !rank } else { rank }
    }
}

/// The first eight bytes.
fn text_rank(text: &[u8]) -> u64 {
    match text.first_chunk::<8>() {
        Some(bytes) => u64::from_be_bytes(*bytes),
        None => {
            let mut bytes = [0; 8];
            for (to, from) in bytes.iter_mut().zip(text) {
                *to = *from;
            }
            u64::from_be_bytes(bytes)
        }
    }
}

pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n')
}

fn skip_blanks(line: &[u8], from: usize) -> usize {
    line.iter().skip(from).position(|byte| !is_blank(*byte)).map_or(line.len(), |count| from + count)
}

fn skip_text(line: &[u8], from: usize) -> usize {
    line.iter().skip(from).position(|byte| is_blank(*byte)).map_or(line.len(), |count| from + count)
}

fn skip_to(line: &[u8], from: usize, tab: u8) -> usize {
    memchr::memchr(tab, line.get(from..).unwrap_or_default()).map_or(line.len(), |count| from + count)
}

/// 1 to 12; 0 for anything else.
fn month(text: &[u8]) -> u8 {
    let start = skip_blanks(text, 0);
    let Some(name) = text.get(start..start + 3) else { return 0 };
    let is_it = |month: &str| month.as_bytes().get(..3).is_some_and(|short| short.eq_ignore_ascii_case(name));
    let found = (1..).zip(MONTHS).find(|(_, month)| is_it(month));
    found.map_or(0, |(number, _)| number)
}

/// The order of lines.
#[derive(Debug, Clone)]
pub(super) struct Order {
    pub(super) keys: Vec<Key>,
    pub(super) tab: Option<u8>,
    /// Of the last resort: the whole line.
    pub(super) reverse: bool,
    pub(super) stable: bool,
    pub(super) unique: bool,
    /// What ends a line.
    pub(super) end: u8,
}

impl Default for Order {
    fn default() -> Self {
        Self { keys: Vec::new(), tab: None, reverse: false, stable: false, unique: false, end: b'\n' }
    }
}

impl Order {
    /// The order of two lines; those that are equal under the keys compare as wholes unless `-s` or `-u` is given.
    pub(super) fn compare(&self, left: &[u8], right: &[u8]) -> Ordering {
        self.compare_by(&self.keys, left, right)
    }

    /// The same, where the text of the first key is known already.
    pub(super) fn compare_with(&self, left: Keyed<'_>, right: Keyed<'_>) -> Ordering {
        match self.keys.split_first() {
            Some((key, rest)) => {
                key.compare(left.key, right.key).then_with(|| self.compare_by(rest, left.line, right.line))
            }
            None => self.compare_by(&[], left.line, right.line),
        }
    }

    /// The text of the first key.
    pub(super) fn first_key<'l>(&self, line: &'l [u8]) -> &'l [u8] {
        self.keys.first().map_or(line, |key| key.of(line, self.tab))
    }

    fn compare_by(&self, keys: &[Key], left: &[u8], right: &[u8]) -> Ordering {
        for key in keys {
            let order = key.compare(key.of(left, self.tab), key.of(right, self.tab));
            if order.is_ne() {
                return order;
            }
        }
        if !self.keys.is_empty() && (self.stable || self.unique) {
            return Ordering::Equal;
        }
        let order = left.cmp(right);
        if self.reverse { order.reverse() } else { order }
    }

    /// A number that orders as [`Order::compare`] does where it differs; `key` is the text of the first key, and the
    /// first `common` bytes of all lines are the same.
    pub(super) fn rank(&self, line: &[u8], key: &[u8], common: usize) -> u64 {
        match self.keys.first() {
            Some(first) => first.rank(key),
            None => {
                let rank = text_rank(line.get(common..).unwrap_or_default());
                if self.reverse { !rank } else { rank }
            }
        }
    }
}

/// A line and the text of its first key.
#[derive(Clone, Copy)]
pub(super) struct Keyed<'l> {
    pub(super) line: &'l [u8],
    pub(super) key: &'l [u8],
}

/// Sets an option of a key; `is_start` says which end `b` is for.
pub(super) fn set_option(key: &mut Key, letter: u8, is_start: bool) {
    let kind = match letter {
        b'g' => Kind::General,
        b'h' => Kind::Human,
        b'M' => Kind::Month,
        b'n' => Kind::Numeric,
        b'V' => Kind::Version,
        b'R' => Kind::Random,
        _ => Kind::Text,
    };
    if kind != Kind::Text {
        key.several_kinds |= key.kind != Kind::Text && key.kind != kind;
        key.kind = kind;
        return;
    }
    match letter {
        b'b' if is_start => key.skip_start_blanks = true,
        b'b' => key.skip_end_blanks = true,
        b'd' => key.ignored = Ignored::Nondictionary,
        b'i' if key.ignored == Ignored::None => key.ignored = Ignored::Nonprinting,
        b'f' => key.fold = true,
        b'r' => key.reverse = true,
        _ => {}
    }
}

/// `F[.C][OPTIONS][,F[.C][OPTIONS]]`; `None` if GNU refuses it, or where it asks for random order.
pub(super) fn read_key(text: &[u8]) -> Option<Key> {
    let mut key = Key::default();
    let mut rest = text;
    key.start_field = number(&mut rest)?.checked_sub(1)?;
    if let Some(after) = rest.strip_prefix(b".") {
        rest = after;
        key.start_char = number(&mut rest)?.checked_sub(1)?;
    }
    options(&mut key, &mut rest, true);
    if let Some(after) = rest.strip_prefix(b",") {
        rest = after;
        key.end_field = number(&mut rest)?.checked_sub(1)?;
        if let Some(after) = rest.strip_prefix(b".") {
            rest = after;
            key.end_char = number(&mut rest)?;
        }
        options(&mut key, &mut rest, false);
    }
    rest.is_empty().then_some(key)
}

fn options(key: &mut Key, rest: &mut &[u8], is_start: bool) {
    while let Some((letter, after)) = rest.split_first()
        && b"bdfghiMnrRV".contains(letter)
    {
        set_option(key, *letter, is_start);
        *rest = after;
    }
}

fn number(rest: &mut &[u8]) -> Option<usize> {
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (number, after) = rest.split_at_checked(digits)?;
    *rest = after;
    // More than any line has is all the same.
    (digits > 0).then(|| std::str::from_utf8(number).ok().and_then(|text| text.parse().ok()).unwrap_or(usize::MAX / 2))
}

#[cfg(test)]
mod tests {
    use super::{Key, Order, read_key};

    #[test]
    fn keys_are_cut_out_of_lines() {
        let cases: &[(&str, Option<u8>, &str, &str)] = &[
            ("1", None, "a b c", "a b c"),
            ("2", None, "a b c", " b c"),
            ("2,2", None, "a  b c", "  b"),
            ("2b,2", None, "a  b c", "b"),
            ("2.2,2.3", None, "a bcd", "bc"),
            ("2,2", Some(b':'), "a:b:c", "b"),
            ("2,3", Some(b':'), "a:b:c:d", "b:c"),
            ("2.2,3.1", Some(b':'), "a:bcd:efg", "cd:e"),
            ("5", Some(b':'), "a:b", ""),
            ("3,2", Some(b':'), "a:b:c", ""),
            ("1.2,1.1", None, "abc", ""),
        ];
        for (spec, tab, line, expected) in cases {
            let key = read_key(spec.as_bytes()).unwrap();
            assert_eq!(std::str::from_utf8(key.of(line.as_bytes(), *tab)).unwrap(), *expected, "{spec} {line}");
        }
        for spec in ["0", "1.0", "x", "1,0", "1x", "1,", "", "1Z"] {
            assert_eq!(read_key(spec.as_bytes()), None, "{spec}");
        }
    }

    #[test]
    fn ranks_order_as_the_keys_do() {
        let lines =
            ["", "a", "B", "-1", "-0.5", "0", "3", "3.5", "10", "1K", "2M", "nan", "-inf", "1e3", "feb", " mar"];
        for options in ["", "n", "g", "h", "M", "f", "r", "nr", "gr", "d", "i", "hr", "V", "R", "Rf"] {
            let key = read_key(format!("1{options}").as_bytes()).unwrap();
            let order = Order { keys: vec![key], stable: true, ..Order::default() };
            for left in lines {
                for right in lines {
                    let rank = |line: &str| order.rank(line.as_bytes(), order.first_key(line.as_bytes()), 0);
                    let (a, b) = (rank(left), rank(right));
                    let compared = order.compare(left.as_bytes(), right.as_bytes());
                    assert!(a == b || a.cmp(&b) == compared, "{options} {left} {right}");
                }
            }
        }
        assert!(Key::default().is_plain());
    }
}
