//! The numbers that `[[ ]]` compares (`-eq` and its like).

use std::ops::ControlFlow;

use hookshell_syntax::ast::{Arithmetic, Word, WordPart};

use crate::flow::Flow;
use crate::interpreter::expand::{QUOTED, StringSink};
use crate::shell::Shell;

/// An operand of `-eq` and its like in `[[ ]]`.
pub(crate) struct ConditionOperand {
    /// Its text, expanded.
    pub(crate) text: Vec<u8>,
    /// Where it may have subscripts: what it was, and what its expansions have come to.
    arithmetic: Option<(Arithmetic, Vec<Vec<u8>>)>,
}

impl ConditionOperand {
    pub(crate) fn of_text(text: Vec<u8>) -> Self {
        Self { text, arithmetic: None }
    }
}

impl Shell {
    /// Expands an operand of `-eq` and its like. What is expanded in a subscript is not expanded again there.
    pub(crate) fn condition_operand(&mut self, word: &Word) -> Flow<ConditionOperand> {
        let has_subscript =
            word.parts.iter().any(|part| matches!(part, WordPart::Literal(text) if text.contains(&b'[')));
        let is_quoted = |part: &WordPart| {
            matches!(part, WordPart::Quoted(_) | WordPart::DoubleQuoted(_) | WordPart::QuotedParameter(_))
        };
        if !has_subscript || word.parts.len() < 2 || word.parts.iter().any(is_quoted) {
            return self.expand_to_string(word).map_continue(ConditionOperand::of_text);
        }
        let options = self.parse_options();
        let parts = word.parts.to_vec();
        let arithmetic = hookshell_syntax::compile_arithmetic(parts, options.dialect, options.max_depth);
        let mut operand = ConditionOperand { text: Vec::new(), arithmetic: None };
        let mut texts = Vec::new();
        for part in &*word.parts {
            match part {
                WordPart::Literal(text) => operand.text.extend_from_slice(text),
                part => {
                    let mut text = Vec::new();
                    self.expand_parts(std::slice::from_ref(part), QUOTED, &mut StringSink(&mut text))?;
                    operand.text.extend_from_slice(&text);
                    texts.push(text);
                }
            }
        }
        operand.arithmetic = (arithmetic.expansions.len() == texts.len()).then_some((arithmetic, texts));
        ControlFlow::Continue(operand)
    }

    /// The value of an operand of `-eq` and its like; `None` if it is no expression.
    pub(crate) fn evaluate_operand(&mut self, operand: &ConditionOperand) -> Flow<Option<i64>> {
        let Some((arithmetic, texts)) = &operand.arithmetic else {
            return self.evaluate_text_for(&operand.text, "[[");
        };
        match self.for_builtin(|shell| ControlFlow::Continue(shell.evaluate_put_in(arithmetic, texts)))? {
            Ok(value) => ControlFlow::Continue(Some(value)),
            Err(failure) => self.arithmetic_failed(failure, &operand.text, "[[").map_continue(|()| None),
        }
    }
}
