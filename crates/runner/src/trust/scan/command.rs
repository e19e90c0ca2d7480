//! A command: its name, and what it is given.

use hookshell_process::text;

use super::names::{FOREIGN_SHELLS, Language, PURE, PURE_TOOLS, RUNNERS, is_shell, stem, wrapper};
use super::source::Source;
use super::word::{Values, is_known};
use super::wrapper::is_elsewhere;
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
            "sudo" if wrapper(known).is_some_and(|sudo| is_elsewhere(&sudo, operands)) => return None,
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
                let wrapper = wrapper(known)?;
                self.wrapper(known, &wrapper, operands, shown)
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
