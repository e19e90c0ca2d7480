//! A simple command: what it is called with, asks for and opens, and the code in its words.

use std::sync::Arc;

use hookshell_dispatch::command_line::KnownShell;
use hookshell_syntax::Span;
use hookshell_syntax::ast::Word;

use super::super::program::{Mention, Use};
use super::super::{base_name, paths};
use super::{DEPTH, Place, Walk};
use crate::check::walk::text;
use crate::check::wrapper;

impl Walk {
    /// A simple command's words, and those of each command that it starts.
    pub(super) fn commands(&mut self, nodes: &[&Word]) {
        let words: Vec<String> = nodes.iter().map(|word| text(word)).collect();
        let mut next = Some(0..words.len());
        while let Some(range) = next {
            let (Some(words), Some(nodes)) = (words.get(range.clone()), nodes.get(range.clone())) else { return };
            let (Some((name, operands)), Some(first)) = (words.split_first(), nodes.first()) else { return };
            let name = base_name(name);
            let tries = self.tries_of(name);
            self.program.uses.push(Use {
                offset: self.offset(first.span),
                words: words.to_vec(),
                systems: self.reach.may,
                tries,
                shell: self.shell.clone(),
            });
            self.paths(words, nodes);
            self.asks(name, operands);
            self.code(name, operands, nodes);
            next = match name {
                "find" => wrapper::started_by_find(operands)
                    .map(|found| range.start + 1 + found.start..range.start + 1 + found.end),
                _ => wrapper::any(name, operands).map(|at| range.start + 1 + at..range.end),
            };
        }
    }

    /// What a command says that is there, or asks for.
    pub(super) fn asks(&mut self, name: &str, operands: &[String]) {
        let asks = matches!(name, "which" | "type" | "hash")
            || name == "command" && operands.first().is_some_and(|word| matches!(&**word, "-v" | "-V"));
        if asks {
            self.program.known.extend(operands.iter().cloned());
        } else if name == "alias" {
            let names = operands.iter().filter_map(|word| word.split_once('='));
            self.program.known.extend(names.map(|(name, _)| name.trim_matches(['"', '\'']).to_owned()));
        }
    }

    pub(super) fn paths(&mut self, words: &[String], nodes: &[&Word]) {
        let tested: Vec<usize> = match words.first().map(String::as_str) {
            Some("[" | "test") => paths::tested(words).map(|(at, _)| at).collect(),
            _ => Vec::new(),
        };
        for at in paths::opened(words) {
            let (Some(word), Some(node)) = (words.get(at), nodes.get(at)) else { continue };
            self.path(word, node.span, tested.contains(&at));
        }
    }

    pub(super) fn path(&mut self, word: &str, span: Span, is_tested: bool) {
        if let Some(path) = paths::path_of(word) {
            let mention = Mention { offset: self.offset(span), what: path.to_owned(), systems: self.reach.may };
            match is_tested {
                true => self.tested.push(mention),
                false if self.tries.is_empty() => self.program.paths.push(mention),
                false => {}
            }
        }
    }

    /// Code in a word: `bash -c CODE`, `eval CODE`, `trap CODE EXIT`.
    pub(super) fn code(&mut self, name: &str, operands: &[String], nodes: &[&Word]) {
        let shell = KnownShell::named(name.as_bytes()).filter(|shell| shell.is_interpreted());
        let at = match name {
            _ if shell.is_some() => operands
                .iter()
                .position(|word| word.starts_with('-') && !word.starts_with("--") && word.contains('c'))
                .map(|at| at + 1),
            "eval" if operands.len() == 1 => Some(0),
            "trap" => {
                let at = usize::from(operands.first().is_some_and(|word| word == "--"));
                // `trap - EXIT`, `trap 2` and `trap -p EXIT` have no code.
                let is_code =
                    |word: &&String| !word.starts_with('-') && !word.bytes().all(|byte| byte.is_ascii_digit());
                operands.get(at).filter(|_| operands.len() > at + 1).filter(is_code).map(|_| at)
            }
            _ => None,
        };
        let Some(word) = at.and_then(|at| nodes.get(at + 1)).filter(|_| self.depth < DEPTH) else { return };
        let Some(code) = word.literal() else { return };
        let offset = self.offset(word.span);
        // In quotes and without escapes each byte stands for itself.
        let is_as_written = word.span.end.saturating_sub(word.span.start) as usize == code.len() + 2;
        let place = match self.place {
            Place::From(_) if is_as_written => Place::From(offset + 1),
            _ => Place::At(offset),
        };
        let shell = if shell.is_some() { Some(name.to_owned()) } else { self.shell.clone() };
        self.source(&Arc::from(&*code), place, shell);
    }
}
