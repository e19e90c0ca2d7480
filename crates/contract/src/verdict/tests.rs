use proptest::prelude::*;

use super::{HookReport, aggregate, joined};
use crate::decision::Decision;
use crate::envelope::Envelope;
use crate::event_kind::EventKind;
use crate::exit_code::{DENY, HALT};
use crate::opinion::Opinion;
use crate::tool_input::{Patch, ToolInput};
use crate::verdict::outcome::{Failure, HookOutcome, OnFailure};

const INPUT: &str = r#"{"command":"npm test","timeout":60000}"#;

/// What a hook does: its exit code, stdout, stderr, and whether its failure denies.
#[derive(Debug, Clone)]
struct Does {
    status: u8,
    stdout: String,
    stderr: String,
    deny_on_failure: bool,
}

fn exit(status: u8, stderr: &str) -> Does {
    Does { status, stdout: String::new(), stderr: stderr.to_owned(), deny_on_failure: false }
}

fn says(stdout: &str) -> Does {
    Does { stdout: stdout.to_owned(), ..exit(0, "") }
}

fn guarded(does: Does) -> Does {
    Does { deny_on_failure: true, ..does }
}

/// The report of a hook that does so, by our own exit codes.
fn result(does: &Does) -> HookReport {
    let reason = Some(does.stderr.clone());
    let said = match does.status {
        0 => Envelope::parse(does.stdout.as_bytes(), EventKind::PreToolUse)
            .map(|envelope| envelope.opinion)
            .map_err(Failure::from),
        DENY => Ok(Opinion::deny(reason)),
        HALT => Ok(Opinion::halt(reason)),
        code => Err(Failure::ExitCode { code, last_line: does.stderr.clone() }),
    };
    let mut report = HookReport::new("h", "h");
    if does.deny_on_failure {
        report.on_failure = OnFailure::Deny;
    }
    match said {
        Ok(opinion) => {
            report.outcome = HookOutcome::Decided;
            report.opinion = opinion;
        }
        Err(failure) => report.outcome = HookOutcome::Failed(failure),
    }
    report
}

fn of(hooks: &[Does]) -> Opinion {
    let results: Vec<HookReport> = hooks.iter().map(result).collect();
    aggregate(&results, Some(&ToolInput::parse(INPUT).unwrap()))
}

/// `decision halt reason context updated_input`, `-` for what there is not.
fn show(hooks: &[Does]) -> String {
    let all = of(hooks);
    let text = |text: &Option<String>| text.as_ref().map_or("-".to_owned(), |text| format!("{text:?}"));
    format!(
        "{} {} {} {} {}",
        all.decision.map_or("-", Decision::as_str),
        if all.halt { "halt" } else { "-" },
        text(&all.reason),
        text(&joined(all.context.iter())),
        all.updated_input.as_ref().map(Patch::to_input).as_ref().map_or("-", ToolInput::get)
    )
}

#[test]
fn results_compose_in_config_order() {
    let allow = says(r#"{"decision":"allow","reason":"fine"}"#);
    let deny = says(r#"{"decision":"deny","reason":"no"}"#);
    let ask = says(r#"{"decision":"ask","reason":"sure?"}"#);
    let halt = says(r#"{"halt":true,"reason":"stop"}"#);
    let patch = says(r#"{"updated_input":{"command":"bun test"}}"#);
    let cases: [(&str, Vec<Does>, &str); 20] = [
        ("no hooks", vec![], "- - - - -"),
        ("silence is no opinion", vec![exit(0, ""), says("{}")], "- - - - -"),
        ("allow wins over none", vec![exit(0, ""), allow.clone()], "allow - \"fine\" - -"),
        ("ask wins over allow", vec![allow.clone(), ask.clone()], "ask - \"sure?\" - -"),
        (
            "deny wins, and an allow's or ask's reason does not join it",
            vec![allow.clone(), deny.clone(), ask.clone(), exit(2, "never")],
            "deny - \"no\\nnever\" - -",
        ),
        ("a later allow does not override", vec![deny.clone(), allow.clone()], "deny - \"no\" - -"),
        ("halt is sticky and blocks", vec![halt.clone(), allow.clone()], "deny halt \"stop\" - -"),
        (
            "a halt without a deny has its say",
            vec![halt.clone(), deny.clone(), exit(49, "now")],
            "deny halt \"stop\\nno\\nnow\" - -",
        ),
        ("a failure is no opinion", vec![exit(1, "boom"), allow.clone()], "allow - \"fine\" - -"),
        (
            "unless it denies",
            vec![guarded(exit(1, "boom")), allow.clone()],
            "deny - \"the hook `h` failed: exit code 1: boom\" - -",
        ),
        ("a guarded hook that does not fail", vec![guarded(exit(0, ""))], "- - - - -"),
        (
            "bad output is a failure",
            vec![says("nonsense"), patch.clone()],
            "- - - - {\"command\":\"bun test\",\"timeout\":60000}",
        ),
        (
            "context is flattened in order",
            vec![says(r#"{"context":"a"}"#), says(r#"{"context":["b","","c"]}"#), says(r#"{"context":"d\ne"}"#)],
            "- - - \"a\\nb\\nc\\nd\\ne\" -",
        ),
        ("context survives a deny", vec![says(r#"{"context":"a"}"#), deny.clone()], "deny - \"no\" \"a\" -"),
        (
            "patches merge in order over the original",
            vec![
                patch.clone(),
                says(r#"{"updated_input":{"env":{"A":"1"}}}"#),
                says(r#"{"updated_input":{"command":"deno test","env":{"B":"2"}}}"#),
            ],
            "- - - - {\"command\":\"deno test\",\"timeout\":60000,\"env\":{\"B\":\"2\"}}",
        ),
        (
            "a patch goes with ask",
            vec![ask.clone(), patch.clone()],
            "ask - \"sure?\" - {\"command\":\"bun test\",\"timeout\":60000}",
        ),
        ("a patch is ignored on deny", vec![patch.clone(), deny.clone()], "deny - \"no\" - -"),
        ("a patch is ignored on halt", vec![patch.clone(), halt.clone()], "deny halt \"stop\" - -"),
        (
            "a patch is ignored where a failure denies",
            vec![patch.clone(), guarded(exit(3, ""))],
            "deny - \"the hook `h` failed: exit code 3\" - -",
        ),
        ("a reason without a decision is nobody's", vec![says(r#"{"reason":"just saying"}"#)], "- - - - -"),
    ];
    for (name, hooks, expected) in cases {
        assert_eq!(show(&hooks), expected, "{name}");
    }
}

fn any_hook() -> impl Strategy<Value = Does> {
    let stdout = prop_oneof![
        Just(String::new()),
        Just("not json".to_owned()),
        (
            prop::option::of(prop::sample::select(vec!["allow", "deny", "ask"])),
            any::<bool>(),
            prop::option::of("[a-z]{1,3}"),
            prop::collection::vec("[a-z]{0,2}", 0..3),
            prop::option::of(("[abc]", 0..9)),
        )
            .prop_map(|(decision, halt, reason, context, patch)| {
                let patch = patch.map(|(key, value)| serde_json::json!({ key: value }));
                serde_json::json!({
                    "decision": decision, "halt": halt, "reason": reason, "context": context, "updated_input": patch,
                })
                .to_string()
            }),
    ];
    let status = prop::sample::select(vec![0, 0, 0, 0, 1, 2, 49, 127]);
    (status, stdout, "[a-z]{0,3}", any::<bool>()).prop_map(|(status, stdout, stderr, deny_on_failure)| Does {
        status,
        stdout,
        stderr,
        deny_on_failure,
    })
}

proptest! {
    #[test]
    fn deny_and_halt_are_never_lost(hooks in prop::collection::vec(any_hook(), 0..6)) {
        let results: Vec<HookReport> = hooks.iter().map(result).collect();
        let all = of(&hooks);
        if results.iter().any(|result| result.opinion.halt) {
            prop_assert!(all.halt);
        }
        if results.iter().any(|result| result.opinion.halt || result.opinion.decision == Some(Decision::Deny)) {
            prop_assert_eq!(all.decision, Some(Decision::Deny));
        }
    }

    #[test]
    fn no_patch_applies_on_deny_or_halt(hooks in prop::collection::vec(any_hook(), 0..6)) {
        let all = of(&hooks);
        if all.halt || all.decision == Some(Decision::Deny) {
            prop_assert_eq!(all.updated_input, None);
        }
    }

    #[test]
    fn context_is_in_config_order(hooks in prop::collection::vec(any_hook(), 0..6)) {
        let entries: Vec<String> = hooks.iter().flat_map(|does| result(does).opinion.context).collect();
        let expected = (!entries.is_empty()).then(|| entries.join("\n"));
        prop_assert_eq!(joined(of(&hooks).context.iter()), expected);
    }

    #[test]
    fn a_failing_hook_changes_nothing(
        hooks in prop::collection::vec(any_hook(), 0..6), at in 0_usize..6, status in 3_u8..49,
    ) {
        let mut more = hooks.clone();
        more.insert(at.min(hooks.len()), exit(status, "failed"));
        prop_assert_eq!(of(&more), of(&hooks));
    }
}
