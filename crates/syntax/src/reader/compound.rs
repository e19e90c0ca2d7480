//! Groups, loops and `coproc` (XCU 2.9.4).

use std::sync::Arc;

use bstr::ByteSlice as _;

use super::command::compound;
use super::token::{Keyword, Operator};
use super::{Parsed, Reader};
use crate::ast::{
    Command, Compound, CompoundCommand, Coprocess, ForClause, List, WhileClause, Word, WordPart, WordShape,
};
use crate::bytes::{NAME, is};
use crate::name::{Name, is_name};

impl<const DIRECT: bool> Reader<'_, DIRECT> {
    /// After `{`.
    pub(crate) fn brace_group(&mut self) -> Parsed<Arc<CompoundCommand>> {
        let list = self.nonempty_list()?;
        self.expect_keyword(Keyword::RightBrace, "`}'")?;
        Ok(compound(Compound::Brace(list)))
    }

    /// At `(`: a subshell, or bash's `((`.
    pub(crate) fn parenthesis(&mut self) -> Parsed<Arc<CompoundCommand>> {
        if self.bash
            && let Some((b'(', first)) = self.byte_from(self.pos)
            && let Some((b'(', end)) = self.byte_from(first)
            && let Some(arithmetic) = self.attempt_arithmetic(end)?
        {
            return Ok(compound(Compound::Arithmetic(*arithmetic)));
        }
        self.open("(");
        self.continuations();
        self.pos += 1;
        let list = self.nonempty_list()?;
        if !self.take(Operator::RightParenthesis) {
            return self.unexpected(&["`)'"]);
        }
        self.close();
        Ok(compound(Compound::Subshell(list)))
    }

    /// After `while` or `until`.
    pub(crate) fn while_clause(&mut self, until: bool) -> Parsed<Arc<CompoundCommand>> {
        let condition = self.nonempty_list()?;
        self.expect_keyword(Keyword::Do, "`do'")?;
        let body = self.nonempty_list()?;
        self.expect_keyword(Keyword::Done, "`done'")?;
        Ok(compound(Compound::While(WhileClause { until, condition, body })))
    }

    /// After `for`.
    pub(crate) fn for_clause(&mut self) -> Parsed<Arc<CompoundCommand>> {
        self.blanks();
        if self.bash
            && let Some((b'(', first)) = self.byte_from(self.pos)
            && let Some((b'(', end)) = self.byte_from(first)
        {
            self.pos = end;
            return self.arithmetic_for();
        }
        let clause = self.for_words()?;
        Ok(compound(Compound::For(clause)))
    }

    /// After `select`.
    pub(crate) fn select_clause(&mut self) -> Parsed<Arc<CompoundCommand>> {
        let clause = self.for_words()?;
        Ok(compound(Compound::Select(clause)))
    }

    fn for_words(&mut self) -> Parsed<ForClause> {
        let name = self.for_name()?;
        // `for name; do` (Issue 8 and bash), `for name do`, `for name <newlines> in …`
        if self.take(Operator::Semicolon) {
            self.newlines()?;
            let body = self.do_group()?;
            return Ok(ForClause { name, words: None, body });
        }
        let mut separated = self.peek() == Some(b'\n');
        self.newlines()?;
        if separated {
            // Here it is the first word of a line.
            self.substitute_aliases()?;
        } else {
            self.substitute_next()?;
        }
        let mut words = None;
        if self.take_keyword(Keyword::In) {
            separated = true;
            let mut list = Vec::new();
            loop {
                self.blanks();
                self.substitute_next()?;
                match self.operator() {
                    Some((Operator::Semicolon, end)) => {
                        self.pos = end;
                        break;
                    }
                    Some((Operator::Newline, _)) => break,
                    _ if self.at_word() => list.push(self.expanded_word()?),
                    _ => return self.unexpected(&["`;'", "newline"]),
                }
            }
            words = Some(list);
            self.newlines()?;
        }
        // bash: `for x { … }` on one line is none, because `{` is no reserved word after a word.
        if !separated && self.keyword().is_some_and(|(keyword, _)| keyword == Keyword::LeftBrace) {
            return self.unexpected(&["`do'"]);
        }
        let body = self.do_group()?;
        Ok(ForClause { name, words, body })
    }

    fn for_name(&mut self) -> Parsed<Name> {
        self.blanks();
        self.substitute_next()?;
        if !self.at_word() {
            return self.unexpected(&["a name"]);
        }
        let from = self.pos;
        let word = self.plain_word()?;
        let name = match (word.parts.as_slice(), word.shape) {
            ([WordPart::Literal(text)], WordShape::Literal) => text.clone(),
            // As it stands in the text that is read.
            _ => self.text().get(from..self.pos).unwrap_or_default().into(),
        };
        if !self.bash && !is_name(&name) {
            self.pos = from;
            return self.invalid(format!("`{}': not a valid name", String::from_utf8_lossy(&name)));
        }
        Ok(Name::new(name))
    }

    /// `do … done`, or bash's `{ … }` in its place.
    pub(crate) fn do_group(&mut self) -> Parsed<List> {
        if self.has_aliases() {
            self.substitute_aliases()?;
        }
        if self.bash && self.take_keyword(Keyword::LeftBrace) {
            let body = self.nonempty_list()?;
            self.expect_keyword(Keyword::RightBrace, "`}'")?;
            return Ok(body);
        }
        self.expect_keyword(Keyword::Do, "`do'")?;
        let body = self.nonempty_list()?;
        self.expect_keyword(Keyword::Done, "`done'")?;
        Ok(body)
    }

    /// bash: after `for ((`.
    fn arithmetic_for(&mut self) -> Parsed<Arc<CompoundCommand>> {
        let mut clause = self.for_expressions()?;
        self.blanks();
        if let Some((Operator::Semicolon, end)) = self.operator() {
            self.pos = end;
        }
        self.newlines()?;
        clause.body = self.do_group()?;
        Ok(compound(Compound::ArithmeticFor(clause)))
    }

    /// bash: after `coproc`.
    pub(crate) fn coprocess(&mut self) -> Parsed<Arc<CompoundCommand>> {
        self.blanks();
        let name = self.coprocess_name()?;
        if name.is_none() && !self.at_compound() {
            if self.keyword().is_some() {
                return self.unexpected(&["a command"]);
            }
            if self.at_end() {
                return self.unexpected(&["a name"]);
            }
            let command = self.simple_command()?;
            if matches!(command, Command::Function(_)) {
                return self.unexpected(&["a command"]);
            }
            return Ok(coprocess(None, command));
        }
        let command = self.command()?;
        Ok(coprocess(name, command))
    }

    /// Reads a word if a compound command follows it: it is expanded to the name.
    fn coprocess_name(&mut self) -> Parsed<Option<Word>> {
        if self.at_compound() || self.keyword().is_some() || !self.at_word() {
            return Ok(None);
        }
        // Substitutions in it may have coprocesses again: each is tried once.
        let key = self.distance_from_end();
        if self.read_otherwise.contains(&key) {
            return Ok(None);
        }
        let mark = self.mark();
        let word = self.plain_word()?;
        self.blanks();
        // `coproc f () …` is none: that is no simple command.
        if !looks_like_assignment(&word)
            && self.at_compound()
            && !matches!(self.byte_from(self.pos + 1), Some((b')', _)))
        {
            return Ok(Some(word));
        }
        self.rewind(mark);
        self.read_otherwise.insert(key);
        Ok(None)
    }

    /// Does a compound command begin here?
    fn at_compound(&self) -> bool {
        match self.keyword() {
            Some((keyword, _)) => keyword.begins_compound(),
            None => matches!(self.operator(), Some((Operator::LeftParenthesis, _))),
        }
    }

    /// Reads a reserved word that must be here.
    pub(crate) fn expect_keyword(&mut self, keyword: Keyword, text: &'static str) -> Parsed<()> {
        if self.take_keyword(keyword) { Ok(()) } else { self.unexpected(&[text]) }
    }
}

/// Does it begin with `name=`, `name+=` or `name[subscript]=`?
fn looks_like_assignment(word: &Word) -> bool {
    let Some(WordPart::Literal(text)) = word.parts.first() else { return false };
    let end = text.iter().position(|&byte| !is(byte, NAME)).unwrap_or(text.len());
    let after = match text.get(end) {
        Some(b'[') => text.find(b"]").map_or(&[][..], |close| &text[close + 1..]),
        _ => &text[end..],
    };
    is_name(&text[..end]) && (after.starts_with(b"=") || after.starts_with(b"+="))
}

fn coprocess(name: Option<Word>, command: Command) -> Arc<CompoundCommand> {
    compound(Compound::Coprocess(Box::new(Coprocess { name, command })))
}
