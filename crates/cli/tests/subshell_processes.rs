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
    for (script, expected) in [
        (
            r#"trap : TERM; rc=0; ( /bin/sh -c 'kill -TERM $PPID; sleep 0.2'; echo after ) || rc=$?; echo "rc=$rc""#,
            "rc=143\nTerminated\n",
        ),
        (
            r#"rc=0; exec 2>/dev/null; ( /bin/sh -c 'kill -KILL $PPID; sleep 0.2'; echo after ) || rc=$?; echo "rc=$rc""#,
            "rc=137\n",
        ),
        (r#"x=$(/bin/sh -c 'kill -TERM $PPID; sleep 0.2'; echo after); echo "rc=$? <$x>""#, "rc=143 <>\n"),
        (r#"{ /bin/sh -c 'kill -TERM $PPID; sleep 0.2'; echo after; } | cat; echo "${PIPESTATUS[@]}""#, "143 0\n"),
        (
            r#"echo in | { /bin/sh -c 'kill -TERM $PPID; sleep 0.2'; echo after; }; echo "${PIPESTATUS[@]}""#,
            "0 143\nTerminated\n",
        ),
        (
            r#"f() { /bin/sh -c 'kill -USR1 $PPID; sleep 0.2'; }; ( trap 'echo heard' USR1; f; echo after ); echo $?"#,
            "heard\nafter\n0\n",
        ),
        (
            r#"( trap 'echo bye' EXIT; /bin/sh -c 'kill -TERM $PPID; sleep 0.2'; echo after ); echo $?"#,
            "bye\n143\nTerminated\n",
        ),
        (r#"( trap '' TERM; /bin/sh -c 'kill -TERM $PPID; sleep 0.2'; echo after ); echo $?"#, "after\n0\n"),
        (r#"( /bin/kill -TERM $BASHPID; sleep 0.2; echo after ); echo $?"#, "143\nTerminated\n"),
    ] {
        assert_eq!(sh(script), (expected.to_owned(), Some(0)), "{script}");
    }
}

#[test]
fn the_parent_of_a_program_is_the_subshell_that_goes_on_behind_it() {
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
        assert_eq!(sh(script), (expected.to_owned(), Some(status)), "{script}");
    }
}
