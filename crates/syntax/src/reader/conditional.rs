//! `if` (XCU 2.9.4.4).

use std::sync::Arc;

use super::command::compound;
use super::token::Keyword;
use super::{Parsed, Reader, push};
use crate::ast::{Compound, CompoundCommand, IfClause};

impl<const DIRECT: bool> Reader<'_, DIRECT> {
    /// After `if`.
    pub(crate) fn if_clause(&mut self) -> Parsed<Arc<CompoundCommand>> {
        let mut branches = Vec::new();
        loop {
            let condition = self.nonempty_list()?;
            self.expect_keyword(Keyword::Then, "`then'")?;
            let body = self.nonempty_list()?;
            push(&mut branches, (condition, body));
            if !self.take_keyword(Keyword::Elif) {
                break;
            }
        }
        let otherwise = if self.take_keyword(Keyword::Else) { Some(self.nonempty_list()?) } else { None };
        self.expect_keyword(Keyword::Fi, "`fi'")?;
        Ok(compound(Compound::If(IfClause { branches, otherwise })))
    }
}
