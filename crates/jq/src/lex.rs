//! The words of a program.

use std::sync::Arc;

use super::number;
use super::read::unescape;
use super::text::repaired;
use super::value::Value;

/// A word of a program.
#[derive(Debug, Clone)]
pub(super) enum Token {
    /// A name that is no keyword.
    Ident(Arc<str>),
    Keyword(&'static str),
    /// `.name`
    Field(Arc<str>),
    /// `$name`
    Binding(Arc<str>),
    /// `@name`
    Format(Arc<str>),
    Number(Value),
    /// A string: texts and interpolated expressions in turn.
    String(Vec<Part>),
    /// `$__loc__`
    Location,
    Op(&'static str),
}

/// A part of a string.
#[derive(Debug, Clone)]
pub(super) enum Part {
    Text(Arc<str>),
    Tokens(Vec<(Token, usize)>),
}

/// How long the run of escapes is that a text of a program begins with.
pub(super) fn escapes_length(text: &[u8]) -> usize {
    let mut length = 0;
    while text.get(length) == Some(&b'\\') {
        match text.get(length + 1) {
            None | Some(b'(') => break,
            Some(b'u') => {
                let digits = text.get(length + 2..).unwrap_or_default();
                length += 2 + digits.iter().take(4).take_while(|byte| byte.is_ascii_alphanumeric()).count();
            }
            Some(_) => length += 2,
        }
    }
    length
}

const KEYWORDS: [&str; 19] = [
    "as", "import", "include", "module", "def", "if", "then", "else", "elif", "and", "or", "end", "reduce", "foreach",
    "try", "catch", "label", "break", "__loc__",
];

const OPERATORS: [&str; 35] = [
    "?//", "//=", "!=", "==", "//", "|=", "+=", "-=", "*=", "/=", "%=", "<=", ">=", "..", ".", "?", "=", ";", ",", ":",
    "|", "+", "-", "*", "/", "%", "$", "<", ">", "[", "]", "{", "}", "(", ")",
];

/// How deep strings may stand in strings.
const MAX_DEPTH: usize = 100;

/// A program that is not valid, or that is not understood here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Invalid {
    /// What is not supported.
    Unsupported(String),
    /// A word cannot stand where it does, or is no word at all: the grammar's automaton says what is to be told of it.
    Unexpected,
}

impl From<String> for Invalid {
    fn from(what: String) -> Self {
        Self::Unsupported(what)
    }
}

impl From<&str> for Invalid {
    fn from(what: &str) -> Self {
        Self::Unsupported(what.to_owned())
    }
}

/// Splits a program into words, each with its place.
pub(super) fn tokens(source: &[u8]) -> Result<Vec<(Token, usize)>, Invalid> {
    let mut lexer = Lexer { source, at: 0 };
    let tokens = lexer.run(false, 0)?;
    Ok(tokens)
}

struct Lexer<'a> {
    source: &'a [u8],
    at: usize,
}

fn is_name_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

impl Lexer<'_> {
    fn rest(&self) -> &[u8] {
        self.source.get(self.at..).unwrap_or_default()
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.source.get(self.at + ahead).copied()
    }

    /// The length of a name at a place, with `module::` before it where `qualified`.
    fn name_length(&self, from: usize, qualified: bool) -> usize {
        let text = self.source.get(from..).unwrap_or_default();
        let simple = |text: &[u8]| match text.first() {
            Some(first) if is_name_start(*first) => text.iter().take_while(|byte| is_name(**byte)).count(),
            _ => 0,
        };
        let mut length = simple(text);
        while qualified && length > 0 && text.get(length..).is_some_and(|rest| rest.starts_with(b"::")) {
            let more = simple(text.get(length + 2..).unwrap_or_default());
            if more == 0 {
                break;
            }
            length += 2 + more;
        }
        length
    }

    fn take(&mut self, length: usize) -> Arc<str> {
        let text = repaired(self.source.get(self.at..self.at + length).unwrap_or_default()).into();
        self.at += length;
        text
    }

    fn run(&mut self, interpolated: bool, depth: usize) -> Result<Vec<(Token, usize)>, Invalid> {
        if depth > MAX_DEPTH {
            return Err("strings nested so deep".into());
        }
        let mut tokens = Vec::new();
        let mut open: Vec<u8> = Vec::new();
        loop {
            let start = self.at;
            let Some(byte) = self.peek(0) else {
                return if interpolated || !open.is_empty() { Err(Invalid::Unexpected) } else { Ok(tokens) };
            };
            let token = match byte {
                b' ' | b'\t' | b'\n' => {
                    self.at += 1;
                    continue;
                }
                b'#' => {
                    let length = self.rest().iter().position(|byte| *byte == b'\n').unwrap_or(self.rest().len());
                    self.at += length;
                    continue;
                }
                b'"' => {
                    self.at += 1;
                    self.string(depth)?
                }
                b'.' if self.peek(1).is_some_and(is_name_start) => {
                    self.at += 1;
                    let length = self.name_length(self.at, false);
                    Token::Field(self.take(length))
                }
                b'0'..=b'9' => self.number()?,
                b'.' if self.peek(1).is_some_and(|next| next.is_ascii_digit()) => self.number()?,
                b'$' if self.peek(1).is_some_and(is_name_start) => {
                    self.at += 1;
                    let length = self.name_length(self.at, true);
                    let name = self.take(length);
                    if &*name == "__loc__" { Token::Location } else { Token::Binding(name) }
                }
                b'@' if self.peek(1).is_some_and(is_name) => {
                    self.at += 1;
                    let length = self.rest().iter().take_while(|byte| is_name(**byte)).count();
                    Token::Format(self.take(length))
                }
                byte if is_name_start(byte) => {
                    let length = self.name_length(self.at, true);
                    let name = self.take(length);
                    match KEYWORDS.iter().find(|keyword| **keyword == &*name) {
                        Some(&keyword) if keyword != "__loc__" => Token::Keyword(keyword),
                        _ => Token::Ident(name),
                    }
                }
                _ => {
                    let rest = self.rest();
                    let Some(&operator) = OPERATORS.iter().find(|operator| rest.starts_with(operator.as_bytes()))
                    else {
                        return Err(Invalid::Unexpected);
                    };
                    self.at += operator.len();
                    match byte {
                        b'(' | b'[' | b'{' => open.push(byte),
                        b')' | b']' | b'}' => {
                            let wanted = match byte {
                                b')' => b'(',
                                b']' => b'[',
                                _ => b'{',
                            };
                            match open.pop() {
                                None if interpolated && byte == b')' => return Ok(tokens),
                                Some(bracket) if bracket == wanted => {}
                                _ => return Err(Invalid::Unexpected),
                            }
                        }
                        _ => {}
                    }
                    Token::Op(operator)
                }
            };
            tokens.push((token, start));
        }
    }

    fn number(&mut self) -> Result<Token, Invalid> {
        let rest = self.rest();
        let digits =
            |from: usize| rest.get(from..).unwrap_or_default().iter().take_while(|byte| byte.is_ascii_digit()).count();
        let mut length = digits(0);
        if rest.get(length) == Some(&b'.') {
            length += 1 + digits(length + 1);
        }
        if matches!(rest.get(length), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(rest.get(length + 1), Some(b'+' | b'-')));
            let exponent = digits(length + 1 + sign);
            if exponent > 0 {
                length += 1 + sign + exponent;
            }
        }
        let text = rest.get(..length).unwrap_or_default();
        let value = number::parse(text).map(Value::from).ok_or("this number")?;
        self.at += length;
        Ok(Token::Number(value))
    }

    /// Reads a string after its first quote.
    fn string(&mut self, depth: usize) -> Result<Token, Invalid> {
        let mut parts = Vec::new();
        loop {
            let rest = self.rest();
            match rest.first() {
                None => return Err(Invalid::Unexpected),
                Some(b'"') => {
                    self.at += 1;
                    return Ok(Token::String(parts));
                }
                Some(b'\\') if rest.get(1) == Some(&b'(') => {
                    self.at += 2;
                    parts.push(Part::Tokens(self.run(true, depth + 1)?));
                }
                Some(b'\\') => {
                    // A run of escapes is read as JSON.
                    let length = escapes_length(rest);
                    if length == 0 {
                        return Err(Invalid::Unexpected);
                    }
                    let escapes = rest.get(..length).unwrap_or_default();
                    // The automaton tells what is wrong with escapes, too.
                    let Value::String(text) = unescape(escapes).map_err(|_| Invalid::Unexpected)? else {
                        return Err("this string".into());
                    };
                    parts.push(Part::Text(text));
                    self.at += length;
                }
                Some(_) => {
                    let length = rest.iter().position(|byte| matches!(byte, b'"' | b'\\')).unwrap_or(rest.len());
                    parts.push(Part::Text(self.take(length)));
                }
            }
        }
    }
}
