//! Words: unquoted text with its quoting and expansions (XCU 2.2, 2.3).

use super::{Parsed, Reader, Start};
use crate::ast::{ProcessSubstitution, Word, WordPart};
use crate::builder::Builder;
use crate::bytes::{BRACE, CLASS, GLOB, META, QUOTE, TILDE};
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
    /// bash: behind the `=` of a word that looks like an assignment, and the `:` behind it.
    LooksLikeAssignment,
    /// The value of an assignment: behind every `:`.
    Value,
}

impl Reader<'_> {
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

    /// A word without brace expansion: the subject of `case`, a here-string.
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

    /// A pattern of `case`.
    pub(crate) fn pattern_word(&mut self) -> Parsed<Word> {
        self.plain_word()
    }

    /// The right side of `==` in `[[ ]]`: extended patterns are always on.
    pub(crate) fn condition_pattern(&mut self) -> Parsed<Word> {
        self.word(Reading { braces: false, extglob: true, regex: false, tildes: Tildes::Beginning })
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
        self.word_behind(builder, start, BRACE, reading)
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
        // Most words are one run of text.
        let text = self.text();
        let mut end = self.pos;
        let mut seen = 0;
        while let Some(&byte) = text.get(end) {
            let class = CLASS[byte as usize];
            if class & (META | QUOTE) != 0 {
                break;
            }
            seen |= class;
            end += 1;
        }
        let next = text.get(end);
        let ends = match next {
            None => true,
            Some(b'<' | b'>' | b'(' | b'|') => false,
            Some(&byte) => CLASS[byte as usize] & META != 0,
        };
        if ends && end > self.pos && seen & (GLOB | BRACE | TILDE) == 0 && !reading.regex {
            let run = self.pos..end;
            self.pos = end;
            let span = self.span(start);
            return Ok(Word::plain(Text::part_of(self.text(), run), span));
        }
        self.word_behind(Builder::default(), start, 0, reading)
    }

    fn word_behind(&mut self, mut builder: Builder, start: Start, mut seen: u8, reading: Reading) -> Parsed<Word> {
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
        let mut parts = builder.finish();
        if reading.braces && seen & BRACE != 0 {
            parts = self.expand_braces(parts, start)?;
        }
        if seen & TILDE != 0 && !reading.regex {
            parts = match reading.tildes {
                Tildes::Beginning => super::tilde::tildes(parts, false, self.bash),
                Tildes::LooksLikeAssignment => super::tilde::argument_tildes(parts),
                Tildes::Value => super::tilde::tildes(parts, true, self.bash),
            };
        }
        let mut word = Word::new(parts, self.span(start));
        if reading.regex {
            // The difference between text and quoted text matters in all of it.
            word.shape = crate::ast::WordShape::General;
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
                let parts = self.double_quoted()?;
                builder.push(WordPart::DoubleQuoted(parts));
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

/// Does a `(` behind this byte begin an extended pattern?
fn opens_pattern(before: Option<u8>) -> bool {
    matches!(before, Some(b'?' | b'*' | b'+' | b'@' | b'!'))
}
