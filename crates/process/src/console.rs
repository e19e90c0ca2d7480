//! What a console on Windows tells its processes, in the terms of signals.

use std::io;
#[cfg(windows)]
use std::sync::Arc;

use crate::ConsoleEventTaker;

/// Passes the console's events (Ctrl-C, Ctrl-Break, a closed window, the end of the session) to `taker` from now on; each
/// comes on a thread of its own. There is one taker for the process, and the last one counts. `None`: to nobody any more.
/// For a host that is the process; a library's host has its own. Nothing to do on other systems, where signals come.
///
/// # Errors
/// As the system says.
pub fn take_console_events(taker: Option<Box<ConsoleEventTaker>>) -> io::Result<()> {
    #[cfg(windows)]
    return crate::platform::take_console_events(taker.map(Arc::from));
    #[cfg(not(windows))]
    {
        drop(taker);
        Ok(())
    }
}

/// Sends Ctrl-Break to the process group of a process that was started as the first of one
/// (`CREATE_NEW_PROCESS_GROUP`), on the same console.
///
/// # Errors
/// As the system says: there is no such group, or no console. `Unsupported` on other systems.
pub fn send_console_break(group: u32) -> io::Result<()> {
    #[cfg(windows)]
    return crate::platform::send_console_break(group);
    #[cfg(not(windows))]
    {
        let _ = group;
        Err(io::ErrorKind::Unsupported.into())
    }
}
