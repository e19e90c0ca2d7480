//! Hooks as people publish them for each agent: the agent's own config and payload, and what its contract says of the
//! hook's answer. Nothing but the shell and bundled utilities is used, so that they run on every system.

mod claude;
mod codex;
mod copilot;
mod cursor;
mod gemini;

use std::path::Path;

use hookshell_runner::{Config, Dialect, Event, PayloadDefaults, Runner};
use hookshell_test_support::{MAX_WAIT, within};
use serde_json::{Value, json};

use crate::place;

/// What a verdict says: `CODE decision reason`, and what else there is.
fn verdict(dialect: Dialect, config: &Value, event: &str, payload: &Value) -> String {
    let place = place();
    let mut hooks = Config::in_dialect(Some(dialect));
    let errors = hooks.add(&config.to_string(), Path::new("settings.json"));
    assert!(errors.is_empty(), "{errors:?}");
    let runner = Runner::builder().config(hooks).env(place.env()).build().unwrap();
    let (name, dialect_event_name) = Dialect::any_event(event).unwrap();
    let defaults = PayloadDefaults {
        event: Some(name),
        dialect_event_name,
        cwd: place.path().to_owned(),
        project_dir: None,
        session_id: "s1".to_owned(),
    };
    let event = Event::from_payload(payload.to_string().as_bytes(), &defaults).unwrap();
    let verdict = within(MAX_WAIT, "the hooks", move || runner.run_blocking(&event));
    let code = verdict.exit_code();
    let verdict: Value = serde_json::to_value(&verdict).unwrap();
    let mut said = format!("{code} {}", verdict["decision"].as_str().unwrap_or("-"));
    for key in ["reason", "context", "updated_input", "updated_result", "system_message", "env"] {
        match verdict.get(key) {
            None | Some(Value::Null) => {}
            Some(Value::String(text)) => said.push_str(&format!(" {key}={text}")),
            Some(other) => said.push_str(&format!(" {key}={other}")),
        }
    }
    said
}

/// Three events of one hook each: one that is let through, one that is not, and one that is odd.
type Case<'c> = (&'c str, &'c str, Value, &'c [(Value, &'c str)]);

fn check(dialect: Dialect, cases: &[Case<'_>]) {
    for (name, event, config, events) in cases {
        for (payload, expected) in *events {
            let said = verdict(dialect, config, event, payload);
            let shown: String = payload.to_string().chars().take(200).collect();
            assert_eq!(said, *expected, "{name}: {shown}");
        }
    }
}

/// Groups of one hook, as Claude Code, Codex and Gemini CLI have them.
fn group(event: &str, matcher: &str, hook: Value) -> Value {
    json!({ "hooks": { event: [{ "matcher": matcher, "hooks": [hook] }] } })
}

fn command(command: &str) -> Value {
    json!({ "type": "command", "command": command })
}
