//! Files that a rule is for, by other names.

use serde_json::json;

use super::{Condition, Event, ToolInput};

fn holds_at(
    rule: &str,
    tool: &str,
    input: &serde_json::Value,
    cwd: &std::path::Path,
    project: &std::path::Path,
) -> bool {
    let event = Event::pre_tool_use(tool, ToolInput::parse(&input.to_string()).unwrap(), cwd).with_project_dir(project);
    rule.parse::<Condition>().unwrap().holds(&event, &[])
}

/// Whether a rule is for a command line in a directory, by the variables that commands have.
#[cfg(unix)]
fn runs_with(env: &[(&str, &str)], rule: &str, line: &str, cwd: &std::path::Path) -> bool {
    let env: Vec<_> = env.iter().map(|(name, value)| (name.into(), value.into())).collect();
    let input = ToolInput::parse(&json!({ "command": line }).to_string()).unwrap();
    rule.parse::<Condition>().unwrap().holds(&Event::pre_tool_use("bash", input, cwd), &env)
}

#[cfg(unix)]
struct Project {
    directory: tempfile::TempDir,
}

#[cfg(unix)]
impl Project {
    fn new() -> Self {
        use std::os::unix::fs::symlink;

        let directory = tempfile::tempdir().unwrap();
        let at = |path: &str| directory.path().join(path);
        for path in ["w/secrets/deep", "w/src/a/b", "vault", "w/sub", "elsewhere"] {
            std::fs::create_dir_all(at(path)).unwrap();
        }
        for path in ["w/secrets/key", "w/secrets/deep/key", "w/src/main.rs", "vault/key", "elsewhere/x", "w/.env"] {
            std::fs::write(at(path), "x").unwrap();
        }
        symlink("secrets/key", at("w/link")).unwrap();
        symlink("../secrets", at("w/src/dir")).unwrap();
        symlink(at("w/link"), at("w/src/link")).unwrap();
        symlink("secrets/new", at("w/dangling")).unwrap();
        symlink(at("w"), at("elsewhere/w")).unwrap();
        symlink(at("vault"), at("w/store")).unwrap();
        symlink("a/b", at("w/src/ab")).unwrap();
        // It leads elsewhere in each process.
        symlink("/proc/self/cwd", at("w/src/here")).unwrap();
        symlink("loop", at("w/loop")).unwrap();
        std::fs::hard_link(at("w/secrets/key"), at("w/src/hard")).unwrap();
        Self { directory }
    }

    fn at(&self, path: &str) -> String {
        self.directory.path().join(path).to_str().unwrap().to_owned()
    }

    fn holds(&self, rule: &str, tool: &str, input: &serde_json::Value) -> bool {
        let cwd = self.directory.path().join("w");
        holds_at(rule, tool, input, &cwd, &cwd)
    }
}

#[cfg(unix)]
#[test]
fn a_file_is_one_of_the_rules_by_whatever_name() {
    let project = Project::new();
    let rest = project.at("w/secrets/key").trim_start_matches('/').to_owned();
    let evasions = [
        "secrets/key".to_owned(),
        "./secrets/key".to_owned(),
        "src/../secrets/key".to_owned(),
        "secrets//key".to_owned(),
        "secrets/./key".to_owned(),
        "secrets/key/".to_owned(),
        "secrets/new".to_owned(),
        "secrets".to_owned(),
        "secrets/".to_owned(),
        " secrets/key\n".to_owned(),
        "\"secrets/key\"".to_owned(),
        project.at("w/secrets/key"),
        project.at("w/sub/../secrets/key"),
        format!("/{}", project.at("w/secrets/key")),
        // Links.
        "link".to_owned(),
        "src/link".to_owned(),
        "src/dir/key".to_owned(),
        "src/dir/new/file".to_owned(),
        "src/ab/../../dir/key".to_owned(),
        "src/ab/../../../secrets/key".to_owned(),
        "dangling".to_owned(),
        "loop/x".to_owned(),
        project.at("elsewhere/w/secrets/key"),
        project.at("elsewhere/w/src/dir/key"),
        "src/hard".to_owned(),
        // What the system has for a directory.
        "/proc/self/cwd/secrets/key".to_owned(),
        "src/here/secrets/key".to_owned(),
        "@secrets/key".to_owned(),
        "/proc/self/cwd/src/../secrets/key".to_owned(),
        format!("/proc/{}/cwd/secrets/key", std::process::id()),
        format!("/proc/self/root/{rest}"),
        format!("/proc/thread-self/root/{rest}"),
        format!("/proc/self/task/1/root/{rest}"),
        "/dev/fd/3".to_owned(),
        "/proc/self/fd/3".to_owned(),
        // URLs and variables.
        format!("file:///{rest}"),
        format!("FILE://localhost/{rest}"),
        format!("file:/{rest}"),
        format!("file:///{}", rest.replace("secrets", "s%65crets")),
        format!("file:///{rest}?x#y"),
        "secrets%2fkey".to_owned(),
        "vscode://file/x".to_owned(),
        "~other/secrets/key".to_owned(),
        "$PWD/secrets/key".to_owned(),
        "${X}/key".to_owned(),
        "secrets/a\\..\\..\\x".to_owned(),
        "src\\..\\secrets\\key".to_owned(),
    ];
    for path in &evasions {
        assert!(project.holds("Read(secrets/**)", "read", &json!({ "file_path": path })), "{path}");
    }
    // The rule's own directory is a link.
    assert!(project.holds("Read(store/**)", "read", &json!({"file_path": project.at("vault/key")})));
    assert!(project.holds("Read(.env)", "read", &json!({"file_path": project.at("elsewhere/w/.env")})));
    println!("paths that evade Read(secrets/**): {} of {} run the hook", evasions.len(), evasions.len());
}

#[cfg(unix)]
#[test]
fn other_files_are_filtered() {
    let project = Project::new();
    let plain = [
        "src/main.rs".to_owned(),
        "README.md".to_owned(),
        "src/new.rs".to_owned(),
        "src/a/b/secrets.rs".to_owned(),
        "src/secrets/x.rs".to_owned(),
        "secretsx/a".to_owned(),
        "app/routes/$id.tsx".to_owned(),
        "a b/c%d.txt".to_owned(),
        project.at("w/src/main.rs"),
        project.at("elsewhere/x"),
        project.at("vault/key"),
        "src/ab/x".to_owned(),
        "/etc/passwd".to_owned(),
        "/proc/meminfo".to_owned(),
        "../elsewhere/x".to_owned(),
    ];
    for path in &plain {
        assert!(!project.holds("Read(secrets/**)", "read", &json!({ "file_path": path })), "{path}");
    }
    println!("other paths: {} of {} are filtered", plain.len(), plain.len());
}

#[cfg(unix)]
#[test]
fn every_member_that_is_a_path_counts() {
    let project = Project::new();
    for input in [
        json!({"notebook_path": "secrets/x.ipynb"}),
        json!({"path": "secrets/x"}),
        json!({"paths": ["src/a", "secrets/x"]}),
        json!({"file_path": "src/a", "path": "secrets/x"}),
        json!({"file_path": "src/a", "edits": [{"file_path": "secrets/x"}]}),
        json!({"path": "src/a", "files": ["secrets/x"]}),
        json!({"path": "src/a", "destination": "secrets/x"}),
        json!({"command": "view", "path": "secrets/x"}),
        json!({"filePath": "secrets/x"}),
        json!({"file_path": ["src/a"]}),
        json!({"file_path": 5}),
        json!({"file_path": {"x": 1}}),
        json!({}),
        json!({"other": "src/a"}),
    ] {
        assert!(project.holds("Edit(secrets/**)", "edit", &input), "{input}");
    }
    for input in [
        json!({"file_path": "src/a"}),
        json!({"paths": ["src/a"]}),
        json!({"file_path": "src/a", "old_string": "secrets/x"}),
    ] {
        assert!(!project.holds("Edit(secrets/**)", "edit", &input), "{input}");
    }
    // Which of two members of the same name a tool takes is not known.
    for text in [r#"{"file_path":"secrets/x","file_path":"src/a"}"#, r#"{"file_path":"src/a","file_path":"secrets/x"}"#]
    {
        let event = Event::pre_tool_use("edit", ToolInput::parse(text).unwrap(), project.at("w"));
        assert!("Edit(secrets/**)".parse::<Condition>().unwrap().holds(&event, &[]), "{text}");
    }
    let event = Event::pre_tool_use("edit", ToolInput::parse(r#"{"file_path":"\ud800"}"#).unwrap(), project.at("w"));
    assert!("Edit(secrets/**)".parse::<Condition>().unwrap().holds(&event, &[]));
}

#[cfg(unix)]
#[test]
fn a_search_is_for_what_it_may_find() {
    let project = Project::new();
    for (tool, input) in [
        ("grep", json!({"pattern": "x"})),
        ("grep", json!({"pattern": "x", "path": "."})),
        ("grep", json!({"pattern": "x", "path": project.at("")})),
        ("grep", json!({"pattern": "x", "path": "secrets/deep"})),
        ("grep", json!({"pattern": "x", "path": "src/dir"})),
        ("grep", json!({"pattern": "x", "path": "src/../secrets"})),
        ("glob", json!({"pattern": "**/*"})),
        ("glob", json!({"pattern": "secrets/*"})),
        ("glob", json!({"pattern": "sec*/key"})),
        ("glob", json!({"pattern": "{secrets,src}/*"})),
        ("glob", json!({"pattern": "src/../secrets/*"})),
        ("glob", json!({"pattern": "*", "path": "secrets"})),
        ("glob", json!({"pattern": "../secrets/*", "path": "src"})),
        ("glob", json!({"pattern": project.at("w/secrets/*")})),
        ("ls", json!({"path": "."})),
        ("ls", json!({"path": "secrets"})),
    ] {
        let rule = format!("{tool}(secrets/**)");
        assert!(project.holds(&rule, tool, &input), "{tool} {input}");
    }
    for (tool, input) in [
        ("grep", json!({"pattern": "secrets/x", "path": "src/a"})),
        ("glob", json!({"pattern": "src/a/**/*.rs"})),
        ("glob", json!({"pattern": "*.rs", "path": "src/a"})),
        ("ls", json!({"path": "src/a"})),
        ("ls", json!({"path": "/etc"})),
    ] {
        let rule = format!("{tool}(secrets/**)");
        assert!(!project.holds(&rule, tool, &input), "{tool} {input}");
    }
}

#[cfg(unix)]
#[test]
fn a_link_to_a_program_is_that_program() {
    let project = Project::new();
    let at = |path: &str| project.directory.path().join(path);
    std::fs::write(at("elsewhere/guarded"), "#!/bin/sh\n").unwrap();
    std::os::unix::fs::symlink(at("elsewhere/guarded"), at("w/innocent")).unwrap();
    std::os::unix::fs::symlink(at("elsewhere"), at("w/bin")).unwrap();
    std::os::unix::fs::symlink("/bin/sh", at("w/x")).unwrap();
    for line in [
        "./innocent x",
        "w/innocent; ./innocent x",
        "sub/../innocent x",
        "cd sub && ../innocent x",
        "PATH=$PWD:. innocent x",
        "./x -c 'guarded x'",
    ] {
        assert!(project.holds("bash(guarded *)", "bash", &json!({ "command": line })), "{line}");
    }
    for line in ["./other x", "./bin/x y", "./sub/x"] {
        assert!(!project.holds("bash(guarded *)", "bash", &json!({ "command": line })), "{line}");
    }
}

#[cfg(unix)]
#[test]
fn a_command_that_git_does_not_have_may_be_an_alias() {
    let project = Project::new();
    let is_for = |line: &str| project.holds("bash(git push *)", "bash", &json!({ "command": line }));
    std::fs::create_dir(project.directory.path().join("w/.git")).unwrap();
    let config = project.directory.path().join("w/.git/config");
    std::fs::write(&config, "[core]\n\tbare = false\n").unwrap();
    assert!(!is_for("git p origin"));
    for text in ["[alias]\n\tp = push\n", "[alias] P=push", "[include]\n\tpath = x\n", "[Alias]\np\n"] {
        std::fs::write(&config, text).unwrap();
        assert!(is_for("git p origin"), "{text}");
        assert!(!is_for("git status"), "{text}");
    }
    // It may be a misspelt command that git corrects.
    std::fs::write(&config, "[help]\n\tautocorrect = immediate\n").unwrap();
    assert!(is_for("git psuh origin"));
}

/// The model may have put it there. Nobody writes into the FIFO, and the device has no end.
#[cfg(unix)]
#[test]
fn a_config_of_gits_that_cannot_be_read_may_have_any_alias() {
    use std::os::unix::fs::symlink;

    let project = Project::new();
    let is_for = |line: &str| project.holds("bash(git push *)", "bash", &json!({ "command": line }));
    let own = project.directory.path().join("w/.git");
    std::fs::create_dir(&own).unwrap();
    let config = own.join("config");
    let fifo = || assert!(std::process::Command::new("mkfifo").arg(&config).status().unwrap().success());
    let long = || std::fs::write(&config, vec![b'\n'; 2 * 1024 * 1024]).unwrap();
    let device = || symlink("/dev/zero", &config).unwrap();
    let directory = || std::fs::create_dir(&config).unwrap();
    let begin = std::time::Instant::now();
    for (what, make) in [("fifo", &fifo as &dyn Fn()), ("long", &long), ("device", &device), ("directory", &directory)]
    {
        make();
        assert!(is_for("git p origin"), "{what}");
        assert!(!is_for("git status"), "{what}");
        let gone = own.join(what);
        std::fs::rename(&config, gone).unwrap();
    }
    assert!(begin.elapsed().as_secs() < 10, "{:?}", begin.elapsed());
    // The same of a line that asks for it again and again.
    std::fs::write(&config, "#\n".repeat(500_000)).unwrap();
    let line = |count: usize| (0..count).map(|index| format!("git p{index}\n")).collect::<String>();
    assert!(!is_for(&line(3)));
    assert!(is_for(&line(2000)));
    assert!(begin.elapsed().as_secs() < 60, "{:?}", begin.elapsed());
    // Nobody's config is none.
    let plain = project.at("w/src");
    for global in ["/dev/null", ""] {
        let env = [("HOME", &*plain), ("GIT_CONFIG_GLOBAL", global)];
        let sub = project.directory.path().join("w/sub");
        assert!(!runs_with(&env, "bash(git push *)", "git p origin", &sub), "{global:?}");
    }
}

/// Those of the process that judges are another's.
#[cfg(unix)]
#[test]
fn gits_configs_are_where_the_variables_of_the_call_say() {
    let directory = tempfile::tempdir().unwrap();
    let at = |path: &str| directory.path().join(path).to_str().unwrap().to_owned();
    let alias = "[alias]\n\tp = push\n";
    for path in ["home/.config/git", "xdg/git", "w", "other", "git", "plain/.config/git"] {
        std::fs::create_dir_all(at(path)).unwrap();
    }
    for path in ["home/.gitconfig", "xdg/git/config", "w/global", "other/system", "git/config"] {
        std::fs::write(at(path), alias).unwrap();
    }
    std::fs::write(at("plain/.gitconfig"), "[core]\n").unwrap();
    let runs = |name: &str, value: &str| {
        let plain = at("plain");
        let env = [("HOME", &*plain), (name, value)];
        runs_with(&env[usize::from(name == "HOME")..], "bash(git push *)", "git p origin", at("w").as_ref())
    };
    for (name, value) in [
        ("HOME", at("home")),
        ("XDG_CONFIG_HOME", at("xdg")),
        ("GIT_CONFIG_GLOBAL", at("w/global")),
        ("GIT_CONFIG_GLOBAL", "global".to_owned()),
        ("GIT_CONFIG_SYSTEM", at("other/system")),
        ("GIT_DIR", at("git")),
        ("GIT_COMMON_DIR", at("git")),
        ("GIT_CONFIG_KEY_0", "alias.p".to_owned()),
        ("GIT_CONFIG_KEY_3", "Include.path".to_owned()),
        ("GIT_CONFIG_PARAMETERS", "'alias.p'='push'".to_owned()),
    ] {
        assert!(runs(name, &value), "{name}={value}");
    }
    // A line may say where they are.
    let plain = at("plain");
    for line in
        ["HOME=q git p origin", "export HOME=q; git p origin", "GIT_DIR=g git p origin", "env XDG_CONFIG_HOME=x git p"]
    {
        assert!(runs_with(&[("HOME", &plain)], "bash(git push *)", line, at("w").as_ref()), "{line}");
    }
    for (name, value) in [
        ("HOME", at("plain")),
        ("XDG_CONFIG_HOME", at("other")),
        ("GIT_CONFIG_GLOBAL", at("none")),
        ("GIT_CONFIG_KEY_0", "core.editor".to_owned()),
    ] {
        assert!(!runs(name, &value), "{name}={value}");
    }
}

#[test]
fn domains_of_several_urls() {
    let here = std::path::Path::new("/w");
    let holds = |input: serde_json::Value| holds_at("WebFetch(domain:example.com)", "webfetch", &input, here, here);
    assert!(holds(json!({"urls": ["https://x.org", "https://example.com"]})));
    assert!(holds(json!({"url": "https://x.org", "urls": ["https://example.com"]})));
    assert!(holds(json!({"url": 5})));
    assert!(holds(json!({"url": "https:\\\\example.com"})));
    assert!(!holds(json!({"url": "https://x.org/?example.com"})));
    assert!(!holds(json!({"urls": ["https://x.org"]})));
}
