//! Assignments (XCU 2.9.1, and bash's arrays and attributes).

mod list;

pub(crate) use list::Items;

use std::ops::ControlFlow;

use hookshell_syntax::ast::{Assignment, AssignmentValue};
use hookshell_syntax::is_name;
use hookshell_text::case::{self, Case};

use self::list::{is_empty_subscript, subscript_source};
use crate::flow::{Divert, Flow, NEXT, divert};
use crate::interpreter::reference::Reference;
use crate::limits::Limit;
use crate::options::Opt;
use crate::shell::Shell;
use crate::vars::{Assigned, Attributes, ELEMENT, Fetched, IndexedArray, SLOT, SlotId, Special, Value, Variable};

impl Shell {
    /// Carries out an assignment in the current environment.
    pub(crate) fn assign(&mut self, assignment: &Assignment) -> Flow {
        if (assignment.subscript.is_some() || matches!(assignment.value, AssignmentValue::Array(_)))
            && let Some(flow) = self.with_global(&assignment.name, |shell| shell.assign(assignment))
        {
            return flow;
        }
        let id = self.vars.slot(&assignment.name);
        match &assignment.value {
            AssignmentValue::Scalar(word) => {
                let mut value = self.take_bytes();
                let flow = self.expand_assigned(word, &mut value);
                if flow.is_break() {
                    self.give_bytes(value);
                    return flow;
                }
                if self.opt(Opt::Xtrace) {
                    let mut target = assignment.name.as_bytes().to_vec();
                    if let Some(subscript) = &assignment.subscript {
                        subscript_source(subscript, &mut target);
                    }
                    self.trace_scalar(&target, assignment.append, &value);
                }
                let flow = match &assignment.subscript {
                    None => self.assign_slot(id, &value, assignment.append),
                    Some(subscript) => {
                        if is_empty_subscript(subscript) {
                            return self.bad_subscript(&format!("{}[]", assignment.name));
                        }
                        let id = self.array_slot(id, false)?;
                        let reference = self.element(id, subscript)?;
                        let reference = match self.all_as_key(reference) {
                            reference if reference.is_bad_subscript() => {
                                let mut text = assignment.name.as_bytes().to_vec();
                                subscript_source(subscript, &mut text);
                                return self.bad_subscript(&String::from_utf8_lossy(&text));
                            }
                            other => other,
                        };
                        self.assign_reference(&reference, value.clone(), assignment.append)
                    }
                };
                self.give_bytes(value);
                flow
            }
            AssignmentValue::Array(elements) => {
                self.refuse_list_of_element(assignment)?;
                if self.opt(Opt::Xtrace) {
                    self.trace_array(assignment);
                }
                let id = self.array_slot(id, true)?;
                // bash: a list for one of the shell's own arrays is no assignment.
                match self.vars.computed(id) {
                    Some(special) if special.is_fixed_array() => return self.reported(),
                    // These are left alone.
                    Some(special) if special.is_computed_array() => return NEXT,
                    _ => {}
                }
                self.assign_array(id, elements, assignment.append)
            }
        }
    }

    /// The slot that an assignment to an array concerns: that of a nameref's target, which must be a name.
    fn array_slot(&mut self, id: SlotId, is_list: bool) -> Flow<SlotId> {
        let slot = match self.follow(id)? {
            Reference::Variable(target) => target,
            Reference::Index(..) | Reference::Key(..) | Reference::OutOfRange(..) | Reference::All(..) => id,
            _ => return ControlFlow::Continue(id),
        };
        let target = match self.vars.get(slot) {
            Some(Variable { attributes, value: Value::Scalar(text) }) if attributes.has(Attributes::NAMEREF) => &**text,
            Some(Variable { attributes, value: Value::Unset }) if attributes.has(Attributes::NAMEREF) => b"",
            _ => return ControlFlow::Continue(slot),
        };
        if is_list && target.is_empty() {
            let name = self.vars.name(slot);
            self.error([b"warning: ", &*name, b": removing nameref attribute"].concat());
            if let Some(variable) = self.vars.change(slot) {
                variable.attributes = variable.attributes.with(Attributes::NAMEREF, false);
            }
            return ControlFlow::Continue(slot);
        }
        let message = [b"`", target, b"': not a valid identifier"].concat();
        self.error(message);
        self.reported().map_continue(|()| slot)
    }

    fn bad_subscript(&mut self, name: &str) -> Flow {
        self.error(format!("{name}: bad array subscript"));
        self.reported()
    }

    /// Assigns a string to a variable.
    #[inline]
    pub(crate) fn assign_slot(&mut self, id: SlotId, value: &[u8], append: bool) -> Flow {
        if self.vars.special(id) == Special::None
            && !self.opt(Opt::Allexport)
            && let Some(Variable { value: Value::Scalar(text), attributes }) = self.vars.change(id)
            && !attributes.has(Attributes::SLOW)
        {
            if !append {
                text.clear();
            }
            let capacity = text.capacity();
            text.extend_from_slice(value);
            if text.len() > self.host.limits.expansion_bytes {
                return self.too_large();
            }
            let more = text.capacity() - capacity;
            return if more == 0 { NEXT } else { self.grew(more) };
        }
        self.assign_slot_slow(id, value, append)
    }

    fn too_large(&mut self) -> Flow {
        self.exceed(Limit::ExpansionBytes, "the value of a variable is larger")
    }

    fn assign_slot_slow(&mut self, id: SlotId, value: &[u8], append: bool) -> Flow {
        let attributes = self.vars.get(id).map(|v| v.attributes).unwrap_or_default();
        if attributes.has(Attributes::NAMEREF) {
            match self.follow(id)? {
                Reference::Variable(target) if target != id => return self.assign_slot(target, value, append),
                // A nameref without a target gets one.
                Reference::Variable(_) => {
                    if !is_name(value) && crate::interpreter::reference::split_subscript(value).is_none() {
                        self.error([b"`", value, b"': not a valid identifier"].concat());
                        self.env.status = 1;
                        return divert(Divert::Discard);
                    }
                }
                reference => {
                    if let (Reference::Circular, Some(target)) = (&reference, self.vars.get(id))
                        && let Some(target) = target.value.scalar().filter(|target| !is_name(target))
                    {
                        // The element of an array that is this very nameref.
                        let message = [b"`", target, b"': not a valid identifier"].concat();
                        self.error(message);
                    }
                    return self.assign_reference(&reference, value.to_vec(), append);
                }
            }
        }
        if attributes.has(Attributes::READONLY) {
            return self.readonly(id);
        }
        let is_array = self.vars.get(id).is_some_and(|v| v.value.is_array());
        if is_array {
            if self.opt(Opt::Allexport)
                && let Some(variable) = self.vars.change(id)
            {
                variable.attributes = variable.attributes.with(Attributes::EXPORT, true);
            }
            let reference =
                if self.is_associative(id) { Reference::Key(id, b"0".to_vec()) } else { Reference::Index(id, 0) };
            return self.assign_reference(&reference, value.to_vec(), append);
        }
        let old = match self.vars.get(id).map(|v| &v.value) {
            Some(Value::Scalar(text)) if append => text.clone(),
            _ => Vec::new(),
        };
        let value = self.converted(attributes, old, value, append)?;
        if value.len() > self.host.limits.expansion_bytes {
            return self.too_large();
        }
        self.reserve(value.capacity() + SLOT)?;
        let special = self.vars.special(id);
        let export = self.opt(Opt::Allexport);
        let slot = self.vars.change(id);
        let variable = slot.get_or_insert_with(|| Variable::new(Value::Unset));
        variable.value = Value::Scalar(value);
        if export {
            variable.attributes = variable.attributes.with(Attributes::EXPORT, true);
        }
        if variable.attributes.has(Attributes::EXPORT) {
            self.vars.environment_changed();
        }
        if special != Special::None {
            self.variable_changed(id, special);
        }
        NEXT
    }

    /// A list is no value of an element: a message, and the unit is dropped.
    pub(crate) fn refuse_list_of_element(&mut self, assignment: &Assignment) -> Flow {
        let Some(subscript) = &assignment.subscript else { return NEXT };
        let mut text = assignment.name.as_bytes().to_vec();
        subscript_source(subscript, &mut text);
        self.error([&*text, b": cannot assign list to array member"].concat());
        self.reported()
    }

    /// The value as the attributes of the variable change it; `old` is what it is appended to.
    pub(crate) fn converted(
        &mut self,
        attributes: Attributes,
        old: Vec<u8>,
        value: &[u8],
        append: bool,
    ) -> Flow<Vec<u8>> {
        if attributes.has(Attributes::INTEGER) {
            let status = self.env.status;
            let number = self.evaluate_assigned(value);
            if number.is_break() && status != 0 {
                // bash leaves a status that reports a failure as it is.
                self.env.status = status;
            }
            let mut number = self.to_top_level(number)?;
            if append {
                let before = self.evaluate_assigned(&old);
                let before = self.to_top_level(before)?;
                number = before.wrapping_add(number);
            }
            return Flow::Continue(number.to_string().into_bytes());
        }
        let mut text = old;
        text.extend_from_slice(value);
        let mut changed = Vec::new();
        if attributes.has(Attributes::LOWER) {
            case::convert_all(&text, Case::Lower, self.env.bytes, &mut changed);
        } else if attributes.has(Attributes::UPPER) {
            case::convert_all(&text, Case::Upper, self.env.bytes, &mut changed);
        } else if attributes.has(Attributes::CAPITALIZE) {
            case::convert_all(&text, Case::Capitalize, self.env.bytes, &mut changed);
        } else {
            return Flow::Continue(text);
        }
        Flow::Continue(changed)
    }

    /// Assigns to what a reference leads to.
    pub(crate) fn assign_reference(&mut self, reference: &Reference, value: Vec<u8>, append: bool) -> Flow {
        let id = match reference {
            Reference::Variable(id) => return self.assign_slot(*id, &value, append),
            Reference::OutOfRange(id, index) => return self.out_of_range(*id, *index),
            Reference::Global(id) => {
                let Some(global) = self.vars.enter_global(*id) else { return NEXT };
                let flow = self.assign_slot(*id, &value, append);
                self.vars.leave_global(global);
                return flow;
            }
            Reference::Circular => {
                self.env.status = 1;
                return divert(Divert::Discard);
            }
            Reference::Key(id, key) if key.is_empty() => {
                let name = String::from_utf8_lossy(&self.vars.name(*id)).into_owned();
                return self.bad_subscript(&format!("{name}[]"));
            }
            Reference::Index(id, _) | Reference::Key(id, _) => *id,
            // bash 5.2: in an associative array these are keys as any other.
            Reference::All(id, star) if self.is_associative(*id) => {
                let key = self.all_as_key(Reference::All(*id, *star));
                return self.assign_reference(&key, value, append);
            }
            Reference::All(id, star) => {
                let name = String::from_utf8_lossy(&self.vars.name(*id)).into_owned();
                return self.bad_subscript(&format!("{name}[{}]", if *star { '*' } else { '@' }));
            }
            _ => {
                self.error("cannot assign to a special parameter");
                return self.reported();
            }
        };
        let attributes = self.vars.get(id).map(|v| v.attributes).unwrap_or_default();
        if attributes.has(Attributes::READONLY) {
            return self.readonly(id);
        }
        let value = if attributes.has(Attributes::SLOW) {
            let old = match self.fetch(reference) {
                Fetched::One(text) if append => text,
                _ => Vec::new(),
            };
            let value = self.converted(attributes, old, &value, append)?;
            (value, false)
        } else {
            (value, append)
        };
        let (value, append) = value;
        if self.vars.special(id).is_fixed_array() && self.vars.get(id).is_none() {
            return NEXT;
        }
        if self.vars.special(id) == Special::Dirstack && self.vars.get(id).is_none() {
            // bash: an element of the directory stack but the first can be replaced, others are left alone.
            if let Reference::Index(_, index @ 1..) = reference
                && let Some(at) =
                    usize::try_from(*index).ok().and_then(|index| self.env.inherited.dir_stack.len().checked_sub(index))
            {
                let bytes = value.len();
                self.env.inherited.dir_stack[at] = value;
                return self.grew(bytes);
            }
            return NEXT;
        }
        let slot = self.vars.change(id);
        let variable = slot.get_or_insert_with(|| Variable::new(Value::Unset));
        variable.attributes = variable.attributes.with(Attributes::INVISIBLE, false);
        let element = match (reference, &mut variable.value) {
            (Reference::Key(_, key), Value::Associative(array)) => {
                let Assigned { len, more } = array.assign(key, &value, append);
                return self.assigned_element(id, len, more);
            }
            (Reference::Index(_, index), Value::Indexed(array)) => array.entry(*index),
            (Reference::Index(_, index), other) => {
                let mut array = IndexedArray::default();
                if let Value::Scalar(text) = other {
                    array.set(0, std::mem::take(text));
                }
                *other = Value::Indexed(Box::new(array));
                match other {
                    Value::Indexed(array) => array.entry(*index),
                    _ => return NEXT,
                }
            }
            _ => return NEXT,
        };
        if !append {
            element.clear();
        }
        let capacity = element.capacity();
        element.extend_from_slice(&value);
        // One that is not there yet has no capacity.
        let more = element.capacity() - capacity + if capacity == 0 { ELEMENT } else { 0 };
        let len = element.len();
        self.assigned_element(id, len, more)
    }

    /// An element of an array is so long now, and takes so much more.
    fn assigned_element(&mut self, id: SlotId, len: usize, more: usize) -> Flow {
        if len > self.host.limits.expansion_bytes {
            return self.too_large();
        }
        if more > 0 {
            self.grew(more)?;
        }
        let special = self.vars.special(id);
        if special.is_table() {
            self.variable_changed(id, special);
        }
        NEXT
    }

    /// Puts an array into a variable whatever it was. bash: `set -a` does not concern arrays.
    pub(crate) fn store(&mut self, id: SlotId, value: Value) {
        let variable = self.vars.change(id).get_or_insert_with(|| Variable::new(Value::Unset));
        variable.value = value;
        variable.attributes = variable.attributes.with(Attributes::INVISIBLE, false);
        let special = self.vars.special(id);
        if special.is_table() {
            self.variable_changed(id, special);
        }
    }

    /// Assigns a string by name, for the shell's own use (`PWD`, `REPLY`, `OPTARG`).
    pub(crate) fn set_variable(&mut self, name: &[u8], value: &[u8]) -> Flow {
        let id = self.vars.slot_bytes(name);
        self.assign_slot(id, value, false)
    }

    /// A variable that may not be changed: the rest of the unit is dropped, in POSIX mode the shell ends, as it does
    /// after an expansion error.
    pub(crate) fn readonly(&mut self, id: SlotId) -> Flow {
        let name = self.vars.name(id);
        self.error([&*name, b": readonly variable"].concat());
        if self.opt(Opt::Posix) && !self.scratch.assigns_for_builtin {
            return self.expansion_failed();
        }
        self.reported()
    }

    /// An error where the variable may not be changed.
    pub(crate) fn check_assignable(&mut self, id: SlotId) -> Flow {
        let is_readonly = self.vars.get(id).is_some_and(|v| v.attributes.has(Attributes::READONLY));
        if is_readonly { self.readonly(id) } else { NEXT }
    }

    /// Assigns for a built-in whose name stands in messages about the arithmetic of integer variables.
    pub(crate) fn assigning_as<T>(&mut self, builtin: &'static str, assign: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.scratch.assigning, builtin);
        let result = assign(self);
        self.scratch.assigning = outer;
        result
    }

    /// Carries out an assignment that a built-in makes: that a variable is read-only is its own failure and ends no
    /// shell, not even in POSIX mode.
    pub(crate) fn for_builtin<T>(&mut self, assign: impl FnOnce(&mut Self) -> Flow<T>) -> Flow<T> {
        let outer = std::mem::replace(&mut self.scratch.assigns_for_builtin, true);
        let flow = assign(self);
        self.scratch.assigns_for_builtin = outer;
        flow
    }
}
