//! What a crate outside of this one meets that is an agent: only public items, written as its author would write them.
#![allow(clippy::unwrap_used, reason = "test helpers: a panic fails the test")]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hookshell_runner::inprocess::{
    EventKind, HookRegistry, HookRunner, HookUi, NotifyLevel, Response, ToolCall, ToolExecutor, ToolResult,
};
use hookshell_runner::{
    AnyLlmClient, AnySubagent, Config, Decision, Dialect, DiscoveredHooks, Dispatcher, Environment, Event, Limits,
    LlmClient, LlmError, LlmReply, LlmRequest, Runner, Subagent, SubagentError, SubagentFactory, SubagentTask,
    ToolInput, Verdict,
};
use serde_json::json;

/// The host's state.
#[derive(Default)]
struct Agent {
    seen: Vec<String>,
}

/// A client with an async transport.
struct Model;

impl LlmClient for Model {
    async fn complete(&self, request: &LlmRequest) -> Result<LlmReply, LlmError> {
        tokio::time::sleep(request.timeout()?.min(Duration::from_millis(1))).await;
        Ok(LlmReply::text(r#"{"allow": false, "reason": "the model says no"}"#))
    }
}

/// Nobody, who agrees to nothing.
struct Nobody;

impl HookUi for Nobody {
    async fn select(&self, _: &str, _: &[String]) -> Option<String> {
        None
    }
    async fn confirm(&self, _: &str, _: &str) -> bool {
        false
    }
    async fn input(&self, _: &str, _: &str) -> Option<String> {
        None
    }
    fn notify(&self, _: &str, _: NotifyLevel) {}
}

struct Tools;

impl ToolExecutor<Agent> for Tools {
    async fn execute(&self, call: &ToolCall, agent: &mut Agent) -> ToolResult {
        tokio::task::yield_now().await;
        agent.seen.push(format!("ran {} {}", call.name, call.input.get()));
        ToolResult::ok("done")
    }
}

fn prompt_hook() -> Config {
    let text = r#"{ "hooks": { "PreToolUse": [{ "matcher": "^deploy$", "type": "prompt", "prompt": "May it?" }] } }"#;
    Config::parse(text, "crush.json").unwrap()
}

fn call(name: &str) -> ToolCall {
    ToolCall::new("c1", name, ToolInput::from(json!({ "command": "ls" })))
}

#[test]
fn an_agents_loop_is_written_with_plain_closures_and_async_fns() {
    let mut hooks = HookRegistry::<Agent>::new();
    hooks.add_sync(EventKind::PreToolUse, |ctx| {
        let tool = ctx.tool_name.clone().unwrap_or_default();
        ctx.host.seen.push(format!("{tool} in {}", ctx.session_id()));
        Response::none()
    });
    hooks.add(EventKind::Stop, async |ctx| {
        let has_more = ctx.host.seen.len() < 4;
        if has_more { Response::deny("there is more to do") } else { Response::none() }
    });
    let runner = HookRunner::builder()
        .config(prompt_hook())
        .hooks(hooks)
        .llm_client(Model)
        .ui(Nobody)
        .env(Environment::of_process())
        .session_id("s1")
        .cwd(std::env::temp_dir())
        .build()
        .unwrap();
    let tools = runner.wrap(Tools);
    let other = runner.with_session("s2", None).wrap(Tools);
    let mut agent = Agent::default();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let run = tools.call(call("deploy"), &mut agent).await;
        assert!(run.before.is_blocked() && !run.executed);
        assert_eq!(run.result, ToolResult::error("the model says no"));
        assert!(runner.stop(false, Some("done?"), &mut agent).await.is_blocked());
        let run = other.call(call("bash"), &mut agent).await;
        assert_eq!((run.executed, run.result), (true, ToolResult::ok("done")));
        agent.seen.push("rest".to_owned());
        assert!(!runner.stop(true, None, &mut agent).await.is_blocked());
    });
    assert_eq!(agent.seen, ["deploy in s1", "bash in s2", r#"ran bash {"command":"ls"}"#, "rest"]);
}

/// Stands for an agent of the host's own, which asks others.
struct Reviewer(SubagentTask);

impl Subagent for Reviewer {
    async fn run(&mut self) -> Result<String, SubagentError> {
        let path = self.0.project_dir.join("guard.txt");
        let text = tokio::task::spawn_blocking(move || std::fs::read_to_string(path)).await;
        let text = text.map_err(|error| SubagentError::Other(error.to_string()))?;
        Ok(text.unwrap_or_else(|error| format!("DENY {error}")))
    }
}

struct Reviewers;

impl SubagentFactory for Reviewers {
    fn create(&self, task: SubagentTask) -> Result<Box<dyn AnySubagent>, SubagentError> {
        Ok(Box::new(Reviewer(task)))
    }
}

#[test]
fn a_hosts_sub_agent_is_an_async_fn_with_and_without_the_hosts_runtime() {
    let project = tempfile::tempdir().unwrap();
    std::fs::write(project.path().join("guard.txt"), "I looked.\nDENY not on a Friday").unwrap();
    let text = r#"{ "hooks": { "PreToolUse": [{ "type": "agent", "prompt": "May it?" }] } }"#;
    let runner = Runner::builder().config(Config::parse(text, "crush.json").unwrap()).subagents(Reviewers);
    let runner = runner.env(Environment::of_process()).build().unwrap();
    let event = Event::pre_tool_use("deploy", json!({}).into(), project.path()).with_session_id("s");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    for verdict in [runner.run_blocking(&event), runtime.block_on(runner.run(&event))] {
        assert_eq!(verdict.opinion.decision, Some(Decision::Deny));
        assert_eq!(verdict.opinion.reason.as_deref(), Some("not on a Friday"));
    }
}

#[test]
fn a_client_may_be_chosen_at_run_time_and_the_parts_are_named_here() {
    let dispatcher = Dispatcher::builder().limits(Limits::default()).build();
    let client: Arc<dyn AnyLlmClient> = Arc::new(Model);
    let env = Environment::from(BTreeMap::from([("PATH", "/bin")])).with("LANG", "C");
    let runner =
        Runner::builder().config(prompt_hook()).dispatcher(dispatcher).llm_client(client).env(env).build().unwrap();
    let event = Event::pre_tool_use("deploy", json!({}).into(), std::env::temp_dir()).with_session_id("s");
    let verdict: Verdict = runner.run_blocking(&event);
    assert_eq!(verdict.opinion.decision, Some(Decision::Deny));

    // A verdict goes through a log, or to another process.
    let text = serde_json::to_string(&verdict.clone()).unwrap();
    let read: Verdict = serde_json::from_str(&text).unwrap();
    assert!(read.is_blocked());
    assert_eq!(serde_json::to_string(&read).unwrap(), text);
}

#[test]
fn one_call_finds_the_hooks_and_says_what_is_odd_or_wrong() {
    let root = tempfile::tempdir().unwrap();
    let home = root.path().join("home");
    let write = |path: &Path, text: &str| {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write(&home.join(".claude").join("settings.json"), r#"{ "hooks": { "NoSuchEvent": [] } }"#);
    let project = root.path().join("project");
    write(&project.join(".claude").join("settings.json"), "{ no JSON");
    let names = ["HOME", "USERPROFILE", "LOCALAPPDATA", "XDG_STATE_HOME", "XDG_CONFIG_HOME"];
    let env: Environment = names.map(|name| (name, home.clone())).into();
    let found = DiscoveredHooks::discover_with(Some(Dialect::Claude), &project, env);
    assert_eq!(found.warnings().len(), 1, "{:?}", found.warnings());
    assert_eq!(found.errors().len(), 1, "{:?}", found.errors());
    let verdict = found.runner().build().unwrap().run_blocking(&Event::stop(false, &project));
    assert!(!verdict.is_blocked());
}
