//! Where each agent's configs are.

use std::path::Path;

use super::super::Dialect::{self, Claude, Codex, Copilot, Cursor, Gemini, Native};
use crate::config::Origin;

/// The files that are found, by their paths below the folder, and whether each is the project's.
fn found(dialect: Dialect, folder: &Path) -> Vec<(String, bool)> {
    let home = folder.join("home");
    let env = |name: &str| matches!(name, "HOME" | "USERPROFILE").then(|| home.clone().into_os_string());
    let files = dialect.discover(&folder.join("project"), env);
    // What an administrator has put on this machine is none of the test's.
    let below = |path: &Path| Some(path.strip_prefix(folder).ok()?.to_string_lossy().replace('\\', "/"));
    files.iter().filter_map(|file| Some((below(&file.path)?, file.origin == Origin::Project))).collect()
}

#[test]
fn files_are_found_in_the_order_of_their_precedence() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let write = |path: &str, text: &str| {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    assert_eq!(found(Claude, folder), []);
    let plugin = folder.join("home").join("plugins").join("tidy");
    let installed = serde_json::json!({ "version": 2, "plugins": {
        "tidy@market": [{ "scope": "user", "installPath": plugin }],
        "off@market": [{ "scope": "user", "installPath": folder.join("home/plugins/off") }],
    }});
    write("home/.claude/plugins/installed_plugins.json", &installed.to_string());
    write("home/.claude/settings.json", r#"{"enabledPlugins":{"tidy@market":true,"off@market":true}}"#);
    write("home/plugins/tidy/hooks/hooks.json", "{}");
    write("home/plugins/off/hooks/hooks.json", "{}");
    write("project/.claude/settings.json", r#"{"enabledPlugins":{"off@market":false}}"#);
    for file in [
        "project/.claude/settings.local.json",
        "home/.codex/hooks.json",
        "home/.codex/config.toml",
        "project/.codex/config.toml",
        "home/.gemini/settings.json",
        "project/.gemini/settings.json",
        "home/.cursor/hooks.json",
        "project/.cursor/hooks.json",
        "home/.copilot/hooks/a.json",
        "project/.github/hooks/b.json",
        "project/.github/hooks/a.json",
        "project/.github/hooks/notes.md",
        "project/crush.json",
    ] {
        write(file, "{}");
    }
    type Case = (Dialect, &'static [(&'static str, bool)]);
    let cases: [Case; 6] = [
        (Native, &[("project/crush.json", true)]),
        (
            Claude,
            &[
                ("home/plugins/tidy/hooks/hooks.json", false),
                ("home/.claude/settings.json", false),
                ("project/.claude/settings.json", true),
                ("project/.claude/settings.local.json", true),
            ],
        ),
        (
            Codex,
            &[
                ("home/.codex/hooks.json", false),
                ("home/.codex/config.toml", false),
                ("project/.codex/config.toml", true),
            ],
        ),
        (Gemini, &[("home/.gemini/settings.json", false), ("project/.gemini/settings.json", true)]),
        (Cursor, &[("home/.cursor/hooks.json", false), ("project/.cursor/hooks.json", true)]),
        (
            Copilot,
            &[
                ("home/.copilot/hooks/a.json", false),
                ("project/.github/hooks/a.json", true),
                ("project/.github/hooks/b.json", true),
                ("project/.claude/settings.json", true),
                ("project/.claude/settings.local.json", true),
            ],
        ),
    ];
    for (dialect, expected) in cases {
        let expected: Vec<(String, bool)> = expected.iter().map(|(path, own)| ((*path).to_owned(), *own)).collect();
        assert_eq!(found(dialect, folder), expected, "{dialect}");
    }
}
