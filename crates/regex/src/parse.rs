//! Reading an expression, as glibc's `regcomp` does.

use crate::ast::{Look, Node};
use crate::bracket;
use crate::class::CharClass;
use crate::ctype;
use crate::error::Error;
use crate::syntax::Rules;
use crate::text::Encoding;

/// How deep groups may nest.
const DEPTH: usize = 200;

/// The largest number of repetitions (RE_DUP_MAX).
const MAX_REPETITIONS: u32 = 0x7fff;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token {
    End,
    Unit(u32),
    BackReference(usize),
    Look(Look),
    Class { name: &'static [u8], negated: bool },
    Alternative,
    Open,
    Close,
    OpenBracket,
    Period,
    Star,
    Plus,
    Question,
    OpenInterval,
    CloseInterval,
    Backslash,
}

pub(crate) struct Parser<'p> {
    pattern: &'p [u8],
    at: usize,
    token: Token,
    token_start: usize,
    rules: Rules,
    /// Groups so far.
    groups: usize,
    /// Groups before this pattern, in a list of patterns.
    first_group: usize,
    /// The groups that are closed, of the first nine.
    completed: u32,
    depth: usize,
}

/// Reads an expression; gives it and the number of groups, `groups_before` with it.
pub(crate) fn parse(pattern: &[u8], rules: Rules, groups_before: usize) -> Result<(Node, usize), Error> {
    let mut parser = Parser {
        pattern,
        at: 0,
        token: Token::End,
        token_start: 0,
        rules,
        groups: groups_before,
        first_group: groups_before,
        completed: 0,
        depth: 0,
    };
    parser.fetch(true);
    let node = parser.alternation(0)?;
    Ok((node.unwrap_or(Node::Empty), parser.groups))
}

impl Parser<'_> {
    fn fetch(&mut self, caret_anchors_here: bool) {
        self.token_start = self.at;
        let (token, length) = self.peek(self.at, caret_anchors_here);
        self.token = token;
        self.at += length;
    }

    fn decode(&self, at: usize) -> Option<(u32, usize)> {
        self.rules.encoding.decode(self.pattern, at)
    }

    /// The token at a place and its length.
    fn peek(&self, at: usize, caret_anchors_here: bool) -> (Token, usize) {
        let grammar = &self.rules.grammar;
        let Some(&byte) = self.pattern.get(at) else { return (Token::End, 0) };
        if byte == b'\\' {
            let Some((unit, length)) = self.decode(at + 1) else { return (Token::Backslash, 1) };
            let escaped = match u8::try_from(unit).unwrap_or(0) {
                b'|' if !grammar.extended => Token::Alternative,
                digit @ b'1'..=b'9' if !grammar.awk => Token::BackReference(usize::from(digit - b'0')),
                b'<' => Token::Look(Look::WordStart),
                b'>' => Token::Look(Look::WordEnd),
                b'b' if !grammar.awk => Token::Look(Look::Boundary),
                b'y' if grammar.awk => Token::Look(Look::Boundary),
                b'B' => Token::Look(Look::NotBoundary),
                b'w' => Token::Class { name: b"word", negated: false },
                b'W' => Token::Class { name: b"word", negated: true },
                b's' => Token::Class { name: b"space", negated: false },
                b'S' => Token::Class { name: b"space", negated: true },
                b'`' => Token::Look(Look::TextStart),
                b'\'' => Token::Look(Look::TextEnd),
                b'(' if !grammar.extended => Token::Open,
                b')' if !grammar.extended => Token::Close,
                b'+' if !grammar.extended => Token::Plus,
                b'?' if !grammar.extended => Token::Question,
                b'{' if !grammar.extended => Token::OpenInterval,
                b'}' if !grammar.extended => Token::CloseInterval,
                _ => Token::Unit(unit),
            };
            return (escaped, 1 + length);
        }
        let token = match byte {
            b'\n' if grammar.newline_alt => Token::Alternative,
            b'|' if grammar.extended => Token::Alternative,
            b'*' => Token::Star,
            b'+' if grammar.extended => Token::Plus,
            b'?' if grammar.extended => Token::Question,
            b'{' if grammar.extended => Token::OpenInterval,
            b'}' if grammar.extended => Token::CloseInterval,
            b'(' if grammar.extended => Token::Open,
            b')' if grammar.extended => Token::Close,
            b'[' => Token::OpenBracket,
            b'.' => Token::Period,
            b'^' if caret_anchors_here || grammar.context_indep_anchors || at == 0 => Token::Look(Look::LineStart),
            b'^' if grammar.newline_alt && self.pattern.get(at - 1) == Some(&b'\n') => Token::Look(Look::LineStart),
            b'$' if grammar.context_indep_anchors
                || at + 1 == self.pattern.len()
                || matches!(self.peek(at + 1, false).0, Token::Alternative | Token::Close) =>
            {
                Token::Look(Look::LineEnd)
            }
            _ => {
                let (unit, length) = self.decode(at).unwrap_or((u32::from(byte), 1));
                return (Token::Unit(unit), length);
            }
        };
        (token, 1)
    }

    fn ends_branch(&self, depth: usize) -> bool {
        match self.token {
            Token::End | Token::Alternative => true,
            Token::Close => depth > 0,
            _ => false,
        }
    }

    fn alternation(&mut self, depth: usize) -> Result<Option<Node>, Error> {
        let before = self.completed;
        let first = self.branch(depth)?;
        if self.token != Token::Alternative {
            return Ok(first);
        }
        let mut branches = vec![first.unwrap_or(Node::Empty)];
        while self.token == Token::Alternative {
            self.fetch(true);
            if self.ends_branch(depth) {
                branches.push(Node::Empty);
            } else {
                // A branch cannot refer to the groups of another.
                let completed = std::mem::replace(&mut self.completed, before);
                branches.push(self.branch(depth)?.unwrap_or(Node::Empty));
                self.completed |= completed;
            }
        }
        Ok(Some(Node::Alternation(branches)))
    }

    fn branch(&mut self, depth: usize) -> Result<Option<Node>, Error> {
        let mut nodes = Vec::new();
        nodes.extend(self.expression(depth)?);
        while !self.ends_branch(depth) {
            nodes.extend(self.expression(depth)?);
        }
        Ok(match nodes.len() {
            0 | 1 => nodes.pop(),
            _ => Some(Node::Concat(nodes)),
        })
    }

    fn expression(&mut self, depth: usize) -> Result<Option<Node>, Error> {
        let grammar = self.rules.grammar;
        // The operators that stand for nothing at the start of an ERE.
        loop {
            match self.token {
                Token::OpenInterval if grammar.context_invalid_dup => return Err(Error::Repetition),
                Token::OpenInterval | Token::Star | Token::Plus | Token::Question => {
                    if grammar.context_invalid_ops && !grammar.context_invalid_dup {
                        return Err(Error::Repetition);
                    }
                    if !grammar.context_indep_ops {
                        break;
                    }
                    self.fetch(false);
                }
                _ => break,
            }
        }
        let node = match self.token {
            Token::Unit(unit) => Some(self.unit(unit)),
            Token::Open => Some(self.group(depth + 1)?),
            Token::OpenBracket => {
                let class = bracket::parse(self.pattern, &mut self.at, &self.rules)?;
                Some(self.class(class))
            }
            Token::BackReference(number) => {
                if self.completed & (1 << number) == 0 {
                    return Err(Error::BackReference);
                }
                Some(Node::BackReference(self.first_group + number))
            }
            Token::Close if !grammar.unmatched_right_paren_ord => return Err(Error::UnmatchedClose),
            Token::OpenInterval | Token::Star | Token::Plus | Token::Question | Token::Close | Token::CloseInterval => {
                // It stands for itself.
                let last = self.pattern.get(self.at.saturating_sub(1)).copied().unwrap_or_default();
                Some(self.unit(u32::from(last)))
            }
            Token::Look(look) => {
                // No repetition follows an anchor.
                self.fetch(false);
                return Ok(Some(Node::Look(look)));
            }
            Token::Period => {
                let mut class = CharClass::all(self.rules.encoding);
                if self.rules.newline {
                    class.remove(u32::from(b'\n'));
                }
                if grammar.dot_not_null {
                    class.remove(0);
                }
                Some(self.class(class))
            }
            Token::Class { name, negated } => {
                let mut class = match name {
                    b"word" => ctype::word(self.rules.encoding),
                    name => ctype::named(name, self.rules.encoding).unwrap_or_default(),
                };
                if negated {
                    class.complement(self.rules.encoding);
                }
                Some(self.class(class))
            }
            Token::Alternative | Token::End => return Ok(None),
            Token::Backslash => return Err(Error::TrailingBackslash),
        };
        self.fetch(false);
        let mut node = node;
        let mut repeats = 0;
        while matches!(self.token, Token::Star | Token::Plus | Token::Question | Token::OpenInterval) {
            repeats += 1;
            match self.repetition(node)? {
                Ok(repeated) => node = repeated,
                Err(same) => {
                    node = same;
                    break;
                }
            }
            // `a****` is `a*`, however long. Others nest.
            if repeats > DEPTH && !matches!(node, Some(Node::Repeat { min: 0, max: None, .. })) {
                return Err(Error::Memory);
            }
            if grammar.context_invalid_dup && matches!(self.token, Token::Star | Token::OpenInterval) {
                return Err(Error::Repetition);
            }
        }
        Ok(node)
    }

    /// Reads a repetition of `node`. The inner error: it was none, and stands for itself.
    fn repetition(&mut self, node: Option<Node>) -> Result<Result<Option<Node>, Option<Node>>, Error> {
        let (min, max) = match self.token {
            Token::Star => (0, None),
            Token::Plus => (1, None),
            Token::Question => (0, Some(1)),
            _ => match self.interval()? {
                Some(interval) => interval,
                None => return Ok(Err(node)),
            },
        };
        self.fetch(false);
        let Some(node) = node else { return Ok(Ok(None)) };
        if max == Some(0) {
            return Ok(Ok(None));
        }
        if matches!(node, Node::Repeat { min: 0, max: None, .. }) && min <= 1 {
            return Ok(Ok(Some(node)));
        }
        Ok(Ok(Some(Node::Repeat { node: Box::new(node), min, max })))
    }

    /// Reads the inside of an interval; the token is its end then. `None`: it is none; the token is its first character.
    fn interval(&mut self) -> Result<Option<(u32, Option<u32>)>, Error> {
        let start_token = (self.token, self.token_start, self.at);
        let comma = Token::Unit(u32::from(b','));
        // The outer `None`: no number.
        let mut min = self.number();
        if min == Some(None) {
            if self.token != comma {
                return Err(Error::BraceContent);
            }
            min = Some(Some(0));
        }
        let max = match min {
            None => None,
            Some(_) if self.token == Token::CloseInterval => min,
            Some(_) if self.token == comma => self.number(),
            Some(_) => None,
        };
        let (Some(min), Some(max)) = (min, max) else {
            if !self.rules.grammar.invalid_interval_ord {
                return Err(if self.token == Token::End { Error::UnmatchedBrace } else { Error::BraceContent });
            }
            let (_, start, at) = start_token;
            self.token_start = start;
            self.at = at;
            self.token = Token::Unit(u32::from(b'{'));
            return Ok(None);
        };
        let min = min.unwrap_or(0);
        if max.is_some_and(|max| min > max) || self.token != Token::CloseInterval {
            return Err(Error::BraceContent);
        }
        if max.unwrap_or(min) > MAX_REPETITIONS {
            return Err(Error::TooBig);
        }
        Ok(Some((min, max)))
    }

    /// A number of an interval: `None` is no number, `Some(None)` is nothing at all.
    fn number(&mut self) -> Option<Option<u32>> {
        let mut number = Some(None);
        loop {
            self.fetch(false);
            match self.token {
                Token::End => return None,
                Token::CloseInterval => return number,
                Token::Unit(unit) if unit == u32::from(b',') => return number,
                Token::Unit(unit @ 0x30..=0x39) => {
                    number = number.map(|number: Option<u32>| {
                        Some((number.unwrap_or(0) * 10 + (unit - 0x30)).min(MAX_REPETITIONS + 1))
                    });
                }
                _ => number = None,
            }
        }
    }

    fn group(&mut self, depth: usize) -> Result<Node, Error> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(Error::Memory);
        }
        self.groups += 1;
        let group = self.groups;
        self.fetch(true);
        let inside = if self.token == Token::Close { None } else { self.alternation(depth)? };
        if self.token != Token::Close {
            return Err(Error::UnmatchedOpen);
        }
        let number = group - self.first_group;
        if number <= 9 {
            self.completed |= 1 << number;
        }
        self.depth -= 1;
        Ok(Node::Group(group, Box::new(inside.unwrap_or(Node::Empty))))
    }

    fn unit(&self, unit: u32) -> Node {
        literal(unit, self.rules.ignore_case, self.rules.encoding)
    }

    fn class(&self, mut class: CharClass) -> Node {
        if let Some(byte) = self.rules.never {
            class.remove(u32::from(byte));
        }
        Node::Class(class)
    }
}

/// A character that stands for itself, or for its other cases too.
pub(crate) fn literal(unit: u32, ignore_case: bool, encoding: Encoding) -> Node {
    let mut cases = Vec::new();
    if ignore_case {
        crate::case::push_cases(unit, encoding, &mut cases);
    }
    if cases.is_empty() {
        return Node::Unit(unit);
    }
    cases.push(unit);
    let ranges: Vec<_> = cases.into_iter().map(|unit| (unit, unit)).collect();
    Node::Class(CharClass::from_ranges(&ranges))
}
