//! Conditions on a place.

use crate::ast::Look;
use crate::ctype;
use crate::text::{Encoding, INVALID};

/// How places are judged.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Places {
    pub(crate) encoding: Encoding,
    /// `^` and `$` match around this byte too.
    pub(crate) line_end: Option<u8>,
}

impl Places {
    pub(crate) fn holds(self, look: Look, text: &[u8], at: usize) -> bool {
        // A place within a character has this character on both sides.
        let within = || self.encoding.enclosing(text, at);
        let before = || self.is_word(within().or_else(|| self.encoding.decode_before(text, at)));
        let after = || self.is_word(within().or_else(|| self.encoding.decode(text, at).map(|found| found.0)));
        match look {
            Look::LineStart => {
                at == 0 || (self.line_end.is_some() && text.get(at.wrapping_sub(1)) == self.line_end.as_ref())
            }
            Look::LineEnd => at >= text.len() || (self.line_end.is_some() && text.get(at) == self.line_end.as_ref()),
            Look::TextStart => at == 0,
            Look::TextEnd => at >= text.len(),
            Look::WordStart => !before() && after(),
            Look::WordEnd => before() && !after(),
            Look::Boundary => before() != after(),
            Look::NotBoundary => before() == after(),
            // These are `grep -w`, which takes a byte that is no character for no letter, whatever glibc does.
            Look::NotAfterWord => is_invalid(self.encoding.decode_before(text, at)) || !before(),
            Look::NotBeforeWord => is_invalid(self.encoding.decode(text, at).map(|found| found.0)) || !after(),
        }
    }

    fn is_word(self, unit: Option<u32>) -> bool {
        unit.is_some_and(|unit| ctype::is_word(unit, self.encoding))
    }
}

fn is_invalid(unit: Option<u32>) -> bool {
    unit.is_some_and(|unit| unit >= INVALID)
}
