//! `case` (XCU 2.9.4.5).

use std::sync::Arc;

use super::command::compound;
use super::token::{Keyword, Operator};
use super::{Parsed, Reader, push};
use crate::ast::{CaseClause, CaseItem, CaseTerminator, Compound, CompoundCommand};

/// What is expected where bash reads no further than the end of a line.
pub(crate) const PATTERN: &str = "a pattern";
pub(crate) const AFTER_PATTERN: &str = "`|' or `)'";

impl<const DIRECT: bool> Reader<'_, DIRECT> {
    /// After `case`.
    pub(crate) fn case_clause(&mut self) -> Parsed<Arc<CompoundCommand>> {
        self.blanks();
        self.substitute_next()?;
        if !self.at_word() {
            return self.unexpected(&["a word"]);
        }
        let subject = self.compared_word()?;
        let is_first_of_line = self.peek() == Some(b'\n');
        self.newlines()?;
        if is_first_of_line {
            self.substitute_aliases()?;
        } else {
            self.substitute_next()?;
        }
        self.expect_keyword(Keyword::In, "`in'")?;
        let mut items = Vec::new();
        loop {
            self.newlines()?;
            self.substitute_next()?;
            if self.take_keyword(Keyword::Esac) {
                break;
            }
            let (item, last) = self.case_item()?;
            items.push(item);
            if last {
                self.expect_keyword(Keyword::Esac, "`esac'")?;
                break;
            }
        }
        Ok(compound(Compound::Case(CaseClause { subject, items })))
    }

    /// One branch; it is the last one if no terminator stands after it.
    fn case_item(&mut self) -> Parsed<(CaseItem, bool)> {
        let is_opened = self.take(Operator::LeftParenthesis);
        let mut patterns = Vec::new();
        loop {
            self.blanks();
            if !self.at_word() {
                let is_first = patterns.is_empty() && !is_opened;
                return self.unexpected(if is_first { &["a pattern", "`esac'"] } else { &[PATTERN] });
            }
            let pattern = self.compared_word()?;
            push(&mut patterns, pattern);
            self.blanks();
            match self.operator() {
                Some((Operator::Pipe, end)) => self.pos = end,
                Some((Operator::RightParenthesis, end)) => {
                    self.pos = end;
                    break;
                }
                _ => return self.unexpected(&[AFTER_PATTERN]),
            }
        }
        let body = self.list()?;
        self.blanks();
        let (terminator, last) = match self.operator() {
            Some((Operator::Break, end)) => {
                self.pos = end;
                (CaseTerminator::Break, false)
            }
            Some((Operator::FallThrough, end)) => {
                self.pos = end;
                (CaseTerminator::FallThrough, false)
            }
            Some((Operator::Continue, end)) => {
                self.pos = end;
                (CaseTerminator::Continue, false)
            }
            _ => (CaseTerminator::Break, true),
        };
        let item = CaseItem { patterns, body, terminator };
        Ok((item, last))
    }
}
