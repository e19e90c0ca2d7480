//! The one string that a Windows program gets, from which its C runtime makes `argv`.
//!
//! Rules: Microsoft, "Parsing C command-line arguments". Outside of quotes, blanks and tabs separate; `2n` backslashes before a
//! quote are `n` backslashes, `2n + 1` are `n` and a literal quote; backslashes before anything else are themselves. The first
//! argument (the program) has no escapes at all and ends at its second quote.
//!
//! Pure, and built on every system.

use std::ffi::OsString;

use crate::text::to_units;

const QUOTE: u16 = b'"' as u16;
const BACKSLASH: u16 = b'\\' as u16;
const SPACE: u16 = b' ' as u16;
const TAB: u16 = b'\t' as u16;

/// The command line, in UTF-16 units without a final NUL, that the C runtime (and `CommandLineToArgvW`) splits into exactly these
/// arguments. `argv[0]` is always quoted; a quote inside of it cannot be expressed (nor be part of a file name) and is left out.
#[must_use]
pub fn command_line(argv: &[OsString]) -> Vec<u16> {
    let mut line = Vec::new();
    for (index, argument) in argv.iter().enumerate() {
        let units = to_units(argument);
        if index == 0 {
            line.push(QUOTE);
            line.extend(units.into_iter().filter(|&unit| unit != QUOTE));
            line.push(QUOTE);
        } else {
            line.push(SPACE);
            push_argument(&mut line, &units);
        }
    }
    line
}

/// Appends one argument after the first, quoted where it has to be.
fn push_argument(line: &mut Vec<u16>, argument: &[u16]) {
    let quoted = argument.is_empty() || argument.iter().any(|&unit| unit == SPACE || unit == TAB);
    if quoted {
        line.push(QUOTE);
    }
    let mut backslashes = 0;
    for &unit in argument {
        if unit == BACKSLASH {
            backslashes += 1;
        } else {
            if unit == QUOTE {
                // Those before it doubled, and one for itself.
                line.extend(std::iter::repeat_n(BACKSLASH, backslashes + 1));
            }
            backslashes = 0;
        }
        line.push(unit);
    }
    if quoted {
        // The closing quote is not to be escaped.
        line.extend(std::iter::repeat_n(BACKSLASH, backslashes));
        line.push(QUOTE);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn line_of(argv: &[&str]) -> String {
        let argv: Vec<OsString> = argv.iter().map(OsString::from).collect();
        String::from_utf16(&command_line(&argv)).unwrap()
    }

    /// The C runtime's documented rules (since 2008: `""` inside quotes is a literal quote).
    fn split(line: &str) -> Vec<String> {
        let mut rest = line.chars().peekable();
        let mut argv = vec![String::new()];
        assert_eq!(rest.next(), Some('"'));
        argv[0].extend(rest.by_ref().take_while(|&c| c != '"'));
        loop {
            while rest.next_if(|&c| c == ' ' || c == '\t').is_some() {}
            if rest.peek().is_none() {
                return argv;
            }
            let mut argument = String::new();
            let mut quoted = false;
            loop {
                let mut backslashes = 0;
                while rest.next_if_eq(&'\\').is_some() {
                    backslashes += 1;
                }
                if rest.peek() == Some(&'"') {
                    argument.extend(std::iter::repeat_n('\\', backslashes / 2));
                    rest.next();
                    if backslashes % 2 == 1 || (quoted && rest.next_if_eq(&'"').is_some()) {
                        argument.push('"');
                    } else {
                        quoted = !quoted;
                    }
                    continue;
                }
                argument.extend(std::iter::repeat_n('\\', backslashes));
                match rest.next_if(|&c| quoted || (c != ' ' && c != '\t')) {
                    Some(c) => argument.push(c),
                    None => break,
                }
            }
            argv.push(argument);
        }
    }

    #[test]
    fn arguments_are_quoted_where_they_have_to_be() {
        for (argv, line) in [
            (&["a.exe"][..], r#""a.exe""#),
            (&[r"C:\Program Files\a.exe", "b"], r#""C:\Program Files\a.exe" b"#),
            (&["a", ""], r#""a" """#),
            (&["a", "b c"], r#""a" "b c""#),
            (&["a", "b\tc"], "\"a\" \"b\tc\""),
            (&["a", r"b\c"], r#""a" b\c"#),
            (&["a", r"b\"], r#""a" b\"#),
            (&["a", r"b c\"], r#""a" "b c\\""#),
            (&["a", r#"b"c"#], r#""a" b\"c"#),
            (&["a", r#"b\"c"#], r#""a" b\\\"c"#),
            (&["a", r#"{"k": "v"}"#], r#""a" "{\"k\": \"v\"}""#),
            (&["a", "%PATH%", "a&b", "^"], r#""a" %PATH% a&b ^"#),
            (&["a", "é😀"], r#""a" é😀"#),
        ] {
            assert_eq!(line_of(argv), line, "{argv:?}");
        }
    }

    proptest! {
        #[test]
        #[cfg_attr(miri, ignore = "too slow under Miri")]
        fn the_runtime_splits_what_was_joined(
            program in r#"[a-z \\:.]{1,10}"#,
            arguments in proptest::collection::vec(r#"[\\" \ta-c%^&é]{0,12}"#, 0..6),
        ) {
            let mut argv = vec![program];
            argv.extend(arguments);
            let parts: Vec<&str> = argv.iter().map(String::as_str).collect();
            prop_assert_eq!(split(&line_of(&parts)), argv);
        }
    }
}
