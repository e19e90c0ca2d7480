//! Shell completions and manual pages.
#![allow(clippy::unwrap_used, clippy::panic, reason = "test helpers: a panic fails the test")]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod support;

use std::process::Command;

use support::hookshell;

#[test]
fn every_shell_has_its_completions() {
    let marks = [
        ("bash", "complete -F _hookshell"),
        ("zsh", "#compdef hookshell"),
        ("fish", "complete -c hookshell"),
        ("elvish", "edit:completion:arg-completer[hookshell]"),
        ("powershell", "Register-ArgumentCompleter"),
    ];
    for (shell, mark) in marks {
        let output = hookshell(["completions", shell]).output();
        assert_eq!((output.code, &*output.stderr), (Some(0), ""), "{shell}");
        assert!(output.stdout.contains(mark) && output.stdout.contains("explain"), "{shell}: {}", output.stdout);
    }
    assert_eq!(hookshell(["completions", "tcsh"]).output().code, Some(64));
}

#[test]
fn the_bash_completions_are_valid_shell_code() {
    let script = hookshell(["completions", "bash"]).output().stdout;
    // In a file: a command line of Windows has at most 32 K characters.
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("completions.sh"), script).unwrap();
    let output = hookshell(["sh", "-n", "completions.sh"]).cwd(directory.path()).output();
    assert_eq!((output.code, &*output.stderr), (Some(0), ""));
}

/// Where an operand is a file, bash is left to offer files; options are offered where one is begun.
#[cfg(unix)]
#[test]
fn bash_completes_files_where_a_file_is_due() {
    if !hookshell_test_support::has("bash") {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let script = hookshell(["completions", "bash"]).output().stdout;
    std::fs::write(directory.path().join("completions.sh"), script).unwrap();
    for name in ["guard.sh", "my guard.sh"] {
        std::fs::write(directory.path().join(name), "").unwrap();
    }
    let run = r#". ./completions.sh; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
        _hookshell hookshell "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        echo "${#COMPREPLY[@]} ${COMPREPLY[0]}"; complete -p hookshell"#;
    for (words, expected) in [
        (&["check", ""][..], "0 "),
        (&["check", "gu"], "0 "),
        (&["check", "guard.sh", ""], "0 "),
        (&["check", "--portable", ""], "0 "),
        (&["test", ""], "0 "),
        (&["check", "--po"], "1 --portable"),
        (&["check", "guard.sh", "--po"], "1 --portable"),
        (&["check", "--hook", "gu"], "1 guard.sh"),
        (&["check", "--hook", "my"], "1 my guard.sh"),
        (&["check", "--target", "=", "ma"], "1 macos"),
        (&["check", "--target", "="], "3 windows"),
        (&["man", "ru"], "1 run"),
        (&["sh", "gu"], "0 "),
        (&["check", "--target", "ma"], "1 macos"),
        (&["log", "--event", "PostToolUseF"], "1 PostToolUseFailure"),
        (&["log", "--outcome", "fai"], "1 failed"),
        (&["test", "--event", "SessionEn"], "1 SessionEnd"),
        (&["install", "cl"], "1 claude"),
    ] {
        let args = [&["-c", run, "bash", "hookshell"], words].concat();
        let output = support::program("bash".as_ref(), args).cwd(directory.path()).output();
        let mut lines = output.stdout.lines();
        assert_eq!(lines.next(), Some(expected), "{words:?}: {output:?}");
        assert!(lines.next().is_some_and(|line| line.contains("-o default")), "{output:?}");
    }
}

/// Whole words in the list of an option's or an argument's values. They are offered, not required.
#[test]
fn values_that_have_names_are_offered() {
    let script = hookshell(["completions", "bash"]).output().stdout;
    for words in [
        "native claude codex gemini cursor copilot qwen crush",
        "bundled path off",
        "interpret fail",
        "call-depth source-depth",
        "PreToolUse PostToolUse",
        "allow ask deny halt failed",
    ] {
        assert!(script.contains(words), "{words}");
    }
    // The help, the manual page and the completions have the events from one list.
    let help = hookshell(["run", "--help"]).output().stdout;
    let pages = tempfile::tempdir().unwrap();
    assert_eq!(hookshell(["man".as_ref(), pages.path().as_os_str()]).output().code, Some(0));
    let page = std::fs::read_to_string(pages.path().join("hookshell-run.1")).unwrap();
    for event in hookshell_runner::EventKind::ALL {
        for text in [&help, &page, &script] {
            assert!(text.contains(event.as_str()), "{event}: {text}");
        }
    }
    let other =
        hookshell(["run", "beforeShellExecution", "--dialect", "cursor", "--no-hooks", "--tool", "Shell"]).output();
    assert_eq!(other.code, Some(0), "{other:?}");
}

#[test]
fn every_command_has_its_page() {
    let page = hookshell(["man"]).output();
    assert_eq!(page.code, Some(0));
    assert!(page.stdout.contains(".TH hookshell 1") && page.stdout.contains("hookshell\\-run"), "{}", page.stdout);
    let dir = tempfile::tempdir().unwrap();
    let pages = dir.path().join("man1");
    let output = hookshell(["man".as_ref(), pages.as_os_str()]).output();
    assert_eq!((output.code, &*output.stdout), (Some(0), ""), "{output:?}");
    for name in ["hookshell.1", "hookshell-run.1", "hookshell-check.1", "hookshell-log.1"] {
        assert!(pages.join(name).is_file(), "{name}");
    }
    let run = std::fs::read_to_string(pages.join("hookshell-run.1")).unwrap();
    assert!(run.contains("hookshell run"), "{run}");
    assert!(!pages.join("hookshell-help-run.1").exists() && !pages.join("hookshell-help.1").exists());
    // The lines that `--help` has at its end stay lines.
    let notes = run.split_once(".SH NOTES\n.nf\n").map(|(_, notes)| notes).unwrap_or_default();
    assert!(notes.contains("\n\\&Examples:\n\\&  hookshell run PreToolUse \\-\\-tool bash"), "{run}");
    let sh = std::fs::read_to_string(pages.join("hookshell-sh.1")).unwrap();
    assert!(
        sh.starts_with(".ie \\n(.g .ds Aq \\(aq\n") && sh.contains(".TH hookshell-sh 1 \"\" \"hookshell 0."),
        "{sh}"
    );
}

#[test]
fn a_command_is_a_page_and_a_path_is_a_directory() {
    let dir = tempfile::tempdir().unwrap();
    let man = |args: &[&str]| hookshell([&["man"], args].concat()).cwd(dir.path()).output();
    for (args, title) in [
        (&[][..], "hookshell"),
        (&["hookshell"], "hookshell"),
        (&["run"], "hookshell-run"),
        (&["hookshell-log"], "hookshell-log"),
        (&["sh"], "hookshell-sh"),
    ] {
        let output = man(args);
        assert_eq!((output.code, &*output.stderr), (Some(0), ""), "{args:?}");
        assert!(output.stdout.contains(&format!("\n.TH {title} 1 ")), "{args:?}: {}", output.stdout);
    }
    let output = man(&["rnu"]);
    assert_eq!((output.code, &*output.stdout), (Some(64), ""));
    assert!(output.stderr.contains("no command `rnu`") && output.stderr.contains("man --dir rnu"), "{output:?}");
    assert_eq!(man(&["run", "--dir", "x"]).code, Some(64));
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0, "nothing is written that nobody asked for");
    std::fs::create_dir(dir.path().join("there")).unwrap();
    for (args, pages) in [(&["--dir", "run"][..], "run"), (&["./new/man1"], "new/man1"), (&["there"], "there")] {
        let output = man(args);
        assert_eq!((output.code, &*output.stdout, &*output.stderr), (Some(0), "", ""), "{args:?}");
        assert!(dir.path().join(pages).join("hookshell-run.1").is_file(), "{args:?}");
    }
    let script = hookshell(["completions", "bash"]).output().stdout;
    assert!(script.contains("run serve exec explain check doctor test trust log install"), "{script}");
}

/// As after `| head`: the exit code says it.
#[test]
fn nothing_is_said_where_nobody_reads() {
    for args in [&["--help"][..], &["completions", "bash"], &["man"], &["doctor"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = Command::new(env!("CARGO_BIN_EXE_hookshell")).args(args).stdout(writer).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), &*stderr), (Some(74), ""), "{args:?}");
    }
}

#[test]
fn pages_say_exit_statuses_variables_files_and_other_pages() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(hookshell(["man".as_ref(), dir.path().as_os_str()]).output().code, Some(0));
    for entry in std::fs::read_dir(dir.path()).unwrap() {
        let path = entry.unwrap().path();
        let page = std::fs::read_to_string(&path).unwrap();
        for section in ["\"EXIT STATUS\"", "ENVIRONMENT", "FILES", "\"SEE ALSO\""] {
            assert_eq!(page.matches(&format!("\n.SH {section}\n")).count(), 1, "{}: {section}", path.display());
        }
        let own = path.file_stem().unwrap().to_string_lossy().replace('-', "\\-");
        assert!(page.is_ascii(), "{}: formatters read other characters by their numbers", path.display());
        let others = page.split("SEE ALSO").last().unwrap();
        assert!(!others.contains(&format!("\\fB{own}\\fR")), "{others}");
        assert!(others.contains("\\fBhookshell\\-log\\fR(1)") || own == "hookshell\\-log", "{others}");
    }
    let test = std::fs::read_to_string(dir.path().join("hookshell-test.1")).unwrap();
    for status in ["0", "1", "2", "64", "65", "66", "70, 71, 74"] {
        assert_eq!(test.matches(&format!("\n.TP\n\\fB{status}\\fR\n")).count(), 1, "{status}: {test}");
    }
    let sh = std::fs::read_to_string(dir.path().join("hookshell-sh.1")).unwrap();
    assert!(sh.contains("\n.TP\n\\fB127\\fR\nThere is no FILE.\n") && !sh.contains("\\fB64\\fR"), "{sh}");
    let run = std::fs::read_to_string(dir.path().join("hookshell-run.1")).unwrap();
    assert!(run.contains("\n.TP\n\\fB49\\fR\nThe turn is halted.\n"), "{run}");
    assert!(run.contains("HOOKSHELL_LLM_URL"), "{run}");
    let files = run.split(".SH FILES").nth(1).unwrap();
    for file in
        ["hooks.jsonl", "hooks.1.jsonl", "trust.json", "sessions/", "installed/", "hookshell/hooks/", "crush.json"]
    {
        assert!(files.contains(file), "{file}: {files}");
    }
}

/// The names that a source asks the environment, or a shell its variables, for: one by one, or from a list.
fn asked_for(source: &str) -> impl Iterator<Item = &str> {
    const CALLS: [&str; 12] = [
        "var_os(",
        "variable(",
        "is_one(env, ",
        "is_set(",
        "directory(",
        "directory_of(",
        "from_env(",
        "value(",
        "text(",
        "name == ",
        "Place(",
        "scalar_bytes(b",
    ];
    const LISTS: [&str; 3] = ["for name in [", "let variable = [", "let variables = ["];
    let is_name = |name: &&str| name.len() > 2 && name.chars().all(|c| c.is_ascii_uppercase() || c == '_');
    let called = CALLS
        .into_iter()
        .flat_map(move |call| source.split(call).skip(1).filter_map(|rest| rest.strip_prefix('"')?.split('"').next()));
    let asked = ["].into_iter().filter_map(variable", "].into_iter().any(is_set"].into_iter().flat_map(move |end| {
        let before = source.split(end).filter_map(|before| before.rsplit_once('[')?.1.strip_prefix('"'));
        before.take(source.matches(end).count())
    });
    let listed = LISTS.into_iter().flat_map(move |list| {
        source.split(list).skip(1).filter_map(|rest| rest.split_once(']')?.0.trim_start().strip_prefix('"'))
    });
    called.chain(asked.chain(listed).flat_map(|list| list.split('"').step_by(2))).filter(is_name)
}

/// The names of variables in a text that begin so.
fn names<'t>(text: &'t str, prefix: &str) -> impl Iterator<Item = &'t str> {
    let is_of_name = |letter: char| letter.is_ascii_uppercase() || letter == '_';
    text.split(move |letter| !is_of_name(letter))
        .filter(move |word| word.strip_prefix(prefix).is_some_and(|rest| !rest.is_empty()))
}

#[test]
fn every_variable_of_ours_stands_in_a_manual_page() {
    // What the shell alone reads is in its own page. A name is a whole one: BLOCK_SIZE is not LS_BLOCK_SIZE.
    let page = hookshell(["man", "sh"]).output().stdout.replace("\\fB", " ");
    let words: std::collections::BTreeSet<&str> =
        page.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').collect();
    let of_all = hookshell(["man"]).output().stdout;
    assert!(names(&of_all, "HOOKSHELL_").all(|name| words.contains(name)), "{of_all}");
    let mut found = std::collections::BTreeSet::new();
    let mut directories = vec![support::workspace("packaging"), support::workspace("sdk/python/hookshell")];
    directories.extend(
        std::fs::read_dir(support::workspace("crates"))
            .unwrap()
            .map(|entry| entry.unwrap().path().join("src"))
            .filter(|sources| !sources.parent().unwrap().ends_with("test-support")),
    );
    while let Some(directory) = directories.pop() {
        let Ok(entries) = std::fs::read_dir(directory) else { continue };
        for path in entries.map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                directories.push(path);
            } else if let Ok(text) = std::fs::read_to_string(&path) {
                found.extend(names(&text, "HOOKSHELL_").map(str::to_owned));
                // What `check` and trust know of other programs' variables they do not read. The workspace may itself
                // stand in a directory of such a name.
                let inside = path.strip_prefix(support::workspace("")).unwrap_or(&path);
                let is_asked =
                    !inside.components().any(|part| ["check", "trust"].iter().any(|other| part.as_os_str() == *other));
                if is_asked && path.extension().is_some_and(|extension| extension == "rs") {
                    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
                    found.extend(asked_for(code).map(str::to_owned));
                }
            }
        }
    }
    for name in ["HOOKSHELL_LOG", "CODEX_HOME", "COPILOT_HOOK_ALLOW_LOCALHOST", "CLICOLOR_FORCE"] {
        assert!(found.contains(name), "{name}: {found:?}");
    }
    for name in ["TIME_STYLE", "DU_BLOCK_SIZE", "GIT_COMMON_DIR", "TIMEFORMAT", "NVM_SYMLINK", "CLAUDECODE"] {
        assert!(found.contains(name), "{name}: {found:?}");
    }
    // No variables of who starts hookshell: an event's turn, an answer, what Claude Code puts into arguments, and words of
    // PCRE's and jq's.
    for name in ["TURN", "ALLOW", "CLAUDE_PLUGIN_DATA", "ACCEPT", "DEFINE", "JQ_BUILD_CONFIGURATION", "ENV"] {
        assert!(found.remove(name), "{name}");
    }
    let missing: Vec<String> = found.into_iter().filter(|name| !words.contains(&**name)).collect();
    assert_eq!(missing, [""; 0], "no manual page has these variables");
}
