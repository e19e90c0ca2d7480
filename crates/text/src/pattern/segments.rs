//! The matcher for patterns without groups: fixed-length segments between stars.
//!
//! Each segment matches a fixed number of characters, so that taking every inner segment at its leftmost place
//! (or rightmost, for a shortest suffix) leaves the most room for the others: no other choice need be tried.

use std::ops::Range;

use super::Options;
use super::chars::{decode, decode_all, fold, is_boundary, is_self_delimiting, previous};
use super::parse::Node;
use super::set::Set;

/// A pattern as segments with a star between each two. Never empty.
#[derive(Debug, Clone)]
pub(super) struct Segments {
    segments: Vec<Segment>,
    nocase: bool,
}

/// A run of elements that each match one character (or a fixed text).
#[derive(Debug, Clone, Default)]
struct Segment {
    atoms: Vec<Atom>,
    /// How many characters the segment matches.
    length: usize,
    bytes: bool,
}

#[derive(Debug, Clone)]
enum Atom {
    /// Text, and whether it can only be found on character boundaries.
    Literal(Vec<u8>, bool),
    /// Characters in lower case, when case does not count.
    Folded(Vec<u32>),
    Any,
    Set(Box<Set>),
}

impl Segments {
    pub(super) fn new(nodes: Vec<Node>, options: Options) -> Self {
        let empty = Segment { bytes: options.bytes, ..Segment::default() };
        let mut segments = Vec::with_capacity(2);
        let mut current = empty.clone();
        for node in nodes {
            match node {
                Node::Star => segments.push(std::mem::replace(&mut current, empty.clone())),
                Node::Literal(text) => current.push_literal(text, options),
                Node::Any => current.push(Atom::Any),
                Node::Set(set) => current.push(Atom::Set(set)),
                // Patterns with groups have their own matcher.
                Node::Group(..) => {}
            }
        }
        segments.push(current);
        Self { segments, nocase: options.nocase }
    }

    pub(super) fn literal(&self) -> Option<&[u8]> {
        match self.segments.as_slice() {
            [only] if !self.nocase => only.literal(),
            _ => None,
        }
    }

    /// The first segment, those between the first and the last star, and the last; `None` for the rest when
    /// there is no star.
    fn split(&self) -> (&Segment, Option<(&[Segment], &Segment)>) {
        match self.segments.as_slice() {
            [first, inner @ .., last] => (first, Some((inner, last))),
            [first] => (first, None),
            // `new` pushes at least one.
            [] => unreachable_segment(),
        }
    }

    pub(super) fn matches(&self, text: &[u8]) -> bool {
        match self.split() {
            (only, None) => only.match_at(text, 0) == Some(text.len()),
            (first, Some((inner, last))) => first
                .match_at(text, 0)
                .and_then(|at| last.match_end(text, at).map(|end| (at, end)))
                .is_some_and(|(at, end)| skip_inner(inner, &text[..end], at).is_some()),
        }
    }

    pub(super) fn shortest_prefix(&self, text: &[u8]) -> Option<usize> {
        match self.split() {
            (only, None) => only.match_at(text, 0),
            (first, Some((inner, last))) => {
                let at = skip_inner(inner, text, first.match_at(text, 0)?)?;
                last.find(text, at).map(|range| range.end)
            }
        }
    }

    pub(super) fn longest_prefix(&self, text: &[u8]) -> Option<usize> {
        match self.split() {
            (only, None) => only.match_at(text, 0),
            (first, Some((inner, last))) => {
                let at = skip_inner(inner, text, first.match_at(text, 0)?)?;
                last.rfind(text, at, text.len()).map(|range| range.end)
            }
        }
    }

    pub(super) fn shortest_suffix(&self, text: &[u8]) -> Option<usize> {
        match self.split() {
            (only, None) => only.match_end(text, 0),
            (first, Some((inner, last))) => {
                let mut end = last.match_end(text, 0)?;
                for segment in inner.iter().rev() {
                    end = segment.rfind(text, 0, end)?.start;
                }
                first.rfind(text, 0, end).map(|range| range.start)
            }
        }
    }

    pub(super) fn longest_suffix(&self, text: &[u8]) -> Option<usize> {
        match self.split() {
            (only, None) => only.match_end(text, 0),
            (first, Some((inner, last))) => {
                let end = last.match_end(text, 0)?;
                let start = first.find(&text[..end], 0)?;
                skip_inner(inner, &text[..end], start.end)?;
                Some(start.start)
            }
        }
    }

    pub(super) fn find(&self, text: &[u8], from: usize) -> Option<Range<usize>> {
        match self.split() {
            (only, None) => only.find(text, from),
            (first, Some((inner, last))) => {
                let start = first.find(text, from)?;
                let at = skip_inner(inner, text, start.end)?;
                let end = last.rfind(text, at, text.len())?;
                Some(start.start..end.end)
            }
        }
    }
}

fn unreachable_segment() -> (&'static Segment, Option<(&'static [Segment], &'static Segment)>) {
    static EMPTY: Segment = Segment { atoms: Vec::new(), length: 0, bytes: false };
    (&EMPTY, None)
}

/// Takes each segment at its leftmost place after the one before it; the offset after the last.
fn skip_inner(segments: &[Segment], text: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    for segment in segments {
        at = segment.find(text, at)?.end;
    }
    Some(at)
}

impl Segment {
    fn push(&mut self, atom: Atom) {
        self.atoms.push(atom);
        self.length += 1;
    }

    fn push_literal(&mut self, text: Vec<u8>, options: Options) {
        let characters = decode_all(&text, options.bytes);
        if options.nocase {
            let folded: Vec<u32> = characters.map(|(_, character)| fold(character)).collect();
            self.length += folded.len();
            self.atoms.push(Atom::Folded(folded));
        } else {
            self.length += characters.count();
            let self_delimiting = is_self_delimiting(&text, options.bytes);
            self.atoms.push(Atom::Literal(text, self_delimiting));
        }
    }

    fn literal(&self) -> Option<&[u8]> {
        match self.atoms.as_slice() {
            [] => Some(b""),
            [Atom::Literal(text, _)] => Some(text),
            _ => None,
        }
    }

    /// Where a match that starts at the boundary `at` ends.
    fn match_at(&self, text: &[u8], at: usize) -> Option<usize> {
        let mut at = at;
        for atom in &self.atoms {
            match atom {
                Atom::Literal(literal, self_delimiting) => {
                    if !text.get(at..)?.starts_with(literal) {
                        return None;
                    }
                    at += literal.len();
                    if !self_delimiting && !is_boundary(text, at, self.bytes) {
                        return None;
                    }
                }
                Atom::Folded(characters) => {
                    for &expected in characters {
                        if at >= text.len() {
                            return None;
                        }
                        let (found, length) = decode(text, at, self.bytes);
                        if fold(found) != expected {
                            return None;
                        }
                        at += length;
                    }
                }
                Atom::Any => {
                    if at >= text.len() {
                        return None;
                    }
                    at += decode(text, at, self.bytes).1;
                }
                Atom::Set(set) => {
                    if at >= text.len() {
                        return None;
                    }
                    let (found, length) = decode(text, at, self.bytes);
                    if !set.contains(found) {
                        return None;
                    }
                    at += length;
                }
            }
        }
        Some(at)
    }

    /// Where the match that ends with the text starts, at or after `from`.
    fn match_end(&self, text: &[u8], from: usize) -> Option<usize> {
        if let Some((literal, true)) = self.self_delimiting_literal() {
            let start = text.len().checked_sub(literal.len())?;
            return (start >= from && text[start..] == *literal).then_some(start);
        }
        let start = self.start_before(text, from, text.len())?;
        (self.match_at(text, start)? == text.len()).then_some(start)
    }

    /// The offset `length` characters before `end`, if that is not before `from`.
    fn start_before(&self, text: &[u8], from: usize, end: usize) -> Option<usize> {
        let mut start = end;
        for _ in 0..self.length {
            if start <= from {
                return None;
            }
            start = previous(text, start, self.bytes);
        }
        (start >= from).then_some(start)
    }

    fn self_delimiting_literal(&self) -> Option<(&[u8], bool)> {
        match self.atoms.as_slice() {
            [] => Some((b"", true)),
            [Atom::Literal(text, self_delimiting)] => Some((text, *self_delimiting)),
            _ => None,
        }
    }

    /// The leftmost match that starts at or after the boundary `from`.
    fn find(&self, text: &[u8], from: usize) -> Option<Range<usize>> {
        match self.atoms.first() {
            None => Some(from..from),
            Some(Atom::Literal(literal, self_delimiting)) => {
                let mut at = from;
                loop {
                    let start = at + find_bytes(text.get(at..)?, literal)?;
                    if (*self_delimiting || is_boundary(text, start, self.bytes))
                        && let Some(end) = self.match_at(text, start)
                    {
                        return Some(start..end);
                    }
                    at = start + 1;
                }
            }
            Some(_) => {
                let mut start = from;
                loop {
                    if let Some(end) = self.match_at(text, start) {
                        return Some(start..end);
                    }
                    if start >= text.len() {
                        return None;
                    }
                    start += decode(text, start, self.bytes).1;
                }
            }
        }
    }

    /// The rightmost match within `from..end`, both boundaries.
    fn rfind(&self, text: &[u8], from: usize, end: usize) -> Option<Range<usize>> {
        let text = text.get(..end)?;
        match self.self_delimiting_literal() {
            Some((literal, true)) => {
                let start = from + rfind_bytes(text.get(from..)?, literal)?;
                Some(start..start + literal.len())
            }
            _ => {
                let mut start = self.start_before(text, from, end)?;
                loop {
                    if let Some(end) = self.match_at(text, start) {
                        return Some(start..end);
                    }
                    if start <= from {
                        return None;
                    }
                    start = previous(text, start, self.bytes);
                }
            }
        }
    }
}

/// The first place of `needle`; one byte is by far the most usual.
pub(super) fn find_bytes(text: &[u8], needle: &[u8]) -> Option<usize> {
    match needle {
        [] => Some(0),
        [byte] => memchr::memchr(*byte, text),
        _ => memchr::memmem::find(text, needle),
    }
}

/// The last place of `needle`.
pub(super) fn rfind_bytes(text: &[u8], needle: &[u8]) -> Option<usize> {
    match needle {
        [] => Some(text.len()),
        [byte] => memchr::memrchr(*byte, text),
        _ => memchr::memmem::rfind(text, needle),
    }
}
