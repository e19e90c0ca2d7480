//! Programs as they are written.

use std::sync::Arc;

use super::value::{Object, Value};

/// An expression.
#[derive(Debug, Clone)]
pub(super) enum Expr {
    Identity,
    Const(Value),
    /// `..`
    RecurseDefault,
    Field(Box<Expr>, Box<Expr>, bool),
    /// `TERM[FROM:TO]`
    Slice(Box<Expr>, Box<Expr>, Box<Expr>, bool),
    Each(Box<Expr>, bool),
    Pipe(Box<Expr>, Box<Expr>),
    Comma(Box<Expr>, Box<Expr>),
    Binary(Op, Box<Expr>, Box<Expr>),
    And(Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
    Alternative(Box<Expr>, Box<Expr>),
    Negate(Box<Expr>),
    /// `a |= b`
    Modify(Box<Expr>, Box<Expr>),
    /// `a += b`
    Update(Op, Box<Expr>, Box<Expr>),
    /// `a //= b`
    UpdateAlternative(Box<Expr>, Box<Expr>),
    Array(Box<Expr>),
    Object(Vec<(Key, Option<Expr>)>),
    Variable(Arc<str>, usize),
    Call(Arc<str>, Vec<Expr>, usize),
    Format(Box<Expr>, Arc<str>),
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    Try(Box<Expr>, Option<Box<Expr>>),
    Label(Arc<str>, Box<Expr>),
    Break(Arc<str>, usize),
    Reduce(Box<Expr>, Vec<Pattern>, Box<Expr>, Box<Expr>),
    Foreach(Box<Expr>, Vec<Pattern>, Box<Expr>, Box<Expr>, Option<Box<Expr>>),
    Bind(Box<Expr>, Vec<Pattern>, Box<Expr>),
    Def(Arc<Definition>, Box<Expr>),
}

/// The key of a member of an object that is made.
#[derive(Debug, Clone)]
pub(super) enum Key {
    /// An expression, and a value after it; without one it is the member of the input.
    Expr(Expr),
    /// `{$x}`: the name of the variable is the key.
    Variable(Arc<str>, usize),
}

/// A binary operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Op {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    Equal,
    NotEqual,
    Less,
    Greater,
    LessEqual,
    GreaterEqual,
}

/// What a value is taken apart by.
#[derive(Debug, Clone)]
pub(super) enum Pattern {
    Variable(Arc<str>),
    Array(Vec<Pattern>),
    /// Keys; a variable for the member itself; a pattern for it.
    Object(Vec<(Expr, Option<Arc<str>>, Option<Pattern>)>),
}

/// A function.
#[derive(Debug, Clone)]
pub(super) struct Definition {
    pub(super) name: Arc<str>,
    /// The names of its parameters; `$x` is the value of `x`.
    pub(super) params: Vec<(Arc<str>, bool)>,
    pub(super) body: Expr,
}

/// An `import` or `include`.
#[derive(Debug, Clone)]
pub(super) struct Import {
    pub(super) path: String,
    /// The name it gets; none: `include`.
    pub(super) alias: Option<String>,
    /// `import "a" as $data;`
    pub(super) is_data: bool,
    pub(super) metadata: Object,
}

impl Import {
    /// Is this member of its metadata true?
    pub(super) fn is_set(&self, name: &str) -> bool {
        matches!(self.metadata.get(name), Some(Value::Bool(true)))
    }

    /// Is it passed over where it cannot be read?
    pub(super) fn is_optional(&self) -> bool {
        self.is_set("optional")
    }

    /// What `modulemeta` says of it.
    pub(super) fn description(&self) -> Value {
        let mut object = self.metadata.clone();
        if let Some(alias) = &self.alias {
            object.set("as".into(), Value::from(alias.as_str()));
        }
        object.set("is_data".into(), Value::Bool(self.is_data));
        object.set("relpath".into(), Value::from(self.path.as_str()));
        Value::Object(object.into())
    }
}
