//! Programs that begin with the signals' default actions, whoever runs the tests: a runner that starts its jobs with `&`
//! or `nohup` has INT or HUP ignored, and children inherit that.

use std::ffi::OsStr;
use std::process::Command;

/// A command for `program` that begins with the default actions: through GNU's `env --default-signal` where this process
/// ignores a signal, which only Linux tells.
pub fn with_default_signals(program: impl AsRef<OsStr>) -> Command {
    if !ignores_signals() {
        return Command::new(program);
    }
    let mut command = Command::new("/usr/bin/env");
    command.arg("--default-signal").arg(program);
    command
}

/// Does this process ignore a signal that a new program would inherit as ignored?
pub fn ignores_signals() -> bool {
    // Wine shows a Windows program the host's /proc.
    if !cfg!(target_os = "linux") {
        return false;
    }
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    // Rust's runtime ignores PIPE (13) and gives it back to children; 32 and 33 are the C library's.
    ignored & 0x7fff_ffff & !(1 << 12) != 0
}
