//! What `sub` and `splits` make of a text and its matches: jq's own definitions copy the text for each match.

use super::super::ops::{self, Outcome, type_error};
use super::super::value::Value;
use super::super::watch::Watch;
use super::Characters;

/// What a short string takes beside its text.
const PER_PIECE: usize = size_of::<Value>() + 32;

/// `_pieces(MATCHES)`: the parts of the text before, between and after the matches.
pub(crate) fn pieces(input: &Value, matches: &Value, watch: &Watch<'_>) -> Outcome {
    let (Value::String(text), Value::Array(matches)) = (input, matches) else {
        return type_error(input, "cannot be matched, as it is not a string");
    };
    let mut places = Places::new(text);
    let bytes = matches.len() * PER_PIECE + text.len();
    watch.fits(bytes)?;
    watch.made(bytes);
    let mut pieces = Vec::with_capacity(matches.len() + 1);
    let mut from = 0;
    for found in matches.items() {
        if !watch.should_continue() {
            break;
        }
        let (begin, end) = places.of(found);
        pieces.push(Value::from(text.get(from..begin).unwrap_or_default()));
        from = end;
    }
    pieces.push(Value::from(text.get(from..).unwrap_or_default()));
    Ok(Value::array(pieces))
}

/// `_edited(MATCHES; INSERTS)`: the text with each match replaced. INSERTS has a list for each match; the text comes out
/// as often as the longest of them has elements.
pub(crate) fn edited(input: &Value, matches: &Value, inserts: &Value, watch: &Watch<'_>) -> Outcome {
    let (Value::String(text), Value::Array(matches), Value::Array(inserts)) = (input, matches, inserts) else {
        return type_error(input, "cannot be matched, as it is not a string");
    };
    let mut places = Places::new(text);
    let mut results: Vec<String> = Vec::new();
    let mut from = 0;
    let mut size = 0;
    for (found, inserts) in matches.items().iter().zip(inserts.items()) {
        let (begin, end) = places.of(found);
        let gap = text.get(from..begin).unwrap_or_default();
        from = end;
        watch.fits(size)?;
        if !watch.should_continue() {
            break;
        }
        let Value::Array(inserts) = inserts else { continue };
        for (index, insert) in inserts.items().iter().enumerate() {
            let insert = match insert {
                Value::String(insert) => &**insert,
                Value::Null => "",
                other => return ops::add(Value::from(gap), other.clone(), watch),
            };
            if results.len() == index {
                results.push(String::new());
            }
            if let Some(result) = results.get_mut(index) {
                result.push_str(gap);
                result.push_str(insert);
                size += gap.len() + insert.len();
            }
        }
    }
    let rest = text.get(from..).unwrap_or_default();
    size += rest.len() * results.len();
    watch.fits(size)?;
    watch.made(size);
    let whole = |result: String| Value::from(&*(result + rest));
    Ok(Value::array(results.into_iter().map(whole).collect()))
}

/// Where the matches of a text are in it.
struct Places<'a> {
    text: &'a str,
    characters: Characters<'a>,
}

impl<'a> Places<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, characters: Characters::new(text) }
    }

    /// The bytes from which and up to which a match object goes.
    fn of(&mut self, found: &Value) -> (usize, usize) {
        let Value::Object(found) = found else { return (self.text.len(), self.text.len()) };
        let number = |key| found.get(key).and_then(Value::as_f64).unwrap_or_default().max(0.0) as usize;
        let offset = number("offset");
        (self.characters.byte(offset), self.characters.byte(offset.saturating_add(number("length"))))
    }
}
