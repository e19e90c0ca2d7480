//! A command line: does it run a command that a rule is for, or may it?
//!
//! It is read as bash reads it, and each simple command is compared with the rule: by its base name, in every wrapper and
//! interpreter that is given code. What cannot be judged counts as one of the rule's: an expansion where the name of a
//! command stands, a syntax error, a text that is too long. What is only data counts as none: arguments of programs that
//! start no others, texts that are written to files.
//!
//! The work is bounded: by the length of the text, by the depth of what is nested, and by a number of steps.

mod awk;
mod command;
mod foreign;
mod git;
mod output;
mod sed;
mod word;
mod wrapper;
mod written;

use std::path::PathBuf;
use std::rc::Rc;

use hookshell_syntax::ast::{
    Argument, Arithmetic, Assignment, AssignmentValue, BraceExpansion, Command, Compound, CompoundCommand, Condition,
    List, Parameter, ParameterOperation, Redirection, RedirectionKind, SimpleCommand, Subscript, Word as Tree,
    WordPart,
};
use hookshell_syntax::{Operand, ParseOptions, Parser};

use super::pattern::CommandPattern;
use super::surroundings::Surroundings;

use self::output::document_text;
use self::written::{Executed, Written};
pub(super) use word::{Fields, HOLE, Word};

/// A longer line is not judged.
const LENGTH_LIMIT: usize = 256 * 1024;
/// Bytes that are read and compared in all, code in code counted again.
const STEPS_LIMIT: usize = 4 * 1024 * 1024;
/// How deep commands, expansions and code in code may be nested.
const DEPTH_LIMIT: u32 = 48;
/// How many brackets may be open at once, those in texts counted too.
const BRACKETS_LIMIT: usize = 500;
/// How many words and expansions a command may have.
const NODES_LIMIT: usize = 100_000;
/// How many files a line writes and runs that are told apart.
const FILES_LIMIT: usize = 64;
/// Where relative paths may start.
const DIRECTORIES_LIMIT: usize = 8;

/// Does the line run a command of the rule, or may it?
pub(super) fn may_run(pattern: &CommandPattern, line: &str, around: &Surroundings<'_>) -> bool {
    if line.len() > LENGTH_LIMIT || line.contains('\0') {
        return true;
    }
    if pattern.is_line(line.as_bytes()) || is_deep(line) {
        return true;
    }
    let mut judge = Judge {
        pattern,
        is_found: false,
        steps: 0,
        depth: 0,
        input: Input::Inherited,
        is_substituted: false,
        around: *around,
        directories: around.directories.iter().map(|path| path.to_path_buf()).collect(),
        paths: Vec::new(),
        moves_gits_configs: false,
        looked_up_aliases: 0,
        written: Vec::new(),
        executed: Vec::new(),
        runs_project: false,
        source: Rc::default(),
    };
    judge.code(line.as_bytes());
    judge.files();
    judge.is_found
}

/// Are more brackets open at once than anybody writes? Whatever they would be for.
fn is_deep(line: &str) -> bool {
    let mut open = 0_usize;
    line.bytes().any(|byte| {
        match byte {
            b'(' | b'{' | b'[' => open += 1,
            b')' | b'}' | b']' => open = open.saturating_sub(1),
            _ => {}
        }
        open > BRACKETS_LIMIT
    })
}

/// What a command reads on standard input.
#[derive(Debug, Clone)]
enum Input {
    /// What the line's shell has.
    Inherited,
    /// What is not known.
    Unknown,
    /// This, with holes.
    Text(Rc<[u8]>),
    /// A file, which is a script where a shell reads it.
    File,
}

struct Judge<'p> {
    pattern: &'p CommandPattern,
    /// The hook must run.
    is_found: bool,
    steps: usize,
    depth: u32,
    input: Input,
    /// The output of what is looked at becomes part of a command.
    is_substituted: bool,
    around: Surroundings<'p>,
    /// What relative paths of programs are relative to.
    directories: Vec<PathBuf>,
    /// Directories that the line puts into PATH.
    paths: Vec<PathBuf>,
    /// The line says where git's configs are.
    moves_gits_configs: bool,
    /// For how many commands git's configs were read.
    looked_up_aliases: usize,
    /// Files that the line writes.
    written: Vec<Written>,
    /// Files that it runs.
    executed: Vec<(Vec<u8>, Executed)>,
    /// Something runs what the project defines: `make`.
    runs_project: bool,
    /// The text that places are in.
    source: Rc<[u8]>,
}

impl Judge<'_> {
    fn found(&mut self) {
        self.is_found = true;
    }

    fn step(&mut self, steps: usize) {
        self.steps = self.steps.saturating_add(steps);
        self.is_found |= self.steps > STEPS_LIMIT;
    }

    /// What is one level deeper.
    fn deeper(&mut self, walk: impl FnOnce(&mut Self)) {
        if self.depth >= DEPTH_LIMIT {
            return self.found();
        }
        if self.is_found {
            return;
        }
        self.depth += 1;
        walk(self);
        self.depth -= 1;
    }

    /// Shell code.
    fn code(&mut self, code: &[u8]) {
        if code.len() > LENGTH_LIMIT || code.contains(&HOLE) {
            return self.found();
        }
        self.step(code.len());
        self.deeper(|judge| {
            let before = std::mem::replace(&mut judge.source, code.into());
            judge.units(code);
            judge.source = before;
        });
    }

    fn units(&mut self, code: &[u8]) {
        let max_depth = DEPTH_LIMIT - self.depth.min(DEPTH_LIMIT) + 1;
        let options = ParseOptions { max_nodes: NODES_LIMIT, max_depth, ..ParseOptions::default() };
        let mut parser = Parser::new(code);
        // Without it `*(…)` is no word of bash's, and in zsh it may be code.
        let has_extended = code.windows(7).any(|part| part == b"extglob");
        while !self.is_found {
            match parser.next_unit_unrun(&options, |_| has_extended) {
                Ok(Some(unit)) => self.list(&unit.list),
                Ok(None) => return,
                // Another shell may make sense of it, and an alias.
                Err(_) => return self.found(),
            }
        }
    }

    fn list(&mut self, list: &List) {
        for item in &list.items {
            let pipelines = std::iter::once(&item.and_or.first).chain(item.and_or.rest.iter().map(|(_, next)| next));
            for pipeline in pipelines {
                let mut output: Option<Input> = None;
                let inherited = self.input.clone();
                let is_long = pipeline.stages.len() > 1;
                for stage in &pipeline.stages {
                    if self.is_found {
                        return;
                    }
                    self.input = output.take().unwrap_or_else(|| inherited.clone());
                    let is_substituted = self.is_substituted;
                    self.is_substituted |= is_long;
                    self.node(&stage.command);
                    self.is_substituted = is_substituted;
                    if is_long {
                        output = Some(self.output(&stage.command).map_or(Input::Unknown, Input::Text));
                    }
                }
                self.input = inherited;
            }
        }
    }

    fn node(&mut self, command: &Command) {
        match command {
            Command::Simple(simple) => self.simple(simple),
            Command::Compound(compound) => self.deeper(|judge| judge.compound(compound)),
            Command::Function(function) => {
                // Who calls it gives it its input.
                let input = std::mem::replace(&mut self.input, Input::Unknown);
                self.deeper(|judge| judge.compound(&function.body));
                self.input = input;
            }
        }
    }

    fn compound(&mut self, compound: &CompoundCommand) {
        let input = self.input.clone();
        self.redirections(&compound.redirections, None);
        match &compound.kind {
            Compound::For(clause) | Compound::Select(clause) => {
                clause.words.iter().flatten().for_each(|word| self.inside(word));
            }
            Compound::Case(clause) => {
                self.inside(&clause.subject);
                clause.items.iter().flat_map(|item| &item.patterns).for_each(|pattern| self.inside(pattern));
            }
            Compound::Arithmetic(arithmetic) => {
                self.arithmetic(arithmetic);
                // Other shells have two subshells there: `((rm x))`.
                let text = Word::new(&arithmetic.text).text;
                let is_none = arithmetic.expression.is_none() && !text.contains(&b'[');
                if is_none || self.pattern.is_mentioned(&text) {
                    self.found();
                }
            }
            Compound::ArithmeticFor(clause) => {
                let parts = [&clause.init, &clause.condition, &clause.step];
                parts.into_iter().flatten().for_each(|arithmetic| self.arithmetic(arithmetic));
            }
            Compound::Condition(condition) => self.condition(condition),
            Compound::Coprocess(coprocess) => {
                coprocess.name.iter().for_each(|name| self.inside(name));
                self.input = Input::Unknown;
                self.node(&coprocess.command);
            }
            _ => {}
        }
        for list in compound.kind.lists() {
            self.list(list);
        }
        self.input = input;
    }

    fn condition(&mut self, condition: &Condition) {
        match condition {
            Condition::Unary(operator, word) => {
                self.inside(word);
                let word = Word::new(word);
                if matches!(operator, b'v' | b'R') {
                    self.evaluated(&word);
                }
            }
            Condition::Binary(_, left, right) => {
                self.inside(left);
                self.inside(right);
                let words = [Word::new(left), Word::new(right)];
                words.iter().for_each(|word| self.evaluated(word));
                // Where `[[` is no keyword: `[[ a || rm = x ]]`.
                if words.first().is_some_and(|word| word.text().is_some()) && self.pattern.may_be(&words) {
                    self.found();
                }
            }
            Condition::Not(inner) | Condition::Group(inner) => self.condition(inner),
            Condition::And(terms) | Condition::Or(terms) => terms.iter().for_each(|term| self.condition(term)),
        }
    }

    fn simple(&mut self, simple: &SimpleCommand) {
        self.step(simple.span.end.saturating_sub(simple.span.start) as usize);
        if self.is_found {
            return;
        }
        let is_given = !simple.arguments.is_empty();
        simple.assignments.iter().for_each(|assignment| self.assignment(assignment, is_given));
        let mut words = Vec::with_capacity(simple.arguments.len());
        for argument in &simple.arguments {
            match argument {
                Argument::Word(word) => {
                    self.inside(word);
                    words.push(Word::new(word));
                }
                Argument::Assignment(assignment) => {
                    self.assignment(assignment, false);
                    let mut word = Word::known(assignment.name.as_bytes());
                    word.text.push(b'=');
                    if let AssignmentValue::Scalar(value) = &assignment.value {
                        word.text.extend(Word::new(value).text);
                    }
                    words.push(word);
                }
            }
        }
        // Where `&>` is no operator, what follows it is a command of its own.
        let is_both = |redirection: &&Redirection| {
            matches!(redirection.kind, RedirectionKind::WriteBoth(_) | RedirectionKind::AppendBoth(_))
        };
        if let Some(both) = simple.redirections.iter().find(is_both) {
            let after = simple.arguments.iter().position(|argument| match argument {
                Argument::Word(word) => word.span.start > both.span.start,
                Argument::Assignment(assignment) => assignment.span.start > both.span.start,
            });
            if let Some(after) = after.filter(|after| *after > 0) {
                self.command(words.get(after..).unwrap_or_default());
            }
        }
        let input = self.input.clone();
        let text = if words.is_empty() { None } else { self.output_of(&words, &simple.redirections) };
        self.redirections(&simple.redirections, Some((text, words.is_empty())));
        let source = Rc::clone(&self.source);
        let range = simple.span.start as usize..simple.span.end as usize;
        if !words.is_empty() && self.pattern.is_text(source.get(range).unwrap_or_default()) {
            self.found();
        }
        self.command(&words);
        // `exec < file` is for what follows.
        let is_kept = words.len() == 1 && words.first().is_some_and(|word| word.text == b"exec");
        if !is_kept {
            self.input = input;
        }
    }

    /// An assignment; whether it is for one command.
    fn assignment(&mut self, assignment: &Assignment, is_given: bool) {
        self.subscript(assignment.subscript.as_ref());
        let name = assignment.name.as_bytes();
        match &assignment.value {
            AssignmentValue::Scalar(value) => {
                self.inside(value);
                let value = Word::new(value);
                self.variable(name, &value, is_given);
            }
            AssignmentValue::Array(elements) => {
                for element in elements {
                    self.subscript(element.subscript.as_ref());
                    element.braced.iter().for_each(|word| self.inside(word));
                    self.inside(&element.value);
                    let value = Word::new(&element.value);
                    self.variable(name, &value, is_given);
                }
            }
        }
    }

    fn inside(&mut self, word: &Tree) {
        self.inside_parts(&word.parts);
    }

    fn inside_parts(&mut self, parts: &[WordPart]) {
        for part in parts {
            if self.is_found {
                return;
            }
            match part {
                WordPart::Literal(_) | WordPart::Quoted(_) | WordPart::Tilde(_) => {}
                WordPart::DoubleQuoted(parts) => self.inside_parts(parts),
                WordPart::CommandSubstitution(substitution) => match &substitution.body {
                    Ok(list) => self.substituted(list, false),
                    Err(_) => self.found(),
                },
                WordPart::ProcessSubstitution(substitution) => self.substituted(&substitution.body, !substitution.read),
                WordPart::Parameter(expansion) | WordPart::QuotedParameter(expansion) => self.deeper(|judge| {
                    if let Parameter::Element(_, subscript) = &expansion.parameter {
                        judge.subscript(Some(subscript));
                    }
                    for operand in expansion.operation.operands() {
                        match operand {
                            Operand::Word(word) => judge.inside(word),
                            Operand::Arithmetic(arithmetic) => judge.arithmetic(arithmetic),
                        }
                    }
                    // `${x@P}` is expanded once more; zsh has more operators.
                    if matches!(expansion.operation, ParameterOperation::Transform(b'P') | ParameterOperation::Bad(_)) {
                        judge.found();
                    }
                }),
                WordPart::Arithmetic(arithmetic) => self.deeper(|judge| judge.arithmetic(arithmetic)),
                WordPart::Brace(brace) => match &**brace {
                    BraceExpansion::Alternatives(alternatives) => {
                        self.deeper(|judge| alternatives.iter().for_each(|parts| judge.inside_parts(parts)));
                    }
                    BraceExpansion::Words { plain, words, .. } => self.deeper(|judge| {
                        judge.inside_parts(plain);
                        words.iter().for_each(|parts| judge.inside_parts(parts));
                    }),
                    _ => {}
                },
            }
        }
    }

    fn substituted(&mut self, list: &List, reads: bool) {
        let before = (self.input.clone(), self.is_substituted);
        self.is_substituted = true;
        if reads {
            self.input = Input::Unknown;
        }
        self.deeper(|judge| judge.list(list));
        (self.input, self.is_substituted) = before;
    }

    fn arithmetic(&mut self, arithmetic: &Arithmetic) {
        self.inside(&arithmetic.text);
    }

    fn subscript(&mut self, subscript: Option<&Subscript>) {
        if let Some(Subscript::Index(index)) = subscript {
            self.deeper(|judge| {
                judge.inside(&index.key);
                judge.arithmetic(&index.arithmetic);
            });
        }
    }

    /// Redirections of a command; `own` is what a simple command writes, and whether it is no command at all.
    fn redirections(&mut self, redirections: &[Redirection], own: Option<(Option<Rc<[u8]>>, bool)>) {
        for redirection in redirections {
            match &redirection.kind {
                RedirectionKind::Read(word) | RedirectionKind::ReadWrite(word) => {
                    self.inside(word);
                    let word = Word::new(word);
                    self.input = match word.text() {
                        // `bash < <(…)`, `bash < /dev/fd/3`
                        Some(path) if !is_device(path) => {
                            self.execute_later(path);
                            Input::File
                        }
                        _ if word.text.starts_with(b"/dev/fd/")
                            || word.text.contains(&b'/') && is_device(&word.text) =>
                        {
                            Input::Unknown
                        }
                        Some(_) => Input::Unknown,
                        None => Input::File,
                    };
                }
                RedirectionKind::HereDocument(document) => {
                    if let Some(body) = document.body.get() {
                        self.inside(body);
                        self.input = Input::Text(document_text(body));
                    }
                }
                RedirectionKind::HereString(word) => {
                    self.inside(word);
                    let mut text = Word::new(word).text;
                    text.push(b'\n');
                    self.input = Input::Text(text.into());
                }
                RedirectionKind::DuplicateInput(word) => {
                    self.inside(word);
                    self.input = Input::Unknown;
                }
                RedirectionKind::DuplicateOutput(word)
                | RedirectionKind::Write(word)
                | RedirectionKind::Clobber(word)
                | RedirectionKind::Append(word)
                | RedirectionKind::WriteBoth(word)
                | RedirectionKind::AppendBoth(word) => {
                    self.inside(word);
                    let path = Word::new(word).text;
                    let text = own.as_ref().and_then(|(text, _)| text.clone());
                    self.writes(path, text);
                }
            }
        }
    }
}

/// A file that is what the process has open, and no script.
fn is_device(path: &[u8]) -> bool {
    path.starts_with(b"/dev/") && path != b"/dev/null" || path.starts_with(b"/proc/") || path == b"-"
}

/// Is it `NAME=value`?
pub(super) fn is_assignment(word: &[u8]) -> bool {
    let Some(at) = word.iter().position(|byte| *byte == b'=') else { return false };
    let name = word.get(..at).unwrap_or_default();
    let name = name.strip_suffix(b"+").unwrap_or(name);
    !name.is_empty()
        && !name.first().is_some_and(u8::is_ascii_digit)
        && name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}
