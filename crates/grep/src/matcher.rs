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
    /// Lines that both of GNU's matchers select.
    Both(Arc<Both>),
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

/// Patterns that GNU's first matcher (dfa.c) does not understand wholly, and reads otherwise than the C library's: it lets lines pass,
/// and the other one decides on these.
#[derive(Debug)]
pub(crate) struct Both {
    passes: Regex,
    decides: Regex,
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
            let _ = judge(pattern, source.kind, source.bytes, |warning| warnings.push(warning));
        }
    }
    warnings
}

/// A change of a pattern's text: the bytes at a place are replaced.
struct Edit {
    at: usize,
    cut: usize,
    add: &'static [u8],
}

/// What a thing that is not understood lets pass.
const ANYTHING: &[u8] = b"(.*)";

/// The empty text, which may be repeated.
const NOTHING: &[u8] = b"()";

impl Edit {
    const fn insert(at: usize, add: &'static [u8]) -> Self {
        Self { at, cut: 0, add }
    }
}

/// What a pattern is to GNU's first matcher.
#[derive(Default)]
struct Judged {
    /// Its text there, in order of places.
    edits: Vec<Edit>,
    /// What it does not understand, and lets pass.
    unknown: Vec<Edit>,
    /// Its edits do more than let it select all lines of the C library's, and some besides.
    is_stricter: bool,
}

/// Is a bracket expression one that it does not understand? Where characters have several bytes: classes but those of digits,
/// ranges of anything but digits, and all that are negated.
fn is_unknown(bracket: &[u8], bytes: bool) -> bool {
    let inside = bracket.strip_prefix(b"^").unwrap_or(bracket);
    if inside.windows(2).any(|pair| pair == b"[=" || pair == b"[.") {
        return true;
    }
    if bytes {
        return false;
    }
    let class = |at: usize| {
        inside.get(at..).is_some_and(|rest| rest.starts_with(b"[:digit:]") || rest.starts_with(b"[:xdigit:]"))
    };
    let has_class = (0..inside.len()).any(|at| inside.get(at..at + 2) == Some(b"[:") && !class(at));
    let is_range =
        |three: &[u8]| three.get(1) == Some(&b'-') && !(three[0].is_ascii_digit() && three[2].is_ascii_digit());
    bracket.starts_with(b"^") || has_class || !bracket.is_ascii() || inside.windows(3).any(is_range)
}

/// Refuses `[:space:]`, as GNU's does, and reports repetitions that have nothing before them. Gives the edits, in order, after which
/// the pattern selects the lines that GNU's first matcher (dfa.c) selects: there a brace that begins no interval stands for itself also
/// where nothing is before it (`{"key"`, `^{`, `${`), an anchor is repeated as anything else is (`^*x`), and nothing may be repeated
/// (`{2}x`). The C library's matcher skips all of these.
fn judge(pattern: &[u8], kind: Kind, bytes: bool, mut warn: impl FnMut(&'static str)) -> Result<Judged, Wrong> {
    let extended = kind == Kind::Extended;
    let Judged { mut edits, mut unknown, mut is_stricter } = Judged::default();
    let mut at = 0;
    // A repetition would have nothing before it, or this anchor.
    let mut start = extended;
    let mut anchor: Option<(usize, usize)> = None;
    while let Some(&byte) = pattern.get(at) {
        at += 1;
        let before = anchor.take();
        match byte {
            b'\\' if pattern.get(at).is_some_and(|next| b"<>bB`'".contains(next)) => {
                anchor = Some((at - 1, at + 1)).filter(|_| extended);
                if !bytes && pattern.get(at).is_some_and(|next| b"<>bB".contains(next)) {
                    unknown.push(Edit { at: at - 1, cut: 2, add: NOTHING });
                }
                at += 1;
            }
            b'\\' => {
                start = false;
                let next = pattern.get(at).copied().unwrap_or_default();
                if (b'1'..=b'9').contains(&next) || !bytes && b"wWsS".contains(&next) {
                    unknown.push(Edit { at: at - 1, cut: 2, add: ANYTHING });
                }
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
                                return Ok(Judged { edits, unknown, is_stricter });
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
                        return Ok(Judged { edits, unknown, is_stricter });
                    };
                    end = end.max(usize::from(negated) + close + 4);
                    while rest.get(end).is_some_and(|byte| *byte != b']') {
                        end += 1;
                    }
                }
                if is_unknown(rest.get(..end).unwrap_or_default(), bytes) {
                    unknown.push(Edit { at: at - 1, cut: end + 2, add: ANYTHING });
                }
                at += end + 1;
            }
            b'*' | b'+' | b'?' if extended => {
                if start {
                    warn(match byte {
                        b'*' => "* at start of expression",
                        b'+' => "+ at start of expression",
                        _ => "? at start of expression",
                    });
                }
                if let Some((from, to)) = before {
                    is_stricter |= pattern.get(from) == Some(&b'^');
                    edits.extend([Edit::insert(from, b"("), Edit::insert(to, b")")]);
                }
            }
            b'{' if start || before.is_some() => {
                is_stricter = true;
                match interval_length(pattern.get(at..).unwrap_or_default()) {
                    Some(length) => {
                        if start {
                            warn("{...} at start of expression");
                        }
                        let digits = pattern.get(at..at + length - 1).unwrap_or_default();
                        let is_never = !digits.ends_with(b",") && digits.iter().all(|byte| b"0,".contains(byte));
                        match before {
                            Some((from, _)) if is_never => {
                                unknown.retain(|edit| edit.at != from);
                                edits.push(Edit { at: from, cut: at + length - from, add: NOTHING });
                            }
                            Some((from, to)) => edits.extend([Edit::insert(from, b"("), Edit::insert(to, b")")]),
                            None => edits.push(Edit { at: at - 1, cut: 1 + length, add: NOTHING }),
                        }
                        at += length;
                    }
                    None => edits.push(Edit::insert(at - 1, b"\\")),
                }
                start = false;
            }
            b'^' | b'$' if extended => anchor = Some((at - 1, at)),
            b'(' | b'|' => start = extended,
            _ => start = false,
        }
    }
    Ok(Judged { edits, unknown, is_stricter })
}

/// How long the rest of an interval is (`2}`, `2,}`, `,3}`); `None`: it is none.
fn interval_length(rest: &[u8]) -> Option<usize> {
    let number = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let low = number(rest);
    let mut length = low;
    let mut high = low;
    if rest.get(low) == Some(&b',') {
        high = number(rest.get(low + 1..).unwrap_or_default());
        length += 1 + high;
    } else if low == 0 {
        return None;
    }
    let value = |from: usize, length: usize| -> Option<u32> {
        str::from_utf8(rest.get(from..from + length)?).ok()?.parse().ok()
    };
    let is_backwards = length > low && low > 0 && high > 0 && value(0, low) > value(low + 1, high);
    (rest.get(length) == Some(&b'}') && !is_backwards).then_some(length + 1)
}

/// The pattern's text with its edits.
fn edited(pattern: &[u8], edits: &[Edit]) -> Vec<u8> {
    let mut text = Vec::with_capacity(pattern.len() + edits.len());
    let mut at = 0;
    for edit in edits {
        text.extend_from_slice(pattern.get(at..edit.at).unwrap_or_default());
        text.extend_from_slice(edit.add);
        at = edit.at + edit.cut;
    }
    text.extend_from_slice(pattern.get(at..).unwrap_or_default());
    text
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
        let mut judged = Vec::new();
        for pattern in given {
            judged.push((pattern, judge(pattern, source.kind, source.bytes, |_| {})?));
        }
        // Which part matches, and whether it is a word or the line, the C library's says.
        let by_parts = source.parts || source.words || source.lines;
        if judged.iter().all(|(_, judged)| judged.edits.is_empty() || by_parts && !judged.is_stricter) {
            let patterns = judged.iter().map(|(pattern, _)| *pattern);
            return builder.build_any(patterns).map(finish).map_err(|error| wrong(error, &source.patterns));
        }
        let is_known = judged.iter().all(|(_, judged)| judged.unknown.is_empty());
        if by_parts || !is_known && source.ignore_case && !source.patterns.is_ascii() {
            // Of GNU's two matchers the one that is asked then reads the pattern otherwise.
            return Err(Wrong::Unsupported(format!("the pattern {}", source.patterns.escape_ascii())));
        }
        // What is wrong in a pattern, the C library's says.
        let patterns = judged.iter().map(|(pattern, _)| *pattern);
        let decides = builder.build_any(patterns).map_err(|error| wrong(error, &source.patterns))?;
        let texts: Vec<Vec<u8>> = judged
            .into_iter()
            .map(|(pattern, Judged { mut edits, unknown, .. })| {
                edits.extend(unknown);
                edits.sort_by_key(|edit| (edit.at, edit.cut > 0));
                edited(pattern, &edits)
            })
            .collect();
        let passes =
            builder.build_any(texts.iter().map(|text| &text[..])).map_err(|error| wrong(error, &source.patterns))?;
        Ok(if is_known { Self::Posix(passes) } else { Self::Both(Arc::new(Both { passes, decides })) })
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
                Self::Both(both) => match both.decides.candidate(block, from) {
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
            Self::Both(both) => {
                let subject = Subject::new(line).interruptible(interrupt);
                Ok(both.decides.is_match(&subject)? && both.passes.is_match(&subject)?)
            }
            Self::Perl(perl) => Ok(perl.find(&Searched::new(line, interrupt), 0)?.is_some()),
        }
    }

    /// The next part of a line that matches, from `at` on.
    pub(crate) fn next_part(&self, line: &Searched<'_>, at: usize) -> Result<Option<(usize, usize)>, SearchError> {
        match self {
            Self::Posix(regex) => regex.find_from(&line.subject, at),
            Self::EmptyWords(words) => words.find(&line.subject, line.text, at),
            Self::Both(both) => both.decides.find_from(&line.subject, at),
            Self::Perl(perl) => perl.find(line, at),
        }
    }
}
