//! Shells: their options, and then code or a script.

use hookshell_dispatch::command_line::{Grammar, KnownShell, OptionReader};

use super::super::Use;
use super::super::command::{Reader, first, starts_with};
use super::super::source::Source;
use super::super::word::{Values, is, is_known};

/// What its own shell is called in messages.
const HOOKSHELL: &str = "hookshell sh";

impl Source<'_, '_> {
    /// Texts that a shell runs.
    pub(in super::super) fn texts_of_code(&mut self, texts: &Values, shown: Option<&String>) {
        if !is_known(texts) {
            self.unknown(shown.map(String::as_str).unwrap_or_default());
        }
        texts.iter().for_each(|text| self.code(text));
    }

    /// A shell: its options, and then code or a script.
    pub(in super::super) fn shell(&mut self, name: &str, words: &[Values], shown: &[String]) -> Reader {
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

    pub(in super::super) fn hookshell(&mut self, words: &[Values], shown: &[String]) -> Option<Reader> {
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
}
