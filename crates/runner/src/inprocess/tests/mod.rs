mod invariants;
mod questions;
mod tools;

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::*;
use crate::config::{Config, HookConfig, OnFailure};
use crate::decision::Decision;
use crate::event::Event;
use crate::json::JsonText;
use crate::llm::{LlmClient, LlmError, LlmReply, LlmRequest};
use crate::runner::Runner;
use crate::tool_input::ToolInput;
use crate::verdict::Verdict;
use hookshell_dispatch::Environment;

#[derive(Default)]
struct Agent {
    messages: Vec<String>,
}

impl Host for Agent {
    type Message = String;
    fn session_id(&self) -> &str {
        "s1"
    }
    fn messages(&self) -> &[String] {
        &self.messages
    }
    fn messages_mut(&mut self) -> &mut Vec<String> {
        &mut self.messages
    }
}

fn tokio() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap()
}

fn run(hooks: &HookRegistry<Agent>, ctx: &mut HookContext<'_, Agent>) -> Response {
    tokio().block_on(hooks.run(ctx))
}

fn root() -> &'static str {
    if cfg!(windows) { "C:\\w" } else { "/w" }
}

fn bash(input: &str) -> Event {
    Event::pre_tool_use("bash", ToolInput::parse(input).unwrap(), root()).with_session_id("s1")
}

/// `decision halt reason`.
fn show(result: &Response) -> String {
    let decision = result.decision.map_or("-", Decision::as_str);
    format!("{decision} {} {}", if result.halt { "halt" } else { "-" }, result.reason.as_deref().unwrap_or("-"))
}

fn outcomes(verdict: &Verdict) -> Vec<&'static str> {
    verdict.hooks.iter().map(|hook| hook.outcome.as_str()).collect()
}

/// Both fronts of a runner.
fn both(runner: &HookRunner<Agent>, event: &Event, check: impl Fn(Verdict, Agent)) {
    let mut agent = Agent::default();
    let verdict = tokio().block_on(runner.run(event, &mut agent));
    check(verdict, agent);
    let mut agent = Agent::default();
    let verdict = runner.run_blocking(event, &mut agent);
    check(verdict, agent);
}

#[test]
fn everything_that_hosts_share_between_threads_can_be() {
    fn shared<T: Send + Sync + Clone + 'static>() {}
    fn sent<T: Send>(_: &T) {}
    shared::<HookRegistry<Agent>>();
    shared::<HookMatcher<Agent>>();
    shared::<HookRunner<Agent>>();
    let runner = HookRunner::<Agent>::builder().build().unwrap();
    let (mut agent, mut other) = (Agent::default(), Agent::default());
    let event = bash("{}");
    sent(&runner.run(&event, &mut agent));
    let registry = HookRegistry::new();
    sent(&registry.run(&mut HookContext::new(&event, &mut other)));
    let mut third = Agent::default();
    sent(&runner.turn_start(0, &mut third));
}

#[test]
fn deny_wins_over_ask_ask_over_allow_and_allow_over_none() {
    use Response as R;
    type Say = fn() -> R;
    let cases: [(&[Say], &str); 9] = [
        (&[], "- - -"),
        (&[R::none, R::none], "- - -"),
        (&[R::none, R::allow], "allow - -"),
        (&[R::allow, R::ask, R::allow], "ask - -"),
        (&[|| R::deny("no"), R::ask, R::allow], "deny - no"),
        (&[|| R::allow().with_reason("fine"), || R::deny("no"), || R::deny("never")], "deny - no\nnever"),
        (&[|| R::halt("stop"), R::allow], "deny halt stop"),
        (&[|| R::halt("stop"), || R::deny("no")], "deny halt stop\nno"),
        (&[|| R::ask().with_reason("sure?"), R::none], "ask - sure?"),
    ];
    for (index, (results, expected)) in cases.into_iter().enumerate() {
        let mut hooks = HookRegistry::<Agent>::new();
        for result in results {
            let result = *result;
            hooks.add(EventKind::PreToolUse, async move |_ctx| result());
        }
        let mut agent = Agent::default();
        let mut ctx = HookContext::pre_tool_use(&mut agent, "bash", &json!({}), "c1");
        assert_eq!(show(&run(&hooks, &mut ctx)), expected, "case {index}");
    }
}

#[test]
fn hooks_run_for_their_event_and_tools_only() {
    let mut hooks = HookRegistry::<Agent>::new();
    hooks.add_with_pattern(EventKind::PreToolUse, "Read|Write", async |_ctx| Response::deny("pattern")).unwrap();
    hooks.add(EventKind::PostToolUse, async |_ctx| Response::deny("other event"));
    let top = HookMatcher::new(hook_fn(async |_ctx| Response::ask())).include_sub_agents(false);
    hooks.add_matcher(EventKind::PreToolUse, top);
    let mut agent = Agent::default();
    for (tool, expected) in [("Read", "deny - pattern"), ("MyWriter", "deny - pattern"), ("bash", "ask - -")] {
        let mut ctx = HookContext::pre_tool_use(&mut agent, tool, &json!({}), "c1");
        assert_eq!(show(&run(&hooks, &mut ctx)), expected, "{tool}");
    }
    let event = bash("{}").in_sub_agent(true);
    assert_eq!(show(&run(&hooks, &mut HookContext::new(&event, &mut agent))), "- - -");
    // On an event that has nothing to block, a decision is not read.
    let mut ctx = HookContext::post_tool_use(&mut agent, "bash", &json!({}), "c1", ToolResult::ok("x"));
    assert_eq!(show(&run(&hooks, &mut ctx)), "- - -");
    let error = hooks.add_with_pattern(EventKind::PreToolUse, "(", async |_ctx| Response::none()).unwrap_err();
    assert!(error.to_string().starts_with("the pattern `(` is no regular expression: "), "{error}");
    assert_eq!(hooks.len(), 3);
}

#[test]
fn each_hook_sees_what_the_ones_before_it_changed() {
    let mut hooks = HookRegistry::<Agent>::new();
    hooks.add(EventKind::PreToolUse, async |ctx| {
        ctx.tool_input.as_mut().unwrap()["a"] = json!(1);
        ctx.messages_mut().push("first".to_owned());
        ctx.set_metadata("seen", json!("by the first"));
        Response::none()
    });
    hooks.add(EventKind::PreToolUse, async |ctx| {
        assert_eq!(ctx.tool_input, Some(json!({ "a": 1, "b": 0 })));
        assert_eq!(ctx.messages(), ["first"]);
        assert_eq!(ctx.metadata()["seen"], "by the first");
        assert_eq!((ctx.tool_use_id.as_deref(), ctx.session_id()), (Some("c1"), "s1"));
        ctx.tool_input.as_mut().unwrap()["b"] = json!(2);
        Response::allow()
    });
    let mut agent = Agent::default();
    let mut ctx = HookContext::pre_tool_use(&mut agent, "bash", &json!({ "a": 0, "b": 0 }), "c1");
    assert_eq!(show(&run(&hooks, &mut ctx)), "allow - -");
    assert_eq!(ctx.tool_input, Some(json!({ "a": 1, "b": 2 })));

    // On a deny the call is as it was; what was done to the host's state is done.
    hooks.add(EventKind::PreToolUse, async |ctx| {
        assert!(!ctx.is_blocked());
        Response::deny("no")
    });
    hooks.add(EventKind::PreToolUse, async |ctx| if ctx.is_blocked() { Response::none() } else { panic!() });
    let mut ctx = HookContext::pre_tool_use(&mut agent, "bash", &json!({ "a": 0, "b": 0 }), "c1");
    assert_eq!(show(&run(&hooks, &mut ctx)), "deny - no");
    assert_eq!(ctx.tool_input, Some(json!({ "a": 0, "b": 0 })));
}

#[test]
fn the_agent_is_referred_to_files_of_the_project() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("A.md"), "").unwrap();
    let mut hooks = HookRegistry::<Agent>::new();
    hooks.add(EventKind::UserPromptSubmit, async |_ctx| {
        Response::none().with_context_file("A.md").with_context_file("none").with_context_file("./A.md")
    });
    let mut agent = Agent::default();
    let mut ctx = HookContext::user_prompt_submit(&mut agent, "p").with_cwd(dir.path());
    assert_eq!(run(&hooks, &mut ctx).context_files, ["A.md"]);
    let runner = HookRunner::builder().hooks(hooks).build().unwrap();
    let event = Event::user_prompt_submit("p", dir.path());
    both(&runner, &event, |verdict, _| assert_eq!(verdict.context_files(), ["A.md"]));
}

#[test]
fn prompts_and_results_are_rewritten() {
    let mut hooks = HookRegistry::<Agent>::new();
    hooks.add(EventKind::UserPromptSubmit, async |ctx| {
        ctx.user_prompt = ctx.user_prompt.take().map(|prompt| prompt + "!");
        Response::none()
    });
    hooks.on_tool_result(async |ctx| {
        if let Some(result) = &mut ctx.tool_result {
            result.content.push('?');
        }
        Response::none()
    });
    let mut agent = Agent::default();
    let mut ctx = HookContext::user_prompt_submit(&mut agent, "hello");
    run(&hooks, &mut ctx);
    assert_eq!(ctx.user_prompt.as_deref(), Some("hello!"));
    let result = ToolResult::ok("out").with_details(json!({ "n": 1 }));
    let mut ctx = HookContext::post_tool_use(&mut agent, "bash", &json!({}), "c1", result);
    run(&hooks, &mut ctx);
    assert_eq!(ctx.tool_result, Some(ToolResult::ok("out?").with_details(json!({ "n": 1 }))));
    let mut ctx = HookContext::post_tool_use_failure(&mut agent, "bash", &json!({}), "c1", "no such file");
    run(&hooks, &mut ctx);
    assert_eq!(ctx.error.as_deref(), Some("no such file"));
    assert_eq!(ctx.tool_result, Some(ToolResult::error("no such file?")));
}

#[test]
fn a_hook_that_panics_hangs_or_spoils_the_input_has_failed_and_changes_nothing() {
    fn spoil(ctx: &mut HookContext<'_, Agent>) {
        ctx.tool_input = Some(json!({ "spoilt": true }));
        ctx.tool_name = Some("other".to_owned());
        ctx.event = EventKind::Stop;
        ctx.set_metadata("spoilt", json!(true));
    }
    struct PanicsAtOnce;
    impl Hook<Agent> for PanicsAtOnce {
        fn call<'a>(&'a self, ctx: &'a mut HookContext<'_, Agent>) -> BoxFuture<'a, Response> {
            spoil(ctx);
            panic!("before there is a future")
        }
    }
    struct PanicsWhenDropped;
    impl Drop for PanicsWhenDropped {
        fn drop(&mut self) {
            panic!("in a destructor")
        }
    }
    let short = Duration::from_millis(20);
    let bad: [(&str, HookMatcher<Agent>); 5] = [
        ("Panicked", HookMatcher::new(PanicsAtOnce)),
        (
            "Panicked",
            HookMatcher::new(hook_fn(async |ctx: &mut HookContext<'_, Agent>| {
                spoil(ctx);
                tokio::task::yield_now().await;
                panic!("later")
            })),
        ),
        (
            "TimedOut",
            HookMatcher::new(hook_fn(async |ctx: &mut HookContext<'_, Agent>| {
                spoil(ctx);
                std::future::pending().await
            }))
            .timeout(short),
        ),
        (
            "TimedOut",
            HookMatcher::new(hook_fn(async |ctx: &mut HookContext<'_, Agent>| {
                spoil(ctx);
                let _held = PanicsWhenDropped;
                std::future::pending().await
            }))
            .timeout(short),
        ),
        (
            "BadEnvelope",
            HookMatcher::new(hook_fn(async |ctx: &mut HookContext<'_, Agent>| {
                spoil(ctx);
                ctx.tool_input = Some(json!("a text"));
                Response::allow()
            })),
        ),
    ];
    for (outcome, matcher) in bad {
        for on_failure in [OnFailure::Ignore, OnFailure::Deny] {
            let mut hooks = HookRegistry::<Agent>::new();
            hooks.add_matcher(EventKind::PreToolUse, matcher.clone().named("bad").on_failure(on_failure));
            hooks.add(EventKind::PreToolUse, async |ctx| {
                assert_eq!(ctx.tool_input, Some(json!({ "command": "ls" })));
                assert_eq!((ctx.event, ctx.tool_name.as_deref()), (EventKind::PreToolUse, Some("bash")));
                assert!(ctx.metadata().is_empty());
                Response::allow()
            });
            let runner = HookRunner::builder().hooks(hooks).build().unwrap();
            both(&runner, &bash(r#"{"command":"ls"}"#), |verdict, _| {
                assert_eq!(outcomes(&verdict), [outcome, "Decided"], "{}", verdict.to_json());
                assert_eq!(verdict.opinion.updated_input, None);
                let expected = match on_failure {
                    OnFailure::Deny => Decision::Deny,
                    _ => Decision::Allow,
                };
                assert_eq!(verdict.opinion.decision, Some(expected), "{}", verdict.to_json());
            });
        }
    }
}

#[test]
fn a_deny_is_not_lost_to_an_input_that_is_wrong() {
    type Said = fn() -> Response;
    let cases: [(Said, Option<Decision>, bool); 3] = [
        (|| Response::deny("no"), Some(Decision::Deny), false),
        (|| Response::ask().with_reason("no"), Some(Decision::Ask), false),
        (|| Response::halt("no"), None, true),
    ];
    for (said, decision, halts) in cases {
        let mut hooks = HookRegistry::<Agent>::new();
        hooks.add(EventKind::PreToolUse, async move |ctx: &mut HookContext<'_, Agent>| {
            ctx.tool_name = Some("other".to_owned());
            ctx.tool_input = Some(json!("a text"));
            said()
        });
        let runner = HookRunner::builder().hooks(hooks).build().unwrap();
        both(&runner, &bash(r#"{"command":"ls"}"#), |verdict, _| {
            let hook = &verdict.hooks[0];
            assert_eq!((hook.outcome.as_str(), hook.opinion.decision, hook.opinion.halt), ("Decided", decision, halts));
            assert_eq!((hook.opinion.reason.as_deref(), hook.warnings.len()), (Some("no"), 1), "{}", verdict.to_json());
            assert_eq!(verdict.opinion.updated_input, None);
        });
    }
}

#[test]
fn command_hooks_and_hooks_of_the_host_are_one_list() {
    let config = |hooks: &str| Config::parse(&format!("{{\"hooks\":{{\"PreToolUse\":[{hooks}]}}}}"), "c.json").unwrap();
    let mut hooks = HookRegistry::<Agent>::new();
    hooks.add_matcher(
        EventKind::PreToolUse,
        HookMatcher::new(hook_fn(async |ctx: &mut HookContext<'_, Agent>| {
            let input = ctx.tool_input.as_mut().unwrap();
            input["b"] = json!("host");
            input.as_object_mut().unwrap().remove("gone");
            ctx.host.messages.push("called".to_owned());
            Response::allow().with_reason("host").with_context("2")
        }))
        .named("mine"),
    );
    let runner = HookRunner::builder()
        .config(config(r#"{"command":"echo '{\"context\":\"1\",\"updated_input\":{\"a\":\"user\",\"b\":\"user\"}}'"}"#))
        .hooks(hooks)
        .config(config(
            r#"{"command":"echo '{\"context\":\"3\",\"decision\":\"allow\",\"reason\":\"project\",\"updated_input\":{\"a\":\"project\"}}'"}"#,
        ))
        .build()
        .unwrap();
    let input = ToolInput::parse(r#"{"n":1.50,"gone":1}"#).unwrap();
    let event = Event::pre_tool_use("bash", input, std::env::temp_dir());
    both(&runner, &event, |verdict, agent| {
        assert_eq!(outcomes(&verdict), ["Decided"; 3], "{}", verdict.to_json());
        assert_eq!(verdict.context().as_deref(), Some("1\n2\n3"));
        assert_eq!(verdict.opinion.reason.as_deref(), Some("host\nproject"));
        assert_eq!(verdict.updated_input().unwrap().get(), r#"{"n":1.50,"a":"project","b":"host"}"#);
        assert_eq!((verdict.hooks[1].name.as_str(), verdict.hooks[1].command.as_str()), ("mine", ""));
        assert_eq!(verdict.hooks[1].route.as_deref(), Some("in process"));
        assert_eq!(agent.messages, ["called"]);
    });
    // By itself the runner of the commands has no state for the host's hook, and says so.
    let verdict = runner.runner().run_blocking(&event);
    assert_eq!(outcomes(&verdict), ["Decided", "Unsupported", "Decided"]);
    assert_eq!(verdict.hooks[1].opinion.reason.as_deref(), Some("hooks of the type `in-process` are not run here"));
}

#[test]
fn input_that_no_value_can_hold_denies_without_calling_the_hook() {
    let mut hooks = HookRegistry::<Agent>::new();
    let guard = HookMatcher::new(hook_fn(async |ctx: &mut HookContext<'_, Agent>| {
        ctx.host.messages.push("called".to_owned());
        Response::allow()
    }));
    hooks.add_matcher(EventKind::PreToolUse, guard.clone().named("guard"));
    hooks.add_matcher(EventKind::PostToolUse, guard);
    let runner = HookRunner::builder().hooks(hooks).build().unwrap();
    let deep = format!("{{\"command\":\"rm\",\"x\":{}{}}}", "[".repeat(500), "]".repeat(500));
    for input in [deep.as_str(), r#"{"command":"\ud800"}"#] {
        both(&runner, &bash(input), |verdict, agent| {
            assert_eq!(verdict.opinion.decision, Some(Decision::Deny));
            let reason = verdict.opinion.reason.unwrap();
            let expected = "the hook `guard` cannot be given what it may have to check: `tool_input`: ";
            assert!(reason.starts_with(expected), "{reason}");
            assert!(agent.messages.is_empty());
        });
        let event = Event::post_tool_use("bash", ToolInput::parse(input).unwrap(), JsonText::default(), root());
        both(&runner, &event, |verdict, _| assert_eq!(outcomes(&verdict), ["BadInput"]));
    }
}

#[test]
fn dropping_the_future_drops_the_hook() {
    struct Notifier(Arc<Mutex<bool>>);
    impl Drop for Notifier {
        fn drop(&mut self) {
            *self.0.lock().unwrap() = true;
        }
    }
    let dropped = Arc::new(Mutex::new(false));
    let mut hooks = HookRegistry::<Agent>::new();
    let tell = Arc::clone(&dropped);
    hooks.add(EventKind::PreToolUse, async move |ctx| {
        ctx.host.messages.push("began".to_owned());
        let _notifier = Notifier(Arc::clone(&tell));
        std::future::pending().await
    });
    let runner = HookRunner::builder().hooks(hooks).build().unwrap();
    let mut agent = Agent::default();
    tokio().block_on(async {
        let run = runner.run(&bash("{}"), &mut agent);
        assert!(tokio::time::timeout(Duration::from_millis(50), run).await.is_err());
    });
    assert!(*dropped.lock().unwrap());
    assert_eq!(agent.messages, ["began"]);
}

#[test]
fn one_runner_serves_several_sessions_and_has_one_for_events_without() {
    let mut hooks = HookRegistry::<Agent>::new();
    hooks.add(EventKind::PreToolUse, async |ctx| {
        let line = ctx.session_id().to_owned();
        ctx.host.messages.push(line);
        Response::none()
    });
    let once = r#"{"hooks":{"PreToolUse":[{"command":"echo ran >&2; exit 2","once":true}]}}"#;
    let config = || Config::parse(once, "crush.json").unwrap();
    let cwd = std::env::temp_dir();
    let event = |session: &str| Event::pre_tool_use("bash", ToolInput::default(), &cwd).with_session_id(session);
    let builder = HookRunner::builder().hooks(hooks).config(config());
    let runner = builder.settings(Runner::builder().session_id("a").env(Environment::new())).build().unwrap();
    let mut agent = Agent::default();
    // Does the hook run that runs once in a session?
    let mut runs = |runner: &HookRunner<Agent>, session| runner.run_blocking(&event(session), &mut agent).is_blocked();
    let other = runner.with_session("c", None);
    let ran = [
        runs(&runner, ""),
        runs(&runner, "a"),
        runs(&runner, "b"),
        runs(&other, ""),
        runs(&runner, "c"),
        runs(&other, "b"),
    ];
    assert_eq!(ran, [true, false, true, true, false, false]);
    assert_eq!(agent.messages, ["a", "a", "b", "c", "c", "b"]);

    let runner = Runner::builder().config(config()).session_id("a").env(Environment::new()).build().unwrap();
    let ran = ["", "a", "b", ""].map(|session| runner.run_blocking(&event(session)).is_blocked());
    assert_eq!(ran, [true, false, true, false]);
}

#[test]
fn a_session_is_told_from_its_start_to_its_end() {
    let mut hooks = HookRegistry::<Agent>::new();
    async fn note(ctx: &mut HookContext<'_, Agent>) -> Response {
        let file = ctx.session_file().map(|file| file.display().to_string());
        let turn = (ctx.turn_index(), ctx.target_turn_index());
        let line = format!("{} {} {file:?} {turn:?}", ctx.event, ctx.session_id());
        ctx.host.messages.push(line);
        if ctx.event == EventKind::SessionBeforeSwitch { Response::deny("unsaved work") } else { Response::none() }
    }
    hooks.on_session(note).on_turn_start(note).on_turn_end(async |ctx| {
        let line = format!("{:?} {:?} {:?}", ctx.turn_index(), ctx.turn_message(), ctx.turn_results());
        ctx.host.messages.push(line);
        Response::none()
    });
    let runner =
        HookRunner::builder().hooks(hooks).session_id("a").session_file("a.jsonl").cwd(root()).build().unwrap();
    let mut agent = Agent::default();
    tokio().block_on(async {
        let agent = &mut agent;
        runner.session(SessionEvent::Start { source: "startup".to_owned() }, agent).await;
        runner.turn_start(0, agent).await;
        let results = [ToolResult::ok("out"), ToolResult::error("bad")];
        runner.turn_end(0, &json!({ "text": "done" }), &results, agent).await;
        runner.session(SessionEvent::BeforeBranch { target_turn_index: Some(0) }, agent).await;
        runner.session(SessionEvent::Branch { target_turn_index: Some(0) }, agent).await;
        let kept = runner.session(SessionEvent::BeforeSwitch, agent).await;
        assert_eq!((kept.exit_code(), kept.opinion.reason.as_deref()), (2, Some("unsaved work")));
        let other = runner.with_session("b", None);
        other.session(SessionEvent::Switch, agent).await;
        other.session(SessionEvent::Shutdown { reason: "logout".to_owned() }, agent).await;
    });
    assert_eq!(
        agent.messages,
        [
            "SessionStart a Some(\"a.jsonl\") (None, None)",
            "TurnStart a Some(\"a.jsonl\") (Some(0), None)",
            "Some(0) Some(Object {\"text\": String(\"done\")}) [ToolResult { content: \"out\", is_error: false, details: None \
             }, ToolResult { content: \"bad\", is_error: true, details: None }]",
            "SessionBeforeBranch a Some(\"a.jsonl\") (None, Some(0))",
            "SessionBranch a Some(\"a.jsonl\") (None, Some(0))",
            "SessionBeforeSwitch a Some(\"a.jsonl\") (None, None)",
            "SessionSwitch b None (None, None)",
            "SessionEnd b None (None, None)",
        ]
    );
}

#[test]
fn the_end_of_the_agents_work_may_be_denied() {
    let asked = |request: &LlmRequest| -> Result<LlmReply, LlmError> {
        let question = format!("{:?}", request.messages);
        assert!(question.contains("all green"), "{question}");
        Ok(LlmReply::text(r#"{"ok": false, "reason": "run the tests"}"#))
    };
    struct Model<F>(F);
    impl<F: Fn(&LlmRequest) -> Result<LlmReply, LlmError> + Send + Sync> LlmClient for Model<F> {
        async fn complete(&self, request: &LlmRequest) -> Result<LlmReply, LlmError> {
            (self.0)(request)
        }
    }
    let config = Config::parse(
        r#"{"hooks":{"Stop":[{"type":"prompt","prompt":"Is it done? $ARGUMENTS"},{"command":"cat >&2; exit 2"}]}}"#,
        "c.json",
    );
    let mut hooks = HookRegistry::<Agent>::new();
    hooks.add(EventKind::Stop, async |ctx| {
        ctx.host.messages.push(ctx.event.to_string());
        Response::none()
    });
    let builder = HookRunner::builder().config(config.unwrap()).hooks(hooks).llm_client(Model(asked));
    // What is set otherwise does not take it back.
    let runner = builder.settings(Runner::builder()).session_id("a").cwd(std::env::temp_dir()).build().unwrap();
    let mut agent = Agent::default();
    let verdict = tokio().block_on(runner.stop(true, Some("all green"), &mut agent));
    assert!(verdict.is_blocked());
    let reason = verdict.opinion.reason.unwrap();
    let (model, payload) = reason.split_once('\n').unwrap();
    assert_eq!(model, "run the tests");
    let payload: Value = serde_json::from_str(payload).unwrap();
    assert_eq!(payload["stop_hook_active"], true, "{payload}");
    assert_eq!(agent.messages, ["Stop"]);
}

#[test]
fn a_hook_runs_programs_and_its_timeout_ends_them() {
    let mut hooks = HookRegistry::<Agent>::new();
    hooks.on_tool_call(async |ctx| {
        let echo = ctx.exec("echo", &["a b", "$HOME", "'"], None).await;
        let failed = ctx.exec("false", &[], None).await.map(|result| (result.success(), result.code));
        let word = ctx.exec("if", &["x=1"], None).await;
        assert_eq!(word.unwrap_err().as_str(), "NotFound");
        let missing = ctx.exec("no-such-program-anywhere", &[], None).await;
        let slow = ctx.exec("sleep", &["30"], Some(Duration::from_millis(50))).await;
        ctx.host.messages = vec![
            format!("{:?}", echo.map(|result| result.stdout)),
            format!("{failed:?}"),
            missing.map_or_else(|failure| failure.as_str().to_owned(), |result| result.stdout),
            slow.map_or_else(|failure| failure.to_string(), |result| result.stdout),
        ];
        Response::none()
    });
    let settings = || Runner::builder().grace(Duration::from_millis(100));
    let runner = HookRunner::builder().hooks(hooks).settings(settings()).build().unwrap();
    let event = Event::pre_tool_use("bash", ToolInput::default(), std::env::temp_dir());
    let mut agent = Agent::default();
    let verdict = runner.run_blocking(&event, &mut agent);
    assert_eq!(outcomes(&verdict), ["NoOpinion"], "{}", verdict.to_json());
    assert_eq!(agent.messages, ["Ok(\"a b $HOME '\\n\")", "Ok((false, 1))", "NotFound", "timed out after 0.05 s"]);

    let mut hooks = HookRegistry::<Agent>::new();
    let sleeper = HookMatcher::new(hook_fn(async |ctx: &mut HookContext<'_, Agent>| {
        let _ended = ctx.exec("sleep", &["30"], None).await;
        Response::none()
    }));
    hooks.add_matcher(EventKind::PreToolUse, sleeper.timeout(Duration::from_millis(100)));
    let runner = HookRunner::builder().hooks(hooks).settings(settings()).build().unwrap();
    let started = Instant::now();
    let verdict = runner.run_blocking(&event, &mut Agent::default());
    assert_eq!(outcomes(&verdict), ["TimedOut"]);
    assert!(started.elapsed() < Duration::from_secs(20));
}
