//! Lines in memory, sorted.

use std::cmp::Ordering;
use std::sync::atomic::{AtomicBool, Ordering as AtomicOrdering};

use hookshell_utility::Stopped;
use hookshell_utility::io::{Failure, Running};
use hookshell_utility::output::Output;

use super::key::{Keyed, Order};

/// As many are sorted between two looks at the cancel token.
const RUN: usize = 1 << 16;

/// From here on a second thread pays.
const PARALLEL: usize = 1 << 17;

/// A line's number, and what orders it against most others.
#[derive(Clone, Copy)]
struct Entry {
    rank: u64,
    line: u32,
    /// Where in the line its first key is.
    start: u16,
    /// [`FAR`]: it is too far back or too long for two numbers of this size, and has to be looked for.
    length: u16,
}

const FAR: u16 = u16::MAX;

/// Lines in one buffer.
#[derive(Default)]
pub(super) struct Chunk {
    data: Vec<u8>,
    /// Where each line ends.
    ends: Vec<usize>,
    entries: Vec<Entry>,
}

impl Chunk {
    /// The memory it takes, about.
    pub(super) fn size(&self) -> usize {
        // An end, an entry and its place in the merge.
        self.data.len() + self.ends.len() * 40
    }

    pub(super) fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.data.clear();
        self.ends.clear();
        self.entries.clear();
    }

    pub(super) fn push(&mut self, line: &[u8]) {
        self.data.extend_from_slice(line);
        self.ends.push(self.data.len());
    }

    fn line(&self, number: u32) -> &[u8] {
        let number = number as usize;
        let start = number.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        let end = self.ends.get(number).copied().unwrap_or(start);
        self.data.get(start..end).unwrap_or_default()
    }

    fn keyed(&self, entry: &Entry, order: &Order) -> Keyed<'_> {
        let line = self.line(entry.line);
        let start = usize::from(entry.start);
        let key = match entry.length {
            FAR => order.first_key(line),
            length => line.get(start..start + usize::from(length)).unwrap_or_default(),
        };
        Keyed { line, key }
    }

    /// How many bytes all lines begin with alike.
    fn common(&self) -> usize {
        let first = self.line(0);
        let mut common = first.len();
        for number in 1..u32::try_from(self.ends.len()).unwrap_or(u32::MAX) {
            let line = self.line(number);
            common = common.min(line.len());
            if line.get(..common) != first.get(..common) {
                common = line.iter().zip(first).take_while(|(left, right)| left == right).count();
            }
            if common == 0 {
                break;
            }
        }
        common
    }

    /// Sorts what was pushed; equal lines stay in their order.
    pub(super) fn sort(&mut self, order: &Order, running: &Running<'_>) -> Result<(), Stopped> {
        let common = if order.keys.is_empty() { self.common() } else { 0 };
        let mut entries = Vec::with_capacity(self.ends.len());
        // The size of a chunk keeps the number of lines far below what a u32 holds.
        for line in 0..u32::try_from(self.ends.len()).unwrap_or(u32::MAX) {
            if line % 65_536 == 0 {
                running.check()?;
            }
            let text = self.line(line);
            let key = order.first_key(text);
            let start = (key.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
            let (start, length) = match (u16::try_from(start), u16::try_from(key.len())) {
                (Ok(start), Ok(length)) => (start, length),
                _ => (0, FAR),
            };
            entries.push(Entry { rank: order.rank(text, key, common), line, start, length });
        }
        let chunk = &*self;
        let compare = |left: &Entry, right: &Entry| {
            left.rank
                .cmp(&right.rank)
                .then_with(|| order.compare_with(chunk.keyed(left, order), chunk.keyed(right, order)))
                .then_with(|| left.line.cmp(&right.line))
        };
        let stopped = || running.check().is_err();
        let mut scratch = entries.clone();
        if entries.len() < PARALLEL {
            sort_runs(&mut entries, &mut scratch, &compare, &stopped);
        } else {
            let half = entries.len() / 2;
            let (left, right) = entries.split_at_mut(half);
            let (left_scratch, right_scratch) = scratch.split_at_mut(half);
            let stop = AtomicBool::new(false);
            let spawned = std::thread::scope(|scope| {
                let other = std::thread::Builder::new().spawn_scoped(scope, || {
                    sort_runs(left, left_scratch, &compare, &|| stop.load(AtomicOrdering::Relaxed));
                });
                sort_runs(right, right_scratch, &compare, &|| {
                    stop.fetch_or(running.check().is_err(), AtomicOrdering::Relaxed) || running.check().is_err()
                });
                other.is_ok()
            });
            if !spawned && let (Some(left), Some(scratch)) = (entries.get_mut(..half), scratch.get_mut(..half)) {
                sort_runs(left, scratch, &compare, &stopped);
            }
            running.check()?;
            scratch.copy_from_slice(&entries);
            let (left, right) = scratch.split_at(half);
            merge(left, right, &mut entries, &compare);
        }
        running.check()?;
        self.entries = entries;
        Ok(())
    }

    /// The sorted lines; of equal ones the first where they are to be unique.
    pub(super) fn sorted<'c>(&'c self, order: &'c Order) -> impl Iterator<Item = &'c [u8]> + 'c {
        let mut previous: Option<&Entry> = None;
        let is_new = move |entry: &&'c Entry| {
            if !order.unique {
                return true;
            }
            let again = previous.is_some_and(|previous| {
                previous.rank == entry.rank
                    && order.compare_with(self.keyed(previous, order), self.keyed(entry, order)).is_eq()
            });
            if !again {
                previous = Some(entry);
            }
            !again
        };
        self.entries.iter().filter(is_new).map(|entry| self.line(entry.line))
    }

    pub(super) fn write(&self, order: &Order, out: &mut Output<'_, '_>) -> Result<(), Failure> {
        for line in self.sorted(order) {
            out.push(line)?;
            out.byte(order.end)?;
        }
        Ok(())
    }

    /// For a merge.
    pub(super) fn into_lines(self) -> Sorted {
        Sorted { chunk: self, next: 0 }
    }
}

/// The lines of a sorted chunk one by one.
pub(super) struct Sorted {
    chunk: Chunk,
    next: usize,
}

impl Sorted {
    pub(super) fn next(&mut self) -> Option<&[u8]> {
        let entry = self.chunk.entries.get(self.next)?;
        self.next += 1;
        Some(self.chunk.line(entry.line))
    }
}

/// Sorts runs of a bounded length, then merges them; so that a cancelled run is noticed.
fn sort_runs(
    entries: &mut [Entry],
    scratch: &mut [Entry],
    compare: &impl Fn(&Entry, &Entry) -> Ordering,
    stopped: &dyn Fn() -> bool,
) {
    for run in entries.chunks_mut(RUN) {
        if stopped() {
            return;
        }
        run.sort_unstable_by(compare);
    }
    let mut length = RUN;
    while length < entries.len() {
        if stopped() {
            return;
        }
        let scratch = scratch.get_mut(..entries.len()).unwrap_or_default();
        scratch.copy_from_slice(entries);
        for (from, to) in scratch.chunks(2 * length).zip(entries.chunks_mut(2 * length)) {
            let (left, right) = from.split_at(length.min(from.len()));
            merge(left, right, to, compare);
        }
        length *= 2;
    }
}

fn merge(left: &[Entry], right: &[Entry], out: &mut [Entry], compare: &impl Fn(&Entry, &Entry) -> Ordering) {
    let (mut left, mut right) = (left.iter().peekable(), right.iter().peekable());
    for place in out {
        let next = match (left.peek(), right.peek()) {
            (Some(a), Some(b)) if compare(a, b).is_gt() => right.next(),
            (Some(_), _) => left.next(),
            (None, _) => right.next(),
        };
        if let Some(entry) = next {
            *place = *entry;
        }
    }
}
