//! The simple commands of a program and what else of it a system may not have.

use std::ops::Range;
use std::sync::Arc;

use hookshell_dispatch::command_line::KnownShell;
use hookshell_syntax::ast::{
    AndOr, AndOrOp, Argument, Assignment, AssignmentValue, BraceExpansion, CaseTerminator, Command,
    CommandSubstitution, Compound, Condition, FunctionDefinition, IfClause, List, ParameterExpansion, Pipeline,
    Redirection, RedirectionFd, RedirectionKind, SimpleCommand, Word, WordPart,
};
use hookshell_syntax::{Span, parse_for_analysis};

use super::for_system::{self, Answer, Asked, Systems};
use super::program::{Mention, Program, Try, Use};
use super::{bash, handled, paths};
use crate::check::command::options;
use crate::check::walk::{self, Visitor, pipelines, text};
use crate::check::wrapper;

/// Reads shell code; of what is not valid, what stands before the error.
pub(super) fn read(source: &Arc<[u8]>) -> Program {
    let mut walk = Walk::default();
    walk.source(source, Place::From(0), None);
    walk.finished()
}

/// Where the text that is walked through stands in the source.
#[derive(Debug, Clone, Copy)]
enum Place {
    /// From this byte on.
    From(usize),
    /// All of it at this byte: backslashes make its places others.
    At(usize),
}

impl Default for Place {
    fn default() -> Self {
        Self::From(0)
    }
}

/// How deep code in texts of code is followed (`bash -c "bash -c …"`).
const DEPTH: usize = 4;

struct Walk {
    program: Program,
    place: Place,
    depth: usize,
    shell: Option<String>,
    /// The systems that the code is for here.
    systems: Systems,
    asked: Asked,
    /// What is tried, and this is part of.
    tries: Vec<Try>,
    /// Commands that a condition around this tries out.
    tried: Vec<Tried>,
    /// How many groups there are.
    groups: usize,
    /// Words of `for` lists: they may be names of commands that are asked for.
    listed: Vec<String>,
    /// Paths that are asked for before they are opened.
    tested: Vec<Mention<String>>,
    /// The functions, in the order in which their bodies end.
    functions: Vec<Function>,
}

/// What stands in the body of a function, by its places in lists of the walk.
struct Function {
    name: String,
    uses: Range<usize>,
    new_syntax: Range<usize>,
    paths: Range<usize>,
    tested: Range<usize>,
}

/// A command that the condition of an `if` tries out.
struct Tried {
    name: String,
    /// The branch that is walked through.
    branch: Try,
    is_body: bool,
    branches: usize,
}

impl Default for Walk {
    fn default() -> Self {
        Self {
            program: Program::default(),
            place: Place::default(),
            depth: 0,
            shell: None,
            systems: Systems::ALL,
            asked: Asked::default(),
            tries: Vec::new(),
            tried: Vec::new(),
            groups: 0,
            listed: Vec::new(),
            tested: Vec::new(),
            functions: Vec::new(),
        }
    }
}

impl Walk {
    /// Walks through a text of code.
    fn source(&mut self, source: &Arc<[u8]>, place: Place, shell: Option<String>) {
        let parsed = parse_for_analysis(source.clone(), &options());
        let place = std::mem::replace(&mut self.place, place);
        let shell = std::mem::replace(&mut self.shell, shell);
        let systems = self.systems;
        self.depth += 1;
        // Each line is a unit of its own.
        parsed.units.iter().for_each(|unit| self.items(&unit.list));
        self.depth -= 1;
        self.systems = systems;
        self.place = place;
        self.shell = shell;
    }

    /// A function is for the systems of its calls: `say_mac() { … }`, which `case "$(uname)" in Darwin)` alone calls.
    fn narrow_functions(&mut self) {
        // Who calls mostly stands after what it calls, and has its own systems first.
        for function in self.functions.drain(..).rev() {
            let Function { name, uses, new_syntax, paths, tested } = function;
            let is_call = |(at, used): &(usize, &Use)| !uses.contains(at) && used.words.first() == Some(&name);
            let calls = self.program.uses.iter().enumerate().filter(is_call).map(|(_, used)| used.systems);
            let Some(called) = calls.reduce(Systems::or) else { continue };
            let narrow = |systems: &mut Systems| *systems = systems.and(called);
            self.program.uses.get_mut(uses).into_iter().flatten().for_each(|used| narrow(&mut used.systems));
            let syntax = self.program.new_syntax.get_mut(new_syntax).into_iter().flatten();
            syntax.for_each(|mention| narrow(&mut mention.systems));
            let opened = self.program.paths.get_mut(paths).into_iter().flatten();
            let asked = self.tested.get_mut(tested).into_iter().flatten();
            opened.chain(asked).for_each(|mention| narrow(&mut mention.systems));
        }
    }

    fn finished(mut self) -> Program {
        self.narrow_functions();
        // Who asks for a path opens it only where it is there; who only asks takes that it is not for an answer.
        let is_in = |path: &str, directory: &str| {
            path.strip_prefix(directory).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let tested = std::mem::take(&mut self.tested);
        let opened = std::mem::take(&mut self.program.paths);
        let (asked, only_asked): (Vec<_>, Vec<_>) =
            tested.into_iter().partition(|test| opened.iter().any(|path| is_in(&path.what, &test.what)));
        let mut paths: Vec<_> =
            opened.into_iter().filter(|path| !asked.iter().any(|test| is_in(&path.what, &test.what))).collect();
        paths.extend(only_asked);
        self.program.paths = paths;
        // `need() { command -v "$1" || exit 0; }; need jq`, `for c in jq git; do command -v "$c"; done`
        let Program { known, uses, .. } = &mut self.program;
        if known.iter().any(|name| name.contains('$')) {
            let calls = uses.iter().filter(|used| used.words.first().is_some_and(|name| known.contains(name)));
            self.listed.extend(calls.flat_map(|used| used.words.iter().skip(1)).cloned());
            known.extend(self.listed);
        }
        self.program
    }

    fn offset(&self, span: Span) -> usize {
        match self.place {
            Place::From(start) => start + usize::try_from(span.start).unwrap_or_default(),
            Place::At(place) => place,
        }
    }

    fn new_syntax(&mut self, span: Span, what: &'static str) {
        let offset = self.offset(span);
        self.program.new_syntax.push(Mention { offset, what, systems: self.systems });
    }

    /// The items of a list. What stands after `[ "$(uname)" = Darwin ] || exit 0` is for that system.
    fn items(&mut self, list: &List) {
        for item in &list.items {
            self.and_or(&item.and_or);
            self.systems = self.systems.and(self.after(&item.and_or));
        }
    }

    /// The systems on which what stands after a command is reached.
    fn after(&self, and_or: &AndOr) -> Systems {
        match &*and_or.rest {
            [(op, last)] if handled::ends(last) => {
                let answer = self.asked.pipeline(&and_or.first);
                if *op == AndOrOp::Or { answer.yes } else { answer.no }
            }
            [] => match only_compound(&and_or.first) {
                Some(Compound::If(IfClause { branches, otherwise: None })) => match &**branches {
                    [(condition, body)] if handled::list_ends(body) => self.asked.list(condition).no,
                    _ => Systems::ALL,
                },
                _ => Systems::ALL,
            },
            _ => Systems::ALL,
        }
    }

    fn within(&mut self, systems: Systems, walk: impl FnOnce(&mut Self)) {
        let before = self.systems;
        self.systems = before.and(systems);
        walk(self);
        self.systems = before;
    }

    fn new_group(&mut self) -> usize {
        self.groups += 1;
        self.groups
    }

    fn if_clause(&mut self, clause: &IfClause) {
        let around = self.tried.len();
        let branches = clause.branches.len() + usize::from(clause.otherwise.is_some());
        if branches > 1 {
            for name in handled::tried(clause) {
                let branch = Try { group: self.new_group(), side: 0 };
                self.tried.push(Tried { name, branch, is_body: false, branches });
            }
        }
        let mut left = Systems::ALL;
        for (side, (condition, body)) in clause.branches.iter().enumerate() {
            let answer = self.asked.list(condition);
            self.branch(around, side, false);
            self.within(left, |walk| walk.list(condition));
            self.branch(around, side, true);
            self.within(left.and(answer.yes), |walk| walk.list(body));
            left = left.and(answer.no);
        }
        if let Some(body) = &clause.otherwise {
            self.branch(around, clause.branches.len(), true);
            self.within(left, |walk| walk.list(body));
        }
        self.tried.truncate(around);
    }

    /// Enters a branch of the `if` whose commands are those from a number on.
    fn branch(&mut self, from: usize, side: usize, is_body: bool) {
        for tried in self.tried.iter_mut().skip(from) {
            tried.branch.side = side;
            tried.is_body = is_body;
        }
    }

    /// What is tried that a command of this name is part of.
    fn tries_of(&mut self, name: &str) -> Vec<Try> {
        let mut tries = self.tries.clone();
        for tried in self.tried.iter().filter(|tried| tried.name == name) {
            tries.push(tried.branch);
            if tried.is_body {
                self.program.groups.insert(tried.branch.group, tried.branches);
            }
        }
        tries
    }

    /// A simple command's words, and those of each command that it starts.
    fn commands(&mut self, nodes: &[&Word]) {
        let words: Vec<String> = nodes.iter().map(|word| text(word)).collect();
        let mut next = Some(0..words.len());
        while let Some(range) = next {
            let (Some(words), Some(nodes)) = (words.get(range.clone()), nodes.get(range.clone())) else { return };
            let (Some((name, operands)), Some(first)) = (words.split_first(), nodes.first()) else { return };
            let name = super::base_name(name);
            let tries = self.tries_of(name);
            self.program.uses.push(Use {
                offset: self.offset(first.span),
                words: words.to_vec(),
                systems: self.systems,
                tries,
                shell: self.shell.clone(),
            });
            self.paths(words, nodes);
            self.asks(name, operands);
            self.code(name, operands, nodes);
            next = match name {
                "find" => wrapper::started_by_find(operands)
                    .map(|found| range.start + 1 + found.start..range.start + 1 + found.end),
                _ => wrapper::any(name, operands).map(|at| range.start + 1 + at..range.end),
            };
        }
    }

    /// What a command says that is there, or asks for.
    fn asks(&mut self, name: &str, operands: &[String]) {
        let asks = matches!(name, "which" | "type" | "hash")
            || name == "command" && operands.first().is_some_and(|word| matches!(&**word, "-v" | "-V"));
        if asks {
            self.program.known.extend(operands.iter().cloned());
        } else if name == "alias" {
            let names = operands.iter().filter_map(|word| word.split_once('='));
            self.program.known.extend(names.map(|(name, _)| name.trim_matches(['"', '\'']).to_owned()));
        }
    }

    fn paths(&mut self, words: &[String], nodes: &[&Word]) {
        let tested: Vec<usize> = match words.first().map(String::as_str) {
            Some("[" | "test") => paths::tested(words).map(|(at, _)| at).collect(),
            _ => Vec::new(),
        };
        for at in paths::opened(words) {
            let (Some(word), Some(node)) = (words.get(at), nodes.get(at)) else { continue };
            self.path(word, node.span, tested.contains(&at));
        }
    }

    fn path(&mut self, word: &str, span: Span, is_tested: bool) {
        if let Some(path) = paths::path_of(word) {
            let mention = Mention { offset: self.offset(span), what: path.to_owned(), systems: self.systems };
            match is_tested {
                true => self.tested.push(mention),
                false if self.tries.is_empty() => self.program.paths.push(mention),
                false => {}
            }
        }
    }

    /// Code in a word: `bash -c CODE`, `eval CODE`, `trap CODE EXIT`.
    fn code(&mut self, name: &str, operands: &[String], nodes: &[&Word]) {
        let shell = KnownShell::named(name.as_bytes()).filter(|shell| shell.is_interpreted());
        let at = match name {
            _ if shell.is_some() => operands
                .iter()
                .position(|word| word.starts_with('-') && !word.starts_with("--") && word.contains('c'))
                .map(|at| at + 1),
            "eval" if operands.len() == 1 => Some(0),
            "trap" if operands.len() > 1 => Some(0),
            _ => None,
        };
        let Some(word) = at.and_then(|at| nodes.get(at + 1)).filter(|_| self.depth < DEPTH) else { return };
        let Some(code) = word.literal() else { return };
        let offset = self.offset(word.span);
        // In quotes and without escapes each byte stands for itself.
        let is_as_written = word.span.end.saturating_sub(word.span.start) as usize == code.len() + 2;
        let place = match self.place {
            Place::From(_) if is_as_written => Place::From(offset + 1),
            _ => Place::At(offset),
        };
        let shell = if shell.is_some() { Some(name.to_owned()) } else { self.shell.clone() };
        self.source(&Arc::from(&*code), place, shell);
    }
}

impl Visitor for Walk {
    fn list(&mut self, list: &List) {
        let systems = self.systems;
        self.items(list);
        self.systems = systems;
    }

    fn and_or(&mut self, and_or: &AndOr) {
        let all: Vec<&Pipeline> = pipelines(and_or).collect();
        let mut answer = None;
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
            let systems = match (op, answer) {
                (Some(AndOrOp::And), Some(Answer { yes, .. })) => yes,
                (Some(AndOrOp::Or), Some(Answer { no, .. })) => no,
                _ => Systems::ALL,
            };
            let is_tried = sides.contains(&index);
            if is_tried {
                self.tries.push(Try { group, side: index });
            }
            self.within(systems, |walk| walk.pipeline(pipeline));
            if is_tried {
                self.tries.pop();
            }
            let next = self.asked.pipeline(pipeline);
            answer = Some(match (op, answer) {
                (Some(op), Some(before)) => combined(before, op, next),
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
            Compound::Case(clause) => {
                let patterns: Vec<Vec<Word>> = clause.items.iter().map(|item| item.patterns.clone()).collect();
                match self.asked.cases(&clause.subject, &patterns) {
                    Some(systems) => {
                        self.word(&clause.subject);
                        for (item, systems) in clause.items.iter().zip(systems) {
                            self.within(systems, |walk| walk.list(&item.body));
                        }
                    }
                    None => walk::compound(self, compound),
                }
            }
            Compound::For(clause) => {
                for word in clause.words.iter().flatten() {
                    // A list of whole directories is compared with rather than opened.
                    let path = text(word);
                    self.listed.push(path.clone());
                    if path.matches('/').count() > 1 {
                        self.path(&path, word.span, false);
                    }
                }
                walk::compound(self, compound);
            }
            _ => walk::compound(self, compound),
        }
    }

    fn function(&mut self, function: &FunctionDefinition) {
        let name = String::from_utf8_lossy(function.name.as_bytes()).into_owned();
        self.program.known.insert(name.clone());
        self.asked.defined(function.name.as_bytes(), &function.body.kind);
        let lengths = |walk: &Self| {
            let Program { uses, new_syntax, paths, .. } = &walk.program;
            [uses.len(), new_syntax.len(), paths.len(), walk.tested.len()]
        };
        let from = lengths(self);
        walk::function(self, function);
        let to = lengths(self);
        let [uses, new_syntax, paths, tested] = std::array::from_fn(|at| from[at]..to[at]);
        self.functions.push(Function { name, uses, new_syntax, paths, tested });
    }

    fn simple(&mut self, simple: &SimpleCommand) {
        walk::simple(self, simple);
        let words: Vec<&Word> = walk::words(simple).collect();
        let is_plain = !matches!(simple.arguments.first(), Some(Argument::Assignment(_)));
        if is_plain && !words.is_empty() {
            let paths = self.program.paths.len();
            self.commands(&words);
            if for_system::asks_for_wsl(simple) {
                self.program.paths.truncate(paths);
            }
        }
    }

    fn assignment(&mut self, assignment: &Assignment) {
        self.asked.assigned(assignment, self.systems != Systems::ALL);
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
            match &**brace {
                BraceExpansion::Integers { step, width, .. } if *step != 0 || *width > 0 => {
                    // The place is that of the command, which is pushed after its words.
                    self.program.new_syntax.push(Mention {
                        offset: usize::MAX,
                        what: "a step or zeros in `{1..9}`",
                        systems: self.systems,
                    });
                }
                _ => {}
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

/// `[ "$(uname)" = Darwin ] && x || y`: `y` is meant for the others.
fn combined(before: Answer, op: AndOrOp, next: Answer) -> Answer {
    let asks = next.yes != Systems::ALL || next.no != Systems::ALL;
    if op == AndOrOp::And && !asks { before } else { before.then(op, next) }
}

fn only_compound(pipeline: &Pipeline) -> Option<&Compound> {
    match &*pipeline.stages {
        [stage] => match &stage.command {
            Command::Compound(compound) => Some(&compound.kind),
            _ => None,
        },
        _ => None,
    }
}
