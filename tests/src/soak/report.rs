//! What is counted, and what is wrong.

use std::collections::BTreeMap;
use std::fmt;

/// How many problems are told in full.
const TOLD: usize = 40;

/// What is counted, and what is wrong.
#[derive(Debug, Default)]
pub(super) struct Report {
    /// Events that were run.
    pub(super) events: usize,
    /// Hooks of these.
    pub(super) hooks: usize,
    /// Hooks whose results were compared with the quiet run's.
    pub(super) compared: usize,
    /// Hooks whose run was dropped.
    pub(super) dropped: usize,
    /// Hooks that ran in the background and were reported.
    pub(super) background: usize,
    /// Children that were killed.
    pub(super) killed: usize,
    /// Cases that give something else each time, or depend on the machine's speed.
    pub(super) unsteady: usize,
    /// By fault: how the hooks came out.
    outcomes: BTreeMap<&'static str, BTreeMap<String, usize>>,
    /// By fault: hooks that came out otherwise than in the quiet run.
    changed: BTreeMap<&'static str, usize>,
    /// What was left out, and why.
    pub(super) skipped: Vec<String>,
    /// What is wrong.
    problems: Vec<String>,
}

impl Report {
    /// Counts how a hook came out under a fault.
    pub(super) fn count(&mut self, fault: &'static str, outcome: &str) {
        *self.outcomes.entry(fault).or_default().entry(outcome.to_owned()).or_default() += 1;
    }

    /// Counts whether a hook under a fault came out otherwise than in the quiet run.
    pub(super) fn changed(&mut self, fault: &'static str, is_changed: bool) {
        *self.changed.entry(fault).or_default() += usize::from(is_changed);
    }

    /// Something is wrong.
    pub(super) fn problem(&mut self, what: String) {
        self.problems.push(what);
    }

    /// Is nothing wrong?
    pub(super) fn is_clean(&self) -> bool {
        self.problems.is_empty()
    }

    /// How many things are wrong.
    pub(super) fn problems(&self) -> usize {
        self.problems.len()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} events, {} hooks", self.events, self.hooks)?;
        writeln!(f, "  {} compared with the quiet run", self.compared)?;
        writeln!(f, "  {} in runs that were dropped", self.dropped)?;
        writeln!(f, "  {} in the background, each reported", self.background)?;
        writeln!(f, "  {} children killed", self.killed)?;
        writeln!(
            f,
            "  {} cases not compared: they differ from quiet run to quiet run, or with the load",
            self.unsteady
        )?;
        for (fault, outcomes) in &self.outcomes {
            let all: usize = outcomes.values().sum();
            write!(f, "  {fault}: {all} hooks, {} changed:", self.changed.get(fault).unwrap_or(&0))?;
            for (outcome, count) in outcomes {
                write!(f, " {outcome} {count}")?;
            }
            writeln!(f)?;
        }
        for skipped in &self.skipped {
            writeln!(f, "  skipped: {skipped}")?;
        }
        for problem in self.problems.iter().take(TOLD) {
            writeln!(f, "WRONG: {problem}")?;
        }
        if self.problems.len() > TOLD {
            writeln!(f, "… and {} more", self.problems.len() - TOLD)?;
        }
        Ok(())
    }
}
