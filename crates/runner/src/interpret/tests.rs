use std::time::Duration;

use hookshell_dispatch::{Dropped, End, Outcome, StartFailureKind};

use super::message::telling_line;
use super::{Allowed, interpret};
use crate::config::{HookConfig, OnFailure};
use crate::event::Event;
use crate::event_kind::EventKind;
use crate::tool_input::ToolInput;
use crate::work::Completion;
use crate::work::ends::{missing_fi, not_started};

#[test]
fn the_line_that_says_most_is_taken() {
    let jq = "jq: error: foo/0 is not defined at <top-level>, line 1:\n.x | foo     \njq: 1 compile error";
    let two = "jq: error: a/0 is not defined at <top-level>, line 1:\na |\njq: error: b/0 is not defined at <top-level>, line 2:\nb\njq: 2 compile errors";
    let node = "file:///x.mjs:1\nfoo()\n^\n\nReferenceError: foo is not defined\n    at file:///x.mjs:1:1\n    at run (node:internal:1:2)\n\nNode.js v22.1.0";
    let module = "node:internal/modules/cjs/loader:1\n  throw err;\n  ^\n\nError: Cannot find module '/x.js'\n    at a (b:1:2) {\n  code: 'MODULE_NOT_FOUND',\n  requireStack: []\n}\n\nNode.js v22.1.0";
    let cases = [
        (jq, "jq: error: foo/0 is not defined at <top-level>, line 1: `.x | foo`"),
        (two, "jq: error: b/0 is not defined at <top-level>, line 2: `b`"),
        ("jq: error: x at <top-level>, line 1:\njq: 1 compile error", "jq: error: x at <top-level>, line 1"),
        ("jq: error: x at <top-level>, line 1:\r\n\r\njq: 1 compile error\r\n", "jq: error: x at <top-level>, line 1"),
        (node, "ReferenceError: foo is not defined"),
        (module, "Error: Cannot find module '/x.js'"),
        ("Traceback (most recent call last):\n  x\nValueError: 1", "ValueError: 1"),
        ("a\nb", "b"),
        ("a\n}", "a"),
        ("jq: 1 compile error", "jq: 1 compile error"),
        ("", ""),
    ];
    for (text, expected) in cases {
        assert_eq!(telling_line(text), expected, "{text}");
    }
}

const CUT: Dropped = Dropped { stdout: 1, stderr: 0 };

fn ran(end: End, status: u8, stdout: &str, stderr: &str) -> Outcome {
    Outcome { status, stdout: stdout.into(), stderr: stderr.into(), ..Outcome::ended(end, Duration::ZERO) }
}

/// `outcome decision halt exit_code reason`.
fn show(ran: Outcome) -> String {
    let hook = HookConfig::new(EventKind::PreToolUse, "./guard.sh");
    let allowed = Allowed { timeout: Duration::from_millis(1500), output_limit: 100 };
    let result =
        interpret(&hook, &Event::pre_tool_use("bash", ToolInput::default(), "/"), allowed, Completion::Ran(ran));
    format!(
        "{} {} {} {} {}",
        result.outcome.as_str(),
        result.opinion.decision.map_or("-", |decision| decision.as_str()),
        if result.opinion.halt { "halt" } else { "-" },
        result.exit_code.map_or("-".to_owned(), |code| code.to_string()),
        result.opinion.reason.as_deref().unwrap_or("-")
    )
}

#[test]
fn every_end_says_why() {
    use End::*;
    use StartFailureKind::{NotExecutable, NotFound, Spawn};
    let text = |text: &str| text.to_owned();
    let cut = Outcome { dropped: CUT, ..ran(Exited, 0, "{}", "") };
    let cut_deny = Outcome { dropped: CUT, ..ran(Exited, 2, "x", "no") };
    let cut_halt = Outcome { dropped: CUT, ..ran(Exited, 49, "x", "stop") };
    let cases = [
        (ran(Exited, 0, "", "log line"), "NoOpinion - - 0 -"),
        (ran(Exited, 0, "{}", ""), "NoOpinion - - 0 -"),
        (ran(Exited, 0, r#"{"decision":"allow","reason":"ok"}"#, ""), "Decided allow - 0 ok"),
        (ran(Exited, 0, r#"{"decision":"deny"}"#, ""), "Decided deny - 0 -"),
        (ran(Exited, 0, r#"{"context":"c"}"#, ""), "Decided - - 0 -"),
        (ran(Exited, 0, r#"{"updated_input":{"a":1}}"#, ""), "Decided - - 0 -"),
        (
            ran(Exited, 0, "hello", ""),
            "BadEnvelope - - 0 stdout must be empty or one JSON object, found `hello` (expected value at line 1 column \
             1); print other output to stderr",
        ),
        (cut, "OutputLimit - - 0 printed more than 100 bytes to stdout"),
        (ran(Exited, 2, r#"{"decision":"allow"}"#, " no way \r\n"), "Decided deny - 2 no way"),
        (
            ran(Exited, 2, "", " \n"),
            "Decided deny - 2 the hook `./guard.sh` denied the call and gave no reason (exit code 2, nothing on stderr)",
        ),
        (cut_deny, "Decided deny - 2 no"),
        (ran(Exited, 49, r#"{"decision":"allow"}"#, "stop\nnow\n"), "Decided - halt 49 stop\nnow"),
        (
            ran(Exited, 49, "", ""),
            "Decided - halt 49 the hook `./guard.sh` halted the turn and gave no reason (exit code 49, nothing on stderr)",
        ),
        (cut_halt, "Decided - halt 49 stop"),
        (ran(Exited, 1, r#"{"decision":"deny"}"#, ""), "ExitCode - - 1 exit code 1"),
        (ran(Exited, 1, "", "Traceback\nKeyError: 'x'\n"), "ExitCode - - 1 exit code 1: KeyError: 'x'"),
        (ran(Exited, 127, "", "sh: jq: not found\n"), "NotFound - - 127 not found: sh: jq: not found"),
        (
            ran(Exited, 127, "", "bash: line 1: X: unbound variable\n"),
            "ExitCode - - 127 exit code 127: bash: line 1: X: unbound variable",
        ),
        (ran(Exited, 126, "", "x: denied"), "NotExecutable - - 126 cannot be run: x: denied"),
        (ran(Exited, 127, "", ""), "ExitCode - - 127 exit code 127"),
        (ran(missing_fi(), 2, "", ""), "Decided deny - 2 1:1: syntax error near unexpected token `x' (expected `fi`)"),
        (ran(missing_fi(), 2, "{}", "hook: line 1: expected `fi`\n"), "Decided deny - 2 hook: line 1: expected `fi`"),
        (ran(Signaled(9), 137, "", ""), "Signaled - - - killed by signal 9"),
        (ran(TimedOut, 2, "", "no"), "TimedOut - - - timed out after 1.5 s"),
        (ran(Cancelled, 0, "", ""), "Cancelled - - - cancelled"),
        (ran(not_started(NotFound, "./a.sh"), 127, "", ""), "NotFound - - 127 not found: c: ./a.sh"),
        (
            ran(not_started(NotExecutable, "a directory"), 126, "", ""),
            "NotExecutable - - 126 cannot be run: c: a directory",
        ),
        (ran(not_started(Spawn, "E2BIG"), 126, "", ""), "Spawn - - 126 could not be started: c: E2BIG"),
        (
            ran(StatusLost, 0, "{}", ""),
            "StatusLost - - - its exit status was lost: the host process reaps all children",
        ),
        (ran(Panicked, 0, "", ""), "Panicked - - - internal error: a thread panicked"),
        (ran(LimitExceeded(text("call depth")), 2, "", ""), "LimitExceeded - - - reached a limit: call depth"),
    ];
    for (ran, expected) in cases {
        let what = format!("{ran:?}");
        assert_eq!(show(ran), expected, "{what}");
    }
}

#[test]
fn a_deny_that_does_not_count_is_told_of() {
    let warned = |event: EventKind, ran: Outcome| {
        let hook = HookConfig::new(event, "./guard.sh");
        let allowed = Allowed { timeout: Duration::from_millis(1500), output_limit: 100 };
        let result =
            interpret(&hook, &Event::other(event, Some("bash".to_owned()), "/"), allowed, Completion::Ran(ran));
        format!("{} {}", result.outcome.as_str(), result.warnings.join("; "))
    };
    let deny = r#"{"decision":"deny"}"#;
    let ignored = "standard output is read where the exit code is 0, so this is ignored:";
    let cases = [
        (EventKind::PreToolUse, ran(End::Exited, 1, deny, ""), format!("ExitCode {ignored} `decision` is \"deny\"")),
        (
            EventKind::PreToolUse,
            ran(End::Exited, 1, "{\"halt\":true}", ""),
            format!("ExitCode {ignored} `halt` is true"),
        ),
        (
            EventKind::PreToolUse,
            ran(End::Exited, 1, "x {\"decision\":\"deny", ""),
            format!("ExitCode {ignored} `decision` is \"deny\""),
        ),
        (EventKind::PreToolUse, ran(End::TimedOut, 0, deny, ""), format!("TimedOut {ignored} `decision` is \"deny\"")),
        (
            EventKind::PreToolUse,
            ran(End::Signaled(9), 137, deny, ""),
            format!("Signaled {ignored} `decision` is \"deny\""),
        ),
        (EventKind::PreToolUse, ran(End::Exited, 1, r#"{"decision":"allow"}"#, ""), "ExitCode ".to_owned()),
        (EventKind::PreToolUse, ran(End::Exited, 2, deny, "no"), "Decided ".to_owned()),
        (EventKind::PreToolUse, ran(End::Exited, 0, deny, ""), "Decided ".to_owned()),
        // What else it says counts.
        (
            EventKind::PostToolUse,
            ran(End::Exited, 0, r#"{"decision":"deny","updated_result":"x"}"#, ""),
            "Decided PostToolUse blocks nothing, so this is ignored: `decision` is \"deny\"".to_owned(),
        ),
        (
            EventKind::SessionStart,
            ran(End::Exited, 0, deny, ""),
            "NoOpinion SessionStart blocks nothing, so this is ignored: `decision` is \"deny\"".to_owned(),
        ),
    ];
    for (event, ran, expected) in cases {
        let what = format!("{event} {ran:?}");
        assert_eq!(warned(event, ran), expected, "{what}");
    }
}

#[test]
fn a_deny_in_output_that_was_cut_off_denies() {
    let cut = |stdout: &str| show(Outcome { dropped: CUT, ..ran(End::Exited, 0, stdout, "") });
    let denied = cut(r#"{"decision":"deny","reason":"no rm","context":"xxxx"#);
    assert!(denied.starts_with("Decided deny - 0 no rm\n(the hook's output is malformed, and"), "{denied}");
    assert!(denied.ends_with("printed more than 100 bytes to stdout)"), "{denied}");
    assert_eq!(cut(r#"{"decision":"allow""#), "OutputLimit - - 0 printed more than 100 bytes to stdout");
}

#[test]
fn a_deny_in_any_encoding_denies() {
    let printed = |stdout: &[u8]| show(Outcome { stdout: stdout.into(), ..ran(End::Exited, 0, "", "") });
    let deny = r#"{"decision":"deny"}"#;
    let little: Vec<u8> = deny.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let wide: Vec<u8> = deny.bytes().flat_map(|byte| [byte, 0, 0, 0]).collect();
    for stdout in [
        [b"\xef\xbb\xbf", deny.as_bytes(), b"\r\n"].concat(),
        little.clone(),
        [b"\xff\xfe", &little[..]].concat(),
        [b"\xff\xfe\0\0", &wide[..]].concat(),
        // A program of Windows' after a line of another one.
        [b"log: x\n", &little[..]].concat(),
        [deny.as_bytes(), b"\0"].concat(),
        b"{\"reason\":\"\xff\xfe\",\"decision\":\"deny\"}".to_vec(),
        b"{\"decision\":\"deny\",\"\xff\":1}".to_vec(),
        b"{\"deci\xffsion\":\"deny\"}".to_vec(),
    ] {
        assert!(printed(&stdout).starts_with("Decided deny"), "{:?}", String::from_utf8_lossy(&stdout));
    }
    assert!(printed(b"{\"dexi\xffsion\":\"deny\"}").starts_with("BadEnvelope"));
}

#[test]
fn a_failure_denies_only_what_can_be_blocked() {
    for (event, expected) in [
        (EventKind::PreToolUse, OnFailure::Deny),
        (EventKind::Stop, OnFailure::Deny),
        (EventKind::PostToolUse, OnFailure::Ignore),
        (EventKind::SessionStart, OnFailure::Ignore),
    ] {
        let mut hook = HookConfig::new(event, "x");
        hook.on_failure = OnFailure::Deny;
        assert_eq!(super::report(&hook).on_failure, expected, "{event}");
    }
}

#[test]
fn what_is_not_utf8_loses_no_decision() {
    let printed = |stdout: &[u8]| show(Outcome { stdout: stdout.into(), ..ran(End::Exited, 0, "", "") });
    assert_eq!(printed(b"{\"decision\":\"deny\",\"reason\":\"d\xe9fense\"}"), "Decided deny - 0 d\u{fffd}fense");
    assert_eq!(printed(b"{\"halt\":true,\"reason\":\"\xff\"}"), "Decided - halt 0 \u{fffd}");
    assert_eq!(printed(b"{\"context\":\"caf\xe9\"}"), "Decided - - 0 -");
    // A command that is not what the hook wrote must not run.
    let updated = b"{\"updated_input\":{\"command\":\"cat caf\xe9\"}}";
    let error = "BadEnvelope - - 0 stdout is not UTF-8: invalid utf-8 sequence of 1 bytes from index 36";
    assert_eq!(printed(updated), error);
    let asked = b"{\"decision\":\"ask\",\"reason\":\"d\xe9\",\"updated_input\":{\"command\":\"ls\"}}";
    assert_eq!(printed(asked), "Decided ask - 0 d\u{fffd}");
}

#[test]
fn the_tail_of_stderr_begins_with_a_line() {
    let line = format!("{}\n", "é".repeat(500));
    let tail = super::tail(line.repeat(20).as_bytes());
    assert_eq!(tail, format!("…{}", line.repeat(4)));
    let one_line = super::tail("é".repeat(5000).as_bytes());
    assert_eq!(one_line, format!("…{}", "é".repeat(2048)));
    assert_eq!(super::tail(b"short\n"), "short\n");
}
