//! The signals that the events of a console on Windows stand for.

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
