//! A command: its name, and what it is given.

use hookshell_process::text;

use super::names::{
    FOREIGN_SHELLS, Language, PLAIN_BUILTINS, PURE, PURE_TOOLS, RUNNERS, SHELLS, names_code, stem, wrapper,
};
use super::source::Source;
use super::word::{NUMBER, UNKNOWN, Values, is, is_known};
use super::{Use, lexically};

/// What a command does with its standard input.
#[derive(Debug)]
pub(super) struct Reader {
    /// As what files on its standard input count.
    pub(super) input: Use,
    /// It reads code from there: its name.
    pub(super) awaits: Option<String>,
}

impl Reader {
    /// A command that runs nothing of what it reads.
    pub(super) fn pure() -> Self {
        Self { input: Use::Read, awaits: None }
    }

    fn unknown() -> Self {
        Self { input: Use::Given, awaits: None }
    }
}

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

/// The first value of a word: options are told apart by it.
fn first(values: &Values) -> &[u8] {
    values.first().map(Vec::as_slice).unwrap_or_default()
}

fn starts_with(values: &Values, start: &[u8]) -> bool {
    values.iter().any(|value| value.starts_with(start))
}

impl Source<'_, '_> {
    /// A command, as its words.
    pub(super) fn command(&mut self, words: &[Values], shown: &[String]) -> Reader {
        let Some((name, operands)) = words.split_first() else { return Reader::pure() };
        let shown_name = shown.first().map(String::as_str).unwrap_or_default();
        let shown = shown.get(1..).unwrap_or_default();
        if !is_known(name) {
            self.unknown(shown_name);
            for value in name {
                self.files_in_value(value, Use::Given);
            }
            self.given_words(operands);
        }
        let mut reader = Reader::pure();
        for value in name.iter().filter(|value| !value.contains(&0)) {
            let one = match value.is_empty() {
                // An empty expansion: what follows is the command.
                true => self.command(operands, shown),
                false => self.named(value, operands, shown),
            };
            // What reads code counts.
            if one.awaits.is_some() || reader.input == Use::Read {
                reader = one;
            }
        }
        reader
    }

    fn named(&mut self, name: &[u8], operands: &[Values], shown: &[String]) -> Reader {
        if self.scan.aliases.contains(name) {
            self.scan.uncertain(format!("what the alias `{}` makes of its words", String::from_utf8_lossy(name)));
            self.given_words(operands);
        }
        let is_function = self.scan.functions.contains(name);
        let mut known = stem(name);
        let is_path = name.contains(&b'/') || cfg!(windows) && name.contains(&b'\\');
        if is_path {
            let key = (name.to_vec(), self.scan.folders.len());
            let (is_of_project, program) = match self.scan.pass.commands.get(&key).cloned() {
                Some(known) => known,
                None if self.scan.may_look_up() => {
                    self.path(name, Use::Started);
                    let found = (self.is_of_project(name), self.link_to_program(name));
                    self.scan.pass.commands.insert(key, found.clone());
                    found
                }
                None => (true, None),
            };
            if is_of_project {
                self.path(name, Use::Started);
                // A link to a program is that program.
                match program {
                    Some(program) => known = program,
                    None => {
                        self.read_words(operands);
                        return Reader { input: Use::Given, awaits: None };
                    }
                }
            } else {
                self.path(name, Use::Started);
            }
        } else if !is_function && self.program(name, Use::Started) {
            self.read_words(operands);
            return Reader { input: Use::Given, awaits: None };
        }
        let reader = self.known_program(&known, name, operands, shown, is_path);
        match reader {
            Some(reader) => reader,
            None if is_function => {
                self.read_words(operands);
                Reader::pure()
            }
            None => {
                let is_script = is_path && self.is_script(name);
                if !is_script {
                    self.scan.uncertain(format!("what `{}` loads or runs", String::from_utf8_lossy(name)));
                }
                self.given_words(operands);
                Reader::unknown()
            }
        }
    }

    /// Is a path below the project, wherever it leads from there? What is not there today is a change when it is.
    fn is_of_project(&self, name: &[u8]) -> bool {
        self.scan.folders.iter().any(|folder| {
            let path = folder.join(text::to_path(name));
            let inside = |path: &std::path::Path| path.canonicalize().is_ok_and(|path| self.scan.is_inside(&path));
            let is_named_inside = self.scan.is_inside(&lexically(&path)) || path.parent().is_some_and(inside);
            match path.symlink_metadata() {
                Ok(_) => is_named_inside || inside(&path),
                Err(_) => is_named_inside,
            }
        })
    }

    /// The name of the program outside of the project that a link in the project leads to.
    fn link_to_program(&self, name: &[u8]) -> Option<String> {
        self.scan.folders.iter().find_map(|folder| {
            let target = folder.join(text::to_path(name)).canonicalize().ok()?;
            if self.scan.is_inside(&target) {
                return None;
            }
            let name = text::from_path(&target).into_owned();
            let name = stem(&name);
            // What is a script there is looked at as one.
            (SHELLS.contains(&&*name)
                || Language::of_interpreter(&name).is_some()
                || !self.is_script(&text::from_path(&target)))
            .then_some(name)
        })
    }

    /// Is it a script, so that what it does was looked at?
    fn is_script(&self, name: &[u8]) -> bool {
        self.scan.folders.iter().any(|folder| {
            let Ok(path) = folder.join(text::to_path(name)).canonicalize() else { return false };
            self.scan.pass.listed.contains(&path)
        })
    }

    fn known_program(
        &mut self,
        known: &str,
        name: &[u8],
        operands: &[Values],
        shown: &[String],
        is_path: bool,
    ) -> Option<Reader> {
        if !is_path && let Some(reader) = self.builtin(name, operands, shown) {
            return Some(reader);
        }
        if let Some(language) = Language::of_interpreter(known) {
            return Some(self.interpreter(known, language, operands, shown));
        }
        Some(match known {
            "env" => self.env(operands, shown),
            "flock" => self.flock(operands, shown),
            // A shell of somebody's.
            "sudo"
                if operands
                    .iter()
                    .take_while(|word| starts_with(word, b"-"))
                    .any(|word| is_cluster_with(first(word), b"si")) =>
            {
                return None;
            }
            "exec" if is_path => return None,
            "find" => self.find(operands, shown),
            "xargs" => self.xargs(operands, shown),
            "git" => self.git(operands, shown),
            "hookshell" => self.hookshell(operands, shown)?,
            "test" | "[" => {
                self.test(operands);
                Reader::pure()
            }
            "osascript" => {
                self.osascript(operands, shown);
                Reader::pure()
            }
            "echo" | "printf" | "true" | "false" | "pwd" | "kill" => {
                self.read_words(operands);
                Reader::pure()
            }
            "sh" | "bash" | "rbash" | "dash" | "ash" | "ksh" | "mksh" | "zsh" => self.shell(known, operands, shown),
            _ if FOREIGN_SHELLS.contains(&known) => {
                for value in operands.iter().flatten() {
                    self.path(value, Use::Given);
                    self.files_in_line(value, Use::Given);
                }
                self.scan.uncertain(format!("what `{known}` makes of its command line"));
                Reader::unknown()
            }
            _ if RUNNERS.contains(&known) => {
                let name = String::from_utf8_lossy(name).into_owned();
                self.scan.uncertain(format!("what the project defines for `{name}`"));
                self.given_words(operands);
                Reader::unknown()
            }
            _ if PURE.contains(&known) || PURE_TOOLS.contains(&known) => {
                self.pure(known, operands);
                Reader::pure()
            }
            _ => {
                let (options, count) = wrapper(known)?;
                self.wrapper(options, count, operands, shown)
            }
        })
    }

    /// Operands of a program that runs nothing of them.
    fn read_words(&mut self, operands: &[Values]) {
        for value in operands.iter().flatten() {
            self.candidates(value, Use::Read);
        }
    }

    /// Operands of a program of which nothing is known.
    fn given_words(&mut self, operands: &[Values]) {
        let mut before: Option<&[u8]> = None;
        for values in operands {
            for value in values {
                self.candidates(value, Use::Given);
                if value.iter().any(|byte| b" (;|&\n".contains(byte)) {
                    self.files_in_line(value, Use::Given);
                }
                // `su me -c 'bash x'`
                if before.is_some_and(|before| is_cluster_with(before, b"c")) {
                    self.code(value);
                }
            }
            before = values.first().map(Vec::as_slice);
        }
    }

    /// The files that a word may name, whatever an option is before it: `x`, `--file=x`, `-fx`, `@x`.
    fn candidates(&mut self, value: &[u8], named: Use) {
        self.path(value, named);
        if value.len() > 4096 {
            return;
        }
        for (at, _) in value.iter().enumerate().filter(|(_, byte)| b"=:,@".contains(byte)).take(16) {
            self.path(value.get(at + 1..).unwrap_or_default(), named);
        }
        if value.iter().any(|byte| b"=,".contains(byte)) {
            self.files_in_value(value, named);
        }
        if value.starts_with(b"-") && !value.starts_with(b"--") {
            for at in 2..value.len().min(10) {
                self.path(value.get(at..).unwrap_or_default(), named);
            }
        }
    }

    /// What stands behind a wrapper's options: a command.
    fn wrapper(&mut self, options: &[&str], mut count: usize, words: &[Values], shown: &[String]) -> Reader {
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
            at += if options.iter().any(|option| option.as_bytes() == word) { 2 } else { 1 };
            // `command -v jq`: it is looked for, and not run.
            if matches!(word, b"-v" | b"-V") && options.is_empty() {
                return Reader::pure();
            }
        }
        at += count;
        self.rest(words, shown, at)
    }

    /// The command from a word on.
    fn rest(&mut self, words: &[Values], shown: &[String], at: usize) -> Reader {
        let (words, shown) = (words.get(at..).unwrap_or_default(), shown.get(at..).unwrap_or_default());
        self.command(words, shown)
    }

    /// `env [-i] [-u NAME] [-C DIR] [-S WORDS] [NAME=VALUE] COMMAND`: GNU coreutils 9.1, `src/env.c`.
    fn env(&mut self, words: &[Values], shown: &[String]) -> Reader {
        let mut at = 0;
        while let Some(values) = words.get(at) {
            let word = first(values).to_vec();
            let shown_word = shown.get(at).cloned().unwrap_or_default();
            if let Some(place) = word.iter().position(|byte| *byte == b'=').filter(|_| !word.starts_with(b"-")) {
                let name = word.get(..place).unwrap_or_default().to_vec();
                for value in values.iter().filter_map(|word| word.get(place + 1..)) {
                    self.named_by_variable(&name, value);
                    self.scan.set(&name, &[value.to_vec()]);
                }
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
                b'C' => self.change_folder(&[value], &shown_word),
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

    /// The words of `env -S`, and those behind it.
    fn env_split(&mut self, texts: &Values, after: &[Values], shown: &[String], shown_text: &str) -> Reader {
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
    fn flock(&mut self, words: &[Values], shown: &[String]) -> Reader {
        if let Some(at) = words.iter().position(|word| is(word, "-c") || is(word, "--command")) {
            let code = words.get(at + 1).cloned().unwrap_or_default();
            self.texts_of_code(&code, shown.get(at + 1));
            return Reader::unknown();
        }
        match wrapper("flock") {
            Some((options, count)) => self.wrapper(options, count, words, shown),
            None => Reader::unknown(),
        }
    }

    /// Texts that a shell runs.
    fn texts_of_code(&mut self, texts: &Values, shown: Option<&String>) {
        if !is_known(texts) {
            self.unknown(shown.map(String::as_str).unwrap_or_default());
        }
        texts.iter().for_each(|text| self.code(text));
    }

    /// A shell: its options, and then code or a script.
    fn shell(&mut self, name: &str, words: &[Values], shown: &[String]) -> Reader {
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
            if word == b"--" || word == b"-" {
                break;
            }
            let is_long = word.starts_with(b"--") || matches!(word, b"-rcfile" | b"-init-file");
            if is_long {
                let takes_file = [&b"rcfile"[..], b"init-file"].iter().any(|name| word.ends_with(name));
                at += usize::from(takes_file);
                continue;
            }
            for value in values {
                is_code |= value.starts_with(b"-") && value.contains(&b'c');
                is_input |= value.starts_with(b"-") && value.contains(&b's');
            }
            // `-O extglob`, `-o pipefail`
            at += word.iter().filter(|letter| b"oO".contains(letter)).count();
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

    fn hookshell(&mut self, words: &[Values], shown: &[String]) -> Option<Reader> {
        let (command, rest) = words.split_first()?;
        if is(command, "sh") {
            return Some(self.shell("hookshell sh", rest, shown.get(1..).unwrap_or_default()));
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
    fn interpreter(&mut self, name: &str, language: Language, words: &[Values], shown: &[String]) -> Reader {
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
            let mut letters = word.iter().enumerate().skip(1);
            while let Some((place, letter)) = letters.next() {
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
    fn edited(&mut self, language: Language, words: &[Values], files: &[Values]) {
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
    fn loads(&self, language: Language, option: &[u8]) -> bool {
        match language {
            Language::Awk if option == b"-E" || option.len() > 2 && b"--exec".starts_with(option) => true,
            Language::Awk | Language::Sed => option == b"-f" || option.len() > 2 && b"--file".starts_with(option),
            Language::Jq => option == b"-f" || option.len() > 2 && b"--from-file".starts_with(option),
            _ => false,
        }
    }

    /// The value of an interpreter's option.
    fn option_value(&mut self, language: Language, option: &[u8], values: &Values, shown: &str) {
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
                    let is_folder = self.scan.folders.iter().any(|folder| {
                        let path = folder.join(text::to_path(value));
                        path.is_dir() && self.scan.is_inside(&path)
                    });
                    if is_folder || option == b"-x" {
                        self.scan.uncertain(format!("the code below {}", String::from_utf8_lossy(value)));
                    }
                }
            }
        }
    }

    /// `python3 -m NAME`, from the working directory first.
    fn python_module(&mut self, name: &[u8]) {
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
            || self.scan.folders.iter().any(|folder| {
                let path = String::from_utf8_lossy(name).replace('.', "/");
                ["py", "/__main__.py", "/__init__.py"].iter().any(|end| match end.strip_prefix('/') {
                    Some(file) => folder.join(&path).join(file).is_file(),
                    None => folder.join(format!("{path}.{end}")).is_file(),
                })
            });
        self.shadowed_modules();
        if !is_of_project && !HARMLESS.contains(&name) {
            self.scan.uncertain(format!("what `python3 -m {}` loads or runs", String::from_utf8_lossy(name)));
        }
    }

    /// Code of a language in words.
    fn texts_of(&mut self, language: Language, texts: &Values, shown: &str) {
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

    /// `find PATHS -exec COMMAND ;`
    fn find(&mut self, words: &[Values], shown: &[String]) -> Reader {
        let mut at = 0;
        while let Some(values) = words.get(at) {
            at += 1;
            match first(values) {
                option @ (b"-exec" | b"-execdir" | b"-ok" | b"-okdir") => {
                    let ends = |word: &Values| is(word, ";") || is(word, "+");
                    let end = words.iter().skip(at).position(ends).map_or(words.len(), |end| at + end);
                    let command = words.get(at..end).unwrap_or_default();
                    self.found(command, shown.get(at..end).unwrap_or_default(), "find");
                    if option.ends_with(b"dir") && command.iter().flatten().any(|word| self.is_relative_code(word)) {
                        self.scan.uncertain("what `find` runs in the directories that it finds".to_owned());
                    }
                    at = end;
                }
                b"-fprint" | b"-fprint0" | b"-fls" | b"-fprintf" => {
                    let target = words.get(at).cloned().unwrap_or_default();
                    target.iter().for_each(|target| self.writes(target));
                }
                _ => {
                    if !is_known(values)
                        && !starts_with(values, b"-")
                        && shown.get(at - 1).is_some_and(|shown| !shown.contains(['*', '?', '[']))
                        && words.len() == 1
                    {
                        self.unknown(shown.get(at - 1).map(String::as_str).unwrap_or_default());
                    }
                    values.iter().for_each(|value| self.path(value, Use::Read));
                }
            }
        }
        Reader::pure()
    }

    /// Is it a relative path, or a name that is looked up in the working directory?
    fn is_relative_code(&self, word: &[u8]) -> bool {
        !word.starts_with(b"/")
            && word != b"{}"
            && !word.starts_with(b"-")
            && (word.contains(&b'/') || !PURE.contains(&&*stem(word)))
    }

    /// The command of `find` or `xargs`, which is given what they find.
    fn found(&mut self, command: &[Values], shown: &[String], name: &str) {
        let has_place = command.iter().flatten().any(|word| word.windows(2).any(|pair| pair == b"{}"));
        // `{}` is what is only known when it runs.
        let filled: Vec<Values> =
            command.iter().map(|values| values.iter().map(|value| replaced(value, b"{}", UNKNOWN)).collect()).collect();
        let before = self.scan.pass.found.uncertain.len();
        let runs_it = self.scan_found(&filled);
        let reader = self.command(&filled, shown);
        if reader.awaits.is_some() {
            self.reads_found(name);
        }
        if runs_it && has_place {
            // One line for them all.
            self.scan.pass.found.uncertain.truncate(before);
            self.scan.uncertain(format!("the files that `{name}` finds and runs"));
        }
    }

    /// Is what is found the command, or an interpreter's script?
    fn scan_found(&self, command: &[Values]) -> bool {
        let Some((name, operands)) = command.split_first() else { return false };
        if !is_known(name) {
            return true;
        }
        let known = stem(first(name));
        let runs = SHELLS.contains(&&*known)
            || Language::of_interpreter(&known)
                .is_some_and(|language| !matches!(language, Language::Awk | Language::Sed | Language::Jq));
        let script = operands.iter().find(|word| !starts_with(word, b"-"));
        let has_code = operands.iter().any(|word| is_cluster_with(first(word), b"ce"));
        runs && !has_code && script.is_some_and(|script| !is_known(script))
    }

    fn reads_found(&mut self, name: &str) {
        self.scan.uncertain(format!("the scripts that `{name}` is told of"));
    }

    /// `xargs OPTIONS COMMAND`
    fn xargs(&mut self, words: &[Values], shown: &[String]) -> Reader {
        const WITH_VALUE: [&[u8]; 16] = [
            b"-a",
            b"-d",
            b"-E",
            b"-I",
            b"-L",
            b"-n",
            b"-P",
            b"-s",
            b"--arg-file",
            b"--delimiter",
            b"--max-args",
            b"--max-procs",
            b"--max-lines",
            b"--max-chars",
            b"--replace",
            b"--process-slot-var",
        ];
        let mut at = 0;
        while let Some(word) = words.get(at).map(first) {
            if !word.starts_with(b"-") {
                break;
            }
            at += if WITH_VALUE.contains(&word) && word != b"--replace" { 2 } else { 1 };
            if word == b"--" {
                break;
            }
        }
        let options = words.get(..at.min(words.len())).unwrap_or_default().to_vec();
        options.iter().flatten().for_each(|value| self.candidates(value, Use::Read));
        let command = words.get(at..).unwrap_or_default();
        let shown = shown.get(at..).unwrap_or_default();
        let Some(name) = command.first() else { return Reader::pure() };
        // With -I the place may have any name: every word may be replaced.
        let has_place = options
            .iter()
            .any(|word| starts_with(word, b"-I") || starts_with(word, b"-i") || starts_with(word, b"--rep"));
        let is_plain = name.iter().all(|name| {
            let known = stem(name);
            !name.contains(&0)
                && match &*known {
                    // Which options they are given is not known.
                    "sort" | "rg" | "install" | "curl" => false,
                    "git" => command.get(1).is_some_and(|word| {
                        [
                            "add",
                            "rm",
                            "checkout",
                            "restore",
                            "reset",
                            "log",
                            "show",
                            "blame",
                            "ls-files",
                            "check-ignore",
                            "hash-object",
                        ]
                        .iter()
                        .any(|name| is(word, name))
                    }),
                    "echo" | "printf" => true,
                    known => PURE.contains(&known) || PURE_TOOLS.contains(&known),
                }
                && !self.scan.functions.contains(name)
        });
        let place = options
            .iter()
            .zip(options.iter().skip(1))
            .find(|(option, _)| is(option, "-I"))
            .map(|(_, place)| first(place).to_vec());
        let place = place.unwrap_or_else(|| b"{}".to_vec());
        let joined =
            options.iter().find_map(|option| first(option).strip_prefix(b"-I").filter(|place| !place.is_empty()));
        let place = joined.map_or(place, <[u8]>::to_vec);
        let filled: Vec<Values> = match has_place && !place.is_empty() {
            true => {
                let fill = |value: &Vec<u8>| replaced(value, &place, b"{}");
                command.iter().map(|values| values.iter().map(fill).collect()).collect()
            }
            false => command.to_vec(),
        };
        let last = filled.last().map(|last| stem(first(last))).unwrap_or_default();
        if has_place {
            self.found(&filled, shown, "xargs");
            return Reader::pure();
        }
        let before = self.scan.pass.found.uncertain.len();
        let reader = self.command(&filled, shown);
        if is_plain {
            return Reader::pure();
        }
        let is_interpreter = SHELLS.contains(&&*last)
            || Language::of_interpreter(&last)
                .is_some_and(|language| !matches!(language, Language::Awk | Language::Jq | Language::Sed));
        if reader.awaits.is_some() || is_interpreter {
            self.scan.pass.found.uncertain.truncate(before);
            self.reads_found("xargs");
        } else if self.is_of_interpreter(&filled) {
            // The words come behind those that are known: of code that takes none, they do nothing.
            self.scan.uncertain("the words that `xargs` is told of".to_owned());
        }
        Reader::pure()
    }

    fn is_of_interpreter(&self, command: &[Values]) -> bool {
        command.iter().any(|word| {
            let known = stem(first(word));
            SHELLS.contains(&&*known)
                || Language::of_interpreter(&known).is_some()
                || wrapper(&known).is_some()
                || matches!(&*known, "find" | "xargs" | "eval" | "." | "source")
        })
    }

    /// `test -v 'a[$(x)]'` evaluates the subscript.
    fn test(&mut self, operands: &[Values]) {
        for (index, word) in operands.iter().enumerate() {
            if matches!(first(word), b"-v" | b"-R")
                && let Some(names) = operands.get(index + 1).cloned()
            {
                self.variable_names(&names);
            }
        }
    }

    fn osascript(&mut self, words: &[Values], shown: &[String]) {
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

    /// A program that runs nothing: which options of a few are otherwise, and what it writes.
    fn pure(&mut self, known: &str, operands: &[Values]) {
        self.read_words(operands);
        let has_option = |start: &[u8]| operands.iter().any(|word| starts_with(word, start));
        let runs = match known {
            "sort" => has_option(b"--co"),
            "rg" => has_option(b"--pre") || has_option(b"--hostname-bin"),
            "install" => has_option(b"--strip-p"),
            "ruff" | "yq" | "date" => false,
            _ => false,
        };
        if runs {
            operands.iter().flatten().for_each(|value| self.candidates(value, Use::Given));
            self.scan.uncertain(format!("the program that `{known}` is told to run"));
        }
        let plain: Vec<Vec<u8>> = operands.iter().flatten().filter(|word| !word.starts_with(b"-")).cloned().collect();
        match known {
            "cp" | "mv" | "ln" | "install" | "link" => {
                plain.iter().skip(1).for_each(|target| self.writes(target));
                // `ln -s x/y` makes `y`, and `-t DIR` comes first.
                for value in &plain {
                    if let Some(name) = value.rsplit(|byte| *byte == b'/').next().filter(|_| plain.len() == 1) {
                        self.writes(name);
                    }
                }
                if let Some(at) = operands.iter().position(|word| starts_with(word, b"-t") || starts_with(word, b"--t"))
                {
                    for word in operands.get(at..at + 2).unwrap_or_default().iter().flatten() {
                        let target = word.strip_prefix(b"-t").unwrap_or(word);
                        let target = target.rsplit(|byte| *byte == b'=').next().unwrap_or_default();
                        self.writes(target);
                    }
                }
            }
            "tee" | "truncate" => plain.iter().for_each(|target| self.writes(target)),
            "dd" => {
                let targets: Vec<_> =
                    plain.iter().filter_map(|word| word.strip_prefix(b"of=")).map(<[u8]>::to_vec).collect();
                targets.iter().for_each(|target| self.writes(target));
            }
            "sort" | "curl" | "rg" => {
                if known == "curl" {
                    // Its options may stand in a file.
                    for (word, next) in operands.iter().zip(operands.iter().skip(1)) {
                        if is_cluster_with(first(word), b"K") || starts_with(word, b"--config") {
                            word.iter().chain(next).for_each(|value| self.candidates(value, Use::Given));
                        }
                    }
                }
                for (index, word) in operands.iter().enumerate() {
                    let word = first(word).to_vec();
                    if is_cluster_with(&word, b"o") || word.starts_with(b"--output") {
                        let next = operands.get(index + 1).cloned().unwrap_or_default();
                        next.iter().for_each(|target| self.writes(target));
                        let joined =
                            word.split(|byte| matches!(byte, b'=' | b'o')).next_back().unwrap_or_default().to_vec();
                        self.writes(&joined);
                    }
                    if is_cluster_with(&word, b"O") {
                        let name =
                            |word: &Vec<u8>| word.rsplit(|byte| *byte == b'/').next().unwrap_or_default().to_vec();
                        let names: Vec<_> = plain.iter().map(name).collect();
                        names.iter().for_each(|name| self.writes(name));
                    }
                }
            }
            _ => {}
        }
    }

    /// A built-in command of the shell. `None`: it is none.
    fn builtin(&mut self, name: &[u8], operands: &[Values], shown: &[String]) -> Option<Reader> {
        let name = std::str::from_utf8(name).ok()?;
        let shown_at = |at: usize| shown.get(at).cloned().unwrap_or_default();
        match name {
            "." | "source" => {
                let at = usize::from(operands.first().is_some_and(|word| is(word, "--")));
                let script = operands.get(at).cloned().unwrap_or_default();
                if !is_known(&script) {
                    self.unknown(&shown_at(at));
                }
                for value in &script {
                    self.path(value, Use::Shell);
                    if !value.contains(&b'/') {
                        self.program(value, Use::Shell);
                    }
                }
                self.given_words(operands.get(at + 1..).unwrap_or_default());
                return Some(Reader { input: Use::Shell, awaits: None });
            }
            "eval" => {
                for (index, word) in operands.iter().enumerate() {
                    if !is_known(word) {
                        self.unknown(&shown_at(index));
                    }
                }
                // Joined, in all ways as far as they are few.
                let mut texts: Values = vec![Vec::new()];
                for word in operands {
                    let more: Values = texts
                        .iter()
                        .flat_map(|start| word.iter().map(|end| [start, &b" "[..], end].concat()))
                        .take(super::VALUES_LIMIT + 1)
                        .collect();
                    texts = more;
                }
                if texts.len() > super::VALUES_LIMIT {
                    self.scan.uncertain(format!("`eval` in {}", self.whose()));
                }
                texts.iter().for_each(|text| self.code(text));
            }
            "trap" => {
                if let Some(at) = operands.iter().position(|word| !starts_with(word, b"-")) {
                    self.texts_of_code(&operands.get(at).cloned().unwrap_or_default(), Some(&shown_at(at)));
                }
            }
            "alias" => {
                for (index, word) in operands.iter().enumerate() {
                    if !is_known(word) {
                        self.unknown(&shown_at(index));
                    }
                    for value in word {
                        if let Some(at) = value.iter().position(|byte| *byte == b'=') {
                            self.scan.aliases.insert(value.get(..at).unwrap_or_default().to_vec());
                            self.code(value.get(at + 1..).unwrap_or_default());
                        }
                    }
                }
            }
            "hash" => {
                for word in operands {
                    word.iter().for_each(|value| self.candidates(value, Use::Started));
                }
                let names_file = operands.iter().any(|word| is_cluster_with(first(word), b"p"));
                if names_file {
                    for word in operands.iter().skip(1).flatten() {
                        self.scan.aliases.insert(word.clone());
                    }
                }
            }
            "enable" => {
                if operands.iter().any(|word| is_cluster_with(first(word), b"fn")) {
                    operands.iter().flatten().for_each(|value| self.candidates(value, Use::Given));
                    self.scan.uncertain(format!("what `enable {}` loads", shown.join(" ")));
                }
            }
            "read" | "mapfile" | "readarray" | "getopts" | "wait" | "let" | "unset" | "printf" => {
                self.setting(name, operands, shown);
            }
            "export" | "declare" | "local" | "readonly" | "typeset" => self.declaring(name, operands, shown),
            "cd" | "pushd" => {
                let operand: Vec<Values> = operands
                    .iter()
                    .filter(|word| !(starts_with(word, b"-") && first(word).len() > 1 && is_known(word)))
                    .cloned()
                    .collect();
                if let Some(path) = self.scan.variable(b"CDPATH") {
                    let folders: Vec<Values> =
                        path.split(|byte| *byte == b':').map(|folder| vec![folder.to_vec()]).collect();
                    self.change_folder(&folders, "CDPATH");
                }
                if operand.is_empty() && name == "cd" {
                    let home = self.variable(b"HOME");
                    self.change_folder(&[home], "HOME");
                }
                let all_shown = shown.join(" ");
                self.change_folder(&operand, &format!("{name} {all_shown}"));
            }
            "command" | "builtin" | "exec" => {
                let (options, count) = wrapper(name)?;
                return Some(self.wrapper(options, count, operands, shown));
            }
            "test" | "[" => self.test(operands),
            "fc" | "bind" | "complete" | "compgen" | "compopt" | "history" => {
                self.given_words(operands);
                self.scan.uncertain(format!("`{name} {}`", shown.join(" ")));
            }
            _ if PLAIN_BUILTINS.contains(&name) => self.read_words(operands),
            _ => return None,
        }
        Some(Reader::pure())
    }

    /// Built-in commands that set variables.
    fn setting(&mut self, name: &str, operands: &[Values], shown: &[String]) {
        let mut names: Vec<Values> = Vec::new();
        let mut at = 0;
        while let Some(word) = operands.get(at) {
            let text = first(word).to_vec();
            at += 1;
            let next = operands.get(at).cloned().unwrap_or_default();
            let is_option = text.starts_with(b"-") && text.len() > 1 && name != "let" && is_known(word);
            match (name, &text[..]) {
                ("printf", b"-v") | ("read", b"-a") | ("wait", b"-p") => {
                    names.push(next);
                    at += 1;
                    if name == "printf" {
                        break;
                    }
                }
                ("printf", _) if text.starts_with(b"-v") => {
                    names.push(vec![text.get(2..).unwrap_or_default().to_vec()]);
                    break;
                }
                ("printf", _) => break,
                ("mapfile" | "readarray", _) if is_option && text.contains(&b'C') => {
                    let joined = text.iter().position(|byte| *byte == b'C').and_then(|place| text.get(place + 1..));
                    let code = match joined {
                        Some(joined) if !joined.is_empty() => vec![joined.to_vec()],
                        _ => {
                            at += 1;
                            next
                        }
                    };
                    self.texts_of_code(&code, shown.get(at - 1));
                }
                ("mapfile" | "readarray", b"-d" | b"-n" | b"-O" | b"-s" | b"-u" | b"-c")
                | ("read", b"-d" | b"-i" | b"-n" | b"-N" | b"-p" | b"-t" | b"-u") => at += 1,
                ("read", _) if is_option && text.last().is_some_and(|last| b"dinNptua".contains(last)) => {
                    if text.ends_with(b"a") {
                        names.push(next);
                    }
                    at += 1;
                }
                _ if is_option => {}
                ("getopts", _) => {
                    // The options come first.
                    names.push(operands.get(1).cloned().unwrap_or_default());
                    break;
                }
                ("let", _) => self.evaluated(word, shown.get(at - 1).map(String::as_str).unwrap_or_default(), 0),
                ("wait", _) => {}
                _ => names.push(word.clone()),
            }
        }
        if name == "let" {
            return;
        }
        for values in &names {
            if !is_known(values) {
                self.unknown(&format!("the variable that `{name} {}` sets", shown.join(" ")));
            }
            self.variable_names(values);
            for value in values {
                let plain = value.split(|byte| *byte == b'[').next().unwrap_or_default();
                if names_code(plain) && name != "unset" {
                    self.scan.uncertain(format!("the code that `{}` names", String::from_utf8_lossy(plain)));
                }
                let new: &[u8] = match name {
                    "unset" => b"",
                    "wait" => NUMBER,
                    _ => UNKNOWN,
                };
                self.scan.set(plain, &[new.to_vec()]);
            }
        }
    }

    /// `declare`, `export` and their kind, of words that are no assignments to the parser.
    fn declaring(&mut self, name: &str, operands: &[Values], shown: &[String]) {
        // A reference to another variable, or a value that is evaluated or changed as it is assigned.
        let special: &[u8] = if matches!(name, "export" | "readonly") { b"" } else { b"niulc" };
        if operands.iter().any(|word| is_cluster_with(first(word), special)) {
            self.scan.uncertain(format!("the variables of `{name} {}` in {}", shown.join(" "), self.whose()));
        }
        for (index, word) in operands.iter().enumerate() {
            if !is_known(word) && !word.iter().all(|value| value.contains(&b'=')) {
                self.unknown(shown.get(index).map(String::as_str).unwrap_or_default());
            }
            let name_of = |value: &Vec<u8>| value.split(|byte| *byte == b'=').next().unwrap_or_default().to_vec();
            self.variable_names(&word.iter().map(name_of).collect());
            for value in word {
                let Some(at) = value.iter().position(|byte| *byte == b'=') else { continue };
                let name = value.get(..at).unwrap_or_default().to_vec();
                let name = name.strip_suffix(b"+").unwrap_or(&name).to_vec();
                let value = value.get(at + 1..).unwrap_or_default().to_vec();
                self.named_by_variable(&name, &value);
                self.scan.set(&name, &[value]);
            }
        }
    }

    /// Names of variables, which may have a subscript that is evaluated: `a[$(./x.sh)]`.
    pub(super) fn variable_names(&mut self, names: &Values) {
        for name in names {
            if name.contains(&0) {
                self.scan.uncertain(format!("the name of a variable in {}", self.whose()));
            }
            if name.iter().any(|byte| b"$`".contains(byte)) {
                self.expanded(name);
                let name = String::from_utf8_lossy(name).into_owned();
                self.scan.uncertain(format!("the variable `{name}`"));
            }
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

/// Is it a word of short options that has one of these letters?
fn is_cluster_with(word: &[u8], letters: &[u8]) -> bool {
    word.starts_with(b"-") && !word.starts_with(b"--") && word.iter().skip(1).any(|letter| letters.contains(letter))
}

fn replaced(text: &[u8], what: &[u8], with: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.windows(what.len()).position(|part| part == what) {
        out.extend_from_slice(rest.get(..at).unwrap_or_default());
        out.extend_from_slice(with);
        rest = rest.get(at + what.len()..).unwrap_or_default();
    }
    out.extend_from_slice(rest);
    out
}
