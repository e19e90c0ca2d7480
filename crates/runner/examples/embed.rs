//! An agent's loop with hooks of every kind around it: `cargo run -p hookshell-runner --example embed`
use std::{error::Error, path::Path};

use hookshell_runner::ToolInput;
use hookshell_runner::inprocess::{HookRunner, SessionEvent, ToolCall};
use serde_json::json;

pub(crate) mod agent;
pub(crate) mod hooks;

/// Runs one session in a directory, and gives the conversation.
pub(crate) async fn run_agent(dir: &Path, prompt: &str) -> Result<Vec<String>, Box<dyn Error>> {
    let builder = HookRunner::builder().config(agent::config()?).hooks(agent::hooks()?).ui(agent::Person);
    let builder = builder.llm_client(agent::Judge); // whom `prompt` and `agent` hooks ask
    let runner = builder.session_id("embed-1").cwd(dir).build()?;
    let tools = runner.wrap(agent::Tools);
    let mut agent = agent::Agent::default();
    runner.session(SessionEvent::Start { source: "startup".into() }, &mut agent).await;
    let verdict = runner.prompt(prompt, &mut agent).await;
    if verdict.exit_code() != 0 {
        return Err(verdict.opinion.reason.unwrap_or_default().into());
    }
    agent.say("user", verdict.opinion.updated_prompt.as_deref().unwrap_or(prompt));
    agent.messages.extend(verdict.context().map(|context| format!("context: {context}")));
    'session: for (turn, (text, calls)) in (0..).zip(agent::MODEL) {
        runner.turn_start(turn, &mut agent).await;
        agent.say("assistant", text);
        let mut results = Vec::new();
        for (index, (name, input)) in calls.iter().enumerate() {
            let call = ToolCall::new(format!("call_{turn}_{index}"), *name, ToolInput::parse(input)?);
            let run = tools.call(call, &mut agent).await; // hooks, permission, tool, hooks
            let halt = run.halt;
            results.push(run.into_result());
            agent.messages.extend(results.last().map(|result| format!("{name}: {}", result.content)));
            if halt {
                break 'session;
            }
        }
        runner.turn_end(turn, &json!({ "role": "assistant", "content": text }), &results, &mut agent).await;
        // A deny has the agent continue.
        if calls.is_empty() && runner.stop(false, Some(text), &mut agent).await.exit_code() != 2 {
            break;
        }
    }
    runner.session(SessionEvent::Shutdown { reason: "other".into() }, &mut agent).await;
    Ok(agent.messages)
}

#[allow(clippy::print_stdout, dead_code, reason = "an example program, which a test includes")]
#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let messages = run_agent(&std::env::temp_dir(), "run the tests").await?;
    println!("{}", messages.join("\n"));
    Ok(())
}
