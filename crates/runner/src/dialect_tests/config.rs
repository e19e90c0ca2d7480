//! Reading configs.

use crate::config::Guess;
use crate::config::{Config, HookKind, OnFailure};
use crate::dialect::Dialect::{self, Claude, Codex, Copilot, Cursor, Gemini, Native, Qwen};
use crate::event_kind::EventKind;

fn parse(file: &str, text: &str) -> Config {
    Config::parse(text, file).unwrap_or_else(|error| panic!("{error}"))
}

fn warnings(config: &Config) -> Vec<String> {
    config.warnings().iter().map(ToString::to_string).collect()
}

#[test]
fn whose_a_file_is() {
    const GROUPS: &str = r#"{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"x"}]}]}}"#;
    const FLAT: &str = r#"{"hooks":{"PreToolUse":[{"command":"x"}]}}"#;
    let cases: [(&str, &str, Dialect, Guess); 22] = [
        ("p/.claude/settings.json", "{}", Claude, Guess::Path),
        ("p/.claude/settings.local.json", GROUPS, Claude, Guess::Path),
        ("plugin/hooks/hooks.json", GROUPS, Claude, Guess::Shape),
        ("p/.codex/hooks.json", GROUPS, Codex, Guess::Path),
        ("p/.gemini/settings.json", GROUPS, Gemini, Guess::Path),
        ("p/.cursor/hooks.json", FLAT, Cursor, Guess::Path),
        ("p/.github/hooks/guard.json", FLAT, Copilot, Guess::Path),
        ("p/.qwen/settings.json", GROUPS, Qwen, Guess::Path),
        ("x.json", r#"{"hooks":{"TodoCreated":[{"hooks":[{"type":"command","command":"x"}]}]}}"#, Qwen, Guess::Shape),
        ("crush.json", FLAT, Native, Guess::Path),
        ("hooks.json", FLAT, Native, Guess::Default),
        ("p/.crush.json", "{}", Native, Guess::Path),
        ("x.json", r#"{"hooks":{"pre_tool_use":[{"command":"x"}]}}"#, Native, Guess::Default),
        ("x.json", r#"{"hooks":{"preToolUse":[{"command":"x"}]}}"#, Native, Guess::Default),
        ("x.json", r#"{"hooks":{"BeforeTool":[{"hooks":[{"type":"command","command":"x"}]}]}}"#, Gemini, Guess::Shape),
        ("x.json", r#"{"hooks":{"Interrupt":[{"hooks":[{"type":"command","command":"x"}]}]}}"#, Codex, Guess::Shape),
        // Only Codex has this name for a plugin's directory.
        (
            "plugin/hooks/hooks.json",
            r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"node \"${PLUGIN_ROOT}/x.js\""}]}]}}"#,
            Codex,
            Guess::Shape,
        ),
        ("x.json", r#"{"version":1,"hooks":{"beforeShellExecution":[{"command":"x"}]}}"#, Cursor, Guess::Shape),
        ("x.json", r#"{"version":1,"hooks":{"preToolUse":[{"command":"x"}]}}"#, Cursor, Guess::Shape),
        ("x.json", r#"{"version":1,"hooks":{"preToolUse":[{"type":"command","bash":"x"}]}}"#, Copilot, Guess::Shape),
        ("x.json", r#"{"version":1,"hooks":{"agentStop":[{"type":"command","bash":"x"}]}}"#, Copilot, Guess::Shape),
        ("x.json", "", Native, Guess::Default),
    ];
    for (file, text, dialect, why) in cases {
        let config = parse(file, text);
        let found = config.sources().first().map_or((Native, Guess::Default), |source| (source.dialect, source.why));
        assert_eq!(found, (dialect, why), "{file} {text}");
    }
    let mut config = Config::in_dialect(Some(Codex));
    assert!(config.add(GROUPS, ".claude/settings.json").is_empty());
    assert_eq!((config.sources()[0].dialect, config.sources()[0].why), (Codex, Guess::Told));
}

#[test]
fn a_files_place_says_whose_it_is_whatever_its_events_are_called() {
    // Each is the shape and the events of another agent.
    let texts = [
        r#"{"hooks":{"BeforeTool":[{"hooks":[{"type":"command","command":"x"}]}]}}"#,
        r#"{"hooks":{"Interrupt":[{"hooks":[{"type":"command","command":"x"}]}]}}"#,
        r#"{"hooks":{"TodoCreated":[{"hooks":[{"type":"command","command":"x"}]}]}}"#,
        r#"{"version":1,"hooks":{"beforeShellExecution":[{"command":"x"}]}}"#,
        r#"{"version":1,"hooks":{"agentStop":[{"type":"command","bash":"x"}]}}"#,
        r#"{"hooks":{"pre_tool_use":[{"command":"x"}]}}"#,
    ];
    let places = [
        (Claude, "p/.claude/settings.json"),
        (Claude, "p/.claude/settings.local.json"),
        (Claude, "p/.claude/plugins/cache/market/tidy/1.0/hooks/hooks.json"),
        (Claude, "etc/claude-code/managed-settings.json"),
        (Codex, "p/.codex/hooks.json"),
        (Codex, "p/.codex/plugins/tidy/hooks/hooks.json"),
        (Gemini, "p/.gemini/settings.json"),
        (Gemini, "p/.gemini/extensions/tidy/hooks/hooks.json"),
        (Gemini, "etc/gemini-cli/settings.json"),
        (Cursor, "p/.cursor/hooks.json"),
        (Copilot, "p/.github/hooks/guard.json"),
        (Copilot, "p/.github/copilot/settings.json"),
        (Copilot, "p/.copilot/hooks/a.json"),
        (Copilot, "p/.copilot/settings.json"),
        (Qwen, "p/.qwen/settings.json"),
        (Qwen, "p/.QWEN/settings.json"),
        (Qwen, "p/.qwen/extensions/tidy/hooks/hooks.json"),
        (Qwen, "etc/qwen-code/settings.json"),
        (Qwen, "etc/qwen-code/system-defaults.json"),
        // The nearest counts.
        (Qwen, "h/.claude/plugins/p/.qwen/settings.json"),
    ];
    for text in texts {
        for (dialect, file) in places {
            let mut config = Config::default();
            let _errors = config.add(text, file);
            let source = config.sources().first().unwrap_or_else(|| panic!("{file} {text}"));
            assert_eq!((source.dialect, source.why), (dialect, Guess::Path), "{file} {text}");
        }
    }
    // What lies in an agent's directory and is none of its files is read by its shape: a worktree's config is its project's.
    for file in
        ["h/.claude/worktrees/w/x.json", "h/.codex/worktrees/1/p/x.json", "p/.github/x.json", "p/qwen-code/src/x.json"]
    {
        let config = parse(file, texts[0]);
        assert_eq!((config.sources()[0].dialect, config.sources()[0].why), (Gemini, Guess::Shape), "{file}");
    }
}

#[test]
fn every_event_of_every_agent_has_its_hooks_read() {
    for dialect in Dialect::ALL {
        for (own, event) in dialect.contract().events() {
            let text =
                format!("{{\"hooks\":{{\"{own}\":[{{\"hooks\":[{{\"type\":\"command\",\"command\":\"x\"}}]}}]}}}}");
            let mut config = Config::in_dialect(Some(dialect));
            assert!(config.add(&text, "x").is_empty(), "{dialect} {own}");
            let hook = &config.hooks()[0];
            assert_eq!((hook.event, hook.dialect_event_name, hook.dialect), (*event, *own, dialect));
        }
    }
    let mut config = Config::in_dialect(Some(Gemini));
    assert!(config.add(r#"{"hooks":{"BeforeTools":[],"enabled":true}}"#, "x").is_empty());
    let expected =
        "x:1:11: these hooks will not run: Gemini CLI has no event `BeforeTools`: did you mean `BeforeTool`?";
    assert_eq!(warnings(&config), [expected]);
}

#[test]
fn timeouts_have_their_units_and_defaults() {
    let timeout = |dialect, event: &str, keys: &str| {
        let kind = if keys.contains("\"type\"") { "" } else { ",\"type\":\"command\"" };
        let text = format!("{{\"hooks\":{{\"{event}\":[{{\"hooks\":[{{\"command\":\"x\"{kind}{keys}}}]}}]}}}}");
        let mut config = Config::in_dialect(Some(dialect));
        assert!(config.add(&text, "x").is_empty(), "{text}");
        config.hooks()[0].timeout.as_millis()
    };
    let cases = [
        (Claude, "PreToolUse", "", 600_000),
        (Claude, "UserPromptSubmit", "", 30_000),
        (Claude, "SessionEnd", "", 1_500),
        (Claude, "PreToolUse", r#","type":"prompt","prompt":"ok?""#, 30_000),
        (Claude, "PreToolUse", r#","type":"agent","prompt":"ok?""#, 60_000),
        (Claude, "PreToolUse", r#","timeout":5"#, 5_000),
        (Codex, "PreToolUse", "", 600_000),
        (Codex, "PreToolUse", r#","timeout":5"#, 5_000),
        (Codex, "SessionEnd", "", 1_000),
        (Codex, "SessionEnd", r#","timeout":2"#, 2_000),
        (Codex, "SessionEnd", r#","timeout":60"#, 3_000),
        (Gemini, "BeforeTool", "", 60_000),
        (Gemini, "BeforeTool", r#","timeout":5000"#, 5_000),
        (Cursor, "stop", r#","timeout":5"#, 5_000),
        (Copilot, "preToolUse", "", 30_000),
        (Copilot, "preToolUse", r#","timeoutSec":5"#, 5_000),
    ];
    for (dialect, event, keys, expected) in cases {
        assert_eq!(timeout(dialect, event, keys), expected, "{dialect} {event} {keys}");
    }
}

#[test]
fn the_keys_of_claude_codes_hooks() {
    let config = parse(
        ".claude/settings.json",
        r#"{"permissions":{},"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[
            {"type":"command","command":"a","timeout":5,"if":"Bash(git *)","statusMessage":"m","once":true,"async":true},
            {"type":"command","command":"node","args":["${CLAUDE_PROJECT_DIR}/x.js"]},
            {"type":"command","command":"exit 2","shell":"powershell"},
            {"type":"command","command":"a","commandWindows":"b"},
            {"type":"http","url":"http://localhost","headers":{}},
            {"type":"prompt","prompt":"$ARGUMENTS","model":"m"}
        ]}]}}"#,
    );
    assert!(warnings(&config).is_empty(), "{:?}", warnings(&config));
    let hooks = config.hooks();
    assert_eq!(hooks.len(), 6);
    // Of settings Claude Code runs each hook each time.
    assert!(!hooks[0].once && hooks[0].is_async && !hooks[0].require_env && hooks[0].include_sub_agents);
    assert_eq!(hooks[0].status_message.as_deref(), Some("m"));
    assert_eq!(hooks[1].args.as_deref(), Some(&["${CLAUDE_PROJECT_DIR}/x.js".to_owned()][..]));
    assert!(hooks[2].command.starts_with("pwsh -NoProfile -NonInteractive -Command 'exit 2\n"), "{}", hooks[2].command);
    assert!(hooks[2].command_windows.as_deref().unwrap().starts_with("powershell -NoProfile"));
    assert_eq!(hooks[2].display_name(), "exit 2");
    assert_eq!(hooks[3].command_windows.as_deref(), Some("b"));
    assert!(matches!(&hooks[4].kind, HookKind::Http(http) if http.url == "http://localhost"));
    assert!(matches!(hooks[5].kind, HookKind::Prompt(_)));
}

#[test]
fn the_keys_of_flat_hooks() {
    let config = parse(
        ".github/hooks/x.json",
        r#"{"version":1,"hooks":{"preToolUse":[
            {"type":"command","bash":"./a.sh","powershell":"./a.ps1","cwd":"s","env":{"A":"b"},"timeoutSec":3,"comment":"c"},
            {"type":"command","command":"./b.sh"},
            {"type":"command","powershell":"exit 2"}
        ]}}"#,
    );
    assert_eq!(warnings(&config), [""; 0]);
    let [first, second, third] = config.hooks() else { panic!("{:?}", config.hooks()) };
    assert_eq!((first.command.as_str(), second.command.as_str()), ("./a.sh", "./b.sh"));
    assert!(first.command_windows.as_deref().unwrap().starts_with("powershell -NoProfile"));
    assert_eq!(first.env, [("A".to_owned(), "b".to_owned())]);
    assert!(third.command.starts_with("pwsh ") && first.sequential);

    let config = parse(
        ".cursor/hooks.json",
        r#"{"version":1,"hooks":{"stop":[{"command":"x","failClosed":true,"loop_limit":3},{"command":"y","failClosed":false}]}}"#,
    );
    assert_eq!(warnings(&config), [""; 0]);
    assert_eq!(config.hooks()[0].on_failure, OnFailure::Deny);
    assert_eq!(config.hooks()[1].on_failure, OnFailure::Ignore);
}

#[test]
fn what_is_odd_is_said() {
    let cases = [
        (
            ".claude/settings.json",
            r#"{"hooks":{"PreToolUse":[{"matcher":"Bash(git push*)","hooks":[{"type":"command","command":"x"}]}]}}"#,
            1,
            ".claude/settings.json:1:36: these hooks will not run: Claude Code takes the matcher \"Bash(git push*)\" for a \
             regular expression, which \
             matches no tool: write `matcher` for the tool, and the rule as `if`",
        ),
        (
            ".claude/settings.json",
            r#"{"hooks":{"PreToolUse":[{"matcher":"mcp__srv","hooks":[{"type":"command","command":"x"}]}]}}"#,
            1,
            ".claude/settings.json:1:36: these hooks will not run: Claude Code takes the matcher \"mcp__srv\" for the exact name of \
             a tool, and it is a server's: write `mcp__SERVER__.*`",
        ),
        (
            ".claude/settings.json",
            r#"{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"x","if":"Bash|Write"}]}]}}"#,
            1,
            ".claude/settings.json:1:72: this hook will not run: Claude Code takes `hooks.PreToolUse[0].hooks[0].if` \
             \"Bash|Write\" for the exact name of a tool, which no tool has: write one rule, `Tool` or `Tool(pattern)`",
        ),
        (
            ".claude/settings.json",
            r#"{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"x","timeoutt":3}]}]}}"#,
            1,
            ".claude/settings.json:1:67: unknown key `hooks.PreToolUse[0].hooks[0].timeoutt` is ignored: did you mean \
             `timeout`?",
        ),
        (
            ".claude/settings.json",
            r#"{"disableAllHooks":true,"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"x"}]}]}}"#,
            0,
            ".claude/settings.json:1:2: no hook of this file will run: `disableAllHooks` switches them off",
        ),
        (
            ".gemini/settings.json",
            r#"{"hooksConfig":{"enabled":false},"hooks":{"BeforeTool":[{"hooks":[{"command":"x"}]}]}}"#,
            0,
            ".gemini/settings.json:1:17: no hook of this file will run: `hooksConfig.enabled` switches them off",
        ),
        (
            ".cursor/hooks.json",
            r#"{"version":1,"hooks":{"stop":[{"hooks":[{"command":"x"}]}]}}"#,
            1,
            ".cursor/hooks.json:1:31: Cursor does not read a hook that stands so: it wants the hook itself, without a group \
             around it",
        ),
    ];
    for (file, text, hooks, expected) in cases {
        let config = parse(file, text);
        assert_eq!(warnings(&config), [expected], "{text}");
        assert_eq!(config.hooks().len(), hooks, "{text}");
    }
    let disabled = parse(
        ".gemini/settings.json",
        r#"{"hooks":{"disabled":["b"],"BeforeTool":[{"hooks":[{"name":"a","type":"command","command":"x"},{"name":"b","type":"command","command":"y"}]}]}}"#,
    );
    assert_eq!(disabled.hooks().len(), 1);
}

#[test]
fn a_key_of_another_agent_hides_no_hook() {
    let disabled = r#"{"version":1,"disableAllHooks":true,"hooks":{"preToolUse":[{"command":"x"}]}}"#;
    assert_eq!(parse(".cursor/hooks.json", disabled).hooks().len(), 1);
    assert_eq!(parse(".github/hooks/x.json", disabled).hooks().len(), 0);
    let listed = r#"{"hooks":{"disabled":["x"],"PreToolUse":[{"hooks":[{"type":"command","command":"x"}]}]}}"#;
    assert_eq!(parse(".claude/settings.json", listed).hooks().len(), 1);
    // A matcher is a group's: Claude Code runs this hook for every tool.
    let config = parse(
        ".claude/settings.json",
        r#"{"hooks":{"PreToolUse":[{"hooks":[{"matcher":"Write","type":"command","command":"x"}]}]}}"#,
    );
    assert_eq!(
        warnings(&config),
        [".claude/settings.json:1:36: unknown key `hooks.PreToolUse[0].hooks[0].matcher` is ignored"]
    );
    assert_eq!(config.hooks()[0].matcher.pattern(), None);
}

#[test]
fn what_is_wrong_is_an_error_with_its_place() {
    let cases = [
        (
            r#"{"hooks":{"PreToolUse":{}}}"#,
            ".claude/settings.json:1:24: `hooks.PreToolUse` must be an array of hooks, found an object",
        ),
        (
            r#"{"hooks":{"PreToolUse":[{"hooks":{}}]}}"#,
            ".claude/settings.json:1:34: `hooks.PreToolUse[0].hooks` must be an array of hooks, found an object",
        ),
        (
            r#"{"hooks":{"PreToolUse":[{"hooks":[{"type":"command"}]}]}}"#,
            ".claude/settings.json:1:35: `hooks.PreToolUse[0].hooks[0].command` is missing",
        ),
        (
            r#"{"hooks":{"PreToolUse":[{"matcher":"Ba(sh","hooks":[{"command":"x"}]}]}}"#,
            ".claude/settings.json:1:36: `hooks.PreToolUse[0].matcher` is not a regular expression: unclosed group",
        ),
        (
            r#"{"hooks":{"PreToolUse":[{"hooks":[{"command":"x","shell":"fish"}]}]}}"#,
            ".claude/settings.json:1:58: `hooks.PreToolUse[0].hooks[0].shell` must be \"bash\" or \"powershell\", found \
             \"fish\"",
        ),
    ];
    for (text, expected) in cases {
        let error = Config::parse(text, ".claude/settings.json").unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn everything_that_is_wrong_in_a_group_is_reported() {
    let errors = |dialect, text: &str| {
        let mut config = Config::in_dialect(Some(dialect));
        let errors = config.add(text, "c.json");
        (errors.iter().map(ToString::to_string).collect::<Vec<_>>(), config.hooks().len())
    };
    let text = r#"{"hooks":{"Stop":[{"matcher":5,"hooks":[{"command":["a"]},{"command":"x"},{"type":"command"}]}]}}"#;
    let expected = [
        "c.json:1:30: `hooks.Stop[0].matcher` must be a string, found a number",
        "c.json:1:52: `hooks.Stop[0].hooks[0].command` must be a string, found an array",
        "c.json:1:75: `hooks.Stop[0].hooks[2].command` is missing",
        "c.json:1:30: Claude Code uses nothing of this file, no hook of it runs: `hooks.Stop[0].matcher` must be a string, \
         found 5",
    ];
    assert_eq!(errors(Claude, text), (expected.map(str::to_owned).to_vec(), 0));
    let text = r#"{"version":1,"hooks":{"preToolUse":[{"bash":5}]}}"#;
    let expected = "c.json:1:45: `hooks.preToolUse[0].bash` must be a string, found a number";
    assert_eq!(errors(Copilot, text), (vec![expected.to_owned()], 0));
}

#[test]
fn a_plugins_hooks_know_its_dir() {
    let root = std::path::absolute("plug").unwrap();
    let text = r#"{"description":"d","hooks":{"Stop":[{"hooks":[{"command":"\"${CLAUDE_PLUGIN_ROOT}\"/x.sh"}]}]}}"#;
    let config = parse(&root.join("hooks").join("hooks.json").to_string_lossy(), text);
    assert_eq!(config.hooks()[0].plugin_root.as_deref(), Some(&*root));
    assert_eq!(config.hooks()[0].event, EventKind::Stop);
}
