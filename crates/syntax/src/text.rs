//! Literal text of the tree.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{Deref, Range};
use std::sync::Arc;

use bstr::{BStr, BString};

/// As much text as fits without an allocation: most words, and nearly all names.
const SHORT: usize = 22;

/// Bytes that do not change. Short ones stand in the value itself; longer ones are shared by its clones.
#[derive(Clone)]
pub struct Text(Repr);

#[derive(Clone)]
enum Repr {
    Short { length: u8, bytes: [u8; SHORT] },
    Long(Arc<[u8]>),
}

impl Text {
    /// These bytes.
    #[inline]
    pub fn new(text: &[u8]) -> Self {
        if text.len() > SHORT {
            return Self(Repr::Long(text.into()));
        }
        let mut bytes = [0; SHORT];
        bytes[..text.len()].copy_from_slice(text);
        Self(Repr::Short { length: text.len() as u8, bytes })
    }

    /// The bytes in a range of a text; an empty one where that goes beyond it.
    #[inline]
    pub(crate) fn part_of(text: &[u8], range: Range<usize>) -> Self {
        // To copy as much as fits is faster than to copy what is asked for.
        if let Some(bytes) = text.get(range.start..).and_then(|rest| rest.first_chunk::<SHORT>())
            && range.len() <= SHORT
        {
            return Self(Repr::Short { length: range.len() as u8, bytes: *bytes });
        }
        Self::new(text.get(range).unwrap_or_default())
    }

    /// The bytes.
    #[inline]
    pub fn as_slice(&self) -> &[u8] {
        match &self.0 {
            // The length is never more than there is; without the `get` a broken one would be a panic.
            Repr::Short { length, bytes } => bytes.get(..usize::from(*length)).unwrap_or_default(),
            Repr::Long(text) => text,
        }
    }
}

impl Default for Text {
    fn default() -> Self {
        Self(Repr::Short { length: 0, bytes: [0; SHORT] })
    }
}

impl Deref for Text {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        self.as_slice()
    }
}

impl AsRef<[u8]> for Text {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl PartialEq for Text {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Text {}

impl PartialEq<str> for Text {
    fn eq(&self, other: &str) -> bool {
        **self == *other.as_bytes()
    }
}

impl PartialEq<&str> for Text {
    fn eq(&self, other: &&str) -> bool {
        **self == *other.as_bytes()
    }
}

impl PartialEq<[u8]> for Text {
    fn eq(&self, other: &[u8]) -> bool {
        **self == *other
    }
}

impl<const N: usize> PartialEq<[u8; N]> for Text {
    fn eq(&self, other: &[u8; N]) -> bool {
        **self == *other
    }
}

impl Hash for Text {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(BStr::new(self.as_slice()), f)
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(BStr::new(self.as_slice()), f)
    }
}

impl From<&[u8]> for Text {
    fn from(text: &[u8]) -> Self {
        Self::new(text)
    }
}

impl<const N: usize> From<&[u8; N]> for Text {
    fn from(text: &[u8; N]) -> Self {
        Self::new(text)
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self::new(text.as_bytes())
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self::new(text.as_bytes())
    }
}

impl From<Vec<u8>> for Text {
    fn from(text: Vec<u8>) -> Self {
        Self::new(&text)
    }
}

impl From<BString> for Text {
    fn from(text: BString) -> Self {
        Self::new(&text)
    }
}

impl From<Text> for BString {
    fn from(text: Text) -> Self {
        text.as_slice().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_and_long_texts_are_the_bytes_that_they_were_made_of() {
        for length in [0, 1, 21, 22, 23, 24, 300] {
            let bytes: Vec<u8> = (0..length).map(|i| i as u8).collect();
            let text = Text::new(&bytes);
            assert_eq!(text.as_slice(), bytes);
            assert_eq!(text, Text::part_of(&bytes, 0..length));
            assert_eq!(text, Text::part_of(&[&bytes[..], &[b'x'; 30]].concat(), 0..length));
            assert_eq!(text, text.clone());
            assert_ne!(text, Text::from("another"));
            assert_eq!(BString::from(text), bytes);
        }
    }

    #[test]
    fn a_text_is_no_larger_than_a_vector() {
        assert_eq!(size_of::<Text>(), size_of::<Vec<u8>>());
    }
}
