//! Completions in the shells themselves: fish, zsh and Elvish. bash's are in `completions.rs`; PowerShell is on no machine of ours.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "test helpers: a panic fails the test")]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod support;

use support::hookshell;
use tempfile::TempDir;

/// What follows `hookshell`, and what is offered: each of the first list, none of the second.
const CASES: &[(&str, &[&str], &[&str])] = &[
    ("", &["run", "check", "sh"], &["guard.sh"]),
    ("ch", &["check"], &["run"]),
    ("check ", &["guard.sh", "my guard.sh", "sub"], &["macos"]),
    ("check gu", &["guard.sh"], &["my guard.sh"]),
    ("check guard.sh ", &["my guard.sh"], &[]),
    ("check guard.sh --po", &["--portable"], &["guard.sh"]),
    ("check --hook ", &["guard.sh", "my guard.sh"], &["--json"]),
    ("check --target ", &["windows", "macos", "linux"], &["guard.sh"]),
    ("check --target m", &["macos"], &["windows"]),
    ("completions ", &["bash", "fish", "elvish"], &["guard.sh"]),
    ("install ", &["claude", "codex"], &["guard.sh"]),
    ("install claude ", &["codex"], &["guard.sh"]),
    ("run Pre", &["PreToolUse"], &["Stop"]),
    ("run --re", &[], &["--relayed"]),
    ("run --b", &[], &["--background"]),
    ("run --cwd ", &["sub"], &[]),
    ("man ", &["check"], &[]),
    ("help ", &["check", "run"], &["guard.sh"]),
    ("sh gu", &["guard.sh"], &[]),
    ("doctor ", &[], &["guard.sh"]),
];

/// A directory with some files, and the shell's script as `completions`.
fn directory(shell: &str) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    std::fs::create_dir(directory.path().join("sub")).unwrap();
    for name in ["guard.sh", "my guard.sh"] {
        std::fs::write(directory.path().join(name), "").unwrap();
    }
    let script = hookshell(["completions", shell]).output();
    assert_eq!(script.code, Some(0), "{script:?}");
    std::fs::write(directory.path().join("completions"), script.stdout).unwrap();
    directory
}

/// A shell's standard output.
fn shell(program: &str, args: &[&str], directory: &TempDir) -> String {
    let home = directory.path().to_str().unwrap();
    let run = support::program(program.as_ref(), args).cwd(directory.path()).env("HOME", home).output();
    assert_eq!(run.code, Some(0), "{run:?}");
    run.stdout
}

/// Compares what is offered for each case: blocks of lines, each ended by the line `END`.
fn compare(cases: &[(&str, &[&str], &[&str])], output: &str) {
    let blocks: Vec<&str> = output.split("END\n").collect();
    assert_eq!(blocks.len(), cases.len() + 1, "{output}");
    for ((line, wanted, unwanted), block) in cases.iter().zip(blocks) {
        // zsh writes what the line needs.
        let block = block.replace('\\', "");
        let offered: Vec<&str> = block.lines().map(|line| line.trim_end_matches('/')).collect();
        for word in *wanted {
            assert!(offered.contains(word), "`{line}` does not offer {word}: {offered:?}");
        }
        for word in *unwanted {
            assert!(!offered.contains(word), "`{line}` offers {word}: {offered:?}");
        }
    }
}

#[test]
fn fish_offers_words_and_files() {
    if !hookshell_test_support::has("fish") {
        return;
    }
    let directory = directory("fish");
    // A description follows a tab.
    let ask = "source completions; for line in $argv; complete -C \"hookshell $line\" | string replace -r '\\t.*' ''; echo END; end";
    let lines = CASES.iter().map(|(line, ..)| *line);
    let args: Vec<&str> = ["--no-config", "-c", ask].into_iter().chain(lines).collect();
    compare(CASES, &shell("fish", &args, &directory));
}

/// Elvish's module `edit:` is there in a terminal only: what the script takes from it has stand-ins here. The shell itself keeps what
/// begins with the word.
#[test]
fn elvish_offers_words_and_files() {
    if !hookshell_test_support::has("elvish") {
        return;
    }
    let directory = directory("elvish");
    let script = std::fs::read_to_string(directory.path().join("completions")).unwrap();
    let script = script
        .replacen("set edit:completion:arg-completer[hookshell] =", "var complete =", 1)
        .replace("edit:complex-candidate $text &display=$text' '(spaces (- 14 (wcswidth $text)))$desc", "put $text")
        .replace("edit:complete-filename $words[-1]", "put 'guard.sh' 'my guard.sh' sub/");
    let mut code = script;
    for (line, ..) in CASES {
        let words: Vec<&str> = line.split(' ').collect();
        let (last, before) = words.split_last().unwrap();
        let before: String = before.iter().map(|word| format!("'{word}' ")).collect();
        code += &format!(
            "$complete hookshell {before}'{last}' | each {{|word| if (str:has-prefix $word '{last}') {{ echo $word }} }}\necho END\n"
        );
    }
    std::fs::write(directory.path().join("ask.elv"), code).unwrap();
    compare(CASES, &shell("elvish", &["-norc", "ask.elv"], &directory));
}

/// zsh completes in a terminal only: one of zsh's own. What its completion would add is written to a file.
#[test]
fn zsh_offers_words_and_files() {
    const CHILD: &str = r#"
        PROMPT= RPROMPT=
        setopt no_beep no_auto_list no_auto_menu
        autoload -U compinit && compinit -u -D
        source ./completions
        compdef _hookshell hookshell
        bindkey '^I' complete-word
        zstyle ':completion:*' insert-tab false
        compadd() {
            if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return; fi
            local -a hits
            builtin compadd -A hits "$@"
            print -rl -- $hits >>offered
            builtin compadd "$@"
        }
        finish() { print END >>offered; comppostfuncs=( finish ) }
        comppostfuncs=( finish )
        print READY >ready
    "#;
    const PARENT: &str = r#"
        zmodload zsh/zpty zsh/zselect || exit 3
        : >offered
        wait_for() { local i; for i in {1..600}; do eval "$1" && return; zpty -r -t child line; zselect -t 5; done; exit 4 }
        zpty -b child zsh -f -i
        zpty -w child 'source ./child'
        wait_for '[[ -e ready ]]'
        count=0
        for line; do
            zpty -w -n child "hookshell $line"$'\t'
            (( count += 1 ))
            wait_for '(( $(grep -c ^END offered) == count ))'
            zpty -w -n child $'\C-u'
        done
        cat offered
    "#;
    if !hookshell_test_support::has("zsh") {
        return;
    }
    let directory = directory("zsh");
    std::fs::write(directory.path().join("child"), CHILD).unwrap();
    let cases: Vec<_> = CASES.iter().copied().filter(|(line, ..)| *line != "doctor ").collect();
    let args: Vec<&str> = ["-f", "-c", PARENT, "zsh"].into_iter().chain(cases.iter().map(|(line, ..)| *line)).collect();
    compare(&cases, &shell("zsh", &args, &directory));
}
