//! From the text of an expression to its tree: what stands outside of brackets and parentheses.

use std::sync::Arc;

use regex_syntax::hir::ClassUnicode;

use super::node::{Fault, Node, Place};
use super::set::{Set, class, fold, parsed};

/// How deep parentheses may stand in each other (PCRE's default for `parens_nest_limit`).
const MAX_DEPTH: usize = 250;

/// PCRE's largest number of repetitions.
const MAX_REPETITIONS: usize = 65_535;

pub(super) const NO_GROUP: Fault = Fault::Invalid("reference to non-existent subpattern");
const NOT_PERLS: Fault = Fault::Invalid("PCRE2 does not support \\F, \\L, \\l, \\N{name}, \\U, or \\u");

/// The options of a part of an expression.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Flags {
    pub(super) ignore_case: bool,
    pub(super) multi_line: bool,
    pub(super) dot_all: bool,
    pub(super) extended: bool,
    /// `xx`: blanks in brackets mean nothing either.
    pub(super) more_extended: bool,
    pub(super) no_capture: bool,
    pub(super) duplicate_names: bool,
    /// `U`: what was greedy is not, and the reverse.
    pub(super) lazy: bool,
}

/// The groups of an expression.
#[derive(Debug, Clone, Default)]
pub(super) struct Groups {
    /// How many there are.
    pub(super) count: usize,
    /// The names, and the numbers they stand for.
    pub(super) names: Vec<(String, usize)>,
}

impl Groups {
    pub(super) fn named(&self, name: &str) -> Vec<usize> {
        self.names.iter().filter(|(own, _)| own == name).map(|(_, number)| *number).collect()
    }
}

pub(super) struct Parser<'a> {
    pub(super) characters: &'a [char],
    pub(super) at: usize,
    /// Without UTF: each byte is a character.
    pub(super) bytes: bool,
    pub(super) flags: Flags,
    /// The groups that have been opened.
    pub(super) groups: Groups,
    /// All groups: known when the text is read a second time.
    pub(super) all: Option<&'a Groups>,
    pub(super) marks: Vec<String>,
    pub(super) depth: usize,
    /// In how many look-arounds are we?
    pub(super) looks: usize,
    /// Between `\Q` and `\E`.
    quoted: bool,
}

/// Reads an expression: the tree, the groups and the names of marks.
pub(super) fn parse(text: &[char], bytes: bool, ignore_case: bool) -> Result<(Node, Groups, usize), Fault> {
    let new = |all| Parser {
        characters: text,
        at: 0,
        bytes,
        flags: Flags { ignore_case, ..Flags::default() },
        groups: Groups::default(),
        all,
        marks: Vec::new(),
        depth: 0,
        looks: 0,
        quoted: false,
    };
    let mut first = new(None);
    first.whole()?;
    let groups = first.groups;
    let mut second = new(Some(&groups));
    let node = second.whole()?;
    let marks = second.marks.len();
    Ok((node, groups, marks))
}

impl Parser<'_> {
    pub(super) fn peek(&self) -> Option<char> {
        self.characters.get(self.at).copied()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let character = self.peek();
        self.at += usize::from(character.is_some());
        character
    }

    /// Takes this text, if it is what comes next.
    pub(super) fn takes(&mut self, text: &str) -> bool {
        let found = text.chars().enumerate().all(|(n, wanted)| self.characters.get(self.at + n) == Some(&wanted));
        if found {
            self.at += text.chars().count();
        }
        found
    }

    fn whole(&mut self) -> Result<Node, Fault> {
        self.start_options()?;
        let node = self.alternatives()?;
        match self.peek() {
            Some(_) => Err(Fault::Invalid("unmatched closing parenthesis")),
            None => Ok(node),
        }
    }

    /// `(*UTF)` and the like at the start. Those that only say how it is run are nothing here.
    fn start_options(&mut self) -> Result<(), Fault> {
        const NOTHING: [&str; 8] =
            ["UTF", "UTF8", "LF", "NO_JIT", "NO_AUTO_POSSESS", "NO_START_OPT", "NO_DOTSTAR_ANCHOR", "BSR_UNICODE"];
        const OTHERS: [&str; 9] =
            ["UCP", "CR", "CRLF", "ANY", "ANYCRLF", "NUL", "BSR_ANYCRLF", "NOTEMPTY", "NOTEMPTY_ATSTART"];
        'options: loop {
            for name in NOTHING {
                if self.takes(&format!("(*{name})")) {
                    continue 'options;
                }
            }
            let is_other = OTHERS.iter().any(|name| self.takes(&format!("(*{name})")));
            if is_other || self.takes("(*LIMIT_") {
                return Err(Fault::Unsupported);
            }
            return Ok(());
        }
    }

    /// Up to the end or a `)`.
    pub(super) fn alternatives(&mut self) -> Result<Node, Fault> {
        let mut nodes = vec![self.sequence()?];
        while self.peek() == Some('|') {
            self.at += 1;
            nodes.push(self.sequence()?);
        }
        Ok(match nodes.len() {
            1 => nodes.pop().unwrap_or(Node::Empty),
            _ => Node::Alternatives(nodes),
        })
    }

    pub(super) fn sequence(&mut self) -> Result<Node, Fault> {
        let mut nodes = Vec::new();
        // Can what was read last be repeated?
        let mut repeatable = false;
        while let Some(character) = self.peek() {
            if self.quoted {
                if self.takes("\\E") {
                    self.quoted = false;
                } else {
                    self.at += 1;
                    nodes.push(self.literal(character));
                    repeatable = true;
                }
                continue;
            }
            if self.flags.extended {
                if character.is_ascii_whitespace()
                    || matches!(character, '\x0b' | '\u{85}' | '\u{200e}' | '\u{200f}' | '\u{2028}' | '\u{2029}')
                {
                    self.at += 1;
                    continue;
                }
                if character == '#' {
                    while self.next().is_some_and(|c| c != '\n') {}
                    continue;
                }
            }
            match character {
                '|' | ')' => break,
                '*' | '+' | '?' => {
                    self.at += 1;
                    let (least, most) = match character {
                        '*' => (0, None),
                        '+' => (1, None),
                        _ => (0, Some(1)),
                    };
                    self.repeat(&mut nodes, repeatable, least, most)?;
                    repeatable = false;
                    continue;
                }
                '{' => {
                    if let Some((least, most)) = self.interval()? {
                        self.repeat(&mut nodes, repeatable, least, most)?;
                        repeatable = false;
                        continue;
                    }
                }
                _ => {}
            }
            self.at += 1;
            let (node, can_repeat) = match character {
                '^' => (Node::Place(if self.flags.multi_line { Place::LineBegin } else { Place::Begin }), false),
                // grep compiles with PCRE2_DOLLAR_ENDONLY.
                '$' => (Node::Place(if self.flags.multi_line { Place::LineEnd } else { Place::End }), false),
                '.' => (self.dot(self.flags.dot_all), true),
                '[' => (self.brackets()?, true),
                '(' => {
                    if self.takes("?#") {
                        loop {
                            match self.next() {
                                Some(')') => break,
                                Some(_) => {}
                                None => return Err(Fault::Invalid("missing ) after (?# comment")),
                            }
                        }
                        continue;
                    }
                    if self.depth >= MAX_DEPTH {
                        return Err(Fault::Invalid("parentheses are too deeply nested"));
                    }
                    self.depth += 1;
                    let found = self.parenthesis()?;
                    self.depth -= 1;
                    found
                }
                '\\' => match self.escape()? {
                    Some(found) => found,
                    None => continue,
                },
                other => (self.literal(other), true),
            };
            nodes.push(node);
            repeatable = can_repeat;
        }
        Ok(match nodes.len() {
            0 => Node::Empty,
            1 => nodes.pop().unwrap_or(Node::Empty),
            _ => Node::Concat(nodes),
        })
    }

    pub(super) fn literal(&self, character: char) -> Node {
        if self.flags.ignore_case {
            let mut cases = class(&[(character, character)]);
            fold(&mut cases, self.bytes);
            if cases.ranges().len() > 1 || cases.ranges().first().is_some_and(|range| range.start() != range.end()) {
                return set(&cases);
            }
        }
        Node::Char(character)
    }

    fn dot(&self, dot_all: bool) -> Node {
        set(&if dot_all { class(&[('\0', char::MAX)]) } else { class(&[('\0', '\t'), ('\x0b', char::MAX)]) })
    }

    /// `{N}`, `{N,}` or `{N,M}`. Anything else is no repetition, and is left.
    fn interval(&mut self) -> Result<Option<(usize, Option<usize>)>, Fault> {
        let start = self.at;
        self.at += 1;
        let low = self.digits();
        let high = if self.peek() == Some(',') {
            self.at += 1;
            Some(self.digits())
        } else {
            None
        };
        if low.is_empty() || self.next() != Some('}') {
            self.at = start;
            return Ok(None);
        }
        let number = |digits: &str| {
            let number = digits.parse::<usize>().ok().filter(|number| *number <= MAX_REPETITIONS);
            number.ok_or(Fault::Invalid("number too big in {} quantifier"))
        };
        let least = number(&low)?;
        let most = match high {
            None => Some(least),
            Some(high) if high.is_empty() => None,
            Some(high) => Some(number(&high)?),
        };
        if most.is_some_and(|most| most < least) {
            return Err(Fault::Invalid("numbers out of order in {} quantifier"));
        }
        Ok(Some((least, most)))
    }

    pub(super) fn digits(&mut self) -> String {
        let mut digits = String::new();
        while let Some(digit) = self.peek().filter(char::is_ascii_digit) {
            digits.push(digit);
            self.at += 1;
        }
        digits
    }

    fn repeat(
        &mut self,
        nodes: &mut Vec<Node>,
        repeatable: bool,
        least: usize,
        most: Option<usize>,
    ) -> Result<(), Fault> {
        let node = nodes.pop().filter(|_| repeatable);
        let node = node.ok_or(Fault::Invalid("quantifier does not follow a repeatable item"))?;
        let (lazy, possessive) = (self.takes("?"), self.peek() == Some('+'));
        let possessive = possessive && !lazy;
        self.at += usize::from(possessive);
        let greedy = possessive || lazy == self.flags.lazy;
        let repeated = Node::Repeat { inner: Box::new(node), least, most, greedy };
        nodes.push(if possessive { Node::Atomic(Box::new(repeated)) } else { repeated });
        Ok(())
    }

    /// What stands after a `\`, and whether it can be repeated. `None`: nothing.
    fn escape(&mut self) -> Result<Option<(Node, bool)>, Fault> {
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
            'X' => self.grapheme()?,
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
                    let character = self.octal(letter.to_digit(8).unwrap_or(0), 2);
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
                    return Ok(self.reference(self.number(number)?));
                }
                let name = self.name('}')?;
                Ok(self.reference(self.named(&name)?))
            }
            _ => match self.signed()? {
                Some(number) => Ok(self.reference(self.number(number)?)),
                None => Err(NEITHER),
            },
        }
    }

    /// A number of a group, also counted from here. `None`: there is no number.
    pub(super) fn signed(&mut self) -> Result<Option<usize>, Fault> {
        let start = self.at;
        let sign = self.peek().filter(|c| matches!(c, '+' | '-'));
        self.at += usize::from(sign.is_some());
        let digits = self.digits();
        if digits.is_empty() {
            self.at = start;
            return Ok(None);
        }
        let number = digits.parse::<usize>().ok().filter(|number| *number <= MAX_REPETITIONS);
        let number = number.ok_or(Fault::Invalid("subpattern number is too big"))?;
        Ok(Some(match sign {
            None => number,
            Some(_) if number == 0 => {
                return Err(Fault::Invalid("a relative value of zero is not allowed"));
            }
            Some('+') => self.groups.count + number,
            Some(_) => (self.groups.count + 1).checked_sub(number).filter(|number| *number > 0).ok_or(NO_GROUP)?,
        }))
    }

    /// The groups of a number, which there must be.
    pub(super) fn number(&self, number: usize) -> Result<Vec<usize>, Fault> {
        match self.all {
            Some(all) if number > all.count => Err(NO_GROUP),
            _ => Ok(vec![number]),
        }
    }

    pub(super) fn named(&self, name: &str) -> Result<Vec<usize>, Fault> {
        let Some(all) = self.all else { return Ok(Vec::new()) };
        let numbers = all.named(name);
        if numbers.is_empty() { Err(NO_GROUP) } else { Ok(numbers) }
    }

    pub(super) fn reference(&self, numbers: Vec<usize>) -> Node {
        Node::Reference(numbers, self.flags.ignore_case)
    }

    pub(super) fn call(&self, number: usize) -> Result<Node, Fault> {
        self.number(number)?;
        Ok(Node::Call(number))
    }

    /// The name of a group up to a character.
    pub(super) fn name(&mut self, close: char) -> Result<String, Fault> {
        const MAX_LENGTH: usize = 32;
        const EXPECTED: Fault = Fault::Invalid("subpattern name expected");
        let first = self.peek().ok_or(EXPECTED)?;
        if first.is_ascii_digit() {
            return Err(Fault::Invalid("subpattern name must start with a non-digit"));
        }
        let mut name = String::new();
        while let Some(character) = self.peek() {
            let fits = character == '_'
                || if self.bytes { character.is_ascii_alphanumeric() } else { character.is_alphanumeric() };
            if !fits {
                break;
            }
            name.push(character);
            self.at += 1;
        }
        if name.len() > MAX_LENGTH {
            return Err(Fault::Invalid("subpattern name is too long (maximum 32 code units)"));
        }
        if name.is_empty() {
            return Err(EXPECTED);
        }
        if self.next() != Some(close) {
            return Err(Fault::Invalid("syntax error in subpattern name (missing terminator?)"));
        }
        Ok(name)
    }

    /// `\X`: what Unicode takes for one character.
    fn grapheme(&self) -> Result<Node, Fault> {
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

    pub(super) fn code(&self, code: u32) -> Result<char, Fault> {
        let most = if self.bytes { 0xff } else { 0x10_ffff };
        if code > most {
            return Err(Fault::Invalid("character code point value in \\x{} or \\o{} is too large"));
        }
        char::from_u32(code).ok_or(Fault::Invalid("disallowed Unicode code point (>= 0xd800 && <= 0xdfff)"))
    }

    /// The number whose octal digits begin with `first` and are at most so many more.
    pub(super) fn octal(&mut self, first: u32, more: usize) -> u32 {
        let mut code = first;
        for _ in 0..more {
            let Some(digit) = self.peek().and_then(|digit| digit.to_digit(8)) else { break };
            code = code * 8 + digit;
            self.at += 1;
        }
        code
    }

    /// Digits in braces, of which the first has been taken.
    fn braced(&mut self, radix: u32, wrong: Fault) -> Result<u32, Fault> {
        let mut code: u32 = 0;
        let start = self.at;
        loop {
            match self.next() {
                Some('}') if self.at > start + 1 => return Ok(code),
                Some('}') => return Err(Fault::Invalid("digits missing in \\x{} or \\o{} or \\N{U+}")),
                Some(digit) => match digit.to_digit(radix) {
                    Some(digit) => {
                        code = code.saturating_mul(radix).saturating_add(digit);
                        if code > 0x10_ffff {
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
        Ok(match letter {
            't' => '\t',
            'n' => '\n',
            'r' => '\r',
            'f' => '\x0c',
            'a' => '\x07',
            'e' => '\x1b',
            '0' => {
                let code = self.octal(0, 2);
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
        let pattern = super::property::class(&name).ok_or(UNKNOWN)?;
        let mut found = parsed(&pattern).ok_or(UNKNOWN)?;
        if negated {
            found.negate();
        }
        Ok(found)
    }
}

pub(super) fn set(class: &ClassUnicode) -> Node {
    Node::Set(Arc::new(Set::new(class)))
}
