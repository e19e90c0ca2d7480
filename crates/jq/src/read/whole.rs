//! A text that is there as a whole.

use super::super::text::repaired;
use super::super::value::Value;
use super::{Parser, Step};

/// All JSON texts of a file, as an array. The error is jq's message.
pub(in super::super) fn parse_all(text: &[u8]) -> Result<Value, String> {
    let mut parser = Parser::new();
    let mut values = Vec::new();
    let mut at = parser.skip_mark(text);
    loop {
        match parser.step(text.get(at..).unwrap_or_default(), true) {
            Step::Value(value, used) => {
                at += used;
                values.push(value);
            }
            Step::More | Step::Nothing(_) => return Ok(Value::array(values)),
            Step::Error(message) | Step::Wrong(message, _) => return Err(message),
        }
    }
}

/// jq's `jv_parse`: one JSON text, nothing else.
pub(in super::super) fn parse(text: &[u8]) -> Result<Value, String> {
    let mut parser = Parser::new();
    let skipped = parser.skip_mark(text);
    let body = text.get(skipped..).unwrap_or_default();
    let result = match parser.step(body, true) {
        Step::Error(message) | Step::Wrong(message, _) => Err(message),
        Step::More | Step::Nothing(_) => Err("Expected JSON value".to_owned()),
        Step::Value(value, used) => match parser.step(body.get(used..).unwrap_or_default(), true) {
            Step::Error(message) | Step::Wrong(message, _) => Err(message),
            Step::More | Step::Nothing(_) => Ok(value),
            Step::Value(..) => Err("Unexpected extra JSON values".to_owned()),
        },
    };
    result.map_err(|message| {
        let shown = text.split(|byte| *byte == 0).next().unwrap_or_default();
        format!("{message} (while parsing '{}')", repaired(shown))
    })
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn what_is_no_json_has_jqs_message() {
        let cases = [
            ("tru", "Invalid literal at EOF at line 1, column 3 (while parsing 'tru')"),
            ("[1 2]", "Expected separator between values at line 1, column 5 (while parsing '[1 2]')"),
            ("[1,]", "Expected another array element at line 1, column 4 (while parsing '[1,]')"),
            ("{\"a\":1,}", "Expected another key-value pair at line 1, column 8 (while parsing '{\"a\":1,}')"),
            ("{", "Unfinished JSON term at EOF at line 1, column 1 (while parsing '{')"),
            ("\"a", "Unfinished string at EOF at line 1, column 2 (while parsing '\"a')"),
            ("", "Expected JSON value (while parsing '')"),
            ("1 2", "Unexpected extra JSON values (while parsing '1 2')"),
        ];
        for (text, expected) in cases {
            assert_eq!(parse(text.as_bytes()).err().as_deref(), Some(expected), "{text}");
        }
    }
}
