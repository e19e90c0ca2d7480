//! Arithmetic expressions.

use super::{Subscript, Word, WordPart};
use crate::name::Name;

/// An arithmetic expression (XCU 2.6.4).
///
/// POSIX expands the text first and evaluates what comes out. The parser compiles the text anyway, each expansion in
/// it as one operand ([`ArithmeticExpression::Expansion`]): the interpreter expands them first, and as long as each
/// gives an integer literal (digits, no sign) the compiled form means the same. Otherwise (`x='1+2'; $(( $x * 2 ))`)
/// it puts the expansions into the text and parses that. A subscript that holds an expansion (`$(( a[$i] ))`) is always
/// left to the run: `expression` is `None` there.
///
/// Two are equal when their texts are: the rest follows from the text. (Comparing the expansions, which stand in the
/// text too, would take exponential time in nested expressions.)
#[derive(Debug, Clone)]
pub struct Arithmetic {
    /// The text, as in double quotes (quote characters are removed as bash does).
    pub text: Word,
    /// The text as it was written, which bash lists: where double quotes were removed from it, or something is open at its end.
    pub source: Option<Box<[u8]>>,
    /// bash: written `$[…]`.
    pub bracketed: bool,
    /// The compiled text; `None` when it is an expression only after its expansions are put in, or is not one at
    /// all (an error when it is evaluated).
    pub expression: Option<ArithmeticExpression>,
    /// The expansions in the order of the text: what [`ArithmeticExpression::Expansion`] counts.
    pub expansions: Vec<ArithmeticExpansion>,
}

/// An expansion in the text of an expression.
#[derive(Debug, Clone)]
pub struct ArithmeticExpansion {
    /// The expansion.
    pub part: WordPart,
    /// It stands in the subscript of a variable. That has it too, and it is no operand.
    pub nested: bool,
}

impl PartialEq for Arithmetic {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

/// A compiled arithmetic expression, in C's terms, on signed 64-bit integers that wrap.
#[derive(Debug, Clone, PartialEq)]
pub enum ArithmeticExpression {
    /// A constant: decimal, `0` octal, `0x`, bash's `base#digits`.
    Number(i64),
    /// A variable; its value is itself an expression.
    Variable(ArithmeticVariable),
    /// The n-th of [`Arithmetic::expansions`].
    Expansion(u32),
    /// `+ - ! ~`
    Unary(UnaryOperator, Box<ArithmeticExpression>),
    /// A binary operator that evaluates both sides (the comma too), and `&&`, `||`, which may not.
    Binary(BinaryOperator, Box<ArithmeticExpression>, Box<ArithmeticExpression>),
    /// Many binary operators in a row that group to the left, as in `1+2+3+…`, so that long sums are not deep trees.
    Chain(Box<ArithmeticChain>),
    /// `condition ? then : else`
    Conditional(Box<[ArithmeticExpression; 3]>),
    /// `variable = value`, `variable op= value`
    Assign(ArithmeticVariable, Option<BinaryOperator>, Box<ArithmeticExpression>),
    /// `++x`, `--x`, `x++`, `x--`
    Step {
        /// The variable.
        variable: ArithmeticVariable,
        /// 1 or -1.
        by: i8,
        /// The value is the one before the step (`x++`).
        postfix: bool,
    },
    /// Where an expression with a syntax error ends: never in a tree of the source, only in what
    /// [`parse_failing_arithmetic`](crate::parse_failing_arithmetic) gives.
    Failed,
}

/// `first op operand op operand …`, grouped to the left. `&&` and `||` evaluate their operand only where they need it.
#[derive(Debug, Clone, PartialEq)]
pub struct ArithmeticChain {
    /// The leftmost operand.
    pub first: ArithmeticExpression,
    /// What is applied to it, in order.
    pub rest: Vec<(BinaryOperator, ArithmeticExpression)>,
}

/// A variable in an arithmetic expression.
#[derive(Debug, Clone, PartialEq)]
pub struct ArithmeticVariable {
    /// The name.
    pub name: Name,
    /// bash: the subscript. Its [`Index::key`](super::Index::key) is the raw text between the brackets.
    pub subscript: Option<Box<Subscript>>,
}

/// Unary arithmetic operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnaryOperator {
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `!`
    Not,
    /// `~`
    Complement,
}

/// Binary arithmetic operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BinaryOperator {
    /// `**` (bash)
    Power,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Remainder,
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `&`
    BitAnd,
    /// `^`
    BitXor,
    /// `|`
    BitOr,
    /// `&&`
    And,
    /// `||`
    Or,
    /// `,` (bash)
    Comma,
}
