//! The command strings that are one file and its arguments.

use hookshell_syntax::Program;
use hookshell_syntax::ast::{Argument, Command, SimpleCommand, Word, WordPart};
use hookshell_syntax::print_word;

use crate::platform::Platform;

/// A whole command that is one simple command.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct OneCommand {
    /// Its words: what they are where that is known before expansion, else their text.
    pub(crate) words: Vec<Vec<u8>>,
    /// The first word, where it is known: literal text, or `~/` put in place.
    pub(crate) name: Option<Vec<u8>>,
}

impl OneCommand {
    /// Reads a program that is one simple command, not negated and not in the background. Assignments and redirections
    /// may stand with it.
    pub(crate) fn of(program: &Program, home: Option<&[u8]>) -> Option<Self> {
        let simple = one_simple_command(program)?;
        let mut words = Vec::new();
        let mut name = None;
        for (index, argument) in simple.arguments.iter().enumerate() {
            let Argument::Word(word) = argument else {
                return None;
            };
            let known = known_text(word, home);
            if index == 0 {
                name.clone_from(&known);
            }
            words.push(known.unwrap_or_else(|| print_word(word).to_vec()));
        }
        (!words.is_empty()).then_some(Self { words, name })
    }

    /// Is it a file's path by the dispatch table?
    pub(crate) fn is_path_like(&self, platform: Platform) -> bool {
        self.name.as_deref().is_some_and(|name| platform.is_path_like(name))
    }
}

/// The name of a program that is one simple command, if it [is a path](OneCommand::is_path_like).
pub(crate) fn path_like_name(program: &Program, platform: Platform, home: Option<&[u8]>) -> Option<Vec<u8>> {
    let Some(Argument::Word(word)) = one_simple_command(program)?.arguments.first() else {
        return None;
    };
    known_text(word, home).filter(|name| platform.is_path_like(name))
}

fn one_simple_command(program: &Program) -> Option<&SimpleCommand> {
    if program.error.is_some() || program.rest.is_some() {
        return None;
    }
    let mut items = program.units.iter().flat_map(|unit| &unit.list.items);
    let item = items.next()?;
    if items.next().is_some() || item.background || !item.and_or.rest.is_empty() {
        return None;
    }
    let pipeline = &item.and_or.first;
    match (&*pipeline.stages, pipeline.negated, pipeline.time) {
        ([stage], false, None) => match &stage.command {
            Command::Simple(simple) => Some(simple),
            _ => None,
        },
        _ => None,
    }
}

fn known_text(word: &Word, home: Option<&[u8]>) -> Option<Vec<u8>> {
    if let Some(text) = word.literal() {
        return Some(text.into_owned());
    }
    let (WordPart::Tilde(user), rest) = word.parts.split_first()? else {
        return None;
    };
    if !user.is_empty() {
        return None;
    }
    let mut text = home?.to_vec();
    for part in rest {
        match part {
            WordPart::Literal(piece) if !piece.iter().any(|byte| b"*?[".contains(byte)) => {
                text.extend_from_slice(piece);
            }
            WordPart::Quoted(piece) => text.extend_from_slice(piece),
            _ => return None,
        }
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use hookshell_syntax::{ParseOptions, parse_beginning, parse_program};

    use super::*;

    #[test]
    fn only_one_simple_command_with_a_known_path_is_a_file_command() {
        let cases: &[(&str, Option<&str>)] = &[
            ("./a.sh", Some("./a.sh")),
            ("./a.sh x \"$y\" # comment", Some("./a.sh")),
            ("X=1 ./a.sh >out", Some("./a.sh")),
            ("'./a b'.sh", Some("./a b.sh")),
            ("~/a.sh", Some("/home/me/a.sh")),
            ("\n./a.sh\n\n", Some("./a.sh")),
            ("/bin/ls", Some("/bin/ls")),
            ("ls -la", None),
            ("\"$DIR\"/a.sh", None),
            ("~other/a.sh", None),
            ("./a.sh; ./b.sh", None),
            ("./a.sh | cat", None),
            ("! ./a.sh", None),
            ("./a.sh &", None),
            ("./a.sh || true", None),
            ("if ./a.sh; then :; fi", None),
            ("./a.sh )", None),
            ("", None),
        ];
        for (source, expected) in cases {
            let program = parse_program(source.as_bytes(), &ParseOptions::default());
            let home = Some(&b"/home/me"[..]);
            let command = OneCommand::of(&program, home).filter(|command| command.is_path_like(Platform::Unix));
            assert_eq!(command.and_then(|command| command.name).as_deref(), expected.map(str::as_bytes), "{source}");
            let name = path_like_name(&program, Platform::Unix, home);
            assert_eq!(name.as_deref(), expected.map(str::as_bytes), "{source}");
        }
    }

    #[test]
    fn a_command_with_an_unread_rest_after_it_is_not_the_only_one() {
        let source = format!("./a.sh{}\n./b.sh\n", " x".repeat(200_000));
        let program = parse_beginning(source.into_bytes(), &ParseOptions::default());
        assert_eq!((program.units.len(), program.rest.is_some()), (1, true));
        assert!(OneCommand::of(&program, None).is_none());
    }
}
