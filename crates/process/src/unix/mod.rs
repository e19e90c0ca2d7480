//! Unix.

mod census;
mod censuses;
mod child;
mod copy;
mod exec;
mod fds;
mod fifo;
mod fork;
mod io;
mod library_locks;
mod lock;
mod own;
mod pending_spawns;
#[cfg(target_os = "linux")]
pub(crate) mod proc_stat;
mod program;
mod raw_request;
#[cfg(any(all(target_os = "linux", any(target_env = "gnu", target_env = "musl")), target_os = "macos"))]
mod spawn;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod stack;
mod tree;
mod unreaped;

pub(crate) use census::Reservation;
pub(crate) use child::Process;
pub(crate) use copy::{end_copy, next_signal_of_copy, restore_signals};
pub(crate) use exec::{replace_process, soft_limit};
pub(crate) use fifo::{KeptFifo, make_fifo};
pub(crate) use io::{file_kind, is_readable, read, wait_readable, write_all};
pub(crate) use library_locks::while_not_copied;
pub(crate) use lock::try_lock;
pub(crate) use own::{lead, open_anyhow, open_at};
pub(crate) use pending_spawns::wait_for_starts;
pub use program::run_program;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) use stack::Stack;
pub(crate) use tree::Tree;
