//! Delimited texts and regular expressions.

use hookshell_regex::is_bare_class;
use hookshell_regex::{Builder, Error, Regex, Syntax};

use super::{Fault, Parser, Result};
use crate::text::{character, is_recursive};

impl Parser<'_> {
    /// The text up to the next delimiter that is not escaped. An escaped delimiter stands for itself. `unterminated` is the
    /// message where there is none.
    pub(super) fn delimited(&mut self, delimiter: u8, is_regex: bool, unterminated: &'static str) -> Result<Vec<u8>> {
        if !delimiter.is_ascii() {
            return Err(match self.source.bytes {
                true => self.unsupported(),
                false => self.wrong("delimiter character is not a single-byte character"),
            });
        }
        let mut text = Vec::new();
        loop {
            let byte = self.next_of_line().ok_or_else(|| self.wrong(unterminated))?;
            if byte == delimiter {
                return Ok(text);
            }
            match byte {
                b'\\' => {
                    if self.is_at_end() {
                        return Err(self.wrong(unterminated));
                    }
                    let escaped = self.next().ok_or_else(|| self.wrong(unterminated))?;
                    if escaped == delimiter {
                        // In an expression it is what it is without the backslash, special or not (as GNU's).
                        if escaped == b'&' && !is_regex {
                            text.push(b'\\');
                        }
                    } else {
                        text.push(b'\\');
                    }
                    text.push(escaped);
                }
                b'[' if is_regex => {
                    text.push(byte);
                    self.bracket(&mut text, unterminated)?;
                }
                _ => text.push(byte),
            }
        }
    }

    /// A bracket expression after its `[`: a delimiter in it does not end the expression around it.
    fn bracket(&mut self, text: &mut Vec<u8>, unterminated: &'static str) -> Result<()> {
        let rest = self.script.get(self.at..).unwrap_or_default();
        let line = rest.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let end = bracket_end(line);
        let inside = line.get(..end.unwrap_or(line.len())).unwrap_or_default();
        text.extend_from_slice(inside);
        self.at += inside.len();
        end.map(|_| ()).ok_or_else(|| self.wrong(unterminated))
    }

    /// Compiles an expression; `None`: the empty one.
    pub(super) fn regex(&mut self, pattern: &[u8], ignore_case: bool, lines: bool) -> Result<Option<Regex>> {
        if pattern.is_empty() {
            return match ignore_case || lines {
                true => Err(self.wrong("cannot specify modifiers on empty regexp")),
                false => Ok(None),
            };
        }
        let pattern = self.resolve(pattern)?;
        let syntax = if self.source.extended { Syntax::SedExtended } else { Syntax::SedBasic };
        let mut builder = Builder::new(syntax).ignore_case(ignore_case).newline(lines).bytes(self.source.bytes);
        if lines && self.source.null {
            // The lines that are meant end with NUL, and a match is in one of them.
            builder = builder.lines(0);
        }
        let regex = builder.build(&pattern).map_err(|error| match error {
            // Too much for us only.
            Error::Memory => self.unsupported(),
            error => self.wrong(error.to_string()),
        })?;
        if has_bare_class(&pattern) {
            return Err(Fault::fatal("character class syntax is [[:space:]], not [:space:]"));
        }
        self.least_groups = self.least_groups.min(regex.group_count());
        Ok(Some(regex))
    }

    /// Is an operator with a backslash GNU's alone?
    fn is_extension(&self, letter: u8) -> bool {
        b"wWsSbB<>`'".contains(&letter) || !self.source.extended && b"+?|".contains(&letter)
    }

    /// Puts the characters in the place of their escapes, also in brackets. What stands there then may be special, as GNU's: `\x5e`
    /// is an anchor.
    fn resolve(&self, pattern: &[u8]) -> Result<Vec<u8>> {
        let mut out = Vec::with_capacity(pattern.len());
        let mut at = 0;
        while let Some(&byte) = pattern.get(at) {
            at += 1;
            let letter = match pattern.get(at) {
                Some(&letter) if byte == b'\\' => letter,
                // A backslash is itself in brackets there.
                Some(_) if byte == b'[' && self.source.posix => {
                    let length = bracket_length(pattern.get(at..).unwrap_or_default());
                    out.push(byte);
                    out.extend(pattern.iter().skip(at).take(length));
                    at += length;
                    continue;
                }
                _ => {
                    out.push(byte);
                    continue;
                }
            };
            at += 1;
            let rest = pattern.get(at..).unwrap_or_default();
            if is_recursive(letter, rest) {
                return Err(self.recursive());
            }
            match character(letter, rest) {
                Some((character, length)) => {
                    at += length;
                    out.push(character);
                }
                None if letter == b'\n' => out.push(letter),
                // GNU's operators stand for themselves.
                None if self.source.posix && self.is_extension(letter) => out.extend_from_slice(&[b'[', letter, b']']),
                // Of a `\c` at the end the backslash is left, which is wrong there.
                None if letter == b'c' => out.push(byte),
                None => out.extend_from_slice(&[byte, letter]),
            }
        }
        Ok(if self.source.posix { with_plain_parentheses(&out, self.source.extended) } else { out })
    }
}

/// Where a bracket expression ends, after its `]`, if it does. The text begins after its `[`.
fn bracket_end(text: &[u8]) -> Option<usize> {
    let start = usize::from(text.first() == Some(&b'^'));
    let mut at = start;
    while let Some(&byte) = text.get(at) {
        at += 1;
        match (byte, text.get(at)) {
            (b']', _) if at > start + 1 => return Some(at),
            (b'[', Some(&kind @ (b':' | b'.' | b'='))) => {
                let rest = text.get(at + 1..).unwrap_or_default();
                at += rest.windows(2).position(|pair| pair == [kind, b']'])? + 3;
            }
            _ => {}
        }
    }
    None
}

/// The length of a bracket expression after its `[`.
fn bracket_length(text: &[u8]) -> usize {
    bracket_end(text).unwrap_or(text.len())
}

/// The expression in which a closing parenthesis without an opening one stands for itself.
fn with_plain_parentheses(pattern: &[u8], extended: bool) -> Vec<u8> {
    let mut out = Vec::with_capacity(pattern.len());
    let (mut at, mut open) = (0, 0_usize);
    while let Some(&byte) = pattern.get(at) {
        let rest = pattern.get(at + 1..).unwrap_or_default();
        let (length, parenthesis) = match (byte, rest.first()) {
            (b'[', _) => (1 + bracket_length(rest), None),
            (b'\\', Some(&letter)) => (2, Some(letter).filter(|_| !extended)),
            _ => (1, Some(byte).filter(|_| extended)),
        };
        match parenthesis {
            Some(b')') if open == 0 => out.extend_from_slice(b"[)]"),
            parenthesis => {
                match parenthesis {
                    Some(b'(') => open += 1,
                    Some(b')') => open -= 1,
                    _ => {}
                }
                out.extend(pattern.iter().skip(at).take(length));
            }
        }
        at += length;
    }
    out
}

/// Has it a `[:space:]` where `[[:space:]]` was meant?
fn has_bare_class(pattern: &[u8]) -> bool {
    let mut at = 0;
    while let Some(&byte) = pattern.get(at) {
        at += 1 + usize::from(byte == b'\\');
        if byte != b'[' {
            continue;
        }
        let Some(length) = bracket_end(pattern.get(at..).unwrap_or_default()) else { return false };
        let start = at + usize::from(pattern.get(at) == Some(&b'^'));
        if is_bare_class(pattern.get(start..at + length - 1).unwrap_or_default()) {
            return true;
        }
        at += length;
    }
    false
}
