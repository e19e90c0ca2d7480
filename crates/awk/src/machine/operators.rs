//! Operators on values: arithmetic, comparison, concatenation.

use super::Machine;
use super::bounds::LONG_TEXT;
use crate::ast::{Arithmetic, Comparison};
use crate::code::Place;
use crate::fail::{Fail, check_length};
use crate::value::Value;

/// A shorter string is copied when something is appended to it: that costs less than to give it room to grow.
const LONG: usize = 256;

impl Machine<'_> {
    /// Appends to a variable in its place: a string that grows word by word is not copied for each.
    pub(super) fn append(&mut self, place: Place, count: u32) -> Result<(), Fail> {
        let first = self.stack.len().saturating_sub(count as usize);
        let at = match place {
            Place::Global(at) => self.globals.get_mut(at as usize),
            Place::Local(at) => self.stack.get_mut(self.base + at as usize),
            Place::Watched(_) | Place::Field | Place::Element(_) => None,
        };
        let old = match at {
            Some(Value::Grown(text)) => std::mem::take(text),
            Some(Value::String(text) | Value::Input(text)) if text.len() >= LONG => Box::new(text.to_vec()),
            at => {
                let value = at.map(|value| value.share()).unwrap_or_default();
                self.stack.insert(first, value);
                self.concat(count + 1)?;
                return self.store(place);
            }
        };
        let mut text = old;
        let before = text.len();
        for value in self.stack.drain(first..) {
            value.push_text(&self.convfmt, &mut text);
            check_length(text.len())?;
        }
        let more = text.len() - before;
        let at = match place {
            Place::Global(at) => self.globals.get_mut(at as usize),
            Place::Local(at) => self.stack.get_mut(self.base + at as usize),
            Place::Watched(_) | Place::Field | Place::Element(_) => None,
        };
        if let Some(at) = at {
            *at = Value::Grown(text);
        }
        self.note_stored(more)
    }

    pub(super) fn concat(&mut self, count: u32) -> Result<(), Fail> {
        let first = self.stack.len().saturating_sub(count as usize);
        let mut text = std::mem::take(&mut self.scratch);
        text.clear();
        for value in self.stack.drain(first..) {
            value.push_text(&self.convfmt, &mut text);
            check_length(text.len())?;
        }
        if text.len() > LONG_TEXT {
            self.tick_for(text.len())?;
        }
        let value = self.text(&text);
        self.scratch = text;
        self.stack.push(Value::String(value));
        Ok(())
    }

    /// Compares as numbers where both are numbers, numeric strings or nothing yet, else as strings.
    pub(super) fn compare(&self, comparison: Comparison, left: &Value, right: &Value) -> bool {
        let numbers = match (left, right) {
            (Value::Number(left), Value::Number(right)) => Some((*left, *right)),
            (Value::String(_) | Value::Grown(_), _) | (_, Value::String(_) | Value::Grown(_)) => None,
            _ => match left.if_number() {
                Some(left) => right.if_number().map(|right| (left, right)),
                None => None,
            },
        };
        match numbers {
            Some((left, right)) => match comparison {
                Comparison::Less => left < right,
                Comparison::LessOrEqual => left <= right,
                Comparison::Equal => left == right,
                Comparison::NotEqual => left != right,
                Comparison::Greater => left > right,
                Comparison::GreaterOrEqual => left >= right,
            },
            None => {
                let order = self.order_texts(&left.to_text(&self.convfmt), &right.to_text(&self.convfmt));
                match comparison {
                    Comparison::Less => order.is_lt(),
                    Comparison::LessOrEqual => order.is_le(),
                    Comparison::Equal => order.is_eq(),
                    Comparison::NotEqual => order.is_ne(),
                    Comparison::Greater => order.is_gt(),
                    Comparison::GreaterOrEqual => order.is_ge(),
                }
            }
        }
    }
}

/// # Errors
/// A division by zero.
pub(super) fn arithmetic(operator: Arithmetic, left: f64, right: f64) -> Result<f64, Fail> {
    Ok(match operator {
        Arithmetic::Add => left + right,
        Arithmetic::Subtract => left - right,
        Arithmetic::Multiply => left * right,
        Arithmetic::Divide | Arithmetic::Remainder if right == 0.0 => {
            let name = crate::compile::operator_name(operator);
            return Err(Fail::new(format!("division by zero in {name}")));
        }
        Arithmetic::Divide => left / right,
        Arithmetic::Remainder => left % right,
        Arithmetic::Power => f64::powf(left, right),
    })
}
