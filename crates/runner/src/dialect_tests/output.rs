//! Exit codes and output, and verdicts as hooks of each agent say them.

use super::{ended, event, gives, hook, result};
use crate::config::HookConfig;
use crate::dialect::Dialect::{self, Claude, Codex, Copilot, Cursor, Gemini, Native, Qwen};
use crate::event_kind::EventKind;
use crate::verdict::Verdict;
use crate::work::ends::not_started;
use hookshell_dispatch::{End, StartFailureKind};

/// Dialect, event, exit code, standard output, standard error, what the hook gives.
type Case = (Dialect, &'static str, u8, &'static str, &'static str, &'static str);

fn check(cases: &[Case]) {
    for (dialect, event, status, stdout, stderr, expected) in cases {
        assert_eq!(
            gives(*dialect, event, *status, stdout, stderr),
            *expected,
            "{dialect} {event}: exit {status}, {stdout:?}, {stderr:?}"
        );
    }
}

#[test]
fn exit_codes() {
    check(&[
        (Claude, "PreToolUse", 2, r#"{"decision":"approve"}"#, "no", "Decided decision=deny reason=no"),
        (Claude, "PreToolUse", 2, r#"{"decision":"block","reason":"why"}"#, "no", "Decided decision=deny reason=why"),
        (Claude, "PostToolUse", 2, "", "", "Decided context=No stderr output (exit code 2)"),
        (Claude, "PermissionRequest", 2, "", "no", "ExitCode reason=exit code 2: no"),
        (Claude, "PostToolBatch", 2, "", "no", "Decided halt=true reason=no"),
        (Claude, "Stop", 2, "", "sh: 0: can't open x", "ExitCode reason=exit code 2: sh: 0: can't open x"),
        (Claude, "Stop", 2, "log", "x: No such file", "Decided decision=deny reason=x: No such file"),
        (Claude, "UserPromptSubmit", 2, "", "x: No such file", "Decided decision=deny reason=x: No such file"),
        (Claude, "PostToolUse", 2, "", "lint: 3 errors", "Decided context=lint: 3 errors"),
        (Claude, "PostToolUseFailure", 2, "", "retry", "Decided context=retry"),
        (Claude, "SessionStart", 2, "", "no", "ExitCode reason=exit code 2: no"),
        (Claude, "SubagentStart", 2, "", "no", "ExitCode reason=exit code 2: no"),
        (Claude, "SubagentStart", 0, r#"{"decision":"block","reason":"no"}"#, "", "NoOpinion"),
        (Claude, "Stop", 2, "", "more", "Decided decision=deny reason=more"),
        (Claude, "PreToolUse", 1, "", "oops", "ExitCode reason=exit code 1: oops"),
        (Claude, "PreToolUse", 49, "", "stop", "ExitCode reason=exit code 49: stop"),
        (
            Claude,
            "PreToolUse",
            1,
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}"#,
            "",
            "Decided decision=deny",
        ),
        (Claude, "PreModelSwitch", 2, "", "too dear", "Decided decision=deny reason=too dear"),
        (Claude, "PreModelSwitch", 1, "", "oops", "ExitCode reason=exit code 1: oops"),
        (Claude, "PostModelSwitch", 2, "", "no", "ExitCode reason=exit code 2: no"),
        (Claude, "PostModelSwitch", 0, "Be brief.", "", "Decided context=Be brief."),
        (Claude, "InstructionsLoaded", 2, "", "no", "ExitCode reason=exit code 2: no"),
        (Claude, "DirectoryAdded", 2, "", "no", "ExitCode reason=exit code 2: no"),
        (Claude, "WorktreeCreate", 1, "", "no room", "Decided decision=deny reason=no room"),
        (Codex, "PreToolUse", 2, "", "no", "Decided decision=deny reason=no"),
        (Codex, "PreToolUse", 2, "", " \n", "ExitCode reason=exit code 2"),
        (Codex, "PostToolUse", 2, "", "bad", "Decided context=bad"),
        (Codex, "PreToolUse", 1, r#"{"decision":"block"}"#, "", "ExitCode reason=exit code 1"),
        (Gemini, "BeforeTool", 2, "", "no", "Decided decision=deny reason=no"),
        (Gemini, "AfterTool", 2, "", "hidden", "Decided context=hidden"),
        (Gemini, "BeforeModel", 2, "", "no", "Decided decision=deny reason=no"),
        (Gemini, "BeforeToolSelection", 2, "", "no", "ExitCode reason=exit code 2: no"),
        (Gemini, "BeforeTool", 1, "", "warned", "ExitCode reason=exit code 1: warned"),
        (Cursor, "beforeShellExecution", 2, "", "no", "Decided decision=deny reason=no"),
        (Cursor, "subagentStart", 2, "", "no", "Decided decision=deny reason=no"),
        (Cursor, "afterFileEdit", 2, "", "no", "ExitCode reason=exit code 2: no"),
        (Cursor, "beforeShellExecution", 1, r#"{"permission":"deny"}"#, "", "ExitCode reason=exit code 1"),
        (Copilot, "subagentStart", 0, r#"{"decision":"block","reason":"no"}"#, "", "NoOpinion"),
        (Gemini, "PreCompress", 2, "", "no", "ExitCode reason=exit code 2: no"),
        (Gemini, "PreCompress", 0, r#"{"decision":"deny","reason":"no"}"#, "", "NoOpinion"),
        (Cursor, "preCompact", 2, "", "no", "ExitCode reason=exit code 2: no"),
        (Cursor, "stop", 0, r#"{"continue":false}"#, "", "Decided halt=true"),
        (Copilot, "userPromptSubmitted", 2, "", "no", "ExitCode reason=exit code 2: no"),
    ]);
}

/// What the agent's hook gives that has printed `stdout` and ended so: its outcome, and its decision.
fn gives_at_its_end(dialect: Dialect, dialect_event_name: &str, end: End, status: u8, stdout: &str) -> String {
    let result = ended(&hook(dialect, dialect_event_name), end, status, stdout, "");
    format!("{} {}", result.outcome.as_str(), result.opinion.decision.map_or("-", |decision| decision.as_str()))
}

#[test]
fn a_signal_is_an_exit_code_like_another() {
    const DENY: &str = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}"#;
    let cases = [
        (Claude, "PreToolUse", DENY, "Decided deny"),
        (Claude, "PreToolUse", "", "Signaled -"),
        (Claude, "PreToolUse", "text", "Signaled -"),
        (Claude, "WorktreeCreate", "", "Decided deny"),
        (Codex, "PreToolUse", DENY, "Signaled -"),
        (Gemini, "BeforeTool", r#"{"decision":"deny"}"#, "Decided deny"),
        (Gemini, "BeforeTool", "text", "Signaled -"),
        (Gemini, "BeforeTool", "", "Signaled -"),
        (Cursor, "preToolUse", r#"{"permission":"deny"}"#, "Signaled -"),
        (Copilot, "preToolUse", "", "Decided deny"),
        (Copilot, "postToolUse", "", "Signaled -"),
        (Copilot, "PreToolUse", "", "Decided deny"),
    ];
    for (dialect, event, stdout, expected) in cases {
        let given = gives_at_its_end(dialect, event, End::Signaled(9), 137, stdout);
        assert_eq!(given, expected, "{dialect} {event} {stdout}");
    }
    let unstarted = || not_started(StartFailureKind::Spawn, "Argument list too long");
    assert_eq!(gives_at_its_end(Copilot, "preToolUse", unstarted(), 126, ""), "Decided deny");
    assert_eq!(gives_at_its_end(Claude, "PreToolUse", unstarted(), 126, ""), "Spawn -");
}

/// A deny that an agent drops stays dropped, and the result says so.
#[test]
fn a_deny_that_the_agent_ignores_is_told_of() {
    let deny = r#"{"hookSpecificOutput":{"permissionDecision":"deny"}}"#;
    // Dialect, event, exit code, standard output, what it gives, what is told.
    let cases = [
        (
            Claude,
            "PreToolUse",
            0,
            r#"{"decision":"block","decision":"approve"}"#,
            "Decided decision=allow",
            "`decision`",
        ),
        (Claude, "PreToolUse", 0, r#"{"permission":"deny"}"#, "NoOpinion", "`permission`"),
        (Claude, "PreToolUse", 0, "log\n{\"decision\":\"block\"}", "NoOpinion", "`decision`"),
        (Claude, "SubagentStart", 0, r#"{"decision":"block"}"#, "NoOpinion", "`decision`"),
        (Codex, "PreToolUse", 1, deny, "ExitCode reason=exit code 1", "`hookSpecificOutput.permissionDecision`"),
        (
            Codex,
            "PreToolUse",
            0,
            r#"[{"decision":"block"}]"#,
            "BadEnvelope reason=stdout must be empty or one JSON object, found `[{\"decision\":\"block\"}]` (invalid type: \
             sequence, expected a JSON object at line 1 column 0); print other output to stderr",
            "`decision`",
        ),
        (Gemini, "BeforeTool", 0, r#"{"decision":"DENY"}"#, "NoOpinion", "`decision`"),
        (Gemini, "BeforeTool", 0, deny, "NoOpinion", "`hookSpecificOutput.permissionDecision`"),
        (
            Cursor,
            "preToolUse",
            0,
            r#"{"permission":"deny","permission":"allow"}"#,
            "Decided decision=allow",
            "`permission`",
        ),
        (Cursor, "postToolUse", 0, r#"{"permission":"deny"}"#, "NoOpinion", "`permission`"),
        // What no agent has for an answer, and our own contract takes for a failure.
        (Gemini, "BeforeTool", 0, r#"{"decision":"stop"}"#, "NoOpinion", "`decision`"),
        (Gemini, "BeforeTool", 0, r#"{"decison":"deny"}"#, "NoOpinion", "`decison`"),
        (Cursor, "preToolUse", 0, r#"{"decison":"deny"}"#, "NoOpinion", "`decison`"),
        (Copilot, "preToolUse", 0, r#"{"permissionDecision":["deny"]}"#, "NoOpinion", "`permissionDecision`"),
        (Qwen, "PreToolUse", 0, r#"{"decision":{"x":1}}"#, "NoOpinion", "`decision`"),
        (Qwen, "PreToolUse", 0, r#"{"decision":["allow","what"]}"#, "NoOpinion", "`decision`"),
        (Gemini, "BeforeTool", 0, r#"{"continues":false}"#, "NoOpinion", "`continues`"),
        (Gemini, "BeforeTool", 0, r#"{"halt":2}"#, "NoOpinion", "`halt`"),
        (Copilot, "userPromptSubmitted", 1, r#"{"decision":"block"}"#, "ExitCode reason=exit code 1", "`decision`"),
    ];
    for (dialect, event, status, stdout, expected, told) in cases {
        assert_eq!(gives(dialect, event, status, stdout, ""), expected, "{dialect} {event} {stdout}");
        let warnings = result(&hook(dialect, event), status, stdout, "").warnings;
        let begins = format!("{} ignores this answer: {told} is ", dialect.agent());
        assert!(warnings.len() == 1 && warnings[0].starts_with(&begins), "{dialect} {event} {stdout}: {warnings:?}");
    }
    let silent = [
        (Claude, "PreToolUse", 2, r#"{"decision":"block"}"#),
        (Claude, "PreToolUse", 0, r#"{"decision":"block"}"#),
        (Claude, "PreToolUse", 0, r#"{"decision":"approve"}"#),
        (Claude, "PostToolUse", 0, r#"{"decision":"block","reason":"lint"}"#),
        (Claude, "PreToolUse", 0, "plain text"),
        (Gemini, "BeforeTool", 0, r#"{"continue":false}"#),
        (Gemini, "BeforeTool", 0, r#"{"decision":"approve"}"#),
        (Gemini, "BeforeTool", 0, r#"{"reason":1,"version":"x"}"#),
        // What was to stop nothing, and stops nothing.
        (Gemini, "BeforeTool", 0, r#"{"decision":"continue"}"#),
        (Gemini, "BeforeTool", 0, r#"{"decision":"none"}"#),
        (Gemini, "BeforeTool", 0, r#"{"Decision":"Allow"}"#),
        (Gemini, "BeforeTool", 0, r#"{"hookSpecificOutput":{"permissionDecisions":"allow"}}"#),
        (Cursor, "preToolUse", 0, r#"{"halt":0}"#),
        (Cursor, "preToolUse", 0, r#"{"hookSpecificOutput":[]}"#),
        (Copilot, "preToolUse", 0, r#"{"decision":{"behavior":"allow"}}"#),
        (Qwen, "PreToolUse", 0, r#"{"continue":"true","halt":"no"}"#),
        (Qwen, "PreToolUse", 0, r#"{"decisions":[]}"#),
        // What tools print.
        (Gemini, "BeforeTool", 0, r#"{"status":"blocked: 0","result":"Block 5 written"}"#),
        (Cursor, "preToolUse", 0, r#"{"cancel":false,"blocked":"blocked list is empty"}"#),
    ];
    for (dialect, event, status, stdout) in silent {
        let warnings = result(&hook(dialect, event), status, stdout, "").warnings;
        assert!(warnings.is_empty(), "{dialect} {event} {stdout}: {warnings:?}");
    }
}

#[test]
fn the_output_of_claude_codes_hooks() {
    check(&[
        (Claude, "PreToolUse", 0, "checked 3 files", "", "NoOpinion"),
        (Claude, "SessionStart", 0, "main has 3 commits\n", "", "Decided context=main has 3 commits"),
        (Claude, "UserPromptSubmit", 0, "be brief", "", "Decided context=be brief"),
        (Claude, "PreToolUse", 0, "{broken", "", "NoOpinion"),
        (Claude, "SessionStart", 0, "{broken", "", "Decided context={broken"),
        (
            Claude,
            "PreToolUse",
            0,
            r#"{"continue":false,"stopReason":"enough","systemMessage":"hi","suppressOutput":true}"#,
            "",
            "Decided halt=true reason=enough message=hi",
        ),
        (
            Claude,
            "PreToolUse",
            0,
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","permissionDecisionReason":"ok","updatedInput":{"x":1},"additionalContext":"c"}}"#,
            "",
            r#"Decided decision=allow reason=ok context=c input={"x":1}"#,
        ),
        (
            Claude,
            "PreToolUse",
            0,
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask"}}"#,
            "",
            "Decided decision=ask",
        ),
        (
            Claude,
            "PreToolUse",
            0,
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"defer"}}"#,
            "",
            "Decided decision=defer",
        ),
        (Claude, "PreToolUse", 0, r#"{"decision":"block","reason":"old"}"#, "", "Decided decision=deny reason=old"),
        (
            Claude,
            "PreToolUse",
            0,
            r#"{"hookSpecificOutput":{"hookEventName":"Stop"}}"#,
            "",
            "BadEnvelope reason=`hookSpecificOutput.hookEventName` is \"Stop\", and the event is PreToolUse",
        ),
        (Claude, "Stop", 0, r#"{"decision":"block","reason":"tests"}"#, "", "Decided decision=deny reason=tests"),
        (Claude, "PostToolUse", 0, r#"{"decision":"block","reason":"lint"}"#, "", "Decided context=lint"),
        (
            Claude,
            "PostToolUse",
            0,
            r#"{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":"***"}}"#,
            "",
            "Decided result=\"***\"",
        ),
        (
            Claude,
            "PermissionRequest",
            0,
            r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"no","interrupt":true}}}"#,
            "",
            "Decided decision=deny halt=true reason=no",
        ),
        (
            Claude,
            "PermissionRequest",
            0,
            r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow","updatedInput":{"command":"ls -l"}}}}"#,
            "",
            r#"Decided decision=allow input={"command":"ls -l"}"#,
        ),
        (
            Claude,
            "Elicitation",
            0,
            r#"{"hookSpecificOutput":{"hookEventName":"Elicitation","action":"decline"}}"#,
            "",
            "Decided decision=deny",
        ),
    ]);
}

#[test]
fn the_output_of_codexs_hooks() {
    check(&[
        (Codex, "PreToolUse", 0, "text", "", "NoOpinion"),
        (Codex, "SessionStart", 0, "text", "", "Decided context=text"),
        (
            Codex,
            "Stop",
            0,
            "text",
            "",
            "BadEnvelope reason=stdout must be empty or one JSON object, found `text` (expected ident at line 1 column 2); \
             print other output to stderr",
        ),
        (
            Codex,
            "PreToolUse",
            0,
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask"}}"#,
            "",
            "BadEnvelope reason=Codex does not take `permissionDecision: \"ask\"`: deny, or say nothing: then its approval \
             policy asks",
        ),
        (Codex, "PreToolUse", 0, r#"{"verdict":1}"#, "", "BadEnvelope reason=`verdict` is no field of a hook's output"),
        (
            Codex,
            "PreToolUse",
            0,
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","context":"c"}}"#,
            "",
            "BadEnvelope reason=`hookSpecificOutput.context` is no field of a hook's output",
        ),
        (
            Codex,
            "PreToolUse",
            0,
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"command":"x"}}}"#,
            "",
            r#"Decided decision=allow input={"command":"x"}"#,
        ),
    ]);
}

#[test]
fn the_output_of_geminis_hooks() {
    check(&[
        (Gemini, "BeforeTool", 0, "saved", "", "Decided message=saved"),
        (Gemini, "BeforeTool", 0, r#"{"decision":"block","reason":"no"}"#, "", "Decided decision=deny reason=no"),
        (Gemini, "BeforeTool", 0, r#"{"decision":"allow"}"#, "", "Decided decision=allow"),
        (Gemini, "BeforeTool", 0, r#"{"continue":false,"stopReason":"enough"}"#, "", "Decided halt=true reason=enough"),
        (
            Gemini,
            "BeforeTool",
            0,
            r#"{"hookSpecificOutput":{"tool_input":{"n":1},"additionalContext":"c"},"systemMessage":"m"}"#,
            "",
            r#"Decided message=m input={"n":1}"#,
        ),
        // As observed with Gemini CLI 0.61.0: JSON counts at every exit code, and of a text the code says what it is.
        (Gemini, "BeforeTool", 1, r#"{"decision":"block","reason":"no"}"#, "", "Decided decision=deny reason=no"),
        (Gemini, "BeforeTool", 0, "", r#"{"decision":"block","reason":"no"}"#, "Decided decision=deny reason=no"),
        (Gemini, "BeforeTool", 0, r#""{\"decision\":\"block\"}""#, "", "Decided decision=deny"),
        (Gemini, "BeforeTool", 0, r#"["deny"]"#, "", "NoOpinion"),
        (Gemini, "BeforeTool", 1, "", "no", "ExitCode reason=exit code 1: no"),
        (Gemini, "BeforeTool", 2, "", "no", "Decided decision=deny reason=no"),
        (Gemini, "BeforeTool", 2, "out", "err", "Decided decision=deny reason=out"),
        (Gemini, "BeforeTool", 2, "", "", "ExitCode reason=exit code 2"),
        (Gemini, "BeforeTool", 2, "{}", "no", "NoOpinion"),
        (Gemini, "BeforeTool", 3, "", "no", "Decided decision=deny reason=no"),
        (Gemini, "BeforeTool", 49, "no", "", "Decided decision=deny reason=no"),
        (Gemini, "BeforeTool", 0, r#"{"decision":"DENY","reason":"no"}"#, "", "NoOpinion reason=no"),
        (Gemini, "AfterTool", 3, "", "no", "Decided context=no"),
        (Gemini, "AfterAgent", 3, "", "no", "Decided decision=deny reason=no"),
        (Gemini, "SessionStart", 0, r#"{"continue":false}"#, "", "NoOpinion"),
        (Gemini, "AfterTool", 0, r#"{"decision":"deny","reason":"redacted"}"#, "", "Decided context=redacted"),
        (Gemini, "AfterAgent", 0, r#"{"decision":"deny","reason":"again"}"#, "", "Decided decision=deny reason=again"),
    ]);
}

#[test]
fn what_only_gemini_cli_does_is_handed_on() {
    let given = |event: &str, status: u8, stdout: &str| {
        let result = result(&hook(Gemini, event), status, stdout, "");
        let output = result.opinion.agent_output.iter().map(|(name, json)| format!("{name}={}", json.get()));
        output.collect::<Vec<_>>().join(" ")
    };
    let tail = r#"{"hookSpecificOutput":{"tailToolCallRequest":{"name":"t","args":{}}}}"#;
    assert_eq!(given("AfterTool", 0, tail), r#"tailToolCallRequest={"name":"t","args":{}}"#);
    assert_eq!(given("BeforeTool", 0, tail), "");
    assert_eq!(given("AfterTool", 0, r#"{"hookSpecificOutput":{"tailToolCallRequest":["t"]}}"#), "");
    // No other call follows a result that is blocked, or a turn that ends.
    for stop in [r#""decision":"block","reason":"r""#, r#""continue":false"#] {
        assert_eq!(given("AfterTool", 0, &tail.replacen('{', &format!("{{{stop},"), 1)), "", "{stop}");
    }
    let clear = r#"{"decision":"block","reason":"r","hookSpecificOutput":{"clearContext":true}}"#;
    assert_eq!(given("AfterAgent", 0, clear), "clearContext=true");
    assert_eq!(given("AfterAgent", 0, &clear.replace("true", "\"true\"")), "");
    assert_eq!(given("AfterTool", 0, clear), "");
}

#[test]
fn the_output_of_cursors_hooks() {
    check(&[
        (
            Cursor,
            "beforeShellExecution",
            0,
            r#"{"permission":"deny","user_message":"u","agent_message":"a"}"#,
            "",
            "Decided decision=deny reason=a message=u",
        ),
        (
            Cursor,
            "beforeMCPExecution",
            0,
            r#"{"permission":"ask","userMessage":"u"}"#,
            "",
            "Decided decision=ask reason=u",
        ),
        (
            Cursor,
            "preToolUse",
            0,
            r#"{"permission":"allow","updated_input":{"a":1}}"#,
            "",
            r#"Decided decision=allow input={"a":1}"#,
        ),
        (
            Cursor,
            "beforeSubmitPrompt",
            0,
            r#"{"continue":false,"user_message":"no"}"#,
            "",
            "Decided decision=deny reason=no",
        ),
        (Cursor, "sessionStart", 0, r#"{"additional_context":"c","env":{"A":"b"}}"#, "", "Decided context=c"),
        (Cursor, "stop", 0, r#"{"followup_message":"go on"}"#, "", "Decided decision=deny reason=go on"),
        (Cursor, "postToolUse", 0, r#"{"permission":"deny"}"#, "", "NoOpinion"),
        (Cursor, "preToolUse", 0, r#"{"decision":"deny","reason":"no"}"#, "", "Decided decision=deny reason=no"),
        (Cursor, "preToolUse", 0, r#"{"decision":"block","permission":"allow"}"#, "", "Decided decision=deny"),
        (Cursor, "preToolUse", 0, r#"{"decision":"allow"}"#, "", "Decided decision=allow"),
        (Cursor, "preToolUse", 0, r#"{"decision":"allow","permission":"ask"}"#, "", "Decided decision=ask"),
        (Cursor, "postToolUse", 0, r#"{"decision":"deny"}"#, "", "NoOpinion"),
        (Cursor, "preToolUse", 0, "\u{feff}{\"permission\":\"deny\"}\r\n", "", "Decided decision=deny"),
    ]);
}

#[test]
fn the_output_of_copilots_hooks() {
    check(&[
        (
            Copilot,
            "preToolUse",
            0,
            "{\"type\":\"progress\",\"message\":\"1/2\"}\n{\"permissionDecision\":\"deny\",\"permissionDecisionReason\":\"no\"}\n",
            "",
            "Decided decision=deny reason=no",
        ),
        (
            Copilot,
            "preToolUse",
            0,
            r#"{"modifiedArgs":{"a":1},"additionalContext":"c"}"#,
            "",
            r#"Decided context=c input={"a":1}"#,
        ),
        (Copilot, "preToolUse", 0, "hello", "", "NoOpinion"),
        (
            Copilot,
            "permissionRequest",
            0,
            r#"{"behavior":"deny","message":"no"}"#,
            "",
            "Decided decision=deny reason=no",
        ),
        (Copilot, "agentStop", 0, r#"{"decision":"block","reason":"more"}"#, "", "Decided decision=deny reason=more"),
        (
            Copilot,
            "PreToolUse",
            0,
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}"#,
            "",
            "Decided decision=deny reason=no",
        ),
    ]);
}

/// What a verdict is in a dialect: `exit-code stdout|stderr`.
fn said(dialect: Dialect, dialect_event_name: &str, native_output: (u8, &str, &str)) -> String {
    let (dialect_name, name) = dialect.event(dialect_event_name).unwrap();
    let native = HookConfig::new(name, "./h");
    let (status, stdout, stderr) = native_output;
    let event = event(name).with_dialect_event_name(dialect_name);
    let rendered = Verdict::new(&event, vec![result(&native, status, stdout, stderr)]).render(dialect);
    format!("{} {}|{}", rendered.exit_code, rendered.stdout, rendered.stderr)
}

#[test]
fn verdicts_are_said_as_each_agents_hooks_say_them() {
    let allow = (0, r#"{"decision":"allow","reason":"ok","context":"c","updated_input":{"n":1}}"#, "");
    let deny = (2, "", "no");
    let halt = (49, "", "stop");
    let nothing = (0, "", "");
    let cases = [
        (
            Claude,
            "PreToolUse",
            allow,
            r#"0 {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","permissionDecisionReason":"ok","updatedInput":{"command":"ls","n":1},"additionalContext":"c"}}|"#,
        ),
        (
            Claude,
            "PreToolUse",
            deny,
            r#"2 {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}|no"#,
        ),
        (
            Claude,
            "PreToolUse",
            halt,
            r#"0 {"continue":false,"stopReason":"stop","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"stop"}}|"#,
        ),
        (Claude, "PreToolUse", nothing, "0 {}|"),
        (
            Claude,
            "PreModelSwitch",
            (0, r#"{"decision":"ask","reason":"sure?","context":"c"}"#, ""),
            r#"0 {"hookSpecificOutput":{"hookEventName":"PreModelSwitch","permissionDecision":"ask","permissionDecisionReason":"sure?"}}|"#,
        ),
        (Claude, "Stop", deny, r#"2 {"decision":"block","reason":"no"}|no"#),
        (
            Claude,
            "PermissionRequest",
            deny,
            r#"2 {"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"no"}}}|no"#,
        ),
        (Codex, "UserPromptSubmit", deny, r#"2 {"decision":"block","reason":"no"}|no"#),
        // It would take an ask for a failure.
        (
            Codex,
            "PreToolUse",
            (0, r#"{"decision":"ask","reason":"sure?","context":"c","updated_input":{"command":"ls"}}"#, ""),
            r#"0 {"systemMessage":"sure?","hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"c"}}|"#,
        ),
        // And a changed input that nothing allows, and an end of the turn before a tool: its exit code blocks the call.
        (
            Codex,
            "PreToolUse",
            (0, r#"{"context":"c","updated_input":{"command":"ls"}}"#, ""),
            r#"0 {"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"c"}}|"#,
        ),
        (
            Codex,
            "PreToolUse",
            halt,
            r#"2 {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"stop"}}|stop"#,
        ),
        // Beside exit code 2 the context would be lost.
        (
            Codex,
            "PreToolUse",
            (0, r#"{"decision":"deny","reason":"no","context":"c"}"#, ""),
            r#"0 {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no","additionalContext":"c"}}|"#,
        ),
        (
            Codex,
            "UserPromptSubmit",
            (0, r#"{"decision":"deny","reason":"no","context":"c"}"#, ""),
            r#"0 {"decision":"block","reason":"no","hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"c"}}|"#,
        ),
        // A plain allow is a failure to it, and nothing to be allowed.
        (Codex, "PreToolUse", (0, r#"{"decision":"allow","reason":"ok"}"#, ""), "0 {}|"),
        (
            Codex,
            "PermissionRequest",
            (0, r#"{"decision":"allow","updated_input":{"command":"ls"}}"#, ""),
            r#"0 {"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}|"#,
        ),
        // An event's object has only what the event knows.
        (Codex, "Stop", halt, r#"0 {"continue":false,"stopReason":"stop","decision":"block","reason":"stop"}|"#),
        (Codex, "PreCompact", halt, r#"0 {"continue":false,"stopReason":"stop"}|"#),
        (Codex, "SessionStart", halt, r#"0 {"continue":false,"stopReason":"stop"}|"#),
        (Codex, "Stop", (0, r#"{"context":"c"}"#, ""), "0 {}|"),
        (
            Claude,
            "PreCompact",
            (0, r#"{"halt":true,"reason":"stop","context":"c"}"#, ""),
            r#"0 {"continue":false,"stopReason":"stop","decision":"block","reason":"stop"}|"#,
        ),
        (
            Gemini,
            "BeforeTool",
            allow,
            r#"0 {"decision":"allow","reason":"ok","hookSpecificOutput":{"hookEventName":"BeforeTool","tool_input":{"command":"ls","n":1},"additionalContext":"c"}}|"#,
        ),
        (Gemini, "BeforeTool", deny, r#"2 {"decision":"deny","reason":"no"}|no"#),
        (Gemini, "BeforeAgent", halt, r#"0 {"continue":false,"stopReason":"stop","decision":"deny","reason":"stop"}|"#),
        (Cursor, "preToolUse", deny, r#"0 {"permission":"deny","user_message":"no","agent_message":"no"}|"#),
        (Cursor, "beforeSubmitPrompt", deny, r#"0 {"continue":false,"user_message":"no"}|"#),
        (Cursor, "stop", deny, r#"0 {"followup_message":"no"}|"#),
        (Cursor, "stop", (0, r#"{"decision":"deny"}"#, ""), r#"0 {"followup_message":"a hook blocked Stop"}|"#),
        (Cursor, "stop", halt, "0 {}|"),
        (Cursor, "postToolUse", halt, r#"0 {"continue":false,"user_message":"stop"}|"#),
        // A block would have the agent continue.
        (Copilot, "agentStop", halt, "0 {}|"),
        (Copilot, "agentStop", deny, r#"0 {"decision":"block","reason":"no"}|"#),
        (
            Copilot,
            "preToolUse",
            allow,
            r#"0 {"permissionDecision":"allow","permissionDecisionReason":"ok","modifiedArgs":{"command":"ls","n":1},"additionalContext":"c"}|"#,
        ),
        (Copilot, "preToolUse", deny, r#"0 {"permissionDecision":"deny","permissionDecisionReason":"no"}|"#),
        (Copilot, "permissionRequest", deny, r#"0 {"behavior":"deny","message":"no"}|"#),
        (Copilot, "agentStop", deny, r#"0 {"decision":"block","reason":"no"}|"#),
    ];
    for (dialect, dialect_event_name, native, expected) in cases {
        assert_eq!(said(dialect, dialect_event_name, native), expected, "{dialect} {dialect_event_name} {native:?}");
    }
}

#[test]
fn a_block_holds_where_it_could_not_be_printed() {
    for dialect in [Native, Claude, Codex, Gemini, Cursor, Copilot] {
        let native = HookConfig::new(EventKind::PreToolUse, "./h");
        let event = event(EventKind::PreToolUse);
        let unprinted = |status, stdout| {
            Verdict::new(&event, vec![result(&native, status, stdout, "no")]).render(dialect).exit_code_unprinted
        };
        assert_eq!(unprinted(2, ""), 2, "{dialect}");
        assert_eq!(unprinted(49, ""), if dialect == Native { 49 } else { 2 }, "{dialect}");
        assert_eq!(unprinted(0, r#"{"decision":"ask"}"#), 2, "{dialect}");
        assert_eq!(unprinted(0, r#"{"decision":"allow","updated_input":{"command":"true"}}"#), 2, "{dialect}");
        assert_eq!(unprinted(0, r#"{"decision":"allow"}"#), 0, "{dialect}");
        assert_eq!(unprinted(0, ""), 0, "{dialect}");
    }
    let deferred = result(
        &hook(Claude, "PreToolUse"),
        0,
        r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"defer"}}"#,
        "",
    );
    let verdict = Verdict::new(&event(EventKind::PreToolUse), vec![deferred]);
    assert_eq!(verdict.exit_code(), 0);
    assert_eq!(verdict.render(Gemini).stdout, r#"{"decision":"ask"}"#);
}

#[test]
fn crush_takes_an_updated_input_that_is_a_string_of_json() {
    let native = |stdout: &str| {
        let hook = HookConfig::new(EventKind::PreToolUse, "./h");
        let result = result(&hook, 0, stdout, "");
        let merged = event(hook.event).tool_input().and_then(|input| input.merged(&result.opinion.updated_input));
        (result.outcome.as_str(), merged.map(|input| input.get().to_owned()))
    };
    let object = native(r#"{"decision":"allow","updated_input":{"command":"ls -l"}}"#);
    assert_eq!(object, ("Decided", Some(r#"{"command":"ls -l"}"#.to_owned())));
    assert_eq!(native(r#"{"decision":"allow","updated_input":"{\"command\":\"ls -l\"}"}"#), object);
    for wrong in [r#""ls -l""#, r#""[]""#, r#""""#, "7"] {
        let (outcome, _) = native(&format!(r#"{{"decision":"allow","updated_input":{wrong}}}"#));
        assert_eq!(outcome, "BadEnvelope", "{wrong}");
    }
}
