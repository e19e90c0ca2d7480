//! Shells and interpreters: their options, the code that they are given, and their scripts.

mod options;
mod shell;

use super::Use;
use super::command::{Reader, first, is_cluster_with};
use super::names::Language;
use super::source::Source;
use super::word::{Values, is, is_known};

use self::options::{is_harmless_for_node, spelling};

impl Source<'_, '_> {
    /// An interpreter of another language.
    pub(super) fn interpreter(&mut self, name: &str, language: Language, words: &[Values], shown: &[String]) -> Reader {
        let spelling = spelling(language);
        let code_of = Use::Script(language);
        // The program is the first operand itself.
        let is_inline = matches!(language, Language::Awk | Language::Sed | Language::Jq);
        let mut has_code = false;
        let mut is_from_input = false;
        let mut at = 0;
        let shown_at = |at: usize| shown.get(at).map(String::as_str).unwrap_or_default();
        if matches!(name, "deno" | "bun" | "tsx" | "ts-node") {
            self.scan.uncertain(format!("what the project's settings say for `{name}`"));
        }
        while let Some(values) = words.get(at) {
            let word = first(values).to_vec();
            if !is_known(values) && !word.starts_with(b"-") {
                break;
            }
            if word == b"--" {
                at += 1;
                break;
            }
            if !word.starts_with(b"-") || word == b"-" {
                break;
            }
            at += 1;
            if !is_known(values) && !is_inline {
                self.unknown(shown_at(at - 1));
            }
            for value in values {
                self.candidates(value, if is_inline { Use::Read } else { Use::Given });
            }
            let next = words.get(at).cloned().unwrap_or_default();
            let next_shown = shown_at(at).to_owned();
            if word.starts_with(b"--") {
                let end = word.iter().position(|byte| *byte == b'=');
                let long = word.get(..end.unwrap_or(word.len())).unwrap_or_default();
                // GNU's long options may be shortened.
                let matches = |all: &[&str]| all.iter().any(|name| long.len() > 2 && name.as_bytes().starts_with(long));
                let joined = end.map(|end| vec![word.get(end + 1..).unwrap_or_default().to_vec()]);
                let is_code = matches(spelling.long_code);
                if language == Language::JavaScript
                    && !is_harmless_for_node(&word)
                    && !is_code
                    && !matches(spelling.long_value)
                {
                    self.scan.uncertain(format!("what `{name} {}` loads or runs", String::from_utf8_lossy(&word)));
                }
                if is_code || matches(spelling.long_value) {
                    let value = match joined {
                        Some(value) => value,
                        None => {
                            at += 1;
                            next
                        }
                    };
                    match is_code {
                        true => {
                            has_code = true;
                            self.texts_of(language, &value, &next_shown);
                        }
                        false => {
                            has_code |= is_inline && self.loads(language, long);
                            is_from_input |= is_inline && is(&value, "-");
                            self.option_value(language, long, &value, &next_shown);
                        }
                    }
                } else if language == Language::Jq
                    && matches!(&word[..], b"--arg" | b"--argjson" | b"--slurpfile" | b"--rawfile")
                {
                    // A name and a value.
                    for value in words.get(at..at + 2).unwrap_or_default().iter().flatten() {
                        self.path(value, Use::Read);
                    }
                    at += 2;
                }
                continue;
            }
            // A cluster: `-lne 'code'`, `-fprog`, `-mX`. Node.js knows one, and no value in the same word.
            let word = if language == Language::JavaScript && word == b"-pe" { b"-e".to_vec() } else { word };
            for (place, letter) in word.iter().enumerate().skip(1) {
                let is_code = spelling.code.contains(letter);
                if !is_code && !spelling.value.contains(letter) {
                    // `-i.bak`, `-M'Foo'`, `-0777`: the rest belongs to it.
                    let takes_rest = match language {
                        Language::Perl => b"iMmIxdDFlC0".contains(letter),
                        Language::Ruby => b"iFKTWx0".contains(letter),
                        Language::Sed => *letter == b'i',
                        _ => false,
                    };
                    if language == Language::Perl && *letter == b'd' {
                        self.scan.uncertain("the debugger that `perl -d` loads".to_owned());
                    }
                    if takes_rest {
                        if language == Language::Perl && b"lC0".contains(letter) {
                            continue;
                        }
                        let rest = word.get(place + 1..).unwrap_or_default().to_vec();
                        let takes_next = language == Language::Perl && b"IMm".contains(letter) && rest.is_empty();
                        at += usize::from(takes_next);
                        let value = if takes_next { next.clone() } else { vec![rest] };
                        if b"IMmx".contains(letter) && language == Language::Perl {
                            self.option_value(language, &[b'-', *letter], &value, &next_shown);
                        }
                        break;
                    }
                    continue;
                }
                let joined = word.get(place + 1..).unwrap_or_default();
                let value = match joined.is_empty() {
                    true => {
                        at += 1;
                        next.clone()
                    }
                    false => vec![joined.to_vec()],
                };
                match is_code {
                    true => {
                        has_code = true;
                        self.texts_of(language, &value, &next_shown);
                    }
                    false => {
                        has_code |= is_inline && self.loads(language, &[b'-', *letter]);
                        is_from_input |= is_inline && is(&value, "-");
                        has_code |= language == Language::Python && *letter == b'm';
                        self.option_value(language, &[b'-', *letter], &value, &next_shown);
                    }
                }
                break;
            }
            if matches!(&word[..], b"-m" | b"-c") && language == Language::Python {
                has_code = true;
            }
            // What follows is the program's own.
            if has_code && language == Language::Python {
                break;
            }
        }
        let rest = words.get(at..).unwrap_or_default();
        if has_code {
            // `perl -ne … 'x |'` runs what it is told to read.
            for value in rest.iter().flatten().filter(|value| language == Language::Perl && value.contains(&b'|')) {
                let command: Vec<u8> = value.iter().map(|byte| if *byte == b'|' { b' ' } else { *byte }).collect();
                self.code(&command);
                self.scan.uncertain(format!("what `perl` runs: {}", String::from_utf8_lossy(value)));
            }
            // Its operands are data, as far as it says.
            let named = if is_inline { Use::Read } else { Use::Given };
            rest.iter().flatten().for_each(|value| self.candidates(value, named));
            self.edited(language, words, rest);
            if is_from_input {
                return Reader { input: code_of, awaits: Some(name.to_owned()) };
            }
            return Reader { input: if is_inline { Use::Read } else { Use::Given }, awaits: None };
        }
        match rest.split_first() {
            Some((program, data)) if is_inline => {
                if !is(program, "-") || language != Language::Sed {
                    self.texts_of(language, program, shown_at(at));
                }
                data.iter().flatten().for_each(|value| self.candidates(value, Use::Read));
                self.edited(language, words, data);
                Reader::pure()
            }
            Some((script, data)) if !is(script, "-") => {
                if !is_known(script) {
                    self.unknown(shown_at(at));
                }
                for value in script {
                    self.path(value, code_of);
                    // Perl looks for its script on PATH with -S, PHP and others never do.
                    self.program(value, code_of);
                }
                data.iter().flatten().for_each(|value| self.candidates(value, Use::Given));
                Reader { input: Use::Given, awaits: None }
            }
            _ if is_inline => Reader::pure(),
            _ => {
                let only_says = words.iter().any(|word| {
                    matches!(first(word), b"--version" | b"-V" | b"-v" | b"--help" | b"-h") && word.len() == 1
                });
                let awaits = (!only_says).then(|| name.to_owned());
                Reader { input: code_of, awaits }
            }
        }
    }

    /// `sed -i`: the files are written.
    pub(super) fn edited(&mut self, language: Language, words: &[Values], files: &[Values]) {
        let in_place = |word: &[u8]| {
            is_cluster_with(word, b"i")
                || word.len() > 3
                    && b"--in-place".starts_with(word.split(|byte| *byte == b'=').next().unwrap_or_default())
        };
        if language == Language::Sed && words.iter().any(|word| in_place(first(word))) {
            files.iter().flatten().for_each(|file| self.writes(file));
        }
    }

    /// Code of a language in words.
    pub(super) fn texts_of(&mut self, language: Language, texts: &Values, shown: &str) {
        // What jq is given can start nothing and read no file that is not named.
        if !is_known(texts) && language != Language::Jq {
            self.unknown(shown);
        }
        for text in texts {
            self.foreign(language, text);
            if !matches!(language, Language::Jq | Language::Sed | Language::Awk) {
                self.path(text, Use::Given);
            }
        }
    }

    pub(super) fn osascript(&mut self, words: &[Values], shown: &[String]) {
        for (index, values) in words.iter().enumerate() {
            values.iter().for_each(|value| self.candidates(value, Use::Given));
            let runs = |value: &Vec<u8>| {
                let text = value.to_ascii_lowercase();
                [&b"do shell script"[..], b"run script", b"load script", b"do javascript"]
                    .iter()
                    .any(|what| text.windows(what.len()).any(|part| part == *what))
            };
            if values.iter().any(runs) {
                values.iter().for_each(|value| self.files_in_line(value, Use::Given));
                self.scan.uncertain(format!(
                    "what `osascript` runs: {}",
                    shown.get(index).map(String::as_str).unwrap_or_default()
                ));
            }
        }
        if !words.iter().any(|word| is(word, "-e")) {
            self.scan.uncertain("what `osascript` runs".to_owned());
        }
    }
}
