//! Variables that hooks set for their session.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a panic fails the test")]

use std::path::Path;

use hookshell_runner::{Config, Dialect, Event, Runner, RunnerBuilder, ToolInput, Verdict};
use serde_json::{Value, json};

fn config(dialect: Dialect, hooks: &Value) -> Config {
    let mut config = Config::in_dialect(Some(dialect));
    let errors = config.add(&json!({ "version": 1, "hooks": hooks }).to_string(), "hooks.json");
    assert!(errors.is_empty(), "{errors:?}");
    config
}

fn builder(dialect: Dialect, hooks: &Value) -> RunnerBuilder {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let env = [("PATH", path), ("BASE", "base".into())];
    Runner::builder().config(config(dialect, hooks)).env(env)
}

fn start(session: &str) -> Event {
    Event::session_start("startup", std::env::temp_dir()).with_session_id(session)
}

fn call(session: &str) -> Event {
    Event::pre_tool_use("bash", ToolInput::default(), std::env::temp_dir()).with_session_id(session)
}

fn env(verdict: &Verdict) -> Vec<(&str, &str)> {
    let mut env: Vec<_> = verdict.opinion.env.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    env.sort_unstable();
    env
}

/// Denies, and says what it sees.
fn sees(variable: &str) -> String {
    format!("echo \"sees ${{{variable}-nothing}}\" >&2; exit 2")
}

#[test]
fn cursors_hooks_print_them() {
    let hooks = json!({
        "sessionStart": [
            { "command": "echo '{\"env\":{\"FOO\":\"one\",\"BAR\":\"b\"}}'" },
            { "command": "echo '{\"env\":{\"FOO\":\"two\",\"CRUSH_EVENT\":\"x\"}}'" },
        ],
        "preToolUse": [{ "command": sees("FOO") }],
        "sessionEnd": [{ "command": format!("echo \"{{\\\"additional_context\\\":\\\"$FOO\\\"}}\"") }],
    });
    let runner = builder(Dialect::Cursor, &hooks).build().unwrap();
    let verdict = runner.run_blocking(&start("s"));
    assert_eq!(env(&verdict), [("BAR", "b"), ("CRUSH_EVENT", "x"), ("FOO", "two")]);
    assert!(verdict.to_json().contains(r#""env":{"BAR":"b","CRUSH_EVENT":"x","FOO":"two"}"#), "{}", verdict.to_json());
    assert_eq!(verdict.hooks[0].outcome.as_str(), "Decided");
    let rendered: Value = serde_json::from_str(&verdict.render(Dialect::Cursor).stdout).unwrap();
    assert_eq!(rendered["env"]["FOO"], "two");

    assert_eq!(runner.run_blocking(&call("s")).opinion.reason.as_deref(), Some("sees two"));
    assert_eq!(runner.run_blocking(&call("t")).opinion.reason.as_deref(), Some("sees nothing"));
    let end = Event::session_end("other", std::env::temp_dir()).with_session_id("s");
    assert_eq!(runner.run_blocking(&end).context().as_deref(), Some("two"));
    assert_eq!(runner.run_blocking(&call("s")).opinion.reason.as_deref(), Some("sees nothing"));

    let wrong = json!({ "sessionStart": [{ "command": "echo '{\"env\":{\"A\":1}}'" }] });
    let verdict = builder(Dialect::Cursor, &wrong).build().unwrap().run_blocking(&start("s"));
    assert_eq!(verdict.hooks[0].outcome.as_str(), "BadEnvelope");
}

#[test]
fn claude_codes_hooks_write_them_into_a_file() {
    let group = |command: &str| json!([{ "hooks": [{ "type": "command", "command": command }] }]);
    let hooks = json!({
        "SessionStart": group(
            "printf '%s\\n' 'export FOO=one' 'export LONGER=\"$BASE/x\"' 'PLAIN=\"a b\"' 'declare -x LINES2=\"1\n2\"' >>\"$CLAUDE_ENV_FILE\"\n\
             echo \"$CLAUDE_ENV_FILE\"",
        ),
        "PreToolUse": group("echo \"sees $FOO, $PLAIN, ${CLAUDE_ENV_FILE-no file}\" >&2; exit 2"),
    });
    let tokio = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    for is_async in [false, true] {
        let runner = builder(Dialect::Claude, &hooks).build().unwrap();
        let run = |event: &Event| match is_async {
            false => runner.run_blocking(event),
            true => tokio.block_on(runner.run(event)),
        };
        let verdict = run(&start("s"));
        let expected = [("FOO", "one"), ("LINES2", "1\n2"), ("LONGER", "base/x"), ("PLAIN", "a b")];
        assert_eq!(env(&verdict), expected, "{verdict:?}");
        // The file is gone.
        assert!(!Path::new(verdict.context().as_deref().unwrap()).exists());
        assert_eq!(run(&call("s")).opinion.reason.as_deref(), Some("sees one, a b, no file"));
    }
}

#[test]
fn a_file_that_cannot_be_read_sets_nothing() {
    for command in ["echo 'if true' >>\"$CLAUDE_ENV_FILE\"", "echo 'exit 3' >>\"$CLAUDE_ENV_FILE\"", ":"] {
        let hooks = json!({ "SessionStart": [{ "hooks": [{ "type": "command", "command": command }] }] });
        let verdict = builder(Dialect::Claude, &hooks).build().unwrap().run_blocking(&start("s"));
        assert_eq!(verdict.hooks[0].outcome.as_str(), "NoOpinion", "{command}");
        assert_eq!(env(&verdict), []);
    }
}

#[test]
fn a_host_of_one_runner_for_each_event_remembers_its_sessions() {
    let state = tempfile::tempdir().unwrap();
    let hooks = json!({
        "sessionStart": [{ "command": "echo '{\"env\":{\"FOO\":\"one\"}}'" }],
        "preToolUse": [{ "command": sees("FOO") }],
    });
    let runner = || builder(Dialect::Cursor, &hooks).remember_sessions(state.path()).build().unwrap();
    runner().run_blocking(&start("s"));
    assert_eq!(runner().run_blocking(&call("s")).opinion.reason.as_deref(), Some("sees one"));
    assert_eq!(runner().run_blocking(&call("")).opinion.reason.as_deref(), Some("sees nothing"));
    runner().run_blocking(&Event::session_end("other", std::env::temp_dir()).with_session_id("s"));
    assert_eq!(runner().run_blocking(&call("s")).opinion.reason.as_deref(), Some("sees nothing"));

    let once = Config::parse(r#"{"hooks":{"PreToolUse":[{"command":"echo once >&2; exit 2","once":true}]}}"#, "c.json");
    let once = once.unwrap();
    let denies = |session: &str| {
        let runner = Runner::builder().config(once.clone()).remember_sessions(state.path()).build().unwrap();
        runner.run_blocking(&call(session)).opinion.reason
    };
    assert_eq!(denies("s").as_deref(), Some("once"));
    assert_eq!(denies("s"), None);
    assert_eq!(denies("t").as_deref(), Some("once"));
    // Nobody knows whether it is the same session.
    assert_eq!((denies("").as_deref(), denies("").as_deref()), (Some("once"), Some("once")));
}
