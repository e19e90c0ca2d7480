//! Here-documents (XCU 2.7.4).

use std::sync::Arc;

use bstr::BString;

use super::text::DoubleStop;
use super::{Parsed, Reader, clamp, decode_dollar_single};
use crate::ast::{HereDocument, Parameter, ParameterExpansion, ParameterOperation, Word, WordPart, WordParts};
use crate::bytes::ends_in_backslash;
use crate::error::{SyntaxError, SyntaxErrorCause, UnclosedConstruct};
use crate::span::Span;
use crate::warning::{CutHereDocument, HereDocumentWarning};

/// A here-document whose body has not been read yet.
#[derive(Clone)]
pub(crate) struct Pending {
    document: Arc<HereDocument>,
    /// How many `$(` were open where it was announced.
    substitutions: u32,
}

impl<const DIRECT: bool> Reader<'_, DIRECT> {
    pub(crate) fn announce(&mut self, document: Arc<HereDocument>) {
        let substitutions = self.substitutions;
        self.pending.push(Pending { document, substitutions });
    }

    /// Reads a newline if it is at the place, and the bodies of the here-documents of the line it ends.
    pub(crate) fn newline(&mut self) -> Parsed<bool> {
        if self.peek() != Some(b'\n') {
            return Ok(false);
        }
        self.pos += 1;
        if !self.pending.is_empty() {
            self.bodies()?;
        }
        Ok(true)
    }

    /// The source ends: what was announced is empty.
    pub(crate) fn end_of_source(&mut self) -> Parsed<()> {
        self.bodies()
    }

    /// Takes the here-documents of the outer command away while a substitution is read.
    pub(crate) fn take_pending(&mut self) -> Vec<Pending> {
        std::mem::take(&mut self.pending)
    }

    /// What is waiting, to be put back when a reading is given up.
    pub(crate) fn pending(&self) -> Vec<Pending> {
        self.pending.clone()
    }

    /// Puts them back: a body that was not read inside `$( )` follows the line of the outer command.
    pub(crate) fn restore_pending(&mut self, mut outer: Vec<Pending>) {
        outer.append(&mut self.pending);
        self.pending = outer;
    }

    fn bodies(&mut self) -> Parsed<()> {
        for pending in std::mem::take(&mut self.pending) {
            let body = self.body(&pending)?;
            // Set once only: each document is announced once.
            let _ = pending.document.body.set(body);
        }
        Ok(())
    }

    fn body(&mut self, pending: &Pending) -> Parsed<Word> {
        let document = &pending.document;
        let start = self.start();
        let from = self.pos;
        let length = self.buffer().len();
        let (to, next, found) = self.body_end(pending);
        if !found {
            let line = self.current_line();
            self.note_cut(document, line, next);
        }
        let mut span = Span { end: clamp(self.source_offset(to, true)), ..self.span(start) };
        span.end = span.end.max(span.start);
        // A body that the end of the source cuts off gets the newline that its last line lacks.
        let cut = to > from && self.text()[to - 1] != b'\n';
        if document.quoted {
            let mut text = self.text()[from..to].to_vec();
            if document.strip_tabs {
                text = strip_tabs(&text, false);
            }
            if cut {
                text.push(b'\n');
            }
            self.pos = next;
            return Ok(Word::new(WordParts::one(WordPart::Quoted(text.into())), span));
        }
        // So does one whose last line is continued, but by nothing.
        let continued = self.text()[from..to].strip_suffix(b"\n").is_some_and(ends_in_backslash);
        let cut = cut || continued;
        let stripped = document.strip_tabs && has_leading_tab(&self.text()[from..to]);
        let parts = if stripped || cut {
            let mut text = self.text()[from..to].to_vec();
            if stripped {
                text = strip_tabs(&text, true);
            }
            if cut {
                if continued {
                    text.pop();
                }
                // A lone backslash at the very end joins the end of the source, which has no newline; an empty line has none.
                let is_joined = ends_in_backslash(&text);
                if is_joined {
                    text.pop();
                }
                let is_ended = is_joined && (!continued || text.is_empty() || text.ends_with(b"\n"));
                if !is_ended {
                    text.push(b'\n');
                }
            }
            let mut reader = self.nested(&text, span);
            reader.enter()?;
            let parts = reader.here_document_parts();
            self.nodes = reader.nodes.max(self.nodes);
            self.pos = next;
            parts
        } else {
            self.body_in_place(to, next)
        };
        let parts = match parts {
            Ok(parts) => parts,
            // bash reads the body when the command runs: an error in it is one of the run.
            Err(error) if self.bash && !error.cause.is_final() => {
                let moved = self.buffer().len() - length;
                vec![self.bad_body(from + moved, to + moved, span)]
            }
            Err(error) => return Err(error),
        };
        Ok(Word::new(WordParts::one(WordPart::DoubleQuoted(parts)), span))
    }

    /// The body up to `to`; the place is `next` after it.
    fn body_in_place(&mut self, to: usize, next: usize) -> Parsed<Vec<WordPart>> {
        let after = self.buffer().len() - self.limit;
        let rest = self.limit - next;
        self.end_at(to);
        let (depth, opened, substitutions) = (self.depth, self.opened.len(), self.substitutions);
        self.enter()?;
        let parts = self.here_document_parts();
        self.depth = depth;
        self.opened.truncate(opened);
        self.substitutions = substitutions;
        self.pending.clear();
        // Aliases inside a substitution may have moved the text.
        self.end_at(self.buffer().len() - after);
        self.pos = self.limit - rest;
        parts
    }

    /// The text up to the limit, and the here-documents of substitutions in it that were not read there.
    fn here_document_parts(&mut self) -> Parsed<Vec<WordPart>> {
        let outer = std::mem::replace(&mut self.in_here_document, true);
        let parts = self.double_quoted_parts(DoubleStop::HereDocument);
        self.in_here_document = outer;
        let parts = parts?;
        self.end_of_source()?;
        Ok(parts.into_vec())
    }

    /// An expansion that fails, of the text of a whole body.
    fn bad_body(&self, from: usize, to: usize, span: Span) -> WordPart {
        let mut text = self.buffer()[from..to].to_vec();
        if !text.ends_with(b"\n") {
            text.push(b'\n');
        }
        WordPart::Parameter(Arc::new(ParameterExpansion {
            parameter: Parameter::Zero,
            indirect: false,
            braced: true,
            operation: ParameterOperation::Bad(text.into()),
            span,
        }))
    }

    /// Where the body ends, where the source continues after the delimiter's line, and whether there is one.
    fn body_end(&self, pending: &Pending) -> (usize, usize, bool) {
        let document = &pending.document;
        let text = self.text();
        let delimiter = document.delimiter.as_slice();
        let in_substitution = self.bash && pending.substitutions > 0;
        let mut line = self.pos;
        while line < text.len() {
            let mut end = crate::bytes::find(b'\n', &text[line..]).map_or(text.len(), |i| line + i);
            let mut joined = Vec::new();
            let mut content = &text[line..end];
            if !document.quoted && ends_in_backslash(content) && end < text.len() {
                // A line continuation: the lines are one.
                joined.extend_from_slice(&content[..content.len() - 1]);
                loop {
                    let begin = end + 1;
                    end = crate::bytes::find(b'\n', &text[begin.min(text.len())..]).map_or(text.len(), |i| begin + i);
                    let more = &text[begin.min(end)..end];
                    if ends_in_backslash(more) && end < text.len() {
                        joined.extend_from_slice(&more[..more.len() - 1]);
                    } else {
                        joined.extend_from_slice(more);
                        break;
                    }
                }
                content = &joined;
            }
            // The delimiter itself may begin with tabs.
            if document.strip_tabs && content != delimiter {
                let tabs = content.iter().take_while(|&&b| b == b'\t').count();
                content = &content[tabs..];
            }
            if content == delimiter {
                return (line, (end + 1).min(text.len()), true);
            }
            // bash ends the document inside `$( )` at a line that begins with the delimiter and holds the `)`, and warns.
            if in_substitution
                && joined.is_empty()
                && content.starts_with(delimiter)
                && content[delimiter.len()..].contains(&b')')
            {
                return (line, end - content.len() + delimiter.len(), false);
            }
            line = end + 1;
        }
        (text.len(), text.len(), false)
    }

    /// Notes that the end of the source cut a here-document off.
    fn note_cut(&mut self, document: &HereDocument, line: u32, end: usize) {
        let text = &self.text()[self.pos.min(end)..end];
        let newlines = crate::bytes::newlines(text);
        // A continued last line is joined with the one that the end of the source is on.
        let is_more = match text.strip_suffix(b"\n") {
            Some(text) => !document.quoted && ends_in_backslash(text) && text != b"\\" && !text.ends_with(b"\n\\"),
            None => !text.is_empty(),
        };
        let lines = newlines + usize::from(is_more);
        // The body begins on the line after, unless the source ends before that.
        let is_next_line = self.pos > 0 && self.text().get(self.pos - 1) == Some(&b'\n');
        let line = line.saturating_sub(u32::from(is_next_line)).max(1);
        let last_line = line.saturating_add(u32::try_from(lines).unwrap_or(u32::MAX));
        self.warnings.push(HereDocumentWarning::Cut(CutHereDocument {
            delimiter: document.delimiter.clone(),
            line,
            last_line,
        }));
    }

    pub(crate) fn take_warnings(&mut self) -> Vec<HereDocumentWarning> {
        std::mem::take(&mut self.warnings)
    }

    /// What another reader of text in this source has to warn of.
    pub(crate) fn add_warnings(&mut self, mut warnings: Vec<HereDocumentWarning>) {
        self.warnings.append(&mut warnings);
    }

    /// At the `)` of a substitution: here-documents that are announced in it and have no body yet.
    pub(crate) fn note_left_open(&mut self) {
        let (line, count) = (self.current_line(), self.pending.len());
        if self.bash && count > 0 {
            self.warnings.push(HereDocumentWarning::LeftOpen { line, count });
        }
    }

    /// The error, with what is to be warned of before it. bash has read the here-documents that its line announces, where it
    /// reads as far as the end of a list or a line.
    #[cold]
    pub(crate) fn with_warnings(&mut self, mut error: Box<SyntaxError>) -> Box<SyntaxError> {
        if !self.pending.is_empty() && self.base.is_none() {
            let text = self.source;
            let start = (error.span.start as usize).min(text.len());
            let reads = match &error.cause {
                SyntaxErrorCause::Unexpected { found, .. } => {
                    let ends_list = self.opened.is_empty() && text[..start].trim_ascii_end().ends_with(b";");
                    found == "newline" || ends_list
                }
                SyntaxErrorCause::Unclosed { .. } | SyntaxErrorCause::UnexpectedEnd { .. } => true,
                SyntaxErrorCause::InvalidCondition { .. } => matches!(text.get(start), None | Some(b'\n')),
                _ => false,
            };
            if reads {
                self.read_announced(&mut error, start);
            }
        }
        error.warnings = self.take_warnings().into();
        error
    }

    /// Reads what is announced on the line of an error.
    fn read_announced(&mut self, error: &mut SyntaxError, start: usize) {
        let is_text = matches!(error.cause, SyntaxErrorCause::Unclosed { construct: UnclosedConstruct::Text, .. });
        let from = if is_text { self.limit } else { start };
        let rest = &self.text()[from.min(self.limit)..];
        self.pos = crate::bytes::find(b'\n', rest).map_or(self.limit, |at| from + at + 1);
        if is_text {
            // bash has read past the end by two lines when it comes to them.
            let line = self.current_line() + 1 + u32::from(self.text().last() != Some(&b'\n'));
            for pending in std::mem::take(&mut self.pending) {
                let delimiter = pending.document.delimiter.clone();
                self.warnings.push(HereDocumentWarning::Cut(CutHereDocument { delimiter, line, last_line: line }));
            }
            return;
        }
        let begin = self.current_line();
        for pending in std::mem::take(&mut self.pending) {
            if self.body(&pending).is_err() {
                break;
            }
        }
        // The line of what bash looks at is that of the bodies' end.
        let lines = self.current_line().saturating_sub(begin);
        let last = self.warnings.iter().map(|warning| match warning {
            HereDocumentWarning::Cut(cut) => cut.last_line,
            HereDocumentWarning::LeftOpen { .. } => 0,
        });
        let last = last.max().unwrap_or(0);
        if let SyntaxErrorCause::InvalidCondition { at_end, .. } = &mut error.cause {
            *at_end |= self.pos >= self.limit;
        } else if !matches!(error.cause, SyntaxErrorCause::Unexpected { .. }) {
            return;
        }
        error.position.line = error.position.line.saturating_add(lines).max(last);
    }

    /// The delimiter word after quote removal, and whether any of it was quoted. Nothing is expanded in it.
    pub(crate) fn here_document_delimiter(&mut self) -> Parsed<(BString, bool)> {
        let from = self.buffer().len() - self.pos;
        self.plain_word()?;
        let begin = self.buffer().len() - from;
        let text = &self.text()[begin.min(self.pos)..self.pos];
        Ok(remove_quotes(text))
    }
}

fn has_leading_tab(text: &[u8]) -> bool {
    text.first() == Some(&b'\t') || memchr::memmem::find(text, b"\n\t").is_some()
}

/// Removes the tabs at the beginning of every line; a continued line (unless the delimiter is quoted) is none.
fn strip_tabs(text: &[u8], continuations: bool) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut continued = false;
    for line in text.split_inclusive(|&b| b == b'\n') {
        let tabs = if continued { 0 } else { line.iter().take_while(|&&b| b == b'\t').count() };
        out.extend_from_slice(&line[tabs..]);
        continued = continuations && line.strip_suffix(b"\n").is_some_and(ends_in_backslash);
    }
    out
}

/// Quote removal on the source text of a delimiter.
fn remove_quotes(text: &[u8]) -> (BString, bool) {
    let mut out = Vec::with_capacity(text.len());
    let mut quoted = false;
    let mut i = 0;
    while let Some(&byte) = text.get(i) {
        i += 1;
        match byte {
            b'\\' => match text.get(i) {
                Some(b'\n') => i += 1,
                Some(&escaped) => {
                    quoted = true;
                    out.push(escaped);
                    i += 1;
                }
                None => {
                    quoted = true;
                    out.push(byte);
                }
            },
            b'\'' => {
                quoted = true;
                let end = crate::bytes::find(b'\'', &text[i..]).map_or(text.len(), |n| i + n);
                out.extend_from_slice(&text[i..end]);
                i = (end + 1).min(text.len());
            }
            b'$' if text.get(i) == Some(&b'\'') => {
                quoted = true;
                i += 1;
                let begin = i;
                while i < text.len() && text[i] != b'\'' {
                    i += if text[i] == b'\\' { 2 } else { 1 };
                }
                let end = i.min(text.len());
                out.extend_from_slice(&decode_dollar_single(&text[begin..end]));
                i = (end + 1).min(text.len());
            }
            b'$' if text.get(i) == Some(&b'"') => {}
            b'"' => {
                quoted = true;
                while let Some(&byte) = text.get(i) {
                    i += 1;
                    match byte {
                        b'"' => break,
                        b'\\' => match text.get(i) {
                            Some(b'\n') => i += 1,
                            Some(&escaped @ (b'\\' | b'"' | b'$' | b'`')) => {
                                out.push(escaped);
                                i += 1;
                            }
                            _ => out.push(byte),
                        },
                        _ => out.push(byte),
                    }
                }
            }
            _ => out.push(byte),
        }
    }
    (out.into(), quoted)
}
