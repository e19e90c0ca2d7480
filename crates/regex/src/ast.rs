//! A parsed expression.

use crate::class::CharClass;

/// A part of an expression.
#[derive(Debug, Clone)]
pub(crate) enum Node {
    /// The empty text.
    Empty,
    /// One character.
    Unit(u32),
    /// One of a set of characters.
    Class(CharClass),
    /// A place.
    Look(Look),
    /// What a group matched.
    BackReference(usize),
    /// A group; the first is 1.
    Group(usize, Box<Node>),
    /// One after the other.
    Concat(Vec<Node>),
    /// One of them.
    Alternation(Vec<Node>),
    /// `min` times or more, up to `max` times.
    Repeat { node: Box<Node>, min: u32, max: Option<u32> },
}

/// A condition on a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    /// `^`
    LineStart,
    /// `$`
    LineEnd,
    /// `` \` ``
    TextStart,
    /// `\'`
    TextEnd,
    /// `\<`
    WordStart,
    /// `\>`
    WordEnd,
    /// `\b`
    Boundary,
    /// `\B`
    NotBoundary,
    /// No character of a word before (`grep -w`).
    NotAfterWord,
    /// No character of a word after (`grep -w`).
    NotBeforeWord,
}

impl Look {
    /// Does it look at characters?
    pub(crate) fn is_of_words(self) -> bool {
        !matches!(self, Self::LineStart | Self::LineEnd | Self::TextStart | Self::TextEnd)
    }
}

impl Node {
    /// Does some part satisfy this?
    pub(crate) fn any(&self, test: &impl Fn(&Node) -> bool) -> bool {
        test(self)
            || match self {
                Node::Group(_, node) | Node::Repeat { node, .. } => node.any(test),
                Node::Concat(nodes) | Node::Alternation(nodes) => nodes.iter().any(|node| node.any(test)),
                _ => false,
            }
    }

    /// Can it match the empty text, whatever the places?
    pub(crate) fn is_nullable(&self) -> bool {
        match self {
            Node::Empty | Node::Look(_) | Node::BackReference(_) => true,
            Node::Unit(_) | Node::Class(_) => false,
            Node::Group(_, node) => node.is_nullable(),
            Node::Concat(nodes) => nodes.iter().all(Node::is_nullable),
            Node::Alternation(nodes) => nodes.iter().any(Node::is_nullable),
            Node::Repeat { node, min, .. } => *min == 0 || node.is_nullable(),
        }
    }
}
