//! Whether a parameter is set.

use std::ops::ControlFlow;

use super::{Reference, split_expanded};
use crate::flow::Flow;
use crate::options::Opt;
use crate::shell::Shell;
use crate::vars::{Fetched, Value};

impl Shell {
    /// `[[ -v name ]]`: as [`Shell::is_set_text`], but a subscript is what the word has been expanded to.
    pub(crate) fn is_set_expanded(&mut self, text: &[u8]) -> Flow<bool> {
        if let Some(is_set) = self.with_global_of_text(text, |shell| shell.is_set_expanded(text)) {
            return is_set;
        }
        let Some((name, subscript)) = split_expanded(text) else { return self.is_set_text(text) };
        let id = self.named_slot(name)?;
        let target = match self.follow(id)? {
            Reference::Variable(target) => target,
            _ => id,
        };
        if matches!(subscript, b"@" | b"*") {
            return self.is_set_text(text);
        }
        if self.is_associative(target) {
            return self.is_set(Reference::Key(target, subscript.to_vec()));
        }
        let value = self.evaluate_text(subscript)?;
        let reference = self.index(target, value)?;
        self.is_set(reference)
    }

    /// `-v name`: is the variable, element or positional parameter set?
    pub(crate) fn is_set_text(&mut self, text: &[u8]) -> Flow<bool> {
        if let Some(is_set) = self.with_global_of_text(text, |shell| shell.is_set_text(text)) {
            return is_set;
        }
        match self.reference_of_word(text)? {
            Some(reference) => self.is_set(reference),
            None => ControlFlow::Continue(!self.opt(Opt::AssocExpandOnce) && self.is_key_set(text)),
        }
    }

    fn is_set(&mut self, reference: Reference) -> Flow<bool> {
        let reference = match reference {
            Reference::Variable(id) => self.follow(id)?,
            // bash 5.2: in an associative array these are keys as any other.
            Reference::All(id, star) if self.is_associative(id) && self.compatibility() > 51 => {
                self.all_as_key(Reference::All(id, star))
            }
            // bash: of the special parameters only the numbers.
            Reference::Parameters(_)
            | Reference::Count
            | Reference::Status
            | Reference::Options
            | Reference::ProcessId
            | Reference::BackgroundId => return ControlFlow::Continue(false),
            other => other,
        };
        ControlFlow::Continue(match self.fetch(&reference) {
            Fetched::Unset => false,
            Fetched::One(_) => true,
            Fetched::Many { items, .. } => !items.is_empty(),
        })
    }

    /// Is it a key of an associative array, with brackets of its own that nothing protects?
    fn is_key_set(&self, text: &[u8]) -> bool {
        let Some(open) = memchr::memchr(b'[', text) else { return false };
        let (name, rest) = text.split_at(open);
        match (self.vars.get_bytes(name).map(|variable| &variable.value), rest) {
            (Some(Value::Associative(array)), [b'[', key @ .., b']']) => array.get(key).is_some(),
            _ => false,
        }
    }
}
