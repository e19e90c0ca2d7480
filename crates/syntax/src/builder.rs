//! Collects the parts of a word.

use bstr::BString;

use crate::ast::WordPart;

/// The parts of a word so far. Runs of literal text, and of quoted text, come out as one part each.
#[derive(Default)]
pub(crate) struct Builder {
    parts: Vec<WordPart>,
    text: Vec<u8>,
    kind: Kind,
}

#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Kind {
    #[default]
    None,
    Literal,
    Quoted,
}

impl Builder {
    /// Unquoted text (inside double quotes: quoted text).
    pub(crate) fn literal(&mut self, text: &[u8]) {
        if !text.is_empty() {
            self.switch(Kind::Literal);
            self.text.extend_from_slice(text);
        }
    }

    /// Quoted text; an empty one leaves its mark too.
    pub(crate) fn quoted(&mut self, text: &[u8]) {
        self.switch(Kind::Quoted);
        self.text.extend_from_slice(text);
    }

    /// A part that is no text.
    pub(crate) fn push(&mut self, part: WordPart) {
        self.switch(Kind::None);
        self.parts.push(part);
    }

    /// The last byte, if it is unquoted text.
    pub(crate) fn last_literal(&self) -> Option<u8> {
        match self.kind {
            Kind::Literal => self.text.last().copied(),
            _ => None,
        }
    }

    /// The parts.
    pub(crate) fn finish(mut self) -> Vec<WordPart> {
        self.switch(Kind::None);
        self.parts
    }

    fn switch(&mut self, kind: Kind) {
        if self.kind == kind {
            return;
        }
        let text = BString::from(std::mem::take(&mut self.text));
        match self.kind {
            Kind::None => {}
            Kind::Literal => self.parts.push(WordPart::Literal(text)),
            Kind::Quoted => self.parts.push(WordPart::Quoted(text)),
        }
        self.kind = kind;
    }
}
