//! The files that are searched for in a directory, or handed over.

use serde_json::Value;

use crate::called::{check, shells, write};
use crate::support::{hookshell, workspace};

#[test]
fn a_directory_is_checked_with_the_configs_and_scripts_in_it() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    shells(dir);
    std::fs::create_dir_all(dir.join("p/.claude/hooks")).unwrap();
    std::fs::create_dir_all(dir.join("p/node_modules")).unwrap();
    std::fs::create_dir_all(dir.join("empty")).unwrap();
    write(dir, "p/crush.json", r#"{"hooks":{"PreToolUse":[{"command":"fi"}]}}"#);
    write(dir, "p/.claude/settings.json", r#"{"hooks":{"Stp":[]}}"#);
    write(dir, "p/.claude/hooks/a.sh", "if\n");
    write(dir, "p/.claude/hooks/b", "#!/bin/sh\nfi\n");
    write(dir, "p/.claude/hooks/c.py", "x = = 1\n");
    write(dir, "p/.claude/hooks/d", "#!/bin/rbash\nfi\n");
    write(dir, "p/node_modules/d.sh", "if\n");
    let found = |args: &[&str]| {
        let output = check(dir, &[&["--json"], args].concat());
        let report: Value = serde_json::from_str(&output.stdout).unwrap();
        let files = report["files"].as_array().unwrap().iter();
        files.map(|file| file.as_str().unwrap().replace('\\', "/")).collect::<Vec<_>>()
    };
    let scripts = ["p/.claude/hooks/a.sh", "p/.claude/hooks/b", "p/.claude/hooks/d"];
    assert_eq!(found(&["p"]), [&["p/.claude/settings.json", "p/crush.json"], &scripts[..]].concat());
    assert_eq!(found(&["p/.claude"]), [&["p/.claude/settings.json"], &scripts[..]].concat());
    assert_eq!(check(dir, &["p"]).code, Some(1));
    assert_eq!(check(dir, &["empty"]).code, Some(66));
}

/// Of each agent's configs in a project, by the hook of pre-commit that checks them.
#[test]
fn pre_commit_hands_over_every_agents_config() {
    let hooks = std::fs::read_to_string(workspace(".pre-commit-hooks.yaml")).unwrap();
    let patterns: Vec<&str> =
        hooks.lines().filter_map(|line| line.trim().strip_prefix("files: '")?.strip_suffix('\'')).collect();
    assert_eq!(patterns.len(), 2, "{hooks}");
    let dir = tempfile::tempdir().unwrap();
    let matches = |pattern: &str, path: &str| {
        let code = "printf '%s\\n' \"$2\" | grep -Eq -e \"$1\"";
        hookshell(["sh", "-c", code, "sh", pattern, path]).cwd(dir.path()).output().code == Some(0)
    };
    let project = dir.path().canonicalize().unwrap();
    let configs = hookshell_runner::Dialect::ALL.into_iter().flat_map(|dialect| {
        for directory in [".github/hooks", ".claude", ".codex", ".gemini", ".cursor", ".qwen", ".github/copilot"] {
            std::fs::create_dir_all(project.join(directory)).unwrap();
            for name in ["settings.json", "settings.local.json", "hooks.json", "config.toml"] {
                std::fs::write(project.join(directory).join(name), "{}").unwrap();
            }
        }
        for name in ["crush.json", ".crush.json"] {
            std::fs::write(project.join(name), "{}").unwrap();
        }
        dialect.discover(&project, |_| None)
    });
    let mut seen = 0;
    for config in configs {
        let Ok(path) = config.path.strip_prefix(&project) else { continue };
        let path = path.to_string_lossy().replace('\\', "/");
        seen += 1;
        assert!(patterns.iter().all(|pattern| matches(pattern, &path)), "{path}");
    }
    assert!(seen >= 10, "{seen}");
    assert!(matches(patterns[0], "a/.claude/hooks/x.sh") && !matches(patterns[0], "src/x.sh"));
    assert!(matches(patterns[1], "a/x.hooktest.json") && !matches(patterns[1], "package.json"));
}
