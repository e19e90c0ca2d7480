//! What the shapes of files have in common.
//!
//! Configs and fixtures are read as trees whose values know their place in the text, not by serde. So what stands in them is
//! said once more as Rust types here, and only for their schemas. Tests keep both together: each key that is read is in the
//! schema and the other way round (`tests/tests/schemas.rs`), and every native file of the repository is valid.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

/// The schema of a file. Draft 7: what editors read without gaps.
pub(super) fn of<T: JsonSchema>() -> Value {
    whole(SchemaSettings::draft07(), SchemaGenerator::into_root_schema_for::<T>)
}

/// The same of what hookshell writes: a member that is always there is required.
pub(super) fn of_output<T: JsonSchema>() -> Value {
    whole(SchemaSettings::draft07().for_serialize(), SchemaGenerator::into_root_schema_for::<T>)
}

/// What says what it is stands first.
fn whole(settings: SchemaSettings, root: fn(SchemaGenerator) -> Schema) -> Value {
    let mut schema = root(settings.into_generator()).to_value();
    let mut ordered = Map::new();
    for key in ["$schema", "title", "description"] {
        ordered.extend(schema.get_mut(key).map(|value| (key.to_owned(), value.take())));
    }
    for (key, value) in schema.as_object().into_iter().flatten() {
        if !ordered.contains_key(key) {
            ordered.insert(key.clone(), value.clone());
        }
    }
    Value::Object(ordered)
}

/// No member needs to be there. (An `Option` would take null too, which is an error in a fixture or means something there.)
pub(super) fn nothing_required(schema: &mut Schema) {
    schema.remove("required");
}

/// A member that is null is as one that is absent, in every object: the reader of configs takes the nulls out, as agents do.
pub(super) fn null_is_absent(schema: &mut Schema) {
    for (_, member) in schema.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten() {
        or_null(member);
    }
    if let Some(others) = schema.get_mut("additionalProperties") {
        or_null(others);
    }
}

/// The same schema, or null.
fn or_null(schema: &mut Value) {
    // `true` takes null too, and what is `false` nobody has.
    let Value::Object(members) = schema else { return };
    if let Some(others) = members.get_mut("additionalProperties") {
        or_null(others);
    }
    let nothing = json!({ "type": "null" });
    if let Some(Value::Array(all)) = members.get_mut("oneOf") {
        all.push(nothing);
    } else if let Some(reference) = members.remove("$ref") {
        members.insert("anyOf".to_owned(), json!([{ "$ref": reference }, nothing]));
    } else if let Some(kind) = members.get_mut("type") {
        *kind = json!([kind.take(), "null"]);
    }
}

/// Where the member is one of these values, or absent (be it null) if `or_absent`, what holds beside the rest.
pub(super) fn when(member: &str, values: &[&str], or_absent: bool, then: Value) -> Value {
    let condition = if or_absent {
        let values: Vec<Value> = values.iter().map(|value| json!(value)).chain([Value::Null]).collect();
        json!({ "properties": { member: { "enum": values } } })
    } else {
        json!({ "properties": { member: { "enum": values } }, "required": [member] })
    };
    json!({ "if": condition, "then": then })
}

/// Adds to what must hold all together.
pub(super) fn also(schema: &mut Schema, rules: Vec<Value>) {
    match schema.get_mut("allOf").and_then(Value::as_array_mut) {
        Some(all) => all.extend(rules),
        None => _ = schema.insert("allOf".to_owned(), Value::Array(rules)),
    }
}
