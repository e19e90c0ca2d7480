//! Compiled patterns.

use std::collections::HashSet;
use std::sync::Arc;

use hookshell_regex::is_bare_class;
use hookshell_regex::{Builder, Error, Regex, SearchError, Subject, Syntax};
use hookshell_utility::recent::Recent;

use super::perl::Perl;
use super::searched::Searched;
use super::source::{Kind, Source, Wrong};

/// Finds lines and the parts of lines that match.
#[derive(Debug, Clone)]
pub(crate) enum Matcher {
    Posix(Regex),
    /// `-w` with patterns that match the empty text.
    EmptyWords(Arc<EmptyWords>),
    Perl(Arc<Perl>),
}

/// `-w` with patterns that match the empty text. GNU's takes an empty match for a word where no character of a word stands beside
/// it, but not in place of a longer match that is no word (grep 3.8, `EGexecute`).
#[derive(Debug)]
pub(crate) struct EmptyWords {
    words: Regex,
    /// The same patterns, wherever they match.
    free: Regex,
}

impl EmptyWords {
    fn find(&self, subject: &Subject<'_>, line: &[u8], mut at: usize) -> Result<Option<(usize, usize)>, SearchError> {
        while let Some((start, end)) = self.words.find_from(subject, at)? {
            if end > start || self.free.find_from(subject, start)?.is_none_or(|(_, longest)| longest == start) {
                return Ok(Some((start, end)));
            }
            at = start + 1;
            // To the next character.
            while line.get(at).is_some_and(|byte| byte & 0xc0 == 0x80) {
                at += 1;
            }
        }
        Ok(None)
    }
}

fn wrong(error: Error, patterns: &[u8]) -> Wrong {
    match error {
        Error::Memory => Wrong::Unsupported(format!("the pattern {}", patterns.escape_ascii())),
        error => Wrong::Message(error.to_string()),
    }
}

/// What the patterns, one in each line, are warned of: repetitions with nothing before them.
pub(super) fn warnings(source: &Source) -> Vec<&'static str> {
    let mut warnings = Vec::new();
    if source.kind == Kind::Extended {
        let mut seen = HashSet::new();
        // GNU's drops a pattern that it has already.
        for pattern in source.patterns.split(|byte| *byte == b'\n').filter(|pattern| seen.insert(*pattern)) {
            // What is wrong in it was found when it was compiled.
            let _ = judge(pattern, source.kind, |warning| warnings.push(warning));
        }
    }
    warnings
}

/// Refuses `[:space:]`, as GNU's does, and reports repetitions that have nothing before them. Gives the places of the braces that stand
/// for themselves there: `{"key"`.
fn judge(pattern: &[u8], kind: Kind, mut warn: impl FnMut(&'static str)) -> Result<Vec<usize>, Wrong> {
    let unsupported = || Wrong::Unsupported(format!("the pattern {}", pattern.escape_ascii()));
    let mut braces = Vec::new();
    let mut at = 0;
    // A repetition would have nothing before it.
    let mut start = kind == Kind::Extended;
    while let Some(&byte) = pattern.get(at) {
        at += 1;
        match byte {
            b'\\' => {
                start = false;
                at += 1;
            }
            b'[' => {
                start = false;
                let rest = pattern.get(at..).unwrap_or_default();
                let negated = rest.first() == Some(&b'^');
                let mut end = usize::from(negated) + 1;
                // Over classes and symbols to the end.
                while let Some(&byte) = rest.get(end) {
                    match (byte, rest.get(end + 1)) {
                        (b']', _) => break,
                        (b'[', Some(&kind @ (b':' | b'.' | b'='))) => {
                            let after = rest.get(end + 2..).unwrap_or_default();
                            let Some(close) = after.windows(2).position(|pair| pair == [kind, b']']) else {
                                return Ok(braces);
                            };
                            end += close + 4;
                        }
                        _ => end += 1,
                    }
                }
                if is_bare_class(rest.get(usize::from(negated)..end).unwrap_or_default()) {
                    return Err(Wrong::Message("character class syntax is [[:space:]], not [:space:]".to_owned()));
                }
                if let Some(first) = rest.get(usize::from(negated)..)
                    && first.starts_with(b"[")
                    && matches!(first.get(1), Some(b':' | b'.' | b'='))
                {
                    // The first element is a class: the end was looked for from within it.
                    let kind = first.get(1).copied().unwrap_or_default();
                    let after = first.get(2..).unwrap_or_default();
                    let Some(close) = after.windows(2).position(|pair| pair == [kind, b']']) else {
                        return Ok(braces);
                    };
                    end = end.max(usize::from(negated) + close + 4);
                    while rest.get(end).is_some_and(|byte| *byte != b']') {
                        end += 1;
                    }
                }
                at += end + 1;
            }
            b'*' if start => warn("* at start of expression"),
            b'+' if start => warn("+ at start of expression"),
            b'?' if start => warn("? at start of expression"),
            b'{' if start && begins_interval(pattern.get(at..).unwrap_or_default()) => return Err(unsupported()),
            b'{' if start => {
                braces.push(at - 1);
                start = false;
            }
            b'^' if pattern.get(at).is_some_and(|next| b"*+?".contains(next)) && kind == Kind::Extended => {
                return Err(unsupported());
            }
            b'(' | b'|' | b'^' => start = kind == Kind::Extended,
            _ => start = false,
        }
    }
    Ok(braces)
}

/// Is it the rest of an interval (`2}`, `2,}`, `,3}`)?
fn begins_interval(rest: &[u8]) -> bool {
    let inside = rest.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b',').count();
    let commas = rest.iter().take(inside).filter(|byte| **byte == b',').count();
    inside > 0 && commas < 2 && rest.get(inside) == Some(&b'}')
}

/// The patterns that were compiled last.
#[derive(Debug, Default)]
pub(crate) struct Cache(Recent<Source, Matcher>);

impl Cache {
    pub(crate) fn compile(&self, source: &Source) -> Result<Matcher, Wrong> {
        if let Some(matcher) = self.0.get(|known| known == source) {
            return Ok(matcher);
        }
        let matcher = Matcher::compile(source)?;
        self.0.keep(source.patterns.len(), || source.clone(), &matcher);
        Ok(matcher)
    }
}

impl Matcher {
    fn compile(source: &Source) -> Result<Self, Wrong> {
        if source.patterns.contains(&0) || !source.bytes && std::str::from_utf8(&source.patterns).is_err() {
            return Err(Wrong::Unsupported("bytes that are not characters in a pattern".to_owned()));
        }
        let syntax = match source.kind {
            Kind::Perl => return Perl::compile(source).map(|perl| Self::Perl(Arc::new(perl))),
            Kind::Extended => Syntax::Egrep,
            Kind::Basic | Kind::Fixed => Syntax::Grep,
        };
        let mut builder = Builder::new(syntax).ignore_case(source.ignore_case).bytes(source.bytes).lines(source.end);
        if source.lines {
            builder = builder.whole_lines();
        } else if source.words {
            builder = builder.whole_words();
        }
        let given = source.patterns.split(|byte| *byte == b'\n');
        let mut free = None;
        if source.words
            && !source.lines
            && let Self::Posix(regex) = Self::compile(&Source { words: false, ..source.clone() })?
            && regex.is_match(&Subject::new(b"")).unwrap_or(true)
        {
            free = Some(regex);
        }
        let finish = |words: Regex| match free {
            Some(free) => Self::EmptyWords(Arc::new(EmptyWords { words, free })),
            None => Self::Posix(words),
        };
        if source.kind == Kind::Fixed {
            return builder.build_literals(given).map(finish).map_err(|error| wrong(error, b""));
        }
        let mut patterns = Vec::new();
        for pattern in given {
            let braces = judge(pattern, source.kind, |_| {})?;
            if !braces.is_empty() && (source.parts || source.words || source.lines) {
                // Of GNU's two matchers the one that is asked then leaves the brace out.
                return Err(Wrong::Unsupported(format!("the pattern {}", pattern.escape_ascii())));
            }
            let mut text = Vec::with_capacity(pattern.len() + braces.len());
            for (at, byte) in pattern.iter().enumerate() {
                if braces.contains(&at) {
                    text.push(b'\\');
                }
                text.push(*byte);
            }
            patterns.push(text);
        }
        builder
            .build_any(patterns.iter().map(|pattern| &pattern[..]))
            .map(finish)
            .map_err(|error| wrong(error, &source.patterns))
    }

    /// The next line of a block that matches, from `at` on: its start, and its end with the newline.
    pub(crate) fn next_line(
        &self,
        block: &Subject<'_>,
        text: &[u8],
        at: usize,
        end: u8,
        interrupt: &dyn Fn() -> bool,
    ) -> Result<Option<(usize, usize)>, SearchError> {
        let mut from = at;
        while from < text.len() {
            let (place, sure) = match self {
                Self::Posix(regex) => match regex.candidate(block, from) {
                    Some(candidate) => candidate,
                    None => return Ok(None),
                },
                Self::EmptyWords(words) => match words.words.candidate(block, from) {
                    Some((place, _)) => (place, false),
                    None => return Ok(None),
                },
                Self::Perl(perl) => match perl.candidate(text, from) {
                    Some(place) => (place, false),
                    None => return Ok(None),
                },
            };
            if place >= text.len() {
                // The empty line after the last one is none.
                return Ok(None);
            }
            let before = text.get(from..place).unwrap_or_default();
            let start = memchr::memrchr(end, before).map_or(from, |found| from + found + 1);
            let after = text.get(place..).unwrap_or_default();
            let line_end = memchr::memchr(end, after).map_or(text.len(), |found| place + found + 1);
            if sure || self.matches(text.get(start..line_end - 1).unwrap_or_default(), interrupt)? {
                return Ok(Some((start, line_end)));
            }
            from = line_end;
        }
        Ok(None)
    }

    fn matches(&self, line: &[u8], interrupt: &dyn Fn() -> bool) -> Result<bool, SearchError> {
        match self {
            Self::Posix(regex) => regex.is_match(&Subject::new(line).interruptible(interrupt)),
            Self::EmptyWords(words) => Ok(words.find(&Subject::new(line).interruptible(interrupt), line, 0)?.is_some()),
            Self::Perl(perl) => Ok(perl.find(&Searched::new(line, interrupt), 0)?.is_some()),
        }
    }

    /// The next part of a line that matches, from `at` on.
    pub(crate) fn next_part(&self, line: &Searched<'_>, at: usize) -> Result<Option<(usize, usize)>, SearchError> {
        match self {
            Self::Posix(regex) => regex.find_from(&line.subject, at),
            Self::EmptyWords(words) => words.find(&line.subject, line.text, at),
            Self::Perl(perl) => perl.find(line, at),
        }
    }
}
