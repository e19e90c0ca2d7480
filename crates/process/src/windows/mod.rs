//! Windows.

mod batch;
mod child;
mod console;
mod io;
mod job;
mod lock;
mod path_names;
mod registry;
mod reparse;
mod spawn;
mod tree;

pub(crate) use child::Process;
pub(crate) use console::{send_console_break, take_console_events};
pub(crate) use io::{KeptFifo, file_kind, is_readable, read, wait_readable, write_all};
pub(crate) use lock::try_lock;
pub(crate) use path_names::{long_path, short_path};
pub(crate) use registry::registry_string;
pub(crate) use reparse::reparse_point;
pub(crate) use spawn::wait_for_starts;
pub(crate) use tree::{Reservation, Tree};

/// See [`crate::replace_process`]: there is no such call.
pub(crate) fn replace_process(_: &crate::SpawnRequest<'_>) -> crate::SpawnError {
    crate::SpawnError::Os(std::io::ErrorKind::Unsupported.into())
}
