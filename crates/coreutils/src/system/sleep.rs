//! `sleep`: wait.

use std::time::Duration;

use hookshell_utility::options::{Parsed, parse};
use hookshell_utility::prepare_yielding;
use hookshell_utility::quote;
use hookshell_utility::{Prepared, Stopped, Unsupported, Utility, UtilityCall};

/// `sleep NUMBER[smhd]…` (XCU `sleep`, GNU's fractions, units and sums).
pub(crate) struct Sleep;

/// Longer than any clock can say: as good as for ever.
const FOR_EVER: f64 = 1e15;

impl Utility for Sleep {
    fn name(&self) -> &'static str {
        "sleep"
    }

    fn prepare<'a>(&'a self, call: &UtilityCall<'a>) -> Result<Box<dyn Prepared + 'a>, Unsupported> {
        // `strtod` reads hexadecimal numbers as well.
        let is_hexadecimal = |operand: &&[u8]| operand.windows(2).any(|two| matches!(two, b"0x" | b"0X"));
        let yields = |parsed: &Parsed<'_>| parsed.operands.iter().any(is_hexadecimal);
        prepare_yielding(
            self.name(),
            call,
            |call| parse(call.argv, &[]),
            yields,
            |running, parsed| {
                if parsed.operands.is_empty() {
                    return running.usage(b"missing operand");
                }
                let mut total = 0.0;
                let mut invalid = Vec::new();
                for &operand in &parsed.operands {
                    match seconds(operand) {
                        Some(seconds) => total += seconds,
                        None => invalid.push(operand),
                    }
                }
                if let Some((last, before)) = invalid.split_last() {
                    let text = |operand: &[u8]| [&b"invalid time interval "[..], &quote::always(operand)].concat();
                    for operand in before {
                        running.message(&text(operand))?;
                    }
                    return running.usage(&text(last));
                }
                let slept = if total >= FOR_EVER {
                    running.interrupt().wait_until(None)
                } else {
                    running.interrupt().sleep(Duration::from_secs_f64(total))
                };
                if slept { Ok(0) } else { Err(Stopped::Cancelled.into()) }
            },
        )
    }
}

/// `NUMBER[smhd]` in seconds; `None` when it is none or negative.
pub(crate) fn seconds(text: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(text).ok()?;
    let (number, unit) = match text.as_bytes().last()? {
        b's' => (text.get(..text.len() - 1)?, 1.0),
        b'm' => (text.get(..text.len() - 1)?, 60.0),
        b'h' => (text.get(..text.len() - 1)?, 3600.0),
        b'd' => (text.get(..text.len() - 1)?, 86400.0),
        _ => (text, 1.0),
    };
    let number = number.trim_start_matches([' ', '\t', '\n', '\x0b', '\x0c', '\r']);
    // Rust's grammar is that of `strtod`: signs, a fraction, an exponent, `inf`, `infinity`, `nan`.
    let number: f64 = number.parse().ok()?;
    (number >= 0.0).then_some(number * unit)
}

#[cfg(test)]
mod tests {
    use super::seconds;

    #[test]
    fn intervals_are_read_with_fractions_and_units() {
        let cases: &[(&str, Option<f64>)] = &[
            ("1", Some(1.0)),
            ("0.5", Some(0.5)),
            (".5", Some(0.5)),
            ("1.", Some(1.0)),
            ("2m", Some(120.0)),
            ("1h", Some(3600.0)),
            ("1d", Some(86400.0)),
            ("1e2s", Some(100.0)),
            ("+1", Some(1.0)),
            (" 1", Some(1.0)),
            ("infinity", Some(f64::INFINITY)),
            ("inf", Some(f64::INFINITY)),
            ("nan", None),
            ("", None),
            ("s", None),
            ("1ms", None),
            ("1 ", None),
            ("x", None),
        ];
        for (text, expected) in cases {
            assert_eq!(seconds(text.as_bytes()), *expected, "{text:?}");
        }
    }
}
