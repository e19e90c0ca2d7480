//! Expressions in brackets.

use regex_syntax::hir::ClassUnicode;

use super::node::{Fault, Node, Place};
use super::parse::{Parser, set};
use super::set::{class, fold};

const UNCLOSED: Fault = Fault::Invalid("missing terminating ] for character class");
const COLLATING: Fault = Fault::Invalid("POSIX collating elements are not supported");
const INVALID_RANGE: Fault = Fault::Invalid("invalid range in character class");

/// How far the end of a POSIX class is looked for: names are shorter, and a pattern of `[:` alone takes no quadratic time.
const POSIX_CLASS: usize = 64;

/// A member of a class.
enum Member {
    One(char),
    Several(ClassUnicode),
}

impl Parser<'_> {
    /// After a `[`.
    pub(super) fn brackets(&mut self) -> Result<Node, Fault> {
        for (text, ahead) in [("[:<:]]", true), ("[:>:]]", false)] {
            if self.takes(text) {
                let word = Box::new(set(&self.shorthand('w')));
                let look = Node::Look { ahead, negated: false, inner: word };
                return Ok(Node::Concat(vec![Node::Place(Place::Word), look]));
            }
        }
        let sign = self.peek();
        match self.posix_class() {
            Ok(None) => {}
            _ if sign == Some(':') => {
                return Err(Fault::Invalid("POSIX named classes are supported only within a class"));
            }
            _ => return Err(COLLATING),
        }
        let negated = self.takes("^");
        // Joined at the end: one by one they would take quadratic time.
        let (mut ranges, mut classes) = (Vec::new(), Vec::new());
        let mut first = true;
        let mut quoted = false;
        loop {
            let character = self.next().ok_or(UNCLOSED)?;
            if quoted && character == '\\' && self.takes("E") {
                quoted = false;
                continue;
            }
            if !quoted {
                if character == '\\' && self.takes("Q") {
                    quoted = true;
                    continue;
                }
                if character == '\\' && self.takes("E") {
                    continue;
                }
                if character == ']' && !first {
                    break;
                }
                if self.flags.more_extended && matches!(character, ' ' | '\t') {
                    continue;
                }
            }
            first = false;
            let member = if quoted { Member::One(character) } else { self.member(character)? };
            let from = match member {
                Member::Several(found) => {
                    classes.extend_from_slice(found.ranges());
                    // PCRE takes a range that begins with a class for a mistake.
                    if !quoted && self.begins_range() {
                        return Err(INVALID_RANGE);
                    }
                    continue;
                }
                Member::One(character) => character,
            };
            let mut to = from;
            if !quoted && self.begins_range() {
                self.at += 1;
                let mut last = self.next().ok_or(UNCLOSED)?;
                if last == '\\' && self.takes("Q") {
                    quoted = true;
                    last = self.next().ok_or(UNCLOSED)?;
                }
                to = match if quoted { Member::One(last) } else { self.member(last)? } {
                    Member::One(to) => to,
                    Member::Several(_) => return Err(INVALID_RANGE),
                };
                if to < from {
                    return Err(Fault::Invalid("range out of order in character class"));
                }
            }
            ranges.push((from, to));
        }
        let mut members = class(&ranges);
        if self.flags.ignore_case {
            fold(&mut members, self.bytes);
        }
        members.union(&ClassUnicode::new(classes));
        if negated {
            members.negate();
        }
        Ok(set(&members))
    }

    /// Does a `-` come next that makes a range of the character before it?
    fn begins_range(&self) -> bool {
        self.peek() == Some('-') && !matches!(self.characters.get(self.at + 1), None | Some(']'))
    }

    fn member(&mut self, character: char) -> Result<Member, Fault> {
        match character {
            '[' => match self.posix_class()? {
                Some(found) => Ok(Member::Several(found)),
                None => Ok(Member::One('[')),
            },
            '\\' => self.escape_in_brackets(),
            other => Ok(Member::One(other)),
        }
    }

    fn escape_in_brackets(&mut self) -> Result<Member, Fault> {
        let letter = self.next().ok_or(Fault::Invalid("\\ at end of pattern"))?;
        Ok(match letter {
            'b' => Member::One('\x08'),
            'd' | 'D' | 'w' | 'W' | 's' | 'S' | 'h' | 'H' | 'v' | 'V' => Member::Several(self.shorthand(letter)),
            'p' | 'P' => Member::Several(self.property(letter == 'P')?),
            '1'..='7' => {
                let code = self.octal(letter.to_digit(8).unwrap_or(0), 2)?;
                Member::One(self.code(code)?)
            }
            // They mean nothing there.
            '8' | '9' | 'g' => Member::One(letter),
            'N' if self.peek() != Some('{') => return Err(Fault::Invalid("\\N is not supported in a class")),
            'A' | 'B' | 'C' | 'G' | 'K' | 'R' | 'X' | 'Z' | 'k' | 'z' => {
                return Err(Fault::Invalid("escape sequence is invalid in character class"));
            }
            other => Member::One(self.escaped(other)?),
        })
    }

    /// `[:alpha:]` after its first `[`. `None`: it is none, and nothing is taken.
    fn posix_class(&mut self) -> Result<Option<ClassUnicode>, Fault> {
        let Some(sign @ (':' | '.' | '=')) = self.peek() else { return Ok(None) };
        let rest = self.characters.get(self.at + 1..).unwrap_or_default();
        let mut name = String::new();
        let mut closed = false;
        for (at, character) in rest.iter().take(POSIX_CLASS).enumerate() {
            if *character == sign && rest.get(at + 1) == Some(&']') {
                closed = true;
                break;
            }
            if matches!(character, '\\' | '[' | ']') {
                break;
            }
            name.push(*character);
        }
        if !closed {
            return Ok(None);
        }
        if sign != ':' {
            return Err(COLLATING);
        }
        self.at += name.chars().count() + 3;
        let (negated, name) = match name.strip_prefix('^') {
            Some(rest) => (true, rest),
            None => (false, name.as_str()),
        };
        let alpha: &[(char, char)] = &[('A', 'Z'), ('a', 'z')];
        // ASCII, as without PCRE's UCP.
        let mut found = class(match name {
            "upper" | "lower" if self.flags.ignore_case => alpha,
            "alpha" => alpha,
            "lower" => &[('a', 'z')],
            "upper" => &[('A', 'Z')],
            "alnum" => &[('0', '9'), ('A', 'Z'), ('a', 'z')],
            "ascii" => &[('\0', '\x7f')],
            "blank" => &[('\t', '\t'), (' ', ' ')],
            "cntrl" => &[('\0', '\x1f'), ('\x7f', '\x7f')],
            "digit" => &[('0', '9')],
            "graph" => &[('!', '~')],
            "print" => &[(' ', '~')],
            "punct" => &[('!', '/'), (':', '@'), ('[', '`'), ('{', '~')],
            "space" => &[('\t', '\r'), (' ', ' ')],
            "word" => &[('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')],
            "xdigit" => &[('0', '9'), ('A', 'F'), ('a', 'f')],
            _ => return Err(Fault::Invalid("unknown POSIX class name")),
        });
        if negated {
            found.negate();
        }
        Ok(Some(found))
    }
}
