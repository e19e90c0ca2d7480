//! A line that is searched more than once.

use std::cell::OnceCell;

use hookshell_regex::Subject;

/// A line, and what has been found out about it, so that each match of a long line does not ask anew.
pub(crate) struct Searched<'a> {
    pub(super) text: &'a [u8],
    /// For the engine of POSIX's expressions.
    pub(super) subject: Subject<'a>,
    utf8: OnceCell<Option<&'a str>>,
    parts: OnceCell<Vec<(usize, usize)>>,
}

impl<'a> Searched<'a> {
    /// `interrupt` says whether nobody waits for the result any more.
    pub(crate) fn new(text: &'a [u8], interrupt: &'a dyn Fn() -> bool) -> Self {
        let subject = Subject::new(text).interruptible(interrupt);
        Self { text, subject, utf8: OnceCell::new(), parts: OnceCell::new() }
    }

    /// The line, where all of it is valid UTF-8.
    pub(super) fn utf8(&self) -> Option<&'a str> {
        *self.utf8.get_or_init(|| std::str::from_utf8(self.text).ok())
    }

    /// The parts of the line that are valid UTF-8: where each begins and ends. Some are empty.
    pub(super) fn parts(&self) -> &[(usize, usize)] {
        self.parts.get_or_init(|| {
            let mut begin = 0;
            let part = |chunk: std::str::Utf8Chunk<'_>| {
                let end = begin + chunk.valid().len();
                let part = (begin, end);
                begin = end + chunk.invalid().len();
                part
            };
            self.text.utf8_chunks().map(part).collect()
        })
    }
}
