//! Streams without end: the bundled utilities pass them on in bounded memory, and end when nobody reads.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test's helpers fail the test so")]

use std::process::Command;

/// What the whole process may take at its peak, debug build included.
const PEAK_KIB: u64 = 96 * 1024;

/// Runs a script with bundled utilities only, in one process, which then says how much memory it has taken.
fn run(script: &str) -> (String, u64) {
    let script = format!("{script}\ngrep VmHWM \"/proc/$$/status\" >&2");
    let output = Command::new(env!("CARGO_BIN_EXE_hookshell-under-test"))
        .args(["sh", "-c", &script])
        .env_clear()
        .env("PATH", "/nonexistent")
        .env("LC_ALL", "C.UTF-8")
        .output()
        .unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    let peak = stderr.split_whitespace().nth(1).and_then(|number| number.parse().ok());
    (String::from_utf8(output.stdout).unwrap(), peak.unwrap_or_else(|| panic!("{script}: {stderr}")))
}

#[test]
fn endless_streams_need_bounded_memory() {
    for (script, expected) in [
        ("yes | head -n 1", "y\n"),
        ("cat /dev/zero | head -c 1G | wc -c", "1073741824\n"),
        ("yes | sed -n '2{p;q}'", "y\n"),
        ("yes abc | grep -m 2 -n b", "1:abc\n2:abc\n"),
        ("yes | awk 'NR == 3 { print NR; exit }'", "3\n"),
        ("yes '{\"a\":1}' | jq -c .a | head -n 2", "1\n1\n"),
        ("yes 'a b' | cut -d' ' -f2 | tr b c | fold -w 1 | head -n 1", "c\n"),
        ("yes | xargs -n 2 echo 2>/dev/null | head -n 1", "y y\n"),
        ("yes | xargs -n 1 2>/dev/null | head -n 1", "y\n"),
        ("yes | tee /dev/null | nl | head -n 1 | tr -d ' \\t'", "1y\n"),
    ] {
        let (stdout, peak) = run(script);
        assert_eq!(stdout, expected, "{script}");
        assert!(peak < PEAK_KIB, "{script}: {peak} KiB");
    }
}
