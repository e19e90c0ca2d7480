//! `-P` with what only a backtracking engine has: look-around, back-references, recursion, conditions, verbs; and what is wrong in an
//! expression, in PCRE's words.

use hookshell_regex::SearchError;
use hookshell_regex::pcre::{Fault, Machine, Matched, Options, Regex};

use super::searched::Searched;
use super::source::{Source, Wrong};

#[derive(Debug)]
pub(super) struct Backtracking {
    regex: Regex,
    bytes: bool,
}

impl Backtracking {
    pub(super) fn compile(source: &Source) -> Result<Self, Wrong> {
        let unsupported = || Wrong::Unsupported(format!("the Perl expression {}", source.patterns.escape_ascii()));
        if source.patterns.contains(&b'\n') {
            return Err(Wrong::Message("the -P option only supports a single pattern".to_owned()));
        }
        let mut pattern = if source.bytes {
            source.patterns.iter().map(|byte| char::from(*byte)).collect()
        } else {
            String::from_utf8(source.patterns.clone()).map_err(|_| unsupported())?
        };
        // grep puts this around the text, so that a comment at its end hides the parenthesis.
        if source.words && !source.lines {
            pattern = format!(r"(?<!\w)(?:{pattern})(?!\w)");
        }
        let options = Options { ignore_case: source.ignore_case, bytes: source.bytes, lines: source.lines };
        let regex = Regex::new(&pattern, options).map_err(|fault| match fault {
            Fault::Invalid(message) => Wrong::Message(message.to_owned()),
            Fault::Unsupported => unsupported(),
        })?;
        Ok(Self { regex, bytes: source.bytes })
    }

    /// The leftmost match from `at` on. Bytes that are not characters match nothing.
    pub(super) fn find(&self, line: &Searched<'_>, at: usize) -> Result<Option<(usize, usize)>, SearchError> {
        if self.bytes || line.utf8().is_some() {
            return self.find_in(line, (0, line.text.len()), at);
        }
        let parts = line.parts();
        let first = parts.partition_point(|(_, end)| *end < at);
        for part in parts.get(first..).unwrap_or_default() {
            if let Some(found) = self.find_in(line, *part, at)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// In a part of the line, which has characters only.
    fn find_in(
        &self,
        line: &Searched<'_>,
        (begin, end): (usize, usize),
        at: usize,
    ) -> Result<Option<(usize, usize)>, SearchError> {
        /// What the branches of one search may take: PCRE has a limit too.
        const MOST: usize = 256 << 20;
        let should_continue = |bytes: usize| bytes <= MOST && !line.subject.is_interrupted();
        let text = line.text.get(begin..end).unwrap_or_default();
        let ends = (begin == 0, end == line.text.len());
        let mut machine = Machine::new(&self.regex, text, ends, &should_continue);
        match machine.search(at.saturating_sub(begin)) {
            Matched::No => Ok(None),
            Matched::Stopped if line.subject.is_interrupted() => Err(SearchError::Interrupted),
            Matched::TooLong | Matched::Stopped => Err(SearchError::TooComplex),
            Matched::Yes(from, to) => Ok(Some((begin + from, begin + to))),
        }
    }
}
