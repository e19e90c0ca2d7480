//! Simple commands: is one the rule's, and what does it start?

mod special;
mod variables;

use std::path::Path;

use super::super::pattern::base_name;
use super::{Executed, Fields, HOLE, Input, Judge, Word, is_assignment, is_device};
use crate::programs::{self, Kind};

/// A command with more words is not looked through where it starts another one in ways that are not known.
const WORDS_LIMIT: usize = 1_000;

impl Judge<'_> {
    /// A command: what is known of its words.
    pub(super) fn command(&mut self, words: &[Word]) {
        self.step(words.iter().map(|word| word.text.len() + 1).sum());
        if self.is_found || words.is_empty() {
            return;
        }
        self.deeper(|judge| judge.simple_command(words));
    }

    fn simple_command(&mut self, words: &[Word]) {
        let Some(first) = words.first() else { return };
        let Some(text) = first.text() else { return self.found() };
        // `=rm` is a path in zsh; no program's name has control characters.
        // Some shells have `!rm` for what was run before, and no program begins with a dash.
        let is_none = text.first().is_some_and(|first| matches!(first, b'=' | b'!')) && text.len() > 1
            || text.starts_with(b"-") && text.len() > 1;
        if is_none || text.iter().any(u8::is_ascii_control) {
            return self.found();
        }
        if self.pattern.may_be(words) {
            return self.found();
        }
        // Some wrappers take assignments for what they are.
        if is_assignment(text)
            && let Some(at) = text.iter().position(|byte| *byte == b'=')
        {
            let value = Word { text: text.get(at + 1..).unwrap_or_default().to_vec(), ..first.clone() };
            self.variable(text.get(..at).unwrap_or_default(), &value, true);
            return self.command(words.get(1..).unwrap_or_default());
        }
        let name = base_name(text);
        self.links(text, &name, words);
        if self.is_found {
            return;
        }
        let name = String::from_utf8_lossy(&name).into_owned();
        let kind = programs::kind(&name);
        if kind.is_none() || text.contains(&b'/') {
            self.executes(text, Executed::Shell);
        }
        match kind {
            Some(Kind::Plain) => {
                if programs::writes_files(&name) {
                    self.writes_input();
                }
            }
            None => self.unknown(words),
            Some(Kind::Wrapper(wrapper)) => self.wrapper(&name, &wrapper, words),
            Some(Kind::Shell) => self.shell(&name, words),
            Some(Kind::Language(language)) => self.language(language, words),
            Some(Kind::Optioned(options)) => self.optioned(&name, options, words),
            Some(Kind::Subcommands(commands)) => self.subcommands(&name, commands, words),
            Some(Kind::Starter) => self.starter(words.get(1..).unwrap_or_default()),
            Some(Kind::Special(special)) => self.special(special, &name, words),
        }
    }

    /// A program that may be the rule's by another name: a link to it.
    fn links(&mut self, text: &[u8], name: &[u8], words: &[Word]) {
        let Ok(text) = std::str::from_utf8(text) else { return };
        let has_directory = text.contains('/') || cfg!(windows) && text.contains('\\');
        let directories = if has_directory { &self.directories } else { &self.paths };
        let mut names: Vec<Vec<u8>> = Vec::new();
        for directory in directories {
            let path = directory.join(text);
            if let Ok(target) = path.canonicalize()
                && let Some(target_name) = target.file_name()
            {
                let target_name = base_name(target_name.as_encoded_bytes());
                if target_name != name && !names.contains(&target_name) {
                    names.push(target_name);
                }
                if self.pattern.program().is_some_and(|program| is_hard_link(&target, program)) {
                    return self.found();
                }
            }
        }
        for name in names {
            let target = Word::known(&name);
            let renamed: Vec<Word> = std::iter::once(target).chain(words.iter().skip(1).cloned()).collect();
            if self.pattern.may_be(&renamed) {
                return self.found();
            }
            // A link to `busybox`, by a name of one's own, is none of its applets; one to a shell is the shell.
            let name = String::from_utf8_lossy(&name).into_owned();
            let is_started = matches!(programs::kind(&name), Some(Kind::Shell | Kind::Language(_) | Kind::Wrapper(_)));
            if is_started && !is_known_by_link(&name) {
                self.command(&renamed);
            }
        }
    }

    /// A program that is not known: what it does with its words is not known either, so that they may name no command of the
    /// rule. Nor may the text that it is given.
    fn unknown(&mut self, words: &[Word]) {
        if self.is_rule_in_input() {
            return self.found();
        }
        let arguments = words.get(1..).unwrap_or_default();
        let text = joined(arguments);
        if self.pattern.is_mentioned(&text) && self.pattern.is_mentioned(&without_lonely_holes(&text)) {
            return self.found();
        }
        self.first_starter(arguments);
    }

    /// Does the text that a program reads name the rule's program?
    pub(super) fn is_rule_in_input(&self) -> bool {
        matches!(&self.input, Input::Text(text) if self.pattern.is_mentioned(text))
    }

    /// A program that starts others in ways that are not told.
    pub(super) fn starter(&mut self, arguments: &[Word]) {
        if arguments.len() > WORDS_LIMIT {
            return self.found();
        }
        let is_unknown = |word: &Word| word.has_hole() && !word.text.starts_with(b"-") || word.fields == Fields::Any;
        if arguments.iter().any(is_unknown) {
            return self.found();
        }
        if self.pattern.is_mentioned(&joined(arguments)) {
            return self.found();
        }
        for word in arguments {
            if self.is_found {
                return;
            }
            if word.text.iter().any(|byte| b" \t\n;|&$`(){}<>".contains(byte)) {
                self.code_word(Some(word));
            }
        }
        // `parallel` and its like read commands.
        if !matches!(self.input, Input::Inherited | Input::File) {
            self.read_input(None);
        }
        if let Some(at) = arguments.iter().position(is_starter) {
            self.command(arguments.get(at..).unwrap_or_default());
        }
    }

    /// The first word that is a program which starts others, with what follows it.
    fn first_starter(&mut self, arguments: &[Word]) {
        if arguments.len() > WORDS_LIMIT {
            return self.found();
        }
        if let Some(at) = arguments.iter().position(is_starter) {
            let rest = arguments.get(at..).unwrap_or_default();
            // A name alone is a word like others: `./build.sh python`.
            if rest.len() > 1
                && rest.get(1).is_some_and(|word| {
                    word.text.starts_with(b"-") || word.is_quoted || word.has_hole() || is_code_like(rest)
                })
            {
                self.command(rest);
            }
        }
    }

    /// A word that is shell code.
    pub(super) fn code_word(&mut self, word: Option<&Word>) {
        match word.map(Word::text) {
            Some(Some(text)) => self.code(text),
            Some(None) => self.found(),
            None => {}
        }
    }

    /// Words that are shell code together.
    pub(super) fn joined(&mut self, words: &[Word]) {
        if words.iter().any(Word::has_hole) {
            return self.found();
        }
        self.code(&joined(words));
        // As one would think that it is.
        self.command(words);
    }

    /// A file that is run, which is one of the rule's by its name: `sh ./deploy.sh`.
    pub(super) fn file_operand(&mut self, path: &[u8], what: Executed, words: &[Word]) {
        if self.pattern.may_be(words) {
            return self.found();
        }
        self.executes(path, what);
    }

    /// What evaluates a text as arithmetic, or as a variable's name with a subscript: `let 'a[$(rm x)]'`.
    pub(super) fn evaluated(&mut self, word: &Word) {
        let is_code = |text: &[u8]| text.windows(2).any(|pair| pair == b"$(") || text.contains(&b'`');
        if is_code(&word.text) && word.text.contains(&b'[') {
            self.found();
        }
    }
}

/// Is a word the name of a program that starts others?
pub(super) fn is_starter(word: &Word) -> bool {
    word.text().is_some_and(|text| {
        !matches!(text, b"." | b"-" | b"!")
            && !text.ends_with(b"/")
            && programs::starts(&String::from_utf8_lossy(&base_name(text)))
    })
}

/// Do the words after a program's name look like what that program is given?
fn is_code_like(words: &[Word]) -> bool {
    words
        .iter()
        .skip(1)
        .any(|word| word.text.iter().any(|byte| b" \t\n;|&$`(){}<>".contains(byte)) || word.text.starts_with(b"-"))
        || words.iter().skip(1).any(|word| {
            word.text().is_some_and(|text| programs::kind(&String::from_utf8_lossy(&base_name(text))).is_some())
        })
}

/// Programs that are what the name is that they are called by.
fn is_known_by_link(name: &str) -> bool {
    matches!(name, "busybox" | "toybox" | "ccache" | "sccache" | "distcc" | "icecc")
}

/// The path of a file that is run, where its name is known: `$DIR/x.sh`.
pub(super) fn named_file(word: &Word) -> Option<&[u8]> {
    if let Some(text) = word.text() {
        return Some(text);
    }
    let name = word.text.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    let is_known = word.fields == Fields::One
        && word.text.contains(&b'/')
        && !name.is_empty()
        && !name.contains(&HOLE)
        // It might be a device.
        && name.contains(&b'.')
        && name.iter().any(u8::is_ascii_alphabetic)
        && !is_device(&word.text);
    is_known.then_some(word.text.as_slice())
}

pub(super) fn after_double_dash(words: &[Word]) -> &[Word] {
    match words.split_first() {
        Some((first, rest)) if first.text == b"--" => rest,
        _ => words,
    }
}

/// Words with blanks between them.
pub(super) fn joined(words: &[Word]) -> Vec<u8> {
    let mut text = Vec::new();
    for word in words {
        text.extend_from_slice(&word.text);
        text.push(b' ');
    }
    text
}

/// A text without the words of it that are all unknown.
fn without_lonely_holes(text: &[u8]) -> Vec<u8> {
    text.split(|byte| *byte == b' ').filter(|word| *word != [HOLE]).collect::<Vec<_>>().join(&b' ')
}

/// Is the file one of the system's program of this name, by another name?
#[cfg(unix)]
fn is_hard_link(path: &Path, program: &[u8]) -> bool {
    use std::os::unix::fs::MetadataExt;

    let Ok(program) = std::str::from_utf8(program) else { return false };
    let Ok(metadata) = path.metadata() else { return false };
    if metadata.nlink() < 2 || path.file_name().is_some_and(|name| name == program) {
        return false;
    }
    let directories = ["/bin", "/usr/bin", "/usr/local/bin", "/sbin", "/usr/sbin", "/opt/homebrew/bin"];
    directories.iter().any(|directory| {
        Path::new(directory)
            .join(program)
            .metadata()
            .is_ok_and(|other| (other.dev(), other.ino()) == (metadata.dev(), metadata.ino()))
    })
}

/// Hard links are not told apart from files there.
#[cfg(not(unix))]
fn is_hard_link(_: &Path, _: &[u8]) -> bool {
    false
}
