//! From the tree of a pattern to instructions.

use std::sync::Arc;

use super::parse::{Anchor, Fault, Node, Options, Parsed, parse};
use super::set::{Set, fold};

/// How many instructions a pattern may come to.
const MAX_SIZE: usize = 20_000;

/// How many parts of the tree may be visited for them: one that comes to no instruction can be repeated as well.
const MAX_STEPS: usize = 10 * MAX_SIZE;

/// An instruction.
#[derive(Debug)]
pub(super) enum Inst {
    Char(char),
    /// A folded character.
    CharFold(char),
    Any,
    AnyButNewline,
    Set(Box<Set>),
    Anchor(Anchor),
    /// First here, then there.
    Split(usize, usize),
    Jump(usize),
    Save(usize),
    /// Remembers the place, for the next.
    LoopStart(usize),
    /// Continues after the loop when it has moved nothing.
    LoopEnd(usize, usize),
    Backreference(usize, bool),
    /// Runs what follows to its `Accept`; continues at the place given.
    Look {
        ahead: bool,
        negated: bool,
        behind: usize,
        next: usize,
    },
    Atomic {
        next: usize,
    },
    Accept,
}

/// A pattern.
#[derive(Debug)]
pub struct Regex {
    pub(super) insts: Vec<Inst>,
    /// The names of the groups, from 1 on.
    pub(super) names: Vec<Option<Arc<str>>>,
    pub(super) loops: usize,
    pub(super) ignores_case: bool,
    pub(super) options: Options,
    /// How many parts of the tree were compiled.
    steps: usize,
}

impl Regex {
    /// Compiles a pattern.
    ///
    /// # Errors
    /// It is none, or something in it is not supported.
    pub fn new(pattern: &str, options: Options) -> Result<Self, Fault> {
        let Parsed { node, names, ignores_case } = parse(pattern, options)?;
        let mut regex = Self { insts: Vec::new(), names, loops: 0, ignores_case, options, steps: 0 };
        regex.insts.push(Inst::Save(0));
        regex.emit(&node)?;
        regex.insts.push(Inst::Save(1));
        regex.insts.push(Inst::Accept);
        Ok(regex)
    }

    /// The names of the groups, from 1 on.
    pub fn names(&self) -> &[Option<Arc<str>>] {
        &self.names
    }

    /// Is the case ignored anywhere in it?
    pub fn ignores_case(&self) -> bool {
        self.ignores_case
    }

    fn emit(&mut self, node: &Node) -> Result<(), Fault> {
        self.steps += 1;
        if self.insts.len() > MAX_SIZE || self.steps > MAX_STEPS {
            return Err("so large a repetition".into());
        }
        match node {
            Node::Empty => {}
            Node::Keep => self.insts.push(Inst::Save(0)),
            Node::Char(c, true) => self.insts.push(Inst::CharFold(fold(*c))),
            Node::Char(c, false) => self.insts.push(Inst::Char(*c)),
            Node::Any(true) => self.insts.push(Inst::Any),
            Node::Any(false) => self.insts.push(Inst::AnyButNewline),
            Node::Set(set) => self.insts.push(Inst::Set(set.clone())),
            Node::Anchor(anchor) => self.insts.push(Inst::Anchor(*anchor)),
            Node::Group(inner, group) => {
                self.insts.push(Inst::Save(group * 2));
                self.emit(inner)?;
                self.insts.push(Inst::Save(group * 2 + 1));
            }
            Node::Backreference(group, fold) => self.insts.push(Inst::Backreference(*group, *fold)),
            Node::Look { ahead, negated, inner } => {
                let reduced = if *ahead { None } else { Some(reduced(inner)) };
                let inner = reduced.as_ref().unwrap_or(inner);
                let behind = match *ahead {
                    true => 0,
                    false if may_stand_behind(inner, *negated) => length(inner).ok_or_else(not_behind)?,
                    false => return Err(not_behind()),
                };
                let at = self.insts.len();
                self.insts.push(Inst::Accept);
                self.emit(inner)?;
                self.insts.push(Inst::Accept);
                let next = self.insts.len();
                self.set(at, Inst::Look { ahead: *ahead, negated: *negated, behind, next });
            }
            Node::Atomic(inner) => {
                let at = self.insts.len();
                self.insts.push(Inst::Accept);
                self.emit(inner)?;
                self.insts.push(Inst::Accept);
                let next = self.insts.len();
                self.set(at, Inst::Atomic { next });
            }
            Node::Repeat { inner, min, max, greedy } => self.repeat(inner, *min, *max, *greedy)?,
            Node::Concat(nodes) => nodes.iter().try_for_each(|node| self.emit(node))?,
            Node::Alternatives(nodes) => {
                let mut jumps = Vec::new();
                for (at, node) in nodes.iter().enumerate() {
                    if at + 1 == nodes.len() {
                        self.emit(node)?;
                        break;
                    }
                    let split = self.insts.len();
                    self.insts.push(Inst::Accept);
                    self.emit(node)?;
                    jumps.push(self.insts.len());
                    self.insts.push(Inst::Accept);
                    let next = self.insts.len();
                    self.set(split, Inst::Split(split + 1, next));
                }
                let end = self.insts.len();
                jumps.into_iter().for_each(|at| self.set(at, Inst::Jump(end)));
            }
        }
        Ok(())
    }

    fn set(&mut self, at: usize, inst: Inst) {
        if let Some(slot) = self.insts.get_mut(at) {
            *slot = inst;
        }
    }

    fn repeat(&mut self, inner: &Node, min: usize, max: Option<usize>, greedy: bool) -> Result<(), Fault> {
        for _ in 0..min {
            self.emit(inner)?;
        }
        let split =
            |first: usize, second: usize| if greedy { Inst::Split(first, second) } else { Inst::Split(second, first) };
        match max {
            None => {
                let slot = self.loops;
                self.loops += 1;
                let at = self.insts.len();
                self.insts.push(Inst::Accept);
                self.insts.push(Inst::LoopStart(slot));
                self.emit(inner)?;
                let end = self.insts.len() + 1;
                self.insts.push(Inst::LoopEnd(slot, at));
                self.set(at, split(at + 1, end));
            }
            Some(max) => {
                let mut splits = Vec::new();
                for _ in min..max {
                    splits.push(self.insts.len());
                    self.insts.push(Inst::Accept);
                    self.emit(inner)?;
                }
                let end = self.insts.len();
                splits.into_iter().for_each(|at| self.set(at, split(at + 1, end)));
            }
        }
        Ok(())
    }
}

fn not_behind() -> Fault {
    Fault::Invalid("invalid pattern in look-behind".to_owned())
}

/// Oniguruma takes a repetition that is a whole look-behind, or one of its alternatives, as often as it must be there: `(?<=a+)` is
/// `(?<=a)`, which matches at the same places.
fn reduced(node: &Node) -> Node {
    match node {
        Node::Alternatives(nodes) => {
            let nodes: Vec<Node> = nodes.iter().map(reduced).collect();
            // One that is empty matches everywhere.
            if nodes.iter().any(|node| length(node) == Some(0)) { Node::Empty } else { Node::Alternatives(nodes) }
        }
        Node::Repeat { inner, min, greedy, .. } => {
            Node::Repeat { inner: inner.clone(), min: *min, max: Some(*min), greedy: *greedy }
        }
        node => node.clone(),
    }
}

/// Is there nothing in it that Oniguruma forbids in a look-behind (`ALLOWED_ANCHOR_IN_LB`): a look-ahead, an end of the text, and a
/// group in a negated one, a negated one in one that is not?
fn may_stand_behind(node: &Node, negated: bool) -> bool {
    match node {
        Node::Look { ahead, inner, negated: own } => {
            !ahead && (negated || !own) && may_stand_behind(inner, negated || *own)
        }
        Node::Anchor(Anchor::End | Anchor::LastEnd) => false,
        Node::Group(inner, _) => !negated && may_stand_behind(inner, negated),
        Node::Atomic(inner) | Node::Repeat { inner, .. } => may_stand_behind(inner, negated),
        Node::Concat(nodes) | Node::Alternatives(nodes) => nodes.iter().all(|node| may_stand_behind(node, negated)),
        _ => true,
    }
}

/// How many characters it matches, if that is always the same.
fn length(node: &Node) -> Option<usize> {
    match node {
        Node::Empty | Node::Anchor(_) | Node::Look { .. } => Some(0),
        Node::Char(..) | Node::Any(_) | Node::Set(_) => Some(1),
        Node::Group(inner, _) | Node::Atomic(inner) => length(inner),
        Node::Repeat { inner, min, max: Some(max), .. } if min == max => length(inner)?.checked_mul(*min),
        Node::Concat(nodes) => nodes.iter().try_fold(0_usize, |sum, node| sum.checked_add(length(node)?)),
        Node::Alternatives(nodes) => {
            let (first, others) = nodes.split_first()?;
            let first = length(first)?;
            others.iter().all(|node| length(node) == Some(first)).then_some(first)
        }
        Node::Keep => Some(0),
        Node::Backreference(..) | Node::Repeat { .. } => None,
    }
}
