//! What a backslash and the characters after it stand for.

use regex_syntax::hir::ClassUnicode;

use super::node::{Fault, Node, Place};
use super::parse::{NO_GROUP, Parser, set};
use super::set::{class, parsed};
use crate::control::control_character;

const NOT_PERLS: Fault = Fault::Invalid("PCRE2 does not support \\F, \\L, \\l, \\N{name}, \\U, or \\u");

impl Parser<'_> {
    /// What stands after a `\`, and whether it can be repeated. `None`: nothing.
    pub(super) fn escape(&mut self) -> Result<Option<(Node, bool)>, Fault> {
        let Some(letter) = self.next() else { return Err(Fault::Invalid("\\ at end of pattern")) };
        let place = |place| Ok(Some((Node::Place(place), false)));
        let node = match letter {
            'Q' => {
                self.quoted = true;
                return Ok(None);
            }
            'E' => return Ok(None),
            'A' => return place(Place::Begin),
            'Z' => return place(Place::LastEnd),
            'z' => return place(Place::End),
            'G' => return place(Place::Search),
            'b' => return place(Place::Word),
            'B' => return place(Place::NotWord),
            // PCRE sees this when it has read all.
            'K' if self.looks > 0 && self.all.is_some() => {
                return Err(Fault::Invalid(
                    "\\K is not allowed in lookarounds (but see PCRE2_EXTRA_ALLOW_LOOKAROUND_BSK)",
                ));
            }
            'K' => return Ok(Some((Node::Keep, false))),
            'R' => Node::Atomic(Box::new(Node::Alternatives(vec![
                Node::Concat(vec![Node::Char('\r'), Node::Char('\n')]),
                set(&self.shorthand('v')),
            ]))),
            'X' => match &self.grapheme {
                Some(known) => known.clone(),
                None => self.grapheme.insert(Self::grapheme()?).clone(),
            },
            'C' => return Err(Fault::Unsupported),
            'N' if self.peek() != Some('{') || self.is_interval() => self.dot(false),
            'd' | 'w' | 's' | 'h' | 'H' | 'v' | 'V' => set(&self.shorthand(letter)),
            'D' | 'W' | 'S' => {
                let mut found = self.shorthand(letter);
                if !self.bytes {
                    // As grep 3.8 has them with the library of its time: of ASCII only.
                    found.intersect(&class(&[('\0', '\x7f')]));
                }
                set(&found)
            }
            'p' | 'P' => set(&self.property(letter == 'P')?),
            '1'..='9' => {
                let start = self.at;
                self.at -= 1;
                let digits = self.digits();
                let number = digits.parse::<usize>().unwrap_or(usize::MAX);
                if number < 10 || letter >= '8' || number <= self.groups.count {
                    self.reference(self.number(number)?)
                } else {
                    self.at = start;
                    let character = self.octal(letter.to_digit(8).unwrap_or(0), 2)?;
                    self.literal(self.code(character)?)
                }
            }
            'g' => self.group_escape()?,
            'k' => {
                let close = match self.next() {
                    Some('<') => '>',
                    Some('{') => '}',
                    Some('\'') => '\'',
                    _ => {
                        return Err(Fault::Invalid("\\k is not followed by a braced, angle-bracketed, or quoted name"));
                    }
                };
                let name = self.name(close)?;
                self.reference(self.named(&name)?)
            }
            other => {
                let character = self.escaped(other)?;
                self.literal(character)
            }
        };
        Ok(Some((node, true)))
    }

    /// Is what follows a repetition? Nothing is taken.
    fn is_interval(&self) -> bool {
        let rest = self.characters.get(self.at..).unwrap_or_default();
        let inside: String = rest.iter().skip(1).take_while(|c| c.is_ascii_digit() || **c == ',').collect();
        inside.starts_with(|c: char| c.is_ascii_digit()) && rest.get(inside.len() + 1) == Some(&'}')
    }

    /// `\g`: a reference, or a call.
    fn group_escape(&mut self) -> Result<Node, Fault> {
        const NEITHER: Fault = Fault::Invalid(
            "\\g is not followed by a braced, angle-bracketed, or quoted name/number or by a plain number",
        );
        match self.peek() {
            Some(open @ ('<' | '\'')) => {
                self.at += 1;
                let close = if open == '<' { '>' } else { '\'' };
                let number = match self.signed()? {
                    Some(number) => {
                        if self.next() != Some(close) {
                            return Err(Fault::Invalid(
                                "\\g is not followed by a braced, angle-bracketed, or quoted name/number or by a plain number",
                            ));
                        }
                        number
                    }
                    None => {
                        let name = self.name(close)?;
                        self.named(&name)?.first().copied().unwrap_or(0)
                    }
                };
                self.call(number)
            }
            Some('{') => {
                self.at += 1;
                if let Some(number) = self.signed()? {
                    if self.next() != Some('}') {
                        return Err(NEITHER);
                    }
                    return self.numbered_reference(number);
                }
                let name = self.name('}')?;
                Ok(self.reference(self.named(&name)?))
            }
            _ => match self.signed()? {
                Some(number) => self.numbered_reference(number),
                None => Err(NEITHER),
            },
        }
    }

    /// The whole expression is no group that can be matched again.
    fn numbered_reference(&self, number: usize) -> Result<Node, Fault> {
        if number == 0 { Err(NO_GROUP) } else { Ok(self.reference(self.number(number)?)) }
    }

    /// `\X`: what Unicode takes for one character.
    fn grapheme() -> Result<Node, Fault> {
        let part = |pattern: &str| match parsed(pattern) {
            Some(class) => Ok(set(&class)),
            None => Err(Fault::Unsupported),
        };
        let repeat = |inner, least, most| Node::Repeat { inner: Box::new(inner), least, most, greedy: true };
        let extend = || part(r"[\p{gcb=Extend}\p{gcb=ZWJ}]");
        let hangul = Node::Alternatives(vec![
            Node::Concat(vec![
                repeat(part(r"\p{gcb=L}")?, 0, None),
                Node::Alternatives(vec![Node::Concat(vec![
                    Node::Alternatives(vec![
                        repeat(part(r"\p{gcb=V}")?, 1, None),
                        Node::Concat(vec![part(r"\p{gcb=LV}")?, repeat(part(r"\p{gcb=V}")?, 0, None)]),
                        part(r"\p{gcb=LVT}")?,
                    ]),
                    repeat(part(r"\p{gcb=T}")?, 0, None),
                ])]),
            ]),
            repeat(part(r"\p{gcb=L}")?, 1, None),
            repeat(part(r"\p{gcb=T}")?, 1, None),
        ]);
        let pictures = Node::Concat(vec![
            part(r"\p{Extended_Pictographic}")?,
            repeat(
                Node::Concat(vec![
                    repeat(part(r"\p{gcb=Extend}")?, 0, None),
                    part(r"\p{gcb=ZWJ}")?,
                    part(r"\p{Extended_Pictographic}")?,
                ]),
                0,
                None,
            ),
        ]);
        let flag = part(r"\p{gcb=Regional_Indicator}")?;
        let core = Node::Alternatives(vec![
            Node::Concat(vec![flag.clone(), flag]),
            hangul,
            pictures,
            part(r"[^\p{gcb=Control}\p{gcb=CR}\p{gcb=LF}]")?,
        ]);
        let whole = Node::Alternatives(vec![
            Node::Concat(vec![Node::Char('\r'), Node::Char('\n')]),
            part(r"[\p{gcb=Control}\p{gcb=CR}\p{gcb=LF}]")?,
            Node::Concat(vec![
                repeat(part(r"\p{gcb=Prepend}")?, 0, None),
                core,
                repeat(Node::Alternatives(vec![extend()?, part(r"\p{gcb=SpacingMark}")?]), 0, None),
            ]),
        ]);
        Ok(Node::Atomic(Box::new(whole)))
    }

    /// The largest code that a character may have.
    fn most(&self) -> u32 {
        if self.bytes { 0xff } else { 0x10_ffff }
    }

    pub(super) fn code(&self, code: u32) -> Result<char, Fault> {
        if code > self.most() {
            return Err(Fault::Invalid("character code point value in \\x{} or \\o{} is too large"));
        }
        char::from_u32(code).ok_or(Fault::Invalid("disallowed Unicode code point (>= 0xd800 && <= 0xdfff)"))
    }

    /// The number whose octal digits begin with `first` and are at most so many more.
    pub(super) fn octal(&mut self, first: u32, more: usize) -> Result<u32, Fault> {
        let mut code = first;
        for _ in 0..more {
            let Some(digit) = self.peek().and_then(|digit| digit.to_digit(8)) else { break };
            code = code * 8 + digit;
            self.at += 1;
        }
        if self.bytes && code > 0xff {
            return Err(Fault::Invalid("octal value is greater than \\377 in 8-bit non-UTF-8 mode"));
        }
        Ok(code)
    }

    /// Digits in braces, of which the opening one has been taken.
    fn braced(&mut self, radix: u32, wrong: Fault) -> Result<u32, Fault> {
        let mut code: u32 = 0;
        if matches!(self.peek(), None | Some('}')) {
            return Err(Fault::Invalid("digits missing in \\x{} or \\o{} or \\N{U+}"));
        }
        loop {
            match self.next() {
                Some('}') => return Ok(code),
                Some(digit) => match digit.to_digit(radix) {
                    Some(digit) => {
                        code = code.saturating_mul(radix).saturating_add(digit);
                        if code > self.most() {
                            return Err(Fault::Invalid("character code point value in \\x{} or \\o{} is too large"));
                        }
                    }
                    None => return Err(wrong),
                },
                None => return Err(wrong),
            }
        }
    }

    /// The character that an escape stands for, inside of brackets and outside; its letter has been taken.
    pub(super) fn escaped(&mut self, letter: char) -> Result<char, Fault> {
        if let Some(control) = control_character(letter) {
            return Ok(control);
        }
        Ok(match letter {
            '0' => {
                let code = self.octal(0, 2)?;
                self.code(code)?
            }
            'x' if self.takes("{") => {
                let code = self.braced(16, Fault::Invalid("non-hex character in \\x{} (closing brace missing?)"))?;
                self.code(code)?
            }
            'x' => {
                let mut code = 0;
                for _ in 0..2 {
                    let Some(digit) = self.peek().and_then(|digit| digit.to_digit(16)) else { break };
                    code = code * 16 + digit;
                    self.at += 1;
                }
                self.code(code)?
            }
            'o' if self.takes("{") => {
                let code = self.braced(8, Fault::Invalid("non-octal character in \\o{} (closing brace missing?)"))?;
                self.code(code)?
            }
            'o' => return Err(Fault::Invalid("missing opening brace after \\o")),
            'c' => {
                let letter = self.next().ok_or(Fault::Invalid("\\c at end of pattern"))?;
                let letter = u8::try_from(letter).ok().filter(|letter| matches!(letter, b' '..=b'~'));
                let letter = letter.ok_or(Fault::Invalid("\\c must be followed by a printable ASCII character"))?;
                char::from(letter.to_ascii_uppercase() ^ 0x40)
            }
            'N' if self.takes("{U+") => {
                if self.bytes {
                    return Err(Fault::Invalid("\\N{U+dddd} is supported only in Unicode (UTF) mode"));
                }
                let code = self.braced(16, Fault::Invalid("non-hex character in \\x{} (closing brace missing?)"))?;
                self.code(code)?
            }
            'N' | 'F' | 'l' | 'L' | 'u' | 'U' => return Err(NOT_PERLS),
            // Of letters and digits each has a meaning, or will have one.
            other if !other.is_ascii_alphanumeric() => other,
            _ => return Err(Fault::Invalid("unrecognized character follows \\")),
        })
    }

    /// The characters of `\d` and the like.
    pub(super) fn shorthand(&self, letter: char) -> ClassUnicode {
        let mut found = match letter.to_ascii_lowercase() {
            'd' => class(&[('0', '9')]),
            'w' => class(&[('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')]),
            's' => class(&[('\t', '\r'), (' ', ' ')]),
            'h' => class(&[
                ('\t', '\t'),
                (' ', ' '),
                ('\u{a0}', '\u{a0}'),
                ('\u{1680}', '\u{1680}'),
                ('\u{180e}', '\u{180e}'),
                ('\u{2000}', '\u{200a}'),
                ('\u{202f}', '\u{202f}'),
                ('\u{205f}', '\u{205f}'),
                ('\u{3000}', '\u{3000}'),
            ]),
            _ => class(&[('\n', '\r'), ('\u{85}', '\u{85}'), ('\u{2028}', '\u{2029}')]),
        };
        if letter.is_ascii_uppercase() {
            found.negate();
        }
        found
    }

    /// The characters of `\p{NAME}`; its letter has been taken.
    pub(super) fn property(&mut self, negated: bool) -> Result<ClassUnicode, Fault> {
        const MALFORMED: Fault = Fault::Invalid("malformed \\P or \\p sequence");
        const UNKNOWN: Fault = Fault::Invalid("unknown property after \\P or \\p");
        let mut negated = negated;
        let name = if self.takes("{") {
            negated ^= self.takes("^");
            let mut name = String::new();
            loop {
                match self.next() {
                    Some('}') => break name,
                    Some(character) => name.push(character),
                    None => return Err(MALFORMED),
                }
            }
        } else {
            self.next().filter(char::is_ascii_alphabetic).ok_or(MALFORMED)?.to_string()
        };
        let mut found = match self.properties.get(&name) {
            Some(known) => known.clone(),
            None => {
                let pattern = super::property::class(&name).ok_or(UNKNOWN)?;
                let found = parsed(&pattern).ok_or(UNKNOWN)?;
                self.properties.insert(name, found.clone());
                found
            }
        };
        if negated {
            found.negate();
        }
        Ok(found)
    }
}
