//! What operators do.

use std::sync::Arc;

use memchr::memmem;

use super::ast::Op;
use super::text::repaired;
use super::value::{Array, MAX_STRING, Object, Value, error};
use super::watch::Watch;

/// What a program raised.
pub(super) type Outcome = Result<Value, Value>;

/// A value in a message: its JSON, cut to so many bytes less one.
pub(super) fn shown(value: &Value, size: usize) -> String {
    let text = value.cut_json(size, &Watch::unwatched());
    if text.len() < size {
        return text;
    }
    let mut cut = text.as_bytes().get(..size - 4).unwrap_or_default().to_vec();
    cut.extend_from_slice(b"...");
    repaired(&cut).into_owned()
}

/// `KIND (VALUE) MESSAGE`
pub(super) fn type_error<T>(value: &Value, message: &str) -> Result<T, Value> {
    error(format!("{} ({}) {message}", value.kind(), shown(value, 15)))
}

/// `KIND (VALUE) and KIND (VALUE) MESSAGE`
pub(super) fn type_error2<T>(a: &Value, b: &Value, message: &str) -> Result<T, Value> {
    error(format!("{} ({}) and {} ({}) {message}", a.kind(), shown(a, 15), b.kind(), shown(b, 15)))
}

/// Applies a binary operator.
pub(super) fn binary(op: Op, a: Value, b: Value, watch: &Watch<'_>) -> Outcome {
    match op {
        Op::Add => add(a, b, watch),
        Op::Subtract => subtract(&a, &b, watch),
        Op::Multiply => multiply(a, b, watch),
        Op::Divide => divide(&a, &b, watch),
        Op::Modulo => modulo(&a, &b),
        Op::Equal => Ok(Value::Bool(a.equals(&b, watch))),
        Op::NotEqual => Ok(Value::Bool(!a.equals(&b, watch))),
        Op::Less => Ok(Value::Bool(a.compare(&b, watch).is_lt())),
        Op::Greater => Ok(Value::Bool(a.compare(&b, watch).is_gt())),
        Op::LessEqual => Ok(Value::Bool(a.compare(&b, watch).is_le())),
        Op::GreaterEqual => Ok(Value::Bool(a.compare(&b, watch).is_ge())),
    }
}

/// An array that may be changed: a copy where others have it too.
pub(super) fn own_array<'v>(array: &'v mut Arc<Array>, watch: &Watch<'_>) -> &'v mut Array {
    if Arc::strong_count(array) > 1 {
        watch.made(array.len() * size_of::<Value>());
    }
    Arc::make_mut(array)
}

/// An object that may be changed: a copy where others have it too.
pub(super) fn own_object<'v>(object: &'v mut Arc<Object>, watch: &Watch<'_>) -> &'v mut Object {
    if Arc::strong_count(object) > 1 {
        watch.made(object.len() * Object::PER_MEMBER);
    }
    Arc::make_mut(object)
}

/// `+`
pub(super) fn add(a: Value, b: Value, watch: &Watch<'_>) -> Outcome {
    match (a, b) {
        (Value::Null, other) | (other, Value::Null) => Ok(other),
        (Value::String(a), Value::String(b)) => {
            if a.len() + b.len() > MAX_STRING {
                return error("hookshell's jq: a string is too long");
            }
            if b.is_empty() {
                return Ok(Value::String(a));
            }
            watch.made(a.len() + b.len());
            let mut text = String::with_capacity(a.len() + b.len());
            text.push_str(&a);
            text.push_str(&b);
            Ok(Value::from(text))
        }
        (Value::Array(mut a), Value::Array(b)) => {
            if b.len() > 0 {
                watch.made(b.len() * size_of::<Value>());
                let array = own_array(&mut a, watch);
                b.items().iter().for_each(|item| array.push(item.clone()));
            }
            Ok(Value::Array(a))
        }
        (Value::Object(mut a), Value::Object(b)) => {
            if b.len() > 0 {
                watch.made(b.len() * Object::PER_MEMBER);
                let object = own_object(&mut a, watch);
                b.entries().iter().for_each(|(key, value)| object.set(key.clone(), value.clone()));
            }
            Ok(Value::Object(a))
        }
        (a, b) => match (a.as_f64(), b.as_f64()) {
            (Some(a), Some(b)) => Ok(Value::Number(a + b)),
            _ => type_error2(&a, &b, "cannot be added"),
        },
    }
}

fn subtract(a: &Value, b: &Value, watch: &Watch<'_>) -> Outcome {
    if let (Some(a), Some(b)) = (a.as_f64(), b.as_f64()) {
        return Ok(Value::Number(a - b));
    }
    if let (Value::Array(a), Value::Array(b)) = (a, b) {
        let should_continue = |_: &&Value| watch.should_continue();
        let kept = a
            .items()
            .iter()
            .take_while(should_continue)
            .filter(|a| !b.items().iter().any(|b| a.equals(b, watch) || watch.is_over()));
        return Ok(Value::array(kept.cloned().collect()));
    }
    type_error2(a, b, "cannot be subtracted")
}

fn multiply(a: Value, b: Value, watch: &Watch<'_>) -> Outcome {
    if let (Some(a), Some(b)) = (a.as_f64(), b.as_f64()) {
        return Ok(Value::Number(a * b));
    }
    match (&a, &b) {
        (Value::String(text), number) | (number, Value::String(text)) if number.is_number() => {
            let times = number.as_f64().unwrap_or(0.0);
            if times < 0.0 || times.is_nan() {
                return Ok(Value::Null);
            }
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates; not negative")]
            let times = times as usize;
            if text.len().saturating_mul(times) > MAX_STRING {
                return error("hookshell's jq: a string is too long");
            }
            watch.made(text.len() * times);
            Ok(Value::from(text.repeat(times)))
        }
        (Value::Object(_), Value::Object(_)) => match (a, b) {
            (Value::Object(a), Value::Object(b)) => Ok(Value::Object(merge(a, &b, watch))),
            (a, _) => Ok(a),
        },
        _ => type_error2(&a, &b, "cannot be multiplied"),
    }
}

fn merge(mut a: Arc<Object>, b: &Arc<Object>, watch: &Watch<'_>) -> Arc<Object> {
    if b.len() == 0 || !watch.should_continue() {
        return a;
    }
    watch.made(b.len() * Object::PER_MEMBER);
    let object = own_object(&mut a, watch);
    for (key, value) in b.entries() {
        let merged = match (object.get(key), value) {
            (Some(Value::Object(own)), Value::Object(other)) => Value::Object(merge(own.clone(), other, watch)),
            _ => value.clone(),
        };
        object.set(key.clone(), merged);
    }
    a
}

fn divide(a: &Value, b: &Value, watch: &Watch<'_>) -> Outcome {
    if let (Some(dividend), Some(divisor)) = (a.as_f64(), b.as_f64()) {
        if divisor == 0.0 {
            return type_error2(a, b, "cannot be divided because the divisor is zero");
        }
        return Ok(Value::Number(dividend / divisor));
    }
    if let (Value::String(a), Value::String(b)) = (a, b) {
        return split(a, b, watch);
    }
    type_error2(a, b, "cannot be divided")
}

/// A string at each separator; without one its characters.
pub(super) fn split(text: &str, separator: &str, watch: &Watch<'_>) -> Outcome {
    /// What a short string takes beside its text.
    const PER_PART: usize = size_of::<Value>() + 32;
    if text.is_empty() {
        return Ok(Value::array(Vec::new()));
    }
    let parts =
        if separator.is_empty() { text.len() } else { memmem::find_iter(text.as_bytes(), separator).count() + 1 };
    let bytes = parts * PER_PART + text.len();
    watch.fits(bytes)?;
    watch.made(bytes);
    Ok(Value::array(match separator {
        "" => text.chars().map(|c| Value::from(&*c.encode_utf8(&mut [0; 4]))).collect(),
        separator => text.split(separator).map(Value::from).collect(),
    }))
}

fn modulo(a: &Value, b: &Value) -> Outcome {
    let (Some(dividend), Some(divisor)) = (a.as_f64(), b.as_f64()) else {
        return type_error2(a, b, "cannot be divided (remainder)");
    };
    if dividend.is_nan() || divisor.is_nan() {
        return Ok(Value::Number(f64::NAN));
    }
    #[allow(clippy::cast_possible_truncation, reason = "saturates, as jq's dtoi")]
    let (dividend, divisor) = (dividend as i64, divisor as i64);
    if divisor == 0 {
        return type_error2(a, b, "cannot be divided (remainder) because the divisor is zero");
    }
    #[allow(clippy::cast_precision_loss, reason = "jq's numbers are doubles")]
    let rest = if divisor == -1 { 0.0 } else { (dividend % divisor) as f64 };
    Ok(Value::Number(rest))
}

/// `-`
pub(super) fn negate(value: &Value) -> Outcome {
    match value.as_f64() {
        Some(number) => Ok(Value::Number(-number)),
        None => type_error(value, "cannot be negated"),
    }
}

/// Sorts as glibc's `qsort` (a merge sort) does: what compares oddly (NaN) is placed as there.
pub(super) fn sort<T: Clone>(items: &mut [T], less_or_equal: &mut dyn FnMut(&T, &T) -> bool) {
    if items.len() < 2 {
        return;
    }
    let middle = items.len() / 2;
    let (left, right) = items.split_at_mut(middle);
    sort(left, less_or_equal);
    sort(right, less_or_equal);
    let (mut a, mut b) = (left.iter().peekable(), right.iter().peekable());
    let mut merged = Vec::with_capacity(left.len() + right.len());
    while let (Some(x), Some(y)) = (a.peek(), b.peek()) {
        let next = if less_or_equal(x, y) { a.next() } else { b.next() };
        merged.extend(next.cloned());
    }
    merged.extend(a.cloned());
    merged.extend(b.cloned());
    items.clone_from_slice(&merged);
}
