//! Programs that start the command which stands after their options.

use hookshell_agents::programs::Wrapper;

use super::Use;
use super::command::{Reader, first, is_cluster_with};
use super::names::wrapper;
use super::source::Source;
use super::word::{Values, is, is_known};

/// Does sudo start a shell of somebody's, or its command in another directory? `-i`, `-nD DIR`, `--chroot=DIR`.
pub(super) fn is_elsewhere(wrapper: &Wrapper, words: &[Values]) -> bool {
    let mut at = 0;
    while let Some(word) = words.get(at).map(first).filter(|word| word.starts_with(b"-")) {
        let is_it = match word.strip_prefix(b"--") {
            Some(b"") => return false,
            Some(long) => {
                let name = long.split(|byte| *byte == b'=').next().unwrap_or_default();
                // They may be shortened.
                ["login", "shell", "chdir", "chroot"].iter().any(|full| full.as_bytes().starts_with(name))
            }
            None => is_cluster_with(word, b"siDR"),
        };
        if is_it {
            return true;
        }
        at += if wrapper.takes_next(word) { 2 } else { 1 };
    }
    false
}

impl Source<'_, '_> {
    /// What stands after a wrapper's options: a command.
    pub(super) fn wrapper(&mut self, name: &str, wrapper: &Wrapper, words: &[Values], shown: &[String]) -> Reader {
        let mut count = wrapper.operands;
        let mut at = 0;
        while let Some(values) = words.get(at) {
            let word = first(values);
            if word == b"--" {
                at += 1;
                break;
            }
            if !word.starts_with(b"-") || word == b"-" {
                if count == 0 || word == b"-" {
                    break;
                }
                count -= 1;
                at += 1;
                continue;
            }
            at += 1;
            if wrapper.takes_next(word) {
                // Should it be the command after all, it is not passed over unseen.
                for value in words.get(at).into_iter().flatten() {
                    self.candidates(value, Use::Given);
                }
                at += 1;
            }
            // `command -v jq`: it is looked for, and not run.
            if name == "command" && matches!(word, b"-v" | b"-V") {
                return Reader::pure();
            }
        }
        at += count;
        while wrapper.assignments && words.get(at).is_some_and(|values| self.own_variable(values)) {
            at += 1;
        }
        self.rest(words, shown, at)
    }

    /// Takes `NAME=VALUE` before a command; is it one?
    fn own_variable(&mut self, values: &Values) -> bool {
        let word = first(values).to_vec();
        let Some(place) = word.iter().position(|byte| *byte == b'=').filter(|_| !word.starts_with(b"-")) else {
            return false;
        };
        let name = word.get(..place).unwrap_or_default();
        for value in values.iter().filter_map(|word| word.get(place + 1..)) {
            self.named_by_variable(name, value);
            self.scan.set(name, &[value.to_vec()]);
        }
        true
    }

    /// The command from a word on.
    pub(super) fn rest(&mut self, words: &[Values], shown: &[String], at: usize) -> Reader {
        let (words, shown) = (words.get(at..).unwrap_or_default(), shown.get(at..).unwrap_or_default());
        self.command(words, shown)
    }

    /// `env [-i] [-u NAME] [-C DIR] [-S WORDS] [NAME=VALUE] COMMAND`: GNU coreutils 9.1, `src/env.c`.
    pub(super) fn env(&mut self, words: &[Values], shown: &[String]) -> Reader {
        let mut at = 0;
        while let Some(values) = words.get(at) {
            let word = first(values).to_vec();
            let shown_word = shown.get(at).cloned().unwrap_or_default();
            if self.own_variable(values) {
                at += 1;
                continue;
            }
            if !word.starts_with(b"-") {
                break;
            }
            at += 1;
            if word == b"--" || word == b"-" {
                continue;
            }
            let next = words.get(at).cloned().unwrap_or_default();
            // The option's letter, its value where it stands in the same word.
            let (letter, joined) = match word.strip_prefix(b"--") {
                Some(long) => {
                    let end = long.iter().position(|byte| *byte == b'=');
                    let name = long.get(..end.unwrap_or(long.len())).unwrap_or_default();
                    let letter = match name {
                        _ if b"split-string".starts_with(name) => b'S',
                        _ if b"chdir".starts_with(name) => b'C',
                        _ if b"unset".starts_with(name) => b'u',
                        _ => 0,
                    };
                    (letter, end.map(|end| long.get(end + 1..).unwrap_or_default().to_vec()))
                }
                None => match word.iter().position(|byte| b"SCuPa".contains(byte)) {
                    Some(place) => {
                        let joined = word.get(place + 1..).unwrap_or_default();
                        (word.get(place).copied().unwrap_or(0), (!joined.is_empty()).then(|| joined.to_vec()))
                    }
                    None => (0, None),
                },
            };
            if letter == 0 {
                continue;
            }
            let value = match joined {
                Some(joined) => vec![joined],
                None => {
                    at += 1;
                    next
                }
            };
            match letter {
                b'C' => self.change_dir(&[value], &shown_word),
                b'S' => {
                    let (after, after_shown) =
                        (words.get(at..).unwrap_or_default(), shown.get(at..).unwrap_or_default());
                    return self.env_split(&value, after, after_shown, &shown_word);
                }
                _ => {}
            }
        }
        self.rest(words, shown, at)
    }

    /// The words of `env -S`, and those after it.
    pub(super) fn env_split(&mut self, texts: &Values, after: &[Values], shown: &[String], shown_text: &str) -> Reader {
        if !is_known(texts) {
            self.unknown(shown_text);
        }
        let mut reader = Reader::pure();
        for text in texts {
            if text.iter().any(|byte| b"'\"\\$#".contains(byte)) {
                // Its own rules of quoting: read as the shell's, and what differs from them is not known.
                self.code(text);
                self.scan.uncertain(format!("what `env` makes of {shown_text}"));
                self.given_words(after);
                continue;
            }
            let split = text.split(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty());
            let mut words: Vec<Values> = split.map(|word| vec![word.to_vec()]).collect();
            let mut all_shown = vec![shown_text.to_owned(); words.len()];
            words.extend(after.iter().cloned());
            all_shown.extend(shown.iter().cloned());
            reader = self.env(&words, &all_shown);
        }
        reader
    }

    /// `flock FILE COMMAND…`, `flock FILE -c 'CODE'`.
    pub(super) fn flock(&mut self, words: &[Values], shown: &[String]) -> Reader {
        if let Some(at) = words.iter().position(|word| is(word, "-c") || is(word, "--command")) {
            let code = words.get(at + 1).cloned().unwrap_or_default();
            self.texts_of_code(&code, shown.get(at + 1));
            return Reader::unknown();
        }
        match wrapper("flock") {
            Some(wrapper) => self.wrapper("flock", &wrapper, words, shown),
            None => Reader::unknown(),
        }
    }
}
