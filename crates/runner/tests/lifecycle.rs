//! The examples of a session's hooks, as Rust and as shell hooks, and the agent that embeds them.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "test helpers: a panic fails the test, and a skip is printed"
)]

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use hookshell_dispatch::{Dispatcher, MissingShell};
use hookshell_runner::inprocess::{HookRegistry, HookRunner, HookUi, NotifyLevel};
use hookshell_runner::{Config, Event, Runner, ToolInput, Verdict};

#[path = "../examples/embed.rs"]
mod embed;
use embed::hooks;

fn tokio() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap()
}

/// A person who always gives the same answer.
struct Says(bool);

impl HookUi for Says {
    async fn select(&self, _: &str, options: &[String]) -> Option<String> {
        options.first().filter(|_| self.0).cloned()
    }
    async fn confirm(&self, _: &str, _: &str) -> bool {
        self.0
    }
    async fn input(&self, _: &str, _: &str) -> Option<String> {
        None
    }
    fn notify(&self, _: &str, _: NotifyLevel) {}
}

/// The example hooks as Rust, with a person who answers, or with nobody.
fn in_rust(says: Option<bool>, env: Vec<(OsString, OsString)>) -> HookRunner<()> {
    let mut registry = HookRegistry::<()>::new();
    hooks::permission_gate::register(&mut registry).unwrap();
    hooks::protected_paths::register(&mut registry).unwrap();
    hooks::git_checkpoint::register(&mut registry);
    let builder = HookRunner::builder().hooks(registry).settings(Runner::builder().env(env));
    match says {
        Some(says) => builder.ui(Says(says)).build().unwrap(),
        None => builder.build().unwrap(),
    }
}

/// How the scripts of a copy are run.
#[derive(Debug, Clone, Copy, PartialEq)]
enum By {
    /// By bash, as their `#!` line says.
    Bash,
    /// In process, whatever the machine has: they have no `#!` line.
    Us,
}

/// A copy of `examples/lifecycle`.
fn copy_of_lifecycle(by: By) -> tempfile::TempDir {
    let copy = tempfile::tempdir().unwrap();
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/lifecycle");
    fs::copy(from.join("lifecycle.json"), copy.path().join("lifecycle.json")).unwrap();
    fs::create_dir(copy.path().join("hooks")).unwrap();
    for entry in fs::read_dir(from.join("hooks")).unwrap() {
        let file = entry.unwrap().path();
        let text = fs::read_to_string(&file).unwrap();
        let (first, rest) = text.split_once('\n').unwrap();
        assert_eq!(first, "#!/bin/bash");
        let to = copy.path().join("hooks").join(file.file_name().unwrap());
        // A copy has the same permissions.
        fs::copy(&file, &to).unwrap();
        if by == By::Us {
            fs::write(&to, rest).unwrap();
        }
    }
    copy
}

/// The example hooks as a config.
fn in_shell(directory: &Path, env: Vec<(OsString, OsString)>) -> Runner {
    let config = Config::load([directory.join("lifecycle.json")]).unwrap();
    assert_eq!(config.warnings(), []);
    let dispatcher = Dispatcher::builder().missing_shell(MissingShell::Interpret).build();
    Runner::builder().config(config).env(env).dispatcher(dispatcher).build().unwrap()
}

fn call(tool: &str, input: &str, cwd: &Path) -> Event {
    Event::pre_tool_use(tool, ToolInput::parse(input).unwrap(), cwd)
}

fn bash(command: &str, cwd: &Path) -> Event {
    call("bash", &serde_json::json!({ "command": command }).to_string(), cwd)
}

/// Checks the example hooks as Rust, as shell hooks that run in process, and under bash where the programs are there.
fn for_each(programs: &[&str], check: impl Fn(&str, &Path, &dyn Fn(&Event) -> Verdict)) {
    let copy = copy_of_lifecycle(By::Us);
    let rust = in_rust(None, Vec::new());
    check("Rust", copy.path(), &|event| rust.run_blocking(event, &mut ()));
    let shell = in_shell(copy.path(), Vec::new());
    check("in process", copy.path(), &|event| shell.run_blocking(event));
    if hookshell_test_support::has_all(programs) {
        let copy = copy_of_lifecycle(By::Bash);
        let shell = in_shell(copy.path(), env::vars_os().collect());
        check("bash", copy.path(), &|event| shell.run_blocking(event));
    }
}

const GATED: &str = "Dangerous command blocked: nobody is there to confirm it";

const COMMANDS: [(&str, bool); 16] = [
    ("rm -rf /", true),
    ("cd x && rm -fr build", true),
    ("rm --recursive x", true),
    ("rm x -r", true),
    ("echo ok; sudo make install", true),
    ("doas sh", true),
    ("git push --force origin main", true),
    ("git push -f", true),
    ("dd if=x of=/dev/sda", true),
    ("ls -la", false),
    ("rm x", false),
    ("farm -r x", false),
    ("echo pseudo", false),
    ("git push origin main", false),
    ("npm run sudoku", false),
    ("", false),
];

#[test]
fn the_permission_gate_denies_dangerous_commands_where_nobody_is_there() {
    for_each(&["bash", "grep"], |name, directory, run| {
        for (command, is_dangerous) in COMMANDS {
            let verdict = run(&bash(command, directory));
            let expected = is_dangerous.then_some(GATED);
            assert_eq!(verdict.opinion.reason.as_deref(), expected, "{name}: {command:?}: {}", verdict.to_json());
            assert_eq!(verdict.exit_code(), if is_dangerous { 2 } else { 0 }, "{name}: {command:?}");
        }
    });
}

#[test]
fn the_permission_gate_asks_the_person_who_is_there() {
    let directory = tempfile::tempdir().unwrap();
    let event = bash("sudo ls", directory.path());
    for (says, expected) in [(true, None), (false, Some("Blocked by user"))] {
        let verdict = in_rust(Some(says), Vec::new()).run_blocking(&event, &mut ());
        assert_eq!(verdict.opinion.reason.as_deref(), expected);
    }
    let copy = copy_of_lifecycle(By::Us);
    let verdict = in_shell(copy.path(), vec![("PERMISSION_GATE".into(), "ask".into())])
        .run_blocking(&bash("sudo ls", copy.path()));
    let decision = verdict.opinion.decision.map(|decision| decision.as_str());
    assert_eq!((decision, verdict.opinion.reason.as_deref()), (Some("ask"), Some("Dangerous command")));
}

#[test]
fn protected_paths_are_not_written_to() {
    let cases = [
        ("write", ".env", Some(".env")),
        ("edit", "config/.ENV", Some(".env")),
        ("Write", ".env.local", Some(".env.local")),
        ("write", "a/node_modules/x/index.js", Some("node_modules")),
        ("multiedit", "a/../.git/config", Some(".git")),
        ("write", r"C:\p\.git\config", Some(".git")),
        ("write", ".env.example", None),
        ("write", ".environment", None),
        ("write", "src/main.rs", None),
        ("write", ".github/workflows/ci.yml", None),
        ("read", ".env", None),
    ];
    for_each(&["bash"], |name, directory, run| {
        for (tool, path, expected) in cases {
            let verdict = run(&call(tool, &serde_json::json!({ "file_path": path }).to_string(), directory));
            let expected = expected.map(|name| format!("{path} is protected ({name})"));
            assert_eq!(verdict.opinion.reason, expected, "{name}: {path}: {}", verdict.to_json());
        }
    });
    #[cfg(unix)]
    {
        let directory = tempfile::tempdir().unwrap();
        fs::create_dir(directory.path().join("node_modules")).unwrap();
        std::os::unix::fs::symlink("node_modules", directory.path().join("link")).unwrap();
        let event = call("write", r#"{"file_path":"link/new.js"}"#, directory.path());
        let verdict = in_rust(None, Vec::new()).run_blocking(&event, &mut ());
        assert_eq!(verdict.opinion.reason.as_deref(), Some("link/new.js is protected (node_modules)"));
    }
}

/// A directory's git, which knows nothing of the machine's settings.
struct Git<'f> {
    directory: &'f Path,
    env: Vec<(OsString, OsString)>,
}

impl<'f> Git<'f> {
    /// A repository with one commit; `None` if there is no git.
    fn init(directory: &'f Path) -> Option<Self> {
        if !hookshell_test_support::has("git") {
            return None;
        }
        let mut env: Vec<(OsString, OsString)> =
            env::vars_os().filter(|(name, _)| !name.to_string_lossy().to_uppercase().starts_with("GIT_")).collect();
        let none: PathBuf = directory.join("no-such-file");
        for (name, value) in [
            ("GIT_CONFIG_NOSYSTEM", "1".into()),
            ("GIT_CONFIG_GLOBAL", none.into_os_string()),
            ("GIT_AUTHOR_NAME", "a".into()),
            ("GIT_AUTHOR_EMAIL", "a@example.org".into()),
            ("GIT_COMMITTER_NAME", "a".into()),
            ("GIT_COMMITTER_EMAIL", "a@example.org".into()),
        ] {
            env.push((name.into(), value));
        }
        let git = Self { directory, env };
        git.run(&["init", "--quiet"]);
        git.write("1");
        git.run(&["add", "a"]);
        git.run(&["commit", "--quiet", "-m", "one"]);
        Some(git)
    }

    fn run(&self, args: &[&str]) -> String {
        let output = Command::new("git")
            .args(args)
            .current_dir(self.directory)
            .env_clear()
            .envs(self.env.clone())
            .output()
            .unwrap();
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    fn write(&self, text: &str) {
        fs::write(self.directory.join("a"), text).unwrap();
    }

    fn read(&self) -> String {
        fs::read_to_string(self.directory.join("a")).unwrap()
    }
}

/// What the checkpoint does, by a runner of it. `restored`: does it put the files back, or leave them alone?
fn check_checkpoints(git: &Git<'_>, restored: bool, run: &dyn Fn(&Event) -> Verdict) {
    let session = |event: Event| run(&event.with_session_id("s 1"));
    git.write("1");
    let verdict = session(Event::turn_start(0, git.directory));
    assert_eq!(verdict.hooks[0].outcome.as_str(), "NoOpinion", "{}", verdict.to_json());
    git.write("2");
    session(Event::turn_start(1, git.directory));
    git.write("3");
    assert_eq!(git.run(&["show", "refs/hookshell/s_1/turn-0:a"]), "1");
    assert_eq!(git.run(&["show", "refs/hookshell/s_1/turn-1:a"]), "2");
    assert_eq!(git.read(), "3");

    // A turn without a checkpoint.
    session(Event::session_branch(Some(7), git.directory));
    assert_eq!(git.read(), "3");
    let verdict = session(Event::session_branch(Some(1), git.directory));
    if restored {
        assert_eq!(git.read(), "2");
        assert_eq!(verdict.context().as_deref(), Some("The files are as they were before turn 1."));
        assert_eq!(git.run(&["show", "refs/hookshell/s_1/before-restore:a"]), "3");
    } else {
        assert_eq!(git.read(), "3");
        assert_eq!(verdict.context(), None);
    }
    assert_eq!(git.run(&["log", "--format=%s"]), "one");
}

#[test]
fn checkpoints_are_made_before_each_turn_and_restored_when_a_person_says_so() {
    for (says, restored) in [(Some(true), true), (Some(false), false), (None, false)] {
        let directory = tempfile::tempdir().unwrap();
        let Some(git) = Git::init(directory.path()) else { return };
        let runner = in_rust(says, git.env.clone());
        check_checkpoints(&git, restored, &|event| runner.run_blocking(event, &mut ()));
    }
    // Where there is no repository, nothing happens.
    let directory = tempfile::tempdir().unwrap();
    let env = vec![("GIT_CEILING_DIRECTORIES".into(), directory.path().parent().unwrap().into())];
    let verdict = in_rust(Some(true), env).run_blocking(&Event::turn_start(0, directory.path()), &mut ());
    assert_eq!(verdict.hooks[0].outcome.as_str(), "NoOpinion", "{}", verdict.to_json());
}

#[test]
fn checkpoints_of_the_shell_hook() {
    for by in [By::Us, By::Bash] {
        if by == By::Bash && !hookshell_test_support::has_all(&["bash", "jq"]) {
            continue;
        }
        let copy = copy_of_lifecycle(by);
        let Some(git) = Git::init(copy.path()) else { return };
        let runner = in_shell(copy.path(), git.env.clone());
        check_checkpoints(&git, true, &|event| runner.run_blocking(event));
    }
}

#[test]
fn the_embedding_agent_runs_its_session() {
    let directory = tempfile::tempdir().unwrap();
    let messages = tokio().block_on(embed::run_agent(directory.path(), "run the tests")).unwrap();
    assert_eq!(
        messages,
        [
            "user: run the tests",
            "context: The project uses bun.",
            "assistant: Let me look.",
            "read: read did {\"file_path\":\"key.txt\",\"token\":\"sk-***\"}",
            "bash: Blocked by user",
            "bash: bash did {\"command\":\"bun test\"}",
            "write: .env is protected (.env)",
            "deploy: not on a Friday",
            "assistant: All tests pass.",
        ]
    );
}

#[test]
fn every_file_is_listed_in_the_readme() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let readme = fs::read_to_string(examples.join("README.md")).unwrap();
    for entry in fs::read_dir(examples.join("lifecycle/hooks")).unwrap() {
        let file = entry.unwrap().path();
        let name = format!("`hooks/{}`", file.file_name().unwrap().to_str().unwrap());
        assert!(readme.contains(&name), "{name} is not in examples/README.md");
    }
}
