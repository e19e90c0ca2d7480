//! Reading a decision out of what a model wrote.

use serde_json::value::RawValue;

use crate::decision::Decision;
use crate::json::{self, RawObject};

/// A model's decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ruling {
    pub(crate) allow: bool,
    pub(crate) reason: Option<String>,
}

impl Ruling {
    pub(crate) fn decision(&self) -> Decision {
        if self.allow { Decision::Allow } else { Decision::Deny }
    }
}

/// Reads `{"allow": true or false, "reason": "…"}` (or `ok`, Claude Code's word for `allow`) out of an answer. Prose
/// around it is tolerated. Everything that leaves a doubt is an error: no such object, one that is cut off or not JSON,
/// a word twice, or two objects that do not agree. What is nested in another object does not count.
pub(crate) fn ruling(text: &str) -> Result<Ruling, String> {
    let mut found: Option<Ruling> = None;
    let mut rest = text;
    while let Some(start) = rest.find('{') {
        let object = rest.get(start..).unwrap_or_default();
        let mut values = serde_json::Deserializer::from_str(object).into_iter::<&RawValue>();
        let length = match values.next() {
            Some(Ok(value)) => {
                let members = RawObject::parse(value.get()).map_err(|error| error.to_string())?;
                if let Some(ruling) = of_object(&members)? {
                    match &found {
                        Some(first) if first.allow != ruling.allow => {
                            return Err("it allows and denies at the same time".to_owned());
                        }
                        _ => found = Some(ruling),
                    }
                }
                values.byte_offset()
            }
            // Braces in prose. What stands between them is no answer, however it looks.
            _ => braces(object).ok_or("its JSON is cut off")?,
        };
        rest = object.get(length..).unwrap_or_default();
    }
    found.ok_or_else(|| "it has no object with `allow`".to_owned())
}

fn of_object(object: &RawObject<'_>) -> Result<Option<Ruling>, String> {
    let mut allow: Option<bool> = None;
    let mut reason: Option<String> = None;
    for (key, value) in &object.members {
        match &*json::decode(key) {
            name @ ("allow" | "ok") => {
                let said = match value.get() {
                    "true" => true,
                    "false" => false,
                    _ => return Err(format!("`{name}` must be true or false, found {}", json::kind(value))),
                };
                if allow.is_some_and(|allow| allow != said) {
                    return Err(format!("`{name}` contradicts what stands before it"));
                }
                allow = Some(said);
            }
            "reason" if value.get() == "null" => {}
            "reason" => {
                let wrong = |_| format!("`reason` must be a string, found {}", json::kind(value));
                reason = Some(serde_json::from_str(value.get()).map_err(wrong)?);
            }
            _ => {}
        }
    }
    let reason = reason.filter(|reason| !reason.trim().is_empty());
    Ok(allow.map(|allow| Ruling { allow, reason }))
}

/// The length of a text in braces, those within it counted; `None` where it has no end.
fn braces(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' if depth <= 1 => return Some(at + 1),
            b'}' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Reads `ALLOW` or `DENY`, the first word of an answer's last line, and the reason after it. The words anywhere else
/// are prose; a line that has both decides nothing.
pub(crate) fn last_word(text: &str) -> Result<Ruling, String> {
    let text = text.trim_end();
    let (before, line) = text.rsplit_once('\n').unwrap_or(("", text));
    // Models like to write **DENY**.
    let line = line.trim().trim_start_matches(['*', '_', '`', '#', '>', ' ']);
    let words = || line.split(|letter: char| !letter.is_alphanumeric());
    let (allow, rest) = match words().next() {
        Some("ALLOW") => (true, line.strip_prefix("ALLOW")),
        Some("DENY") => (false, line.strip_prefix("DENY")),
        _ => return Err("its last line does not begin with ALLOW or DENY".to_owned()),
    };
    let opposite = if allow { "DENY" } else { "ALLOW" };
    if words().any(|word| word == opposite) {
        return Err("its last line has both ALLOW and DENY".to_owned());
    }
    let separators =
        |letter: char| letter.is_whitespace() || matches!(letter, '*' | '_' | '`' | ':' | '-' | '–' | '—' | '.' | ',');
    let reason = rest.unwrap_or_default().trim_start_matches(separators).trim_end();
    let reason = if reason.is_empty() { before.trim() } else { reason };
    Ok(Ruling { allow, reason: (!reason.is_empty()).then(|| reason.to_owned()) })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Ruling, last_word, ruling};

    fn show(result: Result<Ruling, String>) -> String {
        match result {
            Ok(Ruling { allow, reason }) => {
                format!("{} {}", if allow { "allow" } else { "deny" }, reason.as_deref().unwrap_or("-"))
            }
            Err(error) => error,
        }
    }

    #[test]
    fn an_answer_is_one_object_whatever_prose_is_around_it() {
        let none = "it has no object with `allow`";
        let cases = [
            (r#"{"allow": true, "reason": "fine"}"#, "allow fine"),
            (r#"{"allow": false}"#, "deny -"),
            (r#"{"allow": false, "reason": null}"#, "deny -"),
            (r#"{"ok": false, "reason": "no tests"}"#, "deny no tests"),
            ("Sure!\n```json\n{\"allow\": true, \"reason\": \"a {b}\"}\n```\nBye.", "allow a {b}"),
            (r#"Within {braces}: {"allow": true}"#, "allow -"),
            (r#"{"tool": "bash"} is harmless: {"allow": true}"#, "allow -"),
            (r#"{"allow": true} and again {"allow": true, "reason": "x"}"#, "allow x"),
            (r#"{"allow": true} but {"allow": false}"#, "it allows and denies at the same time"),
            (r#"{"allow": true, "ok": false}"#, "`ok` contradicts what stands before it"),
            (r#"{"allow": true, "allow": false}"#, "`allow` contradicts what stands before it"),
            (r#"{"allow": "true"}"#, "`allow` must be true or false, found a string"),
            (r#"{"allow": 1}"#, "`allow` must be true or false, found a number"),
            (r#"{"allow": null}"#, "`allow` must be true or false, found null"),
            (r#"{"allow": true, "reason": 7}"#, "`reason` must be a string, found a number"),
            (r#"{"verdict": {"allow": true}}"#, none),
            (r#"[{"verdict": {"allow": true}}]"#, none),
            (r#"{"thought": {"allow": true}, "allow": fal"#, "its JSON is cut off"),
            (r#"{"thought": {"allow": true}, allow: false}"#, none),
            (r#"{"allow": tru"#, "its JSON is cut off"),
            ("{allow: true}", none),
            ("{'allow': true}", none),
            (r#"{"Allow": true}"#, none),
            ("allow", none),
            ("I would ALLOW this.", none),
            ("true", none),
            ("", none),
        ];
        for (text, expected) in cases {
            assert_eq!(show(ruling(text)), expected, "{text}");
        }
    }

    #[test]
    fn a_sub_agent_decides_with_the_first_word_of_its_last_line() {
        let neither = "its last line does not begin with ALLOW or DENY";
        let cases = [
            ("ALLOW", "allow -"),
            ("DENY: it writes to /etc", "deny it writes to /etc"),
            ("I read the file.\n\nDENY - no tests\n", "deny no tests"),
            ("The tests are missing.\nDENY", "deny The tests are missing."),
            ("**ALLOW** all is well", "allow all is well"),
            ("One may ALLOW this.", neither),
            ("ALLOW\nOr so I think.", neither),
            ("ALLOWED", neither),
            ("allow", neither),
            ("DISALLOW", neither),
            ("ALLOW or DENY: who knows", "its last line has both ALLOW and DENY"),
            ("", neither),
        ];
        for (text, expected) in cases {
            assert_eq!(show(last_word(text)), expected, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn an_answer_that_denies_is_never_read_as_an_allow(before in "[ -~\n]{0,40}", after in "[ -~\n]{0,40}") {
            let text = format!("{before}{{\"allow\":false}}{after}");
            prop_assert!(!ruling(&text).is_ok_and(|ruling| ruling.allow));
            let text = format!("{before}\nDENY {after}");
            prop_assert!(!last_word(text.trim_end()).is_ok_and(|ruling| ruling.allow && !text.contains("\nALLOW")));
        }
    }
}
