//! Building words: merging literals, and what is known about a word before it is expanded.

use bstr::BString;

use crate::ast::{Parameter, ParameterExpansion, ParameterOperation, Subscript, Word, WordPart, WordShape};
use crate::span::Span;

impl Word {
    /// A word of these parts. Adjacent literals are merged, and so is adjacent quoted text; `shape` is computed.
    pub fn new(parts: Vec<WordPart>, span: Span) -> Self {
        let parts = merge(parts);
        let shape = shape(&parts);
        Self { parts, shape, span }
    }

    /// A word of unquoted text in which the caller has found no special byte.
    pub(crate) fn plain(text: &[u8], span: Span) -> Self {
        Self {
            parts: vec![WordPart::Literal(BString::from(text))],
            shape: WordShape::Literal(BString::from(text)),
            span,
        }
    }
}

fn merge(mut parts: Vec<WordPart>) -> Vec<WordPart> {
    let mergeable = parts.windows(2).any(|pair| {
        matches!(pair, [WordPart::Literal(_), WordPart::Literal(_)] | [WordPart::Quoted(_), WordPart::Quoted(_)])
    });
    if mergeable {
        parts.dedup_by(|next, kept| match (kept, next) {
            (WordPart::Literal(kept), WordPart::Literal(next)) | (WordPart::Quoted(kept), WordPart::Quoted(next)) => {
                kept.extend_from_slice(next);
                true
            }
            _ => false,
        });
    }
    parts
}

fn shape(parts: &[WordPart]) -> WordShape {
    match parts {
        [] => WordShape::Literal(BString::default()),
        [WordPart::Literal(text)] if !has_pattern(text) => WordShape::Literal(text.clone()),
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
    let mut text = Vec::new();
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
    WordShape::Literal(BString::from(text))
}

fn is_one_field(expansion: &ParameterExpansion) -> bool {
    matches!(expansion.operation, ParameterOperation::None)
        && !expansion.indirect
        && !matches!(expansion.parameter, Parameter::At | Parameter::Element(_, Subscript::All))
}
