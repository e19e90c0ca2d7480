//! What Codex does with configs, matchers and answers, as its rig has seen it (tests/agents/codex.py).

use std::time::Duration;

use super::{ended, event, gives, hook, input, result, root};
use crate::config::{Config, Origin};
use crate::dialect::Dialect::Codex;
use crate::event::Event;
use crate::event_kind::EventKind;
use crate::verdict::HookReport;
use crate::work::ends::missing_fi;

/// The problems and warnings of a file of Codex's, and the commands that are left of it.
fn read(text: &str, file: &str) -> (Vec<String>, Vec<String>) {
    let mut config = Config::in_dialect(Some(Codex));
    let errors = config.add(text, file);
    let said =
        errors.iter().map(ToString::to_string).chain(config.warnings().iter().map(ToString::to_string)).collect();
    (said, config.hooks().iter().map(|hook| hook.command.clone()).collect())
}

#[test]
fn one_mistake_costs_the_file() {
    let hook = r#"{"type":"command","command":"x"}"#;
    let group = format!(r#"{{"hooks":[{hook}]}}"#);
    let good = format!(r#"{{"hooks":{{"PreToolUse":[{group}]}}}}"#);
    // What is in the file, and a part of the reason; none where its hook is read.
    let of_hook = |hook: &str| {
        format!(r#"{{"hooks":{{"PreToolUse":[{{"hooks":[{{"type":"command","command":"x"}},{hook}]}}]}}}}"#)
    };
    let cases = [
        (good.clone(), ""),
        (good.replace(r#"{"hooks":{"#, r#"{"description":"d","hooks":{"#), ""),
        (good.replace(r#"{"hooks":{"#, r#"{"description":null,"hooks":{"#), ""),
        (good.replace(r#"{"hooks":{"#, r#"{"version":1,"hooks":{"#), "unknown field `version`"),
        (good.replace(r#"{"hooks":{"#, r#"{"disableAllHooks":true,"hooks":{"#), "unknown field `disableAllHooks`"),
        (good.replace(r#"{"hooks":{"#, r#"{"description":1,"hooks":{"#), "expected a string"),
        (format!("// x\n{good}"), "expected value"),
        (format!("\u{feff}{good}"), "byte order mark"),
        (format!("{},}}", good.strip_suffix('}').unwrap()), "trailing comma"),
        (good.replace(r#"{"hooks":[{"#, r#"{"matcher":["Bash"],"hooks":[{"#), "expected a string"),
        (good.replace(r#"{"hooks":[{"#, r#"{"matcher":null,"foo":1,"hooks":[{"#), ""),
        (good.replace(r#""PreToolUse":"#, r#""Stop":{},"PreToolUse":"#), "expected a sequence"),
        (good.replace(r#""PreToolUse":"#, r#""Bogus":5,"PreToolUse":"#), ""),
        (good.replace(r#""PreToolUse":"#, r#""PreToolUse":[],"PreToolUse":"#), "duplicate field"),
        (of_hook(r#"{"command":"y"}"#), "missing field `type`"),
        (of_hook(r#"{"type":"command"}"#), "missing field `command`"),
        (of_hook(r#"{"type":"http","url":"x"}"#), "unknown variant `http`"),
        (of_hook(r#"{"type":"Command","command":"y"}"#), "unknown variant `Command`"),
        (of_hook(r#"{"type":"prompt","prompt":"y"}"#), ""),
        (of_hook(r#"{"type":"agent"}"#), ""),
        (of_hook(r#"{"type":"command","command":"y","timeout":1.5}"#), "expected u64"),
        (of_hook(r#"{"type":"command","command":"y","timeout":-1}"#), "expected u64"),
        (of_hook(r#"{"type":"command","command":"y","timeout":"1"}"#), "expected u64"),
        (of_hook(r#"{"type":"command","command":"y","async":null}"#), "expected a boolean"),
        (of_hook(r#"{"type":"command","command":"y","statusMessage":1}"#), "expected a string"),
        (of_hook(r#"{"type":"command","command":"y","commandWindows":1}"#), "expected a string"),
    ];
    for (text, expected) in cases {
        let (said, commands) = read(&text, "hooks.json");
        if expected.is_empty() {
            assert_eq!(commands.first().map(String::as_str), Some("x"), "{text}: {said:?}");
            continue;
        }
        assert!(commands.is_empty(), "{text}: {commands:?}");
        assert!(said[0].starts_with("hooks.json:"), "{said:?}");
        let is_told = said[0].contains("Codex takes none of this file's hooks: ") && said[0].contains(expected);
        assert!(is_told, "{text}: {said:?}");
    }
    let toml = "[[hooks.PreToolUse]]\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = \"x\"\n";
    assert_eq!(read(toml, "config.toml").1, ["x"]);
    assert_eq!(read(&format!("{toml}timeout = 0x10\n"), "config.toml").1, ["x"]);
    let (said, commands) = read(&format!("{toml}timeout = 1.5\n"), "config.toml");
    assert!(commands.is_empty() && said[0].contains("expected u64"), "{said:?}");
}

#[test]
fn a_broken_file_of_codexs_costs_no_other_files_hooks() {
    let mut config = Config::default();
    let errors = config.add(r#"{"hooks":{"#, ".codex/hooks.json");
    assert_eq!(errors.len(), 1);
    // Whose it is is known: the CLI continues without it.
    assert_eq!(config.sources().first().map(|source| source.dialect), Some(Codex));
}

#[test]
fn what_codex_passes_over_costs_what_it_stands_in() {
    let hook = r#"{"type":"command","command":"x"}"#;
    let cases = [
        // Other agents' fields do not count.
        (
            r#"{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"x","if":"Bash(rm *)","shell":"powershell","args":["a"],"once":true,"env":{"A":"b"},"cwd":"/nowhere"}]}]}}"#.to_owned(),
            1,
        ),
        (format!(r#"{{"hooks":{{"PreToolUse":[{hook}]}}}}"#), 0),
        (format!(r#"{{"hooks":{{"pre_tool_use":[{{"hooks":[{hook}]}}]}}}}"#), 0),
        (format!(r#"{{"hooks":{{"PreToolUse":[{{"matcher":"[","hooks":[{hook}]}},{{"hooks":[{hook}]}}]}}}}"#), 1),
        (format!(r#"{{"hooks":{{"Stop":[{{"matcher":"[","hooks":[{hook}]}}]}}}}"#), 1),
        (r#"{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":" "},{"type":"command","command":"x"}]}]}}"#.to_owned(), 1),
    ];
    for (text, expected) in cases {
        let mut config = Config::in_dialect(Some(Codex));
        let errors = config.add(&text, "hooks.json");
        assert_eq!(config.hooks().len(), expected, "{text}: {errors:?}");
        assert!(!errors.is_empty() || !config.warnings().is_empty(), "{text}: nothing is told");
        for hook in config.hooks() {
            assert!(hook.condition.is_none() && hook.args.is_none() && !hook.once && hook.cwd.is_none(), "{hook:?}");
            assert!(hook.env.is_empty() && hook.command == "x", "{hook:?}");
        }
    }
    let timeout = |seconds: &str| {
        let text =
            format!(r#"{{"hooks":{{"Stop":[{{"hooks":[{{"type":"command","command":"x","timeout":{seconds}}}]}}]}}}}"#);
        let mut config = Config::in_dialect(Some(Codex));
        assert!(config.add(&text, "x").is_empty());
        config.hooks()[0].timeout
    };
    assert_eq!(timeout("0"), Duration::from_secs(1));
    assert_eq!(timeout("null"), Duration::from_secs(600));
    assert_eq!(timeout("7"), Duration::from_secs(7));
}

#[test]
fn matchers_are_exact_names_or_regular_expressions() {
    let is_for = |dialect_event_name: &str, pattern: &str, event: &Event| {
        let mut hook = hook(Codex, dialect_event_name);
        hook.include_sub_agents = true;
        hook.matcher = Codex.contract().matcher(pattern, hook.event).unwrap();
        hook.is_for(event, &[])
    };
    let bash = Event::pre_tool_use("Bash", input(r#"{"command":"echo x"}"#), root());
    for (pattern, expected) in [
        ("Bash", true),
        ("", true),
        ("*", true),
        ("Edit|Bash", true),
        ("Bash|", true),
        ("Ba", false),
        ("|", false),
        (" ", false),
        ("Bash ", false),
        ("Bash(echo *)", false),
        ("^Ba", true),
        ("B.sh", true),
        ("Bash,Edit", false),
        ("(?i)bash", true),
    ] {
        assert_eq!(is_for("PreToolUse", pattern, &bash), expected, "{pattern:?}");
    }
    let patch = Event::pre_tool_use("apply_patch", input("{}"), root());
    for (pattern, expected) in [
        ("apply_patch", true),
        ("Edit", true),
        ("Write", true),
        ("MultiEdit", false),
        ("Wri", false),
        ("apply", false),
        ("^Ed", true),
    ] {
        assert_eq!(is_for("PreToolUse", pattern, &patch), expected, "{pattern:?}");
    }
    let mcp = Event::pre_tool_use("mcp__my__do_it", input("{}"), root());
    for (pattern, expected) in [("mcp__my", false), ("mcp__my__do_it", true), ("mcp__my__.*", true), ("my", false)] {
        assert_eq!(is_for("PreToolUse", pattern, &mcp), expected, "{pattern:?}");
    }
    // Where the agent has none it is not looked at, whatever it is.
    assert!(is_for("Stop", "(", &event(EventKind::Stop)));
    assert!(is_for("UserPromptSubmit", "never", &event(EventKind::UserPromptSubmit)));
    // There is no look-around in its regular expressions.
    assert!(Codex.contract().matcher("(?=Bash)", EventKind::PreToolUse).is_err());
    let (said, _) = read(
        r#"{"hooks":{"PreToolUse":[{"matcher":"Bash(rm *)","hooks":[{"type":"command","command":"x"}]}]}}"#,
        "hooks.json",
    );
    assert!(said[0].contains("which matches no tool: these hooks will not run"), "{said:?}");
}

#[test]
fn what_codex_takes_of_an_answer() {
    let own =
        |event: &str, members: &str| format!(r#"{{"hookSpecificOutput":{{"hookEventName":"{event}",{members}}}}}"#);
    let deny = r#""permissionDecision":"deny","permissionDecisionReason":" no ""#;
    let allow = r#""permissionDecision":"allow""#;
    let cases = [
        ("PreToolUse", r#"{"decision":"block","reason":" no "}"#.to_owned(), "Decided decision=deny reason=no"),
        ("PreToolUse", own("PreToolUse", deny), "Decided decision=deny reason=no"),
        // Any event's name that it knows will do.
        ("PreToolUse", own("PostToolUse", deny), "Decided decision=deny reason=no"),
        (
            "PreToolUse",
            own("PreToolUse", &format!(r#"{deny},"additionalContext":"c""#)),
            "Decided decision=deny reason=no context=c",
        ),
        ("PreToolUse", own("PreToolUse", r#""additionalContext":"c""#), "Decided context=c"),
        (
            "PreToolUse",
            own("PreToolUse", &format!(r#"{allow},"updatedInput":{{"command":"y"}}"#)),
            r#"Decided decision=allow input={"command":"y"}"#,
        ),
        (
            "PreToolUse",
            own("PreToolUse", &format!(r#"{allow},"updatedInput":"y""#)),
            "Decided decision=deny reason=hook returned updatedInput without string field `command`",
        ),
        (
            "PreToolUse",
            r#"{"decision":"approve","decision":"block","reason":"no"}"#.to_owned(),
            "Decided decision=deny reason=no",
        ),
        ("PreToolUse", "log line".to_owned(), "NoOpinion"),
        ("PreToolUse", "\u{feff}{\"decision\":\"block\",\"reason\":\"no\"}".to_owned(), "NoOpinion"),
        ("PreToolUse", "{}".to_owned(), "NoOpinion"),
        ("PostToolUse", r#"{"decision":"block","reason":"no"}"#.to_owned(), "Decided context=no"),
        ("PostToolUse", r#"{"continue":false,"stopReason":"stop"}"#.to_owned(), "Decided context=stop"),
        ("PostToolUse", r#"{"continue":false}"#.to_owned(), "Decided context=PostToolUse hook stopped execution"),
        ("UserPromptSubmit", r#"{"continue":false,"stopReason":"stop"}"#.to_owned(), "Decided halt=true reason=stop"),
        ("UserPromptSubmit", r#"{"decision":"block","reason":"no"}"#.to_owned(), "Decided decision=deny reason=no"),
        ("UserPromptSubmit", "\u{feff}{}".to_owned(), "Decided context=\u{feff}{}"),
        ("SessionStart", own("SessionStart", r#""additionalContext":"c""#), "Decided context=c"),
        ("SessionStart", r#"{"continue":false,"stopReason":"stop"}"#.to_owned(), "Decided halt=true reason=stop"),
        ("SubagentStart", r#"{"continue":false}"#.to_owned(), "NoOpinion"),
        ("Stop", r#"{"decision":"block","reason":" more "}"#.to_owned(), "Decided decision=deny reason=more"),
        ("Stop", r#"{"continue":false,"decision":"block"}"#.to_owned(), "Decided halt=true"),
        ("PreCompact", r#"{"continue":false,"stopReason":"stop"}"#.to_owned(), "Decided halt=true reason=stop"),
        ("PreModelRequest", r#"{"continue":false}"#.to_owned(), "NoOpinion"),
        ("PermissionRequest", own("PermissionRequest", r#""decision":{"behavior":"allow"}"#), "Decided decision=allow"),
        (
            "PermissionRequest",
            own("PermissionRequest", r#""decision":{"behavior":"deny"}"#),
            "Decided decision=deny reason=PermissionRequest hook denied approval",
        ),
    ];
    for (dialect_event_name, stdout, expected) in cases {
        assert_eq!(gives(Codex, dialect_event_name, 0, &stdout, ""), expected, "{dialect_event_name}: {stdout}");
    }
    for (dialect_event_name, stderr, expected) in [
        ("PermissionRequest", "no", "Decided decision=deny reason=no"),
        ("Stop", "more", "Decided decision=deny reason=more"),
        ("SubagentStop", "more", "Decided decision=deny reason=more"),
        ("PostToolUse", "no", "Decided context=no"),
        ("PreCompact", "no", "ExitCode reason=exit code 2: no"),
        ("SessionStart", "no", "ExitCode reason=exit code 2: no"),
        ("PreModelRequest", "no", "ExitCode reason=exit code 2: no"),
        ("Stop", " ", "ExitCode reason=exit code 2"),
    ] {
        assert_eq!(gives(Codex, dialect_event_name, 2, "", stderr), expected, "{dialect_event_name}: {stderr:?}");
    }
}

#[test]
fn what_codex_drops_is_dropped_whole_and_told() {
    let own = |members: &str| format!(r#"{{"hookSpecificOutput":{{"hookEventName":"PreToolUse",{members}}}}}"#);
    let block = r#""decision":"block","reason":"no""#;
    let cases = [
        ("PreToolUse", r#"{"decision":"block"}"#.to_owned(), "without a reason: say why in `reason`"),
        ("PreToolUse", r#"{"decision":"block","reason":" "}"#.to_owned(), "without a reason"),
        ("PreToolUse", r#"{"decision":"deny","reason":"no"}"#.to_owned(), "`decision` must be \"block\""),
        ("PreToolUse", r#"{"decision":"BLOCK","reason":"no"}"#.to_owned(), "`decision` must be \"block\""),
        ("PreToolUse", r#"{"decision":"approve"}"#.to_owned(), "leave it out"),
        ("PreToolUse", r#"{"reason":"no"}"#.to_owned(), "`reason` without `decision`"),
        ("PreToolUse", format!(r#"{{{block},"foo":1}}"#), "`foo` is no field"),
        ("PreToolUse", format!(r#"{{{block},"systemMessage":5}}"#), "`systemMessage` must be a string"),
        ("PreToolUse", format!(r#"{{{block},"continue":null}}"#), "`continue` must be true or false, found null"),
        ("PreToolUse", format!(r#"{{{block},"suppressOutput":true}}"#), "`suppressOutput` on PreToolUse"),
        ("PreToolUse", format!(r#"{{{block},"stopReason":"x"}}"#), "`stopReason` on PreToolUse"),
        ("PreToolUse", r#"{"continue":false}"#.to_owned(), "`continue: false` on PreToolUse"),
        (
            "PreToolUse",
            format!(r#"{{{block},"hookSpecificOutput":{{}}}}"#),
            "`hookSpecificOutput.hookEventName` must be",
        ),
        ("PreToolUse", own(r#""permissionDecision":"deny""#), "say why in `permissionDecisionReason`"),
        ("PreToolUse", own(r#""permissionDecision":"DENY","permissionDecisionReason":"no""#), "found \"DENY\""),
        ("PreToolUse", own(r#""permissionDecision":"allow""#), "without `updatedInput`"),
        ("PreToolUse", own(r#""permissionDecision":"ask""#), "its approval policy asks"),
        ("PreToolUse", own(r#""updatedInput":{"command":"x"}"#), "without `permissionDecision: \"allow\"`"),
        ("PreToolUse", format!(r#"[{{{block}}}]"#), "must be empty or one JSON object"),
        ("PreToolUse", r#"{"decision":"block","reason":"\ud800"}"#.to_owned(), "must be empty or one JSON object"),
        ("PostToolUse", r#"{"decision":"block"}"#.to_owned(), "without a reason"),
        ("PostToolUse", own(r#""updatedMCPToolOutput":1"#), "`updatedMCPToolOutput`"),
        ("Stop", own(r#""additionalContext":"c""#), "`hookSpecificOutput` on Stop"),
        ("Stop", "text".to_owned(), "must be empty or one JSON object"),
        ("SessionStart", format!("{{{block}}}"), "`decision` is no field"),
        ("PreCompact", format!("{{{block}}}"), "`decision` is no field"),
        ("Interrupt", r#"{"continue":false}"#.to_owned(), "`continue` is no field"),
        ("PermissionRequest", format!("{{{block}}}"), "`decision` is no field"),
        ("PermissionRequest", own(r#""decision":{"behavior":"allow","updatedInput":{}}"#), "`updatedInput` on"),
        ("PermissionRequest", own(r#""decision":{"behavior":"allow","interrupt":true}"#), "`interrupt: true` on"),
        ("PermissionRequest", own(r#""decision":{}"#), "`hookSpecificOutput.decision.behavior` must be"),
    ];
    for (dialect_event_name, stdout, expected) in cases {
        let result = result(&hook(Codex, dialect_event_name), 0, &stdout, "");
        assert!(
            result.outcome.is_failure() && result.opinion.decision.is_none() && !result.opinion.halt,
            "{dialect_event_name}: {stdout}: {result:?}"
        );
        assert!(
            result.opinion.context.is_empty() && result.opinion.updated_input.is_none(),
            "{dialect_event_name}: {stdout}: {result:?}"
        );
        let reason = result.opinion.reason.unwrap_or_default();
        assert!(reason.contains(expected), "{dialect_event_name}: {stdout}: {reason}");
        if stdout.contains("\"block\"") && dialect_event_name != "PostToolUse" {
            let told = result.warnings.first().map(String::as_str).unwrap_or_default();
            assert!(told.starts_with("Codex ignores this answer: ") && told.contains(expected), "{stdout}: {told}");
        }
    }
    let silent = result(&hook(Codex, "PreToolUse"), 2, "", "\n");
    assert!(silent.warnings[0].starts_with("Codex ignores this answer: exit code 2"), "{silent:?}");
    // Shells exit with 2 where they cannot read the command.
    let unreadable = ended(&hook(Codex, "PostToolUse"), missing_fi(), 2, "", "bad syntax");
    assert_eq!(unreadable.opinion.context, ["bad syntax"]);
}

/// Results of hooks on a call of the tool: standard output and how long each ran.
fn settled(tool: &str, answers: &[(&str, u64, Origin)]) -> Vec<HookReport> {
    let call = Event::pre_tool_use(tool, input(r#"{"command":"x"}"#), root());
    let of = |&(stdout, elapsed, origin): &(&str, u64, Origin)| {
        let mut result = result(&hook(Codex, "PreToolUse"), 0, stdout, "");
        result.elapsed = Duration::from_millis(elapsed);
        result.origin = origin;
        result
    };
    let mut results: Vec<Option<HookReport>> = answers.iter().map(of).map(Some).collect();
    // As a run does it.
    crate::plan::settle(&call, &vec![Codex; results.len()], &mut results);
    results.into_iter().flatten().collect()
}

#[test]
fn the_change_of_the_hook_that_ends_last_counts() {
    const ONE: &str = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"command":"1"}}}"#;
    const NONE: &str =
        r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"x":1}}}"#;
    let (user, project) = (Origin::User, Origin::Project);
    let kept = |tool, answers: &[(&str, u64, Origin)]| -> Vec<bool> {
        settled(tool, answers).iter().map(|result| result.opinion.updated_input.is_some()).collect()
    };
    assert_eq!(kept("Bash", &[(ONE, 400, user), (ONE, 5, user)]), [true, false]);
    assert_eq!(kept("Bash", &[(ONE, 5, user), (ONE, 400, user)]), [false, true]);
    // Both take as long: the later one in the config.
    assert_eq!(kept("Bash", &[(ONE, 9, user), (ONE, 5, user)]), [false, true]);
    assert_eq!(kept("Bash", &[(ONE, 5, user), ("", 900, user), (ONE, 400, user)]), [false, false, true]);
    // A project's hook does not win over the user's by taking longer.
    assert_eq!(kept("Bash", &[(ONE, 900, project), (ONE, 5, user)]), [false, true]);
    // What is no input for the tool blocks it.
    let result = &settled("Bash", &[(NONE, 5, user)])[0];
    assert!(
        result.opinion.updated_input.is_none() && result.opinion.decision == Some(crate::Decision::Deny),
        "{result:?}"
    );
    assert_eq!(kept("mcp__my__do_it", &[(NONE, 5, user)]), [true]);
}

#[test]
fn of_several_denies_the_first_ones_reason_is_told() {
    let deny = |reason: &str| format!(r#"{{"decision":"block","reason":"{reason}"}}"#);
    let (one, two) = (deny("one"), deny("two"));
    let results = settled("Bash", &[(&one, 400, Origin::User), (&two, 5, Origin::User)]);
    assert_eq!(results[0].opinion.reason.as_deref(), Some("one"));
    assert_eq!(
        (results[1].opinion.reason.as_deref(), results[1].opinion.decision),
        (None, Some(crate::Decision::Deny))
    );
    assert!(results[1].warnings[0].ends_with(": two"), "{results:?}");
}
