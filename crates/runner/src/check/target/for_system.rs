//! Code that is for one system alone: what follows `[ "$(uname)" = Darwin ]`, or a case of `$OSTYPE`.

use std::collections::{HashMap, HashSet};

use hookshell_syntax::ast::{
    AndOr, AndOrOp, Assignment, AssignmentValue, CaseClause, Command, Compound, Condition, ConditionOperator, IfClause,
    List, Pipeline, SimpleCommand, Word, WordPart,
};

use super::flags::{Flags, Values};
use super::reach::{Answer, Reach, Systems};
use super::{CheckTarget, handled, printed};
use crate::check::walk::{text, words};

/// What of a program is known to say which system it runs on.
#[derive(Debug, Default)]
pub(super) struct Asked {
    /// Variables that hold the system's name.
    variables: HashSet<Vec<u8>>,
    /// Functions that ask for it.
    functions: HashMap<Vec<u8>, Answer>,
    /// Functions that print its name: `system() { uname -s | tr A-Z a-z; }`.
    naming: HashSet<String>,
    /// What functions print on each system.
    printing: HashMap<Vec<u8>, Values>,
    /// Variables that hold another value on each.
    pub(super) flags: Flags,
    /// The same at the end of the program: a function is called later than it is defined.
    at_end: Flags,
    /// Is it a function's body that is looked at?
    pub(super) is_in_function: bool,
}

impl Asked {
    /// For a program that is read once more.
    pub(super) fn ending_with(at_end: Flags) -> Self {
        Self { at_end, ..Self::default() }
    }

    /// `os=$(uname -s)`, `mac=1`; and what a branch that is for one system sets, as `os=mac`.
    pub(super) fn assigned(&mut self, assignment: &Assignment, reach: Reach) {
        let name = String::from_utf8_lossy(assignment.name.as_bytes()).into_owned();
        let AssignmentValue::Scalar(word) = &assignment.value else { return self.flags.set(&name, None, reach) };
        let text = text(word);
        let names_one = reach.may != Systems::ALL && !text.contains('$') && systems_in(&text) != Systems::NONE;
        if names_one || self.is_name_of_system(&text) {
            self.variables.insert(assignment.name.as_bytes().to_vec());
        }
        match word.literal() {
            _ if assignment.append || assignment.subscript.is_some() => self.flags.set(&name, None, reach),
            Some(value) => self.flags.set(&name, Some(&String::from_utf8_lossy(&value)), reach),
            None => match self.value(word) {
                Some(values) => self.flags.set_all(&name, &values, reach),
                None => self.flags.set(&name, None, reach),
            },
        }
    }

    /// `is_macos() { [ "$(uname)" = Darwin ]; }`, `system() { case $(uname) in Darwin) echo mac;; esac; }`
    pub(super) fn defined(&mut self, name: &[u8], body: &Compound) {
        let answer = match body {
            Compound::Brace(list) | Compound::Subshell(list) => self.list(list),
            Compound::Condition(condition) => self.condition(condition),
            _ => Answer::OTHER,
        };
        if answer != Answer::OTHER {
            self.functions.insert(name.to_vec(), answer);
        }
        if let Compound::Brace(list) | Compound::Subshell(list) = body {
            let values = printed::by(self, list);
            if values.tell_systems() {
                self.printing.insert(name.to_vec(), values);
            }
            if self.prints_name(list) {
                self.naming.insert(String::from_utf8_lossy(name).into_owned());
            }
        }
    }

    /// A variable that gets a value which is only known when the code runs.
    pub(super) fn set_by_running(&mut self, name: &[u8], reach: Reach) {
        self.flags.set(&String::from_utf8_lossy(name), None, reach);
    }

    /// `read os`, `unset mac`, `local mac`
    pub(super) fn set_by(&mut self, simple: &SimpleCommand, reach: Reach) {
        let Some(name) = simple.literal_name() else { return };
        let value = match &*name {
            b"read" | b"mapfile" | b"readarray" | b"getopts" => None,
            b"unset" | b"local" => Some(""),
            _ => return,
        };
        for word in words(simple).skip(1).map(text).filter(|word| !word.starts_with('-')) {
            self.flags.set(&word, value, reach);
        }
    }

    /// Does code that is only one pipeline print the system's name?
    fn prints_name(&self, list: &List) -> bool {
        let [item] = &*list.items else { return false };
        let Some(Command::Simple(simple)) = item.and_or.first.stages.first().map(|stage| &stage.command) else {
            return false;
        };
        let said: Vec<String> = words(simple).map(text).collect();
        match said.split_first() {
            Some((name, _)) if name == "uname" => asks_for_system(&said.join(" ")),
            Some((name, operands)) if matches!(&**name, "echo" | "printf") => {
                operands.iter().any(|operand| self.is_name_of_system(operand))
            }
            _ => false,
        }
    }

    /// What the function of this name prints.
    pub(super) fn printed_by(&self, name: &[u8]) -> Option<&Values> {
        self.printing.get(name)
    }

    /// What a word is on each system: `$mac`, `$([ "$(uname)" = Darwin ] && echo 1)`.
    pub(super) fn value(&self, word: &Word) -> Option<Values> {
        let parts = match &*word.parts {
            [WordPart::DoubleQuoted(parts)] => parts,
            parts => parts,
        };
        match parts {
            [WordPart::CommandSubstitution(substitution)] => {
                let values = printed::by(self, substitution.body.as_ref().ok()?);
                values.tell_systems().then_some(values)
            }
            _ => self.flags.value(&text(word)).cloned(),
        }
    }

    /// The systems on which what stands after a command is reached.
    pub(super) fn after(&self, and_or: &AndOr) -> Reach {
        let answer = match &*and_or.rest {
            [(op, last)] if handled::ends(last) => {
                let answer = self.pipeline(&and_or.first);
                if *op == AndOrOp::Or { answer } else { answer.not() }
            }
            [] => Answer::is(match only_compound(&and_or.first) {
                Some(Compound::If(clause)) => self.after_if(clause),
                Some(Compound::Case(clause)) => self.after_case(clause),
                _ => Systems::ALL,
            }),
            _ => Answer::OTHER,
        };
        // What is said of the rest of the code is said of its being reached at all.
        Reach { may: answer.yes, must: answer.yes }
    }

    fn after_if(&self, clause: &IfClause) -> Systems {
        let (mut left, mut through) = (Systems::ALL, Systems::NONE);
        for (condition, body) in &clause.branches {
            let answer = self.list(condition);
            if !handled::list_ends(body) {
                through = through.or(left.and(answer.yes));
            }
            left = left.and(answer.no);
        }
        match &clause.otherwise {
            Some(body) if handled::list_ends(body) => through,
            _ => through.or(left),
        }
    }

    fn after_case(&self, clause: &CaseClause) -> Systems {
        let Some(reaches) = self.cases(clause) else { return Systems::ALL };
        let is_windows = Systems::of(CheckTarget::Windows);
        let (mut matched, mut through) = (Systems::NONE, Systems::NONE);
        for (item, reach) in clause.items.iter().zip(reaches) {
            matched = matched.or(reach.must).or(reach.may.and(is_windows));
            if !handled::list_ends(&item.body) {
                through = through.or(reach.may);
            }
        }
        through.or(matched.others())
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
                    Compound::Arithmetic(arithmetic) => {
                        self.by_flags(|flags| flags.arithmetic(arithmetic)).unwrap_or(Answer::OTHER)
                    }
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
                    let is_gnu = pattern.as_ref().is_some_and(|pattern| pattern.to_ascii_lowercase().contains("gnu"));
                    if is_gnu && asks_for_gnu(first) {
                        return negated_if(pipeline, Answer::is(Systems::of(CheckTarget::Macos).others()));
                    }
                    match pattern.filter(|_| named) {
                        Some(pattern) => Answer::is(systems_in(&pattern)),
                        None => Answer::OTHER,
                    }
                }
                _ => Answer::OTHER,
            },
            [] => Answer::OTHER,
        };
        negated_if(pipeline, answer)
    }

    /// May a pipeline fail on a system that is none of its questions? An assignment does not, nor does `echo`.
    pub(super) fn may_fail(&self, pipeline: &Pipeline) -> bool {
        let is_sure = matches!(&*pipeline.stages, [stage] if matches!(&stage.command, Command::Simple(simple)
            if simple.arguments.is_empty() || simple.literal_name().is_some_and(|name| matches!(&*name, b"echo" | b"printf"))));
        !is_sure && self.pipeline(pipeline) == Answer::OTHER
    }

    /// What is known of the variables; in a function, else what is known of them when it is called.
    fn by_flags<T>(&self, ask: impl Fn(&Flags) -> Option<T>) -> Option<T> {
        ask(&self.flags).or_else(|| self.is_in_function.then(|| ask(&self.at_end)).flatten())
    }

    pub(super) fn simple(&self, simple: &SimpleCommand) -> Answer {
        if let Some(answer) = self.by_flags(|flags| flags.simple(simple)) {
            return answer;
        }
        let Some(name) = simple.literal_name() else { return Answer::OTHER };
        if let Some(answer) = self.functions.get(&*name) {
            return *answer;
        }
        if asks_for_wsl(simple) {
            return Answer::is(Systems::NONE);
        }
        if asks_for_gnu(simple) {
            return Answer::is(Systems::of(CheckTarget::Macos).others());
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
            [operator, name] if operator == "-n" => set_on(name).map_or(Answer::OTHER, Answer::is),
            [operator, name] if operator == "-z" => set_on(name).map_or(Answer::OTHER, |on| Answer::is(on).not()),
            _ => Answer::OTHER,
        };
        if is_negated { answer.not() } else { answer }
    }

    fn condition(&self, condition: &Condition) -> Answer {
        if let Some(answer) = self.by_flags(|flags| flags.condition(condition)) {
            return answer;
        }
        match condition {
            Condition::Binary(operator, left, right) => {
                // `=~ ^(Darwin|Linux)$`
                let right = text(right);
                let right = match operator {
                    ConditionOperator::Regex => right.trim_end_matches('$'),
                    _ => &right,
                };
                let answer = self.compared(&text(left), right);
                match operator {
                    ConditionOperator::Match | ConditionOperator::SingleMatch | ConditionOperator::Regex => answer,
                    ConditionOperator::NotMatch => answer.not(),
                    _ => Answer::OTHER,
                }
            }
            Condition::Unary(b'n', word) => set_on(&text(word)).map_or(Answer::OTHER, Answer::is),
            Condition::Unary(b'z', word) => set_on(&text(word)).map_or(Answer::OTHER, |on| Answer::is(on).not()),
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
        // Windows sets it.
        let is_windows = |name: &str, value: &str| is_expanded(name, "OS") && value.trim_matches('"') == "Windows_NT";
        if is_windows(left, right) || is_windows(right, left) {
            return Answer::is(Systems::of(CheckTarget::Windows));
        }
        let pattern = match (self.is_name_of_system(left), self.is_name_of_system(right)) {
            (true, false) => right,
            (false, true) => left,
            _ => return Answer::OTHER,
        };
        if pattern.contains(['$', '`']) { Answer::OTHER } else { Answer::is(systems_in(pattern)) }
    }

    /// Which systems each branch of a `case` is for; `None`: it asks something else.
    pub(super) fn cases(&self, clause: &CaseClause) -> Option<Vec<Reach>> {
        let patterns: Vec<Vec<String>> =
            clause.items.iter().map(|item| item.patterns.iter().map(text).collect()).collect();
        if let Some(reaches) = self.by_flags(|flags| flags.cases(&clause.subject, &patterns)) {
            return Some(reaches);
        }
        let subject = text(&clause.subject);
        if !self.is_name_of_system(&subject) {
            return None;
        }
        // `$(uname -s)-$(uname -m)`
        let has_more = subject.matches('$').count() > 1;
        let mut left = Systems::ALL;
        let of_branch = patterns.iter().map(|patterns| {
            let is_rest = patterns.iter().any(|text| text.trim_matches(['"', '\'']).chars().all(|c| c == '*'));
            if is_rest {
                let may = left;
                left = Systems::NONE;
                return Reach { may, must: may };
            }
            // A system may have several names: MINGW64_NT, MSYS_NT, CYGWIN_NT.
            let named = patterns.iter().fold(Systems::NONE, |systems, text| systems.or(systems_in(text)));
            let is_all = !has_more || patterns.iter().all(|text| text.ends_with('*'));
            let must = if is_all { named.and(left) } else { Systems::NONE };
            if is_all {
                left = left.and(named.others());
            }
            Reach { may: named, must }
        });
        Some(of_branch.collect())
    }

    /// Does a word hold the system's name when it is expanded?
    fn is_name_of_system(&self, text: &str) -> bool {
        if !text.contains(['$', '`']) && text != "uname" {
            return false;
        }
        asks_for_system(text)
            || text.contains("OSTYPE")
            // GitHub's runners set it.
            || is_expanded(text, "RUNNER_OS")
            || self.naming.iter().any(|name| text.contains(&format!("$({name}")) || text.contains(&format!("`{name}")))
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

/// The systems that set the variable of a word, where only they do. Linux inside of Windows is no fresh installation of any system.
fn set_on(text: &str) -> Option<Systems> {
    let is = |names: &[&str]| names.iter().any(|name| is_expanded(text, name));
    if text.contains("$WSL_") || text.contains("${WSL_") {
        Some(Systems::NONE)
    } else if is(&["WINDIR", "windir", "SYSTEMROOT", "SystemRoot", "COMSPEC", "ComSpec", "MSYSTEM", "LOCALAPPDATA"]) {
        Some(Systems::of(CheckTarget::Windows))
    } else {
        None
    }
}

/// `sed --version >/dev/null 2>&1`: BSD's have no such option. (hookshell's own, which Windows has, are like GNU's.)
pub(super) fn asks_for_gnu(simple: &SimpleCommand) -> bool {
    const GNU: [&[u8]; 12] = [
        b"date",
        b"sed",
        b"stat",
        b"ls",
        b"cp",
        b"readlink",
        b"find",
        b"xargs",
        b"mktemp",
        b"sort",
        b"head",
        b"base64",
    ];
    let mut operands = words(simple).skip(1).map(text);
    simple.literal_name().is_some_and(|name| GNU.contains(&&*name))
        && operands.next().is_some_and(|operand| operand == "--version")
        && operands.next().is_none()
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

fn negated_if(pipeline: &Pipeline, answer: Answer) -> Answer {
    if pipeline.negated { answer.not() } else { answer }
}

/// The compound command that a pipeline is.
fn only_compound(pipeline: &Pipeline) -> Option<&Compound> {
    match &*pipeline.stages {
        [stage] => match &stage.command {
            Command::Compound(compound) => Some(&compound.kind),
            _ => None,
        },
        _ => None,
    }
}
