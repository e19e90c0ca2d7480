//! Claude Code's answers, as `tests/agents/claude.py` has seen them from version 2.1.197, and verdicts said to it.

use std::time::Duration;

use super::{ended, event, gives, hook, result};
use crate::dialect::Dialect::Claude;
use crate::event::Event;
use crate::event_kind::EventKind;
use crate::json::JsonText;
use crate::tool_input::ToolInput;
use crate::verdict::{HookReport, Verdict};
use crate::work::ends::missing_fi;

const IGNORED: &str = "Claude Code ignores this answer: ";

/// The event's own object with these members.
fn own(event: &str, members: &str) -> String {
    format!(r#"{{"hookSpecificOutput":{{"hookEventName":"{event}",{members}}}}}"#)
}

fn told(event: &str, status: u8, stdout: &str, stderr: &str) -> Vec<String> {
    result(&hook(Claude, event), status, stdout, stderr).warnings
}

#[test]
fn what_does_not_fit_the_schema_counts_for_nothing() {
    let deny = r#""permissionDecision":"deny","permissionDecisionReason":"no""#;
    let refused = [
        r#"{"decision":"allow"}"#.to_owned(),
        r#"{"decision":"deny"}"#.to_owned(),
        r#"{"decision":"BLOCK"}"#.to_owned(),
        r#"{"decision":"Approve"}"#.to_owned(),
        r#"{"continue":"false"}"#.to_owned(),
        r#"{"suppressOutput":1}"#.to_owned(),
        format!(r#"{{"hookSpecificOutput":{{{deny}}}}}"#),
        format!(r#"{{"hookSpecificOutput":[{{{deny}}}]}}"#),
        own("PostToolUse", r#""additionalContext":"c""#),
        own("PreToolUse", r#""permissionDecision":"Deny""#),
        own("PreToolUse", r#""permissionDecision":"allow","updatedInput":"x""#),
        own("PreToolUse", &format!(r#"{deny},"additionalContext":["c"]"#)),
        own("Pretooluse", deny),
    ];
    let fields =
        ["decision", "reason", "stopReason", "systemMessage", "continue", "terminalSequence", "suppressOutput"];
    let wrong = fields.into_iter().flat_map(|field| {
        ["null", "7", "[]", "{}"].map(|value| {
            let all = own("PreToolUse", deny);
            format!(r#"{{"{field}":{value},{}"#, &all[1..])
        })
    });
    for stdout in refused.into_iter().chain(wrong) {
        for status in [0, 1, 2] {
            let result = result(&hook(Claude, "PreToolUse"), status, &stdout, "no");
            let what = (result.outcome.as_str(), result.opinion.decision, result.opinion.halt);
            assert_eq!(what, ("BadEnvelope", None, false), "{status} {stdout}");
            let told = &result.warnings;
            assert!(told.len() == 1 && told[0].starts_with(IGNORED), "{status} {stdout}: {told:?}");
        }
    }
}

#[test]
fn an_answer_counts_beside_any_exit_code() {
    let deny = own("PreToolUse", r#""permissionDecision":"deny","permissionDecisionReason":"no""#);
    for status in [0, 1, 2, 49, 127] {
        assert_eq!(gives(Claude, "PreToolUse", status, &deny, "e"), "Decided decision=deny reason=no", "{status}");
        let blank = format!("\u{feff}\u{a0}\n{deny}\r\n");
        assert_eq!(gives(Claude, "PreToolUse", status, &blank, "e"), "Decided decision=deny reason=no", "{status}");
    }
    assert_eq!(gives(Claude, "PreToolUse", 1, r#"{"decision":"approve"}"#, ""), "Decided decision=allow");
    let context = own("Stop", r#""additionalContext":"go on""#);
    for status in [0, 1] {
        assert_eq!(gives(Claude, "Stop", status, &context, ""), "Decided decision=deny context=go on");
    }
    // An object twice is no JSON.
    assert_eq!(gives(Claude, "PreToolUse", 0, &format!("{deny}\n{deny}"), ""), "NoOpinion");
    assert_eq!(gives(Claude, "PreToolUse", 2, &format!("{deny}\n{deny}"), "e"), "Decided decision=deny reason=e");
}

#[test]
fn an_object_beside_exit_code_2_names_the_reason() {
    let cases = [
        (r#"{"decision":"block","reason":"why"}"#.to_owned(), "Decided decision=deny reason=why"),
        (r#"{"decision":"block"}"#.to_owned(), "Decided decision=deny"),
        ("{}".to_owned(), "Decided decision=deny reason=e"),
        (own("PreToolUse", r#""permissionDecision":"allow""#), "Decided decision=deny reason=e"),
        (own("PreToolUse", r#""permissionDecision":"ask""#), "Decided decision=deny reason=e"),
        // It says that it continues in the background.
        (r#"{"async":true,"decision":"block"}"#.to_owned(), "Started"),
    ];
    for (stdout, expected) in cases {
        assert_eq!(gives(Claude, "PreToolUse", 2, &stdout, "e"), expected, "{stdout}");
    }
}

#[test]
fn decisions_before_a_tool() {
    let cases = [
        // The reason at the top is not looked at beside an object of its own.
        (
            r#"{"decision":"block","reason":"why","hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"c"}}"#,
            "Decided decision=deny context=c",
        ),
        (
            r#"{"decision":"block","reason":"why","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}"#,
            "Decided decision=deny reason=why",
        ),
        (
            r#"{"decision":"approve","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}"#,
            "Decided decision=deny reason=no",
        ),
        (r#"{"continue":false,"stopReason":"enough"}"#, "Decided halt=true reason=enough"),
        (r#"{"continue":false,"decision":"block","reason":"why"}"#, "Decided decision=deny reason=why"),
        (
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"defer","updatedInput":{"command":"x"}}}"#,
            "Decided decision=defer",
        ),
        (r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":""}}"#, "NoOpinion"),
    ];
    for (stdout, expected) in cases {
        assert_eq!(gives(Claude, "PreToolUse", 0, stdout, ""), expected, "{stdout}");
    }
}

#[test]
fn each_event_takes_blocks_and_halts_in_its_own_way() {
    let block = r#"{"decision":"block","reason":"why"}"#;
    let halt = r#"{"continue":false,"stopReason":"stop"}"#;
    let both = r#"{"continue":false,"stopReason":"stop","decision":"block","reason":"why"}"#;
    let denied = "Decided decision=deny reason=why";
    let halted = "Decided halt=true reason=stop";
    let cases = [
        ("UserPromptSubmit", denied, halted, halted),
        ("UserPromptExpansion", denied, halted, halted),
        ("PostToolUse", "Decided context=why", halted, halted),
        ("PostToolUseFailure", "Decided context=why", "NoOpinion", "Decided context=why"),
        ("PostToolBatch", "Decided halt=true reason=why", halted, halted),
        ("SessionStart", "Decided context=why", "NoOpinion", "Decided context=why"),
        ("Setup", "Decided context=why", "NoOpinion", "Decided context=why"),
        ("Stop", denied, halted, halted),
        ("SubagentStop", denied, halted, halted),
        ("SubagentStart", "NoOpinion", "NoOpinion", "NoOpinion"),
        ("PermissionRequest", "NoOpinion", "NoOpinion", "NoOpinion"),
        ("Notification", "NoOpinion", "NoOpinion", "NoOpinion"),
        ("SessionEnd", "NoOpinion", "NoOpinion", "NoOpinion"),
        ("TaskCreated", denied, "NoOpinion", denied),
        ("TaskCompleted", denied, halted, halted),
        ("PreCompact", denied, "Decided context={\"continue\":false,\"stopReason\":\"stop\"}", denied),
        ("ConfigChange", denied, "NoOpinion", denied),
    ];
    for (event, of_block, of_halt, of_both) in cases {
        assert_eq!(gives(Claude, event, 0, block, ""), of_block, "{event}");
        assert_eq!(gives(Claude, event, 0, halt, ""), of_halt, "{event}");
        assert_eq!(gives(Claude, event, 0, both, ""), of_both, "{event}");
        if of_block == "NoOpinion" {
            let told = told(event, 0, block, "");
            assert!(told.len() == 1 && told[0].starts_with(IGNORED), "{event}: {told:?}");
        }
        if of_halt == "NoOpinion" {
            let told = told(event, 0, halt, "");
            assert!(told.len() == 1 && told[0].starts_with(IGNORED), "{event}: {told:?}");
        }
    }
    for event in ["PermissionRequest", "SessionStart"] {
        let told = told(event, 2, "", "no");
        assert!(told.len() == 1 && told[0].starts_with("Claude Code ignores this answer: exit code 2"), "{told:?}");
    }
    let told = told("Stop", 2, "", "sh: 0: cannot open x: No such file");
    assert!(told.len() == 1 && told[0].contains("reports a missing file"), "{told:?}");
}

#[test]
fn only_an_answer_counts_for_a_permission_request() {
    let answer = |answer: &str| own("PermissionRequest", &format!(r#""decision":{answer}"#));
    let cases = [
        (answer(r#"{"behavior":"deny","message":"no"}"#), "Decided decision=deny reason=no"),
        (answer(r#"{"behavior":"deny","interrupt":true}"#), "Decided decision=deny halt=true"),
        (answer(r#"{"behavior":"allow"}"#), "Decided decision=allow"),
        (
            answer(r#"{"behavior":"allow","updatedInput":{"command":"x"}}"#),
            r#"Decided decision=allow input={"command":"x"}"#,
        ),
    ];
    for (stdout, expected) in cases {
        for status in [0, 1, 2] {
            assert_eq!(gives(Claude, "PermissionRequest", status, &stdout, "e"), expected, "{status} {stdout}");
        }
    }
    for wrong in
        [r#"{"behavior":"Deny"}"#, r#"{"behavior":"ask"}"#, r#"{"behavior":"deny","message":7}"#, r#""deny""#, "{}"]
    {
        let given = gives(Claude, "PermissionRequest", 0, &answer(wrong), "");
        assert!(given.starts_with("BadEnvelope"), "{wrong}: {given}");
    }
    assert!(
        gives(Claude, "PermissionRequest", 0, &own("PermissionRequest", r#""x":1"#), "").starts_with("BadEnvelope")
    );
}

#[test]
fn keys_that_it_does_not_know_are_told_of() {
    let cases = [
        (r#"{"additionalContext":"c"}"#.to_owned(), "`additionalContext` is no field"),
        (r#"{"foo":1,"bar":2}"#.to_owned(), "`foo`, `bar` are no fields"),
        (own("PreToolUse", r#""foo":1"#), "`hookSpecificOutput.foo` is no field"),
    ];
    for (stdout, what) in cases {
        let told = told("PreToolUse", 0, &stdout, "");
        assert!(told.len() == 1 && told[0].starts_with(&format!("{IGNORED}{what}")), "{stdout}: {told:?}");
    }
    assert!(told("PreToolUse", 0, r#"{"suppressOutput":true,"systemMessage":"m"}"#, "").is_empty());
}

#[test]
fn a_broken_command_is_told_or_blocks_as_exit_code_2_does() {
    let broken = |name: &str| {
        let end = missing_fi();
        let result = ended(&hook(Claude, name), end, 2, "", "hook: line 1: expected `fi`");
        (result.outcome.as_str(), result.opinion.decision.is_some(), result.opinion.halt, result.opinion.context.len())
    };
    assert_eq!(broken("PreToolUse"), ("Decided", true, false, 0));
    assert_eq!(broken("PostToolUse"), ("Decided", false, false, 1));
    assert_eq!(broken("PostToolBatch"), ("Decided", false, true, 0));
    assert_eq!(broken("PermissionRequest"), ("Parse", false, false, 0));
    assert_eq!(broken("SessionStart"), ("Parse", false, false, 0));
}

/// A hook of the event that has printed that and ended after so many milliseconds.
fn after(ms: u64, event: &str, status: u8, stdout: &str) -> HookReport {
    let mut result = result(&hook(Claude, event), status, stdout, "e");
    result.elapsed = Duration::from_millis(ms);
    result
}

/// A call of the agent's own tool.
fn call(name: EventKind, tool: &str) -> Event {
    let input = || ToolInput::parse(r#"{"command":"a"}"#).unwrap();
    match name {
        EventKind::PreToolUse => Event::pre_tool_use(tool, input(), "/w"),
        EventKind::PermissionRequest => Event::permission_request(tool, input(), "/w"),
        EventKind::PostToolUse => Event::post_tool_use(tool, input(), JsonText::parse("1").unwrap(), "/w"),
        other => event(other),
    }
}

/// `decision halt reason [context] input` of all hooks.
fn together(event: &Event, hooks: Vec<HookReport>) -> String {
    let verdict = Verdict::new(event, hooks);
    format!(
        "{} {} {} [{}] {}",
        verdict.opinion.decision.map_or("-", |decision| decision.as_str()),
        if verdict.opinion.halt { "halt" } else { "-" },
        verdict.opinion.reason.as_deref().unwrap_or("-"),
        verdict.context().as_deref().unwrap_or_default().replace('\n', "+"),
        verdict.updated_input().as_ref().map_or("-", ToolInput::get)
    )
}

#[test]
fn several_answers_before_a_tool_are_taken_as_they_come() {
    let says = |decision: &str, more: &str| {
        own(
            "PreToolUse",
            &format!(r#""permissionDecision":"{decision}","permissionDecisionReason":"{decision}"{more}"#),
        )
    };
    let input = |command: &str| format!(r#","updatedInput":{{"command":"{command}"}}"#);
    let only_input = |command: &str| own("PreToolUse", &format!(r#""updatedInput":{{"command":"{command}"}}"#));
    let context = |text: &str| own("PreToolUse", &format!(r#""additionalContext":"{text}""#));
    let halt = || r#"{"continue":false,"stopReason":"stop"}"#.to_owned();
    /// When each hook ended, with which exit code, and what it printed; and what they are together.
    type Case = (Vec<(u64, u8, String)>, &'static str);
    let cases: Vec<Case> = vec![
        (vec![(0, 0, says("deny", "")), (0, 2, String::new())], "deny - e [] -"),
        (vec![(500, 0, says("deny", "")), (0, 2, String::new())], "deny - deny [] -"),
        (vec![(0, 0, says("allow", "")), (0, 0, says("deny", ""))], "deny - deny [] -"),
        (vec![(0, 0, says("ask", "")), (0, 0, says("allow", ""))], "ask - ask [] -"),
        (vec![(0, 0, says("defer", "")), (0, 0, says("ask", ""))], "defer - defer [] -"),
        (vec![(0, 0, says("defer", "")), (0, 0, says("deny", ""))], "deny - deny [] -"),
        // The last one to end counts, and of an allow without an input the call is as it was.
        (
            vec![(500, 0, says("allow", &input("b"))), (0, 0, says("allow", &input("c")))],
            r#"allow - allow [] {"command":"b"}"#,
        ),
        (vec![(0, 0, says("allow", &input("b"))), (300, 0, says("allow", ""))], "allow - allow [] -"),
        (vec![(0, 0, only_input("b")), (0, 0, says("allow", ""))], r#"allow - allow [] {"command":"b"}"#),
        (vec![(0, 0, says("ask", &input("b"))), (0, 0, says("allow", &input("c")))], r#"ask - ask [] {"command":"b"}"#),
        (vec![(0, 0, only_input("b")), (0, 0, only_input("c"))], r#"- - - [] {"command":"c"}"#),
        (vec![(400, 0, context("late")), (0, 0, context("soon"))], "- - - [soon+late] -"),
        // The tool runs, and the turn ends then; a call that is blocked ends none.
        (vec![(0, 0, halt())], "- halt stop [] -"),
        (vec![(0, 0, halt()), (0, 0, says("allow", ""))], "allow halt stop [] -"),
        (vec![(0, 0, halt()), (0, 0, says("deny", ""))], "deny - deny [] -"),
        // An input that is none of the tool's.
        (
            vec![(0, 0, own("PreToolUse", r#""updatedInput":{"x":1}"#))],
            "deny - a hook's updatedInput is no input of Bash: `command` must be a string (updatedInput is the whole new input) [] -",
        ),
    ];
    for (hooks, expected) in cases {
        let what = format!("{hooks:?}");
        let hooks = hooks.into_iter().map(|(ms, status, stdout)| after(ms, "PreToolUse", status, &stdout)).collect();
        assert_eq!(together(&call(EventKind::PreToolUse, "Bash"), hooks), expected, "{what}");
    }
}

#[test]
fn several_answers_of_the_other_events() {
    let block = |reason: &str| format!(r#"{{"decision":"block","reason":"{reason}"}}"#);
    let halt = r#"{"continue":false,"stopReason":"stop"}"#;
    let answer = |behavior: &str| own("PermissionRequest", &format!(r#""decision":{{"behavior":"{behavior}"}}"#));
    let of = |name: EventKind, hooks: &[(u64, String)]| {
        let dialect_event_name = Claude.event_name(name);
        together(
            &call(name, "Bash"),
            hooks.iter().map(|(ms, stdout)| after(*ms, dialect_event_name, 0, stdout)).collect(),
        )
    };
    let prompt = EventKind::UserPromptSubmit;
    assert_eq!(of(prompt, &[(300, block("late")), (0, block("soon"))]), "deny - soon [] -");
    assert_eq!(of(prompt, &[(300, block("late")), (0, halt.to_owned())]), "deny halt stop [] -");
    assert_eq!(of(EventKind::Stop, &[(0, block("a")), (0, block("b"))]), "deny - a\nb [] -");
    assert_eq!(of(EventKind::Stop, &[(0, block("a")), (0, halt.to_owned())]), "deny halt stop [] -");
    let other = halt.replace("stop\"}", "end\"}");
    assert_eq!(of(EventKind::Stop, &[(300, halt.to_owned()), (0, other)]), "deny halt end\nstop [] -");
    assert_eq!(
        of(EventKind::PostToolUse, &[(0, block("a")), (0, halt.to_owned()), (0, block("b"))]),
        "deny halt stop [a] -"
    );
    assert_eq!(of(EventKind::PostToolBatch, &[(0, block("a")), (0, block("b"))]), "deny halt a [] -");
    let request = EventKind::PermissionRequest;
    assert_eq!(of(request, &[(300, answer("deny")), (0, answer("allow"))]), "allow - - [] -");
    assert_eq!(of(request, &[(0, answer("deny")), (300, answer("allow"))]), "deny - - [] -");
}

#[test]
fn a_result_to_use_instead_must_be_one_of_the_tools() {
    let used = |tool: &str, members: &str| {
        let hook = after(0, "PostToolUse", 0, &own("PostToolUse", members));
        let verdict = Verdict::new(&call(EventKind::PostToolUse, tool), vec![hook]);
        assert!(verdict.opinion.agent_output.is_empty());
        verdict.opinion.updated_result.map(|result| result.get().to_owned())
    };
    let output = r#"{"stdout":"***","stderr":"","interrupted":false}"#;
    assert_eq!(used("Bash", &format!(r#""updatedToolOutput":{output}"#)).as_deref(), Some(output));
    assert_eq!(used("Bash", r#""updatedToolOutput":"***""#), None);
    assert_eq!(used("mcp__a__b", r#""updatedMCPToolOutput":"***""#).as_deref(), Some("\"***\""));
    assert_eq!(used("Read", r#""updatedMCPToolOutput":"***""#), None);
}

/// What the agent is told for these hooks' outputs: `exit-code stdout|stderr`.
fn said(name: &str, hooks: &[(u8, &str)]) -> String {
    let (_, event) = Claude.event(name).unwrap();
    let hooks = hooks.iter().map(|(status, stdout)| after(0, name, *status, stdout)).collect();
    let rendered = Verdict::new(&call(event, "Bash"), hooks).render(Claude);
    format!("{} {}|{}", rendered.exit_code, rendered.stdout, rendered.stderr)
}

/// An answer of one hook comes out as it went in.
#[test]
fn an_answer_is_handed_on_as_it_was() {
    let same = [
        ("PreToolUse", r#"{"continue":false,"stopReason":"stop"}"#),
        ("PreToolUse", r#"{"systemMessage":"m"}"#),
        ("PreToolUse", r#"{"terminalSequence":"\u0007"}"#),
        (
            "PreToolUse",
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","updatedInput":{"command":"b"},"additionalContext":"c"}}"#,
        ),
        ("PostToolUse", r#"{"decision":"block","reason":"lint"}"#),
        (
            "PostToolUse",
            r#"{"decision":"block","reason":"lint","hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"c"}}"#,
        ),
        (
            "PostToolUse",
            r#"{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":{"stdout":"x","stderr":"","interrupted":false}}}"#,
        ),
        ("PostToolUse", r#"{"continue":false,"stopReason":"stop"}"#),
        ("PostToolUseFailure", r#"{"decision":"block","reason":"lint"}"#),
        ("SessionStart", r#"{"decision":"block","reason":"look"}"#),
        (
            "SessionStart",
            r#"{"hookSpecificOutput":{"hookEventName":"SessionStart","initialUserMessage":"hi","sessionTitle":"t","watchPaths":["/a"],"reloadSkills":true,"additionalContext":"c"}}"#,
        ),
        ("UserPromptSubmit", r#"{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","sessionTitle":"t"}}"#),
        ("Stop", r#"{"hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"go on"}}"#),
        ("Stop", r#"{"continue":false,"stopReason":"stop"}"#),
        ("PermissionDenied", r#"{"hookSpecificOutput":{"hookEventName":"PermissionDenied","retry":true}}"#),
        ("MessageDisplay", r#"{"hookSpecificOutput":{"hookEventName":"MessageDisplay","displayContent":"***"}}"#),
        ("CwdChanged", r#"{"hookSpecificOutput":{"hookEventName":"CwdChanged","watchPaths":["/a"]}}"#),
        (
            "PermissionRequest",
            r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow","updatedInput":{"command":"b"},"updatedPermissions":[]}}}"#,
        ),
        (
            "Elicitation",
            r#"{"hookSpecificOutput":{"hookEventName":"Elicitation","action":"accept","content":{"a":1}}}"#,
        ),
        ("Elicitation", r#"{"hookSpecificOutput":{"hookEventName":"Elicitation","action":"cancel"}}"#),
    ];
    for (name, stdout) in same {
        assert_eq!(said(name, &[(0, stdout)]), format!("0 {stdout}|"), "{name}");
    }
}

#[test]
fn what_is_said_of_other_answers() {
    let cases = [
        (
            "PermissionRequest",
            (
                0,
                r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"no","interrupt":true}}}"#,
            ),
            r#"2 {"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"no","interrupt":true}}}|no"#,
        ),
        ("Stop", (0, r#"{"decision":"block","reason":"more"}"#), r#"2 {"decision":"block","reason":"more"}|more"#),
        ("PostToolUse", (2, ""), r#"0 {"decision":"block","reason":"e"}|"#),
        ("PostToolBatch", (2, ""), r#"0 {"continue":false,"stopReason":"e"}|"#),
        ("PreCompact", (0, "keep the names"), "0 keep the names|"),
        ("WorktreeCreate", (0, "made it\n/w/tree\n"), "0 /w/tree|"),
        (
            "SessionStart",
            (0, "main"),
            r#"0 {"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"main"}}|"#,
        ),
        ("PermissionRequest", (2, ""), "0 {}|"),
    ];
    for (name, hook, expected) in cases {
        assert_eq!(said(name, &[hook]), expected, "{name} {hook:?}");
    }
    let lists = [r#"["/a"]"#, r#"["/b"]"#].map(|list| own("SessionStart", &format!(r#""watchPaths":{list}"#)));
    let lists = lists.each_ref().map(|list| (0, list.as_str()));
    assert_eq!(
        said("SessionStart", &lists),
        r#"0 {"hookSpecificOutput":{"hookEventName":"SessionStart","watchPaths":["/a","/b"]}}|"#
    );
    let blocks = [(0, r#"{"decision":"block","reason":"a"}"#), (0, r#"{"decision":"block","reason":"b"}"#)];
    assert_eq!(said("PostToolUse", &blocks), r#"0 {"decision":"block","reason":"a\nb"}|"#);
}
