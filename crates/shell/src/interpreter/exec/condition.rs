//! `[[ expression ]]` (bash).

use std::ops::ControlFlow;

use hookshell_syntax::ast::{Condition, ConditionOperator, Word, WordPart};

use crate::conditional::{self, FileComparison};
use crate::flow::Flow;
use crate::interpreter::expand::{ConditionOperand, RegexSink, TracedPatternSink};
use crate::limits::Limit;
use crate::options::Opt;
use crate::regex::Characters;
use crate::shell::Shell;
use crate::vars::Value;

/// Is it a quoted name with a `$` or backquote, which is an expansion only when the subscript is evaluated
/// (`[[ -v 'a[$x]' ]]`)?
fn expands_later(parts: &[WordPart]) -> bool {
    matches!(parts.first(), Some(WordPart::Quoted(text)) if memchr::memchr2(b'$', b'`', text).is_some())
}

impl Shell {
    /// The truth of a conditional expression, or the exit status of one that is none.
    pub(super) fn evaluate_condition(&mut self, condition: &Condition) -> Flow<Result<bool, u8>> {
        self.evaluate_term(condition, false)
    }

    /// `negated`: it stands after `!`, which only the trace wants to know.
    fn evaluate_term(&mut self, condition: &Condition, negated: bool) -> Flow<Result<bool, u8>> {
        ControlFlow::Continue(Ok(match condition {
            Condition::Group(inner) => return self.evaluate_condition(inner),
            Condition::Not(inner) => match self.evaluate_term(inner, true)? {
                Ok(truth) => !truth,
                Err(status) => return ControlFlow::Continue(Err(status)),
            },
            Condition::And(terms) => return self.evaluate_terms(terms, true),
            Condition::Or(terms) => return self.evaluate_terms(terms, false),
            Condition::Unary(letter, word) => {
                let operand = self.expand_to_string(word)?;
                self.trace_condition(negated, &[&[b'-', *letter], &operand]);
                if *letter == b'v' {
                    let is_set = match expands_later(&word.parts) {
                        true => self.is_set_text(&operand),
                        false => self.is_set_expanded(&operand),
                    };
                    return is_set.map_continue(Ok);
                }
                match conditional::unary(*letter, &operand, &crate::interpreter::builtins::TestContext(self, &[])) {
                    Ok(truth) => truth,
                    Err(error) => {
                        self.error(format!("[[: {error}"));
                        return ControlFlow::Continue(Err(2));
                    }
                }
            }
            Condition::Binary(operator, left, right) => return self.evaluate_binary(*operator, left, right, negated),
        }))
    }

    /// The terms as long as their truth is `while_truth`, which is the result if it is all of theirs.
    fn evaluate_terms(&mut self, terms: &[Condition], while_truth: bool) -> Flow<Result<bool, u8>> {
        for term in terms {
            match self.evaluate_condition(term)? {
                Ok(truth) if truth == while_truth => {}
                other => return ControlFlow::Continue(other),
            }
        }
        ControlFlow::Continue(Ok(while_truth))
    }

    /// `set -x`: a term with its operands expanded.
    fn trace_condition(&mut self, negated: bool, words: &[&[u8]]) {
        if !self.opt(Opt::Xtrace) {
            return;
        }
        let mut text = b"[[ ".to_vec();
        if negated {
            text.extend_from_slice(b"! ");
        }
        for word in words {
            text.extend_from_slice(if word.is_empty() { b"''" } else { word });
            text.push(b' ');
        }
        text.extend_from_slice(b"]]");
        self.trace_text(&text);
    }

    fn evaluate_binary(
        &mut self,
        operator: ConditionOperator,
        left: &Word,
        right: &Word,
        negated: bool,
    ) -> Flow<Result<bool, u8>> {
        use ConditionOperator as Op;
        let is_arithmetic =
            matches!(operator, Op::Equal | Op::NotEqual | Op::Less | Op::LessEqual | Op::Greater | Op::GreaterEqual);
        let left = if is_arithmetic {
            self.condition_operand(left)?
        } else {
            ConditionOperand::of_text(self.expand_to_string(left)?)
        };
        let subject = &*left.text;
        let sign: &[u8] = match operator {
            Op::Match => b"==",
            Op::SingleMatch => b"=",
            Op::NotMatch => b"!=",
            Op::Regex => b"=~",
            Op::Before => b"<",
            Op::After => b">",
            Op::Equal => b"-eq",
            Op::NotEqual => b"-ne",
            Op::Less => b"-lt",
            Op::LessEqual => b"-le",
            Op::Greater => b"-gt",
            Op::GreaterEqual => b"-ge",
            Op::NewerThan => b"-nt",
            Op::OlderThan => b"-ot",
            Op::SameFile => b"-ef",
        };
        let truth = match operator {
            Op::Match | Op::SingleMatch | Op::NotMatch => {
                let mut escaped = self.take_bytes();
                if self.opt(Opt::Xtrace) {
                    self.expand_into(right, &mut TracedPatternSink(&mut escaped))?;
                } else {
                    self.expand_pattern(right, &mut escaped)?;
                }
                self.trace_condition(negated, &[subject, sign, &escaped]);
                let mut options = self.pattern_options(self.opt(Opt::Nocasematch));
                // Extended patterns are always on here.
                options.extglob = true;
                self.before_long(subject.len().saturating_mul(escaped.len()));
                let matched = self.scratch.patterns.matches(&escaped, subject, options);
                self.give_bytes(escaped);
                matched == (operator != Op::NotMatch)
            }
            Op::Regex => return self.match_regex(subject, right, negated),
            Op::Before | Op::After => {
                let other = self.expand_to_string(right)?;
                self.trace_condition(negated, &[subject, sign, &other]);
                if operator == Op::Before { subject < &*other } else { subject > &*other }
            }
            Op::Equal | Op::NotEqual | Op::Less | Op::LessEqual | Op::Greater | Op::GreaterEqual => {
                let other = self.condition_operand(right)?;
                self.trace_condition(negated, &[&left.text, sign, &other.text]);
                let mut numbers = [0; 2];
                for (number, operand) in numbers.iter_mut().zip([&left, &other]) {
                    // What is no expression only fails the command.
                    let Some(value) = self.evaluate_operand(operand)? else {
                        return ControlFlow::Continue(Err(1));
                    };
                    *number = value;
                }
                let [left, right] = numbers;
                match operator {
                    Op::Equal => left == right,
                    Op::NotEqual => left != right,
                    Op::Less => left < right,
                    Op::LessEqual => left <= right,
                    Op::Greater => left > right,
                    _ => left >= right,
                }
            }
            Op::NewerThan | Op::OlderThan | Op::SameFile => {
                let other = self.expand_to_string(right)?;
                self.trace_condition(negated, &[subject, sign, &other]);
                let comparison = match operator {
                    Op::NewerThan => FileComparison::Newer,
                    Op::OlderThan => FileComparison::Older,
                    _ => FileComparison::Same,
                };
                conditional::file_compare(
                    comparison,
                    subject,
                    &other,
                    &crate::interpreter::builtins::TestContext(self, &[]),
                )
            }
        };
        ControlFlow::Continue(Ok(truth))
    }

    /// `=~`: sets BASH_REMATCH.
    fn match_regex(&mut self, subject: &[u8], word: &Word, negated: bool) -> Flow<Result<bool, u8>> {
        let mut sink = RegexSink::default();
        self.expand_into(word, &mut sink)?;
        let source = sink.into_source();
        self.trace_condition(negated, &[subject, b"=~", &source]);
        // Neither the making of the expression nor the search asks whether it is to end.
        self.host.cancel.before_wait();
        let size = self.host.limits.regex_size;
        let characters = Characters { ignore_case: self.opt(Opt::Nocasematch), bytes: self.env.bytes };
        let regex = match self.host.regexes.compile(&source, characters, size) {
            Ok(regex) => regex,
            Err(hookshell_regex::Error::Memory) => {
                let message = self.host.limits.message(Limit::RegexSize, "the regular expression is larger");
                self.error(message);
                return ControlFlow::Continue(Err(2));
            }
            Err(_) => return ControlFlow::Continue(Err(2)),
        };
        let groups = crate::regex::groups(&regex, subject, &|| self.context.cancel.is_cancelled());
        let matched = groups.is_some();
        let items: Vec<Vec<u8>> = groups.unwrap_or_default().into_iter().map(<[u8]>::to_vec).collect();
        // bash: always the global one, local ones are passed over.
        let id = self.vars.slot_bytes(b"BASH_REMATCH");
        let global = self.vars.enter_global(id);
        self.store(id, Value::Indexed(Box::new(items.into_iter().collect())));
        if let Some(global) = global {
            self.vars.leave_global(global);
        }
        ControlFlow::Continue(Ok(matched))
    }
}
