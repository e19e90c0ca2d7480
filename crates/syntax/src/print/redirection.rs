//! Redirections and here-documents.

use std::sync::Arc;

use super::Printer;
use super::word::Context;
use crate::ast::{HereDocument, Redirection, RedirectionFd, RedirectionKind, Word, WordPart};

impl Printer {
    pub(super) fn redirection(&mut self, redirection: &Redirection) {
        if self.shown {
            return self.shown_redirection(redirection);
        }
        match &redirection.fd {
            None => {}
            Some(RedirectionFd::Number(number)) => self.text(number.to_string()),
            Some(RedirectionFd::Variable(name)) => self.variable(name.as_bytes()),
        }
        let (operator, word) = match &redirection.kind {
            RedirectionKind::Read(word) => ("< ", word),
            RedirectionKind::Write(word) => ("> ", word),
            RedirectionKind::Clobber(word) => (">| ", word),
            RedirectionKind::Append(word) => (">> ", word),
            RedirectionKind::ReadWrite(word) => ("<> ", word),
            RedirectionKind::DuplicateInput(word) => ("<&", word),
            RedirectionKind::DuplicateOutput(word) => (">&", word),
            RedirectionKind::WriteBoth(word) => ("&> ", word),
            RedirectionKind::AppendBoth(word) => ("&>> ", word),
            RedirectionKind::HereString(word) => ("<<< ", word),
            RedirectionKind::HereDocument(document) => return self.here_document(document),
        };
        self.text(operator);
        // `<&-` closes; `<& -x` names a file.
        let apart = match word.parts.as_slice() {
            [WordPart::ProcessSubstitution(_), ..] => true,
            [WordPart::Literal(text)] if text == "-" => false,
            [WordPart::Literal(text), ..] => text.starts_with(b"-"),
            _ => false,
        };
        if apart && !operator.ends_with(' ') {
            self.text(" ");
        }
        self.word(word);
    }

    /// The forms that bash has: descriptors that are copied, moved or closed are named, those of files only if they are
    /// not the usual ones.
    fn shown_redirection(&mut self, redirection: &Redirection) {
        let usual = match &redirection.kind {
            RedirectionKind::Read(_)
            | RedirectionKind::ReadWrite(_)
            | RedirectionKind::DuplicateInput(_)
            | RedirectionKind::HereDocument(_)
            | RedirectionKind::HereString(_) => 0,
            _ => 1,
        };
        let (named, operator, word) = match &redirection.kind {
            RedirectionKind::Read(word) => (false, "< ", word),
            RedirectionKind::Write(word) => (false, "> ", word),
            RedirectionKind::Clobber(word) => (false, ">| ", word),
            RedirectionKind::Append(word) => (false, ">> ", word),
            RedirectionKind::ReadWrite(word) => (true, "<> ", word),
            RedirectionKind::WriteBoth(word) => (false, "&> ", word),
            RedirectionKind::AppendBoth(word) => (false, "&>> ", word),
            RedirectionKind::HereString(word) => (false, "<<< ", word),
            RedirectionKind::DuplicateInput(word) => match target(word) {
                Target::Close => (true, ">&", word),
                Target::Descriptor => (true, "<&", word),
                Target::Word => (false, "<&", word),
            },
            RedirectionKind::DuplicateOutput(word) => (!matches!(target(word), Target::Word), ">&", word),
            RedirectionKind::HereDocument(document) => {
                match &redirection.fd {
                    Some(RedirectionFd::Variable(name)) => self.variable(name.as_bytes()),
                    Some(RedirectionFd::Number(number)) if *number != usual => self.text(number.to_string()),
                    _ => {}
                }
                return self.here_document(document);
            }
        };
        match &redirection.fd {
            Some(RedirectionFd::Variable(name)) => self.variable(name.as_bytes()),
            Some(RedirectionFd::Number(number)) if named || *number != usual => self.text(number.to_string()),
            None if named => self.text(usual.to_string()),
            _ => {}
        }
        self.text(operator);
        let apart = matches!(word.parts.as_slice(), [WordPart::ProcessSubstitution(_), ..])
            || matches!(word.parts.as_slice(), [WordPart::Literal(text), ..] if text.starts_with(b"-") && text != "-");
        if apart && !operator.ends_with(' ') {
            self.text(" ");
        }
        self.word(word);
    }

    /// `{name}`, which gets the number of the descriptor.
    fn variable(&mut self, name: &[u8]) {
        self.text("{");
        self.text(name);
        self.text("}");
    }

    fn here_document(&mut self, document: &Arc<HereDocument>) {
        self.text(if document.strip_tabs { "<<-" } else { "<<" });
        if document.quoted {
            self.text("'");
            let mut first = true;
            for part in document.delimiter.split(|&b| b == b'\'') {
                if !std::mem::take(&mut first) {
                    self.text("'\\''");
                }
                self.text(part);
            }
            self.text("'");
        } else {
            // `<<-x` would strip tabs.
            if document.delimiter.starts_with(b"-") {
                self.text(" ");
            }
            self.text(&document.delimiter);
        }
        self.pending.push(Arc::clone(document));
    }

    pub(super) fn here_document_body(&mut self, body: &Word) {
        for part in &body.parts {
            match part {
                WordPart::Quoted(text) | WordPart::Literal(text) => self.text(text),
                WordPart::DoubleQuoted(parts) => self.parts(parts, Context::HereDocument),
                _ => {}
            }
        }
    }
}

/// What the word of `<&` or `>&` is, as far as the text tells.
enum Target {
    /// `-`
    Close,
    /// A number, or anything with a `-` after it.
    Descriptor,
    Word,
}

fn target(word: &Word) -> Target {
    match word.parts.as_slice() {
        [WordPart::Literal(text)] if text == "-" => Target::Close,
        [WordPart::Literal(text)] if text.iter().all(u8::is_ascii_digit) => Target::Descriptor,
        [.., WordPart::Literal(text)] if text.ends_with(b"-") => Target::Descriptor,
        _ => Target::Word,
    }
}
