//! Reading an escaped pattern.

use super::set::Set;
use super::{MAX_GROUP_DEPTH, Options};

/// One element of a pattern.
#[derive(Debug, Clone)]
pub(super) enum Node {
    /// Literal text, unescaped.
    Literal(Vec<u8>),
    /// `?`
    Any,
    /// `*`
    Star,
    Set(Box<Set>),
    Group(GroupKind, Vec<Vec<Node>>),
}

/// How often the alternatives of a group may occur.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GroupKind {
    /// `?(…)`
    Optional,
    /// `*(…)`
    Any,
    /// `+(…)`
    Some,
    /// `@(…)`
    One,
    /// `!(…)`
    Not,
}

impl GroupKind {
    fn from_byte(byte: u8) -> Option<Self> {
        Some(match byte {
            b'?' => Self::Optional,
            b'*' => Self::Any,
            b'+' => Self::Some,
            b'@' => Self::One,
            b'!' => Self::Not,
            _ => return None,
        })
    }
}

/// A parsed pattern, by the matcher that it needs.
pub(super) enum Parsed {
    Plain(Vec<Node>),
    Grouped(Vec<Node>),
    /// It matches nothing.
    Nothing,
}

pub(super) fn parse(escaped: &[u8], options: Options) -> Parsed {
    let ends = if options.extglob { group_ends(escaped, options) } else { Vec::new() };
    let mut parser = Parser {
        pattern: escaped,
        at: 0,
        options,
        brackets: Brackets::new(escaped),
        ends,
        grouped: false,
        never: false,
    };
    let nodes = parser.sequence(escaped.len(), 0);
    if parser.never {
        Parsed::Nothing
    } else if parser.grouped {
        Parsed::Grouped(nodes)
    } else {
        Parsed::Plain(nodes)
    }
}

pub(super) fn has_special(escaped: &[u8], options: Options) -> bool {
    // As bash: brackets make a pattern whatever stands between them but a slash.
    let mut opened = false;
    let mut at = 0;
    while let Some(&byte) = escaped.get(at) {
        match byte {
            b'*' | b'?' => return true,
            b'\\' => at += 1,
            b'[' => opened = true,
            b']' if opened => return true,
            // XCU 2.14.3: it cannot be part of a bracket expression.
            b'/' => opened = false,
            _ => {}
        }
        at += 1;
    }
    // The groups that do not start with `*` or `?`.
    options.extglob && memchr::memchr(b'(', escaped).is_some() && !group_ends(escaped, options).is_empty()
}

/// A `[` that is not closed is found out by reading to the end of the pattern. After so many of them the others are
/// taken for literal unread, or a pattern of nothing but them would cost quadratic time.
const MAX_UNCLOSED: usize = 64;

/// Reads bracket expressions and remembers what is known about unclosed ones.
struct Brackets {
    /// No `[` from here on can be closed.
    last_close: usize,
    unclosed: usize,
}

impl Brackets {
    fn new(pattern: &[u8]) -> Self {
        Self { last_close: memchr::memrchr(b']', pattern).unwrap_or(0), unclosed: 0 }
    }

    fn may_close(&self, open: usize) -> bool {
        open < self.last_close && self.unclosed < MAX_UNCLOSED
    }

    fn parse(&mut self, pattern: &[u8], open: usize, options: Options) -> Option<(Set, usize)> {
        let read = self.may_close(open).then(|| Set::parse(pattern, open, options)).flatten();
        self.unclosed += usize::from(read.is_none());
        read
    }

    fn skip(&mut self, pattern: &[u8], open: usize, options: Options) -> Option<usize> {
        let after = self.may_close(open).then(|| Set::skip(pattern, open, options)).flatten();
        self.unclosed += usize::from(after.is_none());
        after
    }
}

/// The `(` of every closed group and where its `)` is, in one pass. Parentheses nest whether or not they belong
/// to a group, and those in bracket expressions do not count.
fn group_ends(pattern: &[u8], options: Options) -> Vec<(usize, usize)> {
    let mut ends = Vec::new();
    let mut open = Vec::new();
    let mut brackets = Brackets::new(pattern);
    let mut at = 0;
    while let Some(&byte) = pattern.get(at) {
        match byte {
            b'\\' => at += 1,
            b'[' => {
                match brackets.skip(pattern, at, options) {
                    Some(after) => at = after - 1,
                    // As bash: whatever stands after an unclosed bracket is in it, the group's `)` too.
                    None if !open.is_empty() => break,
                    None => {}
                }
            }
            b'(' => {
                let is_group =
                    at > 0 && GroupKind::from_byte(pattern[at - 1]).is_some() && !is_escaped(pattern, at - 1);
                if is_group || !open.is_empty() {
                    open.push((at, is_group));
                }
            }
            b')' => {
                if let Some((start, true)) = open.pop() {
                    ends.push((start, at));
                }
            }
            _ => {}
        }
        at += 1;
    }
    ends.sort_unstable();
    ends
}

/// Whether the byte at `at` has an odd number of backslashes before it.
fn is_escaped(pattern: &[u8], at: usize) -> bool {
    pattern[..at].iter().rev().take_while(|&&byte| byte == b'\\').count() % 2 == 1
}

struct Parser<'p> {
    pattern: &'p [u8],
    at: usize,
    options: Options,
    brackets: Brackets,
    /// Sorted `(` offsets of closed groups with their `)`.
    ends: Vec<(usize, usize)>,
    grouped: bool,
    /// What was read matches nothing.
    never: bool,
}

impl Parser<'_> {
    /// Reads up to `end`; inside a group, up to a `|` that is not in parentheses.
    fn sequence(&mut self, end: usize, depth: usize) -> Vec<Node> {
        let mut nodes: Vec<Node> = Vec::new();
        let mut parentheses = 0_usize;
        while self.at < end {
            let byte = self.pattern[self.at];
            if self.options.extglob
                && depth < MAX_GROUP_DEPTH
                && let Some(kind) = GroupKind::from_byte(byte)
                && self.at + 1 < end
                && self.pattern[self.at + 1] == b'('
            {
                if let Some(close) = self.group_end(self.at + 1, end) {
                    self.at += 2;
                    nodes.push(self.group(kind, close, depth + 1));
                } else {
                    self.literal_rest(&mut nodes, end);
                }
                continue;
            }
            match byte {
                b'*' => {
                    self.at += 1;
                    // `**` is `*`.
                    if !matches!(nodes.last(), Some(Node::Star)) {
                        nodes.push(Node::Star);
                    }
                    continue;
                }
                b'?' => {
                    self.at += 1;
                    nodes.push(Node::Any);
                    continue;
                }
                b'[' => {
                    if let Some((set, after)) = self.brackets.parse(&self.pattern[..end], self.at, self.options) {
                        self.at = after;
                        nodes.push(Node::Set(Box::new(set)));
                        continue;
                    }
                }
                b'\\' if self.at + 1 < end => self.at += 1,
                // bash (`strmatch`): a backslash at the end is itself, but after a `*` it escapes what is not there.
                b'\\' => {
                    let wild = nodes.iter().rev().take_while(|node| matches!(node, Node::Star | Node::Any));
                    self.never |= wild.into_iter().any(|node| matches!(node, Node::Star));
                }
                b'|' if depth > 0 && parentheses == 0 => return nodes,
                b'(' if depth > 0 => parentheses += 1,
                b')' if depth > 0 => parentheses = parentheses.saturating_sub(1),
                _ => {}
            }
            push_literal(&mut nodes, self.pattern[self.at]);
            self.at += 1;
        }
        nodes
    }

    /// As bash: a group without its end is text, and so is everything after it.
    fn literal_rest(&mut self, nodes: &mut Vec<Node>, end: usize) {
        while self.at < end {
            if self.pattern[self.at] == b'\\' && self.at + 1 < end {
                self.at += 1;
            }
            push_literal(nodes, self.pattern[self.at]);
            self.at += 1;
        }
    }

    fn group_end(&self, open: usize, end: usize) -> Option<usize> {
        let index = self.ends.binary_search_by_key(&open, |&(open, _)| open).ok()?;
        self.ends.get(index).map(|&(_, close)| close).filter(|&close| close < end)
    }

    /// Reads the alternatives up to the `)` at `close`.
    fn group(&mut self, kind: GroupKind, close: usize, depth: usize) -> Node {
        self.grouped = true;
        let mut alternatives = vec![self.sequence(close, depth)];
        while self.at < close {
            // At a `|`.
            self.at += 1;
            alternatives.push(self.sequence(close, depth));
        }
        self.at = close + 1;
        Node::Group(kind, alternatives)
    }
}

fn push_literal(nodes: &mut Vec<Node>, byte: u8) {
    if let Some(Node::Literal(text)) = nodes.last_mut() {
        text.push(byte);
    } else {
        nodes.push(Node::Literal(vec![byte]));
    }
}
