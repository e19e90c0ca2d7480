//! Hooks of a project and the host's trust in them.
#![allow(clippy::unwrap_used, reason = "test helpers: a panic fails the test")]

use hookshell_runner::{
    Config, Event, EventKind, HookConfig, HookOutcome, OnFailure, Origin, Runner, ToolInput, Trust,
};

fn hook(command: &str, origin: Origin) -> HookConfig {
    let mut hook = HookConfig::new(EventKind::PreToolUse, command);
    hook.origin = origin;
    hook
}

fn config(hooks: impl IntoIterator<Item = HookConfig>) -> Config {
    let mut config = Config::default();
    hooks.into_iter().for_each(|hook| config.push(hook));
    config
}

fn event() -> Event {
    Event::pre_tool_use("bash", ToolInput::default(), std::env::temp_dir())
}

#[test]
fn without_a_policy_a_projects_hooks_do_not_run() {
    let mut deny = hook("exit 2", Origin::Project);
    deny.on_failure = OnFailure::Deny;
    let runner = Runner::builder().config(config([deny, hook("exit 0", Origin::User)])).build().unwrap();
    let verdict = runner.run_blocking(&event());
    assert_eq!(verdict.opinion.decision, None);
    let outcomes: Vec<&str> = verdict.hooks.iter().map(|hook| hook.outcome.as_str()).collect();
    assert_eq!(outcomes, ["Untrusted", "NoOpinion"]);
    assert!(!verdict.hooks[0].outcome.is_failure());
    assert_eq!(
        verdict.hooks[0].opinion.reason.as_deref(),
        Some("it was found in the project, and no trust policy is set")
    );
}

#[test]
fn a_policy_that_panics_trusts_nothing() {
    let hooks = config([hook("exit 2", Origin::Project), hook("echo no >&2; exit 2", Origin::User)]);
    let policy = |_: &HookConfig, _: &Event| -> Trust { std::panic::panic_any("the host's") };
    let runner = Runner::builder().config(hooks).trust(policy).build().unwrap();
    let verdict = runner.run_blocking(&event());
    assert_eq!(verdict.opinion.reason.as_deref(), Some("no"));
    assert_eq!(verdict.hooks[0].outcome.as_str(), "Untrusted");
}

#[test]
fn the_policy_is_asked_about_a_projects_hooks_only() {
    let hooks = [
        hook("echo a >&2; exit 2", Origin::Project),
        hook("echo b >&2; exit 2", Origin::Project),
        hook("echo c >&2; exit 2", Origin::Given),
    ];
    let policy = |hook: &HookConfig, _: &Event| match hook.command.contains("echo a") {
        true => Trust::Trusted,
        false => Trust::Untrusted("not that one".to_owned()),
    };
    let runner = Runner::builder().config(config(hooks)).trust(policy).build().unwrap();
    let verdict = runner.run_blocking(&event());
    assert_eq!(verdict.opinion.reason.as_deref(), Some("a\nc"));
    assert!(matches!(verdict.hooks[1].outcome, HookOutcome::Untrusted));
    assert_eq!(verdict.hooks[1].opinion.reason.as_deref(), Some("not that one"));
}

#[test]
fn an_untrusted_hook_stands_for_no_trusted_one_and_uses_nothing_up() {
    let mut once = hook("echo no >&2; exit 2", Origin::Project);
    once.once = true;
    let mut own = once.clone();
    own.origin = Origin::User;
    let runner = Runner::builder().config(config([once, own])).build().unwrap();
    let verdict = runner.run_blocking(&event());
    let outcomes: Vec<&str> = verdict.hooks.iter().map(|hook| hook.outcome.as_str()).collect();
    assert_eq!((outcomes, verdict.exit_code()), (vec!["Untrusted", "Decided"], 2));
}
