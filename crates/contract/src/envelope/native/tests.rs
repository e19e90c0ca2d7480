//! A deny is never lost in reading.

use proptest::prelude::*;
use serde_json::json;

use crate::decision::Decision;
use crate::envelope::Envelope;
use crate::event_kind::EventKind;

/// `decision halt reason, warnings` or the error.
fn read(stdout: &str) -> String {
    match Envelope::parse(stdout.as_bytes(), EventKind::PreToolUse) {
        Err(error) => format!("error: {error}"),
        Ok(envelope) => {
            let decision = envelope.opinion.decision.map_or("-", Decision::as_str);
            let halt = if envelope.opinion.halt { " halt" } else { "" };
            let reason = envelope.opinion.reason.map(|reason| format!(" {reason}")).unwrap_or_default();
            let warned = if envelope.warnings.is_empty() { "" } else { ", warned" };
            format!("{decision}{halt}{reason}{warned}")
        }
    }
}

fn check(cases: &[(&str, &str)]) {
    let mut wrong = Vec::new();
    for (stdout, expected) in cases {
        let read = read(stdout);
        // An error is only asked for.
        let is_right = if *expected == "error" { read.starts_with("error: ") } else { read == *expected };
        if !is_right {
            wrong.push(format!("{stdout}\n  expected {expected}\n  read     {read}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_strictest_level_counts() {
    check(&[
        (r#"{"decision":"deny","hookSpecificOutput":{}}"#, "deny"),
        (r#"{"decision":"deny","reason":"r","hookSpecificOutput":{"permissionDecision":null}}"#, "deny r"),
        (r#"{"decision":"deny","reason":"r","hookSpecificOutput":{"permissionDecision":""}}"#, "deny r"),
        (r#"{"decision":"deny","hookSpecificOutput":null}"#, "deny"),
        (
            r#"{"decision":"deny","reason":"r","hookSpecificOutput":{"permissionDecision":"allow","permissionDecisionReason":"fine"}}"#,
            "deny r, warned",
        ),
        (
            r#"{"decision":"allow","reason":"fine","hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"r"}}"#,
            "deny r, warned",
        ),
        (r#"{"decision":"ask","hookSpecificOutput":{"permissionDecision":"allow"}}"#, "ask, warned"),
        (r#"{"decision":"allow","hookSpecificOutput":{"permissionDecision":"allow"}}"#, "allow"),
        (r#"{"continue":false,"stopReason":"s","hookSpecificOutput":{"permissionDecision":"allow"}}"#, "allow halt s"),
        (r#"{"halt":true,"hookSpecificOutput":{}}"#, "- halt"),
        (r#"{"permissionDecision":"deny","permissionDecisionReason":"r"}"#, "deny, warned"),
        (r#"{"permission":"deny"}"#, "deny, warned"),
        (r#"{"permission":"ask","decision":"allow"}"#, "ask, warned"),
        (r#"{"permission":"allow"}"#, "-, warned"),
        (r#"{"hookSpecificOutput":{"decision":{"behavior":"deny","message":"m"}}}"#, "deny m, warned"),
        (r#"{"hookSpecificOutput":{"decision":"deny"}}"#, "deny, warned"),
        (r#"{"decision":{"behavior":"deny"}}"#, "deny, warned"),
        (r#"{"decision":["deny"]}"#, "deny, warned"),
        (r#"{"hookSpecificOutput":{"continue":false}}"#, "- halt, warned"),
        (
            r#"{"hookSpecificOutput":[{"permissionDecision":"deny"}]}"#,
            "deny (the hook's output is malformed: `hookSpecificOutput` must be an object, found an array), warned",
        ),
        (
            r#"{"hookSpecificOutput":{"hookEventName":"Stop","permissionDecision":"deny"}}"#,
            "deny (the hook's output is malformed: `hookSpecificOutput.hookEventName` is \"Stop\", and the event is PreToolUse)",
        ),
        (r#"{"hookSpecificOutput":{"hookEventName":"Stop","permissionDecision":"allow"}}"#, "error"),
        (r#"{"PreToolUse":{"decision":"deny"}}"#, "deny, warned"),
        (r#"{"hookSpecificOutput":{"PreToolUse":{"permissionDecision":"deny"}}}"#, "deny, warned"),
        (r#"{"output":[[{"decision":"deny"}]],"decision":"allow"}"#, "deny, warned"),
        (r#"{"later":{"continue":false},"decision":"allow"}"#, "error"),
        (r#"{"allow":false}"#, "deny, warned"),
        (r#"{"ok":false,"decision":"allow"}"#, "deny, warned"),
        (r#"{"block":true}"#, "deny, warned"),
    ]);
}

#[test]
fn of_keys_that_stand_twice_the_strictest_value_counts() {
    check(&[
        (r#"{"decision":"deny","reason":"x","decision":"allow","reason":"y"}"#, "deny x, warned"),
        (r#"{"decision":"allow","decision":"deny"}"#, "deny, warned"),
        (r#"{"decision":"allow","decision":"ask"}"#, "ask, warned"),
        (r#"{"decision":"deny","decision":null}"#, "deny, warned"),
        (r#"{"decision":"deny","decision":""}"#, "deny, warned"),
        (
            r#"{"decision":"deny","decision":7}"#,
            "deny (the hook's output is malformed: `decision` must be a string, found a number), warned",
        ),
        (r#"{"decision":null,"decision":"allow"}"#, "-, warned"),
        (r#"{"decision":"allow","decision":"allow"}"#, "allow"),
        (r#"{"halt":true,"halt":false}"#, "- halt, warned"),
        (r#"{"continue":false,"continue":true}"#, "- halt, warned"),
        (r#"{"\u0064ecision":"deny","decision":"allow"}"#, "deny, warned"),
        (
            r#"{"hookSpecificOutput":{"permissionDecision":"deny"},"hookSpecificOutput":{"permissionDecision":"allow"}}"#,
            "deny, warned",
        ),
        (r#"{"hookSpecificOutput":{"permissionDecision":"deny"},"hookSpecificOutput":{}}"#, "deny, warned"),
        (r#"{"hookSpecificOutput":{"permissionDecision":"deny"},"hookSpecificOutput":null}"#, "deny"),
        (r#"{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecision":"allow"}}"#, "deny, warned"),
        // There is no strictest of what is to be run instead.
        (r#"{"decision":"allow","updated_input":{"command":"ls"},"updated_input":{"command":"rm"}}"#, "error"),
        (
            r#"{"decision":"ask","updated_input":{"a":1},"updated_input":{"a":2}}"#,
            "ask (the hook's output is malformed: `updated_input` stands more than once, with different values)",
        ),
        (r#"{"decision":"allow","updated_input":{"a":1},"updated_input":{"a":1}}"#, "allow"),
    ]);
}

#[test]
fn a_deny_in_another_spelling_denies() {
    check(&[
        (r#"{"decision":" deny "}"#, "deny"),
        (r#"{"decision":"Deny"}"#, "deny"),
        (r#"{"decision":"DENY."}"#, "deny"),
        (r#"{"decision":"blocked"}"#, "deny"),
        (r#"{"decision":"denied"}"#, "deny"),
        (r#"{"decision":"reject"}"#, "deny"),
        (r#"{"decision":"\u0064eny"}"#, "deny"),
        (r#"{"decision":"deny\u0000"}"#, "deny"),
        (r#"{"decision":"deny\ud800"}"#, "deny"),
        (r#"{"decision":false}"#, "deny, warned"),
        (r#"{"decision":0}"#, "deny, warned"),
        (r#"{"decision":"false"}"#, "deny"),
        (r#"{"hookSpecificOutput":{"permissionDecision":"block"}}"#, "deny"),
        (r#"{"continue":"false"}"#, "- halt, warned"),
        (r#"{"continue":0}"#, "- halt, warned"),
        (r#"{"halt":"true"}"#, "- halt, warned"),
        (r#"{"halt":1}"#, "- halt, warned"),
        (r#"{"Decision":"deny"}"#, "deny, warned"),
        (r#"{"DECISION":"deny"}"#, "deny, warned"),
        (r#"{" decision ":"deny"}"#, "deny, warned"),
        (r#"{"Continue":false}"#, "- halt, warned"),
        (r#"{"hook_specific_output":{"permission_decision":"deny"}}"#, "deny, warned"),
        (r#"{"hookSpecificOutput":{"permission_decision":"deny"}}"#, "deny, warned"),
        (r#"{"hookSpecificOutput.permissionDecision":"deny"}"#, "deny, warned"),
        (r#"{"decision":"maybe"}"#, "error"),
        (r#"{"decision":true}"#, "error"),
        (r#"{"decision":"denylist"}"#, "error"),
    ]);
}

#[test]
fn a_key_that_is_near_one_that_decides_is_a_failure() {
    check(&[
        (r#"{"descision":"deny"}"#, "error: `descision` is no field of a hook's output: is it `decision`?"),
        (r#"{"decison":"deny"}"#, "error"),
        (r#"{"desicion":"deny"}"#, "error"),
        (r#"{"decisoin":"deny"}"#, "error"),
        (r#"{"decisions":"maybe"}"#, "error"),
        (r#"{"d\u0435cision":"deny"}"#, "error"),
        (r#"{"Decision":"allow"}"#, "error"),
        (r#"{"descision":"deny","decision":"allow"}"#, "error"),
        (
            r#"{"descision":"x","decision":"deny"}"#,
            "deny (the hook's output is malformed: `descision` is no field of a hook's output: is it `decision`?)",
        ),
        (r#"{"hlat":true}"#, "-"),
        (r#"{"hal":true}"#, "error"),
        (r#"{"halted":true}"#, "error"),
        (r#"{"contine":false}"#, "error"),
        (r#"{"permisionDecision":"deny"}"#, "error"),
        (r#"{"hookSpecificOuput":{"permissionDecision":"allow"}}"#, "error"),
        (r#"{"hookSpecificOutput":{"permissionDescision":"deny"}}"#, "error"),
        (r#"{"decision":"allow","updated_inptu":{"command":"ls"}}"#, "error"),
        (r#"{"decision":"allow","updatedInput":{"command":"ls"}}"#, "error"),
        (r#"{"permisson":"deny"}"#, "error"),
        (r#"{"permissions":"allow"}"#, "-"),
        (r#"{"decide":"deny"}"#, "deny, warned"),
        (r#"{"HookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"r"}}"#, "deny r, warned"),
        (r#"{"cancel":true,"errorMessage":"no"}"#, "deny, warned"),
        (r#"{"blocked":"denied by policy"}"#, "deny, warned"),
        (r#"{"block":"no"}"#, "-"),
        (r#"{"status":"blocked"}"#, "deny, warned"),
        (r#"{"result":"Deny"}"#, "deny, warned"),
        (r#"{"status":0,"result":false,"outcome":"no"}"#, "-"),
        (r#"{"blocked":"Denied: it is not yours"}"#, "deny, warned"),
        (r#"{"status":"rejected - by policy"}"#, "deny, warned"),
        // What tools print.
        (r#"{"cancel":false,"blocked":0,"status":"cancelled"}"#, "-"),
        (r#"{"result":"Block 5 written","response":"Refused to answer? no"}"#, "-"),
        (r#"{"blocked":"blocked list is empty","rejected":"rejected.log","denied":"denied: 0"}"#, "-"),
        (r#"{"status":"failed","result":"ok","effect":"none"}"#, "-"),
        // Of others a warning is enough.
        (r#"{"decision":"deny","reson":"no"}"#, "deny, warned"),
        (r#"{"contxt":"c"}"#, "-, warned"),
        // And what is unknown is ignored, as the contract says.
        (r#"{"_comment":"deny","foo":"deny","decision":"allow"}"#, "allow"),
        (r#"{"version":2,"decision":"allow","later":{"x":1},"precision":3,"revision":7,"session":"s"}"#, "allow"),
        (r#"{"tool_input":{"decision":"deny"},"decision":"allow","permission_mode":"plan","updated_at":1}"#, "allow"),
        (r#"{"context":"{\"decision\":\"deny\"}","reason":"deny","decision":"allow"}"#, "allow deny"),
        (r#"{"updated_input":{"decision":"deny","allow":false}}"#, "-"),
    ]);
}

#[test]
fn a_deny_in_what_is_no_object_denies() {
    let malformed = [
        r#"{"decision":"deny","reason":"echo "hi""}"#,
        r#"{"reason":"a\","decision":"deny"}"#,
        r#"{"reason":"a"},"y":{"b":"","decision":"deny","cmd":"a"}"#,
        r#"[{"decision":"deny"}]"#,
        r#"{}{"decision":"deny"}"#,
        "{\"decision\":\"allow\"}\n{\"decision\":\"deny\"}\n",
        "checking…\n{\"decision\":\"deny\"}",
        "{\"decision\":\"deny\"}\ndone",
        "{\"decision\":\"deny\"}\0",
        r#"{"decision":"deny","reason":"it is"#,
        r#""{\"decision\":\"deny\"}""#,
        "{'decision':'deny'}",
        "{decision:\"deny\"}",
        "{\"decision\":\"deny\",}",
        "// no\n{\"decision\":\"deny\"}",
        "deny",
        "DENY: no rm",
        "\"deny\"",
    ];
    for stdout in malformed {
        let read = read(stdout);
        assert!(read.starts_with("deny ") && read.contains("malformed"), "{stdout}: {read}");
    }
    assert!(
        read("x {\"continue\": false, \"stopReason\": \"s\"}").starts_with("- halt s\n(the hook's output is malformed")
    );
    check(&[
        ("hello", "error"),
        ("{\"decision\":\"allow\"}{}", "error"),
        ("[]", "error"),
        ("[{\"decision\":\"allow\"}]", "error"),
    ]);
}

#[test]
fn huge_and_deep_outputs_are_read_in_a_moment() {
    let started = std::time::Instant::now();
    // Under Wine all of it takes twenty times as long.
    let many = if cfg!(windows) { 5_000 } else { 50_000 };
    let keys: String = (0..many).map(|key| format!("\"noisiced{key}\":\"deny\",")).collect();
    assert_eq!(read(&format!("{{{keys}\"decision\":\"deny\"}}")), "deny");
    let deep = format!("{{\"a\":{}{}{}}}", "{\"a\":[".repeat(many), "{\"decision\":\"deny\"}", "]}".repeat(many));
    assert_eq!(read(&deep), "deny, warned");
    let twice = "\"decision\":\"allow\",".repeat(many);
    assert_eq!(read(&format!("{{{twice}\"decision\":\"deny\"}}")), "deny, warned");
    assert!(started.elapsed() < std::time::Duration::from_secs(60), "it took {:?}", started.elapsed());
}

/// A clear deny or halt as a member of an object.
fn denial() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "\"deny\"",
        "\"DENY\"",
        "\"Deny\"",
        "\" deny \"",
        "\"block\"",
        "\"blocked\"",
        "\"denied\"",
        "\"reject\"",
        "false",
        "0",
        "\"\\u0064eny\"",
    ]);
    let key = prop::sample::select(vec![
        "decision",
        "Decision",
        "permissionDecision",
        "permission_decision",
        "permission",
        "behavior",
        "\\u0064ecision",
    ]);
    let switch =
        prop::sample::select(vec!["\"continue\":false", "\"halt\":true", "\"continue\":\"false\"", "\"halt\":1"]);
    prop_oneof![
        4 => (key, word).prop_map(|(key, word)| format!("\"{key}\":{word}")),
        1 => switch.prop_map(str::to_owned),
    ]
}

/// Members that say something else, or nothing, or what is wrong.
fn noise() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "\"decision\":\"allow\"",
        "\"decision\":null",
        "\"decision\":\"\"",
        "\"decision\":7",
        "\"decision\":\"maybe\"",
        "\"continue\":true",
        "\"halt\":false",
        "\"halt\":\"perhaps\"",
        "\"hookSpecificOutput\":{}",
        "\"hookSpecificOutput\":null",
        "\"hookSpecificOutput\":[]",
        "\"hookSpecificOutput\":{\"permissionDecision\":\"allow\"}",
        "\"hookSpecificOutput\":{\"hookEventName\":\"Stop\",\"permissionDecision\":\"allow\"}",
        "\"permission\":\"allow\"",
        "\"permissionDecision\":\"allow\"",
        "\"reason\":\"fine\"",
        "\"reason\":7",
        "\"context\":{}",
        "\"descision\":\"allow\"",
        "\"allow\":true",
        "\"updated_input\":{\"command\":\"ls\"}",
        "\"updated_input\":{\"command\":\"rm\"}",
        "\"_comment\":\"x\"",
        "\"é\":[1,{\"a\":\"}\"}]",
        "\"version\":\"x\"",
    ])
    .prop_map(str::to_owned)
}

fn shuffled(denial: String, noise: Vec<String>, at: usize) -> String {
    let mut members = noise;
    members.insert(at % (members.len() + 1), denial);
    format!("{{{}}}", members.join(","))
}

/// An output with one clear deny in it, somewhere.
fn output() -> impl Strategy<Value = String> {
    let object = (denial(), prop::collection::vec(noise(), 0..4), 0..8_usize)
        .prop_map(|(denial, noise, at)| shuffled(denial, noise, at));
    let level = prop::sample::select(vec![
        "",
        "hookSpecificOutput",
        "hook_specific_output",
        "PreToolUse",
        "output",
        "decision",
    ]);
    let nested = (object, level, prop::collection::vec(noise(), 0..4), 0..8_usize, any::<bool>()).prop_map(
        |(object, level, noise, at, in_array)| {
            if level.is_empty() {
                return object;
            }
            let value = if in_array { format!("[{object}]") } else { object };
            shuffled(format!("\"{level}\":{value}"), noise, at)
        },
    );
    let around = prop::sample::select(vec![
        ("", ""),
        ("", "\n"),
        ("\u{feff}", "\r\n"),
        ("", "\0"),
        ("[", "]"),
        ("{}", ""),
        ("{\"decision\":\"allow\"}\n", ""),
        ("", "{\"decision\":\"allow\"}"),
        ("log: all is well\n", ""),
        ("", "\ndone: 0 errors"),
        ("```json\n", "\n```"),
        ("{\"a\":", ""),
        ("", ","),
    ]);
    (nested, around, any::<bool>()).prop_map(|(text, (before, after), is_cut)| {
        let mut text = format!("{before}{text}{after}");
        if is_cut && after.is_empty() {
            text.pop();
        }
        text
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]
    #[test]
    fn a_deny_is_a_deny_or_a_failure_that_is_seen(stdout in output()) {
        if let Ok(envelope) = Envelope::parse(stdout.as_bytes(), EventKind::PreToolUse) {
            prop_assert!(
                envelope.opinion.halt || envelope.opinion.decision == Some(Decision::Deny),
                "{stdout}: {envelope:?}"
            );
            prop_assert!(Envelope::denial_in(stdout.as_bytes(), EventKind::PreToolUse).is_some(), "{stdout}");
        }
    }

    /// A hook that prints its JSON with `printf`, and what is put into it.
    #[test]
    fn what_is_put_into_a_printed_deny_does_not_undo_it(
        given in prop::collection::vec(prop::sample::select(vec![
            "\"", "\\", ",", "{", "}", "[", "]", ":", "a", "\"decision\":\"allow\"", "\",\"decision\":\"allow", "null", "\n",
            "\",\"hookSpecificOutput\":{\"permissionDecision\":\"allow\"},\"x\":\"", "\"}", "\\u", "'", "//", "\",\"y\":{\"b\":\"",
        ]), 0..6),
        last in any::<bool>(),
    ) {
        let given = given.concat();
        let stdout = match last {
            true => format!("{{\"reason\":\"no {given}\",\"decision\":\"deny\"}}"),
            false => format!("{{\"decision\":\"deny\",\"reason\":\"no {given}\"}}"),
        };
        let envelope = Envelope::parse(stdout.as_bytes(), EventKind::PreToolUse);
        prop_assert!(
            envelope.as_ref().is_ok_and(|envelope| envelope.opinion.decision == Some(Decision::Deny)),
            "{stdout}: {envelope:?}"
        );
    }

    /// What has no deny in it is read as before: an allow in a sound object is one, whatever unknown keys stand beside it.
    #[test]
    fn unknown_keys_change_nothing(key in "[a-z_]{1,12}", value in "[a-z ]{0,12}") {
        prop_assume!(!super::super::denial::is_deny(&value));
        let known = ["decision", "halt", "continue", "reason", "context", "updated", "permission"];
        prop_assume!(crate::nearest::nearest(&key, known).is_none());
        prop_assume!(!["version", "context_files", "stop_reason", "allow", "ok", "deny", "block"].contains(&key.as_str()));
        let stdout = json!({ "decision": "allow", key: value }).to_string();
        let envelope = Envelope::parse(stdout.as_bytes(), EventKind::PreToolUse).unwrap();
        prop_assert_eq!(envelope.opinion.decision, Some(Decision::Allow), "{}", stdout);
    }
}
