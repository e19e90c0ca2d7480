//! Builtins over the elements of an array or object.

use super::super::ops::{self, Outcome, shown, sort, type_error, type_error2};
use super::super::value::{MAX_STRING, Value, error};
use super::super::watch::Watch;

/// `reduce .[] as $x (null; . + $x)`
pub(super) fn add(input: &Value, watch: &Watch<'_>) -> Outcome {
    let values: Vec<&Value> = match input {
        Value::Array(array) => array.items().iter().collect(),
        Value::Object(object) => object.entries().iter().map(|(_, value)| value).collect(),
        other => return error(format!("Cannot iterate over {} ({})", other.kind(), shown(other, 15))),
    };
    if let Some(Value::String(_)) = values.first()
        && values.iter().all(|value| matches!(value, Value::String(_)))
    {
        let mut text = String::new();
        for value in values {
            if let Value::String(part) = value {
                if text.len() + part.len() > MAX_STRING {
                    return error("hookshell's jq: a string is too long");
                }
                text.push_str(part);
            }
        }
        return Ok(Value::from(text));
    }
    values.into_iter().try_fold(Value::Null, |sum, value| ops::add(sum, value.clone(), watch))
}

/// `join`, as it is defined in jq.
pub(super) fn join(input: &Value, separator: &Value, watch: &Watch<'_>) -> Outcome {
    let values: Vec<&Value> = match input {
        Value::Array(array) => array.items().iter().collect(),
        Value::Object(object) => object.entries().iter().map(|(_, value)| value).collect(),
        other => return error(format!("Cannot iterate over {} ({})", other.kind(), shown(other, 15))),
    };
    let mut joined = String::new();
    let Value::String(between) = separator else {
        let mut sum = Value::Null;
        for value in values {
            let part = joinable(value, watch)?.map_or_else(|| value.clone(), Value::from);
            let before = if let Value::Null = sum { Value::from("") } else { ops::add(sum, separator.clone(), watch)? };
            sum = ops::add(before, part, watch)?;
        }
        return Ok(if sum.is_true() { sum } else { Value::from("") });
    };
    for (at, value) in values.into_iter().enumerate() {
        if at > 0 {
            joined.push_str(between);
        }
        match joinable(value, watch)? {
            Some(part) => joined.push_str(&part),
            None => return type_error2(&Value::from(joined), value, "cannot be added"),
        }
        if joined.len() > MAX_STRING {
            return error("hookshell's jq: a string is too long");
        }
    }
    Ok(Value::from(joined))
}

fn joinable(value: &Value, watch: &Watch<'_>) -> Result<Option<String>, Value> {
    Ok(match value {
        Value::Null => Some(String::new()),
        Value::String(text) => Some((**text).to_owned()),
        Value::Array(_) | Value::Object(_) => None,
        other => Some(other.to_json(watch)?),
    })
}

pub(super) fn implode(input: &Value) -> Outcome {
    let Value::Array(array) = input else {
        return error("implode input must be an array");
    };
    let mut text = String::new();
    for item in array.items() {
        let point = match item.as_f64() {
            Some(point) if !item.is_nan() => point,
            _ => return type_error(item, "can't be imploded, unicode codepoint needs to be numeric"),
        };
        #[allow(clippy::cast_possible_truncation, reason = "saturates; what is out of range is replaced")]
        let point = point as i64;
        text.push(u32::try_from(point).ok().and_then(char::from_u32).unwrap_or('\u{fffd}'));
    }
    Ok(Value::from(text))
}

/// The least or greatest element, by keys.
pub(super) fn extreme(input: &Value, keys: &Value, least: bool, watch: &Watch<'_>) -> Outcome {
    let (Value::Array(items), Value::Array(keys_array)) = (input, keys) else {
        return type_error2(input, keys, "cannot be iterated over");
    };
    if items.len() != keys_array.len() {
        return type_error2(input, keys, "have wrong length");
    }
    let mut pairs = items.items().iter().zip(keys_array.items());
    let Some((mut best, mut best_key)) = pairs.next() else {
        return Ok(Value::Null);
    };
    for (item, key) in pairs {
        if key.compare(best_key, watch).is_lt() == least {
            best = item;
            best_key = key;
        }
    }
    Ok(best.clone())
}

/// Sorts by keys; groups what has equal ones.
pub(super) fn sorted(input: &Value, keys: &Value, grouped: bool, watch: &Watch<'_>) -> Outcome {
    let (Value::Array(items), Value::Array(keys_array)) = (input, keys) else {
        return type_error2(input, keys, "cannot be sorted, as they are not both arrays");
    };
    if items.len() != keys_array.len() {
        return type_error2(input, keys, "cannot be sorted, as they are not both arrays");
    }
    let mut order: Vec<usize> = (0..items.len()).collect();
    let (items, keys) = (items.items(), keys_array.items());
    sort(&mut order, &mut |a, b| match (keys.get(*a), keys.get(*b)) {
        (Some(x), Some(y)) => x.compare(y, watch).then(a.cmp(b)).is_le(),
        _ => true,
    });
    let item = |at: &usize| items.get(*at).cloned().unwrap_or(Value::Null);
    if !grouped {
        return Ok(Value::array(order.iter().map(item).collect()));
    }
    let mut groups = Vec::new();
    let mut group: Vec<Value> = Vec::new();
    let mut current: Option<&Value> = None;
    for at in &order {
        let key = keys.get(*at);
        if let (Some(current), Some(key)) = (current, key)
            && !current.equals(key, watch)
        {
            groups.push(Value::array(std::mem::take(&mut group)));
        }
        if group.is_empty() {
            current = key;
        }
        group.push(item(at));
    }
    if !group.is_empty() {
        groups.push(Value::array(group));
    }
    Ok(Value::array(groups))
}
