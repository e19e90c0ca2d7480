//! Lists: `name=( … )`, `name+=( … )` (bash).

use std::borrow::Cow;

use hookshell_syntax::ast::{ArithmeticExpression, ArrayElement, Subscript, Word, WordPart, WordParts};

use crate::flow::{Flow, NEXT};
use crate::interpreter::reference::Reference;
use crate::options::Opt;
use crate::shell::Shell;
use crate::vars::{AssociativeArray, Attributes, ELEMENT, IndexedArray, SlotId, Value, Variable};

/// A subscript as it stands in the source, for messages.
pub(super) fn subscript_source(subscript: &Subscript, out: &mut Vec<u8>) {
    out.push(b'[');
    match subscript {
        Subscript::All => out.push(b'@'),
        Subscript::Star => out.push(b'*'),
        Subscript::Index(index) => out.extend_from_slice(&hookshell_syntax::print_word(&index.key)),
    }
    out.push(b']');
}

/// Is it `[]`?
pub(super) fn is_empty_subscript(subscript: &Subscript) -> bool {
    matches!(subscript, Subscript::Index(index) if index.key.parts.is_empty()
        || matches!(&*index.key.parts, [WordPart::Literal(text)] if text.is_empty()))
}

/// An expanded element of a list: where it goes, its value, and whether it is appended to what is there.
type Item<Place> = (Place, Vec<u8>, bool);

/// The subscript of an expanded element.
pub(crate) enum Place {
    /// None: after the element before.
    Next,
    Number(i64),
    /// Its expanded text, an expression.
    Text(Vec<u8>),
}

/// The expanded elements of a list.
pub(crate) enum Items {
    Indexed(Vec<(u64, Vec<u8>)>),
    /// Of an indexed array too: the subscripts are evaluated when the elements are assigned, each with those before it
    /// in place.
    Subscripted(Vec<Item<Place>>),
    Associative(Vec<Item<Vec<u8>>>),
}

/// An element for a trace: the text of its subscript, its value, and whether it is appended.
type Shown<'a> = (Option<Cow<'a, [u8]>>, &'a [u8], bool);

impl Items {
    /// The elements for a trace.
    pub(crate) fn shown(&self) -> Vec<Shown<'_>> {
        match self {
            Self::Indexed(items) => items.iter().map(|(_, value)| (None, &**value, false)).collect(),
            Self::Subscripted(items) => {
                items.iter().map(|(place, value, append)| (place.text(), &**value, *append)).collect()
            }
            Self::Associative(items) => {
                items.iter().map(|(key, value, append)| (Some(Cow::from(&**key)), &**value, *append)).collect()
            }
        }
    }
}

impl Place {
    fn text(&self) -> Option<Cow<'_, [u8]>> {
        match self {
            Self::Next => None,
            Self::Number(number) => Some(number.to_string().into_bytes().into()),
            Self::Text(text) => Some(text.into()),
        }
    }
}

/// bash: in the list of an associative array a tilde stands for itself. `None` if the word has none.
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
        let target = self.scratch.traced_list.take();
        let items = if associative {
            Items::Associative(self.associative_items(id, elements)?)
        } else if elements.iter().all(|element| element.subscript.is_none()) {
            Items::Indexed(self.indexed_items(elements, start)?)
        } else {
            Items::Subscripted(self.subscripted_items(elements)?)
        };
        if let Some(target) = target {
            let subscripts = elements.first().is_some_and(|element| element.subscript.is_some());
            self.trace_items(target, &items, subscripts);
        }
        Flow::Continue(items)
    }

    fn indexed_items(&mut self, elements: &[ArrayElement], start: u64) -> Flow<Vec<(u64, Vec<u8>)>> {
        let mut fields = self.take_args();
        let mut patterns = Vec::new();
        for element in elements {
            self.expand_word(&element.value, &mut fields, &mut patterns)?;
        }
        self.expand_pathnames(0, &patterns, &mut fields)?;
        self.reserve(fields.byte_len() + fields.len() * 2 * ELEMENT)?;
        let items = (start..).zip(&fields).map(|(index, field)| (index, field.to_vec())).collect();
        self.give_args(fields);
        Flow::Continue(items)
    }

    fn subscripted_items(&mut self, elements: &[ArrayElement]) -> Flow<Vec<Item<Place>>> {
        let mut items = Vec::new();
        for element in elements {
            let braced = element.braced.as_deref().filter(|_| self.opt(Opt::Braceexpand));
            let Some(subscript) = element.subscript.as_ref().filter(|_| braced.is_none()) else {
                let mut fields = self.take_args();
                self.expand_fields(braced.unwrap_or(&element.value), &mut fields)?;
                self.reserve(fields.byte_len() + fields.len() * 2 * ELEMENT)?;
                items.extend(fields.iter().map(|field| (Place::Next, field.to_vec(), false)));
                self.give_args(fields);
                continue;
            };
            let place = match subscript {
                Subscript::All => Place::Text(b"@".to_vec()),
                Subscript::Star => Place::Text(b"*".to_vec()),
                Subscript::Index(key) => match &key.arithmetic.expression {
                    Some(ArithmeticExpression::Number(number)) if !is_empty_subscript(subscript) => {
                        Place::Number(*number)
                    }
                    _ => Place::Text(self.expand_to_string(&key.key)?),
                },
            };
            let mut value = Vec::new();
            self.expand_assigned(&element.value, &mut value)?;
            self.reserve(value.capacity() + 2 * ELEMENT)?;
            items.push((place, value, element.append));
        }
        Flow::Continue(items)
    }

    /// The element of a list has a subscript that it cannot have: it is left out.
    fn left_out(&mut self, (place, value, append): &Item<Place>, cause: &str) -> Flow {
        let subscript = place.text().unwrap_or_default();
        let operator: &[u8] = if *append { b"]+=" } else { b"]=" };
        self.error([b"[", &*subscript, operator, value, b": ", cause.as_bytes()].concat());
        if self.opt(Opt::Errexit) { self.reported() } else { NEXT }
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
        let target = self.scratch.traced_list.take();
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

    /// Puts the elements of a list into an array, for `append` after those that it has.
    pub(crate) fn assign_items(&mut self, id: SlotId, items: Items, append: bool) -> Flow {
        let attributes = self.vars.get(id).map(|v| v.attributes).unwrap_or_default();
        let items = match items {
            Items::Subscripted(items) => return self.assign_subscripted(id, items, append),
            // The array is not copied for each list.
            Items::Associative(items) if append && attributes.has(Attributes::SLOW) => {
                return items
                    .into_iter()
                    .try_for_each(|(key, value, add)| self.assign_reference(&Reference::Key(id, key), value, add));
            }
            Items::Indexed(items) if attributes.has(Attributes::SLOW) => {
                self.begin_array(id, append);
                return items
                    .into_iter()
                    .try_for_each(|(index, value)| self.assign_reference(&Reference::Index(id, index), value, false));
            }
            items => items,
        };
        let items = if append {
            // Where nothing can go wrong any more the array is not copied: appending costs what is appended.
            match self.append_items(id, items) {
                Some(items) => items,
                None => return NEXT,
            }
        } else {
            items
        };
        match items {
            Items::Indexed(items) => {
                let mut array = match self.vars.get(id).map(|v| &v.value) {
                    Some(Value::Scalar(text)) if append => std::iter::once(text.clone()).collect(),
                    _ => IndexedArray::default(),
                };
                for (index, value) in items {
                    array.set(index, value);
                }
                self.store(id, Value::Indexed(Box::new(array)));
            }
            Items::Associative(items) => {
                let mut array = AssociativeArray::default();
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
            Items::Subscripted(_) => {}
        }
        NEXT
    }

    /// Makes an indexed array of the variable, for `append` with what it has.
    fn begin_array(&mut self, id: SlotId, append: bool) {
        let array = match self.vars.change(id).as_mut().map(|variable| &mut variable.value) {
            Some(Value::Indexed(array)) if append => std::mem::take(array),
            Some(Value::Scalar(text)) if append => Box::new(std::iter::once(std::mem::take(text)).collect()),
            _ => Box::default(),
        };
        self.store(id, Value::Indexed(array));
    }

    /// Assigns elements one by one: what fails leaves those before it.
    fn assign_subscripted(&mut self, id: SlotId, items: Vec<Item<Place>>, append: bool) -> Flow {
        self.begin_array(id, append);
        let mut next = if append { self.append_index(id) } else { 0 };
        // A negative subscript counts from the end of what is there by now.
        let mut end = next;
        for item in items {
            let number = match &item.0 {
                Place::Next => None,
                Place::Number(number) => Some(*number),
                Place::Text(text) if text.is_empty() => {
                    self.left_out(&item, "bad array subscript")?;
                    continue;
                }
                Place::Text(text) if matches!(text.as_slice(), b"@" | b"*") => {
                    self.left_out(&item, "cannot assign to non-numeric index")?;
                    continue;
                }
                Place::Text(text) => {
                    let number = self.evaluate_text(text);
                    Some(self.to_top_level(number)?)
                }
            };
            let index = match number {
                None => Some(next),
                Some(number) => u64::try_from(number).ok().or_else(|| end.checked_sub(number.unsigned_abs())),
            };
            let Some(index) = index else {
                self.left_out(&item, "bad array subscript")?;
                continue;
            };
            let (_, value, add) = item;
            self.assign_reference(&Reference::Index(id, index), value, add)?;
            next = index.saturating_add(1);
            end = end.max(next);
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
                items.into_iter().for_each(|(index, value)| array.set(index, value));
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
            self.variable_changed(id, special);
        }
        None
    }
}
