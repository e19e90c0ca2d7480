//! Running an expression, with a stack of its own.

use super::back::{Back, End, Frame};
use super::compile::{Inst, One, Regex};
use super::node::Place;

/// After how many steps back a search is given up (PCRE's default, which counts anew at each place), and how many more for each byte.
const RETRY_LIMIT: usize = 10_000_000;
const RETRIES_PER_BYTE: usize = 64;

/// After how much work it is asked whether the search continues: instructions, characters of runs, and what a call keeps.
const ASKED: usize = 1 << 14;

/// How deep calls may stand in each other.
const MAX_CALLS: usize = 20_000;

/// What a search gave.
#[derive(Debug)]
pub enum Matched {
    /// It has matched, from here to there.
    Yes(usize, usize),
    /// There is no match.
    No,
    /// A limit was hit.
    TooLong,
    /// Nobody waits for the result.
    Stopped,
}

/// An expression and a text.
pub struct Machine<'a> {
    pub(super) regex: &'a Regex,
    pub(super) text: &'a [u8],
    pub(super) groups: Vec<Option<usize>>,
    pub(super) registers: Vec<usize>,
    pub(super) marks: Vec<Option<usize>>,
    pub(super) frames: Vec<Frame>,
    /// The call that we are in: one more than its place in `frames`.
    pub(super) frame: usize,
    pub(super) stack: Vec<Back>,
    pub(super) retries: usize,
    most_retries: usize,
    /// What was done since it was last asked whether the search continues.
    pub(super) work: usize,
    /// Where the match begins.
    pub(super) start: usize,
    /// Where the search began.
    from: usize,
    /// Does the search continue, with so many bytes for its stack?
    pub(super) should_continue: &'a dyn Fn(usize) -> bool,
    /// Do `\A` and `\z` hold at the ends of the text?
    ends: (bool, bool),
}

impl<'a> Machine<'a> {
    /// Nothing is searched yet. But for an expression of bytes the text is valid UTF-8; `ends` says whether it is the beginning and
    /// the end of a line, of which it may be a part. `should_continue` is asked now and then, with the bytes that the stack takes.
    pub fn new(
        regex: &'a Regex,
        text: &'a [u8],
        ends: (bool, bool),
        should_continue: &'a dyn Fn(usize) -> bool,
    ) -> Self {
        Self {
            regex,
            text,
            groups: vec![None; (regex.groups + 1) * 2],
            registers: vec![usize::MAX; regex.registers],
            marks: vec![None; regex.marks],
            frames: Vec::new(),
            frame: 0,
            stack: Vec::new(),
            retries: 0,
            most_retries: RETRY_LIMIT.saturating_add(text.len().saturating_mul(RETRIES_PER_BYTE)),
            work: 0,
            start: 0,
            from: 0,
            should_continue,
            ends,
        }
    }

    /// Looks for the leftmost match from a byte on.
    pub fn search(&mut self, from: usize) -> Matched {
        self.retries = 0;
        self.from = from;
        let mut at = from;
        while at <= self.text.len() {
            if let Some(first) = &self.regex.first {
                loop {
                    match self.next(at) {
                        Some((character, _)) if first.fits(character) => break,
                        Some((_, length)) => at += length,
                        None => return Matched::No,
                    }
                }
            }
            // After a match that failed all is undone; filling all anew takes long where there are many groups.
            self.undo(0);
            self.start = at;
            match self.run(at) {
                End::Match(end) => return Matched::Yes(self.start.min(end), end),
                End::No => {}
                End::Never => return Matched::No,
                End::Next(next) if next > at => {
                    at = next;
                    continue;
                }
                End::Next(_) => {}
                End::TooLong => return Matched::TooLong,
                End::Stopped => return Matched::Stopped,
            }
            at += self.next(at).map_or(1, |(_, length)| length);
        }
        Matched::No
    }

    /// The character at a place, and its bytes.
    pub(super) fn next(&self, at: usize) -> Option<(char, usize)> {
        let first = *self.text.get(at)?;
        if first.is_ascii() || self.regex.bytes {
            return Some((char::from(first), 1));
        }
        let length = match first {
            0..0xe0 => 2,
            0xe0..0xf0 => 3,
            _ => 4,
        };
        let character = std::str::from_utf8(self.text.get(at..at + length)?).ok()?.chars().next()?;
        Some((character, length))
    }

    /// The place of the character before.
    pub(super) fn previous(&self, at: usize) -> Option<usize> {
        let mut at = at.checked_sub(1)?;
        while !self.regex.bytes && self.text.get(at).is_some_and(|byte| byte & 0xc0 == 0x80) {
            at = at.checked_sub(1)?;
        }
        Some(at)
    }

    fn is_word(&self, at: Option<usize>) -> bool {
        at.and_then(|at| self.text.get(at)).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
    }

    fn holds(&self, place: Place, at: usize) -> bool {
        let end = self.text.len();
        let at_end = at == end && self.ends.1;
        match place {
            Place::Begin => at == 0 && self.ends.0,
            Place::End => at_end,
            Place::LastEnd => at_end || at + 1 == end && self.ends.1 && self.text.ends_with(b"\n"),
            Place::LineBegin => at == 0 && self.ends.0 || at > 0 && at < end && self.text.get(at - 1) == Some(&b'\n'),
            Place::LineEnd => at_end || self.text.get(at) == Some(&b'\n'),
            Place::Word | Place::NotWord => {
                let boundary = self.is_word(at.checked_sub(1)) != self.is_word(Some(at));
                boundary == (place == Place::Word)
            }
            // A later part of a line is no place where a search begins.
            Place::Search => at == self.from && (at > 0 || self.ends.0),
        }
    }

    fn group(&self, group: usize) -> Option<(usize, usize)> {
        Some(((*self.groups.get(group * 2)?)?, (*self.groups.get(group * 2 + 1)?)?))
    }

    pub(super) fn register(&self, slot: usize) -> usize {
        self.registers.get(slot).copied().unwrap_or(usize::MAX)
    }

    /// The end of what was matched again at a place.
    fn again(&mut self, groups: &[usize], folded: bool, at: usize) -> Option<usize> {
        let (begin, end) = groups.iter().find_map(|group| self.group(*group))?;
        self.work += end.saturating_sub(begin);
        if !folded {
            let part = self.text.get(begin..end)?;
            return self.text.get(at..)?.starts_with(part).then_some(at + part.len());
        }
        let (mut from, mut to) = (begin, at);
        while from < end {
            let (wanted, length) = self.next(from)?;
            let (own, own_length) = self.next(to)?;
            if own != wanted && !is_same(own, wanted, self.regex.bytes) {
                return None;
            }
            from += length;
            to += own_length;
        }
        Some(to)
    }

    /// Matches a run of one character. `None`: there are too few.
    fn run_of(
        &mut self,
        pc: usize,
        one: &One,
        (least, most, greedy): (usize, usize, bool),
        at: usize,
    ) -> Option<usize> {
        let mut to = at;
        let mut count = 0;
        let step = |machine: &Self, to: &mut usize| match machine.next(*to) {
            Some((character, length)) if one.fits(character) => {
                *to += length;
                true
            }
            _ => false,
        };
        while count < least {
            if !step(self, &mut to) {
                self.work += count;
                return None;
            }
            count += 1;
        }
        if !greedy {
            self.work += count;
            if most > least {
                self.stack.push(Back::Longer(pc, to, most - least));
            }
            return Some(to);
        }
        let low = to;
        while count < most && step(self, &mut to) {
            count += 1;
        }
        self.work += count;
        if to > low {
            self.stack.push(Back::Shorter(pc, low, to));
        }
        Some(to)
    }

    fn run(&mut self, from: usize) -> End {
        let regex = self.regex;
        let (mut pc, mut at) = (0, from);
        loop {
            let Some(inst) = regex.insts.get(pc) else { return End::No };
            self.work += 1;
            if !self.has_room() || !self.is_wanted() {
                return End::Stopped;
            }
            let next = match inst {
                Inst::Accept if self.frame == 0 => return End::Match(at),
                Inst::Call(..) if self.depth() >= MAX_CALLS => return End::TooLong,
                Inst::Call(group, _) if self.calls_itself(*group, at) => return End::TooLong,
                inst => self.step(inst, pc, &mut at),
            };
            match next {
                Some(_) if self.retries > self.most_retries => return End::TooLong,
                Some(next) => pc = next,
                None => {
                    self.retries += 1;
                    if self.retries > self.most_retries {
                        return End::TooLong;
                    }
                    match self.back() {
                        Ok(found) => (pc, at) = found,
                        Err(end) => return end,
                    }
                }
            }
        }
    }

    /// Asks now and then whether the search continues.
    fn is_wanted(&mut self) -> bool {
        if self.work < ASKED {
            return true;
        }
        self.work = 0;
        (self.should_continue)(self.bytes())
    }

    /// How many calls we are in.
    fn depth(&self) -> usize {
        self.frame.checked_sub(1).and_then(|place| self.frames.get(place)).map_or(0, |frame| frame.depth)
    }

    /// Is this group already called at this place? It would call itself for ever.
    fn calls_itself(&self, group: usize, at: usize) -> bool {
        let mut frame = self.frame;
        while let Some(own) = frame.checked_sub(1).and_then(|place| self.frames.get(place)) {
            if own.at != at {
                return false;
            }
            if own.group == group {
                return true;
            }
            frame = own.parent;
        }
        false
    }

    /// Does one instruction: the next one, or nothing where it does not fit.
    fn step(&mut self, inst: &Inst, pc: usize, at: &mut usize) -> Option<usize> {
        match inst {
            Inst::One(one) => {
                let (_, length) = self.next(*at).filter(|(character, _)| one.fits(*character))?;
                *at += length;
            }
            Inst::Run(one, least, most, greedy) => *at = self.run_of(pc, one, (*least, *most, *greedy), *at)?,
            Inst::Place(place) => {
                if !self.holds(*place, *at) {
                    return None;
                }
            }
            Inst::Keep => {
                self.stack.push(Back::Keep(self.start));
                self.start = *at;
            }
            Inst::Fail => return None,
            Inst::Accept => return self.leave(),
            Inst::Split(first, second) => {
                self.stack.push(Back::Branch(*second, *at));
                return Some(*first);
            }
            Inst::Jump(to) => return Some(*to),
            Inst::Open(group) => self.set_register(*group, *at),
            Inst::Close(group) => {
                self.set_group(group * 2, Some(self.register(*group)));
                self.set_group(group * 2 + 1, Some(*at));
            }
            Inst::Return(group) => {
                let called = self.frame.checked_sub(1).and_then(|place| self.frames.get(place));
                if called.is_some_and(|frame| frame.group == *group) {
                    return self.leave();
                }
            }
            Inst::Call(group, to) => {
                // Calls of calls are many without a single step back.
                self.retries += 1;
                self.stack.push(Back::Frame(self.frame, self.frames.len()));
                self.work += self.groups.len() + self.registers.len();
                let depth = self.depth() + 1;
                self.frames.push(Frame {
                    group: *group,
                    depth,
                    next: pc + 1,
                    parent: self.frame,
                    at: *at,
                    height: self.stack.len(),
                    groups: self.groups.clone(),
                    registers: self.registers.clone(),
                });
                self.frame = self.frames.len();
                return Some(*to);
            }
            Inst::Reference(groups, folded) => *at = self.again(groups, *folded, *at)?,
            Inst::LoopStart(register) => self.set_register(*register, *at),
            Inst::LoopEnd(register, to) => {
                if self.register(*register) != *at {
                    return Some(*to);
                }
            }
            Inst::CountStart(register) => self.set_register(*register, 0),
            Inst::Count { register, least, most, greedy, exit } => {
                let count = self.register(*register);
                if count >= *most {
                    return Some(*exit);
                }
                if count >= *least {
                    let (first, second) = if *greedy { (pc + 1, *exit) } else { (*exit, pc + 1) };
                    // Where an iteration begins is set on both ways: it is read at its end alone.
                    self.set_register(register + 1, *at);
                    self.stack.push(Back::Branch(second, *at));
                    return Some(first);
                }
                self.set_register(register + 1, *at);
            }
            Inst::CountNext { register, least, head } => {
                let count = self.register(*register).saturating_add(1);
                self.set_register(*register, count);
                let is_empty = self.register(register + 1) == *at;
                // They are many without a single step back.
                self.retries += usize::from(is_empty);
                // An iteration of nothing ends the loop.
                if !is_empty || count < *least {
                    return Some(*head);
                }
            }
            Inst::Mount(register) => {
                self.set_register(*register, 0);
                self.set_register(register + 1, *at);
                let height = self.stack.len();
                if let Some(own) = self.registers.get_mut(*register) {
                    *own = height;
                }
            }
            Inst::Cut(register) => self.cut(self.register(*register)),
            Inst::CutBack(register) => {
                *at = self.register(register + 1);
                self.cut(self.register(*register));
            }
            Inst::Undo(register, to) => {
                *at = self.register(register + 1);
                let height = self.register(*register);
                self.undo(height);
                return *to;
            }
            Inst::Branch(to) => self.stack.push(Back::Branch(*to, *at)),
            Inst::Behind(count) => {
                self.work += (*count).min(*at);
                for _ in 0..*count {
                    *at = self.previous(*at)?;
                }
            }
            Inst::UnlessGroup(groups, to) => {
                if groups.iter().all(|group| self.group(*group).is_none()) {
                    return Some(*to);
                }
            }
            Inst::UnlessRecursion(groups, to) => {
                let called = self.frame.checked_sub(1).and_then(|place| self.frames.get(place));
                let holds = called.is_some_and(|frame| groups.as_ref().is_none_or(|own| own.contains(&frame.group)));
                if !holds {
                    return Some(*to);
                }
            }
            Inst::Mark(mark) => {
                if let Some(own) = self.marks.get_mut(*mark) {
                    let old = own.replace(*at);
                    self.stack.push(Back::Mark(*mark, old));
                }
            }
            Inst::Verb(verb, look) => self.stack.push(Back::Verb(verb.clone(), *look, *at, self.frame)),
            Inst::Then(register, has_next) => self.stack.push(Back::Then(*register, *has_next)),
        }
        Some(pc + 1)
    }
}

/// Are two characters the same but for case?
fn is_same(one: char, other: char, bytes: bool) -> bool {
    if bytes || one.is_ascii() && other.is_ascii() {
        return one.eq_ignore_ascii_case(&other);
    }
    let mut cases = super::set::class(&[(one, one)]);
    super::set::fold(&mut cases, bytes);
    cases.ranges().iter().any(|range| (range.start()..=range.end()).contains(&other))
}
