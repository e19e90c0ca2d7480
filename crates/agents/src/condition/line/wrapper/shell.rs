//! Shells: their code, their scripts, and what they read.

use super::super::command::{joined, named_file};
use super::super::{Executed, Fields, HOLE, Judge, Word, is_device};
use hookshell_shell::command_line::{Grammar, KnownShell, OptionReader};

impl Judge<'_> {
    /// A shell: its code, its script, or what it reads.
    pub(in super::super) fn shell(&mut self, name: &str, words: &[Word]) {
        let arguments = words.get(1..).unwrap_or_default();
        let is_fish_like =
            matches!(name, "fish" | "nu" | "xonsh" | "elvish" | "murex" | "ion" | "rc" | "es" | "csh" | "tcsh");
        let mut rest = arguments;
        let mut grammar = Grammar::Shell;
        if name == "hookshell"
            && let Some((command, after)) = arguments.split_first()
        {
            match command.text() {
                Some(b"sh") => (rest, grammar) = (after, Grammar::Hookshell),
                Some(b"exec") => return after.iter().for_each(|word| self.code_word(Some(word))),
                _ => {}
            }
        }
        let is_bash =
            grammar == Grammar::Hookshell || KnownShell::named(name.as_bytes()).is_some_and(KnownShell::is_bash);
        let mut reader = OptionReader::new(grammar);
        let mut reads_code = false;
        let mut reads_input = false;
        while let Some((word, after)) = rest.split_first() {
            if word.fields != Fields::One || word.text.first() == Some(&HOLE) && named_file(word).is_none() {
                return self.found();
            }
            let text = word.text.as_slice();
            let option = reader.read(text);
            match text {
                b"--" | b"-" => {
                    rest = after;
                    break;
                }
                b"--version" | b"--help" => return,
                _ if !is_fish_like && option.is_long() => {
                    // What is a long option with one hyphen to bash (`-rcfile x`) is letters to other shells.
                    if !is_bash && !text.starts_with(b"--") {
                        return self.found();
                    }
                    if option.names_startup_file()
                        && let Some(path) = after.first()
                    {
                        self.executes(&path.text, Executed::Shell);
                    }
                    rest = after.get(option.values()..).unwrap_or_default();
                }
                [b'-', b'-', name @ ..] => {
                    // fish: `--command=…`, `--init-command`; nu: `--commands`
                    if name.starts_with(b"comm") || name.starts_with(b"init-c") || name.starts_with(b"exec") {
                        match name.iter().position(|byte| *byte == b'=') {
                            Some(at) => {
                                let code =
                                    Word { text: name.get(at + 1..).unwrap_or_default().to_vec(), ..word.clone() };
                                self.code_word(Some(&code));
                            }
                            None => self.code_word(after.first()),
                        }
                        if name.contains(&b'=') || after.is_empty() {
                            return;
                        }
                        return self.foreign_shell(is_fish_like, after);
                    }
                    rest = after;
                }
                [b'-' | b'+', letters @ ..] => {
                    if letters.contains(&HOLE) {
                        return self.found();
                    }
                    if letters.contains(&b'c') || is_fish_like && letters.contains(&b'C') {
                        reads_code = true;
                    }
                    reads_input |= letters.contains(&b's');
                    // `-o pipefail`, `+O extglob`
                    let values = letters.iter().filter(|letter| matches!(letter, b'o' | b'O')).count();
                    rest = after.get(values..).unwrap_or_default();
                    // Shells that have the code in the same word.
                    if is_fish_like && reads_code && letters.first() == Some(&b'c') && letters.len() > 1 {
                        return self.found();
                    }
                }
                _ => break,
            }
        }
        if reads_code {
            match rest.first() {
                Some(code) => self.code_word(Some(code)),
                None => self.found(),
            }
            return self.foreign_shell(is_fish_like, rest);
        }
        match rest.first() {
            Some(script) if !reads_input => match named_file(script) {
                Some(path) if is_device(path) => self.read_input(None),
                Some(path) => {
                    let path = path.to_vec();
                    self.file_operand(&path, Executed::Shell, rest);
                }
                None => self.found(),
            },
            _ => self.read_input(None),
        }
    }

    /// Shells whose language is another one.
    fn foreign_shell(&mut self, is_foreign: bool, words: &[Word]) {
        if is_foreign && self.pattern.is_mentioned(&joined(words)) {
            self.found();
        }
    }

    /// `-c CODE` somewhere in the words.
    pub(super) fn shell_code(&mut self, words: &[Word]) {
        for (index, word) in words.iter().enumerate() {
            match word.text.as_slice() {
                b"-c" | b"--command" => self.code_word(words.get(index + 1)),
                text => {
                    let value = text.strip_prefix(b"--command=").or_else(|| text.strip_prefix(b"-c"));
                    if let Some(value) = value {
                        self.code_word(Some(&Word { text: value.to_vec(), ..word.clone() }));
                    }
                }
            }
        }
    }
}
