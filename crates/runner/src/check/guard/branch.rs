//! Exit codes that a guard ends with where it has found what it looks for, without a word of why: `if grep -q rm; then exit 1; fi`.

use hookshell_syntax::ast::{
    AndOr, AndOrOp, CaseClause, Command, Compound, Condition, ConditionOperator, IfClause, List, Pipeline,
    SimpleCommand, Word, WordPart,
};

use super::Walk;
use super::exit::exit_code;

/// How deep the last command is looked for in others.
const DEPTH: usize = 16;

impl Walk<'_> {
    /// The branches of `if` that a search in a text leads to.
    pub(super) fn found_in_if(&mut self, clause: &IfClause) {
        for (condition, body) in &clause.branches {
            let last =
                condition.items.last().map(|item| item.and_or.rest.last().map_or(&item.and_or.first, |(_, p)| p));
            if last.is_some_and(looks_for_text) {
                self.exits_of(body);
            }
        }
    }

    /// The branches of `case` that a part of a text leads to: `*rm*)`. A word without a star is an option's, and `*)` what is left.
    pub(super) fn found_in_case(&mut self, clause: &CaseClause) {
        for item in &clause.items {
            if item.patterns.iter().any(is_part_of_text) {
                self.exits_of(&item.body);
            }
        }
    }

    /// `grep -q rm && exit 1`
    pub(super) fn found_before(&mut self, and_or: &AndOr) {
        let mut before = &and_or.first;
        for (operator, pipeline) in &and_or.rest {
            if *operator == AndOrOp::And && looks_for_text(before) {
                self.exit_of(pipeline);
            }
            before = pipeline;
        }
    }

    /// The exits of a branch itself: what stands in a further condition asks for something else.
    fn exits_of(&mut self, body: &List) {
        for item in body.items.iter().filter(|item| item.and_or.rest.is_empty()) {
            self.exit_of(&item.and_or.first);
        }
    }

    fn exit_of(&mut self, pipeline: &Pipeline) {
        match only_command(pipeline) {
            Some(Command::Simple(simple)) => self.silent_failure(simple),
            Some(Command::Compound(compound)) => {
                if let Compound::Brace(list) = &compound.kind {
                    self.exits_of(list);
                }
            }
            _ => {}
        }
    }

    fn silent_failure(&mut self, simple: &SimpleCommand) {
        if let Some(code @ (1 | 3..=63)) = exit_code(simple) {
            self.failures.push((self.place(simple.span), code));
        }
    }

    /// `echo no; false` at the end: its status is 1.
    pub(super) fn ends_with_false(&mut self, list: &List, depth: usize) {
        let Some(item) = list.items.last().filter(|item| item.and_or.rest.is_empty() && depth < DEPTH) else { return };
        match only_command(&item.and_or.first) {
            Some(Command::Simple(simple)) => {
                let before = list.items.len().checked_sub(2).and_then(|at| list.items.get(at));
                let said = before.and_then(|item| only_command(&item.and_or.first)).is_some_and(
                    |command| matches!(command, Command::Simple(simple) if is_one_of(simple, &[b"echo", b"printf"])),
                );
                if said && is_one_of(simple, &[b"false"]) {
                    self.denies |= (self.around.exit_meaning)(1).is_deny();
                    self.failures.push((self.place(simple.span), 1));
                }
            }
            Some(Command::Compound(compound)) => match &compound.kind {
                Compound::Brace(list) | Compound::Subshell(list) => self.ends_with_false(list, depth + 1),
                Compound::If(clause) => {
                    let bodies = clause.branches.iter().map(|(_, body)| body).chain(&clause.otherwise);
                    bodies.for_each(|body| self.ends_with_false(body, depth + 1));
                }
                Compound::Case(clause) => {
                    clause.items.iter().for_each(|item| self.ends_with_false(&item.body, depth + 1));
                }
                _ => {}
            },
            _ => {}
        }
    }
}

fn only_command(pipeline: &Pipeline) -> Option<&Command> {
    match &*pipeline.stages {
        [stage] if !pipeline.negated => Some(&stage.command),
        _ => None,
    }
}

fn is_one_of(simple: &SimpleCommand, names: &[&[u8]]) -> bool {
    simple.literal_name().is_some_and(|name| names.contains(&&*name))
}

/// Is it true where something stands in a text: `… | grep -q rm`, `[[ $x =~ rm ]]`, `[[ $x == *rm* ]]`? `! grep` is none: what is
/// looked for is missing then, as a setting may be.
fn looks_for_text(pipeline: &Pipeline) -> bool {
    let Some(last) = pipeline.stages.last().filter(|_| !pipeline.negated) else { return false };
    match &last.command {
        Command::Simple(simple) => is_one_of(simple, &[b"grep", b"egrep", b"fgrep", b"rg"]),
        Command::Compound(compound) => match &compound.kind {
            Compound::Condition(condition) => finds_text(condition),
            _ => false,
        },
        Command::Function(_) => false,
    }
}

fn finds_text(condition: &Condition) -> bool {
    match condition {
        Condition::Binary(ConditionOperator::Regex, ..) => true,
        Condition::Binary(ConditionOperator::Match | ConditionOperator::SingleMatch, _, pattern) => {
            is_part_of_text(pattern)
        }
        Condition::And(all) | Condition::Or(all) => all.iter().any(finds_text),
        Condition::Group(inner) => finds_text(inner),
        Condition::Unary(..) | Condition::Not(_) | Condition::Binary(..) => false,
    }
}

/// A pattern with a star and something else.
fn is_part_of_text(pattern: &Word) -> bool {
    let star = |part: &WordPart| matches!(part, WordPart::Literal(text) if text.contains(&b'*'));
    let other = |part: &WordPart| !matches!(part, WordPart::Literal(text) if text.iter().all(|byte| *byte == b'*'));
    pattern.parts.iter().any(star) && pattern.parts.iter().any(other)
}
