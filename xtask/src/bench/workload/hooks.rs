//! Hooks, and 100 of them at once.

use super::{Work, Workload};

/// 2,000 turns of a loop, then an allow.
const BUSY: &str = r#"i=0; while [ "$i" -lt 2000 ]; do i=$((i+1)); done; echo '{"decision":"allow"}'"#;

const LS: &str = r#"{"command":"ls"}"#;

/// An agent lives for so many tool calls and more: what its start takes is not a hook's.
const HOOKS_OF_AN_AGENT: u32 = 2_000;

/// The commonest hook there is.
const GUARD: &str = r#"#!/usr/bin/env bash
set -euo pipefail
command=$(jq -r '.tool_input.command // empty')
if grep -qE '^(sudo )?rm -rf /|mkfs[.]' <<<"$command"; then
    echo 'refused by the guard' >&2
    exit 2
fi
"#;

const RM: &str = r#"{"command":"rm -rf /"}"#;

pub(super) const WORKLOADS: &[Workload] = &[
    Workload {
        name: "allow hook through the binary",
        work: Work::Hook { hook: r#"echo '{"decision":"allow"}'"#, stdout_has: r#""decision":"allow""# },
        count: 1,
        rounds: 51,
        goal: Some(1.0),
    },
    Workload {
        name: "script hook with jq and grep in process through the binary",
        work: Work::ScriptHook { script: GUARD, input: RM, stdout_has: "refused by the guard", through_runner: false },
        count: 1,
        rounds: 31,
        goal: Some(20.0),
    },
    Workload {
        name: "script hook with jq and grep in process through Runner",
        work: Work::ScriptHook { script: GUARD, input: RM, stdout_has: "refused by the guard", through_runner: true },
        count: 300,
        rounds: 5,
        goal: Some(20.0),
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
            input: RM,
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
        // At most 1.1 times as long as what all cores do.
        goal: Some(1.0 / 1.1),
    },
];
