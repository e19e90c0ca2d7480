//! Building words: merging literals, and what is known about a word before it is expanded.

use smallvec::SmallVec;

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
        Self { parts: WordParts::from_buf([WordPart::Literal(text.clone())]), shape: WordShape::Literal(text), span }
    }
}

fn merge(parts: &mut WordParts) {
    let mergeable = parts.windows(2).any(|pair| {
        matches!(pair, [WordPart::Literal(_), WordPart::Literal(_)] | [WordPart::Quoted(_), WordPart::Quoted(_)])
    });
    if mergeable {
        parts.dedup_by(|next, kept| match (kept, next) {
            (WordPart::Literal(kept), WordPart::Literal(next)) | (WordPart::Quoted(kept), WordPart::Quoted(next)) => {
                *kept = [&**kept, &**next].concat().into();
                true
            }
            _ => false,
        });
    }
}

fn shape(parts: &[WordPart]) -> WordShape {
    match parts {
        [] => WordShape::Literal(Text::default()),
        // A bracket that nothing closes is no pattern, and the name of a utility.
        [WordPart::Literal(text)] if !has_pattern(text) || **text == *b"[" => WordShape::Literal(text.clone()),
        [WordPart::Quoted(text)] => WordShape::Literal(text.clone()),
        [WordPart::DoubleQuoted(inner)] => match inner.as_slice() {
            [WordPart::Parameter(parameter)] if is_one_field(parameter) => WordShape::QuotedParameter,
            _ => literal(parts),
        },
        _ => literal(parts),
    }
}

fn has_pattern(text: &[u8]) -> bool {
    text.iter().any(|b| matches!(b, b'*' | b'?' | b'[' | b'('))
}

fn literal(parts: &[WordPart]) -> WordShape {
    let mut text = SmallVec::<[u8; 64]>::new();
    for part in parts {
        match part {
            WordPart::Literal(literal) if !has_pattern(literal) => text.extend_from_slice(literal),
            WordPart::Quoted(quoted) => text.extend_from_slice(quoted),
            WordPart::DoubleQuoted(inner) => {
                for part in inner {
                    match part {
                        WordPart::Literal(inner) | WordPart::Quoted(inner) => {
                            text.extend_from_slice(inner);
                        }
                        _ => return WordShape::General,
                    }
                }
            }
            _ => return WordShape::General,
        }
    }
    WordShape::Literal(Text::new(&text))
}

fn is_one_field(expansion: &ParameterExpansion) -> bool {
    matches!(expansion.operation, ParameterOperation::None)
        && !expansion.indirect
        && !matches!(expansion.parameter, Parameter::At | Parameter::Element(_, Subscript::All))
}
