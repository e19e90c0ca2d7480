//! The simple commands of a program and what else of it a system may not have.

use std::collections::HashSet;
use std::sync::Arc;

use hookshell_dispatch::command_line::KnownShell;
use hookshell_syntax::ast::{
    Argument, Assignment, AssignmentValue, CaseTerminator, Command, Compound, List, Redirection, RedirectionKind,
    SimpleCommand, Word, WordPart,
};
use hookshell_syntax::{Span, parse_for_analysis};

use crate::check::command::options;

/// One simple command.
#[derive(Debug)]
pub(super) struct Use {
    /// Where it begins.
    pub(super) offset: usize,
    /// Its words: their text where it is plain, else as they stand in the source.
    pub(super) words: Vec<String>,
}

/// What a program uses.
#[derive(Debug, Default)]
pub(super) struct Program {
    pub(super) uses: Vec<Use>,
    /// What is asked for before it is run (`command -v jq`), and its own functions.
    pub(super) known: HashSet<String>,
    /// Absolute paths, and where.
    pub(super) paths: Vec<(usize, String)>,
    /// What the syntax has from bash 4 on, and where.
    pub(super) new_syntax: Vec<(usize, &'static str)>,
}

/// Reads shell code; of what is not valid, what stands before the error.
pub(super) fn read(source: &Arc<[u8]>) -> Program {
    let parsed = parse_for_analysis(source.clone(), &options());
    let mut walk = Walk { source, program: Program::default() };
    parsed.units.iter().for_each(|unit| walk.list(&unit.list));
    walk.program
}

/// The command that a program is given to run, options of the wrapper's skipped.
pub(super) fn wrapped<'w>(name: &str, words: &'w [String]) -> Option<&'w [String]> {
    let starts = match super::base_name(name) {
        "exec" | "nohup" | "setsid" | "builtin" | "command" | "sudo" | "nice" | "xargs" | "time" | "env" => 0,
        "timeout" => words.iter().position(|word| word.starts_with(|first: char| first.is_ascii_digit()))? + 1,
        _ => return None,
    };
    let rest = words.get(starts..)?;
    let skipped = rest.iter().take_while(|word| word.starts_with('-') || word.contains('=')).count();
    // An option may take the next word: then what follows is not known to be the command.
    let has_value = rest.iter().take(skipped).any(|word| word.starts_with('-') && word.len() == 2 && word != "--");
    let rest = rest.get(skipped..).filter(|rest| !rest.is_empty())?;
    (!has_value).then_some(rest)
}

/// A script that a command reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::check) struct Followed {
    /// As it is written, without its quotes.
    pub(in crate::check) path: String,
    /// `. FILE`: it is read by the shell that reads the command.
    pub(in crate::check) is_sourced: bool,
}

/// The script that a command reads: `. FILE`, `bash FILE`, `./FILE`.
pub(super) fn followed(words: &[String]) -> Option<Followed> {
    let (name, operands) = words.split_first()?;
    let found = |path: &str, is_sourced| {
        let path = path.replace(['"', '\''], "");
        (!path.is_empty()).then_some(Followed { path, is_sourced })
    };
    if matches!(&**name, "." | "source") {
        return found(operands.first()?, true);
    }
    if KnownShell::named(super::base_name(name).as_bytes()).is_some() {
        let first = operands.iter().find(|word| !word.starts_with(['-', '+']))?;
        let reads_text = operands.iter().take_while(|word| *word != first).any(|word| word.contains(['c', 's', 'o']));
        return if reads_text { None } else { found(first, false) };
    }
    if name.contains('/') { found(name, false) } else { wrapped(name, operands).and_then(followed) }
}

struct Walk<'s> {
    source: &'s [u8],
    program: Program,
}

fn start(span: Span) -> usize {
    usize::try_from(span.start).unwrap_or_default()
}

impl Walk<'_> {
    fn text(&self, word: &Word) -> String {
        match word.literal() {
            Some(text) => String::from_utf8_lossy(&text).into_owned(),
            None => {
                let end = usize::try_from(word.span.end).unwrap_or_default();
                String::from_utf8_lossy(self.source.get(start(word.span)..end).unwrap_or_default()).into_owned()
            }
        }
    }

    fn list(&mut self, list: &List) {
        for item in &list.items {
            let and_or = &item.and_or;
            let pipelines = std::iter::once(&and_or.first).chain(and_or.rest.iter().map(|(_, pipeline)| pipeline));
            for stage in pipelines.flat_map(|pipeline| &pipeline.stages) {
                let offset = match &stage.command {
                    Command::Simple(simple) => simple.span,
                    Command::Compound(compound) => compound.span,
                    Command::Function(function) => function.span,
                };
                if stage.pipe_stderr {
                    self.program.new_syntax.push((start(offset), "`|&`"));
                }
                self.command(&stage.command);
            }
        }
    }

    fn command(&mut self, command: &Command) {
        match command {
            Command::Simple(simple) => self.simple(simple),
            Command::Compound(compound) => {
                self.compound(&compound.kind, compound.span);
                compound.redirections.iter().for_each(|redirection| self.redirection(redirection));
            }
            Command::Function(function) => {
                self.program.known.insert(String::from_utf8_lossy(function.name.as_bytes()).into_owned());
                self.compound(&function.body.kind, function.body.span);
            }
        }
    }

    fn compound(&mut self, compound: &Compound, span: Span) {
        match compound {
            Compound::Coprocess(coprocess) => {
                self.program.new_syntax.push((start(span), "`coproc`"));
                self.command(&coprocess.command);
            }
            Compound::For(clause) | Compound::Select(clause) => {
                clause.words.iter().flatten().for_each(|word| self.word(word));
            }
            Compound::Case(clause) => {
                self.word(&clause.subject);
                if clause.items.iter().any(|item| item.terminator != CaseTerminator::Break) {
                    self.program.new_syntax.push((start(span), "`;&` and `;;&` in `case`"));
                }
            }
            _ => {}
        }
        compound.lists().into_iter().for_each(|list| self.list(list));
    }

    fn simple(&mut self, simple: &SimpleCommand) {
        let mut words = Vec::with_capacity(simple.arguments.len());
        let mut offset = start(simple.span);
        for argument in &simple.arguments {
            match argument {
                Argument::Word(word) => {
                    if words.is_empty() {
                        offset = start(word.span);
                    }
                    words.push(self.text(word));
                    self.word(word);
                }
                Argument::Assignment(assignment) => self.assignment(assignment),
            }
        }
        simple.assignments.iter().for_each(|assignment| self.assignment(assignment));
        simple.redirections.iter().for_each(|redirection| self.redirection(redirection));
        let Some((name, operands)) = words.split_first() else { return };
        let asks = matches!(&**name, "which" | "type" | "hash")
            || name == "command" && operands.first().is_some_and(|word| matches!(&**word, "-v" | "-V"));
        if asks {
            self.program.known.extend(operands.iter().cloned());
        }
        self.program.uses.push(Use { offset, words });
    }

    fn assignment(&mut self, assignment: &Assignment) {
        match &assignment.value {
            AssignmentValue::Scalar(word) => self.word(word),
            AssignmentValue::Array(_) => {}
        }
    }

    fn redirection(&mut self, redirection: &Redirection) {
        match &redirection.kind {
            RedirectionKind::Read(word)
            | RedirectionKind::Write(word)
            | RedirectionKind::Clobber(word)
            | RedirectionKind::Append(word)
            | RedirectionKind::ReadWrite(word)
            | RedirectionKind::WriteBoth(word)
            | RedirectionKind::HereString(word) => self.word(word),
            RedirectionKind::AppendBoth(word) => {
                self.program.new_syntax.push((start(redirection.span), "`&>>`"));
                self.word(word);
            }
            RedirectionKind::HereDocument(document) => {
                if let Some(body) = document.body.get() {
                    self.parts(&body.parts);
                }
            }
            _ => {}
        }
    }

    fn word(&mut self, word: &Word) {
        let text = self.text(word);
        let text = text.trim_start_matches(['"', '\'']);
        if text.starts_with('/') {
            self.program.paths.push((start(word.span), text.trim_end_matches(['"', '\'']).to_owned()));
        }
        self.parts(&word.parts);
    }

    fn parts(&mut self, parts: &[WordPart]) {
        for part in parts {
            match part {
                WordPart::DoubleQuoted(inner) => self.parts(inner),
                WordPart::CommandSubstitution(substitution) => {
                    if let Ok(body) = &substitution.body {
                        self.list(body);
                    }
                }
                WordPart::ProcessSubstitution(substitution) => self.list(&substitution.body),
                _ => {}
            }
        }
    }
}
