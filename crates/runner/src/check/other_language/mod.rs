//! Guards in Python and JavaScript that deny by an exit code that denies nothing: `sys.exit(1)`, `process.exit(1)`.
//!
//! A program is read as words (comments and what stands in texts are no code) and as statements with what they stand in. That is no parser:
//! the parsers that there are for the two languages are each as large as a shell. So only a program is told of that never denies in
//! another way, and only an exit for which a message stands beside it, or that a search in the event leads to; one in an `except` or a
//! `catch` says that the hook itself failed.

mod branch;
mod event;
mod exits;
mod statements;
mod tokens;

use super::guard::denies_nothing;
use crate::config::ExitMeaning;
use branch::Branches;
use event::Names;
use exits::{Code, Exit, exits};
use tokens::Token;

/// What a language calls its exit, its standard error, and the handling of an error.
struct Language {
    /// The names of an exit, up to its bracket or its `=`.
    exits: &'static [&'static [&'static str]],
    handlers: &'static [&'static str],
    /// What reads the event.
    inputs: &'static [&'static str],
    /// Names that stand before one that gets a value.
    keywords: &'static [&'static str],
    is_python: bool,
}

const PYTHON: Language = Language {
    exits: &[
        &["sys", ".", "exit", "("],
        &["os", ".", "_exit", "("],
        &["SystemExit", "("],
        &["exit", "("],
        &["quit", "("],
    ],
    handlers: &["except"],
    inputs: &["stdin", "input"],
    keywords: &["for", "in", "async", "global", "nonlocal", "self", "with", "as"],
    is_python: true,
};
const JAVASCRIPT: Language = Language {
    exits: &[&["process", ".", "exit", "("], &["Deno", ".", "exit", "("], &["process", ".", "exitCode", "="]],
    handlers: &["catch"],
    inputs: &["stdin"],
    keywords: &["const", "let", "var", "for", "of", "in", "await", "async", "export", "this"],
    is_python: false,
};

/// The language that a program reads.
fn language(interpreter: &str) -> Option<&'static Language> {
    match interpreter.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.') {
        "python" | "pypy" => Some(&PYTHON),
        "node" | "nodejs" | "bun" | "deno" | "tsx" | "ts-node" => Some(&JAVASCRIPT),
        _ => None,
    }
}

/// Lines that exit with a code that denies nothing, with what is to be said of them.
pub(super) fn failures(
    text: &str,
    interpreter: &str,
    exit_meaning: &dyn Fn(u8) -> ExitMeaning,
) -> Vec<(usize, String)> {
    let Some(language) = language(interpreter) else { return Vec::new() };
    let tokens = if language.is_python { tokens::of_python(text) } else { tokens::of_javascript(text) };
    let program = if language.is_python { statements::of_python(tokens) } else { statements::of_javascript(tokens) };
    // A text that is a statement of its own, a docstring, is none of them.
    let all = || program.statements.iter().map(|statement| &*statement.tokens);
    if all().any(decides) {
        return Vec::new();
    }
    let reads_event = all().any(|tokens| reads_event(tokens, language));
    let names = Names::of(&program, language);
    let exits = exits(&program, language);
    let denies = |code: u8| exit_meaning(code).is_deny() || exit_meaning(code) == ExitMeaning::Halt;
    if exits.iter().any(|exit| match exit.code {
        // It may be one that denies.
        Code::Unknown => true,
        Code::Known(code) | Code::Chosen(code) => denies(code),
        Code::Text => denies(1),
    }) {
        return Vec::new();
    }
    let branches = Branches { program: &program, names: &names, exits: &exits, language };
    let says_why = |exit: &Exit| match exit.code {
        Code::Known(_) => branches.is_told(exit) || reads_event && branches.is_found(exit),
        Code::Chosen(_) => reads_event,
        Code::Text => !branches.is_of_something_else(exit),
        Code::Unknown => false,
    };
    let mut found: Vec<(usize, String)> = Vec::new();
    for exit in &exits {
        let code = match exit.code {
            Code::Known(code) | Code::Chosen(code) => code,
            Code::Text | Code::Unknown => 1,
        };
        let is_of_system = matches!(code, 0 | 64..=78 | 126 | 127);
        if !is_of_system && says_why(exit) && !branches.is_handler(exit) {
            let line = program.tokens(exit.statement).get(exit.at).map_or(1, |token| token.line);
            found.push((line, denies_nothing(code, exit_meaning)));
        }
    }
    found.dedup();
    found
}

/// Is the event read: standard input, or file 0?
fn reads_event(tokens: &[Token<'_>], language: &Language) -> bool {
    let is_file = |three: &[Token<'_>]| {
        matches!(three, [name, open, file] if name.is_one_of(&["readFileSync", "open"]) && open.is("(")
            && (file.is("0") || file.is_text() && file.text == "/dev/stdin"))
    };
    tokens.iter().any(|token| token.is_one_of(language.inputs)) || tokens.windows(3).any(is_file)
}

/// Does a program say a decision in another way than by its exit code?
fn decides(tokens: &[Token<'_>]) -> bool {
    let near = |at: usize| tokens.get(at);
    tokens.iter().enumerate().any(|(at, token)| {
        if token.is_text() {
            let text = token.text;
            return matches!(text, "deny" | "block" | "continue" | "halt")
                || text.ends_with("ecision")
                || ["ecision\"", "ecision\\", "ecision'", "\"continue\"", "\"halt\"", "\\\"continue"]
                    .iter()
                    .any(|key| text.contains(key));
        }
        let before = at.checked_sub(1).and_then(near);
        let is_key = near(at + 1).is_some_and(|next| next.is(":"))
            || near(at + 1).is_some_and(|next| next.is("="))
                && before.is_some_and(|before| before.is_one_of(&["(", ",", ".", "{"]));
        token.is_name()
            && (is_key && (token.text.contains("ecision") || matches!(token.text, "continue" | "halt"))
                // Another program decides.
                || token.text.starts_with("execv") || token.text.starts_with("execl"))
    })
}

#[cfg(test)]
mod tests;
