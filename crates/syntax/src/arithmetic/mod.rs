//! Arithmetic expressions (XCU 2.6.4, 1.1.2.1, and bash's).

mod error;
mod lexer;
mod number;
mod parser;
mod subscript;

pub use error::{ArithmeticSyntaxError, ArithmeticSyntaxErrorCause};
pub use number::{NumberError, parse_number};

use crate::ast::{Arithmetic, ArithmeticExpansion, ArithmeticExpression, Word, WordPart, WordParts};
use crate::options::Dialect;
use crate::span::Span;
use parser::ExpressionParser;

/// Compiles the text of an expression, each expansion in it as one operand; those in a subscript belong to that.
pub(crate) fn compile(parts: Vec<WordPart>, span: Span, dialect: Dialect, max_depth: u32, depth: u32) -> Arithmetic {
    compile_parts(parts, span, dialect, max_depth, depth).0
}

/// Compiles an expression of literal text and expansions that have to stay what they are: the subscripts of variables.
pub fn compile_arithmetic(parts: Vec<WordPart>, dialect: Dialect, max_depth: u32) -> Arithmetic {
    compile(parts, Span::default(), dialect, max_depth, 0)
}

/// As [`compile`]; gives the height of the tree too, or why there is none.
fn compile_parts(
    parts: Vec<WordPart>,
    span: Span,
    dialect: Dialect,
    max_depth: u32,
    depth: u32,
) -> (Arithmetic, Result<u32, ArithmeticSyntaxErrorCause>) {
    let mut flat = Vec::new();
    let mut marks = Vec::new();
    let mut expansions = Vec::new();
    for part in &parts {
        match part {
            WordPart::Literal(text) | WordPart::Quoted(text) => flat.extend_from_slice(text),
            expansion => {
                marks.push(flat.len());
                flat.push(0);
                expansions.push(ArithmeticExpansion { part: expansion.clone(), nested: false });
            }
        }
    }
    if dialect == Dialect::Bash {
        let nested = subscript::nested(&flat, &marks);
        if let Some(parts) = subscript::without_quoted(&parts, &flat, &marks, &nested) {
            return compile_parts(parts, span, dialect, max_depth, depth);
        }
        expansions.iter_mut().zip(nested).for_each(|(expansion, nested)| expansion.nested = nested);
    }
    let places = Places { marks: &marks, expansions: &expansions };
    let (expression, height) = match ExpressionParser::new(&flat, places, dialect, max_depth, depth).parse() {
        Ok((expression, height)) => (Some(expression), Ok(height)),
        Err(error) => (None, Err(error.cause)),
    };
    let text = Word::new(WordParts::one(WordPart::DoubleQuoted(parts)), span);
    (Arithmetic { text, source: None, bracketed: false, expression, expansions }, height)
}

/// The expansions in a text.
#[derive(Clone, Copy, Default)]
struct Places<'t> {
    /// Where they stand, in order.
    marks: &'t [usize],
    expansions: &'t [ArithmeticExpansion],
}

impl<'t> Places<'t> {
    /// The expansion at a place.
    fn at(self, place: usize) -> Option<&'t WordPart> {
        self.expansions.get(self.marks.binary_search(&place).ok()?).map(|expansion| &expansion.part)
    }

    /// Which operand the expansion at a place is.
    fn operand(self, place: usize) -> Option<usize> {
        let index = self.marks.binary_search(&place).ok().filter(|index| !self.expansions[*index].nested)?;
        Some(self.expansions[..index].iter().filter(|expansion| !expansion.nested).count())
    }

    fn is_mark(self, place: usize) -> bool {
        self.marks.binary_search(&place).is_ok()
    }

    /// Do all the expansions between two places stand in a subscript?
    fn all_nested_in(self, from: usize, to: usize) -> bool {
        self.marks.iter().zip(self.expansions).all(|(mark, expansion)| expansion.nested || !(from..to).contains(mark))
    }

    fn any_in(self, from: usize, to: usize) -> bool {
        self.marks.iter().any(|mark| (from..to).contains(mark))
    }
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
    ExpressionParser::new(text, Places::default(), dialect, max_depth, 0).parse().map(|(expression, _)| expression)
}

/// What bash evaluates of a text with a syntax error before it finds the error: it reads and evaluates in one go, so
/// that `$(( i = 5, n = ))` assigns to `i`. Every evaluation of the tree comes to its
/// [`Failed`](ArithmeticExpression::Failed) leaf. `None` if the text nests too deep.
pub fn parse_failing_arithmetic(text: &[u8], dialect: Dialect, max_depth: u32) -> Option<ArithmeticExpression> {
    ExpressionParser::new(text, Places::default(), dialect, max_depth, 0).parse_failing()
}

/// An expression of plain text inside another one: a subscript. What is no expression is an error only when it is
/// evaluated (it may be the key of an associative array), except that it must not nest too deep.
fn compile_text(
    text: &[u8],
    dialect: Dialect,
    max_depth: u32,
    depth: u32,
) -> Result<(Box<Arithmetic>, u32), ArithmeticSyntaxErrorCause> {
    let compiled = ExpressionParser::new(text, Places::default(), dialect, max_depth, depth).parse();
    let (expression, height) = match compiled {
        Ok((expression, height)) => (Some(expression), height),
        Err(error) if error.cause.is_limit() => return Err(error.cause),
        Err(_) => (None, 0),
    };
    Ok((of_text(text, expression), height))
}

/// A function of its own for the stack of what recurses.
fn of_text(text: &[u8], expression: Option<ArithmeticExpression>) -> Box<Arithmetic> {
    let parts = if text.is_empty() { Vec::new() } else { vec![WordPart::Literal(text.into())] };
    let text = Word::new(WordParts::one(WordPart::DoubleQuoted(parts)), Span::default());
    Box::new(Arithmetic { text, source: None, bracketed: false, expression, expansions: Vec::new() })
}
