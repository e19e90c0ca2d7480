//! bash: `[[ … ]]`.

use bstr::ByteSlice;

use std::sync::Arc;

use super::command::compound;
use super::token::Operator;
use super::{Parsed, Reader};
use crate::ast::{Compound, CompoundCommand, Condition, ConditionOperator, Word, WordPart};
use crate::bytes::ends_in_backslash;
use crate::{SyntaxError, SyntaxErrorCause};

/// A condition, and the height of its tree.
type Tree = (Box<Condition>, u32);

impl<const DIRECT: bool> Reader<'_, DIRECT> {
    /// After `[[`.
    pub(crate) fn condition_command(&mut self) -> Parsed<Arc<CompoundCommand>> {
        let line = self.opened.last().map_or(1, |opened| opened.line);
        let (condition, _) = self.condition_or()?;
        if !self.at_condition_end() {
            let mut error = match self.condition_token() {
                _ if self.at_end() => self.condition_error("unexpected EOF while looking for `]]'".into()),
                Some(found) => {
                    self.condition_error(format!("syntax error in conditional expression: unexpected token `{found}'"))
                }
                None => self.condition_error("syntax error in conditional expression".into()),
            };
            error.position.line = line;
            return Err(error);
        }
        self.take_condition_end();
        Ok(compound(Compound::Condition(*condition)))
    }

    /// After `]]`: the line that bash gives the command, where its last operand ends or, after `&&` and `||`, the
    /// brackets.
    pub(super) fn condition_line(&mut self, condition: &Condition) -> u32 {
        let mut at = self.pos;
        if !matches!(condition, Condition::And(_) | Condition::Or(_)) {
            let text = self.text_before();
            at = text.strip_suffix(b"]]").unwrap_or(text).trim_ascii_end().len();
        }
        self.line_at(at)
    }

    /// Gives the height of the tree too.
    fn condition_or(&mut self) -> Parsed<Tree> {
        self.enter()?;
        let result = self.condition_chain(Operator::Or, Self::condition_and, Condition::Or)?;
        self.leave();
        Ok(result)
    }

    fn condition_and(&mut self) -> Parsed<Tree> {
        self.condition_chain(Operator::And, Self::condition_term, Condition::And)
    }

    /// Terms with an operator between them: one level of the tree, however many they are.
    fn condition_chain(
        &mut self,
        operator: Operator,
        term: fn(&mut Self) -> Parsed<Tree>,
        chain: fn(Vec<Condition>) -> Condition,
    ) -> Parsed<Tree> {
        let (first, mut height) = term(self)?;
        if !self.take(operator) {
            return Ok((first, height));
        }
        let mut terms = vec![*first];
        loop {
            let (next, next_height) = term(self)?;
            terms.push(*next);
            height = height.max(next_height);
            if !self.take(operator) {
                return Ok((Box::new(chain(terms)), self.higher(height, 0)?));
            }
        }
    }

    fn higher(&mut self, left: u32, right: u32) -> Parsed<u32> {
        let height = left.max(right) + 1;
        if height > self.options.max_depth {
            return Err(self.too_deep());
        }
        Ok(height)
    }

    fn condition_term(&mut self) -> Parsed<Tree> {
        self.newlines()?;
        let mut negations = 0_u32;
        while let Some(b'!') = self.peek()
            && self.ends_word(1)
            && !(self.options.extglob && self.peek_at(1) == Some(b'('))
        {
            negations += 1;
            self.pos += 1;
            self.newlines()?;
        }
        let (mut condition, mut height) = self.condition_primary()?;
        for _ in 0..negations {
            height = self.higher(height, 0)?;
            condition = Box::new(Condition::Not(condition));
        }
        self.newlines()?;
        Ok((condition, height))
    }

    fn condition_primary(&mut self) -> Parsed<Tree> {
        if self.at_condition_end() {
            // bash says nothing at all.
            return self.invalid_condition("syntax error near unexpected token `]]' (expected a condition)".into());
        }
        if let Some((Operator::LeftParenthesis, end)) = self.operator() {
            let line = self.current_line();
            self.pos = end;
            self.open("(");
            let (inner, height) = self.condition_or().map_err(|error| in_group(error, line))?;
            if !self.take(Operator::RightParenthesis) {
                let message = match self.condition_token() {
                    Some(found) => format!("unexpected token `{found}', expected `)'"),
                    None => "expected `)'".to_owned(),
                };
                let mut error = self.condition_error(message);
                error.position.line = line;
                return Err(error);
            }
            self.close();
            let height = self.higher(height, 0)?;
            return Ok((Box::new(Condition::Group(inner)), height));
        }
        Ok((self.condition_test()?, 1))
    }

    /// A test without parentheses.
    fn condition_test(&mut self) -> Parsed<Box<Condition>> {
        if let (Some(b'-'), Some(letter)) = (self.peek(), self.peek_at(1))
            && is_unary(letter)
            && self.ends_word(2)
        {
            self.pos += 2;
            self.blanks();
            if self.at_condition_end() || !self.at_word() {
                return self.unexpected_argument("unary");
            }
            let word = self.condition_word().map_err(|error| without_argument(error, UNARY))?;
            return Ok(Box::new(Condition::Unary(letter, word)));
        }
        if !self.at_word() {
            let found = self.condition_token().unwrap_or_default();
            let mut error = self.condition_error(format!("unexpected token `{found}' in conditional command"));
            if self.at_end() && self.text().last() != Some(&b'\n') {
                // After the newline that bash ends the last line with.
                error.position.line += 1;
            }
            return Err(error);
        }
        let left = self.condition_word()?;
        self.blanks();
        if self.at_condition_end()
            || matches!(self.operator(), Some((Operator::And | Operator::Or | Operator::RightParenthesis, _)))
        {
            // As bash prints it.
            return Ok(Box::new(Condition::Unary(b'n', left)));
        }
        let Some((operator, end)) = self.condition_operator() else {
            let message = match self.condition_token_or_newline() {
                Some(found) => format!("unexpected token `{found}', conditional binary operator expected"),
                None => "conditional binary operator expected".to_owned(),
            };
            return self.invalid_condition(message);
        };
        self.pos = end;
        self.blanks();
        let opens_regex = operator == ConditionOperator::Regex && matches!(self.peek(), Some(b'(' | b'|'));
        if self.at_condition_end() || !(self.at_word() || opens_regex) {
            return self.unexpected_argument("binary");
        }
        let right = match operator {
            ConditionOperator::Regex => self.regex_word(),
            ConditionOperator::Match | ConditionOperator::SingleMatch | ConditionOperator::NotMatch => {
                self.condition_pattern()
            }
            _ => self.condition_word(),
        };
        let right = right.map_err(|error| without_argument(error, BINARY))?;
        Ok(Box::new(Condition::Binary(operator, left, right)))
    }

    /// What stands at the place, if it is no word: in bash's words for it.
    fn condition_token(&mut self) -> Option<String> {
        self.blanks();
        match self.peek() {
            _ if self.at_condition_end() => Some("]]".to_owned()),
            None => Some("EOF".to_owned()),
            Some(b'\n') => Some("newline".to_owned()),
            Some(_) if self.at_word() => None,
            Some(_) => Some(self.text()[self.pos..self.token_end()].to_str_lossy().into_owned()),
        }
    }

    /// The same where a newline is not skipped: bash ends the last line with one.
    fn condition_token_or_newline(&mut self) -> Option<String> {
        match self.condition_token() {
            Some(_) if self.at_end() => Some("newline".to_owned()),
            found => found,
        }
    }

    fn invalid_condition<T>(&mut self, message: String) -> Parsed<T> {
        Err(self.condition_error(message))
    }

    /// An error in a condition. bash reads on to the end of the line, or of the next one where the newline is what is wrong.
    #[cold]
    pub(super) fn condition_error(&mut self, message: String) -> Box<SyntaxError> {
        let to = self.token_end();
        // A last line that a backslash ends is continued by the end of the source.
        let rest = self.text().get(self.pos..).unwrap_or_default();
        let line = rest.strip_suffix(b"\n").unwrap_or(rest);
        let at_end = line.is_empty() || (!line.contains(&b'\n') && ends_in_backslash(line));
        let cause = SyntaxErrorCause::InvalidCondition { message, groups: Vec::new(), at_end };
        self.error(cause, self.pos, to)
    }

    /// The argument of an operator is missing: bash's words for it.
    fn unexpected_argument<T>(&mut self, kind: &str) -> Parsed<T> {
        let found = self.condition_token_or_newline().unwrap_or_default();
        self.invalid_condition(format!("unexpected argument `{found}' to conditional {kind} operator"))
    }

    fn condition_word(&mut self) -> Parsed<Word> {
        let word = self.compared_word()?;
        // `>` and `<` directly after digits are redirections to bash's lexer, and an error here.
        if matches!(self.peek(), Some(b'<' | b'>'))
            && let [WordPart::Literal(text)] = word.parts.as_slice()
            && text.iter().all(u8::is_ascii_digit)
        {
            let digits = text.to_str_lossy().into_owned();
            return self
                .invalid_condition(format!("unexpected token `{digits}' in conditional command (expected a blank)"));
        }
        Ok(word)
    }

    fn condition_operator(&self) -> Option<(ConditionOperator, usize)> {
        let text = &self.text()[self.pos..];
        match text.first() {
            // Longer ones are redirections.
            Some(b'<') if !matches!(text.get(1), Some(b'<' | b'&' | b'>')) => {
                return Some((ConditionOperator::Before, self.pos + 1));
            }
            Some(b'>') if !matches!(text.get(1), Some(b'>' | b'&' | b'|')) => {
                return Some((ConditionOperator::After, self.pos + 1));
            }
            _ => {}
        }
        let length = text.iter().position(|&b| crate::bytes::is(b, crate::bytes::META)).unwrap_or(text.len());
        let operator = match &text[..length] {
            b"==" => ConditionOperator::Match,
            b"=" => ConditionOperator::SingleMatch,
            b"!=" => ConditionOperator::NotMatch,
            b"=~" => ConditionOperator::Regex,
            b"-eq" => ConditionOperator::Equal,
            b"-ne" => ConditionOperator::NotEqual,
            b"-lt" => ConditionOperator::Less,
            b"-le" => ConditionOperator::LessEqual,
            b"-gt" => ConditionOperator::Greater,
            b"-ge" => ConditionOperator::GreaterEqual,
            b"-nt" => ConditionOperator::NewerThan,
            b"-ot" => ConditionOperator::OlderThan,
            b"-ef" => ConditionOperator::SameFile,
            _ => return None,
        };
        Some((operator, self.pos + length))
    }

    fn at_condition_end(&self) -> bool {
        self.condition_end().is_some()
    }

    /// Just after the `]]` at the place, which may be continued in the next line.
    fn condition_end(&self) -> Option<usize> {
        if self.peek() != Some(b']') {
            return None;
        }
        let (second, end) = self.byte_from(self.pos + 1)?;
        (second == b']' && self.ends_word(end - self.pos)).then_some(end)
    }

    fn take_condition_end(&mut self) {
        if let Some(end) = self.condition_end() {
            self.pos = end;
        }
    }

    /// Does a word of this many bytes end there?
    fn ends_word(&self, length: usize) -> bool {
        match self.byte_from(self.pos + length) {
            None => true,
            Some((byte, _)) => crate::bytes::is(byte, crate::bytes::META),
        }
    }
}

/// What bash says of an operator at the end of the source.
const UNARY: &str = "unexpected argument to conditional unary operator";
const BINARY: &str = "unexpected argument to conditional binary operator";

/// The argument of an operator has no end.
#[cold]
fn without_argument(mut error: Box<SyntaxError>, message: &'static str) -> Box<SyntaxError> {
    if matches!(error.cause, SyntaxErrorCause::Unclosed { .. }) {
        error.consequence = Some(message);
    }
    error
}

/// The error is in a group whose `(` is on that line.
fn in_group(mut error: Box<SyntaxError>, line: u32) -> Box<SyntaxError> {
    if let SyntaxErrorCause::InvalidCondition { groups, .. } = &mut error.cause {
        groups.push(line);
    }
    error
}

/// The letters of the unary operators.
fn is_unary(letter: u8) -> bool {
    b"abcdefghknoprstuvwxzGLOSNR".contains(&letter)
}
