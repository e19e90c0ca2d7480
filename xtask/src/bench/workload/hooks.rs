//! Hooks, and 100 of them at once.

use super::{Work, Workload};

/// 2,000 turns of a loop, then an allow.
const BUSY: &str = r#"i=0; while [ "$i" -lt 2000 ]; do i=$((i+1)); done; echo '{"decision":"allow"}'"#;

const LS: &str = r#"{"command":"ls"}"#;

/// An agent lives for so many tool calls and more: what its start takes is not a hook's.
const HOOKS_OF_AN_AGENT: u32 = 2_000;

pub(super) const WORKLOADS: &[Workload] = &[
    Workload {
        name: "allow hook through the binary",
        work: Work::Hook { hook: r#"echo '{"decision":"allow"}'"#, stdout_has: r#""decision":"allow""# },
        count: 1,
        rounds: 51,
        goal: None,
    },
    Workload {
        name: "allow hook through Runner",
        work: Work::Runner { hook: r#"echo '{"decision":"allow"}'"#, input: LS, stdout_has: r#""decision":"allow""# },
        count: HOOKS_OF_AN_AGENT,
        rounds: 5,
        goal: Some(25.0),
    },
    Workload {
        name: "deny hook with case through Runner",
        work: Work::Runner {
            hook: r#"case $CRUSH_TOOL_INPUT_COMMAND in *'rm -rf /'*) echo no >&2; exit 2;; esac; echo '{"context":"ok"}'"#,
            input: LS,
            stdout_has: "ok",
        },
        count: HOOKS_OF_AN_AGENT,
        rounds: 5,
        goal: Some(25.0),
    },
    Workload {
        name: "deny hook with jq and grep through Runner",
        work: Work::Runner {
            hook: "jq -r .tool_input.command | grep -qE '^(sudo )?rm -rf /|mkfs[.]' && { echo refused by the guard >&2; exit 2; }",
            input: r#"{"command":"rm -rf /"}"#,
            stdout_has: "refused by the guard",
        },
        count: 300,
        rounds: 5,
        goal: Some(50.0),
    },
    Workload {
        name: "hook of one jq through Runner",
        work: Work::Runner {
            hook: r#"jq '{decision: (if .tool_input.command | startswith("ls") then "allow" else "ask" end)}'"#,
            input: LS,
            stdout_has: "allow",
        },
        count: 300,
        rounds: 5,
        goal: None,
    },
    Workload {
        name: "100 hooks at once, against 100 / cores × one hook",
        work: Work::Crowd { hook: BUSY, on_all_cores: false },
        count: 100,
        rounds: 5,
        // At most 1.3 times as long.
        goal: Some(1.0 / 1.3),
    },
    Workload {
        name: "100 hooks at once, against 100 / cores × one hook on all cores",
        work: Work::Crowd { hook: BUSY, on_all_cores: true },
        count: 100,
        rounds: 5,
        goal: Some(1.0 / 1.3),
    },
];
