//! Tokens of arithmetic.

use super::Places;
use super::error::ArithmeticSyntaxErrorCause as Cause;
use super::number::{NumberError, is_number_byte, parse_number};
use super::subscript;
use crate::ast::BinaryOperator;
use crate::bytes::{NAME, begins_name, is};
use crate::options::Dialect;

/// A token; ranges are bytes of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token {
    End,
    Number(i64),
    /// The n-th expansion.
    Expansion(u32),
    /// A name, and the inside of its subscript.
    Name {
        from: usize,
        to: usize,
        subscript: Option<(usize, usize)>,
    },
    Binary(BinaryOperator),
    /// `=` (`None`) and `op=`
    Assign(Option<BinaryOperator>),
    Increment(i8),
    /// `++` after a name
    PostIncrement(i8),
    Not,
    Complement,
    Question,
    Colon,
    Open,
    Close,
}

/// Reads tokens one by one.
pub(super) struct Lexer<'t> {
    pub(super) text: &'t [u8],
    pub(super) places: Places<'t>,
    dialect: Dialect,
    position: usize,
    /// Where the last token that is not the end began.
    pub(super) token: usize,
    /// Where the text ends that an error shows.
    pub(super) shown: usize,
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t [u8], places: Places<'t>, dialect: Dialect) -> Self {
        Self { text, places, dialect, position: 0, token: 0, shown: text.len() }
    }

    /// The next token; `previous` decides what `++` is.
    pub(super) fn next(&mut self, previous: Token) -> Result<Token, Cause> {
        while let Some(b' ' | b'\t' | b'\n') = self.text.get(self.position) {
            self.position += 1;
        }
        let Some(&byte) = self.text.get(self.position) else {
            return Ok(Token::End);
        };
        let begin = self.position;
        self.token = begin;
        if let Some(index) = self.places.operand(begin) {
            self.position += 1;
            // Text beside it would be one token with what it expands to.
            let touches = |b: u8| is(b, NAME) || matches!(b, b'#' | b'@' | b'[');
            let after =
                self.text.get(self.position).copied().is_some_and(touches) || self.places.is_mark(self.position);
            if after {
                return Err(Cause::TrailingText);
            }
            let index = u32::try_from(index).map_err(|_| Cause::TooDeep)?;
            return Ok(Token::Expansion(index));
        }
        if begins_name(byte) {
            return self.name(begin);
        }
        if byte.is_ascii_digit() {
            let mut end = begin;
            while end < self.text.len() && is_number_byte(self.text[end]) && !self.places.is_mark(end) {
                end += 1;
            }
            self.position = end;
            return match parse_number(&self.text[begin..end], self.dialect) {
                Some(Ok(number)) => Ok(Token::Number(number)),
                Some(Err(error)) => {
                    self.shown = end;
                    Err(Cause::Number(error))
                }
                None => Err(Cause::Number(NumberError::InvalidNumber)),
            };
        }
        let rest = &self.text[begin..];
        let second = rest.get(1).copied();
        let third = rest.get(2).copied();
        let (token, length) = operator(byte, second, third, self.dialect).ok_or(Cause::InvalidOperator)?;
        if let Token::Increment(by) = token {
            if let Token::Name { .. } = previous {
                self.position += 2;
                return Ok(Token::PostIncrement(by));
            }
            let variable =
                rest[2..].iter().find(|b| !matches!(b, b' ' | b'\t' | b'\n')).is_some_and(|&b| begins_name(b));
            if variable {
                self.position += 2;
                return Ok(token);
            }
            self.position += 1;
            return Ok(Token::Binary(if by > 0 { BinaryOperator::Add } else { BinaryOperator::Subtract }));
        }
        self.position += length;
        Ok(token)
    }

    fn name(&mut self, begin: usize) -> Result<Token, Cause> {
        let mut end = begin;
        while self.text.get(end).is_some_and(|&b| is(b, NAME)) {
            end += 1;
        }
        self.position = end;
        // An expansion right after it would make another name.
        if self.places.is_mark(end) {
            return Err(Cause::TrailingText);
        }
        let mut inner = None;
        if self.dialect == Dialect::Bash && self.text.get(end) == Some(&b'[') {
            let inside = end + 1;
            let close = subscript::end(self.text, inside).ok_or(Cause::BadSubscript)?;
            if !self.places.all_nested_in(inside, close) {
                return Err(Cause::BadSubscript);
            }
            inner = Some((inside, close));
            self.position = close + 1;
        }
        Ok(Token::Name { from: begin, to: end, subscript: inner })
    }
}

fn operator(first: u8, second: Option<u8>, third: Option<u8>, dialect: Dialect) -> Option<(Token, usize)> {
    use BinaryOperator as B;
    let bash = dialect == Dialect::Bash;
    Some(match (first, second) {
        (b'=', Some(b'=')) => (Token::Binary(B::Equal), 2),
        (b'!', Some(b'=')) => (Token::Binary(B::NotEqual), 2),
        (b'<', Some(b'<')) if third == Some(b'=') => (Token::Assign(Some(B::ShiftLeft)), 3),
        (b'<', Some(b'<')) => (Token::Binary(B::ShiftLeft), 2),
        (b'>', Some(b'>')) if third == Some(b'=') => (Token::Assign(Some(B::ShiftRight)), 3),
        (b'>', Some(b'>')) => (Token::Binary(B::ShiftRight), 2),
        (b'<', Some(b'=')) => (Token::Binary(B::LessEqual), 2),
        (b'>', Some(b'=')) => (Token::Binary(B::GreaterEqual), 2),
        (b'<', _) => (Token::Binary(B::Less), 1),
        (b'>', _) => (Token::Binary(B::Greater), 1),
        (b'&', Some(b'&')) => (Token::Binary(B::And), 2),
        (b'|', Some(b'|')) => (Token::Binary(B::Or), 2),
        (b'*', Some(b'*')) if bash => (Token::Binary(B::Power), 2),
        (b'+', Some(b'+')) => (Token::Increment(1), 2),
        (b'-', Some(b'-')) => (Token::Increment(-1), 2),
        (b'*' | b'/' | b'%' | b'+' | b'-' | b'&' | b'^' | b'|', next) => {
            let operator = match first {
                b'*' => B::Multiply,
                b'/' => B::Divide,
                b'%' => B::Remainder,
                b'+' => B::Add,
                b'-' => B::Subtract,
                b'&' => B::BitAnd,
                b'^' => B::BitXor,
                _ => B::BitOr,
            };
            if next == Some(b'=') { (Token::Assign(Some(operator)), 2) } else { (Token::Binary(operator), 1) }
        }
        (b'=', _) => (Token::Assign(None), 1),
        (b',', _) if bash => (Token::Binary(B::Comma), 1),
        (b'!', _) => (Token::Not, 1),
        (b'~', _) => (Token::Complement, 1),
        (b'?', _) => (Token::Question, 1),
        (b':', _) => (Token::Colon, 1),
        (b'(', _) => (Token::Open, 1),
        (b')', _) => (Token::Close, 1),
        _ => return None,
    })
}
