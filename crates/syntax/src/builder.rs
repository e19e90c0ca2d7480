//! Collects the parts of a word.

use smallvec::SmallVec;

use crate::ast::{WordPart, WordParts};
use crate::text::Text;

/// The parts of a word so far. Runs of literal text, and of quoted text, come out as one part each.
#[derive(Default)]
pub(crate) struct Builder {
    parts: WordParts,
    text: SmallVec<[u8; 32]>,
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
    pub(crate) fn finish(mut self) -> WordParts {
        self.switch(Kind::None);
        self.parts
    }

    /// The parts, for those of double quotes and of expressions.
    pub(crate) fn finish_vec(self) -> Vec<WordPart> {
        self.finish().into_vec()
    }

    #[inline]
    fn switch(&mut self, kind: Kind) {
        if self.kind != kind {
            self.end_run();
            self.kind = kind;
        }
    }

    fn end_run(&mut self) {
        match self.kind {
            Kind::None => return,
            Kind::Literal => self.parts.push(WordPart::Literal(Text::new(&self.text))),
            Kind::Quoted => self.parts.push(WordPart::Quoted(Text::new(&self.text))),
        }
        self.text.clear();
    }
}
