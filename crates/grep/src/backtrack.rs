//! `-P` with what only a backtracking engine has: look-around, back-references, atomic groups and possessive
//! repetitions. The engine is jq's; the expression is written anew in its syntax, with PCRE's meaning.
//!
//! Still refused: `\p`, `\X`, `\R`, recursion, conditions, verbs, `(?x)`, options in the middle, look-behind of varying
//! length, repetitions of what may be empty, the C locale and `-z`.

use hookshell_regex::SearchError;
use hookshell_regex::oniguruma::{Machine, Matched, Options, Regex};

use super::pattern_text::{INVALID_RANGE, PatternText, unquoted};
use super::perl_translation::{Translation, WORD};
use super::searched::Searched;
use super::source::{Source, Wrong};

#[derive(Debug)]
pub(super) struct Backtracking {
    regex: Regex,
    /// The group that stands where `\K` was.
    keep: Option<usize>,
}

impl Backtracking {
    /// `None`: not supported.
    ///
    /// # Errors
    /// PCRE takes it for a mistake.
    pub(super) fn compile(source: &Source) -> Result<Option<Self>, Wrong> {
        let mut has_invalid_range = false;
        let compiled = Self::compile_supported(source, &mut has_invalid_range);
        if has_invalid_range { Err(Wrong::Message(INVALID_RANGE.to_owned())) } else { Ok(compiled) }
    }

    fn compile_supported(source: &Source, has_invalid_range: &mut bool) -> Option<Self> {
        let text = std::str::from_utf8(&source.patterns).ok()?;
        if source.bytes || source.end == 0 || text.contains('\n') || source.ignore_case && !text.is_ascii() {
            return None;
        }
        let mut translation = Translation {
            text: PatternText::new(unquoted(text)?),
            out: String::new(),
            groups: Vec::new(),
            keep: None,
            ignore_case: source.ignore_case,
            has_invalid_range,
        };
        translation.options()?;
        translation.alternatives(0)?;
        if translation.text.at < translation.text.characters.len() {
            return None;
        }
        let inside = &translation.out;
        let whole = match (source.lines, source.words) {
            (true, _) => format!(r"\A(?:{inside})\z"),
            (false, true) => format!("(?<![{WORD}])(?:{inside})(?![{WORD}])"),
            (false, false) => inside.clone(),
        };
        if translation.ignore_case && !text.is_ascii() {
            return None;
        }
        let options = Options { ignore_case: translation.ignore_case, uneven_look_behind: true, ..Options::default() };
        let regex = Regex::new(&whole, options).ok()?;
        Some(Self { regex, keep: translation.keep })
    }

    /// The leftmost match from `at` on. Bytes that are not characters match nothing.
    pub(super) fn find(&self, line: &Searched<'_>, at: usize) -> Result<Option<(usize, usize)>, SearchError> {
        if let Some(text) = line.utf8() {
            return self.find_in(text, at, (true, true));
        }
        let mut begin = 0;
        for chunk in line.text.utf8_chunks() {
            let text = chunk.valid();
            let end = begin + text.len();
            if end >= at {
                let found = self.find_in(text, at.saturating_sub(begin), (begin == 0, end == line.text.len()))?;
                if let Some((from, to)) = found {
                    return Ok(Some((begin + from, begin + to)));
                }
            }
            begin = end + chunk.invalid().len();
        }
        Ok(None)
    }

    /// `ends`: is the text the beginning and the end of the line?
    fn find_in(&self, text: &str, at: usize, ends: (bool, bool)) -> Result<Option<(usize, usize)>, SearchError> {
        /// What the branches of one search may take: PCRE has a limit too.
        const MOST: usize = 256 << 20;
        // PCRE's limit ends a search soon enough.
        let should_continue = |bytes: usize| bytes <= MOST;
        let mut machine = Machine::new(&self.regex, text, &should_continue).inside(ends.0, ends.1);
        match machine.search(at) {
            Matched::No => Ok(None),
            Matched::TooLong | Matched::Stopped => Err(SearchError::TooComplex),
            Matched::Yes => {
                let (from, to) = machine.group(0).unwrap_or((0, 0));
                let kept = self.keep.and_then(|group| machine.group(group));
                Ok(Some((kept.map_or(from, |(kept, _)| kept), to)))
            }
        }
    }
}
