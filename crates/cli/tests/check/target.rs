//! What the system that hooks are for does not have.

use serde_json::Value;

use crate::called::{check, codes, shells, write};

#[test]
fn what_a_target_does_not_have_is_told_for_each_line() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    shells(dir);
    let script = "#!/bin/bash\nsed -i 's/a/b/' f\nd=$(date -d yesterday +%F)\nreadlink -f \"$0\"\nstat -c %Y f\n\
                  cat /proc/self/status\ngrep -oP '\\d+' f\ntimeout 5 ls\ndeclare -A m\nrg x\ncommand -v fd && fd x\n\
                  sed -i '' s/a/b/ f\nif true; then echo \"$(nproc)\"; fi\nsed -i.bak s/a/b/ f\n";
    write(dir, "x.sh", script);
    let macos = [
        "2 HS403", "3 HS403", "4 HS403", "5 HS403", "6 HS404", "7 HS403", "8 HS402", "9 HS407", "10 HS402", "13 HS402",
    ];
    assert_eq!(codes(dir, &["--target", "macos", "x.sh"]), macos);
    assert_eq!(codes(dir, &["--target", "linux", "x.sh"]), ["10 HS402", "12 HS403"]);
    // There it runs in process, with utilities that are like GNU's.
    assert_eq!(codes(dir, &["--target", "windows", "x.sh"]), ["6 HS404", "10 HS402", "12 HS403"]);
    assert_eq!(codes(dir, &["--target", "windows", "--missing-shell", "fail", "x.sh"])[0], "1 HS405");
    let in_process = ["--target", "macos", "--shell-scripts", "in-process", "x.sh"];
    assert_eq!(codes(dir, &in_process), ["6 HS404", "10 HS402", "12 HS403"]);
    assert!(codes(dir, &["x.sh"]).is_empty());
}

/// Scripts that are written for several systems ask which one they run on, or try one command after the other.
#[test]
fn code_for_another_system_is_no_finding() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    shells(dir);
    for (code, macos, linux) in [
        ("if [ \"$(uname)\" = Darwin ]; then sed -i '' p f; else sed -i p f; fi", 0, 0),
        ("if [ \"$(uname -s)\" != Darwin ]; then sed -i p f; fi", 0, 0),
        ("if [[ $OSTYPE == darwin* ]]; then stat -c %s f; fi", 1, 0),
        ("if [[ $OSTYPE == linux* ]]; then cat /proc/cpuinfo; else date -d now; fi", 1, 0),
        ("case \"$(uname -s)\" in Darwin) stat -f %m f;; *) stat -c %Y f;; esac", 0, 0),
        ("case $OSTYPE in linux*) date -d now;; msys*|cygwin*) date -v1d;; darwin*) date -v1d;; esac", 0, 0),
        ("os=$(uname -s)\ncase $os in Linux) os=linux;; Darwin) os=mac;; esac\n[ $os = mac ] && date -v1d", 0, 0),
        ("mac() { [ \"$(uname)\" = Darwin ]; }\nif mac; then date -v1d; else date -d now; fi", 0, 0),
        ("[ \"$(uname)\" = Darwin ] || exit 0\ndate -v1d", 0, 0),
        ("if [ \"$(uname)\" = Darwin ]; then exit 0; fi\ndate -d now", 0, 0),
        ("if [ -n \"$WSL_DISTRO_NAME\" ]; then clip.exe < f; else ls; fi", 0, 0),
        ("if grep -qi microsoft /proc/version 2>/dev/null; then clip.exe < f; fi", 0, 0),
        ("if uname | grep -qi linux; then date -d now; fi", 0, 0),
        ("[ \"$(uname)\" = Darwin ] && date -v1d || date -d now", 0, 0),
        ("if [ \"$(uname -m)\" = arm64 ]; then date -d now; fi", 1, 0),
        ("[ \"$(uname -m)\" = x86_64 ] || exit 0\ndate -d now", 1, 0),
        ("case \"$(uname -s)-$(uname -m)\" in Darwin-*) date -v1d;; esac", 0, 0),
        ("mac() { date -v1d; }\nlinux() { date -d now; }\ncase $(uname) in Darwin) mac;; Linux) linux;; esac", 0, 0),
        ("mac() { date -v1d; }\ncase $(uname) in Darwin) mac;; esac\nmac", 0, 1),
        ("old() { date -d now; }\nif [ \"$1\" = x ]; then old; fi", 1, 0),
        ("x=$(stat -c %Y f 2>/dev/null || stat -f %m f)", 0, 0),
        ("x=$(stat -c %Y f || stat -f %m f || echo 0)", 0, 0),
        ("x=$(nproc 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null || echo 4)", 0, 0),
        ("x=$(readlink -f \"$0\" 2>/dev/null || echo \"$0\")", 0, 0),
        ("date -d a || date -d b", 2, 0),
        ("trap - EXIT; trap -- - INT; trap 2 3; trap '' TERM; trap -p EXIT; trap INT", 0, 0),
        ("trap 'date -d a' EXIT; trap -- 'date -d b' INT", 2, 0),
        ("echo {a..e..2}; wait -p x; env --unset=X ls", 3, 0),
        ("grep -qP x f || exit 0", 1, 0),
        ("grep -qP x f 2>/dev/null || { echo no; exit 2; }", 1, 0),
        ("if date --version >/dev/null 2>&1; then date -d now; else date -v1d; fi", 0, 0),
        ("if date -d now >/dev/null 2>&1; then x=$(date -d now); else x=$(date -v1d); fi", 0, 0),
        ("if grep -qP x f; then exit 2; else exit 0; fi", 1, 0),
        ("[ -r /proc/version ] && cat /proc/version", 0, 0),
        ("[ -d /proc/1 ] || exit 0", 1, 0),
        ("case $1 in /proc/*|/Users/*) exit 2;; esac; [[ $1 == /proc/* ]] && exit 2", 0, 0),
        ("grep -q /proc/ f; sed /proc/d f; echo /proc/x", 0, 0),
    ] {
        write(dir, "x.sh", &format!("#!/bin/bash\n{code}\nexit 0\n"));
        for (target, expected) in [("macos", macos), ("linux", linux)] {
            let found = check(dir, &["--target", target, "--ignore", "HS304,HS312,HS313", "x.sh"]).stdout;
            assert_eq!(found.lines().count() - 1, expected, "{target}: {code}: {found}");
        }
    }
}

/// What tells the systems apart is often kept in a variable first, or printed by a function.
#[test]
fn code_that_asks_a_flag_is_for_the_systems_that_set_it() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    shells(dir);
    let mac = "if [ \"$(uname)\" = Darwin ]; then mac=true; else mac=false; fi\n";
    for (code, macos, linux) in [
        (
            "mac=false\nif [[ $OSTYPE == darwin* ]]; then mac=true; fi\nif $mac; then stat -f %m f; else stat -c %Y f; fi",
            0,
            0,
        ),
        ("[[ $(uname) == Darwin ]] && mac=1\nif [ -n \"$mac\" ]; then date -v1d; else date -d now; fi", 0, 0),
        ("[[ $(uname) == Darwin ]] && mac=1\n[ -z \"${mac:-}\" ] || date -v1d", 0, 0),
        ("[[ $OSTYPE == linux* ]] && linux=true || linux=false\nif [[ $linux == true ]]; then date -d now; fi", 0, 0),
        (
            "mac=0; [ \"$(uname)\" = Darwin ] && mac=1\nif (( mac )); then date -v1d; fi; (( mac == 1 )) || date -d now",
            0,
            0,
        ),
        ("mac=0; [ \"$(uname)\" = Darwin ] && mac=1\nif [ $mac -eq 1 ]; then date -v1d; fi", 0, 0),
        ("mac=$([ \"$(uname)\" = Darwin ] && echo 1 || echo 0)\nif [ \"$mac\" = 1 ]; then date -v1d; fi", 0, 0),
        (
            "os() { case $(uname) in Darwin) echo m;; *) echo l;; esac; }\nos=$(os)\ncase $os in m) date -v1d;; l) date -d now;; esac",
            0,
            0,
        ),
        (
            "os() { if grep -q microsoft /proc/version; then echo w; elif [[ $OSTYPE == darwin* ]]; then echo m; else echo l; fi; }\nx=$(os)\n[ $x = m ] && date -v1d",
            0,
            0,
        ),
        (
            "mac=false\ngo() { if $mac; then date -v1d; else date -d now; fi; }\n[ \"$(uname)\" = Darwin ] && mac=true\ngo",
            0,
            0,
        ),
        (
            "case $(uname) in Darwin) flavour=b;; Linux) flavour=g;; esac\nif [ \"$flavour\" = b ]; then date -v1d; fi",
            0,
            0,
        ),
        ("if [ \"$OS\" = Windows_NT ]; then tasklist; fi\n[ -n \"$MSYSTEM\" ] && taskkill x", 0, 0),
        ("gnu=false; date --version >/dev/null 2>&1 && gnu=true\nif $gnu; then date -d now; else date -v1d; fi", 0, 0),
        ("if sed --version 2>/dev/null | grep -q GNU; then sed -i p f; else sed -i '' p f; fi", 0, 0),
        ("if x=$(stat -c %Y f 2>/dev/null); then :; elif x=$(stat -f %m f 2>/dev/null); then :; fi", 0, 0),
        ("if ! date -d now &>/dev/null; then date -v1d; else date -d now; fi", 0, 0),
        ("(( BASH_VERSINFO[0] < 4 )) && exit 2\ndeclare -A m", 0, 0),
        ("if [[ $(uname) =~ ^(Darwin|FreeBSD)$ ]]; then date -v1d; fi", 0, 0),
        ("w=$(grep -qi microsoft /proc/version && echo 1)\nif [ -n \"$w\" ]; then clip.exe; fi", 0, 0),
        ("w=false\nif grep -qi microsoft /proc/version; then w=true; fi\nif $w; then clip.exe; fi", 0, 0),
        ("if [ \"$RUNNER_OS\" = macOS ]; then date -v1d; else date -d now; fi", 0, 0),
        ("os() { uname -s | tr A-Z a-z; }\nif [ \"$(os)\" = darwin ]; then date -v1d; fi", 0, 0),
        ("if [ \"$(uname)\" = Darwin ]; then :; else exit 0; fi\ndate -v1d", 0, 0),
        ("case $(uname) in Darwin) ;; MINGW*) exit 0;; *) exit 0;; esac\ndate -v1d", 0, 0),
        ("case $(uname) in Darwin) exit 0;; esac\ndate -d now", 0, 0),
        ("case $(uname) in Darwin) x=1;; esac\ndate -d now", 1, 0),
        ("if [ \"$1\" = x ]; then exit 0; else :; fi\ndate -d now", 1, 0),
        ("case $(uname -s)-$(uname -m) in Darwin-arm64) sw_vers;; Darwin-x86_64) md5 f;; *) date -d now;; esac", 1, 0),
        // What an option or the user sets says nothing of the system.
        ("[ \"$1\" = -m ] && mac=1\nif [ -n \"$mac\" ]; then date -v1d; fi", 0, 1),
        ("x=false\nif $x; then date -v1d; fi", 0, 1),
        ("echo $BASH_VERSION\ndeclare -A m", 1, 0),
        // It was set in between.
        ("[ \"$(uname)\" = Darwin ] && mac=1\nread -r mac\nif [ -n \"$mac\" ]; then date -v1d; fi", 0, 1),
        ("[ \"$(uname)\" = Darwin ] && mac=1\nmac=1\nif [ -n \"$mac\" ]; then date -v1d; fi", 0, 1),
        ("[ \"$(uname)\" = Darwin ] && [ -n \"$1\" ] && mac=1\nif [ -z \"$mac\" ]; then date -d now; fi", 1, 0),
        ("[ \"$(uname)\" = Darwin ] && mac=1\nmac= cat f\n[ -n \"$mac\" ] && date -v1d", 0, 0),
    ] {
        write(dir, "x.sh", &format!("#!/bin/bash\n{code}\nexit 0\n"));
        for (target, expected) in [("macos", macos), ("linux", linux)] {
            let found = check(dir, &["--target", target, "--ignore", "HS304,HS312,HS313,HS314", "x.sh"]).stdout;
            assert_eq!(found.lines().count() - 1, expected, "{target}: {code}: {found}");
        }
    }
    for (test, holds) in [("$mac", true), ("[ $mac = true ]", true), ("! $mac", false), ("[[ $mac != true ]]", false)] {
        let (yes, no) = if holds { ("date -v1d", "date -d now") } else { ("date -d now", "date -v1d") };
        write(dir, "x.sh", &format!("#!/bin/bash\n{mac}if {test}; then {yes}; else {no}; fi\nexit 0\n"));
        for target in ["macos", "linux"] {
            assert_eq!(codes(dir, &["--target", target, "--ignore", "HS304", "x.sh"]), [""; 0], "{target}: {test}");
        }
    }
}

/// In POSIX mode macOS's bash takes no option of `echo`: what is piped on begins with `-n`.
#[test]
fn echo_without_a_newline_is_told_for_sh_on_macos() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    shells(dir);
    for (shell, target, expected) in
        [("sh", "macos", &["2 HS403"][..]), ("sh", "linux", &[]), ("sh", "windows", &[]), ("bash", "macos", &[])]
    {
        write(dir, "x.sh", &format!("#!/bin/{shell}\necho -n a | cat\necho a -n\nprintf %s a\nexit 0\n"));
        assert_eq!(codes(dir, &["--target", target, "x.sh"]), expected, "{shell} {target}");
    }
}

/// In every place where a command may stand.
#[test]
fn a_target_is_asked_about_every_command() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    shells(dir);
    let lines = [
        "if [[ \"$(date -d a)\" ]]; then :; fi",
        "[[ -r /proc/x ]]",
        "echo $(( $(date -d b) / 2 ))",
        "(( $(date -d c) > 2 ))",
        "x=(a $(date -d d))",
        "echo \"${1:-$(date -d e)}\"",
        "x=`date -d \\$f`",
        "bash -c 'date -d g'",
        "eval 'date -d h'",
        "trap 'date -d i' EXIT",
        "find . -exec stat -c %s {} +",
        "find . -print0 | xargs -0 -n1 stat -c %s",
        "sudo -u me date -d j",
        "nice -n 5 date -d k",
        "dd if=/proc/y",
        "f() { :; } < /proc/z",
        "lower=${x,,}",
        "case ${x^^} in a) ;; esac",
        "[[ ${x,,} == y ]]",
        "for i in {1..10..2} {01..3}; do :; done",
        "exec {fd}>f",
        "echo \"${x:0:-1}\" ${y[-1]}",
        "[ -v x ] && [[ -v x ]]",
        "printf '%(%F)T' -1",
        "read -t 0.5 x",
        "sed 's/a/\\U&/' f",
        "sed -n '/x/{p;q}' f",
        "date +%s%3N",
    ];
    write(dir, "x.sh", &format!("#!/bin/bash\n{}\nexit 0\n", lines.join("\n")));
    let found = codes(dir, &["--target", "macos", "--ignore", "HS304,HS402", "x.sh"]);
    for (index, line) in lines.iter().enumerate() {
        assert!(found.iter().any(|found| found.starts_with(&format!("{} HS4", index + 2))), "{line}: {found:?}");
    }
    assert_eq!(codes(dir, &["--target", "linux", "--ignore", "HS304,HS402", "x.sh"]), [""; 0]);
}

/// A script that the installed bash runs has no bundled utilities: without jq it fails, and the call goes through.
#[cfg(unix)]
#[test]
fn a_command_that_a_script_does_not_find_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    shells(dir);
    std::fs::remove_file(dir.join("jq")).unwrap();
    let script = |code: &str| write(dir, "x.sh", &format!("#!/bin/bash\n{code}\nexit 0\n"));
    script("x=$(jq -r .a)\nprettier x\nehco x");
    assert_eq!(codes(dir, &["x.sh"]), ["2 HS304", "4 HS304"]);
    assert_eq!(codes(dir, &["--shell-scripts", "in-process", "x.sh"]), [""; 0]);
    script("FILE_PATH=$(jq -r .a)\nneed() { command -v git; }\nneed jq");
    assert_eq!(codes(dir, &["x.sh"]), ["2 HS304"]);
    for code in [
        "command -v jq >/dev/null || exit 0\njq .",
        "need() { command -v \"$1\" >/dev/null || exit 0; }\nneed jq\njq .",
        "for c in jq git; do command -v \"$c\" >/dev/null || exit 0; done\njq .",
        "jq() { cat; }\njq .",
        "x=$(jq . 2>/dev/null || cat)",
        "PATH=$PATH:/opt/bin\njq .",
        ". \"$HOME/lib.sh\"\njq .",
        "cat | tr a b",
    ] {
        script(code);
        assert_eq!(codes(dir, &["x.sh"]), [""; 0], "{code}");
    }
}

#[test]
fn a_target_is_checked_in_the_files_that_a_script_reads() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    std::fs::create_dir(dir.join("lib")).unwrap();
    let guard = "#!/usr/bin/env bash\n. \"$(dirname \"$0\")/lib/a.sh\"\nsource lib/b.sh\nbash ./other.sh\nhelper\n";
    std::fs::write(dir.join("guard.sh"), guard).unwrap();
    std::fs::write(dir.join("lib/a.sh"), "helper() { stat -c %s f; }\n. ./guard.sh\n").unwrap();
    std::fs::write(dir.join("lib/b.sh"), "true\ndate -d now\n").unwrap();
    std::fs::write(dir.join("other.sh"), "#!/bin/sh\n\ngrep -oP x f\n").unwrap();
    shells(dir);
    let found = |target: &str| {
        let output = check(dir, &["--json", "--target", target, "guard.sh"]).stdout;
        let report: Value = serde_json::from_str(&output).unwrap();
        let findings = report["findings"].as_array().unwrap().iter();
        let place = |finding: &Value| {
            format!("{}:{}", finding["file"].as_str().unwrap_or_default().replace('\\', "/"), finding["line"])
        };
        let mut places = findings.map(place).collect::<Vec<_>>();
        places.sort();
        places
    };
    assert_eq!(found("macos"), ["lib/a.sh:1", "lib/b.sh:2", "other.sh:3"]);
    assert!(found("linux").is_empty());
}

#[test]
fn shells_and_interpreters_of_a_target_are_told() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    for (line, target, expected) in [
        ("#!/bin/zsh", "linux", &["1 HS405"][..]),
        ("#!/bin/zsh", "macos", &[]),
        ("#!/usr/bin/env zsh", "windows", &["1 HS405"]),
        ("#!/usr/bin/env fish", "macos", &["1 HS405"]),
        ("#!/usr/bin/env python3", "windows", &["1 HS406"]),
        ("#!/usr/bin/env node", "macos", &["1 HS406"]),
        ("#!/usr/bin/env perl", "macos", &[]),
        ("#!/bin/sh", "windows", &[]),
    ] {
        // What this machine itself does not have is told otherwise.
        if target == std::env::consts::OS {
            continue;
        }
        write(dir, "x", &format!("{line}\n:\n"));
        assert_eq!(codes(dir, &["--target", target, "x"]), expected, "{line} {target}");
    }
    // An inline command runs in process, where the utilities are bundled.
    let inline = |command: &str| format!(r#"{{"hooks":{{"PreToolUse":[{{"command":"{command}"}}]}}}}"#);
    for (command, target, expected) in [
        ("date -d yesterday | jq .", "macos", &[][..]),
        ("cat | osascript -e x", "windows", &["1 HS402"]),
        ("node -e 1", "windows", &["1 HS406"]),
        ("echo > /proc/x; pbcopy", "macos", &["1 HS404"]),
    ] {
        if target == std::env::consts::OS {
            continue;
        }
        write(dir, "c.json", &inline(command));
        assert_eq!(codes(dir, &["--target", target, "c.json"]), expected, "{command} {target}");
    }
    assert_eq!(check(dir, &["--target", "beos", "c.json"]).code, Some(64));
}
