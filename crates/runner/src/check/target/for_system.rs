//! Code that is for one system alone: what follows `[ "$(uname)" = Darwin ]`, or a case of `$OSTYPE`.

use std::collections::{HashMap, HashSet};

use hookshell_syntax::ast::{
    AndOr, AndOrOp, Assignment, AssignmentValue, Command, Compound, Condition, ConditionOperator, List, Pipeline,
    SimpleCommand, Word,
};

use super::CheckTarget;
use crate::check::walk::{text, words};

/// Some of the systems that can be checked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Systems(u8);

impl Systems {
    pub(super) const ALL: Self = Self(7);
    const NONE: Self = Self(0);

    pub(super) fn of(target: CheckTarget) -> Self {
        Self(match target {
            CheckTarget::Windows => 1,
            CheckTarget::Macos => 2,
            CheckTarget::Linux => 4,
        })
    }

    pub(super) fn has(self, target: CheckTarget) -> bool {
        self.and(Self::of(target)) != Self::NONE
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(super) fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) fn others(self) -> Self {
        Self(Self::ALL.0 & !self.0)
    }
}

/// On which systems a condition may hold, and on which it may not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) yes: Systems,
    pub(super) no: Systems,
}

impl Answer {
    /// It asks something else.
    const OTHER: Self = Self { yes: Systems::ALL, no: Systems::ALL };

    fn is(systems: Systems) -> Self {
        Self { yes: systems, no: systems.others() }
    }

    fn not(self) -> Self {
        Self { yes: self.no, no: self.yes }
    }

    pub(super) fn then(self, op: AndOrOp, next: Self) -> Self {
        match op {
            AndOrOp::And => Self { yes: self.yes.and(next.yes), no: self.no.or(next.no) },
            AndOrOp::Or => Self { yes: self.yes.or(next.yes), no: self.no.and(next.no) },
        }
    }
}

/// What of a program is known to say which system it runs on.
#[derive(Debug, Default)]
pub(super) struct Asked {
    /// Variables that hold the system's name.
    variables: HashSet<Vec<u8>>,
    /// Functions that ask for it.
    functions: HashMap<Vec<u8>, Answer>,
}

impl Asked {
    /// `os=$(uname -s)`; and what a branch that is for one system sets, as `os=mac`. `is_for_one`: it stands in such a branch.
    pub(super) fn assigned(&mut self, assignment: &Assignment, is_for_one: bool) {
        if let AssignmentValue::Scalar(word) = &assignment.value {
            let text = text(word);
            let names_one = is_for_one && !text.contains('$') && systems_in(&text) != Systems::NONE;
            if names_one || self.is_name_of_system(&text) {
                self.variables.insert(assignment.name.as_bytes().to_vec());
            }
        }
    }

    /// `is_macos() { [ "$(uname)" = Darwin ]; }`
    pub(super) fn defined(&mut self, name: &[u8], body: &Compound) {
        let answer = match body {
            Compound::Brace(list) | Compound::Subshell(list) => self.list(list),
            Compound::Condition(condition) => self.condition(condition),
            _ => Answer::OTHER,
        };
        if answer != Answer::OTHER {
            self.functions.insert(name.to_vec(), answer);
        }
    }

    /// What the last command of a list asks.
    pub(super) fn list(&self, list: &List) -> Answer {
        list.items.last().map_or(Answer::OTHER, |item| self.and_or(&item.and_or))
    }

    fn and_or(&self, and_or: &AndOr) -> Answer {
        let first = self.pipeline(&and_or.first);
        and_or.rest.iter().fold(first, |answer, (op, pipeline)| answer.then(*op, self.pipeline(pipeline)))
    }

    pub(super) fn pipeline(&self, pipeline: &Pipeline) -> Answer {
        let answer = match &*pipeline.stages {
            [stage] => match &stage.command {
                Command::Simple(simple) => self.simple(simple),
                Command::Compound(compound) => match &compound.kind {
                    Compound::Condition(condition) => self.condition(condition),
                    Compound::Brace(list) | Compound::Subshell(list) => self.list(list),
                    _ => Answer::OTHER,
                },
                Command::Function(_) => Answer::OTHER,
            },
            // `uname -s | grep -qi darwin`
            [first, .., last] => match (&first.command, &last.command) {
                (Command::Simple(first), Command::Simple(last)) if is_grep(last) => {
                    let named = words(first).any(|word| self.is_name_of_system(&text(word)));
                    let pattern = words(last).skip(1).map(text).find(|word| !word.starts_with('-'));
                    match pattern.filter(|_| named) {
                        Some(pattern) => Answer::is(systems_in(&pattern)),
                        None => Answer::OTHER,
                    }
                }
                _ => Answer::OTHER,
            },
            [] => Answer::OTHER,
        };
        if pipeline.negated { answer.not() } else { answer }
    }

    fn simple(&self, simple: &SimpleCommand) -> Answer {
        let Some(name) = simple.literal_name() else { return Answer::OTHER };
        if let Some(answer) = self.functions.get(&*name) {
            return *answer;
        }
        if asks_for_wsl(simple) {
            return Answer::is(Systems::NONE);
        }
        if !matches!(&*name, b"[" | b"test") {
            return Answer::OTHER;
        }
        let words: Vec<String> = words(simple).skip(1).map(text).filter(|word| word != "]").collect();
        let (is_negated, words) = match words.split_first() {
            Some((first, rest)) if first == "!" => (true, rest),
            _ => (false, &*words),
        };
        let answer = match words {
            [left, operator, right] if matches!(&**operator, "=" | "==") => self.compared(left, right),
            [left, operator, right] if operator == "!=" => self.compared(left, right).not(),
            [operator, name] if operator == "-n" && is_of_wsl(name) => Answer::is(Systems::NONE),
            [operator, name] if operator == "-z" && is_of_wsl(name) => Answer::is(Systems::NONE).not(),
            _ => Answer::OTHER,
        };
        if is_negated { answer.not() } else { answer }
    }

    fn condition(&self, condition: &Condition) -> Answer {
        match condition {
            Condition::Binary(operator, left, right) => {
                let answer = self.compared(&text(left), &text(right));
                match operator {
                    ConditionOperator::Match | ConditionOperator::SingleMatch | ConditionOperator::Regex => answer,
                    ConditionOperator::NotMatch => answer.not(),
                    _ => Answer::OTHER,
                }
            }
            Condition::Unary(b'n', word) if is_of_wsl(&text(word)) => Answer::is(Systems::NONE),
            Condition::Unary(b'z', word) if is_of_wsl(&text(word)) => Answer::is(Systems::NONE).not(),
            Condition::Unary(..) => Answer::OTHER,
            Condition::Not(inner) => self.condition(inner).not(),
            Condition::Group(inner) => self.condition(inner),
            Condition::And(inner) => self.several(inner, AndOrOp::And),
            Condition::Or(inner) => self.several(inner, AndOrOp::Or),
        }
    }

    fn several(&self, conditions: &[Condition], op: AndOrOp) -> Answer {
        let answers = conditions.iter().map(|condition| self.condition(condition));
        answers.reduce(|one, next| one.then(op, next)).unwrap_or(Answer::OTHER)
    }

    fn compared(&self, left: &str, right: &str) -> Answer {
        let pattern = match (self.is_name_of_system(left), self.is_name_of_system(right)) {
            (true, false) => right,
            (false, true) => left,
            _ => return Answer::OTHER,
        };
        if pattern.contains('$') { Answer::OTHER } else { Answer::is(systems_in(pattern)) }
    }

    /// Which systems each branch of a `case` is for; `None`: it asks something else.
    pub(super) fn cases(&self, subject: &Word, patterns: &[Vec<Word>]) -> Option<Vec<Systems>> {
        if !self.is_name_of_system(&text(subject)) {
            return None;
        }
        let mut left = Systems::ALL;
        let of_branch = patterns.iter().map(|patterns| {
            let texts: Vec<String> = patterns.iter().map(text).collect();
            let is_rest = texts.iter().any(|text| text.trim_matches(['"', '\'']).chars().all(|c| c == '*'));
            let named = texts.iter().fold(Systems::NONE, |systems, text| systems.or(systems_in(text)));
            let systems = if is_rest { left } else { named.and(left) };
            left = left.and(systems.others());
            systems
        });
        Some(of_branch.collect())
    }

    /// Does a word hold the system's name when it is expanded?
    fn is_name_of_system(&self, text: &str) -> bool {
        if !text.contains('$') && text != "uname" {
            return false;
        }
        asks_for_system(text)
            || text.contains("OSTYPE")
            || self.variables.iter().any(|name| is_expanded(text, &String::from_utf8_lossy(name)))
    }
}

/// Does a text with `uname` in it ask for the system? `uname -m` asks for the machine.
fn asks_for_system(text: &str) -> bool {
    text.split("uname").skip(1).any(|rest| {
        let options = rest.strip_prefix(" -").unwrap_or_default();
        let letters = options.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
        letters.is_empty() || letters.contains(|letter: char| !matches!(letter, 'i' | 'm' | 'n' | 'p'))
    })
}

/// Is the variable expanded in the text?
fn is_expanded(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let before = text.get(..at).unwrap_or_default();
        let after = text.get(at + name.len()..).unwrap_or_default();
        before.ends_with(['$', '{']) && !after.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
    })
}

/// Does a word hold what only Linux inside of Windows sets? That is no fresh installation of any system.
fn is_of_wsl(text: &str) -> bool {
    text.contains("$WSL_") || text.contains("${WSL_")
}

/// `grep -qi microsoft /proc/version`
pub(super) fn asks_for_wsl(simple: &SimpleCommand) -> bool {
    is_grep(simple)
        && words(simple).any(|word| text(word).to_ascii_lowercase().contains("microsoft"))
        && words(simple).any(|word| text(word).starts_with("/proc/"))
}

fn is_grep(simple: &SimpleCommand) -> bool {
    simple.literal_name().is_some_and(|name| matches!(&*name, b"grep" | b"egrep" | b"fgrep"))
}

/// The systems that a name or a pattern of names is of: `Darwin`, `linux-gnu*`, `MINGW*`.
fn systems_in(text: &str) -> Systems {
    // A pattern may leave letters' cases open: `[Dd]arwin`.
    let text = text.to_ascii_lowercase().replace("[dd]", "d").replace("[ll]", "l").replace("[mm]", "m");
    let rest = text.replace("darwin", "");
    let is = |names: &[&str], text: &str| names.iter().any(|name| text.contains(name));
    let mut systems = Systems::NONE;
    if rest.len() != text.len() || is(&["mac", "osx"], &rest) {
        systems = systems.or(Systems::of(CheckTarget::Macos));
    }
    if is(&["linux"], &rest) {
        systems = systems.or(Systems::of(CheckTarget::Linux));
    }
    if is(&["mingw", "msys", "cygwin", "win", "_nt"], &rest) {
        systems = systems.or(Systems::of(CheckTarget::Windows));
    }
    systems
}
