//! What stands around the main program: metadata, imports, definitions.

use std::sync::Arc;

use super::Parser;
use crate::ast::{Definition, Expr, Import, Key};
use crate::lex::{Invalid, Token};
use crate::value::{Object, Value};

/// The value of an expression that is constant.
pub(super) fn constant(expr: &Expr) -> Option<Value> {
    fn items(expr: &Expr, into: &mut Vec<Value>) -> Option<()> {
        if let Expr::Comma(a, b) = expr {
            items(a, into)?;
            return items(b, into);
        }
        into.push(constant(expr)?);
        Some(())
    }
    match expr {
        Expr::Const(value) => Some(value.clone()),
        Expr::Array(inner) => {
            let mut values = Vec::new();
            items(inner, &mut values)?;
            Some(Value::array(values))
        }
        Expr::Object(members) => {
            let mut object = Object::default();
            for (key, value) in members {
                let (Key::Expr(key), Some(value)) = (key, value) else { return None };
                let Some(Value::String(key)) = constant(key) else { return None };
                object.set(key, constant(value)?);
            }
            Some(Value::Object(object.into()))
        }
        _ => None,
    }
}

impl<'a> Parser<'a> {
    /// An object after `module` or `import`, and the semicolon.
    pub(super) fn metadata(&mut self, place: usize) -> Result<Object, Invalid> {
        let expr = self.expr(0)?;
        self.expect_op(";")?;
        match constant(&expr) {
            Some(Value::Object(object)) => Ok((*object).clone()),
            other => {
                let wanted = if other.is_some() { "an object" } else { "constant" };
                self.fault(format!("Module metadata must be {wanted}"), place);
                Ok(Object::default())
            }
        }
    }

    pub(super) fn import(&mut self) -> Result<Option<Import>, Invalid> {
        let include = self.peek_keyword("include");
        if !include && !self.peek_keyword("import") {
            return Ok(None);
        }
        let place = self.place();
        self.at += 1;
        let name_place = self.place();
        let Some(Token::String(parts)) = self.peek() else {
            return Err(Invalid::Unexpected);
        };
        self.at += 1;
        let path: Arc<str> = match self.string(parts, "text")? {
            Expr::Const(Value::String(path)) => path,
            _ => {
                self.fault("Import path must be constant".to_owned(), name_place);
                "".into()
            }
        };
        let (mut alias, mut is_data) = (None, false);
        if !include {
            self.expect_keyword("as")?;
            match self.peek() {
                Some(Token::Ident(name)) => alias = Some(name.to_string()),
                Some(Token::Binding(name)) => (alias, is_data) = (Some(name.to_string()), true),
                _ => return Err(Invalid::Unexpected),
            }
            self.at += 1;
        }
        let metadata = if self.take_op(";") { Object::default() } else { self.metadata(place)? };
        Ok(Some(Import { path: path.to_string(), alias, is_data, metadata }))
    }

    pub(super) fn definition(&mut self) -> Result<Definition, Invalid> {
        self.expect_keyword("def")?;
        let Some(Token::Ident(name)) = self.peek() else {
            return Err(Invalid::Unexpected);
        };
        self.at += 1;
        let mut params = Vec::new();
        if self.take_op("(") {
            loop {
                match self.peek() {
                    Some(Token::Ident(name)) => params.push((name.clone(), false)),
                    Some(Token::Binding(name)) => params.push((name.clone(), true)),
                    _ => return Err(Invalid::Unexpected),
                }
                self.at += 1;
                if !self.take_op(";") {
                    break;
                }
            }
            self.expect_op(")")?;
        }
        self.expect_op(":")?;
        let body = self.expr(0)?;
        self.expect_op(";")?;
        Ok(Definition { name: name.clone(), params, body })
    }
}
