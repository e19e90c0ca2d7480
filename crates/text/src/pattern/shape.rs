//! The usual patterns, matched without compiling them. Their bytes may be compared: a text that is valid UTF-8 is only
//! found on characters' boundaries, and one that is not makes bytes the characters.

use smallvec::SmallVec;

use super::Options;
use super::segments::{find_bytes, rfind_bytes};

/// Room for the text of a pattern without its escapes.
pub(super) type Unescaped = SmallVec<[u8; 64]>;

/// A pattern of plain text with at most one star in it or one at each end: `lit`, `*lit`, `lit*`, `*lit*`, `lit*lit`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape<'p> {
    /// The text itself.
    Literal(&'p [u8]),
    /// What ends with the text.
    Suffix(&'p [u8]),
    /// What begins with the text.
    Prefix(&'p [u8]),
    /// What has the text in it.
    Infix(&'p [u8]),
    /// What begins with the one and ends, after that, with the other.
    Between(&'p [u8], &'p [u8]),
}

impl<'p> Shape<'p> {
    /// The shape of an escaped pattern, if it is one of these. `unescaped` is room for a text that has escapes.
    pub(super) fn of(escaped: &'p [u8], options: Options, unescaped: &'p mut Unescaped) -> Option<Self> {
        if options.nocase {
            return None;
        }
        let mut literal = escaped;
        let mut star_before = false;
        let mut star_after = false;
        if options.extglob && memchr::memchr(b'(', literal).is_some() {
            return None;
        }
        if let [b'*', rest @ ..] = literal {
            star_before = true;
            literal = rest;
        }
        if let [rest @ .., b'*'] = literal
            && rest.last() != Some(&b'\\')
        {
            star_after = true;
            literal = rest;
        }
        let Some(special) = literal.iter().position(|&byte| is_special(byte)) else {
            return Some(Self::with_stars(literal, (star_before, star_after)));
        };
        match literal.get(special)? {
            // Quoted text: `"${x#"$prefix"}"`, `*":$directory:"*`.
            b'\\' => {
                unescape_plain(literal, unescaped)?;
                Some(Self::with_stars(unescaped, (star_before, star_after)))
            }
            b'*' if !star_before && !star_after => {
                let (first, second) = (literal.get(..special)?, literal.get(special + 1..)?);
                let plain = !second.iter().any(|&byte| is_special(byte));
                plain.then_some(Self::Between(first, second))
            }
            _ => None,
        }
    }

    /// A text with a star before and after it, or without.
    fn with_stars(literal: &'p [u8], stars: (bool, bool)) -> Self {
        match stars {
            (false, false) => Self::Literal(literal),
            (true, false) => Self::Suffix(literal),
            (false, true) => Self::Prefix(literal),
            (true, true) => Self::Infix(literal),
        }
    }

    pub(super) fn matches(self, text: &[u8]) -> bool {
        match self {
            Self::Literal(literal) => text == literal,
            Self::Suffix(literal) => text.ends_with(literal),
            Self::Prefix(literal) => text.starts_with(literal),
            Self::Infix(literal) => find_bytes(text, literal).is_some(),
            Self::Between(first, second) => text.strip_prefix(first).is_some_and(|rest| rest.ends_with(second)),
        }
    }

    pub(super) fn shortest_prefix(self, text: &[u8]) -> Option<usize> {
        match self {
            Self::Literal(literal) | Self::Prefix(literal) => text.starts_with(literal).then_some(literal.len()),
            Self::Suffix(literal) | Self::Infix(literal) => Some(find_bytes(text, literal)? + literal.len()),
            Self::Between(first, second) => {
                let rest = text.strip_prefix(first)?;
                Some(first.len() + find_bytes(rest, second)? + second.len())
            }
        }
    }

    pub(super) fn longest_prefix(self, text: &[u8]) -> Option<usize> {
        match self {
            Self::Literal(literal) => text.starts_with(literal).then_some(literal.len()),
            Self::Suffix(literal) => Some(rfind_bytes(text, literal)? + literal.len()),
            Self::Prefix(literal) => text.starts_with(literal).then_some(text.len()),
            Self::Infix(literal) => find_bytes(text, literal).map(|_| text.len()),
            Self::Between(first, second) => {
                let rest = text.strip_prefix(first)?;
                Some(first.len() + rfind_bytes(rest, second)? + second.len())
            }
        }
    }

    pub(super) fn shortest_suffix(self, text: &[u8]) -> Option<usize> {
        match self {
            Self::Literal(literal) | Self::Suffix(literal) => {
                text.ends_with(literal).then(|| text.len() - literal.len())
            }
            Self::Prefix(literal) | Self::Infix(literal) => rfind_bytes(text, literal),
            Self::Between(first, second) => rfind_bytes(text.strip_suffix(second)?, first),
        }
    }

    pub(super) fn longest_suffix(self, text: &[u8]) -> Option<usize> {
        match self {
            Self::Literal(literal) => text.ends_with(literal).then(|| text.len() - literal.len()),
            Self::Suffix(literal) => text.ends_with(literal).then_some(0),
            Self::Prefix(literal) => find_bytes(text, literal),
            Self::Infix(literal) => find_bytes(text, literal).map(|_| 0),
            Self::Between(first, second) => find_bytes(text.strip_suffix(second)?, first),
        }
    }
}

/// What is special in a pattern without groups.
fn is_special(byte: u8) -> bool {
    matches!(byte, b'*' | b'?' | b'[' | b'\\')
}

/// Puts an escaped text without its escapes; `None` if something in it is special.
fn unescape_plain(escaped: &[u8], text: &mut Unescaped) -> Option<()> {
    let mut bytes = escaped.iter();
    while let Some(&byte) = bytes.next() {
        match byte {
            // A backslash at the end is a text, too, but not worth a way of its own.
            b'\\' => text.push(*bytes.next()?),
            byte if is_special(byte) => return None,
            byte => text.push(byte),
        }
    }
    Some(())
}
