//! Where something stands in the source that the caller gave: offsets, lines, spans.

use super::{Reader, clamp};
use crate::ast::Word;
use crate::span::Span;

/// Where something begins, in terms of the source that the caller gave.
#[derive(Clone, Copy)]
pub(crate) struct Start {
    pub(super) offset: u32,
    pub(super) line: u32,
    /// Counted from the end of the text that is being read, alias text included.
    pub(super) from_end: u32,
}

impl<const DIRECT: bool> Reader<'_, DIRECT> {
    /// The line of the byte at `pos`.
    #[inline]
    pub(crate) fn line_at(&mut self, pos: usize) -> u32 {
        if self.outside_aliases() && pos >= self.counted && pos <= self.line_end {
            return self.line;
        }
        self.count_lines(pos)
    }

    #[inline(never)]
    pub(super) fn count_lines(&mut self, pos: usize) -> u32 {
        if let Some(region) = self.regions.first()
            && pos < region.end
        {
            return region.span.line;
        }
        let (from, to, forward) = if pos >= self.counted {
            (self.line_end.max(self.counted).min(pos), pos, true)
        } else {
            (pos, self.counted, false)
        };
        let text = self.buffer();
        let lines = clamp(crate::bytes::newlines(&text[from..to]));
        let line_end = crate::bytes::find(b'\n', &text[pos..]).map_or(text.len(), |length| pos + length);
        self.line = if forward { self.line.saturating_add(lines) } else { self.line.saturating_sub(lines) };
        self.counted = pos;
        self.line_end = line_end;
        self.line
    }

    /// Continues to `pos`, over so many newlines, in the source as the caller gave it.
    #[inline]
    pub(crate) fn pass_lines(&mut self, pos: usize, newlines: u32) {
        let from = std::mem::replace(&mut self.pos, pos);
        if newlines > 0 && from >= self.counted && from <= self.line_end {
            self.line = self.line.saturating_add(newlines);
            self.counted = pos;
            let rest = self.unspliced.get(pos..).unwrap_or_default();
            self.line_end = crate::bytes::find(b'\n', rest).map_or(self.unspliced.len(), |length| pos + length);
        }
    }

    /// The line of the next byte.
    #[inline]
    pub(crate) fn current_line(&mut self) -> u32 {
        self.line_at(self.pos)
    }

    /// The place of `pos` in the source that the caller gave; alias text has the place of the alias word.
    pub(super) fn source_offset(&self, pos: usize, end: bool) -> usize {
        if let Some(base) = &self.base {
            return (base.start as usize + pos).min(base.end as usize);
        }
        if let Some(region) = self.regions.first()
            && (pos < region.end || (end && pos == region.end))
        {
            return if end { region.span.end as usize } else { region.span.start as usize };
        }
        match &self.spliced {
            None => pos,
            Some(spliced) => self.source.len().saturating_sub(spliced.len() - pos),
        }
    }

    /// Is the text that is read the caller's, so that a place in the one is the place in the other?
    #[inline]
    pub(crate) fn is_in_source(&self) -> bool {
        DIRECT || (self.base.is_none() && self.spliced.is_none())
    }

    /// Where the next byte is.
    #[inline]
    pub(crate) fn start(&mut self) -> Start {
        if self.is_in_source() {
            let from_end = clamp(self.source.len() - self.pos);
            let line = self.line_at(self.pos);
            return Start { offset: clamp(self.pos), line, from_end };
        }
        self.start_elsewhere()
    }

    #[cold]
    fn start_elsewhere(&mut self) -> Start {
        Start {
            offset: clamp(self.source_offset(self.pos, false)),
            line: self.line_at(self.pos),
            from_end: clamp(self.distance_from_end()),
        }
    }

    /// The text from `start` up to the place.
    pub(crate) fn text_from(&self, start: Start) -> &[u8] {
        let from = self.buffer().len().saturating_sub(start.from_end as usize);
        self.buffer().get(from..self.pos).unwrap_or_default()
    }

    /// From `start` to the last byte that was read.
    #[inline]
    pub(crate) fn span(&self, start: Start) -> Span {
        Span { start: start.offset, end: self.end_offset(), line: start.line }
    }

    /// Where what has been read ends in the source.
    #[inline]
    pub(crate) fn end_offset(&self) -> u32 {
        clamp(if self.is_in_source() { self.pos } else { self.source_offset(self.pos, true) })
    }

    /// A word as it stands in the source; in text that was taken out of it, where no place is exact, as it is printed.
    pub(crate) fn source_text(&self, word: &Word) -> Vec<u8> {
        if self.base.is_some() {
            return crate::print_word(word);
        }
        let end = (word.span.end as usize).min(self.source.len());
        self.source[(word.span.start as usize).min(end)..end].to_vec()
    }

    /// Where the next byte is in the source.
    pub(crate) fn source_position(&self) -> usize {
        self.source_offset(self.pos, true)
    }

    /// The place, counted from the end of the text: putting aliases in does not change it.
    pub(crate) fn distance_from_end(&self) -> usize {
        self.buffer().len() - self.pos
    }
}
