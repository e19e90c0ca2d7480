//! Function definitions (XCU 2.9.5).

use std::sync::Arc;

use super::token::Operator;
use super::{Parsed, Reader, Start};
use crate::ast::{Command, FunctionDefinition, Word, WordPart};
use crate::error::SyntaxErrorCause;
use crate::name::{Name, is_name};

impl<const DIRECT: bool> Reader<'_, DIRECT> {
    /// After `name`, at the `(`, which ends at `inside`.
    pub(crate) fn function_parentheses(&mut self, start: Start, name: &Word, inside: usize) -> Parsed<Command> {
        let outer = self.pos;
        self.pos = inside;
        if !self.take(Operator::RightParenthesis) {
            // What cannot stand here is what follows the parenthesis.
            self.blanks();
            if self.at_end() && self.text().last() != Some(&b'\n') {
                let cause = SyntaxErrorCause::Unexpected { found: "newline".into(), expected: vec!["`)'"] };
                return Err(self.error(cause, self.pos, self.pos));
            }
            if self.at_end() || self.bash {
                return self.unexpected(&["`)'"]);
            }
            self.pos = outer;
            return self.unexpected(&[]);
        }
        let name = self.function_name(name)?;
        self.function_body(start, name, false)
    }

    /// bash: at `function`, which ends at `end`.
    pub(crate) fn function_keyword(&mut self, end: usize) -> Parsed<Command> {
        let start = self.start();
        self.open("function");
        self.pos = end;
        self.blanks();
        if !self.at_word() {
            return self.unexpected(&["a name"]);
        }
        let word = self.plain_word()?;
        let name = self.function_name(&word)?;
        self.blanks();
        if let Some((Operator::LeftParenthesis, inside)) = self.operator() {
            let mark = self.mark();
            self.pos = inside;
            // `function f ( … )` has a subshell as its body.
            if !self.take(Operator::RightParenthesis) {
                self.rewind(mark);
            }
        }
        let command = self.function_body(start, name, true)?;
        self.close();
        Ok(command)
    }

    fn function_name(&mut self, word: &Word) -> Parsed<Name> {
        let name = match word.parts.as_slice() {
            [WordPart::Literal(text)] => text.clone(),
            _ => self.source_text(word).into(),
        };
        if !self.bash && !is_name(&name) {
            return self.invalid(format!("`{}': not a valid function name", String::from_utf8_lossy(&name)));
        }
        Ok(Name::new(name))
    }

    fn function_body(&mut self, start: Start, name: Name, keyword: bool) -> Parsed<Command> {
        self.newlines()?;
        let Some(body) = self.optional_compound()? else {
            return self.unexpected(&["a compound command"]);
        };
        Ok(Command::Function(Arc::new(FunctionDefinition { name, keyword, body, span: self.span(start) })))
    }
}
