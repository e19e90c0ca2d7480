//! `sub`, `gsub` and gawk's `gensub`.

use hookshell_regex::Captures;

use super::Machine;
use crate::code::Place;
use crate::fail::{Fail, check_length};
use crate::regex::Regex;
use crate::text;
use crate::value::Value;

/// A piece of a replacement.
#[derive(Debug, PartialEq, Eq)]
enum Piece<'a> {
    Text(&'a [u8]),
    /// `&`, or a group of `gensub`.
    Group(usize),
}

/// Reads a replacement: `\&` is a `&`, `\\&` a backslash and the match (POSIX); any other backslash stands for itself,
/// but before a digit it is a group where `groups` says so (`gensub`).
fn pieces(replacement: &[u8], groups: bool) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut at = 0;
    while let Some(&byte) = replacement.get(at) {
        match byte {
            b'&' => {
                pieces.push(Piece::Text(replacement.get(start..at).unwrap_or_default()));
                pieces.push(Piece::Group(0));
                at += 1;
                start = at;
            }
            b'\\' if groups => {
                pieces.push(Piece::Text(replacement.get(start..at).unwrap_or_default()));
                match replacement.get(at + 1) {
                    Some(digit @ b'0'..=b'9') => {
                        pieces.push(Piece::Group(usize::from(digit - b'0')));
                        at += 2;
                        start = at;
                    }
                    // The character after it is taken as it is.
                    Some(b'&' | b'\\') => {
                        start = at + 1;
                        at += 2;
                    }
                    _ => {
                        start = at;
                        at += 1;
                    }
                }
            }
            b'\\' => {
                let backslashes = replacement.get(at..).unwrap_or_default().iter().take_while(|b| **b == b'\\').count();
                if replacement.get(at + backslashes) == Some(&b'&') {
                    // Pairs are one each; one that is left takes the meaning from the `&`.
                    pieces.push(Piece::Text(replacement.get(start..at + backslashes / 2).unwrap_or_default()));
                    at += backslashes;
                    start = at;
                    if backslashes % 2 == 1 {
                        at += 1;
                    }
                } else {
                    at += backslashes;
                }
            }
            _ => at += 1,
        }
    }
    pieces.push(Piece::Text(replacement.get(start..).unwrap_or_default()));
    pieces
}

/// Which matches are replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Which {
    All,
    /// This one, from 1.
    Only(usize),
}

impl Machine<'_> {
    /// operand, [regular expression,] replacement → number of replacements
    pub(super) fn substitute(&mut self, place: Place, regex: Option<u32>, all: bool) -> Result<(), Fail> {
        let replacement = self.pop().shared_text(&self.convfmt);
        let regex = self.regex_operand(regex)?;
        let value = self.load(place)?.shared_text(&self.convfmt);
        let which = if all { Which::All } else { Which::Only(1) };
        match self.replace(&value, &regex, &pieces(&replacement, false), which)? {
            Some((text, count)) => {
                let text = self.text(&text);
                self.stack.push(Value::String(text));
                self.store(place)?;
                self.push_number(count as f64);
            }
            None => {
                self.drop_operand(place);
                self.push_number(0.0);
            }
        }
        Ok(())
    }

    /// [regular expression,] replacement, how, text → string
    pub(super) fn gensub(&mut self, regex: Option<u32>) -> Result<(), Fail> {
        let value = self.pop().shared_text(&self.convfmt);
        let how = self.pop();
        let replacement = self.pop().shared_text(&self.convfmt);
        let regex = self.regex_operand(regex)?;
        let which = match how.to_text(&self.convfmt).first() {
            Some(b'g' | b'G') => Which::All,
            // What is less than 1 is taken for 1.
            _ => Which::Only((how.number() as usize).max(1)),
        };
        let text = match self.replace(&value, &regex, &pieces(&replacement, true), which)? {
            Some((text, _)) => self.text(&text),
            None => value,
        };
        self.stack.push(Value::String(text));
        Ok(())
    }

    pub(super) fn regex_operand(&mut self, regex: Option<u32>) -> Result<std::sync::Arc<Regex>, Fail> {
        match regex {
            Some(at) => self.known_regex(at).cloned().ok_or_else(|| Fail::new("no such expression")),
            None => {
                let source = self.pop().shared_text(&self.convfmt);
                self.dynamic_regex(&source)
            }
        }
    }

    /// Replaces matches; `None` when there is none.
    fn replace(
        &mut self,
        subject: &[u8],
        regex: &Regex,
        pieces: &[Piece<'_>],
        which: Which,
    ) -> Result<Option<(Vec<u8>, usize)>, Fail> {
        let has_groups = pieces.iter().any(|piece| matches!(piece, Piece::Group(1..)));
        let mut captures = Captures::new();
        let mut out: Vec<u8> = Vec::new();
        let (mut seen, mut replaced) = (0, 0);
        // What is copied up to here; where the search continues; where the last match ended that was not empty.
        let (mut copied, mut from, mut last_end) = (0, 0, None);
        self.tick_for(subject.len())?;
        while let Some((start, end)) = regex.find(subject, from)? {
            self.tick()?;
            let is_empty = start == end;
            // An empty match right after another one is none.
            if !(is_empty && last_end == Some(start)) {
                seen += 1;
                if which == Which::All || which == Which::Only(seen) {
                    replaced += 1;
                    out.extend_from_slice(subject.get(copied..start).unwrap_or_default());
                    if has_groups {
                        regex.captures(subject, start, &mut captures)?;
                    }
                    for piece in pieces {
                        let span = match piece {
                            Piece::Text(text) => {
                                out.extend_from_slice(text);
                                continue;
                            }
                            Piece::Group(0) => Some((start, end)),
                            Piece::Group(group) => captures.get(*group),
                        };
                        if let Some((start, end)) = span {
                            out.extend_from_slice(subject.get(start..end).unwrap_or_default());
                        }
                    }
                    copied = end;
                    check_length(out.len())?;
                    if which != Which::All {
                        break;
                    }
                }
            }
            if is_empty {
                let Some(rest) = subject.get(end..).filter(|rest| !rest.is_empty()) else { break };
                from = end + text::character_length(rest, self.characters);
            } else {
                from = end;
                last_end = Some(end);
            }
        }
        if replaced == 0 {
            return Ok(None);
        }
        out.extend_from_slice(subject.get(copied..).unwrap_or_default());
        Ok(Some((out, replaced)))
    }
}

#[cfg(test)]
mod tests {
    use super::{Piece, pieces};

    fn read(replacement: &str, groups: bool) -> String {
        let show = |piece: &Piece<'_>| match piece {
            Piece::Text(text) => String::from_utf8_lossy(text).into_owned(),
            Piece::Group(group) => format!("<{group}>"),
        };
        pieces(replacement.as_bytes(), groups).iter().map(show).collect()
    }

    #[test]
    fn backslashes_before_an_ampersand_are_read_in_pairs() {
        let cases = [
            ("x", "x"),
            ("[&]", "[<0>]"),
            (r"\&", "&"),
            (r"\\&", r"\<0>"),
            (r"\\\&", r"\&"),
            (r"a\\b", r"a\\b"),
            (r"\1", r"\1"),
            (r"\", r"\"),
        ];
        for (replacement, expected) in cases {
            assert_eq!(read(replacement, false), expected, "{replacement}");
        }
    }

    #[test]
    fn gensub_has_groups() {
        let cases = [(r"\2-\1", "<2>-<1>"), (r"\0&", "<0><0>"), (r"\\1", r"\1"), (r"\&", "&"), (r"\q", r"\q")];
        for (replacement, expected) in cases {
            assert_eq!(read(replacement, true), expected, "{replacement}");
        }
    }
}
