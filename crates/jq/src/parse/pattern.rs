//! What a value is taken apart by: `as [$a, {b: $c}]`.

use super::Parser;
use super::term::key_fault;
use crate::ast::{Expr, Pattern};
use crate::lex::{Invalid, Token};

impl<'a> Parser<'a> {
    pub(super) fn patterns(&mut self) -> Result<Vec<Pattern>, Invalid> {
        let mut patterns = vec![self.pattern()?];
        while self.take_op("?//") {
            patterns.push(self.pattern()?);
        }
        Ok(patterns)
    }

    fn pattern(&mut self) -> Result<Pattern, Invalid> {
        self.nested(Self::pattern_here)
    }

    fn pattern_here(&mut self) -> Result<Pattern, Invalid> {
        if let Some(Token::Binding(name)) = self.peek() {
            self.at += 1;
            return Ok(Pattern::Variable(name.clone()));
        }
        if self.take_op("[") {
            let mut items = Vec::new();
            loop {
                items.push(self.pattern()?);
                if !self.take_op(",") {
                    break;
                }
            }
            self.expect_op("]")?;
            return Ok(Pattern::Array(items));
        }
        self.expect_op("{")?;
        let mut items = Vec::new();
        loop {
            let text = |text: &str| Expr::Const(text.into());
            let Some(token) = self.peek() else {
                return Err(Invalid::Unexpected);
            };
            self.at += 1;
            let mut fault = None;
            let (key, variable) = match token {
                Token::Binding(name) => (text(name), Some(name.clone())),
                Token::Ident(name) => (text(name), None),
                Token::Keyword(name) => (text(name), None),
                Token::String(parts) => (self.string(parts, "text")?, None),
                Token::Op("(") => {
                    let place = self.place_of(self.at - 1);
                    let key = self.expr(0)?;
                    self.expect_op(")")?;
                    fault = key_fault(&key).map(|message| (message, place));
                    (key, None)
                }
                _ => {
                    self.at -= 1;
                    return Err(Invalid::Unexpected);
                }
            };
            let inner = if self.take_op(":") {
                Some(self.pattern()?)
            } else if variable.is_some() {
                None
            } else {
                return Err(Invalid::Unexpected);
            };
            if let Some((message, place)) = fault {
                self.fault(message, place);
            }
            items.push((key, variable, inner));
            if !self.take_op(",") {
                break;
            }
        }
        self.expect_op("}")?;
        Ok(Pattern::Object(items))
    }
}
