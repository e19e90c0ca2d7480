//! From the tree of an expression to instructions.

use std::sync::Arc;

use super::length::Lengths;
use super::node::{Condition, Fault, Node, Place, Verb};
use super::parse::parse;
use super::set::Set;

/// How many instructions an expression may come to.
const MAX_SIZE: usize = 200_000;

/// How an expression is read.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// Upper and lower case are the same.
    pub ignore_case: bool,
    /// Without UTF: each byte of the text is a character.
    pub bytes: bool,
    /// A match is a whole text.
    pub lines: bool,
}

/// One character.
#[derive(Debug, Clone)]
pub(super) enum One {
    Char(char),
    Set(Arc<Set>),
}

impl One {
    pub(super) fn fits(&self, character: char) -> bool {
        match self {
            Self::Char(own) => *own == character,
            Self::Set(set) => set.has(character),
        }
    }
}

/// The look-around that a verb stands in: the register of its height.
#[derive(Debug, Clone, Copy)]
pub(super) struct Look {
    pub(super) register: usize,
    /// Is there a branch at its foot, to be taken where nothing was found?
    pub(super) has_branch: bool,
}

/// An instruction.
#[derive(Debug)]
pub(super) enum Inst {
    One(One),
    /// As many as there are, or as few; at least, at most.
    Run(One, usize, usize, bool),
    Place(Place),
    Keep,
    Fail,
    Accept,
    /// First here, then there.
    Split(usize, usize),
    Jump(usize),
    Open(usize),
    Close(usize),
    /// Leaves the group, if it was called.
    Return(usize),
    Call(usize, usize),
    Reference(Vec<usize>, bool),
    /// Remembers the place, for the next.
    LoopStart(usize),
    /// Continues after the loop when it has moved nothing.
    LoopEnd(usize, usize),
    /// Begins to count.
    CountStart(usize),
    /// At the head of a loop that counts.
    Count {
        register: usize,
        least: usize,
        most: usize,
        greedy: bool,
        exit: usize,
    },
    CountNext {
        register: usize,
        least: usize,
        head: usize,
    },
    /// Remembers the height of the stack, and the place.
    Mount(usize),
    /// Forgets the branches since.
    Cut(usize),
    /// The same, and goes back to the place.
    CutBack(usize),
    /// Leaves a look-around that must not match: undoes all since. Continues where it says, or fails.
    Undo(usize, Option<usize>),
    /// Another way from here.
    Branch(usize),
    /// Goes back so many characters.
    Behind(usize),
    /// Goes there if none of these groups is set.
    UnlessGroup(Vec<usize>, usize),
    UnlessRecursion(Option<Vec<usize>>, usize),
    Mark(usize),
    Verb(Verb, Option<Look>),
    /// `(*THEN)`: the register of the height at the innermost alternatives, and whether another follows.
    Then(usize, bool),
}

/// An expression.
#[derive(Debug)]
pub struct Regex {
    pub(super) insts: Vec<Inst>,
    pub(super) groups: usize,
    pub(super) registers: usize,
    pub(super) marks: usize,
    pub(super) bytes: bool,
    /// What each match begins with, if that is one character.
    pub(super) first: Option<One>,
}

impl Regex {
    /// Compiles an expression. Without UTF each of its characters stands for the byte of its number.
    ///
    /// # Errors
    /// It is none, or something in it is not supported.
    pub fn new(pattern: &str, options: Options) -> Result<Self, Fault> {
        let text: Vec<char> = pattern.chars().collect();
        let (mut node, groups, marks) = parse(&text, options.bytes, options.ignore_case)?;
        if options.lines {
            node = Node::Concat(vec![Node::Place(Place::Begin), node, Node::Place(Place::End)]);
        }
        let mut compiler = Compiler {
            insts: Vec::new(),
            starts: vec![None; groups.count + 1],
            registers: groups.count + 1,
            lengths: Lengths::new(&node, groups.count),
            look: None,
            open: Vec::new(),
            alternatives: None,
            has_then: has_then(&node),
            accepts: Vec::new(),
            calls: Vec::new(),
        };
        compiler.emit(&node)?;
        compiler.push(Inst::Accept)?;
        compiler.link();
        let Compiler { insts, registers, .. } = compiler;
        Ok(Self { first: first(&node), insts, groups: groups.count, registers, marks, bytes: options.bytes })
    }
}

/// The character that every match begins with. What comes before it must match nothing.
fn first(node: &Node) -> Option<One> {
    match node {
        Node::Char(character) => Some(One::Char(*character)),
        Node::Set(set) => Some(One::Set(Arc::clone(set))),
        Node::Group(_, inner) | Node::Atomic(inner) => first(inner),
        Node::Repeat { inner, least, .. } if *least > 0 => first(inner),
        Node::Concat(nodes) => {
            // PCRE goes to the first place that a match may begin at before it sees a verb.
            let nothing = |node: &&Node| {
                matches!(node, Node::Empty | Node::Place(_) | Node::Look { .. } | Node::Verb(_) | Node::Mark(_))
            };
            first(nodes.iter().find(|node| !nothing(node))?)
        }
        _ => None,
    }
}

struct Compiler<'a> {
    insts: Vec<Inst>,
    /// Where each group begins.
    starts: Vec<Option<usize>>,
    registers: usize,
    lengths: Lengths<'a>,
    look: Option<Look>,
    /// The groups that are open here, up to the look-around that we are in.
    open: Vec<usize>,
    /// The register of the height at the innermost alternatives, and whether another one follows.
    alternatives: Option<(usize, bool)>,
    has_then: bool,
    /// In the look-around that we are in: the jumps to its end.
    accepts: Vec<usize>,
    /// The calls, which are linked at the end.
    calls: Vec<usize>,
}

impl<'a> Compiler<'a> {
    fn push(&mut self, inst: Inst) -> Result<usize, Fault> {
        if self.insts.len() >= MAX_SIZE {
            return Err(Fault::Invalid("regular expression is too large"));
        }
        self.insts.push(inst);
        Ok(self.insts.len() - 1)
    }

    fn set(&mut self, at: usize, inst: Inst) {
        if let Some(slot) = self.insts.get_mut(at) {
            *slot = inst;
        }
    }

    fn register(&mut self, count: usize) -> usize {
        self.registers += count;
        self.registers - count
    }

    fn link(&mut self) {
        for at in std::mem::take(&mut self.calls) {
            if let Some(Inst::Call(group, to)) = self.insts.get_mut(at) {
                *to = self.starts.get(*group).copied().flatten().unwrap_or(0);
            }
        }
    }

    fn emit(&mut self, node: &'a Node) -> Result<(), Fault> {
        match node {
            Node::Empty => {}
            Node::Fail => {
                self.push(Inst::Fail)?;
            }
            Node::Accept => self.accept()?,
            Node::Char(character) => {
                self.push(Inst::One(One::Char(*character)))?;
            }
            Node::Set(set) => {
                self.push(Inst::One(One::Set(Arc::clone(set))))?;
            }
            Node::Place(place) => {
                self.push(Inst::Place(*place))?;
            }
            Node::Keep => {
                self.push(Inst::Keep)?;
            }
            Node::Group(number, inner) => {
                let at = self.push(Inst::Open(*number))?;
                // Of those of one number a call means the first.
                if let Some(start) = self.starts.get_mut(*number) {
                    start.get_or_insert(at);
                }
                self.open.push(*number);
                self.emit(inner)?;
                self.open.pop();
                self.push(Inst::Close(*number))?;
                self.push(Inst::Return(*number))?;
            }
            Node::Reference(numbers, fold) => {
                self.push(Inst::Reference(numbers.clone(), *fold))?;
            }
            Node::Look { ahead, negated, inner } => {
                self.look((*ahead, *negated), inner, false)?;
            }
            Node::Atomic(inner) => {
                let register = self.register(2);
                self.push(Inst::Mount(register))?;
                self.emit(inner)?;
                self.push(Inst::Cut(register))?;
            }
            Node::Condition(condition, yes, no) => self.condition(condition, yes, no)?,
            Node::Repeat { inner, least, most, greedy } => self.repeat(inner, *least, *most, *greedy)?,
            Node::Concat(nodes) => {
                for node in nodes {
                    self.emit(node)?;
                }
            }
            Node::Alternatives(nodes) => self.alternatives(nodes, &[])?,
            Node::Call(number) => {
                let at = self.push(Inst::Call(*number, 0))?;
                self.calls.push(at);
            }
            Node::Mark(number) => {
                self.push(Inst::Mark(*number))?;
            }
            Node::Verb(Verb::Then) => match self.alternatives {
                Some((register, has_next)) => {
                    self.push(Inst::Then(register, has_next))?;
                }
                None => {
                    self.push(Inst::Verb(Verb::Prune, self.look))?;
                }
            },
            Node::Verb(verb) => {
                self.push(Inst::Verb(verb.clone(), self.look))?;
            }
        }
        Ok(())
    }

    /// `(*ACCEPT)`: closes the groups that are open, and ends the look-around, the call or the match.
    fn accept(&mut self) -> Result<(), Fault> {
        for number in self.open.clone().into_iter().rev() {
            self.push(Inst::Close(number))?;
            self.push(Inst::Return(number))?;
        }
        match self.look {
            Some(_) => {
                let at = self.push(Inst::Fail)?;
                self.accepts.push(at);
            }
            None => {
                self.push(Inst::Accept)?;
            }
        }
        Ok(())
    }

    /// `behind`: how far each goes back first.
    fn alternatives(&mut self, nodes: &'a [Node], behind: &[usize]) -> Result<(), Fault> {
        let outer = self.alternatives;
        let counts = self.has_then && nodes.len() > 1;
        let register = if counts { self.register(2) } else { 0 };
        if counts {
            self.push(Inst::Mount(register))?;
        }
        let mut jumps = Vec::new();
        for (at, node) in nodes.iter().enumerate() {
            let has_next = at + 1 < nodes.len();
            if counts {
                self.alternatives = Some((register, has_next));
            }
            let split = if has_next { Some(self.push(Inst::Fail)?) } else { None };
            if let Some(length) = behind.get(at) {
                self.push(Inst::Behind(*length))?;
            }
            self.emit(node)?;
            if let Some(split) = split {
                jumps.push(self.push(Inst::Fail)?);
                let next = self.insts.len();
                self.set(split, Inst::Branch(next));
            }
        }
        let end = self.insts.len();
        jumps.into_iter().for_each(|at| self.set(at, Inst::Jump(end)));
        self.alternatives = outer;
        Ok(())
    }

    /// As a condition it is one of two branches that follows: what is returned is the jump to the second.
    fn look(
        &mut self,
        (ahead, negated): (bool, bool),
        inner: &'a Node,
        is_condition: bool,
    ) -> Result<Option<usize>, Fault> {
        let behind = if ahead { Vec::new() } else { self.lengths.of(inner)? };
        let register = self.register(2);
        let open = std::mem::take(&mut self.open);
        let accepts = std::mem::take(&mut self.accepts);
        let outer = (self.look, self.alternatives.take());
        self.look = Some(Look { register, has_branch: negated || is_condition });
        self.push(Inst::Mount(register))?;
        let branch = if negated || is_condition { Some(self.push(Inst::Fail)?) } else { None };
        match inner {
            Node::Alternatives(nodes) => self.alternatives(nodes, &behind)?,
            node => self.alternatives(std::slice::from_ref(node), &behind)?,
        }
        let end = self.insts.len();
        for at in std::mem::replace(&mut self.accepts, accepts) {
            self.set(at, Inst::Jump(end));
        }
        (self.look, self.alternatives) = outer;
        self.open = open;
        let found = self.push(if negated { Inst::Undo(register, None) } else { Inst::CutBack(register) })?;
        let mut second = None;
        if is_condition {
            if negated {
                let jump = self.push(Inst::Fail)?;
                self.set(found, Inst::Undo(register, Some(jump)));
                second = Some(jump);
            } else {
                let over = self.push(Inst::Fail)?;
                second = Some(self.push(Inst::Fail)?);
                let yes = self.insts.len();
                self.set(over, Inst::Jump(yes));
            }
        }
        // Where it continues if nothing was found inside.
        let missed = if is_condition && !negated { second.unwrap_or(0) } else { self.insts.len() };
        if let Some(branch) = branch {
            self.set(branch, Inst::Branch(missed));
        }
        Ok(second)
    }

    fn condition(&mut self, condition: &'a Condition, yes: &'a Node, no: &'a Node) -> Result<(), Fault> {
        let jump = match condition {
            Condition::Look(look) => match &**look {
                Node::Look { ahead, negated, inner } => self.look((*ahead, *negated), inner, true)?,
                _ => None,
            },
            _ => Some(self.push(Inst::Fail)?),
        };
        let first = self.insts.len();
        self.emit(yes)?;
        let over = self.push(Inst::Fail)?;
        let second = self.insts.len();
        self.emit(no)?;
        let end = self.insts.len();
        self.set(over, Inst::Jump(end));
        if let Some(jump) = jump {
            let inst = match condition {
                Condition::Group(numbers) => Inst::UnlessGroup(numbers.clone(), second),
                Condition::Recursion(numbers) => Inst::UnlessRecursion(numbers.clone(), second),
                Condition::Always => Inst::Jump(first),
                Condition::Never | Condition::Look(_) => Inst::Jump(second),
            };
            self.set(jump, inst);
        }
        Ok(())
    }

    fn repeat(&mut self, inner: &'a Node, least: usize, most: Option<usize>, greedy: bool) -> Result<(), Fault> {
        let one = match inner {
            Node::Char(character) => Some(One::Char(*character)),
            Node::Set(set) => Some(One::Set(Arc::clone(set))),
            _ => None,
        };
        if let Some(one) = one {
            self.push(Inst::Run(one, least, most.unwrap_or(usize::MAX), greedy))?;
            return Ok(());
        }
        let split =
            |first: usize, second: usize| if greedy { Inst::Split(first, second) } else { Inst::Split(second, first) };
        match (least, most) {
            (0, Some(1)) => {
                let at = self.push(Inst::Fail)?;
                self.emit(inner)?;
                let end = self.insts.len();
                self.set(at, split(at + 1, end));
            }
            (0, None) => {
                let register = self.register(1);
                let at = self.push(Inst::Fail)?;
                self.push(Inst::LoopStart(register))?;
                self.emit(inner)?;
                let end = self.push(Inst::LoopEnd(register, at))? + 1;
                self.set(at, split(at + 1, end));
            }
            (least, most) => {
                let register = self.register(2);
                self.push(Inst::CountStart(register))?;
                let head = self.push(Inst::Fail)?;
                self.emit(inner)?;
                let exit = self.push(Inst::CountNext { register, least, head })? + 1;
                let most = most.unwrap_or(usize::MAX);
                self.set(head, Inst::Count { register, least, most, greedy, exit });
            }
        }
        Ok(())
    }
}

/// Is there a `(*THEN)`? Then the machine counts alternatives.
fn has_then(node: &Node) -> bool {
    match node {
        Node::Verb(Verb::Then) => true,
        Node::Group(_, inner) | Node::Atomic(inner) | Node::Look { inner, .. } | Node::Repeat { inner, .. } => {
            has_then(inner)
        }
        Node::Concat(nodes) | Node::Alternatives(nodes) => nodes.iter().any(has_then),
        Node::Condition(_, yes, no) => has_then(yes) || has_then(no),
        _ => false,
    }
}
