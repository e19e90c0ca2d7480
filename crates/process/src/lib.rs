//! The process layer: starting, waiting for and killing the child processes of one hook run, and waking whatever
//! blocks when that run is cancelled.
//!
//! It sits below the shell interpreter and is the only crate of the workspace with `unsafe` code. It keeps to the
//! guest rules: nothing here changes the host's working directory, umask, environment or signal dispositions, nothing
//! prints, and nothing waits for a process that it did not start. The exceptions are [`replace_process`], which is
//! `exec(2)` and says so, and [`ProcessTree::copy_process`], [`take_console_events`] and [`program!`], for a host that is the process.
//!
//! - [`ProcessTree`] starts children ([`SpawnRequest`]) and ends them all, grandchildren included.
//! - [`Child`] waits, as often and from as many threads as one likes.
//! - [`Interrupt`] is raised once and wakes every blocking call that was made through it.
//! - [`signals`], [`system`], [`text`] and [`windows_quote`] are the small system facts that a shell needs.

mod app_alias;
mod child;
mod console;
mod console_events;
#[cfg(unix)]
mod copy;
mod environment;
mod error;
mod file;
mod file_kind;
mod file_lock;
#[cfg(windows)]
mod handle;
mod held_directory;
mod interrupt;
mod interrupted_io;
mod limit;
mod lock;
mod lookout;
mod mailbox;
mod opening;
mod own;
mod own_limits;
mod own_signals;
pub mod path_list;
mod program_arguments;
mod replaced_file;
mod request;
pub mod script_path;
#[cfg(unix)]
mod signal_state;
pub mod signals;
mod stack;
mod status;
pub mod sync;
pub mod system;
pub mod text;
mod thread;
mod tree;
mod wake;
pub mod windows_environment;
pub mod windows_quote;

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix as platform;
#[cfg(windows)]
use windows as platform;

pub use app_alias::AppAlias;
pub use child::Child;
pub use console::{send_console_break, take_console_events};
pub use console_events::ConsoleEventTaker;
#[cfg(unix)]
pub use copy::CopyEnd;
pub use environment::{Environment, variable};
pub use error::{SpawnError, SpawnPart, WaitError};
pub use file::{
    anonymous_file, is_fifo, is_missing, is_readable, make_fifo, of_creation, open_fifo, pipe, wait_readable,
};
pub use file_kind::FileKind;
pub use file_lock::FileLock;
pub use held_directory::HeldDirectory;
pub use interrupt::{Interrupt, Interrupted, is_interrupted};
pub use limit::{Resource, ResourceLimit};
pub use lock::try_lock;
pub use lookout::Lookout;
pub use mailbox::{Mailbox, wait_awake, wait_awake_for};
pub use opening::{Lead, Opened, Opening, VIRTUAL_IDS, host_file_error, is_refused_link};
pub use own::lead;
pub use own_signals::{
    block_sigpipe_on_this_thread, direct_signals_to_this_thread, expect_children, ignored_signals, ignored_signals_of,
    survive_full_files,
};
#[cfg(unix)]
pub use own_signals::{ignore_signals, note_signal};
pub use replaced_file::replace_file;
pub use request::SpawnRequest;
pub use stack::Stack;
pub use status::{ChildStatus, windows_shell_status};
pub use thread::start_thread;
pub use tree::{Admission, ProcessTree};

#[cfg(unix)]
#[doc(inline)]
pub use unix::run_program;

/// Replaces this process with the request's program, as `exec(2)` does; returns only when that failed.
///
/// Unix: the working directory, the descriptors and the umask are those of the request; `SIGPIPE` is reset to its
/// default and the signal mask emptied, as for a child. What can be seen to fail beforehand (a missing program, no
/// permission, a working directory that cannot be entered) fails with nothing changed. After a later failure (a format that the kernel
/// rejects, too long an argument list) the descriptors and the working directory are already the new ones: the caller
/// is expected to report and to exit, as a shell does.
///
/// Windows has no such call: [`SpawnError::Os`] of kind [`std::io::ErrorKind::Unsupported`], and the caller starts a
/// child, waits for it and exits with its status.
#[must_use = "reaching the next line means that the replacement failed"]
pub fn replace_process(request: &SpawnRequest<'_>) -> SpawnError {
    platform::replace_process(request)
}

/// For a thread of a copy of this process ([`ProcessTree::copy_process`]): waits for the next signal that the copy is sent. `None`:
/// the system refuses to say.
///
/// Every thread of a copy blocks HUP, INT, QUIT, TERM, USR1, USR2, ALRM, VTALRM and PROF, which nobody else hears of.
#[cfg(unix)]
pub fn next_signal_of_copy() -> Option<i32> {
    unix::next_signal_of_copy()
}

/// For a copy of this process ([`ProcessTree::copy_process`]) without a thread that could wait for its signals: those that are
/// sent to the calling thread's process do from now on what they do by default.
#[cfg(unix)]
pub fn hear_no_signals_of_copy() {
    unix::restore_signals(&[]);
}

/// Makes a call that may take a lock of the process as a whole: one of the C library (user and host names) or in a static of
/// another one. No copy of the process ([`ProcessTree::copy_process`]) is made meanwhile: there nobody would ever give it back.
pub fn while_not_copied<T>(call: impl FnOnce() -> T) -> T {
    #[cfg(unix)]
    return unix::while_not_copied(call);
    #[cfg(not(unix))]
    call()
}

/// Ends a copy of this process ([`ProcessTree::copy_process`]) from any of its threads, at once.
#[cfg(unix)]
pub fn end_copy(end: CopyEnd) -> ! {
    unix::end_copy(end)
}

/// What is asserted about the public types at compile time: they are shared between threads.
const _: () = {
    const fn shared<T: Send + Sync>() {}
    shared::<ProcessTree>();
    shared::<Child>();
    shared::<Interrupt>();
    shared::<SpawnError>();
    shared::<WaitError>();
};
