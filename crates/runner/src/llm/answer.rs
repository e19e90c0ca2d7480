//! Reading a decision out of what a model wrote.

use serde_json::value::RawValue;

use crate::decision::Decision;
use crate::envelope::denial::{self, Keys};
use crate::json::{self, RawObject};

/// A model's decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ruling {
    pub(crate) allow: bool,
    pub(crate) reason: Option<String>,
    /// What was ambiguous in the answer.
    pub(crate) note: Option<String>,
}

impl Ruling {
    pub(crate) fn decision(&self) -> Decision {
        if self.allow { Decision::Allow } else { Decision::Deny }
    }
}

/// Reads `{"allow": true or false, "reason": "…"}` (or `ok`, Claude Code's word for `allow`) out of an answer. Prose
/// around it is tolerated.
///
/// What clearly denies, denies: a false in any spelling (`"false"`, `0`, single quotes or none around its key), within another
/// object or a string, in JSON that is cut off, beside another object that allows, or a last line that is a `DENY`. An
/// allow counts only where there is no doubt: an answer without such an object, one whose object is cut off, not JSON or
/// within another one, and objects that do not agree are errors.
pub(crate) fn ruling(text: &str) -> Result<Ruling, String> {
    let read = object(text);
    if let Ok(Ruling { allow: false, .. }) = read {
        return read;
    }
    let why = match &read {
        Ok(_) => "it allows too",
        Err(why) => why,
    };
    match denied(text, why) {
        Some(denied) => Ok(denied),
        None => read,
    }
}

/// A deny in an answer that is not as it should be: `why` says how.
pub(crate) fn denied(text: &str, why: &str) -> Option<Ruling> {
    let last = text.trim_end().rsplit('\n').next().unwrap_or_default();
    let said = match (denial::in_text(text, Keys::Answer), denial::of_line(last)) {
        (Some(denial), _) => denial.said,
        (None, Some(_)) => "its last line denies".to_owned(),
        (None, None) => return None,
    };
    let note = Some(format!("the model's answer is not as it was asked for ({why}) and counts as a deny: {said}"));
    Some(Ruling { allow: false, reason: reason_of(text), note })
}

/// The reason of an object that denies, or of JSON that is broken.
fn reason_of(text: &str) -> Option<String> {
    let mut any = None;
    for (start, _) in text.match_indices('{').take(OBJECTS) {
        let object = text.get(start..).unwrap_or_default();
        let mut values = serde_json::Deserializer::from_str(object).into_iter::<&RawValue>();
        let Some(Ok(value)) = values.next() else { continue };
        let Ok(members) = RawObject::parse(value.get()) else { continue };
        let reason = members.get("reason").and_then(json::text).filter(|reason| !reason.trim().is_empty());
        if reason.is_some() && denial::in_text(value.get(), Keys::Answer).is_some() {
            return reason;
        }
        any = any.or(reason.filter(|_| members.get("allow").is_none_or(|allow| allow.get() != "true")));
    }
    any.or_else(|| denial::text_of(text, &["reason"]))
}

/// How many objects of an answer are looked at for a reason.
const OBJECTS: usize = 16;

/// The decision of the objects in a text that are as they should be.
fn object(text: &str) -> Result<Ruling, String> {
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
            // Braces in prose. What stands between them allows nothing, however it looks; where it was to be an answer
            // what it says is not known.
            _ => {
                let length = braces(object).ok_or("its JSON is cut off")?;
                let between = object.get(..length).unwrap_or_default().to_ascii_lowercase();
                if between.contains("allow") || between.contains("\"ok\"") {
                    return Err("an object with `allow` is no JSON".to_owned());
                }
                length
            }
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
    Ok(allow.map(|allow| Ruling { allow, reason, note: None }))
}

/// The length of a text in braces, those within it counted; `None` if it has no end.
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

/// Reads an answer's `ALLOW` or `DENY` and the reason after it.
///
/// It denies where the last line has the word `DENY` anywhere, or says so in another way (`Denied.`, `Verdict: deny`), and where
/// any line before it begins with `DENY`, whatever markers, quotes, emphasis or labels (`Final answer:`) stand in front. It
/// allows where none of that is so and the last line begins with `ALLOW`. `DENY` within the prose of earlier lines decides
/// nothing. Where the last line decides nothing, a false in JSON (`{"allow": false}`) denies; all else is an error.
pub(crate) fn last_word(text: &str) -> Result<Ruling, String> {
    let text = text.trim_end();
    let (before, line) = text.rsplit_once('\n').unwrap_or(("", text));
    let allowed = of_last_line(line);
    let deny = |rest: &str, before: &str, note: Option<&str>| {
        let note = note.or_else(|| allowed.is_some().then_some("the last line of the answer begins with ALLOW"));
        let note = note.map(|note| format!("{note}, and the answer counts as a deny"));
        Ok(Ruling { allow: false, reason: reason_after(rest, before), note })
    };
    let word = line.match_indices("DENY").find(|(at, word)| {
        let is_letter = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
        let (head, tail) = line.split_at_checked(*at).unwrap_or_default();
        !is_letter(head.chars().next_back()) && !is_letter(tail.get(word.len()..).and_then(|tail| tail.chars().next()))
    });
    if let Some((at, word)) = word {
        return deny(line.get(at + word.len()..).unwrap_or_default(), before, None);
    }
    if let Some((_, rest)) = denial::of_line(line) {
        return deny(rest, before, None);
    }
    let mut above = "";
    for (at, earlier) in lines(before) {
        if let Some(("DENY" | "DENIED", rest)) = denial::of_line(earlier) {
            let note = "a line before the last one begins with DENY";
            return deny(rest, above, Some(note));
        }
        above = before.get(..at + earlier.len()).unwrap_or_default();
    }
    let searched = if allowed.is_some() { line } else { text };
    if let Some(denied) = denied(searched, "its last line does not begin with ALLOW or DENY") {
        return Ok(denied);
    }
    match allowed {
        Some(rest) => Ok(Ruling { allow: true, reason: reason_after(rest, before), note: None }),
        None => Err("its last line does not begin with ALLOW or DENY".to_owned()),
    }
}

/// Lines with where they begin.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split('\n').map(move |line| {
        let start = at;
        at += line.len() + 1;
        (start, line)
    })
}

/// What stands after `ALLOW`, where a line begins with it.
fn of_last_line(line: &str) -> Option<&str> {
    // Models like to write **ALLOW**.
    let line = line.trim().trim_start_matches(['*', '_', '`', '#', '>', ' ']);
    let rest = line.strip_prefix("ALLOW")?;
    (!rest.starts_with(char::is_alphanumeric)).then_some(rest)
}

/// The reason after a word, or else what stands before its line.
fn reason_after(rest: &str, before: &str) -> Option<String> {
    let separators = |letter: char| {
        letter.is_whitespace()
            || matches!(letter, '*' | '_' | '`' | ':' | '-' | '–' | '—' | '.' | ',' | '"' | '\'' | '!')
    };
    let reason = rest.trim_start_matches(separators).trim_end();
    let reason = if reason.is_empty() { before.trim() } else { reason };
    (!reason.is_empty()).then(|| reason.to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Ruling, last_word, ruling};

    fn show(result: Result<Ruling, String>) -> String {
        match result {
            Ok(Ruling { allow, reason, note }) => {
                let noted = if note.is_some() { ", noted" } else { "" };
                format!("{} {}{noted}", if allow { "allow" } else { "deny" }, reason.as_deref().unwrap_or("-"))
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
            (r#"{"allow": "true"}"#, "`allow` must be true or false, found a string"),
            (r#"{"allow": 1}"#, "`allow` must be true or false, found a number"),
            (r#"{"allow": null}"#, "`allow` must be true or false, found null"),
            (r#"{"allow": true, "reason": 7}"#, "`reason` must be a string, found a number"),
            (r#"{"verdict": {"allow": true}}"#, none),
            (r#"[{"verdict": {"allow": true}}]"#, none),
            (r#"{"thought": {"allow": true}, "allow": tru"#, "its JSON is cut off"),
            (r#"{"allow": tru"#, "its JSON is cut off"),
            ("{allow: true}", "an object with `allow` is no JSON"),
            ("{'allow': true}", "an object with `allow` is no JSON"),
            (r#"{"allow": true} {"allow": /* no */ false}"#, "an object with `allow` is no JSON"),
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
            ("NOT ALLOWED", neither),
            ("", neither),
        ];
        for (text, expected) in cases {
            assert_eq!(show(last_word(text)), expected, "{text:?}");
        }
    }

    #[test]
    fn a_clear_false_denies_whatever_is_wrong_beside_it() {
        let cases = [
            (r#"{"allow": true} but {"allow": false}"#, "deny -, noted"),
            (r#"{"allow": false, "reason": "r"} or {"allow": true, "reason": "fine"}"#, "deny r, noted"),
            (r#"{"allow": true, "ok": false}"#, "deny -, noted"),
            (r#"{"allow": true, "allow": false}"#, "deny -, noted"),
            (r#"{"allow": false, "reason": 7}"#, "deny -, noted"),
            (r#"{"allow": false, "reason": ["a"]}"#, "deny -, noted"),
            (r#"{"allow": "true"} {"allow": false, "reason": "r"}"#, "deny r, noted"),
            (r#""{\"allow\": true}" {"allow": false}"#, "deny -, noted"),
            (r#"{"answer": "{\"allow\": false}"}"#, "deny -, noted"),
            (r#"{"verdict": {"allow": false, "reason": "r"}}"#, "deny r, noted"),
            (r#"[{"allow": false}]"#, "deny -"),
            (r#"{"allow": "false"}"#, "deny -, noted"),
            (r#"{"allow": "No"}"#, "deny -, noted"),
            (r#"{"allow": 0}"#, "deny -, noted"),
            (r#"{"Allow": false}"#, "deny -, noted"),
            (r#"{"allowed": false}"#, "deny -, noted"),
            (r#"{"decision": "deny", "reason": "r"}"#, "deny r, noted"),
            (r#"{"permissionDecision": "deny"}"#, "deny -, noted"),
            (r#"{"continue": false}"#, "deny -, noted"),
            (r#"{"block": true}"#, "deny -, noted"),
            ("{allow: false}", "deny -, noted"),
            ("{'allow': False, 'reason': 'r'}", "deny -, noted"),
            ("allow: false", "deny -, noted"),
            ("```json\n{\"allow\": false, \"reason\": \"r\",}\n```", "deny r, noted"),
            (r#"{"allow": false, "reason": "it del"#, "deny it del, noted"),
            (r#"{"allow": fal"#, "deny -, noted"),
            (r#"{"thought": {"allow": true}, allow: false}"#, "deny -, noted"),
            ("I looked at it.\n**DENY**: it deletes", "deny -, noted"),
            ("{\"allow\": true}\nDENY", "deny -, noted"),
        ];
        for (text, expected) in cases {
            assert_eq!(show(ruling(text)), expected, "{text}");
        }
    }

    #[test]
    fn a_line_that_denies_denies_whatever_stands_around_the_word() {
        let cases = [
            ("- DENY", "deny -"),
            ("Final answer: DENY", "deny -"),
            ("**Final answer:** **DENY** no tests", "deny no tests"),
            ("Verdict: DENY", "deny -"),
            ("> \"DENY\"", "deny -"),
            ("1. DENY", "deny -"),
            ("<answer>DENY</answer>", "deny </answer>"),
            ("DENY: one may not ALLOW it", "deny one may not ALLOW it"),
            ("ALLOW or DENY: who knows", "deny who knows, noted"),
            ("ALLOW, I see nothing to DENY", "deny -, noted"),
            ("I must DENY this.", "deny this."),
            ("Denied.", "deny -"),
            ("deny: no tests", "deny no tests"),
            ("DISALLOW", "deny -"),
            ("My verdict is deny", "deny -"),
            ("DENY: it writes to /etc\nALLOW", "deny it writes to /etc, noted"),
            ("DENY\n\nThat is all.", "deny -, noted"),
            ("Bad.\n- **DENY**\n```", "deny Bad., noted"),
            ("DENY: x\rALLOW", "deny x\rALLOW"),
            ("So:\n{\"allow\": false}", "deny -, noted"),
            // Prose before the last line.
            ("I thought about whether to DENY it.\nALLOW", "allow I thought about whether to DENY it."),
            ("The policy's deny list is empty.\nALLOW: fine", "allow fine"),
        ];
        for (text, expected) in cases {
            assert_eq!(show(last_word(text)), expected, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn an_answer_that_denies_is_never_read_as_an_allow(before in "[ -~\n]{0,40}", after in "[ -~\n]{0,40}") {
            let text = format!("{before}{{\"allow\":false}}{after}");
            prop_assert!(ruling(&text).is_ok_and(|ruling| !ruling.allow), "{}", text);
            let text = format!("{before}\nDENY {after}");
            prop_assert!(last_word(&text).is_ok_and(|ruling| !ruling.allow), "{}", text);
            let text = format!("{before}\nDENY\nALLOW {after}");
            prop_assert!(last_word(&text).is_ok_and(|ruling| !ruling.allow), "{}", text);
        }
    }
}
