//! The builtins that are functions of ours.

use std::sync::Arc;

use super::builtin_names;
use super::definitions::DEFINITIONS;
use super::ops::{self, Outcome, shown, sort, type_error, type_error2};
use super::read;
use super::regex;
use super::text::repaired;
use super::time;
use super::value::{Array, MAX_STRING, Value, error};
use super::watch::Watch;
use super::{math, path, write};

/// About what a byte of JSON takes when it is parsed.
const PER_BYTE_OF_JSON: usize = 4;

macro_rules! natives {
    ($($variant:ident $name:literal $arity:literal),* $(,)?) => {
        /// A builtin.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Native {
            $($variant,)*
            /// A function of one number.
            Math1(math::One),
            /// A function of two numbers.
            Math2(math::Two),
        }

        const NATIVES: &[(&str, usize, Native)] = &[$(($name, $arity, Native::$variant),)*];
    };
}

natives! {
    Add "add" 0, AsciiDowncase "ascii_downcase" 0, AsciiUpcase "ascii_upcase" 0, Contains "contains" 1,
    Debug "debug" 0, Delpaths "delpaths" 1, Edited "_edited" 2, Endswith "endswith" 1, Env "env" 0, Error "error" 0, Explode "explode" 0,
    Fma "fma" 3, Format "format" 1, Frexp "frexp" 0, Fromjson "fromjson" 0, Getpath "getpath" 1, Gmtime "gmtime" 0,
    GroupBy "_group_by_impl" 1, Halt "halt" 0, HaltError "halt_error" 1, Has "has" 1, Implode "implode" 0,
    Infinite "infinite" 0, Input "input" 0, InputFilename "input_filename" 0, InputLineNumber "input_line_number" 0,
    Isinfinite "isinfinite" 0, Isnan "isnan" 0, Isnormal "isnormal" 0, Join "join" 1, Keys "keys" 0,
    KeysUnsorted "keys_unsorted" 0, Length "length" 0, LgammaR "lgamma_r" 0, Localtime "localtime" 0, Ltrim "ltrim" 0, Ltrimstr "ltrimstr" 1, Match "_match_impl" 3, Max "max" 0,
    MaxBy "_max_by_impl" 1, Min "min" 0, MinBy "_min_by_impl" 1, Mktime "mktime" 0, Modf "modf" 0, Nan "nan" 0,
    Not "not" 0, Now "now" 0, Pieces "_pieces" 1, Rtrim "rtrim" 0, Rtrimstr "rtrimstr" 1, Setpath "setpath" 2, Sort "sort" 0, SortBy "_sort_by_impl" 1,
    Split "split" 1, Startswith "startswith" 1, Stderr "stderr" 0, Strflocaltime "strflocaltime" 1, Strftime "strftime" 1,
    Strindices "_strindices" 1, Strptime "strptime" 1, Toboolean "toboolean" 0, Tojson "tojson" 0, Tonumber "tonumber" 0,
    Builtins "builtins" 0, GetJqOrigin "get_jq_origin" 0, GetProgOrigin "get_prog_origin" 0,
    GetSearchList "get_search_list" 0, Pow10 "pow10" 0, Modulemeta "modulemeta" 0, Tostring "tostring" 0, Trim "trim" 0, Type "type" 0, Utf8bytelength "utf8bytelength" 0,
}

impl Native {
    /// The builtin of this name with so many arguments.
    pub(super) fn find(name: &str, arity: usize) -> Option<Self> {
        let found = NATIVES.iter().find(|(own, own_arity, _)| *own == name && *own_arity == arity);
        match (found, arity) {
            (Some((_, _, native)), _) => Some(*native),
            (None, 0) => math::One::find(name).map(Self::Math1),
            (None, 2) => math::Two::find(name).map(Self::Math2),
            _ => None,
        }
    }

    /// Does it need the run or the machine?
    pub(super) fn needs_run(self) -> bool {
        matches!(
            self,
            Self::Debug
                | Self::Env
                | Self::Getpath
                | Self::GetProgOrigin
                | Self::GetSearchList
                | Self::Halt
                | Self::HaltError
                | Self::Input
                | Self::InputFilename
                | Self::InputLineNumber
                | Self::Localtime
                | Self::Modulemeta
                | Self::Stderr
                | Self::Strflocaltime
                | Self::Strftime
                | Self::Strptime
        )
    }
}

/// The definition of a builtin that is written in jq.
pub(super) fn definition(name: &str, arity: usize) -> Option<&'static str> {
    DEFINITIONS.iter().find(|(own, own_arity, _)| *own == name && *own_arity == arity).map(|(_, _, source)| *source)
}

fn boolean(value: bool) -> Outcome {
    Ok(Value::Bool(value))
}

/// Calls a builtin that needs nothing of the run but to know whether it continues.
pub(super) fn call(native: Native, input: Value, args: [Value; 3], watch: &Watch<'_>) -> Outcome {
    let result = called(native, input, args, watch)?;
    match &result {
        // What these give is a part of what they got, or counted where it is made.
        _ if matches!(
            native,
            Native::Setpath | Native::Add | Native::Min | Native::Max | Native::MinBy | Native::MaxBy
        ) => {}
        Value::String(text) => watch.made(text.len()),
        Value::Array(array) => watch.made(size_of_val(array.items())),
        _ => {}
    }
    Ok(result)
}

#[allow(clippy::too_many_lines, reason = "one arm for each builtin")]
fn called(native: Native, input: Value, args: [Value; 3], watch: &Watch<'_>) -> Outcome {
    let [a, b, c] = args;
    match native {
        Native::Add => add(&input, watch),
        Native::AsciiDowncase | Native::AsciiUpcase => match &input {
            Value::String(text) if native == Native::AsciiDowncase => Ok(Value::from(text.to_ascii_lowercase())),
            Value::String(text) => Ok(Value::from(text.to_ascii_uppercase())),
            _ => error("explode input must be a string"),
        },
        Native::Contains => {
            if input.kind() == a.kind() && !matches!((&input, &a), (Value::Bool(x), Value::Bool(y)) if x != y) {
                boolean(input.contains(&a, watch))
            } else {
                type_error2(&input, &a, "cannot have their containment checked")
            }
        }
        Native::Delpaths => path::delpaths(input, &a, watch),
        Native::Startswith | Native::Endswith => {
            let (Value::String(text), Value::String(part)) = (&input, &a) else {
                let name = if native == Native::Startswith { "startswith" } else { "endswith" };
                return error(format!("{name}() requires string inputs"));
            };
            boolean(if native == Native::Startswith { text.starts_with(&**part) } else { text.ends_with(&**part) })
        }
        Native::Ltrimstr | Native::Rtrimstr => {
            if let (Value::String(text), Value::String(part)) = (&input, &a) {
                let trimmed =
                    if native == Native::Ltrimstr { text.strip_prefix(&**part) } else { text.strip_suffix(&**part) };
                if let Some(trimmed) = trimmed {
                    return Ok(Value::from(trimmed));
                }
            }
            Ok(input)
        }
        Native::Trim | Native::Ltrim | Native::Rtrim => {
            let Value::String(text) = &input else { return error("trim input must be a string".to_owned()) };
            let trimmed = match native {
                Native::Ltrim => text.trim_start(),
                Native::Rtrim => text.trim_end(),
                _ => text.trim(),
            };
            Ok(Value::from(trimmed))
        }
        Native::Error => Err(input),
        Native::Explode => match &input {
            Value::String(text) => {
                watch.fits(text.len() * size_of::<Value>())?;
                Ok(Value::array(text.chars().map(|c| Value::Number(f64::from(u32::from(c)))).collect()))
            }
            _ => error("explode input must be a string"),
        },
        Native::Implode => implode(&input),
        Native::Fma => match (a.as_f64(), b.as_f64(), c.as_f64()) {
            (Some(a), Some(b), Some(c)) => Ok(Value::Number(a.mul_add(b, c))),
            (None, _, _) => type_error(&a, "number required"),
            (_, None, _) => type_error(&b, "number required"),
            _ => type_error(&c, "number required"),
        },
        Native::Format => match &a {
            Value::String(name) => format(name, &input, watch),
            other => type_error(other, "is not a valid format"),
        },
        Native::LgammaR => match input.as_f64() {
            Some(value) => {
                let (logarithm, sign) = math::lgamma(value);
                Ok(Value::array(vec![Value::Number(logarithm), Value::Number(f64::from(sign))]))
            }
            None => type_error(&input, "number required"),
        },
        Native::Frexp | Native::Modf => match input.as_f64() {
            Some(value) if native == Native::Frexp => {
                let (fraction, exponent) = math::frexp(value);
                Ok(Value::array(vec![Value::Number(fraction), Value::Number(f64::from(exponent))]))
            }
            Some(value) => {
                let fraction =
                    if value.is_infinite() { 0.0_f64.copysign(value) } else { value.fract().copysign(value) };
                Ok(Value::array(vec![Value::Number(fraction), Value::Number(value.trunc())]))
            }
            None => type_error(&input, "number required"),
        },
        Native::Fromjson => match &input {
            Value::String(text) => {
                // An element may be two bytes of text.
                watch.fits(text.len() * size_of::<Value>() / 2)?;
                watch.made(text.len() * PER_BYTE_OF_JSON);
                read::parse(text.as_bytes()).map_err(Value::from)
            }
            _ => type_error(&input, "only strings can be parsed"),
        },
        Native::Tonumber => {
            if input.is_number() {
                return Ok(input);
            }
            if let Value::String(text) = &input {
                let shown = text.split('\0').next().unwrap_or_default();
                let parsed = read::parse(shown.as_bytes()).map_err(Value::from)?;
                if parsed.is_number() {
                    return Ok(parsed);
                }
            }
            type_error(&input, "cannot be parsed as a number")
        }
        Native::Toboolean => match &input {
            Value::Bool(_) => Ok(input),
            Value::String(text) if &**text == "true" => boolean(true),
            Value::String(text) if &**text == "false" => boolean(false),
            _ => type_error(&input, "cannot be parsed as a boolean"),
        },
        Native::Gmtime => time::gmtime(&input),
        Native::Mktime => time::mktime(&input),
        Native::Now => Ok(Value::Number(time::now())),
        Native::Has => path::has(&input, &a),
        Native::Setpath => path::setpath(input, &a, b, watch),
        Native::Infinite => Ok(Value::Number(f64::INFINITY)),
        Native::Nan => Ok(Value::Number(f64::NAN)),
        Native::Isinfinite => boolean(input.as_f64().is_some_and(f64::is_infinite)),
        Native::Isnan => boolean(input.as_f64().is_some_and(f64::is_nan)),
        Native::Isnormal => boolean(input.as_f64().is_some_and(f64::is_normal)),
        Native::Join => join(&input, &a, watch),
        Native::Keys | Native::KeysUnsorted => match &input {
            Value::Array(array) => Ok(Value::array((0..array.len()).map(Value::count).collect())),
            Value::Object(object) if native == Native::Keys => {
                Ok(Value::array(object.sorted().into_iter().map(|(key, _)| Value::String(key.clone())).collect()))
            }
            Value::Object(object) => {
                Ok(Value::array(object.entries().iter().map(|(key, _)| Value::String(key.clone())).collect()))
            }
            _ => type_error(&input, "has no keys"),
        },
        Native::Length => match &input {
            Value::Null => Ok(Value::Number(0.0)),
            Value::Array(array) => Ok(Value::count(array.len())),
            Value::Object(object) => Ok(Value::count(object.len())),
            Value::String(text) => Ok(Value::count(text.chars().count())),
            Value::Bool(_) => type_error(&input, "has no length"),
            number => Ok(Value::Number(number.as_f64().unwrap_or(0.0).abs())),
        },
        Native::Match => regex::matches(&input, &a, &b, &c, watch),
        Native::Edited => regex::edited(&input, &a, &b, watch),
        Native::Pieces => regex::pieces(&input, &a, watch),
        Native::Max | Native::Min => extreme(&input, &input, native == Native::Min, watch),
        Native::MaxBy | Native::MinBy => extreme(&input, &a, native == Native::MinBy, watch),
        Native::Not => boolean(!input.is_true()),
        Native::Sort => match &input {
            Value::Array(_) => sorted(&input, &input, false, watch),
            _ => type_error(&input, "cannot be sorted, as it is not an array"),
        },
        Native::SortBy => sorted(&input, &a, false, watch),
        Native::GroupBy => sorted(&input, &a, true, watch),
        Native::Split => match (&input, &a) {
            (Value::String(text), Value::String(separator)) => ops::split(text, separator, watch),
            _ => error("split input and separator must be strings"),
        },
        Native::Strindices => match (&input, &a) {
            (Value::String(text), Value::String(part)) => {
                let (text, part) = (text.as_bytes(), part.as_bytes());
                let mut found = Vec::new();
                let mut from = 0;
                while !part.is_empty()
                    && watch.should_continue()
                    && let Some(at) = text.get(from..).and_then(|rest| memchr::memmem::find(rest, part))
                {
                    found.push(Value::count(from + at));
                    from += at + 1;
                }
                Ok(Value::array(found))
            }
            _ => type_error2(&input, &a, "cannot be searched in"),
        },
        Native::Tojson => Ok(Value::from(input.to_json(watch)?)),
        Native::Tostring => tostring(input, watch),
        Native::Builtins => Ok(Value::array(builtin_names::NAMES.split(' ').map(Value::from).collect())),
        // glibc has it no more.
        Native::Pow10 => error("Error: pow10/0 not found at build time"),
        Native::GetJqOrigin => Ok(Value::from(".")),
        Native::Type => Ok(Value::from(input.kind())),
        Native::Utf8bytelength => match &input {
            Value::String(text) => Ok(Value::count(text.len())),
            _ => type_error(&input, "only strings have UTF-8 byte length"),
        },
        Native::Math1(function) => match input.as_f64() {
            Some(value) => Ok(Value::Number(function.apply(value))),
            None => type_error(&input, "number required"),
        },
        Native::Math2(function) => match (a.as_f64(), b.as_f64()) {
            (Some(x), Some(y)) => Ok(Value::Number(function.apply(x, y))),
            (None, _) => type_error(&a, "number required"),
            _ => type_error(&b, "number required"),
        },
        // The machine does these.
        Native::Debug
        | Native::Env
        | Native::Getpath
        | Native::GetProgOrigin
        | Native::GetSearchList
        | Native::Halt
        | Native::HaltError
        | Native::Input
        | Native::InputFilename
        | Native::InputLineNumber
        | Native::Localtime
        | Native::Modulemeta
        | Native::Stderr
        | Native::Strflocaltime
        | Native::Strftime
        | Native::Strptime => Ok(input),
    }
}

fn tostring(value: Value, watch: &Watch<'_>) -> Outcome {
    match value {
        Value::String(_) => Ok(value),
        other => Ok(Value::from(other.to_json(watch)?)),
    }
}

/// `reduce .[] as $x (null; . + $x)`
fn add(input: &Value, watch: &Watch<'_>) -> Outcome {
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
fn join(input: &Value, separator: &Value, watch: &Watch<'_>) -> Outcome {
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

fn implode(input: &Value) -> Outcome {
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
fn extreme(input: &Value, keys: &Value, least: bool, watch: &Watch<'_>) -> Outcome {
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
fn sorted(input: &Value, keys: &Value, grouped: bool, watch: &Watch<'_>) -> Outcome {
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

/// `@NAME`
pub(super) fn format(name: &str, value: &Value, watch: &Watch<'_>) -> Outcome {
    let text = || -> Result<Arc<str>, Value> {
        let text = match value {
            Value::String(text) => text.clone(),
            other => other.to_json(watch)?.into(),
        };
        // What escapes takes.
        watch.fits(text.len() * 2)?;
        watch.made(text.len() * 2);
        Ok(text)
    };
    match name {
        "json" => Ok(Value::from(value.to_json(watch)?)),
        "text" => tostring(value.clone(), watch),
        "csv" | "tsv" => {
            let csv = name == "csv";
            let Value::Array(row) = value else {
                return type_error(value, &format!("cannot be {name}-formatted, only array"));
            };
            row_of(row, csv)
        }
        "html" => {
            let escape = |character| match character {
                '&' => Some("&amp;"),
                '<' => Some("&lt;"),
                '>' => Some("&gt;"),
                '\'' => Some("&apos;"),
                '"' => Some("&quot;"),
                _ => None,
            };
            Ok(Value::from(escaped(&text()?, escape)))
        }
        "uri" => {
            let mut out = String::new();
            for byte in text()?.bytes() {
                if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
                    out.push(char::from(byte));
                } else {
                    out.push_str(&format!("%{byte:02X}"));
                }
            }
            Ok(Value::from(out))
        }
        "urid" => decoded_uri(&text()?),
        "sh" => {
            let alone = [value.clone()];
            let items = match value {
                Value::Array(array) => array.items(),
                _ => &alone,
            };
            let mut out = String::new();
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(' ');
                }
                match item {
                    Value::String(text) => {
                        out.push('\'');
                        out.push_str(&escaped(text, |character| (character == '\'').then_some("'\\''")));
                        out.push('\'');
                    }
                    Value::Array(_) | Value::Object(_) => return type_error(item, "can not be escaped for shell"),
                    other => write::compact(other, &mut out, &mut |_| watch.should_continue()),
                }
            }
            Ok(Value::from(out))
        }
        "base64" => Ok(Value::from(base64(text()?.as_bytes()))),
        "base64d" => base64d(value, &text()?),
        other => error(format!("{other} is not a valid format")),
    }
}

/// `@urid` of 1.8.
fn decoded_uri(text: &str) -> Outcome {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    let mut valid = true;
    while let Some(byte) = bytes.next() {
        let digit = |byte: Option<u8>| byte.and_then(|byte| char::from(byte).to_digit(16)?.try_into().ok());
        out.push(match byte {
            b'%' => match (digit(bytes.next()), digit(bytes.next())) {
                (Some(high), Some(low)) => {
                    let (high, low): (u8, u8) = (high, low);
                    high << 4 | low
                }
                _ => {
                    valid = false;
                    break;
                }
            },
            other => other,
        });
    }
    match String::from_utf8(out) {
        Ok(decoded) if valid => Ok(Value::from(decoded)),
        _ => type_error(&Value::from(text), "is not a valid uri encoding"),
    }
}

/// jq's `escape_string`: NUL is escaped too.
fn escaped(text: &str, escape: impl Fn(char) -> Option<&'static str>) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match escape(character) {
            Some(escaped) => out.push_str(escaped),
            None if character == '\0' => out.push_str("\\0"),
            None => out.push(character),
        }
    }
    out
}

fn row_of(row: &Arc<Array>, csv: bool) -> Outcome {
    let mut line = String::new();
    for (at, item) in row.items().iter().enumerate() {
        if at > 0 {
            line.push(if csv { ',' } else { '\t' });
        }
        match item {
            Value::Null => {}
            Value::String(text) if csv => {
                line.push('"');
                line.push_str(&escaped(text, |character| (character == '"').then_some("\"\"")));
                line.push('"');
            }
            Value::String(text) => line.push_str(&escaped(text, |character| match character {
                '\t' => Some("\\t"),
                '\r' => Some("\\r"),
                '\n' => Some("\\n"),
                '\\' => Some("\\\\"),
                _ => None,
            })),
            Value::Array(_) | Value::Object(_) => return type_error(item, "is not valid in a csv row"),
            number if number.as_f64().is_some_and(f64::is_nan) => {}
            other => write::compact(other, &mut line, &mut |_| true),
        }
    }
    Ok(Value::from(line))
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn base64(data: &[u8]) -> String {
    let mut out = String::with_capacity(data.len().div_ceil(3) * 4);
    for chunk in data.chunks(3) {
        let code = (0..3).fold(0_u32, |code, at| code << 8 | u32::from(chunk.get(at).copied().unwrap_or(0)));
        for digit in 0..4 {
            let sextet = (code >> (18 - digit * 6)) & 0x3f;
            let byte = ALPHABET.get(sextet as usize).copied().unwrap_or(b'A');
            out.push(if digit > chunk.len() { '=' } else { char::from(byte) });
        }
    }
    out
}

fn base64d(value: &Value, text: &str) -> Outcome {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let (mut code, mut count) = (0_u32, 0);
    let whole = Value::from(text);
    let _ = value;
    for byte in text.bytes().take_while(|byte| *byte != b'=') {
        let Some(sextet) = ALPHABET.iter().position(|own| *own == byte).and_then(|at| u32::try_from(at).ok()) else {
            return type_error(&whole, "is not valid base64 data");
        };
        code = code << 6 | sextet;
        count += 1;
        if count == 4 {
            out.extend(code.to_be_bytes().get(1..).unwrap_or_default());
            (code, count) = (0, 0);
        }
    }
    match count {
        3 => out.extend((code >> 2).to_be_bytes().get(2..).unwrap_or_default()),
        2 => out.extend((code >> 4).to_be_bytes().get(3..).unwrap_or_default()),
        1 => return type_error(&whole, "trailing base64 byte found"),
        _ => {}
    }
    Ok(Value::from(&*repaired(&out)))
}
