//! Statements.

use super::{Parser, Place};
use crate::ast::{Expr, Redirection, RedirectionKind, Statement, Variable, slot};
use crate::lexer::{Complaint, Keyword, Symbol, Token};
use crate::parser::expression::Context;

impl Parser<'_> {
    /// `{ statements }`
    pub(super) fn action(&mut self) -> Result<Vec<Statement>, Complaint> {
        self.expect(Symbol::BraceOpen)?;
        let mut statements = Vec::new();
        loop {
            self.skip_terminators()?;
            if self.take(Symbol::BraceClose)? {
                return Ok(statements);
            }
            statements.push(self.statement()?);
        }
    }

    fn statement(&mut self) -> Result<Statement, Complaint> {
        self.nested(Self::statement_here)
    }

    fn statement_here(&mut self) -> Result<Statement, Complaint> {
        let keyword = match &self.token {
            Token::Symbol(Symbol::BraceOpen) => return self.action().map(Statement::Block),
            Token::Keyword(keyword) => *keyword,
            _ => {
                let statement = self.simple()?;
                self.end_of_simple()?;
                return Ok(statement);
            }
        };
        match keyword {
            Keyword::If => self.if_statement(),
            Keyword::While => {
                self.advance()?;
                self.expect(Symbol::ParenOpen)?;
                let condition = self.expression()?;
                self.expect(Symbol::ParenClose)?;
                let body = self.loop_body()?;
                Ok(Statement::While { condition, body })
            }
            Keyword::Do => {
                self.advance()?;
                let body = self.loop_body()?;
                self.skip_terminators()?;
                if !self.is_keyword(Keyword::While) {
                    return Err(self.unexpected());
                }
                self.advance()?;
                self.expect(Symbol::ParenOpen)?;
                let condition = self.expression()?;
                self.expect(Symbol::ParenClose)?;
                self.end_of_simple()?;
                Ok(Statement::DoWhile { body, condition })
            }
            Keyword::For => self.for_statement(),
            _ => {
                let statement = self.simple()?;
                self.end_of_simple()?;
                Ok(statement)
            }
        }
    }

    /// A simple statement ends with a newline, a semicolon, or in front of a closing brace.
    fn end_of_simple(&mut self) -> Result<(), Complaint> {
        match &self.token {
            Token::Newline | Token::Symbol(Symbol::Semicolon) => {
                self.advance()?;
                Ok(())
            }
            Token::Symbol(Symbol::BraceClose) => Ok(()),
            _ => Err(self.unexpected()),
        }
    }

    /// What stands after `if ( )`, `else` and the heads of loops: one statement, or `;` for none.
    fn body(&mut self) -> Result<Vec<Statement>, Complaint> {
        self.skip_newlines()?;
        if self.take(Symbol::Semicolon)? {
            return Ok(Vec::new());
        }
        match self.statement()? {
            Statement::Block(statements) => Ok(statements),
            statement => Ok(vec![statement]),
        }
    }

    fn loop_body(&mut self) -> Result<Vec<Statement>, Complaint> {
        self.loop_depth += 1;
        let body = self.body();
        self.loop_depth -= 1;
        body
    }

    fn if_statement(&mut self) -> Result<Statement, Complaint> {
        let mut arms = Vec::new();
        loop {
            self.advance()?;
            self.expect(Symbol::ParenOpen)?;
            let condition = self.expression()?;
            self.expect(Symbol::ParenClose)?;
            let body = self.body()?;
            arms.push((condition, body));
            if !self.else_follows()? {
                return Ok(Statement::If { arms, otherwise: Vec::new() });
            }
            self.skip_newlines()?;
            if !self.is_keyword(Keyword::If) {
                let otherwise = self.body()?;
                return Ok(Statement::If { arms, otherwise });
            }
        }
    }

    /// Takes an `else` that may stand after newlines and a semicolon.
    fn else_follows(&mut self) -> Result<bool, Complaint> {
        if !(self.token == Token::Newline || self.is(Symbol::Semicolon) || self.is_keyword(Keyword::Else)) {
            return Ok(false);
        }
        let saved = (self.lexer.clone(), self.token.clone(), self.line);
        self.skip_terminators()?;
        if self.is_keyword(Keyword::Else) {
            self.advance()?;
            return Ok(true);
        }
        (self.lexer, self.token, self.line) = saved;
        Ok(false)
    }

    fn for_statement(&mut self) -> Result<Statement, Complaint> {
        self.advance()?;
        self.expect(Symbol::ParenOpen)?;
        if let Some((variable, array)) = self.for_in_head()? {
            let body = self.loop_body()?;
            return Ok(Statement::ForIn { variable, array, body });
        }
        let start = if self.is(Symbol::Semicolon) { None } else { Some(Box::new(self.simple()?)) };
        self.expect(Symbol::Semicolon)?;
        self.skip_newlines()?;
        let condition = if self.is(Symbol::Semicolon) { None } else { Some(self.expression()?) };
        self.expect(Symbol::Semicolon)?;
        self.skip_newlines()?;
        let step = if self.is(Symbol::ParenClose) { None } else { Some(Box::new(self.simple()?)) };
        self.expect(Symbol::ParenClose)?;
        let body = self.loop_body()?;
        Ok(Statement::For { start, condition, step, body })
    }

    /// `NAME in NAME )`, or nothing taken.
    fn for_in_head(&mut self) -> Result<Option<(Expr, Variable)>, Complaint> {
        let Token::Name(variable) = &self.token else { return Ok(None) };
        let variable = variable.clone();
        let saved = (self.lexer.clone(), self.token.clone(), self.line);
        self.advance()?;
        if self.is_keyword(Keyword::In) {
            self.advance()?;
            if let Token::Name(array) = &self.token {
                let array = array.clone();
                self.advance()?;
                if self.take(Symbol::ParenClose)? {
                    let variable = self.names.variable(&variable)?;
                    self.names.use_as_scalar(variable)?;
                    let array = self.names.variable(&array)?;
                    self.names.use_as_array(array)?;
                    if array == Variable::Global(slot::PROCINFO) {
                        return Err("the elements of PROCINFO".to_owned().into());
                    }
                    return Ok(Some((Expr::Variable(variable), array)));
                }
            }
        }
        (self.lexer, self.token, self.line) = saved;
        Ok(None)
    }

    /// A simple statement, without its end.
    fn simple(&mut self) -> Result<Statement, Complaint> {
        let Token::Keyword(keyword) = self.token else { return self.expression().map(Statement::Expression) };
        match keyword {
            Keyword::Getline => self.expression().map(Statement::Expression),
            Keyword::Print => {
                self.advance()?;
                let (arguments, to) = self.output()?;
                Ok(Statement::Print { arguments, to })
            }
            Keyword::Printf => {
                self.advance()?;
                let (arguments, to) = self.output()?;
                if arguments.is_empty() {
                    return Err(Complaint::Mistake("no arguments in call to printf".to_owned()));
                }
                Ok(Statement::Printf { arguments, to })
            }
            Keyword::Delete => {
                self.advance()?;
                let Token::Name(name) = self.advance()? else { return Err(self.unexpected()) };
                let array = self.names.variable(&name)?;
                self.names.use_as_array(array)?;
                let subscript = if self.take(Symbol::BracketOpen)? {
                    let subscript = self.expressions(Context::default())?;
                    self.expect(Symbol::BracketClose)?;
                    Some(subscript)
                } else {
                    None
                };
                Ok(Statement::Delete { array, subscript })
            }
            Keyword::Break | Keyword::Continue => {
                self.advance()?;
                if self.loop_depth == 0 {
                    return Err(Complaint::Mistake("break or continue outside of a loop".to_owned()));
                }
                Ok(if keyword == Keyword::Break { Statement::Break } else { Statement::Continue })
            }
            Keyword::Next | Keyword::NextFile => {
                if self.place == Place::BeginOrEnd {
                    return Err(Complaint::Mistake("improper use of next".to_owned()));
                }
                let is_next = keyword == Keyword::Next;
                self.advance()?;
                Ok(if is_next { Statement::Next } else { Statement::NextFile })
            }
            Keyword::Exit => {
                self.advance()?;
                Ok(Statement::Exit(self.optional_expression()?))
            }
            Keyword::Return => {
                if self.place != Place::Function {
                    return Err(Complaint::Mistake("return outside function body".to_owned()));
                }
                self.advance()?;
                Ok(Statement::Return(self.optional_expression()?))
            }
            _ => Err(self.unexpected()),
        }
    }

    fn optional_expression(&mut self) -> Result<Option<Expr>, Complaint> {
        match &self.token {
            Token::Newline
            | Token::End
            | Token::Symbol(Symbol::Semicolon | Symbol::BraceClose | Symbol::ParenClose) => Ok(None),
            _ => self.expression().map(Some),
        }
    }

    /// What is printed, and where to.
    fn output(&mut self) -> Result<(Vec<Expr>, Option<Redirection>), Complaint> {
        let ends = matches!(
            &self.token,
            Token::Newline
                | Token::End
                | Token::Symbol(
                    Symbol::Semicolon
                        | Symbol::BraceClose
                        | Symbol::Greater
                        | Symbol::Append
                        | Symbol::Pipe
                        | Symbol::ParenClose
                )
        );
        let mut arguments = if ends { Vec::new() } else { self.expressions(Context { in_print: true })? };
        if let [Expr::Group(_)] = arguments.as_slice()
            && let Some(Expr::Group(group)) = arguments.pop()
        {
            arguments = group;
        }
        if arguments.iter().any(|argument| matches!(argument, Expr::Group(_))) {
            return Err(self.unexpected());
        }
        let kind = match &self.token {
            Token::Symbol(Symbol::Greater) => RedirectionKind::Truncate,
            Token::Symbol(Symbol::Append) => RedirectionKind::Append,
            Token::Symbol(Symbol::Pipe) => RedirectionKind::Command,
            _ => return Ok((arguments, None)),
        };
        self.advance()?;
        let name = self.redirection_name()?;
        Ok((arguments, Some(Redirection { kind, name })))
    }
}
