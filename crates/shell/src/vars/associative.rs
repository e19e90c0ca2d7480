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
    /// Where they are. The hashes stand here, so that the table grows, and keys that are not there are missed, without a look
    /// at entries: those of a large array are in memory that no cache holds.
    index: HashTable<Place>,
    hasher: DefaultHashBuilder,
}

/// Short text stands in the entry itself.
type Text = SmallVec<[u8; 16]>;

#[derive(Clone)]
struct Entry {
    key: Text,
    value: Text,
}

/// Where a key's entry is.
#[derive(Clone, Copy)]
struct Place {
    hash: u32,
    at: u32,
}

impl Place {
    /// The hash for the table, which looks at its highest and its lowest bits.
    #[inline]
    fn hash(&self) -> u64 {
        wide(self.hash)
    }
}

#[inline]
fn wide(hash: u32) -> u64 {
    u64::from(hash) << 32 | u64::from(hash)
}

/// What an assignment to an element has come to.
pub(crate) struct Assigned {
    /// The length of its value.
    pub(crate) len: usize,
    /// How many more bytes the array takes.
    pub(crate) more: usize,
}

impl AssociativeArray {
    pub(crate) fn len(&self) -> usize {
        self.index.len()
    }

    #[inline]
    fn hash(&self, key: &[u8]) -> u32 {
        self.hasher.hash_one(key) as u32
    }

    fn place(&self, key: &[u8], hash: u32) -> Option<usize> {
        let is_key = |place: &Place| {
            place.hash == hash && matches!(self.entries.get(place.at as usize), Some(Some(entry)) if *entry.key == *key)
        };
        self.index.find(wide(hash), is_key).map(|place| place.at as usize)
    }

    pub(crate) fn get(&self, key: &[u8]) -> Option<&[u8]> {
        let at = self.place(key, self.hash(key))?;
        Some(&self.entries.get(at)?.as_ref()?.value)
    }

    /// Gives an element a value, or appends it to what it has.
    pub(crate) fn assign(&mut self, key: &[u8], value: &[u8], append: bool) -> Assigned {
        let hash = self.hash(key);
        if let Some(at) = self.place(key, hash)
            && let Some(Some(Entry { value: text, .. })) = self.entries.get_mut(at)
        {
            let before = heap(text);
            if !append {
                text.clear();
            }
            text.extend_from_slice(value);
            return Assigned { len: text.len(), more: heap(text) - before };
        }
        let value = Text::from_slice(value);
        let assigned = Assigned { len: value.len(), more: key.len() + heap(&value) + 2 * ELEMENT };
        self.insert(key, hash, value);
        assigned
    }

    fn insert(&mut self, key: &[u8], hash: u32, value: Text) {
        if self.entries.len() >= u32::MAX as usize {
            self.compact();
        }
        let at = self.entries.len() as u32;
        self.entries.push(Some(Entry { key: Text::from_slice(key), value }));
        self.index.insert_unique(wide(hash), Place { hash, at }, Place::hash);
    }

    /// Drops what was removed.
    fn compact(&mut self) {
        self.entries.retain(Option::is_some);
        self.index = HashTable::with_capacity(self.entries.len() + 4);
        for (at, entry) in (0u32..).zip(&self.entries) {
            if let Some(entry) = entry {
                let hash = self.hash(&entry.key);
                self.index.insert_unique(wide(hash), Place { hash, at }, Place::hash);
            }
        }
    }

    pub(crate) fn set(&mut self, key: &[u8], value: Vec<u8>) {
        self.assign(key, &value, false);
    }

    pub(crate) fn remove(&mut self, key: &[u8]) {
        let hash = self.hash(key);
        let Some(at) = self.place(key, hash) else { return };
        if let Ok(found) = self.index.find_entry(wide(hash), |place| place.at as usize == at) {
            found.remove();
        }
        self.entries[at] = None;
        // What was removed may not outnumber what is there.
        if self.entries.len() > 2 * self.index.len() + 16 {
            self.compact();
        }
    }

    /// About how many bytes of memory it takes.
    pub(super) fn bytes(&self) -> usize {
        let entries = self.entries.iter().flatten();
        entries.map(|entry| entry.key.len() + heap(&entry.value) + 2 * ELEMENT).sum()
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

/// What a text takes beside the entry.
fn heap(text: &Text) -> usize {
    if text.spilled() { text.capacity() } else { 0 }
}

impl PartialEq for AssociativeArray {
    /// The same keys, with the same elements.
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len()
            && self.entries.iter().flatten().all(|entry| other.get(&entry.key) == Some(&*entry.value))
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
        fn it_is_a_map(changes in proptest::collection::vec((0u8..60, proptest::option::of((0u8..9, proptest::bool::ANY))), 0..400)) {
            let mut array = AssociativeArray::default();
            let mut map: BTreeMap<Vec<u8>, Vec<u8>> = BTreeMap::new();
            for (key, value) in changes {
                let key = vec![b'k'; usize::from(key)];
                match value {
                    Some((value, append)) => {
                        let text = vec![value; 4 * usize::from(value)];
                        let assigned = array.assign(&key, &text, append);
                        let element = map.entry(key).or_default();
                        if !append {
                            element.clear();
                        }
                        element.extend_from_slice(&text);
                        prop_assert_eq!(assigned.len, element.len());
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
