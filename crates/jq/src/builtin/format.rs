//! `@NAME`: a value as text of a format.

use std::sync::Arc;

use super::super::ops::{Outcome, type_error};
use super::super::text::repaired;
use super::super::value::{Array, Value, error};
use super::super::watch::Watch;
use super::super::write;
use super::tostring;

/// `@NAME`
pub(in super::super) fn format(name: &str, value: &Value, watch: &Watch<'_>) -> Outcome {
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
