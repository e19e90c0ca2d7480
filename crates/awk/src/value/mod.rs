//! Values (POSIX XCU awk, Expressions in awk), and the arrays of them.

mod array;

pub(crate) use array::{Elements, Key};

use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;

use crate::format::{self, Argument};
use crate::number;

/// A text that is shared.
pub(crate) type Text = Rc<[u8]>;

/// An array; functions get it by reference.
pub(crate) type Array = Rc<RefCell<Elements>>;

/// What a variable, an element or a field holds.
#[derive(Debug, Clone, Default)]
pub(crate) enum Value {
    /// Nothing yet: zero and the empty string.
    #[default]
    Uninitialized,
    Number(f64),
    String(Text),
    /// What came from outside: a number too if it looks like one (POSIX: a numeric string).
    Input(Text),
    /// A string that has been made longer in its place. Only variables hold one, and it becomes a [`String`](Self::String) when
    /// it is read ([`Value::share`]).
    #[expect(clippy::box_collection, reason = "every value is as large as the largest kind")]
    Grown(Box<Vec<u8>>),
    /// Only in the slots of a function's arrays.
    Array(Array),
}

impl Value {
    /// About how many bytes it takes beside the place that it is in; what it shares with others counts once among them.
    pub(crate) fn memory(&self) -> usize {
        match self {
            Self::Uninitialized | Self::Number(_) => 0,
            Self::String(text) | Self::Input(text) => (text.len() + 16) / Rc::strong_count(text).max(1),
            Self::Grown(text) => text.capacity(),
            Self::Array(array) => array.borrow().memory() / Rc::strong_count(array).max(1),
        }
    }

    /// The length of its text, where it has one.
    #[inline]
    pub(crate) fn text_length(&self) -> usize {
        match self {
            Self::String(text) | Self::Input(text) => text.len(),
            Self::Grown(text) => text.len(),
            Self::Uninitialized | Self::Number(_) | Self::Array(_) => 0,
        }
    }

    /// Its value as a number.
    #[inline]
    pub(crate) fn number(&self) -> f64 {
        match self {
            Self::Number(value) => *value,
            Self::String(text) | Self::Input(text) => number::of_text(text),
            Self::Grown(text) => number::of_text(text),
            Self::Uninitialized | Self::Array(_) => 0.0,
        }
    }

    /// Its number, where it is one: a number, or a numeric string.
    #[inline]
    pub(crate) fn if_number(&self) -> Option<f64> {
        match self {
            Self::Number(value) => Some(*value),
            Self::Input(text) => number::if_numeric(text),
            Self::Uninitialized => Some(0.0),
            Self::String(_) | Self::Grown(_) | Self::Array(_) => None,
        }
    }

    /// Is it true as a condition?
    #[inline]
    pub(crate) fn is_true(&self) -> bool {
        match self {
            Self::Number(value) => *value != 0.0,
            Self::String(text) => !text.is_empty(),
            Self::Grown(text) => !text.is_empty(),
            Self::Input(text) => number::if_numeric(text).map_or(!text.is_empty(), |value| value != 0.0),
            Self::Uninitialized | Self::Array(_) => false,
        }
    }

    /// Its text; a number that is no integer goes by `format`.
    #[inline]
    pub(crate) fn to_text(&self, format: &[u8]) -> Cow<'_, [u8]> {
        match self {
            Self::String(text) | Self::Input(text) => Cow::Borrowed(text),
            Self::Grown(text) => Cow::Borrowed(text),
            Self::Number(value) => {
                let mut out = Vec::new();
                format::push_number(*value, format, false, &mut out);
                Cow::Owned(out)
            }
            Self::Uninitialized | Self::Array(_) => Cow::Borrowed(b""),
        }
    }

    /// Appends its text.
    #[inline]
    pub(crate) fn push_text(&self, format: &[u8], out: &mut Vec<u8>) {
        match self {
            Self::String(text) | Self::Input(text) => out.extend_from_slice(text),
            Self::Grown(text) => out.extend_from_slice(text),
            Self::Number(value) => format::push_number(*value, format, false, out),
            Self::Uninitialized | Self::Array(_) => {}
        }
    }

    /// A copy for another place, which costs little also when it is asked for again.
    #[inline]
    pub(crate) fn share(&mut self) -> Self {
        if let Self::Grown(text) = self {
            *self = Self::String(Rc::from(&text[..]));
        }
        self.clone()
    }

    /// Its text, to be kept.
    pub(crate) fn shared_text(&self, format: &[u8]) -> Text {
        match self {
            Self::String(text) | Self::Input(text) => text.clone(),
            other => Rc::from(&*other.to_text(format)),
        }
    }
}

impl Argument for Value {
    #[inline]
    fn number(&self) -> f64 {
        Self::number(self)
    }

    #[inline]
    fn if_number(&self) -> Option<f64> {
        Self::if_number(self)
    }

    #[inline]
    fn to_text(&self, convfmt: &[u8]) -> Cow<'_, [u8]> {
        Self::to_text(self, convfmt)
    }
}
