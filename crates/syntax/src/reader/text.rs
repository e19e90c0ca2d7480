//! Text up to a closing character: in double quotes, in here-documents, in `${…}`, in arithmetic.

use super::{Parsed, Reader, Start, direct};
use crate::arithmetic::compile;
use crate::ast::{Arithmetic, ArithmeticForClause, List, Word, WordPart, WordParts};
use crate::builder::Builder;
use crate::bytes::{CLASS, DOUBLE, META, QUOTE};
use crate::error::{SyntaxError, SyntaxErrorCause};
use crate::options::ParseOptions;
use crate::span::Span;

/// Where text in double quotes ends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum DoubleStop {
    /// At `"`.
    Quote,
    /// At `"`, in the quotes inside the word of `"${x:-…}"`: a backslash escapes any character there.
    InnerQuote,
    /// At the limit; `"` is an ordinary character.
    HereDocument,
    /// At the limit; `"` is an ordinary character, but may be escaped.
    Text,
    /// At `}`: the word of `"${x:-…}"`. Quotes inside it begin quoted text of their own.
    Brace,
}

/// Where the word inside `${…}` or `[…]` ends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum OperandStop {
    /// At `}`.
    Brace,
    /// At `/` or `}`.
    Slash,
    /// At the matching `]`.
    Bracket,
    /// At the matching `]`, or where a word ends.
    WordBracket,
    /// At the matching `]`, or at `}`: the subscript of `${a[…]}`.
    BracedBracket,
    /// At the end of the text.
    End,
}

/// Where arithmetic ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ArithmeticStop {
    /// At `))`, which is read.
    Parentheses,
    /// At `]`, which is read.
    Bracket,
    /// At `;` or `))`, which are not read.
    Semicolon,
    /// At `:` or `}`, which are not read.
    Offset,
    /// At `}`, which is not read.
    Brace,
}

/// What stands in an expression.
struct ArithmeticText {
    parts: Vec<WordPart>,
    /// As it is written, where double quotes in it were dropped or something in it is open.
    source: Option<Box<[u8]>>,
}

impl<const DIRECT: bool> Reader<'_, DIRECT> {
    /// Unquoted text up to the closing character, which is not read. At the end of the source it just ends.
    pub(crate) fn operand_parts(&mut self, builder: &mut Builder, stop: OperandStop) -> Parsed<()> {
        let mut brackets = 0_u32;
        loop {
            let text = self.text();
            let begin = self.pos;
            let mut end = begin;
            let byte = loop {
                let Some(&byte) = text.get(end) else {
                    break None;
                };
                if CLASS[byte as usize] & QUOTE != 0 {
                    break Some(byte);
                }
                match (byte, stop) {
                    (b'}', OperandStop::Brace | OperandStop::Slash | OperandStop::BracedBracket)
                    | (b'/', OperandStop::Slash) => break None,
                    // In a subscript that is read as text there are no process substitutions (`a[7<(x)]`).
                    (b'<' | b'>', OperandStop::Brace | OperandStop::Slash | OperandStop::WordBracket)
                        if self.bash && text.get(end + 1) == Some(&b'(') =>
                    {
                        break Some(byte);
                    }
                    (byte, OperandStop::WordBracket) if CLASS[byte as usize] & META != 0 => break None,
                    (b'[', OperandStop::Bracket | OperandStop::WordBracket | OperandStop::BracedBracket) => {
                        brackets += 1
                    }
                    (b']', OperandStop::Bracket | OperandStop::WordBracket | OperandStop::BracedBracket) => {
                        if brackets == 0 {
                            break None;
                        }
                        brackets -= 1;
                    }
                    _ => {}
                }
                end += 1;
            };
            builder.literal(&text[begin..end]);
            self.pos = end;
            match byte {
                None => return Ok(()),
                // Nor in one of a word: only its end is looked for.
                Some(b'<' | b'>') if stop == OperandStop::WordBracket => {
                    let after = self.buffer().len() - end;
                    self.process_substitution(&mut Builder::default())?;
                    let from = self.buffer().len().saturating_sub(after).min(self.pos);
                    builder.literal(&self.text()[from..self.pos]);
                }
                Some(b'<' | b'>') => self.process_substitution(builder)?,
                Some(_) => self.quote_or_expansion(builder)?,
            }
        }
    }

    /// Text in double quotes up to the closing character, which is not read. At the end of the source it just ends.
    pub(crate) fn double_quoted_parts(&mut self, stop: DoubleStop) -> Parsed<WordParts> {
        let mut builder = Builder::default();
        let single_quotes = self.bash && !self.options.posix_mode && stop == DoubleStop::Brace;
        // Where a pair of single quotes ends that is being read, counted from the end of the text.
        let mut protected: Option<usize> = None;
        loop {
            let text = self.text();
            let begin = self.pos;
            let mut end = begin;
            let inside = |at: usize| protected.is_some_and(|close| text.len() - at > close);
            let byte = loop {
                match text.get(end) {
                    None => break None,
                    Some(b'}') if stop == DoubleStop::Brace && !inside(end) => break None,
                    Some(b'\'') if single_quotes && !inside(end) => break Some(b'\''),
                    Some(&byte) if CLASS[byte as usize] & DOUBLE != 0 => break Some(byte),
                    Some(_) => end += 1,
                }
            };
            let quote_dropped = byte == Some(b'"') && inside(end);
            builder.literal(&text[begin..end]);
            self.pos = end;
            match byte {
                None => break,
                Some(b'\'') if protected.take().is_some() => {
                    builder.literal(b"'");
                    self.pos += 1;
                }
                Some(b'\'') => {
                    // bash: a pair of single quotes is no quoting here, but `}` between them closes nothing.
                    let start = self.start();
                    let text = self.text();
                    let Some(length) = crate::bytes::find(b'\'', &text[end + 1..]) else {
                        return self.unclosed("'", start);
                    };
                    protected = Some(text.len() - (end + 1 + length));
                    builder.literal(b"'");
                    self.pos += 1;
                }
                Some(b'"') if quote_dropped => self.pos += 1,
                Some(b'"') => match stop {
                    DoubleStop::Quote | DoubleStop::InnerQuote => break,
                    DoubleStop::HereDocument | DoubleStop::Text => {
                        builder.literal(b"\"");
                        self.pos += 1;
                    }
                    DoubleStop::Brace => {
                        let inner = self.inner_double_quoted()?;
                        builder.push(inner);
                    }
                },
                Some(b'\\') => self.backslash_in_double(&mut builder, stop),
                Some(b'$') => {
                    let next = self.peek_at(1);
                    // bash: `$'` is none there in a here-document, and in POSIX mode none at all.
                    let begins_quote = match next {
                        Some(b'"') => true,
                        Some(b'\'') => !self.in_here_document && self.bash && !self.options.posix_mode,
                        _ => false,
                    };
                    if stop == DoubleStop::Brace && begins_quote {
                        self.dollar(&mut builder, false)?;
                    } else {
                        self.dollar(&mut builder, true)?;
                    }
                }
                Some(_) => {
                    // bash removes no `\` before `"` of backquotes that stand in an expansion; dash does.
                    let quoted = match stop {
                        DoubleStop::HereDocument | DoubleStop::InnerQuote => false,
                        DoubleStop::Brace => !self.bash,
                        DoubleStop::Quote | DoubleStop::Text => true,
                    };
                    self.backquoted(&mut builder, quoted)?;
                }
            }
        }
        Ok(builder.finish())
    }

    /// XCU 2.2.3: a backslash in double quotes escapes only what is special there.
    fn backslash_in_double(&mut self, builder: &mut Builder, stop: DoubleStop) {
        let next = self.peek_at(1);
        self.pos += 1;
        match next {
            Some(b'\n') => self.pos += 1,
            Some(byte) if stop == DoubleStop::InnerQuote => {
                builder.literal(&[byte]);
                self.pos += 1;
            }
            Some(byte @ (b'$' | b'`' | b'\\')) => {
                builder.literal(&[byte]);
                self.pos += 1;
            }
            Some(b'"') if stop != DoubleStop::HereDocument => {
                builder.literal(b"\"");
                self.pos += 1;
            }
            Some(b'}') if stop == DoubleStop::Brace => {
                builder.literal(b"}");
                self.pos += 1;
            }
            // It stays, but the quote opens nothing.
            Some(b'\'') if stop == DoubleStop::Brace => {
                builder.literal(b"\\'");
                self.pos += 1;
            }
            _ => builder.literal(b"\\"),
        }
    }

    // ---- arithmetic ----

    /// After `((` or `$((`, at `inside`. `None`, and the place is where it was, if the text is no arithmetic because
    /// its parentheses do not close together: then it is a subshell in a subshell or in a substitution.
    pub(crate) fn attempt_arithmetic(&mut self, inside: usize) -> Parsed<Option<Box<Arithmetic>>> {
        let key = self.buffer().len() - inside;
        if self.not_arithmetic.contains(&key) {
            return Ok(None);
        }
        let mark = self.mark();
        let outer = self.start();
        self.pos = inside;
        self.enter()?;
        let start = self.start();
        match self.arithmetic_text(ArithmeticStop::Parentheses) {
            Ok(Some(text)) => {
                let mut span = self.span(start);
                span.end = span.end.saturating_sub(2).max(span.start);
                let arithmetic = self.compiled(text, span);
                self.leave();
                return Ok(Some(arithmetic));
            }
            Ok(None) if self.at_end() => return self.unclosed(")", outer),
            Err(error) if error.cause.is_final_for_attempt() => return Err(error),
            Ok(None) | Err(_) => {}
        }
        self.not_arithmetic.insert(key);
        self.rewind(mark);
        Ok(None)
    }

    /// bash: after `$[`.
    pub(crate) fn bracket_arithmetic(&mut self) -> Parsed<Box<Arithmetic>> {
        self.enter()?;
        let start = self.start();
        let Some(text) = self.arithmetic_text(ArithmeticStop::Bracket)? else {
            return self.unclosed("]", start);
        };
        let span = self.span(start);
        let mut arithmetic = self.compiled(text, span);
        arithmetic.bracketed = true;
        self.leave();
        Ok(arithmetic)
    }

    /// bash: after `for ((`, up to and with the `))`; the body is still empty.
    pub(crate) fn for_expressions(&mut self) -> Parsed<Box<ArithmeticForClause>> {
        let outer = self.start();
        let mut clause =
            Box::new(ArithmeticForClause { init: None, condition: None, step: None, body: List::default() });
        for i in 0..3 {
            let expression = self.for_expression(outer, i == 2)?.map(|boxed| *boxed);
            match i {
                0 => clause.init = expression,
                1 => clause.condition = expression,
                _ => clause.step = expression,
            }
        }
        Ok(clause)
    }

    fn for_expression(&mut self, outer: Start, last: bool) -> Parsed<Option<Box<Arithmetic>>> {
        // bash shows the other blanks of an expression.
        while let Some(b' ' | b'\t') = self.peek() {
            self.pos += 1;
        }
        let start = self.start();
        let Some(text) = self.arithmetic_text(ArithmeticStop::Semicolon)? else {
            if self.at_end() {
                return self.unclosed(")", outer);
            }
            let mut error = self.condition_error("syntax error near unexpected token `)' (expected `))')".into());
            // bash has read the byte after it too.
            let rest = self.text().get(self.pos + 1..).unwrap_or_default();
            if let SyntaxErrorCause::InvalidCondition { at_end, .. } = &mut error.cause {
                *at_end = matches!(rest, b"" | b"\n");
            }
            return Err(error);
        };
        let is_blank = |part: &WordPart| matches!(part, WordPart::Literal(text) if text.trim_ascii().is_empty());
        let expression = if text.parts.iter().all(is_blank) {
            None
        } else {
            let span = self.span(start);
            Some(self.compiled(text, span))
        };
        match self.peek() {
            Some(b';') if !last => self.pos += 1,
            Some(b')') if last => {
                if let Some((_, second)) = self.byte_from(self.pos + 1) {
                    self.pos = second;
                }
            }
            _ if self.at_end() => return self.unclosed(")", outer),
            Some(b')') => return self.for_expressions_error("arithmetic expression required", outer),
            _ => return self.for_expressions_error("`;' unexpected", outer),
        }
        Ok(expression)
    }

    #[cold]
    fn for_expressions_error<T>(&mut self, problem: &'static str, outer: Start) -> Parsed<T> {
        let rest = &self.text()[self.pos..];
        let length = memchr::memmem::find(rest, b"))").map_or(rest.len(), |at| at + 2);
        let expressions = [b"((", self.text_from(outer), &rest[..length]].concat();
        let cause = SyntaxErrorCause::ForExpressions { problem, text: expressions.into() };
        Err(self.error(cause, self.pos, self.pos))
    }

    /// bash: the offset of `${x:offset:length}`, up to `:` or `}`.
    pub(crate) fn offset_arithmetic(&mut self) -> Parsed<Box<Arithmetic>> {
        self.operand_arithmetic(ArithmeticStop::Offset)
    }

    /// bash: the length of `${x:offset:length}`, up to `}`.
    pub(crate) fn length_arithmetic(&mut self) -> Parsed<Box<Arithmetic>> {
        self.operand_arithmetic(ArithmeticStop::Brace)
    }

    fn operand_arithmetic(&mut self, stop: ArithmeticStop) -> Parsed<Box<Arithmetic>> {
        let start = self.start();
        let Some(text) = self.arithmetic_text(stop)? else {
            return self.unclosed("}", start);
        };
        let span = self.span(start);
        Ok(self.compiled(text, span))
    }

    fn compiled(&self, text: ArithmeticText, span: Span) -> Box<Arithmetic> {
        let compiled = compile(text.parts, span, self.options.dialect, self.options.max_depth, self.depth());
        Box::new(Arithmetic { source: text.source, ..compiled })
    }

    /// The text of an expression: expansions happen as in double quotes, and double quotes in it are dropped. `None`
    /// where a parenthesis closes that was not opened, or the source ends.
    fn arithmetic_text(&mut self, stop: ArithmeticStop) -> Parsed<Option<ArithmeticText>> {
        let from = self.distance_from_end();
        let mut builder = Builder::default();
        let mut has_quotes = false;
        let mut parentheses = 0_u32;
        let mut brackets = 0_u32;
        let mut conditionals = 0_u32;
        let mut quoted = false;
        loop {
            let text = self.text();
            let begin = self.pos;
            let mut end = begin;
            let byte = loop {
                let Some(&byte) = text.get(end) else {
                    break None;
                };
                match byte {
                    b'\\' | b'$' | b'`' | b'"' => break Some(byte),
                    _ if quoted => {}
                    b'\'' => break Some(byte),
                    b'(' => parentheses += 1,
                    b')' if parentheses > 0 => parentheses -= 1,
                    b')' => break Some(byte),
                    b'[' => brackets += 1,
                    b']' if brackets > 0 => brackets -= 1,
                    b']' if stop == ArithmeticStop::Bracket => break Some(byte),
                    b';' if stop == ArithmeticStop::Semicolon => break Some(byte),
                    b'}' if matches!(stop, ArithmeticStop::Offset | ArithmeticStop::Brace) => {
                        break Some(byte);
                    }
                    b'?' => conditionals += 1,
                    b':' if conditionals > 0 => conditionals -= 1,
                    b':' if stop == ArithmeticStop::Offset && parentheses == 0 => {
                        break Some(byte);
                    }
                    _ => {}
                }
                end += 1;
            };
            builder.literal(&text[begin..end]);
            self.pos = end;
            match byte {
                None => return Ok(None),
                Some(b'\\') if matches!(self.peek_at(1), Some(b'(' | b')' | b'[' | b']' | b'\'')) => {
                    // It stays in the text, but closes nothing.
                    builder.literal(&self.text()[end..end + 2]);
                    self.pos += 2;
                }
                Some(b'\\') => self.backslash_in_double(&mut builder, DoubleStop::Quote),
                Some(b'$') => self.dollar(&mut builder, true)?,
                Some(b'`') => self.backquoted(&mut builder, !self.bash)?,
                Some(b'"') => {
                    quoted = !quoted;
                    has_quotes = true;
                    self.pos += 1;
                }
                Some(b'\'') => {
                    // Single quotes are no quoting here, but what is between them closes nothing.
                    let text = &self.text()[end + 1..];
                    let Some(length) = crate::bytes::find(b'\'', text) else {
                        self.pos = self.limit;
                        return Ok(None);
                    };
                    builder.literal(&self.text()[end..end + length + 2]);
                    self.pos = end + length + 2;
                }
                Some(b')') if !matches!(stop, ArithmeticStop::Parentheses | ArithmeticStop::Semicolon) => {
                    builder.literal(b")");
                    self.pos += 1;
                }
                Some(closer) => {
                    let is_lost = has_quotes || parentheses > 0 || brackets > 0;
                    let source = is_lost.then(|| self.text()[self.buffer().len() - from..end].into());
                    match (closer, stop) {
                        (b')', _) => match self.byte_from(end + 1) {
                            Some((b')', second)) if stop == ArithmeticStop::Parentheses => self.pos = second,
                            Some((b')', _)) => {}
                            _ => return Ok(None),
                        },
                        (b']', _) => self.pos += 1,
                        _ => {}
                    }
                    return Ok(Some(ArithmeticText { parts: builder.finish_vec(), source }));
                }
            }
        }
    }
}

/// Puts parts after those of a builder.
pub(crate) fn append(builder: &mut Builder, parts: WordParts) {
    for part in parts {
        match part {
            WordPart::Literal(text) => builder.literal(&text),
            WordPart::Quoted(text) => builder.quoted(&text),
            part => builder.push(part),
        }
    }
}

/// Reads text with the quotes and expansions of a word in which blanks and operators are characters as any other: a
/// subscript that came up at run time.
///
/// # Errors
/// A quote or an expansion in the text is not closed, or one holds a command that is none.
pub fn parse_subscript(text: &[u8], options: &ParseOptions) -> Result<Word, SyntaxError> {
    let mut reader = direct(text, 0, 1, options);
    let start = reader.start();
    let mut builder = Builder::default();
    reader.operand_parts(&mut builder, OperandStop::End).map_err(|error| *error)?;
    reader.end_of_source().map_err(|error| *error)?;
    Ok(Word::new(builder.finish(), reader.span(start)))
}

/// Reads text whose expansions are those of double quotes, such as the value of `PS4`: one part, as of a quoted word.
///
/// # Errors
/// An expansion in the text is not closed, or holds a command that is none.
pub fn parse_double_quoted(text: &[u8], options: &ParseOptions) -> Result<Word, SyntaxError> {
    let mut reader = direct(text, 0, 1, options);
    let start = reader.start();
    let parts = reader.double_quoted_parts(DoubleStop::Text).map_err(|error| *error)?;
    reader.end_of_source().map_err(|error| *error)?;
    Ok(Word::new(WordParts::one(WordPart::double_quoted(parts)), reader.span(start)))
}
