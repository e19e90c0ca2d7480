//! Where the processes of a tree are entered.
//!
//! What a copy of this process starts belongs to the copy, which a limit may end alone, and to the run that the copy is a part of,
//! whose end is the end of all. So there is a census of each, and the inner one's processes are in the outer one, too.

use std::sync::{Arc, OnceLock};

use super::census::{Census, Kind, Place};

/// The censuses that the processes of a tree are entered in.
#[derive(Debug, Default)]
pub(super) struct Censuses {
    /// Those of what this process is a copy in, the whole run's first.
    around: Vec<Around>,
    /// This process's, made for the first of its own. `None` inside: the system has no memory for it.
    own: Arc<OnceLock<Option<Arc<Census>>>>,
}

#[derive(Debug, Clone)]
struct Around {
    census: Arc<Census>,
    /// How often everything in it had been killed when this process was made.
    stops: u64,
}

impl Censuses {
    /// For another tree of this process.
    pub(super) fn beside(&self) -> Self {
        Self { around: self.around.clone(), own: Arc::clone(&self.own) }
    }

    /// For a copy of this process.
    pub(super) fn in_copy(&self) -> Self {
        let own = self.own().map(|census| Around { census: Arc::clone(census), stops: census.stops() });
        Self { around: self.around.iter().cloned().chain(own).collect(), own: Arc::default() }
    }

    /// This process's own census; with the first call it is made.
    pub(super) fn own(&self) -> Option<&Arc<Census>> {
        self.own.get_or_init(|| Census::new().map(Arc::new)).as_ref()
    }

    /// The census of the whole run.
    pub(super) fn whole(&self) -> Option<&Arc<Census>> {
        match self.around.first() {
            Some(around) => Some(&around.census),
            None => self.own(),
        }
    }

    /// The census of the whole run, if there has been anything to enter.
    pub(super) fn used(&self) -> Option<&Arc<Census>> {
        match self.around.first() {
            Some(around) => Some(&around.census),
            None => self.own.get()?.as_ref(),
        }
    }

    /// Enters a process of this one. Where a table is full nothing more is admitted: the count of those few is of no use.
    pub(super) fn enter(&self, pid: i32, kind: Kind) -> Vec<Place> {
        let around = self.around.iter().map(|around| &around.census);
        around.chain(self.own()).filter_map(|census| census.enter(pid, kind)).collect()
    }

    /// Says that a process is being made, until what is given is dropped. `None`: what this process is a part of was killed.
    pub(super) fn begin_start(&self) -> Option<Starting> {
        let mut starting = Starting(Vec::new());
        for around in &self.around {
            starting.0.push(around.census.begin_start(around.stops)?);
        }
        if let Some(own) = self.own() {
            // The tree knows itself whether it was killed.
            starting.0.extend(own.enter(std::process::id().cast_signed(), Kind::Start));
        }
        Some(starting)
    }

    /// Kills what this process and its copies have started, also what has nobody left that waits for it.
    pub(super) fn kill(&self) {
        if let Some(Some(own)) = self.own.get() {
            own.kill();
        }
    }
}

/// A process is being made.
#[derive(Debug)]
pub(super) struct Starting(Vec<Place>);

impl Drop for Starting {
    fn drop(&mut self) {
        self.0.iter().for_each(Place::leave);
    }
}
