//! Compiled expressions.

use std::sync::{Arc, OnceLock};

use crate::ast::{Look, Node};
use crate::backtrack::Backtracker;
use crate::captures::Captures;
use crate::error::{Error, SearchError};
use crate::fast::{Fast, Variant};
use crate::groups;
use crate::lookaround::Places;
use crate::program::Program;
use crate::subject::{Span, Subject};
use crate::text::{Encoding, INVALID};

/// Lines that are not ASCII are searched together where no more than this lies between them.
const NEAR: usize = 256;

/// A compiled expression. Cheap to clone, and shared between threads; the machines for a search are made by the first
/// search that needs them.
#[derive(Debug, Clone)]
pub struct Regex {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    node: Node,
    groups: usize,
    places: Places,
    ignore_case: bool,
    /// What each form of it may take, in bytes.
    size: usize,
    has_references: bool,
    has_words: bool,
    /// It has bytes that are not characters.
    has_raw: bool,
    /// It has sets with more than ASCII.
    is_wide: bool,
    ascii: OnceLock<Option<Fast>>,
    full: OnceLock<Option<Fast>>,
    relaxed: OnceLock<Option<Fast>>,
    program: OnceLock<Option<Program>>,
}

impl Regex {
    pub(crate) fn new(
        node: Node,
        groups: usize,
        places: Places,
        ignore_case: bool,
        lines: bool,
        size: usize,
    ) -> Result<Self, Error> {
        let node = if lines { of_lines(node) } else { node };
        let utf8 = places.encoding == Encoding::Utf8;
        let wide = |node: &Node| matches!(node, Node::Class(class) if class.is_wide());
        let raw = |node: &Node| match node {
            Node::Unit(unit) => *unit >= INVALID,
            Node::Class(class) => class.ranges().last().is_some_and(|range| range.1 >= INVALID),
            _ => false,
        };
        let inner = Inner {
            groups,
            places,
            ignore_case,
            size,
            has_references: node.any(&|node| matches!(node, Node::BackReference(_))),
            has_words: node.any(&|node| matches!(node, Node::Look(look) if look.is_of_words())),
            has_raw: utf8 && node.any(&raw),
            is_wide: utf8 && node.any(&wide),
            node,
            ascii: OnceLock::new(),
            full: OnceLock::new(),
            relaxed: OnceLock::new(),
            program: OnceLock::new(),
        };
        let regex = Self { inner: Arc::new(inner) };
        // The one that most texts need: what is too large is an error now.
        let first = if regex.inner.has_references {
            regex.inner.program().map(drop)
        } else {
            regex.inner.automaton(true).map(drop)
        };
        first.ok_or(Error::Memory)?;
        Ok(regex)
    }

    /// The number of groups, without the whole match.
    pub fn group_count(&self) -> usize {
        self.inner.groups
    }

    /// Has it back-references? Then a search may take long, or give up.
    pub fn has_back_references(&self) -> bool {
        self.inner.has_references
    }

    /// Does glibc search it byte by byte in UTF-8, so that it finds empty matches within characters? So where no part
    /// needs whole characters.
    pub fn is_byte_wise(&self) -> bool {
        let inner = &*self.inner;
        let whole = |node: &Node| match node {
            Node::Class(class) => {
                let mut rest = class.clone();
                rest.complement(Encoding::Utf8);
                class.is_wide() && rest.ranges().iter().any(|range| !matches!(range, (0, 0) | (10, 10)))
            }
            _ => false,
        };
        inner.places.encoding == Encoding::Bytes || !inner.ignore_case && !inner.has_words && !inner.node.any(&whole)
    }

    /// Does it match somewhere?
    ///
    /// # Errors
    /// The search was interrupted, or took too much.
    pub fn is_match(&self, subject: &Subject<'_>) -> Result<bool, SearchError> {
        if subject.start > subject.text.len() {
            return Ok(false);
        }
        match self.inner.exact(subject) {
            Some(fast) => Ok(fast.is_match(subject.text, subject.start)),
            None => Ok(self.inner.backtrack(subject, subject.start, true, &mut Captures::new())?.is_some()),
        }
    }

    /// Where a match may be at `from` or after it, which is the start of a line: the place lies within the first line
    /// that may have one, or at its end. For [`Builder::lines`](crate::Builder::lines); with `true` that line has one.
    pub fn candidate(&self, subject: &Subject<'_>, from: usize) -> Option<(usize, bool)> {
        let inner = &*self.inner;
        let text = subject.text;
        if from > text.len() {
            return None;
        }
        if inner.has_references {
            return match inner.relaxed() {
                Some(fast) => fast.earliest_end(text, from).map(|at| (at, false)),
                None => Some((from, false)),
            };
        }
        if inner.is_for_any_text() {
            return match inner.automaton(false) {
                Some(fast) => fast.earliest_end(text, from).map(|at| (at, true)),
                None => Some((from, false)),
            };
        }
        // Lines that are ASCII are searched by the automaton for ASCII, however long the text and wherever it is not.
        let end = inner.places.line_end.unwrap_or(b'\n');
        let mut from = from;
        loop {
            let wide = subject.ascii_until(from);
            let line = match text.get(from..wide) {
                _ if wide == text.len() => wide,
                Some(before) => memchr::memrchr(end, before).map_or(from, |found| from + found + 1),
                None => from,
            };
            if line > from || wide == text.len() {
                let Some(fast) = inner.automaton(true) else { return Some((from, false)) };
                match fast.earliest_end(text.get(..line).unwrap_or_default(), from) {
                    // At the start of a line that is not searched yet.
                    Some(at) if at == line && line < text.len() => {}
                    Some(at) => return Some((at, true)),
                    None if line == text.len() => return None,
                    None => {}
                }
            }
            // Some lines that are not ASCII, and what is between them unless it is much.
            let mut after = wide;
            loop {
                let rest = text.get(after..).unwrap_or_default();
                after = memchr::memchr(end, rest).map_or(text.len(), |found| after + found + 1);
                let near = text.get(after..).unwrap_or_default();
                let near = near.get(..NEAR).unwrap_or(near);
                match near.iter().rposition(|byte| !byte.is_ascii()) {
                    Some(found) => after += found,
                    None => break,
                }
            }
            let sure = !inner.has_words && !inner.has_raw;
            let fast = if sure { inner.automaton(false) } else { inner.relaxed() };
            let Some(fast) = fast else { return Some((line, false)) };
            match fast.earliest_end(text.get(..after).unwrap_or_default(), line) {
                Some(at) if at == after && after < text.len() => {}
                Some(at) => return Some((at, sure)),
                None => {}
            }
            if after == text.len() {
                return None;
            }
            from = after;
        }
    }

    /// The leftmost-longest match.
    ///
    /// # Errors
    /// The search was interrupted, or took too much.
    pub fn find(&self, subject: &Subject<'_>) -> Result<Option<Span>, SearchError> {
        if subject.start > subject.text.len() {
            return Ok(None);
        }
        self.find_from(subject, subject.start)
    }

    /// [`Regex::find`] from another place on. For several searches in a text: what is known of the text is kept.
    ///
    /// # Errors
    /// The search was interrupted, or took too much.
    pub fn find_from(&self, subject: &Subject<'_>, from: usize) -> Result<Option<Span>, SearchError> {
        if from > subject.text.len() {
            return Ok(None);
        }
        match self.inner.exact(subject).map(|fast| fast.find(subject.text, from)) {
            Some(Ok(found)) => Ok(found),
            _ => self.inner.backtrack(subject, from, false, &mut Captures::new()),
        }
    }

    /// The leftmost-longest match with its groups. Without one `captures` is empty.
    ///
    /// # Errors
    /// The search was interrupted, or took too much.
    pub fn captures(&self, subject: &Subject<'_>, captures: &mut Captures) -> Result<bool, SearchError> {
        captures.groups.clear();
        if subject.start > subject.text.len() {
            return Ok(false);
        }
        let span = match self.inner.exact(subject).map(|fast| fast.find(subject.text, subject.start)) {
            Some(Ok(Some(span))) => span,
            Some(Ok(None)) => return Ok(false),
            _ => return Ok(self.inner.backtrack(subject, subject.start, false, captures)?.is_some()),
        };
        if self.inner.groups == 0 {
            captures.groups.push(Some(span));
            return Ok(true);
        }
        let program = self.inner.program().ok_or(SearchError::TooComplex)?;
        let Captures { groups, scratch } = captures;
        match groups::fill(program, self.inner.places, subject, span, scratch, groups) {
            Ok(true) => Ok(true),
            // The automaton and the machine agree; where they would not, the machine is right.
            Ok(false) => Ok(self.inner.backtrack(subject, subject.start, false, captures)?.is_some()),
            Err(error) => Err(error),
        }
    }
}

impl Inner {
    fn program(&self) -> Option<&Program> {
        self.program.get_or_init(|| Program::compile(&self.node, self.groups, self.size).ok()).as_ref()
    }

    /// The automaton for texts that are ASCII, or for all.
    fn automaton(&self, ascii: bool) -> Option<&Fast> {
        let (cell, variant) =
            if ascii && self.is_wide { (&self.ascii, Variant::Ascii) } else { (&self.full, Variant::Full) };
        cell.get_or_init(|| Fast::compile(&self.node, self.places, variant, self.size).ok()).as_ref()
    }

    fn relaxed(&self) -> Option<&Fast> {
        self.relaxed.get_or_init(|| Fast::compile(&self.node, self.places, Variant::Relaxed, self.size).ok()).as_ref()
    }

    /// Is one automaton right for texts of any bytes?
    fn is_for_any_text(&self) -> bool {
        self.places.encoding == Encoding::Bytes || !self.is_wide && !self.has_words && !self.has_raw
    }

    /// The automaton that is right for this text, if one is.
    fn exact(&self, subject: &Subject<'_>) -> Option<&Fast> {
        if self.has_references {
            return None;
        }
        if self.is_for_any_text() {
            return self.automaton(false);
        }
        let ascii = subject.is_ascii();
        if !ascii && (self.has_words || self.has_raw) {
            return None;
        }
        self.automaton(ascii)
    }

    /// With `any` the first match that is found will do.
    fn backtrack(
        &self,
        subject: &Subject<'_>,
        from: usize,
        any: bool,
        captures: &mut Captures,
    ) -> Result<Option<Span>, SearchError> {
        // Where even the relaxed expression has no match there is none, and none begins before its first.
        let from = match self.relaxed() {
            Some(fast) => match fast.leftmost_start(subject.text, from) {
                Some(start) => start,
                None => return Ok(None),
            },
            None => from,
        };
        let program = self.program().ok_or(SearchError::TooComplex)?;
        let tracker = Backtracker { program, places: self.places, ignore_case: self.ignore_case, any };
        tracker.search(subject, from, captures)
    }
}

/// `` \` `` and `\'` mean the line where a subject is a block of lines.
fn of_lines(node: Node) -> Node {
    match node {
        Node::Look(Look::TextStart) => Node::Look(Look::LineStart),
        Node::Look(Look::TextEnd) => Node::Look(Look::LineEnd),
        Node::Group(number, node) => Node::Group(number, Box::new(of_lines(*node))),
        Node::Repeat { node, min, max } => Node::Repeat { node: Box::new(of_lines(*node)), min, max },
        Node::Concat(nodes) => Node::Concat(nodes.into_iter().map(of_lines).collect()),
        Node::Alternation(nodes) => Node::Alternation(nodes.into_iter().map(of_lines).collect()),
        other => other,
    }
}
