//! Words: unquoted text with its quoting and expansions (XCU 2.2, 2.3).

use super::dollar::simple_parameter;
use super::{Parsed, Reader, Start, clamp};
use crate::ast::{Parameter, ProcessSubstitution, Word, WordPart, WordParts, WordShape};
use crate::builder::Builder;
use crate::bytes::{BRACE, CLASS, DOUBLE, GLOB, META, NAME, QUOTE, TILDE, begins_name, is};
use crate::name::Name;
use crate::span::Span;
use crate::text::Text;

/// What a word's unquoted text may hold besides text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reading {
    /// Brace expansions.
    braces: bool,
    /// Extended patterns: `@(…)`.
    extglob: bool,
    /// The right side of `=~`: parentheses and `|` belong to the word.
    regex: bool,
    tildes: Tildes,
}

/// Where a word may have tilde-prefixes besides its beginning.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tildes {
    /// Nowhere.
    Beginning,
    /// bash: after the `=` of a word that looks like an assignment, and the `:` after it.
    LooksLikeAssignment,
    /// The value of an assignment: after every `:`.
    Value,
}

impl<const DIRECT: bool> Reader<'_, DIRECT> {
    /// A word of a command: brace expansion applies.
    pub(crate) fn expanded_word(&mut self) -> Parsed<Word> {
        let braces = self.braces();
        let extglob = self.options.extglob;
        self.word(Reading { braces, extglob, regex: false, tildes: self.argument_tildes() })
    }

    /// An element of an array: brace expansion applies.
    pub(crate) fn element_word(&mut self) -> Parsed<Word> {
        let braces = self.braces();
        let extglob = self.options.extglob;
        self.word(Reading { braces, extglob, regex: false, tildes: Tildes::Beginning })
    }

    /// A word without brace expansion: a here-string.
    pub(crate) fn plain_word(&mut self) -> Parsed<Word> {
        let extglob = self.options.extglob;
        self.word(Reading { braces: false, extglob, regex: false, tildes: Tildes::Beginning })
    }

    /// What brace expansion has made: all of it is one word.
    pub(super) fn unbraced_word(&mut self) -> Parsed<Word> {
        if self.at_end() {
            return Ok(Word::default());
        }
        let extglob = self.options.extglob;
        self.word(Reading { braces: false, extglob, regex: false, tildes: Tildes::Beginning })
    }

    /// The subject and the patterns of `case`, an operand in `[[ ]]`: as arguments, without brace expansion.
    pub(crate) fn compared_word(&mut self) -> Parsed<Word> {
        let extglob = self.options.extglob;
        self.word(Reading { braces: false, extglob, regex: false, tildes: self.argument_tildes() })
    }

    /// The right side of `==` in `[[ ]]`: extended patterns are always on.
    pub(crate) fn condition_pattern(&mut self) -> Parsed<Word> {
        self.word(Reading { braces: false, extglob: true, regex: false, tildes: self.argument_tildes() })
    }

    /// The right side of `=~` in `[[ ]]`.
    pub(crate) fn regex_word(&mut self) -> Parsed<Word> {
        self.word(Reading { braces: false, extglob: false, regex: true, tildes: Tildes::Beginning })
    }

    /// The value of an assignment; may be empty.
    pub(crate) fn assignment_word(&mut self, braces: bool) -> Parsed<Word> {
        let braces = braces && self.braces();
        let extglob = self.options.extglob;
        self.word(Reading { braces, extglob, regex: false, tildes: Tildes::Value })
    }

    /// The rest of a word whose beginning is in `builder`.
    pub(crate) fn rest_of_word(&mut self, builder: Builder, start: Start) -> Parsed<Word> {
        let reading =
            Reading { braces: self.braces(), extglob: self.options.extglob, regex: false, tildes: Tildes::Beginning };
        self.word_after(builder, start, BRACE, reading)
    }

    fn argument_tildes(&self) -> Tildes {
        if self.bash && !self.options.posix_mode { Tildes::LooksLikeAssignment } else { Tildes::Beginning }
    }

    pub(crate) fn braces(&self) -> bool {
        self.bash && self.options.brace_expansion
    }

    fn word(&mut self, reading: Reading) -> Parsed<Word> {
        self.count(1)?;
        let start = self.start();
        if !reading.regex
            && let Some(word) = self.single_run(start)?
        {
            return Ok(word);
        }
        self.word_after(Builder::default(), start, 0, reading)
    }

    /// What most words are: one run of text, or one quoted one. In a function of its own, because the frame of
    /// [`Self::word`] recurses.
    #[inline]
    fn single_run(&mut self, start: Start) -> Parsed<Option<Word>> {
        if let Some((end, _)) = plain_run(self.text(), self.pos) {
            let run = self.pos..end;
            self.pos = end;
            let span = self.span(start);
            return Ok(Some(Word::plain(Text::part_of(self.text(), run), span)));
        }
        if let Some((part, shape, end)) = self.quoted_run(start) {
            self.count(if shape == WordShape::Literal { 1 } else { 2 })?;
            self.pos = end;
            let span = self.span(start);
            return Ok(Some(Word { parts: WordParts::one(part), shape, span }));
        }
        Ok(None)
    }

    /// The word at the place, if it is `'text'`, `"text"` or `"$name"` and nothing else, and where it ends.
    #[inline]
    fn quoted_run(&self, start: Start) -> Option<(WordPart, WordShape, usize)> {
        let text = self.text();
        let begin = self.pos + 1;
        let quote = *text.get(self.pos)?;
        match quote {
            b'"' => {}
            b'\'' => {
                let end = begin + crate::bytes::find(b'\'', text.get(begin..)?)?;
                return ends_word(text.get(end + 1))
                    .then(|| (WordPart::Quoted(Text::part_of(text, begin..end)), WordShape::Literal, end + 1));
            }
            _ => return None,
        }
        let mut end = begin;
        while !is(*text.get(end)?, DOUBLE) {
            end += 1;
        }
        if text[end] == b'$' && end == begin && begins_name(*text.get(begin + 1)?) && self.is_in_source() {
            let name = begin + 1;
            end = name + 1;
            while is(*text.get(end)?, NAME) {
                end += 1;
            }
            if text[end] != b'"' || !ends_word(text.get(end + 1)) {
                return None;
            }
            let parameter = Parameter::Variable(Name::new(Text::part_of(text, name..end)));
            let span = Span { start: clamp(begin), end: clamp(end), line: start.line };
            let part = WordPart::QuotedParameter(simple_parameter(parameter, span));
            return Some((part, WordShape::QuotedParameter, end + 1));
        }
        if text[end] == b'"' {
            return ends_word(text.get(end + 1)).then(|| {
                let literal = (begin < end).then(|| WordPart::Literal(Text::part_of(text, begin..end)));
                (WordPart::DoubleQuoted(literal.into_iter().collect()), WordShape::Literal, end + 1)
            });
        }
        None
    }

    fn word_after(&mut self, mut builder: Builder, start: Start, mut seen: u16, reading: Reading) -> Parsed<Word> {
        let outer = std::mem::replace(&mut self.in_value, self.bash && reading.tildes == Tildes::Value);
        loop {
            let text = self.text();
            let begin = self.pos;
            let mut end = begin;
            while let Some(&byte) = text.get(end) {
                let class = CLASS[byte as usize];
                if class & (META | QUOTE) != 0 {
                    break;
                }
                seen |= class;
                end += 1;
            }
            builder.literal(&text[begin..end]);
            let Some(&byte) = text.get(end) else {
                self.pos = end;
                break;
            };
            self.pos = end;
            match byte {
                b'(' if (reading.extglob && opens_pattern(builder.last_literal())) || reading.regex => {
                    self.parenthesized_text(&mut builder)?;
                }
                b'|' if reading.regex => {
                    builder.literal(b"|");
                    self.pos += 1;
                }
                b'<' | b'>' if self.bash && matches!(self.byte_from(self.pos + 1), Some((b'(', _))) => {
                    self.process_substitution(&mut builder)?;
                }
                byte if CLASS[byte as usize] & META != 0 => break,
                _ => self.quote_or_expansion(&mut builder)?,
            }
        }
        self.in_value = outer;
        let mut parts = builder.finish();
        if reading.braces && seen & BRACE != 0 {
            parts = self.expand_braces(parts, start)?;
        }
        if seen & TILDE != 0 {
            parts = match reading.tildes {
                Tildes::Beginning => super::tilde::tildes(parts, false, self.bash),
                Tildes::LooksLikeAssignment => super::tilde::argument_tildes(parts),
                Tildes::Value => super::tilde::tildes(parts, true, self.bash),
            };
        }
        let mut word = Word::new(parts, self.span(start));
        if reading.regex {
            // The difference between text and quoted text matters in all of it.
            word.shape = WordShape::General;
        }
        Ok(word)
    }

    /// Quoting or an expansion in unquoted text: at `\`, `'`, `"`, `$` or a backquote.
    pub(crate) fn quote_or_expansion(&mut self, builder: &mut Builder) -> Parsed<()> {
        // Backslashes make no parts.
        if self.peek() != Some(b'\\') {
            self.count(1)?;
        }
        match self.peek() {
            Some(b'\\') => {
                self.backslash(builder);
                Ok(())
            }
            Some(b'\'') => self.single_quoted(builder),
            Some(b'"') => {
                let quoted = self.double_quoted()?;
                builder.push(quoted);
                Ok(())
            }
            Some(b'$') => self.dollar(builder, false),
            _ => self.backquoted(builder, false),
        }
    }

    /// `( … )` as text, with quoting and expansions in it: an extended pattern, a part of a regular expression.
    pub(crate) fn parenthesized_text(&mut self, builder: &mut Builder) -> Parsed<()> {
        let start = self.start();
        let mut depth: u32 = 0;
        loop {
            let text = self.text();
            let begin = self.pos;
            let mut end = begin;
            let byte = loop {
                match text.get(end) {
                    None => break None,
                    Some(&byte @ (b'(' | b')')) => break Some(byte),
                    Some(&byte) if CLASS[byte as usize] & QUOTE != 0 => break Some(byte),
                    Some(_) => end += 1,
                }
            };
            builder.literal(&text[begin..end]);
            self.pos = end;
            match byte {
                None => return self.unclosed(")", start),
                Some(b'(') => {
                    depth += 1;
                    if depth > self.options.max_depth {
                        return Err(self.too_deep());
                    }
                    builder.literal(b"(");
                    self.pos += 1;
                }
                Some(b')') => {
                    depth -= 1;
                    builder.literal(b")");
                    self.pos += 1;
                    if depth == 0 {
                        return Ok(());
                    }
                }
                Some(_) => self.quote_or_expansion(builder)?,
            }
        }
    }

    /// bash: at `<(` or `>(`, a line continuation between the two left aside.
    pub(crate) fn process_substitution(&mut self, builder: &mut Builder) -> Parsed<()> {
        let read = self.peek() == Some(b'<');
        self.pos = self.byte_from(self.pos + 1).map_or(self.pos + 2, |(_, end)| end);
        let body = self.substituted_list()?;
        builder.push(WordPart::ProcessSubstitution(Box::new(ProcessSubstitution {
            read,
            body: std::sync::Arc::new(body),
        })));
        Ok(())
    }
}

/// The word after the blanks at the place, if it is one run of text without a byte that may mean something else: where it
/// begins and ends, and the classes of its bytes.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn plain_word(text: &[u8], mut begin: usize) -> Option<(usize, usize, u16)> {
    while let Some(b' ' | b'\t') = text.get(begin) {
        begin += 1;
    }
    if text.get(begin) == Some(&b'#') {
        return None;
    }
    plain_run(text, begin).map(|(end, seen)| (begin, end, seen))
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn plain_run(text: &[u8], begin: usize) -> Option<(usize, u16)> {
    let rest = text.get(begin..)?;
    let mut length = 0;
    let mut seen = 0;
    while let Some(&byte) = rest.get(length) {
        let class = CLASS[byte as usize];
        if class & (META | QUOTE) != 0 {
            break;
        }
        seen |= class;
        length += 1;
    }
    // A bracket that nothing closes is no pattern, and the name of a utility.
    let is_special = seen & (GLOB | BRACE | TILDE) != 0 && !(length == 1 && rest.first() == Some(&b'['));
    let is_plain = length > 0 && !is_special && ends_word(rest.get(length));
    is_plain.then_some((begin + length, seen))
}

/// Does a word end before this byte, whatever stands after it? Before `<`, `>` and `(` it may not.
#[cfg_attr(not(debug_assertions), inline(always))]
fn ends_word(next: Option<&u8>) -> bool {
    match next {
        None => true,
        Some(&byte) => is(byte, META) && !matches!(byte, b'<' | b'>' | b'('),
    }
}

/// Does a `(` after this byte begin an extended pattern?
fn opens_pattern(before: Option<u8>) -> bool {
    matches!(before, Some(b'?' | b'*' | b'+' | b'@' | b'!'))
}
