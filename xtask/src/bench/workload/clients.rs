//! `hookshell serve`, seen by the SDKs.

use super::{Client, Work, Workload};

pub(super) const WORKLOADS: &[Workload] = &[
    Workload {
        name: "an event with an inline case hook through serve, from Node",
        work: Work::Client { client: Client::Node, ours: "events", theirs: "runs", rival: "hookshell run each" },
        count: 300,
        rounds: 9,
        // And under 0.15 ms.
        goal: Some(15.0),
    },
    Workload {
        name: "an event with an inline case hook through serve, from Python",
        work: Work::Client { client: Client::Python, ours: "events", theirs: "runs", rival: "hookshell run each" },
        count: 300,
        rounds: 9,
        goal: Some(12.0),
    },
    Workload {
        name: "one of 1,000 events in flight at once through serve",
        work: Work::Client { client: Client::Node, ours: "flood", theirs: "sequence", rival: "one after the other" },
        count: 1_000,
        rounds: 9,
        // At most 0.6 times as long.
        goal: Some(1.0 / 0.6),
    },
    Workload {
        name: "shell/exec of `echo hi` from Node",
        // At most 0.1 ms more.
        work: Work::Client { client: Client::Node, ours: "commands", theirs: "events", rival: "an event" },
        count: 300,
        rounds: 9,
        goal: None,
    },
    Workload {
        name: "1 GiB of text through shell/exec",
        // At least 400 MB/s: at most 2.68 s. Its memory is bounded, or the run fails.
        work: Work::Client { client: Client::Node, ours: "messages", theirs: "pipe", rival: "sh through a pipe" },
        count: 1_024,
        rounds: 3,
        goal: None,
    },
    Workload {
        name: "256 MiB of text through shell/exec, to a callback in Node",
        work: Work::Client { client: Client::Node, ours: "output", theirs: "pipe", rival: "sh through a pipe" },
        count: 256,
        rounds: 3,
        goal: None,
    },
];
