//! Why a `test` expression has no truth value.

use bstr::BString;
use thiserror::Error;

/// An error of `test` or `[`, in bash's words; the caller puts the utility's name in front. The exit status is 2.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum TestError {
    /// Two arguments, and the first is no unary operator.
    #[error("{0}: unary operator expected")]
    UnaryOperatorExpected(BString),
    /// Three arguments, and the second is no binary operator.
    #[error("{0}: binary operator expected")]
    BinaryOperatorExpected(BString),
    /// An operand of `-eq` and its like is no decimal integer of 64 bits.
    #[error("{0}: integer expression expected")]
    IntegerExpected(BString),
    /// The expression ends where an operand must follow.
    #[error("argument expected")]
    ArgumentExpected,
    /// The expression ends inside parentheses.
    #[error("`)' expected")]
    ParenthesisExpected,
    /// Something else stands where the closing parenthesis must.
    #[error("`)' expected, found {0}")]
    ParenthesisExpectedFound(BString),
    /// An operator after a complete expression.
    #[error("syntax error: `{0}' unexpected")]
    Unexpected(BString),
    /// Words after a complete expression.
    #[error("too many arguments")]
    TooManyArguments,
    /// Parentheses nested deeper than the parser goes.
    #[error("parentheses nested deeper than {limit} levels")]
    TooDeep {
        /// The most levels.
        limit: usize,
    },
    /// A letter that names no unary operator was given to [`unary`](super::unary).
    #[error("-{}: unary operator expected", char::from(*.0))]
    NotUnary(u8),
}
