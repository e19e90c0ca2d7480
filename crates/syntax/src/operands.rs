//! The operands of a parameter expansion, for who walks over all code in it.

use crate::ast::{Arithmetic, ParameterOperation, Word};

/// What stands after an operator and is expanded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Operand<'a> {
    /// A word or a pattern.
    Word(&'a Word),
    /// The offset or the length of a substring.
    Arithmetic(&'a Arithmetic),
}

impl ParameterOperation {
    /// What stands after the operator, in the order in which it is written: for a walk over all code in an expansion. Of
    /// [`Bad`](Self::Bad) there is none.
    pub fn operands(&self) -> impl Iterator<Item = Operand<'_>> {
        let word = |word| Some(Operand::Word(word));
        let operands = match self {
            Self::UseDefault(_, operand)
            | Self::AssignDefault(_, operand)
            | Self::UseAlternative(_, operand)
            | Self::RemovePrefix(_, operand)
            | Self::RemoveSuffix(_, operand)
            | Self::ChangeCase(_, Some(operand))
            | Self::ErrorIfUnset(_, Some(operand)) => [word(operand), None],
            Self::Replace(_, pattern, with) => [word(pattern), with.as_deref().map(Operand::Word)],
            Self::Substring(offset, length) => {
                [Some(Operand::Arithmetic(offset)), length.as_deref().map(Operand::Arithmetic)]
            }
            Self::None
            | Self::Length
            | Self::ErrorIfUnset(_, None)
            | Self::ChangeCase(_, None)
            | Self::Transform(_)
            | Self::Names { .. }
            | Self::Keys
            | Self::Bad(_) => [None, None],
        };
        operands.into_iter().flatten()
    }
}
