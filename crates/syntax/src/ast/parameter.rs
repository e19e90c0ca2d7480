//! Parameter expansions.

use bstr::BString;

use super::{Arithmetic, Subscript, Word};
use crate::name::Name;
use crate::span::Span;

/// `$x` or `${…}` (XCU 2.6.2).
#[derive(Debug, Clone, PartialEq)]
pub struct ParameterExpansion {
    /// The parameter.
    pub parameter: Parameter,
    /// bash: `${!x…}`: the parameter's value is the name of the one that is expanded.
    pub indirect: bool,
    /// Written with braces: `${x}`.
    pub braced: bool,
    /// What is done with the value.
    pub operation: ParameterOperation,
    /// From `$` to the last byte.
    pub span: Span,
}

/// A parameter (XCU 2.5).
#[derive(Debug, Clone, PartialEq)]
pub enum Parameter {
    /// A variable.
    Variable(Name),
    /// bash: an element or all elements of an array.
    Element(Name, Subscript),
    /// `$1` …, counted from 1.
    Positional(u32),
    /// `$@`
    At,
    /// `$*`
    Star,
    /// `$#`
    Count,
    /// `$?`
    Status,
    /// `$-`
    Options,
    /// `$$`
    ProcessId,
    /// `$!`
    BackgroundId,
    /// `$0`
    Zero,
}

/// The operators of `${…}`. Their operands are boxed: most expansions have none.
#[derive(Debug, Clone, PartialEq)]
pub enum ParameterOperation {
    /// `$x`, `${x}`
    None,
    /// `${#x}`
    Length,
    /// `${x-word}`, `${x:-word}`
    UseDefault(Check, Box<Word>),
    /// `${x=word}`, `${x:=word}`
    AssignDefault(Check, Box<Word>),
    /// `${x?word}`, `${x:?word}`; `None` if no word stands
    ErrorIfUnset(Check, Option<Box<Word>>),
    /// `${x+word}`, `${x:+word}`
    UseAlternative(Check, Box<Word>),
    /// `${x#pattern}`, `${x##pattern}`
    RemovePrefix(MatchLength, Box<Word>),
    /// `${x%pattern}`, `${x%%pattern}`
    RemoveSuffix(MatchLength, Box<Word>),
    /// bash: `${x:offset[:length]}`
    Substring(Box<Arithmetic>, Option<Box<Arithmetic>>),
    /// bash: `${x/pattern/replacement}`; `None` if no second slash stands
    Replace(ReplaceScope, Box<Word>, Option<Box<Word>>),
    /// bash: `${x^pattern}` and its family
    ChangeCase(CaseChange, Option<Box<Word>>),
    /// bash: `${x@Q}` and its family; the operator letter
    Transform(u8),
    /// bash: `${!prefix*}` (`star`) and `${!prefix@}`: the names that begin with the variable's name
    Names {
        /// Written with `*`: one field in double quotes.
        star: bool,
    },
    /// bash: `${!name[@]}` and `${!name[*]}`: the keys of an array
    Keys,
    /// Not a valid expansion: an error when it is reached ("bad substitution"), with the text as it stands in the
    /// source, or with the whole word where only brace expansion makes one (`{a,$}{x`).
    Bad(BString),
}

/// Whether an empty value counts as unset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check {
    /// Without the colon.
    Unset,
    /// With the colon.
    UnsetOrNull,
}

/// Which match a pattern removal takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatchLength {
    /// One `#` or `%`
    Shortest,
    /// Two
    Longest,
}

/// Where `${x/…}` replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplaceScope {
    /// `/`
    First,
    /// `//`
    All,
    /// `/#`
    Prefix,
    /// `/%`
    Suffix,
}

/// How `${x^…}` changes case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CaseChange {
    /// `^`
    UpperFirst,
    /// `^^`
    UpperAll,
    /// `,`
    LowerFirst,
    /// `,,`
    LowerAll,
    /// `~`
    ToggleFirst,
    /// `~~`
    ToggleAll,
}
