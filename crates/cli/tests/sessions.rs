//! What `hookshell run` remembers of a session, events without data, and the files of every agent.
#![allow(clippy::unwrap_used, clippy::panic, reason = "test helpers: a panic fails the test")]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod support;

use std::path::Path;

use serde_json::{Value, json};
use support::{Output, hookshell};

fn run(dir: &Path, args: &[&str], stdin: &str) -> (Output, Value) {
    let state = dir.join("state");
    let run = hookshell([&["run"], args].concat()).cwd(dir).stdin(stdin);
    let output = run.env("XDG_STATE_HOME", &state).env("LOCALAPPDATA", &state).output();
    let verdict = serde_json::from_str(&output.stdout).unwrap_or_default();
    (output, verdict)
}

#[test]
fn variables_of_a_session_reach_its_later_events() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let group = |command: &str| json!([{ "hooks": [{ "type": "command", "command": command }] }]);
    let hooks = json!({ "hooks": {
        "SessionStart": group("echo 'export MODE=\"$(printf test)\"' >>\"$CLAUDE_ENV_FILE\""),
        "PreToolUse": group("echo \"mode ${MODE-none}\" >&2; exit 2"),
    } });
    std::fs::write(dir.join("settings.json"), hooks.to_string()).unwrap();
    let config = ["--config", "settings.json", "--dialect", "claude"];
    let (output, verdict) = run(
        dir,
        &[&["SessionStart"], &config[..]].concat(),
        r#"{"session_id":"s/1","hook_event_name":"SessionStart","source":"startup"}"#,
    );
    assert_eq!((output.code, &verdict["env"]), (Some(0), &json!({ "MODE": "test" })), "{output:?}");
    let reason = |session: &str| {
        let call = [&["PreToolUse", "--tool", "Bash", "--session", session], &config[..]].concat();
        run(dir, &call, "").1["reason"].clone()
    };
    assert_eq!(reason("s/1"), "mode test");
    assert_eq!(reason("s/2"), "mode none");
    run(dir, &[&["SessionEnd", "--session", "s/1"], &config[..]].concat(), "");
    assert_eq!(reason("s/1"), "mode none");
}

#[test]
fn variables_of_a_session_reach_the_agent_whose_hook_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let write = r#"printf 'export A="it'\''s %s"\nexport B=2\n' one >> "$CLAUDE_ENV_FILE""#;
    let hooks = json!({ "hooks": { "SessionStart": [{ "hooks": [{ "type": "command", "command": write }] }] } });
    std::fs::write(dir.join("settings.json"), hooks.to_string()).unwrap();
    let file = dir.join("env.sh");
    std::fs::write(&file, "export OWN=1\n").unwrap();
    let run = |args: &[&str]| {
        let args = [&["run", "SessionStart", "--dialect", "claude", "--config", "settings.json"], args].concat();
        hookshell(args).cwd(dir).stdin("{\"source\":\"startup\"}").env("CLAUDE_ENV_FILE", &file).output()
    };
    // Without the agent's output it is not the agent's hook.
    assert_eq!(run(&[]).code, Some(0));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "export OWN=1\n");
    let output = run(&["--output", "claude"]);
    assert_eq!((output.code, output.stdout.trim()), (Some(0), "{}"), "{output:?}");
    let written = std::fs::read_to_string(&file).unwrap();
    assert_eq!(written, "export OWN=1\nexport A='it'\\''s one'\nexport B='2'\n");
}

#[test]
fn an_event_that_needs_no_data_may_come_without() {
    let dir = tempfile::tempdir().unwrap();
    let says = |event: &str| format!("\"{event}\":[{{\"command\":\"echo '{{\\\"context\\\":\\\"seen\\\"}}'\"}}]");
    let events = ["SessionStart", "SessionEnd", "Stop", "SubagentStop", "PreCompact", "Notification", "TurnStart"];
    let all: Vec<String> = events.iter().chain(&["PreToolUse", "UserPromptSubmit"]).map(|event| says(event)).collect();
    std::fs::write(dir.path().join("c.json"), format!("{{\"hooks\":{{{}}}}}", all.join(","))).unwrap();
    for event in events {
        for stdin in ["", "\n", "\u{feff}", "{}"] {
            let (output, verdict) = run(dir.path(), &[event, "--config", "c.json"], stdin);
            assert_eq!((output.code, &verdict["context"]), (Some(0), &"seen".into()), "{event} {stdin:?}: {output:?}");
        }
    }
    for event in ["PreToolUse", "PostToolUse", "UserPromptSubmit"] {
        let (output, _) = run(dir.path(), &[event, "--config", "c.json"], "");
        assert_eq!((output.code, &*output.stdout), (Some(65), ""), "{event}: {output:?}");
    }
}

#[test]
fn doctor_lists_the_files_of_every_agent() {
    let dir = tempfile::tempdir().unwrap();
    let (home, project) = (dir.path().join("home"), dir.path().join("project"));
    let files = [".claude/settings.json", ".cursor/hooks.json", ".gemini/settings.json", ".codex/config.toml"];
    for file in files.iter().chain(&[".github/hooks/a.json", ".crush.json"]) {
        std::fs::create_dir_all(project.join(file).parent().unwrap()).unwrap();
        std::fs::write(project.join(file), "").unwrap();
    }
    std::fs::create_dir(&home).unwrap();
    let doctor = |args: &[&str]| {
        let run = hookshell([&["doctor"], args].concat()).cwd(&project).env("HOME", &home).env("USERPROFILE", &home);
        run.env("PATH", &home).env("LOCALAPPDATA", &home).output()
    };
    let report: Value = serde_json::from_str(&doctor(&["--json"]).stdout).unwrap();
    let of = |dialect: &str| {
        let agents = report["agents"].as_array().unwrap();
        let agent = agents.iter().find(|agent| agent["dialect"] == dialect).unwrap();
        let file = agent["files"][0].as_str().unwrap_or_default().replace('\\', "/");
        file.rsplit("/project/").next().unwrap().to_owned()
    };
    for (dialect, file) in ["claude", "cursor", "gemini", "codex"].into_iter().zip(files) {
        assert_eq!(of(dialect), file, "{report}");
    }
    assert_eq!(of("copilot"), ".github/hooks/a.json");
    let text = doctor(&[]).stdout;
    assert!(text.contains("\n  Gemini CLI (--dialect gemini): "), "{text}");
    assert!(text.contains(".crush.json\n"), "{text}");
}

#[test]
fn doctor_says_what_is_wired_what_is_trusted_and_which_model_is_asked() {
    let dir = tempfile::tempdir().unwrap();
    let (home, project, state) = (dir.path().join("home"), dir.path().join("project"), dir.path().join("state"));
    for directory in [&home.join(".claude"), &project, &state] {
        std::fs::create_dir_all(directory).unwrap();
    }
    let claude = r#"{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"./a.sh"}]}]}}"#;
    std::fs::write(home.join(".claude/settings.json"), claude).unwrap();
    std::fs::write(project.join("crush.json"), r#"{"hooks":{"Stop":[{"command":"true"}]}}"#).unwrap();
    let run = |args: &[&str], model: &str| {
        let mut run = hookshell(args).cwd(&project).env("HOOKSHELL_LLM_URL", model);
        for (name, value) in [("HOME", &home), ("USERPROFILE", &home), ("PATH", &home)] {
            run = run.env(name, value);
        }
        run.env("XDG_STATE_HOME", &state).env("LOCALAPPDATA", &state).output()
    };
    let report = |model| serde_json::from_str::<Value>(&run(&["doctor", "--json"], model).stdout).unwrap();
    let of_claude = |report: &Value| {
        let agents = report["wired"].as_array().unwrap();
        let agent = agents.iter().find(|agent| agent["agent"] == "claude").unwrap();
        let config = &agent["configs"][0];
        [&config["hooks"], &config["wired"], &config["not_wired"]].map(|count| count.as_u64().unwrap())
    };

    let url = "http://user:secret@127.0.0.1:1/v1";
    let before = report(url);
    assert_eq!(of_claude(&before), [1, 0, 1], "{before}");
    assert_eq!(before["trust"]["project"]["hooks"], 1);
    assert_eq!(before["trust"]["project"]["trusted"], 0);
    assert_eq!(before["trust"]["projects"].as_array().unwrap().len(), 0);
    assert_eq!(before["model"]["url"], "http://127.0.0.1:1/v1");
    assert_eq!(
        (&before["model"]["has_key"], &before["model"]["variable"]),
        (&false.into(), &"HOOKSHELL_LLM_URL".into())
    );
    assert_eq!(report("")["model"], Value::Null);
    let text = run(&["doctor"], url).stdout;
    for part in [
        "0 of 1 hook wired, 1 NOT WIRED (`hookshell install claude` does it)\n",
        "0 of the project's 1 hook (`hookshell trust` shows them and asks)\n",
        "no project's hooks are trusted\n",
        "\nmodel server: http://127.0.0.1:1/v1, the server's own model, without a key (set by HOOKSHELL_LLM_URL)\n",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("secret"), "{text}");

    assert_eq!(run(&["trust", "--yes"], "").code, Some(0));
    assert_eq!(run(&["install", "claude", "--user"], "").code, Some(0));
    let after = report("");
    assert_eq!(of_claude(&after), [1, 1, 0], "{after}");
    assert_eq!(after["trust"]["project"]["trusted"], 1);
    assert_eq!(after["trust"]["projects"][0]["hooks"], 1);
    let text = run(&["doctor"], "").stdout;
    assert!(text.contains("1 of 1 hook wired\n") && text.contains("1 of the project's 1 hook\n"), "{text}");
    assert!(text.contains("\nmodel server: none (HOOKSHELL_LLM_URL or OPENAI_API_KEY sets one)\n"), "{text}");
}
