//! What `hookshell check` says of shell code that not every sh takes, beside what dash and bash make of it.
#![allow(clippy::unwrap_used, reason = "test helpers: a panic fails the test")]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod support;

use std::path::Path;

use serde_json::json;
use support::{Output, hookshell};

/// The report of one command of a config.
fn portable(dir: &Path, code: &str) -> Output {
    let config = json!({ "hooks": { "PreToolUse": [{ "command": code }] } });
    std::fs::write(dir.join("c.json"), config.to_string()).unwrap();
    hookshell(["check", "--portable", "c.json"]).cwd(dir).output()
}

/// Shell code, and what is not portable in it; nothing where every sh takes it.
const PORTABILITY: &[(&str, &str)] = &[
    ("[[ a == b ]]", "`[[` is not in POSIX"),
    ("f() { if true; then [[ a == b ]]; fi; }; f", "`[[` is not in POSIX"),
    ("((x=1)); echo $x", "`((` is not in POSIX"),
    ("for ((i=0; i<1; i++)); do :; done", "`((` is not in POSIX"),
    ("a=(1 2)", "an array is not in POSIX"),
    ("a[1]=2", "an array is not in POSIX"),
    ("echo ${a[0]}", "an array is not in POSIX"),
    ("a+=b", "`+=` is not in POSIX"),
    ("export a+=b", "`+=` is not in POSIX"),
    ("function f { :; }", "`function` is not in POSIX"),
    ("select x in a; do :; done", "`select` is not in POSIX"),
    ("coproc cat", "`coproc` is not in POSIX"),
    ("echo a &>f", "`&>` is not in POSIX"),
    ("echo a &>>f", "`&>>` is not in POSIX"),
    ("echo a >& f", "`>&` with a file is not in POSIX"),
    ("echo a |& cat", "`|&` is not in POSIX"),
    ("cat <<<x", "`<<<` is not in POSIX"),
    ("cat <(echo x)", "a process substitution is not in POSIX"),
    ("exec {fd}>/dev/null", "`{name}>` is not in POSIX"),
    ("case a in a) echo a ;& b) echo b ;; esac", "`;&` is in POSIX only since 2024"),
    ("case a in a) echo a ;;& a) echo b ;; esac", "`;;&` is not in POSIX"),
    ("echo {a,b}", "a brace expansion is not in POSIX"),
    ("x=$([[ a ]] && echo b); echo $x", "`[[` is not in POSIX"),
    ("x=aba; echo ${x//a/b}", "`${x/pattern/text}` is not in POSIX"),
    ("x=aba; echo \"${x:1}\"", "`${x:offset}` is not in POSIX"),
    ("x=aba; echo ${x^^}", "(a change of case) is not in POSIX"),
    ("x=y; echo ${!x}", "`${!x}` is not in POSIX"),
    ("x=y; echo ${x@Q}", "`${x@Q}` is not in POSIX"),
    ("x=y; echo ${z:-${x@Q}}", "`${x@Q}` is not in POSIX"),
    ("cat <<E\n${x^}\nE", "(a change of case) is not in POSIX"),
    ("echo $'a\\tb'", "`$'…'` is in POSIX only since 2024"),
    ("echo $\"a\"", "`$\"…\"` is not in POSIX"),
    ("echo $[1+1]", "`$[…]` is not in POSIX"),
    ("x=1; echo $((x++))", "`++` in arithmetic is not in every sh"),
    ("x=1; echo $((1 + --x))", "`--` in arithmetic is not in every sh"),
    ("echo $((2**3))", "`**` in arithmetic is not in POSIX"),
    ("echo $((1,2))", "`,` in arithmetic is not in every sh"),
    ("source ./x", "`source` is not in POSIX"),
    ("declare -r x=1", "`declare` is not in POSIX"),
    ("popd", "`popd` is not in POSIX"),
    ("[ a == a ]", "`==` of `[` is not in POSIX: write `=`"),
    ("x=a; [ \"$x\" == a ] && echo same", "`==` of `[` is not in POSIX: write `=`"),
    ("test a == a", "`==` of `[` is not in POSIX: write `=`"),
    ("[ -n a -a a == a ]", "`==` of `[` is not in POSIX: write `=`"),
    ("[ -v HOME ]", "`-v` of `[` is not in POSIX"),
    ("[ ! -v HOME ]", "`-v` of `[` is not in POSIX"),
    ("echo -e 'a\\tb'", "`echo -e` is not in POSIX"),
    ("echo -ne 'a\\tb'", "`echo -e` is not in POSIX"),
    ("read -t 1 x </dev/null", "`read -t` is not in POSIX"),
    ("read </dev/null; echo $?", "`read` without a variable is not in POSIX"),
    ("read -r </dev/null; echo $?", "`read` without a variable is not in POSIX"),
    ("read -r -d '' x </dev/null", "`read -d` is in POSIX only since 2024"),
    ("trap : ERR", "`trap … ERR` is not in POSIX"),
    ("trap : SIGINT", "`SIGINT` is not in every sh: write `INT`"),
    ("kill -SIGCONT $$", "`SIGCONT` is not in every sh: write `CONT`"),
    ("kill -s SIGCONT $$", "`SIGCONT` is not in every sh: write `CONT`"),
    ("printf -v x hi; echo $x", "`printf -v` is not in POSIX"),
    ("printf '%q' 'a b'", "`printf %q` and `%(…)T` are not in POSIX"),
    ("f() { :; }; export -f f", "`export -f` is not in POSIX"),
    ("exec -a x true", "`exec -a` is not in POSIX"),
    ("set -o pipefail", "`set -o pipefail` is in POSIX only since 2024"),
    ("set -euo pipefail; echo a", "`set -o pipefail` is in POSIX only since 2024"),
    ("set -eT; echo a", "`set -T` is not in every sh"),
    ("set +B; echo a", "`set -B` is not in every sh"),
    ("(exit -1); echo $?", "`exit` with a negative number"),
    ("f() { return -1; }; (f; echo $?); echo a", "`return` with a negative number"),
    ("printf '\\x41\\n'", "`\\x` and `\\u` of `printf`"),
    ("printf '\\101 \\\\x41\\n'", ""),
    ("[ -a / ] && echo a", "`-a FILE` of `[`"),
    ("[ a -a b ] && echo a", ""),
    ("[ -o errexit ]; echo $?", "`-o OPTION` of `[`"),
    ("[ a -o b ] && [ -o ] && echo a", ""),
    ("suspend", "`suspend` is not in POSIX"),
    ("echo \"${#HOSTNAME}\"", "the variable `HOSTNAME`"),
    ("echo 'echo \"$1\"' > x; . ./x b", "`.` with arguments"),
    ("set -o errtrace", "`set -o errtrace` is not in POSIX"),
    ("wait -n", "`wait -n` is not in POSIX"),
    ("type -t ls", "`type -t` is not in POSIX"),
    ("unset -n x", "`unset -n` is not in POSIX"),
    ("f() { local -r x=1; echo $x; }; f", "`local -r` is not in POSIX"),
    ("echo $EUID", "the variable `EUID` is not in POSIX"),
    ("[ -n \"$BASHPID\" ] && echo a", "the variable `BASHPID` is not in POSIX"),
    ("echo $(< /etc/passwd)", "`$(< file)` is not in POSIX: write `$(cat file)`"),
    ("my-func() { echo a; }; my-func", "`my-func': not a valid function name"),
    ("for i in a; { echo $i; }", "syntax error near unexpected token `{'"),
    ("x=`echo a \\\\b; [[ a ]] && echo b`; echo $x", "`[[` is not in POSIX"),
    ("exec 10>/dev/null; echo $?", "a descriptor of two digits"),
    ("exec 9>&1; echo a >&10; echo $?; exec 3>&09", "a descriptor of two digits"),
    ("case x in [^a]) echo a ;; esac", "`[^…]` in a pattern"),
    (": > b; for i in [^a]; do echo $i; done; echo [^a]", "`[^…]` in a pattern"),
    ("x=ab; echo ${x#[^b]} \"${x%%[^a]*}\"", "`[^…]` in a pattern"),
    ("echo 'a\\nb'", "`echo` reads escapes"),
    ("x=1; echo \"$x\\tb\" \\\\\\\\", "`echo` reads escapes"),
    ("[ -N / ]; echo $?", "`-N` of `[` is not in POSIX"),
    ("test ! -R HOME; echo $?", "`-R` of `[` is not in POSIX"),
    ("trap -p; echo a", "`trap -p` is in POSIX only since 2024"),
    ("hash -d ls 2>/dev/null; hash ls; hash -d ls; echo $?", "`hash -d` is not in POSIX"),
    ("ulimit -u >/dev/null; echo $?", "`ulimit -u` is not in POSIX"),
    ("umask -p >/dev/null; echo $?", "`umask -p` is not in POSIX"),
    ("jobs -r; echo $?", "`jobs -r` is not in POSIX"),
    ("alias -p; echo $?", "`alias -p` is not in POSIX"),
    ("history; echo $?", "`history` is not in POSIX"),
    // What every sh takes.
    ("exec 9>&1; echo a >&9; n=11; exec 9>&-; case '[^a]' in '[^a]'|\\[^b) echo \"[^a]\";; [!x]*) ;; esac", ""),
    ("echo 'a\\d' \"\\$x\" a\\nb \"C:\\Users\" '\\' \"\\\"\"; printf 'a\\nb\\n'; echo \\[^a]", ""),
    (
        "[ -N = -N ] && [ -R ]; echo $?; trap -- : EXIT; trap - EXIT; umask -S; umask 22; hash -r; unalias -a; jobs -l; echo a",
        "",
    ),
    ("f() { local x=1; }; case a in [[]) echo {a} \"$(ls)\" $((1+1)) a=b;; esac", ""),
    ("X=1 cat </dev/null >>g 2>&1 | wc -l && ! test a = b || exit 1", ""),
    ("exec 3>&1; echo a >&3; n=3; echo b >&$n; exec 3>&-", ""),
    ("x=aba; echo ${x#a} ${x%%b*} ${#x} ${y:-z} ${y:=w} ${x:+v}", ""),
    ("[ = = = ] && [ == = == ] && [ -v = -v ] && [ -n == ] && echo a", ""),
    ("[ \"$1\" != == ]; echo $?", ""),
    ("echo -n a; echo a -e; printf '%s\\n' -v '%q'; printf -- '-v%%q'", ""),
    ("read -r x </dev/null; echo \"$x\"", ""),
    ("x=y; read -r $x </dev/null; read -p a x </dev/null; echo \"$y\"", ""),
    ("trap : INT TERM EXIT 0; trap - INT; kill -CONT $$; kill -s CONT $$; kill -0 $$", ""),
    ("export x=1; export -p >/dev/null; readonly y=2; command -v ls; unset -v x; cd -P . && pwd -L >/dev/null", ""),
    ("set -eu; set -o noglob; set +o noglob; set -- -o pipefail; echo \"$2\"", ""),
    ("x=`printf '%s ' \\\\\\\\ '\\\\' 'b$' 'c'`; echo ${#x}", ""),
    ("case `(set -o) 2>/dev/null` in *functrace*) set -o functrace ;; esac; echo a", ""),
    ("if (set -o pipefail) 2>/dev/null; then set -o pipefail; fi; echo a", ""),
    ("echo \"$'a'\" '$\"b\"' \\$'c' \"$$\"'d' >/dev/null", ""),
    ("OSTYPE=5; echo $OSTYPE", ""),
    ("[ -z \"$BASH_VERSION\" ] || :; echo ${RANDOM:-4} >/dev/null; echo a", ""),
    ("pushd() { echo mine \"$1\"; }; pushd /", ""),
    ("x=1; echo $((x + 1)) $((x == 1 ? 2 : 3)) $((- -x))", ""),
    ("cat <<'E'\n${x^^} $'a' [[\nE", ""),
    ("echo a,b {a {} }a '{a,b}'", ""),
    ("echo \"$(< /dev/null cat)\" a", ""),
    ("x=5; TIME=$(( $(echo 3 | cut -d' ' -f1) % $x )); echo $TIME", ""),
];

#[test]
fn what_a_posix_shell_takes_for_something_else_is_not_portable() {
    let dir = tempfile::tempdir().unwrap();
    for &(code, expected) in PORTABILITY {
        let output = portable(dir.path(), code);
        let findings: Vec<_> = output.stdout.lines().filter(|line| line.contains("not portable to every sh")).collect();
        assert_eq!(findings.len(), usize::from(!expected.is_empty()), "{code}: {output:?}");
        assert!(findings.iter().all(|finding| finding.contains(expected)), "{code}: {output:?}");
    }
}

/// dash is the sh of Debian and Ubuntu: what is said to be portable does there what it does in bash, and nothing else does. (macOS
/// has an older bash.)
#[cfg(target_os = "linux")]
#[test]
fn what_is_not_portable_differs_between_dash_and_bash() {
    use std::process::{Command, Stdio};

    if !hookshell_test_support::has_all(&["dash", "bash"]) {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let run = |shell: &str, code: &str| {
        let mut command = Command::new(shell);
        command.arg("-c").arg(format!("{code}\n")).current_dir(dir.path()).stdin(Stdio::null());
        let output = command.output().unwrap();
        (output.status.code(), output.stdout)
    };
    let mut wrong = Vec::new();
    for &(code, expected) in PORTABILITY {
        let (in_dash, in_bash) = (run("dash", code), run("bash", code));
        if (in_dash == in_bash) != expected.is_empty() {
            wrong.push(format!("{code}: dash {in_dash:?}, bash {in_bash:?}"));
        }
    }
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn a_script_for_sh_has_each_line_that_is_not_portable() {
    let dir = tempfile::tempdir().unwrap();
    let script =
        "#!/bin/sh\nset -euo pipefail\n[[ a ]] && [[ b ]]\n# hookshell: ignore=HS401\na=(1)\necho ${x^^} <<<y\n";
    std::fs::write(dir.path().join("guard.sh"), script).unwrap();
    // Where there is no sh, or it is not to be asked, this shell runs it: elsewhere sh does all the same.
    for shell_scripts in ["installed", "in-process"] {
        let output = hookshell(["check", "--shell-scripts", shell_scripts, "guard.sh"]).cwd(dir.path()).output();
        let lines: Vec<_> =
            output.stdout.lines().filter_map(|line| line.split_once(": warning: ")).map(|(at, _)| at).collect();
        assert_eq!(lines, ["guard.sh:2:1", "guard.sh:3:1", "guard.sh:6:1", "guard.sh:6:1"], "{output:?}");
        assert!(output.stdout.ends_with("1 file, 1 hook, 4 findings, 1 ignored\n"), "{output:?}");
    }
}
