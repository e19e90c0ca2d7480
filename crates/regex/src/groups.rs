//! The groups of a match whose span is known: glibc's walk from its start to its end (`set_regs`).

use crate::error::SearchError;
use crate::lookaround::Places;
use crate::program::{Op, Program};
use crate::subject::{Span, Subject};

/// How many bits a search may remember: 32 MiB.
const MEMORY: usize = 1 << 28;

/// How many choices a search may keep open, and how many changes of groups: 320 MiB at most.
const CHOICES: usize = 16 << 20;
const CHANGES: usize = 8 << 20;

/// A place that no group has.
const UNSET: usize = usize::MAX;

/// Memory of a search.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scratch {
    pub(crate) registers: Registers,
    visited: Vec<u64>,
    stack: Vec<Choice>,
    /// What was passed since a character was taken, one of each choice of the second way.
    passed: Vec<Vec<usize>>,
}

#[derive(Debug, Clone)]
struct Choice {
    op: u32,
    /// From the start of the span.
    at: u32,
    undo: u32,
}

/// Where groups began and ended so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Registers {
    /// Start and end of each group, then the same as they were at the last end of a group that was not empty.
    slots: Vec<usize>,
    undo: Vec<(usize, usize)>,
}

impl Registers {
    pub(crate) fn reset(&mut self, groups: usize) {
        self.slots.clear();
        self.slots.resize((groups + 1) * 4, UNSET);
        self.undo.clear();
    }

    fn set(&mut self, slot: usize, value: usize) {
        if let Some(old) = self.slots.get_mut(slot)
            && *old != value
        {
            self.undo.push((slot, *old));
            *old = value;
        }
    }

    fn slot(&self, slot: usize) -> usize {
        self.slots.get(slot).copied().unwrap_or(UNSET)
    }

    /// A group whose start and end are known.
    pub(crate) fn span(&self, group: usize) -> Option<Span> {
        let (start, end) = (self.slot(group * 2), self.slot(group * 2 + 1));
        (start != UNSET && end != UNSET).then_some((start, end))
    }

    pub(crate) fn open(&mut self, group: usize, at: usize) {
        self.set(group * 2, at);
        self.set(group * 2 + 1, UNSET);
    }

    pub(crate) fn close(&mut self, group: usize, at: usize, optional: bool) {
        let half = self.slots.len() / 2;
        if self.slot(group * 2) < at {
            self.set(group * 2 + 1, at);
            for slot in 0..half {
                self.set(half + slot, self.slot(slot));
            }
        } else if optional && self.slot(half + group * 2) != UNSET {
            // An empty turn of a repetition that is not the first takes back what its inside did.
            for slot in 0..half {
                self.set(slot, self.slot(half + slot));
            }
        } else {
            self.set(group * 2 + 1, at);
        }
    }

    /// How many changes there were.
    pub(crate) fn changes(&self) -> usize {
        self.undo.len()
    }

    /// Takes changes back.
    pub(crate) fn roll_back(&mut self, changes: usize) {
        while self.undo.len() > changes {
            if let Some((slot, value)) = self.undo.pop()
                && let Some(place) = self.slots.get_mut(slot)
            {
                *place = value;
            }
        }
    }

    pub(crate) fn report(&self, whole: Span, groups: usize, out: &mut Vec<Option<Span>>) {
        out.clear();
        out.push(Some(whole));
        out.extend((1..=groups).map(|group| self.span(group)));
    }
}

/// Fills `groups` with those of the match at `span`. The memory of a search that fails is given back.
pub(crate) fn fill(
    program: &Program,
    places: Places,
    subject: &Subject<'_>,
    span: Span,
    memory: &mut Scratch,
    groups: &mut Vec<Option<Span>>,
) -> Result<bool, SearchError> {
    let mut scratch = std::mem::take(memory);
    scratch.registers.reset(program.groups);
    let mut walk = Walk { program, places, subject, span, scratch: &mut scratch };
    let found = if program.has_empty_loop { walk.through_viable()? } else { walk.directly()? };
    if found {
        scratch.registers.report(span, program.groups, groups);
    }
    *memory = scratch;
    Ok(found)
}

struct Walk<'a> {
    program: &'a Program,
    places: Places,
    subject: &'a Subject<'a>,
    span: Span,
    scratch: &'a mut Scratch,
}

impl Walk<'_> {
    /// The places in the span and its end.
    fn width(&self) -> usize {
        self.span.1 - self.span.0 + 1
    }

    fn memory(&mut self, rows: usize) -> Result<(), SearchError> {
        let bits = rows.checked_mul(self.width()).filter(|bits| *bits <= MEMORY).ok_or(SearchError::TooComplex)?;
        self.scratch.visited.clear();
        self.scratch.visited.resize(bits / 64 + 1, 0);
        Ok(())
    }

    fn bit(&self, row: usize, at: usize) -> (usize, u64) {
        let index = row * self.width() + (at - self.span.0);
        (index / 64, 1 << (index % 64))
    }

    fn marked(&self, row: usize, at: usize) -> bool {
        let (word, bit) = self.bit(row, at);
        self.scratch.visited.get(word).is_some_and(|word| word & bit != 0)
    }

    /// Marks a place; was it new?
    fn mark(&mut self, row: usize, at: usize) -> bool {
        let (word, bit) = self.bit(row, at);
        match self.scratch.visited.get_mut(word) {
            Some(word) if *word & bit == 0 => {
                *word |= bit;
                true
            }
            _ => false,
        }
    }

    /// Keeps a choice open.
    fn remember(&mut self, op: usize, at: usize) -> Result<(), SearchError> {
        let undo = self.scratch.registers.changes();
        if self.scratch.stack.len() >= CHOICES || undo > CHANGES {
            return Err(SearchError::TooComplex);
        }
        let small = |number: usize| u32::try_from(number).map_err(|_| SearchError::TooComplex);
        self.scratch.stack.push(Choice { op: small(op)?, at: small(at - self.span.0)?, undo: small(undo)? });
        Ok(())
    }

    /// One step that is no choice; `None`: it leads nowhere.
    fn step(&mut self, op: &Op, at: usize) -> Option<(usize, usize)> {
        match *op {
            Op::Open(group, next) => {
                self.scratch.registers.open(group, at);
                Some((next, at))
            }
            Op::Close { group, optional, next } => {
                self.scratch.registers.close(group, at, optional);
                Some((next, at))
            }
            Op::Look(look, next) => self.places.holds(look, self.subject.text, at).then_some((next, at)),
            Op::Unit(..) | Op::Class(..) => self.take(op, at),
            Op::Match | Op::Split(..) | Op::BackReference(..) => None,
        }
    }

    /// A step over a character within the span.
    fn take(&self, op: &Op, at: usize) -> Option<(usize, usize)> {
        let (unit, length) = self.places.encoding.decode(self.subject.text, at)?;
        let (fits, next) = match *op {
            Op::Unit(wanted, next) => (unit == wanted, next),
            Op::Class(class, next) => (self.program.class(class).is_some_and(|class| class.contains(unit)), next),
            _ => (false, 0),
        };
        (fits && at + length <= self.span.1).then_some((next, at + length))
    }

    /// Without loops of nothing: the first way that leads to the end. A choice is made once at each place.
    fn directly(&mut self) -> Result<bool, SearchError> {
        self.memory(self.program.splits)?;
        self.scratch.stack.clear();
        let (mut op, mut at) = (self.program.entry, self.span.0);
        let mut steps = 0_u32;
        loop {
            steps = steps.wrapping_add(1);
            if steps.is_multiple_of(1 << 16) && self.subject.is_interrupted() {
                return Err(SearchError::Interrupted);
            }
            let next = match self.program.ops.get(op) {
                Some(Op::Match) if at == self.span.1 => return Ok(true),
                Some(&Op::Split(first, second, number)) => {
                    if self.mark(number, at) {
                        self.remember(second, at)?;
                        Some((first, at))
                    } else {
                        None
                    }
                }
                Some(other) => self.step(other, at),
                None => None,
            };
            (op, at) = match next {
                Some(next) => next,
                None => match self.scratch.stack.pop() {
                    Some(choice) => {
                        self.scratch.registers.roll_back(choice.undo as usize);
                        (choice.op as usize, self.span.0 + choice.at as usize)
                    }
                    None => return Ok(false),
                },
            };
        }
    }

    /// With loops of nothing: glibc goes only where the end can be reached, and leaves a loop when it comes back to
    /// where it was without having taken a character.
    fn through_viable(&mut self) -> Result<bool, SearchError> {
        self.memory(self.program.ops.len())?;
        self.mark_viable()?;
        self.scratch.stack.clear();
        self.scratch.passed.clear();
        let (mut op, mut at) = (self.program.entry, self.span.0);
        let mut passed: Vec<usize> = Vec::new();
        let mut steps = 0_u64;
        let most = 64 * (self.program.ops.len() as u64 + 1) * (self.width() as u64 + 1);
        loop {
            steps += 1;
            if steps.is_multiple_of(1 << 16) && self.subject.is_interrupted() {
                return Err(SearchError::Interrupted);
            }
            if steps > most {
                return Err(SearchError::TooComplex);
            }
            let next = match self.program.ops.get(op) {
                Some(Op::Match) if at == self.span.1 => return Ok(true),
                Some(&Op::Split(first, second, _)) => {
                    passed.push(op);
                    match (self.marked(first, at), self.marked(second, at)) {
                        (true, true) if passed.contains(&first) => Some((second, at)),
                        (true, true) => {
                            self.remember(second, at)?;
                            self.scratch.passed.push(passed.clone());
                            Some((first, at))
                        }
                        (true, false) => Some((first, at)),
                        (false, true) => Some((second, at)),
                        (false, false) => None,
                    }
                }
                Some(other) => {
                    let next = self.step(other, at);
                    match next {
                        Some((_, to)) if to > at => passed.clear(),
                        _ => passed.push(op),
                    }
                    next.filter(|&(op, at)| self.marked(op, at))
                }
                None => None,
            };
            (op, at) = match next {
                Some(next) => next,
                None => match self.scratch.stack.pop() {
                    Some(choice) => {
                        self.scratch.registers.roll_back(choice.undo as usize);
                        passed = self.scratch.passed.pop().unwrap_or_default();
                        (choice.op as usize, self.span.0 + choice.at as usize)
                    }
                    None => return Ok(false),
                },
            };
        }
    }

    /// Marks every step at every place from which the end can be reached.
    fn mark_viable(&mut self) -> Result<(), SearchError> {
        let mut starts = Vec::new();
        let mut at = self.span.0;
        while at < self.span.1 {
            starts.push(at);
            at += self.places.encoding.decode(self.subject.text, at).map_or(1, |found| found.1);
        }
        self.mark(0, self.span.1);
        starts.push(self.span.1);
        for at in starts.into_iter().rev() {
            if self.subject.is_interrupted() {
                return Err(SearchError::Interrupted);
            }
            for (index, op) in self.program.ops.iter().enumerate() {
                if at < self.span.1
                    && let Some((next, to)) = self.take(op, at)
                    && self.marked(next, to)
                {
                    self.mark(index, at);
                }
            }
            // Loops lead back: until nothing changes.
            let mut changed = true;
            while changed {
                changed = false;
                for (index, op) in self.program.ops.iter().enumerate() {
                    let viable = match *op {
                        Op::Split(first, second, _) => self.marked(first, at) || self.marked(second, at),
                        Op::Open(_, next) | Op::Close { next, .. } => self.marked(next, at),
                        Op::Look(look, next) => self.marked(next, at) && self.places.holds(look, self.subject.text, at),
                        _ => false,
                    };
                    changed |= viable && self.mark(index, at);
                }
            }
        }
        Ok(())
    }
}
