//! Which names have text of the event, and which conditions ask something of it.

use std::collections::HashSet;

use super::statements::{Program, closing, outside};
use super::tokens::Token;
use super::{Language, reads_event};

/// What a program knows of the event.
#[derive(Default)]
pub(super) struct Names<'s> {
    /// Names that have the event, or a part of it.
    of_event: HashSet<&'s str>,
    /// Names that have what was found in it: `bad = "rm" in command`.
    found: HashSet<&'s str>,
    /// Names that have something of the system: `key = os.environ.get("KEY")`.
    of_system: HashSet<&'s str>,
    /// Functions of the program itself.
    functions: HashSet<&'s str>,
}

/// Conditions with such a name ask for something else than a text of the event, and what is said where they hold is no reason of a guard.
const OF_SYSTEM: [&str; 11] =
    ["argv", "environ", "getenv", "env", "platform", "version", "version_info", "versions", "which", "isatty", "isTTY"];

/// Likewise, but a guard may well give a reason there.
const NO_SEARCH: [&str; 14] = [
    "status",
    "returncode",
    "exists",
    "existsSync",
    "is_file",
    "is_dir",
    "isfile",
    "isdir",
    "isinstance",
    "typeof",
    "instanceof",
    "isArray",
    "hasattr",
    "code",
];

/// Methods and functions that search.
const SEARCHES: [&str; 18] = [
    "search",
    "match",
    "fullmatch",
    "findall",
    "finditer",
    "startswith",
    "endswith",
    "find",
    "any",
    "includes",
    "test",
    "startsWith",
    "endsWith",
    "some",
    "indexOf",
    "exec",
    "fnmatch",
    "matchAll",
];

const COMPARE: [&str; 3] = ["==", "===", "in"];

/// What has nothing in it.
const NOTHING: [&str; 9] = ["None", "null", "undefined", "True", "False", "true", "false", "0", ""];

impl<'s> Names<'s> {
    pub(super) fn of(program: &Program<'s>, language: &Language) -> Self {
        let mut names = Self::default();
        for statement in &program.statements {
            names.functions.extend(function(&statement.tokens));
        }
        // What is used in a function may be read after it.
        for _ in 0..2 {
            for statement in &program.statements {
                names.read(&statement.tokens, language);
            }
        }
        names
    }

    /// What a statement gives to names.
    fn read(&mut self, tokens: &[Token<'s>], language: &Language) {
        let is_handler = tokens.iter().any(|token| token.is_one_of(language.handlers));
        if !is_handler {
            self.of_event.extend(parameters(tokens));
        }
        if tokens.first().is_some_and(|first| first.is("for")) || tokens.iter().any(|token| token.is("of")) {
            let Some(at) = tokens.iter().position(|token| token.is_one_of(&["in", "of"])) else { return };
            let (targets, values) = tokens.split_at(at);
            if values.iter().any(|token| self.is_of_event(token)) {
                let of_loop =
                    targets.iter().filter(|token| token.is_name() && !language.keywords.contains(&token.text));
                self.of_event.extend(of_loop.map(|token| token.text));
            }
        }
        for (at, token) in
            tokens.iter().enumerate().filter(|(_, token)| token.is_one_of(&["=", ":=", "+=", "??=", "||="]))
        {
            let values = tokens.get(at + 1..).unwrap_or_default();
            let targets = target(tokens.get(..at).unwrap_or_default(), language);
            if targets.is_empty() || token.is("=") && targets.iter().any(|name| self.functions.contains(name)) {
                continue;
            }
            if self.asks(values) {
                self.found.extend(targets);
            } else if self.is_access(values, language) {
                self.of_event.extend(targets);
            } else if values.iter().any(|token| token.is_one_of(&OF_SYSTEM)) {
                self.of_system.extend(targets);
            }
        }
    }

    fn is_of_event(&self, token: &Token<'_>) -> bool {
        token.is_name() && (self.of_event.contains(token.text) || matches!(token.text, "stdin"))
    }

    fn is_found(&self, token: &Token<'_>) -> bool {
        token.is_name() && self.found.contains(token.text)
    }

    /// Has the token text of the event, or what was found in it?
    pub(super) fn is_known(&self, token: &Token<'_>) -> bool {
        self.is_of_event(token) || self.is_found(token)
    }

    /// Is it a part of the event: `json.load(sys.stdin)`, `data.get("tool_input", {})`, `input.command ?? ""`?
    fn is_access(&self, values: &[Token<'s>], language: &Language) -> bool {
        let end = outside(values).find(|(_, token)| token.is(";")).map_or(values.len(), |(at, _)| at);
        let values = values.get(..end).unwrap_or_default();
        let mut words = values.iter().filter(|token| !token.is_one_of(&["(", "await", "["]));
        let Some(first) = words.next() else { return false };
        self.is_of_event(first)
            || reads_event(values, language)
            || values.iter().any(|token| token.is_one_of(&["loads", "parse"]))
            || first.is_one_of(&["str", "String", "shlex", "Path", "Object", "Array"])
                && values.iter().any(|token| self.is_of_event(token))
    }

    /// Does a condition ask something of the event: `"rm" in command`, `/rm/.test(cmd)`, `isDangerous(cmd)`, `bad`?
    pub(super) fn asks(&self, condition: &[Token<'_>]) -> bool {
        clauses(condition).into_iter().any(|clause| self.clause_asks(clause))
    }

    fn clause_asks(&self, clause: &[Token<'_>]) -> bool {
        if !clause.iter().any(|token| self.is_known(token))
            || clause
                .iter()
                .any(|token| token.is_one_of(&NO_SEARCH) || token.is_one_of(&OF_SYSTEM) && !self.is_known(token))
        {
            return false;
        }
        if clause.iter().any(|token| self.is_found(token)) {
            return true;
        }
        let compares = clause.iter().enumerate().any(|(at, token)| {
            let (left, right) = (clause.get(..at).unwrap_or_default(), clause.get(at + 1..).unwrap_or_default());
            let negates = left.last().is_some_and(|token| token.is("not"));
            let is_key = negates && left.len() == 2 && left.first().is_some_and(Token::is_text);
            let is_nothing = |side: &[Token<'_>]| {
                matches!(side, [only, ..] if NOTHING.contains(&only.text) || only.is("[") || only.is("{"))
                    && side.len() <= 2
            };
            token.is_one_of(&COMPARE) && !is_key && !is_nothing(left) && !is_nothing(right) && !left.is_empty()
        });
        let is_search = |name: &Token<'_>| SEARCHES.contains(&name.text) || self.functions.contains(name.text);
        let calls = clause
            .windows(2)
            .any(|pair| matches!(pair, [name, open] if open.is("(") && name.is_name() && is_search(name)));
        compares || calls
    }

    /// Does a condition only ask whether the event, or a part of it, is there, or for something of the system?
    pub(super) fn is_of_something_else(&self, condition: &[Token<'_>]) -> bool {
        let is_of_system = condition.iter().any(|token| token.is_one_of(&OF_SYSTEM) && !self.is_known(token));
        let asks_whether_there = condition.iter().any(|token| self.is_of_event(token))
            && !self.asks(condition)
            && !condition.iter().any(|token| self.is_found(token))
            && condition.iter().any(|token| token.is_one_of(&["not", "!", "is", "==", "===", "isinstance", "typeof"]));
        // `if not key:`. What is searched in it may be the event all the same, which some agents give in a variable.
        let is_missing =
            condition.iter().find(|token| !token.is("(")).is_some_and(|first| first.is_one_of(&["not", "!"]))
                && condition.iter().any(|token| token.is_name() && self.of_system.contains(token.text))
                && !condition.iter().any(|token| token.is_text() || self.is_known(token));
        is_of_system || asks_whether_there || is_missing
    }
}

/// The parts of a condition between `and`, `or`, `&&` and `||`.
fn clauses<'t, 's>(condition: &'t [Token<'s>]) -> Vec<&'t [Token<'s>]> {
    let mut clauses = Vec::new();
    let mut start = 0;
    for (at, token) in condition.iter().enumerate() {
        if token.is_one_of(&["and", "or", "&&", "||"]) {
            clauses.push(condition.get(start..at).unwrap_or_default());
            start = at + 1;
        }
    }
    clauses.push(condition.get(start..).unwrap_or_default());
    clauses
}

/// The function that a statement begins.
pub(super) fn function<'s>(tokens: &[Token<'s>]) -> Option<&'s str> {
    let at = tokens.iter().take(4).position(|token| token.is_one_of(&["def", "function"]));
    if let Some(name) = at.and_then(|at| tokens.get(at + 1..)?.iter().find(|token| !token.is("*"))) {
        return name.is_name().then_some(name.text);
    }
    // `const isBad = (command) => …`
    let [keyword, name, equals, rest @ ..] = tokens else { return None };
    let is_function = keyword.is_one_of(&["const", "let", "var"])
        && equals.is("=")
        && (rest.first().is_some_and(|token| token.is_one_of(&["async", "function"]))
            || rest.get(1).is_some_and(|token| token.is("=>"))
            || rest.first().is_some_and(|token| token.is("("))
                && rest.get(closing(rest, 0) + 1).is_some_and(|token| token.is_one_of(&["=>", ":"])));
    is_function.then_some(name.text)
}

/// The parameters of a function that a statement begins.
fn parameters<'s>(tokens: &[Token<'s>]) -> Vec<&'s str> {
    let names = |from: usize, to: usize| {
        let tokens = tokens.get(from..to).unwrap_or_default();
        tokens.iter().filter(|token| token.is_name()).map(|token| token.text).collect::<Vec<_>>()
    };
    if let Some(at) = tokens.iter().position(|token| token.is_one_of(&["def", "function"])) {
        let open = tokens.iter().skip(at).position(|token| token.is("(")).map(|found| found + at);
        return open.map(|open| names(open, closing(tokens, open))).unwrap_or_default();
    }
    let mut found = Vec::new();
    // A method: `run(input) {`
    let is_control = |token: &Token<'s>| token.is_one_of(&["if", "else", "for", "while", "switch", "}"]);
    let body = tokens.windows(2).position(|pair| matches!(pair, [bracket, brace] if bracket.is(")") && brace.is("{")));
    if let Some(body) = body.filter(|_| !tokens.first().is_some_and(is_control)) {
        let open = tokens.get(..body).unwrap_or_default().iter().rposition(|token| token.is("("));
        found.extend(open.map(|open| names(open, body)).unwrap_or_default());
    }
    for (at, _) in tokens.iter().enumerate().filter(|(_, token)| token.is("=>")) {
        match at.checked_sub(1).and_then(|before| tokens.get(before)) {
            Some(name) if name.is_name() => found.push(name.text),
            Some(bracket) if bracket.is(")") => {
                let open = tokens.get(..at).unwrap_or_default().iter().rposition(|token| token.is("("));
                found.extend(open.map(|open| names(open, at)).unwrap_or_default());
            }
            _ => {}
        }
    }
    found
}

/// The names that get a value: `a`, `a, b`, `{ a, b }`, `a: str`.
fn target<'s>(before: &[Token<'s>], language: &Language) -> Vec<&'s str> {
    let start =
        before.iter().rposition(|token| token.is_one_of(&["(", "=", ";", "=>"]) || token.is_one_of(&["if", "while"]));
    let before = before.get(start.map_or(0, |at| at + 1)..).unwrap_or_default();
    // `self.command =`, `module.exports =`: the last name.
    if let [.., dot, name] = before
        && dot.is(".")
    {
        return vec![name.text];
    }
    let annotated = before.iter().position(|token| token.is(":")).filter(|_| !before.iter().any(|token| token.is("{")));
    let before = before.get(..annotated.unwrap_or(before.len())).unwrap_or_default();
    let is_target = |token: &&Token<'s>| token.is_name() && !language.keywords.contains(&token.text);
    before.iter().filter(is_target).map(|token| token.text).collect()
}
