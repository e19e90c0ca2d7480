//! What stands after a backslash, in a set and outside.

use super::{Anchor, Fault, Node, Options, Parser, invalid};
use crate::control::control_character;
use crate::oniguruma::set::{Class, Set};

impl Parser<'_> {
    /// A character that an escape stands for, in a class too.
    pub(super) fn escaped_char(&mut self, c: char, in_class: bool) -> Result<Option<char>, Fault> {
        if let Some(control) = control_character(c) {
            return Ok(Some(control));
        }
        Ok(Some(match c {
            'c' => {
                let Some(c) = self.peek() else { return invalid("end pattern at control") };
                self.at += 1;
                match c {
                    '?' => '\x7f',
                    '\\' if self.peek().is_none() => return invalid("end pattern at escape"),
                    '\\' if self.take("\\") => '\x1c',
                    c if c.is_ascii() && c != '\\' => char::from(u8::try_from(c).unwrap_or(0) & 0x9f),
                    // An escape in it.
                    _ => return Err("such a character code".into()),
                }
            }
            'o' if self.take("{") => {
                let mut value = 0_u32;
                let mut count = 0;
                while let Some(digit) = self.peek().and_then(|c| c.to_digit(8)).filter(|_| count < 8) {
                    value = value * 8 + digit;
                    count += 1;
                    self.at += 1;
                }
                if count == 0 {
                    return Err("such a character code".into());
                }
                if !self.take("}") {
                    return invalid("invalid code point value");
                }
                char::from_u32(value).ok_or("such a character code")?
            }
            'x' => {
                let braces = self.take("{");
                let mut value = 0;
                let mut count = 0;
                while let Some(digit) = self.peek().and_then(|c| c.to_digit(16)) {
                    if count >= if braces { 6 } else { 2 } {
                        break;
                    }
                    value = value * 16 + digit;
                    count += 1;
                    self.at += 1;
                }
                if count == 0 && !braces {
                    // Without digits it is NUL, and the letter at the end.
                    return Ok(Some(if self.peek().is_none() { 'x' } else { '\0' }));
                }
                if braces && count > 0 && !self.take("}") {
                    return invalid("invalid code point value");
                }
                if count == 0 || !braces && value > 0x7f {
                    return Err("such a character code".into());
                }
                char::from_u32(value).ok_or("such a character code")?
            }
            // The edges of what Unicode takes for a character of the text.
            'X' | 'y' | 'Y' if !in_class => return Ok(None),
            'G' if !in_class => return Ok(None),
            // What means nothing stands for itself.
            c => c,
        }))
    }

    pub(super) fn class(c: char) -> Option<(Class, bool)> {
        Some(match c {
            'd' => (Class::Digit, false),
            'D' => (Class::Digit, true),
            'w' => (Class::Word, false),
            'W' => (Class::Word, true),
            's' => (Class::Space, false),
            'S' => (Class::Space, true),
            _ => return None,
        })
    }

    /// After a backslash and a digit: a reference to a group, or an octal code (Oniguruma's `fetch_token`). What is more than nine and
    /// no group's number is a code of up to three digits.
    fn digits(&mut self, first: char, options: &Options) -> Result<Node, Fault> {
        if first == '0' {
            return Ok(Node::Char(self.octal(0, 2, false)?, options.ignore_case));
        }
        let rest = self.text.get(self.at..).unwrap_or_default();
        let more: String = rest.iter().take_while(|digit| digit.is_ascii_digit()).take(9).collect();
        let number: usize = format!("{first}{more}").parse().unwrap_or(usize::MAX);
        if number <= self.names.len().max(9) {
            self.highest_reference = self.highest_reference.max(number);
            self.at += more.len();
            return Ok(Node::Backreference(number, options.ignore_case));
        }
        match first.to_digit(8) {
            Some(digit) => Ok(Node::Char(self.octal(digit, 2, false)?, options.ignore_case)),
            // 8 and 9 stand for themselves.
            None => Ok(Node::Char(first, options.ignore_case)),
        }
    }

    /// The character whose octal code begins with `first` and has at most so many more digits.
    pub(super) fn octal(&mut self, first: u32, more: usize, in_class: bool) -> Result<char, Fault> {
        let mut code = first;
        for _ in 0..more {
            let Some(digit) = self.peek().and_then(|digit| digit.to_digit(8)) else { break };
            code = code * 8 + digit;
            self.at += 1;
        }
        if in_class && code > 0xff {
            return invalid("too big number");
        }
        match code & 0xff {
            code @ 0..=0x7f => Ok(char::from_u32(code).unwrap_or_default()),
            _ => Err("such a character code".into()),
        }
    }

    pub(super) fn escape(&mut self, options: &Options) -> Result<Node, Fault> {
        let Some(c) = self.peek() else {
            return invalid("end pattern at escape");
        };
        self.at += 1;
        if let Some(class) = Self::class(c) {
            return Ok(Node::Set(Box::new(Set { classes: vec![class], ..Set::default() })));
        }
        let anchor = match c {
            'A' => Some(Anchor::Begin),
            'z' => Some(Anchor::End),
            'Z' => Some(Anchor::LastEnd),
            'b' => Some(Anchor::Word),
            'B' => Some(Anchor::NotWord),
            _ => None,
        };
        if let Some(anchor) = anchor {
            return Ok(Node::Anchor(anchor));
        }
        if c.is_ascii_digit() {
            return self.digits(c, options);
        }
        if c == 'k' && self.take("<") {
            let mut name = String::new();
            while let Some(c) = self.peek().filter(|c| *c != '>') {
                name.push(c);
                self.at += 1;
            }
            let group = match name.parse::<usize>() {
                Ok(number) if number == 0 || number > self.names.len() => {
                    return invalid("invalid backref number/name");
                }
                Ok(number) => Some(number - 1),
                Err(_) => self.names.iter().position(|own| own.as_deref() == Some(&name)),
            };
            return match (self.take(">"), group) {
                (true, Some(group)) => Ok(Node::Backreference(group + 1, options.ignore_case)),
                (true, None) if name.starts_with(|c: char| c.is_alphabetic() || c == '_') => {
                    Err(Fault::Invalid(format!("undefined name <{name}> reference")))
                }
                _ => Err("such a reference".into()),
            };
        }
        if let Some(ranges) = self.property(c)? {
            return Ok(Node::Set(Box::new(Set { ranges, ..Set::default() })));
        }
        match c {
            'K' => return Ok(Node::Keep),
            'N' => return Ok(Node::Any(false)),
            'O' => return Ok(Node::Any(true)),
            'R' => {
                let crlf = Node::Concat(vec![Node::Char('\r', false), Node::Char('\n', false)]);
                let ranges = vec![('\n', '\r'), ('\u{85}', '\u{85}'), ('\u{2028}', '\u{2029}')];
                let one = Node::Set(Box::new(Set { ranges, ..Set::default() }));
                return Ok(Node::Atomic(Box::new(Node::Alternatives(vec![crlf, one]))));
            }
            _ => {}
        }
        match self.escaped_char(c, false)? {
            Some(c) => Ok(Node::Char(c, options.ignore_case)),
            None => Err(Fault::Unsupported(format!("\\{c}"))),
        }
    }
}
