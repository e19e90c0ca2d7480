//! From the text of a pattern to its tree.

mod bracket;
mod escape;

use std::sync::Arc;

use super::set::{Set, is_word};

/// How deep groups may nest.
const MAX_DEPTH: usize = 100;

/// How many quantifiers may stand after one atom: each is a level of the tree, which is walked by recursion. In the whole pattern
/// no more may stand after another one than groups may nest.
const MAX_QUANTIFIERS: usize = 10;

/// What changes the meaning of a pattern.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// `i`
    pub ignore_case: bool,
    /// `x`
    pub extended: bool,
    /// `.` is any character, a newline too.
    pub dot_all: bool,
    /// `^` and `$` stand for the ends of lines too.
    pub lines: bool,
    /// An empty match is none.
    pub not_empty: bool,
}

/// What must hold at a place.
#[derive(Debug, Clone, Copy)]
pub(super) enum Anchor {
    /// `\A`
    Begin,
    /// `\z`
    End,
    /// `\Z`: the end, or before a newline that ends the text.
    LastEnd,
    LineBegin,
    LineEnd,
    Word,
    NotWord,
}

/// A part of a pattern.
#[derive(Debug, Clone)]
pub(super) enum Node {
    Empty,
    Char(char, bool),
    Any(bool),
    Set(Box<Set>),
    Anchor(Anchor),
    Group(Box<Node>, usize),
    Backreference(usize, bool),
    Look {
        ahead: bool,
        negated: bool,
        inner: Box<Node>,
    },
    Atomic(Box<Node>),
    /// `\K`
    Keep,
    Repeat {
        inner: Box<Node>,
        min: usize,
        max: Option<usize>,
        greedy: bool,
    },
    Concat(Vec<Node>),
    Alternatives(Vec<Node>),
}

/// Why a pattern cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// Oniguruma's message.
    Invalid(String),
    /// What is not supported.
    Unsupported(String),
}

impl From<&str> for Fault {
    fn from(what: &str) -> Self {
        Self::Unsupported(what.to_owned())
    }
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (Self::Invalid(what) | Self::Unsupported(what)) = self;
        f.write_str(what)
    }
}

/// Is it a range that Oniguruma takes?
fn check_interval(min: usize, max: Option<usize>) -> Result<(), Fault> {
    if max.is_some_and(|max| max < min) {
        return invalid("upper is smaller than lower in repeat range");
    }
    if min > 100_000 || max.is_some_and(|max| max > 100_000) {
        return invalid("too big number for repeat range");
    }
    Ok(())
}

/// Is it what Oniguruma does not repeat: an anchor, a look-around, or alternatives of which one is such (`is_invalid_quantifier`)?
fn has_nothing_to_repeat(node: &Node) -> bool {
    match node {
        Node::Anchor(_) | Node::Look { .. } | Node::Keep => true,
        Node::Alternatives(nodes) => nodes.iter().any(has_nothing_to_repeat),
        // `(?:…)`
        Node::Concat(nodes) => matches!(nodes.as_slice(), [inner] if has_nothing_to_repeat(inner)),
        _ => false,
    }
}

pub(super) fn invalid<T>(message: &str) -> Result<T, Fault> {
    Err(Fault::Invalid(message.to_owned()))
}

/// A pattern that has been read.
pub(super) struct Parsed {
    pub(super) node: Node,
    /// The names of the groups, from 1 on.
    pub(super) names: Vec<Option<Arc<str>>>,
    pub(super) ignores_case: bool,
}

/// Reads a pattern.
pub(super) fn parse(pattern: &str, mut options: Options) -> Result<Parsed, Fault> {
    let text = unquoted(pattern);
    let mut parser = Parser {
        text: &text,
        at: 0,
        names: Vec::new(),
        ignores_case: options.ignore_case,
        depth: 0,
        highest_reference: 0,
        stacked: 0,
    };
    let node = parser.alternatives(&mut options)?;
    if parser.at != text.len() {
        return invalid("unmatched close parenthesis");
    }
    if parser.highest_reference > parser.names.len() {
        return invalid("invalid backref number/name");
    }
    Ok(Parsed { node, names: parser.names, ignores_case: parser.ignores_case })
}

/// The pattern with what stands between `\Q` and `\E` escaped; in a class they are letters.
fn unquoted(pattern: &str) -> Vec<char> {
    let mut out = Vec::with_capacity(pattern.len());
    let mut characters = pattern.chars();
    // How many characters of a class were read.
    let mut in_class: Option<usize> = None;
    while let Some(c) = characters.next() {
        let rest = characters.as_str();
        match (c, in_class) {
            ('\\', None) if rest.starts_with('Q') => {
                let quoted = rest.get(1..).unwrap_or_default();
                let (inside, after) = quoted.split_once("\\E").unwrap_or((quoted, ""));
                for c in inside.chars() {
                    if !c.is_ascii_alphanumeric() {
                        out.push('\\');
                    }
                    out.push(c);
                }
                characters = after.chars();
                continue;
            }
            ('\\', _) => {
                out.push(c);
                out.extend(characters.next());
                in_class = in_class.map(|read| read + 2);
                continue;
            }
            ('[', None) => in_class = Some(0),
            ('^', Some(0)) if !out.ends_with(&['^']) => {}
            (']', Some(read)) if read > 0 => in_class = None,
            (_, Some(read)) => in_class = Some(read + 1),
            (_, None) => {}
        }
        out.push(c);
    }
    out
}

struct Parser<'a> {
    text: &'a [char],
    at: usize,
    names: Vec<Option<Arc<str>>>,
    ignores_case: bool,
    depth: usize,
    /// The highest number of a group that is referred to: the group may stand later in the pattern.
    highest_reference: usize,
    /// How many quantifiers stand after another one.
    stacked: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    fn ahead(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(at, c)| self.text.get(self.at + at) == Some(&c))
    }

    fn take(&mut self, text: &str) -> bool {
        let found = self.ahead(text);
        if found {
            self.at += text.chars().count();
        }
        found
    }

    fn alternatives(&mut self, options: &mut Options) -> Result<Node, Fault> {
        if self.depth > MAX_DEPTH {
            return Err("groups nested so deep".into());
        }
        self.depth += 1;
        let mut nodes = vec![self.concat(options)?];
        while self.take("|") {
            nodes.push(self.concat(options)?);
        }
        self.depth -= 1;
        Ok(if nodes.len() == 1 { nodes.remove(0) } else { Node::Alternatives(nodes) })
    }

    fn concat(&mut self, options: &mut Options) -> Result<Node, Fault> {
        let mut nodes = Vec::new();
        while let Some(c) = self.peek() {
            if c == '|' || c == ')' {
                break;
            }
            if options.extended && self.skip_ignored() {
                continue;
            }
            let Some(atom) = self.atom(options)? else {
                continue;
            };
            nodes.push(self.quantified(atom, options)?);
        }
        Ok(match nodes.len() {
            0 => Node::Empty,
            1 => nodes.remove(0),
            _ => Node::Concat(nodes),
        })
    }

    /// In an extended pattern: skips blanks and comments. Was there any?
    fn skip_ignored(&mut self) -> bool {
        let start = self.at;
        while let Some(c) = self.peek() {
            if c == '#' {
                while self.peek().is_some_and(|c| c != '\n') {
                    self.at += 1;
                }
            } else if c.is_ascii_whitespace() {
                self.at += 1;
            } else {
                break;
            }
        }
        self.at > start
    }

    fn interval(&mut self) -> Option<(usize, Option<usize>)> {
        let start = self.at;
        self.at += 1;
        let mut number = || {
            let mut value: Option<usize> = None;
            while let Some(digit) = self.text.get(self.at).and_then(|c| c.to_digit(10)) {
                value = Some(value.unwrap_or(0).saturating_mul(10).saturating_add(digit as usize));
                self.at += 1;
            }
            value
        };
        let min = number();
        let comma = self.take(",");
        let mut number = || {
            let mut value: Option<usize> = None;
            while let Some(digit) = self.text.get(self.at).and_then(|c| c.to_digit(10)) {
                value = Some(value.unwrap_or(0).saturating_mul(10).saturating_add(digit as usize));
                self.at += 1;
            }
            value
        };
        let max = if comma { number() } else { min };
        match (min, self.take("}")) {
            (Some(min), true) => Some((min, if comma { max } else { Some(min) })),
            _ => {
                self.at = start;
                None
            }
        }
    }

    fn quantified(&mut self, atom: Node, options: &Options) -> Result<Node, Fault> {
        let mut atom = atom;
        let mut count = 0;
        loop {
            if options.extended {
                self.skip_ignored();
            }
            let (min, max) = match self.peek() {
                Some('*') => (0, None),
                Some('+') => (1, None),
                Some('?') => (0, Some(1)),
                Some('{') => match self.interval() {
                    Some((min, max)) => {
                        self.at -= 1;
                        (min, max)
                    }
                    None => return Ok(atom),
                },
                _ => return Ok(atom),
            };
            self.at += 1;
            check_interval(min, max)?;
            if has_nothing_to_repeat(&atom) {
                return invalid("target of repeat operator is invalid");
            }
            if min > 1000 || max.is_some_and(|max| max > 1000) {
                return Err("such an interval".into());
            }
            count += 1;
            self.stacked += usize::from(count > 1);
            if count > MAX_QUANTIFIERS || self.stacked > MAX_DEPTH {
                return Err("repetitions nested so deep".into());
            }
            let greedy = !self.take("?");
            let possessive = greedy && self.take("+");
            let repeat = Node::Repeat { inner: Box::new(atom), min, max, greedy };
            atom = if possessive { Node::Atomic(Box::new(repeat)) } else { repeat };
        }
    }

    fn atom(&mut self, options: &mut Options) -> Result<Option<Node>, Fault> {
        let Some(c) = self.peek() else {
            return Ok(None);
        };
        self.at += 1;
        Ok(Some(match c {
            '.' => Node::Any(options.dot_all),
            '^' => Node::Anchor(if options.lines { Anchor::LineBegin } else { Anchor::Begin }),
            '$' => Node::Anchor(if options.lines { Anchor::LineEnd } else { Anchor::LastEnd }),
            '[' => Node::Set(Box::new(self.set(options)?)),
            '(' => return self.group(options),
            '\\' => self.escape(options)?,
            '*' | '+' | '?' => return invalid("target of repeat operator is not specified"),
            '{' => {
                self.at -= 1;
                if let Some((min, max)) = self.interval() {
                    check_interval(min, max)?;
                    return invalid("target of repeat operator is not specified");
                }
                self.at += 1;
                Node::Char(c, options.ignore_case)
            }
            c => Node::Char(c, options.ignore_case),
        }))
    }

    fn close(&mut self) -> Result<(), Fault> {
        if self.take(")") { Ok(()) } else { invalid("end pattern with unmatched parenthesis") }
    }

    fn group(&mut self, options: &mut Options) -> Result<Option<Node>, Fault> {
        let mut inner_options = *options;
        let look = [("?=", true, false), ("?!", true, true), ("?<=", false, false), ("?<!", false, true)];
        for (prefix, ahead, negated) in look {
            if self.take(prefix) {
                let inner = Box::new(self.alternatives(&mut inner_options)?);
                self.close()?;
                return Ok(Some(Node::Look { ahead, negated, inner }));
            }
        }
        if self.take("?#") {
            while self.peek().is_some_and(|c| c != ')') {
                self.at += 1;
            }
            self.close()?;
            return Ok(None);
        }
        if self.take("?>") {
            let inner = self.alternatives(&mut inner_options)?;
            self.close()?;
            return Ok(Some(Node::Atomic(Box::new(inner))));
        }
        if self.take("?<") {
            let mut name = String::new();
            while let Some(c) = self.peek().filter(|c| *c != '>') {
                name.push(c);
                self.at += 1;
            }
            let valid = name.starts_with(|c: char| c.is_alphabetic() || c == '_') && name.chars().all(is_word);
            if !self.take(">") || !valid {
                return Err(Fault::Invalid(format!("invalid group name <{name}>")));
            }
            if self.names.iter().flatten().any(|own| **own == *name) {
                return Err("two groups of one name".into());
            }
            return self.capture(Some(name.into()), inner_options).map(Some);
        }
        if self.take("?") {
            let mut on = true;
            while let Some(c) = self.peek() {
                self.at += 1;
                match c {
                    '-' => on = false,
                    'i' => inner_options.ignore_case = on,
                    'x' => inner_options.extended = on,
                    's' => inner_options.dot_all = on,
                    'm' => inner_options.lines = on,
                    ':' => {
                        self.ignores_case |= inner_options.ignore_case;
                        let has_options = !self.follows_question_mark();
                        let inner = self.alternatives(&mut inner_options)?;
                        self.close()?;
                        // With options it is a group of its own for the rules on what can be repeated.
                        let nodes = if has_options { vec![Node::Empty, inner] } else { vec![inner] };
                        return Ok(Some(Node::Concat(nodes)));
                    }
                    ')' => {
                        self.ignores_case |= inner_options.ignore_case;
                        // It holds to the end of the group, alternatives included.
                        *options = inner_options;
                        return Ok(None);
                    }
                    // Calls, conditions and the like.
                    '(' | 'R' | '&' | '~' | '@' | '|' | '\'' => break,
                    _ => return invalid("undefined group option"),
                }
            }
            if self.peek().is_none() {
                return invalid("end pattern in group");
            }
            return Err("such a group".into());
        }
        if self.take("*") {
            return Err("such a group".into());
        }
        self.capture(None, inner_options).map(Some)
    }

    /// Does the `:` that was just read stand right after `(?`?
    fn follows_question_mark(&self) -> bool {
        self.at.checked_sub(2).and_then(|at| self.text.get(at)) == Some(&'?')
    }

    fn capture(&mut self, name: Option<Arc<str>>, mut options: Options) -> Result<Node, Fault> {
        self.names.push(name);
        let group = self.names.len();
        let inner = self.alternatives(&mut options)?;
        self.close()?;
        Ok(Node::Group(Box::new(inner), group))
    }
}
