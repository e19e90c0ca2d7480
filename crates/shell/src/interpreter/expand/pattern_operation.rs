//! `${x#pattern}`, `${x%pattern}` and `${x/pattern/replacement}` on the bytes of a value.

use hookshell_syntax::ast::{MatchLength, ParameterOperation, ReplaceScope};
use hookshell_text::pattern::{self, Pattern};

use super::sink::Sink;
use crate::ifs::Ifs;

/// What is left of `text` when the match of a prefix or suffix pattern is removed.
pub(super) fn remove<'t>(
    text: &'t [u8],
    escaped: &[u8],
    compiled: &pattern::Cache,
    options: pattern::Options,
    operation: &ParameterOperation,
) -> &'t [u8] {
    match operation {
        ParameterOperation::RemovePrefix(MatchLength::Shortest, _) => {
            compiled.shortest_prefix(escaped, text, options).map_or(text, |end| &text[end..])
        }
        ParameterOperation::RemovePrefix(MatchLength::Longest, _) => {
            compiled.longest_prefix(escaped, text, options).map_or(text, |end| &text[end..])
        }
        ParameterOperation::RemoveSuffix(MatchLength::Shortest, _) => {
            compiled.shortest_suffix(escaped, text, options).map_or(text, |start| &text[..start])
        }
        ParameterOperation::RemoveSuffix(MatchLength::Longest, _) => {
            compiled.longest_suffix(escaped, text, options).map_or(text, |start| &text[..start])
        }
        _ => text,
    }
}

/// After so many matches it is looked whether the run was told to stop.
const BETWEEN_LOOKS: usize = 4096;

/// bash: an empty value is replaced where the pattern begins with a `*`, and at its end with most other patterns that match nothing, too.
fn may_match_nothing(escaped: &[u8], scope: ReplaceScope) -> bool {
    match escaped.first() {
        Some(b'*') => true,
        Some(b'?' | b'!') => scope == ReplaceScope::Suffix,
        _ => false,
    }
}

/// `${x/pattern/replacement}` with the pattern compiled and as it is `escaped`; `None` when the result would be larger than `limit`, or when `stopped` says so.
pub(super) fn replace(
    subject: &[u8],
    pattern: &Pattern,
    escaped: &[u8],
    scope: ReplaceScope,
    replacement: &Replacement,
    limit: usize,
    stopped: &dyn Fn() -> bool,
) -> Option<Vec<u8>> {
    if escaped.is_empty() {
        // An empty pattern matches nothing, but at an anchor it matches the anchor.
        return Some(match scope {
            ReplaceScope::Prefix => [&*replacement.fill(b""), subject].concat(),
            ReplaceScope::Suffix => [subject, &*replacement.fill(b"")].concat(),
            _ => subject.to_vec(),
        });
    }
    if subject.is_empty() && !may_match_nothing(escaped, scope) {
        return Some(Vec::new());
    }
    match scope {
        ReplaceScope::Prefix => Some(match pattern.longest_prefix(subject) {
            Some(end) => [&*replacement.fill(&subject[..end]), &subject[end..]].concat(),
            None => subject.to_vec(),
        }),
        ReplaceScope::Suffix => Some(match pattern.longest_suffix(subject) {
            Some(start) => [&subject[..start], &*replacement.fill(&subject[start..])].concat(),
            None => subject.to_vec(),
        }),
        ReplaceScope::First | ReplaceScope::All => {
            let mut result = Vec::with_capacity(subject.len());
            let mut at = 0;
            let mut looks = 0;
            while at <= subject.len() {
                looks += 1;
                if looks % BETWEEN_LOOKS == 0 && stopped() {
                    return None;
                }
                let Some(found) = pattern.find(subject, at) else { break };
                result.extend_from_slice(&subject[at..found.start]);
                let filled = replacement.fill(&subject[found.clone()]);
                if result.len() + filled.len() > limit {
                    return None;
                }
                result.extend_from_slice(&filled);
                at = found.end;
                if found.is_empty() {
                    // An empty match moves on by one character.
                    let step = if at < subject.len() { pattern::decode(subject, at, false).1 } else { 1 };
                    result.extend_from_slice(subject.get(at..at + step).unwrap_or_default());
                    at += step;
                    if at >= subject.len() {
                        break;
                    }
                }
                if scope == ReplaceScope::First || at >= subject.len() {
                    break;
                }
            }
            result.extend_from_slice(subject.get(at..).unwrap_or_default());
            Some(result)
        }
    }
}

/// What takes the place of a match.
pub(super) struct Replacement {
    pub(super) text: Vec<u8>,
    /// `&` stands for the match.
    pub(super) ampersand: bool,
}

impl Replacement {
    /// The replacement with the match put in.
    pub(super) fn fill(&self, matched: &[u8]) -> Vec<u8> {
        if !self.ampersand {
            return self.text.clone();
        }
        let mut result = Vec::with_capacity(self.text.len() + matched.len());
        let mut bytes = self.text.iter().copied().peekable();
        while let Some(byte) = bytes.next() {
            match byte {
                b'\\' if matches!(bytes.peek(), Some(b'&' | b'\\')) => result.extend(bytes.next()),
                b'&' => result.extend_from_slice(matched),
                other => result.push(other),
            }
        }
        result
    }
}

/// Every `&` of the text that was not quoted stands for the match: quoted ones are escaped (bash 5.2).
pub(super) struct ReplacementSink<'a>(pub(super) &'a mut Vec<u8>);

impl Sink for ReplacementSink<'_> {
    fn size(&self) -> usize {
        self.0.len()
    }

    fn text(&mut self, bytes: &[u8], quoted: bool) {
        for &byte in bytes {
            if quoted && matches!(byte, b'&' | b'\\') {
                self.0.push(b'\\');
            }
            self.0.push(byte);
        }
    }

    fn expansion(&mut self, bytes: &[u8], _: &Ifs) {
        self.0.extend_from_slice(bytes);
    }

    fn boundary(&mut self, _: bool, _: &Ifs) {
        self.0.push(b' ');
    }
}
