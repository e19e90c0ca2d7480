//! Words, texts and signs of code, comments left out.

use super::super::names::Language;

#[derive(Debug)]
pub(super) enum Token<'c> {
    /// A name or a number, and its line.
    Word(&'c [u8], u32),
    Text {
        /// With its simple escapes replaced.
        text: Vec<u8>,
        line: u32,
        /// Code may stand in it: `"${x}"`, `f"{x}"`.
        is_expanded: bool,
        /// A shell runs it: Perl's, Ruby's and PHP's backquotes.
        is_run: bool,
    },
    /// Anything else; a newline is one.
    Sign(u8),
}

/// The tokens of code. A text that does not end in its line ends there, but for those that may hold newlines: what a pattern with
/// a quote in it hides is at most the rest of its line.
pub(super) fn tokens(language: Language, code: &[u8]) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    let mut line = 1_u32;
    while let Some(byte) = code.get(at).copied() {
        let rest = code.get(at..).unwrap_or_default();
        match byte {
            b'\n' => {
                tokens.push(Token::Sign(b'\n'));
                line += 1;
                at += 1;
            }
            b' ' | b'\t' | b'\r' => at += 1,
            _ if is_comment(language, rest, at.checked_sub(1).and_then(|at| code.get(at)).copied()) => {
                at += rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
            }
            b'/' if rest.starts_with(b"/*") && matches!(language, Language::JavaScript | Language::Php) => {
                let end = rest.windows(2).skip(2).position(|pair| pair == b"*/").map_or(rest.len(), |end| end + 4);
                line += rest.get(..end).unwrap_or_default().iter().filter(|byte| **byte == b'\n').count() as u32;
                at += end;
            }
            b'"' | b'\'' | b'`' => {
                // A quote in a name: Perl's old `Foo'Bar`.
                let text = text(language, rest, byte);
                let prefix = match tokens.last() {
                    Some(Token::Word(word, _))
                        if language == Language::Python
                            && word.len() <= 2
                            && code.get(..at).is_some_and(|before| before.ends_with(word)) =>
                    {
                        word
                    }
                    _ => &b""[..],
                };
                let is_expanded = match language {
                    Language::Python => prefix.iter().any(|letter| letter.eq_ignore_ascii_case(&b'f')),
                    Language::JavaScript => byte == b'`',
                    Language::Lua => false,
                    _ => byte != b'\'',
                };
                let is_prefix = !prefix.is_empty() && prefix.iter().all(|letter| b"rRbBuUfFtT".contains(letter));
                if is_prefix {
                    tokens.pop();
                }
                let is_run = byte == b'`' && matches!(language, Language::Perl | Language::Ruby | Language::Php);
                tokens.push(Token::Text { text: text.value, line, is_expanded, is_run });
                line +=
                    rest.get(..text.length).unwrap_or_default().iter().filter(|byte| **byte == b'\n').count() as u32;
                at += text.length;
            }
            b'[' if language == Language::Lua && (rest.starts_with(b"[[") || rest.starts_with(b"[=")) => {
                let end = rest.windows(2).position(|pair| pair == b"]]").map_or(rest.len(), |end| end + 2);
                let value = rest.get(2..end.saturating_sub(2)).unwrap_or_default().to_vec();
                tokens.push(Token::Text { text: value, line, is_expanded: false, is_run: false });
                line += rest.get(..end).unwrap_or_default().iter().filter(|byte| **byte == b'\n').count() as u32;
                at += end.max(1);
            }
            _ if byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80 => {
                let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80;
                let end = rest.iter().position(|byte| !is_part(byte)).unwrap_or(rest.len());
                tokens.push(Token::Word(rest.get(..end).unwrap_or_default(), line));
                at += end.max(1);
            }
            _ => {
                tokens.push(Token::Sign(byte));
                at += 1;
            }
        }
    }
    tokens
}

fn is_comment(language: Language, rest: &[u8], before: Option<u8>) -> bool {
    let starts = |what: &[u8]| rest.starts_with(what);
    match language {
        Language::Python => starts(b"#"),
        // `$#array`, `s#a#b#`, `"#{x}"`
        Language::Perl | Language::Ruby => {
            starts(b"#")
                && before.is_none_or(|before| before.is_ascii_whitespace() || matches!(before, b';' | b'}' | b'{'))
        }
        Language::JavaScript => starts(b"//") && before != Some(b':') && before != Some(b'\\') || starts(b"#!"),
        Language::Php => starts(b"//") && before != Some(b':') || starts(b"#") && !starts(b"#["),
        Language::Lua => starts(b"--") || starts(b"#!"),
        _ => false,
    }
}

struct Text {
    value: Vec<u8>,
    /// With its quotes.
    length: usize,
}

fn text(language: Language, rest: &[u8], quote: u8) -> Text {
    let triple = [quote; 3];
    let is_triple = language == Language::Python && rest.starts_with(&triple);
    let ends: &[u8] = if is_triple { &triple } else { &triple[..1] };
    let may_have_lines = is_triple || quote == b'`';
    let mut value = Vec::new();
    let mut at = ends.len();
    while let Some(byte) = rest.get(at).copied() {
        if rest.get(at..).is_some_and(|rest| rest.starts_with(ends)) {
            return Text { value, length: at + ends.len() };
        }
        match byte {
            b'\\' => {
                let next = rest.get(at + 1).copied().unwrap_or(b'\\');
                match next {
                    b'n' => value.push(b'\n'),
                    b't' => value.push(b'\t'),
                    b'x' | b'u' | b'U' | b'N' | b'0'..=b'9' => {
                        // An escape by number may be any character: nothing is known of such a text.
                        value.push(0);
                        value.push(next);
                    }
                    b'\n' => {}
                    next => value.push(next),
                }
                at += 2;
            }
            b'\n' if !may_have_lines => break,
            byte => {
                value.push(byte);
                at += 1;
            }
        }
    }
    Text { value, length: at.min(rest.len()).max(1) }
}
