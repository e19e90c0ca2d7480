//! Values of variables.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use smallvec::SmallVec;

/// What an element takes beside its text: its vector, its place in the table, what the allocator adds.
pub(crate) const ELEMENT: usize = 48;

/// The value of a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    /// Declared, but without a value.
    Unset,
    /// A string.
    Scalar(Vec<u8>),
    /// bash: an indexed array.
    Indexed(Box<IndexedArray>),
    /// bash: an associative array.
    Associative(Box<AssociativeArray>),
}

impl Value {
    /// The value that `$name` without a subscript gives: of an array the element 0.
    #[inline]
    pub(crate) fn scalar(&self) -> Option<&[u8]> {
        match self {
            Self::Scalar(text) => Some(text),
            Self::Unset => None,
            Self::Indexed(array) => array.get(0),
            Self::Associative(array) => array.get(b"0"),
        }
    }

    /// About how many bytes of memory it takes.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Unset => 0,
            Self::Scalar(text) => text.capacity(),
            Self::Indexed(array) => {
                let apart: usize = array.sparse.values().map(|text| text.capacity() + ELEMENT).sum();
                array.dense.iter().map(|text| text.capacity() + ELEMENT).sum::<usize>() + apart
            }
            Self::Associative(array) => {
                array.map.iter().map(|(key, text)| key.len() + text.capacity() + 2 * ELEMENT).sum()
            }
        }
    }

    pub(crate) fn is_array(&self) -> bool {
        matches!(self, Self::Indexed(_) | Self::Associative(_))
    }

    /// How many elements it has.
    pub(crate) fn elements(&self) -> usize {
        match self {
            Self::Unset => 0,
            Self::Scalar(_) => 1,
            Self::Indexed(array) => array.len(),
            Self::Associative(array) => array.len(),
        }
    }
}

/// A sparse array of strings with non-negative indices. Elements that follow each other from 0 on stand in a vector, so
/// that appending and reading by index cost the same however long the array is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct IndexedArray {
    /// Elements 0, 1, 2 …
    dense: Vec<Vec<u8>>,
    /// The others; every key is greater than `dense.len()`.
    sparse: BTreeMap<u64, Vec<u8>>,
}

impl IndexedArray {
    pub(crate) fn len(&self) -> usize {
        self.dense.len() + self.sparse.len()
    }

    pub(crate) fn get(&self, index: u64) -> Option<&[u8]> {
        match usize::try_from(index).ok().and_then(|i| self.dense.get(i)) {
            Some(text) => Some(text),
            None => self.sparse.get(&index).map(Vec::as_slice),
        }
    }

    /// The element for appending to, made empty if it is not there.
    pub(crate) fn entry(&mut self, index: u64) -> &mut Vec<u8> {
        let dense = self.dense.len() as u64;
        if index < dense {
            return &mut self.dense[index as usize];
        }
        if index == dense {
            self.dense.push(Vec::new());
            // Elements that stood apart may follow directly now.
            while let Some(text) = self.sparse.remove(&(self.dense.len() as u64)) {
                self.dense.push(text);
            }
            return &mut self.dense[index as usize];
        }
        self.sparse.entry(index).or_default()
    }

    pub(crate) fn set(&mut self, index: u64, value: Vec<u8>) {
        *self.entry(index) = value;
    }

    /// One more than the highest index.
    pub(crate) fn next_index(&self) -> u64 {
        match self.sparse.last_key_value() {
            Some((last, _)) => last.saturating_add(1),
            None => self.dense.len() as u64,
        }
    }

    pub(crate) fn remove(&mut self, index: u64) {
        let dense = self.dense.len() as u64;
        if index >= dense {
            self.sparse.remove(&index);
        } else {
            for (at, text) in (index + 1..).zip(self.dense.drain(index as usize..).skip(1).collect::<Vec<_>>()) {
                self.sparse.insert(at, text);
            }
        }
    }

    /// Indices and elements in ascending order.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = (u64, &[u8])> {
        let dense = self.dense.iter().enumerate().map(|(i, text)| (i as u64, text.as_slice()));
        dense.chain(self.sparse.iter().map(|(&i, text)| (i, text.as_slice())))
    }
}

impl FromIterator<Vec<u8>> for IndexedArray {
    fn from_iter<I: IntoIterator<Item = Vec<u8>>>(iter: I) -> Self {
        Self { dense: iter.into_iter().collect(), sparse: BTreeMap::new() }
    }
}

/// Buckets of bash's table of an associative array.
const BUCKETS: u32 = 1024;

/// An associative array. It is listed in bash's order: by the bucket of bash's own hash table, the latest key of a
/// bucket first, so that scripts (and tests) which print one see the same order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct AssociativeArray {
    map: IndexMap<Key, Vec<u8>>,
}

/// Short keys stand in the table itself: a look-up in a large array goes to few places in memory.
type Key = SmallVec<[u8; 16]>;

impl AssociativeArray {
    pub(crate) fn len(&self) -> usize {
        self.map.len()
    }

    pub(crate) fn get(&self, key: &[u8]) -> Option<&[u8]> {
        self.map.get(key).map(Vec::as_slice)
    }

    pub(crate) fn entry(&mut self, key: &[u8]) -> &mut Vec<u8> {
        self.map.entry(Key::from_slice(key)).or_default()
    }

    pub(crate) fn set(&mut self, key: &[u8], value: Vec<u8>) {
        *self.entry(key) = value;
    }

    pub(crate) fn remove(&mut self, key: &[u8]) {
        self.map.shift_remove(key);
    }

    /// Keys and elements in bash's order.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = (&[u8], &[u8])> {
        let mut items: Vec<(u32, usize)> =
            self.map.keys().enumerate().map(|(at, key)| (bash_hash(key) & (BUCKETS - 1), usize::MAX - at)).collect();
        items.sort_unstable();
        items.into_iter().filter_map(|(_, at)| {
            let (key, value) = self.map.get_index(usize::MAX - at)?;
            Some((key.as_slice(), value.as_slice()))
        })
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
    use super::IndexedArray;

    #[test]
    fn holes_open_and_close() {
        let mut array: IndexedArray = [b"a".to_vec(), b"b".to_vec(), b"c".to_vec()].into_iter().collect();
        array.remove(1);
        assert_eq!(array.iter().collect::<Vec<_>>(), [(0, &b"a"[..]), (2, b"c")]);
        assert_eq!(array.next_index(), 3);
        array.set(9, b"z".to_vec());
        array.set(1, b"B".to_vec());
        assert_eq!(array.iter().map(|(i, _)| i).collect::<Vec<_>>(), [0, 1, 2, 9]);
        array.set(array.next_index(), b"end".to_vec());
        assert_eq!(array.get(10), Some(&b"end"[..]));
        assert_eq!(array.len(), 5);
    }
}
