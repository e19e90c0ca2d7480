//! `${x:offset:length}`: characters of a string, positional parameters, elements of an array.

use std::ops::ControlFlow;

use hookshell_syntax::ast::{Arithmetic, Parameter};
use hookshell_text::pattern;

use super::parameter::parameter_text;
use crate::flow::{Divert, Flow, divert};
use crate::interpreter::reference::Reference;
use crate::shell::Shell;
use crate::vars::{Fetched, IndexedArray, SlotId, Value};

impl Shell {
    /// Is it an indexed array that has elements?
    pub(super) fn has_indices(&self, id: SlotId) -> bool {
        self.indexed(id).is_some_and(|array| array.len() > 0)
    }

    /// The first elements of an indexed array, at most so many.
    pub(super) fn first_elements(&self, id: SlotId, count: usize) -> Vec<Vec<u8>> {
        let elements = self.indexed(id).into_iter().flat_map(|array| array.from(0));
        elements.take(count).map(<[u8]>::to_vec).collect()
    }

    fn indexed(&self, id: SlotId) -> Option<&IndexedArray> {
        match &self.vars.get(id)?.value {
            Value::Indexed(array) => Some(array),
            _ => None,
        }
    }

    /// The characters, parameters or elements from an offset on.
    pub(super) fn substring(
        &mut self,
        parameter: &Parameter,
        reference: &Reference,
        value: Fetched,
        offset: &Arithmetic,
        length: Option<&Arithmetic>,
    ) -> Flow<Fetched> {
        if let Reference::All(id, star) = reference
            && self.has_indices(*id)
        {
            return self.slice(*id, *star, parameter, offset, length);
        }
        // Of what has no value they are not evaluated.
        if value == Fetched::Unset
            || matches!((&value, reference), (Fetched::Many { items, .. }, Reference::All(..)) if items.is_empty())
        {
            return ControlFlow::Continue(value);
        }
        let name = || String::from_utf8_lossy(&parameter_text(parameter)).into_owned();
        let offset = self.evaluate_of(offset, name)?;
        // The length is evaluated only where the offset is one of the value.
        let length = |shell: &mut Self| match length {
            Some(length) => shell.evaluate_of(length, name).map_continue(Some),
            None => ControlFlow::Continue(None),
        };
        let value = match (value, reference) {
            // ${x[@]:…} of a variable that is no array is about its characters.
            (Fetched::Many { mut items, .. }, Reference::All(id, _))
                if matches!(self.vars.get(*id).map(|v| &v.value), Some(Value::Scalar(_))) =>
            {
                items.pop().map_or(Fetched::Unset, Fetched::One)
            }
            (value, _) => value,
        };
        match value {
            Fetched::Unset => ControlFlow::Continue(Fetched::Unset),
            Fetched::One(text) => {
                // Of ASCII, and in the C locale, the places are those of the bytes.
                let is_ascii = self.env.bytes || text.is_ascii();
                let count = if is_ascii { text.len() } else { pattern::starts(&text).count() };
                let count = i64::try_from(count).unwrap_or(i64::MAX);
                let begin = if offset < 0 { count.saturating_add(offset) } else { offset };
                if begin < 0 || begin > count {
                    return ControlFlow::Continue(Fetched::Unset);
                }
                let length = length(self)?;
                let end = match length {
                    None => count,
                    Some(length) if length < 0 => count.saturating_add(length),
                    Some(length) => begin.saturating_add(length).min(count),
                };
                if end < begin {
                    return self.negative_length(length.unwrap_or(0));
                }
                let at = |n: i64| match usize::try_from(n).unwrap_or(usize::MAX) {
                    n if is_ascii => n.min(text.len()),
                    n => pattern::starts(&text).nth(n).unwrap_or(text.len()),
                };
                ControlFlow::Continue(Fetched::One(text[at(begin)..at(end)].to_vec()))
            }
            Fetched::Many { items, star } => {
                let is_associative = matches!(reference, Reference::All(id, _) if self.is_associative(*id));
                // The positional parameters count from $0, and bash counts the elements of an associative array from 1.
                let is_parameters = matches!(reference, Reference::Parameters(_));
                let count = if is_parameters { self.env.positional.len() + 1 } else { items.len() };
                let count = i64::try_from(count + usize::from(is_associative)).unwrap_or(i64::MAX);
                let begin = if offset < 0 { count.saturating_add(offset) } else { offset };
                let end = count - i64::from(is_associative && offset >= 0);
                if begin < 0 || begin > end {
                    return ControlFlow::Continue(Fetched::Many { items: Vec::new(), star });
                }
                let length = length(self)?;
                if let Some(length) = length
                    && length < 0
                {
                    return self.negative_length(length);
                }
                let skip = usize::try_from(begin - i64::from(is_associative)).unwrap_or(0);
                let take = length.map_or(usize::MAX, |n| usize::try_from(n).unwrap_or(usize::MAX));
                // Of an associative array bash gives one element even where the length is 0.
                let take = if is_associative { take.max(1) } else { take };
                let items = if is_parameters {
                    let name = (skip == 0).then(|| self.env.inherited.name.to_vec());
                    let after = self.env.positional.iter_from(skip.max(1)).map(<[u8]>::to_vec);
                    name.into_iter().chain(after).take(take).collect()
                } else {
                    items.into_iter().skip(skip).take(take).collect()
                };
                ControlFlow::Continue(Fetched::Many { items, star })
            }
        }
    }

    /// The elements of an indexed array from an index on; a negative one counts back from the highest.
    fn slice(
        &mut self,
        id: SlotId,
        star: bool,
        parameter: &Parameter,
        offset: &Arithmetic,
        length: Option<&Arithmetic>,
    ) -> Flow<Fetched> {
        let name = || String::from_utf8_lossy(&parameter_text(parameter)).into_owned();
        let offset = self.evaluate_of(offset, name)?;
        let next = self.indexed(id).map_or(0, IndexedArray::next_index);
        let next = i64::try_from(next).unwrap_or(i64::MAX);
        let begin = if offset < 0 { next.saturating_add(offset) } else { offset };
        if begin < 0 || begin >= next {
            return ControlFlow::Continue(Fetched::Many { items: Vec::new(), star });
        }
        let length = match length {
            Some(length) => Some(self.evaluate_of(length, name)?),
            None => None,
        };
        if let Some(length) = length.filter(|length| *length < 0) {
            return self.negative_length(length);
        }
        let take = length.map_or(usize::MAX, |n| usize::try_from(n).unwrap_or(usize::MAX));
        let items = match self.indexed(id) {
            Some(array) => array.from(begin.unsigned_abs()).take(take).map(<[u8]>::to_vec).collect(),
            None => Vec::new(),
        };
        ControlFlow::Continue(Fetched::Many { items, star })
    }

    fn negative_length(&mut self, length: i64) -> Flow<Fetched> {
        self.error(format!("{length}: substring expression < 0"));
        self.env.status = 1;
        divert(Divert::Discard)
    }
}
