//! The simple commands of a program and what else of it a system may not have.

mod branch;
mod command;
mod visit;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use hookshell_syntax::{Span, parse_for_analysis};

use super::for_system::Asked;
use super::program::{Mention, Program, Try};
use super::reach::{Reach, Systems};
use crate::check::command::options;

/// Reads shell code; of what is not valid, what stands before the error.
pub(super) fn read(source: &Arc<[u8]>) -> Program {
    let mut walk = Walk::default();
    walk.source(source, Place::From(0), None);
    if !walk.functions.is_empty() && walk.asked.flags.tell_systems() {
        // What stands in a function is asked when it is called: by then its variables may have been set.
        let at_end = std::mem::take(&mut walk.asked.flags);
        walk = Walk { asked: Asked::ending_with(at_end), ..Walk::default() };
        walk.source(source, Place::From(0), None);
    }
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
    reach: Reach,
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
    /// May it be done instead of another: in a body, or in the condition of an `elif`?
    is_instead: bool,
    branches: usize,
}

impl Default for Walk {
    fn default() -> Self {
        Self {
            program: Program::default(),
            place: Place::default(),
            depth: 0,
            shell: None,
            reach: Reach::ALWAYS,
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
        let reach = self.reach;
        self.depth += 1;
        // Each line is a unit of its own.
        parsed.units.iter().for_each(|unit| self.items(&unit.list));
        self.depth -= 1;
        self.reach = reach;
        self.place = place;
        self.shell = shell;
    }

    /// A function is for the systems of its calls: `say_mac() { … }`, which `case "$(uname)" in Darwin)` alone calls.
    fn narrow_functions(&mut self) {
        // A generated script may have very many of both.
        let mut calls_of: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, used) in self.program.uses.iter().enumerate() {
            if let Some(name) = used.words.first() {
                calls_of.entry(name.clone()).or_default().push(at);
            }
        }
        // Who calls mostly stands after what it calls, and has its own systems first.
        for function in self.functions.drain(..).rev() {
            let Function { name, uses, new_syntax, paths, tested } = function;
            let calls = calls_of.get(&name).into_iter().flatten().filter(|at| !uses.contains(at));
            let calls = calls.filter_map(|at| self.program.uses.get(*at)).map(|used| used.systems);
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
        self.program.new_syntax.push(Mention { offset, what, systems: self.reach.may });
    }

    fn new_group(&mut self) -> usize {
        self.groups += 1;
        self.groups
    }
}
