//! Namerefs of functions that have the name of what they refer to (`local -n a=$1`, called with `a`). bash warns that they are
//! circular and means the global variable: [`Reference::Global`](crate::interpreter::reference::Reference) where it is a string, and what
//! stands here for elements of arrays.

use hookshell_syntax::Name;

use crate::shell::Shell;
use crate::vars::{Attributes, SlotId};

impl Shell {
    /// Is it a local nameref that names itself? Its elements are those of the global variable of that name.
    pub(crate) fn is_self_nameref(&self, id: SlotId) -> bool {
        self.vars.get(id).is_some_and(|variable| {
            variable.attributes.has(Attributes::NAMEREF)
                && self.vars.scope(id) > 0
                && variable.value.scalar() == Some(&*self.vars.name(id))
        })
    }

    /// Does something with the elements of what a local nameref that names itself leads to; `None` if the name is none.
    pub(crate) fn with_global<T>(&mut self, name: &Name, work: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.context.frames.functions() == 0 {
            return None;
        }
        let id = self.vars.find(name)?;
        self.with_global_of(id, work)
    }

    /// The same of an operand of a built-in, `name[subscript]` or a name.
    pub(crate) fn with_global_of_text<T>(&mut self, text: &[u8], work: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.context.frames.functions() == 0 {
            return None;
        }
        let id = self.array_of(text)?;
        self.with_global_of(id, work)
    }

    /// Is such an operand a local nameref that names itself?
    pub(crate) fn is_self_nameref_text(&self, text: &[u8]) -> bool {
        self.array_of(text).is_some_and(|id| self.is_self_nameref(id))
    }

    fn array_of(&self, text: &[u8]) -> Option<SlotId> {
        self.vars.find_bytes(text.split(|&byte| byte == b'[').next()?)
    }

    fn with_global_of<T>(&mut self, id: SlotId, work: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if !self.is_self_nameref(id) {
            return None;
        }
        let global = self.vars.enter_global(id)?;
        self.warn_of_self_nameref(id);
        let result = work(self);
        self.vars.leave_global(global);
        Some(result)
    }
}
