//! Which hooks run.

use super::{event, hook, input, root};
use crate::dialect::Dialect::{self, Claude, Codex, Copilot, Cursor, Gemini};
use crate::event::Event;
use crate::event_kind::EventKind;

/// Is a hook with this matcher for a call of the tool?
fn is_for(dialect: Dialect, dialect_event_name: &str, pattern: &str, event: &Event) -> bool {
    let mut hook = hook(dialect, dialect_event_name);
    hook.include_sub_agents = true;
    hook.matcher = dialect.contract().matcher(pattern, hook.event).unwrap();
    hook.is_for(event, &[])
}

/// The same in a file of the user's own.
fn is_for_own(pattern: &str, event: &Event) -> bool {
    let mut hook = hook(Claude, "PreToolUse");
    hook.include_sub_agents = true;
    hook.matcher = Claude.contract().own_matcher(pattern, hook.event).unwrap();
    hook.is_for(event, &[])
}

fn call(tool: &str, tool_input: &str) -> Event {
    Event::pre_tool_use(tool, input(tool_input), root())
}

#[test]
fn matchers_by_tool() {
    let cases = [
        (Claude, "PreToolUse", "", "Bash", true),
        (Claude, "PreToolUse", "*", "Bash", true),
        (Claude, "PreToolUse", "Bash", "Bash", true),
        (Claude, "PreToolUse", "Bash", "bash", true),
        (Claude, "PreToolUse", "Bash", "BashOutput", false),
        (Claude, "PreToolUse", "Edit|Write", "Edit", true),
        (Claude, "PreToolUse", "Edit, Write", "Write", true),
        (Claude, "PreToolUse", "Edit|Write", "MultiEdit", false),
        (Claude, "PreToolUse", "Edit|Write", "NotebookEdit", false),
        (Claude, "PreToolUse", ".*Edit", "NotebookEdit", true),
        (Claude, "PreToolUse", "Notebook(Edit|Read)", "NotebookEdit", true),
        (Claude, "PreToolUse", "mcp__github__.*", "mcp_github_create_issue", true),
        (Claude, "PreToolUse", "^mcp__", "Bash", false),
        (Codex, "PreToolUse", "^Bash$", "bash", true),
        (Codex, "PreToolUse", "apply_patch", "edit", true),
        (Codex, "PreToolUse", "^(Edit|Write)$", "apply_patch", true),
        (Codex, "PreToolUse", "mcp__fs__read", "mcp__fs__read", true),
        (Codex, "PreToolUse", "Bash", "apply_patch", false),
        (Gemini, "BeforeTool", "write_file|replace", "edit", true),
        (Gemini, "BeforeTool", "write_.*", "Write", true),
        (Gemini, "BeforeTool", "run_shell_command", "read_file", false),
        (Cursor, "preToolUse", "Shell|Read", "bash", true),
        (Cursor, "preToolUse", "Write", "Edit", true),
        (Cursor, "preToolUse", "MCP:log", "mcp__git__log", true),
        (Cursor, "preToolUse", "Shell", "Read", false),
        (Copilot, "preToolUse", "bash", "bash", true),
        (Copilot, "preToolUse", "ba", "bash", false),
        (Copilot, "preToolUse", "edit|create", "Write", true),
        (Copilot, "PreToolUse", "Bash", "bash", true),
    ];
    for (dialect, dialect_event_name, pattern, tool, expected) in cases {
        let event = call(tool, "{}");
        assert_eq!(is_for(dialect, dialect_event_name, pattern, &event), expected, "{dialect}: {pattern:?} on {tool}");
    }
}

#[test]
fn rules_of_permissions_are_matchers() {
    let cases = [
        ("Bash(gh pr create*)", "Bash", r#"{"command":"gh pr create -f"}"#, true),
        ("Bash(gh pr create*)", "bash", r#"{"command":"cd x && gh pr create"}"#, true),
        ("Bash(gh pr create*)", "Bash", r#"{"command":"gh pr list"}"#, false),
        ("Bash(gh pr create*)", "Read", r#"{"file_path":"gh pr create"}"#, false),
        ("Write(**/*.py)", "Write", r#"{"file_path":"a/b.py"}"#, true),
        ("Write(**/*.py)", "Write", r#"{"file_path":"a/b.rs"}"#, false),
        ("Bash(git push*)|Write(*.md)", "Write", r#"{"file_path":"a.md"}"#, true),
        ("Bash(*)", "Bash", r#"{"command":"x"}"#, true),
        // As a regular expression it would be for `Write` alone.
        ("Write|Bash(git *)", "Bash", r#"{"command":"git push"}"#, true),
        ("Write|Bash(git *)", "Bash", r#"{"command":"ls"}"#, false),
        ("Write|Bash(git *)", "Write", r#"{"file_path":"x"}"#, true),
        ("Write|Bash(Output)?", "BashOutput", "{}", true),
        ("mcp__git__(push|pull)", "mcp__git__push", "{}", true),
        ("mcp__git__(push|pull)", "mcp__git__log", "{}", false),
        ("mcp__(.*)", "mcp__git__push", "{}", true),
        ("Bash|mcp__git__(push|pull)", "mcp__git__pull", "{}", true),
        ("Write|Bash(.*)", "Bash", r#"{"command":"ls"}"#, true),
    ];
    for (pattern, tool, input, expected) in cases {
        assert_eq!(is_for_own(pattern, &call(tool, input)), expected, "{pattern} on {tool} {input}");
    }
}

/// Each was tried with the real agent.
#[test]
fn claude_codes_matchers_as_it_reads_them() {
    let cases = [
        ("Bash(touch *)", "Bash", false),
        ("Bash(git *)", "Bash", false),
        ("Bash|", "Bash", true),
        ("|", "Bash", false),
        (" ", "Bash", false),
        (" Bash ", "Bash", true),
        ("Bash |Write", "Write", true),
        ("Read Write", "Write", false),
        ("Ba-sh|Bash", "Bash", true),
        ("bash", "Bash", false),
        ("\\bBash\\b", "Bash", true),
        ("Task", "Agent", true),
        ("^Task$", "Agent", true),
        ("Agent", "Agent", true),
        ("Task|Bash", "Agent", true),
        ("Tas", "Agent", false),
        ("KillShell", "TaskStop", true),
        ("KillBash", "TaskStop", true),
        ("BashOutput", "TaskOutput", true),
        ("BashOutputTool|AgentOutput", "TaskOutput", true),
        ("AgentOutputTool", "TaskOutput", true),
        ("ListPeers", "ListAgents", true),
        ("Brief", "SendUserMessage", true),
        ("ListMcpResources", "ListMcpResourcesTool", true),
        ("ReadMcpResource", "ReadMcpResourceTool", true),
        ("ReadMcpResourceDir", "ReadMcpResourceDirTool", true),
        ("TaskStop", "TaskOutput", false),
        ("mcp__srv", "mcp__srv__echo", false),
        ("mcp__srv__echo", "mcp__srv__echo", true),
        ("mcp__srv__*", "mcp__srv__echo", true),
        ("^(?!Bash)", "Bash", false),
        ("^(?!Bash)", "Write", true),
    ];
    for (pattern, tool, expected) in cases {
        assert_eq!(is_for(Claude, "PreToolUse", pattern, &call(tool, "{}")), expected, "{pattern:?} on {tool}");
    }
}

/// Each was tried with the real agent.
#[test]
fn claude_codes_conditions_as_it_reads_them() {
    let is_for = |rule: &str, is_exact: bool, event: &Event| {
        let mut hook = hook(Claude, "PreToolUse");
        hook.event = event.name();
        hook.include_sub_agents = true;
        hook.condition = Claude.contract().condition(rule, is_exact).unwrap();
        hook.is_for(event, &[])
    };
    let bash = |line: &str| call("Bash", &serde_json::json!({ "command": line }).to_string());
    let cases = [
        ("", "ls", true),
        ("Bash", "ls", true),
        ("Bash(*)", "ls", true),
        ("Bash()", "ls", true),
        ("bash(git *)", "git status", false),
        ("Bash(git *)", "git status", true),
        ("Bash(git *)", "ls 'git status'", false),
        ("Bash(git *)|Write(x)", "git status", false),
        ("Bash|Write", "ls", false),
        ("*", "ls", false),
        ("B*", "ls", false),
        // A line with a substitution is for every rule but those of one word.
        ("Bash(touch a1)", "echo $(git log)", true),
        ("Bash(git push *)", "echo $(git log)", true),
        ("Bash(head *)", "echo $(git log)", false),
        ("Bash(rm *)", "X=rm; $X x", true),
        // The text of a here-document is data, unless a shell reads it.
        ("Bash(git push *)", "git commit -m \"$(cat <<'EOF'\nfix: x\n\ngit push works again\nEOF\n)\"", false),
        ("Bash(git push *)", "git commit -m \"$(cat <<'EOF'\nfix\nEOF\n)\" && git push x", true),
        ("Bash(git push *)", "cat > notes.md <<EOF\ngit push x\nEOF", false),
        ("Bash(git *)", "tee f <<-'EOF'\n\tgit push $x\n\tEOF", false),
        ("Bash(git push *)", "python3 - <<'EOF'\nprint('git push x')\nEOF", true),
        ("Bash(git push *)", "bash <<EOF\ngit push x\nEOF", true),
        ("Bash(git push *)", "cat <<EOF | sh\ngit push x\nEOF", true),
        ("Bash(git push *)", "cat <<EOF\n$(git push x)\nEOF", true),
        ("Bash(git push *)", "cat <<EOF\n$x\nEOF", true),
        // What the agent misses is seen here all the same.
        ("Bash(git *)", "timeout 5 git status", true),
        ("Bash(rm *)", "sudo rm x", true),
    ];
    for (rule, line, expected) in cases {
        assert_eq!(is_for(rule, true, &bash(line)), expected, "{rule:?} on {line:?}");
    }
    let others = [
        ("mcp__srv", "mcp__srv__echo", "{}", false),
        ("mcp__srv__echo", "mcp__srv__echo", "{}", true),
        ("mcp__srv__echo(x)", "mcp__srv__echo", r#"{"text":"x"}"#, false),
        ("Task", "Agent", "{}", true),
        ("Agent(general-purpose)", "Agent", r#"{"subagent_type":"general-purpose"}"#, false),
        ("WebFetch(domain:example.com)", "WebFetch", r#"{"url":"https://example.com/"}"#, false),
        ("Write(*.ts)", "Write", r#"{"file_path":"src/x.ts"}"#, true),
        ("Write(*/x.ts)", "Write", r#"{"file_path":"/w/a/b/x.ts"}"#, true),
        ("Write(src/**)", "Write", r#"{"file_path":"src/a/x.ts"}"#, true),
        ("Edit(src/**)", "Write", r#"{"file_path":"src/x.ts"}"#, false),
        ("Grep(*token*)", "Grep", r#"{"pattern":"my token x"}"#, true),
    ];
    for (rule, tool, input, expected) in others {
        assert_eq!(is_for(rule, true, &call(tool, input)), expected, "{rule:?} on {tool} {input}");
    }
    // Where there is no tool, no rule holds.
    let stop = event(EventKind::Stop);
    assert!(!is_for("Bash", true, &stop));
    // In the user's own files a rule also holds as it may be meant.
    for (rule, event) in [
        ("bash(git *)", bash("git status")),
        ("mcp__srv", call("mcp__srv__echo", "{}")),
        ("*", bash("ls")),
        ("Bash", stop),
    ] {
        assert!(is_for(rule, false, &event), "{rule}");
    }
}

#[test]
fn matchers_of_other_events() {
    let start = event(EventKind::SessionStart);
    assert!(is_for(Claude, "SessionStart", "startup|resume", &start));
    assert!(!is_for(Claude, "SessionStart", "resume", &start));
    // What the host has not said cannot be judged.
    assert!(is_for(Claude, "SessionStart", "resume", &Event::session_start("", root())));
    assert!(is_for(Claude, "PreCompact", "auto", &Event::pre_compact("", root())));
    assert!(is_for(Gemini, "SessionStart", "startup", &start));
    // Exact, and no regular expression.
    assert!(!is_for(Gemini, "SessionStart", "start.*", &start));
    // Of a file its name counts; what has more than letters, `_` and `|` is a regular expression here.
    let changed = Event::other(EventKind::FileChanged, Some("/w/a/Makefile".to_owned()), root());
    assert!(is_for(Claude, "FileChanged", "package|Makefile", &changed));
    assert!(!is_for(Claude, "FileChanged", "w|a", &changed));
    assert!(is_for(Claude, "FileChanged", "no-file|Make", &changed));
    let failed = Event::other(EventKind::StopFailure, Some("rate_limit".to_owned()), root());
    assert!(is_for(Claude, "StopFailure", "server_error|rate_limit", &failed));
    assert!(!is_for(Claude, "StopFailure", "server_error|rate", &failed));
    assert!(!is_for(Claude, "StopFailure", "server_error, rate_limit", &failed));
    // It has nothing that could be matched.
    assert!(is_for(Claude, "Stop", "never", &event(EventKind::Stop)));
    assert!(is_for(Claude, "UserPromptSubmit", "never", &event(EventKind::UserPromptSubmit)));
    assert!(is_for(Cursor, "beforeSubmitPrompt", "UserPromptSubmit", &event(EventKind::UserPromptSubmit)));
    assert!(!is_for(Cursor, "stop", "Never", &event(EventKind::Stop)));
}

#[test]
fn what_matchers_of_claude_codes_later_events_are_tested_against() {
    let cases = [
        (r#"{"hook_event_name":"DirectoryAdded","directory":"/d","source":"slash_command"}"#, "slash_command"),
        (r#"{"hook_event_name":"InstructionsLoaded","file_path":"/f","load_reason":"include"}"#, "include"),
        (r#"{"hook_event_name":"PreModelSwitch","from_model":"a","to_model":"big"}"#, "tiny|big"),
        (r#"{"hook_event_name":"PostModelSwitch","from_model":"a","to_model":"big"}"#, "^b"),
        (r#"{"hook_event_name":"MessageDisplay","delta":"text"}"#, "never"),
    ];
    for (payload, pattern) in cases {
        let defaults = crate::PayloadDefaults { cwd: root().into(), ..crate::PayloadDefaults::default() };
        let event = Event::from_payload(payload.as_bytes(), &defaults).unwrap();
        assert!(is_for(Claude, event.name().as_str(), pattern, &event), "{payload}");
        let others = is_for(Claude, event.name().as_str(), "other", &event);
        assert_eq!(others, event.name() == EventKind::MessageDisplay, "{payload}");
    }
}

#[test]
fn cursors_own_events_are_about_some_tools() {
    let shell = call("bash", r#"{"command":"curl example.com | sh"}"#);
    assert!(is_for(Cursor, "beforeShellExecution", "curl|wget", &shell));
    assert!(!is_for(Cursor, "beforeShellExecution", "^wget", &shell));
    assert!(!is_for(Cursor, "beforeReadFile", "", &shell));
    assert!(!is_for(Cursor, "beforeMCPExecution", "", &shell));
    assert!(is_for(Cursor, "beforeReadFile", "", &call("view", "{}")));
    assert!(is_for(Cursor, "beforeMCPExecution", "", &call("mcp_git_log", "{}")));
    // Where the agent says which of its events it is, the others' hooks do not run.
    let own = shell.with_dialect_event_name("preToolUse");
    assert!(is_for(Cursor, "preToolUse", "", &own));
    assert!(!is_for(Cursor, "beforeShellExecution", "", &own));
}

#[test]
fn what_happens_in_sub_agents_runs_the_hooks() {
    let hook = crate::Config::parse(
        r#"{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"x"}]}]}}"#,
        ".claude/settings.json",
    )
    .unwrap();
    assert!(hook.hooks()[0].is_for(&call("Bash", "{}").in_sub_agent(true), &[]));
}
