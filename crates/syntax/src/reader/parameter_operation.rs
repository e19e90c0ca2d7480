//! `${…}`: the operators (XCU 2.6.2, and bash's).

use super::text::{DoubleStop, OperandStop};
use super::{Parsed, Reader, tilde};
use crate::ast::{CaseChange, Check, MatchLength, ParameterOperation, ReplaceScope, Word};
use crate::builder::Builder;

impl Reader<'_> {
    /// Behind the parameter, up to the `}`, which is not read. `None` if this is no operator.
    pub(crate) fn parameter_operation(
        &mut self,
        quoted: bool,
    ) -> Parsed<Option<ParameterOperation>> {
        let Some((byte, next)) = self.byte_from(self.pos) else {
            return Ok(Some(ParameterOperation::None));
        };
        let second = self.byte_from(next);
        let operation = match byte {
            b'}' => ParameterOperation::None,
            b':' => match second {
                Some((operator @ (b'-' | b'=' | b'?' | b'+'), next)) => {
                    self.pos = next;
                    self.check_operation(operator, Check::UnsetOrNull, quoted)?
                }
                Some((byte, _)) if byte != b'}' && self.bash => {
                    self.pos = next;
                    self.substring()?
                }
                _ => return Ok(None),
            },
            b'-' | b'=' | b'?' | b'+' => {
                self.pos = next;
                self.check_operation(byte, Check::Unset, quoted)?
            }
            b'#' | b'%' => {
                let length = match second {
                    Some((again, next)) if again == byte => {
                        self.pos = next;
                        MatchLength::Longest
                    }
                    _ => {
                        self.pos = next;
                        MatchLength::Shortest
                    }
                };
                let pattern = self.operand(OperandStop::Pattern)?;
                if byte == b'#' {
                    ParameterOperation::RemovePrefix(length, pattern)
                } else {
                    ParameterOperation::RemoveSuffix(length, pattern)
                }
            }
            b'/' if self.bash => {
                self.pos = next;
                self.replace()?
            }
            b'^' | b',' | b'~' if self.bash => {
                let doubled = match second {
                    Some((again, next)) if again == byte => {
                        self.pos = next;
                        true
                    }
                    _ => {
                        self.pos = next;
                        false
                    }
                };
                let change = match (byte, doubled) {
                    (b'^', false) => CaseChange::UpperFirst,
                    (b'^', true) => CaseChange::UpperAll,
                    (b',', false) => CaseChange::LowerFirst,
                    (b',', true) => CaseChange::LowerAll,
                    (_, false) => CaseChange::ToggleFirst,
                    (_, true) => CaseChange::ToggleAll,
                };
                let pattern = self.operand(OperandStop::Pattern)?;
                let pattern = (!pattern.parts.is_empty()).then_some(pattern);
                ParameterOperation::ChangeCase(change, pattern)
            }
            b'@' if self.bash => match second {
                Some((
                    letter @ (b'U' | b'u' | b'L' | b'Q' | b'E' | b'P' | b'A' | b'a' | b'K' | b'k'),
                    next,
                )) if matches!(self.byte_from(next), Some((b'}', _))) => {
                    self.pos = next;
                    ParameterOperation::Transform(letter)
                }
                _ => return Ok(None),
            },
            _ => return Ok(None),
        };
        Ok(Some(operation))
    }

    fn check_operation(
        &mut self,
        operator: u8,
        check: Check,
        quoted: bool,
    ) -> Parsed<ParameterOperation> {
        let word = if quoted {
            let start = self.start();
            let parts = self.double_quoted_parts(DoubleStop::Brace)?;
            Word::new(parts, self.span(start))
        } else {
            self.operand(OperandStop::Word)?
        };
        Ok(match operator {
            b'-' => ParameterOperation::UseDefault(check, word),
            b'=' => ParameterOperation::AssignDefault(check, word),
            b'+' => ParameterOperation::UseAlternative(check, word),
            _ => {
                let word = (!word.parts.is_empty()).then_some(word);
                ParameterOperation::ErrorIfUnset(check, word)
            }
        })
    }

    /// bash: behind `${x:`.
    fn substring(&mut self) -> Parsed<ParameterOperation> {
        let offset = self.offset_arithmetic()?;
        let length = if self.peek() == Some(b':') {
            self.pos += 1;
            Some(self.length_arithmetic()?)
        } else {
            None
        };
        Ok(ParameterOperation::Substring(offset, length))
    }

    /// bash: behind `${x/`.
    fn replace(&mut self) -> Parsed<ParameterOperation> {
        let scope = match self.byte_from(self.pos) {
            Some((b'/', next)) => {
                self.pos = next;
                ReplaceScope::All
            }
            Some((b'#', next)) => {
                self.pos = next;
                ReplaceScope::Prefix
            }
            Some((b'%', next)) => {
                self.pos = next;
                ReplaceScope::Suffix
            }
            _ => ReplaceScope::First,
        };
        let pattern = self.operand(OperandStop::Slash)?;
        let replacement = if self.peek() == Some(b'/') {
            self.pos += 1;
            Some(self.operand(OperandStop::Pattern)?)
        } else {
            None
        };
        Ok(ParameterOperation::Replace(scope, pattern, replacement))
    }

    fn operand(&mut self, stop: OperandStop) -> Parsed<Word> {
        let start = self.start();
        let mut builder = Builder::default();
        self.operand_parts(&mut builder, stop)?;
        let parts = tilde::tildes(builder.finish(), false);
        Ok(Word::new(parts, self.span(start)))
    }
}
