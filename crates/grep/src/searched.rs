//! A line that is searched more than once.

use std::cell::OnceCell;

use hookshell_regex::Subject;

/// A line, and what has been found out about it, so that each match of a long line does not ask anew.
pub(crate) struct Searched<'a> {
    pub(super) text: &'a [u8],
    /// For the engine of POSIX's expressions.
    pub(super) subject: Subject<'a>,
    utf8: OnceCell<Option<&'a str>>,
}

impl<'a> Searched<'a> {
    pub(crate) fn new(text: &'a [u8]) -> Self {
        Self { text, subject: Subject::new(text), utf8: OnceCell::new() }
    }

    /// The line, where all of it is valid UTF-8.
    pub(super) fn utf8(&self) -> Option<&'a str> {
        *self.utf8.get_or_init(|| std::str::from_utf8(self.text).ok())
    }
}
