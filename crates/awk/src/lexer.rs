//! Tokens of an awk program (POSIX XCU awk, Lexical Conventions).

use super::ast::Builtin;

/// A token.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    Newline,
    End,
    Number(f64),
    String(Box<[u8]>),
    /// A name that is no keyword and no built-in.
    Name(Box<[u8]>),
    /// A name with the parenthesis right after it: a call of a user's function.
    CallName(Box<[u8]>),
    /// A built-in function.
    Builtin(Box<[u8]>),
    Keyword(Keyword),
    /// An operator or other punctuation.
    Symbol(Symbol),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keyword {
    Begin,
    Break,
    Continue,
    Delete,
    Do,
    Else,
    End,
    Exit,
    For,
    Function,
    Getline,
    If,
    In,
    Next,
    NextFile,
    Print,
    Printf,
    Return,
    While,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Symbol {
    BraceOpen,
    BraceClose,
    ParenOpen,
    ParenClose,
    BracketOpen,
    BracketClose,
    Semicolon,
    Comma,
    Plus,
    Minus,
    Star,
    Slash,
    Percent,
    Caret,
    Not,
    Greater,
    GreaterEqual,
    Less,
    LessEqual,
    Equal,
    NotEqual,
    Append,
    Match,
    NoMatch,
    And,
    Or,
    Pipe,
    Question,
    Colon,
    Dollar,
    Assign,
    PlusAssign,
    MinusAssign,
    StarAssign,
    SlashAssign,
    PercentAssign,
    CaretAssign,
    Increment,
    Decrement,
}

/// Reads tokens out of the source.
#[derive(Debug, Clone)]
pub(super) struct Lexer<'a> {
    source: &'a [u8],
    at: usize,
    /// Where the last token begins.
    start: usize,
    /// The line of the next token.
    pub(super) line: usize,
    /// See [`super::ast::Program::differing`].
    pub(super) differing: Option<&'static str>,
}

/// What is wrong, for a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Complaint {
    /// Another awk may know it.
    Unsupported(String),
    /// No awk does.
    Mistake(String),
}

impl Complaint {
    pub(super) fn text(&self) -> &str {
        match self {
            Self::Unsupported(text) | Self::Mistake(text) => text,
        }
    }
}

impl From<String> for Complaint {
    fn from(what: String) -> Self {
        Self::Unsupported(what)
    }
}

impl<'a> Lexer<'a> {
    pub(super) fn new(source: &'a [u8]) -> Self {
        Self { source, at: 0, start: 0, line: 1, differing: None }
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.source.get(self.at + ahead).copied()
    }

    /// Skips blanks, comments and continued lines.
    fn skip_blanks(&mut self) {
        loop {
            match self.peek(0) {
                Some(b' ' | b'\t' | b'\r') => self.at += 1,
                Some(b'\\') if self.peek(1) == Some(b'\n') => {
                    self.at += 2;
                    self.line += 1;
                }
                Some(b'\\') if self.peek(1) == Some(b'\r') && self.peek(2) == Some(b'\n') => {
                    self.at += 3;
                    self.line += 1;
                }
                Some(b'#') => {
                    while !matches!(self.peek(0), None | Some(b'\n')) {
                        self.at += 1;
                    }
                }
                _ => return,
            }
        }
    }

    /// The text of the last token.
    pub(super) fn last(&self) -> &'a [u8] {
        self.source.get(self.start..self.at).unwrap_or_default()
    }

    /// The next token. A `/` is an operator: the parser asks for a regular expression where one may stand.
    pub(super) fn next(&mut self) -> Result<Token, Complaint> {
        self.skip_blanks();
        self.start = self.at;
        let Some(byte) = self.peek(0) else { return Ok(Token::End) };
        match byte {
            b'\n' => {
                self.at += 1;
                self.line += 1;
                Ok(Token::Newline)
            }
            b'"' => {
                self.at += 1;
                self.string().map(Token::String)
            }
            b'0'..=b'9' => self.number(),
            b'.' if self.peek(1).is_some_and(|next| next.is_ascii_digit()) => self.number(),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => Ok(self.word()),
            _ => self.symbol(byte).map(Token::Symbol),
        }
    }

    fn number(&mut self) -> Result<Token, Complaint> {
        let rest = self.source.get(self.at..).unwrap_or_default();
        let (value, length) = super::number::scan(rest).unwrap_or((0.0, 1));
        if rest.first() == Some(&b'0') {
            match rest.get(1) {
                Some(b'x' | b'X') if rest.get(2).is_some_and(u8::is_ascii_hexdigit) => {
                    return Err("a hexadecimal number".to_owned().into());
                }
                Some(b'0'..=b'9') if !rest.get(..length).unwrap_or_default().contains(&b'.') => {
                    self.differing = Some("a number with a leading 0");
                }
                _ => {}
            }
        }
        self.at += length;
        Ok(Token::Number(value))
    }

    fn word(&mut self) -> Token {
        let rest = self.source.get(self.at..).unwrap_or_default();
        let length = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
        let word = rest.get(..length).unwrap_or_default();
        self.at += length;
        let keyword = match word {
            b"BEGIN" => Keyword::Begin,
            b"break" => Keyword::Break,
            b"continue" => Keyword::Continue,
            b"delete" => Keyword::Delete,
            b"do" => Keyword::Do,
            b"else" => Keyword::Else,
            b"END" => Keyword::End,
            b"exit" => Keyword::Exit,
            b"for" => Keyword::For,
            b"function" | b"func" => Keyword::Function,
            b"getline" => Keyword::Getline,
            b"if" => Keyword::If,
            b"in" => Keyword::In,
            b"next" => Keyword::Next,
            b"nextfile" => Keyword::NextFile,
            b"print" => Keyword::Print,
            b"printf" => Keyword::Printf,
            b"return" => Keyword::Return,
            b"while" => Keyword::While,
            _ => {
                let called = self.peek(0) == Some(b'(');
                let is_free = || Builtin::find_of_gawk(word).is_some() && (!called || self.defines(word));
                if Builtin::find(word).is_some() && !is_free() {
                    return Token::Builtin(word.into());
                }
                return if called { Token::CallName(word.into()) } else { Token::Name(word.into()) };
            }
        };
        Token::Keyword(keyword)
    }

    /// Does the program define a function of this name, as far as its words tell?
    fn defines(&self, name: &[u8]) -> bool {
        memchr::memmem::find_iter(self.source, b"func").any(|at| {
            let rest = self.source.get(at + 4..).unwrap_or_default();
            let rest = rest.strip_prefix(b"tion").unwrap_or(rest);
            let blanks = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
            let after = rest.get(blanks..).and_then(|rest| rest.strip_prefix(name));
            blanks > 0
                && after
                    .is_some_and(|rest| !rest.first().is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_'))
        })
    }

    fn symbol(&mut self, byte: u8) -> Result<Symbol, Complaint> {
        let next = self.peek(1);
        let (symbol, length) = match (byte, next) {
            (b'{', _) => (Symbol::BraceOpen, 1),
            (b'}', _) => (Symbol::BraceClose, 1),
            (b'(', _) => (Symbol::ParenOpen, 1),
            (b')', _) => (Symbol::ParenClose, 1),
            (b'[', _) => (Symbol::BracketOpen, 1),
            (b']', _) => (Symbol::BracketClose, 1),
            (b';', _) => (Symbol::Semicolon, 1),
            (b',', _) => (Symbol::Comma, 1),
            (b'+', Some(b'+')) => (Symbol::Increment, 2),
            (b'+', Some(b'=')) => (Symbol::PlusAssign, 2),
            (b'+', _) => (Symbol::Plus, 1),
            (b'-', Some(b'-')) => (Symbol::Decrement, 2),
            (b'-', Some(b'=')) => (Symbol::MinusAssign, 2),
            (b'-', _) => (Symbol::Minus, 1),
            (b'*', Some(b'*')) if self.peek(2) == Some(b'=') => (Symbol::CaretAssign, 3),
            (b'*', Some(b'*')) => (Symbol::Caret, 2),
            (b'*', Some(b'=')) => (Symbol::StarAssign, 2),
            (b'*', _) => (Symbol::Star, 1),
            (b'/', Some(b'=')) => (Symbol::SlashAssign, 2),
            (b'/', _) => (Symbol::Slash, 1),
            (b'%', Some(b'=')) => (Symbol::PercentAssign, 2),
            (b'%', _) => (Symbol::Percent, 1),
            (b'^', Some(b'=')) => (Symbol::CaretAssign, 2),
            (b'^', _) => (Symbol::Caret, 1),
            (b'!', Some(b'=')) => (Symbol::NotEqual, 2),
            (b'!', Some(b'~')) => (Symbol::NoMatch, 2),
            (b'!', _) => (Symbol::Not, 1),
            (b'>', Some(b'=')) => (Symbol::GreaterEqual, 2),
            (b'>', Some(b'>')) => (Symbol::Append, 2),
            (b'>', _) => (Symbol::Greater, 1),
            (b'<', Some(b'=')) => (Symbol::LessEqual, 2),
            (b'<', _) => (Symbol::Less, 1),
            (b'=', Some(b'=')) => (Symbol::Equal, 2),
            (b'=', _) => (Symbol::Assign, 1),
            (b'~', _) => (Symbol::Match, 1),
            (b'&', Some(b'&')) => (Symbol::And, 2),
            (b'|', Some(b'|')) => (Symbol::Or, 2),
            (b'|', Some(b'&')) => return Err("a coprocess (|&)".to_owned().into()),
            (b'|', _) => (Symbol::Pipe, 1),
            (b'?', _) => (Symbol::Question, 1),
            (b':', _) => (Symbol::Colon, 1),
            (b'$', _) => (Symbol::Dollar, 1),
            (b'@', _) => return Err("@".to_owned().into()),
            (byte, _) => return Err(Complaint::Mistake(format!("unexpected character '{}'", byte.escape_ascii()))),
        };
        self.at += length;
        Ok(symbol)
    }

    /// A string: the opening quote has been read.
    fn string(&mut self) -> Result<Box<[u8]>, Complaint> {
        let start = self.at;
        loop {
            match self.peek(0) {
                None | Some(b'\n') => return Err(Complaint::Mistake("runaway string constant".to_owned())),
                Some(b'"') => break,
                Some(b'\\') => {
                    if self.peek(1) == Some(b'\n') {
                        self.line += 1;
                    }
                    self.at += 2;
                }
                Some(_) => self.at += 1,
            }
        }
        let text = self.source.get(start..self.at).unwrap_or_default();
        self.at += 1;
        let (text, differing) = unescape(text);
        self.differing = self.differing.or(differing);
        Ok(text.into())
    }

    /// A regular expression whose opening slash is the token read last, which was `/` or `/=` (`assign`).
    pub(super) fn regex(&mut self, assign: bool) -> Result<Box<[u8]>, Complaint> {
        let mut text = Vec::new();
        if assign {
            text.push(b'=');
        }
        let mut in_bracket = false;
        let mut bracket_start = 0;
        loop {
            match self.peek(0) {
                None | Some(b'\n') => return Err(Complaint::Mistake("runaway regular expression".to_owned())),
                Some(b'/') if !in_bracket => break,
                Some(b'/') => text.push(b'/'),
                Some(b'\\') if self.peek(1) == Some(b'/') => {
                    text.push(b'/');
                    self.at += 1;
                }
                Some(b'\\') => {
                    text.push(b'\\');
                    self.at += 1;
                    match self.peek(0) {
                        None | Some(b'\n') => return Err(Complaint::Mistake("runaway regular expression".to_owned())),
                        Some(byte) => text.push(byte),
                    }
                }
                Some(b'[') if !in_bracket => {
                    in_bracket = true;
                    text.push(b'[');
                    bracket_start = text.len() + usize::from(self.peek(1) == Some(b'^'));
                }
                Some(b'[') if self.peek(1) == Some(b':') => {
                    // A class: its `]` is not the end.
                    let rest = self.source.get(self.at..).unwrap_or_default();
                    match rest.windows(2).position(|pair| pair == b":]") {
                        Some(end) if !rest.get(..end).unwrap_or_default().contains(&b'\n') => {
                            text.extend_from_slice(rest.get(..end + 2).unwrap_or_default());
                            self.at += end + 1;
                        }
                        _ => text.push(b'['),
                    }
                }
                Some(b']') if in_bracket => {
                    in_bracket = text.len() == bracket_start;
                    text.push(b']');
                }
                Some(byte) => text.push(byte),
            }
            self.at += 1;
        }
        self.at += 1;
        Ok(text.into())
    }
}

/// Resolves the escapes of a string (POSIX XCU awk, table 4-2), and says what is read differently by the awks.
pub(super) fn unescape(text: &[u8]) -> (Vec<u8>, Option<&'static str>) {
    let mut out = Vec::with_capacity(text.len());
    let mut differing = None;
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        at += 1;
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        let Some(&next) = text.get(at) else {
            out.push(b'\\');
            break;
        };
        at += 1;
        match next {
            b'"' | b'\\' | b'/' => out.push(next),
            b'a' => out.push(7),
            b'b' => out.push(8),
            b'f' => out.push(12),
            b'n' => out.push(b'\n'),
            b'r' => out.push(b'\r'),
            b't' => out.push(b'\t'),
            b'v' => out.push(11),
            b'0'..=b'7' => {
                let mut value = u32::from(next - b'0');
                for _ in 0..2 {
                    match text.get(at) {
                        Some(digit @ b'0'..=b'7') => value = value * 8 + u32::from(digit - b'0'),
                        _ => break,
                    }
                    at += 1;
                }
                // Of `\777` the low byte is left.
                out.push((value & 0xff) as u8);
            }
            b'x' => {
                let digits = text.get(at..).unwrap_or_default().iter().take_while(|b| b.is_ascii_hexdigit()).count();
                if digits != 2 {
                    differing = Some("a \\x that has not two digits");
                }
                // As gawk and BWK's awk have it.
                if digits == 0 {
                    out.push(b'x');
                }
                let mut value = 0;
                for digit in text.get(at..at + digits.min(2)).unwrap_or_default() {
                    value = value * 16 + char::from(*digit).to_digit(16).unwrap_or(0);
                }
                if digits > 0 {
                    out.push((value & 0xff) as u8);
                }
                at += digits.min(2);
            }
            b'\n' => {}
            other => {
                // gawk and BWK's awk take the backslash off, mawk leaves it.
                differing = Some("a backslash before a character that needs none in a string");
                out.push(other);
            }
        }
    }
    (out, differing)
}
