//! Shells and interpreters: their options, the code that they are given, and their scripts.

mod options;
mod shell;

use super::Use;
use super::command::{Reader, first, is_cluster_with};
use super::names::Language;
use super::source::Source;
use super::word::{Values, is, is_known};

use self::options::{Spelling, is_harmless_for_node, spelling};

/// The call of an interpreter, and how far it was read.
struct Call<'c> {
    name: &'c str,
    language: Language,
    spelling: Spelling,
    /// The program is the first operand itself.
    is_inline: bool,
    words: &'c [Values],
    shown: &'c [String],
    /// The place of the next word.
    at: usize,
    /// An option has given it code.
    has_code: bool,
    /// The code comes from standard input.
    is_from_input: bool,
}

impl<'c> Call<'c> {
    fn shown_at(&self, at: usize) -> &'c str {
        self.shown.get(at).map(String::as_str).unwrap_or_default()
    }

    /// The next word, which is an option's value; nothing where there is none.
    fn take_next(&mut self) -> Values {
        self.at += 1;
        self.words.get(self.at - 1).cloned().unwrap_or_default()
    }

    /// What was not read.
    fn rest(&self) -> &'c [Values] {
        self.words.get(self.at..).unwrap_or_default()
    }
}

impl Source<'_, '_> {
    /// An interpreter of another language.
    pub(super) fn interpreter(&mut self, name: &str, language: Language, words: &[Values], shown: &[String]) -> Reader {
        let mut call = Call {
            name,
            language,
            spelling: spelling(language),
            is_inline: matches!(language, Language::Awk | Language::Sed | Language::Jq),
            words,
            shown,
            at: 0,
            has_code: false,
            is_from_input: false,
        };
        if matches!(name, "deno" | "bun" | "tsx" | "ts-node") {
            self.scan.uncertain(format!("what the project's settings say for `{name}`"));
        }
        while let Some(values) = words.get(call.at) {
            let word = first(values).to_vec();
            if word == b"--" {
                call.at += 1;
                break;
            }
            if !word.starts_with(b"-") || word == b"-" {
                break;
            }
            if !is_known(values) && !call.is_inline {
                self.unknown(call.shown_at(call.at));
            }
            for value in values {
                self.candidates(value, if call.is_inline { Use::Read } else { Use::Given });
            }
            call.at += 1;
            if word.starts_with(b"--") {
                self.long_option(&mut call, &word);
                continue;
            }
            self.letters(&mut call, &word);
            if matches!(&word[..], b"-m" | b"-c") && language == Language::Python {
                call.has_code = true;
            }
            // What follows is the program's own.
            if call.has_code && language == Language::Python {
                break;
            }
        }
        match call.has_code {
            true => self.operands_of_code(&call),
            false => self.program_of_interpreter(&call),
        }
    }

    /// `--eval CODE`, `--arg NAME VALUE`, and others.
    fn long_option(&mut self, call: &mut Call<'_>, word: &[u8]) {
        let language = call.language;
        let end = word.iter().position(|byte| *byte == b'=');
        let long = word.get(..end.unwrap_or(word.len())).unwrap_or_default();
        // GNU's long options may be shortened.
        let matches = |all: &[&str]| all.iter().any(|name| long.len() > 2 && name.as_bytes().starts_with(long));
        let is_code = matches(call.spelling.long_code);
        let has_value = is_code || matches(call.spelling.long_value);
        if language == Language::JavaScript && !is_harmless_for_node(word) && !has_value {
            self.scan.uncertain(format!("what `{} {}` loads or runs", call.name, String::from_utf8_lossy(word)));
        }
        if has_value {
            let shown = call.shown_at(call.at).to_owned();
            let value = match end {
                Some(end) => vec![word.get(end + 1..).unwrap_or_default().to_vec()],
                None => call.take_next(),
            };
            self.value_of(call, is_code, long, &value, &shown);
        } else if language == Language::Jq && matches!(word, b"--arg" | b"--argjson" | b"--slurpfile" | b"--rawfile") {
            // A name and a value.
            for value in call.words.get(call.at..call.at + 2).unwrap_or_default().iter().flatten() {
                self.path(value, Use::Read);
            }
            call.at += 2;
        }
    }

    /// A cluster: `-lne 'code'`, `-fprog`, `-mX`. Node.js knows one, and no value in the same word.
    fn letters(&mut self, call: &mut Call<'_>, word: &[u8]) {
        let language = call.language;
        let word = if language == Language::JavaScript && word == b"-pe" { b"-e" } else { word };
        let shown = call.shown_at(call.at).to_owned();
        for (place, letter) in word.iter().enumerate().skip(1) {
            let rest = word.get(place + 1..).unwrap_or_default();
            let is_code = call.spelling.code.contains(letter);
            if is_code || call.spelling.value.contains(letter) {
                let value = if rest.is_empty() { call.take_next() } else { vec![rest.to_vec()] };
                self.value_of(call, is_code, &[b'-', *letter], &value, &shown);
                call.has_code |= language == Language::Python && *letter == b'm';
                break;
            }
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
            if !takes_rest || language == Language::Perl && b"lC0".contains(letter) {
                continue;
            }
            let takes_next = language == Language::Perl && b"IMm".contains(letter) && rest.is_empty();
            let value = if takes_next { call.take_next() } else { vec![rest.to_vec()] };
            if b"IMmx".contains(letter) && language == Language::Perl {
                self.option_value(language, &[b'-', *letter], &value, &shown);
            }
            break;
        }
    }

    /// The value of an option that has one: code, or what says where more of it is.
    fn value_of(&mut self, call: &mut Call<'_>, is_code: bool, option: &[u8], value: &Values, shown: &str) {
        if is_code {
            call.has_code = true;
            return self.texts_of(call.language, value, shown);
        }
        call.has_code |= call.is_inline && self.loads(call.language, option);
        call.is_from_input |= call.is_inline && is(value, "-");
        self.option_value(call.language, option, value, shown);
    }

    /// What stands after code: its operands are data, as far as it says.
    fn operands_of_code(&mut self, call: &Call<'_>) -> Reader {
        let (language, rest) = (call.language, call.rest());
        // `perl -ne … 'x |'` runs what it is told to read.
        for value in rest.iter().flatten().filter(|value| language == Language::Perl && value.contains(&b'|')) {
            let command: Vec<u8> = value.iter().map(|byte| if *byte == b'|' { b' ' } else { *byte }).collect();
            self.code(&command);
            self.scan.uncertain(format!("what `perl` runs: {}", String::from_utf8_lossy(value)));
        }
        let named = if call.is_inline { Use::Read } else { Use::Given };
        rest.iter().flatten().for_each(|value| self.candidates(value, named));
        self.edited(language, call.words, rest);
        match call.is_from_input {
            true => Reader { input: Use::Script(language), awaits: Some(call.name.to_owned()) },
            false => Reader { input: named, awaits: None },
        }
    }

    /// Where no option has the code: the first operand is it or names it, or it comes from standard input.
    fn program_of_interpreter(&mut self, call: &Call<'_>) -> Reader {
        let language = call.language;
        let code_of = Use::Script(language);
        match call.rest().split_first() {
            Some((program, data)) if call.is_inline => {
                if !is(program, "-") || language != Language::Sed {
                    self.texts_of(language, program, call.shown_at(call.at));
                }
                data.iter().flatten().for_each(|value| self.candidates(value, Use::Read));
                self.edited(language, call.words, data);
                Reader::pure()
            }
            Some((script, data)) if !is(script, "-") => {
                if !is_known(script) {
                    self.unknown(call.shown_at(call.at));
                }
                for value in script {
                    self.path(value, code_of);
                    // Perl looks for its script on PATH with -S, PHP and others never do.
                    self.program(value, code_of);
                }
                data.iter().flatten().for_each(|value| self.candidates(value, Use::Given));
                Reader { input: Use::Given, awaits: None }
            }
            _ if call.is_inline => Reader::pure(),
            _ => {
                let only_says = call.words.iter().any(|word| {
                    matches!(first(word), b"--version" | b"-V" | b"-v" | b"--help" | b"-h") && word.len() == 1
                });
                let awaits = (!only_says).then(|| call.name.to_owned());
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
