//! Why a text is no arithmetic expression.

use bstr::BString;
use thiserror::Error;

use super::number::NumberError;

/// A syntax error in arithmetic. bash prints `EXPRESSION: CAUSE (error token is "TOKEN")`, which is [`Self::cause`]'s
/// text and [`Self::token`]; for [`ArithmeticSyntaxErrorCause::Number`] it prints the expression only up to the end of
/// the token.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{cause} (error token is \"{token}\")")]
pub struct ArithmeticSyntaxError {
    /// What is wrong.
    pub cause: ArithmeticSyntaxErrorCause,
    /// Where the token begins, in bytes from the beginning of the text.
    pub offset: usize,
    /// The rest of the text from the token on (for a number: the number).
    pub token: BString,
}

/// What is wrong with an expression, in bash's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ArithmeticSyntaxErrorCause {
    /// A value is missing: `1 +`.
    #[error("syntax error: operand expected")]
    OperandExpected,
    /// Text is left over: `1 2`.
    #[error("syntax error in expression")]
    TrailingText,
    /// A character that is no operator: `1 @ 2`.
    #[error("syntax error: invalid arithmetic operator")]
    InvalidOperator,
    /// `(1`
    #[error("missing `)'")]
    MissingParenthesis,
    /// `1 ? 2`
    #[error("`:' expected for conditional expression")]
    ColonExpected,
    /// `1 ?`
    #[error("expression expected")]
    ExpressionExpected,
    /// `1 = 2`
    #[error("attempted assignment to non-variable")]
    NotAVariable,
    /// `a[`
    #[error("bad array subscript")]
    BadSubscript,
    /// A constant that is none.
    #[error("{0}")]
    Number(NumberError),
    /// Nested deeper than the limit.
    #[error("expression recursion level exceeded")]
    TooDeep,
    /// More operands and operators than the limit.
    #[error("limit parse-nodes of {0} reached: the expression has more operands")]
    TooLarge(usize),
}

impl ArithmeticSyntaxErrorCause {
    /// Was a limit reached?
    pub(super) fn is_limit(self) -> bool {
        matches!(self, Self::TooDeep | Self::TooLarge(_))
    }
}
