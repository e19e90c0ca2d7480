//! What bundled utilities keep in memory.

use std::sync::Arc;

use crate::budget::{Budget, Held};

/// Counts what a utility keeps in memory against the run's `state-bytes`: utilities are guests in the process, and a
/// `sort` of an endless input must not take its memory. The default counts nothing, for those who call a utility
/// outside of a run.
#[derive(Debug, Clone, Default)]
pub struct UtilityMemory(Option<Arc<Budget>>);

impl UtilityMemory {
    /// Counts against a run's budget.
    pub fn of(budget: &Arc<Budget>) -> Self {
        Self(Some(budget.clone()))
    }

    /// As much the run may keep in all; `None` outside of a run.
    #[must_use]
    pub fn most(&self) -> Option<usize> {
        self.0.as_ref().map(|budget| budget.most_bytes())
    }

    /// Something whose size is to be counted, 0 bytes so far.
    #[must_use]
    pub fn hold(&self) -> HeldMemory {
        HeldMemory { held: self.0.as_ref().map(|budget| budget.hold(0)), counted: 0 }
    }
}

/// Memory that counts for as long as this lives.
#[derive(Debug)]
pub struct HeldMemory {
    held: Option<Held>,
    counted: usize,
}

impl HeldMemory {
    /// It is so many bytes now. `false`: that is more than the run may have, and the run has been told to end; the utility
    /// does not continue ([`Stopped::Cancelled`](crate::Stopped::Cancelled)). Small changes may be counted later.
    pub fn set(&mut self, bytes: usize, utility: &str) -> bool {
        const SMALL: usize = 64 << 10;
        if bytes.abs_diff(self.counted) < SMALL {
            return true;
        }
        self.counted = bytes;
        let Some(held) = &mut self.held else {
            return true;
        };
        let fits = held.resize(bytes);
        if !fits {
            held.end_run(&format!("{utility} keeps more in memory"));
        }
        fits
    }

    /// The system has not given the memory that was asked for: the run has been told to end, and the utility does not continue.
    pub(crate) fn run_out(&self, utility: &str) {
        if let Some(held) = &self.held {
            held.run_out();
            held.end_run(&format!("{utility} keeps more in memory"));
        }
    }
}
