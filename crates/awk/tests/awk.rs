//! awk as a guest: it ends when it is told to, keeps to its limits, and says what it leaves to the real one.
#![allow(clippy::unwrap_used, reason = "a test's helpers fail the test so")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use hookshell_utility::{
    Args, CancelReason, FdTable, NoCommands, RunToken, Stopped, Stream, UtilityCall, UtilityContext, UtilityMemory,
};

/// The status, and standard output and error.
fn run(words: &[&str], stdin: Stream, cancel: &RunToken) -> Result<(u8, String, String), Stopped> {
    let utilities = hookshell_awk::all();
    let utility = &utilities[0];
    let argv: Args = std::iter::once(&"awk").chain(words).collect();
    let (stdout, out) = Stream::capture(usize::MAX);
    let (stderr, err) = Stream::capture(usize::MAX);
    let context = UtilityContext {
        argv: &argv,
        env: &Arc::default(),
        cwd: &std::env::temp_dir(),
        fds: &FdTable::new(Arc::new(stdin), Arc::new(stdout), Arc::new(stderr)),
        umask: None,
        cancel,
        memory: UtilityMemory::default(),
        commands: &NoCommands,
    };
    let status = utility.prepare(&context.call()).unwrap().run(&context)?;
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Ok((status, text(out.take()), text(err.take())))
}

#[test]
fn an_endless_program_ends_with_a_cancel() {
    let programs = [
        "BEGIN { while (1) x++ }",
        "BEGIN { for (;;) ; }",
        "BEGIN { do ; while (1) }",
        "function f() { return g() } function g() { return 1 } BEGIN { for (;;) f() }",
        "BEGIN { while (1) { s = s \"x\"; sub(/x/, \"y\", s); if (length(s) > 9) s = \"\" } }",
    ];
    for program in programs {
        let cancel = RunToken::isolated();
        let from_outside = cancel.clone();
        let canceller = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(50));
            from_outside.cancel(CancelReason::Cancelled);
        });
        let start = Instant::now();
        assert_eq!(run(&[program], Stream::null(), &cancel), Err(Stopped::Cancelled), "{program}");
        assert!(start.elapsed() < Duration::from_secs(5), "{program}");
        canceller.join().unwrap();
    }
}

#[test]
fn what_grows_without_end_is_an_error() {
    let programs = [
        "BEGIN { s = \"x\"; while (1) s = s s }",
        "BEGIN { s = \"x\"; while (1) gsub(/x/, \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\", s) }",
        "function f(n) { return f(n + 1) } BEGIN { f(1) }",
        "BEGIN { printf \"%999999999s\", \"x\" }",
        "BEGIN { printf \"%.999999999f\", 1 }",
        "BEGIN { $999999999 = 1 }",
        "BEGIN { NF = 999999999 }",
        "BEGIN { NF = -1 }",
        "BEGIN { print $(-1) }",
        "BEGIN { print 1 / 0 }",
        "BEGIN { printf \"%d %d\", 1 }",
        "BEGIN { print \"x\" ~ (\"(\" y) }",
    ];
    for program in programs {
        let (status, out, err) = run(&[program], Stream::null(), &RunToken::isolated()).unwrap();
        assert_eq!((status, &*out), (2, ""), "{program}");
        assert!(err.starts_with("awk: ") && err.ends_with('\n'), "{program}: {err}");
    }
}

#[test]
fn a_host_that_runs_no_commands_hears_why() {
    for program in ["BEGIN { system(\"true\") }", "BEGIN { \"true\" | getline }", "BEGIN { print 1 | \"cat\" }"] {
        let (status, _, err) = run(&[program], Stream::null(), &RunToken::isolated()).unwrap();
        assert_eq!(status, 2, "{program}");
        assert!(err.contains("no commands can be run here"), "{program}: {err}");
    }
}

#[test]
fn the_real_awk_gets_what_is_not_done_exactly() {
    let utilities = hookshell_awk::all();
    let utility = &utilities[0];
    let directory = tempfile::tempdir().unwrap();
    // Whether it yields to a real one; an error where it never runs.
    let yields = |words: &[&str]| {
        let argv: Args = std::iter::once(&"awk").chain(words).collect();
        let call = UtilityCall { argv: &argv, env: &Arc::default(), cwd: directory.path() };
        utility.prepare(&call).map(|prepared| prepared.yields())
    };
    let refused: &[&[&str]] = &[
        &[],
        &["--version"],
        &["-W", "version"],
        &["-i", "inplace", "{ print }"],
        &["-f"],
        &["-f", "none.awk"],
        &["-f", "-"],
        &["-v", "1x=2", "BEGIN { }"],
        &["-Ft", "{ print }"],
        &["BEGIN {"],
        &["BEGIN { f() }"],
        &["BEGIN { print PROCINFO[\"pid\"] }"],
        &["BEGIN { RT = 1 }"],
        &["BEGIN { split(\"a\", a, \"b\", c) }"],
        &["BEGINFILE { }"],
        &["BEGIN { a[1][2] = 3 }"],
        &["BEGIN { switch (1) { case 1: break } }"],
        &["BEGIN { print 0x10 }"],
        &["/(/ { print }"],
    ];
    for words in refused {
        assert_ne!(yields(words), Ok(false), "{words:?}");
    }
    let only_without: &[&str] = &[
        "BEGIN { asort(a) }",
        "BEGIN { PROCINFO[\"sorted_in\"] = 1 }",
        "BEGIN { IGNORECASE = 1 }",
        "BEGIN { FPAT = \"a\" }",
        "BEGIN { print and(1, 2) }",
        "BEGIN { match(\"a\", /a/, m) }",
        "BEGIN { print strtonum(\"0x1\") }",
        "BEGIN { print gensub(/a/, \"b\", \"g\", \"a\") }",
        "/\\yword\\y/",
        "/\\s/",
        "BEGIN { gsub(\"\\.\", \"\") }",
        "BEGIN { print 010 }",
    ];
    for program in only_without {
        assert_eq!(yields(&[program]), Ok(true), "{program}");
    }
    for program in ["{ print $1 }", "BEGIN { print length(a) }", "/a{2}/", "func f() { }", "BEGIN { print systime() }"]
    {
        assert_eq!(yields(&[program]), Ok(false), "{program}");
    }
}
