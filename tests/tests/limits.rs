//! Every limit, hit on purpose: an error that names it, a status of 1 or 2, and the host continues.
#![allow(clippy::unwrap_used, clippy::panic, reason = "test helpers: a panic fails the test")]

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hookshell_dispatch::{Command, Dispatcher, End, Invocation, Outcome, Platform, ProgramExecutor};
use hookshell_shell::{
    Capture, Exit, ExitCause, FIRST_VIRTUAL_ID, FdTable, Identity, Limits, Pool, RunToken, Shell, ShellConfig, Stream,
};
use hookshell_syntax::{Dialect, ParseOptions, parse_program};
use hookshell_test_support::{MAX_WAIT, within};

/// Limits that differ from the defaults, the script, what it writes, and the end of the message.
type Case = (&'static [&'static str], &'static str, &'static str, &'static str);

/// Those that end the run.
const ENDING: &[Case] = &[
    (&["state-bytes=16M"], "yes | tac; echo no", "", "limit state-bytes of 16777216 reached: tac keeps more in memory"),
    (
        &["state-bytes=16M"],
        "yes | tr -d '\\n' | rev; echo no",
        "",
        "limit state-bytes of 16777216 reached: rev keeps more in memory",
    ),
    (
        &["state-bytes=16M"],
        "yes | tr -d '\\n' | sort; echo no",
        "",
        "limit state-bytes of 16777216 reached: sort keeps more in memory",
    ),
    (
        &["state-bytes=16M"],
        "yes | shuf; echo no",
        "",
        "limit state-bytes of 16777216 reached: shuf keeps more in memory",
    ),
    (
        &["state-bytes=16M"],
        "yes | tail -n 99999999; echo no",
        "",
        "limit state-bytes of 16777216 reached: tail keeps more in memory",
    ),
    (
        &["state-bytes=16M"],
        "yes | tail -c 99999999; echo no",
        "",
        "limit state-bytes of 16777216 reached: tail keeps more in memory",
    ),
    (
        &["state-bytes=16M"],
        "yes | head -n -99999999; echo no",
        "",
        "limit state-bytes of 16777216 reached: head keeps more in memory",
    ),
    (
        &["state-bytes=16M"],
        "yes | awk '{ a[NR] = $0 }'; echo no",
        "",
        "limit state-bytes of 16777216 reached: awk keeps more in memory",
    ),
    (
        &["state-bytes=16M"],
        "yes | tr -d '\\n' | awk 1; echo no",
        "",
        "limit state-bytes of 16777216 reached: awk keeps more in memory",
    ),
    (
        &["state-bytes=16M"],
        "jq -n '[limit(1000000; repeat(\"x\" * 100000 + \"y\"))] | length'; echo no",
        "",
        "limit state-bytes of 16777216 reached: jq keeps more in memory",
    ),
    (
        &["state-bytes=64M"],
        "jq -n '[foreach range(10000) as $i ([range(10000)]; .[$i] = \"x\")] | length'; echo no",
        "",
        "limit state-bytes of 67108864 reached: jq keeps more in memory",
    ),
    (
        &["state-bytes=64M"],
        "jq -n '\"x\" * 10000000 | [match(\".\"; \"g\")] | length'; echo no",
        "",
        "limit state-bytes of 67108864 reached: jq keeps more in memory",
    ),
    (
        &["state-bytes=16M"],
        "yes | jq -Rs .; echo no",
        "",
        "limit state-bytes of 16777216 reached: jq keeps more in memory",
    ),
    (
        &["state-bytes=16M"],
        "yes 1 | jq -s .; echo no",
        "",
        "limit state-bytes of 16777216 reached: jq keeps more in memory",
    ),
    (
        &["state-bytes=16M"],
        "yes | sed -n H; echo no",
        "",
        "limit state-bytes of 16777216 reached: sed keeps more in memory",
    ),
    (
        &["state-bytes=16M"],
        "echo a | sed ':a;s/a/aa/g;ta'; echo no",
        "",
        "limit state-bytes of 16777216 reached: sed keeps more in memory",
    ),
    (
        &["state-bytes=16M"],
        "yes | column -t; echo no",
        "",
        "limit state-bytes of 16777216 reached: column keeps more in memory",
    ),
    (
        &["state-bytes=1M"],
        "dd bs=256M count=1 < /dev/zero; echo no",
        "",
        "limit state-bytes of 1048576 reached: dd keeps more in memory",
    ),
    (
        &["state-bytes=1M"],
        "dd ibs=1 obs=256M < /dev/null; echo no",
        "",
        "limit state-bytes of 1048576 reached: dd keeps more in memory",
    ),
    (
        &["state-bytes=1M"],
        "seq 30000 > f; echo x | grep -f f; echo no",
        "",
        "limit state-bytes of 1048576 reached: grep keeps more in memory",
    ),
    (
        &["state-bytes=1M"],
        "seq 30000 | grep -F -f - f; echo no",
        "",
        "limit state-bytes of 1048576 reached: grep keeps more in memory",
    ),
    (
        &["state-bytes=1M"],
        "shuf -i 1-1000000; echo no",
        "",
        "limit state-bytes of 1048576 reached: shuf keeps more in memory",
    ),
    (
        &["state-bytes=1M"],
        "yes '' | head -n 100000 | shuf; echo no",
        "",
        "limit state-bytes of 1048576 reached: shuf keeps more in memory",
    ),
    (
        &["state-bytes=1M"],
        "yes | tr -d '\\n' | read x; echo no",
        "",
        "limit state-bytes of 1048576 reached: the script's variables and other state are larger",
    ),
    (&["call-depth=50"], "f() { f; }; f; echo no", "", "line 1: limit call-depth of 50 reached: "),
    (&[], "f() { f; }; f; echo no", "", "line 1: limit call-depth of 5000 reached: "),
    (&["call-depth=50"], "f() { g; }; g() { f; }; echo a; f | cat; echo no", "a\n", "limit call-depth of 50 reached: "),
    (&["call-depth=50"], "f() { x=$(f); }; f; echo no", "", "limit call-depth of 50 reached: "),
    (&["call-depth=50"], "f() { (f); }; f; echo no", "", "limit call-depth of 50 reached: "),
    (&["source-depth=20"], "echo '. ./s' > s; . ./s; echo no", "", "limit source-depth of 20 reached: "),
    (&["eval-depth=20"], "f='eval \"$f\"'; eval \"$f\"; echo no", "", "limit eval-depth of 20 reached: "),
    (
        &["expansion-bytes=1000"],
        "x=a; while :; do x=$x$x; done; echo no",
        "",
        "limit expansion-bytes of 1000 reached: ",
    ),
    (&[], "x=a; while :; do x=$x$x$x$x; done; echo no", "", "limit expansion-bytes of 134217728 reached: "),
    (
        &["expansion-bytes=1000"],
        "x=aaaa; while :; do x=${x//a/$x}; done",
        "",
        "limit expansion-bytes of 1000 reached: ",
    ),
    (&["expansion-bytes=1000"], "x=a; while :; do x+=aaaaaaa; done", "", "limit expansion-bytes of 1000 reached: "),
    (&["expansion-bytes=1000"], "f() { f \"$@\" \"$@\"; }; f a", "", "limit expansion-bytes of 1000 reached: "),
    (
        &["expansion-bytes=1000"],
        "a=(1 2 3); while :; do a=(${a[@]/#/xy}); done",
        "",
        "limit expansion-bytes of 1000 reached: ",
    ),
    (&["expansion-bytes=1000"], "while :; do a[7]+=xxxx; done", "", "limit expansion-bytes of 1000 reached: "),
    (&[], "echo {1..1000000000}; echo no", "", "limit expansion-words of 5000000 reached: "),
    (&["expansion-words=100"], "echo {a,b,c}{1..40}; echo no", "", "limit expansion-words of 100 reached: "),
    (&["captured-bytes=1000"], "x=$(while :; do echo y; done); echo no", "", "limit captured-bytes of 1000 reached: "),
    (&["captured-bytes=1000"], "x=$(yes); echo no", "", "limit captured-bytes of 1000 reached: "),
    (&["captured-bytes=100"], "printf %0200d 1 > f; x=$(<f); echo no", "", "limit captured-bytes of 100 reached: "),
    (&["here-document-bytes=9"], "cat <<< 012345678; echo no", "", "limit here-document-bytes of 9 reached: "),
    (
        &["here-document-bytes=9"],
        "x=01234; cat <<E\n$x$x\nE\necho no",
        "",
        "line 1: limit here-document-bytes of 9 reached: ",
    ),
    (&["state-bytes=1M"], "while :; do a+=(x); done; echo no", "", "limit state-bytes of 1048576 reached: "),
    (
        &["state-bytes=1M"],
        "x=$(printf %0100000d 0); while :; do pushd -n $x; done >/dev/null; echo no",
        "",
        "limit state-bytes of 1048576 reached: ",
    ),
    (
        &["state-bytes=1M"],
        "x=$(printf %0100000d 0); while :; do hash -p /$x n$((++i)); done; echo no",
        "",
        "limit state-bytes of 1048576 reached: ",
    ),
    (
        &["state-bytes=1M"],
        "x=$(printf %0100000d 0); for i in {1..15}; do trap \": $x $i\" $i; done; echo no",
        "",
        "limit state-bytes of 1048576 reached: ",
    ),
    (
        &["state-bytes=1M"],
        "while :; do complete -W 'a b' c$((++i)); done; echo no",
        "",
        "limit state-bytes of 1048576 reached: ",
    ),
    (&["state-bytes=1M"], "while :; do a[i++]=x; done; echo no", "", "limit state-bytes of 1048576 reached: "),
    (
        &["state-bytes=1M"],
        "declare -A a; i=0; while :; do a[$i]=; i=$((i+1)); done",
        "",
        "limit state-bytes of 1048576 reached: ",
    ),
    (&["state-bytes=1M"], "while :; do eval \"v$i=\"; i=$((i+1)); done", "", "limit state-bytes of 1048576 reached: "),
    (&["state-bytes=1M"], "while :; do declare v$i; i=$((i+1)); done", "", "limit state-bytes of 1048576 reached: "),
    (&["state-bytes=1M"], "while :; do unset v$i; i=$((i+1)); done", "", "limit state-bytes of 1048576 reached: "),
    (
        &["state-bytes=1M"],
        "while :; do eval \"f$i() { :; }\"; i=$((i+1)); done",
        "",
        "limit state-bytes of 1048576 reached: ",
    ),
    (
        &["state-bytes=1M"],
        "x=$(printf %09999d 1); while :; do alias a$i=$x; i=$((i+1)); done",
        "",
        "limit state-bytes of 1048576 reached: ",
    ),
    (&["state-bytes=1M"], "set a; while :; do set \"$@\" \"$@\"; done", "", "limit state-bytes of 1048576 reached: "),
    (
        &["state-bytes=1M"],
        "x=$(printf %09999d 1); f() { local y=$x; f; }; f",
        "",
        "limit state-bytes of 1048576 reached: ",
    ),
    (&["state-bytes=1M"], "x=$(printf %09999d 1); f() { x=$x f; }; f", "", "limit state-bytes of 1048576 reached: "),
    (
        &["state-bytes=1M"],
        "x=$(printf %0400000d 1); (y=$x; (z=$x; echo no))",
        "",
        "limit state-bytes of 1048576 reached: ",
    ),
    (
        &["state-bytes=1M"],
        "x=$(printf %0400000d 1); f() { for i in $x; do f; done; }; f",
        "",
        "limit state-bytes of 1048576 reached: ",
    ),
    (
        &["state-bytes=1M"],
        "x=$(printf %0400000d 1); f() { f \"$@\"; }; f $x",
        "",
        "limit state-bytes of 1048576 reached: ",
    ),
    (&["state-bytes=1M"], "f() { echo $(printf %0400000d 1; f); }; f", "", "limit state-bytes of 1048576 reached: "),
    (
        &["state-bytes=1M"],
        "x=$(printf %0400000d 1); while exec {d}<<< \"$x\"; do :; done; echo no",
        "",
        "limit state-bytes of 1048576 reached: ",
    ),
    (
        &["state-bytes=1M"],
        "x=$(printf %0400000d 1); for i in 1 2 3 4 5; do { sleep 1000; echo no; } & done; wait",
        "",
        "limit state-bytes of 1048576 reached: ",
    ),
    (
        &["state-bytes=1M"],
        "for ((;;)); do echo; done | mapfile -n 100000 a; echo no",
        "",
        "limit state-bytes of 1048576 reached: ",
    ),
    (&["threads=6"], ":(){ :|:& };:; wait; while :; do :; done", "", "limit threads of 6 reached: "),
    (&["threads=6"], "f() { f | f; }; f; echo no", "", "limit threads of 6 reached: "),
    (
        &["threads=3"],
        "sleep 1000 | sleep 1000 | sleep 1000 | sleep 1000 | sleep 1000",
        "",
        "limit threads of 3 reached: ",
    ),
    (&["glob-results=3"], "> a > b; echo *; > c > d; echo *; echo no", "a b\n", "limit glob-results of 3 reached: "),
    (
        &["glob-results=30"],
        "shopt -s globstar; mkdir -p t/{a,b,c}/{a,b,c}/{a,b,c}; echo **; echo no",
        "",
        "limit glob-results of 30 reached: ",
    ),
    (&["wall-time=0.1"], "echo a; while :; do :; done; echo no", "a\n", "limit wall-time of 0.1 s reached: "),
    (&["wall-time=0.1"], "trap 'echo bye' EXIT; sleep 1000; echo no", "bye\n", "limit wall-time of 0.1 s reached: "),
    (&["wall-time=0.1"], "trap '' TERM; while :; do :; done | cat; echo no", "", "limit wall-time of 0.1 s reached: "),
];

/// Those that fail a command, and the script continues.
const FAILING: &[Case] = &[
    (&[], "printf %999999999d 1; echo $?", "1\n", "printf: limit expansion-bytes of 134217728 reached: "),
    (&[], "printf -v x %999999999d 1; echo $? ${#x}", "1 0\n", "printf: limit expansion-bytes of 134217728 reached: "),
    (
        &["expansion-bytes=1000"],
        "while :; do printf %0999d 1; done | { read x; echo $?; }",
        "1\n",
        "read: limit expansion-bytes of 1000 reached: ",
    ),
    (
        &["expansion-bytes=1000"],
        "while :; do printf %0999d 1; done | { read -n 5000 x; echo $?; }",
        "1\n",
        "read: limit expansion-bytes of 1000 reached: ",
    ),
    (&["regex-size=10000"], "[[ a =~ (a{1,200}){1,200} ]]; echo $?", "2\n", "limit regex-size of 10000 reached: "),
    (&[], "[[ a =~ ((a{1,9999}){1,9999}){1,9999} ]]; echo $?", "2\n", "limit regex-size of 16777216 reached: "),
    (
        &["open-files=4"],
        "> f; while exec {d}< f; do :; done; echo $?; exec {d}<&-; read x < f; echo $?",
        "0\n1\n",
        "f: limit open-files of 4 reached: ",
    ),
    (
        &["parse-nodes=50"],
        "eval 'a;a;a;a;a;a;a;a;a;a;a;a;a;a;a;a;a;a;a;a;a;a;a;a;a;a;a;a;a;a'; echo $?",
        "2\n",
        "limit parse-nodes of 50 reached: ",
    ),
    (&["parse-depth=5"], "eval '( ( ( ( ( ( : ) ) ) ) ) )'; echo $?", "2\n", "limit parse-depth of 5 reached: "),
];

fn with(settings: &[&str]) -> Limits {
    let mut limits = Limits::default();
    settings.iter().for_each(|setting| limits.set(setting).unwrap());
    limits
}

fn run(dispatcher: &Dispatcher, directory: &Path, script: &str) -> Outcome {
    let mut invocation = Invocation::new(Command::source(script), directory);
    invocation.timeout = Some(MAX_WAIT);
    // `sleep` is the bundled one: no program is found.
    invocation.env.set("PATH", directory.join("none"));
    let dispatcher = dispatcher.clone();
    let what = script.to_owned();
    within(MAX_WAIT * 2, &what, move || dispatcher.run(invocation))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs the cases and says which came out otherwise.
fn check(cases: &[Case], is_right: impl Fn(&Outcome) -> bool) {
    let mut wrong = Vec::new();
    for (settings, script, stdout, message) in cases {
        let directory = tempfile::tempdir().unwrap();
        let dispatcher = Dispatcher::builder().limits(with(settings)).build();
        let outcome = run(&dispatcher, directory.path(), script);
        let (written, told) = (text(&outcome.stdout), text(&outcome.stderr));
        // Which limit it is is said once, however many environments the run has.
        if !is_right(&outcome) || written != *stdout || !told.contains(message) || told.matches("limit ").count() != 1 {
            wrong.push(format!("{script}: {:?} {:?} {written:?} {told:?}", outcome.status, outcome.end));
        }
        let next = run(&dispatcher, directory.path(), "x=$(echo o | cat); echo ${x}k");
        if (next.status, text(&next.stdout), &next.end) != (0, "ok\n".into(), &End::Exited) {
            wrong.push(format!("after {script}: {next:?}"));
        }
        assert_eq!(dispatcher.abandoned(), 0, "{script}");
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_limit_ends_the_run_with_an_error_that_names_it() {
    check(ENDING, |outcome| outcome.status == 2 && matches!(outcome.end, End::LimitExceeded(_)));
}

#[test]
fn a_limit_of_one_command_fails_that_and_the_script_continues() {
    check(FAILING, |outcome| outcome.end == End::Exited);
}

#[test]
fn what_a_script_gives_up_does_not_count() {
    let directory = tempfile::tempdir().unwrap();
    let dispatcher = Dispatcher::builder().limits(with(&["state-bytes=1M", "open-files=4", "threads=4"])).build();
    let mut wrong = Vec::new();
    for script in [
        "for ((i = 0; i < 30; i++)); do x=$(printf %0200000d $i); unset x; done",
        "for ((i = 0; i < 30; i++)); do a=($(printf %0200000d $i)); a=(); done",
        "f() { local x; x=$(printf %0200000d 1); }; for ((i = 0; i < 30; i++)); do f; done",
        "for ((i = 0; i < 30; i++)); do (x=$(printf %0200000d $i)); done",
        "x=$(printf %0200000d 1); for ((i = 0; i < 30; i++)); do { : $x; } | cat; done",
        "x=$(printf %0200000d 1); for ((i = 0; i < 30; i++)); do : <<< $x; done",
        "x=$(printf %0200000d 1); f() { :; }; for ((i = 0; i < 30; i++)); do f $x; done",
        "> f; for ((i = 0; i < 30; i++)); do : < f > g; done",
        "> f; for ((i = 0; i < 30; i++)); do exec {d}< f; exec {d}<&-; done",
        "for ((i = 0; i < 300; i++)); do :& done; wait",
    ] {
        let outcome = run(&dispatcher, directory.path(), &format!("{script}; echo done"));
        if (text(&outcome.stdout), text(&outcome.stderr)) != ("done\n".into(), String::new()) {
            wrong.push(format!("{script}: {outcome:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[cfg(unix)]
#[test]
fn live_processes_are_limited_and_those_that_have_ended_are_none() {
    let directory = tempfile::tempdir().unwrap();
    let dispatcher = Dispatcher::builder().limits(with(&["processes=5"])).build();
    let many = |script: &str| {
        let mut invocation = Invocation::new(Command::source(script), directory.path());
        invocation.env.set("PATH", "/usr/bin:/bin");
        invocation.timeout = Some(MAX_WAIT);
        let dispatcher = dispatcher.clone();
        within(MAX_WAIT * 2, script, move || dispatcher.run(invocation))
    };
    let outcome = many("for i in 1 2 3 4 5 6 7 8 9; do sleep 1000 & done; wait");
    let stderr = text(&outcome.stderr);
    assert_eq!(outcome.status, 2, "{stderr}");
    assert!(stderr.contains("limit processes of 5 reached: "), "{stderr}");
    assert!(matches!(outcome.end, End::LimitExceeded(_)));
    let outcome = many("for i in 1 2 3 4 5 6 7 8 9; do env true & done; env true; wait; echo ok");
    assert_eq!((text(&outcome.stdout), outcome.end), ("ok\n".into(), End::Exited), "{}", text(&outcome.stderr));
}

fn shell(pool: &Pool, limits: Limits, directory: &Path) -> (Shell, Capture, Capture) {
    let platform = Platform::HOST;
    let ((stdout, out), (stderr, err)) = (Stream::capture(1 << 20), Stream::capture(1 << 20));
    let shell = Shell::new(ShellConfig {
        executor: Arc::new(ProgramExecutor::new(platform, platform.missing_shell())),
        utilities: Arc::new(hookshell_utilities::standard()),
        pool: pool.clone(),
        cancel: RunToken::isolated(),
        env: Arc::new(Vec::new()),
        cwd: directory.to_path_buf(),
        fds: FdTable::new(Arc::new(Stream::null()), Arc::new(stdout), Arc::new(stderr)),
        name: "hook".into(),
        args: Vec::new(),
        dialect: Dialect::Bash,
        limits,
        identity: Identity::Virtual(FIRST_VIRTUAL_ID),
        is_command_string: false,
    });
    (shell, out, err)
}

#[test]
fn the_same_shell_runs_another_script_after_a_limit() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().to_path_buf();
    let pool = Pool::new();
    let own = pool.clone();
    let done = pool.call(move || {
        let limits = Limits::builder().call_depth(50).threads(4).state_bytes(1 << 20).captured_bytes(1 << 16).build();
        let (mut shell, out, err) = shell(&own, limits, &path);
        let mut run = |script: &str| -> Exit {
            let program = parse_program(script.as_bytes().to_vec(), &ParseOptions::default());
            shell.run_program(&program)
        };
        for (script, limit) in [
            ("kept=1\nf() { f; }; f", "call-depth of 50"),
            ("b(){ b|b& };b; wait; while :; do :; done", "threads of 4"),
            ("while :; do a+=(x); done", "state-bytes of 1048576"),
            ("x=$(yes)", "captured-bytes of 65536"),
        ] {
            let exit = run(script);
            assert_eq!(exit.status, 2, "{script}");
            assert!(matches!(&exit.cause, ExitCause::LimitExceeded(what) if what.contains(limit)), "{exit:?}");
            let message = text(&err.take());
            assert!(message.starts_with("hook: line "), "{message}");
            assert!(message.contains(&format!(": limit {limit} reached: ")), "{message}");
            assert_eq!(
                run("unset a; x=$(echo o | cat)\necho ${x}k$kept & wait"),
                Exit { status: 0, cause: ExitCause::Normal }
            );
            assert_eq!((text(&out.take()), text(&err.take())), ("ok1\n".into(), String::new()), "{script}");
        }
    });
    assert_eq!(done, Some(()));
}

#[test]
fn a_cancelled_loop_ends_soon() {
    let directory = tempfile::tempdir().unwrap();
    let dispatcher = Dispatcher::new();
    for script in [
        "while :; do :; done",
        "for ((;;)); do x=$(:); done",
        "sleep 1000 | cat",
        "f() { f & wait; }; f",
        // Single steps of jq that would take hours, the last one for what it prints.
        "jq -n '[range(1000000)] - [range(1000000; 2000000)]'",
        "jq -n '\"ab\" * 500000 | test(\"(?:a|b)(?:a|b)(?:a|b)(?:a|b)(?:a|b)(?:a|b)(?:a|b)(?:a|b)(?:a|b)(?:a|b)(?:a|b)(?:a|b)*c\")'",
        "jq -n 'def deep: reduce range(60) as $i (1; [., .]); deep == deep'",
        "jq -n 'reduce range(60) as $i (1; [., .])' > /dev/null",
    ] {
        let mut invocation = Invocation::new(Command::source(script), directory.path());
        invocation.env.set("PATH", directory.path().join("none"));
        let (sender, receiver) = std::sync::mpsc::channel();
        let handle = dispatcher.start(invocation, move |outcome| sender.send(outcome).unwrap());
        std::thread::sleep(Duration::from_millis(100));
        let start = Instant::now();
        handle.cancel();
        let outcome = receiver.recv_timeout(MAX_WAIT).unwrap();
        assert_eq!(outcome.end, End::Cancelled, "{script}");
        assert!(start.elapsed() < Duration::from_secs(5), "{script}: {:?}", start.elapsed());
    }
    assert_eq!(dispatcher.abandoned(), 0);
}

/// A script that would not end, or would take all there is: what it is, the seconds that it gets, the script, and how it
/// may come out. No program is on PATH.
type Hostile = (&'static str, u64, &'static str, fn(&Outcome) -> bool);

fn times_out(outcome: &Outcome) -> bool {
    outcome.end == End::TimedOut
}

fn exceeds(outcome: &Outcome) -> bool {
    matches!(outcome.end, End::LimitExceeded(_)) && outcome.status == 2
}

fn writes_ok(outcome: &Outcome) -> bool {
    outcome.end == End::Exited && outcome.stdout == b"ok\n"
}

const HOSTILE: &[Hostile] = &[
    ("a line that is a huge tree", 60, "printf -v x %03000000d 0; eval \"${x//0/:;}\"", |outcome| {
        text(&outcome.stderr).contains("limit parse-nodes of 2000000 reached: ")
    }),
    (
        "arithmetic that doubles",
        1,
        "for ((i = 0; i < 99; i++)); do printf -v v$i v$((i + 1))+v$((i + 1)); done; echo $((v0))",
        times_out,
    ),
    ("a fork bomb", 60, ":(){ :|:& };:; wait; while :; do :; done", exceeds),
    ("many background lists", 60, "for ((i = 0; i < 20000; i++)); do :& done; wait; echo ok", writes_ok),
    ("a replacement by itself", 60, "x=aaaaaaaa; while :; do x=${x//a/$x}; done", exceeds),
    ("all that yes prints", 60, "x=$(yes)", exceeds),
    ("a line without an end", 60, "yes | tr -d '\\n' | { read -r x || echo ok; }", writes_ok),
    ("a pattern that backtracks", 60, "printf -v x %030000d 0; [[ ${x//0/a} =~ (a*)*b ]] || echo ok", writes_ok),
    ("back-references", 2, "printf -v x %05000d 0; [[ ${x//0/a} =~ ^(a*)*\\1(a*)*b$ ]] || echo ok", |outcome| {
        writes_ok(outcome) || times_out(outcome)
    }),
    (
        "nested extended patterns",
        60,
        "shopt -s extglob; printf -v x %0500d 0; [[ $x == *(*(*(0)))1 ]] || echo ok",
        writes_ok,
    ),
    ("eval of itself", 60, "f='eval \"$f\"'; eval \"$f\"", exceeds),
    (
        "aliases of each other",
        60,
        "shopt -s expand_aliases\nalias a='a a; b' b='b b; a'\na 2> /dev/null\necho ok",
        writes_ok,
    ),
    (
        "a string that awk appends to",
        60,
        "awk 'BEGIN { for (i = 0; i < 1000000; i++) s = s \"ab\"; if (length(s) == 2000000) print \"ok\" }'",
        writes_ok,
    ),
    ("a trap that sends its own signal", 2, "trap 'kill -USR1 $$' USR1; kill -USR1 $$; echo ok", |outcome| {
        writes_ok(outcome) || exceeds(outcome) || times_out(outcome)
    }),
    ("an ERR trap that fails", 60, "trap 'false; (exit 3)' ERR; false; echo ok", writes_ok),
    ("an EXIT trap without an end", 2, "trap 'while :; do :; done' EXIT; exit 0", times_out),
    (
        "arithmetic of itself",
        60,
        "x=x\n(: $((x))) 2> /dev/null\na='a[a]'\n(: $((a)))\nb='c[b]'\n(: $((b += 1)))\necho ok",
        writes_ok,
    ),
    ("a nameref of itself", 60, "declare -n a=b b=a\n(a=1)\n(: $a)\necho ok", writes_ok),
    (
        "a width",
        60,
        "printf %999999999d 1 2> /dev/null || printf '%*d' 2147483647 1 2> /dev/null || echo ok",
        writes_ok,
    ),
    ("a file that sources itself", 60, "echo '. ./f' > f; . ./f", exceeds),
    (
        "a script that starts itself",
        60,
        "echo './g & ./g' > g; chmod +x g; ./g; wait; while :; do :; done",
        |outcome| exceeds(outcome) || times_out(outcome),
    ),
    (
        "a hook that closes everything",
        60,
        "exec 0<&- 1>&- 2>&- 3<&- 4>&- 5<&- 6>&- 7<&- 8>&- 9>&-; echo a; cat; x=$(echo b) | cat; echo c &",
        |outcome| outcome.end == End::Exited && outcome.stdout.is_empty(),
    ),
    ("awk at a long text", 2, "awk 'BEGIN { x = sprintf(\"%3000000s\", \"\"); for (;;) split(x, a, / /) }'", times_out),
    ("much output", 2, "yes aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", |outcome| {
        times_out(outcome) && outcome.stdout.len() == 1 << 20 && outcome.dropped.stdout > 0
    }),
    (
        "much output of the shell",
        2,
        "while :; do echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; done >&2",
        |outcome| times_out(outcome) && outcome.stderr.len() <= 1 << 20,
    ),
];

#[test]
fn hostile_scripts_end_in_their_time_and_the_host_continues() {
    let directory = tempfile::tempdir().unwrap();
    // Smaller ones than the defaults: what comes to them takes its time in a debug build.
    let limits = with(&["expansion-bytes=8M", "captured-bytes=8M"]);
    let dispatcher = Dispatcher::builder().limits(limits).build();
    let mut wrong = Vec::new();
    for (what, seconds, script, is_right) in HOSTILE {
        let mut invocation = Invocation::new(Command::source(script), directory.path());
        invocation.timeout = Some(Duration::from_secs(*seconds));
        invocation.grace = Duration::from_millis(200);
        invocation.output = hookshell_dispatch::Output::Capture { limit: 1 << 20 };
        invocation.env.set("PATH", directory.path().join("none"));
        let own = dispatcher.clone();
        let outcome = within(MAX_WAIT * 2, what, move || own.run(invocation));
        if !is_right(&outcome) {
            let (stdout, stderr) = (text(&outcome.stdout), text(&outcome.stderr));
            let show = |text: &str| text.chars().take(200).collect::<String>();
            wrong.push(format!("{what}: {:?} {} {:?} {:?}", outcome.end, outcome.status, show(&stdout), show(&stderr)));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    let outcome = run(&dispatcher, directory.path(), "x=$(echo o | cat); echo ${x}k");
    assert!(writes_ok(&outcome), "{outcome:?}");
    assert_eq!(dispatcher.abandoned(), 0);
}

#[cfg(unix)]
#[test]
fn what_only_unix_has_is_waited_for_until_the_deadline_and_no_longer() {
    let directory = tempfile::tempdir().unwrap();
    let dispatcher = Dispatcher::new();
    for script in [
        "mkfifo f; cat < f",
        "mkfifo g; echo x > g",
        "mkfifo h; exec 3<> h; read x <&3",
        "ln -s l m; ln -s m l; cat l; . ./l; cd l; : < l; ./l; sleep 1000 | cat",
        "/bin/sh -c 'trap \"\" TERM; while :; do sleep 1; done'",
        "/bin/sh -c 'trap \"\" TERM; sleep 1000 & sleep 1000' | cat; while :; do :; done",
    ] {
        let mut invocation = Invocation::new(Command::source(script), directory.path());
        invocation.timeout = Some(Duration::from_millis(300));
        invocation.grace = Duration::from_millis(300);
        invocation.env.set("PATH", "/usr/bin:/bin");
        let start = Instant::now();
        let own = dispatcher.clone();
        let outcome = within(MAX_WAIT, script, move || own.run(invocation));
        assert_eq!(outcome.end, End::TimedOut, "{script}: {outcome:?}");
        assert!(start.elapsed() < Duration::from_secs(20), "{script}: {:?}", start.elapsed());
    }
    assert_eq!(dispatcher.abandoned(), 0);
}

/// What fits where it is not kept as it comes.
#[test]
fn what_need_not_be_kept_is_no_matter_for_the_limit() {
    let directory = tempfile::tempdir().unwrap();
    let dispatcher = Dispatcher::builder().limits(with(&["state-bytes=1M"])).build();
    for (script, stdout) in [
        // Through temporary files.
        ("seq 100000 | sort -rn | head -n 2", "100000\n99999\n"),
        // No variable has them.
        ("{ printf a; head -c 8M /dev/zero; echo b; } | while read x; do echo \"$x\"; done", "ab\n"),
        ("dd bs=512K status=none <<< a", "a\n"),
    ] {
        let outcome = run(&dispatcher, directory.path(), script);
        assert_eq!((outcome.status, text(&outcome.stderr)), (0, String::new()), "{script}");
        assert_eq!(text(&outcome.stdout), stdout, "{script}");
    }
}
