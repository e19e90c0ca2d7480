//! Scopes of functions and of assignments before a command, and subshells that run on the same thread.

use std::collections::{HashMap, HashSet};

use smallvec::SmallVec;

use super::{Content, SlotId, Special, Value, Variable, Variables, is_exported};

/// What is kept of a text to be used again has no more room than this.
const SPARE: usize = 1024;

/// Among so many assignments before a command looking costs less than a table.
const FEW: usize = 16;

/// A slot's state to return to.
#[derive(Debug, Clone)]
pub(super) struct Saved {
    pub(super) slot: SlotId,
    pub(super) scope: u32,
    pub(super) journaled: u32,
    pub(super) special: Special,
    pub(super) content: Content,
}

/// Where a scope began, to be given back to [`Variables::leave_scope`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct ScopeMark(usize);

/// Where a subshell began, to be given back to [`Variables::leave_subshell`].
#[derive(Debug)]
pub(crate) struct SubshellMark {
    journal: usize,
    hidden_journal: usize,
    epoch: u32,
    /// What the scopes around it hide; what the subshell itself has hidden ends with it.
    hidden: usize,
}

/// A global variable brought before the locals that hide it, to be given back to [`Variables::leave_global`].
#[derive(Debug)]
#[must_use]
pub(crate) struct Global {
    slot: SlotId,
    /// Where it stands among what is hidden.
    at: usize,
}

impl Variables {
    /// Begins a scope of a function or of assignments before a command.
    pub(crate) fn enter_scope(&self) -> ScopeMark {
        ScopeMark(self.hidden.len())
    }

    /// Has anything been hidden since the scope began?
    #[inline]
    pub(crate) fn hides_since(&self, mark: ScopeMark) -> bool {
        self.hidden.len() > mark.0
    }

    /// Hides the slot's variable until the scope ends; the slot is empty then.
    pub(crate) fn hide(&mut self, id: SlotId, depth: u32) {
        self.save(id);
        let slot = &mut self.slots[id as usize];
        if is_exported(slot.content.get(&self.base, id)) {
            self.environment = None;
        }
        self.hidden.push(Some(Saved {
            slot: id,
            scope: slot.scope,
            journaled: 0,
            special: slot.special,
            content: std::mem::replace(&mut slot.content, Content::UNSET),
        }));
        slot.scope = depth;
    }

    /// Ends a scope: the hidden variables come back. Gives those among them that the shell takes notice of.
    pub(crate) fn leave_scope(&mut self, mark: ScopeMark) -> SmallVec<[(SlotId, Special); 2]> {
        let mut noticed = SmallVec::new();
        while self.hidden.len() > mark.0 {
            let Some(entry) = self.hidden.pop() else { break };
            let Some(saved) = entry else { continue };
            let id = saved.slot;
            self.bring_back(saved);
            let special = self.special(id);
            if special.is_watched() {
                noticed.push((id, special));
            }
        }
        noticed
    }

    /// The slots whose variables have been hidden since the scope began.
    pub(crate) fn hidden_since(&self, mark: ScopeMark) -> impl Iterator<Item = SlotId> {
        self.hidden[mark.0.min(self.hidden.len())..].iter().flatten().map(|saved| saved.slot)
    }

    /// Ends assignments before a command, the first `count` variables that have been hidden since `mark`. What has been
    /// hidden after them, by `local`, stays. Gives the variables that come back, with those that hid them.
    pub(crate) fn leave_temporary(
        &mut self,
        mark: ScopeMark,
        count: usize,
    ) -> SmallVec<[(SlotId, Option<Variable>); 2]> {
        let mut ended: SmallVec<[(SlotId, Option<Variable>); 2]> = SmallVec::new();
        let end = (mark.0 + count).min(self.hidden.len());
        // Looked up, and not looked for, where there are many: a command may have thousands of assignments.
        let is_many = count > FEW;
        let mut locals = HashMap::new();
        let mut seen = HashSet::new();
        if is_many {
            for (at, local) in self.hidden.iter().enumerate().skip(end) {
                if let Some(local) = local {
                    locals.entry(local.slot).or_insert(at);
                }
            }
        }
        for at in (mark.0..end).rev() {
            let Some(saved) = self.hidden[at].take() else { continue };
            let id = saved.slot;
            let local = if is_many {
                locals.get(&id).copied()
            } else {
                let is_it = |local: &Option<Saved>| local.as_ref().is_some_and(|local| local.slot == id);
                self.hidden[end..].iter().position(is_it).map(|place| end + place)
            };
            if let Some(local) = local.and_then(|at| self.hidden[at].as_mut()) {
                local.content = saved.content;
                local.scope = saved.scope;
                continue;
            }
            let last = self.change(id).take();
            self.bring_back(saved);
            let is_first = if is_many { seen.insert(id) } else { ended.iter().all(|(slot, _)| *slot != id) };
            ended.push((id, last.filter(|_| is_first)));
        }
        while self.hidden.len() > mark.0 && self.hidden.last().is_some_and(Option::is_none) {
            self.hidden.pop();
        }
        ended
    }

    /// Puts a hidden variable back into its slot.
    fn bring_back(&mut self, saved: Saved) {
        let id = saved.slot;
        self.save(id);
        let slot = &mut self.slots[id as usize];
        if is_exported(slot.content.get(&self.base, id)) || is_exported(saved.content.get(&self.base, id)) {
            self.environment = None;
        }
        slot.content = saved.content;
        slot.scope = saved.scope;
    }

    /// Ends a local or temporary variable before its scope does: what it hides comes back at once (bash's `unset` in a
    /// function that the variable's own has called). False where it hides nothing.
    pub(crate) fn reveal(&mut self, id: SlotId) -> bool {
        let Some(at) = self.hidden.iter().rposition(|entry| entry.as_ref().is_some_and(|saved| saved.slot == id))
        else {
            return false;
        };
        self.journal_hidden(at);
        if let Some(saved) = self.hidden[at].take() {
            self.bring_back(saved);
        }
        true
    }

    /// Puts the global variable of a slot before the locals and temporary assignments that hide it (`declare -g`);
    /// `None` if nothing does.
    pub(crate) fn enter_global(&mut self, id: SlotId) -> Option<Global> {
        let at = self.hidden.iter().position(|entry| entry.as_ref().is_some_and(|saved| saved.slot == id))?;
        let global = Global { slot: id, at };
        self.journal_hidden(at);
        self.exchange(&global);
        Some(global)
    }

    /// The global variable of a slot whose variable hides it.
    pub(crate) fn global(&self, id: SlotId) -> Option<&Variable> {
        self.hidden.iter().flatten().find(|saved| saved.slot == id)?.content.get(&self.base, id)
    }

    /// Has a variable that the slot's hides a value?
    pub(crate) fn hides_value(&self, id: SlotId) -> bool {
        let mut hidden = self.hidden.iter().flatten().filter(|saved| saved.slot == id);
        hidden.any(|saved| saved.content.get(&self.base, id).is_some_and(Variable::has_value))
    }

    /// Ends what [`Variables::enter_global`] began.
    pub(crate) fn leave_global(&mut self, global: Global) {
        self.exchange(&global);
    }

    fn exchange(&mut self, global: &Global) {
        self.save(global.slot);
        self.environment = None;
        let slot = &mut self.slots[global.slot as usize];
        if let Some(Some(saved)) = self.hidden.get_mut(global.at) {
            std::mem::swap(&mut slot.content, &mut saved.content);
            std::mem::swap(&mut slot.scope, &mut saved.scope);
        }
    }

    /// Saves an entry of what is hidden for the end of the subshell.
    fn journal_hidden(&mut self, at: usize) {
        if self.epoch != 0 {
            self.hidden_journal.push((at, self.hidden[at].clone()));
        }
    }

    /// The shell computes the variable no more, and takes no notice of it (bash: once it is unset).
    pub(crate) fn make_ordinary(&mut self, id: SlotId) {
        self.save(id);
        self.slots[id as usize].special = Special::None;
    }

    /// Begins a subshell on this thread. Every scope that is entered in it must be left before it ends.
    pub(crate) fn enter_subshell(&mut self) -> SubshellMark {
        let mark = SubshellMark {
            journal: self.journal.len(),
            hidden_journal: self.hidden_journal.len(),
            epoch: self.epoch,
            hidden: self.hidden.len(),
        };
        self.last_epoch = self.last_epoch.wrapping_add(1).max(1);
        self.epoch = self.last_epoch;
        mark
    }

    /// Ends a subshell on this thread: everything is as it was.
    pub(crate) fn leave_subshell(&mut self, mark: SubshellMark) {
        while self.journal.len() > mark.journal {
            let Some(saved) = self.journal.pop() else { break };
            let id = saved.slot;
            let slot = &mut self.slots[id as usize];
            if is_exported(slot.content.get(&self.base, id)) || is_exported(saved.content.get(&self.base, id)) {
                self.environment = None;
            }
            let changed = std::mem::replace(&mut slot.content, saved.content);
            slot.scope = saved.scope;
            slot.special = saved.special;
            slot.journaled = saved.journaled;
            if let Content(Some(Some(Variable { value: Value::Scalar(mut text), .. }))) = changed
                && text.capacity() <= SPARE
            {
                text.clear();
                self.spare = text;
            }
        }
        // The function that a subshell stands in continues: its own end must not bring back what `local` hid in there.
        self.hidden.truncate(mark.hidden);
        while self.hidden_journal.len() > mark.hidden_journal {
            let Some((at, before)) = self.hidden_journal.pop() else { break };
            if let Some(entry) = self.hidden.get_mut(at) {
                *entry = before;
            }
        }
        self.epoch = mark.epoch;
    }
}
