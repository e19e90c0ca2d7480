//! What a console on Windows tells its processes, in the terms of signals.

use std::io;
#[cfg(windows)]
use std::sync::Arc;

/// What takes a console's events: the signal that one stands for. `false`: Windows does what it does without it, which
/// is to end the process.
pub type ConsoleEventTaker = dyn Fn(i32) -> bool + Send + Sync;

const HUP: i32 = 1;
const INT: i32 = 2;
const TERM: i32 = 15;

/// The signal that an event stands for; the numbers are those of `HandlerRoutine` (Windows' console API).
#[cfg_attr(not(windows), allow(dead_code, reason = "events come on Windows only; the mapping is tested everywhere"))]
pub(crate) fn signal_of(event: u32) -> Option<i32> {
    match event {
        // CTRL_C_EVENT, CTRL_BREAK_EVENT
        0 | 1 => Some(INT),
        // CTRL_CLOSE_EVENT: the window was closed.
        2 => Some(HUP),
        // CTRL_LOGOFF_EVENT, CTRL_SHUTDOWN_EVENT
        5 | 6 => Some(TERM),
        _ => None,
    }
}

/// Does Windows end the process once the event was handled?
#[cfg_attr(not(windows), allow(dead_code, reason = "as above"))]
pub(crate) fn ends_the_process(event: u32) -> bool {
    event >= 2
}

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

#[cfg(test)]
mod tests {
    use super::{ends_the_process, signal_of};

    #[test]
    fn events_are_signals() {
        let expected = [(0, Some(2)), (1, Some(2)), (2, Some(1)), (3, None), (4, None), (5, Some(15)), (6, Some(15))];
        for (event, signal) in expected {
            assert_eq!(signal_of(event), signal, "{event}");
            assert_eq!(ends_the_process(event), event > 1, "{event}");
        }
    }
}
