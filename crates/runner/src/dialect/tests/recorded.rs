//! What real agents sent to real hooks (`tests/agents/payloads`, by `cargo xtask agents --record`): it is read, and handed on to the
//! hooks of that agent as it is.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::super::Dialect;
use super::hook;
use crate::event::HookEvent;
use crate::payload::PayloadDefaults;

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
    assert!(all.len() >= 25, "only {} recorded payloads", all.len());
    all
}

fn read(recorded: &Recorded) -> HookEvent {
    let (own_event, event) = recorded.dialect.event(&recorded.event).unwrap_or_else(|| {
        panic!("{}: {} has no event {}", recorded.file.display(), recorded.dialect, recorded.event);
    });
    let text = recorded.payload.to_string();
    let defaults = PayloadDefaults { event: Some(event), own_event: Some(own_event), ..PayloadDefaults::default() };
    HookEvent::from_payload(text.as_bytes(), &defaults)
        .unwrap_or_else(|error| panic!("{}: {error}", recorded.file.display()))
}

#[test]
fn what_an_agent_sends_reaches_its_hooks_unchanged() {
    let mut wrong = Vec::new();
    for recorded in recorded() {
        let event = read(&recorded);
        let hook = hook(recorded.dialect, &recorded.event);
        let line = hook.dialect.contract().payload(hook.own_event, &event);
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
    }
}

#[test]
fn a_hook_gets_the_variables_that_its_agent_sets() {
    let mut seen = 0;
    for recorded in recorded().iter().filter(|recorded| recorded.dialect == Dialect::Gemini) {
        let event = read(recorded);
        let hook = hook(recorded.dialect, &recorded.event);
        let given = hook.dialect.contract().variables(&hook, &event, &Vec::new());
        let given: serde_json::Map<String, Value> =
            given.into_iter().map(|(name, value)| (name.to_owned(), value.to_str().unwrap().into())).collect();
        assert_eq!(Value::Object(given), recorded.env, "{}", recorded.file.display());
        seen += 1;
    }
    assert!(seen >= 5, "only {seen}");
}
