//! The blocks of the README and of the documentation are run: what stands there is what happens.
#![allow(clippy::unwrap_used, clippy::panic, reason = "test helpers: a panic fails the test")]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod support;

use std::path::Path;

use support::{hookshell, workspace};

/// A command of a block, and what the README says that it prints (standard output and error together).
struct Step {
    command: String,
    printed: String,
}

/// The lines of all fenced blocks of a language, block by block.
fn blocks(text: &str, language: &str) -> Vec<Vec<String>> {
    let mut blocks = Vec::new();
    let mut open: Option<Vec<String>> = None;
    let fence = format!("```{language}");
    for line in text.lines() {
        match &mut open {
            Some(lines) if line == "```" => {
                blocks.push(std::mem::take(lines));
                open = None;
            }
            Some(lines) => lines.push(line.to_owned()),
            None if line == fence => open = Some(Vec::new()),
            None => {}
        }
    }
    blocks
}

fn steps(block: &[String]) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for line in block {
        match (line.strip_prefix("$ "), steps.last_mut()) {
            (Some(command), _) => steps.push(Step { command: command.to_owned(), printed: String::new() }),
            (None, Some(step)) => step.printed.push_str(&format!("{line}\n")),
            (None, None) => panic!("a block begins with a command: {line}"),
        }
    }
    steps
}

/// How long a hook took is not the same twice.
fn without_times(text: &str) -> String {
    let mut parts = text.split("\"ms\":");
    let mut result = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        result.push_str("\"ms\":N");
        result.push_str(part.trim_start_matches(|digit: char| digit.is_ascii_digit()));
    }
    result
}

/// A PATH with the binary's directory in front.
fn path() -> std::ffi::OsString {
    // Under Wine the name has no drive, and what runs may have another one.
    let dir = std::path::absolute(Path::new(env!("CARGO_BIN_EXE_hookshell")).parent().unwrap()).unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths([dir].into_iter().chain(std::env::split_paths(&path))).unwrap()
}

#[test]
fn every_console_block_prints_what_it_says() {
    let readme = std::fs::read_to_string(workspace("README.md")).unwrap().replace("\r\n", "\n");
    let examples = blocks(&readme, "console");
    assert!(examples.len() >= 2, "the README has its examples");
    run_blocks("README.md", examples);
}

// The pages show what a Unix system prints.
#[cfg(unix)]
#[test]
fn every_console_block_of_the_documentation_prints_what_it_says() {
    let (mut pages, mut directories) = (Vec::new(), vec![workspace("docs")]);
    while let Some(directory) = directories.pop() {
        for path in std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                directories.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                pages.push(path);
            }
        }
    }
    pages.sort();
    let mut count = 0;
    for page in pages {
        let text = std::fs::read_to_string(&page).unwrap().replace("\r\n", "\n");
        let blocks = blocks(&text, "console");
        count += blocks.len();
        run_blocks(&page.display().to_string(), blocks);
    }
    assert!(count >= 2, "the documentation has examples");
}

fn run_blocks(page: &str, blocks: Vec<Vec<String>>) {
    for block in blocks {
        let steps = steps(&block);
        // One shell for the whole block, so that `$?` is the status of the command before; a mark after each command.
        let mut script = "exec 2>&1\n".to_owned();
        for step in &steps {
            script.push_str(&format!("{}\nset -- $?; echo @@mark; (exit $1)\n", step.command));
        }
        let output = hookshell(["sh", "-c", &script]).env("PATH", path()).cwd(&workspace("")).output();
        let printed: Vec<&str> = output.stdout.split("@@mark\n").collect();
        assert_eq!(printed.len(), steps.len() + 1, "{page}: {}", output.stdout);
        for (step, printed) in steps.iter().zip(printed) {
            assert_eq!(without_times(printed), without_times(&step.printed), "{page}: $ {}", step.command);
        }
    }
}

#[cfg(unix)]
#[test]
fn the_picture_shows_what_hookshell_prints() {
    if !hookshell_test_support::has("python3") {
        return;
    }
    let binary = env!("CARGO_BIN_EXE_hookshell");
    let output = support::program(Path::new("python3"), ["packaging/picture.py", "--check", binary])
        .cwd(&workspace(""))
        .output();
    assert_eq!((output.code, &*output.stderr), (Some(0), ""), "{output:?}");
}

#[test]
fn the_first_command_denies() {
    let readme = std::fs::read_to_string(workspace("README.md")).unwrap().replace("\r\n", "\n");
    let blocks = blocks(&readme, "sh");
    let command = blocks[0][0].strip_prefix("cargo run --release -p hookshell -- ").unwrap();
    let script = format!("hookshell {command}");
    let output = hookshell(["sh", "-c", &script]).env("PATH", path()).cwd(&workspace("")).output();
    assert_eq!(output.code, Some(2), "{output:?}");
    let verdict: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(verdict["decision"], "deny");
}

/// The page that a newcomer reads first, in a directory of their own: its config denies, and what is recorded of that passes.
#[test]
fn the_first_hook_of_the_documentation_denies() {
    let page = std::fs::read_to_string(workspace("docs/start.md")).unwrap().replace("\r\n", "\n");
    let directory = tempfile::tempdir().unwrap();
    let run = |script: &str| {
        let run = hookshell(["sh", "-c", script]).env("PATH", path()).cwd(directory.path());
        run.env("HOME", directory.path()).env("USERPROFILE", directory.path()).output()
    };
    let first = run(&blocks(&page, "sh")[0].join("\n"));
    assert_eq!(first.code, Some(2), "{first:?}");
    let lines: Vec<&str> = first.stdout.lines().collect();
    assert_eq!(lines.len(), 2, "{first:?}");
    assert_eq!(lines[0], "1 file, 1 hook, 0 findings");
    let verdict: serde_json::Value = serde_json::from_str(lines[1]).unwrap();
    assert_eq!((&verdict["decision"], &verdict["reason"]), (&"deny".into(), &"not that".into()), "{first:?}");
    // `1. …: `COMMAND`,` and the next lines of the list; what needs a hook that is not there, or a log, is left out.
    let commands: Vec<&str> = page.split('`').skip(1).step_by(2).filter(|code| code.contains("hookshell ")).collect();
    for (part, printed) in [
        ("test --record crush.hooktest.json", "crush.hooktest.json: 1 case recorded"),
        ("hookshell test", "1 case: 1 ok, 0 failed"),
        ("check --target windows crush.json", "1 file, 1 hook, 0 findings"),
    ] {
        let command = commands.iter().find(|command| command.ends_with(part));
        let output = run(command.unwrap_or_else(|| panic!("docs/start.md has no command that ends with {part}")));
        assert_eq!(output.code, Some(0), "{part}: {output:?}");
        assert!(output.stdout.contains(printed), "{part}: {output:?}");
    }
}

/// The hook that a user of Claude Code on Windows writes first: it reads its standard input, which is all that `hookshell exec` has of the
/// call, and denies by `run` and by `exec`, wired and not.
#[test]
fn the_hook_of_the_windows_page_denies() {
    let page = std::fs::read_to_string(workspace("docs/WINDOWS.md")).unwrap().replace("\r\n", "\n");
    let settings = blocks(&page, "json")[0].join("\n");
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join(".claude").join("settings.json");
    std::fs::create_dir(file.parent().unwrap()).unwrap();
    std::fs::write(&file, &settings).unwrap();
    let run = |args: &[&str], input: &str| {
        let run = hookshell(args).env("PATH", path()).cwd(directory.path()).stdin(input);
        ["HOME", "USERPROFILE", "LOCALAPPDATA", "APPDATA", "XDG_STATE_HOME"]
            .into_iter()
            .fold(run, |run, name| run.env(name, directory.path()))
            .output()
    };
    let checked = run(&["check", ".claude/settings.json"], "");
    assert_eq!((checked.code, &*checked.stdout), (Some(0), "1 file, 1 hook, 0 findings\n"), "{checked:?}");
    let parsed: serde_json::Value = serde_json::from_str(&settings).unwrap();
    let command = parsed.pointer("/hooks/PreToolUse/0/hooks/0/command").unwrap().as_str().unwrap();
    for (call, code) in [("rm -rf /", 2), ("ls", 0)] {
        let input = serde_json::json!({ "command": call });
        let event = serde_json::json!({ "tool_name": "Bash", "tool_input": input }).to_string();
        let hook = run(&["exec", command], &event);
        assert_eq!((hook.code, hook.stderr.contains("not that")), (Some(code), code == 2), "{hook:?}");
        let args = ["run", "PreToolUse", "--config", ".claude/settings.json", "--tool", "Bash", "--input"];
        let verdict = run(&[&args[..], &[&input.to_string()]].concat(), "");
        assert_eq!(verdict.code, Some(code), "{verdict:?}");
    }
    let wired = run(&["install", "claude"], "");
    assert_eq!(wired.code, Some(0), "{wired:?}");
    assert!(std::fs::read_to_string(&file).unwrap().contains(r#""args": ["exec", "if jq -r"#), "{wired:?}");
    assert_eq!(run(&["uninstall", "claude"], "").code, Some(0));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), settings);
}

/// The lines of all `sh` blocks that start hookshell itself, in a project of their own that has what they name: none is a wrong
/// command line, and those of the page about tests do what it says. They are written for a Unix shell.
#[cfg(unix)]
#[test]
fn every_command_of_the_documentation_is_one() {
    let directory = tempfile::tempdir().unwrap();
    let project = directory.path();
    let write = |name: &str, text: &str| {
        let file = project.join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    };
    let tests = std::fs::read_to_string(workspace("docs/testing-hooks.md")).unwrap().replace("\r\n", "\n");
    write("guard.hooktest.json", &blocks(&tests, "jsonc")[0].join("\n"));
    let guard = "# hookshell: {\"event\": \"PreToolUse\"}\ncase $CRUSH_TOOL_INPUT_COMMAND in 'rm -rf'*) echo Refusing >&2; exit 2 ;; esac\n";
    write("guard.sh", guard);
    write("script.sh", "exit 0\n");
    write("crush.json", r#"{"hooks":{"PreToolUse":[{"command":"exit 0"}]}}"#);
    write(".claude/settings.json", "{}");
    write(".claude/hooks/one.sh", guard);
    write(
        ".claude/hooks/one.hooktest.json",
        r#"{"tool_name":"bash","tool_input":{"command":"ls"},"expect":{"decision":null}}"#,
    );
    write("DIR/crush.json", "{}");
    let run = |line: &str| {
        let run = hookshell(["sh", "-c", line]).env("PATH", path()).cwd(project).env("HOOKSHELL_LOG", "payload");
        ["HOME", "USERPROFILE", "XDG_STATE_HOME", "LOCALAPPDATA", "APPDATA"]
            .into_iter()
            .fold(run, |run, name| run.env(name, project.join("home")))
            .output()
    };
    std::fs::create_dir(project.join("home")).unwrap();
    let logged = run("for i in 1 2 3 4 5; do hookshell run PreToolUse --config crush.json --tool bash; done");
    assert_eq!(logged.code, Some(0), "{logged:?}");

    let mut count = 0;
    for page in ["findings", "limits", "log", "testing-hooks", "trust"] {
        let text = std::fs::read_to_string(workspace(&format!("docs/{page}.md"))).unwrap().replace("\r\n", "\n");
        for line in blocks(&text, "sh").concat() {
            // What follows the log has no end, and `…` stands for what a reader has.
            if line.contains("log -f") || line.contains('…') {
                continue;
            }
            count += 1;
            // What is in brackets may be left out.
            let output = run(&line.replace(['[', ']'], ""));
            let is_said = page != "testing-hooks" || output.code == Some(0);
            assert!(is_said && matches!(output.code, Some(0..=2)), "docs/{page}.md: {line}: {output:?}");
            if line.contains("--record") {
                assert!(output.stdout.contains(" recorded"), "{line}: {output:?}");
            }
        }
    }
    assert!(count >= 20, "{count}");
}
