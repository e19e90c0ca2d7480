//! Where each agent's configs are.

use std::path::Path;

use super::input;
use crate::config::{Config, FoundFile, Origin};
use crate::dialect::Dialect::{self, Claude, Codex, Copilot, Cursor, Gemini, Native};
use crate::event::Event;
use hookshell_dispatch::Environment;

/// The files that are found, by their paths below the directory, and whether each is the project's.
fn found(dialect: Dialect, dir: &Path) -> Vec<(String, bool)> {
    let home = dir.join("home");
    let env = |name: &str| matches!(name, "HOME" | "USERPROFILE").then(|| home.clone().into_os_string());
    let files = dialect.discover(&dir.join("project"), env);
    // What an administrator has put on this machine is none of the test's.
    let below = |path: &Path| Some(path.strip_prefix(dir).ok()?.to_string_lossy().replace('\\', "/"));
    files.iter().filter_map(|file| Some((below(&file.path)?, file.origin == Origin::Project))).collect()
}

/// Writes a file below a directory, and the directories that it stands in.
fn write_below(directory: &Path, path: &str, text: &str) {
    let path = directory.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

#[test]
fn files_are_found_in_the_order_of_their_precedence() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let write = |path: &str, text: &str| write_below(dir, path, text);
    assert_eq!(found(Claude, dir), []);
    let plugin = dir.join("home").join("plugins").join("tidy");
    let installed = serde_json::json!({ "version": 2, "plugins": {
        "tidy@market": [{ "scope": "user", "installPath": plugin }],
        "off@market": [{ "scope": "user", "installPath": dir.join("home/plugins/off") }],
        "theirs@market": [{ "scope": "project", "installPath": dir.join("home/plugins/theirs") }],
    }});
    write("home/.claude/plugins/installed_plugins.json", &installed.to_string());
    write("home/.claude/settings.json", r#"{"enabledPlugins":{"tidy@market":true,"off@market":false}}"#);
    write("home/plugins/tidy/hooks/hooks.json", "{}");
    write("home/plugins/off/hooks/hooks.json", "{}");
    write("home/plugins/theirs/hooks/hooks.json", "{}");
    // A project neither switches the user's plugins off, nor on as the user's.
    let theirs = r#"{"enabledPlugins":{"tidy@market":false,"off@market":true,"theirs@market":true}}"#;
    write("project/.claude/settings.json", theirs);
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
        "project/.github/hooks/.hidden.json",
        "project/.github/hooks/UPPER.JSON",
        "project/.github/hooks/below/c.json",
        "project/.github/copilot/settings.json",
        "home/.copilot/settings.json",
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
                ("home/plugins/off/hooks/hooks.json", true),
                ("home/plugins/theirs/hooks/hooks.json", true),
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
                ("home/.copilot/settings.json", false),
                ("project/.github/hooks/b.json", true),
                ("project/.github/hooks/a.json", true),
                ("project/.github/hooks/below/c.json", true),
                ("project/.claude/settings.json", true),
                ("project/.claude/settings.local.json", true),
                ("project/.github/copilot/settings.json", true),
            ],
        ),
    ];
    for (dialect, expected) in cases {
        let expected: Vec<(String, bool)> = expected.iter().map(|(path, own)| ((*path).to_owned(), *own)).collect();
        assert_eq!(found(dialect, dir), expected, "{dialect}");
    }
}

#[test]
fn whose_a_file_is_does_not_depend_on_where_the_working_directory_is() {
    let root = tempfile::tempdir().unwrap();
    let root = root.path();
    let home = root.join("users").join("u");
    for file in [
        ".claude/settings.json",
        ".codex/hooks.json",
        ".gemini/settings.json",
        ".cursor/hooks.json",
        ".copilot/hooks/a.json",
    ] {
        let file = home.join(file);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, "{}").unwrap();
    }
    let env = |name: &str| matches!(name, "HOME" | "USERPROFILE").then(|| home.clone().into_os_string());
    #[cfg_attr(not(unix), allow(unused_mut, reason = "only Unix adds to them"))]
    let mut projects =
        vec![Path::new("/").to_owned(), root.to_owned(), root.join("users"), home.clone(), home.join(".claude")];
    #[cfg(unix)]
    {
        // The home directory by another name.
        std::os::unix::fs::symlink(&home, root.join("link")).unwrap();
        projects.push(root.join("link"));
    }
    for dialect in [Claude, Codex, Gemini, Cursor, Copilot] {
        for project in &projects {
            let found = dialect.discover(project, env);
            let own = |files: Vec<FoundFile>| -> Vec<FoundFile> {
                files.into_iter().filter(|file| file.origin == Origin::User && file.path.starts_with(root)).collect()
            };
            assert_eq!(own(found.clone()).len(), 1, "{dialect} in {project:?}: {found:?}");
            assert_eq!(own(found), own(dialect.discover_own(env)), "{dialect} in {project:?}");
        }
    }
}

#[test]
fn gemini_runs_the_hooks_of_installed_and_of_linked_extensions() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let write = |path: &str, text: &str| write_below(dir, path, text);
    let hooks = r#"{"hooks":{"BeforeTool":[{"hooks":[{"type":"command","command":"${extensionPath}${/}guard.sh ${workspacePath} $HOME ${HOME}"}]}]}}"#;
    write("home/.gemini/extensions/tidy/hooks/hooks.json", hooks);
    write("own/guard/hooks/hooks.json", hooks);
    let source = serde_json::to_string(&dir.join("own").join("guard")).unwrap();
    write(
        "home/.gemini/extensions/linked/.gemini-extension-install.json",
        &format!(r#"{{"type":"link","source":{source}}}"#),
    );
    // One that is not linked is where it stands, whatever its source was.
    write(
        "home/.gemini/extensions/tidy/.gemini-extension-install.json",
        r#"{"type":"git","source":"https://x.example"}"#,
    );
    write("home/.gemini/extensions/bare/gemini-extension.json", "{}");
    let env = |name: &str| matches!(name, "HOME" | "USERPROFILE").then(|| dir.join("home").into_os_string());
    let files = Gemini.discover(&dir.join("project"), env);
    // What an administrator has put on this machine is none of the test's.
    let files: Vec<FoundFile> = files.into_iter().filter(|file| file.path.starts_with(dir)).collect();
    let below = |path: &Path| path.strip_prefix(dir).unwrap().to_string_lossy().replace('\\', "/");
    let found: Vec<String> = files.iter().map(|file| format!("{} {:?}", below(&file.path), file.origin)).collect();
    assert_eq!(found, ["own/guard/hooks/hooks.json User", "home/.gemini/extensions/tidy/hooks/hooks.json User"]);

    let mut config = Config::default();
    for file in &files {
        assert!(config.add_found(file).is_empty());
    }
    let hook = &config.hooks()[0];
    let event = Event::pre_tool_use("run_shell_command", input("{}"), dir.join("project"));
    let put_in = Gemini.contract().put_in(hook, &event, &Environment::new());
    let command =
        put_in.iter().fold(hook.command.clone(), |text, (key, value)| text.replace(&format!("${{{key}}}"), value));
    let guard = dir.join("own").join("guard").join("guard.sh");
    let project = dir.join("project");
    assert_eq!(command, format!("{} {} $HOME ${{HOME}}", guard.display(), project.display()));
}

#[test]
fn a_plugin_of_claude_codes_names_more_files_of_hooks() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let write = |path: &str, text: &str| write_below(dir, path, text);
    let hooks = r#"{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"x"}]}]}}"#;
    let manifests = [
        ("standard", r#""./hooks/hooks.json""#),
        ("one", r#""./own/guards.json""#),
        ("several", r#"["./own/guards.json","./own/more.json","./own/none.json","../outside.json","/etc/hooks.json"]"#),
        ("inside", r#"{"PreToolUse":[{"hooks":[{"type":"command","command":"x"}]}]}"#),
    ];
    let mut plugins = serde_json::Map::new();
    let mut enabled = serde_json::Map::new();
    write("plugins/outside.json", hooks);
    for (name, said) in manifests {
        write(
            &format!("plugins/{name}/.claude-plugin/plugin.json"),
            &format!(r#"{{"name":"{name}","version":"1","hooks":{said}}}"#),
        );
        for file in ["hooks/hooks.json", "own/guards.json", "own/more.json"] {
            write(&format!("plugins/{name}/{file}"), hooks);
        }
        plugins.insert(format!("{name}@m"), serde_json::json!([{ "installPath": dir.join("plugins").join(name) }]));
        enabled.insert(format!("{name}@m"), true.into());
    }
    write("home/.claude/plugins/installed_plugins.json", &serde_json::json!({ "plugins": plugins }).to_string());
    write("home/.claude/settings.json", &serde_json::json!({ "enabledPlugins": enabled }).to_string());
    let mut found: Vec<String> =
        found(Claude, dir).into_iter().map(|(file, _)| file).filter(|file| file.starts_with("plugins")).collect();
    found.sort();
    assert_eq!(
        found,
        [
            "plugins/inside/.claude-plugin/plugin.json",
            "plugins/inside/hooks/hooks.json",
            "plugins/one/hooks/hooks.json",
            "plugins/one/own/guards.json",
            "plugins/several/hooks/hooks.json",
            "plugins/several/own/guards.json",
            "plugins/several/own/more.json",
            "plugins/standard/hooks/hooks.json",
        ]
    );
    for file in found {
        let mut config = Config::in_dialect(Some(Claude));
        assert!(config.add_found(&FoundFile::new(dir.join(&file), Origin::User)).is_empty(), "{file}");
        assert_eq!((config.hooks().len(), config.warnings().len()), (1, 0), "{file}: {:?}", config.warnings());
        let root: std::path::PathBuf = Path::new(&file).components().take(2).collect();
        assert_eq!(config.hooks()[0].plugin_root, Some(dir.join(root)), "{file}");
    }
}
