//! `hookshell log --stats`: how often each hook ran, and how long.

use std::collections::HashMap;

use hookshell_runner::LogEntry;
use serde::Serialize;

use super::filter::is_failure;
use super::{UNTRUSTED, column, columns, width};
use crate::style::Style;

/// One hook's runs.
#[derive(Debug, Serialize)]
pub(super) struct HookStats {
    hook: String,
    runs: usize,
    denies: usize,
    /// Runs that ended the turn: the call did not run either.
    halts: usize,
    failures: usize,
    /// The median in milliseconds.
    p50_ms: u64,
    /// What 95 of 100 runs do not exceed, in milliseconds.
    p95_ms: u64,
}

/// Of each hook, those that ran most first. The start of a hook in the background is no run, and neither is what was not run for want
/// of trust: its time would make the others' shorter.
pub(super) fn stats<'e>(entries: impl IntoIterator<Item = &'e LogEntry>) -> Vec<HookStats> {
    let mut hooks: HashMap<&str, (HookStats, Vec<u64>)> = HashMap::new();
    for entry in entries.into_iter().filter(|entry| entry.outcome != "Started" && entry.outcome != UNTRUSTED) {
        let (stats, times) = hooks.entry(&entry.hook).or_insert_with(|| {
            let hook = entry.hook.clone();
            (HookStats { hook, runs: 0, denies: 0, halts: 0, failures: 0, p50_ms: 0, p95_ms: 0 }, Vec::new())
        });
        stats.runs += 1;
        stats.denies += usize::from(entry.decision.as_deref() == Some("deny"));
        stats.halts += usize::from(entry.halt);
        stats.failures += usize::from(is_failure(entry));
        times.push(entry.ms);
    }
    let mut all: Vec<HookStats> = hooks
        .into_values()
        .map(|(stats, mut times)| {
            times.sort_unstable();
            HookStats { p50_ms: percentile(&times, 50), p95_ms: percentile(&times, 95), ..stats }
        })
        .collect();
    all.sort_by(|one, other| other.runs.cmp(&one.runs).then_with(|| one.hook.cmp(&other.hook)));
    all
}

/// The nearest rank: the smallest time that `percent` of 100 do not exceed.
fn percentile(sorted: &[u64], percent: usize) -> u64 {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied().unwrap_or_default()
}

/// How wide the column of names is at most: two commands that begin alike are two lines that differ.
const MAX_NAME: usize = 60;

/// The table. A number of denies, halts or failures that is not 0 has its colour.
pub(super) fn table(stats: &[HookStats], style: Style) -> String {
    let longest = stats.iter().map(|hook| columns(&hook.hook)).max().unwrap_or_default();
    let width = longest.clamp(width::HOOK, MAX_NAME);
    let mut text = format!(
        "{} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8}\n",
        column("HOOK", width),
        "RUNS",
        "DENIES",
        "HALTS",
        "FAILURES",
        "P50 MS",
        "P95 MS"
    );
    for hook in stats {
        let count = |count: usize, colour: fn(Style, &str) -> String| match count {
            0 => format!("{count:>8}"),
            _ => colour(style, &format!("{count:>8}")),
        };
        let (denies, halts) = (count(hook.denies, Style::red), count(hook.halts, Style::red));
        let failures = count(hook.failures, Style::yellow);
        let name = column(&hook.hook, width);
        text.push_str(&format!(
            "{name} {:>8} {denies} {halts} {failures} {:>8} {:>8}\n",
            hook.runs, hook.p50_ms, hook.p95_ms
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::percentile;

    #[test]
    fn percentiles_are_of_the_nearest_rank() {
        let times: Vec<u64> = (1..=20).collect();
        assert_eq!(
            [percentile(&times, 50), percentile(&times, 95), percentile(&[7], 95), percentile(&[], 50)],
            [10, 19, 7, 0]
        );
    }
}
