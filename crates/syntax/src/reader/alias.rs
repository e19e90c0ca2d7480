//! Alias substitution (XCU 2.3.1).
//!
//! The value of an alias takes the place of the word in the text, so that it may hold anything: half a compound command,
//! an open quote, several commands. The buffer keeps a gap in front of the unread text: putting a value in costs its
//! own length and moves nothing else.

use std::rc::Rc;

use super::{Parsed, Reader, token::Keyword};
use crate::bytes::{META, QUOTE, is};
use crate::error::SyntaxErrorCause;
use crate::span::Span;

/// The text of aliases within aliases in one unit may not be longer than this: `a='b b'`, `b='c c'`, … grows
/// exponentially.
const MAX_NESTED_BYTES: usize = 1 << 20;

/// All alias text of one unit may not be longer than this. The text has a word for each, but each may be long.
const MAX_ALIAS_BYTES: usize = 1 << 26;

/// The text of an alias in the buffer.
#[derive(Clone)]
pub(crate) struct Region {
    /// Where the value ends in the buffer.
    pub(crate) end: usize,
    /// The alias word in the source.
    pub(crate) span: Span,
    name: Vec<u8>,
    trailing_blank: bool,
}

impl<const DIRECT: bool> Reader<'_, DIRECT> {
    /// Replaces the word at the place by its alias, again and again, while it is one; then skips blanks.
    pub(crate) fn substitute_aliases(&mut self) -> Parsed<()> {
        let Some(aliases) = self.aliases else {
            return Ok(());
        };
        loop {
            self.blanks();
            self.check_next = false;
            let from = self.pos;
            let text = self.text();
            let mut to = from;
            while text.get(to).is_some_and(|&b| !is(b, META | QUOTE)) {
                to += 1;
            }
            let word = &text[from..to];
            if word.is_empty()
                || text.get(to).is_some_and(|&b| is(b, QUOTE))
                || ((!self.bash || self.options.posix_mode)
                    && self.keyword().is_some_and(|(k, _)| k != Keyword::LeftBrace))
                || self.regions.iter().any(|region| region.name == word)
            {
                return Ok(());
            }
            let Some(value) = aliases.alias(word) else {
                return Ok(());
            };
            self.splice(from, to, value)?;
        }
    }

    /// Has an alias just ended whose value ends in a blank? Then the word at the place is checked too.
    pub(crate) fn substitute_next(&mut self) -> Parsed<()> {
        if self.check_next {
            self.substitute_aliases()?;
        }
        Ok(())
    }

    /// Is any alias text still unread?
    pub(crate) fn in_alias(&self) -> bool {
        !DIRECT && self.regions.iter().any(|region| self.pos < region.end)
    }

    /// Forgets the alias texts that have been read to their ends.
    pub(crate) fn leave_regions(&mut self) {
        while let Some(region) = self.regions.last()
            && self.pos >= region.end
        {
            // bash: of aliases that end at the same place the outermost decides.
            self.check_next = region.trailing_blank || self.check_next && !self.bash;
            self.regions.pop();
        }
    }

    fn splice(&mut self, from: usize, to: usize, value: Vec<u8>) -> Parsed<()> {
        self.alias_bytes += value.len() + 1;
        self.nested_alias_bytes += if self.in_alias() { value.len() + 1 } else { 0 };
        let over = |bytes, most| (bytes > most).then_some(most);
        let reached =
            over(self.nested_alias_bytes, MAX_NESTED_BYTES).or_else(|| over(self.alias_bytes, MAX_ALIAS_BYTES));
        if let Some(most) = reached {
            let cause = SyntaxErrorCause::Invalid(format!("aliases expand to more than {most} bytes"));
            return Err(self.error(cause, from, to));
        }
        if self.regions.len() >= self.options.max_depth as usize {
            return Err(self.too_deep());
        }
        let start = self.start();
        self.pos = to;
        let span = self.span(start);
        let name = self.text()[from..to].to_vec();
        // Lines are counted from after the word.
        if self.regions.is_empty() {
            self.count_lines(to);
        }
        let mut end = to;
        if value.len() > end || self.spliced.is_none() {
            end += self.grow(value.len());
        }
        let begin = end - value.len();
        if let Some(buffer) = &mut self.spliced {
            Rc::make_mut(buffer)[begin..end].copy_from_slice(&value);
        }
        self.pos = begin;
        self.regions.push(Region {
            end,
            span,
            name,
            trailing_blank: value.last().is_some_and(|b| matches!(b, b' ' | b'\t')),
        });
        Ok(())
    }

    /// Makes the gap in front of the unread text at least `room` bytes longer; gives the distance that places moved.
    fn grow(&mut self, room: usize) -> usize {
        // The buffer of an earlier command ends with the same text: each use of an alias would copy all of the rest else.
        let spare = std::mem::take(&mut self.spare);
        let is_source = self.spliced.is_none() && self.base.is_none();
        let gap = spare.len().checked_sub(self.source.len()).filter(|gap| is_source && self.pos + gap >= room);
        let (more, buffer) = match gap {
            Some(gap) => (gap, spare),
            None => {
                let old = self.buffer();
                let more = room.max(old.len()).max(256);
                let mut buffer = vec![b' '; more + old.len()];
                buffer[more..].copy_from_slice(old);
                (more, buffer)
            }
        };
        self.spliced = Some(Rc::new(buffer));
        self.pos += more;
        self.end_at(self.limit + more);
        self.counted += more;
        self.line_end += more;
        for region in &mut self.regions {
            region.end += more;
        }
        more
    }
}
