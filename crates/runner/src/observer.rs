//! Watching the hooks of an event start and end.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use crate::config::HookConfig;

/// What has happened to a hook that an event waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum HookProgress {
    /// It is started.
    Started,
    /// It has ended, or was given up, after so long.
    Ended(Duration),
}

/// Who is told ([`Runner::observed`](crate::Runner::observed)): the number of the hook among those of the event that are waited
/// for, the hook, and what has happened. On any thread; it must not wait for the run.
pub type HookObserver = Arc<dyn Fn(usize, &HookConfig, HookProgress) + Send + Sync>;

/// The hooks of one event, with who is told of them.
pub(crate) struct Observed {
    pub(crate) observer: HookObserver,
    /// Those that are waited for, in their order.
    pub(crate) hooks: Vec<Arc<HookConfig>>,
}

impl Observed {
    pub(crate) fn started(&self, index: usize) {
        self.tell(index, HookProgress::Started);
    }

    pub(crate) fn ended(&self, index: usize, after: Duration) {
        self.tell(index, HookProgress::Ended(after));
    }

    fn tell(&self, index: usize, progress: HookProgress) {
        if let Some(hook) = self.hooks.get(index) {
            // Nobody of ours is hurt by a panic of the host's.
            let _ = catch_unwind(AssertUnwindSafe(|| (self.observer)(index, hook, progress)));
        }
    }
}
