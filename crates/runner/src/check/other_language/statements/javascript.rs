//! JavaScript: a statement ends at a semicolon, or at the end of a line where nothing follows that belongs to it.

use super::super::tokens::{Kind, Token};
use super::{MOST_TOKENS, Program, Statement, closing};

/// A bracket that is open.
enum Open {
    Bracket,
    /// A block: what it begins with, and whether that is a statement of its own (`if (x) {`).
    Block {
        head: usize,
        is_control: bool,
    },
}

struct Builder<'s> {
    statements: Vec<Statement<'s>>,
    open: Vec<Open>,
    /// The statement that is being read.
    current: Option<usize>,
}

/// All of a program.
pub(in super::super) fn statements<'s>(tokens: Vec<Token<'s>>) -> Program<'s> {
    let mut builder = Builder { statements: Vec::new(), open: Vec::new(), current: None };
    for token in tokens {
        builder.add(token);
    }
    Program::new(builder.statements)
}

impl<'s> Builder<'s> {
    fn add(&mut self, token: Token<'s>) {
        let is_in_bracket = matches!(self.open.last(), Some(Open::Bracket));
        if token.indent.is_some() && !is_in_bracket && self.ends_before(&token) {
            self.current = None;
        }
        if token.is("}") {
            return self.close(token);
        }
        if token.is(";") && !is_in_bracket {
            self.current = None;
            return;
        }
        if token.is("{") {
            let is_block = self.begins_block();
            let head = self.push(token);
            if is_block {
                let is_control = !is_in_bracket && self.is_control(head);
                self.open.push(Open::Block { head, is_control });
                self.current = None;
            } else {
                self.open.push(Open::Bracket);
            }
            return;
        }
        let at = self.push(token);
        let is_label = |first: &Token<'_>| first.is_one_of(&["case", "default"]);
        if token.is(":") && !is_in_bracket && self.first_of(at).is_some_and(is_label) {
            // What follows it is a statement of its own.
            self.current = None;
        } else if token.is_one_of(&["(", "["]) {
            self.open.push(Open::Bracket);
        } else if token.is_one_of(&[")", "]"]) && is_in_bracket {
            self.open.pop();
        }
    }

    fn close(&mut self, token: Token<'s>) {
        match self.open.pop() {
            Some(Open::Block { head, is_control }) => {
                self.current = Some(head);
                self.push(token);
                if is_control {
                    self.current = None;
                }
            }
            Some(Open::Bracket) => {
                self.push(token);
            }
            None => self.current = None,
        }
    }

    /// Adds it to the statement that is being read, or begins one.
    fn push(&mut self, token: Token<'s>) -> usize {
        let at = *self.current.get_or_insert_with(|| {
            let parent = self.open.iter().rev().find_map(|open| match open {
                Open::Block { head, .. } => Some(*head),
                Open::Bracket => None,
            });
            self.statements.push(Statement { tokens: Vec::new(), parent });
            self.statements.len() - 1
        });
        if let Some(Statement { tokens, .. }) = self.statements.get_mut(at) {
            // What is left out of a long statement is left out here, except for its end: each brace and line looks through all of it.
            tokens.truncate(MOST_TOKENS);
            tokens.push(token);
        }
        at
    }

    fn first_of(&self, statement: usize) -> Option<&Token<'s>> {
        self.statements.get(statement)?.tokens.first()
    }

    fn tokens(&self) -> &[Token<'s>] {
        self.current.and_then(|at| self.statements.get(at)).map_or(&[], |statement| &statement.tokens)
    }

    /// Does a brace that comes now begin a block, and no object?
    fn begins_block(&self) -> bool {
        let tokens = self.tokens();
        let Some(last) = tokens.last() else { return true };
        let begins_with = |names: &[&str]| tokens.iter().take(4).any(|token| token.is_one_of(names));
        match last.kind {
            Kind::Sign => match last.text {
                ")" | "=>" => true,
                "]" | ">" | "}" => begins_with(&["function", "class", "interface", "enum", "type"]),
                _ => false,
            },
            Kind::Name => {
                matches!(last.text, "else" | "try" | "finally" | "do" | "catch")
                    || begins_with(&["function", "class", "interface", "enum", "namespace", "declare"])
                    || tokens.iter().any(|token| token.is(":")) && tokens.iter().any(|token| token.is(")"))
            }
            Kind::Number | Kind::Text => begins_with(&["declare", "module"]),
        }
    }

    /// Is a statement with a block one that ends with the block?
    fn is_control(&self, head: usize) -> bool {
        const CONTROL: [&str; 13] = [
            "if", "else", "for", "while", "do", "switch", "try", "catch", "finally", "function", "class", "async",
            "export",
        ];
        let tokens = self.statements.get(head).map_or(&[][..], |statement| &statement.tokens);
        // `async () => {…}` is a part of more.
        tokens.len() == 1
            || tokens.first().is_some_and(|first| first.is_one_of(&["if", "else", "for", "while", "switch"]))
            || tokens.first().is_some_and(|first| first.is_one_of(&CONTROL))
                && !tokens.iter().any(|token| token.is_one_of(&["=>", "="]))
    }

    /// Does the statement that is being read end where a line begins with this?
    fn ends_before(&self, token: &Token<'_>) -> bool {
        let tokens = self.tokens();
        let Some(last) = tokens.last() else { return false };
        let continues = match token.kind {
            Kind::Sign => !matches!(token.text, "{" | "[" | "(" | "!" | "++" | "--" | "}" | "..." | "@" | "#"),
            Kind::Name => matches!(token.text, "in" | "of" | "instanceof" | "as"),
            Kind::Number | Kind::Text => false,
        };
        let waits = match last.kind {
            Kind::Sign => !matches!(last.text, ")" | "]" | "}" | "++" | "--"),
            Kind::Name => {
                matches!(last.text, "else" | "do" | "const" | "let" | "var" | "new" | "typeof" | "await" | "function")
            }
            Kind::Number | Kind::Text => false,
        };
        !(continues || waits || token.is("{") || is_open_head(tokens))
    }
}

/// Is it `if (…)`, or `for`, `while`, for which a statement must follow?
fn is_open_head(tokens: &[Token<'_>]) -> bool {
    let at = tokens.iter().position(|token| !token.is_one_of(&["else", "}"]));
    let Some(at) =
        at.filter(|at| tokens.get(*at).is_some_and(|token| token.is_one_of(&["if", "for", "while", "switch"])))
    else {
        return false;
    };
    let Some(open) = tokens.iter().position(|token| token.is("(")).filter(|open| *open > at) else { return true };
    closing(tokens, open) + 1 >= tokens.len()
}
