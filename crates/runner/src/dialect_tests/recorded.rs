//! What real agents sent to real hooks (`tests/agents/payloads`, by `cargo xtask agents --record`): it is read, and handed on to the
//! hooks of that agent as it is.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::hook;
use crate::dialect::Dialect;
use crate::event::Event;
use crate::payload_defaults::PayloadDefaults;
use hookshell_dispatch::Environment;

struct Recorded {
    dialect: Dialect,
    /// By the agent's own name.
    event: String,
    payload: Value,
    /// The hook's variables, but for those that every process has.
    env: Value,
    file: PathBuf,
}

fn recorded() -> Vec<Recorded> {
    let payloads = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/agents/payloads");
    let mut all = Vec::new();
    for agent in payloads.read_dir().unwrap() {
        for file in agent.unwrap().path().read_dir().unwrap() {
            let file = file.unwrap().path();
            let record: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
            all.push(Recorded {
                dialect: record["agent"].as_str().unwrap().parse().unwrap(),
                event: record["event"].as_str().unwrap().to_owned(),
                payload: record["payload"].clone(),
                env: record["env"].clone(),
                file,
            });
        }
    }
    assert!(all.len() >= 65, "only {} recorded payloads", all.len());
    all
}

fn read(recorded: &Recorded) -> Event {
    let (dialect_event_name, event) = recorded.dialect.event(&recorded.event).unwrap_or_else(|| {
        panic!("{}: {} has no event {}", recorded.file.display(), recorded.dialect, recorded.event);
    });
    let text = recorded.payload.to_string();
    // The command line knows it of the agent's variable.
    let project_dir = recorded.env.get("CLAUDE_PROJECT_DIR").and_then(Value::as_str).map(PathBuf::from);
    let defaults = PayloadDefaults {
        event: Some(event),
        dialect_event_name: Some(dialect_event_name),
        project_dir,
        ..PayloadDefaults::default()
    };
    Event::from_payload(text.as_bytes(), &defaults)
        .unwrap_or_else(|error| panic!("{}: {error}", recorded.file.display()))
}

#[test]
fn what_an_agent_sends_reaches_its_hooks_unchanged() {
    let mut wrong = Vec::new();
    for recorded in recorded() {
        let event = read(&recorded);
        let hook = hook(recorded.dialect, &recorded.event);
        let line = hook.dialect.contract().payload(hook.dialect_event_name, &event);
        let given: Value = serde_json::from_slice(&line).unwrap();
        if given != recorded.payload {
            wrong.push(format!("{}:\n  sent  {}\n  given {given}", recorded.file.display(), recorded.payload));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_an_agent_sends_says_where_it_was_and_on_which_tool() {
    for recorded in recorded() {
        let event = read(&recorded);
        let text = |key: &str| recorded.payload.get(key).and_then(Value::as_str);
        if let Some(cwd) = text("cwd") {
            assert_eq!(event.cwd(), Path::new(cwd), "{}", recorded.file.display());
        }
        let tool = text("tool_name").or_else(|| text("toolName"));
        assert_eq!(event.tool_name().is_some(), tool.is_some(), "{}", recorded.file.display());
        let has_input = ["tool_input", "toolInput", "toolArgs"].iter().any(|key| recorded.payload.get(key).is_some());
        assert_eq!(event.tool_input().is_some(), has_input, "{}", recorded.file.display());
        // A matcher is tested against the sub-agent's name.
        if recorded.event == "subagentStart" {
            assert_eq!(event.matched(), Some("explore"), "{}", recorded.file.display());
        }
    }
}

#[test]
fn a_hook_gets_the_variables_that_its_agent_sets() {
    // What only the running agent knows, and what is about its own start.
    let is_the_agents_own = |name: &str| {
        let own = [
            "AI_AGENT",
            "CLAUDECODE",
            "CLAUDE_ENV_FILE",
            "COREPACK_ENABLE_AUTO_PIN",
            "FORCE_COLOR",
            "NoDefaultCurrentDirectoryInExePath",
        ];
        own.contains(&name)
            || ["CLAUDE_CODE_", "COPILOT_CLI", "GIT_CONFIG_", "QWEN_CODE_MODEL"]
                .iter()
                .any(|prefix| name.starts_with(prefix))
    };
    let mut wrong = Vec::new();
    for recorded in recorded() {
        let event = read(&recorded);
        let hook = hook(recorded.dialect, &recorded.event);
        let contract = hook.dialect.contract();
        let more = contract.more_variables(&hook, &event, &Environment::new()).into_iter();
        let given = contract.variables(&hook, &event, &Environment::new()).into_iter();
        let given: BTreeMap<String, String> = given
            .map(|(name, value)| (name.into(), value))
            .chain(more)
            .map(|(name, value)| (name.into_string().unwrap(), value.into_string().unwrap()))
            .collect();
        let sent: BTreeMap<String, String> = recorded
            .env
            .as_object()
            .unwrap()
            .iter()
            .filter(|(name, _)| !is_the_agents_own(name))
            .map(|(name, value)| (name.clone(), value.as_str().unwrap().to_owned()))
            .collect();
        // Of the recorded payloads without an environment nothing is known.
        let known = |name: &str| !recorded.env.as_object().unwrap().is_empty() && !is_the_agents_own(name);
        let given: BTreeMap<String, String> = given.into_iter().filter(|(name, _)| known(name)).collect();
        if given != sent {
            wrong.push(format!("{}:\n  sent  {sent:?}\n  given {given:?}", recorded.file.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
