//! Clients that are odd, hasty or hostile: each mistake is an error to its own request, and nothing else.

use std::collections::HashMap;
use std::io::Write;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::{Client, call, guarded};
use crate::support::hookshell;

#[test]
fn the_end_waits_a_moment_only_for_a_client_that_reads_nothing() {
    let mut child = hookshell(["serve"]).start_open();
    let mut stdin = child.stdin.take().unwrap();
    let initialize = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocol_version": 1}});
    writeln!(stdin, "{initialize}").unwrap();
    // Together more than may wait for a client: the last of them have ended, and wait until they can send what they have written.
    for id in 2..62 {
        let params = json!({"command": "head -c 200000 /dev/zero"});
        let exec = json!({"jsonrpc": "2.0", "id": id, "method": "shell/exec", "params": params});
        writeln!(stdin, "{exec}").unwrap();
    }
    stdin.flush().unwrap();
    std::thread::sleep(Duration::from_secs(2));
    let began = Instant::now();
    drop(stdin);
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if began.elapsed() > Duration::from_secs(60) {
            let _ = child.kill();
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    assert_eq!(status.code(), Some(0));
    // It was 6 seconds: all that a command which does not end may take, and one for the client.
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
}

#[test]
fn an_id_is_a_whole_number_or_a_string() {
    let mut client = Client::new(json!({}));
    for id in ["99999999999999999999", "1e3", "1.0", "true", "{}", "[1]", "\"\\ud800\"", "null"] {
        client.line(format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"doctor"}}"#).as_bytes());
        let (answer, _) = client.answer(Value::Null);
        assert_eq!(answer["error"]["code"], -32600, "{id}: {answer}");
    }
    for id in [json!(-9_223_372_036_854_775_808_i64), json!(""), json!("é".repeat(128))] {
        client.send(&json!({"jsonrpc": "2.0", "id": id, "method": "shell/exec", "params": {"command": "exit 3"}}));
        let (answer, _) = client.answer(id);
        assert_eq!(answer["result"]["exit_code"], 3, "{answer}");
    }
    // Longer than an `id` may be: it is not sent back.
    client.send(&json!({"jsonrpc": "2.0", "id": "x".repeat(257), "method": "doctor"}));
    let (answer, _) = client.answer(Value::Null);
    assert_eq!(answer["error"]["code"], -32600, "{answer}");
    // Two of them: the message is wrong, and it is said to the first.
    client.line(br#"{"jsonrpc":"2.0","id":"one","id":"two","method":"doctor"}"#);
    let (answer, _) = client.answer("one");
    assert_eq!(answer["error"]["code"], -32600, "{answer}");
    client.is_well();
}

#[test]
fn parameters_are_given_by_name() {
    let mut client = Client::new(json!({}));
    for params in [
        json!(["echo done"]),
        json!({"command": "echo done", "options": [["a.json"]]}),
        json!({"command": "echo done", "options": []}),
        json!({"command": "echo done", "options": null}),
        json!("echo done"),
        json!({"command": ["echo", "done"]}),
        json!({"command": "echo done", "timeout": "1"}),
        json!({"command": "echo done", "timeout": 1e300}),
        json!({"command": "echo done", "grace": -0.5}),
        json!({"command": "echo done", "window": -1}),
        json!({"command": "echo done", "window": 1.5}),
    ] {
        let error = client.error("shell/exec", params.clone());
        assert_eq!(error["code"], -32602, "{params}: {error}");
    }
    let mut early = Client::raw();
    let params = json!({"protocol_version": 1, "capabilities": [true, true]});
    assert_eq!(early.error("initialize", params)["code"], -32602);
    assert_eq!(early.error("initialize", json!([1]))["code"], -32602);
    early.result("initialize", json!({"protocol_version": 1}));
    early.is_well();
}

#[test]
fn a_notification_with_an_id_is_called_that() {
    let mut client = Client::new(json!({}));
    for method in ["$/cancel", "exit", "shell/ack"] {
        let error = client.error(method, json!({}));
        assert_eq!(error["code"], -32601, "{method}: {error}");
        assert_eq!(error["message"], format!("`{method}` is a notification: it is sent without an `id`"));
    }
    client.is_well();
}

/// The command line's words mean nothing to a client.
#[test]
fn what_is_wrong_with_an_event_is_said_in_the_protocols_words() {
    let mut client = Client::new(json!({}));
    for (params, code, expected) in [
        (json!({"event": "PreToolUse"}), -32602, "`params`: PreToolUse has no `tool`"),
        (json!({"event": "UserPromptSubmit"}), -32602, "`params`: UserPromptSubmit has no `prompt`"),
        (json!({"event": "PreToolUse", "input": {}}), -32602, "`params`: `input` without `tool`"),
        (json!({"event": "Stop", "tool": "bash"}), -32602, "`tool`: Stop is not about a tool"),
        (json!({"event": "PreToolUse", "prompt": "x"}), -32602, "`prompt`: PreToolUse has no prompt"),
        (
            json!({"event": "UserPromptSubmit", "tool": "bash", "prompt": "x"}),
            -32602,
            "`tool`: UserPromptSubmit is not about a tool",
        ),
        (
            json!({"event": "PreToolUse", "tool": "bash", "input": "x"}),
            -32602,
            "`params`: `input` must be a JSON object",
        ),
        (
            json!({"event": "PreToolUse", "tool": "bash", "input": [1]}),
            -32602,
            "`params`: `input` must be a JSON object",
        ),
        (json!({"event": "PreToolUse", "payload": 5}), -32602, "`params`: `payload` must be a JSON object"),
        (json!({"event": "PreToolUze"}), -32602, "`event`: unknown event `PreToolUze`: did you mean `PreToolUse`?"),
        (json!({"event": "PreToolUse", "payload": {}}), -32000, "`payload`: the event's payload has no `tool_name`"),
        (json!({"payload": {"tool_name": "x"}}), -32602, "`params`: `event` is missing, and no payload names it"),
        (json!({"event": "Stop", "options": {"project": "nowhere"}}), -32000, "options.project: nowhere: "),
        (
            json!({"event": "Stop", "options": {"env": {"A": 1}}}),
            -32602,
            "`params.options.env.A`: invalid type: integer",
        ),
        (json!({"event": "Stop", "options": {"hooks": "a"}}), -32602, "`params.options.hooks`: invalid type: string"),
        (
            json!({"event": "Stop", "options": {"env": {"A": "x\0y"}}}),
            -32602,
            "options.env: the value of A holds a NUL, which no variable can hold",
        ),
        (
            json!({"event": "Stop", "options": {"limits": ["wall-time=x"]}}),
            -32602,
            "options.limits: wall-time=x: the value must be a number of seconds",
        ),
        (
            json!({"event": "Stop", "options": {"missing_shell": "x"}}),
            -32602,
            "options.missing_shell: \"x\" is none of interpret, fail",
        ),
    ] {
        let error = client.error("hooks/run", params.clone());
        assert_eq!(error["code"], code, "{params}: {error}");
        assert!(error["message"].as_str().unwrap().starts_with(expected), "{params}: {error}");
        let all = error.to_string();
        assert!(!all.contains("--") && !all.contains("standard input"), "{params}: {error}");
    }
    // A payload names its event as any agent does.
    for name in ["hook_event_name", "hookEventName", "hookName"] {
        assert_eq!(client.result("hooks/run", json!({"payload": {name: "Stop"}}))["verdict"]["event"], "Stop");
    }
}

#[test]
fn a_shutdown_that_is_not_understood_ends_nothing() {
    let mut client = Client::new(json!({}));
    for params in [json!({"now": true}), json!({"id": 1}), json!([]), json!([{}]), json!("now"), json!(7)] {
        assert_eq!(client.error("shutdown", params.clone())["code"], -32602, "{params}");
        client.is_well();
    }
    assert_eq!(client.result("shutdown", json!({})), json!({}));
    assert_eq!(client.error("shutdown", json!({}))["code"], -32005);
    client.notify("exit", json!({}));
    assert_eq!(client.exit_code(), Some(0));
}

#[test]
fn what_is_deep_or_long_is_answered_shortly() {
    const DEEP: usize = 100_000;
    const LONG: usize = 4 << 20;
    let directory = tempfile::tempdir().unwrap();
    let mut client = Client::new(guarded(directory.path()));
    let nested = format!("{}1{}", r#"{"a":"#.repeat(DEEP), "}".repeat(DEEP));
    let arrays = format!("{}{}", "[".repeat(DEEP), "]".repeat(DEEP));
    let long = "x".repeat(LONG);
    for (number, (method, params, is_error)) in [
        ("hooks/run", format!(r#"{{"event":"PreToolUse","tool":"bash","input":{nested}}}"#), false),
        ("hooks/run", format!(r#"{{"event":"PreToolUse","payload":{nested}}}"#), true),
        ("hooks/run", arrays.clone(), true),
        ("shell/exec", format!(r#"{{"command":"exit","options":{arrays}}}"#), true),
        ("shell/exec", format!(r#"{{"command":"{}"}}"#, "(".repeat(DEEP)), false),
        ("shell/exec", format!(r#"{{"command":"{}"}}"#, "${a:-".repeat(DEEP)), false),
        // What is wrong is quoted, but not all of it.
        ("hooks/run", format!(r#"{{"event":"{long}"}}"#), true),
        ("hooks/run", format!(r#"{{"event":"PreToolUse","tool":"b","output":"{long}"}}"#), true),
        ("shell/exec", format!(r#"{{"command":"exit","timeout":"{long}"}}"#), true),
        (&long, "{}".to_owned(), true),
    ]
    .into_iter()
    .enumerate()
    {
        let id = format!("deep {number}");
        client.line(format!(r#"{{"jsonrpc":"2.0","id":"{id}","method":"{method}","params":{params}}}"#).as_bytes());
        let (answer, _) = client.answer(id);
        assert_eq!(answer.get("error").is_some(), is_error, "{number}");
        assert!(answer.to_string().len() < 100_000, "{number}: {} bytes", answer.to_string().len());
    }
    client.line("[".repeat(1 << 20).as_bytes());
    let (answer, _) = client.answer(Value::Null);
    assert_eq!(answer["error"]["code"], -32700, "{answer}");
    client.is_well();
}

#[test]
fn a_deny_that_is_wanted_is_not_lost_with_what_is_wrong() {
    let directory = tempfile::tempdir().unwrap();
    let mut client = Client::new(guarded(directory.path()));
    for params in [
        r#"{"event":"PreToolUse","tool":"b","options":{"fail_closed":true,"fail_closed":true}}"#,
        r#"{"options":{"fail_closed":true},"event":"PreToolUse","event":"PreToolUse","tool":"b"}"#,
        r#"{"event":"PreToolUse","tool":"b","options":{"fail_closed":true,"cwd":7}}"#,
        r#"{"event":"PreToolUse","tool":"b","input":{"a":"\ud800"},"options":{"fail_closed":true,"nonsense":1}}"#,
        r#"{"event":["PreToolUse"],"tool":"b","options":{"fail_closed":true}}"#,
        r#"{"event":"PreToolUse","tool":"b","options":{"fail_closed":true,"configs":["/no/such.json"]}}"#,
        r#"{"event":"PreToolUse","tool":"b","options":{"fail_closed":true,"cwd":"/no/such/directory"}}"#,
        r#"{"event":"PreToolUse","tool":"b","options":{"fail_closed":true,"limits":["nonsense"]}}"#,
    ] {
        client.line(format!(r#"{{"jsonrpc":"2.0","id":"closed","method":"hooks/run","params":{params}}}"#).as_bytes());
        let (answer, _) = client.answer("closed");
        let result = &answer["result"];
        assert_eq!(
            (&result["verdict"]["decision"], &result["exit_code"]),
            (&json!("deny"), &json!(2)),
            "{params}: {answer}"
        );
    }
}

#[test]
fn a_storm_of_cancels_is_answered_once_for_each_request() {
    const COUNT: i64 = 100;
    let directory = tempfile::tempdir().unwrap();
    let config = directory.path().join("crush.json");
    let slow = json!({"hooks": {"PreToolUse": [{"command": "while :; do sleep 0.01; done"}]}});
    std::fs::write(&config, slow.to_string()).unwrap();
    let mut client = Client::new(json!({"configs": [config], "cwd": directory.path()}));
    let first = 1000;
    for id in first..first + COUNT {
        let (method, params) = match id % 3 {
            0 => ("hooks/run", call("ls")),
            1 => ("shell/exec", json!({"command": "while :; do sleep 0.01; done"})),
            _ => ("shell/exec", json!({"command": "echo quick", "window": 3})),
        };
        // Before it, at once, and again.
        client.notify("$/cancel", json!({"id": id}));
        client.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        client.notify("$/cancel", json!({"id": id}));
        client.notify("$/cancel", json!({"id": id.to_string()}));
        client.notify("shell/ack", json!({"id": id, "bytes": u64::MAX}));
        client.notify("shell/ack", json!({"id": id, "bytes": u64::MAX}));
    }
    for _ in 0..20 {
        for id in first..first + COUNT {
            client.notify("$/cancel", json!({"id": id}));
        }
    }
    let mut answers = HashMap::<i64, u32>::new();
    while answers.len() < usize::try_from(COUNT).unwrap() {
        let message = client.next();
        if let Some(id) = message["id"].as_i64() {
            *answers.entry(id).or_default() += 1;
            let is_right = message["error"]["code"] == -32800 || message["result"]["exit_code"] == 0;
            assert!(is_right, "{message}");
        }
    }
    // Nothing comes twice.
    client.is_well();
    assert!(answers.values().all(|count| *count == 1), "{answers:?}");
}

/// Windows refuses to put a file in the place of one that is being read.
#[cfg(unix)]
#[test]
fn a_config_that_changes_under_load_is_one_of_its_states() {
    let directory = tempfile::tempdir().unwrap();
    let options = guarded(directory.path());
    let config = directory.path().join("crush.json");
    let mut client = Client::new(options);
    // By renaming, as editors do: no half of a file is ever seen.
    let swap = |reason: &str| {
        let new = directory.path().join("new.json");
        crate::client::write_guard(&new, reason);
        std::fs::rename(&new, &config).unwrap();
    };
    swap("reason 0");
    for round in 1..=40 {
        let ids: Vec<i64> = (0..4).map(|_| client.ask("hooks/run", call("rm"))).collect();
        let (before, after) = (format!("reason {}", round - 1), format!("reason {round}"));
        swap(&after);
        for _ in 0..ids.len() {
            let answer = client.next();
            assert!(ids.iter().any(|id| answer["id"] == *id), "{answer}");
            let reason = &answer["result"]["verdict"]["reason"];
            assert!(*reason == before || *reason == after, "round {round}: {answer}");
        }
        assert_eq!(client.result("hooks/run", call("rm"))["verdict"]["reason"], after);
    }
}

#[cfg(unix)]
#[test]
fn a_client_that_dies_takes_all_along() {
    use std::time::{Duration, Instant};

    use hookshell_test_support::MAX_WAIT;

    let directory = tempfile::tempdir().unwrap();
    let mut client = Client::new(json!({"cwd": directory.path()}));
    let command = "sleep 1000 & echo $! >pid; while :; do echo more; sleep 0.01; done";
    client.ask("shell/exec", json!({"command": command}));
    client.ask("shell/exec", json!({"command": "sleep 1000", "merge_stderr": true}));
    assert!(client.next()["params"]["text"].as_str().is_some_and(|text| text.starts_with("more\n")));
    let pid = std::fs::read_to_string(directory.path().join("pid")).unwrap();
    // Both pipes are closed at once, in the middle of everything.
    client.stdin = None;
    let (_, nothing) = std::sync::mpsc::channel();
    client.received = nothing;
    let until = Instant::now() + MAX_WAIT;
    let is_alive = || cfg!(target_os = "linux") && std::path::Path::new("/proc").join(pid.trim()).exists();
    while client.child.try_wait().unwrap().is_none() || is_alive() {
        assert!(Instant::now() < until, "something is left");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn one_process_serves_projects_and_sessions_side_by_side() {
    let directory = tempfile::tempdir().unwrap();
    let project = |name: &str| {
        let root = directory.path().join(name);
        std::fs::create_dir(&root).unwrap();
        let hooks = json!({"hooks": {"PreToolUse": [
            {"name": "once", "once": true, "command": format!(r#"echo '{{"context": "{name} once"}}'"#)},
            {"name": "each", "command": format!(r#"echo "{{\"context\": \"{name} $CRUSH_SESSION_ID $WHO\"}}"; pwd >/dev/null"#)},
        ]}});
        let config = directory.path().join(format!("{name}.json"));
        std::fs::write(&config, hooks.to_string()).unwrap();
        (root, config)
    };
    let projects = [project("a"), project("b")];
    let mut client = Client::new(json!({"env": {"WHO": "nobody"}}));
    let mut ids = Vec::new();
    for (root, config) in &projects {
        for session in ["s1", "s2"] {
            for _ in 0..3 {
                let mut params = call("ls");
                params["options"] =
                    json!({"cwd": root, "configs": [config], "session": session, "env": {"WHO": session}});
                ids.push(client.ask("hooks/run", params));
            }
        }
    }
    // What they say, and not what they append to a file: under Wine two that do so at once may lose a line.
    let mut said: Vec<String> = Vec::new();
    for _ in &ids {
        let message = client.next();
        assert_eq!(message["result"]["exit_code"], 0, "{message}");
        let context = message["result"]["verdict"]["context"].as_str();
        said.extend(context.into_iter().flat_map(str::lines).map(str::to_owned));
    }
    for name in ["a", "b"] {
        let count = |line: &str| said.iter().filter(|one| **one == format!("{name} {line}")).count();
        assert_eq!(count("once"), 2, "{said:?}");
        assert_eq!((count("s1 s1"), count("s2 s2")), (3, 3), "{said:?}");
    }
    assert_eq!(said.len(), 16, "{said:?}");
}
