//! Whether Codex runs the lines of hookshell's. It keeps a hash of each hook that the user has trusted in the user's `config.toml`, and
//! skips a hook that has another one: so after each `install`. It also keeps which hooks are switched off, by their place: a line that
//! comes to stand where such a hook stood is off.
//!
//! Source: codex-rs, `hooks/src/engine/discovery.rs` and `config/src/fingerprint.rs`; the hashes of the test are those that `hooks/list`
//! of `codex app-server` 0.169.0 gave.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Map, Value as Json, json};
use sha2::{Digest, Sha256};
use toml_edit::{Document, Item};

/// What Codex takes where a hook says nothing, in seconds.
const TIMEOUT: u64 = 600;

/// What Codex remembers of hooks, by `FILE:EVENT:GROUP:HOOK`.
#[derive(Debug, Default)]
pub(crate) struct States(BTreeMap<String, HookState>);

/// What Codex remembers of a hook.
#[derive(Debug)]
struct HookState {
    /// The hash of the hook that the user has trusted.
    trusted_hash: Option<String>,
    /// `false`: the user has switched off what stands at this place.
    is_enabled: bool,
}

/// What Codex makes of the lines of hookshell's of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Lines {
    pub(crate) are_trusted: bool,
    pub(crate) are_enabled: bool,
}

impl States {
    /// As the user's `config.toml` has it. One that cannot be read trusts nothing, as for Codex.
    pub(crate) fn read(text: &str) -> Self {
        let Ok(document) = Document::parse(text) else { return Self::default() };
        let states = |item: &Item| -> Option<Vec<(String, HookState)>> {
            let table = item.as_table_like()?.get("state")?.as_table_like()?;
            let state = |item: &Item| {
                let state = item.as_table_like()?;
                let trusted_hash = state.get("trusted_hash").and_then(Item::as_str).map(str::to_owned);
                Some(HookState {
                    trusted_hash,
                    is_enabled: state.get("enabled").and_then(Item::as_bool) != Some(false),
                })
            };
            Some(table.iter().filter_map(|(key, item)| Some((key.to_owned(), state(item)?))).collect())
        };
        Self(document.as_table().get("hooks").and_then(states).unwrap_or_default().into_iter().collect())
    }

    /// Every line of hookshell's, as `is_line` knows it, among the groups of an event. `None`: there is no line.
    pub(crate) fn of_lines(
        &self,
        config: &Path,
        event: &str,
        groups: &[Json],
        is_line: impl Fn(&str) -> bool,
    ) -> Option<Lines> {
        let mut found = None;
        for (group_index, group) in groups.iter().enumerate() {
            let hooks = group.get("hooks").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
            for (hook_index, hook) in hooks.iter().enumerate() {
                if !hook.get("command").and_then(Json::as_str).is_some_and(&is_line) {
                    continue;
                }
                let key = format!("{}:{}:{group_index}:{hook_index}", config.display(), snake(event));
                let state = self.0.get(&key);
                let trusted = state.and_then(|state| state.trusted_hash.as_deref());
                let lines = found.get_or_insert(Lines { are_trusted: true, are_enabled: true });
                lines.are_trusted &= trusted.is_some_and(|trusted| trusted == hash(event, hook));
                lines.are_enabled &= state.is_none_or(|state| state.is_enabled);
            }
        }
        found
    }
}

/// The hash of a hook whose group has no matcher, as a line's has none: of its canonical JSON, whose keys are in order.
fn hash(event: &str, hook: &Json) -> String {
    let mut handler = Map::new();
    handler.insert("async".to_owned(), Json::Bool(false));
    handler.insert("command".to_owned(), hook.get("command").cloned().unwrap_or_default());
    if let Some(message) = hook.get("statusMessage").filter(|message| message.is_string()) {
        handler.insert("statusMessage".to_owned(), message.clone());
    }
    let timeout = hook.get("timeout").and_then(Json::as_u64).unwrap_or(TIMEOUT).max(1);
    handler.insert("timeout".to_owned(), json!(timeout));
    handler.insert("type".to_owned(), json!("command"));
    let mut identity = Map::new();
    identity.insert("event_name".to_owned(), json!(snake(event)));
    identity.insert("hooks".to_owned(), json!([handler]));
    let mut text = "sha256:".to_owned();
    for byte in Sha256::digest(Json::Object(identity).to_string().as_bytes()) {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// `pre_tool_use` of `PreToolUse`.
fn snake(event: &str) -> String {
    let mut name = String::new();
    for letter in event.chars() {
        if letter.is_ascii_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.push(letter.to_ascii_lowercase());
    }
    name
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::json;

    use super::{Lines, States, hash};

    const LINE: &str = "hookshell run PreToolUse --dialect codex --output codex --config ~/.codex/hookshell/hooks.json";
    fn is_line(command: &str) -> bool {
        command == LINE
    }

    const HASH: &str = "sha256:38a60b7587dcba4cfd7491685bec2f40f6b00e45c65ea4b9d0fe0d289707b0e5";

    #[test]
    fn the_hash_of_a_hook_is_codexs() {
        let hook = json!({ "type": "command", "command": LINE, "commandWindows": "x y", "timeout": 15 });
        assert_eq!(hash("PreToolUse", &hook), HASH);
        let of_default = "sha256:b4f5d92cf8d9d7805c64e06a8543e27a7a478a8cf4ce5aa54ff7c1d014ae9f38";
        assert_eq!(hash("Stop", &json!({ "type": "command", "command": "echo s" })), of_default);
    }

    #[test]
    fn a_line_is_trusted_by_its_place_and_its_hash() {
        let line = json!({ "type": "command", "command": LINE, "timeout": 15 });
        let other = json!({ "hooks": [{ "type": "command", "command": "echo hi" }] });
        let groups = [other.clone(), json!({ "hooks": [line] })];
        let config = Path::new("/h/.codex/hooks.json");
        let of = |state: &str, key: &str| {
            let text = format!("model = \"x\"\n[hooks.state.\"/h/.codex/hooks.json:{key}\"]\n{state}\n");
            States::read(&text).of_lines(config, "PreToolUse", &groups, is_line)
        };
        let lines = |are_trusted: bool, are_enabled: bool| Some(Lines { are_trusted, are_enabled });
        let trusted = format!("trusted_hash = \"{HASH}\"");
        assert_eq!(of(&trusted, "pre_tool_use:1:0"), lines(true, true));
        assert_eq!(of(&trusted, "pre_tool_use:0:0"), lines(false, true));
        assert_eq!(of("trusted_hash = \"sha256:00\"", "pre_tool_use:1:0"), lines(false, true));
        assert_eq!(of(&format!("{trusted}\nenabled = true"), "pre_tool_use:1:0"), lines(true, true));
        assert_eq!(of(&format!("{trusted}\nenabled = false"), "pre_tool_use:1:0"), lines(true, false));
        assert_eq!(of("enabled = false", "pre_tool_use:1:0"), lines(false, false));
        assert_eq!(of("enabled = false", "pre_tool_use:0:0"), lines(false, true));
        assert_eq!(States::read("no = [toml").of_lines(config, "PreToolUse", &groups, is_line), lines(false, true));
        assert_eq!(States::default().of_lines(config, "PreToolUse", &[other], is_line), None);
    }
}
