//! Hooks that really run, through both fronts of the runner.
#![allow(clippy::unwrap_used, reason = "test helpers: a panic fails the test")]

use std::path::Path;
use std::time::{Duration, Instant};

use hookshell_runner::{Config, Event, HookConfig, Runner, ToolInput, Verdict};

fn runner(hooks: &str) -> Runner {
    let config = Config::parse(&format!("{{\"hooks\":{{\"PreToolUse\":[{hooks}]}}}}"), "c.json").unwrap();
    Runner::builder().config(config).grace(Duration::from_millis(200)).build().unwrap()
}

fn event(cwd: &Path, input: &str) -> Event {
    Event::pre_tool_use("bash", ToolInput::parse(input).unwrap(), cwd).with_session_id("s1")
}

fn tokio() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap()
}

fn outcomes(verdict: &Verdict) -> Vec<&'static str> {
    verdict.hooks.iter().map(|hook| hook.outcome.as_str()).collect()
}

#[test]
fn what_hooks_say_is_the_same_through_both_fronts() {
    let cases = [
        (r#"{"command":":"}"#, "NoOpinion", 0, None),
        (r#"{"command":"echo no >&2; exit 2"}"#, "Decided", 2, Some("no")),
        (r#"{"command":"echo stop >&2; exit 49"}"#, "Decided", 49, Some("stop")),
        (r#"{"command":"exit 3"}"#, "ExitCode", 0, None),
        (
            r#"{"command":"exit 3","on_failure":"deny","name":"guard"}"#,
            "ExitCode",
            2,
            Some("the hook `guard` failed: exit code 3"),
        ),
        (r#"{"command":"echo hello"}"#, "BadEnvelope", 0, None),
        (r#"{"command":"echo '{\"decision\":\"deny\",\"reason\":\"no\"}'"}"#, "Decided", 2, Some("no")),
        (r#"{"command":"no-such-program-anywhere"}"#, "NotFound", 0, None),
        (r#"{"command":"./no-such-file.sh"}"#, "NotFound", 0, None),
        (r#"{"command":"[ \"$CRUSH_TOOL_INPUT_COMMAND\" = 'a b' ] || exit 2"}"#, "NoOpinion", 0, None),
        (r#"{"command":"[ \"$CRUSH$AGENT$AI_AGENT\" = 1crushcrush ] || exit 2"}"#, "NoOpinion", 0, None),
        (
            r#"{"command":"read -r line; case $line in *'\"tool_input\":{\"command\":\"a b\",\"n\":1.50}}') ;; *) exit 2 ;; esac"}"#,
            "NoOpinion",
            0,
            None,
        ),
    ];
    let cwd = tempfile::tempdir().unwrap();
    let event = event(cwd.path(), r#"{"command":"a b","n":1.50}"#);
    for (hook, outcome, code, reason) in cases {
        let runner = runner(hook);
        for verdict in [runner.run_blocking(&event), tokio().block_on(runner.run(&event))] {
            let shown = verdict.to_json();
            assert_eq!(outcomes(&verdict), [outcome], "{hook}: {shown}");
            assert_eq!(verdict.exit_code(), code, "{hook}: {shown}");
            assert_eq!(verdict.opinion.reason.as_deref(), reason, "{hook}: {shown}");
        }
    }
}

#[test]
fn a_syntax_error_denies_with_its_place() {
    let cwd = tempfile::tempdir().unwrap();
    let verdict = runner(r#"{"command":"if true; then"}"#).run_blocking(&event(cwd.path(), "{}"));
    assert_eq!(verdict.exit_code(), 2, "{}", verdict.to_json());
    assert_eq!(
        verdict.opinion.reason.as_deref(),
        Some("bash: -c: line 2: syntax error: unexpected end of file in `if' opened on line 1 (expected a command)"),
        "{}",
        verdict.to_json()
    );
}

#[test]
fn a_timeout_is_no_opinion_and_holds_nobody() {
    let cwd = tempfile::tempdir().unwrap();
    let runner = runner(r#"{"command":"while :; do :; done","timeout":0.2},{"command":"exit 2"}"#);
    let start = Instant::now();
    let verdict = runner.run_blocking(&event(cwd.path(), "{}"));
    assert!(start.elapsed() < Duration::from_secs(10));
    assert_eq!(outcomes(&verdict), ["TimedOut", "Decided"], "{}", verdict.to_json());
    assert_eq!(verdict.exit_code(), 2);
}

#[test]
fn dropping_the_future_ends_the_hooks() {
    let cwd = tempfile::tempdir().unwrap();
    let runner = runner(r#"{"command":"echo > began; sleep 2; echo > ended"}"#);
    tokio().block_on(async {
        let run = runner.run(&event(cwd.path(), "{}"));
        assert!(tokio::time::timeout(Duration::from_millis(700), run).await.is_err());
    });
    std::thread::sleep(Duration::from_secs(3));
    assert!(cwd.path().join("began").exists());
    assert!(!cwd.path().join("ended").exists());
}

#[test]
fn ten_hooks_run_at_the_same_time() {
    let cwd = tempfile::tempdir().unwrap();
    let mut config = Config::default();
    for index in 0..10 {
        // Each waits until all ten are there: one after another they would never end.
        let command = format!(
            "echo > here.{index}; until [ -e here.0 ] && [ -e here.1 ] && [ -e here.2 ] && [ -e here.3 ] && [ -e here.4 \
             ] && [ -e here.5 ] && [ -e here.6 ] && [ -e here.7 ] && [ -e here.8 ] && [ -e here.9 ]; do sleep 0.01; \
             done; echo '{{\"context\":\"{index}\"}}'"
        );
        config.push(HookConfig::new("PreToolUse".parse().unwrap(), command));
    }
    let runner = Runner::builder().config(config).build().unwrap();
    let verdict = tokio().block_on(runner.run(&event(cwd.path(), "{}")));
    assert_eq!(verdict.context().as_deref(), Some("0\n1\n2\n3\n4\n5\n6\n7\n8\n9"), "{}", verdict.to_json());
}

#[test]
fn a_host_may_call_from_a_small_stack() {
    let cwd = tempfile::tempdir().unwrap();
    let event = event(cwd.path(), r#"{"command":"rm -rf /"}"#);
    let runner =
        runner(r#"{"command":"case $CRUSH_TOOL_INPUT_COMMAND in rm*) echo \"$(echo no)\" >&2; exit 2 ;; esac"}"#);
    let thread = std::thread::Builder::new().stack_size(512 * 1024);
    let verdict = thread.spawn(move || runner.run_blocking(&event)).unwrap().join().unwrap();
    assert_eq!(verdict.opinion.reason.as_deref(), Some("no"), "{}", verdict.to_json());
}
