//! How deep a source may nest and how large its tree may be, and whether to stop.

use super::{Parsed, Reader};
use crate::error::{SyntaxError, SyntaxErrorCause};

/// So many words, commands and expansions take well below a millisecond.
const NODES_BETWEEN_CHECKS: usize = 4096;

impl<'s, const DIRECT: bool> Reader<'s, DIRECT> {
    /// One level deeper.
    #[inline]
    pub(crate) fn enter(&mut self) -> Parsed<()> {
        self.depth += 1;
        if self.depth > self.options.max_depth {
            return Err(self.too_deep());
        }
        self.count(1)
    }

    #[inline]
    pub(crate) fn leave(&mut self) {
        self.depth -= 1;
    }

    #[inline]
    pub(crate) fn depth(&self) -> u32 {
        self.depth
    }

    #[cold]
    pub(crate) fn too_deep(&mut self) -> Box<SyntaxError> {
        let limit = self.options.max_depth;
        self.error(SyntaxErrorCause::TooDeep { limit }, self.pos, self.pos)
    }

    /// Some nodes more: each takes memory.
    #[inline]
    pub(crate) fn count(&mut self, nodes: usize) -> Parsed<()> {
        self.nodes += nodes;
        if self.nodes > self.unchecked_nodes { self.check() } else { Ok(()) }
    }

    /// How many nodes were read, those of attempts that failed included.
    pub(crate) fn nodes(&self) -> usize {
        self.nodes
    }

    /// Gives up where `stop` says so, which is asked every few thousand nodes.
    pub(crate) fn stop_where(&mut self, stop: &'s dyn Fn() -> bool) {
        self.stop = Some(stop);
        self.unchecked_nodes = self.options.max_nodes.min(self.nodes.saturating_add(NODES_BETWEEN_CHECKS));
    }

    #[cold]
    fn check(&mut self) -> Parsed<()> {
        if self.nodes > self.options.max_nodes {
            return Err(self.too_large());
        }
        let Some(stop) = self.stop else { return Ok(()) };
        if stop() {
            return Err(self.error(SyntaxErrorCause::Stopped, self.pos, self.pos));
        }
        self.stop_where(stop);
        Ok(())
    }

    #[cold]
    fn too_large(&mut self) -> Box<SyntaxError> {
        let limit = self.options.max_nodes;
        self.error(SyntaxErrorCause::TooLarge { limit }, self.pos, self.pos)
    }
}
