//! An agent in one file: a model (a scripted one), tools, and hooks of every kind around them.
//!
//! ```text
//! cargo run -p hookshell-runner --example embed
//! ```

use std::error::Error;
use std::path::Path;

use hookshell_runner::inprocess::{
    BoxFuture, HookRegistry, HookResult, HookRunner, HookedTools, HostState, SessionEvent, ToolCall, ToolExecutor,
    ToolResult,
};
use hookshell_runner::{Config, HookEvent, ToolInput};
use serde_json::json;

pub(crate) mod hooks;

/// The host's own state: every hook of the host gets it, and may change it.
#[derive(Default)]
struct Agent {
    messages: Vec<String>,
}

impl HostState for Agent {
    type Message = String;
    fn session_id(&self) -> &str {
        "embed-1"
    }
    fn messages(&self) -> &[String] {
        &self.messages
    }
    fn messages_mut(&mut self) -> &mut Vec<String> {
        &mut self.messages
    }
}

/// The tools. These only say what they would do.
struct Tools;

impl ToolExecutor<Agent> for Tools {
    fn execute<'a>(&'a self, call: &'a ToolCall, _agent: &'a mut Agent) -> BoxFuture<'a, ToolResult> {
        Box::pin(async move { ToolResult::ok(format!("{} did {}", call.name, call.input.get())) })
    }
}

/// What the model says in each of its turns: a text, and the tools that it calls.
const MODEL: [(&str, &[(&str, &str)]); 2] = [
    (
        "Let me look.",
        &[
            ("read", r#"{"file_path":"key.txt","token":"sk-123"}"#),
            ("bash", r#"{"command":"sudo rm -rf build"}"#),
            ("bash", r#"{"command":"npm test"}"#),
            ("write", r#"{"file_path":".env","content":""}"#),
        ],
    ),
    ("All tests pass.", &[]),
];

/// Runs one session in a folder, and gives the conversation.
pub(crate) async fn run_agent(folder: &Path, prompt: &str) -> Result<Vec<String>, Box<dyn Error>> {
    // Command hooks, as a user's config file has them.
    let config = Config::parse(
        r#"{ "hooks": {
            "UserPromptSubmit": [{ "command": "echo '{\"context\":\"The project uses bun.\"}'" }],
            "PreToolUse": [{ "matcher": "^bash$", "command": "case $CRUSH_TOOL_INPUT_COMMAND in npm*) echo '{\"decision\":\"allow\",\"updated_input\":{\"command\":\"bun test\"}}';; esac" }],
            "Stop": [{ "command": "echo '{\"decision\":\"allow\"}'" }]
        } }"#,
        "crush.json",
    )?;
    // Hooks of the host: the three examples, and one that keeps secrets out of what the model sees.
    let mut registry = HookRegistry::<Agent>::new();
    hooks::permission_gate::register(&mut registry)?;
    hooks::protected_paths::register(&mut registry)?;
    hooks::git_checkpoint::register(&mut registry);
    registry.on_tool_result(async |ctx| {
        if let Some(result) = &mut ctx.tool_result {
            result.content = result.content.replace("sk-123", "sk-***");
        }
        HookResult::none()
    });
    let runner = HookRunner::builder().config(config).hooks(registry).session_id("embed-1").cwd(folder).build()?;
    let tools: HookedTools<Agent, Tools> = runner.wrap(Tools);

    let mut agent = Agent::default();
    runner.session(SessionEvent::Start { source: "startup".into() }, &mut agent).await;

    let verdict = runner.prompt(prompt, &mut agent).await;
    if verdict.exit_code() != 0 {
        return Err(verdict.reason.unwrap_or_default().into());
    }
    agent.messages.push(format!("user: {}", verdict.updated_prompt.as_deref().unwrap_or(prompt)));
    agent.messages.extend(verdict.context.map(|context| format!("context: {context}")));

    'session: for (turn, (text, calls)) in MODEL.into_iter().enumerate() {
        runner.turn_start(turn as u64, &mut agent).await;
        agent.messages.push(format!("assistant: {text}"));
        let mut results = Vec::new();
        for (index, (name, input)) in calls.iter().enumerate() {
            let call = ToolCall::new(format!("call_{turn}_{index}"), *name, ToolInput::parse(input)?);
            let run = tools.call(call, &mut agent).await; // hooks, permission, tool, hooks
            let halt = run.halt;
            let result = run.into_result();
            agent.messages.push(format!("{name}: {}", result.content));
            results.push(result);
            if halt {
                break 'session;
            }
        }
        runner.turn_end(turn as u64, &json!({ "role": "assistant", "content": text }), &results, &mut agent).await;
        if calls.is_empty() {
            let stop = HookEvent::stop(false, folder).with_session_id("embed-1").with_last_message(text);
            // A deny has the agent go on.
            if runner.run(&stop, &mut agent).await.exit_code() != 2 {
                break;
            }
        }
    }
    runner.session(SessionEvent::Shutdown { reason: "other".into() }, &mut agent).await;
    Ok(agent.messages)
}

#[allow(clippy::print_stdout, dead_code, reason = "an example program, which a test includes")]
#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    for message in run_agent(&std::env::temp_dir(), "run the tests").await? {
        println!("{message}");
    }
    Ok(())
}
