//! Variables: one table, looked up by a hint or one hash, with a journal for scopes and subshells.

mod associative;
mod fetched;
mod scope;
mod special;
mod value;

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::sync::Arc;

use hashbrown::HashTable;
use hookshell_process::text;
use hookshell_syntax::{Name, UNIQUE_HASH, hash_name};

pub(crate) use associative::{Assigned, AssociativeArray, bash_hash};
pub(crate) use fetched::Fetched;
pub(crate) use scope::ScopeMark;
pub(crate) use special::Special;
pub(crate) use value::{ELEMENT, IndexedArray, Value};

use hookshell_utility::Environment;
use scope::Saved;

/// What `declare` gives a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Attributes(u16);

impl Attributes {
    pub(crate) const EXPORT: Self = Self(1);
    pub(crate) const READONLY: Self = Self(2);
    pub(crate) const INTEGER: Self = Self(4);
    pub(crate) const LOWER: Self = Self(8);
    pub(crate) const UPPER: Self = Self(16);
    pub(crate) const NAMEREF: Self = Self(32);
    pub(crate) const TRACE: Self = Self(64);
    pub(crate) const CAPITALIZE: Self = Self(128);
    /// Set by an assignment before a command.
    pub(crate) const TEMPORARY: Self = Self(256);
    /// Made by `local`, or by `declare` in a function.
    pub(crate) const LOCAL: Self = Self(512);
    /// An array that was declared and never assigned to: it has no value, not even an empty list.
    pub(crate) const INVISIBLE: Self = Self(1024);
    /// A temporary variable that `export` or `readonly` was called for: what it hides becomes like it.
    pub(crate) const KEPT: Self = Self(2048);
    /// Those that change what is assigned, or forbid it, or lead elsewhere: none of them is the fast path.
    pub(crate) const SLOW: Self = Self(2 | 4 | 8 | 16 | 32 | 128);

    pub(crate) fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub(crate) fn with(self, other: Self, on: bool) -> Self {
        if on { Self(self.0 | other.0) } else { Self(self.0 & !other.0) }
    }

    pub(crate) fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// A variable that is set or at least declared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Variable {
    pub(crate) value: Value,
    pub(crate) attributes: Attributes,
}

impl Variable {
    pub(crate) fn new(value: Value) -> Self {
        Self { value, attributes: Attributes::default() }
    }

    /// Is it more than declared?
    pub(crate) fn has_value(&self) -> bool {
        self.value != Value::Unset && !self.attributes.has(Attributes::INVISIBLE)
    }
}

/// What a slot takes beside its name and value: itself, its place in the index, what the allocator adds.
pub(crate) const SLOT: usize = size_of::<Slot>() + 32;

/// What a saved variable takes beside its value.
const SAVED: usize = size_of::<Saved>() + 16;

/// Index of a slot in the table: a name that has been seen, whether the variable is set or not.
pub(crate) type SlotId = u32;

#[derive(Debug, Clone)]
struct Slot {
    name: Arc<[u8]>,
    hash: u64,
    special: Special,
    /// Depth of the function whose local this is; 0 for global ones.
    scope: u32,
    /// The journal that has this slot's state already (see [`Variables::enter_subshell`]).
    journaled: u32,
    content: Content,
}

impl Slot {
    /// Is this the slot of a name with this hash?
    #[inline]
    fn has_name(&self, name: &[u8], hash: u64) -> bool {
        self.hash == hash && self.name.len() == name.len() && (name.len() <= UNIQUE_HASH || *self.name == *name)
    }
}

/// What a slot holds: a variable, or that it is not set. `None`: what stands in its place of [`Variables::base`].
#[derive(Debug, Clone)]
struct Content(Option<Option<Variable>>);

/// Variables that several tables begin with: they share them until they change them.
type Base = Arc<[Option<Variable>]>;

impl Content {
    const BASE: Self = Self(None);
    const UNSET: Self = Self(Some(None));

    #[inline]
    fn get<'a>(&'a self, base: &'a [Option<Variable>], id: SlotId) -> Option<&'a Variable> {
        match &self.0 {
            Some(own) => own.as_ref(),
            None => base.get(id as usize)?.as_ref(),
        }
    }

    /// The variable, to be changed.
    #[inline]
    fn own(&mut self, base: &[Option<Variable>], id: SlotId) -> &mut Option<Variable> {
        self.0.get_or_insert_with(|| base.get(id as usize).cloned().flatten())
    }
}

fn is_exported(variable: Option<&Variable>) -> bool {
    variable.is_some_and(|variable| variable.attributes.has(Attributes::EXPORT))
}

/// The variables of one execution environment.
///
/// A function's locals and the assignments before a command replace the slot's variable and put the old one on a stack.
/// A subshell that runs on the same thread writes into the same table and keeps a journal of what it changed, so that
/// `(x=1)` costs one saved variable and not a copy of the table; one on another thread gets a copy.
#[derive(Debug, Clone, Default)]
pub(crate) struct Variables {
    slots: Vec<Slot>,
    /// What the first slots hold that have not been changed.
    base: Base,
    index: HashTable<SlotId>,
    /// What locals and temporary assignments hide; `None` is one that came back before its scope ended.
    hidden: Vec<Option<Saved>>,
    /// What subshells have changed in `hidden`: where it stands, and what stood there.
    hidden_journal: Vec<(usize, Option<Saved>)>,
    journal: Vec<Saved>,
    /// The text of a variable that a subshell has changed, to be used again: the next one saves its own in it.
    spare: Vec<u8>,
    /// The journal in force; 0: none.
    epoch: u32,
    last_epoch: u32,
    /// Rebuilt when it is asked for after an exported variable has changed.
    environment: Option<Environment>,
    /// It was given (see [`Variables::give_environment`]).
    is_given: bool,
    /// What the environment had that no parameter can have the name of: programs get it as it came.
    passed_on: Vec<(OsString, OsString)>,
    /// Windows: names that programs know in another case.
    system_names: Vec<(SlotId, OsString)>,
}

impl Variables {
    /// The slot of a name from the source, if the name was ever used.
    #[inline]
    pub(crate) fn find(&self, name: &Name) -> Option<SlotId> {
        let hint = name.hint();
        if let Some(slot) = self.slots.get(hint as usize)
            && slot.has_name(name.as_bytes(), name.hash())
        {
            return Some(hint);
        }
        let id = self.find_hashed(name.as_bytes(), name.hash())?;
        name.set_hint(id);
        Some(id)
    }

    /// The slot of a name that came up at run time.
    pub(crate) fn find_bytes(&self, name: &[u8]) -> Option<SlotId> {
        self.find_hashed(name, hash_name(name))
    }

    fn find_hashed(&self, name: &[u8], hash: u64) -> Option<SlotId> {
        self.index.find(hash, |&id| self.slots.get(id as usize).is_some_and(|slot| slot.has_name(name, hash))).copied()
    }

    /// The slot of a name, made if need be.
    #[inline]
    pub(crate) fn slot(&mut self, name: &Name) -> SlotId {
        match self.find(name) {
            Some(id) => id,
            None => {
                let id = self.insert(name.as_bytes(), name.hash());
                name.set_hint(id);
                id
            }
        }
    }

    /// How many names have been seen.
    pub(crate) fn count(&self) -> usize {
        self.slots.len()
    }

    /// The slot of a name that came up at run time, made if need be.
    pub(crate) fn slot_bytes(&mut self, name: &[u8]) -> SlotId {
        let hash = hash_name(name);
        match self.find_hashed(name, hash) {
            Some(id) => id,
            None => self.insert(name, hash),
        }
    }

    fn insert(&mut self, name: &[u8], hash: u64) -> SlotId {
        let id = u32::try_from(self.slots.len()).unwrap_or(u32::MAX);
        self.slots.push(Slot {
            name: name.into(),
            hash,
            special: Special::of(name),
            scope: 0,
            journaled: 0,
            content: Content::UNSET,
        });
        let slots = &self.slots;
        self.index.insert_unique(hash, id, |&id| slots.get(id as usize).map_or(0, |slot| slot.hash));
        id
    }

    /// About how many bytes of memory everything here takes.
    pub(crate) fn bytes(&self) -> usize {
        let of = |id, content: &Content| content.get(&self.base, id).map_or(0, |variable| variable.value.bytes());
        let saved = |saved: &Saved| SAVED + of(saved.slot, &saved.content);
        let slots = (0u32..).zip(&self.slots).map(|(id, slot)| SLOT + slot.name.len() + of(id, &slot.content));
        let slots: usize = slots.sum();
        let hidden: usize = self.hidden.iter().flatten().map(saved).sum();
        let journal: usize = self.journal.iter().map(saved).sum();
        let hidden_journal: usize = self.hidden_journal.iter().filter_map(|(_, entry)| entry.as_ref()).map(saved).sum();
        slots + hidden + journal + hidden_journal
    }

    /// The name of a slot.
    pub(crate) fn name(&self, id: SlotId) -> Arc<[u8]> {
        self.slots[id as usize].name.clone()
    }

    /// What the shell itself makes of the name.
    #[inline]
    pub(crate) fn special(&self, id: SlotId) -> Special {
        self.slots[id as usize].special
    }

    /// The variable in a slot.
    #[inline]
    pub(crate) fn get(&self, id: SlotId) -> Option<&Variable> {
        self.slots[id as usize].content.get(&self.base, id)
    }

    /// What the shell computes of the variable in a slot, if it does: one that was only given attributes is computed still.
    #[inline]
    pub(crate) fn computed(&self, id: SlotId) -> Option<Special> {
        let slot = &self.slots[id as usize];
        let is_own = |variable: &Variable| {
            // A local `_` too is set after each command.
            let is_local = variable.attributes.has(Attributes::LOCAL) && slot.special != Special::LastArgument;
            variable.value != Value::Unset || is_local || variable.attributes.has(Attributes::NAMEREF)
        };
        (slot.special.is_computed() && !slot.content.get(&self.base, id).is_some_and(is_own)).then_some(slot.special)
    }

    /// The variable of a name that came up at run time.
    pub(crate) fn get_bytes(&self, name: &[u8]) -> Option<&Variable> {
        self.get(self.find_bytes(name)?)
    }

    /// The scalar value of a name that came up at run time, without regard to dynamic variables.
    pub(crate) fn scalar_bytes(&self, name: &[u8]) -> Option<&[u8]> {
        self.get_bytes(name)?.value.scalar()
    }

    /// Depth of the function whose local the slot holds; 0: global.
    pub(crate) fn scope(&self, id: SlotId) -> u32 {
        self.slots[id as usize].scope
    }

    /// The variable in a slot, for every kind of change; what an enclosing environment needs back is saved first.
    #[inline]
    pub(crate) fn change(&mut self, id: SlotId) -> &mut Option<Variable> {
        self.save(id);
        let variable = self.slots[id as usize].content.own(&self.base, id);
        if is_exported(variable.as_ref()) {
            self.environment = None;
        }
        variable
    }

    /// Saves what a slot holds for the end of the subshell that begins to change it.
    #[inline]
    fn save(&mut self, id: SlotId) {
        if self.slots[id as usize].journaled != self.epoch {
            self.journal(id);
        }
    }

    fn journal(&mut self, id: SlotId) {
        let slot = &mut self.slots[id as usize];
        let content = match &slot.content {
            Content(Some(Some(Variable { value: Value::Scalar(text), attributes }))) => {
                let mut copy = std::mem::take(&mut self.spare);
                copy.extend_from_slice(text);
                Content(Some(Some(Variable { value: Value::Scalar(copy), attributes: *attributes })))
            }
            other => other.clone(),
        };
        self.journal.push(Saved {
            slot: id,
            scope: slot.scope,
            journaled: slot.journaled,
            special: slot.special,
            content,
        });
        slot.journaled = self.epoch;
    }

    /// Makes what all slots hold the base of tables that begin like this one: [`Variables::beginning`].
    pub(crate) fn into_base(mut self) -> Self {
        let contents = std::mem::take(&mut self.slots).into_iter().zip(0u32..).map(|(slot, id)| {
            let variable = slot.content.get(&self.base, id).cloned();
            let slot = Slot { content: Content::BASE, ..slot };
            (slot, variable)
        });
        let (slots, base): (Vec<Slot>, Vec<Option<Variable>>) = contents.unzip();
        Self { slots, base: base.into(), ..self }
    }

    /// A table that begins like this one, with place for so many more variables.
    pub(crate) fn beginning(&self, more: usize) -> Self {
        let mut slots = Vec::with_capacity(self.slots.len() + more);
        slots.extend_from_slice(&self.slots);
        Self {
            slots,
            base: self.base.clone(),
            index: self.index.clone(),
            environment: self.environment.clone(),
            passed_on: self.passed_on.clone(),
            system_names: self.system_names.clone(),
            ..Self::default()
        }
    }

    /// Makes place for so many more variables.
    pub(crate) fn reserve(&mut self, count: usize) {
        self.slots.reserve(count);
        let slots = &self.slots;
        self.index.reserve(count, |&id| slots.get(id as usize).map_or(0, |slot| slot.hash));
    }

    /// Says that an attribute or value that children see has changed.
    pub(crate) fn environment_changed(&mut self) {
        self.environment = None;
    }

    /// Gives children exactly this, until an exported variable changes: the command of a utility gets what the utility says
    /// (`env -i`), and nothing that a shell adds.
    pub(crate) fn give_environment(&mut self, environment: &Environment) {
        self.environment = Some(environment.clone());
        self.is_given = true;
    }

    /// Gives children what they got before, until an exported variable changes.
    pub(crate) fn keep_environment(&mut self, environment: Environment) {
        self.environment = Some(environment);
    }

    /// Is it an environment that was given, and nothing is added to?
    pub(crate) fn is_environment_given(&self) -> bool {
        self.is_given && self.environment.is_some()
    }

    /// Is it set or declared? What holds an exported function (`BASH_FUNC_f%%`) is no variable of scripts.
    fn is_listed(&self, id: SlotId, slot: &Slot) -> bool {
        slot.content.get(&self.base, id).is_some() && !slot.name.ends_with(b"%%")
    }

    /// All set or declared variables, sorted by name.
    pub(crate) fn sorted(&self) -> Vec<SlotId> {
        let mut ids: Vec<SlotId> =
            (0u32..).zip(&self.slots).filter(|(id, slot)| self.is_listed(*id, slot)).map(|(id, _)| id).collect();
        ids.sort_by(|&a, &b| self.slots[a as usize].name.cmp(&self.slots[b as usize].name));
        ids
    }

    /// The names that mean something to bash where the environment brings them.
    pub(crate) fn imported(&self) -> Vec<SlotId> {
        (0u32..).zip(&self.slots).filter(|(_, slot)| slot.special.is_imported()).map(|(id, _)| id).collect()
    }

    /// Keeps a variable of the environment that is no parameter.
    pub(crate) fn pass_on(&mut self, name: &OsStr, value: &OsStr) {
        self.passed_on.push((name.to_owned(), value.to_owned()));
    }

    /// Windows: the slot of `name`, which programs know as `system_name`.
    pub(crate) fn slot_of_system(&mut self, name: &[u8], system_name: &OsStr) -> SlotId {
        let id = self.slot_bytes(name);
        if *text::from_os(system_name) != *name {
            self.system_names.push((id, system_name.to_owned()));
        }
        id
    }

    /// Windows, where the case of names means nothing: each variable under the name that the system had for it, and of
    /// names that only differ in case the one in capitals.
    fn name_as_the_system(&self, list: &mut Vec<(OsString, OsString)>) {
        let is_capital = |name: &OsStr| !name.as_encoded_bytes().iter().any(u8::is_ascii_lowercase);
        // Those in capitals first, then the first of each name.
        list.sort_by_key(|(name, _)| !is_capital(name));
        let mut seen: HashSet<OsString> = HashSet::new();
        list.retain(|(name, _)| seen.insert(name.to_ascii_uppercase()));
        for (id, system_name) in &self.system_names {
            let Some(slot) = self.slots.get(*id as usize) else { continue };
            let slot_name = text::to_os(&slot.name);
            if let Some((name, _)) = list.iter_mut().find(|(name, _)| **name == *slot_name) {
                name.clone_from(system_name);
            }
        }
    }

    /// The exported variables that have a string value.
    pub(crate) fn environment(&mut self) -> Environment {
        if let Some(environment) = &self.environment {
            return environment.clone();
        }
        let mut list: Vec<(OsString, OsString)> = Vec::new();
        for (id, slot) in (0u32..).zip(&self.slots) {
            if let Some(variable) = slot.content.get(&self.base, id)
                && variable.attributes.has(Attributes::EXPORT)
                && let Value::Scalar(value) = &variable.value
            {
                list.push((text::to_os(&slot.name).into_owned(), text::to_os(value).into_owned()));
            }
        }
        if cfg!(windows) {
            self.name_as_the_system(&mut list);
        }
        list.extend_from_slice(&self.passed_on);
        let environment = Environment::new(list);
        self.environment = Some(environment.clone());
        self.is_given = false;
        environment
    }
}
