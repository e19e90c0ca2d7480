//! What hooks of each agent are given.

use std::ffi::OsString;
#[cfg(unix)]
use std::path::Path;

use serde_json::{Value, json};

use super::{event, hook, input, root};
use crate::dialect::Dialect::{self, Claude, Codex, Copilot, Cursor, Gemini};
use crate::event::Event;
use crate::event_kind::EventKind;
use crate::json::JsonText;
use crate::payload_defaults::PayloadDefaults;
use hookshell_dispatch::Environment;

fn payload(dialect: Dialect, dialect_event_name: &str, event: &Event) -> Value {
    let hook = hook(dialect, dialect_event_name);
    let line = hook.dialect.contract().payload(hook.dialect_event_name, event);
    assert_eq!(line.iter().filter(|byte| **byte == b'\n').count(), 1, "one line");
    serde_json::from_slice(&line).unwrap()
}

#[test]
fn payloads_have_each_agents_keys_and_tool_names() {
    let call = event(EventKind::PreToolUse)
        .with_session_id("s")
        .with_member("permission_mode", &JsonText::string("default"))
        .with_member("tool_use_id", &JsonText::string("t1"))
        .with_member("transcript_path", &JsonText::string("/t.jsonl"))
        .with_member("timestamp", &JsonText::parse("5").unwrap());
    let cases = [
        (
            Claude,
            "PreToolUse",
            json!({
                "session_id": "s", "transcript_path": "/t.jsonl", "cwd": root(), "permission_mode": "default",
                "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": { "command": "ls" },
                "tool_use_id": "t1", "timestamp": 5,
            }),
        ),
        (
            Codex,
            "PreToolUse",
            json!({
                "session_id": "s", "transcript_path": "/t.jsonl", "cwd": root(), "hook_event_name": "PreToolUse",
                "permission_mode": "default", "tool_name": "Bash", "tool_input": { "command": "ls" },
                "tool_use_id": "t1", "timestamp": 5,
            }),
        ),
        (
            Gemini,
            "BeforeTool",
            json!({
                "session_id": "s", "transcript_path": "/t.jsonl", "cwd": root(), "hook_event_name": "BeforeTool",
                "timestamp": 5, "tool_name": "run_shell_command", "tool_input": { "command": "ls" },
                "permission_mode": "default", "tool_use_id": "t1",
            }),
        ),
        (
            Cursor,
            "preToolUse",
            json!({
                "conversation_id": "s", "generation_id": "", "hook_event_name": "preToolUse",
                "workspace_roots": [root()], "user_email": null, "transcript_path": "/t.jsonl",
                "tool_name": "Shell", "tool_input": { "command": "ls" }, "cwd": root(),
                "permission_mode": "default", "tool_use_id": "t1", "timestamp": 5,
            }),
        ),
        (
            Cursor,
            "beforeShellExecution",
            json!({
                "conversation_id": "s", "generation_id": "", "hook_event_name": "beforeShellExecution",
                "workspace_roots": [root()], "user_email": null, "transcript_path": "/t.jsonl",
                "command": "ls", "cwd": root(),
                "permission_mode": "default", "tool_use_id": "t1", "timestamp": 5,
            }),
        ),
        (
            Copilot,
            "preToolUse",
            json!({
                "sessionId": "s", "timestamp": 5, "cwd": root(), "toolName": "bash", "toolArgs": { "command": "ls" },
                "permission_mode": "default", "tool_use_id": "t1", "transcriptPath": "/t.jsonl",
            }),
        ),
        (
            Copilot,
            "PreToolUse",
            json!({
                "session_id": "s", "transcript_path": "/t.jsonl", "cwd": root(), "permission_mode": "default",
                "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": { "command": "ls" },
                "tool_use_id": "t1", "timestamp": "1970-01-01T00:00:00.005Z",
            }),
        ),
    ];
    for (dialect, dialect_event_name, expected) in cases {
        assert_eq!(payload(dialect, dialect_event_name, &call), expected, "{dialect} {dialect_event_name}");
    }
}

#[test]
fn events_have_their_own_members() {
    let members = |dialect, dialect_event_name: &str, event: &Event| {
        let payload = payload(dialect, dialect_event_name, event);
        let common = [
            "session_id",
            "transcript_path",
            "cwd",
            "hook_event_name",
            "timestamp",
            "conversation_id",
            "generation_id",
            "workspace_roots",
            "user_email",
            "sessionId",
        ];
        let own = payload.as_object().unwrap().iter().filter(|(key, _)| !common.contains(&key.as_str()));
        Value::Object(own.map(|(key, value)| (key.clone(), value.clone())).collect())
    };
    let edit = Event::post_tool_use(
        "Edit",
        input(r#"{"file_path":"a.rs","old_string":"x","new_string":"y"}"#),
        JsonText::default(),
        root(),
    );
    let mcp = Event::pre_tool_use("mcp__git__log", input(r#"{"n":1}"#), root());
    let explore = Event::other(EventKind::SubagentStart, Some("Explore".to_owned()), root());
    let of = event;
    let cases = [
        (
            Claude,
            "PostToolUse",
            of(EventKind::PostToolUse),
            json!({ "tool_name": "Bash", "tool_input": { "command": "ls" }, "tool_response": { "out": 1 } }),
        ),
        (
            Claude,
            "PostToolUseFailure",
            of(EventKind::PostToolUseFailure),
            json!({ "tool_name": "Bash", "tool_input": { "command": "ls" }, "error": "broken" }),
        ),
        (Claude, "UserPromptSubmit", of(EventKind::UserPromptSubmit), json!({ "prompt": "hi" })),
        (Claude, "SessionStart", of(EventKind::SessionStart), json!({ "source": "startup" })),
        (Claude, "Stop", of(EventKind::Stop), json!({ "stop_hook_active": false, "last_assistant_message": "done" })),
        (Claude, "SubagentStop", of(EventKind::SubagentStop), json!({ "stop_hook_active": true })),
        (Claude, "PreCompact", of(EventKind::PreCompact), json!({ "trigger": "auto" })),
        (Claude, "Notification", of(EventKind::Notification), json!({ "message": "look" })),
        (
            Claude,
            "PermissionRequest",
            of(EventKind::PermissionRequest),
            json!({ "tool_name": "Bash", "tool_input": { "command": "ls" } }),
        ),
        (
            Codex,
            "PostToolUse",
            edit.clone(),
            json!({ "tool_name": "apply_patch", "tool_input": { "file_path": "a.rs", "old_string": "x", "new_string": "y" }, "tool_response": null }),
        ),
        (
            Gemini,
            "AfterTool",
            of(EventKind::PostToolUse),
            json!({ "tool_name": "run_shell_command", "tool_input": { "command": "ls" }, "tool_response": { "out": 1 } }),
        ),
        (Gemini, "BeforeAgent", of(EventKind::UserPromptSubmit), json!({ "prompt": "hi" })),
        (Gemini, "PreCompress", of(EventKind::PreCompact), json!({ "trigger": "auto" })),
        (
            Cursor,
            "afterShellExecution",
            of(EventKind::PostToolUse),
            json!({ "command": "ls", "output": "{\"out\":1}", "duration": 0 }),
        ),
        (
            Cursor,
            "afterFileEdit",
            edit,
            json!({ "file_path": "a.rs", "edits": [{ "old_string": "x", "new_string": "y" }] }),
        ),
        (Cursor, "beforeMCPExecution", mcp, json!({ "tool_name": "log", "tool_input": "{\"n\":1}" })),
        (
            Cursor,
            "beforeSubmitPrompt",
            of(EventKind::UserPromptSubmit).with_attachments(["a.png"]),
            json!({ "prompt": "hi", "attachments": [{ "type": "file", "file_path": "a.png" }] }),
        ),
        (Cursor, "stop", of(EventKind::Stop), json!({ "status": "completed", "loop_count": 0 })),
        (Cursor, "sessionEnd", of(EventKind::SessionEnd), json!({ "reason": "clear" })),
        (Cursor, "subagentStart", explore, json!({ "subagent_type": "Explore" })),
        (
            Copilot,
            "postToolUse",
            of(EventKind::PostToolUse),
            json!({ "toolName": "bash", "toolArgs": { "command": "ls" }, "toolResult": { "resultType": "success", "textResultForLlm": "{\"out\":1}" } }),
        ),
        (
            Copilot,
            "postToolUseFailure",
            of(EventKind::PostToolUseFailure),
            json!({ "toolName": "bash", "toolArgs": { "command": "ls" }, "error": "broken" }),
        ),
        (Copilot, "userPromptSubmitted", of(EventKind::UserPromptSubmit), json!({ "prompt": "hi" })),
        (Copilot, "agentStop", of(EventKind::Stop), json!({ "stopReason": "end_turn", "stop_hook_active": false })),
    ];
    for (dialect, dialect_event_name, event, expected) in cases {
        assert_eq!(members(dialect, dialect_event_name, &event), expected, "{dialect} {dialect_event_name}");
    }
}

#[test]
fn every_agents_own_payload_is_read() {
    let read = |dialect_event_name: Option<&'static str>, text: &str| {
        let defaults = PayloadDefaults { cwd: root().into(), dialect_event_name, ..PayloadDefaults::default() };
        Event::from_payload(text.as_bytes(), &defaults).unwrap()
    };
    let show = |event: &Event| {
        format!(
            "{} {} {} {}",
            event.name(),
            event.session_id(),
            event.tool_name().unwrap_or("-"),
            event.tool_input().map_or("-", |input| input.get())
        )
    };
    let cases = [
        (
            "\u{feff}{\"hook_event_name\":\"beforeShellExecution\",\"conversation_id\":\"c\",\"command\":\"ls -l\",\"cwd\":\"\"}",
            "PreToolUse c Shell {\"command\":\"ls -l\"}",
        ),
        (
            r#"{"hook_event_name":"beforeMCPExecution","tool_name":"log","tool_input":"{\"n\":1}"}"#,
            r#"PreToolUse  MCP:log {"n":1}"#,
        ),
        (
            r#"{"hook_event_name":"beforeReadFile","file_path":"/etc/passwd","content":"x"}"#,
            r#"PreToolUse  Read {"file_path":"/etc/passwd"}"#,
        ),
        (
            r#"{"hook_event_name":"afterFileEdit","file_path":"a","edits":[]}"#,
            r#"PostToolUse  Write {"file_path":"a","edits":[]}"#,
        ),
        (
            r#"{"hook_event_name":"BeforeTool","session_id":"g","tool_name":"replace","tool_input":{"a":1}}"#,
            r#"PreToolUse g replace {"a":1}"#,
        ),
        (
            r#"{"hookEventName":"preToolUse","sessionId":"s","toolName":"bash","toolArgs":"{\"command\":\"ls\"}"}"#,
            r#"PreToolUse s bash {"command":"ls"}"#,
        ),
        (r#"{"hookEventName":"preToolUse","toolName":"bash","toolArgs":{"a":1}}"#, r#"PreToolUse  bash {"a":1}"#),
        (r#"{"hook_event_name":"SubagentStart","agent_type":"Explore"}"#, "SubagentStart  - -"),
    ];
    for (text, expected) in cases {
        assert_eq!(show(&read(None, text)), expected, "{text}");
    }
    // The event may be known from elsewhere.
    let defaults = PayloadDefaults {
        event: Some(EventKind::PreToolUse),
        dialect_event_name: Some("beforeShellExecution"),
        cwd: root().into(),
        ..PayloadDefaults::default()
    };
    // Cursor's attachments are objects.
    let text =
        r#"{"hook_event_name":"beforeSubmitPrompt","prompt":"hi","attachments":[{"type":"rule","file_path":"a.md"}]}"#;
    let event = read(None, text);
    assert_eq!(payload(Cursor, "beforeSubmitPrompt", &event)["attachments"][0]["type"], "rule");
    let native: Value = serde_json::from_slice(&crate::payload::build(&event)).unwrap();
    assert_eq!(native["attachments"], json!([{ "type": "rule", "file_path": "a.md" }]));
    let crate::event::Detail::UserPromptSubmit { attachments, .. } = event.detail() else { panic!("{event:?}") };
    assert_eq!(attachments, &["a.md"]);

    let event = Event::from_payload(br#"{"command":"ls","generation_id":"g"}"#, &defaults).unwrap();
    assert_eq!(show(&event), r#"PreToolUse  Shell {"command":"ls"}"#);
    assert_eq!(payload(Cursor, "beforeShellExecution", &event)["generation_id"], "g");
}

#[test]
fn variables() {
    let event = event(EventKind::PreToolUse)
        .with_session_id("s")
        .with_member("cursor_version", &JsonText::string("1.7"))
        .with_member("user_email", &JsonText::string("me@example.com"));
    let given = |dialect: Dialect, dialect_event_name: &str| -> Vec<(&'static str, OsString)> {
        let hook = hook(dialect, dialect_event_name);
        dialect.contract().variables(&hook, &event, &Environment::new())
    };
    // Paths of variables have slashes on Windows too.
    let project = |name: &'static str| (name, OsString::from(root().replace('\\', "/")));
    assert_eq!(given(Claude, "PreToolUse"), [project("CLAUDE_PROJECT_DIR")]);
    assert_eq!(given(Codex, "PreToolUse"), []);
    assert_eq!(
        given(Gemini, "BeforeTool"),
        [
            project("GEMINI_PROJECT_DIR"),
            ("GEMINI_SESSION_ID", "s".into()),
            project("GEMINI_CWD"),
            project("CLAUDE_PROJECT_DIR")
        ]
    );
    assert_eq!(
        given(Cursor, "preToolUse"),
        [
            project("CURSOR_PROJECT_DIR"),
            project("CLAUDE_PROJECT_DIR"),
            ("CURSOR_VERSION", "1.7".into()),
            ("CURSOR_USER_EMAIL", "me@example.com".into()),
        ]
    );
    for dialect_event_name in ["preToolUse", "PreToolUse"] {
        let cli = ("COPILOT_CLI", "1".into());
        assert_eq!(
            given(Copilot, dialect_event_name),
            [cli, project("COPILOT_PROJECT_DIR"), project("CLAUDE_PROJECT_DIR")]
        );
    }

    let mut of_plugin = hook(Claude, "PreToolUse");
    of_plugin.plugin_root = Some("plugins/tidy".into());
    let home = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
    let host = Environment::from([(home, "h")]);
    let names: Vec<_> =
        Claude.contract().variables(&of_plugin, &event, &host).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["CLAUDE_PROJECT_DIR", "CLAUDE_PLUGIN_ROOT", "CLAUDE_PLUGIN_DATA"]);
}

/// A hook of the other style gets the same event by its own keys.
#[cfg(unix)]
#[test]
fn copilots_payloads_are_translated_between_its_styles() {
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/agents/payloads/copilot");
    for (camel, pascal) in [
        ("postToolUse", "PostToolUse"),
        ("preToolUse", "PreToolUse"),
        ("sessionStart", "SessionStart"),
        ("agentStop", "Stop"),
        ("subagentStop", "SubagentStop"),
        ("postToolUseFailure", "PostToolUseFailure"),
    ] {
        let (dialect_event_name, event) = Copilot.event(camel).unwrap();
        let read = |name: &str| -> String {
            let record = std::fs::read_to_string(recorded.join(format!("{name}.json"))).unwrap();
            serde_json::from_str::<Value>(&record).unwrap()["payload"].to_string()
        };
        let defaults = PayloadDefaults {
            event: Some(event),
            dialect_event_name: Some(dialect_event_name),
            ..PayloadDefaults::default()
        };
        let given = Event::from_payload(read(camel).as_bytes(), &defaults).unwrap();
        let written: Value = serde_json::from_slice(&Copilot.contract().payload(pascal, &given)).unwrap();
        let mut expected: Value = serde_json::from_str(&read(pascal)).unwrap();
        expected["timestamp"] = written["timestamp"].clone();
        assert_eq!(written, expected, "{camel} as {pascal}");
    }
}

#[test]
fn what_claude_code_says_of_itself_and_the_session() {
    let given = |event: &Event, hook: &crate::config::HookConfig, host: &[(&str, &str)]| -> Vec<(String, String)> {
        let host = host.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))).collect();
        let text = |text: OsString| text.into_string().unwrap();
        let all = Claude.contract().more_variables(hook, event, &host);
        all.into_iter().map(|(name, value)| (text(name), text(value))).collect()
    };
    let named =
        |all: &[(String, String)], name: &str| all.iter().find(|(own, _)| own == name).map(|(_, value)| value.clone());
    let event = event(EventKind::PreToolUse)
        .with_session_id("s")
        .with_member("effort", &JsonText::parse(r#"{"level":"high"}"#).unwrap());
    let own = hook(Claude, "PreToolUse");
    let all = given(&event, &own, &[("CLAUDE_CODE_ENTRYPOINT", "cli")]);
    let expected = [
        ("CLAUDECODE", Some("1")),
        ("CLAUDE_CODE_CHILD_SESSION", Some("1")),
        ("CLAUDE_CODE_SESSION_ID", Some("s")),
        ("CLAUDE_EFFORT", Some("high")),
        ("COREPACK_ENABLE_AUTO_PIN", Some("0")),
        ("NoDefaultCurrentDirectoryInExePath", Some("1")),
        // The host's stays.
        ("CLAUDE_CODE_ENTRYPOINT", None),
    ];
    for (name, value) in expected {
        assert_eq!(named(&all, name).as_deref(), value, "{name}");
    }
    assert!(named(&all, "AI_AGENT").unwrap().starts_with("claude-code_"));
    let silent = given(&Event::stop(false, root()), &own, &[]);
    assert_eq!(named(&silent, "CLAUDE_EFFORT"), None);
    assert_eq!(named(&silent, "CLAUDE_CODE_SESSION_ID"), None);

    // A plugin's options are the user's, else those that it comes with.
    let directory = tempfile::tempdir().unwrap();
    let plugin = directory.path().join("tidy-1.0");
    let write = |name: &str, value: Value| {
        let path = directory.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, value.to_string()).unwrap();
    };
    write("plugins/installed_plugins.json", json!({ "plugins": { "tidy@market": [{ "installPath": plugin }] } }));
    write(
        "settings.json",
        json!({ "pluginConfigs": { "tidy@market": { "options": { "api-url": "u", "n": 5, "list": ["a", "b"] } } } }),
    );
    let described =
        json!({ "mode": { "type": "string", "default": "strict" }, "n": { "type": "number", "default": 1 } });
    write("tidy-1.0/.claude-plugin/plugin.json", json!({ "name": "tidy", "userConfig": described }));
    write(".credentials.json", json!({ "pluginSecrets": { "tidy@market": { "token": "t" } } }));
    let mut of_plugin = hook(Claude, "PreToolUse");
    of_plugin.plugin_root = Some(plugin);
    of_plugin.command = "x ${user_config.api-url}".to_owned();
    let host = [("CLAUDE_CONFIG_DIR", directory.path().to_str().unwrap())];
    let all = given(&event, &of_plugin, &host);
    for (name, value) in [("API_URL", "u"), ("N", "5"), ("LIST", "a,b"), ("TOKEN", "t"), ("MODE", "strict")] {
        assert_eq!(named(&all, &format!("CLAUDE_PLUGIN_OPTION_{name}")).as_deref(), Some(value), "{name}");
    }
    let host = Environment::from([("CLAUDE_CONFIG_DIR", directory.path())]);
    let put_in = Claude.contract().put_in(&of_plugin, &event, &host);
    assert!(put_in.contains(&("user_config.api-url".to_owned(), "u".to_owned())), "{put_in:?}");
    let data = Claude.contract().variables(&of_plugin, &event, &host);
    let data = data.into_iter().find(|(name, _)| *name == "CLAUDE_PLUGIN_DATA").unwrap().1;
    assert!(data.to_string_lossy().ends_with("plugins/data/tidy-market"), "{data:?}");
    assert_eq!(given(&event, &hook(Claude, "PreToolUse"), &[]).len(), given(&event, &own, &[]).len());
}

#[test]
fn a_first_line_that_says_async_is_the_end_of_what_counts() {
    let cases = [
        ("{\"async\":true}\n", true),
        ("{\"async\":true,\"asyncTimeout\":5000}", true),
        (" {\"async\":true}\n{\"decision\":\"block\"}", true),
        ("{\"async\":false}\n", false),
        ("{\"async\":\"true\"}\n", false),
        ("x\n{\"async\":true}\n", false),
        ("{\"async\":true", false),
        ("", false),
    ];
    for (stdout, is_async) in cases {
        assert_eq!(Claude.contract().says_async(stdout.as_bytes()), is_async, "{stdout}");
        let result = super::result(&hook(Claude, "PreToolUse"), 2, stdout, "no");
        assert_eq!(result.outcome.as_str() == "Started", is_async, "{stdout}");
        assert_eq!(result.opinion.decision.is_none(), is_async, "{stdout}");
    }
    // Only Claude Code knows it.
    assert!(!Codex.contract().says_async(b"{\"async\":true}"));
}
