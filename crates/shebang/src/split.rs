//! `env -S`: one string into words, as `build_argv` of GNU coreutils 9.1 does it.

use crate::error::{ShebangError, ShebangErrorCause as Cause};

/// A variable's value, or `None` when it is not set.
pub(crate) type Lookup<'a> = dyn Fn(&[u8]) -> Option<Vec<u8>> + 'a;

/// The most that one string may expand to: Linux's usual ARG_MAX, past which nothing could be
/// started anyway. It keeps a variable that holds itself many times from filling the memory.
pub(crate) const EXPANSION_LIMIT: usize = 2 * 1024 * 1024;

/// A string to split, with its place in the line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Text<'t> {
    pub(crate) bytes: &'t [u8],
    pub(crate) at: usize,
    /// Whether the bytes stand so in the line. Else all of them have the place `at`.
    pub(crate) is_verbatim: bool,
}

/// A word, with the place in the line where it began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Word {
    pub(crate) bytes: Vec<u8>,
    pub(crate) at: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quote {
    Single,
    Double,
}

/// C's `isspace` in the C locale, which is what `env` separates words at.
pub(crate) fn is_space(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\x0b' | b'\x0c' | b'\r')
}

/// Splits the string of `env -S` into words.
///
/// - White space separates words. `#` at the start of a word ends the string.
/// - Single quotes keep all but `\\` and `\'`. Double quotes keep white space and `#`.
/// - Escapes, outside single quotes: `\t \n \f \v \r`, `\# \$ \\ \" \'` for the character itself,
///   `\_` for a separator (a space within double quotes), `\c` to end the string (an error within
///   double quotes).
/// - `${NAME}`, outside single quotes, is replaced and not split. An unset variable gives nothing,
///   not even an empty word; one that is set to nothing gives an empty word.
pub(crate) fn split(text: Text<'_>, lookup: &Lookup<'_>) -> Result<Vec<Word>, ShebangError> {
    let mut splitter = Splitter { text, next: 0, quote: None, words: Vec::new(), is_between: true, size: 0 };
    splitter.run(lookup)?;
    Ok(splitter.words)
}

struct Splitter<'t> {
    text: Text<'t>,
    /// The place of the next byte to read.
    next: usize,
    /// The quotes that we are within, and where they were opened.
    quote: Option<(Quote, usize)>,
    words: Vec<Word>,
    /// Whether the next byte begins a new word: `sep` in env's source.
    is_between: bool,
    size: usize,
}

impl<'t> Splitter<'t> {
    fn run(&mut self, lookup: &Lookup<'_>) -> Result<(), ShebangError> {
        while let Some(byte) = self.peek() {
            let at = self.next;
            self.next += 1;
            match (byte, self.quote) {
                (b'\'', None) => self.open(Quote::Single, at),
                (b'"', None) => self.open(Quote::Double, at),
                (b'\'', Some((Quote::Single, _))) | (b'"', Some((Quote::Double, _))) => {
                    self.quote = None;
                }
                (space, None) if is_space(&space) => self.is_between = true,
                (b'#', None) if self.is_between => return Ok(()),
                (b'\\', Some((Quote::Single, _))) => {
                    let kept = self.take_if(|byte| matches!(byte, b'\\' | b'\'')).unwrap_or(b'\\');
                    self.push(&[kept], at)?;
                }
                (b'\\', quote) => {
                    let in_double_quotes = quote.is_some();
                    if self.escape(in_double_quotes, at)? {
                        return Ok(());
                    }
                }
                (b'$', None | Some((Quote::Double, _))) => {
                    let Some(name) = self.variable_name() else {
                        return Err(Cause::UnsupportedExpansion.at(self.place(at)));
                    };
                    if let Some(value) = lookup(name) {
                        self.push(&value, at)?;
                    }
                }
                (other, _) => self.push(&[other], at)?,
            }
        }
        match self.quote {
            None => Ok(()),
            Some((Quote::Single, at)) => Err(Cause::UnterminatedQuote { quote: '\'' }.at(self.place(at))),
            Some((Quote::Double, at)) => Err(Cause::UnterminatedQuote { quote: '"' }.at(self.place(at))),
        }
    }

    /// Reads what follows a backslash at `at` outside single quotes. True when it ends the string.
    fn escape(&mut self, in_double_quotes: bool, at: usize) -> Result<bool, ShebangError> {
        let rest = self.text.bytes.get(self.next..).unwrap_or_default();
        let Some(&byte) = rest.first() else {
            return Err(Cause::TrailingBackslash.at(self.place(at)));
        };
        self.next += 1;
        let replacement = match byte {
            b'"' | b'#' | b'$' | b'\'' | b'\\' => byte,
            b'_' if in_double_quotes => b' ',
            b'_' => {
                self.is_between = true;
                return Ok(false);
            }
            b'c' if in_double_quotes => return Err(Cause::StopInDoubleQuotes.at(self.place(at))),
            b'c' => return Ok(true),
            b'f' => b'\x0c',
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'v' => b'\x0b',
            _ => {
                let character = first_char(rest);
                return Err(Cause::UnknownEscape { character }.at(self.place(at)));
            }
        };
        self.push(&[replacement], at)?;
        Ok(false)
    }

    /// Reads `{NAME}`; nothing when something else stands there.
    fn variable_name(&mut self) -> Option<&'t [u8]> {
        let rest = self.text.bytes.get(self.next..)?.strip_prefix(b"{")?;
        let name = rest.get(..memchr::memchr(b'}', rest)?)?;
        let (first, others) = name.split_first()?;
        let is_name = (first.is_ascii_alphabetic() || *first == b'_')
            && others.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
        if !is_name {
            return None;
        }
        self.next += name.len() + 2;
        Some(name)
    }

    fn open(&mut self, quote: Quote, at: usize) {
        self.quote = Some((quote, at));
        self.begin_word(at);
    }

    fn begin_word(&mut self, at: usize) {
        if self.is_between {
            self.is_between = false;
            let at = self.place(at);
            self.words.push(Word { bytes: Vec::new(), at });
        }
    }

    fn push(&mut self, bytes: &[u8], at: usize) -> Result<(), ShebangError> {
        self.size = self.size.saturating_add(bytes.len());
        if self.size > EXPANSION_LIMIT {
            return Err(Cause::TooLong { limit: EXPANSION_LIMIT }.at(self.place(at)));
        }
        self.begin_word(at);
        if let Some(word) = self.words.last_mut() {
            word.bytes.extend_from_slice(bytes);
        }
        Ok(())
    }

    fn peek(&self) -> Option<u8> {
        self.text.bytes.get(self.next).copied()
    }

    fn take_if(&mut self, accepts: impl Fn(u8) -> bool) -> Option<u8> {
        let byte = self.peek().filter(|byte| accepts(*byte))?;
        self.next += 1;
        Some(byte)
    }

    /// The place in the line of the string's byte `at`.
    fn place(&self, at: usize) -> usize {
        if self.text.is_verbatim { self.text.at + at } else { self.text.at }
    }
}

/// The first character of bytes that are most likely UTF-8, for a message.
pub(crate) fn first_char(bytes: &[u8]) -> char {
    let some = bytes.get(..4).unwrap_or(bytes);
    String::from_utf8_lossy(some).chars().next().unwrap_or(char::REPLACEMENT_CHARACTER)
}
