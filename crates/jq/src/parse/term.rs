//! Terms: what binds closest, with its suffixes, strings and objects.

use super::module::constant;
use super::{MAX_DEPTH, Parser};
use crate::ast::{Expr, Key, Op};
use crate::lex::{Invalid, Part, Token};
use crate::ops;
use crate::value::Value;
use crate::watch::Watch;

/// A constant that cannot be a key is an error of the program: its message.
pub(super) fn key_fault(key: &Expr) -> Option<String> {
    let shown = |value: &Value| format!("{} ({})", value.kind(), ops::shown(value, 15));
    let kind = match key {
        Expr::Const(Value::String(_)) => return None,
        Expr::Const(value) => shown(value),
        Expr::Array(_) | Expr::Object(_) => match constant(key) {
            Some(value) => shown(&value),
            None => return None,
        },
        Expr::Binary(op, a, b) => match (&**a, &**b) {
            (Expr::Const(a), Expr::Const(b)) => match ops::binary(*op, a.clone(), b.clone(), &Watch::unwatched()) {
                Ok(Value::String(_)) | Err(_) => return None,
                Ok(value) => shown(&value),
            },
            _ => return None,
        },
        _ => return None,
    };
    Some(format!("Cannot use {kind} as object key"))
}

impl<'a> Parser<'a> {
    pub(super) fn term(&mut self) -> Result<Expr, Invalid> {
        let place = self.place();
        let Some(token) = self.peek() else {
            return Err(Invalid::Unexpected);
        };
        self.at += 1;
        let mut term = match token {
            Token::Number(value) => Expr::Const(value.clone()),
            Token::String(parts) => self.string(parts, "text")?,
            Token::Format(name) => match self.peek() {
                Some(Token::String(parts)) => {
                    self.at += 1;
                    self.string(parts, name)?
                }
                _ => Expr::Format(Box::new(Expr::Identity), name.clone()),
            },
            Token::Field(name) => {
                let optional = self.take_op("?");
                let key = Expr::Const(Value::String(name.clone()));
                Expr::Field(Box::new(Expr::Identity), Box::new(key), optional)
            }
            Token::Binding(name) => Expr::Variable(name.clone(), place),
            Token::Location => self.location(place),
            Token::Keyword("break") => {
                let Some(Token::Binding(name)) = self.peek() else {
                    return Err(Invalid::Unexpected);
                };
                self.at += 1;
                Expr::Break(name.clone(), place)
            }
            Token::Ident(name) => {
                let mut args = Vec::new();
                if self.take_op("(") {
                    loop {
                        args.push(self.expr(0)?);
                        if !self.take_op(";") {
                            break;
                        }
                    }
                    self.expect_op(")")?;
                }
                match (&**name, args.is_empty()) {
                    ("null", true) => Expr::Const(Value::Null),
                    ("true", true) => Expr::Const(Value::Bool(true)),
                    ("false", true) => Expr::Const(Value::Bool(false)),
                    _ => Expr::Call(name.clone(), args, place),
                }
            }
            Token::Op("..") => Expr::RecurseDefault,
            Token::Op(".") => match self.peek() {
                Some(Token::String(_) | Token::Format(_)) => self.quoted_field(Expr::Identity)?,
                _ => Expr::Identity,
            },
            Token::Op("(") => {
                let inner = self.expr(0)?;
                self.expect_op(")")?;
                inner
            }
            Token::Op("[") => {
                if self.take_op("]") {
                    Expr::Const(Value::array(Vec::new()))
                } else {
                    let inner = self.expr(0)?;
                    self.expect_op("]")?;
                    Expr::Array(Box::new(inner))
                }
            }
            Token::Op("{") => self.object()?,
            _ => {
                self.at -= 1;
                return Err(Invalid::Unexpected);
            }
        };
        loop {
            term = match self.peek() {
                Some(Token::Field(name)) => {
                    self.at += 1;
                    let optional = self.take_op("?");
                    let key = Expr::Const(Value::String(name.clone()));
                    Expr::Field(Box::new(term), Box::new(key), optional)
                }
                Some(Token::Op(".")) if self.op_at(1, "[") => {
                    self.at += 2;
                    self.bracket(term)?
                }
                Some(Token::Op("."))
                    if matches!(self.tokens.get(self.at + 1), Some((Token::String(_) | Token::Format(_), _))) =>
                {
                    self.at += 1;
                    self.quoted_field(term)?
                }
                Some(Token::Op("[")) => {
                    self.at += 1;
                    self.bracket(term)?
                }
                _ => return Ok(term),
            };
        }
    }

    fn location(&self, place: usize) -> Expr {
        let line = self.source.get(..place).unwrap_or_default().iter().filter(|byte| **byte == b'\n').count() + 1;
        Expr::Const(Value::object([("file", self.file.into()), ("line", Value::count(line))]))
    }

    /// `."a"` after the dot.
    fn quoted_field(&mut self, term: Expr) -> Result<Expr, Invalid> {
        let format = match self.peek() {
            Some(Token::Format(name)) => {
                self.at += 1;
                name.clone()
            }
            _ => "text".into(),
        };
        let Some(Token::String(parts)) = self.peek() else {
            return Err(Invalid::Unexpected);
        };
        self.at += 1;
        let key = self.string(parts, &format)?;
        let optional = self.take_op("?");
        Ok(Expr::Field(Box::new(term), Box::new(key), optional))
    }

    /// After `[` as a suffix.
    fn bracket(&mut self, term: Expr) -> Result<Expr, Invalid> {
        let term = Box::new(term);
        if self.take_op("]") {
            return Ok(Expr::Each(term, self.take_op("?")));
        }
        let null = || Box::new(Expr::Const(Value::Null));
        if self.take_op(":") {
            let to = Box::new(self.expr(0)?);
            self.expect_op("]")?;
            return Ok(Expr::Slice(term, null(), to, self.take_op("?")));
        }
        let key = Box::new(self.expr(0)?);
        if self.take_op(":") {
            let to = if self.peek_op("]") { null() } else { Box::new(self.expr(0)?) };
            self.expect_op("]")?;
            return Ok(Expr::Slice(term, key, to, self.take_op("?")));
        }
        self.expect_op("]")?;
        Ok(Expr::Field(term, key, self.take_op("?")))
    }

    pub(super) fn string(&mut self, parts: &'a [Part], format: &str) -> Result<Expr, Invalid> {
        let mut whole: Option<Expr> = None;
        for part in parts {
            let part = match part {
                Part::Text(text) => Expr::Const(Value::String(text.clone())),
                Part::Tokens(tokens) => {
                    if self.depth >= MAX_DEPTH {
                        return Err("a program nested so deep".into());
                    }
                    let mut inner = Parser {
                        source: self.source,
                        file: self.file,
                        tokens,
                        at: 0,
                        depth: self.depth + 1,
                        faults: self.faults,
                    };
                    let expr = inner.expr(0)?;
                    if inner.at != tokens.len() {
                        return Err(Invalid::Unexpected);
                    }
                    let formatted = Expr::Format(Box::new(expr), format.into());
                    whole = Some(whole.unwrap_or_else(|| Expr::Const("".into())));
                    formatted
                }
            };
            whole = Some(match (whole, part) {
                (None, part) => part,
                (Some(Expr::Const(Value::String(before))), Expr::Const(Value::String(text))) => {
                    Expr::Const(Value::from([&*before, &*text].concat()))
                }
                (Some(before), part) => Expr::Binary(Op::Add, Box::new(before), Box::new(part)),
            });
        }
        Ok(whole.unwrap_or_else(|| Expr::Const("".into())))
    }

    /// After `{`.
    pub(super) fn object(&mut self) -> Result<Expr, Invalid> {
        let mut members = Vec::new();
        while !self.peek_op("}") {
            let place = self.place();
            let Some(token) = self.peek() else {
                return Err(Invalid::Unexpected);
            };
            self.at += 1;
            let text = |text: &str| Key::Expr(Expr::Const(text.into()));
            let mut alone = true;
            let mut fixed = None;
            let mut fault = None;
            let key = match token {
                Token::Ident(name) => text(name),
                Token::Keyword(name) => text(name),
                Token::Binding(name) if self.peek_op(":") => Key::Expr(Expr::Variable(name.clone(), place)),
                Token::Binding(name) => Key::Variable(name.clone(), place),
                Token::Location => {
                    fixed = Some(self.location(place));
                    text("__loc__")
                }
                Token::String(parts) => Key::Expr(self.string(parts, "text")?),
                Token::Format(name) => {
                    let Some(Token::String(parts)) = self.peek() else {
                        return Err(Invalid::Unexpected);
                    };
                    self.at += 1;
                    Key::Expr(self.string(parts, name)?)
                }
                Token::Op("(") => {
                    let place = self.place_of(self.at - 1);
                    let key = self.expr(0)?;
                    self.expect_op(")")?;
                    fault = key_fault(&key).map(|message| (message, place));
                    alone = false;
                    Key::Expr(key)
                }
                _ => {
                    self.at -= 1;
                    return Err(Invalid::Unexpected);
                }
            };
            let value = if fixed.is_some() {
                fixed
            } else if self.take_op(":") {
                Some(self.object_value()?)
            } else if alone {
                None
            } else {
                return Err(Invalid::Unexpected);
            };
            if let Some((message, place)) = fault {
                self.fault(message, place);
            }
            members.push((key, value));
            if !self.take_op(",") {
                break;
            }
        }
        self.expect_op("}")?;
        Ok(Expr::Object(members))
    }

    /// Operators without `,`, and `|` between them, as 1.8 has it; in 1.7.1 (`ExpD`) only terms with `-` before them.
    fn object_value(&mut self) -> Result<Expr, Invalid> {
        self.nested(|parser| {
            if let Some(Token::Keyword("def" | "label")) = parser.peek() {
                return Err(Invalid::Unexpected);
            }
            let value = parser.expr(3)?;
            if parser.take_op("|") {
                return Ok(Expr::Pipe(Box::new(value), Box::new(parser.object_value()?)));
            }
            Ok(value)
        })
    }
}
