//! `${…}`: the parameter (XCU 2.6.2).

use std::sync::Arc;

use super::dollar::special;
use super::text::{DoubleStop, OperandStop};
use super::{Parsed, Reader, Start};
use crate::ast::{Parameter, ParameterExpansion, ParameterOperation, Subscript};
use crate::builder::Builder;
use crate::bytes::{DIGIT, begins_name, is};
use crate::span::Span;

/// What `${!…}` lists.
enum Listing {
    Names { star: bool },
    Keys,
}

/// What stands between `${` and the operator.
enum Head {
    /// `${x`
    Plain(Parameter),
    /// `${#x`, up to the `}`
    Length(Parameter),
    /// `${!x`
    Indirect(Parameter),
    /// `${!prefix*`, `${!prefix@`, `${!name[@]`: the operation is known already
    Listed(Parameter, Listing),
    /// No parameter.
    Bad,
}

impl<const DIRECT: bool> Reader<'_, DIRECT> {
    /// After `${`, up to and with the `}`.
    pub(crate) fn braced_parameter(&mut self, start: Start, quoted: bool) -> Parsed<Arc<ParameterExpansion>> {
        self.enter()?;
        let begin = self.buffer().len() - self.pos;
        let mut indirect = false;
        let (parameter, operation) = match self.parameter_head()? {
            Head::Plain(parameter) => (parameter, self.parameter_operation(quoted)?),
            Head::Length(parameter) => (parameter, Some(length())),
            Head::Indirect(parameter) => {
                indirect = true;
                (parameter, self.parameter_operation(quoted)?)
            }
            Head::Listed(parameter, listing) => (parameter, Some(listed(listing))),
            Head::Bad => (Parameter::Zero, None),
        };
        let operation = match operation {
            Some(operation) if self.closes() => {
                self.continuations();
                self.pos += 1;
                operation
            }
            Some(_) if self.at_end() => return self.unclosed("}", start),
            _ => {
                self.rest_of_bad(start, quoted)?;
                self.bad(begin)
            }
        };
        self.leave();
        let span = self.span(start);
        Ok(expansion(parameter, indirect, operation, span))
    }

    /// The text from `begin` (counted from the end of the buffer), which is no expansion.
    fn bad(&self, begin: usize) -> ParameterOperation {
        let from = self.buffer().len().saturating_sub(begin).min(self.pos);
        let mut text = b"${".to_vec();
        text.extend_from_slice(&self.text()[from..self.pos]);
        ParameterOperation::Bad(text.into())
    }

    /// Finds the end of an expansion that is none.
    fn rest_of_bad(&mut self, start: Start, quoted: bool) -> Parsed<()> {
        if quoted {
            self.double_quoted_parts(DoubleStop::Brace)?;
        } else {
            self.operand_parts(&mut Builder::default(), OperandStop::Brace)?;
        }
        if self.peek() != Some(b'}') {
            return self.unclosed("}", start);
        }
        self.pos += 1;
        Ok(())
    }

    fn parameter_head(&mut self) -> Parsed<Head> {
        let Some((byte, next)) = self.byte_from(self.pos) else {
            return Ok(Head::Bad);
        };
        match byte {
            b'#' => self.length_head(next),
            b'!' if self.bash => self.indirect_head(next),
            // `${$x}`: what follows belongs together.
            b'$' if !matches!(
                self.byte_from(next),
                Some((b'}' | b':' | b'-' | b'=' | b'?' | b'+' | b'#' | b'%' | b'/' | b'^' | b',' | b'~' | b'@', _))
            ) =>
            {
                Ok(Head::Bad)
            }
            _ => Ok(self.parameter()?.map_or(Head::Bad, Head::Plain)),
        }
    }

    /// After `${#`: a length, or the parameter `#` with an operator.
    fn length_head(&mut self, next: usize) -> Parsed<Head> {
        let Some((byte, after)) = self.byte_from(next) else {
            self.pos = next;
            return Ok(Head::Plain(Parameter::Count));
        };
        if begins_name(byte) || is(byte, DIGIT) {
            self.pos = next;
            return Ok(match self.parameter()? {
                Some(parameter) if self.closes() => Head::Length(parameter),
                _ => Head::Bad,
            });
        }
        if let Some(parameter) = special(byte)
            && matches!(self.byte_from(after), Some((b'}', _)))
        {
            self.pos = after;
            return Ok(Head::Length(parameter));
        }
        // bash: an operator with nothing after it is taken for a parameter that there is not.
        if self.bash
            && matches!(byte, b'+' | b'=' | b'%' | b'/' | b'^' | b',' | b'~')
            && matches!(self.byte_from(after), Some((b'}', _)))
        {
            self.pos = next;
            return Ok(Head::Bad);
        }
        self.pos = next;
        Ok(Head::Plain(Parameter::Count))
    }

    /// bash: after `${!`: an indirect expansion, a list of names or keys, or the parameter `!`.
    fn indirect_head(&mut self, next: usize) -> Parsed<Head> {
        let byte = match self.byte_from(next) {
            Some((byte, _)) if begins_name(byte) || is(byte, DIGIT) => byte,
            // In POSIX mode these two are operators after `$!`.
            Some((byte @ (b'#' | b'?'), _)) if !self.options.posix_mode => byte,
            Some((byte @ (b'@' | b'*'), _)) => byte,
            _ => {
                self.pos = next;
                return Ok(Head::Plain(Parameter::BackgroundId));
            }
        };
        self.pos = next;
        let Some(parameter) = self.parameter()? else {
            return Ok(Head::Bad);
        };
        if let Parameter::Element(_, Subscript::All | Subscript::Star) = parameter
            && self.closes()
        {
            return Ok(Head::Listed(parameter, Listing::Keys));
        }
        if begins_name(byte)
            && matches!(parameter, Parameter::Variable(_))
            && let Some((sign @ (b'*' | b'@'), after)) = self.byte_from(self.pos)
            && matches!(self.byte_from(after), Some((b'}', _)))
        {
            self.pos = after;
            let star = sign == b'*';
            return Ok(Head::Listed(parameter, Listing::Names { star }));
        }
        Ok(Head::Indirect(parameter))
    }

    fn closes(&self) -> bool {
        matches!(self.byte_from(self.pos), Some((b'}', _)))
    }

    /// A parameter with bash's subscript.
    fn parameter(&mut self) -> Parsed<Option<Parameter>> {
        let Some((byte, next)) = self.byte_from(self.pos) else {
            return Ok(None);
        };
        if begins_name(byte) {
            self.continuations();
            let name = self.name();
            if self.bash
                && let Some((b'[', inside)) = self.byte_from(self.pos)
            {
                let start = self.start();
                self.pos = inside;
                let Some(key) = self.braced_key(start)? else {
                    return Ok(None);
                };
                let subscript = self.subscript(key)?;
                return Ok(Some(Parameter::Element(name, subscript)));
            }
            return Ok(Some(Parameter::Variable(name)));
        }
        if is(byte, DIGIT) {
            let mut number: u32 = 0;
            while let Some((digit, next)) = self.byte_from(self.pos)
                && is(digit, DIGIT)
            {
                number = number.saturating_mul(10).saturating_add(u32::from(digit - b'0'));
                self.pos = next;
            }
            return Ok(Some(match number {
                0 => Parameter::Zero,
                number => Parameter::Positional(number),
            }));
        }
        match special(byte) {
            Some(parameter) => {
                self.pos = next;
                Ok(Some(parameter))
            }
            None => Ok(None),
        }
    }
}

// Debug builds give every value of a function a place of its own on the stack. Building the large ones in functions of
// their own keeps the frames that recurse small.

fn length() -> ParameterOperation {
    ParameterOperation::Length
}

fn listed(listing: Listing) -> ParameterOperation {
    match listing {
        Listing::Names { star } => ParameterOperation::Names { star },
        Listing::Keys => ParameterOperation::Keys,
    }
}

pub(super) fn expansion(
    parameter: Parameter,
    indirect: bool,
    operation: ParameterOperation,
    span: Span,
) -> Arc<ParameterExpansion> {
    Arc::new(ParameterExpansion { parameter, indirect, braced: true, operation, span })
}
