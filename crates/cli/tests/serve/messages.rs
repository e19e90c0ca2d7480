//! Every method, and what goes wrong with messages.

use std::io::Write;
#[cfg(unix)]
use std::path::Path;
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use hookshell_test_support::MAX_WAIT;
use serde_json::{Value, json};

use crate::client::{Client, call, guarded, receive, write_guard};
use crate::support::hookshell;

#[test]
fn an_event_is_decided_and_its_hooks_are_told_of() {
    let directory = tempfile::tempdir().unwrap();
    let mut client = Client::new(guarded(directory.path()));
    let result = client.result("hooks/run", call("ls"));
    assert_eq!((&result["exit_code"], &result["verdict"]["decision"]), (&json!(0), &Value::Null), "{result}");

    let mut params = call("rm x");
    params["progress"] = json!(true);
    params["output"] = json!("claude");
    let id = client.ask("hooks/run", params);
    let (answer, before) = client.answer(id);
    let result = &answer["result"];
    assert_eq!((&result["exit_code"], &result["verdict"]["reason"]), (&json!(2), &json!("not that")), "{answer}");
    assert!(result["rendered"]["stdout"].as_str().unwrap().contains("not that"), "{answer}");
    let states: Vec<_> = before.iter().map(|message| message["params"]["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["started", "ended"]);
    assert_eq!(before[0]["params"]["status_message"], "looking");
    assert_eq!(before[0]["params"]["name"], "guard");
    // The schema's type and the verdict are the same.
    let typed: hookshell_serve::protocol::Verdict = serde_json::from_value(result["verdict"].clone()).unwrap();
    let again = serde_json::to_value(&typed).unwrap();
    for key in result["verdict"].as_object().unwrap().keys() {
        assert!(again.get(key).is_some(), "the schema has no `{key}`");
    }
    for key in result["verdict"]["hooks"][0].as_object().unwrap().keys() {
        assert!(again["hooks"][0].get(key).is_some(), "the schema has no `hooks.{key}`");
    }
}

#[test]
fn what_an_agent_is_shown_is_cut_and_the_verdict_is_not() {
    let directory = tempfile::tempdir().unwrap();
    let config = directory.path().join("crush.json");
    let command = "i=0; while [ $i -lt 2000 ]; do printf 'reason%04d' $i >&2; i=$((i+1)); done; exit 2";
    let hooks = json!({"hooks": {"PreToolUse": [{"name": "wordy", "command": command}]}});
    std::fs::write(&config, hooks.to_string()).unwrap();
    let mut client = Client::new(json!({"configs": [config], "cwd": directory.path()}));
    let mut params = call("ls");
    params["output"] = json!("claude");
    let result = client.result("hooks/run", params);
    let reason = result["verdict"]["reason"].as_str().unwrap();
    assert_eq!((reason.len(), &result["exit_code"]), (20_000, &json!(2)), "{result}");
    let shown = result["rendered"]["stdout"].as_str().unwrap();
    assert!(shown.contains(&reason[..8192]) && !shown.contains(&reason[..8193]), "{shown}");
    assert!(
        shown.contains("[hookshell: cut after 8192 of 20000 bytes; the verdict beside it has all of it]"),
        "{shown}"
    );
}

/// As `run` says it: the hooks for this event are lost, and for others the name is only odd.
#[test]
fn hooks_under_another_agents_name_of_the_event_are_an_error_for_it() {
    let directory = tempfile::tempdir().unwrap();
    let config = directory.path().join("x.json");
    let hooks = json!({"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}});
    std::fs::write(&config, hooks.to_string()).unwrap();
    let mut client = Client::new(json!({"configs": [config], "cwd": directory.path(), "dialect": "claude"}));
    let levels = |result: &Value| -> Vec<String> {
        let all = result["messages"].as_array().unwrap().iter();
        let named = all.filter(|message| message["text"].as_str().unwrap().contains("has no event `BeforeTool`"));
        named.map(|message| message["level"].as_str().unwrap().to_owned()).collect()
    };
    let result = client.result("hooks/run", call("ls"));
    assert_eq!(levels(&result), ["error"], "{result}");
    let result = client.result("hooks/run", json!({"event": "UserPromptSubmit", "prompt": "hi"}));
    assert_eq!(levels(&result), ["warning"], "{result}");
}

#[test]
fn the_three_forms_of_an_event() {
    let directory = tempfile::tempdir().unwrap();
    let mut client = Client::new(guarded(directory.path()));
    let payload = json!({"hook_event_name": "PreToolUse", "tool_name": "bash", "tool_input": {"command": "rm"}});
    assert_eq!(client.result("hooks/run", json!({"payload": payload}))["exit_code"], 2);
    let event = json!({"event": "pre_tool_use", "payload": {"tool_name": "bash", "tool_input": {"command": "ls"}}});
    assert_eq!(client.result("hooks/run", event)["exit_code"], 0);
    let prompt = client.result("hooks/run", json!({"event": "UserPromptSubmit", "prompt": "hi"}));
    assert_eq!(prompt["verdict"]["prompt"], "hi");
    let both = json!({"event": "PreToolUse", "payload": {}, "tool": "bash"});
    assert_eq!(client.error("hooks/run", both)["code"], -32602);
    assert_eq!(client.error("hooks/run", json!({}))["code"], -32602);
}

#[test]
fn a_config_that_changes_holds_from_the_next_event_on() {
    let directory = tempfile::tempdir().unwrap();
    let options = guarded(directory.path());
    let config = directory.path().join("crush.json");
    let mut client = Client::new(options);
    // Of the same size, and quicker than a file's times count.
    for round in 0..20 {
        let reason = format!("reason {}", char::from(b'a' + round));
        write_guard(&config, &reason);
        assert_eq!(client.result("hooks/run", call("rm"))["verdict"]["reason"], reason);
    }
    std::fs::write(&config, "{").unwrap();
    let error = client.error("hooks/run", call("rm"));
    assert_eq!((&error["code"], &error["data"]["exit_code"]), (&json!(-32000), &json!(65)), "{error}");
    write_guard(&config, "again");
    assert_eq!(client.result("hooks/run", call("rm"))["verdict"]["reason"], "again");
}

#[test]
fn what_cannot_be_asked_is_denied_where_that_is_wanted() {
    let directory = tempfile::tempdir().unwrap();
    let mut options = guarded(directory.path());
    options["fail_closed"] = json!(true);
    let mut client = Client::new(options);
    assert_eq!(client.result("hooks/run", call("ls"))["exit_code"], 0);
    let denied = |result: Value| {
        assert_eq!((&result["exit_code"], &result["verdict"]["decision"]), (&json!(2), &json!("deny")), "{result}");
        result
    };
    let unreadable = json!({"event": "PreToolUse", "payload": [1]});
    denied(client.result("hooks/run", unreadable));
    denied(client.result("hooks/run", json!({"event": "PreToolUse", "tool": 7})));
    denied(client.result("hooks/run", json!({"event": "Nonsense", "tool": "bash"})));
    let rendered = denied(client.result("hooks/run", json!({"event": "PreToolUse", "tool": 7, "output": "claude"})));
    assert!(rendered["rendered"]["stdout"].as_str().unwrap().contains("deny"), "{rendered}");
    std::fs::write(directory.path().join("crush.json"), "{").unwrap();
    denied(client.result("hooks/run", call("ls")));
    // A request may say otherwise.
    let mut open = call("ls");
    open["options"] = json!({"fail_closed": false});
    assert_eq!(client.error("hooks/run", open)["code"], -32000);
    // So do hooks that a slip of the pen has lost, as for `run`, and a config that has none.
    for (config, said) in [
        (json!({"hooks": {"PreTooluze": [{"command": "exit 2"}]}}), "did you mean `PreToolUse`?"),
        (json!({"hooks": {}}), "has no hooks"),
    ] {
        std::fs::write(directory.path().join("crush.json"), config.to_string()).unwrap();
        let result = denied(client.result("hooks/run", call("ls")));
        assert_eq!(result["messages"].as_array().unwrap().len(), 1, "{result}");
        let message = &result["messages"][0];
        assert!(message["level"] == "error" && message["text"].as_str().unwrap().contains(said), "{result}");
    }
    // A hook that fails denies.
    let broken = json!({"hooks": {"PreToolUse": [{"name": "broken", "command": "exit 3"}]}});
    std::fs::write(directory.path().join("crush.json"), broken.to_string()).unwrap();
    let result = denied(client.result("hooks/run", call("ls")));
    assert!(result["verdict"]["reason"].as_str().unwrap().contains("broken"), "{result}");
}

#[test]
fn what_is_broken_in_a_config_is_told_with_whether_others_ran() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("good.sh"), "exit 0\n").unwrap();
    std::fs::write(directory.path().join("bad.sh"), "# hookshell: {\"timeout\": }\n").unwrap();
    let hooks = [directory.path().join("bad.sh"), directory.path().join("good.sh")];
    let mut client = Client::new(json!({"cwd": directory.path(), "hooks": hooks}));
    for (event, rest) in [
        (call("ls"), "the other hooks ran"),
        (json!({"event": "Stop", "payload": {}}), "no other hook is for this event"),
        // It is found out for each event.
        (call("ls"), "the other hooks ran"),
    ] {
        let result = client.result("hooks/run", event);
        let text = result["messages"][0]["text"].as_str().unwrap();
        assert!(text.contains("bad.sh:1:1") && text.ends_with(rest), "{result}");
    }
}

#[test]
fn a_command_runs_with_its_streams() {
    let directory = tempfile::tempdir().unwrap();
    let mut client = Client::new(json!({"cwd": directory.path(), "env": {"A": "1", "B": "2"}}));
    let params = json!({
        "command": "cat; echo \"$A-$B-$C\" >&2; printf '\\377'; exit 3", "stdin": "hi\n",
        "options": {"env": {"B": null, "C": "3"}},
    });
    let id = client.ask("shell/exec", params);
    let (answer, output) = client.answer(id);
    let result = &answer["result"];
    assert_eq!((&result["exit_code"], &result["end"]), (&json!(3), &json!("exited")), "{answer}");
    let said: Vec<_> = output
        .iter()
        .map(|message| {
            let params = &message["params"];
            format!("{} {}", params["stream"].as_str().unwrap(), params.get("text").or(params.get("base64")).unwrap())
        })
        .collect();
    assert_eq!(said, ["stdout \"hi\\n\"", "stderr \"1--3\\n\"", "stdout \"/w==\""]);
    assert_eq!((&result["stdout_bytes"], &result["stderr_bytes"]), (&json!(4), &json!(5)));

    let merged = json!({"command": "cat; echo b >&2; echo c", "stdin_base64": "YQo=", "merge_stderr": true});
    let id = client.ask("shell/exec", merged);
    let (_, output) = client.answer(id);
    let text: String = output.iter().map(|message| message["params"]["text"].as_str().unwrap()).collect();
    assert_eq!(text, "a\nb\nc\n");

    let timed_out = client.result("shell/exec", json!({"command": "sleep 100", "timeout": 0.05}));
    assert_eq!(timed_out["end"], "timed_out", "{timed_out}");
    let limited = json!({"command": "f() { f; }; f", "options": {"limits": ["call-depth=20"]}});
    assert_eq!(client.result("shell/exec", limited)["end"], "limit_exceeded");
    assert_eq!(client.result("shell/exec", json!({"command": "if"}))["end"], "syntax_error");
    let missing = client.result("shell/exec", json!({"command": "no-such-program"}));
    assert_eq!((&missing["exit_code"], &missing["end"]), (&json!(127), &json!("not_started")));
    for wrong in [
        json!({"command": "a", "timeout": -1}),
        json!({"command": "a", "stdin": "a", "stdin_base64": ""}),
        json!({"command": "a", "stdin_base64": "*"}),
        json!({"command": "a", "options": {"limits": ["nonsense"]}}),
        json!({"command": "a", "options": {"env": {"A=B": "1"}}}),
        json!({"command": "a", "unknown": 1}),
        json!({}),
        json!([1]),
    ] {
        assert_eq!(client.error("shell/exec", wrong.clone())["code"], -32602, "{wrong}");
    }
    let nowhere = json!({"command": "a", "options": {"cwd": directory.path().join("missing")}});
    assert_eq!(client.error("shell/exec", nowhere)["code"], -32000);
}

#[test]
fn a_window_holds_one_command_back_and_nobody_else() {
    let mut client = Client::new(json!({}));
    let id = client.ask(
        "shell/exec",
        json!({"command": "i=0; while [ $i -lt 1000 ]; do echo 123456789; i=$((i+1)); done", "window": 100}),
    );
    let mut text = String::new();
    let mut sent = 0;
    while text.len() < 10_000 {
        let message = client.next();
        text.push_str(message["params"]["text"].as_str().unwrap_or_else(|| panic!("{message}")));
        assert!(text.len() <= sent + 103, "{} of {sent}", text.len());
        if text.len() == sent + 100 && text.len() < 10_000 {
            // Nothing more comes, and others are served.
            client.is_well();
            sent += 100;
            client.notify("shell/ack", json!({"id": id, "bytes": 100}));
        }
    }
    let (answer, _) = client.answer(id);
    assert_eq!(answer["result"]["stdout_bytes"], 10_000);
}

#[test]
fn what_is_cancelled_is_answered_when_it_is_gone() {
    let directory = tempfile::tempdir().unwrap();
    let config = directory.path().join("crush.json");
    let slow = json!({"hooks": {"PreToolUse": [{"command": "while :; do sleep 0.01; done"}]}});
    std::fs::write(&config, slow.to_string()).unwrap();
    let mut client = Client::new(json!({"configs": [config], "cwd": directory.path()}));
    let hooks = client.ask("hooks/run", call("ls"));
    let exec = client.ask("shell/exec", json!({"command": "echo go; while :; do sleep 0.01; done"}));
    assert_eq!(client.next()["params"]["text"], "go\n");
    for id in [hooks, exec] {
        client.notify("$/cancel", json!({"id": id}));
        let (answer, _) = client.answer(id);
        assert_eq!(answer["error"]["code"], -32800, "{answer}");
        // Once more, and what never was.
        client.notify("$/cancel", json!({"id": id}));
    }
    client.notify("$/cancel", json!({"id": "never"}));
    client.notify("$/cancel", json!({"wrong": 1}));
    client.is_well();
}

#[test]
fn wrong_messages_are_errors_and_nothing_else() {
    let mut client = Client::raw();
    let error = client.error("hooks/run", json!({}));
    assert_eq!(error["code"], -32002);
    assert_eq!(client.error("initialize", json!({"protocol_version": 0}))["code"], -32602);
    assert_eq!(
        client.error("initialize", json!({"protocol_version": 1, "defaults": {"dialect": "x"}}))["code"],
        -32602
    );
    assert_eq!(client.result("initialize", json!({"protocol_version": 99}))["protocol_version"], 1);
    assert_eq!(client.error("initialize", json!({"protocol_version": 1}))["code"], -32600);

    let huge =
        format!(r#"{{"jsonrpc":"2.0","id":"huge","method":"hooks/run","params":{{"x":"{}"}}}}"#, "x".repeat(17 << 20));
    let cases: [(&[u8], Value, i64); 12] = [
        (b"nonsense", Value::Null, -32700),
        (br#"{"jsonrpc":"2.0","id":"cut","method":"#, json!("cut"), -32700),
        (b"{\"jsonrpc\":\"2.0\",\"id\":\"bytes\",\"method\":\"\xff\"}", json!("bytes"), -32700),
        (br#"{"jsonrpc":"1.0","id":"old","method":"doctor"}"#, json!("old"), -32600),
        (br#"{"jsonrpc":"2.0","id":1.5,"method":"doctor"}"#, Value::Null, -32600),
        (br#"{"jsonrpc":"2.0","id":null,"method":"doctor"}"#, Value::Null, -32600),
        (br#"{"jsonrpc":"2.0","id":"none"}"#, json!("none"), -32600),
        (br#"[{"jsonrpc":"2.0","id":"batch","method":"doctor"}]"#, json!("batch"), -32600),
        (br#"{"jsonrpc":"2.0","id":"what","method":"no/such"}"#, json!("what"), -32601),
        (br#"{"jsonrpc":"2.0","id":"not ours","method":"ui/confirm"}"#, json!("not ours"), -32601),
        (br#"{"jsonrpc":"2.0","id":"a notification","method":"exit"}"#, json!("a notification"), -32601),
        (huge.as_bytes(), json!("huge"), -32004),
    ];
    for (line, id, code) in cases {
        client.line(line);
        let (answer, _) = client.answer(id);
        assert_eq!(answer["error"]["code"], code, "{answer}");
        client.is_well();
    }
    // Not answered: notifications that nobody knows, answers that nobody waits for, blank lines.
    client.line(b"");
    client.line(b" \r");
    client.notify("no/such", json!({}));
    client.send(&json!({"jsonrpc": "2.0", "id": "s99", "result": {}}));
    client.send(&json!({"jsonrpc": "2.0", "id": 5, "error": {"code": 1, "message": "x"}}));
    client.is_well();

    // An `id` that is in use.
    let long = json!({"jsonrpc": "2.0", "id": "twice", "method": "shell/exec", "params": {"command": "sleep 100"}});
    client.send(&long);
    client.send(&long);
    let (answer, _) = client.answer("twice");
    assert_eq!(answer["error"]["code"], -32600, "{answer}");
    client.notify("$/cancel", json!({"id": "twice"}));
    let (answer, _) = client.answer("twice");
    assert_eq!(answer["error"]["code"], -32800, "{answer}");
}

#[test]
fn ten_thousand_requests_at_once_are_all_answered() {
    const COUNT: i64 = 10_000;
    let mut client = Client::new(json!({}));
    let mut all = Vec::new();
    for id in 1000..1000 + COUNT {
        let message = json!({"jsonrpc": "2.0", "id": id, "method": "explain", "params": {"command": "exit 0"}});
        all.extend_from_slice(message.to_string().as_bytes());
        all.push(b'\n');
    }
    client.stdin.as_mut().unwrap().write_all(&all).unwrap();
    let mut seen = std::collections::HashSet::new();
    for _ in 0..COUNT {
        let message = client.next();
        assert!(message.get("result").is_some(), "{message}");
        assert!(seen.insert(message["id"].as_i64().unwrap()), "{message}");
    }
    client.is_well();
}

#[test]
fn who_never_reads_makes_nobody_else_wait_or_grow() {
    let mut child = hookshell(["serve"]).start_open();
    let mut stdin = child.stdin.take().unwrap();
    let mut line = |message: Value| writeln!(stdin, "{message}");
    line(json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocol_version": 1}})).unwrap();
    let noisy = "head -c 1000000000 /dev/zero";
    line(json!({"jsonrpc": "2.0", "id": 1, "method": "shell/exec", "params": {"command": noisy}})).unwrap();
    for id in 2..200 {
        let params = json!({"command": "i=0; while [ $i -lt 100 ]; do echo $i; i=$((i+1)); done"});
        line(json!({"jsonrpc": "2.0", "id": id, "method": "shell/exec", "params": params})).unwrap();
    }
    std::thread::sleep(Duration::from_millis(500));
    #[cfg(target_os = "linux")]
    {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        let kib: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
        assert!(kib < 200_000, "{kib} KiB");
    }
    // The end of the input ends it, although nobody reads.
    drop(stdin);
    let until = Instant::now() + MAX_WAIT;
    while child.try_wait().unwrap().is_none() {
        assert!(Instant::now() < until, "it does not end");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn the_end_of_a_connection() {
    // `exit` after `shutdown`, and without it.
    let mut client = Client::new(json!({}));
    let running = client.ask("shell/exec", json!({"command": "echo go; sleep 100"}));
    assert_eq!(client.next()["params"]["text"], "go\n");
    let shutdown = client.ask("shutdown", json!({}));
    let (cancelled, _) = client.answer(running);
    assert_eq!(cancelled["error"]["code"], -32800);
    let (answer, _) = client.answer(shutdown);
    assert_eq!(answer["result"], json!({}));
    assert_eq!(client.error("doctor", json!({}))["code"], -32005);
    client.notify("exit", json!({}));
    assert_eq!(client.exit_code(), Some(0));

    let mut client = Client::new(json!({}));
    client.notify("exit", json!({}));
    assert_eq!(client.exit_code(), Some(1));

    // The end of the input, with work that continues.
    let mut client = Client::new(json!({}));
    client.ask("shell/exec", json!({"command": "echo go; while :; do sleep 0.01; done"}));
    assert_eq!(client.next()["params"]["text"], "go\n");
    assert_eq!(client.exit_code(), Some(0));
}

#[test]
fn a_client_that_reads_late_has_all_answers() {
    let mut child = hookshell(["serve"]).start_open();
    let mut stdin = child.stdin.take().unwrap();
    let request = |id: usize, method: &str, params: Value| {
        json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string() + "\n"
    };
    // More than a pipe takes on any system, and less than is kept.
    const REQUESTS: usize = 100;
    let mut input = request(0, "initialize", json!({"protocol_version": 1}));
    for id in 1..=REQUESTS {
        input += &request(id, "explain", json!({"command": format!("echo {}", "x".repeat(3_000))}));
    }
    stdin.write_all(input.as_bytes()).unwrap();
    // Time to do them, and to see that the input has ended.
    std::thread::sleep(Duration::from_millis(500));
    drop(stdin);
    std::thread::sleep(Duration::from_millis(200));
    let received = receive(child.stdout.take().unwrap());
    let answered = received.iter().filter(|message| message.get("id").is_some()).count();
    assert_eq!(answered, 1 + REQUESTS);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// A client may say all that it has to say at once.
#[test]
fn shutdown_is_answered_before_the_process_ends() {
    let request = |id: usize, method: &str, params: Value| {
        json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string() + "\n"
    };
    let input = request(0, "initialize", json!({"protocol_version": 1})) + &request(1, "shutdown", json!({}));
    for _ in 0..10 {
        let mut child = hookshell(["serve"]).start_open();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(input.as_bytes()).unwrap();
        drop(stdin);
        let received = receive(child.stdout.take().unwrap());
        assert!(received.iter().any(|message| message["id"] == 1 && message.get("result").is_some()), "{received:?}");
        assert_eq!(child.wait().unwrap().code(), Some(0));
    }
}

#[test]
fn runs_are_in_the_log_whose_answers_nobody_reads() {
    let directory = tempfile::tempdir().unwrap();
    let dir = directory.path();
    let serve = hookshell(["serve"]).env("XDG_STATE_HOME", dir).env("LOCALAPPDATA", dir).env("HOOKSHELL_LOG", "on");
    let mut child = serve.start_open();
    let mut stdin = child.stdin.take().unwrap();
    let request = |id: usize, method: &str, params: Value| {
        json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string() + "\n"
    };
    // Their answers are more than a pipe takes.
    const REQUESTS: usize = 300;
    let mut input = request(0, "initialize", json!({"protocol_version": 1, "defaults": guarded(dir)}));
    for id in 1..=REQUESTS {
        input += &request(id, "hooks/run", call("ls"));
    }
    stdin.write_all(input.as_bytes()).unwrap();
    let log = dir.join("hookshell").join("hooks.jsonl");
    let lines = || std::fs::read_to_string(&log).unwrap_or_default().lines().count();
    let begun = Instant::now();
    // The run whose answer is being written is not in it yet.
    while lines() + 1 < REQUESTS && begun.elapsed() < MAX_WAIT {
        std::thread::sleep(Duration::from_millis(20));
    }
    drop(stdin);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(lines(), REQUESTS);
}

#[cfg(unix)]
#[test]
fn a_signal_and_a_dead_client_end_everything() {
    let directory = tempfile::tempdir().unwrap();
    let command = json!({"command": "echo go; sleep 1000 & echo $! > pid; wait", "options": {"cwd": directory.path()}});
    let is_alive = |directory: &Path| {
        let pid = std::fs::read_to_string(directory.join("pid")).unwrap();
        Path::new("/proc").join(pid.trim()).exists() && cfg!(target_os = "linux")
    };
    let wait_until = |what: &dyn Fn() -> bool| {
        let until = Instant::now() + MAX_WAIT;
        while !what() {
            assert!(Instant::now() < until, "not in time");
            std::thread::sleep(Duration::from_millis(5));
        }
    };
    let mut client = Client::new(json!({}));
    client.ask("shell/exec", command.clone());
    wait_until(&|| std::fs::read_to_string(directory.path().join("pid")).is_ok_and(|text| text.ends_with('\n')));
    let pid = rustix::process::Pid::from_raw(i32::try_from(client.child.id()).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    let status = client.child.wait().unwrap();
    assert_eq!(status.code(), Some(143));
    wait_until(&|| !is_alive(directory.path()));
    std::fs::remove_file(directory.path().join("pid")).unwrap();

    // Nobody reads any more, and something is written.
    let mut child = hookshell(["serve"]).start_open();
    let mut stdin = child.stdin.take().unwrap();
    drop(child.stdout.take());
    writeln!(
        stdin,
        "{}",
        json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocol_version": 1}})
    )
    .unwrap();
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(74));
}

#[test]
fn the_other_methods_give_what_their_commands_print() {
    let directory = tempfile::tempdir().unwrap();
    let options = guarded(directory.path());
    let mut client = Client::new(options);
    let explained = client.result("explain", json!({"command": "jq -r .a"}));
    assert_eq!(explained["explanation"]["argv0"], "jq", "{explained}");
    let hooks = client.result("explain", json!({}));
    assert_eq!(hooks["hooks"][0]["name"], "guard", "{hooks}");
    let checked = client.result("check", json!({}));
    assert_eq!((&checked["hooks"], &checked["unreadable"]), (&json!(1), &json!(false)), "{checked}");
    let _: hookshell_serve::protocol::CheckResult = serde_json::from_value(checked).unwrap();
    let missing = directory.path().join("missing.json");
    let checked = client.result("check", json!({"files": [missing]}));
    assert_eq!(checked["unreadable"], true, "{checked}");
    let _: hookshell_serve::protocol::CheckResult = serde_json::from_value(checked).unwrap();
    let machine = client.result("doctor", json!({}));
    assert!(machine["utilities"].as_array().is_some_and(|all| !all.is_empty()), "{machine}");
    assert_eq!(client.result("session/end", json!({"session": "s"})), json!({}));
    assert_eq!(client.error("explain", json!({"options": {"configs": [missing]}}))["code"], -32000);
}

#[test]
fn prompt_hooks_ask_the_host_s_model() {
    let directory = tempfile::tempdir().unwrap();
    let config = directory.path().join("crush.json");
    let hooks = json!({"hooks": {"PreToolUse": [{"type": "prompt", "prompt": "Is it safe?", "name": "judge"}]}});
    std::fs::write(&config, hooks.to_string()).unwrap();
    let defaults = json!({"configs": [config], "cwd": directory.path()});
    let mut client = Client::of(hookshell(["serve"]), json!({"llm": true}), defaults);
    let id = client.ask("hooks/run", call("ls"));
    let question = client.next();
    assert_eq!(question["method"], "llm/complete", "{question}");
    let _: hookshell_serve::protocol::CompleteParams = serde_json::from_value(question["params"].clone()).unwrap();
    assert!(question["params"]["messages"].to_string().contains("Is it safe?"), "{question}");
    let text = r#"{"decision":"deny","reason":"it is not"}"#;
    client.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": {"text": text}}));
    let (answer, _) = client.answer(id);
    assert_eq!(answer["result"]["exit_code"], 2, "{answer}");
    // An answer that cannot be understood is a failure of the hook.
    let id = client.ask("hooks/run", call("ls"));
    let question = client.next();
    client.send(&json!({"jsonrpc": "2.0", "id": question["id"], "error": {"code": 1, "message": "no model"}}));
    let (answer, _) = client.answer(id);
    assert!(answer["result"].to_string().contains("no model"), "{answer}");
    // Nobody waits for the answer any more.
    let id = client.ask("hooks/run", call("ls"));
    let question = client.next();
    client.notify("$/cancel", json!({"id": id}));
    let (answer, before) = client.answer(id);
    assert_eq!(answer["error"]["code"], -32800, "{answer}");
    let mut cancelled = before.into_iter().find(|message| message["method"] == "$/cancel");
    if cancelled.is_none() {
        cancelled = Some(client.next());
    }
    assert_eq!(cancelled.unwrap()["params"]["id"], question["id"]);
}

/// A client that can ask a person, of a project whose only hook is this module.
fn with_module(source: &str) -> (tempfile::TempDir, Client) {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("gate.py"), source).unwrap();
    let config = directory.path().join("crush.json");
    let hooks = json!({"hooks": {"PreToolUse": [{"type": "module", "module": "gate.py", "timeout": 60}]}});
    std::fs::write(&config, hooks.to_string()).unwrap();
    let defaults = json!({"configs": [config], "cwd": directory.path(), "project": directory.path(), "session": "s"});
    let client = Client::of(hookshell(["serve"]), json!({"ui": true}), defaults);
    (directory, client)
}

#[test]
fn what_a_module_asks_is_taken_back_when_nobody_waits_for_it() {
    if !hookshell_test_support::has("python3") {
        return;
    }
    let module = "async def check(event, ctx):\n    await ctx.confirm('T', 'm')\n\ndef register(h):\n    h.on_tool_call(check)\n";
    let (_directory, mut client) = with_module(module);
    for (method, params) in [("$/cancel", None), ("session/end", Some(json!({"session": "s"})))] {
        let id = client.ask("hooks/run", call("ls"));
        // The answers to the requests of the round before may come first.
        let question = loop {
            let message = client.next();
            if message["method"] == "ui/confirm" {
                break message;
            }
        };
        if let Some(params) = params {
            client.ask(method, params);
        } else {
            client.notify(method, json!({"id": id}));
        }
        let mut seen = Vec::new();
        while !seen.iter().any(|message: &Value| message["method"] == "$/cancel") {
            seen.push(client.next());
        }
        assert_eq!(seen.pop().unwrap()["params"]["id"], question["id"], "{method}: {seen:?}");
    }
}

#[test]
fn a_question_that_a_handler_gives_up_is_taken_back() {
    if !hookshell_test_support::has("python3") {
        return;
    }
    let module = "import asyncio\n\nasync def check(event, ctx):\n    try:\n        await asyncio.wait_for(ctx.confirm('T', 'm'), 0.2)\n    except asyncio.TimeoutError:\n        return {'decision': 'deny', 'reason': 'nobody answered'}\n\ndef register(h):\n    h.on_tool_call(check)\n";
    let (_directory, mut client) = with_module(module);
    let id = client.ask("hooks/run", call("ls"));
    let (mut question, mut cancelled, mut answer) = (Value::Null, Value::Null, Value::Null);
    while cancelled.is_null() || answer.is_null() {
        let message = client.next();
        match message["method"].as_str() {
            Some("ui/confirm") => question = message["id"].clone(),
            Some("$/cancel") => cancelled = message["params"]["id"].clone(),
            None if message["id"] == json!(id) => answer = message["result"]["verdict"]["reason"].clone(),
            _ => {}
        }
    }
    assert_eq!((cancelled, answer), (question, json!("nobody answered")));
}

#[test]
fn a_hook_of_the_background_wakes_the_model() {
    let directory = tempfile::tempdir().unwrap();
    let config = directory.path().join("settings.json");
    let hook = |command: &str, key: &str| json!({"type": "command", "command": command, key: true});
    let hooks = json!({"hooks": {"PostToolUse": [{"hooks": [
        hook("while [ ! -e go ]; do sleep 0.01; done; echo 'the build is broken' >&2; exit 2", "asyncRewake"),
        hook("exit 0", "asyncRewake"),
        hook("echo quiet >&2; exit 2", "async"),
    ]}]}});
    std::fs::write(&config, hooks.to_string()).unwrap();
    let mut client = Client::new(json!({"configs": [config], "dialect": "claude", "cwd": directory.path()}));
    let payload =
        json!({"session_id": "s7", "tool_name": "Bash", "tool_input": {"command": "make"}, "tool_response": {}});
    // Nobody waits for it.
    let result = client.result("hooks/run", json!({"event": "PostToolUse", "payload": payload}));
    assert_eq!((&result["exit_code"], &result["verdict"]["context"]), (&json!(0), &Value::Null), "{result}");
    std::fs::write(directory.path().join("go"), "").unwrap();
    let woken = client.next();
    assert_eq!(woken["method"], "hooks/wake", "{woken}");
    let typed: hookshell_serve::protocol::WakeParams = serde_json::from_value(woken["params"].clone()).unwrap();
    assert_eq!((&*typed.session, &*typed.event), ("s7", "PostToolUse"), "{woken}");
    assert!(typed.text.contains("the build is broken"), "{woken}");
    // The others tell nothing.
    client.is_well();
}

#[test]
fn messages_are_logged_where_that_is_wanted() {
    let directory = tempfile::tempdir().unwrap();
    let log = directory.path().join("messages");
    let arguments: [&std::ffi::OsStr; 3] = ["serve".as_ref(), "--log".as_ref(), log.as_os_str()];
    let mut client = Client::of(hookshell(arguments), json!({}), json!({}));
    client.is_well();
    assert_eq!(client.exit_code(), Some(0));
    let logged = std::fs::read_to_string(&log).unwrap();
    for part in ["\"initialize\"", "exit 7", "\"exit_code\":7"] {
        assert!(logged.contains(part), "{part}: {logged}");
    }
    #[cfg(unix)]
    {
        let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&log).unwrap().permissions());
        assert_eq!(mode & 0o777, 0o600, "nobody else may read it");
    }
}

/// Whoever waits for a line that never comes is told.
#[test]
fn nothing_is_sent_unasked() {
    let mut client = Client::new(json!({}));
    client.is_well();
    let silent = client.received.recv_timeout(Duration::from_millis(50));
    assert!(matches!(silent, Err(RecvTimeoutError::Timeout)), "{silent:?}");
}
