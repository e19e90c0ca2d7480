//! The interpreter: start-up, the parser, and loops.

use super::{Rivals, Work, Workload};

pub(super) const WORKLOADS: &[Workload] = &[
    Workload {
        name: "start-up: sh -c :",
        work: Work::Script { script: ":", stdout: "", rivals: Rivals::Dash },
        count: 1,
        rounds: 101,
        // At most 1.5 times dash's time.
        goal: Some(1.0 / 1.5),
    },
    // As a shell reads a script, and as conch-parser hands out commands: one after the other.
    Workload {
        name: "parse a script of 40 KB",
        work: Work::Parser { kept: false },
        count: 100,
        rounds: 11,
        goal: Some(10.0),
    },
    Workload {
        name: "parse a script of 40 KB, all of it kept",
        work: Work::Parser { kept: true },
        count: 100,
        rounds: 11,
        // Nobody has to keep a script: it shows what the tree costs.
        goal: None,
    },
    Workload {
        name: "loop of [ and $((i+1))",
        work: Work::Script {
            script: r#"i=0; while [ "$i" -lt @N@ ]; do i=$((i+1)); done; echo "$i""#,
            stdout: "@N@\n",
            rivals: Rivals::All,
        },
        count: 300_000,
        rounds: 5,
        goal: Some(3.0),
    },
    Workload {
        name: "function calls",
        work: Work::Script {
            script: r#"f() { i=$((i+1)); }; i=0; while [ "$i" -lt @N@ ]; do f; done; echo "$i""#,
            stdout: "@N@\n",
            rivals: Rivals::All,
        },
        count: 200_000,
        rounds: 5,
        goal: Some(3.0),
    },
    Workload {
        name: "${p##*/} and ${p%.*}",
        work: Work::Script {
            script: r#"p=/usr/local/share/archive.tar.gz; i=0
while [ "$i" -lt @N@ ]; do a=${p##*/}; b=${p%.*}; i=$((i+1)); done; echo "$i $a $b""#,
            stdout: "@N@ archive.tar.gz /usr/local/share/archive.tar\n",
            rivals: Rivals::All,
        },
        count: 40_000,
        rounds: 5,
        goal: Some(3.0),
    },
    Workload {
        name: "while read, a line each",
        work: Work::Script {
            script: r#"n=0; while read -r line; do n=$((n+1)); done <"$1"; echo "$n""#,
            stdout: "@N@\n",
            rivals: Rivals::All,
        },
        count: 100_000,
        rounds: 5,
        goal: Some(3.0),
    },
    Workload {
        name: "$(echo $i)",
        work: Work::Script {
            script: r#"i=0; while [ "$i" -lt @N@ ]; do x=$(echo $i); i=$((i+1)); done; echo "$i $((i-x))""#,
            stdout: "@N@ 1\n",
            rivals: Rivals::All,
        },
        count: 2_000,
        rounds: 5,
        goal: Some(2.0),
    },
    Workload {
        name: "(x=1)",
        work: Work::Script {
            script: r#"i=0 x=0; while [ "$i" -lt @N@ ]; do (x=1); i=$((i+1)); done; echo "$i $x""#,
            stdout: "@N@ 0\n",
            rivals: Rivals::All,
        },
        count: 2_000,
        rounds: 5,
        goal: Some(2.0),
    },
];
