//! Merging what is sorted.

use std::io;

use hookshell_utility::Stopped;
use hookshell_utility::input::Input;
use hookshell_utility::io::{Failure, Running};
use hookshell_utility::output::Output;

use super::chunk::Sorted;
use super::key::Order;

/// Sorted lines.
pub(super) enum Origin {
    File(Input),
    Chunk(Sorted),
}

/// An origin and its current line.
struct Cursor<'n> {
    origin: Origin,
    name: &'n [u8],
    line: Vec<u8>,
    /// Its place among the origins: of equal lines the first one's comes first.
    number: usize,
}

impl Cursor<'_> {
    /// Goes to the next line; `false` at the end.
    fn advance(&mut self, running: &Running<'_>, end: u8) -> Result<bool, Stopped> {
        let next = match &mut self.origin {
            Origin::File(input) => input.text(running, end)?,
            Origin::Chunk(lines) => lines.next(),
        };
        let Some(line) = next else { return Ok(false) };
        self.line.clear();
        self.line.extend_from_slice(line);
        Ok(true)
    }

    fn error(&mut self) -> Option<(Vec<u8>, io::Error)> {
        match &mut self.origin {
            Origin::File(input) => input.error.take().map(|error| (self.name.to_vec(), error)),
            Origin::Chunk(_) => None,
        }
    }
}

/// Merges them; gives the name and the error of one that cannot be read.
pub(super) fn merge(
    order: &Order,
    origins: Vec<(Origin, &[u8])>,
    out: &mut Output<'_, '_>,
) -> Result<Option<(Vec<u8>, io::Error)>, Failure> {
    let running = out.running();
    let mut heap: Vec<Cursor<'_>> = Vec::with_capacity(origins.len());
    for (number, (origin, name)) in origins.into_iter().enumerate() {
        let mut cursor = Cursor { origin, name, line: Vec::new(), number };
        if cursor.advance(running, order.end)? {
            heap.push(cursor);
        } else if let Some(error) = cursor.error() {
            return Ok(Some(error));
        }
    }
    let before = |left: &Cursor<'_>, right: &Cursor<'_>| {
        order.compare(&left.line, &right.line).then(left.number.cmp(&right.number)).is_lt()
    };
    for at in (0..heap.len() / 2).rev() {
        sift_down(&mut heap, at, &before);
    }
    let mut written: Option<Vec<u8>> = None;
    while let Some(top) = heap.first_mut() {
        let again = order.unique && written.as_ref().is_some_and(|written| order.compare(written, &top.line).is_eq());
        if !again {
            out.push(&top.line)?;
            out.byte(order.end)?;
            if order.unique {
                let written = written.get_or_insert_default();
                written.clear();
                written.extend_from_slice(&top.line);
            }
        }
        if !top.advance(running, order.end)? {
            if let Some(error) = top.error() {
                return Ok(Some(error));
            }
            heap.swap_remove(0);
        }
        sift_down(&mut heap, 0, &before);
    }
    Ok(None)
}

/// Moves the element at `at` down to where it belongs.
fn sift_down<T>(heap: &mut [T], mut at: usize, before: &impl Fn(&T, &T) -> bool) {
    loop {
        let mut least = at;
        for child in [2 * at + 1, 2 * at + 2] {
            if let (Some(a), Some(b)) = (heap.get(child), heap.get(least))
                && before(a, b)
            {
                least = child;
            }
        }
        if least == at {
            return;
        }
        heap.swap(at, least);
        at = least;
    }
}
