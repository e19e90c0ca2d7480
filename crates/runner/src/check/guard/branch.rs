//! Exit codes that a guard ends with where it has found what it looks for, without a word of why: `if grep -q rm; then exit 1; fi`.

use std::sync::Arc;

use hookshell_syntax::ast::{
    AndOr, AndOrOp, CaseClause, Command, Compound, Condition, ConditionOperator, IfClause, List, Pipeline,
    SimpleCommand, Word, WordPart,
};

use super::Walk;
use super::exit::exit_code;
use super::walk::{pipelines, text, words};

/// How deep the last command is looked for in others.
const DEPTH: usize = 16;

impl Walk<'_> {
    /// The branches of `if` that a search in a text leads to.
    pub(super) fn found_in_if(&mut self, clause: &IfClause) {
        for (condition, body) in &clause.branches {
            let last = condition.items.last().map(|item| &item.and_or);
            if last.is_some_and(|last| pipelines(last).any(|pipeline| self.looks_for_text(pipeline))) {
                self.exits_of(body, 0);
            }
        }
    }

    /// The branches of `case` that a part of a text leads to: `*rm*)`. A word without a star is an option's, unless text of the event
    /// is asked for it; `*)` is what is left.
    pub(super) fn found_in_case(&mut self, clause: &CaseClause) {
        let is_of_event = self.is_of_event(&clause.subject);
        for item in &clause.items {
            let mut patterns = item.patterns.iter();
            if patterns.any(|pattern| is_part_of_text(pattern) || is_of_event && is_text(pattern) && !is_star(pattern))
            {
                self.exits_of(&item.body, 0);
            }
        }
    }

    /// `grep -q rm && exit 1`; `echo "$cmd" | grep -q '^ls' || exit 1`, where only what is listed may run.
    pub(super) fn found_before(&mut self, and_or: &AndOr) {
        let mut before = &and_or.first;
        let mut is_found = false;
        for (operator, pipeline) in &and_or.rest {
            is_found = match operator {
                AndOrOp::And => is_found || self.looks_for_text(before),
                AndOrOp::Or => greps(before) && self.is_given_event(before),
            };
            if is_found {
                self.exit_of(pipeline, 0);
            }
            before = pipeline;
        }
    }

    /// Is it true where something stands in a text: `… | grep -q rm`, `[[ $x =~ rm ]]`, `[[ $x == *rm* ]]`, `[ "$cmd" = rm ]`?
    fn looks_for_text(&self, pipeline: &Pipeline) -> bool {
        if pipeline.negated {
            // What the call is not among: `if ! echo "$cmd" | grep -q '^ls'`.
            return greps_at_end(pipeline) && self.is_given_event(pipeline);
        }
        let Some(last) = pipeline.stages.last() else { return false };
        match &last.command {
            Command::Simple(simple) => {
                greps(pipeline) || asks_jq(simple) || is_one_of(simple, &[b"[", b"test"]) && self.asks_for_text(simple)
            }
            Command::Compound(compound) => match &compound.kind {
                Compound::Condition(condition) => self.finds_text(condition),
                _ => false,
            },
            Command::Function(_) => false,
        }
    }

    /// `[ "$cmd" = "rm -rf /" ]`, `[ -n "$(… | grep rm)" ]`
    fn asks_for_text(&self, simple: &SimpleCommand) -> bool {
        let operands: Vec<&Word> =
            words(simple).skip(1).filter(|word| word.literal().as_deref() != Some(b"]")).collect();
        match &*operands {
            [operator, word] => operator.literal().as_deref() == Some(b"-n") && has_grep(word),
            [left, operator, right] => match operator.literal().as_deref() {
                Some(b"=" | b"==") => self.is_compared(left, right),
                Some(b"-gt" | b"-ge" | b"-ne") => has_grep(left),
                _ => false,
            },
            _ => false,
        }
    }

    fn finds_text(&self, condition: &Condition) -> bool {
        match condition {
            Condition::Binary(ConditionOperator::Regex, ..) => true,
            Condition::Binary(ConditionOperator::Match | ConditionOperator::SingleMatch, left, right) => {
                is_part_of_text(right) || self.is_compared(left, right)
            }
            Condition::Unary(b'n', word) => has_grep(word),
            Condition::And(all) | Condition::Or(all) => all.iter().any(|one| self.finds_text(one)),
            Condition::Group(inner) => self.finds_text(inner),
            Condition::Unary(..) | Condition::Not(_) | Condition::Binary(..) => false,
        }
    }

    fn is_compared(&self, left: &Word, right: &Word) -> bool {
        is_text(right) && self.is_of_event(left) || is_text(left) && self.is_of_event(right)
    }

    /// The exits of a branch itself: what stands in a further condition asks for something else.
    fn exits_of(&mut self, body: &List, depth: usize) {
        for item in body.items.iter().filter(|item| item.and_or.rest.is_empty()) {
            self.exit_of(&item.and_or.first, depth);
        }
    }

    fn exit_of(&mut self, pipeline: &Pipeline, depth: usize) {
        if depth > DEPTH {
            return;
        }
        match only_command(pipeline) {
            Some(Command::Simple(simple)) => {
                let called = simple.literal_name().and_then(|name| self.functions.get(&*name).cloned());
                let Some(body) = called else { return self.silent_failure(simple) };
                // Once each: what functions call each other grows without end.
                if self.exits_known.insert(Arc::as_ptr(&body))
                    && let Compound::Brace(list) = &body.kind
                {
                    self.exits_of(list, depth + 1);
                }
            }
            Some(Command::Compound(compound)) => {
                if let Compound::Brace(list) = &compound.kind {
                    self.exits_of(list, depth + 1);
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

/// Does grep find something in it? `! grep` does not count: what is looked for is missing then, as a setting may be.
fn greps(pipeline: &Pipeline) -> bool {
    !pipeline.negated && greps_at_end(pipeline)
}

fn greps_at_end(pipeline: &Pipeline) -> bool {
    let last = pipeline.stages.last().map(|stage| &stage.command);
    matches!(last, Some(Command::Simple(simple)) if is_one_of(simple, &[b"grep", b"egrep", b"fgrep", b"rg"]))
}

/// `$(… | grep rm)`
fn has_grep(word: &Word) -> bool {
    let substitution = |part: &WordPart| match part {
        WordPart::CommandSubstitution(substitution) => substitution.body.as_ref().ok().cloned(),
        _ => None,
    };
    let inner = word.parts.iter().flat_map(|part| match part {
        WordPart::DoubleQuoted(parts) => parts.as_slice(),
        other => std::slice::from_ref(other),
    });
    inner.filter_map(substitution).any(|list| list.items.last().is_some_and(|item| greps(&item.and_or.first)))
}

/// `jq -e 'test("rm")'`: the status says what the filter found.
fn asks_jq(simple: &SimpleCommand) -> bool {
    const SEARCHES: [&str; 7] = ["test(", "contains(", "startswith(", "endswith(", "match(", "index(", "=="];
    let is_status = |text: &str| text == "--exit-status" || !text.starts_with("--") && text.contains('e');
    let words: Vec<String> = words(simple).map(text).collect();
    words.first().is_some_and(|name| name == "jq")
        && words.iter().skip(1).any(|word| word.starts_with('-') && is_status(word))
        && words.iter().any(|word| SEARCHES.iter().any(|search| word.contains(search)))
}

/// A word that is compared with text of the event: no emptiness, and no `null` of jq's.
fn is_text(word: &Word) -> bool {
    word.literal().is_some_and(|text| !text.is_empty() && &*text != b"null")
}

/// A pattern with a star and something else.
fn is_part_of_text(pattern: &Word) -> bool {
    let star = |part: &WordPart| matches!(part, WordPart::Literal(text) if text.contains(&b'*'));
    let other = |part: &WordPart| !matches!(part, WordPart::Literal(text) if text.iter().all(|byte| *byte == b'*'));
    pattern.parts.iter().any(star) && pattern.parts.iter().any(other)
}

/// `*`: whatever it is.
fn is_star(pattern: &Word) -> bool {
    pattern.literal().is_some_and(|text| text.iter().all(|byte| *byte == b'*'))
}

#[cfg(test)]
mod tests {
    use super::super::tests::found;

    /// Each of these functions calls the next one eight times.
    #[test]
    fn functions_that_call_each_other_are_looked_through_once() {
        let mut source = String::from("f9() { exit 1; }\n");
        for n in (0..9).rev() {
            source += &format!("f{n}() {{ {} }}\n", format!("f{}; ", n + 1).repeat(8));
        }
        source += "g() { g; g; g; g; g; g; g; g; exit 1; }\n";
        source += "if grep -q rm; then f0; g; fi\nif grep -q mv; then f0; g; fi\n";
        let exits = found(&source, false).into_iter().filter(|line| line.ends_with("HS313")).count();
        assert_eq!(exits, 2);
    }
}
