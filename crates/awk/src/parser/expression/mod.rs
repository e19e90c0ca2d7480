//! Expressions, by precedence.

mod primary;

use self::primary::is_place;
use super::Parser;
use crate::ast::{Arithmetic, Comparison, Expr, GetlineSource};
use crate::lexer::{Complaint, Keyword, Symbol, Token};

/// Where an expression stands.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Context {
    /// Among the arguments of `print`: `>` is a redirection, and `(a, b)` may be a list.
    pub(super) in_print: bool,
}

/// The operands of one level may be so many: the tree of `a + b + …` is as deep as it is long.
const MAX_OPERANDS: usize = 300;

impl Parser<'_> {
    /// An expression on its own.
    pub(super) fn expression(&mut self) -> Result<Expr, Complaint> {
        let expression = self.conditional(Context::default())?;
        if matches!(expression, Expr::Group(_)) {
            return Err(self.unexpected());
        }
        Ok(expression)
    }

    /// `a, b, …`
    pub(super) fn expressions(&mut self, context: Context) -> Result<Vec<Expr>, Complaint> {
        let mut list = vec![self.conditional(context)?];
        while self.take(Symbol::Comma)? {
            self.skip_newlines()?;
            list.push(self.conditional(context)?);
        }
        if !context.in_print && list.iter().any(|expression| matches!(expression, Expr::Group(_))) {
            return Err(self.unexpected());
        }
        Ok(list)
    }

    /// The name of the file or command after `>`, `>>` and `|`: a concatenation, without comparisons.
    pub(super) fn redirection_name(&mut self) -> Result<Expr, Complaint> {
        let context = Context { in_print: true };
        self.nested(|parser| parser.concatenation(context)).and_then(|name| self.no_group(name))
    }

    fn no_group(&self, expression: Expr) -> Result<Expr, Complaint> {
        if matches!(expression, Expr::Group(_)) { Err(self.unexpected()) } else { Ok(expression) }
    }

    fn conditional(&mut self, context: Context) -> Result<Expr, Complaint> {
        self.nested(|parser| {
            let condition = parser.or(context)?;
            if !parser.is(Symbol::Question) {
                return Ok(condition);
            }
            let condition = parser.no_group(condition)?;
            parser.advance()?;
            parser.skip_newlines()?;
            let yes = parser.conditional(context)?;
            parser.skip_newlines()?;
            parser.expect(Symbol::Colon)?;
            parser.skip_newlines()?;
            let no = parser.conditional(context)?;
            Ok(Expr::Conditional(Box::new(condition), Box::new(parser.no_group(yes)?), Box::new(parser.no_group(no)?)))
        })
    }

    fn too_long(&self) -> Complaint {
        format!("an expression of more than {MAX_OPERANDS} operands").into()
    }

    fn or(&mut self, context: Context) -> Result<Expr, Complaint> {
        let mut left = self.and(context)?;
        let mut count = 0;
        while self.is(Symbol::Or) {
            self.advance()?;
            self.skip_newlines()?;
            let right = self.and(context)?;
            left = Expr::Or(Box::new(self.no_group(left)?), Box::new(self.no_group(right)?));
            count += 1;
            if count > MAX_OPERANDS {
                return Err(self.too_long());
            }
        }
        Ok(left)
    }

    fn and(&mut self, context: Context) -> Result<Expr, Complaint> {
        let mut left = self.membership(context)?;
        let mut count = 0;
        while self.is(Symbol::And) {
            self.advance()?;
            self.skip_newlines()?;
            let right = self.membership(context)?;
            left = Expr::And(Box::new(self.no_group(left)?), Box::new(self.no_group(right)?));
            count += 1;
            if count > MAX_OPERANDS {
                return Err(self.too_long());
            }
        }
        Ok(left)
    }

    fn membership(&mut self, context: Context) -> Result<Expr, Complaint> {
        let mut left = self.matching(context)?;
        let mut count = 0;
        while self.is_keyword(Keyword::In) {
            self.advance()?;
            let Token::Name(name) = self.advance()? else { return Err(self.unexpected()) };
            let array = self.names.variable(&name)?;
            self.names.use_as_array(array)?;
            let subscript = match left {
                Expr::Group(group) => group,
                other => vec![other],
            };
            left = Expr::In(subscript, array);
            count += 1;
            if count > MAX_OPERANDS {
                return Err(self.too_long());
            }
        }
        Ok(left)
    }

    fn matching(&mut self, context: Context) -> Result<Expr, Complaint> {
        let mut left = self.comparison(context)?;
        let mut count = 0;
        while self.is(Symbol::Match) || self.is(Symbol::NoMatch) {
            let negated = self.is(Symbol::NoMatch);
            self.advance()?;
            let regex = self.comparison(context)?;
            left =
                Expr::Match { text: Box::new(self.no_group(left)?), regex: Box::new(self.no_group(regex)?), negated };
            count += 1;
            if count > MAX_OPERANDS {
                return Err(self.too_long());
            }
        }
        Ok(left)
    }

    fn comparison_operator(&self, context: Context) -> Option<Comparison> {
        let Token::Symbol(symbol) = &self.token else { return None };
        Some(match symbol {
            Symbol::Less => Comparison::Less,
            Symbol::LessEqual => Comparison::LessOrEqual,
            Symbol::Equal => Comparison::Equal,
            Symbol::NotEqual => Comparison::NotEqual,
            Symbol::Greater if !context.in_print => Comparison::Greater,
            Symbol::GreaterEqual => Comparison::GreaterOrEqual,
            _ => return None,
        })
    }

    fn comparison(&mut self, context: Context) -> Result<Expr, Complaint> {
        let left = self.piped(context)?;
        let Some(operator) = self.comparison_operator(context) else { return Ok(left) };
        self.advance()?;
        let right = self.piped(context)?;
        if self.comparison_operator(context).is_some() {
            return Err("a comparison of a comparison".to_owned().into());
        }
        Ok(Expr::Compare(operator, Box::new(self.no_group(left)?), Box::new(self.no_group(right)?)))
    }

    /// `command | getline`. What `print` prints is no command: `print "x" | getline` writes to the command that getline's result names.
    fn piped(&mut self, context: Context) -> Result<Expr, Complaint> {
        let mut left = self.concatenation(context)?;
        let mut count = 0;
        while !context.in_print && self.is(Symbol::Pipe) {
            let saved = (self.lexer.clone(), self.token.clone(), self.line);
            self.advance()?;
            if !self.is_keyword(Keyword::Getline) {
                (self.lexer, self.token, self.line) = saved;
                break;
            }
            self.advance()?;
            let into = self.getline_target()?;
            left = Expr::Getline { from: GetlineSource::Command(Box::new(self.no_group(left)?)), into };
            count += 1;
            if count > MAX_OPERANDS {
                return Err(self.too_long());
            }
        }
        Ok(left)
    }

    /// Can an operand of a concatenation begin here?
    fn starts_operand(&self) -> bool {
        match &self.token {
            Token::Number(_) | Token::String(_) | Token::Name(_) | Token::CallName(_) | Token::Builtin(_) => true,
            Token::Symbol(symbol) => matches!(
                symbol,
                Symbol::Dollar | Symbol::Not | Symbol::ParenOpen | Symbol::Increment | Symbol::Decrement
            ),
            _ => false,
        }
    }

    fn concatenation(&mut self, context: Context) -> Result<Expr, Complaint> {
        let first = self.additive(context)?;
        if !self.starts_operand() {
            return Ok(first);
        }
        let mut operands = vec![self.no_group(first)?];
        while self.starts_operand() {
            let operand = self.additive(context)?;
            operands.push(self.no_group(operand)?);
        }
        Ok(Expr::Concat(operands))
    }

    fn additive(&mut self, context: Context) -> Result<Expr, Complaint> {
        let mut left = self.multiplicative(context)?;
        let mut count = 0;
        loop {
            let operator = match &self.token {
                Token::Symbol(Symbol::Plus) => Arithmetic::Add,
                Token::Symbol(Symbol::Minus) => Arithmetic::Subtract,
                _ => return Ok(left),
            };
            self.advance()?;
            let right = self.multiplicative(context)?;
            left = Expr::Binary(operator, Box::new(self.no_group(left)?), Box::new(self.no_group(right)?));
            count += 1;
            if count > MAX_OPERANDS {
                return Err(self.too_long());
            }
        }
    }

    fn multiplicative(&mut self, context: Context) -> Result<Expr, Complaint> {
        let mut left = self.unary(context)?;
        let mut count = 0;
        loop {
            let operator = match &self.token {
                Token::Symbol(Symbol::Star) => Arithmetic::Multiply,
                Token::Symbol(Symbol::Slash) => Arithmetic::Divide,
                Token::Symbol(Symbol::Percent) => Arithmetic::Remainder,
                _ => return Ok(left),
            };
            self.advance()?;
            let right = self.unary(context)?;
            left = Expr::Binary(operator, Box::new(self.no_group(left)?), Box::new(self.no_group(right)?));
            count += 1;
            if count > MAX_OPERANDS {
                return Err(self.too_long());
            }
        }
    }

    /// `! - +`, below `^`.
    fn unary(&mut self, context: Context) -> Result<Expr, Complaint> {
        let make = match &self.token {
            Token::Symbol(Symbol::Not) => Expr::Not,
            Token::Symbol(Symbol::Minus) => Expr::Negative,
            Token::Symbol(Symbol::Plus) => Expr::Positive,
            _ => return self.power(context),
        };
        self.nested(|parser| {
            parser.advance()?;
            let operand = parser.unary(context)?;
            Ok(make(Box::new(parser.no_group(operand)?)))
        })
    }

    /// `a ^ b ^ c` from the right; the exponent may have a sign.
    fn power(&mut self, context: Context) -> Result<Expr, Complaint> {
        let base = self.postfix(context)?;
        if !self.is(Symbol::Caret) {
            return Ok(base);
        }
        self.nested(|parser| {
            let base = parser.no_group(base)?;
            parser.advance()?;
            let exponent = parser.unary(context)?;
            Ok(Expr::Binary(Arithmetic::Power, Box::new(base), Box::new(parser.no_group(exponent)?)))
        })
    }

    /// `x++`, `x--`, and assignments: where a place stands in front of an operator that changes it, it is that
    /// operator's, whatever is to the left.
    fn postfix(&mut self, context: Context) -> Result<Expr, Complaint> {
        let primary = self.primary(context)?;
        if !is_place(&primary) {
            return Ok(primary);
        }
        let Token::Symbol(symbol) = &self.token else { return Ok(primary) };
        let operator = match symbol {
            Symbol::Increment | Symbol::Decrement => {
                let by = if *symbol == Symbol::Increment { 1.0 } else { -1.0 };
                self.advance()?;
                return Ok(Expr::Increment { place: Box::new(primary), by, before: false });
            }
            Symbol::Assign => None,
            Symbol::PlusAssign => Some(Arithmetic::Add),
            Symbol::MinusAssign => Some(Arithmetic::Subtract),
            Symbol::StarAssign => Some(Arithmetic::Multiply),
            Symbol::SlashAssign => Some(Arithmetic::Divide),
            Symbol::PercentAssign => Some(Arithmetic::Remainder),
            Symbol::CaretAssign => Some(Arithmetic::Power),
            _ => return Ok(primary),
        };
        self.advance()?;
        self.skip_newlines()?;
        let value = self.conditional(context)?;
        let value = Box::new(self.no_group(value)?);
        Ok(match operator {
            None => Expr::Assign(Box::new(primary), value),
            Some(operator) => Expr::AssignWith(operator, Box::new(primary), value),
        })
    }
}
