//! The tree of an expression.

use std::sync::Arc;

use super::set::Set;

/// Why an expression is not compiled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// PCRE's message.
    Invalid(&'static str),
    /// Something in it is not supported.
    Unsupported,
}

/// A place, or what is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// `\A`, and `^` without the option `m`.
    Begin,
    /// `\z`, and `$` without the option `m`.
    End,
    /// `\Z`
    LastEnd,
    LineBegin,
    LineEnd,
    Word,
    NotWord,
    /// `\G`: where the search began.
    Search,
}

/// What stops going back in a way of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Verb {
    Commit,
    Prune,
    Skip,
    /// To the mark of this number.
    SkipTo(usize),
    Then,
}

/// What a condition asks.
#[derive(Debug, Clone)]
pub(super) enum Condition {
    /// Is one of these groups set?
    Group(Vec<usize>),
    /// Are we in a recursion, into one of these groups?
    Recursion(Option<Vec<usize>>),
    /// `(DEFINE)`, or a version that is not this one.
    Never,
    Always,
    /// A look-around.
    Look(Box<Node>),
}

#[derive(Debug, Clone)]
pub(super) enum Node {
    Empty,
    Fail,
    Accept,
    Char(char),
    Set(Arc<Set>),
    Place(Place),
    Keep,
    Group(usize, Box<Node>),
    /// The first of these groups that is set; is case ignored?
    Reference(Vec<usize>, bool),
    Look {
        ahead: bool,
        negated: bool,
        inner: Box<Node>,
    },
    Atomic(Box<Node>),
    Condition(Condition, Box<Node>, Box<Node>),
    Repeat {
        inner: Box<Node>,
        least: usize,
        most: Option<usize>,
        greedy: bool,
    },
    Concat(Vec<Node>),
    Alternatives(Vec<Node>),
    /// The group as a subroutine; 0 is the whole expression.
    Call(usize),
    Mark(usize),
    Verb(Verb),
}
