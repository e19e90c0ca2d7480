//! `${…}`: the operators (XCU 2.6.2, and bash's).

use super::text::{DoubleStop, OperandStop};
use super::{Parsed, Reader, tilde};
use crate::ast::{Arithmetic, CaseChange, Check, MatchLength, ParameterOperation, ReplaceScope, Word};
use crate::builder::Builder;

impl<const DIRECT: bool> Reader<'_, DIRECT> {
    /// After the parameter, up to the `}`, which is not read. `None` if this is no operator.
    pub(crate) fn parameter_operation(&mut self, quoted: bool) -> Parsed<Option<ParameterOperation>> {
        let Some((byte, next)) = self.byte_from(self.pos) else {
            return Ok(Some(none()));
        };
        match byte {
            b'}' => return Ok(Some(none())),
            b':' => match self.byte_from(next) {
                Some((operator @ (b'-' | b'=' | b'?' | b'+'), next)) => {
                    self.pos = next;
                    self.check_operation(operator, Check::UnsetOrNull, quoted)
                }
                Some((byte, _)) if byte != b'}' && self.bash => {
                    self.pos = next;
                    self.substring()
                }
                _ => return Ok(None),
            },
            b'-' | b'=' | b'?' | b'+' => {
                self.pos = next;
                self.check_operation(byte, Check::Unset, quoted)
            }
            b'#' | b'%' => self.remove(byte, next),
            b'/' if self.bash => {
                self.pos = next;
                self.replace()
            }
            b'^' | b',' | b'~' if self.bash => self.change_case(byte, next),
            b'@' if self.bash => return Ok(self.transform(next)),
            _ => return Ok(None),
        }
        .map(Some)
    }

    fn check_operation(&mut self, operator: u8, check: Check, quoted: bool) -> Parsed<ParameterOperation> {
        let word = if quoted { self.double_operand()? } else { self.substitute(operator)? };
        Ok(checked(operator, check, word))
    }

    /// The word of `${name-word}` and its like. One that is assigned by itself is no part of the value around it.
    fn substitute(&mut self, operator: u8) -> Parsed<Word> {
        let in_value = self.in_value && operator != b'=';
        let start = self.start();
        let mut builder = Builder::default();
        self.operand_parts(&mut builder, OperandStop::Brace)?;
        let parts = tilde::tildes(builder.finish(), in_value, self.bash);
        Ok(Word::new(parts, self.span(start)))
    }

    fn double_operand(&mut self) -> Parsed<Word> {
        let start = self.start();
        let parts = self.double_quoted_parts(DoubleStop::Brace)?;
        Ok(Word::new(parts, self.span(start)))
    }

    /// At `#` or `%`, which ends at `next`.
    fn remove(&mut self, sign: u8, next: usize) -> Parsed<ParameterOperation> {
        let length = if self.doubled(sign, next) { MatchLength::Longest } else { MatchLength::Shortest };
        let pattern = self.operand(OperandStop::Brace)?;
        Ok(if sign == b'#' {
            ParameterOperation::RemovePrefix(length, Box::new(pattern))
        } else {
            ParameterOperation::RemoveSuffix(length, Box::new(pattern))
        })
    }

    /// bash: at `^`, `,` or `~`, which ends at `next`.
    fn change_case(&mut self, sign: u8, next: usize) -> Parsed<ParameterOperation> {
        let change = match (sign, self.doubled(sign, next)) {
            (b'^', false) => CaseChange::UpperFirst,
            (b'^', true) => CaseChange::UpperAll,
            (b',', false) => CaseChange::LowerFirst,
            (b',', true) => CaseChange::LowerAll,
            (_, false) => CaseChange::ToggleFirst,
            (_, true) => CaseChange::ToggleAll,
        };
        let pattern = self.operand(OperandStop::Brace)?;
        let pattern = (!pattern.parts.is_empty()).then(|| Box::new(pattern));
        Ok(ParameterOperation::ChangeCase(change, pattern))
    }

    /// Reads the sign, and another one after it.
    fn doubled(&mut self, sign: u8, next: usize) -> bool {
        match self.byte_from(next) {
            Some((again, next)) if again == sign => {
                self.pos = next;
                true
            }
            _ => {
                self.pos = next;
                false
            }
        }
    }

    /// bash: after `@`, at `next`.
    fn transform(&mut self, next: usize) -> Option<ParameterOperation> {
        let (letter, end) = self.byte_from(next)?;
        if !b"UuLQEPAaKk".contains(&letter) || !matches!(self.byte_from(end), Some((b'}', _))) {
            return None;
        }
        self.pos = end;
        Some(ParameterOperation::Transform(letter))
    }

    /// bash: after `${x:`.
    fn substring(&mut self) -> Parsed<ParameterOperation> {
        let offset = self.offset_arithmetic()?;
        let length = if self.peek() == Some(b':') {
            self.pos += 1;
            Some(self.length_arithmetic()?)
        } else {
            None
        };
        Ok(substring(offset, length))
    }

    /// bash: after `${x/`.
    fn replace(&mut self) -> Parsed<ParameterOperation> {
        let (scope, next) = match self.byte_from(self.pos) {
            Some((b'/', next)) => (ReplaceScope::All, next),
            Some((b'#', next)) => (ReplaceScope::Prefix, next),
            Some((b'%', next)) => (ReplaceScope::Suffix, next),
            _ => (ReplaceScope::First, self.pos),
        };
        self.pos = next;
        // `${x////-}`: the third slash is the pattern.
        let start = self.start();
        let mut builder = Builder::default();
        if scope == ReplaceScope::All && self.peek() == Some(b'/') {
            builder.literal(b"/");
            self.pos += 1;
        }
        self.operand_parts(&mut builder, OperandStop::Slash)?;
        let mut parts = builder.finish();
        // bash: after `#` and `%` no tilde stands at the beginning.
        if !matches!(scope, ReplaceScope::Prefix | ReplaceScope::Suffix) {
            parts = tilde::tildes(parts, false, self.bash);
        }
        let pattern = Word::new(parts, self.span(start));
        let replacement = if self.peek() == Some(b'/') {
            self.pos += 1;
            Some(Box::new(self.operand(OperandStop::Brace)?))
        } else {
            None
        };
        Ok(ParameterOperation::Replace(scope, Box::new(pattern), replacement))
    }

    fn operand(&mut self, stop: OperandStop) -> Parsed<Word> {
        let start = self.start();
        let mut builder = Builder::default();
        self.operand_parts(&mut builder, stop)?;
        let parts = tilde::tildes(builder.finish(), false, self.bash);
        Ok(Word::new(parts, self.span(start)))
    }
}

// Functions of their own keep the frames that recurse small in debug builds.

fn none() -> ParameterOperation {
    ParameterOperation::None
}

fn checked(operator: u8, check: Check, word: Word) -> ParameterOperation {
    match operator {
        b'-' => ParameterOperation::UseDefault(check, Box::new(word)),
        b'=' => ParameterOperation::AssignDefault(check, Box::new(word)),
        b'+' => ParameterOperation::UseAlternative(check, Box::new(word)),
        _ => {
            let word = (!word.parts.is_empty()).then(|| Box::new(word));
            ParameterOperation::ErrorIfUnset(check, word)
        }
    }
}

fn substring(offset: Box<Arithmetic>, length: Option<Box<Arithmetic>>) -> ParameterOperation {
    ParameterOperation::Substring(offset, length)
}
