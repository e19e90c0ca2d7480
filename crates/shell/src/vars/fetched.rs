//! What is read of a variable, or of a part of it.

/// The value that a name or an element has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fetched {
    Unset,
    One(Vec<u8>),
    Many { items: Vec<Vec<u8>>, star: bool },
}

impl Fetched {
    /// The elements as those of `[*]`.
    pub(crate) fn into_star(self) -> Self {
        match self {
            Fetched::Many { items, .. } => Fetched::Many { items, star: true },
            other => other,
        }
    }

    /// The value with each of its texts changed.
    pub(crate) fn map(self, mut change: impl FnMut(Vec<u8>) -> Vec<u8>) -> Self {
        match self {
            Fetched::Unset => Fetched::Unset,
            Fetched::One(text) => Fetched::One(change(text)),
            Fetched::Many { items, star } => Fetched::Many { items: items.into_iter().map(change).collect(), star },
        }
    }
}
