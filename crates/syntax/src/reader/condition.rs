//! bash: `[[ … ]]`.

use super::token::Operator;
use super::{Parsed, Reader};
use crate::ast::{Compound, Condition, ConditionOperator, Word, WordPart};
use crate::error::SyntaxErrorCause;

impl Reader<'_> {
    /// Behind `[[`.
    pub(crate) fn condition_command(&mut self) -> Parsed<Compound> {
        let (condition, _) = self.condition_or()?;
        if !self.at_condition_end() {
            return self.unexpected(&["`]]'"]);
        }
        self.take_condition_end();
        Ok(Compound::Condition(condition))
    }

    /// Gives the height of the tree too: chains of operators nest it as parentheses do.
    fn condition_or(&mut self) -> Parsed<(Condition, u32)> {
        self.enter()?;
        let (mut left, mut height) = self.condition_and()?;
        while self.take(Operator::Or) {
            let (right, right_height) = self.condition_and()?;
            height = self.higher(height, right_height)?;
            left = Condition::Or(Box::new(left), Box::new(right));
        }
        self.leave();
        Ok((left, height))
    }

    fn condition_and(&mut self) -> Parsed<(Condition, u32)> {
        let (mut left, mut height) = self.condition_term()?;
        while self.take(Operator::And) {
            let (right, right_height) = self.condition_term()?;
            height = self.higher(height, right_height)?;
            left = Condition::And(Box::new(left), Box::new(right));
        }
        Ok((left, height))
    }

    fn higher(&mut self, left: u32, right: u32) -> Parsed<u32> {
        let height = left.max(right) + 1;
        if height > self.options.max_depth {
            return Err(self.too_deep());
        }
        Ok(height)
    }

    fn condition_term(&mut self) -> Parsed<(Condition, u32)> {
        self.newlines()?;
        let mut negations = 0_u32;
        while let Some(b'!') = self.peek()
            && self.ends_word(1)
        {
            negations += 1;
            self.pos += 1;
            self.newlines()?;
        }
        let (mut condition, mut height) = self.condition_primary()?;
        for _ in 0..negations {
            height = self.higher(height, 0)?;
            condition = Condition::Not(Box::new(condition));
        }
        self.newlines()?;
        Ok((condition, height))
    }

    fn condition_primary(&mut self) -> Parsed<(Condition, u32)> {
        if self.at_condition_end() || self.at_end() {
            return self.unexpected(&["a condition"]);
        }
        if let Some((Operator::LeftParenthesis, end)) = self.operator() {
            self.pos = end;
            self.open("(");
            let (inner, height) = self.condition_or()?;
            if !self.take(Operator::RightParenthesis) {
                return self.unexpected(&["`)'"]);
            }
            self.close();
            let height = self.higher(height, 0)?;
            return Ok((Condition::Group(Box::new(inner)), height));
        }
        if let (Some(b'-'), Some(letter)) = (self.peek(), self.peek_at(1))
            && is_unary(letter)
            && self.ends_word(2)
        {
            self.pos += 2;
            self.blanks();
            if self.at_condition_end() || !self.at_word() {
                return self.unexpected(&["an argument to a unary operator"]);
            }
            let word = self.condition_word()?;
            return Ok((Condition::Unary(letter, word), 1));
        }
        if !self.at_word() || self.at_number_before_operator() {
            return self.unexpected(&["a condition"]);
        }
        let left = self.condition_word()?;
        self.newlines()?;
        if self.at_condition_end()
            || matches!(
                self.operator(),
                Some((Operator::And | Operator::Or | Operator::RightParenthesis, _))
            )
        {
            return Ok((Condition::Word(left), 1));
        }
        let Some((operator, end)) = self.condition_operator() else {
            if self.at_end() {
                return self.unexpected(&["`]]'"]);
            }
            let to = self.token_end();
            let cause = SyntaxErrorCause::Invalid("conditional binary operator expected".into());
            return Err(self.error(cause, self.pos, to));
        };
        self.pos = end;
        self.blanks();
        let regex = operator == ConditionOperator::Regex;
        let opens_regex = regex && self.peek() == Some(b'(');
        if self.at_condition_end()
            || !(self.at_word() || opens_regex || regex && self.peek() == Some(b'|'))
        {
            return self.unexpected(&["an argument to a binary operator"]);
        }
        let right = match operator {
            ConditionOperator::Regex => self.regex_word()?,
            ConditionOperator::Match | ConditionOperator::NotMatch => self.condition_pattern()?,
            _ => self.condition_word()?,
        };
        Ok((Condition::Binary(operator, left, right), 1))
    }

    fn condition_word(&mut self) -> Parsed<Word> {
        let word = self.plain_word()?;
        // `>` and `<` directly behind digits are redirections to bash's lexer, and an error here.
        if matches!(self.peek(), Some(b'<' | b'>'))
            && let [WordPart::Literal(text)] = word.parts.as_slice()
            && text.iter().all(u8::is_ascii_digit)
        {
            return self.unexpected(&["a blank"]);
        }
        Ok(word)
    }

    fn at_number_before_operator(&self) -> bool {
        false
    }

    fn condition_operator(&self) -> Option<(ConditionOperator, usize)> {
        let text = &self.text()[self.pos..];
        match text.first() {
            Some(b'<') => return Some((ConditionOperator::Before, self.pos + 1)),
            Some(b'>') => return Some((ConditionOperator::After, self.pos + 1)),
            _ => {}
        }
        let length = text
            .iter()
            .position(|&b| crate::bytes::is(b, crate::bytes::META))
            .unwrap_or(text.len());
        let operator = match &text[..length] {
            b"=" | b"==" => ConditionOperator::Match,
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
        self.peek() == Some(b']') && self.peek_at(1) == Some(b']') && self.ends_word(2)
    }

    fn take_condition_end(&mut self) {
        self.pos += 2;
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
