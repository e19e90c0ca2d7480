//! The schemas of `schemas/` say what hookshell reads and writes: what is native and right in this repository is valid by them, and what
//! hookshell itself finds wrong is not.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests: a panic fails the test")]

mod schema_keys;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use hookshell_runner::{
    Config, ConfigError, Dialect, Event, EventKind, HookLog, HookOutcome, HookTest, PayloadDefaults, Runner,
    WarningKind,
};
use jsonc_parser::ast;
use jsonschema::Validator;
use serde_json::{Value, json};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn schema(name: &str) -> Value {
    let text = std::fs::read_to_string(root().join("schemas").join(name)).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn validator(name: &str) -> Validator {
    jsonschema::validator_for(&schema(name)).unwrap()
}

fn errors(validator: &Validator, value: &Value) -> Vec<String> {
    validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

/// JSON with comments; `None` if it is not one.
fn parse(text: &str) -> Option<Value> {
    let parsed = jsonc_parser::parse_to_ast(text, &Default::default(), &Default::default()).ok()?;
    parsed.value.map(|value| plain(&value))
}

fn plain(value: &ast::Value<'_>) -> Value {
    match value {
        ast::Value::StringLit(text) => Value::String(text.value.to_string()),
        ast::Value::NumberLit(number) => number.value.parse().map_or(Value::Null, Value::Number),
        ast::Value::BooleanLit(value) => Value::Bool(value.value),
        ast::Value::NullKeyword(_) => Value::Null,
        ast::Value::Array(array) => array.elements.iter().map(plain).collect(),
        ast::Value::Object(object) => {
            let member = |prop: &ast::ObjectProp<'_>| (prop.name.as_str().to_owned(), plain(&prop.value));
            Value::Object(object.properties.iter().map(member).collect())
        }
    }
}

/// The files below a directory whose names end so.
fn files(directory: &Path, ends: &[&str], found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && !matches!(&*name, "target" | "node_modules" | ".git") {
            files(&path, ends, found);
        } else if ends.iter().any(|end| name.ends_with(end)) {
            found.push(path);
        }
    }
}

/// The texts of the repository that may be JSON: files of JSON, blocks of pages, raw strings of Rust.
fn texts() -> Vec<(String, String)> {
    let mut found = Vec::new();
    for directory in ["crates", "docs", "examples", "sdk", "tests", "xtask"] {
        files(&root().join(directory), &[".json", ".md", ".rs"], &mut found);
    }
    found.push(root().join("README.md"));
    found.sort();
    let mut texts = Vec::new();
    for path in found {
        // What is no text is no example.
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let name = path.strip_prefix(root()).unwrap().to_string_lossy().replace('\\', "/");
        match path.extension().unwrap().to_str().unwrap() {
            "json" => texts.push((name, text)),
            "md" => {
                for (index, part) in text.split("```json").skip(1).enumerate() {
                    let block = part.split_once('\n').unwrap_or_default().1;
                    texts.push((format!("{name} #{index}"), block.split("```").next().unwrap().to_owned()));
                }
            }
            _ => {
                for (index, part) in text.split("r#\"").skip(1).enumerate() {
                    texts.push((format!("{name} #{index}"), part.split("\"#").next().unwrap().to_owned()));
                }
            }
        }
    }
    texts
}

/// What the reader says of a native config: is it right, wrong in its shape, or wrong in what a schema cannot see (a matcher)?
enum Judged {
    Right,
    WrongShape,
    Otherwise,
}

fn judge(text: &str) -> Judged {
    let mut config = Config::in_dialect(Some(Dialect::Native));
    let errors = config.add(text, "crush.json");
    let is_of_shape =
        |error: &ConfigError| matches!(error, ConfigError::WrongType { .. } | ConfigError::Missing { .. });
    let is_odd = |kind: &WarningKind| matches!(kind, WarningKind::UnknownKey { .. } | WarningKind::UnknownEvent(_));
    if errors.iter().any(is_of_shape) || config.warnings().iter().any(|warning| is_odd(&warning.kind)) {
        Judged::WrongShape
    } else if errors.is_empty() && config.warnings().is_empty() {
        Judged::Right
    } else {
        Judged::Otherwise
    }
}

#[test]
fn the_native_configs_of_the_repository_are_valid_and_the_wrong_ones_are_not() {
    let config = validator("config.json");
    let (mut right, mut wrong) = (0, 0);
    for (name, text) in texts() {
        let Some(value) = parse(&text).filter(|value| value.get("hooks").is_some()) else { continue };
        // Fixtures of other agents' shapes are read by their rules.
        let mut guessed = Config::default();
        let _ = guessed.add(&text, "config.json");
        if guessed.sources().iter().any(|source| source.dialect != Dialect::Native) {
            continue;
        }
        // A code that no finding has is no error to the reader; `hookshell check` says it.
        if text.contains(r#"["HS3"]"#) {
            continue;
        }
        let found = errors(&config, &value);
        match judge(&text) {
            Judged::Right => {
                right += 1;
                assert_eq!(found, [""; 0], "{name}: {text}");
            }
            Judged::WrongShape => {
                wrong += 1;
                assert!(!found.is_empty(), "{name} is wrong, and the schema says nothing: {text}");
            }
            Judged::Otherwise => {}
        }
    }
    assert!(right >= 40 && wrong >= 5, "{right} right, {wrong} wrong");
}

#[test]
fn the_fixtures_of_the_repository_are_valid_and_the_wrong_ones_are_not() {
    let fixture = validator("fixture.json");
    let (mut right, mut wrong) = (0, 0);
    for (name, text) in texts() {
        let Some(value) = parse(&text).filter(|value| value.get("expect").is_some() || value.get("cases").is_some())
        else {
            continue;
        };
        let file = root().join(if name.ends_with(".hooktest.json") { &name } else { "examples/crush.hooktest.json" });
        let read = HookTest::parse(&text, &file);
        let found = errors(&fixture, &value);
        match read {
            Ok(_) => {
                right += 1;
                assert_eq!(found, [""; 0], "{name}: {text}");
            }
            Err(errors) => {
                let text = errors.iter().map(ToString::to_string).collect::<String>();
                if ["unknown key", "must be a", "must be an", "is missing"].iter().any(|part| text.contains(part)) {
                    wrong += 1;
                    assert!(!found.is_empty(), "{name} is wrong, and the schema says nothing: {text}");
                }
            }
        }
    }
    assert!(right >= 10, "{right} right, {wrong} wrong");
}

#[test]
fn a_schema_may_be_named_in_a_config_and_in_a_fixture() {
    let text = r#"{"$schema": "../schemas/config.json", "hooks": {"Stop": [{"command": "true"}]}}"#;
    assert!(matches!(judge(text), Judged::Right));
    assert_eq!(errors(&validator("config.json"), &parse(text).unwrap()), [""; 0]);
    let text = r#"{"$schema": "../schemas/fixture.json", "command": "true", "tool_name": "a", "expect": {}}"#;
    let tests = HookTest::parse(text, Path::new("a.hooktest.json"));
    assert_eq!(tests.map(|tests| tests.len()).map_err(|errors| errors[0].to_string()), Ok(1));
    assert_eq!(errors(&validator("fixture.json"), &parse(text).unwrap()), [""; 0]);
}

#[test]
fn every_event_is_a_name_in_a_config_however_it_is_written() {
    let config = validator("config.json");
    let is_valid = |name: &str| config.is_valid(&json!({ "hooks": { name: [{ "command": "true" }] } }));
    for event in EventKind::ALL {
        let spelled = |c: char| if c.is_uppercase() { format!("_{c}") } else { c.into() };
        let snake: String = event.as_str().chars().map(spelled).collect();
        let snake = snake.trim_start_matches('_').to_lowercase();
        for name in [event.as_str(), &event.as_str().to_lowercase(), &snake, &snake.to_uppercase()] {
            assert!(name.parse::<EventKind>().is_ok() && is_valid(name), "{name}");
        }
    }
    for name in ["PreTolUse", "PreToolUse2", "", "on_error", "beforeShellExecution"] {
        assert!(!is_valid(name), "{name}");
    }
}

#[test]
fn a_fixture_may_say_an_event_by_any_agents_name() {
    let fixture = validator("fixture.json");
    let is_valid = |name: &str| fixture.is_valid(&json!({ "expect": {}, "event": name }));
    let names = Dialect::ALL.iter().flat_map(|dialect| dialect.contract().events()).map(|(name, _)| *name);
    for name in names.chain(EventKind::ALL.map(EventKind::as_str)).chain(["pre_tool_use", "STOP"]) {
        assert!(is_valid(name), "{name}");
    }
    for name in ["PreTolUse", "PreToolUse2", "", "x"] {
        assert!(!is_valid(name), "{name}");
    }
    let case = json!({ "command": "true", "event": "TurnStart", "turn_index": 2.0, "expect": { "hooks": 1.0 } });
    assert_eq!(errors(&fixture, &case), [""; 0]);
    assert!(HookTest::parse(&case.to_string(), Path::new("x.hooktest.json")).is_ok());
}

#[test]
fn null_is_as_absent_in_a_config() {
    let (config, schema) = (validator("config.json"), schema("config.json"));
    let is_right = |value: &Value| {
        let is_read = matches!(judge(&value.to_string()), Judged::Right);
        assert_eq!(is_read, config.is_valid(value), "{value}: {:?}", errors(&config, value));
        is_read
    };
    let members = |of: &Value| of["properties"].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    for key in members(&schema) {
        assert!(is_right(&json!({ "hooks": {}, &*key: null })), "{key}");
    }
    for key in members(&schema["definitions"]["Hooks"]) {
        assert!(is_right(&json!({ "hooks": { &*key: null } })), "{key}");
    }
    for key in members(&schema["definitions"]["Hook"]) {
        // Only what it needs is missed.
        assert_eq!(
            is_right(&json!({ "hooks": { "Stop": [{ "command": "true", &*key: null }] } })),
            key != "command",
            "{key}"
        );
    }
    assert!(is_right(&json!({ "hooks": { "Stop": [{ "command": "true", "env": { "A": null } }] } })));
    assert!(is_right(&json!({ "hooks": { "Stop": [{ "type": "prompt", "prompt": "a", "command": null }] } })));
    assert!(!is_right(&json!({ "hooks": { "Stop": [{ "command": "true", "args": [null] }] } })));
    assert!(!is_right(&json!({ "hooks": { "Stop": [null] } })));
}

#[test]
fn what_is_wrong_in_a_config_or_a_fixture_is_not_valid() {
    let config = validator("config.json");
    let hooks = [
        json!({ "command": "true", "timeot": 1 }),
        json!({ "command": "true", "timeout": "1" }),
        json!({ "command": "true", "timeout": 0 }),
        json!({ "command": "true", "timeout": 604_801 }),
        json!({ "command": " " }),
        json!({ "command": "true", "if": "" }),
        json!({ "command": "true", "if": "(rm *)" }),
        json!({ "command": "true", "env": { "A=B": "c" } }),
        json!({ "command": "true", "env": { "": "c" } }),
        json!({ "command": "true", "on_failure": "block" }),
        json!({ "command": "true", "env": { "A": 1 } }),
        json!({ "command": "true", "args": "x" }),
        json!({ "command": "true", "prompt": "x" }),
        json!({ "command": "true", "type": "http" }),
        json!({ "matcher": "bash" }),
        json!({ "type": "prompt", "command": "true" }),
        json!({ "type": "agent", "prompt": "x", "max_turns": 0 }),
        json!({ "type": "module" }),
        json!("true"),
    ];
    for hook in hooks {
        let file = json!({ "hooks": { "PreToolUse": [hook] } });
        assert!(!config.is_valid(&file), "{file}");
        // Nor is the reader silent.
        assert!(!matches!(judge(&file.to_string()), Judged::Right), "{file}");
    }
    let outside = json!({ "hooks": {}, "PreToolUse": [{ "command": "true" }] });
    assert!(!config.is_valid(&outside) && !matches!(judge(&outside.to_string()), Judged::Right));
    for taken in [
        json!({ "$schema": 5 }),
        json!({ "stop": ["a"], "notification": true }),
        json!({ "hooks": { "Stop": [{ "type": "agent", "prompt": "x", "max_turns": 2.0, "if": "|bash" }] } }),
    ] {
        assert_eq!(errors(&config, &taken), [""; 0], "{taken}");
        assert!(matches!(judge(&taken.to_string()), Judged::Right), "{taken}");
    }
    for hooks in [
        json!([]),
        json!({ "Stop": { "command": "true" } }),
        json!({ "on_failure": 1 }),
        json!({ "missing_shell": "x" }),
    ] {
        assert!(!config.is_valid(&json!({ "hooks": hooks })), "{hooks}");
    }
    let fixture = validator("fixture.json");
    let cases = [
        json!({}),
        json!({ "tool_name": "bash" }),
        json!({ "expects": {} }),
        json!({ "expect": { "decision": "no" } }),
        json!({ "expect": { "exit_code": 1 } }),
        json!({ "expect": { "exitcode": 2 } }),
        json!({ "expect": {}, "config": "a", "hook": "b" }),
        json!({ "expect": {}, "cases": [] }),
        json!({ "cases": [{ "name": "a" }] }),
        json!({ "cases": [{ "expect": {}, "cases": [] }] }),
        json!({ "expect": {}, "name": null }),
        json!({ "expect": { "outcome": "Decidd" } }),
        json!({ "expect": { "outcome": ["Decided", "x"] } }),
        json!({ "expect": {}, "stop_hook_active": 1 }),
        json!({ "expect": {}, "is_sub_agent": "no" }),
        json!({ "expect": {}, "prompt": ["x"] }),
        json!({ "expect": {}, "session_id": 5 }),
        json!({ "expect": {}, "turn_index": -1 }),
        json!({ "cases": [{ "expect": {}, "reason": null }] }),
        json!({ "expect": {}, "event": "PreTolUse", "tool_name": "bash" }),
        json!({ "expect": {}, "files": { "../a": "" } }),
        json!({ "expect": {}, "files": { "/a": "" } }),
        json!({ "expect": {}, "files": { "a/..": "" } }),
        json!({ "expect": {}, "files": { "": "" } }),
    ];
    let file = Path::new("x.hooktest.json");
    for case in cases {
        assert!(!fixture.is_valid(&case), "{case}");
        // Nor does the reader take it.
        let mut case = case;
        if case.get("config").is_none() {
            case["command"] = "true".into();
        }
        assert!(HookTest::parse(&case.to_string(), file).is_err(), "{case}");
    }
}

#[test]
fn the_outcomes_that_a_fixture_may_expect_are_those_of_verdicts() {
    let fixture = validator("fixture.json");
    let file = Path::new("x.hooktest.json");
    let names = HookOutcome::OTHERS.iter().chain(HookOutcome::FAILURES);
    for outcome in names.map(|name| json!(name)).chain([json!([]), json!(["Decided", "ExitCode"])]) {
        let case = json!({ "command": "true", "tool_name": "bash", "expect": { "outcome": outcome } });
        assert_eq!(errors(&fixture, &case), [""; 0], "{case}");
        assert!(HookTest::parse(&case.to_string(), file).is_ok(), "{case}");
    }
    let schema = schema("fixture.json");
    let choices = schema.pointer("/definitions/Expect/properties/outcome/anyOf/0/enum").unwrap();
    assert_eq!(choices.as_array().unwrap().len(), HookOutcome::OTHERS.len() + HookOutcome::FAILURES.len());
}

/// A runner with one hook for an event, which keeps what it reads.
fn runner(event: EventKind, directory: &Path) -> Runner {
    let command = r#"cat >read.json; echo '{"decision":"deny","reason":"no","context":"c","context_files":["x"]}'"#;
    let hooks = json!({ "hooks": { event.as_str(): [{ "command": command, "include_sub_agents": true }] } });
    let config = Config::parse(&hooks.to_string(), directory.join("crush.json")).unwrap();
    Runner::builder().config(config).env(std::env::vars_os().collect::<Vec<_>>()).build().unwrap()
}

/// The members of an object and of the objects in its lists that a schema does not name.
fn unnamed(schema: &Value, at: &Value, value: &Value) -> Vec<String> {
    let at = match at.get("$ref").and_then(Value::as_str) {
        Some(reference) => schema.pointer(reference.trim_start_matches('#')).unwrap(),
        None => at,
    };
    match value {
        Value::Array(values) => values.iter().flat_map(|value| unnamed(schema, &at["items"], value)).collect(),
        Value::Object(members) if at.get("properties").is_some() => {
            let member = |(name, value): (&String, &Value)| match at["properties"].get(name) {
                Some(inner) => unnamed(schema, inner, value),
                None => vec![name.clone()],
            };
            members.iter().flat_map(member).collect()
        }
        _ => Vec::new(),
    }
}

#[test]
fn what_hooks_read_and_what_is_printed_and_logged_is_valid() {
    let (event_schema, verdict_schema, log_schema) =
        (validator("event.json"), validator("verdict.json"), validator("log.json"));
    let cases = [
        ("PreToolUse", r#"{"tool_name":"bash","tool_input":{"command":"ls"},"is_sub_agent":true,"session_id":"s"}"#),
        ("PostToolUse", r#"{"tool_name":"bash","tool_response":[1]}"#),
        ("PostToolUseFailure", r#"{"tool_name":"bash","error":"no"}"#),
        ("PermissionRequest", r#"{"tool_name":"bash","tool_input":{}}"#),
        ("UserPromptSubmit", r#"{"prompt":"p","attachments":["a.png"]}"#),
        ("SessionStart", r#"{"source":"startup","session_file":"s.jsonl"}"#),
        ("SessionEnd", r#"{"reason":"other"}"#),
        ("Stop", r#"{"stop_hook_active":true,"last_assistant_message":"m"}"#),
        ("SubagentStop", r#"{"agent_type":"a"}"#),
        ("PreCompact", r#"{"trigger":"auto","custom_instructions":"i"}"#),
        ("Notification", r#"{"message":"m","title":"t","notification_type":"n"}"#),
        ("TurnStart", r#"{"turn_index":1}"#),
        ("TurnEnd", r#"{"turn_index":1,"message":{"a":1},"tool_results":[]}"#),
        ("SessionBeforeBranch", r#"{"target_turn_index":1}"#),
        ("SessionBranch", "{}"),
        ("SessionBeforeSwitch", "{}"),
        ("SessionSwitch", "{}"),
        ("TeammateIdle", r#"{"teammate":"x"}"#),
    ];
    let mut named: BTreeSet<&str> = cases.iter().map(|(name, _)| *name).collect();
    for (name, payload) in cases {
        let directory = tempfile::tempdir().unwrap();
        let kind: EventKind = name.parse().unwrap();
        let defaults =
            PayloadDefaults { event: Some(kind), cwd: directory.path().to_owned(), ..PayloadDefaults::default() };
        let event = Event::from_payload(payload.as_bytes(), &defaults).unwrap();
        let verdict = runner(kind, directory.path()).run_blocking(&event);
        let read: Value = serde_json::from_slice(&std::fs::read(directory.path().join("read.json")).unwrap()).unwrap();
        assert_eq!(errors(&event_schema, &read), [""; 0], "{read}");
        let printed: Value = serde_json::from_str(&verdict.to_json()).unwrap();
        assert_eq!(errors(&verdict_schema, &printed), [""; 0], "{printed}");
        assert_eq!(unnamed(&schema("verdict.json"), &schema("verdict.json"), &printed), [""; 0]);
        for is_with_payload in [false, true] {
            let log = HookLog::new(directory.path().join(is_with_payload.to_string())).payload(is_with_payload);
            log.append(&event, &verdict).unwrap();
            let line: Value = serde_json::from_slice(&std::fs::read(log.path()).unwrap()).unwrap();
            assert_eq!(errors(&log_schema, &line), [""; 0], "{line}");
            assert_eq!(unnamed(&schema("log.json"), &schema("log.json"), &line), [""; 0]);
        }
        let mut without = read;
        without.as_object_mut().unwrap().remove("event");
        assert!(!event_schema.is_valid(&without), "{without}");
    }
    let native = schema("config.json");
    for event in native["definitions"]["Hooks"]["properties"].as_object().unwrap().keys() {
        if event.parse::<EventKind>().is_ok() {
            assert!(named.remove(event.as_str()), "{event} is not tried");
        }
    }
}
