//! A command: its name, and what it is given.

use hookshell_process::text;

use super::names::{FOREIGN_SHELLS, Language, PURE, PURE_TOOLS, RUNNERS, is_shell, stem, wrapper};
use super::source::Source;
use super::word::{Values, is, is_known};
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

    pub(super) fn unknown() -> Self {
        Self { input: Use::Given, awaits: None }
    }
}

/// The first value of a word: options are told apart by it.
pub(super) fn first(values: &Values) -> &[u8] {
    values.first().map(Vec::as_slice).unwrap_or_default()
}

pub(super) fn starts_with(values: &Values, start: &[u8]) -> bool {
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

    pub(super) fn named(&mut self, name: &[u8], operands: &[Values], shown: &[String]) -> Reader {
        if self.scan.aliases.contains(name) {
            self.scan.uncertain(format!("what the alias `{}` makes of its words", String::from_utf8_lossy(name)));
            self.given_words(operands);
        }
        let is_function = self.scan.functions.contains(name);
        let mut known = stem(name);
        let is_path = name.contains(&b'/') || cfg!(windows) && name.contains(&b'\\');
        if is_path {
            let key = (name.to_vec(), self.scan.dirs.len());
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
    pub(super) fn is_of_project(&self, name: &[u8]) -> bool {
        self.scan.dirs.iter().any(|dir| {
            let path = dir.join(text::to_path(name));
            let inside = |path: &std::path::Path| path.canonicalize().is_ok_and(|path| self.scan.is_inside(&path));
            let is_named_inside = self.scan.is_inside(&lexically(&path)) || path.parent().is_some_and(inside);
            match path.symlink_metadata() {
                Ok(_) => is_named_inside || inside(&path),
                Err(_) => is_named_inside,
            }
        })
    }

    /// The name of the program outside of the project that a link in the project leads to.
    pub(super) fn link_to_program(&self, name: &[u8]) -> Option<String> {
        self.scan.dirs.iter().find_map(|dir| {
            let target = dir.join(text::to_path(name)).canonicalize().ok()?;
            if self.scan.is_inside(&target) {
                return None;
            }
            let name = text::from_path(&target).into_owned();
            let name = stem(&name);
            // What is a script there is looked at as one.
            (is_shell(name.as_bytes())
                || Language::of_interpreter(&name).is_some()
                || !self.is_script(&text::from_path(&target)))
            .then_some(name)
        })
    }

    /// Is it a script, so that what it does was looked at?
    pub(super) fn is_script(&self, name: &[u8]) -> bool {
        self.scan.dirs.iter().any(|dir| {
            let Ok(path) = dir.join(text::to_path(name)).canonicalize() else { return false };
            self.scan.pass.listed.contains(&path)
        })
    }

    pub(super) fn known_program(
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
            _ if is_shell(known.as_bytes()) => self.shell(known, operands, shown),
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
    pub(super) fn read_words(&mut self, operands: &[Values]) {
        for value in operands.iter().flatten() {
            self.candidates(value, Use::Read);
        }
    }

    /// Operands of a program of which nothing is known.
    pub(super) fn given_words(&mut self, operands: &[Values]) {
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
    pub(super) fn candidates(&mut self, value: &[u8], named: Use) {
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

    /// What stands after a wrapper's options: a command.
    pub(super) fn wrapper(&mut self, options: &[&str], mut count: usize, words: &[Values], shown: &[String]) -> Reader {
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
            Some((options, count)) => self.wrapper(options, count, words, shown),
            None => Reader::unknown(),
        }
    }

    /// A program that runs nothing: which options of a few are otherwise, and what it writes.
    pub(super) fn pure(&mut self, known: &str, operands: &[Values]) {
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
}

/// Is it a word of short options that has one of these letters?
pub(super) fn is_cluster_with(word: &[u8], letters: &[u8]) -> bool {
    word.starts_with(b"-") && !word.starts_with(b"--") && word.iter().skip(1).any(|letter| letters.contains(letter))
}

pub(super) fn replaced(text: &[u8], what: &[u8], with: &[u8]) -> Vec<u8> {
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
