//! The grammar of arithmetic: C's, with bash's `**` and without its casts.
//!
//! Errors are found where bash's evaluator finds them, so that the messages agree.

use super::error::{ArithmeticSyntaxError, ArithmeticSyntaxErrorCause as Cause};
use super::lexer::{Lexer, Token};
use super::{Places, compile_parts, compile_text, subscript};
use crate::ast::{
    Arithmetic, ArithmeticChain, ArithmeticExpression as Expression, ArithmeticVariable, BinaryOperator, Index,
    Subscript, UnaryOperator, Word, WordPart,
};
use crate::name::Name;
use crate::options::{DEFAULT_MAX_NODES, Dialect};
use crate::span::Span;

/// Operators in a row, as in `1+1+1+…`, nest the tree to the left, which takes no stack here, but every walk over the tree
/// does. Where a tree is as high as this, what is applied to it makes it a chain instead, which grows no higher.
const CHAIN_HEIGHT: u32 = 32;

/// A tree may be this many times as high as constructs may be nested: an operand of an operator of each precedence is a
/// level of the tree, and none of nesting.
const HEIGHT_FACTOR: u32 = 4;

#[expect(clippy::boxed_local, reason = "the frames that recurse stay small")]
fn index(key: Vec<WordPart>, arithmetic: Box<Arithmetic>) -> Box<Subscript> {
    let index = Index { key: Word::new(key, Span::default()), arithmetic: *arithmetic };
    Box::new(Subscript::Index(Box::new(index)))
}

/// Parses one expression.
pub(super) struct ExpressionParser<'t> {
    lexer: Lexer<'t>,
    current: Token,
    previous: Token,
    dialect: Dialect,
    max_depth: u32,
    depth: u32,
    /// Tokens so far.
    tokens: usize,
    /// Height of the tree that was parsed last.
    height: u32,
    /// An error becomes a leaf of the tree instead of its end.
    keeps_errors: bool,
    /// There was one.
    failed: bool,
}

impl<'t> ExpressionParser<'t> {
    pub(super) fn new(text: &'t [u8], places: Places<'t>, dialect: Dialect, max_depth: u32, depth: u32) -> Self {
        Self {
            lexer: Lexer::new(text, places, dialect),
            current: Token::End,
            previous: Token::End,
            dialect,
            max_depth,
            depth,
            tokens: 0,
            height: 0,
            keeps_errors: false,
            failed: false,
        }
    }

    /// The tree with an error as its last leaf.
    pub(super) fn parse_failing(mut self) -> Option<Expression> {
        self.keeps_errors = true;
        self.whole().ok()
    }

    /// An error: a leaf, or the end.
    fn fail(&mut self, cause: Cause) -> Result<Expression, Cause> {
        if !self.keeps_errors || cause.is_limit() {
            return Err(cause);
        }
        self.failed = true;
        self.current = Token::End;
        Ok(Expression::Failed)
    }

    /// An error after an expression.
    fn fail_after(&mut self, before: Expression, cause: Cause) -> Result<Expression, Cause> {
        // A name has been evaluated when it was read, unless a `=` follows.
        let read = match self.current {
            Token::Name { .. } if self.keeps_errors => {
                let variable = self.variable()?;
                self.advance()?;
                (!self.failed && self.current != Token::Assign(None)).then_some(Expression::Variable(variable))
            }
            _ => None,
        };
        let failed = self.fail(cause)?;
        Ok(then_failed(
            before,
            match read {
                Some(read) => then_failed(read, failed),
                None => failed,
            },
        ))
    }

    /// The expression, and the height of its tree.
    pub(super) fn parse(mut self) -> Result<(Expression, u32), ArithmeticSyntaxError> {
        match self.whole() {
            Ok(expression) => Ok((expression, self.height)),
            Err(cause) => {
                let offset = self.lexer.token;
                let shown = self.lexer.shown.max(offset);
                Err(ArithmeticSyntaxError { cause, offset, token: self.lexer.text[offset..shown].into() })
            }
        }
    }

    fn whole(&mut self) -> Result<Expression, Cause> {
        self.advance()?;
        if self.current == Token::End && !self.failed {
            return Ok(Expression::Number(0));
        }
        let expression = self.comma()?;
        if self.current != Token::End {
            return self.fail_after(expression, Cause::TrailingText);
        }
        Ok(expression)
    }

    fn advance(&mut self) -> Result<(), Cause> {
        self.tokens += 1;
        if self.tokens > DEFAULT_MAX_NODES {
            return Err(Cause::TooLarge(DEFAULT_MAX_NODES));
        }
        let token = self.lexer.next(self.current).map_err(|cause| match self.current {
            // After an operand an unknown character is no operator; elsewhere it is no operand.
            Token::Number(_) | Token::Name { .. } | Token::Expansion(_) => cause,
            _ if cause == Cause::InvalidOperator => Cause::OperandExpected,
            _ => cause,
        });
        let token = match token {
            Ok(token) => token,
            Err(cause) => {
                self.fail(cause)?;
                Token::End
            }
        };
        self.previous = std::mem::replace(&mut self.current, token);
        Ok(())
    }

    fn comma(&mut self) -> Result<Expression, Cause> {
        let mut left = self.assignment()?;
        while self.current == Token::Binary(BinaryOperator::Comma) {
            let height = self.height;
            self.advance()?;
            let right = self.assignment()?;
            left = self.binary_node(BinaryOperator::Comma, left, right, height)?;
        }
        Ok(left)
    }

    fn assignment(&mut self) -> Result<Expression, Cause> {
        let left = self.conditional()?;
        let Token::Assign(operator) = self.current else {
            return Ok(left);
        };
        let variable = match (left, self.previous) {
            (Expression::Variable(variable), Token::Name { .. }) => variable,
            // bash does not read a variable that `=` stands after.
            (
                left @ (Expression::Binary(..)
                | Expression::Chain(_)
                | Expression::Unary(..)
                | Expression::Conditional(_)),
                _,
            ) if operator.is_none() => {
                return self.fail_after(without_last_variable(left), Cause::NotAVariable);
            }
            (left, _) => return self.fail_after(left, Cause::NotAVariable),
        };
        let height = self.height;
        self.advance()?;
        self.enter()?;
        let value = self.assignment()?;
        self.leave();
        self.raise(height)?;
        Ok(Expression::Assign(variable, operator, Box::new(value)))
    }

    fn conditional(&mut self) -> Result<Expression, Cause> {
        let condition = self.binary(0)?;
        if self.current != Token::Question {
            return Ok(condition);
        }
        self.conditional_after(condition)
    }

    /// At the `?` after a condition.
    fn conditional_after(&mut self, condition: Expression) -> Result<Expression, Cause> {
        let mut height = self.height;
        self.enter()?;
        self.advance()?;
        if matches!(self.current, Token::End | Token::Colon) {
            return self.fail_after(condition, Cause::ExpressionExpected);
        }
        let mut then = self.comma()?;
        height = height.max(self.height);
        let otherwise = if self.failed {
            Expression::Failed
        } else if self.current != Token::Colon {
            self.fail(Cause::ColonExpected)?
        } else {
            self.advance()?;
            if self.current == Token::End { self.fail(Cause::ExpressionExpected)? } else { self.conditional()? }
        };
        if self.failed {
            then = then_failed(then, Expression::Failed);
        }
        self.leave();
        self.raise(height)?;
        // `a ? b : c = 1` assigns to nothing.
        self.previous = Token::End;
        Ok(Expression::Conditional(Box::new([condition, then, otherwise])))
    }

    /// Operators that bind at least as tightly as `least`.
    fn binary(&mut self, least: u8) -> Result<Expression, Cause> {
        let mut left = self.unary()?;
        loop {
            let Token::Binary(operator) = self.current else {
                return Ok(left);
            };
            let precedence = match precedence(operator) {
                Some(precedence) if precedence >= least => precedence,
                _ => return Ok(left),
            };
            let height = self.height;
            self.advance()?;
            self.enter()?;
            // `**` groups to the right, everything else to the left.
            let right =
                if operator == BinaryOperator::Power { self.binary(precedence)? } else { self.binary(precedence + 1)? };
            self.leave();
            left = match operator {
                // The error is one of the side that is skipped, too.
                BinaryOperator::And if self.failed => {
                    return Ok(Expression::Conditional(Box::new([left, right, Expression::Failed])));
                }
                BinaryOperator::Or if self.failed => {
                    return Ok(Expression::Conditional(Box::new([left, Expression::Failed, right])));
                }
                _ => self.binary_node(operator, left, right, height)?,
            };
        }
    }

    fn unary(&mut self) -> Result<Expression, Cause> {
        let mut operators = Vec::new();
        loop {
            operators.push(match self.current {
                Token::Not => UnaryOperator::Not,
                Token::Complement => UnaryOperator::Complement,
                Token::Binary(BinaryOperator::Subtract) => UnaryOperator::Minus,
                Token::Binary(BinaryOperator::Add) => UnaryOperator::Plus,
                _ => break,
            });
            self.advance()?;
        }
        let mut expression = self.primary()?;
        for operator in operators.into_iter().rev() {
            self.raise(self.height)?;
            expression = Expression::Unary(operator, Box::new(expression));
        }
        Ok(expression)
    }

    fn primary(&mut self) -> Result<Expression, Cause> {
        if self.failed {
            return Ok(Expression::Failed);
        }
        let expression = match self.current {
            Token::Increment(by) => {
                self.advance()?;
                let Token::Name { .. } = self.current else {
                    return self.fail(Cause::OperandExpected);
                };
                let variable = self.variable()?;
                // What is stepped is no variable any more: `++x++`, `++x = 1`.
                self.current = Token::Number(0);
                Expression::Step { variable, by, postfix: false }
            }
            Token::Open => {
                self.enter()?;
                self.advance()?;
                let inner = self.comma()?;
                if self.current != Token::Close {
                    return self.fail_after(inner, Cause::MissingParenthesis);
                }
                self.leave();
                self.raise(self.height)?;
                inner
            }
            Token::Number(number) => {
                self.height = 1;
                Expression::Number(number)
            }
            Token::Expansion(index) => {
                self.height = 1;
                Expression::Expansion(index)
            }
            Token::Name { .. } => {
                let variable = self.variable()?;
                let height = self.height;
                self.advance()?;
                if self.failed {
                    return Ok(Expression::Failed);
                }
                self.height = height;
                let Token::PostIncrement(by) = self.current else {
                    return Ok(Expression::Variable(variable));
                };
                self.current = Token::Number(0);
                Expression::Step { variable, by, postfix: true }
            }
            _ => return self.fail(Cause::OperandExpected),
        };
        self.advance()?;
        Ok(match expression {
            // bash looks at what follows a name before it evaluates the name.
            Expression::Step { postfix: false, .. } if self.failed => Expression::Failed,
            expression if self.failed => then_failed(expression, Expression::Failed),
            expression => expression,
        })
    }

    /// The variable that the current token names.
    fn variable(&mut self) -> Result<ArithmeticVariable, Cause> {
        let Token::Name { from, to, subscript } = self.current else {
            return Err(Cause::OperandExpected);
        };
        self.height = 1;
        let name = Name::new(&self.lexer.text[from..to]);
        let Some((from, to)) = subscript else {
            return Ok(ArithmeticVariable { name, subscript: None });
        };
        let subscript = Some(self.subscript(from, to)?);
        Ok(ArithmeticVariable { name, subscript })
    }

    // In functions of their own: debug builds give every value of a function a place on the stack, and this recurses.

    fn subscript(&mut self, from: usize, to: usize) -> Result<Box<Subscript>, Cause> {
        let text = &self.lexer.text[from..to];
        match text {
            b"@" => Ok(Box::new(Subscript::All)),
            b"*" => Ok(Box::new(Subscript::Star)),
            text if subscript::is_plain(text, self.lexer.places.any_in(from, to)) => self.plain_subscript(text),
            _ => self.subscript_with_parts(from, to),
        }
    }

    fn plain_subscript(&mut self, text: &[u8]) -> Result<Box<Subscript>, Cause> {
        self.enter()?;
        let (arithmetic, height) = compile_text(text, self.dialect, self.max_depth, self.depth)?;
        self.leave();
        self.raise(height)?;
        Ok(index(vec![WordPart::Quoted(text.into())], arithmetic))
    }

    fn subscript_with_parts(&mut self, from: usize, to: usize) -> Result<Box<Subscript>, Cause> {
        let places = self.lexer.places;
        let (key, arithmetic) = subscript::readings(self.lexer.text, from..to, |place| places.at(place));
        self.enter()?;
        let (arithmetic, height) = compile_parts(arithmetic, Span::default(), self.dialect, self.max_depth, self.depth);
        self.leave();
        match height {
            Ok(height) => self.raise(height)?,
            Err(cause) if cause.is_limit() => return Err(cause),
            Err(_) => {}
        }
        Ok(index(key, Box::new(arithmetic)))
    }

    fn binary_node(
        &mut self,
        operator: BinaryOperator,
        left: Expression,
        right: Expression,
        left_height: u32,
    ) -> Result<Expression, Cause> {
        self.previous = Token::End;
        if left_height < CHAIN_HEIGHT {
            self.raise(left_height)?;
            return Ok(Expression::Binary(operator, Box::new(left), Box::new(right)));
        }
        let chain = match left {
            Expression::Chain(mut chain) => {
                self.raise(self.height)?;
                self.height = self.height.max(left_height);
                chain.rest.push((operator, right));
                chain
            }
            first => {
                self.raise(left_height)?;
                Box::new(ArithmeticChain { first, rest: vec![(operator, right)] })
            }
        };
        Ok(Expression::Chain(chain))
    }

    /// A node above trees of at most this height.
    fn raise(&mut self, below: u32) -> Result<(), Cause> {
        self.height = below.max(self.height) + 1;
        if self.height > self.max_depth.saturating_mul(HEIGHT_FACTOR) {
            return Err(Cause::TooDeep);
        }
        Ok(())
    }

    fn enter(&mut self) -> Result<(), Cause> {
        self.depth += 1;
        if self.depth > self.max_depth {
            return Err(Cause::TooDeep);
        }
        Ok(())
    }

    fn leave(&mut self) {
        self.depth -= 1;
    }
}

/// The expression with a 0 for the variable that it ends with.
fn without_last_variable(mut expression: Expression) -> Expression {
    let mut last = &mut expression;
    loop {
        match last {
            Expression::Binary(_, _, right) | Expression::Unary(_, right) => last = right,
            Expression::Conditional(parts) => last = &mut parts[2],
            Expression::Chain(chain) => match chain.rest.last_mut() {
                Some((_, right)) => last = right,
                None => last = &mut chain.first,
            },
            Expression::Variable(_) => {
                *last = Expression::Number(0);
                return expression;
            }
            _ => return expression,
        }
    }
}

/// An expression, and after it the error.
fn then_failed(before: Expression, failed: Expression) -> Expression {
    Expression::Binary(BinaryOperator::Comma, Box::new(before), Box::new(failed))
}

/// How tightly a binary operator binds; the comma stands below assignment.
fn precedence(operator: BinaryOperator) -> Option<u8> {
    use BinaryOperator as B;
    Some(match operator {
        B::Comma => return None,
        B::Or => 1,
        B::And => 2,
        B::BitOr => 3,
        B::BitXor => 4,
        B::BitAnd => 5,
        B::Equal | B::NotEqual => 6,
        B::Less | B::LessEqual | B::Greater | B::GreaterEqual => 7,
        B::ShiftLeft | B::ShiftRight => 8,
        B::Add | B::Subtract => 9,
        B::Multiply | B::Divide | B::Remainder => 10,
        B::Power => 11,
    })
}
