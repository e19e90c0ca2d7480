//! jq's grammar (1.7's `parser.y`), by precedence climbing.

mod mistakes;
mod module;
mod pattern;
mod term;

use std::sync::Arc;

use super::ast::{Definition, Expr, Import, Op};
use super::lex::{Invalid, Token, tokens};
use super::value::Object;

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

/// What is wrong with a program: jq's message, and the place of the word that it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mistake {
    pub(super) message: String,
    pub(super) place: usize,
}

/// A program that cannot be run.
#[derive(Debug)]
pub(super) enum Rejected {
    /// What is not supported.
    Unsupported(String),
    /// What is wrong with it, at least one.
    Mistakes(Vec<Mistake>),
}

/// Reads a program, or a module in a file.
pub(super) fn program(source: &[u8], file: &str) -> Result<Parsed, Rejected> {
    let mut faults = Vec::new();
    let parsed = parse(source, file, &mut faults);
    if let Err(Invalid::Unexpected) = parsed {
        faults.extend(mistakes::mistakes(source));
        if faults.is_empty() {
            // What 1.8 has and 1.7.1 has not is wrong by neither's words.
            faults.push(Mistake { message: "syntax error".to_owned(), place: 0 });
        }
    }
    match parsed {
        Err(Invalid::Unsupported(what)) => Err(Rejected::Unsupported(what)),
        Ok(parsed) if faults.is_empty() => Ok(parsed),
        _ => Err(Rejected::Mistakes(faults)),
    }
}

/// Reads it; `faults` are those that the grammar allows.
fn parse(source: &[u8], file: &str, faults: &mut Vec<Mistake>) -> Result<Parsed, Invalid> {
    let tokens = tokens(source)?;
    if tokens.len() > MAX_TOKENS {
        return Err("a program as long as this one".into());
    }
    let mut parser = Parser { source, file, tokens: &tokens, at: 0, depth: 0, faults };
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
        return Err(Invalid::Unexpected);
    }
    Ok(Parsed { metadata, imports, definitions, main: Some(main) })
}

/// Reads definitions of functions.
pub(super) fn library(source: &str) -> Result<Vec<Definition>, Rejected> {
    Ok(program(source.as_bytes(), "")?.definitions)
}

struct Parser<'a> {
    source: &'a [u8],
    /// Its name in messages.
    file: &'a str,
    tokens: &'a [(Token, usize)],
    at: usize,
    depth: usize,
    faults: &'a mut Vec<Mistake>,
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
        if self.take_op(operator) { Ok(()) } else { Err(Invalid::Unexpected) }
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
        if self.take_keyword(keyword) { Ok(()) } else { Err(Invalid::Unexpected) }
    }

    fn fault(&mut self, message: String, place: usize) {
        self.faults.push(Mistake { message, place });
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
                return Err(Invalid::Unexpected);
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

    /// What stands between binary operators. After `try` no `?` belongs to it.
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
                    return Err(Invalid::Unexpected);
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

    /// After `if` or `elif`.
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
}
