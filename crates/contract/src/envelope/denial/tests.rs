//! Words, lines, values and broken texts that deny, and those that do not.

use super::{Keys, fold, in_json, in_text, is_deny, of_line, of_lines, text_of};

#[test]
fn words_that_deny() {
    for word in [
        "deny", "DENY", " Deny ", "\"deny\"", "deny: no", "**DENY**", "Blocked!", "rejected", "false", "0", "No",
        "deny\0",
    ] {
        assert!(is_deny(word), "{word:?}");
    }
    for word in
        ["", "allow", "ask", "denylist", "deny_list", "not", "none", "null", "no opinion", "undeniable", "10", "true"]
    {
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
