//! The report: its exit code, its formats, and what is left out of it.

use serde_json::Value;

use crate::called::{check, codes, one, shells, write};
use crate::support::{hookshell, workspace};

#[test]
fn the_report_is_json_too_and_an_unreadable_config_is_2() {
    let dir = tempfile::tempdir().unwrap();
    let output = one(dir.path(), r#"{"command":"./x"}"#, &["--json"]);
    let report: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!((&report["hooks"], &report["files"][0]), (&1.into(), &"c.json".into()));
    assert_eq!(report["findings"][0]["severity"], "error");
    assert_eq!(report["findings"][0]["line"], 1);
    let output = check(dir.path(), &["gone.json"]);
    assert_eq!(output.code, Some(2));
    assert!(output.stdout.starts_with("gone.json: error: no such file or directory [HS101]\n"), "{output:?}");
    let nothing = hookshell(["check"]).env("HOME", dir.path()).env("XDG_CONFIG_HOME", "").cwd(dir.path());
    let nothing = nothing.output();
    assert_eq!((nothing.code, &*nothing.stdout), (Some(66), ""), "{nothing:?}");
}

/// What is not looked at must not look as if nothing were wrong with it.
#[test]
fn a_directory_that_is_not_looked_into_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let deep = dir.path().join("d/".repeat(33));
    std::fs::create_dir_all(&deep).unwrap();
    write(&deep, "x.sh", "fi\n");
    for (files, count) in [("0 files, 0 hooks", false), ("1 file, 1 hook", true)] {
        if count {
            write(dir.path(), "crush.json", r#"{"hooks":{"PreToolUse":[{"command":"true"}]}}"#);
        }
        let output = check(dir.path(), &["."]);
        assert_eq!(output.code, Some(2), "{output:?}");
        let line =
            "error: the files in this directory are not checked: it lies more than 32 directories deep [HS101]\n";
        assert!(output.stdout.starts_with("d") && output.stdout.contains(line), "{output:?}");
        assert!(output.stdout.ends_with(&format!("{files}, 1 finding\n")), "{output:?}");
        let output = check(dir.path(), &[".", "--ignore", "HS101"]);
        assert_eq!((output.code, output.stdout), (Some(0), format!("{files}, 0 findings, 1 ignored\n")));
    }
    assert_eq!(check(dir.path(), &["gone.json", "--ignore", "HS101"]).code, Some(0));
    assert_eq!(check(dir.path(), &["d"]).code, Some(1));
}

#[test]
fn exit_codes_are_0_1_and_2() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), "good.json", r#"{"hooks":{"PreToolUse":[{"command":"true"}]}}"#);
    write(dir.path(), "bad.json", r#"{"hooks":{"PreToolUse":[{"command":"fi"}]}}"#);
    for (files, code) in [(&["good.json"][..], 0), (&["good.json", "bad.json"], 1), (&["gone.json", "bad.json"], 2)] {
        for more in [&[][..], &["--json"], &["--portable"]] {
            let output = check(dir.path(), &[more, files].concat());
            assert_eq!((output.code, &*output.stderr), (Some(code), ""), "{files:?} {more:?}: {output:?}");
        }
    }
}

#[test]
fn findings_are_switched_off_by_comment_key_and_option() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    shells(dir);
    for (script, expected) in [
        ("#!/bin/sh\n[[ a ]] # hookshell: ignore=HS401\n", ""),
        ("#!/bin/sh\n# hookshell: ignore=HS401 because\n[[ a ]]\n", ""),
        ("#!/bin/sh\n# hookshell: ignore-file=HS301,HS401\n\n[[ a ]]\n", ""),
        ("#!/bin/sh\n# hookshell: ignore=HS301\n[[ a ]]\n", "3 HS401"),
        ("#!/bin/sh\n# hookshell: ignore=HS000\n:\n", "2 HS901"),
        ("#!/bin/sh\n# hookshell: ignore-file=HS317\n", ""),
    ] {
        write(dir, "x.sh", script);
        assert_eq!(codes(dir, &["x.sh"]).join(" "), expected, "{script}");
    }
    write(dir, "x.sh", "#!/bin/sh\n[[ a ]]\n");
    let output = check(dir, &["--ignore", "hs401", "x.sh"]);
    assert_eq!((output.code, &*output.stdout), (Some(0), "1 file, 1 hook, 0 findings, 1 ignored\n"));
    assert_eq!(check(dir, &["--ignore", "HS000", "x.sh"]).code, Some(64));
    for (config, expected) in [
        (r#"{"hooks":{"ignore_findings":["HS304"],"PreToolUse":[{"command":"nope"},{"command":"nope2"}]}}"#, ""),
        (r#"{"hooks":{"PreToolUse":[{"command":"nope","ignore_findings":["HS304"]},{"command":"nope2"}]}}"#, "1 HS304"),
        ("{\"hooks\":{\"PreToolUse\":[\n// hookshell: ignore=HS304\n{\"command\":\"nope\"}]}}", ""),
        ("{\"hooks\":{\"PreToolUse\":[{\"command\":\"nope # hookshell: ignore=HS304\"}]}}", ""),
        // Several on one line: each command's comment is for itself.
        (r#"{"hooks":{"PreToolUse":[{"command":"nope # hookshell: ignore=HS304"},{"command":"nope2"}]}}"#, "1 HS304"),
        ("{\"hooks\":{\"PreToolUse\":[{\n\"command\":\"nope\" // hookshell: ignore=HS304\n}]}}", ""),
        (r#"{"hooks":{"PreToolUse":[{"command":": # hookshell: ignore=HS3"}]}}"#, "1 HS901"),
        (r#"{"hooks":{"ignore_findings":["HS3"],"PreToolUse":[{"command":":"}]}}"#, "1 HS901"),
        ("{\"hooks\":{\"PreToolUse\":[{\"command\":\":\",\n\"ignore_findings\":[\"HS3\"]}]}}", "2 HS901"),
        (r#"{"hooks":{"ignore_findings":"HS304","PreToolUse":[{"command":":"}]}}"#, "1 HS103"),
    ] {
        write(dir, "c.json", config);
        assert_eq!(codes(dir, &["c.json"]).join(" "), expected, "{config}");
    }
    std::fs::create_dir(dir.join(".codex")).unwrap();
    for (comment, expected) in [("# hookshell: ignore=HS304", ""), ("", "2 HS304")] {
        let hook = format!("[[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = 'nope' {comment}\n");
        std::fs::write(dir.join(".codex/config.toml"), format!("[[hooks.PreToolUse]]\n{hook}")).unwrap();
        assert_eq!(codes(dir, &[".codex/config.toml"]).join(" "), expected, "{comment}");
    }
}

#[test]
fn fail_on_error_lets_warnings_pass() {
    let dir = tempfile::tempdir().unwrap();
    for (hook, of_warning, of_error) in
        [(r#"{"command":":","timeout":5000}"#, 1, 0), (r#"{"command":"fi"}"#, 1, 1), (r#"{"command":":"}"#, 0, 0)]
    {
        assert_eq!(one(dir.path(), hook, &["--fail-on", "warning"]).code, Some(of_warning), "{hook}");
        assert_eq!(one(dir.path(), hook, &["--fail-on", "error"]).code, Some(of_error), "{hook}");
    }
}

/// The anchor that renderers of Markdown make of a heading.
fn anchor(heading: &str) -> String {
    let heading = heading.to_lowercase().replace(' ', "-");
    heading.chars().filter(|letter| letter.is_alphanumeric() || matches!(letter, '-' | '_')).collect()
}

#[test]
fn sarif_holds_to_its_schema() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let schema = std::fs::read_to_string(workspace("crates/cli/tests/schemas/sarif-2.1.0.json")).unwrap();
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    write(dir, "good.json", "{}");
    write(
        dir,
        "c d.json",
        "{\"hooks\":{\"Stp\":[],\n\"PreToolUse\":[{\"command\":\"é; fi\"},{\"command\":\"nope\"}]}}",
    );
    for (files, count) in [(&["good.json"][..], 0), (&["c d.json", "gone.json"], 4)] {
        let output = check(dir, &[&["--format", "sarif"], files].concat());
        let log: Value = serde_json::from_str(&output.stdout).unwrap();
        let errors: Vec<String> = schema.iter_errors(&log).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{errors:?}");
        let results = log["runs"][0]["results"].as_array().unwrap();
        assert_eq!(results.len(), count, "{results:?}");
        for result in results {
            let rule = &log["runs"][0]["tool"]["driver"]["rules"][result["ruleIndex"].as_u64().unwrap() as usize];
            assert_eq!(rule["id"], result["ruleId"]);
        }
        // What a rule leads to is there.
        let page = std::fs::read_to_string(workspace("docs/findings.md")).unwrap();
        let headings: Vec<String> = page.lines().filter_map(|line| line.strip_prefix("### ")).map(anchor).collect();
        for rule in log["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap() {
            let help = rule["help"]["text"].as_str().unwrap();
            let place = help.split_once("docs/findings.md#").unwrap().1.split(' ').next().unwrap();
            assert!(headings.iter().any(|heading| heading == place), "{place}: {headings:?}");
        }
        assert!(!output.stdout.contains("example.com"), "{}", output.stdout);
    }
    let output = check(dir, &["--format", "sarif", "c d.json"]);
    let log: Value = serde_json::from_str(&output.stdout).unwrap();
    let location = &log["runs"][0]["results"][1]["locations"][0]["physicalLocation"];
    assert_eq!(location["artifactLocation"]["uri"], "c%20d.json");
    assert_eq!(location["region"], serde_json::json!({ "startLine": 2, "startColumn": 30 }));
}

#[test]
fn findings_are_annotations_too() {
    let dir = tempfile::tempdir().unwrap();
    let output = one(dir.path(), r#"{"name":"a","command":"fi"}"#, &["--format", "github"]);
    assert_eq!(output.code, Some(1));
    assert!(
        output.stdout.starts_with("::error file=c.json,line=1,col=48,title=HS301::a: syntax error near"),
        "{output:?}"
    );
    assert!(output.stdout.ends_with("\n1 file, 1 hook, 1 finding\n"), "{output:?}");
    assert_eq!(check(dir.path(), &["--format", "text", "--no-hooks", "c.json"]).code, Some(1));
}

/// A script of two hooks that is found in the directory as well.
#[test]
fn a_finding_of_a_script_is_said_once_with_the_path_that_people_use() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(dir.path().join(".claude/hooks")).unwrap();
    write(dir.path(), ".claude/hooks/g.sh", "#!/bin/sh\n[[ a ]]\n");
    let hook = r#"{"type":"command","command":"\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/g.sh"}"#;
    let config = format!(
        r#"{{"hooks":{{"PreToolUse":[{{"hooks":[{hook}]}}],"Stop":[{{"hooks":[{hook},{{"type":"command","command":"fi"}}]}}]}}}}"#
    );
    write(dir.path(), ".claude/settings.json", &config);
    let sh = format!("sh{}", std::env::consts::EXE_SUFFIX);
    write(dir.path(), &sh, "MZ");
    for (directory, format) in [(".", "text"), (".claude", "text"), ("./.claude", "text"), (".", "github")] {
        let output = check(dir.path(), &["--format", format, directory]);
        let shown = |path: &str| match format {
            "text" => format!("{}:", path.replace('/', std::path::MAIN_SEPARATOR_STR)),
            _ => format!("file={path},"),
        };
        let count = |code: &str, path: &str| {
            let is_of = |line: &&str| {
                line.contains(code) && line.contains(&shown(path)) && !line.contains("./.claude/settings")
            };
            output.stdout.lines().filter(is_of).count()
        };
        let counts = (count("HS401", ".claude/hooks/g.sh"), count("HS301", ".claude/settings.json"));
        assert_eq!(counts, (1, 1), "{directory} {format}: {output:?}");
    }
}

/// Who names no file reads of the files as people and CI systems call them.
#[test]
fn found_files_are_called_relative_to_the_working_directory() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    std::fs::create_dir_all(dir.join(".hookshell/hooks")).unwrap();
    write(dir, "crush.json", "{\"hooks\":{\"PreToolUse\":[{\"command\":\"fi\"}]}}");
    std::fs::write(dir.join(".hookshell/hooks/x.lua"), "\n").unwrap();
    let report: Value = serde_json::from_str(&check(dir, &["--json"]).stdout).unwrap();
    let named = |value: &Value| value.as_str().unwrap().replace('\\', "/");
    let files: Vec<String> = report["files"].as_array().unwrap().iter().map(named).collect();
    let found: Vec<String> = report["findings"].as_array().unwrap().iter().map(|one| named(&one["file"])).collect();
    for names in [files, found] {
        assert_eq!(names, ["crush.json", ".hookshell/hooks/x.lua"]);
    }
}

/// A line that a file's name starts could be a command for a CI's runner.
#[cfg(unix)]
#[test]
fn no_name_of_a_file_starts_a_line() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    write(directory, "a\n::error::b.sh", "#!/bin/sh\n[[ x ]]\n");
    write(directory, "crush.json", r#"{"hooks":{"Pre\n::error::":[{"command":"x"}]}}"#);
    let output = check(directory, &["."]);
    assert!(
        output.stdout.contains("./a\\n::error::b.sh:2:1: ") || output.stdout.contains("a\\n::error::b.sh:2:1: "),
        "{output:?}"
    );
    assert!(!output.stdout.lines().any(|line| line.starts_with("::")), "{output:?}");
    // What no system can call is a file that cannot be read, whatever is in it.
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join(OsStr::from_bytes(b"a\xff.sh")), "exit 0\n").unwrap();
    let output = check(directory.path(), &["."]);
    assert_eq!(output.code, Some(2), "{output:?}");
    assert!(output.stdout.contains("its path is not Unicode text [HS101]"), "{output:?}");
}

/// What is wrong with a hook's own keys may leave no hook that has the key.
#[test]
fn the_key_of_a_hook_is_for_what_is_wrong_with_its_keys_too() {
    let dir = tempfile::tempdir().unwrap();
    let faults = [
        ("HS103", r#""command": 5"#),
        ("HS104", r#""command": " ""#),
        ("HS105", r#""matcher": "bash""#),
        ("HS106", r#""matcher": "(", "command": "exit 0""#),
        ("HS110", r#""command": "exit 0", "bogus": 1"#),
        ("HS120", r#""command": "exit 0", "timeout": -5"#),
        ("HS203", r#""command": "exit 0", "matcher": "x""#),
    ];
    for (code, keys) in faults {
        let event = if code == "HS203" { "Stop" } else { "PreToolUse" };
        let output = |ignored: &str| {
            let hooks = format!("{{{keys}{ignored}}},\n{{{keys}}}");
            write(dir.path(), "c.json", &format!("{{\"hooks\":{{\"{event}\":[\n{hooks}\n]}}}}"));
            check(dir.path(), &["c.json"])
        };
        let (all, some) = (output("").stdout, output(&format!(", \"ignore_findings\": [\"{code}\"]")).stdout);
        assert!(all.contains("c.json:2:") && all.contains("c.json:3:"), "{code}: {all}");
        assert!(!some.contains("c.json:2:") && some.contains("c.json:3:"), "{code}: {some}");
        assert!(some.contains(", 1 ignored"), "{code}: {some}");
    }
}
