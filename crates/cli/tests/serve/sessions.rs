//! The end of a session.

use std::path::Path;

use hookshell_test_support::eventually;
use serde_json::{Value, json};

use crate::client::{Client, call};
use crate::support::hookshell;

/// A hook that writes `started-ID`, and runs until it is told to stop: then it writes `stopped-ID`.
const SLOW: &str = "trap 'echo >stopped-$CRUSH_SESSION_ID; exit' TERM; echo >started-$CRUSH_SESSION_ID$ONE_OF_TWO; \
                    while :; do sleep 0.01; done";

fn of_session(session: &str, event: &str) -> Value {
    let mut params = if event == "SessionEnd" { json!({ "event": event }) } else { call("ls") };
    params["options"] = json!({ "session": session });
    params
}

fn client(directory: &Path, hooks: &Value) -> Client {
    let config = directory.join("crush.json");
    std::fs::write(&config, json!({ "hooks": hooks }).to_string()).unwrap();
    Client::new(json!({"configs": [config], "cwd": directory}))
}

#[test]
fn the_end_of_a_session_ends_its_hooks_and_nobody_elses() {
    let directory = tempfile::tempdir().unwrap();
    let there = |name: &str| directory.path().join(name).exists();
    let mut client = client(directory.path(), &json!({"PreToolUse": [{"command": SLOW}]}));
    let ended = ["1", "2"].map(|number| {
        let mut params = of_session("a", "PreToolUse");
        params["options"]["env"] = json!({ "ONE_OF_TWO": number });
        client.ask("hooks/run", params)
    });
    let other = client.ask("hooks/run", of_session("b", "PreToolUse"));
    let unnamed = client.ask("hooks/run", call("ls"));
    let exec = client
        .ask("shell/exec", json!({"command": SLOW, "options": {"session": "a", "env": {"CRUSH_SESSION_ID": "x"}}}));
    eventually("all hooks run", || ["a1", "a2", "b", "", "x"].iter().all(|id| there(&format!("started-{id}"))));

    let end = client.ask("session/end", json!({"session": "a"}));
    let (answer, before) = client.answer(end);
    assert_eq!(answer["result"], json!({}), "{answer}");
    // Theirs is answered first, when they are gone.
    let codes: Vec<_> = before.iter().map(|answer| (answer["id"].as_i64(), answer["error"]["code"].as_i64())).collect();
    assert!(ended.iter().all(|id| codes.contains(&(Some(*id), Some(-32800)))), "{before:?}");
    assert_eq!(codes.len(), 2, "{before:?}");
    assert!(there("stopped-a"));
    assert!(!["b", "", "x"].iter().any(|id| there(&format!("stopped-{id}"))));
    // Who ends it once more, or one that never was, waits for nobody.
    for session in ["a", "never"] {
        assert_eq!(client.result("session/end", json!({"session": session})), json!({}));
    }
    for id in [other, unnamed, exec] {
        client.notify("$/cancel", json!({"id": id}));
        assert_eq!(client.answer(id).0["error"]["code"], -32800);
    }
}

#[test]
fn the_hooks_of_the_end_run_and_end_the_others() {
    let directory = tempfile::tempdir().unwrap();
    let there = |name: &str| directory.path().join(name).exists();
    let hooks = json!({
        "PreToolUse": [{"command": SLOW}],
        // It ends only when the session was ended beside it.
        "SessionEnd": [{"command": "echo >ending; until [ -e go ]; do sleep 0.01; done; echo >ended"}],
    });
    let mut client = client(directory.path(), &hooks);
    client.ask("hooks/run", of_session("a", "PreToolUse"));
    eventually("the hook runs", || there("started-a"));
    let end = client.ask("hooks/run", of_session("a", "SessionEnd"));
    eventually("the end is told", || there("ending"));
    assert!(!there("stopped-a"));
    assert_eq!(client.result("session/end", json!({"session": "a"})), json!({}));
    assert!(there("stopped-a") && !there("ended"));
    // One that begins meanwhile ends with the end.
    std::fs::remove_file(directory.path().join("started-a")).unwrap();
    let late = client.ask("hooks/run", of_session("a", "PreToolUse"));
    eventually("the hook runs", || there("started-a"));
    std::fs::write(directory.path().join("go"), "").unwrap();
    let (answer, before) = client.answer(end);
    assert_eq!(answer["result"]["exit_code"], 0, "{answer}");
    assert!(there("ended"));
    let of = |id: i64| before.iter().find(|answer| answer["id"] == id).map(|answer| answer["error"]["code"].clone());
    assert_eq!(of(late), Some(json!(-32800)), "{before:?}");
}

#[test]
fn a_hook_that_runs_once_does_so_whatever_happens_to_its_config() {
    let directory = tempfile::tempdir().unwrap();
    let (config, state) = (directory.path().join("crush.json"), directory.path().join("home"));
    // With a directory for what is remembered, and without.
    for home in [state.as_path(), Path::new("")] {
        let run = ["HOME", "LOCALAPPDATA"].into_iter().fold(hookshell(["serve"]), |run, name| run.env(name, home));
        let mut client = Client::of(run, json!({}), json!({"configs": [config], "cwd": directory.path()}));
        let mut run_in = |session: &str, other: &str| {
            let hooks = json!({"PreToolUse": [{"name": "once", "once": true, "command": "echo it ran >&2; exit 2"}], other: []});
            std::fs::write(&config, json!({ "hooks": hooks }).to_string()).unwrap();
            client.result("hooks/run", of_session(session, "PreToolUse"))["exit_code"].clone()
        };
        let codes = ["Stop", "SessionStart", "SessionEnd"].map(|other| run_in("a", other));
        assert_eq!(codes, [2, 0, 0].map(|code| json!(code)), "{}", home.display());
        assert_eq!(run_in("b", "Stop"), 2);
        assert_eq!(client.result("session/end", json!({"session": "a"})), json!({}));
        assert_eq!(client.result("hooks/run", of_session("a", "PreToolUse"))["exit_code"], 2);
    }
}
