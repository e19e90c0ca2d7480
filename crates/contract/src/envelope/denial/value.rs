//! A denial in a JSON value that has no place in the contract.

use super::{Denial, denial, fold, is_data, strong};
use crate::json;

/// A denial in a JSON value that has no place in the contract: in an object or array of an unknown key. Only keys that
/// decide in some agent's hooks count, not those of data (`updated_input`, `tool_input`), and texts are data.
pub fn in_json(json: &str) -> Option<Denial> {
    let bytes = json.as_bytes();
    let mut found: Option<Denial> = None;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if byte != b'"' {
            at += 1;
            continue;
        }
        let end = json::string_end(bytes, at);
        let colon = blanks_end(bytes, end);
        if bytes.get(colon) != Some(&b':') {
            at = end;
            continue;
        }
        let value = blanks_end(bytes, colon + 1);
        let key = json::string(json.get(at..end).unwrap_or_default());
        let folded = fold(&key);
        if is_data(&folded) {
            at = value_end(bytes, value);
            continue;
        }
        at = value;
        let Some(kind) = strong(&folded) else { continue };
        let end = match bytes.get(value) {
            Some(b'{' | b'[') | None => continue,
            Some(_) => value_end(bytes, value),
        };
        let raw = json.get(value..end).unwrap_or_default();
        let quoted = raw.starts_with('"');
        let text = json::string(raw);
        if kind.is_denied_by(&text, quoted) {
            let denial = denial(&key, &text, quoted, kind.halts());
            // What denies says more than what halts.
            if !denial.halts {
                return Some(denial);
            }
            found.get_or_insert(denial);
        }
        at = end;
    }
    found
}

fn blanks_end(bytes: &[u8], mut at: usize) -> usize {
    while matches!(bytes.get(at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
        at += 1;
    }
    at
}

/// The index after the value that starts at `at`, in valid JSON.
fn value_end(bytes: &[u8], mut at: usize) -> usize {
    let mut depth = 0_usize;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => {
                at = json::string_end(bytes, at);
                if depth == 0 {
                    return at;
                }
            }
            b'{' | b'[' => {
                depth += 1;
                at += 1;
            }
            b'}' | b']' if depth <= 1 => return if depth == 0 { at } else { at + 1 },
            b'}' | b']' => {
                depth -= 1;
                at += 1;
            }
            b',' if depth == 0 => return at,
            _ => at += 1,
        }
    }
    bytes.len()
}
