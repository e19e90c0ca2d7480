//! How a child ended.

/// How a child ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ChildStatus {
    /// It exited. Unix: 0–255. Windows: the process's 32-bit exit code, bit for bit.
    Exited(i32),
    /// A signal ended it. Never on Windows.
    Signaled {
        /// The signal's number.
        signal: i32,
        /// Whether a core file was written.
        core_dumped: bool,
    },
}

impl ChildStatus {
    /// The shell's exit status (`$?`): the exit code, or 128 + the signal's number.
    ///
    /// Windows: see [`windows_shell_status`].
    #[must_use]
    pub fn shell_status(self) -> u8 {
        match self {
            Self::Exited(code) if cfg!(windows) => windows_shell_status(code.cast_unsigned()),
            Self::Exited(code) => low_byte(code.cast_unsigned()),
            Self::Signaled { signal, .. } => low_byte(128_u32.wrapping_add(signal.cast_unsigned())),
        }
    }

    /// Whether it is an exit with code 0.
    #[must_use]
    pub fn success(self) -> bool {
        self == Self::Exited(0)
    }
}

/// The shell's exit status for a Windows exit code.
///
/// - 0–255 and small negative codes (`exit(-1)`, 0xFFFFxxxx): the low eight bits, and never 0 for a code that is not 0.
///   Other positive codes likewise, as on Unix, where `exit(258)` is 2 also.
/// - A code above 0x80000000 is an exception that nobody handled (an `NTSTATUS`, the .NET and C++ runtimes' own):
///   128 + the signal that Unix would have sent, so that a crash can never look like a hook's 2 or 49. Access violation:
///   139 (SEGV), stack overflow likewise, illegal instruction 132, division by zero 136, breakpoint 133, Ctrl-C 130,
///   abort and fail-fast 134, as everything unknown. A DLL or an entry point that was not found: 127, as Cygwin has it.
///   (Cygwin makes 127 of `exit(-1)` too; 255 is what its authors meant.)
#[must_use]
pub fn windows_shell_status(code: u32) -> u8 {
    const NEGATIVE: std::ops::RangeInclusive<u32> = 0xFFFF_0000..=0xFFFF_FFFF;
    if code < 0x8000_0000 || NEGATIVE.contains(&code) {
        return match low_byte(code) {
            0 if code != 0 => 1,
            low => low,
        };
    }
    match code {
        // DLL not found, ordinal not found, entry point not found, DLL initialisation failed.
        0xC000_0135 | 0xC000_0138 | 0xC000_0139 | 0xC000_0142 => 127,
        // Access violation, in-page error, array bounds, misaligned data, stack overflow.
        0xC000_0005 | 0xC000_0006 | 0xC000_008C | 0x8000_0002 | 0xC000_00FD => 128 + 11,
        // Illegal and privileged instruction.
        0xC000_001D | 0xC000_0096 => 128 + 4,
        // Floating-point and integer exceptions.
        0xC000_008D..=0xC000_0095 => 128 + 8,
        0x8000_0003 | 0x8000_0004 => 128 + 5,
        0xC000_013A => 128 + 2,
        _ => 128 + 6,
    }
}

fn low_byte(value: u32) -> u8 {
    value.to_le_bytes()[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_windows_code_keeps_its_low_byte_and_never_becomes_zero() {
        for (code, status) in [
            (0, 0),
            (1, 1),
            (2, 2),
            (49, 49),
            (255, 255),
            (256, 1),
            (258, 2),
            (0x7FFF_FF00, 1),
            (0xFFFF_FFFF, 255),
            (0xFFFF_FFFE, 254),
            (0xFFFF_FF00, 1),
        ] {
            assert_eq!(windows_shell_status(code), status, "{code:#x}");
        }
    }

    #[test]
    fn a_windows_crash_is_never_a_decision() {
        for (code, status) in [
            (0xC000_0005, 139),
            (0xC000_00FD, 139),
            (0xC000_001D, 132),
            (0xC000_0094, 136),
            (0x8000_0003, 133),
            (0xC000_013A, 130),
            (0xC000_0409, 134),
            (0xC000_0135, 127),
            // Low bytes 2 and 49.
            (0xC000_0102, 134),
            (0xC000_0131, 134),
            (0xE043_4352, 134),
        ] {
            assert_eq!(windows_shell_status(code), status, "{code:#x}");
        }
    }

    #[test]
    fn a_signal_is_128_and_its_number() {
        let status = ChildStatus::Signaled { signal: 9, core_dumped: false };
        assert_eq!(status.shell_status(), 137);
        assert!(!status.success());
        assert_eq!(ChildStatus::Exited(49).shell_status(), 49);
    }
}
