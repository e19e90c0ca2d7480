//! The locations of programs that the shell remembers (XCU hash).

use std::cmp::Reverse;
use std::collections::HashMap;

use crate::vars::bash_hash;

/// What is remembered of a name.
#[derive(Debug, Clone)]
struct Location {
    /// Where the program is; `None`: as PATH has it, looked up when it is asked for.
    path: Option<Vec<u8>>,
    /// How often it was run.
    hits: u32,
    /// The path was said (`hash -p`, `BASH_CMDS`) and not found: it is what runs.
    is_given: bool,
    /// Counts the insertions: bash lists the latest of a bucket first.
    sequence: u64,
}

/// The names of programs that have been run, or that `hash` was told to remember.
///
/// The look-up itself is the executor's and never stale: only a path that was given takes its place.
#[derive(Debug, Clone, Default)]
pub(crate) struct CommandHash {
    locations: HashMap<Vec<u8>, Location>,
    sequence: u64,
    given: usize,
}

/// Name, path where it is known, and number of runs.
pub(crate) type Listed<'a> = (&'a [u8], Option<&'a [u8]>, u32);

/// Buckets of bash's own table, whose order the list has.
const BUCKETS: u32 = 256;

/// About how many bytes a name takes beside its text and its path.
pub(crate) const LOCATION: usize = 96;

impl CommandHash {
    /// About how many bytes it takes.
    pub(crate) fn bytes(&self) -> usize {
        let path = |location: &Location| location.path.as_ref().map_or(0, Vec::len);
        self.locations.iter().map(|(name, location)| name.len() + path(location) + LOCATION).sum()
    }

    /// Counts a run.
    #[inline]
    pub(crate) fn hit(&mut self, name: &[u8]) {
        match self.locations.get_mut(name) {
            Some(location) => location.hits = location.hits.saturating_add(1),
            None => self.insert(name, None, 1, false),
        }
    }

    /// Remembers a name; a `path` that is given is what runs from now on.
    pub(crate) fn remember(&mut self, name: &[u8], path: Option<Vec<u8>>) {
        let is_given = path.is_some();
        self.forget(name);
        self.insert(name, path, 0, is_given);
    }

    fn insert(&mut self, name: &[u8], path: Option<Vec<u8>>, hits: u32, is_given: bool) {
        self.sequence += 1;
        self.given += usize::from(is_given);
        let sequence = self.sequence;
        self.locations.insert(name.to_vec(), Location { path, hits, is_given, sequence });
    }

    /// Forgets a name; false where it was not known.
    pub(crate) fn forget(&mut self, name: &[u8]) -> bool {
        let old = self.locations.remove(name);
        self.given -= usize::from(old.as_ref().is_some_and(|location| location.is_given));
        old.is_some()
    }

    pub(crate) fn clear(&mut self) {
        self.locations.clear();
        self.given = 0;
    }

    /// Was anything ever remembered?
    pub(crate) fn is_used(&self) -> bool {
        self.sequence > 0
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.locations.is_empty()
    }

    pub(crate) fn knows(&self, name: &[u8]) -> bool {
        self.locations.contains_key(name)
    }

    /// The path that was given for a name.
    #[inline]
    pub(crate) fn given(&self, name: &[u8]) -> Option<&[u8]> {
        if self.given == 0 {
            return None;
        }
        self.locations.get(name).filter(|location| location.is_given)?.path.as_deref()
    }

    /// Names, paths where they are known, and numbers of runs, in bash's order.
    pub(crate) fn listed(&self) -> Vec<Listed<'_>> {
        let mut all: Vec<(&Vec<u8>, &Location)> = self.locations.iter().collect();
        all.sort_by_key(|(name, location)| (bash_hash(name) & (BUCKETS - 1), Reverse(location.sequence)));
        all.into_iter().map(|(name, location)| (name.as_slice(), location.path.as_deref(), location.hits)).collect()
    }
}
