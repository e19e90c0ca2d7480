//! Reading with `--stream`, `--stream-errors` and `--seq`: a byte at a time, as jq's parser does.

use super::{Parser, State, Step};
use crate::value::Value;

/// The options that change how input is read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in super::super) struct Flags {
    /// `--stream`: `[PATH, LEAF]` and `[PATH]` for what ends.
    pub(in super::super) stream: bool,
    /// `--stream-errors`: an error is a value.
    pub(in super::super) errors: bool,
    /// `--seq`: texts begin with RS (RFC 7464).
    pub(in super::super) sequence: bool,
}

/// What was read last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Last {
    None,
    OpenArray,
    OpenObject,
    Colon,
    Comma,
    Value,
}

/// The state that a parser has with such options only.
pub(super) struct Special {
    flags: Flags,
    /// `--stream`: the place of what is read: numbers in arrays, keys in objects, null for a key that is not known yet.
    path: Vec<Value>,
    last: Last,
    /// An event that was not given out; a third element: one more is due.
    output: Option<Vec<Value>>,
    /// `--seq`: what stands before the next RS is passed over.
    waiting: bool,
    /// Was the last byte blank?
    blank: bool,
}

/// The record separator.
const RS: u8 = 0x1e;

/// What a byte has led to.
enum Fed {
    Nothing,
    Value(Value),
    /// RS has ended a text that gave nothing.
    Separated,
}

impl Special {
    pub(super) fn new(flags: Flags) -> Self {
        Self { flags, path: Vec::new(), last: Last::None, output: None, waiting: flags.sequence, blank: false }
    }

    fn reset(&mut self) {
        self.path.clear();
        self.last = Last::None;
        self.output = None;
        self.waiting = false;
    }

    /// What the place takes: input may nest for ever.
    pub(super) fn bytes(&self) -> usize {
        // It is there again in each event.
        self.path.capacity() * size_of::<Value>() * 3
    }

    fn event(&self, leaf: Option<Value>) -> Vec<Value> {
        let mut event = vec![Value::array(self.path.clone())];
        event.extend(leaf);
        event
    }

    /// In `--stream`: reads one of `[{:,]}`.
    fn structure(&mut self, byte: u8, next: &mut Option<Value>) -> Result<(), &'static str> {
        let in_object = matches!(self.path.last(), Some(place) if !place.is_number());
        match byte {
            b'[' | b'{' => {
                let array = byte == b'[';
                if if array { next.is_some() } else { self.last == Last::Value } {
                    return Err("Expected a separator between values");
                }
                match (self.last, array) {
                    (Last::OpenObject, true) => return Err("Expected string key after '{', not '['"),
                    (Last::OpenObject, false) => return Err("Expected string key after '{', not '{'"),
                    (Last::Comma, true) if in_object => {
                        return Err("Expected string key after ',' in object, not '['");
                    }
                    (Last::Comma, false) if in_object => {
                        return Err("Expected string key after ',' in object, not '{'");
                    }
                    _ => {}
                }
                self.path.push(if array { Value::Number(0.0) } else { Value::Null });
                self.last = if array { Last::OpenArray } else { Last::OpenObject };
            }
            b':' => {
                if !in_object {
                    return Err("':' not as part of an object");
                }
                let key = match next.take() {
                    Some(next) if self.last != Last::None => next,
                    _ => return Err("Expected string key before ':'"),
                };
                if !matches!(key, Value::String(_)) {
                    return Err("Object keys must be strings");
                }
                if self.last != Last::Value {
                    return Err("':' should follow a key");
                }
                self.last = Last::Colon;
                if let Some(place) = self.path.last_mut() {
                    *place = key;
                }
            }
            b',' => {
                if self.last != Last::Value {
                    return Err("Expected value before ','");
                }
                let following = match self.path.last() {
                    None => return Err("',' not as part of an object or array"),
                    Some(Value::String(_)) => Value::Null,
                    Some(Value::Null) => return Err("Objects must consist of key:value pairs"),
                    Some(index) => Value::Number(index.as_f64().unwrap_or(0.0) + 1.0),
                };
                if let Some(value) = next.take() {
                    self.output = Some(self.event(Some(value)));
                }
                if let Some(place) = self.path.last_mut() {
                    *place = following;
                }
                self.last = Last::Comma;
            }
            _ => self.close(byte, in_object, next)?,
        }
        Ok(())
    }

    /// Reads `]` or `}`.
    fn close(&mut self, byte: u8, in_object: bool, next: &mut Option<Value>) -> Result<(), &'static str> {
        let array = byte == b']';
        if self.path.is_empty() {
            return Err(if array { "Unmatched ']' at the top-level" } else { "Unmatched '}' at the top-level" });
        }
        if self.last == Last::Comma {
            return Err(if array { "Expected another array element" } else { "Expected another key:value pair" });
        }
        if in_object == array {
            return Err(if array {
                "Unmatched ']' in the middle of an object"
            } else {
                "Unmatched '}' in the middle of an array"
            });
        }
        let opened = if array { Last::OpenArray } else { Last::OpenObject };
        if let Some(value) = next.take() {
            if !array && !matches!(self.path.last(), Some(Value::String(_))) {
                return Err("Objects must consist of key:value pairs");
            }
            let mut event = self.event(Some(value));
            event.push(Value::Bool(true));
            self.output = Some(event);
        } else {
            match self.last {
                Last::Colon if !array => return Err("Missing value in key:value pair"),
                Last::OpenArray if !array => return Err("Unmatched '}' in the middle of an array"),
                Last::Value | Last::OpenObject => {}
                _ if !array => return Err("Unmatched '}'"),
                _ => {}
            }
            if self.last != opened {
                self.output = Some(self.event(None));
            }
        }
        self.path.pop();
        if self.last == opened {
            // What is empty is a leaf.
            let empty = if array { Value::array(Vec::new()) } else { Value::object([]) };
            self.output = Some(self.event(Some(empty)));
        }
        self.last = if self.path.is_empty() { Last::None } else { Last::Value };
        Ok(())
    }

    /// An event that is due.
    fn due(&mut self, next: &mut Option<Value>) -> Option<Value> {
        if self.path.is_empty()
            && let Some(value) = next.take()
        {
            return Some(Value::array(self.event(Some(value))));
        }
        let mut output = self.output.take()?;
        if output.len() > 2 {
            let rest = output.first().cloned();
            output.truncate(2);
            self.output = Some(rest.into_iter().collect());
        }
        Some(Value::array(output))
    }
}

impl Parser {
    fn special_done(&mut self, special: &mut Special) -> Option<Value> {
        if special.flags.stream { special.due(&mut self.next) } else { self.done() }
    }

    /// A value that is whole.
    fn special_value(&mut self, special: &mut Special, value: Value) -> Result<(), &'static str> {
        if special.flags.stream {
            if self.next.is_some() || special.last == Last::Value {
                return Err("Expected separator between values");
            }
            special.last = if special.path.is_empty() { Last::None } else { Last::Value };
        }
        self.value(value)
    }

    fn special_literal(&mut self, special: &mut Special) -> Result<(), &'static str> {
        if self.token.is_empty() {
            return Ok(());
        }
        let value = self.literal_value()?;
        self.special_value(special, value)?;
        self.token.clear();
        Ok(())
    }

    fn special_reset(&mut self, special: &mut Special) {
        self.reset();
        special.reset();
    }

    fn special_scan(&mut self, special: &mut Special, byte: u8) -> Result<Fed, &'static str> {
        self.count(&[byte]);
        if special.flags.sequence && byte == RS {
            return self.separated(special);
        }
        special.blank = false;
        let mut given = None;
        match self.state {
            State::Normal => {
                let blank = matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
                let structure = matches!(byte, b'[' | b'{' | b':' | b',' | b']' | b'}');
                special.blank = blank;
                if !(blank || structure || byte == b'"') {
                    self.token.push(byte);
                } else {
                    self.special_literal(special)?;
                    given = self.special_done(special);
                    if byte == b'"' {
                        self.state = State::String;
                    } else if structure && special.flags.stream {
                        special.structure(byte, &mut self.next)?;
                    } else if structure {
                        self.structure(byte)?;
                    }
                }
                given = self.special_done(special).or(given);
            }
            State::String if byte == b'"' => {
                let token = std::mem::take(&mut self.token);
                let value = super::unescape(&token)?;
                self.special_value(special, value)?;
                self.state = State::Normal;
                given = self.special_done(special);
            }
            State::String | State::Escape => {
                self.token.push(byte);
                let escapes = byte == b'\\' && self.state == State::String;
                self.state = if escapes { State::Escape } else { State::String };
            }
        }
        Ok(given.map_or(Fed::Nothing, Fed::Value))
    }

    /// RS was read.
    fn separated(&mut self, special: &mut Special) -> Result<Fed, &'static str> {
        let number = |next: &Option<Value>| next.as_ref().is_some_and(Value::is_number);
        let truncated = if special.flags.stream {
            !special.path.is_empty()
                || matches!(&self.next, Some(next) if number(&self.next) || matches!(next, Value::Bool(_) | Value::Null))
        } else {
            !special.blank && (!self.stack.is_empty() || !self.token.is_empty() || number(&self.next))
        };
        if truncated {
            let top = if special.flags.stream { special.path.is_empty() } else { self.stack.is_empty() };
            let whole = self.special_literal(special).is_ok() && top && number(&self.next);
            return Err(if whole { "Potentially truncated top-level numeric value" } else { "Truncated value" });
        }
        self.special_literal(special)?;
        if self.state == State::Normal
            && let Some(value) = self.special_done(special)
        {
            return Ok(Fed::Value(value));
        }
        self.special_reset(special);
        Ok(Fed::Separated)
    }

    /// An error; with `--stream-errors` a value.
    fn special_error(&mut self, special: &Special, message: String, used: usize) -> Step {
        if special.flags.errors {
            let path = Value::array(special.path.clone());
            return Step::Value(Value::array(vec![Value::from(message), path]), used);
        }
        Step::Wrong(message, used)
    }

    /// `step` with such options.
    pub(super) fn special_step(&mut self, special: &mut Special, piece: &[u8], last: bool) -> Step {
        if self.malformed_mark {
            if !special.flags.sequence {
                return Step::Error("Malformed BOM".to_owned());
            }
            self.special_reset(special);
        }
        if special.flags.stream
            && let Some(value) = special.due(&mut self.next)
        {
            return Step::Value(value, 0);
        }
        for (at, &byte) in (1..).zip(piece) {
            if special.waiting {
                self.count(&[byte]);
                special.waiting = byte != RS;
                continue;
            }
            let message = match self.special_scan(special, byte) {
                Ok(Fed::Nothing) => continue,
                Ok(Fed::Value(value)) => return Step::Value(value, at),
                Ok(Fed::Separated) => return Step::Nothing(at),
                Err(message) => message,
            };
            let hint = if byte != RS && special.flags.sequence { " (need RS to resync)" } else { "" };
            let message = format!("{message} at line {}, column {}{hint}", self.line, self.column);
            // Without --seq the rest of the piece is thrown away.
            let used = if special.flags.sequence { at } else { piece.len() };
            let step = self.special_error(special, message, used);
            self.special_reset(special);
            return step;
        }
        if last { self.special_finish(special, piece.len()) } else { Step::More }
    }

    fn special_finish(&mut self, special: &mut Special, used: usize) -> Step {
        self.ended = true;
        let wrong = |parser: &mut Self, special: &Special, message: &str| {
            let message = format!("{message} at EOF at line {}, column {}", parser.line, parser.column);
            parser.special_error(special, message, used)
        };
        if special.waiting {
            return wrong(self, special, "Unfinished abandoned text");
        }
        let message = if self.state != State::Normal {
            Some("Unfinished string")
        } else if let Err(message) = self.special_literal(special) {
            Some(message)
        } else if if special.flags.stream { !special.path.is_empty() } else { !self.stack.is_empty() } {
            Some("Unfinished JSON term")
        } else {
            None
        };
        if let Some(message) = message {
            let step = wrong(self, special, message);
            self.special_reset(special);
            return step;
        }
        let Some(value) = self.next.take() else {
            return Step::More;
        };
        let number = value.is_number();
        if special.flags.sequence && !special.blank && number && !special.flags.stream {
            return wrong(self, special, "Potentially truncated top-level numeric value");
        }
        if special.flags.stream {
            return Step::Value(Value::array(special.event(Some(value))), used);
        }
        Step::Value(value, used)
    }
}
