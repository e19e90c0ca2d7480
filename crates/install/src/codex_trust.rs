//! Whether Codex trusts the lines of hookshell's. It keeps a hash of each hook that the user has trusted in the user's `config.toml`, and
//! skips a hook that has another one: so after each `install`.
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

/// What the user trusts: the hash of each hook that has one, by `FILE:EVENT:GROUP:HOOK`.
#[derive(Debug, Default)]
pub(crate) struct Trusted(BTreeMap<String, String>);

impl Trusted {
    /// As the user's `config.toml` has it. One that cannot be read trusts nothing, as for Codex.
    pub(crate) fn read(text: &str) -> Self {
        let Ok(document) = Document::parse(text) else { return Self::default() };
        let state = |item: &Item| -> Option<Vec<(String, String)>> {
            let table = item.as_table_like()?.get("state")?.as_table_like()?;
            let hash = |item: &Item| Some(item.as_table_like()?.get("trusted_hash")?.as_str()?.to_owned());
            Some(table.iter().filter_map(|(key, item)| Some((key.to_owned(), hash(item)?))).collect())
        };
        Self(document.as_table().get("hooks").and_then(state).unwrap_or_default().into_iter().collect())
    }

    /// Is every line of hookshell's, as `is_line` knows it, among the groups of an event trusted? `None`: there is no line.
    pub(crate) fn has_lines(
        &self,
        config: &Path,
        event: &str,
        groups: &[Json],
        is_line: impl Fn(&str) -> bool,
    ) -> Option<bool> {
        let mut are_trusted = None;
        for (group_index, group) in groups.iter().enumerate() {
            let hooks = group.get("hooks").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
            for (hook_index, hook) in hooks.iter().enumerate() {
                if !hook.get("command").and_then(Json::as_str).is_some_and(&is_line) {
                    continue;
                }
                let key = format!("{}:{}:{group_index}:{hook_index}", config.display(), snake(event));
                let is_trusted = self.0.get(&key).is_some_and(|trusted| *trusted == hash(event, hook));
                are_trusted = Some(are_trusted.unwrap_or(true) && is_trusted);
            }
        }
        are_trusted
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

    use super::{Trusted, hash};

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
        let of = |hash: &str, key: &str| {
            let text =
                format!("model = \"x\"\n[hooks.state.\"/h/.codex/hooks.json:{key}\"]\ntrusted_hash = \"{hash}\"\n");
            Trusted::read(&text).has_lines(config, "PreToolUse", &groups, is_line)
        };
        assert_eq!(of(HASH, "pre_tool_use:1:0"), Some(true));
        assert_eq!(of(HASH, "pre_tool_use:0:0"), Some(false));
        assert_eq!(of("sha256:00", "pre_tool_use:1:0"), Some(false));
        assert_eq!(Trusted::read("no = [toml").has_lines(config, "PreToolUse", &groups, is_line), Some(false));
        assert_eq!(Trusted::default().has_lines(config, "PreToolUse", &[other], is_line), None);
    }
}
