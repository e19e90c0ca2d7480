//! Pattern matching notation (POSIX XCU 2.14) with bash's extensions.
//!
//! The input is an *escaped* pattern: a byte string in which `\x` stands for the literal character x. The
//! expansion puts a backslash before every quoted character that could be special ([`escape`]), so one
//! representation serves `case`, `[[ == ]]`, `${x#p}`, `${x/p/r}` and pathname expansion.
//!
//! Characters are UTF-8 sequences; a byte that belongs to no valid sequence is one character of its own that
//! is in no class. With [`Options::bytes`] (the C locale) every byte is a character, and so it is, as in bash, where
//! the pattern is not valid UTF-8: `[$'\x80'-$'\xff']` finds what is not ASCII. bash falls back to bytes for a
//! whole match where the text is not valid, too.
//!
//! Cost: without extended groups a match is O(text × longest piece between two `*`), with no backtracking over
//! more than one `*`. With extended groups it is polynomial: sets of positions are carried through the pattern.

mod cache;
mod chars;
mod extended;
mod parse;
mod segments;
mod set;
mod shape;
#[cfg(test)]
mod tests;

use std::ops::Range;

pub use cache::Cache;
pub use chars::{decode, starts};
use extended::Extended;
use parse::Parsed;
use segments::Segments;
use shape::{Shape, Unescaped};

/// How a pattern is read and compared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Options {
    /// `?(…) *(…) +(…) @(…) !(…)` are groups (bash's `extglob`; always on in `[[ ]]`).
    pub extglob: bool,
    /// Letters match whatever their case (`nocasematch`, `nocaseglob`).
    pub nocase: bool,
    /// The C locale: each byte is one character.
    pub bytes: bool,
}

impl Options {
    /// The same, with bytes for characters where the pattern is not valid UTF-8.
    fn of(self, escaped: &[u8]) -> Self {
        Self { bytes: self.bytes || std::str::from_utf8(escaped).is_err(), ..self }
    }
}

/// Groups nested deeper than this are read as literal text: the matcher recurses once per level.
pub(crate) const MAX_GROUP_DEPTH: usize = 64;

/// A compiled pattern.
#[derive(Debug, Clone)]
pub struct Pattern {
    matcher: Matcher,
    /// It ends in a backslash with nothing after it to escape.
    is_cut: bool,
}

#[derive(Debug, Clone)]
enum Matcher {
    Segments(Segments),
    Extended(Extended),
    /// Nothing.
    Nothing,
}

impl Pattern {
    /// Compiles an escaped pattern. Every byte string is a pattern: an unclosed `[` or group is literal text.
    #[must_use]
    pub fn new(escaped: &[u8], options: Options) -> Self {
        let options = options.of(escaped);
        let matcher = match parse::parse(escaped, options) {
            Parsed::Plain(nodes) => Matcher::Segments(Segments::new(nodes, options)),
            Parsed::Grouped(nodes) => Matcher::Extended(Extended::new(nodes, options)),
            Parsed::Nothing => Matcher::Nothing,
        };
        Self { matcher, is_cut: is_cut(escaped) }
    }

    /// The one text that the pattern matches, when it has no special character and case counts.
    #[must_use]
    pub fn literal(&self) -> Option<&[u8]> {
        match &self.matcher {
            Matcher::Segments(segments) => segments.literal(),
            Matcher::Extended(_) | Matcher::Nothing => None,
        }
    }

    /// Whether the pattern matches all of `text`.
    #[must_use]
    pub fn matches(&self, text: &[u8]) -> bool {
        match &self.matcher {
            Matcher::Segments(segments) => segments.matches(text),
            Matcher::Extended(extended) => extended.matches(text),
            Matcher::Nothing => false,
        }
    }

    /// The length of the shortest prefix of `text` that matches (`${x#p}`).
    #[must_use]
    pub fn shortest_prefix(&self, text: &[u8]) -> Option<usize> {
        match &self.matcher {
            Matcher::Segments(segments) => segments.shortest_prefix(text),
            Matcher::Extended(extended) => extended.prefix(text, false),
            Matcher::Nothing => None,
        }
    }

    /// The length of the longest prefix of `text` that matches (`${x##p}`).
    #[must_use]
    pub fn longest_prefix(&self, text: &[u8]) -> Option<usize> {
        match &self.matcher {
            Matcher::Segments(segments) => segments.longest_prefix(text),
            Matcher::Extended(extended) => extended.prefix(text, true),
            Matcher::Nothing => None,
        }
    }

    /// Where the shortest suffix of `text` that matches starts (`${x%p}`).
    #[must_use]
    pub fn shortest_suffix(&self, text: &[u8]) -> Option<usize> {
        match &self.matcher {
            Matcher::Segments(segments) => segments.shortest_suffix(text),
            Matcher::Extended(extended) => extended.suffix(text, false),
            Matcher::Nothing => None,
        }
    }

    /// Where the longest suffix of `text` that matches starts (`${x%%p}`).
    #[must_use]
    pub fn longest_suffix(&self, text: &[u8]) -> Option<usize> {
        match &self.matcher {
            Matcher::Segments(segments) => segments.longest_suffix(text),
            Matcher::Extended(extended) => extended.suffix(text, true),
            Matcher::Nothing => None,
        }
    }

    /// The leftmost match at or after the byte offset `from` (a character boundary), and the longest one there
    /// (`${x/p/r}`). It may be empty.
    #[must_use]
    pub fn find(&self, text: &[u8], from: usize) -> Option<Range<usize>> {
        // bash puts a `*` after the pattern here, which such a backslash takes for itself.
        if from > text.len() || self.is_cut {
            return None;
        }
        match &self.matcher {
            Matcher::Segments(segments) => segments.find(text, from),
            Matcher::Extended(extended) => extended.find(text, from),
            Matcher::Nothing => None,
        }
    }
}

/// Whether the escaped pattern matches all of `text`. Nothing is allocated for the usual shapes (`lit`, `*lit`,
/// `lit*`, `*lit*`, `lit*lit`).
#[must_use]
pub fn matches(escaped: &[u8], text: &[u8], options: Options) -> bool {
    match Shape::of(escaped, options, &mut Unescaped::new()) {
        Some(shape) => shape.matches(text),
        None => Pattern::new(escaped, options).matches(text),
    }
}

/// Whether the escaped pattern has an unquoted `*`, `?`, complete bracket expression or (with `extglob`)
/// complete group: what decides whether a word undergoes pathname expansion.
#[must_use]
pub fn has_special(escaped: &[u8], options: Options) -> bool {
    parse::has_special(escaped, options)
}

/// Does a pattern end in a backslash with nothing after it to escape?
pub fn is_cut(escaped: &[u8]) -> bool {
    escaped.iter().rev().take_while(|&&byte| byte == b'\\').count() % 2 == 1
}

/// Appends `text` as an escaped pattern that matches exactly `text`, wherever it is put in a larger pattern. After an expansion that
/// ends in a backslash that backslash is for the first escape, as in bash: `$x"f"` with a backslash in `x` matches `\f`.
pub fn escape(text: &[u8], out: &mut Vec<u8>) {
    if text.first().is_some_and(|&first| !is_significant(first)) && is_cut(out) {
        out.push(b'\\');
    }
    let mut done = 0;
    for (index, &byte) in text.iter().enumerate() {
        if is_significant(byte) {
            out.extend_from_slice(&text[done..index]);
            out.push(b'\\');
            done = index;
        }
    }
    out.extend_from_slice(&text[done..]);
}

/// Appends the text of an escaped pattern with its escapes removed. A backslash at the end stays (in the name of a file it does not,
/// as `glob` of hookshell-shell says).
pub fn unescape(escaped: &[u8], out: &mut Vec<u8>) {
    let mut rest = escaped;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        out.extend_from_slice(&rest[..at]);
        match rest.get(at + 1) {
            Some(&byte) => {
                out.push(byte);
                rest = &rest[at + 2..];
            }
            None => {
                out.push(b'\\');
                rest = &[];
            }
        }
    }
    out.extend_from_slice(rest);
}

/// The bytes that mean something in a pattern, a bracket expression or a group.
fn is_significant(byte: u8) -> bool {
    matches!(
        byte,
        b'*' | b'?' | b'[' | b']' | b'\\' | b'!' | b'^' | b'-' | b'(' | b')' | b'|' | b'@' | b'+' | b':' | b'.' | b'='
    )
}
