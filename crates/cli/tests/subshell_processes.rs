//! Subshells as the programs that they start see them, where hookshell is the process: these have their subshell as their
//! parent, as in other shells, and can signal it.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "test helpers: a panic fails the test")]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod support;

use support::hookshell;

/// What a script writes, errors too, and its status.
fn sh(script: &str) -> (String, Option<i32>) {
    let output = hookshell(["sh", "-c", script]).output();
    (output.stdout + &output.stderr, output.code)
}

#[test]
fn a_program_ends_the_subshell_that_started_it_and_no_other() {
    // Whom the signal ends does not wait for the program: what that one still holds is nothing that the test reads.
    let late = "exec sleep 5 >/dev/null 2>&1 </dev/null";
    for (script, expected) in [
        (
            r#"trap : TERM; rc=0; ( /bin/sh -c 'kill -TERM $PPID; LATE'; echo after ) || rc=$?; echo "rc=$rc""#,
            "rc=143\nTerminated\n",
        ),
        (
            r#"rc=0; exec 2>/dev/null; ( /bin/sh -c 'kill -KILL $PPID; LATE'; echo after ) || rc=$?; echo "rc=$rc""#,
            "rc=137\n",
        ),
        (r#"x=$(/bin/sh -c 'kill -TERM $PPID; LATE'; echo after); echo "rc=$? <$x>""#, "rc=143 <>\n"),
        (r#"{ /bin/sh -c 'kill -TERM $PPID; LATE'; echo after; } | cat; echo "${PIPESTATUS[@]}""#, "143 0\n"),
        (
            r#"echo in | { /bin/sh -c 'kill -TERM $PPID; LATE'; echo after; }; echo "${PIPESTATUS[@]}""#,
            "0 143\nTerminated\n",
        ),
        (
            r#"f() { /bin/sh -c 'kill -USR1 $PPID'; }
               ( trap 'echo heard; n=1' USR1; f; until [ "$n" ]; do sleep 0.01; done; echo after ); echo $?"#,
            "heard\nafter\n0\n",
        ),
        (
            r#"( trap 'echo bye' EXIT; /bin/sh -c 'kill -TERM $PPID; LATE'; echo after ); echo $?"#,
            "bye\n143\nTerminated\n",
        ),
        (r#"( trap '' TERM; /bin/sh -c 'kill -TERM $PPID; sleep 0.2'; echo after ); echo $?"#, "after\n0\n"),
        (r#"( /bin/sh -c 'kill -TERM $0' $BASHPID; sleep 5; echo after ); echo $?"#, "143\nTerminated\n"),
    ] {
        let script = script.replace("LATE", late);
        assert_eq!(sh(&script), (expected.to_owned(), Some(0)), "{script}");
    }
}

#[test]
fn the_parent_of_a_program_is_the_subshell_that_continues_after_it() {
    let show = r#"/bin/sh -c '[ $PPID = $0 ] && echo same || echo other'"#;
    for (script, expected) in [
        ("( SHOW $BASHPID; : )", "same\n"),
        ("( SHOW $$; : )", "other\n"),
        // Nothing is left to do: it takes the place of the subshell.
        ("( SHOW $$ )", "same\n"),
        ("f() { SHOW $BASHPID; }; ( f; : )", "same\n"),
        ("( if SHOW $BASHPID; then :; fi )", "same\n"),
        ("( ( SHOW $BASHPID; : ); : )", "same\n"),
        ("echo $(SHOW $BASHPID; :)", "same\n"),
        ("{ SHOW $BASHPID; :; } | cat", "same\n"),
        (": | { SHOW $BASHPID; :; }", "same\n"),
        ("( b=$BASHPID; SHOW $b & wait )", "same\n"),
    ] {
        let script = script.replace("SHOW", show);
        assert_eq!(sh(&script), (expected.to_owned(), Some(0)), "{script}");
    }
}

#[test]
fn such_a_subshell_is_one_in_all_else() {
    for (script, expected, status) in [
        ("x=1; ( x=2; cd /; /bin/true; echo $x $PWD ); echo $x; [ $PWD != / ]", "2 /\n1\n", 0),
        (r"printf 'a\nb\nc\n' | { read x; ( /bin/true; read y; echo $y ); read z; echo $x $z; }", "b\na c\n", 0),
        ("exec 2>&1; echo 1; ( /bin/true; echo 2; echo 3 >&2 ); echo 4", "1\n2\n3\n4\n", 0),
        ("x=$( ( echo a; /bin/true; echo b ); echo c ); echo $x", "a b c\n", 0),
        (
            "set -e; trap 'echo end $?' EXIT; ( /bin/false; echo no ) || echo or; ( /bin/false; echo no ); echo no",
            "no\nend 1\n",
            1,
        ),
        (
            "f() { ( /bin/true; return 5; echo no ); echo $?; }; f; for i in 1 2; do ( /bin/true; exit $i ); echo $?; done",
            "5\n1\n2\n",
            0,
        ),
        ("( /bin/true; exit 3 ) | ( /bin/true; exit 4 ); echo ${PIPESTATUS[@]}", "3 4\n", 0),
        ("f() { [ $1 = 0 ] || ( /bin/true; f $(($1 - 1)); echo $1 ); }; f 6", "1\n2\n3\n4\n5\n6\n", 0),
        ("for i in {1..50}; do ( /bin/true; : ); done; echo ok", "ok\n", 0),
        ("( sleep 60 & /bin/true; kill $! ); echo ok", "ok\n", 0),
    ] {
        // macOS has these elsewhere.
        let script = script.replace("/bin/true", "/bin/sh -c :").replace("/bin/false", "/bin/sh -c 'exit 1'");
        assert_eq!(sh(&script), (expected.to_owned(), Some(status)), "{script}");
    }
}

#[test]
fn a_limit_holds_for_all_processes_of_a_run() {
    let three = "/bin/sh -c :; for i in 1 2 3; do /bin/sleep 60 & done; wait; echo no";
    for (limit, script, message, expected) in [
        // Too few to be shared out: no stage becomes a process.
        ("processes=3", "{ THREE; } | { THREE; }; echo no", "limit processes of 3 reached", ("", 2)),
        ("processes=3", "{ ( THREE ); } | { x=$(THREE); }; echo no", "limit processes of 3 reached", ("", 2)),
        // What lives already counts.
        (
            "processes=3",
            "for i in 1 2 3; do /bin/sleep 60 & done; ( /bin/sh -c :; echo no ); echo no",
            "limit processes of 3 reached",
            ("", 2),
        ),
        ("processes=3", "( /bin/sh -c :; echo yes ); x=$(/bin/sh -c :; echo too); echo $x", "", ("yes\ntoo\n", 0)),
        // Nor is it shared out where there is enough.
        (
            "processes=70",
            "{ /bin/sh -c :; for i in {1..71}; do /bin/sleep 60 & done; echo no; } | cat; echo ${PIPESTATUS[@]}",
            "limit processes of 70 reached",
            ("2 0\n", 0),
        ),
        // Programs whose subshell has ended live on, and count; those that have ended do not.
        (
            "processes=5",
            // Who reads the errors does not wait for the programs: the message is on their descriptor.
            "for i in {1..6}; do ( /bin/sleep 20 >/dev/null 2>&1 & ); done; echo no",
            "",
            ("", 2),
        ),
        ("processes=5", "for i in {1..20}; do ( /bin/sh -c : & ); done; echo yes", "", ("yes\n", 0)),
    ] {
        let output = hookshell(["sh", "--limit", limit, "-c", &script.replace("THREE", three)]).output();
        assert_eq!((&*output.stdout, output.code), (expected.0, Some(expected.1)), "{script}: {}", output.stderr);
        assert!(output.stderr.contains(message), "{script}: {}", output.stderr);
    }
}

#[test]
fn a_limit_ends_what_subshells_that_are_gone_have_left_behind() {
    // The programs hold the output: who reads it waits for them.
    for (limit, script, expected) in [
        ("eval-depth=1000", "( /bin/sleep 60 & ); f() { f; }; f", ("", 2)),
        ("eval-depth=1000", "( ( ( /bin/sleep 60 & ); : ) ); x=$( /bin/sleep 60 >&2 & ); f() { f; }; f", ("", 2)),
        ("processes=5", "for i in {1..7}; do ( /bin/sleep 60 & ); done; echo no", ("", 2)),
        // That of a part is the end of the part: what others have left lives on.
        (
            "processes=70",
            "exec 3>&1; p=$( /bin/sleep 60 >/dev/null 2>&1 3>&- & echo $!; : )
             { /bin/sh -c :; ( /bin/sleep 60 & ); for i in {1..71}; do /bin/sleep 60 & done; echo no; } | cat
             echo ${PIPESTATUS[@]}; /bin/kill -9 $p && echo lives",
            ("2 0\nlives\n", 0),
        ),
    ] {
        let output = hookshell(["sh", "--limit", limit, "-c", script]).output();
        assert_eq!((&*output.stdout, output.code), (expected.0, Some(expected.1)), "{script}: {}", output.stderr);
    }
}

#[test]
fn a_limit_is_told_of_on_the_standard_error_of_the_program_wherever_the_script_has_its_own() {
    for (script, expected) in [
        ("exec 2>/dev/null; f() { f; }; f", ("", 2)),
        ("exec 2>&-; f() { f; }; f", ("", 2)),
        ("f() { f; }; { f; } 2>/dev/null", ("", 2)),
        ("f() { f; }; ( /bin/sh -c :; f ) 2>/dev/null; echo $?", ("2\n", 0)),
        ("f() { f; }; x=$( /bin/sh -c :; f 2>&1 ); echo $? $x", ("2\n", 0)),
        ("f() { f; }; { /bin/sh -c :; f; } 2>&1 | cat; echo ${PIPESTATUS[@]}", ("2 0\n", 0)),
    ] {
        let output = hookshell(["sh", "-c", script]).output();
        assert_eq!((&*output.stdout, output.code), (expected.0, Some(expected.1)), "{script}: {}", output.stderr);
        assert!(output.stderr.contains(": line 1: limit call-depth of 5000 reached"), "{script}: {}", output.stderr);
    }
    let output = hookshell(["exec", "exec 2>/dev/null; f() { f; }; f"]).output();
    assert!(output.code == Some(1) && output.stderr.contains("limit call-depth"), "{}", output.stderr);
}

#[test]
fn a_list_in_the_background_does_not_hold_a_standard_error_that_it_was_not_given() {
    // Who reads it waits for its end.
    let script = "exec 3>&1 >/dev/null 2>&1; { /bin/sleep 20; : ; } 3>&- & exec 3>&-";
    let begun = std::time::Instant::now();
    let output = hookshell(["sh", "-c", script]).output();
    assert_eq!(output.code, Some(0));
    assert!(begun.elapsed() < std::time::Duration::from_secs(15));
}

#[test]
fn a_long_chain_of_functions_is_looked_at_to_a_bound_only() {
    // The chain is longer than the stack, and is not called.
    let script = r#"for i in {0..20000}; do eval "f$i() { f$((i + 1)); }"; done
        for i in {1..300}; do ( if false; then f0; fi; : ); done
        x=$(if false; then f0; fi; echo a); { if false; then f0; fi; echo b; } | cat; echo "$x""#;
    assert_eq!(sh(script), ("b\na\n".to_owned(), Some(0)));
    // Functions that call each other, and a program after some of them.
    let script = r#"f() { g; }; g() { if false; then f; fi; h; }; h() { /bin/sh -c '[ $PPID = $0 ] && echo same' $BASHPID; }
        ( f; : ); { f; : ; } | cat"#;
    assert_eq!(sh(script), ("same\nsame\n".to_owned(), Some(0)));
}
