//! A program that can be run: what the resolver makes, and the machine runs.

use std::sync::Arc;

use super::ast::Op;
use super::builtin::Native;
use super::value::Value;

/// An expression of a program.
pub(super) type NodeId = u32;

/// What an expression does.
#[derive(Debug)]
pub(super) enum Node {
    Identity,
    Const(Value),
    Empty,
    Index {
        term: NodeId,
        key: NodeId,
        optional: bool,
    },
    Slice {
        term: NodeId,
        from: NodeId,
        to: NodeId,
        optional: bool,
    },
    Each {
        term: NodeId,
        optional: bool,
    },
    Pipe(NodeId, NodeId),
    Comma(NodeId, NodeId),
    Binary(Op, NodeId, NodeId),
    And(NodeId, NodeId),
    Or(NodeId, NodeId),
    Alternative(NodeId, NodeId),
    Negate(NodeId),
    Modify(NodeId, NodeId),
    Collect(NodeId),
    /// Keys and values; `None`: the member of the input.
    Object(Box<[(NodeId, Option<NodeId>)]>),
    /// The variable so many places up.
    Variable(u32),
    /// A variable from the command line.
    Global(u32),
    /// The parameter so many places up.
    Closure(u32),
    /// A function, how much of the environment it does not see, and its arguments.
    Function {
        function: u32,
        hidden: u32,
        args: Box<[NodeId]>,
    },
    Native {
        native: Native,
        args: Box<[NodeId]>,
    },
    Format(NodeId, Arc<str>),
    If(NodeId, NodeId, NodeId),
    Try(NodeId, Option<NodeId>),
    Label(NodeId),
    Break(u32),
    Reduce {
        source: NodeId,
        patterns: u32,
        init: NodeId,
        update: NodeId,
    },
    Foreach {
        source: NodeId,
        patterns: u32,
        init: NodeId,
        update: NodeId,
        extract: Option<NodeId>,
    },
    Bind {
        source: NodeId,
        patterns: u32,
        body: NodeId,
    },
    Path(NodeId),
    Range(NodeId, NodeId),
}

/// What a value is taken apart by.
#[derive(Debug)]
pub(super) enum Matcher {
    Variable(u32),
    Array(Vec<Matcher>),
    Object(Vec<(NodeId, Option<u32>, Option<Matcher>)>),
}

/// Alternatives (`?//`), and how many variables they set.
#[derive(Debug)]
pub(super) struct Patterns {
    pub(super) alternatives: Vec<Matcher>,
    pub(super) variables: u32,
}

/// A program that can be run.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) nodes: Vec<Node>,
    /// Has the expression exactly one result, or fails, and uses nothing of the run?
    pub(super) simple: Vec<bool>,
    pub(super) functions: Vec<NodeId>,
    pub(super) patterns: Vec<Patterns>,
    pub(super) main: NodeId,
    /// The variables that it wants from the command line.
    pub(super) globals: Vec<Arc<str>>,
}
