//! What a syntax error says, and the constructs that are open where the source ends.

use bstr::{BString, ByteSlice};

use super::case::{AFTER_PATTERN, PATTERN};
use super::{Opened, Parsed, Reader, Start, clamp};
use crate::error::{SyntaxError, SyntaxErrorCause, UnclosedConstruct};
use crate::span::{Position, Span};

impl<const DIRECT: bool> Reader<'_, DIRECT> {
    /// Notes that a construct is open.
    pub(crate) fn open(&mut self, what: &'static str) {
        let line = self.current_line();
        self.opened.push(Opened { what, line });
    }

    /// The construct opened last.
    pub(crate) fn innermost(&self) -> Option<&'static str> {
        self.opened.last().map(|opened| opened.what)
    }

    /// The construct opened last is complete.
    pub(crate) fn close(&mut self) {
        self.opened.pop();
    }

    #[cold]
    pub(crate) fn error(&mut self, cause: SyntaxErrorCause, from: usize, to: usize) -> Box<SyntaxError> {
        let line = self.line_at(from.min(self.limit));
        let start = self.source_offset(from, false);
        let text = if self.base.is_some() {
            &self.source[..from.min(self.source.len())]
        } else {
            &self.source[..start.min(self.source.len())]
        };
        let line_start = memchr::memrchr(b'\n', text).map_or(0, |i| i + 1);
        let column = text[line_start..].chars().count() + 1;
        Box::new(SyntaxError {
            cause,
            span: Span { start: clamp(start), end: clamp(self.source_offset(to, true)), line },
            position: Position { line, column: clamp(column) },
            drops_line: false,
            in_substitution: false,
            warnings: Box::default(),
            consequence: None,
        })
    }

    /// The next token cannot stand here.
    #[cold]
    pub(crate) fn unexpected<T>(&mut self, expected: &[&'static str]) -> Parsed<T> {
        self.blanks();
        let from = self.pos;
        // bash ends the last line with a newline, and some productions have no use for one.
        let wants_word = matches!(expected, ["a word" | "a name" | PATTERN | AFTER_PATTERN]);
        if self.at_end() && wants_word && self.text().last() != Some(&b'\n') {
            let cause = SyntaxErrorCause::Unexpected { found: "newline".into(), expected: expected.to_vec() };
            return Err(self.error(cause, from, from));
        }
        if self.at_end() {
            let opened = self.opened.last().map(|opened| (BString::from(opened.what), opened.line));
            let cause = SyntaxErrorCause::UnexpectedEnd { opened, expected: expected.to_vec() };
            return Err(self.error(cause, from, from));
        }
        let to = self.token_end();
        let found = match self.text()[from] {
            b'\n' => BString::from("newline"),
            _ => BString::from(&self.text()[from..to]),
        };
        let cause = SyntaxErrorCause::Unexpected { found, expected: expected.to_vec() };
        Err(self.error(cause, from, to))
    }

    /// The source ends before `closer`; `from` is where the construct began.
    #[cold]
    pub(crate) fn unclosed<T>(&mut self, closer: &'static str, from: Start) -> Parsed<T> {
        let cause = SyntaxErrorCause::Unclosed { closer, construct: UnclosedConstruct::Text };
        let mut error = self.error(cause, self.limit, self.limit);
        error.span.start = from.offset.min(error.span.end);
        error.span.line = from.line;
        error.position = self.position_of(from);
        Err(error)
    }

    /// The source ends inside a list that ends with `closer`: the place is the end, as for any list.
    #[cold]
    pub(crate) fn unclosed_list<T>(&mut self, closer: &'static str) -> Parsed<T> {
        let cause = SyntaxErrorCause::Unclosed { closer, construct: UnclosedConstruct::Commands };
        Err(self.error(cause, self.limit, self.limit))
    }

    #[cold]
    fn position_of(&self, start: Start) -> Position {
        let text =
            if self.base.is_some() { &[] } else { &self.source[..(start.offset as usize).min(self.source.len())] };
        let line_start = memchr::memrchr(b'\n', text).map_or(0, |i| i + 1);
        Position { line: start.line, column: clamp(text[line_start..].chars().count() + 1) }
    }

    /// A construct of bash at the next `length` bytes, in the POSIX dialect.
    #[cold]
    pub(crate) fn not_posix<T>(&mut self, construct: &'static str, length: usize) -> Parsed<T> {
        let cause = SyntaxErrorCause::NotPosix { construct };
        Err(self.error(cause, self.pos, (self.pos + length).min(self.limit)))
    }

    /// Something else that is wrong with the next token.
    #[cold]
    pub(crate) fn invalid<T>(&mut self, message: String) -> Parsed<T> {
        let to = self.token_end();
        Err(self.error(SyntaxErrorCause::Invalid(message), self.pos, to))
    }
}
