//! Operands: constants, fields, names, calls and what is in parentheses.

use super::Context;
use crate::ast::{Builtin, Expr, GetlineSource, Variable, slot};
use crate::lexer::{Complaint, Keyword, Symbol, Token};
use crate::parser::Parser;

/// Can it be assigned to?
pub(super) fn is_place(expression: &Expr) -> bool {
    matches!(expression, Expr::Variable(_) | Expr::Element(..) | Expr::Field(_))
}

impl Parser<'_> {
    pub(super) fn primary(&mut self, context: Context) -> Result<Expr, Complaint> {
        match &self.token {
            Token::Number(value) => {
                let value = *value;
                self.advance()?;
                Ok(Expr::Number(value))
            }
            Token::String(_) => match self.advance()? {
                Token::String(text) => Ok(Expr::String(text)),
                _ => Err(self.unexpected()),
            },
            Token::Symbol(symbol @ (Symbol::Slash | Symbol::SlashAssign)) => {
                let regex = self.lexer.regex(*symbol == Symbol::SlashAssign)?;
                self.advance()?;
                Ok(Expr::Regex(regex))
            }
            Token::Symbol(Symbol::ParenOpen) => self.parenthesized(context),
            Token::Symbol(Symbol::Dollar) => self.field(context),
            Token::Symbol(symbol @ (Symbol::Increment | Symbol::Decrement)) => {
                let by = if *symbol == Symbol::Increment { 1.0 } else { -1.0 };
                self.advance()?;
                let place = self.nested(|parser| parser.primary(context))?;
                if !is_place(&place) {
                    return Err(self.unexpected());
                }
                Ok(Expr::Increment { place: Box::new(place), by, before: true })
            }
            Token::Name(_) => {
                let Token::Name(name) = self.advance()? else { return Err(self.unexpected()) };
                self.named(&name)
            }
            Token::CallName(_) => {
                let Token::CallName(name) = self.advance()? else { return Err(self.unexpected()) };
                self.call(&name)
            }
            Token::Builtin(_) => {
                let Token::Builtin(name) = self.advance()? else { return Err(self.unexpected()) };
                self.builtin(&name)
            }
            Token::Keyword(Keyword::Getline) => {
                self.advance()?;
                let into = self.getline_target()?;
                let from = if self.take(Symbol::Less)? {
                    let file = self.nested(|parser| parser.file_name(context))?;
                    GetlineSource::File(Box::new(self.no_group(file)?))
                } else {
                    GetlineSource::Input
                };
                Ok(Expr::Getline { from, into })
            }
            _ => Err(self.unexpected()),
        }
    }

    /// The file after `getline <`: a primary, as everything less tight would be the comparison's or concatenation's.
    fn file_name(&mut self, context: Context) -> Result<Expr, Complaint> {
        let primary = self.primary(context)?;
        if is_place(&primary)
            && let Token::Symbol(symbol @ (Symbol::Increment | Symbol::Decrement)) = &self.token
        {
            let by = if *symbol == Symbol::Increment { 1.0 } else { -1.0 };
            self.advance()?;
            return Ok(Expr::Increment { place: Box::new(primary), by, before: false });
        }
        Ok(primary)
    }

    fn parenthesized(&mut self, context: Context) -> Result<Expr, Complaint> {
        self.advance()?;
        self.skip_newlines()?;
        let mut list = self.expressions(Context::default())?;
        self.skip_newlines()?;
        self.expect(Symbol::ParenClose)?;
        if list.len() > 1 {
            if !context.in_print && !self.is_keyword(Keyword::In) {
                return Err(self.unexpected());
            }
            return Ok(Expr::Group(list));
        }
        match list.pop() {
            // `(x)` is no place.
            Some(expression) if is_place(&expression) => Ok(Expr::Parenthesized(Box::new(expression))),
            Some(expression) => Ok(expression),
            None => Err(self.unexpected()),
        }
    }

    fn field(&mut self, context: Context) -> Result<Expr, Complaint> {
        self.advance()?;
        let index = self.nested(|parser| match &parser.token {
            Token::Symbol(Symbol::Minus) => {
                parser.advance()?;
                let operand = parser.nested(|parser| parser.primary(context))?;
                Ok(Expr::Negative(Box::new(parser.no_group(operand)?)))
            }
            Token::Symbol(Symbol::Plus) => {
                parser.advance()?;
                let operand = parser.nested(|parser| parser.primary(context))?;
                Ok(Expr::Positive(Box::new(parser.no_group(operand)?)))
            }
            Token::Symbol(Symbol::Not) => {
                parser.advance()?;
                let operand = parser.nested(|parser| parser.primary(context))?;
                Ok(Expr::Not(Box::new(parser.no_group(operand)?)))
            }
            _ => parser.primary(context),
        })?;
        Ok(Expr::Field(Box::new(self.no_group(index)?)))
    }

    /// A variable or an element.
    fn named(&mut self, name: &[u8]) -> Result<Expr, Complaint> {
        let variable = self.names.variable(name)?;
        if self.take(Symbol::BracketOpen)? {
            self.names.use_as_array(variable)?;
            let subscript = self.expressions(Context::default())?;
            self.expect(Symbol::BracketClose)?;
            if variable == Variable::Global(slot::PROCINFO)
                && !matches!(subscript.as_slice(), [Expr::String(text)] if **text == *b"sorted_in")
            {
                return Err("an element of PROCINFO".to_owned().into());
            }
            return Ok(Expr::Element(variable, subscript));
        }
        self.names.use_as_scalar(variable)?;
        Ok(Expr::Variable(variable))
    }

    /// A bare name that stands alone between commas and parentheses: the only way to name an array.
    fn bare_name(&mut self) -> Result<Option<Box<[u8]>>, Complaint> {
        let Token::Name(name) = &self.token else { return Ok(None) };
        let name = name.clone();
        let saved = (self.lexer.clone(), self.token.clone(), self.line);
        self.advance()?;
        if self.is(Symbol::Comma) || self.is(Symbol::ParenClose) {
            return Ok(Some(name));
        }
        (self.lexer, self.token, self.line) = saved;
        Ok(None)
    }

    fn call(&mut self, name: &[u8]) -> Result<Expr, Complaint> {
        let function = self.names.function(name);
        self.expect(Symbol::ParenOpen)?;
        self.skip_newlines()?;
        let mut arguments = Vec::new();
        while !self.is(Symbol::ParenClose) {
            if let Some(name) = self.bare_name()? {
                let variable = self.names.variable(&name)?;
                self.names.pass(variable, function, arguments.len());
                arguments.push(Expr::Variable(variable));
            } else {
                let argument = self.expression()?;
                self.names.pass_scalar(function, arguments.len());
                arguments.push(argument);
            }
            self.after_element()?;
        }
        self.advance()?;
        self.names.call(function, arguments.len());
        Ok(Expr::Call(function as u32, arguments))
    }

    fn builtin(&mut self, name: &[u8]) -> Result<Expr, Complaint> {
        let Some((builtin, least, most)) = Builtin::find(name) else { return Err(self.unexpected()) };
        if builtin == Builtin::Gensub {
            self.program.differing = Some("gensub");
        }
        if Builtin::find_of_gawk(name).is_some() {
            self.program.differing = Some("a function of gawk's");
        }
        let mut arguments = Vec::new();
        if builtin == Builtin::Length && !self.is(Symbol::ParenOpen) {
            return Ok(Expr::Builtin(builtin, arguments));
        }
        self.expect(Symbol::ParenOpen)?;
        self.skip_newlines()?;
        while !self.is(Symbol::ParenClose) {
            let takes_array = match builtin {
                Builtin::Split => arguments.len() == 1,
                Builtin::Match => arguments.len() == 2,
                Builtin::Asort | Builtin::Asorti => true,
                _ => false,
            };
            if (takes_array || builtin == Builtin::Length)
                && let Some(name) = self.bare_name()?
            {
                let variable = self.names.variable(&name)?;
                if takes_array {
                    self.names.use_as_array(variable)?;
                }
                arguments.push(Expr::Variable(variable));
            } else if takes_array {
                return Err(self.unexpected());
            } else {
                arguments.push(self.expression()?);
            }
            self.after_element()?;
        }
        self.advance()?;
        if arguments.len() < least || arguments.len() > most {
            return Err(Complaint::Mistake(format!("wrong number of arguments in call to {}", name.escape_ascii())));
        }
        if builtin == Builtin::Match && arguments.len() == 3 {
            self.program.differing = Some("match with an array");
        }
        if matches!(builtin, Builtin::Sub | Builtin::Gsub) && arguments.get(2).is_some_and(|target| !is_place(target)) {
            return Err(format!("{} of what is no variable", name.escape_ascii()).into());
        }
        Ok(Expr::Builtin(builtin, arguments))
    }

    /// The variable after `getline`, if there is one.
    pub(super) fn getline_target(&mut self) -> Result<Option<Box<Expr>>, Complaint> {
        let target = match &self.token {
            Token::Name(_) | Token::Symbol(Symbol::Dollar) => {
                self.nested(|parser| parser.primary(Context::default()))?
            }
            _ => return Ok(None),
        };
        Ok(Some(Box::new(target)))
    }
}
