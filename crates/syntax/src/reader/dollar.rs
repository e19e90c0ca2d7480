//! What `$` and the backquote begin (XCU 2.6).

use std::sync::Arc;

use super::{Parsed, Reader, Start, splicing};
use crate::ast::{
    CommandSubstitution, InvalidSubstitution, List, Parameter, ParameterExpansion, ParameterOperation, WordPart,
};
use crate::builder::Builder;
use crate::bytes::{NAME, begins_name, is};
use crate::error::{SyntaxError, SyntaxErrorCause};
use crate::name::Name;
use crate::span::Span;
use crate::text::Text;

/// What a substitution is called among the open constructs.
const SUBSTITUTION: &str = "$(";

impl<const DIRECT: bool> Reader<'_, DIRECT> {
    /// At `$`; `quoted`: in double quotes or a here-document.
    pub(crate) fn dollar(&mut self, builder: &mut Builder, quoted: bool) -> Parsed<()> {
        self.count(1)?;
        let Some((byte, next)) = self.byte_from(self.pos + 1) else {
            builder.literal(b"$");
            self.pos += 1;
            return Ok(());
        };
        match byte {
            b'(' => return self.dollar_parenthesis(builder, next),
            b'{' => {
                let start = self.start();
                self.pos = next;
                let expansion = self.braced_parameter(start, quoted)?;
                builder.push(WordPart::Parameter(expansion));
            }
            b'[' if self.bash => {
                self.pos = next;
                let arithmetic = self.bracket_arithmetic()?;
                builder.push(WordPart::Arithmetic(arithmetic.into()));
            }
            b'\'' if !quoted => self.dollar_single(builder, next - 1)?,
            b'"' if !quoted && self.bash => {
                self.pos = next - 1;
                let quoted = self.double_quoted()?;
                builder.push(quoted);
            }
            byte if begins_name(byte) => {
                let start = self.start();
                self.pos = next - 1;
                let name = self.name();
                self.push_parameter(builder, Parameter::Variable(name), start);
            }
            byte => match special(byte) {
                Some(parameter) => {
                    let start = self.start();
                    self.pos = next;
                    self.push_parameter(builder, parameter, start);
                }
                None => {
                    builder.literal(b"$");
                    self.pos += 1;
                }
            },
        }
        Ok(())
    }

    /// At `$(`, which ends at `next`.
    fn dollar_parenthesis(&mut self, builder: &mut Builder, next: usize) -> Parsed<()> {
        let start = self.start();
        if let Some((b'(', inside)) = self.byte_from(next)
            && let Some(arithmetic) = self.attempt_arithmetic(inside)?
        {
            builder.push(WordPart::Arithmetic(arithmetic.into()));
            return Ok(());
        }
        self.pos = next;
        let body = match self.byte_from(next) {
            Some((b'(', _)) if self.bash => match self.double_parenthesized_list(start)? {
                Ok(list) => Ok(list),
                Err(error) => {
                    let text = self.text_from(start);
                    let text = text.get(2..text.len().saturating_sub(1)).unwrap_or_default().to_vec();
                    let span = self.span(start);
                    Err(Arc::new(self.invalid_substitution(&text, span, *error)))
                }
            },
            _ => Ok(Arc::new(self.substituted_list()?)),
        };
        builder.push(WordPart::CommandSubstitution(Arc::new(CommandSubstitution {
            body,
            backquoted: false,
            span: self.span(start),
        })));
        Ok(())
    }

    /// bash: after `$(` with another `(`. It might have been arithmetic, so bash reads commands there only when it
    /// expands them: an error in them is one of the run.
    fn double_parenthesized_list(&mut self, start: Start) -> Parsed<Result<Arc<List>, Box<SyntaxError>>> {
        let key = self.distance_from_end();
        if let Some(error) = self.not_commands.get(&key) {
            let error = error.clone();
            self.skip_parenthesized()?;
            return Ok(Err(error));
        }
        let mark = self.mark();
        let (open_substitutions, pending) = (self.substitutions, self.pending());
        let error = match self.substituted_list() {
            Ok(list) => return Ok(Ok(Arc::new(list))),
            Err(error) if error.cause.is_incomplete() => return self.unclosed(")", start),
            Err(error) if error.cause.is_final_for_attempt() => return Err(error),
            Err(error) => error,
        };
        self.rewind(mark);
        self.substitutions = open_substitutions;
        self.take_pending();
        self.restore_pending(pending);
        self.not_commands.insert(key, error.clone());
        self.skip_parenthesized()?;
        Ok(Err(error))
    }

    /// After a `(`, over the text up to and with the matching `)`.
    fn skip_parenthesized(&mut self) -> Parsed<()> {
        self.pos -= 1;
        self.parenthesized_text(&mut Builder::default())
    }

    fn push_parameter(&mut self, builder: &mut Builder, parameter: Parameter, start: Start) {
        builder.push(WordPart::Parameter(simple_parameter(parameter, self.span(start))));
    }

    /// The name at the place.
    pub(crate) fn name(&mut self) -> Name {
        let text = self.text();
        let begin = self.pos;
        let mut end = begin;
        while text.get(end).is_some_and(|&b| is(b, NAME)) {
            end += 1;
        }
        if !self.is_continuation(end) {
            let name = Name::new(Text::part_of(text, begin..end));
            self.pos = end;
            return name;
        }
        let mut name = text[begin..end].to_vec();
        while let Some((byte, next)) = self.byte_from(end)
            && is(byte, NAME)
        {
            name.push(byte);
            end = next;
        }
        self.pos = end;
        Name::new(name)
    }

    /// After `$(`, `<(` or `>(`, up to and with the `)`.
    pub(crate) fn substituted_list(&mut self) -> Parsed<List> {
        let outer = self.take_pending();
        self.substitutions += 1;
        self.open(SUBSTITUTION);
        let in_here_document = std::mem::take(&mut self.in_here_document);
        let body = self.list();
        self.in_here_document = in_here_document;
        let body = match body {
            Ok(body) => body,
            // bash looks for the `)` of an unfinished command too.
            Err(error) if matches!(error.cause, SyntaxErrorCause::UnexpectedEnd { .. }) => {
                return self.unclosed_list(")");
            }
            Err(mut error) => {
                mark_substituted(&mut error);
                return Err(error);
            }
        };
        self.blanks();
        match self.byte_from(self.pos) {
            Some((b')', end)) => {
                self.note_left_open();
                self.pos = end;
            }
            None => return self.unclosed_list(")"),
            Some(_) => {
                return self.unexpected(&["`)'"]).map_err(|mut error: Box<SyntaxError>| {
                    mark_substituted(&mut error);
                    error
                });
            }
        }
        self.close();
        self.substitutions -= 1;
        self.restore_pending(outer);
        Ok(body)
    }

    /// Is a substitution the innermost construct that is open?
    pub(crate) fn in_substitution(&self) -> bool {
        self.innermost() == Some(SUBSTITUTION)
    }

    /// At a backquote (XCU 2.6.3). A backslash before `"` is removed as well in double quotes.
    pub(crate) fn backquoted(&mut self, builder: &mut Builder, in_double: bool) -> Parsed<()> {
        let start = self.start();
        let text = self.text();
        let mut command = Vec::new();
        let mut from = self.pos + 1;
        let end = loop {
            let Some(i) = memchr::memchr2(b'`', b'\\', &text[from..]) else {
                return self.unclosed("`", start);
            };
            let at = from + i;
            command.extend_from_slice(&text[from..at]);
            if text[at] == b'`' {
                break at + 1;
            }
            match text.get(at + 1) {
                Some(&byte @ (b'`' | b'\\' | b'$')) => {
                    command.push(byte);
                    from = at + 2;
                }
                Some(b'"') if in_double => {
                    command.push(b'"');
                    from = at + 2;
                }
                // bash joins lines before it reads quotes: also between single ones.
                Some(b'\n') if self.bash => from = at + 2,
                Some(&byte) => {
                    command.push(b'\\');
                    command.push(byte);
                    from = at + 2;
                }
                None => return self.unclosed("`", start),
            }
        };
        self.pos = end;
        let span = self.span(start);
        let mut reader = self.nested(&command, span);
        reader.enter()?;
        let body = match reader.whole() {
            Ok(list) => Ok(Arc::new(list)),
            Err(error) if error.cause.is_final() => {
                return Err(error);
            }
            Err(error) => Err(Arc::new(self.invalid_substitution(&command, span, *error))),
        };
        self.nodes = reader.nodes.max(self.nodes);
        let warnings = reader.take_warnings();
        self.add_warnings(warnings);
        builder.push(WordPart::CommandSubstitution(Arc::new(CommandSubstitution { body, backquoted: true, span })));
        Ok(())
    }

    /// What is left of text in backquotes that is no program: the lines before the error.
    #[cold]
    fn invalid_substitution(&self, text: &[u8], place: Span, error: SyntaxError) -> InvalidSubstitution {
        let mut before = List::default();
        let mut reader = self.nested(text, place);
        if reader.enter().is_ok() {
            while let Ok(Some(mut unit)) = reader.unit() {
                before.items.append(&mut unit.items);
            }
        }
        let mut reader = splicing(text, 0, 1, self.options, self.aliases);
        reader.stop = self.stop;
        let alone = loop {
            match reader.unit() {
                Ok(Some(_)) => {}
                Ok(None) => break error,
                Err(alone) => break *alone,
            }
        };
        InvalidSubstitution { before: Arc::new(before), error: alone, text: text.into() }
    }

    /// All of the text as one list.
    fn whole(&mut self) -> Parsed<List> {
        let list = self.list()?;
        if !self.at_end() {
            return self.unexpected(&[]);
        }
        self.end_of_source()?;
        Ok(list)
    }
}

/// `$x`
pub(crate) fn simple_parameter(parameter: Parameter, span: Span) -> Arc<ParameterExpansion> {
    let operation = ParameterOperation::None;
    Arc::new(ParameterExpansion { parameter, indirect: false, braced: false, operation, span })
}

/// The special and positional parameters of one character.
pub(crate) fn special(byte: u8) -> Option<Parameter> {
    Some(match byte {
        b'@' => Parameter::At,
        b'*' => Parameter::Star,
        b'#' => Parameter::Count,
        b'?' => Parameter::Status,
        b'-' => Parameter::Options,
        b'$' => Parameter::ProcessId,
        b'!' => Parameter::BackgroundId,
        b'0' => Parameter::Zero,
        b'1'..=b'9' => Parameter::Positional(u32::from(byte - b'0')),
        _ => return None,
    })
}

/// The error is in the commands of a substitution, and not that these have no end.
fn mark_substituted(error: &mut SyntaxError) {
    error.in_substitution = !error.drops_line
        && matches!(error.cause, SyntaxErrorCause::Unexpected { .. } | SyntaxErrorCause::InvalidCondition { .. });
}
