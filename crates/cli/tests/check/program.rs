//! Programs inside commands that do not compile (HS316), and what is not read to find them.

use crate::called::{check_with_programs as check, write};

#[test]
fn a_program_in_a_command_that_does_not_compile_is_found_with_its_place() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let script = "#!/usr/bin/env bash\ninput=$(cat)\njq -e --arg x \"$1\" '.tool_input\n  | foo' <<<\"$input\"\nsed -n \"s/$1/\"\n";
    write(directory, "guard.sh", script);
    write(
        directory,
        "right.sh",
        "own() { :; }\njq() { cat; }\njq '.a ('\ngrep -E \"$1\" '('\nawk '{ print $1 }' \"$@\"\n",
    );
    let config = serde_json::json!({ "hooks": { "PreToolUse": [
        { "matcher": "Bash", "hooks": [
            { "type": "command", "command": "jq -e '.a (' && exit 2; exit 0" },
            { "type": "command", "command": "grep", "args": ["-qE", "rm( -rf"] },
            { "type": "command", "command": "./guard.sh" },
            { "type": "command", "command": "./right.sh" },
        ] },
    ] } });
    write(directory, ".claude/settings.json", &config.to_string());
    let output = check(directory, &[".claude/settings.json"]);
    assert_eq!(output.code, Some(1), "{output:?}");
    let found: Vec<&str> = output.stdout.lines().filter(|line| line.ends_with("[HS316]")).collect();
    let [inline, arguments, script] = &found[..] else { panic!("{output:?}") };
    let column = config.to_string().find("'.a (").unwrap() + 1;
    assert!(inline.contains(&format!(":1:{column}: error: ")), "{column}: {inline}");
    assert!(
        inline.contains("jq cannot compile this filter: syntax error, unexpected '(', expecting end of file"),
        "{inline}"
    );
    assert!(arguments.contains("grep cannot compile this pattern: Unmatched ( or \\("), "{arguments}");
    assert!(
        script.starts_with("guard.sh:4:1: error: ./guard.sh: jq cannot compile this filter: foo/0 is not"),
        "{script}"
    );
    assert!(script.contains("at <top-level>, line 2 [HS316]"), "{script}");
}

#[test]
fn check_reads_no_program_that_is_not_of_the_project() {
    let outside = tempfile::tempdir().unwrap();
    let directory = &outside.path().join("project");
    write(outside.path(), "cred", "ghp_SECRET123");
    write(directory, "own.jq", "ghp_OWN");
    write(directory, "m.jq", "def foo: 1;");
    write(
        directory,
        "guard.sh",
        "jq -f ../cred x\njq -f own.jq x\njq -L . 'include \"m\"; bar'\nawk '{ switch($1) { case 1: print } }'\nawk '{'\n",
    );
    let hook = |rest: serde_json::Value| serde_json::json!({ "matcher": "Bash", "hooks": [rest] });
    let config = serde_json::json!({ "hooks": { "PreToolUse": [
        hook(serde_json::json!({ "type": "command", "command": "./guard.sh" })),
        hook(serde_json::json!({ "type": "command", "command": "jq -f ../cred x" })),
        hook(serde_json::json!({ "type": "command", "command": "jq", "args": ["-f", "../cred", "x"] })),
        hook(serde_json::json!({ "type": "command", "command": "awk", "args": ["{ switch($1) { case 1: print } }"] })),
    ] } });
    write(directory, ".claude/settings.json", &config.to_string());
    let output = check(directory, &[".claude/settings.json"]);
    assert!(!format!("{output:?}").contains("ghp_SECRET"), "{output:?}");
    let found: Vec<&str> = output.stdout.lines().filter(|line| line.ends_with("[HS316]")).collect();
    let starts = [
        "guard.sh:2:1: error: ./guard.sh: jq cannot compile this filter: ghp_OWN/0 is not",
        "guard.sh:4:1: warning: ./guard.sh: the bundled awk cannot compile this program: ",
        "guard.sh:5:1: error: ./guard.sh: awk cannot compile this program: ",
    ];
    let [script @ .., arguments] = &found[..] else { panic!("{output:?}") };
    assert_eq!(script.len(), starts.len(), "{output:?}");
    assert!(script.iter().zip(starts).all(|(line, start)| line.starts_with(start)), "{output:?}");
    assert!(arguments.contains(": warning: ") && arguments.contains("the bundled awk"), "{arguments}");
}

#[cfg(unix)]
#[test]
fn check_waits_for_no_module_that_is_a_device() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    std::os::unix::fs::symlink("/dev/zero", directory.join("m.jq")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", directory.join("m.json")).unwrap();
    let script = "jq -L . 'include \"m\"; foo'\njq -L . 'import \"m\" as $d; foo'\njq -f m.jq\njq '.a ('\n";
    write(directory, "guard.sh", script);
    let config = serde_json::json!({ "hooks": { "Stop": [
        { "hooks": [{ "type": "command", "command": "./guard.sh" }] },
        { "hooks": [{ "type": "command", "command": "jq -L . 'include \"m\"; foo'" }] },
    ] } });
    write(directory, ".claude/settings.json", &config.to_string());
    let output = check(directory, &[".claude/settings.json"]);
    let found: Vec<&str> = output.stdout.lines().filter(|line| line.ends_with("[HS316]")).collect();
    assert!(matches!(&found[..], [line] if line.starts_with("guard.sh:4:1: error: ")), "{output:?}");
}
