//! Compound commands.

use super::Printer;
use crate::ast::{
    ArithmeticForClause, CaseClause, CaseTerminator, Compound, CompoundCommand, Condition, ConditionOperator,
    Coprocess, ForClause, IfClause, List, WordPart,
};

impl Printer {
    pub(super) fn compound(&mut self, compound: &CompoundCommand) {
        match &compound.kind {
            Compound::Brace(list) => self.brace(list),
            Compound::Subshell(list) => {
                self.text("( ");
                self.list(list);
                self.close_line();
                self.text(" )");
            }
            Compound::If(clause) => self.if_clause(clause),
            Compound::While(clause) => {
                self.text(if clause.until { "until " } else { "while " });
                self.list(&clause.condition);
                self.condition_separator(&clause.condition);
                self.text("do");
                self.body(&clause.body);
                self.text("done");
            }
            Compound::For(clause) => self.for_clause("for", clause),
            Compound::Select(clause) => self.for_clause("select", clause),
            Compound::ArithmeticFor(clause) => self.arithmetic_for(clause),
            Compound::Case(clause) => self.case(clause),
            Compound::Arithmetic(arithmetic) => {
                self.text("((");
                self.arithmetic(arithmetic);
                self.text("))");
            }
            Compound::Condition(condition) => {
                self.text("[[ ");
                self.condition(condition);
                self.text(" ]]");
            }
            Compound::Coprocess(coprocess) => self.coprocess(coprocess),
        }
        for redirection in &compound.redirections {
            self.text(" ");
            self.redirection(redirection);
        }
        self.end_redirections(&compound.redirections);
    }

    fn brace(&mut self, list: &List) {
        self.text("{ ");
        if self.one_line {
            self.list(list);
            self.separator(list);
            self.close_line();
            return self.text(" }");
        }
        self.indentation += 1;
        self.newline();
        self.list(list);
        self.indentation -= 1;
        self.end_line();
        self.text("}");
    }

    /// Ends the line if here-documents wait for it.
    pub(super) fn close_line(&mut self) {
        if self.pending.is_empty() {
            return;
        }
        if self.shown {
            self.shown_documents();
        } else {
            self.newline();
        }
    }

    fn if_clause(&mut self, clause: &IfClause) {
        /// More of them are not written as bash does, each within the one before.
        const NESTED: usize = 64;
        let nests = self.shown && clause.branches.len() <= NESTED;
        for (i, (condition, body)) in clause.branches.iter().enumerate() {
            if i == 0 {
                self.text("if ");
            } else if nests {
                self.text("else");
                self.indentation += 1;
                self.newline();
                self.text("if ");
            } else {
                self.text("elif ");
            }
            self.list(condition);
            self.condition_separator(condition);
            self.text("then");
            self.body(body);
        }
        if let Some(otherwise) = &clause.otherwise {
            self.text("else");
            self.body(otherwise);
        }
        self.text("fi");
        if nests {
            for _ in 1..clause.branches.len() {
                self.text(";");
                self.indentation -= 1;
                self.newline();
                self.text("fi");
            }
        }
    }

    fn for_clause(&mut self, keyword: &str, clause: &ForClause) {
        self.text(keyword);
        self.text(" ");
        self.text(clause.name.as_bytes());
        if let Some(words) = &clause.words {
            self.text(" in ");
            for (i, word) in words.iter().enumerate() {
                if i > 0 {
                    self.text(" ");
                }
                self.word(word);
            }
        } else if self.as_bash.is_some() {
            self.text(" in \"$@\"");
        }
        self.text(";");
        self.newline();
        self.text("do");
        self.body(&clause.body);
        self.text("done");
    }

    fn arithmetic_for(&mut self, clause: &ArithmeticForClause) {
        self.text("for ((");
        for (i, part) in [&clause.init, &clause.condition, &clause.step].into_iter().enumerate() {
            if i > 0 {
                self.text("; ");
            }
            match part {
                Some(arithmetic) => self.arithmetic(arithmetic),
                None if self.shown => self.text("1"),
                None => {}
            }
        }
        self.text("))");
        self.newline();
        self.text("do");
        self.body(&clause.body);
        self.text("done");
    }

    fn case(&mut self, clause: &CaseClause) {
        self.text("case ");
        self.word(&clause.subject);
        self.text(" in ");
        self.indentation += 1;
        for item in &clause.items {
            self.newline();
            let esac = item
                .patterns
                .first()
                .is_some_and(|pattern| matches!(pattern.parts.as_slice(), [WordPart::Literal(text)] if text == "esac"));
            if esac {
                self.text("(");
            }
            for (i, pattern) in item.patterns.iter().enumerate() {
                if i > 0 {
                    self.text(" | ");
                }
                self.word(pattern);
            }
            self.text(")");
            self.indentation += 1;
            if item.body.items.is_empty() {
                self.text("\n");
            } else {
                self.newline();
                self.list(&item.body);
            }
            self.indentation -= 1;
            if self.shown {
                self.end_line();
            } else {
                self.newline();
            }
            self.text(match item.terminator {
                CaseTerminator::Break => ";;",
                CaseTerminator::FallThrough => ";&",
                CaseTerminator::Continue => ";;&",
            });
        }
        self.indentation -= 1;
        self.newline();
        self.text("esac");
    }

    fn coprocess(&mut self, coprocess: &Coprocess) {
        self.text("coproc ");
        if let Some(name) = &coprocess.name {
            self.word(name);
            self.text(" ");
        } else if self.shown {
            // bash names the one without a name.
            self.text("COPROC ");
        }
        self.command(&coprocess.command);
    }

    fn condition(&mut self, condition: &Condition) {
        match condition {
            Condition::Unary(letter, word) => {
                self.text([b'-', *letter, b' ']);
                self.word(word);
            }
            Condition::Binary(operator, left, right) => {
                self.word(left);
                self.text(match operator {
                    ConditionOperator::Match => " == ",
                    ConditionOperator::SingleMatch => " = ",
                    ConditionOperator::NotMatch => " != ",
                    ConditionOperator::Regex => " =~ ",
                    ConditionOperator::Before => " < ",
                    ConditionOperator::After => " > ",
                    ConditionOperator::Equal => " -eq ",
                    ConditionOperator::NotEqual => " -ne ",
                    ConditionOperator::Less => " -lt ",
                    ConditionOperator::LessEqual => " -le ",
                    ConditionOperator::Greater => " -gt ",
                    ConditionOperator::GreaterEqual => " -ge ",
                    ConditionOperator::NewerThan => " -nt ",
                    ConditionOperator::OlderThan => " -ot ",
                    ConditionOperator::SameFile => " -ef ",
                });
                self.word(right);
            }
            Condition::Not(inner) => {
                self.text("! ");
                self.condition(inner);
            }
            Condition::And(terms) => self.conditions(terms, " && "),
            Condition::Or(terms) => self.conditions(terms, " || "),
            Condition::Group(inner) => {
                self.text("( ");
                self.condition(inner);
                self.text(" )");
            }
        }
    }

    fn conditions(&mut self, terms: &[Condition], operator: &str) {
        for (index, term) in terms.iter().enumerate() {
            if index > 0 {
                self.text(operator);
            }
            self.condition(term);
        }
    }
}
