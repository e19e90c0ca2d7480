//! Qwen Code 0.24.4: what it reads, whom its hooks are for, what they get and what they say, as seen with the agent itself
//! (tests/agents/qwen.py).

use std::path::Path;
use std::time::Duration;

use proptest::prelude::*;

use super::{ended, event, gives, hook, input, result, root};
use crate::config::{Config, HookConfig};
use crate::dialect::Dialect::{self, Qwen};
use crate::event::Event;
use crate::event_kind::EventKind;
use crate::payload_defaults::PayloadDefaults;
use crate::verdict::Verdict;
use crate::work::ends::not_started;
use hookshell_dispatch::{End, StartFailureKind};

const DENY: &str = r#"{"decision":"block","reason":"no"}"#;

#[test]
fn what_a_hook_says_by_its_exit_code_and_outputs() {
    let inside = |rest: &str| format!(r#"{{"hookSpecificOutput":{{{rest}}}}}"#);
    let deny = inside(r#""permissionDecision":"deny","permissionDecisionReason":"no""#);
    let cases: &[(&str, u8, &str, &str, &str)] = &[
        // Exit code 2: standard error is what counts, as a text or as JSON.
        ("PreToolUse", 2, "", "no", "Decided decision=deny reason=no"),
        ("PreToolUse", 2, DENY, "because", "Decided decision=deny reason=because"),
        ("PreToolUse", 2, "", "", "NoOpinion"),
        ("PreToolUse", 2, DENY, "", "NoOpinion"),
        ("PreToolUse", 2, "", "{}", "NoOpinion"),
        ("PreToolUse", 2, "", r#"{"decision":"allow"}"#, "Decided decision=allow"),
        ("PreToolUse", 2, "", DENY, "Decided decision=deny reason=no"),
        ("PreToolUse", 2, "", "{no", "Decided decision=deny reason={no"),
        ("PreToolUse", 2, "", r#"["no"]"#, r#"Decided decision=deny reason=["no"]"#),
        // Every other: an object counts, on standard error too where standard output is blank.
        ("PreToolUse", 0, DENY, "", "Decided decision=deny reason=no"),
        ("PreToolUse", 1, DENY, "", "Decided decision=deny reason=no"),
        ("PreToolUse", 49, DENY, "", "Decided decision=deny reason=no"),
        ("PreToolUse", 0, " \n", DENY, "Decided decision=deny reason=no"),
        ("PreToolUse", 0, "log", DENY, "Decided message=log"),
        ("PreToolUse", 0, r#""{\"decision\":\"block\",\"reason\":\"no\"}""#, "", "Decided decision=deny reason=no"),
        (
            "PreToolUse",
            0,
            "\u{feff}{\"decision\":\"block\",\"reason\":\"no\"}\r\n",
            "",
            "Decided decision=deny reason=no",
        ),
        ("PreToolUse", 1, "", "broken", "ExitCode reason=exit code 1: broken"),
        ("PreToolUse", 1, "{\"decision\":\"block\"", "", "ExitCode reason=exit code 1"),
        ("PreToolUse", 0, "", "", "NoOpinion"),
        // Its words are these, in lower case.
        ("PreToolUse", 0, r#"{"decision":"Block","reason":"no"}"#, "", "NoOpinion"),
        ("PreToolUse", 0, r#"{"decision":true,"reason":"no"}"#, "", "NoOpinion"),
        ("PreToolUse", 0, r#"{"decision":"allow","decision":"deny"}"#, "", "Decided decision=deny"),
        ("PreToolUse", 0, r#"{"decision":"approve"}"#, "", "Decided decision=allow"),
        ("PreToolUse", 0, r#"{"decision":"ask","reason":"r"}"#, "", "Decided decision=ask reason=r"),
        ("PreToolUse", 0, &deny, "", "Decided decision=deny reason=no"),
        // What stands inside wins, where it is a word that is known.
        (
            "PreToolUse",
            0,
            r#"{"decision":"block","reason":"no","hookSpecificOutput":{"permissionDecision":"allow"}}"#,
            "",
            "Decided decision=allow reason=no",
        ),
        (
            "PreToolUse",
            0,
            r#"{"decision":"block","reason":"no","hookSpecificOutput":{"permissionDecision":"forbid"}}"#,
            "",
            "Decided decision=deny reason=no",
        ),
        // The reasons: inside, then `reason`, then `stopReason`; of an end `stopReason` first.
        (
            "PreToolUse",
            0,
            r#"{"reason":"r","stopReason":"s","hookSpecificOutput":{"permissionDecision":"deny"}}"#,
            "",
            "Decided decision=deny reason=r",
        ),
        (
            "PreToolUse",
            0,
            r#"{"reason":"r","stopReason":"s","hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":""}}"#,
            "",
            "Decided decision=deny reason=s",
        ),
        ("PreToolUse", 0, r#"{"continue":false,"reason":"r","stopReason":"s"}"#, "", "Decided decision=deny reason=s"),
        ("PreToolUse", 0, r#"{"continue":"false","stopReason":"s"}"#, "", "NoOpinion"),
        // A field of the wrong type spoils no other, but what is no object where one must be fails in the agent.
        (
            "PreToolUse",
            0,
            r#"{"decision":"block","reason":"no","systemMessage":5}"#,
            "",
            "Decided decision=deny reason=no",
        ),
        (
            "PreToolUse",
            0,
            r#"{"decision":"block","reason":"no","hookSpecificOutput":null}"#,
            "",
            "Decided decision=deny reason=no",
        ),
        (
            "PreToolUse",
            0,
            r#"{"decision":"block","reason":"no","hookSpecificOutput":[]}"#,
            "",
            "Decided decision=deny reason=no",
        ),
        (
            "PreToolUse",
            0,
            r#"{"decision":"block","reason":"no","hookSpecificOutput":5}"#,
            "",
            "BadEnvelope reason=`hookSpecificOutput` must be an object, found a number",
        ),
        // The call is made as it is, and what is told beside it is lost.
        (
            "PreToolUse",
            0,
            r#"{"hookSpecificOutput":{"permissionDecision":"allow","updatedInput":{"command":"x"}}}"#,
            "",
            "Decided decision=allow",
        ),
        ("PreToolUse", 0, r#"{"hookSpecificOutput":{"additionalContext":"c"}}"#, "", "NoOpinion"),
        ("PostToolUse", 0, r#"{"hookSpecificOutput":{"additionalContext":"c"}}"#, "", "Decided context=c"),
        ("PostToolUse", 0, DENY, "", "NoOpinion"),
        ("PostToolUse", 2, "", "no", "NoOpinion"),
        ("PostToolUse", 0, r#"{"continue":false,"stopReason":"s"}"#, "", r#"Decided result="s""#),
        ("PostToolUse", 0, r#"{"continue":false}"#, "", r#"Decided result="No reason provided""#),
        (
            "PostToolUseFailure",
            0,
            r#"{"continue":false,"hookSpecificOutput":{"additionalContext":"c"}}"#,
            "",
            "Decided context=c",
        ),
        ("PostToolBatch", 0, DENY, "", "Decided decision=deny reason=no"),
        ("PostToolBatch", 2, "", "no", "Decided decision=deny reason=no"),
        // To continue means to continue.
        ("Stop", 0, r#"{"continue":false,"stopReason":"s"}"#, "", "Decided decision=deny reason=s"),
        ("Stop", 0, r#"{"decision":"block","reason":"r","stopReason":"s"}"#, "", "Decided decision=deny reason=s"),
        ("Stop", 2, "", "no", "Decided decision=deny reason=no"),
        ("SubagentStop", 2, "", "no", "Decided decision=deny reason=no"),
        ("UserPromptSubmit", 0, r#"{"continue":false,"stopReason":"s"}"#, "", "Decided decision=deny reason=s"),
        ("UserPromptSubmit", 0, "text", "log", "Decided context=text"),
        ("UserPromptSubmit", 0, "", "log", "Decided message=log"),
        ("UserPromptExpansion", 0, "text", "", "Decided context=text"),
        ("SessionStart", 0, "text", "", "Decided context=text"),
        ("SessionStart", 0, r#"{"continue":false}"#, "", "NoOpinion"),
        ("SessionStart", 1, "text", "", "ExitCode reason=exit code 1"),
        (
            "SubagentStart",
            0,
            r#"{"decision":"block","hookSpecificOutput":{"additionalContext":"c"}}"#,
            "",
            "Decided context=c",
        ),
        // A todo is blocked by one word alone.
        ("TodoCreated", 0, DENY, "", "Decided decision=deny reason=no"),
        ("TodoCreated", 0, r#"{"decision":"deny","reason":"no"}"#, "", "NoOpinion"),
        ("TodoCompleted", 2, "", "no", "NoOpinion"),
        ("PreCompact", 2, "", "no", "NoOpinion"),
        // A permission is denied by whatever is no allow.
        (
            "PermissionRequest",
            0,
            r#"{"hookSpecificOutput":{"decision":{"behavior":"allow"}}}"#,
            "",
            "Decided decision=allow",
        ),
        (
            "PermissionRequest",
            0,
            r#"{"hookSpecificOutput":{"decision":{"behavior":"allow","updatedInput":{"command":"x"}}}}"#,
            "",
            r#"Decided decision=allow input={"command":"x"}"#,
        ),
        (
            "PermissionRequest",
            0,
            r#"{"hookSpecificOutput":{"decision":{"behavior":"deny","message":"m"}}}"#,
            "",
            "Decided decision=deny reason=m",
        ),
        ("PermissionRequest", 0, r#"{"hookSpecificOutput":{"decision":{}}}"#, "", "Decided decision=deny"),
        ("PermissionRequest", 0, r#"{"hookSpecificOutput":{"decision":"allow"}}"#, "", "NoOpinion"),
        ("PermissionRequest", 0, DENY, "", "NoOpinion"),
        ("PermissionRequest", 2, "", "no", "NoOpinion"),
    ];
    for (dialect_event_name, status, stdout, stderr, expected) in cases {
        assert_eq!(
            gives(Qwen, dialect_event_name, *status, stdout, stderr),
            *expected,
            "{dialect_event_name} {status} {stdout:?} {stderr:?}"
        );
    }
}

#[test]
fn what_the_agent_ignores_is_told() {
    let cases = [
        ("PreToolUse", 2, "", "", "exit code 2 where nothing is on standard error: it blocks nothing"),
        ("PreToolUse", 0, r#"{"hookSpecificOutput":{"updatedInput":{"command":"x"}}}"#, "", "a changed input"),
        (
            "PreToolUse",
            0,
            r#"{"hookSpecificOutput":{"additionalContext":"c"}}"#,
            "",
            "`additionalContext` of this event",
        ),
        ("PreToolUse", 0, r#"{"decision":"DENY"}"#, "", "this answer: `decision` is \"DENY\""),
        ("PostToolUse", 2, "", "no", "exit code 2 of this event: nothing is blocked, and the model is not told"),
        ("PostToolUse", 0, DENY, "", "a block of this event"),
        ("SessionStart", 0, r#"{"continue":false}"#, "", "`continue`: false of this event"),
        ("TodoCreated", 2, "", "no", "exit code 2 of this event: it wants"),
        ("TodoCreated", 0, r#"{"decision":"deny"}"#, "", "this answer: a todo is blocked by"),
        ("PermissionRequest", 2, "", "no", "exit code 2 of this event"),
    ];
    for (dialect_event_name, status, stdout, stderr, expected) in cases {
        let warnings = result(&hook(Qwen, dialect_event_name), status, stdout, stderr).warnings.join("; ");
        assert!(
            warnings.contains(&format!("Qwen Code ignores {expected}")),
            "{dialect_event_name} {stdout:?}: {warnings}"
        );
    }
}

#[test]
fn a_stop_that_takes_the_place_of_a_result_is_not_ignored() {
    let result = result(&hook(Qwen, "PostToolUse"), 0, r#"{"continue":false,"stopReason":"s"}"#, "");
    assert_eq!(result.warnings, [""; 0]);
}

#[test]
fn a_signal_and_a_late_hook_are_no_block_of_their_own() {
    let at_its_end = |end: End, status: u8, stdout: &str| {
        let result = ended(&hook(Qwen, "PreToolUse"), end, status, stdout, "");
        format!("{} {}", result.outcome.as_str(), result.opinion.decision.map_or("-", |decision| decision.as_str()))
    };
    assert_eq!(at_its_end(End::Signaled(9), 137, DENY), "Decided deny");
    assert_eq!(at_its_end(End::Signaled(9), 137, "text"), "Signaled -");
    assert_eq!(at_its_end(End::TimedOut, 2, DENY), "TimedOut -");
    assert_eq!(at_its_end(not_started(StartFailureKind::NotFound, "./h"), 127, ""), "NotFound -");
}

proptest! {
    /// Whatever a hook prints, reading it ends, and on an event that blocks nothing it blocks nothing.
    #[test]
    fn any_output_is_read(
        status in 0_u8..50,
        stdout in r#"[ -~\n]{0,40}|\{"(decision|continue|reason|hookSpecificOutput)": ?("(block|deny|x)"|false|5|null|\{"permissionDecision":"deny"\})\}"#,
        stderr in "[ -~\\n]{0,40}",
    ) {
        for (dialect_event_name, name) in Qwen.contract().events() {
            let given = result(&hook(Qwen, dialect_event_name), status, &stdout, &stderr);
            prop_assert!(given.opinion.decision.is_none() || Qwen.contract().can_block(*name), "{dialect_event_name}");
            prop_assert!(!given.opinion.halt);
        }
    }
}

/// Is a hook with this matcher for a call of the tool?
fn is_for(dialect_event_name: &str, pattern: &str, event: &Event) -> bool {
    let mut hook = hook(Qwen, dialect_event_name);
    hook.matcher = Qwen.contract().matcher(pattern, hook.event).unwrap_or_else(|error| panic!("{pattern}: {error}"));
    hook.is_for(event, &[])
}

#[test]
fn a_matcher_is_a_name_an_alias_a_list_or_a_regular_expression() {
    let cases = [
        ("", "run_shell_command", true),
        (" ", "run_shell_command", true),
        ("*", "run_shell_command", true),
        (".*", "run_shell_command", true),
        ("run_shell_command", "run_shell_command", true),
        ("run_", "run_shell_command", true),
        ("^run", "run_shell_command", true),
        ("shell", "run_shell_command", true),
        // The other names count exactly, and only as they are written.
        ("Shell", "run_shell_command", true),
        ("ShellTool", "run_shell_command", true),
        ("Bash", "run_shell_command", true),
        ("bash", "run_shell_command", false),
        ("Shel", "run_shell_command", false),
        ("^Shell", "run_shell_command", false),
        ("(Shell|Edit)", "run_shell_command", false),
        (" Shell ", "run_shell_command", true),
        // A list: a name of it, or all of it as a regular expression.
        ("Edit | Shell", "run_shell_command", true),
        ("write_file|run_shell", "run_shell_command", true),
        ("Edit|WriteFile", "run_shell_command", false),
        ("Edit|*", "run_shell_command", true),
        ("Edit|", "run_shell_command", false),
        ("Edit||Shell", "run_shell_command", true),
        ("|", "run_shell_command", false),
        // One that is no regular expression counts by its names.
        ("Shell|(", "run_shell_command", true),
        ("Edit|(", "run_shell_command", false),
        ("^(?!run)", "run_shell_command", false),
        ("^(?!mcp)", "run_shell_command", true),
        ("Shell, Edit", "run_shell_command", false),
        ("run_shell_command(echo *)", "run_shell_command", false),
        ("Read", "read_file", true),
        ("edit", "replace", true),
        ("replace", "edit", true),
        ("Task", "agent", true),
        // A host's name for the tool is the agent's for it.
        ("Shell", "bash", true),
        ("run_shell_command", "Bash", true),
        ("mcp__git__.*", "mcp__git__log", true),
        ("Monitor", "monitor", true),
    ];
    for (pattern, tool, expected) in cases {
        let event = Event::pre_tool_use(tool, input("{}"), root());
        assert_eq!(is_for("PreToolUse", pattern, &event), expected, "{pattern:?} on {tool}");
    }
    for pattern in ["(", "[", "run_shell_command\\"] {
        assert!(Qwen.contract().matcher(pattern, EventKind::PreToolUse).is_err(), "{pattern}");
    }
}

#[test]
fn what_matchers_are_for_on_other_events() {
    let of = |dialect_event_name: &str, payload: &str| {
        let (dialect_event_name, name) = Qwen.event(dialect_event_name).unwrap();
        let defaults = PayloadDefaults {
            event: Some(name),
            dialect_event_name: Some(dialect_event_name),
            cwd: root().into(),
            project_dir: None,
            session_id: String::new(),
        };
        Event::from_payload(payload.as_bytes(), &defaults).unwrap()
    };
    let cases = [
        ("SessionStart", r#"{"source":"startup"}"#, "start", true),
        ("SessionStart", r#"{"source":"startup"}"#, "resume|startup", true),
        ("SessionStart", r#"{"source":"startup"}"#, "resume", false),
        ("SessionStart", "{}", "resume", true),
        ("SessionEnd", r#"{"reason":"clear"}"#, "other", false),
        ("SubagentStart", r#"{"agent_type":"general-purpose"}"#, "general", true),
        ("SubagentStop", r#"{"agent_type":"general-purpose"}"#, "x", false),
        ("PreCompact", r#"{"trigger":"manual"}"#, "auto", false),
        ("Notification", r#"{"message":"m","notification_type":"auth_success"}"#, "auth", true),
        ("InstructionsLoaded", r#"{"file_path":"/p/QWEN.md","load_reason":"session_start"}"#, "QWEN", true),
        ("InstructionsLoaded", r#"{"file_path":"/p/QWEN.md","load_reason":"session_start"}"#, "session_start", false),
        ("UserPromptExpansion", r#"{"command_name":"x"}"#, "^x$", true),
        // These have nothing that is matched.
        ("Stop", "{}", "no", true),
        ("UserPromptSubmit", r#"{"prompt":"p"}"#, "no", true),
        ("PostToolBatch", "{}", "no", true),
        ("MessageDisplay", "{}", "no", true),
        ("TodoCreated", r#"{"todo_id":"1"}"#, "no", true),
        ("SessionDelete", r#"{"deleted_session_id":"s"}"#, "no", true),
    ];
    for (dialect_event_name, payload, pattern, expected) in cases {
        assert_eq!(
            is_for(dialect_event_name, pattern, &of(dialect_event_name, payload)),
            expected,
            "{dialect_event_name} {pattern:?} {payload}"
        );
    }
}

/// The commands of the hooks that are read, and what is said of the file.
fn read(text: &str) -> (Vec<String>, String) {
    let mut config = Config::in_dialect(Some(Qwen));
    let errors: Vec<String> = config.add(text, "x").iter().map(ToString::to_string).collect();
    let warnings: Vec<String> = config.warnings().iter().map(ToString::to_string).collect();
    let commands = config.hooks().iter().map(|hook| hook.command.clone()).collect();
    (commands, [errors, warnings].concat().join("\n"))
}

#[test]
fn what_of_a_file_runs() {
    let of = |hooks: &str| format!(r#"{{"hooks":{{"PreToolUse":[{{"hooks":[{hooks}]}}]}}}}"#);
    let ok = r#"{"type":"command","command":"a"}"#;
    let cases: Vec<(String, &[&str], &str)> = vec![
        (of(ok), &["a"], ""),
        (of(r#"{"command":"a"}"#), &[], "passes over a hook without a \"type\""),
        (of(&format!(r#"{{"type":"nope"}},{ok}"#)), &["a"], "passes over a hook of the type \"nope\""),
        (of(&format!(r#"{{"type":5,"command":"b"}},{ok}"#)), &["a"], "passes over a hook without a \"type\""),
        (of(&format!(r#"{{"type":"agent","prompt":"p"}},{ok}"#)), &["a"], "passes over a hook of the type \"agent\""),
        (of(&format!(r#"{{"type":"command"}},{ok}"#)), &["a"], "command"),
        (of(&format!("null,{ok}")), &["a"], "must be an object, found null"),
        // What is wrong beside the command does not keep it from running.
        (of(r#"{"type":"command","command":"a","name":5}"#), &["a"], "name"),
        (of(r#"{"type":"command","command":"a","async":"true"}"#), &["a"], "async"),
        (of(r#"{"type":"command","command":"a","shell":"zsh"}"#), &["a"], "shell"),
        (of(r#"{"type":"command","command":"a","timeout":"x"}"#), &["a"], "timeout"),
        (of(r#"{"type":"command","command":"a","timeout":[]}"#), &["a"], "timeout"),
        (of(r#"{"type":"command","command":"a","if":"Bash(rm *)"}"#), &["a"], "unknown key `hooks.PreToolUse[0].hooks[0].if`"),
        (of(r#"{"type":"command","command":"a","cwd":"/nope"}"#), &["a"], "cwd"),
        (of(r#"{"type":"command","command":"a","args":["x"]}"#), &["a"], "args"),
        // Names of events are read as they are written; a hook needs its group.
        (of(ok).replace("PreToolUse", "pretooluse"), &[], "has no event `pretooluse`: did you mean `PreToolUse`?"),
        (of(ok).replace("PreToolUse", "BeforeTool"), &[], "has no event `BeforeTool`"),
        (format!(r#"{{"hooks":{{"PreToolUse":[{ok}]}}}}"#), &[], "wants a group"),
        (format!(r#"{{"hooks":{{"enabled":false,"PreToolUse":[{{"hooks":[{ok}]}}]}}}}"#), &["a"], ""),
        (format!(r#"{{"disableAllHooks":true,"hooks":{{"PreToolUse":[{{"hooks":[{ok}]}}]}}}}"#), &[], "switches them off"),
        // One of a name and a matcher.
        (
            of(r#"{"type":"command","command":"a","name":"n"},{"type":"command","command":"b","name":"n"}"#),
            &["a"],
            "passes over a second hook of the name \"n\"",
        ),
        (of(r#"{"type":"command","command":"a","name":"n"},{"type":"command","command":"b","name":"m"}"#), &["a", "b"], ""),
        (
            r#"{"hooks":{"PreToolUse":[{"matcher":"Shell","hooks":[{"type":"command","command":"a","name":"n"}]},{"matcher":"Edit","hooks":[{"type":"command","command":"b","name":"n"}]}]}}"#.to_owned(),
            &["a", "b"],
            "",
        ),
        (
            r#"{"hooks":{"PreToolUse":[{"matcher":"Shell","hooks":[{"type":"command","command":"a","name":"n"}]},{"matcher":"Shell","hooks":[{"type":"command","command":"b","name":"n"}]}]}}"#.to_owned(),
            &["a"],
            "a second hook of the name",
        ),
        // What is for everything may be written in two ways, which are two to the agent.
        (
            r#"{"hooks":{"PreToolUse":[{"matcher":"*","hooks":[{"type":"command","command":"a","name":"n"}]},{"hooks":[{"type":"command","command":"b","name":"n"}]}]}}"#.to_owned(),
            &["a", "b"],
            "",
        ),
        (
            r#"{"hooks":{"PreToolUse":[{"matcher":"(","hooks":[{"type":"command","command":"b"}]},{"hooks":[{"type":"command","command":"a"}]}]}}"#.to_owned(),
            &["a"],
            "matcher",
        ),
        (
            r#"{"hooks":{"PreToolUse":[{"matcher":"Edit|(","hooks":[{"type":"command","command":"a"}]}]}}"#.to_owned(),
            &["a"],
            "passes over all but the plain names of the matcher \"Edit|(\"",
        ),
    ];
    for (text, expected, said) in cases {
        let (commands, told) = read(&text);
        assert_eq!(commands, *expected, "{text}");
        assert!(told.contains(said) && said.is_empty() == told.is_empty(), "{text}: {told}");
    }
}

#[test]
fn timeouts_are_seconds_and_from_1000_on_milliseconds() {
    let cases = [
        ("", 60_000),
        (r#","timeout":5"#, 5_000),
        (r#","timeout":0.5"#, 500),
        (r#","timeout":999"#, 999_000),
        (r#","timeout":1000"#, 1_000),
        (r#","timeout":90000"#, 90_000),
        (r#","timeout":"5""#, 5_000),
        (r#","timeout":"1000""#, 1_000),
        (r#","timeout":0"#, 60_000),
        (r#","timeout":-1"#, 60_000),
        (r#","timeout":"x""#, 60_000),
        (r#","timeout":true"#, 60_000),
    ];
    for (key, expected) in cases {
        let mut config = Config::in_dialect(Some(Qwen));
        let text = format!(r#"{{"hooks":{{"PreToolUse":[{{"hooks":[{{"type":"command","command":"x"{key}}}]}}]}}}}"#);
        let _errors = config.add(&text, "x");
        assert_eq!(config.hooks()[0].timeout, Duration::from_millis(expected), "{key}");
    }
    let (_, told) = read(r#"{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"x","timeout":5000}]}]}}"#);
    assert!(told.contains("is 5000: Qwen Code reads it as 5 s"), "{told}");
}

#[test]
fn payloads_of_a_host_have_what_the_agents_have() {
    let parse = |dialect_event_name: &str| {
        let (_, name) = Qwen.event(dialect_event_name).unwrap();
        let given = Qwen.contract().payload(dialect_event_name, &event(name));
        serde_json::from_slice::<serde_json::Value>(&given).unwrap()
    };
    let call = parse("PreToolUse");
    assert_eq!(
        (&call["hook_event_name"], &call["tool_name"], &call["permission_mode"]),
        (&"PreToolUse".into(), &"run_shell_command".into(), &"default".into())
    );
    assert!(call["timestamp"].as_str().is_some_and(|time| time.ends_with('Z')), "{call}");
    assert_eq!(parse("TodoCreated")["hook_event_name"], "TodoCreated");
}

/// A verdict of `decision`, rendered for the event: `code stdout|stderr`.
fn said(dialect_event_name: &str, status: u8, stdout: &str, stderr: &str, dialect: Dialect) -> String {
    let (_, name) = Qwen.event(dialect_event_name).unwrap();
    let own_hook = match dialect {
        Dialect::Native => HookConfig::new(name, "./h"),
        _ => hook(dialect, dialect_event_name),
    };
    let given = result(&own_hook, status, stdout, stderr);
    let rendered = Verdict::new(&event(name), vec![given]).render(Qwen);
    format!("{} {}|{}", rendered.exit_code, rendered.stdout, rendered.stderr)
}

#[test]
fn verdicts_are_said_as_the_agent_reads_them() {
    let deny = r#"{"decision":"deny","reason":"no"}"#;
    let halt = r#"{"halt":true,"reason":"stop"}"#;
    let inside = |word: &str, reason: &str| {
        format!(
            r#"0 {{"hookSpecificOutput":{{"hookEventName":"PreToolUse","permissionDecision":"{word}","permissionDecisionReason":"{reason}"}}}}|hookshell: {reason}"#
        )
    };
    let cases: Vec<(&str, &str, String)> = vec![
        ("PreToolUse", deny, inside("deny", "no")),
        ("PreToolUse", halt, inside("deny", "stop")),
        ("PreToolUse", r#"{"decision":"ask","reason":"r"}"#, inside("ask", "r")),
        ("PreToolUse", "", "0 {}|".to_owned()),
        // A reason that looks like an answer is a text.
        (
            "UserPromptSubmit",
            r#"{"decision":"deny","reason":"{}"}"#,
            r#"0 {"decision":"block","reason":"{}"}|hookshell: {}"#.to_owned(),
        ),
        ("Stop", deny, r#"0 {"decision":"block","reason":"no"}|hookshell: no"#.to_owned()),
        // A halt ends the turn; `continue: false` would make this agent continue.
        ("Stop", halt, "0 {}|".to_owned()),
        ("PostToolUse", halt, r#"0 {"continue":false,"stopReason":"stop"}|"#.to_owned()),
        (
            "PostToolUse",
            r#"{"context":"c"}"#,
            r#"0 {"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"c"}}|"#.to_owned(),
        ),
        (
            "SessionStart",
            r#"{"context":"c"}"#,
            r#"0 {"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"c"}}|"#.to_owned(),
        ),
    ];
    for (dialect_event_name, stdout, expected) in cases {
        assert_eq!(said(dialect_event_name, 0, stdout, "", Dialect::Native), expected, "{dialect_event_name} {stdout}");
    }
    let allowed = r#"{"hookSpecificOutput":{"decision":{"behavior":"deny","message":"m"}}}"#;
    let expected = r#"0 {"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"m"}}}|"#;
    assert_eq!(said("PermissionRequest", 0, allowed, "", Qwen), expected);
    let stopped = r#"{"continue":false,"stopReason":"s"}"#;
    assert_eq!(said("PostToolUse", 0, stopped, "", Qwen), format!("0 {stopped}|"));
}

#[test]
fn files_are_the_extensions_the_systems_the_users_and_the_projects() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let write = |path: &str| {
        let path = directory.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let named = r#"{"hooks":"own/guards.json"}"#;
        let inside =
            r#"{"name":"inside","version":"1","hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"x"}]}]}}"#;
        let texts = [("named/qwen-extension.json", named), ("inside/qwen-extension.json", inside)];
        let text = texts.into_iter().find(|(end, _)| path.to_string_lossy().replace('\\', "/").ends_with(end));
        std::fs::write(path, text.map_or("{}", |(_, text)| text)).unwrap();
    };
    for path in [
        "home/.qwen/extensions/tidy/qwen-extension.json",
        "home/.qwen/extensions/named/qwen-extension.json",
        "home/.qwen/extensions/named/own/guards.json",
        "home/.qwen/extensions/inside/qwen-extension.json",
        "home/.qwen/settings.json",
        "home/.qwen/extensions/tidy/hooks/hooks.json",
        "home/.qwen/extensions/bare/qwen-extension.json",
        "project/.qwen/settings.json",
        "etc/settings.json",
        "etc/system-defaults.json",
        "other/settings.json",
    ] {
        write(path);
    }
    let found = |home: Option<&str>| {
        let env = |name: &str| match name {
            "HOME" | "USERPROFILE" => Some(directory.join("home").into_os_string()),
            "QWEN_CODE_SYSTEM_SETTINGS_PATH" => Some(directory.join("etc").join("settings.json").into_os_string()),
            "QWEN_HOME" => home.map(|home| directory.join(home).into_os_string()),
            _ => None,
        };
        let below = |path: &Path| path.strip_prefix(directory).unwrap().to_string_lossy().replace('\\', "/");
        let files = Qwen.discover(&directory.join("project"), env);
        files.iter().map(|file| format!("{} {:?}", below(&file.path), file.origin)).collect::<Vec<_>>()
    };
    assert_eq!(
        found(None),
        [
            "home/.qwen/extensions/inside/qwen-extension.json User",
            "home/.qwen/extensions/named/own/guards.json User",
            "home/.qwen/extensions/tidy/hooks/hooks.json User",
            "etc/system-defaults.json Managed",
            "home/.qwen/settings.json User",
            "project/.qwen/settings.json Project",
            "etc/settings.json Managed",
        ]
    );
    assert!(found(Some("other")).contains(&"other/settings.json User".to_owned()));

    // Its hooks know where it is.
    for (file, root) in [("inside/qwen-extension.json", "inside"), ("named/own/guards.json", "named")] {
        let extensions = directory.join("home/.qwen/extensions");
        let mut config = Config::default();
        let text = r#"{"name":"n","hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"x"}]}]}}"#;
        assert!(config.add(text, extensions.join(file)).is_empty());
        assert_eq!(config.hooks()[0].plugin_root, Some(extensions.join(root)));
        assert_eq!(config.warnings().len(), 0, "{:?}", config.warnings());
    }
}
