//! Programs that start the command which stands in their words.

mod many;
mod options;
mod shell;

use super::command::after_double_dash;
use super::{Fields, HOLE, Judge, Word, is_assignment};
use crate::programs::{Wrapper, after};

/// Where a wrapper's own words end.
enum Wrapped<'w> {
    Command(&'w [Word]),
    /// What the words are cannot be told.
    Unknown,
}

impl Judge<'_> {
    pub(super) fn wrapper(&mut self, name: &str, wrapper: &Wrapper, words: &[Word]) {
        let arguments = words.get(1..).unwrap_or_default();
        let rest = match wrapped(wrapper, arguments) {
            Wrapped::Command(rest) => rest,
            Wrapped::Unknown => return self.found(),
        };
        let rest = if wrapper.assignments { self.after_assignments(rest) } else { rest };
        let Some(first) = rest.first() else {
            if wrapper.is_shell
                && !arguments.iter().any(|word| {
                    matches!(word.text.as_slice(), b"-V" | b"--version" | b"--help" | b"-l" | b"-v" | b"-k" | b"-K")
                })
            {
                self.read_input(None);
            }
            return;
        };
        // `flock file -c 'rm x'`
        if name == "flock" && (first.text.starts_with(b"-c") || first.text.starts_with(b"--command")) {
            return self.shell_code(rest);
        }
        if (name == "npx" || name == "bunx" || name == "pnpx")
            && arguments
                .iter()
                .any(|word| word.text.starts_with(b"-c") || word.text.starts_with(b"--call") || word.text == b"--shell")
        {
            return self.starter(arguments);
        }
        match wrapper.is_joined {
            true => self.joined(rest),
            false => self.command(rest),
        }
    }

    pub(super) fn after_options(&mut self, short: &'static str, long: &'static [&'static str], arguments: &[Word]) {
        match wrapped(&after(short, long, 0), arguments) {
            Wrapped::Command(rest) => self.command(rest),
            Wrapped::Unknown => self.found(),
        }
    }

    fn after_assignments<'w>(&mut self, mut words: &'w [Word]) -> &'w [Word] {
        while let Some((first, rest)) = words.split_first()
            && let Some((name, value)) = assignment(first)
        {
            self.variable(&name, &value, true);
            words = rest;
        }
        words
    }

    pub(super) fn env(&mut self, arguments: &[Word]) {
        let mut words: Vec<Word> = arguments.to_vec();
        let mut at = 0;
        while let Some(word) = words.get(at).cloned() {
            if word.fields != Fields::One {
                return self.found();
            }
            let text = word.text.as_slice();
            let long = |name: &[u8]| text.starts_with(b"--") && text.len() > 2 && name.starts_with(text);
            let split = match text {
                _ if long(b"--split-string") => words.get(at + 1).map(|next| (next.clone(), 2)),
                _ if text.starts_with(b"--s") && text.contains(&b'=') => {
                    let value = text.splitn(2, |byte| *byte == b'=').nth(1).unwrap_or_default();
                    Some((Word { text: value.to_vec(), ..word.clone() }, 1))
                }
                [b'-', rest @ ..] if !rest.starts_with(b"-") && has_letter(rest, b'S', b"uCa") => {
                    let place = rest.iter().position(|byte| *byte == b'S').unwrap_or_default();
                    match rest.get(place + 1..).filter(|rest| !rest.is_empty()) {
                        Some(value) => Some((Word { text: value.to_vec(), ..word.clone() }, 1)),
                        None => words.get(at + 1).map(|next| (next.clone(), 2)),
                    }
                }
                _ => None,
            };
            if let Some((value, count)) = split {
                // Its own rules of quotes and variables are not a shell's.
                let Some(text) = value.text().filter(|text| !text.iter().any(|byte| b"\\$#".contains(byte))) else {
                    return self.found();
                };
                let Some(split) = std::str::from_utf8(text).ok().and_then(|text| shell_words::split(text).ok()) else {
                    return self.found();
                };
                let rest = words.split_off((at + count).min(words.len()));
                words.truncate(at);
                words.extend(split.iter().map(|word| Word::known(word.as_bytes())));
                words.extend(rest);
                // What it is split into may hold options again, `-S` too.
                self.step(text.len() + words.len());
                if self.is_found {
                    return;
                }
                continue;
            }
            match text {
                b"--" => {
                    at += 1;
                    break;
                }
                b"-" => at += 1,
                [b'-', b'-', ..] => {
                    let takes = [&b"--unset"[..], b"--chdir", b"--argv0"].iter().any(|name| long(name));
                    at += if takes { 2 } else { 1 };
                }
                [b'-', rest @ ..] => at += if ends_with_value(rest, b"uCaP") { 2 } else { 1 },
                _ => break,
            }
        }
        let rest = words.get(at..).unwrap_or_default();
        let rest = self.after_assignments(rest);
        self.command(rest);
    }
}

/// What stands after a program's options, and its operands before the command.
fn wrapped<'w>(wrapper: &Wrapper, arguments: &'w [Word]) -> Wrapped<'w> {
    let mut rest = arguments;
    let mut left = wrapper.operands;
    while let Some((word, after)) = rest.split_first() {
        let text = word.text.as_slice();
        if word.fields == Fields::Any {
            return Wrapped::Unknown;
        }
        match text {
            b"--" => {
                rest = after;
                if left == 0 {
                    break;
                }
                rest = rest.get(left..).unwrap_or_default();
                break;
            }
            [b'-', _, ..] => {
                rest = if wrapper.takes_next(text) { after.get(1..).unwrap_or_default() } else { after };
            }
            // What it is, is not known: an option, an operand, the command.
            [HOLE, ..] if left == 0 => return Wrapped::Unknown,
            _ if left > 0 => {
                left -= 1;
                rest = after;
                if left == 0 {
                    // GNU's wrappers stop at the first operand; `--` may still follow.
                    rest = after_double_dash(rest);
                    break;
                }
            }
            _ => break,
        }
    }
    Wrapped::Command(rest)
}

/// Has the last letter of a group of options a value, which is the next word then?
fn ends_with_value(letters: &[u8], with_value: &[u8]) -> bool {
    match letters.iter().position(|letter| with_value.contains(letter)) {
        Some(at) => at + 1 == letters.len(),
        None => false,
    }
}

/// Is a letter among the options of a group, before one that takes a value?
fn has_letter(letters: &[u8], letter: u8, with_value: &[u8]) -> bool {
    letters.iter().take_while(|other| !with_value.contains(other)).any(|other| *other == letter)
}

/// `NAME=value`
fn assignment(word: &Word) -> Option<(Vec<u8>, Word)> {
    if word.fields != Fields::One || !is_assignment(&word.text) {
        return None;
    }
    let at = word.text.iter().position(|byte| *byte == b'=')?;
    let value = Word { text: word.text.get(at + 1..)?.to_vec(), ..word.clone() };
    Some((word.text.get(..at)?.to_vec(), value))
}

/// A word with a hole wherever one of these texts stands in it.
fn replaced(word: &Word, texts: &[&[u8]]) -> Word {
    let mut out = Vec::with_capacity(word.text.len());
    let mut rest = word.text.as_slice();
    while let Some((first, after)) = rest.split_first() {
        match texts.iter().find(|text| !text.is_empty() && rest.starts_with(text)) {
            Some(text) => {
                out.push(HOLE);
                rest = rest.get(text.len()..).unwrap_or_default();
            }
            None => {
                out.push(*first);
                rest = after;
            }
        }
    }
    Word { text: out, ..word.clone() }
}
