//! How much an execution environment's state takes, against the limit `state-bytes`.

use crate::completions::completions_bytes;
use crate::flow::{Flow, NEXT};
use crate::limits::Limit;
use crate::shell::Shell;
use crate::vars::{SLOT, SlotId};

impl Shell {
    /// The state has grown by so many bytes: an error where that is too much.
    #[inline]
    pub(crate) fn grew(&mut self, bytes: usize) -> Flow {
        if self.account.grow(bytes) { self.settle_state(0) } else { NEXT }
    }

    /// The state is about to grow by so many bytes, which are no part of it yet.
    #[inline]
    pub(crate) fn reserve(&mut self, bytes: usize) -> Flow {
        if self.account.grow(bytes) { self.settle_state(bytes) } else { NEXT }
    }

    /// The slot of a name that came up at run time; slots are never given up.
    pub(crate) fn named_slot(&mut self, name: &[u8]) -> Flow<SlotId> {
        let before = self.vars.count();
        let id = self.vars.slot_bytes(name);
        if self.vars.count() > before {
            self.grew(SLOT + name.len())?;
        }
        Flow::Continue(id)
    }

    #[cold]
    fn settle_state(&mut self, coming: usize) -> Flow {
        if self.account.settle() { NEXT } else { self.measure_state_and(coming) }
    }

    /// Counts bytes that are no part of this environment's own state, for as long as what is given lives.
    pub(crate) fn hold(&mut self, bytes: usize) -> Flow<hookshell_utility::Held> {
        let held = self.host.usage.budget.hold(bytes);
        if self.host.usage.budget.has_too_much_state() {
            self.measure_state()?;
        }
        Flow::Continue(held)
    }

    /// The run seems to have too much state: an error if that is so.
    pub(crate) fn measure_state(&mut self) -> Flow {
        self.measure_state_and(0)
    }

    #[cold]
    fn measure_state_and(&mut self, coming: usize) -> Flow {
        let bytes = self.state_bytes() + coming;
        self.account.settle();
        // Other environments' estimates may be too high: they measure when it is their turn.
        if self.account.correct(bytes) {
            return NEXT;
        }
        self.exceed(Limit::StateBytes, "the script's variables and other state are larger")
    }

    /// About how many bytes the state of this environment takes.
    pub(crate) fn state_bytes(&self) -> usize {
        /// What a function takes for each byte of its text, as measured.
        const TREE: usize = 12;
        let functions: usize =
            self.env.inherited.functions.values().map(|function| function.text_len() * TREE + 256).sum();
        let aliases: usize = self.env.inherited.aliases.iter().map(|(name, value)| name.len() + value.len() + 96).sum();
        let stack: usize = self.env.inherited.dir_stack.iter().map(crate::inherited::stack_entry_bytes).sum();
        let others = stack
            + completions_bytes(&self.env.inherited.completions)
            + self.env.inherited.command_hash.bytes()
            + self.traps.bytes();
        self.vars.bytes() + functions + aliases + others + self.env.positional.args.memory()
    }
}
