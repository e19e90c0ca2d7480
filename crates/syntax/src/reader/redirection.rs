//! Redirections (XCU 2.7).

use std::sync::{Arc, OnceLock};

use super::{Parsed, Reader, Start};
use crate::ast::{HereDocument, Redirection, RedirectionFd, RedirectionKind, Word};
use crate::bytes::{DIGIT, NAME, begins_name, is};
use crate::name::Name;

/// The operators of redirections.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operator {
    Read,
    Write,
    Clobber,
    Append,
    ReadWrite,
    DuplicateInput,
    DuplicateOutput,
    WriteBoth,
    AppendBoth,
    HereDocument { strip_tabs: bool },
    HereString,
}

impl<const DIRECT: bool> Reader<'_, DIRECT> {
    /// The redirection at the place (blanks before it are skipped), if there is one.
    pub(crate) fn redirection(&mut self) -> Parsed<Option<Redirection>> {
        self.blanks();
        match self.peek() {
            Some(b'<' | b'>' | b'&' | b'0'..=b'9' | b'{' | b'\\') => {}
            _ => return Ok(None),
        }
        let Some((fd, operator_at)) = self.redirection_fd() else {
            return Ok(None);
        };
        let Some((operator, end)) = self.redirection_operator(operator_at) else {
            return Ok(None);
        };
        if fd.is_some() && matches!(operator, Operator::WriteBoth | Operator::AppendBoth) {
            return Ok(None);
        }
        let start = self.start();
        if !self.bash && operator == Operator::HereString {
            return self.not_posix("`<<<'", 3);
        }
        self.pos = end;
        // bash: `<&-` is one operator, whatever follows it.
        if self.bash
            && matches!(operator, Operator::DuplicateInput | Operator::DuplicateOutput)
            && let Some((b'-', after)) = self.byte_from(end)
        {
            return Ok(Some(self.closing(fd, operator, start, after)));
        }
        self.blanks();
        // `>& 2>x` duplicates 2: the number after `>&` is never one of the next operator.
        let duplicates = matches!(operator, Operator::DuplicateInput | Operator::DuplicateOutput);
        let number = duplicates && matches!(self.peek(), Some(b'0'..=b'9'));
        if !number && !self.at_word() {
            return self.unexpected(&["a word"]);
        }
        let kind = if let Operator::HereDocument { strip_tabs } = operator {
            self.here_document(strip_tabs)?
        } else if operator == Operator::HereString {
            RedirectionKind::HereString(self.plain_word()?)
        } else {
            let word = if self.bash { self.expanded_word()? } else { self.plain_word()? };
            match operator {
                Operator::Read => RedirectionKind::Read(word),
                Operator::Clobber => RedirectionKind::Clobber(word),
                Operator::Append => RedirectionKind::Append(word),
                Operator::ReadWrite => RedirectionKind::ReadWrite(word),
                Operator::DuplicateInput => RedirectionKind::DuplicateInput(word),
                Operator::DuplicateOutput => RedirectionKind::DuplicateOutput(word),
                Operator::WriteBoth => RedirectionKind::WriteBoth(word),
                Operator::AppendBoth => RedirectionKind::AppendBoth(word),
                _ => RedirectionKind::Write(word),
            }
        };
        Ok(Some(Redirection { fd, kind, span: self.span(start) }))
    }

    /// `<&-` or `>&-`, which ends at `end`.
    fn closing(&mut self, fd: Option<RedirectionFd>, operator: Operator, start: Start, end: usize) -> Redirection {
        let word_start = self.start();
        self.pos = end;
        let word = Word::plain(b"-".into(), self.span(word_start));
        let kind = if operator == Operator::DuplicateInput {
            RedirectionKind::DuplicateInput(word)
        } else {
            RedirectionKind::DuplicateOutput(word)
        };
        Redirection { fd, kind, span: self.span(start) }
    }

    /// `2` or `{name}` directly before an operator; gives the place of the operator. `None` if no operator can follow.
    pub(crate) fn redirection_fd(&self) -> Option<(Option<RedirectionFd>, usize)> {
        let (first, _) = self.byte_from(self.pos)?;
        if matches!(first, b'<' | b'>' | b'&') {
            return Some((None, self.pos));
        }
        let mut pos = self.pos;
        if is(first, DIGIT) {
            let mut number: u32 = 0;
            loop {
                let (byte, next) = self.byte_from(pos)?;
                if !is(byte, DIGIT) {
                    break;
                }
                number = number.checked_mul(10)?.checked_add(u32::from(byte - b'0'))?;
                pos = next;
            }
            let (byte, after) = self.byte_from(pos)?;
            let process_substitution = self.bash && matches!(self.byte_from(after), Some((b'(', _)));
            if !matches!(byte, b'<' | b'>') || process_substitution {
                return None;
            }
            return Some((Some(RedirectionFd::Number(number)), pos));
        }
        if self.bash && first == b'{' {
            let text = self.text();
            let begin = pos + 1;
            let mut end = begin;
            if !text.get(begin).is_some_and(|&b| begins_name(b)) {
                return None;
            }
            while text.get(end).is_some_and(|&b| is(b, NAME)) {
                end += 1;
            }
            // `{name[subscript]}>` is allowed as well.
            let mut name_end = end;
            if text.get(end) == Some(&b'[') {
                let close = text[end..].iter().position(|&b| b == b']' || is(b, crate::bytes::META))?;
                name_end = end + close + 1;
            }
            if text.get(name_end) != Some(&b'}') || !matches!(text.get(name_end + 1), Some(b'<' | b'>')) {
                return None;
            }
            let name = Name::new(&text[begin..name_end]);
            return Some((Some(RedirectionFd::Variable(Box::new(name))), name_end + 1));
        }
        None
    }

    fn redirection_operator(&self, pos: usize) -> Option<(Operator, usize)> {
        let (first, end) = self.byte_from(pos)?;
        let second = self.byte_from(end);
        Some(match (first, second) {
            (b'<', Some((b'<', end))) => match self.byte_from(end) {
                Some((b'<', end)) => (Operator::HereString, end),
                Some((b'-', end)) => (Operator::HereDocument { strip_tabs: true }, end),
                _ => (Operator::HereDocument { strip_tabs: false }, end),
            },
            (b'<', Some((b'&', end))) => (Operator::DuplicateInput, end),
            (b'<', Some((b'>', end))) => (Operator::ReadWrite, end),
            (b'<' | b'>', Some((b'(', _))) if self.bash => return None,
            (b'<', _) => (Operator::Read, end),
            (b'>', Some((b'>', end))) => (Operator::Append, end),
            (b'>', Some((b'&', end))) => (Operator::DuplicateOutput, end),
            (b'>', Some((b'|', end))) => (Operator::Clobber, end),
            (b'>', _) => (Operator::Write, end),
            (b'&', Some((b'>', end))) if self.bash => match self.byte_from(end) {
                Some((b'>', end)) => (Operator::AppendBoth, end),
                _ => (Operator::WriteBoth, end),
            },
            _ => return None,
        })
    }

    /// The delimiter of a here-document; the body is read after the next newline.
    fn here_document(&mut self, strip_tabs: bool) -> Parsed<RedirectionKind> {
        let (delimiter, quoted) = self.here_document_delimiter()?;
        let document = Arc::new(HereDocument { delimiter, quoted, strip_tabs, body: OnceLock::new() });
        self.announce(Arc::clone(&document));
        Ok(RedirectionKind::HereDocument(document))
    }
}
