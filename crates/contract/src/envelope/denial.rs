//! What clearly denies, whatever is wrong with the text around it.
//!
//! Two readers: [`in_json`] for a value that is JSON, where texts are data, and [`in_text`] for everything else: JSON that is
//! cut off or broken, several objects, prose around an object, single quotes, JSON in a string. Both are linear in the text,
//! and neither recurses.

use std::borrow::Cow;

use crate::json;

/// A denial that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Denial {
    /// What says so, for people: `` `decision` is "deny" ``.
    pub said: String,
    /// Does it end the turn (`halt`, `continue`)?
    pub halts: bool,
}

/// What a key's value says when it denies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// A word: `decision`.
    Word,
    /// True or false, and false denies: `allow`.
    Allows,
    /// True or false, and true denies: `block`.
    Denies,
    /// True ends the turn.
    Halt,
    /// False ends the turn.
    Continue,
}

/// Whose keys count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keys {
    /// Those of a hook's output.
    Envelope,
    /// Those of a model's answer: also words that a model may choose by itself.
    Answer,
}

impl Keys {
    fn find(self, folded: &str) -> Option<Key> {
        match self {
            Self::Answer => strong(folded).or_else(|| weak(folded)),
            Self::Envelope => strong(folded).or(match folded {
                "allow" | "ok" => Some(Key::Allows),
                _ => None,
            }),
        }
    }
}

/// The keys with which agents' hooks decide, folded.
pub(crate) fn strong(folded: &str) -> Option<Key> {
    match folded {
        "decision" | "permissiondecision" | "permission" | "behavior" => Some(Key::Word),
        "halt" => Some(Key::Halt),
        "continue" => Some(Key::Continue),
        _ => None,
    }
}

/// Keys that are no hook's, and say the same where they stand beside what a hook says.
pub(crate) fn weak(folded: &str) -> Option<Key> {
    match folded {
        "verdict" | "action" | "behaviour" | "ruling" | "decide" | "decided" => Some(Key::Word),
        "allow" | "allowed" | "ok" | "okay" | "approve" | "approved" | "permit" | "permitted" => Some(Key::Allows),
        "deny" | "denied" | "block" | "blocked" | "reject" | "rejected" | "disallow" | "disallowed" | "forbid"
        | "forbidden" => Some(Key::Denies),
        _ => None,
    }
}

/// Keys whose values are data of a tool or a person: nothing in them is said by the hook.
pub fn is_data(folded: &str) -> bool {
    matches!(
        folded,
        "updatedinput"
            | "updatedresult"
            | "updatedprompt"
            | "updatedtooloutput"
            | "updatedmcptooloutput"
            | "toolinput"
            | "toolargs"
            | "modifiedargs"
            | "toolresponse"
            | "toolresult"
            | "tooloutput"
            | "input"
            | "arguments"
    )
}

/// A key as it was meant: the last part of a path (`hookSpecificOutput.permissionDecision`), letters and digits only, in
/// lower case.
pub fn fold(key: &str) -> String {
    let last = key.rsplit('.').find(|part| part.contains(char::is_alphanumeric)).unwrap_or(key);
    last.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The words that deny, in lower case.
const DENY: &[&str] = &[
    "deny",
    "denied",
    "denies",
    "block",
    "blocked",
    "blocks",
    "reject",
    "rejected",
    "rejects",
    "refuse",
    "refused",
    "forbid",
    "forbidden",
    "disallow",
    "disallowed",
    "prohibit",
    "prohibited",
    "decline",
    "declined",
];

/// Does a word, or the first word of a text, deny? In any case, whatever signs are around it: `DENY`, `" deny "`, `deny: no`.
pub fn is_deny(text: &str) -> bool {
    let text = text.trim_matches(|letter: char| !letter.is_alphanumeric());
    let first = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next().unwrap_or_default();
    is_deny_word(first) || is_false(text)
}

/// Is it one of the words that deny?
pub(crate) fn is_deny_word(word: &str) -> bool {
    DENY.iter().any(|deny| word.eq_ignore_ascii_case(deny))
}

/// `false`, `no`, `0`: in any case.
pub(crate) fn is_false(word: &str) -> bool {
    ["false", "no", "0"].iter().any(|no| word.trim().eq_ignore_ascii_case(no))
}

/// `true`, `yes`, `1`: in any case.
pub fn is_true(word: &str) -> bool {
    ["true", "yes", "1"].iter().any(|yes| word.trim().eq_ignore_ascii_case(yes))
}

impl Key {
    /// Does this value of the key deny? `quoted`: it is a string.
    pub(crate) fn is_denied_by(self, value: &str, quoted: bool) -> bool {
        let value = if quoted { value } else { number(value) };
        match self {
            Self::Word => is_deny(value),
            Self::Allows => is_false(value) || is_deny(value),
            Self::Continue => is_false(value),
            Self::Denies | Self::Halt => is_true(value),
        }
    }

    /// Does its denial end the turn?
    pub fn halts(self) -> bool {
        matches!(self, Self::Halt | Self::Continue)
    }
}

/// A JSON number that is zero or one in another spelling (`0.0`, `-0`, `1e0`) as `0` and `1`.
fn number(value: &str) -> &str {
    match value.parse::<f64>() {
        Ok(0.0) => "0",
        Ok(1.0) => "1",
        _ => value,
    }
}

fn denial(key: &str, value: &str, quoted: bool, halts: bool) -> Denial {
    const CHARS: usize = 40;
    let cut = |text: &str| text.chars().take(CHARS).collect::<String>();
    let quote = if quoted { "\"" } else { "" };
    Denial { said: format!("`{}` is {quote}{}{quote}", cut(key), cut(value)), halts }
}

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

/// A denial anywhere in a text that is not what it should be. Keys may stand in any quotes or none, before `:` or `=`; so may
/// values.
pub fn in_text(text: &str, keys: Keys) -> Option<Denial> {
    let text = clean(text);
    let mut found: Option<Denial> = None;
    for (at, separator) in text.match_indices([':', '=', '：']) {
        let key = word_before(text.get(..at).unwrap_or_default());
        let Some(kind) = keys.find(&fold(key)) else { continue };
        let Some((value, quoted)) = value_after(text.get(at + separator.len()..).unwrap_or_default(), kind) else {
            continue;
        };
        // `block=1` and `ok=0` are what commands look like.
        if separator == "=" && value.len() < 3 {
            continue;
        }
        let denial = denial(key, value, quoted, kind.halts());
        if !denial.halts {
            return Some(denial);
        }
        found.get_or_insert(denial);
    }
    found
}

/// The text of the first member of one of these names, where it is a string: for a reason in JSON that is broken.
pub fn text_of(text: &str, names: &[&str]) -> Option<String> {
    let text = clean(text);
    names.iter().find_map(|name| {
        text.match_indices(':').find_map(|(at, _)| {
            if word_before(text.get(..at)?) != *name {
                return None;
            }
            let value = text.get(at + 1..)?.trim_start().strip_prefix('"')?;
            let end = value.find(['"', '\n']).unwrap_or(value.len());
            let value = value.get(..end)?.trim_end_matches('\\').trim();
            (!value.is_empty()).then(|| value.to_owned())
        })
    })
}

/// Without what hides letters: NULs and other control characters, letters of no width, and JSON's escapes of letters.
fn clean(text: &str) -> Cow<'_, str> {
    let hides = |letter: char| {
        letter.is_control() && !matches!(letter, '\n' | '\r' | '\t')
            || matches!(letter, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}')
    };
    if !text.contains("\\u") && !text.contains(hides) {
        return Cow::Borrowed(text);
    }
    let mut cleaned = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let escape = rest.strip_prefix("\\u").and_then(|digits| digits.get(..4));
        let escaped = escape.filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        let escaped = escaped.and_then(|digits| char::from_u32(u32::from_str_radix(digits, 16).ok()?));
        let (letter, length) = match escaped {
            Some(letter) => (letter, 6),
            None => (letter, letter.len_utf8()),
        };
        if !hides(letter) {
            cleaned.push(letter);
        }
        rest = rest.get(length..).unwrap_or_default();
    }
    Cow::Owned(cleaned)
}

/// Signs around a key or a value: quotes, their escapes, emphasis, brackets of an array.
fn is_around(letter: char) -> bool {
    letter.is_whitespace() || matches!(letter, '"' | '\'' | '`' | '\\' | '*' | '“' | '”' | '‘' | '’' | '[' | '(')
}

/// The word at the end of a text, its quotes left out.
fn word_before(text: &str) -> &str {
    const LONGEST: usize = 64;
    // A few signs, so that a text of nothing else costs no more.
    let mut end = text.len();
    for letter in text.chars().rev().take(16) {
        if !is_around(letter) {
            break;
        }
        end -= letter.len_utf8();
    }
    let text = text.get(..end).unwrap_or_default();
    let letters = text.char_indices().rev().take(LONGEST);
    let start = letters.take_while(|(_, letter)| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.')).last();
    text.get(start.map_or(end, |(at, _)| at)..).unwrap_or_default()
}

/// The value at the start of a text, where it denies, and whether it stands in quotes.
fn value_after(text: &str, kind: Key) -> Option<(&str, bool)> {
    let mut quoted = false;
    let mut from = 0;
    for letter in text.chars().take(32) {
        // `=>` and `==` are separators too.
        if !(is_around(letter) || from == 0 && matches!(letter, '=' | '>')) {
            break;
        }
        quoted |= matches!(letter, '"' | '\'' | '`' | '“' | '‘');
        from += letter.len_utf8();
    }
    let value = text.get(from..)?;
    let end = value.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(value.len());
    let (word, rest) = value.split_at_checked(end)?;
    if word.is_empty() {
        return None;
    }
    if rest.is_empty() && is_beginning(word, kind) {
        return Some((word, quoted));
    }
    if !kind.is_denied_by(word, quoted) {
        return None;
    }
    // In prose: `ok: no problem` and `decision: deny list loaded` deny nothing, `allow: false, since …` does.
    let blanks_off = rest.trim_start_matches([' ', '\t', '*', '_']);
    let is_end = |letter: char| {
        matches!(letter, ',' | '}' | ']' | ')' | ';' | '"' | '\'' | '`' | '\\' | '\n' | '\r' | '”' | '’')
    };
    let ends = quoted || blanks_off.is_empty() || blanks_off.starts_with(is_end);
    let is_number =
        rest.starts_with('.') && rest.get(1..).is_some_and(|more| more.starts_with(|d: char| d.is_ascii_digit()));
    let ends = ends || rest.starts_with(['.', '!']) && !is_number;
    (ends || word.eq_ignore_ascii_case("false")).then_some((word, quoted))
}

/// Is the word what is left of one that denies, where the text was cut off within it?
fn is_beginning(word: &str, kind: Key) -> bool {
    let begins = |whole: &str, least: usize| {
        word.len() >= least
            && word.len() < whole.len()
            && whole.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
    };
    match kind {
        Key::Word => begins("deny", 3) || begins("block", 3) || begins("reject", 3),
        Key::Allows | Key::Continue => begins("false", 1),
        Key::Denies | Key::Halt => begins("true", 1),
    }
}

/// A denial that is no JSON at all: a text that is only such a word, or whose first or last line begins with `DENY`.
pub fn of_lines(text: &str) -> Option<Denial> {
    let text = text.trim();
    let mut lines = text.lines();
    let word = text.trim_matches(|letter: char| !letter.is_alphanumeric());
    let is_denied = is_deny_word(word) || lines.next().is_some_and(is_loud) || lines.next_back().is_some_and(is_loud);
    is_denied.then(|| Denial { said: "it says DENY".to_owned(), halts: false })
}

fn is_loud(line: &str) -> bool {
    of_line(line).is_some_and(|(word, _)| matches!(word, "DENY" | "DENIED"))
}

/// The word with which a line denies, and what stands after it. Before it may stand a list's marker, emphasis, quotes and a
/// label: `- **Final answer:** DENY, …`. `DENY` and `DENIED` in upper case deny whatever follows; another such word where it
/// stands for itself (`Denied.`, `deny: …`).
pub fn of_line(line: &str) -> Option<(&str, &str)> {
    const LABELS: &[&str] = &[
        "answer",
        "verdict",
        "decision",
        "conclusion",
        "result",
        "ruling",
        "final",
        "judgment",
        "judgement",
        "response",
        "recommendation",
        "output",
        "so",
        "therefore",
        "thus",
    ];
    let mut line = line;
    // A few markers and labels.
    for _ in 0..8 {
        line = line.trim_start_matches(|letter: char| !letter.is_alphanumeric());
        let end = line.find(|letter: char| !letter.is_alphanumeric()).unwrap_or(line.len());
        let (word, rest) = line.split_at_checked(end)?;
        if is_deny_word(word) {
            let is_part =
                rest.starts_with(['-', '_', '\'', '’']) && rest.chars().nth(1).is_some_and(char::is_alphanumeric);
            if is_part {
                return None;
            }
            let after = rest.trim_start_matches([' ', '\t', '*', '_', '`', '"', '\'', '”', '’', ')', ']', '}']);
            let is_alone = after.is_empty() || after.starts_with([':', '.', ',', ';', '!', '-', '–', '—', '<', '(']);
            return (is_alone || matches!(word, "DENY" | "DENIED")).then_some((word, rest));
        }
        if word.bytes().all(|byte| byte.is_ascii_digit()) && rest.starts_with(['.', ')']) {
            line = rest;
            continue;
        }
        // `Final answer:`, `My verdict is`.
        let label =
            ["my", "the", "is", "i", "final"].iter().chain(LABELS).any(|label| word.eq_ignore_ascii_case(label));
        if word.is_empty() || !label {
            return None;
        }
        line = rest;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{Keys, fold, in_json, in_text, is_deny, of_line, of_lines, text_of};

    #[test]
    fn words_that_deny() {
        for word in [
            "deny", "DENY", " Deny ", "\"deny\"", "deny: no", "**DENY**", "Blocked!", "rejected", "false", "0", "No",
            "deny\0",
        ] {
            assert!(is_deny(word), "{word:?}");
        }
        for word in [
            "",
            "allow",
            "ask",
            "denylist",
            "deny_list",
            "not",
            "none",
            "null",
            "no opinion",
            "undeniable",
            "10",
            "true",
        ] {
            assert!(!is_deny(word), "{word:?}");
        }
    }

    #[test]
    fn lines_that_deny() {
        for (line, expected) in [
            ("DENY", "DENY"),
            ("DENY: it writes to /etc", "DENY"),
            ("- DENY", "DENY"),
            ("* **DENY**", "DENY"),
            ("> DENY", "DENY"),
            ("1. DENY", "DENY"),
            ("`DENY`", "DENY"),
            ("\"DENY\"", "DENY"),
            ("### DENY", "DENY"),
            ("Final answer: DENY", "DENY"),
            ("**Final Answer:** DENY", "DENY"),
            ("Verdict: **DENY**", "DENY"),
            ("My verdict is DENY since …", "DENY"),
            ("DENY it", "DENY"),
            ("deny", "deny"),
            ("Denied.", "Denied"),
            ("Deny: no", "Deny"),
            ("Blocked — no", "Blocked"),
            ("DENY</answer>", "DENY"),
            ("- Final answer: deny", "deny"),
        ] {
            assert_eq!(of_line(line).map(|(word, _)| word), Some(expected), "{line}");
        }
        for line in [
            "",
            "ALLOW",
            "I would not DENY it",
            "deny lists are read",
            "Deny-list checked",
            "DENY_LIST is empty",
            "denying",
        ] {
            assert_eq!(of_line(line), None, "{line}");
        }
        for (text, expected) in [
            ("deny\n", Some("it says DENY")),
            ("a\nDENY: b", Some("it says DENY")),
            ("Blocked: 3 requests", None),
            ("all good", None),
        ] {
            assert_eq!(of_lines(text).map(|denial| denial.said).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn keys_are_folded_to_what_was_meant() {
        for (key, folded) in [
            ("permission_decision", "permissiondecision"),
            ("hookSpecificOutput.permissionDecision", "permissiondecision"),
            (" Decision\u{200b}", "decision"),
            ("a.", "a"),
            ("", ""),
        ] {
            assert_eq!(fold(key), folded, "{key:?}");
        }
    }

    #[test]
    fn a_denial_in_an_unknown_part_is_found_and_data_is_not_read() {
        let cases = [
            (r#"{"PreToolUse":{"decision":"deny"}}"#, Some("`decision` is \"deny\"")),
            (r#"[[{"permissionDecision" : "DENY"}]]"#, Some("`permissionDecision` is \"DENY\"")),
            (r#"{"d":{"\u0064ecision":"\u0064eny"}}"#, Some("`decision` is \"deny\"")),
            (r#"{"decision":false}"#, Some("`decision` is false")),
            (r#"{"continue":false,"decision":"deny"}"#, Some("`decision` is \"deny\"")),
            (r#"{"continue":false}"#, Some("`continue` is false")),
            (r#"{"decision":{"behavior":"deny"}}"#, Some("`behavior` is \"deny\"")),
            (r#"{"updated_input":{"decision":"deny"},"tool_input":[{"decision":"deny"}]}"#, None),
            (r#"{"updated_input":{"decision":"a"},"x":{"decision":"deny"}}"#, Some("`decision` is \"deny\"")),
            (r#"{"log":"{\"decision\":\"deny\"}"}"#, None),
            (r#"["decision","deny"]"#, None),
            (r#"{"decision":"allow","n":1,"x":[]}"#, None),
            (r#"{"decision":null,"reason":"deny"}"#, None),
        ];
        for (json, expected) in cases {
            assert_eq!(in_json(json).map(|denial| denial.said).as_deref(), expected, "{json}");
        }
    }

    #[test]
    fn a_denial_in_a_broken_text_is_found() {
        let found = [
            (r#"{"decision":"deny","reason":"echo "hi""}"#, r#"`decision` is "deny""#),
            (r#"{"decision":"deny"}{"decision":"allow"}"#, r#"`decision` is "deny""#),
            (r#"[{"decision":"deny"}]"#, r#"`decision` is "deny""#),
            ("log: started\n{\"decision\":\"deny\"}", r#"`decision` is "deny""#),
            (r#""{\"decision\":\"deny\"}""#, r#"`decision` is "deny""#),
            (r#"{"decision":"deny"#, r#"`decision` is "deny""#),
            (r#"{"decision":"den"#, r#"`decision` is "den""#),
            (r#"{"decision":["deny"]"#, r#"`decision` is "deny""#),
            ("{'decision':'deny'}", r#"`decision` is "deny""#),
            ("{decision: deny}", "`decision` is deny"),
            ("decision: deny", "`decision` is deny"),
            ("**decision**: **deny**", "`decision` is deny"),
            ("decision = \"deny\"", r#"`decision` is "deny""#),
            ("d\0e\0c\0i\0s\0i\0o\0n\0\"\0:\0\"\0d\0e\0n\0y\0\"\0", r#"`decision` is "deny""#),
            (r#"{"\u0064ecision":"deny" x"#, r#"`decision` is "deny""#),
            (r#"{"hookSpecificOutput":{"permissionDecision":"deny"#, r#"`permissionDecision` is "deny""#),
            (r#"x {"continue": false"#, "`continue` is false"),
            (r#"x {"halt": true}"#, "`halt` is true"),
            (r#"{"allow": false, "reason": "#, "`allow` is false"),
        ];
        for (text, expected) in found {
            assert_eq!(in_text(text, Keys::Envelope).map(|denial| denial.said).as_deref(), Some(expected), "{text}");
        }
        let none = [
            "",
            "all good",
            "decision: deny list loaded",
            r#"{"decision":"allow"} {"decision":"ask"}"#,
            r#"{"reason":"deny" "decision":"allow"}"#,
            r#"x {"continue": true} {"halt": false}"#,
            "ok: no problem",
            "allow: 0.9",
            "the decision is to deny",
        ];
        for text in none {
            assert_eq!(in_text(text, Keys::Envelope), None, "{text}");
        }
        assert_eq!(in_text(r#"{"verdict":"deny"} x"#, Keys::Envelope), None);
        let answer = in_text(r#"{"verdict":"deny"} x"#, Keys::Answer);
        assert_eq!(answer.map(|denial| denial.said).as_deref(), Some(r#"`verdict` is "deny""#));
    }

    #[test]
    fn the_reason_of_a_broken_text_is_what_can_be_read_of_it() {
        let text = r#"{"decision":"deny","reason":"no rm: echo "x""}"#;
        assert_eq!(text_of(text, &["permissionDecisionReason", "reason"]).as_deref(), Some("no rm: echo"));
        assert_eq!(text_of("reason: x", &["reason"]), None);
    }

    #[test]
    fn a_long_text_of_signs_costs_no_more_than_its_length() {
        let text = "\"':=".repeat(250_000);
        assert_eq!(in_text(&text, Keys::Answer), None);
        let text = "decision:\"".repeat(100_000);
        assert_eq!(in_text(&text, Keys::Answer), None);
    }
}
