//! Reading the arguments of `test`.

use bstr::BString;
use hookshell_text::integer::parse_integer;

use super::file::FileComparison;
use super::{Environment, TestError, file_compare, is_unary, unary};

/// Parentheses deeper than this are an error: each level is a level of recursion.
const MAX_DEPTH: usize = 200;

/// The value of a `test` expression, given without the utility's name and the closing `]`.
///
/// # Errors
///
/// A syntax error or an operand that is no integer; the exit status is then 2.
pub(crate) fn test(arguments: &[&[u8]], env: &dyn Environment) -> Result<bool, TestError> {
    match *arguments {
        [] => Ok(false),
        [only] => Ok(!only.is_empty()),
        [first, second] => two(first, second, env),
        [first, second, third] => three(first, second, third, env),
        [b"!", first, second, third] => three(first, second, third, env).map(|value| !value),
        [b"(", first, second, b")"] => two(first, second, env),
        _ => {
            let mut parser = Parser { arguments, at: 0, depth: 0, env };
            let value = parser.or()?;
            match parser.peek() {
                None => Ok(value),
                Some(word) if word.starts_with(b"-") => Err(TestError::Unexpected(word.into())),
                Some(_) => Err(TestError::TooManyArguments),
            }
        }
    }
}

fn two(first: &[u8], second: &[u8], env: &dyn Environment) -> Result<bool, TestError> {
    match *first {
        [b'!'] => Ok(second.is_empty()),
        [b'-', letter] if is_unary(letter) => unary(letter, second, env),
        _ => Err(TestError::UnaryOperatorExpected(first.into())),
    }
}

fn three(first: &[u8], second: &[u8], third: &[u8], env: &dyn Environment) -> Result<bool, TestError> {
    if let Some(operator) = Binary::from_word(second) {
        return operator.apply(first, third, env);
    }
    match (first, second, third) {
        (_, b"-a", _) => Ok(!first.is_empty() && !third.is_empty()),
        (_, b"-o", _) => Ok(!first.is_empty() || !third.is_empty()),
        (b"!", _, _) => two(second, third, env).map(|value| !value),
        (b"(", _, b")") => Ok(!second.is_empty()),
        _ => Err(TestError::BinaryOperatorExpected(second.into())),
    }
}

/// A binary operator of `test`.
#[derive(Debug, Clone, Copy)]
enum Binary {
    Equal,
    NotEqual,
    Before,
    After,
    IntegerEqual,
    IntegerNotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    File(FileComparison),
}

impl Binary {
    fn from_word(word: &[u8]) -> Option<Self> {
        Some(match word {
            b"=" | b"==" => Self::Equal,
            b"!=" => Self::NotEqual,
            b"<" => Self::Before,
            b">" => Self::After,
            b"-eq" => Self::IntegerEqual,
            b"-ne" => Self::IntegerNotEqual,
            b"-lt" => Self::Less,
            b"-le" => Self::LessOrEqual,
            b"-gt" => Self::Greater,
            b"-ge" => Self::GreaterOrEqual,
            b"-nt" => Self::File(FileComparison::Newer),
            b"-ot" => Self::File(FileComparison::Older),
            b"-ef" => Self::File(FileComparison::Same),
            _ => return None,
        })
    }

    fn apply(self, left: &[u8], right: &[u8], env: &dyn Environment) -> Result<bool, TestError> {
        Ok(match self {
            Self::Equal => left == right,
            Self::NotEqual => left != right,
            Self::Before => env.compare(left, right).is_lt(),
            Self::After => env.compare(left, right).is_gt(),
            Self::IntegerEqual => integer(left)? == integer(right)?,
            Self::IntegerNotEqual => integer(left)? != integer(right)?,
            Self::Less => integer(left)? < integer(right)?,
            Self::LessOrEqual => integer(left)? <= integer(right)?,
            Self::Greater => integer(left)? > integer(right)?,
            Self::GreaterOrEqual => integer(left)? >= integer(right)?,
            Self::File(comparison) => file_compare(comparison, left, right, env),
        })
    }
}

fn integer(word: &[u8]) -> Result<i64, TestError> {
    parse_integer(word).ok_or_else(|| TestError::IntegerExpected(word.into()))
}

/// bash's parser for more than four arguments. Every operand is evaluated: `-a` and `-o` do not skip.
struct Parser<'a> {
    arguments: &'a [&'a [u8]],
    at: usize,
    depth: usize,
    env: &'a dyn Environment,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<&'a [u8]> {
        self.arguments.get(self.at).copied()
    }

    fn take(&mut self, word: &[u8]) -> bool {
        let found = self.peek() == Some(word);
        if found {
            self.at += 1;
        }
        found
    }

    fn or(&mut self) -> Result<bool, TestError> {
        let mut value = self.and()?;
        while self.take(b"-o") {
            value |= self.and()?;
        }
        Ok(value)
    }

    fn and(&mut self) -> Result<bool, TestError> {
        let mut value = self.term()?;
        while self.take(b"-a") {
            value &= self.term()?;
        }
        Ok(value)
    }

    fn term(&mut self) -> Result<bool, TestError> {
        let mut negated = false;
        while self.take(b"!") {
            negated = !negated;
        }
        Ok(self.primary()? != negated)
    }

    fn primary(&mut self) -> Result<bool, TestError> {
        let first = self.peek().ok_or(TestError::ArgumentExpected)?;
        if first == b"(" {
            self.at += 1;
            return self.parenthesized();
        }
        if let Some(&[_, operator, right]) = self.arguments.get(self.at..self.at + 3)
            && let Some(operator) = Binary::from_word(operator)
        {
            self.at += 3;
            return operator.apply(first, right, self.env);
        }
        self.at += 1;
        match (first, self.peek()) {
            // `-t` takes its operand only when that is a number.
            (b"-t", Some(operand)) if parse_integer(operand).is_none() => Ok(false),
            (&[b'-', letter], Some(operand)) if is_unary(letter) => {
                self.at += 1;
                unary(letter, operand, self.env)
            }
            _ => Ok(!first.is_empty()),
        }
    }

    fn parenthesized(&mut self) -> Result<bool, TestError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(TestError::TooDeep { limit: MAX_DEPTH });
        }
        let value = self.or()?;
        self.depth -= 1;
        match self.peek() {
            Some(b")") => {
                self.at += 1;
                Ok(value)
            }
            Some(found) => Err(TestError::ParenthesisExpectedFound(BString::from(found))),
            None => Err(TestError::ParenthesisExpected),
        }
    }
}
