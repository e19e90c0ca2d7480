//! The syntax tree of a shell program.
//!
//! Every nested construct is a subtree: command substitutions, parameter expansions, arithmetic, patterns and
//! here-documents are parsed with the unit they stand in, and no word is kept as text to be parsed again at run time
//! (the exceptions are those of the language itself: `eval`, backquotes are parsed once here, arithmetic whose text
//! depends on an expansion).
//!
//! Lists are vectors (those that mostly have one element need no allocation for it) and nesting is bounded by the parser's depth limit, so dropping, cloning or comparing a tree
//! recurses at most that deep.

mod arithmetic;
mod command;
mod condition;
mod invalid_substitution;
mod parameter;
mod redirection;
mod unit;
mod word;
mod word_parts;

pub use arithmetic::{
    Arithmetic, ArithmeticChain, ArithmeticExpansion, ArithmeticExpression, ArithmeticVariable, BinaryOperator,
    UnaryOperator,
};
pub use command::{
    AndOr, AndOrOp, Argument, ArithmeticForClause, ArrayElement, Assignment, AssignmentValue, CaseClause, CaseItem,
    CaseTerminator, Command, Compound, CompoundCommand, Coprocess, ForClause, FunctionDefinition, IfClause, Index,
    LineEnd, List, ListItem, Pipeline, SimpleCommand, Stage, Subscript, TimeKeyword, WhileClause,
};
pub use condition::{Condition, ConditionOperator};
pub use invalid_substitution::InvalidSubstitution;
pub use parameter::{CaseChange, Check, MatchLength, Parameter, ParameterExpansion, ParameterOperation, ReplaceScope};
pub use redirection::{HereDocument, Redirection, RedirectionFd, RedirectionKind};
pub use unit::Unit;
pub use word::{BraceExpansion, CommandSubstitution, ProcessSubstitution, Word, WordPart, WordShape};
pub use word_parts::WordParts;
