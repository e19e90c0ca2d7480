//! Places in the source.

/// A range of bytes in a source text, with the line it starts on.
///
/// Two spans always compare equal: places take no part in the equality of syntax trees, so that a printed and
/// re-parsed program equals the original.
#[derive(Debug, Clone, Copy, Default)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset just past the last byte.
    pub end: u32,
    /// Line of the first byte, counted from 1.
    pub line: u32,
}

impl PartialEq for Span {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Span {}

/// A line and a column, both counted from 1; the column counts characters (Unicode scalar values; an invalid byte
/// counts as one).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

impl Position {
    /// The position of the byte at `offset` in `source` (past the end: the end).
    pub fn at(source: &[u8], offset: usize) -> Self {
        let before = &source[..offset.min(source.len())];
        let line_start = memchr::memrchr(b'\n', before).map_or(0, |i| i + 1);
        let line = crate::bytes::newlines(before) + 1;
        let column = bstr::ByteSlice::chars(&before[line_start..]).count() + 1;
        Self { line: u32::try_from(line).unwrap_or(u32::MAX), column: u32::try_from(column).unwrap_or(u32::MAX) }
    }
}

impl std::fmt::Display for Position {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}
