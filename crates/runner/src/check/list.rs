//! The simple commands of a command that is more than one: of its pipelines, lists and compound commands.

use std::collections::HashSet;
use std::path::Path;

use hookshell_syntax::ast::{AndOr, AndOrOp, Argument, Command, FunctionDefinition, Pipeline, SimpleCommand};
use hookshell_syntax::{ParseOptions, parse_for_analysis, print_assignment, print_word};

use super::walk::{self, Visitor, pipelines};
use super::{Checker, Sink};

/// What a program runs.
#[derive(Default)]
struct Walk {
    /// The words of its simple commands, as they may be written, and whether their failure is put up with (`|| true`).
    /// Those whose failure something waits for (`bash x.sh || pwsh x.ps1`) are not among them.
    commands: Vec<(String, bool)>,
    /// What is asked for before it is run (`command -v jq`), and what functions are called.
    known: HashSet<String>,
    /// Does it change its directory? Then what relative paths lead to is not known.
    moves: bool,
}

impl Checker {
    /// Looks for the programs and scripts that a valid program names. What is missing is a warning: it may never be reached.
    pub(super) fn check_program(&self, line: &str, cwd: &Path, sink: &mut Sink<'_>) {
        let text = line.to_owned();
        // Parsing and walking recurse: on a thread whose stack is known to be enough.
        let found = self.dispatcher.call(move || {
            let program = parse_for_analysis(text.as_bytes(), &ParseOptions::default());
            let mut walk = Walk::default();
            program.units.iter().for_each(|unit| walk.list(&unit.list));
            (walk.commands, walk.known, walk.moves)
        });
        let Some((commands, known, moves)) = found else { return };
        sink.is_sure = false;
        let tested = tested_files(line);
        let mut seen = HashSet::new();
        for (command, is_tolerated) in commands.iter().filter(|(command, _)| seen.insert(command.as_str())) {
            let name = command.split_whitespace().next().unwrap_or_default();
            let is_relative =
                command.split_whitespace().any(|word| word.contains('/') && !word.starts_with(['/', '~']));
            let is_tested = command.split_whitespace().any(|word| tested.contains(unquoted(word)));
            if known.contains(name) || is_tested || moves && is_relative {
                continue;
            }
            sink.is_tolerated = *is_tolerated;
            self.check_line(command, cwd, sink);
        }
        sink.is_tolerated = false;
        sink.is_sure = true;
    }
}

/// The files that a program asks for before it runs them: `[ -f ./x.sh ] && ./x.sh`.
fn tested_files(line: &str) -> HashSet<&str> {
    const TESTS: [&str; 6] = ["-e", "-f", "-x", "-s", "-r", "-d"];
    let words: Vec<&str> = line.split_whitespace().collect();
    let pairs = words.windows(2).filter_map(|pair| match pair {
        [test, file] if TESTS.contains(test) => Some(unquoted(file)),
        _ => None,
    });
    pairs.collect()
}

/// A word without what is around it.
fn unquoted(word: &str) -> &str {
    word.trim_matches(['"', '\'', ';', '(', ')', '[', ']'])
}

/// Does it only say that a failure does not count: `|| true`, `|| exit 0`?
fn is_nothing(pipeline: &Pipeline) -> bool {
    let [stage] = &*pipeline.stages else { return false };
    let Command::Simple(simple) = &stage.command else { return false };
    simple.literal_name().is_some_and(|name| {
        [":", "true", "exit", "return", "echo", "printf"].iter().any(|nothing| *name == *nothing.as_bytes())
    })
}

impl Visitor for Walk {
    fn and_or(&mut self, and_or: &AndOr) {
        for (index, pipeline) in pipelines(and_or).enumerate() {
            // `a && b || c`: the failure of each before the `||` leads to `c`.
            let mut instead = and_or.rest.iter().skip(index).filter(|(op, _)| *op == AndOrOp::Or).peekable();
            let before = self.commands.len();
            self.pipeline(pipeline);
            if instead.peek().is_none() {
                continue;
            }
            if instead.all(|(_, pipeline)| is_nothing(pipeline)) {
                self.commands.iter_mut().skip(before).for_each(|(_, is_tolerated)| *is_tolerated = true);
            } else {
                self.commands.truncate(before);
            }
        }
    }

    fn function(&mut self, function: &FunctionDefinition) {
        self.known.insert(String::from_utf8_lossy(function.name.as_bytes()).into_owned());
        walk::function(self, function);
    }

    fn simple(&mut self, simple: &SimpleCommand) {
        walk::simple(self, simple);
        let mut literals = Vec::new();
        let mut written = Vec::new();
        for argument in &simple.arguments {
            let (literal, text) = match argument {
                Argument::Word(word) => {
                    let literal = word.literal().map(|text| String::from_utf8_lossy(&text).into_owned());
                    (literal, print_word(word))
                }
                Argument::Assignment(assignment) => (None, print_assignment(assignment)),
            };
            literals.push(literal);
            written.push(String::from_utf8_lossy(&text).into_owned());
        }
        let Some(Some(name)) = literals.first() else { return };
        match name.as_str() {
            "cd" | "pushd" | "popd" => self.moves = true,
            "command" | "which" | "type" | "hash" => self.known.extend(literals.iter().skip(1).flatten().cloned()),
            _ => {}
        }
        // `PATH=… x`: who knows what is found there.
        if simple.assignments.iter().any(|assignment| assignment.name.as_bytes() == b"PATH") {
            return;
        }
        self.commands.push((written.join(" "), false));
    }
}
