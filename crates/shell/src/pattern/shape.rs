//! The usual patterns, matched without compiling them.

use super::Options;
use super::chars::is_self_delimiting;
use super::segments::{find_bytes, rfind_bytes};

/// A pattern that is one plain literal with or without a star on either side: `lit`, `*lit`, `lit*`, `*lit*`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape<'p> {
    literal: &'p [u8],
    star_before: bool,
    star_after: bool,
}

impl<'p> Shape<'p> {
    /// The shape of an escaped pattern, if it is one of these and has no escape longer than the whole literal.
    pub(super) fn of(escaped: &'p [u8], options: Options) -> Option<Self> {
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
        // One escaped character is as common as a plain one: `"${x%"."*}"`.
        if let [b'\\', byte] = literal {
            literal = std::slice::from_ref(byte);
        } else if literal.iter().any(|byte| matches!(byte, b'*' | b'?' | b'[' | b'\\')) {
            return None;
        }
        is_self_delimiting(literal, options.bytes).then_some(Self { literal, star_before, star_after })
    }

    pub(super) fn matches(self, text: &[u8]) -> bool {
        match (self.star_before, self.star_after) {
            (false, false) => text == self.literal,
            (true, false) => text.ends_with(self.literal),
            (false, true) => text.starts_with(self.literal),
            (true, true) => find_bytes(text, self.literal).is_some(),
        }
    }

    pub(super) fn shortest_prefix(self, text: &[u8]) -> Option<usize> {
        let start = if self.star_before {
            find_bytes(text, self.literal)?
        } else if text.starts_with(self.literal) {
            0
        } else {
            return None;
        };
        Some(start + self.literal.len())
    }

    pub(super) fn longest_prefix(self, text: &[u8]) -> Option<usize> {
        match (self.star_before, self.star_after) {
            (true, false) => Some(rfind_bytes(text, self.literal)? + self.literal.len()),
            (true, true) => find_bytes(text, self.literal).map(|_| text.len()),
            (false, true) => text.starts_with(self.literal).then_some(text.len()),
            (false, false) => text.starts_with(self.literal).then_some(self.literal.len()),
        }
    }

    pub(super) fn shortest_suffix(self, text: &[u8]) -> Option<usize> {
        if self.star_after {
            rfind_bytes(text, self.literal)
        } else {
            text.ends_with(self.literal).then(|| text.len() - self.literal.len())
        }
    }

    pub(super) fn longest_suffix(self, text: &[u8]) -> Option<usize> {
        match (self.star_before, self.star_after) {
            (false, true) => find_bytes(text, self.literal),
            (true, true) => find_bytes(text, self.literal).map(|_| 0),
            (true, false) => text.ends_with(self.literal).then_some(0),
            (false, false) => text.ends_with(self.literal).then(|| text.len() - self.literal.len()),
        }
    }
}
