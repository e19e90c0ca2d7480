//! Python's words.

use super::{Kind, Reader, Token, is_of_name};

/// The longest first.
const SIGNS: [&str; 22] = [
    "**=", "//=", ">>=", "<<=", "...", "==", "!=", "<=", ">=", ":=", "->", "+=", "-=", "*=", "/=", "|=", "&=", "%=",
    "**", "//", "<<", ">>",
];

/// How far the end of an expression in an f-string is looked for.
const FAR: usize = 1024;

/// All of a program.
pub(in super::super) fn tokens(source: &str) -> Vec<Token<'_>> {
    let mut reader = Reader::new(source);
    while let Some(byte) = reader.byte() {
        match byte {
            b'#' => reader.skip_line(),
            b'\\' if reader.starts_with("\\\n") || reader.starts_with("\\\r\n") => {
                let begin = reader.line_start;
                reader.skip_bytes(if reader.starts_with("\\\n") { 2 } else { 3 });
                // What comes next is not the first of its line.
                reader.line_start = begin;
            }
            b' ' | b'\t' | b'\r' | b'\n' | 0x0c => reader.skip(),
            b'"' | b'\'' => text(&mut reader, ""),
            _ if reader.rest().starts_with(is_of_name) => {
                let rest = reader.rest();
                let prefix = rest.get(..rest.find(|c| !is_of_name(c)).unwrap_or(rest.len())).unwrap_or_default();
                let is_prefix = prefix.len() <= 2 && prefix.chars().all(|c| "rbfuRBFUtT".contains(c));
                if is_prefix && rest.get(prefix.len()..).is_some_and(|rest| rest.starts_with(['"', '\''])) {
                    text(&mut reader, prefix);
                } else {
                    reader.word();
                }
            }
            _ => reader.sign(&SIGNS),
        }
    }
    reader.found
}

/// A string with what stands before its quote.
fn text(reader: &mut Reader<'_>, prefix: &str) {
    let (start, line, line_start) = (reader.at, reader.line, reader.line_start);
    let inner = skip_text(reader, prefix);
    reader.line_start = line_start;
    reader.push(Kind::Text, start, line, inner);
}

/// Goes over a string; gives where its text is.
fn skip_text(reader: &mut Reader<'_>, prefix: &str) -> (usize, usize) {
    let is_formatted = prefix.contains(['f', 'F', 't', 'T']);
    reader.at += prefix.len();
    let rest = reader.rest();
    let quote = ["\"\"\"", "'''", "\"", "'"].into_iter().find(|quote| rest.starts_with(quote)).unwrap_or("\"");
    reader.skip_bytes(quote.len());
    let from = reader.at;
    while let Some(byte) = reader.byte() {
        match byte {
            _ if reader.starts_with(quote) => {
                let to = reader.at;
                reader.skip_bytes(quote.len());
                return (from, to);
            }
            // A raw string's backslash keeps a quote from ending it, too.
            b'\\' => {
                reader.skip();
                reader.skip();
            }
            // It is broken: the next line is code again.
            b'\n' if quote.len() == 1 => break,
            b'{' if is_formatted && reader.starts_with("{{") => reader.skip_bytes(2),
            b'{' if is_formatted => skip_expression(reader, quote),
            _ => reader.skip(),
        }
    }
    (from, reader.at)
}

/// Goes over what stands in the braces of an f-string.
fn skip_expression(reader: &mut Reader<'_>, quote: &str) {
    let mut open = 0_usize;
    while let Some(byte) = reader.byte() {
        match byte {
            b'{' | b'[' | b'(' => open += 1,
            b'}' | b']' | b')' => {
                open = open.saturating_sub(1);
                if open == 0 {
                    return reader.skip();
                }
            }
            b'\n' if quote.len() == 1 => return,
            b'"' | b'\'' => {
                // Before Python 3.12 this quote ends the f-string, and only a broken one has it here.
                if open == 1 && reader.starts_with(quote) && ends_here(reader, quote) {
                    return;
                }
                skip_text(reader, "");
                continue;
            }
            _ => {}
        }
        reader.skip();
    }
}

/// Is there no `}` on the line any more: is the quote the end of the whole string?
fn ends_here(reader: &Reader<'_>, quote: &str) -> bool {
    let rest = reader.rest().get(quote.len()..).unwrap_or_default();
    let mut line = rest.bytes().take(FAR).take_while(|byte| *byte != b'\n');
    !line.any(|byte| byte == b'}')
}
