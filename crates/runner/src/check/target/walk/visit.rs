//! What each construct of a program adds.

use hookshell_syntax::ast::{
    AndOr, AndOrOp, Argument, Assignment, AssignmentValue, BraceExpansion, CaseTerminator, Command,
    CommandSubstitution, Compound, Condition, FunctionDefinition, List, ParameterExpansion, Pipeline, Redirection,
    RedirectionFd, RedirectionKind, SimpleCommand, Word, WordPart,
};

use super::super::for_system;
use super::super::program::{Mention, Program, Try};
use super::super::reach::{Answer, Reach};
use super::super::{bash, handled};
use super::{Function, Place, Walk};
use crate::check::walk::{self, Visitor, pipelines, text};

impl Visitor for Walk {
    fn list(&mut self, list: &List) {
        let reach = self.reach;
        self.items(list);
        self.reach = reach;
    }

    fn and_or(&mut self, and_or: &AndOr) {
        let all: Vec<&Pipeline> = pipelines(and_or).collect();
        let mut answer: Option<Answer> = None;
        // The alternative is reached where what is tried fails, so it is for the systems on which that does.
        let is_alternative = |at: usize| {
            let next = and_or.rest.get(at).filter(|(op, _)| *op == AndOrOp::Or);
            match (all.get(at), next) {
                (Some(tried), Some((_, instead))) => handled::is_alternative(tried, instead, &self.program.known),
                _ => false,
            }
        };
        let sides: Vec<usize> =
            (0..all.len()).filter(|at| is_alternative(*at) || at.checked_sub(1).is_some_and(is_alternative)).collect();
        let group = self.new_group();
        if !sides.is_empty() {
            self.program.groups.insert(group, sides.len());
        }
        for (index, pipeline) in all.iter().enumerate() {
            let op = index.checked_sub(1).and_then(|before| and_or.rest.get(before)).map(|(op, _)| *op);
            let reach = match (op, answer) {
                (Some(AndOrOp::And), Some(answer)) => match all.get(index - 1) {
                    Some(before) if self.asked.may_fail(before) => answer.on_yes().and(Reach::SOMETIMES),
                    _ => answer.on_yes(),
                },
                (Some(AndOrOp::Or), Some(answer)) => answer.on_no(),
                _ => Reach::ALWAYS,
            };
            let is_tried = sides.contains(&index);
            if is_tried {
                self.tries.push(Try { group, side: index });
            }
            self.within(reach, |walk| walk.pipeline(pipeline));
            if is_tried {
                self.tries.pop();
            }
            let next = self.asked.pipeline(pipeline);
            answer = Some(match (op, answer) {
                (Some(op), Some(before)) => before.followed_by(op, next),
                _ => next,
            });
        }
    }

    fn pipeline(&mut self, pipeline: &Pipeline) {
        for stage in &pipeline.stages {
            if stage.pipe_stderr {
                let span = match &stage.command {
                    Command::Simple(simple) => simple.span,
                    Command::Compound(compound) => compound.span,
                    Command::Function(function) => function.span,
                };
                self.new_syntax(span, "`|&`");
            }
            self.command(&stage.command);
        }
    }

    fn command(&mut self, command: &Command) {
        match command {
            Command::Simple(simple) => self.simple(simple),
            Command::Compound(compound) => {
                match &compound.kind {
                    Compound::Coprocess(_) => self.new_syntax(compound.span, "`coproc`"),
                    Compound::Case(clause)
                        if clause.items.iter().any(|item| item.terminator != CaseTerminator::Break) =>
                    {
                        self.new_syntax(compound.span, "`;&` and `;;&` in `case`");
                    }
                    _ => {}
                }
                self.compound(&compound.kind);
                compound.redirections.iter().for_each(|redirection| self.redirection(redirection));
            }
            Command::Function(function) => self.function(function),
        }
    }

    fn compound(&mut self, compound: &Compound) {
        match compound {
            Compound::If(clause) => self.if_clause(clause),
            Compound::Case(clause) => match self.asked.cases(clause) {
                Some(reaches) => {
                    self.word(&clause.subject);
                    for (item, reach) in clause.items.iter().zip(reaches) {
                        self.within(reach, |walk| walk.list(&item.body));
                    }
                }
                None => self.within(Reach::SOMETIMES, |walk| walk::compound(walk, compound)),
            },
            Compound::For(clause) => {
                for word in clause.words.iter().flatten() {
                    // A list of whole directories is compared with rather than opened.
                    let path = text(word);
                    self.listed.push(path.clone());
                    if path.matches('/').count() > 1 {
                        self.path(&path, word.span, false);
                    }
                }
                self.asked.set_by_running(clause.name.as_bytes(), self.reach);
                self.within(Reach::SOMETIMES, |walk| walk::compound(walk, compound));
            }
            Compound::Arithmetic(arithmetic) => {
                // Without a `$` it is no expansion: `(( BASH_VERSINFO[0] < 4 ))`.
                self.program.asks_for_version |= text(&arithmetic.text).contains("BASH_VERSINFO");
                walk::compound(self, compound);
            }
            Compound::While(_) | Compound::ArithmeticFor(_) | Compound::Select(_) => {
                self.within(Reach::SOMETIMES, |walk| walk::compound(walk, compound));
            }
            _ => walk::compound(self, compound),
        }
    }

    fn function(&mut self, function: &FunctionDefinition) {
        let name = String::from_utf8_lossy(function.name.as_bytes()).into_owned();
        self.program.known.insert(name.clone());
        let lengths = |walk: &Self| {
            let Program { uses, new_syntax, paths, .. } = &walk.program;
            [uses.len(), new_syntax.len(), paths.len(), walk.tested.len()]
        };
        let from = lengths(self);
        let is_in_function = std::mem::replace(&mut self.asked.is_in_function, true);
        walk::function(self, function);
        self.asked.defined(function.name.as_bytes(), &function.body.kind);
        self.asked.is_in_function = is_in_function;
        let to = lengths(self);
        let [uses, new_syntax, paths, tested] = std::array::from_fn(|at| from[at]..to[at]);
        self.functions.push(Function { name, uses, new_syntax, paths, tested });
    }

    fn simple(&mut self, simple: &SimpleCommand) {
        // `VARIABLE=x command` sets it for the command alone.
        let is_for_command = !simple.arguments.is_empty() && !simple.assignments.is_empty();
        let flags = is_for_command.then(|| self.asked.flags.clone());
        walk::simple(self, simple);
        if let Some(flags) = flags {
            self.asked.flags = flags;
        }
        self.asked.set_by(simple, self.reach);
        let words: Vec<&Word> = walk::words(simple).collect();
        let is_plain = !matches!(simple.arguments.first(), Some(Argument::Assignment(_)));
        if is_plain && !words.is_empty() && !for_system::asks_for_gnu(simple) {
            let paths = self.program.paths.len();
            self.commands(&words);
            if for_system::asks_for_wsl(simple) {
                self.program.paths.truncate(paths);
            }
        }
    }

    fn assignment(&mut self, assignment: &Assignment) {
        self.asked.assigned(assignment, self.reach);
        if let AssignmentValue::Scalar(word) = &assignment.value {
            self.path(&text(word), word.span, false);
        }
        if assignment.subscript.as_ref().is_some_and(bash::is_negative) {
            self.new_syntax(assignment.span, "a negative subscript (`x[-1]`)");
        }
        walk::assignment(self, assignment);
    }

    fn redirection(&mut self, redirection: &Redirection) {
        if matches!(redirection.fd, Some(RedirectionFd::Variable(_))) {
            self.new_syntax(redirection.span, "`{name}>`");
        }
        if matches!(redirection.kind, RedirectionKind::AppendBoth(_)) {
            self.new_syntax(redirection.span, "`&>>`");
        }
        if let Some(word) = redirection.kind.file() {
            self.path(&text(word), word.span, false);
        }
        walk::redirection(self, redirection);
    }

    fn part(&mut self, part: &WordPart) {
        if let WordPart::Brace(brace) = part {
            let is_new = match &**brace {
                BraceExpansion::Integers { step, width, .. } => *step != 0 || *width > 0,
                BraceExpansion::Characters { step, .. } => *step != 0,
                BraceExpansion::Alternatives(_) | BraceExpansion::Words { .. } => false,
            };
            if is_new {
                // The place is that of the command, which is pushed after its words.
                self.program.new_syntax.push(Mention {
                    offset: usize::MAX,
                    what: "a step or zeros in `{1..9}`",
                    systems: self.reach.may,
                });
            }
        }
        walk::part(self, part);
    }

    fn word(&mut self, word: &Word) {
        let before = self.program.new_syntax.len();
        self.parts(&word.parts);
        let offset = self.offset(word.span);
        let found = self.program.new_syntax.iter_mut().skip(before);
        found.filter(|found| found.offset == usize::MAX).for_each(|found| found.offset = offset);
    }

    fn expansion(&mut self, expansion: &ParameterExpansion) {
        self.program.asks_for_version |= bash::is_version(expansion);
        if let Some(what) = bash::of_expansion(expansion) {
            self.new_syntax(expansion.span, what);
        }
        walk::expansion(self, expansion);
    }

    fn substitution(&mut self, substitution: &CommandSubstitution) {
        let Ok(body) = &substitution.body else { return };
        let place = match substitution.backquoted {
            true => Place::At(self.offset(substitution.span)),
            false => self.place,
        };
        let place = std::mem::replace(&mut self.place, place);
        self.list(body);
        self.place = place;
    }

    fn condition(&mut self, condition: &Condition) {
        if let Condition::Unary(operator, word) = condition {
            match operator {
                b'v' => self.new_syntax(word.span, "`-v` of `[[`"),
                b'e' | b'f' | b'd' | b'r' | b'w' | b'x' | b's' | b'S' | b'p' | b'L' | b'c' | b'b' => {
                    self.path(&text(word), word.span, true);
                }
                _ => {}
            }
        }
        walk::condition(self, condition);
    }
}
