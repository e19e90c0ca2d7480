//! The next bytes, line continuations and blanks.

use super::Reader;

impl<const DIRECT: bool> Reader<'_, DIRECT> {
    #[inline]
    pub(crate) fn peek(&self) -> Option<u8> {
        self.text().get(self.pos).copied()
    }

    /// The byte `ahead` bytes after the next one.
    #[inline]
    pub(crate) fn peek_at(&self, ahead: usize) -> Option<u8> {
        self.text().get(self.pos + ahead).copied()
    }

    #[inline]
    pub(crate) fn at_end(&self) -> bool {
        self.pos >= self.limit
    }

    /// Is a line continuation (XCU 2.2.1) at `pos`?
    #[inline]
    pub(crate) fn is_continuation(&self, pos: usize) -> bool {
        let text = self.text();
        text.get(pos) == Some(&b'\\') && text.get(pos + 1) == Some(&b'\n')
    }

    /// The byte at `pos` or after the line continuations there, and the place just past it.
    #[inline]
    pub(crate) fn byte_from(&self, mut pos: usize) -> Option<(u8, usize)> {
        let text = self.text();
        loop {
            let byte = *text.get(pos)?;
            if byte != b'\\' || text.get(pos + 1) != Some(&b'\n') {
                return Some((byte, pos + 1));
            }
            pos += 2;
        }
    }

    /// Skips line continuations.
    #[inline]
    pub(crate) fn continuations(&mut self) {
        while self.is_continuation(self.pos) {
            self.pos += 2;
        }
    }

    /// Skips blanks, line continuations and a comment: to the next token.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn blanks(&mut self) {
        if self.outside_aliases() {
            // One blank between words is what there mostly is.
            let blank = usize::from(self.peek() == Some(b' '));
            if !matches!(self.peek_at(blank), Some(b' ' | b'\t' | b'\\' | b'#')) {
                self.pos += blank;
                return;
            }
        }
        self.skip_blanks();
    }

    #[inline(never)]
    fn skip_blanks(&mut self) {
        let text = self.text();
        let mut pos = self.pos;
        loop {
            match text.get(pos) {
                Some(b' ' | b'\t') => pos += 1,
                Some(b'\\') if text.get(pos + 1) == Some(&b'\n') => pos += 2,
                Some(b'#') => {
                    pos = crate::bytes::find(b'\n', &text[pos..]).map_or(text.len(), |i| pos + i);
                    break;
                }
                _ => break,
            }
        }
        self.pos = pos;
        if !self.outside_aliases() {
            self.leave_regions();
        }
    }

    /// Everything before the next byte.
    pub(crate) fn text_before(&self) -> &[u8] {
        self.buffer().get(..self.pos).unwrap_or_default()
    }
}
