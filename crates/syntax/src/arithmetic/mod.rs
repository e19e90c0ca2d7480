//! Arithmetic expressions (XCU 2.6.4, 1.1.2.1, and bash's).

mod error;
mod lexer;
mod number;
mod parser;

use bstr::BString;

pub use error::{ArithmeticSyntaxError, ArithmeticSyntaxErrorCause};
pub use number::{NumberError, parse_number};

use crate::ast::{Arithmetic, ArithmeticExpression, Word, WordPart};
use crate::options::Dialect;
use crate::span::Span;
use parser::ExpressionParser;

/// Compiles the text of an expression, each expansion in it as one operand.
pub(crate) fn compile(parts: Vec<WordPart>, span: Span, dialect: Dialect, max_depth: u32, depth: u32) -> Arithmetic {
    let mut flat = Vec::new();
    let mut marks = Vec::new();
    let mut expansions = Vec::new();
    for part in &parts {
        match part {
            WordPart::Literal(text) | WordPart::Quoted(text) => flat.extend_from_slice(text),
            expansion => {
                marks.push(flat.len());
                flat.push(0);
                expansions.push(expansion.clone());
            }
        }
    }
    let expression =
        ExpressionParser::new(&flat, &marks, dialect, max_depth, depth).parse().ok().map(|(expression, _)| expression);
    Arithmetic { text: Word::new(vec![WordPart::DoubleQuoted(parts)], span), expression, expansions }
}

/// Compiles a text whose expansions have been put in.
///
/// A text of blanks is the number 0.
///
/// # Errors
/// The text is no expression. The error says what bash would say.
pub fn parse_arithmetic(
    text: &[u8],
    dialect: Dialect,
    max_depth: u32,
) -> Result<ArithmeticExpression, ArithmeticSyntaxError> {
    ExpressionParser::new(text, &[], dialect, max_depth, 0).parse().map(|(expression, _)| expression)
}

/// What bash evaluates of a text with a syntax error before it finds the error: it reads and evaluates in one go, so
/// that `$(( i = 5, n = ))` assigns to `i`. Every evaluation of the tree comes to its
/// [`Failed`](ArithmeticExpression::Failed) leaf. `None` where the text nests too deep.
pub fn parse_failing_arithmetic(text: &[u8], dialect: Dialect, max_depth: u32) -> Option<ArithmeticExpression> {
    ExpressionParser::new(text, &[], dialect, max_depth, 0).parse_failing()
}

/// An expression of plain text inside another one: a subscript. What is no expression is an error only when it is
/// evaluated (it may be the key of an associative array), except that it must not nest too deep.
fn compile_text(
    text: &[u8],
    dialect: Dialect,
    max_depth: u32,
    depth: u32,
) -> Result<(Arithmetic, u32), ArithmeticSyntaxErrorCause> {
    let compiled = ExpressionParser::new(text, &[], dialect, max_depth, depth).parse();
    let (expression, height) = match compiled {
        Ok((expression, height)) => (Some(expression), height),
        Err(error) if error.cause == ArithmeticSyntaxErrorCause::TooDeep => return Err(error.cause),
        Err(_) => (None, 0),
    };
    let parts = if text.is_empty() { Vec::new() } else { vec![WordPart::Literal(BString::from(text))] };
    let arithmetic = Arithmetic {
        text: Word::new(vec![WordPart::DoubleQuoted(parts)], Span::default()),
        expression,
        expansions: Vec::new(),
    };
    Ok((arithmetic, height))
}
