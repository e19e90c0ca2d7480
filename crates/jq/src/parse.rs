//! jq's grammar (1.7's `parser.y`), by precedence climbing.

use std::sync::Arc;

use super::ast::{Definition, Expr, Import, Key, Op, Pattern};
use super::lex::{END, Invalid, Part, Token, tokens};
use super::ops;
use super::value::{Object, Value};
use super::watch::Watch;

/// How many words a program may have: expressions are as deep as that at most.
const MAX_TOKENS: usize = 6_000;
/// How deep expressions may nest.
const MAX_DEPTH: usize = 600;

/// What a program or module says.
#[derive(Debug)]
pub(super) struct Parsed {
    /// `module {…};`
    pub(super) metadata: Option<Object>,
    pub(super) imports: Vec<Import>,
    pub(super) definitions: Vec<Definition>,
    /// `None`: there are only definitions.
    pub(super) main: Option<Expr>,
}

/// Reads a program, or a module in a file.
pub(super) fn program(source: &[u8], file: &str) -> Result<Parsed, Invalid> {
    let tokens = tokens(source)?;
    if tokens.len() > MAX_TOKENS {
        return Err("a program as long as this one".into());
    }
    let mut parser = Parser { source, file, tokens: &tokens, at: 0, depth: 0, is_behind_all: false };
    let place = parser.place();
    let metadata = if parser.take_keyword("module") { Some(parser.metadata(place)?) } else { None };
    let mut imports = Vec::new();
    while let Some(import) = parser.import()? {
        imports.push(import);
    }
    let mut definitions = Vec::new();
    while parser.peek_keyword("def") {
        definitions.push(parser.definition()?);
    }
    if parser.at == tokens.len() {
        return Ok(Parsed { metadata, imports, definitions, main: None });
    }
    let main = parser.expr(0)?;
    if parser.at != tokens.len() {
        parser.is_behind_all = true;
        return Err(parser.unexpected());
    }
    Ok(Parsed { metadata, imports, definitions, main: Some(main) })
}

/// Reads definitions of functions.
pub(super) fn library(source: &str) -> Result<Vec<Definition>, Invalid> {
    Ok(program(source.as_bytes(), "")?.definitions)
}

/// The value of an expression that is constant.
fn constant(expr: &Expr) -> Option<Value> {
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

struct Parser<'a> {
    source: &'a [u8],
    /// Its name in messages.
    file: &'a str,
    tokens: &'a [(Token, usize)],
    at: usize,
    depth: usize,
    /// A whole program was read, and there is more.
    is_behind_all: bool,
}

/// How tight a binary operator binds, and the least that its right operand may: lowest first.
fn binding(operator: &str) -> Option<(u8, u8)> {
    Some(match operator {
        "|" => (1, 1),
        "," => (2, 3),
        "//" => (3, 3),
        "=" | "|=" | "+=" | "-=" | "*=" | "/=" | "%=" | "//=" => (4, 5),
        "or" => (5, 6),
        "and" => (6, 7),
        "==" | "!=" | "<" | ">" | "<=" | ">=" => (7, 8),
        "+" | "-" => (8, 9),
        "*" | "/" | "%" => (9, 10),
        _ => return None,
    })
}

/// Levels whose operators cannot stand in a row.
fn is_nonassociative(level: u8) -> bool {
    level == 4 || level == 7
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<&'a Token> {
        self.tokens.get(self.at).map(|(token, _)| token)
    }

    fn place(&self) -> usize {
        self.tokens.get(self.at).map_or(self.source.len(), |(_, place)| *place)
    }

    fn peek_op(&self, operator: &str) -> bool {
        matches!(self.peek(), Some(Token::Op(own)) if *own == operator)
    }

    fn op_at(&self, ahead: usize, operator: &str) -> bool {
        matches!(self.tokens.get(self.at + ahead), Some((Token::Op(own), _)) if *own == operator)
    }

    fn take_op(&mut self, operator: &str) -> bool {
        let found = self.peek_op(operator);
        self.at += usize::from(found);
        found
    }

    fn expect_op(&mut self, operator: &str) -> Result<(), Invalid> {
        if self.take_op(operator) { Ok(()) } else { Err(self.unexpected()) }
    }

    fn peek_keyword(&self, keyword: &str) -> bool {
        matches!(self.peek(), Some(Token::Keyword(own)) if *own == keyword)
    }

    fn take_keyword(&mut self, keyword: &str) -> bool {
        let found = self.peek_keyword(keyword);
        self.at += usize::from(found);
        found
    }

    fn expect_keyword(&mut self, keyword: &str) -> Result<(), Invalid> {
        if self.take_keyword(keyword) { Ok(()) } else { Err(self.unexpected()) }
    }

    fn unexpected(&self) -> Invalid {
        let Some((token, place)) = self.tokens.get(self.at) else {
            return Invalid::unexpected(END, self.tokens.last().map_or(0, |(_, place)| *place));
        };
        let name = match token {
            Token::Ident(_) => "IDENT".to_owned(),
            Token::Keyword(word) => (*word).to_owned(),
            Token::Field(_) => "FIELD".to_owned(),
            Token::Binding(_) => "BINDING".to_owned(),
            Token::Format(_) => "FORMAT".to_owned(),
            Token::Number(_) => "LITERAL".to_owned(),
            Token::String(_) => "QQSTRING_START".to_owned(),
            Token::Location => "$__loc__".to_owned(),
            Token::Op(operator) if operator.len() == 1 => format!("'{operator}'"),
            Token::Op(operator) => (*operator).to_owned(),
        };
        // Behind a whole expression there is nothing else that could come.
        let name = if self.is_behind_all { format!("{name}, expecting {END}") } else { name };
        Invalid::unexpected(&name, *place)
    }

    fn place_of(&self, token: usize) -> usize {
        self.tokens.get(token).map_or(0, |(_, place)| *place)
    }

    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, Invalid>) -> Result<T, Invalid> {
        if self.depth >= MAX_DEPTH {
            return Err("a program nested so deep".into());
        }
        self.depth += 1;
        let read = read(self);
        self.depth -= 1;
        read
    }

    /// An object behind `module` or `import`, and the semicolon.
    fn metadata(&mut self, place: usize) -> Result<Object, Invalid> {
        let expr = self.expr(0)?;
        self.expect_op(";")?;
        match constant(&expr) {
            Some(Value::Object(object)) => Ok((*object).clone()),
            Some(_) => Err(Invalid::Syntax("Module metadata must be an object".to_owned(), place)),
            None => Err(Invalid::Syntax("Module metadata must be constant".to_owned(), place)),
        }
    }

    fn import(&mut self) -> Result<Option<Import>, Invalid> {
        let include = self.peek_keyword("include");
        if !include && !self.peek_keyword("import") {
            return Ok(None);
        }
        let place = self.place();
        self.at += 1;
        let name_place = self.place();
        let Some(Token::String(parts)) = self.peek() else {
            return Err(self.unexpected());
        };
        self.at += 1;
        let Expr::Const(Value::String(path)) = self.string(parts, "text")? else {
            return Err(Invalid::Syntax("Import path must be constant".to_owned(), name_place));
        };
        let (mut alias, mut is_data) = (None, false);
        if !include {
            self.expect_keyword("as")?;
            match self.peek() {
                Some(Token::Ident(name)) => alias = Some(name.to_string()),
                Some(Token::Binding(name)) => (alias, is_data) = (Some(name.to_string()), true),
                _ => return Err(self.unexpected()),
            }
            self.at += 1;
        }
        let metadata = if self.take_op(";") { Object::default() } else { self.metadata(place)? };
        Ok(Some(Import { path: path.to_string(), alias, is_data, metadata }))
    }

    fn definition(&mut self) -> Result<Definition, Invalid> {
        self.expect_keyword("def")?;
        let Some(Token::Ident(name)) = self.peek() else {
            return Err(self.unexpected());
        };
        self.at += 1;
        let mut params = Vec::new();
        if self.take_op("(") {
            loop {
                match self.peek() {
                    Some(Token::Ident(name)) => params.push((name.clone(), false)),
                    Some(Token::Binding(name)) => params.push((name.clone(), true)),
                    _ => return Err(self.unexpected()),
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

    /// An expression of operators that bind at least as tight as `least`.
    fn expr(&mut self, least: u8) -> Result<Expr, Invalid> {
        self.nested(|parser| parser.expr_here(least))
    }

    fn expr_here(&mut self, least: u8) -> Result<Expr, Invalid> {
        let mut left = self.operand(true)?;
        let mut forbidden = None;
        loop {
            let operator = match self.peek() {
                Some(Token::Op(operator)) => *operator,
                Some(Token::Keyword(keyword @ ("and" | "or"))) => keyword,
                _ => return Ok(left),
            };
            let Some((level, right)) = binding(operator) else {
                return Ok(left);
            };
            if level < least {
                return Ok(left);
            }
            if forbidden == Some(level) {
                return Err(self.unexpected());
            }
            self.at += 1;
            let right = Box::new(self.expr(right)?);
            forbidden = is_nonassociative(level).then_some(level);
            let left_box = Box::new(left);
            let binary = Expr::Binary;
            left = match operator {
                "|" => Expr::Pipe(left_box, right),
                "," => Expr::Comma(left_box, right),
                "//" => Expr::Alternative(left_box, right),
                "=" => Expr::Call("_assign".into(), vec![*left_box, *right], 0),
                "|=" => Expr::Modify(left_box, right),
                "//=" => Expr::UpdateAlternative(left_box, right),
                "+=" => Expr::Update(Op::Add, left_box, right),
                "-=" => Expr::Update(Op::Subtract, left_box, right),
                "*=" => Expr::Update(Op::Multiply, left_box, right),
                "/=" => Expr::Update(Op::Divide, left_box, right),
                "%=" => Expr::Update(Op::Modulo, left_box, right),
                "or" => Expr::Or(left_box, right),
                "and" => Expr::And(left_box, right),
                "==" => binary(Op::Equal, left_box, right),
                "!=" => binary(Op::NotEqual, left_box, right),
                "<" => binary(Op::Less, left_box, right),
                ">" => binary(Op::Greater, left_box, right),
                "<=" => binary(Op::LessEqual, left_box, right),
                ">=" => binary(Op::GreaterEqual, left_box, right),
                "+" => binary(Op::Add, left_box, right),
                "-" => binary(Op::Subtract, left_box, right),
                "*" => binary(Op::Multiply, left_box, right),
                "/" => binary(Op::Divide, left_box, right),
                _ => binary(Op::Modulo, left_box, right),
            };
        }
    }

    /// What stands between binary operators. Behind `try` no `?` belongs to it.
    fn operand(&mut self, with_optional: bool) -> Result<Expr, Invalid> {
        let mut expr = match self.peek() {
            Some(Token::Keyword("def")) => {
                let definition = self.definition()?;
                let body = self.expr(0)?;
                return Ok(Expr::Def(Arc::new(definition), Box::new(body)));
            }
            Some(Token::Op("-")) => {
                self.at += 1;
                return Ok(Expr::Negate(Box::new(self.expr(9)?)));
            }
            Some(Token::Keyword("label")) => {
                self.at += 1;
                let Some(Token::Binding(name)) = self.peek() else {
                    return Err(self.unexpected());
                };
                self.at += 1;
                self.expect_op("|")?;
                return Ok(Expr::Label(name.clone(), Box::new(self.expr(0)?)));
            }
            Some(Token::Keyword("try")) => {
                self.at += 1;
                let body = self.nested(|parser| parser.operand(false))?;
                let handler = if self.take_keyword("catch") {
                    Some(Box::new(self.nested(|parser| parser.operand(false))?))
                } else {
                    None
                };
                Expr::Try(Box::new(body), handler)
            }
            Some(Token::Keyword("if")) => {
                self.at += 1;
                self.condition()?
            }
            Some(Token::Keyword("reduce")) => {
                self.at += 1;
                let source = Box::new(self.term()?);
                self.expect_keyword("as")?;
                let patterns = self.patterns()?;
                self.expect_op("(")?;
                let init = Box::new(self.expr(0)?);
                self.expect_op(";")?;
                let update = Box::new(self.expr(0)?);
                self.expect_op(")")?;
                Expr::Reduce(source, patterns, init, update)
            }
            Some(Token::Keyword("foreach")) => {
                self.at += 1;
                let source = Box::new(self.term()?);
                self.expect_keyword("as")?;
                let patterns = self.patterns()?;
                self.expect_op("(")?;
                let init = Box::new(self.expr(0)?);
                self.expect_op(";")?;
                let update = Box::new(self.expr(0)?);
                let extract = if self.take_op(";") { Some(Box::new(self.expr(0)?)) } else { None };
                self.expect_op(")")?;
                Expr::Foreach(source, patterns, init, update, extract)
            }
            _ => {
                let term = self.term()?;
                if self.take_keyword("as") {
                    let patterns = self.patterns()?;
                    self.expect_op("|")?;
                    return Ok(Expr::Bind(Box::new(term), patterns, Box::new(self.expr(0)?)));
                }
                term
            }
        };
        while with_optional && self.take_op("?") {
            expr = Expr::Try(Box::new(expr), None);
        }
        Ok(expr)
    }

    /// Behind `if` or `elif`.
    fn condition(&mut self) -> Result<Expr, Invalid> {
        let condition = Box::new(self.expr(0)?);
        self.expect_keyword("then")?;
        let then = Box::new(self.expr(0)?);
        let otherwise = if self.take_keyword("elif") {
            self.nested(Self::condition)?
        } else if self.take_keyword("else") {
            let otherwise = self.expr(0)?;
            self.expect_keyword("end")?;
            otherwise
        } else {
            self.expect_keyword("end")?;
            Expr::Identity
        };
        Ok(Expr::If(condition, then, Box::new(otherwise)))
    }

    fn term(&mut self) -> Result<Expr, Invalid> {
        let place = self.place();
        let Some(token) = self.peek() else {
            return Err(self.unexpected());
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
                    return Err(self.unexpected());
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
                return Err(self.unexpected());
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

    /// `."a"` behind the dot.
    fn quoted_field(&mut self, term: Expr) -> Result<Expr, Invalid> {
        let format = match self.peek() {
            Some(Token::Format(name)) => {
                self.at += 1;
                name.clone()
            }
            _ => "text".into(),
        };
        let Some(Token::String(parts)) = self.peek() else {
            return Err(self.unexpected());
        };
        self.at += 1;
        let key = self.string(parts, &format)?;
        let optional = self.take_op("?");
        Ok(Expr::Field(Box::new(term), Box::new(key), optional))
    }

    /// Behind `[` as a suffix.
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

    fn string(&mut self, parts: &'a [Part], format: &str) -> Result<Expr, Invalid> {
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
                        is_behind_all: false,
                    };
                    let expr = inner.expr(0)?;
                    if inner.at != tokens.len() {
                        return Err(inner.unexpected());
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

    fn patterns(&mut self) -> Result<Vec<Pattern>, Invalid> {
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
                return Err(self.unexpected());
            };
            self.at += 1;
            let (key, variable) = match token {
                Token::Binding(name) => (text(name), Some(name.clone())),
                Token::Ident(name) => (text(name), None),
                Token::Keyword(name) => (text(name), None),
                Token::String(parts) => (self.string(parts, "text")?, None),
                Token::Op("(") => {
                    let place = self.place_of(self.at - 1);
                    let key = self.expr(0)?;
                    self.expect_op(")")?;
                    check_key(&key, place)?;
                    (key, None)
                }
                _ => {
                    self.at -= 1;
                    return Err(self.unexpected());
                }
            };
            let inner = if self.take_op(":") {
                Some(self.pattern()?)
            } else if variable.is_some() {
                None
            } else {
                return Err(self.unexpected());
            };
            items.push((key, variable, inner));
            if !self.take_op(",") {
                break;
            }
        }
        self.expect_op("}")?;
        Ok(Pattern::Object(items))
    }

    /// Behind `{`.
    fn object(&mut self) -> Result<Expr, Invalid> {
        let mut members = Vec::new();
        while !self.peek_op("}") {
            let place = self.place();
            let Some(token) = self.peek() else {
                return Err(self.unexpected());
            };
            self.at += 1;
            let text = |text: &str| Key::Expr(Expr::Const(text.into()));
            let mut alone = true;
            let mut fixed = None;
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
                        return Err(self.unexpected());
                    };
                    self.at += 1;
                    Key::Expr(self.string(parts, name)?)
                }
                Token::Op("(") => {
                    let place = self.place_of(self.at - 1);
                    let key = self.expr(0)?;
                    self.expect_op(")")?;
                    check_key(&key, place)?;
                    alone = false;
                    Key::Expr(key)
                }
                _ => {
                    self.at -= 1;
                    return Err(self.unexpected());
                }
            };
            let value = if fixed.is_some() {
                fixed
            } else if self.take_op(":") {
                Some(self.object_value()?)
            } else if alone {
                None
            } else {
                return Err(self.unexpected());
            };
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
                return Err(parser.unexpected());
            }
            let value = parser.expr(3)?;
            if parser.take_op("|") {
                return Ok(Expr::Pipe(Box::new(value), Box::new(parser.object_value()?)));
            }
            Ok(value)
        })
    }
}

/// A constant that cannot be a key is an error of the program.
fn check_key(key: &Expr, place: usize) -> Result<(), Invalid> {
    let shown = |value: &Value| format!("{} ({})", value.kind(), ops::shown(value, 15));
    let kind = match key {
        Expr::Const(Value::String(_)) => return Ok(()),
        Expr::Const(value) => shown(value),
        Expr::Array(_) | Expr::Object(_) => match constant(key) {
            Some(value) => shown(&value),
            None => return Ok(()),
        },
        Expr::Binary(op, a, b) => match (&**a, &**b) {
            (Expr::Const(a), Expr::Const(b)) => match ops::binary(*op, a.clone(), b.clone(), &Watch::unwatched()) {
                Ok(Value::String(_)) | Err(_) => return Ok(()),
                Ok(value) => shown(&value),
            },
            _ => return Ok(()),
        },
        _ => return Ok(()),
    };
    Err(Invalid::Syntax(format!("Cannot use {kind} as object key"), place))
}
