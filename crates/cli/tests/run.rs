//! `hookshell run` as an agent calls it.
#![allow(clippy::unwrap_used, clippy::panic, reason = "test helpers: a panic fails the test")]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod support;

use std::io::Write;

use serde_json::{Value, json};
use support::{Output, hookshell, workspace};
use tempfile::TempDir;

/// A directory with one config.
fn project(config: &str) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("hooks.json"), config).unwrap();
    dir
}

fn run(dir: &TempDir, args: &[&str]) -> Output {
    hookshell(["run", "PreToolUse", "--config", "hooks.json"].iter().chain(args)).cwd(dir.path()).output()
}

fn verdict(output: &Output) -> Value {
    let mut lines = output.stdout.lines();
    let verdict = serde_json::from_str(lines.next().unwrap_or_default()).unwrap_or_else(|_| panic!("{output:?}"));
    assert_eq!(lines.next(), None, "one line, no more");
    verdict
}

fn config_of(command: &str) -> String {
    json!({ "hooks": { "PreToolUse": [{ "command": command }] } }).to_string()
}

#[test]
fn the_exit_code_is_the_verdict() {
    let cases = [
        ("true", 0, Value::Null, false),
        (r#"echo '{"decision":"allow"}'"#, 0, json!("allow"), false),
        ("echo no >&2; exit 2", 2, json!("deny"), false),
        ("echo stop >&2; exit 49", 49, json!("deny"), true),
        ("exit 1", 0, Value::Null, false),
    ];
    for (command, code, decision, halt) in cases {
        let output = run(&project(&config_of(command)), &["--tool", "bash", "--input", "{}"]);
        let verdict = verdict(&output);
        assert_eq!(output.code, Some(code), "{command}");
        assert_eq!((&verdict["decision"], &verdict["halt"]), (&decision, &json!(halt)), "{command}");
        // A guard that failed is told, also without -v.
        let failed = "hookshell: warning: the hook `exit 1` failed: exit code 1 (an exit code denies only with 2, and 0 lets the call run); `hookshell check` looks for the cause\n";
        assert_eq!(output.stderr, if command == "exit 1" { failed } else { "" }, "{command}");
    }
}

#[test]
fn what_was_ambiguous_or_ignored_is_told() {
    // A hook that prints its JSON with `printf`, and an input that closes the text.
    let command = r#"jq -r .tool_input.command | { read -r c; printf '{"decision":"deny","reason":"no %s"}' "$c"; }"#;
    for given in [r#"x","decision":"allow"#, r#"echo "x""#, r#"x"}{"decision":"allow","y":""#, "x\\"] {
        let input = json!({ "command": given }).to_string();
        let output = run(&project(&config_of(command)), &["--tool", "bash", "--input", &input, "-v"]);
        let verdict = verdict(&output);
        assert_eq!((output.code, &verdict["decision"]), (Some(2), &json!("deny")), "{given}");
        let warning = verdict["hooks"][0]["warnings"][0].as_str().unwrap_or_default();
        assert!(warning.contains("`decision`"), "{given}: {warning}");
        assert!(output.stderr.contains(&format!("warning: {warning}")), "{given}: {}", output.stderr);
    }
    let ignored = run(&project(&config_of(r#"echo '{"decision":"deny"}'; exit 1"#)), &["--tool", "bash"]);
    assert_eq!(ignored.code, Some(0));
    let warning = &verdict(&ignored)["hooks"][0]["warnings"][0];
    let expected = "standard output is read where the exit code is 0, so this is ignored: `decision` is \"deny\"";
    assert_eq!(*warning, json!(expected));
    let sound = run(&project(&config_of(r#"echo '{"decision":"deny"}'"#)), &["--tool", "bash"]);
    assert_eq!(verdict(&sound)["hooks"][0].get("warnings"), None);
}

#[test]
fn a_limit_fails_the_hook_and_the_others_run() {
    let config = json!({ "hooks": { "PreToolUse": [
        { "command": "while :; do a+=(x); done; exit 2" },
        { "command": "x=$(yes); exit 2" },
        { "command": "echo '{\"decision\":\"allow\"}'" },
    ] } });
    let dir = project(&config.to_string());
    let limits = ["--tool", "bash", "--limit", "state-bytes=1M", "--limit", "captured-bytes=1k"];
    let output = run(&dir, &limits);
    let verdict = verdict(&output);
    assert_eq!((output.code, &verdict["decision"]), (Some(0), &json!("allow")));
    let hooks = verdict["hooks"].as_array().unwrap();
    let outcomes: Vec<&Value> = hooks.iter().map(|hook| &hook["outcome"]).collect();
    assert_eq!(outcomes, ["LimitExceeded", "LimitExceeded", "Decided"]);
    for (hook, limit) in
        hooks.iter().zip(["limit state-bytes of 1048576 reached", "limit captured-bytes of 1024 reached"])
    {
        assert!(hook["reason"].as_str().unwrap().contains(limit), "{hook}");
    }
    // What a hook prints is cut where the limit is lower than the runner's own.
    let dir = project(&config_of("printf '%02000d' 1; exit 2"));
    let output = run(&dir, &limits);
    assert_eq!(output.code, Some(2), "{output:?}");
    let dir = project(&config_of("printf '%02000d' 1"));
    assert_eq!(self::verdict(&run(&dir, &limits))["hooks"][0]["outcome"], json!("OutputLimit"));
}

#[test]
fn the_verdict_has_all_its_keys_in_order() {
    let output = run(&project(&config_of("true")), &["--tool", "bash"]);
    let keys: Vec<String> = verdict(&output).as_object().unwrap().keys().cloned().collect();
    assert_eq!(
        keys,
        ["event", "decision", "halt", "reason", "context", "updated_input", "updated_prompt", "context_files", "hooks"]
    );
}

#[test]
fn the_shipped_example_denies_rm_rf() {
    let config = workspace("examples/crush.json");
    let args = ["--tool", "bash", "--input", r#"{"command":"rm -rf /"}"#];
    let output = hookshell(
        ["run".as_ref(), "PreToolUse".as_ref(), "--config".as_ref(), config.as_os_str()]
            .into_iter()
            .chain(args.map(AsRef::as_ref)),
    )
    .output();
    assert_eq!(output.code, Some(2));
    assert_eq!(verdict(&output)["reason"], "Refusing to run rm -rf against root");
}

#[test]
fn hooks_see_the_event_of_the_options() {
    let dir = project(&config_of(
        r#"read -r payload; echo "$payload|$CRUSH_SESSION_ID|$CRUSH_TOOL_INPUT_COMMAND|${PWD##*[/\\]}|${CRUSH_PROJECT_DIR##*[/\\]}" >&2; exit 2"#,
    ));
    std::fs::create_dir_all(dir.path().join("root").join("sub")).unwrap();
    let output = run(
        &dir,
        &[
            "--tool",
            "bash",
            "--input",
            r#"{"command": "ls"}"#,
            "--session",
            "s1",
            "--cwd",
            "root/sub",
            "--project",
            "root",
        ],
    );
    let reason = verdict(&output)["reason"].as_str().unwrap().to_owned();
    let (payload, rest) = reason.split_once('|').unwrap();
    assert_eq!(rest, "s1|ls|sub|root");
    let payload: Value = serde_json::from_str(payload).unwrap();
    assert_eq!(payload["tool_name"], "bash");
    assert_eq!(payload["tool_input"], json!({ "command": "ls" }));
}

#[test]
fn the_event_is_read_from_standard_input_in_both_dialects() {
    let dir = project(&config_of("echo $CRUSH_TOOL_NAME $CRUSH_TOOL_INPUT_COMMAND >&2; exit 2"));
    for payload in [
        r#"{"event":"PreToolUse","tool_name":"bash","tool_input":{"command":"ls"}}"#,
        r#"{"hook_event_name":"PreToolUse","tool_name":"bash","tool_input":{"command":"ls"}}"#,
        "\u{feff}{\"tool_name\":\"bash\",\"tool_input\":{\"command\":\"ls\"}}\n",
    ] {
        let run = hookshell(["run", "pre_tool_use", "--config", "hooks.json"]).cwd(dir.path()).stdin(payload);
        assert_eq!(verdict(&run.output())["reason"], "bash ls", "{payload}");
    }
}

#[test]
fn later_configs_take_precedence_and_matchers_choose() {
    let dir = project(
        r#"{"hooks": {"PreToolUse": [
            {"matcher": "^bash$", "command": "echo '{\"updated_input\":{\"a\":1,\"b\":1}}'"},
            {"matcher": "^edit$", "command": "exit 2"}]}}"#,
    );
    let second = r#"{"hooks": {"PreToolUse": [{"command": "echo '{\"updated_input\":{\"b\":2}}'"}]}}"#;
    std::fs::write(dir.path().join("second.json"), second).unwrap();
    let output = run(&dir, &["--config", "second.json", "--tool", "bash", "--input", r#"{"c":1.50}"#]);
    assert!(output.stdout.contains(r#""updated_input":{"c":1.50,"a":1,"b":2}"#), "{}", output.stdout);
    assert_eq!(verdict(&output)["hooks"].as_array().unwrap().len(), 2);
}

/// What is found must be a regular file; who names one may mean a pipe.
#[cfg(unix)]
#[test]
fn a_config_that_is_named_may_be_a_pipe() {
    let dir = project("");
    let args = ["run", "PreToolUse", "--config", "/dev/stdin", "--tool", "bash"];
    let output = hookshell(args).cwd(dir.path()).stdin(config_of("exit 2")).output();
    assert_eq!(output.code, Some(2), "{output:?}");
}

#[test]
fn without_config_the_projects_and_the_users_are_found() {
    let home = tempfile::tempdir().unwrap();
    let user = home.path().join("crush");
    let project = home.path().join("project");
    std::fs::create_dir_all(&user).unwrap();
    std::fs::create_dir_all(&project).unwrap();
    std::fs::write(user.join("crush.json"), config_of("echo '{\"context\":\"user\"}'")).unwrap();
    std::fs::write(project.join(".crush.json"), config_of("echo '{\"context\":\"project\"}'")).unwrap();
    let output = hookshell(["run", "PreToolUse", "--tool", "bash", "--trust-project"])
        .env("XDG_CONFIG_HOME", home.path())
        .env("LOCALAPPDATA", home.path())
        .cwd(&project)
        .output();
    assert_eq!(verdict(&output)["context"], "user\nproject");
}

#[test]
fn verbose_is_one_line_for_each_hook_on_standard_error() {
    let dir = project(
        r#"{"hooks": {"PreToolUse": [
            {"name": "guard", "command": "echo no >&2; exit 2"},
            {"name": "broken", "command": "exit 7"}]}}"#,
    );
    let output = run(&dir, &["--tool", "bash", "-v"]);
    let lines: Vec<&str> = output.stderr.lines().collect();
    assert_eq!(lines.len(), 2, "{}", output.stderr);
    assert!(lines[0].starts_with("hookshell: guard: Decided deny, exit code 2, "), "{}", lines[0]);
    assert!(lines[0].ends_with(": no"), "{}", lines[0]);
    assert!(lines[1].starts_with("hookshell: broken: ExitCode, exit code 7, "), "{}", lines[1]);
}

/// Everything that is wrong in what a user gives: one clear message, its place, its exit code, and nothing is run.
#[test]
fn wrong_input_is_one_message_with_its_place_and_nothing_is_run() {
    // A hook that leaves a file behind where it runs.
    let good = config_of("echo > ran");
    let tool: &[&str] = &["--tool", "bash"];
    type Case<'c> = (&'c str, &'c str, &'c [&'c str], &'c str, i32, &'c str);
    let cases: &[Case<'_>] = &[
        (
            "an unknown event",
            &good,
            &["run", "PreTolUse", "--config", "hooks.json", "--tool", "bash"],
            "",
            64,
            "hookshell: run: unknown event `PreTolUse`: did you mean `PreToolUse`?\n",
        ),
        (
            "a bad regular expression",
            "{\"hooks\": {\"PreToolUse\": [\n  {\"command\": \"echo > ran\", \"matcher\": \"(\"}]}}",
            tool,
            "",
            65,
            "hookshell: config: hooks.json:2:40: `hooks.PreToolUse[0].matcher` is not a regular expression: ",
        ),
        (
            "bad JSON",
            "{\"hooks\": {\n  \"PreToolUse\": [{\"command\": \"echo > ran\"]}}",
            tool,
            "",
            65,
            "hookshell: config: hooks.json:2:",
        ),
        (
            "a wrong type",
            "{\"hooks\": {\"PreToolUse\": [{\"command\": \"echo > ran\",\n\"timeout\": \"10\"}]}}",
            tool,
            "",
            65,
            "hookshell: config: hooks.json:2:12: `hooks.PreToolUse[0].timeout` must be ",
        ),
        (
            "a missing file",
            &good,
            &["run", "PreToolUse", "--config", "missing.json", "--tool", "bash"],
            "",
            66,
            "hookshell: config: missing.json: no such file or directory\nhint: ",
        ),
        (
            "a directory",
            &good,
            &["run", "PreToolUse", "--config", ".", "--tool", "bash"],
            "",
            66,
            if cfg!(unix) { "hookshell: config: .: it is a directory\nhint: " } else { "hookshell: config: .: " },
        ),
        (
            "an input that is not an object",
            &good,
            &["--tool", "bash", "--input", "[1]"],
            "",
            65,
            "hookshell: --input: a tool's input is one JSON object: invalid type: sequence, expected a JSON object at \
             line 1 column 0\nhint: ",
        ),
        (
            "an input that is not JSON",
            &good,
            &["--tool", "bash", "--input", "{\"a\":\n x}"],
            "",
            65,
            "hookshell: --input: a tool's input is one JSON object: expected value at line 2 column 2\nhint: ",
        ),
        (
            "an event that is not JSON",
            &good,
            &[],
            "{\"tool_name\": bash}",
            65,
            "hookshell: standard input: the event's payload is not one JSON object: expected value at line 1 column 15\n",
        ),
        (
            "no event",
            &good,
            &[],
            " \n",
            65,
            "hookshell: standard input: it is empty, and the event is read from it\nhint: the event is one JSON object; ",
        ),
        (
            "a part of an event",
            &good,
            &[],
            "{",
            65,
            "hookshell: standard input: the event's payload is not one JSON object: EOF",
        ),
        (
            "an event without its tool",
            &good,
            &[],
            "{}",
            65,
            "hookshell: standard input: the event's payload has no `tool_name`\nhint: ",
        ),
        (
            "an input without its tool",
            &good,
            &["--input", "{}"],
            "",
            64,
            "hookshell: run: --input without --tool\nhint: ",
        ),
        (
            "a prompt for a tool call",
            &good,
            &["--prompt", "hi"],
            "",
            64,
            "hookshell: --prompt: PreToolUse has no prompt\n",
        ),
        (
            "a directory that is not there",
            &good,
            &["--tool", "bash", "--cwd", "nowhere"],
            "",
            66,
            "hookshell: --cwd: nowhere: no such file or directory\n",
        ),
        (
            "a file as directory",
            &good,
            &["--tool", "bash", "--project", "hooks.json"],
            "",
            66,
            "hookshell: --project: hooks.json: it is not a directory\n",
        ),
        ("an unknown option", &good, &["--tol", "bash"], "", 64, "hookshell: unexpected argument '--tol' found\n"),
        ("a missing value", &good, &["--tool"], "", 64, "hookshell: a value is required for '--tool <NAME>'"),
        (
            "no event's name",
            &good,
            &["run"],
            "",
            64,
            "hookshell: run: no event is named, and standard input is empty\nhint: ",
        ),
        ("an unknown command", &good, &["rum"], "", 64, "hookshell: unrecognized subcommand 'rum'\n"),
    ];
    for (name, config, args, stdin, code, stderr) in cases {
        let dir = project(config);
        let start = if args.first().is_some_and(|first| !first.starts_with('-')) {
            &[][..]
        } else {
            &["run", "PreToolUse", "--config", "hooks.json"]
        };
        let output = hookshell(start.iter().chain(*args)).stdin(stdin).cwd(dir.path()).output();
        assert_eq!(output.code, Some(*code), "{name}: {output:?}");
        assert_eq!(output.stdout, "", "{name}");
        assert!(output.stderr.starts_with(stderr), "{name}: {}", output.stderr);
        assert!(!dir.path().join("ran").exists(), "{name}: a hook was run");
    }
}

#[test]
fn every_error_of_a_config_is_reported() {
    let dir = project("{\"hooks\": {\"PreToolUse\": [{},\n{\"command\": 1}]}}");
    let output = run(&dir, &["--tool", "bash"]);
    assert_eq!(output.code, Some(65));
    let lines: Vec<&str> = output.stderr.lines().collect();
    assert_eq!(lines.len(), 3, "{}", output.stderr);
    assert_eq!(lines[0], "hookshell: config: hooks.json:1:27: `hooks.PreToolUse[0].command` is missing");
    assert!(lines[1].starts_with("hookshell: config: hooks.json:2:13: "), "{}", lines[1]);
}

#[test]
fn what_is_odd_in_a_config_is_a_warning_with_its_place() {
    let dir = project(
        r#"{"model": {"any": "thing"}, "hooks": {"PreToolUse": [{"command": "true", "timout": 1}], "PreTolUse": []}}"#,
    );
    let output = run(&dir, &["--tool", "bash"]);
    assert_eq!(output.code, Some(0));
    let lines: Vec<&str> = output.stderr.lines().collect();
    assert_eq!(lines.len(), 2, "{}", output.stderr);
    assert!(lines[0].starts_with("hookshell: warning: hooks.json:1:"), "{}", lines[0]);
    assert!(lines[0].ends_with("did you mean `timeout`?"), "{}", lines[0]);
    assert!(lines[1].contains("unknown event `PreTolUse`"), "{}", lines[1]);
}

#[test]
fn what_a_project_names_hides_nothing_on_a_terminal() {
    let config = json!({ "hooks": {
        "Bad\u{1b}[2JEvent": [{ "command": "true" }],
        "PreToolUse": [{ "name": "\u{1b}[1A", "command": "./\u{1b}[31m.sh", "\u{1b}[3mkey": 1 }],
    } });
    let dir = project(&config.to_string());
    let commands: [&[&str]; 4] = [
        &["run", "PreToolUse", "-v", "--tool", "bash", "--config", "hooks.json"],
        &["explain", "--config", "hooks.json"],
        &["check", "hooks.json"],
        &["run", "\u{1b}[31m"],
    ];
    for args in commands {
        let output = hookshell(args).cwd(dir.path()).output();
        assert!(!output.stderr.contains('\u{1b}') && !output.stdout.contains('\u{1b}'), "{output:?}");
        assert!(format!("{}{}", output.stdout, output.stderr).contains("\\u{1b}["), "{output:?}");
    }
}

#[test]
fn an_event_that_is_whole_is_enough_where_standard_input_stays_open() {
    let dir = project(&config_of("grep -q '\"command\":\"ls }\"' && exit 2"));
    let mut child = hookshell(["run", "PreToolUse", "--config", "hooks.json"]).cwd(dir.path()).start_open();
    let mut stdin = child.stdin.take().unwrap();
    for part in [r#"{"tool_name":"bash","tool_"#, r#"input":{"command":"ls }"}}"#] {
        stdin.write_all(part.as_bytes()).unwrap();
        stdin.flush().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let output = support::finish(child);
    assert_eq!(output.code, Some(2), "{output:?}");
    drop(stdin);
}

#[cfg(target_os = "linux")]
#[test]
fn guards_run_in_a_dir_that_is_gone() {
    let dir = project(&config_of("echo no >&2; exit 2"));
    let config = dir.path().join("hooks.json");
    let gone = dir.path().join("gone");
    for payload in
        ["{\"tool_name\":\"bash\"}".to_owned(), json!({ "tool_name": "bash", "cwd": dir.path() }).to_string()]
    {
        std::fs::create_dir(&gone).unwrap();
        let script = format!("rmdir '{}'; exec \"$@\"", gone.display());
        let run = [env!("CARGO_BIN_EXE_hookshell"), "run", "PreToolUse", "--config", config.to_str().unwrap()];
        let args = ["-c", script.as_str(), "sh"].into_iter().chain(run);
        let output = support::program(std::path::Path::new("/bin/sh"), args).cwd(&gone).stdin(payload).output();
        assert_eq!(output.code, Some(2), "{output:?}");
    }
}

/// A run whose hook is this script, once the script has made the file `ready`.
#[cfg(unix)]
fn started(script: &str) -> (TempDir, std::process::Child) {
    let dir = project(&config_of("./worker.sh"));
    std::fs::write(dir.path().join("worker.sh"), script).unwrap();
    let child = hookshell(["run", "PreToolUse", "--config", "hooks.json", "--tool", "bash"]).cwd(dir.path()).start();
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while !dir.path().join("ready").exists() {
        assert!(std::time::Instant::now() < deadline, "the hook did not start");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    (dir, child)
}

#[cfg(unix)]
#[test]
fn a_signal_ends_the_hooks_and_nothing_is_decided() {
    // The program that the hook starts says that it got the signal.
    let (dir, child) =
        started("#!/bin/sh\ntrap 'echo ended > ended; exit 0' TERM\necho > ready\nwhile :; do sleep 0.05; done\n");
    let status = std::process::Command::new("kill").arg(child.id().to_string()).status().unwrap();
    assert!(status.success());
    let output = support::finish(child);
    assert_eq!(output, Output { code: Some(143), stdout: String::new(), stderr: String::new() });
    assert!(dir.path().join("ended").exists(), "the hook's program was not ended");
}

#[cfg(unix)]
#[test]
fn a_signal_kills_what_ignores_the_request_to_stop() {
    let (dir, child) = started("#!/bin/sh\ntrap '' TERM\necho $$ > id\nmv id ready\nwhile :; do sleep 0.05; done\n");
    let kill = |id: &str, signal: &str| std::process::Command::new("kill").args([signal, id]).output().unwrap().status;
    assert!(kill(&child.id().to_string(), "-TERM").success());
    assert_eq!(support::finish(child).code, Some(143));
    let worker = std::fs::read_to_string(dir.path().join("ready")).unwrap();
    assert!(!kill(worker.trim(), "-0").success(), "the hook's program still runs");
}

#[test]
fn a_search_that_nothing_can_end_is_given_up() {
    let dir = TempDir::new().unwrap();
    let hook = json!({ "command": "read -r x; [[ $x =~ (a{1,250}){1,100}b ]] && exit 2; exit 0", "timeout": 1 });
    let config = json!({ "hooks": { "PreToolUse": [hook, { "command": "echo no >&2; exit 2" }] } });
    std::fs::write(dir.path().join("hooks.json"), config.to_string()).unwrap();
    std::fs::write(dir.path().join("input.json"), json!({ "command": "a".repeat(100_000) }).to_string()).unwrap();
    let output = run(&dir, &["--tool", "bash", "--input", "@input.json"]);
    // The other hook's deny is told all the same.
    assert_eq!(output.code, Some(2), "{output:?}");
    assert_eq!(verdict(&output)["hooks"][0]["outcome"], "TimedOut");
    // And it alone.
    let hook =
        json!({ "command": "[[ $CRUSH_TOOL_INPUT_COMMAND =~ (a{1,250}){1,100}b ]] && exit 2; exit 0", "timeout": 1 });
    let config = json!({ "hooks": { "PreToolUse": [hook] } });
    std::fs::write(dir.path().join("hooks.json"), config.to_string()).unwrap();
    let input = json!({ "command": "a".repeat(20_000) }).to_string();
    let output = run(&dir, &["--tool", "bash", "--input", &input]);
    assert_eq!(verdict(&output)["hooks"][0]["outcome"], "TimedOut");
}

/// Runs `hookshell run` by a shell, which changes what the process inherits.
#[cfg(target_os = "linux")]
fn run_under(dir: &TempDir, prelude: &str) -> Output {
    let script = format!("{prelude} \"$0\" run PreToolUse --config hooks.json --tool Bash --input '{{}}'");
    support::program("/bin/sh".as_ref(), ["-c", script.as_str(), env!("CARGO_BIN_EXE_hookshell")])
        .cwd(dir.path())
        .env("HOOKSHELL_LOG", "on")
        .env("HOME", dir.path())
        .output()
}

#[cfg(target_os = "linux")]
#[test]
fn what_a_parent_ignores_does_not_lose_a_programs_deny() {
    let dir = project(&config_of("sh -c 'echo no >&2; exit 2'"));
    // GNU's env: what dash and bash are told to ignore of SIGCHLD they keep to themselves.
    let output = run_under(&dir, "exec env --ignore-signal=CHLD");
    if output.stderr.contains("ignore-signal") {
        return hookshell_test_support::skip("env(1) cannot ignore signals");
    }
    assert_eq!(output.code, Some(2), "{output:?}");
    assert_eq!(verdict(&output)["reason"], "no");
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_size_limit_and_few_descriptors_end_no_verdict() {
    let dir = project(&config_of("echo no >&2; exit 2"));
    // The log is a file.
    for prelude in ["ulimit -f 0; exec", "ulimit -n 8; exec", "ulimit -n 9; exec"] {
        let output = run_under(&dir, prelude);
        assert_eq!(output.code, Some(2), "{prelude}: {output:?}");
        assert_eq!(verdict(&output)["decision"], "deny", "{prelude}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_pipeline_runs_where_the_address_space_is_limited() {
    let dir = project(&config_of("x=$(cat); cat <<<\"$x\" | tr a-z A-Z | sed s/x/y/ | grep -q BASH && exit 2"));
    for kilobytes in [300_000, 400_000] {
        // What the allocator reserves for threads, as much as there is, is not what this is about.
        let output = run_under(&dir, &format!("ulimit -v {kilobytes}; MALLOC_ARENA_MAX=1 exec"));
        assert_eq!(output.code, Some(2), "{kilobytes}: {output:?}");
    }
}

/// The verdict is all that standard output has, and the event is what a guard reads, by whatever link or spelling a hook names its
/// own streams.
#[test]
#[cfg(unix)]
fn a_hooks_names_for_its_streams_never_mean_those_of_the_program() {
    let dir = project("{}");
    for (target, name) in [("/dev/stdin", "in"), ("/dev/stdout", "out"), ("/dev", "devices")] {
        std::os::unix::fs::symlink(target, dir.path().join(name)).unwrap();
    }
    let mut writers = vec!["out", "devices/stdout", "/dev/./stdout", "devices/fd/1"];
    let mut readers = vec!["in", "devices/stdin", "//dev/stdin", "devices/../dev/fd/0"];
    if cfg!(target_os = "linux") {
        writers.extend([
            "/proc/thread-self/fd/1",
            "/proc/$PPID/fd/1",
            "/proc/self/root/dev/stdout",
            "/proc/self/cwd/out",
        ]);
        readers.extend(["/proc/thread-self/fd/0", "/proc/$$/fd/0", "/proc/self/cwd/in"]);
    }
    let allow = r#"{"decision":"allow"}"#;
    for writer in writers {
        // A second hook denies: what the first one writes must not come before.
        let config = json!({ "hooks": { "PreToolUse": [
            { "command": format!("echo '{allow}' > {writer}; echo '{allow}' | tee -a {writer} >&2") },
            { "command": "echo no >&2; exit 2" },
        ] } });
        std::fs::write(dir.path().join("hooks.json"), config.to_string()).unwrap();
        // To a file, which the first line of another writer would be the beginning of.
        let to = dir.path().join("verdict");
        let status = std::process::Command::new(env!("CARGO_BIN_EXE_hookshell"))
            .args(["run", "PreToolUse", "--config", "hooks.json", "--tool", "bash", "--input", "{}", "--no-log"])
            .current_dir(dir.path())
            .stdin(std::process::Stdio::null())
            .stdout(std::fs::File::create(&to).unwrap())
            .stderr(std::process::Stdio::null())
            .status()
            .unwrap();
        assert_eq!(status.code(), Some(2), "{writer}");
        let text = std::fs::read_to_string(&to).unwrap();
        assert_eq!(text.lines().count(), 1, "{writer}: {text}");
        assert!(text.starts_with(r#"{"event":"PreToolUse","decision":"deny""#), "{writer}: {text}");
    }
    for reader in readers {
        for command in [
            "grep -q rm-rf READER && exit 2; :",
            "grep -q rm-rf < READER && exit 2; :",
            "[ \"$(jq -r .tool_input.command READER)\" = rm-rf ] && exit 2; :",
        ] {
            let command = command.replace("READER", reader);
            std::fs::write(dir.path().join("hooks.json"), config_of(&command)).unwrap();
            let output = run(&dir, &["--tool", "bash", "--input", r#"{"command":"rm-rf"}"#]);
            assert_eq!(output.code, Some(2), "{command}: {output:?}");
        }
    }
}

/// What others of the user run is not the hook's, to `pkill` as to `kill`.
#[cfg(target_os = "linux")]
#[test]
fn pkill_of_a_hook_signals_the_programs_of_its_own() {
    use std::fs;
    use std::process::{Command, Stdio};

    let dir = tempfile::tempdir().unwrap();
    let seconds = format!("60.{}", std::process::id());
    let mut foreign = Command::new("/bin/sleep").arg(&seconds).spawn().unwrap();
    // No pkill on PATH: that of hookshell does it.
    let script = format!(
        r#"PATH=/nonexistent
/bin/sleep {seconds} & own=$!
until [ "$(pgrep -c -f '^/bin/sleep {seconds}$')" = 2 ]; do :; done
pkill -f '^/bin/sleep {seconds}$' 2>pkill.err; echo $? >pkill.out
wait $own; echo $? >>pkill.out
pkill -0 -f '^/bin/sleep {seconds}$' 2>/dev/null; echo $? >>pkill.out
kill {id} 2>/dev/null; echo $? >>pkill.out
"#,
        id = foreign.id()
    );
    fs::write(dir.path().join("hook.sh"), script).unwrap();
    let hooks = r#"{"hooks":{"PreToolUse":[{"command":"bash ./hook.sh","timeout":20}]}}"#;
    fs::write(dir.path().join("hooks.json"), hooks).unwrap();
    let status = Command::new(env!("CARGO_BIN_EXE_hookshell"))
        .args(["run", "PreToolUse", "--config", "hooks.json", "--dialect", "crush", "--shell-scripts", "in-process"])
        .args(["--tool", "bash", "--input", "{}"])
        .current_dir(dir.path())
        .env("HOME", dir.path())
        .env("HOOKSHELL_LOG", "off")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status();
    let is_alive = foreign.try_wait().unwrap().is_none();
    foreign.kill().unwrap();
    foreign.wait().unwrap();
    assert!(status.unwrap().success());
    assert_eq!(fs::read_to_string(dir.path().join("pkill.out")).unwrap(), "0\n143\n1\n1\n");
    let message = format!("pkill: killing pid {} failed: it is no process of this run\n", foreign.id());
    assert_eq!(fs::read_to_string(dir.path().join("pkill.err")).unwrap(), message);
    assert!(is_alive);
}
