//! bash: `[[ … ]]`.

use bstr::ByteSlice;

use std::sync::Arc;

use super::command::compound;
use super::token::Operator;
use super::{Parsed, Reader};
use crate::SyntaxErrorCause;
use crate::ast::{Compound, CompoundCommand, Condition, ConditionOperator, Word, WordPart};

/// A condition, and the height of its tree.
type Tree = (Box<Condition>, u32);

impl<const DIRECT: bool> Reader<'_, DIRECT> {
    /// After `[[`.
    pub(crate) fn condition_command(&mut self) -> Parsed<Arc<CompoundCommand>> {
        let (condition, _) = self.condition_or()?;
        if !self.at_condition_end() {
            return self.unexpected(&["`]]'"]);
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
        if self.at_condition_end() || self.at_end() {
            // bash says nothing at all.
            return self.unexpected_in_condition("a condition", |found| {
                format!("syntax error near unexpected token `{found}' (expected a condition)")
            });
        }
        if let Some((Operator::LeftParenthesis, end)) = self.operator() {
            self.pos = end;
            self.open("(");
            let (inner, height) = self.condition_or()?;
            if !self.take(Operator::RightParenthesis) {
                return self
                    .unexpected_in_condition("`)'", |found| format!("unexpected token `{found}', expected `)'"));
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
            let word = self.condition_word()?;
            return Ok(Box::new(Condition::Unary(letter, word)));
        }
        if !self.at_word() {
            return self.unexpected(&["a condition"]);
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
            if self.at_end() {
                return self.unexpected(&["`]]'"]);
            }
            return self.invalid_condition("conditional binary operator expected".into());
        };
        self.pos = end;
        self.blanks();
        let opens_regex = operator == ConditionOperator::Regex && matches!(self.peek(), Some(b'(' | b'|'));
        if self.at_condition_end() || !(self.at_word() || opens_regex) {
            return self.unexpected_argument("binary");
        }
        let right = match operator {
            ConditionOperator::Regex => self.regex_word()?,
            ConditionOperator::Match | ConditionOperator::SingleMatch | ConditionOperator::NotMatch => {
                self.condition_pattern()?
            }
            _ => self.condition_word()?,
        };
        Ok(Box::new(Condition::Binary(operator, left, right)))
    }

    /// Something else stands where `expected` should; the source may end there.
    fn unexpected_in_condition<T>(
        &mut self,
        expected: &'static str,
        message: impl FnOnce(&str) -> String,
    ) -> Parsed<T> {
        self.blanks();
        if self.at_end() {
            return self.unexpected(&[expected]);
        }
        let found = self.text()[self.pos..self.token_end()].to_str_lossy().into_owned();
        self.invalid_condition(message(&found))
    }

    fn invalid_condition<T>(&mut self, message: String) -> Parsed<T> {
        let to = self.token_end();
        Err(self.error(SyntaxErrorCause::InvalidCondition(message), self.pos, to))
    }

    /// The argument of an operator is missing: bash's words for it.
    fn unexpected_argument<T>(&mut self, kind: &str) -> Parsed<T> {
        if self.at_end() {
            return self.unexpected(&["an argument"]);
        }
        let found = match self.peek() {
            Some(b'\n') => "newline".to_owned(),
            _ => self.text()[self.pos..self.token_end()].to_str_lossy().into_owned(),
        };
        self.invalid_condition(format!("unexpected argument `{found}' to conditional {kind} operator"))
    }

    fn condition_word(&mut self) -> Parsed<Word> {
        let word = self.compared_word()?;
        // `>` and `<` directly after digits are redirections to bash's lexer, and an error here.
        if matches!(self.peek(), Some(b'<' | b'>'))
            && let [WordPart::Literal(text)] = word.parts.as_slice()
            && text.iter().all(u8::is_ascii_digit)
        {
            return self.unexpected(&["a blank"]);
        }
        Ok(word)
    }

    fn condition_operator(&self) -> Option<(ConditionOperator, usize)> {
        let text = &self.text()[self.pos..];
        match text.first() {
            Some(b'<') => return Some((ConditionOperator::Before, self.pos + 1)),
            Some(b'>') => return Some((ConditionOperator::After, self.pos + 1)),
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

/// The letters of the unary operators.
fn is_unary(letter: u8) -> bool {
    b"abcdefghknoprstuvwxzGLOSNR".contains(&letter)
}
