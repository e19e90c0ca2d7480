//! awk's regular expressions: extended ones with escapes of its own (POSIX XCU awk, Regular Expressions).

use hookshell_regex::{Builder, Captures, SearchError, Subject, Syntax};
use memchr::memmem::Finder;

use super::text::Characters;

/// A compiled expression.
#[derive(Debug)]
pub(super) struct Regex {
    source: Box<[u8]>,
    engine: hookshell_regex::Regex,
    /// What it looks for, where it is plain text.
    literal: Option<Finder<'static>>,
}

impl Regex {
    /// Compiles an expression.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn new(source: &[u8], characters: Characters) -> Result<Self, String> {
        Self::with_case(source, characters, false)
    }

    /// The same; upper and lower case may be one.
    pub(super) fn with_case(source: &[u8], characters: Characters, ignore_case: bool) -> Result<Self, String> {
        let translated = translate(source);
        let engine = Builder::new(Syntax::Awk)
            .bytes(characters == Characters::Bytes)
            .ignore_case(ignore_case)
            .build(&translated)
            .map_err(|error| format!("the regular expression /{}/: {error}", source.escape_ascii()))?;
        let literal = literal_of(&translated).filter(|_| !ignore_case).map(|text| Finder::new(&text).into_owned());
        Ok(Self { source: source.into(), engine, literal })
    }

    /// As it was written.
    pub(super) fn source(&self) -> &[u8] {
        &self.source
    }

    /// The one byte that it looks for, where it does.
    pub(super) fn single_byte(&self) -> Option<u8> {
        match self.literal.as_ref()?.needle() {
            [byte] => Some(*byte),
            _ => None,
        }
    }

    pub(super) fn is_match(&self, text: &[u8]) -> Result<bool, SearchError> {
        match &self.literal {
            Some(literal) => Ok(literal.find(text).is_some()),
            None => self.engine.is_match(&Subject::new(text)),
        }
    }

    /// The leftmost-longest match from `start` on.
    pub(super) fn find(&self, text: &[u8], start: usize) -> Result<Option<(usize, usize)>, SearchError> {
        match &self.literal {
            Some(literal) => {
                let rest = text.get(start..).unwrap_or_default();
                if let [byte] = literal.needle() {
                    return Ok(memchr::memchr(*byte, rest).map(|at| (start + at, start + at + 1)));
                }
                Ok(literal.find(rest).map(|at| (start + at, start + at + literal.needle().len())))
            }
            None => self.engine.find(&Subject::new(text).starting_at(start)),
        }
    }

    /// The match from `start` on with its groups.
    pub(super) fn captures(&self, text: &[u8], start: usize, captures: &mut Captures) -> Result<bool, SearchError> {
        self.engine.captures(&Subject::new(text).starting_at(start), captures)
    }
}

/// What the awks do not agree on: the escapes of gawk that others read as plain letters, and operators and alternatives that
/// stand where there is nothing, which are literal or empty to gawk and mistakes to mawk and BWK's awk.
pub(super) fn differing(source: &[u8]) -> Option<&'static str> {
    const NOTHING: Option<&str> = Some("an operator or an alternative of a regular expression where nothing stands");
    // Has the alternative that is read nothing yet that matches a character, or nothing at all?
    let (mut no_operand, mut empty) = (true, true);
    let mut at = 0;
    while let Some(&byte) = source.get(at) {
        at += 1;
        match byte {
            b'\\' => {
                if let Some(b'y' | b'B' | b'<' | b'>' | b'w' | b'W' | b's' | b'S' | b'`' | b'\'') = source.get(at) {
                    return Some("a gawk escape in a regular expression");
                }
                at += 1;
                (no_operand, empty) = (false, false);
            }
            b'[' => {
                let (length, has_gawks) = bracket(source.get(at..).unwrap_or_default());
                if has_gawks {
                    return Some("a gawk escape in a regular expression");
                }
                at += length;
                (no_operand, empty) = (false, false);
            }
            b'*' | b'+' | b'?' if no_operand => return NOTHING,
            b'|' | b')' if empty => return NOTHING,
            // Most awks take these for text, gawk does not.
            b'{' if matches!(source.get(at), Some(b',' | b'}')) => return Some("an interval without a lower bound"),
            b'(' | b'|' => (no_operand, empty) = (true, true),
            b'^' if empty => empty = false,
            b'$' => (no_operand, empty) = (true, false),
            _ => (no_operand, empty) = (false, false),
        }
    }
    // `//` is everybody's.
    if empty && !source.is_empty() { NOTHING } else { None }
}

/// The same of a value of FS or RS, or of what `split` is given: one character is no expression.
pub(super) fn differing_separator(value: &[u8]) -> Option<&'static str> {
    if value.len() > 1 { differing(value) } else { None }
}

/// The length of a bracket expression after its `[`, and whether an escape of gawk's stands in it.
fn bracket(text: &[u8]) -> (usize, bool) {
    let mut at = usize::from(text.first() == Some(&b'^'));
    let mut has_gawks = false;
    // A `]` that comes first is a member.
    at += usize::from(text.get(at) == Some(&b']'));
    while let Some(&byte) = text.get(at) {
        at += 1;
        match (byte, text.get(at)) {
            (b']', _) => break,
            (b'\\', next) => {
                has_gawks |= matches!(next, Some(b'y' | b'B' | b'<' | b'>' | b'w' | b'W' | b's' | b'S' | b'`' | b'\''));
                at += 1;
            }
            (b'[', Some(kind @ (b':' | b'.' | b'='))) => {
                let rest = text.get(at + 1..).unwrap_or_default();
                if let Some(end) = memchr::memmem::find(rest, &[*kind, b']']) {
                    at += end + 3;
                }
            }
            _ => {}
        }
    }
    (at, has_gawks)
}

/// Resolves awk's escapes: what they stand for is literal.
fn translate(source: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(source.len());
    let mut at = 0;
    while let Some(&byte) = source.get(at) {
        at += 1;
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        let Some(&next) = source.get(at) else {
            // A backslash at the end stands for itself.
            out.extend_from_slice(b"\\\\");
            break;
        };
        at += 1;
        let value = match next {
            b'a' => 7,
            b'b' => 8,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'v' => 11,
            b'/' | b'"' | b'&' => next,
            b'0'..=b'7' => {
                let mut value = u32::from(next - b'0');
                for _ in 0..2 {
                    match source.get(at) {
                        Some(digit @ b'0'..=b'7') => value = value * 8 + u32::from(digit - b'0'),
                        _ => break,
                    }
                    at += 1;
                }
                (value & 0xff) as u8
            }
            // Of hexadecimal digits two at most (gawk, mawk); with none of them it is the letter.
            b'x' => {
                let mut value = None;
                for _ in 0..2 {
                    let Some(digit) = source.get(at).and_then(|byte| char::from(*byte).to_digit(16)) else { break };
                    value = Some(value.unwrap_or(0) * 16 + digit);
                    at += 1;
                }
                value.map_or(b'x', |value: u32| (value & 0xff) as u8)
            }
            other => {
                out.push(b'\\');
                out.push(other);
                continue;
            }
        };
        // What an octal or hexadecimal escape stands for is no operator, with a backslash or without one: `\<`, `\>`, `` \` `` and `\'` are.
        if value.is_ascii_punctuation() && !matches!(value, b'/' | b'"' | b'&' | b'<' | b'>' | b'`' | b'\'') {
            out.push(b'\\');
        }
        out.push(value);
    }
    out
}

/// The text that an expression stands for, where it has no operators.
fn literal_of(translated: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(translated.len());
    let mut at = 0;
    while let Some(&byte) = translated.get(at) {
        at += 1;
        match byte {
            b'\\' => match translated.get(at) {
                Some(next) if next.is_ascii_punctuation() && !matches!(next, b'<' | b'>' | b'`' | b'\'') => {
                    out.push(*next);
                    at += 1;
                }
                _ => return None,
            },
            b'^' | b'$' | b'.' | b'[' | b']' | b'(' | b')' | b'{' | b'}' | b'|' | b'*' | b'+' | b'?' => return None,
            byte => out.push(byte),
        }
    }
    // In UTF-8 a part of a character does not match within one: only whole characters are looked for so.
    (!out.is_empty() && std::str::from_utf8(&out).is_ok()).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::{Characters, Regex, differing, literal_of, translate};

    #[test]
    fn what_the_awks_do_not_agree_on_is_known() {
        let agreed = [
            "",
            "a|b",
            "(a|b)*",
            "^a",
            "^",
            "a$",
            "$",
            "^$",
            "(^|:)a",
            "a(:|$)",
            r"\*",
            "[*]",
            "[]|]",
            "[[:alpha:]|]+",
            "a{2}",
            r"[\]|]",
        ];
        for source in agreed {
            assert_eq!(differing(source.as_bytes()), None, "{source}");
        }
        for source in [
            "*", "+a", "(?a)", "a|", "|a", "a||b", "()", "(a|)", "^*", "$*", "a|*b", "a{,2}", "a{}", r"\s", r"[a\w]",
            "[a]\\<",
        ] {
            assert!(differing(source.as_bytes()).is_some(), "{source}");
        }
    }

    #[test]
    fn escapes_are_awks() {
        let cases: &[(&str, &str)] = &[
            (r"a\/b", "a/b"),
            (r"\t\n", "\t\n"),
            (r"\052", r"\*"),
            (r"\047\074\076\140", "'<>`"),
            (r"[\047]", "[']"),
            (r"\x2a\x41\x5B\xy", r"\*A\[xy"),
            (r"\x4z", "\x04z"),
            (r"\.", r"\."),
            (r"\\", r"\\"),
            (r#"\""#, "\""),
            (r"[\/\t]", "[/\t]"),
            (r"a\", r"a\\"),
        ];
        for (source, expected) in cases {
            assert_eq!(translate(source.as_bytes()), expected.as_bytes(), "{source}");
        }
    }

    #[test]
    fn plain_text_is_searched_as_such() {
        assert_eq!(literal_of(b"abc"), Some(b"abc".to_vec()));
        assert_eq!(literal_of(br"a\.b"), Some(b"a.b".to_vec()));
        for source in ["", "a.b", "a|b", "^a", "a$", "[a]", r"\yfoo", r"\<a", "a{2}"] {
            assert_eq!(literal_of(source.as_bytes()), None, "{source}");
        }
    }

    #[test]
    fn matches_are_leftmost_and_longest() {
        let cases = [
            ("ab|abcd", "xabcd", Some((1, 5))),
            ("o+", "foobar", Some((1, 3))),
            ("a{2}", "aaa", Some((0, 2))),
            ("[]]", "a]", Some((1, 2))),
            (r"[\]a]+", "x]a", Some((1, 3))),
            ("+", "a+", Some((1, 2))),
            ("x*", "abc", Some((0, 0))),
            ("^b", "ab", None),
            ("a^b", "a^b", None),
            ("[[:digit:]]+", "ab12", Some((2, 4))),
        ];
        for (source, text, expected) in cases {
            let regex = Regex::new(source.as_bytes(), Characters::Utf8).unwrap();
            assert_eq!(regex.find(text.as_bytes(), 0), Ok(expected), "{source}");
        }
    }
}
