//! Deep nesting and scripts without an end: each gives a result with a reason in its time, and the host lives.

use std::time::{Duration, Instant};

use hookshell_test_support::{MAX_WAIT, within};
use hookshell_tests::contract::in_own_process;
use serde_json::{Value, json};

use crate::place;

/// What it is, the command, and how it may come out.
type Case = (&'static str, String, &'static [&'static str]);

const LIMIT: &[&str] = &["LimitExceeded"];
/// A slow machine (or a debug build) may not come to the limit in time.
const LIMIT_OR_TIME: &[&str] = &["LimitExceeded", "TimedOut"];
/// The limit ends one built-in, which says so.
const LIMIT_OR_ERROR: &[&str] = &["LimitExceeded", "ExitCode"];
/// A syntax error is a decision: it denies.
const SYNTAX: &[&str] = &["Decided"];
const TIME: &[&str] = &["TimedOut"];

fn deep(open: &str) -> String {
    open.repeat(100_000)
}

/// Runs the cases as hooks of one event; `seconds` is their timeout.
fn check(cases: &[Case], seconds: f64) {
    let place = place();
    let hooks: Vec<Value> =
        cases.iter().map(|(what, command, _)| json!({"name": what, "command": command, "timeout": seconds})).collect();
    let runner = place.runner(&hooks);
    let event = place.event(&json!({"command": "ls"}));
    let start = Instant::now();
    let verdict = within(MAX_WAIT * 2, "runaway scripts", move || runner.run_blocking(&event));
    // The timeout, the grace, and what a busy machine adds.
    assert!(start.elapsed() < Duration::from_secs_f64(seconds + 20.0), "{:?}", start.elapsed());
    assert_eq!(verdict.hooks.len(), cases.len());
    let mut wrong = Vec::new();
    for (hook, (what, _, expected)) in verdict.hooks.iter().zip(cases) {
        let outcome = hook.outcome.as_str();
        let why = hook.opinion.reason.as_deref().unwrap_or_default();
        let shown: String = why.chars().take(120).collect();
        if !expected.contains(&outcome) || (why.is_empty() && outcome != "NoOpinion") {
            wrong.push(format!("{what}: {outcome} in {:?}: {shown}", hook.elapsed));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn nesting_without_an_end_is_an_error_and_no_crash() {
    in_own_process("runaway::nesting_without_an_end_is_an_error_and_no_crash", || {
        let cases: &[Case] = &[
            ("a function without an end", "f(){ f;}; f".into(), LIMIT),
            ("two of them", "f(){ g;}; g(){ f;}; g".into(), LIMIT),
            ("a function in a substitution", "f(){ x=$(f);}; f".into(), &["LimitExceeded", "TimedOut", "NoOpinion"]),
            ("parentheses", deep("("), SYNTAX),
            ("subshells", deep("( "), SYNTAX),
            ("closed subshells", format!("{}:{}", deep("( "), deep(" )")), SYNTAX),
            ("braces", deep("{ "), SYNTAX),
            ("substitutions", deep("$( "), SYNTAX),
            ("quoted substitutions", deep("\"$( "), SYNTAX),
            ("parameters", format!("echo {}", deep("${a:-")), SYNTAX),
            ("arithmetic", format!("echo $(({}", deep("(")), SYNTAX),
            ("ifs", deep("if "), SYNTAX),
            ("conditions", format!("[[ {} a ]]", deep("( ")), SYNTAX),
            ("cases", deep("case a in a) "), SYNTAX),
            ("here-documents in substitutions", "cat <<E\n$(".repeat(5_000), SYNTAX),
            ("eval", "f='eval \"$f\"'; eval \"$f\"".into(), LIMIT),
            ("a sourced file", "echo '. ./self.sh' > self.sh; . ./self.sh".into(), LIMIT_OR_TIME),
            ("many in the background", ": & ".repeat(5_000), &["NoOpinion", "LimitExceeded"]),
            ("many pipeline stages", format!(":{}", " | :".repeat(5_000)), &["NoOpinion", "LimitExceeded"]),
            ("a chain of signs", format!("echo $(( {} 1 ))", "- ".repeat(100_000)), &["ExitCode", "Decided"]),
            ("many negations", format!("{}:", "! ".repeat(100_000)), &["NoOpinion", "Decided"]),
            ("a long list", ":;".repeat(50_000), &["NoOpinion"]),
            ("a long word", format!(": {}", "a".repeat(3_000_000)), &["NoOpinion"]),
        ];
        for case in cases {
            check(std::slice::from_ref(case), 10.0);
        }
    });
}

#[test]
fn growth_without_an_end_is_an_error_and_no_crash() {
    in_own_process("runaway::growth_without_an_end_is_an_error_and_no_crash", || {
        let cases: &[Case] = &[
            ("a range of words", "echo {1..1000000000}".into(), LIMIT),
            ("a product of words", format!("echo {}", "{a,b,c,d,e,f,g,h}".repeat(12)), LIMIT),
            ("a value that doubles", "x=aaaaaaaa; while :; do x=$x$x; done".into(), LIMIT_OR_TIME),
            (
                "a value that doubles in a substitution",
                "x=aaaaaaaa; while :; do x=$(echo $x$x); done".into(),
                &["LimitExceeded", "TimedOut"],
            ),
            ("a replacement that grows", "x=aaaaaaaa; while :; do x=${x//a/aaaaaaaa}; done".into(), LIMIT_OR_TIME),
            ("a width", "printf %999999999d 1".into(), LIMIT_OR_ERROR),
            ("a width of a value", "printf -v x %999999999d 1".into(), LIMIT_OR_ERROR),
            ("a precision", "printf %.999999999f 1".into(), LIMIT_OR_ERROR),
            ("eval that grows", "f='f=\"$f;$f\"; eval \"$f\"'; eval \"$f\"".into(), &["LimitExceeded", "TimedOut"]),
            ("an endless line", "tool zeros 99999999999 | read x".into(), &["TimedOut", "LimitExceeded", "ExitCode"]),
            (
                "an endless line without pipe",
                "tool zeros 99999999999 | { read -r x; exit 3; }".into(),
                &["TimedOut", "LimitExceeded", "ExitCode"],
            ),
            ("an endless captured output", "x=$(tool yes)".into(), &["TimedOut", "LimitExceeded"]),
            ("a bomb of pipelines", "f(){ f | f; }; f".into(), &["LimitExceeded", "TimedOut", "NoOpinion", "ExitCode"]),
            (
                "a bomb of background lists",
                "f(){ f & f & }; f; wait".into(),
                &["LimitExceeded", "TimedOut", "NoOpinion", "ExitCode"],
            ),
        ];
        // One after another: each may take what one run may.
        for case in cases {
            check(std::slice::from_ref(case), 3.0);
        }
    });
}

#[test]
fn scripts_without_an_end_are_ended_all_at_once() {
    in_own_process("runaway::scripts_without_an_end_are_ended_all_at_once", || {
        let cases: &[Case] = &[
            ("a loop", "while :; do :; done".into(), TIME),
            ("an arithmetic loop", "for ((;;)); do :; done".into(), TIME),
            ("a loop of programs", "while :; do tool say y > /dev/null; done".into(), TIME),
            ("a loop of subshells", "while (:); do x=$(:); done".into(), TIME),
            ("a loop in a pipeline", "while :; do :; done | cat | while :; do :; done".into(), TIME),
            ("a loop in a function in a trap", "trap 'while :; do :; done' EXIT; exit 3".into(), TIME),
            ("a loop that ignores TERM", "trap '' TERM; while :; do :; done".into(), TIME),
            ("a loop that catches TERM", "trap ': ' TERM; while :; do sleep 10; done".into(), TIME),
            ("an endless output", "tool yes".into(), TIME),
            ("an endless output of a builtin", "while :; do echo yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy; done".into(), TIME),
            ("a program that never reads", "while :; do echo yyyyyyyy; done | tool sleep 60000".into(), TIME),
            ("a read that nobody writes", "tool sleep 60000 | read x".into(), TIME),
            (
                "many programs in the background",
                "i=0; while [ $i -lt 20 ]; do tool sleep 60000 & i=$((i + 1)); done; wait".into(),
                TIME,
            ),
        ];
        check(cases, 3.0);
    });
}

#[test]
fn extreme_numbers_are_no_crash() {
    in_own_process("runaway::extreme_numbers_are_no_crash", || {
        let cases: &[Case] = &[
            ("a division by 0", "echo $((1 / 0))".into(), &["ExitCode"]),
            (
                "the smallest number by -1",
                "echo $(( (-9223372036854775807 - 1) / -1 )) $(( (-9223372036854775807 - 1) % -1 ))".into(),
                &["BadEnvelope"],
            ),
            (
                "a shift and a power",
                "echo $((1 << 9999999999)) $((2 ** 9999999999999)) ".into(),
                &["BadEnvelope", "ExitCode"],
            ),
            (
                "a slice beyond the end",
                "x=abc; : ${x:9223372036854775807:9223372036854775807} ${x: -9223372036854775807}".into(),
                &["NoOpinion"],
            ),
            (
                "a large index",
                "a[9223372036854775807]=x; a[4611686018427387904]=y; : ${#a[@]}".into(),
                &["NoOpinion", "ExitCode"],
            ),
            (
                "a pattern that backtracks",
                format!("case {} in {}b) exit 2;; esac", "a".repeat(3_000), "*a".repeat(60)),
                &["NoOpinion", "TimedOut"],
            ),
        ];
        check(cases, 10.0);
    });
}
