//! The protocol as a JSON schema (draft 2020-12) and as tables for its page: for `cargo xtask schemas`.

use std::fmt::Write as _;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};

use crate::protocol::{Direction, ErrorCode, METHODS, Method, MethodKind, PROTOCOL_VERSION};

/// Puts the types into a generator's definitions.
macro_rules! definitions {
    ($generator:expr, $($name:ident),* $(,)?) => {
        $(define::<crate::protocol::$name>($generator);)*
    };
}

fn define<T: JsonSchema>(generator: &mut SchemaGenerator) {
    generator.subschema_for::<T>();
}

/// The schema: each type of the protocol below `$defs`, and the table of methods as `x-methods`, that of the errors as `x-errors`.
pub fn schema() -> Value {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    definitions!(
        &mut generator,
        InitializeParams,
        InitializeResult,
        RunParams,
        RunResult,
        ExecParams,
        ExecResult,
        ExplainParams,
        ExplainResult,
        CheckParams,
        CheckResult,
        DoctorParams,
        DoctorResult,
        SessionEndParams,
        NoParams,
        Empty,
        AckParams,
        CancelParams,
        ProgressParams,
        OutputParams,
        SelectParams,
        SelectResult,
        ConfirmParams,
        ConfirmResult,
        InputParams,
        InputResult,
        NotifyParams,
        WakeParams,
        CompleteParams,
        CompleteResult,
        RpcError,
        RequestId,
    );
    let mut definitions: Map<String, Value> = generator.take_definitions(true);
    definitions.sort_keys();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "hookshell serve",
        "description": "The parameters and results of JSON-RPC 2.0 messages, one a line: docs/serve.md",
        "x-protocol-version": PROTOCOL_VERSION,
        "x-methods": METHODS.iter().map(method).collect::<Vec<_>>(),
        "x-errors": ErrorCode::ALL.map(|code| json!({
            "code": code.number(), "name": code.name(), "meaning": code.meaning(),
        })),
        "$defs": definitions,
    })
}

fn method(method: &Method) -> Value {
    json!({
        "name": method.name,
        "kind": match method.kind {
            MethodKind::Request => "request",
            MethodKind::Notification => "notification",
        },
        "direction": match method.direction {
            Direction::ToServer => "client-to-server",
            Direction::ToClient => "server-to-client",
            Direction::Both => "both",
        },
        "params": method.params,
        "result": method.result,
        "summary": method.summary,
    })
}

/// The parts of the protocol's page that are made: the name of each, and its text in Markdown.
pub fn page_parts() -> Vec<(&'static str, String)> {
    vec![("methods", methods_table()), ("errors", errors_table()), ("types", types_tables(&schema()))]
}

fn methods_table() -> String {
    let mut text = String::from("| method | from | kind | params → result | what |\n| --- | --- | --- | --- | --- |\n");
    for method in METHODS {
        let from = match method.direction {
            Direction::ToServer => "client",
            Direction::ToClient => "hookshell",
            Direction::Both => "both",
        };
        let (kind, types) = match (method.kind, method.result) {
            (MethodKind::Request, Some(result)) => ("request", format!("{} → {}", link(method.params), link(result))),
            _ => ("notification", link(method.params)),
        };
        let _ = writeln!(text, "| `{}` | {from} | {kind} | {types} | {} |", method.name, method.summary);
    }
    text
}

fn errors_table() -> String {
    let mut text = String::from("| code | name | meaning |\n| --- | --- | --- |\n");
    for code in ErrorCode::ALL {
        let _ = writeln!(text, "| {} | `{}` | {} |", code.number(), code.name(), code.meaning());
    }
    text
}

fn types_tables(schema: &Value) -> String {
    let mut text = String::new();
    let definitions = schema.get("$defs").and_then(Value::as_object);
    for (name, definition) in definitions.into_iter().flatten() {
        let _ = write!(text, "### {name}\n\n{}\n\n", prose(definition));
        let members = definition.get("properties").and_then(Value::as_object).filter(|members| !members.is_empty());
        if let Some(members) = members {
            let required = definition.get("required").and_then(Value::as_array);
            text.push_str("| member | type | meaning |\n| --- | --- | --- |\n");
            for (member, of_member) in members {
                let is_required = required.is_some_and(|names| names.iter().any(|name| name == member));
                let optional = if is_required { "" } else { "?" };
                let _ = writeln!(text, "| `{member}`{optional} | {} | {} |", type_name(of_member), prose(of_member));
            }
            text.push('\n');
        }
        for variant in variants(definition) {
            let constant = variant.get("const").map(Value::to_string);
            let named = constant.or_else(|| variant.get("properties").map(members_in_short));
            let _ = writeln!(
                text,
                "- {}: {}",
                named.map_or_else(|| type_name(variant), |name| format!("`{name}`")),
                prose(variant)
            );
        }
        if !variants(definition).is_empty() {
            text.push('\n');
        }
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

/// The members of a variant: `{role: "user", content}`.
fn members_in_short(members: &Value) -> String {
    let member = |(name, schema): (&String, &Value)| match schema.get("const") {
        Some(constant) => format!("{name}: {constant}"),
        None => name.clone(),
    };
    let members: Vec<String> = members.as_object().into_iter().flatten().map(member).collect();
    format!("{{{}}}", members.join(", "))
}

fn variants(definition: &Value) -> Vec<&Value> {
    ["oneOf", "anyOf"].iter().filter_map(|key| definition.get(key)?.as_array()).flatten().collect()
}

fn prose(schema: &Value) -> String {
    let text = schema.get("description").and_then(Value::as_str).unwrap_or_default();
    text.replace('\n', " ").replace('|', "\\|")
}

/// A type in words, for a table.
fn type_name(schema: &Value) -> String {
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        return link(reference.rsplit('/').next().unwrap_or(reference));
    }
    if let Some([only]) = schema.get("allOf").and_then(Value::as_array).map(Vec::as_slice) {
        return type_name(only);
    }
    let any = variants(schema);
    if !any.is_empty() {
        return any.into_iter().map(type_name).collect::<Vec<_>>().join(" or ");
    }
    let names: Vec<&str> = match schema.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => return "any".to_owned(),
    };
    let one = |name: &&str| match *name {
        "array" => format!("array of {}", schema.get("items").map_or_else(|| "any".to_owned(), type_name)),
        "object" => match schema.get("additionalProperties").filter(|value| value.is_object()) {
            Some(values) => format!("object of {}", type_name(values)),
            None => "object".to_owned(),
        },
        other => other.to_owned(),
    };
    names.iter().map(one).collect::<Vec<_>>().join(" or ")
}

fn link(name: &str) -> String {
    format!("[{name}](#{})", name.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_has_its_types_in_the_schema() {
        let schema = schema();
        for method in METHODS {
            for name in [Some(method.params), method.result].into_iter().flatten() {
                assert!(schema["$defs"].get(name).is_some(), "{}: {name}", method.name);
            }
        }
    }

    #[test]
    fn every_type_and_member_says_what_it_is() {
        let schema = schema();
        for (name, definition) in schema["$defs"].as_object().unwrap() {
            assert!(!prose(definition).is_empty(), "{name}");
            for (member, of_member) in definition["properties"].as_object().into_iter().flatten() {
                assert!(!prose(of_member).is_empty(), "{name}.{member}");
            }
        }
    }
}
