//! Copilot CLI, as version 1.0.102 does it: each line was tried with the real agent (`tests/agents/copilot.py`).

use super::{event, gives, hook, result};
use crate::config::{Config, FoundFile, HookKind, Origin};
use crate::dialect::Dialect::Copilot;
use crate::event_kind::EventKind;
use crate::verdict::Verdict;

const FAILED: &str = "the hook `./h` failed (exit code 1), and Copilot CLI then denies the call";
const SILENT: &str = "the hook `./h` denied the call (exit code 2) and gave no reason";
const DENY: &str = r#""permissionDecision":"deny","permissionDecisionReason":"why""#;

fn check(event: &str, status: u8, stdout: &str, expected: &str) {
    assert_eq!(gives(Copilot, event, status, stdout, "stderr"), expected, "{event}: exit {status}, {stdout:?}");
}

#[test]
fn any_exit_code_but_0_denies_a_call_and_standard_error_is_told_nobody() {
    for event in ["preToolUse", "PreToolUse"] {
        let denied = |reason: &str| format!("Decided decision=deny reason={reason}");
        check(event, 0, "", "NoOpinion");
        check(event, 1, "", &denied(FAILED));
        check(event, 1, &format!("{{{DENY}}}"), &denied(FAILED));
        check(event, 2, "", &denied(SILENT));
        check(event, 2, "text", &denied(SILENT));
        check(event, 2, &format!("{{{DENY}}}"), &denied("why"));
        check(event, 2, r#"{"permissionDecision":"allow"}"#, &denied(SILENT));
        check(event, 2, &format!(r#"{{"hookSpecificOutput":{{{DENY}}}}}"#), &denied(SILENT));
        let told = format!("Decided decision=deny reason={SILENT} context=c");
        check(event, 2, r#"{"additionalContext":"c"}"#, &told);
    }
}

#[test]
fn what_is_read_of_an_answer_to_a_call() {
    let cases = [
        (format!("{{{DENY}}}"), "Decided decision=deny reason=why"),
        (r#"{"permissionDecision":"DENY"}"#.to_owned(), "NoOpinion"),
        (r#"{"permissionDecision":"deny","permissionDecisionReason":5}"#.to_owned(), "Decided decision=deny reason=5"),
        (r#"{"permissionDecision":"deny","permissionDecisionReason":" "}"#.to_owned(), "Decided decision=deny"),
        (r#"{"permissionDecision":"defer"}"#.to_owned(), "NoOpinion"),
        (r#"{"permissionDecision":"allow","permissionDecision":"deny"}"#.to_owned(), "Decided decision=deny"),
        (r#"{"decision":"block","reason":"no"}"#.to_owned(), "NoOpinion"),
        (r#"{"continue":false}"#.to_owned(), "NoOpinion"),
        (r#"{"behavior":"deny"}"#.to_owned(), "NoOpinion"),
        (format!("x\n{{{DENY}}}"), "NoOpinion"),
        (format!("{{{DENY}}}\n{{}}"), "NoOpinion"),
        (format!("{{{DENY}}}\0"), "NoOpinion"),
        (format!("{{{DENY},}}"), "NoOpinion"),
        (format!("\u{feff}{{{DENY}}}\n"), "Decided decision=deny reason=why"),
        (format!("{{{DENY}}}\n{{\"type\":\"progress\"}}\n"), "Decided decision=deny reason=why"),
        (r#"{"additionalContext":["c"]}"#.to_owned(), r#"Decided context=["c"]"#),
        (r#"{"modifiedArgs":{"a":1}}"#.to_owned(), r#"Decided input={"a":1}"#),
        (r#"{"modifiedArgs":"{\"a\":1}"}"#.to_owned(), r#"Decided input={"a":1}"#),
        (r#"{"updatedInput":{"a":1}}"#.to_owned(), "NoOpinion"),
        ("[1]".to_owned(), "NoOpinion"),
    ];
    for (stdout, expected) in cases {
        for event in ["preToolUse", "PreToolUse"] {
            check(event, 0, &stdout, expected);
        }
    }
}

#[test]
fn arguments_that_are_no_object_keep_the_tool_from_being_called() {
    for (value, found) in [("\"x\"", "a string"), ("null", "null"), ("[1]", "an array"), ("5", "a number")] {
        let stdout = format!("{{\"modifiedArgs\":{value}}}");
        let expected = format!(
            "Decided decision=deny reason=the hook `./h` gave the tool {found} as its arguments, and Copilot CLI then does not call it"
        );
        check("preToolUse", 0, &stdout, &expected);
        let inside = format!("{{\"hookSpecificOutput\":{{\"updatedInput\":{value}}}}}");
        check("PreToolUse", 0, &inside, if value == "null" { "NoOpinion" } else { &expected });
        check("preToolUse", 0, &inside, "NoOpinion");
    }
}

#[test]
fn what_stands_inside_counts_for_one_event_and_before_what_stands_outside() {
    let inside = |inside: &str, outside: &str| format!(r#"{{"hookSpecificOutput":{{{inside}}}{outside}}}"#);
    let deny = inside(DENY, "");
    check("PreToolUse", 0, &deny, "Decided decision=deny reason=why");
    check("preToolUse", 0, &deny, "NoOpinion");
    check(
        "PreToolUse",
        0,
        &inside(&format!(r#""hookEventName":"Stop",{DENY}"#), ""),
        "Decided decision=deny reason=why",
    );
    check(
        "PreToolUse",
        0,
        &inside(r#""permissionDecision":"allow""#, &format!(",{DENY}")),
        "Decided decision=allow reason=why",
    );
    check("PreToolUse", 0, &inside(DENY, r#","permissionDecision":"allow""#), "Decided decision=deny reason=why");
    let context = inside(r#""additionalContext":"c""#, "");
    check("PreToolUse", 0, &context, "Decided context=c");
    for event in ["preToolUse", "PostToolUse", "UserPromptSubmit", "SessionStart", "SubagentStart", "PermissionRequest"]
    {
        check(event, 0, &context, "NoOpinion");
        let told = result(&hook(Copilot, event), 0, &context, "").warnings;
        let begins = "Copilot CLI ignores this answer's hookSpecificOutput: on ";
        assert!(told.len() == 1 && told[0].starts_with(begins), "{event}: {told:?}");
    }
}

#[test]
fn a_permission_is_denied_where_a_hook_fails_or_prints_what_is_no_json() {
    let no_json = "Decided decision=deny reason=the hook `./h` printed what is no JSON, and Copilot CLI then denies the permission";
    let failed =
        "Decided decision=deny reason=the hook `./h` failed (exit code 1), and Copilot CLI then denies the permission";
    let silent = "Decided decision=deny reason=the hook `./h` denied the permission and gave no reason";
    let deny = r#"{"behavior":"deny","message":"why"}"#;
    for event in ["permissionRequest", "PermissionRequest"] {
        check(event, 1, r#"{"behavior":"allow"}"#, failed);
        check(event, 0, "text", no_json);
        check(event, 0, &format!("x\n{deny}"), no_json);
        check(event, 2, "text", silent);
        check(event, 2, r#"{"behavior":"allow"}"#, silent);
        check(event, 2, deny, "Decided decision=deny reason=why");
        for nothing in
            ["", " \n", "{}", "[]", "null", "5", r#"{"permissionDecision":"deny"}"#, r#"{"decision":"deny"}"#]
        {
            check(event, 0, nothing, "NoOpinion");
        }
        check(event, 0, deny, "Decided decision=deny reason=why");
        check(event, 0, r#"{"behavior":"deny","message":5}"#, silent);
        check(
            event,
            0,
            r#"{"behavior":"deny","message":"why","interrupt":true}"#,
            "Decided decision=deny halt=true reason=why",
        );
        check(event, 0, r#"{"behavior":"DENY"}"#, "Decided decision=ask");
        check(event, 0, r#"{"behavior":"allow"}"#, "Decided decision=allow");
    }
}

#[test]
fn the_other_events_are_read_after_exit_codes_0_and_2() {
    let block = r#"{"decision":"block","reason":"why"}"#;
    for status in [0, 2] {
        for event in ["userPromptSubmitted", "agentStop", "Stop", "subagentStop"] {
            check(event, status, block, "Decided decision=deny reason=why");
        }
        let instead = r#"{"resultType":"failure","textResultForLlm":"Tool result blocked: why"}"#;
        let told = format!("Decided context=Tool result blocked: why result={instead}");
        check("postToolUse", status, block, &told);
        for event in ["sessionStart", "subagentStart", "userPromptSubmitted", "postToolUse"] {
            check(event, status, r#"{"additionalContext":"c"}"#, "Decided context=c");
        }
    }
    for event in ["userPromptSubmitted", "agentStop", "postToolUse", "sessionStart"] {
        check(event, 1, block, "ExitCode reason=exit code 1: stderr");
        check(event, 2, "", "ExitCode reason=exit code 2: stderr");
        check(event, 0, r#"{"decision":"block"}"#, "NoOpinion");
        check(event, 0, r#"{"decision":"deny","reason":"why"}"#, "NoOpinion");
        check(event, 0, r#"{"continue":false}"#, "NoOpinion");
        check(event, 0, "text", "NoOpinion");
    }
    // Of what a failed tool's hooks say after exit code 2 standard error counts.
    check("postToolUseFailure", 0, r#"{"additionalContext":"c"}"#, "Decided context=c");
    check("postToolUseFailure", 2, r#"{"additionalContext":"c"}"#, "Decided context=stderr");
    check("postToolUseFailure", 2, "", "Decided context=stderr");
    check("agentStop", 0, r#"{"decision":"block","reason":""}"#, "NoOpinion");
    check("agentStop", 0, r#"{"decision":"block","reason":5}"#, "NoOpinion");
    check("agentStop", 0, r#"{"additionalContext":"c"}"#, "NoOpinion");
    check("postToolUse", 0, r#"{"additionalContext":["c"]}"#, "NoOpinion");
    check("sessionStart", 0, r#"{"additionalContext":["c"]}"#, r#"Decided context=["c"]"#);
}

/// What takes the place of something is in the verdict, and is said to the agent as its hook says it.
#[test]
fn what_takes_the_place_of_a_prompt_a_result_or_a_response() {
    let cases = [
        ("userPromptSubmitted", r#"{"modifiedPrompt":"p"}"#, r#"{"modifiedPrompt":"p"}"#),
        ("userPromptSubmitted", r#"{"modifiedPrompt":5}"#, "{}"),
        (
            "userPromptSubmitted",
            r#"{"handled":true,"responseContent":"done"}"#,
            r#"{"handled":true,"responseContent":"done"}"#,
        ),
        ("userPromptSubmitted", r#"{"handled":true}"#, "{}"),
        ("userPromptTransformed", r#"{"modifiedTransformedPrompt":"p"}"#, r#"{"modifiedTransformedPrompt":"p"}"#),
        ("userPromptTransformed", r#"{"modifiedTransformedPrompt":5}"#, "{}"),
        ("subagentStop", r#"{"modifiedResponse":"r"}"#, r#"{"modifiedResponse":"r"}"#),
        (
            "postToolUse",
            r#"{"modifiedResult":{"textResultForLlm":"t","resultType":"failure"}}"#,
            r#"{"modifiedResult":{"textResultForLlm":"t","resultType":"failure"}}"#,
        ),
        ("postToolUse", r#"{"modifiedResult":{}}"#, "{}"),
        ("postToolUse", r#"{"modifiedResult":"t"}"#, "{}"),
        ("postToolUse", r#"{"decision":"block","reason":"why"}"#, r#"{"decision":"block","reason":"why"}"#),
        ("preMcpToolCall", r#"{"metaToUse":{"a":1}}"#, r#"{"metaToUse":{"a":1}}"#),
        ("preMcpToolCall", r#"{"metaToUse":null}"#, r#"{"metaToUse":null}"#),
        ("preMcpToolCall", r#"{"metaToUse":5}"#, "{}"),
    ];
    for (dialect_event_name, stdout, expected) in cases {
        let hook = hook(Copilot, dialect_event_name);
        let verdict = Verdict::new(&event(hook.event), vec![result(&hook, 0, stdout, "")]);
        assert_eq!(verdict.render(Copilot).stdout, expected, "{dialect_event_name} {stdout}");
    }
    let hook = hook(Copilot, "postToolUse");
    let blocked =
        Verdict::new(&event(hook.event), vec![result(&hook, 0, r#"{"decision":"block","reason":"why"}"#, "")]);
    // The model does not see what the tool gave.
    let result = blocked.opinion.updated_result.unwrap();
    assert_eq!(result.get(), r#"{"resultType":"failure","textResultForLlm":"Tool result blocked: why"}"#);
}

/// The hooks of a file that the agent runs: their commands.
fn read(text: &str) -> Vec<String> {
    let mut config = Config::in_dialect(Some(Copilot));
    config.add(text, "h.json");
    config.hooks().iter().map(|hook| hook.command_line()).collect()
}

fn problems(text: &str) -> Vec<String> {
    let mut config = Config::in_dialect(Some(Copilot));
    let errors = config.add(text, "h.json");
    let warnings = config.warnings().iter().map(ToString::to_string);
    errors.iter().map(ToString::to_string).chain(warnings).collect()
}

#[test]
fn one_bad_thing_costs_the_file() {
    const HOOKS: &str = r#""hooks":{"preToolUse":[{"bash":"x"}]}"#;
    for (text, runs) in [
        (format!("{{{HOOKS}}}"), true),
        (format!("{{\"version\":1,{HOOKS}}}"), true),
        (format!("{{\"version\":1.0,{HOOKS}}}"), true),
        (format!("{{\"foo\":1,{HOOKS}}}"), true),
        (format!("{{\"disableAllHooks\":false,{HOOKS}}}"), true),
        (format!("{{\"version\":2,{HOOKS}}}"), false),
        (format!("{{\"version\":\"1\",{HOOKS}}}"), false),
        (format!("{{\"version\":null,{HOOKS}}}"), false),
        (format!("{{\"disableAllHooks\":true,{HOOKS}}}"), false),
        (format!("{{\"disableAllHooks\":\"x\",{HOOKS}}}"), false),
        (format!("{{\"disableAllHooks\":null,{HOOKS}}}"), false),
        (format!("// x\n{{{HOOKS}}}"), false),
        (format!("{{{HOOKS},}}"), false),
        (format!("\u{feff}{{{HOOKS}}}"), false),
        (r#"{"preToolUse":[{"bash":"x"}]}"#.to_owned(), false),
        (r#"{"hooks":[{"bash":"x"}]}"#.to_owned(), false),
        (r#"{"hooks":{"preToolUse":{"bash":"x"}}}"#.to_owned(), false),
        (r#"{"hooks":{"preToolUse":[{"bash":"x"}],"postToolUse":5}}"#.to_owned(), false),
        (r#"{"hooks":{"preToolUse":[{"bash":"x"}],"postToolUse":null}}"#.to_owned(), false),
        (r#"{"hooks":{"preToolUse":[{"bash":"x"}],"Bogus":5}}"#.to_owned(), true),
        (r#"{"hooks":{"preToolUse":[{"bash":"x"},{"hooks":[{"hooks":[]}]}]}}"#.to_owned(), false),
        (r#"{"hooks":{"PRETOOLUSE":[{"bash":"x"}]}}"#.to_owned(), false),
        (r#"{"hooks":{"pre_tool_use":[{"bash":"x"}]}}"#.to_owned(), false),
        (r#"{"hooks":{"preToolUse":[]},"hooks":{"preToolUse":[{"bash":"x"}]}}"#.to_owned(), true),
        (r#"{"hooks":{"preToolUse":[{"bash":"x"}],"preToolUse":[]}}"#.to_owned(), false),
        (r#"{"hooks":{"preToolUse":[{"bash":"y","bash":"x"}]}}"#.to_owned(), true),
    ] {
        assert_eq!(read(&text), if runs { vec!["x"] } else { vec![] }, "{text}");
        // What is dropped is said, with its place.
        let problems = problems(&text);
        assert!(
            runs || !problems.is_empty() && problems.iter().all(|problem| problem.starts_with("h.json:")),
            "{text}: {problems:?}"
        );
    }
    let told = problems(&format!("// x\n{{{HOOKS}}}"));
    assert_eq!(
        told,
        ["h.json:1:1: expected value: Copilot CLI reads strict JSON only, and passes over the whole file"]
    );
}

#[test]
fn what_is_wrong_in_a_hook_costs_the_hook_alone() {
    // The keys of a hook; is it run?
    let cases = [
        (r#""timeoutSec":0"#, false),
        (r#""timeoutSec":-1"#, false),
        (r#""timeoutSec":"1""#, false),
        (r#""timeoutSec":null"#, false),
        (r#""timeout":"x""#, false),
        (r#""timeout":3,"timeoutSec":0"#, false),
        (r#""timeoutSec":1.5"#, true),
        (r#""timeoutSec":1e9"#, true),
        (r#""env":{"A":1}"#, false),
        (r#""env":"x""#, false),
        (r#""env":null"#, false),
        (r#""env":{"A":"b"}"#, true),
        (r#""cwd":5"#, false),
        (r#""cwd":null"#, false),
        (r#""cwd":"""#, true),
        (r#""type":"bogus""#, false),
        (r#""type":"Command""#, false),
        (r#""type":"prompt","prompt":"x""#, false),
        (r#""type":"agent","prompt":"x""#, false),
        (r#""type":null"#, false),
        (r#""matcher":null"#, false),
        (r#""matcher":"""#, false),
        (r#""matcher":"*""#, false),
        (r#""matcher":"(""#, false),
        (r#""matcher":5"#, false),
        (r#""bash":5"#, false),
        (r#""bash":null"#, false),
        (r#""bash":" ""#, false),
        (r#""exec":"true""#, false),
        (r#""args":"x""#, false),
        (r#""args":["x"]"#, true),
        (r#""async":true"#, true),
        (r#""async":"x""#, true),
        (r#""if":"Bash(rm *)""#, true),
        (r#""if":5"#, true),
        (r#""once":true"#, true),
        (r#""enabled":false"#, true),
        (r#""name":5"#, true),
        (r#""shell":"powershell""#, true),
        (r#""comment":5"#, true),
        (r#""foo":1"#, true),
    ];
    for (keys, runs) in cases {
        let text = format!(r#"{{"hooks":{{"preToolUse":[{{"bash":"x",{keys}}},{{"bash":"beside"}}]}}}}"#);
        let expected: &[&str] = if runs { &["x", "beside"] } else { &["beside"] };
        assert_eq!(read(&text), expected, "{keys}");
        let problems = problems(&text);
        assert!(runs || !problems.is_empty(), "{keys}");
    }
    for hook in ["null", "\"x\"", "{}", r#"{"type":"command"}"#] {
        assert_eq!(read(&format!(r#"{{"hooks":{{"preToolUse":[{hook},{{"bash":"x"}}]}}}}"#)), ["x"], "{hook}");
    }
    let mut config = Config::in_dialect(Some(Copilot));
    let text = r#"{"hooks":{"preToolUse":[{"bash":"x","async":true,"if":"Bash(rm *)","once":true}]}}"#;
    assert!(config.add(text, "h.json").is_empty());
    let hook = &config.hooks()[0];
    assert!(!hook.is_async && !hook.once && hook.condition.is_none() && matches!(hook.kind, HookKind::Command));
    assert_eq!(config.warnings().len(), 3);
    let told =
        "h.json:1:37: Copilot CLI ignores `hooks.preToolUse[0].async`: the hook is waited for, and what it says counts";
    assert_eq!(config.warnings()[0].to_string(), told);
}

#[test]
fn hooks_in_camel_case_come_first() {
    let text = r#"{"hooks":{"PreToolUse":[{"bash":"b"}],"preToolUse":[{"bash":"a"}],"Stop":[{"bash":"c"}]}}"#;
    assert_eq!(read(text), ["a", "b", "c"]);
}

#[test]
fn of_a_group_nothing_counts_but_its_matcher() {
    let cases = [
        (r#"{"matcher":"bash","hooks":[{"bash":"x"}]}"#, true),
        (r#"{"matcher":"edit","hooks":[{"bash":"x"}]}"#, false),
        (r#"{"matcher":"edit","hooks":[{"bash":"x","matcher":"bash"}]}"#, true),
        (r#"{"matcher":"bash","hooks":[{"bash":"x","matcher":"edit"}]}"#, false),
        (r#"{"matcher":null,"hooks":[{"bash":"x"}]}"#, true),
        (r#"{"matcher":"","hooks":[{"bash":"x"}]}"#, false),
        (r#"{"matcher":"*","hooks":[{"bash":"x"}]}"#, false),
        (r#"{"timeoutSec":0,"hooks":[{"bash":"x"}]}"#, true),
        (r#"{"hooks":{"bash":"x"}}"#, false),
        (r#"{"hooks":[],"bash":"x"}"#, false),
    ];
    let event = event(EventKind::PreToolUse);
    for (group, runs) in cases {
        let mut config = Config::in_dialect(Some(Copilot));
        config.add(&format!(r#"{{"hooks":{{"preToolUse":[{group}]}}}}"#), "h.json");
        assert_eq!(config.hooks().iter().any(|hook| hook.is_for(&event, &[])), runs, "{group}");
    }
}

#[test]
fn the_command_of_a_system_goes_before_those_for_all() {
    let line = |keys: &str| read(&format!(r#"{{"hooks":{{"preToolUse":[{{{keys}}}]}}}}"#));
    assert_eq!(line(r#""exec":"./a b","args":["c d","e"]"#), ["'./a b' 'c d' e"]);
    let (own, other) = match () {
        () if cfg!(windows) => ("windows", "linux"),
        () if cfg!(target_os = "macos") => ("osx", "windows"),
        () => ("linux", "windows"),
    };
    assert_eq!(line(&format!(r#""bash":"b","{own}":"own""#)), ["own"]);
    assert_eq!(line(&format!(r#""bash":"b","{other}":"other""#)), ["b"]);
    // Alone it is a hook that fails, and denies.
    assert!(line(&format!(r#""{other}":"other""#))[0].ends_with("exit 1"));
}

#[test]
fn a_matcher_counts_on_events_that_know_one() {
    for (dialect_event_name, runs) in [
        ("preToolUse", false),
        ("postToolUse", false),
        ("permissionRequest", false),
        ("subagentStart", false),
        ("userPromptSubmitted", true),
        ("agentStop", true),
        ("sessionStart", true),
        ("sessionEnd", true),
        ("subagentStop", true),
        ("postToolUseFailure", true),
    ] {
        let mut config = Config::in_dialect(Some(Copilot));
        config.add(&format!(r#"{{"hooks":{{"{dialect_event_name}":[{{"matcher":"zzz","bash":"x"}}]}}}}"#), "h.json");
        let (_, name) = Copilot.event(dialect_event_name).unwrap();
        assert_eq!(config.hooks()[0].is_for(&event(name), &[]), runs, "{dialect_event_name}");
    }
}

/// A project's settings switch off the project's hooks of every file, and never the user's.
#[test]
fn a_projects_settings_switch_off_its_own_hooks_alone() {
    let root = tempfile::tempdir().unwrap();
    let off = r#"{"disableAllHooks":true,"hooks":{"preToolUse":[{"bash":"x"}]}}"#;
    let on = r#"{"hooks":{"preToolUse":[{"bash":"x"}]}}"#;
    let files = [
        ("home/hooks/a.json", on, Origin::User),
        ("project/.github/hooks/a.json", on, Origin::Project),
        ("project/.github/copilot/settings.json", off, Origin::Project),
    ];
    let mut config = Config::in_dialect(Some(Copilot));
    for (path, text, origin) in files {
        let path = root.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        assert!(config.add_found(&FoundFile::new(path, origin)).is_empty());
    }
    let origins: Vec<Origin> = config.hooks().iter().map(|hook| hook.origin).collect();
    assert_eq!(origins, [Origin::User]);
}
