//! Going back in the text.

use std::rc::Rc;

use super::{Reader, Region};

/// A place to go back to.
pub(crate) struct Mark {
    pos: usize,
    counted: usize,
    line: u32,
    depth: u32,
    opened: usize,
    pending: usize,
    warnings: usize,
    regions: Vec<Region>,
    spliced: Option<Rc<Vec<u8>>>,
}

impl<const DIRECT: bool> Reader<'_, DIRECT> {
    pub(crate) fn mark(&self) -> Mark {
        Mark {
            pos: self.pos,
            counted: self.counted,
            line: self.line,
            depth: self.depth,
            opened: self.opened.len(),
            pending: self.pending.len(),
            warnings: self.warnings.len(),
            regions: self.regions.clone(),
            spliced: self.spliced.clone(),
        }
    }

    pub(crate) fn rewind(&mut self, mark: Mark) {
        // The limit is that of the same text: it moves only when a splice needs a longer buffer.
        let before = self.buffer().len() - self.limit;
        self.spliced = mark.spliced;
        self.end_at(self.buffer().len() - before);
        self.pos = mark.pos;
        self.counted = mark.counted;
        self.line = mark.line;
        self.line_end = mark.counted;
        self.depth = mark.depth;
        self.opened.truncate(mark.opened);
        self.pending.truncate(mark.pending);
        self.warnings.truncate(mark.warnings);
        self.regions = mark.regions;
    }
}
