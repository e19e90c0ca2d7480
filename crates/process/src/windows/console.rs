//! Ctrl-C and its like.
#![allow(unsafe_code, reason = "console events have no safe interface")]

use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::sync::lock;
use windows_sys::Win32::System::Console::{CTRL_BREAK_EVENT, GenerateConsoleCtrlEvent, SetConsoleCtrlHandler};
use windows_sys::core::BOOL;

use crate::console_events::{ConsoleEventTaker, ends_the_process, signal_of};
use crate::handle::check;

/// Windows ends the process five seconds after a window was closed, or as soon as the handler returns.
const SHUTDOWN_GRACE: Duration = Duration::from_millis(4500);

/// Whom events go to. Handlers belong to the process and have no argument, so this does as well.
static TAKER: Mutex<Option<Arc<ConsoleEventTaker>>> = Mutex::new(None);

pub(crate) fn take_console_events(taker: Option<Arc<ConsoleEventTaker>>) -> io::Result<()> {
    let is_first = taker.is_some();
    // The lock is never held while a taker runs.
    let before = std::mem::replace(&mut *lock(&TAKER), taker);
    if is_first && before.is_none() {
        // SAFETY: the routine lives as long as the process, and may be called from any thread.
        check(unsafe { SetConsoleCtrlHandler(Some(routine), 1) })?;
    }
    Ok(())
}

pub(crate) fn send_console_break(group: u32) -> io::Result<()> {
    // SAFETY: no pointer is passed.
    check(unsafe { GenerateConsoleCtrlEvent(CTRL_BREAK_EVENT, group) })
}

/// Called on a thread of its own for each event. 0: the next handler has it, the last of which ends the process.
extern "system" fn routine(event: u32) -> BOOL {
    let taker = lock(&TAKER).clone();
    let (Some(taker), Some(signal)) = (taker, signal_of(event)) else { return 0 };
    if !taker(signal) {
        return 0;
    }
    if ends_the_process(event) {
        // The process ends by itself before that, or has had its time.
        std::thread::sleep(SHUTDOWN_GRACE);
    }
    1
}
