//! Calls that run what they are given.

use super::super::source::Source;
use super::super::word::Values;
use super::lexer::Token;

impl Source<'_, '_> {
    /// `chdir("x")`
    pub(super) fn changes_dir(&mut self, tokens: &[Token<'_>], at: usize) -> bool {
        match literal(tokens, at + 1) {
            Some(call) if call.texts.len() == 1 => {
                let dirs: Vec<Values> = call.texts.iter().map(|text| vec![text.clone()]).collect();
                self.change_dir(&dirs, "chdir");
                true
            }
            _ => false,
        }
    }

    /// A call that runs what it is given. Is all of it known?
    pub(super) fn call_of(&mut self, tokens: &[Token<'_>], at: usize, is_shell: bool) -> bool {
        let Some(call) = literal(tokens, at + 1) else { return false };
        match () {
            () if call.texts.is_empty() => false,
            () if call.is_list || !is_shell && call.texts.len() > 1 => {
                let words: Vec<Values> = call.texts.iter().map(|text| vec![text.clone()]).collect();
                let shown: Vec<String> =
                    call.texts.iter().map(|text| String::from_utf8_lossy(text).into_owned()).collect();
                self.command(&words, &shown);
                true
            }
            () => {
                self.code(&call.texts.join(&b' '));
                true
            }
        }
    }
}

/// The arguments of a call, where they are texts alone.
pub(super) struct Call {
    pub(super) texts: Vec<Vec<u8>>,
    /// They stand in a list: `["git", "diff"]`.
    pub(super) is_list: bool,
}

/// What stands from a token on, in parentheses or up to the end of the statement. `None`: not all of it is known.
pub(super) fn literal(tokens: &[Token<'_>], at: usize) -> Option<Call> {
    const WORDS: [&[u8]; 33] = [
        b"shell",
        b"check",
        b"capture_output",
        b"text",
        b"True",
        b"False",
        b"None",
        b"stdout",
        b"stderr",
        b"stdin",
        b"PIPE",
        b"STDOUT",
        b"DEVNULL",
        b"subprocess",
        b"sp",
        b"timeout",
        b"universal_newlines",
        b"encoding",
        b"errors",
        b"__DIR__",
        b"__dirname",
        b"or",
        b"die",
        b"stdio",
        b"maxBuffer",
        b"true",
        b"false",
        b"null",
        b"windowsHide",
        b"utf8",
        b"qw",
        b"q",
        b"qq",
    ];
    let mut call = Call { texts: Vec::new(), is_list: false };
    let has_parentheses = matches!(tokens.get(at), Some(Token::Sign(b'(')));
    let mut depth = 0_usize;
    let mut is_value = false;
    let mut is_first = true;
    for token in tokens.get(at..)? {
        match token {
            Token::Text { is_run: true, .. } => return None,
            Token::Text { is_expanded: true, text, .. } if text.iter().any(|byte| b"$#@{".contains(byte)) => {
                return None;
            }
            Token::Text { text, .. } => {
                // `encoding="utf-8"` is no word of the command.
                if !is_value {
                    call.texts.push(text.clone());
                }
                is_value = false;
            }
            Token::Word(word, _) => {
                if !WORDS.contains(word) && !word.iter().all(u8::is_ascii_digit) {
                    return None;
                }
                is_value = false;
            }
            Token::Sign(b'(' | b'[' | b'{') => {
                call.is_list |= is_first && depth > 0 && matches!(token, Token::Sign(b'['));
                depth += 1;
            }
            Token::Sign(b')' | b']' | b'}') => {
                depth = depth.saturating_sub(1);
                if depth == 0 && has_parentheses {
                    return Some(call);
                }
            }
            Token::Sign(b'=' | b':') => is_value = true,
            Token::Sign(b',') => {}
            Token::Sign(b'.') => {}
            Token::Sign(b';' | b'\n') if !has_parentheses => return Some(call),
            Token::Sign(b'\n') => continue,
            Token::Sign(_) => return None,
        }
        is_first = is_first && matches!(token, Token::Sign(b'(' | b'[' | b'\n'));
    }
    (!has_parentheses).then_some(call)
}
