//! Python: a statement is a line, and more of them in brackets; a block is what is indented further.

use super::super::tokens::Token;
use super::{Program, Statement, outside};

/// What begins a statement that others stand in.
const HEADS: [&str; 14] = [
    "if", "elif", "else", "for", "while", "try", "except", "finally", "with", "def", "class", "async", "match", "case",
];

/// All of a program.
pub(in super::super) fn statements<'s>(tokens: Vec<Token<'s>>) -> Program<'s> {
    let mut statements: Vec<Statement<'s>> = Vec::new();
    // What blocks begin with, and how far they are indented.
    let mut open: Vec<(usize, usize)> = Vec::new();
    for line in lines(tokens) {
        let indent = line.first().and_then(|token| token.indent).unwrap_or_default();
        while open.last().is_some_and(|(_, head)| *head >= indent) {
            open.pop();
        }
        let mut parent = open.last().map(|(head, _)| *head);
        let mut rest = &*line;
        if let Some(colon) = colon(rest) {
            let (head, body) = rest.split_at(colon + 1);
            open.push((statements.len(), indent));
            let head = Statement { tokens: head.to_vec(), parent };
            parent = Some(statements.len());
            statements.push(head);
            rest = body;
        }
        let ends = outside(rest).filter(|(_, token)| token.is(";")).map(|(at, _)| at).chain([rest.len()]);
        let mut start = 0;
        for end in ends.collect::<Vec<_>>() {
            if let Some(tokens) = rest.get(start..end).filter(|tokens| !tokens.is_empty() && !is_docstring(tokens)) {
                statements.push(Statement { tokens: tokens.to_vec(), parent });
            }
            start = end + 1;
        }
    }
    Program::new(statements)
}

/// The lines of the language: what stands in brackets is one.
fn lines<'s>(tokens: Vec<Token<'s>>) -> Vec<Vec<Token<'s>>> {
    let mut lines: Vec<Vec<Token<'s>>> = Vec::new();
    let mut depth = 0_usize;
    for token in tokens {
        let begins = token.indent.is_some() && depth == 0;
        if token.is_one_of(&["(", "[", "{"]) {
            depth += 1;
        } else if token.is_one_of(&[")", "]", "}"]) {
            depth = depth.saturating_sub(1);
        }
        match lines.last_mut() {
            Some(line) if !begins => line.push(token),
            _ => lines.push(vec![token]),
        }
    }
    lines
}

/// Where the colon is after which a block begins.
fn colon(line: &[Token<'_>]) -> Option<usize> {
    let first = line.first().filter(|first| first.is_one_of(&HEADS))?;
    // `match = …`, `case.x`: names as others are.
    if first.is_one_of(&["match", "case"]) && line.get(1).is_none_or(|next| next.is_one_of(&["=", ".", ":", ",", ")"]))
    {
        return None;
    }
    let mut lambdas = 0_usize;
    outside(line).find_map(|(at, token)| {
        lambdas += usize::from(token.is("lambda"));
        let is_colon = token.is(":");
        if is_colon && lambdas > 0 {
            lambdas -= 1;
            return None;
        }
        is_colon.then_some(at)
    })
}

/// A text that is a statement: it does nothing.
fn is_docstring(tokens: &[Token<'_>]) -> bool {
    tokens.iter().all(Token::is_text)
}
