//! The list of a word's parts.

use std::fmt;
use std::ops::{Deref, DerefMut};

use super::WordPart;

/// The parts of a word: nearly always one, which needs no allocation.
///
/// As large as one part, because the list stands where a part's kind would: half of the tree of a script is words.
#[derive(Clone)]
pub struct WordParts(Repr);

#[derive(Clone)]
enum Repr {
    One(WordPart),
    Many(Vec<WordPart>),
}

impl WordParts {
    /// A list of one part.
    #[inline]
    pub fn one(part: WordPart) -> Self {
        Self(Repr::One(part))
    }

    /// The parts.
    #[inline]
    pub fn as_slice(&self) -> &[WordPart] {
        match &self.0 {
            Repr::One(part) => std::slice::from_ref(part),
            Repr::Many(parts) => parts,
        }
    }

    /// The parts as a vector, which is as large as it needs to be where they are one.
    pub fn into_vec(self) -> Vec<WordPart> {
        match self.0 {
            Repr::One(part) => vec![part],
            Repr::Many(parts) => parts,
        }
    }

    /// Appends a part.
    pub fn push(&mut self, part: WordPart) {
        match &mut self.0 {
            Repr::Many(parts) if parts.is_empty() => self.0 = Repr::One(part),
            Repr::Many(parts) => parts.push(part),
            Repr::One(_) => {
                // Most words of more than one part have three at most, and small blocks are the fast ones.
                let mut parts = Vec::with_capacity(3);
                parts.extend(std::mem::take(self));
                parts.push(part);
                self.0 = Repr::Many(parts);
            }
        }
    }
}

impl Default for WordParts {
    #[inline]
    fn default() -> Self {
        Self(Repr::Many(Vec::new()))
    }
}

impl Deref for WordParts {
    type Target = [WordPart];

    #[inline]
    fn deref(&self) -> &[WordPart] {
        self.as_slice()
    }
}

impl DerefMut for WordParts {
    fn deref_mut(&mut self) -> &mut [WordPart] {
        match &mut self.0 {
            Repr::One(part) => std::slice::from_mut(part),
            Repr::Many(parts) => parts,
        }
    }
}

impl PartialEq for WordParts {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl fmt::Debug for WordParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl From<Vec<WordPart>> for WordParts {
    fn from(mut parts: Vec<WordPart>) -> Self {
        if parts.len() == 1
            && let Some(part) = parts.pop()
        {
            return Self::one(part);
        }
        Self(Repr::Many(parts))
    }
}

impl FromIterator<WordPart> for WordParts {
    fn from_iter<I: IntoIterator<Item = WordPart>>(parts: I) -> Self {
        let mut list = Self::default();
        list.extend(parts);
        list
    }
}

impl Extend<WordPart> for WordParts {
    fn extend<I: IntoIterator<Item = WordPart>>(&mut self, parts: I) {
        parts.into_iter().for_each(|part| self.push(part));
    }
}

impl IntoIterator for WordParts {
    type Item = WordPart;
    type IntoIter = std::iter::Chain<std::option::IntoIter<WordPart>, std::vec::IntoIter<WordPart>>;

    fn into_iter(self) -> Self::IntoIter {
        let (one, many) = match self.0 {
            Repr::One(part) => (Some(part), Vec::new()),
            Repr::Many(parts) => (None, parts),
        };
        one.into_iter().chain(many)
    }
}

impl<'a> IntoIterator for &'a WordParts {
    type Item = &'a WordPart;
    type IntoIter = std::slice::Iter<'a, WordPart>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_no_larger_than_a_part() {
        assert_eq!(size_of::<WordParts>(), size_of::<WordPart>());
    }

    #[test]
    fn parts_stay_in_order_however_many_they_are() {
        let parts: Vec<WordPart> = (0..9).map(|n| WordPart::Quoted(n.to_string().into())).collect();
        for count in 0..parts.len() {
            let expected = &parts[..count];
            let pushed: WordParts = expected.iter().cloned().collect();
            assert_eq!(pushed.as_slice(), expected);
            assert_eq!(pushed, WordParts::from(expected.to_vec()));
            assert_eq!(pushed.clone().into_iter().collect::<Vec<_>>(), expected);
            assert_eq!(pushed.into_vec(), expected);
        }
    }
}
