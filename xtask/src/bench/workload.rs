//! What is timed: the table of workloads.

/// One row of the report: the same work done by hookshell and by each of its rivals.
pub(crate) struct Workload {
    /// Its name in the report.
    pub(crate) name: &'static str,
    /// What each contestant runs.
    pub(crate) work: Work,
    /// How often the work is repeated inside one run; `@N@` in script and output stands for it.
    pub(crate) count: u32,
    /// Timed runs of each contestant in a full benchmark. Short runs need more of them.
    pub(crate) rounds: usize,
    /// The speed-up over the fastest rival that DESIGN.md asks for.
    pub(crate) goal: Option<f64>,
}

/// What the contestants of a workload run.
pub(crate) enum Work {
    /// `hookshell sh -c SCRIPT bench FILE` against each shell's `-c SCRIPT bench FILE`; FILE (`$1`)
    /// holds `count` lines.
    Script {
        script: &'static str,
        /// The exact stdout, for all contestants: a shell that gives up early is not fast.
        stdout: &'static str,
        rivals: Rivals,
    },
    /// `hookshell run PreToolUse` with one hook, against `dash -c HOOK`.
    Hook {
        hook: &'static str,
        /// Stands in the stdout of both.
        stdout_has: &'static str,
    },
    /// One hook `count` times through a `Runner` in one process (the example `repeat` of the runner), against dash
    /// starting `dash -c HOOK` as often: what an agent has that runs hooks by `sh -c`.
    Runner {
        hook: &'static str,
        /// Stands in the stdout of both.
        stdout_has: &'static str,
    },
}

/// Which shells a script is also run by.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rivals {
    /// Every shell that is installed.
    All,
    /// Only dash, as the goal says.
    Dash,
}

/// All workloads, in the report's order.
pub(crate) const WORKLOADS: &[Workload] = &[
    Workload {
        name: "start-up: sh -c :",
        work: Work::Script { script: ":", stdout: "", rivals: Rivals::Dash },
        count: 1,
        rounds: 101,
        // At most 1.5 times dash's time.
        goal: Some(1.0 / 1.5),
    },
    Workload {
        name: "allow hook through the binary",
        work: Work::Hook { hook: r#"echo '{"decision":"allow"}'"#, stdout_has: r#""decision":"allow""# },
        count: 1,
        rounds: 51,
        goal: None,
    },
    Workload {
        name: "allow hook through Runner",
        work: Work::Runner { hook: r#"echo '{"decision":"allow"}'"#, stdout_has: r#""decision":"allow""# },
        count: 500,
        rounds: 9,
        goal: Some(25.0),
    },
    Workload {
        name: "deny hook with case through Runner",
        work: Work::Runner {
            hook: r#"case $CRUSH_TOOL_INPUT_COMMAND in *'rm -rf /'*) echo no >&2; exit 2;; esac; echo '{"context":"ok"}'"#,
            stdout_has: "ok",
        },
        count: 500,
        rounds: 9,
        goal: Some(25.0),
    },
    Workload {
        name: "loop of [ and $((i+1))",
        work: Work::Script {
            script: r#"i=0; while [ "$i" -lt @N@ ]; do i=$((i+1)); done; echo "$i""#,
            stdout: "@N@\n",
            rivals: Rivals::All,
        },
        count: 300_000,
        rounds: 9,
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
        rounds: 9,
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
        rounds: 9,
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
        rounds: 9,
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
        rounds: 9,
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
        rounds: 9,
        goal: Some(2.0),
    },
];

/// Puts the workload's count into a script or an expected output.
pub(crate) fn with_count(text: &str, count: u32) -> String {
    text.replace("@N@", &count.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_replaces_its_mark_everywhere() {
        assert_eq!(with_count("[ 1 -lt @N@ ]; echo @N@", 40_000), "[ 1 -lt 40000 ]; echo 40000");
        assert_eq!(with_count(":", 7), ":");
    }

    #[test]
    fn names_are_unique() {
        for (index, workload) in WORKLOADS.iter().enumerate() {
            let same = WORKLOADS.iter().skip(index + 1).find(|other| other.name == workload.name);
            assert!(same.is_none(), "{}", workload.name);
        }
    }
}
