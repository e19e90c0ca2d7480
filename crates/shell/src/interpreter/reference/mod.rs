//! References: what a parameter's name and subscript lead to at run time.

mod set;
mod text;

use std::ops::ControlFlow;

use hookshell_syntax::ast::{Parameter, Subscript};
use hookshell_syntax::is_name;

use crate::flow::{Divert, Flow, divert};
use crate::shell::Shell;
use crate::vars::{Attributes, Fetched, SlotId, Value};

/// A parameter with its subscript evaluated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Reference {
    Variable(SlotId),
    Index(SlotId, u64),
    Key(SlotId, Vec<u8>),
    /// A negative index before the first element: reading it gives a message and no value.
    OutOfRange(SlotId, i64),
    /// Namerefs that lead round in a circle: it has no value and cannot be assigned to.
    Circular,
    /// What a local nameref that names itself leads to: the global variable of that name.
    Global(SlotId),
    /// `[@]`, or with `star` `[*]`.
    All(SlotId, bool),
    Positional(u32),
    /// `$@`, or with `star` `$*`.
    Parameters(bool),
    Count,
    Status,
    Options,
    ProcessId,
    BackgroundId,
    Zero,
}

impl Reference {
    /// Is it one that gives a message when it is read: an element before the first, or with the empty key?
    pub(crate) fn is_unreadable(&self) -> bool {
        self.is_bad_subscript() && !matches!(self, Self::All(..))
    }

    /// Is it one that no assignment can be made to: all elements, one before the first, or the empty key?
    pub(crate) fn is_bad_subscript(&self) -> bool {
        match self {
            Self::OutOfRange(..) | Self::All(..) => true,
            Self::Key(_, key) => key.is_empty(),
            _ => false,
        }
    }
}

/// Longest chain of namerefs that is followed.
const MAX_NAMEREFS: usize = 16;

impl Shell {
    /// May something be assigned to it?
    pub(crate) fn is_assignable(&self, reference: &Reference) -> bool {
        matches!(reference, Reference::Variable(_) | Reference::Index(..) | Reference::Key(..) | Reference::All(..))
    }

    /// `[@]` and `[*]` of an associative array where they do not stand for all its elements: bash 5.2 takes them for keys as
    /// any other. Everything else stays what it is.
    pub(crate) fn all_as_key(&self, reference: Reference) -> Reference {
        match reference {
            Reference::All(id, star) if self.is_associative(id) => {
                Reference::Key(id, if star { b"*".to_vec() } else { b"@".to_vec() })
            }
            other => other,
        }
    }

    /// Evaluates a parameter of the source.
    pub(crate) fn reference(&mut self, parameter: &Parameter) -> Flow<Reference> {
        ControlFlow::Continue(match parameter {
            Parameter::Variable(name) => {
                let id = self.vars.slot(name);
                return self.follow(id);
            }
            Parameter::Element(name, subscript) => {
                let id = self.vars.slot(name);
                let id = match self.follow(id)? {
                    Reference::Variable(id) => id,
                    _ => id,
                };
                return self.element(id, subscript);
            }
            Parameter::Positional(n) => Reference::Positional(*n),
            Parameter::At => Reference::Parameters(false),
            Parameter::Star => Reference::Parameters(true),
            Parameter::Count => Reference::Count,
            Parameter::Status => Reference::Status,
            Parameter::Options => Reference::Options,
            Parameter::ProcessId => Reference::ProcessId,
            Parameter::BackgroundId => Reference::BackgroundId,
            Parameter::Zero => Reference::Zero,
        })
    }

    /// Follows a nameref to what it names.
    pub(crate) fn follow(&mut self, id: SlotId) -> Flow<Reference> {
        let start = id;
        let mut id = id;
        for _ in 0..MAX_NAMEREFS {
            let target = match self.vars.get(id) {
                Some(variable) if variable.attributes.has(Attributes::NAMEREF) => match &variable.value {
                    Value::Scalar(target) if !target.is_empty() => target.clone(),
                    _ => return ControlFlow::Continue(Reference::Variable(id)),
                },
                _ => return ControlFlow::Continue(Reference::Variable(id)),
            };
            if is_name(&target) {
                let next = self.vars.slot_bytes(&target);
                if next == id && self.vars.scope(id) > 0 {
                    self.warn_of_self_nameref(id);
                    return ControlFlow::Continue(Reference::Global(id));
                }
                id = next;
                continue;
            }
            let is_self_nameref = split_subscript(&target).is_some_and(|(array, _)| *array == *self.vars.name(id));
            if is_self_nameref || self.scratch.nameref_depth >= MAX_NAMEREFS {
                self.warn_of_self_nameref(id);
                return ControlFlow::Continue(Reference::Circular);
            }
            // The array of the element may be a nameref in its turn.
            self.scratch.nameref_depth += 1;
            let reference = self.reference_from_text(&target);
            self.scratch.nameref_depth -= 1;
            return reference.map_continue(|reference| reference.unwrap_or(Reference::Variable(id)));
        }
        self.warn_of_self_nameref(start);
        ControlFlow::Continue(Reference::Circular)
    }

    pub(crate) fn warn_of_self_nameref(&mut self, id: SlotId) {
        let name = self.vars.name(id);
        self.error([b"warning: ", &*name, b": circular name reference"].concat());
    }

    /// Evaluates the subscript of an array's element.
    pub(crate) fn element(&mut self, id: SlotId, subscript: &Subscript) -> Flow<Reference> {
        let index = match subscript {
            Subscript::All => return ControlFlow::Continue(Reference::All(id, false)),
            Subscript::Star => return ControlFlow::Continue(Reference::All(id, true)),
            Subscript::Index(index) => index,
        };
        if self.is_associative(id) {
            let key = self.expand_to_string(&index.key)?;
            return ControlFlow::Continue(Reference::Key(id, key));
        }
        let value = self.evaluate(&index.arithmetic);
        let value = self.to_top_level(value)?;
        self.index(id, value)
    }

    /// An expression failed in a subscript or in the value of an integer: bash goes back to its top level, which ends a
    /// command string (a script continues with the next unit).
    pub(crate) fn to_top_level<T>(&self, flow: Flow<T>) -> Flow<T> {
        match flow {
            ControlFlow::Break(Divert::Discard) if self.host.is_command_string => divert(Divert::Exit),
            ControlFlow::Break(Divert::Discard) => divert(Divert::TopLevel),
            flow => flow,
        }
    }

    /// The element of an indexed array at a number, which counts from the end when it is negative.
    pub(crate) fn index(&mut self, id: SlotId, value: i64) -> Flow<Reference> {
        if let Ok(index) = u64::try_from(value) {
            return ControlFlow::Continue(Reference::Index(id, index));
        }
        let next = match self.vars.get(id).map(|v| &v.value) {
            Some(Value::Indexed(array)) => array.next_index(),
            Some(Value::Scalar(_)) => 1,
            _ => 0,
        };
        match next.checked_sub(value.unsigned_abs()) {
            Some(index) => ControlFlow::Continue(Reference::Index(id, index)),
            None => ControlFlow::Continue(Reference::OutOfRange(id, value)),
        }
    }

    /// An element before the first was to be changed or measured: the unit is dropped.
    pub(crate) fn out_of_range<T>(&mut self, id: SlotId, index: i64) -> Flow<T> {
        let name = self.vars.name(id);
        self.error([&*name, format!("[{index}]: bad array subscript").as_bytes()].concat());
        self.reported()
    }

    /// An element was to be read that cannot be (see [`Reference::is_unreadable`]): a message and no value, as in bash.
    pub(crate) fn unreadable(&mut self, id: SlotId) -> Fetched {
        let name = self.vars.name(id);
        self.error([&*name, b": bad array subscript"].concat());
        Fetched::Unset
    }

    pub(crate) fn is_associative(&self, id: SlotId) -> bool {
        matches!(self.vars.get(id).map(|v| &v.value), Some(Value::Associative(_)))
    }

    /// The value that a reference leads to.
    pub(crate) fn fetch(&mut self, reference: &Reference) -> Fetched {
        let one = |text: Option<&[u8]>| text.map_or(Fetched::Unset, |text| Fetched::One(text.to_vec()));
        match reference {
            Reference::Variable(id) => {
                if let Some(special) = self.vars.computed(*id) {
                    return self.computed(special);
                }
                one(self.vars.get(*id).and_then(|v| v.value.scalar()))
            }
            Reference::Index(id, index) => {
                if let Some(items) = self.computed_array(*id) {
                    return one(usize::try_from(*index).ok().and_then(|i| items.get(i)).map(Vec::as_slice));
                }
                match self.vars.get(*id).map(|v| &v.value) {
                    Some(Value::Indexed(array)) => one(array.get(*index)),
                    Some(Value::Scalar(text)) if *index == 0 => one(Some(text)),
                    _ => Fetched::Unset,
                }
            }
            Reference::Circular => Fetched::Unset,
            Reference::Global(id) => one(self.vars.global(*id).and_then(|v| v.value.scalar())),
            Reference::OutOfRange(id, _) => self.unreadable(*id),
            Reference::Key(id, key) if key.is_empty() => self.unreadable(*id),
            Reference::Key(id, key) => match self.vars.get(*id).map(|v| &v.value) {
                Some(Value::Associative(array)) => one(array.get(key)),
                _ => Fetched::Unset,
            },
            Reference::All(id, star) => {
                let items = match self.computed_array(*id) {
                    Some(items) => items,
                    None => match self.vars.get(*id).map(|v| &v.value) {
                        Some(Value::Indexed(array)) => array.iter().map(|(_, text)| text.to_vec()).collect(),
                        Some(Value::Associative(array)) => array.iter().map(|(_, text)| text.to_vec()).collect(),
                        Some(Value::Scalar(text)) => vec![text.clone()],
                        Some(Value::Unset) | None => Vec::new(),
                    },
                };
                Fetched::Many { items, star: *star }
            }
            Reference::Positional(n) => one(self.env.positional.get(*n as usize)),
            Reference::Parameters(star) => {
                Fetched::Many { items: self.env.positional.iter().map(<[u8]>::to_vec).collect(), star: *star }
            }
            Reference::Count => Fetched::One(self.env.positional.len().to_string().into_bytes()),
            Reference::Status => Fetched::One(self.env.status.to_string().into_bytes()),
            Reference::Options => Fetched::One(self.option_letters()),
            Reference::ProcessId => Fetched::One(self.host.process_id.to_string().into_bytes()),
            Reference::BackgroundId => {
                self.env.background_id.map_or(Fetched::Unset, |id| Fetched::One(id.to_string().into_bytes()))
            }
            Reference::Zero => Fetched::One(self.env.inherited.name.to_vec()),
        }
    }

    /// `$-`
    pub(crate) fn option_letters(&self) -> Vec<u8> {
        let mut letters = Vec::new();
        self.env.options.letters(&mut letters);
        if self.host.is_command_string {
            letters.push(b'c');
        }
        if self.context.reads_stdin {
            letters.push(b's');
        }
        letters
    }

    /// The elements of an array that the shell computes.
    fn computed_array(&mut self, id: SlotId) -> Option<Vec<Vec<u8>>> {
        match self.vars.computed(id)? {
            array if array.is_computed_array() => Some(self.computed_items(array)),
            other => match self.computed(other) {
                Fetched::One(text) => Some(vec![text]),
                _ => Some(Vec::new()),
            },
        }
    }
}

/// Splits `name[subscript]`.
pub(crate) fn split_subscript(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let open = memchr::memchr(b'[', text)?;
    let (name, rest) = text.split_at(open);
    match rest {
        [b'[', subscript @ .., b']'] if is_name(name) && !subscript.is_empty() && is_balanced(subscript) => {
            Some((name, subscript))
        }
        _ => None,
    }
}

/// Splits `name[subscript]` where the subscript has been expanded: it goes up to the last bracket.
pub(crate) fn split_expanded(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let open = memchr::memchr(b'[', text)?;
    let (name, rest) = text.split_at(open);
    match rest {
        [b'[', subscript @ .., b']'] if is_name(name) && !subscript.is_empty() => Some((name, subscript)),
        _ => None,
    }
}

/// Does no bracket in a subscript end it before its end?
fn is_balanced(subscript: &[u8]) -> bool {
    closing_bracket(subscript).is_none()
}

/// Where the bracket stands that ends a subscript: the first outside of quotes and of brackets of its own.
pub(crate) fn closing_bracket(text: &[u8]) -> Option<usize> {
    let mut depth = 0_u32;
    let mut quote = None;
    let mut bytes = text.iter().enumerate();
    while let Some((at, &byte)) = bytes.next() {
        match (byte, quote) {
            (b'\\', None | Some(b'"')) => {
                bytes.next();
            }
            (byte, Some(open)) if byte == open => quote = None,
            (_, Some(_)) => {}
            (b'\'' | b'"', None) => quote = Some(byte),
            (b'[', None) => depth += 1,
            (b']', None) if depth == 0 => return Some(at),
            (b']', None) => depth -= 1,
            _ => {}
        }
    }
    None
}
