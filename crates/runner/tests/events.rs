//! Every event, and every key of a hook, with hooks that really run.
#![allow(clippy::unwrap_used, reason = "test helpers: a panic fails the test")]

use std::path::Path;
use std::time::{Duration, Instant};

use hookshell_runner::{Config, Decision, Event, EventKind, JsonText, PayloadDefaults, Runner, ToolInput, Verdict};

fn runner(hooks: &str) -> Runner {
    let config = Config::parse(&format!("{{\"hooks\":{{{hooks}}}}}"), "c.json").unwrap();
    assert_eq!(config.warnings(), []);
    Runner::builder().config(config).grace(Duration::from_millis(200)).build().unwrap()
}

fn outcomes(verdict: &Verdict) -> Vec<&'static str> {
    verdict.hooks.iter().map(|hook| hook.outcome.as_str()).collect()
}

fn bash(cwd: &Path, command: &str) -> Event {
    let input = format!("{{\"command\":{}}}", serde_json::to_string(command).unwrap());
    Event::pre_tool_use("bash", ToolInput::parse(&input).unwrap(), cwd).with_session_id("s1")
}

fn all_events(cwd: &Path) -> Vec<Event> {
    let input = || ToolInput::parse(r#"{"command":"ls"}"#).unwrap();
    vec![
        Event::pre_tool_use("bash", input(), cwd),
        Event::post_tool_use("bash", input(), JsonText::parse(r#"{"out": [1.50]}"#).unwrap(), cwd),
        Event::post_tool_use_failure("bash", input(), "no such file", cwd),
        Event::user_prompt_submit("fix it", cwd).with_attachments(["a.png"]),
        Event::session_start("startup", cwd),
        Event::session_end("logout", cwd),
        Event::stop(true, cwd).with_last_message("done"),
        Event::subagent_stop(false, cwd),
        Event::pre_compact("auto", cwd),
        Event::notification("ready", cwd),
        Event::turn_start(3, cwd),
        Event::turn_end(3, JsonText::string("done"), JsonText::parse(r#"[{"n": 1.50}]"#).unwrap(), cwd),
        Event::session_before_branch(Some(2), cwd),
        Event::session_branch(None, cwd),
        Event::session_before_switch(cwd),
        Event::session_switch(cwd).with_session_file("s.jsonl"),
    ]
}

#[test]
fn each_event_gives_its_own_payload_and_reads_it_back() {
    let dir = tempfile::tempdir().unwrap();
    let expected = [
        r#""is_sub_agent":false,"tool_name":"bash","tool_input":{"command":"ls"}}"#,
        r#""tool_name":"bash","tool_input":{"command":"ls"},"tool_response":{"out":[1.50]}}"#,
        r#""tool_name":"bash","tool_input":{"command":"ls"},"error":"no such file"}"#,
        r#""is_sub_agent":false,"prompt":"fix it","attachments":["a.png"]}"#,
        r#""is_sub_agent":false,"source":"startup"}"#,
        r#""is_sub_agent":false,"reason":"logout"}"#,
        r#""stop_hook_active":true,"last_assistant_message":"done"}"#,
        r#""is_sub_agent":false,"stop_hook_active":false}"#,
        r#""is_sub_agent":false,"trigger":"auto"}"#,
        r#""is_sub_agent":false,"message":"ready"}"#,
        r#""is_sub_agent":false,"turn_index":3}"#,
        r#""is_sub_agent":false,"turn_index":3,"message":"done","tool_results":[{"n":1.50}]}"#,
        r#""is_sub_agent":false,"target_turn_index":2}"#,
        r#""is_sub_agent":false}"#,
        r#""is_sub_agent":false}"#,
        r#""is_sub_agent":false,"session_file":"s.jsonl"}"#,
    ];
    let names = EventKind::ALL.map(|event| format!("\"{event}\":[{{\"command\":\"cat >payload\"}}]")).join(",");
    let runner = runner(&names);
    for (event, expected) in all_events(dir.path()).iter().zip(expected) {
        let verdict = runner.run_blocking(event);
        assert_eq!(outcomes(&verdict), ["NoOpinion"], "{}", verdict.to_json());
        let payload = std::fs::read_to_string(dir.path().join("payload")).unwrap();
        assert!(payload.starts_with(&format!("{{\"event\":\"{}\",\"session_id\":\"\",\"cwd\":", event.name())));
        assert!(payload.ends_with(&format!("{expected}\n")), "{payload}");
        // Written by the event that was read back it is the same text.
        let read = Event::from_payload(payload.as_bytes(), &PayloadDefaults::default()).unwrap();
        runner.run_blocking(&read);
        assert_eq!(std::fs::read_to_string(dir.path().join("payload")).unwrap(), payload);
    }
}

#[test]
fn what_the_agents_payload_has_beyond_the_contract_reaches_the_hooks() {
    let dir = tempfile::tempdir().unwrap();
    let payload = r#"{"hook_event_name":"Stop","transcript_path":"/t","n":1.50}"#;
    let defaults = PayloadDefaults { cwd: dir.path().into(), ..PayloadDefaults::default() };
    let event = Event::from_payload(payload.as_bytes(), &defaults).unwrap();
    runner(r#""Stop":[{"command":"cat >payload"}]"#).run_blocking(&event);
    let payload = std::fs::read_to_string(dir.path().join("payload")).unwrap();
    assert!(payload.ends_with("\"stop_hook_active\":false,\"transcript_path\":\"/t\",\"n\":1.50}\n"), "{payload}");
}

#[test]
fn exit_2_blocks_where_there_is_something_to_block() {
    let dir = tempfile::tempdir().unwrap();
    let hooks = EventKind::ALL.map(|event| format!("\"{event}\":[{{\"command\":\"echo no >&2; exit 2\"}}]")).join(",");
    let says = EventKind::ALL.map(|event| {
        format!("\"{event}\":[{{\"command\":\"echo '{{\\\"decision\\\":\\\"deny\\\",\\\"reason\\\":\\\"no\\\"}}'\"}}]")
    });
    let (exits, says) = (runner(&hooks), runner(&says.join(",")));
    for event in all_events(dir.path()) {
        let blocks = event.name().can_block();
        let verdict = exits.run_blocking(&event);
        assert_eq!(outcomes(&verdict), [if blocks { "Decided" } else { "ExitCode" }], "{}", event.name());
        assert_eq!(verdict.exit_code(), if blocks { 2 } else { 0 });
        let verdict = says.run_blocking(&event);
        assert_eq!(verdict.opinion.decision, blocks.then_some(Decision::Deny), "{}", event.name());
        assert_eq!(verdict.opinion.reason.as_deref(), blocks.then_some("no"), "{}", event.name());
    }
}

#[test]
fn the_last_updated_prompt_wins_and_both_prompts_are_in_the_verdict() {
    let dir = tempfile::tempdir().unwrap();
    let event = Event::user_prompt_submit("fix @TODO", dir.path());
    let hooks = r#""UserPromptSubmit":[
        {"command":"echo '{\"updated_prompt\":\"one\",\"context\":\"c1\",\"updated_input\":{\"x\":1}}'"},
        {"command":"echo '{\"updated_prompt\":\"two\",\"context\":[\"c2\"]}'"},
        {"command":":"}"#;
    let verdict = runner(&format!("{hooks}]")).run_blocking(&event);
    assert_eq!(verdict.prompt.as_deref(), Some("fix @TODO"));
    assert_eq!(verdict.opinion.updated_prompt.as_deref(), Some("two"));
    assert_eq!(verdict.context().as_deref(), Some("c1\nc2"));
    assert!(verdict.updated_input().is_none());
    for (stop, code) in [("echo no >&2; exit 2", 2), ("echo stop >&2; exit 49", 49)] {
        let verdict = runner(&format!("{hooks},{{\"command\":\"{stop}\"}}]")).run_blocking(&event);
        assert_eq!((verdict.exit_code(), &verdict.opinion.updated_prompt), (code, &None));
        assert_eq!(verdict.context().as_deref(), Some("c1\nc2"));
    }
    // A tool's call has no prompt.
    let verdict = runner(r#""PreToolUse":[{"command":"echo '{\"updated_prompt\":\"x\"}'"}]"#);
    assert_eq!(verdict.run_blocking(&bash(dir.path(), "ls")).opinion.updated_prompt, None);
}

#[test]
fn the_last_updated_result_wins_and_a_halt_does_not_undo_it() {
    let dir = tempfile::tempdir().unwrap();
    let input = || ToolInput::parse("{}").unwrap();
    let response = JsonText::string("key sk-1");
    let event = Event::post_tool_use("bash", input(), response, dir.path());
    let hooks = r#""PostToolUse":[
        {"command":"echo '{\"updated_result\":\"key sk-2\"}'"},
        {"command":"echo '{\"updated_result\": {\"content\": \"key\", \"n\": 1.50}}'"},
        {"command":":"}"#;
    for (last, halt) in [("", false), (",{\"command\":\"exit 49\"}", true)] {
        let verdict = runner(&format!("{hooks}{last}]")).run_blocking(&event);
        assert_eq!(verdict.opinion.halt, halt);
        assert_eq!(verdict.opinion.updated_result.as_ref().unwrap().get(), r#"{"content":"key","n":1.50}"#);
        assert!(
            verdict.to_json().ends_with(r#","updated_result":{"content":"key","n":1.50}}"#),
            "{}",
            verdict.to_json()
        );
    }
    // A call that has not run yet has no result.
    let verdict = runner(r#""PreToolUse":[{"command":"echo '{\"updated_result\":\"x\"}'"}]"#);
    assert_eq!(verdict.run_blocking(&bash(dir.path(), "ls")).opinion.updated_result, None);
}

#[test]
fn context_files_are_listed_once_and_not_on_a_deny() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("A.md"), "").unwrap();
    std::fs::write(dir.path().join("B.md"), "").unwrap();
    let hooks = r#""PreToolUse":[
        {"command":"echo '{\"context_files\":[\"B.md\",\"none\",\"/etc/passwd\"]}'"},
        {"command":"echo '{\"context_files\":[\"A.md\",\"./B.md\"]}'"}"#;
    let verdict = runner(&format!("{hooks}]")).run_blocking(&bash(dir.path(), "ls"));
    assert_eq!(verdict.context_files(), ["B.md", "A.md"]);
    assert_eq!(verdict.context_files_note().as_deref(), Some("## Referenced files\n- B.md\n- A.md"));
    let json: serde_json::Value = serde_json::from_str(&verdict.to_json()).unwrap();
    assert_eq!(json["context_files"], serde_json::json!(["B.md", "A.md"]));
    assert_eq!(json["context_files_note"], "## Referenced files\n- B.md\n- A.md");
    let verdict = runner(&format!("{hooks},{{\"command\":\"exit 2\"}}]")).run_blocking(&bash(dir.path(), "ls"));
    assert_eq!(verdict.context_files(), [""; 0]);
}

#[test]
fn hooks_run_in_sub_agents_only_where_they_include_them() {
    let dir = tempfile::tempdir().unwrap();
    let hooks = r#""PreToolUse":[{"command":": 1"},{"command":": 2","include_sub_agents":true},
        {"command":": 3","include_sub_agents":false}]"#;
    let ran = |hooks: &str, event: Event| -> Vec<String> {
        runner(hooks).run_blocking(&event).hooks.into_iter().map(|hook| hook.command).collect()
    };
    let event = || bash(dir.path(), "ls");
    assert_eq!(ran(hooks, event()), [": 1", ": 2", ": 3"]);
    assert_eq!(ran(hooks, event().in_sub_agent(true)), [": 2"]);
    let default = format!("{hooks},\"include_sub_agents\":true");
    assert_eq!(ran(&default, event().in_sub_agent(true)), [": 1", ": 2"]);
}

#[test]
fn on_failure_has_a_default_for_calls() {
    let dir = tempfile::tempdir().unwrap();
    let hooks = r#""on_failure":"deny","PreToolUse":[{"command":"exit 3"}],"UserPromptSubmit":[{"command":"exit 3"}]"#;
    assert_eq!(runner(hooks).run_blocking(&bash(dir.path(), "ls")).exit_code(), 2);
    assert_eq!(runner(hooks).run_blocking(&Event::user_prompt_submit("p", dir.path())).exit_code(), 0);
    let own = r#""on_failure":"deny","PreToolUse":[{"command":"exit 3","on_failure":"ignore"}]"#;
    assert_eq!(runner(own).run_blocking(&bash(dir.path(), "ls")).exit_code(), 0);
}

#[test]
fn a_hook_has_its_own_variables_dir_and_arguments() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("sub")).unwrap();
    std::fs::write(dir.path().join("args.sh"), "printf '<%s>' \"$@\" >&2; exit 2\n").unwrap();
    let reason = |hook: &str| {
        let verdict = runner(&format!("\"PreToolUse\":[{hook}]")).run_blocking(&bash(dir.path(), "ls"));
        verdict.opinion.reason.unwrap_or_default()
    };
    let hook = r#"{"command":"echo \"$X $CRUSH_TOOL_NAME\" >&2; exit 2","env":{"X":"a b","CRUSH_TOOL_NAME":"own"}}"#;
    assert_eq!(reason(hook), "a b own");
    assert_eq!(reason(r#"{"command":"echo \"${PWD##*/}\" >&2; exit 2","cwd":"sub"}"#), "sub");
    // Nothing runs in a directory that is not there, whether it would need it or not.
    let verdict = runner(r#""PreToolUse":[{"command":"exit 2","cwd":"gone"},{"command":"exit 2","cwd":"gone","on_failure":"deny","name":"strict"}]"#)
        .run_blocking(&bash(dir.path(), "ls"));
    assert_eq!(outcomes(&verdict), ["Spawn"]);
    assert!(
        verdict.opinion.reason.unwrap().starts_with("the hook `exit 2` failed: could not be started: its directory ")
    );
    let hook = r#"{"command":"./args.sh","args":["a b","$HOME","*",";","it's",""]}"#;
    assert_eq!(reason(hook), "<a b><$HOME><*><;><it's><>");
    let windows = r#"{"command":"echo unix >&2; exit 2","command_windows":"echo windows >&2; exit 2"}"#;
    assert_eq!(reason(windows), if cfg!(windows) { "windows" } else { "unix" });
    let shown = &runner(&format!("\"PreToolUse\":[{windows}]")).run_blocking(&bash(dir.path(), "ls")).hooks[0];
    let ran = if cfg!(windows) { "echo windows >&2; exit 2" } else { "echo unix >&2; exit 2" };
    assert_eq!((&*shown.command, &*shown.name), (ran, ran));
    // Other variables make it another run; the same command alone does not.
    let hooks = r#"{"command":":"},{"command":":"},{"command":":","env":{"X":"1"}},{"command":":","cwd":"sub"}"#;
    let verdict = runner(&format!("\"PreToolUse\":[{hooks}]")).run_blocking(&bash(dir.path(), "ls"));
    assert_eq!(verdict.hooks.len(), 3);
}

#[test]
fn a_condition_chooses_among_the_calls() {
    let dir = tempfile::tempdir().unwrap();
    let runner = runner(r#""PreToolUse":[{"command":"exit 2","if":"Bash(git push *)"}]"#);
    assert_eq!(runner.run_blocking(&bash(dir.path(), "cd x && git push -f")).exit_code(), 2);
    assert_eq!(runner.run_blocking(&bash(dir.path(), "git pull")).exit_code(), 0);
}

#[test]
fn once_is_once_in_a_session() {
    let dir = tempfile::tempdir().unwrap();
    let runner = runner(r#""PreToolUse":[{"command":"echo x >>log","once":true}]"#);
    let count = || std::fs::read_to_string(dir.path().join("log")).unwrap().lines().count();
    runner.run_blocking(&bash(dir.path(), "ls"));
    runner.clone().run_blocking(&bash(dir.path(), "ls"));
    assert_eq!(count(), 1);
    runner.run_blocking(&bash(dir.path(), "ls").with_session_id("s2"));
    assert_eq!(count(), 2);
    runner.end_session("s1");
    runner.run_blocking(&bash(dir.path(), "ls"));
    assert_eq!(count(), 3);
}

#[test]
fn a_background_hook_is_not_waited_for_and_ends_with_the_session() {
    let dir = tempfile::tempdir().unwrap();
    let hooks = r#""PreToolUse":[{"command":"sleep 20; echo late >late","async":true,"on_failure":"deny"}],
        "SessionEnd":[{"command":":"}]"#;
    let runner = runner(hooks);
    let begin = Instant::now();
    let verdict = runner.run_blocking(&bash(dir.path(), "ls"));
    assert_eq!(outcomes(&verdict), ["Started"]);
    assert_eq!(verdict.exit_code(), 0);
    runner.run_blocking(&Event::session_end("other", dir.path()).with_session_id("s1"));
    runner.wait_for_background(&|| false);
    assert!(begin.elapsed() < Duration::from_secs(15), "{:?}", begin.elapsed());
    assert!(!dir.path().join("late").exists());
}

#[test]
fn utf16_and_byte_order_marks_are_understood() {
    let dir = tempfile::tempdir().unwrap();
    let says = r#"{"decision":"deny","reason":"nö"}"#;
    let little: Vec<u8> = [0xfeff].into_iter().chain(says.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    std::fs::write(dir.path().join("little"), little).unwrap();
    std::fs::write(dir.path().join("bom"), format!("\u{feff}{says}\r\n")).unwrap();
    for (command, reason) in
        [("cat little", "nö"), ("cat bom", "nö"), ("cat little >&2; exit 2", says), ("cat bom >&2; exit 2", says)]
    {
        let verdict = runner(&format!("\"PreToolUse\":[{{\"command\":\"{command}\"}}]"));
        let verdict = verdict.run_blocking(&bash(dir.path(), "ls"));
        assert_eq!((verdict.exit_code(), verdict.opinion.reason.as_deref()), (2, Some(reason)), "{command}");
    }
}

#[test]
fn a_host_is_told_how_hooks_in_the_background_came_out() {
    let dir = tempfile::tempdir().unwrap();
    let config = Config::parse(
        r#"{"hooks":{"Stop":[
            {"matcher":"","hooks":[{"type":"command","command":"echo the build broke >&2; exit 2","asyncRewake":true}]},
            {"hooks":[{"type":"command","command":"exit 3","async":true},{"type":"command","command":"exit 4"}]}
        ]}}"#,
        ".claude/settings.json",
    )
    .unwrap();
    let (sender, told) = std::sync::mpsc::channel();
    let runner = Runner::builder()
        .config(config)
        .on_background(move |event, hook| {
            let reason = hook.opinion.reason.clone().unwrap_or_default();
            let decision = hook.opinion.decision.map_or("-", Decision::as_str);
            let _ = sender.send(format!("{} {} {decision} {reason}", event.session_id(), hook.outcome.as_str()));
        })
        .build()
        .unwrap();
    let event = Event::stop(false, dir.path()).with_session_id("s");
    let verdict = runner.run_blocking(&event);
    let outcomes: Vec<_> = verdict.hooks.iter().map(|hook| hook.outcome.as_str()).collect();
    assert_eq!(outcomes, ["Started", "Started", "ExitCode"]);
    assert_eq!(verdict.opinion.decision, None);
    let mut told: Vec<String> = told.iter().take(2).collect();
    told.sort();
    assert_eq!(told, ["s Decided deny the build broke", "s ExitCode - exit code 3"]);
}

#[test]
fn a_host_is_told_how_hooks_came_out_that_said_that_they_continue() {
    // One that is there while the verdict is made, one that has ended by then, and one whose config says it too.
    let says = |rest: &str, is_async: bool| {
        let command = format!("echo '{{\"async\":true}}'; {rest}");
        serde_json::json!({ "type": "command", "command": command, "async": is_async })
    };
    let until = "until [ -e answered ]; do sleep 0.02; done; echo late; exit 3";
    let hooks = [says(until, false), says("exit 4", false), says("exit 5", true), says("exit 0", false)];
    let dir = tempfile::tempdir().unwrap();
    let config = serde_json::json!({ "hooks": { "Stop": [{ "hooks": hooks }] } }).to_string();
    let config = Config::parse(&config, ".claude/settings.json").unwrap();
    let (sender, told) = std::sync::mpsc::channel();
    let runner = Runner::builder()
        .config(config)
        .on_background(move |_, hook| {
            let _ = sender.send(format!("{} {:?}", hook.outcome.as_str(), hook.exit_code));
        })
        .build()
        .unwrap();
    let verdict = runner.run_blocking(&Event::stop(false, dir.path()));
    assert!(verdict.hooks.iter().all(|hook| hook.outcome.as_str() == "Started"), "{:?}", verdict.hooks);
    std::fs::write(dir.path().join("answered"), "").unwrap();
    runner.wait_for_background(&|| false);
    let mut told: Vec<String> = told.try_iter().collect();
    told.sort();
    assert_eq!(told, ["ExitCode Some(3)", "ExitCode Some(4)", "ExitCode Some(5)", "NoOpinion Some(0)"]);
}
