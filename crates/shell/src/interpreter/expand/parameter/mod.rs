//! Parameter expansion (XCU 2.6.2).

mod changes;
mod failures;
mod operations;

use std::ops::ControlFlow;

use bstr::ByteSlice;
use hookshell_syntax::ast::{Parameter, ParameterExpansion, ParameterOperation, Subscript, WordShape};
use hookshell_text::integer;

use super::Context;
use super::emit::Elements;
use super::pattern_operation::remove;
use super::sink::Sink;
use crate::flow::{Divert, Flow, NEXT, divert};
use crate::interpreter::reference::Reference;
use crate::options::Opt;
use crate::shell::Shell;
use crate::vars::{Attributes, Fetched, SlotId, Value, Variable};

/// Is an expansion a list: does it give any number of fields in double quotes?
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ListKind {
    /// No.
    None,
    /// bash splits all of the text between the quotes then where an element ends.
    Splits,
    /// That, and what is empty makes no field.
    Vanishes,
}

/// How many namerefs may lead to each other (bash's NAMEREF_MAX).
const MOST_NAMEREFS: usize = 8;

impl Shell {
    /// The name that a nameref refers to in the end; nothing where one on the way has no target.
    fn last_target<'a>(&'a self, nameref: &'a Variable) -> &'a [u8] {
        let mut target = nameref.value.scalar().unwrap_or_default();
        for _ in 0..MOST_NAMEREFS {
            match self.vars.get_bytes(target).filter(|next| next.attributes.has(Attributes::NAMEREF)) {
                Some(next) => target = next.value.scalar().unwrap_or_default(),
                None => break,
            }
        }
        target
    }

    /// The value of `$name`, `${name}` or `$1` where that is all there is to it: set, a string, not computed.
    #[inline]
    pub(super) fn plain_value(&self, expansion: &ParameterExpansion) -> Option<&[u8]> {
        if !matches!(expansion.operation, ParameterOperation::None) || expansion.indirect {
            return None;
        }
        match &expansion.parameter {
            Parameter::Variable(name) => {
                let variable = self.vars.get(self.vars.find(name)?)?;
                match &variable.value {
                    Value::Scalar(text) if !variable.attributes.has(Attributes::NAMEREF) => Some(text),
                    _ => None,
                }
            }
            Parameter::Positional(n) => self.env.positional.get(*n as usize),
            _ => None,
        }
    }

    /// The value of a variable that is a string and no nameref.
    #[inline]
    fn plain_text(&self, name: &hookshell_syntax::Name) -> Option<&[u8]> {
        let variable = self.vars.get(self.vars.find(name)?)?;
        match &variable.value {
            Value::Scalar(text) if !variable.attributes.has(Attributes::NAMEREF) => Some(text),
            _ => None,
        }
    }

    pub(super) fn expand_parameter<S: Sink>(
        &mut self,
        expansion: &ParameterExpansion,
        context: Context,
        sink: &mut S,
    ) -> Flow {
        if let Some(value) = self.plain_value(expansion) {
            self.emit(value, context, sink);
            return NEXT;
        }
        // Without copies for what loops do most.
        match (&expansion.parameter, &expansion.operation) {
            (Parameter::At, ParameterOperation::None) if !expansion.indirect => {
                let args = self.env.positional.clone();
                self.emit_list(args.iter(), context, sink);
                return NEXT;
            }
            (
                Parameter::Variable(name),
                ParameterOperation::RemovePrefix(_, word) | ParameterOperation::RemoveSuffix(_, word),
            ) if !expansion.indirect && self.plain_text(name).is_some_and(|text| !text.is_empty()) => {
                // The value is that from before the pattern's own expansions.
                let before = match word.shape {
                    WordShape::General => self.plain_text(name).map(<[u8]>::to_vec),
                    _ => None,
                };
                let mut pattern = self.take_bytes();
                self.expand_pattern(word, &mut pattern)?;
                if let Some(text) = before.as_deref().or_else(|| self.plain_text(name)) {
                    self.before_long(text.len().saturating_mul(pattern.len()));
                    let rest = remove(
                        text,
                        &pattern,
                        &self.scratch.patterns,
                        self.pattern_options(false),
                        &expansion.operation,
                    );
                    if context.quoted && rest.is_empty() && !text.is_empty() {
                        sink.text(b"", true);
                    } else {
                        self.emit(rest, context, sink);
                    }
                    self.give_bytes(pattern);
                    return NEXT;
                }
                self.give_bytes(pattern);
            }
            _ => {}
        }
        self.expand_parameter_general(expansion, context, sink)
    }

    fn expand_parameter_general<S: Sink>(
        &mut self,
        expansion: &ParameterExpansion,
        context: Context,
        sink: &mut S,
    ) -> Flow {
        if let Parameter::Element(name, _) = &expansion.parameter
            && let Some(flow) = self.with_global(name, |shell| shell.expand_parameter_once(expansion, context, sink))
        {
            return flow;
        }
        self.expand_parameter_once(expansion, context, sink)
    }

    fn expand_parameter_once<S: Sink>(
        &mut self,
        expansion: &ParameterExpansion,
        context: Context,
        sink: &mut S,
    ) -> Flow {
        match &expansion.operation {
            ParameterOperation::Bad(text) => return self.refuse_substitution(text),
            ParameterOperation::Names { star } => {
                self.expand_names(&expansion.parameter, *star, context, sink);
                return NEXT;
            }
            ParameterOperation::Keys => return self.expand_keys(&expansion.parameter, context, sink),
            // bash does not look at the subscript of what is not there.
            ParameterOperation::Length if self.opt(Opt::Nounset) => {
                if let Parameter::Element(name, Subscript::Index(_)) = &expansion.parameter
                    && let id = self.vars.slot(name)
                    && self.vars.get(id).is_none()
                    && !self.vars.special(id).is_computed()
                {
                    return self.unbound_length(id);
                }
            }
            _ => {}
        }
        let mut reference = self.reference(&expansion.parameter)?;
        if expansion.indirect {
            // ${!r} of a nameref gives the name that it refers to.
            if let Parameter::Variable(name) = &expansion.parameter
                && let Some(variable) = self.vars.find(name).and_then(|id| self.vars.get(id))
                && variable.attributes.has(Attributes::NAMEREF)
            {
                let target = self.last_target(variable).to_vec();
                if target.is_empty() {
                    return self.refuse_indirect(&expansion.parameter);
                }
                self.emit(&target, context, sink);
                return NEXT;
            }
            reference = self.indirect_reference(&expansion.parameter, &reference)?;
        }
        // ${#a[@]}: the elements are counted where they are.
        if expansion.operation == ParameterOperation::Length
            && let Reference::All(id, _) = reference
            && let Some(array) = self.vars.get(id).map(|v| &v.value).filter(|value| value.is_array())
            && array.elements() > 0
        {
            let mut digits = integer::DecimalBuffer::new();
            let length = i64::try_from(array.elements()).unwrap_or(i64::MAX);
            self.emit(integer::decimal(length, &mut digits), context, sink);
            return NEXT;
        }
        let value = self.fetch_for(&expansion.operation, &reference);
        if reference.is_unreadable() && self.opt(Opt::Errexit) {
            return self.reported();
        }
        self.apply(expansion, &reference, value, context, sink)
    }

    /// `${` with an operator that there is not.
    fn refuse_substitution(&mut self, text: &[u8]) -> Flow {
        // An operator that ${x@…} does not know: only a value meets it, and then it ends the shell.
        if let Some((name, _)) =
            text.strip_prefix(b"${").and_then(|text| text.strip_suffix(b"}")?.rsplit_once_str(b"@"))
            && !name.is_empty()
            && let Some(reference) = self.reference_from_text(name)?
        {
            let is_set = match self.fetch(&reference) {
                Fetched::Unset => false,
                Fetched::One(_) => true,
                Fetched::Many { items, .. } => !items.is_empty(),
            };
            if !is_set {
                return NEXT;
            }
            self.error([text, b": bad substitution"].concat());
            return self.expansion_failed();
        }
        self.error([text, b": bad substitution"].concat());
        self.reported()
    }

    fn refuse_indirect<T>(&mut self, parameter: &Parameter) -> Flow<T> {
        let mut message = parameter_text(parameter);
        message.extend_from_slice(b": invalid indirect expansion");
        self.error(message);
        self.reported()
    }

    /// `${!prefix@}`
    fn expand_names<S: Sink>(&mut self, prefix: &Parameter, star: bool, context: Context, sink: &mut S) {
        let names = self.names_with_prefix(prefix);
        let joined = self.env.inherited.ifs.joiner().is_empty();
        let names = if star && joined && !context.quoted {
            Fetched::One(names.concat())
        } else {
            Fetched::Many { items: names, star: star || (S::ASSIGNMENT && !joined) }
        };
        self.emit_fetched(names, Elements::Rewritten, context, sink);
    }

    /// `${!array[@]}`
    fn expand_keys<S: Sink>(&mut self, array: &Parameter, context: Context, sink: &mut S) -> Flow {
        let keys = self.array_keys(array)?;
        let joins = S::ASSIGNMENT && context.quoted && !self.env.inherited.ifs.joiner().is_empty();
        let keys = match keys {
            // bash, where IFS is null: one field with spaces.
            Fetched::Many { items, star: true }
                if S::FIELDS && !context.quoted && self.env.inherited.ifs.joiner().is_empty() && !items.is_empty() =>
            {
                Fetched::One(items.join(&b' '))
            }
            keys => keys,
        };
        self.emit_fetched(if joins { keys.into_star() } else { keys }, Elements::Changed, context, sink);
        NEXT
    }

    /// What `${!parameter}` leads to.
    fn indirect_reference(&mut self, parameter: &Parameter, reference: &Reference) -> Flow<Reference> {
        let target = match self.fetch(reference) {
            Fetched::One(text) => text,
            Fetched::Many { items, .. } => items.join(&b' '),
            // bash: a positional parameter that there is not leads to nothing, which is no error, and so does a
            // variable that is declared and has no value.
            Fetched::Unset if self.leads_to_nothing(reference) => Vec::new(),
            Fetched::Unset => return self.refuse_indirect(parameter),
        };
        ControlFlow::Continue(match self.reference_from_text(&target)? {
            Some(reference) => reference,
            // bash: neither is it one that `$@` without parameters leads to nothing.
            None if target.is_empty()
                && !matches!(self.fetch(reference), Fetched::One(_))
                && (matches!(reference, Reference::Parameters(_)) || self.leads_to_nothing(reference)) =>
            {
                Reference::Positional(u32::MAX)
            }
            // A positional parameter beyond all that can be.
            None if !target.is_empty() && target.iter().all(u8::is_ascii_digit) => Reference::Positional(u32::MAX),
            None => {
                self.error([&*target, b": invalid variable name"].concat());
                return self.reported();
            }
        })
    }

    /// The value that an operation works on.
    fn fetch_for(&mut self, operation: &ParameterOperation, reference: &Reference) -> Fetched {
        // Copied is only what is asked for: the elements of ${a[@]:offset:length}, the parameters of ${@:offset:length}, and of
        // ${a[@]+word} two elements, which say whether there are none, one or more.
        match reference {
            Reference::All(id, star)
                if matches!(operation, ParameterOperation::Substring(..)) && self.has_indices(*id) =>
            {
                Fetched::Many { items: Vec::new(), star: *star }
            }
            Reference::Parameters(star) if matches!(operation, ParameterOperation::Substring(..)) => {
                Fetched::Many { items: Vec::new(), star: *star }
            }
            Reference::Parameters(false) if matches!(operation, ParameterOperation::UseAlternative(..)) => {
                Fetched::Many { items: self.env.positional.iter().take(2).map(<[u8]>::to_vec).collect(), star: false }
            }
            Reference::All(id, false)
                if matches!(operation, ParameterOperation::UseAlternative(..)) && self.has_indices(*id) =>
            {
                Fetched::Many { items: self.first_elements(*id, 2), star: false }
            }
            reference => self.fetch(reference),
        }
    }

    /// Is it an element, there or not, of a variable that is set? The length of one is no error of `set -u`, nor is its
    /// value in arithmetic.
    pub(super) fn has_array_of(&self, reference: &Reference) -> bool {
        match reference {
            Reference::Index(id, _) | Reference::Key(id, _) => {
                self.vars.get(*id).is_some_and(|v| v.value != Value::Unset)
            }
            Reference::OutOfRange(..) => true,
            // The first element of an array by its name.
            Reference::Variable(id) => self.vars.get(*id).is_some_and(|v| v.value.is_array()),
            _ => false,
        }
    }

    /// `set -u`: an unset parameter was expanded.
    pub(crate) fn unbound<T>(&mut self, name: &[u8]) -> Flow<T> {
        self.error([name, b": unbound variable"].concat());
        self.expansion_failed()
    }

    /// `set -u`: the length of an array that is not set. bash drops the command, and the shell continues.
    fn unbound_length<T>(&mut self, id: SlotId) -> Flow<T> {
        let name = self.vars.name(id);
        self.error([&*name, b": unbound variable"].concat());
        self.env.status = 1;
        self.reported()
    }

    /// An expansion error that ends a shell which is not interactive: status 127 for a command string as in bash, else
    /// 1. Under `set -e` bash ends at the message already, with 1.
    pub(crate) fn expansion_failed<T>(&mut self) -> Flow<T> {
        let is_command_string =
            self.host.is_command_string && (self.context.subshell.depth == 0 || self.context.subshell.is_own_command);
        let has_errexit = self.opt(Opt::Errexit);
        self.env.status = if is_command_string && !has_errexit { 127 } else { 1 };
        self.traps.expansion_failed = !has_errexit;
        divert(Divert::Exit)
    }

    fn names_with_prefix(&mut self, parameter: &Parameter) -> Vec<Vec<u8>> {
        let Parameter::Variable(prefix) = parameter else { return Vec::new() };
        let mut ids = self.listed_variables();
        // bash: of those that have a value, if only after a local one that has none.
        ids.retain(|&id| {
            self.vars.name(id).starts_with(prefix.as_bytes())
                && (self.has_listed_value(id) || self.vars.hides_value(id))
        });
        ids.into_iter().map(|id| self.vars.name(id).to_vec()).collect()
    }

    fn array_keys(&mut self, parameter: &Parameter) -> Flow<Fetched> {
        let Parameter::Element(name, subscript) = parameter else { return ControlFlow::Continue(Fetched::Unset) };
        let star = matches!(subscript, Subscript::Star);
        let id = self.vars.slot(name);
        let id = match self.follow(id)? {
            Reference::Variable(id) => id,
            _ => id,
        };
        let items = match self.vars.get(id).map(|v| &v.value) {
            Some(Value::Indexed(array)) => array.iter().map(|(i, _)| i.to_string().into_bytes()).collect(),
            Some(Value::Associative(array)) => array.iter().map(|(key, _)| key.to_vec()).collect(),
            Some(Value::Scalar(_)) => vec![b"0".to_vec()],
            Some(Value::Unset) | None => match self.fetch(&Reference::All(id, star)) {
                Fetched::Many { items, .. } => (0..items.len()).map(|i| i.to_string().into_bytes()).collect(),
                _ => Vec::new(),
            },
        };
        ControlFlow::Continue(Fetched::Many { items, star })
    }
}

/// A parameter as it is named in messages.
pub(super) fn parameter_text(parameter: &Parameter) -> Vec<u8> {
    match parameter {
        Parameter::Variable(name) => name.as_bytes().to_vec(),
        Parameter::Element(name, subscript) => {
            let mut text = name.as_bytes().to_vec();
            text.push(b'[');
            match subscript {
                Subscript::All => text.push(b'@'),
                Subscript::Star => text.push(b'*'),
                Subscript::Index(index) => {
                    text.extend_from_slice(&hookshell_syntax::print_word(&index.key));
                }
            }
            text.push(b']');
            text
        }
        Parameter::Positional(n) => n.to_string().into_bytes(),
        Parameter::At => b"@".to_vec(),
        Parameter::Star => b"*".to_vec(),
        Parameter::Count => b"#".to_vec(),
        Parameter::Status => b"?".to_vec(),
        Parameter::Options => b"-".to_vec(),
        Parameter::ProcessId => b"$".to_vec(),
        Parameter::BackgroundId => b"!".to_vec(),
        Parameter::Zero => b"0".to_vec(),
    }
}
