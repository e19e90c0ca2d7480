//! Assignments (XCU 2.9.1, and bash's arrays and attributes).

use std::ops::ControlFlow;

use hookshell_syntax::ast::{ArrayElement, Assignment, AssignmentValue, Subscript, Word, WordPart, WordParts};
use hookshell_syntax::is_name;

use crate::flow::{Divert, Flow, NEXT, divert};
use crate::limits::Limit;
use crate::options::Opt;
use crate::reference::Reference;
use crate::shell::Shell;
use crate::text::case::{self, Case};
use crate::vars::{
    Assigned, AssociativeArray, Attributes, ELEMENT, IndexedArray, SLOT, SlotId, Special, Value, Variable,
};

/// A subscript as it stands in the source, for messages.
fn subscript_source(subscript: &Subscript, out: &mut Vec<u8>) {
    out.push(b'[');
    match subscript {
        Subscript::All => out.push(b'@'),
        Subscript::Star => out.push(b'*'),
        Subscript::Index(index) => out.extend_from_slice(&hookshell_syntax::print_word(&index.key)),
    }
    out.push(b']');
}

/// Is it `[]`?
fn is_empty_subscript(subscript: &Subscript) -> bool {
    matches!(subscript, Subscript::Index(index) if index.key.parts.is_empty()
        || matches!(&*index.key.parts, [WordPart::Literal(text)] if text.is_empty()))
}

/// An expanded element of a list: where it goes, its value, and whether it is appended to what is there.
type Item<P> = (P, Vec<u8>, bool);

/// A number of fewer digits is not too large for an index.
const PLAIN: usize = 19;

/// Where an element of a list goes.
pub(crate) enum Place {
    /// Behind the one before it.
    Next,
    /// An expanded subscript, which is not evaluated yet.
    Subscript(Vec<u8>),
}

/// The expanded elements of a list.
pub(crate) enum Items {
    Indexed(Vec<Item<u64>>),
    /// Of an indexed array too, where a subscript is more than a number: it is evaluated when its turn comes.
    Subscripted(Vec<Item<Place>>),
    Associative(Vec<Item<Vec<u8>>>),
}

/// bash: in the list of an associative array a tilde stands for itself. `None` where the word has none.
fn without_tildes(word: &Word) -> Option<Word> {
    word.parts.iter().any(|part| matches!(part, WordPart::Tilde(_))).then(|| {
        let parts = word.parts.iter().map(|part| match part {
            WordPart::Tilde(user) => WordPart::Literal([b"~", user.as_slice()].concat().into()),
            part => part.clone(),
        });
        Word::new(parts.collect::<WordParts>(), word.span)
    })
}

/// What of a list makes one element of an associative array.
#[derive(Clone, Copy)]
enum AssociativeUnit<'a> {
    /// `[key]=value`
    Element(&'a ArrayElement),
    /// A key, and its value if there is one (bash 5.1).
    Pair(&'a ArrayElement, Option<&'a ArrayElement>),
}

/// Without a subscript at the first one the words of a list are keys and values in turn.
fn associative_units(elements: &[ArrayElement]) -> impl Iterator<Item = AssociativeUnit<'_>> {
    let are_pairs = elements.first().is_some_and(|element| element.subscript.is_none());
    elements.chunks(if are_pairs { 2 } else { 1 }).filter_map(move |unit| {
        let first = unit.first()?;
        Some(if are_pairs { AssociativeUnit::Pair(first, unit.get(1)) } else { AssociativeUnit::Element(first) })
    })
}

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
                if let Some(subscript) = &assignment.subscript {
                    let mut text = assignment.name.as_bytes().to_vec();
                    subscript_source(subscript, &mut text);
                    self.error([&*text, b": cannot assign list to array member"].concat());
                    return self.reported();
                }
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
                    if !is_name(value) && crate::reference::split_subscript(value).is_none() {
                        self.error([b"`", value, b"': not a valid identifier"].concat());
                        self.status = 1;
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
            self.noticed(id, special);
        }
        NEXT
    }

    /// The value as the attributes of the variable change it; `old` is what it is appended to.
    fn converted(&mut self, attributes: Attributes, old: Vec<u8>, value: &[u8], append: bool) -> Flow<Vec<u8>> {
        if attributes.has(Attributes::INTEGER) {
            let status = self.status;
            let number = self.evaluate_assigned(value);
            if number.is_break() && status != 0 {
                // bash leaves a status that tells of a failure as it is.
                self.status = status;
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
            case::convert_all(&text, Case::Lower, self.bytes, &mut changed);
        } else if attributes.has(Attributes::UPPER) {
            case::convert_all(&text, Case::Upper, self.bytes, &mut changed);
        } else if attributes.has(Attributes::CAPITALIZE) {
            case::convert_all(&text, Case::Capitalize, self.bytes, &mut changed);
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
                self.status = 1;
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
                crate::reference::Fetched::One(text) if append => text,
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
                    usize::try_from(*index).ok().and_then(|index| self.settled.dir_stack.len().checked_sub(index))
            {
                let bytes = value.len();
                self.settled.dir_stack[at] = value;
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
            self.noticed(id, special);
        }
        NEXT
    }

    /// `name=( … )` and `name+=( … )`
    pub(crate) fn assign_array(&mut self, id: SlotId, elements: &[ArrayElement], append: bool) -> Flow {
        if self.vars.get(id).is_some_and(|v| v.attributes.has(Attributes::READONLY)) {
            return self.readonly(id);
        }
        // bash: an error in the elements leaves an array behind.
        if self.vars.get(id).is_none() {
            *self.vars.change(id) = Some(Variable::new(Value::Indexed(Box::default())));
        }
        let associative = self.is_associative(id);
        if append && associative {
            return self.append_associative(id, elements);
        }
        let start = if append { self.append_index(id) } else { 0 };
        let mut items = self.array_items(id, elements, associative, start)?;
        // Their expansion may have made the array longer.
        if append
            && let Items::Indexed(items) = &mut items
            && elements.iter().all(|element| element.subscript.is_none())
        {
            let start = self.append_index(id);
            for (item, index) in items.iter_mut().zip(start..) {
                item.0 = index;
            }
        }
        self.assign_items(id, items, append)
    }

    /// Where `name+=( … )` begins in an indexed array.
    pub(crate) fn append_index(&self, id: SlotId) -> u64 {
        match self.vars.get(id).map(|v| &v.value) {
            Some(Value::Indexed(array)) => array.next_index(),
            Some(Value::Scalar(_)) => 1,
            _ => 0,
        }
    }

    /// Expands the elements of a list. Everything is expanded before the array is changed: `a=("${a[@]}" x)`.
    pub(crate) fn array_items(
        &mut self,
        id: SlotId,
        elements: &[ArrayElement],
        associative: bool,
        start: u64,
    ) -> Flow<Items> {
        if !associative {
            // bash has made the array when something goes wrong in its elements.
            let slot = self.vars.change(id);
            if slot.as_ref().is_none_or(|variable| variable.value == Value::Unset) {
                slot.get_or_insert_with(|| Variable::new(Value::Unset)).value = Value::Indexed(Box::default());
            }
        }
        self.list_items(id, elements, associative, start)
    }

    /// The expanded elements of a list, for an array that is made later.
    pub(crate) fn list_items(
        &mut self,
        id: SlotId,
        elements: &[ArrayElement],
        associative: bool,
        start: u64,
    ) -> Flow<Items> {
        let target = self.traced_list.take();
        let items = if associative {
            Items::Associative(self.associative_items(id, elements)?)
        } else {
            self.indexed_items(elements, start)?
        };
        if let Some(target) = target {
            let subscripts = elements.first().is_some_and(|element| element.subscript.is_some());
            self.trace_items(target, &items, subscripts);
        }
        Flow::Continue(items)
    }

    fn indexed_items(&mut self, elements: &[ArrayElement], start: u64) -> Flow<Items> {
        let mut items = Vec::new();
        let mut next = start;
        if elements.iter().all(|element| element.subscript.is_none()) {
            let mut fields = self.take_args();
            let mut patterns = Vec::new();
            for element in elements {
                self.expand_word(&element.value, &mut fields, &mut patterns)?;
            }
            self.expand_pathnames(0, &patterns, &mut fields)?;
            self.reserve(fields.byte_len() + fields.len() * 2 * ELEMENT)?;
            for field in &fields {
                items.push((next, field.to_vec(), false));
                next = next.saturating_add(1);
            }
            self.give_args(fields);
            return Flow::Continue(Items::Indexed(items));
        }
        let mut places = Vec::new();
        let mut is_plain = true;
        for element in elements {
            let braced = element.braced.as_deref().filter(|_| self.opt(Opt::Braceexpand));
            match element.subscript.as_ref().filter(|_| braced.is_none()) {
                None => {
                    let mut fields = self.take_args();
                    self.expand_fields(braced.unwrap_or(&element.value), &mut fields)?;
                    self.reserve(fields.byte_len() + fields.len() * 2 * ELEMENT)?;
                    places.extend(fields.iter().map(|field| (Place::Next, field.to_vec(), false)));
                    self.give_args(fields);
                }
                Some(subscript) if is_empty_subscript(subscript) => {
                    self.empty_subscript(element)?;
                }
                Some(subscript) => {
                    let Subscript::Index(key) = subscript else {
                        self.left_out(element, subscript, "cannot assign to non-numeric index")?;
                        continue;
                    };
                    let text = self.expand_to_string(&key.key)?;
                    if text.is_empty() {
                        self.empty_subscript(element)?;
                        continue;
                    }
                    is_plain &= text.len() < PLAIN && text.iter().all(u8::is_ascii_digit);
                    let mut value = Vec::new();
                    self.expand_assigned(&element.value, &mut value)?;
                    self.reserve(text.capacity() + value.capacity() + ELEMENT)?;
                    places.push((Place::Subscript(text), value, element.append));
                }
            }
        }
        if !is_plain {
            return Flow::Continue(Items::Subscripted(places));
        }
        for (place, value, append) in places {
            let index = match place {
                Place::Next => next,
                Place::Subscript(text) => {
                    let index = self.evaluate_text(&text);
                    self.to_top_level(index)?.unsigned_abs()
                }
            };
            items.push((index, value, append));
            next = index.saturating_add(1);
        }
        Flow::Continue(Items::Indexed(items))
    }

    /// Assigns the elements of a list one after the other, where a subscript is an expression: it sees what those before it
    /// have done. Every word is expanded by now.
    fn assign_subscripted(&mut self, id: SlotId, items: Vec<Item<Place>>, append: bool) -> Flow {
        if !append {
            self.store(id, Value::Indexed(Box::default()));
        }
        let mut next = self.append_index(id);
        for (place, value, append) in items {
            let index = match place {
                Place::Next => next,
                Place::Subscript(text) => {
                    let index = self.evaluate_text(&text);
                    let index = self.to_top_level(index)?;
                    // A negative one counts from the end of what is there by now.
                    let from_end = || self.append_index(id).checked_sub(index.unsigned_abs());
                    let Some(index) = u64::try_from(index).ok().or_else(from_end) else {
                        let operator: &[u8] = if append { b"]+=" } else { b"]=" };
                        self.error([b"[", &*text, operator, &*value, b": bad array subscript"].concat());
                        if self.opt(Opt::Errexit) {
                            return self.reported();
                        }
                        continue;
                    };
                    index
                }
            };
            self.assign_reference(&Reference::Index(id, index), value, append)?;
            next = index.saturating_add(1);
        }
        NEXT
    }

    /// The element of a list has a subscript that it cannot have: it is left out.
    fn left_out(&mut self, element: &ArrayElement, subscript: &Subscript, cause: &str) -> Flow {
        let mut text = Vec::new();
        subscript_source(subscript, &mut text);
        text.extend_from_slice(if element.append { b"+=" } else { b"=" });
        text.extend(hookshell_syntax::print_word(&element.value));
        self.error([&*text, b": ", cause.as_bytes()].concat());
        if self.opt(Opt::Errexit) { self.reported() } else { Flow::Continue(()) }
    }

    /// The element of a list has no subscript between its brackets: it is left out.
    fn empty_subscript(&mut self, element: &ArrayElement) -> Flow {
        let value = self.expand_to_string(&element.value)?;
        let operator: &[u8] = if element.append { b"[]+=" } else { b"[]=" };
        self.error([operator, &*value, b": bad array subscript"].concat());
        if self.opt(Opt::Errexit) { self.reported() } else { Flow::Continue(()) }
    }

    /// The text of an element in a list of keys and values, in which brackets mean nothing.
    fn element_text(&mut self, element: &ArrayElement) -> Flow<Vec<u8>> {
        let mut text = Vec::new();
        if let Some(subscript) = &element.subscript {
            subscript_source(subscript, &mut text);
            text.extend_from_slice(if element.append { b"+=" } else { b"=" });
        }
        text.extend(self.expand_to_string(&element.value)?);
        Flow::Continue(text)
    }

    fn associative_items(&mut self, id: SlotId, elements: &[ArrayElement]) -> Flow<Vec<Item<Vec<u8>>>> {
        let mut items = Vec::new();
        for unit in associative_units(elements) {
            items.extend(self.associative_item(id, unit)?);
        }
        Flow::Continue(items)
    }

    /// `name+=( … )` of an associative array: each element is there when the next one is expanded, as in bash.
    fn append_associative(&mut self, id: SlotId, elements: &[ArrayElement]) -> Flow {
        let target = self.traced_list.take();
        let mut traced = Vec::new();
        for unit in associative_units(elements) {
            let Some(item) = self.associative_item(id, unit)? else { continue };
            if target.is_some() {
                traced.push(item.clone());
            }
            self.assign_items(id, Items::Associative(vec![item]), true)?;
        }
        if let Some(target) = target {
            let subscripts = elements.first().is_some_and(|element| element.subscript.is_some());
            self.trace_items(target, &Items::Associative(traced), subscripts);
        }
        NEXT
    }

    /// One element of an associative array, or a key and its value; nothing, with a message, where it can be none.
    fn associative_item(&mut self, id: SlotId, unit: AssociativeUnit<'_>) -> Flow<Option<Item<Vec<u8>>>> {
        let element = match unit {
            AssociativeUnit::Element(element) => element,
            AssociativeUnit::Pair(element, value) => {
                let key = self.element_text(element)?;
                if key.is_empty() {
                    let text = hookshell_syntax::print_word(&element.value);
                    self.error([&*text, b": bad array subscript"].concat());
                    return Flow::Continue(None);
                }
                let value = match value {
                    Some(element) => self.element_text(element)?,
                    None => Vec::new(),
                };
                self.reserve(key.capacity() + value.capacity() + 2 * ELEMENT)?;
                return Flow::Continue(Some((key, value, false)));
            }
        };
        let Some(subscript) = &element.subscript else {
            let text = self.expand_to_string(&element.value)?;
            let name = self.vars.name(id);
            self.error([&*name, b": ", &*text, b": must use subscript when assigning associative array"].concat());
            return Flow::Continue(None);
        };
        let key = match subscript {
            Subscript::All => b"@".to_vec(),
            Subscript::Star => b"*".to_vec(),
            Subscript::Index(index) => self.expand_to_string(&index.key)?,
        };
        // bash: the value of such an element is not expanded.
        if key.is_empty() {
            let mut text = Vec::new();
            subscript_source(subscript, &mut text);
            let value = hookshell_syntax::print_word(&element.value);
            self.error([&*text, b"=", &*value, b": bad array subscript"].concat());
            return if self.opt(Opt::Errexit) { self.reported() } else { Flow::Continue(None) };
        }
        let value = match without_tildes(&element.value) {
            Some(word) => self.expand_to_string(&word)?,
            None => self.expand_to_string(&element.value)?,
        };
        self.reserve(key.capacity() + value.capacity() + 2 * ELEMENT)?;
        Flow::Continue(Some((key, value, element.append)))
    }

    /// Puts the elements of a list into an array, for `append` behind those that it has.
    pub(crate) fn assign_items(&mut self, id: SlotId, items: Items, append: bool) -> Flow {
        let attributes = self.vars.get(id).map(|v| v.attributes).unwrap_or_default();
        let items = if append && !attributes.has(Attributes::SLOW) {
            // Where nothing can go wrong any more the array is not copied: appending costs what is appended.
            match self.append_items(id, items) {
                Some(items) => items,
                None => return NEXT,
            }
        } else {
            items
        };
        match items {
            Items::Subscripted(items) => return self.assign_subscripted(id, items, append),
            Items::Indexed(items) => {
                let mut array = match self.vars.get(id).map(|v| &v.value) {
                    Some(Value::Indexed(array)) if append => (**array).clone(),
                    Some(Value::Scalar(text)) if append => std::iter::once(text.clone()).collect(),
                    _ => IndexedArray::default(),
                };
                for (index, value, add) in items {
                    let old = if add { array.get(index).unwrap_or_default().to_vec() } else { Vec::new() };
                    let value = self.converted(attributes, old, &value, add)?;
                    array.set(index, value);
                }
                self.store(id, Value::Indexed(Box::new(array)));
            }
            Items::Associative(items) => {
                let mut array = match self.vars.get(id).map(|v| &v.value) {
                    Some(Value::Associative(array)) if append => (**array).clone(),
                    _ => AssociativeArray::default(),
                };
                for (key, value, add) in items {
                    // bash: `h=([k]+=v)` adds to what `h` had before.
                    let had = match self.vars.get(id).map(|v| &v.value) {
                        Some(Value::Associative(had)) if add && !append => had.get(&key),
                        _ if add => array.get(&key),
                        _ => None,
                    };
                    let value = self.converted(attributes, had.unwrap_or_default().to_vec(), &value, add)?;
                    array.set(&key, value);
                }
                self.store(id, Value::Associative(Box::new(array)));
            }
        }
        NEXT
    }

    /// Puts elements into the array that the variable has; gives them back where it has none of their kind.
    fn append_items(&mut self, id: SlotId, items: Items) -> Option<Items> {
        let variable = match (self.vars.get(id).map(|v| &v.value), &items) {
            (Some(Value::Indexed(_)), Items::Indexed(_)) | (Some(Value::Associative(_)), Items::Associative(_)) => {
                self.vars.change(id).as_mut()
            }
            _ => None,
        };
        let Some(variable) = variable else { return Some(items) };
        variable.attributes = variable.attributes.with(Attributes::INVISIBLE, false);
        match (&mut variable.value, items) {
            (Value::Indexed(array), Items::Indexed(items)) => {
                items.into_iter().for_each(|(index, mut value, add)| match add {
                    true => array.entry(index).append(&mut value),
                    false => *array.entry(index) = value,
                });
            }
            (Value::Associative(array), Items::Associative(items)) => {
                items.into_iter().for_each(|(key, value, add)| {
                    array.assign(&key, &value, add);
                });
            }
            _ => {}
        }
        let special = self.vars.special(id);
        if special.is_table() {
            self.noticed(id, special);
        }
        None
    }

    /// Puts an array into a variable whatever it was. bash: `set -a` does not concern arrays.
    pub(crate) fn store(&mut self, id: SlotId, value: Value) {
        let variable = self.vars.change(id).get_or_insert_with(|| Variable::new(Value::Unset));
        variable.value = value;
        variable.attributes = variable.attributes.with(Attributes::INVISIBLE, false);
        let special = self.vars.special(id);
        if special.is_table() {
            self.noticed(id, special);
        }
    }

    /// Assigns a string by name, for the shell's own use (`PWD`, `REPLY`, `OPTARG`).
    pub(crate) fn set_variable(&mut self, name: &[u8], value: &[u8]) -> Flow {
        let id = self.vars.slot_bytes(name);
        self.assign_slot(id, value, false)
    }

    /// A variable that may not be changed: the rest of the unit is dropped, in POSIX mode the shell ends, as it does
    /// behind an expansion error.
    pub(crate) fn readonly(&mut self, id: SlotId) -> Flow {
        let name = self.vars.name(id);
        self.error([&*name, b": readonly variable"].concat());
        if self.opt(Opt::Posix) && !self.assigns_for_builtin {
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
        let outer = std::mem::replace(&mut self.assigning, builtin);
        let result = assign(self);
        self.assigning = outer;
        result
    }

    /// Carries out an assignment that a built-in makes: that a variable is read-only is its own failure and ends no
    /// shell, not even in POSIX mode.
    pub(crate) fn for_builtin<T>(&mut self, assign: impl FnOnce(&mut Self) -> Flow<T>) -> Flow<T> {
        let outer = std::mem::replace(&mut self.assigns_for_builtin, true);
        let flow = assign(self);
        self.assigns_for_builtin = outer;
        flow
    }
}
