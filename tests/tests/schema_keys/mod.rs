//! Each key of a schema is one that is read (or written), and each that is read is in its schema. The oracle is hookshell itself: what
//! it says of a file that has the key, with a right value and with a wrong one, and what comes out again of what was read.

use std::collections::BTreeSet;
use std::path::Path;

use hookshell_runner::{Config, Dialect, Event, EventKind, HookLog, HookTest, PayloadDefaults, Verdict, WarningKind};
use serde_json::{Map, Value, json};

use crate::{errors, root, runner, schema, unnamed, validator};

/// What `$ref` names, else the schema itself.
fn resolved<'s>(whole: &'s Value, at: &'s Value) -> &'s Value {
    // A reference that something is said of beside it.
    let at = at.get("allOf").filter(|_| at.get("properties").is_none()).map_or(at, |all| &all[0]);
    let reference = at.get("$ref").and_then(Value::as_str);
    reference.map_or(at, |reference| whole.pointer(reference.trim_start_matches('#')).unwrap())
}

/// Its members, also those of the schemas that hold beside it.
fn members<'s>(whole: &'s Value, at: &'s Value) -> Vec<(&'s str, &'s Value)> {
    let at = resolved(whole, at);
    let own = at.get("properties").and_then(Value::as_object).into_iter().flatten();
    let mut found: Vec<_> = own.map(|(name, member)| (name.as_str(), resolved(whole, member))).collect();
    for part in at.get("allOf").and_then(Value::as_array).into_iter().flatten() {
        // Conditions say nothing new.
        if part.get("$ref").is_some() {
            found.extend(members(whole, part));
        }
    }
    found
}

fn names<'s>(members: &[(&'s str, &'s Value)]) -> BTreeSet<&'s str> {
    members.iter().map(|(name, _)| *name).collect()
}

/// A value that a schema takes, which no default is.
fn right(whole: &Value, at: &Value) -> Value {
    let at = resolved(whole, at);
    if let Some(value) = at.get("const") {
        return value.clone();
    }
    if let Some(values) = at.get("enum").and_then(Value::as_array) {
        return values[0].clone();
    }
    for choice in ["oneOf", "anyOf"] {
        if let Some(choices) = at.get(choice).and_then(Value::as_array) {
            return right(whole, &choices[0]);
        }
    }
    if at.get("pattern").is_some() {
        return json!("HS101");
    }
    if at.get("format").is_some_and(|format| format == "date-time") {
        return json!("2030-01-01T10:00:00.000Z");
    }
    let kind = match at.get("type") {
        Some(Value::Array(kinds)) => kinds[0].clone(),
        Some(kind) => kind.clone(),
        None => return json!({ "any": ["value"] }),
    };
    match kind.as_str().unwrap() {
        "string" => json!("text"),
        "boolean" => json!(true),
        "integer" | "number" => json!(2),
        "array" => json!([right(whole, &at["items"])]),
        "object" => {
            let named = members(whole, at).into_iter().map(|(name, member)| (name.to_owned(), right(whole, member)));
            let mut object: Map<String, Value> = named.collect();
            match at.get("additionalProperties") {
                Some(values) if values != false && object.is_empty() => {
                    object.insert("NAME".to_owned(), right(whole, values));
                }
                _ => {}
            }
            Value::Object(object)
        }
        other => panic!("a schema of the type {other}"),
    }
}

/// A value that no member of a config or a fixture takes.
fn wrong() -> Value {
    json!([{ "NAME": [null, 1] }])
}

/// What the reader says of a native config: the keys that it does not know, and the rest, which is about values.
fn said(config: &Value) -> (Vec<String>, Vec<String>) {
    let mut read = Config::in_dialect(Some(Dialect::Native));
    let mut values: Vec<String> = read.add(&config.to_string(), "crush.json").iter().map(ToString::to_string).collect();
    let mut unknown = Vec::new();
    for warning in read.warnings() {
        match warning.kind {
            WarningKind::UnknownKey { .. } | WarningKind::UnknownEvent(_) => unknown.push(warning.to_string()),
            _ => values.push(warning.to_string()),
        }
    }
    (unknown, values)
}

/// A hook of the kind that has the key, with it.
fn hook_with(key: &str, value: Value) -> Value {
    let mut hook = match key {
        "prompt" | "model" | "cache" => json!({ "type": "prompt", "prompt": "text" }),
        "tools" | "max_turns" => json!({ "type": "agent", "prompt": "text" }),
        "module" => json!({ "type": "module", "module": "a.py" }),
        _ => json!({ "command": "true" }),
    };
    hook[key] = value;
    hook
}

#[test]
fn each_key_of_the_configs_schema_is_read_and_no_other() {
    let schema = schema("config.json");
    let whole = &schema;
    let of_hook = members(whole, &whole["definitions"]["Hook"]);
    assert!(of_hook.len() > 20, "{:?}", names(&of_hook));
    for (key, member) in of_hook {
        let config = |hook: Value| json!({ "hooks": { "PreToolUse": [hook] } });
        let value = if key == "type" { json!("command") } else { right(whole, member) };
        assert_eq!(said(&config(hook_with(key, value))).0, [""; 0], "{key}");
        let (unknown, values) = said(&config(hook_with(key, wrong())));
        assert!(unknown.is_empty() && !values.is_empty(), "{key} takes anything: {unknown:?}");
        // The oracle works: the same key with one letter more is not known.
        let mut odd = hook_with(key, Value::Null);
        odd[format!("{key}x")] = json!("text");
        assert!(!said(&config(odd)).0.is_empty(), "{key}x is known");
    }
    for (key, member) in members(whole, &whole["definitions"]["Hooks"]) {
        let config = |value: Value| json!({ "hooks": { key: value } });
        let (unknown, values) = said(&config(wrong()));
        assert!(!values.is_empty(), "hooks.{key} takes anything");
        // Of an event the list is read, and the hook in it has an odd key.
        if key.parse::<EventKind>().is_err() {
            assert_eq!((said(&config(right(whole, member))), unknown), ((vec![], vec![]), vec![]), "hooks.{key}");
        }
        let odd = json!({ "hooks": { format!("{key}x"): right(whole, member) } });
        assert!(!said(&odd).0.is_empty(), "hooks.{key}x is known");
    }
    // What else a file has is its agent's, so nothing at the top is unknown: what is read there takes not everything.
    for (key, _) in members(whole, whole) {
        let mut config = json!({ "hooks": {} });
        config[key] = wrong();
        assert_eq!(said(&config).1.is_empty(), key == "$schema", "{key}");
    }
}

/// What reading a fixture fails with.
fn refused(fixture: &Value) -> String {
    let read = HookTest::parse(&fixture.to_string(), Path::new("a.hooktest.json"));
    read.err().into_iter().flatten().map(|error| error.to_string() + "\n").collect()
}

#[test]
fn each_key_of_the_fixtures_schema_is_read_and_no_other() {
    let schema = schema("fixture.json");
    let whole = &schema;
    let is_unknown = |text: &str| text.contains("unknown key");
    for (key, member) in members(whole, &whole["definitions"]["Expect"]) {
        let fixture =
            |key: &str, value: Value| json!({ "command": "true", "tool_name": "bash", "expect": { key: value } });
        assert!(!is_unknown(&refused(&fixture(key, right(whole, member)))), "expect.{key}");
        assert!(is_unknown(&refused(&fixture(&format!("{key}x"), json!(1)))), "expect.{key}x is known");
        // The input that is expected is any value, which is compared.
        if key != "updated_input" {
            let text = refused(&fixture(key, wrong()));
            assert!(text.contains(key) && !is_unknown(&text), "expect.{key} takes anything: {text}");
        }
    }
    let case = members(whole, &whole["definitions"]["Case"]);
    let file = members(whole, whole);
    let more: BTreeSet<&str> = names(&file).difference(&names(&case)).copied().collect();
    assert_eq!((more, names(&case).is_subset(&names(&file))), (BTreeSet::from(["$schema", "cases"]), true));
    let of_event = crate::schema("event.json");
    let mut event: BTreeSet<&str> = names(&members(&of_event, &of_event));
    for variant in of_event["oneOf"].as_array().unwrap() {
        event.extend(names(&members(&of_event, variant)));
    }
    // They are the fixture's own, and read there.
    event.retain(|key| !matches!(*key, "event" | "cwd"));
    // Claude Code's name for the session's file.
    event.insert("transcript_path");
    for (key, member) in case {
        let fixture = |key: &str, value: Value| {
            let mut fixture = json!({ "tool_name": "bash", "expect": {} });
            if !matches!(key, "config" | "hook") {
                fixture["command"] = json!("true");
            }
            fixture[key] = value;
            fixture
        };
        let text = refused(&fixture(key, right(whole, member)));
        assert!(!is_unknown(&text), "{key}: {text}");
        assert!(is_unknown(&refused(&fixture(&format!("{key}x"), json!(1)))), "{key}x is known");
        // Members of the event are what its hooks get, and those are read whatever they are: a guard must run.
        if !event.remove(key) {
            let text = refused(&fixture(key, wrong()));
            assert!(!text.is_empty() && !is_unknown(&text), "{key} takes anything: {text}");
        }
    }
    assert_eq!(event, BTreeSet::new(), "a fixture cannot say them");
}

#[test]
fn each_member_of_the_events_schema_is_read_and_given_to_hooks() {
    let (schema, valid) = (schema("event.json"), validator("event.json"));
    let mut count = 0;
    for variant in schema["oneOf"].as_array().unwrap() {
        // Other agents' events have what their agents say.
        let Some(name) = variant["properties"]["event"].get("const").and_then(Value::as_str) else { continue };
        count += 1;
        let directory = tempfile::tempdir().unwrap();
        let cwd = directory.path().to_str().unwrap();
        let members = [members(&schema, &schema), members(&schema, variant)].concat();
        let mut event: Value =
            members.iter().map(|(key, member)| ((*key).to_owned(), right(&schema, member))).collect();
        event["cwd"] = json!(cwd);
        assert_eq!(errors(&valid, &event), [""; 0], "{event}");
        let kind: EventKind = name.parse().unwrap();
        let defaults = PayloadDefaults { cwd: directory.path().to_owned(), ..PayloadDefaults::default() };
        let read = Event::from_payload(event.to_string().as_bytes(), &defaults).unwrap();
        runner(kind, directory.path()).run_blocking(&read);
        let given = std::fs::read(directory.path().join("read.json")).unwrap();
        let given: Value = serde_json::from_slice(&given).unwrap();
        // All of it, and nothing beside it.
        assert_eq!(given, event, "{name}");
    }
    assert_eq!(count, 18);
}

#[test]
fn each_member_of_the_logs_schema_is_read_and_written() {
    let schema = schema("log.json");
    let line = right(&schema, &schema);
    assert_eq!(errors(&validator("log.json"), &line), [""; 0], "{line}");
    let directory = tempfile::tempdir().unwrap();
    let log = HookLog::new(directory.path().to_owned());
    std::fs::write(log.path(), format!("{line}\n")).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(log.path(), std::fs::Permissions::from_mode(0o600)).unwrap();
    }
    let entries = log.entries().unwrap();
    assert_eq!(entries.len(), 1, "{line}");
    assert_eq!(serde_json::to_value(&entries[0]).unwrap(), line);
    assert_eq!(fields("crates/runner/src/log/entry.rs", "LogEntry"), own(&names(&members(&schema, &schema))));
}

#[test]
fn each_member_of_the_verdicts_schema_is_read_and_written() {
    let schema = schema("verdict.json");
    let mut verdict = right(&schema, &schema);
    verdict["event"] = json!("PreToolUse");
    verdict["decision"] = json!("allow");
    verdict["hooks"][0]["decision"] = json!("deny");
    verdict["hooks"][0]["outcome"] = json!("Decided");
    verdict["hooks"][0]["dropped_context_files"] = json!(["context file `x` dropped: no such file"]);
    // It is made of the files.
    verdict["context_files_note"] = Value::Null;
    let read: Verdict = serde_json::from_value(verdict.clone()).unwrap();
    let written: Value = serde_json::from_str(&read.to_json()).unwrap();
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<BTreeSet<_>>();
    assert_eq!(keys(&written), keys(&verdict), "{written}");
    assert_eq!(keys(&written["hooks"][0]), keys(&verdict["hooks"][0]), "{written}");
    assert_eq!(unnamed(&schema, &schema, &written), [""; 0]);
    for (file, reader, definition) in [
        ("crates/contract/src/verdict/write.rs", "VerdictJson<'v>", &schema),
        ("crates/contract/src/verdict/write.rs", "HookJson<'v>", &schema["definitions"]["HookReport"]),
        ("crates/contract/src/verdict/write.rs", "ShellJson<'v>", &schema["definitions"]["ShellUse"]),
    ] {
        assert_eq!(fields(file, reader), own(&names(&members(&schema, definition))), "{reader}");
    }
}

fn own(names: &BTreeSet<&str>) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// The fields of a struct, from its source: those that are written only at times are seen so too.
fn fields(file: &str, name: &str) -> BTreeSet<String> {
    let source = std::fs::read_to_string(root().join(file)).unwrap();
    let (_, body) = source.split_once(&format!("struct {name} {{")).unwrap();
    let (body, _) = body.split_once("\n}").unwrap();
    let code = body.lines().map(str::trim).filter(|line| !line.starts_with("//") && !line.starts_with('#'));
    code.filter_map(|line| Some(line.split_once(':')?.0.trim_start_matches("pub ").to_owned())).collect()
}

/// The pages say what the schemas have.
#[test]
fn each_key_of_the_schemas_is_named_in_its_page() {
    for (file, page, definitions) in [
        ("verdict.json", "docs/verdict.md", &["", "/definitions/HookReport"][..]),
        ("config.json", "docs/config.md", &["", "/definitions/Hooks", "/definitions/Hook"]),
        ("log.json", "docs/log.md", &[""]),
        ("fixture.json", "docs/testing-hooks.md", &["/definitions/Case", "/definitions/Expect"]),
    ] {
        let (schema, text) = (schema(file), std::fs::read_to_string(root().join(page)).unwrap());
        for definition in definitions {
            for name in names(&members(&schema, schema.pointer(definition).unwrap())) {
                assert!(text.contains(&format!("`{name}`")), "{page} does not name {name} of {file}");
            }
        }
    }
}
