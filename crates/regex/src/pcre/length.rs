//! How long what a look-behind looks for is.

use super::node::{Condition, Fault, Node};

/// How many parts of the tree are looked at for one look-behind, and for all: calls lead to the same parts again.
const MAX_STEPS: usize = 100_000;
const MAX_ALL_STEPS: usize = 1_000_000;

/// The groups of an expression by their numbers, to follow references and calls.
pub(super) struct Lengths<'a> {
    pub(super) groups: Vec<Option<&'a Node>>,
    steps: usize,
    all_steps: usize,
    /// The calls and references that were followed in this look-behind.
    followed: usize,
    is_too_deep: bool,
}

/// How many calls and references are followed in one look-behind, and how many of them in each other: those take our own stack.
const MAX_CALLS: usize = 2000;
const MAX_DEPTH: usize = 200;

const TOO_COMPLICATED: Fault = Fault::Invalid("lookbehind is too complicated");

/// PCRE's message.
const NOT_FIXED: Fault = Fault::Invalid("lookbehind assertion is not fixed length");

impl<'a> Lengths<'a> {
    pub(super) fn new(whole: &'a Node, count: usize) -> Self {
        let mut groups = vec![None; count + 1];
        if let Some(first) = groups.first_mut() {
            *first = Some(whole);
        }
        collect(whole, &mut groups);
        Self { groups, steps: 0, all_steps: 0, followed: 0, is_too_deep: false }
    }

    /// The number of characters that each alternative of a look-behind matches.
    pub(super) fn of(&mut self, inner: &'a Node) -> Result<Vec<usize>, Fault> {
        let nodes = match inner {
            Node::Alternatives(nodes) => nodes.as_slice(),
            node => std::slice::from_ref(node),
        };
        (self.steps, self.followed, self.is_too_deep) = (0, 0, false);
        let lengths: Option<Vec<usize>> = nodes.iter().map(|node| self.length(node, &mut Vec::new())).collect();
        self.all_steps += self.steps;
        let is_too_long = self.steps > MAX_STEPS || self.all_steps > MAX_ALL_STEPS || self.followed > MAX_CALLS;
        if is_too_long || self.is_too_deep { Err(TOO_COMPLICATED) } else { lengths.ok_or(NOT_FIXED) }
    }

    fn length(&mut self, node: &'a Node, calls: &mut Vec<usize>) -> Option<usize> {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return None;
        }
        match node {
            Node::Empty
            | Node::Fail
            | Node::Place(_)
            | Node::Keep
            | Node::Look { .. }
            | Node::Mark(_)
            | Node::Accept
            | Node::Verb(_) => Some(0),
            Node::Char(_) | Node::Set(_) => Some(1),
            Node::Group(_, inner) | Node::Atomic(inner) => self.length(inner, calls),
            Node::Repeat { inner, least, most: Some(most), .. } if least == most => {
                self.length(inner, calls)?.checked_mul(*least)
            }
            Node::Concat(nodes) => {
                let mut sum: usize = 0;
                for node in nodes {
                    sum = sum.checked_add(self.length(node, calls)?)?;
                }
                Some(sum)
            }
            Node::Alternatives(nodes) => {
                let (first, others) = nodes.split_first()?;
                let first = self.length(first, calls)?;
                for node in others {
                    if self.length(node, calls)? != first {
                        return None;
                    }
                }
                Some(first)
            }
            Node::Condition(Condition::Never, _, no) if matches!(**no, Node::Empty) => Some(0),
            Node::Condition(_, yes, no) => {
                let yes = self.length(yes, calls)?;
                (self.length(no, calls)? == yes).then_some(yes)
            }
            Node::Call(number) => self.group(*number, calls),
            Node::Reference(numbers, _) => match numbers.as_slice() {
                [number] => self.group(*number, calls),
                _ => None,
            },
            Node::Repeat { .. } => None,
        }
    }

    fn group(&mut self, number: usize, calls: &mut Vec<usize>) -> Option<usize> {
        self.followed += 1;
        self.is_too_deep |= calls.len() >= MAX_DEPTH;
        if self.is_too_deep || self.followed > MAX_CALLS || calls.contains(&number) {
            return None;
        }
        let inner = self.groups.get(number).copied().flatten()?;
        calls.push(number);
        let length = self.length(inner, calls);
        calls.pop();
        length
    }
}

fn collect<'a>(node: &'a Node, groups: &mut Vec<Option<&'a Node>>) {
    match node {
        Node::Group(number, inner) => {
            if let Some(slot) = groups.get_mut(*number).filter(|slot| slot.is_none()) {
                *slot = Some(inner);
            }
            collect(inner, groups);
        }
        Node::Atomic(inner) | Node::Look { inner, .. } | Node::Repeat { inner, .. } => collect(inner, groups),
        Node::Concat(nodes) | Node::Alternatives(nodes) => nodes.iter().for_each(|node| collect(node, groups)),
        Node::Condition(condition, yes, no) => {
            if let Condition::Look(look) = condition {
                collect(look, groups);
            }
            collect(yes, groups);
            collect(no, groups);
        }
        _ => {}
    }
}
