//! Values of variables.

use std::collections::BTreeMap;

use super::AssociativeArray;

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
            Self::Associative(array) => array.bytes(),
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

    /// The elements at an index and after it.
    pub(crate) fn from(&self, index: u64) -> impl Iterator<Item = &[u8]> {
        let dense = usize::try_from(index).ok().and_then(|index| self.dense.get(index..)).unwrap_or_default();
        dense.iter().chain(self.sparse.range(index..).map(|(_, text)| text)).map(Vec::as_slice)
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
        let from = |index| array.from(index).map(<[u8]>::to_vec).collect::<Vec<_>>().join(&b' ');
        assert_eq!([0, 2, 3, 10, 11].map(from), [&b"a B c z end"[..], b"c z end", b"z end", b"end", b""]);
        assert_eq!(array.len(), 5);
    }
}
