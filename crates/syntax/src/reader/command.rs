//! Commands: which production a command is (XCU 2.9).

use std::sync::Arc;

use thin_vec::ThinVec;

use super::token::{Keyword, Operator};
use super::{Parsed, Reader, Start, push_thin};
use crate::ast::{Command, Compound, CompoundCommand};
use crate::span::Span;

impl<const DIRECT: bool> Reader<'_, DIRECT> {
    /// One command with its redirections.
    pub(crate) fn command(&mut self) -> Parsed<Command> {
        if self.has_aliases() {
            self.substitute_aliases()?;
        }
        self.blanks();
        let keyword = self.keyword();
        self.command_at(keyword)
    }

    /// The command at the place, which begins with this reserved word or with none.
    pub(super) fn command_at(&mut self, keyword: Option<(Keyword, usize)>) -> Parsed<Command> {
        self.count(1)?;
        let start = self.start();
        if let Some((keyword, end)) = keyword {
            match keyword {
                Keyword::Function => return self.function_keyword(end),
                Keyword::Time => {}
                _ => {
                    let compound = self.compound_keyword(keyword, end)?;
                    return self.with_redirections(compound, start);
                }
            }
        } else if let Some((Operator::LeftParenthesis, _)) = self.operator() {
            let compound = self.parenthesis()?;
            return self.with_redirections(compound, start);
        }
        self.simple_command()
    }

    fn with_redirections(&mut self, command: Arc<CompoundCommand>, start: Start) -> Parsed<Command> {
        let command = self.compound_command(command, start)?;
        Ok(Command::Compound(command))
    }

    /// The redirections after a compound command.
    pub(crate) fn compound_command(
        &mut self,
        mut command: Arc<CompoundCommand>,
        start: Start,
    ) -> Parsed<Arc<CompoundCommand>> {
        let mut redirections = ThinVec::new();
        let mut start = start;
        // bash: their line is the one they end in.
        match &command.kind {
            Compound::Arithmetic(_) | Compound::Subshell(_) => start.line = self.current_line(),
            Compound::Condition(condition) => start.line = self.condition_line(condition),
            _ => {}
        }
        let mut span = self.span(start);
        while let Some(redirection) = self.redirection()? {
            push_thin(&mut redirections, redirection);
            span = self.span(start);
        }
        // Nobody else has it yet.
        if let Some(command) = Arc::get_mut(&mut command) {
            command.redirections = redirections;
            command.span = span;
        }
        Ok(command)
    }

    /// A compound command, as the body of a function or of `coproc`; `None` if none begins.
    pub(crate) fn optional_compound(&mut self) -> Parsed<Option<Arc<CompoundCommand>>> {
        self.blanks();
        let start = self.start();
        let kind = if let Some((keyword, end)) = self.keyword() {
            if !keyword.begins_compound() {
                return Ok(None);
            }
            self.compound_keyword(keyword, end)?
        } else if let Some((Operator::LeftParenthesis, _)) = self.operator() {
            self.parenthesis()?
        } else {
            return Ok(None);
        };
        self.compound_command(kind, start).map(Some)
    }

    /// Any compound command that begins with a reserved word, which ends at `end`.
    fn compound_keyword(&mut self, keyword: Keyword, end: usize) -> Parsed<Arc<CompoundCommand>> {
        let compound = match keyword {
            Keyword::LeftBrace => {
                self.open("{");
                self.pos = end;
                self.brace_group()?
            }
            Keyword::If => {
                self.open("if");
                self.pos = end;
                self.if_clause()?
            }
            Keyword::While | Keyword::Until => {
                let until = keyword == Keyword::Until;
                self.open(if until { "until" } else { "while" });
                self.pos = end;
                self.while_clause(until)?
            }
            Keyword::For => {
                self.open("for");
                self.pos = end;
                self.for_clause()?
            }
            Keyword::Select => {
                self.open("select");
                self.pos = end;
                self.select_clause()?
            }
            Keyword::Case => {
                self.open("case");
                self.pos = end;
                self.case_clause()?
            }
            Keyword::Condition => {
                self.open("[[");
                self.pos = end;
                self.condition_command()?
            }
            Keyword::Coproc => {
                self.open("coproc");
                self.pos = end;
                self.coprocess()?
            }
            _ => return self.unexpected(&["a command"]),
        };
        self.close();
        Ok(compound)
    }
}

/// A compound command whose redirections and place are still to come. It is made where it stays, so that it is not moved.
pub(super) fn compound(kind: Compound) -> Arc<CompoundCommand> {
    Arc::new(CompoundCommand { kind, redirections: ThinVec::new(), span: Span::default() })
}
