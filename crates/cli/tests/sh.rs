//! `hookshell sh` as a user calls it.
#![allow(clippy::unwrap_used, clippy::panic, reason = "test helpers: a panic fails the test")]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod support;

use support::{Output, hookshell, program};

fn sh(args: &[&str]) -> Output {
    hookshell(["sh"].iter().chain(args)).output()
}

/// Arguments, status, standard output.
type Case = (&'static [&'static str], i32, &'static str);

#[test]
fn a_command_line_means_what_it_means_to_sh() {
    let cases: &[Case] = &[
        (&["-c", "echo hi"], 0, "hi\n"),
        (&["-c", "exit 7"], 7, ""),
        (&["-c", "echo $0 $#"], 0, "sh 0\n"),
        (&["-c", "echo $0 $1 $#", "me", "a b"], 0, "me a b 1\n"),
        (&["-c", "--", "echo $0", "me"], 0, "me\n"),
        (&["-c", "-e", "false; echo no"], 1, ""),
        (&["-ec", "false; echo no"], 1, ""),
        (&["-e", "+e", "-c", "false; echo yes"], 0, "yes\n"),
        (&["-euo", "pipefail", "-c", "false | true"], 1, ""),
        (&["-o", "errexit", "+o", "errexit", "-c", "false; echo yes"], 0, "yes\n"),
        (&["-f", "-c", "echo *"], 0, "*\n"),
        (&["-n", "-c", "echo no"], 0, ""),
        (&["-ilc", "echo $1", "x", "y"], 0, "y\n"),
        (&["+Bc", "echo {a,b}"], 0, "{a,b}\n"),
        (&["-lc", "shopt login_shell"], 0, "login_shell    \ton\n"),
        (&["--norc", "--noprofile", "--login", "-c", "echo hi"], 0, "hi\n"),
        (&["--posix", "-c", "echo {a,b}"], 0, "{a,b}\n"),
        (&["-c", "echo {a,b}"], 0, "a b\n"),
        (&["-c", ""], 0, ""),
        (&["-c", "exit 2"], 2, ""),
        (&["-c", "exit 49"], 49, ""),
    ];
    for (args, code, stdout) in cases {
        let expected = Output { code: Some(*code), stdout: (*stdout).into(), stderr: String::new() };
        assert_eq!(sh(args), expected, "{args:?}");
    }
}

#[test]
fn options_of_the_command_line_hold_from_the_first_word_on() {
    let extended = sh(&["-O", "extglob", "-c", "case ab in +(a|b)) echo yes ;; esac; echo @(x|y)"]);
    assert_eq!(extended.stdout, "yes\n@(x|y)\n");
    let output =
        hookshell(["sh", "-c", "[[ a == @(a|b) ]] && echo yes; echo !(*)"]).env("BASHOPTS", "extglob").output();
    assert_eq!(output.stdout, "yes\n!(*)\n");
}

#[test]
fn a_restricted_shell_keeps_path_and_takes_no_functions() {
    let mut cases = vec![vec!["-r", "-c"], vec!["--restricted", "-c"], vec!["-rc"]];
    cases.iter_mut().for_each(|case| case.extend(["cd /; echo $?; set +r; f; command -v x/y; PATH=/x; echo no"]));
    for case in cases {
        let words: Vec<&str> = ["sh"].into_iter().chain(case).collect();
        let output = hookshell(words).env("BASH_FUNC_f%%", "() { echo function; }").output();
        assert_eq!((output.code, &*output.stdout), (Some(1), "1\n"), "{output:?}");
        assert!(
            output.stderr.contains("cd: restricted") && output.stderr.contains("PATH: readonly variable"),
            "{output:?}"
        );
    }
}

#[test]
fn an_error_of_a_special_built_in_ends_the_posix_shell_and_not_bash() {
    for command in ["readonly r; unset r", "export 1a", "readonly 1a=2", "readonly r=1; export r=2", "unset -q r"] {
        let script = format!("{command}; echo went on");
        let posix = sh(&["--posix", "-c", &script]);
        assert!(posix.code != Some(0) && posix.stdout.is_empty() && !posix.stderr.is_empty(), "{command}: {posix:?}");
        assert_eq!(sh(&["-c", &script]).stdout, "went on\n", "{command}");
    }
    let by_command = sh(&["--posix", "-c", "readonly r; command unset r; echo went on"]);
    assert_eq!(by_command.stdout, "went on\n");
}

#[test]
fn a_wrong_command_line_is_status_2_and_runs_nothing() {
    let cases: &[(&[&str], &str)] = &[
        (&["-c"], "sh: -c: option requires an argument\n"),
        (&["-Z", "-c", "echo no"], "sh: -Z: invalid option\n"),
        (&["--frob", "-c", "echo no"], "sh: --frob: invalid option\n"),
        (&["-o"], "sh: -o: option requires an argument\n"),
        (&["-o", "frob", "-c", "echo no"], "sh: frob: invalid option name\n"),
        (&["--limit", "frob", "-c", "echo no"], "sh: --limit frob: must be NAME=VALUE\n"),
        (
            &["--limit", "call-depth=x", "-c", "echo no"],
            "sh: --limit call-depth=x: the value must be a whole number up to 4294967295, with k, M or G after it for 1024, \
             1024² or 1024³\n",
        ),
    ];
    for (args, stderr) in cases {
        let expected = Output { code: Some(2), stdout: String::new(), stderr: (*stderr).into() };
        assert_eq!(sh(args), expected, "{args:?}");
    }
    let unknown = sh(&["--limit", "frob=1", "-c", "echo no"]);
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.stderr.contains("unknown limit; there are call-depth,"), "{}", unknown.stderr);
}

#[test]
fn what_stands_before_a_syntax_error_has_run() {
    let output = sh(&["-c", "echo ran\nif then"]);
    assert_eq!((output.code, output.stdout.as_str()), (Some(2), "ran\n"));
    assert!(
        output.stderr.starts_with("sh: -c: line 2: syntax error near unexpected token `then'"),
        "{}",
        output.stderr
    );
    let exited = sh(&["-c", "exit 3\nif then"]);
    assert_eq!(exited, Output { code: Some(3), stdout: String::new(), stderr: String::new() });
}

#[test]
fn a_limit_ends_the_script_and_nothing_else() {
    for (limits, script, stdout, stderr) in [
        (
            &["--limit", "call-depth=50"][..],
            "f() { f; }; f; echo after",
            "",
            "environment: line 1: limit call-depth of 50 reached: ",
        ),
        (
            &["--limit=wall-time=0.2"],
            "trap 'echo bye' EXIT\nwhile :; do :; done",
            "bye\n",
            "sh: line 2: limit wall-time of 0.2 s",
        ),
        (&["--limit=wall-time=0.2"], "trap '' TERM; sleep 1000 | sleep 1000", "", "limit wall-time of 0.2 s reached: "),
        (&["--limit", "threads=5"], "b(){ b|b& };b", "", "environment: line 1: limit threads of 5 reached: "),
        (
            &["--limit", "state-bytes=1M", "--limit", "threads=5"],
            "for ((;;)); do a+=(b); done",
            "",
            "limit state-bytes of 1048576",
        ),
    ] {
        let args: Vec<&str> = limits.iter().copied().chain(["-c", script]).collect();
        let output = sh(&args);
        assert_eq!((output.code, output.stdout.as_str()), (Some(2), stdout), "{script}: {}", output.stderr);
        assert!(output.stderr.contains(stderr), "{script}: {}", output.stderr);
    }
}

#[test]
fn a_script_file_is_run_with_its_name_and_arguments() {
    let dir = tempfile::tempdir().unwrap();
    let files: &[(&str, &[u8])] = &[
        ("plain.sh", b"echo $0 $1 $#\nexit 4\n"),
        ("crlf.sh", b"echo one\r\nif true; then\r\n  echo two\r\nfi\r\n"),
        ("bom.sh", b"\xef\xbb\xbfecho bom\n"),
        ("dies.sh", b"echo 1\n)\n"),
        ("binary", b"\x7fELF\x02\x01\x01\0\0"),
        ("zero", b"\0\n"),
        ("-dash.sh", b"echo dash\n"),
    ];
    for (name, text) in files {
        std::fs::write(dir.path().join(name), text).unwrap();
    }
    let cases: &[(&[&str], i32, &str, &str)] = &[
        (&["plain.sh", "a", "b"], 4, "plain.sh a 2\n", ""),
        (&["./plain.sh", "-x"], 4, "./plain.sh -x 1\n", ""),
        (&["-e", "plain.sh"], 4, "plain.sh 0\n", ""),
        (&["crlf.sh"], 0, "one\ntwo\n", ""),
        (&["bom.sh"], 0, "bom\n", ""),
        (&["--", "-dash.sh"], 0, "dash\n", ""),
        (&["binary"], 126, "", "sh: binary: cannot execute binary file\n"),
        (&["zero"], 126, "", "sh: zero: cannot execute binary file\n"),
        (&["missing.sh"], 127, "", "sh: missing.sh: No such file or directory\n"),
        (&["."], 126, "", "sh: .: Is a directory\n"),
        (&[""], 127, "", "sh: : No such file or directory\n"),
    ];
    for (args, code, stdout, stderr) in cases {
        let output = hookshell(["sh"].iter().chain(*args)).cwd(dir.path()).output();
        let expected = Output { code: Some(*code), stdout: (*stdout).into(), stderr: (*stderr).into() };
        assert_eq!(output, expected, "{args:?}");
    }
    let broken = hookshell(["sh", "dies.sh"]).cwd(dir.path()).output();
    assert_eq!((broken.code, broken.stdout.as_str()), (Some(2), "1\n"));
    assert!(broken.stderr.starts_with("dies.sh: line 2: "), "{}", broken.stderr);
}

/// A script as hooks are: here-documents, continued lines, a sourced library, arrays, traps.
const HOOK: &str = r#"#!/usr/bin/env bash
set -euo pipefail
. ./lib.sh
declare -A seen=()
trap 'echo "bye $?"' EXIT

while IFS=: read -r name value; do
  case $name in
    a|b)
      seen[$name]=$value
      ;;
    *) echo "skip <$name>" ;;
  esac
done <<'DATA'
a:1
c:2
b:3 4
DATA
cat <<-EOF
	a=${seen[a]} \
	b=${seen[b]}
	EOF
text="two
lines"
printf '%s|' "$text" ${#text} 'x
y'; echo
total=$(( 1 + \
  2 )) \
  more=yes
if [[ $text =~ two.lines ]] &&
   greet "$total" $more
then
  exit 3
fi
"#;

#[test]
fn a_script_with_crlf_line_ends_or_a_byte_order_mark_is_its_plain_twin() {
    let crlf = |text: &str| text.replace('\n', "\r\n").into_bytes();
    let library = "# a library\ngreet() {\n  echo \"hello $1\" \\\n    $2\n}\n";
    let utf16: Vec<u8> = "\u{feff}".encode_utf16().chain(HOOK.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let forms: &[(&str, Vec<u8>)] = &[
        ("lf.sh", HOOK.into()),
        ("crlf.sh", crlf(HOOK)),
        ("bom.sh", ["\u{feff}", HOOK].concat().into_bytes()),
        ("bom-crlf.sh", ["\u{feff}".as_bytes(), &*crlf(HOOK)].concat()),
        ("utf16.sh", utf16),
    ];
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in forms {
        std::fs::write(dir.path().join(name), text).unwrap();
        for library in [library.as_bytes().to_vec(), crlf(library)] {
            std::fs::write(dir.path().join("lib.sh"), library).unwrap();
            let output = hookshell(["sh", name]).cwd(dir.path()).output();
            let stdout = "skip <c>\na=1 \tb=3 4\ntwo\nlines|9|x\ny|\nhello 3 yes\nbye 3\n";
            let expected = Output { code: Some(3), stdout: stdout.into(), stderr: String::new() };
            assert_eq!(output, expected, "{name}");
        }
    }
}

#[test]
fn what_reads_the_script_s_output_finds_its_end() {
    let cases = [
        ("exec > >(while read -r line; do echo \"<$line>\"; done); echo x; exit 3", 3, "<x>\n"),
        ("exec 3> >(cat); echo x >&3", 0, "x\n"),
        ("coproc { cat >&2; }; echo hi >&${COPROC[1]}", 0, ""),
    ];
    for (script, code, stdout) in cases {
        let output = sh(&["-c", script]);
        assert_eq!((output.code, output.stdout.as_str()), (Some(code), stdout), "{script}");
    }
}

#[test]
fn without_an_operand_the_script_is_standard_input() {
    let cases: &[(&[&str], &str, i32, &str)] = &[
        (&[], "echo a\nexit 3\necho b\n", 3, "a\n"),
        (&["-s", "x", "y"], "echo $# $2\n", 0, "2 y\n"),
        (&[], "read line\nthis is data\necho \"got $line\"\n", 0, "got this is data\n"),
        (&["-e"], "false\necho no\n", 1, ""),
        (&[], "for i in 1 2\ndo echo $i\ndone", 0, "1\n2\n"),
        (&[], "cat\ndata\nmore\n", 0, "data\nmore\n"),
        (&[], "", 0, ""),
    ];
    for (args, stdin, code, stdout) in cases {
        let output = hookshell(["sh"].iter().chain(*args)).stdin(stdin).output();
        assert_eq!(
            output,
            Output { code: Some(*code), stdout: (*stdout).into(), stderr: String::new() },
            "{args:?} {stdin:?}"
        );
    }
}

#[test]
fn a_background_list_of_shell_code_comes_to_its_end() {
    let output = sh(&["-c", "{ for i in 1 2 3; do :; done; echo late; } & echo early"]);
    assert_eq!(output.code, Some(0));
    let mut lines: Vec<&str> = output.stdout.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["early", "late"]);
}

#[test]
fn under_the_name_of_a_shell_it_is_that_shell() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["sh", "bash"] {
        let path = dir.path().join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
        // A copy that another test's fork has open for writing could not be started.
        #[cfg(unix)]
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_hookshell"), &path).unwrap();
        #[cfg(windows)]
        std::fs::copy(env!("CARGO_BIN_EXE_hookshell"), &path).unwrap();
        let output = program(&path, ["-c", "echo $1; exit 5", "x", "as a shell"]).output();
        assert_eq!(output, Output { code: Some(5), stdout: "as a shell\n".into(), stderr: String::new() }, "{name}");
    }
}

#[test]
fn help_and_version_are_there() {
    let help = sh(&["--help"]);
    assert_eq!(help.code, Some(0));
    assert!(help.stdout.contains("Examples:"), "{}", help.stdout);
    let version = sh(&["--version"]);
    assert_eq!((version.code, version.stderr.as_str()), (Some(0), ""));
    assert!(version.stdout.starts_with("hookshell "), "{}", version.stdout);
}

/// What scripts of Git for Windows have at hand.
#[cfg(windows)]
#[test]
fn a_script_learns_that_it_is_on_windows() {
    let cases = [
        ("command -v cygpath", "cygpath\n"),
        ("cygpath 'C:\\a b\\c' && cygpath -w /c/a/ && cygpath -m '\\\\s\\t'", "/c/a b/c\nC:\\a\\\n//s/t\n"),
        (
            "cygpath -pu 'C:\\a;D:\\b' && cygpath -pw /c/a:/c/b && cygpath -t mixed /c/x",
            "/c/a:/d/b\nC:\\a;C:\\b\nC:/x\n",
        ),
        ("printf 'C:\\\\a\\r\\nb\\n' | cygpath -f -", "/c/a\nb\n"),
        (
            "x=$(cygpath -W) y=$(cygpath -mS) z=$(cygpath -wl /c/windows/system32); echo ${x,,} ${y,,} \"${z,,}\"",
            "/c/windows c:/windows/system32 c:\\windows\\system32\n",
        ),
        (
            "x=$(cygpath -d /c/windows) y=$(cygpath -msa /c/windows/.); echo \"${x,,} ${y,,}\"",
            "c:\\windows c:/windows\n",
        ),
        ("for o in D H O P AD AO AP; do case $(cygpath -w$o) in [A-Z]:\\\\*) ;; *) echo \"$o\" ;; esac; done", ""),
        ("cygpath -ws /c/not/there; echo $?", "2\n"),
        ("[ \"$(cygpath -am .)\" = \"$PWD\" ] && [ \"$(cygpath -w /tmp)\" != /tmp ] && echo ok", "ok\n"),
        (
            "cd /c/windows/.. && pwd -W; cd '\\\\?\\C:\\windows' && pwd; cd //?/C:/windows && pwd",
            "C:/\nC:/windows\nC:/windows\n",
        ),
        (
            "x=$(realpath /c/windows/../windows) y=$(readlink -f /c/windows); echo \"${x,,} ${y,,}\"; [ \"$(realpath /tmp)\" != /tmp ] && echo ok",
            "c:/windows c:/windows\nok\n",
        ),
        ("PATH=/c/windows/system32:/nowhere; which cmd", "/c/windows/system32/cmd.exe\n"),
        ("case $(uname -s) in MINGW*) echo mingw ;; esac", "mingw\n"),
        ("case $(uname -r) in 10.0.[0-9]*) echo release ;; esac", "release\n"),
        (
            "[ \"$(uname -a)\" = \"$(uname -s) $(uname -n) $(uname -r) $(uname -v) $(uname -m) $(uname -o)\" ] && echo all",
            "all\n",
        ),
    ];
    for (script, stdout) in cases {
        let output = sh(&["-c", script]);
        assert_eq!((output.code, &*output.stdout), (Some(0), stdout), "{script}: {output:?}");
    }
    let refused = sh(&["-c", "cygpath -s x"]);
    assert_eq!(
        (refused.code, &*refused.stderr),
        (Some(1), "cygpath: hookshell's own cygpath does not support long or short names without -w or -m\n")
    );
}

/// As the shell of an agent it stands where Git Bash would.
#[cfg(windows)]
#[test]
fn a_program_gets_paths_as_git_bash_gives_them() {
    let directory = tempfile::tempdir().unwrap();
    let bash = directory.path().join("bash.exe");
    std::fs::copy(env!("CARGO_BIN_EXE_hookshell"), &bash).unwrap();
    let arguments = "/c/windows --file=/c/windows/x -I/c/windows /c/windows:/c/windows/system32 /dev/null //nologo \
                     /usr/x https://a/c/windows /c";
    let script = format!("\"$HOOKSHELL\" sh -c 'printf \"%s \" \"$@\"' x {arguments}");
    let run = |path: &std::path::Path, excluded: &[(&str, &str)]| {
        let mut command = program(path, ["-c", &script]).env("HOOKSHELL", env!("CARGO_BIN_EXE_hookshell"));
        for (name, value) in excluded {
            command = command.env(name, value);
        }
        command.output().stdout
    };
    let converted = "C:/windows --file=C:/windows/x -IC:/windows C:\\windows;C:\\windows\\system32 nul /nologo /usr/x \
                     https://a/c/windows /c ";
    assert_eq!(run(&bash, &[]), converted);
    let as_written = format!("{} ", arguments.split_whitespace().collect::<Vec<_>>().join(" "));
    assert_eq!(run(&bash, &[("MSYS_NO_PATHCONV", "1")]), as_written);
    assert_eq!(run(&bash, &[("MSYS2_ARG_CONV_EXCL", "*")]), as_written);
    let partly = run(&bash, &[("MSYS2_ARG_CONV_EXCL", "--file=;/c/windows:")]);
    assert!(
        partly.starts_with("C:/windows --file=/c/windows/x -IC:/windows /c/windows:/c/windows/system32 "),
        "{partly}"
    );
    // A hook's programs get them as they are written.
    let sh = directory.path().join("sh.exe");
    std::fs::copy(env!("CARGO_BIN_EXE_hookshell"), &sh).unwrap();
    assert_eq!(run(&sh, &[]), as_written);
}

#[cfg(unix)]
mod unix {
    use std::process::Command;
    use std::time::Duration;

    use super::sh;
    use super::support::{Output, finish, hookshell};

    /// Runs a script that says `ready`, sends it a signal then, and waits for its end.
    /// The script, or a program of it, may say itself when it is ready.
    fn signalled(script: &str, signal: &str) -> Output {
        let dir = tempfile::tempdir().unwrap();
        let script = if script.contains("> ready") { script.to_owned() } else { format!("echo > ready; {script}") };
        let child = hookshell(["sh", "-c", &script]).cwd(dir.path()).start();
        while !dir.path().join("ready").exists() {
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(Duration::from_millis(100));
        let status = Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status().unwrap();
        assert!(status.success());
        finish(child)
    }

    #[test]
    fn a_death_is_told_of_before_the_trap_of_a_signal_that_came_in_meanwhile() {
        let script = "exec 2>&1; trap 'echo trapped' TERM; die() { sh -c 'kill -TERM $PPID; kill -TERM $$'; }
            die; echo \"after $?\"; sh -c 'kill -TERM $PPID; kill -TERM $$' | cat; if die; then :; fi
            trap 'echo caught; exit 3' TERM; die; echo not here";
        let output = sh(&["-c", script]);
        let expected = "Terminated\ntrapped\nafter 143\ntrapped\nTerminated\ntrapped\nTerminated\ncaught\n";
        assert_eq!((output.code, output.stdout.as_str()), (Some(3), expected), "{}", output.stderr);
    }

    /// `None` as the exit code: the process has died of the signal.
    #[test]
    fn a_signal_ends_the_script_and_runs_its_traps() {
        let cases: &[(&str, &str, Option<i32>, &str)] = &[
            ("sleep 20", "TERM", None, ""),
            ("sleep 20", "INT", None, ""),
            ("while :; do :; done", "HUP", None, ""),
            ("trap 'echo bye' EXIT; while :; do :; done", "INT", None, "bye\n"),
            ("while :; do :; done | while :; do :; done", "TERM", None, ""),
            ("echo printed; (while :; do :; done); echo no", "TERM", None, "printed\n"),
            ("sleep 20 & wait", "TERM", None, ""),
            ("trap 'echo bye' EXIT; sleep 20", "TERM", None, "bye\n"),
            ("trap 'echo trapped; exit 9' TERM; while :; do sleep 0.02; done", "TERM", Some(9), "trapped\n"),
            // As bash: the action runs when the foreground command has ended.
            ("trap 'echo trapped' TERM; sleep 2; echo on", "TERM", Some(0), "trapped\non\n"),
            ("trap 'echo trapped' USR1; sleep 2; echo on", "USR1", Some(0), "trapped\non\n"),
            ("mkfifo p; trap 'echo trapped; exit 4' HUP; read x <> p", "HUP", Some(4), "trapped\n"),
            ("trap 'echo trapped' USR2; sleep 2 > /dev/null 2>&1 & wait; echo $?", "USR2", Some(0), "trapped\n140\n"),
            ("trap '' TERM; sleep 2; echo on", "TERM", Some(0), "on\n"),
            ("trap 'echo no' TERM; trap - TERM; sleep 20", "TERM", None, ""),
            // As bash: INT is what `wait` has ended with, other signals leave `$?`.
            ("trap 'echo $?' EXIT; sleep 20 & (exit 7); wait", "INT", None, "130\n"),
            ("trap 'echo $?' EXIT; sleep 20 & (exit 7); wait $!", "INT", None, "130\n"),
            ("trap 'echo $?' EXIT; sleep 20 & (exit 7); wait -n", "INT", None, "130\n"),
            ("trap 'echo $?' EXIT; sleep 20 & (exit 7); wait", "TERM", None, "7\n"),
        ];
        for (script, signal, code, stdout) in cases {
            let output = signalled(script, signal);
            assert_eq!((output.code, output.stdout.as_str()), (*code, *stdout), "{script} {signal}");
        }
    }

    /// As bash: an INT that the script does not trap is left to the program in the foreground. It ends the script if that dies of it.
    #[test]
    fn an_interrupt_is_left_to_the_program_in_the_foreground() {
        let cases: &[(&str, Option<i32>, &str)] = &[
            ("/bin/sh -c 'echo > ready; sleep 2; exit 3'; echo on $?", Some(0), "on 3\n"),
            (
                "/bin/sh -c 'sleep 2; exit 3' | /bin/sh -c 'echo > ready; cat; exit 4'; echo on ${PIPESTATUS[@]}",
                Some(0),
                "on 3 4\n",
            ),
            (
                "trap 'echo bye $?' EXIT; (exit 7); /bin/sh -c 'echo > ready; sleep 2; kill -INT $$'; echo no",
                None,
                "bye 7\n",
            ),
            ("(/bin/sh -c 'echo > ready; sleep 2; exit 3'; echo within $?); echo on", Some(0), "within 3\non\n"),
            ("timeout 20 sh -c 'echo > ready; sleep 2'; echo on $?", Some(0), "on 0\n"),
            ("x=$(/bin/sh -c 'echo > ready; sleep 2; echo out'; echo in); echo no", None, ""),
            ("echo x | /bin/sh -c 'echo > ready; sleep 2; exit 3'; echo on $?", Some(0), "on 3\n"),
            (
                "shopt -s lastpipe; /bin/sh -c 'sleep 2; exit 3' | /bin/sh -c 'echo > ready'; echo on ${PIPESTATUS[@]}",
                Some(0),
                "on 3 0\n",
            ),
            // Nobody else would end what a pipeline of programs has in this process.
            ("echo 'while :; do :; done' > bare; chmod +x bare; ./bare | /bin/cat; echo no", None, ""),
            ("echo 'while :; do :; done' > bare; chmod +x bare; /bin/sleep 20 | ./bare; echo no", None, ""),
            ("/bin/echo $(while :; do :; done) | /bin/cat; echo no", None, ""),
            ("/bin/sleep 20 | /bin/echo $(while :; do :; done); echo no", None, ""),
            ("mkfifo f; /bin/cat < f | /bin/cat; echo no", None, ""),
        ];
        for (script, code, stdout) in cases {
            let output = signalled(script, "INT");
            assert_eq!((output.code, output.stdout.as_str()), (*code, *stdout), "{script}");
        }
    }

    #[test]
    fn a_script_that_kills_itself_ends_its_process_by_the_signal() {
        assert_eq!(sh(&["-c", "kill -TERM $$; echo no"]).code, None);
        let own = env!("CARGO_BIN_EXE_hookshell");
        let seen = sh(&["-c", "\"$0\" sh -c 'kill -TERM $$'; echo $?", own]);
        assert_eq!((seen.code, seen.stdout.as_str()), (Some(0), "143\n"));
        let trapped = sh(&["-c", "trap 'echo usr' USR1; kill -USR1 $$; echo on"]);
        assert_eq!((trapped.code, trapped.stdout.as_str()), (Some(0), "usr\non\n"));
    }

    #[test]
    fn children_ignore_the_signals_that_the_script_ignores() {
        let cases = [
            ("trap '' INT; sh -c 'kill -INT $$; echo survived'", Some(0), "survived\n"),
            ("trap '' TERM; exec sh -c 'kill -TERM $$; echo survived'", Some(0), "survived\n"),
            ("trap 'echo no' INT; sh -c 'kill -INT $$; echo no'; echo $?", Some(0), "130\n"),
            ("(trap '' INT); sh -c 'kill -INT $$; echo no'; echo $?", Some(0), "130\n"),
            ("sh -c 'kill -INT $$; echo survived' & wait", Some(0), "survived\n"),
        ];
        for (script, code, stdout) in cases {
            let output = sh(&["-c", script]);
            assert_eq!((output.code, output.stdout.as_str()), (code, stdout), "{script}");
        }
    }

    #[test]
    fn signals_that_were_ignored_from_the_start_stay_so() {
        let own = env!("CARGO_BIN_EXE_hookshell");
        let script = "trap 'echo no' INT; trap; kill -INT $$; trap - INT; kill -INT $$; echo on";
        let output = sh(&["-c", "trap '' INT; exec \"$0\" sh -c \"$1\"", own, script]);
        assert_eq!((output.code, output.stdout.as_str()), (Some(0), "trap -- '' SIGINT\non\n"));
    }

    /// Another thread takes a quarter of the start.
    #[test]
    #[cfg(target_os = "linux")]
    fn a_script_of_builtins_runs_on_the_only_thread() {
        let count = "while read -r key value; do case $key in Threads:) echo $value; esac; done < /proc/$$/status";
        assert_eq!(sh(&["-c", &format!("x=$(echo a) && (: $x); {count}")]).stdout, "1\n");
        // What a signal must not leave behind has a thread that hears of it.
        assert_eq!(sh(&["-c", &format!("trap : EXIT; {count}")]).stdout, "2\n");
    }

    #[test]
    fn programs_end_with_the_script_that_a_signal_ends() {
        let dir = tempfile::tempdir().unwrap();
        let script =
            "/bin/sh -c 'trap \"echo ended > ended; exit\" TERM; echo > ready; while :; do sleep 0.05; done'; echo no";
        let child = hookshell(["sh", "-c", script]).cwd(dir.path()).start();
        while !dir.path().join("ready").exists() {
            std::thread::sleep(Duration::from_millis(5));
        }
        Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
        let output = finish(child);
        assert_eq!((output.code, output.stdout.as_str()), (None, ""));
        assert!(dir.path().join("ended").exists());
    }

    #[test]
    fn the_process_id_is_the_real_one() {
        let child = hookshell(["sh", "-c", "echo $$"]).start();
        let id = child.id();
        assert_eq!(finish(child).stdout, format!("{id}\n"));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn descriptors_beyond_the_standard_three_are_the_scripts() {
        let own = env!("CARGO_BIN_EXE_hookshell");
        let dir = tempfile::tempdir().unwrap();
        let script = r#"echo data > in; "$0" sh -c 'read x <&4; echo "got $x" >&3; /bin/cat <&4 >&3' 3>out 4<in"#;
        std::fs::write(dir.path().join("in"), "").unwrap();
        let output = hookshell(["sh", "-c", script, own]).cwd(dir.path()).output();
        assert_eq!(output, Output { code: Some(0), stdout: String::new(), stderr: String::new() });
        assert_eq!(std::fs::read_to_string(dir.path().join("out")).unwrap(), "got data\n");
    }

    #[test]
    fn a_reader_that_goes_away_ends_the_writer() {
        let script = r#""$0" sh -c 'while :; do echo y; done' | head -n 1"#;
        let output = hookshell(["sh", "-c", script, env!("CARGO_BIN_EXE_hookshell")]).output();
        assert_eq!((output.code, output.stdout.as_str()), (Some(0), "y\n"));
    }
}

#[test]
fn a_script_on_standard_input_may_have_crlf_line_ends_and_a_mark() {
    let script = "echo a\r\nif :; then\r\n  echo b\r\nfi\r\nread x\r\ndata\r\necho \"${#x}\"\r\n";
    let expected = Output { code: Some(0), stdout: "a\nb\n5\n".into(), stderr: String::new() };
    for mark in ["", "\u{feff}"] {
        assert_eq!(hookshell(["sh"]).stdin([mark, script].concat()).output(), expected, "{mark:?}");
    }
    // The first line says it: a CR of another one is data.
    let kept = hookshell(["sh"]).stdin(":\nx='a\r\nb'\necho \"${#x}\"\n").output();
    assert_eq!(kept.stdout, "4\n");
}

/// bash's manual, "Bash Startup Files": what BASH_ENV names runs first where the shell is called bash, is not interactive and not in
/// POSIX mode.
#[cfg(unix)]
#[test]
fn bash_env_runs_first_under_the_name_bash() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_hookshell"), path.join("bash")).unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_hookshell"), path.join("sh")).unwrap();
    std::fs::write(path.join("env.sh"), "V=from-env; f() { echo \"f <$V> $1\"; }\n").unwrap();
    std::fs::write(path.join("exit.sh"), "echo early; exit 3\n").unwrap();
    std::fs::write(path.join("script"), "f x; echo \"$# $0\"\n").unwrap();
    std::fs::write(path.join("bare"), "echo \"<$V>\"; echo \"$# ${0/#$PWD/\\$PWD}\"\n").unwrap();
    std::fs::set_permissions(path.join("bare"), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let run = |shell: &str, bash_env: &str, script: &str| {
        let script = format!("{shell} {script}");
        let output = hookshell(["sh", "-c", script.as_str()]).env("BASH_ENV", bash_env).cwd(path).output();
        (output.code.unwrap_or(-1), output.stdout)
    };
    let cases: &[(&str, &str, &str, i32, &str)] = &[
        ("./bash", "env.sh", "-c 'echo \"<$V>\"'", 0, "<from-env>\n"),
        ("./bash", "env.sh", "script 1 2", 0, "f <from-env> x\n2 script\n"),
        ("./bash", "$PWD/${none}env.sh", "-c 'echo \"<$V>\"'", 0, "<from-env>\n"),
        ("./bash", "exit.sh", "-c 'echo late'", 3, "early\n"),
        ("./bash", "nowhere.sh", "-c 'echo late'", 0, "late\n"),
        ("./bash --posix", "env.sh", "-c 'echo \"<$V>\"'", 0, "<>\n"),
        ("./bash -p", "env.sh", "-c 'echo \"<$V>\"'", 0, "<>\n"),
        ("./bash -i", "env.sh", "-c 'echo \"<$V>\"' 2>/dev/null", 0, "<>\n"),
        ("./sh", "env.sh", "-c 'echo \"<$V>\"'", 0, "<>\n"),
        // A script without a `#!` line is run by a copy of the shell; by `env` it is one for sh.
        ("./bash", "env.sh", "-c 'unset -v V; ./bare 1; :'", 0, "<from-env>\n1 ./bare\n"),
        ("./bash", "env.sh", "-c '(exec ./bare); ./bare | cat'", 0, "<from-env>\n0 $PWD/bare\n<from-env>\n0 ./bare\n"),
        ("./bash -p", "env.sh", "-c './bare; :'", 0, "<from-env>\n0 ./bare\n"),
        ("./bash", "env.sh", "-c 'env ./bare'", 0, "<>\n0 ./bare\n"),
        ("./sh", "env.sh", "-c './bare; :'", 0, "<>\n0 ./bare\n"),
    ];
    for (shell, bash_env, script, code, stdout) in cases {
        assert_eq!(run(shell, bash_env, script), (*code, (*stdout).to_owned()), "BASH_ENV={bash_env} {shell} {script}");
    }
}

/// bash: `$!` is the program itself, whatever traps are set; `kill $!` ends it.
#[cfg(target_os = "linux")]
#[test]
fn a_background_program_is_the_last_job_under_functrace() {
    let script = "set -T; trap : DEBUG; f() { /bin/sleep 30 & p=$!; }; f; trap - DEBUG
        for i in 1 2 3 4 5 6 7 8 9 10; do read -r name < /proc/$p/comm; [ $name = sleep ] && break; sleep 0.2; done
        echo $name; kill $p; wait $p; echo $?";
    let output = hookshell(["sh", "-c", script]).env("PATH", "/usr/bin:/bin").output();
    assert_eq!((output.code, output.stdout.as_str()), (Some(0), "sleep\n143\n"));
}
