//! The options of built-ins: letters after a `-`, several in a word (XBD 12.2).

use hookshell_utility::Args;

use super::USAGE;
use super::help::usage;
use crate::shell::Shell;

/// Goes over the letters of the words before the operands.
pub(super) struct Letters<'a> {
    args: &'a Args,
    /// The next word.
    index: usize,
    /// The letters of the word before it that are left.
    rest: &'a [u8],
}

impl<'a> Letters<'a> {
    /// The letters of a built-in's words.
    pub(super) fn of(args: &'a Args) -> Self {
        Self { args, index: 1, rest: b"" }
    }

    /// The next letter; `None` if the operands begin.
    pub(super) fn next(&mut self) -> Option<u8> {
        if let Some((&letter, rest)) = self.rest.split_first() {
            self.rest = rest;
            return Some(letter);
        }
        match self.args.get(self.index)? {
            b"--" => {
                self.index += 1;
                None
            }
            [b'-', letter, rest @ ..] => {
                self.index += 1;
                self.rest = rest;
                Some(*letter)
            }
            _ => None,
        }
    }

    /// What an option is given: the rest of its word, or the next word. Where there is none, that is reported, and the error is
    /// the status.
    pub(super) fn value(&mut self, shell: &mut Shell, letter: u8) -> Result<&'a [u8], u8> {
        let rest = std::mem::take(&mut self.rest);
        if !rest.is_empty() {
            return Ok(rest);
        }
        let Some(value) = self.args.get(self.index) else {
            shell.builtin_error(&self.args[0], format!("-{}: option requires an argument", char::from(letter)));
            usage(shell, &self.args[0]);
            return Err(USAGE);
        };
        self.index += 1;
        Ok(value)
    }

    /// What an option may be given: the rest of its word, or the next word that is no option.
    pub(super) fn optional_value(&mut self) -> Option<&'a [u8]> {
        let rest = std::mem::take(&mut self.rest);
        if !rest.is_empty() {
            return Some(rest);
        }
        let value = self.args.get(self.index).filter(|next| !next.starts_with(b"-"))?;
        self.index += 1;
        Some(value)
    }

    /// Where the operands begin, when there are no more letters.
    pub(super) fn operands(&self) -> usize {
        self.index
    }
}
