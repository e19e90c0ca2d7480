//! Which expansions give any number of fields in double quotes.

use hookshell_syntax::ast::{Check, Parameter, ParameterExpansion, ParameterOperation, Subscript, WordPart};

use super::ListKind;
use crate::shell::Shell;
use crate::vars::Value;

impl Shell {
    /// Is this `$@`, `${array[@]}`, or another expansion that gives any number of fields in double quotes?
    pub(super) fn list_kind(&self, expansion: &ParameterExpansion) -> ListKind {
        let is_all = match &expansion.parameter {
            Parameter::At => true,
            Parameter::Element(_, subscript) => matches!(subscript, Subscript::All),
            _ => false,
        };
        let is_list = match &expansion.operation {
            ParameterOperation::Length => false,
            ParameterOperation::Names { star } => !star,
            ParameterOperation::UseDefault(check, word) if !self.is_present(&expansion.parameter, *check) => {
                return self.list_kind_in(&word.parts);
            }
            ParameterOperation::UseAlternative(check, word) if self.is_present(&expansion.parameter, *check) => {
                return self.list_kind_in(&word.parts);
            }
            // Without alternative it is an empty string where there is an element.
            ParameterOperation::UseAlternative(..) if self.is_present(&expansion.parameter, Check::Unset) => false,
            _ if is_all => true,
            ParameterOperation::Keys => false,
            _ if expansion.indirect => match &expansion.parameter {
                Parameter::Variable(name) => self
                    .vars
                    .find(name)
                    .and_then(|id| self.vars.get(id)?.value.scalar())
                    .is_some_and(|target| target == b"@" || target.ends_with(b"[@]")),
                _ => false,
            },
            _ => false,
        };
        if is_list { ListKind::Vanishes } else { ListKind::None }
    }

    /// The same of the word of `${x-word}`: without an element it is an empty string all the same.
    pub(super) fn list_kind_in(&self, parts: &[WordPart]) -> ListKind {
        let kind = |part: &WordPart| match part {
            WordPart::DoubleQuoted(parts) => self.list_kind_in(parts),
            WordPart::Parameter(expansion) | WordPart::QuotedParameter(expansion) => {
                self.list_kind(expansion).min(ListKind::Splits)
            }
            _ => ListKind::None,
        };
        parts.iter().map(kind).max().unwrap_or(ListKind::None)
    }

    /// Is the parameter set (and not null), as far as can be told without evaluating a subscript?
    fn is_present(&self, parameter: &Parameter, check: Check) -> bool {
        let null = check == Check::UnsetOrNull;
        match parameter {
            Parameter::Variable(name) => {
                let value = self.vars.find(name).and_then(|id| self.vars.get(id)?.value.scalar());
                value.is_some_and(|value| !(null && value.is_empty()))
            }
            Parameter::Positional(n) => {
                self.env.positional.get(*n as usize).is_some_and(|value| !(null && value.is_empty()))
            }
            Parameter::At | Parameter::Star => match self.env.positional.len() {
                0 => false,
                1 => !(null && self.env.positional.get(1).is_none_or(<[u8]>::is_empty)),
                _ => true,
            },
            Parameter::Element(name, Subscript::All | Subscript::Star) => {
                match self.vars.find(name).and_then(|id| self.vars.get(id)).map(|variable| &variable.value) {
                    Some(Value::Indexed(array)) if array.len() == 1 && null => {
                        array.iter().all(|(_, value)| !value.is_empty())
                    }
                    Some(value) => value.elements() > 0,
                    None => false,
                }
            }
            _ => true,
        }
    }
}
