//! The values that programs work on.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

use super::number::{self, Decimal, Literal, Written};
use super::watch::{TooLarge, Watch};

/// How deep values may nest: all that walks them may recurse so far. (Input nests 256 deep at most.)
pub(super) const MAX_DEPTH: u32 = 4_000;

/// The longest string that is made of shorter ones.
pub(super) const MAX_STRING: usize = 1 << 27;

/// From how many keys on an object has an index.
const INDEXED: usize = 12;

/// What an allocation that several share takes beside what is in it.
pub(super) const ALLOCATION: usize = 32;
/// What a key of an index takes.
const PER_INDEXED: usize = 28;

/// What a vector takes while it grows, with what it has been: 0 where that is little, or does not come.
fn coming<T>(items: &Vec<T>, more: usize) -> usize {
    const LITTLE: usize = 1 << 20;
    let bytes = items.capacity() * size_of::<T>();
    if bytes < LITTLE || items.capacity() - items.len() >= more { 0 } else { bytes.saturating_mul(2) }
}

/// A JSON value.
#[derive(Debug, Clone)]
pub(super) enum Value {
    Null,
    Bool(bool),
    /// A computed number.
    Number(f64),
    /// A literal that is printed as its double is.
    Short(f64),
    /// Another literal.
    Long(Arc<Literal>),
    String(Arc<str>),
    Array(Arc<Array>),
    Object(Arc<Object>),
}

/// A message as what a program raises.
pub(super) fn error<T>(message: impl Into<String>) -> Result<T, Value> {
    Err(Value::from(message.into()))
}

/// The elements of an array.
#[derive(Debug, Clone, Default)]
pub(super) struct Array {
    items: Vec<Value>,
    depth: u32,
}

impl Array {
    pub(super) fn items(&self) -> &[Value] {
        &self.items
    }

    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    /// How many bytes it will take when so many elements more have come, where that is much more than now; 0 where it is not. What
    /// is made of what is read may be asked for before.
    pub(super) fn coming(&self, more: usize) -> usize {
        coming(&self.items, more)
    }

    /// About what it takes, without what is in the elements.
    pub(super) fn size(&self) -> usize {
        self.items.capacity() * size_of::<Value>() + Self::ALONE
    }

    /// What an empty one takes.
    pub(super) const ALONE: usize = size_of::<Self>() + ALLOCATION;

    pub(super) fn push(&mut self, value: Value) {
        self.depth = self.depth.max(value.depth() + 1);
        self.items.push(value);
    }

    /// Sets an element, with nulls before it where there are none.
    pub(super) fn set(&mut self, index: usize, value: Value) {
        self.depth = self.depth.max(value.depth() + 1);
        if index >= self.items.len() {
            self.items.resize(index + 1, Value::Null);
        }
        if let Some(slot) = self.items.get_mut(index) {
            *slot = value;
        }
    }

    /// Takes an element out and leaves null.
    pub(super) fn take(&mut self, index: usize) -> Value {
        self.items.get_mut(index).map_or(Value::Null, |slot| std::mem::replace(slot, Value::Null))
    }

    /// Replaces a range.
    pub(super) fn splice(&mut self, start: usize, end: usize, with: &[Value]) {
        for value in with {
            self.depth = self.depth.max(value.depth() + 1);
        }
        self.items.splice(start..end, with.iter().cloned());
    }
}

impl FromIterator<Value> for Array {
    fn from_iter<T: IntoIterator<Item = Value>>(iter: T) -> Self {
        let items: Vec<Value> = iter.into_iter().collect();
        let depth = items.iter().map(Value::depth).max().unwrap_or(0) + 1;
        Self { items, depth }
    }
}

/// The members of an object, in the order in which their keys came first.
#[derive(Debug, Clone, Default)]
pub(super) struct Object {
    entries: Vec<(Arc<str>, Value)>,
    index: Option<HashMap<Arc<str>, usize>>,
    depth: u32,
}

impl Object {
    /// About what a member takes, with its place in the index.
    pub(super) const PER_MEMBER: usize = size_of::<(Arc<str>, Value)>() + 40;

    /// What an empty one takes.
    pub(super) const ALONE: usize = size_of::<Self>() + ALLOCATION;

    /// About what it takes, without the keys and what is in the values.
    pub(super) fn size(&self) -> usize {
        let index = self.index.as_ref().map_or(0, |index| index.capacity() * PER_INDEXED);
        self.entries.capacity() * size_of::<(Arc<str>, Value)>() + index + Self::ALONE
    }

    /// As [`Array::coming`].
    pub(super) fn coming(&self, more: usize) -> usize {
        // The index grows with it.
        2 * coming(&self.entries, more)
    }

    pub(super) fn entries(&self) -> &[(Arc<str>, Value)] {
        &self.entries
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    fn position(&self, key: &str) -> Option<usize> {
        match &self.index {
            Some(index) => index.get(key).copied(),
            None => self.entries.iter().position(|(own, _)| &**own == key),
        }
    }

    pub(super) fn get(&self, key: &str) -> Option<&Value> {
        self.entries.get(self.position(key)?).map(|(_, value)| value)
    }

    pub(super) fn set(&mut self, key: Arc<str>, value: Value) {
        self.depth = self.depth.max(value.depth() + 1);
        if let Some(at) = self.position(&key) {
            if let Some((_, slot)) = self.entries.get_mut(at) {
                *slot = value;
            }
            return;
        }
        match &mut self.index {
            Some(index) => {
                index.insert(key.clone(), self.entries.len());
            }
            None if self.entries.len() >= INDEXED => {
                let mut index: HashMap<_, _> =
                    self.entries.iter().enumerate().map(|(at, (key, _))| (key.clone(), at)).collect();
                index.insert(key.clone(), self.entries.len());
                self.index = Some(index);
            }
            None => {}
        }
        self.entries.push((key, value));
    }

    /// Takes a value out and leaves null.
    pub(super) fn take(&mut self, key: &str) -> Value {
        let slot = self.position(key).and_then(|at| self.entries.get_mut(at));
        slot.map_or(Value::Null, |(_, value)| std::mem::replace(value, Value::Null))
    }

    pub(super) fn remove_all(&mut self, keys: &[Arc<str>]) {
        if let [key] = keys
            && self.index.is_none()
        {
            if let Some(at) = self.position(key) {
                self.entries.remove(at);
            }
            return;
        }
        let keys: std::collections::HashSet<&str> = keys.iter().map(|key| &**key).collect();
        self.entries.retain(|(key, _)| !keys.contains(&**key));
        if self.index.is_some() {
            self.index = Some(self.entries.iter().enumerate().map(|(at, (key, _))| (key.clone(), at)).collect());
        }
    }

    /// The members sorted by the bytes of their keys.
    pub(super) fn sorted(&self) -> Vec<&(Arc<str>, Value)> {
        let mut entries: Vec<_> = self.entries.iter().collect();
        entries.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        entries
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::String(text.into())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::String(text.into())
    }
}

impl From<Written> for Value {
    #[inline]
    fn from(number: Written) -> Self {
        match number {
            Written::Short(value) => Self::Short(value),
            Written::Long(literal) => Self::Long(literal),
        }
    }
}

impl From<TooLarge> for Value {
    fn from(_: TooLarge) -> Self {
        "hookshell's jq: a value is too large".into()
    }
}

impl Value {
    pub(super) fn array(items: Vec<Value>) -> Self {
        Self::Array(Arc::new(items.into_iter().collect()))
    }

    pub(super) fn object<const N: usize>(entries: [(&str, Value); N]) -> Self {
        let mut object = Object::default();
        for (key, value) in entries {
            object.set(key.into(), value);
        }
        Self::Object(Arc::new(object))
    }

    /// A count as a number.
    #[allow(clippy::cast_precision_loss, reason = "jq's numbers are doubles")]
    pub(super) fn count(count: usize) -> Self {
        Self::Number(count as f64)
    }

    /// How deep it nests; 0 for what is not a container. (An upper bound: it does not shrink by deletions.)
    pub(super) fn depth(&self) -> u32 {
        match self {
            Self::Array(array) => array.depth.max(1),
            Self::Object(object) => object.depth.max(1),
            _ => 0,
        }
    }

    pub(super) fn is_true(&self) -> bool {
        !matches!(self, Self::Null | Self::Bool(false))
    }

    pub(super) fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Number(value) | Self::Short(value) => Some(*value),
            Self::Long(literal) => Some(literal.value()),
            _ => None,
        }
    }

    pub(super) fn is_number(&self) -> bool {
        matches!(self, Self::Number(_) | Self::Short(_) | Self::Long(_))
    }

    pub(super) fn is_nan(&self) -> bool {
        match self {
            Self::Number(value) => value.is_nan(),
            Self::Long(literal) => literal.is_nan(),
            _ => false,
        }
    }

    /// The name of its type.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "boolean",
            Self::Number(_) | Self::Short(_) | Self::Long(_) => "number",
            Self::String(_) => "string",
            Self::Array(_) => "array",
            Self::Object(_) => "object",
        }
    }

    /// The place of its type in the order of all values.
    fn rank(&self) -> u8 {
        match self {
            Self::Null => 1,
            Self::Bool(false) => 2,
            Self::Bool(true) => 3,
            Self::Number(_) | Self::Short(_) | Self::Long(_) => 4,
            Self::String(_) => 5,
            Self::Array(_) => 6,
            Self::Object(_) => 7,
        }
    }

    /// jq's `jv_cmp`.
    pub(super) fn compare(&self, other: &Self, watch: &Watch<'_>) -> Ordering {
        if !watch.should_continue() {
            return Ordering::Equal;
        }
        let ranks = self.rank().cmp(&other.rank());
        if ranks.is_ne() {
            return ranks;
        }
        match (self, other) {
            (Self::String(a), Self::String(b)) => a.as_bytes().cmp(b.as_bytes()),
            (Self::Array(a), Self::Array(b)) => {
                for (a, b) in a.items.iter().zip(&b.items) {
                    let order = a.compare(b, watch);
                    if order.is_ne() {
                        return order;
                    }
                }
                a.len().cmp(&b.len())
            }
            (Self::Object(a), Self::Object(b)) => {
                let (a, b) = (a.sorted(), b.sorted());
                let keys = a.iter().map(|entry| &entry.0).cmp(b.iter().map(|entry| &entry.0));
                if keys.is_ne() {
                    return keys;
                }
                a.iter()
                    .zip(&b)
                    .map(|(a, b)| a.1.compare(&b.1, watch))
                    .find(|order| order.is_ne())
                    .unwrap_or(Ordering::Equal)
            }
            (a, b) if a.is_number() => {
                // NaN is less than any number, NaN included.
                if a.is_nan() {
                    Ordering::Less
                } else if b.is_nan() {
                    Ordering::Greater
                } else {
                    compare_numbers(a, b)
                }
            }
            _ => Ordering::Equal,
        }
    }

    /// jq's `jv_equal`: what is one in memory is equal, NaN inside or not.
    pub(super) fn equals(&self, other: &Self, watch: &Watch<'_>) -> bool {
        if !watch.should_continue() {
            return false;
        }
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::String(a), Self::String(b)) => a == b,
            (Self::Array(a), Self::Array(b)) => {
                Arc::ptr_eq(a, b)
                    || (a.len() == b.len() && a.items.iter().zip(&b.items).all(|(a, b)| a.equals(b, watch)))
            }
            (Self::Object(a), Self::Object(b)) => {
                Arc::ptr_eq(a, b)
                    || (a.len() == b.len()
                        && a.entries.iter().all(|(key, a)| b.get(key).is_some_and(|b| a.equals(b, watch))))
            }
            (Self::Long(a), Self::Long(b)) if Arc::ptr_eq(a, b) => true,
            (a, b) if a.is_number() && b.is_number() => compare_numbers(a, b).is_eq(),
            _ => false,
        }
    }

    /// jq's `jv_identical`: the same in memory. It decides whether a path is still one.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Number(a), Self::Number(b)) | (Self::Short(a), Self::Short(b)) => a.to_bits() == b.to_bits(),
            (Self::Long(a), Self::Long(b)) => Arc::ptr_eq(a, b),
            (Self::String(a), Self::String(b)) => Arc::ptr_eq(a, b),
            (Self::Array(a), Self::Array(b)) => Arc::ptr_eq(a, b),
            (Self::Object(a), Self::Object(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }

    /// jq's `jv_contains`.
    pub(super) fn contains(&self, other: &Self, watch: &Watch<'_>) -> bool {
        if !watch.should_continue() {
            return false;
        }
        match (self, other) {
            (Self::Object(a), Self::Object(b)) => {
                b.entries.iter().all(|(key, b)| a.get(key).is_some_and(|a| a.contains(b, watch)))
            }
            (Self::Array(a), Self::Array(b)) => b.items.iter().all(|b| a.items.iter().any(|a| a.contains(b, watch))),
            (Self::String(a), Self::String(b)) => a.contains(&**b),
            _ => self.equals(other, watch),
        }
    }
}

/// The order of two numbers that are not NaN: two literals as decimals, anything else as doubles.
fn compare_numbers(a: &Value, b: &Value) -> Ordering {
    if (matches!(a, Value::Long(_)) || matches!(b, Value::Long(_)))
        && let (Some(a), Some(b)) = (decimal_of(a), decimal_of(b))
    {
        return number::compare(&a, &b);
    }
    let (a, b) = (a.as_f64().unwrap_or(f64::NAN), b.as_f64().unwrap_or(f64::NAN));
    // As jq: neither less nor equal is greater.
    a.partial_cmp(&b).unwrap_or(Ordering::Greater)
}

fn decimal_of(value: &Value) -> Option<Decimal> {
    match value {
        Value::Long(literal) => Some(literal.decimal().clone()),
        Value::Short(value) => number::decimal_of(*value),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Value, Watch};

    #[test]
    fn a_text_longer_than_any_memory_is_cut() {
        let watch = Watch::unwatched();
        let doubled = (0..60).fold(Value::Null, |value, _| Value::array(vec![value.clone(), value]));
        let length = doubled.cut_json(1000, &watch).len();
        assert!((1000..1200).contains(&length), "{length}");
        assert_eq!(Value::array(vec![Value::Null, Value::count(1)]).cut_json(1000, &watch), "[null,1]");
    }
}
