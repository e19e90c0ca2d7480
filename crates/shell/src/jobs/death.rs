//! How a signal has ended a command.

use hookshell_process::ChildStatus;
use hookshell_process::signals::description;

/// A command that a signal has ended.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Death {
    /// Its process id, or that of its environment.
    pub(crate) id: u32,
    pub(crate) signal: i32,
    pub(crate) core_dumped: bool,
}

/// The state of a job stands in so many columns.
pub(crate) const STATE_WIDTH: usize = 24;

impl Death {
    /// The death that an exit status reports, if it does.
    pub(crate) fn of(id: u32, status: ChildStatus) -> Option<Self> {
        match status {
            ChildStatus::Signaled { signal, core_dumped } => Some(Self { id, signal, core_dumped }),
            ChildStatus::Exited(_) => None,
        }
    }

    pub(crate) fn state(self) -> String {
        let mut state = format!("{:<STATE_WIDTH$}", description(self.signal));
        if self.core_dumped {
            state.push_str("(core dumped) ");
        }
        state
    }
}
