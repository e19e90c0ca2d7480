//! Expansions that fail for the value that a parameter has, or has not.

use hookshell_syntax::ast::{Check, Parameter, ParameterExpansion, ParameterOperation, Word};

use super::parameter_text;
use crate::flow::Flow;
use crate::interpreter::reference::Reference;
use crate::shell::Shell;

impl Shell {
    /// `${x?word}` of what is not set, or is null.
    pub(super) fn fail_unset(&mut self, parameter: &Parameter, check: Check, word: Option<&Word>) -> Flow {
        let mut message = parameter_text(parameter);
        message.extend_from_slice(b": ");
        match word {
            Some(word) => self.expand_string(word, &mut message)?,
            None if check == Check::UnsetOrNull => message.extend_from_slice(b"parameter null or not set"),
            None => message.extend_from_slice(b"parameter not set"),
        }
        self.error(message);
        self.expansion_failed()
    }

    /// Is it an error of `set -u` to use this operation on what is not set?
    pub(super) fn needs_value(&self, operation: &ParameterOperation, reference: &Reference) -> bool {
        match operation {
            // The length of an element of an array that is set is 0.
            ParameterOperation::Length => matches!(reference, Reference::Variable(_)) || !self.has_array_of(reference),
            ParameterOperation::Transform(_) => matches!(
                reference,
                Reference::Variable(_) | Reference::Positional(_) | Reference::Index(..) | Reference::Key(..)
            ),
            _ => true,
        }
    }

    /// `set -u`: what is not set was used.
    pub(super) fn fail_unbound(&mut self, expansion: &ParameterExpansion, reference: &Reference) -> Flow {
        if let (ParameterOperation::Length, Reference::Index(id, _) | Reference::Key(id, _)) =
            (&expansion.operation, reference)
        {
            return self.unbound_length(*id);
        }
        let mut name = parameter_text(&expansion.parameter);
        if expansion.indirect {
            name.insert(0, b'!');
        }
        // bash: `$1` and `$!` as they were written, without braces.
        if !expansion.braced && !matches!(expansion.parameter, Parameter::Variable(_)) {
            name.insert(0, b'$');
        }
        self.unbound(&name)
    }

    /// `${x@operator}` with an operator that does not fit the value.
    pub(super) fn fail_transform(&mut self, parameter: &Parameter, operator: u8) -> Flow {
        self.error([b"${", &*parameter_text(parameter), &[b'@', operator, b'}'], b": bad substitution"].concat());
        self.expansion_failed()
    }
}
