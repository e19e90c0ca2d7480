//! Patterns that were compiled before.

use std::cell::RefCell;
use std::sync::Arc;

use super::shape::{Shape, Unescaped};
use super::{Options, Pattern};

/// A power of two: a loop has few patterns.
const SLOTS: usize = 32;

/// Longer patterns are rare, and what they become would be kept for long.
const LONGEST: usize = 256;

/// The patterns that were compiled last: a loop needs the same ones in each turn.
#[derive(Debug, Default)]
pub struct Cache {
    /// Each pattern has one place; none at all as long as none was compiled.
    slots: RefCell<Vec<Option<Compiled>>>,
}

#[derive(Debug, Clone)]
struct Compiled {
    escaped: Box<[u8]>,
    options: Options,
    pattern: Arc<Pattern>,
}

impl Cache {
    /// [`Pattern::new`], or what it gave before.
    pub fn compiled(&self, escaped: &[u8], options: Options) -> Arc<Pattern> {
        if escaped.len() > LONGEST {
            return Arc::new(Pattern::new(escaped, options));
        }
        let mut slots = self.slots.borrow_mut();
        if slots.is_empty() {
            slots.resize(SLOTS, None);
        }
        let slot = &mut slots[place(escaped)];
        match slot {
            Some(found) if *found.escaped == *escaped && found.options == options => Arc::clone(&found.pattern),
            _ => {
                let pattern = Arc::new(Pattern::new(escaped, options));
                *slot = Some(Compiled { escaped: escaped.into(), options, pattern: Arc::clone(&pattern) });
                pattern
            }
        }
    }

    /// Whether the escaped pattern matches all of `text`. Nothing is compiled for the usual shapes (`lit`, `*lit`, `lit*`,
    /// `*lit*`, `lit*lit`), neither here nor below.
    pub fn matches(&self, escaped: &[u8], text: &[u8], options: Options) -> bool {
        match Shape::of(escaped, options, &mut Unescaped::new()) {
            Some(shape) => shape.matches(text),
            None => self.compiled(escaped, options).matches(text),
        }
    }

    /// [`Pattern::shortest_prefix`] of an escaped pattern.
    pub fn shortest_prefix(&self, escaped: &[u8], text: &[u8], options: Options) -> Option<usize> {
        match Shape::of(escaped, options, &mut Unescaped::new()) {
            Some(shape) => shape.shortest_prefix(text),
            None => self.compiled(escaped, options).shortest_prefix(text),
        }
    }

    /// [`Pattern::longest_prefix`] of an escaped pattern.
    pub fn longest_prefix(&self, escaped: &[u8], text: &[u8], options: Options) -> Option<usize> {
        match Shape::of(escaped, options, &mut Unescaped::new()) {
            Some(shape) => shape.longest_prefix(text),
            None => self.compiled(escaped, options).longest_prefix(text),
        }
    }

    /// [`Pattern::shortest_suffix`] of an escaped pattern.
    pub fn shortest_suffix(&self, escaped: &[u8], text: &[u8], options: Options) -> Option<usize> {
        match Shape::of(escaped, options, &mut Unescaped::new()) {
            Some(shape) => shape.shortest_suffix(text),
            None => self.compiled(escaped, options).shortest_suffix(text),
        }
    }

    /// [`Pattern::longest_suffix`] of an escaped pattern.
    pub fn longest_suffix(&self, escaped: &[u8], text: &[u8], options: Options) -> Option<usize> {
        match Shape::of(escaped, options, &mut Unescaped::new()) {
            Some(shape) => shape.longest_suffix(text),
            None => self.compiled(escaped, options).longest_suffix(text),
        }
    }
}

/// The place of a pattern: FNV-1a, folded, of which patterns that differ in one byte have different values.
fn place(escaped: &[u8]) -> usize {
    let hash = escaped.iter().fold(0x811c_9dc5_u32, |hash, &byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    (hash ^ hash >> 16) as usize % SLOTS
}
