//! JavaScript's words, and TypeScript's.

use super::{Kind, Reader, Token, is_of_name};

/// The longest first.
const SIGNS: [&str; 34] = [
    ">>>=", "...", "===", "!==", "**=", "<<=", ">>=", ">>>", "&&=", "||=", "??=", "=>", "==", "!=", "<=", ">=", "&&",
    "||", "??", "?.", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "**", "<<", ">>", "#!",
];

/// After these a slash begins a regular expression, as after a sign.
const BEFORE_EXPRESSION: [&str; 12] =
    ["return", "typeof", "case", "in", "of", "do", "else", "await", "yield", "void", "delete", "throw"];

/// After so many slashes of a line that begin no regular expression none is looked for: each would search the line to its end.
const MOST_ENDLESS: usize = 16;

/// How deep templates are read that have templates in them.
const DEPTH: usize = 16;

/// All of a program.
pub(in super::super) fn tokens(source: &str) -> Vec<Token<'_>> {
    let mut reader = Reader::new(source);
    if reader.starts_with("#!") {
        reader.skip_line();
    }
    // On a line, how many slashes begin no regular expression, though one could stand there.
    let mut endless = (0_usize, 0_usize);
    while let Some(byte) = reader.byte() {
        let is_first = |c: char| is_of_name(c);
        match byte {
            b'/' if reader.starts_with("//") => reader.skip_line(),
            b'/' if reader.starts_with("/*") => skip_comment(&mut reader),
            b' ' | b'\t' | b'\r' | b'\n' | 0x0c => reader.skip(),
            b'"' | b'\'' | b'`' => text(&mut reader, |reader| skip_text(reader, 0)),
            b'/' if begins_expression(reader.found.last()) => {
                if endless.0 != reader.line {
                    endless = (reader.line, 0);
                }
                let end = if endless.1 < MOST_ENDLESS { regex_end(reader.rest()) } else { None };
                match end {
                    Some(end) => text(&mut reader, |reader| {
                        let from = reader.at;
                        reader.at += end;
                        let to = reader.at;
                        reader.skip_while(|c| c.is_ascii_alphabetic());
                        (from + 1, to - 1)
                    }),
                    None => {
                        endless.1 += 1;
                        reader.sign(&SIGNS);
                    }
                }
            }
            _ if reader.rest().starts_with(is_first) => reader.word(),
            _ => reader.sign(&SIGNS),
        }
    }
    reader.found
}

fn skip_comment(reader: &mut Reader<'_>) {
    let end = reader.rest().get(2..).and_then(|rest| rest.find("*/")).map(|at| at + 4);
    reader.skip_bytes(end.unwrap_or(reader.rest().len()));
}

fn text(reader: &mut Reader<'_>, skip: impl FnOnce(&mut Reader<'_>) -> (usize, usize)) {
    let (start, line, line_start) = (reader.at, reader.line, reader.line_start);
    let inner = skip(reader);
    reader.line_start = line_start;
    reader.push(Kind::Text, start, line, inner);
}

/// Goes over a string or a template; gives where its text is.
fn skip_text(reader: &mut Reader<'_>, depth: usize) -> (usize, usize) {
    let quote = reader.byte();
    reader.skip();
    let from = reader.at;
    while let Some(byte) = reader.byte() {
        match byte {
            _ if Some(byte) == quote => {
                reader.skip();
                return (from, reader.at - 1);
            }
            b'\\' => {
                reader.skip();
                reader.skip();
            }
            // It is broken: the next line is code again.
            b'\n' if quote != Some(b'`') => break,
            b'$' if quote == Some(b'`') && depth < DEPTH && reader.starts_with("${") => {
                reader.skip();
                skip_expression(reader, depth + 1);
            }
            _ => reader.skip(),
        }
    }
    (from, reader.at)
}

/// Goes over what stands in the braces of a template.
fn skip_expression(reader: &mut Reader<'_>, depth: usize) {
    let mut open = 0_usize;
    while let Some(byte) = reader.byte() {
        match byte {
            b'{' => open += 1,
            b'}' => {
                open = open.saturating_sub(1);
                if open == 0 {
                    return reader.skip();
                }
            }
            b'"' | b'\'' | b'`' => {
                skip_text(reader, depth);
                continue;
            }
            _ => {}
        }
        reader.skip();
    }
}

/// Does a slash after this begin a regular expression? (After a bracket it divides.)
fn begins_expression(last: Option<&Token<'_>>) -> bool {
    match last {
        None => true,
        Some(token) => match token.kind {
            Kind::Name => BEFORE_EXPRESSION.contains(&token.text),
            Kind::Number | Kind::Text => false,
            Kind::Sign => !matches!(token.text, ")" | "]" | "}" | "++" | "--"),
        },
    }
}

/// How long the regular expression is that a text begins with, with both slashes.
fn regex_end(text: &str) -> Option<usize> {
    let (mut is_escaped, mut is_in_class) = (false, false);
    for (at, character) in text.char_indices().skip(1) {
        match character {
            '\n' => return None,
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '[' => is_in_class = true,
            ']' => is_in_class = false,
            '/' if !is_in_class => return Some(at + 1),
            _ => {}
        }
    }
    None
}
