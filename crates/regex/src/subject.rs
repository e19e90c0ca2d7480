//! What is searched.

use std::cell::Cell;
use std::fmt;

/// Start and end in bytes.
pub type Span = (usize, usize);

/// A text, the place where the search begins, and what may interrupt it.
///
/// Anchors and word boundaries see the text before the place.
#[derive(Clone)]
pub struct Subject<'a> {
    pub(crate) text: &'a [u8],
    pub(crate) start: usize,
    pub(crate) interrupt: Option<&'a dyn Fn() -> bool>,
    ascii: Cell<Option<bool>>,
    /// From the first place up to the second there is ASCII only; the second is the end or a byte that is not ASCII.
    ascii_run: Cell<(usize, usize)>,
}

impl<'a> Subject<'a> {
    /// A text, searched from its start.
    pub fn new(text: &'a [u8]) -> Self {
        Self { text, start: 0, interrupt: None, ascii: Cell::new(None), ascii_run: Cell::new((0, 0)) }
    }

    /// Searched from this place on. For several searches in a text: what is known of the text is kept.
    #[must_use]
    pub fn starting_at(self, start: usize) -> Self {
        Self { start, ..self }
    }

    /// Only what is before this place. What is known of the text is kept.
    #[must_use]
    pub fn ending_at(self, end: usize) -> Self {
        let text = self.text.get(..end).unwrap_or(self.text);
        let (start, until) = self.ascii_run.get();
        // What is left of a text that is not ASCII may be; it need not be known.
        Self { text, ascii_run: Cell::new((start, until.min(text.len()))), ..self }
    }

    /// Asked now and then in long searches; `true` ends them.
    #[must_use]
    pub fn interruptible(self, interrupt: &'a dyn Fn() -> bool) -> Self {
        Self { interrupt: Some(interrupt), ..self }
    }

    /// Is the whole text ASCII?
    pub(crate) fn is_ascii(&self) -> bool {
        self.ascii.get().unwrap_or_else(|| {
            let ascii = self.text.is_ascii();
            self.ascii.set(Some(ascii));
            ascii
        })
    }

    /// The first byte from `at` on that is not ASCII, or the end.
    pub(crate) fn ascii_until(&self, at: usize) -> usize {
        let (start, end) = self.ascii_run.get();
        if (start..end).contains(&at) {
            return end;
        }
        let rest = self.text.get(at..).unwrap_or_default();
        let end = first_wide(rest).map_or(self.text.len(), |found| at + found);
        self.ascii_run.set((at, end));
        end
    }

    /// Is the search to end?
    pub fn is_interrupted(&self) -> bool {
        self.interrupt.is_some_and(|interrupt| interrupt())
    }
}

/// The first byte that is not ASCII.
fn first_wide(text: &[u8]) -> Option<usize> {
    // `is_ascii` looks at whole words.
    const BLOCK: usize = 256;
    let mut at = 0;
    for block in text.chunks(BLOCK) {
        if !block.is_ascii() {
            return block.iter().position(|byte| !byte.is_ascii()).map(|found| at + found);
        }
        at += block.len();
    }
    None
}

impl fmt::Debug for Subject<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subject").field("text", &self.text.escape_ascii()).field("start", &self.start).finish()
    }
}
