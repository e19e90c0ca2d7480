//! From the text of an expression to its tree: what stands outside of brackets and parentheses.

use std::collections::HashMap;
use std::sync::Arc;

use regex_syntax::hir::ClassUnicode;

use super::node::{Fault, Node, Place};
use super::set::{Set, class, fold};

/// How deep parentheses may stand in each other (PCRE's default for `parens_nest_limit`).
const MAX_DEPTH: usize = 250;

/// PCRE's largest number of repetitions.
const MAX_REPETITIONS: usize = 65_535;

pub(super) const NO_GROUP: Fault = Fault::Invalid("reference to non-existent subpattern");

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
    pub(super) quoted: bool,
    /// What `\X` stands for, once it was asked for: to make it takes long.
    pub(super) grapheme: Option<Node>,
    /// The properties that were asked for.
    pub(super) properties: HashMap<String, ClassUnicode>,
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
        grapheme: None,
        properties: HashMap::new(),
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

    pub(super) fn dot(&self, dot_all: bool) -> Node {
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
}

pub(super) fn set(class: &ClassUnicode) -> Node {
    Node::Set(Arc::new(Set::new(class)))
}
