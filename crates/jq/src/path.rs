//! Members of values: jq's `jv_get`, `jv_set`, `jv_has`, `setpath`, `getpath` and `delpaths`.

use std::sync::Arc;

use super::ops::{Outcome, own_array, own_object, sort};
use super::value::{MAX_DEPTH, Value, error};
use super::watch::Watch;

/// The largest index that an element can be set at.
const MAX_INDEX: usize = 1 << 24;

/// An index as a C `int`.
#[allow(clippy::cast_possible_truncation, reason = "clamped")]
fn int(index: f64) -> i64 {
    index.clamp(f64::from(i32::MIN), f64::from(i32::MAX)) as i64
}

/// The bounds of a slice of something so long.
fn bounds(length: usize, slice: &Value) -> Result<(usize, usize), Value> {
    let Value::Object(slice) = slice else {
        return Ok((0, length));
    };
    let bound = |name: &str| slice.get(name).cloned().unwrap_or(Value::Bool(false));
    let (start, end) = (bound("start"), bound("end"));
    #[allow(clippy::cast_precision_loss, reason = "lengths are below 2^31")]
    let len = length as f64;
    let number = |value: &Value, default: f64| if let Value::Null = value { Some(default) } else { value.as_f64() };
    // A slice without an end has null there; jq takes a missing one for an error.
    let (Some(mut start), Some(mut end)) = (number(&start, 0.0), number(&end, len)) else {
        return error("Array/string slice indices must be integers");
    };
    if start.is_nan() {
        start = 0.0;
    }
    if start < 0.0 {
        start += len;
    }
    start = start.clamp(0.0, len);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the length")]
    let from = start as usize;
    if end.is_nan() {
        end = len;
    }
    if end < 0.0 {
        end += len;
    }
    if end < 0.0 {
        #[allow(clippy::cast_precision_loss, reason = "lengths are below 2^31")]
        let at = from as f64;
        end = at;
    }
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the length")]
    let mut to = end.min(len) as usize;
    #[allow(clippy::cast_precision_loss, reason = "lengths are below 2^31")]
    if to < length && (to as f64) < end {
        to += 1;
    }
    Ok((from, to.max(from)))
}

/// `.[KEY]`
pub(super) fn get(value: &Value, key: &Value, watch: &Watch<'_>) -> Outcome {
    match (value, key) {
        (Value::Object(object), Value::String(key)) => Ok(object.get(key).cloned().unwrap_or(Value::Null)),
        (Value::Array(array), key) if key.is_number() => {
            if key.is_nan() {
                return Ok(Value::Null);
            }
            let mut index = int(key.as_f64().unwrap_or(0.0));
            if index < 0 {
                index = index.saturating_add_unsigned(array.len() as u64);
            }
            let item = usize::try_from(index).ok().and_then(|index| array.items().get(index));
            Ok(item.cloned().unwrap_or(Value::Null))
        }
        (Value::Array(array), Value::Object(_)) => {
            let (start, end) = bounds(array.len(), key)?;
            if start == 0 && end == array.len() && end > 0 {
                return Ok(value.clone());
            }
            let items = array.items().get(start..end).unwrap_or_default();
            watch.made(size_of_val(items));
            Ok(Value::array(items.to_vec()))
        }
        (Value::String(text), Value::Object(_)) => {
            let (start, end) = bounds(text.chars().count(), key)?;
            let at = |count: usize| text.char_indices().nth(count).map_or(text.len(), |(at, _)| at);
            let part = text.get(at(start)..at(end)).unwrap_or_default();
            watch.made(part.len());
            Ok(Value::from(part))
        }
        (Value::Array(array), Value::Array(part)) => {
            let (items, part) = (array.items(), part.items());
            let mut found = Vec::new();
            for at in 0..items.len() {
                // As jq: the last element that differs decides, except that the first must be equal.
                let mut index = None;
                if !watch.should_continue() {
                    break;
                }
                for (offset, item) in part.iter().enumerate() {
                    let equal = items.get(at + offset).is_some_and(|own| own.equals(item, watch));
                    if !equal {
                        index = None;
                    } else if offset == 0 && index.is_none() {
                        index = Some(at);
                    }
                }
                found.extend(index.map(Value::count));
            }
            Ok(Value::array(found))
        }
        (Value::Null, Value::String(_) | Value::Object(_)) => Ok(Value::Null),
        (Value::Null, key) if key.is_number() => Ok(Value::Null),
        (value, Value::String(key)) if key.len() < 30 => {
            let key = key.split('\0').next().unwrap_or_default();
            error(format!("Cannot index {} with string \"{key}\"", value.kind()))
        }
        (value, key) => error(format!("Cannot index {} with {}", value.kind(), key.kind())),
    }
}

/// Sets a member.
fn set(value: Value, key: &Value, member: Value, watch: &Watch<'_>) -> Outcome {
    match (value, key) {
        (Value::Object(mut object), Value::String(key)) => {
            own_object(&mut object, watch).set(key.clone(), member);
            Ok(Value::Object(object))
        }
        (Value::Null, Value::String(key)) => Ok(Value::object([(key, member)])),
        (value @ (Value::Array(_) | Value::Null), key) if key.is_number() => {
            if key.is_nan() {
                return error("Cannot set array element at NaN index");
            }
            let mut array = match value {
                Value::Array(array) => array,
                _ => Arc::default(),
            };
            let mut index = int(key.as_f64().unwrap_or(0.0));
            if index < 0 {
                index = index.saturating_add_unsigned(array.len() as u64);
            }
            let Ok(index) = usize::try_from(index) else {
                return error("Out of bounds negative array index");
            };
            if index > MAX_INDEX {
                return error("hookshell's jq: an array is too long");
            }
            let more = (index + 1).saturating_sub(array.len()) * size_of::<Value>();
            watch.fits(more)?;
            watch.made(more);
            own_array(&mut array, watch).set(index, member);
            Ok(Value::Array(array))
        }
        (value @ (Value::Array(_) | Value::Null), Value::Object(_)) => {
            let mut array = match value {
                Value::Array(array) => array,
                _ => Arc::default(),
            };
            let (start, end) = bounds(array.len(), key)?;
            let Value::Array(with) = member else {
                return error("A slice of an array can only be assigned another array");
            };
            watch.made(size_of_val(with.items()));
            own_array(&mut array, watch).splice(start, end, with.items());
            Ok(Value::Array(array))
        }
        (Value::String(_), Value::Object(_)) => error("Cannot update string slices"),
        (value, key) => error(format!("Cannot update field at {} index of {}", key.kind(), value.kind())),
    }
}

/// Takes a member out of a value, so that it can be changed in place.
fn take(value: &mut Value, key: &Value, watch: &Watch<'_>) -> Outcome {
    let member = get(value, key, watch)?;
    match (value, key) {
        (Value::Object(object), Value::String(key)) if object.get(key).is_some() => {
            drop(member);
            return Ok(own_object(object, watch).take(key));
        }
        (Value::Array(array), key) if key.is_number() => {
            let mut index = int(key.as_f64().unwrap_or(0.0));
            if index < 0 {
                index = index.saturating_add_unsigned(array.len() as u64);
            }
            if let Ok(index) = usize::try_from(index)
                && index < array.len()
                && !key.is_nan()
            {
                drop(member);
                return Ok(own_array(array, watch).take(index));
            }
        }
        _ => {}
    }
    Ok(member)
}

fn keys(path: &Value) -> Result<&[Value], Value> {
    match path {
        Value::Array(path) if path.len() > MAX_DEPTH as usize => error("hookshell's jq: a value is nested too deep"),
        Value::Array(path) => Ok(path.items()),
        _ => error("Path must be specified as an array"),
    }
}

/// `setpath`
pub(super) fn setpath(value: Value, path: &Value, member: Value, watch: &Watch<'_>) -> Outcome {
    set_keys(value, keys(path)?, member, watch)
}

fn set_keys(mut value: Value, path: &[Value], member: Value, watch: &Watch<'_>) -> Outcome {
    let Some((key, rest)) = path.split_first() else {
        return Ok(member);
    };
    if let Value::Object(_) = key {
        let inner = set_keys(get(&value, key, watch)?, rest, member, watch)?;
        return set(value, key, inner, watch);
    }
    if rest.is_empty() {
        get(&value, key, watch)?;
        return set(value, key, member, watch);
    }
    let inner = take(&mut value, key, watch)?;
    // What cannot be set is an error before anything below it is.
    let value = set(value, key, Value::Null, watch)?;
    let inner = set_keys(inner, rest, member, watch)?;
    set(value, key, inner, watch)
}

/// `getpath`
pub(super) fn getpath(value: &Value, path: &Value, watch: &Watch<'_>) -> Outcome {
    let mut value = value.clone();
    let Value::Array(keys) = path else {
        return error("Path must be specified as an array");
    };
    for key in keys.items() {
        value = get(&value, key, watch)?;
    }
    Ok(value)
}

/// `has`
pub(super) fn has(value: &Value, key: &Value) -> Outcome {
    match (value, key) {
        (Value::Null, _) => Ok(Value::Bool(false)),
        (Value::Object(object), Value::String(key)) => Ok(Value::Bool(object.get(key).is_some())),
        (Value::Array(array), key) if key.is_number() => {
            let index = key.as_f64().unwrap_or(f64::NAN);
            #[allow(clippy::cast_precision_loss, reason = "lengths are below 2^31")]
            let there = !key.is_nan() && index > -1.0 && index.trunc() < array.len() as f64;
            Ok(Value::Bool(there))
        }
        _ => error(format!("Cannot check whether {} has a {} key", value.kind(), key.kind())),
    }
}

/// `delpaths`
pub(super) fn delpaths(value: Value, paths: &Value, watch: &Watch<'_>) -> Outcome {
    let Value::Array(paths) = paths else {
        return error("Paths must be specified as an array");
    };
    let mut sorted = paths.items().to_vec();
    sort(&mut sorted, &mut |a, b| a.compare(b, watch).is_le());
    let mut lists = Vec::new();
    for path in &sorted {
        match path {
            Value::Array(_) => lists.push(keys(path)?),
            other => return error(format!("Path must be specified as array, not {}", other.kind())),
        }
    }
    match lists.first() {
        None => Ok(value),
        Some([]) => Ok(Value::Null),
        Some(_) => delete(value, &lists, 0, watch),
    }
}

fn delete(mut value: Value, paths: &[&[Value]], depth: usize, watch: &Watch<'_>) -> Outcome {
    let mut doomed: Vec<Value> = Vec::new();
    let mut rest = paths;
    while let Some(key) = rest.first().and_then(|path| path.get(depth)) {
        let count =
            rest.iter().take_while(|path| path.get(depth).is_some_and(|own| own.equals(key, watch))).count().max(1);
        let (group, after) = rest.split_at(count);
        rest = after;
        if group.first().is_some_and(|path| path.len() == depth + 1) {
            doomed.push(key.clone());
            continue;
        }
        if let Value::Null = get(&value, key, watch)? {
            continue;
        }
        let inner = if let Value::Object(_) = key { get(&value, key, watch)? } else { take(&mut value, key, watch)? };
        let inner = delete(inner, group, depth + 1, watch)?;
        value = set(value, key, inner, watch)?;
    }
    delete_keys(value, &doomed, watch)
}

fn delete_keys(value: Value, doomed: &[Value], watch: &Watch<'_>) -> Outcome {
    if doomed.is_empty() {
        return Ok(value);
    }
    match value {
        Value::Null => Ok(Value::Null),
        Value::Array(array) => {
            watch.made(size_of_val(array.items()));
            let mut gone = vec![false; array.len()];
            for key in doomed {
                match key {
                    key if key.is_number() => {
                        let mut index = int(key.as_f64().unwrap_or(0.0));
                        if key.as_f64().is_some_and(|key| key < 0.0) {
                            index = index.saturating_add_unsigned(array.len() as u64);
                        }
                        if let Some(slot) = usize::try_from(index).ok().and_then(|index| gone.get_mut(index)) {
                            *slot = true;
                        }
                    }
                    Value::Object(_) => {
                        let (start, end) = bounds(array.len(), key)?;
                        gone.get_mut(start..end).unwrap_or_default().fill(true);
                    }
                    other => return error(format!("Cannot delete {} element of array", other.kind())),
                }
            }
            let kept = array.items().iter().zip(gone).filter(|(_, gone)| !gone).map(|(item, _)| item.clone());
            Ok(Value::array(kept.collect()))
        }
        Value::Object(mut object) => {
            let mut keys = Vec::new();
            for key in doomed {
                match key {
                    Value::String(key) => keys.push(key.clone()),
                    other => return error(format!("Cannot delete {} field of object", other.kind())),
                }
            }
            own_object(&mut object, watch).remove_all(&keys);
            Ok(Value::Object(object))
        }
        other => error(format!("Cannot delete fields from {}", other.kind())),
    }
}
