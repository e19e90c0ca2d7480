//! The builtins that are functions of ours.

mod collection;
mod format;

use super::builtin_names;
use super::definitions::DEFINITIONS;
use super::ops::{self, Outcome, type_error, type_error2};
use super::read;
use super::regex;
use super::time;
use super::value::{Value, error};
use super::watch::Watch;
use super::{math, path};

use self::collection::{add, extreme, implode, join, sorted};
pub(super) use self::format::format;

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
