//! The words of a program that need not be one: as jq's scanner splits it, which finds a word in everything.

use super::tables::NAMES;
use crate::lex::escapes_length;
use crate::read::unescape;

/// A kind of word, by its place among the names.
pub(super) type Kind = usize;

pub(super) const END: Kind = 0;

/// A word: where it begins and ends. `fault`: jq's message of a text that is no text.
pub(super) struct Word {
    pub(super) kind: Kind,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) fault: Option<&'static str>,
}

/// What the scanner is within.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Within {
    Bracket(u8),
    /// A string.
    Text,
    /// An expression in a string.
    Interpolation,
}

pub(super) struct Words<'a> {
    source: &'a [u8],
    at: usize,
    within: Vec<Within>,
    /// What was read last, blanks and comments too: the end of a program is there.
    last: [usize; 2],
}

/// The number of a name.
fn kind(name: &str) -> Kind {
    NAMES.iter().position(|own| *own == name).unwrap_or(END)
}

/// The number of a character that is a word.
fn character(byte: u8) -> Kind {
    NAMES.iter().position(|name| *name.as_bytes() == [b'\'', byte, b'\'']).unwrap_or(END)
}

/// Words of several characters that are no names, a longer one before its beginning.
const SYMBOLS: [&str; 14] = ["?//", "//=", "!=", "==", "//", "|=", "+=", "-=", "*=", "/=", "%=", "<=", ">=", ".."];

/// Words of one character; brackets are not among them.
const CHARACTERS: &[u8] = b".?=;,:|+-*/%$<>";

const KEYWORDS: [&str; 18] = [
    "as", "import", "include", "module", "def", "if", "then", "else", "elif", "and", "or", "end", "reduce", "foreach",
    "try", "catch", "label", "break",
];

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\t')
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn digits(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

/// The length of the name at the beginning of a text, or 0.
fn name(text: &[u8]) -> usize {
    if text.first().is_some_and(u8::is_ascii_digit) {
        0
    } else {
        text.iter().take_while(|byte| is_name(**byte)).count()
    }
}

/// The same with `module::` before it.
fn qualified(text: &[u8]) -> usize {
    let mut length = name(text);
    while length > 0 && text.get(length..).is_some_and(|rest| rest.starts_with(b"::")) {
        match name(text.get(length + 2..).unwrap_or_default()) {
            0 => break,
            more => length += 2 + more,
        }
    }
    length
}

/// The length of the number at the beginning of a text, or 0.
fn number(text: &[u8]) -> usize {
    let from = |at: usize| digits(text.get(at..).unwrap_or_default());
    let whole = from(0);
    let mut length = match (whole, text.get(whole)) {
        (0, Some(b'.')) if from(1) > 0 => 1 + from(1),
        (0, _) => return 0,
        (_, Some(b'.')) => whole + 1 + from(whole + 1),
        _ => whole,
    };
    if matches!(text.get(length), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(text.get(length + 1), Some(b'+' | b'-')));
        if from(length + 1 + sign) > 0 {
            length += 1 + sign + from(length + 1 + sign);
        }
    }
    length
}

impl<'a> Words<'a> {
    pub(super) fn new(source: &'a [u8]) -> Self {
        Self { source, at: 0, within: Vec::new(), last: [0, 0] }
    }

    fn rest(&self) -> &'a [u8] {
        self.source.get(self.at..).unwrap_or_default()
    }

    /// A word of this kind and length.
    fn word(&mut self, kind: Kind, length: usize) -> Word {
        self.skip(length);
        let [start, end] = self.last;
        Word { kind, start, end, fault: None }
    }

    fn skip(&mut self, length: usize) {
        self.last = [self.at, self.at + length];
        self.at += length;
    }

    /// The next word; the one at the end is [`END`], as often as it is asked for.
    pub(super) fn next(&mut self) -> Word {
        loop {
            let rest = self.rest();
            let Some(&first) = rest.first() else {
                let [start, end] = self.last;
                return Word { kind: END, start, end, fault: None };
            };
            if self.within.last() == Some(&Within::Text) {
                return self.in_text(rest, first);
            }
            if is_blank(first) {
                self.skip(rest.iter().take_while(|byte| is_blank(**byte)).count());
                continue;
            }
            if first == b'#' {
                self.skip(memchr::memchr(b'\n', rest).unwrap_or(rest.len()));
                continue;
            }
            return self.in_code(rest, first);
        }
    }

    fn in_code(&mut self, rest: &[u8], first: u8) -> Word {
        let after = rest.get(1..).unwrap_or_default();
        match first {
            b'[' | b'{' | b'(' => {
                self.within.push(Within::Bracket(first));
                return self.word(character(first), 1);
            }
            b']' | b'}' | b')' => return self.closing(first),
            b'"' => {
                self.within.push(Within::Text);
                return self.word(kind("QQSTRING_START"), 1);
            }
            b'@' => {
                let length = after.iter().take_while(|byte| is_name(**byte)).count();
                let found = if length > 0 { "FORMAT" } else { "INVALID_CHARACTER" };
                return self.word(kind(found), 1 + length);
            }
            b'.' if name(after) > 0 => return self.word(kind("FIELD"), 1 + name(after)),
            b'$' if qualified(after) > 0 => {
                let length = qualified(after);
                let is_location = after.get(..length) == Some(b"__loc__");
                return self.word(kind(if is_location { "$__loc__" } else { "BINDING" }), 1 + length);
            }
            _ => {}
        }
        if number(rest) > 0 {
            return self.word(kind("LITERAL"), number(rest));
        }
        let length = qualified(rest);
        if length > 0 {
            let keyword = KEYWORDS.iter().find(|keyword| rest.get(..length) == Some(keyword.as_bytes()));
            return self.word(kind(keyword.unwrap_or(&"IDENT")), length);
        }
        match SYMBOLS.iter().find(|symbol| rest.starts_with(symbol.as_bytes())) {
            Some(symbol) => self.word(kind(symbol), symbol.len()),
            None if CHARACTERS.contains(&first) => self.word(character(first), 1),
            None => self.word(kind("INVALID_CHARACTER"), 1),
        }
    }

    /// A bracket that closes what was opened last; any other one is no word.
    fn closing(&mut self, bracket: u8) -> Word {
        let found = match (self.within.last(), bracket) {
            (Some(Within::Interpolation), b')') => kind("QQSTRING_INTERP_END"),
            (Some(Within::Bracket(b'(')), b')')
            | (Some(Within::Bracket(b'[')), b']')
            | (Some(Within::Bracket(b'{')), b'}') => character(bracket),
            _ => return self.word(kind("INVALID_CHARACTER"), 1),
        };
        self.within.pop();
        self.word(found, 1)
    }

    fn in_text(&mut self, rest: &[u8], first: u8) -> Word {
        match first {
            b'"' => {
                self.within.pop();
                self.word(kind("QQSTRING_END"), 1)
            }
            b'\\' if rest.get(1) == Some(&b'(') => {
                self.within.push(Within::Interpolation);
                self.word(kind("QQSTRING_INTERP_START"), 2)
            }
            b'\\' => {
                // A run of escapes is one word.
                let length = escapes_length(rest);
                if length == 0 {
                    return self.word(kind("INVALID_CHARACTER"), 1);
                }
                let fault = unescape(rest.get(..length).unwrap_or_default()).err();
                Word { fault, ..self.word(kind("QQSTRING_TEXT"), length) }
            }
            _ => {
                let length = rest.iter().position(|byte| matches!(byte, b'"' | b'\\')).unwrap_or(rest.len());
                self.word(kind("QQSTRING_TEXT"), length)
            }
        }
    }
}
