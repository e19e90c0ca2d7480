//! What runs in process cannot take the host down: each bundled utility, and each part of the shell that keeps what it reads, is
//! fed input without end in a process whose address space is limited. It ends with an error of its own, or continues in bounded
//! memory and hears a TERM; an allocation that fails would abort the process, and every other hook with it.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test's helpers fail the test so")]

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use hookshell_test_support::MAX_WAIT;
use rustix::process::{Pid, Signal, kill_process};

/// The address space of the process, in KiB.
const SPACE: u64 = 1 << 20;

/// What a run may keep where it is shown that all of it is counted, and what the process may take then: itself, with its debug
/// build's frames, buffers, what is there twice while it grows, and one text of 128 MiB, which is counted when it is stored.
const KEEPS: u64 = 24 << 20;
const PEAK_KIB: u64 = 224 << 10;

/// How long a run continues that does not end by itself.
const GOES_ON: Duration = Duration::from_millis(250);

/// Input: what it begins with, and what comes again for ever.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Input {
    None,
    Endless(&'static str, &'static str),
    /// Each number once, so that nothing is the same.
    Lines,
    /// Each member with a key of its own.
    Members,
    /// A file of 30 GB that is nothing but a hole.
    Hole,
}

const LINE: Input = Input::Endless("", "a");
const FIELDS: Input = Input::Endless("", "a ");
const EMPTY_LINES: Input = Input::Endless("", "\n");
const NULS: Input = Input::Endless("", "a\0");

/// What every utility that reads is fed with.
const ALL: &[Input] = &[LINE, FIELDS, Input::Lines, EMPTY_LINES, NULS, Input::Hole];

/// What `jq` is fed with.
const JSON: &[Input] = &[
    Input::Endless("[", "1,"),
    Input::Endless("[", "[],"),
    Input::Endless("[", "{\"a\":1},"),
    Input::Endless("[", "\"a\","),
    Input::Endless("", "["),
    Input::Endless("", "{\"a\":"),
    Input::Endless("", "[1,"),
    Input::Endless("\"", "a"),
    Input::Endless("\"", "\\u0001"),
    Input::Endless("", "1"),
    Input::Endless("", "1 "),
    Input::Members,
    Input::Hole,
];

const NOTHING: &[Input] = &[Input::None];

/// Command lines by the utility that they are about, with what they are fed with.
const UTILITIES: &[(&str, &[Input], &[&str])] = &[
    (
        "awk",
        ALL,
        &[
            "awk 1",
            "awk '{ a[NR] = $0 }'",
            "awk '{ print NF }'",
            "awk '{ $5 = \"x\"; print }'",
            "awk '{ s = s $0 }'",
            "awk 'BEGIN { RS = \";\" } { print $1 }'",
            "awk 'BEGIN { RS = \"\" } { print $1 }'",
            "awk -v RS='[x]+' '{ print $1 }'",
            "awk -f -",
        ],
    ),
    (
        "awk",
        NOTHING,
        &[
            "awk 'BEGIN { while (1) a[i++] = i }'",
            "awk 'BEGIN { x = \"a\"; for (;;) x = x x }'",
            "awk 'BEGIN { printf \"%999999999d\", 1 }'",
            "awk 'BEGIN { printf \"%.999999999f\", 1 }'",
            "awk 'BEGIN { $4000000 = 1; OFS = sprintf(\"%1000000s\", \"\"); $1 = 1; print }'",
            "awk 'function f(n) { return f(n + 1) } BEGIN { f(1) }'",
            "awk 'BEGIN { f = \"%60000000d\"; f = f f f f; f = f f f f; printf f, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 }'",
            "awk 'BEGIN { x = \"a\"; while (1) gsub(/a/, \"aa\", x) }'",
        ],
    ),
    ("b2sum", ALL, &["b2sum", "b2sum -c -"]),
    ("base32", ALL, &["base32", "base32 -d"]),
    ("base64", ALL, &["base64 -w 0", "base64 -d"]),
    ("basenc", ALL, &["basenc --base16", "basenc --z85 -d"]),
    ("cat", ALL, &["cat", "cat -A"]),
    ("cksum", ALL, &["cksum"]),
    ("cmp", ALL, &["cmp - /dev/zero"]),
    ("column", ALL, &["column", "column -t"]),
    ("comm", ALL, &["comm - /dev/null"]),
    ("csplit", ALL, &["csplit - 5", "csplit - /x/"]),
    ("cut", ALL, &["cut -c 1", "cut -f 2", "cut -d x -f 1-3"]),
    ("dd", ALL, &["dd ibs=1 obs=8G", "dd bs=1G", "dd bs=64M count=1000 iflag=fullblock"]),
    ("dd", NOTHING, &["dd if=/dev/zero bs=8G count=1", "dd if=/dev/zero bs=600M count=1", "dd bs=99999999999999999"]),
    ("diff", ALL, &["diff - /dev/null", "diff /dev/null -"]),
    ("du", ALL, &["du --files0-from=-"]),
    ("egrep", ALL, &["egrep 'x|y'"]),
    ("envsubst", ALL, &["envsubst"]),
    ("expand", ALL, &["expand", "expand -t 100000000"]),
    ("expr", ALL, &["expr \"$(cat)\" : x"]),
    (
        "expr",
        NOTHING,
        &[
            "expr \"$(printf %9000000s x)\" : '\\(.*\\)x'",
            "expr index \"$(printf %9000000s x)\" x",
            "expr substr \"$(printf %9000000s x)\" 1 99999999",
        ],
    ),
    ("factor", ALL, &["factor"]),
    ("fgrep", ALL, &["fgrep x"]),
    ("fmt", ALL, &["fmt", "fmt -w 2500"]),
    ("fold", ALL, &["fold -w 99999999", "fold -s"]),
    ("getopt", ALL, &["getopt -o a -- \"$(cat)\""]),
    (
        "grep",
        ALL,
        &[
            "grep x",
            "grep -z x",
            "grep -cv x",
            "grep -o x",
            "grep -P 'x(?=y)'",
            "grep -E '(.)\\1x'",
            "grep -i X",
            "grep -B 100000000 x",
            "grep -m 1 x",
            "grep -f - /dev/null",
            "grep -F -f - /dev/null",
        ],
    ),
    ("hd", ALL, &["hd"]),
    ("head", ALL, &["head -n -1", "head -c -100000000000", "head -n 100000000000"]),
    ("hexdump", ALL, &["hexdump -C"]),
    ("iconv", ALL, &["iconv -f utf-8 -t utf-16"]),
    ("join", ALL, &["join - /dev/null"]),
    ("jq", JSON, &["jq .", "jq --stream -c .", "jq -s .", "jq -n '[inputs]'", "jq --seq ."]),
    ("jq", ALL, &["jq -R .", "jq -Rs ."]),
    (
        "jq",
        NOTHING,
        &[
            "jq -n '[range(1e9)]'",
            "jq -n '[range(1e9) | []]'",
            "jq -n '[range(1e9) | {a: .}]'",
            "jq -n 'def f: [f]; f'",
            "jq -n 'reduce range(1e9) as $i ({}; .[\"k\\($i)\"] = $i)'",
            "jq -n '\"x\" * 1e9'",
            "jq -n '\"x\" * 9000000 | test(\"(a|b|x)*y\")'",
            "jq -n '[.[16777215] = 1 | ., ., .[0] = 1]'",
            "jq -n '\"[1,\" * 10000000 | fromjson'",
            "jq -n '[limit(1e9; repeat(1))] | length'",
        ],
    ),
    ("md5sum", ALL, &["md5sum", "md5sum -c -"]),
    ("nl", ALL, &["nl"]),
    ("numfmt", ALL, &["numfmt"]),
    ("od", ALL, &["od", "od -w100000000", "od -w10000000000"]),
    ("paste", ALL, &["paste - -", "paste -s"]),
    ("paste", NOTHING, &["paste $(printf '/dev/null %.0s' {1..20000}) </dev/null"]),
    ("patch", ALL, &["patch -p0"]),
    ("patch", &[Input::Endless("--- a\n+++ a\n@@ -1,9999999 +1,9999999 @@\n", "+a\n")], &["patch -p0"]),
    ("rev", ALL, &["rev"]),
    ("sed", ALL, &["sed p", "sed -n H", "sed -z p", "sed N", "sed ':a;N;$!ba'", "sed 's/\\(.*\\)x/\\1/'", "sed -f -"]),
    ("seq", NOTHING, &["seq -f %999999999g 1 3", "seq -w 1 1e300", "seq -s \"$(printf %9999999s)\" 1 1e9"]),
    ("sha1sum", ALL, &["sha1sum"]),
    ("sha224sum", ALL, &["sha224sum"]),
    ("sha256sum", ALL, &["sha256sum"]),
    ("sha384sum", ALL, &["sha384sum"]),
    ("sha512sum", ALL, &["sha512sum -c -"]),
    ("shasum", ALL, &["shasum"]),
    ("shuf", ALL, &["shuf", "shuf -z", "shuf -n 3"]),
    ("shuf", NOTHING, &["shuf -i 1-99999999999", "shuf -i 1-100000000", "shuf -n 100000000 -i 1-9999999999"]),
    (
        "sort",
        ALL,
        &["sort", "sort -u", "sort -k2", "sort -z", "sort -c", "sort -m - /dev/null", "sort --files0-from=-"],
    ),
    ("split", ALL, &["split -n l/3", "head -c 20M | split -b 1G", "head -c 20M | split -l 1000000000"]),
    ("strings", ALL, &["strings", "strings -n 100000000"]),
    ("sum", ALL, &["sum"]),
    ("tac", ALL, &["tac", "tac -s xx"]),
    ("tail", ALL, &["tail -n 1", "tail -n +5", "tail -c 100000000000", "tail -n 100000000000"]),
    ("tee", ALL, &["tee /dev/null"]),
    ("timeout", ALL, &["timeout 9 grep x"]),
    ("tr", ALL, &["tr a b", "tr -s a", "tr '\\0' '[a*999999999]'"]),
    ("tsort", ALL, &["tsort"]),
    ("unexpand", ALL, &["unexpand -a", "unexpand -t 100000000"]),
    ("uniq", ALL, &["uniq", "uniq -c", "uniq -D", "uniq -f 100000000"]),
    ("wc", ALL, &["wc -L", "wc --files0-from=-"]),
    ("xargs", ALL, &["xargs", "xargs -0", "xargs -n 1 echo", "xargs -d x", "xargs -I{} echo {}"]),
    ("xxd", ALL, &["xxd", "xxd -p", "xxd -r", "xxd -c 100000"]),
    ("yes", ALL, &["yes \"$(cat)\""]),
    ("date", NOTHING, &["date +%999999999d", "date +%99999999999999N", "date -f \"$HOLE\""]),
    ("find", NOTHING, &["find / -maxdepth 0 -printf %999999999p", "find / -maxdepth 0 $(printf '( %.0s' {1..20000})"]),
    ("ls", NOTHING, &["ls -w 99999999999 /", "ls -T 99999999999 /"]),
    ("stat", NOTHING, &["stat -c %999999999n /", "stat --printf=%999999999n /"]),
    ("truncate", NOTHING, &["truncate -s 30G file && cat file"]),
    ("basename", ALL, &["basename \"$(cat)\""]),
    ("env", ALL, &["env -S \"$(cat)\" true"]),
    ("nice", ALL, &["nice cat"]),
    ("nohup", ALL, &["nohup tac 2>/dev/null"]),
    ("setsid", ALL, &["setsid cat"]),
    ("stdbuf", ALL, &["stdbuf -oL cat"]),
    ("less", ALL, &["less"]),
    ("more", ALL, &["more"]),
    ("pgrep", ALL, &["pgrep \"$(cat)\""]),
    ("pkill", NOTHING, &["pkill -0 \"$(printf '(%.0s' {1..20000})\""]),
    ("tput", ALL, &["tput -S"]),
];

/// Those that keep nothing of what they are given: names of files, numbers, the state of the system.
const SMALL: &[&str] = &[
    "arch", "chgrp", "chmod", "chown", "cp", "df", "dir", "dirname", "flock", "groups", "hostname", "id", "install",
    "link", "ln", "logname", "mkdir", "mkfifo", "mktemp", "mv", "nproc", "pathchk", "printenv", "readlink", "realpath",
    "rm", "rmdir", "sleep", "sync", "touch", "tree", "tty", "uname", "unlink", "uuidgen", "vdir", "which", "whoami",
];

/// The shell itself.
const SHELL: &[(&[Input], &[&str])] = &[
    (
        ALL,
        &[
            "read x",
            "read -r x",
            "read -d '' x",
            "read -a x",
            "read -N 100000000000 x",
            "while read x; do :; done",
            "mapfile",
            "mapfile -d x a",
            "mapfile -t -n 100000000 a",
            "x=$(cat)",
            "x=$(</dev/stdin)",
            ". /dev/stdin",
            "cat <<<\"$(cat)\"",
            "set -- $(cat)",
            "printf %s \"$(cat)\"",
            "x=($(cat))",
            "x=$(cat); y=${x//a/bcd}",
        ],
    ),
    (
        NOTHING,
        &[
            "x=x; while :; do x=$x$x; done",
            "x=x; while :; do x=${x//x/xx}; done",
            "while :; do a+=(x); done",
            "x=$(yes)",
            "a=({1..9999999})",
            "echo {1..99999}{1..99999}",
            "printf %999999999d 1",
            "printf %.999999999f 1",
            "printf -v x %999999999s",
            "declare -A m; i=0; while :; do m[$((i++))]=1; done",
            "i=0; while :; do eval \"f$((i++))() { :; }\"; done",
            "while :; do set -- \"$@\" \"$@\" x; done",
            "f() { f; }; f",
            "f() { f | f; }; f",
            "x=$(</dev/zero)",
            "read x </dev/zero",
            "x=$(printf %9000000s x); a=($(echo ${x// / a}))",
            "x=$(printf %9000000s x); eval \"${x// /:;}\"",
            "x=$(printf %900000s x); eval \"${x// /\\$(}\"",
            "x=$(printf %900000s x); echo $((${x// /(}))",
            ". \"$HOLE\"",
        ],
    ),
];

struct GuestOutcome {
    seen: String,
    peak_kib: u64,
    failure: Option<String>,
}

/// Runs a script in a process with so much address space, until it ends or has gone on for long enough.
fn run(script: &str, input: Input, limit: Option<u64>, directory: &Path) -> GuestOutcome {
    let hole = directory.join("hole");
    let mut command = Command::new("/bin/sh");
    command.args(["-c", "ulimit -v \"$0\" && ulimit -c 0 && exec \"$@\"", &SPACE.to_string()]);
    command.args([env!("CARGO_BIN_EXE_hookshell-under-test"), "sh"]);
    if let Some(limit) = limit {
        command.args(["--limit", &format!("state-bytes={limit}")]);
    }
    command
        .args(["-c", script])
        .current_dir(directory)
        .env_clear()
        .env("PATH", "/nonexistent")
        .env("LC_ALL", "C.UTF-8");
    command.env("HOLE", &hole).stdout(Stdio::null()).stderr(Stdio::piped()).process_group(0);
    command.stdin(match input {
        Input::None => Stdio::null(),
        Input::Hole => File::open(hole).unwrap().into(),
        _ => Stdio::piped(),
    });
    let mut child = command.spawn().unwrap();
    if let Some(stdin) = child.stdin.take() {
        thread::spawn(move || feed(input, stdin));
    }
    let mut stderr = child.stderr.take().unwrap();
    let (sender, said) = std::sync::mpsc::channel();
    thread::spawn(move || {
        let mut text = Vec::new();
        let _ = (&mut stderr).take(64 << 10).read_to_end(&mut text);
        let _ = sender.send(text);
        let _ = std::io::copy(&mut stderr, &mut std::io::sink());
    });
    let (status, peak_kib) = wait(&mut child);
    let text = said.recv_timeout(MAX_WAIT).unwrap_or_default();
    let text = String::from_utf8_lossy(&text).into_owned();
    let seen = text.lines().next().unwrap_or_default().chars().take(160).collect();
    let failure = match status {
        None => Some("it does not hear TERM".to_owned()),
        Some(status) if status.signal().is_some_and(|signal| signal != Signal::TERM.as_raw()) => {
            Some(status.to_string())
        }
        Some(_) if text.contains("memory allocation of") || text.contains("panicked at") => Some(text.clone()),
        Some(_) => None,
    };
    GuestOutcome { seen, peak_kib, failure }
}

fn feed(input: Input, mut stdin: impl Write) {
    const BLOCK: usize = 1 << 16;
    let (begin, unit) = match input {
        Input::Endless(begin, unit) => (begin, unit),
        Input::Members => ("{", ""),
        Input::None | Input::Hole | Input::Lines => ("", ""),
    };
    let block = unit.repeat(BLOCK / unit.len().max(1));
    let mut number = 0;
    let mut next = || match input {
        Input::Endless(..) => block.clone(),
        _ => {
            number += 4096;
            let is_member = input == Input::Members;
            let part = |at| if is_member { format!("\"k{at}\":{at},") } else { format!("{at}\n") };
            (number - 4096..number).map(part).collect()
        }
    };
    let mut written = stdin.write_all(begin.as_bytes());
    while written.is_ok() {
        written = stdin.write_all(next().as_bytes());
    }
}

/// Waits for the end, which it is told after a while; `None`: it does not come. With the most memory that was seen.
fn wait(child: &mut Child) -> (Option<std::process::ExitStatus>, u64) {
    let group = Pid::from_child(child);
    let since = Instant::now();
    let mut peak_kib = 0;
    let mut is_told = false;
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return (Some(status), peak_kib);
        }
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.split_whitespace().next()?.parse().ok());
        peak_kib = peak_kib.max(peak.unwrap_or(0));
        if !is_told && since.elapsed() > GOES_ON {
            is_told = true;
            let _ = kill_process(group, Signal::TERM);
        }
        if since.elapsed() > MAX_WAIT {
            let _ = child.kill();
            let _ = child.wait();
            return (None, peak_kib);
        }
        thread::sleep(Duration::from_millis(5));
    }
}

/// Runs them all, some at a time.
fn check(cases: &[(String, Input)], limit: Option<u64>) {
    let directory = tempfile::tempdir().unwrap();
    File::create(directory.path().join("hole")).unwrap().set_len(30 << 30).unwrap();
    let next = AtomicUsize::new(0);
    let failures = std::sync::Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(2, std::num::NonZero::get).min(4) {
            scope.spawn(|| {
                while let Some((script, input)) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let ran = run(script, *input, limit, directory.path());
                    let too_much = limit.is_some() && ran.peak_kib > PEAK_KIB;
                    let failure = ran.failure.or_else(|| too_much.then(|| format!("{} KiB", ran.peak_kib)));
                    if let Some(failure) = failure {
                        failures.lock().unwrap().push(format!("{script} < {input:?}: {failure}; {}", ran.seen));
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap();
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), cases.len(), failures.join("\n"));
}

fn of_utilities(names: impl Fn(&str) -> bool) -> Vec<(String, Input)> {
    let wanted = UTILITIES.iter().filter(|(name, ..)| names(name));
    wanted
        .flat_map(|(_, inputs, scripts)| {
            scripts.iter().flat_map(|script| inputs.iter().map(|input| ((*script).to_owned(), *input)))
        })
        .collect()
}

#[test]
fn every_utility_that_keeps_something_is_fed() {
    let fed: BTreeSet<&str> = UTILITIES.iter().map(|(name, ..)| *name).chain(SMALL.iter().copied()).collect();
    let bundle = hookshell_utilities::standard();
    /// Functions of the interpreter in the first place.
    const ELSEWHERE: &[&str] = &["[", "echo", "false", "kill", "printf", "pwd", "test", "true"];
    let missing: Vec<&str> = bundle.names().filter(|name| !fed.contains(name) && !ELSEWHERE.contains(name)).collect();
    assert!(missing.is_empty(), "not fed: {missing:?}");
}

#[test]
fn awk_grep_sed_and_sort_count_all_that_they_keep() {
    check(&of_utilities(|name| matches!(name, "awk" | "grep" | "sed" | "sort")), Some(KEEPS));
}

#[test]
fn jq_counts_all_that_it_keeps() {
    check(&of_utilities(|name| name == "jq"), Some(KEEPS));
}

#[test]
fn other_utilities_count_all_that_they_keep() {
    check(&of_utilities(|name| !matches!(name, "awk" | "grep" | "sed" | "sort" | "jq")), Some(KEEPS));
}

#[test]
fn the_shell_counts_all_that_it_keeps() {
    let cases = SHELL.iter().flat_map(|(inputs, scripts)| {
        scripts.iter().flat_map(|script| inputs.iter().map(|input| ((*script).to_owned(), *input)))
    });
    check(&cases.collect::<Vec<_>>(), Some(KEEPS));
}

/// Users that nobody else is: what is limited is the threads of all processes of one.
static USERS: AtomicU32 = AtomicU32::new(64_000);

/// Runs `hookshell run` of these hooks with so much address space (KiB) and so many threads and processes, and sends it a TERM after
/// a while: its exit status or signal, and its output. `None`: it does not end.
fn run_hooks(
    hooks: &str,
    space: Option<u64>,
    threads: Option<u64>,
    term: Option<Duration>,
) -> Option<(String, String)> {
    use std::os::unix::fs::PermissionsExt;
    let directory = tempfile::tempdir().unwrap();
    let (config, program) = (directory.path().join("config.json"), directory.path().join("hookshell"));
    std::fs::write(&config, hooks).unwrap();
    std::fs::set_permissions(directory.path(), PermissionsExt::from_mode(0o777)).unwrap();
    // Another user may not get to where it was built.
    std::fs::copy(env!("CARGO_BIN_EXE_hookshell-under-test"), &program).unwrap();
    // Limits may not be set for another user's process from outside.
    let mut script = String::new();
    for (option, limit) in [('v', space), ('u', threads)] {
        if let Some(limit) = limit {
            script.push_str(&format!("ulimit -{option} {limit} && "));
        }
    }
    script.push_str("exec \"$0\" \"$@\"");
    let mut command = Command::new(&program);
    command.args(["sh", "-c", &script]).arg(&program).args(["run", "PreToolUse", "--dialect", "claude"]);
    command.arg("--config").arg(&config).args(["--no-hooks", "--tool", "Bash", "--input", "{}", "--no-log"]);
    command.current_dir(directory.path()).env_clear().env("HOME", directory.path()).env("PATH", "/usr/bin:/bin");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    if threads.is_some() && rustix::process::geteuid().is_root() {
        let user = USERS.fetch_add(1, Ordering::Relaxed);
        command.uid(user).gid(user);
    }
    // A process that another test starts may still hold the copy open for writing.
    let child = loop {
        match command.spawn() {
            Err(error) if error.kind() == std::io::ErrorKind::ExecutableFileBusy => {
                thread::sleep(Duration::from_millis(5));
            }
            child => break child.unwrap(),
        }
    };
    let pid = Pid::from_child(&child);
    if let Some(after) = term {
        thread::sleep(after);
        kill_process(pid, Signal::TERM).unwrap();
    }
    let (sender, ended) = std::sync::mpsc::channel();
    thread::spawn(move || sender.send(child.wait_with_output().unwrap()));
    let Ok(output) = ended.recv_timeout(MAX_WAIT) else {
        let _ = kill_process(pid, Signal::KILL);
        return None;
    };
    let said = [output.stdout, output.stderr].concat();
    Some((output.status.to_string(), String::from_utf8_lossy(&said).into_owned()))
}

/// So many hooks that do nothing, and one after them that denies.
fn hooks(count: usize, command: &str) -> String {
    let mut hooks: Vec<String> =
        (0..count).map(|at| format!(r#"{{"type":"command","timeout":50,"command":"{command} # {at}"}}"#)).collect();
    hooks.push(r#"{"type":"command","timeout":50,"command":"echo guarded >&2; exit 2"}"#.to_owned());
    format!(r#"{{"hooks":{{"PreToolUse":[{{"matcher":"*","hooks":[{}]}}]}}}}"#, hooks.join(","))
}

#[test]
fn hooks_that_have_no_thread_of_their_own_wait_for_one_and_none_is_lost() {
    for (space, threads) in [(Some(400 << 10), None), (Some(SPACE), None), (None, Some(40)), (None, Some(5))] {
        let threads = threads.filter(|_| rustix::process::geteuid().is_root());
        let (status, said) = run_hooks(&hooks(400, "cat >/dev/null; sleep 0.01"), space, threads, None).unwrap();
        assert!(status.ends_with(": 2"), "{space:?} {threads:?}: {status}: {said}");
        assert!(said.contains("guarded") && !said.contains("no thread"), "{space:?} {threads:?}: {said}");
    }
}

#[test]
fn where_no_thread_can_be_started_each_hook_fails_and_nothing_hangs() {
    let (status, said) = run_hooks(&hooks(400, ":"), None, Some(1), None).unwrap();
    assert!(status.ends_with(": 0"), "{status}: {said}");
    assert!(said.matches("no thread can be started").count() >= 401, "{said}");
}

#[test]
fn a_term_is_heard_while_hooks_wait_for_threads() {
    for (space, threads) in [(Some(400 << 10), None), (None, Some(5)), (None, Some(1))] {
        let since = Instant::now();
        let ended = run_hooks(&hooks(400, "trap : TERM; sleep 40"), space, threads, Some(Duration::from_millis(500)));
        let (status, said) = ended.unwrap();
        assert!(
            since.elapsed() < Duration::from_secs(20),
            "{space:?} {threads:?}: {:?}: {status}: {said}",
            since.elapsed()
        );
    }
}
