//! References in texts: what `unset`, `test -v`, `read` and indirection are given.

use std::ops::ControlFlow;

use hookshell_syntax::ast::Subscript;
use hookshell_syntax::is_name;

use super::{Reference, split_expanded, split_subscript};
use crate::flow::Flow;
use crate::options::Opt;
use crate::shell::Shell;
use crate::vars::SlotId;

impl Shell {
    /// Reads a reference from text that came up at run time (`${!x}`, namerefs, `read 'a[1]'`): a name, a name with a
    /// subscript, or a special parameter. `None` if absent of these.
    pub(crate) fn reference_from_text(&mut self, text: &[u8]) -> Flow<Option<Reference>> {
        if is_name(text) {
            let id = self.named_slot(text)?;
            return ControlFlow::Continue(Some(Reference::Variable(id)));
        }
        let special = match text {
            b"@" => Some(Reference::Parameters(false)),
            b"*" => Some(Reference::Parameters(true)),
            b"#" => Some(Reference::Count),
            b"?" => Some(Reference::Status),
            b"-" => Some(Reference::Options),
            b"$" => Some(Reference::ProcessId),
            b"!" => Some(Reference::BackgroundId),
            b"0" => Some(Reference::Zero),
            _ => std::str::from_utf8(text).ok().and_then(|t| t.parse().ok()).map(Reference::Positional),
        };
        if special.is_some() {
            return ControlFlow::Continue(special);
        }
        let Some((name, subscript)) = split_subscript(text) else { return ControlFlow::Continue(None) };
        let id = self.named_slot(name)?;
        self.subscript_from_text(id, subscript)
    }

    /// Evaluates a subscript given as text.
    pub(crate) fn subscript_from_text(&mut self, id: SlotId, subscript: &[u8]) -> Flow<Option<Reference>> {
        let id = match self.follow(id)? {
            Reference::Variable(id) => id,
            Reference::Circular => return ControlFlow::Continue(Some(Reference::Circular)),
            _ => id,
        };
        match subscript {
            b"@" => return ControlFlow::Continue(Some(Reference::All(id, false))),
            b"*" => return ControlFlow::Continue(Some(Reference::All(id, true))),
            _ => {}
        }
        let options = self.parse_options();
        if self.is_associative(id) {
            let key = match hookshell_syntax::parse_subscript(subscript, &options) {
                Ok(word) => self.expand_to_string(&word)?,
                Err(_) => subscript.to_vec(),
            };
            return ControlFlow::Continue(Some(Reference::Key(id, key)));
        }
        let Ok(word) = hookshell_syntax::parse_double_quoted(subscript, &options) else {
            return ControlFlow::Continue(None);
        };
        let text = self.expand_to_string(&word)?;
        let value = self.evaluate_text(&text);
        let value = self.to_top_level(value)?;
        self.index(id, value).map_continue(Some)
    }

    /// As [`Shell::reference_from_text`] for a word that names what a built-in is to assign or look at. With
    /// `assoc_expand_once` the key of an associative array in it is this very text. As in bash 5.2 the first `]` ends it.
    pub(crate) fn reference_of_word(&mut self, text: &[u8]) -> Flow<Option<Reference>> {
        if self.opt(Opt::AssocExpandOnce)
            && let Some((name, subscript)) = split_expanded(text)
        {
            let id = self.named_slot(name)?;
            let target = match self.follow(id)? {
                Reference::Variable(target) => target,
                _ => id,
            };
            if self.is_associative(target) {
                if subscript.contains(&b']') {
                    return ControlFlow::Continue(None);
                }
                return self.expanded_subscript(target, subscript);
            }
        }
        self.reference_from_text(text)
    }

    /// A subscript in a word of a built-in or in an expression, whose expansions have been carried out once.
    pub(crate) fn subscript_of_word(&mut self, id: SlotId, subscript: &[u8]) -> Flow<Option<Reference>> {
        if self.opt(Opt::AssocExpandOnce) {
            self.expanded_subscript(id, subscript)
        } else {
            self.subscript_from_text(id, subscript)
        }
    }

    /// Takes a subscript that has been expanded with the word in which it stood: the key of an associative array is this
    /// very text.
    pub(crate) fn expanded_subscript(&mut self, id: SlotId, subscript: &[u8]) -> Flow<Option<Reference>> {
        let target = match self.follow(id)? {
            Reference::Variable(target) => target,
            _ => id,
        };
        if self.is_associative(target) && !matches!(subscript, b"@" | b"*") {
            return ControlFlow::Continue(Some(Reference::Key(target, subscript.to_vec())));
        }
        self.subscript_from_text(id, subscript)
    }

    /// Appends a subscript in brackets, evaluated, as the operand of a declaration utility.
    pub(crate) fn append_subscript_text(&mut self, subscript: &Subscript, out: &mut Vec<u8>) -> Flow {
        out.push(b'[');
        match subscript {
            Subscript::All => out.push(b'@'),
            Subscript::Star => out.push(b'*'),
            Subscript::Index(index) => self.expand_string(&index.key, out)?,
        }
        out.push(b']');
        crate::flow::NEXT
    }
}
