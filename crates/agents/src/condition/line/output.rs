//! What a command of the line writes, where that is known without running it.

use std::rc::Rc;

use hookshell_syntax::ast::{Argument, Command, Redirection, RedirectionKind, Word as Tree, WordPart};

use super::{Judge, LENGTH_LIMIT, Word};
use crate::condition::pattern::base_name;

impl Judge<'_> {
    /// What a command writes, where that is known.
    pub(super) fn output(&self, command: &Command) -> Option<Rc<[u8]>> {
        let Command::Simple(simple) = command else { return None };
        let words: Option<Vec<Word>> = simple
            .arguments
            .iter()
            .map(|argument| match argument {
                Argument::Word(word) => Some(Word::new(word)),
                Argument::Assignment(_) => None,
            })
            .collect();
        self.output_of(&words?, &simple.redirections)
    }

    pub(super) fn output_of(&self, words: &[Word], redirections: &[Redirection]) -> Option<Rc<[u8]>> {
        let (name, arguments) = words.split_first()?;
        let texts = || arguments.iter().map(|word| word.text.as_slice());
        match base_name(name.text()?).as_slice() {
            b"echo" => {
                let mut texts: Vec<&[u8]> = texts().collect();
                if texts.first() == Some(&&b"-n"[..]) {
                    texts.remove(0);
                }
                // With `-e`, and in some shells without, it is not what it looks like.
                let is_plain = !texts.iter().any(|text| text.contains(&b'\\') || text.starts_with(b"-"));
                let mut text = texts.join(&b' ');
                text.push(b'\n');
                is_plain.then(|| text.into())
            }
            b"printf" => printed(&texts().collect::<Vec<_>>()),
            b"cat" if arguments.iter().all(|word| word.text == b"-") => {
                redirections.iter().rev().find_map(|redirection| match &redirection.kind {
                    RedirectionKind::HereDocument(document) => document.body.get().map(document_text),
                    RedirectionKind::HereString(word) => Some(Word::new(word).text.into()),
                    _ => None,
                })
            }
            _ => None,
        }
    }
}

/// The text of a here-document.
pub(super) fn document_text(body: &Tree) -> Rc<[u8]> {
    // It is all quoted: nothing in it is a pattern.
    let quoted = Tree::new(vec![WordPart::DoubleQuoted(body.parts.to_vec())], body.span);
    Word::new(&quoted).text.into()
}

/// What printf writes.
fn printed(arguments: &[&[u8]]) -> Option<Rc<[u8]>> {
    let (format, mut arguments) = arguments.split_first()?;
    if format.starts_with(b"-") {
        return None;
    }
    let mut out = Vec::new();
    loop {
        let before = arguments.len();
        let mut bytes = format.iter();
        while let Some(byte) = bytes.next() {
            match byte {
                b'\\' => match bytes.next()? {
                    b'n' => out.push(b'\n'),
                    b't' => out.push(b'\t'),
                    b'\\' => out.push(b'\\'),
                    _ => return None,
                },
                b'%' => match bytes.next()? {
                    b's' | b'd' => {
                        if let Some((first, rest)) = arguments.split_first() {
                            out.extend_from_slice(first);
                            arguments = rest;
                        }
                    }
                    b'%' => out.push(b'%'),
                    _ => return None,
                },
                other => out.push(*other),
            }
        }
        if arguments.is_empty() || arguments.len() == before || out.len() > LENGTH_LIMIT {
            return Some(out.into());
        }
    }
}
