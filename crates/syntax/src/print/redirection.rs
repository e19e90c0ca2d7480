//! Redirections and here-documents.

use std::sync::Arc;

use super::Printer;
use super::word::Context;
use crate::ast::{HereDocument, Redirection, RedirectionFd, RedirectionKind, Word, WordPart};

impl Printer {
    pub(super) fn redirection(&mut self, redirection: &Redirection) {
        match &redirection.fd {
            None => {}
            Some(RedirectionFd::Number(number)) => self.text(number.to_string()),
            Some(RedirectionFd::Variable(name)) => {
                self.text("{");
                self.text(name.as_bytes());
                self.text("}");
            }
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
