//! bash: array literals and subscripts.

use std::sync::Arc;

use super::brace_text::BraceWords;
use super::text::{self, OperandStop};
use super::{Parsed, Reader, Start};
use crate::arithmetic::compile;
use crate::ast::{ArrayElement, BraceExpansion, Index, Subscript, Word, WordPart};
use crate::builder::Builder;
use crate::error::{SyntaxErrorCause, UnclosedConstruct};

impl<const DIRECT: bool> Reader<'_, DIRECT> {
    /// After `name=(`, up to and with the `)`.
    pub(crate) fn array_elements(&mut self, start: Start) -> Parsed<Vec<ArrayElement>> {
        self.elements(start).map_err(|mut error| {
            if let SyntaxErrorCause::Unclosed { construct, .. } = &mut error.cause {
                *construct = UnclosedConstruct::Array;
                if error.span.start != start.offset {
                    error.consequence = Some("syntax error: unexpected end of file");
                }
            }
            error.drops_line = matches!(error.cause, SyntaxErrorCause::Unexpected { .. });
            error
        })
    }

    fn elements(&mut self, start: Start) -> Parsed<Vec<ArrayElement>> {
        self.enter()?;
        let mut elements = Vec::new();
        loop {
            self.newlines()?;
            match self.byte_from(self.pos) {
                None => return self.unclosed(")", start),
                Some((b')', end)) => {
                    self.pos = end;
                    break;
                }
                Some((b'[', inside)) => elements.push(self.subscripted_element(inside)?),
                _ if self.at_word() => {
                    let value = self.element_word()?;
                    elements.push(ArrayElement { subscript: None, append: false, value, braced: None });
                }
                _ => return self.unexpected(&["a word", "`)'"]),
            }
        }
        self.leave();
        Ok(elements)
    }

    /// `[subscript]=value`, or a word that begins with a bracket expression.
    fn subscripted_element(&mut self, inside: usize) -> Parsed<ArrayElement> {
        let start = self.start();
        self.pos = inside;
        let key = self.subscript_key(start)?;
        let (append, value_at) = match self.byte_from(self.pos) {
            Some((b'=', next)) => (false, Some(next)),
            Some((b'+', plus)) => match self.byte_from(plus) {
                Some((b'=', next)) => (true, Some(next)),
                _ => (false, None),
            },
            _ => (false, None),
        };
        let Some(value_at) = value_at else {
            let mut builder = Builder::default();
            builder.literal(b"[");
            text::append(&mut builder, key.parts);
            builder.literal(b"]");
            let value = self.rest_of_word(builder, start)?;
            return Ok(ArrayElement { subscript: None, append: false, value, braced: None });
        };
        self.pos = value_at;
        if matches!(self.peek(), Some(b'(')) {
            return self.unexpected(&[]);
        }
        let value = self.assignment_word(false)?;
        let braced = self.braced_element(start)?;
        Ok(ArrayElement { subscript: Some(self.subscript(key)?), append, value, braced })
    }

    /// The element from `start` on as a word, where there are braces in it that bash expands.
    fn braced_element(&mut self, start: Start) -> Parsed<Option<Box<Word>>> {
        if !self.braces() || !self.text_from(start).contains(&b'{') {
            return Ok(None);
        }
        let span = self.span(start);
        Ok(match self.brace_words(start, &[])? {
            BraceWords::Some(mut words) => {
                as_element(&mut words);
                Some(Box::new(Word::new(vec![words], span)))
            }
            BraceWords::None | BraceWords::TooMany => None,
        })
    }

    /// After `[`: the text up to and with the matching `]`, as a word.
    pub(crate) fn subscript_key(&mut self, start: Start) -> Parsed<Word> {
        let key = self.key(OperandStop::Bracket)?;
        if self.peek() != Some(b']') {
            return self.unclosed("]", start);
        }
        self.pos += 1;
        Ok(key)
    }

    /// After `${name[`: as [`Self::subscript_key`]; `None` if it is empty or `}` stands before the `]`.
    pub(crate) fn braced_key(&mut self, start: Start) -> Parsed<Option<Word>> {
        let key = self.key(OperandStop::BracedBracket)?;
        match self.peek() {
            Some(b']') if !key.parts.is_empty() => {
                self.pos += 1;
                Ok(Some(key))
            }
            Some(_) => Ok(None),
            None => self.unclosed("}", start),
        }
    }

    /// After `[`: the text up to the matching `]` or the end of the word.
    pub(crate) fn word_key(&mut self) -> Parsed<Word> {
        self.key(OperandStop::WordBracket)
    }

    fn key(&mut self, stop: OperandStop) -> Parsed<Word> {
        self.enter()?;
        let start = self.start();
        let mut builder = Builder::default();
        self.operand_parts(&mut builder, stop)?;
        self.leave();
        Ok(Word::new(builder.finish(), self.span(start)))
    }

    /// The subscript that a key is.
    pub(crate) fn subscript(&mut self, key: Word) -> Parsed<Subscript> {
        match key.parts.as_slice() {
            [WordPart::Literal(text)] if text == b"@" => return Ok(Subscript::All),
            [WordPart::Literal(text)] if text == b"*" => return Ok(Subscript::Star),
            _ => {}
        }
        // Nothing is parsed twice: the arithmetic shares the expansions of the key.
        let mut builder = Builder::default();
        flatten(&mut builder, &key.parts);
        let arithmetic =
            compile(builder.finish_vec(), key.span, self.options.dialect, self.options.max_depth, self.depth());
        Ok(Subscript::Index(Box::new(Index { key, arithmetic })))
    }
}

/// bash: the bracket that these words begin with is that of a subscript, and begins no pattern. Their text is not kept: an
/// element is printed by its subscript and value.
fn as_element(words: &mut WordPart) {
    let WordPart::Brace(expansion) = words else { return };
    let BraceExpansion::Words { words, source, .. } = &mut **expansion else { return };
    source.clear();
    for parts in words {
        if let Some(WordPart::Literal(text)) = parts.first_mut()
            && text.starts_with(b"[")
        {
            *text = text[1..].into();
            parts.insert(0, WordPart::Quoted("[".into()));
        }
    }
}

/// A word's parts as text in double quotes.
fn flatten(builder: &mut Builder, parts: &[WordPart]) {
    for part in parts {
        match part {
            WordPart::Literal(text) | WordPart::Quoted(text) => builder.literal(text),
            WordPart::DoubleQuoted(inner) => flatten(builder, inner),
            WordPart::Tilde(name) => {
                builder.literal(b"~");
                builder.literal(name);
            }
            WordPart::Parameter(parameter) | WordPart::QuotedParameter(parameter) => {
                builder.push(WordPart::Parameter(Arc::clone(parameter)));
            }
            part => builder.push(part.clone()),
        }
    }
}
