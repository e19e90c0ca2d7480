//! What operations make of a parameter's value: another value, or a number.

use std::ops::ControlFlow;

use hookshell_syntax::ast::{CaseChange, Parameter, ParameterOperation, ReplaceScope, Word, WordPart, WordShape};

use super::parameter_text;
use crate::flow::{Divert, Flow, divert};
use crate::interpreter::expand::pattern_operation::{Replacement, ReplacementSink, remove, replace};
use crate::interpreter::expand::sink::StringSink;
use crate::interpreter::expand::transform::change_case;
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
    /// `${x=word}`: assigns what the word expands to.
    pub(super) fn assign_default(
        &mut self,
        parameter: &Parameter,
        reference: &Reference,
        word: &Word,
        context: Context,
    ) -> Flow {
        let mut text = Vec::new();
        let context = Context { quoted: context.quoted, ..PLAIN };
        self.expand_parts(&word.parts, context, &mut StringSink(&mut text))?;
        // bash has another status for it in a file: the place is the one that reads its commands.
        let is_in_file = self.context.frames.traced() == 0 && !self.host.is_command_string;
        match reference {
            Reference::Variable(_) | Reference::Index(..) | Reference::Key(..) => {
                match self.assign_reference(reference, text, false) {
                    ControlFlow::Break(Divert::Discard) if is_in_file => {
                        self.env.status = 2;
                        divert(Divert::Discard)
                    }
                    flow => flow,
                }
            }
            _ if matches!(parameter, Parameter::Element(..)) => {
                self.error([&*parameter_text(parameter), b": bad array subscript"].concat());
                self.env.status = if is_in_file { 2 } else { 1 };
                divert(Divert::Discard)
            }
            _ => {
                self.error([b"$", &*parameter_text(parameter), b": cannot assign in this way"].concat());
                self.reported()
            }
        }
    }

    /// `${#x}`: of a text how many characters it has, of a list how many elements.
    pub(super) fn length(&mut self, reference: &Reference, value: &Fetched) -> Flow<i64> {
        if let Reference::OutOfRange(id, index) = reference {
            return self.out_of_range(*id, *index);
        }
        if let Reference::All(id, _) = reference
            && self.opt(Opt::Nounset)
            && matches!(value, Fetched::Many { items, .. } if items.is_empty())
            && self.vars.get(*id).is_none_or(|v| !v.has_value())
        {
            return self.unbound_length(*id);
        }
        let length = match value {
            Fetched::Unset => 0,
            Fetched::One(text) if self.env.bytes => text.len(),
            Fetched::One(text) => hookshell_text::pattern::starts(text).count(),
            Fetched::Many { items, .. } => items.len(),
        };
        ControlFlow::Continue(i64::try_from(length).unwrap_or(i64::MAX))
    }

    /// `${x#pattern}` and `${x%pattern}`: without the beginning or the end that matches.
    pub(super) fn removed(
        &mut self,
        operation: &ParameterOperation,
        pattern_word: &Word,
        reference: &Reference,
        value: Fetched,
    ) -> Flow<Fetched> {
        let mut pattern = Vec::new();
        self.expand_pattern(pattern_word, &mut pattern)?;
        let value = self.elements_now(reference, pattern_word, value);
        let options = self.pattern_options(false);
        let removed = |text: Vec<u8>| {
            self.before_long(text.len().saturating_mul(pattern.len()));
            remove(&text, &pattern, &self.scratch.patterns, options, operation).to_vec()
        };
        ControlFlow::Continue(value.map(removed))
    }

    /// `${x/pattern/replacement}`: with what matches replaced.
    pub(super) fn replaced(
        &mut self,
        scope: ReplaceScope,
        pattern_word: &Word,
        replacement: Option<&Word>,
        reference: &Reference,
        value: Fetched,
    ) -> Flow<Fetched> {
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
            self.before_long(subject.len().saturating_mul(text.len()));
            match replace(&subject, &pattern, &text, scope, &replacement, limit, &stopped) {
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
        ControlFlow::Continue(mapped)
    }

    /// `${x^pattern}` and its like: with the characters that match in the other case.
    pub(super) fn case_changed(
        &mut self,
        change: CaseChange,
        pattern_word: Option<&Word>,
        reference: &Reference,
        value: Fetched,
    ) -> Flow<Fetched> {
        let (pattern, value) = match pattern_word {
            Some(word) => {
                let mut text = Vec::new();
                self.expand_pattern(word, &mut text)?;
                // Where nothing is quoted, what is empty is no pattern.
                let pattern = (!text.is_empty() || has_quotes(word))
                    .then(|| self.scratch.patterns.compiled(&text, self.pattern_options(false)));
                (pattern, self.elements_now(reference, word, value))
            }
            None => (None, value),
        };
        let bytes = self.env.bytes;
        let stopped = || self.is_stopping();
        let changed = value.map(|text| change_case(&text, change, pattern.as_deref(), bytes, &stopped));
        if self.is_stopping() {
            return divert(Divert::Stop);
        }
        ControlFlow::Continue(changed)
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
}
