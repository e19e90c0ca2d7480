//! What the operation of an expansion makes of a value: defaults, checks, lengths, parts and patterns.

use std::ops::ControlFlow;

use hookshell_syntax::ast::{Check, Parameter, ParameterExpansion, ParameterOperation, Word, WordPart, WordShape};
use hookshell_text::integer;

use super::{ListKind, parameter_text};
use crate::flow::{Divert, Flow, NEXT, divert};
use crate::interpreter::expand::emit::Elements;
use crate::interpreter::expand::pattern_operation::{Replacement, ReplacementSink, remove, replace};
use crate::interpreter::expand::sink::{Sink, StringSink};
use crate::interpreter::expand::{Context, PLAIN};
use crate::interpreter::reference::Reference;
use crate::limits::Limit;
use crate::options::Opt;
use crate::shell::Shell;
use crate::vars::Fetched;

/// Is any of it quoted?
fn has_quotes(word: &Word) -> bool {
    let is_quoted = |part: &WordPart| {
        matches!(part, WordPart::Quoted(_) | WordPart::DoubleQuoted(_) | WordPart::QuotedParameter(_))
    };
    word.parts.iter().any(is_quoted)
}

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
                let mut text = Vec::new();
                self.expand_parts(
                    &word.parts,
                    Context { quoted: context.quoted, ..PLAIN },
                    &mut StringSink(&mut text),
                )?;
                match reference {
                    Reference::Variable(_) | Reference::Index(..) | Reference::Key(..) => {
                        match self.assign_reference(reference, text, false) {
                            // bash has another status for it in a file: the place is the one that reads its commands.
                            ControlFlow::Break(Divert::Discard)
                                if self.context.frames.traced() == 0 && !self.host.is_command_string =>
                            {
                                self.env.status = 2;
                                return divert(Divert::Discard);
                            }
                            flow => flow?,
                        }
                        let assigned = self.fetch(reference);
                        self.emit_fetched(assigned, elements, context, sink);
                        NEXT
                    }
                    _ if matches!(expansion.parameter, Parameter::Element(..)) => {
                        let mut message = parameter_text(&expansion.parameter);
                        message.extend_from_slice(b": bad array subscript");
                        self.error(message);
                        self.env.status =
                            if self.context.frames.traced() == 0 && !self.host.is_command_string { 2 } else { 1 };
                        divert(Divert::Discard)
                    }
                    _ => {
                        let mut message = b"$".to_vec();
                        message.extend_from_slice(&parameter_text(&expansion.parameter));
                        message.extend_from_slice(b": cannot assign in this way");
                        self.error(message);
                        self.reported()
                    }
                }
            }
            ParameterOperation::ErrorIfUnset(check, word) => {
                if is_set(*check, &value) {
                    self.emit_fetched(value, elements, context, sink);
                    return NEXT;
                }
                let mut message = parameter_text(&expansion.parameter);
                message.extend_from_slice(b": ");
                match word {
                    Some(word) => self.expand_string(word, &mut message)?,
                    None if *check == Check::UnsetOrNull => message.extend_from_slice(b"parameter null or not set"),
                    None => message.extend_from_slice(b"parameter not set"),
                }
                self.error(message);
                self.expansion_failed()
            }
            operation => {
                if value == Fetched::Unset
                    && self.opt(Opt::Nounset)
                    && !(*operation == ParameterOperation::Length
                        && !matches!(reference, Reference::Variable(_))
                        && self.has_array_of(reference))
                    && !matches!(operation, ParameterOperation::Transform(_) if !matches!(reference, Reference::Variable(_) | Reference::Positional(_) | Reference::Index(..) | Reference::Key(..)))
                {
                    if let (ParameterOperation::Length, Reference::Index(id, _) | Reference::Key(id, _)) =
                        (operation, reference)
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
                    return self.unbound(&name);
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
                if let Reference::OutOfRange(id, index) = reference {
                    return self.out_of_range(*id, *index);
                }
                if let Reference::All(id, _) = reference
                    && self.opt(Opt::Nounset)
                    && matches!(&value, Fetched::Many { items, .. } if items.is_empty())
                    && self.vars.get(*id).is_none_or(|v| !v.has_value())
                {
                    return self.unbound_length(*id);
                }
                let length = match &value {
                    Fetched::Unset => 0,
                    Fetched::One(text) if self.env.bytes => text.len(),
                    Fetched::One(text) => hookshell_text::pattern::starts(text).count(),
                    Fetched::Many { items, .. } => items.len(),
                };
                let mut digits = integer::DecimalBuffer::new();
                let length = i64::try_from(length).unwrap_or(i64::MAX);
                self.emit(integer::decimal(length, &mut digits), context, sink);
                return NEXT;
            }
            ParameterOperation::Replace(..) | ParameterOperation::ChangeCase(..) if is_absent => value,
            ParameterOperation::RemovePrefix(..) | ParameterOperation::RemoveSuffix(..) if is_absent || was_empty => {
                value
            }
            ParameterOperation::RemovePrefix(_, word) | ParameterOperation::RemoveSuffix(_, word) => {
                let mut pattern = Vec::new();
                self.expand_pattern(word, &mut pattern)?;
                let value = self.elements_now(reference, word, value);
                let options = self.pattern_options(false);
                value.map(|text| remove(&text, &pattern, &self.scratch.patterns, options, operation).to_vec())
            }
            ParameterOperation::Substring(offset, length) => {
                self.substring(&expansion.parameter, reference, value, offset, length.as_deref())?
            }
            ParameterOperation::Replace(scope, pattern_word, replacement) => {
                let mut text = Vec::new();
                self.expand_pattern(pattern_word, &mut text)?;
                let options = self.pattern_options(self.opt(Opt::Nocasematch));
                let pattern = self.scratch.patterns.compiled(&text, options);
                let mut template = Vec::new();
                let ampersand = self.opt(Opt::PatsubReplacement);
                match replacement {
                    Some(word) if ampersand => {
                        self.expand_parts(&word.parts, PLAIN, &mut ReplacementSink(&mut template))?;
                    }
                    Some(word) => self.expand_parts(&word.parts, PLAIN, &mut StringSink(&mut template))?,
                    None => {}
                }
                let value = self.elements_now(reference, pattern_word, value);
                let limit = self.host.limits.expansion_bytes;
                let mut overflow = false;
                let mut total = 0;
                let replacement = Replacement { text: template, ampersand };
                let stopped = || self.is_stopping();
                let mapped = value.map(|subject| {
                    if overflow {
                        return Vec::new();
                    }
                    match replace(&subject, &pattern, &text, *scope, &replacement, limit, &stopped) {
                        Some(result) => {
                            // All elements together.
                            total += result.len();
                            overflow |= total > limit;
                            result
                        }
                        None => {
                            overflow = true;
                            Vec::new()
                        }
                    }
                });
                if overflow && self.is_stopping() {
                    return divert(Divert::Stop);
                }
                if overflow {
                    return self.exceed(Limit::ExpansionBytes, "the result of ${x/…} is larger");
                }
                mapped
            }
            ParameterOperation::ChangeCase(change, word) => {
                let pattern = match word {
                    Some(word) => {
                        let mut text = Vec::new();
                        self.expand_pattern(word, &mut text)?;
                        // Where nothing is quoted, what is empty is no pattern.
                        (!text.is_empty() || has_quotes(word))
                            .then(|| self.scratch.patterns.compiled(&text, self.pattern_options(false)))
                    }
                    None => None,
                };
                let value = match word {
                    Some(word) => self.elements_now(reference, word, value),
                    None => value,
                };
                let bytes = self.env.bytes;
                let stopped = || self.is_stopping();
                let changed = value.map(|text| {
                    crate::interpreter::expand::transform::change_case(
                        &text,
                        *change,
                        pattern.as_deref(),
                        bytes,
                        &stopped,
                    )
                });
                if self.is_stopping() {
                    return divert(Divert::Stop);
                }
                changed
            }
            ParameterOperation::Transform(operator) => {
                match self.transform(*operator, reference, value, context.quoted)? {
                    Some(result) => result,
                    None => {
                        let mut message = b"${".to_vec();
                        message.extend_from_slice(&parameter_text(&expansion.parameter));
                        message.extend_from_slice(&[b'@', *operator, b'}']);
                        message.extend_from_slice(b": bad substitution");
                        self.error(message);
                        return self.expansion_failed();
                    }
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

    /// bash takes the elements of an array when it has expanded the operation's pattern, which may have changed them;
    /// `value` is what they were before.
    fn elements_now(&mut self, reference: &Reference, pattern: &Word, value: Fetched) -> Fetched {
        if matches!(reference, Reference::All(..)) && matches!(pattern.shape, WordShape::General) {
            self.fetch(reference)
        } else {
            value
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
