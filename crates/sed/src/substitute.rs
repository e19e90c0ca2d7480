//! `s`.

use hookshell_regex::{Captures, Regex, SearchError, Subject};

use super::program::{Case, Part, Substitution};

/// What a substitution works with and keeps from line to line.
#[derive(Default)]
pub(crate) struct Workspace {
    captures: Captures,
    pub(crate) result: Vec<u8>,
}

impl Workspace {
    /// Substitutes in `text`; when something was, `result` is what came of it. `fits` is asked now and then whether the
    /// result may have so many bytes; where it may not, the search counts as interrupted.
    pub(crate) fn substitute(
        &mut self,
        substitution: &Substitution,
        regex: &Regex,
        text: &[u8],
        bytes: bool,
        interrupt: &dyn Fn() -> bool,
        fits: &mut dyn FnMut(usize) -> bool,
    ) -> Result<bool, SearchError> {
        /// How often it is looked whether the result still fits.
        const STEP: usize = 1 << 20;
        self.result.clear();
        let mut next_look = STEP;
        let mut subject = Subject::new(text).interruptible(interrupt);
        let (mut start, mut count, mut replaced) = (0, 0, false);
        // The end of the last match, which an empty one may not touch.
        let mut previous = None;
        while start <= text.len() {
            subject = subject.starting_at(start);
            let (from, to) = if substitution.uses_groups {
                if !regex.captures(&subject, &mut self.captures)? {
                    break;
                }
                self.captures.get(0).unwrap_or((start, start))
            } else {
                match regex.find(&subject)? {
                    Some(found) => found,
                    None => break,
                }
            };
            self.result.extend_from_slice(text.get(start..from).unwrap_or_default());
            let touches = from == to && previous == Some(from);
            let mut done = false;
            if !touches {
                count += 1;
                if count < substitution.number {
                    self.result.extend_from_slice(text.get(from..to).unwrap_or_default());
                } else {
                    self.replace(substitution, text, (from, to), bytes);
                    replaced = true;
                    done = !substitution.global;
                }
            }
            previous = Some(to);
            start = to;
            if self.result.len() > next_look {
                next_look = self.result.len() + STEP;
                if !fits(self.result.capacity()) {
                    return Err(SearchError::Interrupted);
                }
            }
            if done {
                break;
            }
            if from == to {
                let length = if regex.is_byte_wise() { 1 } else { character_length(text, to, bytes) };
                start = to + length;
                self.result.extend_from_slice(text.get(to..start.min(text.len())).unwrap_or_default());
            }
        }
        if replaced {
            self.result.extend_from_slice(text.get(start..).unwrap_or_default());
        }
        Ok(replaced)
    }

    fn replace(&mut self, substitution: &Substitution, text: &[u8], whole: (usize, usize), bytes: bool) {
        let mut case = None;
        let mut first = None;
        for part in &substitution.parts {
            let piece = match part {
                Part::Text(text) => &text[..],
                Part::Group(0) => text.get(whole.0..whole.1).unwrap_or_default(),
                Part::Group(number) => {
                    self.captures.get(*number).and_then(|(from, to)| text.get(from..to)).unwrap_or_default()
                }
                Part::Case(new) => {
                    case = *new;
                    first = None;
                    continue;
                }
                Part::First(new) => {
                    first = Some(*new);
                    continue;
                }
            };
            if piece.is_empty() {
                continue;
            }
            if case.is_none() && first.is_none() {
                self.result.extend_from_slice(piece);
                continue;
            }
            let mut rest = piece;
            if let Some(first) = first.take() {
                let length = character_length(piece, 0, bytes).min(piece.len());
                let (head, tail) = piece.split_at(length);
                convert(head, first, bytes, &mut self.result);
                rest = tail;
            }
            match case {
                Some(case) => convert(rest, case, bytes, &mut self.result),
                None => self.result.extend_from_slice(rest),
            }
        }
    }
}

/// The length of the character at a place; 1 at the end.
pub(crate) fn character_length(text: &[u8], at: usize, bytes: bool) -> usize {
    let length = match text.get(at) {
        Some(0xc2..=0xdf) => 2,
        Some(0xe0..=0xef) => 3,
        Some(0xf0..=0xf4) => 4,
        _ => return 1,
    };
    let whole = text.get(at..at + length).is_some_and(|bytes| std::str::from_utf8(bytes).is_ok());
    if bytes || !whole { 1 } else { length }
}

fn convert(text: &[u8], case: Case, bytes: bool, out: &mut Vec<u8>) {
    if bytes || text.is_ascii() {
        out.extend(text.iter().map(|byte| match case {
            Case::Upper => byte.to_ascii_uppercase(),
            Case::Lower => byte.to_ascii_lowercase(),
        }));
        return;
    }
    for chunk in text.utf8_chunks() {
        for character in chunk.valid().chars() {
            // One character for one, as in C.
            let single = match case {
                Case::Upper => only(character.to_uppercase()),
                Case::Lower => only(character.to_lowercase()),
            };
            let mut buffer = [0; 4];
            out.extend_from_slice(single.unwrap_or(character).encode_utf8(&mut buffer).as_bytes());
        }
        out.extend_from_slice(chunk.invalid());
    }
}

fn only(mut characters: impl Iterator<Item = char>) -> Option<char> {
    let first = characters.next();
    if characters.next().is_none() { first } else { None }
}
