//! What is wrong with the scripts that are started.

use serde_json::Value;

use crate::called::{check, codes, one, shells, write};
use crate::support::hookshell;

#[test]
fn scripts_and_the_files_of_other_agents_are_checked_too() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    write(dir, "x.sh", "#!/no/such/directory/sh\n");
    let output = check(dir, &["--missing-shell=fail", "x.sh"]);
    assert_eq!(output.code, Some(1), "{output:?}");
    assert!(output.stdout.contains("/no/such/directory/sh: bad interpreter"), "{output:?}");
    // By its extension, too.
    write(dir, "lib.bash", "f() { echo; }\n");
    write(dir, "y.sh", "# shellcheck shell=sh\nif\n");
    assert_eq!(check(dir, &["lib.bash"]).stdout, "1 file, 1 hook, 0 findings\n");
    let output = check(dir, &["y.sh"]);
    assert_eq!(output.code, Some(1), "{output:?}");
    assert!(output.stdout.contains("syntax error"), "{output:?}");
    std::fs::create_dir(dir.join(".claude")).unwrap();
    write(dir, ".claude/settings.json", r#"{"hooks":{"Stp":[]}}"#);
    let output = hookshell(["check"]).env("HOME", dir.join("home")).env("XDG_CONFIG_HOME", "").cwd(dir).output();
    assert_eq!(output.code, Some(1), "{output:?}");
    assert!(output.stdout.contains("did you mean `Stop`?"), "{output:?}");
}

#[test]
fn the_portable_opinion_is_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let hook = r#"{"command":"cat <<<x"}"#;
    assert_eq!(one(dir.path(), hook, &[]).code, Some(0));
    let output = one(dir.path(), hook, &["--portable"]);
    assert_eq!(output.code, Some(1), "{output:?}");
    assert!(output.stdout.contains("warning: cat <<<x: not portable to every sh: "), "{output:?}");
    assert_eq!(one(dir.path(), r#"{"command":"cat <x | wc"}"#, &["--portable", "--utilities=bundled"]).code, Some(0));
}

#[test]
#[cfg(unix)]
fn a_script_is_judged_by_its_own_interpreter() {
    let dir = tempfile::tempdir().unwrap();
    // As pyenv has it: `python3` is itself a script, for bash.
    write(dir.path(), "bash", "MZ");
    let bash = dir.path().join("bash");
    write(dir.path(), "python3", &format!("#!{}\nexec true\n", bash.display()));
    write(dir.path(), "ok.py", "#!/usr/bin/env python3\nimport sys\nsys.exit(f(2))\r\n");
    let output = one(dir.path(), r#"{"command":"./ok.py"}"#, &[]);
    assert_eq!(output.code, Some(0), "{output:?}");
}

#[test]
fn extended_patterns_that_a_script_switches_on_are_no_error() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), "ok.sh", "shopt -s nullglob extglob\ncase $1 in ?(sudo\\ )rm*) exit 2 ;; esac\necho !(*.md)\n");
    let output = one(dir.path(), r#"{"command":"./ok.sh"}"#, &[]);
    assert_eq!(output.stdout, "1 file, 1 hook, 0 findings\n");
    let inline = r#"{"command":"shopt -s extglob\n[[ $CRUSH_TOOL_NAME == x ]] || echo !(x)"}"#;
    assert_eq!(one(dir.path(), inline, &[]).stdout, "1 file, 1 hook, 0 findings\n");
    write(dir.path(), "ok.sh", "echo !(*.md)\n");
    let output = one(dir.path(), r#"{"command":"./ok.sh"}"#, &[]);
    assert!(output.stdout.contains("ok.sh:1:7: error: ./ok.sh: syntax error near unexpected token `('"), "{output:?}");
}

#[test]
fn a_script_of_another_language_without_its_first_line_is_not_startable() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), "guard.py", "import sys\nsys.exit(2)\n");
    let output = one(directory.path(), r#"{"command":"./guard.py"}"#, &[]);
    let wanted = "./guard.py has no #! line, and its interpreter is not guessed from `.py`: write `python3 ./guard.py` as the command, or #!/usr/bin/env python3 as its first line [HS302]\n";
    assert!(output.stdout.contains(wanted), "{output:?}");
    let event = ["run", "PreToolUse", "--tool", "bash"];
    let verdict = hookshell(event.iter().chain(&["--config", "c.json"])).stdin("").cwd(directory.path()).output();
    assert_eq!(verdict.code, Some(0), "{verdict:?}");
    assert!(verdict.stderr.contains("./guard.py has no #! line"), "{verdict:?}");
    // Whoever names a shell for it has it read.
    write(directory.path(), &format!("bash{}", std::env::consts::EXE_SUFFIX), "MZ");
    let output = one(directory.path(), r#"{"command":"bash guard.py"}"#, &[]);
    assert!(output.stdout.contains("(it is read as shell code here: name its own interpreter) [HS301]"), "{output:?}");
}

#[test]
fn a_script_is_found_below_home_and_after_wrappers() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    shells(dir);
    write(dir, "here.sh", "#!/bin/bash\nif grep -q rm; then echo no >&2; exit 1; fi\n");
    for (command, code) in [
        ("$HOME/gone.sh", "HS302"),
        ("bash \\\"$HOME/gone.sh\\\"", "HS305"),
        ("bash \\\"${HOME}\\\"/gone.sh; exit 0", "HS305"),
        ("\\\"$HOME\\\"/here.sh", "HS313"),
        ("timeout -k 1 5 bash here.sh", "HS313"),
        ("env -u X bash gone.sh", "HS305"),
        ("x=$(nosuch a); exit 0", "HS304"),
        #[cfg(unix)]
        ("/bin/sh gone.sh", "HS305"),
        #[cfg(unix)]
        ("/usr/bin/env -u X sh gone.sh", "HS305"),
        #[cfg(unix)]
        ("/bin/sh here.sh", "HS313"),
    ] {
        write(dir, "c.json", &format!("{{\"hooks\":{{\"PreToolUse\":[{{\"command\":\"{command}\"}}]}}}}"));
        let home = dir.to_str().unwrap();
        let output = hookshell(["check", "--json", "c.json"]).env("PATH", dir).env("HOME", home).cwd(dir).output();
        let report: Value = serde_json::from_str(&output.stdout).unwrap();
        let found: Vec<&str> =
            report["findings"].as_array().unwrap().iter().filter_map(|one| one["code"].as_str()).collect();
        assert_eq!(found, [code], "{command}");
    }
}

#[test]
fn scripts_for_sh_are_checked_for_posix() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    shells(dir);
    let body = "\nx=1\n[[ $x = 1 ]] && exit 2\nexit 0\n";
    for (first, expected) in [
        ("#!/bin/sh", &["3 HS401"][..]),
        ("#!/usr/bin/env dash", &["3 HS401"]),
        ("#!/bin/bash", &[]),
        ("# no line", &[]),
    ] {
        write(dir, "x.sh", &format!("{first}{body}"));
        assert_eq!(codes(dir, &["x.sh"]), expected, "{first}");
    }
    // What POSIX has is no finding.
    let portable = "#!/bin/sh\nset -eu\nf() {\n  local a=\"${1:-x}\" b='#'\n  a=${a%%.*}\n  printf '%s\\n' \"$a\" \"${#b}\"\n}\n\
        while read -r line || [ -n \"$line\" ]; do case \"$line\" in (a*|[!b]*) f \"$line\" ;; *) : ;; esac; done <<'E'\n$x\nE\n\
        i=$((1 + 2)); until [ \"$i\" -le 0 ]; do i=$((i - 1)); done\nfor w in \"$@\"; do echo \"$w\" >&2; done\n\
        x=$(cat <<E\n${HOME:?none} `echo b`\nE\n)\n{ echo a; } 2>/dev/null | (cat) && ! false || exit 2\ntrap 'rm -f \"$x\"' EXIT\nexec 3>&1\n";
    write(dir, "x.sh", portable);
    assert_eq!(check(dir, &["x.sh"]).stdout, "1 file, 1 hook, 0 findings\n");
}

#[test]
fn what_a_command_gives_to_its_script_is_set() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    shells(dir);
    write(dir, "x.sh", "#!/bin/bash\nrm -r \"$CACHE_DIR/x\"\n");
    for (command, expected) in
        [("bash x.sh", "2 HS315"), ("CACHE_DIR=/c bash x.sh", ""), ("env CACHE_DIR=/c ./x.sh", "")]
    {
        write(dir, "c.json", &format!(r#"{{"hooks":{{"Stop":[{{"command":"{command}"}}]}}}}"#));
        assert_eq!(codes(dir, &["c.json"]).join(" "), expected, "{command}");
    }
}
