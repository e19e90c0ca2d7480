//! A `[` that needs no list of its words, because its operands are plain: the most frequent test of scripts.

use hookshell_syntax::ast::{Argument, SimpleCommand, WordShape};

use crate::interpreter::builtins;
use crate::options::Opt;
use crate::shell::Shell;

impl Shell {
    /// Carries out a `[` whose operands are literals and quoted parameters, without a list of its words; `false` where it is
    /// another command, or something else looks at it.
    #[inline]
    pub(super) fn is_quick_test(&mut self, command: &SimpleCommand) -> bool {
        let Some(Argument::Word(name)) = command.arguments.first() else { return false };
        name.literal_part() == Some(b"[") && self.run_quick_test(command)
    }

    fn run_quick_test(&mut self, command: &SimpleCommand) -> bool {
        let is_plain = command.assignments.is_empty()
            && command.redirections.is_empty()
            && !(self.opt(Opt::Xtrace)
                || self.context.subshell.null_stdin_due
                || self.context.subshell.is_uncounted_stage)
            && (self.env.inherited.functions.is_empty() || !self.env.inherited.functions.contains_key(&b"["[..]))
            && !self.jobs.is_disabled(b"[");
        let [_, operands @ .., Argument::Word(last)] = &*command.arguments else { return false };
        if !is_plain || last.literal_part() != Some(b"]") {
            return false;
        }
        let Some(truth) = self.quick_truth(operands) else { return false };
        self.context.subshell.is_only_command = false;
        self.env.status = u8::from(!truth);
        self.pipe_status_of_one();
        self.env.last_argument.clear();
        self.env.last_argument.push(b']');
        true
    }

    /// The value of the expression of a `[`; `None` if that is an error, or more than a look at the operands.
    fn quick_truth(&self, operands: &[Argument]) -> Option<bool> {
        let mut words: [&[u8]; 4] = [b""; 4];
        let words = words.get_mut(..operands.len())?;
        let mut size = 0;
        for (word, operand) in words.iter_mut().zip(operands) {
            let Argument::Word(operand) = operand else { return None };
            *word = match operand.shape {
                WordShape::Literal => operand.literal_part()?,
                WordShape::QuotedParameter => self.quoted_value(operand)?,
                WordShape::General => return None,
            };
            size += word.len();
            // An element's subscript may have to be expanded.
            if *word == b"-v" {
                return None;
            }
        }
        if size > self.host.limits.expansion_bytes / 2 {
            return None;
        }
        crate::conditional::test(words, &builtins::TestContext(self, &[])).ok()
    }
}
