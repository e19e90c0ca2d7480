//! An expression as a machine of our own, with the choices in glibc's order.

use crate::ast::{Look, Node};
use crate::class::CharClass;
use crate::error::Error;

/// The largest program.
const SIZE: usize = 200_000;

/// One step; the number is where it continues.
#[derive(Debug, Clone)]
pub(crate) enum Op {
    Match,
    Unit(u32, usize),
    /// The number of a class.
    Class(usize, usize),
    /// The first is tried before the second. The last is the number of the split.
    Split(usize, usize, usize),
    Open(usize, usize),
    /// A group's end; `optional`: the group itself is repeated from zero times on.
    Close {
        group: usize,
        optional: bool,
        next: usize,
    },
    Look(Look, usize),
    BackReference(usize, usize),
}

#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) ops: Vec<Op>,
    /// How many there may be.
    most: usize,
    pub(crate) classes: Vec<CharClass>,
    pub(crate) entry: usize,
    /// The number of groups, without the whole match.
    pub(crate) groups: usize,
    pub(crate) splits: usize,
    /// A loop can go round without taking a character.
    pub(crate) has_empty_loop: bool,
    /// The groups that are referred to.
    pub(crate) referred: Vec<usize>,
    /// The bytes that a match can begin with; `None`: it can be empty, or this is not known.
    pub(crate) first: Option<Box<Bytes>>,
}

/// A set of bytes. Of those that are not ASCII it has all or none.
#[derive(Debug)]
pub(crate) struct Bytes([bool; 256]);

impl Bytes {
    pub(crate) fn contains(&self, byte: u8) -> bool {
        self.0.get(usize::from(byte)).copied().unwrap_or(true)
    }

    fn insert(&mut self, units: impl Iterator<Item = u8>) {
        units.for_each(|unit| {
            if let Some(place) = self.0.get_mut(usize::from(unit)) {
                *place = true;
            }
        });
    }
}

/// Which copy of a repeated part is emitted.
#[derive(Clone, Copy)]
struct Copy {
    /// A group here is repeated from zero times on.
    optional: bool,
    /// glibc's own part and no duplicate of it, which knows of no optional groups.
    first: bool,
}

impl Program {
    /// Compiles an expression to at most `size` bytes.
    pub(crate) fn compile(node: &Node, groups: usize, size: usize) -> Result<Self, Error> {
        let mut program = Self {
            ops: vec![Op::Match],
            most: SIZE.min(size / size_of::<Op>()),
            classes: Vec::new(),
            entry: 0,
            groups,
            splits: 0,
            has_empty_loop: false,
            referred: Vec::new(),
            first: None,
        };
        program.entry = program.emit(node, 0, Copy { optional: false, first: true })?;
        program.first = program.first_bytes();
        Ok(program)
    }

    fn first_bytes(&self) -> Option<Box<Bytes>> {
        let mut bytes = Box::new(Bytes([false; 256]));
        let mut seen = vec![false; self.ops.len()];
        let mut left = vec![self.entry];
        while let Some(at) = left.pop() {
            match seen.get_mut(at) {
                Some(seen) if !*seen => *seen = true,
                _ => continue,
            }
            match *self.ops.get(at)? {
                Op::Match | Op::BackReference(..) => return None,
                Op::Split(first, second, _) => left.extend([first, second]),
                Op::Open(_, next) | Op::Close { next, .. } | Op::Look(_, next) => left.push(next),
                Op::Unit(unit, _) => match u8::try_from(unit) {
                    Ok(byte) if byte.is_ascii() => bytes.insert(std::iter::once(byte)),
                    _ => bytes.insert(0x80..=0xff),
                },
                Op::Class(class, _) => {
                    let class = self.class(class)?;
                    bytes.insert((0..0x80).filter(|byte| class.contains(u32::from(*byte))));
                    if class.ranges().last().is_some_and(|range| range.1 >= 0x80) {
                        bytes.insert(0x80..=0xff);
                    }
                }
            }
        }
        Some(bytes)
    }

    fn push(&mut self, op: Op) -> Result<usize, Error> {
        if self.ops.len() >= self.most {
            return Err(Error::Memory);
        }
        self.ops.push(op);
        Ok(self.ops.len() - 1)
    }

    fn split(&mut self, first: usize, second: usize) -> Result<usize, Error> {
        self.splits += 1;
        self.push(Op::Split(first, second, self.splits - 1))
    }

    /// Adds a part before `next` and gives its start.
    fn emit(&mut self, node: &Node, next: usize, copy: Copy) -> Result<usize, Error> {
        let inside_of = Copy { optional: false, first: copy.first };
        match node {
            Node::Empty => Ok(next),
            Node::Unit(unit) => self.push(Op::Unit(*unit, next)),
            Node::Class(class) => {
                let known = self.classes.iter().position(|known| known == class);
                let index = known.unwrap_or_else(|| {
                    self.classes.push(class.clone());
                    self.classes.len() - 1
                });
                self.push(Op::Class(index, next))
            }
            Node::Look(look) => self.push(Op::Look(*look, next)),
            Node::BackReference(group) => {
                if !self.referred.contains(group) {
                    self.referred.push(*group);
                }
                self.push(Op::BackReference(*group, next))
            }
            Node::Group(group, inside) => {
                let close = self.push(Op::Close { group: *group, optional: copy.optional, next })?;
                let body = self.emit(inside, close, inside_of)?;
                self.push(Op::Open(*group, body))
            }
            Node::Concat(nodes) => nodes.iter().rev().try_fold(next, |next, node| self.emit(node, next, inside_of)),
            Node::Alternation(nodes) => {
                let mut result: Option<usize> = None;
                for (index, node) in nodes.iter().enumerate() {
                    let empty = matches!(node, Node::Empty);
                    let entry = self.emit(node, next, inside_of)?;
                    result = Some(match result {
                        None => entry,
                        // An empty first branch comes after the second.
                        Some(_) if index == 1 && matches!(nodes.first(), Some(Node::Empty)) && !empty => {
                            self.split(entry, next)?
                        }
                        Some(before) => self.split(before, entry)?,
                    });
                }
                Ok(result.unwrap_or(next))
            }
            Node::Repeat { node, min, max } => {
                let entry = match max {
                    None => {
                        self.has_empty_loop |= node.is_nullable();
                        let split = self.split(next, next)?;
                        let body =
                            self.emit(node, split, Copy { optional: copy.first, first: copy.first && *min == 0 })?;
                        if let Some(Op::Split(first, ..)) = self.ops.get_mut(split) {
                            *first = body;
                        }
                        split
                    }
                    Some(max) if max > min => self.optional_copies(
                        node,
                        *max - *min,
                        next,
                        Copy { optional: copy.first, first: copy.first && *min == 0 },
                    )?,
                    Some(_) => next,
                };
                (0..*min).rev().try_fold(entry, |next, turn| {
                    self.emit(node, next, Copy { optional: false, first: copy.first && turn == 0 })
                })
            }
        }
    }

    /// Up to `copies` times: `((a)?a)?`, the way out before each copy as glibc nests them.
    fn optional_copies(&mut self, node: &Node, copies: u32, next: usize, first: Copy) -> Result<usize, Error> {
        // The starts of the copies, the last copy's first.
        let mut starts = vec![next];
        let mut at = next;
        for turn in (0..copies).rev() {
            let copy = if turn == 0 { first } else { Copy { optional: false, first: false } };
            at = self.emit(node, at, copy)?;
            starts.push(at);
        }
        starts.pop();
        starts.into_iter().rev().try_fold(at, |result, after| self.split(result, after))
    }

    pub(crate) fn class(&self, index: usize) -> Option<&CharClass> {
        self.classes.get(index)
    }
}
