//! Where a program exits, and with what.

use std::collections::HashMap;

use super::Language;
use super::event::function;
use super::statements::{Program, closing, outside};
use super::tokens::{Kind, Token};

/// How many functions and names are looked through for a code.
const DEPTH: usize = 8;

/// With what a program exits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Code {
    Known(u8),
    /// `sys.exit(1 if bad else 0)`
    Chosen(u8),
    /// `sys.exit("no")`
    Text,
    Unknown,
}

/// An exit, or where its code is chosen: `return 1` in `main`, for `sys.exit(main())`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Exit {
    pub(super) statement: usize,
    /// Which of its tokens it begins with.
    pub(super) at: usize,
    pub(super) code: Code,
}

/// All of a program.
pub(super) fn exits(program: &Program<'_>, language: &Language) -> Vec<Exit> {
    let index = Index::of(program);
    let mut search = Search { program, language, index: &index, found: Vec::new(), seen: HashMap::new() };
    for (statement, tokens) in program.statements.iter().map(|statement| &*statement.tokens).enumerate() {
        for at in 0..tokens.len() {
            if let Some(argument) = argument(tokens, at, language) {
                search.add(statement, at, argument, 0);
            }
        }
    }
    let mut found = search.found;
    found.sort_by_key(|exit| (exit.statement, exit.at));
    found.dedup();
    found
}

/// The argument of an exit that begins here.
fn argument<'t, 's>(tokens: &'t [Token<'s>], at: usize, language: &Language) -> Option<&'t [Token<'s>]> {
    if !tokens.get(at)?.is_name() || at.checked_sub(1).is_some_and(|before| is_other(tokens, before)) {
        return None;
    }
    let is_exit = |names: &&&[&str]| {
        let here = tokens.get(at..at + names.len());
        here.is_some_and(|here| here.iter().zip(**names).all(|(token, name)| token.is(name)))
    };
    let names = language.exits.iter().find(is_exit)?;
    let open = at + names.len() - 1;
    let end = if tokens.get(open)?.is("(") {
        closing(tokens, open)
    } else {
        let rest = tokens.get(open + 1..)?;
        outside(rest).find(|(_, token)| token.is(",")).map_or(tokens.len(), |(at, _)| open + 1 + at)
    };
    tokens.get(open + 1..end)
}

/// `self.exit(`, `def exit(`, `class SystemExit(`
fn is_other(tokens: &[Token<'_>], before: usize) -> bool {
    tokens.get(before).is_some_and(|token| token.is_one_of(&[".", "def", "class", "function"]))
}

/// Where names and functions are, so that a program with very many of them is not searched for each.
struct Index<'s> {
    /// Statements, and which of their tokens.
    names: HashMap<&'s str, Vec<(usize, usize)>>,
    /// The statement that begins a function.
    functions: HashMap<&'s str, usize>,
    /// The `return`s of the function that a statement begins, likewise.
    returns: HashMap<usize, Vec<(usize, usize)>>,
}

impl<'s> Index<'s> {
    fn of(program: &Program<'s>) -> Self {
        let mut index = Self { names: HashMap::new(), functions: HashMap::new(), returns: HashMap::new() };
        let begins_function = |at: &usize| {
            let tokens = program.tokens(*at);
            function(tokens).is_some() || tokens.iter().any(|token| token.is_one_of(&["def", "function", "=>"]))
        };
        // Asked for many statements of a block.
        let begins: Vec<bool> = (0..program.statements.len()).map(|at| begins_function(&at)).collect();
        for (statement, tokens) in program.statements.iter().map(|statement| &*statement.tokens).enumerate() {
            if let Some(name) = function(tokens) {
                index.functions.entry(name).or_insert(statement);
            }
            for (at, token) in tokens.iter().enumerate().filter(|(_, token)| token.is_name()) {
                index.names.entry(token.text).or_default().push((statement, at));
            }
            // Another function in a function returns for itself.
            let of_function = || program.around(statement).find(|around| begins.get(*around) == Some(&true));
            if let Some(at) = tokens.iter().position(|token| token.is("return"))
                && let Some(head) = of_function()
            {
                index.returns.entry(head).or_default().push((statement, at));
            }
        }
        index
    }
}

struct Search<'p, 's> {
    program: &'p Program<'s>,
    language: &'p Language,
    index: &'p Index<'s>,
    found: Vec<Exit>,
    /// Functions and names whose codes are in it, and what a constant is.
    seen: HashMap<String, Option<Code>>,
}

impl Search<'_, '_> {
    /// An exit with this argument, or what chooses it.
    fn add(&mut self, statement: usize, at: usize, argument: &[Token<'_>], depth: usize) {
        let argument = bare(argument);
        let code = code(argument, self.language);
        if code != Code::Unknown || depth >= DEPTH {
            self.found.push(Exit { statement, at, code });
            return;
        }
        match argument {
            [name] if name.is_name() => self.of_name(name.text, (statement, at), depth),
            [name, open, ..] if name.is_name() && open.is("(") && closing(argument, 1) + 1 == argument.len() => {
                self.of_function(name.text, (statement, at), depth);
            }
            _ => self.found.push(Exit { statement, at, code }),
        }
    }

    /// `code = 1`, for `sys.exit(code)`; a constant is its value.
    fn of_name(&mut self, name: &str, place: (usize, usize), depth: usize) {
        if let Some(known) = self.seen.get(name) {
            let (statement, at) = place;
            self.found.extend(known.map(|code| Exit { statement, at, code }));
            return;
        }
        self.seen.insert(name.to_owned(), None);
        let mut values = Vec::new();
        let index = self.index;
        for &(statement, at) in index.names.get(name).into_iter().flatten() {
            let tokens = self.program.tokens(statement);
            let next = tokens.get(at + 1);
            let before = at.checked_sub(1).and_then(|before| tokens.get(before));
            if before.is_some_and(|before| before.is(".")) {
                continue;
            }
            // Whatever else is done with it (`code += 1`, a parameter) is not known.
            let is_changed = next.is_some_and(|next| next.is_one_of(&["+=", "|=", "-=", "++", "=>"]));
            let is_parameter =
                function(tokens).is_some() && at > 1 && tokens.iter().take(2).any(|token| token.is("def"));
            let is_one_of_several = self.language.is_python && before.is_some_and(|before| before.is(","));
            if is_changed || is_parameter || is_one_of_several && next.is_some_and(|next| next.is("=")) {
                values.push((statement, at, None));
            } else if next.is_some_and(|next| next.is("=")) {
                let value = tokens.get(at + 2..).unwrap_or_default();
                let end = outside(value).find(|(_, token)| token.is(",")).map_or(value.len(), |(end, _)| end);
                values.push((statement, at, value.get(..end)));
            }
        }
        match &*values {
            [] => self.constant(name, Code::Unknown, place),
            [(_, _, Some(value))] if matches!(code(bare(value), self.language), Code::Known(_)) => {
                self.constant(name, code(bare(value), self.language), place);
            }
            _ => {
                for (statement, at, value) in values {
                    match value {
                        Some(value) => self.add(statement, at, value, depth + 1),
                        None => self.unknown(place),
                    }
                }
            }
        }
    }

    /// `return 1` in `main`, for `sys.exit(main())`.
    fn of_function(&mut self, name: &str, place: (usize, usize), depth: usize) {
        if self.seen.contains_key(name) {
            return;
        }
        self.seen.insert(name.to_owned(), None);
        let index = self.index;
        let Some(head) = index.functions.get(name) else { return self.unknown(place) };
        for &(statement, at) in index.returns.get(head).into_iter().flatten() {
            let value = self.program.tokens(statement).get(at + 1..).unwrap_or_default();
            self.add(statement, at, value, depth + 1);
        }
    }

    /// The name, or the function, is always this.
    fn constant(&mut self, name: &str, code: Code, (statement, at): (usize, usize)) {
        self.seen.insert(name.to_owned(), Some(code));
        self.found.push(Exit { statement, at, code });
    }

    fn unknown(&mut self, (statement, at): (usize, usize)) {
        self.found.push(Exit { statement, at, code: Code::Unknown });
    }
}

/// Without `await`, brackets around it, and what runs a coroutine.
fn bare<'t, 's>(mut tokens: &'t [Token<'s>]) -> &'t [Token<'s>] {
    loop {
        tokens = match tokens {
            [first, rest @ ..] if first.is("await") => rest,
            [rest @ .., last] if last.is(";") => rest,
            [asyncio, dot, run, open, rest @ .., _]
                if asyncio.is("asyncio")
                    && dot.is(".")
                    && run.is("run")
                    && open.is("(")
                    && closing(tokens, 3) + 1 == tokens.len() =>
            {
                rest
            }
            [open, rest @ .., _] if open.is("(") && closing(tokens, 0) + 1 == tokens.len() => rest,
            _ => return tokens,
        };
    }
}

fn code(argument: &[Token<'_>], language: &Language) -> Code {
    match argument {
        [] => Code::Known(0),
        [only] => number(only).map_or_else(|| of_word(only, language), Code::Known),
        [minus, only] if minus.is("-") => {
            number(only).map_or(Code::Unknown, |number| Code::Known(0_u8.wrapping_sub(number)))
        }
        [first, ..] if language.is_python && first.is_text() && !argument.iter().any(|token| token.is("if")) => {
            Code::Text
        }
        _ => chosen(argument, language).unwrap_or(Code::Unknown),
    }
}

fn of_word(only: &Token<'_>, language: &Language) -> Code {
    match only.text {
        _ if only.is_text() => {
            if language.is_python {
                Code::Text
            } else {
                Code::Unknown
            }
        }
        "True" | "true" => Code::Known(1),
        "False" | "false" | "None" | "undefined" => Code::Known(0),
        _ => Code::Unknown,
    }
}

fn number(token: &Token<'_>) -> Option<u8> {
    let number: u64 = if token.kind == Kind::Number { token.text.parse().ok()? } else { return None };
    u8::try_from(number & 0xff).ok()
}

/// `1 if bad else 0`, `bad ? 1 : 0`: of two codes the one that is not 0.
fn chosen(argument: &[Token<'_>], language: &Language) -> Option<Code> {
    let at = |name: &str| argument.iter().position(|token| token.is(name));
    let (one, other) = if language.is_python {
        (argument.get(..at("if")?)?, argument.get(at("else")? + 1..)?)
    } else {
        let colon = argument.iter().rposition(|token| token.is(":"))?;
        (argument.get(at("?")? + 1..colon)?, argument.get(colon + 1..)?)
    };
    match (code(bare(one), language), code(bare(other), language)) {
        (Code::Text, Code::Known(0)) | (Code::Known(0), Code::Text) => Some(Code::Text),
        (Code::Known(0), Code::Known(code)) | (Code::Known(code), Code::Known(0)) => Some(Code::Chosen(code)),
        _ => None,
    }
}
