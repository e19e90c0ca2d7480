//! Building words: merging literals, and what is known about a word before it is expanded.

use std::borrow::Cow;

use crate::ast::{Parameter, ParameterExpansion, ParameterOperation, Subscript, Word, WordPart, WordParts, WordShape};
use crate::span::Span;
use crate::text::Text;

impl Word {
    /// A word of these parts. Adjacent literals are merged, and so is adjacent quoted text; `shape` is computed.
    pub fn new(parts: impl Into<WordParts>, span: Span) -> Self {
        let mut parts = parts.into();
        if parts.len() > 1 {
            merge(&mut parts);
        }
        let shape = shape(&parts);
        Self { parts, shape, span }
    }

    /// A word of unquoted text in which the caller has found no special byte.
    pub(crate) fn plain(text: Text, span: Span) -> Self {
        Self { parts: WordParts::one(WordPart::Literal(text)), shape: WordShape::Literal, span }
    }

    /// The word's text, where it is known without expanding anything.
    #[inline]
    pub fn literal(&self) -> Option<Cow<'_, [u8]>> {
        if self.shape != WordShape::Literal {
            return None;
        }
        Some(match single_text(&self.parts) {
            Some(text) => Cow::Borrowed(text),
            None => {
                let mut text = Vec::new();
                append_literal(&self.parts, &mut text);
                Cow::Owned(text)
            }
        })
    }

    /// As [`Self::literal`], where the text stands in one part; `None` if it would have to be put together.
    #[inline]
    pub fn literal_part(&self) -> Option<&[u8]> {
        if self.shape == WordShape::Literal { single_text(&self.parts) } else { None }
    }

    /// Appends the word's text, where it is known without expanding anything; says whether it is.
    #[inline]
    pub fn append_literal(&self, out: &mut Vec<u8>) -> bool {
        if self.shape != WordShape::Literal {
            return false;
        }
        match single_text(&self.parts) {
            Some(text) => out.extend_from_slice(text),
            None => append_literal(&self.parts, out),
        }
        true
    }
}

fn merge(parts: &mut WordParts) {
    let mergeable = parts.windows(2).any(|pair| {
        matches!(pair, [WordPart::Literal(_), WordPart::Literal(_)] | [WordPart::Quoted(_), WordPart::Quoted(_)])
    });
    if mergeable {
        let mut list = std::mem::take(parts).into_vec();
        list.dedup_by(|next, kept| match (kept, next) {
            (WordPart::Literal(kept), WordPart::Literal(next)) | (WordPart::Quoted(kept), WordPart::Quoted(next)) => {
                *kept = [&**kept, &**next].concat().into();
                true
            }
            _ => false,
        });
        *parts = list.into();
    }
}

fn shape(parts: &[WordPart]) -> WordShape {
    match parts {
        [WordPart::QuotedParameter(parameter)] if is_one_field(parameter) => WordShape::QuotedParameter,
        // A bracket that nothing closes is no pattern, and the name of a utility.
        [WordPart::Literal(text)] if **text == *b"[" => WordShape::Literal,
        _ if parts.iter().all(is_literal) => WordShape::Literal,
        _ => WordShape::General,
    }
}

fn has_pattern(text: &[u8]) -> bool {
    text.iter().any(|b| matches!(b, b'*' | b'?' | b'[' | b'('))
}

fn is_literal(part: &WordPart) -> bool {
    match part {
        WordPart::Literal(text) => !has_pattern(text),
        WordPart::Quoted(_) => true,
        WordPart::DoubleQuoted(inner) => {
            inner.iter().all(|part| matches!(part, WordPart::Literal(_) | WordPart::Quoted(_)))
        }
        _ => false,
    }
}

/// The text of literal parts that stands in one place of the tree.
#[inline]
fn single_text(parts: &[WordPart]) -> Option<&[u8]> {
    match parts {
        [] => Some(b""),
        [WordPart::Literal(text) | WordPart::Quoted(text)] => Some(text),
        [WordPart::DoubleQuoted(inner)] => match inner.as_slice() {
            [] => Some(b""),
            [WordPart::Literal(text) | WordPart::Quoted(text)] => Some(text),
            _ => None,
        },
        _ => None,
    }
}

fn append_literal(parts: &[WordPart], out: &mut Vec<u8>) {
    for part in parts {
        match part {
            WordPart::Literal(text) | WordPart::Quoted(text) => out.extend_from_slice(text),
            WordPart::DoubleQuoted(inner) => append_literal(inner, out),
            _ => {}
        }
    }
}

fn is_one_field(expansion: &ParameterExpansion) -> bool {
    matches!(expansion.operation, ParameterOperation::None)
        && !expansion.indirect
        && !matches!(expansion.parameter, Parameter::At | Parameter::Element(_, Subscript::All))
}
