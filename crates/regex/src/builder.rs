//! Compiling expressions.

use crate::ast::{Look, Node};
use crate::error::Error;
use crate::lookaround::Places;
use crate::parse::parse;
use crate::regex::Regex;
use crate::syntax::{Rules, Syntax};
use crate::text::Encoding;

/// How an expression is compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Builder {
    syntax: Syntax,
    ignore_case: bool,
    bytes: bool,
    newline: bool,
    lines: Option<u8>,
    whole: Whole,
    size: usize,
}

/// The largest compiled expression, in bytes, unless [`Builder::size_limit`] says otherwise.
pub const DEFAULT_SIZE_LIMIT: usize = 16 * 1024 * 1024;

/// What a match must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Whole {
    Any,
    Line,
    Word,
}

impl Builder {
    /// In UTF-8, case-sensitive, and a newline is a character like others.
    pub fn new(syntax: Syntax) -> Self {
        Self {
            syntax,
            ignore_case: false,
            bytes: false,
            newline: false,
            lines: None,
            whole: Whole::Any,
            size: DEFAULT_SIZE_LIMIT,
        }
    }

    /// The largest compiled expression, in bytes: beyond it building fails with [`Error::Memory`]. (There are up to four
    /// forms of an expression, each within the limit.)
    #[must_use]
    pub fn size_limit(self, bytes: usize) -> Self {
        Self { size: bytes, ..self }
    }

    /// Case does not matter (REG_ICASE).
    #[must_use]
    pub fn ignore_case(self, ignore_case: bool) -> Self {
        Self { ignore_case, ..self }
    }

    /// Each byte is a character, and only ASCII has letters: the C locale.
    #[must_use]
    pub fn bytes(self, bytes: bool) -> Self {
        Self { bytes, ..self }
    }

    /// `^` and `$` match around newlines too, `.` and `[^…]` do not match one (REG_NEWLINE; sed's `M`).
    #[must_use]
    pub fn newline(self, newline: bool) -> Self {
        Self { newline, ..self }
    }

    /// The subjects are blocks of lines that end with this byte, and a match is within a line: no character set has the
    /// byte, and the anchors mean the lines (grep).
    #[must_use]
    pub fn lines(self, end: u8) -> Self {
        Self { lines: Some(end), ..self }
    }

    /// A match is a whole line (`grep -x`).
    #[must_use]
    pub fn whole_lines(self) -> Self {
        Self { whole: Whole::Line, ..self }
    }

    /// No character of a word stands beside a match (`grep -w`).
    #[must_use]
    pub fn whole_words(self) -> Self {
        Self { whole: Whole::Word, ..self }
    }

    /// Compiles an expression.
    ///
    /// # Errors
    /// What `regcomp` would say; [`Error::Memory`] where it is larger than is compiled here.
    pub fn build(&self, pattern: &[u8]) -> Result<Regex, Error> {
        self.build_any([pattern])
    }

    /// Compiles an expression that matches what any of these matches. Back-references mean groups of their own pattern,
    /// groups are numbered through.
    ///
    /// # Errors
    /// As [`Builder::build`], for the first pattern that has one.
    pub fn build_any<'p>(&self, patterns: impl IntoIterator<Item = &'p [u8]>) -> Result<Regex, Error> {
        let encoding = self.encoding();
        let rules = Rules {
            grammar: self.syntax.grammar(),
            encoding,
            ignore_case: self.ignore_case,
            newline: self.newline,
            never: self.lines,
        };
        let mut groups = 0;
        let mut nodes = Vec::new();
        let mut length = 0_usize;
        for pattern in patterns {
            // Each character is a state of more bytes than that, and a node of more before.
            length = length.saturating_add(pattern.len());
            if length > self.size / 16 {
                return Err(Error::Memory);
            }
            let (node, all) = parse(pattern, rules, groups).map_err(|error| match error {
                // `regcomp` does not tell them apart.
                Error::UnmatchedClose if matches!(self.syntax, Syntax::Basic | Syntax::Extended) => {
                    Error::UnmatchedOpen
                }
                error => error,
            })?;
            groups = all;
            nodes.push(node);
        }
        self.finish(nodes, groups)
    }

    /// Compiles an expression that matches any of these texts literally (`grep -F`).
    ///
    /// # Errors
    /// [`Error::Memory`] where they are more than is compiled here.
    pub fn build_literals<'p>(&self, texts: impl IntoIterator<Item = &'p [u8]>) -> Result<Regex, Error> {
        let encoding = self.encoding();
        let mut nodes = Vec::new();
        let mut all = 0_usize;
        for text in texts {
            all = all.saturating_add(text.len());
            if all > self.size / 4 {
                return Err(Error::Memory);
            }
            let mut at = 0;
            let mut units = Vec::new();
            while let Some((unit, length)) = encoding.decode(text, at) {
                at += length;
                units.push(crate::parse::literal(unit, self.ignore_case, encoding));
            }
            nodes.push(match units.len() {
                0 => Node::Empty,
                _ => Node::Concat(units),
            });
        }
        self.finish(nodes, 0)
    }

    fn finish(&self, mut nodes: Vec<Node>, groups: usize) -> Result<Regex, Error> {
        let mut node = match nodes.len() {
            1 => nodes.pop().unwrap_or(Node::Empty),
            // No pattern at all matches nothing.
            0 => Node::Class(crate::class::CharClass::default()),
            _ => Node::Alternation(nodes),
        };
        let around = match self.whole {
            Whole::Any => None,
            Whole::Line => Some((Look::LineStart, Look::LineEnd)),
            Whole::Word => Some((Look::NotAfterWord, Look::NotBeforeWord)),
        };
        if let Some((before, after)) = around {
            node = Node::Concat(vec![Node::Look(before), node, Node::Look(after)]);
        }
        let line_end = self.lines.or(self.newline.then_some(b'\n'));
        let places = Places { encoding: self.encoding(), line_end };
        Regex::new(node, groups, places, self.ignore_case, self.lines.is_some(), self.size)
    }

    fn encoding(&self) -> Encoding {
        if self.bytes { Encoding::Bytes } else { Encoding::Utf8 }
    }
}
