//! A source text of a hook: its command, a script, or what `sh -c` is given.

mod files;
mod words;

use std::path::{Path, PathBuf};

use hookshell_process::text;
use hookshell_syntax::ast::{
    Argument, Command, Compound, CompoundCommand, Condition, ConditionOperator, List, SimpleCommand, Word,
};
use hookshell_syntax::{Dialect, ParseOptions, Parser};

use super::command::Reader;
use super::word::{UNKNOWN, Values, is_known};
use super::{Scan, shebang};

/// How many words and expansions a command may have that is looked through.
const NODES_LIMIT: usize = 100_000;
/// What stands in code in place of a part that is only known when it runs.
const PLACEHOLDER: &[u8] = b"${_}";

pub(super) struct Source<'s, 'a> {
    pub(super) scan: &'s mut Scan<'a>,
    /// The script that it is; none for a command. After it those that source it.
    pub(super) scripts: Vec<PathBuf>,
    /// The text, for messages.
    text: Vec<u8>,
}

impl<'s, 'a> Source<'s, 'a> {
    pub(super) fn of_command(scan: &'s mut Scan<'a>) -> Self {
        Self { scan, scripts: Vec::new(), text: Vec::new() }
    }

    pub(super) fn of_script(scan: &'s mut Scan<'a>, script: &Path) -> Self {
        scan.chain.retain(|path| path != script);
        scan.chain.insert(0, script.to_owned());
        let scripts = scan.chain.clone();
        Self { scan, scripts, text: Vec::new() }
    }

    /// Reads shell code. What cannot be parsed may run all the same: an alias, or another shell than bash, may make sense of it.
    pub(super) fn read(&mut self, code: &[u8]) {
        if !self.scan.may_look_through(code.len()) {
            return self.too_much();
        }
        let replaced;
        let code = match code.contains(&0) {
            true => {
                replaced = code.split(|byte| *byte == 0).collect::<Vec<_>>().join(PLACEHOLDER);
                &replaced
            }
            false => code,
        };
        self.text = code.to_vec();
        let options = ParseOptions { dialect: Dialect::Bash, max_nodes: NODES_LIMIT, ..ParseOptions::default() };
        let mut parser = Parser::new(code);
        loop {
            // Where extended patterns are switched on may be out of sight: in a file that is sourced, in the `#!` line.
            match parser.next_unit_unrun(&options, |_| true) {
                Ok(Some(unit)) => self.list(&unit.list),
                Err(error) if error.cause.is_limit() => return self.too_much(),
                Err(_) => {
                    self.not_understood(parser.line());
                    break;
                }
                Ok(None) => break,
            }
        }
    }

    /// A file that is started, by its `#!` line: the interpreter, what it is given, and the file.
    pub(super) fn first_line(&mut self, path: &Path, bytes: &[u8]) {
        let Some((interpreter, argument)) = shebang(bytes) else { return };
        let path = text::from_path(path).into_owned();
        let words: Vec<Values> =
            std::iter::once(interpreter).chain(argument).chain([path]).map(|word| vec![word]).collect();
        let shown: Vec<String> =
            words.iter().flatten().map(|word| String::from_utf8_lossy(word).into_owned()).collect();
        self.command(&words, &shown);
    }

    fn too_much(&mut self) {
        let whose = self.whose();
        self.scan.uncertain(format!("what {whose} names (too much code)"));
    }

    fn not_understood(&mut self, line: u32) {
        let whose = self.whose();
        self.scan.uncertain(format!("what {whose} names from line {line} on (a syntax error)"));
    }

    pub(super) fn whose(&self) -> String {
        self.scripts.first().map_or("the command".into(), |script| script.display().to_string())
    }

    /// A program and its arguments, which no shell reads.
    pub(super) fn arguments<'w>(&mut self, words: impl Iterator<Item = &'w String>) {
        let words: Vec<Values> = words.map(|word| vec![self.substituted(word)]).collect();
        let shown: Vec<String> =
            words.iter().flatten().map(|word| String::from_utf8_lossy(word).into_owned()).collect();
        let reader = self.command(&words, &shown);
        self.reads_input(&reader);
    }

    /// `${CLAUDE_PROJECT_DIR}` in an argument: some agents replace it themselves.
    fn substituted(&self, word: &str) -> Vec<u8> {
        let mut out = Vec::new();
        let mut rest = word;
        while let Some((before, after)) = rest.split_once("${") {
            out.extend_from_slice(before.as_bytes());
            match after.split_once('}').and_then(|(name, rest)| Some((self.scan.variable(name.as_bytes())?, rest))) {
                Some((value, after)) => {
                    out.extend(value);
                    rest = after;
                }
                None => {
                    out.extend_from_slice(b"${");
                    rest = after;
                }
            }
        }
        out.extend_from_slice(rest.as_bytes());
        out
    }

    pub(super) fn list(&mut self, list: &List) {
        for item in &list.items {
            let pipelines = std::iter::once(&item.and_or.first).chain(item.and_or.rest.iter().map(|(_, next)| next));
            for pipeline in pipelines {
                let mut before: Option<&Command> = None;
                for stage in &pipeline.stages {
                    match &stage.command {
                        Command::Simple(simple) => {
                            let reader = self.simple(simple);
                            match before {
                                Some(writer) => self.piped(writer, &reader),
                                None => self.reads_input(&reader),
                            }
                        }
                        Command::Compound(compound) => self.compound(compound),
                        Command::Function(function) => {
                            self.scan.functions.insert(function.name.as_bytes().to_vec());
                            self.compound(&function.body);
                        }
                    }
                    before = Some(&stage.command);
                }
            }
        }
    }

    /// What reads its code from what it inherits.
    fn reads_input(&mut self, reader: &Reader) {
        if let Some(name) = &reader.awaits {
            self.scan.uncertain(format!("what `{name}` reads from its standard input"));
        }
    }

    /// `curl example | sh`: code that is read from a pipe.
    fn piped(&mut self, writer: &Command, reader: &Reader) {
        let Some(name) = &reader.awaits else { return };
        if let Command::Simple(writer) = writer {
            let words = self.words(writer);
            if let Some((program, operands)) = words.split_first().filter(|_| words.iter().all(is_known)) {
                let is_named = |what: &str| {
                    program.iter().all(|program| {
                        program == what.as_bytes()
                            && !self.scan.functions.contains(program)
                            && !self.scan.aliases.contains(program)
                    })
                };
                let has_option = operands.iter().flatten().any(|word| word.starts_with(b"-"));
                if is_named("cat") && !has_option && !operands.is_empty() {
                    return operands.iter().flatten().for_each(|path| self.path(path, reader.input));
                }
                if is_named("echo") && !has_option && !operands.iter().flatten().any(|word| word.contains(&b'\\')) {
                    let text: Vec<&[u8]> = operands.iter().filter_map(|word| word.first()).map(Vec::as_slice).collect();
                    let text = text.join(&b' ');
                    return self.given(reader, &text);
                }
            }
        }
        self.scan.uncertain(format!("what `{name}` is given by a pipe"));
    }

    fn words(&self, simple: &SimpleCommand) -> Vec<Values> {
        let words = simple.arguments.iter().map(|argument| match argument {
            Argument::Word(word) => self.values(word),
            Argument::Assignment(_) => vec![UNKNOWN.to_vec()],
        });
        words.collect()
    }

    fn compound(&mut self, compound: &CompoundCommand) {
        match &compound.kind {
            Compound::For(clause) | Compound::Select(clause) => {
                let mut all = Values::new();
                for word in clause.words.iter().flatten() {
                    self.inside(word);
                    all.extend(self.values(word));
                }
                if clause.words.is_none() || matches!(compound.kind, Compound::Select(_)) {
                    all.push(UNKNOWN.to_vec());
                }
                self.scan.set(clause.name.as_bytes(), &all);
            }
            Compound::Case(clause) => {
                self.inside(&clause.subject);
                clause.items.iter().flat_map(|item| &item.patterns).for_each(|pattern| self.inside(pattern));
            }
            Compound::Arithmetic(arithmetic) => self.arithmetic(arithmetic),
            Compound::ArithmeticFor(clause) => {
                let parts = [&clause.init, &clause.condition, &clause.step];
                parts.into_iter().flatten().for_each(|arithmetic| self.arithmetic(arithmetic));
            }
            Compound::Condition(condition) => self.condition(condition),
            Compound::Coprocess(coprocess) => {
                coprocess.name.iter().for_each(|name| self.inside(name));
                match &coprocess.command {
                    // What is written to it is out of sight.
                    Command::Simple(simple) => {
                        let reader = self.simple(simple);
                        self.reads_input(&reader);
                    }
                    Command::Compound(compound) => self.compound(compound),
                    Command::Function(function) => self.compound(&function.body),
                }
            }
            _ => {}
        }
        compound.kind.lists().into_iter().for_each(|list| self.list(list));
        self.redirections(&compound.redirections, &Reader::pure());
    }

    fn condition(&mut self, condition: &Condition) {
        use ConditionOperator as Op;
        match condition {
            Condition::Unary(operator, word) => {
                self.inside(word);
                if matches!(operator, b'v' | b'R') {
                    let values = self.values(word);
                    self.variable_names(&values);
                }
            }
            Condition::Binary(operator, left, right) => {
                self.inside(left);
                self.inside(right);
                if matches!(
                    operator,
                    Op::Equal | Op::NotEqual | Op::Less | Op::LessEqual | Op::Greater | Op::GreaterEqual
                ) {
                    for word in [left, right] {
                        let values = self.unsplit_values(word);
                        self.evaluated(&values, &self.shown(word), 0);
                    }
                }
            }
            Condition::Not(inner) | Condition::Group(inner) => self.condition(inner),
            Condition::And(terms) | Condition::Or(terms) => terms.iter().for_each(|term| self.condition(term)),
        }
    }

    pub(super) fn shown(&self, word: &Word) -> String {
        let range = word.span.start as usize..word.span.end as usize;
        String::from_utf8_lossy(self.text.get(range).unwrap_or_default()).into_owned()
    }

    /// A simple command. What it reads its code from, where that is its standard input, is left to the caller.
    fn simple(&mut self, simple: &SimpleCommand) -> Reader {
        let mut words = Vec::new();
        let mut shown = Vec::new();
        for argument in &simple.arguments {
            match argument {
                Argument::Word(word) => {
                    self.inside(word);
                    words.push(self.values(word));
                    shown.push(self.shown(word));
                }
                Argument::Assignment(assignment) => self.assignment(assignment, false),
            }
        }
        // `IFS= read -r line` sets it for that command alone.
        let is_read = words.first().is_some_and(|name| matches!(&name[..], [name] if name == b"read"));
        for assignment in &simple.assignments {
            if !(is_read && assignment.name.as_bytes() == b"IFS") {
                self.assignment(assignment, !words.is_empty());
            }
        }
        let mut reader = self.command(&words, &shown);
        if self.redirections(&simple.redirections, &reader) {
            reader.awaits = None;
        }
        reader
    }
}
