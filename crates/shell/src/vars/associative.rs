//! Associative arrays.

use std::fmt;
use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};
use smallvec::SmallVec;

use super::value::ELEMENT;

/// Buckets of bash's table of an associative array.
const BUCKETS: u32 = 1024;

/// An associative array. It is listed in bash's order: by the bucket of bash's own hash table, the latest key of a
/// bucket first, so that scripts (and tests) which print one see the same order.
#[derive(Clone, Default)]
pub(crate) struct AssociativeArray {
    /// In the order in which the keys came; `None` is one that was removed.
    entries: Vec<Option<Entry>>,
    /// Places in `entries`. It is small, and made anew from the entries in their order when it grows: a large array would
    /// be slow by the many places in memory that it goes to.
    index: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

/// Short keys stand in the entry itself.
type Key = SmallVec<[u8; 16]>;

#[derive(Clone)]
struct Entry {
    hash: u64,
    key: Key,
    value: Vec<u8>,
}

impl AssociativeArray {
    pub(crate) fn len(&self) -> usize {
        self.index.len()
    }

    fn place(&self, key: &[u8], hash: u64) -> Option<usize> {
        let is_key = |&at: &u32| match self.entries.get(at as usize) {
            Some(Some(entry)) => *entry.key == *key,
            _ => false,
        };
        self.index.find(hash, is_key).map(|&at| at as usize)
    }

    pub(crate) fn get(&self, key: &[u8]) -> Option<&[u8]> {
        let at = self.place(key, self.hasher.hash_one(key))?;
        Some(&self.entries.get(at)?.as_ref()?.value)
    }

    pub(crate) fn entry(&mut self, key: &[u8]) -> &mut Vec<u8> {
        let hash = self.hasher.hash_one(key);
        let at = match self.place(key, hash) {
            Some(at) => at,
            None => self.insert(key, hash),
        };
        let entry = || Entry { hash, key: Key::from_slice(key), value: Vec::new() };
        &mut self.entries[at].get_or_insert_with(entry).value
    }

    /// The place of a new element.
    fn insert(&mut self, key: &[u8], hash: u64) -> usize {
        if self.index.len() == self.index.capacity() || self.entries.len() >= u32::MAX as usize {
            self.entries.retain(Option::is_some);
            self.make_index(2 * self.entries.len() + 4);
        }
        let at = self.entries.len();
        self.entries.push(Some(Entry { hash, key: Key::from_slice(key), value: Vec::new() }));
        let entries = &self.entries;
        self.index.insert_unique(hash, at as u32, |&at| hash_at(entries, at));
        at
    }

    /// Makes the index anew, with place for so many elements.
    fn make_index(&mut self, capacity: usize) {
        self.index = HashTable::with_capacity(capacity);
        let entries = &self.entries;
        for (at, entry) in (0u32..).zip(entries) {
            if let Some(entry) = entry {
                self.index.insert_unique(entry.hash, at, |&at| hash_at(entries, at));
            }
        }
    }

    pub(crate) fn set(&mut self, key: &[u8], value: Vec<u8>) {
        *self.entry(key) = value;
    }

    pub(crate) fn remove(&mut self, key: &[u8]) {
        let hash = self.hasher.hash_one(key);
        let Some(at) = self.place(key, hash) else { return };
        if let Ok(found) = self.index.find_entry(hash, |&other| other as usize == at) {
            found.remove();
        }
        self.entries[at] = None;
        // What was removed may not outnumber what is there.
        if self.entries.len() > 2 * self.index.len() + 16 {
            self.entries.retain(Option::is_some);
            self.make_index(self.entries.len() + 4);
        }
    }

    /// About how many bytes of memory it takes.
    pub(super) fn bytes(&self) -> usize {
        let entries = self.entries.iter().flatten();
        entries.map(|entry| entry.key.len() + entry.value.capacity() + 2 * ELEMENT).sum()
    }

    /// Keys and elements in bash's order.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = (&[u8], &[u8])> {
        let entries = self.entries.iter().enumerate();
        let mut items: Vec<(u32, usize)> = entries
            .filter_map(|(at, entry)| Some((bash_hash(&entry.as_ref()?.key) & (BUCKETS - 1), usize::MAX - at)))
            .collect();
        items.sort_unstable();
        items.into_iter().filter_map(|(_, at)| {
            let entry = self.entries.get(usize::MAX - at)?.as_ref()?;
            Some((&*entry.key, &*entry.value))
        })
    }
}

fn hash_at(entries: &[Option<Entry>], at: u32) -> u64 {
    entries.get(at as usize).and_then(Option::as_ref).map_or(0, |entry| entry.hash)
}

impl PartialEq for AssociativeArray {
    /// The same keys, with the same elements.
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len()
            && self.entries.iter().flatten().all(|entry| other.get(&entry.key) == Some(entry.value.as_slice()))
    }
}

impl Eq for AssociativeArray {}

impl fmt::Debug for AssociativeArray {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

/// bash's hash of a key (`hash_string` in hashlib.c: FNV-1 on 32 bits), whose low bits say which bucket it has.
pub(crate) fn bash_hash(key: &[u8]) -> u32 {
    let mut hash: u32 = 2_166_136_261;
    for &byte in key {
        hash = hash.wrapping_mul(16_777_619);
        hash ^= u32::from(byte);
    }
    hash
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::AssociativeArray;

    #[test]
    fn keys_are_listed_in_the_order_of_bash() {
        let mut array = AssociativeArray::default();
        for key in ["b", "a", "c"] {
            array.set(key.as_bytes(), key.to_uppercase().into_bytes());
        }
        let list = |array: &AssociativeArray| -> Vec<String> {
            array.iter().map(|(key, value)| String::from_utf8([key, value].concat()).unwrap()).collect()
        };
        assert_eq!(list(&array), ["cC", "bB", "aA"]);
        array.remove(b"b");
        array.set(b"b", b"x".to_vec());
        assert_eq!(list(&array), ["cC", "bx", "aA"]);
        assert_eq!(array, array.clone());
    }

    proptest! {
        #[test]
        fn it_is_a_map(changes in proptest::collection::vec((0u8..60, proptest::option::of(0u8..9)), 0..400)) {
            let mut array = AssociativeArray::default();
            let mut map: BTreeMap<Vec<u8>, Vec<u8>> = BTreeMap::new();
            for (key, value) in changes {
                let key = vec![b'k'; usize::from(key)];
                match value {
                    Some(value) => {
                        array.set(&key, vec![value]);
                        map.insert(key, vec![value]);
                    }
                    None => {
                        array.remove(&key);
                        map.remove(&key);
                    }
                }
                prop_assert_eq!(array.len(), map.len());
            }
            let listed: BTreeMap<Vec<u8>, Vec<u8>> =
                array.iter().map(|(key, value)| (key.to_vec(), value.to_vec())).collect();
            prop_assert_eq!(&listed, &map);
            for key in 0..60 {
                let key = vec![b'k'; key];
                prop_assert_eq!(array.get(&key), map.get(&key).map(Vec::as_slice));
            }
        }
    }
}
