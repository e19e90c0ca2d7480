//! The groups of a match.

use crate::groups::Scratch;
use crate::subject::Span;

/// The spans of a match and its groups. Keep it between searches: its memory is used again.
#[derive(Debug, Clone, Default)]
pub struct Captures {
    pub(crate) groups: Vec<Option<Span>>,
    pub(crate) scratch: Scratch,
}

impl Captures {
    /// Without groups.
    pub fn new() -> Self {
        Self::default()
    }

    /// The span of a group; 0 is the whole match. `None`: it took no part, or there is no such group.
    pub fn get(&self, group: usize) -> Option<Span> {
        self.groups.get(group).copied().flatten()
    }

    /// The number of groups, with the whole match.
    pub fn len(&self) -> usize {
        self.groups.len()
    }

    /// Was nothing found?
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// The spans in order.
    pub fn iter(&self) -> impl Iterator<Item = Option<Span>> + '_ {
        self.groups.iter().copied()
    }
}
