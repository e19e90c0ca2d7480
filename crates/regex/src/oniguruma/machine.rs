//! Running a pattern: with a stack of its own, and a limit as Oniguruma's.

use super::compile::{Inst, Regex};
use super::parse::Anchor;
use super::set::{fold, is_word};

/// After how many steps back a match is given up (Oniguruma's default).
const RETRY_LIMIT: usize = 10_000_000;

/// After how many steps back, and after how many places, it is asked whether the search continues.
const ASKED: usize = 1024;

/// What a search gave.
#[derive(Debug)]
pub enum Matched {
    /// It has matched.
    Yes,
    /// There is no match.
    No,
    /// The retry limit was hit.
    TooLong,
    /// Nobody waits for the result.
    Stopped,
}

enum Back {
    Branch(usize, usize),
    Group(usize, Option<usize>),
    Loop(usize, usize),
}

/// A pattern and a text.
pub struct Machine<'a> {
    regex: &'a Regex,
    text: &'a str,
    groups: Vec<Option<usize>>,
    loops: Vec<usize>,
    stack: Vec<Back>,
    retries: usize,
    /// Does the search continue, with so many bytes for its stack?
    should_continue: &'a dyn Fn(usize) -> bool,
}

impl<'a> Machine<'a> {
    /// Nothing is searched yet. `should_continue` is asked now and then, with the bytes that the stack takes.
    pub fn new(regex: &'a Regex, text: &'a str, should_continue: &'a dyn Fn(usize) -> bool) -> Self {
        let groups = vec![None; regex.names.len() * 2 + 2];
        Self {
            regex,
            text,
            groups,
            loops: vec![usize::MAX; regex.loops],
            stack: Vec::new(),
            retries: 0,
            should_continue,
        }
    }

    /// Where a group matched.
    pub fn group(&self, group: usize) -> Option<(usize, usize)> {
        Some(((*self.groups.get(group * 2)?)?, (*self.groups.get(group * 2 + 1)?)?))
    }

    /// Looks for the leftmost match from a byte on.
    pub fn search(&mut self, from: usize) -> Matched {
        self.retries = 0;
        let mut places: usize = 0;
        let first = match (self.regex.insts.get(1), self.text.is_char_boundary(from)) {
            (Some(Inst::Char(c)), true) => Some(*c),
            _ => None,
        };
        let mut at = from;
        loop {
            if let Some(first) = first {
                match self.text.get(at..).and_then(|rest| rest.find(first)) {
                    Some(found) => at += found,
                    None => return Matched::No,
                }
            }
            self.groups.fill(None);
            self.loops.fill(usize::MAX);
            self.stack.clear();
            self.retries = 0;
            places += 1;
            if places.is_multiple_of(ASKED) && !(self.should_continue)(self.stack_bytes()) {
                return Matched::Stopped;
            }
            match self.run(0, at) {
                Ok(Some(_)) => return Matched::Yes,
                Ok(None) => {}
                Err(end) => return end,
            }
            at += 1;
            while at < self.text.len() && !self.text.is_char_boundary(at) {
                at += 1;
            }
            if at > self.text.len() {
                return Matched::No;
            }
        }
    }

    fn next(&self, at: usize) -> Option<char> {
        self.text.get(at..)?.chars().next()
    }

    fn before(&self, at: usize) -> Option<char> {
        self.text.get(..at)?.chars().next_back()
    }

    fn holds(&self, anchor: Anchor, at: usize) -> bool {
        let end = self.text.len();
        match anchor {
            Anchor::Begin => at == 0,
            Anchor::End => at == end,
            Anchor::LastEnd => at == end || (at + 1 == end && self.text.ends_with('\n')),
            Anchor::LineBegin => at == 0 || (self.before(at) == Some('\n') && at < end),
            Anchor::LineEnd => at == end || self.next(at) == Some('\n'),
            Anchor::Word | Anchor::NotWord => {
                let boundary = self.before(at).is_some_and(is_word) != self.next(at).is_some_and(is_word);
                boundary == matches!(anchor, Anchor::Word)
            }
        }
    }

    fn save(&mut self, slot: usize, value: Option<usize>) {
        if let Some(own) = self.groups.get_mut(slot) {
            let old = std::mem::replace(own, value);
            self.stack.push(Back::Group(slot, old));
        }
    }

    fn stack_bytes(&self) -> usize {
        self.stack.capacity() * size_of::<Back>()
    }

    /// May another entry be put on the stack? Asks before a large one grows: each character of a long text may leave some.
    fn has_room(&self) -> bool {
        const SMALL: usize = 1 << 16;
        self.stack.len() < self.stack.capacity()
            || self.stack.len() < SMALL
            // While it is moved it is there twice.
            || (self.should_continue)(self.stack_bytes().saturating_mul(3))
    }

    /// Goes back to the last branch above a height of the stack.
    fn back(&mut self, base: usize) -> Option<(usize, usize)> {
        while self.stack.len() > base {
            match self.stack.pop()? {
                Back::Branch(pc, at) => {
                    self.retries += 1;
                    return Some((pc, at));
                }
                Back::Group(slot, old) => {
                    if let Some(own) = self.groups.get_mut(slot) {
                        *own = old;
                    }
                }
                Back::Loop(slot, old) => {
                    if let Some(own) = self.loops.get_mut(slot) {
                        *own = old;
                    }
                }
            }
        }
        None
    }

    /// Forgets the branches above a height of the stack, and keeps what restores groups.
    fn cut(&mut self, base: usize) {
        let kept: Vec<Back> = self.stack.drain(base..).filter(|back| !matches!(back, Back::Branch(..))).collect();
        self.stack.extend(kept);
    }

    /// Runs to `Accept`, and gives the place there. The error: how else the search ends.
    fn run(&mut self, start: usize, from: usize) -> Result<Option<usize>, Matched> {
        let base = self.stack.len();
        let (mut pc, mut at) = (start, from);
        loop {
            let regex = self.regex;
            let Some(inst) = regex.insts.get(pc) else {
                return Ok(None);
            };
            if !self.has_room() {
                return Err(Matched::Stopped);
            }
            let ok = match inst {
                Inst::Accept if start == 0 && regex.options.not_empty && self.group(0).is_some_and(|(a, b)| a == b) => {
                    false
                }
                Inst::Accept => return Ok(Some(at)),
                Inst::Char(c) => self.step(&mut at, |own| own == *c),
                Inst::CharFold(c) => self.step(&mut at, |own| fold(own) == *c),
                Inst::Any => self.step(&mut at, |_| true),
                Inst::AnyButNewline => self.step(&mut at, |own| own != '\n'),
                Inst::Set(set) => self.step(&mut at, |own| set.has(own)),
                Inst::Anchor(anchor) => self.holds(*anchor, at),
                Inst::Split(first, second) => {
                    self.stack.push(Back::Branch(*second, at));
                    pc = *first;
                    continue;
                }
                Inst::Jump(to) => {
                    pc = *to;
                    continue;
                }
                Inst::Save(slot) => {
                    self.save(*slot, Some(at));
                    true
                }
                Inst::LoopStart(slot) => {
                    if let Some(own) = self.loops.get_mut(*slot) {
                        let old = std::mem::replace(own, at);
                        self.stack.push(Back::Loop(*slot, old));
                    }
                    true
                }
                Inst::LoopEnd(slot, to) => {
                    if self.loops.get(*slot) != Some(&at) {
                        pc = *to;
                        continue;
                    }
                    true
                }
                Inst::Backreference(group, folded) => match self.group(*group) {
                    Some((begin, end)) => {
                        let part = self.text.get(begin..end).unwrap_or_default();
                        let mut to = at;
                        let same = part.chars().all(|wanted| {
                            self.step(&mut to, |own| own == wanted || (*folded && fold(own) == fold(wanted)))
                        });
                        if same {
                            at = to;
                        }
                        same
                    }
                    None => false,
                },
                Inst::Look { ahead, negated, behind, next } => {
                    let height = self.stack.len();
                    let from = match (*ahead, behind) {
                        (true, _) | (false, 0) => Some(at),
                        (false, length) => self
                            .text
                            .get(..at)
                            .and_then(|before| before.char_indices().nth_back(length - 1))
                            .map(|(at, _)| at),
                    };
                    let end = match from {
                        Some(from) => self.run(pc + 1, from)?,
                        None => None,
                    };
                    let found = end.is_some_and(|end| *ahead || end == at);
                    if end.is_some() && !found {
                        while self.back(height).is_some() {}
                    }
                    if found == *negated {
                        while self.back(height).is_some() {}
                        false
                    } else {
                        if *negated {
                            while self.back(height).is_some() {}
                        } else {
                            self.cut(height);
                        }
                        pc = *next;
                        continue;
                    }
                }
                Inst::Atomic { next } => {
                    let height = self.stack.len();
                    match self.run(pc + 1, at)? {
                        Some(end) => {
                            self.cut(height);
                            at = end;
                            pc = *next;
                            continue;
                        }
                        None => false,
                    }
                }
            };
            if ok {
                pc += 1;
                continue;
            }
            match self.back(base) {
                Some((to_pc, to_at)) => {
                    if self.retries > RETRY_LIMIT {
                        return Err(Matched::TooLong);
                    }
                    if self.retries.is_multiple_of(ASKED) && !(self.should_continue)(self.stack_bytes()) {
                        return Err(Matched::Stopped);
                    }
                    pc = to_pc;
                    at = to_at;
                }
                None => return Ok(None),
            }
        }
    }

    fn step(&self, at: &mut usize, fits: impl FnOnce(char) -> bool) -> bool {
        match self.next(*at) {
            Some(c) if fits(c) => {
                *at += c.len_utf8();
                true
            }
            _ => false,
        }
    }
}
