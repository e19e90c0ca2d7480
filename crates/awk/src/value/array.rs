//! The elements of arrays.

use std::rc::Rc;

use hookshell_text::integer;
use indexmap::IndexMap;

use super::{Text, Value};
use crate::number;

/// What an element that is found by hashing takes beside its texts.
const PER_ELEMENT: usize = 80;

/// A subscript: a number that counts, or a text.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Key<'k> {
    Index(usize),
    Text(&'k [u8], Option<&'k Text>),
}

/// Numbers of more digits are texts.
const MAX_DIGITS: usize = 9;

impl<'k> Key<'k> {
    /// The subscript that a text is: `12` counts, `012` does not.
    pub(crate) fn of_text(text: &'k [u8]) -> Self {
        match text {
            [b'0'] => Self::Index(0),
            [b'1'..=b'9', rest @ ..] if rest.len() < MAX_DIGITS && rest.iter().all(u8::is_ascii_digit) => {
                Self::Index(text.iter().fold(0, |value, digit| value * 10 + usize::from(digit - b'0')))
            }
            _ => Self::Text(text, None),
        }
    }

    /// Calls `use_key` with the subscript that a value is.
    pub(crate) fn with<R>(subscript: &Value, convfmt: &[u8], use_key: impl FnOnce(Key<'_>) -> R) -> R {
        match subscript {
            Value::Number(value) if *value >= 0.0 && *value < 1e9 && *value == value.trunc() => {
                use_key(Key::Index(*value as usize))
            }
            Value::String(text) | Value::Input(text) => use_key(match Key::of_text(text) {
                Key::Text(bytes, _) => Key::Text(bytes, Some(text)),
                index => index,
            }),
            other => use_key(Key::of_text(&other.to_text(convfmt))),
        }
    }
}

fn text_of(index: usize, buffer: &mut integer::DecimalBuffer) -> &[u8] {
    number::integer_text(index as f64, buffer).unwrap_or_default()
}

/// The elements of an array. Those that are counted up from 0 or 1 stand in a row; all others are found by hashing.
#[derive(Debug, Default)]
pub(crate) struct Elements {
    /// The elements with the subscripts from 0 on; a subscript that is beyond is in `others`.
    row: Vec<Option<Value>>,
    /// How many there are in the row.
    in_row: usize,
    others: IndexMap<Text, Value, hashbrown::DefaultHashBuilder>,
}

impl Elements {
    pub(crate) fn len(&self) -> usize {
        self.in_row + self.others.len()
    }

    /// About how many bytes they take.
    pub(crate) fn memory(&self) -> usize {
        let row = self.row.capacity() * size_of::<Option<Value>>();
        let in_row: usize = self.row.iter().flatten().map(Value::memory).sum();
        let others: usize = self.others.iter().map(|(key, value)| key.len() + PER_ELEMENT + value.memory()).sum();
        row + in_row + others
    }

    pub(crate) fn clear(&mut self) {
        self.row.clear();
        self.in_row = 0;
        self.others.clear();
    }

    pub(crate) fn get(&self, key: Key<'_>) -> Option<&Value> {
        match key {
            Key::Index(index) if index < self.row.len() => self.row.get(index)?.as_ref(),
            Key::Index(_) if self.others.is_empty() => None,
            Key::Index(index) => self.others.get(text_of(index, &mut integer::DecimalBuffer::new())),
            Key::Text(text, _) => self.others.get(text),
        }
    }

    /// The element; where there is none it is made.
    pub(crate) fn entry(&mut self, key: Key<'_>) -> Option<&mut Value> {
        let mut buffer = integer::DecimalBuffer::new();
        let (text, shared) = match key {
            Key::Index(index) => {
                let at_end = index == self.row.len() || (index == 1 && self.row.is_empty());
                if at_end && (self.others.is_empty() || !self.others.contains_key(text_of(index, &mut buffer))) {
                    self.row.resize_with(index + 1, || None);
                }
                if let Some(slot) = self.row.get_mut(index) {
                    self.in_row += usize::from(slot.is_none());
                    return Some(slot.get_or_insert_default());
                }
                (text_of(index, &mut buffer), None)
            }
            Key::Text(text, shared) => (text, shared),
        };
        let at = match self.others.get_index_of(text) {
            Some(at) => at,
            None => {
                let text = shared.cloned().unwrap_or_else(|| Rc::from(text));
                self.others.insert_full(text, Value::Uninitialized).0
            }
        };
        self.others.get_index_mut(at).map(|(_, value)| value)
    }

    pub(crate) fn insert(&mut self, key: Key<'_>, value: Value) {
        if let Some(element) = self.entry(key) {
            *element = value;
        }
    }

    pub(crate) fn remove(&mut self, key: Key<'_>) {
        match key {
            Key::Index(index) if index < self.row.len() => {
                if self.row.get_mut(index).and_then(Option::take).is_some() {
                    self.in_row -= 1;
                }
                // A row that is emptied from its end, as a stack is, gets shorter.
                while let Some(None) = self.row.last() {
                    self.row.pop();
                }
            }
            Key::Index(index) => drop(self.others.swap_remove(text_of(index, &mut integer::DecimalBuffer::new()))),
            Key::Text(text, _) => drop(self.others.swap_remove(text)),
        }
    }

    /// The subscripts: those of the row, then the others in the order in which they came into being.
    pub(crate) fn keys(&self) -> Vec<Text> {
        let mut buffer = integer::DecimalBuffer::new();
        let mut keys: Vec<Text> = Vec::with_capacity(self.len());
        for (index, element) in self.row.iter().enumerate() {
            if element.is_some() {
                keys.push(Rc::from(text_of(index, &mut buffer)));
            }
        }
        keys.extend(self.others.keys().cloned());
        keys
    }
}

#[cfg(test)]
mod tests {
    use super::{Elements, Key, Value};

    fn keys(elements: &Elements) -> Vec<String> {
        elements.keys().iter().map(|key| String::from_utf8_lossy(key).into_owned()).collect()
    }

    #[test]
    fn what_is_counted_and_what_is_not_are_one_array() {
        let mut elements = Elements::default();
        for key in [&b"5"[..], b"x", b"2", b"1", b"01", b"0", b"3", b"4", b"-1", b"6"] {
            elements.insert(Key::of_text(key), Value::Number(elements.len() as f64));
        }
        assert_eq!(elements.len(), 10);
        let mut all = keys(&elements);
        all.sort();
        assert_eq!(all, ["-1", "0", "01", "1", "2", "3", "4", "5", "6", "x"]);
        assert_eq!(elements.get(Key::Index(5)).map(Value::number), Some(0.0));
        assert_eq!(elements.get(Key::of_text(b"4")).map(Value::number), Some(7.0));
        for key in [&b"5"[..], b"2", b"1", b"7", b"x", b"none"] {
            elements.remove(Key::of_text(key));
            assert!(elements.get(Key::of_text(key)).is_none());
        }
        assert_eq!(elements.len(), 6);
        elements.insert(Key::Index(5), Value::Number(9.0));
        elements.insert(Key::Index(2), Value::Number(8.0));
        assert_eq!(elements.get(Key::Index(5)).map(Value::number), Some(9.0));
        assert_eq!(elements.len(), 8);
        elements.clear();
        assert_eq!((elements.len(), keys(&elements).len()), (0, 0));
    }

    #[test]
    fn a_row_grows_from_one_and_shrinks_from_its_end() {
        let mut elements = Elements::default();
        for index in 1..=1000 {
            elements.insert(Key::Index(index), Value::Number(index as f64));
        }
        assert!(elements.others.is_empty());
        for index in (1..=1000).rev() {
            elements.remove(Key::Index(index));
        }
        assert_eq!((elements.len(), elements.row.len()), (0, 0));
    }
}
