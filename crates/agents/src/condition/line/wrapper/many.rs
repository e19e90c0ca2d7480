//! Programs that run a command for each of many files or words, or on another machine.

use super::super::command::after_double_dash;
use super::super::{Fields, HOLE, Input, Judge, Word, is_device};
use super::replaced;
use crate::programs::XARGS;

impl Judge<'_> {
    pub(in super::super) fn find(&mut self, arguments: &[Word]) {
        if arguments.iter().any(|word| word.fields == Fields::Any) {
            return self.found();
        }
        let mut rest = arguments;
        while let Some(at) =
            rest.iter().position(|word| matches!(word.text.as_slice(), b"-exec" | b"-execdir" | b"-ok" | b"-okdir"))
        {
            let command = rest.get(at + 1..).unwrap_or_default();
            let end =
                command.iter().position(|word| matches!(word.text.as_slice(), b";" | b"+")).unwrap_or(command.len());
            let words: Vec<Word> =
                command.get(..end).unwrap_or_default().iter().map(|word| replaced(word, &[b"{}"])).collect();
            self.command(&words);
            if self.is_found {
                return;
            }
            rest = command.get(end..).unwrap_or_default();
        }
    }

    pub(in super::super) fn xargs(&mut self, arguments: &[Word]) {
        let mut replaces: Vec<Vec<u8>> = Vec::new();
        let mut rest = arguments;
        while let Some((word, after)) = rest.split_first() {
            let text = word.text.as_slice();
            if word.fields == Fields::Any || text.first() == Some(&HOLE) {
                return self.found();
            }
            let mut skipped = after;
            match text {
                b"--" => {
                    rest = after;
                    break;
                }
                [b'-', b'-', ..] => {
                    if text.starts_with(b"--repl") || text.starts_with(b"--rep") {
                        let value = text.splitn(2, |byte| *byte == b'=').nth(1).unwrap_or(b"{}");
                        replaces.push(value.to_vec());
                    } else if !text.contains(&b'=') && XARGS.long.iter().any(|name| name.as_bytes().starts_with(text)) {
                        skipped = after.get(1..).unwrap_or_default();
                    }
                }
                [b'-', letters @ ..] if !letters.is_empty() => {
                    // What follows one of these is its value.
                    let own = letters.iter().take_while(|letter| !XARGS.attached.as_bytes().contains(letter));
                    let value = own.into_iter().position(|letter| XARGS.short.as_bytes().contains(letter));
                    if let Some(at) = value {
                        let attached = letters.get(at + 1..).unwrap_or_default();
                        let letter = letters.get(at).copied().unwrap_or_default();
                        let given = if attached.is_empty() {
                            skipped = after.get(1..).unwrap_or_default();
                            after.first().map(|word| word.text.clone()).unwrap_or_default()
                        } else {
                            attached.to_vec()
                        };
                        if matches!(letter, b'I' | b'J') {
                            replaces.push(given);
                        }
                    }
                    if letters.contains(&b'i') {
                        let at = letters.iter().position(|letter| *letter == b'i').unwrap_or_default();
                        let given = letters.get(at + 1..).unwrap_or_default();
                        replaces.push(if given.is_empty() { b"{}".to_vec() } else { given.to_vec() });
                    }
                }
                _ => break,
            }
            rest = skipped;
        }
        if rest.is_empty() {
            return;
        }
        if replaces.iter().any(|text| text.contains(&HOLE) || text.is_empty()) {
            return self.found();
        }
        let texts: Vec<&[u8]> = replaces.iter().map(Vec::as_slice).collect();
        let mut words: Vec<Word> = rest.iter().map(|word| replaced(word, &texts)).collect();
        if replaces.is_empty() {
            words.push(Word::any());
        }
        self.command(&words);
    }

    /// `ssh [OPTIONS] HOST COMMAND`: the words are one text for a shell.
    pub(in super::super) fn remote(&mut self, arguments: &[Word]) {
        let mut rest = arguments;
        let mut has_host = false;
        let mut is_asked = false;
        while let Some((word, after)) = rest.split_first() {
            let text = word.text.as_slice();
            if word.fields == Fields::Any {
                return self.found();
            }
            match text {
                b"--" => {
                    rest = after;
                    if has_host {
                        break;
                    }
                }
                [b'-', b'-', ..] => {
                    if self.pattern.is_mentioned(text) || text.starts_with(b"--ssh") || text.starts_with(b"--server") {
                        return self.found();
                    }
                    rest = after;
                }
                [b'-', letters @ ..] if !letters.is_empty() => {
                    let at = letters.iter().position(|letter| b"BbcDEeFIiJLlmOopPQRSWw".contains(letter));
                    let mut value = None;
                    rest = after;
                    if let Some(at) = at {
                        let attached = letters.get(at + 1..).unwrap_or_default();
                        value = match attached.is_empty() {
                            true => {
                                rest = after.get(1..).unwrap_or_default();
                                after.first().cloned()
                            }
                            false => Some(Word { text: attached.to_vec(), ..word.clone() }),
                        };
                        if letters.get(at) == Some(&b'o') {
                            let value = value.clone().unwrap_or_else(Word::any);
                            let lower = value.text.to_ascii_lowercase();
                            let has = |part: &[u8]| lower.windows(part.len()).any(|window| window == part);
                            if has(b"command")
                                || has(b"exec")
                                || value.text.first() == Some(&HOLE)
                                || has(b"include")
                                || has(b"askpass")
                            {
                                return self.found();
                            }
                        }
                        if letters.get(at) == Some(&b'F')
                            && value.as_ref().is_some_and(|value| value.has_hole() || is_device(&value.text))
                        {
                            return self.found();
                        }
                    }
                    is_asked |= letters.contains(&b'V')
                        || letters.contains(&b'N')
                        || letters.contains(&b'G')
                        || letters.contains(&b'Q')
                        || letters.contains(&b'O')
                        || letters.contains(&b'T') && value.is_none();
                }
                _ if !has_host => {
                    has_host = true;
                    rest = after;
                    // Options may follow the host.
                }
                _ => break,
            }
        }
        match rest.is_empty() {
            true if is_asked && matches!(self.input, Input::Inherited) => {}
            true if !has_host => {}
            true => self.read_input(None),
            false => self.joined(after_double_dash(rest)),
        }
    }
}
