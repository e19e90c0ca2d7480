//! The way back: what a machine has put on its stack, and what it makes of it.

use super::compile::{Inst, Look};
use super::machine::Machine;
use super::node::Verb;

/// What is undone, or tried, on the way back.
#[derive(Debug)]
pub(super) enum Back {
    Branch(usize, usize),
    /// A run of characters that can be shorter: the instruction, the shortest end, the end.
    Shorter(usize, usize, usize),
    /// One that can be longer: the instruction, the end, by how many.
    Longer(usize, usize, usize),
    Group(usize, Option<usize>),
    Register(usize, usize),
    Frame(usize, usize),
    Mark(usize, Option<usize>),
    Keep(usize),
    /// A verb, where it stands, in which call.
    Verb(Verb, Option<Look>, usize, usize),
    Then(usize, bool),
}

/// A call of a group as a subroutine.
pub(super) struct Frame {
    pub(super) group: usize,
    /// How many calls it is in, with itself.
    pub(super) depth: usize,
    pub(super) next: usize,
    pub(super) parent: usize,
    /// Where it was called.
    pub(super) at: usize,
    /// The stack at the call.
    pub(super) height: usize,
    pub(super) groups: Vec<Option<usize>>,
    pub(super) registers: Vec<usize>,
}

/// How the match at one place ended.
pub(super) enum End {
    Match(usize),
    No,
    /// No match at any place.
    Never,
    /// The next place to try.
    Next(usize),
    TooLong,
    Stopped,
}

impl Machine<'_> {
    pub(super) fn bytes(&self) -> usize {
        let frame = size_of::<Frame>() + self.groups.len() * 16 + self.registers.len() * 8;
        self.stack.capacity() * size_of::<Back>() + self.frames.len() * frame
    }

    /// May another entry be put on the stack? Asks before a large one grows: each character of a long text may leave some.
    pub(super) fn has_room(&self) -> bool {
        const SMALL: usize = 1 << 16;
        self.stack.len() < self.stack.capacity()
            || self.stack.len() < SMALL
            // While it is moved it is there twice.
            || (self.should_continue)(self.bytes().saturating_mul(3))
    }

    pub(super) fn set_group(&mut self, slot: usize, value: Option<usize>) {
        if let Some(own) = self.groups.get_mut(slot) {
            let old = std::mem::replace(own, value);
            self.stack.push(Back::Group(slot, old));
        }
    }

    pub(super) fn set_register(&mut self, slot: usize, value: usize) {
        if let Some(own) = self.registers.get_mut(slot) {
            let old = std::mem::replace(own, value);
            self.stack.push(Back::Register(slot, old));
        }
    }

    /// Undoes what stands above a height of the stack.
    pub(super) fn undo(&mut self, height: usize) {
        while self.stack.len() > height {
            match self.stack.pop() {
                Some(Back::Group(slot, old)) => {
                    if let Some(own) = self.groups.get_mut(slot) {
                        *own = old;
                    }
                }
                Some(Back::Register(slot, old)) => {
                    if let Some(own) = self.registers.get_mut(slot) {
                        *own = old;
                    }
                }
                Some(Back::Frame(frame, count)) => {
                    self.frame = frame;
                    self.frames.truncate(count);
                }
                Some(Back::Mark(slot, old)) => {
                    if let Some(own) = self.marks.get_mut(slot) {
                        *own = old;
                    }
                }
                Some(Back::Keep(old)) => self.start = old,
                _ => {}
            }
        }
    }

    /// Forgets the branches above a height of the stack, and keeps what is undone.
    pub(super) fn cut(&mut self, height: usize) {
        let is_undone = |back: &Back| {
            matches!(back, Back::Group(..) | Back::Register(..) | Back::Frame(..) | Back::Mark(..) | Back::Keep(_))
        };
        self.work += self.stack.len().saturating_sub(height);
        let mut kept = height;
        for at in height..self.stack.len() {
            if self.stack.get(at).is_some_and(is_undone) {
                self.stack.swap(kept, at);
                kept += 1;
            }
        }
        self.stack.truncate(kept);
    }

    /// Goes back to the last branch: where to continue, or how the match ends.
    pub(super) fn back(&mut self) -> Result<(usize, usize), End> {
        loop {
            let Some(last) = self.stack.pop() else { return Err(End::No) };
            match last {
                Back::Branch(pc, at) => return Ok((pc, at)),
                Back::Shorter(pc, low, at) => {
                    let Some(shorter) = self.previous(at).filter(|shorter| *shorter >= low) else { continue };
                    if shorter > low {
                        self.stack.push(Back::Shorter(pc, low, shorter));
                    }
                    return Ok((pc + 1, shorter));
                }
                Back::Longer(pc, at, more) => {
                    let Some(Inst::Run(one, ..)) = self.regex.insts.get(pc) else { continue };
                    let Some((_, length)) = self.next(at).filter(|(character, _)| one.fits(*character)) else {
                        continue;
                    };
                    if more > 1 {
                        self.stack.push(Back::Longer(pc, at + length, more - 1));
                    }
                    return Ok((pc + 1, at + length));
                }
                Back::Then(register, has_next) => {
                    let height = self.register(register).saturating_add(usize::from(has_next));
                    self.undo(height);
                }
                Back::Verb(Verb::SkipTo(mark), ..) if self.marks.get(mark).is_none_or(Option::is_none) => {}
                Back::Verb(verb, look, at, frame) => {
                    if let Some(look) = look {
                        // It ends the look-around; if there is a branch at its foot, that one is taken.
                        let height = self.register(look.register).saturating_add(usize::from(look.has_branch));
                        self.undo(height);
                        continue;
                    }
                    if let Some(frame) = frame.checked_sub(1).and_then(|at| self.frames.get(at)) {
                        let height = frame.height;
                        self.undo(height);
                        continue;
                    }
                    return Err(match verb {
                        Verb::Commit => End::Never,
                        Verb::Prune | Verb::Then => End::No,
                        Verb::Skip => End::Next(at),
                        Verb::SkipTo(mark) => End::Next(self.marks.get(mark).copied().flatten().unwrap_or(at)),
                    });
                }
                undone => {
                    let height = self.stack.len();
                    self.stack.push(undone);
                    self.undo(height);
                }
            }
        }
    }

    /// Leaves the call that we are in: what it has set in groups holds no more. Where to continue.
    pub(super) fn leave(&mut self) -> Option<usize> {
        let frame = self.frames.get_mut(self.frame.checked_sub(1)?)?;
        let (next, parent) = (frame.next, frame.parent);
        // They are needed again when it is entered on the way back, but not now.
        let groups = frame.groups.clone();
        let registers = frame.registers.clone();
        self.work += groups.len() + registers.len();
        for (slot, value) in groups.into_iter().enumerate() {
            if self.groups.get(slot) != Some(&value) {
                self.set_group(slot, value);
            }
        }
        for (slot, value) in registers.into_iter().enumerate() {
            if self.register(slot) != value {
                self.set_register(slot, value);
            }
        }
        self.stack.push(Back::Frame(self.frame, self.frames.len()));
        self.frame = parent;
        Some(next)
    }
}
