//! Arithmetic expansion (XCU 2.6.4) and bash's other arithmetic.

mod condition;
mod variables;

use std::ops::ControlFlow;

use hookshell_syntax::ast::{
    Arithmetic, ArithmeticExpansion, ArithmeticExpression, BinaryOperator, UnaryOperator, WordPart,
};
use hookshell_syntax::{ArithmeticSyntaxError, ArithmeticSyntaxErrorCause, parse_arithmetic, parse_failing_arithmetic};

pub(crate) use self::condition::ConditionOperand;
use super::{PLAIN, QUOTED, StringSink};
use crate::flow::{Divert, Flow, NEXT, divert};
use crate::shell::Shell;

/// How deep values of variables, and of subscripts in them, may lead to other expressions, as in bash: `x=x+1; $((x))` and
/// `a='a[a]'` are errors.
const MAX_VALUE_DEPTH: u32 = 1022;

/// Why an expression has no value. The report names the expression before it.
enum Failure {
    Syntax(Vec<u8>, ArithmeticSyntaxError),
    /// With the text of the variable in which it was come to, if that was one.
    DivisionByZero(Option<Vec<u8>>),
    /// The same.
    NegativeExponent(Option<Vec<u8>>),
    Recursion(Vec<u8>),
    /// The error of a failing expression, which its evaluation has come to.
    Reached,
    /// An assignment failed: a message was written already.
    Assignment,
    /// A message was written already.
    Diverted(Divert),
}

impl Failure {
    fn of<T>(flow: Flow<T>) -> Result<T, Self> {
        match flow {
            ControlFlow::Continue(value) => Ok(value),
            ControlFlow::Break(divert) => Err(Self::Diverted(divert)),
        }
    }
}

impl Failure {
    fn of_assignment(flow: Flow) -> Result<(), Self> {
        match flow {
            ControlFlow::Break(Divert::Discard | Divert::TopLevel) => Err(Self::Assignment),
            flow => Self::of(flow),
        }
    }
}

impl Shell {
    /// Evaluates an expression of the source; an error discards the unit.
    #[inline]
    pub(crate) fn evaluate(&mut self, arithmetic: &Arithmetic) -> Flow<i64> {
        self.evaluate_of(arithmetic, String::new)
    }

    /// The same; `name` is what the expression belongs to, for messages.
    pub(super) fn evaluate_of(&mut self, arithmetic: &Arithmetic, name: impl FnOnce() -> String) -> Flow<i64> {
        match self.try_evaluate(arithmetic) {
            Ok(value) => ControlFlow::Continue(value),
            Err(failure) => {
                let text = self.arithmetic_text(arithmetic);
                self.arithmetic_failed(failure, &text, &name())?;
                divert(Divert::Discard)
            }
        }
    }

    /// Evaluates the expression of a command, whose name (`((`) stands in front of messages. `None`: the expression has
    /// failed, and so has the command. What fails in an expansion or a subscript in it drops the unit, as in bash.
    pub(crate) fn evaluate_for(&mut self, arithmetic: &Arithmetic, command: &str) -> Flow<Option<i64>> {
        match self.for_builtin(|shell| ControlFlow::Continue(shell.try_evaluate(arithmetic)))? {
            Ok(value) => ControlFlow::Continue(Some(value)),
            Err(failure) => {
                let text = self.arithmetic_text(arithmetic);
                self.arithmetic_failed(failure, &text, command).map_continue(|()| None)
            }
        }
    }

    /// As [`Shell::evaluate_for`] of `((`; the text with its expansions is given to `show` before it is evaluated.
    pub(crate) fn evaluate_shown(
        &mut self,
        arithmetic: &Arithmetic,
        show: impl FnOnce(&mut Self, &[u8]) -> Flow,
    ) -> Flow<Option<i64>> {
        match self.for_builtin(|shell| ControlFlow::Continue(shell.try_evaluate_shown(arithmetic, show)))? {
            Ok(value) => ControlFlow::Continue(Some(value)),
            Err(failure) => {
                let text = self.arithmetic_text(arithmetic);
                self.arithmetic_failed(failure, &text, "((").map_continue(|()| None)
            }
        }
    }

    fn try_evaluate_shown(
        &mut self,
        arithmetic: &Arithmetic,
        show: impl FnOnce(&mut Self, &[u8]) -> Flow,
    ) -> Result<i64, Failure> {
        if arithmetic.expansions.is_empty() {
            let text = Failure::of(self.expand_to_string(&arithmetic.text))?;
            Failure::of(show(self, &text))?;
            return match &arithmetic.expression {
                Some(expression) => self.value_of(expression, &[]),
                None => self.evaluate_value(&text),
            };
        }
        let mut texts = Vec::with_capacity(arithmetic.expansions.len());
        for ArithmeticExpansion { part, .. } in &arithmetic.expansions {
            let mut text = Vec::new();
            Failure::of(self.expand_parts(std::slice::from_ref(part), QUOTED, &mut StringSink(&mut text)))?;
            texts.push(text);
        }
        let text = text_of_parts(&parts_put_in(arithmetic, &texts));
        Failure::of(show(self, &text))?;
        self.evaluate_put_in(arithmetic, &texts)
    }

    /// Evaluates text that came up at run time.
    pub(crate) fn evaluate_text(&mut self, text: &[u8]) -> Flow<i64> {
        match self.evaluate_value(text) {
            Ok(value) => ControlFlow::Continue(value),
            Err(failure) => {
                self.arithmetic_failed(failure, text, "")?;
                divert(Divert::Discard)
            }
        }
    }

    /// The same of the value of an integer variable, which a built-in may assign.
    pub(crate) fn evaluate_assigned(&mut self, text: &[u8]) -> Flow<i64> {
        match self.evaluate_value(text) {
            Ok(value) => ControlFlow::Continue(value),
            Err(failure) => {
                self.arithmetic_failed(failure, text, self.scratch.assigning)?;
                divert(Divert::Discard)
            }
        }
    }

    /// As [`Shell::evaluate_for`], of text (`let`, `[[`).
    pub(crate) fn evaluate_text_for(&mut self, text: &[u8], command: &str) -> Flow<Option<i64>> {
        match self.for_builtin(|shell| ControlFlow::Continue(shell.evaluate_value(text)))? {
            Ok(value) => ControlFlow::Continue(Some(value)),
            Err(failure) => self.arithmetic_failed(failure, text, command).map_continue(|()| None),
        }
    }

    /// Writes the message of a failure; a divert where the failure is not that of the expression itself.
    fn arithmetic_failed(&mut self, failure: Failure, text: &[u8], command: &str) -> Flow {
        let (text, reason): (&[u8], Vec<u8>) = match &failure {
            Failure::Diverted(reason) => return divert(*reason),
            Failure::Assignment => return NEXT,
            Failure::Syntax(inner, error) => {
                // Of a bad number bash shows what stands up to its end.
                let shown = match error.cause {
                    ArithmeticSyntaxErrorCause::Number(_) => {
                        &inner[..(error.offset + error.token.len()).min(inner.len())]
                    }
                    _ => inner,
                };
                (shown, error.to_string().into_bytes())
            }
            Failure::DivisionByZero(inner) => {
                let text = inner.as_deref().unwrap_or(text);
                // bash names the token after the operator.
                let token = text.iter().rposition(|&b| b == b'/' || b == b'%').map_or(&b""[..], |at| &text[at + 1..]);
                let token = token.strip_prefix(b"=").unwrap_or(token).trim_ascii_start();
                (text, [b"division by 0 (error token is \"", token, b"\")"].concat())
            }
            Failure::NegativeExponent(inner) => {
                let text = inner.as_deref().unwrap_or(text);
                let token =
                    text.windows(2).rposition(|w| w == b"**").map_or(&b""[..], |at| text[at + 2..].trim_ascii_start());
                let token = token.strip_prefix(b"-").unwrap_or(token).trim_ascii_start();
                (text, [b"exponent less than 0 (error token is \"", token, b"\")"].concat())
            }
            Failure::Reached => (text, b"syntax error in expression".to_vec()),
            Failure::Recursion(token) => {
                (token, [b"expression recursion level exceeded (error token is \"", &**token, b"\")"].concat())
            }
        };
        let mut message = Vec::new();
        if !command.is_empty() {
            message.extend_from_slice(command.as_bytes());
            message.extend_from_slice(b": ");
        }
        // bash passes over blanks, but not over newlines.
        let blanks = text.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        message.extend_from_slice(&text[blanks..]);
        message.extend_from_slice(b": ");
        message.extend_from_slice(&reason);
        self.error(message);
        self.env.status = 1;
        NEXT
    }

    /// The text of an expression with its expansions, for a message.
    fn arithmetic_text(&mut self, arithmetic: &Arithmetic) -> Vec<u8> {
        if arithmetic.expansions.is_empty() {
            return self.expand_to_string(&arithmetic.text).continue_value().unwrap_or_default();
        }
        // Command substitutions are not run again for a message.
        hookshell_syntax::print_arithmetic(arithmetic)
    }

    fn try_evaluate(&mut self, arithmetic: &Arithmetic) -> Result<i64, Failure> {
        if arithmetic.expansions.is_empty() {
            return match &arithmetic.expression {
                Some(expression) => self.value_of(expression, &[]),
                None => {
                    let text = Failure::of(self.expand_to_string(&arithmetic.text))?;
                    self.evaluate_value(&text)
                }
            };
        }
        let mut texts: Vec<Vec<u8>> = Vec::with_capacity(arithmetic.expansions.len());
        let mut operands = smallvec::SmallVec::<[i64; 8]>::new();
        let mut are_numbers = true;
        for ArithmeticExpansion { part, nested } in &arithmetic.expansions {
            let mut text = self.take_bytes();
            Failure::of(self.expand_parts(std::slice::from_ref(part), QUOTED, &mut StringSink(&mut text)))?;
            // A sign belongs to the text around it: `x-$y` with y=-1 is `x--1`.
            match plain_decimal(&text).filter(|value| *value >= 0) {
                Some(value) if !nested => operands.push(value),
                _ => are_numbers = false,
            }
            texts.push(text);
        }
        let result = match &arithmetic.expression {
            // Every expansion is a number: what was compiled means the same as the text.
            Some(expression) if are_numbers => self.value_of(expression, &operands),
            _ => self.evaluate_put_in(arithmetic, &texts),
        };
        for text in texts {
            self.give_bytes(text);
        }
        result
    }

    /// The value of an expression whose expansions, `texts`, have to be put in as text. Those in a subscript are not
    /// expanded again there, as bash 5.2 protects them.
    fn evaluate_put_in(&mut self, arithmetic: &Arithmetic, texts: &[Vec<u8>]) -> Result<i64, Failure> {
        let parts = parts_put_in(arithmetic, texts);
        let text = text_of_parts(&parts);
        if arithmetic.expansions.iter().any(|expansion| expansion.nested) {
            let options = self.parse_options();
            let compiled = hookshell_syntax::compile_arithmetic(parts, options.dialect, options.max_depth);
            if let Some(expression) =
                compiled.expression.filter(|_| compiled.expansions.iter().all(|expansion| expansion.nested))
            {
                return self.value_of(&expression, &[]);
            }
        }
        self.evaluate_value(&text)
    }

    /// The value of text: a number, or an expression.
    fn evaluate_value(&mut self, text: &[u8]) -> Result<i64, Failure> {
        if let Some(value) = plain_decimal(text) {
            return Ok(value);
        }
        if text.trim_ascii().is_empty() {
            return Ok(0);
        }
        if self.scratch.value_depth >= MAX_VALUE_DEPTH || crate::stack::is_used_up() {
            return Err(Failure::Recursion(text.to_vec()));
        }
        // `a='b+b' b='c+c' c='d+d' …` doubles the work with every name.
        if self.is_stopping() {
            return Err(Failure::Diverted(Divert::Stop));
        }
        self.scratch.value_depth += 1;
        let value = self.value_of_text(text);
        self.scratch.value_depth -= 1;
        match value {
            Err(Failure::DivisionByZero(None)) => Err(Failure::DivisionByZero(Some(text.to_vec()))),
            Err(Failure::NegativeExponent(None)) => Err(Failure::NegativeExponent(Some(text.to_vec()))),
            value => value,
        }
    }

    fn value_of_text(&mut self, text: &[u8]) -> Result<i64, Failure> {
        let limit = self.host.limits.parse_depth;
        match parse_arithmetic(text, self.env.dialect, limit) {
            Ok(expression) => self.value_of(&expression, &[]),
            Err(error) => {
                // What stands before the error has been evaluated when bash comes to it.
                if let Some(expression) = parse_failing_arithmetic(text, self.env.dialect, limit)
                    && let Err(failure) = self.value_of(&expression, &[])
                    && !matches!(failure, Failure::Reached)
                {
                    return Err(failure);
                }
                Err(Failure::Syntax(text.to_vec(), error))
            }
        }
    }

    fn value_of(&mut self, expression: &ArithmeticExpression, operands: &[i64]) -> Result<i64, Failure> {
        Ok(match expression {
            ArithmeticExpression::Number(value) => *value,
            ArithmeticExpression::Failed => return Err(Failure::Reached),
            ArithmeticExpression::Variable(variable) => self.variable_value(variable)?,
            ArithmeticExpression::Expansion(index) => operands.get(*index as usize).copied().unwrap_or(0),
            ArithmeticExpression::Unary(operator, operand) => {
                let value = self.value_of(operand, operands)?;
                match operator {
                    UnaryOperator::Plus => value,
                    UnaryOperator::Minus => value.wrapping_neg(),
                    UnaryOperator::Not => i64::from(value == 0),
                    UnaryOperator::Complement => !value,
                }
            }
            ArithmeticExpression::Binary(operator, left, right) => {
                let left = self.value_of(left, operands)?;
                self.apply_binary(*operator, left, right, operands)?
            }
            ArithmeticExpression::Chain(chain) => {
                let mut value = self.value_of(&chain.first, operands)?;
                for (operator, right) in &chain.rest {
                    value = self.apply_binary(*operator, value, right, operands)?;
                }
                value
            }
            ArithmeticExpression::Conditional(parts) => {
                let [condition, then, otherwise] = &**parts;
                let branch = if self.value_of(condition, operands)? != 0 { then } else { otherwise };
                self.value_of(branch, operands)?
            }
            ArithmeticExpression::Assign(variable, operator, value) => {
                let Some(operator) = operator else {
                    let value = self.value_of(value, operands)?;
                    self.assign_number(variable, None, value)?;
                    return Ok(value);
                };
                let (old, reference) = self.value_to_change(variable)?;
                let value = self.value_of(value, operands)?;
                let new = binary(*operator, old, value)?;
                self.assign_number(variable, reference, new)?;
                new
            }
            ArithmeticExpression::Step { variable, by, postfix } => {
                let (old, reference) = self.value_to_change(variable)?;
                let new = old.wrapping_add(i64::from(*by));
                self.assign_number(variable, reference, new)?;
                if *postfix { old } else { new }
            }
        })
    }

    /// A binary operator's result; `&&` and `||` evaluate their right side only where the left one does not decide.
    #[inline]
    fn apply_binary(
        &mut self,
        operator: BinaryOperator,
        left: i64,
        right: &ArithmeticExpression,
        operands: &[i64],
    ) -> Result<i64, Failure> {
        match (operator, left != 0) {
            (BinaryOperator::And, false) => Ok(0),
            (BinaryOperator::Or, true) => Ok(1),
            (BinaryOperator::And | BinaryOperator::Or, _) => Ok(i64::from(self.value_of(right, operands)? != 0)),
            _ => {
                let right = self.value_of(right, operands)?;
                Ok(binary(operator, left, right)?)
            }
        }
    }

    /// Expands text as in double quotes (prompt strings).
    pub(crate) fn expand_text(&mut self, text: &[u8]) -> Flow<Vec<u8>> {
        let options = self.parse_options();
        match hookshell_syntax::parse_double_quoted(text, &options) {
            Ok(word) => {
                let mut out = Vec::new();
                self.expand_parts(&word.parts, PLAIN, &mut StringSink(&mut out))?;
                ControlFlow::Continue(out)
            }
            Err(_) => ControlFlow::Continue(text.to_vec()),
        }
    }
}

/// The parts of an expression with these texts in the place of its expansions; those in a subscript are quoted.
fn parts_put_in(arithmetic: &Arithmetic, texts: &[Vec<u8>]) -> Vec<WordPart> {
    let parts = match &*arithmetic.text.parts {
        [WordPart::DoubleQuoted(parts)] => parts,
        parts => parts,
    };
    let mut next = texts.iter().zip(arithmetic.expansions.iter().map(|expansion| expansion.nested));
    let parts = parts.iter().map(|part| match part {
        WordPart::Literal(_) | WordPart::Quoted(_) => part.clone(),
        _ => match next.next() {
            Some((text, false)) => WordPart::Literal(text.as_slice().into()),
            Some((text, true)) => WordPart::DoubleQuoted(vec![WordPart::Literal(text.as_slice().into())]),
            None => WordPart::Literal(Default::default()),
        },
    });
    parts.collect()
}

/// What [`parts_put_in`] has made, as text.
fn text_of_parts(parts: &[WordPart]) -> Vec<u8> {
    let mut text = Vec::new();
    for part in parts {
        match part {
            WordPart::Literal(found) | WordPart::Quoted(found) => text.extend_from_slice(found),
            WordPart::DoubleQuoted(inner) => {
                if let [WordPart::Literal(found)] = &**inner {
                    text.extend_from_slice(found);
                }
            }
            _ => {}
        }
    }
    text
}

/// The binary operators that evaluate both sides. Numbers wrap, as in bash.
fn binary(operator: BinaryOperator, left: i64, right: i64) -> Result<i64, Failure> {
    Ok(match operator {
        BinaryOperator::Power => {
            let mut exponent = u64::try_from(right).map_err(|_| Failure::NegativeExponent(None))?;
            let (mut base, mut result) = (left, 1i64);
            while exponent > 0 {
                if exponent & 1 == 1 {
                    result = result.wrapping_mul(base);
                }
                base = base.wrapping_mul(base);
                exponent >>= 1;
            }
            result
        }
        BinaryOperator::Multiply => left.wrapping_mul(right),
        BinaryOperator::Divide if right == 0 => return Err(Failure::DivisionByZero(None)),
        BinaryOperator::Divide => left.wrapping_div(right),
        BinaryOperator::Remainder if right == 0 => return Err(Failure::DivisionByZero(None)),
        BinaryOperator::Remainder => left.wrapping_rem(right),
        BinaryOperator::Add => left.wrapping_add(right),
        BinaryOperator::Subtract => left.wrapping_sub(right),
        // The count is taken modulo 64, as the processors that bash runs on do it.
        BinaryOperator::ShiftLeft => left.wrapping_shl(right as u32),
        BinaryOperator::ShiftRight => left.wrapping_shr(right as u32),
        BinaryOperator::Less => i64::from(left < right),
        BinaryOperator::LessEqual => i64::from(left <= right),
        BinaryOperator::Greater => i64::from(left > right),
        BinaryOperator::GreaterEqual => i64::from(left >= right),
        BinaryOperator::Equal => i64::from(left == right),
        BinaryOperator::NotEqual => i64::from(left != right),
        BinaryOperator::BitAnd => left & right,
        BinaryOperator::BitXor => left ^ right,
        BinaryOperator::BitOr => left | right,
        BinaryOperator::And => i64::from(left != 0 && right != 0),
        BinaryOperator::Or => i64::from(left != 0 || right != 0),
        BinaryOperator::Comma => right,
    })
}

/// A plain decimal number with an optional sign and no leading zero: what most values are. Everything else is an
/// expression.
#[inline]
fn plain_decimal(text: &[u8]) -> Option<i64> {
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    if digits.is_empty() || digits.len() > 18 || (digits[0] == b'0' && digits.len() > 1) {
        return None;
    }
    let mut value: i64 = 0;
    for &digit in digits {
        if !digit.is_ascii_digit() {
            return None;
        }
        value = value * 10 + i64::from(digit - b'0');
    }
    Some(if negative { -value } else { value })
}
