//! Signal names and numbers.
//!
//! Unix: the platform's own. Windows has none of its own that a shell could use: Linux's standard ones, so that scripts
//! mean the same there.

use std::borrow::Cow;

/// The number of a signal that is given by name, with or without `SIG`, in any case, or by its number (`0` included).
#[must_use]
pub fn number(name: &str) -> Option<i32> {
    if name.bytes().all(|byte| byte.is_ascii_digit()) {
        let number = name.parse().ok()?;
        return (number == 0 || self::name(number).is_some()).then_some(number);
    }
    let short = match name.get(..3) {
        Some(prefix) if prefix.eq_ignore_ascii_case("SIG") => &name[3..],
        _ => name,
    };
    let find =
        |wanted: &str| all().iter().find(|(known, _)| known.eq_ignore_ascii_case(wanted)).map(|&(_, number)| number);
    find(short).or_else(|| match short.to_ascii_uppercase().as_str() {
        "CLD" => find("CHLD"),
        "IOT" => find("ABRT"),
        "POLL" => find("IO"),
        "UNUSED" => find("SYS"),
        _ => None,
    })
}

/// The name, without `SIG`, of the signal with this number.
#[must_use]
pub fn name(number: i32) -> Option<&'static str> {
    all().iter().find(|&&(_, known)| known == number).map(|&(name, _)| name)
}

/// What the C library calls the signal with this number (`strsignal`, glibc's English).
#[must_use]
pub fn description(number: i32) -> Cow<'static, str> {
    let text = match name(number) {
        Some("HUP") => "Hangup",
        Some("INT") => "Interrupt",
        Some("QUIT") => "Quit",
        Some("ILL") => "Illegal instruction",
        Some("TRAP") => "Trace/breakpoint trap",
        Some("ABRT") => "Aborted",
        Some("BUS") => "Bus error",
        Some("FPE") => "Floating point exception",
        Some("KILL") => "Killed",
        Some("USR1") => "User defined signal 1",
        Some("SEGV") => "Segmentation fault",
        Some("USR2") => "User defined signal 2",
        Some("PIPE") => "Broken pipe",
        Some("ALRM") => "Alarm clock",
        Some("TERM") => "Terminated",
        Some("STKFLT") => "Stack fault",
        Some("CHLD") => "Child exited",
        Some("CONT") => "Continued",
        Some("STOP") => "Stopped (signal)",
        Some("TSTP") => "Stopped",
        Some("TTIN") => "Stopped (tty input)",
        Some("TTOU") => "Stopped (tty output)",
        Some("URG") => "Urgent I/O condition",
        Some("XCPU") => "CPU time limit exceeded",
        Some("XFSZ") => "File size limit exceeded",
        Some("VTALRM") => "Virtual timer expired",
        Some("PROF") => "Profiling timer expired",
        Some("WINCH") => "Window changed",
        Some("IO") => "I/O possible",
        Some("PWR") => "Power failure",
        Some("SYS") => "Bad system call",
        Some(_) => return format!("Real-time signal {}", number - 34).into(),
        None => return format!("Unknown signal {number}").into(),
    };
    text.into()
}

/// All signals, by number: names without `SIG`. On Linux the real-time ones are among them, named as bash's `kill -l` does.
#[must_use]
pub fn all() -> &'static [(&'static str, i32)] {
    TABLE
}

#[cfg(any(target_os = "linux", target_os = "android", windows))]
const TABLE: &[(&str, i32)] = &[
    ("HUP", 1),
    ("INT", 2),
    ("QUIT", 3),
    ("ILL", 4),
    ("TRAP", 5),
    ("ABRT", 6),
    ("BUS", 7),
    ("FPE", 8),
    ("KILL", 9),
    ("USR1", 10),
    ("SEGV", 11),
    ("USR2", 12),
    ("PIPE", 13),
    ("ALRM", 14),
    ("TERM", 15),
    ("STKFLT", 16),
    ("CHLD", 17),
    ("CONT", 18),
    ("STOP", 19),
    ("TSTP", 20),
    ("TTIN", 21),
    ("TTOU", 22),
    ("URG", 23),
    ("XCPU", 24),
    ("XFSZ", 25),
    ("VTALRM", 26),
    ("PROF", 27),
    ("WINCH", 28),
    ("IO", 29),
    ("PWR", 30),
    ("SYS", 31),
    #[cfg(not(windows))]
    ("RTMIN", 34),
    #[cfg(not(windows))]
    ("RTMIN+1", 35),
    #[cfg(not(windows))]
    ("RTMIN+2", 36),
    #[cfg(not(windows))]
    ("RTMIN+3", 37),
    #[cfg(not(windows))]
    ("RTMIN+4", 38),
    #[cfg(not(windows))]
    ("RTMIN+5", 39),
    #[cfg(not(windows))]
    ("RTMIN+6", 40),
    #[cfg(not(windows))]
    ("RTMIN+7", 41),
    #[cfg(not(windows))]
    ("RTMIN+8", 42),
    #[cfg(not(windows))]
    ("RTMIN+9", 43),
    #[cfg(not(windows))]
    ("RTMIN+10", 44),
    #[cfg(not(windows))]
    ("RTMIN+11", 45),
    #[cfg(not(windows))]
    ("RTMIN+12", 46),
    #[cfg(not(windows))]
    ("RTMIN+13", 47),
    #[cfg(not(windows))]
    ("RTMIN+14", 48),
    #[cfg(not(windows))]
    ("RTMIN+15", 49),
    #[cfg(not(windows))]
    ("RTMAX-14", 50),
    #[cfg(not(windows))]
    ("RTMAX-13", 51),
    #[cfg(not(windows))]
    ("RTMAX-12", 52),
    #[cfg(not(windows))]
    ("RTMAX-11", 53),
    #[cfg(not(windows))]
    ("RTMAX-10", 54),
    #[cfg(not(windows))]
    ("RTMAX-9", 55),
    #[cfg(not(windows))]
    ("RTMAX-8", 56),
    #[cfg(not(windows))]
    ("RTMAX-7", 57),
    #[cfg(not(windows))]
    ("RTMAX-6", 58),
    #[cfg(not(windows))]
    ("RTMAX-5", 59),
    #[cfg(not(windows))]
    ("RTMAX-4", 60),
    #[cfg(not(windows))]
    ("RTMAX-3", 61),
    #[cfg(not(windows))]
    ("RTMAX-2", 62),
    #[cfg(not(windows))]
    ("RTMAX-1", 63),
    #[cfg(not(windows))]
    ("RTMAX", 64),
];

/// The BSD numbering, which macOS has as well.
#[cfg(all(unix, not(any(target_os = "linux", target_os = "android"))))]
const TABLE: &[(&str, i32)] = &[
    ("HUP", libc::SIGHUP),
    ("INT", libc::SIGINT),
    ("QUIT", libc::SIGQUIT),
    ("ILL", libc::SIGILL),
    ("TRAP", libc::SIGTRAP),
    ("ABRT", libc::SIGABRT),
    ("EMT", 7),
    ("FPE", libc::SIGFPE),
    ("KILL", libc::SIGKILL),
    ("BUS", libc::SIGBUS),
    ("SEGV", libc::SIGSEGV),
    ("SYS", libc::SIGSYS),
    ("PIPE", libc::SIGPIPE),
    ("ALRM", libc::SIGALRM),
    ("TERM", libc::SIGTERM),
    ("URG", libc::SIGURG),
    ("STOP", libc::SIGSTOP),
    ("TSTP", libc::SIGTSTP),
    ("CONT", libc::SIGCONT),
    ("CHLD", libc::SIGCHLD),
    ("TTIN", libc::SIGTTIN),
    ("TTOU", libc::SIGTTOU),
    ("IO", libc::SIGIO),
    ("XCPU", libc::SIGXCPU),
    ("XFSZ", libc::SIGXFSZ),
    ("VTALRM", libc::SIGVTALRM),
    ("PROF", libc::SIGPROF),
    ("WINCH", libc::SIGWINCH),
    ("INFO", 29),
    ("USR1", libc::SIGUSR1),
    ("USR2", libc::SIGUSR2),
];

/// Sends a signal to any process, as the `kill` utility of a shell that is a process of its own does; 0 only asks
/// whether it is there. Windows has no such call: `Unsupported`.
///
/// # Errors
///
/// As `kill(2)` says: no such process, no permission, or no such signal.
pub fn send(id: u32, signal: i32) -> std::io::Result<()> {
    #[cfg(unix)]
    {
        let pid = i32::try_from(id).ok().and_then(rustix::process::Pid::from_raw);
        let Some(pid) = pid else { return Err(std::io::Error::from_raw_os_error(libc::ESRCH)) };
        if signal == 0 {
            return rustix::process::test_kill_process(pid).map_err(std::io::Error::from);
        }
        let Some(signal) = rustix::process::Signal::from_named_raw(signal) else {
            return Err(std::io::Error::from_raw_os_error(libc::EINVAL));
        };
        rustix::process::kill_process(pid, signal).map_err(std::io::Error::from)
    }
    #[cfg(not(unix))]
    {
        let _ = (id, signal);
        Err(std::io::Error::from(std::io::ErrorKind::Unsupported))
    }
}

/// Sends a signal to each process of a process group; 0 only asks whether there is one.
///
/// # Errors
///
/// As `kill(2)` says of a negative id: no such group, no permission, or no such signal.
pub fn send_to_group(id: u32, signal: i32) -> std::io::Result<()> {
    #[cfg(unix)]
    {
        let group = i32::try_from(id).ok().and_then(rustix::process::Pid::from_raw);
        let Some(group) = group else { return Err(std::io::Error::from_raw_os_error(libc::ESRCH)) };
        if signal == 0 {
            return rustix::process::test_kill_process_group(group).map_err(std::io::Error::from);
        }
        let Some(signal) = rustix::process::Signal::from_named_raw(signal) else {
            return Err(std::io::Error::from_raw_os_error(libc::EINVAL));
        };
        rustix::process::kill_process_group(group, signal).map_err(std::io::Error::from)
    }
    #[cfg(not(unix))]
    {
        let _ = (id, signal);
        Err(std::io::Error::from(std::io::ErrorKind::Unsupported))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_in_any_form() {
        for (given, expected) in [
            ("TERM", Some(15)),
            ("SIGTERM", Some(15)),
            ("sigterm", Some(15)),
            ("Term", Some(15)),
            ("15", Some(15)),
            ("015", Some(15)),
            ("9", Some(9)),
            ("KILL", Some(9)),
            ("HUP", Some(1)),
            ("iot", Some(6)),
            ("0", Some(0)),
            ("", None),
            ("SIG", None),
            ("SIGSIGTERM", None),
            ("TER", None),
            ("-9", None),
            ("9999", None),
            ("99999999999999999999", None),
            ("é", None),
            ("SIGé", None),
        ] {
            assert_eq!(number(given), expected, "{given}");
        }
    }

    #[test]
    fn numbers_have_names() {
        assert_eq!(name(15), Some("TERM"));
        assert_eq!(name(0), None);
        assert_eq!(name(-1), None);
        assert!(all().is_sorted_by_key(|&(_, number)| number));
        for &(known, value) in all() {
            assert_eq!(number(known), Some(value));
            assert_eq!(name(value), Some(known));
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_linux_table_is_the_systems() {
        for (name, value) in [
            ("BUS", libc::SIGBUS),
            ("USR1", libc::SIGUSR1),
            ("CHLD", libc::SIGCHLD),
            ("CONT", libc::SIGCONT),
            ("STOP", libc::SIGSTOP),
            ("WINCH", libc::SIGWINCH),
            ("SYS", libc::SIGSYS),
            ("RTMIN", 34),
            ("RTMAX", 64),
        ] {
            assert_eq!(number(name), Some(value), "{name}");
        }
    }
}
