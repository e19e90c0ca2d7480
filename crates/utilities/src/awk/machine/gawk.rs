//! Functions that only gawk has; they run where there is no awk on PATH.

use std::cmp::Ordering;
use std::rc::Rc;

use hookshell_regex::Captures;

use super::{Fail, Machine, PER_STORE};
use crate::awk::array::Key;
use crate::awk::ast::Builtin;
use crate::awk::code::ArrayPlace;
use crate::awk::number;
use crate::awk::text;
use crate::awk::value::Value;

/// gawk's numbers are doubles: the greatest of which all bits are known.
const MOST: f64 = 9_007_199_254_740_991.0;

impl Machine<'_> {
    /// `match` with an array: the match is element 0, the groups are the others, each with its place and length.
    pub(super) fn match_into(&mut self, array: ArrayPlace, regex: Option<u32>) -> Result<(), Fail> {
        let regex = self.regex_operand(regex)?;
        let subject = self.pop().shared_text(&self.convfmt);
        let array = self.array(array);
        let mut elements = array.borrow_mut();
        elements.clear();
        let Some((start, _)) = regex.find(&subject, 0)? else {
            drop(elements);
            self.set_match(0.0, -1.0);
            return Ok(());
        };
        let mut captures = Captures::new();
        regex.captures(&subject, start, &mut captures)?;
        let mut whole = (0.0, -1.0);
        let mut stored = 0;
        for (group, span) in captures.iter().enumerate() {
            let Some((start, end)) = span else { continue };
            let part = subject.get(start..end).unwrap_or_default();
            let place = self.position(&subject, start) as f64;
            let length = text::length(part, self.characters) as f64;
            if group == 0 {
                whole = (place, length);
            }
            stored += part.len() + 3 * PER_STORE;
            elements.insert(Key::Index(group), Value::Input(Rc::from(part)));
            for (name, value) in [("start", place), ("length", length)] {
                let key = [group.to_string().as_bytes(), &self.subsep, name.as_bytes()].concat();
                elements.insert(Key::Text(&key, None), Value::Number(value));
            }
        }
        drop(elements);
        self.note_stored(stored)?;
        self.set_match(whole.0, whole.1);
        Ok(())
    }

    /// `asort` and `asorti`: the values, or the subscripts, in order with the subscripts from 1 on.
    pub(super) fn sort(&mut self, from: ArrayPlace, to: ArrayPlace, by_index: bool) -> Result<(), Fail> {
        let source = self.array(from);
        let mut values: Vec<Value> = {
            let elements = source.borrow();
            let keys = elements.keys();
            if by_index {
                keys.into_iter().map(Value::String).collect()
            } else {
                keys.iter().filter_map(|key| elements.get(Key::of_text(key)).cloned()).collect()
            }
        };
        // Numbers come before texts.
        let convfmt = self.convfmt.clone();
        values.sort_by(|a, b| match (a.if_number(), b.if_number()) {
            (Some(a), Some(b)) => a.total_cmp(&b),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => a.to_text(&convfmt).cmp(&b.to_text(&convfmt)),
        });
        let count = values.len();
        let target = self.array(to);
        let mut elements = target.borrow_mut();
        elements.clear();
        let mut stored = 0;
        for (at, value) in values.into_iter().enumerate() {
            stored += value.memory() + PER_STORE;
            elements.insert(Key::Index(at + 1), value);
        }
        drop(elements);
        self.note_stored(stored)?;
        self.push_number(count as f64);
        Ok(())
    }

    /// An operand of a function on bits.
    fn bits(&mut self, name: &str) -> Result<u64, Fail> {
        let number = self.pop_number();
        if number < 0.0 {
            return Err(Fail::new(format!("{name}: negative values are not allowed")));
        }
        // The cast saturates.
        Ok(number.trunc() as u64)
    }

    pub(super) fn bitwise(&mut self, builtin: Builtin, arguments: usize) -> Result<f64, Fail> {
        let (name, join): (_, fn(u64, u64) -> u64) = match builtin {
            Builtin::And => ("and", |a, b| a & b),
            Builtin::Or => ("or", |a, b| a | b),
            _ => ("xor", |a, b| a ^ b),
        };
        let mut result = self.bits(name)?;
        for _ in 1..arguments {
            result = join(result, self.bits(name)?);
        }
        Ok(known(result))
    }

    pub(super) fn shift(&mut self, builtin: Builtin) -> Result<f64, Fail> {
        let name = if builtin == Builtin::Lshift { "lshift" } else { "rshift" };
        let by = u32::try_from(self.bits(name)?).unwrap_or(u32::MAX);
        let bits = self.bits(name)?;
        let shifted = if builtin == Builtin::Lshift { bits.checked_shl(by) } else { bits.checked_shr(by) };
        Ok(known(shifted.unwrap_or(0)))
    }

    pub(super) fn complement(&mut self) -> Result<f64, Fail> {
        let bits = self.bits("compl")?;
        Ok(known(!bits))
    }
}

/// Of a number that a double does not hold the lowest bits are taken.
fn known(bits: u64) -> f64 {
    (bits & (MOST as u64)) as f64
}

/// `strtonum`: a text's number, which may be octal or hexadecimal.
pub(super) fn strtonum(value: &Value, convfmt: &[u8]) -> f64 {
    if let Some(number) = value.if_number() {
        return number;
    }
    let text = value.to_text(convfmt);
    let trimmed = text.trim_ascii_start();
    let (negative, digits) = match trimmed {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    let (radix, digits) = match digits {
        [b'0', b'x' | b'X', rest @ ..] => (16, rest),
        // With an 8, a 9 or a point it is decimal.
        [b'0', rest @ ..] if rest.first().is_some_and(|byte| byte.is_ascii_digit()) => {
            let whole = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let is_decimal =
                rest.iter().take(whole).any(|byte| *byte > b'7') || matches!(rest.get(whole), Some(b'.' | b'e' | b'E'));
            if is_decimal {
                return number::of_text(&text);
            }
            (8, rest)
        }
        _ => return number::of_text(&text),
    };
    let digits = digits.iter().map_while(|byte| char::from(*byte).to_digit(radix));
    let number = digits.fold(0.0, |number, digit| number * f64::from(radix) + f64::from(digit));
    if negative { -number } else { number }
}
