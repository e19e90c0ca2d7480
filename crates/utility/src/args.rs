//! A list of byte strings in one buffer.

use std::ops::Index;

/// The words of a command: byte strings stored side by side in one buffer, so that a command of any number of words
/// costs no allocation once the buffers have grown (the interpreter keeps them from command to command).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Args {
    bytes: Vec<u8>,
    /// End of each string in `bytes`.
    ends: Vec<usize>,
}

impl Args {
    /// An empty list.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of strings.
    #[inline]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Is there no string?
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The number of bytes in all strings.
    pub fn byte_len(&self) -> usize {
        self.bytes.len()
    }

    /// About how many bytes of memory the list takes.
    #[inline]
    pub fn memory(&self) -> usize {
        self.bytes.len() + self.ends.len() * size_of::<usize>()
    }

    /// The string at `index`.
    #[inline]
    pub fn get(&self, index: usize) -> Option<&[u8]> {
        let end = *self.ends.get(index)?;
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        self.bytes.get(start..end)
    }

    /// Appends one string.
    #[inline]
    pub fn push(&mut self, text: &[u8]) {
        self.bytes.extend_from_slice(text);
        self.ends.push(self.bytes.len());
    }

    /// The bytes after the last finished string: append to them and call [`Args::finish`] to make a string of them.
    #[inline]
    pub fn open(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    /// The bytes appended by [`Args::open`] so far.
    #[inline]
    pub fn opened(&self) -> &[u8] {
        &self.bytes[self.ends.last().copied().unwrap_or(0)..]
    }

    /// Ends the string that was opened.
    #[inline]
    pub fn finish(&mut self) {
        self.ends.push(self.bytes.len());
    }

    /// Drops the bytes appended by [`Args::open`] since the last finished string.
    #[inline]
    pub(crate) fn discard_opened(&mut self) {
        self.bytes.truncate(self.ends.last().copied().unwrap_or(0));
    }

    /// Keeps the first `len` strings.
    pub fn truncate(&mut self, len: usize) {
        self.ends.truncate(len);
        self.discard_opened();
    }

    /// Empties the list and keeps its buffers.
    #[inline]
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    /// Removes the first `count` strings.
    pub fn remove_front(&mut self, count: usize) {
        let count = count.min(self.ends.len());
        if count == 0 {
            return;
        }
        let cut = self.ends[count - 1];
        self.bytes.drain(..cut);
        self.ends.drain(..count);
        for end in &mut self.ends {
            *end -= cut;
        }
    }

    /// The strings in order.
    #[inline]
    pub fn iter(&self) -> Iter<'_> {
        self.iter_from(0)
    }

    /// The strings from `index` on.
    #[inline]
    pub fn iter_from(&self, index: usize) -> Iter<'_> {
        Iter { args: self, next: index }
    }

    /// The strings from `index` on as a vector of slices.
    pub fn slices_from(&self, index: usize) -> Vec<&[u8]> {
        self.iter_from(index).collect()
    }
}

impl Index<usize> for Args {
    type Output = [u8];

    /// The string at `index`; empty past the end.
    #[inline]
    fn index(&self, index: usize) -> &[u8] {
        self.get(index).unwrap_or_default()
    }
}

impl<T: AsRef<[u8]>> FromIterator<T> for Args {
    fn from_iter<I: IntoIterator<Item = T>>(iter: I) -> Self {
        let mut args = Self::new();
        for text in iter {
            args.push(text.as_ref());
        }
        args
    }
}

impl<'a> IntoIterator for &'a Args {
    type Item = &'a [u8];
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}

/// Iterator over the strings of [`Args`].
#[derive(Debug, Clone)]
pub struct Iter<'a> {
    args: &'a Args,
    next: usize,
}

impl<'a> Iterator for Iter<'a> {
    type Item = &'a [u8];

    #[inline]
    fn next(&mut self) -> Option<&'a [u8]> {
        let item = self.args.get(self.next)?;
        self.next += 1;
        Some(item)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.args.len().saturating_sub(self.next);
        (left, Some(left))
    }
}

impl ExactSizeIterator for Iter<'_> {}

#[cfg(test)]
mod tests {
    use super::Args;

    #[test]
    fn strings_keep_their_order_and_may_be_empty() {
        let mut args: Args = ["a", "", "ccc"].iter().collect();
        args.open().extend_from_slice(b"dd");
        args.finish();
        assert_eq!(args.iter().collect::<Vec<_>>(), [&b"a"[..], b"", b"ccc", b"dd"]);
        args.remove_front(2);
        assert_eq!(args.iter().collect::<Vec<_>>(), [&b"ccc"[..], b"dd"]);
        args.open().extend_from_slice(b"lost");
        args.discard_opened();
        args.truncate(1);
        assert_eq!(args.iter().collect::<Vec<_>>(), [&b"ccc"[..]]);
        assert_eq!(&args[7], b"");
    }
}
