//! What an expansion with an operation gives: defaults and checks, or what the operation makes of the value.

use hookshell_syntax::ast::{Check, ParameterExpansion, ParameterOperation, Word};
use hookshell_text::integer;

use super::ListKind;
use crate::flow::{Flow, NEXT};
use crate::interpreter::expand::Context;
use crate::interpreter::expand::emit::Elements;
use crate::interpreter::expand::sink::Sink;
use crate::interpreter::reference::Reference;
use crate::options::Opt;
use crate::shell::Shell;
use crate::vars::Fetched;

impl Shell {
    pub(super) fn apply<S: Sink>(
        &mut self,
        expansion: &ParameterExpansion,
        reference: &Reference,
        value: Fetched,
        context: Context,
        sink: &mut S,
    ) -> Flow {
        let is_set = |check: Check, value: &Fetched| match (value, check) {
            (Fetched::Unset, _) => false,
            (Fetched::One(text), Check::UnsetOrNull) => !text.is_empty(),
            (Fetched::Many { items, star }, Check::UnsetOrNull) => match &**items {
                [] => false,
                // bash: one empty element is not null in an assignment without quotes.
                [_] if S::ASSIGNMENT
                    && !context.quoted
                    && !(matches!(reference, Reference::Parameters(true))
                        && self.env.inherited.ifs.joiner().is_empty()) =>
                {
                    true
                }
                [only] => !only.is_empty(),
                // "$*" of empty parameters is null where nothing joins them.
                more => !star || more.iter().any(|i| !i.is_empty()) || !self.env.inherited.ifs.joiner().is_empty(),
            },
            (Fetched::One(_), Check::Unset) => true,
            (Fetched::Many { items, .. }, Check::Unset) => !items.is_empty(),
        };
        let elements = match reference {
            Reference::Parameters(_) => Elements::Parameters,
            _ => Elements::Array,
        };
        match &expansion.operation {
            ParameterOperation::UseDefault(check, word) => {
                if is_set(*check, &value) {
                    self.emit_fetched(value, elements, context, sink);
                    return NEXT;
                }
                self.expand_operand(word, context, sink)
            }
            ParameterOperation::UseAlternative(check, word) => {
                if is_set(*check, &value) {
                    return self.expand_operand(word, context, sink);
                }
                // Without alternative "${x+word}" is an empty string, but "${@+word}" is no field.
                if !matches!(&value, Fetched::Many { star: false, items } if items.is_empty()) {
                    self.emit(b"", context, sink);
                }
                NEXT
            }
            ParameterOperation::AssignDefault(check, word) => {
                if is_set(*check, &value) {
                    self.emit_fetched(value, elements, context, sink);
                    return NEXT;
                }
                self.assign_default(&expansion.parameter, reference, word, context)?;
                let assigned = self.fetch(reference);
                self.emit_fetched(assigned, elements, context, sink);
                NEXT
            }
            ParameterOperation::ErrorIfUnset(check, word) => {
                if is_set(*check, &value) {
                    self.emit_fetched(value, elements, context, sink);
                    return NEXT;
                }
                self.fail_unset(&expansion.parameter, *check, word.as_deref())
            }
            operation => {
                if value == Fetched::Unset && self.opt(Opt::Nounset) && self.needs_value(operation, reference) {
                    return self.fail_unbound(expansion, reference);
                }
                self.apply_to_value(expansion, reference, value, context, sink)
            }
        }
    }

    /// The operations that are not about being set.
    fn apply_to_value<S: Sink>(
        &mut self,
        expansion: &ParameterExpansion,
        reference: &Reference,
        value: Fetched,
        context: Context,
        sink: &mut S,
    ) -> Flow {
        let operation = &expansion.operation;
        let was_empty = matches!(&value, Fetched::One(text) if text.is_empty());
        // bash expands the words of an operation only where there is a value for it, to remove from one that is not empty.
        let is_absent = match &value {
            Fetched::Unset => true,
            Fetched::One(_) => false,
            Fetched::Many { items, .. } => items.is_empty(),
        };
        let result = match operation {
            ParameterOperation::Length => {
                let length = self.length(reference, &value)?;
                let mut digits = integer::DecimalBuffer::new();
                self.emit(integer::decimal(length, &mut digits), context, sink);
                return NEXT;
            }
            ParameterOperation::Replace(..) | ParameterOperation::ChangeCase(..) if is_absent => value,
            ParameterOperation::RemovePrefix(..) | ParameterOperation::RemoveSuffix(..) if is_absent || was_empty => {
                value
            }
            ParameterOperation::RemovePrefix(_, word) | ParameterOperation::RemoveSuffix(_, word) => {
                self.removed(operation, word, reference, value)?
            }
            ParameterOperation::Substring(offset, length) => {
                self.substring(&expansion.parameter, reference, value, offset, length.as_deref())?
            }
            ParameterOperation::Replace(scope, pattern_word, replacement) => {
                self.replaced(*scope, pattern_word, replacement.as_deref(), reference, value)?
            }
            ParameterOperation::ChangeCase(change, word) => {
                self.case_changed(*change, word.as_deref(), reference, value)?
            }
            ParameterOperation::Transform(operator) => {
                match self.transform(*operator, reference, value, context.quoted)? {
                    Some(result) => result,
                    None => return self.fail_transform(&expansion.parameter, *operator),
                }
            }
            _ => value,
        };
        let joins = match operation {
            ParameterOperation::RemovePrefix(..)
            | ParameterOperation::RemoveSuffix(..)
            | ParameterOperation::Transform(_) => true,
            ParameterOperation::Replace(..)
            | ParameterOperation::ChangeCase(..)
            | ParameterOperation::Substring(..) => context.quoted,
            _ => false,
        };
        let elements = match (operation, reference) {
            (ParameterOperation::None, Reference::Parameters(_)) => Elements::Parameters,
            (ParameterOperation::None, _) => Elements::Array,
            (ParameterOperation::ChangeCase(..) | ParameterOperation::Replace(..), _) => Elements::Rewritten,
            _ => Elements::Changed,
        };
        let result = if S::ASSIGNMENT && joins && !self.env.inherited.ifs.joiner().is_empty() {
            result.into_star()
        } else {
            result
        };
        // What is empty beside a list makes no field, but what has been made empty does.
        let removes = matches!(operation, ParameterOperation::RemovePrefix(..) | ParameterOperation::RemoveSuffix(..));
        if elements > Elements::Array
            && context.quoted
            && matches!(&result, Fetched::One(text) if text.is_empty())
            && !(removes && was_empty)
        {
            sink.text(b"", true);
            return NEXT;
        }
        self.emit_fetched(result, elements, context, sink);
        NEXT
    }

    /// Is it a reference without a value that as a target (`${!r}`) is nothing, and no error?
    pub(super) fn leads_to_nothing(&self, reference: &Reference) -> bool {
        match reference {
            Reference::Positional(_) => true,
            Reference::Variable(id) => self.vars.get(*id).is_some(),
            _ => false,
        }
    }

    /// Expands the word of `${x-word}` where it stands.
    fn expand_operand<S: Sink>(&mut self, word: &Word, context: Context, sink: &mut S) -> Flow {
        if context.quoted
            && let Some(text) = word.literal()
        {
            self.emit(&text, context, sink);
            return NEXT;
        }
        // "${x-word}" is a field of its own even where the word is "$@" and there are no parameters.
        if context.quoted && self.list_kind_in(&word.parts) == ListKind::Splits {
            sink.text(b"", true);
        } else if context.quoted {
            self.emit(b"", context, sink);
        }
        self.expand_parts(&word.parts, Context { operand: true, ..context }, sink)
    }
}
