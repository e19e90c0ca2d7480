//! What Codex refuses of a file: it reads the hooks of a file together, and one thing that it cannot read costs them all.
//!
//! The types here are those that Codex 0.169.0 reads a file into, as far as it could be observed (tests/agents/codex.py): what this
//! reader refuses Codex refuses. What they say is read from the tree, which knows its places.

use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::common::Ranged;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Number};

use super::NOTIFY;
use crate::config::{ConfigError, Document, HookConfig, Place, Reader, first_member};
use crate::event_kind::EventKind;

/// Reads a file's `notify`, and says whether Codex takes its hooks.
pub(super) fn read_beside(reader: &mut Reader<'_, '_>, root: &Object<'_>) -> bool {
    notify(reader, root);
    match fault(reader.document, root) {
        None => true,
        Some(Fault { place, message }) => {
            reader.errors.push(ConfigError::NotTaken { place, agent: reader.agent.name(), message });
            false
        }
    }
}

/// The feature that hooks are, where it is off. Its older name counts where the other is not there.
pub(super) fn switched_off<'v, 'a>(root: &'v Object<'a>) -> Option<(&'v ObjectProp<'a>, &'static str)> {
    let features = first_member(root, "features")?.value.as_object()?;
    let named = |name: &str| first_member(features, name);
    let (prop, key) = match (named("hooks"), named("codex_hooks")) {
        (Some(prop), _) => (prop, "features.hooks"),
        (None, prop) => (prop?, "features.codex_hooks"),
    };
    prop.value.as_boolean_lit().is_some_and(|lit| !lit.value).then_some((prop, key))
}

/// `notify`: a program that is told of the end of each turn, by an argument that is JSON. Nothing waits for it.
fn notify(reader: &mut Reader<'_, '_>, root: &Object<'_>) {
    let Some(prop) = first_member(root, "notify") else { return };
    let words = prop.value.as_array().map(|list| {
        let words = list.elements.iter().map(|word| word.as_string_lit().map(|word| word.value.as_ref()));
        words.collect::<Option<Vec<&str>>>()
    });
    let Some(Some(words)) = words else {
        reader.wrong_type(&prop.value, "notify".to_owned(), "an array of strings");
        return;
    };
    if words.is_empty() {
        return;
    }
    // What it reads as an argument the others read from standard input.
    let mut hook = HookConfig::new(EventKind::Stop, format!("{} \"$(cat)\"", shell_words::join(&words)));
    hook.name = Some(format!("notify: {}", words.join(" ")));
    hook.dialect = reader.dialect;
    hook.dialect_event_name = NOTIFY;
    hook.is_async = true;
    hook.require_env = false;
    hook.timeout = reader.agent.default_timeout(hook.event, "command");
    hook.place = Some(reader.place_of(prop.name.range()));
    reader.config.hooks.push(hook);
}

/// Why Codex takes none of a file's hooks.
struct Fault {
    /// Where it gives up; in TOML where the hooks begin.
    place: Place,
    /// Its reason.
    message: String,
}

/// What of the file Codex does not take.
fn fault(document: &Document<'_>, root: &Object<'_>) -> Option<Fault> {
    if document.is_toml() {
        let hooks = first_member(root, "hooks")?;
        let error = serde_json::from_value::<Events>(json(&hooks.value)).err()?;
        return Some(Fault { place: document.place(hooks.value.range()), message: error.to_string() });
    }
    if document.has_byte_order_mark() {
        let place = document.place(root.range);
        return Some(Fault {
            place,
            message: "it begins with a byte order mark: save it as UTF-8 without one".to_owned(),
        });
    }
    let error = serde_json::from_str::<File>(document.whole()).err()?;
    let message = error.to_string();
    let at = format!(" at line {} column {}", error.line(), error.column());
    let message = message.strip_suffix(&at).unwrap_or(&message).to_owned();
    // It counts bytes, and gives the last one that it read.
    Some(Fault {
        place: Place { line: error.line().max(1), column: error.column().max(1), ..document.place(root.range) },
        message,
    })
}

/// A file's top: no other key may stand there.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default, rename = "description")]
    _description: Option<String>,
    #[serde(default, rename = "hooks")]
    _hooks: Events,
}

/// Other events are passed over.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
struct Events {
    pre_tool_use: Vec<Group>,
    permission_request: Vec<Group>,
    post_tool_use: Vec<Group>,
    pre_compact: Vec<Group>,
    post_compact: Vec<Group>,
    session_start: Vec<Group>,
    session_end: Vec<Group>,
    user_prompt_submit: Vec<Group>,
    subagent_start: Vec<Group>,
    subagent_stop: Vec<Group>,
    stop: Vec<Group>,
    interrupt: Vec<Group>,
    pre_model_request: Vec<Group>,
    post_model_request: Vec<Group>,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "only whether they can be read counts")]
struct Group {
    #[serde(default)]
    matcher: Option<String>,
    #[serde(default)]
    hooks: Vec<Hook>,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[expect(dead_code, reason = "only whether they can be read counts")]
enum Hook {
    Command {
        command: String,
        #[serde(default, rename = "commandWindows", alias = "command_windows")]
        command_windows: Option<String>,
        #[serde(default)]
        timeout: Option<u64>,
        #[serde(default)]
        r#async: bool,
        #[serde(default, rename = "statusMessage")]
        status_message: Option<String>,
        #[serde(default, rename = "additionalContextLimit")]
        additional_context_limit: Option<u64>,
    },
    McpTool {
        server: String,
        tool: String,
        #[serde(default)]
        input: Option<IgnoredAny>,
        #[serde(default)]
        timeout: Option<u64>,
        #[serde(default, rename = "statusMessage")]
        status_message: Option<String>,
    },
    Prompt {},
    Agent {},
}

/// The tree of a TOML file's hooks. It is not deeper than the parser lets it be, and no key stands there twice.
fn json(value: &Value<'_>) -> serde_json::Value {
    match value {
        Value::StringLit(text) => text.value.clone().into_owned().into(),
        Value::NumberLit(number) => {
            let digits = number.value.replace('_', "");
            let whole = digits.parse::<i64>().map(Number::from).ok();
            // What is written in another base is whole, too.
            let is_whole = !digits.contains('.') && digits.starts_with("0");
            let number = whole.or_else(|| is_whole.then(|| Number::from(1)));
            number
                .or_else(|| digits.parse().ok().and_then(Number::from_f64))
                .map_or(serde_json::Value::Null, Into::into)
        }
        Value::BooleanLit(value) => value.value.into(),
        Value::Object(object) => {
            let members = object.properties.iter().map(|prop| (prop.name.as_str().to_owned(), json(&prop.value)));
            members.collect::<Map<_, _>>().into()
        }
        Value::Array(array) => array.elements.iter().map(json).collect::<Vec<_>>().into(),
        Value::NullKeyword(_) => serde_json::Value::Null,
    }
}
