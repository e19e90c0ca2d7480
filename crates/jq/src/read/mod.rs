//! Reading JSON texts as jq does: many in a row, piece by piece, with its messages.

mod special;
mod string;
mod whole;

use std::sync::Arc;

use memchr::memchr2;

use super::number;
use super::value::{Array, Object, Value};
pub(super) use special::Flags;
use special::Special;
pub(super) use string::unescape;
pub(super) use whole::{parse, parse_all};

/// How deep input may nest.
const MAX_DEPTH: usize = 256;

/// What a value takes beside its text: a place in a vector that has room for as many again.
const PER_VALUE: usize = 2 * size_of::<Value>();

/// What an array or object takes beside its elements, and the places that the first element is given with others.
const PER_CONTAINER: usize = Object::ALONE + 4 * size_of::<Value>();

/// What stands open around the place that was read to.
enum Open {
    Array(Array),
    Object(Object),
    /// A key of the object below it.
    Key(Arc<str>),
}

/// Where in a token the piece before ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Normal,
    String,
    Escape,
}

/// What the piece that was given has led to.
pub(super) enum Step {
    /// A value; so many bytes were used.
    Value(Value, usize),
    /// All of the piece was used.
    More,
    /// A message with the place. The rest of the piece is of no use.
    Error(String),
    /// A message after so many bytes.
    Wrong(String, usize),
    /// Nothing came of so many bytes (`--seq`).
    Nothing(usize),
}

/// A parser of JSON texts that gets its input in pieces.
pub(super) struct Parser {
    stack: Vec<Open>,
    next: Option<Value>,
    token: Vec<u8>,
    state: State,
    line: u64,
    column: u64,
    /// How much of a byte order mark was seen; 3: that is done.
    mark: usize,
    malformed_mark: bool,
    ended: bool,
    /// About how many bytes were made since somebody asked, beside texts.
    made: usize,
    special: Option<Box<Special>>,
}

const MARK: [u8; 3] = [0xef, 0xbb, 0xbf];

impl Parser {
    pub(super) fn new() -> Self {
        Self {
            stack: Vec::new(),
            next: None,
            token: Vec::new(),
            state: State::Normal,
            line: 1,
            column: 0,
            mark: 0,
            malformed_mark: false,
            ended: false,
            made: 0,
            special: None,
        }
    }

    /// A parser for `--stream` and the like.
    pub(super) fn with(flags: Flags) -> Self {
        let special = (flags != Flags::default()).then(|| Box::new(Special::new(flags)));
        Self { special, ..Self::new() }
    }

    /// How many bytes of a new piece belong to a byte order mark.
    pub(super) fn skip_mark(&mut self, piece: &[u8]) -> usize {
        let mut skipped = 0;
        while self.mark < MARK.len() && !self.malformed_mark {
            match piece.get(skipped) {
                None => break,
                Some(byte) if MARK.get(self.mark) == Some(byte) => {
                    skipped += 1;
                    self.mark += 1;
                }
                Some(_) if self.mark == 0 => self.mark = MARK.len(),
                Some(_) => self.malformed_mark = true,
            }
        }
        skipped
    }

    fn reset(&mut self) {
        self.stack.clear();
        self.next = None;
        self.token.clear();
        self.state = State::Normal;
    }

    /// Reads on; when `last`, no more will come.
    pub(super) fn step(&mut self, piece: &[u8], last: bool) -> Step {
        if self.ended {
            return Step::More;
        }
        if let Some(mut special) = self.special.take() {
            let step = self.special_step(&mut special, piece, last);
            self.special = Some(special);
            return step;
        }
        if self.malformed_mark {
            return Step::Error("Malformed BOM".to_owned());
        }
        let mut at = 0;
        match self.scan(piece, &mut at) {
            Ok(Some(value)) => {
                self.count(piece.get(..at).unwrap_or_default());
                Step::Value(value, at)
            }
            Ok(None) => {
                self.count(piece);
                if last { self.finish(piece.len()) } else { Step::More }
            }
            Err(message) => {
                self.count(piece.get(..at).unwrap_or_default());
                self.reset();
                Step::Error(format!("{message} at line {}, column {}", self.line, self.column))
            }
        }
    }

    /// Counts lines and columns of what was used.
    fn count(&mut self, used: &[u8]) {
        match memchr::memrchr(b'\n', used) {
            None => self.column += used.len() as u64,
            Some(at) => {
                self.line += memchr::memchr_iter(b'\n', used).count() as u64;
                self.column = (used.len() - at - 1) as u64;
            }
        }
    }

    fn finish(&mut self, used: usize) -> Step {
        self.ended = true;
        let message = if self.state != State::Normal {
            Some("Unfinished string")
        } else if let Err(message) = self.literal() {
            Some(message)
        } else if !self.stack.is_empty() {
            Some("Unfinished JSON term")
        } else {
            None
        };
        if let Some(message) = message {
            self.reset();
            return Step::Error(format!("{message} at EOF at line {}, column {}", self.line, self.column));
        }
        match self.next.take() {
            Some(value) => Step::Value(value, used),
            None => Step::More,
        }
    }

    /// A whole value on the top level.
    fn done(&mut self) -> Option<Value> {
        if self.stack.is_empty() { self.next.take() } else { None }
    }

    fn scan(&mut self, piece: &[u8], at: &mut usize) -> Result<Option<Value>, &'static str> {
        while let Some(&byte) = piece.get(*at) {
            match self.state {
                State::Normal => match byte {
                    b' ' | b'\t' | b'\r' | b'\n' => {
                        *at += 1;
                        if !self.token.is_empty() {
                            self.literal()?;
                        }
                        if let Some(value) = self.done() {
                            return Ok(Some(value));
                        }
                    }
                    b'"' => {
                        *at += 1;
                        if !self.token.is_empty() {
                            self.literal()?;
                        }
                        let before = self.done();
                        self.state = State::String;
                        if before.is_some() {
                            return Ok(before);
                        }
                    }
                    b'[' | b'{' | b':' | b',' | b']' | b'}' => {
                        *at += 1;
                        if !self.token.is_empty() {
                            self.literal()?;
                        }
                        // What stood before is given out first; the token itself is taken too.
                        let before = self.done();
                        self.structure(byte)?;
                        let after = self.done();
                        if let Some(value) = after.or(before) {
                            return Ok(Some(value));
                        }
                    }
                    _ => {
                        let rest = piece.get(*at..).unwrap_or_default();
                        let length = rest
                            .iter()
                            .position(|byte| {
                                matches!(
                                    byte,
                                    b' ' | b'\t' | b'\r' | b'\n' | b'"' | b'[' | b'{' | b':' | b',' | b']' | b'}'
                                )
                            })
                            .unwrap_or(rest.len());
                        self.token.extend_from_slice(rest.get(..length).unwrap_or_default());
                        *at += length;
                    }
                },
                State::Escape => {
                    self.token.push(byte);
                    self.state = State::String;
                    *at += 1;
                }
                State::String => {
                    let rest = piece.get(*at..).unwrap_or_default();
                    let length = memchr2(b'"', b'\\', rest).unwrap_or(rest.len());
                    let text = rest.get(..length).unwrap_or_default();
                    *at += length;
                    match rest.get(length) {
                        Some(b'"') => {
                            *at += 1;
                            let value = if self.token.is_empty() {
                                unescape(text)?
                            } else {
                                self.token.extend_from_slice(text);
                                unescape(&self.token)?
                            };
                            self.token.clear();
                            self.value(value)?;
                            self.state = State::Normal;
                            if let Some(value) = self.done() {
                                return Ok(Some(value));
                            }
                        }
                        Some(_) => {
                            self.token.extend_from_slice(text);
                            self.token.push(b'\\');
                            self.state = State::Escape;
                            *at += 1;
                        }
                        None => self.token.extend_from_slice(text),
                    }
                }
            }
        }
        Ok(None)
    }

    fn value(&mut self, value: Value) -> Result<(), &'static str> {
        if self.next.is_some() {
            return Err("Expected separator between values");
        }
        self.next = Some(value);
        self.made += PER_VALUE;
        Ok(())
    }

    /// About how many bytes were made beside texts, parts of others included, since this was called the last time.
    pub(super) fn take_made(&mut self) -> usize {
        std::mem::take(&mut self.made)
    }

    /// How many bytes more may be taken by so many bytes of input: what is open, and large, grows by its own size.
    pub(super) fn coming(&self, piece: usize) -> usize {
        const LONG: usize = 1 << 20;
        let open = self.stack.iter().map(|open| match open {
            Open::Array(array) => array.coming(piece),
            Open::Object(object) => object.coming(piece),
            Open::Key(_) => 0,
        });
        // A string is there as it is written, and once or twice as it is read.
        let text = if self.token.len() < LONG { 0 } else { self.token.len().saturating_mul(3) };
        open.sum::<usize>() + text + self.special.as_ref().map_or(0, |special| special.bytes())
    }

    /// Makes a value of a token that is neither a string nor punctuation.
    fn literal(&mut self) -> Result<(), &'static str> {
        if self.token.is_empty() {
            return Ok(());
        }
        let value = self.literal_value()?;
        self.value(value)?;
        self.token.clear();
        Ok(())
    }

    fn literal_value(&self) -> Result<Value, &'static str> {
        let first = self.token.first().copied().unwrap_or_default();
        let word = match first {
            b't' => Some((&b"true"[..], Value::Bool(true))),
            b'f' => Some((&b"false"[..], Value::Bool(false))),
            // `nan` is a number.
            b'n' if self.token.get(1) == Some(&b'u') => Some((&b"null"[..], Value::Null)),
            _ => None,
        };
        match word {
            Some((text, value)) if self.token == text => Ok(value),
            Some(_) => Err("Invalid literal"),
            None => {
                // A NUL ends the text for jq.
                let text = self.token.split(|byte| *byte == 0).next().unwrap_or_default();
                number::parse(text).map(Value::from).ok_or("Invalid numeric literal")
            }
        }
    }

    fn structure(&mut self, byte: u8) -> Result<(), &'static str> {
        match byte {
            b'[' | b'{' => {
                if self.stack.len() >= MAX_DEPTH {
                    return Err("Exceeds depth limit for parsing");
                }
                if self.next.is_some() {
                    return Err("Expected separator between values");
                }
                self.made += PER_CONTAINER;
                self.stack.push(if byte == b'[' {
                    Open::Array(Array::default())
                } else {
                    Open::Object(Object::default())
                });
                Ok(())
            }
            b':' => {
                let Some(next) = self.next.take() else {
                    return Err("Expected string key before ':'");
                };
                let Some(Open::Object(_)) = self.stack.last() else {
                    return Err("':' not as part of an object");
                };
                let Value::String(key) = next else {
                    return Err("Object keys must be strings");
                };
                self.stack.push(Open::Key(key));
                Ok(())
            }
            b',' => {
                let Some(next) = self.next.take() else {
                    return Err("Expected value before ','");
                };
                match self.stack.last_mut() {
                    None => Err("',' not as part of an object or array"),
                    Some(Open::Array(array)) => {
                        array.push(next);
                        Ok(())
                    }
                    Some(Open::Key(_)) => self.member(next),
                    Some(Open::Object(_)) => Err("Objects must consist of key:value pairs"),
                }
            }
            b']' => {
                let Some(Open::Array(array)) = self.stack.last_mut() else {
                    return Err("Unmatched ']'");
                };
                match self.next.take() {
                    Some(next) => array.push(next),
                    None if array.len() != 0 => return Err("Expected another array element"),
                    None => {}
                }
                if let Some(Open::Array(array)) = self.stack.pop() {
                    self.next = Some(Value::Array(Arc::new(array)));
                }
                Ok(())
            }
            _ => {
                if self.stack.is_empty() {
                    return Err("Unmatched '}'");
                }
                match self.next.take() {
                    Some(next) => {
                        if !matches!(self.stack.last(), Some(Open::Key(_))) {
                            return Err("Objects must consist of key:value pairs");
                        }
                        self.member(next)?;
                    }
                    None => match self.stack.last() {
                        Some(Open::Object(object)) if object.len() != 0 => {
                            return Err("Expected another key-value pair");
                        }
                        Some(Open::Object(_)) => {}
                        _ => return Err("Unmatched '}'"),
                    },
                }
                if let Some(Open::Object(object)) = self.stack.pop() {
                    self.next = Some(Value::Object(Arc::new(object)));
                }
                Ok(())
            }
        }
    }

    /// Puts a value under the key on top of the stack into the object below it.
    fn member(&mut self, value: Value) -> Result<(), &'static str> {
        if let Some(Open::Key(key)) = self.stack.pop()
            && let Some(Open::Object(object)) = self.stack.last_mut()
        {
            object.set(key, value);
            self.made += Object::PER_MEMBER;
        }
        Ok(())
    }
}
