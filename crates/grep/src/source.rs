//! What patterns are compiled from, and why they are not.

/// The kind of patterns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Basic,
    Extended,
    Fixed,
    Perl,
}

/// What the patterns are compiled from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Source {
    pub(crate) kind: Kind,
    pub(crate) ignore_case: bool,
    pub(crate) words: bool,
    pub(crate) lines: bool,
    /// Where in a line the match is will be asked.
    pub(crate) parts: bool,
    pub(crate) bytes: bool,
    pub(crate) end: u8,
    /// The patterns, each with a newline but the last.
    pub(crate) patterns: Vec<u8>,
}

/// Why patterns are not compiled.
#[derive(Debug)]
pub(crate) enum Wrong {
    /// The program says so: a text for the user.
    Message(String),
    /// The real one may take it.
    Unsupported(String),
}
