//! Shells and interpreters: their options, the code that they are given, and their scripts.

use hookshell_dispatch::command_line::{Grammar, KnownShell, OptionReader};
use hookshell_process::text;

use super::Use;
use super::command::{Reader, first, is_cluster_with, starts_with};
use super::names::Language;
use super::source::Source;
use super::word::{Values, is, is_known};

/// What its own shell is called in messages.
const HOOKSHELL: &str = "hookshell sh";

/// What `-c`, `-e` and the like of an interpreter are.
struct Spelling {
    /// Letters whose next word, or the rest of theirs, is code.
    code: &'static [u8],
    /// Letters whose next word, or the rest of theirs, is something else.
    value: &'static [u8],
    /// Long options whose next word is code.
    long_code: &'static [&'static str],
    /// Long options whose next word is something else.
    long_value: &'static [&'static str],
}

fn spelling(language: Language) -> Spelling {
    match language {
        Language::Python => {
            Spelling { code: b"c", value: b"mWX", long_code: &[], long_value: &["--check-hash-based-pycs"] }
        }
        Language::JavaScript => Spelling {
            code: b"ep",
            value: b"rC",
            long_code: &["--eval", "--print"],
            long_value: &[
                "--require",
                "--import",
                "--loader",
                "--experimental-loader",
                "--env-file",
                "--conditions",
                "--input-type",
                "--title",
            ],
        },
        Language::Perl => Spelling { code: b"eE", value: b"", long_code: &[], long_value: &[] },
        Language::Ruby => Spelling { code: b"e", value: b"rIEC", long_code: &[], long_value: &["--encoding"] },
        Language::Lua => Spelling { code: b"e", value: b"l", long_code: &[], long_value: &[] },
        Language::Php => Spelling {
            code: b"rBRE",
            value: b"cdfFgStTz",
            long_code: &["--run", "--process-begin", "--process-code", "--process-end"],
            long_value: &["--define", "--file", "--process-file", "--php-ini", "--server", "--docroot"],
        },
        Language::Awk => Spelling {
            code: b"e",
            value: b"FvfilmoE",
            long_code: &["--source"],
            long_value: &["--field-separator", "--assign", "--file", "--include", "--load", "--exec"],
        },
        Language::Sed => Spelling {
            code: b"e",
            value: b"fl",
            long_code: &["--expression"],
            long_value: &["--file", "--line-length"],
        },
        Language::Jq => Spelling {
            code: b"",
            value: b"fL",
            long_code: &[],
            long_value: &["--from-file", "--library-path", "--indent"],
        },
        Language::Other => Spelling { code: b"", value: b"", long_code: &[], long_value: &[] },
    }
}

impl Source<'_, '_> {
    /// Texts that a shell runs.
    pub(super) fn texts_of_code(&mut self, texts: &Values, shown: Option<&String>) {
        if !is_known(texts) {
            self.unknown(shown.map(String::as_str).unwrap_or_default());
        }
        texts.iter().for_each(|text| self.code(text));
    }

    /// A shell: its options, and then code or a script.
    pub(super) fn shell(&mut self, name: &str, words: &[Values], shown: &[String]) -> Reader {
        let grammar = if name == HOOKSHELL { Grammar::Hookshell } else { Grammar::Shell };
        let is_bash =
            grammar == Grammar::Hookshell || KnownShell::named(name.as_bytes()).is_some_and(KnownShell::is_bash);
        let mut reader = OptionReader::new(grammar);
        let mut at = 0;
        let (mut is_code, mut is_input) = (false, false);
        while let Some(values) = words.get(at) {
            let word = first(values);
            let is_option = |value: &Vec<u8>| value.starts_with(b"-") || value.starts_with(b"+");
            if values.len() == 1 && word.is_empty() {
                // An empty expansion is no word.
                at += 1;
                continue;
            }
            if !is_known(values) || values.iter().any(is_option) && !values.iter().all(is_option) {
                self.unknown(shown.get(at).map(String::as_str).unwrap_or_default());
            }
            if !values.iter().any(is_option) {
                break;
            }
            at += 1;
            let before = reader.clone();
            let option = reader.read(word);
            let others = values.iter().skip(1).map(|value| before.clone().read(value));
            for other in std::iter::once(option).chain(others) {
                is_code |= other.is_command();
                is_input |= other.is_stdin();
                // The first word says what follows. And other shells than bash have letters where it has `-rcfile`.
                let is_other = other.values() != option.values() || other.ends_options() != option.ends_options();
                if is_other || !is_bash && !word.starts_with(b"--") && other.is_long() {
                    self.unknown(shown.get(at - 1).map(String::as_str).unwrap_or_default());
                }
            }
            if option.ends_options() {
                break;
            }
            at += option.values();
        }
        // Start-up files, and whatever stands where it is not expected.
        for value in words.get(..at).unwrap_or_default().iter().flatten() {
            self.path(value, Use::Shell);
            self.candidates(value, Use::Given);
        }
        let operand = words.get(at).cloned();
        let operand_shown = shown.get(at).cloned().unwrap_or_default();
        let rest = words.get(at + 1..).unwrap_or_default();
        match operand {
            Some(texts) if is_code => {
                self.texts_of_code(&texts, Some(&operand_shown));
                texts.iter().for_each(|text| self.path(text, Use::Given));
                self.read_words(rest);
                Reader { input: Use::Shell, awaits: None }
            }
            Some(scripts) if !is_input => {
                if !is_known(&scripts) {
                    self.unknown(&operand_shown);
                }
                for script in &scripts {
                    self.path(script, Use::Shell);
                    if !script.contains(&b'/') {
                        self.program(script, Use::Shell);
                    }
                }
                self.given_words(rest);
                Reader { input: Use::Given, awaits: None }
            }
            operand => {
                operand.iter().flatten().for_each(|value| self.path(value, Use::Given));
                self.given_words(rest);
                Reader { input: Use::Shell, awaits: Some(name.to_owned()) }
            }
        }
    }

    pub(super) fn hookshell(&mut self, words: &[Values], shown: &[String]) -> Option<Reader> {
        let (command, rest) = words.split_first()?;
        if is(command, "sh") {
            return Some(self.shell(HOOKSHELL, rest, shown.get(1..).unwrap_or_default()));
        }
        if is(command, "exec") {
            let at = rest.iter().position(|word| !starts_with(word, b"-"))?;
            let code = rest.get(at)?.clone();
            self.texts_of_code(&code, shown.get(at + 1));
            self.given_words(rest);
            return Some(Reader::unknown());
        }
        None
    }

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

    /// Is this option's value a file with code, so that no operand is code?
    pub(super) fn loads(&self, language: Language, option: &[u8]) -> bool {
        match language {
            Language::Awk if option == b"-E" || option.len() > 2 && b"--exec".starts_with(option) => true,
            Language::Awk | Language::Sed => option == b"-f" || option.len() > 2 && b"--file".starts_with(option),
            Language::Jq => option == b"-f" || option.len() > 2 && b"--from-file".starts_with(option),
            _ => false,
        }
    }

    /// The value of an interpreter's option.
    pub(super) fn option_value(&mut self, language: Language, option: &[u8], values: &Values, shown: &str) {
        let is_data = match language {
            Language::Awk => {
                matches!(option, b"-v" | b"-F" | b"-m" | b"-o")
                    || option.len() > 2 && (b"--assign".starts_with(option) || b"--field-separator".starts_with(option))
            }
            Language::Sed => option == b"-l" || option.starts_with(b"--l"),
            Language::Jq => option.starts_with(b"--in"),
            Language::JavaScript => matches!(option, b"-C" | b"--conditions" | b"--input-type" | b"--title"),
            Language::Ruby => matches!(option, b"-E" | b"--encoding"),
            _ => false,
        };
        if is_data {
            return;
        }
        if !is_known(values) {
            self.unknown(shown);
        }
        for value in values {
            match (language, option) {
                (Language::Python, b"-m") => self.python_module(value),
                (Language::Python, _) => {
                    // `-W error::module.Class` imports the module.
                    let module = value.rsplit(|byte| *byte == b':').next().unwrap_or_default();
                    if value.contains(&b':') && module.contains(&b'.') {
                        let parent = module.iter().rposition(|byte| *byte == b'.').unwrap_or(0);
                        self.python_module(module.get(..parent).unwrap_or_default());
                    }
                }
                _ => {
                    self.path(value, Use::Script(language));
                    self.candidates(value, Use::Given);
                    self.included(language, value);
                    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_:=,-./".contains(byte);
                    if language == Language::Perl && matches!(option, b"-M" | b"-m") {
                        // `-M'POSIX; do "./x"'` is `use POSIX; do "./x"`.
                        if !value.iter().all(is_name) {
                            self.foreign(language, &[b"use ", &value[..], b";"].concat());
                        }
                        if value.starts_with(b"lib") {
                            self.scan.uncertain(format!("the code below {}", String::from_utf8_lossy(value)));
                        }
                    }
                    if language == Language::Php && option == b"-d" && value.starts_with(b"auto_") {
                        self.scan.uncertain(format!("what `php -d {}` loads", String::from_utf8_lossy(value)));
                    }
                    let is_dir = self.scan.dirs.iter().any(|dir| {
                        let path = dir.join(text::to_path(value));
                        path.is_dir() && self.scan.is_inside(&path)
                    });
                    if is_dir || option == b"-x" {
                        self.scan.uncertain(format!("the code below {}", String::from_utf8_lossy(value)));
                    }
                }
            }
        }
    }

    /// `python3 -m NAME`, from the working directory first.
    pub(super) fn python_module(&mut self, name: &[u8]) {
        const HARMLESS: [&[u8]; 16] = [
            b"",
            b"json.tool",
            b"json",
            b"base64",
            b"gzip",
            b"zipfile",
            b"tarfile",
            b"calendar",
            b"platform",
            b"py_compile",
            b"compileall",
            b"tabnanny",
            b"tokenize",
            b"ast",
            b"uuid",
            b"http.server",
        ];
        let before = self.scan.pass.listed.len();
        self.module(name);
        let is_of_project = self.scan.pass.listed.len() > before
            || self.scan.dirs.iter().any(|dir| {
                let path = String::from_utf8_lossy(name).replace('.', "/");
                ["py", "/__main__.py", "/__init__.py"].iter().any(|end| match end.strip_prefix('/') {
                    Some(file) => dir.join(&path).join(file).is_file(),
                    None => dir.join(format!("{path}.{end}")).is_file(),
                })
            });
        self.shadowed_modules();
        if !is_of_project && !HARMLESS.contains(&name) {
            self.scan.uncertain(format!("what `python3 -m {}` loads or runs", String::from_utf8_lossy(name)));
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

/// A long option of Node.js that loads nothing.
fn is_harmless_for_node(option: &[u8]) -> bool {
    const STARTS: [&[u8]; 17] = [
        b"--no-",
        b"--trace-",
        b"--max-",
        b"--enable-source-maps",
        b"--check",
        b"--version",
        b"--help",
        b"--stack-",
        b"--use-strict",
        b"--harmony",
        b"--unhandled-rejections",
        b"--disable-warning",
        b"--throw-deprecation",
        b"--experimental-strip-types",
        b"--experimental-vm-modules",
        b"--pending-deprecation",
        b"--abort-on",
    ];
    STARTS.iter().any(|start| option.starts_with(start))
}
