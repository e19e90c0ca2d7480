//! The search that tries every way: for back-references, and for what the automata do not see.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

use crate::captures::Captures;
use crate::case;
use crate::error::SearchError;
use crate::lookaround::Places;
use crate::program::{Op, Program};
use crate::subject::{Span, Subject};

/// How many places may be remembered.
const MEMORY: usize = 2_000_000;

/// How many steps one search takes before it begins to remember: most end before, and remembering takes longer.
const UNREMEMBERED: u64 = 4096;

/// How many steps one search may take.
const STEPS: u64 = 100_000_000;

/// Mixes the words of a place; nothing here is chosen by an attacker who would gain more than the step limit.
#[derive(Default)]
struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = mix(self.0, value);
    }

    fn write_usize(&mut self, value: usize) {
        self.write_u64(value as u64);
    }
}

fn mix(state: u64, value: u64) -> u64 {
    let product = u128::from(state.rotate_left(5) ^ value ^ 0x9e37_79b9_7f4a_7c15).wrapping_mul(0xff51_afd7_ed55_8ccd);
    let [low, high] = [product as u64, (product >> 64) as u64];
    low ^ high
}

type Places3 = HashSet<(usize, usize, u64), BuildHasherDefault<Mix>>;

pub(crate) struct Backtracker<'a> {
    pub(crate) program: &'a Program,
    pub(crate) places: Places,
    pub(crate) ignore_case: bool,
    /// The first match that is found will do; only its start is right.
    pub(crate) any: bool,
}

impl Backtracker<'_> {
    /// The leftmost-longest match that starts at `from` or after it.
    pub(crate) fn search(
        &self,
        subject: &Subject<'_>,
        from: usize,
        captures: &mut Captures,
    ) -> Result<Option<Span>, SearchError> {
        let mut visited = Places3::default();
        let mut stack = Vec::new();
        let mut steps = 0;
        let mut start = from;
        while start <= subject.text.len() {
            if let Some(first) = &self.program.first {
                let rest = subject.text.get(start..).unwrap_or_default();
                match rest.iter().position(|byte| first.contains(*byte)) {
                    Some(skipped) => start += skipped,
                    None => return Ok(None),
                }
            }
            if let Some(end) = self.longest(subject, start, &mut visited, &mut steps, &mut stack, captures)? {
                return Ok(Some((start, end)));
            }
            start += self.places.encoding.decode(subject.text, start).map_or(1, |found| found.1);
        }
        Ok(None)
    }

    fn longest(
        &self,
        subject: &Subject<'_>,
        start: usize,
        visited: &mut Places3,
        steps: &mut u64,
        stack: &mut Vec<(usize, usize, usize)>,
        captures: &mut Captures,
    ) -> Result<Option<usize>, SearchError> {
        let mut best = None;
        stack.clear();
        let mut registers = std::mem::take(&mut captures.scratch.registers);
        registers.reset(self.program.groups);
        let (mut op, mut at) = (self.program.entry, start);
        loop {
            *steps += 1;
            if steps.is_multiple_of(1 << 14) && subject.is_interrupted() {
                return Err(SearchError::Interrupted);
            }
            if *steps > STEPS || visited.len() > MEMORY {
                return Err(SearchError::TooComplex);
            }
            let next = match self.program.ops.get(op) {
                Some(Op::Match) => {
                    if best.is_none_or(|end| at > end) {
                        best = Some(at);
                        registers.report((start, at), self.program.groups, &mut captures.groups);
                        if at == subject.text.len() || self.any {
                            break;
                        }
                    }
                    None
                }
                Some(&Op::Split(first, second, _)) => {
                    let is_new = *steps <= UNREMEMBERED && !self.program.has_empty_loop || {
                        let key = self.program.referred.iter().fold(0, |key, group| match registers.span(*group) {
                            Some((start, end)) => mix(mix(key, start as u64), end as u64),
                            None => mix(key, u64::MAX),
                        });
                        visited.insert((op, at, key))
                    };
                    if is_new {
                        stack.push((second, at, registers.changes()));
                        Some((first, at))
                    } else {
                        None
                    }
                }
                Some(&Op::Open(group, next)) => {
                    registers.open(group, at);
                    Some((next, at))
                }
                Some(&Op::Close { group, optional, next }) => {
                    registers.close(group, at, optional);
                    Some((next, at))
                }
                Some(&Op::Look(look, next)) => self.places.holds(look, subject.text, at).then_some((next, at)),
                Some(&Op::Unit(wanted, next)) => {
                    let found = self.places.encoding.decode(subject.text, at);
                    found.filter(|found| found.0 == wanted).map(|found| (next, at + found.1))
                }
                Some(&Op::Class(number, next)) => {
                    let found = self.places.encoding.decode(subject.text, at);
                    let class = self.program.class(number);
                    found
                        .filter(|found| class.is_some_and(|class| class.contains(found.0)))
                        .map(|found| (next, at + found.1))
                }
                Some(&Op::BackReference(group, next)) => {
                    registers.span(group).and_then(|span| self.repeated(subject.text, span, at)).map(|end| (next, end))
                }
                None => None,
            };
            (op, at) = match next {
                Some(next) => next,
                None => match stack.pop() {
                    Some((op, at, undo)) => {
                        registers.roll_back(undo);
                        (op, at)
                    }
                    None => break,
                },
            };
        }
        captures.scratch.registers = registers;
        Ok(best)
    }

    /// The end of what stands at `at` when it is the text of `span` again.
    fn repeated(&self, text: &[u8], span: Span, at: usize) -> Option<usize> {
        let group = text.get(span.0..span.1)?;
        if !self.ignore_case {
            return text.get(at..)?.starts_with(group).then_some(at + group.len());
        }
        let encoding = self.places.encoding;
        let (mut from, mut to) = (span.0, at);
        while from < span.1 {
            let (wanted, length) = encoding.decode(text, from)?;
            let (found, width) = encoding.decode(text, to)?;
            if wanted != found && case::upper(wanted, encoding) != case::upper(found, encoding) {
                let mut cases = Vec::new();
                case::push_cases(wanted, encoding, &mut cases);
                if !cases.contains(&found) {
                    return None;
                }
            }
            from += length;
            to += width;
        }
        Some(to)
    }
}
