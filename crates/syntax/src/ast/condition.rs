//! The expressions of `[[ ]]`.

use super::Word;

/// bash: the expression inside `[[ ]]`.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition {
    /// `-f word` and its family; the operator's letter. A lone word is `-n word`.
    Unary(u8, Word),
    /// A binary operator.
    Binary(ConditionOperator, Word, Word),
    /// `! expression`
    Not(Box<Condition>),
    /// `a && b && …`: two or more
    And(Vec<Condition>),
    /// `a || b || …`: two or more
    Or(Vec<Condition>),
    /// `( expression )`
    Group(Box<Condition>),
}

/// The binary operators of `[[ ]]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConditionOperator {
    /// `==`: the right side is a pattern
    Match,
    /// `=`: the same
    SingleMatch,
    /// `!=`
    NotMatch,
    /// `=~`
    Regex,
    /// `<`
    Before,
    /// `>`
    After,
    /// `-eq`
    Equal,
    /// `-ne`
    NotEqual,
    /// `-lt`
    Less,
    /// `-le`
    LessEqual,
    /// `-gt`
    Greater,
    /// `-ge`
    GreaterEqual,
    /// `-nt`
    NewerThan,
    /// `-ot`
    OlderThan,
    /// `-ef`
    SameFile,
}
