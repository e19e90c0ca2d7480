//! Tilde-prefixes (XCU 2.6.1).

use crate::ast::{BraceExpansion, WordPart, WordParts};
use crate::bytes::{NAME, begins_name, is};
use crate::text::Text;

/// Marks the tilde-prefixes of a word: at its beginning, and in an assignment's value after every unquoted `:`. `bash`: a
/// `:` ends one everywhere.
pub(crate) fn tildes(parts: WordParts, assignment: bool, bash: bool) -> WordParts {
    let may_have = |part: &WordPart| match part {
        WordPart::Literal(text) => text.contains(&b'~'),
        WordPart::Brace(_) => true,
        _ => false,
    };
    if !parts.iter().any(may_have) {
        return parts;
    }
    mark_all(parts.into_vec(), assignment, bash).into()
}

fn mark_all(parts: Vec<WordPart>, assignment: bool, bash: bool) -> Vec<WordPart> {
    let ends = Ends { assignment, colon: assignment || bash };
    let count = parts.len();
    let mut out = Vec::with_capacity(count + 1);
    for (i, part) in parts.into_iter().enumerate() {
        match part {
            WordPart::Literal(text) => mark(&mut out, text, i == 0, ends, i + 1 == count),
            WordPart::Brace(brace) if i == 0 => {
                let last = count == 1;
                out.push(WordPart::Brace(Box::new(match *brace {
                    BraceExpansion::Alternatives(alternatives) => BraceExpansion::Alternatives(
                        alternatives.into_iter().map(|parts| in_alternative(parts, last, ends)).collect(),
                    ),
                    // Sequences, and words that were read with their tildes.
                    other => other,
                })));
            }
            part => out.push(part),
        }
    }
    out
}

/// bash: the tilde-prefixes of an argument. One that looks like an assignment has them where an assignment has.
pub(crate) fn argument_tildes(parts: WordParts) -> WordParts {
    let head = match parts.first() {
        // What brace expansion makes is an argument like any other.
        Some(WordPart::Literal(text)) if !parts.iter().any(|part| matches!(part, WordPart::Brace(_))) => {
            assignment_head(text).map(|head| (Text::new(&text[..head]), Text::new(&text[head..])))
        }
        _ => None,
    };
    let Some((name, value)) = head else {
        return tildes(parts, false, true);
    };
    let value = (!value.is_empty()).then_some(WordPart::Literal(value));
    let after = value.into_iter().chain(parts.into_iter().skip(1)).collect();
    std::iter::once(WordPart::Literal(name)).chain(tildes(after, true, true)).collect()
}

/// The length of `name=`, `name+=` or `name[…]=` at the beginning of a text.
fn assignment_head(text: &[u8]) -> Option<usize> {
    let name = text.iter().take_while(|&&b| is(b, NAME)).count();
    if !text.first().is_some_and(|&b| begins_name(b)) {
        return None;
    }
    let mut end = name;
    if text.get(end) == Some(&b'[') {
        end += 1 + crate::bytes::find(b']', &text[end..])?;
    }
    if text.get(end) == Some(&b'+') {
        end += 1;
    }
    (text.get(end) == Some(&b'=')).then_some(end + 1)
}

/// An alternative at the beginning of a word becomes the beginning of a word of its own.
fn in_alternative(mut parts: Vec<WordPart>, last: bool, ends: Ends) -> Vec<WordPart> {
    let alone = parts.len() == 1 && last;
    match parts.first_mut() {
        Some(WordPart::Literal(text)) => {
            let mut head = Vec::new();
            let text = std::mem::take(text);
            mark(&mut head, text, true, Ends { assignment: false, ..ends }, alone);
            parts.splice(0..1, head);
            parts
        }
        Some(WordPart::Brace(_)) => {
            if alone {
                mark_all(parts, false, ends.colon)
            } else {
                parts
            }
        }
        _ => parts,
    }
}

/// Where tilde-prefixes begin and end.
#[derive(Clone, Copy)]
struct Ends {
    /// One may begin after every `:`.
    assignment: bool,
    /// A `:` ends one, as a `/` does.
    colon: bool,
}

/// Splits literal text at its tilde-prefixes; `last`: nothing follows this text in the word.
fn mark(out: &mut Vec<WordPart>, text: Text, first: bool, ends: Ends, last: bool) {
    let mut begin = 0;
    let mut from = 0;
    let mut candidate = first;
    loop {
        if candidate && text.get(from) == Some(&b'~') {
            let name = from + 1;
            let end = text[name..]
                .iter()
                .position(|&b| b == b'/' || (ends.colon && b == b':'))
                .map_or(text.len(), |i| name + i);
            let closed = end < text.len() || last;
            if closed && text[name..end].iter().all(|&b| is_login_byte(b)) {
                if begin < from {
                    out.push(WordPart::Literal(text[begin..from].into()));
                }
                out.push(WordPart::Tilde(text[name..end].into()));
                begin = end;
                from = end;
            }
        }
        if !ends.assignment {
            break;
        }
        match crate::bytes::find(b':', &text[from..]) {
            Some(i) => {
                from += i + 1;
                candidate = true;
            }
            None => break,
        }
    }
    if begin < text.len() {
        out.push(WordPart::Literal(text[begin..].into()));
    }
}

fn is_login_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'+') || byte >= 0x80
}
