//! Functions that only gawk has; they run where there is no awk on PATH.

use std::cmp::Ordering;
use std::rc::Rc;

use hookshell_regex::Captures;

use super::{Machine, PER_STORE};
use crate::ast::{Builtin, slot};
use crate::code::ArrayPlace;
use crate::fail::Fail;
use crate::number;
use crate::regex::Regex;
use crate::text;
use crate::value::{Array, Key, Text, Value};

/// gawk's numbers are doubles: the greatest of which all bits are known.
const MOST: f64 = 9_007_199_254_740_991.0;

/// How two subscripts are ordered.
type Compare<'c> = Box<dyn Fn(&Text, &Text) -> Ordering + 'c>;

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
            (None, None) => self.order_texts(&a.to_text(&convfmt), &b.to_text(&convfmt)),
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

    /// IGNORECASE is set.
    pub(super) fn set_ignore_case(&mut self, ignore_case: bool) -> Result<(), Fail> {
        if self.ignore_case == ignore_case {
            return Ok(());
        }
        self.ignore_case = ignore_case;
        self.regexes.clear();
        if ignore_case && self.folded.is_empty() {
            for regex in &self.code.regexes {
                let folded = Regex::with_case(regex.source(), self.characters, true).map_err(Fail::new)?;
                self.folded.push(folded.into());
            }
        }
        // Both separators are expressions.
        let rs = self.globals.get(slot::RS as usize).cloned().unwrap_or_default();
        self.store_watched(slot::RS, rs)
    }

    /// The order of two texts, by their bytes; with IGNORECASE without regard to case.
    pub(super) fn order_texts(&self, a: &[u8], b: &[u8]) -> Ordering {
        if !self.ignore_case {
            return a.cmp(b);
        }
        match (std::str::from_utf8(a), std::str::from_utf8(b)) {
            (Ok(a), Ok(b)) => a.chars().flat_map(char::to_lowercase).cmp(b.chars().flat_map(char::to_lowercase)),
            _ => a.to_ascii_lowercase().cmp(&b.to_ascii_lowercase()),
        }
    }

    /// The subscripts of an array in the order that `PROCINFO["sorted_in"]` asks for.
    pub(super) fn subscripts(&self, array: &Array) -> Result<Vec<Text>, Fail> {
        let mut keys = array.borrow().keys();
        let Some(Value::Array(info)) = self.globals.get(slot::PROCINFO as usize) else { return Ok(keys) };
        let Some(order) = info.borrow().get(Key::Text(b"sorted_in", None)).cloned() else { return Ok(keys) };
        let order = order.shared_text(&self.convfmt);
        let elements = array.borrow();
        let value = |key: &Text| elements.get(Key::of_text(key)).cloned().unwrap_or_default();
        let number = |key: &Text| Value::Input(key.clone()).number();
        let (by, is_descending) = match order.strip_suffix(b"_asc") {
            Some(by) => (by, false),
            None => (order.strip_suffix(b"_desc").unwrap_or(&order), true),
        };
        let text = |value: &Value| value.shared_text(&self.convfmt);
        let by_text = |a: &Text, b: &Text| self.order_texts(&text(&value(a)), &text(&value(b)));
        let compare: Compare<'_> = match by {
            b"@unsorted" | b"" => return Ok(keys),
            b"@ind_str" => Box::new(|_, _| Ordering::Equal),
            b"@ind_num" => Box::new(|a, b| number(a).total_cmp(&number(b))),
            b"@val_str" => Box::new(by_text),
            b"@val_num" => Box::new(|a, b| value(a).number().total_cmp(&value(b).number()).then_with(|| by_text(a, b))),
            b"@val_type" => Box::new(|a, b| match (value(a).if_number(), value(b).if_number()) {
                (Some(a), Some(b)) => a.total_cmp(&b),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => by_text(a, b),
            }),
            _ => {
                let order = order.escape_ascii();
                return Err(Fail::new(format!(
                    "hookshell's awk does not support the order \"{order}\" of PROCINFO[\"sorted_in\"]"
                )));
            }
        };
        keys.sort_by(|a, b| {
            let order = compare(a, b).then_with(|| self.order_texts(a, b));
            if is_descending { order.reverse() } else { order }
        });
        drop(compare);
        drop(elements);
        Ok(keys)
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
